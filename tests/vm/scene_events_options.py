# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl events: options, ways to end, no privilege, and a comparison with ibv_asyncwatch."""

import collections
import json
import os
import pty
import re
import signal
import socket
import subprocess
import threading
import time

import netlink
import peers
import program
from events import LINKWATCH, Watch
from selftest import Running, steady, until
from tap import unequal

LINK = None
# The words of rdmactl for each event of ibv_asyncwatch.
WORDS = {9: ('port-active',), 10: ('port-down',), 11: ('lid-change',), 12: ('pkey-change',),
         13: ('sm-change',), 17: ('client-reregister',),
         18: ('gid-added', 'gid-removed', 'gid-changed'), 8: ('device-fatal',)}


def va():
    return socket.if_nametoindex('va')


def up_again():
    LINK.up(va())
    until(lambda: peers.read('/sys/class/infiniband/rxb/ports/1/state') == '4: ACTIVE')
    peers.shell('bed_rewire')


def flap(seen=lambda: True):
    """The link goes down, and comes up when seen() returns true."""
    LINK.down(va())
    until(seen)
    time.sleep(0.05)
    LINK.up(va())


def without_carrier():
    """The kernel reports the other end later, and not at all if the carrier is back by then."""
    return peers.read('/sys/class/net/vb/operstate') != 'up'


def ends(tap):
    watch = Watch('--count', '3')
    flap()
    result = watch.end(None)
    tap.test('events --count 3', watch.wrong(result) + unequal('lines', len(watch.lines), 3))
    begin = time.monotonic()
    watch = Watch('--duration', '1s', '-e', 'device-fatal')
    result = watch.end(None)
    wrong = [] if time.monotonic() - begin > 1 else ['too short']
    tap.test('events --duration', watch.wrong(result) + wrong +
             unequal('lines', watch.lines, []))
    for name, number in (('SIGTERM', signal.SIGTERM), ('SIGHUP', signal.SIGHUP)):
        watch = Watch('rxa')
        result = watch.end(number)
        tap.test('events: %s ends it with 0' % name, watch.wrong(result))
    reader = subprocess.Popen([program.RDMACTL, '-v', '--jsonl', 'events'], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
    while b'watching ' not in (reader.stderr.readline() or b'watching '):
        pass
    reader.stdout.close()
    ended = until(lambda: reader.poll() is not None)
    reader.kill()
    reader.stderr.close()
    reader.wait()
    tap.test('events: ends when its output is no longer read, even if no event occurs',
             [] if ended else ['it still runs'])


def until_words(tap):
    watch = Watch('rxa/1', '--until', 'port-down', '--duration', '30s')
    LINK.down(va())
    result = watch.end(None)
    last = watch.events[-1] if watch.events else {}
    tap.test('events --until port-down', watch.wrong(result) +
             unequal('last', (last.get('object'), last.get('event')), ('rxa/1', 'port-down')))
    watch = Watch('rxa/1', '--until', 'port-down', '--duration', '500ms')
    result = watch.end(None)
    tap.test('events --until: not in time, exit 4', watch.wrong(result, 4) +
             ([] if 'port-down did not happen' in result.complaint() else result.describe()))
    watch = Watch('rxa/1', '--until', 'port-down', '--already', '--duration', '30s')
    result = watch.end(None)
    tap.test('events --until --already: already true', watch.wrong(result) +
             unequal('events', [(one['object'], one['event'], one['source'], one['state'])
                                for one in watch.events],
                     [('rxa/1', 'port-down', 'start', 'down')]))
    watch = Watch('rxa/1', '--until', 'port-active,device-removed', '--already')
    up_again()
    result = watch.end(None)
    tap.test('events --until of two words', watch.wrong(result) +
             unequal('last', watch.events[-1]['event'] if watch.events else None, 'port-active'))
    watch = Watch('rxa/1', '--until', 'device-fatal')
    result = watch.end()
    tap.test('events --until, interrupted: exit 1', watch.wrong(result, 1))


def filters(tap):
    every = Watch()
    one = Watch('rxb')
    errors = Watch('--severity', 'error')
    gids = Watch('--event', 'gid-added,gid-removed', 'rxa/1')
    LINK.mtu(va(), 1400)
    LINK.address(va(), '10.9.0.56/24')
    # The kernel reports that something changed, but not what: a change that is undone at once is
    # not an event.
    gids.wait('gid-added')
    LINK.address(va(), '10.9.0.56/24', False)
    LINK.mtu(va(), 1500)
    flap(without_carrier)
    every.wait('port-active', 'rxb/1')
    one.wait('port-active', 'rxb/1')
    gids.wait('gid-removed')
    for port in ('rxa/1', 'rxb/1'):
        errors.wait('port-down', port)
    every.settle()
    up_again()
    wrong = every.wrong(every.end()) + unequal('MTU', len(every.find('netdev-mtu', 'va')), 2)
    tap.test('events: without an object, all objects', wrong)
    wrong = one.wrong(one.end())
    wrong += unequal('devices', {event['device'] for event in one.events}, {'rxb'})
    tap.test('events rxb: events of rxb and vb', wrong +
             unequal('downs', len(one.find('port-down', 'rxb/1')), 1))
    tap.test('events --severity error', errors.wrong(errors.end()) +
             unequal('words', sorted((event['object'], event['event']) for event in errors.events),
                     [('rxa/1', 'port-down'), ('rxb/1', 'port-down')]))
    tap.test('events --event', gids.wrong(gids.end()) +
             unequal('words', [event['event'] for event in gids.events],
                     ['gid-added', 'gid-removed']))


def forms(tap):
    """The other formats: a document at the end, lines of tables as they happen."""
    whole = Watch('rxa/1', '-e', 'port-down,port-active', form=('-j',))
    table = Watch('rxa/1', '-e', 'port-down,port-active', form=())
    tabs = Watch('rxa/1', '-e', 'port-down,port-active', form=('--tsv',))
    flap()
    wrong = [] if until(lambda: len(table.lines) >= 3) else ['%s' % table.lines]
    wrong += [] if until(lambda: len(tabs.lines) >= 3) else ['%s' % tabs.lines]
    tap.test('events: the lines of a table appear as the events occur', wrong)
    up_again()
    result = whole.end()
    document = program.parse('events', (), result)
    tap.test('events -j: a document at the end', unequal('status', result.status, 0) +
             unequal('words', [row['event'] for row in document.rows],
                     ['port-down', 'port-active']))
    lines = table.end().text().splitlines()
    columns = [line.find('rxa/1') for line in lines[1:3]]
    tap.test('events: the columns of a table are aligned',
             [] if lines and lines[0].find('OBJECT') in columns and len(set(columns)) == 1
             else lines)
    tabs.end()


def commands(tap):
    path = '/run/events.exec'
    open(path + '.json', 'w', encoding='utf-8').close()
    # The commands wait until all events are there, and must not delay the watching. Their last word is
    # the bit of SIGXFSZ in the signals that they ignore.
    script = ('until [ -e %s.go ]; do sleep 0.1; done; echo "$RDMACTL_EVENT $RDMACTL_OBJECT $RDMACTL_DEVICE $RDMACTL_PORT '
              '$RDMACTL_STATE_BEFORE $RDMACTL_STATE $RDMACTL_SEVERITY '
              '$((0x$(sed -n "s/^SigIgn:.//p" /proc/$$/status) & 1 << 24))" >>%s; '
              'echo "$RDMACTL_JSON" >>%s.json' % (path, path, path))
    watch = Watch('rxa/1', '-e', 'port-down,port-active', '--count', '4', '--exec', script)
    for _ in range(2):
        flap()
    wrong = [] if until(lambda: len(watch.events) == 4, 30) else ['the command delays the watching']
    open(path + '.go', 'w', encoding='utf-8').close()
    result = watch.end(None)
    text = (peers.read(path) or '').splitlines()
    wrong += unequal('commands', text, ['port-down rxa/1 rxa 1 active down error 0',
                                        'port-active rxa/1 rxa 1 down active notice 0'] * 2)
    with open(path + '.json', encoding='utf-8') as file:
        lines = [json.loads(line) for line in file]
    ours = [{key: value for key, value in one.items() if key not in ('arrived', 'stamp')}
            for one in watch.events]
    tap.test('events --exec', watch.wrong(result) + wrong + unequal('JSON', lines, ours))
    up_again()
    watch = Watch('rxa/1', '-e', 'port-down', '--count', '1', '--exec', 'exit 7')
    flap()
    result = watch.end(None)
    tap.test('events --exec: a command that fails is reported, exit 3', watch.wrong(result, 3) +
             ([] if 'exit status 7' in result.complaint() else result.describe()))
    up_again()


def flapping(tap):
    watch = Watch('rxa/1', '--flap', '3/1m', '-e', 'port-flapping,port-down,port-active')
    limits = []
    for count in range(1, 4):
        times = [time.monotonic()]
        LINK.down(va())
        until(lambda: len(watch.find('port-down')) == count)
        times.append(time.monotonic())
        time.sleep(0.05)
        times.append(time.monotonic())
        LINK.up(va())
        until(lambda: len(watch.find('port-active')) == count)
        times.append(time.monotonic())
        limits.append((1000 * (times[2] - times[1]) - 1, 1000 * (times[3] - times[0]) + 1))
    found = watch.wait('port-flapping', 'rxa/1') or {}
    downs = [one['down_msec'] for one in watch.find('port-active')]
    result = watch.end()
    wrong = watch.wrong(result) + unequal('told', len(watch.find('port-flapping')), 1)
    wrong += unequal('flaps', (found.get('flaps'), found.get('flap_window_msec')), (3, 60000))
    if len(downs) != 3 or not all(least <= down <= most
                                  for down, (least, most) in zip(downs, limits)):
        wrong.append('down for %s ms, limits %s' % (downs, limits))
    if found and abs(found['down_msec'] - sum(downs)) > 3:
        wrong.append('%s ms of %s in all' % (found['down_msec'], downs))
    tap.test('events --flap 3/1m', wrong)
    up_again()


def counter(tap):
    server = Running(program.RDMACTL, '-v', 'ping', '--serve', 'rxb')
    server.says('answering on rxb/1')
    watch = Watch('rxa/1', '--counter', 'tx_packets>2/s', '-e', 'counter')
    program.rdmactl('-j', 'ping', '--flood', '-c', '100', '10.9.0.2')
    found = watch.wait('counter', 'rxa/1', patience=5) or {}
    result = watch.end()
    wrong = watch.wrong(result)
    wrong += unequal('event', [found.get(key) for key in ('object', 'severity', 'source',
                                                          'threshold_per_sec')],
                     ['rxa/1', 'warning', 'counters', 2])
    if not found.get('rate_per_sec') or found['rate_per_sec'] <= 2:
        wrong.append('rate %s' % found.get('rate_per_sec'))
    tap.test('events --counter', wrong)
    program.check(server.end(signal.SIGINT))
    watch = Watch('--counter', 'no_such_counter>1/s', '--duration', '1s')
    result = watch.end(None)
    tap.test('events --counter: no port has it', watch.wrong(result, result.status) +
             ([] if result.status and 'no_such_counter' in result.complaint()
              else result.describe()))


def unprivileged(tap):
    watch = Watch(prefix=peers.NOBODY)
    flap()
    wrong = [] if watch.wait('port-active', 'rxa/1') else ['no port-active']
    tap.test('events without privilege', wrong + watch.wrong(watch.end()) +
             unequal('downs', len(watch.find('port-down', 'rxa/1')), 1))
    up_again()
    watch = Watch(prefix=peers.HIDDEN)
    LINK.down(va())
    found = watch.wait('port-down', 'rxa/1')
    LINK.up(va())
    watch.wait('port-active', 'rxa/1')
    wrong = [] if found else ['no port-down']
    result = watch.end()
    if 'polled once a second' not in result.complaint():
        wrong += ['it does not say that it polls'] + result.describe()
    tap.test('events without verbs nodes: it polls once a second, and says so',
             wrong + watch.wrong(result, result.status))
    up_again()


class AsyncWatch:
    """The real ibv_asyncwatch, which flushes each line only to a terminal."""

    def __init__(self, device):
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(['ibv_asyncwatch', '-d', device], stdout=slave,
                                        stdin=subprocess.DEVNULL)
        os.close(slave)
        self.text, self.events = '', []
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()
        until(lambda: 'async event FD' in self.text)

    def _read(self):
        rest = ''
        while True:
            try:
                data = os.read(self.master, 65536).decode()
            except OSError:  # the other end is closed
                return
            self.text += data
            *lines, rest = (rest + data).split('\n')
            for line in lines:
                found = re.search(r'event_type .*\((\d+)\), port (\d+)', line)
                if found:
                    self.events.append((int(found.group(1)), int(found.group(2))))

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.thread.join()
        os.close(self.master)


def addresses(add):
    for number in range(60, 64):
        LINK.address(va(), '10.9.0.%d/24' % number, add)


def beside_asyncwatch(tap):
    """After each cause both get a pause, after which they must have reported the same."""
    theirs = AsyncWatch('rxa')
    ours = Watch('--all', 'rxa')
    wrong = []
    for act in (flap, flap, flap, lambda: addresses(True), lambda: addresses(False),
                lambda: LINK.change(va(), attributes=netlink.attribute(1, bytes.fromhex('020000000933'))),
                lambda: LINK.change(va(), attributes=netlink.attribute(1, bytes.fromhex('020000000901')))):
        begins = len(theirs.events), len(ours.events)
        act()
        steady(lambda: (len(theirs.events), len(ours.events)), 1)
        for kind, port in theirs.events[begins[0]:]:
            words = WORDS.get(kind, ())
            if not any(one['event'] in words and one['port'] == port
                       for one in ours.events[begins[1]:]):
                wrong.append('rdmactl lacks event %d of port %d' % (kind, port))
    theirs.end()
    result = ours.end()
    wrong += ours.wrong(result)
    counts = collections.Counter(kind for kind, _ in theirs.events)
    # --all also shows notifications about a state that had been read before.
    downs = [one for one in ours.find('port-down', 'rxa/1') if one['change']]
    missed = unequal('downs', len(downs), counts[10])
    wrong += missed
    if missed:
        wrong += ['%s %s (%s) %s' % tuple(one[key] for key in ('time', 'event', 'source', 'change'))
                  for one in ours.events if one['event'].startswith(('port-', 'netdev-'))]
        wrong += ['ibv_asyncwatch: %d' % kind for kind, _ in theirs.events if kind != 18]
    if not counts[9] or not counts[10] or not counts[18]:
        wrong.append('ibv_asyncwatch missed an event: %r' % theirs.text)
    tap.test('events: every event of ibv_asyncwatch is also in ours', wrong,
             ['ibv_asyncwatch: %s; ours: %s' % (
                 dict(counts), dict(collections.Counter(one['event'] for one in ours.events)))])
    up_again()


def play(tap):
    global LINK
    LINK = netlink.Links()
    peers.shell('bed_wire')
    steady(seconds=LINKWATCH)
    ends(tap)
    until_words(tap)
    filters(tap)
    forms(tap)
    commands(tap)
    flapping(tap)
    counter(tap)
    unprivileged(tap)
    beside_asyncwatch(tap)
