# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""How queue pairs are counted, compared with `rdma` in both directions; and filters like those
of `rdma`."""

import signal

import peers
import program
from scene_change import change, states
from scene_resources import Traffic, listing
from tap import unequal


def shown(name, *words, **options):
    return program.parse(name, words, program.rdmactl('-j', *words, **options))


def modes(*words):
    """Mode and properties of each port, from our table."""
    return {row['object']: (row['mode'], row['by'])
            for row in shown('qp_counting', 'counters', 'mode', *words).rows}


def theirs(port):
    """The mode of one port, in the words of rdma."""
    return peers.must('rdma', 'statistic', 'qp', 'mode', 'link', port).text().strip()


def complain(row, *texts):
    """The texts that a row should give about its failure, and does not."""
    said = '%s | %s' % (row['reason'], row['next_step'])
    return [] if all(text in said for text in texts) else [said]


def automatic(tap):
    wrong = unequal('at first', modes(), {'rxa/1': ('none', None), 'rxb/1': ('none', None)})
    plan = change('counters', 'auto', 'rxa/1', 'pid,type', '--dry-run')
    wrong += unequal('plan', (plan.status, states(plan), plan.rows[0]['wanted']),
                     (0, ['planned'], 'type,pid'))
    wrong += unequal('after the plan', modes('rxa/1'), {'rxa/1': ('none', None)})
    tap.test('counters auto: --dry-run changes nothing', wrong)
    wrong = []
    for value, words, by in (('type', 'auto type on', ['type']), ('pid', 'auto pid on', ['pid']),
                             ('type,pid', 'auto type,pid on', ['type', 'pid'])):
        done = change('counters', 'auto', 'rxa/1', value)
        if states(done) == ['failed']:  # Linux 5.10
            wrong += complain(done.rows[0], 'only via off',
                              'rdmactl counters auto rxa/1 off, and then ' + value)
            change('counters', 'auto', 'rxa/1', 'off')
            done = change('counters', 'auto', 'rxa/1', value)
        wrong += unequal(value, (done.status, states(done), done.changed), (0, ['changed'], True))
        wrong += unequal('undo', done.rows[0]['undo'],
                         'rdmactl counters auto rxa/1 %s' % done.rows[0]['before'])
        wrong += [] if words in theirs('rxa/1') else [theirs('rxa/1')]
        wrong += unequal('mode', modes('rxa'), {'rxa/1': ('auto', by)})
        again = change('counters', 'auto', 'rxa/1', value)
        wrong += unequal('again', (again.status, states(again), again.changed),
                         (0, ['unchanged'], False))
    notes = done.rows[0]['notes']
    wrong += [] if any('cannot count per queue pair' in note for note in notes) else notes
    tap.test('counters auto: rdma shows our settings; a note that rxe does not count', wrong)
    peers.must('rdma', 'statistic', 'qp', 'set', 'link', 'rxb/1', 'auto', 'pid', 'on')
    wrong = unequal('mode', modes('rxb'), {'rxb/1': ('auto', ['pid'])})
    peers.must('rdma', 'statistic', 'qp', 'set', 'link', 'rxb/1', 'auto', 'off')
    wrong += unequal('off', modes('rxb'), {'rxb/1': ('none', None)})
    tap.test('counters mode: ours shows the settings of rdma', wrong)
    refused = change('counters', 'auto', 'rxa/1', 'off', prefix=peers.NOBODY)
    plain = modes('rxa')
    tap.test('counters auto: without privilege: refused, naming the capability; anybody may look',
             unequal('status', (refused.status, states(refused)), (1, ['refused'])) +
             complain(refused.rows[0], 'CAP_NET_ADMIN in the initial user namespace') +
             unequal('mode', plain, {'rxa/1': ('auto', ['type', 'pid'])}))


def bound(tap, traffic_qpn):
    """rxe makes no counters: each refusal is explained."""
    in_auto = change('counters', 'bind', 'rxa/1', 'lqpn', str(traffic_qpn))
    wrong = unequal('auto mode', (in_auto.status, states(in_auto)), (1, ['failed']))
    wrong += complain(in_auto.rows[0], 'in auto mode', 'rdmactl counters auto rxa/1 off')
    off = change('counters', 'auto', 'rxa/1', 'off')
    wrong += unequal('off', (off.status, states(off)), (0, ['changed']))
    wrong += unequal('mode', modes('rxa'), {'rxa/1': ('none', None)})
    none = change('counters', 'bind', 'rxa/1', 'lqpn', '9999999')
    wrong += unequal('no such queue pair', (none.status, states(none)), (1, ['failed']))
    wrong += complain(none.rows[0], 'rxa has no queue pair 9999999')
    rxe = change('counters', 'bind', 'rxa/1', 'lqpn', str(traffic_qpn))
    wrong += unequal('rxe', (rxe.status, states(rxe)), (1, ['failed']))
    wrong += complain(rxe.rows[0], 'cannot count per queue pair')
    unbound = change('counters', 'unbind', 'rxa/1', 'lqpn', str(traffic_qpn))
    wrong += unequal('not bound', (unbound.status, states(unbound)), (0, ['unchanged']))
    nothing = change('counters', 'unbind', 'rxa/1', 'counter-id', '7')
    wrong += unequal('no such counter', nothing.status, 5)
    tap.test('counters bind, unbind: refusals are explained', wrong)
    for word, schema in (('qp', 'qp_counters'), ('mr', 'mr_counters')):
        document = shown(schema, 'counters', word)
        tap.test('counters %s: rxe has none: status 5 and the next step' % word,
                 unequal('status', (document.status, document.rows), (5, [])) +
                 ([] if document.problems[0]['hint'] else document.problems))


def filters(tap):
    """Compares the objects selected by --where with those selected by the filters of rdma."""
    qps = [row for row in listing('qp').rows if row['type'] == 'rc']
    ids = [row for row in listing('cm_id').rows if row['remote_ip']]
    mrs, cqs = listing('mr').rows, listing('cq').rows
    some = qps[0]
    cases = [
        ('qp', 'lqpn', str(some['qpn'])),
        ('qp', 'lqpn', '%d-%d' % (some['qpn'], some['qpn'] + 2)),
        ('qp', 'lqpn', '%d,%d' % (qps[0]['qpn'], qps[-1]['qpn'])),
        ('qp', 'rqpn', str(some['remote_qpn'])),
        ('qp', 'pid', str(some['thread'])),
        ('qp', 'pdn', str(some['pdn'])),
        ('qp', 'type', 'RC'),
        ('qp', 'type', 'GSI'),
        ('qp', 'state', 'RTS'),
        ('qp', 'state', 'RESET'),
        ('cm_id', 'state', 'LISTEN'),
        ('cm_id', 'src-addr', ids[0]['local_ip']),
        ('cm_id', 'dst-port', str(ids[0]['remote_port'])),
        ('mr', 'mrn', str(mrs[0]['mrn'])),
        ('mr', 'mrlen', str(mrs[0]['length_bytes'])),
        ('cq', 'cqn', str(cqs[0]['cqn'])),
        ('cq', 'users', '2'),
        ('pd', 'users', '1-4'),
    ]
    key = {'qp': ('qpn', 'lqpn'), 'cm_id': ('cm_idn', 'cm-idn'), 'mr': ('mrn', 'mrn'),
           'cq': ('cqn', 'cqn'), 'pd': ('pdn', 'pdn')}
    wrong, found = [], 0
    for kind, field, value in cases:
        ours_key, theirs_key = key[kind]
        word = {'pid': 'thread'}.get(field, field)
        document = listing(kind, '--where', '%s=%s' % (word, value.lower()))
        place = ('link', 'rxa/1') if kind in ('qp', 'cm_id') else ('dev', 'rxa')
        rows = peers.rdma('res', 'show', kind, *place, field, value)
        # The GSI queue pairs of Linux 5.10 have no port.
        ours = sorted(row[ours_key] for row in document.rows
                      if row['device'] == 'rxa' and (place[0] == 'dev' or row['port'] == 1))
        wrong += unequal('%s %s=%s' % (kind, field, value), ours,
                         sorted(row[theirs_key] for row in rows))
        found += len(rows)
    tap.test('resources --where: the same objects as rdma with the same filter', wrong,
             ['%d objects by %d filters' % (found, len(cases))])
    both = listing('qp', '--where', 'state=rts,type=rc,device=rxb,command=rping')
    wrong = unequal('several', {(row['device'], row['command']) for row in both.rows},
                    {('rxb', 'rping')})
    kernel = listing('qp', '--where', 'pid=-,command=ib_core')
    wrong += unequal('the kernel', {row['kernel'] for row in kernel.rows}, {True})
    wrong += unequal('driver', {row['driver'] is None for row in kernel.rows}, {True})
    tap.test('resources --where: several fields, unknown values', wrong)
    result = program.rdmactl('resources', 'qps')
    tap.test('resources qps: did you mean qp?',
             unequal('status', result.status, 5) +
             ([] if "did you mean 'qp'?" in result.complaint() else result.describe()))


def raw(tap):
    """rxe has no records; the kernel checks the capability first."""
    words = ('resources', 'qp', '--raw', '--where', 'type=rc,device=rxa', '--limit', '2')
    document = shown('qp_contexts', *words)
    wrong = unequal('status', (document.status, len(document.rows)), (3, 2))
    wrong += ['%s' % row for row in document.rows if row['raw'] or row['retries'] is not None or
              row['state'] != 'rts']
    wrong += [problem for problem in document.problems
              if 'provides no such records' not in problem['hint']]
    tap.test('resources qp --raw: rxe has no record: the rows have the data of the kernel', wrong)
    document = shown('qp_contexts', *words, prefix=peers.NOBODY)
    tap.test('resources qp --raw: without privilege: the capability is named',
             unequal('status', document.status, 3) +
             [problem for problem in document.problems if 'CAP_NET_ADMIN' not in problem['hint']])


def iwarp(tap):
    """siw has no counters at all: the kernel refuses, and the reason is explained."""
    if peers.run('/bin/sh', '-c', '. "$RDMACTL_VM_DIR/bed.sh" && bed_siw').status != 0:
        tap.skip('counters auto: siw', 'siw is not built for this kernel')
        return
    done = change('counters', 'auto', 'swa/1', 'pid')
    tap.test('counters auto: siw: refused by the kernel, with the reason',
             unequal('status', (done.status, states(done)), (1, ['failed'])) +
             complain(done.rows[0], 'swa/1 has no counters of its own') +
             unequal('mode', modes('swa'), {'swa/1': ('none', None)}))
    for device in ('swa', 'swb'):
        peers.must('rdma', 'link', 'del', device)
    peers.must('rmmod', 'siw')


def play(tap):
    peers.shell('bed_wire')
    traffic = Traffic()
    try:
        tap.test('change-qp: (traffic flows)', [] if traffic.ready() else 'it does not')
        traffic.signal(signal.SIGSTOP)
        qpn = next(row['qpn'] for row in listing('qp', 'rxa').rows
                   if row['command'] == 'ibv_rc_pingpong')
        filters(tap)
        raw(tap)
        automatic(tap)
        bound(tap, qpn)
        watched = shown('qp_counters', 'counters', 'qp', '--watch', '--count', '2', '-i', '100ms')
        tap.test('counters qp --watch: nothing is counted, and it ends',
                 unequal('status', (watched.status, watched.rows), (0, [])))
    finally:
        traffic.signal(signal.SIGCONT)
        traffic.end()
    iwarp(tap)
