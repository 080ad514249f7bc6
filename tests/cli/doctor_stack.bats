#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The checks of the group stack: each on a good tree, on broken ones and on an unreadable one.

# shellcheck source=doctor.bash
source "$BATS_TEST_DIRNAME/doctor.bash"

functions=sys/bus/pci/devices
auxiliary=sys/bus/auxiliary/devices
verbs=sys/class/infiniband_verbs
none='no driver is bound to the function'
live='run it on the host itself, without --root'
fix='rebuild the initial RAM disk (update-initramfs -u, dracut -f)'

# In the fixture no-driver, 0000:5e:00.0 has no driver, and 0000:af:00.0 lacks mlx5_ib.

@test "pci-hardware: on the bus, none, possibly some" {
	local step="if there should be an adapter: check its slot and the firmware's settings for it, and in a virtual machine whether the host passes it through"

	copy cx5-ib-edr
	check pci-hardware
	says 0 'ok -: there is RDMA hardware | 0000:3b:00.0 (mlx5_core), 0000:af:00.0 (mlx5_core)'
	copy no-rdma
	check pci-hardware
	says 5 "note -: there is no RDMA hardware | 1 PCI function, none certain to have RDMA -> $step"
	copy rxe-host
	check pci-hardware
	says 0 "note -: there is no RDMA hardware, only software devices | 2 PCI functions, none certain to have RDMA -> $step"
	copy irdma-iwarp
	check pci-hardware
	says 0 'ok -: there is RDMA hardware | 0000:18:00.0 (ice), 0000:18:00.1 (ice)'
	drop $auxiliary sys/class/infiniband
	check pci-hardware
	[ "$status" = 5 ]
	[[ $results == 'note -: there is no RDMA hardware | 3 PCI functions, none certain to have RDMA; 0000:18:00.0 (ice), 0000:18:00.1 (ice) might have it, depending on the adapter -> '* ]]
	put $functions '!EACCES'
	check pci-hardware
	says 3 'not-checked -: the list of PCI functions is not known | Permission denied'
	# A copy of the class of the RDMA devices alone shows nothing about the bus.
	copy links-followed
	check pci-hardware
	says 0 "not-checked -: the saved tree lacks the PCI functions | the saved tree has no /sys/bus/pci -> $live"
}

@test "pci-dead: a function that fell off the bus" {
	local step='power the host off completely (a restart may not be enough); if it happens again, reseat or replace the adapter'

	copy cx5-ib-edr
	check pci-dead
	says 0 "not-checked 0000:3b:00.0: the saved tree has no configuration space |  -> $live" \
		"not-checked 0000:af:00.0: the saved tree has no configuration space |  -> $live"
	printf '\xb3\x15\x17\x10' >"$tree/$functions/0000:3b:00.0/config"
	printf '\xff\xff\xff\xff' >"$tree/$functions/0000:af:00.0/config"
	check pci-dead
	says 4 'ok 0000:3b:00.0: the function answers on the PCI bus | vendor ID now 15b3, when found 15b3' \
		"error 0000:af:00.0: the function no longer answers on the PCI bus | vendor ID now ffff, when found 15b3 -> $step"
	# Checks that depend on the dead function are not made; those of the other one are.
	check rdma-module,pci-dead,rdma-module
	says 4 'ok 0000:3b:00.0: the function has its RDMA device | mlx5_0' \
		'not-checked 0000:af:00.0: not checked because of pci-dead | '
	put $functions/0000:3b:00.0/config '!EIO'
	: >"$tree/$functions/0000:af:00.0/config"
	check pci-dead
	says 3 'not-checked 0000:3b:00.0: the configuration space cannot be read | Input/output error' \
		'not-checked 0000:af:00.0: the configuration space cannot be read | No data available'
	# A virtual function always reads as ffff.
	copy bnxt-sriov
	printf '\xff\xff\xff\xff' >"$tree/$functions/0000:81:02.0/config"
	check pci-dead
	says 0 "not-checked 0000:81:00.0: the saved tree has no configuration space |  -> $live"
}

@test "module-blocked: by modprobe.d and by the kernel command line" {
	local ok='ok 0000:5e:00.0: no setting keeps the modules from being loaded | settings that block modules: 1, none for mlx5_core'
	local off='| mlx5_ib is not loaded;'

	copy no-driver
	check module-blocked
	says 0 "not-checked 0000:5e:00.0: the saved tree has no modprobe.d |  -> $live" \
		"not-checked 0000:af:00.0: the saved tree has no modprobe.d |  -> $live"
	put proc/cmdline 'ro quiet'
	put etc/modprobe.d/x.conf '# no RDMA' '' 'blacklist mlx5_ib'
	check module-blocked
	says 4 "$ok" "error 0000:af:00.0: mlx5_ib is blacklisted in /etc/modprobe.d/x.conf:3 $off /etc/modprobe.d/x.conf:3: blacklist mlx5_ib -> remove the line \"blacklist mlx5_ib\" from /etc/modprobe.d/x.conf, $fix, then: modprobe mlx5_ib"
	# A file of the same name in a directory of higher priority hides this one.
	mkdir -p "$tree/usr/lib" "$tree/etc/modprobe.d"
	put usr/lib/modprobe.d/x.conf 'blacklist irdma'
	check module-blocked
	[[ $results == *"$ok"* ]]
	put etc/modprobe.d/x.conf 'install mlx5_ib /bin/false'
	check module-blocked
	says 4 "$ok" "error 0000:af:00.0: mlx5_ib is replaced by a command in /etc/modprobe.d/x.conf:1 $off /etc/modprobe.d/x.conf:1: install mlx5_ib /bin/false -> remove the line \"install mlx5_ib /bin/false\" from /etc/modprobe.d/x.conf, $fix, then: modprobe mlx5_ib"
	# Modules that mlx5_ib depends on are loaded by name, and a blacklist does not prevent that.
	put etc/modprobe.d/x.conf 'install ib_core /bin/false'
	check module-blocked
	[[ $results == *"ib_core is replaced by a command in /etc/modprobe.d/x.conf:1 $off"*'then: modprobe mlx5_ib' ]]
	put etc/modprobe.d/x.conf 'blacklist ib_core'
	check module-blocked
	says 0 "$ok" "ok 0000:af:00.0: no setting keeps the modules from being loaded | settings that block modules: 1, none for mlx5_ib"
	drop etc/modprobe.d/x.conf usr
	put proc/cmdline 'ro module_blacklist=mlx5_ib'
	check module-blocked
	says 4 "$ok" "error 0000:af:00.0: mlx5_ib is forbidden on the kernel's command line $off /proc/cmdline: module_blacklist=mlx5_ib -> remove module_blacklist=mlx5_ib from the kernel's command line and restart; until then the kernel refuses mlx5_ib"
	put proc/cmdline 'ro modprobe.blacklist=mlx5_ib'
	check module-blocked
	says 4 "$ok" "error 0000:af:00.0: mlx5_ib is blacklisted on the kernel's command line $off /proc/cmdline: modprobe.blacklist=mlx5_ib -> remove modprobe.blacklist=mlx5_ib from the kernel's command line; to load it now: modprobe mlx5_ib"
	put proc/cmdline 'ro rd.driver.blacklist=mlx5_ib'
	check module-blocked
	[[ $results == *'error 0000:af:00.0: mlx5_ib is kept out of the initial RAM disk, and not loaded later '* ]]
}

@test "module-blocked: a setting that did not hold, and files that cannot be read" {
	local line

	copy no-driver
	put proc/cmdline ro
	put etc/modprobe.d/x.conf 'blacklist mlx5_core'
	check module-blocked
	line=': mlx5_core is loaded, although a setting should keep it out | mlx5_core is loaded; /etc/modprobe.d/x.conf:1: blacklist mlx5_core -> nothing to do if it is intended; otherwise remove "blacklist mlx5_core"'
	says 0 "note 0000:5e:00.0$line" \
		'ok 0000:af:00.0: no setting keeps the modules from being loaded | settings that block modules: 1, none for mlx5_ib'
	# No module is missing on this machine.
	copy cx6dx-roce
	put proc/cmdline ro
	put etc/modprobe.d/x.conf 'blacklist mlx5_core'
	check module-blocked
	says 0 "note 0000:65:00.0$line" "note 0000:65:00.1$line"
	copy no-driver
	put proc/cmdline ro
	# If the function does not need the module, blocking it may be intended.
	put etc/modprobe.d/x.conf 'blacklist mlx5_ib'
	ln -s ../../../../bus/pci/drivers/vfio-pci "$tree/$functions/0000:5e:00.0/driver"
	check module-blocked
	[[ $results == 'note 0000:5e:00.0: mlx5_ib is blacklisted in /etc/modprobe.d/x.conf:1 | mlx5_ib is not loaded; /etc/modprobe.d/x.conf:1: blacklist mlx5_ib -> nothing to do if it is intended; otherwise remove "blacklist mlx5_ib"'$'\n''error 0000:af:00.0: '* ]]
	put etc/modprobe.d/x.conf '!EIO'
	check module-blocked
	line=': a file that can block modules cannot be read | /etc/modprobe.d/x.conf: Input/output error'
	says 3 "not-checked 0000:5e:00.0$line" "not-checked 0000:af:00.0$line"
	[ "$(grep -c . <<<"$stderr")" = 1 ]
	# A file that only root may read is not an error of the run.
	put etc/modprobe.d/x.conf 'blacklist irdma'
	chmod 000 "$tree/etc/modprobe.d/x.conf"
	if [ "$(id -u)" = 0 ]; then
		try_as_nobody doctor --only module-blocked
	else
		try doctor --root "$tree" --only module-blocked
	fi
	[ "$status" = 0 ]
	[[ $output == *'0 checked; 1 needs root ('* ]]
	# The files of a container do not apply to the kernel on which it runs.
	put .dockerenv ''
	check module-blocked
	says 0 ''
}

@test "module-absent: not built, not installed" {
	local ok='ok 0000:5e:00.0: no module of the function is missing | '

	copy no-driver
	check module-absent
	says 0 "$ok" "not-checked 0000:af:00.0: the modules of the running kernel are not known |  -> $live"
	put proc/sys/kernel/osrelease 6.12.1
	mkdir -p "$tree/lib/modules/6.1.0"
	check module-absent
	says 4 "$ok" 'error 0000:af:00.0: the modules of the running kernel are not installed | the kernel is 6.12.1, /lib/modules has 6.1.0 -> restart with an installed kernel, or reinstall the modules of 6.12.1'
	put lib/modules/6.12.1/modules.dep 'kernel/a/ib_core.ko: kernel/a/mlx5_ib.ko'
	check module-absent
	says 4 "$ok" "error 0000:af:00.0: the running kernel has no module mlx5_ib | no mlx5_ib for kernel 6.12.1 -> install the package that has it: linux-modules-extra-6.12.1 (Ubuntu), kernel-modules-extra (RHEL, Fedora), or the vendor's driver for this kernel"
	put lib/modules/6.12.1/modules.dep 'kernel/a/mlx5-ib.ko.zst:'
	check module-absent
	says 0 "$ok" 'ok 0000:af:00.0: the running kernel has the modules of the function | kernel/a/mlx5-ib.ko.zst'
	put lib/modules/6.12.1/modules.builtin 'kernel/a/mlx5_ib.ko'
	check module-absent
	says 0 "$ok" "${ok/5e/af}"
	drop lib/modules/6.12.1/modules.builtin
	put lib/modules/6.12.1/modules.dep '!EIO'
	check module-absent
	says 3 "$ok" 'not-checked 0000:af:00.0: the list of modules cannot be read | Input/output error'
}

@test "module-unsigned: Secure Boot, and a driver built on the host" {
	local ok='ok 0000:5e:00.0: no module of the function is missing | ' file=lib/modules/6.12.1/updates/dkms/mlx5_ib.ko

	copy no-driver
	check module-unsigned
	says 0 "$ok" "not-checked 0000:af:00.0: whether the kernel refuses unsigned modules is not known | mlx5_ib is not loaded -> $live"
	put proc/sys/kernel/osrelease 6.12.1
	put lib/modules/6.12.1/modules.dep 'updates/dkms/mlx5_ib.ko: kernel/a/ib_core.ko'
	put $file 'machine code without a signature at its end'
	put sys/module/module/parameters/sig_enforce N
	put sys/kernel/security/lockdown '[none] integrity confidentiality'
	check module-unsigned
	says 0 "$ok" 'ok 0000:af:00.0: the kernel accepts modules without a valid signature | mlx5_ib is not loaded'
	put sys/kernel/security/lockdown 'none [integrity] confidentiality'
	check module-unsigned
	says 4 "$ok" "error 0000:af:00.0: the kernel refuses mlx5_ib, which is not signed | mlx5_ib is not loaded; the kernel is locked down; /$file has no signature -> sign mlx5_ib with a key that the firmware knows (kmodsign or sign-file, mokutil --import), install a signed package of it, or switch Secure Boot off; then: modprobe mlx5_ib"
	member 0000:af:00.0 sources "/sys/kernel/security/lockdown,/$file"
	# Further checks of the function have nothing to judge.
	check module-unsigned,rdma-module
	[[ $results = *'not checked because of module-unsigned'* ]]
	# A signature may be of a key that the kernel does not know.
	put $file 'machine code~Module signature appended~'
	check module-unsigned
	says 0 "$ok" 'not-checked 0000:af:00.0: only loading mlx5_ib shows whether the kernel accepts its signature | mlx5_ib is not loaded; the kernel is locked down -> modprobe mlx5_ib as root; after "Operation not permitted", dmesg | grep Lockdown tells why: "unsigned module loading is restricted" means that the kernel does not know the key or its algorithm, or finds no signature; without this line the kernel loads no module at all (kernel.modules_disabled), or not for this process (CAP_SYS_MODULE); "Key was rejected by service" means that the signature is wrong or its key revoked'
	# A snapshot has no modules.
	drop $file
	check module-unsigned
	[[ $status = 0 && $results = *$'\nnot-checked 0000:af:00.0: only loading '* ]]
	put $file '!EIO'
	check module-unsigned
	[[ $status = 3 && $results = *$'\nnot-checked 0000:af:00.0: the signature of the module cannot be read | '* ]]
	mkdir -p "$tree/sys/module/mlx5_ib"
	check module-unsigned
	says 0 "$ok" "${ok/5e/af}"
}

# two STATUS VERDICT TEXT: compares the result, which is the same for both functions of cx6dx-roce.
two()
{
	says "$1" "$2 0000:65:00.0: $3" "$2 0000:65:00.1: $3"
}

# Many hosts have such an adapter for their network only. What keeps it from doing RDMA is no fault.
@test "an adapter that need not have RDMA" {
	local function

	copy irdma-iwarp
	function=$(realpath "$tree/$functions/0000:18:00.0")
	put sys/module/ib_core/taint O
	put sys/module/ice/taint ''
	put sys/kernel/iommu_groups/7/type DMA-FQ
	ln -sr "$tree/sys/kernel/iommu_groups/7" "$function/iommu_group"
	check iommu-mode
	[[ $status = 4 && $results == 'warning 0000:18:00.0: the IOMMU translates every access by the adapter |'* ]]
	check module-mixed
	[[ $status = 4 && $results == 'warning 0000:18:00.0: the RDMA core and the driver are from different stacks |'* ]]
	# It has neither an RDMA device nor an RDMA half.
	drop $auxiliary sys/class/infiniband
	check iommu-mode
	[[ $status = 5 && $results == 'note 0000:18:00.0: the IOMMU translates every access by the adapter |'* ]]
	# Somebody loaded a module for RDMA, or installed a vendor's, so it is meant to have it.
	put sys/module/irdma/taint ''
	check module-mixed
	[[ $status = 4 && $results == 'warning 0000:18:00.0: the RDMA core and the driver are from different stacks |'* ]]
	drop sys/module/irdma
	put proc/sys/kernel/osrelease 6.1.0
	put lib/modules/6.1.0/modules.dep 'updates/irdma.ko:'
	check module-mixed
	[[ $status = 4 && $results == 'warning 0000:18:00.0: the RDMA core and the driver are from different stacks |'* ]]
	put lib/modules/6.1.0/modules.dep 'kernel/irdma.ko:'
	check module-mixed
	[[ $status = 5 && $results == 'note 0000:18:00.0: the RDMA core and the driver are from different stacks |'* ]]
	# No driver is bound to it either.
	drop sys/module/ice
	rm "$function/driver"
	put proc/cmdline 'ro quiet'
	put etc/modprobe.d/x.conf 'blacklist ice'
	check module-blocked
	[[ $status = 5 && $results == 'note 0000:18:00.0: ice is blacklisted in /etc/modprobe.d/x.conf:1 |'* ]]
	put etc/modprobe.d/x.conf 'blacklist other'
	put proc/sys/kernel/osrelease 6.1.0
	put lib/modules/6.1.0/modules.dep 'kernel/a.ko:'
	check module-absent
	[[ $status = 5 && $results == 'note 0000:18:00.0: the running kernel has no module ice |'* ]]
	put lib/modules/6.1.0/modules.dep 'updates/ice.ko:'
	put lib/modules/6.1.0/updates/ice.ko 'not signed, and longer than the mark of a signature'
	put sys/module/module/parameters/sig_enforce Y
	check module-unsigned
	[[ $status = 5 && $results == 'note 0000:18:00.0: the kernel refuses ice, which is not signed |'* ]]
	check pci-driver
	[[ $status = 5 && $results == "note 0000:18:00.0: $none |"* ]]
}

@test "module-mixed: two stacks, and an old initial RAM disk" {
	local module step="keep one stack: reinstall the vendor's for this kernel or remove it, $fix, and restart"

	copy cx6dx-roce
	check module-mixed
	two 0 not-checked 'the origin of ib_core is not known | '
	for module in ib_core ib_uverbs rdma_cm mlx5_core mlx5_ib; do
		put sys/module/$module/taint OE
	done
	check module-mixed
	two 0 ok 'the modules of the function match each other | ib_core is out of tree'
	put sys/module/mlx5_ib/taint ''
	check module-mixed
	two 4 warning "the RDMA core and the driver are from different stacks | ib_core is out of tree, mlx5_ib is the kernel's own -> $step"
	put sys/module/mlx5_ib/taint OE
	put sys/module/ib_uverbs/taint ''
	check module-mixed
	two 4 warning "the RDMA core and the driver are from different stacks | ib_core is out of tree, ib_uverbs is the kernel's own -> $step"
	# A vendor's driver built for the kernel's own core is common.
	for module in ib_core rdma_cm; do
		put sys/module/$module/taint ''
	done
	check module-mixed
	two 0 ok "the modules of the function match each other | ib_core is the kernel's own"
	put proc/sys/kernel/osrelease 6.12.1
	put lib/modules/6.12.1/modules.dep 'updates/ib_core.ko:' 'updates/mlx5_ib.ko:'
	check module-mixed
	two 4 warning "the loaded modules are not the installed ones | ib_core: the loaded one is the kernel's own, the installed one updates/ib_core.ko -> $step"
	put sys/module/ib_core/taint '!EACCES'
	check module-mixed
	two 3 not-checked 'the origin of ib_core is not known | '
	# The missing module would come from the other stack.
	copy no-driver
	check module-mixed
	says 0 'ok 0000:5e:00.0: no RDMA core is loaded that could be from another stack | ' \
		'ok 0000:af:00.0: no RDMA core is loaded that could be from another stack | '
	put sys/module/ib_core/taint O
	put proc/sys/kernel/osrelease 6.12.1
	put lib/modules/6.12.1/modules.dep 'kernel/mlx5_ib.ko:'
	check module-mixed
	says 4 'ok 0000:5e:00.0: the modules of the function match each other | ib_core is out of tree' \
		"error 0000:af:00.0: the RDMA core and the driver are from different stacks | ib_core is out of tree, mlx5_ib is the kernel's own -> $step"
}

@test "pci-driver: none, a different one, and none where none is needed" {
	local ok='ok 0000:af:00.0: the function has its driver | driver mlx5_core' link=$functions/0000:5e:00.0/driver

	copy no-driver
	check pci-driver
	says 4 "error 0000:5e:00.0: $none | no driver; ID 15b3:1017 is served by mlx5_core; mlx5_core is loaded -> echo 0000:5e:00.0 > /sys/bus/pci/drivers/mlx5_core/bind; the kernel log says why the driver did not bind to it: dmesg | grep 0000:5e:00.0" "$ok"
	drop sys/module/mlx5_core
	check pci-driver
	says 4 "error 0000:5e:00.0: $none | no driver; ID 15b3:1017 is served by mlx5_core; mlx5_core is not loaded -> modprobe mlx5_core" "$ok"
	# An earlier check finds the cause, and it is the cause for the rest of the chain too.
	put etc/modprobe.d/x.conf 'blacklist mlx5_core'
	check module-blocked,rdma-module,pci-driver
	says 4 'not-checked 0000:5e:00.0: not checked because of module-blocked | no driver' "$ok"
	drop etc
	ln -s ../../../../bus/pci/drivers/vfio-pci "$tree/$link"
	check pci-driver
	says 0 'note 0000:5e:00.0: the function is not for this host: it has another driver | driver vfio-pci; RDMA on this host needs mlx5_core -> nothing to do if a guest or a user-space program is meant to use it; otherwise bind mlx5_core to it' "$ok"
	put "$link" '!EIO'
	check pci-driver
	says 3 'not-checked 0000:5e:00.0: the driver of the function is not known | ' "$ok"
	drop "$link"
	ln -s ../0000:af:00.0 "$tree/${link%/*}/physfn"
	check pci-driver
	says 0 'note 0000:5e:00.0: no driver is bound to the virtual function | no driver; ID 15b3:1017 is served by mlx5_core; virtual function of 0000:af:00.0 -> nothing to do if it is meant for a guest; otherwise: echo 0000:5e:00.0 > /sys/bus/pci/drivers_probe' "$ok"
	# Not every adapter of this driver has RDMA.
	copy irdma-iwarp
	drop $functions/0000:18:00.0/driver sys/class/infiniband
	check pci-driver
	[[ $results == "note 0000:18:00.0: $none | no driver; ID 8086:1592 is served by ice; ice is loaded -> "* ]]
}

@test "rdma-module: an RDMA half without its driver" {
	local half first='not-checked 0000:5e:00.0: not checked because of pci-driver | '

	copy no-driver
	half=$(realpath --relative-to="$tree" "$tree/$auxiliary/mlx5_core.rdma.0")
	check rdma-module
	says 4 "$first" 'error 0000:af:00.0: mlx5_ib is not loaded, so there is no RDMA device | mlx5_core.rdma.0 has no driver; mlx5_ib is not loaded -> modprobe mlx5_ib; to load it at every start: echo mlx5_ib >> /etc/modules-load.d/rdma.conf'
	mkdir "$tree/sys/module/mlx5_ib"
	check rdma-module
	says 4 "$first" "error 0000:af:00.0: mlx5_ib is loaded, but not bound to the RDMA half | mlx5_core.rdma.0 has no driver; mlx5_ib is loaded -> the kernel log says why mlx5_ib did not bind to it: dmesg | grep -e mlx5_ib -e 0000:af:00.0"
	ln -s ../../../../../bus/auxiliary/drivers/mlx5_ib.rdma "$tree/$half/driver"
	check rdma-module
	says 4 "$first" "warning 0000:af:00.0: the RDMA half has its driver, but shows no RDMA device | mlx5_core.rdma.0 has its driver -> the kernel log may have the reason: dmesg | grep 0000:af:00.0"
	put sys/module/ib_core/parameters/netns_mode N
	check rdma-module
	says 0 "$first" 'not-checked 0000:af:00.0: not checked because of netns-mode | '
	put "$half/driver" '!EIO'
	check rdma-module
	says 3 "$first" 'not-checked 0000:af:00.0: the auxiliary devices cannot be read | Input/output error'
	put $auxiliary '!EACCES'
	check rdma-module
	says 3 "$first" 'not-checked 0000:af:00.0: the auxiliary devices cannot be read | Permission denied'
	# One of several halves is unbound; a subfunction's half is among them.
	copy cx6dx-roce
	half=$(realpath --relative-to="$tree" "$tree/$auxiliary/mlx5_core.rdma.2")
	put "$half/driver" '!EACCES'
	check rdma-module
	says 3 'not-checked 0000:65:00.0: the auxiliary devices cannot be read | mlx5_0; Permission denied' \
		'ok 0000:65:00.1: the function has its RDMA device | mlx5_1'
	drop "$half/driver"
	check rdma-module
	says 4 'warning 0000:65:00.0: not every RDMA half of the function has its driver | mlx5_0; mlx5_core.rdma.2 has no driver -> dmesg | grep 0000:65:00.0' \
		'ok 0000:65:00.1: the function has its RDMA device | mlx5_1'
}

@test "rdma-module: a function without an RDMA half" {
	local tail

	copy no-driver
	drop sys/bus/auxiliary
	check rdma-module
	[[ $results == *'error 0000:af:00.0: mlx5_ib is not loaded, so there is no RDMA device | mlx5_ib is not loaded -> modprobe mlx5_ib' ]]
	mkdir "$tree/sys/module/mlx5_ib"
	check rdma-module
	[[ $results == *'warning 0000:af:00.0: mlx5_ib is loaded, but has created no RDMA device for the function | mlx5_ib is loaded -> dmesg | grep mlx5_ib' ]]
	# With exclusive namespaces, its device may be in another namespace.
	put sys/module/ib_core/parameters/netns_mode N
	check rdma-module
	[[ $results == *'not-checked 0000:af:00.0: not checked because of netns-mode | ' ]]
	put sys/module/ib_core/parameters/netns_mode Y
	mkdir -p "$tree/$auxiliary"
	ln -s ../../../devices/pci0000:ae/0000:ae:00.0/0000:af:00.0/mlx5_core.eth.0 "$tree/$auxiliary/mlx5_core.eth.0"
	check rdma-module
	[[ $results == *"note 0000:af:00.0: the driver offers no RDMA: it is switched off, or the adapter has none | mlx5_core created devices, but none for RDMA -> devlink dev param show pci/0000:af:00.0 (enable_rdma, enable_roce, enable_iwarp); also look at the adapter's own settings" ]]
	# Not every adapter of ice has RDMA.
	copy irdma-iwarp
	check rdma-module
	[[ $results == 'ok 0000:18:00.0: the function has its RDMA device | '* ]]
	drop sys/class/infiniband sys/bus/auxiliary sys/module/irdma
	check rdma-module
	tail='irdma is not loaded; not every adapter of this driver has RDMA | irdma is not loaded -> modprobe irdma, if the adapter is to do RDMA'
	says 5 "note 0000:18:00.0: $tail" "note 0000:18:00.1: $tail"
	# The second function of a bond.
	copy roce-bond-vlan
	check rdma-module
	says 0 'ok 0000:c1:00.0: the function has its RDMA device | mlx5_bond_0' \
		'ok 0000:c1:00.1: another function of the adapter has the RDMA device for both | mlx5_bond_0 on 0000:c1:00.0'
	# Without the bond the function should have its own device; devices of another namespace are
	# invisible.
	drop sys/class/net/enp193s0f1np1/master
	check rdma-module
	[[ $results == *'warning 0000:c1:00.1: mlx5_ib is loaded, but has created no RDMA device for the function | '* ]]
	drop sys/bus/pci/devices/0000:c1:00.1/net
	check rdma-module
	[[ $results == *'not-checked 0000:c1:00.1: another function of the adapter has an RDMA device; whether it is for this one, too, is not known | mlx5_bond_0 on 0000:c1:00.0'* ]]
}

@test "verbs-modules: the modules that create the device files" {
	copy cx5-ib-edr
	check verbs-modules
	says 0 'ok -: the modules for user space are loaded | ib_uverbs, rdma_ucm, ib_umad'
	drop sys/class/misc/rdma_cm sys/class/infiniband_mad
	check verbs-modules
	says 4 'warning -: a module for user space is not loaded | not loaded: rdma_ucm ib_umad -> modprobe -a rdma_ucm ib_umad; to load them at every start, list them in /etc/modules-load.d/rdma.conf'
	drop $verbs
	put etc/modprobe.d/a.conf 'blacklist ib-uverbs'
	check verbs-modules
	says 4 "error -: programs cannot use the RDMA devices: ib_uverbs is not loaded | not loaded: ib_uverbs rdma_ucm ib_umad; /etc/modprobe.d/a.conf:1: blacklist ib-uverbs -> remove the line \"blacklist ib-uverbs\" from /etc/modprobe.d/a.conf, $fix, then: modprobe ib_uverbs"
	put $verbs '!EACCES'
	check verbs-modules
	says 3 'not-checked -: a class directory cannot be read | Permission denied'
	# Ethernet has no subnet manager, and EFA has no connections by IP address either.
	copy cx6dx-roce
	drop sys/class/infiniband_mad
	check verbs-modules
	says 0 'ok -: the modules for user space are loaded | ib_uverbs, rdma_ucm'
	copy efa
	drop sys/class/infiniband_mad sys/class/misc
	check verbs-modules
	says 0 'ok -: the modules for user space are loaded | ib_uverbs'
	# A copy of the class of the RDMA devices alone does not show what was loaded.
	copy links-followed
	check verbs-modules
	says 0 "not-checked -: the saved tree lacks the loaded modules | the saved tree has no /sys/module -> $live"
}

@test "device-nodes: names in a saved tree" {
	local node missing='udevadm trigger --action=add --subsystem-match=infiniband_verbs; without udev: mknod with the number in /sys/class/infiniband_verbs/uverbs1/dev'

	copy cx5-ib-edr
	check device-nodes
	says 0 "not-checked mlx5_0: the saved tree has no device files |  -> $live" \
		"not-checked mlx5_1: the saved tree has no device files |  -> $live"
	for node in uverbs0 rdma_cm umad0 umad1; do
		put dev/infiniband/$node ''
	done
	check device-nodes
	says 4 'ok mlx5_0: the device files are there | uverbs0 is there; rdma_cm is there' \
		"error mlx5_1: the uverbs device file is missing | uverbs1 is missing -> $missing"
	put dev/infiniband/uverbs1 ''
	drop dev/infiniband/rdma_cm
	check device-nodes mlx5_1
	says 4 'warning mlx5_1: connections by IP address fail: rdma_cm cannot be opened | uverbs1 is there; rdma_cm is missing -> udevadm trigger --action=add --subsystem-match=misc; in a container, add the device /dev/infiniband/rdma_cm'
	put dev/infiniband/rdma_cm ''
	drop dev/infiniband/umad1
	check device-nodes mlx5_1
	says 0 'note mlx5_1: a device file for management datagrams is missing | uverbs1 is there; rdma_cm is there; umad1 is missing -> udevadm trigger --action=add --subsystem-match=infiniband_mad'
	# EPERM comes from a control group: neither a file mode nor a udev rule changes that.
	put dev/infiniband/uverbs1 '!EPERM'
	check device-nodes mlx5_1
	says 4 'error mlx5_1: a control group keeps this process from the uverbs device file | uverbs1 is there; uverbs1: Operation not permitted -> allow the device where this process is started: --device of a container, DeviceAllow of a unit, gres.conf of Slurm'
	# The mode of umad1 keeps every ordinary user away, and of rdma_cm and uverbs1 nobody.
	put dev/infiniband/umad1 '!EACCES'
	put dev/infiniband/uverbs1 '!EACCES'
	check device-nodes mlx5_1
	says 4 "error mlx5_1: this user may not open the uverbs device file | uverbs1 is there; uverbs1: Permission denied; the kernel's mode is 0666 -> grep -r infiniband /etc/udev/rules.d for a rule that sets the mode or the group, or join that group; for now: chmod 0666 /dev/infiniband/uverbs1"
	put dev/infiniband/uverbs1 ''
	check device-nodes mlx5_1
	says 0 'ok mlx5_1: the device files are there | uverbs1 is there; rdma_cm is there'
	put dev/infiniband/rdma_cm '!EPERM'
	check device-nodes mlx5_1
	[[ $results = 'warning mlx5_1: connections by IP address fail: rdma_cm cannot be opened | uverbs1 is there; rdma_cm is there; rdma_cm: Operation not permitted -> '* ]]
	put $verbs/uverbs1/ibdev '!EIO'
	check device-nodes mlx5_1
	[ "$status" = 3 ]
}

@test "provider: the library of the driver" {
	local lib=usr/lib/x86_64-linux-gnu wants='libibverbs expects libmlx5-rdmav34.so'
	local step='install the providers: apt install ibverbs-providers, dnf install libibverbs, or add them to the image of the container'

	copy cx5-ib-edr
	check provider mlx5_0
	says 0 "not-checked mlx5_0: the saved tree has no libraries |  -> $live"
	put etc/libibverbs.d/mlx5.driver 'driver mlx5'
	check provider mlx5_0
	says 4 "warning mlx5_0: libibverbs is not installed: no program can use the device through verbs | no libibverbs.so.1 in the loader's directories -> apt install libibverbs1 ibverbs-providers, or dnf install libibverbs"
	put $lib/libibverbs.so.1 'lib%s-rdmav34.so'
	check provider mlx5_0
	says 4 "error mlx5_0: the library of the provider mlx5 is missing | $wants; no libmlx5-rdmav*.so -> $step"
	put $lib/libibverbs/libmlx5-rdmav59.so ''
	check provider mlx5_0
	says 4 "error mlx5_0: the provider mlx5 is from another rdma-core than libibverbs | $wants; there is only libmlx5-rdmav59.so -> install libibverbs and its providers from one source, in one release"
	put $lib/libibverbs/libmlx5-rdmav34.so ''
	check provider
	says 0 "ok mlx5_0: the library for the driver is installed | $wants; libmlx5-rdmav34.so is there" \
		"ok mlx5_1: the library for the driver is installed | $wants; libmlx5-rdmav34.so is there"
	put etc/libibverbs.d/mlx5.driver 'driver /opt/x/libmlx5'
	check provider mlx5_0
	says 0 "not-checked mlx5_0: the provider mlx5 is configured by its path | $wants"
	put etc/libibverbs.d/mlx5.driver 'driver mlx4'
	check provider mlx5_0
	says 4 "error mlx5_0: libibverbs is not configured to load the provider mlx5 | $wants; no line \"driver mlx5\"; the library is there: libmlx5-rdmav34.so -> $step"
	# A vendor's provider, installed from its source next to a libibverbs of the distribution.
	put etc/libibverbs.d/mlx5.driver 'driver mlx5'
	mv "$tree/$lib/libibverbs/libmlx5-rdmav34.so" "$tree/$lib/libibverbs/libmlx5-rdmav34.so.inbox"
	put usr/local/lib/libmlx5-rdmav34.so ''
	check provider mlx5_0
	says 0 "not-checked mlx5_0: whether the loader finds the library for the driver is not known | $wants; /usr/local/lib/libmlx5-rdmav34.so is there, but what /etc/ld.so.conf says of its directory is not known -> ldconfig -p | grep libmlx5 shows whether the loader finds it"
	put etc/ld.so.conf '!EACCES'
	check provider mlx5_0
	[[ $status = 0 && $results == 'not-checked mlx5_0: whether the loader finds '* ]]
	# As on RHEL, whose configuration names neither directory.
	put etc/ld.so.conf 'include ld.so.conf.d/*.conf'
	check provider mlx5_0
	says 4 "warning mlx5_0: the loader is not configured to find the library for the driver | $wants; /usr/local/lib/libmlx5-rdmav34.so is there, but the configuration of the loader does not name its directory -> add the line /usr/local/lib to /etc/ld.so.conf, and run ldconfig"
	put etc/ld.so.conf.d/local.conf '# /usr/local/lib' '/usr/local/lib/cuda'
	check provider mlx5_0
	[[ $results == 'warning mlx5_0: the loader is not configured '* ]]
	put etc/ld.so.conf.d/local.conf '# of the vendor' ' /usr/local/lib'
	check provider mlx5_0
	says 0 "ok mlx5_0: the library for the driver is installed | $wants; /usr/local/lib/libmlx5-rdmav34.so is there"
	drop etc/ld.so.conf.d
	put etc/ld.so.conf 'include /etc/ld.so.conf.d/*.conf' '/usr/local/lib/'
	check provider mlx5_0
	[[ $results == 'ok mlx5_0: '* ]]
	mv "$tree/usr/local/lib/"libmlx5-rdmav{34,59}.so
	check provider mlx5_0
	[[ $status = 4 && $results == 'error mlx5_0: the provider mlx5 is from another rdma-core than libibverbs |'* ]]
	put etc/libibverbs.d/mlx5.driver '!EACCES'
	check provider mlx5_0
	says 3 'not-checked mlx5_0: the configuration of libibverbs is not known | Permission denied'
	# A software device is identified by its driver, and usNIC needs no provider.
	copy rxe-host
	put etc/libibverbs.d/rxe.driver 'driver rxe'
	put $lib/libibverbs.so.1 'lib%s-rdmav34.so'
	put $lib/librxe-rdmav34.so ''
	check provider rxe0
	says 0 'ok rxe0: the library for the driver is installed | libibverbs expects librxe-rdmav34.so; librxe-rdmav34.so is there'
	copy vendors
	check provider usnic_0
	says 0 ''
}

@test "uverbs-abi: outside the supported range" {
	local lib=usr/lib/x86_64-linux-gnu
	local seen='kernel 6 (libibverbs takes 3 to 6); mlx5_ib 2 (rdma-core 65 takes 1); mlx5_ib is out of tree'
	local vendor="the vendor's driver most likely does not match the library, so programs do not find the device"
	local other="driver and provider are not those of kernel and rdma-core, so rdma-core's range need not hold"
	local step="ibv_devices shows whether libibverbs skips the device; then install the library of the driver's vendor in the driver's release, also in the image of each container"

	copy cx5-ib-edr
	check uverbs-abi mlx5_0
	says 0 'ok mlx5_0: kernel and library can speak the same ABI | kernel 6 (libibverbs takes 3 to 6); mlx5_ib 1 (rdma-core 65 takes 1)'
	put $verbs/uverbs0/abi_version 2
	check uverbs-abi mlx5_0
	says 4 "warning mlx5_0: the driver's ABI most likely does not match the library's | kernel 6 (libibverbs takes 3 to 6); mlx5_ib 2 (rdma-core 65 takes 1) -> update rdma-core to a release as new as the kernel, or newer"
	# A vendor's driver with rdma-core's own provider, as in many images of containers.
	put sys/module/mlx5_ib/taint OE
	check uverbs-abi mlx5_0
	says 4 "warning mlx5_0: $vendor | $seen -> $step"
	put etc/libibverbs.d/mlx5.driver 'driver mlx5'
	put $lib/libibverbs.so.1 'lib%s-rdmav34.so'
	put $lib/libibverbs/libmlx5-rdmav34.so ''
	check uverbs-abi mlx5_0
	says 4 "warning mlx5_0: $vendor | $seen; its provider is libmlx5-rdmav34.so -> $step"
	# With a provider from elsewhere, which may be the vendor's.
	mv "$tree/$lib/"{libibverbs/,}libmlx5-rdmav34.so
	check uverbs-abi mlx5_0
	says 0 "not-checked mlx5_0: $other | $seen; its provider is libmlx5-rdmav34.so"
	drop $lib/libmlx5-rdmav34.so
	put usr/local/lib/libmlx5-rdmav34.so ''
	put etc/ld.so.conf '/usr/local/lib'
	check uverbs-abi mlx5_0
	says 0 "not-checked mlx5_0: $other | $seen; its provider is /usr/local/lib/libmlx5-rdmav34.so"
	put etc/libibverbs.d/mlx5.driver 'driver /opt/x/libmlx5'
	check uverbs-abi mlx5_0
	says 0 "not-checked mlx5_0: $other | $seen"
	put etc/libibverbs.d/mlx5.driver '!EACCES'
	check uverbs-abi mlx5_0
	says 4 "warning mlx5_0: $vendor | $seen -> $step"
	put sys/module/mlx5_ib/taint ''
	check uverbs-abi mlx5_0
	[[ $status = 4 && $results == 'warning mlx5_0: '* ]]
	put $verbs/uverbs0/abi_version '!EIO'
	check uverbs-abi mlx5_0
	says 3 'not-checked mlx5_0: the ABI version cannot be read | Input/output error'
	put $verbs/abi_version 7
	check uverbs-abi mlx5_1
	says 4 "error mlx5_1: libibverbs does not know the kernel's verbs ABI | kernel 7 (libibverbs takes 3 to 6) -> update rdma-core to a release as new as the kernel, or newer"
	put $verbs/abi_version six
	check uverbs-abi mlx5_1
	says 3 'not-checked mlx5_1: the ABI version cannot be read | Invalid argument'
	copy opa-hfi1
	check uverbs-abi
	says 0 'ok hfi1_0: kernel and library can speak the same ABI | kernel 6 (libibverbs takes 3 to 6); hfi1 2 (its provider takes any)'
}

@test "stack: one cause is reported as one block, and checks that depend on it are not made" {
	copy no-driver
	put proc/cmdline ro
	put etc/modprobe.d/x.conf 'blacklist mlx5_ib'
	try doctor --root "$tree" --only module-blocked,module-absent,pci-driver,rdma-module
	expect 4 "error    0000:af:00.0: mlx5_ib is blacklisted in /etc/modprobe.d/x.conf:1; 2 checks not run because of it [module-blocked]
         mlx5_ib is not loaded; /etc/modprobe.d/x.conf:1: blacklist mlx5_ib
         -> remove the line \"blacklist mlx5_ib\" from /etc/modprobe.d/x.conf, $fix, then: modprobe mlx5_ib
error    0000:5e:00.0: $none; 1 check not run because of it [pci-driver]
         no driver; ID 15b3:1017 is served by mlx5_core; mlx5_core is loaded
         -> echo 0000:5e:00.0 > /sys/bus/pci/drivers/mlx5_core/bind; the kernel log says why the driver did not bind to it: dmesg | grep 0000:5e:00.0
3 checked: 1 ok, 2 errors; 1 not run because of another (profile hpc; -a lists all)" ''
	# Without uverbs, none of the checks up to the ports can be made.
	copy cx5-ib-edr
	drop $verbs
	check verbs-modules,device-nodes,provider,uverbs-abi,device-nodes
	says 0 'not-checked mlx5_0: not checked because of verbs-modules | ' \
		'not-checked mlx5_1: not checked because of verbs-modules | '
}
