/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RDMA adapters on the PCI bus of a host without an RDMA device: what is there, what is missing. */
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/inventory/reading.h"
#include "host/pci/rdma_drivers.h"
#include "kernel/modules.h"

bool devices_are_exclusive(const struct root *root)
{
	char text[SYSFS_TEXT_SIZE];

	return sysfs_read(root, text, "sys/module/ib_core/parameters/netns_mode") > 0 &&
	       text[0] == 'N';
}

/* For a function that is bound to its driver. */
static void note_half(const struct root *root, const struct pci_function *function,
		      const struct rdma_driver *driver, struct problems *problems)
{
	_cleanup_(freep) char *text = NULL, *hint = NULL;

	if (module_is_loaded(root, driver->module) == TRISTATE_YES ||
	    (driver->former && module_is_loaded(root, driver->former) == TRISTATE_YES)) {
		/* The firmware may have disabled an optional half. */
		if (driver->optional)
			return;
		text = mem_format("bound to %s, and %s is loaded, but there is no RDMA device",
				  driver->driver, driver->module);
		hint = mem_string(
			devices_are_exclusive(root)
				? "another network namespace may have it: rdmactl system shows the "
				  "mode; otherwise the kernel log says why: dmesg"
				: "the kernel log says why: dmesg");
	} else {
		text = sysfs_has_directory(root, "sys/module")
			       ? mem_format("bound to %s, whose RDMA module %s is not loaded",
					    driver->driver, driver->module)
			       : mem_format("bound to %s, but there is no RDMA device",
					    driver->driver);
		hint = mem_format("load %s%s%s%s", driver->module,
				  driver->former ? ", or in an older kernel " : "",
				  driver->former ? driver->former : "",
				  driver->optional ? ", if RDMA is wanted and not switched off"
						   : "");
	}
	problem_add_text(problems, function->address, NULL, "sysfs", text, hint);
}

/* For a function that is bound to another driver, or to none. */
static void note_other(const struct root *root, const struct pci_function *function,
		       const struct rdma_driver *driver, struct problems *problems)
{
	_cleanup_(freep) char *path = mem_format("sys/bus/pci/drivers/%s", driver->driver);
	_cleanup_(freep) char *text = NULL, *hint = NULL;

	if (function->driver) {
		text = mem_format("this RDMA adapter is bound to %s, which creates no RDMA device",
				  function->driver);
		hint = mem_format("if no virtual machine or program owns it, bind it to %s",
				  driver->driver);
	} else {
		text = mem_string("no driver is bound to this RDMA adapter");
		if (sysfs_has_directory(root, path))
			hint = mem_format("%s is loaded, but has not bound to it: the kernel log "
					  "says why (dmesg), and rdmactl doctor what to do",
					  driver->driver);
		else if (strcmp(driver->driver, driver->module) != 0)
			hint = mem_format("load %s and %s", driver->driver, driver->module);
		else
			hint = mem_format("load %s", driver->driver);
	}
	problem_add_text(problems, function->address, NULL, "sysfs", text, hint);
}

/* Returns true if the function is definitely an RDMA adapter. */
static bool note_function(const struct root *root, struct pci_function *function,
			  struct problems *problems)
{
	const struct rdma_driver *driver = rdma_driver_of(root, function, NULL);

	if (!driver)
		return false;
	pci_read(root, function, PCI_VIRTUAL, NULL);
	/* Virtual functions of this host have no driver until a virtual machine gets them. */
	if (function->physfn || function->driver_unknown)
		return false;
	if (function->driver && !strcmp(function->driver, driver->driver))
		note_half(root, function, driver, problems);
	else if (!driver->optional)
		note_other(root, function, driver, problems);
	return !driver->optional;
}

bool note_adapters(const struct root *root, struct problems *problems)
{
	_cleanup_(pci_list_clear) struct pci_list list = {0};
	bool found = false;

	pci_list_read(root, &list, NULL);
	for (size_t i = 0; i < list.count; i++)
		found |= note_function(root, &list.items[i], problems);
	return found;
}

/* This is not in inventory.c because tests replace the functions of that file. */
void inventory_add_unanswered(struct problems *problems, const char *object, const char *attribute,
			      const char *source, const char *hint)
{
	problem_add_text(problems, object, attribute, source,
			 "a saved tree does not hold what netlink answers",
			 hint ?: "rdmactl snapshot keeps what the kernel answers");
}
