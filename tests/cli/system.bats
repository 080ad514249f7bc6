#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The settings of the RDMA subsystem, and what all changes have in common, on a host without RDMA.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

@test "system: words that are wrong" {
	try system set netns-mod shared
	expect 2 '' "rdmactl system: unknown setting 'netns-mod'
  did you mean 'netns-mode'?"
	try system set netns-mode none
	expect 2 '' "rdmactl system: 'none' is not a value of netns-mode: it takes exclusive, shared
  rdmactl system set --help lists the settings"
}

@test "system: a kernel without RDMA" {
	try system --json
	[ "$status" = 3 ]
	jq -e '.system == [{netns_mode: null, privileged_qkey: null, monitor: null}]' <<<"$output"
	try system set netns-mode shared --dry-run --json
	[ "$status" = 1 ]
	jq -e '.changed == false and .change[0].state == "failed" and .change[0].wanted == "shared"' <<<"$output"
}
