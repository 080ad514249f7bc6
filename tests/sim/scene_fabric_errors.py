# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl fabric errors against ibqueryerrors at the same moment, and changes between readings."""

import json
import os
import random
import re

import bed
import fabric
import program
import scene_perf
import tools
from tap import unequal

NETS = {
    'net': bed.NETS + '/net',
    'net.2sw2path4hca2port': bed.NETS + '/net.2sw2path4hca2port',
    'tree20': fabric.fat_tree(20),
    'tree100': fabric.fat_tree(100),
}
KEYS = {label: tools.COUNTERS[label][0] for label in scene_perf.WIDTHS}


def theirs(sim):
    """{(node GUID, port): {key: value}} from ibqueryerrors, error counters only."""
    found = {}
    switches = {number_of(row['node_guid'])
                for row in sim.document('fabric_nodes', 'fabric', 'switches', timeout=120).rows}
    text = sim.run(['ibqueryerrors'], timeout=120).text()
    for guid, port, counters in re.findall(r'GUID (0x[0-9a-f]+) port (\d+): *(.*)', text):
        values = {KEYS[label]: int(value)
                  for label, value in re.findall(r'\[(\w+) == (\d+)', counters) if label in KEYS}
        # For an adapter it prints the port GUID, which is the node GUID plus the port number.
        node = int(guid, 16)
        node -= 0 if node in switches else int(port)
        if values:
            found[node, int(port)] = values
    return found


def number_of(guid):
    return int(guid.replace(':', ''), 16)


def ours(document):
    return {(number_of(row['node_guid']), row['port']):
            {key: row[key] for key in KEYS.values() if row[key]} for row in document.rows}


def errors(sim, *words, schema='fabric_errors', **options):
    return sim.document(schema, 'fabric', 'errors', *words, timeout=120, **options)


def places_of(sim):
    """Ports with a link and a LID: (name, port)."""
    names = {node.guid or node.name: node.name for node in sim.net.nodes.values()}
    found = []
    for row in sim.document('fabric_links', 'fabric', 'links', timeout=120).rows:
        for node, guid, port in ((row['node'], row['node_guid'], row['port']),
                                 (row['peer'], row['peer_guid'], row['peer_port'])):
            found.append((names.get(number_of(guid)) or names[node], port))
    return found


def without_link(sim):
    """Ports of switches without a link, whose counters may still show errors."""
    return [(node.name, port) for node in sim.net.switches() for port in range(1, node.ports + 1)
            if port not in node.links][:12]


def set_counter(sim, place, label, value):
    said = sim.console('PerformanceSet "%s"[%d] PortCounters.%s=%d' % (*place, label, value))
    return [] if 'has been set to %d' % value in said else ['the simulator says %r' % said]


def set_counters(sim, places):
    dice, wrong = random.Random(7), []
    for place in dice.sample(places, min(20, len(places))):
        for label in dice.sample(sorted(scene_perf.WIDTHS), 3):
            most = (1 << scene_perf.WIDTHS[label]) - 1
            wrong += set_counter(sim, place, label, dice.choice((most, 1 + dice.randrange(most))))
    return wrong


def equal(sim):
    document = errors(sim)
    wrong = unequal('status', document.status, 0)
    found, expected = ours(document), theirs(sim)
    wrong += unequal('ports', sorted(found), sorted(expected))
    for place in expected:
        wrong += unequal('%x/%d' % place, found.get(place), expected[place])
    counts = [row['error_count'] for row in document.rows]
    return wrong + unequal('the worst first', counts, sorted(counts, reverse=True))


def brief(rows):
    return [(row['node_guid'], row['port'], row['error_count']) for row in rows]


def filters(sim):
    rows = errors(sim).rows
    least = rows[len(rows) // 2]['error_count']
    wrong = unequal('--top', brief(errors(sim, '--top', '2').rows), brief(rows[:2]))
    high = [row for row in rows if any(row[key] >= least or key in row['saturated']
                                       for key in KEYS.values())]
    wrong += unequal('--threshold', brief(errors(sim, '--threshold', str(least)).rows),
                     brief(high))
    everything = errors(sim, '--threshold', '0').rows
    hosts = sum(not sim.net.nodes[name].is_switch for name, _ in places_of(sim))
    wrong += unequal('--threshold 0', len(everything), hosts +
                     sum(node.ports + node.enhanced for node in sim.net.switches()))
    name = rows[0]['node']
    named = [row for row in rows if row['node'] == name]
    return wrong + unequal('--name', brief(errors(sim, '--name', name).rows), brief(named))


def growth(sim, place):
    """A counter that is set between two readings has grown; one that decreased was reset."""
    wrong = []

    def change(grown):
        wrong.extend(set_counter(sim, place, 'SymbolErrorCounter', 1234 if grown else 34))

    result, seconds = sim.between([program.RDMACTL, '-j', 'fabric', 'errors'], change)
    document = json.loads(result.out)
    rows = [row for row in document['fabric_error_growth'] if row['error_count']]
    wrong += unequal('status', result.status, 0) + unequal('ports', len(rows), 1)
    counters = {one['counter']: one for one in rows[0]['counters']} if rows else {}
    symbol = counters.get('symbol_errors', {})
    wrong += unequal('value', symbol.get('value'), 1234)
    wrong += unequal('before', symbol.get('before'), 34)
    wrong += unequal('growth', symbol.get('growth'), 1200)
    if rows and not 1.5 <= rows[0]['interval_sec'] < seconds:
        wrong.append('interval %r' % rows[0]['interval_sec'])
    if rows and not .9 < symbol['rate_per_sec'] * rows[0]['interval_sec'] / symbol['growth'] < 1.1:
        wrong.append('rate %r' % symbol)
    return wrong


def since(sim, place):
    path = sim.path('errors.json')
    wrong = set_counter(sim, place, 'SymbolErrorCounter', 1000)
    wrong += set_counter(sim, place, 'LinkDownedCounter', 9)
    errors(sim, '--save', path)
    same = errors(sim, '--since', path, schema='fabric_error_growth')
    moved = [row for row in same.rows if row['error_count']]
    wrong += unequal('nothing changed', (same.status, moved), (0, []))
    wrong += set_counter(sim, place, 'SymbolErrorCounter', 1100)
    wrong += set_counter(sim, place, 'LinkDownedCounter', 4)
    changed = errors(sim, '--since', path, schema='fabric_error_growth')
    moved = [row for row in changed.rows if row['error_count']]
    wrong += unequal('ports that changed', len(moved), 1)
    states = {one['counter']: (one['state'], one['growth']) for one in moved[0]['counters']}
    wrong += unequal('symbol_errors', states['symbol_errors'], ('counted', 100))
    wrong += unequal('link_downed', states['link_downed'], ('cleared', None))
    wrong += unequal('count', moved[0]['error_count'], 104)
    for text in ('', '{}', '[]', open(path).read()[:-40], open(path).read().replace('"00', '"0x')):
        with open(path, 'w') as file:
            file.write(text)
        broken = sim.rdmactl('fabric', 'errors', '--since', path)
        wrong += unequal('a broken file', (broken.status, len(broken.complaint().splitlines())),
                         (1, 2))
    os.unlink(path)
    wrong += unequal('no file', sim.rdmactl('fabric', 'errors', '--since', path).status, 1)
    return wrong


def listed(text):
    """{(port GUID, port)} in the output of ibqueryerrors."""
    return {(guid, int(port)) for guid, port in
            re.findall(r'GUID 0x([0-9a-f]+) port (\d+):', text)}


def chosen(sim, ours, their_options):
    """Compares our ports with ibqueryerrors'. A port's GUID is the node's plus the port number."""
    switches = {row['node_guid'] for row in
                sim.document('fabric_nodes', 'fabric', 'switches', timeout=120).rows}
    expected = listed(sim.run(['ibqueryerrors', *their_options], timeout=120).text())
    found = {('%x' % (number_of(row['node_guid']) + (0 if row['node_guid'] in switches else row['port'])),
              row['port']) for row in ours.rows}
    return unequal('ports with %s' % ' '.join(their_options), sorted(found), sorted(expected))


def which_ports(sim):
    """--type, --ignore and --thresholds against the equivalent options of ibqueryerrors."""
    wrong = chosen(sim, errors(sim, '--type', 'switch'), ['--switch'])
    wrong += chosen(sim, errors(sim, '--type', 'host'), ['--ca'])
    wrong += unequal('--type router', errors(sim, '--type', 'router').rows, [])
    ignored = 'SymbolErrorCounter,PortRcvErrors,LinkDownedCounter,VL15Dropped'
    wrong += chosen(sim, errors(sim, '--ignore', ignored), ['--suppress', ignored])
    keys = 'symbol_errors,rcv_errors,link_downed,vl15_dropped'
    wrong += unequal('names of columns', brief(errors(sim, '--ignore', keys).rows),
                     brief(errors(sim, '--ignore', ignored).rows))
    path = sim.path('thresholds')
    with open(path, 'w') as file:
        file.write('# text\n\nSymbolErrorCounter=30000\nPortRcvErrors=65535\nLinkDownedCounter=100\n')
    theirs = listed(sim.run(['ibqueryerrors', '--threshold-file', path, '--switch'], timeout=120).text())
    # Here a counter at its maximum always counts, whatever its threshold is.
    ours = [row for row in errors(sim, '--thresholds', path, '--type', 'switch').rows
            if not row['saturated'] or ('%x' % number_of(row['node_guid']), row['port']) in theirs]
    wrong += unequal('--thresholds', sorted(('%x' % number_of(row['node_guid']), row['port'])
                                            for row in ours), sorted(theirs))
    with open(path, 'w') as file:
        file.write('SymbolErrorCounter=10\nSymbols=3\n')
    result = sim.rdmactl('fabric', 'errors', '--thresholds', path)
    wrong += unequal('a wrong file', result.status, 1)
    wrong += [] if 'line 2 does not set' in result.complaint() else [result.complaint()]
    name = errors(sim).rows[0]['node']
    exact = errors(sim, '--name', name, '--threshold', '0').rows
    return wrong + unequal('--name: that node alone', {row['node'] for row in exact}, {name})


def counter_details(sim, place):
    """--details: the counters that perfquery prints for a port with errors and discards."""
    set_counter(sim, place, 'PortRcvErrors', 9)
    set_counter(sim, place, 'PortXmitDiscards', 7)
    wanted = {}
    for label, key, value in (
            ('PortRcvErrorDetails.PortLocalPhysicalErrors', 'local_physical_errors', 5),
            ('PortRcvErrorDetails.PortLoopingErrors', 'looping_errors', 4),
            ('PortXmitDiscardDetails.PortNeighborMTUDiscards', 'neighbor_mtu_discards', 6)):
        said = sim.console('PerformanceSet "%s"[%d] %s=%d' % (*place, label, value))
        if 'has been set' not in said:
            return ['the simulator says %r' % said]
        wanted[key] = value
    row = next(row for row in errors(sim, '--details').rows if
               (number_of(row['node_guid']), row['port']) == (sim.net.nodes[place[0]].guid, place[1]))
    found = {one['counter']: one['value'] for one in row['details']}
    wrong = unequal('details', {key: found.get(key) for key in wanted}, wanted)
    lid = str(sim.lids()[place[0], 0 if sim.net.nodes[place[0]].is_switch else place[1]])
    for option, table in (('--rcverr', tools.RCV_ERRORS), ('--xmtdisc', tools.XMIT_DISCARDS)):
        theirs = tools.by_table(sim.run(['perfquery', option, lid, str(place[1])]).text(), table)
        for key, value in theirs.items():
            if key in found or (value and not key.endswith('select')):
                wrong += unequal(key, found.get(key), value)
    return wrong + ([] if 'looping_errors 4' in row['reasons'] else [row['reasons']])


def loaded(sim):
    """--load: current counters for the nodes of a file; skips a LID that another node now has."""
    path = sim.path('scan.json')
    sim.rdmactl('fabric', 'scan', '--save', path)
    wrong = unequal('--load', brief(errors(sim, '--load', path).rows), brief(errors(sim).rows))
    text = sim.path('scan.txt')
    with open(text, 'w') as file:
        file.write(sim.run(['ibnetdiscover']).text())
    wrong += unequal('--load of a text', brief(errors(sim, '--load', text).rows), brief(errors(sim).rows))
    ended = sim.interrupted('-j', 'fabric', 'errors', '--load', path, latsim={'RTT_USEC': 200000})
    document = json.loads(ended.out)
    wrong += unequal('interrupted', (ended.status, document['fabric_errors'],
                                     [one['error'] for one in document['problems']]),
                     (3, [], ['interrupted before all nodes were identified']))
    rows = errors(sim).rows
    hosts = {one['node_guid'] for one in sim.document('fabric_nodes', 'fabric', 'hosts').rows}
    row = next(row for row in rows if row['node_guid'] in hosts)
    with open(path) as file:
        scan = file.read()
    guid = row['node_guid']
    with open(path, 'w') as file:
        file.write(scan.replace(guid.replace(':', ''), '00' * 7 + '01').replace(guid, '0000:0000:0000:0001'))
    document = errors(sim, '--load', path)
    wrong += unequal('another owner: status', document.status, 3)
    wrong += [] if any('out of date' in one['error'] for one in document.problems) else [
        str(document.problems)]
    return wrong + unequal('its counters', [one for one in document.rows
                                            if one['port'] == row['port'] and one['lid'] == row['lid']], [])


def cleared(sim, place):
    """--clear: asks, saves the old values, clears, reports it; ibqueryerrors finds no errors."""
    before, path = brief(errors(sim).rows), sim.path('before.json')
    refused = sim.rdmactl('fabric', 'errors', '--clear', 'errors')
    wrong = unequal('without a terminal', refused.status, 2)
    wrong += [] if 'nothing was cleared' in refused.complaint() else [refused.complaint()]
    wrong += unequal('unasked', brief(errors(sim).rows), before)
    unwritable = sim.rdmactl('fabric', 'errors', '--clear', 'errors', '--yes', '--save', '/nowhere/x')
    wrong += unequal('without a file', unwritable.status, 1) + unequal(
        'nothing is cleared', brief(errors(sim).rows), before)
    for more in ((), ('--sl-from-sa',)):
        ended = sim.interrupted('fabric', 'errors', '--clear', 'errors', '--yes', *more)
        wrong += unequal('interrupted: nothing is cleared', brief(errors(sim).rows), before)
        wrong += [] if 'interrupted: ' in ended.complaint() else [ended.complaint()]
    traffic = sim.rdmactl('fabric', 'errors', '--clear', 'traffic', '--yes', '--save', sim.path('t.json'))
    wrong += unequal('traffic', (traffic.status, brief(errors(sim).rows)), (0, before))
    done = sim.rdmactl('fabric', 'errors', '--clear', 'errors', '--yes', '--save', path)
    wrong += unequal('status', done.status, 0)
    wrong += [] if 'cleared the error counters of' in done.complaint() and path in done.complaint() else [
        done.complaint()]
    wrong += unequal('afterwards', brief(errors(sim).rows), [])
    wrong += unequal('by ibqueryerrors', theirs(sim), {})
    # A counter that was cleared counts the errors since then.
    wrong += set_counter(sim, place, 'SymbolErrorCounter', 5)
    rows = errors(sim, '--since', path, schema='fabric_error_growth').rows
    wrong += unequal('since', [(row['port'], row['error_count'], one['before'], one['value'], one['state'])
                               for row in rows for one in row['counters']
                               if one['counter'] == 'symbol_errors'],
                     [(place[1], 5, 1100, 5, 'cleared')])
    here = sim.rdmactl('fabric', 'errors', '--clear', 'all', '--yes')
    name = re.search(r'values before are in (\S+)', here.complaint())
    wrong += [] if name and os.path.exists(sim.path('cwd') + '/' + name[1]) else [here.complaint()]
    return wrong


def service_levels(sim):
    """--sl-from-sa: the same counters; a manager that does not answer is reported."""
    wrong = unequal('rows', brief(errors(sim, '--sl-from-sa').rows), brief(errors(sim).rows))
    sim.pause_manager()
    document = errors(sim, '--sl-from-sa', '--timeout', '20ms')
    sim.resume_manager()
    wrong += unequal('status', document.status, 3)
    return wrong + ([] if any('no path to' in one['error'] for one in document.problems) else [
        str(document.problems)])


def dead_agent(sim):
    """A node that does not answer is reported, and the others are listed."""
    before = {(row['node_guid'], row['port']) for row in errors(sim).rows}
    name = next(node.name for node in sim.net.hcas() if node.name not in (sim.host, sim.manager))
    guid = sim.net.nodes[name].guid
    lid = sim.lids()[name, 1]
    # Its LID is changed to one that the switches do not know, so only directed routes reach it. The
    # manager is paused, as it would repair that.
    sim.pause_manager()
    try:
        sim.console('Baselid "%s"[1] %d' % (name, max(sim.lids().values()) + 20))
        document = errors(sim)
        sim.console('Baselid "%s"[1] %d' % (name, lid))
    finally:
        sim.resume_manager()
    after = {(row['node_guid'], row['port']) for row in document.rows}
    wrong = unequal('status', document.status, 3) + unequal('problems', len(document.problems), 1)
    return wrong + unequal('ports', sorted(after), sorted(
        place for place in before if number_of(place[0]) != guid))


def no_manager(sim):
    document = errors(sim)
    return (unequal('status', document.status, 3) + unequal('rows', document.rows, []) +
            unequal('problems', len(document.problems), 1))


def usage(sim):
    wrong = []
    for words in (('--load', 'x', '--from', '3'), ('--interval', '1s', '--since', 'x'), ('more',),
                  ('--clear', 'errors', '--since', 'x'), ('--yes',), ('--sl', '1', '--sl-from-sa'),
                  ('--clear', 'some'), ('--type', 'ca'), ('--ignore', 'symbols')):
        wrong += unequal('errors %s' % ' '.join(words),
                         sim.rdmactl('fabric', 'errors', *words).status, 2)
    return wrong


def play(tap, box):
    for name, net in NETS.items():
        with bed.Simulator(box, net) as sim:
            if name == 'net':
                tap.test('fabric errors: without LIDs no counter is read, and that is reported',
                         no_manager(sim))
                tap.test('fabric errors: options that cannot be combined', usage(sim))
            sim.start_manager()
            tap.test('fabric errors, %s: before any errors' % name, equal(sim))
            places = places_of(sim)
            wrong = set_counters(sim, places + without_link(sim))
            tap.test('fabric errors, %s: ports and values match ibqueryerrors' % name,
                     wrong + equal(sim))
            tap.test('fabric errors, %s: filters' % name, filters(sim))
            tap.test('fabric errors, %s: types, ignored counters, thresholds' % name, which_ports(sim))
            if name != 'tree20':
                continue
            tap.test('fabric errors: --load', loaded(sim))
            tap.test('fabric errors: --sl-from-sa', service_levels(sim))
            tap.test('fabric errors: --details', counter_details(sim, places[3]))
            place = next(place for place in places if place[0] not in (sim.host, sim.manager))
            sim.run(['perfquery', '-R', '-a', str(sim.lids()[sim.net.switches()[0].name, 0])])
            tap.test('fabric errors: --interval', growth(sim, place))
            tap.test('fabric errors: --save and --since', since(sim, place))
            tap.test('fabric errors: an agent that does not answer', dead_agent(sim))
            tap.test('fabric errors: --clear', cleared(sim, place))
