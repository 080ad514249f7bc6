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
    theirs = tools.forwarding_tables(sim.run(['dump_fts', '2', '4']).text())
    some = sim.document('fabric_tables', 'fabric', 'tables', '--lids', '2-4').rows
    wrong += unequal('LIDs 2 to 4', {(row['node_guid'], row['lid'], row['out_port']) for row in some},
                     {(guid, lid, port) for guid, table in theirs.items()
                      for lid, port in table.items()})
    return wrong + compare.rows('fabric tables', 'dump_fts', ours, expected)


HOP = re.compile(r'\[(\d+)\] -> (?:switch|ca|router) port \{(0x[0-9a-f]+)\}\[(\d+)\]')
SIM_HOP = re.compile(r'\[(\d+)\] -> "([^"]+)"\[(\d+)\]')


def routes(sim):
    """Compares (out port, node, in port) of each hop, there and back."""
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


def many(sim):
    """--pairs-file: the same routes as `route` and the simulator, and the pairs over each cable."""
    lids = sim.lids()
    ends = [lids[node.name, port] for node in sim.net.hcas() for port in sorted(node.links)
            if (node.name, port) in lids]
    pairs = [(one, other) for one, other in zip(ends, reversed(ends)) if one != other]
    path, counts, wrong = sim.path('pairs'), {}, []
    with open(path, 'w') as file:
        file.write(''.join('%d %d\n' % pair for pair in pairs))
    document = sim.document('fabric_pairs', 'fabric', 'route', '--pairs-file', path)
    wrong += unequal('status', document.status, 0)
    wrong += unequal('pairs', len(document.rows), len(pairs))
    for number, (row, (one, other)) in enumerate(zip(document.rows, pairs)):
        said = [int(out) for out, _, _ in SIM_HOP.findall(sim.route(one, other))]
        ours = [int(place.rsplit('/', 1)[1]) for place in row['cables']]
        wrong += unequal('%d to %d' % (one, other), (ours, row['hops'], row['end']),
                         (said, len(said), 'arrives'))
        for place in row['cables']:
            counts[place] = counts.get(place, 0) + 1
        if number < PAIRS:
            rows = sim.document('fabric_route', 'fabric', 'route', str(one), str(other)).rows
            wrong += unequal('route', row['cables'], ['%s/%d' % (hop['node'], hop['out_port']) for hop in rows
                                                      if hop['direction'] == 'there'])
    shared, ours, ports = sim.document('fabric_shared', 'fabric', 'route', '--pairs-file', path, '--cables').rows, {}, set()
    for row in shared:  # several nodes may have the same name
        place = '%s/%d' % (row['node'], row['port'])
        ours[place] = ours.get(place, 0) + row['pairs']
        ports.add((row['node_guid'], row['port']))
    wrong += unequal('cables', (ours, len(ports)), (counts, len(shared)))
    for row in document.rows if len(ours) == len(shared) else ():
        wrong += unequal('most', row['most_pairs'], max(counts[place] for place in row['cables']))
    return wrong + ([] if pairs else ['no pair'])


def balance(sim):
    """For each port that leads to a switch, the number of adapters' LIDs routed through it."""
    lids = {lid for (name, _), lid in sim.lids().items() if not sim.net.nodes[name].is_switch}
    theirs = tools.forwarding_tables(sim.run(['dump_fts']).text())
    document = sim.document('fabric_balance', 'fabric', 'balance')
    wrong = unequal('status', document.status, 0)
    for row in document.rows:
        table = theirs[row['node_guid']]
        wrong += unequal('%s/%s' % (row['node'], row['port']), row['routes'],
                         sum(port == row['port'] and lid in lids for lid, port in table.items()))
    return wrong + ([] if document.rows else ['no link'])


def saved(sim):
    """A saved scan with its tables shows the same routes as the switches did."""
    path = sim.path('routes.json')
    wrong = unequal('scan', sim.rdmactl('fabric', 'scan', '--routes', '--save', path, '--tsv').status, 0)
    ends = sorted(lid for (name, _), lid in sim.lids().items() if not sim.net.nodes[name].is_switch)
    for words in (('tables',), ('balance',), ('route', str(ends[0]), str(ends[-1]))):
        live = sim.document('fabric_' + words[0], 'fabric', *words)
        again = sim.document('fabric_' + words[0], 'fabric', *words, '--load', path)
        # The file has neither path records of the subnet administrator nor counters.
        asked = {key for row in live.rows for key in row if 'path' in key or 'errors' in key}
        wrong += unequal('status of ' + words[0], again.status, 3 if asked else live.status)
        wrong += unequal(words[0], again.rows,
                         [{key: None if key in asked else value for key, value in row.items()}
                          for row in live.rows])
        wrong += [] if live.rows else ['no row of ' + words[0]]
    return wrong


def silent(sim):
    """A switch that does not return its table: the scan is incomplete, also when it is loaded
    again."""
    path, switch = sim.path('silent.json'), sim.net.switches()[0]
    sim.console('Error "%s" 100 25' % switch.name)
    result = sim.rdmactl('fabric', 'scan', '--routes', '--save', path, '--tsv', latsim={})
    sim.console('Error "%s" 0' % switch.name)
    wrong = unequal('status of the scan', result.status, 3)
    graph = sim.document('fabric', 'fabric', 'scan', '--load', path).rows[0]
    name = next(row['node'] for row in graph['nodes']
                if row['node_guid'].replace(':', '') == '%016x' % switch.guid)
    wrong += unequal('complete', graph['complete'], False)
    wrong += unequal('unanswered', [(row['node'], row['attribute']) for row in graph['unanswered']],
                     [(name + '/0', 'LinearForwardingTable')])
    document = sim.document('fabric_balance', 'fabric', 'balance', '--load', path)
    wrong += unequal('status of balance', document.status, 3)
    wrong += unequal('problems', [problem['object'] for problem in document.problems],
                     [name + '/0'])
    wrong += unequal('without routes', {row['node'] for row in document.rows if row['routes'] is None},
                     {name})
    return wrong + unequal('pairs', {row['pairs'] for row in document.rows}, {None})


def unrouted(sim):
    """Empty tables are reported as such, since there ought to be routes."""
    wrong = []
    for word in ('tables', 'balance'):
        document = sim.document('fabric_' + word, 'fabric', word)
        said = 'the forwarding tables are empty: no subnet manager has filled them'
        wrong += unequal('status of ' + word, document.status, 3)
        wrong += unequal('problems of ' + word,
                         [problem['error'] for problem in document.problems], [said])
    groups = sim.document('fabric_multicast', 'fabric', 'tables', '--multicast')
    wrong += [] if 'the multicast forwarding tables are empty' in groups.result.complaint() else ['no reason']
    return wrong + unequal('multicast', (groups.status, groups.rows), (3, []))


def twins():
    """Two adapters with the same name, and two with unique names; lone/2 has no cable."""
    net = fabric.Net()
    switch = net.add(fabric.Node('Switch', 'S-1', 4))
    for number, name in enumerate((b'here', b'twin', b'twin', b'lone'), 1):
        ports = 2 if name == b'lone' else 1
        net.link(switch, number, net.add(fabric.Node('Hca', 'H-%d' % number, ports, name)), 1)
    return net


def named(sim):
    """NAME and NAME/PORT of a name that one node, two nodes or no node has."""
    wrong = []
    for word, status, said in (('lone', 0, ''), ('lone/1', 0, ''), ('twin', 2, ' matches 2 nodes'),
                               ('twin/1', 2, ' matches 2 nodes'),
                               ('lone/2', 1, 'lone/2 has no cable in the scan'),
                               ('lone/3', 5, 'no such port: lone has ports 1 to 2'),
                               ('none/1', 5, 'the scan found no node')):
        result = sim.rdmactl('fabric', 'route', 'here', word)
        wrong += unequal('status of ' + word, result.status, status)
        wrong += [] if said in result.err.decode() else result.describe()
    return wrong


def row_of_two():
    """Two switches in a row; port 4 of both has no cable. The client is on H-1."""
    net = fabric.Net()
    one, two = (net.add(fabric.Node('Switch', name, 4, name.encode())) for name in ('S-1', 'S-2'))
    hosts = [net.add(fabric.Node('Hca', name, 1, name.encode())) for name in ('H-1', 'H-2', 'H-3')]
    net.link(one, 1, hosts[0], 1)
    net.link(one, 3, two, 3)
    net.link(two, 1, hosts[1], 1)
    net.link(two, 2, hosts[2], 1)
    return net


# Ports of the LID of H-2 in the tables of S-1 and S-2, and the reason why it is not reached, as
# told by `route` and by a scan from there.
BROKEN = (
    (255, 1, 'ends at S-1: its table has no port for LID %d',
     'at S-1, whose forwarding table has no port for it'),
    (9, 1, 'ends at S-1: LID %d goes to port 9, which it does not have',
     'at S-1, whose forwarding table sends packets to port 9, which the switch does not have'),
    (0, 1, 'ends at S-1: LID %d goes to the switch itself, which has another LID',
     'at S-1, whose forwarding table sends packets to the switch itself, which has another LID'),
    (4, 1, 'ends at S-1/4: it has no link', 'after S-1/4: NodeInfo: no answer'),
    (3, 4, 'ends at S-2/4: it has no link', 'after S-2/4: NodeInfo: no answer'),
    (3, 3, 'comes back to S-1: LID %d goes in a loop', 'in a loop at S-'),
    (3, 2, 'ends at H-3, which does not have LID %d', 'at H-3, which has another LID'),
    (3, 1, None, None),
)


def broken(sim):
    """Each way in which a route can end early on the way there; the way back is intact."""
    lids, wrong = sim.lids(), []
    lid = lids['H-2', 1]
    tables = {'0,1': {('H-1', 1): 1, ('S-1', 0): 0}, '0,1,3': {('H-3', 1): 2, ('H-1', 1): 3}}
    for one, two, route, scan in BROKEN:
        lines = []
        for path, port in (('0,1', one), ('0,1,3', two)):
            table = bytearray([255] * 64)
            table[lid] = port
            for place, out in tables[path].items():
                table[lids.get(place, 0)] = out
            lines.append('%s 0x19 0 %s' % (path, table.hex()))
        wrong += sim.set_smps(lines)
        result = sim.rdmactl('fabric', 'route', 'H-1', 'H-2')
        told = 'the route there ' + (route % lid if '%' in route else route) if route else ''
        if (result.status, told in result.err.decode(), 'route back' in result.err.decode()) != (
                4 if route else 0, True, False):
            wrong += ['%d, %d:' % (one, two), *result.describe()]
        result = sim.rdmactl('fabric', 'links', '-L', '--from', str(lid), '--timeout', '1s')
        told = 'the route to LID %d ends %s' % (lid, scan) if scan else ''
        if (result.status == 0) != (scan is None) or told not in result.err.decode():
            wrong += ['a scan from there, %d, %d:' % (one, two), *result.describe()]
    return wrong


def groups(sim):
    """Multicast tables, which opensm leaves empty on the simulator; and other options."""
    mlids = [0] * 32
    mlids[0], mlids[31] = 1 << 1 | 1 << 3, 1 << 0
    block = b''.join(mask.to_bytes(2, 'big') for mask in mlids)
    wrong = sim.set_smps(['0,1 0x1b 0 ' + block.hex()])
    rows = sim.document('fabric_multicast', 'fabric', 'tables', '--multicast', 'S-1').rows
    wrong += unequal('groups', [(row['mlid'], row['ports'], row['peers']) for row in rows],
                     [('0xc000', ['1', '3'], ['H-1', 'S-2']), ('0xc01f', ['0'], ['-'])])
    result = sim.rdmactl('fabric', 'tables', 'H-1')
    wrong += unequal('an adapter', result.err.decode().splitlines()[0],
                     'rdmactl fabric: H-1 is not a switch, and has no forwarding table')
    rows = sim.document('fabric_balance', 'fabric', 'balance', '--top', '1').rows
    wrong += unequal('the most loaded', [(row['node'], row['port'], row['routes']) for row in rows],
                     [('S-1', 3, 2)])
    result = sim.rdmactl('fabric', 'route', 'H-1', 'H-1')
    return wrong + unequal('to itself', (result.status, result.err.decode().splitlines()[0]),
                           (2, 'rdmactl fabric: both ends are H-1/1'))


def play(tap, box):
    with bed.Simulator(box, HERE['tree20']) as sim:
        tap.test('fabric: tables and balance without a subnet manager', unrouted(sim))
    with bed.Simulator(box, twins()) as sim:
        sim.start_manager()
        tap.test('fabric route: names that several nodes have', named(sim))
    with bed.Simulator(box, row_of_two(), host='H-1') as sim:
        sim.start_manager()
        tap.test('fabric: multicast tables, --top, an adapter, and a route to itself', groups(sim))
        tap.test('fabric route: where a broken route ends', broken(sim))
    for name, net in HERE.items():
        with bed.Simulator(box, net) as sim:
            sim.start_manager()
            for what, test in (('tables', tables), ('routes', routes), ('many pairs', many),
                               ('balance', balance),
                               ('saved tables', saved),
                               ('a silent switch', silent)):
                tap.test('fabric: %s: %s' % (name, what), test(sim))
