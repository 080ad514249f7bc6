# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A snapshot of a live host answers as the host does, changes nothing, and reveals nothing."""

import json
import os
import re
import shutil
import tarfile
import tempfile

import peers
import program
from scene_none import load
from tap import unequal

# scene_snapshot.py compares what a recording answers; these listings are read from files, too.
SAME = ('devices', 'ports', 'gids', 'pkeys', 'netdevs')
# Seconds that a snapshot may take here: it runs each listing once, with sanitizers, emulated.
SLOW = 300
# Files contain less than netlink and verbs, and some values change.
MOVING = {'source', 'sources', 'index', 'contexts', 'user_contexts', 'free_user_contexts'}


def modules():
    return sorted(os.listdir('/sys/module'))


def written(folder):
    return sorted(os.listdir(folder))


def without(value):
    """A row without the values that change."""
    if isinstance(value, dict):
        return {key: without(one) for key, one in value.items() if key not in MOVING}
    return [without(one) for one in value] if isinstance(value, list) else value


def members(path):
    with tarfile.open(path) as archive:
        for member in archive.getmembers():
            data = archive.extractfile(member).read() if member.isfile() else b''
            yield member, data


def taken(tap, folder):
    before = modules()
    path = os.path.join(folder, 'host.tar.gz')
    document = program.listing('snapshot', path, timeout=SLOW)
    wrong = [] if document.status in (0, 3) else document.describe()
    tap.test('snapshot: it can be taken', wrong)
    tap.test('snapshot: no module was loaded', unequal('modules', modules(), before))
    names = {member.name for member, _ in members(path)}
    wanted = ('manifest.json', 'versions.json', 'kmsg', 'root/sys/class/infiniband/rxa')
    tap.test('snapshot: it has the expected members',
             ['%s is missing' % name for name in wanted if 'rdmactl-snapshot/' + name not in names])
    manifest = next(json.loads(data) for member, data in members(path)
                    if member.name.endswith('/manifest.json'))
    row = manifest['snapshot'][0]
    tap.test('snapshot: the manifest names host, kernel and members',
             unequal('host', row['host'], os.uname().nodename) +
             unequal('kernel', row['kernel'], os.uname().release) +
             unequal('members', row['members'], len(names)))
    tap.test('snapshot: it has the mode 0600', unequal('mode', os.stat(path).st_mode & 0o777, 0o600))
    return path


def replayed(tap, path, private):
    """The same records, value for value."""
    for command in SAME:
        live = program.listing(command)
        saved = program.listing(command, '--root', path, env={'TMPDIR': private})
        wrong = []
        ours, theirs = without(saved.rows), without(live.rows)
        if len(ours) != len(theirs):
            wrong = unequal('rows', len(ours), len(theirs))
        for one, other in zip(ours, theirs):
            wrong += [line for key in other for line in unequal(key, one.get(key), other[key])]
        tap.test('snapshot: %s has the same rows from the archive' % command, wrong)
    tap.test('snapshot: no files are left in TMPDIR', unequal('files', written(private), []))


def unprivileged(tap, folder):
    path = os.path.join(folder, 'nobody', 'host.tar.gz')
    os.mkdir(os.path.dirname(path))
    os.chmod(os.path.dirname(path), 0o777)
    result = program.rdmactl('snapshot', path, prefix=peers.NOBODY, timeout=SLOW)
    tap.test('snapshot: an ordinary user gets a snapshot with problems',
             (unequal('status', result.status, 3) if result.status != 0 else []) +
             ([] if os.path.exists(path) else ['there is no snapshot']))
    result = program.rdmactl('snapshot', '/etc/rdmactl-no.tar.gz', prefix=peers.NOBODY, timeout=SLOW)
    tap.test('snapshot: a destination that may not be written to is reported',
             unequal('status', result.status, 1) +
             ([] if 'Permission denied' in result.complaint() else result.describe()))


def full(tap, folder):
    disk = os.path.join(folder, 'disk')
    os.mkdir(disk)
    peers.must('mount', '-t', 'tmpfs', '-o', 'size=16k', 'none', disk)
    path = os.path.join(folder, 'host.tar.gz')
    result = program.rdmactl('snapshot', disk + '/host.tar', '--root', path)
    tap.test('snapshot: a full disk is reported, and no files are left there',
             unequal('status', result.status, 1) + unequal('files', written(disk), []) +
             ([] if 'No space left' in result.complaint() else result.describe()))
    result = program.rdmactl('devices', '--root', path, env={'TMPDIR': disk})
    tap.test('snapshot: a full disk is reported when it cannot be unpacked there',
             unequal('status', result.status, 1) + unequal('files', written(disk), []) +
             ([] if 'TMPDIR' in result.complaint() else result.describe()))
    peers.must('umount', disk)


def own_addresses():
    """Every address of this host, as ip(8) and the kernel's files show it."""
    text = peers.must('ip', '-o', 'addr').text() + peers.must('ip', '-o', 'link').text()
    words = set(re.findall(r'(?:[0-9a-f]{2}:){5}[0-9a-f]{2}', text))
    words |= set(re.findall(r'inet6? ([0-9a-f.:]+)', text))
    for device in os.listdir('/sys/class/infiniband'):
        words.add(peers.read('/sys/class/infiniband/%s/node_guid' % device).strip())
    words = {word for word in words if not re.fullmatch(r'[0:]*1?|127\.0\.0\.1|(?:00:){5}00|(?:ff:){5}ff', word)}
    return words


def anonymised(tap, folder):
    path = os.path.join(folder, 'other.tar.gz')
    document = program.listing('snapshot', path, '--anonymise', '--root',
                               os.path.join(folder, 'host.tar.gz'))
    wrong = [] if document.status in (0, 3) else document.describe()
    addresses = own_addresses() | {os.uname().nodename}
    for member, data in members(path):
        text = (member.name + ' ' + member.linkname).encode() + b' ' + data
        for address in addresses:
            if re.search(rb'(?<![0-9A-Za-z.:-])' + re.escape(address.encode()) + rb'(?![0-9A-Za-z.:-])', text):
                wrong.append('%s is in %s' % (address, member.name))
    tap.test('snapshot: --anonymise leaves no address and no name of this host', wrong)
    tap.test('snapshot: there were addresses to look for',
             [] if len(addresses) > 5 else [str(addresses)])
    live, saved = program.listing('devices'), program.listing('devices', '--root', path)
    tap.test('snapshot: an anonymised snapshot has the same devices and states',
             unequal('devices', [(row['device'], row['state']) for row in saved.rows],
                     [(row['device'], row['state']) for row in live.rows]))


def stdout(tap, path):
    result = peers.run(program.RDMACTL, 'snapshot', '-', '--root', path)
    tap.test('snapshot: to standard output, zstd',
             unequal('magic', result.out[:4], b'\x28\xb5\x2f\xfd'))


def play(tap):
    load()
    peers.shell('bed_wire')
    folder = tempfile.mkdtemp()
    os.chmod(folder, 0o755)
    private = os.path.join(folder, 'private')
    os.mkdir(private)
    try:
        path = taken(tap, folder)
        replayed(tap, path, private)
        unprivileged(tap, folder)
        full(tap, folder)
        anonymised(tap, folder)
        stdout(tap, path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
