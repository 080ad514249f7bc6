# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""In shared mode every network namespace sees the devices, but only one sees their netdevs."""

import compare
import peers
import program
from scene_states import without_uverbs
from tap import unequal

INSIDE = peers.netns('inside')


def exclusive(tap):
    """In exclusive mode another namespace has no devices at all."""
    if peers.run('rdma', 'system', 'set', 'netns', 'exclusive').status != 0:
        tap.skip('namespaces: exclusive mode', 'rdma system set netns exclusive fails')
        return
    peers.must('ip', 'netns', 'add', 'other')
    document = program.listing('devices', prefix=peers.netns('other'))
    theirs = peers.rdma('dev', prefix=peers.netns('other'))
    tap.test('namespaces: exclusive mode: no devices in another namespace, exit 5, next step',
             unequal('devices of rdma', theirs, []) + unequal('devices', document.rows, []) +
             unequal('exit status', document.status, 5) +
             ([] if document.problems and document.problems[0]['hint'] else ['no next step']))
    entered = program.listing('devices', prefix=('nsenter', '--net=/run/netns/other'))
    tap.test('namespaces: exclusive mode: no devices there with the sysfs of this namespace either',
             unequal('devices', entered.rows, []) + unequal('exit status', entered.status, 5))
    tap.test('namespaces: exclusive mode: all devices in this namespace',
             unequal('devices', [row['device'] for row in program.listing('devices').rows],
                     sorted(row['ifname'] for row in peers.rdma('dev'))))
    peers.delete_netns('other')
    peers.must('rdma', 'system', 'set', 'netns', 'shared')


def strangers():
    """Dummies in the namespace that have both the name and the index of netdevs outside."""
    links = peers.ip_links()
    lines = ['link add name %s index %d type dummy\nlink set %s up' %
             (link['ifname'], link['ifindex'], link['ifname'])
             for link in links if link['ifname'] != 'lo']
    lines.append('addr add 10.9.0.1/24 dev va')
    lines.append('addr add fd09::1/64 dev va nodad')
    peers.must('ip', '-batch', '-', prefix=INSIDE, stdin='\n'.join(lines).encode())


def check_inside(tap, title, prefix):
    outside = program.listing('gids')
    netdevs = program.listing('netdevs', prefix=prefix)
    wrong = unequal('exit status', netdevs.status, 0)
    for row in netdevs.rows:
        wrong += unequal(row['device'], (row['netdev'], row['namespace'], row['operstate']),
                         (None, 'unknown', None))
    tap.test('namespaces: %s: netdevs are unknown' % title, wrong)
    gids = program.listing('gids', prefix=prefix)
    wrong = unequal('exit status', gids.status, 0)
    wrong += unequal('GIDs', [row['gid'] for row in gids.rows], [row['gid'] for row in outside.rows])
    for row in gids.rows:
        wrong += unequal('%s GID %d' % (row['device'], row['index']),
                         (row['netdev'], row['vlan'], row['master']), (None, None, None))
    tap.test('namespaces: %s: gids name no netdev' % title, wrong)
    wrong = []
    for row in program.listing('ports', prefix=prefix).rows:
        wrong += unequal(row['device'], (row['netdev'], row['netdev_mtu_bytes']), (None, None))
    for row in program.listing('devices', prefix=prefix).rows:
        # Null rather than an empty list: there are netdevs, but this namespace cannot see them.
        wrong += unequal(row['device'] + ' netdevs', row['netdevs'], None)
    tap.test('namespaces: %s: ports and devices name no netdev' % title, wrong)


def rdma_agrees(tap):
    """rdma link does not show the netdev there either."""
    rows = peers.rdma('link', prefix=INSIDE)
    tap.test('namespaces: rdma link names no netdev either',
             ['%s' % row for row in rows if 'netdev' in row])


def deletion_inside(tap):
    planned = program.rdmactl('link', 'del', 'rxa', '--dry-run', prefix=INSIDE)
    tap.test('namespaces: link del says that it cannot be undone from here',
             [] if b'cannot be undone: its netdev is not in this network namespace'
             in planned.out + planned.err else planned.describe())


def choice_inside(tap):
    document = program.listing('gids', '--to', '10.9.0.2', prefix=INSIDE)
    tap.test('namespaces: gids --to inside chooses none, because the netdev is outside',
             unequal('exit status', document.status, 1) +
             unequal('chosen', [row for row in document.rows if row['selected']], []) +
             [row['why'] for row in document.rows
              if row['ip'] == '10.9.0.1' and 'not in this network namespace' not in row['why']])


def container(tap):
    """A VLAN of va is moved into the namespace, as container networks do it."""
    peers.must('ip', '-batch', '-', stdin=b'link add link va name va.7 type vlan id 7\n'
               b'link set va.7 netns inside\n')
    peers.must('ip', '-batch', '-', prefix=INSIDE,
               stdin=b'link set va.7 up\naddr add 10.9.77.1/24 dev va.7\n')
    key = 'ip'
    for title, prefix in (('by verbs', ()), ('by sysfs', peers.HIDDEN)):
        row = program.listing('gids', 'rxa', prefix=(*INSIDE, *prefix)).by(key).get('10.9.77.1')
        tap.test('namespaces: a VLAN in the namespace is named there, ' + title,
                 unequal('netdev and VLAN', row and (row['netdev'], row['vlan']), ('va.7', 7))
                 if row else 'the GID of 10.9.77.1 is missing')
        row = program.listing('gids', 'rxa', prefix=prefix).by(key).get('10.9.77.1')
        tap.test('namespaces: and not outside, ' + title,
                 unequal('netdev', row and row['netdev'], None) if row else 'no such GID')
    links = {link['ifname']: link for link in peers.ip_links(prefix=INSIDE)}
    index = links['va.7']['ifindex']
    made = peers.run('ip', 'link', 'add', 'name', 'va.7', 'index', str(index), 'type', 'dummy')
    for title, prefix in (('by verbs', ()), ('by sysfs', peers.HIDDEN)):
        row = program.listing('gids', 'rxa', prefix=prefix).by(key).get('10.9.77.1')
        tap.test('namespaces: nor another netdev outside with its name and index, ' + title,
                 made.describe() if made.status else
                 unequal('netdev', row and row['netdev'], None))
    peers.run('ip', 'link', 'del', 'va.7')
    tap.test('namespaces: (sysfs does name va.7 outside, and so would show_gids)',
             [] if any(netdev == 'va.7' for _, _, netdev in peers.sysfs_gids().values())
             else 'it does not')
    compare.known('show-gids-stranger')


def play(tap):
    exclusive(tap)
    peers.must('ip', 'netns', 'add', 'inside')
    check_inside(tap, 'empty one', INSIDE)
    rdma_agrees(tap)
    deletion_inside(tap)
    strangers()
    check_inside(tap, 'one with the same names and indexes', INSIDE)
    check_inside(tap, 'the same by sysfs', (*INSIDE, *peers.HIDDEN))
    choice_inside(tap)
    container(tap)
    peers.must('ip', 'netns', 'del', 'inside')
    without_uverbs(tap)
