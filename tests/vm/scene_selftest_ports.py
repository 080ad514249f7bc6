# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl selftest --peer-device: the exchange over one network, the data over the named port;
a server of other versions of the protocol. Two hosts with two rails each, in one guest: rxa and
rxc, rxb and rxd."""

import socket
import struct
import threading

import abuse
import peers
import selftest
from tap import unequal

CONTROL, CONTROL_PORT = '10.9.0.2', 18790
DATA_SERVER, DATA_CLIENT = '10.9.2.2', '10.9.2.1'


def ports(document):
    return {(row['device'], row['port'], row['peer_device'], row['peer_port'])
            for row in document.rows if row['result'] != 'skip'}


def run(*words):
    return selftest.run(*words, '--port', str(CONTROL_PORT), '--test', 'setup,rc-write,rc-send')


def named(tap):
    """The control connection uses the first wire; the data cross only the second one."""
    server = selftest.Server('--port', str(CONTROL_PORT), bind=CONTROL)
    for words in (('--peer-device', 'rxd'), ('--peer-device', 'rxd/1'),
                  ('--peer-device', 'rxd', '--cm')):
        before = [int(peers.read('/sys/class/infiniband/%s/ports/1/hw_counters/rcvd_pkts' % name))
                  for name in ('rxb', 'rxd')]
        document = run('rxc', '--peer', CONTROL, *words)
        after = [int(peers.read('/sys/class/infiniband/%s/ports/1/hw_counters/rcvd_pkts' % name))
                 for name in ('rxb', 'rxd')]
        wrong = selftest.wrong_with(document, 0, ('rc-write', 'pass', ''))
        wrong += unequal('ports', ports(document), {('rxc', 1, 'rxd', 1)})
        wrong += unequal('packets to the device of the control address', after[0] - before[0], 0)
        wrong += [] if after[1] > before[1] else ['no packets arrived at the named device']
        tap.test('selftest: %s, and the exchange goes over another network' % ' '.join(words),
                 wrong)
    document = run('rxa', '--peer', CONTROL)
    tap.test('selftest: without a name the server chooses by the address',
             selftest.wrong_with(document, 0, ('rc-write', 'pass', '')) +
             unequal('ports', ports(document), {('rxa', 1, 'rxb', 1)}))
    for device, part in (('rxz', "no RDMA device 'rxz' here, but rxa, rxb, rxc, rxd"),
                         ('rxd/2', 'rxd has no port 2')):
        document = run('rxc', '--peer', CONTROL, '--peer-device', device)
        tap.test('selftest: the peer has no %s: the client says so' % device,
                 selftest.wrong_with(document, 4, ('connect', 'fail', part)))
    peers.must('ip', 'link', 'set', 'vd', 'down')
    document = run('rxa', '--peer', CONTROL, '--peer-device', 'rxd')
    tap.test("selftest: the peer's named port is down: the client says so",
             selftest.wrong_with(document, 4, ('connect', 'fail', 'rxd/1')))
    peers.must('ip', 'link', 'set', 'vd', 'up')
    peers.shell('bed_route 10.9.2 fd09:2 vc vd | ip -batch -')
    tap.test('selftest: the server of named ports ends without errors', server.stop()[0])


def own_address(tap):
    """With DEV named, the client connects from its address, though the route has another source."""
    peers.must('ip', 'route', 'replace', '10.9.2.2/32', 'dev', 'vc', 'src', '10.9.0.1', 'table', '100')
    server = selftest.Server('--port', str(CONTROL_PORT), bind=DATA_SERVER)
    document = run('rxc', '--peer', DATA_SERVER)
    wrong = selftest.wrong_with(document, 0, ('rc-write', 'pass', ''))
    wrong += unequal('ports', ports(document), {('rxc', 1, 'rxd', 1)})
    more, served = server.stop()
    wrong += more + unequal('the address of the client', {row['peer'] for row in served.rows},
                            {DATA_CLIENT})
    peers.must('ip', 'route', 'replace', '10.9.2.2/32', 'dev', 'vc', 'src', DATA_CLIENT, 'table',
               '100')
    tap.test("selftest: with DEV named it connects from that device's address", wrong)


def refuse(listener, heard):
    """Refuses a client as a server of later versions does, and reads what it sends then."""
    connection = listener.accept()[0]
    with connection:
        file = connection.makefile('rb')
        heard.append(file.read(len(abuse.hello()))[16:24])
        body = struct.pack('>7I2Q', abuse.BAD_VERSION, 0, 0, 0, 0, 2, 3, 0, 0) + bytes(200)
        connection.sendall(abuse.message(abuse.REFUSED, body, version=2))
        heard.append(file.read(16))


def other_version(tap):
    heard = []
    with socket.create_server((CONTROL, CONTROL_PORT)) as listener:
        thread = threading.Thread(target=refuse, args=(listener, heard), daemon=True)
        thread.start()
        document = run('rxc', '--peer', CONTROL, '--peer-device', 'rxd')
        thread.join(20)
    wrong = selftest.wrong_with(document, 4, (
        'connect', 'fail',
        'this side speaks version 1 of the exchange protocol, %s speaks versions 2 to 3' % CONTROL))
    wrong += unequal('versions offered', heard[0], struct.pack('>II', abuse.PROTOCOL, abuse.PROTOCOL))
    wrong += unequal('what it heard then', heard[1][8:12], struct.pack('>I', abuse.BYE))
    tap.test('selftest: a server of other versions is recognized', wrong)


def play(tap):
    peers.shell('bed_second_wire')
    try:
        for part in (named, own_address, other_version):
            part(tap)
    finally:
        # The scenes that follow use only the first wire.
        for device in ('rxc', 'rxd'):
            peers.must('rdma', 'link', 'del', device)
        peers.must('ip', 'link', 'del', 'vc')
