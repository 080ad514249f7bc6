# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Parses the output of ibnetdiscover and iblinkinfo into {key of rdmactl: value}.

Ports are named (GUID of the node, number). Based on the tools' output and independent of rdmactl's
own parsers of it. A line that is not understood raises tools.Unknown.
"""

import re

from tools import PHYSICAL, STATE, Unknown, guid

TYPES = {'Switch': 'switch', 'Ca': 'ca', 'Rt': 'router', 'SW': 'switch', 'CA': 'ca', 'RT': 'router'}
LANE = {'2.5': 'SDR', '5.0': 'DDR', '10.0': 'QDR', '14.0625': 'FDR', '25.78125': 'EDR',
        '53.125': 'HDR', '106.25': 'NDR', '212.5': 'XDR'}

HEAD = re.compile(r'(Switch|Ca|Rt)\t(\d+) "[SHR]-([0-9a-f]{16})"\t\t# "(.*)"'
                  r'(?: (base|enhanced) port 0 lid (\d+) lmc (\d+))?$')
AT_SWITCH = re.compile(r'\[(\d+)\]\t"[SHR]-([0-9a-f]{16})"\[(\d+)\](?:\(([0-9a-f]+)\) )?'
                       r'\t\t# "(.*)" lid (\d+) (\d+)x(\w+)$')
AT_ADAPTER = re.compile(r'\[(\d+)\]\(([0-9a-f]+)\) \t"[SHR]-([0-9a-f]{16})"\[(\d+)\]'
                        r'(?: \(([0-9a-f]+)\) )?\t\t# lid (\d+) lmc (\d+) "(.*)" lid (\d+)'
                        r' (\d+)x(\w+)$')
ID = re.compile(r'(vendid|devid|sysimgguid|switchguid|caguid|rtguid)=0x([0-9a-f]+)'
                r'(?:\(([0-9a-f]+)\))?$')


def lid(text):
    """The LID, or None for 0."""
    return int(text) or None


class Topology:
    """ibnetdiscover: nodes by GUID, ends of cables by (GUID, port)."""

    def __init__(self, text):
        self.nodes, self.ends = {}, {}
        self.ports = {}  # port GUIDs of adapters: their node and number
        self._ids, self._node = {}, None
        for line in text.splitlines():
            if line and not line.startswith('#'):
                self._read(line)

    def _read(self, line):
        for pattern, take in ((ID, self._id), (HEAD, self._head), (AT_SWITCH, self._at_switch),
                              (AT_ADAPTER, self._at_adapter)):
            row = pattern.match(line)
            if row:
                return take(*row.groups())
        raise Unknown(line)

    def _id(self, name, value, port):
        self._ids[name] = value
        if port:
            self._ids['port'] = port

    def _head(self, kind, ports, own, description, _, node_lid, __):
        self._node = guid(own)
        row = {'node_type': TYPES[kind], 'port_count': int(ports), 'description': description,
               'node_guid': guid(own), 'system_image_guid': guid(self._ids['sysimgguid']),
               'vendor_id': '0x%06x' % int(self._ids['vendid'], 16),
               'device_id': '0x%04x' % int(self._ids['devid'], 16)}
        if kind == 'Switch':
            row.update(lid=lid(node_lid), port_guid=guid(self._ids['port']))
        self.nodes[self._node] = row

    def _at_switch(self, port, far, far_port, far_guid, name, far_lid, width, speed):
        self.ends[self._node, int(port)] = {
            'peer_guid': guid(far), 'peer_port': int(far_port), 'peer': name,
            'peer_lid': lid(far_lid), 'width_lanes': int(width), 'speed': speed}
        if far_guid:
            self.ports[guid(far_guid)] = (guid(far), int(far_port))

    def _at_adapter(self, port, own, far, far_port, far_guid, own_lid, _, name, far_lid, width,
                    speed):
        self._at_switch(port, far, far_port, far_guid, name, far_lid, width, speed)
        self.ends[self._node, int(port)]['lid'] = lid(own_lid)
        self.ports[guid(own)] = (self._node, int(port))


def ports_report(text):
    """ibnetdiscover -p: [{values}] with the GUIDs of ports; peer_port is None without a peer."""
    end = r'(SW|CA|RT)\s+(\d+)\s+(\d+) (0x[0-9a-f]{16})'
    pattern = re.compile(end + r' (\d+)x (\w+)(?: - ' + end + r' \( (\'.*\') \)|\s+(\'.*\'))$')
    rows = []
    for line in text.splitlines():
        row = pattern.match(line)
        if not row:
            raise Unknown(line)
        kind, own_lid, port, own, width, speed, far_kind, far_lid, far_port, far, _, _ = \
            row.groups()
        found = {'node_type': TYPES[kind], 'lid': lid(own_lid), 'port': int(port),
                 'guid': guid(own), 'peer_port': None}
        if far:
            found.update(width_lanes=int(width), speed=speed, peer_type=TYPES[far_kind],
                         peer_lid=lid(far_lid), peer_port=int(far_port), peer=guid(far))
        rows.append(found)
    return rows


LINK = re.compile(
    r'(0x[0-9a-f]{16}) "(.{30,})"\s+(\d+)\s+(\d+)\[  \] ==\('
    r'(?:\s*(\d+)X\s+([\d.]+) Gbps)?\s*(\w+)/\s*([\w ]+?)\)==>'
    r'\s+(?:(0x[0-9a-f]{16})\s+(\d+)\s+(\d+))?\[  \] "(.*)" \((.*)\)$')


def links(text):
    """iblinkinfo -l: [{values}] with the GUIDs of ports."""
    rows = []
    for line in text.splitlines():
        row = LINK.match(line)
        if not row:
            raise Unknown(line)
        own, name, own_lid, port, width, speed, state, physical, far, far_lid, far_port, _, better \
            = row.groups()
        best = dict(re.findall(r'Could be ([\d.]+)(X| Gbps)', better))
        best = {unit: number for number, unit in best.items()}
        rows.append({
            'guid': guid(own), 'port': int(port), 'lid': lid(own_lid), 'node': name,
            'state': STATE(state), 'physical_state': PHYSICAL(physical),
            'width_lanes': width and int(width), 'speed': speed and LANE[speed],
            'peer': far and guid(far), 'peer_port': far and int(far_port),
            'peer_lid': far and lid(far_lid), 'better_lanes': best.get('X') and int(best['X']),
            'better_speed': best.get(' Gbps') and LANE[best[' Gbps']]})
    return rows
