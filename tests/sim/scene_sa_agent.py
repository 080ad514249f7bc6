# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl sa trace and multipath: with opensm, as far as it answers, and with the
subnet administrator of sa_agent.py, whose records follow the net and the simulator's own routes."""

import re
import time

import bed
import compare
import fabric
import sa_agent
import scene_bed
import scene_sa
import tools
from sa_agent import Answer
from tap import unequal

NET = scene_bed.NETS['net.2sw2path4hca2port']
PREFIX = 0xfe80000000000000
GENERATION = 7
CHASSIS = 0x1234567890abcdef
CA, SWITCH = 1, 2
QUICKLY = ('--timeout', '60ms', '--retries', '1')
MANY = 16  # paths of a pair, as with an LMC of 4
# Components of PathRecord and MultiPathRecord: IB_PR_COMPMASK_* and IB_MPR_COMPMASK_*
PR_DGID, PR_SGID, PR_DLID, PR_SLID, PR_PATHS = (1 << bit for bit in (2, 3, 4, 5, 12))
MPR_PATHS, MPR_SGIDS, MPR_DGIDS = (1 << bit for bit in (6, 19, 20))


def port_guids(sim):
    """{(node name, port): port GUID} from the simulator's own list, for ports with a LID."""
    found, node = {}, None
    for line in sim.console('Dump').splitlines():
        head = re.search(r'(?:Ca|Switch|Router) \d+ "([^"]*)"', line)
        port = re.match(r'([0-9a-f]+)\s+\[(\d+)\].* lid (\d+) lmc', line)
        node = head[1] if head else node
        if port and int(port[3]):
            found[node, int(port[2])] = int(port[1], 16)
    return found


def gid_bytes(guid):
    return PREFIX.to_bytes(8, 'big') + guid.to_bytes(8, 'big')


def hexadecimal(number):
    return '0x%016x' % number


class Subnet:
    """The subnet as the agent knows it, from the simulator."""

    def __init__(self, sim):
        self.sim = sim
        self.lids = sim.lids()
        self.guids = port_guids(sim)
        self.lid_of = {gid_bytes(guid): self.lids[place] for place, guid in self.guids.items()}
        self.gid_of = {lid: gid for gid, lid in self.lid_of.items()}
        self.ends = sorted(lid for (name, _), lid in self.lids.items()
                           if not sim.net.nodes[name].is_switch)

    def hops(self, slid, dlid):
        """[(node type, node, entry port, exit port)]; port 0 outside of either end: 15.2.5.19."""
        text = self.sim.route(slid, dlid)
        first = re.search(r'From node "([^"]*)" port (\d+)', text)
        steps = [(int(port), name, int(entry)) for port, name, entry in
                 re.findall(r'^\[(\d+)\] -> "([^"]*)"\[(\d+)\]', text, re.M)]
        names = [first[1]] + [name for _, name, _ in steps]
        entries = [0] + [entry for _, _, entry in steps]
        exits = [port for port, _, _ in steps] + [0]
        types = [SWITCH if self.sim.net.nodes[name].is_switch else CA for name in names]
        return list(zip(types, names, entries, exits))

    def traced(self, slid, dlid):
        """The values of the records. The administrator may choose the identifiers."""
        return [(PREFIX, GENERATION, kind, 0x1000 + number, CHASSIS if kind == SWITCH else 0,
                 0x100 * number + entry, 0x100 * number + leave, entry, leave)
                for number, (kind, _, entry, leave) in enumerate(self.hops(slid, dlid))]

    def trace(self, request):
        sgid, dgid, slid, dlid = sa_agent.path_query(request)
        slid, dlid = slid or self.lid_of.get(sgid), dlid or self.lid_of.get(dgid)
        if slid is None or (dlid is None and dgid is None):
            return Answer(sa_agent.TRACE_RECORD, status=sa_agent.INSUFFICIENT)
        if dlid not in self.gid_of:
            return Answer(sa_agent.TRACE_RECORD, status=sa_agent.NO_RECORDS)
        records = [sa_agent.TRACE.pack(*row[:2], 0, *row[2:]) for row in self.traced(slid, dlid)]
        return Answer(sa_agent.TRACE_RECORD, records)

    def paths(self, request, many=1):
        sources, destinations = sa_agent.multi_path_query(request)
        if any(gid not in self.lid_of for gid in sources + destinations):
            return Answer(sa_agent.PATH_RECORD, status=sa_agent.INVALID_GID)
        return Answer(sa_agent.PATH_RECORD, [
            sa_agent.path_record(one, other, self.lid_of[one] + extra, self.lid_of[other] + extra)
            for one in sources for other in destinations for extra in range(many)])

    def guid_text(self, lid):
        return tools.guid(self.gid_of[lid][8:].hex())


def expected_trace(subnet, slid, dlid):
    return [{'gid_prefix': hexadecimal(prefix), 'id_generation': generation,
             'node_type': {CA: 'ca', SWITCH: 'switch'}[kind], 'node_id': hexadecimal(node),
             'chassis_id': hexadecimal(chassis), 'entry_port_id': hexadecimal(entry_id),
             'exit_port_id': hexadecimal(exit_id), 'entry_port': entry, 'exit_port': leave}
            for prefix, generation, kind, node, chassis, entry_id, exit_id, entry, leave in
            subnet.traced(slid, dlid)]


def expected_path(subnet, slid, dlid, extra=0):
    return (slid + extra, dlid + extra, tools.gid(_colons(subnet.gid_of[slid])),
            tools.gid(_colons(subnet.gid_of[dlid])), '0xffff', 0, 2048, 10, True)


def _colons(gid):
    return ':'.join(gid[at:at + 2].hex() for at in range(0, 16, 2))


def path_row(row):
    return tuple(row[key] for key in ('slid', 'dlid', 'sgid', 'dgid', 'pkey', 'sl', 'mtu_bytes',
                                      'rate_gbps', 'reversible'))


def complaint(result, status, *parts):
    said = result.complaint()
    return unequal('status of %s' % ' '.join(result.argv[1:]), result.status, status) + [
        '%r is not in %r' % (part, said) for part in parts if part not in said]


# opensm

def many_paths(sim, names, sources, destinations):
    return sim.document('sa_path', 'sa', 'multipath', '--from', ','.join(map(names.get, sources)),
                        '--to', ','.join(map(names.get, destinations)))


def of_opensm(sim):
    """Its answers to multipath equal those to a path query for each pair, ours and saquery's. The
    simulator carries 224 bytes of an answer, which has room for two records."""
    subnet, wrong = Subnet(sim), []
    names = {lid: subnet.guid_text(lid) for lid in subnet.ends}
    ends = subnet.ends
    for sources, destinations in ((ends[:1], ends[1:3]), (ends[1:3], ends[:1]), (ends[2:3], ends[3:])):
        document = many_paths(sim, names, sources, destinations)
        pairs = [(one, other) for one in sources for other in destinations]
        single = [row for one, other in pairs
                  for row in sim.document('sa_path', 'sa', 'path', '--from', names[one],
                                          '--to', names[other]).rows]
        wrong += document.describe() if document.status else []
        wrong += unequal('multipath', document.rows, single)
        for (one, other), row in zip(pairs, document.rows):
            answer = sim.run(['saquery', '--sgid-to-dgid', '%s-%s' % (row['sgid'], row['dgid'])])
            theirs, bad = scene_sa.theirs(answer, scene_sa.PATH)
            wrong += bad + compare.rows('sa multipath', 'saquery', {(one, other): row},
                                        {(one, other): their for their in theirs})
    cut = many_paths(sim, names, ends[:2], ends[2:])
    wrong += unequal('four pairs', (cut.status, cut.problems[0]['error'] if cut.problems else ''),
                     (3, 'the answer is truncated: there are more records'))
    return wrong


def refused_by_opensm(sim):
    wrong = complaint(sim.rdmactl('sa', 'multipath', '--to', '0xdeadbeef'), 1,
                      'refused with status 0x0500: req-invalid-gid', 'rdmactl sa nodes -o')
    # A bare datagram without any port
    sent = sim.document('mads', 'mad', 'send', str(sim.lids()[sim.manager, 1]), '--class', 'sa',
                        '--method', 'get-multi', '--attribute', 'multipathrecord')
    wrong += unequal('mad send', [(row['status'], row['attribute']) for row in sent.rows],
                     [('req-insufficient-components', 'PathRecord')])
    return wrong + complaint(sim.rdmactl('sa', 'trace', '--to', '1', *QUICKLY), 1,
                             'cannot read TraceRecord: no answer, asked 2 times',
                             'rdmactl fabric route traces a path without them')


# The agent

class Bed:
    """A net, its subnet, and the agent, whose answers a test may change."""

    def __init__(self, sim, agent, subnet):
        self.sim, self.agent, self.subnet = sim, agent, subnet

    def document(self, schema, *words):
        del self.agent.requests[:]
        return self.sim.document(schema, 'sa', *words, agent=self.agent)

    def rdmactl(self, *words):
        del self.agent.requests[:]
        return self.sim.rdmactl('sa', *words, agent=self.agent)


def traces(at):
    """Each pair of ends, by LID, compared with fabric route; several segments."""
    wrong, subnet = [], at.subnet
    for slid in subnet.ends:
        for dlid in (lid for lid in subnet.ends if lid != slid):
            expected = expected_trace(subnet, slid, dlid)
            document = at.document('sa_trace', 'trace', '--from', str(slid), '--to', str(dlid))
            wrong += unequal('%d to %d' % (slid, dlid), (document.status, document.rows), (0, expected))
            request = at.agent.requests[-1]
            wrong += unequal('query', (request.method, request.attribute, request.mask,
                                       sa_agent.path_query(request)),
                             (0x13, 0x39, PR_SLID | PR_DLID | PR_PATHS, (None, None, slid, dlid)))
            route = at.sim.document('fabric_route', 'fabric', 'route', str(slid), str(dlid)).rows
            wrong += unequal('fabric route', list(zip([row['exit_port'] for row in document.rows],
                                                      [row['entry_port'] for row in document.rows[1:]])),
                             [(row['out_port'], row['in_port']) for row in route
                              if row['direction'] == 'there'])
    if max(len(expected_trace(subnet, subnet.ends[0], lid)) for lid in subnet.ends[1:]) * 48 < 3 * 200:
        wrong.append('no answer had several segments')
    return wrong


def trace_names(at):
    """Ends by GUID, GID and name; this port if no source is given."""
    subnet, wrong = at.subnet, []
    here = subnet.lids[at.sim.host, 1]
    other = next(lid for lid in subnet.ends if lid != here)
    guid, gid = subnet.guid_text(other), tools.gid(_colons(subnet.gid_of[other]))
    node = next(at.sim.net.nodes[name] for (name, _), lid in subnet.lids.items() if lid == other)
    names = at.sim.path('names')
    with open(names, 'w') as file:  # the simulator cannot carry the records of all nodes
        file.write('0x%016x "the far end"\n' % node.guid)
    for text in (guid, gid, 'the far end', str(other)):
        document = at.document('sa_trace', 'trace', '--to', text, '--names', names)
        wrong += unequal('to ' + text, document.rows, expected_trace(subnet, here, other))
        wrong += document.describe() if document.status else []
        masks = [request.mask & (PR_SGID | PR_SLID) for request in at.agent.requests]
        wrong += unequal('source of ' + text, masks, [PR_SGID])
    document = at.document('sa_trace', 'trace', '--from', guid, 'dlid=%d' % here)
    return wrong + unequal('from ' + guid, document.rows, expected_trace(subnet, other, here))


def texts(at):
    """Table, TSV, count."""
    subnet, one, other = at.subnet, at.subnet.ends[0], at.subnet.ends[-1]
    words = ('trace', '--from', str(one), '--to', str(other))
    rows = expected_trace(subnet, one, other)
    cells = [[row[key] for key in ('node_type', 'node_id', 'entry_port', 'exit_port')] for row in rows]
    table = [line.split() for line in at.rdmactl(*words).text().splitlines()]
    wrong = unequal('headings', table[0], ['TYPE', 'NODE', 'ID', 'IN', 'OUT'])
    wrong += unequal('table', table[1:], [[str(cell) for cell in row] for row in cells])
    tsv = at.rdmactl(*words, '--tsv', '--no-headings').text()
    wrong += unequal('TSV', tsv, ''.join('\t'.join(map(str, row)) + '\n' for row in cells))
    document = at.document('sa_count', *words, '--count')
    return wrong + unequal('count', document.rows, [
        {'record': 'trace', 'count': len(rows), 'complete': True}])


def lost_segments(at):
    """A segment that is lost is sent again; the result is the same."""
    subnet, one, other = at.subnet, at.subnet.ends[0], at.subnet.ends[-1]
    expected, wrong = expected_trace(subnet, one, other), []
    for lost in ((1,), (2,), (len(expected) * 48 // 200 + 1,), (1, 2, 3)):
        def decide(request, lost=lost):
            answer = subnet.trace(request)
            answer.lost = set(lost)
            return answer

        at.agent.decide, before = decide, at.agent.resent
        document = at.document('sa_trace', 'trace', '--from', str(one), '--to', str(other),
                               '--timeout', '10s')
        wrong += unequal('segments %s lost' % (lost,), document.rows, expected)
        wrong += [] if at.agent.resent > before else ['no segment was sent again']
        wrong += unequal('requests', len(at.agent.requests), 1)
    return wrong


def refusals(at):
    """Refusals of the administrator, and no answer at all."""
    trace = ('trace', '--to', str(at.subnet.ends[0]))
    multi = ('multipath', '--to', at.subnet.guid_text(at.subnet.ends[0]))
    no_traces = 'rdmactl fabric route traces a path without them'
    status = {'trace': sa_agent.TRACE_RECORD, 'multipath': sa_agent.PATH_RECORD}
    silent, wrong = 'no answer, asked 2 times', []
    for words, options, parts in (
            (trace, {'status': sa_agent.INSUFFICIENT},
             ('refused with status 0x0600: req-insufficient-components', '--from and --to name both ends')),
            (trace, {'status': sa_agent.UNSUPPORTED}, ('0x000c: attribute-not-supported', no_traces)),
            (trace, {'status': sa_agent.UNSUPPORTED, 'method': sa_agent.GET_TRACE_TABLE | 0x80},
             ('0x000c: attribute-not-supported', no_traces)),
            (multi, {'status': sa_agent.UNSUPPORTED},
             ('0x000c: attribute-not-supported', 'rdmactl sa path queries one pair')),
            (multi, {'status': sa_agent.INVALID_GID}, ('0x0500: req-invalid-gid', 'rdmactl sa nodes -o')),
            (trace, {'silent': True}, (silent, no_traces)),
            (multi, {'silent': True}, (silent, 'rdmactl sa classportinfo')),
            (trace, {'abort': True, 'records': [bytes(46)] * 20}, (silent, no_traces))):
        at.agent.decide = lambda _: Answer(status[words[0]], **options)
        quickly, requests = (QUICKLY, 2) if silent in parts else ((), 1)
        wrong += complaint(at.rdmactl(*words, *quickly), 1, *parts)
        # The last request may still be on its way to an agent that does not answer.
        limit = time.monotonic() + bed.SECONDS
        while len(at.agent.requests) < requests and time.monotonic() < limit:
            time.sleep(0.02)
        wrong += unequal('requests', len(at.agent.requests), requests)
    # An administrator that does not know the attribute returns it unchanged.
    at.agent.decide = lambda _: Answer(sa_agent.MULTI_PATH_RECORD, status=sa_agent.UNSUPPORTED)
    wrong += complaint(at.rdmactl(*multi), 1, '0x000c: attribute-not-supported')
    for words, schema in ((trace, 'sa_trace'), (multi, 'sa_path')):
        for answer in ({'status': sa_agent.NO_RECORDS}, {}):
            at.agent.decide = lambda _: Answer(status[words[0]], **answer)
            document = at.document(schema, *words)
            wrong += unequal('none %s' % words[0], (document.status, document.rows), (0, []))
            document = at.document('sa_count', *words, '--count')
            wrong += unequal('count without matches', [row['count'] for row in document.rows], [0])
    return wrong


def insufficient(at):
    """A trace without a destination: the agent itself refuses it."""
    return complaint(at.rdmactl('trace'), 1, 'req-insufficient-components')


def multipaths(at):
    """All pairs of as many ports as fit into a request, in more segments than a window allows."""
    subnet, ends = at.subnet, at.subnet.ends
    sources, destinations = ends[:5], ends[5:11]
    at.agent.decide = lambda request: subnet.paths(request, MANY)
    words = ('multipath', '--from', ','.join(map(subnet.guid_text, sources)), '--to',
             ','.join(tools.gid(_colons(subnet.gid_of[lid])) for lid in destinations))
    document = at.document('sa_path', *words)
    wrong = document.describe() if document.status else []
    wrong += unequal('paths', [path_row(row) for row in document.rows],
                     [expected_path(subnet, one, other, extra) for one in sources
                      for other in destinations for extra in range(MANY)])
    request = at.agent.requests[-1]
    wrong += unequal('query', (request.method, request.attribute, request.mask),
                     (0x14, 0x3a, MPR_PATHS | MPR_SGIDS | MPR_DGIDS))
    wrong += unequal('GIDs', sa_agent.multi_path_query(request),
                     ([subnet.gid_of[lid] for lid in sources],
                      [subnet.gid_of[lid] for lid in destinations]))
    wrong += complaint(at.rdmactl(*words[:-1], words[-1] + ',' + words[-1].split(',')[0]), 2,
                       'a request has room for 11 ports', 'query several times')
    wrong += unequal('requests', len(at.agent.requests), 0)
    count = at.document('sa_count', *words, '--count')
    return wrong + unequal('count', [row['count'] for row in count.rows], [5 * 6 * MANY])


def multipath_words(at):
    """This port as the source, limits as fields, one path, a key."""
    subnet, here = at.subnet, at.subnet.lids[at.sim.host, 1]
    at.agent.decide = subnet.paths
    other = next(lid for lid in subnet.ends if lid != here)
    wrong = complaint(at.rdmactl('multipath', '--to', '5,0x1234'), 2,
                      "'5' is not a port GUID, a GID or the name of a node",
                      'rdmactl sa nodes -o +port_guid')
    names, node = at.sim.path('names'), next(
        at.sim.net.nodes[name] for (name, _), lid in subnet.lids.items() if lid == other)
    with open(names, 'w') as file:
        file.write('0x%016x "the far end"\n' % node.guid)
    document = at.document('sa_path', 'multipath', '--to', 'the far end/1,%s' % subnet.guid_text(other),
                           '--names', names)
    wrong += unequal('by name', [path_row(row) for row in document.rows],
                     2 * [expected_path(subnet, here, other)])
    document = at.document('sa_path', 'multipath', '--to', subnet.guid_text(other), 'sl=3',
                           'pkey=0x8001', 'rate_gbps=100', 'numb_path=1', '--mkey', '0x77')
    wrong += unequal('path', [path_row(row) for row in document.rows],
                     [expected_path(subnet, here, other)])
    request = at.agent.requests[-1]
    _, _, paths, pkey, sl, mtu, rate, *_ = sa_agent.MULTI_PATH.unpack(request.data[:24])
    wrong += unequal('fields of the request', (paths, pkey, sl & 15, mtu, rate, request.sm_key),
                     (1, 0x8001, 3, 0, 2 << 6 | 16, 0x77))
    return wrong + unequal('components', request.mask & ~(MPR_PATHS | MPR_SGIDS | MPR_DGIDS),
                           1 << 7 | 1 << 9 | 1 << 12 | 1 << 13)


def agent_tests(tap, sim, *tests):
    subnet = Subnet(sim)
    with sa_agent.Agent(sim.path('agent'), subnet.trace) as agent:
        for name, function in tests:
            agent.decide = subnet.trace
            tap.test('sa agent: ' + name, function(Bed(sim, agent, subnet)) + agent.errors)
            del agent.errors[:]


def play(tap, box):
    with bed.Simulator(box, NET) as sim:
        sim.start_manager()
        tap.test('sa agent: opensm, several ports at once', of_opensm(sim))
        tap.test('sa agent: opensm, refused and unanswered', refused_by_opensm(sim))
    with bed.Simulator(box, fabric.chain(12)) as sim:
        sim.start_manager()
        agent_tests(tap, sim, ('traces', traces), ('ends of a trace', trace_names), ('texts', texts),
                    ('lost segments', lost_segments), ('no destination', insufficient),
                    ('refusals', refusals), ('fields of a query', multipath_words))
    with bed.Simulator(box, scene_bed.NETS['tree20']) as sim:
        sim.start_manager()
        agent_tests(tap, sim, ('paths of many ports', multipaths))
