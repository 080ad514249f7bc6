#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Texts of subnets as found in the field: with factory names, from ibdiagnet, with lines of other
# programs, with slow cables.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

setup()
{
	subnets=$BATS_TEST_DIRNAME/../fixtures/subnets
	dir=$BATS_TEST_TMPDIR
}

@test "fabric: adapters with factory names are not one host" {
	try fabric scan --load "$subnets/factory-names.txt" --format slurm
	expect 3 '# NOT USABLE YET: 7 adapters share the name MT25408: which hosts they are in is unknown
SwitchName=leaf1 Nodes=MT25408-0002c903000e[0000,0010,0020,0030]
SwitchName=leaf2 Nodes=MT25408-0002c903000e[0040,0060,0070],login1
SwitchName=spine1 Switches=leaf[1-2]' \
		'rdmactl fabric: 7 adapters share the name MT25408: which hosts they are in is unknown
  --names FILE gives them the names of their hosts'
	for host in 0 1 2 3 4 6 7; do
		echo "0x0002c903000e00${host}0 \"node$host HCA-1\""
	done >"$dir/names"
	try fabric scan --load "$subnets/factory-names.txt" --format slurm --names "$dir/names"
	expect 0 'SwitchName=leaf1 Nodes=node[0-3]
SwitchName=leaf2 Nodes=login1,node[4,6-7]
SwitchName=spine1 Switches=leaf[1-2]' ''
}

@test "fabric: a text from ibdiagnet has no duplicate GUIDs" {
	try fabric check --load "$subnets/ibdiagnet.txt" --tsv -o finding
	[ "$status" = 3 ]
	[ "$(grep -c not-checked <<<"$output")" = "$(($(grep -c . <<<"$output") - 1))" ]
	[[ "$stderr" = *"line 11: the GUID in the node's name differs from that in the lines before it, and is used (and 2 more such lines, up to line 31)"* ]]
	try fabric switches --load "$subnets/ibdiagnet.txt" --no-headings --tsv -o node,node_guid,system_image_guid
	expect 3 $'leaf1\t0002:c902:004f:0000\t0002:c902:0060:0000
spine1\t0002:c902:0050:0000\t0002:c902:0060:0000
leaf2\t0002:c902:004f:0010\t0002:c902:0060:0000'
}

@test "fabric: lines of other programs within a text" {
	try fabric hosts --load "$subnets/noise.txt" --no-headings --tsv -o node
	expect 3 $'node0 HCA-1\nnode1 HCA-1' \
		"rdmactl fabric: $subnets/noise.txt: line 2: not a line of ibnetdiscover: [root@node0 ~]# ibnetdiscover 2>&1
rdmactl fabric: $subnets/noise.txt: line 3: not a line of ibnetdiscover: ibwarn: [4711] _do_madrpc: recv failed: Connection timed out
rdmactl fabric: $subnets/noise.txt: line 51: not a line of ibnetdiscover: [root@node0 ~]#"
}

@test "fabric: slow cables in a text, and facts that it lacks" {
	try fabric check --load "$subnets/slow-cables.txt" --tsv --no-headings -o severity,finding,node,port
	expect 4 "$(printf 'warning\t%s\n' $'rate-mismatch\tleaf2\t3' $'link-below-parallel\tspine1\t4' \
		$'link-below-siblings\tleaf1\t2'; for _ in 1 2 3 4 5 6 7; do printf 'info\tnot-checked\t\t\n'; done)" \
		'rdmactl fabric: some checks are skipped: the file does not say what ports support, nor their states and MTUs
  rdmactl fabric scan --save FILE saves all of this'
	sed 's/1xSDR\|1xQDR\|4xDDR/4xQDR/' "$subnets/slow-cables.txt" >"$dir/good"
	try fabric check --load "$dir/good" --json
	[ "$status" = 3 ]
	jq -e '[.fabric_check[] | select(.severity != "info")] == []' <<<"$output"
	try fabric scan --load "$dir/good" --tree
	expect 0 '3 switches, 10 hosts, 14 cables
spine1
|- leaf1, 2 cables, 4x QDR, state unknown
|  `- 5 hosts, 4x QDR, state unknown: node[0-4]
`- leaf2, 2 cables, 4x QDR, state unknown
   `- 5 hosts, 4x QDR, state unknown: node[5-9]' ''
}

@test "fabric: a tree with two adapters of one host: the list shows their full names" {
	sed 's/n2 mlx5_0/n1 mlx5_1/' "$subnets/two-leaves.txt" >"$dir/twins"
	try fabric scan --load "$dir/twins" --tree
	[ "$status" = 3 ]
	same tree '3 switches, 8 hosts, 10 cables
leaf S
|- leaf A, 4x HDR, state unknown
|  `- 4 hosts, 4x HDR, state unknown: n1 mlx5_[0-1],n3 mlx5_0,n4 mlx5_0
`- leaf B, 4x HDR, state unknown
   `- 4 hosts, 4x HDR, state unknown: n[5-8]
' "$output"
}

@test "fabric: a text that is loaded, saved and loaded again" {
	local file

	for file in "$subnets"/*; do
		quickly try fabric scan --load "$file" --save "$dir/saved" --format ibnetdiscover
		grep -v '^# Topology' "$dir/out" >"$dir/text"
		cp "$dir/saved" "$dir/first"
		quickly try fabric scan --load "$dir/first" --save "$dir/saved" --format ibnetdiscover
		grep -v '^# Topology' "$dir/out" | cmp - "$dir/text" || wrong "$file"
		sed 's/"object": "[^"]*"//' "$dir/first" >"$dir/one"
		sed 's/"object": "[^"]*"//' "$dir/saved" | cmp - "$dir/one" || wrong "$file, saved again"
	done
	grep -q 'enhanced port 0' "$subnets/factory-names.txt"
	try fabric scan --load "$subnets/factory-names.txt" --format ibnetdiscover
	[ "$(grep -c 'enhanced port 0' <<<"$output")" = 3 ]
	try fabric nodes --load "$subnets/factory-names.txt" --json -o all
	jq -e '[.fabric_nodes[] | .node_info, .switch_info, .port_0_info] | unique == [null]' <<<"$output"
	jq -e '[.fabric_nodes[] | .made_node_info] | all' <<<"$output"
	try fabric ports --load "$subnets/factory-names.txt" --json -o port_info
	jq -e '[.fabric_ports[].port_info] | unique == [null]' <<<"$output"
	nothing_wrong
}

# Numbers in anonymised texts are not reported as another error.
@test "fabric: GUIDs and LIDs that cannot be read" {
	sed 's/switchguid=0x2c902004f0000(2c902004f0000)/switchguid=0xXXXX(xxxx)/
		s/"leaf2" enhanced port 0 lid 2/"leaf2" enhanced port 0 lid/
		s/(2c903000e0011) /(xxxx) /' "$subnets/factory-names.txt" >"$dir/text"
	try fabric nodes --load "$dir/text" --no-headings --tsv -o node
	[ "$status" = 3 ]
	[ "$(wc -l <"$dir/out")" = 11 ]
	[[ "$stderr" = *': not a GUID, a hexadecimal number of up to 16 digits: switchguid=0xXXXX'* ]]
	[[ "$stderr" = *': the GUID in parentheses is not a hexadecimal number: [2]'* ]]
	# shellcheck disable=SC2016 # these are not commands
	[[ "$stderr" = *': `lid` is not followed by a number from 0 to 65535: Switch'* ]]
	[[ "$stderr" != *'numbers from 1 to 254'* ]]
}

@test "fabric: a port list from ibnetdiscover -p" {
	try fabric links --load "$subnets/ports.txt" --no-headings --tsv -o node,port,peer,peer_port,lid,width_lanes,speed
	expect 3 $'leaf1\t1\tnode0 HCA-1\t1\t2\t4\tQDR
leaf1\t2\tnode0 HCA-1\t2\t2\t4\tQDR
leaf1\t5\tnode1 HCA-1\t1\t2\t1\tSDR' \
		"rdmactl fabric: $subnets/ports.txt: line 2: a list of ibnetdiscover -p has no GUIDs of nodes: each port of an adapter is a node of its own, and the number of a switch's ports is a guess"
	try fabric nodes --load "$subnets/ports.txt" --no-headings --tsv -o node_type,node_guid,port_count
	[ "${output%$'\n'}" = $'switch\t0002:c902:004f:0000\t6
ca\t0002:c903:000e:0001\t1
ca\t0002:c903:000e:0002\t2
ca\t0002:c903:000e:0011\t1' ]
}

@test "fabric: a scan is compared with a list from ibnetdiscover -p by port GUIDs" {
	local told="rdmactl fabric: $subnets/ports.txt: line 2: a list of ibnetdiscover -p has no GUIDs of nodes: each port of an adapter is a node of its own, and the number of a switch's ports is a guess"

	# The list lacks ports 7 and 8 of the switch, and port 2 of an adapter.
	cat >"$dir/whole" <<-'END'
		switchguid=0x2c902004f0000(2c902004f0000)
		Switch	8 "S-0002c902004f0000"		# "leaf1" base port 0 lid 2 lmc 0
		[1]	"H-0002c903000e0000"[1](2c903000e0001) 		# "node0 HCA-1" lid 3 4xQDR
		[2]	"H-0002c903000e0000"[2](2c903000e0002) 		# "node0 HCA-1" lid 4 4xQDR
		[5]	"H-0002c903000e0010"[1](2c903000e0011) 		# "node1 HCA-1" lid 5 1xSDR

		caguid=0x2c903000e0000
		Ca	2 "H-0002c903000e0000"		# "node0 HCA-1"
		[1](2c903000e0001) 	"S-0002c902004f0000"[1]		# lid 3 lmc 0 "leaf1" lid 2 4xQDR
		[2](2c903000e0002) 	"S-0002c902004f0000"[2]		# lid 4 lmc 0 "leaf1" lid 2 4xQDR

		caguid=0x2c903000e0010
		Ca	2 "H-0002c903000e0010"		# "node1 HCA-1"
		[1](2c903000e0011) 	"S-0002c902004f0000"[5]		# lid 5 lmc 0 "leaf1" lid 2 1xSDR
	END
	try fabric scan --load "$subnets/ports.txt" --diff "$dir/whole"
	expect 3 '' "$told"
	try fabric scan --load "$dir/whole" --diff "$subnets/ports.txt"
	expect 3 '' "$told"
	# A file that the list was saved to is a list, too.
	try fabric scan --load "$subnets/ports.txt" --save "$dir/list.json"
	try fabric scan --load "$dir/whole" --diff "$dir/list.json"
	expect 3 '' "${told/$subnets\/ports.txt/$dir/list.json}"
	# The differences are reported: a cable, a LID, a width, and an adapter that is gone.
	sed -i -e 's/"\[2\](2c903000e0002)/"[1](2c903000e0009)/; s/^\[2\](2c903000e0002)/[1](2c903000e0009)/' \
		-e '/2c903000e0001/d' -e 's/lid 5/lid 6/; s/1xSDR/4xSDR/' "$dir/whole"
	try fabric scan --load "$dir/whole" --diff "$subnets/ports.txt" --no-headings --tsv -o change,node,port,before,after
	[ "$status" = 4 ]
	[ "${output%$'\n'}" = $'width-changed\tleaf1\t5\t1x\t4x
node-gone\tnode0 HCA-1\t\tleaf1/1\t
node-gone\tnode0 HCA-1\t\tleaf1/2\t
node-new\tnode0 HCA-1\t\t\tleaf1/2
lid-changed\tnode1 HCA-1\t1\t5\t6' ]
}

@test "fabric: the planes of a multi-plane adapter are one node of a list from ibnetdiscover -p" {
	cat >"$dir/planes" <<-'END'
		switchguid=0x100(100)
		Switch	8 "S-0000000000000100"		# "plane1" base port 0 lid 1 lmc 0
		[1]	"H-0000000000000200"[1](200) 		# "node0 HCA-1" lid 4 1xXDR

		switchguid=0x110(110)
		Switch	8 "S-0000000000000110"		# "plane2" base port 0 lid 2 lmc 0
		[1]	"H-0000000000000200"[2](200) 		# "node0 HCA-1" lid 4 1xXDR

		caguid=0x200
		Ca	2 "H-0000000000000200"		# "node0 HCA-1"
		[1](200) 	"S-0000000000000100"[1]		# lid 4 lmc 0 "plane1" lid 1 1xXDR
		[2](200) 	"S-0000000000000110"[1]		# lid 4 lmc 0 "plane2" lid 2 1xXDR
	END
	cat >"$dir/list" <<-'END'
		SW     1  1 0x0000000000000100 1x XDR - CA     4  1 0x0000000000000200 ( 'plane1' - 'node0 HCA-1' )
		SW     2  1 0x0000000000000110 1x XDR - CA     4  2 0x0000000000000200 ( 'plane2' - 'node0 HCA-1' )
		CA     4  2 0x0000000000000200 1x XDR - SW     2  1 0x0000000000000110 ( 'node0 HCA-1' - 'plane2' )
		CA     4  1 0x0000000000000200 1x XDR - SW     1  1 0x0000000000000100 ( 'node0 HCA-1' - 'plane1' )
	END
	try fabric scan --load "$dir/planes" --diff "$dir/list" --quiet
	expect 3 '' "rdmactl fabric: $dir/list: line 1: a list of ibnetdiscover -p has no GUIDs of nodes: each port of an adapter is a node of its own, and the number of a switch's ports is a guess"
	try fabric scan --load "$dir/list" --diff "$dir/planes" --quiet
	expect 3 '' "rdmactl fabric: $dir/list: line 1: a list of ibnetdiscover -p has no GUIDs of nodes: each port of an adapter is a node of its own, and the number of a switch's ports is a guess"
	# Neither is their LID taken for that of two ports.
	try fabric check --load "$dir/planes" --quiet
	[ "$status" = 3 ]
}

@test "fabric check: findings as text" {
	try fabric check --load "$subnets/slow-cables.txt" --quiet
	expect 4 "warning  the ends of a link run at different widths or speeds [rate-mismatch]
         leaf2 port 3: 4x QDR here, 1x QDR at the other end
         -> scan again; if the finding stays, reseat or replace the cable
warning  the link is slower than another one between the same nodes [link-below-parallel]
         spine1 port 4: the link runs at 4x DDR; the one of port 3 between the same nodes runs at 4x QDR
         -> see what is enabled: rdmactl smp portinfo; enable what is missing: rdmactl ports set; if nothing is, reseat or replace the cable
warning  the link is slower than most such links of the switch [link-below-siblings]
         leaf1 port 2: the link runs at 1x SDR; 4 of 4 such links of the switch are wider. This is a guess: what its ports support is unknown
         -> rdmactl smp portinfo shows what both ends support
info     something could not be checked [not-checked]
         counters and subnet managers: a saved scan has none
         forwarding tables: a scan saved without --routes has none
         port-init, link-not-active: the state of 28 of 28 ports with a cable is unknown
         mtu-mismatch, mtu-low: the MTU of 28 of 28 ports with a cable is unknown
         vl-mismatch: the number of virtual lanes of 28 of 28 ports with a cable is unknown
         link-below-best: the best rate of 28 of 28 ports with a cable is unknown
         no-sm, sm-lid-mismatch, no-lid: no port reports the LID of its subnet manager
         -> remove the cause given in the evidence, then check again" \
		'rdmactl fabric: some checks are skipped: the file does not say what ports support, nor their states and MTUs'
	try fabric check --load "$BATS_TEST_DIRNAME/../fuzz/corpus/fabric/whole"
	expect 4 'error    the subnet has no master subnet manager that answers [no-sm]
         none of 3 ports has a LID or knows a subnet manager
         -> start one, for example opensm; rdmactl smp sminfo shows whether it answers
warning  the link is narrower or slower than both ends support [link-below-best]
         S-1 port 1: the link runs at 4x SDR; both ends support 12x QDR, but no more is enabled
         S-1 port 2: the link runs at 4x SDR; both ends support 12x QDR, but no more is enabled
         -> see what is enabled: rdmactl smp portinfo; enable what is missing: rdmactl ports set; if nothing is, reseat or replace the cable
info     something could not be checked [not-checked]
         counters and subnet managers: a saved scan has none
         forwarding tables: a scan saved without --routes has none
         -> remove the cause given in the evidence, then check again'
}

# Drawings, files of other tools and lists, as in tests/golden/subnets.
@test "fabric: subnets of several shapes, drawn and listed" {
	local name format words

	for name in $("$top/tests/cli/subnet"); do
		"$top/tests/cli/subnet" "$name" >"$dir/$name"
	done
	cp "$top/tests/fuzz/corpus/fabric/unanswered" "$dir"
	cp "$subnets/slow-cables.txt" "$dir/slow-cables"
	for name in $("$top/tests/cli/subnet") unanswered slow-cables; do
		for format in ibnetdiscover iblinkinfo slurm dot tree check nodes switches hosts ports links unanswered; do
			case $format in
			tree) words='scan --tree' ;;
			check) words=check ;;
			ibnetdiscover | iblinkinfo | slurm | dot) words="scan --format $format" ;;
			*) words="$format --tsv -o all" ;;
			esac
			# shellcheck disable=SC2086 # words
			quickly try fabric $words --load "$dir/$name"
			{
				grep -v '^# Topology file' "$dir/out" || :
				sed "s,$dir/,," "$dir/err"
				echo "status $status"
			} >"$dir/now"
			compare_golden "$top/tests/golden/subnets/$name.$format" "$dir/now"
		done
	done
	nothing_wrong
}

@test "fabric scan --load: rows: switch ports first, then cabled adapters; lines: node by node" {
	local file=$BATS_TEST_TMPDIR/text columns=node,port,peer,peer_port

	# The last port of the switch has a cable; a is adjacent to it and to b.
	cat >"$file" <<-'EOF'
		caguid=0x1
		Ca 2 "H-0000000000000001" # "a"
		[1](2) "H-0000000000000004"[1](5) # lid 1 lmc 0 "b" lid 2 4xEDR
		[2](3) "S-0000000000000010"[8] # lid 3 lmc 0 "s" lid 4 4xEDR
		caguid=0x4
		Ca 1 "H-0000000000000004" # "b"
		[1](5) "H-0000000000000001"[1](2) # lid 2 lmc 0 "a" lid 1 4xEDR
		switchguid=0x10(10)
		Switch 8 "S-0000000000000010" # "s" base port 0 lid 4 lmc 0
		[8] "H-0000000000000001"[2](3) # "a" lid 3 4xEDR
	EOF
	try fabric scan --load "$file" --tsv --no-headings -o $columns
	expect 0 "$(printf '%s\t%s\t%s\t%s\n' s 8 a 2 a 1 b 1 b 1 a 1)" ''
	try fabric scan --load "$file" --jsonl -o $columns
	[ "$(jq -r '[.node, .port, .peer, .peer_port] | @tsv' <<<"$output")" = \
		"$(printf '%s\t%s\t%s\t%s\n' a 1 b 1 b 1 a 1 s 8 a 2)" ]
	try fabric links --load "$file" --tsv --no-headings -o $columns
	expect 0 "$(printf '%s\t%s\t%s\t%s\n' s 8 a 2 a 1 b 1)" ''
}
