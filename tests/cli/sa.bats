#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The command line of sa as far as it can be tested without an InfiniBand port; the simulator covers
# the rest.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

records='nodes ports path multicast links sm switches services inform guidinfo lft mft pkeys sl2vl vlarb classportinfo'

@test "sa: --help names the records and their columns" {
	local word

	try sa --help
	expect 0
	[ -z "$stderr" ]
	for word in $records; do
		grep -q -e "[ ]$word " <<<"$output" || wrong "$word"
	done
	try sa path --help
	for word in --from --to --count --mkey; do
		grep -q -e "[ ]$word " <<<"$output" || wrong "$word"
	done
	try sa nodes --help
	[[ $output != *--from* ]] || wrong "nodes has --from"
	for word in $records; do
		quickly try sa "$word" --help
		expect 0 || wrong "$word"
		grep -q '^Columns' <<<"$output" || wrong "$word has no columns"
	done
	nothing_wrong
}

@test "sa: an unknown record" {
	try sa node
	expect_error 2 sa "unknown record 'node'" "did you mean 'nodes'?"
	try sa
	expect_error 2 sa 'too few words: it takes RECORD [FIELD=VALUE...]' 'rdmactl sa --help'
}

@test "sa: the names of saquery are known" {
	no_device
	local word

	for word in NR PIR PR MCMR LR SMIR SWIR SR IIR GIR LFTR MFTR PKTR nr cpi; do
		quickly try sa "$word"
		expect_error 5 sa 'this system has no RDMA core: no /sys/class/infiniband' \
			"$no_core_hint" || wrong "$word"
	done
	nothing_wrong
}

@test "sa: columns and keys are checked" {
	try sa nodes -o node_descripton
	expect_error 2 sa "unknown column 'node_descripton'" "did you mean 'node_description'?"
	try sa nodes -o xyzzy
	expect_error 2 sa "unknown column 'xyzzy'" 'rdmactl sa nodes --help lists the columns'
	try sa nodes --mkey x
	expect_error 2 sa "--mkey: 'x' is not a number up to 0xffffffffffffffff"
}

@test "sa: a saved tree answers no queries" {
	on cx5-ib-edr sa nodes
	expect_error 2 sa 'a saved tree answers no management datagrams' \
		'run it on the live system, without --root or RDMACTL_ROOT'
}

@test "sa: no RDMA device, as JSON" {
	no_device
	try sa path --to 5 --json
	expect 5
	jq -e '.schema == "rdmactl/sa_path/1" and .sa_path == [] and .problems[0].hint' <<<"$output"
	try sa nodes --count --json
	jq -e '.schema == "rdmactl/sa_count/1" and .sa_count == []' <<<"$output"
}

@test "sa: completion" {
	try __complete -- sa s
	expect 0
	[ "$(cut -f 1 <<<"${output%$'\n'}" | paste -sd ' ')" = 'sm switches services sl2vl' ]
	try __complete -- sa path -o dl
	[ "$(cut -f 1 <<<"${output%$'\n'}")" = dlid ]
	try __complete -- sa nodes node_t
	[ "$(cut -f 1 <<<"${output%$'\n'}")" = node_type= ]
	try __complete -- sa nodes node_type=s
	[ "$(cut -f 1 <<<"${output%$'\n'}")" = node_type=switch ]
}

@test "sa: several ends of paths" {
	try sa nodes --to 5
	expect 2
	try sa multipath --help
	expect 0
	grep -q -e ' --from ' <<<"$output" || wrong --from
	grep -q '^  \* slid ' <<<"$output" || wrong 'its answers are path records'
	try sa trace --help
	grep -q '^  \* node_id ' <<<"$output" || wrong 'its answers are nodes'
	nothing_wrong
}
