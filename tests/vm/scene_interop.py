# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""selftest --proto with unmodified ibv_rc_pingpong and rping, as servers and as clients."""

import netlink
import peers
from selftest import Running, Selftest, run, until, wrong_with
from tap import unequal

SERVER = '10.9.0.2'


def gid_index(device):
    """The entry of the IPv4 address on the wire."""
    return next(str(index) for (name, _, index), (gid, _, netdev) in peers.sysfs_gids(16).items()
                if name == device and ':ffff:0a09:00' in gid and netdev in ('va', 'vb'))


def pingpong_server(*words):
    other = Running('ibv_rc_pingpong', '-d', 'rxb', '-g', gid_index('rxb'), *words)
    until(lambda: peers.listens(18515) or other.process.poll() is not None)
    return other


def rping_server(*words):
    other = Running('rping', '-s', '-a', SERVER, '-v', *words)
    devices = netlink.Devices()
    until(lambda: devices.listens() or other.process.poll() is not None)
    return other


def ended(other, status=0):
    result = other.end()
    return [] if result.status == status else ['the other one:'] + result.describe()


def row_of(document, test, **wanted):
    wrong = unequal('tests', [row['test'] for row in document.rows], [test])
    for row in document.rows:
        for key, value in wanted.items():
            wrong += unequal(key, row[key], value)
    return wrong


def as_client(tap):
    other = pingpong_server('-n', '200')
    document = run('--peer', SERVER, '--proto', 'pingpong', '--iterations', '200')
    tap.test('interop: client of ibv_rc_pingpong', wrong_with(document, 0, ('pingpong', 'pass', '')) +
             row_of(document, 'pingpong', iterations=200, size_bytes=4096) + ended(other))
    other = pingpong_server('-n', '100', '-s', '2048')
    document = run('--peer', SERVER, '--proto', 'pingpong', '--iterations', '100')
    other.process.kill()
    other.end()
    tap.test('interop: client of ibv_rc_pingpong with a smaller size', wrong_with(
        document, 4, ('pingpong', 'fail', 'its ibv_rc_pingpong has a smaller size')) +
        command_in(document, 'ibv_rc_pingpong -d DEV -g INDEX -s 4096 -n 100 -m 1024'))
    other = rping_server('-C', '50', '-S', '100')
    document = run('--peer', SERVER, '--proto', 'rping', '--iterations', '50', '--sizes', '100')
    other.end()
    tap.test('interop: client of rping', wrong_with(document, 0, ('rping', 'pass', '')) +
             row_of(document, 'rping', iterations=50, size_bytes=100, connection='cm'))
    for protocol, sentence in (
            ('pingpong', 'refused the connection: nothing listens on its TCP port 18515'),
            ('rping', 'refused the connection: nothing listens on port 7174')):
        document = run('--peer', SERVER, '--proto', protocol)
        tap.test('interop: no server of %s: the command to run there' % protocol,
                 wrong_with(document, 4, (protocol, 'fail', sentence)) +
                 command_in(document, {'pingpong': 'ibv_rc_pingpong -d DEV',
                                       'rping': 'rping -s -a ' + SERVER}[protocol]))


def command_in(document, command):
    return ['the next step %r does not name %r' % (row['next_step'], command)
            for row in document.rows if command not in (row['next_step'] or '')]


def serving(protocol, *words):
    server = Selftest('--serve', '--proto', protocol, '--bind', SERVER, '--once', *words)
    server.says('waiting for ')
    return server


def as_server(tap):
    server = serving('pingpong', '--iterations', '200')
    client = peers.run('ibv_rc_pingpong', '-d', 'rxa', '-g', gid_index('rxa'), '-n', '200', SERVER)
    document = server.end()
    tap.test('interop: server of ibv_rc_pingpong', wrong_with(document, 0, ('pingpong', 'pass', '')) +
             row_of(document, 'pingpong', iterations=200, size_bytes=4096) +
             (client.describe() if client.status else []))
    server = serving('pingpong', '--iterations', '100')
    client = Running('ibv_rc_pingpong', '-d', 'rxa', '-g', gid_index('rxa'), '-n', '100',
                     '-s', '8192', SERVER)
    document = server.end()
    client.end()
    tap.test('interop: server of ibv_rc_pingpong with a larger size', wrong_with(
        document, 4, ('pingpong', 'fail', 'its ibv_rc_pingpong has a larger size')) +
        command_in(document, '-s 4096 -n 100 -m 1024 ' + SERVER))
    server = serving('rping', '--sizes', '100')
    client = peers.run('rping', '-c', '-a', SERVER, '-C', '50', '-S', '100', '-v', '-V')
    document = server.end()
    tap.test('interop: server of rping', wrong_with(document, 0, ('rping', 'pass', '')) +
             row_of(document, 'rping', iterations=50, size_bytes=100, connection='cm') +
             (client.describe() if client.status else []))


def play(tap):
    peers.shell('bed_wire')
    as_client(tap)
    as_server(tap)
