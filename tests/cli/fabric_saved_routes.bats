#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# rdmactl fabric tables, balance, route and check on a scan that was saved with its forwarding
# tables (fabric scan --routes): a simulated subnet of three leaves, two spines and nine hosts,
# routed by opensm. tests/sim compares the saved tables with the answers of the switches.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

setup()
{
	scan=$top/tests/fixtures/subnets/two-spines.json
	bare=$BATS_TEST_TMPDIR/bare.json
}

@test "fabric tables --load: each entry of a switch" {
	try fabric tables 'leaf A' --load "$scan" -o lid,out_port,peer --tsv --no-headings
	expect 0 "$(printf '%s\t%s\t%s\n' 1 2 'n2 mlx5_0' 2 0 '' 3 5 'spine 1' 4 1 'n1 mlx5_0' 5 5 'spine 1' \
		6 6 'spine 2' 7 5 'spine 1' 8 3 'n3 mlx5_0' 9 5 'spine 1' 10 6 'spine 2' 11 5 'spine 1' \
		12 6 'spine 2' 13 5 'spine 1' 14 6 'spine 2')" ''
}

@test "fabric tables --lids: one LID or a range, on some switches or on all" {
	try fabric tables 'leaf A' --lids 0x3-5 --load "$scan" -o lid,out_port --tsv --no-headings
	expect 0 "$(printf '%s\t%s\n' 3 5 4 1 5 5)" ''
	try fabric tables --lids 4 --load "$scan" -o node,lid --tsv --no-headings
	same 'every switch has it once' "$(printf '%s\t4\n' 'leaf A' 'leaf B' 'leaf C' 'spine 1' 'spine 2')" \
		"$(printf %s "$output" | LC_ALL=C sort)"
	try fabric tables --lids 14-99 --load "$scan" -o lid --tsv --no-headings 'leaf A'
	expect 0 14 ''
	try fabric tables --lids 0 --load "$scan" -o lid --tsv --no-headings
	expect 0 '' ''
	for range in '' x 5-3 1-65536 -1 '3-'; do
		try fabric tables --lids="$range" --load "$scan"
		expect_error 2 fabric "--lids: '$range' is not a LID or a range of LIDs" \
			'for example 17, 1-99 or, with --multicast, 0xc000-0xc00f'
	done
	try fabric tables --lids 0xc000 --load "$scan"
	expect_error 2 fabric '--lids: LIDs from 0xc000 on are multicast LIDs: add --multicast'
	try fabric tables --multicast --lids 1-0xbfff --load "$scan"
	expect_error 2 fabric '--lids: multicast LIDs begin at 0xc000: omit --multicast'
}

@test "fabric route --load: via one spine there, via the other back" {
	try fabric route 'n2 mlx5_0' 'n4 mlx5_0' --load "$scan" -o direction,node,out_port --tsv --no-headings
	expect 0 "$(printf '%s\t%s\t%s\n' there 'n2 mlx5_0' 1 there 'leaf A' 5 there 'spine 1' 2 there 'leaf B' 1 \
		back 'n4 mlx5_0' 1 back 'leaf B' 6 back 'spine 2' 1 back 'leaf A' 2)" ''
	try fabric route 'n2 mlx5_0' 'n4 mlx5_0' --load "$scan" -o node,errors
	[ "$status" = 3 ]
	[[ $stderr == *'a saved scan has no counters'* ]]
	try fabric route 'n2 mlx5_0' 'n4 mlx5_0' --load "$scan" -o node,path_rate_gbps
	[ "$status" = 3 ]
	[[ $stderr == *'a saved scan has no path records'* ]]
}

@test "fabric route --load: between two planes of a port" {
	# The second port of the node has the LID and, like any port that no cable names, the GUID of the first.
	jq '.fabric[0] |= (.nodes[0].node_info |= sub("^01010101"; "01010102") |
		(.ports[] | select(.node_index == 0)) as $one |
		.ports |= (map(select(.node_index != 1 or .port != 7)) + [$one + {port: 2, peer_port: 7},
			{node_index: 1, port: 7, unanswered: false, peer_index: 0, peer_port: 2,
			port_info: (.[] | select(.node_index == 1 and .port == 1).port_info)}]))' "$scan" >"$bare"
	node=$("$binary" fabric hosts --load "$bare" --tsv --no-headings -o node | head -1)
	try fabric route "$node/1" "$node/2" --load "$bare"
	expect_error 2 fabric "$node/1 and $node/2 are planes of one port, which share LID 4, so no route leads from one to the other" \
		'give a port with another LID'
	# One of many pairs does not keep the others from being shown.
	printf '"%s" "%s"\n' "$node/1" "$node/2" "$node/1" "$node/1" "$node/2" 'n4 mlx5_0' >"$bare.pairs"
	try fabric route --pairs-file "$bare.pairs" --load "$bare" --json
	[ "$status" = 3 ]
	[ "$(jq -c '[.fabric_pairs[] | [.line, .end]]' <<<"$output")" = '[[2,"arrives"],[3,"arrives"]]' ]
	[[ $stderr == *"line 1: $node/1 and $node/2 are planes of one port, which share LID 4, so no route leads from one to the other"* ]]
	try fabric route "$node/1" "$node/1" --load "$bare"
	expect_error 2 fabric "both ends are $node/1" 'give another port of the node as NAME/PORT, or by its LID'
	try fabric route "$node/2" 'n4 mlx5_0' --load "$bare" --tsv --no-headings -o direction,node,out_port
	[ "$status" = 0 ]
	[[ $output == "there"$'\t'"$node"$'\t2\n'* ]]
}

@test "fabric route --load: a node that is not there, and the host of an adapter" {
	try fabric route nosuch 'n1 mlx5_0' --load "$scan"
	expect_error 5 fabric "the scan found no node 'nosuch'" \
		'give a name, GUID, LID or directed route: rdmactl fabric nodes -o node,node_guid,lid,path lists them'
	try fabric route n1 n2 --load "$scan"
	expect_error 5 fabric "the scan found no node 'n1'" "did you mean 'n1 mlx5_0'?"
	try fabric route leaf n2 --load "$scan"
	expect_error 5 fabric "the scan found no node 'leaf'" "did you mean 'leaf A' or 'leaf B' or 'leaf C'?"
	# More than four are too many to list.
	printf '0x2%d0 "host %d"\n' 0 0 1 1 2 2 3 3 4 4 >"$BATS_TEST_TMPDIR/names"
	try fabric route host n2 --load "$scan" --names "$BATS_TEST_TMPDIR/names"
	expect_error 5 fabric "the scan found no node 'host'" \
		'give a name, GUID, LID or directed route: rdmactl fabric nodes -o node,node_guid,lid,path lists them'
	sed -i 1d "$BATS_TEST_TMPDIR/names"
	try fabric route host n2 --load "$scan" --names "$BATS_TEST_TMPDIR/names"
	expect_error 5 fabric "the scan found no node 'host'" \
		"did you mean 'host 1' or 'host 2' or 'host 3' or 'host 4'?"
	# A name that two nodes have is suggested once, and one that matches needs no other.
	sed -i 's/host 4/host 3/' "$BATS_TEST_TMPDIR/names"
	try fabric route host n2 --load "$scan" --names "$BATS_TEST_TMPDIR/names"
	expect_error 5 fabric "the scan found no node 'host'" "did you mean 'host 1' or 'host 2' or 'host 3'?"
	sed -i 's/host [12]/host/' "$BATS_TEST_TMPDIR/names"
	try fabric route host n2 --load "$scan" --names "$BATS_TEST_TMPDIR/names"
	expect_error 2 fabric "'host' matches 2 nodes" \
		'give a name, GUID, LID or directed route: rdmactl fabric nodes -o node,node_guid,lid,path lists them'
}

@test "fabric balance --load: the hosts' LIDs on the cables between switches" {
	try fabric balance --load "$scan" -o node,port,routes --tsv --no-headings
	expect 0 "$(printf '%s\t%s\t%s\n' 'leaf A' 5 3 'leaf A' 6 3 'leaf B' 5 3 'leaf B' 6 3 'leaf C' 5 3 'leaf C' 6 3 \
		'spine 1' 1 3 'spine 1' 2 3 'spine 1' 3 3 'spine 2' 1 3 'spine 2' 2 3 'spine 2' 3 3)" ''
}

# Writes the scan to $bare with a different table for leaf A: the ports of LIDs 9 to 14, n4 to n9,
# in hexadecimal.
with_ports_of_leaf_a()
{
	jq --arg ports "$1" '(.fabric[0].details[] | select(.node_index == 1 and .attribute_id == "0x0019").data) |=
		.[:18] + $ports + .[30:]' "$scan" >"$bare"
}

@test "fabric balance --load: unequal cables, the most loaded first" {
	local columns=node,port,routes,mean_routes,load_percent,pairs

	# Four of six routes go via spine 1: each host of the leaf has a pair with each of the four.
	with_ports_of_leaf_a 050505060506
	try fabric balance --load "$bare" --tsv --no-headings -o $columns
	[ "$status" = 0 ]
	same 'in the order of names' $'leaf A\t5\t4\t3\t133.333\t12\nleaf A\t6\t2\t3\t66.6667\t6\nleaf B\t5\t3\t3\t100\t9' \
		"$(head -n 3 <<<"$output")"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/out")" = 12 ]
	# 12 pairs to leaf B via spine 1, 6 via spine 2, instead of 9 each.
	[ "$(grep $'^spine ..2' <<<"$output")" = $'spine 1\t2\t3\t3\t100\t12\nspine 2\t2\t3\t3\t100\t6' ]
	try fabric balance --load "$bare" --tsv --no-headings -o node,port --top 12
	expect 0 "$(printf '%s\t%s\n' 'leaf A' 5 'leaf B' 5 'leaf B' 6 'leaf C' 5 'leaf C' 6 'spine 1' 1 'spine 1' 2 'spine 1' 3 \
		'spine 2' 1 'spine 2' 2 'spine 2' 3 'leaf A' 6)" ''
	try fabric balance --load "$bare" --tsv --no-headings -o node,port --top 1
	expect 0 $'leaf A\t5' ''
	# A single route, then none: there is no load to compare.
	with_ports_of_leaf_a 05ffffffffff
	try fabric balance --load "$bare" --tsv --no-headings -o $columns
	[ "$status" = 4 ]
	same 'one route' $'leaf A\t5\t1\t0.5\t200\t3\nleaf A\t6\t0\t0.5\t0\t0' "$(head -n 2 <<<"$output")"
	with_ports_of_leaf_a ffffffffffff
	try fabric balance --load "$bare" --tsv --no-headings -o $columns
	[ "$status" = 4 ]
	same 'no route' $'leaf A\t5\t0\t0\t\t0\nleaf A\t6\t0\t0\t\t0' "$(head -n 2 <<<"$output")"
	[[ $stderr == 'rdmactl fabric: packets of 18 pairs do not arrive: the route to LID 9, for one, ends at leaf A'* ]]
	# A scan of part of the subnet, live or saved, cannot tell where packets go beyond it.
	jq '.fabric[0].most_hops = 4' "$bare" >"$BATS_TEST_TMPDIR/part.json"
	try fabric balance --load "$BATS_TEST_TMPDIR/part.json" --tsv --no-headings -o $columns
	[ "$status" = 0 ]
	[ -z "$stderr" ]
}

@test "fabric using --load: hosts whose packets cross a cable" {
	try fabric using 'leaf A/5' --load "$scan" -o direction,node,lid,sources --tsv --no-headings
	expect 0 "$(printf '%s\t%s\t%s\t%s\n' there 'n4 mlx5_0' 9 3 there 'n6 mlx5_0' 11 3 \
		there 'n8 mlx5_0' 13 3 back 'n1 mlx5_0' 4 6 back 'n3 mlx5_0' 8 6)" ''
	# Nine pairs in one direction, as balance counts them, and twelve in the other.
	try fabric using 'leaf A/5' --load "$scan" --pairs --json
	expect 0
	[ "$(jq -c '.fabric_using | [length, ([.[] | select(.direction == "there")] | length),
		.[0].source, .[0].node, .[0].sources]' <<<"$output")" = \
		'[21,9,"n1 mlx5_0","n4 mlx5_0",null]' ]
	try fabric using 'leaf A/5' --load "$scan" --pairs --tsv
	[ "${lines[0]}" = $'direction\tsource\tsource_port\tnode\tport\tlid' ] || [ "$(head -n 1 <<<"$output")" = $'direction\tsource\tsource_port\tnode\tport\tlid' ]
	# The cable of a host carries everything that it sends and receives.
	try fabric using 'n2 mlx5_0' --load "$scan" -o direction,sources --tsv --no-headings
	expect 0 "$(yes $'there\t1' | head -n 8
		echo $'back\t8')" ''
	try fabric using 'leaf A' --load "$scan"
	expect_error 2 fabric 'leaf A is a switch: which of its cables?' \
		'give the port as NAME/PORT: rdmactl fabric links lists the cables'
	try fabric using 'leaf A/77' --load "$scan"
	expect_error 5 fabric 'no such port: leaf A has ports 1 to 8' 'rdmactl fabric links lists the cables'
	printf '0x100 "rack 1/2"\n' >"$bare"
	try fabric using 'rack 1/2' --load "$scan" --names "$bare"
	expect_error 2 fabric 'rack 1/2 is a switch: which of its cables?' \
		'give the port as NAME/PORT: rdmactl fabric links lists the cables'
	try fabric using 'rack 1/2/5' --load "$scan" --names "$bare" -o direction,sources --tsv --no-headings
	[ "$status" = 0 ]
	try fabric using 'leaf A' 5 --load "$scan"
	expect_error 2 fabric 'too many words: it takes NODE/PORT' 'rdmactl fabric using --help'
	try fabric using 'leaf A/4' --load "$scan"
	expect_error 5 fabric 'leaf A/4 has no cable in the scan' 'rdmactl fabric links lists the cables'
	jq 'del(.fabric[0].details)' "$scan" >"$bare"
	try fabric using 'leaf A/5' --load "$bare"
	expect_error 1 fabric "the scan in $bare has no forwarding tables" \
		'rdmactl fabric scan --routes --save FILE saves them'
}

@test "fabric check --load: a table that sends a LID to the wrong port" {
	try fabric check --load "$scan" --json
	[ "$(jq -r '[.fabric_check[] | select(.severity == "error")] | length' <<<"$output")" = 0 ]
	# spine 1: LID 9 (n4) goes back to leaf A, which sends it to spine 1.
	jq '(.fabric[0].details[] | select(.node_index == 4 and .attribute_id == "0x0019").data) |= .[:18] + "01" + .[20:]' \
		"$scan" >"$bare"
	try fabric check --load "$bare" --json
	[ "$status" = 4 ]
	[ "$(jq -r '.fabric_check[] | select(.severity == "error") | "\(.finding) \(.evidence)"' <<<"$output")" = \
		'lft-loop LID 9 of n4 mlx5_0/1 goes to port 5 and is back here after 2 hops' ]
}

# Two LIDs of leaf C take the way over another leaf: from leaf A over leaf B, and from leaf B over leaf A.
make_loop()
{
	jq 'def entry(node; lid; port): .fabric[0].details |= map(if .node_index == node
			then .data |= .[:2 * lid] + port + .[2 * lid + 2:] else . end);
		entry(1; 13; "05") | entry(4; 13; "02") | entry(6; 13; "06") | entry(5; 13; "03") |
		entry(6; 14; "06") | entry(5; 14; "01") | entry(1; 14; "05") | entry(4; 14; "03")' "$scan" >"$bare"
}

credit_loops()
{
	try fabric check --load "$bare" "$@" --json
	rows=$(jq -r '.fabric_check[] | select(.finding == "credit-loop" or (.evidence | startswith("credit-loop"))) |
		"\(.severity) \(.finding) \(.node)/\(.port) \(.evidence)"' <<<"$output")
}

@test "fabric check --credit-loops --load: what the tables prove" {
	local who='4 cables, each with a packet that waits for the next: '
	local loop='leaf A/5 to spine 1/1 [n1 mlx5_0/1 to LID 9 of n4 mlx5_0/1]; spine 1/2 to leaf B/5 [n1 mlx5_0/1 to LID 13 of n8 mlx5_0/1]; leaf B/6 to spine 2/2 [n4 mlx5_0/1 to LID 1 of n2 mlx5_0/1]; spine 2/1 to leaf A/6 [n4 mlx5_0/1 to LID 14 of n9 mlx5_0/1]'
	local without='info not-checked null/null credit-loop: '

	try fabric check --load "$scan" --credit-loops all --json
	[[ $output != *credit-loop* ]]
	make_loop
	credit_loops
	same 'without SLs' "${without}the routes of packets of all SLs together form 1 loop, which VLs may break: --credit-loops all considers the VLs. The first has $who$loop" "$rows"
	credit_loops --credit-loops 0
	same 'without SL to VL tables' "${without}not all loops can be found: it is unknown which VL some packets get at leaf B" "$rows"
	credit_loops --credit-loops paths
	[ "${rows%%$'\n'*}" = "${without}path records: a saved scan has none" ]
	# One P_Key shows that tables were saved: those that are missing are all zeros.
	jq '.fabric[0].details += [{node_index: 0, port: 1, attribute_id: "0x0016", modifier: "0x00000000",
		data: ("ffff" + "0" * 124)}]' "$bare" >"$bare.2"
	mv "$bare.2" "$bare"
	credit_loops --credit-loops 3
	[[ $rows == "notice credit-loop leaf A/5 if packets with SL 3 go from each port to each other: $who"* ]]
	[[ $rows == *'spine 2/1 to leaf A/6 [VL 0: n4 mlx5_0/1 to LID 14 of n9 mlx5_0/1, SL 3]' ]]
	# Packets from beyond the limit of a scan are unknown.
	jq '.fabric[0].most_hops = 3' "$bare" >"$bare.2"
	try fabric check --load "$bare.2" --json
	[[ $output == *'credit-loop: not all loops can be found: a part of the subnet is unknown'* ]]
	# With one VL, no SL breaks the loop.
	jq '.fabric[0].ports[].port_info |= .[:86] + "1" + .[87:]' "$bare" >"$bare.2"
	mv "$bare.2" "$bare"
	for words in '' '--credit-loops 0'; do
		# shellcheck disable=SC2086 # two words
		credit_loops $words
		same "one VL $words" "warning credit-loop leaf A/5 one VL for all packets: $who$loop" "$rows"
		done
	try fabric check --load "$bare" --credit-loops 16
	[ "$status" = 2 ]
}

@test "fabric tables, balance, route --load: a scan without tables, or with only part of one" {
	jq 'del(.fabric[0].details)' "$scan" >"$bare"
	for words in tables balance 'route?n1 mlx5_0?n4 mlx5_0'; do
		IFS='?' read -ra words <<<"$words"
		try fabric "${words[@]}" --load "$bare"
		expect_error 1 fabric "the scan in $bare has no forwarding tables" \
			'rdmactl fabric scan --routes --save FILE saves them'
	done
	jq '.fabric[0].details |= map(select(.node_index != 4))' "$scan" >"$bare"
	try fabric route 'n2 mlx5_0' 'n4 mlx5_0' --load "$bare"
	[ "$status" = 3 ]
	[[ $stderr == *'the route there is unknown beyond spine 1'* ]]
	[[ $stderr == *'spine 1/0: LinearForwardingTable: the saved scan does not have it'* ]]
	# A route that does not pass the switch is complete.
	try fabric route 'n1 mlx5_0' 'n2 mlx5_0' --load "$bare" -o node --tsv --no-headings
	expect 0 $'n1 mlx5_0\nleaf A\nn2 mlx5_0\nleaf A' ''
}

@test "fabric balance, using, check, tables --load: a switch without a table is unknown" {
	local gap='leaf B/0: LinearForwardingTable: the saved scan does not have it'

	jq '.fabric[0].details |= map(select(.node_index != 6))' "$scan" >"$bare"
	try fabric balance --load "$bare" --json
	[ "$status" = 3 ]
	[[ $stderr == *"$gap"* ]]
	[ "$(jq -c '[.fabric_balance[] | select(.node == "leaf B") | .routes, .mean_routes, .pairs] | unique' <<<"$output")" = '[null]' ]
	[ "$(jq -c '[.fabric_balance[] | select(.node == "leaf A") | .routes, .pairs]' <<<"$output")" = '[3,null,3,null]' ]
	try fabric using 'leaf A/5' --load "$bare" --json
	[ "$status" = 3 ]
	[[ $stderr == *"$gap"* ]]
	[ "$(jq -c '[.fabric_using[].sources] | unique' <<<"$output")" = '[null]' ]
	try fabric check --load "$bare" --json
	[ "$(jq -r '.fabric_check[] | select(.finding == "not-checked").evidence' <<<"$output")" = \
		$'counters and subnet managers: a saved scan has none\nthe forwarding table of leaf B: the saved scan lacks all or part of it\ncredit-loop: not all loops can be found: it is unknown where some packets go from leaf B' ]
	[ "$(jq '[.fabric_check[] | select(.severity == "error")] | length' <<<"$output")" = 0 ]
	try fabric tables 'leaf B' --load "$bare" --tsv --no-headings
	[ "$status" = 3 ]
	[ -z "$output" ]
	[[ $stderr == *"$gap"* ]]
	# The table of the other switch is complete.
	try fabric tables 'leaf C' --load "$bare" -o lid --tsv --no-headings
	[ "$status" = 0 ]
	# The scan itself records why.
	jq '.fabric[0] |= (.complete = false | .unanswered = [{node_index: 6, port: 0, behind: false,
		attribute_id: "0x0019", errno: 110, tries: 3}])' "$bare" >"$bare.2"
	try fabric balance --load "$bare.2" --json
	[ "$status" = 3 ]
	[ "$(jq -r '.problems[].error' <<<"$output")" = 'LinearForwardingTable: no answer, asked 3 times' ]
	[ "$(jq -c '[.fabric_balance[] | select(.node == "leaf B") | .routes] | unique' <<<"$output")" = '[null]' ]
}

@test "fabric tables --load: blocks beyond the end of a table are ignored" {
	jq '.fabric[0].details += [(.fabric[0].details[0] | .modifier = "0xffffffff"), (.fabric[0].details[0] | .node_index = 0)]' \
		"$scan" >"$bare"
	try fabric tables --load "$scan" --tsv
	local before=$output

	try fabric tables --load "$bare" --tsv
	[ "$status" = 0 ]
	[ "$output" = "$before" ]
}

@test "fabric scan --details --load: the tables, one block per row" {
	try fabric scan --details --load "$scan" -o node,table,first,entries --tsv --no-headings
	[ "$status" = 3 ]
	[ "$(cut -f 1-3 <<<"$output")" = "$(printf '%s\tlft\t0\n' 'leaf A' 'spine 1' 'spine 2' 'leaf B' 'leaf C')" ]
	[[ $output == *$'leaf A\tlft\t0\t-,2,0,5,1,5,6,5,3,5,6,5,6,5,6'* ]]
}

# Adds the multicast tables of leaf A, spine 1 and leaf B: masks for 0xc000.
# with_groups LEAF-A SPINE-1 LEAF-B
with_groups()
{
	jq --arg a "$1" --arg s "$2" --arg b "$3" '.fabric[0].details += [{node_index: 1, mask: $a},
		{node_index: 4, mask: $s}, {node_index: 6, mask: $b}, {node_index: 5, mask: "0000"},
		{node_index: 7, mask: "0000"} | {node_index, port: 0, attribute_id: "0x001b",
		modifier: "0x00000000", data: (.mask + "0" * 124)}]' "$scan" >"$bare"
}

@test "fabric tables --multicast, route --mlid --load: a tree of two leaves and a spine" {
	with_groups 0026 0006 0022
	try fabric tables --multicast --load "$bare" --tsv --no-headings -o node,mlid,ports
	expect 0 "$(printf '%s\t0xc000\t%s\n' 'leaf A' 1,2,5 'spine 1' 1,2 'leaf B' 1,5)" ''
	try fabric tables --multicast --lids 0xc000 --load "$bare" --tsv --no-headings -o node
	expect 0 "$(printf '%s\n' 'leaf A' 'spine 1' 'leaf B')" ''
	try fabric tables --multicast --lids 0xc001-0xffff --load "$bare" --tsv --no-headings
	expect 0 '' ''
	try fabric route --mlid 0xc000 --load "$bare" --tsv --no-headings -o node,out_port,peer,in_port,faults
	expect 0 "$(printf '%s\t%s\t%s\t%s\t\n' 'leaf A' 1 'n1 mlx5_0' 1 'leaf A' 2 'n2 mlx5_0' 1 'leaf A' 5 'spine 1' 1 \
		'spine 1' 1 'leaf A' 5 'spine 1' 2 'leaf B' 5 'leaf B' 1 'n4 mlx5_0' 1 'leaf B' 5 'spine 1' 2)" ''
	try fabric scan --details --load "$bare" -o node,table,in_port,first,entries --tsv --no-headings
	[[ $output == *$'leaf A\tmft\t0\t0\t0x0026,0x0000,'* ]]
	try fabric route --mlid 0xc001 --load "$bare"
	expect_error 5 fabric 'no switch sends packets to 0xc001' 'rdmactl sa multicast lists the groups'
}

@test "fabric route --mlid --load: a broken tree" {
	with_groups 0026 0000 0022
	try fabric route --mlid 0xc000 --load "$bare" --json
	[ "$status" = 4 ]
	[ "$(jq -c '[.fabric_tree[] | [.node, .out_port, .faults]]' <<<"$output")" = \
		'[["leaf A",1,[]],["leaf A",2,[]],["leaf A",5,["one-way"]],["leaf B",1,["cut-off"]],["leaf B",5,["one-way"]]]' ]
	[[ $stderr == *'packets to 0xc000 go to switches that do not send back: 2 ports, the first is leaf A/5'* ]]
	[[ $stderr == *'packets to 0xc000 are not exchanged between a member and most others: leaf B/1'* ]]
	# The spine's entry is unknown: nothing that depends on it is reported.
	jq '.fabric[0].details |= map(select(.node_index != 4 or .attribute_id != "0x001b"))' "$bare" >"$bare.2"
	try fabric route --mlid 0xc000 --load "$bare.2" --json
	[ "$status" = 3 ]
	[ "$(jq -c '[.fabric_tree[].faults[]]' <<<"$output")" = '[]' ]
	[[ $stderr == *'spine 1/0: MulticastForwardingTable: the saved scan does not have it'* ]]
	[[ $stderr == *'parts of the tree are unknown'* ]]
	try fabric tables --multicast --load "$scan"
	expect_error 1 fabric "the scan in $scan has no multicast forwarding tables" \
		'rdmactl fabric scan --routes --save FILE saves them'
	# The scan requested them, but no switch answered.
	jq '.fabric[0].unanswered += [1, 4, 5, 6, 7 | {node_index: ., port: 0, behind: false, attribute_id: "0x001b",
		errno: 110, status: null, tries: 3}] | .fabric[0].complete = false' "$scan" >"$bare"
	try fabric route --mlid 0xc000 --load "$bare" --json
	[ "$status" = 3 ]
	[[ $stderr == *'MulticastForwardingTable'* && $stderr == *'parts of the tree are unknown'* ]]
}

@test "fabric route --mlid: usage" {
	try fabric route
	expect_error 2 fabric 'the two ends of the route are missing' 'rdmactl fabric route FROM TO, or --mlid MLID, or --pairs-file FILE'
	try fabric route --mlid 0xc000 n1 n2
	expect_error 2 fabric 'a multicast group has no FROM and TO' 'rdmactl fabric route FROM TO, or --mlid MLID, or --pairs-file FILE'
	for mlid in 0xbfff 0xffff x ''; do
		try fabric route --mlid "$mlid"
		expect_error 2 fabric "'$mlid' is not a multicast LID" \
			'0xc000 to 0xfffe: rdmactl sa multicast lists the groups'
	done
}

@test "fabric: --routes needs a live subnet" {
	try fabric scan --routes --load "$scan"
	[ "$status" = 2 ]
}

@test "fabric --load: a file that contradicts itself is refused, with what is wrong in it" {
	refused()
	{
		jq "$1" "$scan" >"$bare"
		try fabric nodes --load "$bare"
		expect_error 1 fabric "cannot use $bare: $2" 'save one: rdmactl fabric scan --save FILE'
	}
	refused '.fabric += .fabric' 'it holds 2 scans'
	refused '.fabric = []' 'it holds 0 scans'
	refused '.fabric[0] |= (.nodes = [] | .ports = [] | .details = [])' 'it has no nodes'
	refused '.fabric[0].ports[0].node_guid = "0000:0000:0000:0009"' \
		'port 1 of node 1: node_guid is not that of the node'
	refused '.fabric[0].unanswered = [{node_index: 99, port: 1, attribute_id: "0x0015", errno: 110}]' \
		'row 0 of the unanswered queries: no node has that port'
}
