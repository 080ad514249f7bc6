# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Runs the program under test and checks each run against the rules that apply to all runs."""

import functools
import json
import os
import re
import sys
import threading

import peers

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(TOP, 'tests'))
import many

RDMACTL = os.path.join(TOP, os.environ.get('RDMACTL') or 'build/rdmactl')
# Reason for skipping tests that need a program of VM_PROGRAMS (tests.mk).
NOT_BUILT = 'the programs of tests/vm are not built'
NO_CONTROL = bytes(byte for byte in range(256) if byte >= 32 and byte != 127)
LISTINGS = ('devices', 'ports', 'gids', 'pkeys', 'netdevs', 'caps')
# These change their process: its privileges, limits, signals or processors.
CHANGES_PROCESS = {'--serve', 'events', 'mesh', 'metrics', 'selftest', 'snapshot', 'top'}

# Errors of the runs so far; emptied by violations().
_violations = []
# The process of the program with sanitizers that runs the commands of a scene.
_process = None
_schemas = {}


@functools.cache
def is_sanitized(path):
    with open(path, 'rb') as file:
        return b'__asan_init' in file.read()


def plain_binary():
    """The build without sanitizers, for measuring; None if there is none."""
    for path in (RDMACTL, RDMACTL.replace('/asan/', '/')):
        if os.path.exists(path) and not is_sanitized(path):
            return path
    return None


def built(name):
    """A program of tests.mk's VM_PROGRAMS; None if it is not there."""
    top = os.path.dirname(RDMACTL).removesuffix('/asan')
    path = os.path.join(top, 'vm', name)
    return path if os.path.exists(path) else None


def violations():
    end_process()
    found, _violations[:] = list(_violations), []
    return found


def _violate(result, what):
    _violations.append('%s (%s)' % (what, ' '.join(result.argv)))


def _check_text(result, name, data, tabs):
    bad = sorted(set(data.translate(None, NO_CONTROL + (b'\n\t' if tabs else b'\n'))))
    if bad:
        _violate(result, '%s holds control bytes %s' % (name, ['0x%02x' % byte for byte in bad]))
    try:
        data.decode('utf-8')
    except UnicodeDecodeError as error:
        _violate(result, '%s is not UTF-8: %s' % (name, error))


def check(result):
    """Checks a run against the rules that apply to all runs; called by rdmactl()."""
    if result.status not in range(6):
        _violate(result, 'exit status %s: %s' % (result.status, result.complaint()[-2000:]))
    if re.search('AddressSanitizer|LeakSanitizer|runtime error:', result.complaint()):
        _violate(result, 'a sanitizer complained: %s' % result.complaint()[-2000:])
    tabs = {'--tsv', 'completion', '__complete', '--format'} & set(result.argv)
    _check_text(result, 'standard output', result.out, tabs)
    _check_text(result, 'standard error', result.err, False)


def rdmactl(*words, **options):
    """Runs the program. The program with sanitizers does so in one process (tests/many.c), whose
    start would take five times longer than most commands, unless that could make a difference."""
    alone = options or CHANGES_PROCESS.intersection(words) or not is_sanitized(RDMACTL) or \
        any('\t' in word or '\n' in word for word in words) or \
        threading.current_thread() is not threading.main_thread()
    result = peers.run(RDMACTL, *words, **options) if alone else _run_in_process(words)
    check(result)
    return result


def _run_in_process(words):
    global _process
    argv = [RDMACTL, *words]
    if not _process:
        _process = many.Many(RDMACTL)
        _process.start()
    try:
        done = _process.run(*words, patience=peers.PATIENCE)
    except ChildProcessError as error:
        _process = None
        return peers.Result(argv, 'none: it crashed', b'', str(error).encode())
    return peers.Result(argv, done.status, done.out, done.err)


def end_process():
    """Ends the process of the commands so far, which reports what they leaked. A device that has
    been renamed requires this, because libibverbs keeps the names that it has found."""
    global _process
    process, _process = _process, None
    status, errors = process.end() if process else (0, '')
    if status:
        _violations.append('commands in one process end with status %s: %s' % (status, errors))


class Document:
    """The parsed output of `rdmactl -j COMMAND ...`."""

    def __init__(self, command, result, document):
        self.result = result
        self.status = result.status
        self.rows = document.get(command, [])
        self.problems = document.get('problems', [])
        self.changed = document.get('changed')

    def by(self, *keys):
        """Rows by the values of these keys: one value, or a tuple."""
        if len(keys) == 1:
            return {row[keys[0]]: row for row in self.rows}
        return {tuple(row[key] for key in keys): row for row in self.rows}

    def describe(self):
        return self.result.describe() + [json.dumps(problem) for problem in self.problems[:6]]


def listing(command, *words, **options):
    return parse(command, words, rdmactl('-j', command, *words, **options))


def parse(command, words, result):
    """Parses the output of `rdmactl -j COMMAND WORDS` and checks it against its schema."""
    try:
        document = json.loads(result.out.decode('utf-8'))
    except ValueError as error:
        _violate(result, 'no JSON: %s: %r' % (error, result.out[:200]))
        return Document(command, result, {})
    validate(result, document, command, words)
    return Document(command, result, document)


# The part of JSON Schema that `rdmactl schema` uses; other keywords are errors. A schema is
# converted to functions once, because in a guest a test would otherwise spend most of its time
# walking through it. Such a function takes a value and returns a list of (place within the value,
# error).

ANNOTATIONS = {'$schema', '$id', 'title', 'description'}
# Python types that json.loads() returns for each type; a number may be an integer, and a boolean is
# neither.
TYPES = {'object': {dict}, 'array': {list}, 'string': {str}, 'boolean': {bool}, 'null': {type(None)},
         'integer': {int}, 'number': {int, float}}
FINE = ()
_checks = {}


def _type(wanted):
    names = wanted if isinstance(wanted, list) else [wanted]
    types = frozenset().union(*(TYPES[name] for name in names))
    return lambda value: FINE if type(value) in types else [
        ('', 'is %r, not %s' % (value, '/'.join(names)))]


def _const(wanted):
    return lambda value: FINE if value == wanted else [('', 'is %r, not %r' % (value, wanted))]


def _enum(wanted):
    return lambda value: FINE if value in wanted else [('', 'is %r, not one of %s' % (value, wanted))]


def _any_of(wanted):
    checks = [_check(one) for one in wanted]
    return lambda value: [('', 'is %r, which matches no alternative' % (value,))] if all(
        check(value) for check in checks) else FINE


def _pattern(wanted):
    search = re.compile(wanted).search
    return lambda value: [('', 'is %r, which does not match %s' % (value, wanted))] if isinstance(
        value, str) and not search(value) else FINE


def _minimum(wanted):
    return lambda value: [('', 'is %r, less than %r' % (value, wanted))] if isinstance(
        value, (int, float)) and value < wanted else FINE


def _required(wanted):
    return lambda value: [('', 'has no %s' % key) for key in wanted if key not in value] if isinstance(
        value, dict) else FINE


def _unknown(_):
    """Readers of newer programs must expect more keys, but the program tested here is not newer."""
    return [('', 'is not in the schema')]


def _below(name, found):
    return [(name + where, what) for where, what in found]


def _properties(wanted):
    checks = {key: _check(one) for key, one in wanted.items()}
    fine = set()  # pairs of a key and a text or null that have passed: most rows have the same ones

    def properties(value):
        found = FINE
        for pair in value.items() if isinstance(value, dict) else ():
            key, item = pair
            known = item is None or type(item) is str
            if known and pair in fine:
                continue
            wrong = checks.get(key, _unknown)(item)
            if wrong:
                found = [*found, *_below('.' + key, wrong)]
            elif known:
                fine.add(pair)
        return found
    return properties


def _items(wanted):
    check = _check(wanted)

    def items(value):
        found = FINE
        for number, item in enumerate(value if isinstance(value, list) else ()):
            wrong = check(item)
            if wrong:
                found = [*found, *_below('[%d]' % number, wrong)]
        return found
    return items


KEYWORDS = {'type': _type, 'const': _const, 'enum': _enum, 'anyOf': _any_of, 'pattern': _pattern,
            'minimum': _minimum, 'required': _required, 'properties': _properties,
            'items': _items}


def _check(whole):
    """Returns the function that checks a value against this schema."""
    for name in whole.keys() - KEYWORDS.keys() - ANNOTATIONS:
        wrong = [('', 'has a schema with the keyword %s, which this test does not know' % name)]
        return lambda value: wrong
    checks = [KEYWORDS[name](wanted) for name, wanted in whole.items() if name in KEYWORDS]
    if len(checks) == 1:
        return checks[0]

    def check(value):
        found = FINE
        for one in checks:
            wrong = one(value)
            if wrong:
                found = [*found, *wrong]
        return found
    return check


def errors(value, whole, where):
    """Errors of a value by this schema, which must not change."""
    if id(whole) not in _checks:
        _checks[id(whole)] = (whole, _check(whole))  # keeps the schema alive, and so its id
    return ['%s%s %s' % (where, inside, what) for inside, what in _checks[id(whole)][1](value)]


def schema(*words):
    if words not in _schemas:
        _schemas[words] = json.loads(rdmactl('schema', *words).out)
    return _schemas[words]


def validate(result, document, command, words):
    added = ['selected,why'] if command == 'gids' and '--to' in words else []
    added += [columns[1:] for option, columns in zip(words, words[1:]) if option == '-o' and columns[:1] == '+']
    extra = ('-o', '+' + ','.join(added)) if added else ()
    for error in errors(document, schema(command, *extra), command)[:5]:
        _violate(result, error)
    if document.get('problems') and result.status == 0:
        _violate(result, 'exit status 0 with problems')
    if result.status == 3 and not document.get('problems'):
        _violate(result, 'exit status 3 without problems')
    # Each problem must also be a line on standard error.
    for problem in document.get('problems', []):
        if problem['error'] and problem['error'] not in result.complaint():
            _violate(result, 'problem not on standard error: %s' % problem)
