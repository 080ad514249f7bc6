# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl selftest --serve and orders to a real device from misbehaving clients, with a good client
after each. No other server may run at the same time."""

import contextlib
import json
import os
import signal
import socket
import struct

import abuse
import crowd
import peers
import program
from abuse import message
from selftest import SHALLOW, steady
from stalls import Stalls
from tap import unequal

SERVER, CLIENT = '10.9.0.1', '10.9.0.2'
VICTIM = '10.9.0.78'
OUTSIDE = '10.9.0.9'  # an address that no port has
ELSEWHERE = b"""addr replace 10.9.0.9/32 dev lo
route replace 10.9.0.78/32 dev va src 10.9.0.1 table 100
"""
MOST_UNPROVEN = 16  # packets to an unproven port
RC, UC, UD = range(3)
LOCAL, WRITE, READ = 1, 2, 4
INIT, RTR, RTS = 1, 2, 3
ETHERNET, ROCE, ROCE_V2, INFINIBAND, IWARP = 2, 3, 2, 1, 4
GRANTED = 64 << 20
ALL_PACKETS = 128 << 10  # in 128 messages of 1 MiB


def command(*words):
    return [program.RDMACTL, 'selftest', '--serve', *words]


def endpoint(device=b'rxb', netdev=b'vb', transport=ROCE, address=CLIENT, ip=None):
    ip = socket.inet_aton(ip or address)
    address = socket.inet_aton(address)
    return (device.ljust(64, b'\0') + netdev.ljust(16, b'\0') + struct.pack('>II', 1, 1) +
            bytes(10) + b'\xff\xff' + address +
            struct.pack('>7IQ', ROCE_V2, ETHERNET, transport, 4, 6, 1024, 0, 10000) +
            b'\x02' + ip.ljust(16, b'\0'))


# The end of an order to open: no GID index, device or port is chosen.
ANY_PORT = bytes(4 + 4 + 64 + 4)


def span(blocks, size, offset=0, stride=0, buffer=0):
    return struct.pack('>IIQQQ', buffer, blocks, offset, size, stride)


def order_open(**what):
    return message(abuse.OPEN, endpoint(**what) + ANY_PORT)


def buffer(size=65536, slot=0, access=LOCAL | WRITE | READ, domain=0):
    return message(abuse.BUFFER, struct.pack('>IIIQ', slot, domain, access, size))


def queue(entries=64, slot=0):
    return message(abuse.QUEUE, struct.pack('>III', slot, entries, 1))


def pair(slot=0, kind=RC, depth=16, sges=1, cq=0, inline=0):
    return message(abuse.PAIR, struct.pack('>11I', slot, 0, kind, cq, 0, depth, depth, sges, inline,
                                           1, 0))


def modify(state, slot=0, to=CLIENT, qpn=17, qkey=0x11111111, retries=7, psn=1):
    return message(abuse.MODIFY, struct.pack('>5I', slot, state, WRITE | READ, qpn, psn) +
                   endpoint(address=to) +
                   struct.pack('>8I', 1024, 1, 14, retries, 7, 12, qkey, 0))


def receive(where, count=4, step=0):
    return message(abuse.RECEIVE, struct.pack('>IIIQ', 0, 0, count, 1) + where +
                   struct.pack('>Q', step))


def post(where, count=1, operation=0, flags=1, qpn=0, qkey=0):
    return message(abuse.POST, struct.pack('>IIIIQ', 0, operation, flags, count, 1) + where +
                   struct.pack('>QIIQQIII', 0, 0, 0, 0, 0, qpn, qkey, 0))


def address(to=CLIENT):
    return message(abuse.ADDRESS, struct.pack('>I', 0) + endpoint(address=to) +
                   struct.pack('>I', 0))


def ip(text):
    return b'\x02' + socket.inet_aton(text).ljust(16, b'\0')


def prove(slot=0, qpn=17):
    return message(abuse.PROVE, struct.pack('>III', slot, qpn, 0x11111111))


def proof(nonce):
    return message(abuse.PROOF, nonce)


def connect(to):
    return message(abuse.CONNECT, struct.pack('>II', 0, 1) + ip(to) +
                   struct.pack('>5I', 7471, 1000, 1, 7, 7))


def join(group):
    return message(abuse.JOIN, struct.pack('>I', 0) + ip(group) + struct.pack('>I', 1000))


def gather(iterations):
    return message(abuse.GATHER, struct.pack('>5I2Q', 0, 0, 1, 1, 0, iterations, 0) +
                   span(1, 65536) + span(1, 65536) + struct.pack('>QQI', 0, 0, 0))


def wait(msec):
    return message(abuse.WAIT, struct.pack('>5I', 0, 1, msec, 0, 0))


def fill(where, kind=abuse.FILL):
    return message(kind, where + struct.pack('>QI', 1, 0))


def run(mode=1, active=1, pairs=1, size=4096, iterations=0, msec=60000):
    return message(abuse.RUN, struct.pack('>5I4Q', mode, 0, active, pairs, 0, size, iterations, 0,
                                          msec) +
                   struct.pack('>4IQIQ', 16, 1, 1, 0, 0, 0, 1))


# Orders and their replies.
STEPS = (
    *abuse.GREETING,
    (order_open(), abuse.OPENED),
    (buffer(), abuse.BUFFERED),
    (fill(span(1, 65536)), abuse.DONE),
    (fill(span(1, 65536), abuse.CHECK), abuse.CHECKED),
    (queue(), abuse.DONE),
    (pair(), abuse.PAIRED),
    (modify(INIT), abuse.DONE),
    (modify(RTR), abuse.DONE),
    (modify(RTS), abuse.DONE),
    (receive(span(1, 1024)), abuse.DONE),
    (message(abuse.LISTEN), abuse.LISTENING),
    (message(abuse.COUNTERS), abuse.COUNTED),
    (post(span(1, 1024)), abuse.DONE),
)
# Long orders: the client is gone long before they end.
LONG = (wait(60000), run(mode=1), run(mode=0), run(active=0),
        message(abuse.ACCEPT, struct.pack('>5I', 1, 1, 60000, 1, 7)))


class Abused(abuse.Server):
    """A server that at rest also holds no objects of a device."""

    def state(self):
        rows = peers.rdma('resource')
        return (self.descriptors(),
                [{key: row[key] for key in ('ifname', 'qp', 'cq', 'pd', 'mr', 'cm_id')}
                 for row in rows if row['ifname'] in ('rxa', 'rxb')])


def walk(client, steps):
    wrong = []
    for number, (order, answer) in enumerate(steps):
        reply = client.call(order)
        if reply[0] != answer:
            wrong.append('step %d: answer %d, %s' % (number, reply[0], abuse.refusal(reply)))
    return wrong


def leave(client, number):
    """Disconnects in one of several ways."""
    if number % 3 == 0:
        client.reset()
    elif number % 3 == 1:
        client.socket.close()
    else:
        client.send(message(abuse.QUERY, struct.pack('>I', 0))[:18])
        client.socket.close()


def each_step(server):
    wrong = []
    for length in range(len(STEPS) + 1):
        client = server.client(source=CLIENT)
        wrong += walk(client, STEPS[:length])
        leave(client, length)
    return wrong


def long_orders(server):
    """The server does not finish an order whose client is gone."""
    wrong = []
    for number, order in enumerate(LONG):
        client = server.client(source=CLIENT)
        wrong += walk(client, STEPS[:11])
        client.send(order)
        steady(seconds=0.3)
        with Stalls() as stalls:
            leave(client, number % 2)
            wrong += server.at_rest(60)
            if stalls.is_late(3):
                wrong.append('order %d: %s until it was noticed' % (number, stalls.tell()))
    return wrong


def opened(server):
    client = server.client(source=CLIENT)
    wrong = walk(client, STEPS[:3])
    return client, wrong


def refused(client, what, order, *reasons):
    reply = client.call(order)
    reason = abuse.refusal(reply)[0]
    return [] if reason in reasons else ['%s: %s' % (what, abuse.refusal(reply))]


def greedy(server):
    """Orders for more than was granted, and for bytes outside the buffers."""
    client, wrong = opened(server)
    limit, order, failed = abuse.LIMIT, abuse.ORDER, abuse.FAILED
    wrong += refused(client, 'a large buffer', buffer(GRANTED + 1), limit)
    wrong += refused(client, 'the largest one', buffer(256 << 20), limit)
    wrong += walk(client, [(buffer(GRANTED // 2), abuse.BUFFERED)] * 3)
    wrong += refused(client, 'buffers of all slots', buffer(GRANTED // 2 + 1, slot=1), limit)
    wrong += walk(client, [(buffer(65536), abuse.BUFFERED), *STEPS[6:9]])
    for name, where in (('past the end', span(1, 65537)), ('far away', span(1, 16, 1 << 28)),
                        ('many blocks', span(17, 4096, stride=4096)),
                        ('a long stride', span(2, 16, stride=1 << 28)),
                        ('no buffer', span(1, 16, buffer=1)),
                        ('work for hours', span(1 << 20, 65536))):
        wrong += refused(client, 'fill, ' + name, fill(where), order)
        wrong += refused(client, 'check, ' + name, fill(where, abuse.CHECK), order)
        wrong += refused(client, 'receive, ' + name, receive(where), order)
        wrong += refused(client, 'post, ' + name, post(where), order)
    wrong += refused(client, 'steps out of the buffer', receive(span(1, 16), 16384, 1 << 28), order)
    wrong += refused(client, 'more than the queue holds', receive(span(1, 16), 16384), failed)
    wrong += refused(client, 'a pair without a queue', pair(1, cq=3), order, failed)
    wrong += refused(client, 'a run of nonexistent pairs', run(pairs=64, msec=100), order, failed)
    wrong += refused(client, 'a run of more bytes', run(size=128 << 20, msec=100), order, limit)
    wrong += refused(client, 'a port of another kind', message(abuse.QUERY, struct.pack('>I', 9)),
                     order)
    wrong += unequal('a second open', client.call(order_open())[0], abuse.OPENED)
    client.send(message(abuse.BYE))
    client.is_dropped()
    client.socket.close()
    return wrong


def glutton(server):
    """As many CQs and QPs as allowed, as deep as allowed."""
    client, wrong = opened(server)
    wrong += walk(client, STEPS[3:4])
    for slot in range(4):
        client.call(queue(16384, slot))
    replies = [client.call(pair(slot, depth=16384, sges=16, cq=slot % 4)) for slot in range(64)]
    made = sum(reply[0] == abuse.PAIRED for reply in replies)
    if made > 2:
        wrong.append('%d pairs with all the depth that one may have' % made)
    wrong += unequal('the last', abuse.refusal(replies[-1])[0], abuse.LIMIT)
    replies = [client.call(pair(slot, depth=1)) for slot in range(64)]
    wrong += unequal('small ones', {reply[0] for reply in replies}, {abuse.PAIRED})
    wrong += unequal('still there', client.call(message(abuse.RELEASE))[0], abuse.DONE)
    client.reset()
    return wrong


def nowhere(server):
    """Endpoints that no device here can reach."""
    wrong = []
    for number, what in enumerate((dict(transport=1), dict(transport=4), dict(transport=0),
                                   dict(device=b'\x1b[2J\xff', netdev=b'\x9b' * 15))):
        with server.client(source=CLIENT) as client:
            wrong += walk(client, abuse.GREETING)
            for _ in range(3):
                reply = client.call(order_open(**what))
                if number < 3:
                    reason, _, _, text = abuse.refusal(reply)
                    wrong += unequal('%s' % what, (reason, bool(text)), (abuse.NO_PORT, True))
                else:
                    wrong += unequal('%s' % what, reply[0], abuse.OPENED)
            wrong += unequal('orders go on', client.call(message(abuse.RELEASE))[0], abuse.DONE)
    return wrong


def sent():
    """Packets that the server's port has sent."""
    return int(peers.read('%s/rxa/ports/1/hw_counters/sent_pkts' % peers.RDMA))


def ready(server, kind, peer=CLIENT, depth=16, qkey=0x11111111):
    """A client whose queue pair on the server is ready to send to `peer`."""
    client = server.client(source=CLIENT)
    wrong = walk(client, (
        *abuse.GREETING, (order_open(address=peer), abuse.OPENED),
        (buffer(1 << 20), abuse.BUFFERED), (queue(), abuse.DONE),
        (pair(kind=kind, depth=depth), abuse.PAIRED), (modify(INIT, to=peer, qkey=qkey), abuse.DONE),
        (modify(RTR, to=peer), abuse.DONE),
        (modify(RTS, to=peer, retries=0 if peer == VICTIM else 7), abuse.DONE)))
    return client, wrong + unequal('proven', is_proven(client), int(peer == CLIENT))


def is_proven(client):
    kind, body = client.call(message(abuse.PROVEN))
    return struct.unpack('>I', body)[0] if kind == abuse.IS_PROVEN else 'type %d' % kind


def cannon(server):
    """A client that names a third host as its own port, and wants the server to send there."""
    wrong = []
    for kind in (UC, UD, RC):
        before = sent()
        client, more = ready(server, kind, VICTIM)
        wrong += more
        if kind == UD:
            wrong += walk(client, [(address(VICTIM), abuse.DONE)])
        if kind == RC:
            wrong += walk(client, [(pair(1), abuse.PAIRED), (modify(INIT, 1, VICTIM), abuse.DONE),
                                   (modify(RTR, 1, VICTIM), abuse.DONE)])
            wrong += refused(client, 'retransmissions', modify(RTS, 1, VICTIM), abuse.ORDER)
        wrong += refused(client, 'checking a buffer', fill(span(1, 256), abuse.CHECK), abuse.ORDER)
        wrong += refused(client, 'many', post(span(1, 256), 17, qpn=17), abuse.ORDER)
        wrong += refused(client, 'a large one', post(span(1, 65536), qpn=17), abuse.ORDER)
        wrong += refused(client, 'a run', run(), abuse.ORDER)
        wrong += refused(client, 'a gather', gather(1000000), abuse.ORDER)
        # A few packets are allowed: the server must find out whether a port is the client's.
        answers = [client.call(post(span(1, 256), qpn=17))[0] for _ in range(30)]
        wrong += unequal('single packets sent', answers.count(abuse.DONE), 16)
        steady()
        wrong += unequal('proven', is_proven(client), 0)
        if sent() - before > MOST_UNPROVEN:
            wrong.append('%d packets went to the third host' % (sent() - before))
        leave(client, kind)
    return wrong


def disguises(server):
    """Another host's port that is proven as a port of another kind, then opened as what it is."""
    wrong = []
    for transport in (IWARP, INFINIBAND):
        with server.client(source=CLIENT) as client:
            wrong += walk(client, abuse.GREETING)
            for first in (endpoint(transport=transport, address=VICTIM, ip=CLIENT),
                          endpoint(transport=transport, address=VICTIM, ip=CLIENT)):
                client.call(message(abuse.OPEN, first + ANY_PORT))
            kind = client.call(order_open(address=VICTIM))[0]
            wrong += unequal('opened', kind, abuse.OPENED) + unequal('proven', is_proven(client), 0)
    return wrong


def guesses(server):
    """Proofs that differ from what the server sent to the third host."""
    before = sent()
    client, wrong = ready(server, UC, VICTIM)
    wrong += refused(client, 'before anything was sent', proof(bytes(32)), abuse.ORDER)
    wrong += refused(client, 'without a queue pair', prove(9), abuse.ORDER)
    tries = 0
    while tries < 100 and client.call(prove())[0] == abuse.DONE:
        tries += 1
        wrong += refused(client, 'a guess', proof(os.urandom(32)), abuse.ORDER)
        wrong += refused(client, 'zeros', proof(bytes(32)), abuse.ORDER)
    wrong += unequal('tries', tries, MOST_UNPROVEN)
    wrong += refused(client, 'a run', run(), abuse.ORDER)
    wrong += refused(client, 'opening its own port after another', order_open(), abuse.ORDER)
    wrong += unequal('proven', is_proven(client), 0)
    leave(client, 1)
    client, more = ready(server, UD, VICTIM)
    wrong += more + walk(client, [(address(VICTIM), abuse.DONE)])
    wrong += refused(client, 'a proof by datagrams', prove(), abuse.ORDER)
    leave(client, 1)
    wrong += server.at_rest()
    return wrong + unequal('packets', sent() - before, MOST_UNPROVEN)


def accomplices(server):
    """Two servers that name each other: neither tells what the other sent, so both stay unproven."""
    other = Abused(command, port=abuse.PORT + 1, bind=CLIENT)
    wrong, sides = [], []
    for near, source, peer in ((server, OUTSIDE, CLIENT), (other, OUTSIDE, SERVER)):
        client = near.client(source=source)
        wrong += walk(client, [*abuse.GREETING, (order_open(address=peer), abuse.OPENED), STEPS[3], STEPS[6]])
        wrong += unequal('proven', is_proven(client), 0)
        kind, body = client.call(pair())
        wrong += unequal('pair', kind, abuse.PAIRED)
        sides.append((client, peer, *struct.unpack('>II', body[:8])))
    for (client, peer, _, _), (_, _, qpn, psn) in zip(sides, reversed(sides)):
        wrong += walk(client, [(modify(state, 0, peer, qpn, retries=0, psn=psn), abuse.DONE)
                               for state in (INIT, RTR, RTS)])
        wrong += walk(client, [(receive(span(1, 64), 1), abuse.DONE)])
    first, second = sides[0][0], sides[1][0]
    wrong += unequal('the nonce is sent', first.call(prove())[0], abuse.DONE)
    kind, body = second.call(wait(20000))
    wrong += unequal('and arrives', (kind, struct.unpack('>I', body[8:12])[0]), (abuse.WAITED, 1))
    wrong += refused(second, 'checking it', fill(span(1, 32), abuse.CHECK), abuse.ORDER)
    wrong += refused(first, 'a run', run(msec=100), abuse.ORDER)
    for client, *_ in sides:
        client.socket.close()
    other.stop()
    return wrong + other.complaints()


def elsewhere(server):
    """A client whose own port is proven, and which then names other ports."""
    client, wrong = opened(server)
    wrong += walk(client, STEPS[3:9])
    wrong += refused(client, 'another port', message(
        abuse.OPEN, endpoint(address=VICTIM) + ANY_PORT), abuse.ORDER)
    wrong += refused(client, 'a connection', modify(RTR, to=VICTIM), abuse.ORDER)
    wrong += refused(client, 'QP1', modify(RTR, qpn=1), abuse.ORDER)
    wrong += walk(client, [(pair(kind=UD), abuse.PAIRED)])
    wrong += refused(client, 'an address', address(VICTIM), abuse.ORDER)
    wrong += refused(client, 'a group', address('239.255.1.1'), abuse.ORDER)
    wrong += walk(client, [(pair(), abuse.PAIRED)])
    wrong += refused(client, 'rdma_cm', connect(VICTIM), abuse.ORDER)
    wrong += walk(client, [(pair(kind=UD), abuse.PAIRED)])
    for group in ('224.0.0.1', '239.1.2.3'):
        wrong += refused(client, group, join(group), abuse.ORDER)
    client.reset()
    return wrong


def management(server):
    """Datagrams to QP0 and QP1 of another host, or with privileged Q_Keys."""
    def received():
        folder = peers.RDMA + '/rxb/ports/1/cm_rx_msgs'
        return {name: peers.read('%s/%s' % (folder, name)) for name in peers.listdir(folder)}

    before = received()
    client, wrong = ready(server, UD)
    wrong += walk(client, [(address(), abuse.DONE)])
    for qpn, qkey in ((1, 0x80010000), (1, 0x11111111), (0, 0x11111111), (17, 0x80000000)):
        wrong += refused(client, 'QPN %d, Q_Key 0x%x' % (qpn, qkey),
                         post(span(1, 256), qpn=qpn, qkey=qkey), abuse.ORDER)
    wrong += walk(client, [(pair(kind=UD), abuse.PAIRED)])
    wrong += refused(client, 'a Q_Key reserved for management', modify(INIT, qkey=0x80010000),
                     abuse.ORDER)
    steady(seconds=0.2)
    wrong += unequal('messages of the connection manager', received(), before)
    client.reset()
    return wrong


@contextlib.contextmanager
def slow_wire():
    """The server's port sends 40 Mbit/s, so that ALL_PACKETS take half a minute on any machine.

    tbf leaves each packet with its queue pair, of which rxe lets only 64 (up to 6.12:
    RXE_INFLIGHT_SKBS_PER_QP_HIGH) wait: the others are not counted before they may follow.
    """
    peers.must('modprobe', 'sch_tbf')
    peers.must(*'tc qdisc add dev va root tbf rate 40mbit burst 32k limit 1m'.split())
    try:
        yield
    finally:
        peers.must(*'tc qdisc del dev va root'.split())


def unacknowledged(server):
    """Fills a queue with messages that need no acknowledgement, then disconnects."""
    client, wrong = ready(server, UC, depth=16384)
    wrong += refused(client, '16 GiB', post(span(1, 1 << 20), 16384), abuse.LIMIT)
    leave(client, 0)
    client, more = ready(server, UC, depth=128)
    begin = sent()
    with slow_wire():
        wrong += more + walk(client, [(post(span(1, 1 << 20), 128, flags=0), abuse.DONE)])
        leave(client, 1)
        wrong += server.at_rest() + stays_silent(begin)
    return wrong


def stays_silent(begin):
    """Well below the 128 MiB in packets of 1 KiB were sent since `begin`, and no more follow."""
    before = sent()
    wrong = [] if before - begin < ALL_PACKETS * 2 // 3 else ['%d packets were sent' % (before - begin)]
    steady()
    return wrong + ([] if sent() - before <= 10 else [
        '%d packets in half a second after the end' % (sent() - before)])


def long_runs(server):
    """Runs longer than granted."""
    client, wrong = ready(server, RC)
    wrong += refused(client, '61 s', run(msec=61000), abuse.LIMIT)
    wrong += refused(client, 'an hour', run(msec=3600000), abuse.LIMIT)
    client.reset()
    return wrong


def tests_pass(server, to=SERVER):
    result = program.rdmactl('selftest', 'rxb', '--peer', to, '--port', str(server.port),
                             '--test', 'setup')
    return result.describe() if result.status else []


def proofs(tap, server):
    """A GID that does not show that the port is the client's: what works once it is proven."""
    for words in ((), ('--cm',)):
        before = sent()
        result = program.rdmactl('selftest', 'rxb', '--peer', SERVER, '--port', str(server.port),
                                 '--gid-index', '0', *words, *SHALLOW, '--test',
                                 'setup,rc-1m,uc-write,ud-send,multicast,bandwidth-write')
        wrong = result.describe() if result.status else []
        if sent() - before <= MOST_UNPROVEN:
            wrong.append('the server sent %d packets' % (sent() - before))
        tap.test('server: %sa link-local GID is proven, and every test passes' %
                 ' '.join((*words, '')), wrong)


def longer_than_granted(tap):
    server = Abused(lambda *words: command('--longest', '2s', *words), bind=SERVER)
    result = program.rdmactl('selftest', 'rxb', '--peer', SERVER, '--port', str(server.port),
                             '--bandwidth', '--operations', 'write', '--sizes', '4k',
                             '--duration', '5m')
    text = result.complaint()
    wrong = [] if result.status == 4 else ['exit status %s' % result.status]
    wrong += ['no %r in %r' % (words, text) for words in
              ('a measurement of 5m is longer than the 2s that the server grants',
               'run rdmactl selftest --serve --longest 5m there, or use --duration 2s here')
             if words not in text]
    server.stop()
    tap.test('server: a test longer than --longest fails, and says what to do', wrong)


def more_than_granted(tap):
    """More messages than fit in the granted time, whichever side counts them."""
    server = Abused(lambda *words: command('--longest', '2s', *words), bind=SERVER)
    for words in (('--latency', '--operations', 'send'), ('--bandwidth', '--operations', 'write'),
                  ('--bandwidth', '--operations', 'write', '--reversed')):
        result = program.rdmactl('selftest', 'rxb', '--peer', SERVER, '--port', str(server.port),
                                 *words, '--sizes', '64', '--iterations', '100000000')
        text = result.complaint()
        wrong = [] if result.status == 4 else ['exit status %s' % result.status]
        wrong += ['no %r in %r' % (words, text) for words in
                  ('100000000 messages take longer than the 2s that the server grants',
                   'run rdmactl selftest --serve with a larger --longest there') if words not in text]
        tap.test('server: %s: too many --iterations for --longest fail, and say so' %
                 ' '.join(words), wrong)
    server.stop()


def ends_with_work(tap):
    """A signal while the server's process does nothing but send."""
    server = Abused(command, bind=SERVER)
    before = server.state()
    client = server.client(source=CLIENT)
    wrong = walk(client, STEPS[:11])
    client.send(run())
    steady(seconds=0.3)
    with Stalls() as stalls:
        status = server.stop(signal.SIGINT)
        took, late = stalls.tell(), stalls.is_late(abuse.STOP_SECONDS)
    if status == 'late' or status < 0 or late:
        wrong.append('exit status %s after %s' % (status, took))
    client.socket.close()
    rows = peers.rdma('resource')
    wrong += ['%s' % row for row in rows for known in before[1]
              if row['ifname'] == known['ifname'] and row['qp'] != known['qp']]
    tap.test('server: SIGINT ends it in the middle of a measurement',
             wrong + server.complaints(), [took])


def stops_with_packets(tap):
    """A signal while the server sends 128 messages of 1 MiB by UC, which nothing throttles."""
    server = Abused(command, bind=SERVER)
    client, wrong = ready(server, UC, depth=128)
    begin = sent()
    with slow_wire():
        wrong += walk(client, [(post(span(1, 1 << 20), 128, flags=0), abuse.DONE)])
        children = server.children()
        with Stalls() as stalls:
            status = server.stop()
            took, late = stalls.tell(), stalls.is_late(abuse.STOP_SECONDS)
        if status == 'late' or status < 0 or late:
            wrong.append('exit status %s after %s' % (status, took))
        wrong += ['process %d is left' % pid for pid in children if crowd.is_running(pid)]
        wrong += stays_silent(begin)
    client.socket.close()
    tap.test('server: ends within a second with packets in flight',
             wrong + server.complaints(), [took])


def available():
    """Available memory in bytes."""
    with open('/proc/meminfo') as file:
        lines = dict(line.split(':') for line in file)
    return int(lines['MemAvailable'].split()[0]) << 10


def budget(tap):
    """16 clients, each of which wants 64 MiB and the deepest queues."""
    server = Abused(lambda *words: command('--max-clients', '32', '--memory', '512m', *words),
                    bind=SERVER)
    clients, wrong, refusals, got = [], [], [], 0
    for _ in range(16):
        clients.append(server.client(source=CLIENT))
        wrong += walk(clients[-1], STEPS[:3])
    before = available()
    for client in clients:
        for order in (buffer(GRANTED), queue(16384), *(pair(slot, depth=16384, sges=16)
                                                        for slot in range(2))):
            reply = client.call(order)
            if reply[0] == abuse.REFUSED:
                refusals.append(abuse.refusal(reply))
            else:
                got += 1
    steady()
    taken = before - available()
    if taken > 512 << 20:
        wrong.append('%d MiB are used, more than 512' % (taken >> 20))
    wrong += ['refused: %s' % (refusal,) for refusal in refusals
              if refusal[0] not in (abuse.LIMIT, abuse.FAILED, abuse.ORDER)]
    if not any('--memory' in refusal[3] for refusal in refusals) or not got:
        wrong.append('%d granted, refused: %s' % (got, refusals[:3]))
    for client in clients:
        client.reset()
    wrong += server.at_rest()
    # The kernel takes a while to free what was vmalloc()ed.
    abuse.until(lambda: before - available() <= 64 << 20)
    left = before - available()
    if left > 64 << 20:
        wrong.append('%d MiB are not released' % (left >> 20))
    wrong += tests_pass(server)
    server.stop()
    tap.test('server: 16 greedy clients stay within --memory', wrong + server.complaints(),
             ['%d MiB taken of 512, %d orders granted, %d refused' % (taken >> 20, got,
                                                                      len(refusals))])


def rows(tap):
    """The rows about IPv4 and IPv6 clients that the server prints when it ends."""
    server = Abused(lambda *words: [program.RDMACTL, '-j', 'selftest', '--serve', *words])
    wrong = tests_pass(server) + tests_pass(server, 'fd09::1') + server.at_rest()
    with server.client(to=SERVER, source=CLIENT) as client:
        wrong += walk(client, STEPS[:4])
    wrong += server.at_rest()
    with server.client(to=SERVER, source=CLIENT) as client:
        client.send(message(abuse.BYE))
        client.is_dropped()
    wrong += server.at_rest()
    status = server.stop()
    out = server.output()
    try:
        document = json.loads(out)
    except ValueError as error:
        document, wrong = {}, wrong + ['no JSON: %s: %r' % (error, out[:200])]
    result = peers.Result(['selftest', '--serve'], status, out.encode(), server.text().encode())
    program.validate(result, document, 'selftest', ())
    found = [(row['peer'], row['peer_device'], row['device'], row['group'], row['test'],
              row['result'], bool(row['reason'])) for row in document.get('selftest', [])]
    wrong += unequal('exit status', status, 0)
    wrong += unequal('rows', found, [
        (peer, 'rxb', 'rxa', 'serve', 'serve', verdict, verdict == 'fail')
        for peer, verdict in ((CLIENT, 'pass'), ('fd09::2', 'pass'), (CLIENT, 'fail'))])
    if found and document['selftest'][-1]['iterations'] != 2:
        wrong.append('orders: %s' % document['selftest'][-1]['iterations'])
    tap.test('server: a row for each client that was served', wrong + server.complaints())


def orders(tap):
    """Abusive orders to a device, each followed by the tests of a good client."""
    peers.must('ip', 'neigh', 'replace', VICTIM, 'lladdr', '02:00:00:00:09:77', 'dev', 'va')
    peers.must('ip', '-batch', '-', stdin=ELSEWHERE)
    server = Abused(command, bind=SERVER)
    for name, action in (('a client that dies after each step', each_step),
                         ('a client that disconnects before an order ends', long_orders),
                         ("a client that uses more than it was granted", greedy),
                         ('a client that takes all that there is', glutton),
                         ('clients that nothing here can talk to', nowhere),
                         ('a client that names a third host', cannon),
                         ('a client that says its port is of another kind', disguises),
                         ('a client that guesses the proof', guesses),
                         ('two servers that name each other', accomplices),
                         ('a client that changes its mind', elsewhere),
                         ('a client that wants management datagrams', management),
                         ('a client that nobody acknowledges', unacknowledged),
                         ('a client that wants to run for hours', long_runs)):
        abuse.abuse(tap, server, name, action)
        tap.test('server: the tests of a good client pass after ' + name, tests_pass(server))
    proofs(tap, server)
    status = server.stop()
    tap.test('server: it ends, and its log is clean',
             unequal('exit status', status in (0, 4), True) + server.complaints())
    peers.must('ip', 'route', 'del', VICTIM + '/32', 'dev', 'va', 'table', '100')
    peers.must('ip', 'neigh', 'del', VICTIM, 'dev', 'va')
    peers.must('ip', 'addr', 'del', OUTSIDE + '/32', 'dev', 'lo')


def play(tap):
    peers.shell('bed_wire')
    peers.must('ip', 'link', 'set', 'lo', 'up')
    # crowd.py tests clients that need no device outside of the guests. There root is the root of a
    # user namespace.
    if program.plain_binary() == program.RDMACTL:
        crowd.privileges(tap, command)
    for action in (orders, budget, rows, longer_than_granted, more_than_granted, ends_with_work,
                   stops_with_packets):
        abuse.part(tap, action)
