# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Four hosts with an RDMA device each: guests of tests/vm/guest on one wire."""

import json
import os
import shutil
import subprocess
import tempfile
import time

import wire

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
RDMACTL = os.path.join(TOP, os.environ.get('RDMACTL') or 'build/rdmactl')
BOOT_SECONDS = 60  # for each try
BOOT_TRIES = 3
SET_UP = """
set -e
hostname n{0}
modprobe virtio_net
tries=200
while ! [ -e /sys/class/net/eth0 ]; do tries=$((tries - 1)); [ $tries != 0 ]; sleep 0.05; done
ip link set eth0 up
ip addr add 10.77.0.{0}/24 dev eth0
for i in 1 2 3 4; do echo 10.77.0.$i n$i; done >>/etc/hosts
rdma link add rx0 type rxe netdev eth0
"""


class Done:
    def __init__(self, status, out, err, seconds):
        self.status, self.out, self.err, self.seconds = status, out, err, seconds

    def __str__(self):
        return 'exit status %s after %.1f s\n%s%s' % (self.status, self.seconds, self.out, self.err)


class Task:
    """A program on a host."""

    def __init__(self, host, path):
        self.host, self.path = host, path
        self.begin = time.monotonic()

    def text(self, kind):
        try:
            with open(self.path + '.' + kind, errors='replace') as file:
                return file.read()
        except FileNotFoundError:
            return ''

    def says(self, words, seconds=30):
        """Waits for words on the program's standard error."""
        end = time.monotonic() + seconds
        while words not in self.text('err') and not self.done() and time.monotonic() < end:
            time.sleep(0.05)
        return words in self.text('err')

    def done(self):
        return os.path.exists(self.path + '.status')

    def wait(self, seconds=60):
        end = time.monotonic() + seconds
        while not self.done():
            if time.monotonic() > end:
                return Done('timeout', self.text('out'), self.text('err'), seconds)
            time.sleep(0.02)
        return Done(int(self.text('status')), self.text('out'), self.text('err'),
                    time.monotonic() - self.begin)


class Host:
    def __init__(self, bed, number, kernel):
        self.bed, self.number, self.count = bed, number, 0
        self.name = 'n%d' % number
        self.address = '10.77.0.%d' % number
        self.folder = os.path.join(bed.folder, 'out', str(number))
        os.mkdir(self.folder)
        self.console = open(os.path.join(bed.folder, 'console-%d' % number), 'wb')
        self.kernel = kernel
        self.switch_on()

    def switch_on(self):
        self.process = subprocess.Popen(
            [os.path.join(TOP, 'tests/vm/guest'), '-k', self.kernel, '-c', '1', '-m', '512', '-t',
             '900', '-o', os.path.join(self.bed.folder, 'out'), '-e', 'RDMACTL=' + RDMACTL, '-w',
             '%s,02:00:00:77:00:%02x' % (self.bed.switch.path(self.number - 1), self.number),
             os.path.join(HERE, 'host'), str(self.number)],
            cwd=TOP, stdin=subprocess.DEVNULL, stdout=self.console, stderr=subprocess.STDOUT)

    def switch_off(self):
        self.process.terminate()
        self.process.wait()

    def has_booted(self):
        return os.path.exists(os.path.join(self.folder, 'boot.status'))

    def start(self, *argv, **env):
        self.count += 1
        path = os.path.join(self.folder, '%04d' % self.count)
        with open(path + '.new', 'w') as file:
            json.dump({'argv': argv, 'env': env}, file)
        os.rename(path + '.new', path + '.do')
        return Task(self, path)

    def run(self, *argv, seconds=60, **env):
        return self.start(*argv, **env).wait(seconds)

    def shell(self, text, seconds=60):
        """Runs a script that must succeed; returns its output."""
        done = self.run('sh', '-c', text, seconds=seconds)
        if done.status != 0:
            raise RuntimeError('%s: %s: %s' % (self.name, text.strip(), done))
        return done.out

    def rdmactl(self, *words, seconds=60, **env):
        return self.run(RDMACTL, *words, seconds=seconds, **env)

    def log(self):
        with open(self.console.name, errors='replace') as file:
            return file.read()


class Bed:
    def __init__(self, kernel, count=4):
        self.folder = tempfile.mkdtemp(prefix='rdmactl-mesh.')
        os.mkdir(os.path.join(self.folder, 'out'))
        self.switch = wire.Switch(self.folder, count)
        self.hosts = [Host(self, number, kernel) for number in range(1, count + 1)]

    def boot(self):
        """Waits until each host has its address and device. Now and then, mostly on a busy machine,
        an emulated one hangs or crashes while it starts: it gets another try."""
        for tries in range(BOOT_TRIES):
            end = time.monotonic() + BOOT_SECONDS
            for host in self.hosts:
                while (not host.has_booted() and host.process.poll() is None and
                       time.monotonic() < end):
                    time.sleep(0.05)
            late = [host for host in self.hosts if not host.has_booted()]
            if not late:
                break
            if tries + 1 == BOOT_TRIES:
                raise RuntimeError('%s did not start: %s' % (late[0].name, late[0].log()))
            for host in late:
                host.switch_off()
                host.switch_on()
        tasks = [host.start('sh', '-c', SET_UP.format(host.number)) for host in self.hosts]
        for task in tasks:
            done = task.wait()
            if done.status != 0:
                raise RuntimeError('%s: %s' % (task.host.name, done))

    def close(self):
        for host in self.hosts:
            with open(os.path.join(host.folder, 'end.do'), 'w'):
                pass
        for host in self.hosts:
            try:
                host.process.wait(20)
            except subprocess.TimeoutExpired:
                host.process.terminate()
                host.process.wait()
            host.console.close()
        self.switch.close()
        shutil.rmtree(self.folder)
