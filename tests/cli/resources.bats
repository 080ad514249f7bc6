#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The command line of resources as far as it can be tested without a device; the guest covers the
# rest.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

kinds='qp cm_id cq mr pd ctx srq'
schemas='resources processes qps cm_ids cqs mrs pds ctxs srqs'

@test "resources: --help names the kinds, the options, and the columns of each" {
	local word objects

	try resources --help
	expect 0
	[ -z "$stderr" ]
	for word in $kinds --by --pid --comm --limit; do
		grep -q -e "[ ]$word " <<<"$output" || wrong "$word"
	done
	! grep -q -e '--state' <<<"$output" || wrong 'an option of qp'
	grep -q '^  \* cm_ids' <<<"$output" || wrong 'no columns of the summary'
	grep -q '^  \* registered_bytes' <<<"$output" || wrong 'no columns of --by process'
	for word in $kinds; do
		quickly try resources "$word" --help
		expect 0 || wrong "$word"
		objects='[DEV...]'
		! grep -q '^  \* port ' <<<"$output" || objects='[DEV[/PORT]...]'
		[[ $output == "Usage: rdmactl resources $word $objects [OPTIONS]"* ]] || wrong "$word"
		grep -q '^  \* command ' <<<"$output" || wrong "$word has no column command"
		! grep -q -e ' --by ' <<<"$output" || wrong "$word: an option of the summary"
		mv "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/wanted"
		quickly try help resources "$word"
		cmp -s "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/wanted" || wrong "help resources $word"
	done
	nothing_wrong
}

@test "resources: no RDMA device: a next step, exit 5" {
	no_device
	local words

	for words in '' qp 'mr mlx5_0' 'qp mlx5_0/1' '--by process' 'cm_id --state listen --pid 1' \
		'srq --type basic --limit 3' 'qp --comm ib_core --type rc,driver,unknown-77'; do
		# shellcheck disable=SC2086 # words
		quickly try resources $words
		expect_error 5 resources 'this system has no RDMA core: no /sys/class/infiniband' \
			"$no_core_hint" || wrong "resources $words"
	done
	nothing_wrong
}

@test "resources: no RDMA device, as JSON, under the name of each kind" {
	no_device
	local word

	for word in $kinds; do
		quickly try resources "$word" --json
		[ "$status" = 5 ] || wrong "$word: $status"
		jq -e --arg name "${word}s" '.schema == "rdmactl/\($name)/1" and .[$name] == [] and
			.problems[0].hint' <<<"$output" >/dev/null || wrong "$word: $output"
	done
	try resources -j
	jq -e '.schema == "rdmactl/resources/1" and .resources == []' <<<"$output"
	try resources --by process -j
	jq -e '.schema == "rdmactl/processes/1" and .processes == []' <<<"$output"
	nothing_wrong
}

@test "resources: schemas" {
	local name

	for name in $schemas; do
		quickly try schema "$name"
		expect 0 || wrong "$name"
		jq -e --arg name "$name" '.properties[$name].type == "array"' <<<"$output" \
			>/dev/null || wrong "$name"
	done
	try schema mrs
	jq -e '.properties.mrs.items.properties | has("rkey") and has("length_bytes")' <<<"$output"
	nothing_wrong
}

@test "resources: the words for states and types depend on the kind" {
	try resources qp --state listen
	expect_error 2 resources "--state: 'listen' is not a state" \
		'state of the queue pair: reset, init, rtr, rts, sqd, sqe, error'
	try resources cm_id --state connect,
	expect 2
	grep -q "^rdmactl resources: --state: '' is not a state$" <<<"$stderr"
	try resources srq --type rc
	expect_error 2 resources "--type: 'rc' is not a type" 'what kind of queue: basic, xrc, tm'
	try resources mr --type rc
	expect_error 2 resources "'mr' does not take --type" 'it is for qp, cm_id, srq'
	try resources --state=rts pd
	expect_error 2 resources "'pd' does not take --state" 'it is for qp, cm_id'
	try resources qp --state unknown-x
	expect 2
}

@test "resources: --where" {
	no_device
	try resources qp --where state=rts,sqe,lqpn=17,20-25,path-mig-state=armed,pid=-
	expect 5
	try resources srq --where lqpn=17
	expect 5
	try resources cm_id --where src-addr=10.0.0.1,dst-port=4000-5000
	expect 5
	try resources qp --where state=listen
	expect_error 2 resources "--where: 'listen' is not a value of state" \
		'state of the queue pair: reset, init, rtr, rts, sqd, sqe, error'
	try resources mr --where lenght_bytes=1
	expect_error 2 resources "--where: unknown field 'lenght_bytes'" "did you mean 'length_bytes'?"
	try resources mr --where lqpn=1
	expect 2
	grep -q '^  the fields are device, mrn, length_bytes' <<<"$stderr"
	try resources qp --where rts
	expect_error 2 resources "--where: 'rts' is not FIELD=VALUE" \
		'the fields are device, port, qpn, type, subtype, state, remote_qpn, rq_psn, sq_psn, path_migration, pdn, pid, command, kernel, thread, driver'
	try resources pd --where =5
	expect_error 2 resources "--where: '=5' has no field before the =" \
		'the fields are device, pdn, users, local_dma_lkey, unsafe_global_rkey, ctxn, pid, command, kernel, thread, driver'
	try resources --where state=rts
	expect_error 2 resources "'resources' does not take --where" \
		'it is for qp, cm_id, cq, mr, pd, ctx, srq'
}

@test "resources: --raw" {
	no_device
	try resources qp --raw --where state=rts --json
	[ "$status" = 5 ]
	jq -e '.schema == "rdmactl/qp_contexts/1" and .qp_contexts == []' <<<"$output"
	# It takes a port, as it does without --raw.
	try resources qp --raw mlx5_0/1
	expect 5
	try resources mr --raw
	expect_error 2 resources "'mr' does not take --raw" 'it is for qp'
}

@test "resources: options that need a kind, or must not have one" {
	local hint='or a kind of object: rdmactl resources qp'

	try resources --by process mr
	expect_error 2 resources "'mr' does not take --by" 'it is for rdmactl resources alone'
	try resources --by process --state rts
	expect_error 2 resources "'resources' does not take --state" 'it is for qp, cm_id'
	try resources --pid 5
	expect_error 2 resources '--pid needs --by' "$hint"
	try resources -n 5 --comm rping
	expect_error 2 resources '--comm needs --by' "$hint"
	try resources mlx5_0 --type rc
	expect_error 2 resources "'resources' does not take --type" 'it is for qp, cm_id, srq'
}

@test "resources: values of options" {
	try resources --by device
	expect_error 2 resources "--by: 'device' is not a choice; the only one is process" 'rdmactl resources --help'
	try resources qp --limit 0
	expect_error 2 resources "--limit: '0' is less than 1" 'rdmactl resources qp --help'
	try resources --pid me qp
	expect_error 2 resources "--pid: 'me' is not a whole number" 'rdmactl resources qp --help'
}

@test "resources: devices, ports and columns" {
	try resources mr mlx5_0/1
	expect_error 2 resources "'mlx5_0/1' is not a device name" \
		'give the kind of object first, if any, then devices'
	try resources qp mlx5_0/x
	expect_error 2 resources "'mlx5_0/x' is not DEV or DEV/PORT" \
		'give the kind of object first, if any, then devices'
	try resources qp -o qqn
	expect_error 2 resources "unknown column 'qqn'" "did you mean 'qpn'?"
	try resources srq -o xyzzy
	expect_error 2 resources "unknown column 'xyzzy'" \
		'rdmactl resources srq --help lists the columns'
}

@test "resources: a saved tree has no objects" {
	local words

	for words in '' qp '--by process'; do
		# shellcheck disable=SC2086 # words
		quickly on cx5-ib-edr resources $words
		expect_error 2 resources 'a saved tree has no objects in use' \
			'run it on the live system, or on a snapshot of it: rdmactl snapshot FILE' || wrong "$words"
	done
	nothing_wrong
}

@test "resources: completion" {
	local first

	try __complete --root "$roots/cx5-ib-edr" -- resources ''
	expect 0
	first=$(cut -f 1 <<<"${output%$'\n'}" | paste -sd ' ')
	[ "${first:0:28}" = 'qp cm_id cq mr pd ctx srq ml' ] || { echo "$first"; false; }
	try __complete --root "$roots/cx5-ib-edr" -- resources qp mlx5_
	[ "$(cut -f 1 <<<"${output%$'\n'}" | head -n 1)" = mlx5_0 ]
	try __complete -- resources qp -o remote
	[ "$(cut -f 1 <<<"${output%$'\n'}")" = remote_qpn ]
	try __complete -- resources -o qp
	[ "$(cut -f 1 <<<"${output%$'\n'}")" = qps ]
	try __complete -- resources --by ''
	[ "$(cut -f 1 <<<"${output%$'\n'}")" = process ]
	try __complete -- resources qp --state r
	[ "$(cut -f 1 <<<"${output%$'\n'}" | paste -sd ' ')" = 'reset rtr rts' ]
	try __complete -- resources --state r,l cm_id --state listen,addr-b
	[ "$(cut -f 1 <<<"${output%$'\n'}")" = listen,addr-bound ]
	try __complete -- resources srq --t
	[ "$(cut -f 1 <<<"${output%$'\n'}" | paste -sd ' ')" = '--tsv --timeout --type' ] ||
		{ echo "$output"; false; }
	try __complete -- resources mr --jsonl --js
	[ "$(cut -f 1 <<<"${output%$'\n'}")" = --jsonl ] || { echo "$output"; false; }
}
