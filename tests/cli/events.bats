#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The command line of events as far as it can be tested without events; the virtual machine covers
# the rest.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# refused MESSAGE HINT WORD...: wrong usage, reported with these lines.
refused()
{
	local message=$1 hint=$2

	shift 2
	quickly try events "$@"
	expect_error 2 events "$message" "$hint" || wrong "$*"
}

words()
{
	"$binary" __complete -- events --until '' | cut -f 1
}

@test "events: --help names options and columns" {
	local word

	try events --help
	expect 0
	[ -z "$stderr" ]
	for word in --event --severity --until --already --count --duration --exec --counter --flap \
		--all; do
		grep -q -e "[ ]$word " <<<"$output" || wrong "$word"
	done
	for word in time object event change; do
		grep -q "^  \* $word " <<<"$output" || wrong "$word is no default column"
	done
	nothing_wrong
}

@test "events: invalid values" {
	refused "--count: '0' is less than 1" 'rdmactl events --help' --count 0
	refused "--duration: 'soon' is not a duration (500ms, 2s, 1m)" 'rdmactl events --help' \
		--duration soon
	refused '--already needs --until' 'rdmactl events --help' --already
	for value in 3 /10m 3/ 0/10m 3/0 3/10x 1001/10m -1/1s 3/10m/2; do
		refused "--flap: '$value' is not COUNT/TIME" \
			'3/10m: down three times within ten minutes; 0: none' --flap "$value"
	done
	for value in symbol_error '>10/s' 'symbol_error>/s' 'symbol_error>10' 'symbol_error>10/' \
		'symbol_error>ten/s' 'symbol_error>1e3/s' 'symbol_error>10/day' 'symbol_error<10/s' \
		'symbol_error>1/ms'; do
		refused "--counter: '$value' is not NAME>N/UNIT" \
			'symbol_error>10/s; the unit is s, m or h' --counter "$value"
	done
	# A bad word among good ones is named.
	refused "--counter: 'b' is not NAME>N/UNIT" 'symbol_error>10/s; the unit is s, m or h' \
		--counter 'a>1/s,b'
	try events --until port-actve
	expect 2
	grep -q "^rdmactl events: --until: 'port-actve' is not one of device-added, " <<<"$stderr"
	grep -q "^  did you mean 'port-active'?$" <<<"$stderr"
	try events --event port-active,nonsense
	expect 2
	grep -q "^rdmactl events: --event: 'nonsense' is not one of " <<<"$stderr"
	try events --severity bad
	expect_error 2 events "--severity: 'bad' is not one of info, notice, warning, error" \
		'rdmactl events --help'
	try events mlx5_0/x
	expect_error 2 events "'mlx5_0/x' is not DEV or DEV/PORT" 'rdmactl devices lists the names'
	try events -o objct
	expect_error 2 events "unknown column 'objct'" "did you mean 'object'?"
	nothing_wrong
}

@test "events: a saved tree has no events" {
	on cx6dx-roce events
	expect_error 2 events 'a saved tree has no events' \
		'run it on the live system, without --root or RDMACTL_ROOT'
	RDMACTL_ROOT=$roots/cx6dx-roce try events --json
	expect 2
	jq -e '.schema == "rdmactl/events/1" and .events == [] and
		.problems[0].error == "a saved tree has no events"' <<<"$output"
}

@test "events: no RDMA device to watch" {
	local words

	no_device
	for words in '' mlx5_0 '--until port-active -d 5s' '--duration 1s --event port-down'; do
		# shellcheck disable=SC2086 # two words
		try events $words
		expect_error 5 events 'this system has no RDMA core: no /sys/class/infiniband' \
			"$no_core_hint" || wrong "$words"
	done
	try events --json
	expect 5
	jq -e '.events == [] and .problems[0].hint' <<<"$output"
	nothing_wrong
}

@test "events: waiting for the first device" {
	no_device
	try events --until device-added --duration 200ms
	expect 4 ''
	same 'standard error' "rdmactl events: this system has no RDMA core: no /sys/class/infiniband
  $no_core_hint
rdmactl events: device-added did not happen within 0.2 s
  the state before watching began does not count without --already
" "$stderr"
	try events --event device-added,device-removed --duration 200ms --json -q
	expect 0
	jq -e '.events == [] and .problems == []' <<<"$output"
	[ "$stderr" = $'rdmactl events: this system has no RDMA core: no /sys/class/infiniband\n' ]
	# Waiting must not load the RDMA core.
	[ ! -e /sys/class/infiniband ]
}

# watching FILE: waits until the file says that watching has begun.
watching()
{
	until grep -q '^rdmactl events: watching 0 ports of 0 devices$' "$1"; do
		sleep 0.05
	done
}

@test "events: signals end it cleanly, but not as if the event had happened" {
	local signal now=$BATS_TEST_TMPDIR

	no_device
	for signal in INT TERM HUP; do
		: >"$now/err.$signal"
		"$binary" events -v --event device-added --tsv >"$now/out" 2>"$now/err.$signal" &
		watching "$now/err.$signal"
		kill -$signal $!
		status=0
		wait $! || status=$?
		[ "$status" = 0 ] || wrong "$signal: $status"
		[ "$(cat "$now/out")" = $'time\tobject\tevent\tchange' ] || wrong "$signal: no headings"
	done
	: >"$now/err"
	"$binary" events -v --until device-added 2>"$now/err" &
	watching "$now/err"
	kill -INT $!
	status=0
	wait $! || status=$?
	[ "$status" = 1 ] || wrong "--until: $status"
	grep -qx 'rdmactl events: interrupted before device-added happened' "$now/err" ||
		wrong '--until: no message'
	nothing_wrong
}

@test "events: ends when the reader closes its output" {
	no_device
	# shellcheck disable=SC2016 # for the inner shell
	timeout 100 bash -c '"$1" events --event device-added; echo $? >"$2"' bash "$binary" \
		"$BATS_TEST_TMPDIR/status" 2>/dev/null | true
	for _ in $(seq 1200); do
		[ ! -s "$BATS_TEST_TMPDIR/status" ] || break
		sleep 0.05
	done
	[ "$(cat "$BATS_TEST_TMPDIR/status")" = 1 ]
}

@test "events: the man page has every event as the program prints it, and nothing else" {
	"$binary" __complete -- events --until '' >"$BATS_TEST_TMPDIR/words"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/words")" -gt 30 ]
	sed -n '/^\.It Cm event /,/^\.El/{s/\\-/-/g;/^\.It Cm [^ ]*$/{s/^\.It Cm //;N;s/\n/\t/;s/\\-/-/g;p}}' \
		"$top/man/rdmactl-events.1" | diff - "$BATS_TEST_TMPDIR/words"
}

@test "events: completion knows the words of lists, levels and columns; the schema has all events" {
	[ "$("$binary" __complete -- events -e port-active,gid-r | cut -f 1)" = \
		port-active,gid-removed ]
	[ "$("$binary" __complete -- events --severity '' | cut -f 1 | paste -sd,)" = \
		info,notice,warning,error ]
	[ "$("$binary" __complete -- events -o gid_type_ | cut -f 1)" = gid_type_before ]
	try schema events
	expect 0
	jq -e '."$id" == "rdmactl/events/1"' <<<"$output"
	[ "$(words)" = "$(jq -r '.properties.events.items.properties.event |
		.enum // .anyOf[0].enum | .[] | strings' <<<"$output")" ]
	# Every key for the state before has one for the state after.
	jq -r '.properties.events.items.properties | keys[]' <<<"$output" >"$BATS_TEST_TMPDIR/keys"
	while read -r key; do
		grep -qx "${key%_before}" "$BATS_TEST_TMPDIR/keys" || [ "$key" = name_before ] ||
			wrong "$key"
	done < <(grep '_before$' "$BATS_TEST_TMPDIR/keys")
	nothing_wrong
}
