# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# Helpers for tests of single checks of the doctor, on a machine in $tree that the test changes.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# copy FIXTURE: does not keep modes and times of the files; they do not matter, and keeping them
# takes a third longer.
copy()
{
	tree=$BATS_TEST_TMPDIR/machine
	rm -rf "$tree"
	cp -dR "$roots/$1" "$tree"
}

# put FILE LINE...: writes a file of the tree; put FILE '!EACCES' makes it unreadable. Called
# hundreds of times, so it starts a process only if the existing entry cannot simply be overwritten.
put()
{
	local file=$tree/$1

	[ -d "${file%/*}" ] || mkdir -p "${file%/*}"
	[[ -h $file || -d $file || (-e $file && ! -w $file) ]] && rm -rf "$file"
	if [[ $2 == !* ]]; then
		ln -sf "$2" "$file"
	else
		printf '%s\n' "${@:2}" >"$file"
	fi
}

# drop PATH...: removes files, links and directories from the tree.
drop()
{
	rm -rf "${@/#/${tree:?}/}"
}

# The tests ask doctor for all columns, as a table, which the shell reads without another program.
# doctor.bats tests that the documents say the same.
all_columns=verdict,check,object,summary,evidence,sources,expected,actual,ignored,because,needs,next_step
table=(--tsv --no-headings -o "$all_columns")
IFS=, read -ra columns <<<"$all_columns"

# ask ID [OPTION...]: runs checks on the tree, and splits their results into `rows`.
ask()
{
	quickly try doctor --root "$tree" --only "$1" "${table[@]}" "${@:2}"
	split
}

# Rows get a separator other than a tab, because `read` takes several tabs as one.
split()
{
	rows=()
	[ -z "$output" ] || mapfile -t rows <<<"${output%$'\n'}"
	rows=("${rows[@]//$'\t'/$'\x1f'}")
}

# look ROW: sets the variables named like the columns.
look()
{
	IFS=$'\x1f' read -r "${columns[@]}" <<<"$1"
}

# check ID [OPTION...]: the results of a check, as "verdict object: summary | evidence -> next
# step".
check()
{
	local row "${columns[@]}"

	ask "$@"
	results=
	for row in "${rows[@]}"; do
		look "$row"
		# shellcheck disable=SC2154 # look sets them
		[ "$check" != "${1##*,}" ] ||
			results+="${results:+$'\n'}$verdict ${object:--}: $summary | $evidence${next_step:+ -> $next_step}"
	done
}

# says STATUS LINE...: compares the complete results of the check.
says()
{
	local IFS=$'\n'

	[ "$status" = "$1" ] || { echo "status $status, not $1: $output$stderr"; return 1; }
	same result "${*:2}" "$results"
}

# member OBJECT NAME TEXT: compares a column of the results for the object in the last run.
member()
{
	local row got='' "${columns[@]}"

	for row in "${rows[@]}"; do
		look "$row"
		[ "$object" != "$1" ] || got+=${got:+$'\n'}${!2}
	done
	same "$2 of $1" "$3" "$got"
}
