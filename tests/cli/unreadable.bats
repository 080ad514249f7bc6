#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Unreadable files of a saved machine: the value is null and reported, and the exit status is 3. No
# other value replaces it, and no other value is lost.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

setup()
{
	tree=$BATS_TEST_TMPDIR/tree
	class=$tree/sys/class
}

# machine FIXTURE: makes a copy of the fixture to be damaged.
machine()
{
	rm -rf "$tree"
	cp -dR "$roots/$1" "$tree"
}

# spoil ERROR PATH...: makes reading these files fail.
spoil()
{
	local path error=$1

	shift
	for path; do
		rm -r "${class:?}/$path"
		ln -s "!$error" "$class/$path"
	done
}

# of COMMAND COLUMNS [ARGUMENT...]: these columns, one row per line, separated by blanks.
of()
{
	try "$1" --root "$tree" --tsv --no-headings -o "$2" "${@:3}"
	output=${output//$'\t'/ }
}

port=infiniband/mlx5_0/ports/1

@test "unreadable: a port without a readable netdev does not get another device's" {
	machine cx6dx-roce
	spoil EINVAL $port/gid_attrs/ndevs/0
	of ports device,netdev
	expect 0 $'mlx5_0 ens1f0np0\nmlx5_1 ens1f1np1\nmlx5_2 enp101s0f0s88' ''
	# Two others remain, and either could be the right one.
	cp -a "$class/net/ens1f0np0/." "$class/net/ens1f0np0/../twin"
	ln -s "$(readlink "$class/net/ens1f0np0" | sed 's|[^/]*$|twin|')" "$class/net/twin"
	of ports device,netdev mlx5_0
	expect 0 'mlx5_0 ' ''
}

@test "unreadable: a bond does not get confused with its member" {
	machine roce-bond-vlan
	spoil EINVAL infiniband/mlx5_bond_0/ports/1/gid_attrs/ndevs/0
	of netdevs netdev,namespace
	expect 0 ' unknown' ''
	spoil EACCES infiniband/mlx5_bond_0/ports/1/gid_attrs/ndevs
	of netdevs netdev,namespace
	expect 3 ' unknown' 'rdmactl netdevs: mlx5_bond_0/1: cannot read netdev: Permission denied'
}

@test "unreadable: the netdev of a GID" {
	machine cx6dx-roce
	spoil EIO $port/gid_attrs/ndevs/0
	of ports device,netdev
	expect 3 $'mlx5_0 \nmlx5_1 ens1f1np1\nmlx5_2 enp101s0f0s88' \
		'rdmactl ports: mlx5_0/1: cannot read netdev: Input/output error'
	of counters device --all mlx5_0
	[ "$status" = 3 ]
}

@test "unreadable: the GID table of a port" {
	machine cx5-ib-edr
	spoil EACCES $port/gids
	of netdevs netdev,namespace mlx5_0
	expect 3 ' unknown' 'rdmactl netdevs: mlx5_0/1: cannot read port_guid: Permission denied'
	of ports port_guid,gid_table_length,pkey_table_length,netdev mlx5_0
	expect 3 '  128 ' 'rdmactl ports: mlx5_0/1: cannot read port_guid: Permission denied
rdmactl ports: mlx5_0/1: cannot read gid_table_length: Permission denied'
	machine cx5-ib-edr
	spoil EIO $port/gids/0
	of ports port_guid,netdev mlx5_0
	expect 3 ' ' 'rdmactl ports: mlx5_0/1: cannot read port_guid: Input/output error'
	of netdevs namespace mlx5_0
	expect 3 unknown
}

@test "unreadable: the P_Key table of a port" {
	machine cx5-ib-edr
	spoil EACCES infiniband/mlx5_1/ports/1/pkeys
	of ports gid_table_length,pkey_table_length
	expect 3 $'8 128\n8 ' 'rdmactl ports: mlx5_1/1: cannot read pkey_table_length: Permission denied'
}

@test "unreadable: the type of a GID is not guessed" {
	machine cx6dx-roce
	rm -r "$class/$port/gid_attrs/types"
	of gids index,type,netdev mlx5_0 --ip 192.168.10.23
	expect 3 '' 'rdmactl gids: mlx5_0/1: cannot read gid_attrs/types: No such file or directory
rdmactl gids: no GID passes --ip 192.168.10.23, but not everything could be read
  rdmactl gids shows all'
	of gids index,type mlx5_0
	expect 3 $'0 \n1 \n2 \n3 \n6 \n7 \n8 \n9 \n10 \n11 ' \
		'rdmactl gids: mlx5_0/1: cannot read gid_attrs/types: No such file or directory'
	machine cx6dx-roce
	spoil EIO $port/gid_attrs/types/{1,3,7,9,11}
	of gids index mlx5_0 --type roce-v2 -v
	[ "$status" = 3 ]
	same 'nothing' '' "$output"
	[ "$(grep -c 'cannot read gid_attrs/types/' <<<"$stderr")" = 5 ]
	of gids index mlx5_1 --type ib
	expect 5
}

@test "unreadable: the ports of a device" {
	machine cx5-ib-edr
	spoil EACCES infiniband/mlx5_0/ports
	try devices --root "$tree" --json -o device,port_count,netdevs,ports
	[ "$status" = 3 ]
	[ "$(jq -c '.devices[0], [.problems[] | .object, .attribute]' <<<"$output")" = \
		$'{"device":"mlx5_0","port_count":null,"netdevs":null,"ports":null}\n["mlx5_0","ports"]' ]
	of ports device,port mlx5_0/1
	expect 3 '' 'rdmactl ports: mlx5_0: cannot read ports: Permission denied'
	of ports device,port mlx5_0/1 mlx5_1/2 mlx5_1
	expect 3 'mlx5_1 1' 'rdmactl ports: mlx5_0: cannot read ports: Permission denied
rdmactl ports: mlx5_1/2: no such port
  mlx5_1 has one port: 1'
}

@test "unreadable: all netdevs" {
	machine cx6dx-roce
	spoil EACCES net
	of netdevs device,netdev,namespace
	expect 3 $'mlx5_0  unknown\nmlx5_1  unknown\nmlx5_2  unknown' \
		'rdmactl netdevs: cannot read netdevs: Permission denied'
	machine cx5-ib-edr
	spoil EACCES net
	of netdevs namespace
	expect 3 $'unknown\nunknown'
}

@test "unreadable: the properties of a netdev" {
	machine cx6dx-roce
	spoil EIO net/ens1f0np0/{operstate,mtu,address,speed} net/ens1f1np1/carrier_changes
	of netdevs operstate,mtu_bytes,address,speed_mbps mlx5_0
	expect 3 '   ' 'rdmactl netdevs: ens1f0np0: cannot read 4 values (mtu_bytes, speed_mbps, operstate ...; -v lists them): Input/output error'
	# A column that is not shown cannot fail.
	of netdevs netdev mlx5_0
	expect 0 ens1f0np0 ''
	# The file does not matter unless its value is shown.
	of ports device,netdev mlx5_0
	expect 0 'mlx5_0 ens1f0np0' ''
	of devices netdevs
	expect 0 $'ens1f0np0\nens1f1np1\nenp101s0f0s88' ''
	of gids index,vlan mlx5_0
	[ "$status" = 0 ]
	of netdevs device mlx5_2
	expect 0 mlx5_2 ''
}

@test "unreadable: an IPoIB netdev is not replaced by its child" {
	local path

	for path in ib0 ib0/ifindex ib0/type ib0/address; do
		machine cx5-ib-edr
		spoil EACCES net/$path
		of netdevs device,netdev,namespace
		expect 3 $'mlx5_0  unknown\nmlx5_1 ib1 own' || wrong "$path"
		[[ $stderr = 'rdmactl netdevs: ib0: cannot read '*': Permission denied'$'\n' ]] || wrong "$path: $stderr"
	done
	nothing_wrong
}

@test "unreadable: the driver, interrupts and character devices" {
	machine cx5-ib-edr
	spoil EACCES infiniband/mlx5_1/device/{driver,msi_irqs} infiniband_verbs/uverbs0/ibdev \
		infiniband_mad/umad0/ibdev
	of devices device,driver
	expect 3 $'mlx5_0 mlx5_core\nmlx5_1 ' 'rdmactl devices: mlx5_1: cannot read driver: Permission denied'
	of devices device,irq_count mlx5_1
	expect 3 'mlx5_1 ' 'rdmactl devices: mlx5_1: cannot read irq_count: Permission denied'
	try devices --root "$tree" --json -o uverbs,umads
	[ "$status" = 3 ]
	[ "$(jq -c '[.devices[] | .uverbs, .umads], [.problems[].attribute]' <<<"$output")" = \
		'[null,null,"uverbs1",["umad1"]]
["infiniband_verbs/uverbs0/ibdev","infiniband_mad/umad0/ibdev"]' ]
}

@test "unreadable: one folder of the connection manager's counters" {
	machine cx5-ib-edr
	spoil EIO $port/cm_rx_msgs
	try counters --root "$tree" --all --json mlx5_0
	[ "$status" = 3 ]
	[ "$(jq -c '[.problems[] | .object, .attribute, .error]' <<<"$output")" = \
		'["mlx5_0/1","counters (cm)","Input/output error"]' ]
	[ "$(jq '[.counters[] | select(.source == "cm")] | length' <<<"$output")" -gt 22 ]
	machine cx5-ib-edr
	spoil EIO $port/cm_tx_msgs
	of counters object --all mlx5_0
	expect 3
}

@test "unreadable: malformed text is shown" {
	machine cx5-ib-edr
	echo foo >"$class/$port/gids/0"
	echo 0xfffff >"$class/$port/pkeys/0"
	of gids device,index
	expect 3 'mlx5_1 0' "rdmactl gids: mlx5_0/1: cannot read gids/0: unexpected text 'foo'"
	of pkeys device,index,pkey mlx5_0
	expect 3 'mlx5_0 1 0x8001' "rdmactl pkeys: mlx5_0/1: cannot read pkeys/0: unexpected text '0xfffff'"
}

# none FIXTURE PATH MESSAGE COMMAND...: lists nothing there; what the unreadable path holds may be
# what is listed, but a device that does not exist is not.
none()
{
	local line="rdmactl $4: $3" devices

	machine "$1"
	devices=("$class"/infiniband/*)
	quickly try "${@:4}" --root "$tree"
	[[ $status = 5 && $stderr = "$line"$'\n'* ]] || wrong "$*: $status, $stderr"
	quickly try "${@:4}" --root "$tree" "${devices[0]##*/}" nosuch
	[[ $status = 5 && $stderr = *$'\n'"$line"$'\n'* ]] || wrong "$* nosuch: $status, $stderr"
	spoil EACCES "$2"
	quickly try "${@:4}" --root "$tree"
	[[ $status = 3 && $stderr = *$'\n'"$line, but not everything could be read"$'\n'* ]] ||
		wrong "$* unreadable: $status, $stderr"
}

@test "unreadable: what may be hidden is not called absent, and a wrong name hides nothing" {
	local accelerators='no accelerator, or no adapter with an active port' layer

	none cx5-ib-edr $port/link_layer 'no port speaks RoCE' roce
	none cx6dx-roce net 'no IPoIB netdev' ipoib
	none cx6dx-roce net/ens1f0np0/ifindex 'no IPoIB netdev' ipoib
	none rxe-host ../bus/pci/devices 'no function of a PCI adapter has RDMA' sriov
	none forty ../bus/pci/devices 'no accelerator to check' topo --require sys
	none forty ../bus/pci/devices "$accelerators" topo --assign rail
	none forty ../bus/pci/devices "$accelerators" topo --env nccl
	none cx6dx-roce $port/gids/1 'no GID passes --ip 192.0.2.1' gids --ip 192.0.2.1
	nothing_wrong
	# Only an Ethernet port may speak RoCE, whatever the driver is.
	for layer in InfiniBand Ethernet; do
		machine mlx4-dead-port
		echo "$layer" >"$class/infiniband/mlx4_0/ports/2/link_layer"
		spoil EACCES infiniband/mlx4_0/device/driver
		try roce --root "$tree"
		[[ $status = $([ "$layer" = Ethernet ] && echo 3 || echo 5) ]] || wrong "$layer: $status, $stderr"
	done
	nothing_wrong
	# P_Keys hide no netdev.
	machine cx6dx-roce
	spoil EACCES $port/pkeys
	try ipoib --root "$tree"
	expect 5 '' 'rdmactl ipoib: mlx5_0/1: cannot read pkeys: Permission denied
rdmactl ipoib: no IPoIB netdev
  IPoIB needs an InfiniBand port and the module ib_ipoib'
}
