#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The checks of the group pcie: each on a good tree, a broken one and an unreadable one.

# shellcheck source=doctor.bash
source "$BATS_TEST_DIRNAME/doctor.bash"

# The machine: adapter mlx5_0 (13:00.0) and two GPUs below one switch (10:01.0, 11:00.0, 12:0x.0), a
# third GPU below a separate switch; mlx5_1 and mlx5_2 are one card (20:00.0 and .1), with the
# virtual function mlx5_3 (20:00.2); mlx5_11 (81:00.0) is on the other NUMA node.
setup()
{
	copy topo-switches
	pci=$tree/sys/bus/pci/devices
	set_file 13:00.0 current_link_speed '32.0 GT/s PCIe'
	set_file 13:00.0 current_link_width 16
}

# set_file ADDRESS FILE VALUE: writes a file of a function.
set_file()
{
	printf '%s\n' "$3" >"$tree/sys/bus/pci/devices/0000:$1/$2"
}

# unreadable ADDRESS FILE ERROR: makes reading the file fail.
unreadable()
{
	ln -sfn "!$3" "$pci/0000:$1/$2"
}

# group ADDRESS NUMBER TYPE
group()
{
	local groups=$tree/sys/kernel/iommu_groups

	mkdir -p "$groups/$2"
	[ -z "${3-}" ] || echo "$3" >"$groups/$2/type"
	ln -sfnr "$groups/$2" "$pci/0000:$1/iommu_group"
}

# wants STATUS ID [WORD...]: runs the check, which must end with this status.
wants()
{
	ask "${@:2}"
	[ "$status" = "$1" ] || { printf 'status %s of %s, not %s\n%s%s' "$status" "$2" "$1" "$output" "$stderr"; return 1; }
}

# as_nobody ID [WORD...]: the same as an ordinary user, with status 0.
as_nobody()
{
	if [ "$EUID" = 0 ]; then
		try_as_nobody doctor "${table[@]}" --only "$@"
		split
		[ "$status" = 0 ] || { printf 'status %s\n%s%s' "$status" "$output" "$stderr"; return 1; }
	else
		wants 0 "$@"
	fi
}

# says OBJECT VERDICT SUMMARY [KEY VALUE...]: checks one result of the last run; a value may have
# wildcards.
says()
{
	local found='' row wanted=$1 "${columns[@]}"

	for row in "${rows[@]}"; do
		look "$row"
		[ "$object" != "$wanted" ] || found+=${found:+$'\n'}$row
	done
	[[ -n $found && $found != *$'\n'* ]] || { echo "not one result of '$wanted': $output"; return 1; }
	look "$found"
	set -- verdict "$2" summary "$3" "${@:4}"
	while [ $# -gt 0 ]; do
		# shellcheck disable=SC2053 # the value is a pattern
		[[ ${!1} == $2 ]] || { printf '%s of %s: wanted %s, got %s\n' "$1" "$wanted" "$2" "${!1}"; return 1; }
		shift 2
	done
}

@test "pcie-link: links that run as fast as both ends can" {
	wants 0 pcie-link
	says 0000:13:00.0 ok 'the PCIe links run as fast and as wide as both of their ends can' \
		evidence '0000:13:00.0 to 0000:12:00.0: 32 GT/s x16, both ends can do 32 GT/s x16' \
		sources '/sys/bus/pci/devices/0000:13:00.0/current_link_speed'
	# Virtual functions have no link of their own.
	[[ $output != *0000:20:00.2* ]]
}

@test "pcie-link: a link that trained down, anywhere on the path" {
	local slow='a PCIe link runs below what both of its ends can do'

	set_file 13:00.0 current_link_width 8
	wants 4 pcie-link
	says 0000:13:00.0 warning "$slow" expected '32 GT/s x16' actual '32 GT/s x8' \
		evidence '0000:13:00.0 to 0000:12:00.0: 32 GT/s x8, both ends can do 32 GT/s x16' next_step '*reseat*'
	says 0000:20:00.0 ok '*'
	# In a container it is not the container's fault.
	wants 0 pcie-link --profile container
	says 0000:13:00.0 note "$slow"
	# The maximum of the other end is unknown.
	rm "$pci/0000:12:00.0/max_link_width"
	wants 0 pcie-link
	says 0000:13:00.0 note 'the PCIe link runs below what the adapter can do; the port above it may be the limit, but what it can do is not known'
	set_file 12:00.0 max_link_width 16
	set_file 13:00.0 current_link_width 16
	set_file 11:00.0 current_link_speed '8.0 GT/s PCIe'
	wants 4 pcie-link
	says 0000:13:00.0 warning "$slow" evidence '0000:11:00.0 to 0000:10:01.0: 8 GT/s x16, both ends can do 32 GT/s x16'
	set_file 13:00.0 current_link_speed '2.5 GT/s PCIe'
	wants 4 pcie-link
	says 0000:13:00.0 warning "$slow" evidence '0000:13:00.0 *2.5 GT/s x16*; 0000:11:00.0 *: 8 GT/s x16*'
}

@test "pcie-link: no link is between the ports of a switch, and an accelerator may save power" {
	set_file 12:00.0 current_link_speed '2.5 GT/s PCIe'
	set_file 14:00.0 current_link_speed '2.5 GT/s PCIe'
	wants 0 pcie-link
	says 0000:13:00.0 ok '*'
}

@test "pcie-link: the slot is the limit" {
	set_file 31:00.0 current_link_speed '16.0 GT/s PCIe'
	set_file 30:01.0 max_link_speed '16.0 GT/s PCIe'
	wants 0 pcie-link
	says 0000:31:00.0 note 'the slot can do less than the adapter' \
		evidence '*both ends can do 16 GT/s x16; the adapter can do 32 GT/s x16'
	# Nothing is visible above a physical function that a virtual machine was given.
	copy topo-flat-vm
	local nics nic

	nics=("$tree"/sys/class/infiniband/*)
	nic=$(readlink "${nics[0]}/device")
	nic=${nic##*/}
	set_file "${nic#0000:}" device 0x1021
	set_file "${nic#0000:}" current_link_width 16
	set_file "${nic#0000:}" max_link_width 16
	set_file "${nic#0000:}" current_link_speed '16.0 GT/s PCIe'
	set_file "${nic#0000:}" max_link_speed '32.0 GT/s PCIe'
	wants 0 pcie-link
	says "$nic" note 'the PCIe link runs below what the adapter can do; the port above it may be the limit, but what it can do is not known'
}

@test "pcie-link, pcie-enough: a port that a hypervisor emulates says nothing about the link" {
	local id

	# QEMU's port reports the speed of the adapter; above a virtual function, which reports no link,
	# the minimum.
	for id in 1b36:000c 15ad:07a0 104c:8233; do
		set_file 30:01.0 vendor "0x${id%:*}"
		set_file 30:01.0 device "0x${id#*:}"
		set_file 30:01.0 max_link_speed '5.0 GT/s PCIe'
		set_file 30:01.0 max_link_width 32
		set_file 31:00.0 current_link_speed '32.0 GT/s PCIe'
		wants 0 pcie-link
		says 0000:31:00.0 ok '*' evidence '0000:31:00.0: 32 GT/s x16, it can do 32 GT/s x16'
		set_file 30:01.0 max_link_speed '32.0 GT/s PCIe'
		set_file 31:00.0 current_link_speed '16.0 GT/s PCIe'
		wants 0 pcie-link
		says 0000:31:00.0 note 'the PCIe link runs below what the adapter can do; the port above it may be the limit, but what it can do is not known'
		set_file 31:00.0 current_link_speed Unknown
		set_file 31:00.0 current_link_width 0
		set_file 30:01.0 current_link_speed '2.5 GT/s PCIe'
		set_file 30:01.0 current_link_width 1
		wants 0 pcie-link,pcie-enough
		says 0000:31:00.0 not-checked 'the PCIe link does not report its speed and width'
		[[ $output != *'2.5 GT/s'* ]]
		set_file 31:00.0 current_link_width 16
	done
}

@test "pcie-link, pcie-enough: an adapter inside Intel's chipset has no link" {
	local address

	for address in 30:01.0 31:00.0; do
		set_file "$address" vendor 0x8086
		set_file "$address" current_link_speed '2.5 GT/s PCIe'
		set_file "$address" max_link_speed '2.5 GT/s PCIe'
		set_file "$address" current_link_width 1
		set_file "$address" max_link_width 1
	done
	set_file 31:00.0 device 0x37d0
	wants 0 pcie-link,pcie-enough
	[[ $output != *'2.5 GT/s'* && $output != *warning* ]]
}

@test "pcie-link: attributes that are absent, unknown or unreadable" {
	local file

	for file in {current,max}_link_{speed,width}; do
		rm "$pci/0000:31:00.0/$file" "$pci/0000:30:01.0/$file"
	done
	set_file 81:00.0 current_link_speed Unknown
	set_file 81:00.0 current_link_width 0
	set_file 80:01.0 current_link_speed 'Unknown speed'
	set_file 80:01.0 current_link_width 255
	wants 0 pcie-link
	says 0000:31:00.0 not-checked 'the function has no PCIe link attributes *'
	says 0000:81:00.0 not-checked 'the PCIe link does not report its speed and width'
	unreadable 20:00.0 current_link_width EIO
	unreadable 10:02.0 current_link_width EIO
	wants 3 pcie-link
	says 0000:20:00.0 not-checked 'the PCIe link does not report its speed and width'
	says 0000:13:00.0 ok '*'
}

@test "pcie-enough: bandwidth for the fastest port, and for the card" {
	wants 0 pcie-enough
	says mlx5_0 ok 'the PCIe links can carry what the ports can send' \
		evidence '*: 32 GT/s x16, 504.1 Gb/s; the fastest port has 400.0 Gb/s'
	says mlx5_2 not-checked 'no port is active, so the rate that is needed is not known'
	echo '4: ACTIVE' >"$tree/sys/class/infiniband/mlx5_2/ports/1/state"
	wants 0 pcie-enough
	says mlx5_1 note 'the PCIe links can carry one port, but not all ports of the card at once' evidence '*all ports of the card 800.0 Gb/s'
	# Wide enough near the adapter, too narrow further up.
	set_file 11:00.0 current_link_width 8
	set_file 11:00.0 max_link_width 8
	wants 4 pcie-enough
	says mlx5_0 warning 'the PCIe links carry less than a port can send' evidence '0000:11:00.0: 32 GT/s x8, 252.1 Gb/s;*'
	# The cause is reported only once.
	set_file 11:00.0 max_link_width 16
	wants 4 pcie-link,pcie-enough
	says mlx5_0 not-checked '*' because pcie-link
}

# another DEVICE ADDRESS: gives the function one more RDMA device, of the same adapter as mlx5_11.
another()
{
	mkdir -p "$pci/0000:$2/infiniband/$1"
	cp -r "$tree"/sys/class/infiniband/mlx5_11/{node_type,ports,sys_image_guid} "$pci/0000:$2/infiniband/$1"
	ln -s ../../.. "$pci/0000:$2/infiniband/$1/device"
	ln -sr "$(realpath "$pci/0000:$2/infiniband/$1")" "$tree/sys/class/infiniband/$1"
}

@test "pcie-enough: an adapter with links in two slots, as in DGX Spark" {
	local address device

	# mlx5_1 (20:00.0) and mlx5_11 (81:00.0) are one adapter, with eight lanes each.
	for address in 20:00.0 81:00.0; do
		set_file "$address" current_link_width 8
		set_file "$address" max_link_width 8
	done
	wants 4 pcie-enough
	says mlx5_1 warning '*carry less than a port can send'
	for device in mlx5_0 mlx5_1 mlx5_11; do
		echo fc4c:ea03:00f9:4230 >"$tree/sys/class/infiniband/$device/sys_image_guid"
	done
	echo 0000:0000:0000:0000 >"$tree/sys/class/infiniband/mlx5_0/sys_image_guid"
	wants 0 pcie-enough
	says mlx5_1 note 'the PCIe links carry less than a port can send, but the adapter has others for it' \
		evidence '0000:20:00.0: 32 GT/s x8, 252.1 Gb/s; the fastest port has 400.0 Gb/s; mlx5_11 at 0000:81:00.0 is the same adapter, with 252.1 Gb/s'
	says mlx5_11 note '*'
	wants 0 pcie-enough mlx5_1
	says mlx5_1 note '*'
	# Together they are too narrow, too, however many RDMA devices the other link has.
	set_file 81:00.0 current_link_width 4
	set_file 81:00.0 max_link_width 4
	another mlx5_12 81:00.0
	wants 4 pcie-enough
	says mlx5_1 warning '*carry less than a port can send'
	# A function does not need the links of the other port.
	set_file 20:00.1 current_link_width 8
	set_file 20:00.1 max_link_width 8
	echo '4: ACTIVE' >"$tree/sys/class/infiniband/mlx5_2/ports/1/state"
	echo fc4c:ea03:00f9:4230 >"$tree/sys/class/infiniband/mlx5_2/sys_image_guid"
	set_file 81:00.0 current_link_width 8
	set_file 81:00.0 max_link_width 8
	wants 4 pcie-enough
	says mlx5_1 note '*'
	says mlx5_2 warning '*carry less than a port can send'
}

@test "pcie-enough: slots whose links do not add up" {
	local address device

	for address in 13:00.0 14:00.0 20:00.0 81:00.0; do
		set_file "$address" current_link_speed '32.0 GT/s PCIe'
		set_file "$address" current_link_width 8
		set_file "$address" max_link_width 8
	done
	for device in mlx5_1 mlx5_11; do
		echo fc4c:ea03:00f9:4230 >"$tree/sys/class/infiniband/$device/sys_image_guid"
	done
	wants 4 pcie-enough
	says mlx5_0 warning '*carry less than a port can send'
	says mlx5_1 note '*'
	# hfi1 gives all adapters of a host one GUID.
	set_file 20:00.0 vendor 0x8086
	wants 4 pcie-enough
	says mlx5_1 warning '*carry less than a port can send'
	says mlx5_11 note '*'
	set_file 20:00.0 vendor 0x15b3
	# A virtual function of ConnectX.
	cp "$pci/0000:81:00.0/device" "$BATS_TEST_TMPDIR"
	set_file 81:00.0 device 0x101e
	wants 4 pcie-enough
	says mlx5_1 warning '*carry less than a port can send'
	cp "$BATS_TEST_TMPDIR/device" "$pci/0000:81:00.0"
	# The links below one switch share the one above it.
	another mlx5_12 14:00.0
	for device in mlx5_0 mlx5_12; do
		echo fc4c:ea03:00f9:4231 >"$tree/sys/class/infiniband/$device/sys_image_guid"
	done
	wants 4 pcie-enough
	says mlx5_0 warning '*carry less than a port can send'
	says mlx5_1 note '*'
	# A hypervisor may put the functions of one card into several slots.
	put sys/class/dmi/id/sys_vendor QEMU
	wants 4 pcie-enough
	says mlx5_1 warning '*carry less than a port can send'
	rm "$tree/sys/class/dmi/id/sys_vendor"
	# How fast the other link is must be known.
	rm "$pci"/0000:8[01]:0[01].0/current_link_speed
	wants 4 pcie-enough
	says mlx5_1 warning '*carry less than a port can send' \
		evidence '0000:20:00.0: 32 GT/s x8, 252.1 Gb/s; the fastest port has 400.0 Gb/s'
}

@test "pcie-enough: accelerators of a ConnectX-8 with Data Direct do not use its link to the processor" {
	local file

	copy topo-data-direct
	pci=$tree/sys/bus/pci/devices
	for file in "$pci"/0000:0[01]:00.0/*_link_speed; do
		echo '32.0 GT/s PCIe' >"$file"
	done
	wants 0 pcie-enough
	says mlx5_0 note '*but traffic of accelerators has links of its own' evidence '*504.1 Gb/s; the fastest port has 800.0 Gb/s; Data Direct function 0008:04:00.0, if these are in the order of the adapters'
	says mlx5_1 ok '*'
	# Only one card of two has such a function, and it is not known which.
	echo 0x2101 >"$pci/0009:04:00.0/device"
	wants 0 pcie-enough
	says mlx5_0 not-checked '*may have a Data Direct function, which only serial numbers show'
	# Root can read the serial numbers.
	printf '\220\005\000V3\002aax' >"$pci/0000:01:00.0/vpd"
	cp "$pci/0000:01:00.0/vpd" "$pci/0008:04:00.0"
	wants 0 pcie-enough
	says mlx5_0 note '*but traffic of accelerators has links of its own' evidence '*; Data Direct function 0008:04:00.0'
	printf '\220\005\000V3\002bbx' >"$pci/0008:04:00.0/vpd"
	wants 4 pcie-enough
	says mlx5_0 warning '*carry less than a port can send'
}

@test "pcie: in a virtual machine, the IDs of mlx4 and mlx5 show that a function is virtual" {
	local id

	for id in 0x1004 0x101a; do
		copy cx5-ib-edr
		ask pcie-link,pcie-enough,iommu-mode,pcie-tuning
		[[ $output = *0000:3b:00.0* ]]
		echo "$id" >"$tree/sys/bus/pci/devices/0000:3b:00.0/device"
		ask pcie-link,pcie-enough,iommu-mode,pcie-tuning
		[[ $output != *0000:3b:00.0* && $output != *mlx5_0* && $output = *0000:af:00.0* ]]
		wants 0 sriov-guid
		says mlx5_0 ok 'the virtual function has a node GUID'
	done
}

@test "pcie-enough: the encoding of QDR InfiniBand is taken into account" {
	set_file 31:00.0 current_link_speed '5.0 GT/s PCIe'
	set_file 31:00.0 current_link_width 8
	echo '40 Gb/sec (4X QDR)' >"$tree/sys/class/infiniband/mlx5_10/ports/1/rate"
	wants 0 pcie-enough mlx5_10
	says mlx5_10 ok '*' evidence '*5 GT/s x8, 32.0 Gb/s; the fastest port has 32.0 Gb/s'
	echo '40 Gb/sec (4X FDR10)' >"$tree/sys/class/infiniband/mlx5_10/ports/1/rate"
	wants 4 pcie-enough mlx5_10
	says mlx5_10 warning '*' evidence '*the fastest port has 40.0 Gb/s'
	unreadable 31:00.0 current_link_speed EIO
	unreadable 30:01.0 current_link_speed EIO
	wants 3 pcie-enough mlx5_10
	says mlx5_10 not-checked 'the bandwidth of the PCIe link is not known'
}

# Sets the counts of a function, in the short names that the kernel uses now and in the older ones.
count_errors()
{
	set_file "$1" aer_dev_correctable "RxErr ${2:-0}"$'\n'"BadTLP 0"$'\n'"TOTAL_ERR_COR ${2:-0}"
	set_file "$1" aer_dev_nonfatal "Undefined 0"$'\n'"Completion Timeout ${3:-0}"$'\n'"TOTAL_ERR_NONFATAL ${3:-0}"
	set_file "$1" aer_dev_fatal "DLP ${4:-0}"$'\n'"TOTAL_ERR_FATAL ${4:-0}"
}

# wants_between STATUS BEFORE AFTER: wants for pcie-errors, while the counters change from what the
# command BEFORE makes them to what AFTER makes them.
wants_between()
{
	quickly try_between "$2" "$3" doctor --root "$tree" "${table[@]}" --only pcie-errors mlx5_0
	split
	[ "$status" = "$1" ] || { printf 'status %s, not %s\n%s%s' "$status" "$1" "$output" "$stderr"; return 1; }
}

@test "pcie-errors: growth on the path, not the count since boot" {
	count_errors 13:00.0 17 3 1
	count_errors 12:00.0
	wants 0 pcie-errors
	says '' not-checked 'growth of PCIe errors: needs interval' needs interval
	wants 0 pcie-errors --interval 1s mlx5_0
	says 0000:13:00.0 not-checked 'nothing grew, but nothing ever does in a saved tree' needs live evidence '16 counters on the path, none grew in *'
	wants_between 4 'count_errors 12:00.0' 'count_errors 12:00.0 5'
	says 0000:13:00.0 warning 'correctable PCIe errors are increasing' \
		evidence '0000:12:00.0: correctable RxErr +5 in *s (0 expected)' sources '*0000:12:00.0/aer_dev_correctable'
	wants_between 4 'count_errors 13:00.0 17 3 1' 'count_errors 13:00.0 18 4 1'
	says 0000:13:00.0 error 'uncorrectable PCIe errors are increasing' \
		evidence '*correctable RxErr +1 *; *nonfatal Completion Timeout +1 *' next_step '*reseat*'
}

@test "pcie-errors: messages without a name, resets, and missing or unreadable counters" {
	wants_between 4 "set_file 13:00.0 aer_dev_fatal 'TOTAL_ERR_FATAL 0'" "set_file 13:00.0 aer_dev_fatal 'TOTAL_ERR_FATAL 2'"
	says 0000:13:00.0 error 'uncorrectable PCIe errors are increasing' evidence '*fatal unnamed +2 *'
	wants_between 0 "set_file 13:00.0 aer_dev_fatal 'TOTAL_ERR_FATAL 2'" "set_file 13:00.0 aer_dev_fatal $'DLP 1\\nTOTAL_ERR_FATAL 1'"
	says 0000:13:00.0 not-checked '*'
	rm "$pci/0000:13:00.0/aer_dev_fatal"
	wants 0 pcie-errors --interval 100ms mlx5_0
	says 0000:13:00.0 not-checked 'no function on the path counts PCIe errors'
	unreadable 11:00.0 aer_dev_nonfatal EIO
	wants 3 pcie-errors --interval 100ms mlx5_0
	says 0000:13:00.0 not-checked 'the PCIe error counters cannot be read' evidence 'Input/output error'
	rm "$pci/0000:11:00.0/aer_dev_nonfatal"
	set_file 11:00.0 aer_dev_nonfatal 'nonsense'
	wants 3 pcie-errors --interval 100ms mlx5_0
	says 0000:13:00.0 not-checked 'the PCIe error counters cannot be read'
}

# poke OFFSET BYTE...: puts bytes, given in hexadecimal, into $bytes.
poke()
{
	local new

	printf -v new '\\x%s' "${@:2}"
	bytes=${bytes::$1*4}$new${bytes:$1*4+${#new}}
}

# config ADDRESS CONTROL [ACS [CAPABILITY]]: writes the config space of a port or function: device
# control XXXX, ACS control XX, and the first bytes of its first capability.
config()
{
	local bytes='\x00'

	# Each byte is a printf escape, because a shell variable cannot hold a 0 byte.
	for _ in {1..12}; do bytes+=$bytes; done
	poke 0 b3 15 21 10 00 00 10 00
	poke $((0x34)) 60
	# shellcheck disable=SC2086 # several bytes
	poke $((0x60)) ${4:-10 00}
	poke $((0x68)) "${2:2:2}" "${2:0:2}"
	poke $((0x100)) 01 00 01 15
	poke $((0x150)) 0d 00 01 00 7f 00 "${3:-00}" 00
	# shellcheck disable=SC2059 # the bytes are the format
	printf "$bytes" >"$pci/0000:$1/config"
}

@test "gdr-acs: what every user can see from the IOMMU groups" {
	local groups='IOMMU groups do not show whether the switch redirects'

	wants 4 gdr-acs
	[ ${#rows[@]} = 1 ]
	says 0000:13:00.0 warning 'the switch probably redirects traffic between adapter and accelerator to the processor' \
		evidence '*same switch: 3; 0000:13:00.0 is in IOMMU group 10, the port 0000:12:00.0 above it in group 20' next_step 'run as root*'
	# Without ACS, adapter and accelerator have different groups, each that of its own port.
	group 13:00.0 20 DMA-FQ
	wants 0 gdr-acs
	says 0000:13:00.0 not-checked "$groups" needs root
	# The port above the accelerator.
	group 15:00.0 30 DMA-FQ
	wants 4 gdr-acs
	says 0000:13:00.0 warning '*' evidence '*0000:15:00.0 is in IOMMU group 30, the port 0000:12:02.0 above it in group 22'
	# Virtual machines need the redirection.
	ln -sfn ../../../../../../bus/pci/drivers/vfio-pci "$pci/0000:15:00.0/driver"
	wants 0 gdr-acs
	says 0000:13:00.0 ok 'the switch redirects traffic, which virtual machines need'
	# No groups: there is no IOMMU.
	find "$tree/sys/devices/" -name iommu_group -delete
	wants 0 gdr-acs
	says 0000:13:00.0 not-checked "$groups" needs root
}

@test "gdr-acs: not for an adapter that need not have RDMA" {
	local function=$pci/0000:13:00.0

	rm -r "$tree/sys/class/infiniband" "$function/infiniband"
	wants 4 gdr-acs
	[ ${#rows[@]} = 1 ]
	echo 0x14e4 >"$function/vendor"
	echo 0x16d8 >"$function/device"
	ln -sfn ../../../../../../bus/pci/drivers/bnxt_en "$function/driver"
	wants 0 gdr-acs
	[ ${#rows[@]} = 0 ]
}

@test "gdr-acs: the bits themselves" {
	local port

	for port in 12:0{0..3}.0 17:00.0; do
		config "$port" 0000 00
	done
	wants 0 gdr-acs
	says 0000:13:00.0 ok 'the switch does not redirect'
	config 12:00.0 0000 1d
	wants 4 gdr-acs
	says 0000:13:00.0 warning 'the switch redirects traffic between adapter and accelerator to the processor' \
		evidence '*port 0000:12:00.0: ACS control 0x1d (0x0c redirects)' next_step '*pci=disable_acs_redir=0000:12:00.0*'
	# Source validation alone does not redirect.
	config 12:00.0 0000 11
	wants 0 gdr-acs
	says 0000:13:00.0 ok '*'
	config 12:00.0 0000 04
	# The data function of a Direct NIC next to the accelerator.
	set_file 18:00.0 vendor 0x15b3
	set_file 18:00.0 device 0x2100
	set_file 18:00.0 class 0x080100
	wants 0 gdr-acs
	says 0000:13:00.0 ok 'a Direct NIC carries the data; rdma_topo check tests its settings'
	set_file 18:00.0 device 0x2101
	# A port that needs privileges to be read, and one whose reading fails.
	config 12:00.0 0000 00
	truncate -s 64 "$pci/0000:12:01.0/config"
	group 13:00.0 20 DMA-FQ
	wants 0 gdr-acs
	says 0000:13:00.0 not-checked '*' needs root
	# Without the extended space nobody can tell, whatever their privileges.
	config 12:01.0 0000 00
	truncate -s 256 "$pci/0000:12:01.0/config"
	wants 0 gdr-acs
	says 0000:13:00.0 not-checked "the kernel does not reach the part of a port's config space that has the settings" needs ''
	unreadable 12:01.0 config EIO
	wants 3 gdr-acs
	says 0000:13:00.0 not-checked 'the config space of a port cannot be read' evidence '*Input/output error'
}

@test "iommu-mode: translation, by profile" {
	local profile verdict type driver

	for profile in hpc=warning gpu=warning roce=note container=note; do
		verdict=${profile#*=}
		if [ "$verdict" = warning ]; then wants 4 iommu-mode --profile "${profile%=*}"; else wants 0 iommu-mode --profile "${profile%=*}"; fi
		says 0000:13:00.0 "$verdict" 'the IOMMU translates every access by the adapter' \
			evidence 'IOMMU group 10 has the type DMA-FQ' next_step '*iommu=pt*'
		says 0000:31:00.0 ok 'no IOMMU translates for the function'
	done
	group 13:00.0 10 identity
	wants 0 iommu-mode
	says 0000:13:00.0 ok 'the IOMMU does not translate for the function' evidence '*type identity'
	group 13:00.0 10 DMA
	wants 4 iommu-mode
	says 0000:13:00.0 warning '*' actual DMA
	for type in unknown unmanaged blocked; do
		group 13:00.0 10 $type
		wants 0 iommu-mode
		says 0000:13:00.0 not-checked 'the type of the IOMMU group does not show whether it translates'
	done
	# A guest's adapter is translated by a domain other than the one whose type is shown.
	driver=$(readlink "$pci/0000:13:00.0/driver")
	ln -sfn ../../../../../../bus/pci/drivers/vfio-pci "$pci/0000:13:00.0/driver"
	wants 0 iommu-mode
	[[ $output != *0000:13:00.0* ]]
	ln -sfn "$driver" "$pci/0000:13:00.0/driver"
	rm "$tree/sys/kernel/iommu_groups/10/type"
	wants 0 iommu-mode
	says 0000:13:00.0 not-checked 'the kernel does not report the type of IOMMU groups*'
	ln -s '!EIO' "$tree/sys/kernel/iommu_groups/10/type"
	wants 3 iommu-mode
	says 0000:13:00.0 not-checked '*'
	unreadable 13:00.0 iommu_group EACCES
	wants 3 iommu-mode
	says 0000:13:00.0 not-checked 'the IOMMU group is not known'
	rm -r "$tree/sys/kernel/iommu_groups"
	find "$tree/sys/devices/" -name iommu_group -delete
	wants 0 iommu-mode
	says 0000:13:00.0 not-checked 'the saved tree has no IOMMU groups' needs live
}

@test "pcie-tuning: read requests and relaxed ordering, for root" {
	wants 0 pcie-tuning mlx5_0
	says 0000:13:00.0 not-checked 'the saved tree has no config space' needs live
	config 13:00.0 5910
	wants 0 pcie-tuning mlx5_0
	says 0000:13:00.0 ok 'read requests are large enough and relaxed ordering is on' \
		evidence '*up to 4096 bytes (should be at least 256); relaxed ordering on (should be on)'
	config 13:00.0 0910
	wants 0 pcie-tuning mlx5_0
	says 0000:13:00.0 note 'the adapter may read in small requests only' evidence '*up to 128 bytes*'
	config 13:00.0 1000
	wants 0 pcie-tuning mlx5_0
	says 0000:13:00.0 note 'relaxed ordering is off' next_step '*do not write them with setpci*'
	config 13:00.0 0000
	wants 0 pcie-tuning mlx5_0
	says 0000:13:00.0 note '*small requests only, and relaxed ordering is off'
	truncate -s 64 "$pci/0000:13:00.0/config"
	wants 0 pcie-tuning mlx5_0
	says 0000:13:00.0 not-checked 'only root can read the settings' needs root evidence '64 bytes can be read'
	config 13:00.0 5910 00 '05 60'
	wants 0 pcie-tuning mlx5_0
	says 0000:13:00.0 not-checked 'the config space is damaged'
	chmod 000 "$pci/0000:13:00.0/config"
	as_nobody pcie-tuning mlx5_0
	says 0000:13:00.0 not-checked 'the config space cannot be read' needs root evidence 'Permission denied'
	unreadable 13:00.0 config EIO
	wants 3 pcie-tuning mlx5_0
	says 0000:13:00.0 not-checked 'the config space cannot be read'
}

@test "numa-known: set, inherited, one node, invented by Hyper-V" {
	wants 0 numa-known
	says 0000:20:00.0 ok 'the NUMA node is known' evidence 'node 0'
	says 0000:13:00.0 ok '*' evidence 'node 0; taken from 0000:12:00.0 above it'
	set_file 31:00.0 numa_node -1
	set_file 30:01.0 numa_node -1
	echo 0-1 >"$tree/sys/devices/system/node/online"
	wants 0 numa-known
	says 0000:31:00.0 note 'the kernel does not know the NUMA node of the adapter' evidence '*2 nodes'
	echo 0 >"$tree/sys/devices/system/node/online"
	wants 0 numa-known
	says 0000:31:00.0 ok 'the host has one NUMA node'
	rm "$tree/sys/devices/system/node/online"
	wants 0 numa-known
	says 0000:31:00.0 not-checked 'the kernel reports no NUMA nodes*'
	ln -s '!EIO' "$tree/sys/devices/system/node/online"
	wants 3 numa-known
	says 0000:31:00.0 not-checked 'the list of NUMA nodes cannot be read'
	rm "$tree/sys/devices/system/node/online"
	echo '0-' >"$tree/sys/devices/system/node/online"
	wants 3 numa-known
	# Only the provider of a virtual machine can tell.
	copy topo-azure-ndv4-blind
	wants 0 numa-known
	[ ${#rows[@]} -gt 0 ]
	for row in "${rows[@]}"; do
		look "$row"
		same result "note the NUMA node is 0, which Hyper-V's driver may have invented" "$verdict $summary"
		same 'next step' "the virtual machine (Hyper-V) does not tell: if topology/ of Azure's azhpc-images has a topology file for this kind of machine, take it for NCCL in NCCL_TOPO_FILE, and for rdmactl topo with --topology-file; otherwise ask the provider" "$next_step"
	done
	copy topo-aws-p4d
	wants 0 numa-known
	says 0000:10:1b.0 note 'the kernel does not know the NUMA node of the adapter' next_step "the virtual machine (Amazon EC2) does not tell: if topology/ of Amazon's aws-ofi-nccl has *"
	# Their files are for machines with GPUs, and not every provider has files.
	ask_provider='ask its provider for the NUMA node of the adapter, and give it to rdmactl topo with --locality; if you run the hypervisor, let it tell (QEMU: numa_node of pxb-pcie)'
	copy efa
	put sys/class/dmi/id/sys_vendor 'Amazon EC2'
	put sys/devices/system/node/online 0-1
	put sys/bus/pci/devices/0000:00:1f.0/numa_node -1
	wants 0 numa-known
	says 0000:00:1f.0 note 'the kernel does not know the NUMA node of the adapter' next_step "the virtual machine (Amazon EC2) does not tell: $ask_provider"
	copy topo-flat-vm
	put sys/devices/system/node/online 0-1
	wants 0 numa-known
	says 0000:00:08.0 note 'the kernel does not know the NUMA node of the adapter' next_step "the virtual machine (QEMU) does not tell: $ask_provider"
	# What cannot be read is told once.
	copy topo-aws-p4d
	ln -sfn '!EIO' "$tree/sys/class/dmi/id/sys_vendor"
	wants 3 numa-known
	same errors 1 "$(grep -c 'hypervisor: cannot read sys_vendor: ' <<<"$stderr")"
	copy topo-p4d-file
	wants 0 numa-known
	says 0000:10:1b.0 note 'the kernel does not know the NUMA node of the adapter' \
		next_step 'nothing to do for NCCL, which finds /var/run/nvidia-topologyd/virtualTopology.xml; place other programs by rdmactl topo, which reads it, too'
}

@test "gdr-path: modules for peer memory, or dma-buf" {
	wants 0 gdr-path
	says '' not-checked 'whether the devices register dma-buf is not known' needs live
	mkdir -p "$tree/proc/sys/kernel" "$tree/sys/module/nvidia_peermem"
	wants 0 gdr-path
	says '' ok 'a module for peer memory is loaded' evidence 'nvidia_peermem is loaded'
	rmdir "$tree/sys/module/nvidia_peermem"
	echo 4.18.0-553.el8 >"$tree/proc/sys/kernel/osrelease"
	wants 0 gdr-path
	says '' not-checked '*' evidence '*Linux 4.18.0-553.el8 (before 5.12: no dma-buf, unless the distribution added it)'
	echo 6.8.0 >"$tree/proc/sys/kernel/osrelease"
	wants 0 gdr-path
	says '' not-checked '*' evidence '*Linux 6.8.0 (5.12 or later: dma-buf may work, a guess)'
	mkdir -p "$tree/sys/module/nvidia"
	echo OE >"$tree/sys/module/nvidia/taint"
	wants 0 gdr-path
	says '' not-checked '*'
	echo POE >"$tree/sys/module/nvidia/taint"
	wants 4 gdr-path
	says '' warning 'memory of accelerators cannot be registered: no module for peer memory, no dma-buf' \
		evidence 'no module for peer memory; nvidia is the proprietary module, which offers no dma-buf'
	mkdir -p "$tree/sys/kernel/mm/memory_peers/amdkfd"
	wants 0 gdr-path
	says '' ok '*' evidence 'amdkfd provides peer memory'
	# The GPU of DGX Spark supports neither, whatever is loaded; another GPU beside it may.
	for device in 14 15; do
		set_file "$device:00.0" vendor 0x10de
		set_file "$device:00.0" device 0x2e12
	done
	wants 0 gdr-path
	says '' ok '*'
	set_file 18:00.0 vendor 0x10de
	set_file 18:00.0 device 0x2e12
	wants 0 gdr-path
	says '' note 'memory that CUDA allocates for this GPU cannot be registered, not even with nvidia_peermem or dma-buf' \
		evidence 'GB10 (10de:2e12)'
	rm -r "$tree/sys/kernel/mm/memory_peers"
	set_file 18:00.0 device 0x2330
	ln -s '!EACCES' "$tree/sys/kernel/mm/memory_peers"
	wants 3 gdr-path
	says '' not-checked 'the modules for peer memory cannot be read'
	rm "$tree/sys/kernel/mm/memory_peers"
	find "$tree/sys/devices" -path '*/0000:1[458]:00.0/driver' -delete
	wants 0 gdr-path
	says '' not-checked 'no driver is bound to the accelerators'
	# Without accelerators there is nothing to check.
	copy cx5-ib-edr
	wants 0 gdr-path
	[ ${#rows[@]} = 0 ]
}

@test "gdr-path: Amazon's driver of EFA needs neither" {
	copy topo-aws-p4d
	mkdir -p "$tree/sys/module/nvidia"
	echo POE >"$tree/sys/module/nvidia/taint"
	wants 4 gdr-path
	says '' warning 'memory of accelerators cannot be registered: no module for peer memory, no dma-buf'
	for device in "$tree"/sys/class/infiniband/*; do
		echo NVIDIA >"$device/device/p2p"
	done
	wants 0 gdr-path
	says '' ok 'the driver of the adapters registers memory of accelerators' \
		evidence 'the driver of 4 of 4 adapters registers memory by itself (p2p NVIDIA)'
	for device in "$tree"/sys/class/infiniband/*; do
		echo >"$device/device/p2p"
	done
	wants 4 gdr-path
	says '' warning '*'
}

@test "gpu-nic: one accelerator without an adapter on its NUMA node" {
	local device function gpu

	wants 0 gpu-nic
	says '' ok 'each accelerator has an adapter on its NUMA node' evidence '*near an adapter, 0 far, 0 unknown'
	rm "$tree/sys/class/infiniband/mlx5_11"
	mv "$pci/0000:81:00.0/infiniband" "$pci/0000:81:00.0/was_infiniband"
	set_file 81:00.0 vendor 0x10de
	set_file 81:00.0 class 0x030200
	wants 4 gpu-nic
	says 0000:81:00.0 warning 'the accelerator has no adapter on its NUMA node' \
		evidence '*on NUMA node 1, its nearest adapter mlx5_* on node 0; * other accelerators have one on their node'
	# Of several cards only one has its RDMA device.
	for device in "$tree"/sys/class/infiniband/*; do
		[ "$(realpath "$device/device")" = "$(realpath "$pci/0000:13:00.0")" ] || rm "$device"
	done
	wants 4 gpu-nic
	says 0000:81:00.0 warning 'the accelerator has no adapter on its NUMA node'
	# With a single card nothing is missing.
	for function in "$pci"/*; do
		[[ $function = */0000:13:00.0 || $(<"$function/vendor") != 0x15b3 ]] || rm "$function"
	done
	wants 0 gpu-nic
	says 0000:81:00.0 note 'the accelerator has no adapter on its NUMA node'
	# All of them, as when there is only one adapter.
	for gpu in 14 15 18; do
		set_file "$gpu:00.0" class 0x010802
	done
	find "$tree/sys/bus/pci/devices/" -name '0000:0*' -delete
	wants 0 gpu-nic
	says '' note 'no accelerator is known to have an adapter on its NUMA node'
	unreadable 81:00.0 numa_node EACCES
	unreadable 80:01.0 numa_node EACCES
	wants 0 gpu-nic
	says '' not-checked 'the distance of 1 accelerator is not known'
	copy topo-flat-vm
	wants 0 gpu-nic
	says '' not-checked 'the virtual machine does not show its topology'
}

@test "sriov-guid: a virtual function's node GUID" {
	local device

	for device in "$tree"/sys/class/infiniband/*; do
		echo 506b:4b03:00aa:0001 >"$device/node_guid"
		echo 506b:4b03:00aa:0001 >"$device/sys_image_guid"
	done
	wants 0 sriov-guid
	[ ${#rows[@]} = 1 ]
	says mlx5_3 ok 'the virtual function has a node GUID'
	echo 0000:0000:0000:0000 >"$tree/sys/class/infiniband/mlx5_3/node_guid"
	wants 4 sriov-guid
	says mlx5_3 error 'the node GUID is zero' evidence 'node GUID 0000000000000000 (must not be zero)' next_step '*node_guid GUID*'
	ln -s ../0000:20:00.7 "$pci/0000:20:00.0/virtfn0"
	ln -s ../0000:20:00.2 "$pci/0000:20:00.0/virtfn3"
	wants 4 sriov-guid
	says mlx5_3 error '*' next_step 'ip link set NETDEV vf 3 node_guid GUID, *0000:20:00.0 is the physical function;*'
	# In a virtual machine nothing reveals that it is a virtual function.
	rm "$pci/0000:20:00.2/physfn"
	wants 4 sriov-guid
	says mlx5_3 error '*'
	ln -s ../0000:20:00.0 "$pci/0000:20:00.2/physfn"
	ln -sfn '!EIO' "$tree/sys/class/infiniband/mlx5_3/node_guid"
	wants 3 sriov-guid
	says mlx5_3 not-checked 'the node GUID is not known'
}

@test "sriov-guid: the command names the netdev of the physical function" {
	copy cx5-ib-edr
	ln -s ../../../pci0000:3a/0000:3a:00.0/0000:3b:00.0 "$pci/0000:af:00.0/physfn"
	ln -s ../../../pci0000:ae/0000:ae:00.0/0000:af:00.0 "$pci/0000:3b:00.0/virtfn0"
	echo 0000:0000:0000:0000 >"$tree/sys/class/infiniband/mlx5_1/node_guid"
	wants 4 sriov-guid
	says mlx5_1 error '*' next_step 'ip link set ib0 vf 0 node_guid GUID, *0000:3b:00.0 is*bind 0000:af:00.0 *'
}

@test "pcie: the text of a finding" {
	set_file 13:00.0 current_link_width 8
	quickly try doctor --root "$tree" --only pcie-link,iommu-mode --profile roce
	expect 4 "warning  0000:13:00.0: a PCIe link runs below what both of its ends can do [pcie-link]
         0000:13:00.0 to 0000:12:00.0: 32 GT/s x8, both ends can do 32 GT/s x16
         -> shut the host down and reseat the adapter, its riser and its cables; if the link stays slow, look for a limit of the slot in the firmware setup (speed, bifurcation), then try another slot
note     0000:13:00.0: the IOMMU translates every access by the adapter [iommu-mode]
         IOMMU group 10 has the type DMA-FQ
         -> add iommu=pt (on Arm iommu.passthrough=1) to the kernel's command line and restart
2 checked: 1 note, 1 warning (profile roce; -a lists all)" ''
}

@test "pcie: reads no more than the header of a config space unless needed" {
	command -v strace >/dev/null || skip 'no strace'
	local port

	for port in 10:01.0 11:00.0 12:0{0..3}.0 13:00.0 14:00.0 81:00.0; do
		config "$port" 5910
	done
	ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -f -qq -e trace=openat,openat2 -o "$BATS_TEST_TMPDIR/trace" \
		"$binary" doctor --root "$tree" --only pcie --skip pcie-tuning >/dev/null 2>&1 || :
	# Only the ports between adapter and accelerators are read, for ACS; never the adapter, an
	# accelerator, or VPD.
	grep -o '0000:[^/]*/config' "$BATS_TEST_TMPDIR/trace" | sort -u >"$BATS_TEST_TMPDIR/read"
	same 'config spaces that were read' "$(printf '0000:%s/config\n' 12:0{0..3}.0 17:00.0)" "$(cat "$BATS_TEST_TMPDIR/read")"
	run ! grep -E 'vpd|/rom"|resource[0-9]' "$BATS_TEST_TMPDIR/trace"
}
