# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Agents that the simulator does not have: sampling of ports, congestion control, refusals.

latsim.c answers instead, from a file that each test writes.
"""


import random

import bed
import program
import scene_bed
from tap import unequal
from tools import dotted

NET = scene_bed.NETS['net.2sw2path4hca']
GET, SET, GET_TABLE = 0x01, 0x02, 0x12
SM, SA, PM, CC = 0x01, 0x03, 0x04, 0x21
CONTROL, RESULT, COUNTERS, VL_WAIT = 0x10, 0x11, 0x12, 0x1c
CC_LOG, CC_PORTS, CC_CA = 0x13, 0x15, 0x16

# ibccquery's names for our columns; it prints a mask of 256 bits as four values.
MASKS = ['_192_255', '_128_191', '_64_127', '_0_63']
CCQUERY = {
    'CongestionInfo': {'ControlTableCap': 'control_table_cap'},
    'CongestionKeyInfo': {
        'CC_Key': 'cc_key', 'CC_KeyProtectBit': 'cc_key_protect',
        'CC_KeyLeasePeriod': 'cc_key_lease_period_sec', 'CC_KeyViolations': 'cc_key_violations'},
    'SwitchCongestionSetting': {
        'Control_Map': 'control_map', 'Threshold': 'threshold', 'Packet_Size': 'packet_size_credits',
        'CS_Threshold': 'cs_threshold', 'Marking_Rate': 'marking_rate'},
    'SwitchPortCongestionSetting': {
        'Port': 'port', 'Valid': 'valid', 'Threshold': 'threshold', 'Packet_Size': 'packet_size_credits',
        'Cong_Parm_Marking_Rate': 'marking_rate'},
    'CACongestionSetting': {
        'SL': 'sl', 'CCTI_Timer': 'ccti_timer', 'CCTI_Increase': 'ccti_increase',
        'Trigger_Threshold': 'trigger_threshold', 'CCTI_Min': 'ccti_min'},
    'CongestionControlTable': {
        'Entry': 'ccti', 'CCT_Shift': 'cct_shift', 'CCT_Multiplier': 'cct_multiplier'},
    'CongestionLog': {
        'SLID': 'slid', 'DLID': 'dlid', 'SL': 'sl', 'Timestamp': 'timestamp'},
    'Timestamp': {'Timestamp': 'timestamp'},
    'ClassPortInfo': {
        'BaseVersion': 'base_version', 'ClassVersion': 'class_version', 'CapabilityMask': 'cap_mask',
        'CapabilityMask2': 'cap_mask2', 'RedirectSL': 'redirect_sl', 'RedirectLID': 'redirect_lid',
        'RedirectPKey': 'redirect_pkey', 'RedirectQP': 'redirect_qpn',
        'RedirectQKey': 'redirect_qkey', 'TrapLID': 'trap_lid', 'TrapPKey': 'trap_pkey',
        'TrapQP': 'trap_qpn', 'TrapQKey': 'trap_qkey'},
}
RESERVED = '00' * 40  # bytes 24 to 63 of a datagram
DONE, RUNNING = 0, 2
REFUSED = 0x0c
QUICKLY = ('--timeout', '2s', '--retries', '0')


def answers(sim, *lines):
    """Settings of latsim: each line is class, method, attribute, status and bytes."""
    path = sim.path('answers')
    with open(path, 'w') as file:
        file.writelines('%x %x %x %x %s\n' % line for line in lines)
    return {'ANSWERS': path}


def said(sim, latsim, status, *words, part=(), never=()):
    """The rows; errors in the exit status and messages, which have all of `part`, no `never`."""
    document = sim.document(words[0], *words[1:], latsim=latsim)
    text = document.result.complaint()
    wrong = unequal('status of %s' % ' '.join(words), document.status, status)
    wrong += ['%r is not in %r' % (one, text) for one in part if one not in text]
    return document.rows, wrong + ['%r is in %r' % (one, text) for one in never if one in text]


def an_adapter(sim):
    """LID and name of an adapter other than the host's and the manager's."""
    return next((str(lid), name) for (name, _), lid in sorted(sim.lids().items())
                if not sim.net.nodes[name].is_switch and name not in (sim.host, sim.manager))


def a_switch(sim):
    return next((str(lid), sim.net.nodes[name].ports) for (name, _), lid in sim.lids().items()
                if sim.net.nodes[name].is_switch)


def control(status, interval, tag, *selects):
    """PortSamplesControl of port 1: IBA 1, 16.1.3.2."""
    return RESERVED + '000100' + '00' * 8 + '%02x' % status + '00' * 20 + '%08x' % interval + (
        tag + ''.join('%04x' % select for select in selects).ljust(60, '0'))


def result(tag, status, *values):
    """PortSamplesResult: 16.1.3.4."""
    return RESERVED + tag + '%04x' % status + ''.join('%08x' % value for value in values)


def sample(sim, status, get, put, results, *words, **options):
    lines = [(PM, GET, CONTROL, 0, get)]
    lines += [] if put is None else [(PM, SET, CONTROL, *put)]
    lines += [(PM, GET, RESULT, 0, one) for one in results]
    return said(sim, answers(sim, *lines), status, 'perf_samples', 'perf', an_adapter(sim)[0], '1',
                *words, **options)


IDLE = control(DONE, 100, '1111', 5)
OTHER = 'port 1 is sampling for another request'


def sampling(sim):
    """The values of our own request, and the ways in which a port can change or refuse it."""
    rows, wrong = sample(sim, 0, IDLE, (0, 'echo'), [result('t0t1', RUNNING), result('t0t1', DONE, 7)],
                         '--sample', 'xmit-wait')
    wrong += unequal('own', [(row['quantity'], row['value'], row['own']) for row in rows],
                     [('xmit-wait', 7, True)])
    rows, bad = sample(sim, 3, IDLE, (0, control(DONE, 100, 't0t1', 5)), [result('t0t1', DONE, 7)],
                       '--sample', 'xmit-wait,0x4001',
                       part=['port 1 did not accept all of these quantities', 'request fewer quantities'])
    wrong += bad + unequal('some', [(row['quantity'], row['value']) for row in rows], [('xmit-wait', 7)])
    for get, put, part in (
            (control(DONE, 0, '1111', 5), None, 'the interval of port 1 is 0 ticks'),
            (control(RUNNING, 100, '1111', 5), None, 'port 1 reports that it is already sampling'),
            (IDLE, (0, control(DONE, 0, 't0t1', 5)), 'the interval of port 1 is 0 ticks'),
            (IDLE, (0, control(RUNNING, 9, '2222', 1)), OTHER),
            (IDLE, (REFUSED, 'echo'), 'starting to sample port 1: refused with status 0x000c')):
        rows, bad = sample(sim, 1, get, put, [result('t0t1', DONE, 7)], '--sample', 'xmit-wait',
                           part=[part], never=['cannot read'])
        wrong += bad + unequal('rows with ' + part, rows, [])
    return wrong


def of_another(sim):
    """The values of another request are never shown as those of our quantities."""
    rows, wrong = sample(sim, 3, IDLE, (0, 'echo'), [result('3333', DONE, 7)], '--sample', 'xmit-wait',
                         part=[OTHER])
    wrong += unequal('--sample', [(row['value'], row['own']) for row in rows], [(None, False)])
    rows, bad = sample(sim, 0, IDLE, None, [result('1111', DONE, 7)], '--samples')
    wrong += bad + unequal('--samples', [row['value'] for row in rows], [7])
    rows, bad = sample(sim, 3, IDLE, None, [result('3333', DONE, 7)], '--samples', part=[OTHER])
    return wrong + bad + unequal('--samples of another', [row['value'] for row in rows], [None])


def endless(sim):
    """A port that never stops sampling: we give up on it."""
    rows, wrong = sample(sim, 3, IDLE, (0, 'echo'), [result('t0t1', RUNNING)], '--sample', 'xmit-wait',
                         part=['port 1 is still sampling after 10 s',
                               'rdmactl perf --samples shows the result later'])
    return wrong + unequal('row', [(row['value'], row['sample_status']) for row in rows],
                           [(None, 'running')])


def interrupted(sim):
    """A signal that arrives before any query, with immediate answers and with slow ones."""
    lid = an_adapter(sim)[0]
    words = ('perf', lid, '1', '--tsv', '--no-headings')
    at_once = answers(sim, (PM, GET, CONTROL, 0, IDLE), (PM, GET, RESULT, 0, result('1111', DONE, 7)))
    unread, slow = 'interrupted: not all results were read', {'RTT_USEC': 200000}
    wrong = []
    for more, latsim, said in ((['--samples'], at_once, unread), (['--samples'], slow, unread),
                               (['--sample', 'xmit-wait'], at_once, 'interrupted: no port was asked to sample'),
                               (['--sample', 'xmit-wait'], slow, 'interrupted: no port was asked to sample'),
                               ([], slow, ''), (['--fec'], slow, '')):
        ended = sim.interrupted(*words, *more, latsim=latsim)
        wrong += unequal('rows and complaint: %s' % more, (ended.out, ended.err.decode()),
                         (b'', 'rdmactl perf: %s\n' % said if said else ''))
        wrong += unequal('status: %s' % more, ended.status, 1) if said else []
    return wrong


def entries(sim):
    """Entries that do not exist, and logs of an unknown type."""
    adapter, (switch, ports) = an_adapter(sim)[0], a_switch(sim)
    full = answers(sim, (CC, GET, CC_CA, 0, RESERVED + '01' * 132),
                   (CC, GET, CC_PORTS, 0, RESERVED + '01' * 128),
                   (CC, GET, CC_LOG, 0, '00' * 8 + '09' * 192))
    wrong = []
    for words, status, kept, part in (
            (('cc_ca', 'cc', 'ca', adapter, '5', '20'), 3, [5], 'its last entry is 15'),
            (('cc_ca', 'cc', 'ca', adapter, '14-16'), 3, [14, 15], 'omit the entries to show all of them'),
            (('cc_ca', 'cc', 'ca', adapter, '16'), 1, [], 'its last entry is 15'),
            (('cc_ca', 'cc', 'ca', adapter, '0-15'), 0, list(range(16)), ''),
            (('cc_ports', 'cc', 'ports', switch, '3', '99'), 3, [3], 'its last entry is %d' % ports),
            (('cc_log', 'cc', 'log', adapter), 1, [], 'an unknown type of log')):
        rows, bad = said(sim, full, status, *words, part=[part])
        wrong += bad + unequal(' '.join(words), [row.get('sl', row.get('port')) for row in rows], kept)
    return wrong


def settings(sim):
    """A Set that fails is not reported as a failed read; one that succeeds names the node."""
    lid, name = an_adapter(sim)
    words = ('cc_ca', 'cc', 'ca', lid, '5', '--set', 'ccti_timer=3', '--yes')
    before, after = RESERVED + '00' * 132, RESERVED + '00' * 44 + '0003' + '00' * 86
    get = (CC, GET, CC_CA, 0, before)
    _, wrong = said(sim, answers(sim, get, (CC, SET, CC_CA, REFUSED, 'echo')), 1, *words,
                    part=['not changed: the node refused it with status 0x000c', 'CC_Key: --mkey'],
                    never=['cannot read'])
    _, bad = said(sim, answers(sim, get, (CC, SET, CC_CA, 0, 'lost')), 1, *words, *QUICKLY,
                  part=['it is unknown whether the change took effect: no answer', 'CC_Key: --mkey'],
                  never=['cannot read', 'has no agent of that class'])
    wrong += bad
    for text, parts in (
            ('ccti_timer', ('--set takes FIELD=VALUE', 'rdmactl cc ca --help lists the fields')),
            ('ccti_timr=3', ("unknown column 'ccti_timr'", "did you mean 'ccti_timer'?")),
            ('xyzzy=3', ('rdmactl cc ca --help lists the columns',)),
            ('ccti_timer=65536', ("'65536' is out of range for ccti_timer",)),
            ('sl=3', ('sl is read-only', 'only the node itself sets it'))):
        _, bad = said(sim, answers(sim, get), 2, *words[:5], '--set', text, '--yes', part=parts)
        wrong += bad
    rows, bad = said(sim, answers(sim, get, (CC, SET, CC_CA, 0, 'echo'), (CC, GET, CC_CA, 0, after)),
                     0, *words)
    return wrong + bad + unequal('row', [(row['sl'], row['ccti_timer'], row['node']) for row in rows],
                                 [(5, 3, name)])


def clearing(sim):
    """Counters that could not be cleared, and counters that the node does not have."""
    lid = an_adapter(sim)[0]
    words = ('perf', 'perf', lid, '1', '--reset')
    _, wrong = said(sim, answers(sim, (PM, SET, COUNTERS, REFUSED, 'echo')), 3, *words,
                    part=['clearing the counters of port 1: refused with status 0x000c',
                          'rdmactl perf shows which counters are still there'],
                    never=['cannot read', 'cleared'])
    _, bad = said(sim, {}, 3, *words, '--counters', 'symbol_errors,qp1_dropped',
                  part=['the node does not have qp1_dropped: not cleared', 'cleared the named counters'])
    wrong += bad
    waits = answers(sim, (PM, GET, VL_WAIT, 0, RESERVED + '00' * 64), (PM, SET, VL_WAIT, 0, 'echo'))
    # Unanswered requests wait for the whole timeout; answers may be late on a busy machine.
    _, bad = said(sim, waits, 0, 'perf_vl', *words[1:], '--vl', '--timeout', '1s', '--retries', '1',
                  part=['cleared the listed counters of 1 port'])
    wrong += bad
    _, bad = said(sim, {}, 0, *words, '--counters', 'symbol_errors', never=['does not have'])
    return wrong + bad


def destinations(sim):
    """The subnet administrator refuses the query, so it is not reported as unreachable."""
    _, wrong = said(sim, answers(sim, (SA, GET_TABLE, 0x11, 0x0100, '00' * 232)), 3, 'smp_lft', 'smp',
                    'lft', a_switch(sim)[0], part=['the subnet administrator refused the query',
                                                   'rdmactl sa nodes shows the status'])
    return wrong


def by_service_level(sim):
    """PortXmitDataSL and PortRcvDataSL (IBA 1, 16.1.4) count words of four bytes for each SL."""
    lid, _ = an_adapter(sim)

    def words(first):
        return RESERVED + '00010000' + ''.join('%08x' % (first + sl if sl != 3 else 0)
                                               for sl in range(16))
    rows, wrong = said(sim, answers(sim, (PM, GET, 0x36, 0, words(100)), (PM, GET, 0x37, 0, words(7))),
                       0, 'perf_sl', 'perf', lid, '1', '--by-sl')
    # SL 3 has had no traffic, and is omitted.
    wrong += unequal('both ways', [[row[key] for key in ('sl', 'xmit_data_bytes', 'rcv_data_bytes')]
                                   for row in rows],
                     [[sl, 4 * (100 + sl), 4 * (7 + sl)] for sl in range(16) if sl != 3])
    # If one of the two is refused, the other is shown.
    rows, more = said(sim, answers(sim, (PM, GET, 0x36, 0, words(100)), (PM, GET, 0x37, REFUSED, '00')),
                      3, 'perf_sl', 'perf', lid, '1', '--by-sl', part=['cannot read PortRcvDataSL'])
    return wrong + more + unequal('one is refused', [[row['sl'], row['xmit_data_bytes'],
                                                      row['rcv_data_bytes']] for row in rows][-1:],
                                  [[15, 460, None]])


def as_number(value):
    return int(value, 0) if isinstance(value, str) else int(value)


def ccquery(sim, kind, column, attribute, lid, data, first):
    """Rows of the values that both tools have of the same answer; entries begin with `first`."""
    names, latsim = CCQUERY[kind], answers(sim, (CC, GET, attribute, 0, data.hex()))
    theirs = [{}]
    for label, value, _ in dotted(sim.run(['ibccquery', kind, lid], latsim=latsim).text()):
        if label == first:
            theirs.append({})
        for mask in ('Victim_Mask', 'Credit_Mask'):
            if label == mask:
                theirs[-1].update((mask.lower() + name, int(value[at:at + 16], 16))
                                  for name, at in zip(MASKS, range(0, 64, 16)))
        if label in names:
            theirs[-1][names[label]] = as_number(value)
    theirs = theirs[1:] if first else theirs
    keys = list(theirs[0])
    schema = 'class_port_info' if column == 'classportinfo' else 'cc_' + column
    rows = sim.document(schema, 'cc', column, lid, *(['--all'] if first else []),
                        *(['-o', '+cc_key'] if column == 'key' else []), latsim=latsim).rows
    wrong = unequal('rows of ' + kind, len(rows), len(theirs))
    wrong += [] if len(keys) >= len(names) else ['%s: ibccquery has only %s' % (kind, keys)]
    for ours, there in zip(rows, theirs):
        wrong += unequal('%s %s' % (kind, there), {key: as_number(ours[key]) for key in keys}, there)
    return wrong


def as_ibccquery(sim):
    """Random bytes in every attribute of congestion control, as ibccquery reads them."""
    adapter, (switch, _) = an_adapter(sim)[0], a_switch(sim)
    bytes_of = random.Random(21).randbytes
    head, wrong = bytes.fromhex(RESERVED), []
    for kind, column, attribute, lid, data, first in (
            ('CongestionInfo', 'info', 0x11, switch, head + bytes_of(4), None),
            ('CongestionKeyInfo', 'key', 0x12, switch, head + bytes_of(16), None),
            # The log of a switch; we read an adapter's differently: lib/mad/format/cc_fields.c.
            ('CongestionLog', 'log', CC_LOG, switch, bytes(8) + b'\1' + bytes_of(219), 'SLID'),
            ('SwitchCongestionSetting', 'switch', 0x14, switch, head + bytes_of(76), None),
            ('SwitchPortCongestionSetting', 'ports', CC_PORTS, switch, head + bytes_of(128), 'Port'),
            ('CACongestionSetting', 'ca', CC_CA, adapter, head + bytes_of(132), 'SL'),
            # A limit of 40: one block.
            ('CongestionControlTable', 'table', 0x17, adapter, head + b'\0\x28' + bytes_of(130),
             'Entry'),
            ('Timestamp', 'time', 0x18, adapter, head + bytes_of(4), None),
            ('ClassPortInfo', 'classportinfo', 0x01, adapter, head + bytes_of(72), None)):
        wrong += ccquery(sim, kind, column, attribute, lid, data, first)
    return wrong


def firmware(sim):
    """GeneralInfo of class 0x0a, as vendstat -N reads it."""
    lid, _ = an_adapter(sim)
    data = bytearray(108)
    data[8:12] = (0x00a1).to_bytes(2, 'big') + (0x1017).to_bytes(2, 'big')
    data[36:40] = (77).to_bytes(4, 'big')
    data[41:44] = bytes((1, 2, 3))
    data[48:52] = bytes.fromhex('03242026')
    data[56:70] = b'MT_0000000008\x1b'
    for place, number in ((76, 16), (80, 35), (84, 2000)):  # of newer devices
        data[place:place + 4] = number.to_bytes(4, 'big')

    def ask():
        return said(sim, answers(sim, (0x0a, GET, 0x17, 0, data.hex())), 0,
                    'vendor_general', 'mad', 'vendor', lid)
    rows, wrong = ask()
    wrong += unequal('its values', [rows[0][key] for key in (
        'hw_revision', 'device_id', 'firmware', 'firmware_date', 'psid', 'uptime')],
        ['0x00a1', '0x1017', '16.35.2000', '2026-03-24', 'MT_0000000008\\x1b', 77])
    # vendstat queries ClassPortInfo first.
    both = answers(sim, (0x0a, GET, 0x01, 0, '00' * 72), (0x0a, GET, 0x17, 0, data.hex()))
    theirs = dict(line.split(':', 1) for line in sim.run(
        ['vendstat', '-N', lid], latsim=both).text().splitlines())
    wrong += unequal('of vendstat', {name: text.strip() for name, text in theirs.items()}, {
        'hw_dev_rev': rows[0]['hw_revision'], 'hw_dev_id': rows[0]['device_id'],
        'hw_uptime': '0x%08x' % rows[0]['uptime'], 'fw_version': rows[0]['firmware'],
        'fw_build_id': '0x%04x' % int(rows[0]['firmware_build'], 0), 'fw_date': '03/24/2026',
        'fw_psid': "'MT_0000000008\x1b'", 'fw_ini_ver': str(rows[0]['ini_version']),
        'sw_version': '%02d.%02d.%02d' % tuple(map(int, rows[0]['software'].split('.')))})
    # Devices that vendstat does not know: ConnectX-7, and InfiniScale III with its software.
    for device, short, longer, firmware_version, software in (
            (0x1021, (28, 43, 2026 & 0xff), (28, 43, 2026), '28.43.2026', '0.0.0'),
            (0xb924, (1, 2, 3), (0x00040506, 0, 0), '1.2.3', '4.5.6'),
            (0xb924, (0, 0, 0), (0, 0, 0), '0.0.0', '0.0.0')):
        data[10:12] = device.to_bytes(2, 'big')
        data[41:44] = bytes(short)
        for place, number in zip((76, 80, 84), longer):
            data[place:place + 4] = number.to_bytes(4, 'big')
        rows, more = ask()
        wrong += more + unequal('device %#x' % device, [rows[0]['firmware'], rows[0]['software']],
                                [firmware_version, software])
    return wrong


def play(tap, box):
    with bed.Simulator(box, NET) as sim:
        sim.start_manager()
        for name, function in (('sampling', sampling), ('samples of another request', of_another),
                               ('sampling that never ends', endless),
                               ('an interrupt', interrupted),
                               ('entries that do not exist', entries),
                               ('congestion control is set', settings), ('clearing', clearing),
                               ('destinations without names', destinations),
                               ('bytes by service level', by_service_level),
                               ('congestion control as ibccquery reads it', as_ibccquery),
                               ('firmware by class 0x0a', firmware)):
            tap.test('agents: ' + name, function(sim))
