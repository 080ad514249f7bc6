#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The differences between two saved machines, as trees and as archives. A guest compares netlink and
# verbs answers, which a machine has besides its files.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

setup()
{
	before=$BATS_TEST_TMPDIR/before
	after=$BATS_TEST_TMPDIR/after
	cp -dR "$roots/cx6dx-roce" "$before"
	cp -dR "$roots/cx6dx-roce" "$after"
	class=sys/class/infiniband
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir "$TMPDIR"
}

# Replaces a file of the later machine.
put()
{
	rm -f "$after/$1"
	printf '%s\n' "$2" >"$after/$1"
}

@test "diff: the same machine twice" {
	try diff "$before" "$after"
	expect 0 '' ''
	try diff "$before" "$after" --json
	[ "$status" = 0 ]
	jq -e '.schema == "rdmactl/diff/1" and .diff == [] and .problems == []' <<<"$output"
}

@test "diff: the members of a bond are told apart" {
	before=$roots/roce-bond-vlan
	try diff "$before" "$before"
	expect 0 '' ''
}

@test "diff: firmware, state, a GID; an archive is the same as its tree" {
	put "$class/mlx5_0/fw_ver" 22.39.2048
	put "$class/mlx5_1/ports/1/state" '4: ACTIVE'
	put "$class/mlx5_0/ports/1/gids/9" 0000:0000:0000:0000:0000:0000:0000:0000
	try diff "$before" "$after" --tsv --no-headings
	[ "$status" = 4 ]
	[ -z "$stderr" ]
	grep -qx $'devices\tmlx5_0\tchanged\tfirmware\t22.38.1002\t22.39.2048' <<<"$output"
	grep -qx $'ports\tmlx5_1/1\tchanged\tstate\tdown\tactive' <<<"$output"
	grep -qx $'gids\tmlx5_0/1/9\tgone\t\t\t' <<<"$output"
	[ "$(grep -c ^devices <<<"$output")" = 1 ]
	local trees=$output
	"$binary" snapshot --root "$before" "$BATS_TEST_TMPDIR/before.tar.zst" >/dev/null
	"$binary" snapshot --root "$after" "$BATS_TEST_TMPDIR/after.tar" >/dev/null
	try diff "$BATS_TEST_TMPDIR/before.tar.zst" "$BATS_TEST_TMPDIR/after.tar" --tsv --no-headings
	[ "$status" = 4 ]
	[ "$output" = "$trees" ]
	# Nothing that was unpacked is left behind.
	[ -z "$(ls -A "$TMPDIR")" ]
}

@test "diff: swapped names are renames" {
	local one two
	one=$(readlink "$after/$class/mlx5_0")
	two=$(readlink "$after/$class/mlx5_1")
	mv "$after/sys/class/infiniband/$one" "$after/sys/class/infiniband/${one%mlx5_0}mlx5_1"
	mv "$after/sys/class/infiniband/$two" "$after/sys/class/infiniband/${two%mlx5_1}mlx5_0"
	ln -sfn "${one%mlx5_0}mlx5_1" "$after/$class/mlx5_1"
	ln -sfn "${two%mlx5_1}mlx5_0" "$after/$class/mlx5_0"
	try diff "$before" "$after" --json
	[ "$status" = 4 ]
	jq -e '[.diff[] | select(.kind == "devices") | .change, .before, .after] ==
		["renamed", "mlx5_0", "mlx5_1", "renamed", "mlx5_1", "mlx5_0"]' <<<"$output"
	# Everything that belongs to them is the same.
	jq -e '[.diff[] | select(.kind == "ports" or .kind == "gids" or .kind == "sriov")] == []' \
		<<<"$output"
}

@test "diff: a device that is gone is one row" {
	rm "$after/$class/mlx5_2"
	try diff "$before" "$after" --json
	[ "$status" = 4 ]
	jq -e '[.diff[] | select(.object | startswith("mlx5_2")) | .kind, .change] ==
		["devices", "gone"]' <<<"$output"
	try diff "$after" "$before" --json
	jq -e '[.diff[] | select(.object | startswith("mlx5_2")) | .kind, .change] ==
		["devices", "new"]' <<<"$output"
}

@test "diff: a fact that one side does not know is reported, and is not a difference" {
	rm "$after/$class/mlx5_0/fw_ver"
	ln -s '!EACCES' "$after/$class/mlx5_0/fw_ver"
	try diff "$before" "$after"
	[ "$status" = 3 ]
	[ -z "$output" ]
	[[ $stderr == *"$after: firmware is not known there, for 1 of the devices"* ]]
	try diff "$after" "$before" --json
	[ "$status" = 3 ]
	jq -e '.diff == [] and (.problems | length) >= 1' <<<"$output"
	# A difference takes precedence over it.
	put "$class/mlx5_1/fw_ver" 1.2.3
	try diff "$before" "$after"
	[ "$status" = 4 ]
}

@test "diff: modules and their parameters" {
	mkdir -p "$before/sys/module/mlx5_core/parameters" "$after/sys/module/mlx5_core/parameters"
	printf 'live\n' | tee "$before/sys/module/mlx5_core/initstate" >"$after/sys/module/mlx5_core/initstate"
	printf '1\n' >"$before/sys/module/mlx5_core/parameters/prof_sel"
	printf '2\n' >"$after/sys/module/mlx5_core/parameters/prof_sel"
	mkdir -p "$after/sys/module/ib_umad_test" "$after/sys/module/loop"
	printf 'live\n' | tee "$after/sys/module/ib_umad_test/initstate" >"$after/sys/module/loop/initstate"
	try diff "$before" "$after" --tsv --no-headings
	[ "$status" = 4 ]
	grep -q $'^modules\tmlx5_core\tchanged\tparameters\t.*prof_sel=1.*\t.*prof_sel=2' <<<"$output"
	grep -qx $'modules\tib_umad_test\tnew\t\t\t' <<<"$output"
	# Modules that have nothing to do with RDMA do not count.
	run ! grep -q loop <<<"$output"
}

@test "diff: hostile text is printed as harmless text" {
	put "$class/mlx5_0/fw_ver" $'1\033[31m\t2'
	try diff "$before" "$after"
	[ "$status" = 4 ]
	run ! grep -q $'\033' <<<"$output$stderr"
}

@test "diff: arguments that cannot be compared" {
	try diff "$before" "$BATS_TEST_TMPDIR/nosuch"
	expect 1 '' "rdmactl diff: cannot read $BATS_TEST_TMPDIR/nosuch: No such file or directory"
	printf 'no archive\n' >"$BATS_TEST_TMPDIR/text"
	try diff "$before" "$BATS_TEST_TMPDIR/text"
	[ "$status" = 1 ]
	[[ $stderr == "rdmactl diff: $BATS_TEST_TMPDIR/text "* ]]
	try diff "$before" "$BATS_TEST_TMPDIR/text" --json
	[ "$status" = 1 ]
	jq -e '.diff == [] and (.problems | length) == 1' <<<"$output"
	try diff
	[ "$status" = 2 ]
	try diff a b c
	[ "$status" = 2 ]
	try --root "$before" diff "$after"
	expect_error 2 diff 'it takes snapshots as arguments, not from --root or RDMACTL_ROOT' \
		'without --root and RDMACTL_ROOT, rdmactl diff BEFORE AFTER compares two of them'
}

# Recorded answers, as in an archive, next to the later machine as its root.
@test "diff: damaged recordings are refused, by every command" {
	local snapshot=$BATS_TEST_TMPDIR/snapshot head='rdmactl-recording/1 little 64'

	mkdir -p "$snapshot/netlink" "$snapshot/verbs"
	mv "$after" "$snapshot/root"
	printf '{}\n' >"$snapshot/manifest.json"
	printf '%s\nask 20 1 1 -\nend\nask 20 1 1 0\nend\n' "$head" >"$snapshot/netlink/answers"
	printf '%s\n' "$head" >"$snapshot/verbs/answers"
	try --root "$snapshot" ports
	expect 1 '' "rdmactl ports: $snapshot: netlink/answers: the recording is damaged at line 4"
	try diff "$before" "$snapshot"
	expect 1 '' "rdmactl diff: $snapshot: netlink/answers: the recording is damaged at line 4"
	printf '%s\n' "${head/little/middle}" >"$snapshot/netlink/answers"
	try --root "$snapshot" devices --json
	[ "$status" = 1 ]
	jq -e '.problems[0] | (.error | endswith("of a host with another kind of processor")) and
		(.hint | startswith("read it on a host with the same byte order; only i386 "))' <<<"$output"
	# A question without a recorded answer is reported, and the files still answer.
	printf '%s\n' "$head" >"$snapshot/netlink/answers"
	try --root "$snapshot" devices -o device --no-headings
	expect 0 $'mlx5_0\nmlx5_1\nmlx5_2' ''
	try --root "$snapshot" resources qp
	[ "$status" != 0 ]
	try --root "$snapshot" ports
	[ "$status" = 3 ]
}

# A snapshot answers what these commands ask; scene snapshot of the guest compares all their
# answers.
@test "diff: each listing command is run for a snapshot" {
	local command

	for command in $commands; do
		case $command in
		# The other commands send something, watch, change, or need nothing from the host.
		top | events | snapshot | diff | selftest | mesh | smp | perf | cc | sa | mad | ping | sysstat | fabric | change | completion | compat | schema | help) continue ;;
		esac
		grep -q "{\"$command\"[,}]" "$top/lib/snapshot/record.c" || wrong "$command"
	done
	nothing_wrong
}
