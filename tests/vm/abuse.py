# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Misbehaving clients of `rdmactl selftest --serve`, and checks that the server survives them.
The protocol is written only from its description. No test here needs an RDMA device."""

import collections
import hashlib
import hmac
import os
import random
import re
import signal
import socket
import struct
import subprocess
import tempfile
import time

from selftest import steady, until
from stalls import Stalls
from tap import unequal

PORT = 18901
TCP_LISTEN, SYN_RECEIVED = '0A', '03'  # states in /proc/net/tcp: Linux, include/net/tcp_states.h

_running = []  # servers that are still running
MAGIC, VERSION = b'RDMT', 1  # of the header
PROTOCOL = 1  # its version
HELLO, REFUSED = 1, 3
(OPEN, OPENED, BUFFER, BUFFERED, FILL, CHECK, CHECKED, QUEUE, PAIR, PAIRED, MODIFY, QUERY, QUERIED,
 ADDRESS, POST, RECEIVE, WAIT, WAITED, LISTEN, LISTENING, ACCEPT, CONNECT, CONNECTED, DISCONNECT,
 JOIN, JOINED, LEAVE, RUN, RAN, GATHER, COUNTERS, COUNTED, RELEASE, DONE, BYE, CHALLENGE, RESPONSE, ADMITTED, PROVEN, IS_PROVEN, PROVE, PROOF) = range(4, 46)
WAY, TARGET, REPORTED, REPORT = range(48, 52)
LEAVING, GID_LOOK, GID_SEEN, MEMORY, MEMORY_READY, WINDOW, WINDOWED, VECTOR = range(56, 64)
XRC, XRC_READY, _, _, HEADER, HEADER_AGREED = range(72, 78)
PAIRS = 16384  # queue pairs that are granted
FAILED, BAD_VERSION, BAD_TOKEN, BUSY, LIMIT, ORDER, NO_PORT = range(7)
HELLO_SECONDS = 5  # time for a client to send its greeting
# Time limit for the server to end.
STOP_SECONDS = 1
MOST_CLIENTS, MOST_OF_ADDRESS = 16, 8
BURST = 20  # lines in the log at once
LEFT_OUT = re.compile(r'(\d+) more lines? (?:was|were) omitted')


def message(kind, body=b'', version=VERSION, length=None):
    length = len(body) if length is None else length
    return MAGIC + struct.pack('>III', version, kind, length) + body


def hello(lowest=PROTOCOL, highest=PROTOCOL, release=b'9.9', **header):
    return message(HELLO, struct.pack('>II', lowest, highest) + release.ljust(32, b'\0'), **header)


# The messages of a client without a token, and the answers to them.
GREETING = (hello(), CHALLENGE), (message(RESPONSE, bytes(64)), ADMITTED)


def mac(token, role, server_nonce, client_nonce, version=PROTOCOL):
    text = b'rdmactl selftest ' + role + server_nonce + client_nonce + struct.pack('>I', version)
    return hmac.new(token, text, hashlib.sha256).digest()


class Gone(Exception):
    """The server closed the connection."""


class Client:
    def __init__(self, to='127.0.0.1', port=PORT, source=None, seconds=60):
        self.socket = socket.create_connection((to, port), seconds,
                                               (source, 0) if source else None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError) as error:
            raise Gone from error

    def take(self, length):
        data = b''
        while len(data) < length:
            try:
                part = self.socket.recv(length - len(data))
            except ConnectionResetError:
                part = b''
            if not part:
                raise Gone
            data += part
        return data

    def receive(self):
        """Type and body of the next message."""
        head = self.take(16)
        version, kind, length = struct.unpack('>III', head[4:])
        if head[:4] != MAGIC or version != VERSION or length > 4080:
            raise ValueError('no message: %r' % head)
        return kind, self.take(length)

    def call(self, data):
        self.send(data)
        return self.receive()

    def challenged(self):
        """Whether a token is required, and the nonce of the server."""
        kind, body = self.call(hello())
        if kind != CHALLENGE:
            raise Gone('no challenge: %s' % (refusal((kind, body)),))
        version, wanted = struct.unpack('>II', body[:8])
        if version != PROTOCOL or len(body) != 40:
            raise ValueError('no challenge: %r' % body)
        return wanted, body[8:]

    def greet(self, token=None, proof=None, nonce=None):
        """The handshake: its messages and the answer to them."""
        nonce = nonce or os.urandom(32)
        wanted, server_nonce = self.challenged()
        if proof is None:
            proof = mac(token, b'client', server_nonce, nonce) if token else bytes(32)
        reply = self.call(message(RESPONSE, nonce + proof))
        return wanted, server_nonce, nonce, reply

    def is_dropped(self):
        """Waits until the server closes, whatever it sends before."""
        try:
            while True:
                self.take(1)
        except Gone:
            return True
        except TimeoutError:
            return False

    def reset(self):
        """Resets the connection instead of closing it."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        self.socket.close()


def refusal(reply):
    """Reason, versions and text of a refusal."""
    kind, body = reply
    if kind != REFUSED:
        return ('type %d' % kind, 0, 0, '')
    reason, _, _, _, _, lowest, highest = struct.unpack('>7I', body[:28])
    return (reason, lowest, highest, body[44:].rstrip(b'\0').decode('utf-8', 'replace'))


class Server:
    """The server under test and its log; `command` returns the argv for some options."""

    def __init__(self, command, *options, port=PORT, bind=None):
        self.log = tempfile.TemporaryFile()
        self.out = tempfile.TemporaryFile()
        self.port = port
        self.bind = bind
        words = ('--port', str(port), *(('--bind', bind) if bind else ()), *options)
        self.process = subprocess.Popen(command(*words), stdin=subprocess.DEVNULL,
                                        stdout=self.out, stderr=self.log)
        self.pid = self.process.pid
        _running.append(self)
        self.wait_for('listening on')
        self.idle = self.descriptors() if self.process.poll() is None else {}

    def client(self, **options):
        options.setdefault('to', self.bind or '127.0.0.1')
        return Client(port=self.port, **options)

    def greeted(self, token=None, **options):
        client = self.client(**options)
        reply = client.greet(token)[3]
        if reply[0] != ADMITTED:
            raise Gone('refused: %s' % (refusal(reply),))
        return client

    def text(self):
        # pread(), because the server shares the file offset.
        return os.pread(self.log.fileno(), 1 << 24, 0).decode('utf-8', 'replace')

    def lines(self):
        return self.text().splitlines()

    def wait_for(self, what, seconds=60, count=1):
        """Whether the log has the words that many times."""
        end = time.monotonic() + seconds
        while self.text().count(what) < count:
            if time.monotonic() > end or self.process.poll() is not None:
                return self.text().count(what) >= count
            time.sleep(0.02)
        return True

    def told(self, words=''):
        """Number of lines with these words in the log, including those that were omitted."""
        lines = [line for line in self.lines() if not LEFT_OUT.search(line)]
        return (sum(bool(re.search(words, line)) for line in lines) +
                sum(int(count) for count in LEFT_OUT.findall(self.text())))

    def children(self):
        found = []
        for name in os.listdir('/proc'):
            if not name.isdigit():
                continue
            try:
                with open('/proc/%s/stat' % name) as file:
                    fields = file.read().rpartition(')')[2].split()
            except OSError:
                continue
            if int(fields[1]) == self.pid:
                found.append(int(name))
        return found

    def descriptors(self):
        """Number of open descriptors of each kind."""
        kinds = collections.Counter()
        for name in os.listdir('/proc/%d/fd' % self.pid):
            try:
                kinds[os.readlink('/proc/%d/fd/%s' % (self.pid, name)).split('[')[0]] += 1
            except FileNotFoundError:
                pass  # closed meanwhile
        return dict(kinds)

    def waiting(self):
        """Number of connections that the server has not accepted, including unfinished
        handshakes."""
        count = 0
        for name in ('tcp', 'tcp6'):
            with open('/proc/net/' + name) as file:
                for line in file.read().splitlines()[1:]:
                    words = line.split()
                    if int(words[1].rpartition(':')[2], 16) != self.port:
                        continue
                    if words[3] == TCP_LISTEN:
                        count += int(words[4].partition(':')[2], 16)
                    count += words[3] == SYN_RECEIVED
        return count

    def memory(self):
        """Private memory in bytes."""
        with open('/proc/%d/statm' % self.pid) as file:
            words = file.read().split()
        return (int(words[1]) - int(words[2])) * os.sysconf('SC_PAGESIZE')

    def wait_for_children(self, happened):
        """Whether the number of children becomes one that happened() accepts."""
        return until(lambda: happened(len(self.children())))

    def at_rest(self, seconds=30):
        """Waits until no client is connected and nothing of one is left.

        A client is first a waiting connection, then a descriptor of the server, and finally a
        child. It is not enough that there is no child at one moment: the server may be about to
        accept the next client, or it may still have to close the socket of a child that has ended.
        So the three are checked in the order in which a client goes through them. The time limit is
        for each change: a slow machine needs time for many clients.
        """
        wrong, before = [], None
        while self.process.poll() is None:
            wrong = (unequal('connections that are not accepted', self.waiting(), 0) or
                     unequal('descriptors at rest', self.descriptors(), self.idle) or
                     unequal('children', self.children(), []))
            if wrong != before:
                before, end = wrong, time.monotonic() + seconds
            if not wrong or time.monotonic() > end:
                return wrong
            time.sleep(0.02)
        return []

    def state(self):
        return self.descriptors()

    def stop(self, number=signal.SIGTERM, seconds=60):
        """Exit status; 'late' if the signal does not end it."""
        _running.remove(self)
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return 'late'

    def complaints(self):
        """Sanitizer reports, and control bytes in the log."""
        wrong = [line for line in self.lines()
                 if re.search('Sanitizer|runtime error:|out of memory', line)]
        return wrong + ['control bytes in %r' % line for line in self.text().split('\n')
                        if any(ord(c) < 32 or 126 < ord(c) < 160 for c in line)]

    def output(self):
        return os.pread(self.out.fileno(), 1 << 24, 0).decode('utf-8', 'replace')


def is_served(server, **options):
    """Lists the reasons why a good client is not served."""
    try:
        with server.client(**options) as client:
            kind, body = client.greet()[3]
            if kind != ADMITTED:
                return ['a good client is refused: %s' % (refusal((kind, body)),)]
            pairs, most = struct.unpack('>IQ', body[32:44])
            kind, _ = client.call(message(RELEASE))
            client.send(message(BYE))
            client.is_dropped()
            return (unequal('answer', kind, DONE) +
                    ([] if pairs and most else ['it grants no resources']))
    except (Gone, OSError, ValueError) as error:
        return ['a good client is not served: %r' % error]


def still(server, before):
    """Checks that the server is as before the abuse and serves good clients."""
    wrong = server.at_rest()
    wrong += unequal('descriptors', server.state(), before)
    return wrong + is_served(server) + server.at_rest()


def abuse(tap, server, name, action):
    """Runs one kind of abuse as a test. The function returns a list of errors."""
    late = server.at_rest()
    before = server.state()
    try:
        wrong = late + (action(server) or [])
    except (Gone, OSError, ValueError) as error:
        wrong = ['%s: %r' % (name, error)]
    tap.test('server: ' + name, wrong + still(server, before))


def one_line_each(server, clients, what):
    """Runs functions, one client each, and counts the lines in the log."""
    told = steady(server.told, 1.2)  # earlier omitted lines are counted by then
    begin = len(server.lines())
    wrong = []
    for client in clients:
        client()
        wrong += server.at_rest()
    # Omitted lines are reported when there was nothing else for a second.
    until(lambda: server.told() - told >= len(clients))
    lines = server.lines()[begin:]
    wrong += unequal('lines in the log', server.told() - told, len(clients))
    return wrong + [line for line in lines
                    if not re.search(what, line) and not LEFT_OUT.search(line)][:5]


def drops(server, *data):
    """Clients that send these bytes and wait."""
    stayed = []

    def client_of(piece):
        def run():
            with server.client() as client:
                try:
                    client.send(piece)
                except Gone:
                    return
                if not client.is_dropped():
                    stayed.append('%r is not dropped' % piece[:40])
        return run
    return one_line_each(server, [client_of(piece) for piece in data],
                         'sent no valid message|instead of hello|no hello|before its hello') + stayed


def random_bytes(server):
    dice = random.Random(1)
    return drops(server, *(dice.randbytes(dice.choice((16, 17, 100, 4096, 100000)))
                           for _ in range(12)),
                 *(MAGIC + dice.randbytes(200) for _ in range(6)),
                 *(MAGIC + struct.pack('>II', 1, dice.randrange(64)) + dice.randbytes(100)
                   for _ in range(12)),
                 *(hello()[:24] + dice.randbytes(32) for _ in range(2)))


def other_protocols(server):
    return drops(server, b'GET / HTTP/1.1\r\nHost: x\r\n\r\n', b'SSH-2.0-OpenSSH_9.2\r\n',
                 b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' + bytes(500),
                 b'0000:000001:000002:fe800000000000000000000000000000'.ljust(64, b'\0'),
                 b'\x1b]0;title\x07\x1b[2J\xff\xfe'.ljust(64, b'\x9b'))


def lengths(server):
    return drops(server, *(hello(length=length) for length in
                           (0, 1, 39, 41, 4081, 65536, 0x7fffffff, 0x80000000, 0xffffffff)),
                 *(message(kind, length=0xffffffff) for kind in (WAITED, COUNTED, BYE, 0, 99)))


def not_hello(server):
    return drops(server, message(BYE), message(RELEASE), message(DONE), message(COUNTERS),
                 message(QUERY, struct.pack('>I', 0)), message(COUNTED, struct.pack('>I', 0)),
                 message(RELEASE, version=2), hello(release=b'x' * 32))


def versions(server):
    wrong = []
    for lowest, highest, header in ((PROTOCOL + 1, PROTOCOL + 2, 3), (0, 0, 1), (9, 1, 1), (2, 1, 1),
                                    (PROTOCOL + 1, 0xffffffff, 9), (0xffffffff, 0xffffffff, 0xffffffff)):
        with server.client() as client:
            reply = client.call(hello(lowest, highest, version=header, release=b'\x1b[31mx'))
            wrong += unequal('%d to %d' % (lowest, highest), refusal(reply)[:3],
                             (BAD_VERSION, PROTOCOL, PROTOCOL))
    with server.client() as client:
        kind, body = client.call(hello(0, PROTOCOL + 2, version=PROTOCOL + 2))
        wrong += unequal('a range with ours', (kind, body[:4]),
                         (CHALLENGE, struct.pack('>I', PROTOCOL)))
    return wrong


def handshakes(server):
    """Clients that do not continue as they began."""
    stayed = []

    def client_of(data):
        def run():
            with server.client() as client:
                client.challenged()
                if data is None:
                    client.reset()
                    return
                client.send(data)
                if not client.is_dropped():
                    stayed.append('%r is not dropped' % data[:40])
        return run
    wrong = one_line_each(server, [client_of(data) for data in (
        None, b'', hello(), message(BYE), message(RELEASE), message(ADMITTED),
        message(RESPONSE), message(RESPONSE, bytes(63)), message(RESPONSE, bytes(65)),
        message(RESPONSE, bytes(64))[:40], message(CHALLENGE, bytes(40)))],
        'sent no valid message|instead of response|no response|before its response')
    with server.client() as client:
        wanted, _, _, (kind, body) = client.greet()
        wrong += unequal('a token', wanted, 0) + unequal('without one', kind, ADMITTED)
        pairs, most, longest = struct.unpack('>IQQ', body[32:])
        wrong += unequal('admitted', (body[:32], longest), (bytes(32), 60000))
        wrong += unequal('queue pairs', pairs, PAIRS) + ([] if most else ['it grants no memory'])
        wrong += unequal('an order', client.call(message(RELEASE))[0], DONE)
        for order in (message(PROVEN), message(PROOF, bytes(32)), message(RESPONSE, bytes(64)),
                      message(PROVE, bytes(12))):
            wrong += unequal('without a device', refusal(client.call(order))[0], ORDER)
    nonces = set()
    for _ in range(8):
        with server.client() as client:
            nonces.add(client.challenged()[1])
    return wrong + stayed + unequal('different nonces', len(nonces), 8)


def slow(server):
    """Clients that send nothing, or a byte now and then, while a good client works."""
    begin, stalls = time.monotonic(), Stalls()
    silent, dribbling, halved = (server.client() for _ in range(3))
    data = hello()
    halved.send(data[:20])
    sent, served, wrong = 0, 0, []
    dribbling.socket.settimeout(0)
    while time.monotonic() < begin + 3 * HELLO_SECONDS and sent < len(data):
        try:
            dribbling.socket.send(data[sent:sent + 1])
            sent += 1
        except OSError:
            break
        if sent % 10 == 0:
            wrong += is_served(server)
            served += 1
        time.sleep(0.1)
    early, late = time.monotonic() - begin < HELLO_SECONDS - 1, stalls.is_late(HELLO_SECONDS + 4)
    stalls.end()
    if sent == len(data) or early or late:
        wrong.append('%d bytes of hello, one a tick, took %s' % (sent, stalls.tell()))
    for client in (silent, halved):
        if not client.is_dropped():
            wrong.append('not dropped')
    for client in (silent, dribbling, halved):
        client.socket.close()
    return wrong + ([] if served else ['no good client meanwhile']) + server.at_rest()


def halves(server):
    """Every prefix of a hello, followed by nothing."""
    data = hello()

    def client_of(length, how):
        def run():
            client = server.client()
            client.send(data[:length])
            how(client)
        return run
    ways = (Client.reset, lambda client: client.socket.close(),
            lambda client: (client.socket.shutdown(socket.SHUT_WR), client.is_dropped(),
                            client.socket.close()))
    return one_line_each(server, [client_of(length, ways[length % 3])
                                  for length in (0, 1, 2, 3, 4, 8, 15, 16, 17, 24, 55)],
                         'before its hello|closed|sent no valid message')


def late_garbage(server):
    """Invalid orders after a good hello, and orders that need a device."""
    wrong = []
    for data in (b'x' * 16, message(99), message(BUFFER, bytes(20), length=0xffffffff),
                 message(RELEASE, version=2), message(QUERY, struct.pack('>I', PAIRS)),
                 message(WAY, bytes(11)), message(WAY, struct.pack('>III', 2, 0, 0)),
                 message(TARGET, struct.pack('>III', PAIRS, 1, 0)), message(REPORTED, bytes(47)),
                 message(MEMORY, struct.pack('>III', 4, 0, 0)), message(LEAVING, bytes(8)),
                 message(MEMORY, struct.pack('>III', 3, 4, 0)), message(WINDOW, bytes(48)),
                 message(VECTOR, struct.pack('>I', 65536)), message(GID_SEEN, bytes(8)),
                 message(XRC, bytes(8)), message(XRC, struct.pack('>III', PAIRS, 2, 1)),
                 message(HEADER), message(HEADER, struct.pack('>I', 2)), message(HEADER_AGREED, bytes(8)),
                 message(2), message(46), message(74), message(WAITED, struct.pack('>III', 0, 0, 33))):
        with server.greeted() as client:
            client.send(data)
            if not client.is_dropped():
                wrong.append('%r is not dropped' % data[:40])
    for data in (hello(), message(COUNTERS), message(DONE), message(QUERY, struct.pack('>I', PAIRS - 1)),
                 message(WAY, bytes(12)), message(TARGET, bytes(12)), message(REPORT),
                 message(GID_LOOK), message(MEMORY, bytes(12)), message(VECTOR, bytes(4)),
                 message(LEAVING, bytes(4)), message(GID_SEEN, bytes(4)), message(XRC, bytes(12)),
                 message(HEADER, bytes(4)), message(HEADER_AGREED, bytes(4)),
                 message(WINDOW, struct.pack('>6I3Q', 0, 1, 1, 0, 0, 2, 0, 64, 1)),
                 message(LEAVE, struct.pack('>I', 0))):
        with server.greeted() as client:
            wrong += unequal('an invalid order', refusal(client.call(data))[0], ORDER)
            wrong += unequal('a valid order after it', client.call(message(RELEASE))[0], DONE)
    return wrong


def deaf(server):
    """Endless orders from a client that reads no reply."""
    with server.greeted() as client:
        client.socket.settimeout(0.5)
        sent = 0
        try:
            while sent < 1 << 28:
                sent += client.socket.send(message(COUNTERS) * 1000)
        except TimeoutError:
            pass
        except OSError:
            return []
        client.socket.settimeout(60)
        try:
            while True:
                client.socket.sendall(message(COUNTERS))
        except TimeoutError:
            return ['not dropped after %d bytes' % sent]
        except OSError:
            return []


def crowd(server):
    """As many clients as the server takes, from one address and in total."""
    wrong, many = [], []
    for number in range(MOST_OF_ADDRESS):
        many.append(server.greeted(source='127.0.0.2'))
    with server.client(source='127.0.0.2') as client:
        reason, _, _, text = refusal(client.greet()[3])
        wrong += unequal('the ninth of an address', (reason, 'address' in text), (BUSY, True))
    wrong += is_served(server, source='127.0.0.3')
    for number in range(MOST_CLIENTS - MOST_OF_ADDRESS):
        many.append(server.greeted(source='127.0.0.%d' % (4 + number)))
    for _ in range(50):
        with server.client(source='127.0.0.99') as client:
            wrong += unequal('one too many', refusal(client.greet()[3])[0], BUSY)
    # Refused clients have a second to read the reason.
    server.wait_for_children(lambda count: count <= MOST_CLIENTS)
    wrong += unequal('processes', len(server.children()), MOST_CLIENTS)
    for client in many:
        wrong += unequal('one of many', client.call(message(RELEASE))[0], DONE)
        client.socket.close()
    return wrong[:5]


def thousand(server):
    """Connections that are closed at once or a little later."""
    told = steady(server.told, 1.2)  # earlier omitted lines are counted by then
    begin, before = len(server.lines()), server.memory()
    clock, waiting = time.monotonic(), []
    for number in range(1000):
        client = server.client()
        if number % 3 == 0:
            client.send(hello()[:number % 56])
        if number % 2:
            client.reset()
        else:
            waiting.append(client)
        while len(waiting) > 20:
            waiting.pop(0).socket.close()
    for client in waiting:
        client.socket.close()
    wrong = server.at_rest()
    # A connection that is reset before it is accepted may go unnoticed.
    until(lambda: server.told() - told >= 500)
    count, lines = server.told() - told, len(server.lines()) - begin
    # One line per second after the first ones, and one about omitted lines.
    most = max(100, BURST + 2 * (time.monotonic() - clock + 1))
    if not 500 <= count <= 1000 or lines > most:
        wrong.append('%d lines for 1000 connects, in %d' % (count, lines))
    grown = server.memory() - before
    if grown > 4 << 20:
        wrong.append('the server grew by %d bytes' % grown)
    return wrong


def crash(server):
    """The process of one client is killed: a line, and the other client does not notice."""
    with server.greeted(source='127.0.0.7') as other:
        others = set(server.children())
        with server.greeted() as client:
            for pid in set(server.children()) - others:
                os.kill(pid, signal.SIGKILL)
            dropped = client.is_dropped()
        return (unequal('dropped', dropped, True) +
                ([] if server.wait_for('killed by signal 9') else ['no line about it']) +
                unequal('the other client', other.call(message(RELEASE))[0], DONE))


def hosts(tap, command):
    """A server that listens on all addresses."""
    server = Server(command)
    for name, action in (('random bytes', random_bytes), ('other protocols', other_protocols),
                         ('impossible lengths', lengths), ('no hello first', not_hello),
                         ('other versions', versions), ('half a handshake', handshakes),
                         ('slow clients', slow),
                         ('half a hello', halves), ('garbage after a good hello', late_garbage),
                         ('a client that does not listen', deaf), ('a crowd', crowd),
                         ('a thousand connects', thousand), ('a crash', crash)):
        abuse(tap, server, name, action)
    tap.test('server: IPv6 beside IPv4', is_served(server, to='::1') + server.at_rest())
    status = server.stop()
    tap.test('server: ends by SIGTERM, and its log is clean',
             unequal('exit status', status in (0, 4), True) + server.complaints())


def bound(tap, command):
    """The server listens only on the address that it was given."""
    wrong = []
    for bind, elsewhere in (('127.0.0.5', '127.0.0.1'), ('127.0.0.5', '::1'), ('::1', '127.0.0.1')):
        server = Server(command, bind=bind)
        wrong += is_served(server)
        try:
            server.client(to=elsewhere).socket.close()
            wrong.append('bound to %s, it answers at %s' % (bind, elsewhere))
        except ConnectionRefusedError:
            pass
        server.stop()
        wrong += server.complaints()
    tap.test('server: listens only on the given address', wrong)


def taken(tap, command):
    with socket.create_server(('127.0.0.1', PORT)):
        process = subprocess.run(command('--port', str(PORT)), capture_output=True, timeout=120,
                                 stdin=subprocess.DEVNULL)
    tap.test('server: the port is taken: exit 1, and why',
             unequal('exit status', process.returncode, 1) +
             ([] if b'in use' in process.stderr else ['%r' % process.stderr]))


def tokens(tap, command):
    word = b'correct horse battery'
    server = Server(command, '--token', word.decode())
    wrong = []

    def refused(what, reply):
        reason, _, _, text = refusal(reply)
        return unequal(what, reason, BAD_TOKEN) + (['it reveals the token'] if 'horse' in text else [])
    # In clear text even the right token is refused: after the hello, and in place of the proof.
    with server.client() as client:
        client.send(message(HELLO, hello()[16:] + word.ljust(64, b'\0')))
        wrong += [] if client.is_dropped() else ['a token after the hello is not refused']
    for token in (None, word[:-1], word + b'x', b'\0' + word, word.upper(), b'\xff' * 64):
        with server.client() as client:
            begin = time.monotonic()
            wanted, _, _, reply = client.greet(token)
            wrong += unequal('a token', wanted, 1) + refused('with %r' % token, reply)
            if time.monotonic() - begin < 0.5:
                wrong.append('guesses are answered at once')
    with server.client() as client:
        _, server_nonce, nonce, (kind, body) = client.greet(word)
        wrong += unequal('with the right one', kind, ADMITTED)
        wrong += unequal('the proof of the server', body[:32],
                         mac(word, b'server', server_nonce, nonce))
    good = mac(word, b'client', server_nonce, nonce)
    for what, proof, again in (('a replay', good, nonce), ('that of the server', body[:32], nonce),
                               ('all of them', word.ljust(32, b'\0'), None)):
        with server.client() as client:
            wrong += refused(what, client.greet(proof=proof, nonce=again)[3])
    # A different version, role or order of the nonces.
    for what in ({'version': 2}, {'role': b'server'}, {'swap': True}):
        with server.client() as client:
            theirs, ours = client.challenged()[1], os.urandom(32)
            first, second = (ours, theirs) if 'swap' in what else (theirs, ours)
            proof = mac(word, what.get('role', b'client'), first, second, what.get('version', PROTOCOL))
            wrong += refused('%s' % what, client.call(message(RESPONSE, ours + proof)))
    wrong += server.at_rest()
    if 'horse' in server.text():
        wrong.append('the token is in the log')
    server.stop()
    tap.test('server: a client without the token is refused', wrong + server.complaints())


def once(tap, command):
    server = Server(command, '--once')
    wrong = drops(server, b'GET / HTTP/1.0\r\n\r\n'.ljust(100), message(BYE))
    with server.client() as client:
        wrong += unequal('another version', refusal(client.call(hello(PROTOCOL + 1, PROTOCOL + 1)))[0], BAD_VERSION)
    wrong += server.at_rest()
    with server.greeted() as client:
        with server.client() as second:
            wrong += unequal('the second', refusal(second.greet()[3])[0], BUSY)
        wrong += unequal('the one', client.call(message(RELEASE))[0], DONE)
        client.send(message(BYE))
        client.is_dropped()
    try:
        wrong += unequal('exit status', server.process.wait(60), 0)
    except subprocess.TimeoutExpired:
        wrong.append('it does not end')
    server.stop()
    tap.test('server: --once ends after the first client served', wrong + server.complaints())
    server = Server(command, '--once')
    server.greeted().reset()
    try:
        wrong = unequal('exit status', server.process.wait(60), 4)
    except subprocess.TimeoutExpired:
        wrong = ['it does not end']
    server.stop()
    tap.test('server: --once fails if that client breaks off', wrong + server.complaints())


def endings(tap, command):
    """Signals while clients are connected: idle clients, greeting ones, and one that hangs."""
    for number, stuck in ((signal.SIGINT, False), (signal.SIGTERM, True)):
        server = Server(command)
        clients = [server.greeted(), server.greeted(), server.client()]
        flood = server.greeted()
        flood.socket.settimeout(0.2)
        server.wait_for_children(lambda count: count >= 4)
        children = server.children()
        if stuck:
            os.kill(children[0], signal.SIGSTOP)
        with Stalls() as stalls:
            status = server.stop(number)
            late = stalls.is_late(9 if stuck else 3)
        wrong = unequal('children', len(children), 4)
        wrong += ['process %d is left' % pid for pid in children
                  if os.path.exists('/proc/%d' % pid)]
        wrong += unequal('every client is dropped', [client.is_dropped() for client in clients],
                         [True] * len(clients))
        if late:
            wrong.append('it took %s' % stalls.tell())
        if status == 'late' or status < 0:
            wrong.append('exit status %s' % status)
        for client in (*clients, flood):
            client.socket.close()
        tap.test('server: ends by %s%s' % (signal.Signals(number).name, ', one of its processes is stuck'
                                           if stuck else ''), wrong + server.complaints())


def part(tap, action, *words):
    """Runs tests so that a test that crashes does not stop the others."""
    try:
        action(tap, *words)
    except (Gone, OSError, ValueError) as error:
        tap.test('server: %s crashes' % action.__name__, repr(error))
    for server in list(_running):
        server.stop(signal.SIGKILL)


def play(tap, command):
    """Runs all tests against the server whose argv `command` returns."""
    for action in (hosts, bound, taken, tokens, once, endings):
        part(tap, action, command)
