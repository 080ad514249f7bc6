#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Counters that only RDMA netlink reports and no software device offers: optional counters, and
# those of queue pairs and memory regions. Snapshots with answers from tests/cli/nldev.py replace
# mlx5.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# shown WORD...: the table for these words, with one blank between the columns.
shown()
{
	try --root "$snapshot" counters "$@" --tsv --no-headings
	output=${output//$'\t'/ }
}

# refused STATUS MESSAGE HINT WORD...
refused()
{
	local wanted_status=$1 message=$2 hint=$3

	shift 3
	try --root "$snapshot" counters "$@"
	expect_error "$wanted_status" counters "$message" "$hint" || wrong "$*"
}

# unknown NAME HINT OPTION...: there is no such optional counter; the hint helps to find the right
# one.
unknown()
{
	local message="rdmactl counters: no port has an optional counter '$1'"$'\n'"  $2"$'\n'

	shift 2
	try --root "$snapshot" counters "$@"
	[ "$status $stderr" = "1 $message" ] || wrong "$*"
}

admin='run it as root: it needs CAP_NET_ADMIN in the initial user namespace'
columns=object,counter,kernel_name,enabled

@test "counters: optional counters are listed, each with its state" {
	with_answers optional
	shown --optional -o $columns
	expect 0 "mlx5_0/1 rx_rdma_ecn_marked_packets cc_rx_ce_pkts no
mlx5_0/1 rx_rdma_cnp_packets cc_rx_cnp_pkts no
mlx5_0/1 tx_rdma_cnp_packets cc_tx_cnp_pkts no
mlx5_1/1 rx_rdma_ecn_marked_packets cc_rx_ce_pkts no
mlx5_1/1 rx_rdma_cnp_packets cc_rx_cnp_pkts yes
mlx5_1/1 tx_rdma_cnp_packets cc_tx_cnp_pkts no" ''
	shown --optional mlx5_1 -o object,enabled
	expect 0 $'mlx5_1/1 no\nmlx5_1/1 yes\nmlx5_1/1 no' ''
	try --root "$snapshot" counters --optional -j
	[ "$(jq -c '[.schema, (.optional_counters[4] | [.object, .counter, .enabled]), .problems]' <<<"$output")" = \
		'["rdmactl/optional_counters/1",["mlx5_1/1","rx_rdma_cnp_packets",true],[]]' ]
}

@test "counters: no optional counters, or a list that cannot be read" {
	with_answers none
	refused 5 'no optional counters: the drivers of these ports have none' \
		'mlx5_ib has some since Linux 5.16' --optional
	with_answers broken
	try --root "$snapshot" counters --optional
	expect 1 '' 'rdmactl counters: mlx5_0/1: cannot read optional counters: Input/output error
rdmactl counters: mlx5_1/1: cannot read optional counters: Input/output error'
	nothing_wrong
}

@test "counters: a name that is not an optional counter switches nothing" {
	with_answers switched
	unknown tx_rdma_cnp_packet "did you mean 'tx_rdma_cnp_packets'?" --enable tx_rdma_cnp_packet
	unknown nothing-like-it 'rdmactl counters --optional lists them' --disable cc_rx_ce_pkts,nothing-like-it
	# It exists, but is not optional.
	unknown out_of_buffer 'rdmactl counters --optional lists them' --enable out_of_buffer
	try --root "$snapshot" counters --enable cc_rx_ce_pkts --disable cc_tx_cnp_pkts,cc_rx_ce_pkts
	expect 2 '' 'rdmactl counters: --enable and --disable name the same counter'
	try --root "$snapshot" counters --enable tx_rdma_cnp_packets --disable cc_tx_cnp_pkts
	expect 2 '' 'rdmactl counters: --enable and --disable name the same counter'
	refused 2 'which counters?' 'rdmactl counters --optional lists them' --enable ,
	nothing_wrong
}

@test "counters: switching optional counters, as the kernel allows it for each port" {
	with_answers switched
	# One port accepts it, the other refuses: the new state is shown anyway.
	try --root "$snapshot" counters --enable cc_rx_ce_pkts -o object --no-headings
	expect 3 $'mlx5_0/1\nmlx5_0/1\nmlx5_0/1\nmlx5_1/1\nmlx5_1/1\nmlx5_1/1' \
		"rdmactl counters: mlx5_1/1: cannot switch optional counters: Operation not permitted
  $admin"
	# Nothing changes on the port where it is off already; the other one refuses.
	try --root "$snapshot" counters --disable rx_rdma_cnp_packets -o object --no-headings
	expect 3
	[ "$stderr" = "rdmactl counters: mlx5_1/1: cannot switch optional counters: Operation not permitted
  $admin
" ]
	# Where nothing has to change, the kernel is not asked.
	try --root "$snapshot" counters --disable cc_rx_ce_pkts,tx_rdma_cnp_packets -o object --no-headings
	expect 0
	with_answers optional
	try --root "$snapshot" counters --enable cc_rx_ce_pkts -o object --no-headings
	expect 1
	[ "$(grep -c 'cannot switch optional counters: Operation not permitted' <<<"$stderr")" = 2 ]
	[ "$(grep -c "$admin" <<<"$stderr")" = 1 ]
	# All counters that shall be on are switched in one request, including those that were on before.
	try --root "$snapshot" counters --enable cc_tx_cnp_pkts mlx5_1 -j
	expect 1
	[ "$(jq -c '[.problems[] | [.object, .attribute, .error]]' <<<"$output")" = \
		'[["mlx5_1/1",null,"cannot switch optional counters: Operation not permitted"]]' ]
}

@test "counters qp: counters, their queue pairs and owners" {
	local fields=object,counter_id,mode,type,pid,command,qpns,counter,value

	with_answers objects
	shown qp -o $fields
	expect 0 "mlx5_0/1 5 auto rc 1  300,301 rx_sequence_naks 7
mlx5_0/1 6 manual   [ib_core]  rx_sequence_naks 7" ''
	shown qp --all -o counter_id,counter,value
	expect 0 $'5 rx_out_of_buffer 0\n5 rx_sequence_naks 7\n6 rx_out_of_buffer 0\n6 rx_sequence_naks 7' ''
	shown qp --drops --all -o counter_id,counter
	expect 0 $'5 rx_out_of_buffer\n6 rx_out_of_buffer' ''
	shown qp --errors -o counter_id,counter
	expect 0 $'5 rx_sequence_naks\n6 rx_sequence_naks' ''
	shown qp mlx5_0/1 -o counter_id
	expect 0 $'5\n6' ''
	refused 5 'no queue pair is counted' \
		'rdmactl counters auto DEV/PORT pid counts the queue pairs that each process creates from then on (root; mlx5 and ionic)' \
		qp mlx5_1
	nothing_wrong
}

@test "counters qp: --watch shows what grows, round by round" {
	with_answers objects
	try --root "$snapshot" counters qp --watch --interval 100ms --count 2 --tsv --no-headings -o counter_id,growth
	expect 0 '' ''
	try --root "$snapshot" counters qp --watch --all --interval 100ms --count 2 --tsv --no-headings \
		-o counter_id,counter,growth,rate_per_sec
	expect 0
	[ "$(printf %s "$output" | sort | uniq -c | tr -s ' \t' ' ')" = " 2 5 rx_out_of_buffer 0 0
 2 5 rx_sequence_naks 0 0
 2 6 rx_out_of_buffer 0 0
 2 6 rx_sequence_naks 0 0" ]
	try --root "$snapshot" counters mr --watch --all --interval 100ms --count 1 --tsv --no-headings -o mrn,growth
	expect 0 $'9\t0\n11\t0' ''
	try --root "$snapshot" counters mr --watch --interval 100ms --count 1 --tsv --no-headings -o mrn,growth
	expect 0 '' ''
	try --root "$snapshot" counters mr --watch --all --interval 100ms --count 1 --no-headings
	expect 0
	[ "$(grep -c page_faults <<<"$output")" = 2 ]
}

@test "counters qp: --watch refuses an archive" {
	with_answers objects
	tar -cf "$BATS_TEST_TMPDIR/archive.tar" -C "${snapshot%/*}" --transform "s,^${snapshot##*/},rdmactl-snapshot," "${snapshot##*/}"
	try --root "$BATS_TEST_TMPDIR/archive.tar" counters qp --watch --all --count 1
	expect_error 2 counters 'a snapshot never changes, so there is nothing to watch' \
		'without --watch its counters are shown'
}

@test "counters qp: --watch names the program that a process runs now" {
	local status_file

	with_answers objects
	status_file=$snapshot/root/proc/1/status
	mkdir -p "${status_file%/*}"
	try_between "printf 'Name:\\tlauncher\\nTgid:\\t1\\n' >'$status_file'" \
		"printf 'Name:\\tworker\\nTgid:\\t1\\n' >'$status_file'" \
		--root "$snapshot" counters qp --watch --all --count 1 --tsv --no-headings -o command,counter
	rm -r "${status_file%/*}"
	expect 0 $'worker\trx_out_of_buffer\nworker\trx_sequence_naks
[ib_core]\trx_out_of_buffer\n[ib_core]\trx_sequence_naks' ''
}

# Missed rounds do not follow in one burst, whose rates would cover only an instant.
@test "counters qp: --watch of a process that was stopped skips the missed rounds" {
	local pid begin rounds

	with_answers objects
	"$binary" --root "$snapshot" counters qp --watch --all --interval 100ms --count 30 --jsonl -o time \
		</dev/null >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	pid=$!
	until [ -s "$BATS_TEST_TMPDIR/out" ]; do sleep 0.02; done
	kill -STOP $pid
	until grep -q '^State:[[:space:]]T' "/proc/$pid/status"; do sleep 0.02; done
	sleep 3.5
	rounds=$(sort -u "$BATS_TEST_TMPDIR/out" | wc -l)
	begin=$EPOCHREALTIME
	kill -CONT $pid
	wait $pid
	awk "BEGIN { exit !($EPOCHREALTIME - $begin >= (30 - $rounds - 2) * 0.1) }"
}

@test "counters mr: memory regions with counters, and who created them" {
	with_answers objects
	shown mr -o object,mrn,command,counter,value
	expect 0 $'mlx5_0 9 [ib_iser] page_faults 3\nmlx5_0 11  page_faults 3' ''
	refused 5 'no memory region has counters: only those with on-demand paging do' \
		'rdmactl resources mr lists all memory regions' mr mlx5_1
	nothing_wrong
}

@test "counters mode: how each port counts its queue pairs" {
	with_answers objects
	shown mode -o object,mode,by
	expect 0 $'mlx5_0/1 none type,pid\nmlx5_1/1 auto type,pid' ''
	shown mode mlx5_1/1 -o object,mode
	expect 0 'mlx5_1/1 auto' ''
	# A kernel that does not answer.
	sed -i '/^ask 20 5137 1 /,$d' "$snapshot/netlink/answers"
	try --root "$snapshot" counters mode -o object,mode --tsv --no-headings
	expect 3
	[ "$output" = $'mlx5_0/1\t\nmlx5_1/1\t\n' ]
	[ "$(grep -c 'cannot read its queue pair counting mode: ' <<<"$stderr")" = 2 ]
	grep -qx '  this needs Linux 5.3 or later' <<<"$stderr"
}

@test "counters: devices and ports as arguments when their answers are missing" {
	with_answers objects
	sed -i '/^ask 20 5137 769 080001000200000008004b0013/,/^end/d' "$snapshot/netlink/answers"
	try --root "$snapshot" counters qp -o counter_id --no-headings
	expect 3
	[ "$output" = $' 5\n 6\n' ] || [ "$output" = $'5\n6\n' ]
	[ "$(grep -c '^rdmactl counters: mlx5_1: ' <<<"$stderr")" = 1 ]
}

# hw OPTION...: prints the counters of source hw that these options choose, in one line.
hw()
{
	try --root "$snapshot" counters mlx5_0 "$@" --tsv --no-headings -o source,kernel_name,value
	sed -n 's/^hw\t\(.*\)\t/\1=/p' <<<"$output" | tr '\n' ' '
}

@test "counters: those of a port that netlink reports, in the order of the catalogue, and chosen" {
	with_answers ports
	[ "$(hw --all)" = 'rx_write_requests=9 out_of_buffer=7 packet_seq_err=5 unheard_of=3 ' ]
	[ "$(hw --errors)" = 'out_of_buffer=7 packet_seq_err=5 ' ]
	[ "$(hw --group requests)" = 'rx_write_requests=9 ' ]
}

@test "counters: nothing in a damaged reply is a counter of the port" {
	with_answers damaged
	cp -a "$snapshot" "$BATS_TEST_TMPDIR/damaged"
	snapshot=$BATS_TEST_TMPDIR/damaged
	rm -r "$snapshot"/root/sys/class/infiniband/mlx5_*/ports/*/{,hw_}counters
	try --root "$snapshot" counters -v -o object,problem --tsv --no-headings
	expect 5 $'mlx5_0/1\tno counters\nmlx5_1/1\tno counters' 'rdmactl counters: there are no counters to show
  rdmactl counters --all shows those of the netdevs
rdmactl counters: mlx5_0/1: cannot read counters: Bad message
  sysfs is used instead'
}

@test "counters: --since tells a device that was renamed from one that is gone" {
	local file=$BATS_TEST_TMPDIR/saved.json sys

	with_answers ports
	cp -a "$snapshot" "$BATS_TEST_TMPDIR/renamed"
	snapshot=$BATS_TEST_TMPDIR/renamed
	sys=$snapshot/root/sys
	# Its node GUID is 1.
	sed -i 's/0b0002006d6c78355f310000/&0c0006000100000000000000/' "$snapshot/netlink/answers"
	try --root "$snapshot" counters --save "$file"
	[ -s "$file" ]
	# mlx5_1 becomes mlx5_7, of the same index.
	sed -i 's/6d6c78355f3100/6d6c78355f3700/g' "$snapshot/netlink/answers"
	mv "$sys/devices/pci0000:64/0000:64:02.0/0000:65:00.1/infiniband/mlx5_"{1,7}
	rm "$sys/class/infiniband/mlx5_1"
	ln -s ../../devices/pci0000:64/0000:64:02.0/0000:65:00.1/infiniband/mlx5_7 \
		"$sys/class/infiniband"
	try --root "$snapshot" counters --since "$file" --all --tsv --no-headings \
		-o object,kernel_name,state
	grep -qx $'mlx5_1/1\tout_of_buffer\tgone' "$BATS_TEST_TMPDIR/out"
	grep -qx $'mlx5_7/1\tout_of_buffer\tnew' "$BATS_TEST_TMPDIR/out"
	[ "$status" = 3 ]
	grep -xA1 'rdmactl counters: mlx5_1: is now called mlx5_7: its counters of then and now are not compared' \
		<<<"$stderr" | grep -qx '  save again: rdmactl counters --save FILE'
	# The objects need not name the device as it is called now.
	try --root "$snapshot" counters --since "$file" mlx5_0 mlx5_1
	grep -qx 'rdmactl counters: mlx5_1: is now called mlx5_7: its counters of then and now are not compared' <<<"$stderr"
	# The index alone proves nothing after the core was loaded again: the GUIDs differ, too.
	sed -E '/"device": "mlx5_1"/s/("node_guid": )1,/\17,/' "$file" >"$file.other"
	run ! cmp -s "$file" "$file.other"
	try --root "$snapshot" counters --since "$file.other"
	grep -qx 'rdmactl counters: mlx5_1: existed then, and is gone' <<<"$stderr"
	# The kernel never gives an index twice: another one is another device.
	sed -i 's/0800010002000000/0800010005000000/g' "$snapshot/netlink/answers"
	try --root "$snapshot" counters --since "$file"
	grep -qx 'rdmactl counters: mlx5_1: existed then, and is gone' <<<"$stderr"
}
