# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Random routes, rules, next hops and addresses, in a separate network namespace."""

import ipaddress
import random

NETDEVS = ('n0', 'n1', 'n2', 'n3')
# Everything happens in a few small networks, so that prefixes overlap.
BASES = {4: ipaddress.ip_address('10.64.0.0'), 6: ipaddress.ip_address('fd64::')}
SPREAD = {4: 16, 6: 24}
TYPES = ('unreachable', 'blackhole', 'prohibit', 'throw')


def address(rng, family):
    """An address that differs from others only in a few bits."""
    base = BASES[family]
    bits = 0
    for _ in range(rng.randrange(1, 4)):
        bits |= 1 << rng.randrange(SPREAD[family])
    if family == 6 and rng.random() < .3:
        bits |= rng.choice((1, 2, 3)) << 64
    return base + bits


def network(rng, family):
    width = 32 if family == 4 else 128
    length = width - rng.randrange(SPREAD[family] + 2)
    if family == 6 and rng.random() < .3:
        length = rng.choice((48, 64, 56))
    return ipaddress.ip_network('%s/%d' % (address(rng, family), length), strict=False)


def target(rng, family):
    if rng.random() < .12:
        return 'default'
    return str(network(rng, family))


def devices(rng):
    lines = ['link set lo up']
    for name in NETDEVS:
        lines += ['link add %s type dummy' % name, 'link set %s up' % name]
        for _ in range(rng.randrange(1, 4)):
            lines.append('address add %s/%d dev %s' %
                         (address(rng, 4), rng.choice((24, 28, 30, 32)), name))
        for _ in range(rng.randrange(0, 3)):
            lines.append('-6 address add %s/%d dev %s nodad%s' %
                         (address(rng, 6), rng.choice((64, 112, 128)), name,
                          rng.choice(('', ' preferred_lft 0'))))
    return lines


def next_hop(rng, family):
    words = 'dev %s' % rng.choice(NETDEVS)
    if rng.random() < .6:
        if family == 4 and rng.random() < .2:
            return 'via inet6 %s %s onlink' % (address(rng, 6), words)
        return 'via %s %s onlink' % (address(rng, family), words)
    return words


def route(rng, family, several):
    words = ['-%d' % family, 'route', 'append']
    kind = rng.random()
    if kind < .15:
        words += [rng.choice(TYPES), target(rng, family)]
    elif kind < .2 and family == 4:
        words += ['local', target(rng, family), 'dev', 'lo']
    elif kind < .3 and several:
        words.append(target(rng, family))
        words += ['nexthop ' + next_hop(rng, family) for _ in range(2)]
    elif kind < .4:
        words += [target(rng, family), 'nhid', str(rng.randrange(1, 9))]
    else:
        words += [target(rng, family), next_hop(rng, family)]
    if rng.random() < .5:
        words += ['metric', str(rng.randrange(1, 5))]
    if rng.random() < .5:
        words += ['table', str(rng.randrange(100, 103))]
    if kind >= .4 and family == 6 and rng.random() < .2:
        words += ['pref', rng.choice(('low', 'high'))]
    return ' '.join(words)


def rule(rng, family):
    words = ['-%d' % family, 'rule', 'add', 'priority', str(rng.randrange(10, 40))]
    if rng.random() < .15:
        words.append('not')
    chance = rng.random()
    if chance < .4:
        words += ['to', str(network(rng, family))]
    elif chance < .5:
        words += ['from', str(network(rng, family))]
    elif chance < .6:
        words += ['iif', rng.choice(('lo', 'n1'))]
    elif chance < .7:
        words += ['oif', rng.choice(NETDEVS)]
    elif chance < .8:
        words += ['fwmark', '5']
    chance = rng.random()
    if chance < .1:
        words += ['unreachable']
    elif chance < .2:
        words += ['prohibit']
    elif chance < .3:
        words += ['goto', str(rng.randrange(20, 45))]
    else:
        words += ['table', rng.choice(('100', '101', '102', 'main'))]
        if rng.random() < .3:
            words += ['suppress_prefixlength', str(rng.choice((0, 16, 24, 112)))]
    return ' '.join(words)


def host(seed, several=False, rules=True):
    """Lines for ip(8), which begin with the family. The kernel refuses some of them, as it
    should."""
    rng = random.Random(seed)
    lines = devices(rng)
    for number in range(1, 9):
        lines.append('-%d nexthop add id %d %s' % (4 if number < 5 else 6, number,
                                                   next_hop(rng, 4 if number < 5 else 6)))
    for family in (4, 6):
        lines += [route(rng, family, several) for _ in range(60)]
        lines += [rule(rng, family) for _ in range(8 if rules else 0)]
    return lines


def destinations(seed, count):
    """Lines for fib_agree."""
    rng = random.Random(seed)
    lines = []
    for _ in range(count):
        family = rng.choice((4, 6))
        words = str(address(rng, family))
        if rng.random() < .1:
            words = rng.choice(('192.0.2.1', '2001:db8::1', 'fe80::1 n1', 'ff02::1 n2',
                                '127.0.0.1', '::1', '224.0.0.5 n1', '255.255.255.255', '0.0.0.0',
                                'fe80::2 n0', '239.1.1.1'))
        elif rng.random() < .15:
            words += ' ' + rng.choice(NETDEVS)
        lines.append(words)
    return lines


def batches(lines):
    """By family, what ip -FAMILY -batch reads: it takes the family before the file."""
    return {family: ''.join(line.removeprefix('-%d ' % family) + '\n' for line in lines
                            if line.startswith('-%d' % family) or (family == 4 and line[0] != '-'))
            for family in (4, 6)}
