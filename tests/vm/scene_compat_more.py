# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Personalities that need a kernel: events, GIDs and netdevs, and tools that change devices."""

import os
import re
import subprocess
import tempfile

import peers
import program
from netlink import clear
from scene_compat import NOBODY, beside, differ, nodes
from selftest import steady, until
from tap import unequal

CONFIGFS = '/sys/kernel/config'
CMA = CONFIGFS + '/rdma_cm'
# Seconds that the kernel and both watchers may take for the events of one step.
QUIET, LONG = 0.5, 20


def ours(tool, *words, **options):
    return differ.run(differ.RDMACTL, tool, words, **options)


class Watcher:
    """ibv_asyncwatch in the background, the personality or the tool."""

    def __init__(self, path, *words):
        self.out = tempfile.TemporaryFile(dir='/run')
        self.process = subprocess.Popen(['ibv_asyncwatch', *words], executable=path,
                                        stdin=subprocess.DEVNULL, stdout=self.out,
                                        stderr=subprocess.STDOUT, env=differ.environment())
        self.begun = until(lambda: self.lines())

    def lines(self):
        text = os.pread(self.out.fileno(), 1 << 20, 0).decode('utf-8', 'replace')
        # The number of the descriptor depends on what else is open.
        return re.sub(r'async event FD \d+', 'async event FD N', text).splitlines()

    def end(self):
        self.process.kill()
        return self.process.wait()


STEPS = (
    ('link down', ('ip', 'link', 'set', 'va', 'down')),
    ('link up', ('ip', 'link', 'set', 'va', 'up')),
    ('address added', ('ip', 'addr', 'add', '10.77.0.1/24', 'dev', 'va')),
    ('IPv6 address added', ('ip', 'addr', 'add', 'fd77::1/64', 'dev', 'va')),
    ('address removed', ('ip', 'addr', 'del', '10.77.0.1/24', 'dev', 'va')),
    ('hardware address changed', ('ip', 'link', 'set', 'va', 'address', '02:00:00:00:77:01')),
    ('hardware address back', ('ip', 'link', 'set', 'va', 'address', '02:00:00:00:09:01')),
)


def same(watchers, count):
    """Whether both have printed the same events, and at least one since line number `count`."""
    ours, theirs = (sorted(watcher.lines()[count:]) for watcher in watchers)
    return ours and ours == theirs


def events(tap):
    beside(tap, 'arguments', ('ibv_asyncwatch',))
    nodes(0o600)
    beside(tap, 'unreadable nodes', ('ibv_asyncwatch',), {'ibv_asyncwatch': ([], ['-d', 'rxb'])},
           **NOBODY)
    nodes(0o666)
    beside(tap, 'no nodes', ('ibv_asyncwatch',), {'ibv_asyncwatch': ([], ['-d', 'rxa'])},
           prefix=peers.HIDDEN)
    watchers = [Watcher(path, '-d', 'rxa') for path in (differ.RDMACTL,
                                                        differ.real('ibv_asyncwatch'))]
    wrong = unequal('first lines', watchers[0].lines(), watchers[1].lines())
    count = len(watchers[1].lines())
    for name, words in STEPS:
        peers.must(*words)
        # Both have printed the same, and print no more.
        while until(lambda: same(watchers, count), LONG):
            lines = steady(lambda: [watcher.lines()[count:] for watcher in watchers], QUIET)
            if sorted(lines[0]) == sorted(lines[1]):
                break
        lines = [watcher.lines()[count:] for watcher in watchers]
        # The kernel queues each event separately, so the events of one step come in any order.
        wrong += unequal(name, sorted(lines[0]), sorted(lines[1]))
        count += len(lines[1])
    tap.test('compat: ibv_asyncwatch through %d steps: %d lines' % (len(STEPS), count),
             wrong + ([] if count > len(STEPS) else ['only %d lines' % count]))
    differ._compared[0] += 1
    watchers[1].end()
    peers.must('rdma', 'link', 'del', 'rxa')
    gone = until(lambda: watchers[0].process.poll() is not None)
    tap.test('compat: ibv_asyncwatch ends with 1 when its device is removed',
             unequal('status', watchers[0].process.poll(), 1) if gone else ['it still runs'])
    watchers[0].end()


def tables(tap):
    # Only once: it reads a thousand slots.
    tap.test('compat: show_gids like the script',
             differ.compare('show_gids', ['rxa nosuch'], 'rxe and a VLAN'))
    peers.must('ip', 'link', 'set', 'va', 'down')
    # It takes the kernel a moment to notice that the other end has lost its carrier.
    until(lambda: peers.read('/sys/class/net/vb/operstate') != 'up')
    states = {name: open('%s/%s/operstate' % (peers.NET, name)).read().strip()
              for name in ('va', 'vb')}
    wanted = ''.join('rx%s port 1 ==> v%s (%s)\n' % (one, one, 'Up' if states['v' + one] == 'up' else
                                                     'Down') for one in 'ab')
    result = ours('ibdev2netdev')
    wrong = unequal('output', result.out.decode(), wanted) + unequal('status', result.status, 0)
    wrong += unequal('states', states['va'], 'down')
    verbose = ours('ibdev2netdev', '-v').out.decode()
    wrong += unequal('-v', verbose, ''.join(
        'NA rx%s (NA - NA)  fw NA port 1 (DOWN  ) ==> v%s (%s)\n' % (
            one, one, 'Up' if states['v' + one] == 'up' else 'Down') for one in 'ab'))
    tap.test('compat: ibdev2netdev, one netdev is down', wrong, verbose.splitlines())
    peers.must('ip', 'link', 'set', 'va', 'up')
    result = ours('show_drop', 'rxb')
    plain = peers.run(differ.RDMACTL, 'counters', '--drops', 'rxb')
    # Counters move between the runs, so only their names are compared.
    names = [sorted(line.split()[2] for line in text.decode().splitlines())
             for text in (result.out, plain.out)]
    tap.test('compat: show_drop has the rows of counters --drops',
             unequal('status', result.status, plain.status) + unequal('rows', *names) +
             ([] if len(names[0]) > 1 else ['no rows']))


def no_infiniband(tap):
    lists = ([], ['1'], ['-C', 'nosuch'], ['-P', '9'], ['-C', 'rxb', '-P', '2'])
    beside(tap, 'RoCE only', ('ibaddr',), {'ibaddr': lists})
    beside(tap, 'RoCE only, as an ordinary user', ('ibaddr',), {'ibaddr': ([],)}, **NOBODY)


def software(tap):
    clear()
    wrong = []
    result = ours('rxe_cfg', 'add', 'va')
    wrong += unequal('add', result.status, 0)
    wrong += unequal('hint of add', result.err.decode(),
                     'rxe_cfg: use this instead: rdmactl link add rxe0 type rxe netdev va\n')
    result = ours('rxe_cfg', 'add', 'vb')
    wrong += unequal('devices', sorted(peers.listdir(peers.RDMA)), ['rxe0', 'rxe1'])
    rows = ours('rxe_cfg', 'status')
    for pattern in (r'(?m)^  Name +Link +Driver +Speed +NMTU +IPv4_addr +RDEV +RMTU$',
                    r'(?m)^  va +yes +veth +\S* +1500  10\.9\.0\.1 +rxe0  1024  \(3\)$',
                    r'(?m)^  vb +yes +veth +\S* +1500  10\.9\.0\.2 +rxe1  1024  \(3\)$'):
        if not re.search(pattern, rows.out.decode()):
            wrong.append('status: no %s in %s' % (pattern, rows.out.decode()))
    wrong += unequal('hint of status', rows.err.decode(),
                     'rxe_cfg: use this instead: rdmactl netdevs, or rdmactl link\n')
    wrong += unequal('again', ours('rxe_cfg', 'add', 'nosuch').status, 1)
    denied = ours('rxe_cfg', 'remove', 'rxe0', **NOBODY)
    wrong += unequal('as an ordinary user', (denied.status, denied.err.decode()),
                     (1, 'rxe_cfg: rxe0: it takes CAP_NET_ADMIN in the initial user namespace\n'
                      '  run it as root, or give the process this capability\n'))
    result = ours('rxe_cfg', 'remove', 'va')
    wrong += unequal('hint of remove', result.err.decode(),
                     'rxe_cfg: use this instead: rdmactl link del rxe0\n')
    wrong += unequal('removed by netdev', peers.listdir(peers.RDMA), ['rxe1'])
    wrong += unequal('removed by name', ours('rxe_cfg', 'remove', 'rxe1').status, 0)
    wrong += unequal('none left', peers.listdir(peers.RDMA), [])
    wrong += unequal('removed again', ours('rxe_cfg', 'remove', 'rxe1').status, 1)
    tap.test('compat: rxe_cfg adds, shows and removes devices', wrong)
    ours('rxe_cfg', 'add', 'va')
    ours('rxe_cfg', 'add', '-n', 'vb')
    listed = ours('rxe_cfg', 'persistent').out.decode()
    stopped = ours('rxe_cfg', 'stop').status
    left = peers.listdir(peers.RDMA)
    started = ours('rxe_cfg', 'start')
    wrong = unequal('persistent', listed, 'va\n') + unequal('stop', (stopped, left), (0, []))
    wrong += unequal('start', (started.status, peers.listdir(peers.RDMA)), (0, ['rxe0']))
    wrong += unequal('it ends with the status', 'RDEV' in started.out.decode(), True)
    ours('rxe_cfg', 'remove', 'va')
    wrong += unequal('persistent after remove', ours('rxe_cfg', 'persistent').out, b'')
    tap.test('compat: rxe_cfg start, stop and persistent', wrong)
    unreadable_list(tap)


def unreadable_list(tap):
    """A list that is too long to be read is reported, and not replaced."""
    path, text = '/var/lib/rxe/rxe', 'eth0\n' * 20000
    complaint = 'rxe_cfg: %s: File too large\n' % path
    step = '  it should be a readable file of up to 64 kB, with a netdev on each line\n'
    with open(path, 'w', encoding='ascii') as file:
        file.write(text)
    result = ours('rxe_cfg', 'persistent')
    wrong = unequal('persistent', (result.status, result.err.decode()), (1, complaint + step))
    result = ours('rxe_cfg', 'add', 'va')
    wrong += unequal('add', (result.status, complaint in result.err.decode()), (1, True))
    with open(path, encoding='ascii') as file:
        wrong += unequal('the list is kept', file.read() == text, True)
    os.unlink(path)
    clear()
    tap.test('compat: rxe_cfg does not replace a list that it cannot read', wrong)


def defaults(tap):
    peers.run('modprobe', 'configfs')
    peers.run('modprobe', 'rdma_cm')
    if not os.path.isdir(CMA):
        peers.run('mount', '-t', 'configfs', 'none', CONFIGFS)
    if not os.path.isdir(CMA):
        tap.skip('compat: cma_roce_mode, cma_roce_tos', 'the kernel has no configfs of rdma_cm')
        return
    wrong = []
    directory = CMA + '/rxb'
    for tool, name, value in (('cma_roce_mode', 'default_roce_mode', 'RoCE v2'),
                              ('cma_roce_tos', 'default_roce_tos', '96')):
        path = '%s/ports/1/%s' % (directory, name)
        os.mkdir(directory)
        with open(path, 'w') as file:
            file.write(value)
        for kept in (True, False):
            if not kept:
                os.rmdir(directory)
            result = ours(tool, '-d', 'rxb', '-p', '1')
            wrong += unequal(tool, (result.status, result.out.decode(), result.err),
                             (0, value + '\n', b''))
            wrong += unequal('directory', os.path.isdir(directory), kept)
        for words, message in ((('-d', 'nosuch'), 'No such device'),
                               (('-d', 'rxb', '-p', '9'), 'No such device')):
            result = ours(tool, *words)
            wrong += unequal(words, (result.status, message in result.err.decode()), (1, True))
            wrong += unequal('directories', os.listdir(CMA), [])
        denied = ours(tool, '-d', 'rxb', **NOBODY)
        wrong += unequal('as an ordinary user', (denied.status, b'run as root' in denied.err),
                         (1, True))
    tap.test('compat: cma_roce_mode and cma_roce_tos show the values in configfs', wrong)
    set_defaults(tap)


def set_defaults(tap):
    """-m and -t: print the values that the kernel reads back. The directory stays."""
    wrong = []
    directory = CMA + '/rxb'
    for tool, letter, value, name, shown in (
            ('cma_roce_tos', 't', '106', 'default_roce_tos', '106'),
            ('cma_roce_mode', 'm', '2', 'default_roce_mode', 'RoCE v2')):
        for again in range(2):
            result = ours(tool, '-d', 'rxb', '-p', '1', '-' + letter, value)
            wrong += unequal((tool, again), (result.status, result.out.decode(), result.err),
                             (0, shown + '\n', b''))
            wrong += unequal(name, peers.read('%s/ports/1/%s' % (directory, name)), shown)
    result = ours('cma_roce_mode', '-d', 'rxb', '-m', '1')
    wrong += unequal('a mode that rxe lacks',
                     (result.status, result.out, b'does not speak roce-v1' in result.err),
                     (1, b'', True))
    os.rmdir(directory)
    result = ours('cma_roce_tos', '-d', 'nosuch', '-t', '1')
    wrong += unequal('no such device', (result.status, result.out), (1, b''))
    denied = ours('cma_roce_tos', '-d', 'rxb', '-t', '3', **NOBODY)
    wrong += unequal('as an ordinary user', (denied.status, b'run it as root' in denied.err),
                     (1, True))
    wrong += unequal('it still has it', ours('cma_roce_tos', '-d', 'rxb').out, b'106\n')
    ours('cma_roce_tos', '-d', 'rxb', '-t', '0')
    os.rmdir(directory)
    tap.test('compat: cma_roce_mode -m and cma_roce_tos -t', wrong)


def play(tap):
    differ.RDMACTL = program.plain_binary() or program.RDMACTL
    clear()
    peers.shell('bed_wire')
    peers.shell('bed_vlan')
    no_infiniband(tap)
    tables(tap)
    defaults(tap)
    events(tap)
    software(tap)
    tap.say('personalities:', *differ.summary())
