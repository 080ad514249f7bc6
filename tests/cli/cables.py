#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The recording of a kernel that is asked about the module of one netdev, for a snapshot.

usage: cables.py IFINDEX KIND

KIND: optical (QSFP28, lane 3 dark), copper, cxp (of a layout that is not known), refused (an ordinary
user), lacking (the driver has no access to modules), down (no cable, and why).
"""

import struct
import sys

CONTROL, FAMILY, DONE, ERROR = 16, 0x1C, 3, 2
GETFAMILY, LINKSTATE, FEC, EEPROM, MODULE = 3, 6, 29, 31, 34  # linux/ethtool_netlink.h
NESTED = 1 << 15
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


def module(kind):
    """The lower half, page 00h and page 03h of SFF-8636; without light if it is copper."""
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

    def page(self, page, offset, answer, error=0):
        place = number(2, "I", offset) + number(3, "I", 128) + number(4, "B", page) + \
            number(5, "B", 0) + number(6, "B", 0x50)
        self.ask(EEPROM, place, attribute(7, bytes(answer)), error)


def main():
    recording, kind = Recording(int(sys.argv[1])), sys.argv[2]
    if kind in ERRORS:
        recording.page(0, 0, b"", ERRORS[kind])
    else:
        for (page, offset), data in module(kind).items():
            recording.page(page, offset, data)
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
