# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl fabric route --mlid and tables --multicast: trees that opensm built of hosts that joined
a group, compared with the tables of dump_fts; the same from a saved scan; and broken trees."""

import re

import bed
import fabric
import program
from scene_fabric import NETS
from scene_fabric_routes import row_of_two
from tap import unequal

HERE = {
    'tree20': NETS['tree20'],
    'deep100': fabric.fat_tree(100, levels=3, radix=8),
    'torus-2x3x4': NETS['torus-2x3x4'],
}
JOIN = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 6 | 1 << 7 | 1 << 12 | 1 << 13 | 1 << 16
KEY = '1'  # opensm's SM_Key: only queries with this key return the members


def join(sim, host, group=1, state=1):
    """Makes a host a member of a group: MGID, PortGID, Q_Key, P_Key and JoinState, 15.2.5.17."""
    port = sim.net.nodes[host].guid + min(sim.net.nodes[host].links)
    record = bytes.fromhex('ff12601bffff0000') + group.to_bytes(8, 'big')
    record += bytes.fromhex('fe80000000000000') + port.to_bytes(8, 'big')
    record += (0xb1b).to_bytes(4, 'big') + bytes(4) + b'\xff\xff' + bytes(6)
    record += bytes([0x20 | state]) + bytes(3)
    result = sim.run([program.RDMACTL, 'mad', 'send', '--yes', '--class', 'sa', '--method', 'set', '--attribute',
                      '0x38', '--component-mask', hex(JOIN), '--data', record.hex()], host=host)
    return [] if result.status == 0 else result.describe()


def masks(sim):
    """{(switch GUID, MLID): ports} from dump_fts -M."""
    found, guid, first = {}, None, 0
    for line in sim.run(['dump_fts', '-M']).text().splitlines():
        head = re.search(r'Multicast mlids .* guid 0x([0-9a-f]{16})', line)
        if head:
            guid = ':'.join(re.findall('....', head[1]))
        elif re.match(r'\s+Ports: 0 ', line):
            first = line.index('0')
        elif re.match(r'0x[0-9a-f]{4} ', line):
            found[guid, line[:6]] = [place.start() // 2
                                     for place in re.finditer('x', line[first:])]
    return found


def settled(sim):
    """Waits until the manager has written the tables."""
    def done():
        return len(sim.document('fabric_multicast', 'fabric', 'tables', '--multicast').rows) > 0
    bed.wait_until('a tree', done, sim.sm)
    sim.sweep()


def trees(sim):
    """A group of many hosts, and one of three hosts of which one only sends."""
    hosts = [node.name for node in sim.net.hcas() if min(node.links, default=0) == 1]
    # The manager refuses ports that are slower than the group's rate.
    every = [host for host in hosts[::2] if not join(sim, host)]
    few = []
    for host in every[:1] + every[::-1]:
        if len(few) < 3 and host not in few and not join(sim, host, 2, 4 if len(few) == 2 else 1):
            few.append(host)
    if len(few) < 3:
        return ['no members']
    wrong = []
    settled(sim)
    theirs = masks(sim)
    groups = sim.document('fabric_multicast', 'fabric', 'tables', '--multicast').rows
    wrong += unequal('tables', {(row['node_guid'], row['mlid']): [int(port) for port in row['ports']]
                                for row in groups}, theirs)
    for mlid, members, words in (('0xc001', every, ()), ('0xc002', few, ()),
                                 ('0xc002', few, ('--mkey', KEY))):
        document = sim.document('fabric_tree', 'fabric', 'route', '--mlid', mlid, *words)
        wrong += unequal('status of ' + mlid, document.status, 0)
        ours = {}
        for row in document.rows:
            if row['in_table']:
                ours.setdefault((row['node_guid'], row['mlid']), []).append(row['out_port'])
            wrong += unequal('faults', row['faults'], [])
        wrong += unequal(mlid, ours, {key: ports for key, ports in theirs.items() if key[1] == mlid})
        ends = {row['peer_guid'].replace(':', '') for row in document.rows if row['peer_type'] == 'ca'}
        wrong += unequal('members of ' + mlid, ends,
                         {'%016x' % sim.net.nodes[name].guid for name in members})
        if words:
            wrong += unequal('join states', sorted(row['join_state'][0] for row in document.rows if row['join_state']),
                             ['full-member', 'full-member', 'send-only-non-member'])
    return wrong + ([] if theirs else ['no table'])


def saved(sim):
    """The tables and the tree are the same from a saved scan."""
    path, wrong = sim.path('groups.json'), []
    wrong += unequal('scan', sim.rdmactl('fabric', 'scan', '--routes', '--save', path, '--tsv').status, 0)
    for schema, words in (('fabric_multicast', ('tables', '--multicast')), ('fabric_tree', ('route', '--mlid', '0xc001'))):
        live = sim.document(schema, 'fabric', *words)
        again = sim.document(schema, 'fabric', *words, '--load', path)
        wrong += unequal(schema, (again.status, again.rows), (live.status, live.rows))
        wrong += [] if live.rows else ['no row of ' + schema]
    return wrong


# Masks in the tables of S-1 and S-2, exit status and message of `route`. H-1 is on port 1 of S-1,
# port 3 leads to S-2, which has H-2 and H-3 on ports 1 and 2; port 4 has no cable.
BROKEN = (
    (0b1010, 0b1110, 0, None),
    (0b1010, 0, 4, 'packets to 0xc000 go to a switch that does not send back: S-1/3'),
    (0b0010, 0b0110, 4, 'packets to 0xc000 are not exchanged between a member and most others: S-1/1'),
    (0b1010, 0b0110, 4, 'packets to 0xc000 are not exchanged between a member and most others: S-1/1'),
    (0b11010, 0b1110, 4, 'packets to 0xc000 go to a port without a link: S-1/4'),
    (1 << 9 | 0b1010, 0b1110, 4, 'packets to 0xc000 go to a port without a link: S-1/9'),
    (0, 0, 5, 'no switch sends packets to 0xc000'),
)


def broken(sim):
    """Each way in which multicast tables can be wrong."""
    wrong = []
    for one, two, status, said in BROKEN:
        wrong += sim.set_smps(['%s 0x1b 0 %s' % (path, mask.to_bytes(2, 'big').hex() + '00' * 62)
                               for path, mask in (('0,1', one), ('0,1,3', two))])
        result = sim.rdmactl('fabric', 'route', '--mlid', '0xc000')
        if result.status != status or (said or '') not in result.err.decode():
            wrong += ['%s, %s:' % (bin(one), bin(two)), *result.describe()]
    # The manager does not answer a query with another SM_Key.
    result = sim.rdmactl('fabric', 'route', '--mlid', '0xc000', '--mkey', '0x9999')
    if 'answers only without the key of --mkey' not in result.err.decode():
        wrong += ['a wrong key:', *result.describe()]
    result = sim.rdmactl('fabric', 'route', '--mlid', '0x1')
    return wrong + unequal('no multicast LID', result.status, 2)


def play(tap, box):
    with bed.Simulator(box, row_of_two(), host='H-1') as sim:
        sim.start_manager()
        tap.test('fabric route --mlid: broken trees', broken(sim))
    for name, net in HERE.items():
        with bed.Simulator(box, net) as sim:
            sim.start_manager()
            for what, test in (('trees', trees), ('saved trees', saved)):
                tap.test('fabric route --mlid: %s: %s' % (name, what), test(sim))
