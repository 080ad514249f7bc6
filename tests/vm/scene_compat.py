# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Compares the personalities with their tools: same bytes and exit status."""

import os
import sys

import peers
import program
import scene_none
from netlink import clear

sys.path.insert(0, os.path.join(os.path.dirname(os.environ['RDMACTL_VM_DIR']), 'compat'))

import differ

ALL = ('ibstat', 'ibstatus', 'ibv_devices', 'ibv_devinfo')
VERBS = ('ibv_devices', 'ibv_devinfo')
# ibstatus starts cat for each of its values, 450 times for 64 devices; that of busybox starts faster,
# because it loads no library.
QUICK = '/run/quick'
NOBODY = {'user': 65534, 'group': 65534, 'extra_groups': []}
FEW = {'ibstat': ([], ['-s'], ['-p'], ['-l']), 'ibstatus': ([],), 'ibv_devices': ([],),
       'ibv_devinfo': ([], ['-v'], ['-l'])}


def beside(tap, what, tools=ALL, lists=None, **options):
    """One test for each tool: all its argument lists, or those given."""
    devices = sorted(peers.listdir(peers.RDMA))
    for tool in tools:
        wrong, before = [], differ.compared()
        for words in lists[tool] if lists else differ.arguments(tool, devices):
            wrong += differ.compare(tool, words, what, **options)
        tap.test('compat: %s, %s: %d runs' % (what, tool, differ.compared() - before), wrong)


def nodes(mode):
    for name in peers.listdir('/dev/infiniband'):
        if name.startswith('uverbs'):
            os.chmod('/dev/infiniband/' + name, mode)


def without_modules(tap):
    scene_none.unload()
    for tool in ALL:
        wrong = []
        for words in differ.arguments(tool, ())[:2]:
            scene_none.unload()
            wrong += differ.compare(tool, words, 'no modules')
        tap.test('compat: no modules, %s' % tool, wrong)
    scene_none.load()


def siw(tap):
    if peers.run('/bin/sh', '-c', '. "$RDMACTL_VM_DIR/bed.sh" && bed_siw').status != 0:
        tap.skip('compat: rxe and siw', 'siw is not built for this kernel')
        return
    beside(tap, 'rxe and siw', lists={
        'ibstat': ([], ['-l'], ['-p'], ['swa'], ['rxb', '1']), 'ibv_devices': ([],),
        'ibstatus': ([], ['swa'], ['swb:1', 'rxa']),
        'ibv_devinfo': ([], ['-v'], ['-l'], ['-d', 'swa', '-v'], ['-v', '-d', 'rxb', '-i', '1'])})
    beside(tap, 'rxe and siw, as an ordinary user', ('ibv_devices',), **NOBODY)


def play(tap):
    """Uses the plain build, which starts much faster, except for the ports that are down."""
    differ.RDMACTL = program.plain_binary() or program.RDMACTL
    clear()
    without_modules(tap)
    beside(tap, 'no device', lists=FEW)
    peers.shell('bed_wire')
    peers.shell('bed_vlan')
    beside(tap, 'rxe and a VLAN', ('ibstat', 'ibv_devices', 'ibv_devinfo'))
    nodes(0o600)
    # The tool waits five seconds for udev on each node.
    beside(tap, 'unreadable nodes', VERBS, {'ibv_devices': ([],), 'ibv_devinfo': (
        [], ['-l'], ['-d', 'rxb', '-i', '2'])}, **NOBODY)
    nodes(0o666)
    beside(tap, 'as an ordinary user', lists=FEW, **NOBODY)
    beside(tap, 'no nodes', VERBS, FEW, prefix=peers.HIDDEN)
    peers.must('ip', 'link', 'set', 'va', 'down')
    differ.RDMACTL = program.RDMACTL
    beside(tap, 'ports down', lists=FEW)
    differ.RDMACTL = program.plain_binary() or program.RDMACTL
    peers.must('ip', 'link', 'set', 'va', 'up')
    siw(tap)
    clear()
    peers.shell('bed_many 1')
    beside(tap, 'one device', lists=FEW)
    peers.shell('bed_many 64')
    os.mkdir(QUICK)
    os.symlink('/run/vm/busybox', QUICK + '/cat')
    path = os.environ['PATH']
    os.environ['PATH'] = QUICK + ':' + path
    beside(tap, '64 devices', lists=FEW)
    os.environ['PATH'] = path
    tap.say('personalities:', *differ.summary())
