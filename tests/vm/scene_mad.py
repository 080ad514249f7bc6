# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Management datagrams without InfiniBand: what the commands say about Ethernet ports and about
missing umad nodes; and tables of many segments (RMPP) over RoCE.
"""

import concurrent.futures
import os

import peers
import program
from tap import unequal

# Commands that need an InfiniBand port, and the listing that each prints.
COMMANDS = {
    ('smp', 'nodeinfo'): 'smp_nodeinfo',
    ('smp', 'nodedesc', '-D', '0,1'): 'smp_nodedesc',
    ('smp', 'portinfo', '5', '1-3'): 'smp_portinfo',
    ('smp', 'sminfo'): 'smp_sminfo',
    ('smp', 'pkeys', '--raw', '5'): 'smp_raw',
    ('smp', 'nodedesc', '--set', 'node_description=x', '--yes'): 'smp_nodedesc',
    ('perf',): 'perf',
    ('perf', '--fec', '5', '1'): 'perf_fec',
    ('perf', '--watch', '5'): 'perf_rates',
    ('perf', '--reset', '5'): 'perf',
    ('sa', 'nodes'): 'sa_nodes',
    ('sa', 'path', '--from', '1', '--to', '2'): 'sa_path',
    ('sa', 'multicast', '--count'): 'sa_count',
    ('sysstat', '5', 'cpu'): 'sysstats',
    ('sysstat', '--serve'): 'sysstats',
    ('mad', 'classes'): 'mad_classes',
    ('mad', 'send', '5', '--class', 'pm', '--attribute', 'portcounters'): 'mads',
    ('mad', 'send', '--gid', 'fd09::2', '--class', '0x35', '--oui', '0x025244',
     '--attribute', '1'): 'mads',
    ('ping', '--smp', '-D', '0'): 'pings',
    ('ping', '--openib', '5'): 'pings',
    ('ping', '--lid', '5'): 'pings',
}

ETHERNET = 'Ethernet, which has no LIDs, no subnet management and no subnet administration'
IWARP = 'Ethernet with iWARP, which carries no management datagrams'
# Directory for the mounts of this scene.
DIRECTORY = '/run/scene_mad'


class Refusal:
    """The messages of a command that refuses to run."""

    def __init__(self, words, listing, status, error, steps, prefix=(), json=True):
        self.words, self.listing, self.json = words, listing, json
        self.status, self.error, self.steps, self.prefix = status, error, steps, prefix

    def wrong(self):
        """One line says what is wrong and one says what to do; JSON has both, and no rows."""
        flags = ('-j',) if self.json else ()
        result = program.rdmactl(*flags, *self.words, prefix=self.prefix)
        said = result.complaint().splitlines()
        wrong = unequal('status', result.status, self.status) + unequal('lines', len(said), 2)
        said += ['', '']
        wrong += ['not in the message: ' + text for text in ('rdmactl %s: ' % self.words[0], self.error)
                  if text not in said[0]]
        wrong += ['no next step: ' + step for step in self.steps if step not in said[1]]
        if self.json:
            document = program.parse(self.listing, self.words, result)
            wrong += unequal('rows', document.rows, [])
            wrong += unequal('problems', [(problem['error'], problem['hint'])
                                          for problem in document.problems],
                             [(said[0].partition(': ')[2], said[1].strip())])
        else:
            wrong += unequal('standard output', result.text(), '')
        return wrong + (result.describe() if wrong else [])


def wrong_with(refusals):
    """Commands with a prefix start programs, two at a time. Meanwhile the others run in the one
    process that program.rdmactl() has for commands of this thread."""
    rows = list(refusals)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        started = pool.map(Refusal.wrong, [row for row in rows if row.prefix])
        found = [row.wrong() for row in rows if not row.prefix]
        return [line for wrong in (*found, *started) for line in wrong]


def commands():
    """The commands that the help lists."""
    lines = program.rdmactl('help').text().splitlines()
    return {line.split()[0] for line in lines if line.startswith('  ') and line[2].isalpha()}


def ethernet(tap):
    steps = ('rdmactl ports, gids and counters', 'rdmactl ping and selftest')
    ways = (((), 'the %d ports here are %s' % (len(peers.port_directories()), ETHERNET)),
            (('--via', 'rxa'), 'port rxa/1 is ' + ETHERNET),
            (('--via', 'rxa/1'), 'port rxa/1 is ' + ETHERNET))
    # The three forms take turns; every third run is text.
    rows = [Refusal((*words, *ways[number % 3][0]), COMMANDS[words], 5, ways[number % 3][1], steps,
                    json=number % 3 > 0) for number, words in enumerate(COMMANDS)]
    rows.append(Refusal(('smp', 'nodeinfo'), 'smp_nodeinfo', 5, ways[0][1], steps))
    tap.test('mad: Ethernet: every command names the link layer, and the commands to use instead',
             wrong_with(rows))
    tap.test('mad: Ethernet: the commands named as next steps exist',
             unequal('missing', {'ports', 'gids', 'counters', 'ping', 'selftest'} - commands(), set()))
    tap.test('mad: Ethernet is reported before a problem with the umad node',
             wrong_with(Refusal((*words, '--via', 'rxa'), COMMANDS[words], 5, ways[1][1], steps,
                                prefix)
                        for words, prefix in ((('perf',), peers.HIDDEN),
                                              (('sa', 'nodes'), peers.NOBODY))))


def as_infiniband(name, *script):
    """Returns a prefix for commands that makes rxa look like InfiniBand: sysfs says so, and netlink
    says nothing.

    Its umad node and its subnet management stay as they are. `script`: further mounts.
    """
    layer = '/sys/class/infiniband/rxa/ports/1/link_layer'
    namespace = DIRECTORY + '/' + name
    open(namespace, 'wb').close()
    peers.must('unshare', '--mount=' + namespace, '/bin/sh', '-e', '-c', '\n'.join((
        'mount --bind %s/layer %s' % (DIRECTORY, layer), *script)))
    return 'nsenter', '--mount=' + namespace, program.built('no_netlink')


def nodes(tap, plain):
    node = '/dev/infiniband/' + next(name for name in peers.chardevs('infiniband_mad')['rxa']
                                     if name.startswith('umad'))
    hidden = as_infiniband('hidden', 'mount -t tmpfs none /dev/infiniband')
    other = as_infiniband('other', 'mount -t tmpfs none /dev/infiniband',
                          'mknod -m 0640 %s c 231 0' % node, 'chown 1:7 ' + node)
    unloaded = as_infiniband('unloaded', 'mount -t tmpfs none /sys/class/infiniband_mad')
    container = ('pass the file in (--device)', 'udev')
    root = ('run as root', 'udev rule')
    gone = (5, 'cannot find ' + node + ' of rxa/1: No such file or directory', container, hidden)
    closed = (1, 'cannot open %s of rxa/1 (mode 0600, owner 0, group 0): Permission denied' % node,
              root, (*plain, *peers.NOBODY))
    # One form of each command with the hidden node, and one with the inaccessible node.
    first = {words[0]: (words, listing) for words, listing in reversed(COMMANDS.items())}
    last = {words[0]: (words, listing) for words, listing in COMMANDS.items()}
    tap.test('mad: umad node hidden: every command names it and what to do',
             wrong_with(Refusal(*row, *gone) for row in first.values()))
    tap.test('mad: umad node not accessible: every command names it, its mode and what to do',
             wrong_with(Refusal(*row, *closed) for row in last.values()))
    rows = [Refusal(words, COMMANDS[words], 5, 'rxa/1 has no umad device file',
                    ('modprobe ib_umad',), unloaded)
            for words in (('smp', 'nodeinfo'), ('ping', '--lid', '5'))]
    rows.append(Refusal(('sa', 'nodes'), 'sa_nodes', 1, '(mode 0640, owner 1, group 7)', root,
                        (*other, *peers.NOBODY)))
    tap.test('mad: ib_umad is not loaded; the node has another mode and owner', wrong_with(rows))


def no_subnet(tap, plain):
    """An InfiniBand port that no subnet manager has configured."""
    send = ('mad', 'send', '--class', 'pm', '--attribute', 'portcounters')
    tap.test('mad: InfiniBand without a subnet manager', wrong_with(
        Refusal(words, COMMANDS.get(words, 'mads'), 1, error, (step,), plain)
        for words, error, step in (
            (('perf',), 'the port has no LID', 'rdmactl ports'),
            (('mad', 'classes'), 'the port has no LID', 'rdmactl ports'),
            (send, 'the port has no LID', 'rdmactl ports'),
            (('sa', 'nodes'), 'its SM LID is 0', 'start a subnet manager'),
            (('smp', 'sminfo'), 'its SM LID is 0', 'start a subnet manager'))))


def infiniband(tap):
    if not program.built('no_netlink'):
        tap.skip('mad: umad nodes of InfiniBand ports', program.NOT_BUILT)
        return
    # A file can hold a mount namespace only where mounts are private.
    os.makedirs(DIRECTORY, exist_ok=True)
    peers.must('mount', '-t', 'tmpfs', 'none', DIRECTORY)
    peers.must('mount', '--make-private', DIRECTORY)
    with open(DIRECTORY + '/layer', 'w', encoding='ascii') as file:
        file.write('InfiniBand\n')
    plain = as_infiniband('plain')
    nodes(tap, plain)
    no_subnet(tap, plain)
    peers.must('umount', '-R', '-l', DIRECTORY)


def iwarp(tap):
    if peers.run('modinfo', 'siw').status:
        tap.skip('mad: iWARP', 'tests/vm/module has not built siw.ko')
        return
    peers.must('modprobe', '-a', 'libcrc32c', 'siw')
    peers.must('rdma', 'link', 'add', 'swm', 'type', 'siw', 'netdev', 'va')
    every = {**COMMANDS, ('ping', '10.9.0.2'): 'pings', ('ping', '--serve'): 'pings'}
    # One form of each command, and all forms of ping, the only command that works on Ethernet.
    rows = [Refusal((*words, '--via', 'swm'), every[words], 5, 'port swm/1 is ' + IWARP,
                    ('show the port, rdmactl selftest reaches a peer',))
            for words in every if len(words) == 1 or words[0] == 'ping' or words[1] in
            ('sminfo', 'path', '5', 'classes')]
    tap.test('mad: iWARP: every command says that it carries no MADs', wrong_with(rows))
    peers.must('rdma', 'link', 'del', 'swm')


def received(device):
    return int(peers.read('/sys/class/infiniband/%s/ports/1/hw_counters/rcvd_pkts' % device))


def segments(tap):
    """Replies of several segments, which the kernels of both sides split and reassemble.

    GIDs that map IPv4 addresses are not tested: with them the kernel recognizes no segment's
    acknowledgement (rcv_has_same_gid(), core/mad.c, compares them with the middle of an IPv4
    header).
    """
    rmpp = program.built('rmpp')
    if not rmpp:
        tap.skip('mad: RMPP', program.NOT_BUILT)
        return
    # Lengths below one datagram, at its limit, and of many segments; more than a window at once.
    counts = [0, 1, 2, 10, 100, 1000] + [25] * 40
    expected = sorted('%d %d right' % (count, max(256, 56 + 112 * count)) for count in counts)
    least = sum(-(-112 * count // 200) for count in counts)
    gids = {(device, index): gid for (device, _, index), (gid, _, _)
            in peers.sysfs_gids(8).items()}
    for prefix in ('fe80', 'fd09'):
        index = min(index for device, index in gids
                    if device == 'rxa' and gids[device, index].startswith(prefix))
        peer = min(gid for (device, _), gid in gids.items()
                   if device == 'rxb' and gid.startswith(prefix))
        before = received('rxa')
        result = peers.run(rmpp, 'rxb', 'rxa', peer, str(index), *map(str, counts))
        program.check(result)
        wrong = unequal('status', result.status, 0)
        wrong += unequal('answers', sorted(result.text().splitlines()), expected)
        if received('rxa') - before < least:
            wrong.append('%d packets, %d segments' % (received('rxa') - before, least))
        tap.test('mad: RMPP: tables of up to %d segments from %s' % (560, peer),
                 wrong + (result.describe() if wrong else []))


def play(tap):
    peers.shell('bed_wire')
    ethernet(tap)
    infiniband(tap)
    segments(tap)
    iwarp(tap)
