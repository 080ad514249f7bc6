# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# Bats runs this before the first test: the fixtures are unpacked, by one process at a time, those
# only that are newer than what was unpacked.

setup_suite()
{
	local top start

	# A python3 that is a script, and looks for the interpreter, takes longer than most tests. Those
	# that tests/run starts have found it.
	IFS= read -r -N 2 start <"$(command -v python3)"
	if [ "$start" = '#!' ]; then
		PATH=$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))'):$PATH
	fi
	top=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
	export ROOTS=${ROOTS:-$top/build/roots}
	mkdir -p "$ROOTS"
	(
		flock 9
		# Not for what it starts: the lock ends with this shell.
		ROOTS=$(realpath "$ROOTS") && cd "$top" && tests/cli/prepare 9>&-
	) 9>"$ROOTS/.lock"
}
