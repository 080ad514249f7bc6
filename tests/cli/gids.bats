#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

@test "gids: every fixture as in tests/golden" {
	machines golden gids
}

@test "gids: every format is valid and says the same" {
	machines formats gids
}

@test "gids: a column alone says the same as among others" {
	machines columns gids cx5-ib-edr cx6dx-roce roce-bond-vlan irdma-iwarp vendors
}

@test "gids: --all shows every slot; without it, only those in use are shown" {
	cells cx6dx-roce gids index mlx5_0
	same 'a table with a hole' $'0\n1\n2\n3\n6\n7\n8\n9\n10\n11\n' "$output"
	cells cx6dx-roce gids index mlx5_0 --all
	same 'all slots' "$(seq 0 255)"$'\n' "$output"
	cells cx6dx-roce gids index mlx5_0 -a
	same 'all slots, -a' "$(seq 0 255)"$'\n' "$output"
	cells cx6dx-roce gids index,gid,type,ip,netdev mlx5_0 --all
	[ "$(sed -n 5p <<<"$output")" = '4 0000:0000:0000:0000:0000:0000:0000:0000   ' ]
	cells rxe-host gids device --all
	[ "$(uniq -c <<<"${output%$'\n'}" | xargs)" = '1024 rxe0 16 rxe1' ]
}

@test "gids: a subnet prefix without a GUID is an empty slot" {
	cells opa-hfi1 gids index,gid
	same 'Omni-Path' $'0 fe80:0000:0000:0000:0011:7501:0179:e1a2\n' "$output"
	cells opa-hfi1 gids index --all
	same 'all of them' $'0\n1\n2\n3\n4\n' "$output"
}

@test "gids: InfiniBand GIDs of a kernel without gid_attrs" {
	on mlx4-dead-port gids -o device,port,index,gid,type
	expect 0 "DEVICE PORT INDEX GID                                     TYPE
mlx4_0    1     0 fe80:0000:0000:0000:f452:1403:0062:7cb1 ib
mlx4_0    2     0 fe80:0000:0000:0000:f452:1403:0062:7cb2 ib" ''
}

@test "gids: an unreadable entry is reported, the others are shown" {
	on bad-rate gids -o device,index,type mlx5_1
	expect 3 $'DEVICE INDEX TYPE\nmlx5_1     0 -' 'rdmactl gids: mlx5_1/1: cannot read gid_attrs/types/0: Input/output error
rdmactl gids: mlx5_1/1: cannot read gids/3: Input/output error'
	on bad-rate gids -o device,index,type mlx5_0 mlx5_2
	expect 0 $'DEVICE INDEX TYPE\nmlx5_0     0 ib\nmlx5_2     0 ib' ''
}

@test "gids: --type" {
	cells cx6dx-roce gids index,type mlx5_2 --type roce-v2
	same 'RoCE v2' $'1 roce-v2\n3 roce-v2\n' "$output"
	cells cx6dx-roce gids index,type mlx5_2 --type=roce-v1
	same 'RoCE v1' $'0 roce-v1\n2 roce-v1\n' "$output"
	cells cx6dx-roce gids index,type --type ib
	same 'none' '' "$output"
	on cx6dx-roce gids --type RoCEv2
	expect_error 2 gids "--type: 'RoCEv2' is not one of ib, roce-v1, roce-v2" "did you mean 'roce-v2'?"
}

@test "gids: --type does not match a GID whose type cannot be read" {
	local root=$BATS_TEST_TMPDIR/root types

	cp -r "$roots/cx6dx-roce" "$root"
	types=$root/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types
	# A single process replaces all files of the table.
	python3 -c 'import os, sys
for path in sys.argv[1:]:
    os.remove(path)
    os.symlink("!EINVAL", path)' "$types"/*
	for word in ib roce-v1 roce-v2; do
		quickly try gids --root "$root" mlx5_0 --type "$word" --tsv --no-headings -o index
		same "$word" '' "$output"
		[ "$status" != 0 ] || wrong "$word: exit status 0"
	done
	nothing_wrong
}

@test "gids: --netdev" {
	cells cx6dx-roce gids device,index,vlan --netdev ens1f0np0.100
	same 'a VLAN' $'mlx5_0 8 100\nmlx5_0 9 100\nmlx5_0 10 100\nmlx5_0 11 100\n' "$output"
	cells cx6dx-roce gids index --netdev ens1f0np
	same 'no prefix' '' "$output"
}

@test "gids: --ip" {
	cells cx6dx-roce gids device,index --ip 192.168.10.23
	same 'IPv4' $'mlx5_0 2\nmlx5_0 3\n' "$output"
	cells cx6dx-roce gids device,index --ip 2001:db8:10:0:0::23
	same 'IPv6, in another form' $'mlx5_0 6\nmlx5_0 7\n' "$output"
	cells cx6dx-roce gids device,index --ip ::ffff:192.168.10.23
	same 'IPv4 within IPv6' $'mlx5_0 2\nmlx5_0 3\n' "$output"
	cells cx6dx-roce gids device,index --ip fe80::1f:9cff:fe33:1004
	same 'link-local' $'mlx5_2 0\nmlx5_2 1\n' "$output"
	cells cx6dx-roce gids device,index --ip 192.168.10.23 --type roce-v2
	same 'and type' $'mlx5_0 3\n' "$output"
	cells cx6dx-roce gids device,index --ip 192.168.10.88 mlx5_0
	same 'and device' '' "$output"
	for address in 1.2.3 1.2.3.4.5 300.1.1.1 host ::g '' $'1.2.3.4\e[31m'; do
		on cx6dx-roce gids --ip "$address"
		expect_error 2 gids '--ip takes an IPv4 or IPv6 address' 'rdmactl gids --help'
	done
}

@test "gids: a filter that no entry matches" {
	local words

	for words in '--netdev nosuch' '--ip 9.9.9.9' '--type ib' '--type roce-v1 --ip 2001:db8::1 --all'; do
		# shellcheck disable=SC2086 # words
		quickly on cx6dx-roce gids $words
		expect_error 5 gids "no GID passes ${words% --all}" 'rdmactl gids shows all' || wrong "$words"
		# shellcheck disable=SC2086
		quickly on cx6dx-roce gids --json $words
		[ "$status" = 5 ] || wrong "$words --json: exit status $status"
		[ "$(jq -c '[.gids, .problems[0].error]' <<<"$output")" = "[[],\"no GID passes ${words% --all}\"]" ] ||
			wrong "$words --json: $output"
	done
	nothing_wrong
}

@test "gids: only RoCE GIDs have IP addresses" {
	cells irdma-iwarp gids gid,type,ip iwp24s0f0
	same 'iWARP' $'b496:91c8:3a60:0000:0000:0000:0000:0000 ib \n' "$output"
	cells cx5-ib-edr gids gid,ip mlx5_0
	same 'InfiniBand' $'fe80:0000:0000:0000:ec0d:9a03:0078:1a2c \n' "$output"
	cells roce-bond-vlan gids index,ip,netdev,vlan
	same 'a bond and its VLAN' "0 fe80::eaeb:d3ff:fe0a:771e bond0 
1 fe80::eaeb:d3ff:fe0a:771e bond0 
2 fe80::eaeb:d3ff:fe0a:771e bond0.200 200
3 fe80::eaeb:d3ff:fe0a:771e bond0.200 200
4 172.20.200.14 bond0.200 200
5 172.20.200.14 bond0.200 200
6 fd00:20:200::14 bond0.200 200
7 fd00:20:200::14 bond0.200 200
" "$output"
}

@test "gids: a netdev of another network namespace is not confused with a local one" {
	cells netns gids netdev
	same 'netdevs' $'\n\n\n\n\n\n\n\n\n\n\n\n' "$output"
}

@test "gids: --to needs the live system or a snapshot, --env needs --to" {
	local command

	on cx6dx-roce gids --to 192.168.10.1
	expect_error 2 gids '--to needs a routing table, which a saved tree does not have' \
		'run it on the live system, or on a snapshot of it: rdmactl snapshot FILE'
	try gids --to 192.168.10.1 --root "$BATS_TEST_TMPDIR/none"
	expect_error 1 gids "cannot open the root directory $BATS_TEST_TMPDIR/none: No such file or directory" \
		"--root takes a directory, or an archive that \`rdmactl snapshot\` wrote"
	for command in gids doctor; do
		RDMACTL_ROOT=$BATS_TEST_TMPDIR/none try "$command"
		expect_error 1 "$command" \
			"cannot open the root directory $BATS_TEST_TMPDIR/none: No such file or directory" \
			'unset RDMACTL_ROOT to read the live system'
	done
	on roce-bond-vlan gids --ip fe80::eaeb:d3ff:fe0a:771e%bond0
	expect_error 2 gids '--ip takes an address without %NETDEV: name the netdev with --netdev' \
		'rdmactl gids --help'
	try gids --env
	expect_error 2 gids '--env needs --to' 'rdmactl gids --help'
	for format in --tsv --jsonl --json --columns=index --no-headings; do
		try gids --to 192.168.10.1 --env $format
		expect_error 2 gids "--env cannot be used with ${format%=*}" '--env prints shell settings'
	done
}
