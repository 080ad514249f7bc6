# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Links go down, names change, devices come and go, ib_uverbs is missing."""

import os
import threading

import compare
import peers
import program
from scene_none import loaded
from scene_wire import compare_all, differ
from selftest import steady, until
from tap import printable, unequal

# The kernel accepts any bytes in the name of a device. The first of these is used for all
# commands.
HOSTILE = (b'x\x1b[31m y', b'\xff\xfe\x80', b'a\nb', b'a\\x1bb', 'ü\u202e'.encode(), b'%s%n', b'-j',
           b'x' * 63)


def carried(wanted):
    """Waits for the kernel to notice that the other end has lost or regained its carrier."""
    until(lambda: ('ACTIVE' in peers.read('/sys/class/infiniband/rxb/ports/1/state')) == wanted and
          (peers.read('/sys/class/net/vb/operstate') == 'up') == wanted)


def gids_rest():
    """Waits until the kernel has added the GIDs of addresses that come with a link."""
    steady(lambda: [peers.read('/sys/class/infiniband/rxa/ports/1/gids/%d' % place)
                    for place in range(40)])


def link_down(tap):
    peers.must('ip', 'link', 'set', 'va', 'down')
    carried(False)
    shot = compare_all(tap, 'link down')
    rows = shot.rows('ports', 'device')
    tap.test('link down: the port is down, and so is the other end, which lost its carrier',
             unequal('rxa', (rows['rxa']['state'], rows['rxa']['physical_state']),
                     ('down', 'disabled')) + unequal('rxb', rows['rxb']['state'], 'down'))
    document = program.listing('gids', 'rxa', '--to', 'fd09::2')
    tap.test('link down: --to finds no GID', unequal('exit status', document.status, 1))


def netdev_renamed(tap):
    peers.must('ip', '-batch', '-', stdin=b'link set va name wire0\nlink set wire0 up\n')
    carried(True)
    gids_rest()
    shot = compare_all(tap, 'netdev renamed')
    tap.test('netdev renamed: it has the new name',
             unequal('netdev', shot.rows('ports', 'device')['rxa']['netdev'], 'wire0'))
    peers.must('ip', '-batch', '-',
               stdin=b'link set wire0 down\nlink set wire0 name va\nlink set va up\n')
    peers.shell('bed_rewire')


def hostile_names(tap):
    """A device whose name cannot be printed verbatim is listed, and can be addressed."""
    name = b'rxa'
    for number, new in enumerate(HOSTILE):
        shown = printable(new.decode('utf-8', 'backslashreplace'))
        if peers.run('rdma', 'dev', 'set', name, 'name', new).status != 0:
            tap.skip('device renamed to ' + shown, 'this kernel, or rdma, does not accept it')
            continue
        name = new
        program.end_process()
        tap.test('device renamed to ' + shown, hostile(new, every=number == 0))
        if number == 0 and b'\x1b' in peers.run('rdma', 'dev').out:
            compare.known('rdma-hostile-name')
    peers.must('rdma', 'dev', 'set', name, 'name', 'rxa')
    program.end_process()


def hostile(name, every):
    """program.py finds control bytes in the output; this compares the names."""
    raw = os.fsdecode(name)
    document = program.listing('devices')
    rows = [row for row in document.rows
            if row['netdevs'] == ['va'] and row['transport'] == 'roce']
    if document.status != 0 or len(rows) != 1:
        return document.describe() + ['%d devices on va' % len(rows)]
    device = rows[0]['device']
    node = peers.chardevs('infiniband_verbs').get(name.decode('utf-8', 'replace'))
    wrong = []
    if node:
        wrong += unequal('uverbs', rows[0]['uverbs'], node[0])
        wrong += unequal('number of umads', len(rows[0]['umads']), 1)
    for command in program.LISTINGS[1:] if every else ('caps',):
        one = program.listing(command, '--', device)
        if one.status != 0 or {row['device'] for row in one.rows} != {device}:
            wrong += one.describe() + ['%s names %s' % (
                command, sorted({row['device'] for row in one.rows}))]
        program.rdmactl(command, '--', device)
    for form in ((), ('--tsv',)) if every else ((),):
        table = program.rdmactl('ports', '--no-headings', '-o', 'device', *form, '--', device)
        wrong += unequal('name in a table, options %s,' % (form,), table.text().rstrip('\n'), device)
    table = program.rdmactl('devices', '-o', 'netdevs', '--no-headings', '--', raw)
    wrong += unequal('netdev by the name that the kernel has', table.text().strip(), 'va')
    if every:
        bad = program.rdmactl('ports', '--', raw + '/7')
        wrong += unequal('exit status for a port that does not exist', bad.status, 5)
        wrong += unequal('lines of a table', len(program.rdmactl('gids').text().splitlines()),
                         1 + len(program.listing('gids').rows))
    return wrong


class Churn(threading.Thread):
    """Adds and removes RDMA devices as fast as possible."""

    # A few at a time, because rdma looks up the devices only when it starts.
    NUMBERS = range(6)
    NETDEVS = ''.join('link add churn%d type dummy\nlink set churn%d up\n' % (number, number)
                      for number in NUMBERS)
    ADD = ''.join('link add rxc%d type rxe netdev churn%d\n' % (number, number)
                  for number in NUMBERS)
    REMOVE = ''.join('link del rxc%d\n' % number for number in NUMBERS)

    def __init__(self):
        super().__init__()
        self.over = threading.Event()
        self.count = 0
        self.failed = None

    def run(self):
        while not self.over.is_set() and not self.failed:
            for batch in (self.ADD, self.REMOVE):
                result = peers.run('rdma', '-b', '-', stdin=batch.encode())
                if result.status != 0:
                    self.failed = result.describe()
            self.count += len(self.NUMBERS)


def churn(tap, rounds=20):
    peers.must('ip', '-b', '-', stdin=Churn.NETDEVS.encode())
    baseline = {name: program.listing(name) for name in program.LISTINGS}
    other = Churn()
    other.start()
    wrong, seen, partial = [], 0, 0
    try:
        for number in range(rounds):
            name = program.LISTINGS[number % len(program.LISTINGS)]
            document = program.listing(name)
            wrong += during_churn(name, baseline[name], document)
            seen += any(row['device'].startswith('rxc') for row in document.rows)
            partial += document.status == 3
    finally:
        other.over.set()
        other.join()
    tap.test('devices come and go: %d listings show all other devices' % rounds, wrong)
    tap.test('devices come and go: (and listings did see them)',
             other.failed or ('none was ever listed' if not seen and not partial else []),
             ['%d devices created and removed, seen in %d listings; %d listings were partial' %
              (other.count, seen, partial)])
    for number in Churn.NUMBERS:
        peers.run('ip', 'link', 'del', 'churn%d' % number)


def during_churn(name, before, document):
    wrong = []
    if document.status not in (0, 3):
        wrong += ['%s: exit status %s' % (name, document.status)] + document.describe()
    for problem in document.problems:
        if not (problem['object'] or '').startswith('rxc'):
            wrong.append('%s: a problem of a device other than rxc: %s' % (name, problem))
    others = [row for row in document.rows if not row['device'].startswith('rxc')]
    if others != before.rows:
        wrong.append('%s: the others changed: %s' % (
            name, [row for row in others if row not in before.rows][:3] or 'some are missing'))
    return wrong


# ib_core without ib_uverbs, which Soft-RoCE needs: only siw of 6.1 can run like this.

def without_uverbs(tap):
    for device in peers.listdir(peers.RDMA):
        if not device.startswith('sw'):
            peers.must('rdma', 'link', 'del', device)
    before = {name: program.listing(name) for name in program.LISTINGS}
    helper = peers.read('/proc/sys/kernel/modprobe')
    removed = peers.run('modprobe', '-r', 'rdma_rxe', 'rdma_ucm', 'ib_uverbs')
    if not before['devices'].rows or removed.status != 0:
        tap.skip('without ib_uverbs', 'every device needs it')
        peers.must('modprobe', '-a', 'ib_uverbs', 'rdma_ucm', 'rdma_rxe')
        return
    for title, program_of_kernel in (('not to be had', '/bin/false'), ('not loaded', helper)):
        with open('/proc/sys/kernel/modprobe', 'w', encoding='ascii') as file:
            file.write(program_of_kernel)
        for name in program.LISTINGS:
            document = program.listing(name)
            wrong = no_uverbs(name, before[name], document)
            if loaded('ib_uverbs'):
                wrong.append('it loaded ib_uverbs')
                peers.run('modprobe', '-r', 'ib_uverbs')
            tap.test('ib_uverbs is %s: %s' % (title, name), wrong)
    peers.must('modprobe', '-a', 'ib_uverbs', 'rdma_ucm', 'rdma_rxe')


def no_uverbs(name, before, document):
    drop = {'gids': ('source',), 'ports': ('active_mtu_bytes', 'max_mtu_bytes'),
            'devices': ('driver', 'uverbs')}.get(name, ())
    if name == 'caps':
        return unequal('exit status', document.status, 1) + (
            [] if document.problems and document.problems[0]['hint'] else ['no next step'])
    wrong = differ(name, before, document, drop)
    if name == 'ports':
        wrong = [line for line in wrong if 'problems: ' not in line and 'status: ' not in line]
        wrong += unequal('exit status', document.status, 3)
        for row in document.rows:
            wrong += unequal('MTU', row['active_mtu_bytes'], None)
        if not all(problem['hint'] for problem in document.problems):
            wrong.append('no next step: %s' % document.problems)
    return wrong


def failover(tap):
    """The bond's addresses move to the other device: the GIDs and the choice follow."""
    peers.shell('bed_failover ba1')
    # The kernel moves GIDs in the background.
    until(lambda: len([key for key in peers.sysfs_gids(64) if key[0] == 'rxba1']) == 3)
    table = peers.sysfs_gids(64)
    rows = program.listing('gids').by('device', 'port', 'index')
    transports = program.listing('devices').by('device')
    transports = {device: row['transport'] for device, row in transports.items()}
    tap.test('failover: gids as in sysfs', compare.gids_of_sysfs(rows, table, transports))
    document = program.listing('gids', '--to', '10.9.7.9')
    tap.test('failover: --to names the active device',
             unequal('chosen', [row['device'] for row in document.rows if row['selected']],
                     ['rxba1']))
    peers.shell('bed_failover ba0')


def play(tap):
    link_down(tap)
    netdev_renamed(tap)
    hostile_names(tap)
    failover(tap)
    churn(tap)
