# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Changes: `rdma` must show ours, and rdmactl those made by `rdma`."""

import peers
import program
from tap import unequal


def change(*words, **options):
    """The document of a change: its status, rows, problems, and whether anything changed."""
    return program.parse('change', words, program.rdmactl(*words, '--json', **options))


def states(document):
    return [row['state'] for row in document.rows]


def system(tap):
    done = change('system', 'set', 'netns-mode', 'exclusive', '--yes')
    theirs = peers.must('rdma', 'system', 'show').text()
    again = change('system', 'set', 'netns-mode', 'exclusive')
    tap.test('change: netns-mode, and rdma shows it; a second change is unchanged',
             unequal('status', (done.status, again.status), (0, 0)) +
             unequal('changed', (done.changed, again.changed), (True, False)) +
             unequal('states', states(done) + states(again), ['changed', 'unchanged']) +
             ([] if 'netns exclusive' in theirs else [theirs]))
    peers.must('ip', 'netns', 'add', 'other')
    refused = change('system', 'set', 'netns-mode', 'shared', '--yes')
    tap.test('change: netns-mode beside another network namespace: failed, with the next step',
             unequal('status', refused.status, 1) + unequal('states', states(refused), ['failed']) +
             ([] if 'options ib_core' in (refused.rows[0]['next_step'] or '') else refused.rows))
    peers.delete_netns('other')
    change('system', 'set', 'netns-mode', 'shared', '--yes')


def play(tap):
    system(tap)
