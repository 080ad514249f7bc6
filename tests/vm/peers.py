# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Runs the tools with which rdmactl is compared and parses their output, and sysfs."""

import errno
import json
import os
import re
import select
import signal
import socket
import sys
import time

RDMA = '/sys/class/infiniband'
NET = '/sys/class/net'
ZERO = '0000:0000:0000:0000:0000:0000:0000:0000'


class Result:
    def __init__(self, argv, status, out, err):
        self.argv = argv
        self.status = status
        self.out = out
        self.err = err

    def text(self):
        return self.out.decode('utf-8', 'replace')

    def complaint(self):
        return self.err.decode('utf-8', 'replace')

    def describe(self):
        """Diagnostics: the command, its exit status and its standard error."""
        words = ' '.join(self.argv)
        return ['%s: exit status %s' % (words, self.status)] + self.complaint().splitlines()[:6]


def run(*argv, prefix=(), stdin=None, env=None, timeout=180):
    """Runs a program to its end. Files instead of the pipes of subprocess.run(), which take the
    emulator longer than the start of a small program."""
    argv = [os.fsencode(word) for word in (*prefix, *argv)]
    with open('/dev/null', 'rb') if stdin is None else in_memory() as given, \
            in_memory() as out, in_memory() as err:
        if stdin:
            given.write(stdin)
            given.seek(0)
        pid = os.posix_spawnp(
            argv[0], argv, dict(os.environ, **env) if env else os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, file.fileno(), number)
                          for number, file in enumerate((given, out, err))],
            setsigdef=(signal.SIGPIPE, signal.SIGXFSZ))  # which Python ignores
        status = wait(pid, timeout)
        texts = [os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0) for file in (out, err)]
    return Result([os.fsdecode(word) for word in argv], status, *texts)


def in_memory():
    return open(os.memfd_create('run'), 'wb', buffering=0)


def wait(pid, timeout):
    """The exit status of a child, or the negative number of the signal that ended it; a child that
    takes too long is killed, and its status is 'timeout'."""
    process = os.pidfd_open(pid)
    try:
        late = not select.select([process], [], [], timeout)[0]
    finally:
        os.close(process)
    if late:
        os.kill(pid, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return 'timeout' if late else status


def must(*argv, **options):
    """Runs a command of the setup: a failure ends all tests.

    dcb of iproute2 6.1 reads the current settings before it writes, and leaves the acknowledgement
    of that in its socket. It numbers messages by the second, so if a second ends in between it
    refuses the kernel's answer with EPROTO ("dcb: Do not leave ACKs in socket receive buffer" of
    6.2). In that case it is run again.
    """
    result = run(*argv, **options)
    if argv[0] == 'dcb' and os.strerror(errno.EPROTO) in result.complaint():
        result = run(*argv, **options)
    if result.status != 0:
        print('Bail out! ' + '; '.join(result.describe()))
        sys.exit(1)
    return result


# A run that takes longer hangs. The limit is generous, because the machine may be slow.
PATIENCE = 180


def until(happened, patience=PATIENCE):
    """True as soon as happened() returns true; False if that takes too long."""
    end = time.monotonic() + patience
    while not happened():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def gave_up(*results):
    """True if one of these programs of perftest could not determine how fast its processor's
    counter runs.

    It measures that after the transfer by 200 intervals of up to 2 ms, and gives no figures if they
    do not fit a line (get_clock.c, sample_get_cpu_mhz()), for example because it did not get the
    processor meanwhile.
    """
    return any('Correlation coefficient' in result.complaint() for result in results)


def shell(script, **options):
    """Runs a script with the functions of bed.sh."""
    return must('/bin/sh', '-c', '. "$RDMACTL_VM_DIR/bed.sh" && ' + script, **options)


# Prefixes for a command: as another user, without verbs nodes, in a network namespace.
NOBODY = ('setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups')
HIDDEN = ('unshare', '-m', '/bin/sh', '-c',
          'mount -t tmpfs none /dev/infiniband && exec "$@"', 'sh')


def netns(name):
    return ('ip', 'netns', 'exec', name)


def delete_netns(name):
    """Deletes a network namespace, and waits until the kernel has taken it down, which happens
    afterwards.

    The RDMA mode of namespaces must not change meanwhile: that removes or adds RDMA devices of the
    dying namespace (remove_all_compat_devs(), drivers/infiniband/core/device.c) at the same time,
    and Linux 6.1 has crashed in kobject_uevent_env() then. Netdevs are removed after the RDMA
    devices, whose module came later (cleanup_net(), net/core/net_namespace.c), and the other end of
    a veth with its first end.
    """
    must('ip', 'link', 'add', 'ends', 'type', 'veth', 'peer', 'name', 'ends', 'netns', name)
    must('ip', 'netns', 'del', name)
    if not until(lambda: not os.path.exists('/sys/class/net/ends')):
        print('Bail out! the network namespace %s does not end' % name)
        sys.exit(1)


def read(path, folder=None):
    """The text of a file, perhaps in an open folder; None if it cannot be read (an empty GID slot
    has no type)."""
    try:
        file = os.open(path, os.O_RDONLY, dir_fd=folder)
        try:
            data = os.read(file, 4096)
        finally:
            os.close(file)
    except OSError:
        return None
    return data.decode('utf-8', 'replace').rstrip('\n')


def read_all(path):
    """The text of a possibly long file."""
    try:
        with open(path, encoding='utf-8', errors='replace') as file:
            return file.read()
    except OSError:
        return None


def listens(port):
    """Whether a socket listens on the port: one of an earlier program may still exist in another
    state."""
    return any(re.search(r':%04X [0-9A-F]+:0000 0A ' % port, table or '')
               for table in (read_all('/proc/net/tcp'), read_all('/proc/net/tcp6')))


def listdir(path):
    try:
        return os.listdir(path)
    except OSError:
        return []


# The tools.

def rdma(*words, prefix=()):
    """The output of iproute2's rdma -j."""
    result = run('rdma', '-j', *words, prefix=prefix)
    return json.loads(result.text() or '[]') if result.status == 0 else None


def ip_links(prefix=()):
    return json.loads(must('ip', '-j', '-d', 'link', prefix=prefix).text())


def ibstat():
    """{CA: {label: text, 'ports': {number: {label: text}}}}"""
    found, fields = {}, None
    for line in must('ibstat').text().splitlines():
        label, _, text = line.strip().partition(': ')
        if not line.startswith('\t'):
            device = line.split("'")[1]
            fields = found[device] = {'ports': {}}
        elif line.startswith('\tPort ') and line.endswith(':'):
            fields = found[device]['ports'][int(line.split()[1][:-1])] = {}
        else:
            fields[label.rstrip(':')] = text
    return found


class Entry:
    """One line of ibv_devinfo -v, with the indented words below it."""

    def __init__(self, text):
        self.text = text
        self.words = []

    def number(self):
        """Decimal or hexadecimal; anything after it is ignored."""
        return int(re.match(r'-?(0x)?[0-9a-fA-F]+', self.text).group(0), 0)

    def code(self):
        """The number in brackets."""
        return int(self.text.rpartition('(')[2].rstrip(')'))


def ibv_devinfo():
    """ibv_devinfo -v: {device: {label: Entry, 'ports': {number: {label: Entry}}}}, GIDs in 'gids'.

    A label below another one is written SECTION/LABEL. A line without a colon is a label.
    """
    found, fields, section, last = {}, None, '', None
    for line in must('ibv_devinfo', '-v').text().splitlines():
        depth = len(line) - len(line.lstrip('\t'))
        label, colon, text = line.strip().partition(':')
        text = text.strip()
        if not label:
            continue
        if label == 'hca_id':
            device = found[text] = fields = {'ports': {}}
        elif depth == 2 and label == 'port':
            fields = device['ports'][int(text)] = {'gids': {}}
        elif depth >= 5:
            last.words.append(line.strip())
        elif label.startswith('GID['):
            fields['gids'][int(label[4:].rstrip(' ]'))] = text
        else:
            if depth == 1:
                section = label
            elif depth == 2:
                label = section + '/' + label
            while label in fields:  # tag matching has a max_sge, too
                label += '#'
            last = fields[label] = Entry(text if colon else '')
    return found


def ibv_gid(text):
    """GID and type: 'fe80::1, RoCE v2'."""
    gid, _, kind = text.partition(', ')
    types = {'RoCE v1': 'roce-v1', 'RoCE v2': 'roce-v2', '': 'ib'}
    return full_gid(gid), types.get(kind, kind)


def full_gid(text):
    raw = socket.inet_pton(socket.AF_INET6, text).hex()
    return ':'.join(raw[i:i + 4] for i in range(0, 32, 4))


# sysfs, read directly.

def port_directories():
    """(device, port, path) of every port."""
    return [(device, int(port), '%s/%s/ports/%s' % (RDMA, device, port))
            for device in sorted(listdir(RDMA))
            for port in sorted(listdir('%s/%s/ports' % (RDMA, device)))]


def sysfs_gids(slots=65536):
    """{(device, port, index): (gid, type, netdev)} in the kernel's words."""
    found = {}
    for device, port, path in port_directories():
        # Its thousand files are found in half of the time from here.
        folder = os.open(path + '/gids', os.O_PATH)
        for slot in listdir(path + '/gids'):
            gid = read(slot, folder) if int(slot) < slots else ZERO
            if gid == ZERO:
                continue
            found[device, port, int(slot)] = (gid, read('%s/gid_attrs/types/%s' % (path, slot)),
                                              read('%s/gid_attrs/ndevs/%s' % (path, slot)))
        os.close(folder)
    return found


def sysfs_pkeys():
    return {(device, port, int(slot)): read('%s/pkeys/%s' % (path, slot))
            for device, port, path in port_directories()
            for slot in listdir(path + '/pkeys')}


def show_gids(gids):
    """The rows of the vendor's script, made from a table of sysfs_gids() by the script's rules.

    It skips empty slots and a bare fe80::, takes every GID that begins with 0000 for an IPv4
    address, and the text from the first "v" on as version.
    """
    rows = {}
    for key, (gid, kind, netdev) in gids.items():
        if gid in (ZERO, 'fe80' + ZERO[4:]):
            continue
        kind = kind or ''
        version = kind[kind.lower().find('v'):] if 'v' in kind.lower() else ''
        groups = gid.split(':')
        address = ''
        if groups[0] == '0000':
            low = ''.join(groups[6:])
            address = '.'.join(str(int(low[i:i + 2], 16)) for i in range(0, 8, 2))
        rows[key] = (gid, address, version.lower(), netdev or '')
    return rows


def chardevs(kind):
    """{device: [node]} of /sys/class/infiniband_verbs or infiniband_mad."""
    found = {}
    for node in sorted(listdir('/sys/class/' + kind)):
        device = read('/sys/class/%s/%s/ibdev' % (kind, node))
        if device:
            found.setdefault(device, []).append(node)
    return found
