# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Runs a tool and its personality one after the other: the bytes and the status must be the same.

Intended differences are in the table, by name and with a reason, and every suite prints those that
it met. Any other difference is an error.
"""

import functools
import os
import re
import shlex
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
RDMACTL = os.path.join(TOP, os.environ.get('RDMACTL') or 'build/rdmactl')
TOOLS = sorted(name[:-len('.args')] for name in os.listdir(HERE) if name.endswith('.args'))

STAND_INS = {'show_gids': os.path.join(TOP, 'tests/vm/show_gids')}

DIFFERENCES = {
    'controls': 'no byte of a name or text controls the terminal',
    'release': 'the tool is of a release of rdma-core that is not imitated',
}

# The releases of rdma-core that personalities imitate, and the tools of which these differ.
IMITATED = ('44', '65')
CHANGED = ('ibaddr', 'ibstat', 'ibv_devinfo')

# Runs the personalities if they need no options: a many.Many with environment().
PROCESS = None

_met = {}
_compared = [0]


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def key(self):
        return (self.status, re.sub(rb'(?m)^([^\n]*: iberror: \[pid )\d+\]', rb'\1PID]', self.out),
                re.sub(rb'(?m)^(ib(?:warn|panic): \[)\d+\]', rb'\1PID]', self.err))


def arguments(tool, devices, others=None):
    """The argument lists of a tool for a machine with these devices; `others` is {word: value}."""
    first, second = (list(devices) + ['nosuch0', 'nosuch0'])[:2] if devices else ('nosuch0',) * 2
    if len(devices) == 1:
        second = first
    lists = []
    with open(os.path.join(HERE, tool + '.args'), encoding='utf-8') as file:
        for line in file:
            if line.startswith('#'):
                continue
            words = [(others or {}).get(word, word) for word in shlex.split(line)]
            lists.append([re.sub(r'\bDEV2\b', lambda _: second,
                                 re.sub(r'\bDEV\b', lambda _: first, word)) for word in words])
    return lists


@functools.cache
def real(tool):
    """The path of the tool itself, or of our copy if it is not packaged; or None."""
    if tool in STAND_INS:
        return STAND_INS[tool]
    path = os.environ.get('PATH', '') + ':/usr/sbin:/sbin'
    return shutil.which(tool, path=path)


@functools.cache
def release():
    """The release of rdma-core that the tools are of, '44'; or None."""
    path = real('ibstat')
    found = path and re.search(rb'BUILD VERSION: (\d+)', subprocess.run(
        [path, '-V'], capture_output=True, stdin=subprocess.DEVNULL, timeout=300, check=False).stderr)
    return found[1].decode() if found else None


def environment():
    return dict(os.environ, RDMACTL_COMPAT=release() if release() in IMITATED else '44', LC_ALL='C')


def run(program, tool, words, prefix=(), **options):
    """Runs `program` under the path of the tool, which messages begin with."""
    path = real(tool) or tool
    if program == RDMACTL and PROCESS and not prefix and not options:
        done = PROCESS.run(*words, name=path, patience=300)
        return Result(done.status, done.out, done.err)
    if program == path or not prefix:
        argv, executable = [path, *words], None if prefix else program
    else:
        # The prefix determines what is executed, so exec -a sets the name.
        argv, executable = ['/bin/bash', '-c', 'exec -a "$0" "$@"', path, program, *words], None
    done = subprocess.run([*prefix, *argv], executable=executable, capture_output=True,
                          env=environment(), stdin=subprocess.DEVNULL, timeout=300, **options)
    return Result(done.returncode, done.stdout, done.stderr)


def first_difference(name, ours, theirs):
    ours, theirs = (text.decode('utf-8', 'backslashreplace').split('\n') for text in (ours, theirs))
    for number in range(max(len(ours), len(theirs))):
        lines = [side[number] if number < len(side) else '(nothing)' for side in (theirs, ours)]
        if lines[0] != lines[1]:
            return ['%s, line %d: the tool: %r' % (name, number + 1, lines[0]),
                    '%s, line %d: rdmactl:  %r' % (name, number + 1, lines[1])]
    return []


def compare(tool, words, where, excuse=None, **options):
    """A line for each difference; `excuse` names the one in the table if it is intended."""
    theirs = run(real(tool), tool, words, **options)
    ours = run(RDMACTL, tool, words, **options)
    return judge(tool, words, where, ours, theirs, excuse)


def controls(_tool, _words, ours, theirs):
    """Excuses control bytes that are shown as \\xNN."""
    shown = (re.sub(rb'[\x00-\x08\x0b-\x1f\x7f]', lambda byte: b'\\x%02x' % byte[0][0], text)
             for text in theirs.key()[1:])
    return 'controls' if ours.key() == (theirs.status, *shown) else None


def judge(tool, words, where, ours, theirs, excuse=None):
    """Like compare(), for two results that already exist."""
    _compared[0] += 1
    if ours.key() == theirs.key():
        return []
    name = excuse(tool, words, ours, theirs) if excuse else None
    if tool in CHANGED and release() not in IMITATED:
        name = 'release'
    if name:
        assert name in DIFFERENCES, name
        _met.setdefault(name, []).append('%s: %s' % (where, shlex.join([tool, *words])))
        return []
    wrong = ['%s: %s' % (where, shlex.join([tool, *words]))]
    if ours.status != theirs.status:
        wrong.append('exit status: the tool %d, rdmactl %d' % (theirs.status, ours.status))
    return (wrong + first_difference('standard output', ours.key()[1], theirs.key()[1]) +
            first_difference('standard error', ours.key()[2], theirs.key()[2]))


def compared():
    return _compared[0]


def summary():
    """The count, and each difference that was met with its reason."""
    yield '%d triples of tool, arguments and machine compared, %d differ' % (
        _compared[0], sum(len(places) for places in _met.values()))
    for name, places in _met.items():
        yield '%s (%d times, first %s): %s' % (name, len(places), places[0], DIFFERENCES[name])


def taken():
    """The comparisons since the last call, for add() in another process."""
    found = _compared[0], dict(_met)
    _compared[0] = 0
    _met.clear()
    return found


def add(number, met):
    """Adds the comparisons of another process."""
    _compared[0] += number
    for name, places in met.items():
        _met.setdefault(name, []).extend(places)
