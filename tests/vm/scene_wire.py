# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Devices on a wire with a VLAN, on a bond, iWARP: compares all listings with all tools."""

import os

import compare
import peers
import program
from tap import unequal


def compare_all(tap, title, slots=1024):
    """One test for each listing, and one for all of them."""
    shot = compare.Snapshot(slots)
    for name, compare_one in compare.ALL.items():
        try:
            wrong = compare_one(shot)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            wrong = ['the comparison broke down: %r' % error]
        tap.test('%s: %s as the other tools show it' % (title, name), wrong)
    tap.test(title + ': all listings end with 0', shot.incomplete())
    return shot


def differ(what, one, other, drop=()):
    """Differences of two documents, ignoring the keys in `drop`."""
    wrong = unequal(what + ' exit status', one.status, other.status)
    wrong += unequal(what + ' rows', len(one.rows), len(other.rows))
    wrong += unequal(what + ' problems', one.problems, other.problems)
    for first, second in zip(one.rows, other.rows):
        for key in set(first) | set(second):
            if key not in drop and first.get(key) != second.get(key):
                wrong += ['%s: %s is %r and %r in %s %s %s' % (
                    what, key, first.get(key), second.get(key), first.get('device'),
                    first.get('port', ''), first.get('index', ''))]
    return wrong


def unprivileged(tap, shot):
    for name in program.LISTINGS:
        tap.test('wire: %s as an ordinary user is the same' % name,
                 differ(name, shot.ours[name], program.listing(name, prefix=peers.NOBODY)))
    result = program.rdmactl('gids', '--to', '10.9.0.2', prefix=peers.NOBODY)
    tap.test('wire: gids --to works for an ordinary user',
             result.describe() if result.status else [])


def without_nodes(tap, shot):
    """The verbs nodes are missing, as in a container, or not accessible."""
    sysfs = program.listing('gids', prefix=peers.HIDDEN)
    tap.test('wire: gids by sysfs show the same table',
             differ('gids', shot.ours['gids'], sysfs, drop=('source',)))
    sources = [{row['source'] for row in document.rows}
               for document in (shot.ours['gids'], sysfs)]
    tap.test('wire: one table is from verbs, the other from sysfs',
             unequal('sources', sources, [{'verbs'}, {'sysfs'}]))
    both = [program.listing('gids', '--all', 'rxa', 'rxba1', prefix=prefix)
            for prefix in ((), peers.HIDDEN)]
    tap.test('wire: gids --all by verbs and by sysfs are the same',
             differ('gids --all', *both, drop=('source',)) +
             unequal('slots', len(both[0].rows), 2048))
    for name in ('devices', 'pkeys', 'netdevs'):
        tap.test('wire: %s works without the nodes' % name,
                 differ(name, shot.ours[name], program.listing(name, prefix=peers.HIDDEN)))
    lost = ('active_mtu_bytes', 'max_mtu_bytes')
    document = program.listing('ports', prefix=peers.HIDDEN)
    tap.test('wire: ports without the nodes: no MTU, one problem each, exit 3',
             without_mtu(document, shot, lost))
    nodes = ['/dev/infiniband/' + node for node in peers.listdir('/dev/infiniband')
             if node.startswith('uverbs')]
    for node in nodes:
        os.chmod(node, 0o600)
    document = program.listing('ports', prefix=peers.NOBODY)
    gids = program.listing('gids', prefix=peers.NOBODY)
    caps = program.listing('caps', prefix=peers.NOBODY)
    for node in nodes:
        os.chmod(node, 0o666)
    tap.test('wire: ports with inaccessible nodes: no MTU, one problem each, exit 3',
             without_mtu(document, shot, lost) +
             ['no word of permission: %s' % problem for problem in document.problems
              if 'ermission' not in problem['error'] or not problem['hint']])
    tap.test('wire: gids with inaccessible nodes',
             differ('gids', shot.ours['gids'], gids, drop=('source',)))
    tap.test('wire: caps with inaccessible nodes: a problem for each device, exit 1',
             unequal('exit status', caps.status, 1) +
             unequal('problems of', [problem['object'] for problem in caps.problems],
                     [row['device'] for row in shot.ours['devices'].rows]))


def without_mtu(document, shot, lost):
    wrong = unequal('exit status', document.status, 3)
    wrong += differ('ports', shot.ours['ports'], document, drop=lost)
    wrong = [line for line in wrong if ' problems: ' not in line and 'exit status: ' not in line]
    wrong += unequal('exit status', document.status, 3)
    wrong += unequal('problems of', sorted(problem['object'] for problem in document.problems),
                     [row['device'] for row in document.rows])
    for row in document.rows:
        wrong += unequal('MTUs of ' + row['device'], [row[key] for key in lost], [None, None])
    return wrong


def objects_and_filters(tap):
    """The listing has exactly the requested rows."""
    wrong = []
    for words, wanted in (
            (('ports', 'rxb'), [('rxb', 1)]), (('ports', 'rxb/1', 'rxa'), [('rxa', 1), ('rxb', 1)]),
            (('pkeys', 'rxa/1'), [('rxa', 1)])):
        document = program.listing(*words)
        wrong += unequal(' '.join(words), list(document.by('device', 'port')), wanted)
    every = program.listing('gids').rows
    for words, keep in (
            (('--netdev', 'va.5'), lambda row: row['netdev'] == 'va.5'),
            (('--ip', '10.9.0.2'), lambda row: row['ip'] == '10.9.0.2'),
            (('--ip', 'FD09:0::1'), lambda row: row['ip'] == 'fd09::1'),
            (('--type', 'roce-v2', 'rxa'),
             lambda row: row['type'] == 'roce-v2' and row['device'] == 'rxa'),
            (('--type', 'roce-v1'), lambda row: row['type'] == 'roce-v1')):
        document = program.listing('gids', *words)
        wrong += unequal('gids ' + ' '.join(words), document.rows, list(filter(keep, every)))
    tap.test('wire: objects and filters', wrong)
    wrong = []
    for words, status in ((('devices', 'rxz'), 5), (('ports', 'rxa/2'), 5), (('ports', 'rxa/x'), 2),
                          (('devices', 'rxa', 'rxz'), 3), (('ports', 'rxb/1', 'rxa/9'), 3)):
        document = program.listing(*words)
        wrong += unequal(' '.join(words), document.status, status)
        wrong += unequal(' '.join(words) + ' problems', len(document.problems), 1)
    tap.test('wire: missing objects: exit 5, or 3 if others exist', wrong)


def play(tap):
    peers.shell('bed_wire && bed_vlan && bed_bond')
    if peers.run('modinfo', 'siw').status == 0:
        peers.shell('bed_siw')
    else:
        tap.skip('wire: iWARP devices', 'tests/vm/module has not built siw.ko')
    shot = compare_all(tap, 'wire')
    unprivileged(tap, shot)
    without_nodes(tap, shot)
    objects_and_filters(tap)
