# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Test Anything Protocol on standard output. A test is a name and a list of what is wrong."""

import sys
import time

SHOWN = 25  # lines of diagnostics for a test
SLOW = 5.0  # the seconds since the previous test are printed if there are more


class Tap:
    def __init__(self):
        self.number = 0
        self.failed = 0
        self.begin = self.last = time.monotonic()

    def say(self, *lines):
        for line in lines:
            for part in str(line).splitlines() or ['']:
                print('# ' + printable(part))
        sys.stdout.flush()

    def test(self, name, wrong=(), say=()):
        """Passes if nothing is wrong. `wrong` is a list of lines, or a single string."""
        if isinstance(wrong, str):
            wrong = [wrong]
        wrong = [line for line in wrong if line]
        self.number += 1
        self.failed += bool(wrong)
        print('%s %d - %s' % ('not ok' if wrong else 'ok', self.number, name))
        self.say(*wrong[:SHOWN])
        if len(wrong) > SHOWN:
            self.say('and %d more' % (len(wrong) - SHOWN))
        self.say(*say)
        now = time.monotonic()
        if now - self.last > SLOW:
            self.say('%.1f s' % (now - self.last))
        self.last = now
        return not wrong

    def replay(self, text, failed):
        """Prints what another Tap printed, with its tests renumbered."""
        for line in text.splitlines():
            ok, space, rest = line.partition('ok ')
            if ok in ('', 'not ') and rest.split(' ', 1)[0].isdigit():
                self.number += 1
                line = '%s%s%d %s' % (ok, space, self.number, rest.split(' ', 1)[1])
            print(line)
        self.failed += failed
        sys.stdout.flush()

    def skip(self, name, reason):
        self.number += 1
        print('ok %d - %s # SKIP %s' % (self.number, name, reason))
        sys.stdout.flush()

    def end(self):
        self.say('%d of %d failed, %.1f s' % (self.failed, self.number,
                                              time.monotonic() - self.begin))
        print('1..%d' % self.number)
        sys.stdout.flush()
        return 1 if self.failed else 0


def printable(text):
    return ''.join(c if c.isprintable() or c == '\t' else '\\x%02x' % ord(c) for c in text)


def unequal(what, ours, theirs):
    """Returns a list with one line if the two differ, otherwise an empty list."""
    if ours == theirs and isinstance(ours, bool) == isinstance(theirs, bool):
        return []
    return ['%s: rdmactl says %r, expected %r' % (what, ours, theirs)]
