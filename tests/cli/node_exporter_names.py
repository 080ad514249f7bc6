#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Compares rdmactl metrics --names node_exporter with node_exporter itself on the same saved sysfs:
it prints every series of node_exporter with the same value, and no others except those of later
releases.

    node_exporter_names.py PROGRAM TREE...
"""

import contextlib
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request

sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')]
from free_ports import free_port

# Counters of the driver that only releases after 1.5.0 print.
NEWER = re.compile('node_infiniband_(%s)_total' % '|'.join('''
    duplicate_requests_packets implied_nak_seq_errors local_ack_timeout_errors
    np_cnp_packets_sent np_ecn_marked_roce_packets_received out_of_buffer_drops
    out_of_sequence_packets_received packet_sequence_errors req_cqes_errors
    req_cqes_flush_errors req_remote_access_errors req_remote_invalid_request_errors
    resp_cqes_errors resp_cqes_flush_errors resp_local_length_errors
    resp_remote_access_errors rnr_nak_retry_packets_received roce_adp_retransmits
    roce_adp_retransmits_timeout roce_slow_restart_used roce_slow_restart_cnps
    roce_slow_restart rp_cnp_packets_handled rp_cnp_ignored_packets_received
    rx_atomic_requests rx_dct_connect_requests rx_read_requests rx_write_requests
    rx_icrc_encapsulated_errors
    '''.split()))


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
    port = free_port()
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
            if key not in wanted and NEWER.fullmatch(key[0]):
                continue
            if ours.get(key) != wanted.get(key):
                print('%s: %s: ours %s, theirs %s' % (tree, key, ours.get(key), wanted.get(key)))
                bad += 1
        print('%s: %d series' % (tree, len(wanted)))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
