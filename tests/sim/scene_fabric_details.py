# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl fabric scan --details compared with rdmactl smp, which is compared with smpquery
elsewhere; the rows of --jsonl, printed while the subnet is scanned; the counts of -v."""

import json
import os
import pty
import re
import select
import subprocess

import bed
import fabric
import program
from scene_fabric import NETS, scan
from tap import unequal


def asked(sim, attribute, lid, ports, is_switch):
    """The rows of smp for these ports of a switch, or for the adapter's port with that LID."""
    words = [str(lid)] + (['-'.join((str(port), str(port))) for port in ports] if is_switch else [])
    return sim.document('smp_' + attribute, 'smp', attribute, *words).rows


def reference(sim, ports):
    """{(node GUID, port, table, in port): entries in use} of the ports that the scan found."""
    found = {}

    def put(guid, port, table, in_port, entry):
        found.setdefault((guid, port, table, in_port), []).append(entry)

    for (guid, lid, is_switch), numbers in ports.items():
        for row in asked(sim, 'pkeys', lid, numbers, is_switch):
            if row['pkey'] is not None and int(row['pkey'], 16):
                put(guid, row['object_port'], 'pkeys', None, row['pkey'])
        for row in sim.document('smp_guidinfo', 'smp', 'guidinfo', str(lid)).rows:
            put(guid, 0 if is_switch else numbers[0], 'guids', None, row['guid'])
        for row in asked(sim, 'sl2vl', lid, numbers, is_switch):
            if is_switch and row['input_port'] not in numbers:
                continue
            found[guid, row['output_port'], 'sl2vl', row['input_port']] = [
                str(row['sl%d_vl' % level]) for level in range(16)]
        for row in asked(sim, 'vlarb', lid, numbers, is_switch):
            if row['weight']:
                put(guid, row['object_port'], 'vlarb-' + row['priority'], None,
                    '%d:%d' % (row['vl'], row['weight']))
    return found


def details(sim):
    graph = scan(sim)
    ports = {}
    for row in graph.lists['ports']:
        if row['physical_state'] != 'link-up':
            continue
        is_switch = row['node_type'] == 'switch'
        ports.setdefault((row['node_guid'], row['lid'], is_switch), [0] * is_switch).append(
            row['port'])
    ours, wrong = {}, []
    rows = sim.document('fabric', 'fabric', '--details', '--save', sim.path('details')).rows
    for row in rows[0]['details']:
        ours.setdefault((row['node_guid'], row['port'], row['table'], row['in_port']), []).extend(
            row['entries'])
    theirs = reference(sim, ports)
    for key in sorted(set(ours) | set(theirs), key=str):
        wrong += unequal(' '.join(map(str, key)), ours.get(key), theirs.get(key))
    again = sim.document('fabric', 'fabric', '--load', sim.path('details')).rows
    wrong += unequal('loaded', again[0]['details'], rows[0]['details'])
    return wrong, len(theirs)


def stream(sim):
    """All rows of the table appear exactly once, in any order."""
    lines = sim.rdmactl('fabric', '--jsonl').text().splitlines()
    streamed = [json.loads(line) for line in lines]
    rows = sim.document('fabric_ports', 'fabric', 'ports').rows
    shown = {(row['node_index'], row['port']): row for row in rows
             if row['node_type'] == 'switch' and row['physical_state'] == 'link-up'}
    ours = {(row['node_index'], row['port']): row for row in streamed}
    wrong = unequal('rows', len(streamed), len(ours)) + unequal('ports', set(ours), set(shown))
    for place in set(ours) & set(shown):
        wrong += unequal(str(place), ours[place], shown[place])
    return wrong


def progress(sim, *words):
    """Exit status, and what a terminal on standard error shows of a scan that takes a second."""
    ours, theirs = pty.openpty()
    process = sim.bed.start(
        [program.RDMACTL, 'fabric', *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=theirs, cwd=sim.path('cwd'),
        env=sim.environment(None, [sim.bed.latsim()], {'LATSIM_RTT_USEC': '60000'}))
    os.close(theirs)
    shown = b''
    try:
        # Limited, because libumad2sim may hang when a process exits: it holds a lock while it waits for
        # its thread, which wants that lock if it has just left read().
        while select.select([ours], [], [], bed.SECONDS)[0] and (block := os.read(ours, 4096)):
            shown += block
    except OSError:
        pass  # the other end was closed
    os.close(ours)
    return process.wait(bed.SECONDS), shown.decode()


def play(tap, box):
    for name in ('net.2sw2path4hca2port', 'tree20'):
        with bed.Simulator(box, NETS[name]) as sim:
            sim.start_manager()
            wrong, count = details(sim)
            tap.test('fabric --details: %s: %d tables as smp has them' % (name, count), wrong)
            tap.test('fabric --jsonl: %s' % name, stream(sim))
    with bed.Simulator(box, fabric.fat_tree(100)) as sim:
        tap.test('fabric --jsonl: tree100', stream(sim))
        # The first lines are printed long before the last answer arrives.
        process = sim.client([program.RDMACTL, 'fabric', '--jsonl', '-v'],
                             latsim={'RTT_USEC': 60000})
        first = process.stdout.readline()
        alive = process.poll() is None
        out, err = process.communicate(timeout=bed.SECONDS)
        wrong = unequal('a row', json.loads(first)['node_type'], 'switch')
        wrong += unequal('still at work', alive, True) + unequal('status', process.returncode, 0)
        counts = re.search(rb'(\d+) nodes, (\d+) requests, (\d+) retries', err)
        wrong += unequal('nodes', counts and int(counts[1]), 100)
        status, shown = progress(sim)
        lines = [line for line in shown.split('\r') if line.strip()]
        wrong_shown = unequal('status', status, 0)
        if len(lines) < 3 or not all(
                re.fullmatch(r'\d+ nodes, \d+ datagrams answered, \d+/s', line) for line in lines):
            wrong_shown += ['shown: %r' % shown[-300:]]
        if shown.rsplit('\r', 2)[-2].strip() or not shown.endswith('\r'):
            wrong_shown += ['it is not wiped out: %r' % shown[-100:]]
        tap.test('fabric: a terminal shows the progress, which is erased at the end', wrong_shown,
                 lines[-1:])
        tap.test('fabric -q: no progress is shown', unequal('shown', progress(sim, '-q'), (0, '')))
        tap.test('fabric --jsonl -v: rows are printed during the scan', wrong,
                 [err.decode().splitlines()[-1], '%d rows' % (1 + len(out.splitlines()))])
