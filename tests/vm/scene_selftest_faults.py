# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""selftest finds faults of the network, of the host and of the request."""

import os
import re
import socket
import threading

import peers
from selftest import SHALLOW, Server, Selftest, run, until, wrong_with
from tap import unequal

PORT = 18777
MEMLOCK = ('prlimit', '--memlock=65536')
# All packets go to the first band, except UDP port 4791, which the third band drops.
BLOCKED = """qdisc add dev %(netdev)s root handle 1: prio bands 3 priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
qdisc add dev %(netdev)s parent 1:3 netem loss 100%%
filter add dev %(netdev)s parent 1: protocol ip u32 match ip protocol 17 0xff \
match ip dport 4791 0xffff flowid 1:3
"""


def tc(lines):
    peers.must('tc', '-batch', '-', stdin=lines.encode())


class Loss:
    """Drops 5 % of a few thousand packets, so that retransmissions are certain. Most of that is waiting,
    so the second wire loses packets while the first one has other faults."""

    def __init__(self):
        self.server = Server(bind='10.9.2.2')
        tc('qdisc add dev vc root netem loss 5%\n')
        self.client = Selftest('--peer', '10.9.2.2', '--test', 'rc-send,rc-write,rc-1m')

    def tell(self, tap):
        document = self.client.end()
        tc('qdisc del dev vc root\n')
        wrong = wrong_with(document, 0, ('rc-send', 'pass', ''), ('rc-write', 'pass', ''),
                           ('rc-1m', 'pass', ''), ('counters', 'pass', ' retransmissions, '))
        for row in document.rows:
            if row['test'] == 'counters':
                if not re.match('[1-9][0-9]* retransmissions, ', row['reason'] or ''):
                    wrong.append('no retransmission: %s' % row['reason'])
                if not any(counter['name'] == 'completer_retry_err' and
                           counter['after'] > counter['before'] for counter in row['counters']):
                    wrong.append('no retransmission in %s' % row['counters'])
        wrong += unequal('devices', {row['device'] for row in document.rows}, {'rxc'})
        tap.test('faults: 5 % loss: passes, and reports retransmissions', wrong + self.server.stop()[0])


# What is blocked: the test, and what its row says. Without acknowledgements only one side sends, and
# the other waits.
NOTHING = 'nothing arrived%s within 3000 ms: UDP port 4791 (RoCE v2) seems to be blocked%s: '
DATAGRAMS = {
    'va': [(test, NOTHING % (' at rxb/1 of 10.9.0.2', '') + 'rxa/1 sent ')
           for test in ('uc-send', 'multicast')],
    'vb': [('uc-send', NOTHING % ('', ' on the return path') + 'rxb/1 of 10.9.0.2 received ')],
}


def blocked(tap):
    peers.must('modprobe', '-a', 'sch_prio', 'cls_u32')
    for netdev, sentence in (
            ('va', r'UDP port 4791 \(RoCE v2\) seems to be blocked: rxa/1 sent \d+ packets, '
                   r'rxb/1 of 10\.9\.0\.2 received no packets$'),
            ('vb', r'UDP port 4791 \(RoCE v2\) seems to be blocked on the return path: '
                   r'rxb/1 of 10\.9\.0\.2 received \d+ packets, but rxa/1 received no packets$')):
        tc(BLOCKED % {'netdev': netdev})
        # One after the other: each says what the port's counters, which all of them share, have
        # counted meanwhile.
        document, *others = [run('--peer', '10.9.0.2', *words)
                             for words in ((), *(('--test', test) for test, _ in DATAGRAMS[netdev]))]
        tc('qdisc del dev %s root\n' % netdev)
        wrong = wrong_with(document, 4, ('setup-connect', 'pass', ''),
                           ('rc-send', 'fail', 'UDP port 4791'),
                           ('rc-read', 'skip', 'nothing gets through: see rc-send'),
                           ('fault-bad-key', 'skip', 'nothing gets through: see rc-send'))
        for row in document.rows:
            if row['test'] == 'rc-send' and not re.search(sentence, row['reason'] or ''):
                wrong.append('the sentence is %r' % row['reason'])
        tap.test('faults: UDP port 4791 is blocked from %s, TCP is not' % netdev, wrong)
        for (test, told), other in zip(DATAGRAMS[netdev], others):
            tap.test('faults: UDP port 4791 is blocked from %s: %s' % (netdev, test),
                     wrong_with(other, 4, (test, 'fail', told)))


def mtus(tap):
    peers.must('ip', 'link', 'set', 'vb', 'mtu', '4200')
    document = run('--peer', '10.9.0.2', '--test', 'setup-device,rc-mtu')
    peers.must('ip', 'link', 'set', 'vb', 'mtu', '1500')
    tap.test("faults: the ports' MTUs differ: the smaller one is used, both are reported", wrong_with(
        document, 0, ('setup-device', 'pass',
                      'the MTUs differ: rxa/1 has 1024 bytes, rxb/1 of 10.9.0.2 has 4096'),
        ('rc-mtu', 'pass', '')) +
        unequal('sizes of rc-mtu', {row['size_bytes'] for row in document.rows
                                    if row['test'] == 'rc-mtu'}, {1024}))


def expectations(tap):
    document = run('--peer', '10.9.0.2', *SHALLOW, '--test', 'bandwidth-write', '--iterations', '10',
                   '--expect-gbps', '1000')
    tap.test('faults: --expect-gbps is missed', wrong_with(
        document, 4, ('bandwidth-write', 'fail', 'Gb/s, expected at least 1000.00 Gb/s')))
    document = run('--peer', '10.9.0.2', '--test', 'latency-read', '--iterations', '10',
                   '--expect-usec', '0.01')
    tap.test('faults: --expect-usec is missed', wrong_with(
        document, 4, ('latency-read', 'fail', 'us, expected at most 0.01 us')))


def host(tap):
    """Limits and permissions of an ordinary user; a port that is down."""
    document = run('rxa', '--test', 'setup', prefix=peers.NOBODY + MEMLOCK)
    tap.test('faults: RLIMIT_MEMLOCK of 64 KiB', [
        line for line in wrong_with(document, 4, (
            'setup-memory-4m', 'fail', 'cannot lock 4 MiB for rxa: RLIMIT_MEMLOCK is 64 KiB'))
        if 'setup-' not in line.split(' failed: ')[0] or 'RLIMIT_MEMLOCK' not in line])
    nodes = ['/dev/infiniband/' + name for name in peers.listdir('/dev/infiniband')
             if name.startswith('uverbs')]
    for node in nodes:
        os.chmod(node, 0o600)
    document = run('rxa', prefix=peers.NOBODY)
    server = Server('--once', prefix=peers.NOBODY)
    client = run('--peer', '10.9.0.2')
    served = server.end()
    for node in nodes:
        os.chmod(node, 0o666)
    tap.test('faults: this user may not open the device files', wrong_with(
        document, 4, ('connect', 'fail',
                      'cannot open the uverbs device file of rxa: Permission denied')))
    tap.test('faults: a server may not open the device files: --serve --once ends with 4', wrong_with(
        client, 4, ('connect', 'fail', 'on 10.9.0.2: cannot open the uverbs device file of the device: '
                                       'Permission denied')) +
        unequal("the server's exit status", served.status, 4) +
        unequal('its row', [(row['result'], row['reason']) for row in served.rows],
                [('fail', 'a request was refused: cannot open the device: Permission denied')]))
    os.chmod('/dev/infiniband/rdma_cm', 0o600)
    document = run('rxa', '--cm', '--test', 'rc-send', prefix=peers.NOBODY)
    os.chmod('/dev/infiniband/rdma_cm', 0o666)
    tap.test('faults: this user may not open the device file of rdma_cm', wrong_with(
        document, 4, ('rc-send', 'fail',
                      'cannot open /dev/infiniband/rdma_cm: Permission denied')))
    peers.must('ip', 'link', 'set', 'va', 'down')
    # Without va's routes its peer is a local address, and the kernel takes a while to notice that
    # vb has lost its carrier.
    until(lambda: 'ACTIVE' not in peers.read('/sys/class/infiniband/rxb/ports/1/state'))
    named, other = run('rxa'), run('--peer', '10.9.0.2')
    peers.must('ip', 'link', 'set', 'va', 'up')
    peers.shell('bed_rewire')
    tap.test('faults: the port is down', wrong_with(named, 4, (
        'connect', 'fail', 'port rxa/1 is not ACTIVE but down (its netdev va is down)')))
    tap.test('faults: the port to the peer is down',
             unequal('exit status', other.status, 4) +
             unequal('result', [row['result'] for row in other.rows], ['fail']) +
             ['it does not say which port: %s' % row['reason'] for row in other.rows
              if 'is not ACTIVE' not in row['reason']])


def wait_for_end(connection):
    try:
        while connection.recv(4096):
            pass
    except ConnectionResetError:
        pass


class Stranger(threading.Thread):
    """Another program on the server's port, which sends other data or none, and closes."""

    def __init__(self, answer):
        super().__init__()
        self.answer = answer
        self.listener = socket.create_server(('10.9.0.2', PORT))

    def run(self):
        connection, _ = self.listener.accept()
        with connection:
            if self.answer:
                connection.sendall(self.answer)
                wait_for_end(connection)


def no_server(tap):
    """No server, or another program instead of it."""
    clients = [(peer, sentence, Selftest('--peer', peer)) for peer, sentence in (
        ('10.9.0.2', '10.9.0.2 refused the connection: nothing listens on its TCP port 18777'),
        ('192.0.2.1', 'no route to 192.0.2.1'),
        ('10.9.0.77', '10.9.0.77 cannot be reached'))]
    for peer, sentence, client in clients:
        tap.test('faults: --peer %s' % peer,
                 wrong_with(client.end(), 4, ('connect', 'fail', sentence)))
    for answer, sentence in (
            (b'SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n',
             'the program on TCP port 18777 of 10.9.0.2 does not speak this protocol'),
            (b'', '10.9.0.2 closed the connection during the exchange')):
        stranger = Stranger(answer)
        stranger.start()
        document = run('--peer', '10.9.0.2')
        stranger.join()
        stranger.listener.close()
        tap.test('faults: the peer is another program that says %r' % answer[:7],
                 wrong_with(document, 4, ('connect', 'fail', sentence)))


def faults(tap):
    lossy = Loss()
    no_server(tap)
    server = Server()
    blocked(tap)
    lossy.tell(tap)
    mtus(tap)
    expectations(tap)
    stopped, _ = server.stop()
    tap.test('faults: the server survived them all and ends with 0', stopped)
    host(tap)


def play(tap):
    peers.shell('bed_second_wire')
    try:
        faults(tap)
    finally:
        peers.must('rdma', '-b', '-', stdin=b'link del rxc\nlink del rxd\n')
        peers.must('ip', 'link', 'del', 'vc')
