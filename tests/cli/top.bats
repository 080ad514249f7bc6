#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# rdmactl top on a changing tree: without a terminal, and on the screen of a real one (tmux).

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

setup()
{
	tree=$BATS_TEST_TMPDIR/tree
	cp -a "$roots/cx6dx-roce" "$tree"
	port=$tree/sys/class/infiniband/mlx5_0/ports/1
	socket=$BATS_TEST_TMPDIR/tmux
}

teardown()
{
	[ ! -S "$socket" ] || tmux -S "$socket" kill-server 2>/dev/null || :
	[ -z "${writer-}" ] || kill "$writer" 2>/dev/null || :
}

# put FILE TEXT: replaces a file of mlx5_0/1, which is never empty in between.
put()
{
	echo "$2" >"$BATS_TEST_TMPDIR/new"
	mv "$BATS_TEST_TMPDIR/new" "$(realpath "$port/$1")"
}

# grow FILE N: adds to a counter, with one write to the same file, so that the file stays the same,
# as in the kernel.
grow()
{
	echo $(($(<"$port/$1") + $2)) >"$BATS_TEST_TMPDIR/new"
	dd if="$BATS_TEST_TMPDIR/new" of="$port/$1" conv=notrunc status=none
}

# Makes a port send 25 MB/s in words of four bytes, and lose packets, until the test ends.
keep_growing()
{
	while sleep 0.05; do
		grow counters/port_xmit_data 312500
		grow counters/port_xmit_packets 1000
		grow hw_counters/out_of_buffer 2
	done &
	writer=$!
}

# A shell on a terminal of COLUMNS x LINES, with the terminal type TERM.
open_terminal()
{
	quickly tmux -S "$socket" -f /dev/null new-session -d -x "$1" -y "$2" "env TERM=${3-screen} PS1='$ ' bash --norc --noprofile"
	tmux -S "$socket" set-option -g remain-on-exit on >/dev/null
	wait_for '^\$'
}

press()
{
	tmux -S "$socket" send-keys "$@"
}

show()
{
	tmux -S "$socket" capture-pane -p
}

start_top()
{
	press "clear; stty -g; $binary top --root $tree -i 100ms; status=\$?; stty -g; echo status=\$status" Enter
	wait_for '^PORT '
}

# wait_for REGEX: waits until a line of the screen matches; sets $screen to the screen.
wait_for()
{
	local try

	for ((try = 0; try < 1200; try++)); do
		screen=$(show)
		! grep -qE -- "$1" <<<"$screen" || return 0
		sleep 0.05
	done
	echo "no line like $1 on:"
	echo "$screen"
	return 1
}

# Waits until no line matches.
wait_without()
{
	local try

	for ((try = 0; try < 1200; try++)); do
		screen=$(show)
		grep -qE -- "$1" <<<"$screen" || return 0
		sleep 0.05
	done
	echo "still a line like $1 on:"
	echo "$screen"
	return 1
}

# No line of the screen is wider than this, and none is below that one.
fits()
{
	[ "$(show | wc -l)" -le "$2" ]
	! show | grep -qE "^.{$(($1 + 1))}"
}

@test "top: traffic that both the port's agent and its driver count is counted once" {
	local port

	rm -rf "$tree"
	cp -a "$roots/bnxt-sriov" "$tree"
	port=$tree/sys/class/infiniband/bnxt_re0/ports/1
	mkdir "$port/counters"
	begin()
	{
		echo 100 | tee "$port"/counters/port_xmit_{data,discards} >"$port/hw_counters/tx_roce_discards"
		echo 400 >"$port/hw_counters/tx_bytes"
	}
	go_on()
	{
		echo 107 | tee "$port"/counters/port_xmit_discards >"$port/hw_counters/tx_roce_discards"
		echo 1000100 >"$port/counters/port_xmit_data"
		echo 4000400 >"$port/hw_counters/tx_bytes"
	}
	begin
	try_between begin go_on top bnxt_re0 --root "$tree" --jsonl -c 1
	jq -e '.drops == 7' <<<"$output"
	# 4 MB, in Mb/s.
	is_between "$(awk "BEGIN { print 32 / $most }")" "$(jq '.tx_gbps * 1000' <<<"$output")" "$(awk "BEGIN { print 32 / $least }")"
}

@test "top: without a terminal one table per round, and JSON that follows the schema" {
	try top --root "$tree" -c 2 -i 100ms -o object,state,tx_gbps,drops,flaps
	expect 0 "PORT     STATE  TX Gb/s DROPS FLAPS
mlx5_0/1 active       0     0     0
mlx5_1/1 down         0     0     0
mlx5_2/1 active       0     0     0
mlx5_0/1 active       0     0     0
mlx5_1/1 down         0     0     0
mlx5_2/1 active       0     0     0" ''
	"$binary" schema top >"$BATS_TEST_TMPDIR/schema"
	try top --root "$tree" -c 2 -i 100ms --json
	[ "$status" = 0 ]
	mkdir "$BATS_TEST_TMPDIR/documents"
	cp "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/documents/top.json"
	python3 -c 'import json, sys, jsonschema
jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))' \
		"$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/schema"
	[ "$(jq -r '.top | length' "$BATS_TEST_TMPDIR/out")" = 6 ]
	try top --root "$tree" -c 2 -i 100ms --jsonl mlx5_0
	[ "$(jq -r .object "$BATS_TEST_TMPDIR/out" | sort | uniq -c | xargs)" = '2 mlx5_0/1' ]
}

# Waits until a jq condition is true of the last line that top has printed; `input` is needed
# because jq -e takes an empty input for true.
last_line_is()
{
	local try

	for ((try = 0; try < 1200; try++)); do
		! tail -n 1 "$printed" 2>/dev/null | jq -ne "input | $1" >/dev/null 2>&1 || return 0
		sleep 0.05
	done
	echo "not $1: $(tail -n 1 "$printed")"
	return 1
}

@test "top: rates, sums since the start and the worst counter in JSON" {
	local step

	printed=$BATS_TEST_TMPDIR/printed
	"$binary" top --root "$tree" -i 100ms --jsonl mlx5_0 >"$printed" &
	writer=$!
	last_line_is '.drops == 0 and .flaps == 0 and .tx_gbps == 0 and .worst_counter == null'
	for step in 1 2 3 4 5; do
		grow counters/port_xmit_data 312500
		grow counters/port_xmit_packets 1000
		grow hw_counters/out_of_buffer 2
		last_line_is ".drops == $((2 * step))"
	done
	last_line_is '.drops_per_sec == 0 and .tx_gbps == 0 and .worst_per_sec == null'
	kill "$writer"
	wait "$writer"
	writer=
	jq -se '
		any(.[]; .tx_gbps > 0) and any(.[]; .tx_packets_per_sec > 0) and
		all(.[]; .tx_percent == .tx_gbps and .rx_gbps == 0 and .bytes_source == "pma") and
		all(.[] | select(.drops > 0); .worst_counter == "rx_out_of_buffer" and
			.worst_severity == "warning" and (.worst_per_sec > 0) == (.drops_per_sec > 0))' "$printed" ||
		{ cat "$printed" && false; }
}

@test "top: a counter that cannot be read leaves its column unknown, with a problem" {
	ln -sf '!EIO' "$(realpath "$port/counters/port_xmit_data")"
	try top --root "$tree" -c 1 -i 100ms --json mlx5_0
	[ "$status" = 3 ]
	jq -e '.top[0].tx_gbps == null and .top[0].rx_gbps == 0 and .problems[0].object == "mlx5_0/1"' \
		"$BATS_TEST_TMPDIR/out"
}

@test "top: a host without devices, an unknown device, wrong options" {
	on no-rdma top -c 1
	[ "$status" = 5 ]
	[ -z "$output" ]
	on cx6dx-roce top -c 1 none
	[ "$status" = 5 ]
	[[ $stderr = *none* ]]
	on cx6dx-roce top -i 1ms
	[ "$status" = 2 ]
	[[ $stderr = *interval* ]]
	on cx6dx-roce top --sort size
	[ "$status" = 2 ]
	[[ $stderr = *sort* ]]
}

@test "top: ports of all machines; values that a driver does not count are unknown" {
	local machine

	for machine in cx5-ib-edr cx7-ib-ndr efa irdma-iwarp opa-hfi1 qib-counters rxe-host vendors hostile mlx4-dead-port; do
		on $machine top -c 1 -i 100ms --json
		[ "$status" = 0 ] || [ "$status" = 3 ] || { echo "$machine: $status $stderr" && false; }
		jq -e '.top | length > 0' "$BATS_TEST_TMPDIR/out"
	done
	on vendors top -c 1 -i 100ms --jsonl siw0
	jq -e '.tx_gbps == null and .drops == null and .worst_counter == null' "$BATS_TEST_TMPDIR/out"
}

@test "top: the screen shows what grows, and restores the terminal when it quits" {
	open_terminal 80 24
	start_top
	wait_for '^mlx5_0/1 active  0\.00 \[ +\]'
	keep_growing
	wait_for '^mlx5_0/1 active  0\.[0-9]+ \[#'
	wait_for '^mlx5_0/1 .* [0-9.k]+\+ +0 +0 +0$'
	fits 80 24
	press q
	wait_for '^status=0'
	[[ $screen != *PORT* ]]
	[ "$(grep -cE '^[0-9a-f:]{20}' <<<"$screen")" = 2 ]
	[ "$(grep -E '^[0-9a-f:]{20}' <<<"$screen" | uniq | wc -l)" = 1 ]
	[ "$(tmux -S "$socket" display -p '#{alternate_on} #{cursor_flag}')" = '0 1' ]
}

@test "top: every signal that ends it restores the terminal, and so does ^Z until fg" {
	local signal

	open_terminal 80 24
	for signal in INT TERM HUP QUIT; do
		start_top
		kill -$signal "$(pgrep -f "^$binary top --root $tree")"
		wait_for '^status='
		[ "$(tmux -S "$socket" display -p '#{alternate_on} #{cursor_flag}')" = '0 1' ]
		[ "$(grep -E '^[0-9a-f:]{20}' <<<"$screen" | uniq | wc -l)" = 1 ]
	done
	start_top
	press C-z
	wait_for 'Stopped'
	[ "$(tmux -S "$socket" display -p '#{alternate_on} #{cursor_flag}')" = '0 1' ]
	press 'stty -a | grep -o " icanon"; fg' Enter
	wait_for '^PORT '
	press C-c
	wait_for '^\$$'
	[[ $screen = *icanon* ]]
	[ "$(tmux -S "$socket" display -p '#{alternate_on} #{cursor_flag}')" = '0 1' ]
}

@test "top: keys sort, filter, pause, change the interval and help" {
	open_terminal 80 24
	start_top
	keep_growing
	wait_for '^mlx5_0/1 active  0\.[0-9]+ \[#'
	press s
	wait_for 'by tx'
	press S
	wait_without 'by tx'
	press / mlx5_2
	wait_for 'only: mlx5_2_'
	press Enter
	wait_for "only 'mlx5_2', 1 port"
	[[ $screen != *mlx5_0/1* && $screen = *mlx5_2/1* ]]
	press / mlx5_2 BSpace 0 Enter
	wait_for "only 'mlx5_0', 1 port"
	press / nothing Enter
	wait_for 'no port matches'
	press Escape
	wait_for '^mlx5_1/1'
	press +
	wait_for 'every 0.2 s'
	press -
	wait_for 'every 0.1 s'
	press h
	wait_for 'previous order'
	press h
	wait_without 'previous order'
	press p
	wait_for '^PAUSED'
	# The contents of the screen stay, though the counters go on.
	local before=$screen
	sleep 0.5
	[ "$(show)" = "$before" ]
	press p
	wait_without '^PAUSED'
	press q
	wait_for '^status=0'
}

@test "top: any size of the terminal" {
	open_terminal 200 50
	start_top
	[[ $screen = *' ECN   CNP  WAIT FLAPS WORST'* ]]
	keep_growing
	wait_for 'rx_out_of_buffer/s'
	fits 200 50
	tmux -S "$socket" resize-window -x 80 -y 24
	wait_for 'CONG FLAPS$'
	fits 80 24
	tmux -S "$socket" resize-window -x 40 -y 24
	wait_for '^PORT +STATE +TX +RX DROPS +RETR$'
	fits 40 24
	[[ $screen = *'mlx5_0/1 active'* ]]
	tmux -S "$socket" resize-window -x 40 -y 5
	wait_for '^q:quit'
	wait_without 'mlx5_2/1'
	[[ $screen = *'ports 1-2 of 3'* && $screen = *mlx5_0/1* && $screen = *mlx5_1/1* ]]
	fits 40 5
	press Down
	wait_for 'ports 2-3 of 3'
	tmux -S "$socket" resize-window -x 10 -y 2
	press q
	tmux -S "$socket" resize-window -x 80 -y 24
	wait_for '^status=0'
}

@test "top: a port that goes down, a device that vanishes and comes back" {
	open_terminal 80 24
	start_top
	put state '1: DOWN'
	wait_for '^mlx5_0/1 down'
	wait_for 'Z mlx5_0/1 port-down state active -> down'
	wait_for '^mlx5_0/1 .* 1$'
	put state '4: ACTIVE'
	wait_for '^mlx5_0/1 active'
	mv "$tree/sys/class/infiniband/mlx5_0" "$BATS_TEST_TMPDIR/gone"
	wait_for '^mlx5_0/1 gone +- '
	wait_for 'mlx5_0 device-removed'
	mv "$BATS_TEST_TMPDIR/gone" "$tree/sys/class/infiniband/mlx5_0"
	wait_for '^mlx5_0/1 active +[0-9]'
	wait_for 'mlx5_0 device-added'
	press q
	wait_for '^status=0'
}

@test "top: a dumb terminal gets tables" {
	open_terminal 130 24 dumb
	press "$binary top --root $tree -c 1 -i 100ms mlx5_0; echo status=\$?" Enter
	wait_for '^status=0'
	[[ $screen = *'TIME '*'PORT '*'mlx5_0/1 active'* ]]
}

@test "top: a restricted function is left alone after one question" {
	local file

	for file in "$port"/counters/*; do
		ln -sf '!EINVAL' "$file"
	done
	try top --root "$tree" -c 2 -i 100ms --json
	[ "$status" = 3 ]
	jq -e '[.top[].object] == ["mlx5_1/1", "mlx5_2/1", "mlx5_1/1", "mlx5_2/1"] and
		(.problems | length) == 1 and (.problems[0].error | startswith("omitted for a restricted function"))' \
		"$BATS_TEST_TMPDIR/out"
}
