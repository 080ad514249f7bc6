#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The checks of the group container: each on a good tree, on broken ones and on an unreadable one.

# shellcheck source=doctor.bash
source "$BATS_TEST_DIRNAME/doctor.bash"

nodes=dev/infiniband

@test "container-devices: all, some, none" {
	local give='give the devices to the container: docker run --device=/dev/infiniband/uverbs0 --device=/dev/infiniband/rdma_cm --cap-add=IPC_LOCK, or in Kubernetes the resource of an RDMA device plugin'

	copy cx5-ib-edr
	put $nodes/uverbs0 ''
	put $nodes/rdma_cm ''
	check container-devices
	says 0 ''
	put .dockerenv ''
	check container-devices
	says 0 "note -: the container has some of the host's RDMA devices | devices with uverbs: 2, with a device file: 1 (mlx5_0) -> nothing to do if the container is meant to have only these"
	# A device that is given to other containers is not a fault of this one.
	check container-devices,device-nodes
	says 0 'ok mlx5_0: the device files are there | uverbs0 is there; rdma_cm is there' \
		'not-checked mlx5_1: not checked because of container-devices | uverbs1 is missing'
	put $nodes/uverbs1 ''
	check container-devices
	says 0 'ok -: the container has all RDMA devices | devices with uverbs: 2, with a device file: 2 (mlx5_0, mlx5_1)'
	# All files of the directory are there, but a control group forbids opening any of them.
	put $nodes/uverbs1 '!EPERM'
	check container-devices
	says 0 "note -: the container has some of the host's RDMA devices | devices with uverbs: 2, with a device file: 1 (mlx5_0); with a device file that a control group forbids: 1 -> nothing to do if the container is meant to have only these"
	check container-devices,device-nodes
	says 0 'ok mlx5_0: the device files are there | uverbs0 is there; rdma_cm is there' \
		'not-checked mlx5_1: not checked because of container-devices | uverbs1 is there; uverbs1: Operation not permitted'
	drop $nodes/uverbs0 $nodes/uverbs1
	check container-devices
	says 4 "error -: the container has no RDMA device | devices with uverbs: 2, with a device file: 0 -> $give"
	# The host's kernel has no uverbs device files to pass on.
	drop sys/class/infiniband_verbs sys/class/infiniband/mlx5_{0,1}/device/infiniband_verbs
	check verbs-modules,container-devices
	says 3 'not-checked -: not checked because of verbs-modules | '
	check verbs-modules
	says 0 'note -: a module for user space is not loaded; the kernel tries to load it when a program needs it | not loaded: ib_uverbs -> on the host: modprobe -a ib_uverbs; to load them at every start, list them in /etc/modules-load.d/rdma.conf'
	copy no-driver
	put .dockerenv ''
	check pci-driver
	[[ $results == *'-> on the host: echo 0000:5e:00.0 > /sys/bus/pci/drivers/mlx5_core/bind; '* ]]
	check rdma-module
	[[ $results == *'-> on the host: modprobe mlx5_ib; to load it at every start: '* ]]
	copy cx5-ib-edr
	put .dockerenv ''
	check container-devices
	says 0 'not-checked -: the saved tree has no device files |  -> run it on the host itself, without --root'
	drop .dockerenv
	check container-devices --profile container
	says 0 'not-checked -: the saved tree has no device files |  -> run it on the host itself, without --root'
}

@test "netns-mode: shared and exclusive" {
	local mode=sys/module/ib_core/parameters/netns_mode
	local step='rdmactl dev set DEV netns NAME on the host gives a device to a namespace; rdmactl system set netns-mode shared shows all devices in all namespaces, which the kernel refuses while another network namespace exists: then the command says how to set it for the next start'

	copy cx6dx-roce
	check netns-mode
	says 0 'ok -: every network namespace sees all RDMA devices | Y: shared'
	put $mode N
	check netns-mode
	says 0 "note -: each RDMA device is in only one network namespace | N: exclusive; 3 RDMA devices here -> $step"
	# The adapters have their RDMA drivers, but no RDMA device is visible here.
	drop sys/class/infiniband
	mkdir "$tree/sys/class/infiniband"
	check netns-mode
	says 0 "note -: the RDMA devices are in another network namespace | N: exclusive; 0 RDMA devices here -> $step"
	put .dockerenv ''
	check netns-mode
	says 4 "error -: the RDMA devices are in another network namespace | N: exclusive; 0 RDMA devices here -> $step"
	try doctor --root "$tree" --only rdma-module,netns-mode
	expect 4 "error    the RDMA devices are in another network namespace; 1 check not run because of it [netns-mode]
         N: exclusive; 0 RDMA devices here
         -> $step
1 checked: 1 error; 1 not run because of another (profile container; -a lists all)" ''
	put $mode '!EACCES'
	check netns-mode
	says 3 'not-checked -: the namespace mode cannot be read | Permission denied'
	put $mode maybe
	check netns-mode
	says 3 'not-checked -: the namespace mode cannot be read | Invalid argument'
	drop $mode
	check netns-mode
	says 0 ''
}
