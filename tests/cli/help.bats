#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# known [COMMAND]: its long options and the keys of its columns, as completion knows them.
known()
{
	quickly try __complete -- "$@" --
	first_cells
	read -ra options <<<"$output"
	quickly try __complete -- "$@" -o ''
	first_cells
	output=" $output "
	read -ra columns <<<"${output/ all / }"
}

# is_text WHAT: no line of the last output ends with blanks, and no text is missing.
is_text()
{
	[[ $output == Usage:* ]] || wrong "$1: $output"
	[[ ! $output$'\n' =~ [[:blank:]]$'\n' ]] ||
		wrong "$1: blanks at the end: $(grep -n '[[:blank:]]$' <<<"$output")"
	[[ $output != *'(null)'* ]] || wrong "$1: $(grep -Fn '(null)' <<<"$output")"
}

@test "help: the overview names every command and every global option" {
	local options columns

	known
	[ ${#options[@]} -ge 12 ] || wrong 'few options'
	try help
	expect 0
	[ "$stderr" = '' ]
	# shellcheck disable=SC2086 # words
	help_has '  @ +[a-z]' $commands
	help_has ' +(-[a-zA-Z], )?@ ' "${options[@]}"
	is_text help
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

@test "help: every command's help, requested in three ways, without blanks at line ends" {
	local command wanted

	for command in $commands; do
		quickly try help "$command"
		expect 0 || wrong "$command"
		[ -z "$stderr" ] || wrong "$command: $stderr"
		is_text "help $command"
		[[ $output == "Usage: rdmactl $command"* ]] || wrong "$command: ${output%%$'\n'*}"
		wanted=$output
		quickly try "$command" --help
		[ "$output" = "$wanted" ] || wrong "$command --help"
		quickly try "$command" -h --root "$BATS_TEST_TMPDIR/none" too many words
		[ "$output" = "$wanted" ] || wrong "$command -h with words"
		[ "$status" = 0 ] || wrong "$command -h: exit status $status"
	done
	nothing_wrong
}

@test "help: a command's help names every option and every column" {
	local command options columns

	for command in $commands; do
		known "$command"
		quickly try help "$command"
		help_has ' +(-[a-zA-Z], )?@ ' "${options[@]}"
		help_has '  [* ] @ +[^ ]' "${columns[@]}"
		case $command in
		devices | ports | gids | pkeys | netdevs | caps | counters | resources | top | metrics | events | cables | doctor | topo | snapshot | diff | selftest | perf | ping | roce | sriov | ipoib | fabric) [ ${#columns[@]} -gt 5 ] || wrong "$command has ${#columns[@]} columns" ;;
		schema | version | sysstat | compat | link | dev | system | change) [ ${#columns[@]} -ge 3 ] || wrong "$command has ${#columns[@]} columns" ;;
		*) [ ${#columns[@]} = 0 ] || wrong "$command has ${#columns[@]} columns" ;;
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

# shown_is OPTION COMMAND...: the table of that run has exactly the columns that its help lists.
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

@test "help: an option shows exactly the columns that help lists for it" {
	shown_is --errors counters --errors mlx5_0
	shown_is --drops counters --drops mlx5_0
	shown_is --list-tests selftest --list-tests
	nothing_wrong
}

@test "help: every column of the JSON Schema is in the help" {
	local command keys count=0

	for command in $listings caps version; do
		quickly try help "$command"
		keys=$("$binary" schema "$command" |
			jq -r '.properties | to_entries[] | select(.value.items.properties and .key != "problems") | .value.items.properties | keys[]')
		count=$((count + $(wc -w <<<"$keys")))
		# shellcheck disable=SC2086 # words
		help_has '  [* ] @ +[^ ]' $keys
	done
	[ $count -gt 150 ] || wrong "$count keys"
	nothing_wrong
}

@test "help: --timeout is of a request where commands send some, and of the run elsewhere" {
	local command said='  --timeout is that of a request here, not of the whole run.'

	for command in cc fabric 'fabric check' 'mad classes' 'mad send' 'mad vendor' perf ping sa smp 'smp portinfo' sysstat; do
		# shellcheck disable=SC2086 # the words of the command
		try $command --help
		[[ $output == *$'\n'"$said"$'\n'* ]] || wrong "$command"
	done
	for command in doctor ports mesh mad 'mad decode'; do
		# shellcheck disable=SC2086 # the words of the command
		try $command --help
		[[ $output != *"$said"* ]] || wrong "$command"
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
	expect_error 2 help "unknown command 'port'" "did you mean 'ports' or 'fabric port'?"
}
