# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl fabric on a subnet with faults: nothing is lost silently, nothing hangs, and the exit
status is 0 only if everything was found. Prints the results for each fault, next to
ibnetdiscover's."""

import json
import re
import time

import bed
import compare
import fabric
import program
import scene_bed
from scene_fabric import Graph, scan
from tap import unequal

NET = fabric.fat_tree(100, levels=3, radix=8)
ATTRIBUTES = {16: 'NodeDescription', 17: 'NodeInfo', 18: 'SwitchInfo', 21: 'PortInfo', 0: 'all'}
MOST_SECONDS = 60  # time limit of a scan, which takes longer only if it hangs
OF_NODE = ('node_type', 'port_count', 'description', 'lid', 'system_image_guid', 'linear_fdb_top')
OF_PORT = ('state', 'physical_state', 'width_lanes', 'speed', 'peer', 'peer_port', 'peer_lid')


class Seen:
    """A graph keyed by descriptions, as several nodes may have the same GUID."""

    def __init__(self, graph, names=None):
        self.graph, self.status = graph, graph.status
        rows = graph.lists['nodes']
        self.names = names or {row['node_guid']: row['node'] for row in rows}
        self.nodes = {self.name(row['node']): row for row in rows}
        self.twins = len(rows) - len(self.nodes)
        self.ports = {(self.name(row['node']), row['port']): row for row in graph.lists['ports']}
        self.cables = {frozenset([(self.name(row['node']), row['port']),
                                  (self.name(row['peer']), row['peer_port'])])
                       for row in graph.lists['links']}
        self.silences = graph.lists['unanswered']

    def name(self, word):
        """The description for this GUID: the name of a node that did not return its description."""
        return self.names.get(word, word)

    def silent(self, node, port=None, behind=False):
        """Whether something of the node, or of the peer of its port, is reported as missing."""
        return any(self.name(str(row['node']).removesuffix('/%s' % row['port'])) == node and
                   row['behind'] == behind and (port is None or row['port'] in (0, port))
                   for row in self.silences)


def cables_of(net, reached):
    return {frozenset([(name, port), (far.name, far_port)]) for name in reached
            for port, (far, far_port, _, _) in net.nodes[name].links.items() if far.name in reached}


class Play:
    """The net, its graph without faults, and the table of results."""

    def __init__(self, tap, sim):
        self.tap, self.sim = tap, sim
        self.truth = Seen(scan(sim))
        self.table = ['%-34s %9s %9s %10s %6s %6s %8s   %s' % (
            'FAULT', 'NODES', 'CABLES', 'UNANSWERED', 'STATUS', 'MADS', 'SECONDS',
            'IBNETDISCOVER: NODES, STATUS')]

    def look(self, *words):
        """A scan of a fabric with real timeouts."""
        log = self.sim.path('latsim.log')
        begin = time.monotonic()
        seen = Seen(scan(self.sim, *words, latsim={'LOG': log}), self.truth.names)
        return seen, time.monotonic() - begin, scene_bed.counts_of(log)['sent']

    def test(self, fault, expect=None, say=()):
        """Scans; `expect` returns the errors under the rules of this fault, a line for each."""
        seen, seconds, sent = self.look()
        wrong = explained(seen, self.truth) + [line for line in (expect or whole)(seen) if line]
        if seconds > MOST_SECONDS:
            wrong.append('it took %.1f s' % seconds)
        theirs = self.sim.run(['ibnetdiscover'], timeout=60)
        found = len(re.findall(r'^(?:Ca|Switch|Rt)\t', theirs.out.decode('latin-1'), re.M))
        self.table.append('%-34s %4d/%-4d %4d/%-4d %10d %6s %6d %8.2f   %d, %s' % (
            fault, len(seen.nodes), len(self.truth.nodes), len(seen.cables),
            len(self.truth.cables), len(seen.silences), seen.status, sent, seconds, found,
            theirs.status))
        self.tap.test('fabric: ' + fault, wrong, say)
        return seen


def explained(seen, truth):
    """Everything that is missing or unknown is in the list of unanswered requests."""
    lacking = bool(seen.silences)
    wrong = unequal('status', seen.status, 3 if lacking else 0)
    wrong += unequal('complete', seen.graph.complete, not lacking)
    if lacking and len(seen.graph.document.problems) < len(seen.silences):
        wrong.append('more queries are unanswered than reported as problems')
    for row in seen.silences:
        if not row['tries'] or row['attribute'] is None or row['path'] is None:
            wrong.append('the number of tries, the attribute or the path is missing: %s' % row)
    for name, row in seen.nodes.items():
        for key in ('description', 'switch_info'):
            if row[key] is None and (key == 'description' or row['node_type'] == 'switch') and \
                    not seen.silent(name):
                wrong.append('%s: no %s, and no message about it' % (name, key))
    for key, row in seen.ports.items():
        known = truth.ports.get(key)
        if known and known['port_info'] and not row['port_info'] and known['peer'] and \
                row['peer'] and not seen.silent(*key):
            wrong.append('%s: no PortInfo, and no message about it' % (key,))
        if row['physical_state'] == 'link-up' and row['peer'] is None and \
                row['node_type'] == 'switch' and not seen.silent(*key, behind=True):
            wrong.append('%s: an unknown link partner, and no message about it' % (key,))
    return wrong


def whole(seen):
    return unequal('unanswered', len(seen.silences), 0) + unequal('status', seen.status, 0)


def right(seen, truth):
    """All that the scan found is correct."""
    wrong = unequal('twins', seen.twins, 0)
    for rows, known, keys in ((seen.nodes, truth.nodes, OF_NODE),
                              (seen.ports, truth.ports, OF_PORT)):
        for name, row in rows.items():
            if name not in known:
                wrong.append('%s is not in the net' % (name,))
                continue
            for key in keys:
                ours = seen.name(row[key]) if key == 'peer' else row[key]
                if ours is not None and ours != known[name][key]:
                    wrong += unequal('%s %s' % (name, key), ours, known[name][key])
    return wrong


def without(seen, truth, nodes=(), cables=()):
    """The scan found everything except these nodes with their cables, and these cables."""
    expected = {cable for cable in truth.cables
                if cable not in cables and not any(name in nodes for name, _ in cable)}
    wrong = unequal('missing nodes', sorted(set(truth.nodes) - set(seen.nodes)), sorted(nodes))
    wrong += unequal('extra nodes', sorted(set(seen.nodes) - set(truth.nodes)), [])
    return wrong + unequal('cables', sorted(map(sorted, seen.cables ^ expected)), [])


def described(sim, name):
    return sim.net.nodes[name].description.decode()


def cable_of(sim, node, port):
    far, far_port = node.links[port][:2]
    return frozenset([(described(sim, node.name), port), (described(sim, far.name), far_port)])


def some(sim):
    """The adapters other than ours and the manager's, and a core switch."""
    adapters = [node for node in sim.net.hcas() if node.name not in (sim.host, sim.manager)]
    return adapters, sim.net.switches()[-1]


def cables(play):
    """Cables that are pulled, put back, or put elsewhere."""
    sim, truth = play.sim, play.truth
    adapters, core = some(sim)
    victim = adapters[-1]
    leaf, leaf_port = victim.links[1][:2]
    pulled = cable_of(sim, core, 1)
    sim.console('Unlink "%s"[1]' % core.name)
    play.test('a cable between switches pulled',
              lambda seen: whole(seen) + without(seen, truth, cables=[pulled]))
    sim.console('ReLink "%s"[1]' % core.name)
    play.test('put back', lambda seen: whole(seen) + without(seen, truth))
    sim.console('Unlink "%s"' % victim.name)
    play.test('an adapter unplugged',
              lambda seen: whole(seen) + without(seen, truth, [described(sim, victim.name)]))
    other = adapters[0]
    far, far_port = other.links[1][:2]
    sim.console('Unlink "%s"' % other.name)
    for one, switch, port in ((victim, far, far_port), (other, leaf, leaf_port)):
        sim.console('Link "%s"[1] "%s"[%d]' % (one.name, switch.name, port))
    swapped = {frozenset([(described(sim, one.name), 1), (described(sim, switch.name), port)])
               for one, switch, port in ((victim, far, far_port), (other, leaf, leaf_port))}
    were = {cable_of(sim, victim, 1), cable_of(sim, other, 1)}
    play.test('two adapters swapped', lambda seen: whole(seen) + unequal(
        'cables', sorted(map(sorted, seen.cables ^ truth.cables)),
        sorted(map(sorted, swapped | were))))
    for one in (victim, other):
        sim.console('Unlink "%s"' % one.name)
    for one, switch, port in ((victim, leaf, leaf_port), (other, far, far_port)):
        sim.console('Link "%s"[1] "%s"[%d]' % (one.name, switch.name, port))
    play.test('swapped back', lambda seen: whole(seen) + without(seen, truth))


def dead(play):
    """Nodes whose agent is silent; nodes after a silent switch are found by other paths."""
    sim, truth = play.sim, play.truth
    adapters, core = some(sim)
    victims = [adapters[3], core]
    for victim in victims:
        name = described(sim, victim.name)
        sim.console('Error "%s" 100 17' % victim.name)
        ports = sorted(far_port for far, far_port, _, _ in victim.links.values())
        play.test('dead: ' + name, lambda seen: without(seen, truth, [name]) + right(seen, truth) +
                  unequal('unanswered', sorted(row['port'] for row in seen.silences), ports) +
                  unequal('behind', {row['behind'] for row in seen.silences}, {True}) +
                  unequal('attributes', {row['attribute'] for row in seen.silences}, {'NodeInfo'}))
        sim.console('Error "%s" 0' % victim.name)
    leaf = adapters[3].links[1][0]
    for attribute, what in ((21, 'PortInfo'), (18, 'SwitchInfo'), (16, 'NodeDescription')):
        sim.console('Error "%s" 100 %d' % (leaf.name, attribute))
        play.test('a leaf without ' + what, lambda seen: right(seen, truth) + (
            [] if seen.silent(described(sim, leaf.name)) else ['no message about it']))
        sim.console('Error "%s" 0' % leaf.name)


def losses(play):
    """Losses of each attribute, and of all attributes, at every node."""
    sim, truth = play.sim, play.truth
    names = [name for name in sim.net.nodes if name != sim.host]
    for attribute, what in ATTRIBUTES.items():
        for percent in (1, 10):
            every(sim, names, '%d %d' % (percent, attribute))
            play.test('%d %% of %s lost' % (percent, what), lambda seen: right(seen, truth) + (
                [] if seen.silences else without(seen, truth)))
            every(sim, names, '0')


def every(sim, names, words):
    """Gives the console command Error for each node."""
    path = sim.path('commands')
    with open(path, 'w') as file:
        file.write(''.join('Error "%s" %s\n' % (name, words) for name in names))
    sim.console('!' + path)


def duplicates(play):
    """Two nodes with the same GUID are shown as two nodes; LIDs are shown as they are."""
    sim, truth = play.sim, play.truth
    adapters, core = some(sim)
    switches = sim.net.switches()
    for what, one, other in (('adapters', adapters[1], adapters[20]),
                             ('leaves', switches[0], switches[3]), ('cores', core, switches[-2]),
                             ('leaf and core', switches[1], core)):
        sim.console('Guid "%s" 0x%x' % (other.name, one.guid))
        twins = sorted(described(sim, node.name) for node in (one, other))
        play.test('the same GUID: ' + what, lambda seen: whole(seen) + without(seen, truth) +
                  unequal('twins', sorted(name for name, row in seen.nodes.items()
                                          if row['duplicate_guid']), twins))
        sim.console('Guid "%s" 0x%x' % (other.name, other.guid))
    lids = sim.lids()
    one, other = adapters[2], adapters[9]
    sim.console('Baselid "%s"[1] %d' % (other.name, lids[one.name, 1]))
    play.test('the same LID', lambda seen: whole(seen) + without(seen, truth) + unequal(
        'LIDs', [seen.nodes[described(sim, node.name)]['lid'] for node in (one, other)],
        [lids[one.name, 1]] * 2))
    sim.console('Baselid "%s"[1] %d' % (other.name, lids[other.name, 1]))


def counters_and_manager(play):
    """Neither counters nor the manager affect a scan; links that nobody brings up stay in INIT."""
    sim, truth = play.sim, play.truth
    adapters, core = some(sim)
    # Traps were lost above, so the manager does not know which links came back.
    sim.sweep()
    sim.console('PerformanceSet "%s"[1] PortCounters.SymbolErrorCounter=100' % core.name)
    play.test('counters set', lambda seen: whole(seen) + without(seen, truth) + right(seen, truth))
    sim.stop_manager()
    play.test('without the subnet manager',
              lambda seen: whole(seen) + without(seen, truth) + right(seen, truth))
    victim = adapters[7]
    end = (described(sim, victim.name), 1)
    sim.console('Unlink "%s"' % victim.name)
    sim.console('ReLink "%s"' % victim.name)
    play.test('a link stuck in INIT', lambda seen: whole(seen) + without(seen, truth) + unequal(
        'in INIT', {key for key, row in seen.ports.items() if row['state'] == 'init'},
        set(next(cable for cable in truth.cables if end in cable))))


def interrupted(tap, sim):
    """^C prints what is known so far, without waiting for the answers that are still missing."""
    log = sim.path('latsim.log')
    argv = [program.RDMACTL, '-j', 'fabric', 'scan', '--timeout', '20s']
    begin = time.monotonic()
    process = sim.client(argv, latsim={'INTERRUPT': 1000, 'LOG': log})
    out, err = process.communicate(timeout=bed.SECONDS)
    seconds = time.monotonic() - begin
    result = bed.Result(argv, process.returncode, out, err)
    program.check(result)
    graph = Graph(program.parse('fabric', ('scan',), result))
    counts = scene_bed.counts_of(log)
    tap.test('fabric: ^C in the middle of a scan',
             unequal('status', graph.status, 3) + unequal('complete', graph.complete, False) +
             unequal('problems', any('interrupted' in json.dumps(problem)
                                     for problem in graph.document.problems), True) +
             ([] if 1 < len(graph.nodes) < len(sim.net.nodes) else '%d nodes' % len(graph.nodes)) +
             unequal('sent again, not answered', [counts['resent'], counts['timed_out']], [0, 0]),
             ['%d of %d nodes, %d requests, %.2f s' % (
                 len(graph.nodes), len(sim.net.nodes), counts['sent'], seconds)])


def play(tap, box):
    with bed.Simulator(box, NET) as sim:
        sim.start_manager()
        scene = Play(tap, sim)
        scene.test('no fault', lambda seen: whole(seen) + without(seen, scene.truth) +
                   right(seen, scene.truth))
        for part in (dead, losses, duplicates, cables, counters_and_manager):
            part(scene)
        tap.say(*scene.table)
    with bed.Simulator(box, fabric.fat_tree(1000, levels=3)) as sim:
        interrupted(tap, sim)
