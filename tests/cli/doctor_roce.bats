#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

# shellcheck source=doctor.bash
source "$BATS_TEST_DIRNAME/doctor.bash"

rdma=sys/class/infiniband
net=sys/class/net

# deny PATH [ERRNO]: makes a file of the tree unreadable.
deny()
{
	put "$1" "!${2-EIO}"
}

# verdicts STATUS ID LINES [OPTION...]: compares OBJECT VERDICT SUMMARY [NEEDS] of each result, and
# the exit status.
verdicts()
{
	local got='' row "${columns[@]}"

	ask "$2" "${@:4}"
	for row in "${rows[@]}"; do
		look "$row"
		got+="${got:+$'\n'}${object:--} $verdict $summary${needs:+ [$needs]}"
	done
	[ "$got" = "$3" ] && [ "$status" = "$1" ] && return
	printf 'status %s, wanted %s\n%s' "$status" "$1" "$stderr"
	diff -u <(echo "$3") <(echo "$got")
	return 1
}

# drop_gids DEVICE INDEX...: empties slots of the table.
drop_gids()
{
	local device=$1 index

	shift
	for index; do
		put "$rdma/$device/ports/1/gids/$index" 0000:0000:0000:0000:0000:0000:0000:0000
	done
}

there='the GIDs of IP addresses are there, but a saved tree does not hold the addresses to compare them with'

@test "gid-present: what a saved tree shows" {
	copy roce-bond-vlan
	verdicts 0 gid-present "mlx5_bond_0/1 not-checked $there [live]"
	member mlx5_bond_0/1 evidence '8 GIDs, 4 of them for IP addresses, of these 2 RoCE v2'
	# RoCE v1 only
	drop_gids mlx5_bond_0 5 7
	verdicts 4 gid-present 'mlx5_bond_0/1 warning IP addresses of the port have only RoCE v1 GIDs'
	member mlx5_bond_0/1 next_step 'ip link set dev bond0 up; if the GIDs do not appear, remove each address and add it again (not over a connection that uses it), and then the routes that went with it: ip address del ADDRESS/LENGTH dev bond0 && ip address add ADDRESS/LENGTH dev bond0'
	# All of the port are missing, which is nothing special only with ConnectX-3.
	drop_gids mlx5_bond_0 1 3
	verdicts 4 gid-present 'mlx5_bond_0/1 warning IP addresses of the port have only RoCE v1 GIDs'
	member mlx5_bond_0/1 next_step 'let peers in the same subnet use RoCE v1, too, unless the adapter has a setting for RoCE v2: most likely the driver offers v1 only'
	ln -sfn ../../../bus/pci/drivers/mlx4_core "$tree/$rdma/mlx5_bond_0/device/driver"
	verdicts 0 gid-present 'mlx5_bond_0/1 note IP addresses of the port have only RoCE v1 GIDs'
	# link-local only
	drop_gids mlx5_bond_0 4 6
	verdicts 0 gid-present 'mlx5_bond_0/1 note the port has no IP address, so its GIDs are link-local only'
	member mlx5_bond_0/1 next_step 'if the port is to be used: ip link set dev bond0 up && ip address add ADDRESS/LENGTH dev bond0'
	drop_gids mlx5_bond_0 0 1 2 3
	verdicts 0 gid-present 'mlx5_bond_0/1 not-checked the port has no GID at all, not even a link-local one; only RDMA netlink shows whether it offers RoCE [live]'
	put $rdma/mlx5_bond_0/ports/1/state '1: DOWN'
	verdicts 0 gid-present 'mlx5_bond_0/1 note the port is not active and has no GID'
}

@test "gid-present: a table that cannot be read is not empty" {
	copy roce-bond-vlan
	deny $rdma/mlx5_bond_0/ports/1/gids/5
	verdicts 3 gid-present 'mlx5_bond_0/1 not-checked part of the GID table is not known'
	copy roce-bond-vlan
	rm -r "$tree/$rdma/mlx5_bond_0/ports/1/gids"
	deny $rdma/mlx5_bond_0/ports/1/gids EACCES
	verdicts 3 gid-present 'mlx5_bond_0/1 not-checked part of the GID table is not known'
}

@test "gid-present, roce-mtu: do not apply to InfiniBand and iWARP" {
	local machine

	for machine in cx5-ib-edr irdma-iwarp; do
		copy $machine
		verdicts 0 gid-present,roce-mtu ''
		quickly try doctor --root "$tree" --only gid-present,roce-mtu --json
		jq -e '.doctor == [] and .problems == []' <<<"$output"
	done
}

@test "roce-mtu: the kernel's arithmetic" {
	local wanted='the MTU of the netdev does not allow the full RDMA MTU of 4096'

	copy roce-bond-vlan
	verdicts 0 roce-mtu 'mlx5_bond_0/1 ok the netdev allows the full RDMA MTU of 4096'
	member mlx5_bond_0/1 evidence 'bond0: MTU 9000, so the RDMA MTU is 4096; 4096 needs 4192'
	for netdev in bond0 bond0.200 enp193s0f0np0 enp193s0f1np1; do
		put $net/$netdev/mtu 4192
	done
	verdicts 0 roce-mtu 'mlx5_bond_0/1 ok the netdev allows the full RDMA MTU of 4096'
	put $net/bond0/mtu 4191
	verdicts 0 roce-mtu "mlx5_bond_0/1 note $wanted"
	member mlx5_bond_0/1 evidence 'bond0: MTU 4191, so the RDMA MTU is 2048; 4096 needs 4192'
	member mlx5_bond_0/1 next_step 'if every switch and host of the fabric supports it: rdmactl roce set bond0 mtu 9000'
	put $net/bond0/mtu 351
	verdicts 4 roce-mtu 'mlx5_bond_0/1 error the MTU of the netdev leaves no room for RDMA'
	deny $net/bond0/mtu
	verdicts 3 roce-mtu 'mlx5_bond_0/1 not-checked the MTU of the netdev is not known'
}

@test "roce-mtu: members of a bond, VLANs, and ports of the same board" {
	copy roce-bond-vlan
	put $net/enp193s0f1np1/mtu 1500
	verdicts 4 roce-mtu 'mlx5_bond_0/1 warning members of the bond have a smaller MTU than the bond'
	member mlx5_bond_0/1 evidence 'bond0: MTU 9000, so the RDMA MTU is 4096; 4096 needs 4192; enp193s0f1np1: MTU 1500, RDMA MTU 1024'
	copy roce-bond-vlan
	put $net/bond0.200/mtu 1500
	verdicts 0 roce-mtu 'mlx5_bond_0/1 note VLANs of the port have a smaller RDMA MTU than the port'
	# A subfunction may have a smaller MTU than its port; the other port of the board may not.
	copy cx6dx-roce
	put $rdma/mlx5_1/ports/1/state '4: ACTIVE'
	put $rdma/mlx5_1/ports/1/phys_state '5: LinkUp'
	verdicts 4 roce-mtu 'mlx5_0/1 ok the netdev allows the full RDMA MTU of 4096
mlx5_1/1 warning the RDMA MTU is smaller than that of other ports of the same board
mlx5_2/1 note the MTU of the netdev does not allow the full RDMA MTU of 4096'
	member mlx5_1/1 evidence 'ens1f1np1: MTU 1500, so the RDMA MTU is 1024; 4096 needs 4192; ens1f0np0 of mlx5_0/1 on the same board has 4096'
}

# rails IGNORE ANNOUNCE [FILTER]: sets up two RDMA netdevs in 192.168.10.0/24, and one in
# 10.100.0.0/24, after the 64 KiB of routes that a routing protocol has added.
rails()
{
	local setting value others

	others=$(seq -f 'lo	%07g0	010AA8C0	0003	0	0	0	FFFFFFFF	0	0	0' 1000 2500)
	put proc/net/route 'Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
lo	0000007F	00000000	0001	0	0	0	000000FF	0	0	0
'"$others"'
ens1f0np0	00000000	010AA8C0	0003	0	0	0	00000000	0	0	0
ens1f0np0	000AA8C0	00000000	0001	0	0	0	00FFFFFF	0	0	0
enp101s0f0s88	000AA8C0	00000000	0001	0	0	0	00FFFFFF	0	0	0
ens1f0np0.100	0000640A	00000000	0001	0	0	0	00FFFFFF	0	0	0'
	for setting in arp_ignore=$1 arp_announce=$2 arp_filter=${3-0}; do
		value=${setting#*=}
		put proc/sys/net/ipv4/conf/all/"${setting%=*}" "$value"
		for netdev in ens1f0np0 enp101s0f0s88; do
			put proc/sys/net/ipv4/conf/"$netdev/${setting%=*}" 0
		done
	done
}

@test "multi-rail-arp: which netdev answers for which address" {
	local flux='several netdevs are in one subnet, and each answers ARP for the addresses of the others'
	local own='the netdev answers ARP for its own addresses only'

	copy cx6dx-roce
	verdicts 0 multi-rail-arp '- not-checked a saved tree does not hold the addresses [live]'
	rails 0 0
	verdicts 4 multi-rail-arp "ens1f0np0 warning $flux
enp101s0f0s88 warning $flux"
	member ens1f0np0 evidence '192.168.10.0/24 is also on enp101s0f0s88; arp_ignore 0, arp_announce 0, each the larger of all and ens1f0np0 (should be 1 or 2)'
	member ens1f0np0 next_step 'sysctl net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2, and the same lines in /etc/sysctl.d'
	try doctor --root "$tree" --only multi-rail-arp
	shows "warning  2 of 2 objects: $flux"
	rails 1 2
	verdicts 0 multi-rail-arp "ens1f0np0 ok $own
enp101s0f0s88 ok $own"
	# 8 means that no request is answered, whatever arp_filter says.
	local none='the netdev answers no ARP requests, so peers cannot find its addresses'
	rails 8 2 1
	verdicts 4 multi-rail-arp "ens1f0np0 warning $none
enp101s0f0s88 warning $none"
	member ens1f0np0 next_step 'sysctl net/ipv4/conf/all/arp_ignore=1 net/ipv4/conf/ens1f0np0/arp_ignore=1, and the same lines in /etc/sysctl.d'
	# The kernel takes the larger of the values for all and for the netdev; 3 does not restrict answers
	# to the netdev's own addresses.
	rails 0 2
	put proc/sys/net/ipv4/conf/ens1f0np0/arp_ignore 1
	verdicts 4 multi-rail-arp "ens1f0np0 ok $own
enp101s0f0s88 warning $flux"
	put proc/sys/net/ipv4/conf/enp101s0f0s88/arp_ignore 3
	verdicts 4 multi-rail-arp "ens1f0np0 ok $own
enp101s0f0s88 warning $flux"
	rails 1 0
	verdicts 4 multi-rail-arp "ens1f0np0 warning several netdevs are in one subnet, and an ARP request of one may carry the address of another
enp101s0f0s88 warning several netdevs are in one subnet, and an ARP request of one may carry the address of another"
	rails 0 0 1
	verdicts 0 multi-rail-arp "ens1f0np0 note arp_filter lets the routing table choose which netdev answers ARP: right only with a source rule for each netdev
enp101s0f0s88 note arp_filter lets the routing table choose which netdev answers ARP: right only with a source rule for each netdev"
}

@test "multi-rail-arp: unreadable, absent, a single rail" {
	copy cx6dx-roce
	rails 1 2
	deny proc/sys/net/ipv4/conf/all/arp_ignore EACCES
	verdicts 3 multi-rail-arp 'ens1f0np0 not-checked the ARP settings of the netdev cannot be read
enp101s0f0s88 not-checked the ARP settings of the netdev cannot be read'
	rm "$tree/proc/sys/net/ipv4/conf/all/arp_ignore"
	verdicts 0 multi-rail-arp 'ens1f0np0 not-checked the netdev has no ARP settings
enp101s0f0s88 not-checked the netdev has no ARP settings'
	rails 1 2
	deny proc/net/route
	verdicts 3 multi-rail-arp '- not-checked the routing table cannot be read'
	put proc/net/route 'Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
ens1f0np0	000AA8C0	00000000	0001	0	0	0	00FFFFFF	0	0	0
ens1f0np0	nonsense
	enp101s0f0s88	000AA8C0'
	verdicts 0 multi-rail-arp ''
	# Both routes lead over a gateway with an IPv6 address.
	put proc/net/route 'ens1f0np0	000AA8C0	00000000	0003	0	0	0	00FFFFFF
enp101s0f0s88	000AA8C0	00000000	0003	0	0	0	00FFFFFF'
	verdicts 0 multi-rail-arp ''
	put proc/net/route "$(seq -f 'ens1f0np0	%06g	0	0001	0	0	0	FFFFFF' 200000 300000)"
	verdicts 0 multi-rail-arp '- not-checked the RDMA netdevs have too many subnets to compare'
}

@test "roce-pfc, roce-tos, rdma-cm-route: a saved tree does not have the answers" {
	copy roce-bond-vlan
	verdicts 0 roce-pfc,roce-tos,rdma-cm-route '- not-checked lossless priorities of RoCE ports: needs live [live]
- not-checked traffic classes of RoCE connections: needs live [live]
- not-checked routes back through the same netdev: needs live [live]'
	# Software devices have no queues, and iWARP has no requests that need a route.
	copy rxe-host
	verdicts 0 roce-pfc,roce-tos ''
	copy irdma-iwarp
	verdicts 0 rdma-cm-route ''
}

# An ordinary user is told to be root for a file that only root may read; a file for everyone that
# cannot be read is a problem.
@test "roce-ecn, multi-rail-arp: refused to an ordinary user" {
	[ "$(id -u)" = 0 ] || skip 'only root can become another user'
	copy cx6dx-roce
	deny $net/ens1f0np0/ecn EACCES
	deny proc/net/route EACCES
	verdicts 3 roce-ecn "mlx5_0/1 not-checked congestion control cannot be read" mlx5_0
	try_as_nobody doctor --json --only roce-ecn mlx5_0
	[ "$status" = 0 ]
	jq -e '.doctor[0].verdict == "not-checked" and .doctor[0].needs == ["root"] and .problems == []' <<<"$output"
	try_as_nobody doctor --json --only multi-rail-arp
	[ "$status" = 3 ]
	jq -e '.doctor[0].verdict == "not-checked" and .doctor[0].needs == null and (.problems | length) == 1' <<<"$output"
}

@test "bond-mode: members of different adapters" {
	local pci=devices/pci0000:c0/0000:c0:03.1

	copy roce-bond-vlan
	mv "$tree/sys/$pci/0000:c1:00.1" "$tree/sys/$pci/0000:c2:00.1"
	ln -sfn "../../$pci/0000:c2:00.1/net/enp193s0f1np1" "$tree/$net/enp193s0f1np1"
	ln -sfn ../../../0000:c2:00.1 "$tree/sys/$pci/0000:c2:00.1/net/enp193s0f1np1/device"
	verdicts 0 bond-mode 'mlx5_bond_0/1 note the members are in different slots, and mlx5 creates a RoCE bond only from ports of one adapter'
}

@test "bond-mode: modes that mlx5 supports, modes that it does not, and other drivers" {
	local mode carries='mlx5_bond_0/1 ok the mode of the bond carries RoCE'
	local not='mlx5_bond_0/1 warning mlx5 creates no RoCE bond in this mode: each member remains an RDMA device of its own'

	copy roce-bond-vlan
	verdicts 0 bond-mode "$carries"
	member mlx5_bond_0/1 evidence 'bond0: mode 802.3ad, driver mlx5_core'
	for mode in 'active-backup 1' 'balance-xor 2'; do
		put $net/bond0/bonding/mode "$mode"
		verdicts 0 bond-mode "$carries"
	done
	for mode in 'balance-rr 0' 'broadcast 3' 'balance-tlb 5' 'balance-alb 6' $'\033[2Jevil'; do
		put $net/bond0/bonding/mode "$mode"
		verdicts 4 bond-mode "$not"
	done
	member mlx5_bond_0/1 actual '\x1b[2Jevil'
	put $net/bond0/bonding/mode 'balance-rr 0'
	verdicts 0 bond-mode "mlx5_bond_0/1 note ${not#* warning }" --profile container
	deny $net/bond0/bonding/mode
	verdicts 3 bond-mode 'mlx5_bond_0/1 not-checked the mode of the bond cannot be read'
	copy cx6dx-roce
	verdicts 0 bond-mode ''
}

@test "ipoib-mode: children and their parent" {
	local fine='mode and MTU of the IPoIB netdevs agree'

	copy cx5-ib-edr
	verdicts 0 ipoib-mode "mlx5_0/1 ok $fine
mlx5_1/1 ok $fine"
	member mlx5_0/1 evidence 'ib0: datagram, MTU 2044; ib0.8001: datagram, MTU 2044'
	put $net/ib0.8001/mtu 4092
	verdicts 4 ipoib-mode "mlx5_0/1 warning an IPoIB child has a larger MTU than its parent
mlx5_1/1 ok $fine"
	put $net/ib0/mode connected
	put $net/ib0/mtu 65520
	verdicts 4 ipoib-mode "mlx5_0/1 warning an IPoIB child has another mode than its parent
mlx5_1/1 ok $fine"
	put $net/ib1/mode connected
	deny $net/ib0/mode
	verdicts 3 ipoib-mode "mlx5_0/1 not-checked the mode of an IPoIB netdev cannot be read
mlx5_1/1 note connected mode has no advantage with an MTU that datagram mode allows, too"
	rm "$tree/$net/ib0/mode"
	verdicts 0 ipoib-mode "mlx5_0/1 not-checked the mode of an IPoIB netdev is not known
mlx5_1/1 note connected mode has no advantage with an MTU that datagram mode allows, too"
	# A sub-device has its parent's GUID, and no netdev.
	copy planes
	verdicts 0 ipoib-mode "mlx5_0/1 ok $fine"
	copy irdma-iwarp
	verdicts 0 ipoib-mode ''
}

@test "firewall: whether anything can filter, and no guess about rules" {
	local unknown='the kernel has a packet filter; whether it drops the packets of the device is not known'

	copy rxe-host
	verdicts 0 firewall 'rxe0 not-checked a saved tree does not hold the loaded modules [live]
rxe1 not-checked a saved tree does not hold the loaded modules [live]'
	put proc/modules 'rdma_rxe 241664 0 - Live 0x0000000000000000
nf_tables_set 16384 0 - Live 0x0000000000000000
nf_conntrack 200704 0 - Live 0x0000000000000000'
	verdicts 0 firewall 'rxe0 not-checked no packet filter is loaded; whether one is built into the kernel is not known [live]
rxe1 not-checked no packet filter is loaded; whether one is built into the kernel is not known [live]'
	put proc/sys/kernel/osrelease 6.1
	put lib/modules/6.1/modules.builtin kernel/lib/crc32.ko
	verdicts 0 firewall 'rxe0 ok the kernel has no nftables or iptables packet filter
rxe1 ok the kernel has no nftables or iptables packet filter'
	put proc/modules 'iptable_filter 16384 0 - Live 0x0000000000000000
nf_tables 372736 1 nft_compat, Live 0x0000000000000000'
	verdicts 0 firewall "rxe0 not-checked $unknown
rxe1 not-checked $unknown"
	member rxe0 evidence 'in the kernel: nf_tables, iptable_filter; the device needs UDP port 4791'
	member rxe0 next_step 'as root: nft list ruleset; iptables-legacy-save; ip6tables-legacy-save (or without -legacy), and see what the chains of input and output do with udp dport 4791'
	# Root cannot read the rules either, so root is not what is needed.
	if [ "$(id -u)" = 0 ]; then
		try_as_nobody doctor --json --only firewall
		jq -e '[.doctor[].needs] == [null, null]' <<<"$output"
	fi
	deny proc/modules EACCES
	verdicts 3 firewall 'rxe0 not-checked the loaded modules cannot be read
rxe1 not-checked the loaded modules cannot be read'
	# The packets of an adapter bypass it.
	copy cx6dx-roce
	put proc/modules 'nf_tables 372736 1 nft_compat, Live 0x0000000000000000'
	verdicts 0 firewall ''
}

# ecn NETDEV POINT PRIORITY...: turns it on for these priorities only.
ecn()
{
	local priority

	for priority in 0 1 2 3 4 5 6 7; do
		put "$net/$1/ecn/$2/enable/$priority" 0
	done
	for priority in "${@:3}"; do
		put "$net/$1/ecn/$2/enable/$priority" 1
	done
}

@test "roce-ecn: what the vendor's driver and debugfs show" {
	local silent='not-checked the driver does not report congestion control'
	local tuned='not-checked the driver reports how congestion control is tuned, but not whether it is on'
	local netdev params

	copy cx6dx-roce
	verdicts 0 roce-ecn "mlx5_0/1 $silent
mlx5_1/1 $silent
mlx5_2/1 $silent"
	for netdev in ens1f0np0 ens1f1np1 enp101s0f0s88; do
		ecn $netdev roce_rp 3
		ecn $netdev roce_np 3 4
	done
	verdicts 0 roce-ecn 'mlx5_0/1 ok congestion control is on
mlx5_1/1 ok congestion control is on
mlx5_2/1 ok congestion control is on'
	member mlx5_0/1 evidence 'ens1f0np0: senders slow down on priority 3, receivers notify on priorities 3, 4'
	ecn ens1f1np1 roce_rp
	# A port that is not in use may have any settings.
	verdicts 0 roce-ecn 'mlx5_0/1 ok congestion control is on
mlx5_1/1 note congestion control is off, which may be intended
mlx5_2/1 ok congestion control is on'
	put $rdma/mlx5_1/ports/1/state '4: ACTIVE'
	verdicts 4 roce-ecn 'mlx5_0/1 warning ports of the same board have different congestion control settings
mlx5_1/1 warning ports of the same board have different congestion control settings
mlx5_2/1 warning ports of the same board have different congestion control settings'
	member mlx5_1/1 evidence 'ens1f1np1: senders slow down on no priority, receivers notify on priorities 3, 4; ens1f0np0: senders slow down on priority 3, receivers notify on priorities 3, 4'
	deny $net/ens1f1np1/ecn/roce_rp/enable/3
	verdicts 3 roce-ecn 'mlx5_0/1 ok congestion control is on
mlx5_1/1 not-checked congestion control cannot be read
mlx5_2/1 ok congestion control is on'
	# mlx5_bond_0 alone: its port has congestion control off
	copy roce-bond-vlan
	ecn enp193s0f0np0 roce_rp
	ecn enp193s0f0np0 roce_np 3
	verdicts 0 roce-ecn 'mlx5_bond_0/1 note congestion control is off, which may be intended'
	copy roce-bond-vlan
	params=sys/kernel/debug/mlx5/0000:c1:00.0/cc_params
	put $params/np_cnp_dscp 48
	put $params/np_cnp_prio 6
	verdicts 0 roce-ecn "mlx5_bond_0/1 $tuned"
	member mlx5_bond_0/1 evidence 'bond0: np_cnp_dscp 48, np_cnp_prio 6'
	# Secure Boot is not a fault of the host.
	put $params/np_cnp_dscp '!EPERM'
	verdicts 0 roce-ecn 'mlx5_bond_0/1 not-checked the lockdown of the kernel keeps debugfs closed'
}
