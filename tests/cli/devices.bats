#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

@test "devices: every fixture as in tests/golden" {
	machines golden devices
}

@test "devices: every format is valid and says the same" {
	machines formats devices
}

@test "devices: a column alone says the same as among others" {
	machines columns devices cx5-ib-edr cx6dx-roce opa-hfi1 mlx4-dead-port planes vendors
}

@test "devices: natural order of names" {
	local number wanted=''

	for number in {0..39}; do
		wanted+=mlx5_$number$'\n'
	done
	cells forty devices device
	same 'the order' "$wanted" "$output"
	cells forty ports device,port
	same 'the order of ports' "${wanted//$'\n'/ 1$'\n'}" "$output"
}

@test "devices: in the order of the system, whatever order was requested" {
	on forty devices -o device mlx5_39 mlx5_10 mlx5_2 mlx5_10
	expect 0 $'DEVICE\nmlx5_2\nmlx5_10\nmlx5_39' ''
}

@test "devices: a faulty device does not hide any other device" {
	on bad-rate devices -o device,firmware,node_guid
	expect 3 "DEVICE FIRMWARE   NODE GUID
mlx5_0 20.35.1012 0c42:a103:0088:f010
mlx5_1 -          0c42:a103:0088:f050
mlx5_2 20.35.1012 0c42:a103:0088:f090" 'rdmactl devices: mlx5_1: cannot read firmware: Input/output error'
}

@test "devices: a faulty device does not affect the rows of a good one" {
	on bad-rate devices -o device,firmware,state mlx5_0 mlx5_2
	expect 0 "DEVICE FIRMWARE   STATE
mlx5_0 20.35.1012 active
mlx5_2 20.35.1012 active" ''
}

@test "devices: an unreadable value is null, and reported" {
	on bad-rate devices mlx5_1 -j -o device,firmware
	expect 3
	[ "$(jq -c .devices <<<"$output")" = '[{"device":"mlx5_1","firmware":null}]' ]
	[ "$(jq -c .problems <<<"$output")" = '[{"object":"mlx5_1","attribute":"firmware","source":"sysfs","error":"Input/output error","hint":null}]' ]
}

@test "devices: a summary of the ports, and in JSON the ports within their device" {
	cells mlx4-dead-port devices port_count,state,netdevs
	same 'two ports' $'2 1 down, 1 active ib0,ib1\n' "$output"
	cells efa devices port_count,state,netdevs efa_1
	same 'a port' $'1 active \n' "$output"
	on mlx4-dead-port devices -j
	expect 0
	[ "$(jq -c '.devices[].ports | map([.port, .state, .netdev])' <<<"$output")" = '[[1,"active","ib0"],[2,"down","ib1"]]' ]
}

@test "devices: no netdev appears twice, and an SMI sub-device has none" {
	cells planes devices device,netdevs
	same 'netdevs' $'mlx5_0 ibp8s0\nsmi1 \n' "$output"
}

@test "devices: netdevs are those of this network namespace, as in ports" {
	local root=$BATS_TEST_TMPDIR/root port

	cp -dR "$roots/vendors" "$root"
	rm "$root/sys/class/net/eth2"
	port=$(readlink -f "$root/sys/class/infiniband/mana_0")/ports/2
	mkdir -p "$port/gids" "$port/gid_attrs/ndevs"
	echo fe80:0000:0000:0000:7e1e:52ff:fe4d:8b91 >"$port/gids/0"
	echo eth2 >"$port/gid_attrs/ndevs/0"
	try ports --root "$root" mana_0 --tsv --no-headings -o port,netdev
	expect 0 $'1\teth1\n2\t' ''
	try devices --root "$root" mana_0 --tsv --no-headings -o netdevs
	expect 0 eth1 ''
	help_has devices 'netdevs of the ports, of this network namespace'
	help_has ports 'netdev of this network namespace'
}

# rxe and siw before Linux 5.11 have the device of their netdev as parent.
@test "devices: a software device does not belong to the PCI function below it" {
	local root=$BATS_TEST_TMPDIR/root function device

	cp -dR "$roots/rxe-host" "$root"
	function=$root/sys/devices/pci0000:00/0000:00:1c.6/0000:03:00.0
	mkdir "$function/infiniband" "$root/sys/module/siw"
	mv "$root/sys/devices/virtual/infiniband/"rxe? "$function/infiniband/"
	for device in rxe0 rxe1; do
		ln -sfn "../../devices/pci0000:00/0000:00:1c.6/0000:03:00.0/infiniband/$device" \
			"$root/sys/class/infiniband/$device"
		ln -s ../../../0000:03:00.0 "$function/infiniband/$device/device"
	done
	rm "$function/infiniband/rxe1/parent"
	echo '4: RNIC' >"$function/infiniband/rxe1/node_type"
	echo 'Software iWARP stack' >"$function/infiniband/rxe1/node_desc"
	ln -sfn ../../../../bus/pci/drivers/mlx5_core "$function/driver"
	mkdir -p "$root/sys/bus/pci/drivers/mlx5_core"
	try devices --root "$root" --tsv --no-headings -o device,driver,pci_address,pcie_width_lanes,hca_type
	expect 0 $'rxe0\trdma_rxe\t\t\t\nrxe1\tsiw\t\t\t' ''
}

@test "devices: transport of every kind of device" {
	local fixture device transport

	while read -r fixture device transport; do
		cells "$fixture" devices node_type,transport "$device"
		[ "$output" = "$transport"$'\n' ] || wrong "$fixture $device: $output"
	done <<-END
		cx5-ib-edr mlx5_0 ca infiniband
		cx6dx-roce mlx5_2 ca roce
		opa-hfi1 hfi1_0 ca opa
		irdma-iwarp iwp24s0f0 rnic iwarp
		efa efa_1 unspecified unspecified
		rxe-host rxe0 ca roce
		vendors usnic_0 usnic-udp usnic
		vendors siw0 rnic iwarp
		vendors mana_0 ca roce
	END
	nothing_wrong
}

@test "devices: PCI of a subfunction, a virtual function and a software device" {
	cells cx6dx-roce devices pci_address,pci_vendor_id,pci_device_id,irq_count mlx5_2
	same 'subfunction' $'0000:65:00.0 0x15b3 0x101d 25\n' "$output"
	cells bnxt-sriov devices pci_address,pci_device_id,numa_node bnxt_re1
	same 'virtual function' $'0000:81:02.0 0x1806 1\n' "$output"
	cells rxe-host devices pci_address,pci_vendor_id,numa_node,irq_count rxe0
	same 'software' $'   \n' "$output"
}

@test "devices: PCIe links, current and maximum" {
	cells cx5-ib-edr devices device,pcie_speed_gtps,pcie_width_lanes,pcie_max_speed_gtps,pcie_max_width_lanes
	same 'links' $'mlx5_0 8 16 8 16\nmlx5_1 8 8 8 16\n' "$output"
	cells vendors devices pcie_speed_gtps,pcie_width_lanes usnic_0
	same 'generation 2' $'5 16\n' "$output"
}

@test "devices: character devices" {
	cells mlx4-dead-port devices uverbs,umads,issms
	same 'two ports' $'uverbs0 umad0,umad1 issm0,issm1\n' "$output"
	cells planes devices device,uverbs,umads,issms
	same 'a sub-device' $'mlx5_0 uverbs0 umad0 \nsmi1  umad1,umad2,umad3,umad4 issm1,issm2,issm3,issm4\n' "$output"
}

@test "devices: a port is refused" {
	on cx5-ib-edr devices mlx5_0/1
	expect_error 2 devices "'mlx5_0/1' is not a device name" 'rdmactl devices lists the names'
}

# As with an adapter that has representors of its virtual functions.
@test "devices: the netdevs of many ports" {
	local root=$BATS_TEST_TMPDIR/root class ports nets target number

	cp -dR "$roots/cx6dx-roce" "$root"
	class=$root/sys/class
	ports=$(readlink -f "$class/infiniband/mlx5_0")/ports
	nets=$(readlink -f "$class/net/ens1f0np0")
	target=$(readlink "$class/net/ens1f0np0")
	for number in {2..70}; do
		mkdir -p "$ports/$number/gids" "$ports/$number/gid_attrs/ndevs"
		echo Ethernet >"$ports/$number/link_layer"
		cp "$ports/1/gids/0" "$ports/$number/gids/0"
		echo "rep$number" >"$ports/$number/gid_attrs/ndevs/0"
		cp -a "$nets" "${nets%/*}/rep$number"
		echo $((1000 + number)) | tee "${nets%/*}/rep$number/ifindex" >"${nets%/*}/rep$number/iflink"
		ln -s "${target%/*}/rep$number" "$class/net/rep$number"
	done
	try --root "$root" devices mlx5_0 --jsonl -o netdevs
	expect 0
	[ "$(jq -c '.netdevs | [length, .[0], .[69]]' <<<"$output")" = '[70,"ens1f0np0","rep70"]' ]
}
