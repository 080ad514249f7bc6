#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# --timeout of all commands except those that apply it to each request: cmd/main.c.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

@test "timeout: --timeout 0 sets no limit" {
	RDMACTL_ROOT=$roots/efa try devices --timeout 0
	expect 0
}

# This works even if the parent blocked the timer's signal.
@test "timeout: --timeout ends a hanging run" {
	local started=$SECONDS

	# The output is larger than the pipe's buffer, and nobody reads it.
	mkfifo "$BATS_TEST_TMPDIR/pipe"
	# shellcheck disable=SC2217 # it keeps the pipe open
	sleep 300 <"$BATS_TEST_TMPDIR/pipe" 3>&- &
	status=0
	env --block-signal=ALRM "$binary" gids --all -o all --root "$roots/rxe-host" --timeout 300ms >"$BATS_TEST_TMPDIR/pipe" \
		2>"$BATS_TEST_TMPDIR/err" || status=$?
	kill $!
	[ "$status" = 1 ]
	[[ $(<"$BATS_TEST_TMPDIR/err") == 'rdmactl'*': gave up after --timeout' ]]
	[ $((SECONDS - started)) -lt 100 ]
}

# It sends no request, so the time is that of the run.
@test "timeout: mad decode gives up waiting for a file" {
	cd "$BATS_TEST_TMPDIR" || false
	mkfifo pipe
	status=0
	timeout 100 "$binary" mad decode --timeout 300ms pipe 2>err || status=$?
	[ "$status" = 1 ]
	[[ $(<err) == 'rdmactl'*': gave up after --timeout' ]]
}
