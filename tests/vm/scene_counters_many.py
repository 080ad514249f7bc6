# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Counters of 64 devices: all of them, correct, in little memory, and --watch does not grow; and
their events."""

import json
import socket
import threading
import time

import measure
import netlink
import peers
import program
from events import Quiet, pairs, remove_vlan
from scene_counters import TRIES, between, on_grid, sysfs_hw
from selftest import until
from tap import unequal

COUNT = 64
MEMORY_KB = 10 * 1024
# Number of devices watched for growth: 75 rounds of all of them take too long under emulation.
WATCHED = 4
# Less than one allocation of the smallest size, 32 bytes, for each of those devices.
GROWTH_BYTES = 32 * WATCHED


def order(tap, document):
    names = []
    for row in document.rows:
        if row['device'].startswith('rxe') and (not names or names[-1] != row['device']):
            names.append(row['device'])
    tap.test('many: counters: all %d, in natural order' % COUNT,
             unequal('devices', names, ['rxe%d' % number for number in range(COUNT)]))


class Watched(threading.Thread):
    """The memory that --watch holds from round to round, with all counters of WATCHED devices.

    The run takes at least 22 s, most of which it waits, so other tests go on meanwhile.
    """

    def __init__(self, library, binary):
        super().__init__()
        self.library, self.binary = library, binary
        self.sizes = []
        self.start()

    def run(self):
        self.sizes = measure.heap_in_use(
            self.library, self.binary, '--jsonl', 'counters', '--watch', '--interval', '300ms',
            '--count', '75', '--all', *('rxe%d' % number for number in range(WATCHED)))


def memory(tap, watched):
    """Every ten seconds --watch looks for links with another rate, and holds two copies of
    everything for a round, so the minimum of each third of the time counts: two such rounds follow
    the one of the first third. During the first third, names, problems and buffers are created,
    which happens once. Heap chunks are up to 16 bytes larger than requested.
    """
    test = 'many: --watch does not grow'
    if not watched:
        tap.skip(test, program.NOT_BUILT)
        return
    watched.join()
    sizes = watched.sizes
    third = len(sizes) // 3
    first, middle, last = (min(sizes[at:at + third]) for at in (0, third, 2 * third)) if third else \
        (0, 0, 0)
    tap.test(test, unequal('rounds', len(sizes) >= 75, True) +
             unequal('growth', last < middle + GROWTH_BYTES, True),
             ['%d, %d, %d bytes' % (first, middle, last)])


def steady(tap, binary):
    """The rounds are on time and all counters count."""
    for _ in range(TRIES):
        result = peers.run(binary, '--jsonl', 'counters', '--watch', '--interval', '500ms',
                           '--count', '24', '-o', 'object,kernel_name,interval_sec,state')
        rows = [json.loads(line) for line in result.text().splitlines()]
        times = [row['interval_sec'] for row in rows
                 if (row['object'], row['kernel_name']) == ('rxe7/1', 'sent_pkts')]
        late = on_grid(times, 0.5)
        if not late:
            break
    tap.test('many: --watch does not drift', unequal('exit status', result.status, 0) +
             unequal('rounds', len(times), 24) + late +
             unequal('states', sorted({row['state'] for row in rows}), ['counted']),
             ['%d rounds in %.3f s' % (len(times), sum(times))])


def cost(tap, binary):
    for words in (('counters',), ('-j', 'counters', '--all'), ('counters', '--save', '/run/many')):
        peak = measure.peak_memory_kb(binary, *words)
        tap.test('many: %s in less than 10 MB: %d kB' % (' '.join(words), peak),
                 [] if peak < MEMORY_KB else '%d kB' % peak)


def flap(tap, quiet, binary):
    """All links of this scene go down and come up again at once. Earlier scenes may have left others."""
    ports = {'%s/%d' % (device, port) for device, port, _ in peers.port_directories()}
    link, watch, count = netlink.Links(), quiet.watch, len(ports)
    tap.test('many: events: it watches all %d' % count,
             [] if 'watching %d ports of %d devices' % (count, count) in watch.complaint() else
             watch.complaint())
    fds = len(peers.listdir('/proc/%d/fd' % watch.pid))
    names = {'rxe%d/1' % i: 'd%d' % i for i in range(COUNT)}
    names.update({'rxa/1': 'va'})
    indexes = [socket.if_nametoindex(netdev) for netdev in names.values()]
    switches = quiet.switches()
    begin = time.time()
    for index in indexes:
        link.down(index)
    took = time.time() - begin
    # One end of the wire follows the other.
    wanted = {*names, 'rxb/1'}

    def have(word):
        return watch.counts[word] >= len(wanted) and \
            wanted <= {one['object'] for one in watch.find(word)}

    until(lambda: have('port-down'))
    late = max((one['stamp'] for one in watch.find('port-down')), default=0) - begin - took
    wrong = unequal('ports of this scene', wanted & ports, wanted)
    wrong += unequal('down', {one['object'] for one in watch.find('port-down')}, wanted)
    for index in indexes:
        link.up(index)
    until(lambda: have('port-active'))
    wrong += unequal('active', {one['object'] for one in watch.find('port-active')}, wanted)
    of = {name: [] for pair in names.items() for name in pair}
    for one in watch.events:
        of.get(one['object'], []).append(one)
    for port, netdev in names.items():
        wrong += unequal('of ' + port, [one['event'] for one in of[port]],
                         ['port-down', 'port-active'])
        wrong += pairs(of[netdev], 'netdev-disabled', 'netdev-enabled')
    wrong += unequal('gaps', watch.find('gap'), [])
    peak = max(quiet.started, quiet.status('VmHWM'))
    wakes = quiet.switches() - switches
    tap.test('many: events of all devices at once', wrong + watch.wrong(watch.end()),
             ['%d descriptors, %d wake-ups for %d events, peak of the memory %d kB; %d links down '
              'in %.0f ms, the last event %.0f ms after' %
              (fds, wakes, len(watch.events), peak, len(indexes), took * 1000, late * 1000)])
    if binary:
        tap.test('many: events in less than 10 MB: %d kB' % peak,
                 [] if peak < MEMORY_KB else 'too much')
    else:
        tap.skip('many: peak memory of events', 'there is no build without sanitizers')
    peers.shell('bed_rewire')


def play(tap):
    peers.shell('bed_wire && bed_many %d' % COUNT)
    remove_vlan()
    binary = program.plain_binary()
    library = program.built('heap_in_use.so')
    quiet = Quiet(binary=binary)
    watched = Watched(library, binary) if binary and library else None
    before = sysfs_hw()
    document = program.listing('counters', '--all')
    values = {(row['device'], row['port'], row['kernel_name']): row['value']
              for row in document.rows if row['source'] == 'hw'}
    tap.test('many: hw counters as in sysfs', unequal('exit status', document.status, 0) +
             between('hw', values, before, sysfs_hw()))
    order(tap, document)
    if binary:
        cost(tap, binary)
        steady(tap, binary)
        memory(tap, watched)
    else:
        tap.skip('many: what counters cost', 'there is no build without sanitizers')
    quiet.tell(tap, 'many devices')
    flap(tap, quiet, binary)
