# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Compares rows of rdmactl with the output of another tool about the same node, by value.

Where they differ and rdmactl is right, the difference is in the table here, and every comparison
that meets it calls known(). Any other difference is an error. Comparisons are counted: report()
returns the table of attributes, tools, nodes and values.
"""

import unicodedata

from tap import unequal
from tools import GATED, Hex

DIFFERENCES = {
    'description-spaces':
        'smpquery prints every byte of a description that is no printable ASCII as a space; '
        'rdmactl keeps valid UTF-8 and writes the rest as \\xNN',
    'capability-absent':
        'smpquery prints CapabilityMask2, the round trip and extended speeds as 0 although, by the '
        'capability mask, the port does not have them; rdmactl prints null',
    'sl2vl-adapter':
        'smpquery sl2vl prints 0 for the input and output port of an adapter, which has one table per '
        'port and no input port: rdmactl prints null, and the port that answers',
    'adapter-ports':
        'smpquery pkeys and vlarb of an adapter print the table of the port that answers, whatever '
        'port they are given; rdmactl says that the other port must be queried itself',
}

_met = {}
_counts = {}


def known(difference):
    """Records that a difference in the table was found."""
    assert difference in DIFFERENCES, difference
    _met[difference] = _met.get(difference, 0) + 1
    return []


def met():
    return ['%s (%d times): %s' % (name, _met[name], DIFFERENCES[name]) for name in DIFFERENCES
            if name in _met]


def count(attribute, tool, nodes, rows, values, wrong):
    """Adds the numbers of rows and values compared to the table; `wrong` of them differ."""
    sums = _counts.setdefault((attribute, tool), [0, 0, 0, 0])
    for place, number in enumerate((nodes, rows, values, wrong)):
        sums[place] += number


def taken():
    """The counts since the last call, for add() in another process."""
    found = dict(_counts), dict(_met)
    _counts.clear()
    _met.clear()
    return found


def add(counts, met_there):
    """Adds the counts of another process."""
    for (attribute, tool), sums in counts.items():
        count(attribute, tool, *sums)
    for name, times in met_there.items():
        _met[name] = _met.get(name, 0) + times


def report():
    lines = ['%-16s %-22s %6s %8s %8s %9s' % ('ATTRIBUTE', 'TOOL', 'NODES', 'ROWS', 'VALUES',
                                             'DIFFERENT')]
    return lines + ['%-16s %-22s %6d %8d %8d %9d' % (*key, *_counts[key]) for key in _counts]


def _means_nothing(key, theirs):
    """Whether the capability mask of a PortInfo says that it has no such field.

    The external ports of a switch have no mask, but they do have extended speeds.
    """
    absent = key in GATED and not theirs.get('cap_mask', 0) & GATED[key]
    return absent and (not key.startswith('speed_ext') or theirs[key] in ('none', []))


def values(what, row, theirs):
    """Differences in one row; `theirs` has the values of the other tool."""
    wrong = []
    for key, expected in theirs.items():
        if key not in row:
            wrong.append('%s: rdmactl has no %s, expected %r' % (what, key, expected))
            continue
        ours = row[key]
        if ours is None and _means_nothing(key, theirs):
            known('capability-absent')
            continue
        if isinstance(expected, Hex) and isinstance(ours, str):
            ours = Hex(ours, 16)
        if isinstance(expected, float) and isinstance(ours, (int, float)):
            # Times in JSON have at least ten digits.
            ours = expected if abs(ours - expected) <= 1e-5 * abs(expected) else ours
        wrong += unequal('%s %s' % (what, key), ours, expected)
    return wrong


def rows(attribute, tool, ours, theirs):
    """Compares rows by their keys, and counts. {(node, ...): row} on both sides.

    The first part of a key is the node.
    """
    wrong = []
    if set(ours) != set(theirs):
        wrong.append('%s: only rdmactl has %s, only %s has %s' % (
            attribute, sorted(set(ours) - set(theirs), key=str)[:6], tool,
            sorted(set(theirs) - set(ours), key=str)[:6]))
    both = [key for key in theirs if key in ours]
    for key in both:
        what = attribute + ' ' + '/'.join(str(part) for part in key)
        wrong += values(what, ours[key], theirs[key])
    count(attribute, tool, len({key[0] for key in both}), len(both),
          sum(len(theirs[key]) for key in both), len(wrong))
    return wrong


def cleaned(raw):
    """Bytes from the fabric as rdmactl must show them; independent of its text_clean()."""
    shown = ''
    for character in raw.decode('utf-8', 'surrogateescape'):
        if unicodedata.category(character) in ('Cc', 'Cf', 'Cs', 'Zl', 'Zp'):
            shown += ''.join('\\x%02x' % byte
                             for byte in character.encode('utf-8', 'surrogateescape'))
        else:
            shown += character
    return shown


def as_smpquery(raw):
    """A description as smpquery prints it, without spaces at either end."""
    return bytes(byte if 32 <= byte < 127 else 32 for byte in raw).strip()
