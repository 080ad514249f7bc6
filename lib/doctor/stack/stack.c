/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of the chain from the PCI bus to the RDMA device. */
#include "doctor/stack/stack.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "kernel/sysfs.h"

static bool is_all_software(const struct device_list *devices)
{
	for_each (device, devices)
		if (!device->software)
			return false;
	return true;
}

/* Whether the RDMA devices could not be listed: then none is known to be missing. */
static bool is_list_unread(struct doctor_context *run)
{
	const int rc = run->facts->inventory_rc;

	if (!rc || rc == -ENODEV)
		return false;
	doctor_evidence(run, "/" SYSFS_RDMA_CLASS, "%s", strerror(-rc));
	return true;
}

struct judged check_pci_hardware(struct doctor_context *run)
{
	struct doctor_facts *facts = run->facts;
	const struct pci_list *pci = doctor_pci(facts);
	_cleanup_(strings_free) struct strings certain = {.items = NULL},
					       possible = {.items = NULL};
	_cleanup_(freep) char *list = NULL;

	if (facts->pci_rc) {
		doctor_evidence(run, "/sys/bus/pci/devices", "%s", strerror(-facts->pci_rc));
		return doctor_unknown(run, "the list of PCI functions");
	}
	/* Such a tree has only a part of a host's files, or is of a host without PCI. */
	if (!facts->root.live && !sysfs_has_directory(&facts->root, "sys/bus/pci")) {
		doctor_evidence(run, "/sys/bus/pci", "the saved tree has no /sys/bus/pci");
		return doctor_not_checked(run, NEEDS_LIVE,
					  "the saved tree lacks the PCI functions");
	}
	for_each (function, pci) {
		bool is_one;
		const struct rdma_driver *row = doctor_rdma_driver(facts, function, &is_one);
		_cleanup_(freep) char *name = NULL;

		if (!row)
			continue;
		name = mem_format("%s (%s)", function->address, row->driver);
		strings_add(is_one ? &certain : &possible, name);
	}
	list = doctor_names(certain.count ? &certain : &possible);
	if (certain.count) {
		doctor_evidence(run, "/sys/bus/pci/devices", "%s", list);
		return doctor_ok(run, "there is RDMA hardware");
	}
	doctor_evidence(run, "/sys/bus/pci/devices",
			"%zu PCI function%s, none certain to have RDMA", pci->count,
			text_plural_s(pci->count));
	if (possible.count)
		doctor_evidence(run, NULL, "%s might have it, depending on the adapter", list);
	if (facts->inventory.devices.count && !is_all_software(&facts->inventory.devices))
		return doctor_ok(run, "there is RDMA hardware, but not on the PCI bus");
	if (is_list_unread(run))
		return doctor_unknown(run, "the list of RDMA devices");
	return doctor_note(run, facts->inventory.devices.count
					? "there is no RDMA hardware, only software devices"
					: "there is no RDMA hardware");
}

enum { DEAD_WORD = 0xffff };

struct judged check_pci_dead(struct doctor_context *run)
{
	struct pci_function *function = run->function;
	_cleanup_(freep) char *source = doctor_pci_source(function, "config");
	uint8_t bytes[4];
	ssize_t length;
	unsigned int vendor;

	pci_read(&run->facts->root, function, PCI_ID | PCI_VIRTUAL, run->facts->problems);
	/* Virtual functions read as ffff: pci_device_is_present() in drivers/pci/pci.c. */
	if (function->physfn)
		return doctor_does_not_apply(run);
	length = sysfs_read_bytes(&run->facts->root, bytes, sizeof(bytes), "%s", source + 1);
	if (length == -ENOENT && run->facts->request->root)
		return doctor_not_checked(run, NEEDS_LIVE,
					  "the saved tree has no configuration space");
	if (length < 2)
		return doctor_unread(run, "the configuration space", source,
				     length < 0 ? (int)length : -ENODATA, false);
	vendor = bytes[0] | (unsigned int)bytes[1] << 8;
	if (function->vendor_id.known)
		doctor_evidence(run, source, "vendor ID now %04x, when found %04" PRIx64, vendor,
				function->vendor_id.value);
	else
		doctor_evidence(run, source, "vendor ID now %04x", vendor);
	if (vendor == DEAD_WORD)
		return doctor_error(run, "the function no longer answers on the PCI bus");
	return doctor_ok(run, "the function answers on the PCI bus");
}

static const char *loaded_words(enum tristate loaded)
{
	if (loaded == TRISTATE_YES)
		return "loaded";
	return loaded == TRISTATE_NO ? "not loaded" : "perhaps not loaded";
}

static struct judged find_no_driver(struct doctor_context *run, const struct function_state *state)
{
	static const enum doctor_check_id causes[] = {
		CHECK_ID_module_blocked, CHECK_ID_module_absent, CHECK_ID_module_unsigned};
	struct pci_function *function = run->function;
	const char *wanted = state->row->driver;

	for (size_t i = 0; i < ARRAY_SIZE(causes); i++) {
		if (doctor_earlier(run, causes[i]) != SEVERITY_ERROR)
			continue;
		return doctor_because(run, causes[i]);
	}
	if (function->vendor_id.known && function->device_id.known)
		doctor_evidence(run, NULL, "ID %04" PRIx64 ":%04" PRIx64 " is served by %s",
				function->vendor_id.value, function->device_id.value, wanted);
	if (function->physfn) {
		doctor_evidence(run, NULL, "virtual function of %s", function->physfn);
		doctor_next_step(run,
				 "nothing to do if it is meant for a guest; otherwise: echo %s > "
				 "/sys/bus/pci/drivers_probe",
				 function->address);
		doctor_blocks(run);
		return doctor_note(run, "no driver is bound to the virtual function");
	}
	doctor_evidence(run, NULL, "%s is %s", wanted, loaded_words(state->loaded));
	if (state->loaded == TRISTATE_YES)
		doctor_next_step(run,
				 "%secho %s > /sys/bus/pci/drivers/%s/bind; the kernel log says "
				 "why the driver did not bind to it: dmesg | grep %s",
				 doctor_on_host(run), function->address, wanted, function->address);
	else
		doctor_next_step(run, "%smodprobe %s", doctor_on_host(run), wanted);
	doctor_blocks(run);
	return doctor_verdict(run, state->row->optional ? SEVERITY_NOTICE : SEVERITY_ERROR,
			      "no driver is bound to the function");
}

struct judged check_pci_driver(struct doctor_context *run)
{
	struct pci_function *function = run->function;
	_cleanup_(freep) char *source = doctor_pci_source(function, "driver");
	struct function_state state;

	function_state_read(run, &state);
	if (function->driver_unknown)
		return doctor_unknown(run, "the driver of the function");
	if (function->driver)
		doctor_evidence(run, source, "driver %s", function->driver);
	else
		doctor_evidence(run, source, "no driver");
	if (state.has_driver || state.device)
		return doctor_ok(run, "the function has its driver");
	if (function->driver) {
		doctor_evidence(run, NULL, "RDMA on this host needs %s", state.row->driver);
		doctor_next_step(run,
				 "nothing to do if a guest or a user-space program is meant to use "
				 "it; otherwise bind %s to it",
				 state.row->driver);
		doctor_blocks(run);
		return doctor_note(run, "the function is not for this host: it has another driver");
	}
	return find_no_driver(run, &state);
}

static struct judged find_unbound(struct doctor_context *run, const struct function_state *state)
{
	const char *module = state->module, *loaded = loaded_words(state->loaded);

	if (state->loaded == TRISTATE_YES) {
		doctor_evidence(run, NULL, "%s is loaded", module);
		doctor_next_step(
			run,
			"the kernel log says why %s did not bind to it: dmesg | grep -e %s -e %s",
			module, module, run->function->address);
		return doctor_error(run, "%s is loaded, but not bound to the RDMA half", module);
	}
	doctor_evidence(run, NULL, "%s is %s", module, loaded);
	doctor_next_step(run,
			 "%smodprobe %s; to load it at every start: echo %s >> "
			 "/etc/modules-load.d/rdma.conf",
			 doctor_on_host(run), module, module);
	return doctor_error(run, "%s is %s, so there is no RDMA device", module, loaded);
}

/* The driver made no auxiliary device for RDMA, or the kernel's driver makes none at all. */
static struct judged find_no_half(struct doctor_context *run, const struct function_state *state)
{
	const char *module = state->module, *loaded = loaded_words(state->loaded);
	int rc;

	if (doctor_earlier(run, CHECK_ID_rdma_disabled) == SEVERITY_NOTICE)
		return doctor_because(run, CHECK_ID_rdma_disabled);
	if (state->half == HALF_UNSEEN && state->loaded == TRISTATE_YES &&
	    doctor_namespaces_are_shared(run->facts, &rc) == TRISTATE_NO)
		return doctor_because(run, CHECK_ID_netns_mode);
	if (state->half == HALF_NOT_MADE) {
		doctor_evidence(run, "/sys/bus/auxiliary/devices",
				"%s created devices, but none for RDMA", state->row->driver);
		doctor_next_step(run,
				 "devlink dev param show pci/%s (enable_rdma, enable_roce, "
				 "enable_iwarp); also look at the adapter's own settings",
				 run->function->address);
		return doctor_note(
			run, "the driver offers no RDMA: it is switched off, or the adapter has "
			     "none");
	}
	doctor_evidence(run, "/sys/module", "%s is %s", module, loaded);
	if (state->loaded == TRISTATE_YES) {
		doctor_next_step(run, "dmesg | grep %s", module);
		return doctor_verdict(
			run, state->row->optional ? SEVERITY_NOTICE : SEVERITY_WARNING,
			"%s is loaded, but has created no RDMA device for the function", module);
	}
	doctor_next_step(run, "%smodprobe %s%s", doctor_on_host(run), module,
			 state->row->optional ? ", if the adapter is to do RDMA" : "");
	if (state->row->optional)
		return doctor_note(run, "%s is %s; not every adapter of this driver has RDMA",
				   module, loaded);
	return doctor_error(run, "%s is %s, so there is no RDMA device", module, loaded);
}

static struct judged find_device_with_half(struct doctor_context *run,
					   const struct function_state *state)
{
	doctor_evidence(run, "/sys/class/infiniband", "%s", state->device->name);
	if (!state->auxiliary || state->auxiliary->bound)
		return doctor_ok(run, "the function has its RDMA device");
	if (state->auxiliary->rc)
		return doctor_unread(run, "the auxiliary devices", "/sys/bus/auxiliary/devices",
				     state->auxiliary->rc, false);
	/* For example a subfunction next to its parent. */
	doctor_evidence(run, "/sys/bus/auxiliary/devices", "%s has no driver",
			state->auxiliary->name);
	doctor_next_step(run, "dmesg | grep %s", run->function->address);
	return doctor_warning(run, "not every RDMA half of the function has its driver");
}

/* The RDMA half has a driver, which either made an RDMA device or failed. */
static struct judged find_hidden(struct doctor_context *run, const struct function_state *state)
{
	_cleanup_(freep) char *source = doctor_pci_source(run->function, "driver");
	int rc;

	if (doctor_namespaces_are_shared(run->facts, &rc) == TRISTATE_NO)
		return doctor_because(run, CHECK_ID_netns_mode);
	doctor_blocks(run);
	doctor_next_step(run, "the kernel log may have the reason: dmesg | grep %s",
			 run->function->address);
	if (!state->auxiliary) {
		/* This driver makes the RDMA device itself. */
		doctor_evidence(run, source, "driver %s", run->function->driver);
		return doctor_warning(run, "the function has its driver, but shows no RDMA device");
	}
	doctor_evidence(run, "/sys/bus/auxiliary/devices", "%s has its driver",
			state->auxiliary->name);
	return doctor_warning(run, "the RDMA half has its driver, but shows no RDMA device");
}

struct judged check_rdma_module(struct doctor_context *run)
{
	struct function_state state;

	function_state_read(run, &state);
	if (!state.has_driver && !state.device)
		return doctor_because(run, CHECK_ID_pci_driver);
	if (!state.device && is_list_unread(run))
		return doctor_unknown(run, "the list of RDMA devices");
	switch (state.half) {
	case HALF_HAS_DEVICE:
		return find_device_with_half(run, &state);
	case HALF_IS_SHARED:
		doctor_evidence(run, "/sys/class/infiniband", "%s on %s", state.device->name,
				state.device->pci_address);
		return doctor_ok(run,
				 "another function of the adapter has the RDMA device for both");
	case HALF_MAY_BE_SHARED:
		doctor_evidence(run, "/sys/class/infiniband", "%s on %s", state.device->name,
				state.device->pci_address);
		return doctor_not_checked(
			run, 0,
			"another function of the adapter has an RDMA device; whether it is for "
			"this one, too, is not known");
	case HALF_IS_HIDDEN:
		return find_hidden(run, &state);
	case HALF_UNBOUND:
		doctor_evidence(run, "/sys/bus/auxiliary/devices", "%s has no driver",
				state.auxiliary->name);
		return find_unbound(run, &state);
	case HALF_UNREADABLE:
		return doctor_unread(run, "the auxiliary devices", "/sys/bus/auxiliary/devices",
				     state.rc, false);
	default:
		return find_no_half(run, &state);
	}
}
