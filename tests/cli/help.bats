#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# The long options of a command, as completion has them.
options_of()
{
	"$binary" __complete -- ${1:+"$1"} -- | cut -f 1
}

@test "help: the overview names every command and every global option" {
	local word

	try help
	expect 0
	[ "$stderr" = '' ]
	for word in $commands; do
		shows "  $word +[a-z]" || wrong "$word"
	done
	for word in $(options_of); do
		shows " +(-[a-zA-Z], )?$word " || wrong "$word"
	done
	[ "$(options_of | wc -l)" -ge 12 ] || wrong 'few options'
	! grep -q __ <<<"$output" || wrong 'a hidden command'
	nothing_wrong
}

@test "help: help, --help and -h are the same" {
	local overview word

	overview=$("$binary" help)
	[ -n "$overview" ]
	for word in --help -h '--help devices' '-h frobnicate' '--json --help'; do
		# shellcheck disable=SC2086 # words
		quickly try $word
		case $word in
		*devices) expect 0 "$("$binary" help devices)" '' || wrong "$word" ;;
		*frobnicate) expect 2 '' || wrong "$word" ;;
		*) expect 0 "$overview" '' || wrong "$word" ;;
		esac
	done
	nothing_wrong
}

@test "help: every command's help, requested in three ways" {
	local command

	for command in $commands; do
		quickly try help "$command"
		expect 0 || wrong "$command"
		[ -z "$stderr" ] || wrong "$command: $stderr"
		[[ $output == "Usage: rdmactl $command"* ]] || wrong "$command: ${output%%$'\n'*}"
		mv "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/wanted"
		quickly try "$command" --help
		cmp -s "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/wanted" || wrong "$command --help"
		quickly try "$command" -h --root "$BATS_TEST_TMPDIR/none" too many words
		cmp -s "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/wanted" || wrong "$command -h with words"
		[ "$status" = 0 ] || wrong "$command -h: exit status $status"
	done
	nothing_wrong
}

@test "help: a command's help names every option and every column" {
	local command word count

	for command in $commands; do
		quickly try help "$command"
		for word in $(options_of "$command"); do
			shows " +(-[a-zA-Z], )?$word " || wrong "$command $word"
		done
		count=0
		for word in $(columns_of "$command"); do
			shows "  [* ] $word +[^ ]" || wrong "$command -o $word"
			count=$((count + 1))
		done
		case $command in
		devices | ports | gids | pkeys | netdevs | caps | counters | resources | top | metrics | events | cables | doctor | topo | snapshot | diff | selftest | perf | ping | roce | sriov | ipoib | fabric) [ $count -gt 5 ] || wrong "$command has $count columns" ;;
		schema | version | sysstat | compat | link | dev | system | change) [ $count -ge 3 ] || wrong "$command has $count columns" ;;
		*) [ $count = 0 ] || wrong "$command has $count columns" ;;
		esac
	done
	nothing_wrong
}

@test "help: a command's help marks the default columns" {
	local command

	for command in $listings; do
		quickly on cx5-ib-edr "$command" --tsv
		head -n 1 "$BATS_TEST_TMPDIR/out" | tr '\t' '\n' >"$BATS_TEST_TMPDIR/wanted"
		"$binary" help "$command" | sed -n 's/^  \* \([a-z_0-9]*\) .*/\1/p' |
			diff -u "$BATS_TEST_TMPDIR/wanted" - || wrong "$command"
		[ "$(wc -l <"$BATS_TEST_TMPDIR/wanted")" -gt 5 ] || wrong "$command: few columns"
	done
	nothing_wrong
}

# shown_is OPTION COMMAND...: the table of that run has exactly the columns that its help tells.
shown_is()
{
	local when=$1 told named
	shift

	try "$1" --help
	told=$(sed -n "s/^  Shown with $when: //p" <<<"$output")
	[ -n "$told" ] || wrong "$when: not in the help"
	on cx5-ib-edr "$@" -o "$told"
	named=$output
	on cx5-ib-edr "$@"
	if [ -z "$output" ] || [ "$output" != "$named" ]; then
		wrong "$when: other columns are shown"
	fi
}

@test "help: the columns that an option shows are those that help tells" {
	shown_is --errors counters --errors mlx5_0
	shown_is --drops counters --drops mlx5_0
	shown_is --list-tests selftest --list-tests
	nothing_wrong
}

@test "help: every column of the JSON Schema is in the help" {
	local command key count=0

	for command in $listings caps version; do
		quickly try help "$command"
		for key in $("$binary" schema "$command" |
			jq -r '.properties | to_entries[] | select(.value.items.properties and .key != "problems") | .value.items.properties | keys[]'); do
			count=$((count + 1))
			shows "  [* ] $key +[^ ]" || wrong "$command: $key"
		done
	done
	[ $count -gt 150 ] || wrong "$count keys"
	nothing_wrong
}

@test "help: no line ends with blanks, no text is missing" {
	local command

	for command in '' $commands; do
		# shellcheck disable=SC2086 # a word or none
		quickly try help $command
		expect 0 || wrong "help $command"
		[[ $output == Usage:* ]] || wrong "help $command: $output"
		! grep -n '[[:blank:]]$' <<<"$output" || wrong "help $command: blanks at the end"
		! grep -Fn '(null)' <<<"$output" || wrong "help $command"
	done
	nothing_wrong
}

@test "help: unknown command" {
	try help frobnicate
	expect_error 2 help "unknown command 'frobnicate'" 'rdmactl help lists the commands'
	try help __complete
	expect 2 ''
	try help ''
	expect_error 2 help "unknown command ''" 'rdmactl help lists the commands'
}

@test "help: unknown command with a suggestion" {
	try help port
	expect_error 2 help "unknown command 'port'" "did you mean 'ports'?"
}
