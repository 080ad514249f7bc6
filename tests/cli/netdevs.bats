#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

@test "netdevs: every fixture as in tests/golden" {
	machines golden netdevs
}

@test "netdevs: every format is valid and says the same" {
	machines formats netdevs
}

@test "netdevs: a column alone says the same" {
	machines columns netdevs cx5-ib-edr cx6dx-roce roce-bond-vlan netns planes vendors
}

@test "netdevs: a bond, its members and the VLANs on it" {
	cells roce-bond-vlan netdevs netdev,namespace,members,vlans,master,kind
	same 'the bond' $'bond0 own enp193s0f0np0,enp193s0f1np1 bond0.200  bond\n' "$output"
	cells cx6dx-roce netdevs netdev,members,vlans mlx5_0
	same 'no bond' $'ens1f0np0  ens1f0np0.100\n' "$output"
}

@test "netdevs: IPoIB netdevs, P_Key children with and without a parent" {
	cells cx5-ib-edr netdevs netdev,ipoib mlx5_0
	same 'sysfs child' $'ib0 ib0,ib0.8001\n' "$output"
	cells mlx4-dead-port netdevs port,netdev,ipoib
	same 'netlink child' $'1 ib0 ib0,ib0.8003\n2 ib1 ib1\n' "$output"
}

@test "netdevs: a netdev in another network namespace is unknown, not left out" {
	cells netns netdevs device,netdev,namespace
	same 'all of them' $'mlx5_0  unknown\nmlx5_1  unknown\nmlx5_2  unknown\n' "$output"
	on netns netdevs mlx5_2 -j
	expect 0
	[ "$(jq -c '.netdevs[0] | [.netdev, .namespace, .operstate, .address, .mtu_bytes]' <<<"$output")" = \
		'[null,"unknown",null,null,null]' ]
}

@test "netdevs: none for a transport without netdevs" {
	cells efa netdevs device,netdev,namespace
	same 'EFA' $'efa_1  none\nrdmap0s31  none\n' "$output"
}

@test "netdevs: an SMI sub-device has no IPoIB" {
	cells planes netdevs device,port,netdev,ipoib
	same 'planes' $'mlx5_0 1 ibp8s0 ibp8s0\nsmi1 1  \nsmi1 2  \nsmi1 3  \nsmi1 4  \n' "$output"
}

@test "netdevs: a port without a GID is no problem" {
	on vendors netdevs mana_0 -o device,port
	expect 0 $'DEVICE PORT\nmana_0    1\nmana_0    2' ''
}

# The netdev of the PCI function with the same dev_port, as in ibdev2netdev.
@test "netdevs: a port without a GID finds its netdev by PCI function and dev_port" {
	cells vendors netdevs port,netdev,namespace,operstate mana_0
	same 'two ports' $'1 eth1 own up\n2 eth2 own down\n' "$output"
	cells vendors netdevs netdev,namespace usnic_0
	same 'usNIC' $'enp6s0 own\n' "$output"
}

@test "netdevs: a netdev that is down has no speed" {
	cells cx6dx-roce netdevs netdev,operstate,speed_mbps,mtu_bytes,address
	same 'speeds' "ens1f0np0 up 100000 9000 b8:59:9f:a1:b2:c0
ens1f1np1 down  1500 b8:59:9f:a1:b2:c1
enp101s0f0s88 up 100000 1500 02:1f:9c:33:10:04
" "$output"
}

@test "netdevs: one port" {
	on mlx4-dead-port netdevs mlx4_0/2 -o port,netdev
	expect 0 $'PORT NETDEV\n   2 ib1' ''
}
