# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What Kubernetes does with the Job and the Service of a manifest, as far as containers can tell: pods
with an address, a host name, a process namespace and an environment of their own, a name server for
the Service, and what the Job's controller does when a pod fails. The rules are those of the concepts'
pages on kubernetes.io: "Jobs" (Completion mode, Handling Pod and container failures, Backoff limit per
index), "DNS for Services and Pods", "Define Dependent Environment Variables", "Pod Lifecycle".

It runs in a network and a mount namespace of its own; see enter()."""

import base64
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

import yaml

ZONE = 'default.svc.cluster.local'
BRIDGE = '10.96.0.1'
GRACE_SECONDS = 30  # the default of a pod's terminationGracePeriodSeconds
TYPE_A = 1
NXDOMAIN = 3
KILLED = 'unshare: sigprocmask unblock failed: Invalid argument\n'  # after a child was killed


def enter():
    """Executes this program again, in namespaces that end with it."""
    if os.environ.get('RDMACTL_TEST_POD_BED') != '1':
        os.environ['RDMACTL_TEST_POD_BED'] = '1'
        user = [] if os.geteuid() == 0 else ['--map-root-user']
        os.execvp('unshare', ['unshare', *user, '--net', '--mount', sys.executable, *sys.argv])


def ip(*words):
    subprocess.run(['ip', *words], check=True)


def expand(text, environment):
    """Expands $(NAME) in a command, an argument or a value; $$ is $; unknown names stay."""
    def value(match):
        return '$' if match[0] == '$$' else environment.get(match[1], match[0])
    return re.sub(r'\$\$|\$\(([^)]*)\)', value, text)


class Manifest:
    def __init__(self, path):
        with open(path) as file:
            self.objects = list(yaml.safe_load_all(file))
        self.job = self.one('Job')
        self.spec = self.job['spec']
        self.pod = self.spec['template']['spec']
        self.container, = self.pod['containers']
        self.labels = self.spec['template']['metadata']['labels']

    def one(self, kind):
        return next(each for each in self.objects if each['kind'] == kind)

    def names(self, index):
        """The names of a pod: the Job's controller makes its host name; the Service its domain, if it
        has that name and selects the pod."""
        host = '%s-%d' % (self.job['metadata']['name'], index)
        service = self.one('Service')
        selected = all(self.labels.get(key) == value for key, value in service['spec']['selector'].items())
        headless = service['spec'].get('clusterIP') == 'None'
        if selected and headless and self.pod.get('subdomain') == service['metadata']['name']:
            return host, '%s.%s.%s' % (host, service['metadata']['name'], ZONE)
        return host, None


class Names(threading.Thread):
    """The network of all pods, and a name server of the cluster's zone on it, over UDP: RFC 1035, 4.1."""

    def __init__(self):
        super().__init__(daemon=True)
        # Without an address of its own it takes one from its ports, another with each new pod.
        ip('link', 'add', 'pods', 'address', '02:00:00:00:00:01', 'type', 'bridge')
        ip('link', 'set', 'pods', 'up')
        ip('addr', 'add', BRIDGE + '/16', 'dev', 'pods')
        self.addresses = {}
        self.asked = []
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((BRIDGE, 53))

    def run(self):
        while True:
            query, client = self.socket.recvfrom(512)
            answer = self.answer(query)
            if answer:
                self.socket.sendto(answer, client)

    def answer(self, query):
        labels, at = [], 12
        while query[at]:
            labels.append(query[at + 1:at + 1 + query[at]].decode())
            at += 1 + query[at]
        kind, = struct.unpack_from('>H', query, at + 1)
        name = '.'.join(labels).lower()
        address = self.addresses.get(name)
        self.asked.append((name, address))
        data = b''
        if address and kind == TYPE_A:
            data = struct.pack('>HHHIH', 0xc00c, TYPE_A, 1, 5, 4) + socket.inet_aton(address)
        # A response, authoritative, recursion as desired; a name without that kind is no error.
        flags = 0x8480 | (query[2] & 1) << 8 | (0 if address else NXDOMAIN)
        return query[:2] + struct.pack('>HHHHH', flags, 1, bool(data), 0, 0) + query[12:at + 5] + data


class Pod:
    """A container as PID 1 of its namespaces."""

    def __init__(self, cluster, index):
        manifest = cluster.manifest
        self.index, self.killed = index, False
        self.address = '10.96.%d.%d' % (cluster.number, index + 1)
        self.host, self.name = manifest.names(index)
        self.folder = os.path.join(cluster.folder, 'pod-%d' % index)
        os.mkdir(self.folder)
        self.out = open(self.folder + '/out', 'w+')
        self.err = open(self.folder + '/err', 'w+')
        files = {
            'hosts': '127.0.0.1 localhost\n%s %s\n' % (self.address, ' '.join(filter(None, (self.name, self.host)))),
            'resolv': 'nameserver %s\nsearch %s svc.cluster.local cluster.local\noptions ndots:5\n' % (BRIDGE, ZONE),
        }
        for name, text in files.items():
            with open(os.path.join(self.folder, name), 'w') as file:
                file.write(text)
        environment = self.environment(cluster)
        container = manifest.container
        argv = [expand(word, environment) for word in
                [*container['command'], *container.get('args', []), *cluster.more]]
        # The container waits for its network: a pod's sandbox is made before its containers.
        script = ('read go; hostname %s; mount --bind {0}/hosts /etc/hosts;'
                  ' mount --bind {0}/resolv /etc/resolv.conf; exec "$@" </dev/null' % self.host).format(self.folder)
        self.process = subprocess.Popen(
            ['unshare', '--net', '--mount', '--uts', '--ipc', '--pid', '--fork', '--kill-child', '--mount-proc',
             'sh', '-ec', script, 'sh', *argv],
            stdin=subprocess.PIPE, stdout=self.out, stderr=self.err, env=environment)
        self.network('%d-%d' % (cluster.number, index))
        if self.name:
            cluster.names.addresses[self.name.lower()] = self.address
        self.process.stdin.write(b'go\n')
        self.process.stdin.close()

    def environment(self, cluster):
        """Only the sanitizers' variables come from outside. The Job's controller adds the index."""
        fields = {'spec.nodeName': 'node-%d' % self.index, 'status.podIP': self.address,
                  'metadata.name': '%s-%d-x2x4z' % (cluster.manifest.job['metadata']['name'], self.index),
                  'metadata.namespace': 'default'}
        values = {'PATH': cluster.path, 'HOSTNAME': self.host, 'JOB_COMPLETION_INDEX': str(self.index)}
        values.update((name, os.environ[name]) for name in ('ASAN_OPTIONS', 'UBSAN_OPTIONS') if name in os.environ)
        for each in cluster.manifest.container['env']:
            if 'value' in each:
                values[each['name']] = expand(each['value'], values)
            elif 'fieldRef' in each['valueFrom']:
                values[each['name']] = fields[each['valueFrom']['fieldRef']['fieldPath']]
            else:
                wanted = each['valueFrom']['secretKeyRef']
                secret = cluster.secrets[wanted['name']]
                values[each['name']] = base64.b64decode(secret[wanted['key']]).decode()
        return values

    def child(self):
        """The PID that the pod's PID 1 has outside."""
        path = '/proc/%d/task/%d/children' % (self.process.pid, self.process.pid)
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                with open(path) as file:
                    words = file.read().split()
            except FileNotFoundError:
                return None
            if words or self.process.poll() is not None:
                return int(words[0]) if words else None
            time.sleep(0.01)
        return None

    def network(self, number):
        outer, inner = 'pod' + number, 'in' + number
        pid = self.child()
        ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', inner)
        ip('link', 'set', outer, 'master', 'pods', 'up')
        ip('link', 'set', inner, 'netns', str(pid))
        within = ['nsenter', '--net=/proc/%d/ns/net' % pid, 'ip']
        for words in (['link', 'set', 'lo', 'up'], ['link', 'set', inner, 'name', 'eth0', 'up'],
                      ['addr', 'add', self.address + '/16', 'dev', 'eth0']):
            subprocess.run([*within, *words], check=True)

    def signal(self, number):
        pid = self.child()
        if pid:
            os.kill(pid, number)
            self.killed = self.killed or number == signal.SIGKILL

    def status(self):
        """The container's exit status; None if it runs. unshare does not report a kill."""
        status = self.process.poll()
        return 128 + signal.SIGKILL if status and self.killed else status

    def text(self, file):
        return os.pread(file.fileno(), 1 << 20, 0).decode('utf-8', 'replace')


class Cluster:
    """One run of the Job. `more`: arguments for each container, instead of the site's RDMA."""

    def __init__(self, manifest, names, number, folder, path, more, absent=(), late=()):
        self.names, self.number = names, number
        self.manifest, self.folder, self.path, self.more = manifest, folder, path, more
        self.secrets = {'rdmactl-mesh': {'token': base64.b64encode(os.urandom(16).hex().encode()).decode()}}
        os.makedirs(folder)
        self.pods = {}
        self.seen = set()
        self.ended = None  # why the Job was ended before its pods had ended
        self.late = list(late)
        self.indexes = [index for index in range(manifest.spec['completions'])
                        if index < manifest.spec['parallelism'] and index not in absent]
        for index in self.indexes:
            if index not in self.late:
                self.pods[index] = Pod(self, index)

    def start_late(self):
        for index in self.late:
            self.pods[index] = Pod(self, index)
        self.late = []

    def statuses(self):
        return {index: pod.status() for index, pod in sorted(self.pods.items())}

    def control(self):
        """Does what the controller does about failed pods: with backoffLimitPerIndex 0 the index
        has failed, and the others go on; without it, the Job has failed once more than
        backoffLimit pods have, and all pods that still run are ended."""
        spec = self.manifest.spec
        failed = [index for index, status in self.statuses().items() if status]
        limit = spec.get('maxFailedIndexes', spec['completions'])
        if 'backoffLimitPerIndex' not in spec:
            limit = spec.get('backoffLimit', 6)
        elif spec['backoffLimitPerIndex']:
            raise NotImplementedError('restarted pods')
        if len(failed) > limit and not self.ended:
            self.ended = 'pods %s failed' % failed
            self.end_pods()

    def end_pods(self):
        """Ends the pods as the kubelet does."""
        end = time.monotonic() + self.manifest.pod.get('terminationGracePeriodSeconds', GRACE_SECONDS)
        for pod in self.pods.values():
            if pod.status() is None:
                pod.signal(signal.SIGTERM)
        while any(status is None for status in self.statuses().values()) and time.monotonic() < end:
            time.sleep(0.05)
        for pod in self.pods.values():
            if pod.status() is None:
                pod.signal(signal.SIGKILL)

    def wait(self, seconds):
        """Waits until all pods have ended; returns whether they have."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.control()
            if all(status is not None for status in self.statuses().values()):
                return True
            time.sleep(0.05)
        return False

    def until(self, happened, seconds=30):
        end = time.monotonic() + seconds
        while not happened():
            if time.monotonic() > end:
                return False
            self.control()
            time.sleep(0.05)
        return True

    def close(self):
        """Kills the pods that still run, and returns their indexes."""
        left = [index for index, status in self.statuses().items() if status is None]
        for pod in self.pods.values():
            if pod.status() is None:
                pod.process.kill()
            pod.process.wait()
        self.names.addresses.clear()
        return left
