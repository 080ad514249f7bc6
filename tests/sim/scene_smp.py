# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl smp: every attribute of every node and port against smpquery, dump_fts and sminfo.

Nodes are queried by directed route, all in one call with the routes as its standard input. Nodes
with LIDs are queried by LID, too.
"""

import random

import bed
import compare
import program
import scene_bed
import tools
from tap import unequal

NETS = ('net', 'net.2sw2path4hca', 'net.2sw2path4hca2port', 'tree20', 'tree100')
PER_PORT = ('portinfo', 'pkeys', 'sl2vl', 'vlarb', 'mepi')
OF_ONE_PORT = ('pkeys', 'sl2vl', 'vlarb')  # an adapter returns those of the port that answers
TABLES = ('pkeys', 'guidinfo', 'vlarb', 'lft')  # rdmactl omits their unused entries


class Fabric:
    """The nodes to query, and the replies to both tools, keyed by route (or LID, as text)."""

    def __init__(self, sim):
        self.sim = sim
        self.routes = sim.net.routes(sim.host)
        self.nodes = {route: sim.net.nodes[name] for name, route in self.routes.items()}
        lids = sim.lids()
        self.lids = {str(lid): sim.net.nodes[name] for (name, _), lid in lids.items()}

    def switches(self):
        return [route for route, node in self.nodes.items() if node.is_switch]

    def ports(self, node):
        return range(0 if node.is_switch else 1, node.ports + 1)

    def answering(self, route):
        return self.sim.net.ingress(self.sim.host, route)

    def ours(self, attribute, destinations, direct=True):
        """Rows of `rdmactl smp`, one call for all destinations; and errors in it."""
        words = ['smp', attribute, *(['-D'] if direct else []),
                 *(['--all-ports'] if attribute in PER_PORT else []),
                 *(['--all'] if attribute in TABLES else []), '-']
        document = self.sim.document('smp_' + attribute, *words,
                                     text=''.join(place + '\n' for place in destinations))
        left = [place for place in destinations if direct and attribute in OF_ONE_PORT
                and not self.nodes[place].is_switch and self.nodes[place].ports > 1]
        wrong = unequal('problems of ' + attribute,
                        sorted(problem['object'] for problem in document.problems), sorted(left))
        wrong += unequal('status of ' + attribute, document.status, 3 if left else 0)
        return document.rows, wrong and wrong + document.describe()

    def theirs(self, words, places):
        """{place: Result} of smpquery; a place is (route or LID, port or None)."""
        commands = [['smpquery', *words, place, *([] if port is None else [str(port)])]
                    for place, port in places]
        return dict(zip(places, self.sim.run_all(commands)))

    def each_port(self):
        return [(route, port) for route, node in self.nodes.items() for port in self.ports(node)]

    def each_table(self, words, parse):
        """{(route, port): parsed output of smpquery}, without the ports that do not answer."""
        results = self.theirs(words, self.each_port())
        wrong, found = failed(results), {}
        for (route, port), result in results.items():
            if result.status != 0:
                continue
            own = self.answering(route)
            if self.nodes[route].is_switch or port == own:
                found[route, port] = parse(result.text())
            elif parse(result.text()) == parse(results[route, own].text()):
                compare.known('adapter-ports')
            else:
                wrong.append('%s of %s: port %d answers for port %d' % (words, route, port, own))
        return found, wrong


def random_tables(net):
    """Lines for set_smp.py: tables that differ from node to node, port to port, entry to entry."""
    dice = random.Random(4)
    lines = []

    def write(route, attribute, modifier, data):
        lines.append('%s 0x%x 0x%x %s' % (route, attribute, modifier, bytes(data).hex()))

    def some_bytes(most, number):
        return [dice.randrange(most) for _ in range(number)]

    for route, node in net.nodes.items():
        ports = net.ports(node) if node.is_switch else [net.answering(route)]
        for port in ports:
            write(route, 0x16, port << 16 if node.is_switch else 0,
                  [0xff, 0xff, 0x80, 1, 0, 0, *some_bytes(256, 10)])
            if port:
                for part in (1, 3):
                    write(route, 0x18, part << 16 | port,
                          [value for _ in range(32) for value in (dice.randrange(15),
                                                                  dice.randrange(1, 256))])
            for inward in dice.sample(range(node.ports + 1), 3) if node.is_switch else [0]:
                write(route, 0x17, inward << 8 | port if node.is_switch else 0,
                      some_bytes(256, 8))
        for position in range(node.ports // 16 + 1) if node.is_switch else ():
            mask = (1 << min(16, node.ports + 1 - 16 * position)) - 1
            entries = [dice.randrange(65536) & mask for _ in range(32)]
            write(route, 0x1b, position << 28 | dice.choice((0, 3, 31)),
                  [byte for entry in entries for byte in (entry >> 8, entry & 0xff)])
    return lines


def failed(results):
    return [line for result in results.values() if result.status != 0
            for line in result.describe()[:3]]


def index(rows, *keys):
    return {tuple(row.get(key) for key in keys): row for row in rows}


def plain(net, attribute, table, routes):
    """An attribute of a node that has only one record."""
    ours, wrong = net.ours(attribute, routes)
    results = net.theirs((attribute, '-D'), [(route, None) for route in routes])
    theirs = {(route,): tools.by_table(result.text(), table)
              for (route, _), result in results.items() if result.status == 0}
    return wrong + failed(results) + compare.rows(
        attribute, 'smpquery -D', index(ours, 'object'), theirs)


def description(net):
    ours, wrong = net.ours('nodedesc', net.nodes)
    results = net.theirs(('nodedesc', '-D'), [(route, None) for route in net.nodes])
    rows = index(ours, 'object')
    theirs = {}
    for (route, _), result in results.items():
        raw = scene_bed.description_of(net.nodes[route])
        theirs[route,] = {'node_description': compare.cleaned(raw)}
        if tools.description(result).strip() != compare.as_smpquery(raw):
            wrong.append('smpquery nodedesc -D %s is not that of the net' % route)
        if compare.cleaned(raw).encode() != tools.description(result):
            compare.known('description-spaces')
    return wrong + failed(results) + compare.rows('nodedesc', 'smpquery -D, net', rows, theirs)


def port_info(net):
    ours, wrong = net.ours('portinfo', net.nodes)
    results = net.theirs(('portinfo', '-D'), net.each_port())
    theirs = {place: tools.port_info(result.text()) for place, result in results.items()
              if result.status == 0}
    return wrong + failed(results) + compare.rows(
        'portinfo', 'smpquery -D', index(ours, 'object', 'object_port'), theirs)


def mepi(net):
    ours, wrong = net.ours('mepi', net.nodes)
    results = net.theirs(('mepi', '-D'), net.each_port())
    theirs = {place: tools.by_table(result.text(), tools.MEPI)
              for place, result in results.items() if result.status == 0}
    return wrong + failed(results) + compare.rows(
        'mepi', 'smpquery -D', index(ours, 'object', 'object_port'), theirs)


def membership(pkey):
    value = int(pkey, 16)
    return ('full' if value & 0x8000 else 'limited') if value & 0x7fff else None


def pkeys(net):
    ours, wrong = net.ours('pkeys', net.nodes)
    tables, bad = net.each_table(('pkeys', '-D'), tools.table_rows)
    theirs = {}
    for (route, port), (found, capacity) in tables.items():
        for slot, pkey in enumerate(found[:capacity]):
            theirs[route, port, slot] = {'pkey': tools.Hex(pkey, 16),
                                         'membership': membership(pkey)}
    return wrong + bad + compare.rows(
        'pkeys', 'smpquery -D', index(ours, 'object', 'object_port', 'index'), theirs)


def guid_info(net):
    ours, wrong = net.ours('guidinfo', net.nodes)
    results = net.theirs(('guidinfo', '-D'), [(route, None) for route in net.nodes])
    theirs = {}
    for (route, _), result in results.items():
        if result.status == 0:
            found, capacity = tools.table_rows(result.text())
            for slot, guid in enumerate(found[:capacity]):
                theirs[route, slot] = {'guid': tools.guid(guid)}
    return wrong + failed(results) + compare.rows(
        'guidinfo', 'smpquery -D', index(ours, 'object', 'index'), theirs)


def sl2vl(net):
    ours, wrong = net.ours('sl2vl', net.nodes)
    # An adapter has one table, that of the port that receives the request.
    places = [(route, port) for route, port in net.each_port() if net.nodes[route].is_switch]
    places += [(route, None) for route, node in net.nodes.items() if not node.is_switch]
    results = net.theirs(('sl2vl', '-D'), places)
    theirs = {}
    for (route, _), result in results.items():
        for (one, other), lanes in tools.sl2vl(result.text()).items():
            switch = net.nodes[route].is_switch
            theirs[route, other if switch else net.answering(route), one if switch else None] = {
                'sl%d_vl' % level: lane for level, lane in enumerate(lanes)}
            if not switch:
                compare.known('sl2vl-adapter')
    return wrong + failed(results) + compare.rows(
        'sl2vl', 'smpquery -D', index(ours, 'object', 'output_port', 'input_port'), theirs)


def vl_arbitration(net):
    ours, wrong = net.ours('vlarb', net.nodes)
    tables, bad = net.each_table(('vlarb', '-D'), tools.vl_arbitration)
    theirs = {}
    for (route, port), found in tables.items():
        for priority, entries in found.items():
            for entry, (lane, weight) in enumerate(entries):
                theirs[route, port, priority, entry] = {'vl': lane, 'weight': weight}
    return wrong + bad + no_arbitration(net) + compare.rows(
        'vlarb', 'smpquery -D',
        index(ours, 'object', 'object_port', 'priority', 'entry'), theirs)


def no_arbitration(net):
    """Port 0 of the switches here is a base port: both tools report that it has no table."""
    route, wrong = net.switches()[0], []
    theirs = net.sim.run(['smpquery', '-D', 'vlarb', route, '0']).text()
    if '(BSP0)' not in theirs:
        wrong.append('smpquery of a base port 0: %r' % theirs)
    ours = net.sim.rdmactl('smp', 'vlarb', '-D', route, '0')
    if ours.status != 1 or b'port 0 of this switch is a base port' not in ours.err:
        wrong.append('rdmactl of a base port 0: %d %r' % (ours.status, ours.err))
    return wrong


def by_port(net):
    """By the LID of each adapter port: it returns its own table, and no other port's."""
    nodes = net.sim.net.nodes
    lids = {str(lid): (nodes[name], port) for (name, port), lid in net.sim.lids().items()
            if not nodes[name].is_switch}
    others = {lid: other for lid, (node, port) in lids.items() for other in net.ports(node)
              if other != port}
    wrong = []
    for attribute in OF_ONE_PORT:
        words = ('smp_' + attribute, 'smp', attribute)
        document = net.sim.document(*words, '-', text=''.join(lid + '\n' for lid in lids))
        place = 'output_port' if attribute == 'sl2vl' else 'object_port'
        wrong += unequal('ports of ' + attribute,
                         sorted({(row['object'], row[place]) for row in document.rows}),
                         sorted((lid, port) for lid, (_, port) in lids.items()))
        wrong += unequal('status', document.status, 0)
        if others:
            document = net.sim.document(*words, '-', text=''.join(
                '%s %d\n' % pair for pair in others.items()))
            wrong += unequal('rows of other ports', (document.status, document.rows), (1, []))
            wrong += unequal('problems', sorted(problem['object'] for problem in document.problems),
                             sorted(others))
    ours = net.sim.document('smp_pkeys', 'smp', 'pkeys', '--all', '-',
                            text=''.join(lid + '\n' for lid in lids)).rows
    results = net.theirs(('pkeys',), [(lid, None) for lid in lids])
    theirs = {}
    for (lid, _), result in results.items():
        found, capacity = tools.table_rows(result.text())
        theirs.update({(lid, lids[lid][1], slot): {'pkey': tools.Hex(pkey, 16)}
                       for slot, pkey in enumerate(found[:capacity])})
    return wrong + compare.rows('pkeys', 'smpquery, by LID',
                                index(ours, 'object', 'object_port', 'index'), theirs)


def by_guid(net):
    """{route of a switch: its node GUID in the form of the tables}"""
    results = net.theirs(('nodeinfo', '-D'), [(route, None) for route in net.switches()])
    return {route: tools.by_table(result.text(), tools.NODE_INFO)['node_guid']
            for (route, _), result in results.items()}


def forwarding(net):
    ours, wrong = net.ours('lft', net.switches())
    tables = tools.forwarding_tables(net.sim.run(['dump_fts']).text())
    theirs = {(route, lid): {'port': port} for route, guid in by_guid(net).items()
              for lid, port in tables[guid].items()}
    # dump_fts omits LIDs that lead nowhere.
    rows = {key: row for key, row in index(ours, 'object', 'lid').items() if row['port'] != 255}
    return wrong + compare.rows('lft', 'dump_fts', rows, theirs)


def expanded(ranges):
    """['0-2', '5'] as numbers."""
    ports = []
    for text in ranges or ():
        first, _, last = text.partition('-')
        ports += range(int(first), int(last or first) + 1)
    return ports


def multicast(net):
    ours, wrong = net.ours('mft', net.switches())
    tables = tools.multicast_tables(net.sim.run(['dump_fts', '-M']).text())
    theirs = {(route, mlid): {'ports': sorted(ports)} for route, guid in by_guid(net).items()
              for mlid, ports in tables[guid].items()}
    rows = {}
    for row in ours:
        ports = expanded(row['ports'])
        if ports:
            whole = rows.setdefault((row['object'], int(row['mlid'], 16)), {'ports': []})
            whole['ports'] = sorted(whole['ports'] + ports)
    return wrong + compare.rows('mft', 'dump_fts -M', rows, theirs)


def by_lid(net):
    """NodeInfo and PortInfo by LID: the same tables, but LID routed."""
    places = [(lid, None) for lid in net.lids]
    nodes, wrong = net.ours('nodeinfo', net.lids, direct=False)
    results = net.theirs(('nodeinfo',), places)
    theirs = {(lid,): tools.by_table(result.text(), tools.NODE_INFO)
              for (lid, _), result in results.items() if result.status == 0}
    wrong += failed(results)
    wrong += compare.rows('nodeinfo', 'smpquery, by LID', index(nodes, 'object'), theirs)
    ports, bad = net.ours('portinfo', net.lids, direct=False)
    places = [(lid, port) for lid, node in net.lids.items() for port in net.ports(node)]
    results = net.theirs(('portinfo',), places)
    theirs = {place: tools.port_info(result.text()) for place, result in results.items()
              if result.status == 0}
    return wrong + bad + failed(results) + compare.rows(
        'portinfo', 'smpquery, by LID', index(ports, 'object', 'object_port'), theirs)


def sm_info(net):
    theirs = tools.sm_info(net.sim.run(['sminfo']).text())
    lid = str(net.sim.lids().get((net.sim.manager, 1)) or net.sim.lids()[net.sim.manager, 0])
    rows, wrong = net.ours('sminfo', [lid], direct=False)
    count = theirs.pop('activity_count')
    if rows and not 0 <= rows[0].get('activity_count', -1) - count < 1000:
        wrong.append('activity count %r after %d' % (rows[0].get('activity_count'), count))
    return wrong + compare.rows('sminfo', 'sminfo', index(rows, 'object'), {(lid,): theirs})


TESTS = {
    'nodeinfo': lambda net: plain(net, 'nodeinfo', tools.NODE_INFO, list(net.nodes)),
    'nodedesc': description,
    'switchinfo': lambda net: plain(net, 'switchinfo', tools.SWITCH_INFO, net.switches()),
    'portinfo': port_info, 'mepi': mepi, 'pkeys': pkeys, 'guidinfo': guid_info, 'sl2vl': sl2vl,
    'vlarb': vl_arbitration, 'lft': forwarding, 'mft': multicast, 'sminfo': sm_info,
    'by LID': by_lid, 'by port': by_port,
}


def longest_description(sim):
    """64 bytes without a NUL: the bytes after them in memory are not shown."""
    routes = sim.net.routes(sim.host)
    wrong = []
    for name, node in sim.net.nodes.items():
        raw = scene_bed.description_of(node)
        if len(raw) == 63 and name in routes:
            document = sim.document('smp_nodedesc', 'smp', 'nodedesc', '-D', routes[name],
                                    latsim={'FILL': 1})
            found = [row['node_description'] for row in document.rows]
            wrong += unequal('description of ' + name, found, [compare.cleaned(raw + b'Z')])
    return wrong


def play(tap, box):
    known = sorted(program.rdmactl('smp', '--help').text().split())
    if 'portinfo' not in ' '.join(known):
        tap.test('smp: the program has the command', ['rdmactl smp --help does not name portinfo'])
        return
    for name in NETS:
        with bed.Simulator(box, scene_bed.NETS[name]) as sim:
            sim.start_manager()
            net = Fabric(sim)
            lines = random_tables(net)
            tap.test('smp: %s: %d tables are filled at random' % (name, len(lines)),
                     sim.set_smps(lines))
            for test, function in TESTS.items():
                try:
                    wrong = function(net)
                except (tools.Unknown, KeyError, TypeError, ValueError) as error:
                    wrong = ['%s: %r' % (type(error).__name__, error)]
                tap.test('smp: %s: %s is equal on %d nodes' % (name, test, len(net.nodes)), wrong)
            if name == 'tree20':
                tap.test('smp: a description of 64 bytes', longest_description(sim))
