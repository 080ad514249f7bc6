# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""gids --to PEER names the right index, and data flows with it."""

import subprocess

import peers
import program
from selftest import until
from tap import unequal

# More routes: via a gateway, with another source address, forbidden, via a netdev without RDMA.
NETWORK = '''
addr add 10.9.0.11/24 dev va
route add 198.51.100.0/24 via 10.9.0.2 dev va
route add 198.51.101.0/24 via 10.9.0.2 dev va src 10.9.0.11
route add unreachable 198.51.102.0/24
route add blackhole 198.51.103.0/24
route add prohibit 198.51.104.0/24
link add plain0 type dummy
link set plain0 up
addr add 10.9.9.1/24 dev plain0
'''

# Peer; device, netdev and address of the entry to use.
CHOICES = (
    ('10.9.0.2', 'rxa', 'va', '10.9.0.1'),
    ('10.9.0.1', 'rxb', 'vb', '10.9.0.2'),
    ('fd09::2', 'rxa', 'va', 'fd09::1'),
    ('fe80::ff:fe00:902%va', 'rxa', 'va', 'fe80::ff:fe00:901'),
    ('fe80::ff:fe00:902%va.5', 'rxa', 'va.5', 'fe80::ff:fe00:901'),
    ('fe80::ff:fe00:901%vb', 'rxb', 'vb', 'fe80::ff:fe00:902'),
    ('10.9.5.2', 'rxa', 'va.5', '10.9.5.1'),
    ('fd09:5::1', 'rxb', 'vb.5', 'fd09:5::2'),
    ('10.9.7.9', 'rxba0', 'bond0', '10.9.7.1'),
    ('198.51.100.7', 'rxa', 'va', '10.9.0.1'),
    ('198.51.101.7', 'rxa', 'va', '10.9.0.11'),
    ('peer.example', 'rxa', 'va', '10.9.0.1'),
)
# Peer; exit status; text that the message must contain.
REFUSALS = (
    ('192.0.2.1', 1, 'no route'),
    ('198.51.102.7', 1, 'no route'),  # unreachable
    ('198.51.103.7', 1, 'no route'),  # blackhole
    ('198.51.104.7', 1, 'no route'),  # prohibit
    ('2001:db8::1', 1, 'no route'),
    ('10.9.9.9', 1, 'plain0'),
    ('127.0.0.1', 1, '127.0.0.1'),
    ('10.9.9.1', 1, '10.9.9.1'),
    ('fe80::ff:fe00:902', 2, '%'),
    ('fe80::ff:fe00:902%nosuch', 1, 'nosuch'),
    ('no.such.name.invalid', 1, 'no.such.name.invalid'),  # the network, not the command line
)


def routes(*choices):
    """The kernel's choice according to `ip route get`: {peer: (netdev, source address)}."""
    lines = []
    for peer in choices:
        address, _, zone = peer.partition('%')
        address = '10.9.0.2' if address == 'peer.example' else address
        lines.append('route get %s%s\n' % (address, ' oif ' + zone if zone else ''))
    result = peers.must('ip', '-j', '-b', '-', stdin=''.join(lines).encode())
    found = [peers.json.loads(line)[0] for line in result.text().splitlines() if line.strip()]
    return {peer: (row['dev'], row['prefsrc']) for peer, row in zip(choices, found)}


def judge(row, chosen, out, source):
    """Errors in the reason why an entry was not chosen."""
    why, ours, theirs = row['why'] or '', row['ip'], chosen['ip']
    if row['type'] == 'ib':
        wanted = 'transport'
    elif (':' in ours) != (':' in theirs):
        wanted = 'IPv6 entry, the peer is IPv4' if ':' in ours else 'IPv4 entry, the peer is IPv6'
    elif row['netdev'] != out:
        wanted = 'netdev %s, but the route leaves by %s' % (row['netdev'], out)
    elif ours != source:
        wanted = 'not the source address of the route, ' + source
    else:
        wanted = 'is equally good'
    return [] if wanted in why else ['%s/%s GID %s: the reason is %r, expected %r' % (
        row['device'], row['port'], row['index'], why, wanted)]


def choice(peer, device, netdev, address, route=None, **options):
    """Errors of the answer, and the chosen entry."""
    document = program.listing('gids', '--to', peer, **options)
    chosen = [row for row in document.rows if row['selected'] is True]
    if document.status != 0 or len(chosen) != 1:
        return document.describe() + ['%d entries chosen' % len(chosen)], None
    row = chosen[0]
    wrong = unequal('chosen', (row['device'], row['netdev'], row['ip']), (device, netdev, address))
    if route:
        wrong += unequal('chosen, by ip route get', (row['netdev'], row['ip']), route)
    for other in document.rows:
        if other is not row:
            wrong += unequal('selected', other['selected'], False)
            wrong += judge(other, row, netdev, address)
    if 'RoCE v2' not in (row['why'] or ''):
        wrong.append('the reason for it is %r' % row['why'])
    return wrong, row


def environment(peer, row):
    """The exact output of --env."""
    result = program.rdmactl('gids', '--to', peer, '--env')
    name = '%s:%d' % (row['device'], row['port'])
    wanted = ('NCCL_IB_HCA==%s\nNCCL_IB_GID_INDEX=%d\nUCX_NET_DEVICES=%s\nUCX_IB_GID_INDEX=%d\n'
              'FI_VERBS_GID_IDX=%d\n# perftest: ib_write_bw -d %s -i %d -x %d %s\n' %
              (name, row['index'], name, row['index'], row['index'], row['device'], row['port'],
               row['index'], peer))
    return (unequal('--env', result.text(), wanted) +
            unequal('exit status', result.status, 0) + unequal('complaint', result.complaint(), ''))


def packets():
    return int(peers.read('/sys/class/net/va/statistics/tx_packets'))


def pingpong(client, server):
    """Runs ibv_rc_pingpong between the two chosen entries and returns a list of errors."""
    command = [['ibv_rc_pingpong', '-d', row['device'], '-i', str(row['port']), '-g',
                str(row['index']), '-n', '50'] for row in (client, server)]
    before = packets()
    other = subprocess.Popen(command[1], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    until(lambda: peers.listens(18515) or other.poll() is not None)
    result = peers.run(*command[0], 'localhost')
    try:
        output, _ = other.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        other.kill()
        output, _ = other.communicate()
    wrong = [] if result.status == 0 else result.describe()
    if other.returncode:
        wrong += ['the other side: exit status %d: %s' % (other.returncode, output[-300:])]
    if packets() - before < 50:
        wrong += ['only %d packets crossed the wire' % (packets() - before)]
    return wrong


def refusal(peer, status, word):
    document = program.listing('gids', '--to', peer)
    lines = document.result.complaint().splitlines()
    wrong = unequal('exit status', document.status, status)
    wrong += unequal('chosen', [row for row in document.rows if row['selected']], [])
    if not lines or word not in lines[0]:
        wrong.append('the message %r does not contain %r' % (lines[:1], word))
    return wrong


def no_entry(tap):
    """A device with an empty GID table: settings or a reason, never status 0 without output."""
    test, without = 'choice: a GID table without an entry', program.built('no_netlink')
    if not without:
        tap.skip(test, program.NOT_BUILT)
        return
    hide = 'mount -t tmpfs none /sys/class/infiniband/rxa/ports/1/gids && exec "$@"'
    wrong = []
    for words in ((), ('--env',)):
        result = peers.run('unshare', '-m', 'sh', '-c', hide, 'sh', *peers.HIDDEN, without,
                           program.RDMACTL, 'gids', 'rxa', '--to', '10.9.0.2', *words)
        program.check(result)
        wrong += unequal('status', result.status, 1) + unequal('settings', result.text(), '')
        wrong += unequal('a reason', 'no GID leads to 10.9.0.2' in result.complaint(), True)
    tap.test(test, wrong)


def play(tap):
    peers.must('ip', '-batch', '-', stdin=NETWORK.encode())
    with open('/etc/hosts', 'a', encoding='ascii') as hosts:
        hosts.write('10.9.0.2 peer.example\n')
    rows, kernel = {}, routes(*(peer for peer, *_ in CHOICES))
    for peer, *wanted in CHOICES:
        wrong, rows[peer] = choice(peer, *wanted, route=kernel[peer])
        tap.test('choice: --to %s: %s, %s with %s' % (peer, *wanted), wrong)
    for peer, status, word in REFUSALS:
        tap.test('choice: --to %s: no entry, with a reason' % peer, refusal(peer, status, word))
    for peer in ('10.9.5.2', 'fd09::2'):
        tap.test('choice: --to %s --env' % peer,
                 environment(peer, rows[peer]) if rows[peer] else 'nothing chosen')
    for peer, back in (('10.9.0.2', '10.9.0.1'), ('fe80::ff:fe00:902%va', 'fe80::ff:fe00:901%vb')):
        tap.test('choice: data flows to %s with the index named' % peer,
                 pingpong(rows[peer], rows[back]) if rows[peer] and rows[back] else 'no index')
    wrong, other = choice('10.9.5.1', 'rxb', 'vb.5', '10.9.5.2', prefix=peers.HIDDEN)
    tap.test('choice: the same without verbs nodes', wrong)
    tap.test('choice: data flows over the VLAN with the index named',
             pingpong(rows['10.9.5.2'], other) if rows['10.9.5.2'] and other else 'no index')
    no_entry(tap)
    more(tap)
    peers.must('ip', '-batch', '-', stdin=b'addr del 10.9.0.11/24 dev va\nlink del plain0\n'
               b'route del 198.51.102.0/24\nroute del 198.51.103.0/24\nroute del 198.51.104.0/24\n')


def more(tap):
    """An address of this host; a choice among some devices; options that can be combined."""
    wrong, _ = choice('10.9.7.1', 'rxba0', 'bond0', '10.9.7.1')
    wrong = [line for line in wrong if 'leaves by' not in line]
    tap.test('choice: an address of this host', wrong)
    document = program.listing('gids', 'rxb', '--to', '10.9.0.2')
    tap.test('choice: rxb --to 10.9.0.2: not via this device',
             unequal('exit status', document.status, 1) +
             unequal('devices', sorted({row['device'] for row in document.rows}), ['rxb']))
    document = program.listing('gids', '--to', '10.9.0.2', '--ip', '10.9.0.1')
    tap.test('choice: --to with --ip shows only this entry',
             unequal('rows', [(row['device'], row['selected']) for row in document.rows],
                     [('rxa', True)]))
    document = program.listing('gids', '--to', '::ffff:10.9.0.2')
    chosen = [(row['device'], row['ip']) for row in document.rows if row['selected']]
    tap.test('choice: --to ::ffff:10.9.0.2 is IPv4',
             unequal('chosen', chosen, [('rxa', '10.9.0.1')]) and document.describe())
    env = program.rdmactl('gids', '--to', '192.0.2.1', '--env')
    tap.test('choice: --env without a choice prints nothing that a shell could take for settings',
             unequal('exit status', env.status, 1) + unequal('output', env.text(), ''))
    plain = program.schema('gids')
    document = peers.json.loads(program.rdmactl('-j', 'gids', '--to', '10.9.0.2').out)
    tap.test('choice: the JSON of --to follows the schema that it names',
             program.errors(document, plain, 'gids')[:3])
