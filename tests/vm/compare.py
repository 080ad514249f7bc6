# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Compares the output of rdmactl with that of the real tools at the same moment.

A difference where rdmactl is right is in this table, and every comparison that meets it reports it
with known(). Any other difference is an error.
"""

import os

import caps_map
import peers
import program
from tap import unequal

DIFFERENCES = {
    'ibstat-iwarp':
        'ibstat leaves iWARP devices out (libibumad knows InfiniBand node types only); '
        'rdmactl lists them',
    'firmware-none':
        'ibv_devinfo prints fw_ver 0.0.0 for a device without firmware (a zero, formatted by the '
        'provider library); devices prints null, as sysfs and RDMA netlink have none; caps repeats '
        'the library',
    'lid-ethernet':
        'ibstat and ibv_devinfo print LID, LMC, SM LID, SM SL 0 (and ibv_devinfo subnet timeout and '
        'init type 0) for an Ethernet port, which has none of them: rdmactl prints null',
    'rate-cut':
        'ibstat truncates the rate to an integer (except 2.5); rdmactl prints the decimals',
    'ibv-gid-low-half-zero':
        'ibv_devinfo -v leaves out a GID whose low half is zero, as that of an iWARP port is; '
        'rdmactl lists it as sysfs does',
    'iwarp-gid-type':
        'sysfs and show_gids call the GID of an iWARP port "IB/RoCE v1", but it is not RoCE: rdmactl '
        'prints ib',
    'show-gids-ipv4':
        'show_gids takes every GID that begins with 0000 for an IPv4 address; rdmactl only those '
        'of ::ffff:0:0/96',
    'show-gids-stranger':
        'sysfs, and so show_gids, names the netdev of a GID without looking at network namespaces; '
        'rdmactl names it only if it is in this one',
    'dcb-maxrate-unit':
        'dcb of iproute2 6.1 takes the kilobits a second of maxrate (linux/dcbnl.h) for bytes, in '
        'both directions, which a later release corrects; rdmactl takes them for kilobits',
    'pacing-none':
        'ibv_devinfo prints 0kbps for the rate limits of a device without packet pacing; rdmactl '
        'prints null',
    'vls-invalid':
        'ibv_devinfo prints "invalid value (0)" for the VLs of a port that has none; rdmactl prints '
        'null',
    'iwarp-physical-state':
        'ibv_devinfo -v omits the physical state unless the transport is InfiniBand; rdmactl prints '
        'that of the kernel',
    'unknown-flags':
        'ibv_devinfo prints "Unknown flags" for capability bits newer than itself; rdmactl names '
        'them',
    'rdma-hostile-name':
        'rdma, ibstat and ibv_devinfo print control bytes in a device name as they are; rdmactl '
        'writes them as \\xNN',
    'rdma-poll-context':
        'rdma res show cq names the poll context by the numbers of kernels before 5.8, one off; '
        'rdmactl by those since',
    'rdma-srq-command':
        'rdma res show srq of iproute2 6.1 overwrites the name of the command with numbers of '
        'queue pairs; rdmactl has the name',
    'rdma-hostile-command':
        'rdma res prints control bytes in the name of a process unchanged, which makes its JSON '
        'invalid; rdmactl writes them as \\xNN',
    'rdma-no-peer':
        'rdma res show cm_id prints 0.0.0.0:0 for the peer of an identifier that listens; rdmactl '
        'says null',
}

_met = {}


def known(difference):
    """Records that a difference of the table was found."""
    _met[difference] = _met.get(difference, 0) + 1
    assert difference in DIFFERENCES, difference


def met():
    return ['%s (%d times): %s' % (name, _met[name], DIFFERENCES[name]) for name in DIFFERENCES
            if name in _met]


class Snapshot:
    """All answers, taken one after the other while nothing changes.

    Only the first `slots` entries of the GID tables in sysfs are read: with 64 devices there are
    65536 files.
    """

    def __init__(self, slots):
        self.ours = {name: program.listing(name) for name in program.LISTINGS}
        self.ibstat = peers.ibstat()
        self.ibv = peers.ibv_devinfo()
        self.rdma_dev = {row['ifname']: row for row in peers.rdma('-d', 'dev')}
        self.rdma_link = {(row['ifname'], row['port']): row for row in peers.rdma('-d', 'link')}
        self.links = {row['ifname']: row for row in peers.ip_links()}
        self.gids = peers.sysfs_gids(slots)
        self.pkeys = peers.sysfs_pkeys()

    def rows(self, name, *keys):
        return self.ours[name].by(*keys)

    def incomplete(self):
        """The listings whose exit status was not 0."""
        return [line for document in self.ours.values() if document.status != 0
                for line in document.describe()]


def _same_set(what, ours, theirs):
    if set(ours) == set(theirs):
        return []
    return ['%s: only rdmactl has %s, only the other %s' %
            (what, sorted(set(ours) - set(theirs)), sorted(set(theirs) - set(ours)))]


# devices

def _hex_guid(text):
    """A GUID like 0x000000fffe000901 of ibstat, as rdmactl writes it."""
    digits = '%016x' % int(text, 16)
    return ':'.join(digits[i:i + 4] for i in range(0, 16, 4))


def _transport(ibv):
    words = {'InfiniBand (0)': 'infiniband', 'iWARP (1)': 'iwarp', 'usNIC (2)': 'usnic',
             'usNIC UDP (3)': 'usnic', 'unspecified (4)': 'unspecified'}
    word = words.get(ibv['transport'].text)
    ethernet = any(port['link_layer'].text == 'Ethernet' for port in ibv['ports'].values())
    return 'roce' if word == 'infiniband' and ethernet else word


def devices(shot):
    rows = shot.rows('devices', 'device')
    return (_devices_of_rdma(shot, rows) + _devices_of_ibv(shot, rows) +
            _devices_of_ibstat(shot, rows) + _devices_of_sysfs(rows))


def _devices_of_rdma(shot, rows):
    wrong = _same_set('devices of rdma dev', rows, shot.rdma_dev)
    for name, theirs in shot.rdma_dev.items():
        row = rows.get(name, {})
        netdevs = [link['netdev'] for (device, _), link in sorted(shot.rdma_link.items())
                   if device == name and 'netdev' in link]
        wrong += unequal(name + ' index', row.get('index'), theirs['ifindex'])
        wrong += unequal(name + ' node_type', row.get('node_type'), theirs['node_type'])
        wrong += unequal(name + ' node_guid', row.get('node_guid'), theirs['node_guid'])
        wrong += unequal(name + ' system_image_guid', row.get('system_image_guid'),
                         theirs['sys_image_guid'])
        wrong += unequal(name + ' firmware', row.get('firmware'), theirs.get('fw'))
        wrong += unequal(name + ' netdevs', row.get('netdevs'), netdevs)
    return wrong


def _devices_of_ibv(shot, rows):
    wrong = _same_set('devices of ibv_devinfo', rows, shot.ibv)
    for name, theirs in shot.ibv.items():
        row = rows.get(name, {})
        states = {caps_map.STATES[port['state'].code()] for port in theirs['ports'].values()}
        wrong += unequal(name + ' node_guid', row.get('node_guid'), theirs['node_guid'].text)
        wrong += unequal(name + ' system_image_guid', row.get('system_image_guid'),
                         theirs['sys_image_guid'].text)
        wrong += unequal(name + ' port_count', row.get('port_count'),
                         theirs['phys_port_cnt'].number())
        wrong += unequal(name + ' transport', row.get('transport'), _transport(theirs))
        if len(states) == 1:
            wrong += unequal(name + ' state', row.get('state'), states.pop())
        if theirs['fw_ver'].text == '0.0.0' and row.get('firmware') is None:
            known('firmware-none')
        else:
            wrong += unequal(name + ' firmware', row.get('firmware'), theirs['fw_ver'].text)
        wrong += unequal(name + ' board_id', row.get('board_id'),
                         theirs['board_id'].text if 'board_id' in theirs else None)
    return wrong


def _devices_of_ibstat(shot, rows):
    listed = {name for name, row in rows.items() if row['node_type'] in ('ca', 'switch', 'router')}
    wrong = _same_set('devices of ibstat', listed, shot.ibstat)
    if len(listed) < len(rows):
        known('ibstat-iwarp')
    for name, theirs in shot.ibstat.items():
        row = rows.get(name, {})
        wrong += unequal(name + ' node_guid', row.get('node_guid'), _hex_guid(theirs['Node GUID']))
        wrong += unequal(name + ' system_image_guid', row.get('system_image_guid'),
                         _hex_guid(theirs['System image GUID']))
        wrong += unequal(name + ' port_count', row.get('port_count'),
                         int(theirs['Number of ports']))
        for key, label in (('hca_type', 'CA type'), ('firmware', 'Firmware version'),
                           ('hardware_revision', 'Hardware version')):
            wrong += unequal(name + ' ' + key, row.get(key), theirs.get(label) or None)
    return wrong


def _devices_of_sysfs(rows):
    wrong = []
    verbs = peers.chardevs('infiniband_verbs')
    mads = peers.chardevs('infiniband_mad')
    for name in peers.listdir(peers.RDMA):
        row = rows.get(name, {})
        nodes = mads.get(name, [])
        description = peers.read('%s/%s/node_desc' % (peers.RDMA, name))
        drivers = {'rx': 'rdma_rxe', 'sw': 'siw'}  # bed.sh gives them these names
        wrong += unequal(name + ' node_description', row.get('node_description'), description)
        wrong += unequal(name + ' uverbs', row.get('uverbs'), (verbs.get(name) or [None])[0])
        wrong += unequal(name + ' umads', row.get('umads'),
                         [node for node in nodes if node.startswith('umad')])
        wrong += unequal(name + ' issms', row.get('issms'),
                         [node for node in nodes if node.startswith('issm')])
        if name[:2] in drivers:
            wrong += unequal(name + ' driver', row.get('driver'), drivers[name[:2]])
    return wrong


# ports

def _guid_or_none(guid):
    """An iWARP GID has the MAC in its upper half and no port GUID in the lower one."""
    return None if guid == '0000:0000:0000:0000' else guid


def _null_on_ethernet(row, key, what, theirs):
    """A number set by the subnet manager: the old tools print zero if there is none."""
    if row.get('link_layer') == 'ethernet' and row.get(key) is None and theirs == 0:
        known('lid-ethernet')
        return []
    return unequal(what + ' ' + key, row.get(key), theirs)


def ports(shot):
    rows = shot.rows('ports', 'device', 'port')
    return (_ports_of_ibstat(shot, rows) + _ports_of_rdma(shot, rows) +
            _ports_of_ibv(shot, rows) + _ports_of_kernel(shot, rows))


def _ports_of_ibstat(shot, rows):
    wrong = []
    states = {'Down': 'down', 'Initializing': 'init', 'Armed': 'armed', 'Active': 'active'}
    physical = {'No state change': 'no-change', 'Sleep': 'sleep', 'Polling': 'polling',
                'Disabled': 'disabled', 'PortConfigurationTraining': 'training',
                'LinkUp': 'link-up', 'LinkErrorRecovery': 'link-error-recovery',
                'PhyTest': 'phy-test'}
    for name, theirs in shot.ibstat.items():
        for number, port in theirs['ports'].items():
            row, what = rows.get((name, number), {}), '%s/%d' % (name, number)
            rate, _, fdr10 = port['Rate'].partition(' ')
            wrong += unequal(what + ' state', row.get('state'), states.get(port['State']))
            wrong += unequal(what + ' physical_state', row.get('physical_state'),
                             physical.get(port['Physical state']))
            if float(rate) != row.get('rate_gbps') and int(float(rate)) == int(row['rate_gbps']):
                known('rate-cut')
            else:
                wrong += unequal(what + ' rate_gbps', row.get('rate_gbps'), float(rate))
            wrong += unequal(what + ' speed is FDR10', row.get('speed') == 'FDR10', bool(fdr10))
            for key, label in (('lid', 'Base lid'), ('lmc', 'LMC'), ('sm_lid', 'SM lid')):
                wrong += _null_on_ethernet(row, key, what, int(port[label]))
            wrong += unequal(what + ' cap_mask', int(row.get('cap_mask') or '-1', 16),
                             int(port['Capability mask'], 16))
            wrong += unequal(what + ' port_guid', row.get('port_guid'),
                             _hex_guid(port['Port GUID']))
            wrong += unequal(what + ' link_layer', row.get('link_layer'),
                             port['Link layer'].lower())
    return wrong


def _ports_of_rdma(shot, rows):
    wrong = _same_set('ports of rdma link', rows, shot.rdma_link)
    for key, theirs in shot.rdma_link.items():
        row, what = rows.get(key, {}), '%s/%d' % key
        wrong += unequal(what + ' state', row.get('state'), theirs['state'].lower())
        wrong += unequal(what + ' physical_state', row.get('physical_state'),
                         theirs['physical_state'].lower().replace('_', '-'))
        wrong += unequal(what + ' netdev', row.get('netdev'), theirs.get('netdev'))
        for ours, label in (('lid', 'lid'), ('sm_lid', 'sm_lid'), ('lmc', 'lmc')):
            if label in theirs:
                wrong += _null_on_ethernet(row, ours, what, int(theirs[label]))
    return wrong


def _ports_of_ibv(shot, rows):
    wrong = []
    for name, theirs in shot.ibv.items():
        for number, port in theirs['ports'].items():
            row, what = rows.get((name, number), {}), '%s/%d' % (name, number)
            wrong += unequal(what + ' state', row.get('state'),
                             caps_map.STATES[port['state'].code()])
            if 'phys_state' in port:
                wrong += unequal(what + ' physical_state', row.get('physical_state'),
                                 caps_map.PHYSICAL_STATES[port['phys_state'].code()])
            for key, label in (('active_mtu_bytes', 'active_mtu'), ('max_mtu_bytes', 'max_mtu'),
                               ('gid_table_length', 'gid_tbl_len'),
                               ('pkey_table_length', 'pkey_tbl_len')):
                wrong += unequal(what + ' ' + key, row.get(key), port[label].number())
            for key, label in (('lid', 'port_lid'), ('lmc', 'port_lmc'), ('sm_lid', 'sm_lid'),
                               ('sm_sl', 'sm_sl')):
                wrong += _null_on_ethernet(row, key, what, port[label].number())
            lanes = caps_map.WIDTHS[port['active_width'].code()]
            speed = caps_map.SPEEDS[port['active_speed'].code()]
            wrong += unequal(what + ' width_speed', row.get('width_speed'),
                             '%dX %s' % (lanes, speed))
            wrong += unequal(what + ' width_lanes', row.get('width_lanes'), lanes)
            wrong += unequal(what + ' speed', row.get('speed'), speed)
            wrong += unequal(what + ' link_layer', row.get('link_layer'),
                             port['link_layer'].text.lower())
    return wrong


def _ports_of_kernel(shot, rows):
    """Columns that no RDMA tool shows, compared with sysfs and ip link."""
    wrong = []
    for device, number, path in peers.port_directories():
        row, what = rows.get((device, number), {}), '%s/%d' % (device, number)
        rate = (peers.read(path + '/rate') or '').partition(' ')[0]
        gid = peers.read(path + '/gids/0') or ''
        link = shot.links.get(row.get('netdev'), {})
        wrong += unequal(what + ' rate_gbps', row.get('rate_gbps'), float(rate))
        wrong += unequal(what + ' port_guid', row.get('port_guid'), _guid_or_none(gid[20:]))
        wrong += unequal(what + ' gid_table_length', row.get('gid_table_length'),
                         len(peers.listdir(path + '/gids')))
        wrong += unequal(what + ' pkey_table_length', row.get('pkey_table_length'),
                         len(peers.listdir(path + '/pkeys')))
        wrong += unequal(what + ' netdev_mtu_bytes', row.get('netdev_mtu_bytes'), link.get('mtu'))
        wrong += unequal(what + ' netdev_operstate', row.get('netdev_operstate'), operstate(link))
        changes = peers.read('%s/%s/carrier_changes' % (peers.NET, row.get('netdev')))
        wrong += unequal(what + ' carrier_changes', row.get('carrier_changes'),
                         int(changes) if changes else None)
    return wrong


# gids

def gids(shot):
    rows = shot.rows('gids', 'device', 'port', 'index')
    transports = {name: row['transport'] for name, row in shot.rows('devices', 'device').items()}
    return (_gids_of_ibv(shot, rows, transports) + gids_of_sysfs(rows, shot.gids, transports) +
            _gids_of_show_gids(rows, shot.gids, transports) + _gids_of_ip(rows, shot, transports))


def _gids_of_ibv(shot, rows, transports):
    theirs = {(name, number, index): peers.ibv_gid(text)
              for name, device in shot.ibv.items()
              for number, port in device['ports'].items() for index, text in port['gids'].items()}
    skipped = {key for key, row in rows.items() if row['gid'].endswith(peers.ZERO[20:])}
    if skipped:
        known('ibv-gid-low-half-zero')
    wrong = _same_set('GIDs of ibv_devinfo -v', set(rows) - skipped, theirs)
    for key, (gid, kind) in theirs.items():
        row, what = rows.get(key, {}), '%s/%d GID %d' % key
        wrong += unequal(what, row.get('gid'), gid)
        wrong += unequal(what + ' type', row.get('type'), kind)
    return wrong


def _type_of_sysfs(word, transport):
    if transport in ('infiniband', 'opa'):
        return 'ib'
    if transport == 'iwarp' and word == 'IB/RoCE v1':
        known('iwarp-gid-type')
        return 'ib'
    return {'IB/RoCE v1': 'roce-v1', 'RoCE v2': 'roce-v2'}.get(word, word)


def gids_of_sysfs(rows, table, transports):
    wrong = _same_set('GIDs of sysfs', rows, table)
    for key, (gid, kind, netdev) in table.items():
        row, what = rows.get(key, {}), '%s/%d GID %d' % key
        wrong += unequal(what, row.get('gid'), gid)
        wrong += unequal(what + ' type', row.get('type'), _type_of_sysfs(kind, transports[key[0]]))
        if netdev and row.get('netdev') is None and not os.path.exists(peers.NET + '/' + netdev):
            known('show-gids-stranger')
        else:
            wrong += unequal(what + ' netdev', row.get('netdev'), netdev or None)
    return wrong


def _gids_of_show_gids(rows, table, transports):
    theirs = peers.show_gids(table)
    wrong = _same_set('rows of show_gids', rows, theirs)
    for key, (gid, address, version, netdev) in theirs.items():
        row, what = rows.get(key, {}), '%s/%d GID %d of show_gids' % key
        wrong += unequal(what, row.get('gid'), gid)
        version = {'v1': 'roce-v1', 'v2': 'roce-v2'}.get(version)
        if transports[key[0]] == 'iwarp' and row.get('type') == 'ib':
            known('iwarp-gid-type')
        else:
            wrong += unequal(what + ' version', row.get('type'), version)
        if gid.startswith('0000:0000:0000:0000:0000:ffff:'):
            wrong += unequal(what + ' address', row.get('ip'), address)
        elif address:
            known('show-gids-ipv4')
        if row.get('netdev') or not netdev:
            wrong += unequal(what + ' netdev', row.get('netdev'), netdev or None)
    return wrong


def _gids_of_ip(rows, shot, transports):
    """VLAN, master and the netdev that has the address, compared with ip link and ip addr."""
    wrong, places = [], {}
    for name, addresses in ip_addresses().items():
        for address, length in addresses.items():
            places.setdefault(address, {})[name] = length
    for key, row in rows.items():
        what, netdev = '%s/%d GID %d' % key, row['netdev']
        link = shot.links.get(netdev, {})
        wrong += unequal(what + ' vlan', row['vlan'],
                         link.get('linkinfo', {}).get('info_data', {}).get('id')
                         if link.get('linkinfo', {}).get('info_kind') == 'vlan' else None)
        wrong += unequal(what + ' master', row['master'], link.get('master'))
        if transports[key[0]] != 'roce':
            wrong += unequal(what + ' ip', row['ip'], None)
            continue
        wrong += unequal(what + ' ip', peers.full_gid(_mapped(row['ip'])), row['gid'])
        place = places.get(row['ip'], {})
        wanted = netdev if netdev in place else min(place, default=None)
        wrong += unequal(what + ' address_netdev', row['address_netdev'], wanted)
        wrong += unequal(what + ' prefix_length', row['prefix_length'], place.get(wanted))
    return wrong


def _mapped(address):
    return address if ':' in address else '::ffff:' + address


def ip_addresses(prefix=()):
    """{netdev: {address: prefix length}}"""
    rows = peers.json.loads(peers.must('ip', '-j', 'addr', prefix=prefix).text())
    return {row['ifname']: {info['local']: info['prefixlen'] for info in row['addr_info']}
            for row in rows}


# pkeys, netdevs

def pkeys(shot):
    rows = shot.rows('pkeys', 'device', 'port', 'index')
    theirs = {key: text for key, text in shot.pkeys.items() if int(text, 16) & 0x7fff}
    wrong = _same_set('P_Keys of sysfs', rows, theirs)
    for key, text in theirs.items():
        row, what = rows.get(key, {}), '%s/%d P_Key %d' % key
        wrong += unequal(what, row.get('pkey'), text)
        wrong += unequal(what + ' membership', row.get('membership'),
                         'full' if int(text, 16) & 0x8000 else 'limited')
        wrong += unequal(what + ' netdevs', row.get('netdevs'), [])
    return wrong


def operstate(link):
    words = {'LOWERLAYERDOWN': 'lower-layer-down', 'NOTPRESENT': 'not-present'}
    word = link.get('operstate')
    return words.get(word, word.lower()) if word else None


def netdevs(shot):
    rows = shot.rows('netdevs', 'device', 'port')
    wrong = _same_set('ports of rdma link', rows, shot.rdma_link)
    for key, theirs in shot.rdma_link.items():
        row, what = rows.get(key, {}), 'netdev of %s/%d' % key
        name = theirs.get('netdev')
        link = shot.links.get(name, {})
        wrong += unequal(what, row.get('netdev'), name)
        wrong += unequal(what + ' namespace', row.get('namespace'), 'own' if name else 'unknown')
        wrong += unequal(what + ' operstate', row.get('operstate'), operstate(link))
        wrong += unequal(what + ' address', row.get('address'), link.get('address'))
        wrong += unequal(what + ' mtu_bytes', row.get('mtu_bytes'), link.get('mtu'))
        wrong += unequal(what + ' master', row.get('master'), link.get('master'))
        wrong += unequal(what + ' kind', row.get('kind'), link.get('linkinfo', {}).get('info_kind'))
        wrong += unequal(what + ' ipoib', row.get('ipoib'), [])
        if name:
            wrong += _netdev_lists(shot.links, row, what, name)
    return wrong


def _netdev_lists(links, row, what, name):
    lower = {name, links[name].get('master')}
    vlans = [link for link, data in links.items()
             if data.get('linkinfo', {}).get('info_kind') == 'vlan' and data.get('link') in lower]
    members = [link for link, data in links.items() if data.get('master') == name]
    speed = peers.read('%s/%s/speed' % (peers.NET, name))
    speed = int(speed) if speed and int(speed) > 0 else None
    return (unequal(what + ' vlans', sorted(row.get('vlans') or []), sorted(vlans)) +
            unequal(what + ' members', sorted(row.get('members') or []), sorted(members)) +
            unequal(what + ' speed_mbps', row.get('speed_mbps'), speed))


def caps(shot):
    rows = shot.rows('caps', 'device')
    wrong = _same_set('devices of ibv_devinfo -v', rows, shot.ibv)
    for name, theirs in shot.ibv.items():
        if name in rows:
            wrong += caps_map.compare(name, rows[name], theirs, known)
    return wrong


ALL = {'devices': devices, 'ports': ports, 'gids': gids, 'pkeys': pkeys, 'netdevs': netdevs,
       'caps': caps}
