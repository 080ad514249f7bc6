# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Routes found in dumps of the tables are the kernel's: random hosts, each a network namespace."""

import collections

import peers
import program
import routes

HOSTS = 12
QUESTIONS = 250
# Where the answer from the tables is called a guess, the kernel may decide otherwise, but rarely.
MOST_WRONG_GUESSES = 0.05
# The kernel refuses some of the lines, and should.
MAKE = 'for family in 4 6; do ip -$family -force -batch "$1/routes.$family"; done >/dev/null 2>&1; exec "$0"'


def ask(agree, seed, several, rules):
    """Returns the result of fib_agree, and its line for each question."""
    for family, text in routes.batches(routes.host(seed, several, rules)).items():
        with open('/run/routes.%d' % family, 'w', encoding='ascii') as file:
            file.write(text)
    result = peers.run('unshare', '-n', 'sh', '-c', MAKE, agree, '/run', timeout=120,
                       stdin=('\n'.join(routes.destinations(seed, QUESTIONS)) + '\n').encode())
    return result, [line.split('\t') for line in result.text().splitlines()]


def judge(lines, met):
    wrong = []
    for line in lines:
        met[line[0]] += 1
        if line[0] == 'differ':
            wrong.append('%s: kernel %s, tables %s' % tuple(line[1:4]))
    return wrong


def play(tap):
    agree = program.built('fib_agree')
    if not agree:
        tap.test('routes: the program that compares is built', 'it is not: make check-vm')
        return
    met = collections.Counter()
    kinds = set()
    wrong = []
    for seed in range(HOSTS):
        result, lines = ask(agree, seed, seed % 3 == 2, seed % 4 != 0)
        if result.status or len(lines) != QUESTIONS:
            wrong += result.describe()
        wrong += ['host %d: %s' % (seed, line) for line in judge(lines, met)]
        kinds.update(line[2] for line in lines)
    tap.test('routes: %d lookups on %d random hosts' % (HOSTS * QUESTIONS, HOSTS), wrong)
    tap.say(', '.join('%s %d' % item for item in sorted(met.items())))
    # A host whose routes were all refused would agree as well.
    tap.test('routes: there are many different answers', [] if len(kinds) > 60 else str(len(kinds)))
    tap.test('routes: guesses are marked as such, and mostly right',
             [] if met['agree-guess'] and met['guess'] < sum(met.values()) * MOST_WRONG_GUESSES
             else str(dict(met)))
