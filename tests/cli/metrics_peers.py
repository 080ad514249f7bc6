#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A real Prometheus scrapes rdmactl metrics --listen and answers queries; a real node_exporter
reads the textfile. Everything runs on 127.0.0.1, in a directory that is removed.

    metrics_peers.py PROGRAM TREE
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')]
from free_ports import free_port

PROGRAM, TREE = sys.argv[1:]
SERIES = 'rdma_port_tx_bytes_total{device="mlx5_0",port="1"}'


def get(port, path):
    with urllib.request.urlopen('http://127.0.0.1:%d%s' % (port, path), timeout=20) as reply:
        return reply.read().decode()


def wait_for(ask, seconds=120):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError, urllib.error.URLError, ValueError, LookupError):
            answer = ask()
            if answer:
                return answer
        time.sleep(0.2)
    return None


def value_of(text):
    return next((line.split()[-1] for line in text.splitlines() if line.startswith(SERIES)), None)


def prometheus(folder, ours):
    port = free_port()
    config = os.path.join(folder, 'prometheus.yml')
    with open(config, 'w', encoding='utf-8') as file:
        file.write('global: {scrape_interval: 1s}\nscrape_configs:\n'
                   '- job_name: rdma\n  static_configs: [{targets: ["127.0.0.1:%d"]}]\n' % ours)
    server = subprocess.Popen(['prometheus', '--config.file=' + config, '--storage.tsdb.path=' + folder + '/data',
                               '--web.listen-address=127.0.0.1:%d' % port, '--log.level=error'])

    def query(expression):
        path = '/api/v1/query?' + urllib.parse.urlencode({'query': expression})
        return json.loads(get(port, path))['data']['result'][0]['value'][1]

    try:
        return wait_for(lambda: query('up{job="rdma"}') == '1' and
                        (query(SERIES), query('count({__name__=~"rdma_.*"})')))
    finally:
        server.terminate()
        server.wait()


def node_exporter(folder):
    port = free_port()
    subprocess.run([PROGRAM, 'metrics', '--root', TREE, '--textfile', os.path.join(folder, 'rdma.prom')], check=True)
    server = subprocess.Popen(['prometheus-node-exporter', '--collector.disable-defaults', '--collector.textfile',
                               '--collector.textfile.directory=' + folder,
                               '--web.listen-address=127.0.0.1:%d' % port], stderr=subprocess.DEVNULL)
    try:
        text = wait_for(lambda: get(port, '/metrics'))
        return value_of(text or ''), 'node_textfile_scrape_error 0' in (text or '')
    finally:
        server.terminate()
        server.wait()


with tempfile.TemporaryDirectory() as FOLDER:
    PORT = free_port()
    OURS = subprocess.Popen([PROGRAM, 'metrics', '--root', TREE, '--listen', str(PORT), '--quiet'])
    try:
        TEXT = wait_for(lambda: get(PORT, '/metrics')) or ''
        SCRAPED = prometheus(FOLDER, PORT)
    finally:
        OURS.terminate()
        OURS.wait()
    PICKED = node_exporter(FOLDER)
WANTED = value_of(TEXT)
COUNT = sum(1 for line in TEXT.splitlines() if line.startswith('rdma_'))
good = WANTED and SCRAPED == (WANTED, str(COUNT)) and PICKED[1] and float(PICKED[0]) == float(WANTED)
if not good:
    print('printed %s of %d series; Prometheus has %s; node_exporter has %s' % (WANTED, COUNT, SCRAPED, PICKED))
sys.exit(0 if good else 1)
