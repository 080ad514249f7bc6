# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

load lib

@test "selftest: what a crowd of clients can take from a server" {
	"$top/tests/vm/crowd.py" "$binary" "$roots/cx6dx-roce" >"$BATS_TEST_TMPDIR/out" 2>&1 || {
		grep -A9 -v '^ok' "$BATS_TEST_TMPDIR/out"
		return 1
	}
}
