# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""selftest is interrupted: by signals, by the removal of a device, by a link that goes down."""

import os
import signal

import peers
import selftest
from selftest import Selftest, Server, leaked, run, transfers, wrong_with
from tap import unequal

# Longer than any test here waits, so that only the test's action ends the client.
LONG = ('--bandwidth', '--operations', 'write', '--sizes', '4k', '--duration', '60s')
TEST = 'bandwidth-write'
GONE = '10.9.0.2 ended the exchange during the test: its rdmactl was stopped'


def begin(*words):
    """Starts a client, waits until it transfers data; returns it and a list of what is wrong."""
    client = Selftest('--peer', '10.9.0.2', *LONG, *words)
    return client, transfers(client)


def next_client(server='10.9.0.2'):
    return wrong_with(run('--peer', server, '--test', 'rc-send'), 0, ('rc-send', 'pass', ''))


def client_interrupted(tap, server, before):
    client, wrong = begin()
    document = client.end(signal.SIGINT)
    wrong += wrong_with(document, 3, ('connect', 'pass', ''), (TEST, 'skip', 'interrupted'))
    wrong += ['no partial figures: %s' % row['iterations'] for row in document.rows
              if row['test'] == TEST and not row['iterations']]
    tap.test('ends: SIGINT: exit status 3, partial results are printed', wrong)
    tap.test('ends: SIGINT: the server cleans up', leaked(before) + still_serves(server))


def client_killed(tap, server, before):
    client, wrong = begin()
    client.end(signal.SIGKILL)
    tap.test('ends: the client is killed: the server cleans up and serves the next one',
             wrong + leaked(before) + next_client() + leaked(before) + still_serves(server))


def still_serves(server):
    return [] if server.process.poll() is None else 'the server has ended'


def cut_off(tap):
    """A link goes down; a peer loses its address, and with it its GID and the TCP connection. On two
    wires at once, because both take the clients ten seconds."""
    other = Server(bind='10.9.2.2')
    client, wrong = begin()
    second = Selftest('--peer', '10.9.2.2', *LONG)
    more = transfers(second, 'rxc', 'vc')
    peers.must('ip', 'link', 'set', 'va', 'down')
    peers.must('ip', 'addr', 'del', '10.9.2.2/24', 'dev', 'vd')
    document, silent = client.end(), second.end()
    peers.must('ip', 'link', 'set', 'va', 'up')
    peers.shell('bed_rewire')
    tap.test('ends: the link goes down: the client says which', wrong + wrong_with(
        document, 4, ('connect', 'pass', ''),
        (TEST, 'fail', 'port rxa/1 went down during the test')))
    tap.test('ends: the link is up again: the server serves the next client', next_client())
    peers.must('ip', 'addr', 'add', '10.9.2.2/24', 'dev', 'vd')
    peers.shell('bed_route 10.9.2 fd09:2 vc vd | ip -batch -')
    tap.test('ends: the peer loses its address: it answers neither packets nor TCP',
             more + wrong_with(silent, 4, ('connect', 'pass', ''), (
                 TEST, 'fail', '10.9.2.2 stopped answering, with no reply for ')))
    tap.test('ends: the address is back: the server serves the next client',
             next_client('10.9.2.2') + other.stop()[0])


def devices_removed(tap):
    for device, netdev, sentence in (('rxa', 'va', 'device rxa was removed during the test'),
                                     ('rxb', 'vb',
                                      'on 10.9.0.2: device rxb was removed during the test')):
        client, wrong = begin()
        # The command returns when no program uses the device any more.
        removal = peers.run('rdma', 'link', 'del', device)
        wrong += removal.describe() if removal.status else []
        wrong += wrong_with(client.end(), 4, ('connect', 'pass', ''), (TEST, 'fail', sentence))
        peers.must('rdma', 'link', 'add', device, 'type', 'rxe', 'netdev', netdev)
        tap.test('ends: device %s is deleted: selftest does not delay this' % device, wrong)
    tap.test('ends: the devices are back: the server serves the next client', next_client())


def server_ended(tap, server):
    client, wrong = begin()
    stopped, _ = server.stop()
    tap.test('ends: SIGTERM for the server: exit status 0, the client says what happened', stopped +
             wrong + wrong_with(client.end(), 4, ('connect', 'pass', ''), (TEST, 'fail', GONE)))
    before = selftest.resources()
    server = Server()
    client, wrong = begin()
    server.end(signal.SIGKILL)
    wrong += wrong_with(client.end(), 4, ('connect', 'pass', ''), (TEST, 'fail', GONE))
    tap.test('ends: the server is killed: the client says so, nothing is left',
             wrong + leaked(before))


def second_signal(tap):
    """The first signal ends a server after its clients, but this client does not end."""
    server = Server()
    client, wrong = begin()
    with open('/proc/%d/task/%d/children' % (2 * (server.process.pid,)), encoding='ascii') as file:
        child = int(file.read().split()[0])
    os.kill(child, signal.SIGSTOP)
    server.process.send_signal(signal.SIGINT)
    caught = selftest.until(lambda: not catches(server.process.pid, signal.SIGINT))
    document = server.end(signal.SIGINT)
    os.kill(child, signal.SIGKILL)
    client.end(signal.SIGKILL)
    tap.test('ends: a second SIGINT ends the server at once', wrong +
             unequal('the first one is handled', caught, True) +
             unequal('exit status', document.status, -signal.SIGINT))


def catches(process, number):
    status = peers.read('/proc/%d/status' % process) or 'SigCgt:\t0'
    return int(status.split('SigCgt:\t')[1].split()[0], 16) >> (number - 1) & 1


def play(tap):
    peers.shell('bed_second_wire')
    before = selftest.resources()
    server = Server()
    client_interrupted(tap, server, before)
    client_killed(tap, server, before)
    cut_off(tap)
    devices_removed(tap)
    server_ended(tap, server)
    second_signal(tap)
    # The scenes that follow use only the first wire.
    peers.must('rdma', '-b', '-', stdin=b'link del rxc\nlink del rxd\n')
    peers.must('ip', 'link', 'del', 'vc')
