#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Objects in use on a snapshot with answers from tests/cli/nldev.py: each attribute has a distinct
# value, at the place that the kernel's headers give it. The guest compares with a live kernel.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# with_threads KIND [NUMBER]: with_answers, plus two threads of rping.
with_threads()
{
	local thread

	with_answers "$@"
	for thread in 4321 4322; do
		mkdir -p "$snapshot/root/proc/$thread"
		printf '%s\n' "Name:	rping-$thread" 'Tgid:	4321' "Pid:	$thread" 'VmLck:	      16 kB' \
			'VmPin:	      20 kB' >"$snapshot/root/proc/$thread/status"
	done
	printf '%-25s %-20s %-20s %-10s\n' Limit 'Soft Limit' 'Hard Limit' Units 'Max locked memory' 65536 unlimited \
		bytes >"$snapshot/root/proc/4321/limits"
}

# shown COLUMNS WORD...: the values of these columns, with one blank between them.
shown()
{
	quickly try --root "$snapshot" resources "${@:2}" --tsv --no-headings -o "$1"
	output=${output//$'\t'/ }
}

# as_json KIND: its rows, one per line.
as_json()
{
	try --root "$snapshot" resources "$1" -j
	expect 0
	output=$(jq -c ".$1s[]" <<<"$output")
}

@test "resources: how many of each kind, and of unknown kinds" {
	with_threads resources
	try --root "$snapshot" resources
	expect 0 'DEVICE  QP CM ID  CQ  MR  PD CTX SRQ
mlx5_0 104   105 103 106 102 107 108
mlx5_1 204   205 203 206 202 207 208' ''
	shown device,qps mlx5_1
	same 'a device' $'mlx5_1 204\n' "$output"
	shown device,others
	same 'a kind that this release does not know' $'mlx5_0 counter=109\nmlx5_1 counter=209\n' "$output"
	try --root "$snapshot" resources qps
	expect_error 5 resources 'qps: no such RDMA device' "did you mean 'qp'?"
	try --root "$snapshot" resources qpx
	expect 5
	[[ $stderr != *"did you mean 'qp'"* ]]
}

@test "resources: each column of queue pairs and connection manager identifiers" {
	with_threads resources
	as_json qp
	same 'queue pairs' '{"device":"mlx5_0","port":1,"qpn":1,"type":"gsi","subtype":null,"state":"rts","remote_qpn":null,"rq_psn":null,"sq_psn":null,"path_migration":null,"pdn":null,"pid":null,"command":"[ib_core]","kernel":true,"thread":null,"driver":null}
{"device":"mlx5_0","port":1,"qpn":17,"type":"rc","subtype":null,"state":"rts","remote_qpn":33,"rq_psn":1001,"sq_psn":1002,"path_migration":"rearm","pdn":5,"pid":4321,"command":"rping-4321","kernel":false,"thread":4321,"driver":null}
{"device":"mlx5_0","port":1,"qpn":18,"type":"ud","subtype":null,"state":"rtr","remote_qpn":null,"rq_psn":null,"sq_psn":1003,"path_migration":null,"pdn":6,"pid":4321,"command":"rping-4321","kernel":false,"thread":4322,"driver":null}
{"device":"mlx5_0","port":null,"qpn":19,"type":"rc","subtype":null,"state":"reset","remote_qpn":null,"rq_psn":null,"sq_psn":null,"path_migration":null,"pdn":null,"pid":5000,"command":null,"kernel":false,"thread":5000,"driver":null}
{"device":"mlx5_1","port":1,"qpn":44,"type":"rc","subtype":null,"state":"error","remote_qpn":null,"rq_psn":null,"sq_psn":null,"path_migration":null,"pdn":null,"pid":4321,"command":"rping-4321","kernel":false,"thread":4321,"driver":null}' "$output"
	as_json cm_id
	same 'identifiers' '{"device":"mlx5_0","port":1,"cm_idn":7,"qpn":17,"type":"rc","state":"connect","port_space":"tcp","local_ip":"10.20.30.40","local_port":4791,"remote_ip":"10.20.30.41","remote_port":18515,"pid":4321,"command":"rping-4321","kernel":false,"thread":4321,"driver":null}
{"device":"mlx5_0","port":null,"cm_idn":8,"qpn":null,"type":null,"state":"listen","port_space":"udp","local_ip":"fd00::12","local_port":2049,"remote_ip":null,"remote_port":null,"pid":null,"command":"[ib_core]","kernel":true,"thread":null,"driver":null}' "$output"
}

@test "resources: each column of the other kinds" {
	with_threads resources
	as_json cq
	same 'completion queues' '{"device":"mlx5_0","cqn":9,"entries":255,"users":3,"poll_context":"workqueue","adaptive_moderation":true,"ctxn":null,"pid":null,"command":"[ib_core]","kernel":true,"thread":null,"driver":null}
{"device":"mlx5_0","cqn":10,"entries":511,"users":4,"poll_context":null,"adaptive_moderation":false,"ctxn":2,"pid":4321,"command":"rping-4321","kernel":false,"thread":4322,"driver":null}' "$output"
	# Before 5.8 the codes had a different order, but a distributor may have changed it.
	mkdir -p "$snapshot/root/proc/sys/kernel"
	for release in 4.18.0-553.el8:null 5.4.0-150-generic:null 5.7.19:null 5.8.0:workqueue 6.1.0-18-amd64:workqueue; do
		echo "${release%:*}" >"$snapshot/root/proc/sys/kernel/osrelease"
		as_json cq
		same "$release" "${release#*:}" "$(head -1 <<<"$output" | jq -r .poll_context)"
	done
	as_json mr
	same 'memory regions' '{"device":"mlx5_0","mrn":11,"length_bytes":4096,"iova":"0x7f0000001000","rkey":"0x00001100","lkey":"0x00001101","pdn":5,"pid":4321,"command":"rping-4321","kernel":false,"thread":4321,"driver":null}
{"device":"mlx5_0","mrn":12,"length_bytes":8192,"iova":null,"rkey":null,"lkey":null,"pdn":5,"pid":4321,"command":"rping-4321","kernel":false,"thread":4322,"driver":null}
{"device":"mlx5_1","mrn":13,"length_bytes":65536,"iova":null,"rkey":null,"lkey":null,"pdn":null,"pid":5000,"command":null,"kernel":false,"thread":5000,"driver":null}' "$output"
	as_json pd
	same 'protection domains' '{"device":"mlx5_0","pdn":5,"users":6,"local_dma_lkey":null,"unsafe_global_rkey":null,"ctxn":2,"pid":4321,"command":"rping-4321","kernel":false,"thread":4321,"driver":null}
{"device":"mlx5_0","pdn":6,"users":7,"local_dma_lkey":"0x00000200","unsafe_global_rkey":"0x00000201","ctxn":null,"pid":null,"command":"[ib_core]","kernel":true,"thread":null,"driver":null}' "$output"
	as_json ctx
	same 'contexts' '{"device":"mlx5_0","ctxn":2,"pid":4321,"command":"rping-4321","kernel":false,"thread":4321,"driver":null}
{"device":"mlx5_1","ctxn":3,"pid":5000,"command":null,"kernel":false,"thread":5000,"driver":null}' "$output"
	as_json srq
	same 'shared receive queues' '{"device":"mlx5_0","srqn":14,"type":"basic","qpns":["17","20-25"],"cqn":null,"pdn":5,"pid":4321,"command":"rping-4321","kernel":false,"thread":4321,"driver":null}' "$output"
}

@test "resources: devices, ports, filters and --limit" {
	with_threads resources
	shown qpn qp mlx5_1
	same 'a device' $'44\n' "$output"
	shown qpn qp mlx5_0/1
	same 'a port' $'1\n17\n18\n' "$output"
	shown qpn qp --pid 4321
	same 'a process' $'17\n18\n44\n' "$output"
	shown qpn qp --pid 4322
	same 'a thread' $'18\n' "$output"
	shown qpn qp --pid 4323
	same 'no process' '' "$output"
	expect 0
	shown qpn qp --comm rping-4321
	same 'a name' $'17\n18\n44\n' "$output"
	shown qpn qp --comm ib_core
	same 'queue pairs of the kernel' $'1\n' "$output"
	shown qpn qp --state rts,error --type rc
	same 'words' $'17\n44\n' "$output"
	shown qpn qp --where sq_psn=1003
	same 'a field' $'18\n' "$output"
	# A condition may use a process column that is not shown.
	shown qpn qp --where command=rping-4321,device=mlx5_1
	same 'two fields' $'44\n' "$output"
	shown qpn qp -n 1
	same 'one line' $'1\n' "$output"
	shown qpn qp --limit 4
	same 'all of the first device' $'1\n17\n18\n19\n' "$output"
	shown qpn qp --limit 5
	same 'all' $'1\n17\n18\n19\n44\n' "$output"
	# The limit counts rows that pass the filter.
	shown qpn qp --limit 2 --state rts,error
	same 'a limit and a state' $'1\n17\n' "$output"
	shown qpn qp --limit 3 --state rts,error
	same 'a limit across both devices' $'1\n17\n44\n' "$output"
	shown device --limit 1
	same 'a limit of the summary' $'mlx5_0\n' "$output"
	shown device --limit 2
	same 'a limit of the summary' $'mlx5_0\nmlx5_1\n' "$output"
}

@test "resources: --by process" {
	with_threads resources
	try --root "$snapshot" resources --by process
	expect 0 ' PID COMMAND    QP CM ID CQ MR PD CTX SRQ REGISTERED PINNED MEMLOCK UNLIMITED CGROUP USE
5000 -           1     0  0  1  0   1   0      65536      -       - -         -
4321 rping-4321  3     1  1  2  1   1   1      12288  20480   65536 no        -
   - [ib_core]   1     1  1  0  1   0   0          0      -       - -         -' ''
	shown pid,kernel,devices,locked_bytes,memlock_hard_bytes,memlock_hard_unlimited --by process
	same 'other columns' $'5000 no mlx5_0,mlx5_1   \n4321 no mlx5_0,mlx5_1 16384  yes\n yes mlx5_0   \n' "$output"
	shown pid --by process --limit 2
	same 'a limit' $'5000\n4321\n' "$output"
	shown pid --by process --limit 3
	same 'a limit' $'5000\n4321\n\n' "$output"
	shown pid,qps,registered_bytes --by process mlx5_1
	same 'a device' $'5000 0 65536\n4321 1 0\n' "$output"
	shown pid,qps,mrs --by process --pid 4322
	same 'a thread' $'4321 1 1\n' "$output"
	shown command,cqs --by process --comm ib_core
	same 'the kernel' $'[ib_core] 1\n' "$output"
}

# The kernel may ask to try again later, require root, or have no records from the driver; a queue
# pair that is gone is not a problem.
@test "resources: --raw, and each reason why there is no record" {
	with_threads resources
	quickly try --root "$snapshot" resources qp --raw --tsv --no-headings -o device,qpn,remote_qpn,pid,command,raw_bytes,raw,retries
	expect 3 $'mlx5_0\t1\t\t\t[ib_core]\t\t\t
mlx5_0\t17\t33\t4321\trping-4321\t5\tdeadbeef01\t
mlx5_0\t18\t\t4321\trping-4321\t\t\t
mlx5_0\t19\t\t5000\t\t\t\t
mlx5_1\t44\t\t4321\trping-4321\t\t\t' 'rdmactl resources: mlx5_0: cannot read queue pair 1: Operation not permitted
  run it as root: it needs CAP_NET_ADMIN in the initial user namespace
rdmactl resources: mlx5_0: cannot read queue pair 18: Resource temporarily unavailable
  the kernel finds a queue pair by its port, which it has only from the state init on
rdmactl resources: mlx5_1: cannot read queue pair 44: Invalid argument
  its driver provides no such records (mlx5, hns and bnxt_re do), or the kernel is older than 5.9'
	# Only records that pass the filter are requested.
	shown qpn,raw qp --raw --where qpn=17
	expect 0 '17 deadbeef01' ''
	shown qpn,raw qp --raw --limit 2 --type rc
	expect 0 $'17 deadbeef01\n19 ' ''
	shown qpn qp --raw --limit 1
	expect 3 1
	shown qpn qp --raw mlx5_0/1 --state rts --comm rping-4321
	expect 0 17 ''
}

# A list that is not needed is not read: the second device's list is missing here.
@test "resources: --limit stops early, also with --raw" {
	with_threads resources
	sed -i '/^ask 20 5130 769 0800010002000000$/,/^end$/d' "$snapshot/netlink/answers"
	shown qpn qp --limit 4
	expect 0 $'1\n17\n18\n19' ''
	shown qpn,raw qp --raw --limit 2 --type rc
	expect 0 $'17 deadbeef01\n19 ' ''
	shown qpn,raw qp --raw --limit 3 --type rc
	expect 3 $'17 deadbeef01\n19 '
}

# Rows are printed in batches of at least 1024; each message of the kernel has 50 here.
@test "resources: more queue pairs than one batch, and limits around its end" {
	local limit

	with_threads many 2150
	shown qpn qp
	same 'all' "$(seq 100 2249)"$'\n9\n' "$output"
	for limit in 1023 1024 1025 1049 1050 1051 2100 2101 2150; do
		shown qpn qp --limit "$limit"
		[ "$output" = "$(seq 100 $((99 + limit)))"$'\n' ] || wrong "--limit $limit: $(wc -l <<<"$output") lines"
	done
	shown qpn qp --limit 2151
	[ "$(tail -n 1 <<<"${output%$'\n'}")" = 9 ] || wrong 'the second device'
	shown qpn qp --where qpn=1124-1126,9
	same 'a filter' $'1124\n1125\n1126\n9\n' "$output"
	quickly try --root "$snapshot" resources qp -j -o qpn
	[ "$(jq '[.qps | length, .[0].qpn, .[2149].qpn, .[2150].qpn] | @csv' -r <<<"$output")" = 2151,100,2249,9 ] || wrong JSON
	shown pid,qps --by process
	same 'counted' $'4321 2151\n' "$output"
	nothing_wrong
}
