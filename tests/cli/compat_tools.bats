#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Compares the personalities of tools that read sysfs with the tools themselves, on every fixture:
# tests/compat/fixtures. A part is every fifth fixture.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# compare PART: shows the first failures and the accepted differences.
compare()
{
	local all

	mapfile -t all < <(fixtures | awk -v part="$1" 'NR % 5 == part')
	[ ${#all[@]} -gt 2 ]
	status=0
	RDMACTL=$binary ROOTS=$roots "$top/tests/compat/fixtures" "${all[@]}" >"$BATS_TEST_TMPDIR/tap" || status=$?
	if grep -q '^ok .* # skip' "$BATS_TEST_TMPDIR/tap"; then
		skip "$(sed -n 's/.*# skip //p' "$BATS_TEST_TMPDIR/tap")"
	fi
	grep -A 12 '^not ok' "$BATS_TEST_TMPDIR/tap" || :
	grep '^#' "$BATS_TEST_TMPDIR/tap" >&3
	[ "$status" = 0 ]
}

@test "ibstat, ibstatus, show_gids: the same as the tools on the fixtures, first part" {
	compare 1
}

@test "ibstat, ibstatus, show_gids: the same as the tools on the fixtures, second part" {
	compare 2
}

@test "ibstat, ibstatus, show_gids: the same as the tools on the fixtures, third part" {
	compare 3
}

@test "ibstat, ibstatus, show_gids: the same as the tools on the fixtures, fourth part" {
	compare 4
}

@test "ibstat, ibstatus, show_gids: the same as the tools on the fixtures, fifth part" {
	compare 0
}
