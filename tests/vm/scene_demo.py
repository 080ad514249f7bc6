# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""make demo, the part in the virtual machine: each step of the main job runs and gives results."""

import os

import peers
import program
from tap import unequal

# The steps, by the beginnings of their commands, and a text that each one must print.
STEPS = {
    'devices': 'rxb ',
    'ports': 'active',
    'netdevs': 'vb ',
    'gids': '10.9.0.2',
    'selftest rxa': 'latency-write pass',
    'doctor': 'checked:',
    'topo': 'NODE',
    'ports --json': '"schema": "rdmactl/ports/',
    'metrics': 'rdma_port_rx_packets_total{device="rxa",port="1"} ',
    'gids --to': 'yes rxa',
    'gids --to 10.9.0.2 --env': 'NCCL_IB_GID_INDEX=',
}


def play(tap):
    result = peers.run(os.path.join(program.TOP, 'tests', 'demo'), program.RDMACTL, 'guest')
    program.check(result)
    tap.test('demo: it ends with status 0', result.describe() if result.status else [])
    # A status that is not a result (tests/demo accepts 3 and 4) ends it with 1.
    steps = [part.split('\n', 1) for part in result.text().split('\n$ rdmactl ')[1:]]
    tap.test('demo: all steps are shown', unequal('commands', len(steps), len(STEPS)))
    for (command, said), (words, wanted) in zip(steps, STEPS.items()):
        tap.test('demo: %s' % words,
                 [] if command.startswith(words) and wanted in said else [command, *said.split('\n')])
