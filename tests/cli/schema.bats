#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The schemas themselves; the tests of each command check that its --json follows its schema.

# shellcheck disable=SC2016 # variables of jq
# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# Every command and every form of one, in the order of the help.
expected_schemas()
{
	local command word

	for command in $commands; do
		case $command in
		completion | help) ;;
		schema) echo schemas ;;
		perf)
			printf 'perf%s\n' '' _vl _fec _congestion _sl _details _flow _samples _rates \
				_vl_rates _fec_rates _congestion_rates _sl_rates _details_rates _flow_rates
			;;
		mad) printf '%s\n' mads mad_classes vendor_general ;;
		cc) printf 'cc_%s\n' info key log switch ports ca table time && echo class_port_info ;;
		ping | sysstat) echo "${command}s" ;;
		counters)
			printf "%s\n" counters counter_rates optional_counters counter_meanings \
				qp_counters mr_counters qp_counting change
			;;
		doctor) printf '%s\n' doctor doctor_checks ;;
		mesh) printf '%s\n' mesh mesh_results mesh_plan ;;
		topo) printf '%s\n' topo topo_paths topo_assignments ;;
		resources) printf "%s\n" resources processes qps qp_contexts cm_ids cqs mrs pds ctxs srqs ;;
		fabric)
			printf 'fabric%s\n' _ports '' _unanswered _details _changes _nodes _links _port \
				_errors _error_growth _cables _check _route _tree _pairs _shared _tables _multicast _balance _using
			;;
		smp | sa)
			# The first subcommand comes with the schema that all of them share.
			for word in $("$binary" __complete -- "$command" '' | cut -f 1); do
				# The records that it fetches are path records.
				[ "$command-$word" != sa-multipath ] || continue
				echo "${command}_$word"
				[ "$word" != nodedesc ] || echo smp_raw
				[ "$command-$word" != sa-nodes ] || echo sa_count
			done
			;;
		ports) printf '%s\n' ports change ;;
		cables) printf '%s\n' cables cable_lanes ;;
		link) echo links ;;
		dev) echo dev ;;
		system) echo system ;;
		ipoib) echo ipoib ;;
		*) echo "$command" ;;
		esac
	done | awk '!seen[$0]++' # shared ones are listed with the first command that has them
}

@test "schema: the list has every command with JSON" {
	try schema --tsv --no-headings -o schema,id
	expect 0 "$(expected_schemas | sed 's,.*,&\trdmactl/&/1,')" ''
}

@test "schema: --json of the list is valid, and every format says the same" {
	"$binary" schema schemas >"$BATS_TEST_TMPDIR/schema"
	mkdir "$BATS_TEST_TMPDIR/documents"
	cd "$BATS_TEST_TMPDIR/documents"
	"$binary" schema >list.txt
	"$binary" schema --tsv >list.tsv
	"$binary" schema --jsonl >list.jsonl
	"$binary" schema --json >list.json
	"$top/tests/cli/validate" ../schema .
}

# One file for each schema.
setup_file()
{
	local name

	mkdir "$BATS_FILE_TMPDIR/schemas"
	for name in $("$binary" schema --tsv --no-headings -o schema); do
		"$binary" schema "$name" >"$BATS_FILE_TMPDIR/schemas/$name" 2>&1 || echo "exit status $?" >>"$BATS_FILE_TMPDIR/schemas/$name"
	done
}

# every CONDITION: checks that jq's condition is true of every schema; $name is its name.
every()
{
	jq -r '(input_filename | sub(".*/"; "")) as $name | select(('"$1"') != true) | $name' \
		"$BATS_FILE_TMPDIR"/schemas/* >"$BATS_TEST_TMPDIR/others"
	[ ! -s "$BATS_TEST_TMPDIR/others" ] || wrong "$1: not in $(<"$BATS_TEST_TMPDIR/others")"
}

@test "schema: each is a JSON Schema, describes every key and requires it" {
	[ "$(find "$BATS_FILE_TMPDIR/schemas" -type f -size +100c | wc -l)" -gt 40 ]
	[ -z "$(find "$BATS_FILE_TMPDIR/schemas" -type f -size -100c)" ]
	every '[."$id", .properties.schema.const] | unique == ["rdmactl/\($name)/1"]'
	# The document of a change or a mesh begins with facts about the run as a whole.
	every '.required == ["schema", $name, "problems"] + ({change: ["changed"], mesh: ["plan", "seed", "hosts_wanted",
		"hosts_present", "hosts_missing", "rails", "ports_left_out", "pairs", "rounds", "pairs_failed", "pairs_untried",
		"pairs_left_out", "pairs_resumed", "pairs_one_way", "median_gbps", "median_both_gbps",
		"median_latency_usec", "seconds", "rehearsed", "interrupted"]}[$name] // [])'
	every '[.. | objects | select(.required and .type == "object") | select((.properties | keys_unsorted) != .required)] == []'
	every '.properties[$name].items.properties | length > 2 and
		all(.[]; (.description | type) == "string" and (.description | length) > 3)'
	nothing_wrong
	/usr/bin/python3 - "$BATS_FILE_TMPDIR"/schemas/* <<-'END'
		import json, sys, jsonschema
		for name in sys.argv[1:]:
		    jsonschema.Draft202012Validator.check_schema(json.load(open(name)))
	END
}

@test "schema: later versions may add keys" {
	every '[.. | objects | select(has("additionalProperties") or has("unevaluatedProperties"))] == []'
	nothing_wrong
}

@test "schema: values that may be unknown may be null" {
	every '.properties[$name].items.properties | all(.[];
		if .anyOf then any(.anyOf[]; .type == "null") else (.type | index("null")) != null end)'
	nothing_wrong
}

@test "schema: -o describes only the named columns" {
	try schema ports -o lid,port
	expect 0
	[ "$(jq -c '.properties.ports.items.required' <<<"$output")" = '["lid","port"]' ]
	[ "$(jq -c '.properties.ports.items.properties | keys_unsorted' <<<"$output")" = '["lid","port"]' ]
	try schema ports
	[ "$(jq '.properties.ports.items.required | length' <<<"$output")" -gt 20 ]
}

@test "schema: ports within devices" {
	try schema devices
	expect 0
	[ "$(jq -r '.properties.devices.items.properties.ports.items.properties.lid.type | join(" ")' <<<"$output")" = 'integer null' ]
}

@test "schema: unknown name" {
	try schema frobnicate
	expect_error 2 schema "no schema 'frobnicate'" 'rdmactl schema lists the schemas'
	try schema ''
	expect_error 2 schema "no schema ''" 'rdmactl schema lists the schemas'
	try schema help
	expect_error 2 schema "no schema 'help'" 'rdmactl schema lists the schemas'
}

@test "schema: unknown name with a suggestion" {
	try schema port
	expect_error 2 schema "no schema 'port'" "did you mean 'ports'?"
}

@test "schema: unknown column" {
	try schema ports -o lidd
	expect_error 2 schema "unknown column 'lidd'" "did you mean 'lid'?"
	try schema fabric_links -o frobnicate
	expect_error 2 schema "unknown column 'frobnicate'" \
		'rdmactl schema fabric_links lists the columns'
}

@test "schema: needs no RDMA and no tree" {
	try schema ports
	expect 0
	RDMACTL_ROOT=/nonexistent try schema ports
	expect 0 "$("$binary" schema ports)" ''
	[ -n "$output" ]
	RDMACTL_ROOT=/nonexistent try schema
	expect 0
	[[ $output == 'SCHEMA '* ]]
}
