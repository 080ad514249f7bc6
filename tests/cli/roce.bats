#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Whether RoCE is lossless, as far as files show it, and the arguments of roce set. Guests test the
# settings of netdevs and the kernel's answers to them.

# shellcheck source=doctor.bash
source "$BATS_TEST_DIRNAME/doctor.bash"

rdma=sys/class/infiniband
net=sys/class/net
configfs=sys/kernel/config/rdma_cm

# ports FILTER [OPTION...]: the output of a jq filter for each port of the tree, one per line.
ports()
{
	try roce --root "$tree" --json "${@:2}"
	jq -r ".roce[] | $1" <<<"$output"
}

# ecn NETDEV POINT [PRIORITY...]: turns it on for these priorities only.
ecn()
{
	local priority

	for priority in 0 1 2 3 4 5 6 7; do
		put "$net/$1/ecn/$2/enable/$priority" 0
	done
	for priority in "${@:3}"; do
		put "$net/$1/ecn/$2/enable/$priority" 1
	done
}

no_answers='rdmactl roce: cannot read data center bridging: a saved tree does not hold what netlink answers
  rdmactl snapshot keeps what the kernel answers'

@test "roce: a saved machine, as a table and port by port" {
	on cx6dx-roce roce
	expect 3 'DEVICE PORT NETDEV        TRUST DSCP PRIO CLASS PFC ECN PAUSE  MTU LOSSLESS BREAKS AT
mlx5_0    1 ens1f0np0     -        0    -     - -   -   -     9000 -        trust
mlx5_1    1 ens1f1np1     -        0    -     - -   -   -     1500 -        trust
mlx5_2    1 enp101s0f0s88 -        0    -     - -   -   -     1500 -        trust' "$no_answers"
	on cx6dx-roce roce mlx5_0/1
	expect 3
	shows 'reason +what the port trusts is not known: a saved tree does not hold it'
	shows 'STEP     VALUE   VERDICT TEXT'
	shows 'tos      0       unknown the default TOS of rdma_cm cannot be seen'
	run ! shows 'device +mlx5_1'
	# -v shows everything for all ports, -o the requested columns.
	on cx6dx-roce roce -v
	[ "$(grep -c '^device' <<<"$output")" = 3 ]
	on cx6dx-roce roce mlx5_0/1 -o netdev,lossless --tsv --no-headings
	expect 3 $'ens1f0np0\t' "$no_answers"
}

@test "roce: the TOS comes from the user, the driver, rdma_cm, or nowhere" {
	copy cx6dx-roce
	[ "$(ports '"\(.default_tos) \(.tos) \(.tos_source) \(.dscp)"' mlx5_0)" = 'null 0 assumed 0' ]
	put $configfs/mlx5_0/ports/1/default_roce_tos 106
	put $configfs/mlx5_0/ports/1/default_roce_mode 'RoCE v2'
	[ "$(ports '"\(.default_mode) \(.default_tos) \(.tos) \(.tos_source) \(.dscp)"' mlx5_0)" = 'roce-v2 106 106 configured 26' ]
	put $rdma/mlx5_0/tc/1/traffic_class 'Global tclass=184'
	[ "$(ports '"\(.default_tos) \(.global_tos) \(.tos) \(.tos_source) \(.dscp)"' mlx5_0)" = '106 184 184 global 46' ]
	[ "$(ports '"\(.tos) \(.tos_source) \(.dscp)"' mlx5_0 --dscp cs3)" = '98 asked 24' ]
	[ "$(ports '"\(.tos) \(.tos_source) \(.dscp)"' mlx5_0 --tos 0x6a)" = '106 asked 26' ]
	# The same on a tree written by an attacker.
	put $configfs/mlx5_0/ports/1/default_roce_tos $'999\e[2J'
	put $configfs/mlx5_0/ports/1/default_roce_mode $'RoCE v3\e[2J'
	put $rdma/mlx5_0/tc/1/traffic_class 'Global tclass=-1'
	try roce --root "$tree" mlx5_0 --json
	[ "$status" = 3 ]
	jq -e '.roce[0] | .default_mode == null and .default_tos == null and .global_tos == null and .tos_source == "assumed"' <<<"$output"
	jq -e '[.problems[].attribute] | sort == ["data center bridging", "default_roce_mode", "default_roce_tos"]' \
		<<<"$output"
	[[ $output$stderr != *$'\e'* ]]
	put $configfs/mlx5_0/ports/1/default_roce_tos '!EIO'
	put $configfs/mlx5_0/ports/1/default_roce_mode 'RoCE v2'
	try roce --root "$tree" mlx5_0 --json
	[ "$status" = 3 ]
	jq -e '.roce[0].default_tos == null and (.problems | length) == 2' <<<"$output"
}

@test "roce: steps that files show" {
	copy cx6dx-roce
	put $configfs/mlx5_0/ports/1/default_roce_tos 106
	put $configfs/mlx5_0/ports/1/default_roce_mode 'IB/RoCE v1'
	[ "$(ports '"\(.lossless) \(.breaks_at) \(.next_step)"' mlx5_0)" = 'false dscp rdmactl roce set mlx5_0/1 default-mode roce-v2' ]
	put $configfs/mlx5_0/ports/1/default_roce_mode 'RoCE v2'
	put $net/ens1f0np0/qos/trust pcp
	[ "$(ports '"\(.trust) \(.lossless) \(.breaks_at)"' mlx5_0)" = 'pcp false trust' ]
	put $net/ens1f0np0/qos/trust dscp
	[ "$(ports '"\(.trust) \(.lossless) \(.breaks_at)"' mlx5_0)" = 'dscp null priority' ]
	put $net/ens1f0np0/mtu 300
	[ "$(ports '"\(.netdev_mtu_bytes) \(.rdma_mtu_bytes) \(.lossless) \(.breaks_at)"' mlx5_0)" = '300 0 false mtu' ]
	ecn ens1f0np0 roce_rp 3
	ecn ens1f0np0 roce_np 3 4
	put $net/ens1f0np0/ecn/roce_np/cnp_dscp 48
	[ "$(ports '"\(.ecn_send)/\(.ecn_receive)/\(.cnp_dscp)"' mlx5_0)" = '3/3, 4/48' ]
	put $net/ens1f0np0/ecn/roce_rp/enable/3 '!EIO'
	try roce --root "$tree" mlx5_0 --json
	[ "$status" = 3 ]
	jq -e '.roce[0].ecn_send == null' <<<"$output"
	# debugfs of the kernel's own driver, which only root may read
	copy roce-bond-vlan
	put sys/kernel/debug/mlx5/0000:c1:00.0/cc_params/np_cnp_dscp 48
	put sys/kernel/debug/mlx5/0000:c1:00.0/cc_params/np_cnp_prio 6
	[ "$(ports '"\(.netdev) \(.bond) \(.cnp_dscp) \(.cnp_priority)"' | head -n 1)" = 'enp193s0f0np0 bond0 48 6' ]
	# EPERM: lockdown denies access.
	for error in EACCES EPERM; do
		put sys/kernel/debug/mlx5/0000:c1:00.0/cc_params/np_cnp_dscp "!$error"
		try roce --root "$tree" --json
		[ "$status" = 3 ]
		jq -e '.roce[0].cnp_dscp == null and [.problems[].attribute] == ["data center bridging"]' <<<"$output"
	done
}

# unread TREE PATH OBJECT ATTRIBUTE: the file cannot be read, and that is told.
unread()
{
	copy "$1"
	put "$2" '!EIO'
	try roce --root "$tree" --json
	jq -e --arg object "$3" --arg attribute "$4" \
		'[.problems[] | [.object, .attribute]] | index([[$object, $attribute]])' <<<"$output"
}

@test "roce: what cannot be read is a problem" {
	local member

	unread cx6dx-roce $rdma/mlx5_0/tc/1/traffic_class mlx5_0/1 global_tos
	# It would override the default.
	put $configfs/mlx5_0/ports/1/default_roce_tos 106
	try roce --root "$tree" mlx5_0
	shows 'tos +106 +unknown the traffic class that the driver gives every queue pair of the port cannot be read: Input/output error'
	try roce --root "$tree" mlx5_0 --tos 106
	shows 'tos +106 +ok '
	unread cx6dx-roce $net/ens1f0np0/qos/trust ens1f0np0 trust
	unread cx6dx-roce $net/ens1f0np0/mtu ens1f0np0 mtu_bytes
	[ "$(jq '[.problems[] | select(.attribute == "mtu_bytes")] | length' <<<"$output")" = 1 ]
	for member in enp193s0f0np0 enp193s0f1np1; do
		unread roce-bond-vlan $net/$member/mtu $member mtu_bytes
	done
	# A VF may have no cnp_dscp to tell.
	copy cx6dx-roce
	ecn ens1f0np0 roce_rp 3
	ecn ens1f0np0 roce_np 3
	put $net/ens1f0np0/ecn/roce_np/cnp_dscp '!EINVAL'
	try roce --root "$tree" --json
	jq -e '.roce[0].ecn_send == "3" and [.problems[].attribute] == ["data center bridging"]' <<<"$output"
}

@test "roce: each member of a bond, and no ports without RoCE" {
	copy roce-bond-vlan
	[ "$(ports '"\(.device)/\(.port) \(.netdev) \(.bond)"')" = 'mlx5_bond_0/1 enp193s0f0np0 bond0
mlx5_bond_0/1 enp193s0f1np1 bond0' ]
	on cx5-ib-edr roce
	expect_error 5 roce 'no port speaks RoCE' 'rdmactl ports lists the ports and their link layers'
	on no-rdma roce
	[ "$status" = 5 ]
	# A port in another network namespace has no netdev here.
	copy netns
	[ "$(ports 'select(.device == "mlx5_1") | "\(.netdev) \(.lossless) \(.breaks_at)"')" = 'null null trust' ]
	# Without a netdev, nothing is asked about it.
	on netns roce mlx5_1
	expect 0
}

@test "roce: wrong arguments" {
	on cx6dx-roce roce --tos 256
	expect_error 2 roce "'256' is not a TOS" 'a TOS is a number from 0 to 255: 106, 0x6a'
	on cx6dx-roce roce --dscp AF5
	expect_error 2 roce "'AF5' is not a DSCP" 'a DSCP is a number from 0 to 63, or a name: CS0 to CS7, AF11 to AF43, EF, VOICE-ADMIT, LE'
	on cx6dx-roce roce --dscp AF31 --tos 3
	[ "$status" = 2 ]
	on cx6dx-roce roce mlx5_9
	[ "$status" = 5 ]
	try roce set
	[ "$status" = 2 ]
	try roce set eth0
	expect_error 2 roce 'no setting is given' 'rdmactl roce set --help lists the settings'
	try roce set eth0 pfx 3
	expect_error 2 roce "unknown setting 'pfx'" "did you mean 'pfc'?"
	try roce set eth0 default-tos
	expect_error 2 roce "'default-tos' needs a value: N" "default TOS of rdma_cm's connections: 0 to 255"
	try roce set eth0 --dscp 26
	expect_error 2 roce '--dscp needs --profile' 'without a profile, name the settings: rdmactl roce set --help'
	try roce set eth0 --profile best
	[ "$status" = 2 ]
	try roce set lo --profile lossless --dscp 64
	expect 2 ''
	try roce set no-such-netdev pfc 3
	expect 5 ''
	[[ $stderr == *"'no-such-netdev' is neither an RDMA device or port nor a netdev"* ]]
	try roce set lo ecn 3,9
	expect 2 ''
	try roce set lo cnp-dscp 64
	expect 2 ''
	try roce set --root "$roots/cx6dx-roce" mlx5_0 default-tos 3
	expect 2 ''
	[[ $stderr == *'a saved tree cannot be changed'* ]]
}

@test "roce set: a netdev that supports none of it" {
	try roce set lo default-tos 3
	expect_error 5 roce "'lo' is not the netdev of a RoCE port" 'rdmactl netdevs lists the ports and their netdevs'
	try roce set lo ecn 3 --json
	[ "$status" = 1 ]
	jq -e '.changed == false and .change[0].state == "failed" and .change[0].wanted == "3"' <<<"$output"
	[[ $stderr == *'this driver has no file for it'* ]]
	try roce set lo ecn 4,3/3 --json
	jq -e '.change[0].wanted == "3,4/3"' <<<"$output"
	try roce set lo cnp-dscp cs6 --json
	jq -e '.change[0].wanted == "48"' <<<"$output"
}

# on_tree WORD...: roce set, on a live system whose /sys is that of the tree.
on_tree()
{
	status=0
	# shellcheck disable=SC2016 # for the shell in the namespace to expand
	ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 unshare -rm sh -c 'mount --bind "$0" /sys && exec "$@"' "$tree/sys" \
		"$binary" roce set "$@" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
	take "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err"
}

# enabled POINT: the contents of the files for priorities 0 to 7.
enabled()
{
	cat "$tree/$net/lo/ecn/$1"/enable/[0-7] | tr -d '\n'
}

@test "roce set: congestion control of NVIDIA's own driver, priority by priority" {
	copy no-rdma
	# shellcheck disable=SC2016 # for the shell in the namespace to expand
	unshare -rm sh -c 'mount --bind "$0" /sys' "$tree/sys" || skip 'no user namespaces, or no mounts in them'
	ecn lo roce_rp 3
	ecn lo roce_np
	put $net/lo/ecn/roce_np/cnp_dscp 48
	touch -d @1000000 "$tree/$net/lo/ecn/roce_rp/enable"/{2,3}
	on_tree lo ecn 3,4/0,7 --json
	[ "$status" = 0 ]
	jq -e '.changed and (.change[0] | .state == "changed" and .before == "3/none" and .after == "3,4/0,7"
		and .undo == "rdmactl roce set lo ecn 3/none")' <<<"$output"
	[ "$(enabled roce_rp)" = 00011000 ]
	[ "$(enabled roce_np)" = 10000001 ]
	# Values that are already right are not written.
	[ "$(stat -c %Y "$tree/$net/lo/ecn/roce_rp/enable"/{2,3} | sort -u)" = 1000000 ]
	on_tree lo ecn 3,4/0,7 --json
	jq -e '.changed == false and .change[0].state == "unchanged"' <<<"$output"
	on_tree lo ecn 5 cnp-dscp cs7 --json
	[ "$status" = 0 ]
	jq -e '[.change[] | [.setting, .before, .after]] == [["ecn", "3,4/0,7", "5"], ["cnp-dscp", "48", "56"]]' <<<"$output"
	[ "$(enabled roce_rp)$(enabled roce_np)" = 0000010000000100 ]
	[ "$(<"$tree/$net/lo/ecn/roce_np/cnp_dscp")" = 56 ]
	on_tree lo ecn none --json
	[ "$(enabled roce_rp)$(enabled roce_np)" = 0000000000000000 ]
	# Receivers may have one switch for all priorities, which eight files show.
	ln -f "$tree/$net/lo/ecn/roce_np/enable"/{0,1} && for i in {2..7}; do
		ln -f "$tree/$net/lo/ecn/roce_np/enable/"{0,"$i"}
	done
	on_tree lo ecn 3 --json
	[ "$status" = 0 ]
	jq -e '.change[0] | .state == "changed" and .before == "none" and .after == "3/0,1,2,3,4,5,6,7" and
		.notes == ["3 became 3/0,1,2,3,4,5,6,7, the nearest that the adapter has"]' <<<"$output"
	on_tree lo ecn 4/2 --json
	jq -e '.change[0] | .state == "changed" and .after == "4/0,1,2,3,4,5,6,7"' <<<"$output"
	on_tree lo ecn none --json
	[ "$(enabled roce_rp)$(enabled roce_np)" = 0000000000000000 ]
	# A change that fails undoes those before it.
	rm "$tree/$net/lo/ecn/roce_np/cnp_dscp"
	on_tree lo ecn 1 cnp-dscp 3 --json
	[ "$status" = 1 ]
	jq -e '[.change[].state] == ["planned", "failed"]' <<<"$output"
	[ "$(enabled roce_rp)" = 00000000 ]
}
