# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl smp sminfo --command, on two subnet managers; replies of nodes that do not have a class.

The states are compared with sminfo. The simulator has no agent for congestion control: the tests of
the field tables cover its layouts.
"""

import os
import re
import signal
import subprocess

import bed
import scene_bed
from tap import unequal

NET = scene_bed.NETS['net.2sw2path4hca']
STATES = {'0': 'not-active', '1': 'discovering', '2': 'standby', '3': 'master'}


def start_second(sim, host):
    """Starts a manager of lower priority, which becomes a standby."""
    home = sim.path('osm2')
    os.makedirs(home + '/tmp', exist_ok=True)
    environment = sim.environment(host, env={'OSM_CACHE_DIR': home + '/tmp',
                                             'OSM_TMP_DIR': home + '/tmp'})
    with open(home + '/out', 'wb') as out:
        return sim.bed.start(['opensm', '-d2', '-f', home + '/opensm.log', '-s', '0', '-p', '0'],
                             cwd=home, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                             env=environment)


def state(sim, lid):
    """The state that both sminfo and we report; a text with both if they differ."""
    said = re.search(r'state (\d)', sim.run(['sminfo', lid]).text())
    rows = sim.document('smp_sminfo', 'smp', 'sminfo', lid).rows
    ours = rows[0]['state'] if rows else None
    theirs = STATES[said.group(1)] if said else None
    return ours if ours == theirs else 'sminfo: %s, rdmactl: %s' % (theirs, ours)


def command(sim, lid, word, status, expected):
    document = sim.document('smp_sminfo', 'smp', 'sminfo', lid, '--command', word, '--yes')
    wrong = unequal('status of %s' % word, document.status, status)
    if status == 0:
        node = sim.document('smp_sminfo', 'smp', 'sminfo', lid).rows[0]['node']
        wrong += unequal('answer to %s' % word, [(row['state'], row['node']) for row in document.rows],
                         [(expected, node)])
    return wrong + unequal('state after %s' % word, state(sim, lid), expected)


def commands(sim, lid):
    wrong = unequal('state at first', state(sim, lid), 'standby')
    result = sim.rdmactl('smp', 'sminfo', lid, '--command', 'disable')
    wrong += unequal('without --yes', (result.status, state(sim, lid)), (2, 'standby'))
    wrong += command(sim, lid, 'standby', 1, 'standby')
    wrong += command(sim, lid, 'disable', 0, 'not-active')
    wrong += command(sim, lid, 'handover', 1, 'not-active')
    wrong += command(sim, lid, 'standby', 0, 'standby')
    # The master has the higher priority, and would take its role back immediately.
    sim.pause_manager()
    try:
        return wrong + command(sim, lid, 'handover', 0, 'master')
    finally:
        sim.resume_manager()


def refused(sim, lid):
    """A refusal is reported with the status and the previous state; so is a missing answer."""
    wrong = []
    for answer, words, parts in (
            ('1c echo', (), ('the command was refused with status 0x001c',
                             'the subnet manager was standby before')),
            ('0 lost', ('--timeout', '2s', '--retries', '0'),
             ('it is unknown whether the subnet manager accepted the command: no answer',))):
        with open(sim.path('answers'), 'w') as file:
            file.write('1 2 20 %s\n' % answer)
        result = sim.rdmactl('smp', 'sminfo', lid, '--command', 'disable', '--yes', *words,
                             latsim={'ANSWERS': sim.path('answers')})
        wrong += unequal('status', result.status, 1)
        wrong += ['%r is not in %r' % (part, result.complaint()) for part in parts
                  if part not in result.complaint()]
    return wrong


def nobody(sim, lid):
    """No manager answers there, so no command is sent."""
    document = sim.document('smp_sminfo', 'smp', 'sminfo', lid, '--command', 'disable', '--yes')
    return unequal('status and rows', (document.status, document.rows), (1, []))


def managers(sim, lids):
    """Ports with a manager, found by bits of the capability mask, match saquery -s."""
    text = sim.run(['saquery', '-s']).text().split('IsSMdisabled')[0]
    theirs = sorted(int(lid) for lid in re.findall(r'EndPortLid\.+(\d+)', text))
    rows = sim.document('sa_ports', 'sa', 'ports', 'capabilities=sm').rows
    wrong = unequal('ports with a manager', sorted(row['endport_lid'] for row in rows), theirs)
    wrong += unequal('among all LIDs', sorted(set(theirs) & set(lids)), theirs)
    whole = sim.document('sa_ports', 'sa', 'ports', 'cap_mask=0x2').rows
    return wrong + unequal('the complete mask', whole, [])


def no_such_class(sim, lid):
    """A missing agent is reported as a problem, never as a row of zeros."""
    wrong = []
    for schema, words in (('vendor_general', ('mad', 'vendor')), ('cc_log', ('cc', 'log'))):
        document = sim.document(schema, *words, lid)
        wrong += unequal(schema, (document.status, document.rows, len(document.problems)),
                         (1, [], 1))
    return wrong


def play(tap, box):
    with bed.Simulator(box, NET) as sim:
        sim.start_manager('-p', '5')
        lids = {name: str(lid) for (name, _), lid in sim.lids().items()}
        others = [node.name for node in sim.net.hcas() if node.name not in (sim.host, sim.manager)]
        tap.test('manager: ports with a manager',
                 managers(sim, {int(lid) for lid in lids.values()}))
        tap.test('manager: no manager answers', nobody(sim, lids[others[0]]))
        tap.test('manager: classes that a node does not have', no_such_class(sim, lids[others[0]]))
        second = start_second(sim, others[0])
        try:
            bed.wait_until('a standby', lambda: state(sim, lids[others[0]]) == 'standby', second)
            tap.test('manager: commands that fail', refused(sim, lids[others[0]]))
            tap.test('manager: commands, as sminfo shows them', commands(sim, lids[others[0]]))
        finally:
            second.send_signal(signal.SIGCONT)
            bed.end(second)
