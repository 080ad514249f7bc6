#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Options of fabric that a subcommand does not take or that clash, and those that need graphviz.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

setup()
{
	whole=$BATS_TEST_DIRNAME/../fuzz/corpus/fabric/whole
}

# refused MESSAGE HINT WORDS...
refused()
{
	quickly try fabric "${@:3}"
	expect_error 2 fabric "$1" "$2" || wrong "${*:3}"
	[ -z "$output" ] || wrong "${*:3}: output"
}

@test "fabric: an option of other subcommands" {
	refused "'scan' does not take --state" 'it is for nodes, switches, hosts, routers, links, ports' \
		--state init
	refused "'nodes' does not take --interval" 'it is for errors, check' nodes --interval 1s
	refused "'links' does not take --down" 'it is for nodes, switches, hosts, routers, ports' \
		links --down
	refused "'check' does not take --format" 'it is for scan' check --format dot
	refused "'tables' does not take --tree" 'it is for scan' tables --tree
	refused "'balance' does not take --name" \
		'it is for nodes, switches, hosts, routers, links, ports, errors' balance --name x
	for word in errors 'route 1 2' tables balance; do
		# shellcheck disable=SC2086 # words
		refused "'${word%% *}' does not take --load" \
			'it is for scan, nodes, switches, hosts, routers, links, ports, check' $word --load "$whole"
	done
	refused '--threshold needs --interval or --since' 'rdmactl fabric check --help' \
		check --threshold 5
	nothing_wrong
}

@test "fabric: --hops 0 is refused" {
	try fabric --hops 0
	expect 2 ''
	[[ "$stderr" = *'is not between 1 and 63'* ]]
}

@test "fabric: the kind of a destination without a destination" {
	refused '--direct needs --from or --switch' 'rdmactl fabric scan --help' -D
	try fabric tables -L
	expect 2 ''
	[[ "$stderr" = *'name a switch, or use --from or --switch'* ]]
	nothing_wrong
}

@test "fabric: options that cannot be used together" {
	local pair

	for pair in '--json --tree' '--columns node --tree' '--tsv --format dot' '--diff x --format dot' \
		'--tree --format dot' '--from 1 --switch 2' '--load x --via a/1' '--load x --hops 1' \
		'--load x --mkey 1'; do
		# shellcheck disable=SC2086 # words
		quickly try fabric scan $pair
		[ "$status" = 2 ] && [[ "$stderr" = *' cannot be used with '* ]] || wrong "$pair"
	done
	refused '--interval cannot be used with --since' 'rdmactl fabric check --help' \
		check --interval 1s --since x
	nothing_wrong
}

@test "fabric: a --name that no node has is an error, not an empty list" {
	try fabric nodes --load "$whole" --name 'H?'
	expect_error 5 fabric "no node has a name like 'H?'" \
		'give the full name, or part of it between asterisks; rdmactl fabric nodes lists them'
}

@test "fabric: a picture" {
	command -v dot >/dev/null || skip 'graphviz is not installed'
	try fabric --load "$whole" --format svg
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	[[ "$output" = *'<svg '*'1 switch, 2 hosts, 2 cables'*'</svg>'* ]]
}

# The kernel keeps no exit status of children if the parent of this process ignored SIGCHLD.
@test "fabric: a picture, started by a parent that ignores SIGCHLD" {
	command -v dot >/dev/null || skip 'graphviz is not installed'
	env --ignore-signal=CHLD "$binary" fabric --load "$whole" --format svg >"$BATS_TEST_TMPDIR/svg"
	grep -q '</svg>' "$BATS_TEST_TMPDIR/svg"
}

@test "fabric: a picture without graphviz" {
	PATH='' try fabric --load "$whole" --format svg
	expect_error 1 fabric 'cannot run dot: No such file or directory' \
		'install graphviz, or use --format dot'
	[ -z "$output" ]
}
