#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Metrics: both formats as their own parsers read them, the textfile, the server.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# The duration is different each time.
steady()
{
	sed 's/^\(rdma_scrape_duration_seconds\) .*/\1 0.001/'
}

# sample NAME{LABELS}: its value in $output
sample()
{
	grep -v '^#' <<<"$output" | grep -F -- "$1 " | sed 's/.* //'
}

@test "metrics: the texts of a host" {
	local format

	for format in prometheus openmetrics; do
		quickly on cx6dx-roce metrics mlx5_0 --format $format
		[ "$status" = 0 ]
		steady <<<"$output" >"$BATS_TEST_TMPDIR/now"
		compare_golden "$top/tests/golden/cx6dx-roce/metrics.$format" "$BATS_TEST_TMPDIR/now"
	done
	nothing_wrong
}

@test "metrics: promtool and the OpenMetrics parser accept the output for every fixture" {
	local tree openmetrics=$BATS_TEST_TMPDIR/openmetrics trees=("$roots"/*)

	mkdir "$openmetrics"
	for tree in "${trees[@]}"; do
		quickly try metrics --root "$tree" --checks
		[ "$status" = 0 ] || [ "$status" = 3 ] || [ "$status" = 5 ] || wrong "$tree: status $status"
		promtool check metrics <"$BATS_TEST_TMPDIR/out" >"$BATS_TEST_TMPDIR/lint" 2>&1 ||
			wrong "$tree: $(<"$BATS_TEST_TMPDIR/lint")"
		quickly try metrics --root "$tree" --checks --format openmetrics
		mv "$BATS_TEST_TMPDIR/out" "$openmetrics/${tree##*/}"
	done
	/usr/bin/python3 "$BATS_TEST_DIRNAME/openmetrics.py" "$openmetrics"/* >"$BATS_TEST_TMPDIR/series" 2>&1
	! grep -vE '^[^ ]+: [0-9]+ series$' "$BATS_TEST_TMPDIR/series" || wrong 'is not OpenMetrics'
	[ "$(wc -l <"$BATS_TEST_TMPDIR/series")" = ${#trees[@]} ] || wrong "${#trees[@]} machines"
	nothing_wrong
}

@test "metrics: every catalogued counter that has a value is there, with that value" {
	local tree

	for tree in cx7-ib-ndr irdma-iwarp opa-hfi1; do
		quickly on $tree counters -a --json
		jq -r '.counters[] | select(.value != null and .group != "other") |
			(if .source == "netdev" or .source == "cm" then .source elif .port then "port" else "device" end) as $place |
			(.counter | if $place == "cm" then ltrimstr("cm_") else . end) as $name |
			"rdma_\($place)_\($name)\(if .kind == "gauge" then "" else "_total" end) device=\"\(.device)\"" +
			(if .port then ",port=\"\(.port)\"" else "" end) +
			(if .source == "netdev" then ",netdev=\"\(.netdev)\"" else "" end) + " \(.value)"
			' <<<"$output" | sort >"$BATS_TEST_TMPDIR/counters"
		quickly on $tree metrics --json
		jq -r '.metrics[] | "\(.metric) \(.labels) \(.value)"' <<<"$output" | sort >"$BATS_TEST_TMPDIR/metrics"
		[ "$(wc -l <"$BATS_TEST_TMPDIR/counters")" -gt 50 ]
		comm -23 "$BATS_TEST_TMPDIR"/{counters,metrics} >"$BATS_TEST_TMPDIR/missing"
		[ ! -s "$BATS_TEST_TMPDIR/missing" ] || wrong "$tree: $(<"$BATS_TEST_TMPDIR/missing")"
	done
	nothing_wrong
}

# give_agent TREE: makes a tree like bnxt_re of Linux 6.15 and later, where the port's agent has the
# same counters as the driver.
give_agent()
{
	local folder

	cp -a "$roots/bnxt-sriov" "$1"
	folder=$1/sys/class/infiniband/bnxt_re0/ports/1/counters
	mkdir "$folder"
	for file in port_{xmit,rcv}_{data,packets} unicast_{xmit,rcv}_packets port_rcv_errors port_xmit_discards; do
		echo 3 >"$folder/$file"
	done
}

@test "metrics: no series appears twice" {
	local tree trees=("$roots"/*) format double all=$BATS_TEST_TMPDIR/all

	give_agent "$BATS_TEST_TMPDIR/agent"
	# Both folders of a driver may have the same counter.
	cp -r "$roots/cx6dx-roce" "$BATS_TEST_TMPDIR/both"
	mkdir "$BATS_TEST_TMPDIR/both/sys/class/infiniband/mlx5_0/ports/1/diag_counters"
	echo 4711 >"$BATS_TEST_TMPDIR/both/sys/class/infiniband/mlx5_0/ports/1/diag_counters/out_of_buffer"
	for tree in "${trees[@]}" "$BATS_TEST_TMPDIR"/{agent,both}; do
		for format in rdmactl node_exporter; do
			quickly try metrics --root "$tree" --names $format
			printf '= %s, %s\n%s' "$tree" $format "$output" >>"$all"
		done
	done
	double=$(awk '/^= / { split("", seen); run = $0; runs++; next } !/^#/ { sub(/ [^ ]*$/, "") }
		!/^#/ && seen[$0]++ == 1 { print run ": " $0 } END { print runs " runs" }' "$all")
	[ "$double" = "$((2 * (${#trees[@]} + 2))) runs" ] || wrong "$double"
	# The driver's numbers are used, which are not cut to 16 bits, and the agent's only under its other
	# names.
	quickly try metrics --root "$BATS_TEST_TMPDIR/agent"
	[ "$(sample 'rdma_port_tx_bytes_total{device="bnxt_re0",port="1"}')" = 5512331233 ]
	[ "$(sample 'rdma_port_tx_discards_total{device="bnxt_re0",port="1"}')" = 0 ]
	[ "$(sample 'rdma_port_tx_unicast_packets_total{device="bnxt_re0",port="1"}')" = 3 ]
	quickly try metrics --root "$BATS_TEST_TMPDIR/agent" --names node_exporter
	[ "$(sample 'node_infiniband_port_data_transmitted_bytes_total{device="bnxt_re0",port="1"}')" = 12 ]
	nothing_wrong
}

@test "metrics: a value that cannot be read is a problem, and never 0" {
	quickly on bad-rate metrics
	[ "$status" = 3 ]
	[[ $output = *'rdma_scrape_problem{object="mlx5_1/1",attribute="rate_gbps"'* ]]
	[ -z "$(sample 'rdma_port_rate_bytes_per_second{device="mlx5_1",port="1"}')" ]
	[ "$(sample 'rdma_devices')" -gt 0 ]
}

@test "metrics: a saturated counter is marked" {
	quickly on cx5-ib-edr metrics
	[[ $output = *'rdma_saturated{device="mlx5_1",port="1",counter="tx_wait_ticks"} 1'* ]]
}

@test "metrics: a restricted function is left alone after one question" {
	local tree=$BATS_TEST_TMPDIR/tree

	cp -a "$roots/cx5-ib-edr" "$tree"
	for file in "$tree"/sys/class/infiniband/mlx5_0/ports/1/counters/*; do
		ln -sf '!EINVAL' "$file"
	done
	quickly try metrics --root "$tree"
	[ "$status" = 3 ]
	[[ $output = *'rdma_scrape_problem{object="mlx5_0",attribute="counters",source="sysfs",error="omitted for a restricted function'* ]]
	[[ $output != *'tx_bytes_total{device="mlx5_0"'* ]]
	[[ $output = *'tx_bytes_total{device="mlx5_1"'* ]]
}

# Two devices of one PCI function share one file numa_node; each member of a bond looks up the
# bond's ifindex.
@test "metrics: each file is read once" {
	local tree

	for tree in cx6dx-roce cx7-ib-ndr mlx4-vendor-counters rxe-host; do
		ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -qq -y -e trace=read -o "$BATS_TEST_TMPDIR/trace" \
			"$binary" metrics --root "$roots/$tree" >/dev/null || [ $? = 3 ]
		grep -o "^read([0-9]*<$roots/$tree/[^>]*>" "$BATS_TEST_TMPDIR/trace" | sed 's/^[^<]*//' | sort |
			grep -vE '/(numa_node|ifindex)>$' >"$BATS_TEST_TMPDIR/read"
		[ "$(wc -l <"$BATS_TEST_TMPDIR/read")" -gt 20 ]
		run -0 uniq -d "$BATS_TEST_TMPDIR/read"
		[ -z "$output" ]
	done
}

@test "metrics: excluded devices, groups, and no such device" {
	quickly on cx6dx-roce metrics --exclude mlx5_0,mlx5_2
	[ "$status" = 0 ]
	[[ $output != *'device="mlx5_0"'* && $output != *'device="mlx5_2"'* && $output = *'device="mlx5_1"'* ]]
	quickly on cx6dx-roce metrics --only link,drops
	[[ $output = *rdma_port_symbol_errors_total* && $output != *tx_bytes_total* ]]
	quickly on cx6dx-roce metrics mlx5_9
	[ "$status" = 5 ]
	[ "$(sample rdma_devices)" = 0 ]
	quickly on no-rdma metrics
	[ "$status" = 5 ]
	[ "$(sample rdma_devices)" = 0 ]
}

@test "metrics: the verdicts of the doctor" {
	quickly on mlx4-dead-port metrics --checks
	[ "$(sample 'rdma_check{check="port-state",object="mlx4_0/2"}')" = 1 ]
}

@test "metrics: --json follows its schema" {
	mkdir "$BATS_TEST_TMPDIR/runs"
	cd "$BATS_TEST_TMPDIR/runs"
	"$binary" schema metrics >../schema
	for tree in vendors hostile; do
		on $tree metrics --json || :
		cp ../out $tree.json
		cp ../err $tree.err
		echo "$status" >$tree.status
	done
	"$top/tests/cli/validate" ../schema .
}

@test "metrics: the textfile is complete and world-readable, and written even if data is missing" {
	local file=$BATS_TEST_TMPDIR/rdma.prom

	(umask 077 && quickly on bad-rate metrics --textfile "$file" && [ "$status" = 0 ] && [ -z "$output$stderr" ])
	[ "$(stat -c %a "$file")" = 644 ]
	promtool check metrics <"$file"
	grep -q '^rdma_scrape_problem' "$file"
	[ "$(ls "$BATS_TEST_TMPDIR"/*.prom*)" = "$file" ]
	quickly on no-rdma metrics --textfile "$file"
	[ "$status" = 0 ]
	grep -q '^rdma_devices 0$' "$file"
	try metrics --textfile "$BATS_TEST_TMPDIR/rdma.txt"
	expect_error 2 metrics '--textfile: node_exporter reads only files whose names end with .prom' \
		'for example: --textfile /var/lib/prometheus/node-exporter/rdma.prom'
	try metrics --format openmetrics --textfile "$file"
	expect_error 2 metrics '--textfile: node_exporter reads only the prometheus format' \
		'omit --format openmetrics'
	on no-rdma metrics --format prometheus --textfile "$file"
	[ "$status" = 0 ]
	on vendors metrics --textfile "$BATS_TEST_TMPDIR/nowhere/rdma.prom"
	expect_error 1 metrics "cannot write $BATS_TEST_TMPDIR/nowhere/rdma.prom: No such file or directory" \
		'name a file in a directory that exists and is writable'
}

@test "metrics: wrong arguments" {
	try metrics --listen nowhere
	expect 2 '' "rdmactl metrics: --listen: 'nowhere' is not ADDR:PORT with numbers
  such as 9879, 0.0.0.0:9879 or [::1]:9879"
	try metrics --listen 9879 --textfile x.prom
	[ "$status" = 2 ]
	try metrics --format xml
	[ "$status" = 2 ]
	try metrics --only speed
	[ "$status" = 2 ]
}

@test "metrics: over HTTP, with good and bad clients" {
	/usr/bin/python3 "$BATS_TEST_DIRNAME/metrics_http.py" "$binary" "$roots/cx6dx-roce"
}

@test "metrics: a real Prometheus scrapes them, and a real node_exporter reads the textfile" {
	/usr/bin/python3 "$BATS_TEST_DIRNAME/metrics_peers.py" "$binary" "$roots/cx6dx-roce"
}

@test "metrics: --names node_exporter has the series and values of node_exporter" {
	/usr/bin/python3 "$BATS_TEST_DIRNAME/node_exporter_names.py" "$binary" \
		"$roots"/{cx6dx-roce,cx7-ib-ndr,cx5-ib-edr,roce-bond-vlan}
	try metrics --names node_exporter --textfile x.prom
	[ "$status" = 2 ]
	# A vendor's 64-bit counters replace those that have stopped.
	quickly on mlx4-vendor-counters metrics --names node_exporter
	[ "$(sample 'node_infiniband_port_data_transmitted_bytes_total{device="mlx4_0",port="1"}')" = $((4 * 918273645546)) ]
	[ "$(sample 'node_infiniband_port_packets_received_total{device="mlx4_0",port="1"}')" = 8206971713 ]
	[ "$(sample 'node_infiniband_multicast_packets_received_total{device="mlx4_0",port="1"}')" = 1713 ]
}

@test "metrics: the alerts, and the names in them and in the dashboard" {
	local name tree

	promtool check rules "$top/contrib/prometheus/rdmactl.rules.yml"
	promtool test rules "$BATS_TEST_DIRNAME/metrics_rules.yml"
	jq -e '.panels | length > 8' "$top/contrib/grafana/rdmactl.json"
	for tree in cx6dx-roce bad-rate cx5-ib-edr; do
		quickly on $tree metrics --checks --json
		jq -r '.metrics[].metric' <<<"$output"
	done | sort -u >"$BATS_TEST_TMPDIR/printed"
	# Only on a live system: --top.
	echo rdma_command_registered_bytes >>"$BATS_TEST_TMPDIR/printed"
	grep -oh 'rdma_[a-z0-9_]*' "$top"/contrib/prometheus/*.yml "$top"/contrib/grafana/*.json | sort -u >"$BATS_TEST_TMPDIR/named"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/named")" -gt 20 ]
	while read -r name; do
		grep -qx "$name" "$BATS_TEST_TMPDIR/printed" || wrong "$name is not printed"
	done <"$BATS_TEST_TMPDIR/named"
	# The manual's table of node_exporter's names.
	sed -n '/^\.It Li /{n;s/^\.Li //p;}' "$top/man/rdmactl-metrics.1" >"$BATS_TEST_TMPDIR/named"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/named")" = 54 ]
	while read -r name; do
		grep -qx "$name" "$BATS_TEST_TMPDIR/printed" || wrong "$name is not printed"
	done <"$BATS_TEST_TMPDIR/named"
	nothing_wrong
}

@test "metrics: a tree that cannot be opened is reported" {
	local error="cannot open the root directory $BATS_TEST_TMPDIR/none: No such file or directory"

	try metrics --root "$BATS_TEST_TMPDIR/none"
	expect_error 1 metrics "$error" \
		"--root takes a directory, or an archive that \`rdmactl snapshot\` wrote"
	try metrics --root "$BATS_TEST_TMPDIR/none" --json
	[ "$status" = 1 ]
	[ "$(jq -r '.problems[].error' <<<"$output")" = "$error" ]
}
