# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""selftest of a single port, Soft-RoCE and iWARP, and of two ports over a wire."""

import json
import signal

import peers
import program
import selftest
from selftest import Selftest, Server, run, wrong_with
from tap import unequal

DUMMY = b"""link add ds0 address 02:00:00:00:08:01 type dummy
link set ds0 up
addr add 10.9.8.1/24 dev ds0
"""
# Tests that iWARP cannot run, and the word that the reason must contain; then those of siw.
NOT_IWARP = {'rc-send-immediate': 'no immediate data', 'rc-write-immediate': 'no immediate data',
             'rc-fetch-add': 'atomic_cap', 'rc-compare-swap': 'atomic_cap',
             'rc-atomic-contended': 'atomic_cap', 'rc-solicited': 'solicited events',
             'rc-window-1': 'ends the connection', 'rc-window-2': 'ends the connection',
             'uc-send': '(UC)', 'uc-write': '(UC)', 'ud-send': '(UD)', 'ud-grh': '(UD)',
             'ud-qkey': '(UD)', 'ud-mtu': '(UD)', 'multicast': '(UD)',
             'latency-atomic': 'atomic_cap', 'bandwidth-atomic': 'atomic_cap',
             'counters': 'no counters', 'fault-rnr': 'no RNR NAK'}
# siw does not check the access rights of the memory that it sends: siw_check_sgl_tx().
SIW_FAILS = {'fault-no-permission': "completed with 'success'"}


def all_tests():
    # Connections are measured only on request.
    return [(row['group'], row['test']) for row in run('--list-tests').rows
            if row['test'] != 'connections']


def wrong_rows(document, tests, device, connection, skips=(), fails=()):
    """Each test needs one or more rows, in order, with figures; skip and fail need reasons."""
    wrong = unequal('exit status', document.status, 4 if fails else 0)
    reasons = dict(skips, **dict(fails))
    expected = [test for group, test in tests if group != 'fault']
    expected += ['counters'] + [test for group, test in tests if group == 'fault']
    found = []
    for row in document.rows:
        if row['test'] not in found:
            found.append(row['test'])
        part = reasons.get(row['test'])
        result = 'fail' if row['test'] in fails else 'skip' if part else 'pass'
        wrong += unequal('result of ' + row['test'], row['result'], result)
        if part and part not in (row['reason'] or ''):
            wrong.append('the reason of %s is %r' % (row['test'], row['reason']))
        wrong += unequal(row['test'] + ' was of', (row['device'], row['connection']),
                         (device, connection))
        if row['group'] == 'latency' and not part and not (
                0 < row['latency_min_usec'] <= row['latency_p50_usec'] <=
                row['latency_p99_usec'] <= row['latency_max_usec'] and row['histogram']):
            wrong.append('the figures of %s are %s' % (row['test'], row))
        if row['group'] == 'bandwidth' and not part and not (
                (row['bandwidth_gbps'] or 0) > 0 and (row['messages_per_second'] or 0) > 0):
            wrong.append('the figures of %s are %s' % (row['test'], row))
    wrong += unequal('rows', found, ['connect'] + expected)
    return wrong + (document.describe() if wrong else [])


def loopback(tap, tests):
    document = run('rxa')
    tap.test('selftest: loopback on Soft-RoCE: every test passes',
             wrong_rows(document, tests, 'rxa', 'exchange'))
    peers.must('ip', '-batch', '-', stdin=DUMMY)
    if peers.run('modinfo', 'siw').status:
        tap.skip('selftest: iWARP', 'tests/vm/module has not built siw.ko')
        return
    peers.must('modprobe', '-a', 'libcrc32c', 'siw')
    peers.must('rdma', 'link', 'add', 'sws', 'type', 'siw', 'netdev', 'ds0')
    document = run('sws')
    tap.test('selftest: loopback on iWARP: every test passes, or names what iWARP or siw lacks',
             wrong_rows(document, tests, 'sws', 'cm', NOT_IWARP, SIW_FAILS))
    document = run('sws', '--source-port', '50000', '--test', 'rc-write')
    tap.test('selftest: iWARP has no UDP source port', wrong_with(document, 4, (
        'connect', 'fail', 'only packets of RoCE v2 have a UDP source port')))
    server = Server(bind='10.9.8.1')
    document = run('--peer', '10.9.8.1', '--test', 'rc-send,rc-read')
    stopped, _ = server.stop()
    tap.test('selftest: iWARP with a server: connects by rdma_cm without --cm', stopped +
             wrong_with(document, 0, ('rc-send', 'pass', ''), ('rc-read', 'pass', '')) +
             unequal('connections', {row['connection'] for row in document.rows}, {'cm'}))
    peers.must('rdma', 'link', 'del', 'sws')


def wire(tap, tests):
    """One server serves many clients."""
    server = Server()
    before = selftest.resources()
    groups = ('setup', 'rc', 'uc', 'ud', 'multicast', 'fault')
    document = run('--peer', '10.9.0.2', '--test', ','.join(groups))
    wrong = wrong_rows(document, [test for test in tests if test[0] in groups], 'rxa',
                       'exchange')
    wrong += unequal('peers', {(row['peer'], row['peer_device']) for row in document.rows[1:]},
                     {('10.9.0.2', 'rxb')})
    counted = [counter for row in document.rows for counter in row['counters'] or []
               if counter['name'] == 'rcvd_pkts' and counter['after'] > counter['before']]
    wrong += unequal('sides that counted received packets',
                     sorted((counter['side'], counter['device']) for counter in counted),
                     [('local', 'rxa'), ('peer', 'rxb')])
    tap.test('selftest: over the wire: every test passes, both sides counted', wrong)
    # Reads of 1 MiB run in loopback only: over a busy wire rxe keeps retransmitting them.
    document = run('--peer', '10.9.0.2', *selftest.SHALLOW, '--iterations', '20', '--sizes',
                   '2,4096,65536', '--test', 'gather,latency,bandwidth')
    wrong = wrong_rows(document, [test for test in tests if test[0] in (
        'gather', 'latency', 'bandwidth')], 'rxa', 'exchange')
    tap.test('selftest: over the wire: measurements', wrong)
    document = run('--peer', '10.9.0.2', '--cm', '--test', 'setup,rc-send,rc-write,rc-read,ud-send')
    tap.test('selftest: over the wire, --cm', wrong_with(document, 0, ('rc-read', 'pass', ''),
                                                         ('ud-send', 'pass', '')) +
             unequal('not by rdma_cm', [row['test'] for row in document.rows
                                        if row['connection'] != 'cm'], ['ud-send']))
    gids(tap)
    stopped, document = server.stop()
    tap.test('selftest: the server ends with 0 when told to, with a row for each client', stopped +
             unequal('rows that did not pass', [row['reason'] for row in document.rows
                                               if row['result'] != 'pass'], []))
    tap.test('selftest: nothing is leaked', selftest.leaked(before))


def gids(tap):
    document = run('--peer', '10.9.0.2', '--gid-index', '2', '--test', 'rc-send,rc-write,ud-grh')
    wrong = wrong_with(document, 0, ('rc-send', 'pass', ''), ('ud-grh', 'pass', ''))
    wrong += unequal('GIDs', {(row['gid'], row['peer_gid']) for row in document.rows[1:]},
                     {(peers.full_gid('fd09::1'), peers.full_gid('fd09::2'))})
    tap.test('selftest: --gid-index of an IPv6 address: the peer uses a matching one', wrong)
    document = run('--peer', '10.9.0.2', '--gid-index', '200')
    tap.test('selftest: --gid-index that does not exist', wrong_with(
        document, 4, ('connect', 'fail', 'rxa/1 has no GID at index 200')))
    table = {index: gid for (device, _, index), (gid, _, _) in peers.sysfs_gids(16).items()
             if device == 'rxa'}
    document = run('--peer', '10.9.0.2', '--all-gids')
    tap.test('selftest: --all-gids: each entry works: IPv4, IPv6, link-local, VLAN',
             wrong_with(document, 0, ('gid', 'pass', '')) +
             unequal('entries', {row['gid_index']: row['gid'] for row in document.rows}, table))
    peers.must('ip', 'link', 'set', 'vb.5', 'down')
    # Seconds of waiting, in which another server has clients.
    client = Selftest('--peer', '10.9.0.2', '--all-gids')
    token(tap)
    document = client.end()
    peers.must('ip', 'link', 'set', 'vb.5', 'up')
    peers.shell('bed_rewire')
    wrong = unequal('exit status', document.status, 4)
    for row in document.rows:
        result = 'fail' if row['netdev'] == 'va.5' else 'pass'
        wrong += unequal('GID %d of %s' % (row['gid_index'], row['netdev']), row['result'], result)
        if result == 'fail' and not (row['reason'] and row['next_step']):
            wrong.append('no reason, or no next step: %s' % row)
    tap.test('selftest: --all-gids: those of a VLAN that is down on the peer fail, with reasons',
             wrong + (selftest.rows_of(document) if wrong else []))


def token(tap):
    """The token, --once, and an IPv6 address to listen on."""
    server = Server('--once', '--token', 'right', bind='fd09::2')
    refused = 'fd09::2 refused: the token is missing or wrong'
    document = run('--peer', 'fd09::2')
    tap.test('selftest: no --token for a server that requires one',
             wrong_with(document, 4, ('connect', 'fail', refused)))
    document = run('--peer', 'fd09::2', '--token', 'wrong')
    tap.test('selftest: a wrong --token', wrong_with(document, 4, ('connect', 'fail', refused)))
    document = run('--peer', 'fd09::2', '--test', 'rc-send,rc-write,rc-1m,ud-grh',
                   env={'RDMACTL_TOKEN': 'right'})
    wrong = wrong_with(document, 0, ('rc-send', 'pass', ''), ('rc-1m', 'pass', ''))
    wrong += unequal('GIDs', {(row['gid'], row['peer_gid']) for row in document.rows[1:]},
                     {(peers.full_gid('fd09::1'), peers.full_gid('fd09::2'))})
    tap.test('selftest: RDMACTL_TOKEN, over IPv6: data flow', wrong)
    document = server.end()
    tap.test('selftest: --once ends after the client that it served, not after those it refused',
             unequal('exit status', document.status, 0) +
             unequal('rows', [row['result'] for row in document.rows], ['pass']) +
             ['no word of a refusal: %r' % document.result.complaint()
              for text in ('this server requires a token', 'this server has another token')
              if document.result.complaint().count(': refused: ' + text) != 1])


def forms(tap):
    """The other output formats have the same rows."""
    lines = program.rdmactl('--jsonl', 'selftest', 'rxa', '--test', 'setup')
    rows = [json.loads(line) for line in lines.text().splitlines()]
    table = program.rdmactl('selftest', 'rxa', '--test', 'setup', '-o', 'test', '--no-headings')
    names = [row['test'] for row in run('rxa', '--test', 'setup').rows]
    tap.test('selftest: --jsonl and the table have the rows of --json',
             unequal('--jsonl', [row.get('test') for row in rows if 'test' in row], names) +
             unequal('the table', table.text().split(), names))
    server = Server('--max-clients', '1')
    ended = server.end(signal.SIGINT)
    tap.test('selftest: a server that had no client ends with 0 on SIGINT',
             unequal('exit status', ended.status, 0) + unequal('rows', ended.rows, []))


def play(tap):
    peers.shell('bed_wire && bed_vlan')
    tests = all_tests()
    tap.test('selftest: --list-tests', [] if len(tests) > 40 else 'only %d tests' % len(tests))
    loopback(tap, tests)
    wire(tap, tests)
    forms(tap)
    peers.must('ip', 'link', 'del', 'ds0')
