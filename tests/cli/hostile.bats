#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Trees that a correct kernel never makes.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# Makes a tree with one good device to be damaged, in $tree; $device and $port are its directories.
copy_tree()
{
	tree=$BATS_TEST_TMPDIR/tree
	cp -a "$roots/cx5-ib-edr" "$tree"
	device=$(realpath "$tree/sys/class/infiniband/mlx5_0")
	port=$device/ports/1
}

@test "hostile: no control byte in any output, whatever the locale" {
	local command format locale

	cd "$BATS_TEST_TMPDIR" || false
	for locale in C.UTF-8 C; do
		for command in $listings; do
			for format in --no-headings --json --jsonl --tsv --color=never --verbose; do
				LC_ALL=$locale quickly on hostile "$command" $format -o all
				[ "$status" = 3 ] || wrong "$command $format: exit status $status"
				cat out err >"shown $locale $command $format"
				[ "$format" = --tsv ] || [[ $output != *$'\t'* ]] || wrong "$command $format: tab"
			done
		done
	done
	all_clean 'shown '*
	nothing_wrong
}

@test "hostile: the good device is shown completely" {
	quickly on hostile devices -j
	[ "$(jq -c '.devices[] | select(.device == "mlx5_good") | [.node_type, .transport, .firmware, .node_guid, .port_count,
		.state, .system_image_guid, .board_id, .hca_type, .hardware_revision, .node_description, .uverbs]' <<<"$output")" = \
		'["ca","infiniband","16.35.3502","ec0d:9a03:0078:1a2c",1,"active","ec0d:9a03:0078:1a2c","MT_0000000010","MT4119","0","good mlx5_good","uverbs1"]' ]
	quickly on hostile ports -j mlx5_good
	[ "$(jq -c '.ports | map([.device, .port, .link_layer, .state, .physical_state, .rate_gbps, .width_speed, .lid, .lmc,
		.sm_lid, .sm_sl, .subnet_prefix, .cap_mask, .port_guid, .gid_table_length, .pkey_table_length])' <<<"$output")" = \
		'[["mlx5_good",1,"infiniband","active","link-up",100,"4X EDR",17,0,1,0,"fe80:0000:0000:0000","0x2651e848","ec0d:9a03:0078:1a2c",2,1]]' ]
	cells hostile gids index,gid,type mlx5_good
	same gids $'0 fe80:0000:0000:0000:ec0d:9a03:0078:1a2c ib\n' "$output"
	cells hostile pkeys index,pkey,membership mlx5_good
	same pkeys $'0 0xffff full\n' "$output"
}

@test "hostile: a query for the good device reports nothing about the others" {
	local command

	for command in ports gids pkeys netdevs; do
		quickly on hostile "$command" -o device mlx5_good
		expect 0 $'DEVICE\nmlx5_good' '' || wrong "$command"
	done
	quickly on hostile devices -o device,state mlx5_good
	expect 0 $'DEVICE    STATE\nmlx5_good active' '' || wrong devices
	nothing_wrong
}

@test "hostile: a device can be named by its raw name and by its cleaned one" {
	quickly on hostile devices -o device --tsv --no-headings $'evil\e[31m\nname'
	[ "$output" = 'evil\x1b[31m\x0aname'$'\n' ]
	quickly on hostile devices -o device --tsv --no-headings 'evil\x1b[31m\x0aname'
	[ "$output" = 'evil\x1b[31m\x0aname'$'\n' ]
	quickly on hostile devices -o device --tsv --no-headings 'with space' -- -j
	[ "$output" = $'-j\nwith space\n' ]
}

@test "hostile: every listed device can be named" {
	local name

	quickly on hostile devices -j -o device
	# Kernel names have at most 63 bytes.
	jq -r '.devices[].device | select(length < 64)' <<<"$output" >"$BATS_TEST_TMPDIR/names"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/names")" -ge 16 ]
	while IFS= read -r name; do
		quickly on hostile devices --tsv --no-headings -o device -- "$name"
		[ "$output" = "$name"$'\n' ] || wrong "$name: $output$stderr"
	done <"$BATS_TEST_TMPDIR/names"
	nothing_wrong
}

@test "hostile: every null has its problem" {
	quickly on hostile ports -j
	# Every key without a value has a problem, except in ports that are not directories. Without its
	# link layer it is unknown whether a port has LIDs: the problem of the link layer covers them.
	jq -r '.ports[] | select(.device == ("ports0", "wrong0", "text0")) | "\(.device)/\(.port)" as $object |
		(if .link_layer == null then "link_layer" else null end) as $cause |
		select($object | IN("ports0/2", "ports0/3") | not) | to_entries[] | select(.value == null and (.key |
			IN("link_layer", "state", "physical_state", "rate_gbps", "cap_mask", "lid", "lmc", "sm_lid", "sm_sl"))) |
		.key as $key | (if $key | IN("lid", "lmc", "sm_lid", "sm_sl") then $cause // $key else $key end) |
		"\($object) \(.)"' <<<"$output" | sort -u >"$BATS_TEST_TMPDIR/null"
	jq -r '.problems[] | "\(.object) \(.attribute)"' <<<"$output" | sort -u >"$BATS_TEST_TMPDIR/told"
	[ -s "$BATS_TEST_TMPDIR/null" ]
	comm -23 "$BATS_TEST_TMPDIR/null" "$BATS_TEST_TMPDIR/told" >"$BATS_TEST_TMPDIR/hushed"
	grep -q '^ports0/2 ' "$BATS_TEST_TMPDIR/told" && grep -q '^ports0/3 ' "$BATS_TEST_TMPDIR/told"
	[ ! -s "$BATS_TEST_TMPDIR/hushed" ] || { cat "$BATS_TEST_TMPDIR/hushed"; return 1; }
}

@test "hostile: files that cannot be attributes" {
	local kind ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0

	for kind in directory fifo loop dangling empty long huge nul binary; do
		copy_tree
		rm "$port/rate" "$device/fw_ver"
		case $kind in
		directory) mkdir "$port/rate" "$device/fw_ver" ;;
		fifo) mkfifo "$port/rate" "$device/fw_ver" ;;
		loop) ln -s rate "$port/rate"; ln -s fw_ver "$device/fw_ver" ;;
		dangling) ln -s nowhere "$port/rate"; ln -s nowhere "$device/fw_ver" ;;
		empty) : >"$port/rate"; : >"$device/fw_ver" ;;
		long) printf 'x%.0s' {1..4095} | tee "$port/rate" >"$device/fw_ver" ;;
		huge) head -c 1048576 /dev/zero | tr '\0' 7 | tee "$port/rate" >"$device/fw_ver" ;;
		nul) head -c 100 /dev/zero | tee "$port/rate" >"$device/fw_ver" ;;
		binary) head -c 4000 "$binary" | tee "$port/rate" >"$device/fw_ver" ;;
		esac
		timeout 100 "$binary" ports -j --root "$tree" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" </dev/null &&
			wrong "$kind: exit status 0"
		[ "$(jq -c '.ports | map([.device, .rate_gbps, .lid])' "$BATS_TEST_TMPDIR/out")" = '[["mlx5_0",null,17],["mlx5_1",100,18]]' ] ||
			wrong "$kind: $(<"$BATS_TEST_TMPDIR/out")"
		[ "$(jq -c '.problems | map([.object, .source])' "$BATS_TEST_TMPDIR/out")" = '[["mlx5_0/1","sysfs"]]' ] ||
			wrong "$kind: $(<"$BATS_TEST_TMPDIR/out")"
		timeout 100 "$binary" devices -j -o device,firmware,state --root "$tree" >"$BATS_TEST_TMPDIR/out" \
			2>"$BATS_TEST_TMPDIR/err" </dev/null || status=$?
		[ "$(jq -c '.devices | map([.device, .state])' "$BATS_TEST_TMPDIR/out")" = '[["mlx5_0","active"],["mlx5_1","active"]]' ] ||
			wrong "$kind: $(<"$BATS_TEST_TMPDIR/out")"
		chmod -R u+w "$tree"
		rm -r "$tree"
	done
	nothing_wrong
}

@test "hostile: wide and combining characters keep the columns" {
	copy_tree
	echo 東京 >"$device/node_desc"
	try devices -o node_description,device --root "$tree"
	expect 0 'DESCRIPTION    DEVICE
東京           mlx5_0
node017 mlx5_1 mlx5_1' ''
	printf 'e\xcc\x81te\xcc\x81\n' >"$device/node_desc"
	try devices -o node_description,device --root "$tree"
	expect 0 $'DESCRIPTION    DEVICE\ne\u0301te\u0301            mlx5_0\nnode017 mlx5_1 mlx5_1' ''
	# Without a locale the widths are unknown, but all words are there.
	LC_ALL=C try devices -o node_description,device --root "$tree" --tsv
	expect 0 $'node_description\tdevice\ne\u0301te\u0301\tmlx5_0\nnode017 mlx5_1\tmlx5_1' ''
}

@test "hostile: tables that are not directories" {
	local table command

	for table in gids pkeys; do
		copy_tree
		rm -r "${port:?}/$table"
		echo text >"$port/$table"
		quickly try "$table" --root "$tree" -o device
		expect 3
		grep -qx mlx5_1 "$BATS_TEST_TMPDIR/out" || wrong "$table hides mlx5_1"
		grep -q "^rdmactl $table: mlx5_0/1: cannot read $table: Not a directory" "$BATS_TEST_TMPDIR/err" || wrong "$table: $stderr"
		rm -r "$tree"
	done
	copy_tree
	rm -r "$device/ports"
	for command in devices ports gids pkeys netdevs; do
		quickly try "$command" --root "$tree" -o device
		grep -qx mlx5_1 "$BATS_TEST_TMPDIR/out" || wrong "$command hides mlx5_1"
		[ "$status" = 3 ] || wrong "$command: exit status $status"
		grep -qx "rdmactl $command: mlx5_0: cannot read ports: No such file or directory" "$BATS_TEST_TMPDIR/err" ||
			wrong "$command: $stderr"
	done
	nothing_wrong
}

@test "hostile: a class directory that is not a directory" {
	local command

	mkdir -p "$BATS_TEST_TMPDIR/tree/sys/class"
	echo text >"$BATS_TEST_TMPDIR/tree/sys/class/infiniband"
	for command in $listings; do
		quickly try "$command" --root "$BATS_TEST_TMPDIR/tree"
		expect 1 '' || wrong "$command"
		[ "${stderr%$'\n'}" = "rdmactl $command: cannot read devices: Not a directory" ] || wrong "$command: $stderr"
	done
	rm "$BATS_TEST_TMPDIR/tree/sys/class/infiniband"
	ln -s infiniband "$BATS_TEST_TMPDIR/tree/sys/class/infiniband"
	for command in $listings; do
		quickly try "$command" --root "$BATS_TEST_TMPDIR/tree"
		expect 1 '' || wrong "$command loop"
	done
	nothing_wrong
}

@test "hostile: text at the limits of its format" {
	local text wanted

	copy_tree
	while IFS=$'\t' read -r text wanted; do
		printf '%b\n' "$text" >"$port/rate"
		quickly try ports --tsv --no-headings --root "$tree" -o rate_gbps,width_lanes,speed mlx5_0
		[ "$output" = "${wanted//|/$'\t'}"$'\n' ] || wrong "$text: $output"
		if [ "$wanted" = '||' ]; then
			[ "$status" = 3 ] || wrong "$text: exit status $status"
		else
			[ "$status" = 0 ] || wrong "$text: exit status $status"
		fi
	done <<-'END'
		100 Gb/sec (4X EDR)	100|4|EDR
		2.5 Gb/sec (1X)	2.5|1|SDR
		14 Gb/sec (1X FDR10)	14|1|FDR10
		1600 Gb/sec (8X XDR)	1600|8|XDR
		100 Gb/s	||
		-100 Gb/sec (4X EDR)	||
		nan Gb/sec (4X EDR)	||
		inf Gb/sec (4X EDR)	||
		0x64 Gb/sec (4X EDR)	||
		1e9999 Gb/sec (4X EDR)	||
		Gb/sec	||
	END
	while IFS=$'\t' read -r text wanted; do
		printf '%b\n' "$text" >"$port/state"
		quickly try ports --tsv --no-headings --root "$tree" -o state mlx5_0
		[ "$output" = "$wanted"$'\n' ] || wrong "$text: $output"
	done <<-'END'
		4: ACTIVE	active
		1: DOWN	down
		4	active
		4: \033[31m	active
		200: NEW	unknown-200
		256: WHAT	
		-1: WHAT	
		: ACTIVE	
		ACTIVE	
	END
	nothing_wrong
}
