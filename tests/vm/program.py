# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Runs the program under test and checks each run against the rules for all runs."""

import json
import os
import re

import peers

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RDMACTL = os.path.join(TOP, os.environ.get('RDMACTL') or 'build/rdmactl')
# Reason to skip tests that need a program of VM_PROGRAMS (tests.mk).
NOT_BUILT = 'the programs of tests/vm are not built'
LISTINGS = ('devices', 'ports', 'gids', 'pkeys', 'netdevs', 'caps')

# Errors of the runs so far; emptied by violations().
_violations = []
_schemas = {}


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
    found, _violations[:] = list(_violations), []
    return found


def _violate(result, what):
    _violations.append('%s (%s)' % (what, ' '.join(result.argv)))


def _check_text(result, name, data, tabs):
    allowed = b'\n\t' if tabs else b'\n'
    bad = sorted({byte for byte in data if (byte < 32 and byte not in allowed) or byte == 127})
    if bad:
        _violate(result, '%s holds control bytes %s' % (name, ['0x%02x' % byte for byte in bad]))
    try:
        data.decode('utf-8')
    except UnicodeDecodeError as error:
        _violate(result, '%s is not UTF-8: %s' % (name, error))


def check(result):
    """Checks a run against the rules for all runs; rdmactl() calls this."""
    if result.status not in range(6):
        _violate(result, 'exit status %s: %s' % (result.status, result.complaint()[-2000:]))
    if re.search('AddressSanitizer|LeakSanitizer|runtime error:', result.complaint()):
        _violate(result, 'a sanitizer complained: %s' % result.complaint()[-2000:])
    tabs = {'--tsv', 'completion', '__complete', '--format'} & set(result.argv)
    _check_text(result, 'standard output', result.out, tabs)
    _check_text(result, 'standard error', result.err, False)


def rdmactl(*words, **options):
    result = peers.run(RDMACTL, *words, **options)
    check(result)
    return result


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


# The part of JSON Schema that `rdmactl schema` uses; other keywords are errors.

ANNOTATIONS = {'$schema', '$id', 'title', 'description'}
TYPES = {'object': dict, 'array': list, 'string': str, 'boolean': bool, 'null': type(None),
         'integer': int, 'number': (int, float)}


def _is_type(value, name):
    if isinstance(value, bool):
        return name == 'boolean'
    return isinstance(value, TYPES[name])


def _keyword(name, wanted, value, whole, where):
    if name == 'type':
        names = wanted if isinstance(wanted, list) else [wanted]
        if not any(_is_type(value, name) for name in names):
            yield '%s is %r, not %s' % (where, value, '/'.join(names))
    elif name == 'const':
        if value != wanted:
            yield '%s is %r, not %r' % (where, value, wanted)
    elif name == 'enum':
        if value not in wanted:
            yield '%s is %r, not one of %s' % (where, value, wanted)
    elif name == 'anyOf':
        if all(list(errors(value, one, where)) for one in wanted):
            yield '%s is %r, none of what it may be' % (where, value)
    elif name == 'pattern':
        if isinstance(value, str) and not re.search(wanted, value):
            yield '%s is %r, which does not match %s' % (where, value, wanted)
    elif name == 'minimum':
        if isinstance(value, (int, float)) and value < wanted:
            yield '%s is %r, less than %r' % (where, value, wanted)
    elif name == 'required':
        for key in wanted if isinstance(value, dict) else ():
            if key not in value:
                yield '%s has no %s' % (where, key)
    elif name == 'properties':
        for key in wanted if isinstance(value, dict) else ():
            if key in value:
                yield from errors(value[key], wanted[key], where + '.' + key)
    elif name == 'additionalProperties':
        for key in value if isinstance(value, dict) and wanted is False else ():
            if key not in whole.get('properties', {}):
                yield '%s has %s, which is not in the schema' % (where, key)
    elif name == 'items':
        for number, item in enumerate(value if isinstance(value, list) else ()):
            yield from errors(item, wanted, '%s[%d]' % (where, number))
    elif name not in ANNOTATIONS:
        yield 'the schema has the keyword %s, which this test does not know' % name


def errors(value, whole, where):
    for name, wanted in whole.items():
        yield from _keyword(name, wanted, value, whole, where)


def schema(*words):
    if words not in _schemas:
        _schemas[words] = json.loads(rdmactl('schema', *words).out)
    return _schemas[words]


def validate(result, document, command, words):
    extra = ('-o', '+selected,why') if command == 'gids' and '--to' in words else ()
    found = list(errors(document, schema(command, *extra), command))
    for error in found[:5]:
        _violate(result, error)
    if document.get('problems') and result.status == 0:
        _violate(result, 'exit status 0 with problems')
    if result.status == 3 and not document.get('problems'):
        _violate(result, 'exit status 3 without problems')
    # Each problem must also be a line on standard error.
    for problem in document.get('problems', []):
        if problem['error'] and problem['error'] not in result.complaint():
            _violate(result, 'problem not on standard error: %s' % problem)
