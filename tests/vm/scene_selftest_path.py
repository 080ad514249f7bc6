# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl selftest --tclass, --dscp, --hop-limit, --pkey and similar options: a packet socket reads
from the wire what the packets carry, in both directions."""

import os
import socket
import struct
import threading

import peers
import selftest
from tap import unequal

SERVER, PORT = '10.9.0.2', 18791
ROCE_PORT = 4791
CONFIGFS = '/sys/kernel/config/rdma_cm/rxa'
ETH_P_ALL, ETH_P_IP, UDP = 3, 0x0800, 17


class Wire:
    """The RoCE v2 packets over IPv4 that cross a netdev: (source, TOS, TTL, P_Key) of each kind, and
    the UDP source ports: (source, port)."""

    def __init__(self, netdev):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self.socket.bind((netdev, 0))
        self.socket.settimeout(0.2)
        self.kinds, self.ports, self.over = set(), set(), False
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def watch(self):
        while True:
            try:
                packet = self.socket.recv(2048)
            except socket.timeout:
                if self.over:
                    return
                continue
            # A VLAN tag is not in the packet; a header of 20 bytes has no options.
            if len(packet) < 54 or struct.unpack_from('>H', packet, 12)[0] != ETH_P_IP:
                continue
            if packet[14] != 0x45 or packet[23] != UDP:
                continue
            if struct.unpack_from('>H', packet, 36)[0] != ROCE_PORT:
                continue
            # The P_Key is in the base transport header, behind opcode and flags: IBTA 1, 9.2.
            source = socket.inet_ntoa(packet[26:30])
            self.kinds.add((source, packet[15], packet[22],
                            struct.unpack_from('>H', packet, 44)[0]))
            self.ports.add((source, struct.unpack_from('>H', packet, 34)[0]))

    def end(self):
        self.over = True
        self.thread.join()
        self.socket.close()
        return self.kinds


def run(*words, test='rc-write,rc-send'):
    """Returns the document of a client's run, and the packets of both sides."""
    wire = Wire('va')
    document = selftest.run('rxa', '--peer', SERVER, '--port', str(PORT), *words, '--test', test)
    return document, wire.end()


def both(tos, ttl=64, pkey=0xffff):
    return {('10.9.0.1', tos, ttl, pkey), ('10.9.0.2', tos, ttl, pkey)}


def marked(tap):
    """All packets carry the values, replies too; the row reports what was chosen."""
    for words, wanted, row in (
            ((), both(0), {}),
            (('--tclass', '106'), both(106), {'traffic_class': 106}),
            (('--tos', '0x60'), both(96), {'traffic_class': 96}),
            (('--dscp', 'af31'), both(106), {'traffic_class': 106}),
            (('--dscp', '46'), both(186), {'traffic_class': 186}),
            (('--sl', '3', '--flow-label', '0x12345'), both(0), {'sl': 3, 'flow_label': 0x12345}),
            (('--pkey', '0xffff'), both(0), {'pkey': '0xffff'}),
            # A limited member finds the full member of its partition.
            (('--pkey', '0x7fff'), both(0), {'pkey': '0xffff'}),
            (('--pkey-index', '0'), both(0), {'pkey': '0xffff', 'sl': 0, 'traffic_class': 0})):
        document, kinds = run(*words)
        rows = [line for line in document.rows if line['test'] in ('rc-write', 'rc-send')]
        wrong = selftest.wrong_with(document, 0, ('rc-write', 'pass', ''), ('rc-send', 'pass', ''))
        wrong += unequal('packets', kinds, wanted)
        for key, value in row.items():
            wrong += unequal(key, {line[key] for line in rows}, {value})
        tap.test('selftest path: %s' % (' '.join(words) or 'nothing chosen'), wrong)


def port_of(label):
    """The UDP source port of a flow label: rdma_flow_label_to_udp_sport() in ib_verbs.h of Linux."""
    return 0xc000 | (label & 0x3fff ^ label >> 14)


def port_of_pair(qpn, peer_qpn):
    """The UDP source port without a label, from both queue pair numbers: rdma_calc_flow_label()."""
    value = qpn * peer_qpn
    value ^= value >> 20
    return port_of((value ^ value >> 40) & 0xfffff)


def source_ports(tap):
    """Each side uses the port derived from the label, or from the queue pair numbers."""
    for words, label, port in (((), None, None), (('--flow-label', '0x12345'), 0x12345, None),
                               (('--source-port', '50000'), 848, 50000),
                               (('--source-port', '49152'), 0x4001, 49152)):
        wire = Wire('va')
        document = selftest.run('rxa', '--peer', SERVER, '--port', str(PORT), *words, '--test',
                                'rc-write')
        wire.end()
        wrong = selftest.wrong_with(document, 0, ('rc-write', 'pass', ''))
        rows = [line for line in document.rows if line['test'] == 'rc-write' and not wrong]
        for row in rows:
            port = port or (port_of(label) if label else port_of_pair(row['qpn'], row['peer_qpn']))
            wrong += unequal('ports', wire.ports, {('10.9.0.1', port), ('10.9.0.2', port)})
            wrong += unequal('label', row['flow_label'], label)
        tap.test('selftest path: UDP source ports %s' % ' '.join(words), wrong)


def by_cm(tap):
    """The data of connections by rdma_cm; the accepting side adopts the TOS."""
    document, kinds = run('--cm', '--tos', '104', test='rc-write')
    data = {kind for kind in kinds if kind[1] == 104}
    tap.test('selftest path: --cm --tos',
             selftest.wrong_with(document, 0, ('rc-write', 'pass', '')) +
             unequal('sources with the TOS', {kind[0] for kind in data}, {'10.9.0.1', '10.9.0.2'}) +
             unequal('row', {row['traffic_class'] for row in document.rows}, {104}))


def by_default(tap):
    """The host's default_roce_tos applies unless an option overrides it, also without rdma_cm."""
    peers.run('modprobe', 'configfs')
    peers.run('modprobe', 'rdma_cm')
    if not os.path.isdir(os.path.dirname(CONFIGFS)):
        peers.run('mount', '-t', 'configfs', 'none', '/sys/kernel/config')
    os.mkdir(CONFIGFS)
    try:
        with open(CONFIGFS + '/ports/1/default_roce_tos', 'w') as file:
            file.write('96')
        document, kinds = run(test='rc-write')
        wrong = selftest.wrong_with(document, 0, ('rc-write', 'pass', ''))
        wrong += unequal('packets', kinds, both(96))
        wrong += unequal('row', {row['traffic_class'] for row in document.rows}, {96})
        document, kinds = run('--tclass', '0', test='rc-write')
        wrong += unequal('with --tclass 0', kinds, both(0))
        tap.test("selftest path: the host's default_roce_tos", wrong)
    finally:
        with open(CONFIGFS + '/ports/1/default_roce_tos', 'w') as file:
            file.write('0')
        os.rmdir(CONFIGFS)


def refused(tap):
    """A P_Key that the port does not have, and an index past the end of its table."""
    document, _ = run('--pkey', '0x8001')
    tap.test('selftest path: a P_Key that the port does not have',
             selftest.wrong_with(document, 4, ('connect', 'fail', 'rxa/1 has no P_Key 0x8001')) +
             unequal('the port that lacks it, and the next step', [
                 (row['reason'], row['next_step']) for row in document.rows], [
                     ('rxa/1 has no P_Key 0x8001', 'rdmactl pkeys lists them; on InfiniBand the '
                      'subnet manager assigns them to a port')]))
    document, _ = run('--hop-limit', '7')
    tap.test('selftest path: the hop limit of RoCE is that of the route',
             selftest.wrong_with(document, 4, (
                 'connect', 'fail', 'the kernel takes the hop limit of RoCE packets from the route')))
    document, _ = run('--pkey-index', '4711')
    tap.test('selftest path: an index past the end of the P_Key table',
             unequal('exit status', document.status, 4))


def numbers(tap):
    """The attributes of both queue pairs, in the row."""
    document, _ = run('--ack-timeout', '15', '--retries', '3', '--rnr-retries', '2', test='rc-write')
    row = [line for line in document.rows if line['test'] == 'rc-write'][0]
    wrong = selftest.wrong_with(document, 0, ('rc-write', 'pass', ''))
    wrong += unequal('told', (row['ack_timeout'], row['retries'], row['rnr_retries'],
                              row['path_mtu_bytes']), (15, 3, 2, 1024))
    for key in ('qpn', 'peer_qpn', 'psn', 'peer_psn'):
        wrong += [] if row[key] is not None else ['%s is not known' % key]
    wrong += [] if row['qpn'] != row['peer_qpn'] or row['psn'] != row['peer_psn'] else ['the same numbers']
    tap.test('selftest path: timeouts, retries, queue pair numbers and PSNs', wrong)
    document, _ = run('--cm', '--retries', '3', '--rnr-retries', '2', test='rc-write')
    row = [line for line in document.rows if line['test'] == 'rc-write'][0]
    wrong = selftest.wrong_with(document, 0, ('rc-write', 'pass', ''))
    wrong += unequal('parameters from rdma_cm', [row[key] for key in (
        'retries', 'rnr_retries', 'path_mtu_bytes', 'sl', 'traffic_class', 'pkey')],
                     [3, 2, 1024, 0, 0, '0xffff'])
    wrong += ['%s is not known' % key for key in ('psn', 'peer_psn', 'ack_timeout')
              if row[key] is None]
    tap.test('selftest path: what rdma_cm chose', wrong)
    document = selftest.run('rxa', '--tclass', '8', '--test', 'rc-write')
    tap.test('selftest path: in loopback',
             selftest.wrong_with(document, 0, ('rc-write', 'pass', '')) +
             unequal('row', {row['traffic_class'] for row in document.rows}, {8}))


def play(tap):
    peers.shell('bed_wire')
    server = selftest.Server('--port', str(PORT), bind=SERVER)
    marked(tap)
    source_ports(tap)
    by_cm(tap)
    by_default(tap)
    refused(tap)
    numbers(tap)
    tap.test('selftest path: the server ends without errors', server.stop()[0])
