# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Nodes by name as destinations: the node name map, NodeRecords, and the defaults of ibdiag.conf.

The names are compared with the output of smpquery and dump_fts with the same map, the node that a
name reaches with the one that its LID reaches. The simulator carries only the first record of an
answer of the subnet administrator, so names of adapters with two ports are ambiguous here.
"""

import os
import re
import shutil

import bed
import fabric
import program
import tools
from tap import unequal

TREE = fabric.fat_tree(20)


def nodes(sim):
    return sim.document('fabric_nodes', 'fabric', 'nodes').rows


def lid_of(sim, row):
    """The LID of a node's first port, or of the switch itself."""
    name = next(node.name for node in sim.net.nodes.values()
                if node.guid == int(row['node_guid'].replace(':', ''), 16) or node.name == row['node'])
    return str(min(lid for (one, _), lid in sim.lids().items() if one == name))


def without(row, *keys):
    return {key: value for key, value in row.items() if key not in keys}


def same(sim, schema, by_name, by_lid):
    """Both give the same rows except for the name of the node in the command."""
    one, other = sim.document(schema, *by_name), sim.document(schema, *by_lid)
    wrong = unequal('status of ' + ' '.join(by_name), (one.status, other.status), (0, 0))
    wrong += [] if one.rows else ['no rows: %s' % one.result.complaint()]
    wrong += unequal('object', {row['object'] for row in one.rows},
                     {by_name[-1] if '--node' in by_name else by_name[2]})
    return wrong + unequal('rows of ' + ' '.join(by_name), [without(row, 'object') for row in one.rows],
                           [without(row, 'object') for row in other.rows])


def by_description(sim):
    wrong = []
    for row in nodes(sim):
        wrong += same(sim, 'smp_nodeinfo', ('smp', 'nodeinfo', row['node']),
                      ('smp', 'nodeinfo', lid_of(sim, row)))
    return wrong


def everywhere(sim):
    """smp, perf, ping, sa --to, mad send; NAME/PORT of a switch is a port of the switch."""
    switch = next(row for row in nodes(sim) if row['node_type'] == 'switch')
    host = next(row for row in nodes(sim) if row['node_type'] == 'ca' and
                row['node'] not in (sim.host, sim.manager))
    lid, name = lid_of(sim, switch), switch['node']
    wrong = same(sim, 'smp_portinfo', ('smp', 'portinfo', name + '/2'), ('smp', 'portinfo', lid, '2'))
    wrong += same(sim, 'smp_portinfo', ('smp', 'portinfo', name, '3'), ('smp', 'portinfo', lid, '3'))
    wrong += same(sim, 'smp_portinfo', ('smp', 'portinfo', host['node'] + '/1'),
                  ('smp', 'portinfo', lid_of(sim, host)))
    perf = sim.document('perf', 'perf', name + '/2')
    wrong += unequal('perf', [(row['object'], row['port']) for row in perf.rows],
                     [(name + '/2', 2)])
    ping = sim.document('pings', 'ping', '-c', '1', '--smp', host['node'], name)
    wrong += unequal('ping', [(row['object'], row['lid'], row['received']) for row in ping.rows],
                     [(host['node'], int(lid_of(sim, host)), 1), (name, int(lid), 1)])
    paths = sim.document('sa_path', 'sa', 'path', '--to', host['node']).rows
    wrong += unequal('sa path', paths,
                     sim.document('sa_path', 'sa', 'path', '--to', lid_of(sim, host)).rows)
    sent = sim.document('mads', 'mad', 'send', name, '--class', 'smp', '--attribute', 'nodeinfo')
    return wrong + unequal('mad send', sent.status, 0)


def refused(sim, words, status, part):
    result = sim.rdmactl(*words)
    wrong = unequal('status of ' + ' '.join(words), result.status, status)
    return wrong + ([] if part in result.complaint() else
                    ['%r is not in %r' % (part, result.complaint())])


def bad(sim):
    switch = next(row['node'] for row in nodes(sim) if row['node_type'] == 'switch')
    wrong = refused(sim, ('smp', 'nodeinfo', 'nobody'), 1, "which was truncated")
    wrong += refused(sim, ('smp', 'nodeinfo', switch + '/200'), 1, 'its last port is')
    wrong += refused(sim, ('smp', 'nodeinfo', switch + '/1'), 2, 'belongs to the node')
    wrong += refused(sim, ('smp', 'lft', switch + '/1'), 2, 'belongs to the node')
    wrong += refused(sim, ('ping', '-c', '1', switch + '/1'), 2, 'is a port without a LID of its own')
    wrong += refused(sim, ('sa', 'path', '--to', switch + '/1'), 2, 'is a port without a LID of its own')
    wrong += refused(sim, ('smp', 'nodeinfo', '--node', '7'), 1, '')
    wrong += refused(sim, ('perf', '7/1'), 1, 'after a LID, GUID or route, the port is a separate word')
    return wrong


def mapped(sim):
    """--names, against smpquery with the same map; the map's name and the description both work."""
    rows, path = nodes(sim), sim.path('names')
    with open(path, 'w') as file:
        for number, row in enumerate(rows):
            file.write('0x%s "node %d"\n' % (row['node_guid'].replace(':', ''), number))
    wrong = []
    for number, row in list(enumerate(rows))[:6]:
        lid = lid_of(sim, row)
        wrong += same(sim, 'smp_nodeinfo',
                      ('smp', 'nodeinfo', 'node %d' % number, '--names', path),
                      ('smp', 'nodeinfo', lid))
        wrong += same(sim, 'smp_nodeinfo', ('smp', 'nodeinfo', row['node'], '--names', path),
                      ('smp', 'nodeinfo', lid))
        theirs = sim.run(['smpquery', '--node-name-map', path, 'nodedesc', lid])
        wrong += unequal('name by smpquery', tools.description(theirs).decode(), 'node %d' % number)
    with open(path, 'a') as file:
        file.write('0x1234 "node 0"\n')
    # A map entry with a GUID that no node has does not make a name ambiguous.
    wrong += same(sim, 'smp_nodeinfo', ('smp', 'nodeinfo', 'node 0', '--names', path),
                  ('smp', 'nodeinfo', lid_of(sim, rows[0])))
    with open(path, 'w') as file:
        for row in rows[:2]:
            file.write('0x%s twin\n' % row['node_guid'].replace(':', ''))
    result = sim.rdmactl('smp', 'nodeinfo', 'twin', '--names', path)
    wrong += unequal('status of an ambiguous name', result.status, 2)
    for row in rows[:2]:
        part = 'LID %s (twin)' % lid_of(sim, row)
        wrong += [] if part in result.complaint() else ['%s: %r' % (part, result.complaint())]
    number = sim.path('number')
    with open(number, 'w') as file:
        file.write('0x%s 3\n' % rows[0]['node_guid'].replace(':', ''))
    wrong += same(sim, 'smp_nodeinfo', ('smp', 'nodeinfo', '--names', number, '--node', '3'),
                  ('smp', 'nodeinfo', lid_of(sim, rows[0])))
    wrong += unequal('3 is a LID', [row['object_lid'] for row in sim.document(
        'smp_nodeinfo', 'smp', 'nodeinfo', '--names', number, '3').rows], [3])
    return wrong


def destinations(sim):
    """smp lft names the nodes of the LIDs as dump_fts does."""
    switch = next(row for row in nodes(sim) if row['node_type'] == 'switch')
    rows = sim.document('smp_lft', 'smp', 'lft', switch['node']).rows
    text = sim.run(['dump_fts']).text()
    table = re.search(r'Unicast lids .* guid 0x%s.*?\n(.*?)valid lids' %
                      switch['node_guid'].replace(':', ''), text, re.S)[1]
    theirs = {int(lid, 16): name for lid, name in
              re.findall(r"^0x([0-9a-f]{4}) \d{3} : \(.*: '(.*)'\)", table, re.M)}
    wrong = [] if theirs else ['dump_fts names no destination']
    return wrong + unequal('destinations', {row['lid']: row['destination'] for row in rows}, theirs)


def in_etc(sim, files, *words):
    """Runs the program with only these files in /etc."""
    etc = sim.path('etc')
    shutil.rmtree(etc, ignore_errors=True)
    for name, text in files.items():
        os.makedirs(os.path.dirname(etc + '/' + name), exist_ok=True)
        with open(etc + '/' + name, 'w') as file:
            file.write(text)
    return sim.run(['unshare', '-rm', '/bin/sh', '-c', 'mount --bind "$1" /etc && shift && exec "$@"',
                    'sh', etc, program.RDMACTL, *words])


def defaults(sim):
    """ibdiag.conf and the default map, which infiniband-diags reads without options."""
    conf, row = 'infiniband-diags/ibdiag.conf', nodes(sim)[0]
    guid = row['node_guid'].replace(':', '')
    place = '0,1/1'  # a switch, and a port of it
    wrong = []
    for files, words, status, part in (
            ({conf: 'CA=ibsim0\nPort=1\ntimeout=5000\n'}, ('smp', 'nodeinfo'), 0, ''),
            ({conf: 'CA=nosuch\n'}, ('smp', 'nodeinfo'), 5, 'nosuch'),
            ({conf: 'CA=nosuch\n'}, ('smp', 'nodeinfo', '--via', 'ibsim0/1'), 0, ''),
            ({conf: 'CA=nosuch\n'}, ('fabric', 'port', place, 'enable'), 5, 'nosuch'),
            ({conf: 'CA=nosuch\n'}, ('ports', 'set', place, 'state', 'up'), 5, 'nosuch'),
            ({conf: 'CA=nosuch\n'}, ('ports', 'set', place, 'state', 'up', '--via', 'ibsim0/1'), 0, ''),
            ({conf: 'm_key=x\n'}, ('ports', 'set', place, 'state', 'up'), 0, 'ibdiag.conf: line 1'),
            ({conf: 'timeout=x\n'}, ('smp', 'nodeinfo'), 0, 'ibdiag.conf: line 1 is invalid: it and the lines after it are ignored'),
            ({'rdma/ib-node-name-map': '0x%s one\n' % guid}, ('smp', 'nodeinfo', 'one'), 0, ''),
            ({'rdma/ib-node-name-map': 'x\n'}, ('smp', 'nodeinfo'), 0, 'line 1 does not name')):
        result = in_etc(sim, files, *words)
        wrong += unequal('%s with %s' % (' '.join(words), files), result.status, status)
        wrong += [] if part in result.complaint() else ['%r is not in %r' % (part, result.complaint())]
    return wrong


def interrupted(sim):
    """A signal during a look-up is not blamed on the subnet administrator."""
    sim.pause_manager()
    try:
        ended = {word: sim.interrupted('smp', 'nodeinfo', word)
                 for word in ('somebody', '0x%016x' % sim.net.hcas()[-1].guid)}
    finally:
        sim.resume_manager()
    return [line for word, one in ended.items()
            for line in unequal(word, (one.status, one.complaint().endswith(': interrupted\n')), (1, True))]


def no_manager(sim):
    return refused(sim, ('smp', 'nodeinfo', 'somebody'), 1, 'and the port knows none')


def play(tap, box):
    with bed.Simulator(box, TREE) as sim:
        tap.test('names: without a subnet manager', no_manager(sim))
        sim.start_manager()
        tap.test('names: descriptions of all nodes', by_description(sim))
        tap.test('names: in every command that takes destinations', everywhere(sim))
        tap.test('names: what is refused', bad(sim))
        tap.test('names: the node name map', mapped(sim))
        tap.test('names: destinations in forwarding tables', destinations(sim))
        tap.test('names: a signal during a look-up', interrupted(sim))
        tap.test('names: ibdiag.conf and the default map', defaults(sim))
