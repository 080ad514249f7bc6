#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The settings of the RDMA subsystem, and features common to all changes, on a host without RDMA.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

@test "system: wrong arguments" {
	try system set netns-mod shared
	expect 2 '' "rdmactl system: unknown setting 'netns-mod'
  did you mean 'netns-mode'?"
	try system set netns-mode none
	expect 2 '' "rdmactl system: 'none' is not a value of netns-mode: it takes exclusive, shared
  rdmactl system set --help lists the settings"
}

@test "system: values of privileged-qkey" {
	try system set privileged-qkey yes
	expect 2 '' "rdmactl system: 'yes' is not a value of privileged-qkey: it takes on, off
  rdmactl system set --help lists the settings"
	try system set copy-on-fork on
	expect 2 '' "rdmactl system: unknown setting 'copy-on-fork'
  the settings are netns-mode, privileged-qkey"
	try system set privileged-qkey on netns-mode shared privileged-qkey off
	expect 2 '' "rdmactl system: 'privileged-qkey' is set twice
  give it once, with one value"
}

@test "system: a kernel without RDMA: no socket is opened, because that would load ib_core" {
	local options

	try system
	expect_error 5 system 'this system has no RDMA core: no /sys/class/infiniband' "$no_core_hint"
	for options in --json '--json --dry-run'; do
		# shellcheck disable=SC2086 # several words
		try system set netns-mode shared $options
		[ "$status" = 5 ]
		jq -e '.changed == false and .change == [] and .problems[0].hint != null' <<<"$output"
	done
}

@test "system: a snapshot has its kernel's answer" {
	with_answers exclusive
	try --root "$snapshot" system --json
	[ "$status" = 0 ]
	jq -e '.system == [{netns_mode: "exclusive", privileged_qkey: null, copy_on_fork: true, monitor: false}]' <<<"$output"
	with_answers shared
	try --root "$snapshot" system -o netns_mode,privileged_qkey --tsv --no-headings
	expect 0 $'shared\tyes' ''
}

@test "system: a snapshot without the answer" {
	with_answers resources
	try --root "$snapshot" system --tsv --no-headings
	expect 3 $'\t\t\t' 'rdmactl system: cannot read settings: No data available'
}
