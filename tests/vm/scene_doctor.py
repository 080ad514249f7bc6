# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl doctor: real faults are named, and disappear with their causes."""

import json
import os
import resource
import signal
import stat
import threading
import time

import peers
import program
import selftest
from scene_none import load, unload
from selftest import until
from tap import unequal

BAD = ('note', 'warning', 'error')
# Findings that are right in any guest: pinned memory is limited, also for processes without an RDMA
# device; the ends of the wire are two netdevs of one subnet.
ALWAYS = ('memlock', 'nofile', 'hugepages', 'cpu-power', 'node-desc', 'multi-rail-arp')
# The number of clock_nanosleep() on x86-64. Linux 5.10 does not tell wchan.
SLEEPS = '230 '


def modules():
    with open('/proc/modules', encoding='ascii') as file:
        return sorted(line.split()[0] for line in file)


class Doctor:
    """One run: findings by check and object."""

    def __init__(self, *words, **options):
        self.result = program.rdmactl('-j', 'doctor', *words, **options)
        document = json.loads(self.result.out)
        program.validate(self.result, document, 'doctor', ())
        self.rows = document['doctor']
        self.problems = document['problems']

    def of(self, check, name=None):
        return [row for row in self.rows if row['check'] == check and name in (None, row['object'])]

    def verdict(self, check, name=None):
        """The worst verdict of the check on the object, or on all objects; None without any
        result."""
        order = ('not-checked', 'ok') + BAD
        return max((row['verdict'] for row in self.of(check, name)), key=order.index, default=None)

    def describe(self):
        return ['%(check)s %(object)s %(verdict)s: %(summary)s | %(evidence)s' % row for row in self.rows
                if row['verdict'] in BAD] + ['problem: %s' % problem for problem in self.problems]


def finds(tap, title, check, verdict, words=(), name=None, says=(), step=(), **options):
    """The check gives the verdict, with evidence that contains the words, and a next step."""
    doctor = Doctor(*words, **options)
    wrong = unequal('%s %s' % (check, name or ''), doctor.verdict(check, name), verdict)
    rows = [row for row in doctor.of(check, name) if row['verdict'] == verdict]
    text = ' '.join('%s %s' % (row['summary'], row['evidence']) for row in rows)
    for word in (says,) if isinstance(says, str) else says:
        if word not in text:
            wrong.append('%r is not in %r' % (word, text))
    if verdict in BAD:
        if not all(row['evidence'] and row['next_step'] for row in rows):
            wrong.append('no evidence or no next step: %s' % rows)
        for word in (step,) if isinstance(step, str) else step:
            if not any(word in row['next_step'] for row in rows):
                wrong.append('%r is in no next step: %s' % (word, [row['next_step'] for row in rows]))
        if verdict != 'note' and doctor.result.status != 4:
            wrong += unequal('exit status', doctor.result.status, 4)
    tap.test('doctor: ' + title, wrong + (doctor.describe() if wrong else []))
    return doctor


def without_modules(tap):
    unload()
    before = modules()
    doctor = Doctor()
    wrong = unequal('exit status', doctor.result.status, 5) + unequal('modules', modules(), before)
    wrong += doctor.describe() if doctor.verdict('pci-hardware') not in ('note', 'ok') else []
    tap.test('doctor: no RDMA at all: exit 5, and no module was loaded', wrong)
    load()


def healthy(tap):
    """Only the findings of every guest; nothing is loaded, opened or changed."""
    before = modules()
    begin = time.monotonic()
    doctor = Doctor('--fail-on', 'error')
    seconds = time.monotonic() - begin
    wrong = [line for line in doctor.describe() if line.split()[0] not in ALWAYS and ' note: ' not in line]
    wrong += unequal('modules', modules(), before)
    tap.test('doctor: a healthy host has no error, and only the warnings of every guest', wrong,
             say=['%.2f s' % seconds] + doctor.describe())
    nobody = Doctor('--fail-on', 'error', prefix=peers.NOBODY)
    roots = {row['check'] for row in nobody.rows if row['needs'] and 'root' in row['needs']}
    tap.test('doctor: an ordinary user sees the same, except for checks that need root',
             ['%s: %s for root, %s for nobody' % (check, doctor.verdict(check), nobody.verdict(check))
              for check in sorted({row['check'] for row in doctor.rows} - roots - set(ALWAYS))
              if doctor.verdict(check) != nobody.verdict(check)], say=['needs root: %s' % sorted(roots)])


def stack(tap):
    peers.must('modprobe', '-r', 'rdma_ucm', 'ib_umad')
    finds(tap, 'rdma_ucm is missing', 'verbs-modules', 'note', says='rdma_ucm', step='modprobe')
    with open('/etc/modprobe.d/rdmactl-test.conf', 'w', encoding='ascii') as file:
        file.write('# of the tests\ninstall rdma_ucm /bin/false\n')
    doctor = Doctor()
    text = json.dumps(doctor.rows)
    tap.test('doctor: rdma_ucm is blocked by modprobe.d: the file and its line are named',
             [] if '/etc/modprobe.d/rdmactl-test.conf:2' in text else doctor.describe())
    os.unlink('/etc/modprobe.d/rdmactl-test.conf')
    peers.must('modprobe', '-a', 'rdma_ucm', 'ib_umad')
    doctor = Doctor()
    tap.test('doctor: with the modules loaded again, they are not reported',
             [line for line in doctor.describe() if line.startswith(('verbs-modules', 'module-'))])


def nodes(tap):
    folder = '/dev/infiniband'
    names = [name for name in sorted(os.listdir(folder)) if name.startswith('uverbs')]
    modes = {name: stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode) for name in names}
    for name in names:
        os.chmod(os.path.join(folder, name), 0o600)
    finds(tap, 'verbs nodes are for root only', 'device-nodes', 'error', prefix=peers.NOBODY, says='uverbs')
    for name in names:
        os.chmod(os.path.join(folder, name), modes[name])
    finds(tap, 'no verbs nodes', 'device-nodes', 'error', prefix=peers.HIDDEN, says='uverbs0 is missing')
    # The guest sees the files of the machine that runs the tests, which may be a container, but is none.
    with open('/.dockerenv', 'w', encoding='ascii'):
        pass
    finds(tap, 'the files of a container, but the root directory of process 1', 'container-devices', None,
          prefix=peers.HIDDEN)
    finds(tap, 'a container that got no verbs nodes', 'container-devices', 'error',
          prefix=('unshare', '-p', '-f', '--mount-proc') + peers.HIDDEN, says='with a device file: 0')
    os.unlink('/.dockerenv')
    hidden = ('unshare', '-m', '/bin/sh', '-c', 'mount -t tmpfs none /etc/libibverbs.d && exec "$@"', 'sh')
    finds(tap, 'no provider for rxe', 'provider', 'error', prefix=hidden, says='rxe')


def ports(tap):
    peers.must('ip', 'link', 'set', 'va', 'down')
    finds(tap, 'a netdev with addresses is down', 'port-state', 'error', name='rxa/1',
          step='ip link set va up')
    doctor = Doctor()
    blocked = {row['check'] for row in doctor.rows
               if row['because'] == 'port-state' and row['object'] == 'rxa/1'}
    tap.test('doctor: checks that depend on the port are not made because of it',
             [] if blocked else doctor.describe(), say=sorted(blocked))
    peers.must('ip', 'link', 'set', 'va', 'up')
    peers.shell('bed_rewire')
    # A port that comes back sends gratuitous ARP packets; its state follows later.
    until(lambda: Doctor('--only', 'port-state').verdict('port-state') == 'ok')
    finds(tap, 'the netdev is up again', 'port-state', 'ok')


def announce(value):
    with open('/proc/sys/net/ipv4/conf/all/arp_announce', 'w', encoding='ascii') as file:
        file.write(value)


def network(tap):
    finds(tap, 'an MTU of 1500 gives 1024', 'roce-mtu', 'note', name='rxa/1',
          says=('1024', '1500'), step='rdmactl roce set va mtu')
    peers.must('ip', '-batch', '-', stdin=b'link set va mtu 4500\nlink set vb mtu 4500\n')
    finds(tap, 'an MTU of 4500 is enough', 'roce-mtu', 'ok', name='rxa/1')
    peers.must('ip', '-batch', '-', stdin=b'link set va mtu 1500\nlink set vb mtu 1500\n')
    finds(tap, 'two netdevs in one subnet, ARP by default', 'multi-rail-arp', 'warning', name='va',
          says='arp_announce 0', step='arp_announce')
    announce('2')
    finds(tap, 'two netdevs in one subnet, ARP as it should be', 'multi-rail-arp', 'ok', name='va')
    # A GID table of rxe has 1024 slots.
    lines = ''.join('addr add 10.77.%d.%d/32 dev va\n' % (n // 250, n % 250 + 1) for n in range(1100))
    peers.must('ip', '-batch', '-', stdin=lines.encode(), timeout=120)
    finds(tap, 'addresses without a GID', 'gid-present', 'error', name='rxa/1', says='10.77.')
    peers.must('ip', '-batch', '-', stdin=lines.replace('addr add', 'addr del').encode(), timeout=120)


def limits(tap):
    soft, hard = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (65536, 65536 if hard == -1 else hard))
    finds(tap, 'little pinned memory', 'memlock', 'error', words=('--profile', 'hpc'), prefix=peers.NOBODY,
          says='64 KiB', step='limits.d')
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (soft, hard))


def write(path, text):
    with open(path, 'w', encoding='ascii') as file:
        file.write(text)


def cgroup(tap):
    """A quota of the control group: first available, then used up."""
    group = '/sys/fs/cgroup/doctor'
    if not peers.listdir('/sys/fs/cgroup'):
        peers.must('mount', '-t', 'cgroup2', 'none', '/sys/fs/cgroup')
    if 'rdma' not in (peers.read('/sys/fs/cgroup/cgroup.controllers') or '').split():
        tap.skip('doctor: a quota of RDMA objects', 'the kernel has no rdma controller')
        return
    write('/sys/fs/cgroup/cgroup.subtree_control', '+rdma')
    os.mkdir(group)
    inside = ('/bin/sh', '-c', 'echo $$ >%s/cgroup.procs && exec "$@"' % group, 'sh')
    write(group + '/rdma.max', 'rxa hca_handle=2 hca_object=50')
    finds(tap, 'a quota of RDMA objects', 'rdma-cgroup', 'note', name='rxa', prefix=inside, says='50')
    write(group + '/rdma.max', 'rxa hca_handle=0')
    finds(tap, 'a quota that is used up', 'rdma-cgroup', 'error', name='rxa', prefix=inside, step='rdma.max')
    finds(tap, 'no quota outside of the group', 'rdma-cgroup', 'ok', name='rxa')
    os.rmdir(group)


def settings(tap):
    """Names in the settings of libraries that do not exist."""
    finds(tap, 'NCCL_IB_HCA names a device that does not exist', 'stale-env', 'warning',
          env={'NCCL_IB_HCA': '=rxz:1'}, says='rxz')
    finds(tap, 'NCCL_IB_HCA names an existing device', 'stale-env', 'ok', env={'NCCL_IB_HCA': '=rxa:1'})


def expectation(tap):
    """The facts of a good host, and the findings when a device is missing."""
    learned = program.rdmactl('doctor', '--learn')
    write('/run/expect.json', learned.text())
    finds(tap, '--expect: as it was learned', 'expect', 'ok', words=('--expect', '/run/expect.json'))
    peers.must('rdma', 'link', 'del', 'rxb')
    finds(tap, '--expect: a device is missing', 'expect', 'error', name='rxb',
          words=('--expect', '/run/expect.json'), says='no such device')
    peers.must('rdma', 'link', 'add', 'rxb', 'type', 'rxe', 'netdev', 'vb')
    finds(tap, '--expect: the device is back', 'expect', 'ok', words=('--expect', '/run/expect.json'))


def namespaces(tap):
    peers.must('rdma', 'system', 'set', 'netns', 'exclusive')
    finds(tap, 'devices belong to one namespace', 'netns-mode', 'note', says='exclusive')
    peers.must('ip', 'netns', 'add', 'doctor')
    doctor = Doctor(prefix=peers.netns('doctor'))
    tap.test('doctor: in a namespace without devices', doctor.describe()
             if doctor.result.status not in (4, 5) else [], say=doctor.describe())
    peers.delete_netns('doctor')
    peers.must('rdma', 'system', 'set', 'netns', 'shared')


def firewall(tap):
    """Packet filters affect software RoCE; hardware bypasses the host's filters."""
    if peers.run('nft', 'add', 'table', 'inet', 'doctor').status != 0:
        tap.skip('doctor: a packet filter is named, and where to look for its rules', 'nft or its kernel module is missing')
        return
    peers.must('nft', '-f', '-', stdin=b"""add chain inet doctor input { type filter hook input priority 0; }
add rule inet doctor input udp dport 4791 drop
""")
    doctor = Doctor()
    text = json.dumps(doctor.of('firewall'))
    tap.test('doctor: a packet filter is named, and where to look for its rules',
             unequal('firewall', doctor.verdict('firewall'), 'not-checked') +
             [word for word in ('nf_tables', '4791', 'nft list ruleset') if word not in text])
    peers.must('nft', 'delete', 'table', 'inet', 'doctor')


class Between(threading.Thread):
    """Calls a function while a doctor started by this program waits between its two readings,
    and holds the doctor meanwhile."""

    def __init__(self, act):
        super().__init__()
        self.act = act
        self.start()

    def run(self):
        found = []

        def waits():
            children = [pid for task in peers.listdir('/proc/self/task')
                        for pid in (peers.read('/proc/self/task/%s/children' % task) or '').split()]
            found[:] = [int(pid) for pid in children
                        if (peers.read('/proc/%s/syscall' % pid) or '').startswith(SLEEPS)]
            return found

        if until(waits):
            os.kill(found[0], signal.SIGSTOP)
            self.act()
            os.kill(found[0], signal.SIGCONT)


def flap():
    peers.must('ip', 'link', 'set', 'vb', 'down')
    until(lambda: peers.read('/sys/class/net/va/operstate') != 'up')
    peers.must('ip', 'link', 'set', 'vb', 'up')


def growth(tap):
    """A link that goes down between the two readings of doctor."""
    between = Between(flap)
    finds(tap, 'a link that flaps while it looks', 'link-flaps', 'warning', words=('--interval', '4s'))
    between.join()
    peers.shell('bed_rewire')


def peer(tap):
    """Data flow to the other end of the wire; then its packets are lost, and nothing serves
    there."""
    server = selftest.Server(bind='10.9.0.2')
    finds(tap, '--peer: data gets through', 'peer-data', 'ok', words=('--peer', '10.9.0.2'), says='tests passed')
    wrong, _ = server.stop()
    tap.test('doctor: --peer: the server ends without errors', wrong)
    finds(tap, '--peer: no server runs there', 'peer-data', 'error', words=('--peer', '10.9.0.2'),
          says='10.9.0.2', step='rdmactl selftest --serve')


def formats(tap):
    peers.must('ip', 'link', 'set', 'va', 'down')
    done = program.rdmactl('doctor', '--only', 'port-state', '--format', 'nagios')
    tap.test('doctor: --format nagios: critical',
             unequal('status', done.status, 2) if not done.text().startswith('RDMA CRITICAL - rxa/1: ') or
             done.status != 2 else [], say=[done.text()])
    peers.must('ip', 'link', 'set', 'va', 'up')
    peers.shell('bed_rewire')


def play(tap):
    without_modules(tap)
    # Other scenes leave VLANs on the wire.
    for name in ('va.5', 'va.7'):
        peers.run('ip', 'link', 'del', name)
    peers.shell('bed_wire')
    healthy(tap)
    for part in (stack, nodes, ports, network, limits, cgroup, settings, expectation, namespaces, firewall,
                 growth, peer, formats):
        part(tap)
