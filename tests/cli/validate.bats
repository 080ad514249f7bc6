#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The validator of the other tests finds every fault: good documents are damaged one by one.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

setup()
{
	documents=$BATS_TEST_TMPDIR/documents
	"$binary" schema ports >"$BATS_TEST_TMPDIR/schema"
	record "$documents" bad-rate ports -o device,port,state,rate_gbps,lid,netdev,capabilities
	"$binary" schema ports -o device,port,state,rate_gbps,lid,netdev,capabilities >"$BATS_TEST_TMPDIR/schema"
}

look()
{
	status=0
	output=$("$top/tests/cli/validate" "$BATS_TEST_TMPDIR/schema" "$documents") || status=$?
}

@test "validate: a good document is good" {
	look
	[ "$status" = 0 ]
	[ -z "$output" ]
	[ "$(find "$documents" -type f | wc -l)" = 6 ]
}

@test "validate: every fault is found" {
	local suffix expression wanted file count=0
	local -A good

	for file in "$documents"/bad-rate.*; do
		IFS= read -r -d '' "good[${file##*.}]" <"$file" || :
	done
	# Each fault is in a separate copy; all copies are validated together.
	while IFS=$'\t' read -r suffix expression wanted; do
		count=$((count + 1))
		for file in "${!good[@]}"; do
			printf %s "${good[$file]}" >"$documents/fault-$count.$file"
		done
		sed "$expression" "$documents/bad-rate.$suffix" >"$documents/fault-$count.$suffix"
		! cmp -s "$documents/fault-$count.$suffix" "$documents/bad-rate.$suffix" ||
			wrong "$suffix $expression changes nothing" >&2
		printf 'fault-%s.%s\t%s\t%s\n' $count "$suffix" "$wanted" "$expression"
	done >"$BATS_TEST_TMPDIR/faults" <<-'END'
		json	s/"active"/"activ"/	is not valid
		json	s/"rate_gbps": 200/"rate_gbps": "200"/	is not of type
		json	s/"lid": 112/"lid": 112.5/	is not of type
		json	s/"lid": 112/"lid": -1/	minimum
		json	s/"port": 1, //	'port' is a required property
		json	s/"port": 1,/"port": 1, "extra": 1,/	'extra' was unexpected
		json	s/"port": 1,/"port": 1, "port": 2,/	a key occurs twice
		json	s/"problems"/"problem"/	required property
		json	s,rdmactl/ports/1,rdmactl/ports/2,	was expected
		json	s/"rate_gbps": 200/"rate_gbps": NaN/	NaN is not JSON
		json	s/"netdev": "ib0"/"netdev": "ib\\u001b0"/	control character U+001B
		json	s/"netdev": "ib0"/"netdev": "ib\x1b0"/	control character U+001B
		json	s/"netdev": "ib0"/"netdev": "ib\xff"/	invalid UTF-8
		json	s/"netdev": "ib0"/"netdev": "ib\xe2\x80\xae"/	control character U+202E
		json	s/,$/,,/	invalid JSON
		json	$d	invalid JSON
		jsonl	1d	2 records, different from
		jsonl	s/"lid": 112/"lid": 113/	different from those of the document
		jsonl	1s/$/,/	invalid JSON
		tsv	1d	columns that the document does not have
		tsv	2d	2 rows, the document has 3
		tsv	s/112/113/	line 2
		tsv	s/\t112//	line 2
		tsv	s/ib0/ib\x9b/	invalid UTF-8
		txt	s/112/113/	the TSV has
		txt	2d	lines for 3 rows
		txt	s/200/ - /	the TSV has
		txt	s/ib2/ib2 x/	the TSV has
		txt	s/$/ /	blanks at the end
		txt	s/ib0/ib\x07/	control character U+0007
		err	1d	the document has
		err	$d	the document has
		err	s/Input/Output/	the document has
		err	s/mlx5_1/\x1b[1m/	control character
		status	s/3/0/	0 with 3 rows
		status	s/3/1/	1 with 3 rows
		status	s/3/5/	5 with 3 rows
	END
	look
	[ "$status" = 1 ]
	while IFS=$'\t' read -r file wanted expression; do
		[[ $'\n'$output =~ $'\n'"$file: "[^$'\n']*"$wanted" ]] ||
			wrong "$file $expression: $(grep -F "${file%.*}." <<<"$output")"
	done <"$BATS_TEST_TMPDIR/faults"
	! grep -F bad-rate <<<"$output" || wrong 'and the good one'
	[ "$(wc -l <"$BATS_TEST_TMPDIR/faults")" = 37 ] || wrong "$(wc -l <"$BATS_TEST_TMPDIR/faults") faults"
	nothing_wrong
}

@test "validate: an empty document is invalid" {
	: >"$documents/bad-rate.json"
	look
	[ "$status" = 1 ]
	rm -r "${documents:?}"/*
	look
	[ "$status" = 1 ]
	[[ $output == *'no recorded runs' ]]
}

@test "validate: the checks of guests accept and refuse the same values as jsonschema" {
	run "$top/tests/cli/schema_checks.py"
	[ "$status" = 0 ]
	[[ $output =~ ^[0-9]+\ comparisons$ ]]
	[ "${output% *}" -gt 10000 ]
}
