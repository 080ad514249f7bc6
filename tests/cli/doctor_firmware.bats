#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Checks of the adapters that sysfs answers: the same firmware, the temperature.

# shellcheck source=doctor.bash
source "$BATS_TEST_DIRNAME/doctor.bash"

# verdicts ID FILTER: the results of one check on the tree, each through the filter; the exit status
# goes to a file, since this is used in substitutions.
verdicts()
{
	quickly try doctor --root "$tree" --only "$1" --json
	echo "$status" >"$BATS_TEST_TMPDIR/status"
	printf '%s' "$output" | jq -c ".doctor[] | $2"
}

# firmware DEVICE VERSION: what fw_ver says; !ERRNO: that reading it fails.
firmware()
{
	local file

	file=$(realpath "$tree/sys/class/infiniband/$1")/fw_ver
	rm -f "$file"
	case $2 in
	!*)	ln -s "$2" "$file" ;;
	*)	echo "$2" >"$file" ;;
	esac
}

# sensor ADDRESS FILE TEXT: a file of the hwmon of a PCI function.
sensor()
{
	local directory

	directory=$(realpath "$tree/sys/bus/pci/devices/$1")/hwmon/hwmon3
	mkdir -p "$directory"
	rm -f "$directory/$2"
	case $3 in
	!*)	ln -s "$3" "$directory/$2" ;;
	*)	echo "$3" >"$directory/$2" ;;
	esac
}

@test "doctor: the same firmware on the same boards" {
	copy cx7-ib-ndr
	same good "$(verdicts firmware-same '[.object, .verdict]' | sort | uniq -c | grep -c '"ok"')" 8
	# Another board may have other firmware: mlx5_bond_0 is the only one of its kind.
	same alone "$(verdicts firmware-same 'select(.object == "mlx5_bond_0")')" ''

	firmware mlx5_3 28.35.1012
	same odd "$(verdicts firmware-same 'select(.verdict != "ok") |
		[.object, .verdict, .evidence, .expected, .actual]')" \
		'["mlx5_3","warning","firmware 28.35.1012 on 1 of 8 adapters MT_0000000838","28.39.1002","28.35.1012"]'
	same others "$(verdicts firmware-same 'select(.object == "mlx5_4") | .summary')" \
		'"the firmware is that of most adapters of the board"'
	same status "$(<"$BATS_TEST_TMPDIR/status")" 4
	try doctor --root "$tree" --profile hpc --only firmware-same
	expect 4 'warning  mlx5_3: the firmware differs from other adapters of the same board [firmware-same]
         firmware 28.35.1012 on 1 of 8 adapters MT_0000000838
         -> bring the adapters to the same firmware, the odd ones first, and reset them
1 checked: 1 warning (profile hpc; -a lists all)' ''
}

@test "doctor: no majority among the boards" {
	copy cx5-ib-edr
	firmware mlx5_1 16.35.4030
	same both "$(verdicts firmware-same '[.object, .verdict]')" \
		$'["mlx5_0","warning"]\n["mlx5_1","warning"]'
}

@test "doctor: firmware that cannot be read" {
	copy cx5-ib-edr
	firmware mlx5_1 !EIO
	same unknown "$(verdicts firmware-same '[.object, .verdict, .summary]')" \
		'["mlx5_1","not-checked","the firmware version is not known"]'
	quickly try doctor --root "$tree" --profile hpc --only firmware-same
	[ "$status" = 3 ]
	# A device without a board_id has nothing to compare: Amazon's.
	copy efa
	same none "$(verdicts firmware-same .)" ''
}

@test "doctor: virtual functions and subfunctions have the firmware of their adapter" {
	copy cx6dx-roce
	firmware mlx5_2 22.99.1
	same subfunction "$(verdicts firmware-same '[.object, .verdict]')" \
		$'["mlx5_0","ok"]\n["mlx5_1","ok"]'
}

@test "doctor: temperatures" {
	local function=0000:3b:00.0

	copy cx5-ib-edr
	same 'no sensors' "$(verdicts temperature .)" ''
	sensor $function name mlx5
	sensor $function temp1_label asic
	sensor $function temp1_input 61000
	sensor $function temp1_crit 105000
	same good "$(verdicts temperature '[.object, .verdict, .evidence]')" \
		'["0000:3b:00.0","ok","asic 61 degrees C, critical at 105"]'
	sensor $function temp1_input 100000
	same near "$(verdicts temperature '[.verdict, .summary]')" \
		'["warning","the adapter is nearly too hot"]'
	sensor $function temp1_input 99999
	same 'not near' "$(verdicts temperature .verdict)" '"ok"'
	sensor $function temp1_input 105000
	same hot "$(verdicts temperature '[.verdict, .summary]')" \
		'["error","the adapter is too hot"]'
	# The hottest sensor counts, and one that cannot be read does not hide it.
	sensor $function temp2_input !EIO
	same 'hot still' "$(verdicts temperature .verdict)" '"error"'
	try doctor --root "$tree" --profile hpc --only temperature
	expect 4 'error    0000:3b:00.0: the adapter is too hot [temperature]
         asic 105 degrees C, critical at 105
         -> check fans, air flow and dust filters, and the inlet temperature of the rack
1 checked: 1 error (profile hpc; -a lists all)' ''
}

@test "doctor: temperatures that cannot be read, or have no limit" {
	local function=0000:3b:00.0

	copy cx5-ib-edr
	sensor $function temp1_input 61000
	same 'no limit' "$(verdicts temperature '[.verdict, .summary]')" \
		'["not-checked","no sensor has both a temperature and a limit"]'
	same status "$(<"$BATS_TEST_TMPDIR/status")" 0
	# mlx5 reports a port without a module as 0; ENODATA is the way of hwmon.
	sensor $function temp1_crit 0
	sensor $function temp2_input !ENODATA
	sensor $function temp2_crit 70000
	same 'no module' "$(verdicts temperature .verdict)" '"not-checked"'
	sensor $function temp2_input !EIO
	quickly try doctor --root "$tree" --only temperature --json
	[ "$status" = 3 ]
	same unread "$(jq -c '[.doctor[0].verdict, .problems[0].object, .problems[0].attribute]' <<<"$output")" \
		'["not-checked","0000:3b:00.0","the temperature"]'
	sensor $function temp2_input $'6\e[2J'
	same nonsense "$(verdicts temperature .verdict)" '"not-checked"'
	same status "$(<"$BATS_TEST_TMPDIR/status")" 3
	sensor $function temp1_crit 105000
	sensor $function temp2_input 30000
	sensor $function temp1_label $'a\e[2Jsic'
	same hostile "$(verdicts temperature .evidence)" \
		'"a\\x1b[2Jsic 61 degrees C, critical at 105; sensor 30 degrees C, critical at 70"'
}

@test "doctor: what netlink answers is not checked on a saved tree" {
	local id

	for id in rdma-disabled firmware-pending firmware-health kernel-log; do
		quickly on cx5-ib-edr doctor --only $id --json
		[ "$status" = 0 ]
		same $id "$(jq -c '[.doctor[] | [.verdict, .needs]]' <<<"$output")" '[["not-checked",["live"]]]'
	done
}
