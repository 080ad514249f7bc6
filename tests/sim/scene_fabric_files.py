# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The formats that rdmactl fabric writes for other tools, byte for byte; saving, loading and
comparing; and parts of a subnet: some hops, a switch, from elsewhere, by name and state."""

import re
from concurrent.futures import ThreadPoolExecutor

import bed
import compare
import scene_fabric
from scene_fabric import NETS, Graph, differing, scan
from tap import unequal

FORMATS = {'ibnetdiscover': ['ibnetdiscover'], 'iblinkinfo': ['iblinkinfo']}
LOADED = ('node_guid', 'node_type', 'port_count', 'lid', 'system_image_guid', 'vendor_id',
          'device_id')
CABLE = ('node_guid', 'port', 'peer_guid', 'peer_port', 'width_lanes', 'speed', 'lid', 'peer_lid')


def undated(data):
    return re.sub(rb'(?m)^# Topology file: generated on .*$', b'# Topology file', data)


def same_bytes(what, ours, theirs):
    """The first line that differs."""
    wrong = unequal('status of ' + what, ours.status, 0)
    one, other = undated(ours.out).splitlines(), undated(theirs.out).splitlines()
    wrong += unequal(what + ', lines', len(one), len(other))
    return wrong + next(([line] for pair in zip(one, other)
                         for line in unequal(what, *pair)), [])


def loaded(sim, path, name):
    return Graph(sim.document('fabric', 'fabric', 'scan', '--load', sim.path(path), timeout=120)) \
        if name is None else sim.document('fabric_' + name, 'fabric', name, '--load',
                                          sim.path(path))


def keys(rows, names):
    return sorted([[str(row[name]) for name in names] for row in rows])


def formats(sim):
    """The formats of a scan, and of a saved scan."""
    wrong = []
    saved = sim.rdmactl('fabric', 'scan', '--save', sim.path('saved'))
    wrong += unequal('status of --save', saved.status, 0)
    for name, words in FORMATS.items():
        theirs = sim.run(words)
        compare.count('fabric --format', name, len(sim.net.nodes), len(theirs.out.splitlines()),
                      len(theirs.out), 0)
        for extra in ((), ('--load', sim.path('saved'))):
            ours = sim.rdmactl('fabric', 'scan', '--format', name, *extra)
            wrong += same_bytes(' '.join((name, *extra[:1])), ours, theirs)
    return wrong


def saved(sim):
    """A saved scan equals the scan; so does a text or cache of ibnetdiscover, as far as it goes."""
    wrong, truth = [], scan(sim)
    again = loaded(sim, 'saved', None)
    for name in truth.lists:
        wrong += differing('--load, ' + name, again.lists[name], truth.lists[name])
    text = sim.run(['ibnetdiscover', '--cache', sim.path('cache')])
    with open(sim.path('text'), 'wb') as file:
        file.write(text.out)
    for path in ('text', 'cache'):
        graph = loaded(sim, path, None)
        wrong += unequal(path + ', status', graph.status, 0)
        wrong += unequal(path + ', nodes', keys(graph.lists['nodes'], LOADED),
                         keys(truth.lists['nodes'], LOADED))
        wrong += unequal(path + ', cables', ends_of(graph), ends_of(truth))
    again = sim.rdmactl('fabric', 'scan', '--format', 'ibnetdiscover', '--load', sim.path('text'))
    return wrong + same_bytes('text, --format ibnetdiscover', again, text)


def ends_of(graph):
    return keys([row for row in graph.lists['ports'] if row['peer_port'] is not None], CABLE)


def changes(sim, before):
    """Status and rows. Descriptions differ where ibnetdiscover prints bytes as spaces."""
    document = sim.document('fabric_changes', 'fabric', 'scan', '--diff', sim.path(before))
    rows = [row for row in document.rows if before == 'saved' or
            row['change'] != 'description-changed' or row['after'].isascii() and
            '\\x' not in row['after'] or compare.known('description-spaces')]
    known = len(rows) < len(document.rows)
    return 0 if known and not rows else document.status, rows


def compared(sim):
    """Nothing has changed; then a cable is gone, and comes back in another place."""
    wrong = []
    for path in ('saved', 'text', 'cache'):
        wrong += unequal('--diff ' + path, changes(sim, path), (0, []))
    # That list has GUIDs of ports only, which is reported.
    with open(sim.path('list'), 'wb') as file:
        file.write(sim.run(['ibnetdiscover', '-p']).out)
    wrong += unequal('--diff list', changes(sim, 'list'), (3, []))
    victim = next((node for node in sim.net.hcas() if node.name not in (sim.host, sim.manager) and
                   len(node.links) == 1), None)
    if not victim:
        return wrong
    port, (leaf, _, width, _) = next(iter(victim.links.items()))
    sim.console('Unlink "%s"' % victim.name)
    for path in ('saved', 'text'):
        status, rows = changes(sim, path)
        wrong += unequal('status after Unlink, ' + path, status, 4)
        wrong += unequal('changes', {row['change'] for row in rows} &
                         {'node-gone', 'cable-gone'}, {'node-gone'})
    free = leaf.free_port()
    if width or not free:  # ibsim exits if ports of different widths are cabled
        return wrong
    sim.console('Link "%s"[%d] "%s"[%d]' % (victim.name, port, leaf.name, free))
    status, rows = changes(sim, 'saved')
    wrong += unequal('status after a move', status, 4)
    wrong += unequal('moved', [row['change'] for row in rows
                               if row['change'].startswith(('cable', 'node'))], ['cable-moved'])
    return wrong


def distances(net, start):
    return {name: route.count(',') for name, route in net.routes(start).items()}


def parts(sim):
    """--hops, --from and --switch: the nodes within that distance, according to the net."""
    wrong, net = [], sim.net
    title = {scene_fabric.guid_in(net, name): name for name in net.nodes}
    near = distances(net, sim.host)
    for hops in (1, 2, 3):
        graph = scan(sim, '--hops', str(hops))
        wrong += unequal('--hops %d' % hops, sorted(title[guid] for guid in graph.nodes),
                         sorted(name for name in near if near[name] <= hops))
        wrong += unequal('status', graph.status, 0)
    lids = sim.lids()
    switch = net.switches()[-1]
    for words in (('--from', net.routes(sim.host)[switch.name], '--hops', '1'),
                  ('--from', str(lids[switch.name, 0]), '--hops', '1'),
                  ('--switch', str(lids[switch.name, 0]))):
        graph = scan(sim, *words)
        expected = {switch.name} | {far.name for far, _, _, _ in switch.links.values()}
        wrong += unequal(' '.join(words), sorted(title[guid] for guid in graph.nodes),
                         sorted(expected))
    for words in (('scan',), ('scan', '--jsonl'), ('nodes', '--json')):
        result = sim.rdmactl('fabric', *words, '--switch', str(lids[sim.host, 1]))
        wrong += unequal('--switch of an adapter', (result.status, b'is not a switch' in result.err,
                                                    b'"S-' in result.out), (2, True, False))
    graph = scan(sim, '--from', str(lids[switch.name, 0]))
    return wrong + unequal('--from, to the end', len(graph.nodes), len(near))


def filters(sim):
    """Lists by name, state and speed; names from a map; errors in a map."""
    wrong, truth = [], scan(sim)
    guid, row = next(iter(truth.nodes.items()))
    with open(sim.path('names'), 'w') as file:
        file.write('# names\n0x%s "the first one"\n' % guid.replace(':', ''))
    rows = sim.document('fabric_nodes', 'fabric', 'nodes', '--names', sim.path('names'),
                        '--name', 'the f*').rows
    wrong += unequal('--names', [(one['node'], one['description']) for one in rows],
                     [('the first one', row['description'])])
    with open(sim.path('broken'), 'w') as file:
        file.write('0x12 "fine"\nnonsense\n')
    for path in ('broken', 'no-such'):
        result = sim.rdmactl('fabric', 'nodes', '--names', sim.path(path))
        wrong += unequal('status with %s names' % path, (result.status, result.out), (1, b''))
    for words, fits in ((('--state', 'active'), lambda port: port['state'] == 'active'),
                        (('--state', 'down'), lambda port: port['state'] == 'down'),
                        (('--down',), lambda port: port['physical_state'] != 'link-up'),
                        (('--speed-below', 'EDR'), lambda port: port['speed'] in
                         ('SDR', 'DDR', 'QDR', 'FDR10', 'FDR'))):
        rows = sim.document('fabric_ports', 'fabric', 'ports', *words).rows
        wrong += differing('ports ' + ' '.join(words), rows, [
            port for port in truth.lists['ports'] if port['port_info'] and fits(port)])
    return wrong


def statuses(sim):
    """Usage errors, and files that are not scans."""
    wrong = []
    with open(sim.path('junk'), 'wb') as file:
        file.write(b'\x00\xffnot a scan\n')
    for words, status in ((('bogus',), 2), (('scan', 'more'), 2), (('--format', 'bogus'), 2),
                          (('--load', sim.path('junk')), 1), (('--load', sim.path('none')), 1),
                          (('--diff', sim.path('junk')), 1), (('--from', '0,99'), 1),
                          (('--from', '0,x'), 2), (('--from', 'nobody'), 1),
                          (('nodes', '--name', 'no such'), 5)):
        result = sim.rdmactl('fabric', *words)
        wrong += unequal('status of ' + ' '.join(words), result.status, status)
        if status and not result.err:
            wrong.append('%s: no message' % (words,))
    return wrong


MORE = {'parts': parts, 'filters': filters, 'statuses': statuses}


def on(name, sim):
    with sim:
        if len(sim.net.nodes) > 2:
            sim.start_manager()
        checks = {'formats': formats, 'saved and loaded': saved}
        if name in ('tree20', 'dragonfly'):
            checks.update(MORE)
        if len(sim.net.nodes) > 2:
            checks['compared'] = compared  # last, as it leaves a cable in another place
        return {what: check(sim) for what, check in checks.items()}


def play(tap, box):
    box.latsim()
    simulators = [bed.Simulator(box, net) for net in NETS.values()]
    with ThreadPoolExecutor(2) as pool:
        for name, results in zip(NETS, pool.map(on, NETS, simulators)):
            for what, wrong in results.items():
                tap.test('fabric: %s: %s' % (name, what), wrong)
