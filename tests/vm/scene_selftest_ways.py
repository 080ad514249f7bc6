# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl selftest --transport, --both-ways, --reversed, --events, --every and similar options,
between two hosts' ports and in loopback."""

import json
import os
import signal
import socket
import struct
import threading

import abuse
import peers
import program
import selftest
from tap import unequal

SERVER, PORT = '10.9.0.2', 18795
SAMPLES = '/run/samples'


def run(*words, peer=True):
    """Waits a second for an acknowledgement: on a busy machine rxe would retransmit before it."""
    where = ('--peer', SERVER, '--port', str(PORT)) if peer else ()
    return selftest.run('rxa', *where, '--ack-timeout', '18', *words)


def measured(document):
    return [row for row in document.rows if row['group'] in ('latency', 'bandwidth')]


def wrong_rows(document, tests, **values):
    """Each test must pass, with these values in columns: True means known, False unknown."""
    wrong = selftest.wrong_with(document, 0, *((test, 'pass', '') for test in tests))
    for row in measured(document):
        for key, value in values.items():
            found = row[key] is not None if isinstance(value, bool) else row[key]
            wrong += unequal('%s of %s' % (key, row['test']), found, value)
    return wrong


def transports(tap):
    document = run('--transport', 'ud', '--test', 'latency,bandwidth', '--sizes', '64',
                   '--duration', '100ms')
    wrong = selftest.wrong_with(
        document, 0, ('latency-send', 'pass', ''), ('bandwidth-send', 'pass', ''),
        ('latency-write', 'skip', 'datagrams (UD) are sends'),
        ('bandwidth-read', 'skip', 'datagrams (UD) are sends'))
    for row in measured(document):
        wrong += unequal('transport', row['transport'], 'ud')
        if row['result'] == 'pass':
            wrong += unequal('lost is known', row['lost_messages'] is not None, True)
    tap.test('selftest ways: datagrams', wrong)
    document = run('--transport', 'ud', '--test', 'bandwidth-send', '--duration', '100ms')
    tap.test('selftest ways: without a size, one packet long',
             wrong_rows(document, ('bandwidth-send',), size_bytes=1024))
    document = run('--transport', 'ud', '--test', 'bandwidth-send', '--sizes', '4k')
    tap.test('selftest ways: a datagram is a single packet', selftest.wrong_with(
        document, 0, ('bandwidth-send', 'skip', 'at most the path MTU, 1024 bytes')))
    document = run('--transport', 'uc', '--test', 'latency,bandwidth', '--sizes', '1k',
                   '--duration', '100ms')
    wrong = selftest.wrong_with(
        document, 0, ('latency-send', 'pass', ''), ('latency-write', 'pass', ''),
        ('bandwidth-send', 'pass', ''),
        ('bandwidth-write', 'pass', 'nothing counts the writes that arrive'),
        ('latency-read', 'skip', 'an unreliable connection (UC) has no RDMA reads'))
    tap.test('selftest ways: unreliable connections',
             wrong + unequal('transport', {row['transport'] for row in measured(document)}, {'uc'}))
    document = run('--transport', 'xrc', '--test', 'latency-send')
    tap.test('selftest ways: a device without extended reliable connections is reported',
             selftest.wrong_with(document, 0, (
                 'latency-send', 'skip', 'device has no extended reliable connected (XRC) queue '
                 'pairs: ibv_open_xrcd: Operation not supported')))
    document = run('--transport', 'srd', '--test', 'latency-send')
    tap.test('selftest ways: what is not measured says so',
             selftest.wrong_with(document, 0, ('latency-send', 'skip', 'SRD is not measured')))


ALL = tuple('bandwidth-' + word for word in ('send', 'write', 'read', 'atomic'))


def directions(tap):
    for peer in (True, False):
        where = 'a peer' if peer else 'loopback'
        document = run('--both-ways', '--test', 'bandwidth', '--sizes', '4k', '--iterations', '200',
                       peer=peer)
        wrong = wrong_rows(document, ALL, direction='both', sent_gbps=True, received_gbps=True,
                           iterations=400)
        for row in measured(document):
            both = row['sent_gbps'] + row['received_gbps']
            if abs(row['bandwidth_gbps'] - both) > 1e-6 * both:
                wrong.append('%s: the sum is wrong: %s' % (row['test'], row))
        tap.test('selftest ways: both ways, %s' % where, wrong)
        document = run('--reversed', '--test', 'bandwidth', '--sizes', '4k', '--iterations', '200',
                       peer=peer)
        tap.test('selftest ways: reversed, %s' % where, wrong_rows(
            document, ALL, direction='in', sent_gbps=False, received_gbps=True, iterations=200))
    document = run('--reversed', '--test', 'bandwidth', '--duration', '100ms', '--sizes', '4k')
    tap.test('selftest ways: reversed, by duration', wrong_rows(document, ALL))
    for kind in ('uc', 'ud'):
        for way in ('--both-ways', '--reversed'):
            document = run(way, '--transport', kind, '--test', 'bandwidth-send', '--sizes', '512',
                           '--duration', '100ms')
            tap.test('selftest ways: %s, %s' % (way, kind),
                     wrong_rows(document, ('bandwidth-send',), lost_messages=True))
        # Nothing throttles the sender, and each message finds a receive.
        # The kernel's queue of received packets has room for all (net.core.netdev_max_backlog).
        document = run('--transport', kind, '--test', 'bandwidth-send', '--sizes', '512',
                       '--iterations', '800')
        tap.test('selftest ways: no message of a limited number is lost, %s' % kind,
                 wrong_rows(document, ('bandwidth-send',), iterations=800, lost_messages=0))


def posting(tap):
    document = run('--test', 'bandwidth-send,bandwidth-write', '--sizes', '64', '--depth', '32',
                   '--batch', '8', '--signal-every', '16', '--inline', '64', '--iterations', '500')
    tap.test('selftest ways: lists, signals and inline data', wrong_rows(
        document, ('bandwidth-send', 'bandwidth-write'), batch=8, signal_every=16, inline_bytes=64,
        depth=32, iterations=500))
    document = run('--test', 'latency-send', '--inline', '4k', '--sizes', '64')
    tap.test('selftest ways: more inline data than the device can send', selftest.wrong_with(
        document, 0, ('latency-send', 'skip', 'a device cannot send 4096 bytes inline')))
    document = run('--test', 'latency-send', '--inline', '0', '--no-relaxed', '--sizes', '64',
                   '--iterations', '100')
    tap.test('selftest ways: no inline data, ordered memory', wrong_rows(
        document, ('latency-send',), inline_bytes=0))
    wrong = unequal('with --no-relaxed', measured(document)[0]['relaxed_ordering'], False)
    document = run('--test', 'latency-write,bandwidth-write', '--iterations', '100', '--sizes', '64')
    wrong += unequal('by default', [row['relaxed_ordering'] for row in measured(document)],
                     [False, True])
    tap.test('selftest ways: relaxed ordering is reported', wrong)
    document = run('--test', 'bandwidth-send', '--expect-mops', '1000', '--sizes', '64', '--iterations',
                   '100')
    tap.test('selftest ways: too few messages per second', selftest.wrong_with(
        document, 4, ('bandwidth-send', 'fail', 'expected at least 1000.000 million')))


def events(tap):
    document = run('--events', '--cpu', '--test', 'latency,bandwidth', '--sizes', '64',
                   '--duration', '100ms', '--operations', 'send,write,read')
    wrong = selftest.wrong_with(
        document, 0, ('latency-send', 'pass', ''), ('latency-read', 'pass', ''),
        ('latency-write', 'skip', 'RDMA writes arrive without an event'),
        ('bandwidth-send', 'pass', ''), ('bandwidth-write', 'pass', ''))
    for row in measured(document):
        if row['result'] == 'pass':
            wrong += unequal('events', row['events'], True)
            for key in ('cpu_percent', 'peer_cpu_percent'):
                # The other side of RDMA reads and writes has nothing to do.
                known = row[key] is not None
                if known and not 0 <= row[key] <= 101:
                    wrong.append('%s: %s' % (key, row))
                if not known and (key == 'cpu_percent' or row['test'].endswith('send')):
                    wrong.append('%s is not known: %s' % (key, row['test']))
    tap.test('selftest ways: events and processor time', wrong)
    document = run('--events', '--both-ways', '--test', 'bandwidth-send', '--sizes', '4k',
                   '--iterations', '200', peer=False)
    tap.test('selftest ways: events both ways, loopback',
             wrong_rows(document, ('bandwidth-send',)))


def intervals(tap):
    document = run('--every', '100ms', '--duration', '1s', '--test',
                   'latency-send,latency-write,bandwidth-send,bandwidth-atomic', '--sizes', '64')
    wrong = selftest.wrong_with(document, 0, ('latency-send', 'pass', ''),
                                ('bandwidth-send', 'pass', ''))
    for test in ('latency-send', 'latency-write', 'bandwidth-send', 'bandwidth-atomic'):
        rows = [row for row in document.rows if row['test'] == test]
        wrong += unequal('%s: passed' % test, {row['result'] for row in rows}, {'pass'})
        numbers = [row['interval'] for row in rows]
        wrong += unequal('%s: intervals' % test, numbers, [*range(1, len(rows)), None])
        # On a busy machine the first interval can take all of the time; forever() has a second one.
        wrong += [] if len(rows) >= 2 else ['%s has %d rows' % (test, len(rows))]
        wrong += unequal('%s: messages of all' % test, rows[-1]['iterations'],
                         sum(row['iterations'] for row in rows[:-1]))
    tap.test('selftest ways: a row for each interval, then one for all', wrong)
    document = run('--every', '100ms', '--duration', '200ms', '--cpu', '--sizes', '64',
                   '--test', 'bandwidth-write')
    wrong = wrong_rows(document, ('bandwidth-write',), cpu_percent=True)
    # The other side of writes has nothing to do: if no interval knows its time, the sum is not 0.
    known = [row['peer_cpu_percent'] is not None for row in measured(document)]
    wrong += unequal("the peer's, in the last row", known[-1:], [all(known[:-1])])
    tap.test('selftest ways: the processor time of all intervals', wrong)
    for words in (('bandwidth-send', '--both-ways'), ('bandwidth-write', '--reversed'),
                  ('latency-send', '--transport', 'ud'),
                  ('latency-write', '--transport', 'uc')):
        document = run('--every', '100ms', '--duration', '200ms', '--sizes', '64', '--test', *words)
        tap.test('selftest ways: intervals, %s' % ' '.join(words),
                 wrong_rows(document, (words[0],)))


def forever(tap):
    for test in ('latency-send', 'bandwidth-write', 'bandwidth-send', 'bandwidth-atomic'):
        forever_of(tap, test)


    in_other_formats(tap)


def endless(form, test):
    """Ends a measurement by a signal once its second interval is printed; returns its result."""
    second = {'--jsonl': '"interval": 2', '--json': '"interval": 2', '--tsv': '\n2\t'}[form]
    running = selftest.Running(program.RDMACTL, form, 'selftest', 'rxa', '--peer', SERVER,
                               '--port', str(PORT), '--every', '100ms', '--duration', 'forever',
                               '--test', test, '--sizes', '64',
                               *(['-o', 'interval,test,result'] if form == '--tsv' else []))
    streams = selftest.until(lambda: running.said(running.out).count(second) or
                             running.process.poll() is not None)
    return streams, running.end(signal.SIGINT)


def in_other_formats(tap):
    """As text, too, rows come one by one; in JSON, a single document grows."""
    streams, result = endless('--tsv', 'bandwidth-write')
    lines = [line.split('\t') for line in result.out.decode().splitlines()]
    wrong = unequal('text', (bool(streams), result.status, result.err, lines[0]),
                    (True, 0, b'', ['interval', 'test', 'result']))
    numbers = [line[0] for line in lines if line[1] == 'bandwidth-write']
    wrong += unequal('intervals', numbers, [*map(str, range(1, len(numbers))), ''])
    streams, result = endless('--json', 'bandwidth-write')
    numbers = [row['interval'] for row in json.loads(result.out)['selftest']
               if row['test'] == 'bandwidth-write']
    wrong += unequal('JSON', (bool(streams), result.status, result.err), (True, 0, b''))
    wrong += unequal('its intervals', numbers, [*range(1, len(numbers)), None])
    tap.test('selftest ways: rows of intervals during the test, in other formats', wrong)


def forever_of(tap, test):
    """A second interval is printed before a signal ends the test."""
    streams, result = endless('--jsonl', test)
    rows = [json.loads(line) for line in result.out.decode().splitlines()]
    rows = [row for row in rows if row.get('test') == test]
    wrong = unequal('streams', bool(streams), True)
    wrong += unequal('exit status', result.status, 0) + unequal('errors', result.err, b'')
    wrong += unequal('last row', rows[-1]['interval'] if rows else 'none', None)
    wrong += unequal('results', {row['result'] for row in rows}, {'pass'})
    tap.test('selftest ways: %s forever, until a signal' % test,
             wrong + (result.describe() if wrong else []))


def samples(tap):
    document = run('--test', 'latency-send,latency-read', '--sizes', '2,64', '--iterations', '200',
                   '--samples', SAMPLES)
    wrong = selftest.wrong_with(document, 0, ('latency-send', 'pass', ''))
    with open(SAMPLES, encoding='ascii') as file:
        lines = file.read().splitlines()
    wrong += unequal('heading', lines[:1], ['device\tport\ttest\tsize_bytes\tnsec'])
    for row in measured(document):
        own = [int(line.split('\t')[4]) for line in lines[1:]
               if line.split('\t')[2:4] == [row['test'], str(row['size_bytes'])]]
        wrong += unequal('number of samples', len(own), 200)
        if own:
            wrong += unequal('smallest', min(own), round(row['latency_min_usec'] * 1000))
            wrong += unequal('largest', max(own), round(row['latency_max_usec'] * 1000))
    tap.test('selftest ways: raw samples', wrong)
    os.unlink(SAMPLES)
    document = run('--test', 'latency-send', '--iterations', '10', '--samples', '/run/none/x')
    tap.test('selftest ways: samples that cannot be written',
             unequal('exit status', document.status, 1))


def many(tap):
    document = run('--qps', '100', '--test', 'bandwidth-write,bandwidth-send', '--sizes', '64',
                   '--iterations', '1000')
    tap.test('selftest ways: 100 queue pairs', wrong_rows(
        document, ('bandwidth-write', 'bandwidth-send'), queue_pairs=100, memory_bytes=True,
        peer_memory_bytes=True))
    # rxe's completion queues have at most 32,767 entries, and this needs 36,000.
    for words in ((), ('--both-ways', '--events')):
        document = run('--qps', '60', '--depth', '200', '--test', 'bandwidth-send', '--sizes', '64',
                       '--iterations', '1000', *words)
        tap.test('selftest ways: more completions than fit in one queue, %s' % ' '.join(words),
                 wrong_rows(document, ('bandwidth-send',), completion_queues=2, depth=200))


def small_server(listener):
    """Grants 64 queue pairs and opens a port, which is like the client's."""
    connection = listener.accept()[0]
    with connection:
        file = connection.makefile('rb')
        file.read(len(abuse.hello()))
        connection.sendall(abuse.message(abuse.CHALLENGE,
                                         struct.pack('>II', abuse.PROTOCOL, 0) + bytes(32)))
        file.read(80)
        connection.sendall(abuse.message(abuse.ADMITTED,
                                         bytes(32) + struct.pack('>IQQ', 64, 64 << 20, 60000)))
        header = file.read(16)
        endpoint = file.read(struct.unpack_from('>I', header, 12)[0])[:-76]
        connection.sendall(abuse.message(abuse.OPENED, endpoint +
                                         struct.pack('>8I', 4, 64, 1, 1, 1, 0, 0, 0)))
        while True:
            try:
                header = file.read(16)
            except ConnectionResetError:
                return
            if len(header) < 16:
                return
            kind, length = struct.unpack_from('>II', header, 8)
            file.read(length)
            if kind == abuse.PROVEN:
                connection.sendall(abuse.message(abuse.IS_PROVEN, struct.pack('>I', 1)))
            elif kind == abuse.COUNTERS:
                connection.sendall(abuse.message(abuse.COUNTED, struct.pack('>I', 0)))
            else:
                connection.sendall(abuse.message(abuse.DONE))


def few_granted(tap):
    with socket.create_server((SERVER, PORT + 1)) as listener:
        thread = threading.Thread(target=small_server, args=(listener,), daemon=True)
        thread.start()
        document = selftest.run('rxa', '--peer', SERVER, '--port', str(PORT + 1), '--qps', '65',
                                '--test', 'bandwidth-send')
        thread.join(20)
    rows = [row for row in document.rows if row['test'] == 'bandwidth-send']
    tap.test('selftest ways: a server grants 64 queue pairs', unequal(
        'reasons', [row['reason'] for row in rows],
        ['it needs 65 queue pairs, the peer grants 64']) + ([] if rows else document.describe()))


def play(tap):
    peers.shell('bed_wire')
    server = selftest.Server('--port', str(PORT), bind=SERVER)
    for part in (transports, directions, posting, events, intervals, forever, samples, many):
        part(tap)
    tap.test('selftest ways: the server ends without errors', server.stop()[0])
    few_granted(tap)
