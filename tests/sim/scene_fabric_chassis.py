# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Modular switches: --grouping compared with `ibnetdiscover --grouping` and iblinkinfo, as are the
columns of chassis, slots and external ports; and drawings of them."""

import json
import re

import bed
import chassis_nets
from scene_fabric import scan
from scene_fabric_files import same_bytes
from tap import unequal

HERE = {
    'voltaire': chassis_nets.voltaire(),
    'mellanox': chassis_nets.mellanox(),
    'others': chassis_nets.others(),
}
# Models that we know and ibnetdiscover does not: newer switches, known by their description.
MORE = {'mellanox': {'CS7500'}}


def guid_of(digits):
    return ':'.join(re.findall('....', digits.rjust(16, '0')))


def without_gateway(result):
    """Removes the adapter in a board's slot, which ibnetdiscover prints as if it were a switch."""
    gateway = b'\t2 "H-%016x"' % chassis_nets.GATEWAY
    result.out = b'\n\n'.join(block for block in result.out.split(b'\n\n') if gateway not in block)
    return result


def grouped(sim):
    theirs = without_gateway(sim.run(['ibnetdiscover', '--grouping']))
    ours = without_gateway(sim.rdmactl('fabric', 'scan', '--format', 'ibnetdiscover', '--grouping'))
    wrong = same_bytes('ibnetdiscover --grouping', ours, theirs)
    ours = sim.rdmactl('fabric', 'scan', '--format', 'iblinkinfo')
    return wrong + same_bytes('iblinkinfo', ours, sim.run(['iblinkinfo']))


def their_words(sim):
    """{switch GUID: (model, board, slot, chip)}, {GUID: chassis}, and {(GUID, port): outside}."""
    places, chassis, outside = {}, {}, {}
    guid = number = None
    for line in sim.run(['ibnetdiscover', '--grouping']).text().splitlines():
        head = re.match(r'(?:vendid|sysimgguid)=', line)
        if head:
            number = re.search(r'# Chassis (\d+)', line)
            number = int(number[1]) if number else None
        head = re.match(r'(?:switch|ca|rt)guid=0x([0-9a-f]+)', line)
        if head:
            guid = guid_of(head[1])
            chassis[guid] = number
            place = re.search(r'# (?:(\S+) )?(Line|Spine|SRBD) (\d+) Chip (\d+)', line)
            if place:
                board = {'SRBD': 'router'}.get(place[2], place[2].lower())
                places[guid] = (place[1], board, int(place[3]), int(place[4]))
        port = re.match(r'\[(\d+)\](?:\[ext (\d+)\])?', line)
        if port:
            outside[guid, int(port[1])] = int(port[2]) if port[2] else None
    return places, chassis, outside


def columns(sim, name):
    places, chassis, outside = their_words(sim)
    wrong, rows = [], sim.document('fabric_nodes', 'fabric', 'nodes').rows
    second = []  # chips that share their slot with another one
    for row in rows:
        place = tuple(row[key] for key in ('chassis_model', 'board', 'slot', 'chip'))
        if row['node_guid'] in places:
            wrong += unequal(row['node'], place, places[row['node_guid']])
        elif row['slot'] == 36:
            second.append(row['chip'])
            chassis[row['node_guid']] = row['chassis']
        elif row['chassis_model'] not in MORE.get(name, set()) and row['node_type'] == 'switch':
            wrong += unequal(row['node'] + ', slot', row['slot'], None)
        wrong += unequal(row['node'] + ', chassis', row['chassis'], chassis[row['node_guid']])
    wrong += unequal('second chips', len(second), 1 if name == 'mellanox' else 0)
    wrong += unequal('nodes', {row['node_guid'] for row in rows}, set(chassis))
    for row in sim.document('fabric_ports', 'fabric', 'ports').rows:
        if row['peer'] is not None:
            at = row['node_guid'], row['port']
            wrong += unequal('external port of %s/%d' % at, row['external_port'], outside[at])
            at = row['peer_guid'], row['peer_port']
            wrong += unequal('of the peer %s/%d' % at, row['peer_external_port'], outside[at])
    wrong += unequal('graph', [row['chassis_guid'] for row in scan(sim).lists['nodes']],
                     [row['chassis_guid'] for row in rows])
    return wrong + unequal('something to compare', len(places) > 0 or name == 'others', True)


def streamed(sim):
    """Locations of peers depend on links that are found later, so no row is printed before that."""
    words = 'location', 'external_port', 'peer_location', 'peer_external_port'
    lines = sim.rdmactl('fabric', '--jsonl').text().splitlines()
    ours = {(row['node_guid'], row['port']): [row[word] for word in words]
            for row in map(json.loads, lines)}
    rows = {(row['node_guid'], row['port']): [row[word] for word in words]
            for row in sim.document('fabric_ports', 'fabric', 'ports').rows}
    wrong = unequal('something to compare', len(ours) > 0, True)
    for place, row in ours.items():
        wrong += unequal('%s/%d' % place, row, rows[place])
    return wrong


def drawn(sim):
    """Each chassis with switches has a frame, which dot draws."""
    result = sim.rdmactl('fabric', 'scan', '--format', 'svg', '--grouping', '--scheme', 'chassis',
                         timeout=120)
    wrong = unequal('status', result.status, 0)
    frames = set(re.findall(r'<g id="\w+" class="cluster">\s*<title>cluster_(\d+)</title>',
                            result.text()))
    rows = sim.document('fabric_nodes', 'fabric', 'switches').rows
    expected = {str(row['chassis']) for row in rows if row['chassis']}
    return wrong + unequal('frames', frames, expected)


def errors(sim):
    """A cable with errors has the colour of its worse end. Without LIDs no counter can be read."""
    result = sim.rdmactl('fabric', 'scan', '--format', 'dot', '--scheme', 'errors')
    wrong = unequal('status without LIDs', result.status, 3)
    wrong += unequal('cables in the legend', re.findall(r'>([a-z0-9 ]*errors): (\d+)<', result.text()),
                     [('unknown errors', str(sum(len(node.links) for node in
                                                 sim.net.nodes.values()) // 2))])
    sim.start_manager()
    row = next(row for row in sim.document('fabric_links', 'fabric', 'links').rows
               if row['node_type'] == 'switch' and row['peer_type'] == 'ca')
    switch = next(node for node in sim.net.switches() if guid_of('%x' % node.guid) == row['node_guid'])
    sim.console('PerformanceSet "%s"[%d] PortCounters.SymbolErrorCounter=150' %
                (switch.name, row['port']))
    result = sim.rdmactl('fabric', 'scan', '--format', 'dot', '--scheme', 'errors')
    wrong += unequal('status', result.status, 0)
    wrong += unequal('in the legend', '100 to 999 errors: 1<' in result.text(), True)
    wrong += unequal('lines', len(re.findall(r'-- .*color="#b12a90"', result.text())), 1)
    return wrong


def play(tap, box):
    for name, net in HERE.items():
        with bed.Simulator(box, net) as sim:
            tap.test('chassis: %s: as ibnetdiscover --grouping and iblinkinfo' % name, grouped(sim))
            tap.test('chassis: %s: columns of chassis, slots and external ports' % name,
                     columns(sim, name))
            tap.test('chassis: %s: rows of --jsonl' % name, streamed(sim))
            tap.test('chassis: %s: frames in svg' % name, drawn(sim))
            if name == 'others':
                tap.test('chassis: %s: --scheme errors' % name, errors(sim))
