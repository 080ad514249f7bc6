# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""selftest --memory: hugepages, on-demand paging, dma-bufs; memory windows, the fence, completion
vectors; shapes of gather and charts; faults reported correctly: a device and a GID are removed."""

import ctypes.util
import os
import re
import xml.etree.ElementTree

import peers
import program
import selftest
from selftest import Selftest, Server, leaked, run, transfers, wrong_with
from tap import unequal

SERVER, PORT = '10.9.0.2', 18792
PEER = ('--peer', SERVER, '--port', str(PORT))
HUGEPAGES = '/proc/sys/vm/nr_hugepages'
KINDS = 'rc-write,rc-send,rc-1m,bandwidth-write,gather-write'
LONG = ('--bandwidth', '--operations', 'write', '--sizes', '4k', '--duration', '60s')


def write(path, text):
    with open(path, 'w', encoding='ascii') as file:
        file.write(text)


def free_hugepages():
    return int(re.search(r'HugePages_Free: +(\d+)', peers.read('/proc/meminfo')).group(1))


def kinds_of(document):
    return {(row['memory'], row['peer_memory']) for row in document.rows}


def hugepages(tap):
    """Both sides use hugepages and return them; if none is free, the row says so."""
    passes = [(test, 'pass', '') for test in KINDS.split(',')]
    write(HUGEPAGES, '24')
    before = free_hugepages()
    document = run('rxa', *PEER, '--memory', 'huge', '--test', KINDS, '--iterations', '50')
    tap.test('selftest memory: hugepages on both sides', wrong_with(document, 0, *passes) +
             unequal('kinds', kinds_of(document), {('huge', 'huge')}) +
             ([] if selftest.until(lambda: free_hugepages() == before, 10) else
              unequal('free hugepages', free_hugepages(), before)))
    document = run('rxa', *PEER, '--memory', 'huge', '--peer-memory', 'pages', '--test', 'rc-write')
    tap.test('selftest memory: hugepages here, ordinary pages on the peer', wrong_with(
        document, 0, ('rc-write', 'pass', '')) +
        unequal('kinds', kinds_of(document), {('huge', 'pages')}))
    # A hugepage in use during the test proves that the row is right.
    client = Selftest(*PEER, *LONG, '--memory', 'huge')
    wrong = transfers(client)
    wrong += [] if free_hugepages() < before else ['no hugepage is in use']
    client.end(2)
    tap.test('selftest memory: the kernel counts hugepages in use', wrong)
    write(HUGEPAGES, '0')
    document = run('rxa', '--memory', 'huge', '--test', 'rc-write')
    tap.test('selftest memory: no hugepage is free', wrong_with(document, 4, (
        'connect', 'fail', 'rxa/1 has no memory of kind huge: mmap with MAP_HUGETLB: '
                           'Cannot allocate memory')))
    document = run('rxa', *PEER, '--peer-memory', 'huge', '--test', 'rc-write')
    tap.test('selftest memory: no hugepage is free on the peer', wrong_with(document, 4, (
        'connect', 'fail', 'on 10.9.0.2: rxb/1 has no memory of kind huge: ')))


def on_demand(tap):
    """
    Soft-RoCE has this since Linux 6.15 (rxe_odp.c): it works, or the row says it is missing. That
    of 7.3 forgets where in the page the data belong: __rxe_odp_mr_copy() since kmap_local_page().
    """
    document = run('rxa', *PEER, '--memory', 'odp', '--test', 'rc-write,rc-send')
    if any('wrong data' in (row['reason'] or '') for row in document.rows):
        tap.test('selftest memory: on-demand paging that damages data', wrong_with(
            document, 4, *((name, 'fail', 'wrong data: the far buffer has 0x00 at offset 0')
                           for name in ('rc-write', 'rc-send'))))
        return
    if document.status == 0:
        tap.test('selftest memory: on-demand paging', wrong_with(
            document, 0, ('rc-write', 'pass', ''), ('rc-send', 'pass', '')))
        return
    tap.test('selftest memory: no on-demand paging', wrong_with(document, 4, (
        'connect', 'fail', 'rxa/1 has no memory of kind odp: the device has no on-demand paging '
                           '(odp_caps): Operation not supported')))


def dma_bufs(tap):
    """DMA-bufs that the kernel has no exporter for, and those that Soft-RoCE rejects."""
    peers.run('modprobe', 'udmabuf')
    for kind, node in (('system', '/dev/dma_heap/system'), ('udmabuf', '/dev/udmabuf')):
        document = run('rxa', '--memory', 'dmabuf:' + kind, '--test', 'rc-write')
        why = ('ibv_reg_dmabuf_mr: Operation not supported' if os.path.exists(node) else
               node + ': No such file or directory')
        tap.test('selftest memory: dmabuf:%s: %s' % (kind, why), wrong_with(document, 4, (
            'connect', 'fail', 'rxa/1 has no memory of kind dmabuf:%s: %s' % (kind, why))))
    # Debian 13's perftest brings the library of hip.
    hip = 'hipSetDevice: ' if ctypes.util.find_library('amdhip64') else 'libamdhip64.so.'
    for kind, why in (('cuda', 'libcuda.so.1'), ('hip', hip)):
        document = run('rxa', '--memory', 'dmabuf:' + kind, '--test', 'rc-write')
        tap.test('selftest memory: no accelerator for dmabuf:' + kind, wrong_with(document, 4, (
            'connect', 'fail', 'rxa/1 has no memory of kind dmabuf:%s:0: %s' % (kind, why))))


def windows(tap):
    """In loopback and to a peer; Soft-RoCE enforces the region's limits, not the window's."""
    remark = 'Soft-RoCE enforces the limits of the memory region, not those of its window'
    for words in ((), PEER):
        document = run('rxa', *words, '--test', 'rc-window-1,rc-window-2,rc-fence,rc-vectors')
        rows = {row['test']: row for row in document.rows}
        tap.test('selftest memory: windows, fence and vectors %s' % ('to a peer' if words else
                                                                     'in loopback'),
                 wrong_with(document, 0, ('rc-window-1', 'pass', remark),
                            ('rc-window-2', 'pass', remark), ('rc-fence', 'pass', ''),
                            ('rc-vectors', 'pass', 'completion vectors')) +
                 unequal('vectors', rows['rc-vectors']['completion_vectors'],
                         min(64, os.sysconf('SC_NPROCESSORS_CONF'))))


def shapes(tap):
    document = run('rxa', '--test', 'gather', '--block-size', '64,256,4k', '--block-count', '2,8,30')
    wanted = {(size, count) for size in (64, 256, 4096) for count in (2, 8, 30)}
    rows = [row for row in document.rows if row['test'].startswith('gather')]
    tap.test('selftest memory: a matrix of shapes', wrong_with(
        document, 0, ('gather-write', 'pass', ''), ('gather-read', 'pass', ''),
        ('gather-send', 'pass', '')) + unequal('rows', len(rows), 27) +
        unequal('shapes', {(row['block_bytes'], row['block_count']) for row in rows}, wanted) +
        unequal('more than one work request', {row['reason'] for row in rows}, {None}))


def charts(tap):
    """A well-formed SVG chart with a line for each test; bars for a terminal."""
    result = peers.run(program.RDMACTL, 'selftest', 'rxa', '--format', 'svg', '--bandwidth',
                       '--latency', '--sizes', '64,4k,64k', '--iterations', '50')
    wrong = unequal('exit status', result.status, 0)
    root = xml.etree.ElementTree.fromstring(result.out)
    lines = [node for node in root.iter() if node.tag.endswith('polyline')]
    texts = {node.text for node in root.iter() if node.tag.endswith('text')}
    wrong += [] if len(lines) >= 8 else ['%d lines' % len(lines)]
    for title in ('Bandwidth by message size', 'Latency distribution',
                  'rxa/1 bandwidth-write'):
        wrong += [] if title in texts else ['no %r' % title]
    tap.test('selftest memory: --format svg', wrong)
    result = peers.run(program.RDMACTL, '-v', 'selftest', 'rxa', '--test', 'gather-write',
                       '--block-size', '64,4k')
    tap.test('selftest memory: -v draws bars', unequal('exit status', result.status, 0) +
             [] if re.search(r'time relative to packing.*\n.*16 blocks\n +64 bytes .*[#\u2588]',
                             result.text()) else result.describe())


def removed_device(tap):
    """The server notices that its device was removed, and says so."""
    server = Server('--port', str(PORT + 1))
    client = Selftest('--peer', SERVER, '--port', str(PORT + 1), *LONG)
    wrong = transfers(client)
    removal = peers.run('rdma', 'link', 'del', 'rxb')
    wrong += removal.describe() if removal.status else []
    wrong += wrong_with(client.end(), 4, ('bandwidth-write', 'fail',
                                          'on 10.9.0.2: device rxb was removed during the test'))
    peers.must('rdma', 'link', 'add', 'rxb', 'type', 'rxe', 'netdev', 'vb')
    wrong += [] if server.says('the device was removed') else ["the server's log does not say so"]
    tap.test('selftest memory: the server says that its device was removed', wrong + server.stop()[0])


def index_of(device, address):
    path = '/sys/class/infiniband/%s/ports/1/gids/' % device
    numbers = [int(part) for part in address.split('.')]
    gid = '0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x' % tuple(numbers)
    for index in sorted(int(name) for name in os.listdir(path)):
        if (peers.read(path + str(index)) or '').strip() == gid:
            return index
    return None


def removed_address(tap):
    """The GID of a second address is removed on one side; the exchange uses the first address. Each
    takes the client up to ten seconds, so tests in loopback go on meanwhile. One side after the
    other, so that the packets on the wire are those of one client."""
    for device, netdev, own, other, option, sentence, meanwhile in (
            ('rxa', 'va', '10.9.0.61', '10.9.0.2', '--gid-index',
             'GID index %d of rxa/1, 10.9.0.61, was removed during the test', shapes),
            ('rxb', 'vb', '10.9.0.62', '10.9.0.1', '--peer-gid-index',
             'GID index %d of rxb/1 of 10.9.0.2, 10.9.0.62, was removed during the test', charts)):
        peers.must('ip', 'addr', 'add', own + '/32', 'dev', netdev)
        peers.must('ip', 'route', 'replace', own + '/32', 'dev', 'vb' if netdev == 'va' else 'va',
                   'src', other, 'table', '100')
        selftest.until(lambda: index_of(device, own) is not None)
        index = index_of(device, own)
        client = Selftest('rxa', *PEER, option, str(index), *LONG)
        wrong = transfers(client)
        peers.must('ip', 'addr', 'del', own + '/32', 'dev', netdev)
        meanwhile(tap)
        wrong += wrong_with(client.end(), 4, ('bandwidth-write', 'fail', sentence % index))
        peers.run('ip', 'route', 'del', own + '/32', 'table', '100')
        tap.test('selftest memory: the address of a GID of %s is removed' % device, wrong)


def play(tap):
    peers.shell('bed_wire')
    before = selftest.resources()
    server = Server('--port', str(PORT))
    hugepages(tap)
    on_demand(tap)
    dma_bufs(tap)
    windows(tap)
    removed_address(tap)
    tap.test('selftest memory: the server ends without errors', server.stop()[0] + leaked(before))
    removed_device(tap)
