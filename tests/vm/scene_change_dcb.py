# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Settings of data center bridging, on the netdev of tests/vm/dcbsim with Soft-RoCE.

After each of our changes `dcb` must show it, and after each change by `dcb` rdmactl must show it;
files of the driver's parameters make it misbehave.
"""

import errno
import json
import os
import pty
import shutil
import socket
import struct
import subprocess
import tempfile

import compare
import netlink
import peers
import program
from scene_change import change, states
from scene_doctor import finds
from tap import unequal

MODULE = '/sys/module/dcbsim/parameters/'
NETDEV = 'dcb0'
OPS = ('ets', 'pfc', 'rate', 'buffer', 'app', 'trust', 'dcbx', 'pause')
GETDCB, SETDCB = 78, 79
IEEE_SET, IEEE_GET = 20, 21
ATTR_IFNAME, ATTR_IEEE, TRUST_TABLE, IEEE_APP, PCP_APP = 1, 13, 11, 1, 2
DSCP, PCP = 5, 255


def parameter(name, value):
    with open(MODULE + name, 'w', encoding='ascii') as file:
        file.write(str(value))


def behave():
    """Makes the driver behave normally again."""
    for op in OPS:
        parameter('fail_' + op, 0)
    parameter('ignore', 0)
    parameter('lacks', 0)


def mask(op):
    return 1 << OPS.index(op)


def dcb(what):
    return json.loads(peers.must('dcb', '-j', '-N', what, 'show', 'dev', NETDEV).text())


def set_dcb(what, *words):
    peers.must('dcb', what, 'set', 'dev', NETDEV, *words)


def trust_of_kernel():
    """The trusted selectors, in order; None if the kernel does not say."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, netlink.ROUTE) as route:
        payload = struct.pack('=BBH', 0, IEEE_GET, 0) + netlink.text(ATTR_IFNAME, NETDEV)
        route.send(struct.pack('=IHHII', 16 + len(payload), GETDCB, 1, 1, 0) + payload)
        answer = route.recv(65536)
    for kind, data in attributes(dict(attributes(answer[20:]))[ATTR_IEEE]):
        if kind == TRUST_TABLE:
            return [entry[0] for _, entry in attributes(data)]
    return None


def attributes(data):
    found = []
    while len(data) >= 4:
        length, kind = struct.unpack_from('=HH', data)
        found.append((kind & 0x3fff, data[4:length]))
        data = data[(length + 3) & ~3:]
    return found


def set_trust(*selectors):
    entries = b''.join(netlink.attribute(PCP_APP if each == PCP else IEEE_APP, bytes([each]))
                       for each in selectors)
    netlink.Netlink(netlink.ROUTE).ask(
        SETDCB, struct.pack('=BBH', 0, IEEE_SET, 0) + netlink.text(ATTR_IFNAME, NETDEV) +
        netlink.attribute(ATTR_IEEE | 0x8000, netlink.attribute(TRUST_TABLE | 0x8000, entries)))


def ours(*words, **options):
    return change('roce', 'set', NETDEV, *words, '--yes', **options)


def before(setting, other):
    """The value that rdmactl reads: the value before a change that is not made."""
    document = change('roce', 'set', NETDEV, setting, other, '--dry-run', '--force')
    return document.rows[0]['before'] if document.rows else document.describe()


def eight(*values):
    return ','.join('%d:%s' % pair for pair in enumerate(values))


def pfc(document):
    return [i for i, on in enumerate(document['prio_pfc']) if on]


# Setting, words for rdmactl, part of dcb that shows it, how, and the value shown then; words for
# dcb set, and the value that rdmactl shows afterwards.
PAIRS = (
    ('pfc', '3,4', 'pfc', pfc, [3, 4], ('prio-pfc', 'all:off', '0:on', '7:on'), '0,7'),
    ('pfc', 'none', 'pfc', pfc, [], ('prio-pfc', '3:on'), '3'),
    ('pfc-delay', '100', 'pfc', lambda shown: shown['delay'], 100, ('delay', '7'), '7'),
    ('priority-class', '3:1', 'ets', lambda shown: shown['prio_tc'], [0, 1, 2, 1, 4, 5, 6, 7],
     ('prio-tc', '3:3', '7:0'), eight(0, 1, 2, 3, 4, 5, 6, 0)),
    ('priority-buffer', '3:1', 'buffer', lambda shown: shown['prio_buffer'],
     [0, 0, 0, 1, 0, 0, 0, 0], ('prio-buffer', 'all:2'), eight(*[2] * 8)),
    ('buffer-size', '2:4096', 'buffer', lambda shown: shown['buffer_size'],
     [65536, 131072, 4096, 0, 0, 0, 0, 0], ('buffer-size', '0:1000', '1:0', '2:0'),
     eight(1000, *[0] * 7)),
)
OTHER = {'pfc': '5', 'pfc-delay': '9', 'priority-class': 'all:5', 'priority-buffer': 'all:7', 'buffer-size': 'all:1'}


def pairs(tap):
    for setting, words, what, read, shown, theirs, expected in PAIRS:
        done = ours(setting, words)
        wrong = (unequal('status', done.status, 0) + unequal('state', states(done), ['changed']) +
                 unequal('dcb shows', read(dcb(what)), shown))
        again = ours(setting, words)
        wrong += unequal('again', (states(again), again.changed), (['unchanged'], False))
        set_dcb(what, *theirs)
        wrong += unequal('after dcb', before(setting, OTHER[setting]), expected)
        tap.test('change-dcb: %s %s, and dcb shows it; after dcb, ours shows it' % (setting, words),
                 wrong + (done.describe() if wrong else []))


def maxrate(tap):
    done = ours('maxrate', '0:10gbit,1:500mbit,2:64kbit')
    shown = dcb('maxrate')['tc_maxrate']
    set_dcb('maxrate', 'tc-maxrate', 'all:0', '0:25gbit')
    seen = before('maxrate', 'all:1kbit')
    bytes_are_kilobits = shown[2] == 64
    if bytes_are_kilobits:
        compare.known('dcb-maxrate-unit')
    factor = 1 if bytes_are_kilobits else 125
    rate = '3125gbit' if bytes_are_kilobits else '25gbit'
    tap.test('change-dcb: maxrate, and dcb shows it; after dcb, ours shows it',
             unequal('state', (done.status, states(done)), (0, ['changed'])) +
             unequal('dcb', shown, [each * factor for each in (10000000, 500000, 64)] + [0] * 5) +
             unequal('after dcb', seen, eight(rate, *['unlimited'] * 7)))
    set_dcb('maxrate', 'tc-maxrate', 'all:0')


def classes(tap):
    """Algorithms and bandwidths only fit together."""
    alone = ours('class-algorithm', '0:ets,1:ets')
    done = ours('class-algorithm', '0:ets,1:ets', 'class-bandwidth', '0:60,1:40')
    shown = dcb('ets')
    undone = [peers.run('/bin/sh', '-c', '"$RDMACTL" %s --yes' % row['undo'].split(' ', 1)[1]).status
              for row in reversed(done.rows)]
    back = dcb('ets')
    tap.test('change-dcb: the commands that undo algorithms and bandwidths',
             unequal('status', undone, [0, 0]) +
             unequal('dcb', (back['tc_bw'][:2], back['tc_tsa'][:2]), ([0, 0], ['strict', 'strict'])))
    tap.test('change-dcb: the bandwidths of ETS add up to 100, or the kernel is not asked',
             unequal('alone', (alone.status, states(alone)), (1, ['refused'])) +
             unequal('reason', '0 percent, not 100' in str(alone.rows[0]['reason']), True) +
             unequal('together', (done.status, states(done)), (0, ['changed', 'changed'])) +
             unequal('dcb', (shown['tc_bw'][:3], shown['tc_tsa'][:3]),
                     ([60, 40, 0], ['ets', 'ets', 'strict'])))
    set_dcb('ets', 'tc-tsa', 'all:strict', 'tc-bw', 'all:0')
    parameter('full', 1)
    full = ours('class-algorithm', '0:ets,1:ets', 'class-bandwidth', '0:60,1:40')
    kept = ours('class-bandwidth', '0:70,1:30')
    shown = dcb('ets')['tc_bw'][:3]
    parameter('full', 0)
    tap.test('change-dcb: a driver that reports all of the bandwidth for classes without ETS',
             unequal('states', (states(full), states(kept)), (['changed', 'changed'], ['changed'])) +
             unequal('before', full.rows[1]['before'][:11], eight(*[0] * 8)[:11]) +
             unequal('dcb', shown, [70, 30, 100]))
    set_dcb('ets', 'tc-tsa', 'all:strict', 'tc-bw', 'all:0')
    tap.test('change-dcb: after dcb, ours shows algorithms and bandwidths',
             unequal('algorithm', before('class-algorithm', 'all:vendor'), eight(*['strict'] * 8)) +
             unequal('bandwidth', before('class-bandwidth', 'all:1')[:20], eight(*[0] * 8)[:20]))


def dscp(tap):
    done = ours('dscp-priority', '26:3,24:3')
    wrong = (unequal('states', states(done), ['changed']) +
             unequal('dcb', dcb('app').get('dscp_prio'), [[24, 3], [26, 3]]))
    more = ours('dscp-priority', '+46:6,24:none')
    wrong += (unequal('after', [row['after'] for row in more.rows], ['26:3,46:6']) +
              unequal('dcb', dcb('app').get('dscp_prio'), [[26, 3], [46, 6]]))
    peers.must('dcb', 'app', 'add', 'dev', NETDEV, 'dscp-prio', '10:1', '10:2', 'ethtype-prio',
               '0x8915:3')
    wrong += unequal('after dcb', before('dscp-priority', 'none'), '10:1,10:2,26:3,46:6')
    gone = ours('dscp-priority', 'none')
    wrong += (unequal('none', states(gone), ['changed']) +
              unequal('dcb', 'dscp_prio' in dcb('app') and dcb('app')['dscp_prio'], False) +
              unequal('entries of others stay', len(dcb('app')['ethtype_prio']), 1))
    peers.must('dcb', 'app', 'flush', 'dev', NETDEV)
    tap.test('change-dcb: dscp-priority, added to and taken from, and dcb shows it', wrong)


def trust(tap):
    if trust_of_kernel() is None:
        done = ours('trust', 'dscp')
        tap.test('change-dcb: a kernel that cannot set the trust is not asked',
                 unequal('status', (done.status, states(done)), (1, ['failed'])) +
                 unequal('reason', 'does not report it' in str(done.rows[0]['reason']), True))
        return
    done = ours('trust', 'dscp,pcp')
    wrong = unequal('state', states(done), ['changed']) + \
        unequal('kernel', trust_of_kernel(), [DSCP, PCP])
    set_trust(PCP)
    wrong += unequal('after netlink', before('trust', 'dscp'), 'pcp')
    tap.test('change-dcb: trust, as in the kernel', wrong)


def dcbx(tap):
    done = ours('dcbx', 'firmware')
    wrong = unequal('state', states(done), ['changed']) + \
        unequal('dcb', dcb('dcbx').get('host', False), False)
    refused = ours('pfc', '5')
    wrong += (unequal('refused', (refused.status, states(refused)), (1, ['refused'])) +
              unequal('who', 'the firmware' in str(refused.rows[0]['disturbs']), True) +
              unequal('dcb', 5 in pfc(dcb('pfc')), False))
    both = ours('dcbx', 'host', 'pfc', '5')
    wrong += unequal('both', states(both), ['changed', 'changed']) + \
        unequal('dcb', (dcb('dcbx').get('host'), pfc(dcb('pfc'))), (True, [5]))
    parameter('fail_dcbx', 1)
    no = ours('dcbx', 'firmware')
    wrong += (unequal('driver', (no.status, states(no)), (1, ['failed'])) +
              unequal('reason', 'refuses' in str(no.rows[0]['reason']), True))
    behave()
    parameter('lacks', mask('dcbx'))
    wrong += unequal('lacking', states(ours('dcbx', 'firmware')), ['failed'])
    behave()
    tap.test('change-dcb: dcbx, the owner of the settings; the firmware prevents other changes',
             wrong)
    set_dcb('pfc', 'prio-pfc', 'all:off')


def daemon(tap):
    """A daemon called lldpad, which would set the switch's values again."""
    with tempfile.TemporaryDirectory() as folder:
        program_file = shutil.copy('/bin/sleep', folder + '/lldpad')
        with subprocess.Popen([program_file, '600']) as process:
            refused = ours('pfc', '2')
            forced = ours('pfc', '2', '--force', '--persist')
            process.kill()
    free = ours('pfc', 'none')
    row = forced.rows[0]
    tap.test('change-dcb: lldpad prevents it, named with its PID; --force, and how to make it last',
             unequal('refused', (refused.status, states(refused)), (1, ['refused'])) +
             unequal('who', 'lldpad (process %d)' % process.pid in str(refused.rows[0]['disturbs']),
                     True) +
             unequal('forced', (states(forced), row['after']), (['changed'], '2')) +
             unequal('undo', row['undo'], 'rdmactl roce set %s pfc none' % NETDEV) +
             unequal('file', row['persist_file'],
                     '/etc/systemd/system/rdmactl-%s-pfc.service' % NETDEV) +
             unequal('line', 'rdmactl roce set %s pfc 2 --yes' % NETDEV in row['persist_text'],
                     True) +
             unequal('free', states(free), ['changed']))


def link(tap):
    done = ours('mtu', '4200')
    wrong = (unequal('state', states(done), ['changed']) +
             unequal('ip', peers.read('/sys/class/net/%s/mtu' % NETDEV), '4200'))
    peers.must('ip', 'link', 'set', NETDEV, 'mtu', '1500')
    wrong += unequal('after ip', before('mtu', '9000'), '1500')
    large = ours('mtu', '9501')
    wrong += (unequal('too large', (large.status, states(large)), (1, ['failed'])) +
              unequal('reason', 'maximum' in str(large.rows[0]['reason']), True))
    tap.test('change-dcb: mtu, as ip shows it; the kernel names its limit', wrong)
    done = ours('global-pause', 'rx,tx')
    again = ours('global-pause', 'tx,rx')
    refused = ours('pfc', '3')
    both = ours('global-pause', 'none', 'pfc', '3')
    wrong = (unequal('states', states(done) + states(again), ['changed', 'unchanged']) +
             unequal('pfc', states(refused), ['refused']) +
             unequal('both', states(both), ['changed', 'changed']))
    back = ours('global-pause', 'rx')
    wrong += unequal('and back', states(back), ['refused'])
    auto = ours('global-pause', 'none,auto')
    wrong += (unequal('auto', (auto.status, states(auto)), (1, ['failed'])) +
              unequal('reason', 'does not accept' in str(auto.rows[0]['reason']), True))
    tap.test('change-dcb: global-pause and pfc exclude each other', wrong)
    set_dcb('pfc', 'prio-pfc', 'all:off')


def faults(tap):
    """dcb itself exits with 0 for the first two."""
    parameter('fail_pfc', errno.EINVAL)
    done = ours('pfc', '3')
    wrong = (unequal('hidden', (done.status, states(done), done.changed), (1, ['failed'], False)) +
             unequal('reason', 'does not accept this value' in str(done.rows[0]['reason']), True))
    behave()
    parameter('ignore', mask('pfc'))
    done = ours('dscp-priority', '26:3', 'pfc', '3')
    wrong += (unequal('ignored', (done.status, states(done)), (1, ['reverted', 'unverified'])) +
              unequal('dcb', dcb('app').get('dscp_prio', []), []))
    behave()
    parameter('lacks', mask('rate'))
    done = ours('maxrate', '0:1gbit')
    wrong += unequal('skipped', (done.status, states(done)), (1, ['unverified']))
    behave()
    tap.test('change-dcb: a hidden errno, an ignored set and a skipped set are failures', wrong)
    parameter('fail_buffer', errno.EBUSY)
    held = (dcb('pfc'), dcb('ets'), dcb('app'))
    done = ours('dscp-priority', '26:3', 'priority-class', '3:2', 'pfc', '3', 'priority-buffer',
                '3:1', 'mtu', '4200')
    tap.test('change-dcb: a refusal in the middle of a list: the rest is undone',
             unequal('status', done.status, 1) +
             unequal('states', states(done),
                     ['reverted', 'reverted', 'reverted', 'failed', 'untried']) +
             unequal('all as before', (dcb('pfc'), dcb('ets'), dcb('app')), held))
    behave()
    nobody = ours('pfc', '3', prefix=peers.NOBODY)
    tap.test('change-dcb: without the capability no change is attempted',
             unequal('status', (nobody.status, states(nobody)), (1, ['refused'])) +
             unequal('reason', 'CAP_NET_ADMIN' in str(nobody.rows[0]['reason']), True) +
             unequal('dcb', pfc(dcb('pfc')), []))


def mlx5(tap):
    """A driver that replaces entries, and trusts the DSCP as long as it has one."""
    load('driver=mlx5_core')
    parameter('lacks', mask('trust'))
    parameter('single', 1)
    wrong = unequal('without entries', before('trust', 'dscp'), 'pcp')
    alone = ours('trust', 'dscp')
    wrong += unequal('alone', states(alone), ['failed'])
    done = ours('dscp-priority', '26:3', 'trust', 'dscp')
    wrong += unequal('both', (done.status, states(done)), (0, ['changed', 'changed']))
    moved = ours('dscp-priority', '26:4')
    wrong += unequal('replaced', (states(moved), dcb('app').get('dscp_prio')),
                     (['changed'], [[26, 4]]))
    parameter('fail_rate', errno.EIO)
    failed = ours('trust', 'pcp', 'maxrate', '0:1gbit')
    wrong += unequal('undone', (states(failed), dcb('app').get('dscp_prio')),
                     (['reverted', 'failed'], [[26, 4]]))
    parameter('fail_rate', 0)
    back = ours('trust', 'pcp')
    wrong += unequal('back', (states(back), dcb('app').get('dscp_prio', [])), (['changed'], []))
    wrong += unequal('undo', back.rows[0]['undo'],
                     'rdmactl roce set %s dscp-priority 26:4' % NETDEV)
    tap.test('change-dcb: trust of a driver that derives it from the entries', wrong)


def gone(tap):
    """The netdev disappears while the question is on the terminal."""
    child, terminal = pty.fork()
    if not child:
        os.execv(program.RDMACTL, [program.RDMACTL, 'roce', 'set', NETDEV, 'pfc', '3'])
    text = b''
    while b'[y/N]' not in text:
        text += os.read(terminal, 4096)
    unload()
    os.write(terminal, b'y\n')
    try:
        while True:
            part = os.read(terminal, 4096)
            if not part:
                break
            text += part
    except OSError:  # the end of a terminal whose other side is closed
        pass
    _, status = os.waitpid(child, 0)
    words = text.decode('utf-8', 'replace')
    tap.test('change-dcb: the netdev is removed between reading and writing',
             unequal('status', os.waitstatus_to_exitcode(status), 1) +
             ([] if 'has gone away' in words else words.splitlines()))


def doctor(tap):
    """doctor's results on pause frames combined with PFC, before and after our change."""
    words = ('--only', 'pause-conflict')
    finds(tap, 'pause frames are off', 'pause-conflict', 'ok', words=words, name='dcx/1')
    ours('pfc', '3')
    ours('global-pause', 'rx,tx', '--force')
    finds(tap, 'pause frames beside PFC', 'pause-conflict', 'warning', words=words, name='dcx/1')
    ours('global-pause', 'none')
    ours('pfc', 'none')
    finds(tap, 'pause frames switched off', 'pause-conflict', 'ok', words=words, name='dcx/1')


def load(*parameters):
    """Makes a new netdev with rxe; returns False if there is no such module."""
    unload()
    if peers.run('modprobe', 'dcbsim', *parameters).status != 0:
        return False
    peers.must('ip', 'link', 'set', NETDEV, 'up')
    peers.must('ip', 'addr', 'add', '192.0.2.20/24', 'dev', NETDEV)
    peers.must('rdma', 'link', 'add', 'dcx', 'type', 'rxe', 'netdev', NETDEV)
    return True


def unload():
    if os.path.isdir(MODULE):
        peers.run('rdma', 'link', 'del', 'dcx')
        peers.must('modprobe', '-r', 'dcbsim')


def play(tap):
    if not load():
        tap.skip('change-dcb', 'no module dcbsim for this kernel: tests/vm/module')
        return
    for part in (pairs, maxrate, classes, dscp, trust, dcbx, daemon, link, faults, doctor, mlx5, gone):
        part(tap)
        if os.path.isdir(MODULE):
            behave()
    unload()
