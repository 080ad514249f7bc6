#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Options of fabric that a subcommand does not take, options that clash, and those that need
# graphviz.

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

@test "fabric: an option that only other subcommands take" {
	refused "'scan' does not take --state" 'it is for nodes, switches, hosts, routers, links, ports' \
		--state init
	refused "'nodes' does not take --interval" 'it is for errors, check' nodes --interval 1s
	refused "'links' does not take --down" 'it is for nodes, switches, hosts, routers, ports' \
		links --down
	refused "'check' does not take --format" 'it is for scan' check --format dot
	refused "'tables' does not take --tree" 'it is for scan' tables --tree
	refused "'balance' does not take --name" \
		'it is for nodes, switches, hosts, routers, links, ports, errors, cables' balance --name x
	refused "'balance' does not take --routes" 'it is for scan' balance --routes
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
	[[ "$stderr" = *'give a switch, or use --from or --switch'* ]]
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
	for pair in '--hops 3' '--from 3' '--via a/1' '--mkey 3'; do
		# shellcheck disable=SC2086 # words
		refused "--load cannot be used with ${pair% *}" 'rdmactl fabric using --help' \
			using 1 --load x $pair
	done
	refused '--load cannot be used with --from' 'rdmactl fabric errors --help' \
		errors --load x --from 1
	refused '--since cannot be used with --clear' 'rdmactl fabric errors --help' \
		errors --clear all --since x
	refused '--sl cannot be used with --sl-from-sa' 'rdmactl fabric errors --help' \
		errors --sl 1 --sl-from-sa
	refused '--interval cannot be used with --since' 'rdmactl fabric check --help' \
		check --interval 1s --since x
	nothing_wrong
}

@test "fabric: a --name that matches no node is an error, not an empty list" {
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

# with_dot FILE WORD...: runs the program with FILE as /usr/bin/dot.
with_dot()
{
	# shellcheck disable=SC2016 # the inner shell expands it
	unshare -rm sh -c 'mount --bind "$0" /usr/bin/dot' "$1" || skip 'no user namespaces, or no mounts in them'
	status=0
	# shellcheck disable=SC2016 # the inner shell expands these
	unshare -rm sh -c 'mount --bind "$0" /usr/bin/dot && exec "$@"' "$@" \
		>"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
	take "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err"
	tried=$*
}

@test "fabric: a picture without graphviz" {
	[ -e /usr/bin/dot ] || skip 'graphviz is not installed'
	with_dot /dev/null "$binary" fabric --load "$whole" --format svg
	expect_error 1 fabric 'cannot run dot: No such file or directory' \
		'install graphviz, or use --format dot'
	[ -z "$output" ]
}

@test "fabric: a dot in PATH is not run" {
	mkdir "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\ntouch %s/ran\n' "$BATS_TEST_TMPDIR" >"$BATS_TEST_TMPDIR/bin/dot"
	chmod +x "$BATS_TEST_TMPDIR/bin/dot"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH try fabric --load "$whole" --format svg
	[ ! -e "$BATS_TEST_TMPDIR/ran" ]
}

@test "fabric: dot gets no privileges and no environment, and cannot change files" {
	[ -e /usr/bin/dot ] || skip 'graphviz is not installed'
	cat >"$BATS_TEST_TMPDIR/dot" <<-END
		#!/bin/sh
		cat >/dev/null
		grep -E '^(Cap(Prm|Eff|Amb)|NoNewPrivs):' /proc/self/status
		env
		ulimit -c
		{ echo x >"$BATS_TEST_TMPDIR/written"; } 2>/dev/null
		exit 0
	END
	chmod +x "$BATS_TEST_TMPDIR/dot"
	SECRET=1 with_dot "$BATS_TEST_TMPDIR/dot" "$binary" fabric --load "$whole" --format svg
	[[ $output == *$'CapPrm:\t0000000000000000\nCapEff:\t0000000000000000'* ]]
	[[ $output == *$'CapAmb:\t0000000000000000\nNoNewPrivs:\t1\n'* ]]
	[[ $output == *$'\n0'* ]]
	[[ $output != *SECRET* ]]
	# Landlock exists since Linux 5.13, if the kernel is built with it: landlock_create_ruleset(2)
	# tells.
	if python3 -c 'import ctypes, sys; sys.exit(ctypes.CDLL(None).syscall(444, None, 0, 1) < 1)'; then
		[ ! -e "$BATS_TEST_TMPDIR/written" ]
	fi
}

# as_dot LINE...: replaces dot by a script of these lines, after it has read the graph.
as_dot()
{
	printf '%s\n' '#!/bin/sh' 'cat >/dev/null' "$@" >"$BATS_TEST_TMPDIR/dot"
	chmod +x "$BATS_TEST_TMPDIR/dot"
	with_dot "$BATS_TEST_TMPDIR/dot" "$binary" fabric --load "$whole" --format svg
}

@test "fabric: dot has limits, and its error message is passed on" {
	local hint='rdmactl fabric scan --format dot prints its input' way

	[ -e /usr/bin/dot ] || skip 'graphviz is not installed'
	# The limits of setrlimit(2): 8 GiB of address space, in KiB; open files; seconds of processor
	# time.
	as_dot 'ulimit -v' 'ulimit -n' 'ulimit -t' 'ulimit -Hv'
	[ "$status" = 0 ]
	[[ $output == 8388608$'\n64\n'*$'\n8388608\n'* ]]
	as_dot 'printf "\n\nsyntax \033[1m error\nmore\n" >&2' 'echo half' 'exit 3'
	expect 1 '' $'rdmactl fabric: dot: exit status 3: syntax \\x1b[1m error\n  '"$hint"
	as_dot 'exit 0'
	expect 1 '' "rdmactl fabric: dot: exit status 0, nothing drawn"$'\n'"  $hint"
	# shellcheck disable=SC2016 # for the script
	as_dot 'echo half' 'kill -9 $$'
	expect 1 '' "rdmactl fabric: dot: ended by signal 9"$'\n'"  $hint"
	# More than one pipe buffer of output.
	# shellcheck disable=SC2016 # for the script
	as_dot 'i=0; while [ $i -lt 3000 ]; do echo "$i 1234567890 1234567890 1234567890 1234567890"; i=$((i + 1)); done'
	[ "$status" = 0 ]
	for way in 0 1499 2999; do
		[ "$(sed -n "$((way + 1))p" "$BATS_TEST_TMPDIR/out")" = "$way 1234567890 1234567890 1234567890 1234567890" ]
	done
	[ "$(wc -l <"$BATS_TEST_TMPDIR/out")" = 3000 ]
}
