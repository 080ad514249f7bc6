#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Absent is not empty, and a value that was not requested is not a failure.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# ABSENCES=all makes all runs (some 35,000) instead of a sample, with the release build, which
# starts much faster than the test build: eight minutes on two processors.
@test "absences: no value of a damaged machine is lost silently" {
	local sample=(--count 150) program=$binary

	if [ "${ABSENCES:-}" = all ]; then
		sample=(--all)
		[ ! -x "$top/build/rdmactl" ] || program=$top/build/rdmactl
	fi
	RDMACTL=$program ROOTS=$roots "$top/tests/cli/absences" "${sample[@]}"
}

# copy FIXTURE: a copy to damage, in $root.
copy()
{
	root=$BATS_TEST_TMPDIR/root
	rm -rf "$root"
	cp -a "$roots/$1" "$root"
}

# says STATUS OUTPUT STDERR COMMAND...: runs the command on the copy, in TSV, and checks the result.
says()
{
	local wanted=("$1" "$2" "$3")

	quickly try "${@:4}" --root "$root" --tsv --no-headings
	output=${output//$'\t'/ }
	expect "${wanted[@]}"
}

@test "absences: a gap in the port numbers does not make a device with fewer ports" {
	copy planes
	rm -r "$root"/sys/class/infiniband/smi1/ports/2
	says 3 'smi1  ' 'rdmactl devices: smi1: cannot read ports: No such file or directory' \
		devices smi1 -o device,port_count,state
	copy mlx4-vendor
	rm -r "$root"/sys/class/infiniband/mlx4_0/ports/1
	says 3 'mlx4_0 ' 'rdmactl devices: mlx4_0: cannot read ports: No such file or directory' \
		devices -o device,transport
}

@test "absences: without its driver, InfiniBand may be Omni-Path" {
	copy opa-hfi1
	says 0 'hfi1_0 opa' '' devices -o device,transport
	rm "$root"/sys/class/infiniband/hfi1_0/device
	says 3 'hfi1_0 ' \
		'rdmactl devices: hfi1_0: cannot read transport: InfiniBand or Omni-Path: the driver is not known' \
		devices -o device,transport
	says 0 '1 0 ib' '' gids -o port,index,type
}

@test "absences: a malformed MAC address, and the netdev that depends on it" {
	local text

	copy vendors
	for text in '%#garbage' 00:16:3e:2a:f5:17: 00:16:3e:2a:f5:17x 00:16:3e:2a:f5:1; do
		echo "$text" >"$root"/sys/class/net/eth0/address
		says 3 'erdma_0 ' "rdmactl ports: eth0: cannot read address: unexpected text '$text'" \
			ports erdma_0 -o device,netdev
	done
}

@test "absences: a P_Key netdev is not given to another slot" {
	copy mlx4-dead-port
	says 0 $'0 ib0\n1 ib0.8003\n2 ' '' pkeys mlx4_0/1 -o index,netdevs
	rm "$root"/sys/class/infiniband/mlx4_0/ports/1/pkeys/0
	says 3 $'1 \n2 ' 'rdmactl pkeys: mlx4_0/1: cannot read pkeys/0: No such file or directory' \
		pkeys mlx4_0/1 -o index,netdevs
}

@test "absences: one line per device where one cause hides many values; -v lists them" {
	on exporter-partial devices
	[ "$status" = 3 ]
	[ "$(grep -c 'cannot read' <<<"$stderr")" = 3 ]
	grep -q 'mlx5_1: cannot read [0-9]* values (node_type' <<<"$stderr"
	on exporter-partial devices -v
	grep -q 'mlx5_1: cannot read node_guid: No such file or directory' <<<"$stderr"
	on exporter-partial devices -o device,firmware
	expect 0
	[ -z "$stderr" ]
}

@test "absences: a copy made by following the links" {
	cells links-followed devices device,driver,pci_address,pci_vendor_id,uverbs,umads,issms
	expect 0 'mlx5_0 mlx5_core 0000:86:00.0 0x15b3 uverbs0 umad0 issm0' ''
}

@test "absences: adapters without an RDMA device" {
	on no-driver devices
	expect 5 '' 'rdmactl devices: 0000:5e:00.0: no driver is bound to this RDMA adapter
  mlx5_core is loaded, but has not bound to it: the kernel log says why (dmesg), and rdmactl doctor what to do
rdmactl devices: 0000:af:00.0: bound to mlx5_core, whose RDMA module mlx5_ib is not loaded
  load mlx5_ib
rdmactl devices: no sys/class/infiniband in the saved tree'
}

@test "absences: a snapshot skips links out of the tree, and says so" {
	local tree=$BATS_TEST_TMPDIR/tree archive=$BATS_TEST_TMPDIR/one.tar

	mkdir -p "$tree/sys/class/infiniband"
	ln -s /elsewhere/mlx5_0 "$tree/sys/class/infiniband/mlx5_0"
	try snapshot "$archive" --root "$tree"
	[ "$status" = 3 ]
	[[ $stderr == *'sys/class/infiniband/mlx5_0: left out: the link leads out of the tree'* ]]
	run ! grep -q mlx5_0 <<<"$(tar -tf "$archive")"
	try devices --root "$archive"
	expect 5 '' 'rdmactl devices: no RDMA device in the saved tree'
}
