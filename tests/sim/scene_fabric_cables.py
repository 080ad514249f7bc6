# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl fabric cables: on the simulator, which does not know CableInfo, and with a module in every
port that latsim.c answers for."""

import json
import struct

import bed
from scene_fabric import NETS
from tap import unequal

SERIAL = 'SIM0000000'  # twelve characters with the number of the port


def module(path, part='SIM-OPTIC'):
    """A QSFP28 transceiver: see LATSIM_MODULE."""
    lower, identity, limits = bytearray(128), bytearray(128), bytearray(128)
    lower[0] = 0x11
    struct.pack_into('>3H', lower, 22, 45 * 256, 0, 33000)
    struct.pack_into('>4H', lower, 34, 0, 9000, 9000, 9000)
    for offset, width, text in ((148, 16, 'rdmactl'), (168, 16, part), (196, 16, SERIAL)):
        identity[offset - 128:offset - 128 + width] = text.encode().ljust(width)
    identity[130 - 128] = 0x0c
    struct.pack_into('>4H', limits, 176 - 128, 20000, 250, 15000, 450)
    with open(path, 'wb') as file:
        file.write(lower + identity + limits)
    return path


def read(sim, path, *words):
    """Rows and problems, with a module in every port."""
    result = sim.rdmactl('fabric', 'cables', '--json', *words, latsim={'MODULE': path})
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
    return wrong + unequal('a problem', bool(document['problems']), True)


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
    with open(saved, 'w', encoding='ascii') as file:
        file.write('{}')
    result = sim.rdmactl('fabric', 'cables', '--since', saved, latsim={'MODULE': path})
    return wrong + unequal('no such file', result.status, 1)


def play(tap, box):
    with bed.Simulator(box, NETS['tree20']) as sim:
        path = module(sim.path('module'))
        tap.test('fabric cables: nodes without CableInfo', without(sim))
        tap.test('fabric cables: a module in every port, both ends of each cable', with_modules(sim, path))
        tap.test('fabric cables --since: what changed', since(sim, path))
