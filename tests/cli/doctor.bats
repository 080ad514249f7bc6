#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# Machines without any fault; two of them only after their ports or a slot are repaired.
healthy='cx5-ib-edr cx6dx-roce bnxt-sriov irdma-iwarp efa opa-hfi1 roce-bond-vlan rxe-host planes forty'

# repair DEVICE... RATE: repairs ports of $tree that are down, or slower than the others.
repair()
{
	local device

	for device in "${@:1:$#-1}"; do
		device=$tree/sys/class/infiniband/$device
		echo '4: ACTIVE' >"$device/ports/1/state"
		echo '5: LinkUp' >"$device/ports/1/phys_state"
		echo "${*: -1}" >"$device/ports/1/rate"
		echo 0xffff >"$device/ports/1/pkeys/0"
		echo up | tee "$device"/device/net/*/operstate >/dev/null
	done
}

@test "doctor: no false alarm on a healthy machine, in any profile" {
	local bad=0 machine profile tree

	for machine in $healthy; do
		tree=$roots/$machine
		if [[ $machine = cx5-ib-edr || $machine = forty ]]; then
			tree=$BATS_TEST_TMPDIR/$machine
			cp -dR "$roots/$machine" "$tree"
		fi
		case $machine in
		cx5-ib-edr) echo 16 | tee "$tree"/sys/devices/pci0000:ae/0000:ae:00.0{,/0000:af:00.0}/current_link_width >/dev/null ;;
		forty) repair mlx5_38 mlx5_39 '200 Gb/sec (4X HDR)' ;;
		esac
		for profile in auto hpc roce gpu container; do
			quickly try doctor --root "$tree" --profile "$profile" --fail-on warning
			[ "$status" = 0 ] && continue
			printf '%s in profile %s: status %s\n%s%s' "$machine" "$profile" "$status" "$output" "$stderr"
			bad=1
		done
	done
	[ "$bad" = 0 ]
}

@test "doctor: no hardware, no such device" {
	on no-rdma doctor
	[ "$status" = 5 ]
	on no-rdma doctor --json
	[ "$status" = 5 ]
	jq -e '.problems == []' <<<"$output"
	on cx5-ib-edr doctor mlx5_7
	expect_error 5 doctor 'mlx5_7: no such RDMA device' 'there are mlx5_0, mlx5_1'
	on cx5-ib-edr doctor mlx5_0/7
	expect_error 5 doctor 'mlx5_0/7: no such port' 'mlx5_0 has one port: 1'
}

@test "doctor: checks and groups are selected by name" {
	on cx5-ib-edr doctor --only port-state --json
	expect 0
	[ "$(jq -c '[.doctor[] | [.check, .group, .object, .verdict]]' <<<"$output")" = \
		'[["port-state","port","mlx5_0/1","ok"],["port-state","port","mlx5_1/1","ok"]]' ]
	on cx5-ib-edr doctor --only port --skip port-state,pkey --tsv --no-headings -o check
	grep -qE '^(port-state|pkey)$' <<<"$output" && false
	on cx5-ib-edr doctor mlx5_1 --only port-state -a
	expect 0 $'ok           mlx5_1/1: the port is active [port-state]\n1 checked: 1 ok (profile hpc)' ''
	on cx5-ib-edr doctor --only prot-state
	expect_error 2 doctor "unknown check 'prot-state'" "did you mean 'port-state'?"
	on cx5-ib-edr doctor --skip $'x\e[31m'
	expect_error 2 doctor "unknown check 'x\\x1b[31m'" 'rdmactl doctor --list lists the checks'
	on cx5-ib-edr doctor --only port --skip port
	expect_error 2 doctor '--skip leaves no check to run' 'rdmactl doctor --list lists the checks'
	on cx5-ib-edr doctor --only pkey --skip port,pkey --list
	expect_error 2 doctor '--skip leaves no check to run' 'rdmactl doctor --list lists the checks'
	on cx5-ib-edr doctor --only ''
	expect_error 2 doctor "unknown check ''" 'rdmactl doctor --list lists the checks'
}

@test "doctor: the table of the checks" {
	local count id manual

	try doctor --list --json
	expect 0
	count=$(jq '.doctor_checks | length' <<<"$output")
	[ "$count" -ge 40 ]
	jq -e 'all(.doctor_checks[]; .question and .source and .rule and .why and .remedy and .applies_to)' <<<"$output"
	try doctor --list --only roce --tsv --no-headings -o group
	same 'groups' roce "$(sort -u <<<"${output%$'\n'}")"
	try doctor --explain port-state --json
	expect 0
	jq -e '.doctor_checks | length == 1 and .[0].id == "port-state"' <<<"$output"
	try doctor --explain port-stat
	expect_error 2 doctor "unknown check 'port-stat'" "did you mean 'port-state'?"
	# A group is no suggestion where one check is wanted.
	try doctor --explain stakc
	expect_error 2 doctor "unknown check 'stakc'" 'rdmactl doctor --list lists the checks'
	try doctor --explain port
	expect_error 2 doctor "unknown check 'port'" \
		'that is a group: rdmactl doctor --list --only port lists its checks'
	try doctor --list --explain port-state
	[ "$status" = 2 ]
	try doctor --explain port-state port-rate
	expect_error 2 doctor '--explain takes the id of one check, and no device' 'rdmactl doctor --help'
	try doctor --list mlx5_0
	expect_error 2 doctor '--list takes no device' 'rdmactl doctor --help'
	# The manual and the completion have all of them.
	try __complete doctor --only ''
	[ "$(grep -cE '^[a-z0-9-]+	' <<<"$output")" -ge "$count" ]
	IFS= read -r -d '' manual <"$top/man/rdmactl-doctor.1" || :
	try doctor --list --tsv --no-headings -o id
	for id in $output; do
		[[ $manual = *".It Cm ${id//-/\\-}"* ]] || wrong "not in the manual: $id"
	done
	nothing_wrong
}

@test "doctor: --fail-on sets the lowest verdict for which the status is 4" {
	on mlx4-dead-port doctor --only port-state
	local verdict
	verdict=$("$binary" doctor --root "$roots/mlx4-dead-port" --only port-state --jsonl | jq -r 'select(.object == "mlx4_0/2").verdict')
	[ "$verdict" = note ]
	[ "$status" = 0 ]
	on mlx4-dead-port doctor --only port-state --fail-on note
	[ "$status" = 4 ]
	on mlx4-dead-port doctor --only port-state --fail-on error
	[ "$status" = 0 ]
	on mlx4-dead-port doctor --only port-state --fail-on eror
	expect_error 2 doctor "--fail-on: 'eror' is not one of note, warning, error" "did you mean 'error'?"
}

@test "doctor: formats for monitoring systems use the exit statuses of their readers" {
	on no-rdma doctor --format nagios
	expect 3
	[[ $output == 'RDMA UNKNOWN - no RDMA hardware | checked='* ]]
	# The host has hardware, but not this device.
	on cx5-ib-edr doctor mlx5_7 --format nagios
	expect 3
	[[ $output == 'RDMA UNKNOWN - no such RDMA device | checked='* ]]
	on cx5-ib-edr doctor --only port-state --format nhc
	expect 0 '' ''
	on cx5-ib-edr doctor --only port-state --format condition
	expect 0 '{"type": "RdmaReady", "status": "True", "reason": "RdmaReady", "message": "1 checked, nothing wrong"}' ''
	# A check that hangs: the answer comes in time, and nothing is left running.
	SECONDS=0
	on cx5-ib-edr doctor --format nagios --timeout 500ms --interval 300s
	[ "$SECONDS" -lt 100 ]
	expect 3
	[[ $output == 'RDMA UNKNOWN - gave up after --timeout | '* ]]
	on cx5-ib-edr doctor --format nagios --timeout 0
	expect 1
	[[ $output == 'RDMA WARNING - '* ]]
	on cx5-ib-edr doctor --format npd --timeout 500ms --interval 300s
	expect 2 'gave up after --timeout' ''
	on cx5-ib-edr doctor --format nhc --timeout 500ms --interval 300s
	expect 1 'gave up after --timeout' ''
	on cx5-ib-edr doctor --format condition --timeout 500ms --interval 300s
	expect 1 '{"type": "RdmaReady", "status": "Unknown", "reason": "RdmaUnknown", "message": "gave up after --timeout"}' ''
}

# A reader of the output may wait for end of file, and a check may be impossible to kill.
@test "doctor: the process that runs the checks for a monitoring system does not hold its output" {
	local out=$BATS_TEST_TMPDIR/out err=$BATS_TEST_TMPDIR/err doctor checks="" held=true status=0 files

	"$binary" doctor --root "$roots/cx5-ib-edr" --format nagios --timeout 10s --interval 300s \
		</dev/null >"$out" 2>"$err" 3>&- &
	doctor=$!
	while $held && kill -0 "$doctor"; do
		read -r checks _ 2>/dev/null <"/proc/$doctor/task/$doctor/children" || sleep 0.05
		files=$(ls -l "/proc/${checks:-0}/fd" 2>/dev/null) || continue
		[[ $files != *' 0 -> /dev/null'* || $files = *" -> $out"* || $files = *" -> $err"* ]] || held=false
	done
	kill -KILL "$checks" || :
	wait "$doctor" || status=$?
	[ "$held" = false ]
	[ "$status" = 3 ]
	[[ $(<"$out") = 'RDMA UNKNOWN - the check was killed | '* ]]
	[ ! -s "$err" ]
}

# The kernel keeps no exit status of children if the parent of this process ignored SIGCHLD.
@test "doctor: a format for a monitoring system that ignores SIGCHLD" {
	local line

	line=$(env --ignore-signal=CHLD "$binary" doctor --root "$roots/cx5-ib-edr" --only port-state --format npd --timeout 1h)
	[ "$line" = '1 checked, nothing wrong' ]
}

@test "doctor: formats for monitoring systems when the usage is wrong" {
	on cx5-ib-edr doctor --format nagios --json
	expect 3
	[[ $output == 'RDMA UNKNOWN - wrong usage: see standard error | '* ]]
	[[ $stderr == 'rdmactl doctor: --format cannot be used with --json'* ]]
	on cx5-ib-edr doctor --format npd --timeout 5x
	expect 2 'wrong usage: see standard error'
	on cx5-ib-edr doctor --format nagios --nosuch
	expect 3
	[[ $output == 'RDMA UNKNOWN - wrong usage: see standard error | '* ]]
	on cx5-ib-edr doctor --format condition --only nosuch
	expect 2 '{"type": "RdmaReady", "status": "Unknown", "reason": "RdmaUnknown", "message": "wrong usage: see standard error"}'
	# The error occurs before the format is known.
	on cx5-ib-edr doctor --nosuch --format nagios
	expect 2 ''
}

@test "doctor: formats for monitoring systems while --root FILE is unpacked, and if it is damaged" {
	local archive=$BATS_TEST_TMPDIR/host.tar cut=$BATS_TEST_TMPDIR/cut.tar

	"$binary" snapshot "$archive" --root "$roots/forty" -q >/dev/null
	head -c 100000 "$archive" >"$cut"
	try doctor --format nagios --root "$archive" --timeout 1ms
	expect 3
	[[ $output == 'RDMA UNKNOWN - gave up after --timeout | '* ]]
	try doctor --format nhc --root "$archive" --timeout 1ms
	expect 1 'gave up after --timeout' ''
	try doctor --format nagios --root "$cut"
	expect 3
	[[ $output == 'RDMA UNKNOWN - the host could not be checked | '* ]]
	[[ $stderr == "rdmactl doctor: $cut is damaged or cut off"* ]]
	try doctor --format npd --root "$cut" --timeout 100s
	expect 2 'the host could not be checked'
	try doctor --root "$cut"
	expect 1 ''
}

# A file is opened once, however many checks use it.
@test "doctor: every source is read once" {
	local machine

	for machine in cx5-ib-edr cx6dx-roce roce-bond-vlan; do
		ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -f -qq -y -e trace=openat,open -o "$BATS_TEST_TMPDIR/trace" \
			"$binary" doctor --root "$roots/$machine" >/dev/null 2>&1 || :
		grep -q "= [0-9]*<$roots/$machine/" "$BATS_TEST_TMPDIR/trace"
		# Directories are entered repeatedly; files are read. The program reads the ifindex of a netdev to
		# tell it from other files of its class, before it reads it as an attribute. The first GID of a
		# RoCE port of a saved tree leads to its netdev, before the table is read.
		sed -nE '/O_DIRECTORY|O_PATH/!s/.* = [0-9]+<([^>]*)>$/\1/p' "$BATS_TEST_TMPDIR/trace" |
			grep -F "$roots/$machine/" | grep -vE '/(ifindex|gids/0|gid_attrs/ndevs/0)$' | sort | uniq -d >"$BATS_TEST_TMPDIR/twice"
		[ ! -s "$BATS_TEST_TMPDIR/twice" ] || { echo "$machine: read twice:"; cat "$BATS_TEST_TMPDIR/twice"; false; }
	done
}

@test "doctor: opens nothing for writing, and no socket" {
	ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -f -qq -e trace=%file,%network -o "$BATS_TEST_TMPDIR/trace" \
		"$binary" doctor --root "$roots/cx6dx-roce" >/dev/null 2>&1 || :
	grep -qF "$roots/cx6dx-roce" "$BATS_TEST_TMPDIR/trace"
	run ! grep -E 'O_(WRONLY|RDWR|CREAT)|socket\(|mkdir|unlink|rename' "$BATS_TEST_TMPDIR/trace"
}

@test "doctor: on a machine with two faults, both are named and nothing else" {
	on cx7-ib-ndr doctor --profile hpc
	[ "$status" = 4 ]
	same 'findings' 'warning  mlx5_5/1: the port is down, but most others like it are up; 2 checks not run because of it [port-state]
warning  mlx5_6/1: the port is slower than others like it [port-rate]' "$(grep -E '^(error|warning|note) ' <<<"$output")"
	grep -qF '200 Gb/s (2X NDR); mlx5_0/1 and more ports' <<<"$output"
}

@test "doctor: the document of each machine is valid, and says what its table says" {
	local format machine

	mkdir "$BATS_TEST_TMPDIR/documents"
	for machine in "$roots"/*; do
		for format in json jsonl tsv; do
			quickly try doctor --root "$machine" -o all --$format
			printf '%s' "$output" >"$BATS_TEST_TMPDIR/documents/${machine##*/}.$format"
		done
	done
	"$binary" schema doctor >"$BATS_TEST_TMPDIR/schema"
	"$top/tests/cli/validate" "$BATS_TEST_TMPDIR/schema" "$BATS_TEST_TMPDIR/documents"
}

# The output for each saved machine, for people, and the result of each check that could be made.
@test "doctor: the saved machines" {
	local machine

	for machine in "$roots"/*; do
		machine=${machine##*/}
		quickly on "$machine" doctor
		{
			printf '%s%s' "$output" "$stderr"
			echo "status $status"
			if [[ $machine != topo-* && $machine != forty ]]; then
				quickly on "$machine" doctor --tsv --no-headings -o verdict,check,object,summary,evidence,expected,actual
				grep -v ^not-checked "$BATS_TEST_TMPDIR/out" || :
			fi
		} >"$BATS_TEST_TMPDIR/now"
		compare_golden "$top/tests/golden/doctor/$machine.txt" "$BATS_TEST_TMPDIR/now"
	done
	nothing_wrong
}

@test "doctor: a name that a shell would run is quoted in the next steps" {
	local tree=$BATS_TEST_TMPDIR/quoted
	# shellcheck disable=SC2016
	local name='e$(id)n0'

	sed "s/ens1f0np0/$name/g; s/mtu: 9000/mtu: 1500/" "$top/tests/fixtures/cx6dx-roce.tree" |
		python3 "$top/tests/mkroot" - "$tree"
	quickly try doctor --root "$tree" --only roce-mtu,port-state -j mlx5_0
	same mtu "if every switch and host of the fabric supports it: rdmactl roce set '$name' mtu 9000" \
		"$(jq -r '.doctor[] | .next_step // empty' <<<"$output")"
	echo '1: DOWN' >"$tree/sys/class/infiniband/mlx5_0/ports/1/state"
	quickly try doctor --root "$tree" --only port-state -j mlx5_0
	same port "check the cable and the switch port: ethtool '$name' shows more" \
		"$(jq -r '.doctor[] | .next_step // empty' <<<"$output")"
}
