#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Checks that colour-blind people can tell the colours of a drawing's schemes apart and read the
names on them: tests/cli/colors.py FILE, where FILE has the tables of
lib/fabric/format/dot_scheme.c.

Each pair of colours of a table is at least DISTANCE apart in CIELAB (CIE76) for people with normal
sight and with protanopia, deuteranopia and tritanopia, and also in greys, on paper, where the table
is ordered. Matrices: Machado, Oliveira and Fernandes, 2009, severity 1.0. Names are legible on a
fill with a contrast of 4.5 (WCAG 2.1, success criterion 1.4.3).
"""

import itertools
import os
import re
import sys

DISTANCE, CONTRAST, INK = 9.0, 4.5, '#1f2933'
SIGHTS = {
    'normal': ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    'protanopia': ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216),
                   (-0.003882, -0.048116, 1.051998)),
    'deuteranopia': ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413),
                     (-0.011820, 0.042940, 0.968881)),
    'tritanopia': ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602),
                   (0.004733, 0.691367, 0.303900)),
}
XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
WHITE = (0.9505, 1.0, 1.089)
# How each table begins in the file, whether it is ordered, and whether names are drawn on its
# colours.
TABLES = {
    'palette': (r'palette\[\] = \{', False, True),
    'speeds': (r'shade speeds\[\] = \{', True, False),
    'widths': (r'shade widths\[\] = \{', True, False),
    'errors': (r'\} rows\[\] = \{', False, False),
    'levels': (r'fills\[\] = \{', True, True),
}


def times(matrix, vector):
    return [sum(one * other for one, other in zip(row, vector)) for row in matrix]


def linear(color):
    parts = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def lab(color, sight):
    seen = [min(1, max(0, part)) for part in times(SIGHTS[sight], linear(color))]
    parts = [part / white for part, white in zip(times(XYZ, seen), WHITE)]
    parts = [part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in parts]
    return 116 * parts[1] - 16, 500 * (parts[0] - parts[1]), 200 * (parts[1] - parts[2])


def distance(one, other, sight):
    return sum((a - b) ** 2 for a, b in zip(lab(one, sight), lab(other, sight))) ** 0.5


def brightness(color):
    return times(XYZ, linear(color))[1]


def wrong(name, colors, ordered, named):
    for sight, (one, other) in itertools.product(SIGHTS, itertools.combinations(colors, 2)):
        if distance(one, other, sight) < DISTANCE:
            yield '%s: %s and %s are %.1f apart: %s' % (name, one, other, distance(one, other, sight), sight)
    lights = [lab(color, 'normal')[0] for color in colors]
    if ordered and lights not in (sorted(lights), sorted(lights, reverse=True)):
        yield '%s: not from light to dark' % name
    for color in colors if named else ():
        contrast = (brightness(color) + 0.05) / (brightness(INK) + 0.05)
        if contrast < CONTRAST:
            yield '%s: names on %s have a contrast of %.1f' % (name, color, contrast)


def main():
    with open(sys.argv[1], encoding='utf-8') as file:
        text = file.read()
    with open(os.path.join(os.path.dirname(sys.argv[1]), 'dot.h'), encoding='utf-8') as file:
        for name, color in re.findall(r'#define (SCHEME_\w+_COLOR)\s+("#[0-9a-f]{6}")', file.read()):
            text = text.replace(name, color)
    failed = 0
    for name, (begin, ordered, named) in TABLES.items():
        table = re.search(begin + r'(.*?)\n?\t?\};', text, re.S)
        colors = re.findall('"(#[0-9a-f]{6})"', table[1]) if table else []
        if len(colors) < 5:
            sys.exit('%s: no table of this name' % name)
        for line in wrong(name, colors, ordered, named):
            print(line)
            failed += 1
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
