# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Changes of cards and netdevs: VFs, driver parameters, ports up and down, IPoIB.

The card is a simulated one with Soft-RoCE, which has no InfiniBand: for GUIDs and IPoIB, only
refusals are tested here.
"""

import errno
import json
import os
import subprocess

import peers
import program
import scene_devlink
from scene_change import change, states
from tap import unequal

CARD = scene_devlink.BUS + '/devices/netdevsim10'
HANDLE = 'netdevsim/netdevsim10'


def numvfs():
    return peers.read(CARD + '/sriov_numvfs')


def vfs_of_ip(netdev):
    link = json.loads(peers.must('ip', '-j', 'link', 'show', netdev).text())[0]
    return link.get('vfinfo_list', [])


def listed(*words):
    return program.parse('sriov', ('sriov', *words), program.rdmactl('sriov', *words, '--json'))


def reason(document):
    return ' '.join(row['reason'] or '' for row in document.rows)


def said(document, part):
    return [] if part in reason(document) else ['%r is not in %r' % (part, reason(document))]


def count(tap, netdev):
    done = change('sriov', 'set', 'nsx', 'vfs', '2', '--yes')
    tap.test('cards: VFs are created, and the kernel and ip show them',
             unequal('status', done.status, 0) + unequal('states', states(done), ['changed']) +
             unequal('numvfs', numvfs(), '2') + unequal('ip', len(vfs_of_ip(netdev)), 2) +
             unequal('undo', done.rows[0]['undo'], 'rdmactl sriov set nsx vfs 0'))
    again = change('sriov', 'set', netdev, 'vfs', '2')
    tap.test('cards: the same number again, also by netdev name: unchanged',
             unequal('status', again.status, 0) + unequal('states', states(again), ['unchanged']))
    try:
        scene_devlink.write(CARD + '/sriov_numvfs', '3')
        direct = None
    except OSError as error:
        direct = error.errno
    more = change('sriov', 'set', 'nsx', 'vfs', '3', '--yes')
    tap.test('cards: from 2 to 3 VFs, where the kernel says EBUSY',
             unequal('the kernel', direct, errno.EBUSY) +
             unequal('status', more.status, 0) + unequal('numvfs', numvfs(), '3') +
             ([] if any('removed first' in note for note in more.rows[0]['notes']) else more.rows))
    dry = change('sriov', 'set', 'nsx', 'vfs', '0', '--dry-run')
    tap.test('cards: --dry-run changes nothing',
             unequal('states', states(dry), ['planned']) + unequal('numvfs', numvfs(), '3'))
    many = change('sriov', 'set', 'nsx', 'vfs', '60', '--yes')
    tap.test('cards: more VFs than the card has: failed, and the previous ones are back',
             unequal('status', many.status, 1) + said(many, 'no room for this many VFs') +
             unequal('numvfs', numvfs(), '3'))
    unasked = program.rdmactl('sriov', 'set', 'nsx', 'vfs', '1')
    nobody = change('sriov', 'set', 'nsx', 'vfs', '1', '--yes', prefix=peers.NOBODY)
    tap.test('cards: without --yes, and as an ordinary user: nothing is changed',
             unequal('status', (unasked.status, nobody.status), (2, 1)) +
             unequal('states', states(nobody), ['refused']) + unequal('numvfs', numvfs(), '3'))


def attributes(tap, netdev):
    done = change('sriov', 'set', 'nsx', 'vf', '1', 'policy', 'down', 'trust', 'on', '--yes')
    theirs = vfs_of_ip(netdev)[1]
    tap.test('cards: policy and trust of a VF, as ip shows them',
             unequal('status', done.status, 0) +
             unequal('objects', [row['object'] for row in done.rows], ['nsx vf 1'] * 2) +
             unequal('ip', (theirs['link_state'], theirs['trust']), ('disable', True)))
    peers.must('ip', 'link', 'set', netdev, 'vf', '0', 'state', 'enable')
    peers.must('ip', 'link', 'set', netdev, 'vf', '0', 'mac', '02:00:00:00:00:07')
    peers.must('ip', 'link', 'set', netdev, 'vf', '0', 'vlan', '100', 'qos', '3')
    peers.must('ip', 'link', 'set', netdev, 'vf', '0', 'max_tx_rate', '1000', 'min_tx_rate', '10')
    rows = {row['index']: row for row in listed().rows if row['kind'] == 'vf'}
    tap.test('cards: sriov lists the settings made by ip',
             unequal('VF 0', (rows[0]['policy'], rows[0]['trust'], rows[0]['mac']),
                     ('up', False, '02:00:00:00:00:07')) +
             unequal('VF 1', (rows[1]['policy'], rows[1]['trust']), ('down', True)))
    notes = change('sriov', 'set', 'nsx', 'vfs', '0', '--dry-run').rows[0]['notes']
    tap.test('cards: settings that VFs lose with their number are named before',
             unequal('notes', [note for note in notes if note.startswith('VF ')],
                     ['VF 0 has mac 02:00:00:00:00:07, vlan 100, qos 3, min_tx_rate 10, '
                      'max_tx_rate 1000, policy up', 'VF 1 has policy down, trust on']) +
             ([] if any('undoing the change creates VFs again' in note for note in notes) else notes))
    pf = [row for row in listed('nsx').rows if row['kind'] == 'pf']
    tap.test('cards: the physical function',
             unequal('PF', [(row['function'], row['device'], row['netdev'], row['vfs'], row['owner'])
                            for row in pf], [('netdevsim10', 'nsx', netdev, 3, 'host')]))
    undone = peers.run('/bin/sh', '-c', '"$RDMACTL" ' + done.rows[0]['undo'].split(' ', 1)[1] + ' --yes')
    tap.test('cards: the command that undoes it',
             unequal('status', undone.status, 0) +
             unequal('ip', vfs_of_ip(netdev)[1]['link_state'], 'auto'))
    guid = change('sriov', 'set', 'nsx', 'vf', '0', 'node-guid', '0011:2233:4455:6677', '--yes')
    gone = change('sriov', 'set', 'nsx', 'vf', '9', 'policy', 'up', '--yes')
    tap.test('cards: GUIDs on Ethernet, and a VF that does not exist: failed',
             unequal('status', (guid.status, gone.status), (1, 1)) +
             said(guid, 'the driver has no node-guid for VFs') + said(gone, 'there is no VF 9'))
    nobody = change('sriov', 'set', 'nsx', 'vf', '0', 'trust', 'on', prefix=peers.NOBODY)
    tap.test('cards: a VF without the capability: refused, and the missing capability is named',
             unequal('states', states(nobody), ['refused']) + said(nobody, 'CAP_NET_ADMIN') +
             unequal('ip', vfs_of_ip(netdev)[0]['trust'], False))
    half = change('sriov', 'set', 'nsx', 'vf', '0', 'trust', 'on', 'node-guid',
                  '0011:2233:4455:6677', '--yes')
    tap.test('cards: one of two settings cannot be read, so neither is written',
             unequal('status', half.status, 1) +
             unequal('ip', vfs_of_ip(netdev)[0]['trust'], False))


def roce_of_devlink():
    """The value that devlink shows, or None if the simulated card has no such parameter."""
    shown = peers.run('devlink', '-j', 'dev', 'param', 'show', HANDLE, 'name', 'enable_roce')
    if shown.status != 0:
        return None
    return json.loads(shown.text())['param'][HANDLE][0]['values'][0]['value']


def parameters(tap, netdev):
    missing = change('sriov', 'set', 'nsx', 'enable-iwarp', 'on', '--yes')
    tap.test('cards: a parameter that the driver does not have',
             unequal('status', missing.status, 1) +
             said(missing, 'the driver of %s has no parameter enable_iwarp' % HANDLE))
    if roce_of_devlink() is None:
        tap.skip('cards: enable-roce and the reload', 'netdevsim.ko has no parameter enable_roce')
        return
    before = peers.read('/sys/class/net/%s/ifindex' % netdev)
    nobody = change('sriov', 'set', netdev, 'enable-roce', 'off', '--yes', prefix=peers.NOBODY)
    tap.test('cards: enable-roce without the capability',
             unequal('states', states(nobody), ['refused']) + said(nobody, 'CAP_NET_ADMIN') +
             unequal('devlink', roce_of_devlink(), True))
    refused = change('sriov', 'set', netdev, 'enable-roce', 'off', '--yes')
    tap.test('cards: VFs prevent a reload',
             unequal('states', states(refused), ['refused']) +
             said(refused, 'the 3 VFs of netdevsim10, which stop meanwhile'))
    done = change('sriov', 'set', netdev, 'enable-roce', 'off', '--yes', '--force')
    after = peers.read('/sys/class/net/%s/ifindex' % os.listdir(CARD + '/net')[0])
    tap.test('cards: enable-roce, with the reload that it needs',
             unequal('status', done.status, 0) + unequal('states', states(done), ['changed']) +
             unequal('devlink', roce_of_devlink(), False) +
             ([] if before != after else ['the netdev is the same: no reload']))
    peers.must('devlink', 'dev', 'param', 'set', HANDLE, 'name', 'enable_roce', 'value', 'true',
               'cmode', 'driverinit')
    rows = [row['roce'] for row in listed().rows if row['function'] == 'netdevsim10']
    again = change('sriov', 'set', os.listdir(CARD + '/net')[0], 'enable-roce', 'on')
    tap.test('cards: sriov lists the setting made by devlink, and setting it is unchanged',
             unequal('sriov', rows, [True]) + unequal('states', states(again), ['unchanged']))


def ports(tap, netdev):
    def up():
        return 'UP' in json.loads(peers.must('ip', '-j', 'link', 'show', netdev).text())[0]['flags']
    done = change('ports', 'set', 'nsx/1', 'state', 'down', '--yes')
    tap.test('cards: a port goes down by its netdev, with its addresses named',
             unequal('status', done.status, 0) + unequal('states', states(done), ['changed']) +
             unequal('ip', up(), False) + unequal('undo', done.rows[0]['undo'],
                                                  'rdmactl ports set nsx/1 state up') +
             ([] if any('192.0.2.10' in note for note in done.rows[0]['notes']) else done.rows))
    nobody = change('ports', 'set', 'nsx', 'state', 'up', '--yes', prefix=peers.NOBODY)
    tap.test('cards: a port without the capability', unequal('states', states(nobody), ['refused']) +
             said(nobody, 'CAP_NET_ADMIN') + unequal('ip', up(), False))
    back = change('ports', 'set', 'nsx', 'state', 'enable', '--yes')
    tap.test('cards: the port goes up again by the word enable', unequal('status', back.status, 0) +
             unequal('ip', up(), True))
    peers.must('ip', 'link', 'set', netdev, 'down')
    rows = change('ports', 'set', 'nsx', 'state', 'down').rows
    tap.test('cards: taking down a port that ip has taken down: unchanged',
             unequal('states', [row['state'] for row in rows], ['unchanged']))
    peers.must('ip', 'link', 'set', netdev, 'up')
    speed = program.rdmactl('ports', 'set', 'nsx/1', 'speed', '10', '--yes')
    tap.test('cards: the speed of Ethernet cannot be set', unequal('status', speed.status, 2))


def ipoib(tap, netdev):
    other = change('ipoib', 'add', netdev, 'pkey', '0x8001', '--yes')
    theirs = peers.run('ip', 'link', 'add', 'link', netdev, 'name', 'child', 'type', 'ipoib', 'pkey', '0x8001')
    none = change('ipoib', 'add', 'nosuchdev', 'pkey', '0x8001', '--yes')
    taken = change('ipoib', 'add', netdev, 'pkey', '0x8001', 'name', 'lo', '--yes')
    tap.test('cards: IPoIB on Ethernet, on a missing netdev, and with a name that is taken',
             unequal('status', (other.status, none.status, taken.status), (1, 1, 1)) +
             said(other, 'is not an IPoIB netdev') + said(none, 'there is no netdev nosuchdev') +
             said(taken, 'lo is a netdev of another kind') +
             unequal('ip', theirs.status == 0, False))
    gone = change('ipoib', 'del', 'nosuchdev', '--yes')
    kept = change('ipoib', 'del', netdev, '--yes')
    tap.test('cards: deleting a missing child changes nothing, and other netdevs stay',
             unequal('states', states(gone) + states(kept), ['unchanged', 'failed']) +
             unequal('netdev', os.path.isdir('/sys/class/net/' + netdev), True))


def gone(tap):
    """The card disappears while the program asks."""
    question = subprocess.Popen(
        ['script', '-qec', '%s sriov set nsx vfs 1' % program.RDMACTL, '/dev/null'],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    seen = b''
    while b'[y/N]' not in seen:
        piece = os.read(question.stdout.fileno(), 4096)
        if not piece:
            break
        seen += piece
    scene_devlink.write(scene_devlink.BUS + '/del_device', '10')
    rest, _ = question.communicate(b'y\n', timeout=60)
    text = (seen + rest).decode('utf-8', 'replace')
    tap.test('cards: the card disappears while the program asks',
             unequal('status', question.returncode, 1) +
             ([] if 'gone away' in text else text.splitlines()))
    scene_devlink.write(scene_devlink.BUS + '/new_device', '10 1')


def many(tap):
    """More VFs than fit into the 16 bits of their attribute's length: rtnl_fill_vf()."""
    peers.must('rdma', 'link', 'add', 'nsx', 'type', 'rxe', 'netdev', os.listdir(CARD + '/net')[0])
    scene_devlink.write(scene_devlink.FACTS + '/max_vfs', '400')
    made = change('sriov', 'set', 'nsx', 'vfs', '400', '--yes')
    last = change('sriov', 'set', 'nsx', 'vf', '399', 'policy', 'up', '--yes')
    for vf in range(17):
        peers.must('ip', 'link', 'set', os.listdir(CARD + '/net')[0], 'vf', str(vf), 'trust', 'on')
    lost = change('sriov', 'set', 'nsx', 'vfs', '0', '--dry-run').rows[0]['notes']
    rows = [row for row in listed().rows if row['kind'] == 'vf']
    tap.test('cards: 400 VFs are listed, and the last one can be set',
             unequal('status', (made.status, last.status), (0, 0)) + unequal('states', states(last), ['changed']) +
             unequal('VFs', len({row['index'] for row in rows}), 400) +
             unequal('up', [row['index'] for row in rows if row['policy'] == 'up'], [399]) +
             unequal('notes', lost[-2:], ['VF 15 has trust on', 'the settings of 2 more VFs are '
                                          'not listed here']))


def play(tap):
    netdev = scene_devlink.make_card()
    if not netdev:
        tap.skip('cards: a simulated card', 'tests/vm/module has not built netdevsim.ko')
        return
    try:
        count(tap, netdev)
        attributes(tap, netdev)
        ports(tap, netdev)
        ipoib(tap, netdev)
        parameters(tap, netdev)
        gone(tap)
        many(tap)
    finally:
        scene_devlink.write(CARD + '/sriov_numvfs', '0')
        peers.run('rdma', 'link', 'del', 'nsx')
        scene_devlink.write(scene_devlink.BUS + '/del_device', '10')
        peers.must('modprobe', '-r', 'netdevsim')
