# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""RoCE: the defaults of rdma_cm in configfs, the steps to a lossless class, and profiles.

Files are compared with our output in both directions. The steps and the profiles need the netdev of
tests/vm/dcbsim.
"""

import os

import peers
import program
import scene_change_dcb
from scene_change import change, states
from tap import unequal

CONFIGFS = '/sys/kernel/config'
CMA = CONFIGFS + '/rdma_cm'
NETDEV, DEVICE = 'roce9', 'rcx'
# A read-only /sys/kernel/config.
FROZEN = ('unshare', '-m', '/bin/sh', '-c',
          'mount --bind %s %s && mount -o remount,ro,bind %s && exec "$@"' %
          (CONFIGFS, CONFIGFS, CONFIGFS), 'sh')


def show(*words, **options):
    return program.parse('roce', ('roce', *words), program.rdmactl('roce', *words, '--json', **options))


def file_of(name):
    return '%s/%s/ports/1/default_roce_%s' % (CMA, DEVICE, name)


def write(path, text):
    with open(path, 'w', encoding='ascii') as file:
        file.write(text)


def ours(*words, **options):
    return change('roce', 'set', DEVICE, *words, **options)


def add():
    peers.must('rdma', 'link', 'add', DEVICE, 'type', 'rxe', 'netdev', NETDEV)


def said(document, text):
    """Whether a change or a problem has this text in its reason or next step."""
    where = [row.get('reason') for row in document.rows] + [row.get('next_step') for row in document.rows]
    where += [problem.get('error') for problem in document.problems]
    return [] if any(text in (each or '') for each in where) else ['no "%s"' % text, str(where)]


def reasons(document):
    """Reasons of failed changes; there should be none."""
    return ['%s: %s' % (row['setting'], row['reason']) for row in document.rows if row['reason']]


def tos_and_source(document):
    row = document.rows[0]
    return row['default_tos'], row['tos'], row['tos_source']


def configfs(tap):
    unknown = show(DEVICE)
    tap.test('change-roce: without a directory the default is unknown, and no directory is created',
             unequal('tos', tos_and_source(unknown), (None, 0, 'assumed')) +
             unequal('directories', os.listdir(CMA), []))
    done = ours('default-tos', '0x6a', 'default-mode', 'roce-v2')
    again = ours('default-tos', '106', 'default-mode', 'roce-v2')
    tap.test('change-roce: default TOS is in its file; the second time it is unchanged',
             unequal('status', (done.status, again.status), (0, 0)) +
             unequal('states', states(done) + states(again),
                     ['changed', 'unchanged', 'unchanged', 'unchanged']) +
             unequal('changed', (done.changed, again.changed), (True, False)) +
             unequal('undo', done.rows[0]['undo'], 'rdmactl roce set rcx/1 default-tos 0') +
             unequal('files', (peers.read(file_of('tos')), peers.read(file_of('mode'))), ('106', 'RoCE v2')) +
             unequal('shown', tos_and_source(show(DEVICE)), (106, 106, 'configured')) +
             unequal('shown to everybody', tos_and_source(show(DEVICE, prefix=peers.NOBODY)),
                     (106, 106, 'configured')))
    write(file_of('tos'), '96')
    theirs = show(DEVICE)
    os.rmdir('%s/%s' % (CMA, DEVICE))
    kept = ours('default-tos', '96')
    tap.test('change-roce: values that others write are shown, and outlive the directory',
             unequal('theirs', tos_and_source(theirs), (96, 96, 'configured')) +
             unequal('states', states(kept), ['unchanged']) +
             unequal('directories', os.listdir(CMA), []))
    wrong = ours('default-tos', '7', 'default-mode', 'roce-v1')
    tap.test('change-roce: a mode that the port lacks: the TOS before it is undone',
             unequal('status', wrong.status, 1) + unequal('states', states(wrong), ['reverted', 'failed']) +
             said(wrong, 'does not speak roce-v1') + unequal('file', peers.read(file_of('tos')), '96'))
    tap.test('change-roce: a TOS of more than 8 bits',
             unequal('status', ours('default-tos', '256').status, 2) +
             unequal('file', peers.read(file_of('tos')), '96'))
    renamed(tap)
    ours('default-tos', '5')
    ours('default-tos', '96')
    rights(tap)
    device_lost(tap)


def renamed(tap):
    """Each line uses the name from before all changes, and applies to the device whatever its
    name is by then."""
    file, other = '/tmp/lines', 'rcy'
    peers.must('ip', 'link', 'add', 'roce8', 'type', 'dummy')
    peers.must('rdma', 'link', 'add', other, 'type', 'rxe', 'netdev', 'roce8')
    with open(file, 'w', encoding='ascii') as out:
        out.write('roce set %s default-tos 8\ndev set %s name rcz\ndev set %s name %s\n'
                  'roce set %s default-tos 4\n' % (DEVICE, DEVICE, other, DEVICE, other))
    done = change('change', '--from', file, '--yes')
    named = change('roce', 'set', 'rcz', 'default-tos', '8'), ours('default-tos', '4')
    for row in reversed(done.rows):
        peers.must('/bin/sh', '-c', row['undo'].replace('rdmactl', program.RDMACTL, 1) + ' --yes --quiet')
    back = ours('default-tos', '96'), change('roce', 'set', other, 'default-tos', '0')
    tap.test('change-roce: devices that are renamed in the same call, and the undo',
             unequal('status', done.status, 0) + reasons(done) +
             unequal('named', states(named[0]) + states(named[1]), ['unchanged'] * 2) +
             unequal('undone', states(back[0]) + states(back[1]), ['unchanged'] * 2))
    peers.must('rdma', 'link', 'del', other)
    peers.must('ip', 'link', 'del', 'roce8')
    for name in os.listdir(CMA):
        os.rmdir('%s/%s' % (CMA, name))


def rights(tap):
    seen = ours('default-tos', '5', prefix=peers.NOBODY)
    plan = ours('default-tos', '5', '--dry-run', prefix=peers.NOBODY)
    frozen = ours('default-tos', '5', prefix=FROZEN)
    os.rmdir('%s/%s' % (CMA, DEVICE))
    unseen = ours('default-tos', '5', prefix=peers.NOBODY)
    wrong = (unequal('states', states(seen) + states(plan) + states(frozen) + states(unseen),
                     ['refused', 'planned', 'refused', 'failed']) +
             unequal('status', (seen.status, plan.status, frozen.status, unseen.status), (1, 0, 1, 1)) +
             said(seen, 'Permission denied') + said(frozen, 'read-only') + said(unseen, 'run it as root'))
    tap.test('change-roce: an ordinary user, and a file system that is read-only', wrong +
             unequal('value', states(ours('default-tos', '96')), ['unchanged']))


def device_lost(tap):
    ours('default-tos', '106')
    peers.must('rdma', 'link', 'del', DEVICE)
    gone = ours('default-tos', '5')
    add()
    back = show(DEVICE)
    os.rmdir('%s/%s' % (CMA, DEVICE))
    tap.test('change-roce: the value disappears with the device',
             unequal('status', gone.status, 5) + unequal('back', tos_and_source(back), (0, 0, 'configured')))


def bond(tap):
    """The settings of a bond are those of its members; the MTU belongs to the bond itself."""
    if peers.run('ip', 'link', 'add', 'roceb', 'type', 'bond', 'mode', '1').status != 0:
        tap.skip('change-roce: a bond', 'the kernel cannot create a bond')
        return
    for name in ('rocem', 'rocen'):
        peers.must('ip', 'link', 'add', name, 'type', 'dummy')
        peers.must('ip', 'link', 'set', name, 'master', 'roceb')
    peers.must('ip', 'link', 'set', 'roceb', 'up')
    peers.must('rdma', 'link', 'add', 'rcb', 'type', 'rxe', 'netdev', 'roceb')
    rows = show('rcb').rows
    done = change('roce', 'set', 'rcb', 'mtu', '1400', '--yes', '--force')
    plan = change('roce', 'set', 'rcb', 'pfc', '3', '--dry-run')
    tap.test('change-roce: a bond: a row and a change for each member, one for the MTU',
             reasons(done) +
             unequal('rows', [(row['netdev'], row['bond']) for row in rows],
                     [('rocem', 'roceb'), ('rocen', 'roceb')]) +
             unequal('mtu', [row['object'] for row in done.rows], ['roceb']) +
             unequal('as ip has it', [peers.read('%s/%s/mtu' % (peers.NET, name))
                                      for name in ('roceb', 'rocem', 'rocen')], ['1400'] * 3) +
             unequal('pfc', [row['object'] for row in plan.rows], ['rocem', 'rocen']))
    peers.must('rdma', 'link', 'del', 'rcb')
    for name in ('roceb', 'rocem', 'rocen'):
        peers.must('ip', 'link', 'del', name)


def way(*words):
    """Whether it is lossless, and the step where it is not."""
    row = show('dcx', *words).rows[0]
    return row['lossless'], row['breaks_at']


def profile(name, *words):
    return change('roce', 'set', 'dcx', '--profile', name, '--yes', *words)


def chain(tap):
    before = way()
    plan = profile('lossless', '--dry-run')
    nothing = way()
    done = profile('lossless')
    again = profile('lossless')
    row = show('dcx').rows[0]
    tap.test('change-roce: the profile lossless: a plan, one change of many parts, unchanged',
             reasons(plan) + reasons(done) + unequal('before', before[0], False) +
             # A kernel that knows what a port trusts starts with the VLAN tag.
             unequal('at', before[1] in ('trust', 'pfc'), True) + unequal('after the plan', nothing, before) +
             unequal('plan', (plan.status, set(states(plan))), (0, {'planned', 'unchanged'})) +
             unequal('done', (done.status, set(states(done))), (0, {'changed', 'unchanged'})) +
             unequal('again', (again.status, set(states(again))), (0, {'unchanged'})) +
             unequal('way', way(), (True, None)) +
             unequal('row', [row[key] for key in ('trust', 'dscp', 'priority', 'traffic_class', 'pfc')],
                     ['dscp', 26, 3, 3, '3']) +
             unequal('steps', [(step['step'], step['verdict']) for step in row['chain']
                               if step['verdict'] not in ('ok', 'note')], [('ecn', 'unknown')]))
    shown = scene_change_dcb.dcb('pfc')['prio_pfc']
    apps = scene_change_dcb.dcb('app').get('dscp_prio', [])
    tap.test('change-roce: dcb shows the settings of the profile',
             unequal('pfc', [i for i, on in enumerate(shown) if on], [3]) +
             unequal('dscp', [list(each) for each in apps], [[26, 3]]))


# Commands of other tools that break it, the step that they break, and the words that our output
# must have.
BREAKS = (
    ('pfc', ('dcb', 'pfc', 'set', 'dev', 'dcb0', 'prio-pfc', 'all:off'), ()),
    ('pfc', ('dcb', 'pfc', 'set', 'dev', 'dcb0', 'prio-pfc', 'all:off', '4:on'), ()),
    ('pfc', ('dcb', 'app', 'replace', 'dev', 'dcb0', 'dscp-prio', '26:5'), ()),
    ('priority', ('true',), ('--tos', '0')),
    ('buffer', ('dcb', 'buffer', 'set', 'dev', 'dcb0', 'prio-buffer', 'all:0', '3:7'), ()),
    ('mtu', ('ip', 'link', 'set', 'dcb0', 'mtu', '200'), ()),
)


def breaks(tap):
    wrong = []
    for where, words, ask in BREAKS:
        profile('lossless')
        wrong += unequal((words, 'good'), way(), (True, None))
        peers.must(*words)
        lossless, at = way(*ask)
        wrong += unequal((words, ask), (bool(lossless), at), (False, where))
        peers.must('dcb', 'buffer', 'set', 'dev', 'dcb0', 'prio-buffer', 'all:0')
        peers.must('ip', 'link', 'set', 'dcb0', 'mtu', '1500')
    profile('lossless')
    write('%s/dcx/ports/1/default_roce_tos' % CMA, '0')
    wrong += unequal('default TOS 0', way(), (None, 'priority'))
    # A directory that nobody has created: the value exists, but cannot be seen.
    os.rmdir(CMA + '/dcx')
    wrong += unequal('default TOS unseen', way(), (None, 'tos'))
    profile('lossless')
    trust = change('roce', 'set', 'dcb0', 'trust', 'pcp', '--yes')
    if trust.status == 0:  # a kernel without this setting reports it
        wrong += unequal('trust pcp', way(), (False, 'trust'))
    tap.test('change-roce: the path to lossless, broken at each step', wrong)


def own_class(tap):
    """A priority that shares a traffic class gets a separate one, with a share of the bandwidth."""
    peers.must('dcb', 'ets', 'set', 'dev', 'dcb0', 'prio-tc', 'all:0', 'tc-tsa', 'all:ets',
               'tc-bw', 'all:0', '0:75', '1:25')
    done = profile('lossless')
    ets = scene_change_dcb.dcb('ets')
    bandwidth = ets['tc_bw']
    peers.must('dcb', 'ets', 'set', 'dev', 'dcb0', 'tc-tsa', 'all:strict', 'tc-bw', 'all:0',
               'prio-tc', '0:0', '1:1', '2:2', '3:3', '4:4', '5:5', '6:6', '7:7')
    tap.test('change-roce: a profile takes the priority out of a shared traffic class',
             reasons(done) + unequal('status', done.status, 0) +
             unequal('classes', ets['prio_tc'], [0, 0, 0, 3, 0, 0, 0, 0]) +
             unequal('bandwidth', bandwidth, [38, 12, 0, 50, 0, 0, 0, 0]))


def undone(tap):
    change('roce', 'set', 'dcb0', 'pfc', 'none', 'dscp-priority', 'none', '--yes')
    change('roce', 'set', 'dcx', 'default-tos', '0')
    before = [scene_change_dcb.dcb(what) for what in ('pfc', 'app', 'ets')]
    scene_change_dcb.parameter('fail_pfc', 5)
    failed = profile('lossless')
    scene_change_dcb.behave()
    after = [scene_change_dcb.dcb(what) for what in ('pfc', 'app', 'ets')]
    tap.test('change-roce: one part of a profile fails: the parts before it are undone',
             unequal('status', failed.status, 1) +
             unequal('states', 'failed' in states(failed) and 'reverted' in states(failed), True) +
             unequal('stuck', 'stuck' in states(failed) or 'changed' in states(failed), False) +
             unequal('dcb', after, before) +
             unequal('file', peers.read('%s/dcx/ports/1/default_roce_tos' % CMA), '0'))
    profile('lossless', '--dscp', 'cs3', '--priority', '4')
    own = show('dcx').rows[0]
    profile('lossy', '--dscp', 'cs3', '--priority', '4')
    tap.test('change-roce: another DSCP and priority, and the profile lossy',
             unequal('own', [own[key] for key in ('dscp', 'priority', 'pfc', 'lossless')], [24, 4, '4', True]) +
             unequal('lossy', way(), (False, 'pfc')))


def play(tap):
    peers.run('modprobe', 'configfs')
    peers.run('modprobe', 'rdma_cm')
    if not os.path.isdir(CMA):
        peers.run('mount', '-t', 'configfs', 'none', CONFIGFS)
    if not os.path.isdir(CMA):
        tap.skip('change-roce', 'the kernel has no configfs of rdma_cm')
        return
    peers.must('ip', 'link', 'add', NETDEV, 'type', 'dummy')
    peers.must('ip', 'link', 'set', NETDEV, 'up')
    add()
    configfs(tap)
    bond(tap)
    peers.must('rdma', 'link', 'del', DEVICE)
    peers.must('ip', 'link', 'del', NETDEV)
    if not scene_change_dcb.load():
        tap.skip('change-roce: the path and the profiles', 'no module dcbsim for this kernel')
        return
    for part in (chain, breaks, own_class, undone):
        part(tap)
        scene_change_dcb.behave()
    if os.path.isdir(CMA + '/dcx'):
        os.rmdir(CMA + '/dcx')
    scene_change_dcb.unload()
