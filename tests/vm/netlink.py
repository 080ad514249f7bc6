# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Changes links, addresses and RDMA devices without starting a program: sends the requests of
`ip` and `rdma` to the kernel in a few microseconds, so that the time of a cause is known."""

import os
import socket
import struct

ROUTE, RDMA = 0, 20
REQUEST, ACK, CREATE = 0x1, 0x4, 0x600  # with NLM_F_EXCL
NEWLINK, DELLINK, NEWADDR, DELADDR = 16, 17, 20, 21
IFF_UP = 1
IFLA_MTU, IFLA_IFNAME, IFLA_NET_NS_FD = 4, 3, 28
NLDEV = 5 << 10
NLDEV_GET, NLDEV_SET, NLDEV_NEWLINK, NLDEV_DELLINK = 1, 2, 3, 4
NLDEV_RES_QP_GET, NLDEV_RES_CM_ID_GET = 10, 11
DEV_INDEX, DEV_NAME, LINK_TYPE, NDEV_NAME = 1, 2, 65, 51
RES_QP, RES_TYPE, RES_STATE, RES_PID, RES_CM_ID = 19, 26, 27, 28, 30
# enum ib_qp_type, enum ib_qp_state: include/rdma/ib_verbs.h; enum rdma_cm_state: include/rdma/rdma_cm.h
RC, UD, RTS, LISTEN = 2, 4, 3, 8


def attribute(kind, data):
    return struct.pack('=HH', 4 + len(data), kind) + data + bytes(-len(data) % 4)


def text(kind, word):
    return attribute(kind, os.fsencode(word) + b'\0')


def attributes(data):
    """The attributes in a message or in a nest: (kind, data)."""
    while len(data) >= 4:
        length, kind = struct.unpack_from('=HH', data)
        yield kind & 0x3fff, data[4:length]
        data = data[(length + 3) & ~3:]


class Netlink:
    def __init__(self, protocol):
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol)

    def ask(self, kind, payload, flags=0):
        """Sends a request and waits until the kernel has processed it."""
        self.socket.send(struct.pack('=IHHII', 16 + len(payload), kind, REQUEST | ACK | flags,
                                     1, 0) + payload)
        answer = self.socket.recv(65536)
        error, = struct.unpack_from('=i', answer, 16)
        if struct.unpack_from('=H', answer, 4) == (2,) and error:
            raise OSError(-error, os.strerror(-error))
        return answer


class Links(Netlink):
    def __init__(self):
        super().__init__(ROUTE)

    def change(self, index, flags=0, mask=0, attributes=b''):
        self.ask(NEWLINK, struct.pack('=BxHiII', 0, 0, index, flags, mask) + attributes)

    def up(self, index):
        self.change(index, IFF_UP, IFF_UP)

    def down(self, index):
        self.change(index, 0, IFF_UP)

    def mtu(self, index, value):
        self.change(index, attributes=attribute(IFLA_MTU, struct.pack('=I', value)))

    def rename(self, index, name):
        self.change(index, attributes=text(IFLA_IFNAME, name))

    def address(self, index, address, add=True):
        """`address` as in 10.9.0.5/24."""
        host, _, length = address.partition('/')
        family = socket.AF_INET6 if ':' in host else socket.AF_INET
        packed = socket.inet_pton(family, host)
        self.ask(NEWADDR if add else DELADDR,
                 struct.pack('=BBBBI', family, int(length), 0, 0, index) +
                 attribute(2, packed) + attribute(1, packed), CREATE if add else 0)


def is_of(found, pid):
    """Whether an object is of this process; of any for None."""
    return pid is None or found.get(RES_PID) == struct.pack('=I', pid)


class Devices(Netlink):
    def __init__(self):
        super().__init__(RDMA)

    def _dump(self, command, payload=b''):
        """The attributes of each message of a list, as {kind: data}; a device may have gone."""
        self.socket.send(struct.pack('=IHHII', 16 + len(payload), NLDEV | command, REQUEST | 0x300, 2,
                                     0) + payload)
        while True:
            answer = self.socket.recv(1 << 20)
            while answer:
                length, kind = struct.unpack_from('=IH', answer)
                if kind in (2, 3):
                    return
                yield dict(attributes(answer[16:length]))
                answer = answer[(length + 3) & ~3:]

    def indexes(self):
        """{name: index} of the RDMA devices."""
        return {os.fsdecode(found[DEV_NAME].rstrip(b'\0')): struct.unpack('=I', found[DEV_INDEX])[0]
                for found in list(self._dump(NLDEV_GET))}

    def index(self, name):
        """The index of an RDMA device."""
        return self.indexes().get(name)

    def _objects(self, name, command, table):
        """The attributes of each object of a device, as {kind: data}."""
        index = self.index(name)
        if index is None:
            return []
        wanted = attribute(DEV_INDEX, struct.pack('=I', index))
        return [dict(attributes(data)) for found in list(self._dump(command, wanted))
                for _, data in attributes(found.get(table, b''))]

    def queue_pairs(self, name):
        return self._objects(name, NLDEV_RES_QP_GET, RES_QP)

    def ready_to_send(self, name, kind=RC, pid=None):
        """How many queue pairs of this type the device has in state RTS; of a process, or of all."""
        return sum(pair[RES_TYPE][0] == kind and pair[RES_STATE][0] == RTS and is_of(pair, pid)
                   for pair in self.queue_pairs(name))

    def listens(self, pid=None):
        """Whether a process, or any, listens by the connection manager."""
        return any(found[RES_STATE][0] == LISTEN and is_of(found, pid) for name in self.indexes()
                   for found in self._objects(name, NLDEV_RES_CM_ID_GET, RES_CM_ID))

    def add(self, name, netdev, kind='rxe'):
        self.ask(NLDEV | NLDEV_NEWLINK,
                 text(DEV_NAME, name) + text(LINK_TYPE, kind) + text(NDEV_NAME, netdev))

    def delete(self, index):
        self.ask(NLDEV | NLDEV_DELLINK, attribute(DEV_INDEX, struct.pack('=I', index)))

    def rename(self, index, name):
        self.ask(NLDEV | NLDEV_SET, attribute(DEV_INDEX, struct.pack('=I', index)) +
                 text(DEV_NAME, name))


def clear():
    """Deletes all RDMA devices; does not load the module of RDMA netlink if there are none."""
    if os.path.exists('/sys/class/infiniband') and os.listdir('/sys/class/infiniband'):
        devices = Devices()
        for index in devices.indexes().values():
            devices.delete(index)
