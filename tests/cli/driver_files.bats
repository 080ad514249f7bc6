#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Files that only ib_qib and hfi1 have in sysfs: status words, lanes of service levels, contexts,
# the cable, and counters in a text file.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# copy FIXTURE: makes a copy to damage; $port and $device are the folders of its first port and
# device.
copy()
{
	root=$BATS_TEST_TMPDIR/root
	rm -rf "$root"
	cp -a "$roots/$1" "$root"
	device=$(realpath "$root"/sys/class/infiniband/*0 | head -n 1)
	port=$device/ports/1
}

# ask COLUMNS COMMAND [ARGS]: these columns of the copy's first row, and the problems.
ask()
{
	quickly try "$2" --root "$root" --tsv --no-headings -o "$1" "${@:3}"
	output=${output%%$'\n'*}
	output=${output//$'\t'/ }
	[ "$status" = 3 ] || output+=$'\n'
}

# loses COLUMN PROBLEM: the column is unknown, and the problem says why.
loses()
{
	ask "$1" "${3-ports}"
	[ -z "$output" ] || wrong "$1: '$output'"
	[ "$status" = 3 ] || wrong "$1: exit status $status"
	[ "$stderr" = "rdmactl ${3-ports}: $2"$'\n' ] || wrong "$1: $stderr"
}

@test "driver files: status words and lanes of qib" {
	cells qib-counters ports port,driver_status
	expect 0 $'1 Initted,Present,IB_link_up,IB_configured\n2 Initted,Present' ''
	cells qib-counters ports sl_to_vl qib0/1
	expect 0 '0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1' ''
	on cx5-ib-edr ports -o driver_status,sl_to_vl,module_vendor -j
	expect 0
	[ "$(jq -c '[.ports[][]]' <<<"$output")" = '[null,null,null,null,null,null]' ]
}

@test "driver files: a service level of Omni-Path maps to a channel, and the channel to a lane" {
	copy opa-hfi1
	echo 5 >"$port/sl2sc/3"
	echo 7 >"$port/sc2vl/5"
	echo 31 >"$port/sl2sc/31"
	echo 2 >"$port/sc2vl/31"
	ask sl_to_vl ports
	expect 0 '0,0,0,7,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,2' ''
	rm "$port/sc2vl/5"
	loses sl_to_vl 'hfi1_0/1: cannot read sc2vl/5: No such file or directory'
	rm -r "$port/sl2sc"
	loses sl_to_vl 'hfi1_0/1: cannot read sl2sc/0: No such file or directory'
	cells opa-hfi1 ports port,driver_status
	expect 0 '1 ' ''
	nothing_wrong
}

@test "driver files: a status without any bit is empty; anything else is a problem" {
	copy qib-counters
	: >"$port/linkcontrol/status_str"
	loses driver_status 'qib0/1: cannot read driver_status: the file is empty'
	echo 0x0 >"$port/linkcontrol/status"
	try ports --root "$root" -o driver_status -j
	expect 0
	[ "$(jq -c '.ports[0].driver_status' "$BATS_TEST_TMPDIR/out")" = '[]' ]
	# A bit without a name leaves two blanks in a row.
	echo 'Initted  Fatal_Hardware_Error' >"$port/linkcontrol/status_str"
	ask driver_status ports
	expect 0 'Initted,Fatal_Hardware_Error' ''
	printf 'Initted \033[2J\n' >"$port/linkcontrol/status_str"
	loses driver_status "qib0/1: cannot read driver_status: unexpected text 'Initted \\x1b[2J'"
	ln -sf '!EINVAL' "$port/linkcontrol/status_str"
	loses driver_status 'qib0/1: cannot read driver_status: Invalid argument'
	rm "$port/linkcontrol/status_str"
	loses driver_status 'qib0/1: cannot read driver_status: No such file or directory'
	ask sl_to_vl ports
	expect 0 '0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1' ''
	nothing_wrong
}

@test "driver files: a lane table with a gap or a wrong number is unknown" {
	copy qib-counters
	echo 256 >"$port/sl2vl/15"
	loses sl_to_vl "qib0/1: cannot read sl2vl/15: unexpected text '256'"
	echo 255 >"$port/sl2vl/15"
	ask sl_to_vl ports
	expect 0 '0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,255' ''
	rm "$port/sl2vl/15"
	loses sl_to_vl 'qib0/1: cannot read sl2vl/15: No such file or directory'
	nothing_wrong
}

@test "driver files: the cable, as an old qib describes it" {
	local all=module_technology,module_vendor,module_part_number,module_serial

	quickly on qib-vendor ports --tsv --no-headings -o "$all"
	expect 0 $'3M Cu NoEq\tVolex\tQSFP-4C26-3\tV0912A2265' ''
	copy qib-vendor
	# No cable is plugged in.
	ln -sf '!ENODEV' "$port/linkcontrol/qsfp"
	ask "$all" ports
	expect 0 '   ' ''
	ln -sf '!ENXIO' "$port/linkcontrol/qsfp"
	loses module_serial 'qib0/1: cannot read linkcontrol/qsfp: No such device or address'
	rm "$port/linkcontrol/qsfp"
	echo 'no cable here' >"$port/linkcontrol/qsfp"
	loses module_serial "qib0/1: cannot read linkcontrol/qsfp: unexpected text 'no cable here'"
	printf 'PWR:1.5W\nVendor:   \nSerial:A\033]0;x\007\n' >"$port/linkcontrol/qsfp"
	ask "$all" ports
	expect 0 '   A\x1b]0;x\x07' ''
	nothing_wrong
}

@test "driver files: contexts" {
	cells opa-hfi1 devices device,user_contexts,free_user_contexts
	expect 0 'hfi1_0 40 38' ''
	cells qib-counters devices user_contexts,free_user_contexts
	expect 0 '16 9' ''
	cells qib-vendor devices user_contexts,free_user_contexts
	expect 0 '16 ' ''
	cells cx5-ib-edr devices user_contexts,free_user_contexts mlx5_0
	expect 0 ' ' ''
	copy opa-hfi1
	rm "$device/nfreectxts"
	loses free_user_contexts 'hfi1_0: cannot read free_user_contexts: No such file or directory' devices
	echo -1 >"$device/nctxts"
	loses user_contexts "hfi1_0: cannot read user_contexts: unexpected text '-1'" devices
	nothing_wrong
}

# count NAME...: the values of these counters of qib0/1.
count()
{
	quickly try counters --root "$root" -a -j
	output=$(jq -r --arg names "$*" '[.counters[] | select(.kernel_name as $k
		| ($names / ",") | index($k)) | "\(.device)/\(.port) \(.kernel_name) \(.value)"] | join("; ")' \
		"$BATS_TEST_TMPDIR/out")
	output=${output:+$output$'\n'}
}

@test "driver files: counters in the text file of an old qib" {
	copy qib-vendor
	count 'RC timeouts,unaligned,PKT drops,Ctx:npkts,QP13'
	expect 0 'qib0/1 unaligned 0; qib0/1 RC timeouts 2; qib0/1 PKT drops 5' ''
	# Each name has an explanation.
	[ "$(jq '[.counters[] | select(.meaning == null)] | length' "$BATS_TEST_TMPDIR/out")" = 0 ]
	# The numbers after `Port 2:` belong to the other port.
	printf 'Port 2:\nRC timeouts 9\nPort 1:\nRC timeouts 3\nRC resends  4294967296\n' >"$device/stats"
	count 'RC timeouts,RC resends'
	expect 0 'qib0/1 RC resends 4294967296; qib0/1 RC timeouts 3' ''
	# Lines that are not counters: no name, no number, a number that is too large, other bytes.
	printf '%s\n' ' 5' alone 'RC DComp' 'wait TX 18446744073709551616' 'Q_1 4' 'Port 1: 5' '   ' 'PKT drops 7' >"$device/stats"
	count ',alone,RC DComp,wait TX,Q_1,Port 1:,Port,PKT drops'
	expect 0 'qib0/1 PKT drops 7' ''
	echo 'nothing of the kind' >"$device/stats"
	count 'RC timeouts'
	expect 3 '' 'rdmactl counters: qib0/1: cannot read counters (hw): no counters in the text'
	ln -sf '!EACCES' "$device/stats"
	count 'RC timeouts'
	expect 3 '' 'rdmactl counters: qib0/1: cannot read counters (hw): Permission denied'
}
