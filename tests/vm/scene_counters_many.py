# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Counters of 64 devices: all of them, right, in little memory, and --watch stays as it begins."""

import json
import re
import signal
import subprocess
import time

import measure
import peers
import program
from scene_counters import between, on_grid, sysfs_hw
from tap import unequal

COUNT = 64
MEMORY_KB = 10 * 1024
GROWTH_KB = 512


def order(tap, document):
    names = []
    for row in document.rows:
        if row['device'].startswith('rxe') and (not names or names[-1] != row['device']):
            names.append(row['device'])
    tap.test('many: counters: all %d, in natural order' % COUNT,
             unequal('devices', names, ['rxe%d' % number for number in range(COUNT)]))


def resident_kb(pid):
    return int(re.search(r'VmRSS:\s*(\d+) kB', peers.read('/proc/%d/status' % pid)).group(1))


def memory(tap, binary):
    """All counters of all devices, round by round: after some rounds, and after 240 more.

    The size moves by some 300 kB on its own: once in ten seconds it looks for links with another
    rate, and holds two of everything, and what is free then is not always given back. In 120 s it
    comes to a stop. Readings that were kept would be megabytes by then, and 5 bytes for each of the
    900 counters in a round would be more than GROWTH_KB.
    """
    words = ('--jsonl', 'counters', '--watch', '--interval', '100ms', '--all')
    with subprocess.Popen((binary, *words), stdout=subprocess.DEVNULL) as watch:
        sizes = []
        for seconds in (5, 12, 12, 12):
            time.sleep(seconds)
            sizes.append(resident_kb(watch.pid))
        watch.send_signal(signal.SIGINT)
    said = ', '.join('%d kB' % size for size in sizes)
    grown = sizes[3] > sizes[1] + GROWTH_KB
    tap.test('many: --watch does not grow', said if grown else [], [said])


def steady(tap, binary):
    """The rounds take the time that they should, and say nothing that is not so."""
    result = peers.run(binary, '--jsonl', 'counters', '--watch', '--interval', '500ms',
                       '--count', '20', '-o', 'object,kernel_name,interval_sec,state')
    rows = [json.loads(line) for line in result.text().splitlines()]
    times = [row['interval_sec'] for row in rows
             if (row['object'], row['kernel_name']) == ('rxe7/1', 'sent_pkts')]
    tap.test('many: --watch does not drift', unequal('exit status', result.status, 0) +
             unequal('rounds', len(times), 20) +
             on_grid(times, 0.5) +
             unequal('states', sorted({row['state'] for row in rows}), ['counted']),
             ['%d rounds in %.3f s' % (len(times), sum(times))])


def cost(tap, binary):
    for words in (('counters',), ('-j', 'counters', '--all'), ('counters', '--save', '/run/many')):
        peak = measure.peak_memory_kb(binary, *words)
        tap.test('many: %s in less than 10 MB: %d kB, %s system calls' % (
            ' '.join(words), peak, measure.system_calls(binary, *words)),
            [] if peak < MEMORY_KB else '%d kB' % peak)


def play(tap):
    peers.shell('bed_many %d' % COUNT)
    before = sysfs_hw()
    document = program.listing('counters', '--all')
    values = {(row['device'], row['port'], row['kernel_name']): row['value']
              for row in document.rows if row['source'] == 'hw'}
    tap.test('many: hw counters as sysfs has them', unequal('exit status', document.status, 0) +
             between('hw', values, before, sysfs_hw()))
    order(tap, document)
    binary = program.plain_binary()
    if not binary:
        tap.skip('many: what counters cost', 'there is no build without sanitizers')
        return
    cost(tap, binary)
    memory(tap, binary)
    steady(tap, binary)
