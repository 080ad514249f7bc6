# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl fabric cables: on the simulator, which does not know CableInfo, and with a module in
every port, for which latsim.c answers by CableInfo or by NVIDIA's class 0x0a."""

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
    wrong += unequal('a cable was read', 'read' in states, False)
    hints = {one['hint'] for one in document['problems']}
    return wrong + unequal('hints', hints, {TIMEOUT_HINT})


def with_status(sim, status):
    """Problems and states when all nodes refuse CableInfo with a status of 13.4.7."""
    path = sim.path('answers')
    with open(path, 'w', encoding='ascii') as file:
        file.write('81 01 ff60 %x echo\n' % (0x8000 | status))  # with the direction
        file.write('0a 01 0017 c echo\n')
    status, rows, problems = read(sim, None, latsim={'ANSWERS': path})
    return status, {row[key] for row in rows for key in ('state', 'peer_state')}, problems


def refused(sim):
    status, states, problems = with_status(sim, 3 << 2)
    wrong = unequal('not supported', (status, states, len(problems)), (3, {'unsupported'}, 1))
    # No manager has given the nodes LIDs.
    wrong += unequal('what is missing', problems[0]['error'].split(': ')[1],
                     'there is no CableInfo, and the register PDDR needs a LID and an active port')
    wrong += unequal('what to do', problems[0]['hint'].split(' ')[0], 'CableInfo')
    # Any other status does not prove that, and is reported for each node, without a hint.
    status, states, problems = with_status(sim, 7 << 2)
    wrong += unequal('invalid value', (status, states), (3, {'no-answer'}))
    nodes = {row['node_guid'] for row in sim.document('fabric_nodes', 'fabric', 'nodes').rows}
    told = [('invalid-value' in one['error'], one['hint']) for one in problems]
    return wrong + unequal('its problems', told, [(True, None)] * len(nodes))


def a_cable(sim):
    """A cable between switches that another path connects, too: one, its port, and the other."""
    for switch in sim.net.switches():
        for port, far in switch.links.items():
            if far[0].is_switch:
                return switch, port, far[0]
    raise LookupError('no cable between switches')


def gone(sim, path):
    """A cable that was saved and is no longer there has no row, but is reported."""
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
    wrong += unequal('one end disappeared', (status, rows, told),
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
    # Cables beyond the last hop do not count as gone.
    status, rows, problems = read(sim, path, '--since', saved, '--hops', '1')
    wrong += unequal('the edge of a scan', (rows, [one['error'] for one in problems
                                                   if 'no cable' in one['error']]), ([], []))
    with open(saved, 'w', encoding='ascii') as file:
        file.write('{}')
    result = sim.rdmactl('fabric', 'cables', '--since', saved, latsim={'MODULE': path})
    return wrong + unequal('no such file', result.status, 1)


def page(microwatts, part='SIM-TOLD'):
    """Module_info of PDDR, with powers in microwatts or whole dBm: pddr_module_info_ext of mstflint.

    An OSFP transceiver; words are numbered as in the layout, 32 bits each."""
    words = [0] * 52

    def text(word, value):
        words[word:word + 4] = struct.unpack('>4I', value.encode().ljust(16))

    words[0x04 // 4] = 2 << 28 | 8 << 8  # an optical module, OSFP
    text(0x14 // 4, 'rdmactl')
    text(0x24 // 4, part)
    text(0x3c // 4, SERIAL)
    words[0x4c // 4] = 45 * 256 << 16 | 33000
    lanes = 900 << 16 | 900 if microwatts else 0
    words[0x50 // 4:0x60 // 4] = [lanes] * 4
    words[0x88 // 4] = 2000 << 16 | 25 if microwatts else 3 << 16 | (-4 & 0xffff)
    words[0x9c // 4] = (1 << 0 | 1 << 1 | 1 << 3) << 8  # temperature, voltage, receive power
    return struct.pack('>52I', *words).hex()


def told(sim, kinds, *words, part='SIM-TOLD'):
    """Rows and problems when nodes have no CableInfo, and answer according to kinds[LID]."""
    answers, registers = sim.path('answers'), sim.path('registers')
    with open(answers, 'w', encoding='ascii') as file:
        file.write('81 01 ff60 800c echo\n')
    with open(registers, 'w', encoding='ascii') as file:
        file.write('%s\n%s\n' % (page(False, part), page(True, part)))
        file.writelines('%d %s\n' % one for one in kinds.items())
    return read(sim, None, *words, latsim={'ANSWERS': answers, 'REGISTERS': registers})


def ends(rows):
    """{(GUID, port): columns without the prefix} of each end of each cable."""
    names = ('state', 'source', 'part', 'serial', 'kind', 'identifier', 'temperature_c', 'alarms', 'lanes')
    return {(row[prefix + 'node_guid'] if not prefix else row['peer_guid'], row[prefix + 'port']):
            {name: row[prefix + name] for name in names} for row in rows for prefix in ('', 'peer_')}


def registers(sim):
    """Both ends of every cable are read from registers, in microwatts and in whole dBm."""
    wrong = []
    for kind, factor in (('good', 0.01), ('dbm', None)):
        status, rows, problems = told(sim, {0: kind})
        wrong += unequal('status', (kind, status, problems), (kind, 0, []))
        wrong += unequal('cables', len(rows), len(sim.document('fabric_links', 'fabric', 'links').rows))
        for (guid, port), end in ends(rows).items():
            milliwatts = port * factor if factor else 10 ** (-port / 10)
            alarm = ['rx-power-low-alarm'] if (port < 3 if factor else port > 4) else []
            lane = end['lanes'][0]
            wrong += unequal('%s/%d, %s' % (guid, port, kind),
                             (end['state'], end['source'], end['part'], end['serial'], end['kind'],
                              end['identifier'], end['temperature_c'], lane['alarms'], len(end['lanes'])),
                             ('read', 'pddr', 'SIM-TOLD', '%s%02d' % (SERIAL, port), 'optical', 'osfp', 45,
                              alarm, 8))
            if abs(lane['rx_power_mw'] - milliwatts) > 1e-9:
                wrong += ['%s/%d: %s mW' % (guid, port, lane['rx_power_mw'])]
        weakest = [row['rx_power_dbm'] if row['rx_power_dbm'] < row['peer_rx_power_dbm'] else
                   row['peer_rx_power_dbm'] for row in rows]
        wrong += unequal('the weakest first', weakest, sorted(weakest))
    return wrong


def one_of(sim, kind, *words):
    """One switch of that kind among good nodes: status, state and source of its ends, problems."""
    switch = a_cable(sim)[0]
    status, rows, problems = told(sim, {0: 'good', sim.lids()[switch.name, 0]: kind}, *words)
    found = ends(rows)
    own = {(end['state'], end['source'], end['serial'] is not None) for (guid, _), end in found.items()
           if int(guid.replace(':', ''), 16) == switch.guid}
    others = {(end['state'], end['source']) for (guid, _), end in found.items()
              if int(guid.replace(':', ''), 16) != switch.guid}
    wrong = unequal('the other nodes', others, {('read', 'pddr')})
    return wrong, (status, own, [(one['error'], (one['hint'] or '')[:16]) for one in problems])


def partly(sim):
    """One switch has no module data and says so, or does not answer; all others are read."""
    missing = 'CableInfo returned nothing, and class 0x0a has no register PDDR'
    links = a_cable(sim)[0].links
    count = 'no module data from %d ports: %s' % (len(links), missing)
    refused = 'AccessRegisterGMP: refused with status 0x001c: invalid-value'
    silent = 'no answer, asked 4 times'
    cases = {
        'none': ('unsupported', [(count, 'CableInfo and PD')]),
        'bare': ('unsupported', [(count, 'CableInfo and PD')]),
        'poor': ('unsupported', [(count, 'CableInfo and PD')]),
        'refuses': ('failed', [(refused, '')]),
        'mute': ('no-answer', [('AccessRegisterGMP: ' + silent, 'the node is down')]),
        'dead': ('no-answer', [('GeneralInfo: ' + silent, 'the node is down')]),
        'empty': ('absent', []),
    }
    wrong = []
    for kind, (state, problems) in cases.items():
        bad, got = one_of(sim, kind)
        wrong += bad + unequal(kind, got, (3 if problems else 0, {(state, None, False)}, problems))
    return wrong


def damaged(sim):
    """A switch that answers for a different port from the one in the request."""
    bad, got = one_of(sim, 'wrong')
    return bad + unequal('malformed', got, (3, {('failed', None, False)},
                                            [('AccessRegisterGMP: the answer is malformed', '')]))


def told_since(sim):
    """Values from registers are saved in a file, and compared."""
    saved = sim.path('told')
    wrong = unequal('saved', told(sim, {0: 'good'}, '--save', saved)[0], 0)
    status, rows, _ = told(sim, {0: 'good'}, '--since', saved)
    wrong += unequal('nothing changed', (status, rows), (0, []))
    status, rows, _ = told(sim, {0: 'good'}, '--since', saved, '--top', '2', part='SIM-NEW')
    return wrong + unequal('all changed', (status, {row['changes'] for row in rows}),
                           (0, {'part SIM-TOLD -> SIM-NEW, peer part SIM-TOLD -> SIM-NEW'}))


def play(tap, box):
    with bed.Simulator(box, NETS['tree20']) as sim:
        path = module(sim.path('module'))
        tap.test('fabric cables: nodes without CableInfo', without(sim))
        tap.test('fabric cables: nodes that refuse it', refused(sim))
        tap.test('fabric cables: a module in every port, both ends of each cable', with_modules(sim, path))
        tap.test('fabric cables: modules with an unknown layout', unknown(sim))
        tap.test('fabric cables --since: what changed', since(sim, path))
        tap.test('fabric cables --since: a cable that disappeared', gone(sim, path))
        sim.start_manager()
        tap.test('fabric cables: registers instead of CableInfo', registers(sim))
        tap.test('fabric cables: a switch without module data in registers', partly(sim))
        tap.test('fabric cables: a damaged register', damaged(sim))
        tap.test('fabric cables --since: what changed in registers', told_since(sim))
