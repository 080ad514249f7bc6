# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl top on a terminal: traffic, processes, a link that goes down, a device that is removed."""

import fcntl
import os
import re
import shutil
import signal
import struct
import termios
import threading
import time

import peers
import program
import selftest
from scene_counters import ENTER, HOME, LEAVE, Terminal, frames
from selftest import until
from tap import unequal

NETDEV, DEVICE = 'va', 'rxa'
ROUNDS = 10


def screen(tty):
    """The lines drawn last."""
    tty.read(0.1)
    drawn = frames(tty.out + LEAVE) if ENTER in tty.out else []
    # The last one may be half of a screen.
    return drawn[-2] if len(drawn) > 1 else []


def line(tty, pattern):
    for text in screen(tty):
        if re.search(pattern, text):
            return text
    return None


def shows(tty, pattern):
    return [] if until(lambda: line(tty, pattern)) else [
        'no line like %s' % pattern] + screen(tty)


def sent_bytes():
    return int(peers.read('/sys/class/net/%s/statistics/tx_bytes' % NETDEV))


def sent_packets():
    return int(peers.read('/sys/class/infiniband/%s/ports/1/hw_counters/sent_pkts' % DEVICE))


def number(cell):
    """1.23n, 12k, 345 as numbers; None for what is unknown."""
    match = re.fullmatch(r'([0-9.]+)([kMG]?)n?', cell)
    return float(match[1]) * {'': 1, 'k': 1e3, 'M': 1e6, 'G': 1e9}[match[2]] if match else None


def cells(text):
    """Gb/s sent and packets/s of a row of 80 columns: bars apart."""
    words = re.sub(r'\[[# ]*\]', '', text).split()
    return number(words[2]), number(words[4])


def traffic(tap):
    """The rates on the screen lie between those of the kernel's counters over the same time."""
    server = selftest.Server()
    tty = Terminal(24, 80, 'top', '--interval', '500ms', DEVICE)
    wrong = shows(tty, r'^%s/1 +active' % DEVICE)
    run = selftest.Selftest('--peer', selftest.SERVER, '--bandwidth', '--duration', '5s', '--operations', 'send')
    samples, seen, holders, marked = [], [], [], False

    # In a thread of its own: reading the screen takes longer than the times between samples may be.
    def sample():
        while run.process.poll() is None:
            samples.append((time.monotonic(), sent_bytes(), sent_packets()))
            time.sleep(0.05)

    sampler = threading.Thread(target=sample)
    sampler.start()
    while run.process.poll() is None:
        text = line(tty, r'^%s/1 ' % DEVICE)
        if text:
            seen.append(cells(text))
            marked |= bool(re.search(r'[0-9]n ', text))
        if line(tty, r'^ *%d rdmactl ' % run.process.pid):
            holders.append(run.process.pid)
    sampler.join()
    run.end()
    more, _ = server.stop()
    status = tty.end()
    wrong += more + unequal('exit status after ^C', status, 0)
    # A late round is followed by a short one, whose rate may be that of a burst.
    pairs = [(a, b) for i, a in enumerate(samples) for b in samples[i + 1:] if 0.1 < b[0] - a[0] < 0.8]
    long = [b[0] - a[0] > 0.4 for a, b in pairs]
    for index, what, scale in ((0, 'Gb/s', 8e-9), (1, 'packets/s', 1)):
        real = [(b[index + 1] - a[index + 1]) * scale / (b[0] - a[0]) for a, b in pairs]
        shown = [values[index] for values in seen if values[index]]
        lasting = [rate for rate, is_long in zip(real, long) if is_long]
        if not shown or not lasting:
            wrong.append('%s: %d shown, %d measured' % (what, len(shown), len(real)))
        elif max(shown) > 1.25 * max(real) or max(shown) < 0.5 * max(lasting):
            wrong.append('%s: at most %g on the screen, %g by the counters' % (what, max(shown), max(real)))
        else:
            tap.say('%s: at most %g on the screen, %g by the counters' % (what, max(shown), max(real)))
    if not holders:
        wrong.append('the process of the test was not shown')
    if not marked and not os.path.exists('/sys/class/infiniband/%s/ports/1/hw_counters/sent_bytes' % DEVICE):
        wrong.append('bytes of the netdev are not marked')
    tap.test('top: rates on the screen are those of the counters, processes are there', wrong)


def changes(tap):
    """A link that flaps, and a device that is removed and comes back."""
    before = len(peers.port_directories())
    tty = Terminal(24, 80, 'top', '--interval', '200ms')
    wrong = shows(tty, r'^%s/1 +active' % DEVICE)
    peers.run('ip', 'link', 'set', NETDEV, 'down')
    wrong += shows(tty, r'^%s/1 +down' % DEVICE) + shows(tty, r'%s/1 port-down state active -> down' % DEVICE)
    wrong += shows(tty, r'^%s/1 .* 1$' % DEVICE)
    peers.run('ip', 'link', 'set', NETDEV, 'up')
    wrong += shows(tty, r'^%s/1 +active' % DEVICE)
    peers.run('rdma', 'link', 'delete', DEVICE)
    wrong += shows(tty, r'^%s/1 +gone' % DEVICE) + shows(tty, r'%s device-removed' % DEVICE)
    peers.run('rdma', 'link', 'add', DEVICE, 'type', 'rxe', 'netdev', NETDEV)
    wrong += shows(tty, r'^%s/1 +active' % DEVICE)
    wrong += unequal('ports at the end', len(peers.port_directories()), before)
    os.write(tty.fd, b'q')
    until(lambda: tty.read(0.1) or LEAVE in tty.out, 20)
    _, status = os.waitpid(tty.child, 0)
    os.close(tty.fd)
    wrong += unequal('exit status after q', os.waitstatus_to_exitcode(status), 0)
    tap.test('top: a link that flaps, a device that is removed and comes back', wrong)


def sizes(tap):
    """The smallest terminals, and the settings of the terminal before and after each end."""
    wrong = []
    for lines, columns in ((5, 40), (2, 10), (50, 200)):
        tty = Terminal(lines, columns, 'top', '--interval', '100ms')
        mark = len(tty.out)
        if not tty.frames(3):
            wrong.append('nothing was drawn')
        tty.resize(lines, columns)
        mark = len(tty.out)
        tty.frames(4, mark)
        for frame in frames(ENTER + tty.out[mark:] + LEAVE)[1:]:
            if len(frame) > lines or max(map(len, frame)) > columns:
                wrong.append('%dx%d: %d lines, %d columns' % (
                    columns, lines, len(frame), max(map(len, frame))))
        number_of = signal.SIGQUIT if lines == 5 else signal.SIGTERM
        os.kill(tty.child, number_of)
        until(lambda tty=tty: tty.read(0.1) or LEAVE in tty.out, 20)
        flags = termios.tcgetattr(tty.fd)[3]
        wrong += unequal('canonical mode and echo', flags & (termios.ICANON | termios.ECHO),
                         termios.ICANON | termios.ECHO)
        _, status = os.waitpid(tty.child, 0)
        wrong += unequal('exit status', os.waitstatus_to_exitcode(status), 0)
        if HOME in tty.out.split(LEAVE)[-1]:
            wrong.append('it draws after it has left the screen')
        os.close(tty.fd)
    tap.test('top: any size of a terminal, which is restored by SIGQUIT and SIGTERM', wrong)


def system_calls(rounds, *words):
    """How many a run of so many rounds makes on a terminal."""
    path = '/run/top.strace'
    child, fd = os.forkpty()
    if child == 0:
        os.environ['TERM'] = 'xterm'
        os.execvp('strace', ('strace', '-f', '-c', '-o', path, program.plain_binary() or program.RDMACTL,
                             *words, '--interval', '100ms', '--count', str(rounds)))
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
    try:
        while os.read(fd, 65536):
            pass
    except OSError:
        pass
    os.waitpid(child, 0)
    os.close(fd)
    # % time, seconds, microseconds a call, calls, perhaps errors
    total = re.search(r'^100\.00 .* total$', peers.read(path) or '', re.M)
    return int(total.group(0).split()[3]) if total else 0


def cost(tap):
    """No more system calls a round than counters --watch; the bench has the processor's time."""
    name = 'top: no more system calls than counters --watch'
    if not shutil.which('strace'):
        tap.skip(name, 'no strace here')
        return
    calls = [(system_calls(2 + ROUNDS, *words) - system_calls(2, *words)) / ROUNDS
             for words in (('top',), ('counters', '--watch'))]
    said = 'a round of top %.1f, of counters --watch %.1f' % tuple(calls)
    tap.test(name, [] if 0 < calls[0] <= calls[1] + 1 else [said], [said])


def play(tap):
    peers.shell('bed_wire')
    for step in (traffic, changes, sizes, cost):
        begin = time.monotonic()
        step(tap)
        tap.say('%s: %.1f s' % (step.__name__, time.monotonic() - begin))
