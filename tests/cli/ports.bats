#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

@test "ports: every fixture as in tests/golden" {
	machines golden ports
}

@test "ports: every format is valid and says the same" {
	machines formats ports
}

@test "ports: a column alone says the same as among others" {
	machines columns ports cx5-ib-edr cx6dx-roce opa-hfi1 irdma-iwarp planes vendors
}

@test "ports: a device, a port, several, in the order of the system" {
	cells planes ports device,port smi1
	same 'all ports of a device' $'smi1 1\nsmi1 2\nsmi1 3\nsmi1 4\n' "$output"
	cells planes ports device,port smi1/3
	same 'a port' $'smi1 3\n' "$output"
	cells planes ports device,port smi1/4 mlx5_0 smi1/2 smi1/4
	same 'several' $'mlx5_0 1\nsmi1 2\nsmi1 4\n' "$output"
	cells planes ports device,port smi1/2 smi1
	same 'a port and its device' $'smi1 1\nsmi1 2\nsmi1 3\nsmi1 4\n' "$output"
}

@test "ports: existing ports are shown although another one is missing" {
	on planes ports smi1/2 smi1/5 mlx5_1 -o device,port
	expect 3 $'DEVICE PORT\nsmi1      2' "rdmactl ports: mlx5_1: no such RDMA device
  there are mlx5_0, smi1
rdmactl ports: smi1/5: no such port
  smi1 has ports 1 to 4"
	on planes ports smi1/2 smi1/5 mlx5_1 -o device,port -j
	expect 3
	[ "$(jq -c .ports <<<"$output")" = '[{"device":"smi1","port":2}]' ]
	[ "$(jq -c '.problems | map([.object, .attribute, .source, .error, .hint])' <<<"$output")" = \
		'[["mlx5_1",null,null,"no such RDMA device","there are mlx5_0, smi1"],["smi1/5",null,null,"no such port","smi1 has ports 1 to 4"]]' ]
}

@test "ports: no such port" {
	on planes ports smi1/5
	expect_error 5 ports 'smi1/5: no such port' 'smi1 has ports 1 to 4'
	on planes ports smi1/0
	expect_error 5 ports 'smi1/0: no such port' 'smi1 has ports 1 to 4'
	on planes ports smi1/255 -q
	expect_error 5 ports 'smi1/255: no such port'
}

@test "ports: a faulty port shows everything that can be read" {
	on bad-rate ports mlx5_1 -j
	expect 3
	[ "$(jq -c '.ports[0] | [.state, .physical_state, .rate_gbps, .width_speed, .width_lanes, .speed, .lid, .lmc, .sm_lid]' \
		<<<"$output")" = '["down",null,null,null,null,null,null,0,0]' ]
	[ "$(jq -c '.problems | map([.object, .attribute, .source, .error])' <<<"$output")" = \
		'[["mlx5_1/1","physical_state","sysfs","Permission denied"],["mlx5_1/1","lid","sysfs","Input/output error"],["mlx5_1/1","rate_gbps","sysfs","Invalid argument"]]' ]
	on bad-rate ports mlx5_0 mlx5_2 -o device,rate_gbps
	expect 0 $'DEVICE RATE Gb/s\nmlx5_0       200\nmlx5_2       200' ''
}

@test "ports: only files that the columns need can be a problem" {
	on bad-rate ports -o device,port,state
	expect 0 $'DEVICE PORT STATE\nmlx5_0    1 active\nmlx5_1    1 down\nmlx5_2    1 active' ''
}

@test "ports: only the InfiniBand link layer has LIDs and a subnet" {
	cells cx7-ib-ndr ports link_layer,lid,lmc,sm_lid,sm_sl,subnet_prefix mlx5_5 mlx5_bond_0
	same 'both' $'infiniband 65535 0 0 0 fe80:0000:0000:0000\nethernet     \n' "$output"
	cells efa ports link_layer,lid,subnet_prefix efa_1
	same 'neither' $'unspecified  \n' "$output"
}

@test "ports: rate, width and speed" {
	cells cx7-ib-ndr ports rate_gbps,width_speed,width_lanes,speed mlx5_5 mlx5_6
	same 'InfiniBand' $'10 4X SDR 4 SDR\n200 2X NDR 2 NDR\n' "$output"
	cells rxe-host ports rate_gbps,width_speed rxe0
	same 'a fraction' $'2.5 1X SDR\n' "$output"
	cells mlx4-dead-port ports rate_gbps,speed mlx4_0/1
	same 'FDR10' $'40 FDR10\n' "$output"
}

@test "ports: a malformed speed is unknown, not SDR" {
	on hostile ports text0/1 -j
	[ "$(jq -c '.ports[0] | [.width_speed, .speed]' <<<"$output")" = '[null,null]' ]
	jq -e '.problems | any(.object == "text0/1" and .attribute == "rate_gbps")' <<<"$output"
}

@test "ports: capability mask as a number and in words" {
	cells efa ports cap_mask,capabilities efa_1
	same 'none' $'0x00000000 \n' "$output"
	on cx6dx-roce ports -j mlx5_0
	[ "$(jq -c '.ports[0] | [.cap_mask, .capabilities]' <<<"$output")" = '["0x00010000",["communication-management"]]' ]
}

@test "ports: port GUID, except for an iWARP port" {
	cells mlx4-dead-port ports port_guid
	same 'InfiniBand' $'f452:1403:0062:7cb1\nf452:1403:0062:7cb2\n' "$output"
	cells cx6dx-roce ports port_guid mlx5_0
	same 'RoCE' $'ba59:9fff:fea1:b2c0\n' "$output"
	cells irdma-iwarp ports port_guid iwp24s0f0
	same 'iWARP' $'\n' "$output"
}

@test "ports: a port without a GID is not a problem" {
	on vendors ports mana_0/2 -j
	expect 0
	[ "$(jq -c '.ports[0] | [.port_guid, .gid_table_length, .pkey_table_length]' <<<"$output")" = '[null,0,1]' ]
}

@test "ports: a missing P_Key table has no slots, an unreadable one is unknown" {
	cells irdma-iwarp ports pkey_table_length,gid_table_length iwp24s0f0
	same 'iWARP' $'0 1\n' "$output"
	# Its directory cannot be entered.
	cells hostile ports pkey_table_length,gid_table_length ports0/3
	same 'unreadable' $' \n' "$output"
}

@test "ports: the netdev and its properties" {
	cells cx5-ib-edr ports netdev,netdev_operstate,netdev_mtu_bytes,carrier_changes
	same 'IPoIB' $'ib0 up 2044 1\nib1 up 2044 7\n' "$output"
	cells cx6dx-roce ports netdev,netdev_operstate,netdev_mtu_bytes
	same 'RoCE' $'ens1f0np0 up 9000\nens1f1np1 down 1500\nenp101s0f0s88 up 1500\n' "$output"
	cells efa ports netdev,netdev_operstate,netdev_mtu_bytes
	same 'none' $'  \n  \n' "$output"
}

@test "ports: tables are aligned" {
	on cx7-ib-ndr ports -o port,lid,rate_gbps,netdev mlx5_0 mlx5_5 mlx5_bond_0
	expect 0 "PORT   LID RATE Gb/s NETDEV
   1    33       400 ibp24s0
   1 65535        10 ibp171s0
   1     -       100 bond0" ''
}

@test "ports set: wrong arguments, and no such port" {
	try ports set
	[ "$status" = 2 ]
	try ports set 4 state down
	expect 2 '' "rdmactl ports: '4' is not a port: it takes DEV/PORT of this host, or LID/PORT, GUID/PORT, ROUTE/PORT or NAME/PORT of a remote node
  rdmactl ports set 4/1 state down"
	try ports set 4/256 state down
	[ "$status" = 2 ]
	try ports set --lid --guid 4/1 state down
	[ "$status" = 2 ]
	try ports set a/b/c state down
	[ "$status" = 2 ]
	try ports set nosuch0/1 state down
	[ "$status" = 5 ]
	on cx6dx-roce ports set mlx5_0/1 state down
	[ "$status" = 2 ]
	[[ $stderr == *'a saved tree cannot be changed'* ]]
}
