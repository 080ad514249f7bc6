# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Runs rdmactl selftest, also in the background, and checks its rows.

Nothing here waits for a fixed time: it waits for something to happen, up to a limit.
"""

import json
import os
import signal
import subprocess
import tempfile
import time

import netlink
import peers
import program
from peers import PATIENCE, until
from tap import unequal

SERVER = '10.9.0.2'
# A measurement of bandwidth first fills its queue, unmeasured: with 128 messages by default, which at
# 64 KiB are 8,192 packets. For runs that do not test the default.
SHALLOW = ('--depth', '16')


def steady(value=lambda: None, seconds=0.5, patience=PATIENCE):
    """Waits until value() has not changed for `seconds`, and returns it.

    Only time in which this program ran counts: while the whole machine stands still, the other
    programs make no progress either.
    """
    step = 0.02
    last, left, end = value(), seconds, time.monotonic() + patience
    while left > 0 and time.monotonic() < end:
        time.sleep(step)
        now = value()
        left = left - step if now == last else seconds
        last = now
    return last


# Prefix for programs that poll, so that they get the processor only when nothing else wants it.
NICE = ('nice', '-n', '19')


class Running:
    """A program in the background."""

    def __init__(self, *argv, prefix=(), env=None):
        self.argv = [*prefix, *argv]
        self.out = tempfile.TemporaryFile(dir='/run')
        self.err = tempfile.TemporaryFile(dir='/run')
        self.process = subprocess.Popen(
            self.argv, stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.err,
            env=dict(os.environ, **env) if env else None)

    def said(self, file=None):
        file = file or self.err
        return os.pread(file.fileno(), 1 << 24, 0).decode('utf-8', 'replace')

    def says(self, text):
        """Waits for text on standard error or standard output; False if the program ends first."""
        until(lambda: text in self.said() + self.said(self.out) or
              self.process.poll() is not None)
        return text in self.said() + self.said(self.out)

    def end(self, number=None):
        """Sends a signal, waits for the end. A run that does not end has the status 'timeout'."""
        if number:
            self.process.send_signal(number)
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            status = 'timeout'
        result = peers.Result(self.argv, status, *(os.pread(file.fileno(), 1 << 24, 0)
                                                   for file in (self.out, self.err)))
        self.out.close()
        self.err.close()
        return result


class Selftest(Running):
    """rdmactl -j selftest in the background."""

    def __init__(self, *words, **options):
        super().__init__(program.RDMACTL, '-j', 'selftest', *words, **options)
        self.words = words

    def end(self, number=None):
        result = super().end(number)
        # A killed run cannot keep the rules.
        if result.status in (-signal.SIGKILL, -signal.SIGINT):
            return program.Document('selftest', result, {})
        program.check(result)
        return program.parse('selftest', self.words, result)


class Server(Selftest):
    """rdmactl selftest --serve, which is listening once this is constructed."""

    def __init__(self, *words, bind=SERVER, **options):
        super().__init__('--serve', '--bind', bind, *words, **options)
        self.listens = self.says(' listening on ')

    def stop(self):
        """Ends the server as an operator does; returns what is wrong, and its document."""
        document = self.end(signal.SIGTERM)
        wrong = unequal("the server's exit status", document.status, 0)
        return wrong + (document.describe() if wrong else []), document


def run(*words, **options):
    """Runs selftest to its end."""
    options.setdefault('timeout', PATIENCE)
    return program.listing('selftest', *words, **options)


def wrong_with(document, status, *rows):
    """Errors in the exit status and in the required rows (test, result, part of the reason).

    A required row that failed must have a next step, and no other row may have failed.
    """
    wrong = unequal('exit status', document.status, status)
    for test, result, part in rows:
        found = [row for row in document.rows if row['test'] == test]
        if not found:
            wrong.append('there is no row %s' % test)
        for row in found:
            wrong += unequal('result of ' + test, row['result'], result)
            if part not in (row['reason'] or ''):
                wrong.append('the reason of %s, %r, does not contain %r' % (test, row['reason'], part))
            if result == 'fail' and not row['next_step']:
                wrong.append('%s names no next step' % test)
    expected = {test for test, result, _ in rows if result == 'fail'}
    wrong += ['%s failed: %s' % (row['test'], row['reason']) for row in document.rows
              if row['result'] == 'fail' and row['test'] not in expected]
    return wrong + (document.describe() if wrong else [])


def resources():
    """{device: {kind: number of objects in use}}."""
    return {row.pop('ifname'): {kind: count for kind, count in row.items() if kind != 'ifindex'}
            for row in peers.rdma('resource') or []}


def leaked(before):
    """Errors unless the same objects are in use as before. The kernel may need time to clean up."""
    return [] if until(lambda: resources() == before, 15) else unequal(
        'resources in use', resources(), before)


def transfers(running, device='rxa', netdev='va', packets=3000):
    """Waits until a reliable queue pair of the device is ready to send, and data flow."""
    devices = netlink.Devices()

    def over():
        return running.process.poll() is not None

    def sent():
        return int(peers.read('/sys/class/net/%s/statistics/tx_packets' % netdev) or 0)

    def ready():
        return devices.ready_to_send(device) > 0

    if not until(lambda: ready() or over()) or over():
        return ['no queue pair of %s became ready to send' % device]
    start = sent()
    flow = until(lambda: sent() > start + packets or over()) and not over()
    return [] if flow else ['no data flow']


def rows_of(document):
    """Rows for the diagnostics."""
    return [json.dumps({key: row[key] for key in ('device', 'test', 'result', 'reason', 'status')})
            for row in document.rows]
