#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The checks of the group limits: each on a good tree, a broken one and an unreadable one.

# shellcheck source=doctor.bash
source "$BATS_TEST_DIRNAME/doctor.bash"

# limits SOFT HARD: the text of /proc/PID/limits.
limits()
{
	printf '%-25s %-20s %-20s %s\n' 'Limit' 'Soft Limit' 'Hard Limit' 'Units' \
		'Max locked memory' "$1" "$2" bytes 'Max open files' 1024 524288 files
}

# daemon NAME PID PARENT USER SOFT: adds a process to the tree.
daemon()
{
	put "proc/$2/comm" "$1"
	put "proc/$2/status" "Name:	$1" "Tgid:	$2" "PPid:	$3" "Uid:	$4	$4	$4	$4" 'CapEff:	000001ffffffffff'
	put "proc/$2/limits" "$(limits "$5" "$5")"
	put "proc/$2/cgroup" "0::/system.slice/$1.service"
}

shell_step="put the line '* - memlock unlimited' into /etc/security/limits.d/rdma.conf, and log in again; daemons need LimitMEMLOCK=infinity in a drop-in of their unit"

@test "doctor: memlock of the current shell" {
	copy cx5-ib-edr
	put proc/meminfo 'MemTotal:       1048576 kB'
	put proc/self/limits "$(limits unlimited unlimited)"
	check memlock
	says 0 'ok this shell: memory can be pinned without a limit | Max locked memory unlimited (hard limit unlimited), wanted unlimited'
	put proc/self/limits "$(limits 8388608 unlimited)"
	check memlock
	says 4 "error this shell: pinned memory is limited, so registering more fails | Max locked memory 8 MiB (hard limit unlimited), wanted unlimited -> $shell_step"
	check memlock --profile roce
	[[ $status = 4 && $results = 'warning this shell:'* ]]
	check memlock --profile container
	[[ $results = 'warning this shell:'*'--ulimit memlock=-1'* ]]
	put proc/self/limits "$(limits 8392704 8392704)"
	check memlock
	[[ $status = 4 && $results = 'warning this shell:'*'8196 KiB'* ]]
	# All the memory of the host is enough, and so is the capability.
	put proc/self/limits "$(limits 1073741824 1073741824)"
	check memlock
	[[ $status = 0 && $results = 'ok this shell: memory can be pinned without a limit'* ]]
	put proc/self/limits "$(limits 65536 65536)"
	put proc/self/status 'CapEff:	0000000000004000'
	check memlock
	says 0 'ok this shell: the limit on pinned memory does not apply to this process | Max locked memory 64 KiB (hard limit 64 KiB), wanted unlimited; CAP_IPC_LOCK is held'
	put proc/self/status 'CapEff:	000001ffffffbfff'
	check memlock
	[[ $status = 4 && $results = 'error this shell:'* ]]
}

@test "doctor: memlock that cannot be read" {
	copy cx5-ib-edr
	check memlock
	says 0 'not-checked this shell: the saved tree lacks the limit on pinned memory | the saved tree has no /proc/self/limits -> run it on the host itself, without --root'
	put proc/self/limits '!EIO'
	check memlock
	says 3 'not-checked this shell: the limit on pinned memory cannot be read | Input/output error'
	put proc/self/limits 'Max open files 1024 1024 files'
	check memlock
	says 3 'not-checked this shell: the limit on pinned memory cannot be read | Invalid argument'
	put proc/self/limits "$(limits unlimited unlimited)"
	daemon slurmd 712 1 0 unlimited
	put proc/712/limits '!EIO'
	check memlock
	[ "$status" = 3 ]
	[[ $results = *"not-checked slurmd[712]: the daemon's limit on pinned memory cannot be read"* ]]
}

@test "doctor: memlock of daemons" {
	copy cx5-ib-edr
	put proc/self/limits "$(limits unlimited unlimited)"
	daemon slurmd 712 1 0 unlimited
	check memlock
	[[ $status = 0 && $results = *'ok slurmd[712]: processes that it starts can pin memory without a limit'* ]]
	# The daemon's own capability does not reach its jobs.
	daemon slurmd 712 1 0 8388608
	check memlock
	[ "$status" = 4 ]
	[[ $results = *'error slurmd[712]: jobs inherit a limit on pinned memory | Max locked memory 8 MiB (hard limit 8 MiB), wanted unlimited -> systemctl edit slurmd.service: LimitMEMLOCK=infinity below [Service], then systemctl restart slurmd.service, and keep Slurm from passing on the submitting shell'*'(PropagateResourceLimitsExcept=MEMLOCK)' ]]
	# The files are right, but the process is older than they are.
	put etc/systemd/system/slurmd.service.d/rdma.conf '[Service]' 'LimitMEMLOCK=infinity'
	check memlock
	[[ $results = *'LimitMEMLOCK=infinity in /etc/systemd/system/slurmd.service.d/rdma.conf -> the process does not have the limit that the file sets: systemctl daemon-reload, then systemctl restart slurmd.service' ]]
	rm "$tree/etc/systemd/system/slurmd.service.d/rdma.conf"
	put etc/systemd/system.conf '[Manager]' 'DefaultLimitMEMLOCK=8M'
	check memlock
	[[ $results = *'DefaultLimitMEMLOCK=8M in /etc/systemd/system.conf -> '* ]]
	# A user may have a program called slurmd.
	daemon slurmd 712 1 1000 8388608
	check memlock
	[ "$status" = 0 ]
}

@test "doctor: memlock in a container of Apptainer, which inherits limits and sees the host's processes" {
	copy cx5-ib-edr
	put proc/self/limits "$(limits 8388608 8388608)"
	put .singularity.d/runscript ''
	put etc/security/limits.d/rdma.conf '* - memlock unlimited'
	daemon sshd 800 1 0 8388608
	check memlock
	says 4 'warning this shell: pinned memory is limited, so registering more fails | Max locked memory 8 MiB (hard limit 8 MiB), wanted unlimited -> raise the limit of the job or login that starts the container, which inherits it: rdmactl doctor on the host shows what limits these' \
		'not-checked sshd[800]: the limit of logins is in files of the host, which a container does not have | Max locked memory 8 MiB (hard limit 8 MiB), wanted unlimited'
	# A host with the files of an image is none, whatever the operator calls it.
	daemon systemd 1 0 0 unlimited
	mkdir "$tree/proc/self/ns"
	ln -s 'pid:[4026531836]' "$tree/proc/self/ns/pid"
	put proc/self/mountinfo '27 1 254:0 / / rw,relatime - ext4 /dev/vda rw'
	put proc/1/mountinfo '27 1 254:0 / / rw,relatime - ext4 /dev/vda rw'
	check memlock
	[[ $status = 4 && $results = "error this shell:"*" -> $shell_step"$'\nok sshd[800]: '* ]]
	check memlock --profile container
	[[ $status = 4 && $results = 'warning this shell:'*' -> start the container with --ulimit memlock=-1'* ]]
	# Without what process 1 has at /, as for ordinary users with hidepid=2, the other files decide.
	put proc/1/mountinfo '!EACCES'
	check memlock
	[[ $status = 4 && $results = 'warning this shell:'* && -z $stderr ]]
}

@test "doctor: memlock of sshd and of container runtimes" {
	copy cx5-ib-edr
	put proc/self/limits "$(limits unlimited unlimited)"
	daemon sshd 800 1 0 8388608
	daemon sshd 900 800 0 8388608
	check memlock
	[ "$status" = 4 ]
	[[ $results = *'warning sshd[800]: logins probably inherit a limit on pinned memory'*'sshd.service'* ]]
	[[ $results != *'sshd[900]'* ]]
	# Jobs may start through ssh also where nothing suggests a cluster.
	check memlock --profile roce
	[[ $status = 4 && $results = *'warning sshd[800]: logins probably inherit a limit on pinned memory'* ]]
	# It stays below the hard limit of sshd.
	put etc/security/limits.d/rdma.conf '* soft memlock unlimited'
	check memlock
	[[ $status = 4 && $results = *'warning sshd[800]: logins probably inherit'* ]]
	put etc/security/limits.d/rdma.conf '* - memlock unlimited'
	check memlock
	[ "$status" = 0 ]
	[[ $results = *'ok sshd[800]: logins get more than the daemon has | '*'memlock unlimited for logins in /etc/security/limits.d/rdma.conf' ]]
	daemon containerd 850 1 0 8388608
	check memlock
	[[ $status = 0 && $results = *'note containerd[850]: containers inherit a limit on pinned memory'* ]]
	daemon kubelet 851 1 0 8388608
	check memlock
	[[ $status = 4 && $results = *'error containerd[850]'* && $results = *'note kubelet[851]'* ]]
}

@test "doctor: memlock that CRI-O lifts for its containers, as on OpenShift" {
	copy cx5-ib-edr
	put proc/self/limits "$(limits unlimited unlimited)"
	daemon crio 850 1 0 8388608
	daemon kubelet 851 1 0 unlimited
	put etc/crio/crio.conf.d/00-default '[crio.runtime]' 'default_ulimits = [' '    "nofile=1048576:1048576",' ']'
	check memlock
	[ "$status" = 4 ]
	[[ $results = *'error crio[850]: containers inherit a limit on pinned memory'*'-> systemctl edit crio.service: LimitMEMLOCK=infinity below [Service], then systemctl restart crio.service'* ]]
	put etc/crio/crio.conf.d/99-rdma '[crio.runtime]' 'default_ulimits = [ "memlock=-1:-1" ]'
	check memlock
	[ "$status" = 0 ]
	[[ $results = *'ok crio[850]: processes that it starts can pin memory without a limit | '*'memlock=-1:-1 for containers in /etc/crio/crio.conf.d/99-rdma'* ]]
	# A later list replaces it.
	mv "$tree/etc/crio/crio.conf.d/00-default" "$tree/etc/crio/crio.conf.d/99-rdmb"
	check memlock
	[[ $status = 4 && $results = *'error crio[850]:'* ]]
	# CRI-O sorts by bytes.
	rm "$tree"/etc/crio/crio.conf.d/*
	put etc/crio/crio.conf.d/9-rdma "default_ulimits = ['memlock=-1']"
	put etc/crio/crio.conf.d/10-default 'default_ulimits = ["nofile=1"]'
	check memlock
	[[ $status = 0 && $results = *'ok crio[850]:'*'memlock=-1 for containers in /etc/crio/crio.conf.d/9-rdma'* ]]
	# Its containers get this limit, even if the daemon has none.
	daemon crio 850 1 0 unlimited
	put etc/crio/crio.conf 'default_ulimits = ["memlock=-1"]'
	put etc/crio/crio.conf.d/9-rdma 'default_ulimits = ["memlock=65536:65536"]'
	check memlock
	[ "$status" = 4 ]
	[[ $results = *'error crio[850]: containers get a limit on pinned memory | '*'memlock=65536:65536 for containers in /etc/crio/crio.conf.d/9-rdma '*'-> put "memlock=-1:-1" into default_ulimits of that file, then systemctl restart crio'* ]]
	# CRI-O knows only numbers.
	put etc/crio/crio.conf.d/9-rdma 'default_ulimits = ["memlock=unlimited"]'
	daemon crio 850 1 0 8388608
	check memlock
	[[ $status = 4 && $results = *'error crio[850]: containers inherit'* ]]
}

@test "doctor: rdma-cgroup" {
	copy cx5-ib-edr
	check rdma-cgroup
	[[ $status = 0 && $results = 'not-checked mlx5_0: the saved tree lacks the control group'* ]]
	put proc/self/mountinfo '30 23 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw'
	put proc/self/cgroup '0::/jobs/one'
	mkdir -p "$tree/sys/fs/cgroup/jobs/one"
	check rdma-cgroup
	says 0 'ok mlx5_0: no control group limits RDMA objects | 0 groups with the controller, none with a limit' \
		'ok mlx5_1: no control group limits RDMA objects | 0 groups with the controller, none with a limit'
	put sys/fs/cgroup/jobs/rdma.max 'mlx5_0 hca_handle=2 hca_object=2000' 'mlx5_1 hca_handle=max hca_object=max'
	put sys/fs/cgroup/jobs/rdma.current 'mlx5_0 hca_handle=1 hca_object=20' 'mlx5_1 hca_handle=9 hca_object=9'
	check rdma-cgroup
	says 0 'note mlx5_0: a control group limits the RDMA objects of this process | /jobs: hca_handle 1 of at most 2; /jobs: hca_object 20 of at most 2000 -> raise rdma.max of the control group, or end processes in it that hold objects: rdmactl resources shows them' \
		'ok mlx5_1: no control group limits RDMA objects | 1 group with the controller, none with a limit'
	# The root has no such file on a host, so this is a container's group, with others above it.
	put sys/fs/cgroup/rdma.max 'mlx5_1 hca_handle=max hca_object=max'
	put sys/fs/cgroup/rdma.current 'mlx5_1 hca_handle=1 hca_object=1'
	check rdma-cgroup mlx5_1
	says 0 'ok mlx5_1: no control group that can be seen from here limits RDMA objects | 2 groups with the controller, none with a limit'
	put proc/self/cgroup '0::/'
	check rdma-cgroup mlx5_1
	says 0 'ok mlx5_1: no control group that can be seen from here limits RDMA objects | 1 group with the controller, none with a limit'
	put proc/self/cgroup '0::/jobs/one'
	rm "$tree/sys/fs/cgroup/rdma."*
	put sys/fs/cgroup/jobs/rdma.current 'mlx5_0 hca_handle=2 hca_object=20'
	check rdma-cgroup
	[[ $status = 4 && $results = "error mlx5_0: a control group's quota of RDMA objects is used up"* ]]
	# A quota of 0 is used up from the start.
	put sys/fs/cgroup/jobs/rdma.max 'mlx5_0 hca_handle=0 hca_object=max'
	put sys/fs/cgroup/jobs/rdma.current 'mlx5_0 hca_handle=0 hca_object=0'
	check rdma-cgroup mlx5_0
	[[ $status = 4 && $results = 'error mlx5_0:'*'hca_handle 0 of at most 0'* ]]
	put sys/fs/cgroup/jobs/rdma.max '!EIO'
	check rdma-cgroup mlx5_0
	says 3 'not-checked mlx5_0: the control group cannot be read | Input/output error'
}

@test "doctor: numa-balancing, and cpu-power" {
	local error driver says

	copy cx5-ib-edr
	check numa-balancing
	[ -z "$results" ] # no accelerator
	check cpu-power
	[[ $status = 0 && $results = 'not-checked -: the saved tree lacks'* ]]
	put sys/devices/system/cpu/cpufreq/policy0/scaling_governor performance
	put sys/devices/system/cpu/cpufreq/policy1/scaling_governor performance
	put sys/devices/system/cpu/cpu0/cpuidle/state0/name POLL
	put sys/devices/system/cpu/cpu0/cpuidle/state0/latency 0
	put sys/devices/system/cpu/cpu0/cpuidle/state2/name C6
	put sys/devices/system/cpu/cpu0/cpuidle/state2/latency 133
	put sys/devices/system/cpu/cpu0/cpuidle/state2/disable 0
	check cpu-power
	says 0 "ok -: no governor holds the processors' frequency back | governor performance; deepest idle state C6 takes 133 us to leave"
	put sys/devices/system/cpu/cpu0/cpuidle/state2/disable 1
	put sys/devices/system/cpu/cpufreq/policy1/scaling_governor powersave
	check cpu-power
	says 0 'note -: processors do not always run at their full frequency | governor powersave (?) on 1 of 2 policies, wanted performance; deepest idle state POLL takes 0 us to leave -> as root: tuned-adm profile latency-performance, or cpupower frequency-set -g performance'
	# Drivers that choose the frequency themselves have another powersave.
	for driver in intel_pstate amd-pstate-epp intel_cpufreq; do
		put sys/devices/system/cpu/cpufreq/policy1/scaling_driver "$driver"
		check cpu-power
		case $driver in
		intel_cpufreq) says="processors run at their lowest frequency" ;;
		*) says="processors do not always run at their full frequency" ;;
		esac
		[[ $status = 0 && $results = "note -: $says | governor powersave ($driver) on 1 of 2 policies, wanted performance;"* ]]
	done
	# The processors of a policy may be offline.
	for error in EBUSY EINVAL; do
		put sys/devices/system/cpu/cpufreq/policy1/scaling_governor "!$error"
		check cpu-power
		says 0 "ok -: no governor holds the processors' frequency back | governor performance; deepest idle state POLL takes 0 us to leave"
	done
	put sys/devices/system/cpu/cpufreq/policy1/scaling_governor '!EIO'
	check cpu-power
	says 3 "not-checked -: the processors' frequency governor cannot be read | Input/output error"
	check cpu-power --profile roce
	[ -z "$results" ]
}

# Adds an NVIDIA GPU next to the first adapter.
add_gpu()
{
	local path=sys/devices/pci0000:3a/0000:3a:01.0

	put $path/vendor 0x10de
	put $path/device 0x2330
	put $path/class 0x030200
	ln -s "../../../devices/pci0000:3a/0000:3a:01.0" "$tree/sys/bus/pci/devices/0000:3a:01.0"
}

@test "doctor: numa-balancing with a GPU" {
	copy cx5-ib-edr
	mkdir -p "$tree/sys/bus/pci/devices"
	add_gpu
	check numa-balancing
	[[ $results = 'not-checked -: the saved tree lacks the setting numa_balancing'* ]]
	put proc/sys/kernel/numa_balancing 0
	check numa-balancing
	says 0 'ok -: automatic NUMA balancing is off | kernel.numa_balancing = 0, wanted 0'
	put proc/sys/kernel/numa_balancing 1
	check numa-balancing
	says 4 'warning -: automatic NUMA balancing moves pages | kernel.numa_balancing = 1, wanted 0 -> as root: sysctl -w kernel.numa_balancing=0, and a line in /etc/sysctl.d to keep it'
	check numa-balancing --profile container
	[[ $status = 0 && $results = 'note -:'* ]]
	put proc/sys/kernel/numa_balancing '!EIO'
	check numa-balancing
	says 3 'not-checked -: the setting numa_balancing cannot be read | Input/output error'
}

@test "doctor: irq-local" {
	local function irqs

	copy cx5-ib-edr
	function=$(realpath "$tree/sys/class/infiniband/mlx5_0/device")
	function=${function#"$tree/"}
	rm -rf "${tree:?}/$function/msi_irqs"
	put "$function/local_cpulist" 0-15,32-47
	check irq-local mlx5_0
	[[ $results = 'not-checked mlx5_0: the device has no message-signalled interrupts'* ]]
	irqs="100 101 102"
	for irq in $irqs; do
		put "$function/msi_irqs/$irq" msix
	done
	check irq-local mlx5_0
	[[ $status = 0 && $results = 'not-checked mlx5_0: the saved tree lacks the processors that serve the interrupts'* ]]
	for irq in $irqs; do
		put "proc/irq/$irq/effective_affinity_list" ''
	done
	check irq-local mlx5_0
	says 0 'not-checked mlx5_0: no interrupt of the device is in use | '
	put proc/irq/100/effective_affinity_list 3
	put proc/irq/101/effective_affinity_list 40
	put proc/irq/102/effective_affinity_list ''
	check irq-local mlx5_0
	says 0 'ok mlx5_0: processors close to the device serve its interrupts | 0 of 2 interrupts on processors other than 0-15,32-47'
	put proc/irq/101/effective_affinity_list 20-21
	check irq-local mlx5_0
	says 0 'note mlx5_0: processors far from the device serve its interrupts | 1 of 2 interrupts on processors other than 0-15,32-47; such as 101 on 20-21 -> write the local processors to smp_affinity_list of the interrupts, and keep irqbalance from moving them'
	# As many on the local processors as there are, and the rest elsewhere, is how drivers spread them.
	put "$function/local_cpulist" 3
	check irq-local mlx5_0
	says 0 'ok mlx5_0: the processors close to the device serve at least as many of its interrupts as there are processors | 1 of 2 interrupts on processors other than 3'
	put "$function/local_cpulist" 0-15,32-47
	for irq in $irqs; do
		put "proc/irq/$irq/effective_affinity_list" '!EIO'
	done
	check irq-local mlx5_0
	says 3 'not-checked mlx5_0: the processors that serve the interrupts cannot be read | Input/output error'
}

@test "doctor: nofile, hugepages" {
	copy cx5-ib-edr
	check nofile
	[[ $status = 0 && $results = 'not-checked -: the saved tree lacks the limit on open files'* ]]
	put proc/self/limits "$(limits unlimited unlimited)"
	check nofile
	says 0 'ok -: enough files may be open | hard limit of 524288 open files, wanted 65536'
	put proc/self/limits 'Max open files            1024                 4096                 files'
	check nofile
	[[ $status = 0 && $results = 'note -: few files may be open at a time | hard limit of 4096 open files, wanted 65536 -> '* ]]
	put proc/self/limits '!EIO'
	check nofile
	[[ $status = 3 && $results = 'not-checked -:'* ]]

	check hugepages
	[[ $status = 0 && $results = 'not-checked -:'* ]]
	put sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages 0
	put sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages 0
	check hugepages
	[ -z "$results" ] # nobody reserved any
	# libfabric wants them for EFA, and does without.
	cp -r "$tree/sys/kernel/mm" "$BATS_TEST_TMPDIR/mm"
	copy efa
	mkdir -p "$tree/sys/kernel"
	mv "$BATS_TEST_TMPDIR/mm" "$tree/sys/kernel/mm"
	check hugepages
	says 0 'note -: libfabric finds no huge pages for its buffers on EFA | none reserved -> as root: sysctl -w vm.nr_hugepages=COUNT, and a line in /etc/sysctl.d to keep it'
	put sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages 512
	check hugepages
	[[ $status = 0 && $results = 'note -: reserved huge pages are used up | hugepages-2048kB: 0 of 512 free -> '* ]]
	put sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages 100
	check hugepages
	says 0 'ok -: reserved huge pages are free | hugepages-2048kB: 100 of 512 free'
	put sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages many
	check hugepages
	[[ $status = 3 && $results = 'not-checked -: the reserved huge pages cannot be read | Invalid argument' ]]
}

@test "doctor: node-desc, lockdown, pstore" {
	copy cx5-ib-edr
	check node-desc mlx5_0
	[[ $status = 0 && $results = "not-checked mlx5_0: the saved tree lacks the host's name"* ]]
	put proc/sys/kernel/hostname node17.cluster.example
	put sys/class/infiniband/mlx5_0/node_desc 'node17 mlx5_0'
	check node-desc mlx5_0
	says 0 "ok mlx5_0: the node description names the host | node description 'node17 mlx5_0'"
	put sys/class/infiniband/mlx5_0/node_desc $'MT4119 \e[31m'
	check node-desc mlx5_0
	says 0 "note mlx5_0: the node description does not name the host | node description 'MT4119 \\x1b[31m' -> start the service rdma-ndd, which writes the host's name"
	# A container has its own name.
	check node-desc mlx5_0 --profile container
	says 0 "not-checked mlx5_0: the container may have another name than the host, whose name is not known | node description 'MT4119 \\x1b[31m'"
	put sys/class/infiniband/mlx5_0/node_desc '!EIO'
	check node-desc mlx5_0
	[[ $status = 3 && $results = 'not-checked mlx5_0: the node description is not known'* ]]

	check lockdown
	[ -z "$results" ]
	put sys/kernel/security/lockdown '[none] integrity confidentiality'
	check lockdown
	says 0 'ok -: the kernel is not locked down | lockdown none'
	put sys/kernel/security/lockdown 'none [integrity] confidentiality'
	check lockdown
	[[ $status = 0 && $results = 'note -: the kernel is locked down, so tools that map the adapter fail | lockdown integrity -> '* ]]
	put sys/kernel/security/lockdown 'none'
	check lockdown
	[ "$status" = 3 ]
	put sys/kernel/security/lockdown '!EIO'
	check lockdown
	[ "$status" = 3 ]

	check pstore
	[ -z "$results" ]
	mkdir -p "$tree/sys/fs/pstore"
	check pstore
	says 0 'ok -: pstore holds no record of a crash | 0 dmesg records'
	# The kernel makes the directory, but the file system for it is not mounted, as in a container.
	put proc/self/mountinfo '22 30 0:21 / /sys rw,nosuid shared:7 - sysfs sysfs rw'
	check pstore
	[ -z "$results" ]
	# A node with hundreds of containers has more than 64 KiB of mounts.
	yes '22 30 0:21 / /sys rw,nosuid shared:7 - sysfs sysfs rw' | head -n 2000 >"$tree/proc/self/mountinfo"
	check pstore
	[ -z "$results" ]
	put proc/self/mountinfo '!EIO'
	check pstore
	says 3 'not-checked -: what is mounted cannot be read | Input/output error'
	put proc/self/mountinfo '22 30 0:21 / /sys rw,nosuid shared:7 - sysfs sysfs rw' '28 22 0:29 / /sys/fs/pstore rw,nosuid shared:10 - pstore pstore rw'
	check pstore
	[[ $status = 0 && $results = 'ok -:'* ]]
	put sys/fs/pstore/dmesg-efi_pstore-1 x
	put sys/fs/pstore/dmesg-efi_pstore-2 x
	put sys/fs/pstore/console-ramoops-0 x
	touch -d 2026-03-01T12:00:00Z "$tree/sys/fs/pstore/dmesg-efi_pstore-1"
	touch -d 2026-04-01T12:00:00Z "$tree/sys/fs/pstore/dmesg-efi_pstore-2"
	check pstore
	[[ $status = 0 && $results = 'note -: the kernel has saved a record of a crash | 2 dmesg records, the newest of 2026-04-01T12:00:00Z -> '* ]]
	rm -r "$tree/sys/fs/pstore"
	put sys/fs/pstore '!EIO'
	check pstore
	[[ $status = 3 && $results = 'not-checked -:'* ]]
}

@test "doctor: stale-env" {
	copy cx5-ib-edr
	check stale-env
	[ -z "$results" ]
	put etc/nccl.conf '# good' 'NCCL_IB_HCA==mlx5_0:1,mlx5_1' 'NCCL_IB_GID_INDEX=3'
	check stale-env
	says 0 'ok NCCL_IB_HCA: the setting fits the devices of the host | NCCL_IB_HCA==mlx5_0:1,mlx5_1 (/etc/nccl.conf)' \
		'note NCCL_IB_GID_INDEX: a fixed GID index can become wrong when an address changes | NCCL_IB_GID_INDEX=3 (/etc/nccl.conf) -> remove NCCL_IB_GID_INDEX: NCCL 2.21 and later choose the GID themselves; rdmactl gids shows the current indexes'
	put etc/nccl.conf 'NCCL_IB_HCA==mlx5_0:2,mlx4_1' 'NCCL_SOCKET_IFNAME=^docker' 'NCCL_IB_GID_INDEX=-1'
	check stale-env
	[[ $status = 4 && $results = 'warning NCCL_IB_HCA: the setting names devices that do not exist | NCCL_IB_HCA==mlx5_0:2,mlx4_1 (/etc/nccl.conf); nothing is called mlx5_0:2, mlx4_1 -> correct NCCL_IB_HCA: did you mean mlx5_0:1? the names are mlx5_0:1, mlx5_1:1'$'\n'* ]]
	[[ $results = *$'\nok NCCL_SOCKET_IFNAME: the setting fits the devices of the host | NCCL_SOCKET_IFNAME=^docker (/etc/nccl.conf)\nok NCCL_IB_GID_INDEX: the library chooses the GID | NCCL_IB_GID_INDEX=-1 (/etc/nccl.conf)' ]]
	put etc/nccl.conf 'NCCL_IB_DISABLE=0' 'NCCL_NET=IB'
	check stale-env
	says 0 'ok NCCL_IB_DISABLE: the setting does not keep NCCL from using RDMA | NCCL_IB_DISABLE=0 (/etc/nccl.conf)' \
		'ok NCCL_NET: the setting does not keep NCCL from using RDMA | NCCL_NET=IB (/etc/nccl.conf)'
	put etc/nccl.conf 'NCCL_IB_DISABLE=1' 'NCCL_NET=socket'
	check stale-env
	says 0 'note NCCL_IB_DISABLE: NCCL itself does not use RDMA with this setting | NCCL_IB_DISABLE=1 (/etc/nccl.conf) -> remove NCCL_IB_DISABLE, unless NCCL is meant to use TCP' \
		'note NCCL_NET: NCCL itself does not use RDMA with this setting | NCCL_NET=socket (/etc/nccl.conf) -> remove NCCL_NET, unless NCCL is meant to use TCP'
	# No device is closer than another when only the number differs.
	put etc/nccl.conf 'NCCL_IB_HCA==mlx5_7'
	check stale-env
	[[ $results = *'-> correct NCCL_IB_HCA: the names are mlx5_0, mlx5_1' ]]
	put etc/nccl.conf 'NCCL_IB_HCA==mlx50'
	check stale-env
	[[ $results = *'-> correct NCCL_IB_HCA: did you mean mlx5_0? the names are mlx5_0, mlx5_1' ]]
	# The other device exists, but this command is about one device only.
	put etc/nccl.conf 'NCCL_IB_HCA=mlx5_1'
	check stale-env mlx5_0
	[[ $status = 0 && $results = 'ok NCCL_IB_HCA:'* ]]
	put etc/nccl.conf $'NCCL_IB_HCA=^mlx5_7\e[31m'
	check stale-env
	[[ $status = 0 && $results = 'note NCCL_IB_HCA: the setting excludes devices that do not exist | NCCL_IB_HCA=^mlx5_7\x1b[31m'* ]]
	# A saved tree says nothing about the environment of this process.
	rm "$tree/etc/nccl.conf"
	NCCL_IB_HCA=mlx5_7 UCX_TLS=tcp check stale-env
	[ -z "$results" ]
	put etc/ucx/ucx.conf '# of the host' 'UCX_TLS = rc_x,self' 'UCX_NET_DEVICES=mlx5_[0-1]:1'
	check stale-env
	says 0 'ok UCX_NET_DEVICES: the setting fits the devices of the host | UCX_NET_DEVICES=mlx5_[0-1]:1 (/etc/ucx/ucx.conf)' \
		'ok UCX_TLS: the setting does not keep UCX from using RDMA | UCX_TLS=rc_x,self (/etc/ucx/ucx.conf)'
	put etc/ucx/ucx.conf 'UCX_TLS=^ib' 'UCX_NET_DEVICES=ib0' '[Grace]' 'UCX_TLS=rc'
	check stale-env
	says 0 'note UCX_NET_DEVICES: UCX uses no RDMA device with this setting | UCX_NET_DEVICES=ib0 (/etc/ucx/ucx.conf) -> add RDMA devices to UCX_NET_DEVICES, or remove it, unless UCX is meant to use TCP: rdmactl devices lists the names' \
		'note UCX_TLS: UCX sends no messages by RDMA with this setting | UCX_TLS=^ib (/etc/ucx/ucx.conf) -> remove UCX_TLS, or let it have ib, without ^, unless UCX is meant to use TCP'
	put etc/ucx/ucx.conf 'UCX_TLS=srd' 'UCX_NET_DEVICES=mlx5_7:1'
	check stale-env
	[[ $status = 4 && $results = 'warning UCX_NET_DEVICES: the setting names devices that do not exist'*$'\nnote UCX_TLS: '* ]]
	put etc/ucx/ucx.conf '!EACCES'
	check stale-env
	[ -z "$results" ]
	put etc/libfabric.conf 'FI_PROVIDER=tcp'
	check stale-env
	[ -z "$results" ] # no EFA
	copy efa
	put etc/libfabric.conf 'FI_PROVIDER=tcp'
	check stale-env
	says 0 'note FI_PROVIDER: libfabric does not use EFA with this setting | FI_PROVIDER=tcp (/etc/libfabric.conf) -> remove FI_PROVIDER, or let it have efa, unless libfabric is meant to use TCP'
	# Amazon's libfabric does not read that file.
	put opt/amazon/efa/bin/fi_info ''
	check stale-env
	[ -z "$results" ]
	put opt/amazon/efa/etc/libfabric.conf 'FI_PROVIDER=sockets'
	check stale-env
	[[ $results == 'note FI_PROVIDER: libfabric does not use EFA with this setting | FI_PROVIDER=sockets (/opt/amazon/efa/etc/libfabric.conf) -> '* ]]
}

@test "doctor: limits in the output for people" {
	copy cx5-ib-edr
	put proc/self/limits "$(limits 65536 65536)"
	put proc/self/mountinfo '30 23 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw'
	put proc/self/cgroup '0::/jobs'
	put sys/fs/cgroup/jobs/rdma.max 'mlx5_0 hca_handle=2 hca_object=max' 'mlx5_1 hca_handle=2 hca_object=max'
	put sys/fs/cgroup/jobs/rdma.current 'mlx5_0 hca_handle=2 hca_object=3' 'mlx5_1 hca_handle=2 hca_object=3'
	quickly try doctor --root "$tree" --only memlock,rdma-cgroup
	expect 4 "error    this shell: pinned memory is limited, so registering more fails [memlock]
         Max locked memory 64 KiB (hard limit 64 KiB), wanted unlimited
         -> $shell_step
error    2 of 2 devices: a control group's quota of RDMA objects is used up [rdma-cgroup]
         /jobs: hca_handle 2 of at most 2
         -> raise rdma.max of the control group, or end processes in it that hold objects: rdmactl resources shows them
2 checked: 2 errors (profile hpc; -a lists all)" ''
}
