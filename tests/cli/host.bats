#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Demands on the system: the program reads no more than it needs, requires no privilege and loads no
# module; and the messages on a system without RDMA.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# traced EXPRESSION WORD...: writes the system calls of a run to the file trace.
traced()
{
	local expression=$1

	shift
	status=0
	# The leak check does not work under strace.
	ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -f -qq -y -e "trace=$expression" -o "$BATS_TEST_TMPDIR/trace" \
		"$binary" "$@" </dev/null >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
	[ -s "$BATS_TEST_TMPDIR/trace" ]
	# The first call, execve, is not the program's own.
	sed -i '1{/execve(/d}' "$BATS_TEST_TMPDIR/trace"
	whole_paths "$BATS_TEST_TMPDIR/trace"
}

# Checks that the trace has a matching line, or that it has none.
does()
{
	grep -Eq "$1" "$BATS_TEST_TMPDIR/trace" || wrong "does not: $1"
}
does_not()
{
	! grep -E "$1" "$BATS_TEST_TMPDIR/trace" || wrong "does: $1"
}

@test "host: only the selected column is read" {
	traced %file devices --root "$roots/cx5-ib-edr" -o device
	[ "$status" = 0 ]
	does 'sys/class/infiniband"'
	does_not '"[^"]*(/rate|/state|/gids|/pkeys|/fw_ver|/node_guid|/node_type|class/net|infiniband_verbs|infiniband_mad)'
	traced %file ports --root "$roots/cx5-ib-edr" -o device,state
	does 'mlx5_0/ports/1/state"'
	does_not '"[^"]*(/rate|/gids|/pkeys|/fw_ver|/lid|class/net)'
	traced %file ports --root "$roots/cx5-ib-edr" -o rate_gbps
	does 'mlx5_1/ports/1/rate"'
	does_not '"[^"]*(/ports/1/state|/gids|/pkeys|/lid|class/net)'
	traced %file devices --root "$roots/cx5-ib-edr"
	does_not '"[^"]*(/rate|/pkeys|/lid|uverbs|umad|gid_attrs/types)'
	traced %file ports --root "$roots/cx5-ib-edr" -o device,state mlx5_1
	does 'mlx5_1/ports/1/state"'
	does_not 'mlx5_0/ports/1/state'
	nothing_wrong
}

@test "host: only the saved tree is read" {
	local command

	for command in $listings; do
		traced '%file,socket' "$command" --root "$roots/cx6dx-roce" -o all
		does 'cx6dx-roce'
		does_not '"(/sys/|/dev/infiniband|/dev/char|/proc/net|/proc/sys)'
		does_not 'socket\('
		does_not 'libibverbs|libnl-route'
	done
	nothing_wrong
}

@test "host: no escape from a saved tree" {
	mkdir -p "$BATS_TEST_TMPDIR/tree/sys/class/infiniband"
	traced %file devices --root "$BATS_TEST_TMPDIR/tree" ../../../../etc/passwd
	[ "$status" != 0 ]
	does_not 'passwd"'
	traced %file ports --root "$roots/cx5-ib-edr" mlx5_0/../../../../../../../../etc
	[ "$status" = 2 ]
	does_not '\.\./\.\./\.\.'
	nothing_wrong
}

@test "host: version, help, completion and schema open no library, no socket, no tree" {
	local words

	for words in --version help --help 'help ports' 'ports --help' 'completion bash' 'schema ports' '__complete -- d'; do
		# shellcheck disable=SC2086 # words
		RDMACTL_ROOT=$roots/cx5-ib-edr traced '%file,socket' $words
		[ "$status" = 0 ] || wrong "$words: exit status $status"
		does_not 'libibverbs|libibumad|libmlx5|socket\(|cx5-ib-edr|/sys/class|/dev/infiniband'
	done
	nothing_wrong
	# The trace would show such calls.
	traced '%file,socket' version
	does libibverbs
	nothing_wrong
}

@test "host: completion of devices reads names and nothing else" {
	traced '%file,socket' __complete -- --root "$roots/cx5-ib-edr" devices ''
	[ "$(cut -f 1 "$BATS_TEST_TMPDIR/out" | xargs)" = 'mlx5_0 mlx5_1' ]
	does 'sys/class/infiniband"'
	does_not '/ports/1/|libibverbs|socket\('
	nothing_wrong
}

# A socket for RDMA netlink makes the kernel load ib_core.
@test "host: without the RDMA core, no RDMA netlink socket is made" {
	local command

	no_device
	for command in $listings caps 'gids --to 127.0.0.1' 'gids --all'; do
		# shellcheck disable=SC2086 # words
		traced 'socket,%file' $command
		[ "$status" = 5 ] || wrong "$command: exit status $status"
		does 'sys/class/infiniband"'
		does_not 'NETLINK_RDMA|socket\(.*, (20|0x14)\)'
		does_not '/dev/infiniband|libibverbs|modprobe'
	done
	nothing_wrong
}

# A chroot, or a container without /sys.
@test "host: without /sys, nothing is said about the RDMA core" {
	local command

	unshare -rm sh -c 'mount -t tmpfs tmpfs /sys' || skip 'no user namespaces, or no mounts in them'
	for command in $listings; do
		status=0
		# shellcheck disable=SC2016 # for the shell in the namespace to expand
		ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 unshare -rm sh -c 'mount -t tmpfs tmpfs /sys && exec "$@"' sh \
			"$binary" "$command" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
		take "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err"
		expect_error 5 "$command" 'no /sys/class: the devices cannot be listed' \
			'mount it: mount -t sysfs sysfs /sys'
	done
}

@test "host: no process is started" {
	local command

	for command in $listings version help; do
		RDMACTL_ROOT=$roots/cx5-ib-edr traced 'execve,clone,clone3,fork,vfork,openat' "$command"
		does_not 'execve'
		[ -s "$BATS_TEST_TMPDIR/out" ] || wrong "$command: no output"
		# The sanitizer's own thread has CLONE_VM, a new process has not.
		does_not 'fork\(|clone[3]?\(.*SIGCHLD'
	done
	nothing_wrong
}

@test "host: a message and the next step on a system without RDMA" {
	local command

	no_device
	for command in $listings caps; do
		try "$command"
		expect_error 5 "$command" 'this system has no RDMA core: no /sys/class/infiniband' "$no_core_hint" || wrong "$command"
		quickly try "$command" mlx5_0
		expect 5 '' || wrong "$command mlx5_0"
		quickly try "$command" --json
		expect 5 || wrong "$command --json"
		[ "$(jq -r ".${command}, .problems[0].error | tostring" <<<"$output" | xargs -d '\n')" = \
			'[] this system has no RDMA core: no /sys/class/infiniband' ] || wrong "$command --json: $output"
	done
	nothing_wrong
}

@test "host: the root directory does not count as a saved tree" {
	no_device
	try devices --root /
	expect_error 5 devices 'this system has no RDMA core: no /sys/class/infiniband' "$no_core_hint"
	# Commands that need the live system accept it.
	try caps --root /
	expect_error 5 caps 'this system has no RDMA core: no /sys/class/infiniband' "$no_core_hint"
	RDMACTL_ROOT='' try caps
	expect_error 5 caps 'this system has no RDMA core: no /sys/class/infiniband' "$no_core_hint"
}

@test "host: saved systems without RDMA: no core, no driver, no device" {
	local command fixture line lines

	for fixture in no-rdma no-driver empty-class; do
		line='no sys/class/infiniband in the saved tree'
		[ $fixture != empty-class ] || line='no RDMA device in the saved tree'
		for command in $listings; do
			quickly on $fixture "$command"
			expect 5 '' || wrong "$fixture $command"
			# The tree has sys/, so the message must not complain about that.
			[[ $stderr == *"rdmactl $command: $line"$'\n' && $stderr != *--root* ]] || wrong "$fixture $command: $stderr"
			# Two adapters, with a next step for each where there is one.
			lines=1
			[ $fixture != no-driver ] || lines=5
			[ "$(wc -l <"$BATS_TEST_TMPDIR/err")" = $lines ] || wrong "$fixture $command: $stderr"
			quickly on $fixture "$command" mlx5_0 -q
			expect 5 '' || wrong "$fixture $command mlx5_0"
		done
		for command in help version 'completion bash' schema 'schema ports' --version; do
			# shellcheck disable=SC2086 # words
			RDMACTL_ROOT=$roots/$fixture quickly try $command
			expect 0 || wrong "$fixture $command"
			[ -z "$stderr" ] || wrong "$fixture $command: $stderr"
			[ -n "$output" ] || wrong "$fixture $command: no output"
		done
	done
	nothing_wrong
}

# Makes a copy of the program and of a tree that everyone may read, and a command that runs as
# another user.
as_anyone()
{
	public=$(mktemp -d)
	chmod 755 "$public"
	cp "$binary" "$public/rdmactl"
	cp -a "$roots/$1" "$public/tree"
	someone=()
	if [ "$(id -u)" = 0 ]; then
		chown -R 65534:65534 "$public/tree"
		someone=(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all)
	fi
}

teardown()
{
	[ -z "${public-}" ] || { chmod -R u+rwX "$public" && rm -rf "$public"; }
}

@test "host: a listing needs no privilege" {
	local command

	as_anyone cx6dx-roce
	for command in $listings; do
		"${someone[@]}" "$public/rdmactl" "$command" --root "$public/tree" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" ||
			wrong "$command: $?"
		quickly try "$command" --root "$public/tree"
		"${someone[@]}" "$public/rdmactl" "$command" --root "$public/tree" 2>&1 | diff - "$BATS_TEST_TMPDIR/out" ||
			wrong "$command: differs from the output for root"
		[ -s "$BATS_TEST_TMPDIR/out" ] || wrong "$command: no output"
	done
	# The same on the live system.
	if [ ! -d /sys/class/infiniband ]; then
		status=0
		"${someone[@]}" "$public/rdmactl" devices >"$BATS_TEST_TMPDIR/out" 2>&1 || status=$?
		[ "$status" = 5 ] || wrong "$(<"$BATS_TEST_TMPDIR/out")"
	fi
	nothing_wrong
}

@test "host: a file without read permission is reported, and hides nothing else" {
	local port

	as_anyone cx5-ib-edr
	port=$(realpath "$public/tree/sys/class/infiniband/mlx5_0/ports/1")
	chmod 0 "$port/rate"
	status=0
	"${someone[@]}" "$public/rdmactl" ports -o device,rate_gbps,state --root "$public/tree" >"$BATS_TEST_TMPDIR/out" \
		2>"$BATS_TEST_TMPDIR/err" || status=$?
	tried='ports -o device,rate_gbps,state'
	take "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err"
	expect 3 $'DEVICE RATE Gb/s STATE\nmlx5_0         - active\nmlx5_1       100 active' \
		'rdmactl ports: mlx5_0/1: cannot read rate_gbps: Permission denied'
	chmod 0 "$(realpath "$public/tree/sys/class/infiniband/mlx5_0")"
	status=0
	"${someone[@]}" "$public/rdmactl" ports -o device,state --root "$public/tree" >"$BATS_TEST_TMPDIR/out" \
		2>"$BATS_TEST_TMPDIR/err" || status=$?
	take "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err"
	expect 3 $'DEVICE STATE\nmlx5_1 active' 'rdmactl ports: mlx5_0: cannot read ports: Permission denied'
	chmod 755 "$(realpath "$public/tree/sys/class/infiniband/mlx5_0")"
}

@test "topo, sriov: a root that opens only at first is no root without devices" {
	local trace=$BATS_TEST_TMPDIR/trace root=$roots/bnxt-sriov command last

	export ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0
	for command in topo sriov; do
		strace -qq -e trace=openat -o "$trace" "$binary" "$command" --root "$root" >/dev/null 2>&1 || true
		last=$(grep -n "\"$root\"" "$trace" | tail -n 1)
		run -1 strace -qq -e trace=openat -e "inject=openat:error=EMFILE:when=${last%%:*}" -o "$trace" \
			"$binary" "$command" --root "$root"
		[ "$output" = "rdmactl ${command}: cannot open the root directory $root: Too many open files" ]
	done
}
