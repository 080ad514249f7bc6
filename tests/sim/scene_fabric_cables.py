# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl fabric cables: on the simulator, which does not know CableInfo, and with a module in every
port that latsim.c answers for."""

import json
import struct

import bed
from scene_fabric import NETS
from tap import unequal

TIMEOUT_HINT = 'the node is down, its agent hangs, or it needs its M_Key (--mkey)'
SERIAL = 'SIM0000000'  # twelve characters with the number of the port


def module(path, part='SIM-OPTIC', identifier=0x11):
    """A QSFP28 transceiver: see LATSIM_MODULE."""
    lower, identity, limits = bytearray(128), bytearray(128), bytearray(128)
    lower[0] = identifier
    struct.pack_into('>3H', lower, 22, 45 * 256, 0, 33000)
    struct.pack_into('>4H', lower, 34, 0, 9000, 9000, 9000)
    for offset, width, text in ((148, 16, 'rdmactl'), (168, 16, part), (196, 16, SERIAL)):
        identity[offset - 128:offset - 128 + width] = text.encode().ljust(width)
    identity[130 - 128] = 0x0c
    struct.pack_into('>4H', limits, 176 - 128, 20000, 250, 15000, 450)
    with open(path, 'wb') as file:
        file.write(lower + identity + limits)
    return path


def read(sim, path, *words, latsim=None):
    """Rows and problems, with a module in every port."""
    result = sim.rdmactl('fabric', 'cables', '--json', *words, latsim=latsim or {'MODULE': path})
    document = json.loads(result.out)
    return result.status, document['fabric_cables'], document['problems']


def without(sim):
    result = sim.rdmactl('fabric', 'cables', '--json')
    document = json.loads(result.out)
    links = sim.document('fabric_links', 'fabric', 'links').rows
    states = {row[key] for row in document['fabric_cables'] for key in ('state', 'peer_state')}
    wrong = unequal('status', result.status, 3)
    wrong += unequal('cables', len(document['fabric_cables']), len(links))
    wrong += unequal('nothing was read', 'read' in states, False)
    hints = {one['hint'] for one in document['problems']}
    return wrong + unequal('hints', hints, {TIMEOUT_HINT})


def with_status(sim, status):
    """Problems and states where all nodes refuse CableInfo with a status of 13.4.7."""
    path = sim.path('answers')
    with open(path, 'w', encoding='ascii') as file:
        file.write('81 01 ff60 %x echo\n' % (0x8000 | status))  # with the direction
    status, rows, problems = read(sim, None, latsim={'ANSWERS': path})
    return status, {row[key] for row in rows for key in ('state', 'peer_state')}, problems


def refused(sim):
    status, states, problems = with_status(sim, 3 << 2)
    wrong = unequal('not supported', (status, states, len(problems)), (3, {'unsupported'}, 1))
    wrong += unequal('what to do', problems[0]['hint'].split(' ')[0], 'CableInfo')
    # Another status is no proof of that, and is told; there is no hint for all of them.
    status, states, problems = with_status(sim, 7 << 2)
    wrong += unequal('invalid value', (status, states), (3, {'no-answer'}))
    nodes = {row['node_guid'] for row in sim.document('fabric_nodes', 'fabric', 'nodes').rows}
    told = [('invalid-value' in one['error'], one['hint']) for one in problems]
    return wrong + unequal('its problems', told, [(True, None)] * len(nodes))


def a_cable(sim):
    """Between two switches, each of which has another way: one, its port, and the other."""
    for switch in sim.net.switches():
        for port, far in switch.links.items():
            if far[0].is_switch:
                return switch, port, far[0]
    raise LookupError('no cable between switches')


def gone(sim, path):
    """A cable that was saved and is not there any more has no row, but is told."""
    saved = sim.path('cables')
    status, rows, _ = read(sim, path, '--save', saved)
    wrong = unequal('saved', status, 0)
    switch, port, far = a_cable(sim)
    ends = {'%x' % node.guid for node in (switch, far)}
    other = next(row['node'] for row in rows if row['node'].replace(' ', '').replace('-', '').isalnum() and
                 row['node_guid'].replace(':', '').lstrip('0') not in ends)
    sim.console('Unlink "%s"[%d]' % (switch.name, port))
    status, rows, problems = read(sim, path, '--since', saved)
    elsewhere = read(sim, path, '--since', saved, '--name', other)
    sim.console('ReLink "%s"[%d]' % (switch.name, port))
    told = [(one['error'], 'fabric scan --diff' in one['hint']) for one in problems]
    wrong += unequal('one end is gone', (status, rows, told),
                     (3, [], [('the scan found no cable in 2 ports of the file', True)]))
    return wrong + unequal('another node', elsewhere, (0, [], []))


def with_modules(sim, path):
    status, rows, problems = read(sim, path)
    wrong = unequal('status', (status, problems), (0, []))
    wrong += unequal('cables', len(rows), len(sim.document('fabric_links', 'fabric', 'links').rows))
    for row in rows:
        for prefix, port in (('', row['port']), ('peer_', row['peer_port'])):
            lane = row[prefix + 'lanes'][0]
            alarm = ['rx-power-low-alarm'] if port < 3 else ['rx-power-low-warning'] if port < 5 else []
            wrong += unequal('%s/%d' % (row['node_guid'], port),
                             (row[prefix + 'serial'], row[prefix + 'part'], lane['alarms'], lane['lane']),
                             ('%s%02d' % (SERIAL, port), 'SIM-OPTIC', alarm, 1))
            if abs(lane['rx_power_mw'] - port / 100) > 1e-9:
                wrong += ['%s: %s mW' % (port, lane['rx_power_mw'])]
    weakest = [min(row['port'], row['peer_port']) for row in rows]
    return wrong + unequal('the weakest first', weakest, sorted(weakest))


def unknown(sim):
    """CXP modules, whose layout is not known: that is a problem of each end."""
    status, rows, problems = read(sim, module(sim.path('cxp'), identifier=0x0e))
    wrong = unequal('status', (status, {(row['identifier'], row['kind']) for row in rows}), (3, {('cxp', None)}))
    told = {(one['error'], one['hint']) for one in problems}
    wrong += unequal('problems', told, {('the layout of modules with identifier 0x0e is not known here',
                                         'rdmactl fabric cables --save FILE keeps its bytes')})
    return wrong + unequal('ends', len(problems), 2 * len(rows))


def since(sim, path):
    saved = sim.path('cables')
    wrong = unequal('saved', read(sim, path, '--save', saved)[0], 0)
    status, rows, _ = read(sim, path, '--since', saved)
    wrong += unequal('nothing changed', (status, rows), (0, []))
    other = module(sim.path('other'), 'SIM-OTHER')
    status, rows, _ = read(sim, other, '--since', saved, '--top', '3')
    wrong += unequal('all changed', (status, len(rows)), (0, 3))
    for row in rows:
        wrong += unequal('changes', row['changes'],
                         'part SIM-OPTIC -> SIM-OTHER, peer part SIM-OPTIC -> SIM-OTHER')
    # What lies beyond the last hop is not gone.
    status, rows, problems = read(sim, path, '--since', saved, '--hops', '1')
    wrong += unequal('the edge of a scan', (rows, [one['error'] for one in problems
                                                   if 'no cable' in one['error']]), ([], []))
    with open(saved, 'w', encoding='ascii') as file:
        file.write('{}')
    result = sim.rdmactl('fabric', 'cables', '--since', saved, latsim={'MODULE': path})
    return wrong + unequal('no such file', result.status, 1)


def play(tap, box):
    with bed.Simulator(box, NETS['tree20']) as sim:
        path = module(sim.path('module'))
        tap.test('fabric cables: nodes without CableInfo', without(sim))
        tap.test('fabric cables: nodes that refuse it', refused(sim))
        tap.test('fabric cables: a module in every port, both ends of each cable', with_modules(sim, path))
        tap.test('fabric cables: modules of a layout that is not known', unknown(sim))
        tap.test('fabric cables --since: what changed', since(sim, path))
        tap.test('fabric cables --since: a cable that is gone', gone(sim, path))
