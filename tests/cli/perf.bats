#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The command line of perf as far as it can be tested without an InfiniBand port; the simulator
# covers the rest.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# refused MESSAGE WORD...: wrong usage, with that line.
refused()
{
	misuse perf "$@"
}

@test "perf: --help names the options and the columns of all its records" {
	try perf --help
	expect 0
	[ -z "$stderr" ]
	for word in --errors --traffic --fec --vl --congestion --watch --reset --all-ports --via; do
		grep -q -e " $word " <<<"$output" || wrong "$word"
	done
	for column in '\* symbol_errors' '\* xmit_data_bytes' '\* xmit_wait_ticks' \
		'  width_bits' '  saturated' '\* corrected_symbols' '\* rcv_fecn_packets' \
		'\* xmit_gbps'; do
		grep -q "^  $column " <<<"$output" || wrong "$column"
	done
	nothing_wrong
}

@test "perf: options that exclude each other" {
	local option

	refused '--fec cannot be used with --vl' --vl --fec
	refused '--congestion cannot be used with --errors' --congestion --errors
	refused '--vl cannot be used with --traffic' --traffic --vl 5
	for option in --errors --traffic --reset; do
		refused "--watch cannot be used with $option" --watch $option
	done
	refused '--vl cannot be used with --by-sl' --by-sl --vl
	refused '--details cannot be used with --flow' --details --flow
	refused '--vl cannot be used with --sum' --vl --sum
	refused '--sum cannot be used with --all-ports' --sum --all-ports
	refused '--counters cannot be used with --errors' --reset --errors --counters link_downed
	refused '--samples cannot be used with --watch' --watch --samples
	refused '--samples cannot be used with --sample' --samples --sample xmit-wait
	refused '--sample cannot be used with --reset' --sample xmit-wait --reset
	nothing_wrong
}

@test "perf: an option without its mode" {
	refused '--interval needs --watch' --interval 2s
	refused '--count needs --watch' --count 3
	refused '--all needs --vl, --congestion or --by-sl' --all --errors
	refused '--counters needs --reset' --counters link_downed
	refused '--ticks needs --sample' --ticks 5
	nothing_wrong
}

@test "perf: invalid values" {
	refused "--interval: '50ms' is not between 100ms and 1h" --watch --interval 50ms
	refused "--count: '0' is not between 1 and 4294967295" --watch --count 0
	refused "--ticks: '0' is not between 1 and 4294967295" --sample xmit-wait --ticks 0
	refused "--retries: '8' is not between 0 and 7" --retries 8
	nothing_wrong
}

@test "perf: counters cannot be read by a directed route" {
	local words

	for words in '-D 0,1' '0,1,3 1' '--direct 5' '-D 0'; do
		# shellcheck disable=SC2086 # several words
		try perf $words
		expect 2 '' || wrong "$words"
		[ "${stderr%%$'\n'*}" = \
			'rdmactl perf: performance management cannot be reached by directed route' ] ||
			wrong "$words: $stderr"
	done
	nothing_wrong
}

@test "perf: an unknown column" {
	try perf -o symbol_errrs
	expect_error 2 perf "unknown column 'symbol_errrs'" "did you mean 'symbol_errors'?"
	try perf --vl -o symbol_errors
	expect 2 ''
	try perf --watch -o xmit_gpbs
	expect_error 2 perf "unknown column 'xmit_gpbs'" "did you mean 'xmit_gbps'?"
}

@test "perf: no device" {
	no_device
	try perf
	expect 5 ''
	[ -n "$stderr" ]
	try perf 5 1-3 --reset --json
	expect 5
	jq -e '.schema == "rdmactl/perf/1" and .perf == [] and (.problems | length) == 1' <<<"$output"
	for option in vl fec congestion details flow samples; do
		try perf 5 --$option --json
		expect 5 || wrong "$option"
		jq -e ".schema == \"rdmactl/perf_$option/1\" and .perf_$option == []" <<<"$output" ||
			wrong "$option"
	done
	try perf --watch --by-sl --json
	expect 5
	jq -e '.schema == "rdmactl/perf_sl_rates/1" and .perf_sl_rates == []' <<<"$output" || wrong sl
	try perf --watch --json
	expect 5
	jq -e '.schema == "rdmactl/perf_rates/1" and .perf_rates == []' <<<"$output" || wrong rates
	nothing_wrong
}

@test "perf: a saved tree answers no datagrams" {
	on cx7-ib-ndr perf
	expect_error 2 perf 'a saved tree answers no management datagrams' \
		'run it on the live system, without --root or RDMACTL_ROOT'
	on cx7-ib-ndr perf --json
	expect 2
	jq -e '.perf == [] and (.problems | length) == 1' <<<"$output"
}

@test "perf: schemas of all its records" {
	local name

	for name in perf perf_vl perf_fec perf_congestion perf_rates; do
		try schema "$name"
		expect 0 || wrong "$name"
		jq -e --arg name "$name" '.properties[$name].items.properties.port' <<<"$output" \
			>"$BATS_TEST_TMPDIR/port" || wrong "$name has no port"
	done
	nothing_wrong
}

@test "perf: completion knows options and columns" {
	try __complete -- perf --con
	expect 0
	grep -q '^--congestion' <<<"$output"
	try __complete -- perf -o xmit_d
	expect 0
	grep -q '^xmit_data_bytes' <<<"$output"
	grep -q '^xmit_discards' <<<"$output"
}
