# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The bed itself: every net comes up, every tool answers on it, faults and latency work."""

import os
import re
import signal
import time

import bed
import compare
import fabric
import program
import tools
from tap import unequal

# The nets for scenes that compare values.
NETS = {
    'net': bed.NETS + '/net',
    'net.2sw2path': bed.NETS + '/net.2sw2path',
    'net.2sw2path4hca': bed.NETS + '/net.2sw2path4hca',
    'net.2sw2path4hca2port': bed.NETS + '/net.2sw2path4hca2port',
    'tree20': fabric.fat_tree(20, radix=8, mixed=True, hostile=True),
    'tree100': fabric.fat_tree(100),
    'deep100': fabric.fat_tree(100, levels=3, radix=8, mixed=True),
}


def description_of(node):
    """The description that the simulator derives from the net file."""
    raw = node.description or node.name.encode()
    return raw[:fabric.DESCRIPTION_MOST]


def answers(sim, *words, host=None):
    """The output of a tool, and its errors."""
    result = sim.run(words, host)
    return result.text(), [] if result.status == 0 else result.describe()


def nodes_are_there(sim):
    """ibnetdiscover finds the nodes in the net file."""
    text, wrong = answers(sim, 'ibnetdiscover')
    found = len(re.findall(r'^(?:Ca|Switch)\t', text, re.M))
    reachable = len(sim.net.routes(sim.host))
    return wrong + unequal('nodes found by ibnetdiscover', found, reachable)


def descriptions_are_there(sim):
    routes = sim.net.routes(sim.host)
    results = sim.run_all([['smpquery', 'nodedesc', '-D', route] for route in routes.values()])
    wrong = []
    for name, result in zip(routes, results):
        expected = compare.as_smpquery(description_of(sim.net.nodes[name]))
        if tools.description(result).strip() != expected:
            wrong.append('%s: smpquery nodedesc prints %r, the net file has %r' % (
                name, tools.description(result), expected))
    return wrong


def tools_answer(sim):
    """One call of each tool, whose output is understood."""
    lids = sim.lids()
    switch = next(node for node in sim.net.switches() if (node.name, 0) in lids)
    lid = str(lids[switch.name, 0])
    wrong = []
    for words, parse in (
            (('smpquery', 'nodeinfo', lid), lambda text: tools.by_table(text, tools.NODE_INFO)),
            (('smpquery', 'switchinfo', lid), lambda text: tools.by_table(text, tools.SWITCH_INFO)),
            (('smpquery', 'portinfo', lid, '1'), tools.port_info),
            (('smpquery', 'pkeys', lid), lambda text: tools.table_rows(text)[0]),
            (('smpquery', 'guidinfo', lid), lambda text: tools.table_rows(text)[0]),
            (('smpquery', 'sl2vl', lid, '1'), tools.sl2vl),
            (('smpquery', 'vlarb', lid, '1'), tools.vl_arbitration),
            (('smpquery', 'mepi', lid, '1'), lambda text: tools.by_table(text, tools.MEPI)),
            (('perfquery', lid, '1'), lambda text: tools.by_table(text, tools.COUNTERS)),
            (('perfquery', '-x', lid, '1'), lambda text: tools.by_table(text, tools.EXTENDED)),
            (('perfquery', '-E', lid, '1'), lambda text: tools.by_table(text, tools.RCV_ERRORS)),
            (('perfquery', '-D', lid, '1'), lambda text: tools.by_table(text, tools.XMIT_DISCARDS)),
            (('saquery', 'NR', lid), tools.records), (('saquery', 'SWIR', lid), tools.records),
            (('saquery', 'PIR', lid + '/0'), tools.records), (('saquery', 'MCMR'), tools.records),
            (('saquery', 'LR', lid), tools.records), (('saquery', 'SMIR'), tools.records),
            (('dump_fts',), tools.forwarding_tables), (('sminfo',), tools.sm_info)):
        text, bad = answers(sim, *words)
        wrong += bad
        try:
            if not bad and not parse(text):
                wrong.append('%s: no part of it could be parsed: %r' % (' '.join(words), text[:200]))
        except tools.Unknown as unknown:
            wrong.append('%s: unknown: %s' % (' '.join(words), unknown))
    return wrong + ([] if sim.manager_lives() else ['the subnet manager has ended'])


def tables_agree(sim):
    """Forwarding tables of dump_fts are those of the simulator, and have all its LIDs."""
    text, wrong = answers(sim, 'dump_fts')
    tables, lids = tools.forwarding_tables(text), sorted(sim.lids().values())
    expected = {tools.guid(guid): {lid: port for lid, port in table.items() if port != 255}
                for guid, table in sim.tables().items()}
    wrong += unequal('switches in dump_fts', sorted(tables), sorted(expected))
    for guid, table in tables.items():
        wrong += unequal('the table of ' + guid, table, expected.get(guid))
        wrong += unequal('LIDs in a table', sorted(table), lids)
    return wrong


def ports_of_this_host(sim):
    """rdmactl ports, which reads the faked sysfs, against ibstat and the subnet manager."""
    text, wrong = answers(sim, 'ibstat')
    fields = dict(re.findall(r'^\s*([\w ]+): (.*)$', text, re.M))
    row = sim.document('ports', 'ports').rows[:1]
    if not row:
        return wrong + ['rdmactl lists no port']
    state = {'Active': 'active', 'Initializing': 'init'}[fields['State']]
    for key, theirs in (('lid', int(fields['Base lid'])), ('sm_lid', int(fields['SM lid'])),
                        ('lmc', int(fields['LMC'])), ('state', state),
                        ('port_guid', tools.guid(fields['Port GUID'])),
                        ('rate_gbps', float(fields['Rate']))):
        wrong += unequal('ports ' + key, row[0].get(key), theirs)
    return wrong + unequal('its LID', row[0]['lid'], sim.lids()[sim.host, 1])


def faults(sim):
    """Console commands have their effect; slots of killed clients are freed."""
    wrong = []
    victim = next(node for node in sim.net.hcas() if node.name not in (sim.host, sim.manager))
    before = len(sim.net.routes(sim.host))
    sim.console('Unlink "%s"' % victim.name)
    text, bad = answers(sim, 'ibnetdiscover')
    wrong += bad + unequal('nodes with one unlinked',
                           len(re.findall(r'^(?:Ca|Switch)\t', text, re.M)), before - 1)
    sim.console('ReLink "%s"' % victim.name)
    for _ in range(3):
        server = sim.client(['ibping', '-S'])
        limit = time.monotonic() + bed.SECONDS
        while len(sim.slots()) < 2 and time.monotonic() < limit:
            time.sleep(0.01)
        server.send_signal(signal.SIGKILL)
        server.communicate()
        wrong += unequal('places freed', sim.reap(), 1)
    sim.pause_manager()
    late = sim.run(['saquery', '-t', '200', 'NR', '1'])
    sim.resume_manager()
    wrong += [] if late.status else ['saquery works with the subnet manager stopped']
    return wrong + answers(sim, 'saquery', 'NR', '1')[1]


def counts_of(path):
    """The last line of a latsim log."""
    with open(path) as file:
        return {name: int(value) for name, value in
                (pair.split('=') for pair in file.read().splitlines()[-1].split())}


def latency(sim):
    """latsim.c: the round trip, real timeouts, retries after losses, the 64th byte."""
    wrong, log = [], sim.path('latsim.log')
    begin = time.monotonic()
    result = sim.run(['ibnetdiscover', '-o', '1'], latsim={'RTT_USEC': 2000, 'LOG': log})
    taken = time.monotonic() - begin
    sent = counts_of(log)['sent']
    if result.status or not 0.002 * sent <= taken < 0.01 * sent + bed.SECONDS:
        wrong.append('%d requests of 2 ms took %.2f s' % (sent, taken))
    begin = time.monotonic()
    # A LID that no port has: without latsim.c, the simulator would report that immediately.
    lonely = max(sim.lids().values()) + 10
    result = sim.run(['smpquery', '-t', '150', 'nodeinfo', str(lonely)], latsim={'LOG': log})
    taken = time.monotonic() - begin
    if not result.status or not 0.15 <= taken < bed.SECONDS or not counts_of(log)['timed_out']:
        wrong.append('a LID that no port has: status %s after %.2f s' % (result.status, taken))
    result = sim.run(['ibnetdiscover', '-o', '8', '-t', '30'],
                     latsim={'DROP_PERCENT': 3, 'SEED': 7, 'LOG': log})
    found = len(re.findall(r'^(?:Ca|Switch)\t', result.text(), re.M))
    count = counts_of(log)
    wrong += unequal('nodes with losses', found, len(sim.net.routes(sim.host)))
    if not count['lost'] or count['resent'] < count['lost']:
        wrong.append('losses: %s' % count)
    return wrong + _longest_description(sim)


def _longest_description(sim):
    routes = sim.net.routes(sim.host)
    full = next((name for name, node in sim.net.nodes.items()
                 if len(description_of(node)) == fabric.DESCRIPTION_MOST), None)
    if not full:
        return []
    result = sim.run(['smpquery', 'nodedesc', '-D', routes[full]], latsim={'FILL': 1})
    expected = compare.as_smpquery(description_of(sim.net.nodes[full]) + b'Z')
    return unequal('64 bytes of description', tools.description(result).strip(), expected)


def sanitized(sim):
    """AddressSanitizer works in the program under the preload."""
    if not program.is_sanitized(program.RDMACTL):
        return []
    result = sim.run([program.RDMACTL, 'version'], env={'ASAN_OPTIONS': 'help=1'})
    return [] if 'Available flags for AddressSanitizer' in result.complaint() else \
        ['no AddressSanitizer: %s' % result.complaint()[:200]]


def play(tap, box):
    for name, net in NETS.items():
        begin = time.monotonic()
        with bed.Simulator(box, net) as sim:
            sim.start_manager()
            up = time.monotonic() - begin
            tap.test('bed: %s: ibnetdiscover finds all nodes' % name, nodes_are_there(sim),
                     ['%d nodes, up in %.2f s' % (len(sim.net.nodes), up)])
            tap.test('bed: %s: descriptions match the net' % name,
                     descriptions_are_there(sim))
            tap.test('bed: %s: all tools answer and are understood' % name, tools_answer(sim))
            tap.test("bed: %s: forwarding tables are the simulator's" % name, tables_agree(sim))
            tap.test('bed: %s: rdmactl ports agrees with ibstat' % name, ports_of_this_host(sim))
            if name == 'tree20':
                tap.test('bed: latency, timeouts, losses', latency(sim))
                tap.test('bed: the sanitizer works under the preload', sanitized(sim))
                tap.test('bed: unlinking, killed clients, a stopped manager', faults(sim))
            lives = sim.manager_lives()
        tap.test('bed: %s: the simulator ends cleanly' % name,
                 [] if lives and not os.path.exists(sim.directory) else ['it did not'])
