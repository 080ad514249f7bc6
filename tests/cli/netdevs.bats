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

@test "netdevs: a column alone says the same as among others" {
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

@test "netdevs: a netdev in another network namespace is unknown, not omitted" {
	cells netns netdevs device,netdev,namespace
	same 'all of them' $'mlx5_0  unknown\nmlx5_1  unknown\nmlx5_2  unknown\n' "$output"
	on netns netdevs mlx5_2 -j
	expect 0
	[ "$(jq -c '.netdevs[0] | [.netdev, .namespace, .operstate, .address, .mtu_bytes]' <<<"$output")" = \
		'[null,"unknown",null,null,null]' ]
}

# IPoIB in a container: the class folder of the PCI function lists no netdev, but is there.
@test "netdevs: an IPoIB netdev in another network namespace is unknown" {
	local root=$BATS_TEST_TMPDIR/root function

	cp -a "$roots/cx5-ib-edr" "$root"
	function=$(readlink -f "$root/sys/class/infiniband/mlx5_1/device")
	rm -r "$root/sys/class/net/ib1" "$function/net/ib1"
	try netdevs --root "$root" --tsv --no-headings -o device,netdev,namespace,ipoib
	expect 0 $'mlx5_0\tib0\town\tib0,ib0.8001\nmlx5_1\t\tunknown\t' ''
	try devices --root "$root" --json -o netdevs
	[ "$(jq -c '[.devices[].netdevs]' <<<"$output")" = '[["ib0"],null]' ]
	rmdir "$function/net"
	try netdevs --root "$root" --tsv --no-headings -o device,netdev,namespace
	expect 0 $'mlx5_0\tib0\town\nmlx5_1\t\tnone' ''
}

# The planes of an adapter are RDMA devices of one PCI function, of which the first has the netdev.
@test "netdevs: the later planes of an adapter have no IPoIB netdev, wherever that of the first is" {
	local root=$BATS_TEST_TMPDIR/root function

	cp -a "$roots/planes" "$root"
	function=$(readlink -f "$root/sys/class/infiniband/mlx5_0/device")
	rm -r "$root/sys/class/net/ibp8s0" "$function/net/ibp8s0"
	try netdevs --root "$root" --tsv --no-headings -o device,port,namespace
	expect 0 $'mlx5_0\t1\tunknown\nsmi1\t1\tnone\nsmi1\t2\tnone\nsmi1\t3\tnone\nsmi1\t4\tnone' ''
	try netdevs smi1/2 --root "$root" --tsv --no-headings -o device,port,namespace
	expect 0 $'smi1\t2\tnone' ''
	try devices --root "$root" --json -o netdevs
	[ "$(jq -c '[.devices[].netdevs]' <<<"$output")" = '[null,[]]' ]
}

# The class folder is that of the host's namespace: it has a netdev that this one has not.
@test "netdevs: an IPoIB netdev that only sysfs lists is unknown" {
	local root=$BATS_TEST_TMPDIR/root function

	cp -a "$roots/cx5-ib-edr" "$root"
	function=$(readlink -f "$root/sys/class/infiniband/mlx5_1/device")
	rm "$root/sys/class/net/ib1"
	try netdevs --root "$root" --tsv --no-headings -o device,netdev,namespace
	expect 0 $'mlx5_0\tib0\town\nmlx5_1\t\tunknown' ''
	# A netdev of this namespace is no sign, even if it is another port's.
	mv "$function/net/ib1" "$function/net/ib0"
	try netdevs --root "$root" --tsv --no-headings -o device,netdev,namespace
	expect 0 $'mlx5_0\tib0\town\nmlx5_1\t\tnone' ''
	rm -r "$function/net"
	ln -s '!EACCES' "$function/net"
	try netdevs --root "$root" --tsv --no-headings -o device,netdev,namespace
	[ "$output" = $'mlx5_0\tib0\town\nmlx5_1\t\tunknown\n' ]
}

@test "netdevs: none for a transport without netdevs" {
	cells efa netdevs device,netdev,namespace
	same 'EFA' $'efa_1  none\nrdmap0s31  none\n' "$output"
}

@test "netdevs: an SMI sub-device has no IPoIB" {
	cells planes netdevs device,port,netdev,ipoib
	same 'planes' $'mlx5_0 1 ibp8s0 ibp8s0\nsmi1 1  \nsmi1 2  \nsmi1 3  \nsmi1 4  \n' "$output"
	# The same if the device that has the netdev is not requested.
	cells planes netdevs device,port,netdev,ipoib smi1
	same 'smi1' $'smi1 1  \nsmi1 2  \nsmi1 3  \nsmi1 4  \n' "$output"
	cells planes ports device,port,netdev smi1/2
	same 'smi1/2' $'smi1 2 \n' "$output"
}

# A bond has the address of its active member, and therefore the GUID of that member's port.
@test "netdevs: a bond of IPoIB netdevs is not the netdev of a port" {
	local root=$BATS_TEST_TMPDIR/root bond name

	cp -dR "$roots/cx5-ib-edr" "$root"
	bond=$root/sys/devices/virtual/net/bond0
	mkdir -p "$bond/bonding"
	cp "$root/sys/class/net/ib0/"{address,broadcast,type,mtu,operstate,carrier_changes} "$bond"
	echo 40 | tee "$bond/ifindex" >"$bond/iflink"
	echo active-backup 1 >"$bond/bonding/mode"
	printf 'INTERFACE=bond0\nDEVTYPE=bond\n' >"$bond/uevent"
	ln -s ../../devices/virtual/net/bond0 "$root/sys/class/net/bond0"
	for name in ib0 ib1; do
		ln -s "$bond" "$(readlink -f "$root/sys/class/net/$name")/master"
	done
	try netdevs --root "$root" --tsv --no-headings -o device,netdev,master,ipoib
	expect 0 $'mlx5_0\tib0\tbond0\tib0,ib0.8001\nmlx5_1\tib1\tbond0\tib1' ''
	try pkeys --root "$root" --tsv --no-headings -o netdevs
	expect 0 $'ib0\nib0.8001\nib1' ''
	try ipoib --root "$root" --tsv --no-headings -o netdev
	expect 0 $'ib0\nib0.8001\nib1' ''
	try doctor --root "$root" --only ipoib-mode --tsv --no-headings -o verdict -a
	expect 0 $'ok\nok' ''
}

@test "netdevs: a port without a GID is not a problem" {
	on vendors netdevs mana_0 -o device,port
	expect 0 $'DEVICE PORT\nmana_0    1\nmana_0    2' ''
}

# The netdev of the PCI function that has the same dev_port, as in ibdev2netdev.
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

# A netdev on another function belongs to the port if its address is in the first GID.
@test "netdevs: the address of a netdev in a GID, plain and as EUI-64" {
	local path=sys/class/infiniband/erdma_0/ports/1/gids/0 form gid

	cp -dR "$roots/vendors" "$BATS_TEST_TMPDIR/root"
	for form in 0016:3e2a:f517:0000:0000:0000:0000:0000=eth0 fe80::0216:3eff:fe2a:f517=eth0 \
		fe80::0016:3eff:fe2a:f517= fe80::0216:3eff:fe2a:f518=; do
		gid=${form%=*}
		echo "${gid/::/:0000:0000:0000:}" >"$BATS_TEST_TMPDIR/root/$path"
		quickly try ports erdma_0 --root "$BATS_TEST_TMPDIR/root" --tsv --no-headings -o netdev
		[ "$output" = "${form#*=}"$'\n' ] || wrong "$form: $output"
	done
	nothing_wrong
}

# The bond would be the port's netdev.
@test "netdevs: a member of a bond that is not in the tree" {
	cp -dR "$roots/vendors" "$BATS_TEST_TMPDIR/root"
	ln -s ../../nowhere/bond7 "$BATS_TEST_TMPDIR/root/sys/class/net/enp6s0/master"
	quickly try ports usnic_0 --root "$BATS_TEST_TMPDIR/root" --tsv --no-headings -o device,netdev
	expect 3 $'usnic_0\t' 'rdmactl ports: enp6s0: cannot read master: No such file or directory'
}

# A bond of both ports of an adapter, or planes of one port.
@test "netdevs: two ports that share a netdev" {
	local ports

	cp -dR "$roots/vendors" "$BATS_TEST_TMPDIR/root"
	ports=$BATS_TEST_TMPDIR/root/sys/class/infiniband/mana_0/ports
	quickly try devices mana_0 --root "$BATS_TEST_TMPDIR/root" --tsv --no-headings -o netdevs
	expect 0 'eth1,eth2' ''
	echo eth1 >"$ports/2/gid_attrs/ndevs/0"
	quickly try devices mana_0 --root "$BATS_TEST_TMPDIR/root" --tsv --no-headings -o netdevs
	expect 0 eth1 ''
	quickly try ports mana_0 --root "$BATS_TEST_TMPDIR/root" --tsv --no-headings -o port,netdev
	expect 0 $'1\teth1\n2\teth1' ''
	echo 77 >"$BATS_TEST_TMPDIR/root/sys/class/net/eth1/statistics/rx_bytes"
	quickly try counters mana_0 -a --root "$BATS_TEST_TMPDIR/root" --tsv --no-headings -o object,value,source
	[ "$(grep -c $'^eth1\t77\tnetdev$' <<<"$output")" = 1 ]
}
