# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl metrics: counters under traffic, commands that hold objects, devices that are removed."""

import re
import signal
import time
import urllib.request

import peers
import program
import selftest
from selftest import Running, until
from tap import unequal

DEVICE, NETDEV = 'rxa', 'va'
PORT = 9879


def samples(text):
    """{name with labels: value}"""
    found = {}
    for line in text.splitlines():
        if line and not line.startswith('#'):
            name, value = line.rsplit(' ', 1)
            found[name] = float(value)
    return found


def scrape(*words):
    result = program.rdmactl('metrics', *words)
    return result, samples(result.text())


def sent():
    """Packets of all ports, because selftest chooses which one leads to the peer."""
    return sum(int(peers.read(path + '/hw_counters/sent_pkts') or 0)
               for _, _, path in peers.port_directories())


def scraped(found):
    return sum(value for name, value in found.items() if name.startswith('rdma_port_tx_packets_total{'))


def under_traffic(tap):
    """Each scrape lies between two readings of the kernel's file, while packets flow."""
    server = selftest.Server()
    run = selftest.Selftest('--peer', selftest.SERVER, '--bandwidth', '--duration', '60s', '--operations', 'send')
    wrong, values, commands = selftest.transfers(run, DEVICE, NETDEV), [], set()
    while run.process.poll() is None and len(values) < 3:
        before = sent()
        result, found = scrape('--top', '3')
        after = sent()
        wrong += unequal('exit status', result.status, 0)
        if not before <= scraped(found) <= after:
            wrong.append('%d <= %d <= %d does not hold' % (before, scraped(found), after))
        values.append(scraped(found))
        commands |= {match[1] for key, value in found.items() if value > 0 for match in
                     [re.match(r'rdma_command_queue_pairs\{command="([^"]*)"\}', key)] if match}
    run.end(signal.SIGINT)
    more, _ = server.stop()
    if len(values) < 2 or values[-1] <= values[0]:
        wrong.append('the counter did not grow: %s' % values)
    # Either the sanitized program or the name that a loader gives it.
    if not any('rdmactl' in command for command in commands):
        wrong.append('no queue pairs of the test among %s' % sorted(commands))
    tap.test('metrics: a counter under traffic, and the commands that hold queue pairs', wrong + more,
             ['%d scrapes, %s' % (len(values), ' '.join(sorted(commands)))])


def get():
    with urllib.request.urlopen('http://127.0.0.1:%d/metrics' % PORT, timeout=60) as reply:
        return samples(reply.read().decode())


def removed(tap):
    """A device removed between two scrapes has no samples; when added again, it has some."""
    state = 'rdma_port_state{device="%s",port="1",state="active"}' % DEVICE
    server = Running(program.RDMACTL, 'metrics', '--listen', '127.0.0.1:%d' % PORT)
    if not server.says('serving /metrics'):
        result = server.end()
        tap.test('metrics: a device that is removed between two scrapes', [result.complaint()])
        return
    # The server listens before it says so, and answers as soon as it runs.
    first = get()
    peers.run('rdma', 'link', 'delete', DEVICE)
    # The server keeps returning the same page for a moment.
    until(lambda: state not in get())
    second = get()
    peers.run('rdma', 'link', 'add', DEVICE, 'type', 'rxe', 'netdev', NETDEV)
    until(lambda: get().get(state) == 1)
    third = get()
    result = server.end(15)
    wrong = unequal('exit status of the server', result.status, 0)
    wrong += unequal('devices', [one['rdma_devices'] - first['rdma_devices'] for one in (second, third)], [-1, 0])
    wrong += unequal('state', (first.get(state), second.get(state), third.get(state)), (1, None, 1))
    left = [name for name in second if 'device="%s"' % DEVICE in name]
    wrong += unequal('samples of the removed device', left, [])
    tap.test('metrics: a device that is removed between two scrapes', wrong)


def play(tap):
    peers.shell('bed_wire')
    for step in (under_traffic, removed):
        begin = time.monotonic()
        step(tap)
        tap.say('%s: %.1f s' % (step.__name__, time.monotonic() - begin))
