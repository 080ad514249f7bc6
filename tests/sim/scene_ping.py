# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl ping and sysstat: every node, losses, the clock, and ibping and ibsysstat on either side.

A server must be attached with SIM_SET_ISSM=1, or else the simulator answers instead of it. No
subnet manager may run: it would query SMInfo of the server, which has no agent for it, and such a
datagram crashes any client.
"""

import json
import re
import signal
import time

import bed
import program
import scene_bed
from tap import unequal

NETS = ('net', 'net.2sw2path4hca', 'net.2sw2path4hca2port', 'tree20', 'tree100')
TIMES = ('min_usec', 'p50_usec', 'p90_usec', 'p99_usec', 'max_usec')
ROUNDS = ('-c', '3', '-i', '1ms')


def whole(row, count):
    """Errors unless all requests of the row were answered, and its figures are plausible."""
    wrong = unequal(row['object'] + ' counts',
                    [row[key] for key in ('sent', 'received', 'loss_percent')], [count, count, 0])
    times = [row[key] for key in TIMES]
    if None in times or times != sorted(times) or times[0] <= 0 or \
            not times[0] <= row['mean_usec'] <= times[-1]:
        wrong.append('%s: round trips %r, mean %r' % (row['object'], times, row['mean_usec']))
    return wrong


def every_node(sim):
    """Pings every port by LID (PM class and SMPs), and every node by directed route (SMPs)."""
    lids = {str(lid): sim.net.nodes[name] for (name, _), lid in sim.lids().items()}
    routes = {route: sim.net.nodes[name] for name, route in sim.net.routes(sim.host).items()}
    wrong = []
    for places, words, method in ((lids, (), 'pma'), (lids, ('--smp',), 'smp'),
                                  (routes, ('-D',), 'smp')):
        document = sim.document('pings', 'ping', *ROUNDS, *words, '-',
                                text=''.join(place + '\n' for place in places))
        wrong += unequal('status', document.status, 0)
        wrong += unequal('answered', sorted(row['object'] for row in document.rows),
                         sorted(places))
        for row in document.rows:
            raw = scene_bed.description_of(places[row['object']])
            wrong += whole(row, 3) + unequal('method', row['method'], method)
            if raw.isascii() and raw.decode().isprintable():
                wrong += unequal(row['object'] + ' host', row['host'].strip(),
                                 raw.decode().strip())
    return wrong


def losses(tap, sim):
    lids = [str(lid) for lid in sorted(sim.lids().values())]
    here, gone = lids[0], '49000'
    document = sim.document('pings', 'ping', *ROUNDS, gone, here)
    rows = document.by('object')
    wrong = unequal('status', document.status, 4) + whole(rows[here], 3)
    wrong += unequal('lost', [rows[gone][key] for key in ('sent', 'received', 'loss_percent',
                                                         *TIMES)], [3, 0, 100] + 5 * [None])
    wrong += unequal('problems of', [problem['object'] for problem in document.problems], [gone])
    tap.test('ping: one of two does not answer: exit 4', wrong)

    log = sim.path('latsim.log')
    document = sim.document('pings', 'ping', '-c', '40', '-i', '1ms', '--timeout', '1s', here,
                            latsim={'DROP_PERCENT': 20, 'SEED': 3, 'RTT_USEC': 100, 'LOG': log})
    row, count = document.rows[0], scene_bed.counts_of(log)
    wrong = unequal('status', document.status, 4) + unequal('sent', row['sent'], 40)
    wrong += unequal('loss_percent', row['loss_percent'], 100 * (40 - row['received']) / 40)
    # The description of the node is queried, too, up to four times.
    if not 0 < 40 - row['received'] <= count['lost']:
        wrong.append('%d lost, and %d were dropped' % (40 - row['received'], count['lost']))
    tap.test('ping: a fifth of the datagrams is lost: counted, exit 4', wrong, [str(count)])

    document = sim.document('pings', 'ping', '-e', '-c', '20', '-i', '1ms', '--timeout', '50ms', here,
                            latsim={'DROP_PERCENT': 20, 'SEED': 5, 'RTT_USEC': 100})
    wrong = unequal('status', document.status, 4)
    wrong += unequal('sequence', [row['sequence'] for row in document.rows],
                     list(range(1, 21)))
    for row in document.rows:
        wrong += unequal('row', [row['sent'], row['received'] in (0, 1), row['p50_usec'] is None],
                         [1, True, not row['received']])
    tap.test('ping: --each: a row for each request', wrong)


def clock(sim):
    """A fabric that answers after 20 ms is reported as such, not as 2 or 200."""
    lid = str(min(sim.lids().values()))
    document = sim.document('pings', 'ping', '-c', '5', '-i', '1ms', lid,
                            latsim={'RTT_USEC': 20000})
    row = document.rows[0]
    wrong = whole(row, 5)
    if not 20000 <= row['min_usec'] < 60000:
        wrong.append('20 ms are %r usec' % row['min_usec'])
    return wrong


def no_limit(sim):
    """--timeout 0 is as without it: a server has 1 s, although round trips would give it 0.5 s."""
    lid = str(min(sim.lids().values()))
    document = sim.document('pings', 'ping', '-c', '1', '--timeout', '0', lid, latsim={'RTT_USEC': 600000})
    return whole(document.rows[0], 1)


def endless(sim):
    """-c 0 sends requests until a signal comes, which ends it cleanly."""
    words = ('ping', '-v', '-e', '--jsonl', '-c', '0', '-i', '1ms', str(min(sim.lids().values())))
    process = sim.client([program.RDMACTL, *words])
    first = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    rest = process.communicate(timeout=bed.SECONDS)[0]
    rows = [json.loads(line) for line in (first + rest).splitlines()]
    return unequal('status', process.returncode, 0) + \
        unequal('answered', [row.get('received') for row in rows], [1] * len(rows))


def flood(sim):
    lids = [str(lid) for lid in sorted(sim.lids().values())][:3]
    document = sim.document('pings', 'ping', '-f', '-c', '500', ','.join(lids))
    wrong = unequal('status', document.status, 0) + unequal('rows', len(document.rows), 3)
    for row in document.rows:
        wrong += whole(row, 500)
    return wrong


class Server:
    """A server on a separate node; `with` waits until it is attached and ends it."""

    def __init__(self, sim, host, argv):
        self.sim, self.host, self.argv = sim, host, argv
        self.result = None

    def __enter__(self):
        self.process = self.sim.client(self.argv, host=self.host, env={'SIM_SET_ISSM': '1'})
        bed.wait_until(self.argv[0], lambda: self.host in
                       [node for _, node in self.sim.slots().values()], self.process)
        # A request would crash a server without its agent, and not all report that they have it.
        time.sleep(3)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=bed.SECONDS)
        self.result = bed.Result(self.argv, self.process.returncode, out, err)
        self.sim.reap()


def privileges(server):
    """A server has neither capabilities nor a way to gain new privileges."""
    with open('/proc/%d/status' % server.process.pid, encoding='ascii') as file:
        status = dict(line.rstrip('\n').split(':\t', 1) for line in file if ':\t' in line)
    wrong = []
    for name in ('CapPrm', 'CapEff', 'CapInh', 'CapAmb'):
        wrong += unequal(name, int(status[name], 16), 0)
    return wrong + unequal('NoNewPrivs', status['NoNewPrivs'], '1')


def interop(tap, sim):
    host = next(node.name for node in sim.net.hcas() if node.name not in (sim.host, sim.manager))
    lid = str(sim.lids()[host, 1])
    own_lid = sim.lids()[sim.host, 1]

    def ping():
        document = sim.document('pings', 'ping', '--openib', *ROUNDS, lid)
        return unequal('status', document.status, 0) + whole(document.rows[0], 3) + \
            ([] if document.rows[0]['host'] else ['the host has no name'])

    tap.test('ping: --openib without a server: exit 4', unequal(
        'status', sim.rdmactl('ping', '--openib', *ROUNDS, lid).status, 4))
    with Server(sim, host, ['ibping', '-S']):
        tap.test('ping: --openib is answered by ibping -S', ping())
    with Server(sim, host, [program.RDMACTL, '-j', 'ping', '--serve', '-v']) as server:
        wrong = ping()
        other = sim.run(['ibping', '-c', '1', lid])
        found = re.search(r'^Pong from (\S+) \(Lid %s\)' % lid, other.text(), re.M)
        wrong += [] if found and other.status == 0 else other.describe() + [other.text()]
        confined = privileges(server)
    tap.test('ping: --serve answers to --openib and to ibping', wrong)
    tap.test('ping: --serve has given up its privileges', confined)
    program.check(server.result)
    document = program.parse('pings', ('ping',), server.result)
    wrong = unequal('status', document.status, 0)
    wrong += unequal('clients', [(row['lid'], row['sent'], row['received'])
                                 for row in document.rows], [(own_lid, 4, 4)])
    if 'answering %d\n' % own_lid not in server.result.complaint():
        wrong.append('no line: %s' % server.result.complaint())
    tap.test('ping: --serve reports its clients', wrong)


def sysstat(tap, sim):
    host = next(node.name for node in sim.net.hcas() if node.name not in (sim.host, sim.manager))
    lid = str(sim.lids()[host, 1])

    def ask(query):
        document = sim.document('sysstats', 'sysstat', lid, query)
        return document.rows, unequal('status of ' + query, document.status, 0)

    def theirs(query):
        return sim.run(['ibsysstat', lid, query]).text()

    # The simulator truncates anything longer than a datagram.
    processors = re.findall(r'^processor\s*: (\d+)$', open('/proc/cpuinfo').read(), re.M)[:2]
    for server in (['ibsysstat', '-S'], [program.RDMACTL, 'sysstat', '--serve']):
        with Server(sim, host, server):
            wrong = []
            rows, more = ask('ping')
            wrong += more + ([] if rows and rows[0]['round_trip_usec'] else ['no round trip'])
            rows, more = ask('host')
            wrong += more + unequal('host', rows and rows[0]['host'], theirs('host').strip())
            rows, more = ask('cpu')
            wrong += more + unequal('processors', [row['cpu'] for row in rows][:2],
                                    [int(number) for number in processors])
            wrong += unequal('model', [row['model'] or '?' for row in rows][:1],
                             re.findall(r'cpu 0: model +(.*?) MHZ', theirs('cpu')))
            wrong += unequal('ibsysstat ping', theirs('ping').strip(), 'sysstat ping succeeded')
        tap.test('sysstat: %s answers to both clients' % ' '.join(
            word.rpartition('/')[2] for word in server), wrong)
    result = sim.rdmactl('sysstat', lid, 'host', '--timeout', '100ms', '--retries', '0')
    tap.test('sysstat: without a server: exit 1 and the next step', unequal(
        'status', result.status, 1) + ([] if 'rdmactl sysstat --serve' in result.complaint()
                                       else result.describe()))


def play(tap, box):
    for name in NETS:
        with bed.Simulator(box, scene_bed.NETS[name]) as sim:
            sim.start_manager()
            tap.test('ping: %s: every node answers' % name, every_node(sim))
            if name != NETS[1]:
                continue
            losses(tap, sim)
            tap.test('ping: the clock is right', clock(sim))
            tap.test('ping: --timeout 0 waits as without it', no_limit(sim))
            tap.test('ping: -c 0 until a signal', endless(sim))
            tap.test('ping: --flood', flood(sim))
            sim.stop_manager()
            interop(tap, sim)
            sysstat(tap, sim)
