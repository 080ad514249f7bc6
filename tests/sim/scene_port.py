# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl fabric port: both ends as smpquery shows them, and the commands of ibportstate.

Of a port's settings, ibsim stores the states, the width and the speeds.
"""

import shlex

import bed
import fabric
import tools
from tap import unequal

KEYS = ('state', 'physical_state', 'width_lanes', 'speed', 'width_enabled', 'speed_enabled',
        'width_supported', 'speed_supported', 'neighbor_mtu_bytes', 'mtu_cap_bytes',
        'vls_operational')


def edr_tree():
    net = fabric.fat_tree(20)
    for node in net.nodes.values():
        for port, (far, far_port, _, _) in node.links.items():
            node.links[port] = (far, far_port, 4, 'EDR')
    return net


def cables(sim):
    return sim.document('fabric_links', 'fabric', 'links').rows


def spare(sim):
    """A cable between a switch and an uninvolved host: (switch, its port, host, its port)."""
    near = {sim.host, sim.manager}
    names = {node.guid: node.name for node in sim.net.nodes.values()}
    for row in cables(sim):
        one, other = (row['node_type'], row['node_guid']), (row['peer_type'], row['peer_guid'])
        if one[0] == 'switch' and other[0] == 'ca' and names.get(
                int(other[1].replace(':', ''), 16)) not in near:
            return row['node'], row['port'], row['peer'], row['peer_port']
    raise bed.Failure('no spare cable')


def info(sim, lid, port):
    return tools.port_info(sim.run(['smpquery', 'portinfo', str(lid), str(port)]).text())


def both_ends(sim):
    """Every cable, seen from both of its ends."""
    wrong = []
    for row in cables(sim)[:8]:
        places = [(row['node'], row['port'], row['lid']), (row['peer'], row['peer_port'], row['peer_lid'])]
        for one, other in (places, places[::-1]):
            document = sim.document('fabric_port', 'fabric', 'port', '%s/%d' % one[:2])
            wrong += unequal('ends of %s/%d' % one[:2], [(end['node'], end['port'], end['lid'])
                                                         for end in document.rows], [one, other])
            theirs = info(sim, one[2], one[1])
            wrong += unequal('%s/%d' % one[:2], {key: document.rows[0][key] for key in KEYS},
                             {key: theirs[key] for key in KEYS})
    switch = cables(sim)[0]
    by_lid = sim.document('fabric_port', 'fabric', 'port', '%d/%d' % (switch['lid'], switch['port']))
    return wrong + unequal('by LID', (by_lid.rows[0]['node'], len(by_lid.rows)), (switch['node'], 2))


def change(sim, place, *words):
    document = sim.document('change', 'fabric', 'port', place, *words, '--yes')
    return [(row['setting'], row['before'], row['after'], row['state'])
            for row in document.rows], document.status, document


def words(sim):
    """disable, enable, arm, active, width, speed, reset: read back, and compared with smpquery."""
    switch, port, _, _ = spare(sim)
    place = '%s/%d' % (switch, port)
    lid = next(row['lid'] for row in cables(sim) if row['node'] == switch)
    wrong = unequal('arm', change(sim, place, 'arm')[:2], ([('state', 'active', 'arm', 'changed')], 0))
    wrong += unequal('armed', info(sim, lid, port)['state'], 'armed')
    wrong += unequal('active', change(sim, place, 'active')[:2],
                     ([('state', 'arm', 'active', 'changed')], 0))
    rows, status, document = change(sim, place, 'disable')
    wrong += unequal('disable', (rows, status), ([('state', 'active', 'down', 'changed')], 0))
    wrong += unequal('undo', document.rows[0]['undo'], "rdmactl ports set '%s' state up" % place)
    wrong += unequal('disabled', info(sim, lid, port)['physical_state'], 'disabled')
    wrong += unequal('enable', change(sim, place, 'enable')[:2], ([('state', 'down', 'up', 'changed')], 0))
    wrong += unequal('enabled', info(sim, lid, port)['physical_state'] == 'disabled', False)
    rows, status, _ = change(sim, place, 'width', '1x', 'speed', 'sdr,fdr', 'reset')
    wrong += unequal('link', ([(row[0], row[2], row[3]) for row in rows], status),
                     ([('width', '1x', 'changed'), ('speed', 'sdr', 'changed'),
                       ('speed-ext', 'fdr', 'changed'), ('state', 'reset', 'changed')], 0))
    theirs = info(sim, lid, port)
    wrong += unequal('as smpquery has it', (theirs['width_enabled'], theirs['speed_enabled'],
                                            theirs['speed_ext_enabled']), (['1x'], ['sdr'], ['fdr']))
    # This also disables extended speeds, which the simulator ignores: we report it.
    rows, status, document = change(sim, place, 'speed', 'sdr')
    wrong += unequal('no extended speed', [(row['setting'], row['wanted'], row['state'])
                                           for row in document.rows],
                     [('speed', 'sdr', 'unchanged'), ('speed-ext', 'none', 'unverified')])
    # The port does not support QDR, and the simulator does not report an error.
    rows, status, _ = change(sim, place, 'speed', 'qdr')
    wrong += unequal('a speed that the port does not have', (rows[0][2:], status),
                     (('sdr', 'unverified'), 1))
    rows, status, _ = change(sim, place, 'width', '4x', 'speed', 'sdr,fdr,edr', 'reset')
    wrong += unequal('status of restoring all', status, 0)
    by_name = sim.document('change', 'ports', 'set', place, 'state', 'enable', '--yes')
    return wrong + unequal('ports set by name', ([row['state'] for row in by_name.rows], by_name.status),
                           (['unchanged'], 0))


def refused(sim):
    """The path of the command itself; no terminal; bad ports, words and values."""
    switch, port, _, _ = spare(sim)
    place, wrong = '%s/%d' % (switch, port), []
    own = next(row for row in cables(sim) if sim.net.nodes[sim.host].guid in (
        int(row['peer_guid'].replace(':', ''), 16), int(row['node_guid'].replace(':', ''), 16)))
    ends = ['%s/%d' % (own['node'], own['port']), '%s/%d' % (own['peer'], own['peer_port'])]
    for end in ends:
        rows, status, document = change(sim, end, 'disable')
        wrong += unequal('on the path, %s' % end, ([row[3] for row in rows], status), (['refused'], 1))
    result = sim.rdmactl('fabric', 'port', place, 'disable')
    wrong += unequal('no terminal', result.status, 2)
    for objects, status, part in (
            ((switch,), 2, 'names no port'),
            (('nobody/1',), 5, "no node 'nobody'"),
            ((switch + '/99',), 5, 'has ports 0 to'),
            ((place, 'sideways'), 2, "unknown word 'sideways'"),
            ((place, 'speed'), 2, "'speed' needs a value"),
            ((place, 'disable', 'enable'), 2, "'enable' is set twice"),
            ((place, 'speed', 'sdr', 'width', '1x', 'speed', 'fdr'), 2, "'speed' is set twice"),
            ((place, 'speed', 'sdr,warp'), 2,
             "'warp' is not a speed: it takes a list of sdr, ddr, qdr, fdr, edr, hdr, ndr"),
            ((place, 'width', '3x'), 2, "'3x' is not a value of width")):
        result = sim.rdmactl('fabric', 'port', *objects)
        wrong += unequal(' '.join(objects), result.status, status)
        wrong += [] if part in result.complaint() else ['%r is not in %r' % (part, result.complaint())]
    result = sim.rdmactl('fabric', 'port', place, 'speed', 'sdr', '--dry-run')
    wrong += unequal('the note of both speeds', result.text().count('note: '), 1)
    dry = sim.document('change', 'fabric', 'port', place, 'disable', '--dry-run')
    return wrong + unequal('--dry-run', ([row['state'] for row in dry.rows], dry.status), (['planned'], 0))


def reached(sim):
    """The undo command reaches the port in the same way; request options take effect."""
    switch, port, _, _ = spare(sim)
    place = '%s/%d' % (switch, port)
    via = sim.document('ports', 'ports').rows[0]['device'] + '/1'
    row = next(row for row in cables(sim) if row['node'] == switch)
    names = sim.path('some names')
    with open(names, 'w') as file:
        file.write('0x%s "the switch"\n' % row['node_guid'].replace(':', ''))
    named, wrong = 'the switch/%d' % port, []
    for words, options in (
            ((place, '--via', via), ' --via ' + via),
            ((place, '--node'), ' --node'),
            (('%d/%d' % (row['lid'], port), '-L', '--mkey', '0x0'), ' --lid'),
            ((named, '--names', names, '--via', via), " --via %s --names '%s'" % (via, names))):
        rows, status, document = change(sim, words[0], 'disable', *words[1:])
        quoted = words[0] if words[0].startswith('%d/' % row['lid']) else "'%s'" % words[0]
        wrong += unequal('disable', (rows, status), ([('state', 'active', 'down', 'changed')], 0))
        undo = document.rows[0]['undo']
        wrong += unequal('undo', undo, 'rdmactl ports set %s state up%s' % (quoted, options))
        again = sim.document('change', *shlex.split(undo)[1:], '--yes')
        wrong += unequal('undone', [row['state'] for row in again.rows], ['changed'])
        change(sim, place, 'active')
    name = next(node.name for node in sim.net.nodes.values()
                if node.guid == int(row['node_guid'].replace(':', ''), 16))
    sim.console('Error "%s" 100 21' % name)
    result = sim.rdmactl('fabric', 'port', '%d/%d' % (row['lid'], port), 'disable', '--yes',
                         '--retries', '0', '--timeout', '100ms', latsim={})
    wrong += [] if 'asked once' in result.complaint() else [result.complaint()]
    sim.console('Error "%s" 0' % name)
    return wrong


def lines(sim):
    """Lines of a file that reach a port in different ways may mean ports of different subnets."""
    switch, port, _, _ = spare(sim)
    lid = next(row['lid'] for row in cables(sim) if row['node'] == switch)
    via = sim.document('ports', 'ports').rows[0]['device'] + '/1'
    plain = 'ports set %d/%d state down' % (lid, port)
    file = sim.path('changes')
    wrong = []
    for second, count in ((plain, 1), (plain + ' --via ' + via, 2), (plain + ' --lid', 2)):
        with open(file, 'w') as out:
            out.write('%s\n%s\n' % (plain, second))
        document = sim.document('change', 'change', '--from', file, '--dry-run')
        wrong += unequal(second, (len(document.rows), document.status), (count, 0))
    return wrong


def no_manager(sim):
    """Both ends are shown without a subnet manager; a change then needs a directed route."""
    row = cables(sim)[0]
    document = sim.document('fabric_port', 'fabric', 'port', '%s/%d' % (row['node'], row['port']))
    wrong = unequal('ends', (document.status, len(document.rows)), (0, 2))
    result = sim.rdmactl('fabric', 'port', '%s/%d' % (row['node'], row['port']), 'disable', '--yes')
    wrong += unequal('by name', result.status, 5)
    return wrong + ([] if 'the port knows none' in result.complaint() else [result.complaint()])


def play(tap, box):
    with bed.Simulator(box, edr_tree()) as sim:
        tap.test('fabric port: without a subnet manager', no_manager(sim))
        sim.start_manager()
        tap.test('fabric port: both ends of cables', both_ends(sim))
        tap.test('fabric port: what is refused', refused(sim))
        tap.test('fabric port: how the node is reached', reached(sim))
        tap.test('change --from: the same port, reached in different ways', lines(sim))
        tap.test('fabric port: enable, disable, reset, arm, active, speed, width', words(sim))
