#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The command line of cc as far as it can be tested without an InfiniBand port; the simulator and
# the tests of its field tables cover the rest.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

attributes='info key log switch ports ca table time classportinfo'

@test "cc: --help names the attributes, and their columns" {
	local word

	try cc --help
	expect 0
	for word in $attributes; do
		grep -q -e "[ ]$word " <<<"$output" || wrong "$word"
	done
	for word in $attributes; do
		quickly try cc "$word" --help
		expect 0 || wrong "$word"
		grep -q '^  [* ] object ' <<<"$output" || wrong "$word has no object"
	done
	nothing_wrong
}

@test "cc: reports cannot be set, tables can" {
	local word

	for word in info log time; do
		quickly try cc $word 5 --set threshold=1
		expect 2 || wrong "$word"
	done
	for word in key switch ports ca table; do
		try cc $word --help
		grep -q -e ' --set ' <<<"$output" || wrong "$word has no --set"
	done
	nothing_wrong
}

@test "cc: wrong usage" {
	try cc tabel 5
	expect_error 2 cc "unknown attribute 'tabel'" "did you mean 'table'?"
	try cc
	expect_error 2 cc 'too few words: it takes ATTRIBUTE [DEST [ENTRY...]]' 'rdmactl cc --help'
	try cc ca 5 --yes
	expect_error 2 cc '--yes needs --set' 'rdmactl cc ca --help'
	try cc table 5 --all --set cct_shift=1
	expect_error 2 cc '--all cannot be used with --set' 'rdmactl cc table --help'
	try cc ca -o ccti_tmer
	expect_error 2 cc "unknown column 'ccti_tmer'" "did you mean 'ccti_timer'?"
}

@test "cc: no device, and a saved tree" {
	local word

	if [ ! -e /sys/class/infiniband ]; then
		for word in $attributes; do
			try cc "$word" 5 --json
			expect 5 || wrong "$word"
		done
	fi
	on cx7-ib-ndr cc info
	expect_error 2 cc 'a saved tree answers no management datagrams' \
		'run it on the live system, without --root or RDMACTL_ROOT'
	nothing_wrong
}

@test "cc: completion knows attributes, and fields to set" {
	try __complete -- cc ''
	for word in $attributes; do
		grep -q "^$word"$'\t' <<<"$output" || wrong "$word"
	done
	try __complete -- cc ca 5 0 --set ccti_
	grep -q '^ccti_timer=' <<<"$output" || wrong 'fields of ca'
	nothing_wrong
}
