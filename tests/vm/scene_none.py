# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A system without RDMA modules, then one without devices."""

import os

import peers
import program
from tap import unequal

# Modules in the order in which they can be removed.
MODULES = ('siw', 'rdma_rxe', 'rdma_ucm', 'rdma_cm', 'iw_cm', 'ib_cm', 'ib_uverbs',
           'ib_uverbs_support', 'ib_umad', 'ib_core')
WORDS = (('devices', 'mlx5_0'), ('ports', 'mlx5_0/1'), ('gids', '--to', '127.0.0.1'),
         ('devices', '-o', 'all'), ('resources',), ('resources', 'qp'),
         ('resources', '--by', 'process'))
COMMANDS = tuple((name,) for name in program.LISTINGS) + WORDS


def loaded(name):
    return os.path.exists('/sys/module/' + name)


def load():
    peers.run('modprobe', 'crc32_generic')  # rxe of 6.12 needs it; 7.3 has no such module
    peers.must('modprobe', '-a', 'ib_umad', 'ib_uverbs', 'rdma_ucm', 'rdma_rxe')


def unload():
    peers.run('modprobe', '-r', *[name for name in MODULES if loaded(name)])


def nothing(words, **options):
    """Errors in the answer to a command when there is no RDMA device."""
    plain = program.rdmactl(*words, **options)
    lines = plain.complaint().splitlines()
    wrong = unequal('exit status', plain.status, 5) + unequal('output', plain.text(), '')
    if len(lines) != 2 or not lines[0].startswith('rdmactl %s: ' % words[0]):
        wrong += ['standard error: %r' % plain.complaint()]
    return [' '.join(words) + ': ' + line for line in wrong]


def nothing_as_json(command):
    document = program.listing(command)
    wrong = unequal('exit status', document.status, 5) + unequal('rows', document.rows, [])
    if not document.problems or not document.problems[0]['hint']:
        wrong += ['no problem with a next step: %s' % document.problems]
    return wrong


def on_demand(tap):
    """With Linux 7.3 drivers do not load ib_uverbs, but the kernel does when libibverbs asks."""
    unload()
    peers.must('modprobe', 'rdma_rxe')
    if loaded('ib_uverbs'):
        tap.skip('none: a device without ib_uverbs', 'the driver loads it')
    else:
        peers.must('ip', '-b', '-', stdin=b'link add dm0 type dummy\nlink set dm0 up\n')
        peers.must('rdma', 'link', 'add', 'rxd', 'type', 'rxe', 'netdev', 'dm0')
        listed = program.listing('ports')
        tap.test('none: ports of a device without ib_uverbs: partial, and it is not loaded',
                 unequal('status', listed.status, 3) +
                 unequal('problems', [one['hint'] for one in listed.problems],
                         ['load the module: modprobe ib_uverbs']) +
                 unequal('loaded', loaded('ib_uverbs'), False))
        result = program.rdmactl('selftest', 'rxd', '--test', 'rc-send')
        tap.test('none: selftest of a device without ib_uverbs has it loaded',
                 unequal('status', result.status, 0) + unequal('loaded', loaded('ib_uverbs'), True) +
                 (result.describe() if result.status else []))
        peers.must('rdma', 'link', 'del', 'rxd')
        peers.must('ip', 'link', 'del', 'dm0')
    load()


def play(tap):
    unload()
    tap.test('none: the RDMA modules are not loaded',
             [name for name in MODULES if loaded(name)])
    for words in COMMANDS:
        wrong = nothing(words)
        if loaded('ib_core'):
            wrong.append('it loaded ib_core')
            unload()
        tap.test('none: %s without RDMA modules: exit 5, next step, no module loaded' %
                 ' '.join(words), wrong)
    tap.test('none: devices -j without RDMA modules: exit 5, next step', nothing_as_json('devices'))
    wrong = []
    for words in (('version',), ('--version',), ('help',), ('schema', 'ports'), ('completion', 'bash'),
                  ('__complete', 'devices', '')):
        result = program.rdmactl(*words)
        if result.status != 0:
            wrong += result.describe()
        if loaded('ib_core'):
            wrong.append(' '.join(words) + ' loaded ib_core')
    tap.test('none: version, help, schema and completion work and load no module', wrong)
    peers.run('rdma', 'dev')
    tap.test('none: (rdma dev, which opens an RDMA netlink socket, does load ib_core)',
             '' if loaded('ib_core') else 'it did not, so that the tests above prove nothing')
    load()
    for command in program.LISTINGS:
        tap.test('none: %s -j without a device: exit 5, next step' % command,
                 nothing_as_json(command))
    for words in (('devices',), *WORDS):
        tap.test('none: %s without a device: exit 5, next step' % ' '.join(words), nothing(words))
    tap.test('none: no device, ordinary user: exit 5', nothing(('devices',), prefix=peers.NOBODY))
    on_demand(tap)
