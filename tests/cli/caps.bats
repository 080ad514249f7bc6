#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Capabilities come from verbs alone, so tests/vm checks their values.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

@test "caps: a saved tree has no capabilities" {
	local fixture

	for fixture in $(fixtures); do
		quickly on "$fixture" caps
		expect_error 2 caps 'a saved tree holds no capabilities' 'run it on the live system, or on a snapshot of it: rdmactl snapshot FILE' ||
			wrong "$fixture"
	done
	nothing_wrong
}

@test "caps: the JSON of a saved tree says so" {
	on cx5-ib-edr caps --json mlx5_0
	expect 2 '{"schema": "rdmactl/caps/1",
 "caps": [],
 "problems": [
  {"object": null, "attribute": null, "source": null, "error": "a saved tree holds no capabilities", "hint": "run it on the live system, or on a snapshot of it: rdmactl snapshot FILE"}]}' \
		$'rdmactl caps: a saved tree holds no capabilities\n  run it on the live system, or on a snapshot of it: rdmactl snapshot FILE'
	mkdir "$BATS_TEST_TMPDIR/docs"
	mv "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/docs/root.json"
	mv "$BATS_TEST_TMPDIR/err" "$BATS_TEST_TMPDIR/docs/root.err"
	"$binary" schema caps >"$BATS_TEST_TMPDIR/schema"
	"$top/tests/cli/validate" "$BATS_TEST_TMPDIR/schema" "$BATS_TEST_TMPDIR/docs"
}

@test "caps: --jsonl and --tsv are empty without rows" {
	for format in --jsonl --tsv; do
		on cx5-ib-edr caps $format
		expect_error 2 caps 'a saved tree holds no capabilities' 'run it on the live system, or on a snapshot of it: rdmactl snapshot FILE'
	done
}

@test "caps: takes a device, not a port" {
	try caps mlx5_0/1
	expect_error 2 caps "'mlx5_0/1' is not a device name" 'rdmactl devices lists the names'
}

@test "caps: columns" {
	try caps -o max_q
	expect_error 2 caps "unknown column 'max_q'" "did you mean 'max_qp'?"
	try caps -o nothing_like_it
	expect_error 2 caps "unknown column 'nothing_like_it'" 'rdmactl caps --help lists the columns'
}

@test "caps: on a system without RDMA" {
	no_device
	for words in '' mlx5_0 '--jsonl' '-o max_qp'; do
		# shellcheck disable=SC2086 # words
		try caps $words
		expect_error 5 caps 'this system has no RDMA core: no /sys/class/infiniband' "$no_core_hint"
	done
}
