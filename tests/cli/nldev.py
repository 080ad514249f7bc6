#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Makes a recorded dialogue with a kernel over RDMA netlink, for a snapshot of two mlx5 devices
with one port each: mlx5_0 (index 1) and mlx5_1 (index 2).

usage: nldev.py KIND [NUMBER]

KIND: optional (optional counters, which the kernel does not let an ordinary user switch), switched
(it switches those of mlx5_0 as --enable cc_rx_ce_pkts requests), none (no optional counters),
broken (their list cannot be read), objects (counters of queue pairs and memory regions), resources
(objects in use of each kind, each attribute with a distinct value; the summary; records of the
adapter), many (NUMBER queue pairs, numbered from 100), ports (counters of each port), damaged (the
last of those has no value), exclusive and shared (settings of devices and of the subsystem, on a
host whose network namespaces have exclusive or shared devices).
"""

import socket
import struct
import sys

# rdma/rdma_netlink.h and linux/netlink.h
CLIENT, DUMP, ACK, MULTI, ERROR, DONE = 5 << 10, 0x301, 5, 2, 2, 3
GET, PORT_GET, SYS_GET, RES_GET, RES_QP_GET, RES_MR_GET, STAT_SET, STAT_GET, RAW_GET, STATUS = 1, 5, 6, 9, 10, 13, 16, 17, 19, 24
INDEX, NAME, PORT = 1, 2, 3
RES_QP, QP_ENTRY, LQPN, TYPE, PID, KERN_NAME, RES_MR, MR_ENTRY, MRN = 19, 20, 21, 26, 28, 29, 40, 41, 62
MODE, RES, MASK, COUNTER, COUNTER_ENTRY, COUNTER_ID = 74, 75, 76, 77, 78, 79
HWCOUNTERS, HW_ENTRY, HW_NAME, HW_VALUE, HW_INDEX, DYNAMIC = 80, 81, 82, 83, 94, 95
SUMMARY, SUMMARY_ENTRY, SUMMARY_NAME, SUMMARY_COUNT, RAW = 15, 16, 17, 18, 85
RQPN, RQ_PSN, SQ_PSN, MIGRATION, STATE, PORT_SPACE, FROM, TO, CQE, USERS, POLL = 22, 23, 24, 25, 27, 32, 33, 34, 37, 38, 39
RKEY, LKEY, IOVA, MRLEN, LOCAL_LKEY, GLOBAL_RKEY = 42, 43, 44, 45, 48, 49
PDN, CQN, CM_IDN, CTXN, DIM, SRQN, FIRST, LAST = 60, 61, 63, 64, 84, 90, 91, 92
RES_CM_ID, RES_CQ, RES_PD, RES_CTX, RES_SRQ = (11, 30), (12, 35), (14, 46), (22, 86), (23, 88)
NETNS_MODE, COPY_ON_FORK, QKEY, MONITOR = 66, 93, 96, 103
NESTED, EPERM, ENOENT, EIO, EAGAIN, EINVAL = 1 << 15, 1, 2, 5, 11, 22


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


def ports(kind):
    rows = [(text(HW_NAME, name), u64(HW_VALUE, value)) for name, value in (
        ("rx_write_requests", 9), ("packet_seq_err", 5), ("out_of_buffer", 7), ("unheard_of", 3))]
    for index in (1, 2):
        question = u32(INDEX, index) + u32(PORT, 1)
        no_value = [(text(HW_NAME, "unheard_of"), u64(HW_INDEX, 3))]
        counters = hw_counters(*(rows[:-1] + no_value if kind == "damaged" else rows))
        put(STAT_GET, 1, question, [(CLIENT | STAT_GET, 0, question + counters)])


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


def address(family, text_, port):
    """struct sockaddr_in or sockaddr_in6 in a struct sockaddr_storage."""
    raw = socket.inet_pton(family, text_)
    head = struct.pack("=H", family) + struct.pack(">H", port)
    return (head + (raw if family == socket.AF_INET else bytes(4) + raw)).ljust(128, b"\0")


def table(command, number, device, *entries):
    """The table of one kind of objects of a device; the attribute of its entries has the next
    number."""
    nest = attribute(number, b"".join(attribute(number + 1, entry) for entry in entries))
    dump(command, u32(INDEX, device), *([u32(INDEX, device) + nest] if entries else []))


def resources():
    """Objects of process 4321, of its thread 4322, of a process that has ended and of the
    kernel."""
    of = {pid: u32(PID, pid) for pid in (4321, 4322, 5000)}
    kernel = text(KERN_NAME, "ib_core")
    table(RES_QP_GET, RES_QP, 1,
          u32(LQPN, 1) + u32(PORT, 1) + u8(TYPE, 1) + u8(STATE, 3) + kernel,
          u32(LQPN, 17) + u32(PORT, 1) + u8(TYPE, 2) + u8(STATE, 3) + u32(RQPN, 33) + u32(RQ_PSN, 1001) +
          u32(SQ_PSN, 1002) + u8(MIGRATION, 1) + u32(PDN, 5) + of[4321],
          u32(LQPN, 18) + u32(PORT, 1) + u8(TYPE, 4) + u8(STATE, 2) + u32(SQ_PSN, 1003) + u32(PDN, 6) + of[4322],
          u32(LQPN, 19) + u8(TYPE, 2) + u8(STATE, 0) + of[5000])
    table(RES_QP_GET, RES_QP, 2, u32(LQPN, 44) + u32(PORT, 1) + u8(TYPE, 2) + u8(STATE, 6) + of[4321])
    table(*RES_CM_ID, 1,
          u32(CM_IDN, 7) + u32(PORT, 1) + u32(LQPN, 17) + u8(TYPE, 2) + u8(STATE, 5) + u32(PORT_SPACE, 0x106) +
          attribute(FROM, address(socket.AF_INET, "10.20.30.40", 4791)) +
          attribute(TO, address(socket.AF_INET, "10.20.30.41", 18515)) + of[4321],
          u32(CM_IDN, 8) + u8(STATE, 8) + u32(PORT_SPACE, 0x111) +
          attribute(FROM, address(socket.AF_INET6, "fd00::12", 2049)) +
          attribute(TO, address(socket.AF_INET6, "::", 0)) + kernel)
    table(*RES_CM_ID, 2)
    table(*RES_CQ, 1, u32(CQN, 9) + u32(CQE, 255) + u64(USERS, 3) + u8(POLL, 1) + u8(DIM, 1) + kernel,
          u32(CQN, 10) + u32(CQE, 511) + u64(USERS, 4) + u8(DIM, 0) + u32(CTXN, 2) + of[4322])
    table(*RES_CQ, 2)
    table(RES_MR_GET, RES_MR, 1, u32(MRN, 11) + u32(RKEY, 0x1100) + u32(LKEY, 0x1101) + u64(IOVA, 0x7F0000001000) +
          u64(MRLEN, 4096) + u32(PDN, 5) + of[4321], u32(MRN, 12) + u64(MRLEN, 8192) + u32(PDN, 5) + of[4322])
    table(RES_MR_GET, RES_MR, 2, u32(MRN, 13) + u64(MRLEN, 65536) + of[5000])
    table(*RES_PD, 1, u32(PDN, 5) + u64(USERS, 6) + u32(CTXN, 2) + of[4321],
          u32(PDN, 6) + u64(USERS, 7) + u32(LOCAL_LKEY, 0x200) + u32(GLOBAL_RKEY, 0x201) + kernel)
    table(*RES_PD, 2)
    table(*RES_CTX, 1, u32(CTXN, 2) + of[4321])
    table(*RES_CTX, 2, u32(CTXN, 3) + of[5000])
    table(*RES_SRQ, 1, u32(SRQN, 14) + u8(TYPE, 0) + u32(PDN, 5) +
          attribute(RES_QP, attribute(QP_ENTRY, u32(LQPN, 17)) + attribute(QP_ENTRY, u32(FIRST, 20) + u32(LAST, 25))) +
          of[4321])
    table(*RES_SRQ, 2)
    records()
    counts = (("pd", 2), ("cq", 3), ("qp", 4), ("cm_id", 5), ("mr", 6), ("ctx", 7), ("srq", 8), ("counter", 9))
    dump(RES_GET, b"", *(u32(INDEX, index) + text(NAME, "mlx5_%d" % (index - 1)) + attribute(
        SUMMARY, b"".join(attribute(SUMMARY_ENTRY, text(SUMMARY_NAME, name) + u64(SUMMARY_COUNT, 100 * index + count))
                          for name, count in counts)) for index in (1, 2)))


def records():
    """The adapter's records of the queue pairs; each error occurs once."""
    for index, qpn, number in ((1, 1, EPERM), (1, 17, 0), (1, 18, EAGAIN), (1, 19, ENOENT), (2, 44, EINVAL)):
        question = u32(INDEX, index) + u32(PORT, 1) + u32(LQPN, qpn)
        answer = [(CLIENT | RAW_GET, 0, question + attribute(RAW, b"\xde\xad\xbe\xef\x01"))]
        put(RAW_GET, 1, question, error(RAW_GET, 1, question, number) if number else answer)


def many(count):
    entries = [u32(LQPN, 100 + i) + u32(PORT, 1) + u8(TYPE, 2) + u8(STATE, 3) + u32(PID, 4321) for i in range(count)]
    parts = [entries[i : i + 50] for i in range(0, count, 50)]
    dump(RES_QP_GET, u32(INDEX, 1), *(u32(INDEX, 1) + attribute(
        RES_QP, b"".join(attribute(QP_ENTRY, entry) for entry in part)) for part in parts))
    table(RES_QP_GET, RES_QP, 2, u32(LQPN, 9) + u8(TYPE, 2) + u8(STATE, 3) + u32(PID, 4321))


def settings(kind):
    for index, name, moderation in ((1, "mlx5_0", u8(DIM, 1)), (2, "mlx5_1", u8(DIM, 0))):
        put(GET, 1, u32(INDEX, index), [(CLIENT | GET, 0, u32(INDEX, index) + text(NAME, name) + moderation)])
    of_all = u8(NETNS_MODE, kind == "shared") + u8(COPY_ON_FORK, 1) + u8(MONITOR, 0)
    put(SYS_GET, 1, b"", [(CLIENT | SYS_GET, 0, of_all + (u8(QKEY, 1) if kind == "shared" else b""))])


def main():
    print("rdmactl-recording/1 little 64")
    devices()
    if sys.argv[1] == "objects":
        objects()
    elif sys.argv[1] in ("ports", "damaged"):
        ports(sys.argv[1])
    elif sys.argv[1] == "resources":
        resources()
    elif sys.argv[1] == "many":
        many(int(sys.argv[2]))
    elif sys.argv[1] in ("exclusive", "shared"):
        settings(sys.argv[1])
    else:
        optional(sys.argv[1])


main()
