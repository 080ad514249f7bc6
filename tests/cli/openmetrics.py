#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Reads OpenMetrics from standard input with the reference parser, and prints what is wrong:
text that it refuses, and series that are there twice, which promtool does not see."""

import sys

from prometheus_client.openmetrics.parser import text_string_to_metric_families

seen = set()
try:
    for family in text_string_to_metric_families(sys.stdin.read()):
        for sample in family.samples:
            series = (sample.name, tuple(sorted(sample.labels.items())))
            if series in seen:
                print('twice: %s%s' % (sample.name, dict(series[1])))
            seen.add(series)
except ValueError as error:
    print('refused: %s' % error)
print('%d series' % len(seen))
