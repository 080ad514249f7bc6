# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# For the tests of single checks of the doctor: a machine that the test changes, in $tree.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# copy FIXTURE: modes and times of the files do not matter, and keeping them takes a third longer.
copy()
{
	tree=$BATS_TEST_TMPDIR/machine
	rm -rf "$tree"
	cp -dR "$roots/$1" "$tree"
}

# put FILE LINE...: writes a file of the tree; put FILE '!EACCES' makes it unreadable. It is called
# hundreds of times, and only starts a process if what is there cannot simply be written to.
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

# drop PATH...: files, links and directories that the tree loses.
drop()
{
	rm -rf "${@/#/${tree:?}/}"
}

# What doctor is asked for: all columns, as a table, which the shell reads without another program.
# That the documents say the same is tested in doctor.bats.
all_columns=verdict,check,object,summary,evidence,sources,expected,actual,ignored,because,needs,next_step
table=(--tsv --no-headings -o "$all_columns")
IFS=, read -ra columns <<<"$all_columns"

# ask ID [OPTION...]: runs checks on the tree, and splits what they say into `rows`.
ask()
{
	quickly try doctor --root "$tree" --only "$1" "${table[@]}" "${@:2}"
	split
}

# Rows have another separator than tables, since several tabs are one to `read`.
split()
{
	rows=()
	[ -z "$output" ] || mapfile -t rows <<<"${output%$'\n'}"
	rows=("${rows[@]//$'\t'/$'\x1f'}")
}

# look ROW: sets the variables that are named as the columns.
look()
{
	IFS=$'\x1f' read -r "${columns[@]}" <<<"$1"
}

# check ID [OPTION...]: the results of a check, as "verdict object: summary | evidence -> next step".
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

# says STATUS LINE...: the whole result of the check.
says()
{
	local IFS=$'\n'

	[ "$status" = "$1" ] || { echo "status $status, not $1: $output$stderr"; return 1; }
	same result "${*:2}" "$results"
}

# member OBJECT NAME TEXT: a column of the results on the object, in the last run.
member()
{
	local row got='' "${columns[@]}"

	for row in "${rows[@]}"; do
		look "$row"
		[ "$object" != "$1" ] || got+=${got:+$'\n'}${!2}
	done
	same "$2 of $1" "$3" "$got"
}
