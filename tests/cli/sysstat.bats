#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The command line of sysstat as far as it can be tested without a port; the simulator covers the
# rest.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

@test "sysstat: --help names the columns and the common options" {
	local word

	try sysstat --help
	expect 0
	[ -z "$stderr" ]
	for word in --serve --via --window object host cpu model mhz; do
		grep -q -e "[ ]$word " <<<"$output" || wrong "$word"
	done
	nothing_wrong
}

@test "sysstat: invalid arguments" {
	try sysstat
	expect_error 2 sysstat 'DEST is missing' 'rdmactl sysstat --help'
	try sysstat 5 cpus
	expect_error 2 sysstat "'cpus' is not one of ping, host, cpu" 'rdmactl sysstat --help'
	try sysstat 5 $'\e[31m'
	expect_error 2 sysstat "'\\x1b[31m' is not one of ping, host, cpu" 'rdmactl sysstat --help'
	try sysstat --serve mlx5_0 mlx5_1
	expect_error 2 sysstat '--serve takes only one port' 'rdmactl sysstat --help'
	try sysstat --serve mlx5_0 --via mlx5_1
	expect_error 2 sysstat '--serve takes only one port' 'rdmactl sysstat --help'
	try sysstat 5 cpu 6
	expect 2
	try sysstat -D -L 5
	expect_error 2 sysstat '--lid cannot be used with --direct' 'rdmactl sysstat --help'
}

@test "sysstat: a saved tree answers no queries" {
	local words

	for words in 5 '5 cpu' --serve; do
		# shellcheck disable=SC2086 # two words
		on cx5-ib-edr sysstat $words
		expect_error 2 sysstat 'a saved tree answers no management datagrams' \
			'run it on the live system, without --root or RDMACTL_ROOT' || wrong "$words"
	done
	nothing_wrong
}

@test "sysstat: no RDMA device" {
	no_device
	try sysstat 5 host
	expect_error 5 sysstat 'this system has no RDMA core: no /sys/class/infiniband' "$no_core_hint"
	try sysstat --serve
	expect_error 5 sysstat 'this system has no RDMA core: no /sys/class/infiniband' "$no_core_hint"
	try sysstat 5 --json
	expect 5
	jq -e '.sysstats == [] and .problems[0].hint' <<<"$output"
}

@test "sysstat: the schema is valid, completion knows words and columns" {
	try schema sysstats
	expect 0
	jq -e '."$id" == "rdmactl/sysstats/1"' <<<"$output"
	try __complete -- sysstat 5 ''
	[ "$(cut -f 1 <<<"${output%$'\n'}" | paste -sd ' ')" = 'ping host cpu' ]
	try __complete -- sysstat -o mod
	[ "$(cut -f 1 <<<"${output%$'\n'}")" = model ]
}
