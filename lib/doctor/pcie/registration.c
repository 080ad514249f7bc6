/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whether memory of accelerators can be registered with the adapters. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/frame/check.h"
#include "kernel/sysfs.h"
#include "kernel/verbs/verbs.h"

/*
 * "GPUDirect RDMA" in NVIDIA's DGX Spark Porting Guide: memory of CUDA on this GPU, pci.ids: GB20B
 * [GB10], cannot be reached by PCI devices, neither through nvidia-peermem nor as a dma-buf.
 */
enum { PCI_DEVICE_GB10 = 0x2e12 };

/* What the accelerators have in common. */
struct accelerators {
	bool driven; /* some have drivers other than for virtual machines, and of those: */
	bool nvidia; /* all are NVIDIA's */
	bool gb10;   /* all are GB10 */
};

static struct accelerators look_at_accelerators(struct doctor_context *run)
{
	const struct root *root = &run->facts->root;
	struct accelerators all = {.nvidia = true, .gb10 = true};

	for_each (function, &run->facts->pci) {
		if (pci_kind(root, function, NULL) != PCI_KIND_ACCELERATOR)
			continue;
		pci_read(root, function, PCI_DRIVER | PCI_ID, run->facts->problems);
		if (!function->driver_unknown &&
		    (!function->driver || pci_driver_is_for_guests(function->driver)))
			continue;
		all.driven = true;
		all.nvidia &= number_is(&function->vendor_id, PCI_VENDOR_NVIDIA);
		all.gb10 &= number_is(&function->device_id, PCI_DEVICE_GB10);
	}
	return all;
}

#define PEER_MODULE "sys/module/nvidia_peermem"
#define PEERS	    "sys/kernel/mm/memory_peers"

/*
 * Returns "p2p NVIDIA" if the driver of the device registers memory of accelerators by itself.
 * Amazon's driver of EFA names the accelerators' driver that it found, or nothing, in p2p; until
 * November 2023 it said 1 or 0 in gdr: efa_sysfs.c of amzn-drivers. The kernel's own driver has
 * neither file.
 */
static char *own_way_of(struct doctor_context *run, const struct device *device)
{
	static const char *const files[] = {"p2p", "gdr"};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		_cleanup_(freep) char *text = sysfs_text(&run->facts->root,
							 SYSFS_RDMA_CLASS "/%s/device/%s",
							 device->kernel_name, files[i]);

		if (text && *text && strcmp(text, "0") != 0)
			return mem_format("%s %s", files[i], text);
	}
	return NULL;
}

/* Whether the drivers of all adapters do it by themselves. */
static bool have_own_way(struct doctor_context *run)
{
	_cleanup_(freep) char *first = NULL, *source = NULL;
	size_t count = 0, adapters = 0;

	for_each (device, &run->facts->inventory.devices) {
		_cleanup_(freep) char *way = own_way_of(run, device);

		adapters += !device->software;
		if (!way || count++)
			continue;
		source = mem_format("/" SYSFS_RDMA_CLASS "/%s/device/%.3s", device->kernel_name,
				    way);
		first = mem_string(way);
	}
	if (!first)
		return false;
	doctor_evidence(run, source,
			"the driver of %zu of %zu adapters registers memory by itself (%s)", count,
			adapters, first);
	return count == adapters;
}

/*
 * Whether all adapters are EFA: its drivers, the kernel's and Amazon's, do not ask modules for peer
 * memory (efa_reg_mr() calls ib_umem_get(), not ib_umem_get_peer()).
 */
static bool are_efa(struct doctor_context *run)
{
	const struct device_list *devices = &run->facts->inventory.devices;
	bool any = false;

	for_each (device, devices) {
		if (device->software)
			continue;
		if (!device->driver || strcmp(device->driver, "efa") != 0)
			return false;
		any = true;
	}
	return any;
}

static struct judged warn(struct doctor_context *run, const char *summary)
{
	if (are_efa(run))
		doctor_next_step(
			run, "install Amazon's driver of EFA, which registers memory of GPUs by "
			     "itself, or NVIDIA's open modules, for dma-buf");
	return doctor_warning(run, "%s", summary);
}

/* Finds clients of peer memory, which vendors' ib_core lists by name; 0 or -errno. */
static int find_peers(struct doctor_context *run, bool *ret_found)
{
	const struct root *root = &run->facts->root;
	struct strings names = {0};
	const int rc = sysfs_list(root, &names, PEERS);

	if (sysfs_has_directory(root, PEER_MODULE)) {
		doctor_evidence(run, "/" PEER_MODULE, "nvidia_peermem is loaded");
		*ret_found = true;
	}
	for (size_t i = 0; i < names.count; i++) {
		_cleanup_(freep) char *name = text_clean(names.items[i], strlen(names.items[i]));

		doctor_evidence(run, "/" PEERS, "%s provides peer memory", name);
		*ret_found = true;
	}
	strings_free(&names);
	return rc == -ENOENT ? 0 : rc;
}

/* How many devices accept a dma-buf. A device that cannot be opened is unknown. */
struct probed {
	size_t yes, no, unknown;
	int error; /* of an unknown device */
	const char *device;
};

static void probe(struct doctor_context *run, struct verbs *verbs, const struct device *device,
		  struct probed *probed)
{
	struct verbs_device *open = NULL;
	int rc = verbs_open_device(verbs, device->kernel_name, &open);

	if (!rc)
		rc = verbs_probe_dmabuf(open);
	verbs_close_device(open);
	if (!rc) {
		probed->yes++;
	} else if (rc == -EOPNOTSUPP) {
		doctor_evidence(run, "ibv_reg_dmabuf_mr", "%s does not register dma-buf: %s",
				device->name, strerror(EOPNOTSUPP));
		probed->no++;
	} else {
		probed->unknown++;
		probed->error = rc;
		probed->device = device->name;
	}
}

static int probe_all(struct doctor_context *run, struct probed *probed)
{
	const struct device_list *devices = &run->facts->inventory.devices;
	struct verbs *verbs = NULL;
	int rc = verbs_open(&run->facts->root, &verbs);

	for (size_t i = 0; !rc && i < devices->count; i++)
		if (!devices->items[i].software)
			probe(run, verbs, &devices->items[i], probed);
	verbs_free(verbs);
	return rc;
}

/* `found`: there is a module for peer memory, which EFA's drivers do not use. */
static struct judged find_no_way(struct doctor_context *run, bool found)
{
	return warn(
		run,
		found ? "memory of accelerators cannot be registered: EFA's driver uses no "
			"module for peer memory, and there is no dma-buf"
		      : "memory of accelerators cannot be registered: no module for peer memory, "
			"no dma-buf");
}

static struct judged judge_probe(struct doctor_context *run, bool found)
{
	struct probed probed = {.yes = 0};
	const int rc = probe_all(run, &probed);

	if (rc)
		return doctor_unread(run, "dma-buf support", "libibverbs", rc, false);
	doctor_evidence(run, "ibv_reg_dmabuf_mr", "%zu of %zu devices register dma-buf", probed.yes,
			probed.yes + probed.no + probed.unknown);
	if (probed.no && !probed.yes)
		return find_no_way(run, found);
	if (probed.no)
		return warn(run, "some devices cannot register memory of accelerators");
	if (probed.unknown)
		return doctor_unread(run, "dma-buf support", probed.device, probed.error, true);
	if (probed.yes)
		return doctor_ok(run,
				 "the devices register dma-buf, if the accelerators' driver offers "
				 "it");
	return doctor_not_checked(run, 0, "all RDMA devices are software devices");
}

/* Shows the kernel version, for a guess. */
static void show_kernel(struct doctor_context *run)
{
	_cleanup_(freep) char *release = sysfs_text(&run->facts->root, "proc/sys/kernel/osrelease");
	unsigned int major, minor;

	if (!release || sscanf(release, "%u.%u", &major, &minor) != 2)
		return;
	doctor_evidence(run, "/proc/sys/kernel/osrelease", "Linux %s (%s)", release,
			major > 5 || (major == 5 && minor >= 12)
				? "5.12 or later: dma-buf may work, a guess"
				: "before 5.12: no dma-buf, unless the distribution added it");
}

/*
 * The README of NVIDIA's driver ("Open Linux Kernel Modules") has dma-buf of CUDA memory among what
 * only its open modules offer. The others taint the kernel as proprietary (tainted-kernels.rst).
 */
static bool lacks_dmabuf(struct doctor_context *run)
{
	char taint[SYSFS_TEXT_SIZE];

	if (sysfs_read(&run->facts->root, taint, "sys/module/nvidia/taint") <= 0 ||
	    !strchr(taint, 'P'))
		return false;
	doctor_evidence(run, "/sys/module/nvidia/taint",
			"nvidia is the proprietary module, which offers no dma-buf");
	return true;
}

struct judged check_gdr_path(struct doctor_context *run)
{
	const struct accelerators all = look_at_accelerators(run);
	bool found = false;
	int rc;

	if (all.driven && all.nvidia && all.gb10) {
		doctor_evidence(run, "/sys/bus/pci/devices", "GB10 (10de:%x)", PCI_DEVICE_GB10);
		doctor_next_step(run, "nothing to do: programs have to register memory of the host "
				      "(cudaHostAlloc), which the GPU shares");
		return doctor_note(run, "memory that CUDA allocates for this GPU cannot be "
					"registered, not even with nvidia_peermem or dma-buf");
	}
	if (have_own_way(run))
		return doctor_ok(run,
				 "the driver of the adapters registers memory of accelerators");
	rc = find_peers(run, &found);
	if (found && !are_efa(run))
		return doctor_ok(run, "a module for peer memory is loaded");
	if (rc)
		return doctor_unread(run, "the modules for peer memory", "/" PEERS, rc, false);
	if (!found)
		doctor_evidence(run, "/" PEERS, "no module for peer memory");
	if (!all.driven)
		return doctor_not_checked(run, 0, "no driver is bound to the accelerators");
	if (all.nvidia && lacks_dmabuf(run))
		return find_no_way(run, found);
	if (!run->facts->request->probe || !run->facts->root.live) {
		show_kernel(run);
		return doctor_not_checked(run, run->facts->root.live ? NEEDS_PROBE : NEEDS_LIVE,
					  "whether the devices register dma-buf is not known");
	}
	return judge_probe(run, found);
}
