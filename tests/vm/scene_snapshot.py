# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A snapshot answers as the host did, after the devices are gone: netlink, verbs, processes.

tests/vm/elsewhere compares the snapshot's answers on the machine that the guest runs on, if
RDMACTL_VM_ELSEWHERE names a directory for it to look into: a process starts there in a tenth of
the time. Otherwise they are compared here.
"""

import json
import os
import shutil
import socket
import tempfile

import peers
import program
import snapshot_elsewhere
from scene_resources import listens
from scene_snapshot_tree import own_addresses
from selftest import Running, until
from snapshot_elsewhere import ask, metrics, tool
from tap import unequal

# Commands whose output must be the same for the live host and for its snapshot.
COMMANDS = (
    ('devices',), ('ports',), ('gids',), ('gids', '--all'), ('netdevs',), ('caps',),
    ('counters', '--all'), ('counters', 'qp', '--all'), ('counters', 'mr', '--all'),
    ('counters', 'mode'), ('counters', '--optional'), ('resources',),
    ('resources', '--by', 'process'), ('resources', 'qp'), ('resources', 'cm_id'),
    ('resources', 'cq'), ('resources', 'mr'), ('resources', 'pd'), ('resources', 'ctx'),
    ('resources', 'srq'), ('topo', '--all'), ('link',), ('dev',), ('system',), ('roce',),
    ('sriov',), ('ipoib',), ('cables',), ('pkeys', '--all'), ('gids', '--to', '10.9.0.2'),
)
# The same for older tools, byte for byte except for counters.
TOOLS = (
    ('ibstat',), ('ibv_devices',), ('ibv_devinfo', '-v'), ('ibv_devinfo', '-d', 'none'), ('show_gids',),
    ('ibdev2netdev', '-v'), ('cma_roce_mode', '-d', 'rxa', '-p', '1'), ('show_drop', 'rxa', '1'),
)
# Routes to peers that nothing has talked to when the snapshot is taken. The tables of the bed's
# rules come first, so these routes have their own table before them.
ROUTES = ('10.77.1.0/24 dev va src 10.9.0.1', '10.77.2.0/24 via 10.9.0.77 dev vb onlink',
          'blackhole 10.77.3.0/24', 'unreachable 10.77.4.0/24', 'prohibit 10.77.5.0/24',
          'throw 10.77.6.0/24',
          '10.77.7.0/24 nexthop via 10.9.0.2 dev va nexthop via 10.9.0.77 dev vb onlink',
          '10.77.8.0/24 dev vb metric 5', '10.77.8.0/24 dev va metric 4',
          'fd77:1::/64 dev va', 'fd77:2::/64 via fd09::77 dev vb src fd09::2',
          'blackhole fd77:3::/64', 'prohibit fd77:4::/64', '10.77.9.0/24 via inet6 fd09::77 dev va')
# Only a few of each kind: scene_routes.py asks many questions, about the tables alone.
SINGLE = ('10.77.2.9', '10.77.3.9', '10.77.8.9', '10.77.9.9', '10.88.0.1', 'fd77:2::9', 'fe80::9%vb', '::1')
PRIORITY = '7'
TABLE = '77'


def lay_routes(verb):
    for family, more in (('-4', ['rule %s priority 6 to 10.88.0.0/16 prohibit' % verb]), ('-6', [])):
        lines = ['route %s table %s %s' % (verb, TABLE, route) for route in ROUTES
                 if ('fd77' in route) == (family == '-6')]
        lines += ['rule %s priority %s table %s' % (verb, PRIORITY, TABLE), *more, '']
        peers.must('ip', family, '-batch', '-', stdin='\n'.join(lines).encode())


def diff(archive):
    """Compares with the host without the devices: each is gone, and is listed only once."""
    document = program.listing('diff', archive)
    gone = [(row['kind'], row['object']) for row in document.rows if row['change'] == 'gone']
    wrong = unequal('exit status', document.status, 4)
    for device in ('rxa', 'rxb'):
        wrong += unequal(device, [kind for kind, name in gone if name == device or
                                  name.startswith(device + '/')], ['devices'])
    return wrong if not wrong else wrong + document.describe()


def diff_same(archive):
    """The host does not differ from the snapshot that was just taken of it."""
    document = program.listing('diff', archive)
    return [] if not document.rows else document.describe() + [json.dumps(row) for row in
                                                               document.rows[:8]]


def taken(tap, archive):
    """Takes the snapshot and asks the host the same; returns its answers, for another machine."""
    server = Running('ibv_rc_pingpong', '-d', 'rxa', '-g', '1', '-p', '18600')
    until(lambda: listens(server.process.pid, 'ibv_rc_pingpong'))
    result = program.rdmactl('snapshot', archive, timeout=600)
    tap.test('snapshot: of two devices and a program that holds a queue pair',
             unequal('exit status', result.status in (0, 3), True) or
             unequal('an archive', os.path.exists(archive), True) or
             ([] if result.status == 0 else
              [line for line in result.complaint().splitlines() if 'netlink' in line or
               'verbs' in line]))
    said = {
        'host': os.uname().nodename,
        'pid': server.process.pid,
        'commands': [(words, *ask(words)) for words in
                     COMMANDS + tuple(('gids', '--to', address) for address in SINGLE)],
        'tools': [(words, *tool(words)) for words in TOOLS],
        'metrics': metrics(),
        'pds': json.loads(program.rdmactl('-j', 'resources', 'pd').text())['pds'],
    }
    lay_routes('del')
    said['doctor'] = ask(('doctor', '--all'))[1]
    said['addresses'] = sorted(own_addresses())
    tap.test('snapshot: the same host does not differ from its snapshot', diff_same(archive))
    server.end(9)
    return said


def play(tap):
    peers.shell('bed_wire')
    lay_routes('add')
    # Sending a packet creates a neighbour, whose route is in the snapshot.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b'here', ('10.9.0.2', 9))
    until(lambda: '10.9.0.2 ' in (peers.read('/proc/net/arp') or ''))
    elsewhere = os.environ.get('RDMACTL_VM_ELSEWHERE')
    folder = elsewhere or tempfile.mkdtemp()
    archive = os.path.join(folder, snapshot_elsewhere.ARCHIVE)
    said = taken(tap, archive)
    peers.must('rdma', 'link', 'delete', 'rxa')
    peers.must('rdma', 'link', 'delete', 'rxb')
    tap.test('snapshot: diff against the host without devices', diff(archive))
    with open(os.path.join(folder, snapshot_elsewhere.SAID), 'w', encoding='ascii') as file:
        file.write(json.dumps(said))  # json.dump() does not use the encoder in C
    if not elsewhere:
        snapshot_elsewhere.compare(tap, folder)
        shutil.rmtree(folder)
    peers.shell('bed_wire')
