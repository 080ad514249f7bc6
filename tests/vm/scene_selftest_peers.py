# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""selftest --proto with unmodified programs of rdma-core and perftest, as servers and as clients:
the pingpongs, the tests of perftest, ucmatose and mckey. What the two sides measured is compared."""

import re
import signal
import socket
import struct
import threading

import netlink
import peers
from scene_interop import SERVER, ended, gid_index, row_of, serving
from selftest import Running, Selftest, run, until, wrong_with

CLIENT = '10.9.0.1'
GROUP, OTHER_GROUP = '239.1.2.3', '239.1.2.4'
PORT = 18515
# With only one processor, each message takes a scheduler time slice.
SIZE, ITERATIONS = '1024', '60'
# Enough to fill the queues many times over.
COUNTS = {'bw': '1500', 'lat': ITERATIONS}
TESTS = [(operation, way) for way in ('bw', 'lat') for operation in ('send', 'write', 'read')]
WAYS = {'bw': '--bandwidth', 'lat': '--latency'}


def tcp_server(*argv):
    other = Running(*argv)
    until(lambda: peers.listens(PORT) or other.process.poll() is not None)
    return other


def cm_server(*argv):
    other = Running(*argv)
    devices = netlink.Devices()
    until(lambda: devices.listens() or other.process.poll() is not None)
    return other


def rate_of(text):
    """The megabits a second that a pingpong prints: both ways together, as ours."""
    found = re.search(r'= ([0-9.]+) Mbit/sec', text)
    return float(found.group(1)) if found else None


def compare_rates(program, document, text):
    ours = document.rows[0]['bandwidth_gbps'] if document.rows else None
    return compare(program, ours and ours * 1000, rate_of(text), 3)


def with_figures(attempt, wrong_figures):
    """(document, result of the other program, what is wrong with the figures).

    It is run again if perftest gave up its figures, or if both sides passed and their figures are far
    apart: the machine may have stood still while the clock of one side ran, and that of the other did
    not yet, or no more. A side that failed is not tried again.
    """
    for _ in range(5):
        document, result = attempt()
        wrong = wrong_figures(document, result)
        if not peers.gave_up(result) and (not wrong or result.status or document.status):
            break
    return document, result, wrong


def pingpongs(tap):
    for kind, words, wanted in (
            ('rc', ('-s', '3000'), {'size_bytes': 3000}),
            ('uc', ('-s', '3000'), {'size_bytes': 3000}),
            ('ud', ('-s', '512'), {'size_bytes': 512}),
            ('srq', ('-s', '3000', '-q', '5'), {'size_bytes': 3000, 'queue_pairs': 5})):
        program = 'ibv_%s_pingpong' % kind
        test = 'pingpong' if kind == 'rc' else kind + '-pingpong'
        own = ['--proto', test, '--iterations', ITERATIONS, '--sizes', words[1]]
        own += ['--qps', words[3]] if kind == 'srq' else []

        def as_client():
            other = tcp_server(program, '-d', 'rxb', '-g', gid_index('rxb'), '-n', ITERATIONS, *words)
            return run('--peer', SERVER, *own), other.end()

        def as_server():
            server = serving(test, '--iterations', ITERATIONS, '--sizes', words[1])
            client = peers.run(program, '-d', 'rxa', '-g', gid_index('rxa'), '-n', ITERATIONS, *words,
                               SERVER)
            return server.end(), client

        def wrong_rates(document, result):
            return compare_rates(program, document, result.text())

        document, result, wrong = with_figures(as_client, wrong_rates)
        wrong += result.describe() if result.status or wrong else []
        tap.test('peers: client of ' + program, wrong_with(document, 0, (test, 'pass', '')) +
                 row_of(document, test, iterations=int(ITERATIONS), **wanted) + wrong)
        document, client, wrong = with_figures(as_server, wrong_rates)
        tap.test('peers: server of ' + program, wrong_with(document, 0, (test, 'pass', '')) +
                 row_of(document, test, iterations=int(ITERATIONS), **wanted) + wrong +
                 (client.describe() if client.status else []))


def many_queue_pairs(tap):
    """The SRQ needs room for the receives of all queue pairs once, not for each of them."""
    words = ('-n', '300', '-s', '64', '-q', '128')
    other = tcp_server('ibv_srq_pingpong', '-d', 'rxb', '-g', gid_index('rxb'), *words)
    document = run('--peer', SERVER, '--proto', 'srq-pingpong', '--iterations', '300', '--sizes', '64',
                   '--qps', '128')
    tap.test('peers: ibv_srq_pingpong with 128 queue pairs', wrong_with(
        document, 0, ('srq-pingpong', 'pass', '')) +
        row_of(document, 'srq-pingpong', iterations=300, queue_pairs=128) + ended(other))


def link_local(tap):
    server = Selftest('--serve', '--proto', 'pingpong', '--bind', 'fe80::ff:fe00:902%vb')
    wrong = [] if server.says('waiting for ibv_rc_pingpong') else [server.said()]
    server.end(signal.SIGTERM)
    tap.test('peers: a server listens on the link-local address of a netdev', wrong)


def unequal_pingpongs(tap):
    other = tcp_server('ibv_srq_pingpong', '-d', 'rxb', '-g', gid_index('rxb'), '-q', '3')
    document = run('--peer', SERVER, '--proto', 'srq-pingpong')
    other.process.kill()
    other.end()
    tap.test('peers: ibv_srq_pingpong with fewer queue pairs', wrong_with(
        document, 4, ('srq-pingpong', 'fail',
                      'has 3 queue pairs, and both sides need the same number')))
    document = run('--peer', SERVER, '--proto', 'uc-pingpong')
    tap.test('peers: no server of ibv_uc_pingpong', wrong_with(
        document, 4, ('uc-pingpong', 'fail', 'nothing listens on its TCP port 18515')))


def printed(text, way):
    """The average bandwidth, or the typical latency, in the only row of perftest's table."""
    for line in text.splitlines():
        cells = line.split()
        if len(cells) >= 5 and cells[0] == SIZE and cells[1] == COUNTS[way]:
            return float(cells[3] if way == 'bw' else cells[4])
    return None


def compare(name, ours, theirs, most):
    """The ratio of the two may be at most `most`. The sides of a test need not share a clock."""
    if ours is None or theirs is None:
        return ['%s: %r here, %r there' % (name, ours, theirs)]
    low, high = sorted((ours + 0.01, theirs + 0.01))
    return [] if high / low <= most else ['%s: %s here, %s there' % (name, ours, theirs)]


def figure(document, way):
    row = document.rows[0] if document.rows else {}
    return row.get('bandwidth_mibps' if way == 'bw' else 'latency_p50_usec')


def compare_perftest(program, operation, way, attempt, serves=False):
    """Runs a test of perftest: document, result, and what is wrong. Figures that one side was told are
    the same; a server of ib_read_lat is told none."""
    def wrong_figures(document, result):
        # A server of ib_write_bw and ib_read_bw prints the figures that it is told, one of ib_read_lat
        # none; the others measure themselves.
        told = way == 'bw' and operation != 'send'
        return [] if (operation, way) == ('read', 'lat') else compare(
            program, figure(document, way), printed(result.text(), way), 1.02 if told else 3)

    document, result, wrong = with_figures(attempt, wrong_figures)
    wrong += wrong_with(document, 0, (program, 'pass', 'the peer has perftest'))
    unseen = serves and (operation, way) == ('read', 'lat')
    wrong += row_of(document, program, iterations=None if unseen else int(COUNTS[way]),
                    size_bytes=None if unseen else int(SIZE))
    return document, result, wrong + (result.describe() if result.status else [])


def perftest_client(tap, operation, way):
    program = 'ib_%s_%s' % (operation, way)

    def attempt():
        other = tcp_server(program, '-d', 'rxb', '-x', gid_index('rxb'), '-s', SIZE, '-n', COUNTS[way])
        document = run('--peer', SERVER, '--proto', 'perftest', WAYS[way], '--operations', operation,
                       '--sizes', SIZE, '--iterations', COUNTS[way])
        return document, other.end()

    document, result, wrong = compare_perftest(program, operation, way, attempt)
    if (operation, way) == ('read', 'lat') and figure(document, way) is None:
        wrong.append('no latency')
    tap.test('peers: client of ' + program, wrong + (result.describe() if wrong else []))


def perftest_server(tap, operation, way):
    program = 'ib_%s_%s' % (operation, way)

    def attempt():
        server = serving('perftest', WAYS[way], '--operations', operation, '--sizes', SIZE,
                         '--iterations', COUNTS[way])
        client = peers.run(program, '-d', 'rxa', '-x', gid_index('rxa'), '-s', SIZE, '-n', COUNTS[way],
                           SERVER)
        return server.end(), client

    _, client, wrong = compare_perftest(program, operation, way, attempt, True)
    tap.test('peers: server of ' + program, wrong + (client.describe() if wrong else []))


def perftest_faults(tap):
    other = tcp_server('ib_write_bw', '-d', 'rxb', '-x', gid_index('rxb'), '-q', '2', '-n', '100')
    document = run('--peer', SERVER, '--proto', 'perftest', '--iterations', '100')
    other.process.kill()
    other.end()
    tap.test('peers: ib_write_bw with two queue pairs', wrong_with(
        document, 4, ('ib_write_bw', 'fail', 'has several queue pairs (-q)')))
    document = run('--peer', SERVER, '--proto', 'perftest', '--latency')
    tap.test('peers: no server of ib_write_lat', wrong_with(
        document, 4, ('ib_write_lat', 'fail', 'nothing listens on its TCP port 18515')))


VERSION = b'6.06'.ljust(16, b'\0')
SIZES = [struct.pack('>I', 4096), struct.pack('>I', 64), b'3\0']
KEYS = b'0000:0001:000011:e9b3a5:00001c51:00007f2b4f5a8000:' + b':'.join([b'00'] * 16) + b':00000000:\0'
WITH_GID = KEYS.replace(b'00:' * 5 + b'00:00000000', b'ff:ff:0a:09:00:01:00000000')
# What a client writes, one step after the other, and what the server says about it.
HOSTILE = (
    ([b'GET / HTTP/1.0\r\n'], 'is not ib_write_bw: its first bytes are not an address'),
    ([b'\xff' * 16], 'is not ib_write_bw: its first bytes are not an address'),
    ([b'5.60'.ljust(16, b'\0')], 'is from perftest 5.60, but this side needs 5.70 or later'),
    ([VERSION, struct.pack('>I', 1 << 31), SIZES[1], SIZES[2]], 'cycle buffer of 2147483648 bytes'),
    ([VERSION, *SIZES[:2], b'9\0'], 'is not ib_write_bw: its first bytes are not an address'),
    ([VERSION, *SIZES, b'\x1b[2J' * 27], 'is not an address with a GID'),
    ([VERSION, *SIZES, KEYS.replace(b'000011', b'000001')], 'is not an address with a GID'),
    ([VERSION, *SIZES, KEYS], 'was started without -g: RoCE needs a GID'),
    ([VERSION, *SIZES, KEYS[:50]], 'closed the connection before the addresses were exchanged'),
    ([VERSION, *SIZES, WITH_GID, WITH_GID[:50]], 'closed the connection: its ib_write_bw ended'),
    ([VERSION, *SIZES, *[WITH_GID] * 4, *[b'\xff' * 8] * 5],
     'are not a report of ib_write_bw'),
)


def play_steps(steps):
    """A client that ignores the replies."""
    with socket.create_connection((SERVER, PORT), timeout=60) as client:
        try:
            for step in steps[:-1]:
                client.sendall(step)
                client.recv(len(step))
            client.sendall(steps[-1])
            client.shutdown(socket.SHUT_WR)
            client.recv(1)
        except OSError:
            pass


def hostile(tap):
    server = Selftest('--serve', '--proto', 'perftest', '--bind', SERVER, '--sizes', SIZE,
                      '--iterations', ITERATIONS)
    server.says('waiting for ')
    for steps, _ in HOSTILE:
        play_steps(steps)
    clients = []

    def attempt():
        clients.append(peers.run('ib_write_bw', '-d', 'rxa', '-x', gid_index('rxa'), '-s', SIZE, '-n',
                                 ITERATIONS, SERVER))
        return None, clients[-1]

    _, client, _ = with_figures(attempt, lambda *_: [])
    until(lambda: 'ib_write_bw: pass' in server.said())
    document = server.end(signal.SIGTERM)
    wrong = client.describe() if client.status else []
    for (_, sentence), row in zip(HOSTILE, document.rows):
        if row['result'] != 'fail' or sentence not in (row['reason'] or ''):
            wrong.append('%r does not contain %r' % (row['reason'], sentence))
    wrong += [] if len(document.rows) == len(HOSTILE) + len(clients) and \
        document.rows[-1]['result'] == 'pass' else ['%d rows' % len(document.rows)]
    tap.test('peers: a server of perftest survives misbehaving clients', wrong)


def ucmatose(tap):
    other = cm_server('ucmatose', '-b', SERVER, '-C', '20', '-S', '300')
    document = run('--peer', SERVER, '--proto', 'ucmatose', '--iterations', '20', '--sizes', '300')
    tap.test('peers: client of ucmatose', wrong_with(document, 0, ('ucmatose', 'pass', '')) +
             row_of(document, 'ucmatose', iterations=20, size_bytes=300, connection='cm') +
             ended(other))
    server = serving('ucmatose', '--iterations', '20', '--sizes', '300')
    client = peers.run('ucmatose', '-s', SERVER, '-C', '20', '-S', '300')
    document = server.end()
    tap.test('peers: server of ucmatose', wrong_with(document, 0, ('ucmatose', 'pass', '')) +
             row_of(document, 'ucmatose', iterations=20, size_bytes=300, connection='cm') +
             (client.describe() if client.status or 'status 0' not in client.text() else []))


class Receiver(threading.Thread):
    """A receiver of mckey. It and each mckey wait three seconds for switches to learn of the group."""

    def __init__(self):
        super().__init__(daemon=True)
        self.server = serving('mckey', '--group', OTHER_GROUP, '--iterations', '1', '--sizes', '200')
        self.over = False
        self.start()

    def run(self):
        # mckey exits after it has posted its datagrams; rxe of Linux 6.12 then sends only few of them.
        self.over = until(lambda: any([sender.end().status for sender in [
            Running('mckey', '-m', OTHER_GROUP, '-b', CLIENT, '-s', '-C', '20', '-S', '200')
            for _ in range(4)]]) or self.server.process.poll() is not None)

    def tell(self, tap):
        self.join()
        document = self.server.end() if self.over else self.server.end(signal.SIGTERM)
        tap.test('peers: receiver of mckey', wrong_with(document, 0, ('mckey', 'pass', '')) +
                 row_of(document, 'mckey', iterations=1, size_bytes=200, peer=CLIENT))


def mckey(tap):
    receiver = Receiver()
    other = Running('mckey', '-m', GROUP, '-b', SERVER, '-C', '14', '-S', '200')
    # mckey has joined by then; its output stays in a buffer until it ends.
    devices = netlink.Devices()
    until(lambda: devices.ready_to_send('rxb', netlink.UD, other.process.pid) or other.process.poll() is not None)
    senders = [Selftest('rxa', '--proto', 'mckey', '--group', GROUP, '--iterations', '7',
                        '--sizes', '200', *words) for words in ((), ('--send-only',))]
    wrong = []
    for sender in senders:
        document = sender.end()
        wrong += wrong_with(document, 0, ('mckey', 'pass', 'only the receiver knows'))
        wrong += row_of(document, 'mckey', iterations=7, size_bytes=200, peer=None)
        wrong += [] if all(row['peer_gid'] for row in document.rows) else ["no group's GID"]
    tap.test('peers: two senders to mckey, one of them --send-only', wrong + ended(other))
    receiver.tell(tap)
    document = run('rxa', '--proto', 'mckey', '--group', GROUP, '--no-loopback')
    tap.test('peers: a device that cannot do --no-loopback is reported', wrong_with(
        document, 4, ('mckey', 'fail', "cannot hide a queue pair's own datagrams from it")))
    document = run('rxa', '--proto', 'mckey', '--group-gid', 'ff12::1')
    tap.test('peers: a group given as a GID is for InfiniBand', wrong_with(
        document, 4, ('mckey', 'fail', 'a group given as a GID')))
    server = serving('mckey', '--group', GROUP)
    # The command returns when no program uses the device any more.
    removal = peers.run('rdma', 'link', 'del', 'rxb')
    wrong = removal.describe() if removal.status else []
    wrong += wrong_with(server.end(), 4, ('mckey', 'fail', 'device rxb was removed'))
    peers.must('rdma', 'link', 'add', 'rxb', 'type', 'rxe', 'netdev', 'vb')
    tap.test('peers: the device of a receiver of mckey is deleted while it waits', wrong)


def play(tap):
    peers.shell('bed_wire')
    pingpongs(tap)
    many_queue_pairs(tap)
    link_local(tap)
    unequal_pingpongs(tap)
    for operation, way in TESTS:
        perftest_client(tap, operation, way)
        perftest_server(tap, operation, way)
    perftest_faults(tap)
    hostile(tap)
    ucmatose(tap)
    mckey(tap)
