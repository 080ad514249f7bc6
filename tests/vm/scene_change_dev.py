# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Changes of devices and of the subsystem, compared with `rdma`, and refusals."""

import fcntl
import json
import os
import pty
import signal
import socket
import subprocess
import termios
import time

import peers
import program
from events import Watch
from scene_change import change, states
from selftest import steady, until
from tap import unequal

OTHER_USER = ('unshare', '--user', '--map-root-user')


def names():
    return sorted(row['ifname'] for row in peers.rdma('dev'))


def make():
    """Devices of this scene: two rxe devices on dummies, and one siw device if siw exists."""
    for name in ('cd0', 'cd1'):
        peers.must('ip', 'link', 'add', name, 'type', 'dummy')
        peers.must('ip', 'link', 'set', name, 'up')
    peers.must('rdma', 'link', 'add', 'cda', 'type', 'rxe', 'netdev', 'cd0')
    peers.must('rdma', 'link', 'add', 'cdb', 'type', 'rxe', 'netdev', 'cd1')
    return peers.run('rdma', 'link', 'add', 'cds', 'type', 'siw', 'netdev', 'cd1').status == 0


def unmake():
    for name in ('cda', 'cdb', 'cds'):
        peers.run('rdma', 'link', 'del', name)
    for name in ('cd0', 'cd1'):
        peers.run('ip', 'link', 'del', name)


def moderation(device):
    value = next(row.get('adaptive-moderation') for row in peers.rdma('-d', 'dev')
                 if row['ifname'] == device)
    return {True: 'on', False: 'off'}.get(value, value)


def description(device):
    return peers.read('%s/%s/node_desc' % (peers.RDMA, device))


def renames(tap, device):
    watch = Watch()
    done = change('dev', 'set', device, 'name', 'rdma-new.1')
    row = (done.rows or [{}])[0]
    listed = 'rdma-new.1' in names() and os.path.isdir(peers.RDMA + '/rdma-new.1')
    old = os.path.exists('%s/%s' % (peers.RDMA, device))
    back = change('dev', 'set', 'rdma-new.1', 'name', device)
    seen = watch.wait('device-renamed', 'rdma-new.1')
    watch.end()
    tap.test('change dev: a rename, which rdma, sysfs and events show, and its undo',
             unequal('status', (done.status, back.status), (0, 0)) +
             unequal('states', states(done) + states(back), ['changed', 'changed']) +
             unequal('in netlink and sysfs', (listed, old), (True, False)) +
             unequal('undo', row.get('undo'), 'rdmactl dev set rdma-new.1 name ' + device) +
             unequal('names after', device in names(), True) +
             ([] if seen else ['no event: %s' % watch.lines]))


def refuses_names(tap, device, other):
    taken = change('dev', 'set', device, 'name', other)
    bad = program.rdmactl('dev', 'set', device, 'name', 'a/b')
    tap.test('change dev: a name that is taken, and one that the kernel would take',
             unequal('status', (taken.status, bad.status), (1, 2)) +
             unequal('states', states(taken), ['failed']) +
             ([] if 'another device has the name' in (taken.rows[0]['reason'] or '') else taken.rows) +
             unequal('devices', sorted(peers.listdir(peers.RDMA)), names()))


def mentions(tap, device):
    path = '/etc/nccl.conf'
    before = peers.read(path)
    with open(path, 'w') as file:
        file.write('# of all\nNCCL_IB_HCA=%s0,=%s\n' % (device, device))
    done = change('dev', 'set', device, 'name', 'x', '--dry-run', env={'UCX_NET_DEVICES': device + ':1'})
    if before is None:
        os.unlink(path)
    else:
        with open(path, 'w') as file:
            file.write(before + '\n')
    notes = (done.rows or [{}])[0].get('notes') or []
    tap.test('change dev: settings that name the device are reported, and nothing is changed',
             unequal('status', done.status, 0) + unequal('states', states(done), ['planned']) +
             ([] if any(':2 names %s: NCCL_IB_HCA' % device in note for note in notes) else notes or ['no notes']) +
             ([] if any('UCX_NET_DEVICES' in note for note in notes) else notes or ['no notes']) +
             unequal('name', device in names(), True))


def both_ways(tap, device):
    before = moderation(device)
    other = 'off' if before == 'on' else 'on'
    done = change('dev', 'set', device, 'adaptive-moderation', other)
    theirs = moderation(device)
    peers.must('rdma', 'dev', 'set', device, 'adaptive-moderation', before)
    ours = program.listing('dev', device).rows[0]
    again = change('dev', 'set', device, 'adaptive-moderation', before)
    tap.test('change dev: adaptive moderation, as rdma shows it and as rdma sets it',
             unequal('status', (done.status, again.status), (0, 0)) +
             unequal('rdma shows', theirs, other) +
             unequal('dev shows', ours['adaptive_moderation'], before == 'on') +
             unequal('changed', (done.changed, again.changed), (True, False)))


def descriptions(tap, device, siw):
    before = description(device)
    done = change('dev', 'set', device, 'node-description', 'rack 7 %s' % device)
    theirs = description(device)
    shown = program.listing('dev', device).rows[0]['node_description']
    long = change('dev', 'set', device, 'node-description', 'x' * 64)
    read = description(device)
    empty = change('dev', 'set', device, 'node-description', '')
    cleared = description(device)
    back = change('dev', 'set', device, 'node-description', before)
    tap.test('change dev: node descriptions, as in sysfs',
             unequal('status', (done.status, long.status, empty.status, back.status), (0, 0, 0, 0)) +
             unequal('sysfs', (theirs, read, cleared), ('rack 7 ' + device, 'x' * 64, '')) +
             unequal('dev shows', shown, 'rack 7 ' + device) +
             unequal('restored', description(device), before))
    if not siw:
        tap.skip('change dev: a driver that cannot set it', 'no siw')
        return
    refused = change('dev', 'set', siw, 'node-description', 'x')
    tap.test('change dev: a driver that cannot set it',
             unequal('status', refused.status, 1) + unequal('states', states(refused), ['failed']) +
             ([] if 'has no way to set it' in (refused.rows[0]['reason'] or '') else refused.rows))


def namespaces(tap, device):
    peers.must('ip', 'netns', 'add', 'blue')
    shared = change('dev', 'set', device, 'netns', 'blue', '--yes')
    peers.delete_netns('blue')
    tap.test('change dev: netns in shared mode: refused, with the next step',
             unequal('status', shared.status, 1) + unequal('states', states(shared), ['failed']) +
             unequal('next step', shared.rows[0]['next_step'], 'rdmactl system set netns-mode exclusive'))
    peers.must('rdma', 'system', 'set', 'netns', 'exclusive')
    peers.must('ip', 'netns', 'add', 'blue')
    asked = program.rdmactl('dev', 'set', device, 'netns', 'blue')
    moved = change('dev', 'set', device, 'netns', 'blue', '--yes', '--force')
    listed = program.listing('dev', device)
    peers.delete_netns('blue')
    peers.must('rdma', 'system', 'set', 'netns', 'shared')
    back = until(lambda: device in names())
    if moved.status == 0:  # with Linux 7.3 rxe can take a device away from those who have it open
        tap.test('change dev: netns: the device moves, and comes back when that namespace is deleted',
                 unequal('status', asked.status, 2) +
                 unequal('states', states(moved), ['changed']) + unequal('rows', listed.rows, []) +
                 unequal('devices', back, True))
        return
    tap.test('change dev: netns with a driver that cannot move it: reported, and it is still here',
             unequal('status', (asked.status, moved.status), (2, 1)) +
             unequal('states', states(moved), ['failed']) +
             ([] if 'cannot take it away' in (moved.rows[0]['reason'] or '') else moved.rows) +
             unequal('netns', listed.rows[0]['netns'][:5], 'net:[') + unequal('devices', back, True))


def lists(tap, device, other):
    """If the second change of a list fails, the first is undone; later ones follow a new name."""
    before = (moderation(device), description(device))
    failed = change('dev', 'set', device, 'adaptive-moderation', 'off' if before[0] == 'on' else 'on',
                    'node-description', 'half', 'name', other)
    tap.test('change dev: the third change of a list is refused, and the others are undone',
             unequal('status', failed.status, 1) +
             unequal('states', states(failed), ['reverted', 'reverted', 'failed']) +
             unequal('changed', failed.changed, False) +
             unequal('settings', (moderation(device), description(device)), before))
    done = change('dev', 'set', device, 'name', 'moved', 'node-description', 'moved')
    undo = [row['undo'] for row in done.rows]
    now = description('moved')
    back = change('dev', 'set', 'moved', 'node-description', before[1], 'name', device)
    tap.test('change dev: a setting after a rename finds the device, and its undo has the new name',
             unequal('status', (done.status, back.status), (0, 0)) + unequal('description', now, 'moved') +
             unequal('undo', undo[0], 'rdmactl dev set moved name ' + device) +
             ([] if undo[1].startswith('rdmactl dev set moved node-description') else undo) +
             unequal('settings', description(device), before[1]))


def forbidden(tap, device):
    nobody = change('dev', 'set', device, 'name', 'x', prefix=peers.NOBODY)
    file = change('dev', 'set', device, 'node-description', 'x', prefix=peers.NOBODY)
    dry = change('dev', 'set', device, 'name', 'x', '--dry-run', prefix=peers.NOBODY)
    inside = change('dev', 'set', device, 'name', 'x', prefix=OTHER_USER)
    tap.test('change dev: refused to nobody and to root of another user namespace; not --dry-run',
             unequal('status', (nobody.status, file.status, dry.status, inside.status), (1, 1, 0, 1)) +
             unequal('states', states(nobody) + states(file) + states(dry) + states(inside),
                     ['refused', 'refused', 'planned', 'refused']) +
             ([] if 'CAP_NET_ADMIN' in (nobody.rows[0]['reason'] or '') else nobody.rows) +
             ([] if 'initial user namespace' in (inside.rows[0]['reason'] or '') else inside.rows) +
             unequal('name', device in names(), True))
    only = change('dev', 'set', device, 'node-description', 'x',
                  prefix=('unshare', '-m', '/bin/sh', '-c', 'mount -o remount,ro,bind /sys 2>/dev/null || '
                          'mount -o bind,ro /sys /sys || mount -o remount,ro /sys; exec "$@"', 'sh'))
    tap.test('change dev: a read-only sysfs',
             unequal('status', only.status, 1) + unequal('states', states(only), ['refused']) +
             ([] if 'Read-only file system' in (only.rows[0]['reason'] or '') else only.rows))


def qkey(tap):
    before = next(iter(program.listing('system').rows))['privileged_qkey']
    if before is None:
        tap.skip('change system: privileged-qkey', 'this kernel does not have it')
        return
    on, off = ('off', 'on') if before else ('on', 'off')
    done = change('system', 'set', 'privileged-qkey', on)
    theirs = peers.must('rdma', 'system', 'show').text()
    now = program.listing('system').rows[0]
    back = change('system', 'set', 'privileged-qkey', off)
    known = 'privileged-qkey' in theirs
    tap.test('change system: privileged-qkey, read back%s' % (', and as rdma shows it' if known else ''),
             unequal('status', (done.status, back.status), (0, 0)) +
             unequal('now', now['privileged_qkey'], not before) +
             ([] if not known or 'privileged-qkey ' + on in theirs else [theirs]) +
             ([] if on == 'off' or 'security' in ' '.join(done.rows[0]['notes']) else done.rows))
    fork = 'copy-on-fork on' in theirs
    tap.test('change system: copy-on-fork', unequal('copy_on_fork', now['copy_on_fork'] is True, fork))


def sub_devices(tap, device):
    done = change('dev', 'add', 'smi9', 'type', 'smi', 'parent', device)
    reason = (done.rows or [{}])[0].get('reason') or ''
    gone = change('dev', 'del', 'smi9')
    plain = change('dev', 'del', device)
    tap.test('change dev: sub-devices, which neither kernel nor driver supports',
             unequal('status', (done.status, gone.status, plain.status), (1, 0, 1)) +
             ([] if 'Linux 6.11' in reason or 'has no sub-devices' in reason else [reason]) +
             unequal('absent already', states(gone), ['unchanged']) +
             ([] if 'a device of its own' in (plain.rows[0]['reason'] or '') else plain.rows))


def gone_between(tap, device):
    """The device is removed while the question is on the screen, and changed by somebody else."""
    netdev = 'gone0'
    peers.must('ip', 'link', 'add', netdev, 'type', 'dummy')
    peers.must('ip', 'link', 'set', netdev, 'up')
    peers.must('rdma', 'link', 'add', 'gone', 'type', 'rxe', 'netdev', netdev)
    file = '/tmp/list'
    with open(file, 'w') as out:
        out.write('dev set gone adaptive-moderation on\nsystem set netns-mode exclusive\n')
    after = ask(['change', '--from', file, '--json'], lambda: peers.must('rdma', 'link', 'del', 'gone'))
    wrong = unequal('status', after[0], 1)
    document = after[1]
    rows = document.get('change', [{}, {}])
    tap.test('change dev: a device that is removed before the write: reported, nothing is written',
             wrong + unequal('states', [row.get('state') for row in rows], ['failed', 'untried']) +
             ([] if 'gone' in (rows[0].get('reason') or '') else [json.dumps(rows[0])]) +
             ([] if 'netns shared' in peers.must('rdma', 'system', 'show').text() else ['netns-mode was written']))
    before = moderation(device)
    other = 'off' if before == 'on' else 'on'
    with open(file, 'w') as out:
        out.write('dev set %s adaptive-moderation %s\nsystem set netns-mode exclusive\n' % (device, other))
    after = ask(['change', '--from', file, '--json'],
                lambda: peers.must('rdma', 'dev', 'set', device, 'adaptive-moderation', other))
    rows = after[1].get('change', [{}, {}])
    tap.test('change dev: another writer in between is reported',
             unequal('status', after[0], 1) +
             unequal('states', [row.get('state') for row in rows], ['failed', 'untried']) +
             ([] if 'somebody else' in (rows[0].get('reason') or '') else [json.dumps(rows[0])]))
    peers.must('rdma', 'dev', 'set', device, 'adaptive-moderation', before)
    peers.must('ip', 'link', 'del', netdev)


def ask(words, meanwhile, answer=b'y\n', wait='[y/N]'):
    """Runs it on a terminal, calls a function while it asks, and answers. Returns status and
    document."""
    main, terminal = pty.openpty()
    process = subprocess.Popen([program.RDMACTL] + words, stdin=terminal, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    os.close(terminal)
    text = b''
    while wait.encode() not in text:
        byte = process.stderr.read(1)
        if not byte:
            break
        text += byte
    meanwhile()
    os.write(main, answer)
    out = process.communicate(timeout=60)[0]
    os.close(main)
    try:
        return process.returncode, json.loads(out)
    except ValueError:
        return process.returncode, {}


def interrupted(tap, device, other):
    """^C while a list is written: afterwards all of it is there, or nothing."""
    def now():
        return [(moderation(name), description(name)) for name in (device, other)]

    before = now()
    wanted = [('off' if one[0] == 'on' else 'on', 'interrupted') for one in before]
    file, undone, wrong = '/tmp/list', 0, []
    with open(file, 'w') as out:
        for name, (value, text) in zip((device, other), wanted):
            out.write('dev set %s node-description %s adaptive-moderation %s\n' % (name, text, value))
    for round_ in range(6):
        process = subprocess.Popen([program.RDMACTL, 'change', '--from', file, '--json'],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 120
        while description(device) == before[0][1] and process.poll() is None and time.monotonic() < end:
            pass
        process.send_signal(signal.SIGINT if round_ % 2 else signal.SIGTERM)
        out = process.communicate(timeout=180)[0]
        state = now()
        undone += state == before
        if state not in (before, wanted) or process.returncode != (1 if state == before else 0):
            wrong.append('round %d: status %s: %s: %s' % (round_, process.returncode, state, out[:300]))
        if state != before:
            for name, (value, text) in zip((device, other), before):
                change('dev', 'set', name, 'node-description', text, 'adaptive-moderation', value)
    tap.test('change: a signal while a list is written leaves all of it or none', wrong,
             ['undone %d of 6 times' % undone])


def many_lines(tap, device, other):
    file = '/tmp/list'
    before = {name: (moderation(name), description(name)) for name in (device, other)}
    lines = ['# two devices and the subsystem',
             "dev set %s node-description 'first one' name cdx" % device,
             'dev set %s adaptive-moderation on node-description second' % other,
             'rdmactl system set netns-mode exclusive']
    with open(file, 'w') as out:
        out.write('\n'.join(lines) + '\ndev set %s name %s\n' % (other, device))
    done = change('change', '--from', file, '--yes')
    now = (description('cdx'), description(device), names(), peers.must('rdma', 'system', 'show').text())
    undo = [row['undo'] for row in reversed(done.rows) if row['state'] == 'changed']
    with open(file, 'w') as out:
        out.write('\n'.join(undo))
    # Each line uses a name that an earlier line frees, so they must run one after the other.
    for line in undo:
        peers.must('/bin/sh', '-c', line.replace('rdmactl', program.RDMACTL, 1) + ' --yes --quiet')
    tap.test('change --from: two devices that swap names, and the subsystem; undo, line by line',
             unequal('status', done.status, 0) + unequal('descriptions', now[:2], ('first one', 'second')) +
             ([] if 'cdx' in now[2] and 'netns exclusive' in now[3] else [str(now)]) +
             unequal('restored', {name: (moderation(name), description(name)) for name in (device, other)},
                     before))
    with open(file, 'w') as out:
        out.write('dev set %s node-description half\nsystem set netns-mode exclusive\n'
                  'dev set %s name %s\n' % (device, device, other))
    failed = change('change', '--from', file, '--yes')
    tap.test('change --from: the last line is refused: all before it are undone, and it is named',
             unequal('status', failed.status, 1) +
             unequal('states', states(failed), ['reverted', 'reverted', 'failed']) +
             ([] if any(problem['error'].startswith(file + ':3: name: another device')
                        for problem in failed.problems) else failed.describe()) +
             unequal('restored', description(device), before[device][1]) +
             ([] if 'netns shared' in peers.must('rdma', 'system', 'show').text() else ['netns-mode']))


class Waiting:
    """A change with --revert-after that waits for its confirmation, on a separate terminal."""

    def __init__(self, *words, stdin=None, after='10m', leader=False):
        self.begin, self.after = time.monotonic(), after
        self.main, terminal = pty.openpty()
        def control():
            os.setsid()
            fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
        self.process = subprocess.Popen(
            [program.RDMACTL, *words, '--revert-after', after, '--json'], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, stdin=terminal if stdin is None else stdin,
            preexec_fn=control if leader else None)
        os.close(terminal)
        self.text = b''
        while b'keeps it.\n' not in self.text:
            byte = self.process.stderr.read(1)
            if not byte:
                break
            self.text += byte

    def goes_on(self):
        """Whether it still waits, if the seconds that it was told to wait are not over."""
        return self.process.poll() is None or \
            time.monotonic() - self.begin > float(self.after.rstrip('s'))

    def end(self):
        """Its status, and the state of the change."""
        out = self.process.communicate(timeout=180)[0]
        if self.main is not None:
            os.close(self.main)
        try:
            document = json.loads(out)
        except ValueError:
            return self.process.returncode, out
        return self.process.returncode, document['change'][0]['state'], document['changed']


KEPT = (0, 'changed', True)
UNDONE = (1, 'reverted', False)


def reverts(tap, device):
    before = moderation(device)
    other = 'off' if before == 'on' else 'on'
    words = ('dev', 'set', device, 'adaptive-moderation', other)

    def expect(title, got, wanted, value):
        tap.test('change --revert-after: ' + title, unequal('end', got, wanted) +
                 unequal('setting', moderation(device), value))
        peers.must('rdma', 'dev', 'set', device, 'adaptive-moderation', before)

    waiting = Waiting(*words)
    written = moderation(device)
    os.write(waiting.main, b'\n')
    expect('Enter keeps it', waiting.end() + (written,), KEPT + (other,), other)
    for name in ('SIGINT', 'SIGTERM'):
        waiting = Waiting(*words)
        waiting.process.send_signal(getattr(signal, name))
        expect('%s undoes it at once' % name, waiting.end(), UNDONE, before)
    waiting = Waiting(*words)
    waiting.process.send_signal(signal.SIGUSR1)
    expect('SIGUSR1 keeps it', waiting.end(), KEPT, other)
    done = change(*words[:-1], before, '--revert-after', '30s')
    tap.test('change --revert-after: does not wait if nothing was changed',
             unequal('states', states(done), ['unchanged']) + unequal('status', done.status, 0))


def overdue(tap, devices, netdevs):
    """Changes that are undone when their time is over, each of another setting, all at once."""
    def ready(read, *words):
        return read, read(), words

    flip = {'on': 'off', 'off': 'on'}
    settings = [ready(lambda device=device: moderation(device), 'dev', 'set', device, 'adaptive-moderation',
                      flip[moderation(device)]) for device in devices]
    settings += [ready(lambda device=device: description(device), 'dev', 'set', device, 'node-description',
                       'waits') for device in devices]
    settings += [ready(lambda netdev=netdev: peers.read('/sys/class/net/%s/mtu' % netdev), 'roce', 'set', netdev,
                       'mtu', '1400', '--yes') for netdev in netdevs]

    def hang_up(waiting):
        os.close(waiting.main)
        waiting.main = None

    cases = [('undone when the time is over', lambda waiting: None, {})]
    cases += [('%s does not end it: it keeps waiting, then undoes it' % name,
               lambda waiting, name=name: waiting.process.send_signal(getattr(signal, name)), {})
              for name in ('SIGHUP', 'SIGTSTP', 'SIGTTIN')]
    cases += [('the end of standard input does not confirm it', lambda waiting: None,
               {'stdin': subprocess.DEVNULL}),
              ('the terminal hangs up: it continues to wait, then undoes the change', hang_up,
               {'leader': True})]
    running = []
    # Each is looked at right after its start, so that its time is not over then.
    for (title, act, options), (read, before, words) in zip(cases, settings, strict=True):
        waiting = Waiting(*words, after='4s', **options)
        act(waiting)
        steady()
        running.append((title, waiting, waiting.goes_on(), read, before))
    for title, waiting, goes_on, read, before in running:
        tap.test('change --revert-after: ' + title,
                 unequal('end', waiting.end() + (goes_on,), UNDONE + (True,)) +
                 unequal('setting', read(), before))


def session(tap):
    """A change of the netdev that carries an ancestor's connection: this program has one."""
    peers.must('ip', 'addr', 'add', '10.77.0.1/24', 'dev', 'cd0')
    words = ('roce', 'set', 'cd0', 'mtu', '1400', '--yes')
    with socket.create_server(('10.77.0.1', 0)) as server:
        with socket.create_connection(server.getsockname()) as client:
            accepted = server.accept()[0]
            refused = change(*words)
            kept = peers.read('/sys/class/net/cd0/mtu')
            other = change('roce', 'set', 'cd1', 'mtu', '1400', '--yes', '--dry-run')
            undone = change(*words, '--revert-after', '1s')
            accepted.close()
            client.close()
    free = change(*words)
    peers.must('ip', 'link', 'set', 'cd0', 'mtu', '1500')
    peers.must('ip', 'addr', 'del', '10.77.0.1/24', 'dev', 'cd0')

    def says(document, key):
        words = ' '.join((document.rows or [{}])[0].get(key) or [])
        return 'this session' in words and '10.77.0.1' in words

    tap.test('change: the netdev that carries the session: refused without --revert-after',
             unequal('status', (refused.status, other.status, undone.status, free.status), (1, 0, 1, 0)) +
             unequal('states', states(refused) + states(undone) + states(free),
                     ['refused', 'reverted', 'changed']) +
             unequal('told', (says(refused, 'disturbs'), says(other, 'disturbs'), says(undone, 'notes'),
                              says(free, 'notes')), (True, False, True, False)) +
             unequal('MTU', kept, '1500'))


def play(tap):
    siw = make()
    try:
        renames(tap, 'cda')
        refuses_names(tap, 'cda', 'cdb')
        mentions(tap, 'cda')
        both_ways(tap, 'cda')
        descriptions(tap, 'cda', 'cds' if siw else None)
        namespaces(tap, 'cda')
        lists(tap, 'cda', 'cdb')
        forbidden(tap, 'cda')
        qkey(tap)
        sub_devices(tap, 'cda')
        session(tap)
        reverts(tap, 'cda')
        overdue(tap, ('cda', 'cdb'), ('cd0', 'cd1'))
        gone_between(tap, 'cda')
        interrupted(tap, 'cda', 'cdb')
        many_lines(tap, 'cda', 'cdb')
    finally:
        unmake()
