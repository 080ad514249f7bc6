#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Reads OpenMetrics files with the reference parser and prints errors: text that it refuses, and
duplicate series, which promtool does not notice. A good file gives one line."""

import os
import sys

from prometheus_client.openmetrics.parser import text_string_to_metric_families

for path in sys.argv[1:]:
    name, seen = os.path.basename(path), set()
    try:
        with open(path, encoding='utf-8') as stream:
            text = stream.read()
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                series = (sample.name, tuple(sorted(sample.labels.items())))
                if series in seen:
                    print('%s: twice: %s%s' % (name, sample.name, dict(series[1])))
                seen.add(series)
    except ValueError as error:
        print('%s: refused: %s' % (name, error))
    print('%s: %d series' % (name, len(seen)))
