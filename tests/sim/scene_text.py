# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Text for people: records and tables, missing values, and the next step."""

import scene_bed
import bed
from tap import unequal

NET = 'net.2sw2path4hca'


def a_switch(sim):
    """(LID, number of ports) of a switch on which the subnet manager does not run."""
    nodes = {node.name: node for node in sim.net.switches()}
    return next((str(lid), nodes[name].ports) for (name, port), lid in sorted(sim.lids().items())
                if name in nodes and name != sim.manager)


def an_adapter(sim):
    names = [node.name for node in sim.net.hcas()]
    return next(str(lid) for (name, _), lid in sorted(sim.lids().items())
                if name in names and name not in (sim.manager, sim.host))


def lines(sim, status, *words):
    result = sim.rdmactl(*words)
    return result.text().splitlines(), unequal('status of ' + ' '.join(words), result.status,
                                               status), result.complaint()


def several(sim):
    """One record has one line per field, several are a table; --tsv has all columns of both."""
    lid, count = a_switch(sim)
    one, wrong, _ = lines(sim, 0, 'smp', 'portinfo', lid, '1')
    wrong += unequal('a record', [one[0].split(), len(one) > 50], [['object', lid], True])
    some, bad, _ = lines(sim, 0, 'smp', 'portinfo', lid, '--all-ports')
    wrong += bad + unequal('heading', some[0].split()[:4], ['OBJECT', 'PORT', 'STATE', 'PHYSICAL'])
    wrong += unequal('rows', [row.split()[1] for row in some[1:]],
                     [str(port) for port in range(count + 1)])
    some, bad, _ = lines(sim, 0, 'smp', 'portinfo', lid, '1-2', '-o', 'object_port,state')
    wrong += bad + unequal('-o', [row.split()[0] for row in some], ['PORT', '1', '2'])
    some, bad, _ = lines(sim, 0, 'smp', 'nodeinfo', '%s,%s' % (lid, an_adapter(sim)),
                         '-o', '+node')
    wrong += bad + unequal('-o +node', [len(some), some[0].split()[-1]], [3, 'NODE'])
    some, bad, _ = lines(sim, 0, 'smp', 'portinfo', lid, '1-2', '-o', 'all')
    wrong += bad + unequal('-o all', [row.split()[0] for row in some if row][0], 'object')
    heads = [lines(sim, 0, 'smp', 'portinfo', lid, ports, '--tsv')[0][0]
             for ports in ('1', '1-2')]
    return wrong + unequal('columns of --tsv', heads[0], heads[1])


def lacking(sim):
    """Ports, entries and tables that the node lacks: never an empty answer and status 0."""
    lid, count = a_switch(sim)
    adapter = an_adapter(sim)
    wrong = []
    for words, status, part in (
            (('portinfo', lid, str(count + 1)), 1, 'its last port is %d' % count),
            (('portinfo', lid, '1-%d' % (count + 1), '-o', 'state'), 3, 'its last port is'),
            (('lft', adapter), 1, 'the node is not a switch'),
            (('mft', adapter), 1, 'the node is not a switch'),
            (('lft', lid, '4000'), 1, 'the node has 0 to '),
            (('mft', lid, '5'), 1, 'the node has 0xc000 to '),
            (('nodeinfo', lid, '1'), 2, 'nodeinfo belongs to the node'),
            (('nodeinfo', lid, '--all-ports'), 2, "'nodeinfo' does not take --all-ports"),
            (('portinfo', lid, '1', '--all-ports'), 2, 'cannot be used with'),
            (('nodeinfo', lid, '--force'), 2, '--force needs --set'),
            (('cableinfo', lid, '2', '--timeout', '20ms'), 1, 'cannot read CableInfo of port 2'),
            (('sminfo', adapter, '--timeout', '20ms'), 1, 'no subnet manager answers there'),
            (('cableinfo', lid, '2', '--timeout', '20ms'), 1, 'may not have the attribute'),
            (('portinfo', '4000', '--timeout', '20ms'), 1, '4000: cannot read NodeInfo: no answer'),
            (('nodeinfo', '4000', '--timeout', '20ms', '--retries', '0'), 1, 'asked once')):
        _, bad, said = lines(sim, status, 'smp', *words)
        wrong += bad + ([] if part in said else ['%s: %r is not in %r' % (words, part, said)])
    return wrong


def long_line(sim):
    """A line of standard input with more words than anyone types."""
    lid, _ = a_switch(sim)
    entries = ['1'] * 100 + ['2']
    document = sim.document('smp_lft', 'smp', 'lft', '-', '--all',
                            text=' '.join([lid, *entries]) + '\n')
    return unequal('status', document.status, 0) + unequal(
        'entries', [row['lid'] for row in document.rows], [int(entry) for entry in entries])


def arbitration(sim):
    """Entries of weight 0 are omitted, whatever their lane."""
    lid, _ = a_switch(sim)
    whole = sim.document('smp_vlarb', 'smp', 'vlarb', lid, '1', '--all').rows
    used = sim.document('smp_vlarb', 'smp', 'vlarb', lid, '1').rows
    return unequal('entries', used, [row for row in whole if row['weight']]) + (
        [] if 0 < len(used) < len(whole) else ['the test has nothing to distinguish'])


def changes(sim):
    """The simulator ignores one field and refuses an attribute: both are reported."""
    lid, _ = a_switch(sim)
    wrong = []
    for words, status, part in (
            (('portinfo', lid, '5', '--set', 'link_round_trip_latency=5', '--yes'), 3,
             'the node left link_round_trip_latency unchanged: 0'),
            (('nodedesc', lid, '--set', 'node_description=other', '--yes'), 1,
             'not changed: the node refused it with status 0x0008: method-not-supported'),
            (('nodeinfo', lid, '--set', 'port_count=3', '--yes'), 2,
             'port_count is read-only'),
            (('portinfo', lid, '5', '--set', 'state=dwn', '--yes'), 2,
             'logical state: nop, down, init, armed, active'),
            (('portinfo', lid, '5', '--set', 'stat=down', '--yes'), 2, "did you mean 'state'?"),
            (('portinfo', lid, '5', '--set', 'xyzzy=1', '--yes'), 2,
             'rdmactl smp portinfo --help lists the columns')):
        _, bad, said = lines(sim, status, 'smp', *words)
        wrong += bad + ([] if part in said else ['%s: %r is not in %r' % (words, part, said)])
    return wrong


def administrator(sim):
    wrong = []
    for words, status, part in (
            (('pkeys',), 1, 'some records need the SM_Key: give it with --mkey'),
            (('nodes', 'node_type=swt'), 2, 'type of the node: ca, switch, router'),
            (('nodes', '-o', 'xyzzy'), 2, 'rdmactl sa nodes --help lists the columns')):
        _, bad, said = lines(sim, status, 'sa', *words)
        wrong += bad + ([] if part in said else ['%s: %r is not in %r' % (words, part, said)])
    rows = sim.document('sa_classportinfo', 'sa', 'classportinfo').rows
    return wrong + unequal('who answered', rows[0]['object'],
                           'SA at LID %d' % rows[0]['object_lid'])


def times(sim):
    """Tenths of a microsecond in tables; --each shows the host only if it is known."""
    lid, _ = a_switch(sim)
    some, wrong, _ = lines(sim, 0, 'ping', '-c', '2', '-i', '0.01', lid)
    wrong += unequal('heading', some[0].split()[-10:], ('MIN us P50 us P90 us P99 us '
                                                        'MAX us').split())
    wrong += unequal('decimals', {len(cell.split('.')[1]) for cell in some[1].split()[-5:]}, {1})
    some, bad, _ = lines(sim, 0, 'ping', '-c', '2', '-i', '0.01', '-e', lid)
    return wrong + bad + unequal('heading of --each', some[0].split(),
                                 'OBJECT SEQ RECEIVED P50 us'.split())


def waiting(sim):
    """Waiting for a missing device is not an error, but a possibly wrong name is reported."""
    wrong = []
    for device, hint in (('ibsim9', 'there is only ibsim0'),
                         ('ibsm0', "did you mean 'ibsim0'?")):
        _, bad, said = lines(sim, 4, 'events', device, '--until', 'device-added', '-d', '100ms')
        wrong += bad + unequal('the first messages', said.splitlines()[:2], [
            'rdmactl events: %s is not there yet: waiting for it' % device, '  ' + hint])
    _, bad, said = lines(sim, 5, 'events', 'ibsim9', '--until', 'port-down', '-d', '100ms')
    return wrong + bad + unequal('without waiting', said.splitlines()[0],
                                 'rdmactl events: ibsim9: no such RDMA device')


def play(tap, box):
    with bed.Simulator(box, scene_bed.NETS[NET]) as sim:
        sim.start_manager()
        for name, function in {
                'one is a record, several are a table': several,
                'what a node lacks is reported': lacking,
                'a line of a hundred words': long_line,
                'arbitration without unused entries': arbitration,
                'changes that are not made': changes,
                'next steps of sa': administrator,
                'round trips in tables': times,
                'waiting for a device': waiting}.items():
            tap.test('text: ' + name, function(sim))
