#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

@test "pkeys: every fixture as in tests/golden" {
	machines golden pkeys
}

@test "pkeys: every format is valid and says the same" {
	machines formats pkeys
}

@test "pkeys: a column alone says the same as among others" {
	machines columns pkeys cx5-ib-edr cx6dx-roce opa-hfi1 mlx4-dead-port planes
}

@test "pkeys: --all shows every slot; without it, only those in use are shown" {
	cells cx5-ib-edr pkeys index,pkey,membership mlx5_0
	same 'in use' $'0 0x7fff limited\n1 0x8001 full\n' "$output"
	cells cx5-ib-edr pkeys index mlx5_0 --all
	same 'all slots' "$(seq 0 127)"$'\n' "$output"
	cells cx5-ib-edr pkeys index mlx5_1/1 -a
	same 'all slots, -a' "$(seq 0 127)"$'\n' "$output"
}

@test "pkeys: an empty slot has no membership" {
	cells cx5-ib-edr pkeys pkey,membership,netdevs mlx5_0 --all
	[ "$(sed -n 3p <<<"$output")" = '0x0000  ' ]
}

@test "pkeys: an unreadable entry is reported, the others are shown" {
	on bad-rate pkeys -o device,index,pkey
	expect 3 $'DEVICE INDEX P_KEY\nmlx5_0     0 0xffff\nmlx5_1     0 0xffff\nmlx5_2     0 0xffff' \
		'rdmactl pkeys: mlx5_1/1: cannot read pkeys/5: Input/output error'
	on bad-rate pkeys -o device,index,pkey mlx5_0
	expect 0 $'DEVICE INDEX P_KEY\nmlx5_0     0 0xffff' ''
}

@test "pkeys: the IPoIB netdev of a key" {
	cells cx5-ib-edr pkeys device,pkey,netdevs
	same 'a child, and a limited member' \
		$'mlx5_0 0x7fff ib0\nmlx5_0 0x8001 ib0.8001\nmlx5_1 0xffff ib1\n' "$output"
	cells opa-hfi1 pkeys pkey,netdevs
	same 'Omni-Path' $'0x8001 ib0\n0x7fff \n0xffff \n' "$output"
	cells planes pkeys device,port,netdevs
	same 'a sub-device has the GUID, not the netdev' \
		$'mlx5_0 1 ibp8s0\nsmi1 1 \nsmi1 2 \nsmi1 3 \nsmi1 4 \n' "$output"
}

# ib_find_cached_pkey() prefers the entry with full membership.
@test "pkeys: a netdev uses one entry of the table, the one with full membership" {
	cells mlx4-dead-port pkeys port,pkey,netdevs
	grep -qx '1 0xffff ib0' <<<"$output"
	grep -qx '1 0x7fff ' <<<"$output"
}

@test "pkeys: iWARP has none, and that is not a problem" {
	on irdma-iwarp pkeys
	expect 0 '' ''
	on irdma-iwarp pkeys -j
	expect 0 $'{"schema": "rdmactl/pkeys/1",\n "pkeys": [],\n "problems": []}' ''
}

@test "pkeys: an Ethernet port without a GID is not a problem" {
	on vendors pkeys -o device,port,pkey mana_0
	expect 0 $'DEVICE PORT P_KEY\nmana_0    1 0xffff\nmana_0    2 0xffff' ''
	on vendors pkeys mana_0/2
	expect 0 $'DEVICE PORT INDEX P_KEY  MEMBERSHIP NETDEVS\nmana_0    2     0 0xffff full       -' ''
}
