# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl smp --set: what it changes, what it refuses, and that nothing changes unasked.

Of a port's settings ibsim stores state, hoq_life_code, vls_operational, lid, lmc and sm_lid; it says
that it has the others, too, and forgets them. A request by LID comes in by port 0, says ibsim.
"""

import bed
import scene_bed
from tap import unequal

NET = scene_bed.NETS['net.2sw2path4hca']


def far_port(sim):
    """The LID of a switch and a port of it that no request of ours comes in by."""
    route = '0,1'
    own = sim.net.ingress(sim.host, route)
    switch = sim.net.nodes[sim.host].links[1][0]
    lid = next(lid for (name, _), lid in sim.lids().items() if name == switch.name)
    return str(lid), str(next(port for port in switch.links if port != own)), str(own)


def state(sim, lid, port):
    rows = sim.document('smp_portinfo', 'smp', 'portinfo', lid, port).rows
    return [(row['state'], row['hoq_life_code'], row['lid']) for row in rows]


def refused(sim, words, status, part, place):
    """It says so, in one line, and the port is as it was."""
    before = state(sim, *place)
    result = sim.rdmactl('smp', 'portinfo', *words)
    wrong = unequal('exit status of %s' % ' '.join(words), result.status, status)
    wrong += [] if part in result.complaint() else ['%r is not in %r' % (part, result.complaint())]
    return wrong + unequal('the port after %s' % ' '.join(words), state(sim, *place), before)


def changes(sim):
    lid, port, _ = far_port(sim)
    document = sim.document('smp_portinfo', 'smp', 'portinfo', lid, port, '--yes', '--set',
                            'hoq_life_code=11,state=armed')
    wrong = unequal('answer', [(row['state'], row['hoq_life_code'], row['object_port'])
                               for row in document.rows], [('armed', 11, int(port))])
    wrong += unequal('exit status', document.status, 0)
    said = document.result.complaint()
    for line in ('hoq_life_code of %s port %s: 16 -> 11' % (lid, port),
                 'state of %s port %s: active -> armed' % (lid, port)):
        wrong += [] if line in said else ['%r is not in %r' % (line, said)]
    wrong += unequal('afterwards', [row[:2] for row in state(sim, lid, port)], [('armed', 11)])
    text = sim.run(['smpquery', 'portinfo', lid, port]).text()
    return wrong + unequal('as smpquery has it', [
        line.split('.')[-1] for line in text.splitlines()
        if line.startswith(('LinkState:', 'HoqLife:'))], ['Armed', '11'])


def unasked(sim):
    """Without --yes nobody is there to be asked."""
    lid, port, _ = far_port(sim)
    return refused(sim, (lid, port, '--set', 'hoq_life_code=12'), 2,
                   'nothing was changed: there is no terminal to confirm it on', (lid, port))


def way(sim):
    """The port that the request comes in by, and port 0 of an adapter, which is the same."""
    lid, _, own = far_port(sim)
    wrong = refused(sim, (lid, own, '--yes', '--set', 'state=down'), 1,
                    'the path to the node goes through this port', (lid, own))
    wrong += refused(sim, ('0,1', own, '--yes', '--set', 'state=down'), 1,
                     'the path to the node goes through this port', (lid, own))
    other = str(max(sim.lids().values()))
    wrong += refused(sim, (other, '--yes', '--set', 'physical_state=disabled'), 1,
                     '--force changes it anyway', (other, '0'))
    document = sim.document('smp_portinfo', 'smp', 'portinfo', lid, own, '--yes', '--force', '--set',
                            'hoq_life_code=13')
    return wrong + unequal('--force', [row['hoq_life_code'] for row in document.rows], [13])


def bad_input(sim):
    lid, port, _ = far_port(sim)
    wrong = []
    for words, part in (
            ((lid, port, '--yes', '--set', 'stat=down'), "did you mean 'state'?"),
            ((lid, port, '--yes', '--set', 'state=sideways'), "'sideways' is not a value of state"),
            ((lid, port, '--yes', '--set', 'vl_high_limit=256'), "'256' is out of range"),
            ((lid, port, '--yes', '--set', 'rate_gbps=5'), "unknown column 'rate_gbps'"),
            ((lid, port, '--yes', '--set', 'state'), '--set takes FIELD=VALUE'),
            ((lid, '1', '2', '--yes', '--set', 'state=down'), 'one port of one node'),
            ((lid, 'x', '--yes', '--set', 'state=down'), 'the port is not a number')):
        wrong += refused(sim, words, 2, part, (lid, port))
    return wrong


def raw(sim):
    """--raw: the bytes as smpdump has them."""
    lid, port, _ = far_port(sim)
    rows = sim.document('smp_raw', 'smp', 'portinfo', lid, port, '--raw').rows
    dump = sim.run(['smpdump', lid, '0x15', port]).text().split()
    return unequal('data', [row['data'] for row in rows], [''.join(dump)[:128]])


def play(tap, box):
    with bed.Simulator(box, NET) as sim:
        sim.start_manager()
        for name, function in (('changes, and tells what', changes),
                               ('nothing without being asked', unasked),
                               ('the way to the node is left alone', way),
                               ('bad input changes nothing', bad_input),
                               ('--raw as smpdump', raw)):
            tap.test('set: ' + name, function(sim))
