#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The command line of smp as far as it can be tested without an InfiniBand port; the simulator
# covers the rest.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

attributes='nodedesc nodeinfo switchinfo portinfo portinfoext mepi guidinfo pkeys sl2vl vlarb lft mft sminfo'

@test "smp: --help names the attributes and their columns" {
	local word

	try smp --help
	expect 0
	[ -z "$stderr" ]
	for word in $attributes; do
		grep -q -e "[ ]$word " <<<"$output" || wrong "$word"
	done
	try smp portinfo --help
	for word in --set --all-ports --raw --direct --via --mkey --window; do
		grep -q -e "[ ]$word " <<<"$output" || wrong "$word"
	done
	try smp nodeinfo --help
	[[ $output != *--all-ports* ]] || wrong "nodeinfo has --all-ports"
	for word in $attributes; do
		quickly try smp "$word" --help
		expect 0 || wrong "$word"
		grep -q '^  [* ] object ' <<<"$output" || wrong "$word has no object"
	done
	nothing_wrong
}

@test "smp: an unknown attribute, or no attribute" {
	try smp portinf 5
	expect_error 2 smp "unknown attribute 'portinf'" "did you mean 'portinfo'?"
	try smp frobnicate
	expect_error 2 smp "unknown attribute 'frobnicate'" 'rdmactl smp --help lists the attributes'
	try smp
	expect_error 2 smp 'too few words: it takes ATTRIBUTE [DEST [INDEX...]]' 'rdmactl smp --help'
}

@test "smp: options" {
	try smp nodeinfo -D -L 5
	expect_error 2 smp '--lid cannot be used with --direct' 'rdmactl smp nodeinfo --help'
	try smp nodeinfo --mkey secret
	expect_error 2 smp "--mkey: 'secret' is not a number up to 0xffffffffffffffff"
	try smp nodeinfo --qkey 0x100000000
	expect_error 2 smp "--qkey: '0x100000000' is not a number up to 0xffffffff"
	try smp nodeinfo --window 129
	expect_error 2 smp "--window: '129' is not between 1 and 128" 'rdmactl smp nodeinfo --help'
	try smp nodeinfo --retries 8
	expect_error 2 smp "--retries: '8' is not between 0 and 7" 'rdmactl smp nodeinfo --help'
	try smp nodeinfo --sl 16
	expect_error 2 smp "--sl: '16' is not between 0 and 15" 'rdmactl smp nodeinfo --help'
}

@test "smp: columns depend on the attribute" {
	try smp nodeinfo -o node_giud
	expect_error 2 smp "unknown column 'node_giud'" "did you mean 'node_guid'?"
	try smp lft -o node_guid
	expect 2
	try smp nodeinfo --raw -o node_guid
	expect 2
}

@test "smp: a saved tree answers no queries" {
	on cx5-ib-edr smp nodeinfo
	expect_error 2 smp 'a saved tree answers no management datagrams' \
		'run it on the live system, without --root or RDMACTL_ROOT'
	RDMACTL_ROOT=$roots/cx5-ib-edr try smp portinfo 5 --json
	expect 2
	jq -e '.schema == "rdmactl/smp_portinfo/1" and .smp_portinfo == [] and
		.problems[0].error == "a saved tree answers no management datagrams"' <<<"$output"
}

@test "smp: no RDMA device" {
	no_device
	try smp nodeinfo 5
	expect_error 5 smp 'this system has no RDMA core: no /sys/class/infiniband' "$no_core_hint"
	try smp lft 5 --json
	expect 5
	jq -e '.smp_lft == [] and .problems[0].hint' <<<"$output"
	try smp nodeinfo --via mlx5/0/1
	expect 2
}

@test "smp: the schemas are valid, one for each attribute and one for --raw" {
	local word

	for word in $attributes raw; do
		quickly try schema "smp_$word"
		expect 0 || wrong "$word"
		jq -e --arg id "rdmactl/smp_$word/1" '."$id" == $id' <<<"$output" >/dev/null ||
			wrong "$word"
	done
	nothing_wrong
}

@test "smp: completion of attributes and of their columns" {
	try __complete -- smp porti
	expect 0
	[ "$(cut -f 1 <<<"${output%$'\n'}" | paste -sd ' ')" = 'portinfo portinfoext' ]
	try __complete -- smp nodeinfo -o node_g
	[ "$(cut -f 1 <<<"${output%$'\n'}")" = node_guid ]
	try __complete -- smp portinfo 5 1 --set lmc=0,physical_st
	[ "$(cut -f 1 <<<"${output%$'\n'}")" = lmc=0,physical_state= ]
	try __complete -- smp portinfo 5 1 --set physical_state=dis
	[ "$(cut -f 1 <<<"${output%$'\n'}")" = physical_state=disabled ]
	try __complete -- smp lft -o l
	[ "$(cut -f 1 <<<"${output%$'\n'}")" = lid ]
}

@test "smp: requests to a subnet manager" {
	try smp sminfo --command abdicate 5
	expect 2 ''
	[[ $stderr == *handover* ]] || wrong 'the words are not named'
	try smp sminfo --command handover
	expect_error 2 smp '--command needs a subnet manager as its destination' \
		'rdmactl sa sm lists them: give a LID, a port GUID or a route'
	try smp sminfo 5 --command handover --raw
	expect_error 2 smp '--command cannot be used with --raw' 'rdmactl smp sminfo --help'
	try smp portinfo 5 --command handover
	expect 2 ''
	nothing_wrong
}
