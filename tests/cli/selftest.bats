#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The command line of selftest as far as it can be tested without an RDMA device; the virtual
# machine covers the rest.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# refused MESSAGE WORD...: wrong usage, with that line.
refused()
{
	misuse selftest "$@"
}

@test "selftest: --help names modes and columns" {
	try selftest --help
	expect 0
	[ -z "$stderr" ]
	for word in --serve --peer --cm --proto --all-gids --token --expect-gbps --list-tests; do
		grep -q -e " $word " <<<"$output" || wrong "$word"
	done
	grep -q '^  \* result ' <<<"$output" || wrong 'result is no default column'
	nothing_wrong
}

@test "selftest: options that exclude each other" {
	refused '--peer cannot be used with --serve' --serve --peer 192.0.2.1
	refused '--tclass cannot be used with --dscp' --tclass 8 --dscp ef
	refused '--dscp cannot be used with --tos' --dscp ef --tos 8
	refused '--pkey cannot be used with --pkey-index' --pkey 0xffff --pkey-index 0
	refused '--sl cannot be used with --cm' --cm --sl 3
	refused '--mtu cannot be used with --cm' --cm --mtu 1024
	refused '--sizes cannot be used with --all-sizes' --sizes 2 --all-sizes
	refused '--iterations cannot be used with --duration' --iterations 5 --duration 1s
	refused '--test cannot be used with --latency' --test rc --latency
	refused '--test cannot be used with --bandwidth' --bandwidth --test latency-send
	for option in '--test rc' --latency --bandwidth; do
		# shellcheck disable=SC2086 # two words
		refused "--connections cannot be used with ${option%% *}" --connections 9 $option
	done
	for option in --all-gids --latency '--test rc' '--connections 5' '--peer-device mlx5_1' \
		'--cpu' '--samples x'; do
		# shellcheck disable=SC2086 # two words
		refused "--all-ports cannot be used with ${option%% *}" --peer h --all-ports $option
	done
	refused '--depth: no more than 1024 connections can be under way at once' \
		--connections 5000 --depth 1025
	refused '--stride is less than --block-size: the blocks would overlap' \
		--block-size 4k --stride 1k
	refused '--batch is more than --depth' --depth 2 --batch 3
	nothing_wrong
}

@test "selftest: an option without its mode" {
	refused '--token needs --peer or --serve' --token word
	refused '--port needs --peer or --serve' --port 4000
	refused '--proto needs --peer, --serve, --group or --group-gid' --proto rping
	refused '--peer-gid-index needs --peer' --peer-gid-index 1
	refused '--peer-device needs --peer' --peer-device mlx5_1/1
	refused '--all-ports needs --peer' --all-ports
	for option in '--bind 192.0.2.1' --once '--max-clients 3' '--allow 10.0.0.0/8' \
		'--longest 5m' '--idle 1m'; do
		# shellcheck disable=SC2086 # two words
		refused "${option%% *} needs --serve" $option
		# shellcheck disable=SC2086
		refused "${option%% *} needs --serve" --peer 192.0.2.1 $option
	done
	for option in --latency --bandwidth --cm --all-sizes '--test rc' '--operations send' \
		'--sizes 64' '--iterations 5' '--duration 1s' '--qps 2' '--depth 4' '--batch 2' \
		'--mtu 1024' '--connections 9' --all-ports '--expect-gbps 1' '--expect-usec 1' \
		'--block-size 64' '--block-count 2' '--stride 128' '--peer-gid-index 1' \
		'--peer-device mlx5_1' '--peer-memory huge' '--format svg'; do
		# shellcheck disable=SC2086
		refused "${option%% *} cannot be used with --serve" --serve $option
	done
	nothing_wrong
}

@test "selftest: --memory selects a kind, and on a server a size" {
	local kinds='pages, huge, odp, dmabuf:system, dmabuf:udmabuf, dmabuf:cuda or dmabuf:hip, with the '

	kinds+='number of the accelerator: dmabuf:cuda:1'
	for kind in '' hugepages dmabuf dmabuf:system:1 dmabuf:cuda:256 $'\e[31m'; do
		try selftest --memory "$kind"
		expect_error 2 selftest "--memory: '${kind/$'\e'/\\x1b}' is not a kind of memory" "$kinds" ||
			wrong "$kind"
	done
	try selftest --peer 192.0.2.1 --peer-memory none
	expect_error 2 selftest "--peer-memory: 'none' is not a kind of memory" "$kinds"
	try selftest --peer 192.0.2.1 --peer-memory 1g
	expect_error 2 selftest "--peer-memory: '1g' is not a kind of memory" "$kinds"
	refused '--memory with a size needs --serve' --memory 1g
	refused '--memory with a size needs --serve' --peer 192.0.2.1 --memory 64m
	refused "--memory: with --serve 'huge' is not a size (64m, 1g)" --serve --memory huge
	refused '--memory: with --serve give a size from 64m to 1024g, not 1m' --serve --memory 1m
	nothing_wrong
}

@test "selftest: the shapes of the gather tests are lists" {
	refused "--block-size: 'x' is not a size (64,4k)" --block-size 64,x
	refused "--block-count: '2x' is not a number of blocks (2,8,30)" --block-count 2x
	refused '--block-count: 0 is not between 1 and 268435456' --block-count 2,0
	refused '--block-count: more than 16' --block-count 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17
	refused '--stride is less than --block-size: the blocks would overlap' \
		--block-size 64,4k --stride 128
	nothing_wrong
}

@test "selftest: charts replace rows" {
	for option in --json --jsonl --tsv '-o device' --list-tests --all-gids; do
		# shellcheck disable=SC2086
		try selftest --format svg $option
		[ "$status" = 2 ] || wrong "$option: $status"
	done
	refused "--format: 'png' is not one of table, svg" --format png
	nothing_wrong
}

@test "selftest: the peer's port is DEV or DEV/PORT" {
	for port in '' /1 mlx5_0/ mlx5_0/0 mlx5_0/256 mlx5_0/x \
		a234567890123456789012345678901234567890123456789012345678901234; do
		refused "--peer-device: '$port' is neither DEV nor DEV/PORT" \
			--peer 192.0.2.1 --peer-device "$port"
	done
	nothing_wrong
}

@test "selftest: programs of rdma-core have fewer options" {
	for option in --latency --cm '--duration 1s' '--token word' '--test rc' --all-gids; do
		# shellcheck disable=SC2086
		refused "${option%% *} cannot be used with --proto pingpong" \
			--peer 192.0.2.1 --proto pingpong $option
	done
	refused '--token cannot be used with --proto rping' --serve --proto rping --token word
	for option in '--max-clients 2' '--allow ::1' '--memory 1g' '--longest 5m' '--idle 1m'; do
		# shellcheck disable=SC2086 # two words
		refused "${option%% *} cannot be used with --proto rping" --serve --proto rping $option
	done
	refused '--mtu cannot be used with --proto rping: rdma_cm chooses it' \
		--peer 192.0.2.1 --proto rping --mtu 1024
	refused '--sizes: only one size with --proto rping' \
		--peer 192.0.2.1 --proto rping --sizes 64,128
	try selftest --peer h --proto pinpong
	expect_error 2 selftest "--proto: 'pinpong' is not one of rdmactl, pingpong, uc-pingpong, ud-pingpong, srq-pingpong, rping, ucmatose, mckey, perftest" \
		"did you mean 'pingpong'?"
	nothing_wrong
}

@test "selftest: each foreign program has its own options" {
	for mode in --serve '--peer 192.0.2.1'; do
		# shellcheck disable=SC2086 # two words
		{
			refused '--qps cannot be used with --proto uc-pingpong' $mode --proto uc-pingpong --qps 2
			refused '--qps cannot be used with --proto perftest' $mode --proto perftest --qps 2
			refused '--qps: ibv_srq_pingpong has no more than 255 queue pairs' \
				$mode --proto srq-pingpong --qps 256
			refused '--latency cannot be used with --proto ucmatose' $mode --proto ucmatose --latency
			refused '--mtu cannot be used with --proto ucmatose: rdma_cm chooses it' \
				$mode --proto ucmatose --mtu 1024
			refused '--mtu cannot be used with --proto ud-pingpong: a datagram is one packet' \
				$mode --proto ud-pingpong --mtu 1024
			refused '--proto perftest: give only one of --latency and --bandwidth' \
				$mode --proto perftest --latency --bandwidth
			refused '--proto perftest: --operations is one of send, write and read' \
				$mode --proto perftest --operations atomic
			refused '--proto perftest: --operations is one of send, write and read' \
				$mode --proto perftest --operations send,write
			refused '--sizes: only one size with --proto perftest' \
				$mode --proto perftest --sizes 2,4
		}
	done
	refused '--token cannot be used with --proto perftest' --serve --proto perftest --token word
	refused '--max-clients cannot be used with --proto mckey' \
		--serve --proto mckey --group 239.1.1.1 --max-clients 2
	nothing_wrong
}

@test "selftest: the group of mckey" {
	refused '--proto mckey needs --group or --group-gid' --serve --proto mckey
	refused '--proto mckey needs --group or --group-gid' --peer 192.0.2.1 --proto mckey
	refused '--group cannot be used with --proto rdmactl' --group 239.1.1.1
	refused '--group cannot be used with --proto rping' --serve --proto rping --group 239.1.1.1
	refused '--group cannot be used with --group-gid' --proto mckey --group ff12::1 --group-gid ff12::1
	refused '--send-only cannot be used with --serve' \
		--serve --proto mckey --group 239.1.1.1 --send-only
	refused '--send-only needs --group or --group-gid' --send-only
	refused '--no-loopback needs --group or --group-gid' --no-loopback
	refused '--group cannot be used with --peer' --peer 192.0.2.1 --proto mckey --group 239.1.1.1
	for group in 10.9.0.1 fe80::1 224 nothing ''; do
		refused "--group: '$group' is not a multicast address" --proto mckey --group "$group"
	done
	for group in 239.1.1.1 fe80::1; do
		refused "--group-gid: '$group' is not a multicast GID" --proto mckey --group-gid "$group"
	done
	nothing_wrong
}

@test "selftest: --all-gids runs one small test for each GID" {
	for option in '--gid-index 1' '--test rc' --latency --bandwidth '--sizes 64' '--qps 2' \
		'--expect-usec 3' '--stride 64'; do
		# shellcheck disable=SC2086
		refused "${option%% *} cannot be used with --all-gids" --all-gids $option
	done
	nothing_wrong
}

@test "selftest: an option for tests that are not selected" {
	local none='and none of them is selected'

	refused "--expect-gbps is for tests of group bandwidth, $none" --latency --expect-gbps 3
	refused "--expect-usec is for tests of group latency, $none" --bandwidth --expect-usec 3
	refused "--qps is for tests of group bandwidth, $none" --test rc,latency-send --qps 2
	refused "--sizes is for tests of group latency or bandwidth, $none" --test rc --sizes 64
	refused "--stride is for tests of group gather, $none" --latency --stride 64
	refused "--sizes is for tests of group latency or bandwidth, $none" --connections 5 --sizes 64
	refused "--expect-usec is for tests of group latency, $none" --peer h --all-ports --expect-usec 3
	nothing_wrong
}

@test "selftest: clashing ways to measure" {
	local none='and none of them is selected'

	refused '--both-ways cannot be used with --reversed' --both-ways --reversed
	refused '--every needs --duration' --every 1s
	refused '--signal-every is more than --depth' --depth 4 --signal-every 5
	refused '--cpu cannot be used with --serve' --serve --cpu
	refused '--events cannot be used with --proto rping' --peer 192.0.2.1 --proto rping --events
	refused '--transport cannot be used with --all-gids' --all-gids --transport ud
	refused "--both-ways is for tests of group bandwidth, $none" --latency --both-ways
	refused "--expect-mops is for tests of group bandwidth, $none" --latency --expect-mops 3
	refused "--samples is for tests of group latency, $none" --bandwidth --samples x
	refused "--transport: 'tcp' is not one of rc, uc, ud, xrc, srd, dc" --transport tcp
	refused "--inline: '4097' is not between 0 and 4096" --inline 4097
	refused "--every: '50ms' is not between 100ms and 1h" --duration 1s --every 50ms
	nothing_wrong
	quickly try selftest --duration forever
	expect_error 2 selftest '--duration forever needs --every' '--every 1s'
	quickly try selftest --transport uc --cm --latency
	expect_error 2 selftest '--cm cannot be used with --transport uc' \
		'omit --cm: the exchange connects them'
}

@test "selftest: invalid values" {
	refused "--sizes: '4q' is not a size (2,4k,1m)" --sizes 2,4q
	refused "--sizes: '' is not a size (2,4k,1m)" --sizes 2,
	refused '--sizes: 1g is more than 256 MiB' --sizes 2,1g
	refused '--sizes: 257m is more than 256 MiB' --sizes 256m,257m
	refused '--sizes: 268435457 is more than 256 MiB' --sizes 268435456,268435457
	refused '--sizes: more than 32 sizes' --sizes "$(seq -s , 33)"
	refused "--qps: '16385' is not between 1 and 16384" --qps 16385
	refused "--depth: '0' is not between 1 and 16384" --depth 0
	refused "--connections: '16385' is not between 1 and 16384" --connections 16385
	refused "--duration: '2h' is not between 1ms and 1h" --duration 2h
	refused "--gid-index: '256' is not between 0 and 255" --gid-index 256
	refused "--port: '65536' is not between 1 and 65535" --serve --port 65536
	refused "--mtu: '1500' is not one of 256, 512, 1024, 2048, 4096" --mtu 1500
	try selftest --operations write,sned
	expect_error 2 selftest "--operations: 'sned' is not one of send, write, read, atomic" "did you mean 'send'?"
	refused "--expect-gbps: 'much' is not a number above 0 (3, 2.5)" --expect-gbps much
	refused "--bind: 'here' is not an IPv4 or IPv6 address" --serve --bind here
	refused '--bind: fe80::1 is a link-local address: add its netdev, fe80::1%NETDEV' \
		--serve --bind fe80::1
	refused "--bind: the netdev in 'fe80::1%nothere0' does not exist" \
		--serve --bind fe80::1%nothere0
	refused "--allow: '10.0.0.0/33' is not a network (10.0.0.0/8,fd00::/8)" \
		--serve --allow 192.0.2.1,10.0.0.0/33
	refused "--allow: '' is not a network (10.0.0.0/8,fd00::/8)" --serve --allow ''
	refused '--token: the token is longer than 63 bytes' --serve --token "$(printf '%064d' 0)"
	RDMACTL_TOKEN=$(printf '%064d' 0) refused 'RDMACTL_TOKEN: the token is longer than 63 bytes' --serve
	nothing_wrong
}

@test "selftest: an empty token" {
	for mode in --serve '--peer 127.0.0.1'; do
		# shellcheck disable=SC2086 # a list of words
		try selftest $mode --token ''
		expect_error 2 selftest '--token: the token is empty' \
			'give it a value, or omit --token to use no token'
		# shellcheck disable=SC2086
		RDMACTL_TOKEN='' try selftest $mode
		expect_error 2 selftest 'RDMACTL_TOKEN: the token is empty' \
			'give it a value, or unset RDMACTL_TOKEN to use no token'
	done
}

@test "selftest: an unknown test" {
	try selftest --test rc-wirte
	expect_error 2 selftest "--test: unknown test or group 'rc-wirte'" \
		"did you mean 'rc-write'?"
	try selftest --test rc,frobnicate
	expect_error 2 selftest "--test: unknown test or group 'frobnicate'" \
		'rdmactl selftest --list-tests lists them'
	try selftest --test ''
	expect_error 2 selftest "--test: unknown test or group ''" \
		'rdmactl selftest --list-tests lists them'
}

@test "selftest: --list-tests" {
	try selftest --list-tests --tsv
	expect 0
	[ -z "$stderr" ]
	same 'the columns' $'test\tgroup\tsummary' "${output%%$'\n'*}"
	grep -q $'^rc-write\trc\tRDMA write$' <<<"$output" || wrong "$output"
	[ -z "$(tail -n +2 <<<"$output" | cut -f 1 | grep . | sort | uniq -d)" ] || wrong 'a name twice'
	for group in setup rc gather uc ud multicast latency bandwidth fault; do
		cut -f 2 <<<"$output" | grep -qx $group || wrong "no test in group $group"
	done
	nothing_wrong
}

@test "selftest: --list-tests in every format follows the schema" {
	local directory=$BATS_TEST_TMPDIR/list format

	mkdir "$directory"
	try schema selftest
	expect 0
	cp "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/schema"
	for format in json jsonl; do
		try selftest --list-tests --$format
		expect 0
		cp "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/$format"
	done
	python3 - "$BATS_TEST_TMPDIR" <<-'END'
	import json, sys, jsonschema
	schema = json.load(open(sys.argv[1] + '/schema'))
	document = json.load(open(sys.argv[1] + '/json'))
	jsonschema.validate(document, schema)
	assert document['schema'] == 'rdmactl/selftest/1' and document['problems'] == []
	assert all(row['test'] and row['group'] and row['result'] is None
		for row in document['selftest'])
	assert document['selftest'] == [json.loads(line) for line in open(sys.argv[1] + '/jsonl')]
	END
}

@test "selftest: columns are checked" {
	try selftest --list-tests -o test,sumary
	expect_error 2 selftest "unknown column 'sumary'" "did you mean 'summary'?"
	try selftest --list-tests -o group --no-headings
	[ "$(uniq <<<"${output%$'\n'}" | head -n 2 | xargs)" = 'setup rc' ]
}

@test "selftest: the contents of the packets" {
	local word

	for word in af44 64 -1; do
		quickly try selftest --dscp="$word"
		expect_error 2 selftest "--dscp: '$word' is not a DSCP" 'a DSCP is a number from 0 to 63, or a name: CS0 to CS7, AF11 to AF43, EF, VOICE-ADMIT, LE' ||
			wrong "--dscp $word"
	done
	for word in 0x8000 0x10000 ffff; do
		quickly try selftest --pkey "$word"
		expect_error 2 selftest "--pkey: '$word' is not a P_Key" 'rdmactl pkeys lists them: 0xffff, 0x8001' ||
			wrong "--pkey $word"
	done
	refused "--tclass: '256' is not a traffic class, 0 to 255" --tclass 256
	refused "--tos: 'x' is not a traffic class, 0 to 255" --tos x
	refused "--flow-label: '0x100000' is not a flow label, 0 to 0xfffff" --flow-label 0x100000
	refused "--source-port: '49151' is not between 49152 and 65535" --source-port 49151
	refused '--flow-label cannot be used with --source-port' --source-port 50000 --flow-label 1
	refused '--source-port cannot be used with --cm' --cm --source-port 50000
	refused "--sl: '16' is not between 0 and 15" --sl 16
	refused "--hop-limit: '0' is not between 1 and 255" --hop-limit 0
	refused "--ack-timeout: '32' is not between 0 and 31" --ack-timeout 32
	refused '--tclass cannot be used with --serve' --serve --tclass 8
	refused '--sl cannot be used with --proto pingpong' --peer 192.0.2.1 --proto pingpong --sl 1
	nothing_wrong
}

@test "selftest: a saved tree cannot be tested" {
	local line='a saved tree cannot transfer data'

	on cx6dx-roce selftest
	expect_error 2 selftest "$line" 'run it on the live system, without --root or RDMACTL_ROOT'
	on cx6dx-roce selftest --serve
	expect_error 2 selftest "$line" 'run it on the live system, without --root or RDMACTL_ROOT'
	RDMACTL_ROOT=$roots/cx6dx-roce try selftest mlx5_0 --json
	expect 2
	jq -e ".problems[0].error == \"$line\" and .selftest == []" <<<"$output"
	# The list of tests does not depend on the system.
	on cx6dx-roce selftest --list-tests
	expect 0
}

@test "selftest: devices and ports" {
	try selftest mlx5_0/x
	expect_error 2 selftest "'mlx5_0/x' is not DEV or DEV/PORT" 'rdmactl devices lists the names'
	for address in 192.0.2.1 fe80::1%eth0 2001:db8::7; do
		try selftest $address
		expect_error 2 selftest "'$address' is an address, not a device" \
			"rdmactl selftest --peer $address"
	done
}

@test "selftest: no RDMA" {
	local line='this system has no RDMA core: no /sys/class/infiniband'

	no_device
	for words in '' mlx5_0 '--peer 192.0.2.1' '--peer nohost.invalid' --serve \
		'--serve --proto rping' '--peer h --proto pingpong' --all-gids \
		'--serve --proto perftest --latency --operations send' '--peer h --proto perftest' \
		'--proto mckey --group 239.1.1.1' '--serve --proto mckey --group-gid ff12::1'; do
		# shellcheck disable=SC2086
		try selftest $words
		expect_error 5 selftest "$line" "$no_core_hint" || wrong "$words"
	done
	try selftest --jsonl
	expect 5 ''
	try selftest --json
	expect 5
	jq -e ".selftest == [] and .problems[0].error == \"$line\"" <<<"$output"
	nothing_wrong
}

@test "selftest: completion" {
	try __complete -- selftest --test rc-w
	same 'a test' $'rc-write\t\nrc-write-immediate\t\nrc-window-1\t\nrc-window-2\t\n' "$output"
	try __complete -- selftest --memory dm
	same 'a kind of memory' $'dmabuf:system\t\ndmabuf:udmabuf\t\ndmabuf:cuda\t\ndmabuf:hip\t\n' \
		"$output"
	try __complete -- selftest --test=rc,gather-r
	same 'the last of a list' $'--test=rc,gather-read\t\n' "$output"
	try __complete -- selftest --operations send,a
	same 'an operation' $'send,atomic\t\n' "$output"
	try __complete -- selftest --proto p
	same 'a protocol' $'pingpong\tibv_rc_pingpong of rdma-core\nperftest\tib_send_bw and the like\n' "$output"
	try __complete -- selftest --mtu 40
	same 'an MTU' $'4096\t\n' "$output"
	try __complete -- --root "$roots/cx6dx-roce" selftest mlx5_0
	grep -q '^mlx5_0/1' <<<"$output"
}

# They need a live system and a peer; this shows that each option exists and can be combined with
# the others.
@test "selftest: the recipes of the page are valid command lines" {
	local line count=0

	no_device
	while read -r line; do
		count=$((count + 1))
		read -ra words <<<"$line"
		quickly try "${words[@]}"
		[ "$status" = 5 ] || wrong "$line: $status, $stderr"
	done < <(sed -n '/^.Sh EXAMPLES/,$ { s/\\-/-/g; s/^\$ rdmactl \(.*selftest.*\)/\1/p }' \
		"$BATS_TEST_DIRNAME/../../man/rdmactl-selftest.1" |
		sed 's/ [>#].*//' | grep -v -e --serve -e --list-tests -e wirte)
	[ "$count" -ge 15 ] || wrong "$count recipes"
	nothing_wrong
}
