#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# IPoIB netdevs of saved machines, and the words that make and remove children. A guest tests what
# the kernel does with them.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

help='rdmactl ipoib add --help lists the settings'

@test "ipoib: the golden table, and devices and ports as arguments" {
	on cx5-ib-edr ipoib
	expect 0 "$(
		cat <<'END'
NETDEV   DEVICE PORT PARENT P_KEY  MODE     OPERSTATE
ib0      mlx5_0    1 -      0xffff datagram up
ib0.8001 mlx5_0    1 ib0    0x8001 datagram up
ib1      mlx5_1    1 -      0xffff datagram up
END
	)" ''
	on cx5-ib-edr ipoib mlx5_1/1 --json
	[ "$status" = 0 ]
	jq -e '.schema == "rdmactl/ipoib/1" and .ipoib == [{netdev: "ib1", device: "mlx5_1", port: 1,
		parent: null, pkey: "0xffff", mode: "datagram", umcast: false, operstate: "up", mtu_bytes: 2044}]' \
		<<<"$output"
}

@test "ipoib: a host without IPoIB, and an unreadable mode" {
	on cx6dx-roce ipoib
	expect 5 '' 'rdmactl ipoib: no IPoIB netdev
  IPoIB needs an InfiniBand port and the module ib_ipoib'
	cp -a "$roots/cx5-ib-edr" "$BATS_TEST_TMPDIR/root"
	local netdev
	netdev=$(realpath "$BATS_TEST_TMPDIR/root/sys/class/net/ib1")
	rm -f "$netdev/mode"
	ln -s '!EACCES' "$netdev/mode"
	echo 7 >"$(realpath "$BATS_TEST_TMPDIR/root/sys/class/net/ib0")/mode"
	try ipoib --root "$BATS_TEST_TMPDIR/root" --json
	[ "$status" = 3 ]
	jq -e '[.ipoib[].mode] == [null, "datagram", null] and ([.problems[].object] == ["ib0", "ib1"])' <<<"$output"
	# A netdev that may be one is not called absent.
	cp -a "$roots/planes" "$BATS_TEST_TMPDIR/planes"
	netdev=$(realpath "$BATS_TEST_TMPDIR/planes/sys/class/net/ibp8s0")
	rm "$netdev/ifindex"
	ln -s '!EACCES' "$netdev/ifindex"
	try ipoib --root "$BATS_TEST_TMPDIR/planes"
	[ "$status" = 3 ]
	[[ $stderr == *'no IPoIB netdev, but not everything could be read'* ]]
}

@test "ipoib add: wrong arguments" {
	try ipoib add
	[ "$status" = 2 ]
	try ipoib add ib0
	expect 2 '' 'rdmactl ipoib: the partition is missing: pkey takes its P_Key
  rdmactl pkeys lists the P_Keys of the ports'
	try ipoib add ib0 pkey
	expect 2 '' "rdmactl ipoib: 'pkey' needs a value: P_KEY
  $help"
	try ipoib add ib0 pkey 0x8001 pkey 0x8002
	expect 2 '' "rdmactl ipoib: 'pkey' is given twice
  $help"
	try ipoib add ib0 partition 3
	expect 2 '' "rdmactl ipoib: unknown word 'partition'
  $help"
	local key
	for key in 0 0x8000; do
		try ipoib add ib0 pkey "$key"
		expect 2 '' "rdmactl ipoib: no partition has the P_Key $key: 0 and 0x8000 are invalid
  rdmactl pkeys lists the P_Keys of the ports"
	done
	for key in 0x10000 mine ''; do
		try ipoib add ib0 pkey "$key"
		[ "$status" = 2 ]
		[[ $stderr == *"'$key' is not a P_Key"* ]]
	done
	# Digits that could be either; 32770 is too large for four hexadecimal ones.
	try ipoib add ib0 pkey 8002 --dry-run
	expect 2 '' "rdmactl ipoib: '8002' may mean 0x8002, in hexadecimal, or 0x1f42
  write it with 0x, as rdmactl pkeys does"
	try ipoib add ib0 pkey 010 --dry-run
	[ "$status" = 2 ]
	[[ $stderr == *"'010' may mean 0x0010, in hexadecimal, or 0x0008"* ]]
	try ipoib add nosuchdev0 pkey 32770 --dry-run --json
	jq -e '.change[0].wanted == "nosuchdev0 pkey 0x8002 mode datagram"' <<<"$output"
	try ipoib add ib0 pkey 3 mode fast
	expect 2 '' "rdmactl ipoib: 'fast' is not a mode: the modes are datagram and connected
  $help"
	try ipoib add i/b pkey 3
	[ "$status" = 2 ]
	[[ $stderr == *$'\n  rdmactl ipoib lists the IPoIB netdevs'* ]]
	# The default name may be too long.
	try ipoib add ibp65s0f0v1 pkey 3
	[ "$status" = 2 ]
	[[ $stderr == *"'ibp65s0f0v1.8003' cannot be"*$'\n  name NAME gives the child another name'* ]]
	local name
	for name in a/b .. 'a b' 0123456789abcdef $'\e[1m' 'a%d' ''; do
		try ipoib add ib0 pkey 3 name "$name" --dry-run
		[ "$status" = 2 ]
		[[ $stderr == *'cannot be the name of a netdev'* && $stderr != *$'\e'* ]]
		try ipoib del "$name"
		[ "$status" = 2 ]
	done
}

@test "ipoib add and del: netdevs that are not IPoIB" {
	try ipoib add lo pkey 1 --dry-run --json
	[ "$status" = 1 ]
	jq -e '.changed == false and (.change[0] | .object == "lo.8001" and .state == "failed" and
		.wanted == "lo pkey 0x8001 mode datagram" and
		.reason == "lo is not an IPoIB netdev, and only those have P_Key children")' <<<"$output"
	try ipoib add nosuchdev0 pkey 1 --dry-run
	[ "$status" = 1 ]
	[[ $stderr == *'there is no netdev nosuchdev0'* ]]
	try ipoib add lo pkey 1 name lo --dry-run
	[ "$status" = 1 ]
	[[ $stderr == *'lo is a netdev of another kind, not IPoIB'* ]]
	try ipoib del lo --yes
	[ "$status" = 1 ]
	[[ $stderr == *'lo is a netdev of another kind, not IPoIB'* ]]
	# A netdev that does not exist is already in the desired state.
	try ipoib del nosuchdev0 --yes --json
	[ "$status" = 0 ]
	jq -e '.changed == false and .change[0].state == "unchanged" and .change[0].notes ==
		["there is no P_Key child nosuchdev0, so nothing is deleted"]' <<<"$output"
	# What is named twice is deleted once.
	try ipoib del nosuchdev0 nosuchdev0 --yes --json
	jq -e '.change | length == 1' <<<"$output"
}

@test "ipoib: a saved tree cannot be changed" {
	on cx5-ib-edr ipoib add ib0 pkey 1
	[ "$status" = 2 ]
	[[ $stderr == *'a saved tree cannot be changed'* ]]
}
