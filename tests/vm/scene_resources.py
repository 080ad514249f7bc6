# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Objects in use, as rdma lists them, while programs and devices come and go."""

import json
import os
import re
import signal
import threading

import compare
import measure
import netlink
import peers
import program
from netlink import clear
from scene_many import MEMORY_KB
from scene_none import MODULES, loaded
from scene_states import Churn
from selftest import NICE, Running, steady, until
from tap import unequal

KINDS = {'qp': 'qps', 'cm_id': 'cm_ids', 'cq': 'cqs', 'mr': 'mrs', 'pd': 'pds', 'ctx': 'ctxs',
         'srq': 'srqs'}
# The keys of rdma and the columns of rdmactl: plain numbers, then words.
NUMBERS = {
    'qp': {'port': 'port', 'lqpn': 'qpn', 'rqpn': 'remote_qpn', 'rq-psn': 'rq_psn',
           'sq-psn': 'sq_psn', 'pdn': 'pdn'},
    'cm_id': {'port': 'port', 'cm-idn': 'cm_idn', 'lqpn': 'qpn'},
    'cq': {'cqn': 'cqn', 'cqe': 'entries', 'users': 'users', 'ctxn': 'ctxn',
           'adaptive-moderation': 'adaptive_moderation'},
    'mr': {'mrn': 'mrn', 'mrlen': 'length_bytes', 'pdn': 'pdn'},
    'pd': {'pdn': 'pdn', 'users': 'users', 'ctxn': 'ctxn'},
    'ctx': {'ctxn': 'ctxn'},
    'srq': {'srqn': 'srqn', 'cqn': 'cqn', 'pdn': 'pdn', 'lqpn': 'qpns'},
}
WORDS = {
    'qp': {'type': 'type', 'state': 'state', 'path-mig-state': 'path_migration'},
    'cm_id': {'qp-type': 'type', 'state': 'state', 'ps': 'port_space'},
    'cq': {'poll-ctx': 'poll_context'},
    'srq': {'type': 'type'},
}
KEYS = {'mr': ('rkey', 'lkey'), 'pd': ('local_dma_lkey',)}
# What kernels that do not list contexts and shared receive queues say.
LATER = 'this needs Linux 5.13 or later'
# Values that change while packets flow.
MOVING = ('rq-psn', 'sq-psn')
# rdma has the names of an older kernel, in which "direct" was the first.
POLL = {'softirq': 'DIRECT', 'workqueue': 'SOFTIRQ', 'unbound-workqueue': 'WORKQUEUE',
        'direct': 'UNBOUND_WORKQUEUE'}
SPACES = {'ipoib': 'IPoIB', 'tcp': 'TCP', 'udp': 'UDP'}


def listing(kind, *words, **options):
    command = ('resources', kind, *words) if kind else ('resources', *words)
    name = KINDS.get(kind, 'processes' if '--by' in words else 'resources')
    return program.parse(name, words, program.rdmactl('-j', *command, **options))


def word(kind, key, ours):
    if key == 'poll-ctx':
        compare.known('rdma-poll-context')
        return POLL[ours]
    if key == 'ps':
        return SPACES.get(ours, ours)
    return {'error': 'ERR'}.get(ours, ours.upper().replace('-', '_'))


def addresses(row):
    """Addresses as rdma writes them: ADDRESS:PORT, and zeroes without a peer."""
    found = {}
    if row['local_ip']:
        found['src-addr'] = '%s:%d' % (row['local_ip'], row['local_port'])
    if row['remote_ip']:
        found['dst-addr'] = '%s:%d' % (row['remote_ip'], row['remote_port'])
    elif row['local_ip']:
        found['dst-addr'] = '0.0.0.0:0' if '.' in row['local_ip'] else ':::0'
        compare.known('rdma-no-peer')
    return found


def as_rdma(kind, row):
    """Converts a row of rdmactl to the form of rdma, without the device index."""
    found = {'ifname': row['device']}
    for theirs, ours in NUMBERS[kind].items():
        if row[ours] is not None:
            found[theirs] = row[ours]
    for theirs, ours in WORDS.get(kind, {}).items():
        if row[ours] is not None:
            found[theirs] = word(kind, theirs, row[ours])
    for key in KEYS.get(kind, ()):
        if row[key] is not None:
            found[key] = '%x' % int(row[key], 16)
    if kind == 'cm_id':
        found.update(addresses(row))
    if row['thread'] is not None:
        found['pid'] = row['thread']
    if row['command'] is not None:
        found['comm'] = row['command'].strip('[]') if row['kernel'] else row['command']
    return found


def order(rows):
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


def mended(row):
    """A row of rdma, with the name of the command restored where it has been overwritten."""
    row = dict(row)
    # The list of queue pairs has overwritten the name, up to the end of one of its numbers or
    # ranges, whichever was written last to that place.
    if row.get('lqpn') and isinstance(row['lqpn'], list) and row.get('comm') and \
            row['comm'] + ',' in ','.join(row['lqpn']) + ',':
        row['comm'] = peers.read('/proc/%d/comm' % row['pid'])
        compare.known('rdma-srq-command')
    return row


def wrong_rows(kind, ours, theirs, moving):
    theirs = [mended(row) for row in theirs]
    mine = [as_rdma(kind, row) for row in ours]
    for row in theirs + mine:
        for key in ('ifindex', *(MOVING if moving else ())):
            row.pop(key, None)
    ours, theirs = order(mine), order(theirs)
    return (['%s: only ours: %s' % (kind, row) for row in ours if row not in theirs] +
            ['%s: only of rdma: %s' % (kind, row) for row in theirs if row not in ours] +
            unequal(kind + ': how many', len(ours), len(theirs)))


def compare_all(tap, title, moving=False, prefix=()):
    """Compares all kinds with rdma; returns the rows of rdmactl, by those kinds that the kernel lists."""
    found = {}
    for kind, name in KINDS.items():
        document = listing(kind, prefix=prefix)
        theirs = peers.rdma('-d', 'res', 'show', kind, prefix=prefix)
        if theirs is None:
            tap.test('resources: %s: %s, which this kernel does not list' % (title, name),
                     unequal('exit status', document.status, 3) +
                     unequal('rows', document.rows, []) +
                     unequal('hints', [problem['hint'] for problem in document.problems],
                             [LATER]))
            continue
        found[kind] = document.rows
        tap.test('resources: %s: %s as rdma lists them' % (title, name),
                 unequal('exit status', document.status, 0) +
                 wrong_rows(kind, document.rows, theirs, moving))
    document = listing(None, prefix=prefix)
    theirs = {row.pop('ifname'): row for row in peers.rdma('res', prefix=prefix)}
    wrong = unequal('devices', sorted(row['device'] for row in document.rows), sorted(theirs))
    for row in document.rows:
        for kind, name in KINDS.items():
            wrong += unequal(row['device'] + ' ' + name, row[name],
                             theirs[row['device']].get(kind))
        wrong += unequal('others', row['others'], [
            '%s=%d' % item for item in theirs[row['device']].items()
            if item[0] not in (*KINDS, 'ifindex')])  # such as comp_cntr of Linux 7.3
    tap.test('resources: %s: the numbers of objects as rdma has them' % title, wrong)
    return found


def status_of_all(found):
    """The exit status of a command that needs all kinds."""
    return 0 if len(found) == len(KINDS) else 3


def failures(document):
    return ['%s' % problem for problem in document.problems if problem['hint'] != LATER]


def owner(task):
    """The process of a thread, and its name."""
    pid = int(re.search(r'^Tgid:\s*(\d+)', peers.read('/proc/%d/status' % task), re.M).group(1))
    return pid, peers.read('/proc/%d/comm' % pid)


def owners(tap, found):
    wrong = []
    threads = 0
    for kind, rows in found.items():
        for row in rows:
            if row['kernel']:
                wrong += unequal(kind + ' pid of the kernel', row['pid'], None)
            else:
                wrong += unequal(kind, (row['pid'], row['command']), owner(row['thread']))
                threads += row['thread'] != row['pid']
    tap.test('resources: pid and command are the process\'s, for threads too', wrong,
             ['%d objects were created by threads other than the first' % threads])


class Traffic:
    """Two programs that talk by verbs, two by the connection manager, two with an SRQ.

    All of them poll, so they get the processor only when nothing else wants it.
    """

    PAIRS = (
        (('ibv_rc_pingpong', '-d', 'rxa', '-g', '1', '-n', '100000000'),
         ('ibv_rc_pingpong', '-d', 'rxb', '-g', '1', '-n', '100000000', '10.9.0.1')),
        (('rping', '-s', '-a', '10.9.0.1', '-C', '100000000'),
         ('rping', '-c', '-a', '10.9.0.1', '-C', '100000000')),
        (('ibv_srq_pingpong', '-d', 'rxa', '-g', '1', '-n', '100000000', '-p', '18516', '-q', '5'),
         ('ibv_srq_pingpong', '-d', 'rxb', '-g', '1', '-n', '100000000', '-p', '18516', '-q', '5',
          '10.9.0.1')),
    )

    def __init__(self):
        self.programs = []
        for server, client in self.PAIRS:
            self.programs.append(Running(*server, prefix=NICE))
            pid = self.programs[-1].process.pid
            until(lambda: listens(pid, server[0]))
            self.programs.append(Running(*client, prefix=NICE))

    def ready(self):
        """Waits for 7 connected queue pairs on either side."""
        devices = netlink.Devices()
        return until(lambda: devices.ready_to_send('rxa') == 7 == devices.ready_to_send('rxb'))

    def signal(self, number):
        for running in self.programs:
            running.process.send_signal(number)

    def end(self):
        for running in self.programs:
            running.end(signal.SIGKILL)


def listens(pid, name):
    """rping listens by the connection manager, the others for TCP."""
    if name == 'rping':
        return netlink.Devices().listens(pid)
    sockets = set()
    for fd in peers.listdir('/proc/%d/fd' % pid):
        try:
            sockets.add(os.readlink('/proc/%d/fd/%s' % (pid, fd)))
        except OSError:  # closed in the meantime
            pass
    lines = (peers.read('/proc/net/tcp') or '') + '\n' + (peers.read('/proc/net/tcp6') or '')
    return any(' 0A ' in line and 'socket:[%s]' % line.split()[9] in sockets
               for line in lines.splitlines())


def filters(tap, found):
    qps = found['qp']
    pid = next(row['pid'] for row in qps if row['command'] == 'rping')
    cases = (
        (('--pid', str(pid)), lambda row: row['pid'] == pid),
        (('--comm', 'ibv_rc_pingpong'), lambda row: row['command'] == 'ibv_rc_pingpong'),
        (('--comm', 'ibv_srq_pingpong'), lambda row: row['command'] == 'ibv_srq_pingpon'),
        (('--comm', 'ib_core'), lambda row: row['kernel']),
        (('--type', 'gsi,ud'), lambda row: row['type'] in ('gsi', 'ud')),
        (('--state', 'rts', '--type', 'rc'), lambda row: row['type'] == 'rc'),
        (('--state', 'error,unknown-9'), lambda row: False),
        (('rxb',), lambda row: row['device'] == 'rxb'),
        # The GSI queue pairs of old kernels have no port.
        (('rxb/1', 'rxa/1'), lambda row: row['port'] == 1),
        (('rxb/1', '--comm', 'rping', '--type', 'rc'),
         lambda row: row['device'] == 'rxb' and row['command'] == 'rping'),
    )
    wrong = []
    for words, passes in cases:
        document = listing('qp', *words)
        wrong += unequal(' '.join(words), [row['qpn'] for row in document.rows],
                         [row['qpn'] for row in qps if passes(row)])
        wrong += unequal(' '.join(words) + ': exit status', document.status, 0)
    wrong += unequal('--limit', len(listing('qp', '--limit', '3').rows), 3)
    wrong += unequal('--limit of many', len(listing('mr', '--limit', '1000').rows), len(found['mr']))
    if 'srq' in found:
        wrong += unequal('srq --type', len(listing('srq', '--type', 'basic').rows), len(found['srq']))
    wrong += unequal('cm_id --state', {row['state'] for row in
                                       listing('cm_id', '--state', 'listen').rows}, {'listen'})
    tap.test('resources: filters keep exactly the matching rows', wrong)


def formats(tap, found):
    """JSON, --jsonl and --tsv have the same rows."""
    wrong = []
    for kind in found:
        rows = listing(kind).rows
        lines = program.rdmactl('--jsonl', 'resources', kind).text().splitlines()
        wrong += unequal(kind + ' --jsonl', [json.loads(line) for line in lines], rows)
        columns = list(rows[0])
        tsv = program.rdmactl('--tsv', 'resources', kind, '-o', ','.join(columns)).text()
        cells = [line.split('\t') for line in tsv.splitlines()]
        wrong += unequal(kind + ' --tsv', cells, [columns] + [[cell(value) for value in row.values()]
                                                              for row in rows])
    tap.test('resources: --jsonl and --tsv have the rows of --json', wrong)


def cell(value):
    if value is None or isinstance(value, bool):
        return {None: '', True: 'yes', False: 'no'}[value]
    return ','.join(value) if isinstance(value, list) else str(value)


def unprivileged(tap):
    found = compare_all(tap, 'as an ordinary user', prefix=peers.NOBODY)
    keys = [row for kind in KEYS for row in found[kind]
            if any(row[key] is not None for key in KEYS[kind])]
    tap.test('resources: no keys for an ordinary user', ['%s' % row for row in keys])
    document = listing(None, '--by', 'process', prefix=peers.NOBODY)
    tap.test('resources: --by process for an ordinary user',
             unequal('exit status', document.status, status_of_all(found)) +
             unequal('the same', [row['registered_bytes'] for row in document.rows],
                     [row['registered_bytes'] for row in listing(None, '--by', 'process').rows]))


def status_of(pid, label):
    text = peers.read('/proc/%d/status' % pid)
    return int(re.search(r'^%s:\s*(\d+) kB' % label, text, re.M).group(1)) * 1024


def memlock_of(pid):
    text = peers.read('/proc/%d/limits' % pid)
    return [None if number == 'unlimited' else int(number) for number in
            re.search(r'^Max locked memory\s+(\S+)\s+(\S+)', text, re.M).groups()]


def by_process(tap, found):
    document = listing(None, '--by', 'process')
    wrong = unequal('exit status', document.status, status_of_all(found)) + failures(document)
    holders = {}
    for kind, rows in found.items():
        for row in rows:
            sums = holders.setdefault((row['pid'], row['command'], row['kernel']),
                                      {'devices': set(), 'registered_bytes': 0})
            sums[KINDS[kind]] = sums.get(KINDS[kind], 0) + 1
            sums['devices'].add(row['device'])
            sums['registered_bytes'] += row.get('length_bytes') or 0
    wrong += unequal('holders', {(row['pid'], row['command'], row['kernel'])
                                 for row in document.rows}, set(holders))
    for row in document.rows:
        sums = holders.get((row['pid'], row['command'], row['kernel']), {})
        sums['devices'] = sorted(sums.get('devices', ()))
        row['devices'].sort()
        for kind in KINDS:
            if kind not in found:
                sums[KINDS[kind]] = None
        for key in (*KINDS.values(), 'devices', 'registered_bytes'):
            wrong += unequal('%s %s' % (row['command'], key), row[key], sums.get(key, 0))
        if row['kernel']:
            continue
        wrong += unequal('VmPin', row['pinned_bytes'], status_of(row['pid'], 'VmPin'))
        wrong += unequal('VmLck', row['locked_bytes'], status_of(row['pid'], 'VmLck'))
        limits = memlock_of(row['pid'])
        wrong += unequal('RLIMIT_MEMLOCK', [row['memlock_soft_bytes'], row['memlock_hard_bytes']],
                         limits)
        wrong += unequal('unlimited', [row['memlock_unlimited'], row['memlock_hard_unlimited']],
                         [limit is None for limit in limits])
    sizes = [row['registered_bytes'] for row in document.rows]
    wrong += unequal('order', sizes, sorted(sizes, reverse=True))
    tap.test('resources: --by process: sums, and memory and limits from /proc', wrong)
    one = listing(None, '--by', 'process', '--comm', 'rping', 'rxa')
    wrong = unequal('devices', [(row['command'], row['devices']) for row in one.rows],
                    [('rping', ['rxa'])])
    wrong += unequal('--limit', len(listing(None, '--by', 'process', '--limit', '2').rows), 2)
    tap.test('resources: --by process: one device, and filters', wrong)


def cgroup(tap):
    """A program in a control group with a limit; the group counts the objects that it makes."""
    group = '/sys/fs/cgroup/rdma test'
    if not peers.listdir('/sys/fs/cgroup'):
        peers.must('mount', '-t', 'cgroup2', 'none', '/sys/fs/cgroup')
    if 'rdma' not in (peers.read('/sys/fs/cgroup/cgroup.controllers') or '').split():
        tap.skip('resources: control group', 'this kernel has no rdma controller')
        return
    write('/sys/fs/cgroup/cgroup.subtree_control', '+rdma')
    os.mkdir(group)
    os.mkdir(group + '/below')
    write(group + '/rdma.max', 'rxa hca_handle=7 hca_object=100')
    write(group + '/rdma.max', 'rxb hca_handle=max hca_object=2000')
    running = Running('/bin/sh', '-c', 'echo $$ >"$0/cgroup.procs" && exec "$@"', group + '/below',
                      'ibv_rc_pingpong', '-d', 'rxa', '-g', '1', '-p', '18520')
    pid = running.process.pid
    until(lambda: peers.read('/proc/%d/comm' % pid) == 'ibv_rc_pingpong' and
          listens(pid, 'ibv_rc_pingpong'))
    document = listing(None, '--by', 'process', '--pid', str(pid))
    row = document.rows[0]
    current = dict(word.split('=') for word in
                   peers.read(group + '/rdma.current').split('\n')[0].split()[1:])
    tap.test('resources: --by process: control group: the closest one that counts objects',
             unequal('group', row['cgroup'], '/rdma test') +
             unequal('devices', row['cgroup_devices'], [
                 {'device': 'rxa', 'handles': int(current['hca_handle']), 'handles_max': 7,
                  'handles_unlimited': False, 'objects': int(current['hca_object']),
                  'objects_max': 100, 'objects_unlimited': False},
                 {'device': 'rxb', 'handles': 0, 'handles_max': None, 'handles_unlimited': True,
                  'objects': 0, 'objects_max': 2000, 'objects_unlimited': False}]) +
             unequal('it counts', int(current['hca_handle']), 1) +
             unequal('words', row['cgroup_usage'], [
                 'rxa:handles=1/7:objects=%s/100' % current['hca_object'],
                 'rxb:handles=0/max:objects=0/2000']))
    running.end(signal.SIGKILL)


def write(path, text):
    with open(path, 'w', encoding='ascii') as file:
        file.write(text)


class Killing(threading.Thread):
    """Starts programs that open a device and make objects, and kills them."""

    def __init__(self):
        super().__init__()
        self.over = threading.Event()
        self.count = 0

    def run(self):
        while not self.over.is_set():
            several = [Running('ibv_rc_pingpong', '-d', 'rxa', '-g', '1', '-p', str(19000 + number))
                       for number in range(3)]
            self.over.wait(0.3)
            for running in several:
                running.end(signal.SIGKILL)
            self.count += len(several)


def killed(tap, found, rounds=16):
    """Processes end while they are listed: the others are always listed, without errors."""
    stay = {row['qpn'] for row in found['qp'] if row['device'] == 'rxb'}
    other = Killing()
    other.start()
    wrong, seen = [], 0
    kinds = [*found, None]
    try:
        for number in range(rounds):
            kind = kinds[number % len(kinds)]
            words = () if kind else ('--by', 'process')
            document = listing(kind, *words)
            wrong += unequal('%s: exit status' % kind, document.status,
                             0 if kind else status_of_all(found))
            wrong += failures(document)
            if kind == 'qp':
                wrong += unequal('of those that stay', stay - {row['qpn'] for row in document.rows
                                                              if row['device'] == 'rxb'}, set())
                seen += len(document.rows) > len(found['qp'])
    finally:
        other.over.set()
        other.join()
    tap.test('resources: processes are killed while they are listed', wrong,
             ['%d processes, seen in %d of the lists of queue pairs' % (other.count, seen)])


def churn(tap, found, rounds=8):
    """Devices come and go while all objects are listed, without errors."""
    peers.must('ip', '-b', '-', stdin=Churn.NETDEVS.encode())
    stay = {row['qpn'] for row in found['qp'] if row['device'] == 'rxb'}
    other = Churn()
    other.start()
    wrong, seen = [], 0
    try:
        for number in range(rounds):
            document = listing('qp') if number % 2 else listing(None, '--by', 'process')
            wrong += unequal('exit status', document.status,
                             0 if number % 2 else status_of_all(found))
            wrong += failures(document)
            if number % 2:
                wrong += unequal('of those that stay', stay - {row['qpn'] for row in document.rows
                                                              if row['device'] == 'rxb'}, set())
                seen += any(row['device'].startswith('rxc') for row in document.rows)
    finally:
        other.over.set()
        other.join()
    tap.test('resources: devices come and go while they are listed', other.failed or wrong,
             ['%d created and removed, seen in %d lists' % (other.count, seen)])
    for number in Churn.NUMBERS:
        peers.run('ip', 'link', 'del', 'churn%d' % number)


def removed(tap):
    """A device does not exist: a message says so, and the other one is listed."""
    document = listing('qp', 'rxa', 'rxnone')
    tap.test('resources: a device that does not exist',
             unequal('exit status', document.status, 3) +
             unequal('problem', [problem['object'] for problem in document.problems], ['rxnone']) +
             unequal('devices', {row['device'] for row in document.rows}, {'rxa'}))
    document = listing('qp', 'rxa/7')
    tap.test('resources: a port that does not exist', unequal('exit status', document.status, 5))


def modules(tap):
    """Optional modules are missing: rdmactl loads none."""
    removed = peers.run('modprobe', '-r', 'rdma_ucm', 'ib_umad')
    before = sorted(name for name in MODULES if loaded(name))
    for kind in KINDS:
        listing(kind)
    listing(None, '--by', 'process')
    tap.test('resources: listing loads no module', removed.describe() if removed.status else
             unequal('modules', sorted(name for name in MODULES if loaded(name)), before))
    peers.must('modprobe', '-a', 'rdma_ucm', 'ib_umad')


# Opens a device, makes a number of protection domains and waits. Its name has control bytes.
MAKER = '''
import ctypes, sys, time
with open('/proc/self/comm', 'w') as file:
    file.write('x\\x1b[31m\\ny')
verbs = ctypes.CDLL('libibverbs.so.1')
for name in ('ibv_get_device_list', 'ibv_open_device', 'ibv_alloc_pd'):
    getattr(verbs, name).restype = ctypes.c_void_p
verbs.ibv_get_device_name.restype = ctypes.c_char_p
devices = (ctypes.c_void_p * 99).from_address(verbs.ibv_get_device_list(None))
device = next(d for d in devices if verbs.ibv_get_device_name(ctypes.c_void_p(d)) == b'rxe7')
context = ctypes.c_void_p(verbs.ibv_open_device(ctypes.c_void_p(device)))
for number in range(int(sys.argv[1])):
    assert verbs.ibv_alloc_pd(context), number
print('made', flush=True)
time.sleep(1000)
'''


def large(tap, contexts, count=20000):
    """A table that is larger than any buffer."""
    running = Running('/usr/bin/python3', '-c', MAKER, str(count))
    if not running.says('made'):
        tap.test('resources: (%d protection domains were created)' % count,
                 running.end(signal.SIGKILL).describe())
        return
    document = listing(None, '--by', 'process', '--pid', str(running.process.pid))
    tap.test('resources: %d objects of a program with a hostile name: --by process' % count,
             unequal('rows', [(row['command'], row['pds'], row['ctxs']) for row in document.rows],
                     [('x\\x1b[31m\\x0ay', count, contexts)]))
    program.rdmactl('resources', 'ctx', 'rxe7')
    plain = peers.must('rdma', 'res', 'show', 'pd', 'dev', 'rxe7')
    if b'\x1b' in plain.out:
        compare.known('rdma-hostile-command')
    theirs = [int(number) for number in re.findall(r' pdn (\d+) ', plain.text())]
    for options in (('-j',), ('--jsonl',), ('--tsv', '--no-headings'), ('--no-headings',)):
        result = program.rdmactl(*options, 'resources', 'pd', 'rxe7', '-o', 'pdn')
        text = result.text()
        numbers = [int(number) for number in re.findall(r'\d+', text.partition('"pds"')[2] or text)]
        tap.test('resources: %d objects by %s' % (count, ' '.join(options)),
                 unequal('exit status', result.status, 0) +
                 ([] if numbers == theirs else '%d numbers, rdma has %d' %
                  (len(numbers), len(theirs))) +
                 ([] if len(numbers) > count else 'there are too few'))
    tap.test('resources: %d objects: --limit' % count,
             unequal('rows', [row['pdn'] for row in listing('pd', 'rxe7', '--limit', '1500').rows],
                     theirs[:1500]))
    binary = program.plain_binary()
    if binary:
        for words in (('resources', 'pd'), ('-j', 'resources', 'pd'),
                      ('resources', '--by', 'process')):
            peak = measure.peak_memory_kb(binary, *words)
            tap.test('resources: %d objects: %s in less than 10 MB: %d kB' %
                     (count, ' '.join(words), peak), [] if peak < MEMORY_KB else '%d kB' % peak)
    running.end(signal.SIGKILL)


def hidden(tap):
    """In another PID namespace the processes are invisible, but their objects are listed."""
    document = listing('qp', prefix=('unshare', '--fork', '--pid', '--mount-proc'))
    rows = [row for row in document.rows if not row['kernel']]
    tap.test('resources: in another PID namespace: objects without a process',
             unequal('exit status', document.status, 0) +
             ([] if rows else 'no rows') +
             ['%s' % row for row in rows
              if any(row[key] is not None for key in ('pid', 'command', 'thread'))])


def many(tap, count=64):
    clear()
    peers.shell('bed_many %d' % count)
    running = Running('ibv_rc_pingpong', '-d', 'rxe7', '-g', '0')
    until(lambda: listens(running.process.pid, 'ibv_rc_pingpong'))
    found = compare_all(tap, '%d devices' % count)
    names = []
    for row in found['qp']:
        if row['device'] not in names:
            names.append(row['device'])
    tap.test('resources: %d devices: in natural order' % count,
             unequal('devices', names, ['rxe%d' % number for number in range(count)]))
    running.end(signal.SIGKILL)
    binary = program.plain_binary()
    if not binary:
        tap.skip('resources: peak memory', 'there is no build without sanitizers')
        return
    for words in (('resources',), ('resources', 'qp'), ('-j', 'resources', 'qp'),
                  ('resources', '--by', 'process')):
        peak = measure.peak_memory_kb(binary, *words)
        tap.test('resources: %d devices: %s in less than 10 MB: %d kB' %
                 (count, ' '.join(words), peak), [] if peak < MEMORY_KB else '%d kB' % peak)
    large(tap, 1 if 'ctx' in found else None)


def leave(count=64):
    """Restores the two devices on the wire."""
    clear()
    peers.must('ip', '-b', '-', stdin=''.join(
        'link del d%d\n' % number for number in range(count)).encode())
    for device, netdev in (('rxa', 'va'), ('rxb', 'vb')):
        peers.must('rdma', 'link', 'add', device, 'type', 'rxe', 'netdev', netdev)


def play(tap):
    peers.shell('bed_wire')
    modules(tap)
    traffic = Traffic()
    try:
        tap.test('resources: (traffic flows)', [] if traffic.ready() else 'it does not')
        compare_all(tap, 'while traffic flows', moving=True)
        traffic.signal(signal.SIGSTOP)
        # Packets in flight are still acknowledged or retransmitted.
        devices = netlink.Devices()
        steady(lambda: devices.queue_pairs('rxa') + devices.queue_pairs('rxb'))
        found = compare_all(tap, 'traffic at rest')
        owners(tap, found)
        filters(tap, found)
        formats(tap, found)
        unprivileged(tap)
        by_process(tap, found)
        hidden(tap)
        cgroup(tap)
        killed(tap, found)
        churn(tap, found)
        removed(tap)
    finally:
        traffic.signal(signal.SIGCONT)
        traffic.end()
    many(tap)
    leave()
