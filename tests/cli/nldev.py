#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The recording of a kernel that is asked about counters by RDMA netlink, for a snapshot of two mlx5 devices
with a port each: mlx5_0 (index 1) and mlx5_1 (index 2).

usage: nldev.py KIND

KIND: optional (optional counters, which the kernel refuses to switch for an ordinary user), switched (it
switches those of mlx5_0 as --enable cc_rx_ce_pkts demands), none (no optional counters), broken (their list
cannot be read), objects (counters of queue pairs and memory regions).
"""

import struct
import sys

# rdma/rdma_netlink.h and linux/netlink.h
CLIENT, DUMP, ACK, MULTI, ERROR, DONE = 5 << 10, 0x301, 5, 2, 2, 3
GET, PORT_GET, RES_MR_GET, STAT_SET, STAT_GET, STATUS = 1, 5, 13, 16, 17, 24
INDEX, NAME, PORT = 1, 2, 3
RES_QP, QP_ENTRY, LQPN, TYPE, PID, KERN_NAME, RES_MR, MR_ENTRY, MRN = 19, 20, 21, 26, 28, 29, 40, 41, 62
MODE, RES, MASK, COUNTER, COUNTER_ENTRY, COUNTER_ID = 74, 75, 76, 77, 78, 79
HWCOUNTERS, HW_ENTRY, HW_NAME, HW_VALUE, HW_INDEX, DYNAMIC = 80, 81, 82, 83, 94, 95
NESTED, EPERM, EIO = 1 << 15, 1, 5


def attribute(kind, data):
    return struct.pack("=HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)


def u8(kind, value):
    return attribute(kind, struct.pack("=B", value))


def u32(kind, value):
    return attribute(kind, struct.pack("=I", value))


def u64(kind, value):
    return attribute(kind, struct.pack("=Q", value))


def text(kind, value):
    return attribute(kind, value.encode() + b"\0")


def put(command, flags, question, answers):
    print("ask 20 %d %d %s" % (CLIENT | command, flags, question.hex() or "-"))
    for kind, its_flags, payload in answers:
        print("got %d %d %s" % (kind, its_flags, payload.hex() or "-"))
    print("end")


def error(command, flags, question, number):
    head = struct.pack("=IHHII", 16 + len(question), CLIENT | command, flags, 0, 0)
    return [(ERROR, 0, struct.pack("=i", -number) + head + (question if number else b""))]


def dump(command, question, *payloads):
    answers = [(CLIENT | command, MULTI, payload) for payload in payloads]
    put(command, DUMP, question, answers + [(DONE, MULTI, bytes(4))])


def devices():
    names = ((1, "mlx5_0"), (2, "mlx5_1"))
    dump(GET, b"", *(u32(INDEX, index) + text(NAME, name) + u32(PORT, 1) for index, name in names))
    for index, name in names:
        dump(PORT_GET, u32(INDEX, index), u32(INDEX, index) + text(NAME, name) + u32(PORT, 1))


def hw_counters(*rows):
    return attribute(HWCOUNTERS, b"".join(attribute(HW_ENTRY, b"".join(row)) for row in rows))


def optional(kind):
    names = ("cc_rx_ce_pkts", "cc_rx_cnp_pkts", "cc_tx_cnp_pkts")
    for index in (1, 2):
        question = u32(INDEX, index) + u32(PORT, 1)
        rows = [(text(HW_NAME, "out_of_buffer"), u32(HW_INDEX, 0))]
        rows += [(text(HW_NAME, name), u32(HW_INDEX, 10 + i), u8(DYNAMIC, index == 2 and i == 1))
                 for i, name in enumerate(names)]
        answer = [(CLIENT | STATUS, 0, question + hw_counters(*([] if kind == "none" else rows)))]
        put(STATUS, 1, question, error(STATUS, 1, question, EIO) if kind == "broken" else answer)
        for indexes in ([10], [10, 11], [11, 12], []):
            wanted = question + attribute(HWCOUNTERS | NESTED, b"".join(u32(HW_INDEX, number) for number in indexes))
            put(STAT_SET, ACK, wanted, error(STAT_SET, ACK, wanted, 0 if kind == "switched" and index == 1 else EPERM))


def objects():
    names = ("out_of_buffer", "packet_seq_err")
    for index in (1, 2):
        device = u32(INDEX, index)
        counters = hw_counters(*((text(HW_NAME, name), u64(HW_VALUE, 7 * i)) for i, name in enumerate(names)))
        entry = u32(PORT, 1) + u32(COUNTER_ID, 5) + u32(MODE, 1) + u8(TYPE, 2) + u32(PID, 1) + \
            attribute(RES_QP, attribute(QP_ENTRY, u32(LQPN, 300)) + attribute(QP_ENTRY, u32(LQPN, 301))) + counters
        kernel = u32(PORT, 1) + u32(COUNTER_ID, 6) + u32(MODE, 2) + text(KERN_NAME, "ib_core") + counters
        other = u32(PORT, 2) + u32(COUNTER_ID, 7) + u32(MODE, 2) + counters
        entries = attribute(COUNTER, b"".join(attribute(COUNTER_ENTRY, one) for one in (entry, kernel, other)))
        dump(STAT_GET, device + u32(RES, RES_QP), *([device + entries] if index == 1 else []))
        faults = hw_counters((text(HW_NAME, "page_faults"), u64(HW_VALUE, 3)))
        mrs = attribute(RES_MR, b"".join(attribute(MR_ENTRY, u32(MRN, number) + (faults if number > 8 else b""))
                                         for number in (8, 9, 11)))
        dump(STAT_GET, device + u32(RES, RES_MR), *([device + mrs] if index == 1 else []))
        owners = attribute(RES_MR, attribute(MR_ENTRY, u32(MRN, 8) + text(KERN_NAME, "ib_srp")) +
                           attribute(MR_ENTRY, u32(MRN, 9) + text(KERN_NAME, "ib_iser")) +
                           attribute(MR_ENTRY, u32(MRN, 12) + text(KERN_NAME, "ib_isert")))
        dump(RES_MR_GET, device, *([device + owners] if index == 1 else []))
        question = device + u32(PORT, 1) + u32(MODE, 0) + u32(RES, RES_QP)
        put(STAT_GET, 1, question, [(CLIENT | STAT_GET, 0, u32(MODE, index - 1) + u32(MASK, 3))])


def main():
    print("rdmactl-recording/1 little 64")
    devices()
    if sys.argv[1] == "objects":
        objects()
    else:
        optional(sys.argv[1])


main()
