#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# rdmactl fabric route --pairs-file, links --switches-only, and scan --diff --compare.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

setup()
{
	scan=$top/tests/fixtures/subnets/two-spines.json
	pairs=$BATS_TEST_TMPDIR/pairs
	other=$BATS_TEST_TMPDIR/other.json
}

@test "fabric route --pairs-file: routes, and the cables that they share" {
	printf '%s\n' '# a file' '"n1 mlx5_0" "n4 mlx5_0"' $'"n2 mlx5_0"\t9 # LID' '"n4 mlx5_0" 4' >"$pairs"
	try fabric route --pairs-file "$pairs" --load "$scan" --tsv --no-headings \
		-o line,from,to,end,hops,most_pairs,shared_node,shared_port
	expect 0 "$(printf '%s\t%s\t%s\tarrives\t4\t%s\t%s\t%s\n' 2 'n1 mlx5_0' 'n4 mlx5_0' 2 'leaf A' 5 \
		3 'n2 mlx5_0' 'n4 mlx5_0' 2 'leaf A' 5 4 'n4 mlx5_0' 'n1 mlx5_0' 1 'n4 mlx5_0' 1)" ''
	try fabric route --pairs-file "$pairs" --load "$scan" --jsonl
	[ "$(head -n 1 <<<"$output" | jq -c .cables)" = '["n1 mlx5_0/1","leaf A/5","spine 1/2","leaf B/1"]' ]
	# The same from standard input.
	[ "$("$binary" fabric route --pairs-file - --load "$scan" --jsonl <"$pairs")" = "${output%$'\n'}" ]
	[ "$("$binary" fabric route --pairs-file "$pairs" --load - --jsonl <"$scan")" = "${output%$'\n'}" ]
	try fabric route --pairs-file "$pairs" --cables --load "$scan" --tsv --no-headings -o node,port,peer,pairs
	[ "$status" = 0 ]
	[ "$(head -n 3 <<<"$output")" = "$(printf '%s\t%s\t%s\t2\n' 'leaf A' 5 'spine 1' 'spine 1' 2 'leaf B' 'leaf B' 1 'n4 mlx5_0')" ]
	# Each route looks as in `route`.
	try fabric route 'n4 mlx5_0' 4 --load "$scan" --json
	local one

	one=$(jq -c '[.fabric_route[] | select(.direction == "there") | "\(.node)/\(.out_port)"]' <<<"$output")
	try fabric route --pairs-file "$pairs" --load "$scan" --json
	[ "$(jq -c '.fabric_pairs[2].cables' <<<"$output")" = "$one" ]
}

@test "fabric route --pairs-file: a pair that does not arrive, a missing one, and a gap" {
	printf '%s\n' '4 9' 'nosuch 9' '4 8' >"$pairs"
	# spine 1 sends LID 9 back to leaf A.
	jq '(.fabric[0].details[] | select(.node_index == 4 and .attribute_id == "0x0019").data) |= .[:18] + "01" + .[20:]' \
		"$scan" >"$other"
	try fabric route --pairs-file "$pairs" --load "$other" --json
	[ "$status" = 4 ]
	[[ $stderr == *"line 2: the scan found no node 'nosuch'"* ]]
	[[ $stderr == *'line 1: the route comes back to leaf A: LID 9 goes in a loop'* ]]
	[ "$(jq -c '[.fabric_pairs[] | [.line, .end]]' <<<"$output")" = '[[1,"loop"],[3,"arrives"]]' ]
	try fabric route --pairs-file "$pairs" --load "$scan" --tsv
	[ "$status" = 3 ]
	jq '.fabric[0].details |= map(select(.node_index != 4))' "$scan" >"$other"
	echo '4 9' >"$pairs"
	try fabric route --pairs-file "$pairs" --load "$other" --json
	[ "$status" = 3 ]
	[[ $stderr == *'it is unknown where the route of 1 pair ends'* ]]
	[ "$(jq -r '.fabric_pairs[].end' <<<"$output")" = unknown ]
}

@test "fabric route --pairs-file: files that cannot be used" {
	local hint='each line has two destinations, separated by blanks; put a name with blanks in quotation marks'

	printf '4 9\nn1 mlx5_0 9\n' >"$pairs"
	try fabric route --pairs-file "$pairs" --load "$scan"
	expect_error 1 fabric "$pairs: line 2 does not have two destinations" "$hint"
	printf '4 9\0\n' >"$pairs"
	try fabric route --pairs-file "$pairs" --load "$scan"
	expect_error 1 fabric "$pairs is not a text file" "$hint"
	try fabric route --pairs-file "$pairs.none" --load "$scan"
	[ "$status" = 1 ]
	[[ $stderr == *"cannot read $pairs.none: No such file or directory"* ]]
	try fabric route --pairs-file "$pairs" 4 9 --load "$scan"
	expect_error 2 fabric 'FROM and TO are in the file of --pairs-file' \
		'rdmactl fabric route FROM TO, or --mlid MLID, or --pairs-file FILE'
	try fabric route --cables 4 9 --load "$scan"
	[ "$status" = 2 ]
	try fabric route --mlid 0xc000 --pairs-file "$pairs" --load "$scan"
	[ "$status" = 2 ]
	# An empty file is probably a mistake.
	for text in '' $'# none\n'; do
		printf '%s' "$text" >"$pairs"
		try fabric route --pairs-file "$pairs" --load "$scan" --json
		[ "$status" = 3 ]
		[ "$(jq -c .fabric_pairs <<<"$output")" = '[]' ]
		[[ $stderr == *"no pairs in $pairs"* ]]
	done
	# The file is read before the scan.
	echo 4 >"$pairs"
	try fabric route --pairs-file "$pairs" --load "$scan" --save "$other" --json
	[ "$status" = 1 ]
	[ ! -e "$other" ]
}

@test "fabric links --switches-only" {
	try fabric links --switches-only --load "$scan" --tsv --no-headings -o node,port,peer
	expect 0 "$(printf '%s\t%s\t%s\n' 'leaf A' 5 'spine 1' 'leaf A' 6 'spine 2' 'spine 1' 2 'leaf B' \
		'spine 1' 3 'leaf C' 'spine 2' 2 'leaf B' 'spine 2' 3 'leaf C')" ''
	try fabric ports --switches-only --load "$scan"
	[ "$status" = 2 ]
	# The unknown state of a host's port does not matter.
	jq '(.fabric[0].ports[] | select(.node_index == 6 and .port == 1).port_info) |= .[:65] + "0" + .[66:]' \
		"$scan" >"$other"
	try fabric links --state active --load "$other" --tsv
	[ "$status" = 3 ]
	[[ $stderr == *'the state of 1 port is unknown'* ]]
	try fabric links --state active --switches-only --load "$other" --tsv
	[ "$status" = 0 ]
}

@test "fabric scan --diff --compare: only the named properties count" {
	# The LID of a host and the width of a cable between switches differ.
	jq '(.fabric[0].nodes[] | select(.node_index == 0).node_description) |= "6e39" + .[4:]' "$scan" >"$other"
	try fabric scan --load "$other" --diff "$scan" --tsv --no-headings -o change
	expect 4 'description-changed' ''
	for what in switches hosts,routers,cables width,speed,state,mtu lid; do
		try fabric scan --load "$other" --diff "$scan" --compare "$what" --tsv --no-headings -o change
		expect 0 '' ''
	done
	try fabric scan --load "$other" --diff "$scan" --compare lid,description --tsv --no-headings -o change
	expect 4 'description-changed' ''
	try fabric scan --load "$other" --compare lid
	expect_error 2 fabric '--compare needs --diff' 'rdmactl fabric scan --help'
	try fabric scan --load "$other" --diff "$scan" --compare colour
	[ "$status" = 2 ]
}

@test "fabric check, ports, scan --diff --expected-down: ports that are known to be down" {
	# Port 1 of leaf B, with host n4, is in the state init; then its cable is gone.
	jq '(.fabric[0].ports[] | select(.node_index == 6 and .port == 1).port_info) |= .[:65] + "2" + .[66:]' \
		"$scan" >"$other"
	try fabric check --load "$other" --json
	[ "$(jq -c '[.fabric_check[] | select(.finding == "port-init" or .finding == "link-not-active")] | length' <<<"$output")" = 1 ]
	printf '%s\n' '# out of order' ' leaf B/1 ' '' >"$pairs"
	try fabric check --load "$other" --expected-down "$pairs" --json
	[ "$(jq -c '[.fabric_check[] | select(.finding == "port-init" or .finding == "link-not-active")] | length' <<<"$output")" = 0 ]
	# Naming the other end is enough.
	echo 'n4 mlx5_0/1' >"$pairs"
	try fabric check --load "$other" --expected-down "$pairs" --json
	[ "$(jq -c '[.fabric_check[] | select(.finding == "port-init" or .finding == "link-not-active")] | length' <<<"$output")" = 0 ]
	try fabric ports --down --name 'leaf A' --load "$scan" --tsv --no-headings -o port
	local before=$output

	[[ $before == *4* ]]
	echo 'leaf A/4' >"$pairs"
	try fabric ports --down --name 'leaf A' --load "$scan" --expected-down "$pairs" --tsv --no-headings -o port
	expect 0 "$(grep -vx 4 <<<"${before%$'\n'}")" ''
	printf '%s\n' 'leaf A' 'nosuch/1' 'leaf A/99' >"$pairs"
	try fabric check --load "$scan" --expected-down "$pairs" --json
	[[ $stderr == *'expected-down, line 1: the line is not NODE/PORT'* ]]
	[[ $stderr == *'expected-down, line 2: the scan found no such node'* ]]
	[[ $stderr == *'expected-down, line 3: the node has no port 99'* ]]
	# A directed route that leads nowhere; there is no earlier scan in which to follow it.
	echo '0,99/1' >"$pairs"
	try fabric ports --load "$scan" --expected-down "$pairs" --tsv
	[ "$status" = 3 ]
	[[ $stderr == *'expected-down, line 1: the scan found no such node'* ]]
	try fabric check --load "$scan" --expected-down "$pairs.none"
	[ "$status" = 1 ]
	# The ports as JSON are no such list, and the next step makes one.
	"$binary" fabric ports --down --load "$scan" --json >"$pairs"
	try fabric ports --load "$scan" --expected-down "$pairs" --tsv
	[ "$status" = 3 ]
	[[ $stderr == *'the line is not NODE/PORT'* ]]
	local recipe=${stderr##*NODE/PORT: rdmactl }

	eval "\"\$binary\" ${recipe/ --tsv/ --load \"\$scan\" --tsv}" >"$pairs"
	grep -qx 'leaf A/4' "$pairs"
	try fabric ports --down --load "$scan" --expected-down "$pairs" --tsv --no-headings
	expect 0 '' ''
	# Comments after a port; a # within a word is part of the word.
	printf '%s\n' $'leaf A/4 # spare\r' $'leaf A/3\t#' 'leaf#A/1' >"$pairs"
	try fabric ports --load "$scan" --expected-down "$pairs" --tsv
	[ "$status" = 3 ]
	[ "$(grep -c 'expected-down, line' <<<"$stderr")" = 1 ]
	[[ $stderr == *'expected-down, line 3: the scan found no such node'* ]]
	printf 'leaf A/4\n\0leaf B/1\n' >"$pairs"
	try fabric ports --load "$scan" --expected-down "$pairs" --save "$BATS_TEST_TMPDIR/not.json"
	expect_error 1 fabric "$pairs is not a text file" "each line is a NODE/PORT: rdmactl fabric ports --down --tsv --no-headings -o node,port | tr '\\t' /"
	[ ! -e "$BATS_TEST_TMPDIR/not.json" ]
	try fabric scan --load "$scan" --expected-down "$pairs"
	expect_error 2 fabric '--expected-down needs --diff' 'rdmactl fabric scan --help'
}

@test "fabric scan --diff --expected-down: a cable that is gone" {
	# shellcheck disable=SC2016 # an expression of jq
	local link='.node_index == 6 and .port == 1 or .node_index == $peer and .port == 1'

	jq '(.fabric[0].ports[] | select(.node_index == 6 and .port == 1).peer_index) as $peer |
		.fabric[0].ports |= map(if '"$link"' then del(.peer_guid, .peer_port, .peer_index) |
			.port_info = .port_info[:64] + "0120" + .port_info[68:] else . end)' "$scan" >"$other"
	try fabric scan --load "$other" --diff "$scan" --compare cables --tsv --no-headings -o change,node,port
	[ "$status" = 4 ]
	[[ $output == 'cable-gone'* ]]
	echo 'leaf B/1' >"$pairs"
	try fabric scan --load "$other" --diff "$scan" --compare cables --expected-down "$pairs" --tsv --no-headings
	expect 0 '' ''
}

@test "fabric scan --diff --compare, --expected-down: a host that is off" {
	# shellcheck disable=SC2016 # an expression of jq
	local host

	host=$(jq '.fabric[0] as $f | $f.ports[] | select(.node_index == 6 and .port == 1).peer_index' "$scan")
	# Host n4 is gone, and the nodes after it have other numbers.
	jq --argjson host "$host" '.fabric[0].nodes |= map(select(.node_index != $host)) |
		.fabric[0].details |= map(select(.node_index != $host)) |
		.fabric[0].ports |= (map(select(.node_index != $host)) |
			map(if .peer_index == $host then del(.peer_guid, .peer_port, .peer_index) |
				.port_info = .port_info[:64] + "0120" + .port_info[68:] else . end)) |
		walk(if type == "object" then with_entries(if (.key | endswith("_index")) and (.value | type) == "number" and
			.value > $host then .value -= 1 else . end) else . end)' "$scan" >"$other"
	try fabric scan --load "$other" --diff "$scan" --tsv --no-headings -o change,node
	expect 4 "$(printf 'node-gone\tn4 mlx5_0')" ''
	try fabric scan --load "$other" --diff "$scan" --compare cables --tsv --no-headings -o change,node,port
	expect 4 "$(printf 'cable-gone\tleaf B\t1')" ''
	try fabric scan --load "$other" --diff "$scan" --compare cables,hosts --tsv --no-headings -o change
	expect 4 node-gone ''
	echo 'n4 mlx5_0/1' >"$pairs"
	try fabric scan --load "$other" --diff "$scan" --compare cables --expected-down "$pairs" --tsv --no-headings
	expect 0 '' ''
	try fabric scan --load "$other" --diff "$scan" --expected-down "$pairs" --tsv --no-headings -o change
	expect 4 node-gone ''
	echo 'n99 mlx5_0/1' >"$pairs"
	try fabric scan --load "$other" --diff "$scan" --compare lid --expected-down "$pairs" --tsv
	[ "$status" = 3 ]
}
