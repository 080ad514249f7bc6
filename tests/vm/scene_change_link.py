# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Software devices created and deleted: `rdma` must show our changes, and rdmactl those of
`rdma`."""

import os
import signal
import subprocess
import sys
import time

import peers
import program
import scene_none
from events import Watch
from scene_change import change, states
from selftest import until
from tap import unequal

CONFIGFS = '/sys/kernel/config/rdma_cm'
USER_NAMESPACE = ('unshare', '--user', '--map-root-user')


def link(*words, **options):
    return change('link', *words, **options)


def add(name, kind, netdev, *words, **options):
    return link('add', name, 'type', kind, 'netdev', netdev, *words, **options)


def theirs():
    """{name: netdev} of rdma link."""
    return {row['ifname']: row.get('netdev') for row in peers.rdma('link') or ()}


def ours():
    return {row['name']: row for row in program.parse('links', (), program.rdmactl('link', '--json')).rows}


def row(document):
    return document.rows[0] if document.rows else {}


def reason(document, text):
    """Returns a line if the only row does not give that reason."""
    said = row(document).get('reason') or ''
    return [] if text in said else ['the reason is %r, without %r' % (said, text)]


def take_all():
    """Deletes all devices, and returns what is needed to create them again."""
    found = []
    for name, netdev in theirs().items():
        kind = 'rxe' if os.path.exists('%s/%s/parent' % (peers.RDMA, name)) else 'siw'
        found.append((name, kind, netdev))
        peers.must('rdma', 'link', 'del', name)
    return found


def restore(found):
    for name, kind, netdev in found:
        peers.must('rdma', 'link', 'add', name, 'type', kind, 'netdev', netdev)


def modules(tap):
    # If an earlier scene has left siw loaded, it would hold the other modules.
    if scene_none.loaded('siw'):
        peers.must('rmmod', 'siw')
    # A device directory in configfs holds rdma_cm: cma_configfs.c.
    for name in peers.listdir(CONFIGFS):
        os.rmdir(os.path.join(CONFIGFS, name))
    scene_none.unload()
    with open('/proc/modules', encoding='ascii') as file:
        left = [line.strip() for line in file if line.split()[0] in scene_none.MODULES]
    tap.test('link: (no RDMA module is loaded)', left)
    planned = add('cl', 'rxe', 'cl0', '--dry-run')
    tap.test('link: add --dry-run loads no module, and says that the kernel will',
             unequal('status', planned.status, 0) + unequal('states', states(planned), ['planned']) +
             unequal('loaded', scene_none.loaded('ib_core'), False) +
             ([] if any('rdma_rxe' in note for note in row(planned).get('notes', ())) else
              ['no note of rdma_rxe: %s' % row(planned)]))
    done = add('cl', 'rxe', 'cl0')
    tap.test('link: add makes the kernel load rdma_rxe: rdma-link-rxe',
             unequal('status', done.status, 0) + unequal('states', states(done), ['changed']) +
             unequal('loaded', scene_none.loaded('rdma_rxe'), True) + done.describe()[1:])
    peers.must('rdma', 'link', 'del', 'cl')
    with open('/proc/sys/kernel/modprobe', encoding='ascii') as file:
        helper = file.read().strip()
    scene_none.load()
    peers.must('modprobe', '-r', 'rdma_rxe')
    with open('/proc/sys/kernel/modprobe', 'w', encoding='ascii') as file:
        file.write('/nothing')
    failed = add('cl', 'rxe', 'cl0')
    with open('/proc/sys/kernel/modprobe', 'w', encoding='ascii') as file:
        file.write(helper)
    tap.test('link: a kernel that loads no module: the reason names it',
             unequal('status', failed.status, 1) + unequal('states', states(failed), ['failed']) +
             reason(failed, 'could not load the module rdma_rxe'))
    scene_none.load()


def both_ways(tap):
    done = add('cl', 'rxe', 'cl0')
    with_gid = peers.sysfs_gids().get(('cl', 1, 0))
    again = add('cl', 'rxe', 'cl0')
    tap.test('link: add: rdma shows it, it has a GID at once, and a second add is unchanged',
             unequal('status', (done.status, again.status), (0, 0)) +
             unequal('changed', (done.changed, again.changed), (True, False)) +
             unequal('values', (row(done).get('before'), row(done).get('after')),
                     ('absent', 'rxe on cl0')) +
             unequal('rdma link', theirs().get('cl'), 'cl0') +
             unequal('undo', row(done).get('undo'), 'rdmactl link del cl') +
             ([] if with_gid else ['no GID']))
    listed = ours().get('cl', {})
    tap.test('link: lists it', unequal('type and netdev', (listed.get('type'), listed.get('netdev')),
                                       ('rxe', 'cl0')) +
             unequal('leaving', listed.get('leaving'), False))
    peers.must('rdma', 'link', 'del', 'cl')
    tap.test('link: a device that rdma has deleted is absent',
             unequal('listed', 'cl' in ours(), False) +
             unequal('states', states(link('del', 'cl')), ['unchanged']))
    peers.must('rdma', 'link', 'add', 'cl', 'type', 'rxe', 'netdev', 'cl1')
    gone = link('del', 'cl')
    tap.test('link: del of a device that rdma has created: rdma no longer shows it',
             unequal('states', states(gone), ['changed']) +
             unequal('before', row(gone).get('before'), 'rxe on cl1') +
             unequal('rdma link', 'cl' in theirs(), False))
    back = program.rdmactl(*(row(gone).get('undo') or 'rdmactl').split()[1:])
    tap.test('link: the undo command works',
             unequal('status', back.status, 0) + unequal('rdma link', theirs().get('cl'), 'cl1'))
    typo = link('del', 'clx')
    tap.test('link: del of a name that no device has: unchanged, but a typo is noted',
             unequal('states', states(typo), ['unchanged']) +
             unequal('notes', row(typo).get('notes'),
                     ["there is no software device clx, so nothing is deleted: did you mean 'cl'?"]))
    many = add('cm', 'rxe', 'cl0')
    both = link('del', 'cl', 'cm')
    tap.test('link: del of two', unequal('states', states(many) + states(both), ['changed'] * 3) +
             unequal('rdma link', [name for name in theirs() if name in ('cl', 'cm')], []))


def iwarp(tap):
    if peers.run('modinfo', 'siw').status:
        tap.skip('link: siw', 'tests/vm/module has not built siw.ko')
        return
    peers.must('modprobe', 'libcrc32c')
    done = add('cs', 'siw', 'cl0')
    beside = add('cl', 'rxe', 'cl0')
    tap.test('link: siw, and rxe on the same netdev',
             unequal('states', states(done) + states(beside), ['changed', 'changed']) +
             unequal('rdma link', (theirs().get('cs'), theirs().get('cl')), ('cl0', 'cl0')) +
             unequal('type', ours().get('cs', {}).get('type'), 'siw') +
             done.describe()[1:])
    gone = link('del', 'cs', 'cl')
    tap.test('link: both are deleted', unequal('states', states(gone), ['changed', 'changed']))


# Arguments of add, the kernel's error for rdma, and our reason. Names that rxe accepts are refused,
# too.
REFUSALS = (
    (('cl', 'rxe', 'cl1'), 'Too many open files', 'cl already exists: rxe on cl0'),
    (('cm', 'rxe', 'cl1.5'), 'not permitted', 'cl1.5 is a VLAN'),
    (('cm', 'rxe', 'cl7'), 'No such device', "no netdev 'cl7'"),
)
NAMES = ('a/b', '..', 'a%b', '.a', '-a', '', 'a b', 'a\nb', 'x' * 64, 'rxe\xe9')


def refusals(tap):
    peers.must('rdma', 'link', 'add', 'cl', 'type', 'rxe', 'netdev', 'cl0')
    for (name, kind, netdev), kernel, text in REFUSALS:
        rdma = peers.run('rdma', 'link', 'add', name, 'type', kind, 'netdev', netdev)
        failed = add(name, kind, netdev)
        tap.test('link: add %s type %s netdev %s: %s' % (name, kind, netdev, text),
                 unequal('status', failed.status, 1) + unequal('states', states(failed), ['refused']) +
                 unequal('the kernel reports %s' % kernel, kernel in rdma.complaint(), True) +
                 reason(failed, text) +
                 unequal('next step', bool(row(failed).get('next_step')), True))
    before = theirs()
    rdma = peers.run('rdma', 'link', 'add', 'cm', 'type', 'rxe', 'netdev', 'cl0')
    other = add('cm', 'rxe', 'cl0')
    tap.test('link: add of a device that exists under another name is unchanged, with that name',
             unequal('status', other.status, 0) + unequal('states', states(other), ['unchanged']) +
             unequal('the kernel refuses a second', 'File exists' in rdma.complaint(), True) +
             unequal('name', row(other).get('object'), 'cl') +
             ([] if any('already has one' in note for note in row(other).get('notes', ())) else
              ['no note: %s' % row(other)]) + unequal('rdma link', theirs(), before))
    wrong = []
    for name in NAMES:
        result = program.rdmactl('link', 'add', '--', name, 'type', 'rxe', 'netdev', 'cl1')
        wrong += unequal('status of %r' % name, result.status, 2)
    tap.test('link: names that sysfs cannot show are refused, and no device is created',
             wrong + unequal('rdma link', theirs(), before))
    result = program.rdmactl('link', 'add', 'x' * 63, 'type', 'rxe', 'netdev', 'cl1')
    tap.test('link: a name of 63 letters', unequal('status', result.status, 0) +
             unequal('rdma link', theirs().get('x' * 63), 'cl1'))
    peers.must('rdma', 'link', 'del', 'x' * 63)
    unknown = program.rdmactl('link', 'add', 'cm', 'type', 'rxf', 'netdev', 'cl1')
    tap.test('link: an unknown type', unequal('status', unknown.status, 2))
    for title, prefix, text in (('without a capability', peers.NOBODY, 'CAP_NET_ADMIN'),
                                ('in a user namespace', USER_NAMESPACE, 'initial user namespace')):
        refused = [add('cm', 'rxe', 'cl1', prefix=prefix), link('del', 'cl', prefix=prefix)]
        tap.test('link: %s: refused before anything is tried' % title,
                 unequal('statuses', [document.status for document in refused], [1, 1]) +
                 unequal('states', states(refused[0]) + states(refused[1]), ['refused'] * 2) +
                 reason(refused[0], text) + reason(refused[1], text) +
                 unequal('rdma link', theirs(), before))
        planned = add('cm', 'rxe', 'cl1', '--dry-run', prefix=prefix)
        tap.test('link: %s: --dry-run does not need it' % title,
                 unequal('states', states(planned), ['planned']))
    peers.must('rdma', 'link', 'del', 'cl')


def events(tap):
    peers.must('rdma', 'link', 'add', 'cm', 'type', 'rxe', 'netdev', 'cl1')
    watch = Watch()
    done = add('cl', 'rxe', 'cl0')
    came = watch.wait('device-added', 'cl')
    refused = link('del', 'cl')
    gone = link('del', 'cl', '--force')
    left = watch.wait('device-removed', 'cl')
    watch.end()
    peers.must('rdma', 'link', 'del', 'cm')
    tap.test('link: events reports both meanwhile',
             unequal('states', states(done) + states(gone), ['changed', 'changed']) +
             # The events process has the device open.
             reason(refused, 'process %d (' % watch.process.pid) +
             ([] if came else ['no device-added']) + ([] if left else ['no device-removed']))


def race(tap):
    """Two adds at once, of which the kernel usually lets one through."""
    for title, words in (('the same', (('cl', 'cl0'), ('cl', 'cl0'))),
                         ('one name', (('cl', 'cl0'), ('cl', 'cl1'))),
                         ('one netdev', (('cl', 'cl0'), ('cm', 'cl0')))):
        wrong = []
        for _ in range(4):
            running = [subprocess.Popen([program.RDMACTL, 'link', 'add', name, 'type', 'rxe',
                                         'netdev', netdev], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE) for name, netdev in words]
            said = [process.communicate(timeout=180)[1].decode() for process in running]
            statuses = sorted(process.returncode for process in running)
            made = {name: netdev for name, netdev in theirs().items() if netdev in ('cl0', 'cl1')}
            # The later one may find everything as requested, even under another name. The kernel
            # looks for a device of the netdev and creates one in two separate steps (rxe_newlink(),
            # rxe.c), so it may also create both.
            both = statuses == [0, 0] and title != 'one name'
            if statuses != [0, 1] and not both:
                wrong.append('statuses %s: %s' % (statuses, said))
            if len(made) not in ((1, 2) if both and title == 'one netdev' else (1,)):
                wrong.append('created: %s' % made)
            if any('Sanitizer' in text for text in said):
                wrong.append('\n'.join(said))
            for name in made:
                peers.must('rdma', 'link', 'del', name)
        tap.test('link: two adds at once (%s): reported devices exist' % title, wrong)


class Holder:
    """A process that has a node of the device open."""

    def __init__(self, node):
        self.process = subprocess.Popen(
            [sys.executable, '-c', 'import os, sys, time\n'
             'os.open("/dev/infiniband/%s", os.O_RDWR)\nprint(flush=True)\ntime.sleep(600)' % node],
            stdout=subprocess.PIPE)
        self.process.stdout.readline()
        self.pid = self.process.pid

    def end(self):
        self.process.kill()
        self.process.wait()


def start_delete(*words):
    return subprocess.Popen([program.RDMACTL, 'link', 'del', 'cl', *words],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def read_until(stream, text):
    """Lines up to and including the one with the text, or to the end."""
    lines = []
    for line in stream:
        lines.append(line.decode())
        if text in lines[-1]:
            break
    return lines


def in_use(tap):
    """Whether the kernel waits for the users of a device."""
    peers.must('rdma', 'link', 'add', 'cl', 'type', 'rxe', 'netdev', 'cl0')
    node = peers.chardevs('infiniband_verbs')['cl'][0]
    holder = Holder(node)
    refused = link('del', 'cl')
    planned = link('del', 'cl', '--dry-run')
    who = 'process %d (' % holder.pid
    tap.test('link: del of a device that a process has open: refused, with its PID',
             unequal('status', refused.status, 1) + unequal('states', states(refused), ['refused']) +
             reason(refused, who) + reason(refused, '/dev/infiniband/%s open' % node) +
             unequal('disturbs', len(row(refused).get('disturbs') or ()), 1) +
             unequal('dry run', len(row(planned).get('disturbs') or ()), 1) +
             unequal('rdma link', theirs().get('cl'), 'cl0'))
    begin = time.monotonic()
    process = start_delete('--force')
    lines = read_until(process.stderr, who)
    if not lines and process.wait() == 0:
        # With Linux 7.3 rxe can take a device away from those who have it open.
        holder.end()
        tap.test('link: del --force: the users lose the device',
                 unequal('rdma link', 'cl' in theirs(), False))
        tap.skip('link: ^C while it waits', 'this kernel waits for nobody')
        return False
    waited = time.monotonic() - begin
    tap.test('link: del --force: names the process that it waits for, after %.1f s' % waited,
             ([] if lines and who in lines[-1] else lines or ['nothing']) +
             unequal('not at once', waited > 1.9, True) +
             unequal('still running', process.poll(), None))
    tap.say('netlink: %s; sysfs: %s; nodes: %s' % (
        sorted(theirs()), peers.listdir(peers.RDMA), peers.chardevs('infiniband_verbs')))
    leaving = ours().get('cl', {})
    busy = add('cl', 'rxe', 'cl1')
    tap.test('link: a device that waits is listed as leaving, and its name is not free',
             unequal('leaving', leaving.get('leaving'), True) +
             unequal('status', busy.status, 1) + reason(busy, 'being deleted'))
    holder.end()
    out, err = process.communicate(timeout=180)
    tap.test('link: when the process ends, the deletion is done',
             unequal('status', process.returncode, 0) +
             unequal('rdma link', 'cl' in theirs(), False) +
             ([] if b'changed' in out else [repr(out), repr(err)]))
    return True


def interrupted(tap):
    peers.must('rdma', 'link', 'add', 'cl', 'type', 'rxe', 'netdev', 'cl0')
    holder = Holder(peers.chardevs('infiniband_verbs')['cl'][0])
    process = start_delete('--force')
    lines = read_until(process.stderr, 'waits')
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=180)
    tap.test('link: ^C leaves the deletion to a separate process, and says so',
             unequal('status', process.returncode, 1) +
             ([] if b'interrupted: process ' in err and b'is still deleting it' in err else
              [*lines, repr(out), repr(err)]))
    holder.end()
    tap.test('link: that process ends with the last user',
             [] if until(lambda: 'cl' not in peers.listdir(peers.RDMA)) else ['it does not'])


def inherited(tap):
    """An inherited descriptor would make the kernel wait for rdmactl itself."""
    peers.must('rdma', 'link', 'add', 'cl', 'type', 'rxe', 'netdev', 'cl0')
    node = peers.chardevs('infiniband_verbs')['cl'][0]
    result = program.rdmactl('link', 'del', 'cl',
                             prefix=('/bin/sh', '-c', 'exec 9<>/dev/infiniband/%s; exec "$@"' % node,
                                     'sh'))
    tap.test('link: del with an inherited descriptor of the device',
             unequal('status', result.status, 0) + unequal('rdma link', 'cl' in theirs(), False) +
             result.describe()[1:])


def queue_pairs(tap):
    """A process with queue pairs, as rdma res shows it."""
    if peers.run('which', 'ibv_rc_pingpong').status:
        tap.skip('link: queue pairs', 'ibv_rc_pingpong is not installed')
        return
    peers.must('rdma', 'link', 'add', 'cl', 'type', 'rxe', 'netdev', 'cl0')
    server = subprocess.Popen(['ibv_rc_pingpong', '-d', 'cl', '-g', '0'],
                              stdout=subprocess.DEVNULL)
    until(lambda: any(qp.get('pid') == server.pid
                      for qp in peers.rdma('resource', 'show', 'qp') or ()))
    refused = link('del', 'cl')
    tap.test('link: del while ibv_rc_pingpong runs',
             unequal('states', states(refused), ['refused']) +
             reason(refused, 'process %d (ibv_rc_pingpong): 1 queue pair, /dev/infiniband/uverbs' %
                    server.pid))
    server.kill()
    server.wait()
    tap.test('link: del without it', unequal('states', states(link('del', 'cl')), ['changed']))


def play(tap):
    found = take_all()
    peers.must('ip', '-batch', '-', stdin=b'link add cl0 type dummy\nlink add cl1 type dummy\n'
               b'link set cl0 up\nlink set cl1 up\n'
               b'link add link cl1 name cl1.5 type vlan id 5\n')
    modules(tap)
    both_ways(tap)
    iwarp(tap)
    refusals(tap)
    events(tap)
    race(tap)
    if in_use(tap):
        interrupted(tap)
    inherited(tap)
    queue_pairs(tap)
    peers.must('ip', '-batch', '-', stdin=b'link del cl1.5\nlink del cl0\nlink del cl1\n')
    restore(found)
