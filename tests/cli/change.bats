#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Several changes from a file: its errors are reported line by line, on a host without RDMA.

# shellcheck disable=SC2016 # what a shell would expand is what is tested
# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# from LINE...: runs these lines.
from()
{
	printf '%s\n' "$@" >"$BATS_TEST_TMPDIR/list"
	try change --from "$BATS_TEST_TMPDIR/list"
}

# says LINE TEXT: checks that this line of the list has this error.
says()
{
	[[ $stderr = *"$BATS_TEST_TMPDIR/list:$1: $2"* ]] || { printf '%s' "$stderr"; return 1; }
}

@test "change: without a file, an empty file, one that cannot be read, one that is too large" {
	try change
	expect_error 2 change 'which changes? --from FILE' 'each line of the file is a change: dev set mlx5_0 name rdma0'
	try change dev set mlx5_0 name x
	[ "$status" = 2 ]
	from '# nothing' '' '   # at all'
	expect_error 2 change "$BATS_TEST_TMPDIR/list has no changes"
	try change --from "$BATS_TEST_TMPDIR/none"
	expect_error 1 change "cannot read $BATS_TEST_TMPDIR/none: No such file or directory"
	try change --from "$BATS_TEST_TMPDIR"
	expect_error 1 change "cannot read $BATS_TEST_TMPDIR: Is a directory"
	head -c 65537 /dev/zero | tr '\0' '#' >"$BATS_TEST_TMPDIR/list"
	try change --from "$BATS_TEST_TMPDIR/list"
	expect_error 1 change "cannot read $BATS_TEST_TMPDIR/list: File too large"
	yes '' | head -n 1024 >"$BATS_TEST_TMPDIR/list"
	try change --from "$BATS_TEST_TMPDIR/list"
	expect_error 2 change "$BATS_TEST_TMPDIR/list has no changes"
	yes '' | head -n 1025 >"$BATS_TEST_TMPDIR/list"
	try change --from "$BATS_TEST_TMPDIR/list"
	expect_error 2 change "$BATS_TEST_TMPDIR/list has more than 1024 lines"
}

# In a network namespace with 40 netdevs.
@test "change: lines share sockets, so a process can run more lines than it may open files" {
	local make='for i in $(seq 20); do ip link add a$i type veth peer name b$i || exit; done'

	unshare -rn sh -c "$make" || skip 'no user namespaces, or no veth in them'
	printf 'roce set %s mtu 1400\n' {a,b}{1..20} >"$BATS_TEST_TMPDIR/list"
	quickly unshare -rn sh -c "$make; ulimit -n 32; exec \"\$@\"" sh "$binary" change --from "$BATS_TEST_TMPDIR/list" \
		--dry-run --json >"$BATS_TEST_TMPDIR/out"
	[ "$(jq '[.change[] | select(.state == "planned")] | length' "$BATS_TEST_TMPDIR/out")" = 40 ]
}

@test "change: two lines that set the same" {
	from 'roce set lo mtu 1400' 'roce set lo mtu 1500 mtu 1500' '' 'roce set lo mtu 1600'
	expect 2 '' "rdmactl change: $BATS_TEST_TMPDIR/list:2: lo mtu is set to 1500 here, and to 1400 in line 1
  give it once, with one value
rdmactl change: $BATS_TEST_TMPDIR/list:4: lo mtu is set to 1600 here, and to 1400 in line 1"
	# The same value again is no change.
	printf 'roce set lo mtu 1400\n' >"$BATS_TEST_TMPDIR/one"
	printf 'roce set lo mtu 1400\n#\nroce set lo mtu 01400 mtu 1400\n' >"$BATS_TEST_TMPDIR/three"
	try change --from "$BATS_TEST_TMPDIR/one" --dry-run
	mv "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/wanted"
	try change --from "$BATS_TEST_TMPDIR/three" --dry-run
	expect 0 "$(<"$BATS_TEST_TMPDIR/wanted")" ''
}

@test "change: every wrong line is reported, with its number" {
	from 'dev set mlx5_0 name rdma0' '# comment' 'dev set mlx5_0 nam x' 'dev set mlx5_0 name a/b' \
		'system set netns-mode none' 'dev set' 'dev set mlx5_0 name'
	[ "$status" = 2 ]
	says 1 'this system has no RDMA core'
	says 3 "unknown setting 'nam'"
	says 4 "'a/b' cannot be a name"
	says 5 "'none' is not a value of netns-mode"
	says 6 'too few words: it takes DEV SETTING VALUE...'
	says 7 "'name' needs a value"
}

@test "change: a line must be a command that changes something" {
	local line

	for line in devices dev 'dev mlx5_0' 'dev st mlx5_0 name x' 'change --from x' 'help' 'smp set 1' \
		'events --exec reboot' '/bin/sh' '$(reboot)' 'rdmactl' '--from x'; do
		from "$line"
		{ [ "$status" = 2 ] && says 1 'this command does not change a setting'; } || wrong "$line"
	done
	from 'rdmactl system set netns-mode shared' # as undo prints it
	says 1 'this system has no RDMA core'
	nothing_wrong
}

@test "change: options for all lines are not options of one line" {
	local option

	for option in --yes --force --dry-run --persist --revert-after=1s --json --root=/x --help; do
		from "system set netns-mode shared $option"
		{ [ "$status" = 2 ] && says 1 "unknown option"; } || wrong "$option"
	done
	nothing_wrong
}

@test "change: words are split as in a shell, and nothing is expanded" {
	# Node descriptions of more than 64 bytes are errors that show where a word ends.
	from "dev set x name 'a b'" 'dev set x name "a b"' 'dev set x name a\ b' "dev set x name 'it'\\''s'" \
		'dev set x name $HOME' 'dev set x name *' "dev set x name 'a" 'dev set x name "a' "dev set x name ''"
	[ "$status" = 2 ]
	says 1 "'a b' cannot be a name"
	says 2 "'a b' cannot be a name"
	says 3 "'a b' cannot be a name"
	says 4 "'it's' cannot be a name"
	says 5 "'\$HOME' cannot be a name"
	says 6 "'*' cannot be a name"
	says 7 'a quotation mark that is never closed'
	says 8 'a quotation mark that is never closed'
	says 9 "'' cannot be a name"
	from "$(printf 'x %.0s' {1..300})"
	says 1 'too many words'
}

@test "change: hostile bytes never reach the terminal" {
	printf 'dev set \033[2J name x\ndev\0set\n\377\376 a\ndev set \377 name b\r\n' >"$BATS_TEST_TMPDIR/list"
	try change --from "$BATS_TEST_TMPDIR/list"
	[ "$status" = 2 ]
	says 1 'a control character'
	says 2 'a control character'
	says 3 'this command does not change a setting'
	says 4 'a carriage return at its end'
	run ! grep -q $'[\033\r\377]' "$BATS_TEST_TMPDIR/err"
}

@test "change: standard input" {
	status=0
	printf 'dev set mlx5_0 name a/b\n' | "$binary" change --from - --json >"$BATS_TEST_TMPDIR/out" 2>/dev/null || status=$?
	[ "$status" = 2 ]
	jq -e '.changed == false and .change == [] and (.problems[0].error | startswith("standard input:1: "))' "$BATS_TEST_TMPDIR/out"
}

@test "change: the document of a change that could not begin has all its keys" {
	echo nothing >"$BATS_TEST_TMPDIR/none.tar"
	try change --json --root "$BATS_TEST_TMPDIR/none.tar"
	[ "$status" = 1 ]
	[ "$(jq -c '[.schema, .changed, (.problems | length)]' <<<"$output")" = '["rdmactl/change/1",false,1]' ]
	try mesh run --json -o nothing -- true
	[ "$status" = 2 ]
	[ "$(jq -c '[.schema, has("hosts_present"), .hosts_present]' <<<"$output")" = '["rdmactl/mesh/1",true,null]' ]
}
