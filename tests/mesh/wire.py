# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""An Ethernet switch for guests: each is at the other end of a UNIX stream socket, on which QEMU's
`-netdev stream` sends frames after their length, 32 bits big endian (net/stream.c of QEMU)."""

import os
import selectors
import socket
import struct
import threading

MOST_FRAME = 69000
MOST_QUEUED = 1 << 20  # bytes for a guest that does not read; more are lost, as on a real wire


class Port:
    def __init__(self, connection):
        connection.setblocking(False)
        self.connection = connection
        self.received = bytearray()
        self.queued = bytearray()

    def frames(self):
        """The complete frames that have arrived."""
        while len(self.received) >= 4:
            length = struct.unpack_from('>I', self.received)[0]
            if length > MOST_FRAME:
                raise ValueError('a frame of %d bytes' % length)
            if len(self.received) < 4 + length:
                return
            yield bytes(self.received[4:4 + length])
            del self.received[:4 + length]


class Switch:
    """Listens at path(0) ... path(count - 1) and forwards in a thread of its own."""

    def __init__(self, folder, count):
        self.folder = folder
        self.selector = selectors.DefaultSelector()
        self.ports, self.places = [], {}
        self.frames = self.lost = 0
        self.listeners = []
        for number in range(count):
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(self.path(number))
            listener.listen(4)
            listener.setblocking(False)
            self.listeners.append(listener)
            self.selector.register(listener, selectors.EVENT_READ)
        self.bell = os.pipe()
        self.selector.register(self.bell[0], selectors.EVENT_READ)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def path(self, number):
        return os.path.join(self.folder, 'wire-%d' % number)

    def close(self):
        os.write(self.bell[1], b'x')
        self.thread.join()
        for port in list(self.ports):
            self._drop(port)
        for listener in self.listeners:
            listener.close()

    def _run(self):
        while True:
            for key, events in self.selector.select():
                if key.fileobj == self.bell[0]:
                    return
                if key.data is None:
                    port = Port(key.fileobj.accept()[0])
                    self.ports.append(port)
                    self.selector.register(port.connection, selectors.EVENT_READ, port)
                    continue
                try:
                    self._serve(key.data, events)
                except (OSError, ValueError):
                    self._drop(key.data)

    def _serve(self, port, events):
        if events & selectors.EVENT_WRITE:
            self._flush(port)
        if not events & selectors.EVENT_READ:
            return
        data = port.connection.recv(1 << 18)
        if not data:
            raise OSError('closed')
        port.received += data
        for frame in port.frames():
            self._forward(port, frame)

    def _forward(self, port, frame):
        """Forwards to the port where the destination was seen, otherwise to all other ports."""
        self.frames += 1
        self.places[frame[6:12]] = port
        place = self.places.get(frame[:6])
        for other in [place] if place and not frame[0] & 1 else list(self.ports):
            if other is port or other not in self.ports:
                continue
            if len(other.queued) > MOST_QUEUED:
                self.lost += 1
                continue
            other.queued += struct.pack('>I', len(frame)) + frame
            try:
                self._flush(other)
            except OSError:
                self._drop(other)

    def _flush(self, port):
        try:
            while port.queued:
                del port.queued[:port.connection.send(port.queued)]
        except BlockingIOError:
            pass
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if port.queued else 0)
        if self.selector.get_key(port.connection).events != wanted:
            self.selector.modify(port.connection, wanted, port)

    def _drop(self, port):
        if port not in self.ports:
            return
        self.ports.remove(port)
        self.selector.unregister(port.connection)
        port.connection.close()
