# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Compares rdmactl counters with sysfs, rdma statistic and ip -s link, and rates with traffic of
known size."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import termios
import time

import peers
import program
import selftest
from events import Quiet
from selftest import Running, until
from tap import unequal

FILE = '/run/counters.json'
# Number of attempts at measurements that a busy machine may spoil.
TRIES = 3
# Overhead of a RoCE v2 packet: Ethernet, IPv4, UDP, BTH, ICRC.
OVERHEAD = 14 + 20 + 8 + 12 + 4


def rates(*words, **options):
    result = program.rdmactl('-j', 'counters', *words, **options)
    return program.parse('counter_rates', ('counter_rates',), result)


# Values as reported by the kernel and the other tools.

def sysfs_hw():
    found = {}
    for device, port, path in peers.port_directories():
        for name in peers.listdir(path + '/hw_counters'):
            value = peers.read('%s/hw_counters/%s' % (path, name))
            if name != 'lifespan' and value is not None:
                found[device, port, name] = int(value)
    return found


def sysfs_cm():
    return {(device, port, group + '/' + name): int(peers.read('%s/%s/%s' % (path, group, name)))
            for device, port, path in peers.port_directories()
            for group in peers.listdir(path) if group.startswith('cm_')
            for name in peers.listdir(path + '/' + group)}


def rdma_statistic():
    """Queries each port separately: with an iWARP device rdma statistic show prints only an
    error."""
    found = {}
    for device, port, _ in peers.port_directories():
        for link in peers.rdma('statistic', 'show', 'link', '%s/%d' % (device, port)) or ():
            for name, value in link.items():
                if name not in ('ifindex', 'ifname', 'port'):
                    found[device, port, name] = int(value)
    return found


# Names in `ip -s -s link`, and those of the kernel.
IP_NAMES = {'bytes': '%s_bytes', 'packets': '%s_packets', 'errors': '%s_errors',
            'dropped': '%s_dropped', 'over_errors': '%s_over_errors', 'multicast': 'multicast',
            'length_errors': '%s_length_errors', 'crc_errors': '%s_crc_errors',
            'frame_errors': '%s_frame_errors', 'fifo_errors': '%s_fifo_errors',
            'missed_errors': '%s_missed_errors', 'aborted_errors': '%s_aborted_errors',
            'window_errors': '%s_window_errors', 'heartbeat_errors': '%s_heartbeat_errors',
            'collisions': 'collisions', 'carrier_errors': '%s_carrier_errors',
            'nohandler': '%s_nohandler'}


def ip_statistics():
    found = {}
    for link in json.loads(peers.must('ip', '-s', '-s', '-j', 'link').text()):
        for side in ('rx', 'tx'):
            for name, value in link['stats64'][side].items():
                if name in IP_NAMES:
                    key = IP_NAMES[name] % side if '%s' in IP_NAMES[name] else IP_NAMES[name]
                    found[link['ifname'], key] = value
    return found


def ours(document):
    ports, netdevs = {}, {}
    for row in document.rows:
        if row['source'] == 'netdev':
            netdevs[row['netdev'], row['kernel_name']] = row['value']
        elif row['source'] in ('hw', 'cm'):
            ports[row['device'], row['port'], row['kernel_name']] = row['value']
    return ports, netdevs


def between(what, values, before, after):
    """Each value equals, or lies between, the other tool's values before and after."""
    wrong = []
    for key in sorted(set(before) & set(after)):
        low, high = sorted((before[key], after[key]))
        if values.get(key) is None or not low <= values[key] <= high:
            wrong.append('%s %s: %s, expected %s to %s' % (what, key, values.get(key), low, high))
    return wrong + ([] if before else [what + ' has nothing to compare with'])


def equal(tap, title):
    before = sysfs_hw(), sysfs_cm(), rdma_statistic(), ip_statistics()
    document = program.listing('counters', '--all')
    after = sysfs_hw(), sysfs_cm(), rdma_statistic(), ip_statistics()
    ports, netdevs = ours(document)
    wrong = unequal('exit status', document.status, 0) + document.describe()[1:]
    tap.test(title + ': hw counters as in sysfs', wrong + between(
        'hw', ports, before[0], after[0]))
    tap.test(title + ': counters of the connection manager as in sysfs',
             between('cm', ports, before[1], after[1]))
    tap.test(title + ': hw counters as in rdma statistic',
             between('rdma', ports, before[2], after[2]))
    netdev_names = {netdev for netdev, _ in netdevs}
    tap.test(title + ': netdevs as in ip -s link', between(
        'ip', netdevs, *({key: value for key, value in one[3].items() if key[0] in netdev_names}
                         for one in (before, after))))
    told = {key for key in ports if '/' not in key[2]}
    tap.test(title + ': and no other hw counters', unequal(
        'more', sorted(told - set(before[0])), []))
    return document


def everything(tap):
    equal(tap, 'counters')


def unprivileged(tap):
    """The same rows with values that are not smaller; no module is loaded and none is missing."""
    mine = program.listing('counters', '--all')
    theirs = program.listing('counters', '--all', prefix=peers.NOBODY)
    keys = [[(row['object'], row['source'], row['kernel_name']) for row in one.rows]
            for one in (mine, theirs)]
    tap.test('counters: the same for an ordinary user',
             unequal('exit status', theirs.status, 0) + unequal('counters', *keys))


def without_counters(tap):
    """siw has no hw counters: a message says so, and all other devices are listed."""
    siw = [device for device in peers.listdir(peers.RDMA) if device.startswith('sw')]
    if not siw:
        tap.skip('counters: a device without any', 'this kernel has no siw')
        return
    document = program.listing('counters', '--all')
    devices = {row['device'] for row in document.rows if row['source'] == 'hw'}
    expected = set(peers.listdir(peers.RDMA)) - set(siw)
    one = program.rdmactl('counters', siw[0])
    tap.test('counters: a device without counters does not hide those of others', unequal(
        'devices', sorted(devices), sorted(expected)))
    tap.test('counters: no counters at all is reported', unequal('exit status', one.status, 5) + (
        [] if 'no counters' in one.complaint() else ['no such message'] + one.describe()))


# Rates.

class Traffic:
    """ib_send_bw from rxa to rxb: `count` messages of `size` bytes, one way.

    With few messages at a time and patience, because retransmissions would exceed the known size.
    """

    WORDS = ('-F', '-x', '1', '-m', '1024', '-t', '4', '-r', '64', '-u', '20')

    def __init__(self, size=65536, count=200):
        self.size, self.count = size, count
        self.words = (*self.WORDS, '-s', str(size), '-n', str(count))
        self.server = Running('ib_send_bw', '-d', 'rxb', *self.words)
        # Its output stays in its buffer, so look for its TCP port instead.
        until(lambda: peers.listens(18515) or self.server.process.poll() is not None)

    def packets(self):
        return self.count * self.size // 1024

    def run(self):
        client = peers.run('ib_send_bw', '-d', 'rxa', *self.words, '10.9.0.2')
        ended = self.server.end()
        done = client.status == 0 == ended.status or peers.gave_up(client, ended)
        return [] if done else client.describe() + ended.describe()


def near(what, value, expected, percent=2):
    if value is not None and abs(value - expected) * 100 <= percent * expected:
        return []
    return ['%s: %s, expected %d within %d %%' % (what, value, expected, percent)]


# Counters of rxa that grow when it sends a packet again.
AGAIN = ('rcvd_rnr_err', 'rcvd_seq_err', 'completer_retry_err')


def as_sent(what, value, expected, rows):
    """Adds retransmissions, which a busy machine causes, to the known size."""
    again = sum(row['growth'] or 0 for row in rows
                if row['object'] == 'rxa/1' and row['kernel_name'] in AGAIN)
    if again and value is not None and value > expected:
        return []
    return near(what, value, expected)


def growth(tap):
    """--save, traffic of known size, --since."""
    saved = program.rdmactl('counters', '--save', FILE)
    traffic = Traffic()
    wrong = traffic.run()
    document = rates('--since', FILE, '--all')
    rows = document.by('object', 'kernel_name')
    if ('rxa/1', 'sent_pkts') not in rows:
        tap.test('counters: --since has the counters of rxa', wrong + document.describe() +
                 saved.describe())
        return
    sent, received = rows['rxa/1', 'sent_pkts'], rows['rxb/1', 'rcvd_pkts']
    wire = rows['va', 'tx_bytes']
    wrong += unequal('exit status of --save', saved.status, 0)
    wrong += unequal('exit status of --since', document.status, 0)
    for what, row, expected in (('packets sent', sent, traffic.packets()),
                                ('packets received', received, traffic.packets()),
                                ('bytes on the wire', wire,
                                 traffic.packets() * (1024 + OVERHEAD))):
        wrong += as_sent(what, row['growth'], expected, document.rows)
    wrong += near('received of what was sent', received['growth'], sent['growth'])
    wrong += unequal('growth', sent['growth'], sent['value'] - sent['before'])
    tap.test('counters: growth since a saved file equals the sent data, within 2 %', wrong,
             ['%d packets were %d, %d bytes were %d' % (
                 traffic.packets(), sent['growth'], traffic.packets() * (1024 + OVERHEAD),
                 wire['growth'])])


def lines_of(watch):
    """The complete lines that the program has printed so far."""
    return watch.said(watch.out).split('\n')[:-1]


def watched(tap):
    """--watch during that traffic: the rounds add up to it, and each rate matches its growth."""
    traffic = Traffic(count=400)
    watch = Running(program.RDMACTL, '--jsonl', 'counters', '--watch', '--interval', '200ms',
                    '--all', 'rxa')
    until(lambda: '\n' in watch.said(watch.out))
    wrong = traffic.run()
    until(lambda: sum(row['growth'] for row in map(json.loads, lines_of(watch))
                      if row['kernel_name'] == 'sent_pkts') >= traffic.packets())
    result = watch.end(signal.SIGINT)
    program.check(result)
    wrong += unequal('exit status after SIGINT', result.status, 0)
    rows = [json.loads(line) for line in result.text().splitlines()]
    sent = [row for row in rows if row['kernel_name'] == 'sent_pkts']
    wire = [row for row in rows if (row['object'], row['kernel_name']) == ('va', 'tx_bytes')]
    total = sum(row['growth'] for row in wire)
    wrong += as_sent('packets', sum(row['growth'] for row in sent), traffic.packets(), rows)
    wrong += as_sent('bytes', total, traffic.packets() * (1024 + OVERHEAD), rows)
    wrong += near('rate x time', sum(row['rate_per_sec'] * row['interval_sec'] for row in wire),
                  total)
    rate = program.listing('ports', 'rxa').rows[0]['rate_gbps']
    for row in wire:
        gbps = row['growth'] * 8 / row['interval_sec'] / 1e9
        wrong += near('Gb/s', row['throughput_gbps'] * 1e9, gbps * 1e9, 1) if gbps else []
        wrong += near('percent', row['percent_of_rate'] * 1e9, gbps / rate * 1e11, 1) if gbps else []
    tap.test('counters: --watch shows traffic of known size, within 2 %', wrong,
             ['%d rounds, %d packets were %d' % (len(sent), traffic.packets(),
                                                 sum(row['growth'] for row in sent))])


def on_grid(times, interval):
    """Checks that the rounds began at multiples of the interval; a busy machine may have skipped
    some.

    Any single round may also be late, so it is enough that one of the first and one of the last
    were on time.
    """
    spans = [sum(times[i:len(times) - j]) for i in range(3) for j in range(3)]
    off = min(abs(span - round(span / interval) * interval) for span in spans)
    if off < interval / 3 and sum(times) > (len(times) - 0.5) * interval:
        return []
    return ['%d rounds took %.3f s, off by %.3f s' % (len(times), sum(times), off)]


def drift(tap):
    """No round is late because the previous one was. A busy machine may delay the last round."""
    binary = program.plain_binary() or program.RDMACTL
    for _ in range(TRIES):
        result = peers.run(binary, '--jsonl', 'counters', '--watch', '--interval', '500ms',
                           '--count', '14', '--all', 'rxa')
        rows = [json.loads(line) for line in result.text().splitlines()]
        times = [row['interval_sec'] for row in rows if row['kernel_name'] == 'sent_pkts']
        wrong = unequal('rounds', len(times), 14) + on_grid(times, 0.5)
        if not wrong:
            break
    tap.test('counters: the rounds of --watch do not drift', wrong,
             ['14 rounds of 500 ms in %.3f s' % sum(times)])


def selftest_moves(tap):
    """rdmactl selftest --bandwidth reads the same counters before and after, and both must
    agree."""
    server = selftest.Server()
    program.rdmactl('counters', '--save', FILE)
    document = selftest.run('--peer', '10.9.0.2', '--bandwidth', '--duration', '1s', '--operations',
                            'send')
    since = rates('--since', FILE, '--all', 'rxa')
    wrong, _ = server.stop()
    counted = [counter for row in document.rows for counter in row['counters'] or []
               if (counter['device'], counter['name']) == ('rxa', 'sent_pkts')]
    sent = since.by('object', 'kernel_name')['rxa/1', 'sent_pkts']
    if not counted:
        wrong += ['no counter grew during selftest'] + document.describe()
    else:
        wrong += near('packets sent', sent['growth'],
                      max(one['after'] for one in counted) - min(one['before'] for one in counted))
    tap.test('counters: growth over selftest --bandwidth equals the counts of selftest', wrong,
             ['%s packets' % sent['growth']])


# Devices are added, removed and changed while they are watched.

def churn(tap):
    watch = Running(program.RDMACTL, '--jsonl', 'counters', '--watch', '--interval', '300ms', '--all')
    until(lambda: watch.said(watch.out).count('"rxa/1"') > 0)
    peers.must('rdma', 'link', 'del', 'rxb')
    until(lambda: '"state": "gone"' in watch.said(watch.out))
    peers.must('rdma', 'link', 'add', 'rxb', 'type', 'rxe', 'netdev', 'vb')
    until(lambda: '"state": "new"' in watch.said(watch.out))
    program.rdmactl('ping', '-c', '1', '10.9.0.2')
    # Both changes happen between two rounds, so that one device replaces another.
    peers.must('rdma', '-b', '-', stdin=b'link del rxb\nlink add rxb type rxe netdev vb\n')
    until(lambda: '"state": "replaced"' in watch.said(watch.out) or
          watch.said(watch.out).count('"state": "gone"') > 60)
    mark = len(watch.said(watch.out))
    until(lambda: watch.said(watch.out)[mark:].count('"counted"') > 200)
    result = watch.end(signal.SIGTERM)
    rows = [json.loads(line) for line in result.text().splitlines()]
    wrong = unequal('exit status', result.status in (0, 3), True)
    states = {row['state'] for row in rows if row['device'] == 'rxb'}
    for state in ('counted', 'gone', 'new'):
        if state not in states:
            wrong.append('no row of rxb is %s: %s' % (state, sorted(states)))
    for row in rows:
        if row['growth'] is not None and not 0 <= row['growth'] < 1 << 32:
            wrong.append('growth of %r' % row)
        if row['state'] != 'counted' and row['rate_per_sec'] is not None:
            wrong.append('a rate of %r' % row)
        # Linux 7.3 has link_downed with 8 bits, too, which earlier scenes may have exhausted.
        if row['device'] == 'rxa' and row['state'] not in ('counted', 'gauge') and (
                row['counter'], row['state']) != ('link_downed', 'saturated'):
            wrong.append('%s of rxa is %s' % (row['counter'], row['state']))
    tap.test('counters: devices come and go while they are watched', wrong + (
        result.describe() if wrong else []), ['states of rxb: %s' % ', '.join(sorted(states))])


def replaced(tap):
    """Another device with the same name, and another host."""
    program.rdmactl('counters', '--save', FILE)
    peers.must('rdma', '-b', '-', stdin=b'link del rxb\nlink add rxb type rxe netdev vb\n')
    document = rates('--since', FILE, '--all')
    states = {row['device']: row['state'] for row in document.rows if row['source'] == 'hw'}
    wrong = unequal('exit status', document.status, 3)
    wrong += unequal('states', (states['rxa'], states['rxb']), ('counted', 'replaced'))
    wrong += unequal('growth', [row['growth'] for row in document.rows if row['device'] == 'rxb' and
                                row['source'] == 'hw' and row['growth'] is not None], [])
    with open(FILE, encoding='utf-8') as file:
        saved = json.load(file)
    wrong += unequal('boot id', saved['boot_id'], peers.read('/proc/sys/kernel/random/boot_id'))
    for changes, status, word in (({'boot_id': 'x'}, 3, 'restarted'),
                                  ({'boot_id': 'x', 'host': 'other'}, 1, 'on the host other'),
                                  ({'schema': 'rdmactl/saved_counters/9'}, 1, 'its format is not')):
        with open(FILE, 'w', encoding='utf-8') as file:
            file.write(json.dumps(dict(saved, **changes)))  # json.dump() does not use the one in C
        result = program.rdmactl('counters', '--since', FILE)
        wrong += unequal('exit status with %s' % changes, result.status, status)
        if word not in result.complaint():
            wrong += ['not in the message: ' + word] + result.describe()
    tap.test('counters: --since recognizes another device, another boot and another host', wrong)


# No software device has optional counters.

def optional(tap):
    wrong = []
    for words in (('--optional',), ('--enable', 'cc_rx_ce_pkts'), ('--disable', 'x', 'rxa')):
        result = program.rdmactl('counters', *words)
        wrong += unequal('exit status', result.status, 5)
        if 'no optional counters' not in result.complaint():
            wrong += ['no such message'] + result.describe()
    tap.test('counters: no optional counters: a message, exit 5', wrong)


# A terminal.

class Terminal:
    """The program on a terminal of this size."""

    def __init__(self, lines, columns, *words):
        self.out = b''
        self.child, self.fd = pty.fork()
        if self.child == 0:
            os.environ['TERM'] = 'xterm'
            self.fd = 0
            self.resize(lines, columns)
            os.execv(program.RDMACTL, (program.RDMACTL, *words))

    def resize(self, lines, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack('HHHH', lines, columns, 0, 0))

    def read(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if not select.select([self.fd], [], [], 0.05)[0]:
                continue
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                break
            if not data:
                break
            self.out += data

    def frames(self, count, begin=0, seconds=60):
        """Reads until that many complete frames have arrived."""
        end = time.monotonic() + seconds
        while self.out[begin:].count(HOME) <= count and time.monotonic() < end:
            self.read(0.1)
        return self.out[begin:].count(HOME) > count

    def wait(self):
        """Reads until the program has ended, because it could not end if nobody read. Returns
        its exit status."""
        ended = []

        def has_ended():
            self.read(0.05)
            ended[:] = os.waitpid(self.child, os.WNOHANG)
            return ended[0]

        if not until(has_ended):
            os.kill(self.child, signal.SIGKILL)
            ended[:] = os.waitpid(self.child, 0)
        self.read(0.2)
        return os.waitstatus_to_exitcode(ended[1])

    def end(self):
        """Types the interrupt character."""
        os.write(self.fd, b'\x03')
        status = self.wait()
        os.close(self.fd)
        return status


ENTER, LEAVE, HOME, REST = b'\x1b[?1049h', b'\x1b[?1049l', b'\x1b[H', b'\x1b[J'


def frames(out):
    """The drawn screens without colours, as lists of lines, without one that is incomplete."""
    drawn = [frame for frame in out.split(ENTER, 1)[1].split(LEAVE)[0].split(HOME)[1:] if REST in frame]
    plain = [re.sub(rb'\x1b\[[0-9;?]*[a-zA-Z]', b'', frame) for frame in drawn]
    # The terminal adds a carriage return to each line feed.
    return [frame.decode().replace('\r', '').split('\n') for frame in plain]


def terminal(tap):
    tty = Terminal(12, 60, 'counters', '--watch', '--interval', '200ms', '--all')
    wrong = [] if tty.frames(3) else ['nothing was drawn']
    small = frames(tty.out + LEAVE)
    tty.resize(30, 200)
    mark = len(tty.out)
    tty.frames(5, mark)
    large = frames(ENTER + tty.out[mark:] + LEAVE)
    status = tty.end()
    wrong += unequal('exit status after ^C', status, 0)
    for name, drawn, lines, columns in (('small', small, 12, 60), ('large', large[2:], 30, 200)):
        if len(drawn) < 2:
            wrong.append('%s: %d frames' % (name, len(drawn)))
        for frame in drawn:
            if len(frame) > lines or max(map(len, frame)) > columns:
                wrong.append('%s: a frame of %d lines and %d columns' % (
                    name, len(frame), max(map(len, frame))))
    if large and max(map(len, large[-1])) <= 60:
        wrong.append('it did not get wider')
    wrong += unequal('screens entered and left', (tty.out.count(ENTER), tty.out.count(LEAVE)), (1, 1))
    wrong += unequal('cursor hidden and shown', (tty.out.count(b'\x1b[?25l'),
                                                 tty.out.count(b'\x1b[?25h')), (1, 1))
    # Nothing precedes the screen, and only the last round follows it, in plain lines.
    tail = tty.out.split(LEAVE)[-1]
    if not tty.out.startswith(ENTER) or b'sent_pkts' not in tail + b'sent_pkts' or HOME in tail:
        wrong.append('around the screen: %r %r' % (tty.out[:20], tail[:200]))
    tap.test('counters: --watch on a terminal redraws in place, within its size', wrong,
             ['%d and %d frames' % (len(small), len(large))])


def play(tap):
    peers.shell('bed_wire')
    quiet = Quiet()

    def no_events(tap):
        """All steps so far are no events."""
        quiet.tell(tap, 'few devices')
        # What it had not written yet comes at the end, if at all.
        wrong = quiet.watch.wrong(quiet.watch.end())
        tap.test('events: it ends with 0 after that', wrong + unequal('lines', quiet.watch.lines, []))

    for step in (everything, unprivileged, without_counters, growth, watched, drift, selftest_moves,
                 no_events, churn, replaced, optional, terminal):
        begin = time.monotonic()
        step(tap)
        tap.say('%s: %.1f s' % (step.__name__, time.monotonic() - begin))
