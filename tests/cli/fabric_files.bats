#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Scans in files: loaded, saved again, compared; and files that are not scans.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

setup()
{
	corpus=$BATS_TEST_DIRNAME/../fuzz/corpus/fabric
	whole=$corpus/whole
	dir=$BATS_TEST_TMPDIR
}

# A switch, S-1, with two hosts; H-2 does not answer in the second file.
@test "fabric: --load, and --save of the loaded scan" {
	try fabric links --load "$whole" --no-headings --tsv -o node,port,peer,peer_port
	expect 0 $'S-1\t1\tH-1\t1\nS-1\t2\tH-2\t1' ''
	try fabric links --load "$whole" --save "$dir/saved"
	[ "$status" = 0 ]
	try fabric scan --load "$whole" --json
	cp "$dir/out" "$dir/printed"
	# A file has only the answers of the fabric; the printed document can be loaded, too.
	[ $((4 * $(wc -c <"$dir/saved"))) -lt $((3 * $(wc -c <"$dir/printed"))) ]
	for file in saved printed; do
		try fabric scan --load "$dir/$file" --json
		cmp "$dir/out" "$dir/printed"
		try fabric links --load "$dir/$file" --save "$dir/again"
		cmp "$dir/saved" "$dir/again"
	done
	try fabric scan --load "$corpus/unanswered"
	[ "$status" = 3 ]
	[[ "$stderr" = *"S-1/2: the node at its other end: NodeInfo: no answer"* ]]
}

@test "fabric: a scan that was interrupted" {
	sed 's/"interrupted": false/"interrupted": true/; s/"complete": true/"complete": false/' \
		"$whole" >"$dir/interrupted"
	try fabric links --load "$dir/interrupted" --no-headings --tsv -o node,port,peer
	expect 3 $'S-1\t1\tH-1\nS-1\t2\tH-2' \
		'rdmactl fabric: interrupted: the output is incomplete'
	try fabric links --load "$dir/interrupted" --save "$dir/saved"
	[ "$status" = 3 ]
	grep -q '"complete": false, "interrupted": true' "$dir/saved"
}

@test "fabric: --diff: 0, 3 and 4" {
	try fabric scan --load "$whole" --diff "$whole" --no-headings
	expect 0 '' ''
	try fabric scan --load "$corpus/unanswered" --diff "$whole" --no-headings --tsv
	expect 3 $'unanswered\tH-2\t\tS-1/2\tno answer'
	sed 's/"node_description": "482d31/"node_description": "482d33/' "$whole" >"$dir/renamed"
	try fabric scan --load "$dir/renamed" --diff "$whole" --no-headings --tsv
	expect 4 $'description-changed\tH-3\t\tH-1\tH-3' ''
	try fabric scan --load "$dir/renamed" --diff "$whole" --json
	[ "$status" = 4 ]
	[[ "$output" = *'"schema": "rdmactl/fabric_changes/1"'* ]]
}

@test "fabric: --diff and --save of one file compare with its old contents" {
	cp "$whole" "$dir/file"
	try fabric scan --load "$corpus/unanswered" --diff "$dir/file" --save "$dir/file"
	[ "$status" = 3 ]
	[[ "$output" = *"no answer"* ]]
	try fabric scan --load "$corpus/unanswered" --diff "$dir/file" --no-headings
	[ "$status" = 3 ]
	[ -z "$output" ]
}

@test "fabric: a file that is not a scan: one line and the next step" {
	local case

	head -c 1000 "$whole" >"$dir/cut"
	sed 's#rdmactl/fabric/1#rdmactl/fabric/2#' "$whole" >"$dir/later"
	sed 's/"peer_index": [0-9]*/"peer_index": 99/' "$whole" >"$dir/range"
	echo '[1, 2]' >"$dir/list"
	: >"$dir/empty"
	for case in cut later range list empty missing .; do
		try fabric links --load "$dir/$case"
		[ "$status" = 1 ]
		[ -z "$output" ]
		[[ "$stderr" = "rdmactl fabric: cannot "*" $dir/$case: "* ]]
		[ "$(wc -l <"$dir/err")" -le 2 ]
		try fabric scan --load "$whole" --diff "$dir/$case"
		[ "$status" = 1 ]
		[ -z "$output" ]
	done
}

@test "fabric: --save to a file that cannot be written fails before anything is read" {
	local list long

	try fabric links --load "$dir/missing" --save "$dir"
	[ "$status" = 1 ]
	[[ "$stderr" = *"cannot write $dir: Is a directory"* ]]
	try fabric links --load "$whole" --save "$dir"
	[ "$status" = 1 ]
	[ -z "$output" ]
	[[ "$stderr" = *"cannot write $dir: Is a directory"* ]]
	try fabric links --load "$whole" --save /dev/full
	[ "$status" = 1 ]
	[[ "$stderr" = *"it is not a regular file"* ]]
	for list in scan links ports; do
		try fabric "$list" --load "$whole" --save "$dir/missing/file"
		expect_error 1 fabric "cannot write $dir/missing/file: No such file or directory" \
			'name a file in a directory that exists and is writable'
	done
	# Another directory would not help.
	long=$(printf '%0256d' 0)
	try fabric links --load "$whole" --save "$dir/$long"
	expect_error 1 fabric "cannot write $dir/$long: File name too long"
	ln -s loop "$dir/loop"
	try fabric links --load "$whole" --save "$dir/loop"
	expect_error 1 fabric "cannot write $dir/loop: Too many levels of symbolic links"
}

@test "fabric: the name of a file that is loaded does not control the terminal" {
	cp "$whole" "$dir/"$'red\e[31m'
	try fabric scan --details --load "$dir/"$'red\e[31m'
	expect_error 3 fabric "the scan in $dir/red\x1b[31m has no details" \
		'rdmactl fabric scan --details --save FILE saves them'
}

@test "fabric errors: without RDMA, --load says that a saved scan has no counters" {
	no_device
	try fabric errors --load "$whole"
	[ "$status" = 5 ]
	[[ "$stderr" = *"this system has no RDMA core"*"
rdmactl fabric: a saved scan has no counters: rdmactl fabric errors reads them from the nodes in $whole, through a port of this host"* ]]
}

@test "fabric: --save keeps the old file, and leaves nothing beside it, if there is no scan" {
	mkdir "$dir/saved"
	echo old >"$dir/saved/file"
	try fabric links --load "$dir/missing" --save "$dir/saved/file"
	[ "$status" = 1 ]
	try fabric scan --load "$whole" --diff "$dir/missing" --save "$dir/saved/file"
	[ "$status" = 1 ]
	[ "$(cat "$dir/saved/file")" = old ]
	try fabric links --load "$dir/missing" --save "$dir/saved/other"
	[ "$status" = 1 ]
	[ "$(ls -A "$dir/saved")" = file ]
}

@test "fabric: --save to standard output that is full fails" {
	status=0
	"$binary" fabric links --load "$whole" --save - >/dev/full 2>"$dir/err" || status=$?
	[ "$status" = 1 ]
	[ "$(cat "$dir/err")" = 'rdmactl fabric: cannot write -: No space left on device' ]
}

@test "fabric: --save to standard output prints the scan instead of the list" {
	local list

	try fabric links --load "$whole" --save "$dir/saved"
	for list in links 'scan --format dot' 'scan --tree' 'links --jsonl' 'links --json'; do
		# shellcheck disable=SC2086 # words
		try fabric $list --load "$whole" --save -
		[ "$status" = 0 ] || wrong "$list: $status"
		cmp "$dir/saved" "$BATS_TEST_TMPDIR/out" || wrong "$list"
	done
	try fabric check --load "$whole" --save -
	[ "$status" = 4 ] || wrong "check: $status"
	cmp "$dir/saved" "$BATS_TEST_TMPDIR/out" || wrong check
	nothing_wrong
}

@test "fabric: --details for a scan without details" {
	try fabric scan --load "$whole" --details --no-headings
	expect 3 '' "rdmactl fabric: the scan in $whole has no details
  rdmactl fabric scan --details --save FILE saves them"
	try fabric scan --load "$whole" --details --json
	[ "$status" = 3 ]
	jq -e '.problems[0].error | endswith(" has no details")' <<<"$output"
}
