# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# For the tests of single checks of the doctor: a machine that the test changes, in $tree.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# copy FIXTURE
copy()
{
	tree=$BATS_TEST_TMPDIR/machine
	rm -rf "$tree"
	cp -a "$roots/$1" "$tree"
}

# put FILE LINE...: writes a file of the tree; put FILE '!EACCES' makes it unreadable.
put()
{
	mkdir -p "$(dirname "$tree/$1")"
	rm -rf "${tree:?}/$1"
	if [[ $2 == !* ]]; then
		ln -s "$2" "$tree/$1"
	else
		printf '%s\n' "${@:2}" >"$tree/$1"
	fi
}

# drop PATH...: files, links and directories that the tree loses.
drop()
{
	local path

	for path; do
		rm -rf "${tree:?}/$path"
	done
}

# check ID [OPTION...]: the results of a check, as "verdict object: summary | evidence -> next step".
check()
{
	quickly try doctor --root "$tree" --only "$1" --json "${@:2}"
	results=$(jq -r --arg id "${1##*,}" '.doctor[] | select(.check == $id)
		| "\(.verdict) \(.object // "-"): \(.summary) | \(.evidence // "")"
		+ (if .next_step then " -> \(.next_step)" else "" end)' <<<"$output")
}

# says STATUS LINE...: the whole result of the check.
says()
{
	[ "$status" = "$1" ] || { echo "status $status, not $1: $output$stderr"; return 1; }
	same result "$(printf '%s\n' "${@:2}")" "$results"
}
