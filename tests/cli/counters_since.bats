#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Counters that are saved, compared and watched, on a saved machine that changes between two
# readings.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

setup()
{
	cp -r "$roots/cx6dx-roce" "$BATS_TEST_TMPDIR/root"
	port=$BATS_TEST_TMPDIR/root/sys/class/infiniband/mlx5_0/ports/1
	file=$BATS_TEST_TMPDIR/saved.json
}

# here WORD...: reads the machine of this test.
here()
{
	try counters --root "$BATS_TEST_TMPDIR/root" "$@"
}

# since NAME: the growth and the state of one counter of mlx5_0/1 since it was saved.
since()
{
	here --since "$file" --all --no-headings --tsv -o kernel_name,growth,state mlx5_0/1
	grep "^$1	" "$BATS_TEST_TMPDIR/out"
}

@test "counters: --save and --since: growth, and why there is none" {
	here --save "$file"
	[ "$status" = 0 ]
	[ -z "$output" ]
	[ -z "$stderr" ]
	here --since "$file" --errors
	[ "$status" = 0 ]
	[ -z "$output" ]
	echo 30 >"$port/hw_counters/out_of_buffer"
	echo 255 >"$port/counters/link_downed"
	echo 5 >"$port/counters/port_xmit_packets"
	same growth 'out_of_buffer	11	counted' "$(since out_of_buffer)"
	same saturated 'link_downed		saturated' "$(since link_downed)"
	same cleared 'port_xmit_packets		cleared' "$(since port_xmit_packets)"
}

@test "counters: --since with --save saves the reading that was compared" {
	here --save "$file"
	echo 30 >"$port/hw_counters/out_of_buffer"
	here --since "$file" --save "$file" --errors
	[[ "$output" = *rx_out_of_buffer* ]]
	since out_of_buffer
	same growth 'out_of_buffer	0	counted' "$(since out_of_buffer)"
	# The file has the time of the reading, however long it took to print it.
	here --since "$file" --save "$file" --jsonl -o time
	same time "{\"time\": \"$(jq -r .time "$file")\"}" "$(sort -u "$BATS_TEST_TMPDIR/out")"
	# All counters are saved, even those that are not shown.
	same traffic 'port_xmit_packets	0	counted' "$(since port_xmit_packets)"
}

@test "counters: --since of another boot, of another host" {
	here --save "$file"
	mkdir -p "$BATS_TEST_TMPDIR/root/proc/sys/kernel/random"
	echo boot-2 >"$BATS_TEST_TMPDIR/root/proc/sys/kernel/random/boot_id"
	echo node2 >"$BATS_TEST_TMPDIR/root/proc/sys/kernel/hostname"
	sed -i 's/"boot_id": null/"boot_id": "boot-1"/' "$file"
	here --since "$file"
	[ "$status" = 3 ]
	[[ "$stderr" = *"the host was restarted after"* ]]
	sed -i 's/"host": null/"host": "node1"/' "$file"
	here --since "$file"
	[ "$status" = 1 ]
	[ -z "$output" ]
	[[ "$stderr" = *"was saved on the host node1, and this is node2"* ]]
}

# The file as the running boot would have saved it.
booted()
{
	sed -i 's/"boot_id": null/"boot_id": "boot-1"/' "$file"
	mkdir -p "$BATS_TEST_TMPDIR/root/proc/sys/kernel/random"
	echo boot-1 >"$BATS_TEST_TMPDIR/root/proc/sys/kernel/random/boot_id"
}

@test "counters: --since without a boot_id on one side: the host name decides" {
	here --save "$file"
	mkdir -p "$BATS_TEST_TMPDIR/root/proc/sys/kernel/random"
	echo node2 >"$BATS_TEST_TMPDIR/root/proc/sys/kernel/hostname"
	sed -i 's/"host": null/"host": "node1"/' "$file"
	# Neither side has one.
	here --since "$file"
	[ "$status" = 1 ]
	[[ "$stderr" = *"was saved on the host node1, and this is node2"* ]]
	# Only this side has one.
	echo boot-1 >"$BATS_TEST_TMPDIR/root/proc/sys/kernel/random/boot_id"
	here --since "$file"
	[ "$status" = 1 ]
	[[ "$stderr" = *"was saved on the host node1, and this is node2"* ]]
	# The same boot: the host was renamed meanwhile.
	booted
	here --since "$file"
	[ "$status" = 0 ]
	# Only the file has one.
	rm "$BATS_TEST_TMPDIR/root/proc/sys/kernel/random/boot_id"
	here --since "$file"
	[ "$status" = 1 ]
	# The same host name.
	echo node1 >"$BATS_TEST_TMPDIR/root/proc/sys/kernel/hostname"
	here --since "$file"
	[ "$status" = 0 ]
}

@test "counters: --since: every column, with seconds and rates" {
	local earlier

	here --save "$file"
	echo 119 >"$port/hw_counters/out_of_buffer"
	# 222671155960 bytes, then 10^9 more, counted in words of 4 bytes.
	earlier=$(date -u -d '100 seconds ago' +%Y-%m-%dT%H:%M:%S.%3N)
	sed -i "0,/\"time\": \"[^\"]*\"/s//\"time\": \"${earlier}Z\"/" "$file"
	echo 55917788990 >"$port/counters/port_xmit_data"
	here --since "$file" --jsonl mlx5_0 --all -o all
	[ "$status" = 0 ]
	python3 - "$BATS_TEST_TMPDIR/out" <<'CHECK'
import json, sys
rows = {row["kernel_name"]: row for row in map(json.loads, open(sys.argv[1], encoding="utf-8"))
        if row["object"] == "mlx5_0/1"}


def same(row, **wanted):
    for key, value in wanted.items():
        assert row[key] == value, (key, row[key], value)


def about(got, wanted):
    assert abs(got - wanted) <= wanted * 0.05, (got, wanted)


lost = rows["out_of_buffer"]
same(lost, device="mlx5_0", port=1, source="hw", counter="rx_out_of_buffer", unit="packets",
     direction="rx", group="rnr", severity="warning", before=19, value=119, growth=100,
     throughput_gbps=None, percent_of_rate=None, state="counted", problem=None)
# 100 s since then, plus the time that the test takes.
about(lost["interval_sec"], 102)
about(lost["rate_per_sec"], 100 / lost["interval_sec"])
sent = rows["port_xmit_data"]
same(sent, counter="tx_bytes", unit="bytes", direction="tx", group="traffic", severity="info",
     before=222671155960, value=223671155960, growth=1000000000, state="counted")
about(sent["rate_per_sec"], 1e9 / sent["interval_sec"])
about(sent["throughput_gbps"], 8 / sent["interval_sec"])
about(sent["percent_of_rate"], 100 * sent["throughput_gbps"] / 100)
still = rows["port_rcv_data"]
same(still, growth=0, rate_per_sec=0, throughput_gbps=0, percent_of_rate=0)
CHECK
}

@test "counters: --since of a file of another kind" {
	here --since "$file"
	[ "$status" = 1 ]
	[[ "$stderr" = *"cannot read $file: No such file or directory"* ]]
	for text in '' '[]' '{"schema": "rdmactl/ports/1", "ports": []}' '{"saved_counters": [{'; do
		printf '%s' "$text" >"$file"
		here --since "$file"
		[ "$status" = 1 ]
		[ -z "$output" ]
		[[ "$stderr" = *"cannot use $file: "* ]]
	done
}

@test "counters: --save and --since print a document when they fail, with --json too" {
	here --save "$file" --json
	[ "$status" = 0 ]
	jq -e '.schema == "rdmactl/counters/1" and .counters == [] and .problems == []' <<<"$output"
	here --save /dev/null --json
	[ "$status" = 1 ]
	jq -e '.counters == [] and (.problems | length == 1)' <<<"$output"
	here --since "$file.none" --json
	[ "$status" = 1 ]
	jq -e '.schema == "rdmactl/counter_rates/1" and .counter_rates == [] and
		.problems[0].error[:11] == "cannot read"' <<<"$output"
	here --since "$file" --json nosuch
	[ "$status" = 5 ]
	jq -e '.counter_rates == [] and .problems[0].object == "nosuch"' <<<"$output"
}

@test "counters: --save replaces regular files only" {
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	here --save "$BATS_TEST_TMPDIR/fifo"
	[ "$status" = 1 ]
	[ -p "$BATS_TEST_TMPDIR/fifo" ]
	here --save "$BATS_TEST_TMPDIR"
	[ "$status" = 1 ]
	echo old >"$BATS_TEST_TMPDIR/other"
	ln -s other "$file"
	here --save "$file"
	[ "$status" = 0 ]
	# The user's own link stays, and the file that it leads to is replaced.
	[ -L "$file" ]
	grep -q rdmactl/ "$BATS_TEST_TMPDIR/other"
}

@test "counters: a limit of the file size is reported, and --save leaves nothing behind" {
	(
		ulimit -f 4
		here --all --save "$file"
		expect_error 1 counters "cannot write $file: File too large" \
			"raise the limit of a file's size (ulimit -f)"
	)
	[ -z "$(compgen -G "$file*")" ]
}

# Standard output under any of its names gets the document and nothing else. The name stays what it
# is.
@test "counters: --save to standard output" {
	local name

	ln -s /proc/self/fd/1 "$BATS_TEST_TMPDIR/stdout"
	here --save "$file"
	for name in - /dev/stdout /proc/self/fd/1 "$BATS_TEST_TMPDIR/stdout"; do
		here --save "$name"
		same "$name" "$(jq -S 'del(.time)' "$file")" "$(jq -S 'del(.time)' <<<"$output")"
		here --save "$name" --json
		jq -e '.schema == "rdmactl/saved_counters/1"' <<<"$output" >/dev/null || wrong "$name, JSON"
		here --since "$file" --save "$name"
		jq -e '.schema == "rdmactl/saved_counters/1"' <<<"$output" >/dev/null || wrong "$name, --since"
		# Through a pipe, which is not a regular file.
		"$binary" --root "$BATS_TEST_TMPDIR/root" counters --save "$name" | jq -ne "input | .saved_counters" >/dev/null || wrong "$name, pipe"
	done
	[ -L "$BATS_TEST_TMPDIR/stdout" ]
	[ -L /dev/stdout ]
	[ ! -e - ]
	nothing_wrong
	"$binary" --root "$BATS_TEST_TMPDIR/root" counters --save - >/dev/full 2>"$BATS_TEST_TMPDIR/err" && wrong 'a full device'
	grep -q 'No space left' "$BATS_TEST_TMPDIR/err"
	nothing_wrong
}

@test "counters: --watch: rounds in every format" {
	here --watch --interval 100ms --count 2 --jsonl --errors mlx5_0 --all
	[ "$status" = 0 ]
	same rounds 2 "$(grep -c '"rx_out_of_buffer"' "$BATS_TEST_TMPDIR/out")"
	here --watch 0.1 mlx5_0 --count 2 --jsonl
	[ "$status" = 0 ]
	same 'interval in front' 2 "$(grep -c '"tx_bytes"' "$BATS_TEST_TMPDIR/out")"
	here --watch 10ms
	[ "$status" = 2 ]
	[[ "$stderr" = *"from 100ms to 1h"* ]]
	here --watch --interval 100ms --count 3 --tsv mlx5_0
	same headings 1 "$(grep -c '^time	' "$BATS_TEST_TMPDIR/out")"
	here --watch --interval 100ms --count 2 -j mlx5_0
	[ "$status" = 0 ]
	python3 -c 'import json, sys
document = json.load(open(sys.argv[1]))
assert document["schema"] == "rdmactl/counter_rates/1", document["schema"]
assert len({row["time"] for row in document["counter_rates"]}) == 2' "$BATS_TEST_TMPDIR/out"
}

@test "counters: --watch leaves a restricted function alone after one question" {
	local tree=$BATS_TEST_TMPDIR/tree file

	cp -a "$roots/cx5-ib-edr" "$tree"
	for file in "$tree"/sys/class/infiniband/mlx5_0/ports/1/counters/*; do
		ln -sf '!EINVAL' "$file"
	done
	try counters --root "$tree" --watch --interval 100ms --count 2 --json --all
	[ "$status" = 3 ]
	jq -e '([.counter_rates[].device] | unique | index("mlx5_0") == null and length > 0) and
		(.problems | length) == 1 and (.problems[0].error | startswith("omitted for a restricted function"))' \
		"$BATS_TEST_TMPDIR/out"
	# A single reading tries the counters one by one and does not call the function restricted.
	try counters --root "$tree" mlx5_0
	[ "$status" = 3 ]
	[[ $stderr != *restricted* ]]
}

@test "counters: optional counters need the live system" {
	here --optional
	expect_error 2 counters 'a saved tree has no optional counters' \
		'run it on the live system, or on a snapshot of it: rdmactl snapshot FILE'
}

@test "counters --since: the interval between two snapshots is the difference of their times" {
	local folder=$BATS_TEST_TMPDIR time file

	cd "$folder"
	for name in one two bad; do
		mkdir "$name"
		cp -r "$roots/cx6dx-roce" "$name/root"
		time='"2026-01-31T12:00:00.000Z"'
		[ $name = one ] || time='"2026-01-31T12:01:40.000Z"'
		[ $name != bad ] || time=null
		echo '{"schema": "rdmactl/snapshot/1", "snapshot": [{"time": '"$time"', "host": "a"}], "problems": []}' >"$name/manifest.json"
	done
	for name in two bad; do
		file=$name/root/sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data
		echo $(($(<$file) + 312500000)) >"$folder/new"
		cp "$folder/new" "$(realpath $file)"
	done
	try counters --root one --save saved
	[ "$status" = 0 ]
	[ "$(jq -r .time saved)" = 2026-01-31T12:00:00.000Z ]
	try counters --root two --since saved mlx5_0/1 --json
	[ "$status" = 0 ]
	jq -e '.counter_rates[] | select(.counter == "tx_bytes") | .interval_sec == 100 and .throughput_gbps == 0.1' <<<"$output"
	jq -e '.counter_rates[0].time == "2026-01-31T12:01:40.000Z"' <<<"$output"
	# A snapshot without a time: the growth is known, but not the rate.
	try counters --root bad --since saved mlx5_0/1 --json
	[ "$status" = 0 ]
	jq -e '.counter_rates[] | select(.counter == "tx_bytes") | .growth == 1250000000 and .interval_sec == null and .rate_per_sec == null' <<<"$output"
}
