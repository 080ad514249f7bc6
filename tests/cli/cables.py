#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Makes a recorded dialogue with a kernel about the module of one netdev, for a snapshot.

usage: cables.py IFINDEX KIND

KIND: optical (QSFP28, lane 3 dark), sfp (SFF-8472, weak light), osfp (CMIS, eight lanes), copper,
cxp (of unknown layout), refused (an ordinary user), lacking (the driver gives no access to
modules), down (no cable, and why).
"""

import struct
import sys

CONTROL, FAMILY, DONE, ERROR = 16, 0x1C, 3, 2
GETFAMILY, LINKSTATE, FEC, EEPROM, MODULE = 3, 6, 29, 31, 34  # linux/ethtool_netlink.h
NESTED = 1 << 15
FIRST, SECOND = 0x50, 0x51  # addresses of a module on its I2C bus
ERRORS = {"refused": 1, "down": 5, "lacking": 95}  # EPERM, EIO, EOPNOTSUPP


def attribute(kind, data):
    return struct.pack("=HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)


def number(kind, form, value):
    return attribute(kind, struct.pack("=" + form, value))


def header(command):
    return struct.pack("=BBH", command, 1, 0)


def text_at(page, offset, width, text):
    page[offset : offset + width] = text.encode().ljust(width)


def words_at(page, offset, *words):
    struct.pack_into(">%dH" % len(words), page, offset, *words)


def sfp():
    """Both addresses of SFF-8472, as in a 10GBASE-LR module, with weak light."""
    identity, readings = bytearray(128), bytearray(128)
    identity[0], identity[1], identity[2], identity[92], identity[93] = 3, 4, 7, 0x68, 0xF0
    for offset, width, text in ((20, 16, "FINISAR CORP."), (40, 16, "FTLX1471D3BCL"), (56, 4, "A"),
                                (68, 16, "UK20A1B"), (84, 8, "160317")):
        text_at(identity, offset, width, text)
    identity[37:40] = bytes([0x00, 0x90, 0x65])
    words_at(readings, 0, 78 * 256, 0x10000 - 13 * 256, 73 * 256, 0x10000 - 8 * 256, 37000, 29000, 36000, 30000,
             42500, 6500, 38000, 8000, 22387, 1202, 17783, 1514, 22387, 182, 17783, 230)
    words_at(readings, 96, 27 * 256 + 64, 32817, 18032, 6321, 150)
    readings[110], readings[113], readings[117] = 0x02, 0x40, 0x40
    return {(0, 0): identity, (0, 0, SECOND): readings}


def osfp():
    """CMIS: the current in steps of 4 uA, lane 1 dark, and a latched fault of lane 2."""
    lower, identity, advertised, limits, lanes = (bytearray(128) for _ in range(5))
    lower[0], lower[1], lower[3], lower[39], lower[40] = 0x19, 0x50, 3 << 1, 46, 33
    words_at(lower, 14, 61 * 256 + 128, 33111)
    for offset, width, text in ((129, 16, "NVIDIA"), (148, 16, "MMA4Z00-NS"), (164, 2, "A2"),
                                (166, 16, "MT2312FT07700"), (182, 8, "230321")):
        text_at(identity, offset - 128, width, text)
    identity[203 - 128] = 0x27
    advertised[159 - 128], advertised[160 - 128] = 3, 7 | 1 << 3
    words_at(limits, 0, 80 * 256, 0x10000 - 5 * 256, 70 * 256, 0, 35000, 31000, 34650, 31350)
    words_at(limits, 176 - 128, 31623, 1259, 25119, 1585, 7500, 1000, 7000, 1250, 31623, 631, 25119, 1000)
    words_at(lanes, 154 - 128, *range(12000, 16000, 500), *range(3000, 3800, 100), 1, *[9000] * 7)
    lanes[135 - 128], lanes[147 - 128] = 0x02, 0x01
    return {(0, 0): lower, (0, 128): identity, (1, 128): advertised, (2, 128): limits, (0x11, 128): lanes}


def module(kind):
    """The lower half, page 00h and page 03h of SFF-8636; no light if it is copper."""
    if kind in ("sfp", "osfp"):
        return sfp() if kind == "sfp" else osfp()
    lower, identity, limits = bytearray(128), bytearray(128), bytearray(128)
    if kind == "cxp":
        lower[0] = 0x0E
        return {(0, 0): lower}
    lower[0] = 0x11
    text_at(identity, 148 - 128, 16, "Mellanox")
    if kind == "copper":
        lower[2] = 1 << 2
        identity[130 - 128], identity[146 - 128], identity[147 - 128] = 0x23, 3, 0xA0
        text_at(identity, 168 - 128, 16, "MCP1600-C003")
        text_at(identity, 196 - 128, 16, "MT1900VS0\033[2J")
        return {(0, 0): lower, (0, 128): identity}
    words_at(lower, 22, 40 * 256 + 64, 0, 33000)
    words_at(lower, 34, 5000, 6000, 0, 7000, *[3500] * 4, *[8000] * 4)
    lower[3] = 1 << 2
    identity[130 - 128], identity[220 - 128] = 0x0C, 0x0C
    text_at(identity, 168 - 128, 16, "MMA1B00-C100D")
    text_at(identity, 196 - 128, 16, "MT2120FT06214")
    words_at(limits, 0, 80 * 256, 0xF600, 70 * 256, 0)
    words_at(limits, 176 - 128, 21878, 478, 17378, 954)
    return {(0, 0): lower, (0, 128): identity, (3, 128): limits}


class Recording:
    def __init__(self, index):
        self.index = index
        print("rdmactl-recording/1 little 64")
        self.put(CONTROL, 0x301, header(GETFAMILY),
                 [(CONTROL, 2, header(1) + number(1, "H", FAMILY) + attribute(2, b"ethtool\0")),
                  (DONE, 2, bytes(4))])

        # The list of netdevs: RTM_GETLINK, without statistics.
        self.put(18, 0x301, bytes(16) + number(29, "I", 8),
                 [(16, 2, struct.pack("=BBHiII", 0, 0, 1, index, 0x11043, 0) + attribute(3, b"ens1f0np0\0")),
                  (DONE, 2, bytes(4))], 0)

    @staticmethod
    def put(kind, flags, question, answers, protocol=16):
        print("ask %d %d %d %s" % (protocol, kind, flags, question.hex()))
        for kind_of_answer, its_flags, payload in answers:
            print("got %d %d %s" % (kind_of_answer, its_flags, payload.hex() or "-"))
        print("end")

    def ask(self, command, more, answer, error=0, flags=0):
        netdev = number(1, "I", self.index) + number(3, "I", flags)
        question = header(command) + attribute(1 | NESTED, netdev) + more
        if error:
            head = struct.pack("=IHHII", 16 + len(question), FAMILY, 1, 0, 0)
            self.put(FAMILY, 1, question, [(ERROR, 0, struct.pack("=i", -error) + head)])
        else:
            self.put(FAMILY, 1, question, [(FAMILY, 0, header(command) + answer)])

    def page(self, page, offset, address, answer, error=0):
        place = number(2, "I", offset) + number(3, "I", 128) + number(4, "B", page) + \
            number(5, "B", 0) + number(6, "B", address)
        self.ask(EEPROM, place, attribute(7, bytes(answer)), error)


def main():
    recording, kind = Recording(int(sys.argv[1])), sys.argv[2]
    if kind in ERRORS:
        recording.page(0, 0, FIRST, b"", ERRORS[kind])
    else:
        for (page, offset, *address), data in module(kind).items():
            recording.page(page, offset, address[0] if address else FIRST, data)
    state = number(2, "B", kind != "down")
    if kind == "down":
        state += number(5, "B", 4)
    recording.ask(LINKSTATE, b"", state)
    recording.ask(MODULE, b"", number(2, "B", 2) + number(3, "B", 2))
    counts = attribute(2, struct.pack("=Q", 12)) + attribute(4, struct.pack("=Q", 99))
    bins = b"".join(attribute(5 | NESTED, number(2, "I", low) + number(3, "I", low) + number(4, "Q", 7 - low))
                    for low in range(2))
    modes = b"".join(attribute(1 | NESTED, number(1, "I", index) + attribute(2, name))
                     for index, name in ((50, b"RS\0"), (51, b"BASER\0")))
    modes = attribute(1, b"") + number(2, "I", 125) + attribute(3 | NESTED, modes)
    modes = attribute(2 | NESTED, modes) + number(3, "B", 1)
    recording.ask(FEC, b"", modes + number(4, "I", 50) + attribute(5 | NESTED, counts + bins), flags=4)


main()
