#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl metrics --names node_exporter beside node_exporter itself, on the same saved sysfs: every
series that it prints is there, with its value, and no other.

    node_exporter_names.py PROGRAM TREE...
"""

import contextlib
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request


def series(text):
    """{(name, labels): value}"""
    found = {}
    for line in text.splitlines():
        match = re.match(r'(node_infiniband_\w+)\{(.*)\} (\S+)$', line)
        if match:
            labels = tuple(sorted(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', match[2])))
            found[match[1], labels] = float(match[3])
    return found


def theirs(tree):
    with contextlib.closing(socket.socket()) as listener:
        listener.bind(('127.0.0.1', 0))
        port = listener.getsockname()[1]
    server = subprocess.Popen(['prometheus-node-exporter', '--collector.disable-defaults', '--collector.infiniband',
                               '--path.sysfs=%s/sys' % tree, '--web.listen-address=127.0.0.1:%d' % port],
                              stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            with contextlib.suppress(urllib.error.URLError):
                with urllib.request.urlopen('http://127.0.0.1:%d/metrics' % port, timeout=5) as reply:
                    return series(reply.read().decode())
            time.sleep(0.1)
        return {}
    finally:
        server.terminate()
        server.wait()


def main():
    program, *trees = sys.argv[1:]
    bad = 0
    for tree in trees:
        command = [program, 'metrics', '--root', tree, '--names', 'node_exporter']
        ours = series(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout)
        wanted = theirs(tree)
        if not wanted:
            print('%s: node_exporter prints nothing' % tree)
            bad += 1
        for key in sorted(set(ours) | set(wanted)):
            if ours.get(key) != wanted.get(key):
                print('%s: %s: ours %s, theirs %s' % (tree, key, ours.get(key), wanted.get(key)))
                bad += 1
        print('%s: %d series' % (tree, len(wanted)))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
