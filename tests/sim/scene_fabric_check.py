# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl fabric check: finds every fault that the simulator can have, at the right place."""

import os
import subprocess

import bed
import fabric
import program
from tap import unequal

SLOW = 'link-below-best'


def label(node):
    """The name of a node in the output."""
    return node.description.decode() if node.description else node.name


def cables(sim, lost=()):
    """All cables except those of lost nodes and lost ends; each is the set of its ends."""
    both = {frozenset(((label(node), port), (label(far[0]), far[1])))
            for node in sim.net.nodes.values() for port, far in node.links.items()}
    return {ends for ends in both
            if not any(end in lost or end[0] in lost for end in ends)}


class Check:
    """A check. All ports of the simulator support everything, so every cable is slower than it
    could be, except for `lost` ones: (node, port) or nodes whose cables the scan does not see."""

    def __init__(self, sim, *words, lost=(), host=None):
        self.document = sim.document('fabric_check', 'fabric', 'check', *words, timeout=120,
                                     **({'host': host} if host else {}))
        self.status = self.document.status
        slow = [frozenset(((row['node'], row['port']), (row['peer'], row['peer_port'])))
                for row in self.document.rows if row['finding'] == SLOW]
        self.wrong = (unequal('slow cables', set(slow), cables(sim, lost)) +
                      unequal('each slow cable once', len(slow), len(set(slow))))
        self.rows = [row for row in self.document.rows if row['finding'] != SLOW]

    def found(self):
        return sorted({row['finding'] for row in self.rows})

    def of(self, finding):
        return [row for row in self.rows if row['finding'] == finding]

    def places(self, finding):
        return sorted((row['node'], row['port']) for row in self.of(finding))


def expect(sim, findings, *words, status=4, **options):
    """The check, and the errors if it found other kinds of faults."""
    check = Check(sim, *words, **options)
    wrong = check.wrong + unequal('findings', check.found(), sorted(findings))
    return check, wrong + unequal('status', check.status, status)


def far_end(node, port=1):
    """The other end of a cable."""
    far = node.links[port]
    return label(far[0]), far[1]


def healthy(sim):
    check, wrong = expect(sim, ())
    worst = [row['severity'] for row in check.document.rows]
    order = ('error', 'warning', 'notice', 'info')
    wrong += unequal('the worst first', worst, sorted(worst, key=order.index))
    return wrong + expect(sim, (), '--fail-on', 'error', status=0)[1]


def spare(sim):
    """An adapter other than the client's and the manager's."""
    return next(node for node in sim.net.hcas() if node.name not in (sim.host, sim.manager))


def relinked(sim, node):
    sim.pause_manager()
    sim.console('Unlink "%s"' % node.name)
    sim.console('ReLink "%s"' % node.name)
    check = Check(sim)
    sim.resume_manager()
    return check.wrong + unequal('ports', check.places('port-init'), [far_end(node)])


def no_manager_at_all(sim):
    check, wrong = expect(sim, ('no-sm', 'not-checked'))
    return wrong + unequal('rows', len(check.of('no-sm')), 1)


def hung_manager(sim):
    sim.pause_manager()
    check, wrong = expect(sim, ('no-sm',))
    sim.resume_manager()
    return wrong + unequal('where', check.places('no-sm'), [(label(sim.net.nodes[sim.manager]), 1)])


def duplicate_lid(sim, node):
    """The first of the next steps, which disturbs least, is enough here."""
    lid = sim.lids()[node.name, 1]
    switch = sim.net.switches()[0].name
    sim.console('Baselid "%s"[1] %d' % (node.name, sim.lids()[switch, 0]))
    check = Check(sim)
    rows = check.of('duplicate-lid')
    sim.sweep()
    return (check.wrong + unequal('ports', check.places('duplicate-lid'), [(label(node), 1)]) +
            unequal('SIGHUP first', [row['next_step'].find('SIGHUP') >= 0 for row in rows], [True]) +
            unequal('LID after SIGHUP', sim.lids()[node.name, 1], lid))


def duplicate_guid(sim, node):
    other = next(one for one in sim.net.hcas()
                 if one.name not in (sim.host, sim.manager, node.name))
    sim.console('Guid "%s" 0x%x' % (node.name, other.guid))
    check = Check(sim)
    sim.console('Guid "%s" 0x%x' % (node.name, node.guid))
    rows = check.of('duplicate-guid')
    return (check.wrong + unequal('ports', [row['port'] for row in rows], [None]) +
            unequal('nodes', [row['node'] in (label(node), label(other)) for row in rows], [True]))


def unanswered(sim, node):
    sim.console('Error "%s" 100 17' % node.name)
    check = Check(sim, lost=(label(node),))
    sim.console('Error "%s" 0' % node.name)
    rows = check.of('unanswered')
    return (check.wrong + unequal('ports', check.places('unanswered'), [far_end(node)]) +
            unequal('status', check.status, 4) +
            unequal('the silent node', bool(rows) and node_at(sim, rows[0]['evidence']),
                    node.name))


def node_at(sim, evidence):
    """The node at the end of the route in the evidence."""
    route = evidence.rpartition('route ')[2]
    return next((name for name, path in sim.net.routes(sim.host).items() if path == route), None)


def hole(sim):
    """A link that goes down while the manager is stopped: both switches still send through it."""
    switch = sim.net.switches()[0]
    port = next(port for port, far in switch.links.items() if far[0].is_switch)
    sim.pause_manager()
    sim.console('Unlink "%s"[%d]' % (switch.name, port))
    check = Check(sim, lost=((label(switch), port),))
    sim.console('ReLink "%s"[%d]' % (switch.name, port))
    sim.resume_manager()
    return check.wrong + unequal('holes', check.places('lft-hole'),
                                 sorted(((label(switch), port), far_end(switch, port))))


def counters(sim, node):
    place = '"%s"[1] PortCounters.' % node.name
    sim.console('PerformanceSet %sSymbolErrorCounter=65535' % place)
    check, wrong = expect(sim, ('counter-saturated',))
    wrong += unequal('saturated', len(check.of('counter-saturated')), 1)
    sim.console('PerformanceSet %sSymbolErrorCounter=0' % place)

    def change(grown):
        sim.console('PerformanceSet %sLinkDownedCounter=%d' % (place, 3 * grown))
        sim.console('PerformanceSet %sPortXmitWait=%d' % (place, 4000000 * grown))

    result, _ = sim.between([program.RDMACTL, '--tsv', '-o', 'finding,severity', 'fabric', 'check'],
                            change)
    rows = [line.split('\t') for line in result.text().splitlines()[1:]]
    wrong += unequal('growth', sorted(row for row in rows if row[0] != SLOW),
                     [['congestion', 'notice'], ['errors', 'warning']])
    wrong += unequal('slow cables', len([row for row in rows if row[0] == SLOW]),
                     len(cables(sim)))
    return wrong + unequal('status', result.status, 4)


def dead_agent(sim, node):
    """Only the performance management agent: the node does not answer attribute 0x12."""
    sim.console('Error "%s" 100 18' % node.name)
    check = Check(sim)
    sim.console('Error "%s" 0' % node.name)
    return (check.wrong + unequal('findings', check.found(), ['no-counters']) +
            unequal('ports', check.places('no-counters'), [(label(node), 1)]))


def written(sim, node, changes):
    """Checks with bits of the adapter's PortInfo changed: {byte: (mask, bits)}."""
    guid = next(row for row in sim.document('fabric_nodes', 'fabric', 'hosts').rows
                if int(row['node_guid'].replace(':', ''), 16) == node.guid)
    row = next(row for row in sim.document('fabric_ports', 'fabric', 'ports').rows
               if row['node_guid'] == guid['node_guid'] and row['port'] == 1)
    before = bytearray.fromhex(row['port_info'])
    before[32] &= 0xf0  # do not change the state
    before[33] &= 0x0f
    after = bytearray(before)
    for byte, (mask, bits) in changes.items():
        after[byte] = after[byte] & ~mask & 0xff | bits
    wrong = sim.set_smps(['%s 0x15 1 %s' % (guid['path'], after.hex())])
    check = Check(sim)
    return wrong + sim.set_smps(['%s 0x15 1 %s' % (guid['path'], before.hex())]), check, guid


def mismatches(sim, node):
    wrong = []
    # The simulator does not accept a different NeighborMTU.
    for finding, changes in (('vl-mismatch', {43: (0xf0, 1 << 4)}),
                             ('sm-lid-mismatch', {18: (0xff, 0), 19: (0xff, 77)})):
        bad, check, guid = written(sim, node, changes)
        wrong += bad + check.wrong + unequal(finding, check.found(), [finding])
        rows = check.of(finding)
        wrong += unequal('rows of ' + finding, len(rows), 1)
        wrong += unequal('where', guid['node'] in (rows[0]['node'], rows[0]['peer'])
                         if rows else None, True)
    return wrong


def loaded(sim):
    path = sim.path('scan.json')
    sim.rdmactl('fabric', 'scan', '--save', path)
    check = Check(sim, '--load', path)
    wrong = check.wrong + unequal('findings', check.found(), ['not-checked'])
    wrong += unequal('--interval with it', sim.rdmactl('fabric', 'check', '--load', path,
                                                       '--interval', '1s').status, 2)
    os.unlink(path)
    return wrong


def halves():
    """H-0 and H-1 on S-left, H-2 and H-3 on S-right."""
    net = fabric.Net()
    left, right = (net.add(fabric.Node('Switch', name, 8)) for name in ('S-left', 'S-right'))
    for number in range(4):
        adapter = net.add(fabric.Node('Hca', 'H-%d' % number, 1))
        net.link(left if number < 2 else right, 1 + number, adapter, 1)
    net.link(left, 8, right, 8)
    return net


def misrouted(sim):
    """One wrong entry in S-left's table: itself, the wrong adapter, a loop, a port too high."""
    lids = sim.lids()
    switch = next(row for row in sim.document('fabric_nodes', 'fabric', 'switches').rows
                  if row['node'] == 'S-left')
    block = sim.document('smp_raw', 'smp', 'lft', str(switch['lid']), '--raw').rows[0]['data']
    wrong = []
    for name, out, finding, port in (('H-3', 0, 'lft-hole', None), ('H-3', 1, 'lft-hole', 1),
                                     ('H-0', 8, 'lft-loop', 8), ('H-0', 77, 'lft-hole', None)):
        lid = lids[name, 1]
        table = bytearray.fromhex(block)
        table[lid] = out
        wrong += sim.set_smps(['%s 0x19 0 %s' % (switch['path'], table.hex())])
        # Counters are read by LID, so those of some ports cannot be read.
        check = Check(sim)
        wrong += check.wrong + unequal('LID of %s to port %d' % (name, out),
                         [(row['finding'], row['node'], row['port']) for row in check.rows
                          if row['finding'] != 'no-counters'], [(finding, 'S-left', port)])
        wrong += unequal('status', check.status, 4)
        wrong += unequal('balance', sim.rdmactl('fabric', 'balance').status, 4)
    # opensm does not see what it did not write itself; a new one writes all tables.
    sim.sweep()
    stays = [row for row in Check(sim).rows if row['finding'] == 'lft-hole']
    wrong += unequal('after SIGHUP', ['restart' in row['next_step'] for row in stays], [True])
    sim.stop_manager()
    sim.start_manager()
    return wrong + expect(sim, (), '--fail-on', 'error', status=0)[1]


def two_masters(tap, box):
    """Two halves with one manager each, then joined; no manager sweeps on its own."""
    with bed.Simulator(box, halves()) as sim:
        path = sim.path('opensm.conf')
        with open(path, 'w') as file:
            file.write('sweep_on_trap FALSE\n')
        sim.console('Unlink "S-left"[8]')
        sim.start_manager('-F', path)
        home = sim.path('second')
        os.makedirs(home, exist_ok=True)
        environment = sim.environment('H-3', env={'OSM_CACHE_DIR': home, 'OSM_TMP_DIR': home})
        with open(home + '/out', 'wb') as out:
            other = sim.bed.start(['opensm', '-F', path, '-d2', '-f', home + '/log', '-s', '0'],
                                  cwd=home, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                  env=environment)

        def is_up():
            if not os.path.exists(home + '/log'):
                return False
            with open(home + '/log', encoding='utf-8', errors='replace') as file:
                return 'SUBNET UP' in file.read()
        try:
            bed.wait_until('the second opensm', is_up, other)
            apart = Check(sim, lost=('S-right', 'H-2', 'H-3'))
            sim.console('ReLink "S-left"[8]')
            joined = Check(sim)
        finally:
            bed.end(other)
        wrong = apart.wrong + joined.wrong
        wrong += unequal('masters, apart', len(apart.of('two-masters')), 0)
        wrong += unequal('masters', joined.places('two-masters'), [('H-1', 1), ('H-3', 1)])
        wrong += unequal('status', joined.status, 4)
        tap.test('fabric check: two masters', wrong)


def play(tap, box):
    with bed.Simulator(box, fabric.fat_tree(20)) as sim:
        tap.test('fabric check: no subnet manager', no_manager_at_all(sim))
        sim.start_manager()
        tap.test('fabric check: healthy', healthy(sim))
        node = spare(sim)
        tap.test('fabric check: counters', counters(sim, node))
        tap.test('fabric check: a duplicate LID', duplicate_lid(sim, node))
        tap.test('fabric check: a duplicate GUID', duplicate_guid(sim, node))
        tap.test('fabric check: a dead adapter', unanswered(sim, node))
        tap.test('fabric check: a dead performance management agent', dead_agent(sim, node))
        tap.test('fabric check: ends of a link that differ', mismatches(sim, node))
        tap.test('fabric check: a loaded scan', loaded(sim))
        tap.test('fabric check: the subnet manager hangs', hung_manager(sim))
        tap.test('fabric check: a port that stays in INIT', relinked(sim, node))
    with bed.Simulator(box, fabric.fat_tree(20)) as sim:
        sim.start_manager()
        tap.test('fabric check: forwarding over a link that is down', hole(sim))
    with bed.Simulator(box, halves()) as sim:
        sim.start_manager()
        tap.test('fabric check: forwarding to the wrong place', misrouted(sim))
    two_masters(tap, box)
