#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Networks for ibsim: makes fat trees and other shapes, reads and writes net files, finds direct
routes.

    tests/sim/fabric.py NODES [--levels 2|3] [--radix N] [--mixed] [--hostile] >FILE

The same arguments give the same bytes. In ibsim 0.10, a description ends at the next quotation
mark and is truncated to 63 bytes (so the 64th is always a NUL; latsim.c can fill it), an empty one
is replaced by the node's ID, and everything else is kept as it is. Width and speed of a link must
be given at both of its ends. The GUIDs of a node's ports follow the node's GUID.
"""

import argparse
import itertools
import re
import sys

WIDTHS = (1, 2, 4, 8, 12)
# Signalling rate of a lane in Gb/s. ibsim has FDR10 only with a width of 4.
SPEEDS = {'SDR': 2.5, 'DDR': 5.0, 'QDR': 10.0, 'FDR': 14.0625, 'EDR': 25.78125, 'HDR': 53.125}
DESCRIPTION_MOST = 63  # bytes

# Descriptions that may confuse a terminal, a JSON parser or a line-based tool.
HOSTILE = (
    b'\x1b[31mred\x1b[0m',                  # CSI: colour
    b'\x1b]0;owned\x07title',               # OSC: window title
    b'\xc3(\xff\xfe invalid',               # invalid UTF-8
    b'\xed\xa0\x80 surrogate',              # a UTF-16 surrogate in UTF-8
    b'\xc2\x9b31m C1',                      # CSI as one character, in UTF-8
    b'a\tb\x08\x08c\x7f',                   # tab, backspace, delete
    b"\\u0041 \\n {'a':1}, [",              # looks like JSON and like escapes
    b'%s%n%x $(id) `id` ;|&<>',             # formats, shell
    '\u202egnp.\u202c \u200b\ufeff'.encode(),   # reverses the direction, has no width
    'zażółć 網路 🖧'.encode(),               # harmless, several bytes per character
    b' leading and trailing ',
    b'1234567890' * 6 + b'123',             # the most bytes that ibsim accepts
    (b'x' * 62) + '\u20ac'.encode()[:1],    # cut in the middle of a character
)


class Node:
    """Switch, Hca or Rt (a router), with its links: {port: (peer, peer's port, width, speed)}."""

    def __init__(self, kind, name, ports, description=None, guid=None):
        self.kind = kind
        self.name = name
        self.ports = ports
        self.description = description  # bytes; None: ibsim uses the name
        self.guid = guid
        self.links = {}
        self.vendor = self.device = None
        self.system = None  # GUID; None: that of the node
        self.enhanced = False

    @property
    def is_switch(self):
        return self.kind == 'Switch'

    def free_port(self):
        """The lowest port without a link; None if there is none."""
        return next((port for port in range(1, self.ports + 1) if port not in self.links), None)


class Net:
    def __init__(self):
        self.nodes = {}  # by name, in the order of the file

    def add(self, node):
        self.nodes[node.name] = node
        return node

    def link(self, one, port, other, other_port, width=None, speed=None):
        one.links[port] = (other, other_port, width, speed)
        other.links[other_port] = (one, port, width, speed)

    def switches(self):
        return [node for node in self.nodes.values() if node.is_switch]

    def hcas(self):
        return [node for node in self.nodes.values() if not node.is_switch]

    def routes(self, start, port=1):
        """{name: direct route from a port, as smpquery -D and rdmactl -D take it}; '0' is itself.

        Shortest first. A channel adapter does not forward, so routes end there.
        """
        start = self.nodes[start]
        routes, queue = {start.name: '0'}, [start]
        while queue:
            node = queue.pop(0)
            ports = sorted(node.links) if node.is_switch else [port] if node is start else []
            for egress in ports:
                far = node.links[egress][0] if egress in node.links else None
                if far and far.name not in routes:
                    routes[far.name] = '%s,%d' % (routes[node.name], egress)
                    queue.append(far)
        return routes

    def ingress(self, start, route):
        """The port through which a direct route enters its last node."""
        node, port = self.nodes[start], 1
        for egress in [int(word) for word in route.split(',')[1:]]:
            node, port = node.links[egress][:2]
        return port

    def write(self):
        """The net file, as bytes."""
        blocks = [_block(node) for node in self.nodes.values()]
        return b'# made by tests/sim/fabric.py\n\n' + b'\n'.join(blocks)


def _block(node):
    lines = []
    if node.vendor is not None:
        lines += [b'vendid=0x%x' % node.vendor, b'devid=0x%x' % node.device]
    if node.guid is not None:
        word = {'Switch': 'switchguid', 'Hca': 'caguid', 'Rt': 'rtguid'}[node.kind]
        lines += [b'sysimgguid=0x%016x' % (node.system or node.guid),
                  b'%s=0x%016x' % (word.encode(), node.guid)]
    head = b'%s\t%d "%s"' % (node.kind.encode(), node.ports, node.name.encode())
    if node.description is not None:
        if not node.description or set(node.description) & set(b'"\r\n'):
            raise ValueError('ibsim cannot have the description %r' % node.description)
        head += b'\t# "' + node.description + b'"'
        if node.is_switch:
            head += b' %s port 0 lid 0 lmc 0' % (b'enhanced' if node.enhanced else b'base')
    lines.append(head)
    for port in sorted(node.links):
        far, far_port, width, speed = node.links[port]
        line = b'[%d]\t"%s"[%d]' % (port, far.name.encode(), far_port)
        if width:
            line += b'\t# %s"x" lid 0 %dx%s' % (b'' if node.is_switch else b'lid 0 lmc 0 ', width,
                                               speed.encode())
        lines.append(line)
    return b'\n'.join(lines) + b'\n'


def read(path):
    """Reads a net file in the plain form of those shipped with ibsim (no GUIDs, no widths)."""
    net, links, node = Net(), [], None
    with open(path, encoding='latin-1') as file:
        for line in file:
            head = re.match(r'(Switch|Hca|Rt)\s+(\d+)\s+"([^"]*)"', line)
            end = re.match(r'\[(\d+)\]\s+"([^"]*)"\s*\[(\d+)\]', line)
            if head:
                node = net.add(Node(head[1], head[3], int(head[2])))
            elif end:
                links.append((node, int(end[1]), end[2], int(end[3])))
    for node, port, far, far_port in links:
        if port not in node.links:
            net.link(node, port, net.nodes[far], far_port)
    return net


# Fat trees

def _two_levels(count, half):
    """Numbers of leaves, spines and hosts that add up to `count` nodes."""
    for leaves in range(1, 2 * half + 1):
        spines = -(-leaves * half // (2 * half)) if leaves > 1 else 0
        hosts = count - leaves - spines
        if 1 <= hosts <= leaves * half:
            return leaves, spines, hosts
    return None


def _three_levels(count, half):
    """Numbers of leaf, aggregation and core switches and hosts that add up to `count` nodes."""
    for leaves in range(2, 2 * half * half + 1):
        pods = -(-leaves // half)
        middles = pods * half
        cores = -(-middles * half // (2 * half))
        hosts = count - leaves - middles - cores
        if leaves <= hosts <= leaves * half:
            return leaves, middles, cores, hosts
    return None


class _Maker:
    def __init__(self, radix, mixed):
        self.net = Net()
        self.radix = radix
        self.mixed = mixed
        self.made = 0

    def switch(self, level, number):
        name = 'S-%016x' % (0x0002c90300000000 + (level << 16) + number)
        node = Node('Switch', name, self.radix, b'switch L%d/%d' % (level, number),
                    int(name[2:], 16) << 4 & (1 << 64) - 1)
        node.vendor, node.device = 0x2c9, 0xcb20 + level
        node.enhanced = self.mixed and number % 3 == 1
        return node

    def hca(self, number):
        name = 'H-%016x' % (0xb8599f0300000000 + number * 0x10)
        ports = 2 if number % 5 == 2 else 1
        node = Node('Hca', name, ports, b'host%d HCA-1' % number, int(name[2:], 16))
        node.vendor, node.device = 0x2c9, 0x1017 + number % 2
        return self.net.add(node)

    def connect(self, one, other, port=None):
        """Adds a cable; in a mixed net each has a different width and speed."""
        self.made += 1
        width = speed = None
        if self.mixed:
            kinds = [(width, speed) for speed in SPEEDS for width in WIDTHS]
            width, speed = kinds[self.made * 7 % len(kinds)]
        self.net.link(one, port or one.free_port(), other, other.free_port(), width, speed)


def fat_tree(count, levels=2, radix=36, mixed=False, hostile=False):
    """A net of exactly `count` nodes: one-port (some two-port) hosts first, then the switches.

    Every fifth host has a second port without a cable, and some switch ports have no cable either.
    """
    half = radix // 2
    shape = (_two_levels if levels == 2 else _three_levels)(count, half)
    if shape is None:
        raise ValueError('no %d-level tree of %d nodes with %d ports' % (levels, count, radix))
    make = _Maker(radix, mixed)
    hosts = [make.hca(number) for number in range(shape[-1])]
    tiers = [[make.switch(level, number) for number in range(shape[level])]
             for level in range(len(shape) - 1)]
    for tier in tiers:
        for switch in tier:
            make.net.add(switch)
    leaves = tiers[0]
    for number, host in enumerate(hosts):
        make.connect(host, leaves[number % len(leaves)], 1)
    if levels == 2:
        for number in range(len(leaves) * half if tiers[1] else 0):
            make.connect(leaves[number // half], tiers[1][number % len(tiers[1])])
    else:
        for number in range(len(leaves) * half):
            pod = number // half // half
            make.connect(leaves[number // half], tiers[1][pod * half + number % half])
        for number in range(len(tiers[1]) * half):
            make.connect(tiers[1][number // half], tiers[2][number % len(tiers[2])])
    if hostile:
        for node, description in zip([*hosts[1:], *leaves], HOSTILE * 2):
            node.description = description
    return make.net


# Other shapes

def _star_of(make, switch, hosts, first):
    """Adds hosts, numbered from `first` on, to a switch."""
    for number in range(first, first + hosts):
        make.connect(make.hca(number), switch, 1)


def torus(sizes, hosts=1, radix=12):
    """A grid of switches that wraps around in every direction: parallel cables for a size of 2."""
    make = _Maker(radix, mixed=False)
    places = list(itertools.product(*(range(size) for size in sizes)))
    switches = {place: make.switch(0, number) for number, place in enumerate(places)}
    for number, switch in enumerate(switches.values()):
        _star_of(make, switch, hosts, number * hosts)
    for switch in switches.values():
        make.net.add(switch)
    for place, switch in switches.items():
        for axis, size in enumerate(sizes):
            far = list(place)
            far[axis] = (far[axis] + 1) % size
            make.connect(switch, switches[tuple(far)])
    return make.net


def dragonfly(groups, size, hosts=2, radix=16):
    """Groups of `size` fully connected switches; a cable between any two groups."""
    make = _Maker(radix, mixed=True)
    switches = [[make.switch(group, number) for number in range(size)] for group in range(groups)]
    for number, switch in enumerate(itertools.chain(*switches)):
        _star_of(make, switch, hosts, number * hosts)
    for switch in itertools.chain(*switches):
        make.net.add(switch)
    for group in switches:
        for one, other in itertools.combinations(group, 2):
            make.connect(one, other)
    for one, other in itertools.combinations(range(groups), 2):
        make.connect(switches[one][other % size], switches[other][one % size])
    return make.net


def rails(hosts, switches=2, radix=24):
    """Hosts with a port on each of several switches; these are cabled in a ring."""
    make = _Maker(radix, mixed=True)
    adapters = [make.hca(number) for number in range(hosts)]
    rows = [make.net.add(make.switch(0, number)) for number in range(switches)]
    for host in adapters:
        host.ports = switches
        for port, switch in enumerate(rows, 1):
            make.connect(host, switch, port)
    for number, switch in enumerate(rows):
        make.connect(switch, rows[(number + 1) % switches])
    return make.net


def oddities():
    """Loops, parallel cables, a router, multiport adapters, ports without a cable."""
    make = _Maker(12, mixed=True)
    hosts = [make.hca(number) for number in range(4)]
    one, other = make.net.add(make.switch(0, 0)), make.net.add(make.switch(0, 1))
    router = make.net.add(Node('Rt', 'R-00a0b0c000000000', 4, b'router', 0xa0b0c000000000))
    router.vendor, router.device = 0x2c9, 0xcf08
    hosts[1].ports, hosts[3].ports = 4, 2
    for port in (1, 3, 4):  # two of them at the same switch
        make.connect(hosts[1], (one, other)[port == 4], port)
    make.connect(hosts[0], one, 1)
    make.connect(hosts[2], other, 1)
    make.connect(hosts[3], other, 2)  # not at its first port
    for _ in range(3):
        make.connect(one, other)
    for port, switch in ((2, one), (3, other)):  # ibsim has only one width and speed for routers
        make.net.link(router, port, switch, switch.free_port())
    for port in (8, 10):  # each is cabled to the next port
        switch = one if port == 8 else other
        make.net.link(switch, port, switch, port + 1, 4, 'EDR')
    return make.net


def back_to_back():
    """Two adapters and no switch."""
    make = _Maker(4, mixed=False)
    one, other = make.hca(0), make.hca(2)
    make.net.link(one, 1, other, 2, 4, 'HDR')
    return make.net


def chain(switches, radix=4):
    """Switches in a row, with a host at each end and one in the middle."""
    make = _Maker(radix, mixed=False)
    hosts = [make.hca(number) for number in range(3)]
    row = [make.net.add(make.switch(0, number)) for number in range(switches)]
    for host, switch in zip(hosts, (row[0], row[-1], row[switches // 2])):
        make.connect(host, switch, 1)
    for one, other in zip(row, row[1:]):
        make.connect(one, other)
    return make.net


def main():
    parser = argparse.ArgumentParser(description='writes a net file for ibsim')
    parser.add_argument('nodes', type=int)
    parser.add_argument('--levels', type=int, choices=(2, 3), default=2)
    parser.add_argument('--radix', type=int, default=36)
    parser.add_argument('--mixed', action='store_true', help='widths and speeds of all kinds')
    parser.add_argument('--hostile', action='store_true', help='hostile node descriptions')
    words = parser.parse_args()
    try:
        net = fat_tree(words.nodes, words.levels, words.radix, words.mixed, words.hostile)
    except ValueError as error:
        sys.exit('fabric.py: %s' % error)
    sys.stdout.buffer.write(net.write())


if __name__ == '__main__':
    main()
