# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# Bats runs this before the first test. One process at a time unpacks the fixtures, but only those
# that are newer than their unpacked copies.

setup_suite()
{
	local top start

	# A python3 that is a script which looks for the interpreter takes longer than most tests. Tests
	# started by tests/run have already found the interpreter.
	IFS= read -r -N 2 start <"$(command -v python3)"
	if [ "$start" = '#!' ]; then
		PATH=$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))'):$PATH
	fi
	top=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
	export ROOTS=${ROOTS:-$top/build/roots}
	mkdir -p "$ROOTS"
	(
		flock 9
		# Processes started here do not inherit the descriptor: the lock ends with this shell.
		ROOTS=$(realpath "$ROOTS") && cd "$top" && tests/cli/prepare 9>&-
	) 9>"$ROOTS/.lock"
}
