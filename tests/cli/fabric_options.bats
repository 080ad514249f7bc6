#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Options of fabric that are of no use where they stand, and what needs another program.

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

@test "fabric: an option of other words" {
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
			'a saved scan has neither counters nor forwarding tables' $word --load "$whole"
	done
	refused '--threshold is of counters that grow' 'add --interval TIME or --since FILE' \
		check --threshold 5
	nothing_wrong
}

@test "fabric: no hops at all are no scan" {
	try fabric --hops 0
	expect 2 ''
	[[ "$stderr" = *'from 1 to 63'* ]]
}

@test "fabric: what kind a destination is, where none is named" {
	refused '--direct says what kind a destination is, and there is none' \
		'--from DEST and --switch DEST name one' -D
	refused '--lid says what kind a destination is, and there is none' \
		'--from DEST and --switch DEST name one' tables -L
	nothing_wrong
}

@test "fabric: options that exclude each other" {
	local pair

	for pair in '--json --tree' '--columns node --tree' '--tsv --format dot' '--diff x --format dot' \
		'--tree --format dot' '--from 1 --switch 2' '--load x --via a/1' '--load x --hops 1' \
		'--load x --mkey 1'; do
		# shellcheck disable=SC2086 # words
		quickly try fabric scan $pair
		[ "$status" = 2 ] && [[ "$stderr" = *' exclude each other'$'\n'* ]] || wrong "$pair"
	done
	refused '--interval and --since exclude each other' 'rdmactl fabric --help' \
		check --interval 1s --since x
	nothing_wrong
}

@test "fabric: a name that no node has is no empty list" {
	try fabric nodes --load "$whole" --name 'H?'
	expect_error 5 fabric "the name of no node fits 'H?'" \
		'the whole name, or part of it with * before and behind: rdmactl fabric nodes'
}

@test "fabric: a picture" {
	command -v dot >/dev/null || skip 'graphviz is not installed'
	try fabric --load "$whole" --format svg
	[ "$status" = 0 ] && [ -z "$stderr" ]
	[[ "$output" = *'<svg '*'1 switch, 2 hosts, 2 cables'*'</svg>'* ]]
}

# The kernel keeps no exit status of a child where whoever started this ignores SIGCHLD.
@test "fabric: a picture, from a parent that ignores its children" {
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
