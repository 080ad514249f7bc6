#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Absent is not empty, and not asked for is not a failure.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# ABSENCES=all makes all runs instead of a sample.
@test "absences: no value of a damaged machine is lost silently" {
	local sample=(--count 150)

	[ "${ABSENCES:-}" != all ] || sample=(--all)
	RDMACTL=$binary ROOTS=$roots "$top/tests/cli/absences" "${sample[@]}"
}

@test "absences: one line a device where one cause hides many values; -v lists them" {
	on exporter-partial devices
	[ "$status" = 3 ]
	[ "$(grep -c 'cannot read' <<<"$stderr")" = 3 ]
	grep -q 'mlx5_1: cannot read [0-9]* values (node_type' <<<"$stderr"
	on exporter-partial devices -v
	grep -q 'mlx5_1: cannot read node_guid: No such file or directory' <<<"$stderr"
	on exporter-partial devices -o device,firmware
	expect 0
	[ -z "$stderr" ]
}

@test "absences: a copy that followed the links" {
	cells links-followed devices device,driver,pci_address,pci_vendor_id,uverbs,umads,issms
	expect 0 'mlx5_0 mlx5_core 0000:86:00.0 0x15b3 uverbs0 umad0 issm0' ''
}

@test "absences: adapters without an RDMA device" {
	on no-driver devices
	expect 5 '' 'rdmactl devices: 0000:5e:00.0: no driver is bound to this RDMA adapter
  load mlx5_core and mlx5_ib
rdmactl devices: 0000:af:00.0: bound to mlx5_core, whose RDMA module mlx5_ib is not loaded
  load mlx5_ib
rdmactl devices: no sys/class/infiniband in the saved tree'
}

@test "absences: gather leaves out what would lead out of the tree, and says so" {
	local tree=$BATS_TEST_TMPDIR/tree

	mkdir -p "$tree/sys/class/infiniband"
	ln -s /elsewhere/mlx5_0 "$tree/sys/class/infiniband/mlx5_0"
	status=0
	"$top/tests/gather" "$tree" >"$BATS_TEST_TMPDIR/text" 2>"$BATS_TEST_TMPDIR/err" || status=$?
	[ "$status" = 3 ]
	grep -q 'mlx5_0: left out' "$BATS_TEST_TMPDIR/err"
	"$top/tests/mkroot" "$BATS_TEST_TMPDIR/text" "$BATS_TEST_TMPDIR/again"
}
