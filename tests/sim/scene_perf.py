# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl perf: the counters of every port of every node against perfquery and perfquery -x.

The simulator counts each datagram, including those of the tools. So perfquery runs before and
after, and a value that changed must be between the two. All others must be equal.
"""

import json
import os
import random
import signal
import time

import bed
import compare
import program
import scene_bed
import tools
from tap import unequal

NETS = ('net', 'net.2sw2path4hca', 'net.2sw2path4hca2port', 'tree20', 'tree100')
SELECTS = ('port_select', 'counter_select', 'counter_select2')
# Capabilities of the simulator's ports: AllPortSelect, ExtendedWidth, PortXmitWait
ABSENT = ('qp1_dropped',)

WIDTHS = {
    'SymbolErrorCounter': 16, 'LinkErrorRecoveryCounter': 8, 'LinkDownedCounter': 8,
    'PortRcvErrors': 16, 'PortRcvRemotePhysicalErrors': 16, 'PortRcvSwitchRelayErrors': 16,
    'PortXmitDiscards': 16, 'PortXmitConstraintErrors': 8, 'PortRcvConstraintErrors': 8,
    'LocalLinkIntegrityErrors': 4, 'ExcessiveBufferOverrunErrors': 4, 'VL15Dropped': 16,
}


def places_of(sim):
    """{(LID as text, port): node name}: all ports of switches, and the linked ones of adapters.

    Adapters' ports without a link have no counters in the simulator.
    """
    found = {}
    for (name, port), lid in sim.lids().items():
        node = sim.net.nodes[name]
        for number in range(1, node.ports + 1) if node.is_switch else (port,):
            found[str(lid), number] = name
    # An enhanced port 0 has counters, a base port 0 does not.
    lids = [str(lid) for (name, _), lid in sim.lids().items() if sim.net.nodes[name].is_switch]
    infos = sim.run_all([['smpquery', 'switchinfo', lid] for lid in lids])
    for lid, info in zip(lids, infos):
        if tools.by_table(info.text(), tools.SWITCH_INFO)['enhanced_port0']:
            found[lid, 0] = found[lid, 1]
    return found


def set_counters(sim, places):
    """Sets random counters of random ports, some of them to the maximum; {place: {key}}."""
    dice, wrong, full = random.Random(4), [], {}
    for place, name in dice.sample(sorted(places.items()), min(40, len(places))):
        for label in dice.sample(sorted(WIDTHS), 3):
            most = (1 << WIDTHS[label]) - 1
            value = dice.choice((most, dice.randrange(most)))
            said = sim.console('PerformanceSet "%s"[%d] PortCounters.%s=%d' % (
                name, place[1], label, value))
            if 'has been set to %d' % value not in said:
                wrong.append('%s %s: the simulator says %r' % (place, label, said))
            elif value == most:
                full.setdefault(place, set()).add(tools.COUNTERS[label][0])
    return full, wrong


def ask_perfquery(sim, places):
    """{place: values}, the 64-bit ones where there are both."""
    plain = sim.run_all([['perfquery', lid, str(port)] for lid, port in places])
    wide = sim.run_all([['perfquery', '-x', lid, str(port)] for lid, port in places])
    found, wrong = {}, []
    for place, one, other in zip(places, plain, wide):
        if one.status or other.status:
            wrong += (one if one.status else other).describe()[:3]
            continue
        found[place] = {**tools.by_table(one.text(), tools.COUNTERS),
                        **tools.by_table(other.text(), tools.EXTENDED)}
        for key in SELECTS:
            del found[place][key]
    return found, wrong


def ask_rdmactl(sim, places, *words):
    lids = dict.fromkeys(lid for lid, _ in places)
    document = sim.document('perf', 'perf', *words, '-',
                            text=''.join(lid + '\n' for lid in lids))
    rows = {(row['object'], row['port']): row for row in document.rows}
    wrong = [] if document.status == 0 else document.describe()
    return rows, wrong + unequal('rows', len(document.rows), len(rows))


def within(before, ours, after):
    """The values of perfquery; for a counter that moved, a value in between."""
    expected, wrong = {}, []
    for key, low in before.items():
        value, high = ours.get(key), after[key]
        if key in ABSENT:
            # perfquery prints 0 for counters that the capability mask says do not exist.
            wrong += unequal(key, value, None)
        elif low != high and isinstance(value, int) and low <= value <= high:
            expected[key] = value
        else:
            expected[key] = low
    return expected, wrong


def equal(sim, places, full):
    before, wrong = ask_perfquery(sim, places)
    ours, bad = ask_rdmactl(sim, places)
    after, worse = ask_perfquery(sim, places)
    wrong += bad + worse
    expected = {}
    for place in before:
        if place in after:
            expected[place], bad = within(before[place], ours.get(place, {}), after[place])
            wrong += ['%s: %s' % (place, line) for line in bad]
    for place, row in ours.items():
        wrong += unequal('%s width' % (place,), row['width_bits'], 64)
        wrong += unequal('%s saturated' % (place,), set(row['saturated']),
                         full.get(place, set()))
    return wrong + compare.rows('perf', 'perfquery, -x', ours, expected)


def descriptions(sim, places):
    ours, wrong = ask_rdmactl(sim, places)
    for (lid, port), row in ours.items():
        raw = scene_bed.description_of(sim.net.nodes[places[lid, port]])
        wrong += unequal('%s/%d node' % (lid, port), row['node'], compare.cleaned(raw))
        wrong += unequal('%s/%d object_lid' % (lid, port), row['object_lid'], int(lid))
    return wrong


def victim_of(sim):
    """LID and name of a switch."""
    switch = sim.net.switches()[0].name
    return str(sim.lids()[switch, 0]), switch


def choice_of_ports(sim, places):
    lid, name = victim_of(sim)
    ports = sim.net.nodes[name].ports
    wrong = []
    for words, expected in (((lid,), list(range(1, ports + 1))), ((lid, '2'), [2]),
                            ((lid, '3', '1-2'), [1, 2, 3]), ((lid, '2-2', '2'), [2])):
        document = sim.document('perf', 'perf', *words)
        wrong += unequal('ports of %s' % (words,), [row['port'] for row in document.rows],
                         expected)
    guid = sim.document('smp_nodeinfo', 'smp', 'nodeinfo', lid).rows[0]['port_guid']
    document = sim.document('perf', 'perf', guid, '1')
    wrong += unequal('by GUID', [(row['object_lid'], row['port']) for row in document.rows],
                     [(int(lid), 1)])
    own = sim.document('perf', 'perf')
    wrong += unequal('the local port', [(row['object_lid'], row['port']) for row in own.rows],
                     [(sim.lids()[sim.host, 1], 1)])
    beyond = sim.document('perf', 'perf', lid, '1', str(ports + 1))
    wrong += unequal('status of a port number that is too large', beyond.status, 3)
    wrong += unequal('its rows', [row['port'] for row in beyond.rows], [1])
    nowhere = str(max(sim.lids().values()) + 5)
    partial = sim.document('perf', 'perf', lid + ',' + nowhere)
    wrong += unequal('status with one LID that no port has', partial.status, 3)
    wrong += unequal('rows with it', len(partial.rows), ports)
    lost = sim.document('perf', 'perf', nowhere)
    wrong += unequal('status of it alone', lost.status, 1)
    wrong += unequal('rows of it alone', lost.rows, [])
    # Port 2 of the adapter has no link: reported once, and the other port has a row.
    adapter = next(node for node in sim.net.hcas() if node.name != sim.host)
    both = sim.document('perf', 'perf', str(sim.lids()[adapter.name, 1]), '--all-ports')
    return wrong + unequal('--all-ports of an adapter',
                           (both.status, [row['port'] for row in both.rows], len(both.problems)),
                           (3, [1], 1))


def saturation(sim, places):
    lid, name = victim_of(sim)
    sim.console('PerformanceSet "%s"[1] PortCounters.SymbolErrorCounter=65535' % name)
    row = sim.document('perf', 'perf', lid, '1').rows[0]
    table = sim.rdmactl('perf', lid, '1', '-o', 'symbol_errors', '--no-headings').text().split()
    values = sim.rdmactl('perf', lid, '1', '-o', 'symbol_errors', '--tsv',
                         '--no-headings').text().split()
    return (unequal('JSON', row['symbol_errors'], 65535) + unequal('table', table, ['>=65535']) +
            unequal('TSV', values, ['65535']) +
            unequal('in saturated', 'symbol_errors' in row['saturated'], True))


def virtual_lanes(sim, places):
    lid, name = victim_of(sim)
    sim.console('PerformanceSet "%s"[1] PortVLXmitWaitCounters.PortVLXmitWait3=77' % name)
    rows = sim.document('perf_vl', 'perf', lid, '1', '--vl', '--all').rows
    wrong = unequal('lanes', [row['vl'] for row in rows], list(range(16)))
    text = sim.run(['perfquery', '--vlxmitcounters', lid, '1']).text()
    theirs = [int(value) for label, value, _ in tools.dotted(text)
              if label.startswith('PortVLXmitWait')]
    return wrong + unequal('xmit_wait_ticks', [row['xmit_wait_ticks'] for row in rows],
                           theirs[:16])


def summed(sim, places):
    """One row for a node: the agent's own sum, and the equal sum of the counters of each port."""
    lid, name = victim_of(sim)
    ports = sim.net.nodes[name].ports
    # Sums of the simulator's agent saturate at the width of one counter.
    sim.rdmactl('perf', lid, '--reset')
    for port, value in ((1, 3), (2, 4)):
        sim.console('PerformanceSet "%s"[%d] PortCounters.SymbolErrorCounter=%d' % (
            name, port, value))
    theirs = tools.by_table(sim.run(['perfquery', '-a', lid]).text(), tools.COUNTERS)
    agent = sim.document('perf', 'perf', lid, '--sum').rows
    here = sim.document('perf', 'perf', lid, '1-%d' % ports, '--sum').rows
    wrong = unequal('by the agent', [(row['port'], row['summed_ports'], row['summed_by'])
                                     for row in agent], [(None, ports, 'agent')])
    wrong += unequal('here', [(row['port'], row['summed_ports'], row['summed_by'])
                              for row in here], [(None, ports, 'rdmactl')])
    for row in agent + here:
        wrong += unequal('symbol errors', row['symbol_errors'], theirs['symbol_errors'])
    each = sim.document('perf', 'perf', lid).rows
    return wrong + unequal('the sum of the ports', sum(row['symbol_errors'] for row in each),
                           theirs['symbol_errors'])


# The keys of each listing, and perfquery's option; the last one has no console command.
LISTINGS = {
    'details': (('--rcverr', {
        'PortLocalPhysicalErrors': 'local_physical_errors',
        'PortMalformedPktErrors': 'malformed_packet_errors',
        'PortBufferOverrunErrors': 'buffer_overrun_errors',
        'PortDLIDMappingErrors': 'dlid_mapping_errors',
        'PortVLMappingErrors': 'vl_mapping_errors',
        'PortLoopingErrors': 'looping_errors'}), ('--xmtdisc', {
            'PortInactiveDiscards': 'inactive_discards',
            'PortNeighborMTUDiscards': 'neighbor_mtu_discards',
            'PortSwLifetimeLimitDiscards': 'switch_lifetime_limit_discards',
            'PortSwHOQLifetimeLimitDiscards': 'switch_hoq_lifetime_limit_discards'})),
    'flow': (('--flowctlcounters', {'PortXmitFlowPkts': 'xmit_flow_packets',
                                    'PortRcvFlowPkts': 'rcv_flow_packets'}),
             ('--oprcvcounters', {'PortOpRcvPkts': 'op_rcv_packets'})),
}
SET = {'details': (), 'flow': (('PortFlowCtlCounters.PortXmitFlowPkts', 17),
                               ('PortFlowCtlCounters.PortRcvFlowPkts', 18),
                               ('PortOpRcvCounters.PortOpRcvPkts', 19))}


def listings(sim, places):
    """--details and --flow match perfquery; then the counters are cleared."""
    lid, name = victim_of(sim)
    wrong = []
    for listing, parts in LISTINGS.items():
        for label, value in SET[listing]:
            sim.console('PerformanceSet "%s"[1] %s=%d' % (name, label, value))
        row = sim.document('perf_' + listing, 'perf', lid, '1', '--' + listing).rows[0]
        for option, table in parts:
            values = {label: value for label, value, _ in
                      tools.dotted(sim.run(['perfquery', option, lid, '1']).text())}
            for label, key in table.items():
                wrong += unequal('%s %s' % (listing, key), row[key], int(values[label]))
        document = sim.document('perf_' + listing, 'perf', lid, '1', '--' + listing, '--reset')
        wrong += unequal('status of --reset', document.status, 0)
        after = sim.document('perf_' + listing, 'perf', lid, '1', '--' + listing).rows[0]
        for _, table in parts:
            wrong += unequal('%s cleared' % listing, [after[key] for key in table.values()],
                             [0] * len(table))
        rates = sim.document('perf_%s_rates' % listing, 'perf', lid, '1', '--' + listing, '-w',
                             '-c', '2', '--interval', '100ms').rows
        wrong += unequal('rates of %s' % listing, len(rates), 2)
        for _, table in parts:
            for key in table.values():
                wrong += unequal('rate of %s' % key, rates[-1][key + '_per_sec'], 0)
    lanes = sim.document('perf_vl_rates', 'perf', lid, '1', '--vl', '-a', '-w', '-c', '1',
                         '--interval', '100ms').rows
    return wrong + unequal('rates by lane', [row['vl'] for row in lanes], list(range(16)))


def clears_single(sim, places):
    """--counters clears those counters, and no others."""
    lid, name = victim_of(sim)
    wrong = []
    for words, left in (('symbol_errors', (0, 7)), ('0x8', (9, 0)),
                        ('symbol_errors,rcv_errors', (0, 0))):
        for label, value in (('SymbolErrorCounter', 9), ('PortRcvErrors', 7)):
            sim.console('PerformanceSet "%s"[1] PortCounters.%s=%d' % (name, label, value))
        document = sim.document('perf', 'perf', lid, '1', '--reset', '--counters', words)
        wrong += unequal('status', document.status, 0)
        row = sim.document('perf', 'perf', lid, '1').rows[0]
        wrong += unequal('after --counters ' + words, (row['symbol_errors'], row['rcv_errors']),
                         left)
    refused = sim.rdmactl('perf', lid, '1', '--reset', '--counters', 'symbol')
    return wrong + unequal('a counter that does not exist', refused.status, 2)


def absent_groups(sim, places):
    """Attributes that the simulator's nodes lack are reported once, never as a row of zeros."""
    lid, name = victim_of(sim)
    ports = sim.net.nodes[name].ports
    encoding = sim.document('perf_fec', 'perf', lid, '--fec')
    wrong = unequal('--fec', (encoding.status, encoding.rows, len(encoding.problems)), (1, [], 1))
    marks = sim.document('perf_congestion', 'perf', lid, '--congestion')
    wrong += unequal('--congestion', (marks.status, len(marks.rows), len(marks.problems)),
                     (3, ports, 6))
    for row in marks.rows:
        wrong += unequal('congestion of port %d' % row['port'],
                         (row['rcv_fecn_packets'], row['congestions'], row['xmit_wait_ticks']),
                         (None, None, 0))
    return wrong


def rates(sim, places):
    """The rates of the port through which the requests themselves arrive."""
    lid, name = victim_of(sim)
    ports = sim.net.nodes[name].ports
    begin = time.monotonic()
    # A busy simulator answers late, and retries would count in the next round.
    result = sim.rdmactl('perf', lid, '-w', '--interval', '200ms', '-c', '3', '--jsonl',
                         '--timeout', '10s')
    taken = time.monotonic() - begin
    rows = [json.loads(line) for line in result.text().splitlines()]
    wrong = unequal('status', result.status, 0) + unequal('rows', len(rows), 3 * ports)
    seconds = [row['interval_sec'] for row in rows]
    # A busy machine may be late, but hardly each time.
    if taken < 0.6 or min(seconds) > 1 or max(seconds) > taken:
        wrong.append('three rounds of 0.2 s took %.2f s: %s' % (taken, seconds))
    for first in range(0, len(rows), ports):
        # Two datagrams of 72 words for each port and round, through the port that leads here.
        most = max(rows[first:first + ports], key=lambda row: row['xmit_gbps'])
        expected = 2 * ports * 288 * 8 / 1e9 / most['interval_sec']
        if not 0.5 < most['xmit_gbps'] / expected < 1.5:
            wrong.append('xmit_gbps %r, expected about %r' % (most['xmit_gbps'], expected))
        wrong += unequal('packets', round(most['xmit_packets_per_sec'] * 288 * 8 / 1e9, 9),
                         round(most['xmit_gbps'], 9))
    if sorted(row['time'] for row in rows) != [row['time'] for row in rows]:
        wrong.append('times go back: %r' % rows)
    document = sim.document('perf_rates', 'perf', '-w', '-c', '2', '--interval', '100ms')
    wrong += unequal('rounds of a document', len(document.rows), 2)
    headings = sim.rdmactl('perf', '-w', '-c', '2', '--interval', '100ms', '--tsv').text()
    return wrong + unequal('lines of TSV', len(headings.splitlines()), 3)


def dead_port(sim, places):
    """A node that stops answering has no rates, is reported once, and does not affect others."""
    lid, name = victim_of(sim)
    other = next(node.name for node in sim.net.hcas() if node.name not in (sim.host, sim.manager))
    dead = str(sim.lids()[other, 1])
    process = sim.client([program.RDMACTL, 'perf', lid + ',' + dead, '1', '-w', '--jsonl',
                          '--interval', '100ms'])
    seen = {lid: [], dead: []}

    def read_row():
        row = json.loads(process.stdout.readline())
        seen[row['object']].append(row['xmit_gbps'])

    while not (seen[lid] and seen[dead]):
        read_row()
    sim.console('Unlink "%s"' % other)
    # Wait for two rounds without a rate, but read no more than 300.
    while len(seen[dead]) < 300 and (seen[dead][-2:] != [None, None] or
                                     len(seen[lid]) < len(seen[dead])):
        read_row()
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=bed.SECONDS)
    sim.console('ReLink "%s"' % other)
    wrong = unequal('status', process.returncode, 3)
    wrong += unequal('the unlinked node: first and last', [rate is None for rate in (seen[dead][0], *seen[dead][-2:])],
                     [False, True, True])
    wrong += unequal('rounds without a rate of the other node', seen[lid].count(None), 0)
    return wrong + unequal('complaints', err.count(b'cannot read'), 1)


def ends(sim, places):
    """A signal ends --watch cleanly, with a complete document."""
    wrong = []
    for number in (signal.SIGTERM, signal.SIGHUP):
        # Nothing is printed before the end, and a busy machine may need longer for the first round.
        for seconds in (1, 5, 20):
            process = sim.client([program.RDMACTL, 'perf', '-w', '-j', '--interval', '100ms'])
            time.sleep(seconds)
            process.send_signal(number)
            out, err = process.communicate(timeout=bed.SECONDS)
            found = out and json.loads(out).get('perf_rates')
            if found:
                break
        wrong += unequal('status after signal %d' % number, process.returncode, 0)
        wrong += unequal('standard error', err, b'')
        if not found:
            wrong.append('no rates in %r' % out[:200])
    return wrong


def reset(sim, places):
    """--reset clears only the counters and ports it is given, and prints the previous values."""
    lid, name = victim_of(sim)

    def fill():
        for port in (1, 2):
            for label, value in (('SymbolErrorCounter', 9), ('PortXmitWait', 8)):
                sim.console('PerformanceSet "%s"[%d] PortCounters.%s=%d' % (
                    name, port, label, value))

    def now():
        rows = sim.document('perf', 'perf', lid, '1', '2').rows
        return [(row['symbol_errors'], row['xmit_wait_ticks']) for row in rows]

    fill()
    wrong = unequal('before', now(), [(9, 8), (9, 8)])
    for latsim in (None, {'RTT_USEC': 150000}):
        ended = sim.interrupted('perf', lid, '1', '--reset', latsim=latsim)
        wrong += unequal('interrupted', (ended.status, now()), (1, [(9, 8), (9, 8)]))
        wrong += [] if 'interrupted: nothing was cleared' in ended.complaint() else [ended.complaint()]
    for words, expected in ((('--errors',), [(0, 8), (9, 8)]), (('--traffic',), [(9, 8), (9, 8)]),
                            ((), [(0, 0), (9, 8)])):
        fill()
        document = sim.document('perf', 'perf', lid, '1', '--reset', *words)
        wrong += unequal('printed with %s' % (words,), [row['symbol_errors']
                                                        for row in document.rows], [9])
        wrong += unequal('status', document.status, 0)
        if b'for every reader' not in document.result.err:
            wrong.append('no warning: %r' % document.result.err)
        wrong += unequal('after --reset %s' % (words,), now(), expected)
    text = sim.rdmactl('perf', lid, '2', '--reset', '-o', 'symbol_errors', '--no-headings').text()
    wrong += unequal('the table, once', text.split(), ['9'])
    text = sim.rdmactl('perf', lid, '2', '--reset', '-o', 'symbol_errors', '--tsv').text()
    return wrong + unequal('TSV, once', text.split(), ['symbol_errors', '0'])


TESTS = {
    'choice of ports': choice_of_ports,
    'a counter at its maximum': saturation,
    'by virtual lane': virtual_lanes,
    'counters that the nodes do not have': absent_groups,
    'sums': summed,
    'other listings': listings,
    'clearing single counters': clears_single,
    'rates': rates,
    'signals end the rates': ends,
    'clearing': reset,
    'a port that goes down during --watch': dead_port,
}


def play(tap, box):
    for name in NETS:
        with bed.Simulator(box, scene_bed.NETS[name]) as sim:
            sim.start_manager()
            places = places_of(sim)
            full, wrong = set_counters(sim, places)
            tap.test('perf: %s: counters are set' % name, wrong)
            try:
                tap.test('perf: %s: equals perfquery on %d ports' % (name, len(places)),
                         equal(sim, places, full))
                tap.test('perf: %s: nodes and LIDs' % name, descriptions(sim, places))
                if name == 'net.2sw2path4hca':
                    for test, function in TESTS.items():
                        tap.test('perf: ' + test, function(sim, places))
            except (tools.Unknown, KeyError, TypeError, ValueError, IndexError) as error:
                tap.test('perf: %s: the output is understood' % name, [repr(error)])
            tap.test('perf: %s: the subnet manager is still running' % name,
                     [] if sim.manager_lives() else ['it has ended'])
