# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A subnet administrator for SubnAdmGetTraceTable(), which opensm does not answer, and
SubnAdmGetMulti(), which it answers in only one segment on the simulator.

Clients reach it through rmpp.c. Layouts are those of opensm's ib_types.h (ib_path_rec_t,
ib_multipath_rec_t, IB_PR_COMPMASK_*, IB_MPR_COMPMASK_*) and of the specification, 13.6.2.1 (RMPP),
15.2.1.1 (the SA's header), 15.2.5.16, 15.2.5.19 and 15.2.5.20 (the records). Nothing here is taken
from the program that it tests.
"""

import os
import socket
import struct
import threading
from collections import namedtuple

GET_TRACE_TABLE, GET_MULTI, GET_TABLE_RESP = 0x13, 0x14, 0x92
TRACE_RECORD, MULTI_PATH_RECORD, PATH_RECORD = 0x39, 0x3a, 0x35
NO_RECORDS, INVALID_GID, INSUFFICIENT = 0x0300, 0x0500, 0x0600
UNSUPPORTED = 0x000c  # this method and attribute together: 13.4.7
DATA, ACK, ABORT = 1, 2, 4
ACTIVE, FIRST, LAST = 1, 2, 4
MAD, DATA_AT, SEGMENT, SA_HEADER = 256, 56, 200, 20
PATIENCE = 0.1  # seconds until an unacknowledged segment is sent again

HEADER = struct.Struct('>BBBBHHQHHI')  # base, class, version, method, status, -, TID, attribute
RMPP = struct.Struct('>BBBBII')        # version, type, time and flags, status, segment, length
SA = struct.Struct('>QHHQ')            # SM_Key, offset of records in 8 bytes, -, component mask
PATH = struct.Struct('>Q16s16sHHIBBHHBBBB6x')
MULTI_PATH = struct.Struct('>IBBHHBBBBBBB7s')
TRACE = struct.Struct('>QHBBQQQQBB')

Request = namedtuple('Request', 'method attribute sm_key mask data')


def path_query(request):
    """(SGID, DGID, SLID, DLID) of a PathRecord; None if the component mask excludes it."""
    _, dgid, sgid, dlid, slid, *_ = PATH.unpack(request.data[:PATH.size])
    return tuple(value if request.mask >> bit & 1 else None
                 for bit, value in ((3, sgid), (2, dgid), (5, slid), (4, dlid)))


def multi_path_query(request):
    """(GIDs of the sources, of the destinations) of a MultiPathRecord."""
    fields = MULTI_PATH.unpack(request.data[:MULTI_PATH.size])
    sources, destinations = fields[10:12]
    gids = [request.data[at:at + 16] for at in range(MULTI_PATH.size, len(request.data), 16)]
    return gids[:sources], gids[sources:sources + destinations]


def path_record(sgid, dgid, slid, dlid, pkey=0xffff, sl=0, mtu=4, rate=3, lifetime=18):
    """Selectors are `exactly` (2); NumbPath has the bit of a reversible path."""
    return PATH.pack(0, dgid, sgid, dlid, slid, 0, 0, 0x80, pkey, sl, 2 << 6 | mtu, 2 << 6 | rate,
                     2 << 6 | lifetime, 0)


class Answer:
    """The agent's answer to a request, and the segments that get lost."""

    def __init__(self, attribute, records=(), status=0, lost=(), silent=False,
                 abort=False, method=None):
        self.attribute, self.records, self.status = attribute, records, status
        self.lost = set(lost)  # segments that do not arrive the first time
        self.silent, self.abort = silent, abort
        self.method = method  # None: the one in the specification


class Agent:
    """Listens on a socket; `decide` returns the Answer to a Request. `requests` keeps them all."""

    def __init__(self, path, decide):
        self.decide = decide
        self.requests, self.resent, self.errors = [], 0, []
        self.server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        if os.path.exists(path):
            os.unlink(path)
        self.server.bind(path)
        self.server.listen()
        self.environment = {'RMPP_SA': path}
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()

    def accept(self):
        while True:
            try:
                client, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=Client(self, client).serve, daemon=True).start()


class Client:
    """The transfers of one process: each request as it arrives, then its answer."""

    def __init__(self, agent, connection):
        self.agent, self.connection = agent, connection
        self.incoming = {}  # {TID: (datagram, data)}, until the direction changes
        self.outgoing = {}  # {TID: [segments, acknowledged, sent, answer]}

    def serve(self):
        with self.connection:
            self.connection.settimeout(PATIENCE)
            while True:
                try:
                    mad = self.connection.recv(MAD)
                except TimeoutError:
                    self.again()
                    continue
                except OSError:
                    return
                if len(mad) != MAD:
                    return
                try:
                    self.take(mad)
                except Exception as error:  # the scene reports it and fails
                    self.agent.errors.append(repr(error))

    def send(self, mad):
        try:
            self.connection.send(mad.ljust(MAD, b'\0'))
        except OSError:
            pass  # the client is gone

    def take(self, mad):
        method, tid = mad[3], mad[8:16]
        version, kind, flags, _, segment, length = RMPP.unpack_from(mad, 24)
        if not flags & ACTIVE:
            self.whole(mad, tid, mad[DATA_AT:])
        elif version != 1:
            raise ValueError('RMPP version %d' % version)
        elif kind == ACK:
            self.acknowledged(tid, segment, length)
        elif kind == DATA and method == GET_MULTI:
            self.segment(mad, tid, flags, segment, length)
        else:
            raise ValueError('RMPP type %d of method 0x%02x' % (kind, method))

    # A request

    def segment(self, mad, tid, flags, number, length):
        """Takes the only segment of a request, which has no more GIDs than ib_multipath_rec_t."""
        if (number, flags) != (1, ACTIVE | FIRST | LAST) or not (
                SA_HEADER < length <= SA_HEADER + SEGMENT):
            raise ValueError('segment %d of %d bytes, flags 0x%x' % (number, length, flags))
        self.incoming[tid] = mad, mad[DATA_AT:DATA_AT + length - SA_HEADER]
        self.acknowledge(mad, 1, 1)

    def acknowledge(self, mad, segment, window):
        ack = bytearray(mad[:DATA_AT])
        ack[3] ^= 0x80
        RMPP.pack_into(ack, 24, 1, ACK, ACTIVE, 0, segment, window)
        self.send(bytes(ack))

    def acknowledged(self, tid, segment, window):
        whole = self.incoming.pop(tid, None) if segment == 0 else None
        if whole:  # 13.6.3.2: the direction changes
            self.whole(whole[0], tid, whole[1])
        elif tid in self.outgoing:
            transfer = self.outgoing[tid]
            transfer[1] = max(transfer[1], segment)
            self.proceed(tid, window)

    # Its answer

    def whole(self, mad, tid, data):
        sm_key, _, _, mask = SA.unpack_from(mad, 36)
        attribute = HEADER.unpack_from(mad)[7]
        request = Request(mad[3], attribute, sm_key, mask, data)
        self.agent.requests.append(request)
        answer = self.agent.decide(request)
        if answer.silent:
            return
        method = answer.method or (
            GET_TABLE_RESP if mad[3] == GET_TRACE_TABLE else mad[3] | 0x80)
        size = -(-len(answer.records[0]) // 8) * 8 if answer.records else 0
        body = b''.join(record.ljust(size, b'\0') for record in answer.records)
        count = max(1, -(-len(body) // SEGMENT))
        parts = []
        for number in range(1, count + 1):
            part = body[(number - 1) * SEGMENT:number * SEGMENT]
            flags = ACTIVE | (FIRST if number == 1 else 0) | (LAST if number == count else 0)
            length = (len(part) + SA_HEADER if number == count else
                      len(body) + SA_HEADER * count if number == 1 else 0)
            parts.append(HEADER.pack(1, 3, 2, method, answer.status, 0, int.from_bytes(tid, 'big'),
                                     answer.attribute, 0, 0) +
                         RMPP.pack(1, DATA, flags, 0, number, length) +
                         SA.pack(0, size // 8, 0, mask) + part)
        self.outgoing[tid] = [parts, 0, 0, answer]
        self.proceed(tid, 1)

    def proceed(self, tid, window):
        parts, acknowledged, sent, answer = self.outgoing[tid]
        if acknowledged == len(parts):
            del self.outgoing[tid]
            return
        while sent < min(window, len(parts)):
            sent += 1
            if answer.abort and sent == 2:
                mad = bytearray(parts[0][:DATA_AT])
                RMPP.pack_into(mad, 24, 1, ABORT, ACTIVE, 118, 0, 0)  # 118: total time too long
                self.send(bytes(mad))
                del self.outgoing[tid]
                return
            if sent not in answer.lost:
                self.send(parts[sent - 1])
        self.outgoing[tid][2] = sent

    def again(self):
        """Sends unacknowledged segments again after nothing has arrived for a while."""
        for parts, acknowledged, sent, _ in list(self.outgoing.values()):
            for part in parts[acknowledged:sent]:
                self.agent.resent += 1
                self.send(part)
