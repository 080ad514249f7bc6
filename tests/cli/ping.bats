#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The command line of ping as far as it can be tested without a port; the simulator and, for
# Ethernet, the virtual machine cover the rest.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# refused MESSAGE WORD...: wrong usage, with that line.
refused()
{
	misuse ping "$@"
}

@test "ping: --help names methods, columns and the common options" {
	local word

	try ping --help
	expect 0
	[ -z "$stderr" ]
	for word in --smp --openib --serve --count --interval --flood --each --gid-index --via \
		--window; do
		grep -q -e "[ ]$word " <<<"$output" || wrong "$word"
	done
	for word in object host sent received loss_percent min_usec p99_usec; do
		grep -q "^  \* $word " <<<"$output" || wrong "$word is no default column"
	done
	nothing_wrong
}

@test "ping: no destination, and options that exclude each other" {
	refused 'DEST is missing'
	refused 'DEST is missing' --flood
	refused '--smp cannot be used with --openib' --smp --openib 5
	refused '--openib cannot be used with --direct' --openib -D 0,1
	refused '--interval cannot be used with --flood' --flood --interval 1s 5
	refused '--flood needs a --count above 0' --flood --count 0 5
	nothing_wrong
}

@test "ping: --serve takes a port and no client options" {
	local option

	for option in --smp --openib --flood --each '--count 3' '--interval 1s' '--gid-index 1'; do
		# shellcheck disable=SC2086 # two words
		refused "--serve cannot be used with ${option%% *}" --serve $option
	done
	refused '--serve takes only one port' --serve mlx5_0 mlx5_1
	refused '--serve takes only one port' --serve mlx5_0 --via mlx5_1
	nothing_wrong
}

@test "ping: invalid values" {
	refused "--count: '100000001' is not between 0 and 100000000" --count 100000001 5
	refused "--interval: '0' is not between 1ms and 24h" --interval 0 5
	refused "--gid-index: '256' is not between 0 and 255" --gid-index 256 5
	refused "--window: '129' is not between 1 and 128" --window 129 5
	try ping -D -L 5
	expect_error 2 ping '--lid cannot be used with --direct' 'rdmactl ping --help'
	try ping 5 --qkey 0x100000000
	expect_error 2 ping "--qkey: '0x100000000' is not a number up to 0xffffffff"
	try ping 5 -o hots
	expect_error 2 ping "unknown column 'hots'" "did you mean 'host'?"
	nothing_wrong
}

@test "ping: a saved tree answers nothing" {
	local words

	for words in 5 192.0.2.7 --serve '--serve mlx5_0/1'; do
		# shellcheck disable=SC2086 # two words
		on cx5-ib-edr ping $words
		expect_error 2 ping 'a saved tree answers no management datagrams' \
			'run it on the live system, without --root or RDMACTL_ROOT' || wrong "$words"
	done
	RDMACTL_ROOT=$roots/cx6dx-roce try ping 192.0.2.7 --json
	expect 2
	jq -e '.schema == "rdmactl/pings/1" and .pings == [] and
		.problems[0].error == "a saved tree answers no management datagrams"' <<<"$output"
	nothing_wrong
}

@test "ping: no RDMA device" {
	local words

	no_device
	for words in 5 192.0.2.7 ::1 localhost 0,1 --serve '--smp -D 0,1' '--via mlx5_0 5'; do
		# shellcheck disable=SC2086 # two words
		try ping $words
		expect_error 5 ping 'this system has no RDMA core: no /sys/class/infiniband' \
			"$no_core_hint" || wrong "$words"
	done
	try ping 5 --json
	expect 5
	jq -e '.pings == [] and .problems[0].hint' <<<"$output"
	try ping 5 --via mlx5/0/1
	expect 2
	nothing_wrong
}

@test "ping: empty standard input gives no destination" {
	no_device
	try ping -
	expect_error 2 ping 'no destination on standard input'
	same 'a directory' "$("$binary" ping - 2>&1 </)" \
		'rdmactl ping: cannot read standard input: Is a directory'
}

@test "ping: the schema is valid, completion knows the columns" {
	try schema pings
	expect 0
	jq -e '."$id" == "rdmactl/pings/1"' <<<"$output"
	try __complete -- ping -o loss
	[ "$(cut -f 1 <<<"${output%$'\n'}")" = loss_percent ]
	try __complete -- ping --op
	[ "$(cut -f 1 <<<"${output%$'\n'}")" = --openib ]
}
