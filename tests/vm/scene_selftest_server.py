# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl selftest --serve and misbehaving clients: abuse.py, then orders to a real device,
with a good client after each. No other server may run at the same time."""

import json
import signal
import struct
import time

import abuse
import peers
import program
from abuse import message
from tap import unequal

SERVER, CLIENT = '10.9.0.1', '10.9.0.2'
RC, UD = 0, 2
LOCAL, WRITE, READ = 1, 2, 4
INIT, RTR, RTS = 1, 2, 3
ETHERNET, ROCE, ROCE_V2 = 2, 3, 2
GRANTED = 64 << 20


def command(*words):
    return [program.RDMACTL, 'selftest', '--serve', *words]


def endpoint(device=b'rxb', netdev=b'vb', transport=ROCE):
    return (device.ljust(64, b'\0') + netdev.ljust(16, b'\0') + struct.pack('>II', 1, 1) +
            bytes(10) + b'\xff\xff\x0a\x09\0\x02' +
            struct.pack('>7IQ', ROCE_V2, ETHERNET, transport, 4, 6, 1024, 0, 10000) +
            b'\x02' + b'\x0a\x09\0\x02'.ljust(16, b'\0'))


def span(blocks, size, offset=0, stride=0, buffer=0):
    return struct.pack('>IIQQQ', buffer, blocks, offset, size, stride)


def order_open(**what):
    return message(abuse.OPEN, endpoint(**what) + struct.pack('>III', 0, 0, 0))


def buffer(size=65536, slot=0, access=LOCAL | WRITE | READ, domain=0):
    return message(abuse.BUFFER, struct.pack('>IIIQ', slot, domain, access, size))


def queue(entries=64, slot=0):
    return message(abuse.QUEUE, struct.pack('>III', slot, entries, 1))


def pair(slot=0, kind=RC, depth=16, sges=1, cq=0, inline=0):
    return message(abuse.PAIR, struct.pack('>11I', slot, 0, kind, cq, 0, depth, depth, sges, inline,
                                           1, 0))


def modify(state, slot=0):
    return message(abuse.MODIFY, struct.pack('>5I', slot, state, WRITE | READ, 17, 1) + endpoint() +
                   struct.pack('>8I', 1024, 1, 14, 7, 7, 12, 0x11111111, 0))


def receive(where, count=4, step=0):
    return message(abuse.RECEIVE, struct.pack('>IIIQ', 0, 0, count, 1) + where +
                   struct.pack('>Q', step))


def post(where, count=1, operation=0, flags=1):
    return message(abuse.POST, struct.pack('>IIIIQ', 0, operation, flags, count, 1) + where +
                   struct.pack('>QIIQQIII', 0, 0, 0, 0, 0, 0, 0, 0))


def wait(msec):
    return message(abuse.WAIT, struct.pack('>5I', 0, 1, msec, 0, 0))


def fill(where, kind=abuse.FILL):
    return message(kind, where + struct.pack('>QI', 1, 0))


def run(mode=1, active=1, pairs=1, size=4096, iterations=0, msec=60000):
    return message(abuse.RUN, struct.pack('>6I4Q', mode, 0, active, pairs, 0, 0, size, iterations,
                                          0, msec) +
                   struct.pack('>4IQIQ', 16, 1, 1, 0, 0, 0, 1))


# Orders and their replies.
STEPS = (
    (abuse.hello(), abuse.WELCOME),
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
    (message(abuse.LISTEN, struct.pack('>I', 2)), abuse.LISTENING),
    (message(abuse.COUNTERS), abuse.COUNTED),
    (post(span(1, 1024)), abuse.DONE),
)
# Long orders: the client is gone long before they end.
LONG = (wait(60000), run(mode=1), run(mode=0), run(active=0),
        message(abuse.ACCEPT, struct.pack('>5I', 1, 1, 60000, 1, 7)))


class Abused(abuse.Server):
    """At rest the server also holds no objects of a device."""

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
        wrong += walk(client, STEPS[:10])
        client.send(order)
        time.sleep(0.3)
        begin = time.monotonic()
        leave(client, number % 2)
        wrong += server.at_rest(15)
        if time.monotonic() - begin > 8:
            wrong.append('order %d: %.1f s until it was noticed' % (number,
                                                                    time.monotonic() - begin))
    return wrong


def opened(server):
    client = server.client(source=CLIENT)
    wrong = walk(client, STEPS[:2])
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
    wrong += walk(client, [(buffer(65536), abuse.BUFFERED), *STEPS[5:8]])
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
    wrong += refused(client, 'more than the queue takes', receive(span(1, 16), 16384), failed)
    wrong += refused(client, 'a pair on no queue', pair(1, cq=3), order, failed)
    wrong += refused(client, 'a run of pairs that are not', run(pairs=64, msec=100), order, failed)
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
    wrong += walk(client, STEPS[2:3])
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
            wrong += walk(client, STEPS[:1])
            for _ in range(3):
                reply = client.call(order_open(**what))
                if number < 3:
                    reason, _, _, text = abuse.refusal(reply)
                    wrong += unequal('%s' % what, (reason, bool(text)), (abuse.NO_PORT, True))
                else:
                    wrong += unequal('%s' % what, reply[0], abuse.OPENED)
            wrong += unequal('orders go on', client.call(message(abuse.RELEASE))[0], abuse.DONE)
    return wrong


def tests_pass(server, to=SERVER):
    result = program.rdmactl('selftest', 'rxb', '--peer', to, '--port', str(server.port),
                             '--test', 'setup')
    return result.describe() if result.status else []


def ends_with_work(tap):
    """A signal while the server's process only sends."""
    server = Abused(command, bind=SERVER)
    before = server.state()
    client = server.client(source=CLIENT)
    wrong = walk(client, STEPS[:10])
    client.send(run())
    time.sleep(0.3)
    begin = time.monotonic()
    status = server.stop(signal.SIGINT)
    elapsed = time.monotonic() - begin
    if status == 'late' or status < 0 or elapsed > 8:
        wrong.append('exit status %s after %.1f s' % (status, elapsed))
    client.socket.close()
    rows = peers.rdma('resource')
    wrong += ['%s' % row for row in rows for known in before[1]
              if row['ifname'] == known['ifname'] and row['qp'] != known['qp']]
    tap.test('server: ends by SIGINT in the middle of a measurement', wrong + server.complaints())


def rows(tap):
    """The rows that the server prints at its end about clients by IPv4 and IPv6."""
    server = Abused(lambda *words: [program.RDMACTL, '-j', 'selftest', '--serve', *words])
    wrong = tests_pass(server) + tests_pass(server, 'fd09::1') + server.at_rest()
    with server.client(to=SERVER, source=CLIENT) as client:
        wrong += walk(client, STEPS[:3])
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
    server = Abused(command, bind=SERVER)
    for name, action in (('a client that dies after each step', each_step),
                         ('a client that is gone before an order ends', long_orders),
                         ('a client that wants what is not its own', greedy),
                         ('a client that takes all that there is', glutton),
                         ('clients that nothing here can talk to', nowhere)):
        abuse.abuse(tap, server, name, action)
        tap.test('server: and tests of a good client pass after ' + name, tests_pass(server))
    status = server.stop()
    tap.test('server: ends, and its log is clean',
             unequal('exit status', status in (0, 4), True) + server.complaints())


def play(tap):
    peers.shell('bed_wire')
    peers.must('ip', 'link', 'set', 'lo', 'up')
    abuse.play(tap, command)
    for action in (orders, rows, ends_with_work):
        abuse.part(tap, action)
