# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl events under load: fast flaps and lost messages; and the latency of an event. The scenes
`counters` and `counters-many` have an idle system, and many devices."""

import os
import signal
import socket
import time

import netlink
import peers
import program
from events import LINKWATCH, SOON, Watch, pairs, remove_vlan
from selftest import steady, until
from stalls import SLOWER, Stalls
from tap import unequal

LINK, DEVICE = None, None
FLAPS = 200
LARGEST_BUFFER = '/proc/sys/net/core/rmem_max'
SAMPLES = int(os.environ.get('RDMACTL_SAMPLES', 12))


def number(netdev):
    return socket.if_nametoindex(netdev)


def carries(netdev):
    return peers.read('/sys/class/net/%s/operstate' % netdev) in ('up', 'unknown')


def flaps(tap, pause):
    va = number('va')
    watch = Watch('rxa', '--flap', '0')
    stalls = Stalls()
    begin = time.monotonic()
    for _ in range(FLAPS):
        LINK.down(va)
        time.sleep(pause)
        LINK.up(va)
        time.sleep(pause)
    took = time.monotonic() - begin
    # A busy machine needs some time for so many events.
    until(lambda: watch.counts['gap'] or all(
        watch.counts[word] >= FLAPS for word in ('port-active', 'netdev-enabled')))
    watch.settle(LINKWATCH)
    stalls.end()
    result = watch.end()
    wrong = watch.wrong(result)
    gaps = watch.find('gap')
    port = [one for one in watch.events if one['object'] == 'rxa/1']
    netdev = [one for one in watch.events if one['object'] == 'va']
    counts = {word: watch.counts[word] for word in (
        'port-down', 'port-active', 'netdev-disabled', 'netdev-enabled', 'netdev-down',
        'netdev-up', 'gap')}
    if not gaps:
        wrong += unequal('events', [counts[word] for word in (
            'port-down', 'port-active', 'netdev-disabled', 'netdev-enabled')], [FLAPS] * 4)
    wrong += pairs(port, 'port-down', 'port-active')
    wrong += pairs(netdev, 'netdev-disabled', 'netdev-enabled')
    wrong += pairs(netdev, 'netdev-down', 'netdev-up')
    wrong += unequal('the last', [[one['event'] for one in port][-1:],
                                  counts['netdev-down'] == counts['netdev-up']],
                     [['port-active'], True])
    for one in port:
        sides = {'port-down': ('active', 'down'), 'port-active': ('down', 'active')}
        wrong += unequal(one['event'], (one['state_before'], one['state']), sides[one['event']])
    tap.test('events: %d flaps in a row, %d ms apart: none lost' % (FLAPS, pause * 1000), wrong,
             ['%.1f s, %s, the machine stood still for %.2f s at most' % (
                 took, counts, max((late for _, late in stalls.found), default=0))])
    peers.shell('bed_rewire')


def gap(tap):
    """A slow reader loses messages, then compares everything. Only root may enlarge its buffer."""
    va = number('va')
    peers.must('ip', '-b', '-', stdin=b'link add noise type dummy\nlink set noise up\n'
                                      b'link add dm0 type dummy\nlink set dm0 up\n')
    # With Linux 7.3 anyone may have a buffer of 4 MiB, in which all would have a place.
    with open(LARGEST_BUFFER) as file:
        largest = file.read()
    with open(LARGEST_BUFFER, 'w') as file:
        file.write('212992')
    watch = Watch(prefix=peers.NOBODY)
    with open(LARGEST_BUFFER, 'w') as file:
        file.write(largest)
    watch.process.send_signal(signal.SIGSTOP)
    noise = number('noise')
    for i in range(1500):
        LINK.address(noise, '10.99.%d.%d/32' % (i // 250, i % 250 + 1))
    LINK.mtu(va, 4200)
    LINK.address(va, '10.9.0.77/24')
    DEVICE.add('rxd', 'dm0')
    LINK.down(number('vb'))
    # It takes the kernel a moment to notice that the carrier is gone: until then, only half of the
    # changes exist.
    until(lambda: not carries('va'))
    watch.process.send_signal(signal.SIGCONT)
    watch.wait('gap')
    watch.wait('port-down', 'rxb/1')
    watch.wait('device-added', 'rxd')
    watch.settle()
    wrong = unequal('gaps', [(one['source'], one['severity']) for one in watch.find('gap')],
                    [('rtnl', 'warning')])
    for want in (('va', 'netdev-mtu', {'netdev_mtu_bytes_before': 1500, 'netdev_mtu_bytes': 4200,
                                       'source': 'resync'}),
                 ('va', 'address-added', {'address': '10.9.0.77', 'source': 'resync'}),
                 ('rxa/1', 'gid-added', {'gid': '0000:0000:0000:0000:0000:ffff:0a09:004d'}),
                 ('vb', 'netdev-disabled', {'source': 'resync'}),
                 ('vb', 'netdev-down', {'operstate_before': 'up'}),
                 ('va', 'netdev-down', {'operstate_before': 'up'}),
                 ('rxa/1', 'port-down', {'state_before': 'active'}),
                 ('rxb/1', 'port-down', {'state_before': 'active'}),
                 ('rxd', 'device-added', {}), ('rxd/1', 'port-active', {})):
        found = watch.find(want[1], want[0], **want[2])
        if len(found) != 1:
            wrong.append('%d times %s' % (len(found), want))
    tap.test('events: lost messages are marked, and all differences follow', wrong)
    # From here on nothing is lost.
    begin = len(watch.events)
    LINK.up(number('vb'))
    LINK.mtu(va, 1500)
    LINK.address(va, '10.9.0.77/24', False)
    LINK.down(number('dm0'))
    wrong = ['no %s of %s' % (want[1], want[0])
             for want in (('va', 'netdev-mtu'), ('va', 'address-removed'),
                          ('rxa/1', 'gid-removed'), ('rxb/1', 'port-active'),
                          ('rxa/1', 'port-active'), ('rxd/1', 'port-down'),
                          ('va', 'netdev-up'))
             if not watch.wait(want[1], want[0], begin=begin)]
    wrong += unequal('more gaps', watch.find('gap', begin=begin), [])
    tap.test('events: after a gap it continues as before', wrong + watch.wrong(watch.end()))
    DEVICE.delete(DEVICE.index('rxd'))
    peers.must('ip', '-b', '-', stdin=b'link del noise\nlink del dm0\n')
    peers.shell('bed_rewire')


def latency(tap):
    """Latency with the plain build, from the cause to the event's time stamp and to its line in
    the pipe."""
    peers.shell('bed_wire')
    peers.must('ip', '-b', '-', stdin=b'link add dm0 type dummy\nlink set dm0 up\n')
    steady(seconds=LINKWATCH)
    watch = Watch(binary=program.plain_binary())
    va, dm0 = number('va'), 'dm0'
    state = {'number': 0}

    def address():
        state['number'] += 1
        LINK.address(va, '10.9.77.%d/32' % state['number'])

    causes = (('link down', lambda: LINK.down(va), 'port-down', 'rxa/1'),
              ('link up', lambda: LINK.up(va), 'port-active', 'rxa/1'),
              ('address added', address, 'address-added', 'va'),
              ('GID of it', address, 'gid-added', 'rxa/1'),
              ('rdma link add', lambda: DEVICE.add('rxd', dm0), 'device-added', 'rxd'),
              ('rdma link del', lambda: DEVICE.delete(DEVICE.index('rxd')), 'device-removed',
               'rxd'))
    figures = {title: [] for title, *_ in causes}
    stalls = Stalls()
    wrong = []
    for _ in range(SAMPLES):
        for title, act, word, name in causes:
            begin, when = len(watch.events), time.time()
            act()
            done = time.time()
            found = watch.wait(word, name, begin=begin)
            if not found:
                wrong.append('no %s' % word)
                continue
            watch.settle(0.05)
            figures[title].append((found['stamp'] - when, found['arrived'] - when, done - when,
                                   stalls.idle(when, found['stamp'])))
    stalls.end()
    say = ['the machine stood still for %.2f s in all' % stalls.between(0, time.time()),
           '%d times, ms after the cause began: stamp median/worst, line in the pipe median/worst '
           '(the call itself median, idle until the stamp median)' % SAMPLES]
    for title, samples in figures.items():
        columns = [sorted(one[i] * 1000 for one in samples) for i in range(4)]
        middle = len(samples) // 2
        if not samples:
            continue
        say.append('%-14s %6.1f/%6.1f  %6.1f/%6.1f  (%.1f, %.1f)' % (
            title, columns[0][middle], columns[0][-1], columns[1][middle], columns[1][-1],
            columns[2][middle], columns[3][middle]))
        late = columns[0][middle] - 1000 * stalls.between(0, time.time()) / SAMPLES
        if min(late, columns[3][middle]) > 1000 * SOON or late > 1000 * SLOWER * SOON:
            wrong.append('%s: %.1f ms, %.1f of them idle' % (title, columns[0][middle],
                                                             columns[3][middle]))
    tap.test('events: they appear soon after their causes', wrong + watch.wrong(watch.end()), say)
    peers.must('ip', 'link', 'del', 'dm0')
    peers.shell('bed_rewire')


def play(tap):
    global LINK, DEVICE
    LINK, DEVICE = netlink.Links(), netlink.Devices()
    peers.shell('bed_wire')
    remove_vlan()
    steady(seconds=LINKWATCH)
    flaps(tap, 0)
    flaps(tap, 0.01)
    gap(tap)
    latency(tap)
