#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The personalities of vendors' scripts, which are not packaged: their documented format on saved
# trees. tests/compat compares show_gids with a stand-in script; tests/vm/scene_compat_more.py runs
# them on a kernel.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# as FIXTURE TOOL ...
as()
{
	try compat --root "$roots/$1" "${@:2}"
}

# A machine with a link-local and an IPv4 address, two slots each, and vital product data.
sample()
{
	local device=sys/devices/pci0000:00/0000:01:00.0 port
	local description='ConnectX-6 VPI adapter card, HDR IB (200Gb/s) and 200GbE, single-port QSFP56'
	local vpd

	port=$device/infiniband/mlx5_0/ports/1
	# The identifier with its length; keywords: PN of 15 bytes, EC of 2; the end tag.
	printf -v vpd '\\x82\\x%02x\\x00%s\\x90\\x17\\x00PN\\x0fMCX653105A-HDATEC\\x02A1\\x78' \
		${#description} "$description"
	cat <<-END
	sys/class/infiniband/mlx5_0 -> ../../devices/pci0000:00/0000:01:00.0/infiniband/mlx5_0
	sys/class/net/eth2 -> ../../devices/pci0000:00/0000:01:00.0/net/eth2
	$device/device: 0x101b
	$device/vendor: 0x15b3
	$device/infiniband/mlx5_0/device -> ../../../0000:01:00.0
	$device/infiniband/mlx5_0/fw_ver: 20.28.1002
	$device/infiniband/mlx5_0/hca_type: MT4123
	$device/infiniband/mlx5_0/node_type: 1: CA
	$port/gid_attrs/ndevs/{0..3}: eth2
	$port/gid_attrs/types/0: IB/RoCE v1
	$port/gid_attrs/types/1: RoCE v2
	$port/gid_attrs/types/2: IB/RoCE v1
	$port/gid_attrs/types/3: RoCE v2
	$port/gids/0: fe80:0000:0000:0000:0e42:a1ff:fe46:5a4c
	$port/gids/1: fe80:0000:0000:0000:0e42:a1ff:fe46:5a4c
	$port/gids/2: 0000:0000:0000:0000:0000:ffff:0a00:0001
	$port/gids/3: 0000:0000:0000:0000:0000:ffff:0a00:0001
	$port/gids/4: fe80:0000:0000:0000:0000:0000:0000:0000
	$port/gids/{5..7}: 0000:0000:0000:0000:0000:0000:0000:0000
	$port/link_layer: Ethernet
	$port/state: 4: ACTIVE
	$device/net/eth2/ifindex: 2
	$device/net/eth2/operstate: up
	$device/net/eth2/type: 1
	$device/vpd: $vpd\\c
	END
}

unpack_sample()
{
	sample | sort | "$top/tests/mkroot" - "$BATS_TEST_TMPDIR/sample"
}

@test "show_gids: the documented bytes" {
	unpack_sample
	printf '%b' 'DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV\n' \
		'---\t----\t-----\t---\t\t\t\t\t------------  \t---\t---\n' \
		'mlx5_0\t1\t0\tfe80:0000:0000:0000:0e42:a1ff:fe46:5a4c\t\t\tv1\teth2\n' \
		'mlx5_0\t1\t1\tfe80:0000:0000:0000:0e42:a1ff:fe46:5a4c\t\t\tv2\teth2\n' \
		'mlx5_0\t1\t2\t0000:0000:0000:0000:0000:ffff:0a00:0001\t10.0.0.1  \tv1\teth2\n' \
		'mlx5_0\t1\t3\t0000:0000:0000:0000:0000:ffff:0a00:0001\t10.0.0.1  \tv2\teth2\n' \
		'n_gids_found=4\n' >"$BATS_TEST_TMPDIR/wanted"
	try compat --root "$BATS_TEST_TMPDIR/sample" show_gids
	expect 0
	cmp "$BATS_TEST_TMPDIR/wanted" "$BATS_TEST_TMPDIR/out"
	try compat --root "$BATS_TEST_TMPDIR/sample" show_gids mlx5_0
	cmp "$BATS_TEST_TMPDIR/wanted" "$BATS_TEST_TMPDIR/out"
}

@test "show_gids: slots in the order of ls, devices by name, no devices at all" {
	as cx6dx-roce show_gids mlx5_0
	expect 0
	[ "$(grep -oP '^mlx5_0\t1\t\K\d+' "$BATS_TEST_TMPDIR/out" | paste -sd ' ')" = \
		'0 1 10 11 2 3 6 7 8 9' ]
	as cx6dx-roce show_gids 'mlx5_2 mlx5_1' mlx5_0
	[ "$(cut -f 1 "$BATS_TEST_TMPDIR/out" | uniq | paste -sd ' ')" = \
		'DEV --- mlx5_2 mlx5_1 mlx5_0 n_gids_found=18' ]
	as cx6dx-roce show_gids nosuch
	expect 0
	[ "${output##*$'\t---\n'}" = $'n_gids_found=0\n' ]
	[ "$stderr" = "ls: cannot access '/sys/class/infiniband/nosuch/ports/': No such file or directory"$'\n' ]
	as no-rdma show_gids
	expect 0
	[ "$stderr" = "ls: cannot access '/sys/class/infiniband/': No such file or directory"$'\n' ]
}

@test "show_gids, ibdev2netdev: control bytes of names and texts are not printed" {
	local tool

	for tool in show_gids ibdev2netdev 'ibdev2netdev -v' show_drop; do
		# shellcheck disable=SC2086 # words
		as hostile $tool
		! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]' "$BATS_TEST_TMPDIR/out" \
			"$BATS_TEST_TMPDIR/err" || wrong "$tool"
	done
	nothing_wrong
}

@test "ibdev2netdev: the documented line, plain and -v" {
	unpack_sample
	try compat --root "$BATS_TEST_TMPDIR/sample" ibdev2netdev
	expect 0 'mlx5_0 port 1 ==> eth2 (Up)' ''
	try compat --root "$BATS_TEST_TMPDIR/sample" ibdev2netdev -v
	expect 0 '0000:01:00.0 mlx5_0 (MT4123 - MCX653105A-HDAT) ConnectX-6 VPI adapter card, HDR IB (200Gb/s) and 200GbE, single-port QSFP56 fw 20.28.1002 port 1 (ACTIVE) ==> eth2 (Up)' ''
	try compat --root "$BATS_TEST_TMPDIR/sample" ibdev2netdev --verbose
	expect 0
	[[ $output == '0000:01:00.0 mlx5_0 ('* ]]
}

@test "ibdev2netdev: help, wrong words, and no driver" {
	local words usage='ibdev2netdev <options>
-h, --help                print help message
-v, --verbose             print more info'

	for words in -h --help '-h -x'; do
		# shellcheck disable=SC2086 # words
		as cx5-ib-edr ibdev2netdev $words
		expect 0 "$usage" ''
	done
	for words in -x mlx5_0 '-v -v' '-v mlx5_0' -vv; do
		# shellcheck disable=SC2086 # words
		as cx5-ib-edr ibdev2netdev $words
		expect 255 "$usage" ''
	done
	as no-rdma ibdev2netdev
	expect 255 '' 'ibdev2netdev: no sys/class/infiniband in the saved tree'
	as empty-class ibdev2netdev -v
	expect 0 ''
}

# PCI Local Bus 3.0, appendix I: resources, which hold two-letter keywords with a length each.
@test "ibdev2netdev: the part number, wherever it is in the product data" {
	local file=$BATS_TEST_TMPDIR/sample/sys/devices/pci0000:00/0000:01:00.0/vpd

	part_is()
	{
		local wanted

		printf -v wanted 'MT4123 - %-11s) %-15s fw' "$2" "$3"
		printf '%b' "$1" >"$file"
		try compat --root "$BATS_TEST_TMPDIR/sample" ibdev2netdev -v
		expect 0 "0000:01:00.0 mlx5_0 ($wanted 20.28.1002 port 1 (ACTIVE) ==> eth2 (Up)" '' ||
			wrong "$2: $output"
	}
	unpack_sample
	part_is '\x82\x04\x00card\x90\x15\x00EC\x02A1PN\x08MCX1234 SN\x02S1\x78' MCX1234 card
	part_is '\x82\x04\x00card\x90\x0b\x00PN\x08MCX12345\x78' MCX12345 card
	part_is '\x90\x10\x00EC\x02A1PN\x08MCX12345\x82\x04\x00new \x78' MCX12345 new
	nothing_wrong
}

@test "ibdev2netdev: every fixture matches its golden file" {
	local fixture

	for fixture in $(fixtures); do
		[ "$fixture" != hostile ] || continue
		as "$fixture" ibdev2netdev
		printf '%s: exit status %s\n' "$fixture" "$status"
		cat "$BATS_TEST_TMPDIR/out"
		as "$fixture" ibdev2netdev -v
		cat "$BATS_TEST_TMPDIR/out"
	done >"$BATS_TEST_TMPDIR/now"
	compare_golden "$top/tests/compat/golden/ibdev2netdev.txt" "$BATS_TEST_TMPDIR/now"
	nothing_wrong
}

@test "vendor personalities: what public parsers look for" {
	as cx7-ib-ndr ibdev2netdev
	grep -qE '^mlx5_0 port 1 ==> \S+ \(Up\)$' "$BATS_TEST_TMPDIR/out"
	grep -qE '^mlx5_5 port 1 ==> \S+ \(Down\)$' "$BATS_TEST_TMPDIR/out"
	[ "$(awk '{ print $1, $3, $5, $6 }' "$BATS_TEST_TMPDIR/out" | grep -cE '^mlx5_\S+ [0-9]+ \S+ \((Up|Down)\)$')" = \
		"$(wc -l <"$BATS_TEST_TMPDIR/out")" ]
	# The index of RoCE v2 with an IPv4 address, as the start scripts of jobs look for it.
	as cx6dx-roce show_gids
	[ "$(awk '/v2/ && $5 ~ /^[0-9.]+$/ && $1 == "mlx5_0" && $7 == "ens1f0np0" { print $3 }' "$BATS_TEST_TMPDIR/out")" = 3 ]
	[ "$(grep -c v2 "$BATS_TEST_TMPDIR/out")" = 9 ]
	grep -qE '^n_gids_found=18$' "$BATS_TEST_TMPDIR/out"
}

@test "show_drop: the rows of counters --drops" {
	as cx5-ib-edr show_drop mlx5_0
	mv "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/named"
	try counters --root "$roots/cx5-ib-edr" --drops mlx5_0
	cmp "$BATS_TEST_TMPDIR/named" "$BATS_TEST_TMPDIR/out"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/out")" -gt 2 ]
	as cx5-ib-edr show_drop nosuch
	expect 5
	as cx5-ib-edr show_drop -x
	expect 2 ''
}

@test "cma_roce_mode, cma_roce_tos: the values of the tree, and wrong words" {
	local ports=$BATS_TEST_TMPDIR/tree/sys/kernel/config/rdma_cm/mlx5_0/ports/1

	mkdir -p "$ports" "$BATS_TEST_TMPDIR/tree/sys/class/infiniband"
	echo 'RoCE v2' >"$ports/default_roce_mode"
	echo 105 >"$ports/default_roce_tos"
	try compat --root "$BATS_TEST_TMPDIR/tree" cma_roce_mode -d mlx5_0 -p 1
	expect 0 'RoCE v2' ''
	try compat --root "$BATS_TEST_TMPDIR/tree" cma_roce_tos -d mlx5_0
	expect 0 105 ''
	try compat --root "$BATS_TEST_TMPDIR/tree" cma_roce_mode -d mlx5_1
	expect 1 '' $'cma_roce_mode: mlx5_1/1: cannot read default_roce_mode: No such device\n  rdmactl devices and ports list those that are there'
	try compat --root "$BATS_TEST_TMPDIR/tree" cma_roce_mode -d ../../../../etc
	expect 1 ''
	try compat --root "$BATS_TEST_TMPDIR/tree" cma_roce_mode -d mlx5_0 -m 2
	expect 1 ''
	[ "$stderr" = $'cma_roce_mode: a saved tree cannot be changed\n' ]
	[ "$(cat "$ports/default_roce_mode")" = 'RoCE v2' ]
	# The device is mlx5_0 unless another is named.
	try compat --root "$BATS_TEST_TMPDIR/tree" cma_roce_tos
	expect 0 105 ''
	try compat cma_roce_tos -h
	expect 0 'usage: cma_roce_tos [-h] [-d DEV] [-p PORT] [-t TOS]' ''
	try compat cma_roce_mode -m 3
	expect 1 '' 'usage: cma_roce_mode [-h] [-d DEV] [-p PORT] [-m 1|2]'
	try compat cma_roce_tos -t 256
	expect 1 ''
	[[ $stderr == "cma_roce_tos: mlx5_0/1: '256' is not a value of default-tos"* ]]
	try compat cma_roce_tos -d mlx5_0 -p x
	expect 1 ''
	as cx6dx-roce cma_roce_mode -d mlx5_0
	# No module that is loaded now puts anything into the tree.
	expect 1 '' 'cma_roce_mode: mlx5_0/1: cannot read default_roce_mode: no /sys/kernel/config/rdma_cm'
}

@test "rxe_cfg: status of a saved tree, and the commands that it lacks" {
	as rxe-host rxe_cfg
	expect 0
	[ "$stderr" = $'rxe_cfg: use this instead: rdmactl netdevs, or rdmactl link\n' ]
	grep -qE '^  eno1 .* 1500 .* rxe0' "$BATS_TEST_TMPDIR/out"
	as rxe-host rxe_cfg add eno1
	expect 1 '' 'rxe_cfg: a saved tree cannot be changed'
	as rxe-host rxe_cfg start
	expect 1 '' 'rxe_cfg: a saved tree cannot be changed'
	try compat rxe_cfg restart
	expect 1 ''
	try compat rxe_cfg -x add lo
	expect 1 ''
	try compat rxe_cfg add
	expect 1 ''
	try compat rxe_cfg stop lo
	expect 1 ''
	try compat rxe_cfg -n remove lo
	expect 1 '' "rxe_cfg: lo: no rxe device of that name or netdev
  rdmactl link lists them"
	try compat rxe_cfg add -n no-such-one
	expect 1 '' "rxe_cfg: rxe0: no netdev 'no-such-one'
  ip link lists those of this network namespace"
	try compat rxe_cfg help
	expect 0
	[ -z "$stderr" ]
}

@test "rxe_cfg: RDEV is an rxe device, not the adapter on the same netdev" {
	local device=sys/devices/pci0000:00/0000:01:00.0 rxe=sys/devices/virtual/infiniband/rxe0
	local tree=$BATS_TEST_TMPDIR/both

	{
		sample
		cat <<-END
		$device/net/eth2/mtu: 1500
		$device/net/enp129s0f0np0/ifindex: 3
		$device/net/enp129s0f0np0/type: 1
		sys/class/infiniband/rxe0 -> ../../devices/virtual/infiniband/rxe0
		sys/class/net/enp129s0f0np0 -> ../../devices/pci0000:00/0000:01:00.0/net/enp129s0f0np0
		sys/module/rdma_rxe/refcnt: 0
		$rxe/node_type: 1: CA
		$rxe/parent: eth2
		$rxe/ports/1/gid_attrs/ndevs/0: eth2
		$rxe/ports/1/gid_attrs/types/0: IB/RoCE v1
		$rxe/ports/1/gids/0: fe80:0000:0000:0000:0e42:a1ff:fe46:5a4c
		$rxe/ports/1/link_layer: Ethernet
		$rxe/ports/1/state: 4: ACTIVE
		END
	} | sort | "$top/tests/mkroot" - "$tree"
	try compat --root "$tree" rxe_cfg
	expect 0
	# The columns are as wide as their longest text.
	[ "$output" = '  Name           Link  Driver  Speed  NMTU  IPv4_addr  RDEV  RMTU
  enp129s0f0np0                                              
  eth2                                1500             rxe0  
' ] || { cat -A "$BATS_TEST_TMPDIR/out"; false; }
	rm "$tree/sys/class/infiniband/rxe0"
	try compat --root "$tree" rxe_cfg
	expect 0
	[[ $output != *mlx5_0* ]]
}

@test "ibaddr, ibv_asyncwatch: a saved tree has no fabric and no events" {
	as cx5-ib-edr ibaddr
	expect 255 'ibaddr: iberror: failed: a saved tree answers no management datagrams' ''
	as cx5-ib-edr ibv_asyncwatch
	expect 1 '' 'Failed to get IB devices list: a saved tree has no verbs'
}
