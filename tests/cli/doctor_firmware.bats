#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Checks of adapters that sysfs answers: same firmware, temperature.

# shellcheck source=doctor.bash
source "$BATS_TEST_DIRNAME/doctor.bash"

# verdicts ID COLUMN...: sets `got` to these columns of the results of a check, one per line.
verdicts()
{
	local key line row "${columns[@]}"

	ask "$1"
	got=
	for row in "${rows[@]}"; do
		look "$row"
		line=
		for key in "${@:2}"; do line+="${line:+ | }${!key}"; done
		got+=${got:+$'\n'}$line
	done
}

# firmware DEVICE VERSION: sets the contents of fw_ver; !ERRNO makes reading it fail.
firmware()
{
	put "sys/class/infiniband/$1/fw_ver" "$2"
}

# sensor ADDRESS FILE TEXT: writes a file of the hwmon of a PCI function.
sensor()
{
	put "sys/bus/pci/devices/$1/hwmon/hwmon3/$2" "$3"
}

@test "doctor: same firmware on identical boards" {
	copy cx7-ib-ndr
	verdicts firmware-same object verdict
	same good "$(printf 'mlx5_%d | ok\n' {0..7})" "$got"
	# A different board may have different firmware: mlx5_bond_0 is the only one of its kind.
	[[ $got != *mlx5_bond_0* ]]

	firmware mlx5_3 28.35.1012
	verdicts firmware-same object verdict
	same odd $'mlx5_0 | ok\nmlx5_1 | ok\nmlx5_2 | ok\nmlx5_3 | warning\nmlx5_4 | ok\nmlx5_5 | ok\nmlx5_6 | ok\nmlx5_7 | ok' "$got"
	same status 4 "$status"
	member mlx5_3 evidence 'firmware 28.35.1012 on 1 of 8 adapters MT_0000000838'
	member mlx5_3 expected 28.39.1002
	member mlx5_3 actual 28.35.1012
	member mlx5_4 summary 'the firmware is the one that most adapters of the board run'
	try doctor --root "$tree" --profile hpc --only firmware-same
	expect 4 'warning  mlx5_3: the firmware differs from that of other adapters of the same board [firmware-same]
         firmware 28.35.1012 on 1 of 8 adapters MT_0000000838
         -> bring the adapters to the same firmware, the odd ones first, and reset them
1 checked: 1 warning (profile hpc; -a lists all)' ''
}

@test "doctor: no majority among the boards" {
	copy cx5-ib-edr
	firmware mlx5_1 16.35.4030
	verdicts firmware-same object verdict
	same both $'mlx5_0 | warning\nmlx5_1 | warning' "$got"
}

@test "doctor: firmware that cannot be read" {
	copy cx5-ib-edr
	firmware mlx5_1 !EIO
	verdicts firmware-same object verdict summary
	same unknown 'mlx5_1 | not-checked | the firmware version is not known' "$got"
	quickly try doctor --root "$tree" --profile hpc --only firmware-same
	[ "$status" = 3 ]
	# A device without a board_id has nothing to compare; Amazon's devices are like that.
	copy efa
	verdicts firmware-same object verdict
	same none '' "$got"
}

@test "doctor: virtual functions and subfunctions have the firmware of their adapter" {
	copy cx6dx-roce
	firmware mlx5_2 22.99.1
	verdicts firmware-same object verdict
	same subfunction $'mlx5_0 | ok\nmlx5_1 | ok' "$got"
}

@test "doctor: temperatures" {
	local function=0000:3b:00.0

	copy cx5-ib-edr
	verdicts temperature object verdict
	same 'no sensors' '' "$got"
	sensor $function name mlx5
	sensor $function temp1_label asic
	sensor $function temp1_input 61000
	sensor $function temp1_crit 105000
	verdicts temperature object verdict evidence
	same good '0000:3b:00.0 | ok | asic 61 degrees C, critical at 105' "$got"
	sensor $function temp1_input 100000
	verdicts temperature verdict summary
	same near 'warning | the adapter is nearly too hot' "$got"
	sensor $function temp1_input 99999
	verdicts temperature verdict
	same 'not near' 'ok' "$got"
	sensor $function temp1_input 105000
	verdicts temperature verdict summary
	same hot 'error | the adapter is too hot' "$got"
	# The hottest sensor counts, and an unreadable one does not hide it.
	sensor $function temp2_input !EIO
	verdicts temperature verdict
	same 'hot still' 'error' "$got"
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
	verdicts temperature verdict summary
	same 'no limit' 'not-checked | no sensor has both a temperature and a limit' "$got"
	same status 0 "$status"
	# mlx5 reports a port without a module as 0; other hwmon drivers use ENODATA.
	sensor $function temp1_crit 0
	sensor $function temp2_input !ENODATA
	sensor $function temp2_crit 70000
	verdicts temperature verdict
	same 'no module' 'not-checked' "$got"
	sensor $function temp2_input !EIO
	quickly try doctor --root "$tree" --only temperature --json
	[ "$status" = 3 ]
	same unread "$(jq -c '[.doctor[0].verdict, .problems[0].object, .problems[0].attribute]' <<<"$output")" \
		'["not-checked","0000:3b:00.0","the temperature"]'
	sensor $function temp2_input $'6\e[2J'
	verdicts temperature verdict
	same nonsense 'not-checked' "$got"
	same status 3 "$status"
	sensor $function temp1_crit 105000
	sensor $function temp2_input 30000
	sensor $function temp1_label $'a\e[2Jsic'
	verdicts temperature evidence
	same hostile 'a\x1b[2Jsic 61 degrees C, critical at 105; sensor 30 degrees C, critical at 70' "$got"
}

@test "doctor: checks that need netlink are not made on a saved tree" {
	local id

	for id in rdma-disabled firmware-pending firmware-health kernel-log; do
		quickly on cx5-ib-edr doctor --only $id --json
		[ "$status" = 0 ]
		same $id "$(jq -c '[.doctor[] | [.verdict, .needs]]' <<<"$output")" '[["not-checked",["live"]]]'
	done
}
