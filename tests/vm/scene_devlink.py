# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Checks that use devlink and ethtool, on a simulated network card with Soft-RoCE."""

import array
import fcntl
import json
import os
import socket
import struct

import peers
import program
from scene_doctor import Between, Doctor, finds, modules
from tap import unequal

BUS = '/sys/bus/netdevsim'
FACTS = '/sys/kernel/debug/netdevsim/netdevsim10'
ASKED = ('--only', 'rdma-disabled,firmware-pending,firmware-health,fec-ber,pause-conflict,kernel-log')
SIOCETHTOOL = 0x8946
SET_PAUSE, SET_FEC = 0x13, 0x51  # linux/ethtool.h
FEC_OFF, FEC_RS = 1 << 2, 1 << 3


def write(path, text):
    with open(path, 'w', encoding='ascii') as file:
        file.write(text)


def ethtool(netdev, *numbers):
    """Uses the old ioctl, because this machine has no ethtool."""
    data = array.array('I', numbers)
    with socket.socket() as control:
        fcntl.ioctl(control, SIOCETHTOOL, struct.pack('16sQ16x', netdev.encode(), data.buffer_info()[0]))


def make_card():
    """Creates the card and rxe on it; returns its netdev, or None if there is no such module."""
    if peers.run('modprobe', 'netdevsim').status != 0:
        return None
    if not os.path.isdir('/sys/kernel/debug/netdevsim'):
        peers.must('mount', '-t', 'debugfs', 'none', '/sys/kernel/debug')
    write(BUS + '/new_device', '10 1')
    netdev = os.listdir(BUS + '/devices/netdevsim10/net')[0]
    peers.must('ip', 'link', 'set', netdev, 'up')
    peers.must('ip', 'addr', 'add', '192.0.2.10/24', 'dev', netdev)
    peers.must('rdma', 'link', 'add', 'nsx', 'type', 'rxe', 'netdev', netdev)
    return netdev


def remove_card():
    peers.must('rdma', 'link', 'del', 'nsx')
    write(BUS + '/del_device', '10')
    peers.must('modprobe', '-r', 'netdevsim')


def good(tap):
    before = modules()
    doctor = Doctor(*ASKED)
    wrong = unequal('modules', modules(), before)
    for check in ('rdma-disabled', 'firmware-pending', 'firmware-health'):
        wrong += unequal(check, doctor.verdict(check, 'nsx'), 'ok')
    wrong += unequal('kernel-log', doctor.verdict('kernel-log'), 'ok')
    wrong += unequal('pause-conflict', doctor.verdict('pause-conflict', 'nsx/1'), 'ok')
    tap.test('devlink: a card without faults, and no module was loaded',
             wrong + (doctor.describe() if wrong else []))
    nobody = Doctor(*ASKED, prefix=peers.NOBODY)
    tap.test('devlink: an ordinary user sees the same',
             ['%s: %s, %s' % (check, doctor.verdict(check), nobody.verdict(check))
              for check in sorted({row['check'] for row in doctor.rows} - {'kernel-log'})
              if doctor.verdict(check) != nobody.verdict(check)])


def kernel_log(tap):
    """A line that a program writes there does not count; if reading is restricted, it needs
    root."""
    write('/dev/kmsg', '<3>mlx5_core 0000:3b:00.0: poll_health:785: Fatal error 1 detected')
    finds(tap, 'a line in the kernel log that no driver wrote', 'kernel-log', 'ok', words=ASKED)
    restrict = '/proc/sys/kernel/dmesg_restrict'
    was = peers.read(restrict)
    write(restrict, '1')
    doctor = Doctor(*ASKED, prefix=peers.NOBODY)
    tap.test('devlink: the kernel log is restricted: not checked, and no problem',
             unequal('verdict', doctor.verdict('kernel-log'), 'not-checked') +
             unequal('needs', [row['needs'] for row in doctor.of('kernel-log')], [['root']]) +
             unequal('problems', doctor.problems, []))
    write(restrict, was)


def health(tap):
    write(FACTS + '/health/fail_recover', 'Y')
    peers.run('/bin/sh', '-c', 'echo broken >%s/health/break_health' % FACTS)
    doctor = finds(tap, 'a health reporter in error', 'firmware-health', 'error', name='nsx',
                   words=ASKED, says='dummy is in error', step='devlink health show netdevsim/netdevsim10')
    theirs = json.loads(peers.must('devlink', '-j', 'health', 'show').text())['health']
    bad = [entry for entry in theirs.get('netdevsim/netdevsim10', []) if entry['state'] == 'error']
    evidence = ' '.join(row['evidence'] or '' for row in doctor.of('firmware-health'))
    counts = ['%d error%s, %d recover%s' % (entry['error'], '' if entry['error'] == 1 else 's', entry['recover'],
                                            'y' if entry['recover'] == 1 else 'ies') for entry in bad]
    tap.test('devlink: the counts are those of devlink health show',
             [] if len(counts) == 1 and counts[0] in evidence
             else ['%s | %s' % (theirs, evidence)])
    write(FACTS + '/health/fail_recover', 'N')
    peers.must('devlink', 'health', 'recover', 'netdevsim/netdevsim10', 'reporter', 'dummy')
    finds(tap, 'the reporter has recovered', 'firmware-health', 'ok', name='nsx', words=ASKED)
    between = Between(lambda: write(FACTS + '/health/break_health', 'broken\n'))
    finds(tap, 'a recovery while it looks', 'firmware-health', 'warning', name='nsx',
          words=ASKED + ('--interval', '4s'), says='dummy recovered 1 times')
    between.join()


def link(tap, netdev):
    finds(tap, 'no error correction is reported', 'fec-ber', 'not-checked', name='nsx/1', words=ASKED)
    ethtool(netdev, SET_FEC, 0, FEC_RS, 0)
    finds(tap, 'error correction is on', 'fec-ber', 'ok', name='nsx/1', words=ASKED, says='FEC RS')
    error = FACTS + '/ports/0/ethtool/get_err'
    write(error, '5')
    doctor = Doctor(*ASKED)
    tap.test('devlink: error correction that cannot be read is a problem',
             unequal('verdict', doctor.verdict('fec-ber', 'nsx/1'), 'not-checked') +
             unequal('status', doctor.result.status, 3) +
             unequal('problems', [problem['object'] for problem in doctor.problems], ['nsx/1']))
    write(error, '0')
    ethtool(netdev, SET_PAUSE, 0, 1, 1)
    doctor = Doctor(*ASKED)
    evidence = ' '.join(row['evidence'] or '' for row in doctor.of('pause-conflict', 'nsx/1'))
    tap.test('devlink: pause frames are on, and the driver has no PFC',
             unequal('verdict', doctor.verdict('pause-conflict', 'nsx/1'), 'not-checked') +
             ([] if 'receive on, transmit on' in evidence else [evidence]))


def cables(tap, netdev):
    """The simulated card has no module to read; link and error correction are shown."""
    refused = (b'rdmactl cables: nsx/1: cannot read module: Operation not supported\n'
               b'  the driver gives no access to a module, or Linux is older than 5.13: '
               b'ethtool -m NETDEV may have it\n')
    before = modules()
    result = program.rdmactl('cables', 'nsx', '--json')
    row = json.loads(result.out)['cables'][0]
    tap.test('devlink: cables: the link and FEC of a card without a module',
             unequal('status', (result.status, result.err), (3, refused)) + unequal('modules', modules(), before) +
             unequal('row', [row[key] for key in ('device', 'port', 'netdev', 'link_up', 'fec', 'kind')],
                     ['nsx', 1, netdev, True, 'RS', None]))
    error = FACTS + '/ports/0/ethtool/get_err'
    write(error, '5')
    result = program.rdmactl('cables', 'nsx', '--json')
    document = json.loads(result.out)
    tap.test('devlink: cables: a request that the driver refuses is a problem',
             unequal('status', result.status, 3) + unequal('fec', document['cables'][0]['fec'], None) +
             unequal('problem', [(entry['object'], entry['attribute']) for entry in document['problems']],
                     [('nsx/1', 'module'), ('nsx/1', 'fec')]))
    write(error, '0')


def play(tap):
    netdev = make_card()
    if not netdev:
        tap.skip('devlink: a simulated card', 'tests/vm/module has not built netdevsim.ko')
        return
    try:
        good(tap)
        kernel_log(tap)
        health(tap)
        link(tap, netdev)
        cables(tap, netdev)
    finally:
        remove_card()
