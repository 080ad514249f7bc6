# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl mad: requests of every class compared with the tools' own, refusals, classes of ports.

No request of a class that the simulator cannot answer goes to the manager's node (see bed.py), and
no method is sent that nobody answers: libumad2sim waits for the answer when it exits.
"""

import re

import bed
import scene_bed
import tools
from tap import unequal

NETS = ('net.2sw2path4hca', 'tree20')
# Subnet management attributes that the simulator answers for every node: number and name
SMP = ((0x10, 'nodedesc'), (0x11, 'NodeInfo'), (0x15, 'portinfo'), (0x16, 'pkeys'),
       (0x14, 'guidinfo'))
SWITCH = ((0x12, 'switchinfo'), (0x19, 'lft'))


def places(sim):
    """[(LID, node)] of one port of each node."""
    seen = {}
    for (name, _), lid in sim.lids().items():
        seen.setdefault(name, lid)
    return [(lid, sim.net.nodes[name]) for name, lid in sorted(seen.items())]


def send(sim, dest, mgmt_class, attribute, *words, **options):
    return sim.document('mads', 'mad', 'send', str(dest), '--class', mgmt_class, '--attribute',
                        attribute, *words, **options)


def fields(row):
    """{key: text} of a datagram that is one record."""
    return {pair['key']: pair['value'] for pair in row['fields']}


def bytes_of_smps(sim):
    """Compares the received bytes with smpdump."""
    switches = {node.name for node in sim.net.switches()}
    wrong, count = [], 0
    for lid, node in places(sim):
        for number, name in SMP + (SWITCH if node.name in switches else ()):
            theirs = sim.run(['smpdump', str(lid), hex(number), '0'])
            wanted = ''.join(re.findall(r'\b[0-9a-f]{4}\b', theirs.text()))
            ours = send(sim, lid, 'sm', name)
            if theirs.status or ours.status or not ours.rows:
                wrong += theirs.describe() + ours.describe()
                continue
            row = ours.rows[0]
            where = '%s of %s: ' % (name, node.name)
            wrong += unequal(where + 'data', row['data'][:128], wanted)
            wrong += unequal(where + 'ID', int(row['attribute_id'], 0), number)
            wrong += unequal(where + 'method', row['method'], 'get-response')
            if not row['fields']:
                wrong.append(where + 'not decoded')
            count += 1
    return wrong, ['%d attributes' % count]


def shown(text):
    """A field as tables show it: reals with six digits, no commas in lists."""
    try:
        return '%.6g' % float(text) if '.' in text else text
    except ValueError:
        return text.replace(',', ' ')


def fields_as_smp(sim):
    """The fields have the same text as in `rdmactl smp`, which scene_smp compares with smpquery."""
    wrong = []
    for lid, node in places(sim):
        for name in ('nodeinfo', 'portinfo'):
            ours = send(sim, lid, 'sm', name)
            lines = sim.rdmactl('smp', name, str(lid), '--tsv', '-o', 'all').text().splitlines()
            wanted = dict(zip(lines[0].split('\t'), lines[1].split('\t')))
            found = fields(ours.rows[0])
            for key in sorted(set(found) & set(wanted)):
                wrong += unequal('%s of %s: %s' % (name, node.name, key),
                                 shown(found[key] or ''), shown(wanted[key]))
            if len(set(found) & set(wanted)) < 10:
                wrong.append('%s of %s: only %s' % (name, node.name, sorted(found)))
    return wrong


def counters(sim):
    """Error counters are equal; traffic counters may have grown, as the queries count, too."""
    wrong = []
    for lid, node in places(sim):
        if node.name == sim.manager:
            continue
        theirs = sim.run(['perfquery', str(lid), '1'])
        wanted = tools.by_table(theirs.text(), tools.COUNTERS)
        ours = send(sim, lid, 'perf', 'PortCounters', '--data', '0001')
        found = fields(ours.rows[0]) if ours.rows else {}
        compared = 0
        for key in sorted(set(found) & set(wanted)):
            if not isinstance(wanted[key], int) or isinstance(wanted[key], tools.Hex):
                continue
            compared += 1
            mine = int(found[key], 0)
            if key.endswith(('_bytes', '_packets')) and mine > wanted[key]:
                continue
            wrong += unequal('%s: %s' % (node.name, key), mine, wanted[key])
        if compared < 12:
            wrong.append('%s: only %s of %s' % (node.name, sorted(found), sorted(wanted)))
    return wrong


def records(sim):
    """The SA: the records of one LID, selected by the component mask, and an empty answer."""
    wrong = []
    for lid, node in places(sim):
        data = '%04x' % lid
        ours = sim.document('mads', 'mad', 'send', '--class', 'sa', '--method', 'get-table',
                            '--attribute', 'noderecord', '--component-mask', '1', '--data', data)
        rows = ours.rows[:1]
        pairs = rows[0]['fields'] if rows else []
        wrong += unequal('%s: LIDs' % node.name,
                         [pair['value'] for pair in pairs if pair['key'] == 'lid'], [str(lid)])
    none = sim.document('mads', 'mad', 'send', '--class', 'sa', '--method', 'get-table',
                        '--attribute', 'noderecord', '--component-mask', '1', '--data', 'bf00')
    wrong += unequal('status without records', none.status, 0)
    return wrong + unequal('fields without records', none.rows and none.rows[0]['fields'], [])


def refusals(sim):
    """Requests that may change something are not sent; malformed ones report an error."""
    (lid, _), wrong = places(sim)[0], []
    before = send(sim, lid, 'sm', 'portinfo', '--modifier', '1')
    refused = sim.rdmactl('mad', 'send', str(lid), '--class', 'sm', '--method', 'set',
                          '--attribute', 'portinfo', '--modifier', '1')
    wrong += unequal('status of a Set', refused.status, 2)
    if 'nothing was sent' not in refused.complaint():
        wrong.append(refused.complaint())
    after = send(sim, lid, 'sm', 'portinfo', '--modifier', '1')
    wrong += unequal('PortInfo', after.rows[0]['data'][:128], before.rows[0]['data'][:128])
    for words, status in ((('-D', '0,1', '--class', 'pm', '--attribute', '1'), 2),
                          ((str(lid), '--class', 'sm-direct', '--attribute', '0x11'), 2),
                          ((str(lid), '--class', 'sm', '--attribute', '0x11', '--data', 'zz'), 2),
                          ((str(lid), '--class', 'sm', '--attribute', '0x11', '--data',
                            '00' * 193), 2),
                          (('49151', '--class', 'sm', '--attribute', '0x11', '--timeout', '20ms',
                            '--retries', '1'), 1),
                          (('-D', '0', '--class', 'sm', '--attribute', '0x11'), 0),
                          (('-D', '--class', 'sm', '--attribute', '0x11'), 2),
                          (('-L', '--class', 'pm', '--attribute', '1'), 2),
                          ((str(lid), str(lid), '--class', 'sm', '--attribute', '0x11'), 2)):
        wrong += unequal(' '.join(words)[:60], sim.rdmactl('mad', 'send', *words).status, status)
    some = send(sim, '%d,49151' % lid, 'sm', 'nodeinfo', '--timeout', '1s', '--retries', '1')
    wrong += unequal('status with one of two', (some.status, len(some.rows)), (3, 1))
    return wrong


def saved(sim):
    """The bytes of a reply decode to the same fields."""
    (lid, _), wrong = places(sim)[0], []
    row = send(sim, lid, 'sm', 'portinfo').rows[0]
    mad = bytearray(256)
    mad[0:4] = bytes((1, 1, 1, 0x81))
    mad[17] = 0x15
    mad[64:] = bytes.fromhex(row['data'])
    again = sim.document('mads', 'mad', 'decode', '-', text=mad.hex('\n', 16))
    return wrong + unequal('fields', again.rows[0]['fields'], row['fields'])


def classes(sim):
    """ClassPortInfo of PM matches perfquery; classes unknown to the simulator do not answer."""
    wrong = []
    for lid, node in places(sim):
        if node.name == sim.manager:
            continue
        rows = sim.document('mad_classes', 'mad', 'classes', str(lid)).by('class')
        text = sim.run(['perfquery', str(lid), '1']).text()
        mask = int(re.search(r'CapMask: (0x[0-9a-fA-F]+)', text)[1], 0)
        wrong += unequal(node.name + ': CapMask', int(rows['pm']['cap_mask'] or '0', 0), mask)
        answered = sorted(name for name, row in rows.items() if row['answered'])
        wrong += unequal(node.name + ': answered', answered, ['pm', 'sm'])
        for name in ('dm', 'snmp', 'mellanox'):
            wrong += unequal(name, (rows[name]['answered'], rows[name]['class_version']),
                             (False, None))
    nobody = sim.document('mad_classes', 'mad', 'classes', '49151', '--timeout', '20ms')
    wrong += unequal('unused LID: status', nobody.status, 1)
    return wrong + unequal('unused LID: rows', [row['answered'] for row in nobody.rows if row['answered']],
                           [])


def play(tap, box):
    for name in NETS:
        with bed.Simulator(box, scene_bed.NETS[name]) as sim:
            sim.start_manager()
            wrong, said = bytes_of_smps(sim)
            tap.test('mad: %s: the bytes of SMPs match smpdump' % name, wrong, said)
            tap.test('mad: %s: the fields match rdmactl smp' % name, fields_as_smp(sim))
            tap.test('mad: %s: counters match perfquery' % name, counters(sim))
            tap.test('mad: %s: records of the SA' % name, records(sim))
            tap.test('mad: %s: classes' % name, classes(sim))
            tap.test('mad: %s: refusals and failures' % name, refusals(sim))
            tap.test('mad: %s: a saved reply decodes to the same fields' % name, saved(sim))
            tap.test('mad: %s: the subnet manager is still running' % name,
                     [] if sim.manager_lives() else ['it does not'])
