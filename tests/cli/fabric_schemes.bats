#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# rdmactl fabric scan --scheme and --grouping, and the columns of chassis.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

setup()
{
	scan=$top/tests/fixtures/subnets/two-spines.json
	isr=$top/tests/fixtures/subnets/modular.txt
}

# legend SCHEME FILE: the rows of the legend, as `#colour words: count`.
legend()
{
	try fabric --load "$2" --format dot --scheme "$1"
	[ "$status" = 0 ]
	legend=$(grep -oE 'bgcolor="#[0-9a-f]{6}"></td></tr></table></td><td align="left">[^<]*' <<<"${output%%$'\n\t'node*}" |
		sed -E 's/bgcolor="(#[0-9a-f]+)".*>/\1 /')
}

# speeds SPEED...: a switch with one host at each of these speeds.
speeds()
{
	local port=0 word

	printf 'switchguid=0x1(1)\nSwitch 36 "S-0000000000000001" # "sw" base port 0 lid 1 lmc 0\n'
	for word; do
		port=$((port + 1))
		printf '[%d] "H-%016x"[1](%x) # "h%d" lid %d %s\n' $port $((port * 16)) $((port * 16 + 1)) $port $((port + 1)) "$word"
	done
	port=0
	for word; do
		port=$((port + 1))
		printf '\ncaguid=0x%x\nCa 1 "H-%016x" # "h%d"\n[1](%x) "S-0000000000000001"[%d] # lid %d lmc 0 "sw" lid 1 %s\n' \
			$((port * 16)) $((port * 16)) $port $((port * 16 + 1)) $port $((port + 1)) "$word"
	done
}

@test "fabric --scheme: colour-blind people can tell the colours apart, and read names on them" {
	run python3 "$BATS_TEST_DIRNAME/colors.py" "$top/lib/fabric/format/dot_scheme.c"
	[ "$output" = '' ]
	[ "$status" = 0 ]
}

@test "fabric --scheme: the test of colours finds a bad one" {
	local bad=$BATS_TEST_TMPDIR/dot_scheme.c

	cp "$top/lib/fabric/format/dot.h" "$BATS_TEST_TMPDIR"
	sed 's/#ee8866/#77aaee/' "$top/lib/fabric/format/dot_scheme.c" >"$bad"
	run python3 "$BATS_TEST_DIRNAME/colors.py" "$bad"
	[ "$status" = 1 ]
	[[ "$output" = 'palette: #77aadd and #77aaee are '*' apart: '* ]]
}

@test "fabric --scheme speed, width: a colour and a legend row for each, the best first" {
	speeds 4xXDR 4xNDR 4xHDR 4xEDR 4xFDR 4xFDR10 4xQDR 4xDDR 4xSDR 4xSDR >"$BATS_TEST_TMPDIR/text"
	legend speed "$BATS_TEST_TMPDIR/text"
	[ "$(cut -d ' ' -f 2- <<<"$legend" | paste -sd ' ')" = \
		'XDR: 1 NDR: 1 HDR: 1 EDR: 1 FDR: 1 FDR10: 1 QDR: 1 DDR: 1 SDR: 2' ]
	# The line of a cable has the colour of its speed in the legend.
	local ndr

	ndr=$(sed -n 's/ NDR: 1$//p' <<<"$legend")
	grep -q -- "-- .*color=\"$ndr\".*tooltip=\".*4x NDR" <<<"$output"
	! grep -- "-- .*color=\"$ndr\".*tooltip=\".*4x XDR" <<<"$output" || false
	speeds 12xSDR 8xSDR 4xSDR 2xSDR 1xSDR 1xEDR >"$BATS_TEST_TMPDIR/text"
	legend width "$BATS_TEST_TMPDIR/text"
	[ "$(cut -d ' ' -f 2- <<<"$legend" | paste -sd ' ')" = '12x: 1 8x: 1 4x: 1 2x: 1 1x: 2' ]
}

@test "fabric --scheme level, type, device, chassis: nodes have the colours of the legend" {
	legend level "$scan"
	[ "$(grep -v ' 4x ' <<<"$legend" | cut -d ' ' -f 2- | paste -sd ' ')" = 'no switch: 9 level 1: 3 level 2: 2' ]
	[ "$(grep -c "fillcolor=\"$(sed -n 's/ level 2: 2$//p' <<<"$legend")\"" <<<"$output")" = 2 ]
	legend type "$scan"
	[ "$(head -n 2 <<<"$legend" | cut -d ' ' -f 2- | paste -sd ' ')" = 'switch: 5 host: 9' ]
	[ "$(grep -o "td align=\"left\" bgcolor=\"$(sed -n 's/ host: 9$//p' <<<"$legend")\"" <<<"$output" | wc -l)" = 9 ]
	legend device "$isr"
	[ "$(cut -d ' ' -f 2 <<<"$legend" | head -n 1)" = device ]
	# The most frequent first.
	[ "$(sed -n 's/.* device .*: //p' <<<"$legend")" = "$(sed -n 's/.* device .*: //p' <<<"$legend" | sort -rn)" ]
	legend chassis "$isr"
	[[ "$legend" = *'chassis 1: '*'chassis 2: '* ]]
	grep -q 'label=<[^<]*<br/><font point-size="8">chassis 1, spine 1 chip 1</font>>' <<<"$output"
}

@test "fabric --scheme state is the default, and the same in each run" {
	try fabric --load "$scan" --format dot
	local first=$output

	try fabric --load "$scan" --format dot --scheme state
	[ "$output" = "$first" ]
	try fabric --load "$isr" --format dot --scheme device --grouping
	first=$output
	try fabric --load "$isr" --format dot --scheme device --grouping
	[ "$output" = "$first" ]
}

# In full, as in tests/golden/subnets.
@test "fabric --scheme, --grouping: drawings and lists match the reviewed ones" {
	local golden=$top/tests/golden/subnets now=$BATS_TEST_TMPDIR/now word

	for word in level device chassis; do
		quickly try fabric scan --load "$isr" --format dot --grouping --scheme $word
		cp "$BATS_TEST_TMPDIR/out" "$now"
		compare_golden "$golden/modular.$word" "$now"
	done
	for word in speed width type; do
		quickly try fabric scan --load "$scan" --format dot --scheme $word
		cp "$BATS_TEST_TMPDIR/out" "$now"
		compare_golden "$golden/two-spines.$word" "$now"
	done
	quickly try fabric scan --load "$isr" --format ibnetdiscover --grouping
	grep -v '^# Topology' "$BATS_TEST_TMPDIR/out" >"$now"
	compare_golden "$golden/modular.grouping" "$now"
	for word in nodes links; do
		quickly try fabric $word --load "$isr" --tsv -o all
		cp "$BATS_TEST_TMPDIR/out" "$now"
		compare_golden "$golden/modular.$word" "$now"
	done
	nothing_wrong
}

@test "fabric --grouping: a frame for each chassis, and slot names" {
	try fabric --load "$isr" --format dot --grouping
	[ "$(grep -c 'subgraph "cluster_' <<<"$output")" = 2 ]
	grep -q 'label="chassis 1: ISR9096"' <<<"$output"
	grep -q 'label="chassis 2: core SX6536"' <<<"$output"
	command -v dot >/dev/null || skip 'graphviz is not installed'
	try fabric --load "$isr" --format svg --grouping --scheme chassis
	[ "$status" = 0 ]
	[ "$(grep -c 'class="cluster"' <<<"$output")" = 2 ]
}

@test "fabric --scheme with --grouping: the names have the words of both" {
	try fabric --load "$isr" --format dot --grouping --scheme level
	grep -q '<font point-size="8">level [1-9], chassis 1, line 1 chip 2</font>' <<<"$output"
	try fabric --load "$isr" --format dot --grouping --scheme device
	grep -q '<font point-size="8">device [^<,]*, chassis 1, spine 4 chip 1</font>' <<<"$output"
	try fabric --load "$isr" --format dot --grouping --scheme type
	grep -q '<font point-size="8">chassis 1, spine 4 chip 1</font>' <<<"$output"
}

# alike DESCRIPTION...: InfiniScale IV switches with these descriptions in one system.
alike()
{
	local number=0 word

	for word; do
		number=$((number + 1))
		printf '\nvendid=0x2c9\ndevid=0xbd36\nsysimgguid=0x77\nswitchguid=0x%x(%x)\n' $number $number
		printf 'Switch 36 "S-%016x" # "%s" base port 0 lid %d lmc 0\n' $number "$word" $number
		[ $number = 1 ] || printf '[1] "S-%016x"[2] # "x" lid %d 4xSDR\n' $((number - 1)) $((number - 1))
		[ $number = $# ] || printf '[2] "S-%016x"[1] # "x" lid %d 4xSDR\n' $((number + 1)) $((number + 1))
	done
}

@test "fabric --format ibnetdiscover --grouping: a long model name is cut between characters" {
	local utf=$BATS_TEST_TMPDIR/text

	alike 'MF0;core:aaaaaaaaaaaaaaaaaa'$'\xc3\xa9''/L01/U1' 'MF0;core:bbbbbbbbbbbbbbbbbbbbbb/L02/U1' >"$utf"
	try fabric --load "$utf" --format ibnetdiscover --grouping
	[ "$status" = 0 ]
	grep -q $'\t# a\{18\} Line 1 Chip 1$' <<<"$output"
	grep -q $'\t# b\{19\} Line 2 Chip 1$' <<<"$output"
	iconv -f UTF-8 -t UTF-8 "$BATS_TEST_TMPDIR/out" >/dev/null
}

@test "fabric --grouping: two chips of a slot share a chassis; ibnetdiscover has only the first" {
	local two=$BATS_TEST_TMPDIR/text

	alike 'MF0;core:SX6536/L01/U1' 'MF0;core:SX6536/L01/U2' >"$two"
	try fabric switches --load "$two" --tsv --no-headings -o chassis,board,slot,chip
	[ "$(sort <<<"${output%$'\n'}")" = $'1\tline\t1\t1\n1\tline\t1\t2' ]
	try fabric --load "$two" --format dot --grouping
	[ "$(grep -c '<font point-size="8">chassis 1, line 1 chip [12]</font>' <<<"$output")" = 2 ]
	try fabric --load "$two" --format ibnetdiscover --grouping
	[ "$(grep -c '# Chassis 1' <<<"$output")" = 1 ]
	[ "$(sed -n '/^Non-Chassis/,$p' <<<"$output" | grep -c '^Switch')" = 1 ]
}

@test "fabric --format ibnetdiscover --grouping: chassis, boards, external ports; can be loaded" {
	try fabric --load "$isr" --format ibnetdiscover --grouping
	[ "$status" = 0 ]
	[ "$(grep -E '^Chassis|^# (Spine|Line|Chassis)|^Non-Chassis' <<<"$output" | sed -n 1,6p | paste -sd '|')" = \
		'Chassis 1 (guid 0x8f10000000fff)|# Spine Nodes|# Line Nodes|# Chassis Switches|# Chassis CAs|Chassis 2 (guid 0x2c90300aabb00)' ]
	grep -q $'\t# ISR9096 Line 1 Chip 2$' <<<"$output"
	grep -q $'\t# SX6536 Line 3 Chip 1$' <<<"$output"
	grep -q '^\[13\]\[ext 2\]' <<<"$output"
	grep -q '"S-[0-9a-f]*"\[13\]\[ext 2\]' <<<"$output"
	local again=$BATS_TEST_TMPDIR/text

	printf '%s' "$output" >"$again"
	try fabric --load "$again" --format ibnetdiscover --grouping
	[ "$status" = 0 ]
	[ "$(grep -v generated "$again")" = "$(grep -v generated <<<"$output")" ]
	# Without --grouping the output has none of this.
	try fabric --load "$isr" --format ibnetdiscover
	! grep -qE 'Chassis|ext|Chip' <<<"$output" || false
}

@test "fabric nodes, ports, links: columns of chassis, slots and external ports" {
	try fabric switches --load "$isr" --tsv --no-headings -o chassis,chassis_model,chassis_name,board,slot,chip
	[ "$(head -n 20 <<<"$output" | sort | uniq -c | sort -rn | awk 'END { print NR }')" -gt 5 ]
	grep -qx $'1\tISR9096\t\tspine\t4\t1' <<<"$output"
	grep -qx $'1\tISR9096\t\tline\t1\t2' <<<"$output"
	grep -qx $'2\tSX6536\tcore\tline\t3\t1' <<<"$output"
	# A newer switch with the same naming: its slot is known, but its external ports are not.
	grep -qx $'2\tCS7500\tcore\tline\t17\t2' <<<"$output"
	# A description of a different form gives no slot.
	grep -qx $'2\t\t\t\t\t' <<<"$output"
	try fabric links --load "$isr" --name 'n0-13*' --tsv --no-headings -o port,external_port,location,peer_external_port,peer_location
	expect 0 $'13\t2\tline 1 chip 1\t\t' ''
	try fabric hosts --load "$isr" --name 'server*' --json
	[ "$(jq -c '[.fabric_nodes[] | .chassis] | group_by(.) | map(length)' <<<"$output")" = '[2,2,2]' ]
	[ "$(jq -c '[.fabric_nodes[] | .slot] | unique' <<<"$output")" = '[null]' ]
	try fabric scan --load "$isr" --json
	[ "$(jq -c '[.fabric[0].nodes[] | select(.chassis == 1) | .chassis_guid] | unique' <<<"$output")" = '["0008:f100:0000:0fff"]' ]
}

@test "fabric --scheme, --grouping: rejected where they do not apply" {
	local word

	try fabric --load "$scan" --scheme speed
	[ "$status" = 2 ]
	for word in ibnetdiscover slurm; do
		try fabric --load "$scan" --format $word --scheme speed
		expect_error 2 fabric '--scheme is for --format dot and svg'
	done
	for word in iblinkinfo slurm; do
		try fabric --load "$scan" --format $word --grouping
		expect_error 2 fabric '--grouping is for --format ibnetdiscover, dot and svg'
	done
	try fabric --load "$scan" --format dot --scheme errors
	expect_error 2 fabric '--scheme errors reads counters: it cannot be used with --load'
	try fabric --load "$scan" --format dot --scheme colours
	[ "$status" = 2 ]
}
