# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A Slurm cluster of four nodes on the loopback interface of this host: munged, slurmctld and four
slurmd of the distribution, in a folder and on ports of their own, without systemd. All of them are
children of this process, and end with it. Only its nodes know each other by name."""

import os
import socket
import subprocess
import time

from free_ports import free_ports

SECONDS = 90
CONF = """
ClusterName=rdmactl
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort={controller}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldTimeout=30
SlurmdTimeout=30
InactiveLimit=0
KillWait=2
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES:8
"""


class Slurm:
    def __init__(self, folder, addresses):
        self.folder = folder
        self.processes = []
        self.environment = dict(os.environ, SLURM_CONF=os.path.join(folder, 'slurm.conf'))
        ports = free_ports(5)
        host = socket.gethostname().split('.')[0]
        nodes = '\n'.join('NodeName=n%d NodeHostname=%s NodeAddr=127.0.0.1 Port=%d CPUs=1 State=UNKNOWN'
                          % (number, host, ports[number]) for number in range(1, 5))
        for name in ('state', *('spool-n%d' % number for number in range(1, 5))):
            os.mkdir(os.path.join(folder, name))
        with open(self.environment['SLURM_CONF'], 'w') as file:
            file.write(CONF.format(host=host, folder=folder, controller=ports[0], nodes=nodes))
        key = os.path.join(folder, 'munge.key')
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o400), 'wb') as file:
            file.write(os.urandom(1024))
        names = os.path.join(folder, 'hosts')
        with open('/etc/hosts') as file:
            text = file.read()
        with open(names, 'w') as file:
            file.write(text + '\n' + ''.join('%s %s\n' % (address, name) for name, address in addresses.items()))
        self._start('munged', '-F', '--force', '--key-file', key, '--socket', folder + '/munge.socket',
                    '--pid-file', folder + '/munged.pid', '--log-file', folder + '/munged.log',
                    '--seed-file', folder + '/munged.seed')
        self._wait(lambda: os.path.exists(folder + '/munge.socket'))
        self._start('slurmctld', '-D', '-i')
        for number in range(1, 5):
            self._start('slurmd', '-D', '-N', 'n%d' % number,
                        within=('unshare', '--mount', 'sh', '-c', 'mount --bind %s /etc/hosts; exec "$@"' % names, 'sh'))
        self.settle()

    def settle(self):
        """Waits until all nodes are free: otherwise the next job would wait until the controller
        knows that the last one is over, which may be too long for its test."""
        self._wait(lambda: self._idle() == 4)

    def _start(self, *argv, within=()):
        log = open(os.path.join(self.folder, '%s-%d.out' % (argv[0], len(self.processes))), 'wb')
        path = '/usr/sbin/' + argv[0]
        self.processes.append(subprocess.Popen(
            ['setpriv', '--pdeathsig', 'TERM', *within, path, *argv[1:]], stdin=subprocess.DEVNULL, stdout=log,
            stderr=subprocess.STDOUT, env=self.environment))
        log.close()

    def _idle(self):
        done = subprocess.run(['sinfo', '-h', '-N', '-t', 'idle', '-o', '%N'], env=self.environment,
                              capture_output=True, text=True)
        return len(done.stdout.split())

    def _wait(self, happened):
        end = time.monotonic() + SECONDS
        while not happened():
            if time.monotonic() > end:
                raise RuntimeError('slurm does not become idle: ' + self.log())
            time.sleep(0.1)

    def log(self):
        text = ''
        for name in sorted(os.listdir(self.folder)):
            if name.endswith('.out'):
                with open(os.path.join(self.folder, name), errors='replace') as file:
                    text += '%s: %s\n' % (name, file.read()[-600:])
        return text

    def close(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in reversed(self.processes):
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
