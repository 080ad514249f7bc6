# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl sa: records of opensm against saquery; queries, truncated answers, a stopped manager.

The simulator carries one datagram of a table, so each query asks for records that fit into one.
"""

import bed
import compare
import scene_bed
import tools
from tap import unequal

NETS = ('net.2sw2path4hca', 'net.2sw2path4hca2port', 'tree20')
NODE_TYPE = {'Switch': 'switch', 'Channel Adapter': 'ca', 'Router': 'router'}
SELECTOR = {0: 'greater-than', 1: 'less-than', 2: 'exactly', 3: 'largest'}


def whole(text):
    return int(text, 0)


def selector(text):
    return SELECTOR[int(text, 0) >> 6]


def scope(text):
    return {2: 'link-local', 5: 'site-local', 0xe: 'global'}[int(text, 0)]


# {saquery's label: (our key, conversion of its text)}
NODE = {
    'lid': ('lid', whole), 'base_version': ('base_version', whole),
    'class_version': ('class_version', whole), 'node_type': ('node_type', NODE_TYPE.get),
    'num_ports': ('port_count', whole), 'sys_guid': ('system_image_guid', tools.guid),
    'node_guid': ('node_guid', tools.guid), 'port_guid': ('port_guid', tools.guid),
    'partition_cap': ('pkey_table_length', whole), 'device_id': ('device_id', tools.hexadecimal),
    'revision': ('revision', tools.hexadecimal), 'port_num': ('local_port', whole),
    'vendor_id': ('vendor_id', tools.hexadecimal), 'NodeDescription': ('node_description', str),
}
SWITCH = {
    'LID': ('lid', whole), 'LinearFDBCap': ('linear_fdb_cap', whole),
    'RandomFDBCap': ('random_fdb_cap', whole), 'MulticastFDBCap': ('multicast_fdb_cap', whole),
    'LinearFDBTop': ('linear_fdb_top', whole), 'DefaultPort': ('default_port', whole),
    'DefaultMulticastPrimaryPort': ('default_multicast_primary_port', whole),
    'DefaultMulticastNotPrimaryPort': ('default_multicast_other_port', whole),
    'LIDsPerPort': ('lids_per_port', whole),
    'PartitionEnforcementCap': ('partition_enforcement_cap', whole),
    'MulticastFDBTop': ('multicast_fdb_top', tools.hexadecimal),
}
LINK = {'FromLID': ('from_lid', whole), 'FromPort': ('from_port', whole),
        'ToPort': ('to_port', whole), 'ToLID': ('to_lid', whole)}
PATH = {
    'service_id': ('service_id', tools.hexadecimal), 'dgid': ('dgid', tools.gid),
    'sgid': ('sgid', tools.gid), 'dlid': ('dlid', whole), 'slid': ('slid', whole),
    'tclass': ('tclass', whole), 'pkey': ('pkey', tools.hexadecimal), 'sl': ('sl', whole),
    'qos_class': ('qos_class', whole), 'mtu': ('mtu_bytes', tools.mtu),
    'rate': ('rate_gbps', tools.rate), 'pkt_life': ('packet_lifetime_usec', tools.lifetime),
    'preference': ('preference', whole),
}
GROUP = {
    'MGID': ('mgid', tools.gid), 'PortGid': ('port_gid', tools.gid),
    'qkey': ('qkey', tools.hexadecimal), 'mlid': ('mlid', tools.hexadecimal),
    'mtu': ('mtu_bytes', tools.mtu), 'TClass': ('tclass', whole),
    'pkey': ('pkey', tools.hexadecimal), 'rate': ('rate_gbps', tools.rate),
    'pkt_life': ('packet_lifetime_usec', tools.lifetime), 'SL': ('sl', whole),
    'FlowLabel': ('flow_label', tools.hexadecimal), 'HopLimit': ('hop_limit', whole),
    'Scope': ('scope', scope),
}
MANAGER = {'LID': ('lid', whole), 'GUID': ('port_guid', tools.guid),
           'ActCount': ('activity_count', whole), 'Priority': ('priority', whole),
           'SMState': ('state', lambda text: tools.SM_STATE[int(text)])}


def decoded(record, table):
    row = {key: convert(record[label]) for label, (key, convert) in table.items()}
    for label, key in (('mtu', 'mtu_selector'), ('rate', 'rate_selector'),
                       ('pkt_life', 'packet_lifetime_selector')):
        if label in record:
            row[key] = selector(record[label])
    return row


def theirs(result, table):
    if result.status:
        return [], result.describe()
    if table is None:
        return [tools.port_info(part)
                for part in result.text().split('PortInfo dump:')[1:]], []
    return [decoded(record, table) for record in tools.records(result.text())], []


def queries(sim):
    """(attribute, words of saquery, words of rdmactl sa, table) for every node and some pairs."""
    lids = sorted(set(sim.lids().values()))
    switches = [lid for (name, _), lid in sim.lids().items() if sim.net.nodes[name].is_switch]
    yield from (('nodes', ('NR', str(lid)), ('nodes', 'lid=%d' % lid), NODE) for lid in lids)
    yield from (('switches', ('SWIR', str(lid)), ('switches', 'lid=%d' % lid), SWITCH)
                for lid in switches)
    for lid in lids:
        # A switch has records of one port; an adapter has one for each LID.
        slash, port = ('/1', ('port=1',)) if lid in switches else ('', ())
        yield 'ports', ('PIR', str(lid) + slash), ('ports', 'lid=%d' % lid, *port), None
        port = ('from_port=1',) if lid in switches else ()
        yield 'links', ('LR', str(lid) + slash), ('links', 'from_lid=%d' % lid, *port), LINK
    for one, other in zip(lids, lids[1:] + lids[:1]):
        yield ('path', ('--src-to-dst', '%d:%d' % (one, other)),
               ('path', '--from', str(one), '--to', str(other)), PATH)
    yield 'multicast', ('MCMR',), ('multicast',), GROUP
    yield 'sm', ('SMIR',), ('sm',), MANAGER


def description(raw, row):
    """saquery prints bytes other than printable ASCII as spaces, so they are taken from the net."""
    text, row['node_description'] = row['node_description'], compare.cleaned(raw)
    if text.strip().encode() != compare.as_smpquery(raw):
        return ['saquery prints %r for a node that is %r in the net' % (text, raw)]
    return compare.known('description-spaces') if text != row['node_description'] else []


def differences(sim, names, query, result):
    """Differences between rdmactl and saquery, whose `result` this is, in a query."""
    attribute, words, ours, table = query
    expected, wrong = theirs(result, table)
    document = sim.document('sa_' + attribute, 'sa', *ours)
    if wrong or document.status:
        return wrong + (document.describe() if document.status else [])
    what = ' '.join(words)
    for row in expected if attribute == 'nodes' else []:
        wrong += description(names[row['lid']], row)
    wrong += unequal('records of ' + what, len(document.rows), len(expected))
    # The manager's activity between the two queries counts.
    for row, record in zip(document.rows, expected if attribute == 'sm' else []):
        count = record.pop('activity_count')
        if not 0 <= row.get('activity_count', -1) - count < 10000:
            wrong.append('activity count %r after %d' % (row.get('activity_count'), count))
    return wrong + compare.rows('sa ' + attribute, 'saquery',
                                {(what, i): row for i, row in enumerate(document.rows)},
                                {(what, i): row for i, row in enumerate(expected)})


def records(sim):
    """Every record of rdmactl compared with saquery's at the same moment."""
    wrong = []
    asked = list(queries(sim))
    names = {lid: scene_bed.description_of(sim.net.nodes[name])
             for (name, _), lid in sim.lids().items()}
    answers = sim.run_all([['saquery', *words] for _, words, _, _ in asked])
    for query, result in zip(asked, answers):
        # A delayed manager may have swept since, and reached a port by another path.
        if differences(sim, names, query, result):
            wrong += differences(sim, names, query, sim.run(['saquery', *query[1]]))
    return wrong


def one_line(result, status, *parts):
    """Errors unless a run ends with that status and a message with these parts."""
    said = result.complaint()
    return unequal('exit status', result.status, status) + [
        '%r is not in %r' % (part, said) for part in parts if part not in said]


def asked_for(sim):
    """Components, invalid values, missing records, counts."""
    lid = max(sim.lids().values())
    empty = sim.document('sa_nodes', 'sa', 'nodes', 'lid=%d' % (lid + 50))
    wrong = unequal('no such node', (empty.status, empty.rows), (0, []))
    count = sim.document('sa_count', 'sa', 'switches', 'lid=%d' % (lid + 50), '--count')
    wrong += unequal('count without matches', [row['count'] for row in count.rows], [0])
    count = sim.document('sa_count', 'sa', 'nodes', 'lid=%d' % lid, '--count')
    wrong += unequal('count of one', [(row['record'], row['count']) for row in count.rows],
                     [('nodes', 1)])
    paths = sim.document('sa_path', 'sa', 'path', '--to', str(lid))
    wrong += unequal('path from here', (paths.status, [row['dlid'] for row in paths.rows]),
                     (0, [lid]))
    other = min(lid for (name, _), lid in sim.lids().items() if not sim.net.nodes[name].is_switch)
    paths = sim.document('sa_path', 'sa', 'path', '--to', str(lid), 'slid=%d' % other,
                         'numb_path=1', 'mtu_bytes=512', 'mtu_selector=greater-than')
    wrong += unequal('path from the slid', (paths.status, [(row['slid'], row['dlid'])
                                                           for row in paths.rows]),
                     (0, [(other, lid)]))
    faster = sim.document('sa_path', 'sa', 'path', '--to', str(lid), 'rate_gbps=300')
    wrong += unequal('path of a higher rate', (faster.status, faster.rows), (0, []))
    for words, part in ((('nodes', 'lid'), "'lid' is not FIELD=VALUE"),
                        (('nodes', 'lid=x'), "'x' is not a value of lid"),
                        (('nodes', 'lid=70000'), "'70000' is out of range for lid"),
                        (('nodes', 'lidd=7'), "did you mean 'lid'?"),
                        (('nodes', 'lid=3', 'lid=2'), "'lid' is given twice"),
                        (('path', 'dlid=4', '--to', '5'), "'dlid' is given twice"),
                        (('path', 'numb_path=1', 'numb_path=2'), "'numb_path' is given twice"),
                        (('nodes', '--to', '5'), "'nodes' does not take --to"),
                        (('nodes', '--guid'),
                         '--guid needs a destination'),
                        (('path', '--lid', '--to', '0x10000'),
                         "'0x10000' is out of range: LIDs are 1 to 49151"),
                        (('path', '--to', '0,1'), "'0,1' is a directed route, which the subnet administrator cannot search by")):
        wrong += one_line(sim.rdmactl('sa', *words), 2, part)
    return wrong


def cut(sim):
    """All nodes: the simulator carries only the first datagram, and the truncation is reported."""
    document = sim.document('sa_nodes', 'sa', 'nodes')
    return unequal('exit status', document.status, 3) + unequal(
        'problems', [row['error'] for row in document.problems],
        ['the answer is truncated: there are more records'])


def destinations(sim):
    """GUIDs and GIDs on the command line are looked up; an unknown one is reported in one line."""
    rows = sim.document('sa_nodes', 'sa', 'nodes', 'lid=%d' % max(sim.lids().values())).rows
    guid = rows[0]['port_guid']
    wrong = []
    for name in (guid, '0x' + guid.replace(':', ''), 'fe80::' + guid):
        document = sim.document('smp_nodeinfo', 'smp', 'nodeinfo', name)
        wrong += unequal('node at ' + name, [row['port_guid'] for row in document.rows], [guid])
    wrong += one_line(sim.rdmactl('smp', 'nodeinfo', '0xdeadbeef'), 1,
                      'the subnet administrator knows no path to it')
    both = sim.document('smp_nodeinfo', 'smp', 'nodeinfo', '0xdeadbeef,' + guid)
    return wrong + unequal('status and rows with one of two unknown', (both.status, len(both.rows)), (3, 1))


def stopped(sim):
    """The manager stops: the query is retried, then reported in one line with exit status 1."""
    sim.pause_manager()
    result = sim.rdmactl('--timeout', '50ms', 'sa', 'nodes', 'lid=1')
    sim.resume_manager()
    wrong = one_line(result, 1, 'no answer, asked 4 times')
    again = sim.document('sa_nodes', 'sa', 'nodes', 'lid=%d' % max(sim.lids().values()))
    return wrong + unequal('it still runs', (again.status, len(again.rows)), (0, 1))


def paths_by_name(sim):
    """The path to a port by its GUID or GID equals the one by its LID; -G needs no 0x."""
    wrong = []
    for (name, port), lid in sorted(sim.lids().items()):
        if sim.net.nodes[name].is_switch:
            continue
        wanted = sim.document('sa_path', 'sa', 'path', '--to', str(lid)).rows
        guid = wanted[0]['dgid'].replace(':', '')[16:]
        for words in (('--to', '0x' + guid), ('-G', '--to', guid), ('--to', wanted[0]['dgid']),
                      ('--gid', '--to', wanted[0]['dgid'])):
            document = sim.document('sa_path', 'sa', 'path', *words)
            wrong += unequal('%s/%d %s' % (name, port, ' '.join(words)), (document.status, document.rows),
                             (0, wanted))
    document = sim.document('sa_path', 'sa', 'path', '-D', '--to', '0,1')
    return wrong + unequal('by a route: status', document.status, 2)


def play(tap, box):
    for name in NETS:
        with bed.Simulator(box, scene_bed.NETS[name]) as sim:
            sim.start_manager()
            tap.test('sa: %s: records match saquery' % name, records(sim))
            if name != NETS[-1]:
                continue
            tap.test('sa: fields, no record, counts, bad input', asked_for(sim))
            tap.test('sa: a table truncated by the simulator is reported', cut(sim))
            tap.test('sa: GUIDs and GIDs are looked up', destinations(sim))
            tap.test('sa: paths by LID, GUID and GID are the same', paths_by_name(sim))
            tap.test('sa: the manager stops', stopped(sim))
