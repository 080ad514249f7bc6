#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The command line of fabric without a fabric. Scans run on the simulator, and fabric_files.bats
# tests scans in files.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

words='scan nodes switches hosts routers links ports errors check route tables balance using'

setup()
{
	whole=$BATS_TEST_DIRNAME/../fuzz/corpus/fabric/whole
}

@test "fabric: --help lists the subcommands, and their help lists the columns" {
	local word

	try fabric --help
	expect 0
	[ -z "$stderr" ]
	for word in $words; do
		grep -q -e "[ ]$word " <<<"$output" || wrong "$word"
	done
	for word in $words; do
		quickly try fabric "$word" --help
		expect 0 || wrong "$word"
		grep -q '^Columns' <<<"$output" || wrong "$word has no columns"
		for option in --from --save --mkey; do
			grep -q -e "[ ]$option " <<<"$output" || wrong "$word $option"
		done
	done
	nothing_wrong
}

# has WORD OPTION...: of the options that only some subcommands take, the help of WORD lists exactly
# these.
has()
{
	quickly try fabric "$1" --help
	for option in --tree --diff --format --details --load --state --down --name --interval --top \
		--fail-on --multicast --type --clear --ignore --thresholds --sl-from-sa; do
		case " ${*:2} " in
		*" $option "*) grep -qE "^ +(-., )?$option( |$)" <<<"$output" || wrong "$1 lacks $option" ;;
		*) ! grep -qE "^ +(-., )?$option( |$)" <<<"$output" || wrong "$1 has $option" ;;
		esac
	done
}

@test "fabric: --help of a subcommand lists only its own options" {
	has scan --tree --diff --format --details --load
	has nodes --load --state --down --name
	has links --load --state --name
	has errors --load --interval --name --top --details --type --clear --ignore --thresholds --sl-from-sa
	has check --load --interval --fail-on
	has route --load
	has tables --multicast --load
	has balance --top --load
	nothing_wrong
}

@test "fabric: an unknown subcommand, and too many arguments" {
	try fabric link
	expect_error 2 fabric "unknown command 'link'" "did you mean 'links'?"
	try fabric nodes leaf
	expect 2
	try fabric route leaf
	expect 2
}

@test "fabric: without a fabric" {
	no_device
	local word

	for word in $words; do
		case $word in
		route) quickly try fabric route 1 2 ;;
		using) quickly try fabric using 1/1 ;;
		*) quickly try fabric "$word" ;;
		esac
		expect_error 5 fabric 'this system has no RDMA core: no /sys/class/infiniband' \
			"$no_core_hint" || wrong "$word"
	done
	try fabric
	expect 5
	nothing_wrong
}

@test "fabric: without a fabric, as JSON" {
	no_device
	try fabric --json
	expect 5
	jq -e '.schema == "rdmactl/fabric/1" and .fabric == [] and .problems[0].hint' <<<"$output"
	try fabric check --json
	expect 5
	jq -e '.schema == "rdmactl/fabric_check/1" and .fabric_check == []' <<<"$output"
}

@test "fabric: a saved tree answers no queries" {
	on cx5-ib-edr fabric
	expect_error 2 fabric 'a saved tree answers no management datagrams' \
		'run it on the live system, without --root or RDMACTL_ROOT'
}

@test "fabric: filters of lists" {
	try fabric nodes --load "$whole" --name 'H-*' --no-headings --tsv -o node
	expect 0 $'H-1\nH-2' ''
	try fabric switches --load "$whole" --no-headings --tsv -o node,node_type
	expect 0 $'S-1\tswitch' ''
	try fabric hosts --load "$whole" --no-headings --tsv -o node,port_count
	expect 0 $'H-1\t1\nH-2\t2' ''
	try fabric routers --load "$whole" --no-headings
	expect 0 '' ''
	try fabric links --load "$whole" --name H-2 --no-headings --tsv -o node,peer
	expect 0 $'S-1\tH-2' ''
	try fabric links --load "$whole" --speed-below SDR --no-headings
	expect 0 '' ''
	try fabric nodes --load "$whole" --state acitve
	expect 2
}

@test "fabric: names for nodes" {
	local guid name

	guid=$("$binary" fabric switches --load "$whole" --no-headings --tsv -o node_guid)
	printf '# racks\n0x%s "leaf\ta"\n' "${guid//:/}" >"$BATS_TEST_TMPDIR/names"
	try fabric switches --load "$whole" --names "$BATS_TEST_TMPDIR/names" --no-headings --tsv -o node
	expect 0 'leaf\x09a' ''
	echo 'leaf' >"$BATS_TEST_TMPDIR/names"
	try fabric switches --load "$whole" --names "$BATS_TEST_TMPDIR/names"
	expect_error 1 fabric "$BATS_TEST_TMPDIR/names: line 1 does not name a node" \
		'each line has the form 0x0002c90300001234 "leaf 3"'
	for name in $(seq 40); do
		echo "0x${guid//:/} \"name $name\""
	done >"$BATS_TEST_TMPDIR/names"
	try fabric switches --load "$whole" --names "$BATS_TEST_TMPDIR/names" --no-headings --tsv -o node
	expect 0 'name 1' ''
	printf '# a NUL\n0x1 "one"\0\n0x%s "two"\n' "${guid//:/}" >"$BATS_TEST_TMPDIR/names"
	try fabric switches --load "$whole" --names "$BATS_TEST_TMPDIR/names"
	expect_error 1 fabric "$BATS_TEST_TMPDIR/names: line 2 does not name a node" \
		'each line has the form 0x0002c90300001234 "leaf 3"'
	try fabric switches --load "$whole" --names /nowhere
	expect 1
}

@test "fabric: columns are checked" {
	try fabric links -o width
	expect 2
	[[ "$stderr" = *"unknown column 'width'"* ]]
	try fabric --load "$whole" --jsonl
	[ "$status" = 0 ]
	jq -e -s 'length == 2 and .[0].node == "S-1"' <<<"$output"
}

@test "fabric: completion" {
	try __complete -- fabric s
	expect 0
	[ "$(cut -f 1 <<<"${output%$'\n'}" | paste -sd ' ')" = 'scan switches' ]
	try __complete -- fabric links -o pe
	[ "$(cut -f 1 <<<"${output%$'\n'}" | paste -sd ' ')" = 'peer peer_port peer_state peer_lid peer_type peer_guid peer_index peer_external_port peer_location' ]
	try __complete -- fabric --format s
	[ "$(cut -f 1 <<<"${output%$'\n'}" | paste -sd ' ')" = 'slurm svg' ]
}
