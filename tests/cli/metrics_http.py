#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl metrics --listen with good clients and bad ones, on 127.0.0.1.

    metrics_http.py PROGRAM TREE
"""

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')]
from free_ports import free_port

PROGRAM, TREE = sys.argv[1:]
failed = []


def check(good, what):
    if not good:
        failed.append(what)


def serve(*words, **options):
    return subprocess.Popen([PROGRAM, 'metrics', '--root', TREE, *words], stderr=subprocess.PIPE, **options)


def ask(port, path='/metrics', method='GET', headers=None):
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=60)
    connection.request(method, path, headers=headers or {})
    reply = connection.getresponse()
    body = reply.read()
    connection.close()
    return reply.status, reply.getheader('Content-Type'), body


def allowed(port, path, method):
    """The status, the methods listed as allowed, and whether the body is one line of text."""
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=60)
    connection.request(method, path)
    reply = connection.getresponse()
    body = reply.read()
    connection.close()
    is_line = reply.getheader('Content-Type') == 'text/plain; charset=utf-8' and body.count(b'\n') == 1
    return reply.status, reply.getheader('Allow'), is_line and body


def lines(port):
    check(allowed(port, '/', 'GET') == (200, None, b'rdmactl: see /metrics\n'), 'the line of the first page')
    check(allowed(port, '/metric', 'GET') == (404, None, b'not here: see /metrics\n'), 'the line of an unknown path')
    check(allowed(port, '/metrics', 'PUT') == (405, 'GET, HEAD', b'only GET and HEAD\n'), 'the line for a method')
    check(allowed(port, '/metrics', 'GET')[:2] == (200, None), 'no line for the page')


def pages_are_kept(port):
    """Clients that ask at the same time get the same page, a client that asks later gets a new
    one."""
    same = other = False
    for number in range(200):
        first = ask(port)[2]
        time.sleep(0 if number < 50 else 0.1)
        again = ask(port)[2] == first
        same |= again
        other |= not again
        if same and other:
            break
    check(same, 'a recent page is sent again')
    check(other, 'an old page is replaced by a new one')


def good_clients(port):
    status, kind, body = ask(port)
    check(status == 200 and kind.startswith('text/plain; version=0.0.4'), 'a page: %s %s' % (status, kind))
    check(b'rdma_port_tx_bytes_total{' in body and body.endswith(b'\n') and b'# EOF' not in body, 'its text')
    status, kind, body = ask(port, headers={'Accept': 'application/openmetrics-text;version=1.0.0,*/*;q=0.1'})
    check(kind.startswith('application/openmetrics-text') and body.endswith(b'# EOF\n'), 'OpenMetrics: %s' % kind)
    status, _, body = ask(port, method='HEAD')
    check(status == 200 and body == b'', 'HEAD: %s' % status)
    check(ask(port, '/')[0] == 200, 'the first page')
    check(ask(port, '/nothing')[0] == 404, 'an unknown path')
    check(ask(port, '/metrics/../etc/passwd')[0] == 404, 'a path that climbs')
    check(ask(port, method='POST')[0] == 405, 'POST')


def bad_clients(port):
    sockets = []
    # Half a request, garbage, a header without an end, and a client that sends nothing at all.
    for text in (b'GET /metr', b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', b'GET / HTTP/1.1\r\nX: ' + b'y' * 100000, b''):
        client = socket.create_connection(('127.0.0.1', port))
        client.settimeout(5)
        with contextlib.suppress(OSError):
            client.sendall(text)
        sockets.append(client)
    check(ask(port)[0] == 200, 'beside bad clients')
    # A thousand connections from one address: most are rejected, and the server keeps working.
    for _ in range(1000):
        client = socket.socket()
        client.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            client.connect(('127.0.0.1', port))
        sockets.append(client)
    time.sleep(0.5)
    for client in sockets:
        client.close()
    for _ in range(600):
        try:
            if ask(port)[0] == 200:
                return
        except (OSError, http.client.HTTPException):
            time.sleep(0.1)
    check(False, 'after a thousand connections')


def ends(server, number, what, expected):
    server.send_signal(number)
    check(server.wait(60) == 0, 'the end by %s: status %s' % (what, server.returncode))
    said = server.stderr.read()
    check(b'Sanitizer' not in said, 'no report of a sanitizer')
    check(said == expected, 'the messages: %s' % said)


def ready(port, server):
    for _ in range(1200):
        with contextlib.suppress(OSError):
            socket.create_connection(('127.0.0.1', port)).close()
            return
        if server.poll() is not None:
            break
        time.sleep(0.05)
    check(False, 'no server on port %d' % port)


def inherited_socket(name, number):
    """Starts it as systemd does: descriptor 3 listens, and NOTIFY_SOCKET, if set, gets
    notifications."""
    listener = socket.create_server(('127.0.0.1', 0))
    port = listener.getsockname()[1]
    quiet = [] if name else ['-q']
    notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    if 0 < len(name) < 108:
        notify.bind(name.replace('@', '\0'))
        notify.settimeout(60)
    script = 'exec env LISTEN_PID=$$ LISTEN_FDS=1 NOTIFY_SOCKET=%s "$@" 3<&%d' % (name, listener.fileno())
    server = subprocess.Popen(['/bin/sh', '-c', script, 'sh', PROGRAM, 'metrics', '--root', TREE, '--listen', '1', *quiet],
                              pass_fds=[listener.fileno()], stderr=subprocess.PIPE)
    if 0 < len(name) < 108:
        check(notify.recv(100) == b'READY=1', 'sd_notify at %s' % name)
    check(ask(port)[0] == 200, 'the socket of systemd')
    ends(server, number, 'signal %d' % number, b'' if quiet else b'serving /metrics on 127.0.0.1:%d\n' % port)


def fixed_format(name, kind):
    """With --format, the Accept header does not matter."""
    port = free_port()
    server = serve('--listen', str(port), '--format', name)
    ready(port, server)
    for headers in ({}, {'Accept': 'application/openmetrics-text'}, {'Accept': 'text/plain'}):
        check(ask(port, headers=headers)[1].startswith(kind), '--format %s for %s' % (name, headers))
    ends(server, signal.SIGTERM, 'SIGTERM', b'serving /metrics on 127.0.0.1:%d\n' % port)


PORT = free_port()
SERVER = serve('--listen', str(PORT))
ready(PORT, SERVER)
good_clients(PORT)
lines(PORT)
pages_are_kept(PORT)
bad_clients(PORT)
SECOND = serve('--listen', '127.0.0.1:%d' % PORT)
check(SECOND.wait(60) == 1 and b'Address already in use' in SECOND.stderr.read(), 'a port that is taken')
ends(SERVER, signal.SIGINT, 'SIGINT', b'serving /metrics on 127.0.0.1:%d\n' % PORT)
with tempfile.TemporaryDirectory() as FOLDER:
    inherited_socket('@rdmactl-test-%d' % os.getpid(), signal.SIGTERM)
    inherited_socket(FOLDER + '/notify', signal.SIGHUP)
    inherited_socket('', signal.SIGINT)
    inherited_socket('/' + 'x' * 107, signal.SIGINT)
fixed_format('prometheus', 'text/plain; version=0.0.4')
fixed_format('openmetrics', 'application/openmetrics-text')
for line in failed:
    print('failed: %s' % line)
sys.exit(1 if failed else 0)
