# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""64 devices are listed in order, as the other tools list them, in little memory."""

import measure
import peers
import program
from netlink import clear
from scene_wire import compare_all
from tap import unequal

COUNT = 64
MEMORY_KB = 10 * 1024


def order(tap, shot):
    names = ['rxe%d' % number for number in range(COUNT)]
    for name, document in shot.ours.items():
        found = []
        for row in document.rows:
            if not found or found[-1] != row['device']:
                found.append(row['device'])
        tap.test('many: %s: all %d, in natural order' % (name, COUNT),
                 unequal('devices', found, names))
    indexes = [(row['device'], row['index']) for row in shot.ours['gids'].rows]
    wanted = sorted(indexes, key=lambda pair: (int(pair[0][3:]), pair[1]))
    tap.test('many: gids in the order of their indexes', unequal('GIDs', indexes, wanted))


def cost(tap):
    """Peak memory of the build without sanitizers."""
    binary = program.plain_binary()
    if not binary:
        tap.skip('many: peak memory', 'there is no build without sanitizers')
        return
    for name in program.LISTINGS:
        peak = max(measure.peak_memory_kb(binary, *form, name) for form in ((), ('-j',)))
        tap.test('many: %s in less than 10 MB: %d kB' % (name, peak),
                 [] if peak < MEMORY_KB else '%d kB' % peak)


def umad_beyond(tap):
    """libibumad opens umad0 to umad63 only; a message explains the 65th."""
    peers.shell('bed_many %d' % (COUNT + 1))
    device = next(name for name, nodes in peers.chardevs('infiniband_mad').items()
                  if 'umad%d' % COUNT in nodes)
    result = program.rdmactl('ping', '--gid', 'fd09::2', '--via', device)
    tap.test('many: the 65th umad device file', unequal('exit status', result.status, 5) +
             unequal('the reason is given', 'cannot open /dev/infiniband/umad64 of %s/1: libibumad '
                     'opens only the first 64 umad device files' % device in result.complaint(),
                     True) +
             unequal('and a step', 'grep . /sys/class/infiniband_mad' in result.complaint(), True))
    peers.run('rdma', 'link', 'del', 'rxe%d' % COUNT)


def play(tap):
    clear()
    peers.shell('bed_many %d' % COUNT)
    shot = compare_all(tap, 'many', slots=16)
    order(tap, shot)
    cost(tap)
    umad_beyond(tap)
