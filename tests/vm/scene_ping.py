# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl ping over RoCE: IPv4, IPv6 and link-local GIDs, many at once, losses, servers."""

import signal

import peers
import program
from selftest import Running
from tap import unequal

ADDRESSES = {'10.9.0.2': '0000:0000:0000:0000:0000:ffff:0a09:0002',
             '::ffff:10.9.0.2': '0000:0000:0000:0000:0000:ffff:0a09:0002',
             'fd09::2': 'fd09:0000:0000:0000:0000:0000:0000:0002',
             'fd09:0000:0000:0000:0000:0000:0000:0002': 'fd09:0000:0000:0000:0000:0000:0000:0002'}
# The GID of an unused address.
UNKNOWN = '10.9.0.77'
QUICK = ('-i', '20ms')
# No request is lost even if the machine stands still for seconds.
PATIENT = ('--timeout', '20s')


def ping(*words):
    return program.parse('pings', ('ping',), program.rdmactl('-j', 'ping', *words))


def answered(document, count, *names):
    """Errors unless exactly the named destinations answered every request."""
    wrong = unequal('status', document.status, 0)
    wrong += unequal('rows', [(row['object'], row['sent'], row['received'], row['host'],
                               row['device'], row['method']) for row in document.rows],
                     [(name, count, count, 'guest', 'rxa', 'roce') for name in names])
    for row in document.rows:
        if not row['min_usec'] or not row['min_usec'] <= row['p50_usec'] <= row['max_usec']:
            wrong.append('round trips %r' % row)
    return wrong + (document.describe() if wrong else [])


def lost(document, count, *names):
    wrong = unequal('status', document.status, 4)
    rows = document.by('object')
    for name in names:
        if name not in rows:
            return wrong + ['no row of ' + name] + document.describe()
        wrong += unequal(name, [rows[name][key] for key in ('sent', 'received', 'loss_percent',
                                                           'p50_usec')], [count, 0, 100, None])
    return wrong + unequal('problems of', sorted(problem['object'] for problem in document.problems),
                           sorted(names))


def received(device):
    return int(peers.read('/sys/class/infiniband/%s/ports/1/hw_counters/rcvd_pkts' % device))


def refused(status, text, *words):
    result = program.rdmactl('ping', *words)
    return unequal('status', result.status, status) + (
        [] if text in result.complaint() else ['not in the message: %s' % text] + result.describe())


def without_server(tap):
    for name in ('10.9.0.2', 'fd09::2'):
        tap.test('ping: %s without a server: exit 4' % name,
                 lost(ping('-c', '2', *QUICK, '--timeout', '100ms', name), 2, name))
    tap.test('ping: options of InfiniBand on Ethernet',
             refused(1, 'a destination is an IP address, a GID or a host name', '5') +
             refused(5, 'ports here are Ethernet', '--smp', '10.9.0.2') +
             refused(5, 'port rxa/1 is Ethernet', '--lid', '5', '--via', 'rxa') +
             refused(1, 'name its netdev', 'fe80::1') +
             refused(1, 'GID index 0 of rxa/1 is not for IPv4', '--gid-index', '0', '10.9.0.2') +
             refused(5, 'no such RDMA device', '--via', 'nothere', '10.9.0.2'))


def without_node(tap):
    wrong = []
    for prefix, status, word in ((peers.HIDDEN, 5, 'cannot find '), (peers.NOBODY, 1, 'cannot open ')):
        for words in (('10.9.0.2',), ('--serve', 'rxb')):
            result = program.rdmactl('ping', *words, prefix=prefix)
            wrong += unequal('status', result.status, status)
            if word not in result.complaint():
                wrong += ['not in the message: ' + word] + result.describe()
    tap.test('ping: without the umad node, or without permission to open it', wrong)


def with_server(tap):
    for name, gid in ADDRESSES.items():
        document = ping(*QUICK, *PATIENT, name)
        tap.test('ping: ' + name, answered(document, 5, name) +
                 unequal('GIDs', [row['gid'] for row in document.rows], [gid]))
    # GID 0 is derived from the netdev's hardware address.
    name = next(gid for (device, _, index), (gid, _, _) in peers.sysfs_gids(4).items()
                if device == 'rxb' and index == 0)
    for words in ((name + '%va',), (name, '--via', 'rxa/1')):
        tap.test('ping: ' + ' '.join(words), answered(ping(*QUICK, *PATIENT, *words), 5, words[0]))
    before = received('rxb')
    document = ping('--flood', *PATIENT, '-c', '300', '10.9.0.2', 'fd09::2')
    tap.test('ping: --flood to two peers, and the packets are on the wire',
             answered(document, 300, '10.9.0.2', 'fd09::2') +
             ([] if received('rxb') - before >= 600 else
              ['%d packets' % (received('rxb') - before)]))
    document = ping('-c', '3', *QUICK, '10.9.0.2', UNKNOWN)
    rows = document.by('object')
    tap.test('ping: an unused address next to one that answers', lost(document, 3, UNKNOWN) +
             unequal('answered', rows['10.9.0.2']['received'], 3))
    document = ping('-c', '2', *QUICK, *PATIENT, '10.9.0.2', '5')
    tap.test('ping: a destination that cannot be used next to one that answers: exit 3',
             unequal('status', document.status, 3) +
             unequal('rows', [(row['object'], row['received']) for row in document.rows],
                     [('10.9.0.2', 2)]) +
             unequal('problems', [problem['object'] for problem in document.problems], ['5']))
    several = [Running(program.RDMACTL, '-j', 'ping', '-c', '20', *QUICK, *PATIENT, '10.9.0.2')
               for _ in range(3)]
    wrong = []
    for client in several:
        result = client.end()
        program.check(result)
        wrong += answered(program.parse('pings', ('ping',), result), 20, '10.9.0.2')
    tap.test('ping: three clients on one port at once', wrong)


def interrupted(tap):
    client = Running(program.RDMACTL, '-j', '-v', 'ping', '-c', '0', *QUICK, *PATIENT, '10.9.0.2')
    client.says('10.9.0.2 (guest): 3: ')
    result = client.end(signal.SIGINT)
    program.check(result)
    document = program.parse('pings', ('ping',), result)
    wrong = unequal('status', document.status, 0)
    row = document.rows[0] if document.rows else {'sent': 0, 'received': None}
    if row['sent'] < 3 or row['sent'] != row['received']:
        wrong.append('%r' % row)
    tap.test('ping: a signal ends it, and it prints its statistics', wrong)


def play(tap):
    peers.shell('bed_wire')
    without_server(tap)
    without_node(tap)
    server = Running(program.RDMACTL, '-j', '-v', 'ping', '--serve', 'rxb')
    server.says('answering on rxb/1 as guest')
    with_server(tap)
    interrupted(tap)
    tap.test('ping: only one server on a port',
             refused(1, 'a port can have only one ping server', '--serve', 'rxb'))
    result = server.end(signal.SIGINT)
    program.check(result)
    document = program.parse('pings', ('ping',), result)
    clients = {row['gid'] for row in document.rows}
    wrong = unequal('status', document.status, 0) + unequal('clients', len(clients), 3)
    for row in document.rows:
        wrong += unequal(row['object'] + ': all answered', row['received'], row['sent'])
    for gid in clients:
        if 'answering %s\n' % gid not in result.complaint():
            wrong.append('no line for %s' % gid)
    tap.test('ping: --serve lists its clients and ends with 0', wrong)
