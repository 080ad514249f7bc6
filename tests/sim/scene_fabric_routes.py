# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl fabric tables, route and balance against dump_fts, ibtracert, and the simulator's own
list of routes."""

import re

import bed
import compare
import fabric
import tools
from scene_fabric import NETS
from tap import unequal

HERE = {
    'tree20': NETS['tree20'],
    'deep100': fabric.fat_tree(100, levels=3, radix=8),
    'torus-2x3x4': NETS['torus-2x3x4'],
    'dragonfly': NETS['dragonfly'],
}
PAIRS = 6


def tables(sim):
    """Every entry of every switch."""
    theirs = tools.forwarding_tables(sim.run(['dump_fts']).text())
    document = sim.document('fabric_tables', 'fabric', 'tables')
    ours, wrong = {}, unequal('status', document.status, 0)
    for row in document.rows:
        ours[row['node_guid'], row['lid']] = row
    expected = {(guid, lid): {'out_port': port} for guid, table in theirs.items()
                for lid, port in table.items()}
    return wrong + compare.rows('fabric tables', 'dump_fts', ours, expected)


HOP = re.compile(r'\[(\d+)\] -> (?:switch|ca|router) port \{(0x[0-9a-f]+)\}\[(\d+)\]')
SIM_HOP = re.compile(r'\[(\d+)\] -> "([^"]+)"\[(\d+)\]')


def routes(sim):
    """(out, node or port GUID, in) of each hop, there and back."""
    lids = sim.lids()
    ends = [lids[node.name, port] for node in sim.net.hcas() for port in sorted(node.links)
            if (node.name, port) in lids]
    names = {'%016x' % node.guid: name for name, node in sim.net.nodes.items()}
    wrong, hops = [], 0
    for one, other in zip(ends[:PAIRS], reversed(ends)):
        document = sim.document('fabric_route', 'fabric', 'route', str(one), str(other))
        wrong += unequal('status of %d to %d' % (one, other), document.status, 0)
        for direction, start, end in (('there', one, other), ('back', other, one)):
            ours = [(row['out_port'], names[row['peer_guid'].replace(':', '')], row['in_port'])
                    for row in document.rows if row['direction'] == direction]
            said = [(int(out), name, int(into)) for out, name, into in
                    SIM_HOP.findall(sim.route(start, end))]
            traced = [(int(out), int(into)) for out, _, into in
                      HOP.findall(sim.run(['ibtracert', str(start), str(end)]).text())]
            wrong += unequal('%d to %d, by the simulator' % (start, end), ours, said)
            wrong += unequal('%d to %d, by ibtracert' % (start, end),
                             [(out, into) for out, _, into in ours], traced)
            hops += len(said)
    compare.count('fabric route', 'ibtracert, ibsim Route', len(ends[:PAIRS]), hops, 3 * hops,
                  len(wrong))
    return wrong + ([] if hops else ['no route was compared'])


def balance(sim):
    """Adapters' LIDs in the tables of each port that leads to a switch."""
    lids = {lid for (name, _), lid in sim.lids().items() if not sim.net.nodes[name].is_switch}
    theirs = tools.forwarding_tables(sim.run(['dump_fts']).text())
    document = sim.document('fabric_balance', 'fabric', 'balance')
    wrong = unequal('status', document.status, 0)
    for row in document.rows:
        table = theirs[row['node_guid']]
        wrong += unequal('%s/%s' % (row['node'], row['port']), row['routes'],
                         sum(port == row['port'] and lid in lids for lid, port in table.items()))
    return wrong + ([] if document.rows else ['no link'])


def unrouted(sim):
    """Nothing to list is told for what it is, where routes have to be."""
    wrong = []
    for word in ('tables', 'balance'):
        document = sim.document('fabric_' + word, 'fabric', word)
        said = 'the forwarding tables are empty: no subnet manager has filled them'
        wrong += unequal('status of ' + word, document.status, 3)
        wrong += unequal('problems of ' + word,
                         [problem['error'] for problem in document.problems], [said])
    groups = sim.document('fabric_multicast', 'fabric', 'tables', '--multicast')
    return wrong + unequal('multicast', (groups.status, groups.rows), (0, []))


def twins():
    """Two adapters of one name, and two of their own."""
    net = fabric.Net()
    switch = net.add(fabric.Node('Switch', 'S-1', 4))
    for number, name in enumerate((b'here', b'twin', b'twin', b'lone'), 1):
        net.link(switch, number, net.add(fabric.Node('Hca', 'H-%d' % number, 1, name)), 1)
    return net


def named(sim):
    """NAME and NAME/PORT of a name that is there once, twice, and not at all."""
    wrong = []
    for word, status, said in (('lone', 0, ''), ('lone/1', 0, ''), ('twin', 2, ' may be any of 2 nodes'),
                               ('twin/1', 2, ' may be any of 2 nodes'), ('lone/2', 5, 'the scan found no node'),
                               ('none/1', 5, 'the scan found no node')):
        result = sim.rdmactl('fabric', 'route', 'here', word)
        wrong += unequal('status of ' + word, result.status, status)
        wrong += [] if said in result.err.decode() else result.describe()
    return wrong


def play(tap, box):
    with bed.Simulator(box, HERE['tree20']) as sim:
        tap.test('fabric: tables and balance without a subnet manager', unrouted(sim))
    with bed.Simulator(box, twins()) as sim:
        sim.start_manager()
        tap.test('fabric route: names that several have', named(sim))
    for name, net in HERE.items():
        with bed.Simulator(box, net) as sim:
            sim.start_manager()
            for what, test in (('tables', tables), ('routes', routes), ('balance', balance)):
                tap.test('fabric: %s: %s' % (name, what), test(sim))
