# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl smp --set: changes, refusals, and that nothing changes without confirmation.

Of a port's settings, ibsim stores state, hoq_life_code, vls_operational, lid, lmc and sm_lid; it
accepts the others, too, but forgets them. It reports that a request by LID arrives on port 0.
"""

import os
import pty
import signal
import subprocess

import bed
import program
import scene_bed
from tap import unequal

NET = scene_bed.NETS['net.2sw2path4hca']


def far_port(sim):
    """LID of a switch, a port of it on which none of our requests arrive, and the one they use."""
    route = '0,1'
    own = sim.net.ingress(sim.host, route)
    switch = sim.net.nodes[sim.host].links[1][0]
    lid = next(lid for (name, _), lid in sim.lids().items() if name == switch.name)
    return str(lid), str(next(port for port in switch.links if port != own)), str(own)


def state(sim, lid, port):
    rows = sim.document('smp_portinfo', 'smp', 'portinfo', lid, port).rows
    return [(row['state'], row['hoq_life_code'], row['lid']) for row in rows]


def refused(sim, words, status, part, place):
    """The refusal is reported, and the port is unchanged."""
    before = state(sim, *place)
    result = sim.rdmactl('smp', 'portinfo', *words)
    wrong = unequal('exit status of %s' % ' '.join(words), result.status, status)
    wrong += [] if part in result.complaint() else ['%r is not in %r' % (part, result.complaint())]
    return wrong + unequal('the port after %s' % ' '.join(words), state(sim, *place), before)


def changes(sim):
    lid, port, _ = far_port(sim)
    document = sim.document('smp_portinfo', 'smp', 'portinfo', lid, port, '--yes', '--set',
                            'hoq_life_code=11,state=armed')
    wrong = unequal('answer', [(row['state'], row['hoq_life_code'], row['object_port'],
                                row['object_lid']) for row in document.rows],
                    [('armed', 11, int(port), int(lid))])
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
    """Without --yes and a terminal, nothing is changed."""
    lid, port, _ = far_port(sim)
    wrong = refused(sim, (lid, port, '--set', 'mkey=0x1234'), 2,
                    'mkey of %s port %s: *** -> ***' % (lid, port), (lid, port))
    return wrong + refused(sim, (lid, port, '--set', 'hoq_life_code=12'), 2,
                           'nothing was changed: there is no terminal to confirm it on', (lid, port))


def interrupted(sim):
    """A signal at the prompt ends the program: an answer after it is not read."""
    lid, port, _ = far_port(sim)
    before, wrong = state(sim, lid, port), []
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        ours, theirs = pty.openpty()
        process = sim.bed.start(
            [program.RDMACTL, 'smp', 'portinfo', lid, port, '--set', 'hoq_life_code=12'],
            stdin=theirs, stdout=subprocess.DEVNULL, stderr=theirs, cwd=sim.path('cwd'),
            env=sim.environment())
        os.close(theirs)
        shown = b''
        while b'[y/N] ' not in shown:
            shown += os.read(ours, 4096)
        process.send_signal(number)
        os.write(ours, b'y\n')
        wrong += unequal('ended by', process.wait(bed.SECONDS), -number)
        os.close(ours)
        sim.reap()
        wrong += unequal('the port after signal %d' % number, state(sim, lid, port), before)
    return wrong


def interrupted_before(sim):
    """A signal before the Set: nothing is written, although --yes stands for an answer. It may also
    end the reading before it, if the answers are slow."""
    lid, port, _ = far_port(sim)
    before, wrong = state(sim, lid, port), []
    for words, said in ((('smp', 'portinfo', lid, port, '--set', 'hoq_life_code=12'), 'changed'),
                        (('cc', 'ca', lid, '1', '--set', 'ccti_timer=3'), 'changed'),
                        (('mad', 'send', lid, '--class', 'smp', '--method', 'set', '--attribute', 'portinfo',
                          '--modifier', port), 'sent'),
                        (('smp', 'sminfo', str(sim.lids()[sim.manager, 1]), '--command', 'discover'), 'sent')):
        for latsim in (None, {'RTT_USEC': 150000}):
            ended = sim.interrupted(*words, '--yes', latsim=latsim)
            wrong += unequal(words[0], (ended.status, ended.out), (1, b''))
            complaint = ended.complaint()
            if 'interrupted: nothing was ' + said not in complaint and not complaint.endswith(': interrupted\n'):
                wrong.append(complaint)
    return wrong + unequal('the port afterwards', state(sim, lid, port), before)


def way(sim):
    """The port on which the request arrives, and port 0 of an adapter, which is the same."""
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


def new_lid(sim):
    """The row names the node, although it no longer answers at its old LID."""
    lids, routes = sim.lids(), sim.net.routes(sim.host)
    (name, port), lid = max(lids.items(), key=lambda item: item[1])
    before = sim.document('smp_nodeinfo', 'smp', 'nodeinfo', str(lid)).rows
    document = sim.document('smp_portinfo', 'smp', 'portinfo', str(lid), '--yes', '--force', '--set',
                            'lid=%d' % (lid + 1))
    wrong = unequal('row', [(row['node'], row['object_lid'], row['object_port'], row['lid'])
                            for row in document.rows], [(before[0]['node'], lid, port, lid + 1)])
    wrong += unequal('exit status', document.status, 0)
    again = sim.document('smp_portinfo', 'smp', 'portinfo', '-D', routes[name], '--yes',
                         '--force', '--set', 'lid=%d' % lid)
    return wrong + unequal('back', [row['lid'] for row in again.rows], [lid])


def bad_input(sim):
    lid, port, _ = far_port(sim)
    wrong = []
    for words, part in (
            ((lid, port, '--yes', '--set', 'stat=down'), "did you mean 'state'?"),
            ((lid, port, '--yes', '--set', 'state=sideways'), "'sideways' is not a value of state"),
            ((lid, port, '--yes', '--set', 'vl_high_limit=256'), "'256' is out of range"),
            ((lid, port, '--yes', '--set', 'rate_gbps=5'), 'rate_gbps is read-only'),
            ((lid, port, '--yes', '--set', 'mtu_cap_bytes=4096'), 'mtu_cap_bytes is read-only'),
            ((lid, port, '--yes', '--set', 'speed_ext_enabled=edr'), 'this port does not have speed_ext_enabled'),
            ((lid, port, '--yes', '--set', 'state'), '--set takes FIELD=VALUE'),
            ((lid, '1', '2', '--yes', '--set', 'state=down'), 'one port of one node'),
            ((lid, 'x', '--yes', '--set', 'state=down'), 'the port is not a number')):
        wrong += refused(sim, words, 2, part, (lid, port))
    return wrong


def what_has_no_fields_to_set(sim):
    """Tables, and the subnet manager, whose Set is a command; the row names the node."""
    lid, port, _ = far_port(sim)
    wrong = []
    for words, part in (
            (('pkeys', lid, port, '--yes', '--set', 'pkey=0x8001'), "'pkeys' does not take --yes"),
            (('sl2vl', lid, port, '--yes', '--set', 'sl0_vl=1'), 'sl2vl is a table'),
            (('sminfo', '--yes', '--set', 'priority=15'), '--set cannot change a subnet manager'),
            (('nodeinfo', lid, '--yes', '--set', 'node_guid=0x1'), 'node_guid is read-only')):
        result = sim.rdmactl('smp', *words)
        wrong += unequal(' '.join(words), result.status, 2)
        wrong += [] if part in result.complaint() else ['%r is not in %r' % (part, result.complaint())]
    document = sim.document('smp_portinfo', 'smp', 'portinfo', lid, port, '--yes', '--set', 'hoq_life_code=9')
    plain = sim.document('smp_portinfo', 'smp', 'portinfo', lid, port).rows
    return wrong + unequal('node', [(row['node'], row['object_lid']) for row in document.rows],
                           [(row['node'], row['object_lid']) for row in plain])


def raw(sim):
    """--raw: the bytes match smpdump."""
    lid, port, _ = far_port(sim)
    rows = sim.document('smp_raw', 'smp', 'portinfo', lid, port, '--raw').rows
    dump = sim.run(['smpdump', lid, '0x15', port]).text().split()
    return unequal('data', [row['data'] for row in rows], [''.join(dump)[:128]])


def change(sim, *words):
    """The rows of `ports set` as (state, before, after), its exit status, and the document."""
    document = sim.document('change', 'ports', 'set', *words)
    rows = [(row['state'], row['before'], row['after']) for row in document.rows]
    return rows, document.status, document


def ports_set(sim):
    """States of `ports set` for a remote port match smpquery; setting one again changes nothing."""
    lid, port, _ = far_port(sim)
    place = '%s/%s' % (lid, port)
    sim.run(['ibportstate', lid, port, 'active'])
    rows, status, document = change(sim, place, 'state', 'arm', '--yes')
    wrong = unequal('arm', (rows, status), ([('changed', 'active', 'arm')], 0))
    wrong += unequal('object', document.rows[0]['object'], place)
    text = sim.run(['smpquery', 'portinfo', lid, port]).text()
    wrong += [] if 'LinkState:.......................Armed' in text else [text]
    wrong += unequal('again', change(sim, place, 'state', 'arm')[:2], ([('unchanged', 'arm', 'arm')], 0))
    wrong += unequal('enable', change(sim, place, 'state', 'enable')[:2], ([('unchanged', 'up', 'up')], 0))
    wrong += unequal('active', change(sim, place, 'state', 'active', '--yes')[:2],
                     ([('changed', 'arm', 'active')], 0))
    return wrong


def reason_of(document):
    return ' '.join([row['reason'] or '' for row in document.rows] + document.result.complaint().splitlines())


def ports_set_link(sim):
    """Width, disable and enable, two settings at once, compared with smpquery."""
    lid, port, _ = far_port(sim)
    place = '%s/%s' % (lid, port)
    rows, status, document = change(sim, place, 'width', '1x', 'state', 'disable', '--yes')
    wrong = unequal('disable', (rows, status),
                    ([('changed', '4x', '1x'), ('changed', 'active', 'down')], 0))
    wrong += unequal('undo', [row['undo'] for row in document.rows],
                     ['rdmactl ports set %s width 4x' % place, 'rdmactl ports set %s state up' % place])
    text = sim.run(['smpquery', 'portinfo', lid, port]).text()
    for line in ('LinkWidthEnabled:................1X', 'PhysLinkState:...................Disabled'):
        wrong += [] if line in text else [text]
    wrong += unequal('enable', change(sim, place, 'state', 'enable', 'width', '4x', '--yes')[:2],
                     ([('changed', 'down', 'up'), ('changed', '1x', '4x')], 0))
    rows, status, _ = change(sim, place, 'state', 'reset', '--yes')
    return wrong + unequal('reset', ([row[0::2] for row in rows], status), ([('changed', 'reset')], 0))


def ports_set_refused(sim):
    """The path to the node, the host's own port, no terminal, and bad ports and values."""
    lid, port, own = far_port(sim)
    wrong = []
    for place in ('%s/%s' % (lid, own), '0,1/' + own):
        rows, status, document = change(sim, place, 'state', 'down', '--yes')
        wrong += unequal(place, ([row[0] for row in rows], status), (['refused'], 1))
        wrong += [] if 'the path to the node' in reason_of(document) else [reason_of(document)]
    device = sim.document('ports', 'ports').rows[0]['device']
    rows, status, document = change(sim, device + '/1', 'state', 'disable', '--yes')
    wrong += unequal('the local port', ([row[0] for row in rows], status), (['refused'], 1))
    wrong += [] if 'the path to the node' in reason_of(document) else [reason_of(document)]
    dry = change(sim, '%s/%s' % (lid, port), 'state', 'down', '--dry-run')
    wrong += unequal('--dry-run', ([row[0] for row in dry[0]], dry[1]), (['planned'], 0))
    for words, part in (
            (('%s/%s' % (lid, port), 'state', 'down'), 'there is no terminal'),
            ((lid, 'state', 'down'), 'is not a port'),
            (('%s/x' % lid, 'state', 'down'), 'is not a port'),
            (('%s/%s' % (lid, port), 'state', 'sideways'), "'sideways' is not a state"),
            (('%s/%s' % (lid, port), 'width', '3x'), "'3x' is not a value of width"),
            (('%s/%s' % (lid, port), 'state', 'down', 'state', 'up'), "'state' is set twice"),
            (('%s/%s' % (lid, port), 'speed', '5'), "'5' is not a value of speed"),
            (('%s/%s' % (lid, port), 'speed-ext', 'qdr'), "'qdr' is not a value of speed-ext"),
            (('%s/%s' % (lid, port), 'stat', 'down'), "did you mean 'state'?")):
        result = sim.rdmactl('ports', 'set', *words)
        wrong += unequal(' '.join(words), result.status, 2)
        wrong += [] if part in result.complaint() else ['%r is not in %r' % (part, result.complaint())]
    return wrong


def play(tap, box):
    with bed.Simulator(box, NET) as sim:
        sim.start_manager()
        for name, function in (('changes are made and reported', changes),
                               ('tables and the subnet manager have no fields to set',
                                what_has_no_fields_to_set),
                               ('nothing changes without confirmation', unasked),
                               ('a signal at the prompt', interrupted),
                               ('a signal before the change', interrupted_before),
                               ('the path to the node is left alone', way),
                               ('a new LID', new_lid),
                               ('bad input changes nothing', bad_input),
                               ('--raw matches smpdump', raw),
                               ('ports set, a remote port', ports_set),
                               ('ports set, disabled and enabled', ports_set_link),
                               ('ports set, what is refused', ports_set_refused)):
            tap.test('set: ' + name, function(sim))
