#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# -o/--columns and --no-headings.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# The keys with which a TSV of cx5-ib-edr begins.
keys()
{
	quickly on cx5-ib-edr "$@" --tsv
	output=${output%%$'\n'*}
	output=${output//$'\t'/,}
}

@test "columns: one or several, in the requested order" {
	on cx5-ib-edr devices -o firmware
	expect 0 $'FIRMWARE\n16.35.3502\n16.35.3502' ''
	on cx5-ib-edr devices -o numa_node,device
	expect 0 $'NUMA DEVICE\n   0 mlx5_0\n   1 mlx5_1' ''
}

@test "columns: + adds, - drops" {
	local usual

	keys devices
	usual=$output
	[ "$usual" = device,node_type,transport,driver,firmware,node_guid,port_count,state,netdevs,pci_address,numa_node ]
	keys devices -o +index
	same 'one more' "$usual,index" "$output"
	keys devices -o +index,+device,board_id
	same 'two more, one of them shown already' "$usual,index,board_id" "$output"
	keys devices -o -pci_address,-numa_node
	same 'fewer' "${usual%,pci_address*}" "$output"
	keys devices -o +uverbs,-device
	same 'both' "${usual#device,},uverbs" "$output"
	keys devices -o -device,+device
	same 'dropped and added' "${usual#device,},device" "$output"
	keys devices -o -index
	same 'dropped a column that is not shown' "$usual" "$output"
	keys devices -o device,firmware,-device
	same 'dropped from a list' firmware "$output"
}

@test "columns: all" {
	local command

	for command in $listings; do
		keys "$command" -o all
		same "$command" "$(columns_of "$command" | paste -sd ,)" "$output" || wrong "$command"
	done
	keys devices -o firmware,all
	same 'one first' "firmware,$(columns_of devices | grep -vx firmware | paste -sd ,)" "$output"
	keys devices -o all,-device
	same 'all but one' "$(columns_of devices | grep -vx device | paste -sd ,)" "$output"
	nothing_wrong
}

@test "columns: a column named twice is shown once" {
	keys devices -o device,device,firmware,device
	same 'keys' device,firmware "$output"
	on cx5-ib-edr devices -o device,device -j
	expect 0 '{"schema": "rdmactl/devices/1",
 "devices": [
  {"device": "mlx5_0"},
  {"device": "mlx5_1"}],
 "problems": []}' ''
}

@test "columns: an unknown key, with a suggestion" {
	local command

	for command in $listings caps; do
		quickly try "$command" -o frobnicate
		expect_error 2 "$command" "unknown column 'frobnicate'" "rdmactl $command --help lists the columns" ||
			wrong "$command"
		quickly try "$command" -o frobnicate,device
		expect 2 '' || wrong "$command"
	done
	on cx5-ib-edr devices -o device,frimware
	expect_error 2 devices "unknown column 'frimware'" "did you mean 'firmware'?"
	on cx5-ib-edr devices -o json
	expect_error 2 devices "unknown column 'json'" "did you mean '--json'?"
	on cx5-ib-edr devices -o +firmwre
	expect_error 2 devices "unknown column '+firmwre'" "did you mean 'firmware'?"
	on cx5-ib-edr devices -o -stat
	expect_error 2 devices "unknown column '-stat'" "did you mean 'state'?"
	on cx5-ib-edr devices -o STATE
	expect_error 2 devices "unknown column 'STATE'" "did you mean 'state'?"
	on cx5-ib-edr devices -o device,TYPE
	expect_error 2 devices "unknown column 'TYPE'" "did you mean 'node_type'?"
	on cx5-ib-edr devices -o '-NODE GUID'
	expect_error 2 devices "unknown column '-NODE GUID'" "did you mean 'node_guid'?"
	on cx5-ib-edr ports -o lid,rate
	expect_error 2 ports "unknown column 'rate'" "did you mean 'rate_gbps'?"
	on cx5-ib-edr ports -o lid,m
	expect_error 2 ports "unknown column 'm'" 'rdmactl ports --help lists the columns'
	nothing_wrong
}

@test "columns: an empty word is not a column" {
	local list

	for list in '' ',' 'device,' ',device' 'device,,state' + - '+,device'; do
		quickly on cx5-ib-edr devices -o "$list"
		expect_error 2 devices 'the name of a column is empty' 'rdmactl devices --help lists the columns' ||
			wrong "'$list'"
	done
	nothing_wrong
}

@test "columns: no column left" {
	quickly on cx5-ib-edr pkeys -o device,-device
	expect 2 ''
	quickly on cx5-ib-edr pkeys -o -device,-port,-index,-pkey,-membership,-netdevs
	expect 2 ''
	[[ $stderr != *unknown* ]] || { echo "$stderr"; return 1; }
}

@test "columns: the keys of JSON are the words for -o" {
	local command

	for command in $listings; do
		quickly on cx6dx-roce "$command" -j -o all
		mv "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/all"
		# All columns that a table can have, and lists of records.
		jq -r ".${command}[0] | to_entries[] | select((.value | type == \"array\" and (.[0] | type) == \"object\") | not).key" \
			"$BATS_TEST_TMPDIR/all" >"$BATS_TEST_TMPDIR/keys"
		columns_of "$command" | diff -u - "$BATS_TEST_TMPDIR/keys" || wrong "$command"
		[ "$(wc -l <"$BATS_TEST_TMPDIR/keys")" -gt 5 ] || wrong "$command: few keys"
		quickly on cx6dx-roce "$command" -j
		[ "$(jq ".$command" <<<"$output")" = "$(jq ".$command" "$BATS_TEST_TMPDIR/all")" ] ||
			wrong "$command: not all without -o all"
	done
	nothing_wrong
}

@test "columns: only the requested ones in JSON, JSON lines and TSV" {
	on cx5-ib-edr ports -j -o port,lid,netdev mlx5_1
	expect 0 '{"schema": "rdmactl/ports/1",
 "ports": [
  {"port": 1, "lid": 18, "netdev": "ib1"}],
 "problems": []}' ''
	on cx5-ib-edr ports --jsonl -o port,lid,netdev
	expect 0 '{"port": 1, "lid": 17, "netdev": "ib0"}
{"port": 1, "lid": 18, "netdev": "ib1"}' ''
	on cx5-ib-edr ports --tsv -o port,lid,netdev
	expect 0 $'port\tlid\tnetdev\n1\t17\tib0\n1\t18\tib1' ''
	on cx5-ib-edr ports -j -o -device,-port
	expect 0
	[ "$(jq '.ports[0] | has("device") or has("port")' <<<"$output")" = false ]
	[ "$(jq '.ports[0] | has("lid") and has("cap_mask")' <<<"$output")" = true ]
}

@test "columns: only what the columns need is read" {
	on bad-rate ports -o device,port,netdev
	expect 0 $'DEVICE PORT NETDEV\nmlx5_0    1 ib0\nmlx5_1    1 -\nmlx5_2    1 ib2' ''
	on bad-rate ports -o device,lid
	expect 3 $'DEVICE LID\nmlx5_0 112\nmlx5_1   -\nmlx5_2 114' 'rdmactl ports: mlx5_1/1: cannot read lid: Input/output error'
}

@test "columns: a list of records cannot be a column of a table" {
	on cx5-ib-edr devices -o device,ports -j
	expect 0
	[ "$(jq -c '.devices[0].ports[0].port' <<<"$output")" = 1 ]
	on cx5-ib-edr devices -o device,ports
	# The list is refused, or printed under a separate heading.
	[ "$status" = 2 ] || grep -Eq '^DEVICE +[A-Z]' <<<"$output" || { echo "$output"; return 1; }
}

@test "columns: --no-headings" {
	on cx5-ib-edr devices -o device,numa_node --no-headings
	expect 0 $'mlx5_0 0\nmlx5_1 1' ''
	on cx5-ib-edr devices -o device,numa_node --no-headings --tsv
	expect 0 $'mlx5_0\t0\nmlx5_1\t1' ''
	on irdma-iwarp pkeys --no-headings --tsv
	expect 0 '' ''
}

@test "columns: without rows, a table has no headings, but TSV has them" {
	on irdma-iwarp pkeys
	expect 0 '' ''
	on irdma-iwarp pkeys --tsv -o device,pkey
	expect 0 $'device\tpkey' ''
	on irdma-iwarp pkeys --jsonl
	expect 0 '' ''
}
