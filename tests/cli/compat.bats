#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The framework of the personalities, and their behaviour on saved trees. tests/compat and
# tests/vm/scene_compat.py compare them with the original tools.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

personalities=$(sed -n 's/^PERSONALITY(\([^,]*\),.*$/\1/p' "$top/cmd/compat/personalities.def")

# as TOOL ...: runs a personality under the tool's name.
as()
{
	status=0
	(exec -a "$1" "$binary" "${@:2}") </dev/null >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
	take "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err"
	tried=$*
}

# The same on a saved machine.
as_on()
{
	RDMACTL_ROOT=$roots/$1 as "${@:2}"
}

@test "compat: lists the tools, in every format" {
	try compat --tsv --no-headings -o name
	expect 0 "$personalities" ''
	try compat
	expect 0
	[[ $output == 'NAME '*' PACKAGE '*' SHOWS'* ]]
	mkdir "$BATS_TEST_TMPDIR/documents"
	"$binary" schema compat >"$BATS_TEST_TMPDIR/schema"
	cd "$BATS_TEST_TMPDIR/documents"
	for format in json jsonl tsv; do
		"$binary" compat --$format >compat.$format
	done
	"$binary" compat >compat.txt 2>compat.err
	"$top/tests/cli/validate" ../schema .
	[ "$(jq -r '.compat[].name' compat.json)" = "$personalities" ]
}

@test "compat: usage errors" {
	try compat ibsta
	expect_error 2 compat "no personality 'ibsta'" "did you mean 'ibstat'?"
	try compat zzzzzzzz
	expect_error 2 compat "no personality 'zzzzzzzz'" 'rdmactl compat lists them'
	try compat /usr/sbin/ibstat
	expect 2
	try ibstat mlx5_0
	expect 2 '' "rdmactl: unknown command 'ibstat'
  the command for that is rdmactl ports; rdmactl compat ibstat prints what ibstat prints"
	try compat --json ibstat
	expect_error 2 compat 'a personality only prints the output of its tool' \
		'rdmactl devices, ports, gids and caps have JSON'
	try compat --frobnicate
	expect 2
	RDMACTL_COMPAT=43 try compat ibstat
	expect_error 2 compat 'RDMACTL_COMPAT must be 44 or 65' \
		'it selects the rdma-core release whose output to print'
	RDMACTL_COMPAT=x as ibstat
	expect 2
	try compat --help
	expect 0
	[[ $output == *'rdmactl compat'* ]]
}

@test "compat: words after the tool are passed to it" {
	try compat ibstat --help
	expect 2 ''
	[[ $stderr == *'Usage: ibstat [options] <ca_name> [portnum]'* ]]
	try compat ibstat --version
	expect 0 '' 'ibstat BUILD VERSION: 65.0'
	try compat --version ibstat
	expect 0 "$(printf 'rdmactl %s' "$(sed -n 's/^VERSION := //p' "$top/Makefile")")"
	try compat --root "$roots/cx5-ib-edr" ibstat -l
	expect 0 $'mlx5_0\nmlx5_1' ''
	try compat --root / ibv_devinfo -x
	expect 255
	[ "$stderr" = "ibv_devinfo: invalid option -- 'x'"$'\n' ]
}

@test "compat: under the tool's name, through any path, the same as by the command" {
	local tool

	for tool in $personalities; do
		as_on cx5-ib-edr "/somewhere/$tool" mlx5_0
		# Some of them begin messages with the path by which they were called.
		sed 's,^/somewhere/,,' "$BATS_TEST_TMPDIR/out" >"$BATS_TEST_TMPDIR/named"
		try compat --root "$roots/cx5-ib-edr" "$tool" mlx5_0
		cmp "$BATS_TEST_TMPDIR/named" "$BATS_TEST_TMPDIR/out" || wrong "$tool"
	done
	nothing_wrong
	as ibstatx
	expect 2
	[[ $stderr == 'Usage: rdmactl'* || $stderr == 'usage: rdmactl'* || $stderr == *'rdmactl'* ]]
}

@test "compat: ibstat continues after a failing adapter, or stops like older releases" {
	as_on bad-rate ibstat -l
	[ "$(wc -l <<<"${output%$'\n'}")" -gt 1 ]
	RDMACTL_COMPAT=44 as_on bad-rate ibstat
	[ "$status" = 255 ]
	[ "$(grep -c "^CA '" "$BATS_TEST_TMPDIR/out")" = 1 ]
	grep -q "ibpanic: .* main: stat of IB device 'mlx5_1' failed: Input/output error" "$BATS_TEST_TMPDIR/err"
	as_on bad-rate ibstat
	[ "$status" = 0 ]
	# Unlike the panic of older releases, the warning gives no reason.
	grep -q "^ibwarn: .* main: stat of IB device 'mlx5_1' failed\$" "$BATS_TEST_TMPDIR/err"
	! grep -q ibpanic "$BATS_TEST_TMPDIR/err" || false
}

@test "compat: ibstat of the newer release, with a missing port and adapters without ports" {
	as_on cx5-ib-edr ibstat mlx5_0 2
	expect 0 ''
	[ "$(sed 's/\[[0-9]*\]/[PID]/' "$BATS_TEST_TMPDIR/err")" = \
		"ibwarn: [PID] ca_stat: CA: 'mlx5_0' has no port number 2 - max (1)"$'\n'"ibwarn: [PID] main: stat of IB device 'mlx5_0' failed" ]
	# Its first port has neither a GID nor a connection manager, because there are no ports.
	as_on hostile ibstat ports0
	expect 0 '' ''
	as_on hostile ibstat -d ports0
	expect 0
	[[ $output == 'ibdebug: ['*'] ca_stat: The device ports0 is not RDMA endpoint device'$'\n' ]]
	[ -z "$stderr" ]
	RDMACTL_COMPAT=44 as_on hostile ibstat ports0
	expect 255 ''
}

@test "compat: what public parsers look for" {
	as_on cx7-ib-ndr ibstat
	expect 0
	grep -qE '^\s+State: Active$' "$BATS_TEST_TMPDIR/out"
	grep -qE '^\s+Physical state: LinkUp$' "$BATS_TEST_TMPDIR/out"
	grep -qE '^\s+Rate: 400$' "$BATS_TEST_TMPDIR/out"
	grep -qE '^\s+Link layer: InfiniBand$' "$BATS_TEST_TMPDIR/out"
	grep -qE "^CA 'mlx5_0'\$" "$BATS_TEST_TMPDIR/out"
	as_on cx7-ib-ndr ibstatus
	expect 0
	grep -qE "^Infiniband device 'mlx5_0' port 1 status:\$" "$BATS_TEST_TMPDIR/out"
	grep -qE '^\s+rate:\s+400 Gb/sec \(4X NDR\)$' "$BATS_TEST_TMPDIR/out"
	grep -qE '^\s+phys state:\s+5: LinkUp$' "$BATS_TEST_TMPDIR/out"
}

@test "compat: a file that cannot be read is named as cat names it" {
	as_on bad-rate ibstatus mlx5_1
	expect 0
	grep -q '^cat: /sys/class/infiniband/mlx5_1/ports/1/rate: Invalid argument$' "$BATS_TEST_TMPDIR/err"
	grep -q $'^\trate:\t\t unknown$' "$BATS_TEST_TMPDIR/out"
}

@test "compat: a saved tree has no verbs" {
	as_on cx5-ib-edr ibv_devices
	expect 1 '' 'Failed to get IB devices list: a saved tree has no verbs'
	as_on cx5-ib-edr ibv_devinfo -v
	expect 255 '' 'Failed to get IB devices list: a saved tree has no verbs'
}

@test "compat: a root that cannot be opened is reported" {
	for tool in ibstat ibdev2netdev rxe_cfg; do
		try compat --root "$BATS_TEST_TMPDIR/none" $tool
		expect 255 '' "$tool: $BATS_TEST_TMPDIR/none: No such file or directory"
	done
}

@test "compat: a failed write of the output is not success" {
	status=0
	RDMACTL_ROOT=$roots/cx5-ib-edr "$binary" compat ibstat >/dev/full 2>"$BATS_TEST_TMPDIR/err" || status=$?
	[ "$status" = 1 ]
	grep -q 'cannot write the output' "$BATS_TEST_TMPDIR/err"
}

@test "compat: completion of tools and of their words" {
	[ "$("$binary" __complete -- compat '' | cut -f 1)" = "$personalities" ]
	[ "$("$binary" __complete -- compat ibv_devin | cut -f 1)" = ibv_devinfo ]
	[ -z "$("$binary" __complete -- compat ibstat -)" ]
	[ "$("$binary" __complete -- compat --root "$roots/cx5-ib-edr" ibstat mlx | cut -f 1)" = $'mlx5_0\nmlx5_1' ]
	"$binary" __complete -- compat -- | grep -q '^--json'
}

@test "compat: make install-compat makes links, and leaves other programs alone" {
	local tool directory=$BATS_TEST_TMPDIR/tools

	install_links()
	{
		make -s -C "$top" BINDIR="${binary%/*}" COMPAT_DIR="$directory" install-compat
	}
	install_links
	for tool in $personalities; do
		[ "$(readlink "$directory/$tool")" = "${binary%/*}/rdmactl" ] || wrong "$tool"
	done
	nothing_wrong
	[ "$(RDMACTL_ROOT=$roots/cx5-ib-edr "$directory/ibstat" -l)" = $'mlx5_0\nmlx5_1' ]
	install_links
	rm "$directory/ibstat"
	echo mine >"$directory/ibstat"
	! install_links 2>"$BATS_TEST_TMPDIR/refusal" || false
	grep -q 'is another program' "$BATS_TEST_TMPDIR/refusal"
	[ "$(cat "$directory/ibstat")" = mine ]
}

@test "compat: no text or name in a saved tree controls the terminal" {
	local tree=$BATS_TEST_TMPDIR/tree escape=$'\e[31m' device file tool

	cp -dR "$roots/cx5-ib-edr" "$tree"
	device=$(readlink -f "$tree/sys/class/infiniband/mlx5_0")
	for file in hca_type fw_ver hw_rev board_id ports/1/{link_layer,state,phys_state,rate}; do
		printf '%s\n' "4: $escape" >"$device/$file"
	done
	ln -s "$device" "$tree/sys/class/infiniband/a$escape"
	for tool in $personalities; do
		RDMACTL_ROOT=$tree as "$tool"
		[[ $output$stderr != *"$escape"* ]] || wrong "$tool"
	done
	for tool in 'ibstat -l' "ibstat a$escape" "ibstat b$escape" "ibstatus a$escape" "ibstatus b$escape" \
		"ibstat -Y $escape"; do
		# shellcheck disable=SC2086 # words
		RDMACTL_ROOT=$tree as $tool
		[[ $output$stderr != *"$escape"* ]] || wrong "$tool"
	done
	nothing_wrong
	RDMACTL_ROOT=$tree as ibstat mlx5_0
	[[ $output == *$'\n\tCA type: 4: \\x1b[31m\n'* ]]
}

@test "compat: the root directory means the live system under the tool's name, too" {
	local root words

	for root in '' /; do
		for words in 'ibaddr -C nosuch' 'ibv_devices' 'cma_roce_tos -d nosuch -t 3'; do
			# shellcheck disable=SC2086 # words
			RDMACTL_ROOT=$root as $words
			[[ "$output$stderr" != *'a saved tree'* ]] || wrong "$root $words"
		done
	done
	nothing_wrong
}

@test "compat: the default device in the help of ibv_devinfo is that of the release" {
	as ibv_devinfo -h
	[ "$status" = 255 ]
	[[ $output == *$'  -d, --ib-dev=<dev>     use IB device <dev> (default all devices)\n'* ]]
	RDMACTL_COMPAT=44 as ibv_devinfo -h
	[[ $output == *$'  -d, --ib-dev=<dev>     use IB device <dev> (default first device found)\n'* ]]
}

@test "compat: ibaddr names the module that is missing" {
	[ ! -e /sys/class/infiniband_mad ] || skip 'ib_umad is loaded'
	as ibaddr -C nosuch
	expect 255 "ibaddr: iberror: failed: Failed to open 'nosuch' port '0'"
	[ "$(sed 's/\[[0-9]*\]/[PID]/' "$BATS_TEST_TMPDIR/err")" = "$(
		cat <<-'END'
		ibwarn: [PID] get_abi_version: can't read ABI version from /sys/class/infiniband_mad/abi_version (No such file or directory): is ib_umad module loaded?
		ibwarn: [PID] mad_rpc_open_port: can't open UMAD port (nosuch:0)
		END
	)" ]
}

@test "compat: ibstat of the newer release takes a P_Key index" {
	as_on cx5-ib-edr ibstat -l -Y 3
	expect 0 $'mlx5_0\nmlx5_1' ''
	as_on cx5-ib-edr ibstat -Y 65536
	expect 255 'ibstat: iberror: failed: Invalid P_Key index "65536".  Requires an integer in the range [0, 65535].' ''
	as_on cx5-ib-edr ibstat -h
	[[ $stderr == *$'ibdiag.conf\n  --pkey-idx, -Y <idx>    P_Key table index for outgoing SA/GMP MADs \n'* ]]
	RDMACTL_COMPAT=44 as_on cx5-ib-edr ibstat -l -Y 3
	expect 2 ''
	RDMACTL_COMPAT=44 as_on cx5-ib-edr ibstat --p
	expect 0
}

# A switch has only port 0, but that is still a port.
@test "compat: ibstat shows a switch" {
	local root=$BATS_TEST_TMPDIR/switch device

	cp -dR "$roots/cx5-ib-edr" "$root"
	device=$(readlink -f "$root/sys/class/infiniband/mlx5_0")
	echo '2: switch' >"$device/node_type"
	mv "$device/ports/1" "$device/ports/0"
	RDMACTL_ROOT=$root as ibstat mlx5_0
	expect 0
	[[ $output == "Switch 'mlx5_0'"*$'\n\tNumber of ports: 0\n'*$'\n\tPort 0:\n\t\tState: Active\n'* ]]
	RDMACTL_ROOT=$root as ibstat mlx5_0 0
	expect 0
	[[ $output == $'Switch: \'mlx5_0\'\nPort 0:\nState: Active\n'* ]]
}

# A host with many virtual functions; the tool's table of 64 ports is for one device.
@test "compat: ibstat -p lists the ports of any number of devices" {
	local root=$BATS_TEST_TMPDIR/many device target number

	cp -dR "$roots/cx5-ib-edr" "$root"
	target=$(readlink "$root/sys/class/infiniband/mlx5_0")
	device=$(readlink -f "$root/sys/class/infiniband/mlx5_0")
	for number in {100..169}; do
		cp -a "$device" "${device%_0}_$number"
		ln -s "${target%_0}_$number" "$root/sys/class/infiniband/mlx5_$number"
	done
	RDMACTL_ROOT=$root as ibstat -p
	expect 0
	[ "$(wc -l <"$BATS_TEST_TMPDIR/out")" = 72 ]
}
