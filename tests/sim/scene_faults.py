# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl smp on a fabric that loses datagrams, is slow, has dead nodes and unlinked ports."""

import time
from concurrent.futures import ThreadPoolExecutor

import bed
import compare
import fabric
import scene_bed
from tap import unequal

NET = fabric.fat_tree(100, levels=3, radix=8)


class Ask:
    """Queries NodeInfo of all nodes in one call, and keeps the results."""

    def __init__(self, sim, routes, *words, **options):
        begin = time.monotonic()
        self.document = sim.document('smp_nodeinfo', 'smp', 'nodeinfo', '-D', *words, '-',
                                     text=''.join(route + '\n' for route in routes), **options)
        self.seconds = time.monotonic() - begin
        self.answered = {row['object'] for row in self.document.rows}
        self.failed = {problem['object'] for problem in self.document.problems} - self.answered
        self.status = self.document.status
        self.wrong = []
        if set(routes) != self.answered | self.failed:
            self.wrong.append('neither row nor problem: %s' % sorted(
                set(routes) ^ (self.answered | self.failed))[:6])
        expected = 0 if not self.document.problems else 3 if self.answered else 1
        self.wrong += unequal('status', self.status, expected)

    def say(self):
        return ['%d answered, %d not, status %s, %.2f s' % (
            len(self.answered), len(self.failed), self.status, self.seconds)]


def losses(tap, sim, routes, whole):
    """Losses in both directions; all replies that arrive are correct."""
    truth = {row['object']: row for row in whole.document.rows}
    # With four tries, one node in 5000 fails with 10 % losses, and one in eight with 50 %.
    for percent, asked, least in ((1, 100, 100), (10, 100, 99), (50, 100, 70), (100, 30, 0)):
        log = sim.path('latsim.log')
        ask = Ask(sim, routes[:asked], latsim={'DROP_PERCENT': percent, 'SEED': percent,
                                               'RTT_USEC': 100, 'LOG': log})
        count = scene_bed.counts_of(log)
        wrong = list(ask.wrong)
        if len(ask.answered) < least:
            wrong.append('only %d answered' % len(ask.answered))
        if not count['lost'] and percent > 1:
            wrong.append('no packet was lost')
        for row in ask.document.rows:
            expected = dict(truth[row['object']])
            if row['node'] is None:
                expected['node'] = None
            wrong += compare.values(row['object'], row, expected)
        tap.test('faults: %d %% of the datagrams are lost' % percent, wrong,
                 ask.say() + [str(count)])


def windows(tap, sim, routes):
    """Answers are slow, so a wide window saves time. A busy machine may spoil one measurement.

    The time that a run takes without waiting for answers does not count.
    """
    seconds, log = {}, sim.path('latsim.log')
    rest = min(Ask(sim, routes).seconds for _ in range(2))

    def ask_by(window):
        ask = Ask(sim, routes, '--window', str(window), latsim={'RTT_USEC': 20000, 'LOG': log})
        seconds[window] = min(ask.seconds, seconds.get(window, ask.seconds))
        return ask

    for window in (1, 32):
        ask = ask_by(window)
        sent = scene_bed.counts_of(log)['sent']
        wrong = ask.wrong + unequal('answered', len(ask.answered), len(routes))
        if window == 1 and ask.seconds < 0.02 * len(routes):
            wrong.append('%d requests of 20 ms one after the other took %.2f s' % (
                len(routes), ask.seconds))
        tap.test('faults: a window of %d, 20 ms to each answer' % window, wrong,
                 ask.say() + ['%d sent' % sent])
    for _ in range(5):
        if seconds[1] - rest >= 4 * (seconds[32] - rest):
            break
        ask_by(32)
    tap.test('faults: a window of 32 is at least 4 times as fast as one of 1',
             [] if seconds[1] - rest >= 4 * (seconds[32] - rest) else [
                 '%s, without waiting %.2f s' % (seconds, rest)])


def dead_nodes(tap, sim, routes):
    """Nodes that never answer are named, the others answer, and timeouts run in parallel."""
    victims = [node.name for node in sim.net.hcas()
               if node.name not in (sim.host, sim.manager)][:20]
    for name in victims:
        sim.console('Error "%s" 100 17' % name)  # loses requests for NodeInfo only
    expected = {sim.net.routes(sim.host)[name] for name in victims}
    for latsim in (None, {'RTT_USEC': 100}):
        ask = Ask(sim, routes, latsim=latsim)
        wrong = ask.wrong + unequal('failed', sorted(ask.failed), sorted(expected))
        if ask.seconds > bed.SECONDS:
            wrong.append('it took %.1f s' % ask.seconds)
        tap.test('faults: 20 nodes never answer, %s' % (
            'after a timeout' if latsim else 'reported at once'), wrong, ask.say())
    for name in victims:
        sim.console('Error "%s" 0' % name)


def unlinked(tap, sim, routes):
    """A pulled cable, and routes through ports without a cable and through an adapter."""
    victim = sim.net.hcas()[-1].name
    lost = sim.net.routes(sim.host)[victim]
    sim.console('Unlink "%s"' % victim)
    ask = Ask(sim, routes)
    tap.test('faults: an unlinked node', ask.wrong + unequal('failed', ask.failed, {lost}),
             ask.say())
    sim.console('ReLink "%s"' % victim)
    beyond = [lost + ',1', '0,1,200', '0,2']
    ask = Ask(sim, beyond)
    tap.test('faults: routes that lead nowhere',
             ask.wrong + unequal('answered', ask.answered, set()), ask.say())
    ask = Ask(sim, routes)
    tap.test('faults: after the links are restored, all nodes answer', ask.wrong + unequal('failed', ask.failed, set()),
             ask.say())


def side_by_side(tap, sim, routes, whole):
    """Several runs on one port at once do not take each other's answers."""
    with ThreadPoolExecutor(4) as pool:
        asks = list(pool.map(lambda _: Ask(sim, routes, latsim={'RTT_USEC': 500}), range(4)))
    wrong = []
    for ask in asks:
        wrong += ask.wrong + unequal('rows', ask.document.rows, whole.document.rows)
    tap.test('faults: four runs at once on one port', wrong)


def play(tap, box):
    with bed.Simulator(box, NET) as sim:
        sim.start_manager()
        routes = list(sim.net.routes(sim.host).values())
        whole = Ask(sim, routes)
        tap.test('faults: all nodes answer', whole.wrong + unequal(
            'answered', len(whole.answered), len(routes)), whole.say())
        losses(tap, sim, routes, whole)
        windows(tap, sim, routes)
        dead_nodes(tap, sim, routes)
        unlinked(tap, sim, routes)
        side_by_side(tap, sim, routes, whole)
        tap.test('faults: the subnet manager is still running',
             [] if sim.manager_lives() else ['it has ended'])
