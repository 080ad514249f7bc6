# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Parses the output of infiniband-diags into {key of rdmactl: value in its JSON form}.

The tables here map labels to keys, and their words and codes to values. They follow the InfiniBand
specification (volume 1, chapters 14 to 16) and are independent of rdmactl's tables, which are
checked against them. A label or word that is not in any table raises Unknown.
"""

import re


class Unknown(Exception):
    """The output of a tool is not in the tables of this file."""


class Hex(int):
    """A number that is a string of hexadecimal digits in JSON."""


# Values

def guid(text):
    digits = '%016x' % int(text, 16)
    return ':'.join(digits[i:i + 4] for i in range(0, 16, 4))


def gid(text):
    """A GID as printed by inet_ntop(3), expanded to eight groups."""
    head, gap, tail = text.partition('::')
    head, tail = head.split(':') if head else [], tail.split(':') if tail else []
    if gap:
        head += ['0'] * (8 - len(head) - len(tail)) + tail
    return ':'.join(group.zfill(4) for group in head)


def number(text):
    return int(text, 0)


def hexadecimal(text):
    return Hex(text, 0)


def boolean(text):
    return bool(int(text, 0))


def word(**words):
    """Translates texts to our words; the parameters' names have underscores for spaces."""
    def convert(text):
        key = re.sub(r'[^A-Za-z0-9]+', '_', text).strip('_')
        if key not in words and 'n' + key not in words:
            raise Unknown(text)
        return words.get(key, words.get('n' + key))
    return convert


def bits(*words):
    """A mask in hex as a list of the words for its bits, from bit 0 on."""
    def convert(text):
        value = int(text, 0)
        if value >> len(words):
            raise Unknown(text)
        return [name for bit, name in enumerate(words) if value >> bit & 1]
    return convert


def alternatives(one):
    """'1X or 4X' as a list, which is empty for '0' and 'undefined'."""
    def convert(text):
        return [] if text in ('0', 'No Extended Speed', 'undefined (0)') else [
            one(part) for part in text.split(' or ')]
    return convert


def micro(text):
    """A time of 4.096 us * 2**code."""
    return 4.096 * 2 ** int(text, 0)


def virtual_lanes(text):
    """The number of lanes in 'VL0' or 'VL0-7'."""
    return 1 if text == 'VL0' else int(text.partition('-')[2]) + 1


def in_words(text):
    """Bytes of a counter of octets divided by four."""
    return int(text) * 4


WIDTH = word(n1X='1x', n4X='4x', n8X='8x', n12X='12x', n2X='2x')
LANES = word(n1X=1, n4X=4, n8X=8, n12X=12, n2X=2)
SPEED = word(n2_5_Gbps='sdr', n5_0_Gbps='ddr', n10_0_Gbps='qdr')
SPEED_EXT = word(n14_0625_Gbps='fdr', n25_78125_Gbps='edr', n53_125_Gbps='hdr',
                 n106_25_Gbps='ndr', No_Extended_Speed='none')
STATE = word(Down='down', Initialize='init', Armed='armed', Active='active')
PHYSICAL = word(Sleep='sleep', Polling='polling', Disabled='disabled', LinkUp='link-up',
                PortConfigurationTraining='training', LinkErrorRecovery='link-error-recovery')
NODE_TYPE = word(Channel_Adapter='ca', Switch='switch', Router='router')

# Bits of PortInfo:CapabilityMask and CapabilityMask2, as libibmad calls them
CAPABILITIES = word(
    IsSM='sm', IsNoticeSupported='notice', IsTrapSupported='trap',
    IsAutomaticMigrationSupported='automatic-migration', IsSLMappingSupported='sl-mapping',
    IsMkeyNVRAM='mkey-nvram', IsPkeyNVRAM='pkey-nvram', IsLedInfoSupported='led-info',
    IsSMdisabled='sm-disabled', IsSystemImageGUIDsupported='system-image-guid',
    IsPkeySwitchExternalPortTrapSupported='pkey-switch-external-port-trap',
    IsExtendedSpeedsSupported='extended-speeds', IsCapabilityMask2Supported='capability-mask-2',
    IsCommunicatonManagementSupported='communication-management',
    IsSNMPTunnelingSupported='snmp-tunneling', IsReinitSupported='reinit',
    IsDeviceManagementSupported='device-management', IsVendorClassSupported='vendor-class',
    IsDRNoticeSupported='dr-notice', IsCapabilityMaskNoticeSupported='capability-mask-notice',
    IsBootManagementSupported='boot-management',
    IsLinkRoundTripLatencySupported='link-round-trip-latency',
    IsClientRegistrationSupported='client-reregistration',
    IsOtherLocalChangesNoticeSupported='other-local-changes-notice')
CAPABILITIES2 = word(
    IsSetNodeDescriptionSupported='set-node-description',
    IsPortInfoExtendedSupported='extended-port-info', IsVirtualizationSupported='virtualization',
    IsSwitchPortStateTableSupported='switch-port-state-table',
    IsLinkWidth2xSupported='link-width-2x', IsLinkSpeedHDRSupported='link-speed-hdr',
    IsMKeyProtectBitsExtSupported='mkey-protect-bits-ext',
    IsEnhancedTrap128Supported='enhanced-trap-128', IsPartitionTopSupported='partition-top',
    IsEnhancedQoSArbiterSupported='enhanced-qos-arbiter', IsLinkSpeedNDRSupported='link-speed-ndr')

NODE_INFO = {
    'BaseVers': ('base_version', number), 'ClassVers': ('class_version', number),
    'NodeType': ('node_type', NODE_TYPE), 'NumPorts': ('port_count', number),
    'SystemGuid': ('system_image_guid', guid), 'Guid': ('node_guid', guid),
    'PortGuid': ('port_guid', guid), 'PartCap': ('pkey_table_length', number),
    'DevId': ('device_id', hexadecimal), 'Revision': ('revision', hexadecimal),
    'LocalPort': ('local_port', number), 'VendorId': ('vendor_id', hexadecimal),
}

PORT_INFO = {
    'Mkey': (None, None),  # not displayed by either tool
    'GidPrefix': ('subnet_prefix', guid), 'Lid': ('lid', number), 'SMLid': ('sm_lid', number),
    'CapMask': ('cap_mask', hexadecimal), 'DiagCode': ('diag_code', hexadecimal),
    'MkeyLeasePeriod': ('mkey_lease_period_sec', number), 'LocalPort': ('local_port', number),
    'LinkWidthEnabled': ('width_enabled', alternatives(WIDTH)),
    'LinkWidthSupported': ('width_supported', alternatives(WIDTH)),
    'LinkWidthActive': ('width_lanes', LANES),
    'LinkSpeedSupported': ('speed_supported', alternatives(SPEED)),
    'LinkState': ('state', STATE), 'PhysLinkState': ('physical_state', PHYSICAL),
    'LinkDownDefState': ('down_default_state', PHYSICAL),
    'ProtectBits': ('mkey_protect', number), 'LMC': ('lmc', number),
    'LinkSpeedActive': ('speed_active', SPEED),
    'LinkSpeedEnabled': ('speed_enabled', alternatives(SPEED)),
    'NeighborMTU': ('neighbor_mtu_bytes', number), 'SMSL': ('sm_sl', number),
    'VLCap': ('vls_supported', virtual_lanes),
    'InitType': ('init_type', bits('no-load', 'preserve-content', 'preserve-presence',
                                   'do-not-resuscitate')),
    'VLHighLimit': ('vl_high_limit', number),
    'VLArbHighCap': ('vl_arbitration_high_cap', number),
    'VLArbLowCap': ('vl_arbitration_low_cap', number),
    'InitReply': ('init_type_reply', bits('no-load-reply', 'preserve-content-reply',
                                          'preserve-presence-reply')),
    'MtuCap': ('mtu_cap_bytes', number), 'VLStallCount': ('vl_stall_count', number),
    'HoqLife': ('hoq_life_code', number), 'OperVLs': ('vls_operational', virtual_lanes),
    'PartEnforceInb': ('partition_enforcement_in', boolean),
    'PartEnforceOutb': ('partition_enforcement_out', boolean),
    'FilterRawInb': ('filter_raw_in', boolean), 'FilterRawOutb': ('filter_raw_out', boolean),
    'MkeyViolations': ('mkey_violations', number), 'PkeyViolations': ('pkey_violations', number),
    'QkeyViolations': ('qkey_violations', number), 'GuidCap': ('guid_table_length', number),
    'ClientReregister': ('client_reregister', boolean),
    'McastPkeyTrapSuppressionEnabled': ('multicast_pkey_trap_suppression', number),
    'SubnetTimeout': ('subnet_timeout_usec', micro), 'RespTimeVal': ('response_time_usec', micro),
    'LocalPhysErr': ('local_phy_errors', number), 'OverrunErr': ('overrun_errors', number),
    'MaxCreditHint': ('max_credit_hint', number),
    'RoundTrip': ('link_round_trip_latency', number),
    'CapabilityMask2': ('cap_mask2', hexadecimal),
    'LinkSpeedExtActive': ('speed_ext_active', SPEED_EXT),
    'LinkSpeedExtSupported': ('speed_ext_supported', alternatives(SPEED_EXT)),
    'LinkSpeedExtEnabled': ('speed_ext_enabled', alternatives(SPEED_EXT)),
    # Newer tools print them whether the port has them or not; those of the simulator have not.
    'LinkSpeedExtActive2': (None, None), 'LinkSpeedExtSupported2': (None, None),
    'LinkSpeedExtEnabled2': (None, None),
}

SWITCH_INFO = {
    'LinearFdbCap': ('linear_fdb_cap', number), 'RandomFdbCap': ('random_fdb_cap', number),
    'McastFdbCap': ('multicast_fdb_cap', number), 'LinearFdbTop': ('linear_fdb_top', number),
    'DefPort': ('default_port', number),
    'DefMcastPrimPort': ('default_multicast_primary_port', number),
    'DefMcastNotPrimPort': ('default_multicast_other_port', number),
    'LifeTime': ('life_time_code', number), 'StateChange': ('port_state_change', boolean),
    'OptSLtoVLMapping': ('optimized_sl2vl', word(n0='none', n1='supported')),
    'LidsPerPort': ('lids_per_port', number),
    'PartEnforceCap': ('partition_enforcement_cap', number),
    'InboundPartEnf': ('partition_enforcement_in', boolean),
    'OutboundPartEnf': ('partition_enforcement_out', boolean),
    'FilterRawInbound': ('filter_raw_in', boolean),
    'FilterRawOutbound': ('filter_raw_out', boolean),
    'EnhancedPort0': ('enhanced_port0', boolean),
    'MulticastFDBTop': ('multicast_fdb_top', hexadecimal),
}

MEPI_SPEED = bits('fdr10')
MEPI = {
    'StateChangeEnable': ('state_change_enable', hexadecimal),
    'LinkSpeedSupported': ('speed_supported', MEPI_SPEED),
    'LinkSpeedEnabled': ('speed_enabled', MEPI_SPEED),
    'LinkSpeedActive': ('speed_active', MEPI_SPEED),
}

SELECT = {'PortSelect': ('port_select', number), 'CounterSelect': ('counter_select', hexadecimal)}
TRAFFIC = {
    'PortXmitData': ('xmit_data_bytes', in_words), 'PortRcvData': ('rcv_data_bytes', in_words),
    'PortXmitPkts': ('xmit_packets', number), 'PortRcvPkts': ('rcv_packets', number),
}
COUNTERS = {
    **SELECT, **TRAFFIC,
    'SymbolErrorCounter': ('symbol_errors', number),
    'LinkErrorRecoveryCounter': ('link_error_recoveries', number),
    'LinkDownedCounter': ('link_downed', number), 'PortRcvErrors': ('rcv_errors', number),
    'PortRcvRemotePhysicalErrors': ('rcv_remote_physical_errors', number),
    'PortRcvSwitchRelayErrors': ('rcv_switch_relay_errors', number),
    'PortXmitDiscards': ('xmit_discards', number),
    'PortXmitConstraintErrors': ('xmit_constraint_errors', number),
    'PortRcvConstraintErrors': ('rcv_constraint_errors', number),
    'CounterSelect2': ('counter_select2', hexadecimal),
    'LocalLinkIntegrityErrors': ('local_link_integrity_errors', number),
    'ExcessiveBufferOverrunErrors': ('excessive_buffer_overruns', number),
    'QP1Dropped': ('qp1_dropped', number), 'VL15Dropped': ('vl15_dropped', number),
    'PortXmitWait': ('xmit_wait_ticks', number),
}
EXTENDED = {
    **SELECT, **TRAFFIC,
    'PortUnicastXmitPkts': ('unicast_xmit_packets', number),
    'PortUnicastRcvPkts': ('unicast_rcv_packets', number),
    'PortMulticastXmitPkts': ('multicast_xmit_packets', number),
    'PortMulticastRcvPkts': ('multicast_rcv_packets', number),
}
RCV_ERRORS = {
    **SELECT,
    'PortLocalPhysicalErrors': ('local_physical_errors', number),
    'PortMalformedPktErrors': ('malformed_packet_errors', number),
    'PortBufferOverrunErrors': ('buffer_overrun_errors', number),
    'PortDLIDMappingErrors': ('dlid_mapping_errors', number),
    'PortVLMappingErrors': ('vl_mapping_errors', number),
    'PortLoopingErrors': ('looping_errors', number),
}
XMIT_DISCARDS = {
    **SELECT,
    'PortInactiveDiscards': ('inactive_discards', number),
    'PortNeighborMTUDiscards': ('neighbor_mtu_discards', number),
    'PortSwLifetimeLimitDiscards': ('switch_lifetime_limit_discards', number),
    'PortSwHOQLifetimeLimitDiscards': ('switch_hoq_lifetime_limit_discards', number),
}


# Layouts

def dotted(text):
    """[(label, value, flag lines below it)] of 'Label:......value' or 'label.......value'."""
    rows = []
    for line in text.splitlines():
        row = re.match(r'\s*(\w[\w ./]*?)(?::\.+|:?\.{2,})(.*)$', line)
        if row:
            rows.append((row[1].strip(), row[2], []))
        elif rows and re.match(r'\t+\w', line):
            rows[-1][2].append(line.strip())
    return rows


def by_table(text, table):
    """The values of one dump, by the keys of a table."""
    found = {}
    for label, value, _ in dotted(text):
        if label not in table:
            raise Unknown('label ' + label)
        key, convert = table[label]
        if key:
            found[key] = convert(value)
    return found


def description(result):
    """smpquery nodedesc, in bytes. It prints bytes other than ASCII as spaces."""
    return result.out.partition(b':')[2].rstrip(b'\n').lstrip(b'.')


# Active speed of a lane: its name, its signalling rate, and its share of the link's rate, in Gb/s
SPEEDS = {'sdr': ('SDR', 2.5, 2.5), 'ddr': ('DDR', 5, 5), 'qdr': ('QDR', 10, 10),
          'fdr': ('FDR', 14.0625, 14), 'edr': ('EDR', 25.78125, 25), 'hdr': ('HDR', 53.125, 50),
          'ndr': ('NDR', 106.25, 100)}


def port_info(text):
    """smpquery portinfo, with values derived from it."""
    found = by_table(text, PORT_INFO)
    flags = {label: lines for label, _, lines in dotted(text)}
    found['capabilities'] = [CAPABILITIES(line) for line in flags['CapMask']]
    found['capabilities2'] = [CAPABILITIES2(line) for line in flags['CapabilityMask2']]
    active = found['speed_ext_active']
    name, signal, counted = SPEEDS[found['speed_active'] if active == 'none' else active]
    found['speed'], found['speed_gbps'] = name, signal
    found['rate_gbps'] = counted * found['width_lanes']
    # smpquery prints a width and speed even without a link.
    if found['physical_state'] != 'link-up':
        found.update(dict.fromkeys(('width_lanes', 'speed', 'speed_gbps', 'rate_gbps')))
    return found


# Fields that are valid only if the node's capability mask has the bit
GATED = {
    'speed_ext_active': 1 << 14, 'speed_ext_supported': 1 << 14, 'speed_ext_enabled': 1 << 14,
    'cap_mask2': 1 << 15, 'capabilities2': 1 << 15, 'link_round_trip_latency': 1 << 24,
}


def table_rows(text):
    """'   0: 0xffff 0x0000' of pkeys and guidinfo: [value], in order, and the capacity."""
    values = []
    for line in text.splitlines():
        row = re.match(r'\s*(\d+):((?: 0x[0-9a-f]+)+)', line)
        if row:
            values += row[2].split()
    capacity = re.search(r'^(\d+) (?:pkeys|guids) capacity', text, re.M)
    return values, int(capacity[1])


def sl2vl(text):
    """{(input port, output port): [VL by SL]}"""
    rows = re.findall(r'^ports: in\s+(\d+), out\s+(\d+): \|(.*)\|$', text, re.M)
    return {(int(one), int(other)): [int(cell) for cell in cells.split('|')]
            for one, other, cells in rows}


def vl_arbitration(text):
    """{'low': [(vl, weight)], 'high': ...}; empty where the port has no tables."""
    found, priority, lanes = {}, None, None
    for line in text.splitlines():
        head = re.match(r'# (Low|High) priority', line)
        row = re.match(r'(VL|WEIGHT)\s*: \|(.*)\|$', line)
        if head:
            priority = head[1].lower()
            found[priority] = []
        elif row:
            cells = [int(cell.strip(), 16) for cell in row[2].split('|') if cell.strip()]
            if row[1] == 'VL':
                lanes = cells
            else:
                found[priority] += zip(lanes, cells)
    return found


def forwarding_tables(text):
    """dump_fts: {switch GUID: {LID: port}}"""
    found, table = {}, None
    for line in text.splitlines():
        head = re.match(r'Unicast lids .* guid (0x[0-9a-f]+)', line)
        row = re.match(r'0x([0-9a-f]{4}) (\d{3}) ', line)
        if head:
            table = found[guid(head[1])] = {}
        elif row:
            table[int(row[1], 16)] = int(row[2])
    return found


def multicast_tables(text):
    """dump_fts -M: {switch GUID: {MLID: {ports}}}. Column heads are the ports' last digits."""
    found, table, places = {}, None, {}
    for line in text.splitlines():
        head = re.match(r'Multicast mlids .* guid (0x[0-9a-f]+)', line)
        row = re.match(r'0x([0-9a-f]{4})\s', line)
        if head:
            table = found.setdefault(guid(head[1]), {})
        elif line.lstrip().startswith('Ports:'):
            places = {digit.start(): port for port, digit in enumerate(re.finditer(r'\d', line))}
        elif row:
            table[int(row[1], 16)] = {places[mark.start()] for mark in re.finditer('x', line)
                                      if mark.start() in places}
    return found


def records(text):
    """saquery: [{label: value}], one for each 'X dump:'."""
    found = []
    for part in re.split(r'^\w[\w ]* dump:$', text, flags=re.M)[1:]:
        found.append({label: value for label, value, _ in dotted(part)})
    return found


SM_STATE = {0: 'not-active', 1: 'discovering', 2: 'standby', 3: 'master'}


def sm_info(text):
    row = re.match(r'sminfo: sm lid (\d+) sm guid (0x[0-9a-f]+), activity count (\d+) '
                   r'priority (\d+) state (\d+) ', text)
    return {'port_guid': guid(row[2]), 'priority': int(row[4]), 'state': SM_STATE[int(row[5])],
            'activity_count': int(row[3])}


# Codes of SA records: two bits of selector, six of the value
MTU = {1: 256, 2: 512, 3: 1024, 4: 2048, 5: 4096}
RATE = {2: 2.5, 3: 10, 4: 30, 5: 5, 6: 20, 7: 40, 8: 60, 9: 80, 10: 120, 11: 14, 12: 56, 13: 112,
        14: 168, 15: 25, 16: 100, 17: 200, 18: 300, 19: 28, 20: 50, 21: 400, 22: 600, 23: 800,
        24: 1200}


def mtu(text):
    return MTU[int(text, 16) & 0x3f]


def rate(text):
    return RATE[int(text, 16) & 0x3f]


def lifetime(text):
    return 4.096 * 2 ** (int(text, 16) & 0x3f)
