# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Made-up subnets of modular switches. The cabling inside a switch, and its vendor and device IDs,
are those of the real boards as libibnetdisc of rdma-core knows them."""

from fabric import Net, Node

VOLTAIRE, MELLANOX, TOPSPIN, SILVERSTORM, XSIGO = 0x8f1, 0x2c9, 0x5ad, 0x66a, 0x1397
IS4 = 0xbd36  # InfiniScale IV
GATEWAY = 0x8f10000007000


class _Builder:
    def __init__(self):
        self.net, self.next = Net(), 0x8f10000001000

    def node(self, kind, ports, description, vendor, device, system=None, guid=None):
        """A node whose GUID leaves room for those of its ports."""
        if guid is None:
            guid, self.next = self.next, self.next + 0x40
        letter = {'Switch': 'S', 'Hca': 'H', 'Rt': 'R'}[kind]
        node = Node(kind, '%s-%016x' % (letter, guid), ports, description.encode(), guid)
        node.vendor, node.device, node.system = vendor, device, system
        return self.net.add(node)

    def host(self, switch, port, name, **words):
        host = self.node('Hca', 1, name, **{'vendor': MELLANOX, 'device': 0x6278, **words})
        self.net.link(host, 1, switch, port, 4, 'SDR')
        return host

    def cable(self, one, port, other, other_port):
        self.net.link(one, port, other, other_port, 4, 'SDR')


def _isr(make, spine_device, line_device, spines, lines, to_line, outside, ports=24):
    """An ISR switch. to_line(spine, port) is the number of the line chip and its port. Each
    port in `outside` of each line chip has a host."""
    backs = [make.node('Switch', ports, 'ISR spine %d' % i, VOLTAIRE, spine_device)
             for i in range(spines)]
    fronts = [make.node('Switch', ports, 'ISR line %d' % i, VOLTAIRE, line_device)
              for i in range(lines)]
    for number, spine in enumerate(backs):
        for port in range(1, ports + 1):
            line = to_line(number, port)
            if line and line[0] < lines:
                make.cable(spine, port, fronts[line[0]], line[1])
    for number, line in enumerate(fronts):
        for port in outside:
            make.host(line, port, 'n%d-%d HCA-1' % (number, port))
    return backs, fronts


def isr9288(make, spine=0x5a08, line=0x5a09, slots=2):
    """Spine boards of three chips, line boards of two: each spine chip has a cable to each."""
    return _isr(make, spine, line, 12, 2 * slots,
                lambda number, port: (port - 1, number + 1), (13, 16, 19, 24))


def isr9096(make, spine=0x5a0b, line=0x5a0d, slots=1):
    """Spine boards of one chip: three cables to each line chip."""
    return _isr(make, spine, line, 4, 2 * slots,
                lambda number, port: ((port - 1) // 3, 3 * number + (port - 1) % 3 + 1),
                (13, 17, 22))


def isr4700(make, double=False):
    """Line boards of one chip; spine boards of one chip, or of two with ports on the outside."""
    def to_line(spine, port):
        if double:  # the second chip has the first port of each pair
            return (port - 1, 2 * (spine // 2) + (1 if spine % 2 else 2)) if port <= 18 else None
        return (port - 1) // 2, 2 * spine + (port - 1) % 2 + 1
    backs, fronts = _isr(make, 0x5a5d if double else 0x5a5c, 0x5a5b, 4, 3, to_line, (19, 36), 36)
    if double:
        make.host(backs[0], 19, 'at-spine HCA-1')
        make.host(backs[1], 36, 'at-other-spine HCA-1')
    return backs, fronts


def isr4200(make):
    def to_line(spine, port):
        ports = ((1, 2, 3, 4), (7, 8, 9, 10), (11, 12, 13, 14), (15, 16, 17, 18))[spine]
        return (port - 1) // 4, ports[(port - 1) % 4]
    return _isr(make, 0x5a60, 0x5a5b, 4, 2, to_line, (20,), 36)


def voltaire():
    """Several ISR switches, cabled to each other, and a switch that is not in a chassis."""
    make = _Builder()
    boards = [isr9288(make), isr9096(make), isr4700(make), isr4700(make, double=True),
              isr4200(make), isr9288(make, 0x5a37, 0x5a38, 1), isr9096(make, 0x5a40, 0x5a42)]
    middle = make.node('Switch', 24, 'ISR9024', VOLTAIRE, 0x5a06, 0x8f1000000ffff)
    for number, (_, fronts) in enumerate(boards):
        line = fronts[0]
        make.cable(middle, number + 1, line, 14 if line.ports == 24 else 21)
    # A gateway instead of a line board, in slot 12 of the first switch.
    gateway = make.node('Hca', 2, 'gateway', VOLTAIRE, 0x5a04, guid=GATEWAY)
    make.cable(gateway, 1, boards[0][0][0], 24)
    make.host(middle, 10, 'monitor HCA-1')
    return make.net


def mellanox():
    """A switch that is modular by its descriptions, an edge switch, servers with two adapters."""
    make = _Builder()
    system = 0x2c90300aabb00
    backs = [make.node('Switch', 36, 'MF0;core:SX6536/S%02d/U1' % i, MELLANOX, IS4, system)
             for i in (1, 2)]
    fronts = [make.node('Switch', 36, 'MF0;core:SX6536/L%02d/U1' % i, MELLANOX, IS4, system)
              for i in (1, 2, 36)]
    for number, line in enumerate(fronts):
        for spine, back in enumerate(backs):
            make.cable(line, 19 + spine, back, number + 1)
    make.cable(make.node('Switch', 36, 'MF0;core:SX6536/L03:MTS3600/U1', MELLANOX, IS4, system),
               19, backs[0], 9)
    # A second chip in a slot; ibnetdiscover does not assign it to a chassis.
    second = make.node('Switch', 36, 'MF0;core:SX6536/L36/U2', MELLANOX, IS4, system)
    make.cable(second, 21, backs[0], 11)
    make.host(second, 4, 'at-second HCA-1')
    # Newer devices, each of which ibnetdiscover takes for an ordinary switch of the chassis.
    make.cable(make.node('Switch', 36, 'MF0;core:CS7500/L17/U2', MELLANOX, 0xcb20, system), 1,
               backs[0], 10)
    for number, odd in enumerate(('MF0;core', 'MF0;core:SX6536', 'MF0;core:SX6536/L01',
                                  'MF0;core:SX6536/L04/X1', 'MF0;core:SX6536/X01/U1', 'plain')):
        make.cable(make.node('Switch', 36, odd, MELLANOX, IS4, system), 1, backs[1], 20 + number)
    edge = make.node('Switch', 36, 'MF0;edge:SX6036/U1', MELLANOX, 0xc738, 0x2c90300eeee00)
    make.cable(edge, 1, fronts[0], 18)
    for number in range(3):
        for card in (1, 2):
            make.host(edge, 2 * number + card + 1, 'server%d mlx5_%d' % (number, card - 1),
                      device=0x1017, system=0x2c90300550000 + number)
    make.host(fronts[1], 5, 'alone HCA-1')
    return make.net


def others():
    """Cisco Topspin and SilverStorm, whose system GUIDs contain the slot, and Xsigo."""
    make = _Builder()
    middle = make.node('Switch', 24, 'middle', MELLANOX, 0x5a06)
    port = iter(range(1, 25))
    for vendor, base in ((TOPSPIN, 0x5ad0001000000), (SILVERSTORM, 0x66a0002000000)):
        for slot in (1, 2, 3):
            board = make.node('Switch', 24, 'board %x/%d' % (vendor, slot), vendor, 0x5a05,
                              base | slot << 24)
            make.cable(board, 1, middle, next(port))
    leaf = make.node('Switch', 24, 'xsigo leaf 1', XSIGO, 0x5a05, 0x0013970102000111,
                     0x0013970102001000)
    make.cable(leaf, 1, middle, next(port))
    for number, kind in ((2, 3), (3, 3), (4, 2)):
        guid = 0x0013970000000000 | kind << 32 | number << 8
        make.host(leaf, number, 'xsigo %d' % number, vendor=XSIGO, device=1, system=guid,
                  guid=guid)
    make.host(middle, 20, 'client HCA-1')
    return make.net
