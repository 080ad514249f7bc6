# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Every line of ibv_devinfo -v, and the column of `rdmactl caps` that shows the same value.

A label that is missing here is an error, and so is a key of rdmactl to which no label leads, unless
it is listed as an addition.
"""

from tap import unequal

STATES = {0: 'nop', 1: 'down', 2: 'init', 3: 'armed', 4: 'active', 5: 'active-defer'}
PHYSICAL_STATES = {0: 'no-change', 1: 'sleep', 2: 'polling', 3: 'disabled', 4: 'training',
                   5: 'link-up', 6: 'link-error-recovery', 7: 'phy-test'}
WIDTHS = {1: 1, 2: 4, 4: 8, 8: 12, 16: 2}
SPEEDS = {1: 'SDR', 2: 'DDR', 4: 'QDR', 8: 'FDR10', 16: 'FDR', 32: 'EDR', 64: 'HDR', 128: 'NDR',
          256: 'XDR'}
LANE_GBPS = {1: 2.5, 2: 5, 4: 10, 8: 10.3125, 16: 14.0625, 32: 25, 64: 50, 128: 100, 256: 200}
DEVICE_CAPS = {
    'RESIZE_MAX_WR': 'resize-max-wr', 'BAD_PKEY_CNTR': 'bad-pkey-counter',
    'BAD_QKEY_CNTR': 'bad-qkey-counter', 'RAW_MULTI': 'raw-multicast',
    'AUTO_PATH_MIG': 'automatic-path-migration', 'CHANGE_PHY_PORT': 'change-phy-port',
    'UD_AV_PORT_ENFORCE': 'ud-av-port-enforcement', 'CURR_QP_STATE_MOD':
    'current-qp-state-modifier', 'SHUTDOWN_PORT': 'shutdown-port', 'INIT_TYPE': 'init-type',
    'PORT_ACTIVE_EVENT': 'port-active-event', 'SYS_IMAGE_GUID': 'system-image-guid',
    'RC_RNR_NAK_GEN': 'rc-rnr-nak-generation', 'SRQ_RESIZE': 'srq-resize',
    'N_NOTIFY_CQ': 'notify-n-cqes', 'MEM_WINDOW': 'memory-window',
    'UD_IP_CSUM': 'ud-ip-checksum', 'XRC': 'xrc',
    'MEM_MGT_EXTENSIONS': 'memory-management-extensions',
    'MEM_WINDOW_TYPE_2A': 'memory-window-type-2a', 'MEM_WINDOW_TYPE_2B': 'memory-window-type-2b',
    'RC_IP_CSUM': 'rc-ip-checksum', 'RAW_IP_CSUM': 'raw-ip-checksum',
    'MANAGED_FLOW_STEERING': 'managed-flow-steering', 'RAW_SCATTER_FCS': 'raw-scatter-fcs',
    'PCI_WRITE_END_PADDING': 'pci-write-end-padding', 'CC_DMA_BOUNCE': 'cc-dma-bounce',
}
NEWER_CAPS = {0x2000000000: 'user-unregistration', 0x4000000000: 'flush-global',
              0x8000000000: 'flush-persistent', 0x10000000000: 'atomic-write'}
# Flags that ibv_devinfo of rdma-core 44 does not know (enum ibv_odp_transport_cap_bits).
NEWER_ODP = {1 << 6: 'flush', 1 << 7: 'atomic-write'}
ODP = {'ODP_SUPPORT': 'on-demand-paging', 'ODP_SUPPORT_IMPLICIT': 'implicit',
       'SUPPORT_SEND': 'send', 'SUPPORT_RECV': 'receive', 'SUPPORT_WRITE': 'write',
       'SUPPORT_READ': 'read', 'SUPPORT_ATOMIC': 'atomic', 'SUPPORT_SRQ': 'srq-receive',
       'SUPPORT_FLUSH': 'flush', 'SUPPORT_ATOMIC_WRITE': 'atomic-write', 'NO SUPPORT': None}
ATOMIC = {0: 'none', 1: 'hca', 2: 'global'}


def text(key):
    return lambda entry, row, known: {key: entry.text}


def count(key):
    """A number; ibv_devinfo prints 32 bits as signed, but the kernel's value is unsigned."""
    return lambda entry, row, known: {key: entry.number() & 0xffffffffffffffff
                                      if entry.number() >= 0 else entry.number() + (1 << 32)}


def mask(key):
    """A number that rdmactl writes in hexadecimal, with any number of digits."""
    def expect(entry, row, known):
        number = entry.number()
        ours = row.get(key)
        return {key: ours if ours is not None and int(ours, 16) == number else hex(number)}
    return expect


def named(word, names, newer, known):
    """The names of a word, or of the bits that this ibv_devinfo does not know."""
    if not word.startswith('Unknown flags: '):
        name = names.get(word, word)
        return [name] if name else []
    rest = int(word.split()[2], 16)
    known('unknown-flags')
    return [name for bit, name in newer.items() if rest & bit] or [word]


def words(key, names, newer=None):
    def expect(entry, row, known):
        return {key: [name for word in entry.words
                      for name in named(word, names, newer or {}, known)]}
    return expect


def both(*expectations):
    def expect(entry, row, known):
        merged = {}
        for one in expectations:
            merged.update(one(entry, row, known))
        return merged
    return expect


def code(key, names):
    return lambda entry, row, known: {key: names.get(entry.code(), entry.text)}


def fixed(key, value):
    return lambda entry, row, known: {key: value}


def nothing(entry, row, known):
    return {}


def subnet(key):
    """Zero on Ethernet, where there is no subnet manager."""
    def expect(entry, row, known):
        if row.get('link_layer') == 'ethernet' and row.get(key) is None and entry.number() == 0:
            known('lid-ethernet')
            return {key: None}
        return {key: entry.number()}
    return expect


def transport(entry, row, known):
    """The transport InfiniBand (0) includes RoCE; the link layer of a port distinguishes them."""
    ports = row.get('ports') or [{}]
    if entry.code() == 0:
        ethernet = ports[0].get('link_layer') == 'ethernet'
        return {'transport': 'roce' if ethernet else 'infiniband'}
    return {'transport': {1: 'iwarp', 2: 'usnic', 3: 'usnic', 4: 'unspecified'}.get(entry.code())}


def extended_flags(entry, row, known):
    """Names of the bits that device_cap_flags does not have."""
    wanted = [name for word in entry.words
              for name in named(word, DEVICE_CAPS, NEWER_CAPS, known)]
    both_masks = mask('device_cap_mask_ex')(entry, row, known)
    return dict(both_masks, device_cap_flags_ex=wanted)


def pacing(key):
    def expect(entry, row, known):
        if entry.number() == 0 and row.get(key) is None:
            known('pacing-none')
            return {key: None}
        return {key: entry.number()}
    return expect


def vls(entry, row, known):
    if entry.text.startswith('invalid value') and row.get('max_vls') is None:
        known('vls-invalid')
        return {'max_vls': None}
    return {'max_vls': entry.number()}


def speed(entry, row, known):
    return {'speed': SPEEDS.get(entry.code()), 'lane_speed_gbps': LANE_GBPS.get(entry.code())}


DEVICE_LABELS = {
    'transport': transport,
    'fw_ver': text('firmware'),
    'node_guid': text('node_guid'),
    'sys_image_guid': text('system_image_guid'),
    'vendor_id': mask('vendor_id'),
    'vendor_part_id': count('vendor_part_id'),
    'hw_ver': mask('hw_ver'),
    'board_id': text('board_id'),
    'phys_port_cnt': count('port_count'),
    'max_mr_size': count('max_mr_size_bytes'),
    'page_size_cap': mask('page_size_cap'),
    'device_cap_flags': both(mask('device_cap_mask'), words('device_cap_flags', DEVICE_CAPS)),
    'atomic_cap': code('atomic', ATOMIC),
    'general_odp_caps': words('odp_general_caps', ODP),
    'rc_odp_caps': words('rc_odp_caps', ODP, NEWER_ODP),
    'uc_odp_caps': words('uc_odp_caps', ODP, NEWER_ODP),
    'ud_odp_caps': words('ud_odp_caps', ODP, NEWER_ODP),
    'xrc_odp_caps': words('xrc_odp_caps', ODP, NEWER_ODP),
    'completion_timestamp_mask not supported': fixed('completion_timestamp_mask',
                                                     '0x0000000000000000'),
    'completion timestamp_mask': mask('completion_timestamp_mask'),
    'core clock not supported': fixed('hca_core_clock_khz', None),
    'hca_core_clock': count('hca_core_clock_khz'),
    'device_cap_flags_ex': extended_flags,
    'tso_caps': nothing,
    'tso_caps/max_tso': count('tso_max_size_bytes'),
    'rss_caps': nothing,
    'rss_caps/max_rwq_indirection_tables': count('rss_max_tables'),
    'rss_caps/max_rwq_indirection_table_size': count('rss_max_table_size'),
    'rss_caps/rx_hash_function': mask('rss_hash_function_mask'),
    'rss_caps/rx_hash_fields_mask': mask('rss_hash_field_mask'),
    'packet_pacing_caps': nothing,
    'packet_pacing_caps/qp_rate_limit_min': pacing('packet_pacing_rate_limit_min_kbps'),
    'packet_pacing_caps/qp_rate_limit_max': pacing('packet_pacing_rate_limit_max_kbps'),
    'tag matching not supported': both(fixed('tag_matching_max_tags', 0),
                                       fixed('tag_matching_max_ops', 0),
                                       fixed('tag_matching_max_sge', 0),
                                       fixed('tag_matching_max_header_bytes', 0),
                                       fixed('tag_matching_caps', [])),
}
for name in ('max_qp', 'max_qp_wr', 'max_sge', 'max_sge_rd', 'max_cq', 'max_cqe', 'max_mr',
             'max_pd', 'max_qp_rd_atom', 'max_ee_rd_atom', 'max_res_rd_atom',
             'max_qp_init_rd_atom', 'max_ee_init_rd_atom', 'max_ee', 'max_rdd', 'max_mw',
             'max_raw_ipv6_qp', 'max_raw_ethy_qp', 'max_mcast_grp', 'max_mcast_qp_attach',
             'max_total_mcast_qp_attach', 'max_ah', 'max_fmr', 'max_map_per_fmr', 'max_srq',
             'max_srq_wr', 'max_srq_sge', 'max_pkeys', 'local_ca_ack_delay', 'max_wq_type_rq',
             'num_comp_vectors'):
    DEVICE_LABELS[name] = count(name)

PORT_LABELS = {
    'state': code('state', STATES),
    'max_mtu': count('max_mtu_bytes'),
    'active_mtu': count('active_mtu_bytes'),
    'sm_lid': subnet('sm_lid'),
    'port_lid': subnet('lid'),
    'port_lmc': subnet('lmc'),
    'link_layer': lambda entry, row, known: {'link_layer': entry.text.lower()},
    'max_msg_sz': count('max_msg_size_bytes'),
    'port_cap_flags': mask('cap_mask'),
    'port_cap_flags2': mask('cap_mask2'),
    'max_vl_num': vls,
    'bad_pkey_cntr': count('bad_pkey_count'),
    'qkey_viol_cntr': count('bad_qkey_count'),
    'sm_sl': subnet('sm_sl'),
    'pkey_tbl_len': count('pkey_table_length'),
    'gid_tbl_len': count('gid_table_length'),
    'subnet_timeout': subnet('subnet_timeout'),
    'init_type_reply': subnet('init_type_reply'),
    'active_width': code('width_lanes', WIDTHS),
    'active_speed': speed,
    'phys_state': code('physical_state', PHYSICAL_STATES),
    'gids': None,
}

# Columns that only rdmactl has: computed values, decoded masks, and values that ibv_devinfo prints
# only if they are not zero (they are zero on the guest's devices) or not at all.
DEVICE_ADDITIONS = {
    'device', 'min_page_size_bytes', 'local_ca_ack_delay_us', 'board_id', 'max_map_per_fmr',
    'max_srq_wr', 'max_srq_sge', 'pci_atomic_fetch_add', 'pci_atomic_swap',
    'pci_atomic_compare_swap', 'raw_packet_caps', 'tso_qp_types', 'rss_hash_functions',
    'rss_hash_fields', 'rss_qp_types', 'packet_pacing_qp_types', 'cq_moderation_max_count',
    'cq_moderation_max_period_us', 'max_device_memory_bytes', 'ports',
}
# Columns that ibv_devinfo -v omits when they are empty.
NONE_IF_NOT_PRINTED = {
    'board_id', 'raw_packet_caps', 'tso_qp_types', 'rss_qp_types', 'packet_pacing_qp_types',
    'cq_moderation_max_count', 'cq_moderation_max_period_us', 'max_device_memory_bytes',
}
PORT_ADDITIONS = {'device', 'port', 'capabilities', 'capabilities2', 'ip_based_gids',
                  'grh_required', 'subnet_timeout_us', 'physical_state'}


def _compare_record(what, row, theirs, labels, additions, known):
    wrong, seen = [], set()
    for label, entry in theirs.items():
        if label not in labels:
            if label != 'ports':
                wrong.append('%s: ibv_devinfo -v has %s, which rdmactl lacks' % (what, label))
            continue
        if labels[label] is None:
            continue
        for key, value in labels[label](entry, row, known).items():
            seen.add(key)
            wrong += unequal('%s %s' % (what, key), row.get(key, 'missing'), value)
    for key in sorted(NONE_IF_NOT_PRINTED & set(row) - seen):
        if row[key]:
            wrong.append('%s: ibv_devinfo -v has no %s, rdmactl prints %r' % (what, key, row[key]))
    for key in sorted(set(row) - seen - additions):
        wrong.append('%s: no line of ibv_devinfo -v leads to %s' % (what, key))
    return wrong


def _computed(what, row):
    pages = int(row['page_size_cap'], 16)
    return (unequal(what + ' min_page_size_bytes', row['min_page_size_bytes'], pages & -pages) +
            unequal(what + ' local_ca_ack_delay_us', row['local_ca_ack_delay_us'],
                    4.096 * 2 ** row['local_ca_ack_delay']))


def compare(device, row, theirs, known):
    wrong = _compare_record(device, row, theirs, DEVICE_LABELS, DEVICE_ADDITIONS, known)
    wrong += _computed(device, row)
    ports = {port['port']: port for port in row['ports']}
    wrong += unequal(device + ' ports', sorted(ports), sorted(theirs['ports']))
    for number, port in theirs['ports'].items():
        if number not in ports:
            continue
        what = '%s/%d' % (device, number)
        wrong += _compare_record(what, ports[number], port, PORT_LABELS, PORT_ADDITIONS, known)
        if 'phys_state' not in port:
            known('iwarp-physical-state')
    return wrong
