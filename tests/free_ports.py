# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""TCP ports for the servers that tests start."""

import contextlib
import random
import socket


def free_ports(count, addresses=('127.0.0.1',)):
    """Returns ports that are free at all addresses. They are outside the range of ephemeral ports, so that
    the kernel does not give one to a client before the server listens."""
    with open('/proc/sys/net/ipv4/ip_local_port_range') as file:
        first, last = map(int, file.read().split())
    ports = []
    with contextlib.ExitStack() as stack:
        for port in random.sample(range(20000, 65536), 65536 - 20000):
            if len(ports) == count:
                return ports
            if first <= port <= last:
                continue
            with contextlib.suppress(OSError):
                for address in addresses:
                    stack.enter_context(socket.create_server((address, port)))
                ports.append(port)
    raise RuntimeError('no free ports')


def free_port(addresses=('127.0.0.1',)):
    return free_ports(1, addresses)[0]
