# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The changes that tests/mutate plants: which kinds there are, and where each can be made."""

import collections
import fnmatch
import os
import random
import re
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Each kind: its name, the expression that finds it, and the replacement.
KINDS = (
    ('boundary', r'(?<![<>=!-])(<=?|>=?)(?![<>=])', {'<': '<=', '<=': '<', '>': '>=', '>=': '>'}),
    ('equality', r'(?<![<>=!])(==|!=)(?!=)', {'==': '!=', '!=': '=='}),
    ('arithmetic', r'(?<=[\w)\]] )([+-])(?= [\w(])', {'+': '-', '-': '+'}),
    ('logic', r'(&&|\|\|)', {'&&': '||', '||': '&&'}),
    ('negation', r'(?<=[( ])(!)(?=[\w(])', {'!': ''}),
    ('truth', r'\b(true|false)\b', {'true': 'false', 'false': 'true'}),
    ('number', r'(?<![\w.x"])(\d{1,4})(?![\w.x"%])', lambda text: str(int(text) + 1)),
    ('bits', r'(?<=[\w)\]] )(&|\||<<|>>)(?= [\w(~])', {'&': '|', '|': '&', '<<': '>>', '>>': '<<'}),
    ('loop', r'\b(break|continue);', {'break;': 'continue;', 'continue;': 'break;'}),
    ('result', r'\breturn ([^;]+);', lambda text: '0' if text != '0' else '-1'),
    ('statement', r'^\t+((?!return|break|continue|goto|else|case|free|_cleanup_)'
                  r'[a-z_]\w*(?:->|\.|\(|\[| [-+|&]?= ).*;)$', lambda text: ';'),
    ('step', r'(\+\+|--)(?=[;)])', {'++': '', '--': ''}),
)


class Change:
    def __init__(self, path, original, line, start, end, kind, new):
        self.path, self.original, self.line = path, original, line
        self.start, self.end, self.kind, self.new = start, end, kind, new

    def lines(self):
        return list(self.original)

    def apply(self, lines):
        text = lines[self.line]
        lines[self.line] = text[:self.start] + self.new + text[self.end:]
        return lines

    def describe(self):
        """The change as one line. A bare `break;` includes the line before it, to tell it from others."""
        lines = self.lines()
        before = lines[self.line].strip()
        after = self.apply(lines)[self.line].strip()
        if self.kind == 'loop' and before in ('break;', 'continue;'):
            before = '%s %s' % (lines[self.line - 1].strip(), before)
        return '%s:%d: %s: %s  =>  %s' % (self.path, self.line + 1, self.kind, before, after)


def blank_out(text):
    """Overwrites comments, strings and preprocessor lines with blanks, which keeps positions."""
    def blank(match):
        return re.sub(r'[^\n]', ' ', match.group())

    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', blank, text, flags=re.S)
    return re.sub(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', blank, text, flags=re.M)


def in_functions(text):
    """Returns the numbers of the lines in function bodies. Tables outside are data."""
    inside, lines = False, set()
    for number, line in enumerate(text.split('\n')):
        if line == '{':
            inside = True
        elif line == '}':
            inside = False
        elif inside:
            lines.add(number)
    return lines


def candidates(path):
    with open(os.path.join(TOP, path), encoding='utf-8') as file:
        text = file.read()
    original = text.split('\n')
    text = blank_out(text)
    body = in_functions(text)
    for number, line in enumerate(text.split('\n')):
        if number not in body or '_Static_assert' in line or '_cleanup_' in line and '=' not in line:
            continue
        for kind, pattern, new in KINDS:
            for match in re.finditer(pattern, line):
                old = match.group(1)
                if kind == 'loop':
                    old, start, end = match.group(), match.start(), match.end()
                else:
                    start, end = match.span(1)
                replacement = new(old) if callable(new) else new.get(old)
                if replacement is not None and replacement != old:
                    yield Change(path, original, number, start, end, kind, replacement)


# A change here may remove what the program did not create: once, all empty folders of the machine.
SPARED = ('lib/snapshot/remove.c',)


def choose(paths, seed):
    """Yields all changes, in the order that the seed gives; each place is equally likely within its kind."""
    files = subprocess.run(['git', 'ls-files', 'lib', 'cmd'], cwd=TOP, stdout=subprocess.PIPE, text=True,
                           check=True).stdout.split()
    chosen = [path for path in files if path.endswith('.c') and path not in SPARED and
              (not paths or any(path == word or path.startswith(word.rstrip('/') + '/') or
                                fnmatch.fnmatch(path, word) for word in paths))]
    kinds = collections.defaultdict(list)
    for path in chosen:
        for change in candidates(path):
            kinds[change.kind].append(change)
    order = random.Random(seed)
    for changes in kinds.values():
        order.shuffle(changes)
    # Kinds take turns, so that the frequent ones do not crowd out the others.
    while any(kinds.values()):
        for kind in [kind for kind, _, _ in KINDS]:
            if kinds[kind]:
                yield kinds[kind].pop()


def read_equivalent():
    with open(os.path.join(TOP, 'tests/mutate.equivalent'), encoding='utf-8') as file:
        return [line.split('\t')[0].strip() for line in file if line.strip() and not line.startswith('#')]


def without_line(description):
    return re.sub(r':\d+:', ':', description, count=1)


def is_equivalent(description, entries):
    """An entry is the description, or ~ and a regular expression that must match all of it."""
    return any(entry == description or entry.startswith('~') and re.fullmatch(entry[1:], description)
               for entry in entries)
