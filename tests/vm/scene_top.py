# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl top on a terminal: traffic, processes, a link that goes down, a device that is removed."""

import fcntl
import os
import re
import shutil
import signal
import statistics
import struct
import termios
import time

import peers
import program
import selftest
from scene_counters import ENTER, HOME, LEAVE, Terminal, frames
from selftest import steady, until
from tap import unequal

NETDEV, DEVICE = 'va', 'rxa'
ROUNDS = 12


def screen(tty):
    """The lines drawn last."""
    tty.read(0.1)
    drawn = frames(tty.out + LEAVE) if ENTER in tty.out else []
    return drawn[-1] if drawn else []


def line(tty, pattern):
    for text in screen(tty):
        if re.search(pattern, text):
            return text
    return None


def shows(tty, pattern):
    return [] if until(lambda: line(tty, pattern)) else [
        'no line like %s' % pattern] + screen(tty)


def counted():
    """Returns the time, the bytes sent, and the packets in both directions."""
    counters = '/sys/class/infiniband/%s/ports/1/hw_counters/' % DEVICE
    return (time.monotonic(), int(peers.read('/sys/class/net/%s/statistics/tx_bytes' % NETDEV)),
            sum(int(peers.read(counters + name)) for name in ('sent_pkts', 'rcvd_pkts')))


def number(cell):
    """Parses cells like 1.23n, 12k and 345; None for unknown values."""
    if cell.startswith('<0.01'):
        return 0.005
    match = re.fullmatch(r'([0-9.]+)([kMG]?)n?', cell)
    return float(match[1]) * {'': 1, 'k': 1e3, 'M': 1e6, 'G': 1e9}[match[2]] if match else None


def cells(text):
    """Gb/s sent, and packets/s in both directions, from a row of 80 columns, without its bars."""
    words = re.sub(r'\[[# ]*\]', '', text).split()
    return number(words[2]), number(words[4])


def press_pause(tty, paused, count):
    """Types the key; returns the device's rows from the first `count` screens that are then paused
    or not, as `paused` says."""
    mark = len(tty.out)

    def rows():
        found = []
        for drawn in frames(ENTER + tty.out[mark:] + LEAVE):
            if drawn[0].startswith('PAUSED ') == paused:
                found += [text for text in drawn if text.startswith(DEVICE + '/1 ')]
        return found

    os.write(tty.fd, b'p')
    until(lambda: tty.read(0.02) or len(rows()) >= count)
    return rows()[:count]


def one_round(tty):
    """A single round of a screen that is paused before and after: returns its row, the counters
    before and after it, and those once no other round can follow."""
    before = counted()
    # One screen is drawn for the key, and one for the round, which is long overdue.
    rows = press_pause(tty, False, 2)
    after = counted()
    press_pause(tty, True, 1)
    return rows[-1] if len(rows) == 2 else '', before, after, counted()


def limits(last, now, index):
    """The lowest and highest rate a round may show, by the counters around it and the last."""
    (_, begin, _, begun), (_, end, ended, _) = last, now
    shortest, longest = end[0] - begun[0], ended[0] - begin[0]
    return max(end[index] - begun[index], 0) / longest, (ended[index] - begin[index]) / shortest


def traffic(tap):
    """The rates on the screen lie between those of the kernel's counters over the same time.

    Rounds come when the test asks for them, and it reads the counters before and after each. So the
    limits hold, however late the program and the test are, and are close if neither is late.
    """
    server = selftest.Server('--longest', '10m', prefix=selftest.NICE)
    tty = Terminal(24, 80, 'top', '--interval', '500ms', DEVICE)
    wrong = shows(tty, r'^%s/1 +active' % DEVICE)
    run = selftest.Selftest('--peer', selftest.SERVER, '--bandwidth', '--duration', '10m', '--operations', 'send',
                            '--sizes', '16k', prefix=selftest.NICE)
    wrong += selftest.transfers(run)
    wrong += shows(tty, r'^ *%d rdmactl ' % run.process.pid)
    press_pause(tty, True, 1)
    last, close, marked, said = one_round(tty), 0, False, []
    while close < 2 and run.process.poll() is None and not wrong:
        # Wait longer than it took to ask for the last round and to see it.
        steady(seconds=1 + 4 * (last[3][0] - last[1][0]))
        now = one_round(tty)
        marked |= bool(re.search(r'[0-9]n ', now[0]))
        is_close = True
        for index, what, scale in ((0, 'Gb/s', 8e-9), (1, 'packets/s', 1)):
            least, most = (rate * scale for rate in limits(last, now, 1 + index))
            shown = cells(now[0])[index] if now[0] else None
            said.append('%s: %s on the screen, %g to %g by the counters' % (what, shown, least, most))
            # The screen shows two digits, down to hundredths.
            if shown is None or not 0.95 * least - 0.006 <= shown <= 1.05 * most + 0.006:
                wrong.append(said[-1])
            is_close &= most < 2 * least
        close += is_close
        last = now
    if close < 2:
        wrong += ['%d rounds with close limits' % close, *said]
    run.end(signal.SIGINT)
    more, _ = server.stop()
    status = tty.end()
    wrong += more + unequal('exit status after ^C', status, 0)
    if not marked and not os.path.exists('/sys/class/infiniband/%s/ports/1/hw_counters/sent_bytes' % DEVICE):
        wrong.append('bytes of the netdev are not marked')
    tap.test('top: rates on the screen match the counters, and processes are shown', wrong, said)


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
    wrong += unequal('exit status after q', tty.wait(), 0)
    os.close(tty.fd)
    peers.shell('bed_rewire')
    tap.test('top: a link that flaps, a device that is removed and comes back', wrong)


def sizes(tap):
    """The smallest terminals, and that each way to end restores the terminal's settings."""
    wrong = []
    for lines, columns in ((5, 40), (2, 10), (50, 200)):
        tty = Terminal(lines, columns, 'top', '--interval', '100ms')
        if not tty.frames(7):
            wrong.append('nothing was drawn')
        for frame in frames(tty.out + LEAVE):
            if len(frame) > lines or max(map(len, frame)) > columns:
                wrong.append('%dx%d: %d lines, %d columns' % (
                    columns, lines, len(frame), max(map(len, frame))))
        number_of = signal.SIGQUIT if lines == 5 else signal.SIGTERM
        os.kill(tty.child, number_of)
        # The program restores the settings after it has left the screen.
        status = tty.wait()
        flags = termios.tcgetattr(tty.fd)[3]
        wrong += unequal('canonical mode and echo', flags & (termios.ICANON | termios.ECHO),
                         termios.ICANON | termios.ECHO)
        wrong += unequal('exit status', status, 0)
        if HOME in tty.out.split(LEAVE)[-1]:
            wrong.append('it draws after it has left the screen')
        os.close(tty.fd)
    tap.test('top: any size of terminal, and SIGQUIT and SIGTERM restore it', wrong)


def system_calls(rounds, *words):
    """System calls of a round on a terminal: the median, because some rounds make more."""
    path = '/run/top.strace'
    child, fd = os.forkpty()
    if child == 0:
        os.environ['TERM'] = 'xterm'
        os.execvp('strace', ('strace', '-f', '-o', path, program.plain_binary() or program.RDMACTL,
                             *words, '--interval', '100ms', '--count', str(rounds)))
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
    try:
        while os.read(fd, 65536):
            pass
    except OSError:
        pass
    os.waitpid(child, 0)
    os.close(fd)
    lines = (peers.read_all(path) or '').splitlines()
    drawn = [number for number, text in enumerate(lines) if re.search(r'write\(1, "\\33\[H', text)]
    return statistics.median(end - begin for begin, end in zip(drawn, drawn[1:])) if drawn[1:] else 0


def cost(tap):
    """No more system calls per round than counters --watch; the bench measures processor time."""
    name = 'top: no more system calls than counters --watch'
    if not shutil.which('strace'):
        tap.skip(name, 'strace is not installed')
        return
    calls = [system_calls(ROUNDS, *words) for words in (('top',), ('counters', '--watch'))]
    said = 'a round of top %.1f, of counters --watch %.1f' % tuple(calls)
    tap.test(name, [] if 0 < calls[0] <= calls[1] + 1 else [said], [said])


def play(tap):
    peers.shell('bed_wire')
    for step in (traffic, changes, sizes, cost):
        begin = time.monotonic()
        step(tap)
        tap.say('%s: %.1f s' % (step.__name__, time.monotonic() - begin))
