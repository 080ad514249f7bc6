# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A snapshot of the guest answers on another machine as the guest did: the half of the scene
`snapshot` that does not need the guest's kernel. scene_snapshot.py writes the files read here."""

import json
import os
import re
import tempfile

import peers
import program
from tap import unequal

# Files in the directory that both machines see.
ARCHIVE, SAID = 'host.tar.zst', 'said.json'
SECONDS = 300  # timeout of commands that take long on an emulated processor
ORIGINALS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../cli/originals.py')
# Commands to which an anonymised snapshot gives the same answer with other names.
ALIKE = (('devices',), ('ports',), ('gids',), ('netdevs',), ('caps',), ('resources',),
         ('resources', 'qp'), ('resources', 'cm_id'), ('topo', '--all'), ('roce',), ('cables',),
         ('counters', '--all'), ('doctor', '--all'))
MULTIPATH = '10.77.7.9'
# Counters and packet numbers move. Keys are never in a snapshot.
MOVING = {'value', 'rq_psn', 'sq_psn', 'free_user_contexts', 'user_contexts', 'values'}
KEYS = {'rkey', 'lkey', 'local_dma_lkey', 'unsafe_global_rkey'}
# Checks of the program's present surroundings: its own limits, libraries and device files.
OWN_CHECKS = {'memlock', 'nofile', 'provider', 'device-nodes', 'container-devices', 'shm',
              'hugepages', 'cpu-power', 'kernel-log', 'pstore'}
# Text that may differ in an anonymised snapshot: addresses, and names of hosts.
NAMED = re.compile(r'(?:[0-9a-f]{0,4}:){2,}[0-9a-f:.]*|(?:[0-9]{1,3}\.){3}[0-9]{1,3}|'
                   r'0x[0-9a-f]{12,}|host-[0-9a-f]{8}')


def still(value):
    """The value without keys and values that change, for comparisons."""
    if isinstance(value, dict):
        return {key: still(item) for key, item in value.items() if key not in MOVING | KEYS}
    if isinstance(value, list):
        return [still(item) for item in value]
    return value


def ask(words, *more):
    """The exit status, and the part of the document that does not change."""
    result = program.rdmactl(*more, '-j', *words)
    try:
        return result.status, still(json.loads(result.text()))
    except ValueError:
        return result.status, None


def differences(live, saved, path=''):
    """Differences between two documents, as lines."""
    if isinstance(live, dict) and isinstance(saved, dict):
        return [line for key in sorted(set(live) | set(saved))
                for line in differences(live.get(key), saved.get(key), '%s.%s' % (path, key))]
    if isinstance(live, list) and isinstance(saved, list) and len(live) == len(saved):
        return [line for number, (one, other) in enumerate(zip(live, saved))
                for line in differences(one, other, '%s[%d]' % (path, number))]
    # A next step from a snapshot says that it is for that host.
    found = saved.replace(' on that host', '') if isinstance(saved, str) else saved
    return [] if live == found else ['%s: live %r, snapshot %r' % (path, live, saved)]


def same(words, status, live, archive):
    saved_status, saved = ask(words, '--root', archive)
    return (unequal('exit status', saved_status, status) + differences(live, saved))[:12]


def tool(words, *more):
    # The output of old tools has tabs and their status differs: the program's rules do not apply.
    result = peers.run(program.RDMACTL, 'compat', *more, *words)
    return result.status, result.text(), result.complaint()


def same_tool(words, before, archive):
    """Only the next step may differ: a module cannot be loaded in a snapshot."""
    *answer, message = tool(words, '--root', archive)
    *before, said = before
    return [line for what, saved, live in zip(
        ('exit status', 'output', 'message'), (*answer, message.splitlines()[:1]),
        (*before, said.splitlines()[:1])) for line in unequal(what, saved, live)]


def metrics(*more):
    """The samples without their values, which change."""
    return sorted(line.rsplit(' ', 1)[0] for line in
                  program.rdmactl(*more, 'metrics').text().splitlines())


def same_metrics(before, archive):
    saved = metrics('--root', archive)
    return (['only live: ' + line for line in before if line not in saved] +
            ['only saved: ' + line for line in saved if line not in before])


def verdicts(document):
    """{(check, object): (verdict, summary)} for the checks that are not about this process."""
    return {(row['check'], row['object']): (row['verdict'], row['summary'])
            for row in document['doctor'] if row['check'] not in OWN_CHECKS}


def doctor(live, archive):
    """Verdicts and summaries of the live host that the snapshot does not repeat."""
    status, saved = ask(('doctor', '--all'), '--root', archive)
    if not live or not saved:
        return ['no answer: exit status %s' % status]
    wanted, found = verdicts(live), verdicts(saved)
    return ['%s %s: live %r, snapshot %r' % (*key, value, found.get(key))
            for key, value in wanted.items() if found.get(key) != value][:12]


def no_keys(before, root):
    """Keys that give access to memory are in the live answer, but not in the archive."""
    keys = {row['local_dma_lkey'] for row in before
            if int(row['local_dma_lkey'] or '0', 16)}
    with open(root + '/netlink/answers', encoding='ascii') as file:
        groups = file.read().split('\nend\n')
    # Only answers from RDMA netlink, where attributes have these numbers.
    text = '\n'.join(group for group in groups if 'ask 20 ' in group)
    wrong = [] if text.count('ask 20 ') > 20 else ['only %d requests' % text.count('ask 20 ')]
    for key in keys:
        number = int(key, 16).to_bytes(4, 'little').hex()
        # RDMA_NLDEV_ATTR_RES_LOCAL_DMA_LKEY (48), 8 bytes with its header.
        if '08003000' + number in text:
            wrong.append('the key %s is in the recording' % key)
    return wrong if keys else wrong + ['the live host shows no key to look for']


def guess(archive):
    """Which of two next hops is taken is unknown: there is an answer, and it is called a guess."""
    result = program.rdmactl('--root', archive, '-j', 'gids', '--to', MULTIPATH)
    document = json.loads(result.text())
    return (unequal('exit status', result.status, 3) +
            unequal('doubts', ['is a guess: the route has several next hops' in problem['error']
                               for problem in document['problems']], [True]) +
            unequal('entries', [row['selected'] for row in document['gids']].count(True), 1))


def holder(pid, archive):
    """A process that has ended since then still has its name."""
    document = program.parse('qps', (), program.rdmactl('--root', archive, '-j', 'resources', 'qp'))
    return unequal('command', {row['command'] for row in document.rows if row['pid'] == pid},
                   {'ibv_rc_pingpong'})


def older(root):
    """A snapshot without tables, as older releases took them, has only the neighbours' routes."""
    path = root + '/netlink/answers'
    with open(path, encoding='ascii') as file:
        head, body = file.read().split('\n', 1)
    # RTM_GETROUTE (26) with NLM_F_DUMP: the dumps of the tables.
    groups = [group for group in body.removesuffix('end\n').split('end\n')
              if not group.startswith('ask 0 26 76')]
    with open(path, 'w', encoding='ascii') as file:
        file.write(head + '\n' + ''.join(group + 'end\n' for group in groups))
    result = program.rdmactl('--root', root, 'gids', '--to', '192.0.2.77')
    wrong = unequal('exit status', result.status, 1)
    wrong += unequal('message', 'the snapshot does not hold the route to 192.0.2.77' in
                     result.complaint(), True)
    result = program.rdmactl('--root', root, 'gids', '--to', '10.9.0.2')
    wrong += unequal('exit status for a neighbour', result.status, 0)
    return wrong


def same_but_for_names(one, other, names, host, path=''):
    """Differences other than names; each name must become the same other name everywhere."""
    if isinstance(one, dict) and isinstance(other, dict) and set(one) == set(other):
        return [line for key in sorted(one)
                for line in same_but_for_names(one[key], other[key], names, host, '%s.%s' % (path, key))]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [line for number, pair in enumerate(zip(one, other))
                for line in same_but_for_names(*pair, names, host, '%s[%d]' % (path, number))]
    if not isinstance(one, str) or not isinstance(other, str):
        return [] if one == other else ['%s: %r, anonymised %r' % (path, one, other)]
    old = NAMED.findall(one.replace(host, 'host-00000000'))
    new = NAMED.findall(other)
    wrong = [] if (NAMED.sub('X', one.replace(host, 'X')) == NAMED.sub('X', other)) else [
        '%s: %r, anonymised %r' % (path, one, other)]
    for first, second in zip(old, new):
        if names.setdefault(first, second) != second:
            wrong.append('%s: %s became %s and %s' % (path, first, names[first], second))
    return wrong


def without_path(document, path):
    """The document with ROOT instead of the path that it was read from."""
    return json.loads(json.dumps(document).replace(path, 'ROOT'))


def unpack(archive, folder):
    peers.must('mkdir', '-p', folder)
    peers.must('tar', '-C', folder, '--zstd', '-xf', archive)
    return folder + '/rdmactl-snapshot'


def alike(tap, plain, other, host):
    """Compares each listing of the plain folder and the anonymised one."""
    names = {}
    for words in ALIKE:
        (status, first), (other_status, second) = (ask(words, '--root', plain),
                                                          ask(words, '--root', other))
        wrong = unequal('exit status', other_status, status)
        wrong += unequal('a document', first is not None, True)
        wrong += same_but_for_names(without_path(first, plain), without_path(second, other), names, host)
        tap.test('snapshot: %s is the same anonymised, but for names' % ' '.join(words), wrong[:12])
    changed = [name for name in names if names[name] != name]
    tap.test('snapshot: many names were replaced, no two by the same name',
             unequal('many', len(changed) > 6, True) +
             unequal('different', len(set(names.values())), len(names)))
    wrong = ['10.9.0.2 was not replaced']
    if '10.9.0.2' in names:
        _, first = ask(('gids', '--to', '10.9.0.2'), '--root', plain)
        _, second = ask(('gids', '--to', names['10.9.0.2']), '--root', other)
        wrong = same_but_for_names(without_path(first, plain), without_path(second, other), names, host)
    tap.test('snapshot: gids --to finds the same route to the replaced address of a neighbour', wrong)


def anonymised(tap, said, folder, archive, plain):
    """Except for names the answers are the same, and no original is left, as text or as bytes."""
    key, path = folder + '/key', folder + '/other.tar.zst'
    # The fixed key makes the same names in each run.
    with open(key, 'w', encoding='ascii') as file:
        file.write('the key of this scene\n')
    result = program.rdmactl('snapshot', path, '--anonymise', '--anonymise-key', key, '--root',
                             archive, timeout=SECONDS)
    tap.test('snapshot: --anonymise keeps all answers',
             result.describe() if result.status not in (0, 3) or 'answers' in result.complaint()
             else [])
    other = unpack(path, folder + '/other')
    alike(tap, plain, other, said['host'])
    result = peers.run('python3', ORIGINALS, plain, other, *said['addresses'], timeout=SECONDS)
    tap.test('snapshot: no original is in the anonymised snapshot, neither as text nor as bytes',
             result.text().splitlines()[:-1][:12] if result.status == 0 else result.describe())
    result = peers.run('python3', ORIGINALS, plain, plain, *said['addresses'], timeout=SECONDS)
    tap.test('snapshot: the same search finds the originals in the plain snapshot',
             [] if result.text().count('left: bytes') > 5 else result.describe()[:12])


def compare(tap, where):
    """Compares the guest's answers in the directory `where` with the snapshot next to them."""
    archive = os.path.join(where, ARCHIVE)
    with open(os.path.join(where, SAID), encoding='ascii') as file:
        said = json.load(file)
    for words, status, live in said['commands']:
        tap.test('snapshot: %s is the same as on the live host' % ' '.join(words),
                 same(words, status, live, archive))
    for words, *before in said['tools']:
        tap.test('snapshot: %s is the same as on the live host' % ' '.join(words),
                 same_tool(words, before, archive))
    tap.test('snapshot: metrics have the same samples as on the live host',
             same_metrics(said['metrics'], archive))
    tap.test('snapshot: doctor has the same verdicts as on the live host', doctor(said['doctor'], archive))
    tap.test('snapshot: a process that has ended still has its name', holder(said['pid'], archive))
    tap.test('snapshot: a guess is called a guess', guess(archive))
    with tempfile.TemporaryDirectory() as folder:
        plain = unpack(archive, folder + '/plain')
        tap.test('snapshot: it contains no memory key', no_keys(said['pds'], plain))
        anonymised(tap, said, folder, archive, plain)
        tap.test('snapshot: without tables, it says which route it does not have', older(plain))
