#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# DEV and DEV/PORT, and words that look like them.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

@test "objects: words that are not DEV or DEV/PORT" {
	local word command

	for command in ports gids pkeys netdevs; do
		for word in '' / // /1 . .. ./mlx5_0 ../../etc ../../../../etc/passwd mlx5_0/ mlx5_0/x mlx5_0/1/2 mlx5_0/1/ \
			mlx5_0//1 mlx5_0/99999 mlx5_0/65536 mlx5_0/-1 mlx5_0/+1 'mlx5_0/ 1' 'mlx5_0/1 ' mlx5_0/1x mlx5_0/0x1 \
			mlx5_0/18446744073709551617 mlx5_0/1.5; do
			quickly on cx5-ib-edr "$command" -- "$word"
			expect_error 2 "$command" "'$word' is not DEV or DEV/PORT" 'rdmactl devices lists the names' ||
				wrong "$command '$word'"
		done
	done
	nothing_wrong
}

@test "objects: invalid device names" {
	local word

	for word in '' / mlx5_0/ mlx5_0/1 ../../etc .hidden; do
		quickly on cx5-ib-edr devices "$word"
		expect_error 2 devices "'$word' is not a device name" 'rdmactl devices lists the names' || wrong "'$word'"
	done
	nothing_wrong
}

@test "objects: an unknown device, with and without a suggestion" {
	local command

	for command in $listings; do
		quickly on cx5-ib-edr "$command" mlx5_2
		expect_error 5 "$command" 'mlx5_2: no such RDMA device' 'there are mlx5_0, mlx5_1' || wrong "$command"
		quickly on cx5-ib-edr "$command" bnxt_re0
		expect_error 5 "$command" 'bnxt_re0: no such RDMA device' 'there are mlx5_0, mlx5_1' ||
			wrong "$command"
		# A prefix of a name is not a name.
		quickly on cx5-ib-edr "$command" mlx5_
		expect_error 5 "$command" 'mlx5_: no such RDMA device' 'there are mlx5_0, mlx5_1' || wrong "$command"
		quickly on cx5-ib-edr "$command" mlx50
		expect_error 5 "$command" 'mlx50: no such RDMA device' "did you mean 'mlx5_0'?" || wrong "$command"
		quickly on cx5-ib-edr "$command" MLX5_0
		expect 5 '' || wrong "$command"
	done
	nothing_wrong
}

@test "objects: a port written as in other tools, and a netdev" {
	on cx6dx-roce ports mlx5_0:1
	expect_error 5 ports 'mlx5_0:1: no such RDMA device' "did you mean 'mlx5_0/1'?"
	on cx6dx-roce ports -o device mlx5_1 1
	expect 3 $'DEVICE\nmlx5_1' "rdmactl ports: 1: no such RDMA device
  did you mean 'mlx5_1/1'?"
	# A command about devices takes no port.
	on cx6dx-roce devices mlx5_0:1
	expect_error 5 devices 'mlx5_0:1: no such RDMA device' "did you mean 'mlx5_0'?"
	on cx6dx-roce ports 1
	expect_error 5 ports '1: no such RDMA device' 'there are mlx5_0, mlx5_1, mlx5_2'
	on cx6dx-roce counters ens1f0np0.100
	expect_error 5 counters 'ens1f0np0.100: no such RDMA device' \
		'that is a netdev: rdmactl netdevs shows those of RDMA devices'
	on cx6dx-roce counters ens1f0np0
	expect_error 5 counters 'ens1f0np0: no such RDMA device' \
		'that is a netdev of the adapter of mlx5_0: rdmactl netdevs shows which netdev belongs to which port'
	for word in 0000:65:00.1 65:00.1; do
		on cx6dx-roce ports $word
		expect_error 5 ports "$word: no such RDMA device" 'that is the PCI address of mlx5_1'
	done
	for word in 10.9.0.2 fd09::2; do
		on cx6dx-roce ports $word
		expect_error 5 ports "$word: no such RDMA device" \
			'that is an IP address: rdmactl gids --to names the port that leads to it, rdmactl selftest --peer tests with it'
	done
}

@test "objects: many devices are not all named, and one is" {
	on forty ports mlx5_99
	expect_error 5 ports 'mlx5_99: no such RDMA device' 'rdmactl devices lists what is there'
	on mlx4-vendor ports mlx4_1
	expect_error 5 ports 'mlx4_1: no such RDMA device' 'there is only mlx4_0'
}

# RoCE's port GUID is not the node GUID; a device without a node GUID shows 0.
@test "objects: a GUID leads to the device that has it" {
	local guid

	for guid in b859:9f03:00a1:b2c1 0xb8599f0300a1b2c1 b8599f0300A1B2C1; do
		on cx6dx-roce ports "$guid"
		expect_error 5 ports "$guid: no such RDMA device" 'that is the node GUID of mlx5_1'
	done
	on mlx4-vendor ports f452:1403:0055:6a21/1
	expect_error 5 ports 'f452:1403:0055:6a21: no such RDMA device' 'that is the port GUID of mlx4_0/1'
	on cx6dx-roce topo ba59:9fff:fea1:b2c1
	expect_error 5 topo 'ba59:9fff:fea1:b2c1: no such RDMA device or accelerator' 'that is the port GUID of mlx5_1/1'
	for guid in 0000:0000:0000:0000 b859:9f03:00a1:b2cf b859:9f03:00a1; do
		on cx6dx-roce devices "$guid"
		expect_error 5 devices "$guid: no such RDMA device" 'there are mlx5_0, mlx5_1, mlx5_2'
	done
}

@test "objects: existing devices are shown although another one is missing" {
	local command

	for command in $listings; do
		quickly on cx5-ib-edr "$command" -o device mlx5_9 mlx5_1
		expect 3 $'DEVICE\nmlx5_1' "rdmactl $command: mlx5_9: no such RDMA device
  there are mlx5_0, mlx5_1" || wrong "$command"
	done
	nothing_wrong
}

@test "objects: the same hint is printed only once" {
	on cx5-ib-edr devices bnxt_re0 bnxt_re1
	expect 5 '' 'rdmactl devices: bnxt_re0: no such RDMA device
  there are mlx5_0, mlx5_1
rdmactl devices: bnxt_re1: no such RDMA device'
}

@test "objects: names with control bytes and invalid UTF-8" {
	on cx5-ib-edr ports $'\e[31mx'
	expect_error 5 ports '\x1b[31mx: no such RDMA device' 'there are mlx5_0, mlx5_1'
	on cx5-ib-edr ports $'\xff\xfe\x9b1m'
	expect_error 5 ports '\xff\xfe\x9b1m: no such RDMA device' 'there are mlx5_0, mlx5_1'
	on cx5-ib-edr ports $'a\nb/1'
	expect_error 5 ports 'a\x0ab/1: no such port' 'there are mlx5_0, mlx5_1' ||
		expect_error 5 ports 'a\x0ab: no such RDMA device' 'there are mlx5_0, mlx5_1'
	on cx5-ib-edr ports $'mlx5_0/\e[2J'
	expect_error 2 ports "'mlx5_0/\\x1b[2J' is not DEV or DEV/PORT" 'rdmactl devices lists the names'
	on cx5-ib-edr ports $'\u202emlx5_0/\u200b1'
	expect_error 2 ports "'\\xe2\\x80\\xaemlx5_0/\\xe2\\x80\\x8b1' is not DEV or DEV/PORT" 'rdmactl devices lists the names'
	on cx5-ib-edr ports 東京
	expect_error 5 ports '東京: no such RDMA device' 'there are mlx5_0, mlx5_1'
}

# Words are cleaned wherever they are printed.
@test "objects: no word of the command line reaches the terminal unfiltered" {
	local bad=$'\e]0;owned\a\x9b\xff\x7f\r\n\t\u202e' words number=0

	cd "$BATS_TEST_TMPDIR" || false
	while IFS= read -r words; do
		local -a line=()

		for words in $words; do
			line+=("${words//BAD/$bad}")
		done
		quickly try "${line[@]}"
		[[ $status == [1235] ]] || wrong "${line[*]@Q}: exit status $status"
		[ -n "$output$stderr" ] || wrong "${line[*]@Q}: no output"
		number=$((number + 1))
		cat out err >"shown $number"
		[[ $stderr != *$'\n'*$'\n'*$'\n'* ]] || wrong "${line[*]@Q}: more than two lines"
	done <<-'END'
		BAD
		--BAD
		-BAD
		devices --BAD
		devices -BAD
		devices --json=BAD
		devices --color=BAD
		devices --timeout=BAD
		devices -o BAD
		devices -o device,BAD
		devices --root BAD
		ports BAD
		ports BAD/1
		ports mlx5_0/BAD
		gids --type BAD
		gids --ip BAD
		gids --to BAD
		help BAD
		schema BAD
		schema ports -o BAD
		completion BAD
		caps BAD
		version BAD
	END
	all_clean 'shown '*
	nothing_wrong
}

@test "objects: long words" {
	local long word

	long=$(printf 'm%.0s' {1..5000})
	for word in "$long" "$long/1" "mlx5_0/$long" "mlx5_0/${long//m/1}"; do
		quickly on cx5-ib-edr ports "$word"
		expect 2 '' || wrong "${word:0:20}"
		[[ $stderr == "rdmactl ports: 'm"*"' is not DEV or DEV/PORT"$'\n  rdmactl devices lists the names\n' ]] ||
			wrong "${word:0:20}: ${stderr:0:100}"
	done
	quickly try "$long"
	expect 2 '' || wrong command
	quickly try devices "--$long"
	expect 2 '' || wrong option
	quickly on cx5-ib-edr devices -o "$long"
	expect 2 '' || wrong column
	quickly on cx5-ib-edr devices -o "device${long//m/,device}"
	expect 0 $'DEVICE\nmlx5_0\nmlx5_1' '' || wrong 'many columns'
	quickly try devices --root "$long"
	expect_error 1 devices "cannot open the root directory $long: File name too long" || wrong root
	nothing_wrong
}

@test "objects: very many words" {
	local -a words=()
	local number

	for number in {1..2000}; do
		words+=("mlx5_$((number % 50))/1")
	done
	quickly on forty ports -o device "${words[@]}"
	[ "$status" = 3 ]
	[ "$(wc -l <"$BATS_TEST_TMPDIR/out")" = 41 ]
	# A missing object is reported once, however often it is named.
	[[ $stderr == 'rdmactl ports: mlx5_40, mlx5_41, mlx5_42 and 7 more (-v lists them): no such'* ]]
}

@test "objects: a port number may have leading zeros" {
	cells cx5-ib-edr ports device,port mlx5_0/001
	same 'the port' $'mlx5_0 1\n' "$output"
}
