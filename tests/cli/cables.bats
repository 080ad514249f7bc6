#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# rdmactl cables. Snapshots with made-up netlink answers replace modules; tests/unit/test_plug
# checks how their memory is decoded, and scene devlink of the guest asks a real kernel.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

hint='rdmactl snapshot keeps what the kernel answers, if run as root'

@test "cables: a saved tree has no cables, and says so" {
	on cx6dx-roce cables mlx5_0 -o device,port,netdev,kind
	expect 3 $'DEVICE PORT NETDEV    KIND\nmlx5_0    1 ens1f0np0 -' \
		"rdmactl cables: mlx5_0/1: cannot read module: a saved tree does not hold what netlink answers
  $hint"
	on cx6dx-roce cables mlx5_0 -j
	[ "$(jq -c '[.schema, .cables[0].lanes, .cables[0].link_up, .cables[0].fec, .problems[0].source]' <<<"$output")" = \
		'["rdmactl/cables/1",null,null,null,"ethtool netlink"]' ]
}

@test "cables: every format is valid and says the same" {
	machines formats cables
}

# A port of EFA has no netdev, in no namespace: that is no fact that could not be read.
@test "cables: a device without netdevs has no module to show" {
	on efa cables -o device,port,netdev,kind
	expect 0 $'DEVICE    PORT NETDEV KIND\nefa_1        1 -      -\nrdmap0s31    1 -      -' ''
	on efa cables --lanes
	expect 5 '' 'rdmactl cables: no module here measures lanes
  rdmactl cables shows what is plugged in'
	on cx7-ib-ndr cables
	[ "$status" = 3 ]
}

@test "cables: no such device, no such port" {
	on cx6dx-roce cables mlx5_9
	expect 5
	on no-rdma cables
	expect 5
}

# with_answers KIND: a snapshot of cx6dx-roce with the answers that tests/cli/cables.py makes.
with_answers()
{
	without_answers
	"$top/tests/cli/cables.py" "$(<"$snapshot/root/sys/class/net/ens1f0np0/ifindex")" "$1" >"$snapshot/netlink/answers"
}

# shown COLUMNS: the values of these columns for mlx5_0 in the snapshot.
shown()
{
	try --root "$snapshot" cables mlx5_0 --tsv --no-headings -o "$1"
	output=${output//$'\t'/ }
}

@test "cables: a transceiver, its light and its alarms" {
	with_answers optical
	shown netdev,link_up,kind,identifier,part,serial,length_m,temperature_c,rx_power_dbm,alarms,flags
	same 'the module' $'ens1f0np0 yes optical qsfp28 MMA1B00-C100D MT2120FT06214  40.25 -40 rx-power-low-alarm rx-los\n' "$output"
	shown standard,fec,fec_configured,fec_corrected_blocks,fec_corrected_bits,fec_uncorrectable_blocks,power_mode,power_policy
	same 'the rest' $'sff-8636 RS RS,BASER,auto 12 99  high auto\n' "$output"
	try --root "$snapshot" cables mlx5_0 -j
	[ "$(jq -c '[.cables[0].lanes[] | [.lane, .rx_power_mw, .tx_bias_ma, .alarms]]' <<<"$output")" = \
		'[[1,0.5,7,[]],[2,0.6,7,[]],[3,0,7,["rx-power-low-alarm"]],[4,0.7,7,[]]]' ]
	[ "$(jq -c '.cables[0].thresholds[] | select(.quantity == "rx-power") | [.low_alarm, .high_alarm]' <<<"$output")" = '[0.0478,2.1878]' ]
	[ "$(jq -c '.cables[0].thresholds[] | select(.quantity == "voltage") | [.low_alarm, .high_alarm]' <<<"$output")" = '[null,null]' ]
	[ "$(jq -c '[.cables[0].fec_bins[] | [.low, .high, .blocks]]' <<<"$output")" = '[[0,0,7],[1,1,6]]' ]
}

# The values are those that ethtool 6.1 prints for the same bytes.
@test "cables: SFF-8472, whose readings are at a second address" {
	with_answers sfp
	shown standard,identifier,kind,connector,vendor,oui,part,revision,serial,date,temperature_c,voltage_v,alarms,flags
	same 'the module' $'sff-8472 sfp optical lc FINISAR CORP. 00:90:65 FTLX1471D3BCL A UK20A1B 2016-03-17 27.25 3.2817 rx-power-low-alarm rx-power-low-alarm,rx-power-low-warning,rx-los\n' "$output"
	try --root "$snapshot" cables mlx5_0 -j
	[ "$(jq -c '[.cables[0].lanes[] | [.rx_power_mw, .tx_power_mw, .tx_bias_ma]]' <<<"$output")" = '[[0.015,0.6321,36.064]]' ]
	[ "$(jq -c '[.cables[0].thresholds[] | [.low_alarm, .low_warning, .high_warning, .high_alarm]]' <<<"$output")" = \
		'[[-13,-8,73,78],[2.9,3,3.6,3.7],[0.0182,0.023,1.7783,2.2387],[0.1202,0.1514,1.7783,2.2387],[13,16,76,85]]' ]
}

# The same values, except for the current: ethtool 6.1 divides by the factor of two that the module
# has.
@test "cables: CMIS, whose lanes are on a separate page" {
	with_answers osfp
	shown standard,identifier,kind,connector,vendor,part,serial,date,firmware,state,temperature_c,voltage_v,rx_power_dbm,alarms,flags
	same 'the module' $'cmis osfp optical mpo-2x12 NVIDIA MMA4Z00-NS MT2312FT07700 2023-03-21 46.33 ready 61.5 3.3111 -40 rx-power-low-alarm rx-los,tx-fault\n' "$output"
	try --root "$snapshot" cables mlx5_0 -j
	[ "$(jq -c '[.cables[0].lanes[] | [.lane, .rx_power_mw, .tx_power_mw, .tx_bias_ma, .alarms, .flags]] | [.[0], .[1], .[7]]' <<<"$output")" = \
		'[[1,0.0001,1.2,12,["rx-power-low-alarm"],["rx-los"]],[2,0.9,1.25,12.4,[],["tx-fault"]],[8,0.9,1.55,14.8,[],[]]]' ]
	[ "$(jq -c '[.cables[0].thresholds[] | [.low_alarm, .high_alarm]]' <<<"$output")" = \
		'[[-5,80],[3.1,3.5],[0.0631,3.1623],[0.1259,3.1623],[4,30]]' ]
	try --root "$snapshot" cables mlx5_0/1 --lanes
	[ "$(sed -n '1,3p;$p' <<<"${output%$'\n'}")" = \
		"DEVICE PORT LANE RX dBm RX LOW RX HIGH TX dBm TX LOW TX HIGH BIAS mA BIAS LOW BIAS HIGH ALARMS             FLAGS
mlx5_0    1    1  -40.0  -12.0     5.0    0.8   -9.0     5.0      12        4        30 rx-power-low-alarm rx-los
mlx5_0    1    2   -0.5  -12.0     5.0    1.0   -9.0     5.0    12.4        4        30 -                  tx-fault
mlx5_0    1    8   -0.5  -12.0     5.0    1.9   -9.0     5.0    14.8        4        30 -                  -" ]
	try --root "$snapshot" cables mlx5_0 --lanes --no-headings \
		-o rx_low_warning_dbm,rx_high_warning_dbm,tx_low_warning_dbm,tx_high_warning_dbm,bias_low_warning_ma,bias_high_warning_ma,rx_power_mw,tx_power_mw
	[ "$(head -n 1 <<<"$output" | tr -s ' ')" = '-10.0 4.0 -8.0 4.0 5 28 0.0001 1.2' ]
}

@test "cables --lanes: modules that measure no lanes" {
	with_answers copper
	try --root "$snapshot" cables mlx5_0 --lanes
	expect 5 '' 'rdmactl cables: no module here measures lanes
  rdmactl cables shows what is plugged in'
	with_answers refused
	try --root "$snapshot" cables mlx5_0 --lanes -j
	[ "$status" = 3 ]
	[ "$(jq -c '[.schema, .cable_lanes]' <<<"$output")" = '["rdmactl/cable_lanes/1",[]]' ]
	on cx6dx-roce cables mlx5_9 --lanes
	expect 5
}

@test "cables: a copper cable has no light, and its text is cleaned" {
	with_answers copper
	shown kind,length_m,serial,temperature_c,rx_power_dbm,alarms
	same 'the cable' $'passive-copper 3 MT1900VS0\\x1b[2J   \n' "$output"
	try --root "$snapshot" cables mlx5_0 -j
	[ "$(jq -c '.cables[0] | [.lanes, .alarms, .flags, .state]' <<<"$output")" = '[null,null,null,null]' ]
}

@test "cables: a module of unknown layout is a problem" {
	with_answers cxp
	try --root "$snapshot" cables mlx5_0 -o identifier,kind,link_up
	expect 3 $'IDENTIFIER KIND LINK\ncxp        -    yes' "rdmactl cables: mlx5_0/1: cannot read module: the layout of modules with identifier 0x0e is not known here
  ethtool -m NETDEV hex on prints its bytes"
}

@test "cables: a problem of a bond names the member" {
	on roce-bond-vlan cables -j
	[ "$(jq -c '[.problems[].object]' <<<"$output")" = '["enp193s0f0np0","enp193s0f1np1"]' ]
}

@test "cables: an ordinary user sees the link and FEC, and what to do for the rest" {
	with_answers refused
	try --root "$snapshot" cables mlx5_0 -o link_up,fec,kind
	expect 3 $'LINK FEC KIND\nyes  RS  -' "rdmactl cables: mlx5_0/1: cannot read module: Operation not permitted
  reading the memory of a module takes CAP_NET_ADMIN: run as root, or sudo rdmactl cables"
}

@test "cables: if the driver or the kernel gives no access to modules, ethtool may" {
	with_answers lacking
	try --root "$snapshot" cables mlx5_0 -o link_up,fec,kind
	expect 3 $'LINK FEC KIND\nyes  RS  -' "rdmactl cables: mlx5_0/1: cannot read module: Operation not supported
  the driver gives no access to a module, or Linux is older than 5.13: ethtool -m NETDEV may have it"
}

@test "cables: why a link is down" {
	with_answers down
	try --root "$snapshot" cables mlx5_0 -o link_up,down_reason,down_detail,kind
	expect 3 $'LINK REASON   DETAIL KIND\nno   no-cable -      -' \
		'rdmactl cables: mlx5_0/1: cannot read module: Input/output error
  the driver cannot reach a module: check how it is plugged in; dmesg may say more'
}

@test "cables: a question that the snapshot was not asked is reported" {
	with_answers optical
	sed -i '/^ask 16 28 /,$d' "$snapshot/netlink/answers"
	try --root "$snapshot" cables mlx5_0 -o kind
	expect 3 $'KIND\n-' "rdmactl cables: mlx5_0/1: cannot read module: No data available
  $hint"
}
