# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A snapshot says what the host said, when the devices are gone: netlink, verbs, processes."""

import json
import os
import re
import shutil
import socket

import peers
import program
from scene_resources import listens
from scene_snapshot_tree import SLOW, own_addresses
from selftest import Running, until
from tap import unequal

ARCHIVE = '/run/host.tar.zst'
ANONYMISED = '/run/other.tar.zst'
KEY = '/run/snapshot.key'
ORIGINALS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../cli/originals.py')
# What is printed of the live host and of its snapshot, and may not differ but for what EXCEPT says.
COMMANDS = (
    ('devices',), ('ports',), ('gids',), ('gids', '--all'), ('netdevs',), ('caps',),
    ('counters', '--all'), ('counters', 'qp', '--all'), ('counters', 'mr', '--all'),
    ('counters', 'mode'), ('counters', '--optional'), ('resources',),
    ('resources', '--by', 'process'), ('resources', 'qp'), ('resources', 'cm_id'),
    ('resources', 'cq'), ('resources', 'mr'), ('resources', 'pd'), ('resources', 'ctx'),
    ('resources', 'srq'), ('topo', '--all'), ('link',), ('dev',), ('system',), ('roce',),
    ('sriov',), ('ipoib',), ('cables',), ('pkeys', '--all'), ('gids', '--to', '10.9.0.2'),
)
# The same of older tools, byte for byte but for counters.
TOOLS = (
    ('ibstat',), ('ibv_devices',), ('ibv_devinfo', '-v'), ('ibv_devinfo', '-d', 'none'), ('show_gids',),
    ('ibdev2netdev', '-v'), ('cma_roce_mode', '-d', 'rxa', '-p', '1'), ('show_drop', 'rxa', '1'),
)
# What an anonymised one says with other names.
ALIKE = (('devices',), ('ports',), ('gids',), ('netdevs',), ('caps',), ('resources',),
         ('resources', 'qp'), ('resources', 'cm_id'), ('topo', '--all'), ('roce',), ('cables',),
         ('counters', '--all'), ('doctor', '--all'))
# Ways to peers that nobody has talked to when the snapshot is taken. The tables of the bed's rules
# come first, so these have one of their own before them.
ROUTES = ('10.77.1.0/24 dev va src 10.9.0.1', '10.77.2.0/24 via 10.9.0.77 dev vb onlink',
          'blackhole 10.77.3.0/24', 'unreachable 10.77.4.0/24', 'prohibit 10.77.5.0/24',
          'throw 10.77.6.0/24',
          '10.77.7.0/24 nexthop via 10.9.0.2 dev va nexthop via 10.9.0.77 dev vb onlink',
          '10.77.8.0/24 dev vb metric 5', '10.77.8.0/24 dev va metric 4',
          'fd77:1::/64 dev va', 'fd77:2::/64 via fd09::77 dev vb src fd09::2',
          'blackhole fd77:3::/64', 'prohibit fd77:4::/64', '10.77.9.0/24 via inet6 fd09::77 dev va')
# Few of each kind: scene_routes.py asks many, of the tables alone.
SINGLE = ('10.77.2.9', '10.77.3.9', '10.77.8.9', '10.77.9.9', '10.88.0.1', 'fd77:2::9', 'fe80::9%vb', '::1')
MULTIPATH = '10.77.7.9'
PRIORITY = '7'
TABLE = '77'
# Counters and packet numbers move. Keys are never in a snapshot.
MOVING = {'value', 'rq_psn', 'sq_psn', 'free_user_contexts', 'user_contexts', 'values'}
KEYS = {'rkey', 'lkey', 'local_dma_lkey', 'unsafe_global_rkey'}
# The checks of what the program itself finds here and now: its own limits, libraries, device files.
OWN_CHECKS = {'memlock', 'nofile', 'rdma-cgroup', 'provider', 'device-nodes', 'container-devices',
              'shm', 'hugepages', 'cpu-power', 'kernel-log', 'pstore'}


def still(value):
    """The value without what moves, for comparisons."""
    if isinstance(value, dict):
        return {key: still(item) for key, item in value.items() if key not in MOVING | KEYS}
    if isinstance(value, list):
        return [still(item) for item in value]
    return value


def ask(words, *more):
    result = program.rdmactl(*more, '-j', *words)
    try:
        return result, still(json.loads(result.text()))
    except ValueError:
        return result, None


def differences(live, saved, path=''):
    """Where two documents are not the same, as lines."""
    if isinstance(live, dict) and isinstance(saved, dict):
        return [line for key in sorted(set(live) | set(saved))
                for line in differences(live.get(key), saved.get(key), '%s.%s' % (path, key))]
    if isinstance(live, list) and isinstance(saved, list) and len(live) == len(saved):
        return [line for number, (one, other) in enumerate(zip(live, saved))
                for line in differences(one, other, '%s[%d]' % (path, number))]
    # A next step says where it is to be done.
    found = saved.replace(' on that host', '') if isinstance(saved, str) else saved
    return [] if live == found else ['%s: live %r, snapshot %r' % (path, live, saved)]


def same(words, before):
    live_result, live = before
    result, saved = ask(words, '--root', ARCHIVE)
    wrong = unequal('exit status', result.status, live_result.status)
    return (wrong + differences(live, saved))[:12]


def tool(words, *more):
    # Their output has tabs and their status is their own: the rules of the program do not hold.
    result = peers.run(program.RDMACTL, 'compat', *more, *words)
    return result.status, result.text(), result.complaint()


def same_tool(words, before):
    status, text, complaint = tool(words, '--root', ARCHIVE)
    return (unequal('exit status', status, before[0]) + unequal('output', text, before[1]) +
            unequal('message', complaint, before[2]))


def metrics(*more):
    """The samples without their values, which move."""
    return sorted(line.rsplit(' ', 1)[0] for line in
                  program.rdmactl(*more, 'metrics').text().splitlines())


def same_metrics(before):
    saved = metrics('--root', ARCHIVE)
    return (['only live: ' + line for line in before if line not in saved] +
            ['only saved: ' + line for line in saved if line not in before])


def verdicts(document):
    """(check, object): verdict and evidence, of the checks that are not about this process."""
    return {(row['check'], row['object']): (row['verdict'], row['summary'])
            for row in document['doctor'] if row['check'] not in OWN_CHECKS}


def doctor(before):
    """Each verdict of the live host, with what it says."""
    _, live = before
    result, saved = ask(('doctor', '--all'), '--root', ARCHIVE)
    if not live or not saved:
        return result.describe()
    wanted, found = verdicts(live), verdicts(saved)
    return ['%s %s: live %r, snapshot %r' % (*key, value, found.get(key))
            for key, value in wanted.items() if found.get(key) != value][:12]


def no_keys(before):
    """What gives access to memory is in the live answer, and nowhere in the archive."""
    keys = {row['local_dma_lkey'] for row in before
            if int(row['local_dma_lkey'] or '0', 16)}
    folder = '/run/unpacked'
    peers.must('mkdir', '-p', folder)
    peers.must('tar', '-C', folder, '--zstd', '-xf', ARCHIVE)
    with open(folder + '/rdmactl-snapshot/netlink/answers', encoding='ascii') as file:
        groups = file.read().split('\nend\n')
    # Those of RDMA netlink, whose attributes have these numbers.
    text = '\n'.join(group for group in groups if 'ask 20 ' in group)
    wrong = [] if text.count('ask 20 ') > 20 else ['only %d questions' % text.count('ask 20 ')]
    for key in keys:
        number = int(key, 16).to_bytes(4, 'little').hex()
        # RDMA_NLDEV_ATTR_RES_LOCAL_DMA_LKEY (48), 8 bytes with its header.
        if '08003000' + number in text:
            wrong.append('the key %s is in the recording' % key)
    shutil.rmtree(folder)
    return wrong if keys else wrong + ['the live host shows no key to look for']


def lay_routes(verb):
    for route in ROUTES:
        words = ('-6',) if 'fd77' in route else ()
        peers.must('ip', *words, 'route', verb, 'table', TABLE, *route.split())
    for family in '-4', '-6':
        peers.must('ip', family, 'rule', verb, 'priority', PRIORITY, 'table', TABLE)
    peers.must('ip', 'rule', verb, 'priority', '6', 'to', '10.88.0.0/16', 'prohibit')


def guess():
    """Which of two next hops is taken is not known: an answer, and the doubt."""
    result = program.rdmactl('--root', ARCHIVE, '-j', 'gids', '--to', MULTIPATH)
    document = json.loads(result.text())
    return (unequal('exit status', result.status, 3) +
            unequal('doubts', ['is a guess: the route has several next hops' in problem['error']
                               for problem in document['problems']], [True]) +
            unequal('entries', [row['selected'] for row in document['gids']].count(True), 1))


def older():
    """A snapshot without tables, as older releases took it, has the neighbours' routes only."""
    folder = '/run/older'
    peers.must('mkdir', '-p', folder)
    peers.must('tar', '-C', folder, '--zstd', '-xf', ARCHIVE)
    path = folder + '/rdmactl-snapshot/netlink/answers'
    with open(path, encoding='ascii') as file:
        head, body = file.read().split('\n', 1)
    # RTM_GETROUTE (26) with NLM_F_DUMP: the dumps of the tables.
    groups = [group for group in body.removesuffix('end\n').split('end\n')
              if not group.startswith('ask 0 26 76')]
    with open(path, 'w', encoding='ascii') as file:
        file.write(head + '\n' + ''.join(group + 'end\n' for group in groups))
    older_root = folder + '/rdmactl-snapshot'
    result = program.rdmactl('--root', older_root, 'gids', '--to', '192.0.2.77')
    wrong = unequal('exit status', result.status, 1)
    wrong += unequal('message', 'the snapshot does not hold the route to 192.0.2.77' in
                     result.complaint(), True)
    result = program.rdmactl('--root', older_root, 'gids', '--to', '10.9.0.2')
    wrong += unequal('exit status for a neighbour', result.status, 0)
    shutil.rmtree(folder)
    return wrong


# What may be another one in an anonymised snapshot: addresses, and names that stand for a host.
NAMED = re.compile(r'(?:[0-9a-f]{0,4}:){2,}[0-9a-f:.]*|(?:[0-9]{1,3}\.){3}[0-9]{1,3}|'
                   r'0x[0-9a-f]{12,}|host-[0-9a-f]{8}')


def same_but_for_names(one, other, names, path=''):
    """Where two documents differ in more than names; one name has to become the same everywhere."""
    if isinstance(one, dict) and isinstance(other, dict) and set(one) == set(other):
        return [line for key in sorted(one)
                for line in same_but_for_names(one[key], other[key], names, '%s.%s' % (path, key))]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [line for number, pair in enumerate(zip(one, other))
                for line in same_but_for_names(*pair, names, '%s[%d]' % (path, number))]
    if not isinstance(one, str) or not isinstance(other, str):
        return [] if one == other else ['%s: %r, anonymised %r' % (path, one, other)]
    hostname = os.uname().nodename
    old = NAMED.findall(one.replace(hostname, 'host-00000000'))
    new = NAMED.findall(other)
    wrong = [] if (NAMED.sub('X', one.replace(hostname, 'X')) == NAMED.sub('X', other)) else [
        '%s: %r, anonymised %r' % (path, one, other)]
    for first, second in zip(old, new):
        if names.setdefault(first, second) != second:
            wrong.append('%s: %s became %s and %s' % (path, first, names[first], second))
    return wrong


def without_path(document, path):
    """The document with another word for the path that it was read from."""
    return json.loads(json.dumps(document).replace(path, 'ROOT'))


def unpack(archive, folder):
    peers.must('mkdir', '-p', folder)
    peers.must('tar', '-C', folder, '--zstd', '-xf', archive)
    return folder + '/rdmactl-snapshot'


def alike(tap, plain, other):
    """Each listing of both folders, of which one is anonymised; returns what became of names."""
    names = {}
    for words in ALIKE:
        (first_result, first), (second_result, second) = (ask(words, '--root', plain),
                                                          ask(words, '--root', other))
        wrong = unequal('exit status', second_result.status, first_result.status)
        wrong += same_but_for_names(without_path(first, plain), without_path(second, other), names)
        tap.test('snapshot: %s says the same of the anonymised one' % ' '.join(words), wrong[:12])
    changed = [name for name in names if names[name] != name]
    tap.test('snapshot: many names became others, no two the same',
             unequal('many', len(changed) > 6, True) +
             unequal('different', len(set(names.values())), len(names)))
    wrong = ['10.9.0.2 became nothing']
    if '10.9.0.2' in names:
        _, first = ask(('gids', '--to', '10.9.0.2'), '--root', plain)
        _, second = ask(('gids', '--to', names['10.9.0.2']), '--root', other)
        wrong = same_but_for_names(without_path(first, plain), without_path(second, other), names)
    tap.test('snapshot: the way to a neighbour is that of its other address', wrong)


def anonymised(tap, addresses):
    """It says the same but for names, and no original is in it, whether as text or as bytes."""
    # The same names in each run.
    with open(KEY, 'w', encoding='ascii') as file:
        file.write('the key of this scene\n')
    result = program.rdmactl('snapshot', ANONYMISED, '--anonymise', '--anonymise-key', KEY,
                             '--force', '--root', ARCHIVE, timeout=600)
    os.unlink(KEY)
    tap.test('snapshot: --anonymise keeps all answers',
             result.describe() if result.status not in (0, 3) or 'answers' in result.complaint()
             else [])
    folders = ['/run/unpacked-plain', '/run/unpacked-other']
    plain, other = unpack(ARCHIVE, folders[0]), unpack(ANONYMISED, folders[1])
    alike(tap, plain, other)
    result = peers.run('python3', ORIGINALS, *folders, *sorted(addresses), timeout=SLOW)
    tap.test('snapshot: no original is in the anonymised one, neither as text nor as bytes',
             result.text().splitlines()[:-1][:12] if result.status == 0 else result.describe())
    result = peers.run('python3', ORIGINALS, folders[0], folders[0], *sorted(addresses),
                       timeout=SLOW)
    tap.test('snapshot: the same search finds them in the plain one',
             [] if result.text().count('left: bytes') > 5 else result.describe()[:12])
    for folder in folders:
        shutil.rmtree(folder)
    os.unlink(ANONYMISED)


def diff():
    """Against the host without the devices: they are gone, and nothing of them is listed twice."""
    document = program.listing('diff', ARCHIVE)
    gone = [(row['kind'], row['object']) for row in document.rows if row['change'] == 'gone']
    wrong = unequal('exit status', document.status, 4)
    for device in ('rxa', 'rxb'):
        wrong += unequal(device, [kind for kind, name in gone if name == device or
                                  name.startswith(device + '/')], ['devices'])
    return wrong if not wrong else wrong + document.describe()


def diff_same():
    """The host as it is differs in nothing from the snapshot that was just taken of it."""
    document = program.listing('diff', ARCHIVE)
    return [] if not document.rows else document.describe() + [json.dumps(row) for row in
                                                               document.rows[:8]]


def play(tap):
    peers.shell('bed_wire')
    lay_routes('add')
    # A packet makes a neighbour, whose route is kept.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b'here', ('10.9.0.2', 9))
    until(lambda: '10.9.0.2 ' in (peers.read('/proc/net/arp') or ''))
    server = Running('ibv_rc_pingpong', '-d', 'rxa', '-g', '1', '-p', '18600')
    until(lambda: listens(server.process.pid, 'ibv_rc_pingpong'))
    if os.path.exists(ARCHIVE):
        os.unlink(ARCHIVE)
    result = program.rdmactl('snapshot', ARCHIVE, timeout=600)
    tap.test('snapshot: of two devices and a program that holds a queue pair',
             unequal('exit status', result.status in (0, 3), True) or
             unequal('an archive', os.path.exists(ARCHIVE), True) or
             ([] if result.status == 0 else
              [line for line in result.complaint().splitlines() if 'netlink' in line or
               'verbs' in line]))
    commands = COMMANDS + tuple(('gids', '--to', address) for address in SINGLE)
    before = {words: ask(words) for words in commands}
    tools = {words: tool(words) for words in TOOLS}
    samples = metrics()
    lay_routes('del')
    judged = ask(('doctor', '--all'))
    addresses = own_addresses()
    keys = json.loads(program.rdmactl('-j', 'resources', 'pd').text())['pds']
    tap.test('snapshot: the same host does not differ from it', diff_same())
    pid = server.process.pid
    server.end(9)
    peers.must('rdma', 'link', 'delete', 'rxa')
    peers.must('rdma', 'link', 'delete', 'rxb')
    for words in commands:
        tap.test('snapshot: %s says what it said' % ' '.join(words), same(words, before[words]))
    for words in TOOLS:
        tap.test('snapshot: %s says what it said' % ' '.join(words),
                 same_tool(words, tools[words]))
    tap.test('snapshot: metrics have the samples that they had', same_metrics(samples))
    tap.test('snapshot: doctor says what it said', doctor(judged))
    document = program.parse('qps', (), program.rdmactl('--root', ARCHIVE, '-j', 'resources',
                                                        'qp'))
    holders = [row['command'] for row in document.rows if row['pid'] == pid]
    tap.test('snapshot: the process that has ended has its name',
             unequal('command', set(holders), {'ibv_rc_pingpong'}))
    tap.test('snapshot: no key of memory is in it', no_keys(keys))
    tap.test('snapshot: a guess is called a guess', guess())
    tap.test('snapshot: without tables, what was not asked is told', older())
    tap.test('snapshot: diff against the host without devices', diff())
    anonymised(tap, addresses)
    os.unlink(ARCHIVE)
    peers.shell('bed_wire')
