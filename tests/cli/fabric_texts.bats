#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Output of ibnetdiscover as scans: facts that it lacks, and truncated files.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# Two switches of 4 ports with one adapter each, scanned from H-1.
setup()
{
	text=$BATS_TEST_TMPDIR/text
	cat >"$text" <<-'END'
		#
		# Topology file: generated on Sun Nov 22 01:01:21 2026
		#
		# Initiated from node 0000000000000010 port 0000000000000011

		vendid=0x2c9
		devid=0xcb20
		sysimgguid=0x2
		switchguid=0x2(2)
		Switch	4 "S-0000000000000002"		# "S-2" base port 0 lid 2 lmc 0
		[1]	"H-0000000000000020"[1](21) 		# "H-2" lid 4 4xEDR
		[4]	"S-0000000000000001"[4]		# "S-1" lid 1 4xEDR

		switchguid=0x1(1)
		Switch	4 "S-0000000000000001"		# "S-1" base port 0 lid 1 lmc 0
		[1]	"H-0000000000000010"[1](11) 		# "H-1" lid 3 4xEDR
		[4]	"S-0000000000000002"[4]		# "S-2" lid 2 4xEDR

		caguid=0x20
		Ca	1 "H-0000000000000020"		# "H-2"
		[1](21) 	"S-0000000000000002"[1]		# lid 4 lmc 0 "S-2" lid 2 4xEDR

		caguid=0x10
		Ca	1 "H-0000000000000010"		# "H-1"
		[1](11) 	"S-0000000000000001"[1]		# lid 3 lmc 0 "S-1" lid 1 4xEDR
	END
}

# unknown WHAT WORDS...: nothing matches, and a problem says why.
unknown()
{
	quickly try fabric "${@:2}" --load "$text" --no-headings
	expect 3 '' "rdmactl fabric: the $1 unknown: the file lacks it
  rdmactl fabric scan --save FILE saves it" || wrong "${*:2}"
}

@test "fabric: filters on facts that the text lacks" {
	unknown 'state of 10 ports is' ports --state active
	unknown 'state of 10 ports is' ports --state down
	unknown 'state of 2 ports is' hosts --state active
	unknown 'state of 1 port is' hosts --state active --name H-2
	unknown 'state of 6 ports is' links --state init
	unknown 'state of 4 ports is' ports --down
	unknown 'state of 4 ports is' switches --down
	try fabric links --load "$text" --speed-below HDR --no-headings --tsv -o node,port
	expect 0 $'S-1\t1\nS-1\t4\nS-2\t1' ''
	sed -i 's/ 4xEDR$//' "$text"
	unknown 'speed of 6 ports is' links --speed-below HDR
	try fabric ports --load "$text" --state down --json
	expect 3
	jq -e '.fabric_ports == [] and .problems[0].hint' <<<"$output"
	nothing_wrong
}

# Adapters of mlx5 report 65535 until a subnet manager has configured them.
@test "fabric: a number that is no unicast LID" {
	sed -i 's/lid [34] /lid 65535 /' "$text"
	try fabric hosts --load "$text" --no-headings --tsv -o node,lid
	expect 0 $'H-1\t\nH-2\t' ''
	try fabric --load "$text" --format ibnetdiscover
	[ "$(grep -c 'lid 65535 ' <<<"$output")" = 4 ]
	try fabric --load "$text" --format iblinkinfo
	[ "$(grep -c '65535 ' <<<"$output")" = 4 ]
}

# A text cut off anywhere is read up to that point, and never taken for a complete one.
@test "fabric: a truncated text" {
	local lines

	try fabric links --load "$text" --no-headings --tsv -o node,port,peer
	expect 0 $'S-1\t1\tH-1\nS-1\t4\tS-2\nS-2\t1\tH-2' ''
	for lines in $(seq 10 "$(($(wc -l <"$text") - 1))"); do
		head -n "$lines" "$text" >"$text.cut"
		quickly try fabric nodes --load "$text.cut"
		[ "$status" = 3 ] && [ -n "$output" ] || wrong "$lines lines: $status"
	done
	quickly try fabric links --load "$text.cut" --no-headings --tsv -o node,port,peer
	expect 3 $'S-1\t1\tH-1\nS-1\t4\tS-2\nS-2\t1\tH-2' \
		"rdmactl fabric: $text.cut: line 16: the other end has no line: the cable is known from this end only"
	try fabric scan --load "$text" --diff "$text.cut"
	[ "$status" = 4 ]
	[[ "$stderr" = *"$text.cut: line 16: the other end has no line"* ]]
	nothing_wrong
}

# The first of two lines about one port is believed; the lines after them are read, too.
@test "fabric: a port with two lines" {
	sed -i '/^Switch.*"S-2"/{n;h;G}' "$text"
	try fabric links --load "$text" --no-headings --tsv -o node,port,peer
	expect 3 $'S-1\t1\tH-1\nS-1\t4\tS-2\nS-2\t1\tH-2' \
		"rdmactl fabric: $text: line 12: line 11 also describes port 1"
	try fabric ports --load "$text" --no-headings --tsv -o node,port,width_lanes,speed --name S-2
	expect 3 $'S-2\t1\t4\tEDR\nS-2\t4\t4\tEDR'
	# Every width that exists.
	for width in 1 2 4 8 12; do
		sed "s/4xEDR/${width}xHDR/" "$text" >"$text.wide"
		quickly try fabric links --load "$text.wide" --no-headings --tsv -o width_lanes,speed
		[ "$output" = "$(printf "$width\tHDR\n%.0s" 1 2 3)"$'\n' ] || wrong "${width}x: $output"
	done
	nothing_wrong
}

# There is no path to that part, so hops and path are null, neither 0 nor the internal code.
@test "fabric: an unconnected part of the text" {
	sed -i '/^\[4\]/d' "$text"
	try fabric nodes --load "$text" --no-headings --tsv -o node,hops,path --save "$text.json"
	expect 0 $'H-1\t0\t0\nS-1\t1\t0,1\nS-2\t\t\nH-2\t\t' ''
	try fabric nodes --load "$text.json" --no-headings --tsv -o node,hops,path
	expect 0 $'H-1\t0\t0\nS-1\t1\t0,1\nS-2\t\t\nH-2\t\t' ''
	try fabric nodes --load "$text" --json -o node,hops,path
	jq -e '[.fabric_nodes[] | select(.hops == null and .path == null).node] == ["S-2", "H-2"]' \
		<<<"$output"
}

@test "fabric check: the place of a duplicate to which no route leads is unknown" {
	printf '\nswitchguid=0x2(2)\nSwitch 4 "S-0000000000000002" # "twin" base port 0 lid 9 lmc 0\n' >>"$text"
	try fabric check --load "$text" --json
	[ "$(jq -r '.fabric_check[] | select(.finding == "duplicate-guid").evidence' <<<"$output")" = \
		'S-2 has GUID 0000:0000:0000:0002, too; where this node is attached is unknown' ]
}
