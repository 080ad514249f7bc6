#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Limits on what one client, or a crowd of them, can use up of `rdmactl selftest --serve`, which
needs no RDMA device here: places, processes, lines in the log, time. On a host without devices, in
separate namespaces, and starting with the misbehaving clients of abuse.py:

    tests/vm/crowd.py build/asan/rdmactl build/roots/cx6dx-roce
"""

import ctypes
import os
import signal
import socket
import struct
import sys
import time

sys.dont_write_bytecode = True

import abuse
from abuse import BURST, Gone, Server
from stalls import Stalls
from tap import Tap, unequal

IPC_LOCK = 1 << 14
LIFE_SECONDS = 7200  # of a client, with two threads: serve_life_msec()
MOST_FILES = 256
PIDFD_GETFD = 438
SO_ATTACH_FILTER = 26  # include/uapi/asm-generic/socket.h


def stay(server, count, network='127.0.1.%d'):
    """Silent connections, from that many addresses."""
    return [server.client(source=network % (1 + number) if '%' in network else network)
            for number in range(count)]


def close(clients):
    for client in clients:
        client.socket.close()


def welcomed_soon(server, **options):
    with Stalls() as stalls:
        wrong = abuse.is_served(server, **options)
        late = stalls.is_late(8)
    return wrong + (['a good client waits %s' % stalls.tell()] if late else [])


def silent(server):
    """Silent connections from one address, and from many."""
    wrong, clients = [], stay(server, 40, '127.0.0.9')
    wrong += welcomed_soon(server, source='127.0.0.9')
    wrong += welcomed_soon(server, source='127.0.0.8')
    clients += stay(server, 120)
    wrong += welcomed_soon(server, source='127.0.0.7')
    if len(server.children()) > 64 + 8:
        wrong.append('%d processes for silent clients' % len(server.children()))
    close(clients)
    return wrong


def guesses(tap, command):
    """A wrong token costs a line in the log, but not every time."""
    server = Server(command, '--token', 'correct horse')
    begin, clients, wrong = time.monotonic(), [], []
    for number in range(120):
        clients.append(server.client(source='127.0.2.%d' % (1 + number)))
        try:
            clients[-1].challenged()
            clients[-1].send(abuse.message(abuse.RESPONSE, os.urandom(64)))
        except Gone:
            pass
    for client in clients:
        client.is_dropped()
    wrong += server.at_rest()
    most = BURST + 2 * (time.monotonic() - begin + 1)
    lines = len(server.lines()) - 1
    if lines > most:
        wrong.append('%d lines for %d guesses' % (lines, len(clients)))
    if not abuse.until(lambda: server.told('') - 1 >= len(clients)):
        wrong.append('only %d of %d guesses are counted' % (server.told('') - 1, len(clients)))
    close(clients)
    server.stop()
    tap.test('server: a flood of wrong tokens is a few lines of the log', wrong)


def state_of(pid):
    """Capabilities, NoNewPrivs and limits of a process."""
    with open('/proc/%d/status' % pid) as file:
        lines = dict(line.split(':', 1) for line in file)
    with open('/proc/%d/limits' % pid) as file:
        limits = {line[:25].strip(): line[26:46].strip() for line in file}
    return lines, limits


def too_much(pid):
    """Privileges and resources that a process serving a client should not have, but has."""
    lines, limits = state_of(pid)
    wrong = unequal('NoNewPrivs', lines['NoNewPrivs'].strip(), '1')
    for name in ('CapEff', 'CapPrm', 'CapInh', 'CapBnd', 'CapAmb'):
        if int(lines[name], 16) & ~IPC_LOCK:
            wrong.append('%s: %s' % (name, lines[name].strip()))
    for name, most in (('Max core file size', 0), ('Max open files', MOST_FILES),
                       ('Max cpu time', 2 * LIFE_SECONDS + 100), ('Max processes', 4096),
                       ('Max data size', None)):
        value = limits[name]
        if value == 'unlimited' or (most is not None and int(value) > most):
            wrong.append('%s: %s' % (name, value))
    return wrong


def confined(server):
    """Checked before a byte is read, and when a client has been welcomed."""
    wrong = []
    for action in (server.client, server.greeted):
        with action():
            more = []

            def is_confined():
                children = server.children()
                more[:] = too_much(children[0]) if children else ['no process']
                return not more

            abuse.until(is_confined)
            wrong += more
        wrong += server.at_rest()
    return wrong


def allowed(tap, command):
    server, begin = Server(command, '--allow', '127.0.0.2,127.0.4.0/24,fd00::/8'), time.monotonic()
    wrong = abuse.is_served(server, source='127.0.0.2')
    wrong += abuse.is_served(server, source='127.0.4.200')
    for options in ({'source': '127.0.0.3'}, {'source': '127.0.5.1'}, {'to': '::1'}):
        with server.client(**options) as client:
            try:
                wrong.append('%s gets an answer: %s' % (options, client.call(abuse.hello())))
            except Gone:
                pass
    for _ in range(60):
        server.client(source='127.0.0.3').socket.close()
    wrong += abuse.is_served(server, source='127.0.0.2')
    if not server.wait_for('not in a network of --allow'):
        wrong.append('no line about it')
    if len(server.lines()) > BURST + 10 + 2 * (time.monotonic() - begin + 1):
        wrong.append('%d lines about others' % len(server.lines()))
    server.stop()
    tap.test('server: --allow serves only these networks', wrong + server.complaints())


def idle(tap, command):
    server = Server(command, '--idle', '1s')
    with server.greeted() as client, Stalls() as stalls:
        begin = time.monotonic()
        wrong = unequal('dropped', client.is_dropped(), True)
        if time.monotonic() - begin < 0.8 or stalls.is_late(4):
            wrong.append('after %s' % stalls.tell())
    if not server.wait_for('silent for 1 s'):
        wrong.append('no line about it')
    server.stop()
    tap.test('server: --idle drops a client that sends no orders', wrong + server.complaints())


def borrowed(pid, port):
    """A duplicate of another process's socket with that TCP port, to read and set its options."""
    # pidfd_getfd(2): the number is the same for all processors, include/uapi/asm-generic/unistd.h.
    call, process = ctypes.CDLL(None, use_errno=True).syscall, os.pidfd_open(pid)
    try:
        for name in os.listdir('/proc/%d/fd' % pid):
            # A descriptor that has been closed meanwhile is not the socket either.
            number = call(PIDFD_GETFD, process, int(name), 0)
            if number < 0:
                continue
            if not os.readlink('/proc/self/fd/%d' % number).startswith('socket:'):
                os.close(number)
                continue
            found = socket.socket(fileno=number)
            if found.family in (socket.AF_INET, socket.AF_INET6) and found.getsockname()[1] == port:
                return found
            found.close()
    finally:
        os.close(process)
    raise ValueError('process %d has no such socket' % pid)


def cut(tap, command):
    """A client whose host no longer answers: its socket drops incoming packets without
    acknowledgement."""
    silence = struct.pack('=HBBI', 6, 0, 0, 0)  # BPF: return 0 bytes
    server, wrong = Server(command), []
    for owes in (False, True):
        client = server.greeted()
        server.wait_for_children(bool)
        children = server.children()
        if not children:
            wrong.append('no process serves the client')
            continue
        with borrowed(children[0], server.port) as theirs:
            tcp = socket.IPPROTO_TCP
            options = [(tcp, socket.TCP_KEEPIDLE), (tcp, socket.TCP_KEEPINTVL),
                       (tcp, socket.TCP_KEEPCNT), (tcp, socket.TCP_USER_TIMEOUT)]
            idle, every, count, unanswered = (theirs.getsockopt(*option) for option in options)
            wrong += unequal('seconds until it is given up', (every * count, idle, unanswered),
                             (60, every, 60000))
            # Shorter times, so that the test does not wait for a minute.
            for option, value in zip(options, (1, 1, 2, 2000)):
                theirs.setsockopt(*option, value)
        program = ctypes.create_string_buffer(silence)
        client.socket.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER,
                                 struct.pack('HP', 1, ctypes.addressof(program)))
        if owes:
            client.send(abuse.message(abuse.RELEASE))
        with Stalls() as stalls:
            wrong += server.at_rest()
            if stalls.is_late(10):
                wrong.append('given up after %s' % stalls.tell())
        if not server.wait_for("TCP gave up the connection: the client's host acknowledged "
                               'nothing', count=1 + owes):
            wrong.append('no line about it: %s' % server.lines()[-1:])
        client.socket.close()
    wrong += abuse.is_served(server)
    server.stop()
    tap.test('server: gives up a client whose host does not answer', wrong + server.complaints())


def memory(tap, command):
    """Clients that have not ordered anything count, too."""
    server = Server(command, '--memory', '104m')
    clients = [server.greeted() for _ in range(4)]
    with server.client() as client:
        reason, _, _, text = abuse.refusal(client.greet()[3])
        wrong = unequal('the fifth', (reason, '--memory' in text), (abuse.BUSY, True))
    clients.pop().socket.close()
    server.wait_for_children(lambda count: count <= 3)
    wrong += abuse.is_served(server)
    close(clients)
    server.stop()
    tap.test('server: --memory limits all clients together', wrong + server.complaints())


def granted(tap, command):
    """The server says when it admits a client how long a run may take."""
    wrong = []
    for options, msec in (((), 60000), (('--longest', '5m'), 300000)):
        server = Server(command, *options)
        with server.client() as client:
            kind, body = client.greet()[3]
        if kind != abuse.ADMITTED or struct.pack('>I', msec) not in body:
            wrong.append('%s: type %d, %r' % (options, kind, body))
        server.stop()
    tap.test('server: --longest is the time that it grants', wrong)


def orphans(tap, command):
    """The server is killed, and the processes that serve its clients end."""
    server = Server(command)
    clients = [server.greeted(), server.greeted(), server.client()]
    server.wait_for_children(lambda count: count >= 3)
    children = server.children()
    wrong = unequal('processes', len(children), 3)
    server.stop(signal.SIGKILL)
    with Stalls() as stalls:
        abuse.until(lambda: not any(is_running(pid) for pid in children))
        wrong += ['after %s' % stalls.tell()] if stalls.is_late(2) else []
    wrong += ['process %d is left' % pid for pid in children if is_running(pid)]
    close(clients)
    tap.test('server: its processes end when it is killed', wrong)


def is_running(pid):
    try:
        with open('/proc/%d/stat' % pid) as file:
            return file.read().rpartition(')')[2].split()[0] not in 'ZX'
    except OSError:
        return False


def ends(tap, command):
    """A signal while many clients are connected."""
    server = Server(command)
    clients = stay(server, 40) + [server.greeted(source='127.0.0.%d' % (2 + i)) for i in range(8)]
    children = server.children()
    with Stalls() as stalls:
        status = server.stop()
        took, late = stalls.tell(), stalls.is_late(abuse.STOP_SECONDS)
    wrong = ['process %d is left' % pid for pid in children if is_running(pid)]
    if status == 'late' or status < 0 or late:
        wrong.append('exit status %s after %s' % (status, took))
    close(clients)
    tap.test('server: ends within a second with 48 connections', wrong + server.complaints(), [took])


def privileges(tap, command):
    server = Server(command)
    abuse.abuse(tap, server, 'the privileges of what serves a client', confined)
    server.stop()


def play(tap, command):
    server = Server(command)
    abuse.abuse(tap, server, '40 silent connections, and 120 of other addresses', silent)
    server.stop()
    privileges(tap, command)
    for action in (guesses, allowed, idle, cut, memory, granted, orphans, ends):
        abuse.part(tap, action, command)


def main(program, root, *inside):
    if not inside:
        script = 'mount --bind "$2/sys" /sys && ip link set lo up && exec "$0" "$1" "$2" inside'
        os.execvp('unshare', ['unshare', '-rmn', 'sh', '-c', script, os.path.abspath(__file__),
                              os.path.abspath(program), os.path.abspath(root)])
    def command(*words):
        return [program, 'selftest', '--serve', *words]

    tap = Tap()
    abuse.play(tap, command)
    play(tap, command)
    return tap.end()


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
