# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl fabric check: credit loops of rings and trees, with the routing engines of opensm. The
routes of the packets that form a loop are compared with those of the simulator."""

import os
import re

import bed
import fabric
from scene_fabric_check import label
from tap import unequal

LOOP, UNKNOWN = 'credit-loop', 'not-checked'
MODES = ('0', 'all', 'paths')
# The tables of ibsim give each SL a VL of its own, and opensm sets fewer VLs.
LACKS = 'tables give some packets a VL that the port does not have, at switch '
# A cable of a loop, and a packet behind it.
CABLE = re.compile(r'(?:^|; )([^;]+?)/(\d+) to [^\[]+ \[(?:VL (\d+): )?([^\[]+)/(\d+) to LID (\d+) of [^,\]]+'
                   r'(?:, SL (\d+))?\]')
HOP = re.compile(r'\[(\d+)\] -> "([^"]+)"\[(\d+)\]')


def ring():
    return fabric.torus((5,), hosts=2)


def of_mode(mode, unknown):
    """Whether the sentences are those of a ring whose tables are all known."""
    return unequal('sentences with ' + mode, [LACKS in text for text in unknown], [True] * (mode == 'all'))


def loops(sim, *words, **options):
    """The document of a check, its loops, and its sentences on loops that it cannot find."""
    document = sim.document('fabric_check', 'fabric', 'check', *words, timeout=120, **options)
    return (document, [row for row in document.rows if row['finding'] == LOOP],
            [row['evidence'] for row in document.rows
             if row['finding'] == UNKNOWN and row['evidence'].startswith(LOOP)])


def hops(sim, source, lid):
    """The output ports of switches on the simulator's own route: [(name of the node, port)]."""
    found = HOP.findall(sim.route(source, lid))
    return [(node, int(out)) for (_, node, _), (out, _, _) in zip(found, found[1:])]


def true_loop(sim, evidence, with_levels=True):
    """Whether each packet goes from the cable that it is behind to the next cable of the loop."""
    cables = [found.groups() for found in CABLE.finditer(evidence.partition('next: ')[2])]
    names = {label(node): name for name, node in sim.net.nodes.items()}
    lids, wrong = sim.lids(), []
    ports = [(names[node], int(port)) for node, port, *_ in cables]
    for held, wanted, (_, _, lane, host, port, lid, level) in zip(ports, ports[1:] + ports[:1],
                                                                  cables):
        route = hops(sim, lids[names[host], int(port)], int(lid))
        if (held, wanted) not in zip(route, route[1:]):
            wrong.append('%s to LID %s: %s, not from %s to %s' % (host, lid, route, held, wanted))
        if with_levels and (lane, level) != ('0', '0'):
            wrong.append('VL %s and SL %s' % (lane, level))
    return wrong + unequal('cables', len(ports), 5)


def minimum_hops(sim):
    """Both ways around the ring. Only path records prove that the packets have these SLs."""
    _, found, unknown = loops(sim)
    wrong = unequal('loops without a query', found, [])
    wrong += unequal('sentences', len(unknown), 1)
    wrong += true_loop(sim, unknown[0] if unknown else '', with_levels=False)
    for mode, severity in (('0', 'notice'), ('all', 'notice'), ('paths', 'warning')):
        _, found, unknown = loops(sim, '--credit-loops', mode)
        wrong += unequal(mode, [row['severity'] for row in found], [severity] * 2)
        wrong += of_mode(mode, unknown)
        for row in found:
            wrong += true_loop(sim, row['evidence'])
        first = {(row['node'], row['port']) for row in found}
        wrong += unequal('places', len(first), 2)
    return wrong


def limited(sim):
    """A scan of a part of the ring cannot know that there is no loop."""
    wrong, switch = [], sim.net.switches()[0]
    for words in (('--hops', '3'), ('--switch', label(switch))):
        for more in ((), ('--credit-loops', '0')):
            _, found, unknown = loops(sim, *words, *more)
            wrong += unequal(' '.join(words), found, [])
            wrong += unequal('sentence', any('a part of the subnet is unknown' in text
                                             for text in unknown), True)
    return wrong


def saved(sim):
    """A file with all tables has the same loops; one without SL to VL tables does not say."""
    path, wrong = sim.path('scan.json'), []
    sim.rdmactl('fabric', 'scan', '--routes', '--details', '--save', path)
    for mode in ('0', 'all'):
        live = loops(sim, '--credit-loops', mode)[1]
        _, found, unknown = loops(sim, '--load', path, '--credit-loops', mode)
        wrong += unequal('saved, ' + mode, [row['evidence'] for row in found],
                         [row['evidence'] for row in live])
        wrong += of_mode(mode, unknown)
    _, found, unknown = loops(sim, '--load', path, '--credit-loops', 'paths')
    wrong += unequal('path records of a file', (found, 'a saved scan has none' in unknown[0]),
                     ([], True))
    sim.rdmactl('fabric', 'scan', '--routes', '--save', path)
    _, found, unknown = loops(sim, '--load', path, '--credit-loops', '0')
    wrong += unequal('without lanes', found, [])
    wrong += unequal('sentences', ['which VL some packets get' in text for text in unknown], [True])
    sim.rdmactl('fabric', 'scan', '--save', path)
    document, found, unknown = loops(sim, '--load', path)
    wrong += unequal('without tables', (found, unknown), ([], []))
    wrong += unequal('tables', [row['evidence'] for row in document.rows
                                if row['evidence'].startswith('forwarding tables')],
                     ['forwarding tables: a scan saved without --routes has none'])
    os.unlink(path)
    return wrong


def unanswered(sim):
    """A switch that does not tell its SL to VL tables, nor its forwarding table; a silent SA."""
    switch, wrong = sim.net.switches()[2], []
    for attribute, words, said in ((0x17, ('--credit-loops', '0'), 'which VL some packets get at'),
                                   (0x19, (), 'where some packets go from')):
        sim.console('Error "%s" 100 %d' % (switch.name, attribute))
        document, found, unknown = loops(sim, *words)
        sim.console('Error "%s" 0' % switch.name)
        wrong += unequal('loops', found, [])
        wrong += unequal('sentence', any(said + ' ' + label(switch) in text for text in unknown),
                         True)
        wrong += unequal('unanswered', {row['node'] for row in document.rows
                                        if row['finding'] == 'unanswered'}, {label(switch)})
    sim.pause_manager()
    _, found, unknown = loops(sim, '--credit-loops', 'paths', '--timeout', '50ms', '--retries', '0')
    sim.resume_manager()
    wrong += unequal('loops', found, [])
    return wrong + unequal('a silent SA', any('the subnet administrator did not answer' in text
                                              for text in unknown), True)


def no_loop(sim):
    """Whatever the SLs, nothing is said, and nothing more is asked."""
    wrong = []
    for words in ((), *(('--credit-loops', mode) for mode in MODES)):
        _, found, unknown = loops(sim, *words)
        wrong += unequal(' '.join(words), (found, unknown), ([], []))
    return wrong


def by_levels(sim):
    """The routes are loops, but the SLs of the path records put the packets on several VLs."""
    _, found, unknown = loops(sim)
    wrong = unequal('by default', (found, len(unknown)), ([], 1))
    _, found, unknown = loops(sim, '--credit-loops', '0')
    wrong += unequal('if all have SL 0', {row['severity'] for row in found}, {'notice'})
    _, found, unknown = loops(sim, '--credit-loops', 'paths')
    return wrong + unequal('with path records', (found, unknown), ([], []))


def torus_file(sim, sizes):
    """The seed of torus-2QoS: the links of the first switch."""
    path, guids = sim.path('torus'), [node.guid for node in sim.net.switches()]
    with open(path, 'w') as file:
        file.write('torus %d %d 1\n' % sizes)
        for axis, step, size in (('x', sizes[1], sizes[0]), ('y', 1, sizes[1])):
            for sign, place in (('p', step), ('m', step * (size - 1))):
                file.write('%s%s_link 0x%016x 0x%016x\n' % (axis, sign, guids[0], guids[place]))
    return path


def play(tap, box):
    with bed.Simulator(box, ring()) as sim:
        sim.start_manager()
        for what, test in (('minimum hops', minimum_hops), ('a part of it', limited),
                           ('a saved scan', saved),
                           ('tables that are not told', unanswered)):
            tap.test('fabric check: credit loops of a ring: ' + what, test(sim))
    with bed.Simulator(box, ring()) as sim:
        roots = sim.path('roots')
        with open(roots, 'w') as file:
            file.write('0x%016x\n' % sim.net.switches()[0].guid)
        sim.start_manager('-R', 'updn', '-a', roots)
        tap.test('fabric check: no credit loop with updn', no_loop(sim))
    with bed.Simulator(box, fabric.fat_tree(40, levels=3, radix=8)) as sim:
        sim.start_manager()
        tap.test('fabric check: no credit loop in a fat tree', no_loop(sim))
    for options in (('-R', 'lash'), ('-R', 'dfsssp', '-Q')):
        with bed.Simulator(box, fabric.torus((5,), hosts=1)) as sim:
            sim.start_manager(*options)
            tap.test('fabric check: credit loops that SLs break: ' + options[1], by_levels(sim))
    with bed.Simulator(box, fabric.torus((5, 5), hosts=1)) as sim:
        sim.start_manager('-R', 'torus-2QoS', '-Q', '--torus_config', torus_file(sim, (5, 5)))
        tap.test('fabric check: credit loops that SLs break: torus-2QoS', by_levels(sim))
