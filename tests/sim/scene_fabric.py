# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl fabric scan and its lists on nets of all shapes, with and without a subnet manager,
compared with ibnetdiscover and iblinkinfo at the same moment, and with the net file."""

from concurrent.futures import ThreadPoolExecutor

import bed
import compare
import fabric
import program
import scene_bed
import topology
from tap import unequal

NETS = {
    'net': bed.NETS + '/net',
    'net.1': bed.NETS + '/net.1',
    'net.2sw2path': bed.NETS + '/net.2sw2path',
    'net.2sw2path4hca': bed.NETS + '/net.2sw2path4hca',
    'net.2sw2path4hca2port': bed.NETS + '/net.2sw2path4hca2port',
    'tree20': fabric.fat_tree(20, radix=8, mixed=True, hostile=True),
    'tree100': fabric.fat_tree(100),
    'tree1000': fabric.fat_tree(1000, levels=3),
    'torus-5x4': fabric.torus((5, 4)),
    'torus-2x3x4': fabric.torus((2, 3, 4)),
    'dragonfly': fabric.dragonfly(9, 4),
    'rails': fabric.rails(20, switches=3),
    'oddities': fabric.oddities(),
    'back-to-back': fabric.back_to_back(),
    'chain60': fabric.chain(60),
}
LISTS = ('nodes', 'switches', 'hosts', 'routers', 'links', 'ports')
TYPES = {'switches': 'switch', 'hosts': 'ca', 'routers': 'router'}
LARGE = 500  # nodes: nets of this size skip the lists, and have a lower limit of datagrams


class Graph:
    """The output of `rdmactl -j fabric scan`, by GUIDs."""

    def __init__(self, document):
        self.document = document
        self.status = document.status
        whole = document.rows[0] if document.rows else {}
        self.complete = whole.get('complete')
        self.lists = {name: whole.get(name) or [] for name in
                      ('nodes', 'ports', 'links', 'unanswered')}
        self.nodes = {row['node_guid']: row for row in self.lists['nodes']}
        self.ports = {(row['node_guid'], row['port']): row for row in self.lists['ports']}

    def ends(self):
        return {key: row for key, row in self.ports.items() if row['peer_port'] is not None}


def scan(sim, *words, **options):
    return Graph(sim.document('fabric', 'fabric', 'scan', *words, timeout=120, **options))


def sent(log):
    return scene_bed.counts_of(log)['sent']


# On a busy machine the simulator may answer late, and a retry would count as another datagram.
PATIENT = ('--timeout', '10s')


class Look:
    """What all tools report about a net: collected at the same moment, compared later."""

    def __init__(self, sim):
        logs = {name: sim.path('latsim.' + name) for name in ('ours', 'theirs')}
        work = {
            'ours': lambda: scan(sim, *PATIENT, latsim={'LOG': logs['ours']}),
            'theirs': lambda: sim.run(['ibnetdiscover'], latsim={'LOG': logs['theirs']}),
            'report': lambda: sim.run(['ibnetdiscover', '-p']),
            'links': lambda: sim.run(['iblinkinfo', '-l']),
            'list': lambda: sim.document('fabric_links', 'fabric', 'links', *PATIENT),
        }
        with ThreadPoolExecutor(2) as pool:
            said = dict(zip(work, pool.map(lambda do: do(), work.values())))
        self.sim, self.graph, self.list = sim, said['ours'], said['list']
        self.wrong = [line for name in ('theirs', 'report', 'links') if said[name].status
                      for line in said[name].describe()]
        self.mads = sent(logs['ours']), sent(logs['theirs'])
        self.topology = topology.Topology(text_of(said['theirs']))
        self.report = topology.ports_report(text_of(said['report']))
        self.links = topology.links(text_of(said['links']))
        self.counts = dict(nodes=len(self.topology.nodes), links=len(self.topology.ends) // 2)


def text_of(result):
    return result.out.decode('utf-8', 'surrogateescape')


def whole(graph):
    """The scan is complete, and says so."""
    wrong = unequal('status', graph.status, 0) + unequal('complete', graph.complete, True)
    wrong += unequal('unanswered', graph.lists['unanswered'], [])
    wrong += unequal('problems', graph.document.problems, [])
    return wrong + unequal('rows', len(graph.document.rows), 1)


def described(shown, raw, theirs, place):
    """A description as we show it, as the net has it, and as another tool prints it."""
    wrong = unequal(place + ' description', shown, compare.cleaned(raw))
    plain = bytes(byte if 32 <= byte < 127 else 32 for byte in raw).decode()
    if plain != shown:
        compare.known('description-spaces')
    if theirs != plain:
        wrong.append('%s: another tool calls it %r' % (place, theirs))
    return wrong


def nodes(look):
    """Type, GUIDs, ports, vendor, device, LID of switches; descriptions."""
    theirs, wrong = {}, []
    raw = {guid_in(look.sim.net, name): scene_bed.description_of(node)
           for name, node in look.sim.net.nodes.items()} if has_guids(look.sim.net) else {}
    for key, row in look.topology.nodes.items():
        ours = look.graph.nodes.get(key, {})
        name = row.pop('description')
        wrong += described(ours.get('description'), raw.get(key, name.encode()), name, key)
        theirs[(key,)] = row
    return wrong + compare.rows('fabric nodes', 'ibnetdiscover',
                                {(key,): row for key, row in look.graph.nodes.items()}, theirs)


def has_guids(net):
    return all(node.guid is not None for node in net.nodes.values())


def guid_in(net, name):
    digits = '%016x' % net.nodes[name].guid
    return ':'.join(digits[i:i + 4] for i in range(0, 16, 4))


def ends(look):
    """Both ends of every cable, as ibnetdiscover prints them."""
    theirs = {}
    for key, row in look.topology.ends.items():
        theirs[key] = dict(row)
        del theirs[key]['peer']
    return compare.rows('fabric links', 'ibnetdiscover', look.graph.ends(), theirs)


def place_of(look, port_guid, number):
    """(node, number) of a port by its GUID; all ports of a switch share one GUID."""
    return look.topology.ports.get(port_guid, (port_guid, number))


def by_report(look):
    """ibnetdiscover -p, which also lists ports of switches that are not cabled."""
    theirs = {}
    for row in look.report:
        row = dict(row)
        key = place_of(look, row.pop('guid'), row.pop('port'))
        if 'peer' in row:
            row['peer_guid'] = place_of(look, row.pop('peer'), row['peer_port'])[0]
        theirs[key] = row
    ours = {key: row for key, row in look.graph.ports.items()
            if key in theirs or row['peer_port'] is not None or row['node_type'] == 'switch'}
    return compare.rows('fabric ports', 'ibnetdiscover -p', ours, theirs)


def by_links(look):
    """iblinkinfo: states, and the better width or speed that a link could have."""
    theirs = {}
    for row in look.links:
        row = dict(row)
        key = place_of(look, row.pop('guid'), row.pop('port'))
        far = row.pop('peer')
        row['peer_guid'] = far and place_of(look, far, row['peer_port'])[0]
        lanes, speed = row.pop('better_lanes'), row.pop('better_speed')
        if far:
            row['best_width_lanes'] = lanes or row['width_lanes']
            row['best_speed'] = speed or row['speed']
            row['below_best'] = bool(lanes or speed)
        row.pop('node')
        theirs[key] = row
    ours = {key: row for key, row in look.graph.ports.items()
            if key in theirs or row['peer_port'] is not None or row['node_type'] == 'switch'}
    wrong = compare.rows('fabric ports', 'iblinkinfo', ours, theirs)
    for key, row in look.graph.ports.items():
        better = '%sx %s' % (row['best_width_lanes'], row['best_speed'])
        wrong += unequal('%s could_be' % (key,), row['could_be'],
                         better if row['below_best'] else None)
    return wrong


def itself(look):
    """The graph is consistent: the ends of a cable name each other, each cable appears once."""
    graph, wrong = look.graph, unequal('problems of fabric links', look.list.problems, [])
    cabled = graph.ends()
    for key, row in cabled.items():
        back = graph.ports[row['peer_guid'], row['peer_port']]
        wrong += unequal('%s and back' % (key,), (back['peer_guid'], back['peer_port']), key)
        wrong += unequal('%s index' % (key,), graph.lists['nodes'][row['node_index']]['node_guid'],
                         key[0])
    pairs = [frozenset([(row['node_guid'], row['port']), (row['peer_guid'], row['peer_port'])])
             for row in graph.lists['links']]
    wrong += unequal('cables twice', len(pairs) - len(set(pairs)), 0)
    wrong += unequal('ends of cables', sum(len(pair) for pair in pairs), len(cabled))
    return wrong + differing('fabric links', look.list.rows, graph.lists['links'])


def of_net(look):
    """Each node and each cable of the net file that can be reached is found."""
    net, wrong = look.sim.net, []
    if not has_guids(net):
        return []
    reached = net.routes(look.sim.host)
    wrong += unequal('nodes', set(look.graph.nodes), {guid_in(net, name) for name in reached})
    expected = {(guid_in(net, name), port): (guid_in(net, far.name), far_port)
                for name in reached for port, (far, far_port, _, _) in net.nodes[name].links.items()
                if far.name in reached}
    ours = {key: (row['peer_guid'], row['peer_port']) for key, row in look.graph.ends().items()}
    wrong += unequal('cables', sorted(set(ours.items()) ^ set(expected.items())), [])
    for name, route in reached.items():
        row = look.graph.nodes.get(guid_in(net, name))
        if row:
            wrong += unequal(name + ' hops', row['hops'], route.count(','))
            wrong += unequal(name + ' path', len(row['path'].split(',')), row['hops'] + 1)
    return wrong


def datagrams(look):
    ours, theirs = look.mads
    # Ports of adapters and QDR ports cost one datagram more than ibnetdiscover's, and small nets
    # consist mostly of those.
    bar = 0.85 if len(look.graph.nodes) >= LARGE else 1.2
    return [] if ours <= bar * theirs else ['%d for %d' % (ours, theirs)]


# Keys whose values depend on which answer came first, and those of the two ends of a cable.
ORDER = ('node_index', 'peer_index', 'parent_index', 'parent_port', 'path', 'port_guid')
ENDS = ('node', 'port', 'node_guid', 'node_type', 'state', 'lid')


def found(row):
    return [row.get(key) for key in ('node_guid', *ORDER)]


def lasting(row):
    """A row without the values that depend on the order of answers; cables by their lower end."""
    row = {key: value for key, value in row.items() if key not in ORDER}
    if 'peer_state' in row and (row['node_guid'], row['port']) > (row['peer_guid'], row['peer_port']):
        for key in ENDS:
            far = 'peer' if key == 'node' else 'peer_' + key.replace('node_', '')
            row[key], row[far] = row[far], row[key]
    return row


def differing(what, ours, expected):
    """
    A line for each difference between the rows of two scans. If a busy machine delayed an answer,
    one scan met the nodes in another order, and only values that do not depend on that order are
    compared.
    """
    wrong = unequal(what + ', rows', len(ours), len(expected))
    if [found(row) for row in ours] != [found(row) for row in expected]:
        ours, expected = (sorted(map(lasting, rows), key=lambda row: (
            row['node_guid'], row.get('port', 0))) for rows in (ours, expected))
    return wrong + [line for one, other in zip(ours, expected) if one != other
                    for line in compare.values(what, one, other)]


def lists(sim, graph):
    """Each list equals its part of the scan."""
    wrong = []
    for word in LISTS:
        name = {'links': 'links', 'ports': 'ports'}.get(word, 'nodes')
        document = sim.document('fabric_' + name, 'fabric', word)
        expected = [row for row in graph.lists[name]
                    if word not in TYPES or row['node_type'] == TYPES[word]]
        if word == 'ports':
            expected = [row for row in expected if row['state'] is not None]
        wrong += differing('fabric ' + word, document.rows, expected)
        wrong += unequal('status of fabric ' + word, document.status, 0)
    return wrong


CHECKS = {
    'the scan is complete': lambda look: whole(look.graph),
    'nodes match ibnetdiscover': nodes,
    'cables match ibnetdiscover': ends,
    'ports match ibnetdiscover -p': by_report,
    'ports match iblinkinfo': by_links,
    'the graph is consistent': itself,
    'the graph matches the net file': of_net,
    'datagrams': datagrams,
}


def compared(tap, name, look):
    ours, theirs = look.mads
    wrong = {what: look.wrong + check(look) for what, check in CHECKS.items()}
    for what, lines in wrong.items():
        tap.test('fabric: %s: %s' % (name, what), lines,
                 ['%d nodes, %d cables, %d datagrams, ibnetdiscover %d: %.2f' % (
                     len(look.graph.nodes), len(look.graph.lists['links']), ours, theirs,
                     ours / theirs)] if check_is_last(what) else [])


def check_is_last(what):
    return what == list(CHECKS)[-1]


def on(sim):
    """Collects everything about a net without comparing it."""
    with sim:
        found = {'': Look(sim)}
        small = len(sim.net.nodes) < LARGE
        wrong = lists(sim, found[''].graph) if small else []
        if len(sim.net.nodes) > 2:
            sim.start_manager()
            found[', with a subnet manager'] = Look(sim)
        return found, wrong


def play(tap, box):
    box.latsim()  # built now, before two threads need it at once
    simulators = [bed.Simulator(box, net) for net in NETS.values()]
    with ThreadPoolExecutor(2) as pool:
        for name, (found, wrong) in zip(NETS, pool.map(on, simulators)):
            for how, look in found.items():
                compared(tap, name + how, look)
            tap.test('fabric: %s: lists' % name, wrong)
