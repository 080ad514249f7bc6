# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Runs `rdmactl events --jsonl` in the background and compares its events with their causes."""

import collections
import datetime
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import peers
import program
from selftest import PATIENCE, steady, until
from stalls import Stalls
from tap import unequal

# The kernel reports carrier changes at most once a second (net/core/link_watch.c).
LINKWATCH = 1.5
# Seconds within which an event must be stamped, and the error of the stamp's last digit.
SOON, DIGIT = 0.1, 0.0015
# The line may come later: the first lines take the sanitized build a long time under emulation.
THERE = 2
# Seconds without an event, in which no system call may occur.
IDLE = 10


def remove_vlan():
    """The VLAN of an earlier scene would add its events to those of the wire."""
    for name in ('va.5', 'vb.5'):
        if os.path.exists('/sys/class/net/' + name):
            peers.must('ip', 'link', 'del', name)


def seconds(stamp):
    """The time of an event, RFC 3339 in UTC with milliseconds, as seconds since 1970."""
    if not re.fullmatch(r'[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z', stamp):
        raise ValueError('%r is not a time in UTC with milliseconds' % stamp)
    return datetime.datetime.fromisoformat(stamp[:-1] + '+00:00').timestamp()


class Watch:
    """rdmactl events in the background. It has begun to watch when the constructor returns."""

    def __init__(self, *words, prefix=(), binary=None, form=('--jsonl',)):
        self.argv = [*prefix, binary or program.RDMACTL, '-v', *form, 'events', *words]
        self.err = tempfile.TemporaryFile(dir='/run')
        self.lines = []   # (when it arrived, bytes)
        self.events = []  # of the lines that are JSON, with the keys `arrived` and `stamp`
        self.counts = collections.Counter()  # how many of them have each word
        self.broken = []
        self.form = form
        self.process = subprocess.Popen(self.argv, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=self.err)
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()
        self.pid = self.process.pid
        until(lambda: 'watching ' in self.complaint() or self.process.poll() is not None)

    def _read(self):
        rest = b''
        while True:
            data = os.read(self.process.stdout.fileno(), 1 << 20)
            arrived = time.time()
            if not data:
                break
            *lines, rest = (rest + data).split(b'\n')
            # A reader of the pipe must not have to wait for the rest of a line.
            if rest:
                self.broken.append('an incomplete line: %r' % rest[-80:])
            for line in lines:
                self._take(arrived, line)

    def _take(self, arrived, line):
        self.lines.append((arrived, line))
        if self.form != ('--jsonl',):
            return
        try:
            event = json.loads(line)
            event['arrived'], event['stamp'] = arrived, seconds(event['time'])
            self.events.append(event)
            self.counts[event['event']] += 1
        except (ValueError, KeyError, TypeError) as error:
            self.broken.append('%r: %r' % (error, line[:200]))

    def complaint(self):
        return os.pread(self.err.fileno(), 1 << 24, 0).decode('utf-8', 'replace')

    def find(self, event=None, name=None, begin=0, **values):
        """Events with this word, object and values, starting at event number `begin`."""
        wanted = dict(values, **{key: value for key, value in (('event', event), ('object', name))
                                 if value is not None})
        return [one for one in self.events[begin:]
                if all(one.get(key) == value for key, value in wanted.items())]

    def wait(self, *want, begin=0, patience=PATIENCE, **values):
        """Waits for such an event and returns it; None if none comes in time."""
        until(lambda: self.find(*want, begin=begin, **values) or
              self.process.poll() is not None, patience)
        found = self.find(*want, begin=begin, **values)
        return found[0] if found else None

    def settle(self, quiet=0.4):
        """Waits until no line has come for `quiet` seconds."""
        steady(lambda: len(self.lines), quiet)

    def end(self, number=signal.SIGINT):
        """Sends a signal (None: the program ends without one) and returns the result."""
        if number and self.process.poll() is None:
            self.process.send_signal(number)
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = 'timeout'
            self.process.wait()
        self.thread.join()
        self.process.stdout.close()
        out = b''.join(line + b'\n' for _, line in self.lines)
        result = peers.Result(self.argv, status, out, self.complaint().encode())
        self.err.close()
        program.check(result)
        return result

    def wrong(self, result, status=0):
        """Errors of the exit status and of the lines, each of which must match the schema."""
        wrong = unequal('exit status', result.status, status) + self.broken
        items = program.schema('events')['properties']['events']['items']
        for event in self.events:
            record = {key: value for key, value in event.items()
                      if key not in ('arrived', 'stamp')}
            wrong += program.errors(record, items, 'event')[:2]
        return wrong + (result.describe() if wrong else [])


class Quiet(threading.Thread):
    """rdmactl events while nothing happens that it watches, which must not wake it.

    This takes a quarter of a minute of waiting, so other tests go on meanwhile. They may transfer
    data, but not change devices, links or addresses, or load modules.
    """

    def __init__(self, **options):
        super().__init__(daemon=True)
        self.options = options
        self.watch = self.started = self.wakes = None
        self.calls = []  # the system calls, as strace prints them
        self.start()

    def run(self):
        steady(seconds=LINKWATCH)
        self.watch = Watch(**self.options)
        self.started = self.status('VmHWM')
        self.watch.settle(LINKWATCH)
        before = self.switches()
        if shutil.which('strace'):
            self._trace()
        else:
            steady(seconds=IDLE)
        # It goes back to sleep when strace has detached.
        between = steady(self.switches)
        steady(seconds=2)
        self.wakes = between - before, self.switches() - between

    def _trace(self):
        trace = '/run/events.strace'
        tracer = subprocess.Popen(['strace', '-f', '-tt', '-p', str(self.watch.pid), '-o', trace],
                                  stderr=subprocess.DEVNULL)
        # strace wakes the program when it attaches and detaches: only the time in between counts.
        until(lambda: peers.read_all(trace))
        begin = len(steady(lambda: peers.read_all(trace), 1).splitlines())
        steady(seconds=IDLE)
        self.calls = peers.read_all(trace).splitlines()[begin:]
        tracer.terminate()
        tracer.wait()

    def status(self, key):
        return int(re.search(r'%s:\s*(\d+)' % key,
                             peers.read('/proc/%d/status' % self.watch.pid)).group(1))

    def switches(self):
        return self.status('voluntary_ctxt_switches')

    def tell(self, tap, what):
        """Waits for the end of the time, and says what happened."""
        self.join()
        tap.test('events: %s: no system call in %d s' % (what, IDLE), self.calls)
        attached, wakes = self.wakes or (None, None)
        tap.test('events: %s: no wake-up in 2 s, and few in total' % what,
                 unequal('wake-ups', wakes, 0),
                 ['%s with strace coming and going' % attached])
        tap.test('events: %s: no output while no event occurred' % what,
                 unequal('lines', self.watch.lines, []))


def pairs(events, down, up):
    """Errors unless the words alternate, beginning with `down`."""
    words = [one['event'] for one in events if one['event'] in (down, up)]
    for i, word in enumerate(words):
        if word != (down, up)[i % 2]:
            return ['%s of number %d, %s' % (word, i, words[max(0, i - 3):i + 3])]
    return []


class Expected:
    """An event that must come: object, word, values of keys, and time limit."""

    def __init__(self, name, event, soon=SOON, **values):
        self.name, self.event, self.soon, self.values = name, event, soon, values

    def __str__(self):
        return '%s %s %s' % (self.name, self.event, self.values or '')


def describe(events, cause):
    return ['%+.1f ms %s %s (%s): %s' % ((one['stamp'] - cause) * 1000, one['object'],
                                         one['event'], one['source'], one['change'])
            for one in events]


def cause(watch, act, expected, also=()):
    """Calls act() and returns a list of errors in the events that follow.

    `also` are words of additional events that may come; any others are errors.
    """
    begin = len(watch.events)
    stalls = Stalls()
    when = time.time()
    act()
    done = time.time()
    until(lambda: all(watch.find(one.event, one.name, begin) for one in expected))
    watch.settle(0.25)
    stalls.end()
    events = watch.events[begin:]
    wrong = []
    used = []
    for one in expected:
        found = [event for event in watch.find(one.event, one.name, begin, **one.values)
                 if event not in used]
        if not found:
            wrong.append('missing: %s' % one)
            continue
        used.append(found[0])
        stamp, arrived = found[0]['stamp'], found[0]['arrived']
        if stamp < when - DIGIT or stalls.is_late(one.soon, done, stamp):
            wrong.append('%s: %.1f ms after its cause: %s' % (
                one, (stamp - done) * 1000, stalls.tell(done, stamp)))
        if stamp > arrived or stalls.is_late(THERE, stamp, arrived):
            wrong.append('%s: received %.1f ms after its timestamp' % (
                one, (found[0]['arrived'] - found[0]['stamp']) * 1000))
    for event in events:
        if event not in used and event['event'] not in also:
            wrong.append('unexpected: %s %s' % (event['object'], event['event']))
    return wrong + (describe(events, when) if wrong else [])
