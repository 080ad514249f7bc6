#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What lints remember from one run to the next (unless_passed of tests/lint/common.sh).

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# A tree with the lint's helpers, and two files.
setup()
{
	failures=0
	mkdir -p "$BATS_TEST_TMPDIR/tree/tests/lint"
	cd "$BATS_TEST_TMPDIR/tree" || return
	cp "$top"/tests/lint/{common.sh,shell} tests/lint
	echo good >one
	echo good >two
}

# check CONTEXT [COMMAND]: looks at both files, and sets `checked` to those that were looked at, in which
# the word "bad" is a finding. COMMAND runs meanwhile.
check()
{
	: >../log
	status=0
	output=$(meanwhile=${2-} bash -c 'source tests/lint/common.sh
		printf "%s\n" one two | unless_passed build/lint/x 12 "$1" bash -c '\''
			echo "$@" >>../log
			eval "$meanwhile"
			! grep -H bad "$@"'\'' -' - "$1") || status=$?
	checked=$(<../log)
}

@test "lint: a file is checked again when it, or what decides, has changed" {
	check a
	[ "$status $checked $output" = '0 one two ' ]
	check a
	[ "$status $checked $output" = '0  ' ]
	echo better >two
	check a
	[ "$checked" = two ]
	check b
	[ "$checked" = 'one two' ]
	check b
	[ -z "$checked" ]
}

@test "lint: a failure is never remembered, and what passed is" {
	check a
	echo bad >two
	for _ in 1 2; do
		check a
		[ "$checked $output" = 'two two:bad' ]
	done
	echo good >two
	check a
	[ "$checked $output" = 'two ' ]
	check a
	[ -z "$checked" ]
	# Neither is a crash, which the status shows.
	echo other >one
	check a 'exit 139' 2>../errors
	[ "$status" = 1 ]
	grep 'bash ended with status 139' ../errors
	check a
	[ "$checked" = one ]
}

@test "lint: a file that changes while it is checked is checked again" {
	check a 'echo later >>one'
	# Nobody knows whether it was looked at as it was before.
	echo good >one
	check a
	[ "$checked" = one ]
	check a
	[ -z "$checked" ]
}

# shellcheck disable=SC2016 # for the script
@test "lint: scripts are checked again when what they source has changed" {
	command -v shellcheck >/dev/null || skip 'shellcheck is not installed'
	mkdir -p man tests/cli bin
	cp "$BATS_TEST_DIRNAME"/{doctor,lib}.bash tests/cli
	printf '#!/bin/bash\n' >bin/shellcheck
	printf 'echo "$*" >>%q/log\nexec %q "$@"\n' "$BATS_TEST_TMPDIR" "$(command -v shellcheck)" >>bin/shellcheck
	printf '#!/bin/bash\nexit\n' >bin/mandoc
	chmod +x bin/*
	export PATH=$PWD/bin:$PATH
	printf '#!/bin/bash\n# shellcheck source=part\n. ./part\necho "$given"\n' >script
	echo 'given=1' >part
	tests/lint/shell build
	: >../log
	tests/lint/shell build
	[ "$(grep -v -- --version ../log)" = '' ]
	echo 'taken=1' >part
	run tests/lint/shell build
	[ "$status" = 1 ]
	[[ $output = *'script:'*given* ]]
}
