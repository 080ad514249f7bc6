/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Errors on the PCIe links between an adapter and the processor, by growth. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/frame/check.h"
#include "doctor/frame/growth.h"
#include "host/pci/pci.h"
#include "kernel/sysfs.h"

struct reader {
	struct growth_reading *reading;
	const char *address;
	enum pci_aer file;
};

/* "0000:3b:00.0 aer_dev_fatal TLP" */
static void note_count(void *context, const char *name, uint64_t count)
{
	const struct reader *reader = context;

	growth_add(reader->reading, count, "%s %s %s", reader->address, pci_aer_files[reader->file],
		   name);
}

/* Marks the adapter and everything above it. */
static void mark_path(const struct pci_list *list, const struct pci_function *function, bool *marks)
{
	for (; function; function = function->parent)
		marks[function - list->items] = true;
}

void growth_read_aer(struct doctor_facts *facts, struct growth_reading *reading)
{
	const struct pci_list *list = doctor_pci(facts);
	_cleanup_(freep) bool *marks = mem_alloc_zero(list->count, sizeof(*marks));

	for (size_t i = 0; i < list->count; i++)
		if (doctor_is_selected(facts, &list->items[i]))
			mark_path(list, &list->items[i], marks);
	for (size_t i = 0; i < list->count; i++) {
		struct reader reader = {.reading = reading, .address = list->items[i].address};

		/*
		 * Counters that cannot be read are absent from the reading; the check finds out
		 * why.
		 */
		for (reader.file = 0; marks[i] && reader.file < PCI_AER_FILES; reader.file++)
			pci_aer_read(&facts->root, &list->items[i], reader.file, note_count,
				     &reader);
	}
}

static void show_growth(struct doctor_context *run, const struct pci_function *function,
			enum pci_aer file, const char *name, uint64_t growth)
{
	static const char *const words[] = {"correctable", "nonfatal", "fatal"};
	_cleanup_(freep) char *source = doctor_pci_source(function, pci_aer_files[file]);

	doctor_evidence(run, source, "%s: %s %s +%llu in %.1f s (0 expected)", function->address,
			words[file], name, (unsigned long long)growth,
			doctor_growth_seconds(run->facts));
}

/*
 * Adds the function's growth, by kind of error; returns the number of its counters. Totals count
 * messages, which several errors may share: used only if no named counter grew.
 */
static size_t add_function(struct doctor_context *run, const struct pci_function *function,
			   uint64_t grown[static PCI_AER_FILES])
{
	size_t counters = 0;

	for (enum pci_aer file = 0; file < PCI_AER_FILES; file++) {
		_cleanup_(freep) char *prefix = mem_format("%s %s ", function->address,
							   pci_aer_files[file]);
		uint64_t growth, named = 0, total = 0;
		const char *name;

		for (size_t at = 0; (name = doctor_growth_next(run->facts, prefix, &at, &growth));
		     counters++) {
			if (!strncmp(name, "TOTAL_", 6)) {
				total = growth;
			} else if (growth) {
				named += growth;
				show_growth(run, function, file, name, growth);
			}
		}
		if (!named && total)
			show_growth(run, function, file, "unnamed", total);
		grown[file] += named ?: total;
	}
	return counters;
}

static void ignore_count(void *context, const char *name, uint64_t count)
{
	(void)context;
	(void)name;
	(void)count;
}

/*
 * Finds out why the readings lack the function's counters: -errno of reading them again, -ENOENT if
 * it has none. *ret_file is the file that could not be read.
 */
static int find_error(struct doctor_context *run, const struct pci_function *function,
		      enum pci_aer *ret_file)
{
	int rc = -ENOENT;

	for (enum pci_aer file = 0; file < PCI_AER_FILES && rc == -ENOENT; file++) {
		*ret_file = file;
		rc = pci_aer_read(&run->facts->root, function, file, ignore_count, NULL);
	}
	return rc;
}

#define SERVICES "sys/bus/pci_express/devices"

static bool has_service(const struct root *root, const char *name)
{
	_cleanup_(freep) char *driver = NULL;

	return !sysfs_link(root, &driver, SERVICES "/%s/driver", name);
}

/*
 * Whether an event collector, to which a function without a port above it reports, has the AER
 * service.
 */
static bool has_collector(const struct root *root)
{
	struct strings names = {.known = false};
	bool found = false;

	sysfs_list(root, &names, SERVICES);
	for (size_t i = 0; i < names.count; i++)
		found |= text_ends_with(names.items[i], ":pcie602") &&
			 has_service(root, names.items[i]);
	strings_free(&names);
	return found;
}

/*
 * Whether errors are reported to the kernel: by the AER service of the root port, whose name
 * encodes the kinds of port and service (pcie_device_init(), drivers/pci/pcie/portdrv.c). If
 * firmware keeps AER to itself, or with pci=noaer, no port has the service
 * (get_port_device_capability()), but each function still has its counters (pci_aer_init(), aer.c).
 * In a virtual machine, the host gets the errors, because it owns the real root port
 * (vfio_pci_core_aer_err_detected()).
 */
static bool is_reported(struct doctor_context *run)
{
	const struct root *root = &run->facts->root;
	struct pci_function *top = run->function;
	_cleanup_(freep) char *name = NULL;

	while (top->parent)
		top = top->parent;
	pci_read(root, top, PCI_ID, run->facts->problems);
	if (pci_is_emulated(top)) {
		doctor_evidence(run, NULL, "%s is a port created by a hypervisor", top->address);
		doctor_next_step(run, "run the check on the host of this virtual machine");
		return false;
	}
	name = mem_format("%s:pcie002", top->address);
	if (top == run->function ? has_collector(root) : has_service(root, name))
		return true;
	doctor_evidence(run, "/" SERVICES, "%s has no AER service", top->address);
	doctor_next_step(run,
			 "dmesg | grep -e _OSC -e AER shows why; errors are in the firmware's own "
			 "log: ipmitool sel list");
	return false;
}

static struct judged conclude(struct doctor_context *run, const uint64_t *grown, size_t counters)
{
	if (grown[PCI_AER_FATAL] || grown[PCI_AER_NONFATAL])
		return doctor_error(run, "uncorrectable PCIe errors are increasing");
	if (grown[PCI_AER_CORRECTABLE])
		return doctor_warning(run, "correctable PCIe errors are increasing");
	if (!counters)
		return doctor_not_checked(run, 0, "no function on the path counts PCIe errors");
	doctor_evidence(run, "aer_dev_correctable, aer_dev_nonfatal, aer_dev_fatal",
			"%zu counters on the path, none grew in %.1f s", counters,
			doctor_growth_seconds(run->facts));
	if (run->facts->root.live && !is_reported(run))
		return doctor_not_checked(run, 0,
					  "the kernel does not handle PCIe errors here, so its "
					  "counters may stand still");
	return doctor_nothing_grew(run, "no PCIe error counter grew");
}

struct judged check_pcie_errors(struct doctor_context *run)
{
	const struct pci_function *unread = NULL;
	uint64_t grown[PCI_AER_FILES] = {0};
	enum pci_aer unread_file = 0;
	size_t counters = 0;
	int unread_rc = 0;

	/* A saved counter file as the first reading has only the counters of ports. */
	if (!run->facts->request->interval_msec) {
		doctor_next_step(run, "take two readings instead: rdmactl doctor --interval 10s");
		return doctor_not_checked(run, NEEDS_INTERVAL, "the counters were read only once");
	}
	for (const struct pci_function *at = run->function; at; at = at->parent) {
		const size_t found = add_function(run, at, grown);
		enum pci_aer file = 0;
		const int rc = found ? 0 : find_error(run, at, &file);

		counters += found;
		if (rc && rc != -ENOENT && !unread) {
			unread = at;
			unread_file = file;
			unread_rc = rc;
		}
	}
	if (unread && !grown[0] && !grown[1] && !grown[2]) {
		_cleanup_(freep) char *path = doctor_pci_source(unread, pci_aer_files[unread_file]);

		return doctor_unread(run, "the PCIe error counters", path, unread_rc, false);
	}
	return conclude(run, grown, counters);
}
