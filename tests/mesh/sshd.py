# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Four hosts, n1 to n4, that OpenSSH's own server serves on four loopback addresses of this host, as
the user who runs the tests. Keys are made in a folder, which is the home on the hosts as well, so that
no start-up file of that user is read. `path` has an ssh that knows the hosts by its own configuration,
and is otherwise the real one."""

import getpass
import os
import socket
import subprocess
import time

from free_ports import free_port

SECONDS = 60
HOSTS = {'n%d' % number: '127.0.0.%d' % (number + 1) for number in range(1, 5)}
PASSED = ('RDMACTL_TEST_MARK', 'ASAN_OPTIONS', 'UBSAN_OPTIONS')
SERVER = """
Port {port}
{addresses}
HostKey {folder}/host-key
AuthorizedKeysFile {folder}/user-key.pub
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PidFile none
AcceptEnv {passed}
SetEnv HOME={folder}
"""
CLIENT = """
Host {name}
	HostName {address}
	HostKeyAlias test
"""
EVERYWHERE = """
Host *
	Port {port}
	User {user}
	IdentityFile {folder}/user-key
	IdentitiesOnly yes
	UserKnownHostsFile {folder}/known-hosts
	StrictHostKeyChecking yes
	BatchMode yes
"""
# The variables of the mark and of the sanitizers are passed to the other side, as a site might pass
# LANG.
WRAPPER = """#!/bin/sh
set -- -F {folder}/client "$@"
for word in {passed}; do
	eval "value=\\$$word"
	[ "$value" ] && set=$set${{set:+ }}$word=$value
done
exec /usr/bin/ssh ${{set:+-o "SetEnv $set"}} "$@"
"""


class Sshd:
    def __init__(self, folder):
        os.mkdir(folder)
        self.path = os.path.join(folder, 'bin')
        os.mkdir(self.path)
        if os.geteuid() == 0:
            os.makedirs('/run/sshd', 0o755, exist_ok=True)  # as the distribution's unit does
        port = free_port(HOSTS.values())
        for name in ('host-key', 'user-key'):
            subprocess.run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', os.path.join(folder, name)],
                           check=True, stdin=subprocess.DEVNULL)
        with open(folder + '/host-key.pub') as file:
            key = file.read()
        texts = {
            'server': SERVER.format(port=port, folder=folder, passed=' '.join(PASSED), addresses='\n'.join(
                'ListenAddress ' + address for address in HOSTS.values())),
            'client': ''.join(CLIENT.format(name=name, address=address) for name, address in HOSTS.items()) +
            EVERYWHERE.format(port=port, user=getpass.getuser(), folder=folder),
            'known-hosts': 'test ' + key,
            'bin/ssh': WRAPPER.format(folder=folder, passed=' '.join(PASSED)),
        }
        for name, text in texts.items():
            with open(os.path.join(folder, name), 'w') as file:
                file.write(text)
        os.chmod(self.path + '/ssh', 0o755)
        self.log = os.path.join(folder, 'log')
        self.process = subprocess.Popen(
            ['setpriv', '--pdeathsig', 'TERM', '/usr/sbin/sshd', '-D', '-f', folder + '/server', '-E',
             self.log], stdin=subprocess.DEVNULL)
        end = time.monotonic() + SECONDS
        for address in HOSTS.values():
            self._wait(address, port, end)

    def _wait(self, address, port, end):
        while True:
            try:
                socket.create_connection((address, port), 1).close()
                return
            except OSError:
                if time.monotonic() > end or self.process.poll() is not None:
                    with open(self.log) as file:
                        raise RuntimeError('sshd does not start: ' + file.read())
            time.sleep(0.05)

    def sessions(self):
        """Children of the server: one for each host on which something still runs."""
        try:
            with open('/proc/%d/task/%d/children' % (self.process.pid, self.process.pid)) as file:
                return [int(word) for word in file.read().split()]
        except FileNotFoundError:
            return []

    def close(self):
        self.process.terminate()
        self.process.wait()
