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
	for (size_t i = 0; i < devices->count; i++)
		if (!devices->items[i].software)
			return false;
	return true;
}

void check_pci_hardware(struct doctor_context *run)
{
	struct doctor_facts *facts = run->facts;
	const struct pci_list *pci = doctor_pci(facts);
	_cleanup_(strings_free) struct strings certain = {.items = NULL},
					       possible = {.items = NULL};
	_cleanup_(freep) char *list = NULL;

	if (!pci) {
		doctor_evidence(run, "/sys/bus/pci/devices", "%s", strerror(-facts->pci_rc));
		doctor_unknown(run, "the list of PCI functions");
		return;
	}
	/* Such a tree has only a part of a host's files, or is of a host without PCI. */
	if (!facts->root.live && !sysfs_has_directory(&facts->root, "sys/bus/pci")) {
		doctor_evidence(run, "/sys/bus/pci", "the saved tree has no /sys/bus/pci");
		doctor_not_checked(run, NEEDS_LIVE, "the saved tree lacks the PCI functions");
		return;
	}
	for (size_t i = 0; i < pci->count; i++) {
		struct pci_function *function = &pci->items[i];
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
		doctor_ok(run, "there is RDMA hardware");
		return;
	}
	doctor_evidence(run, "/sys/bus/pci/devices",
			"%zu PCI function%s, none certain to have RDMA", pci->count,
			text_plural_s(pci->count));
	if (possible.count)
		doctor_evidence(run, NULL, "%s might have it, depending on the adapter", list);
	if (facts->inventory.devices.count && !is_all_software(&facts->inventory.devices))
		doctor_ok(run, "there is RDMA hardware, but not on the PCI bus");
	else
		doctor_note(run, facts->inventory.devices.count
					 ? "there is no RDMA hardware, only software devices"
					 : "there is no RDMA hardware");
}

enum { DEAD_WORD = 0xffff };

void check_pci_dead(struct doctor_context *run)
{
	struct pci_function *function = run->function;
	_cleanup_(freep) char *source = doctor_pci_source(function, "config");
	uint8_t bytes[4];
	ssize_t length;
	unsigned int vendor;

	pci_read(&run->facts->root, function, PCI_ID | PCI_VIRTUAL, run->facts->problems);
	/* Virtual functions read as ffff: pci_device_is_present() in drivers/pci/pci.c. */
	if (function->physfn) {
		doctor_does_not_apply(run);
		return;
	}
	length = sysfs_read_bytes(&run->facts->root, bytes, sizeof(bytes), "%s", source + 1);
	if (length == -ENOENT && run->facts->request->root) {
		doctor_not_checked(run, NEEDS_LIVE, "the saved tree has no configuration space");
		return;
	}
	if (length < 2) {
		doctor_unread(run, "the configuration space", source,
			      length < 0 ? (int)length : -ENODATA, false);
		return;
	}
	vendor = bytes[0] | (unsigned int)bytes[1] << 8;
	if (function->vendor_id.known)
		doctor_evidence(run, source, "vendor ID now %04x, when found %04" PRIx64, vendor,
				function->vendor_id.value);
	else
		doctor_evidence(run, source, "vendor ID now %04x", vendor);
	if (vendor == DEAD_WORD)
		doctor_error(run, "the function no longer answers on the PCI bus");
	else
		doctor_ok(run, "the function answers on the PCI bus");
}

static const char *loaded_words(enum tristate loaded)
{
	if (loaded == TRISTATE_YES)
		return "loaded";
	return loaded == TRISTATE_NO ? "not loaded" : "perhaps not loaded";
}

static void find_no_driver(struct doctor_context *run, const struct function_state *state)
{
	static const enum doctor_check_id causes[] = {
		CHECK_ID_module_blocked, CHECK_ID_module_absent, CHECK_ID_module_unsigned};
	struct pci_function *function = run->function;
	const char *wanted = state->row->driver;

	for (size_t i = 0; i < ARRAY_SIZE(causes); i++) {
		if (doctor_earlier(run, causes[i]) != SEVERITY_ERROR)
			continue;
		doctor_because(run, causes[i]);
		return;
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
		doctor_note(run, "no driver is bound to the virtual function");
		return;
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
	doctor_verdict(run, state->row->optional ? SEVERITY_NOTICE : SEVERITY_ERROR,
		       "no driver is bound to the function");
}

void check_pci_driver(struct doctor_context *run)
{
	struct pci_function *function = run->function;
	_cleanup_(freep) char *source = doctor_pci_source(function, "driver");
	struct function_state state;

	function_state_read(run, &state);
	if (function->driver_unknown) {
		doctor_unknown(run, "the driver of the function");
		return;
	}
	if (function->driver)
		doctor_evidence(run, source, "driver %s", function->driver);
	else
		doctor_evidence(run, source, "no driver");
	if (state.has_driver || state.device) {
		doctor_ok(run, "the function has its driver");
	} else if (function->driver) {
		doctor_evidence(run, NULL, "RDMA on this host needs %s", state.row->driver);
		doctor_next_step(run,
				 "nothing to do if a guest or a user-space program is meant to use "
				 "it; otherwise bind %s to it",
				 state.row->driver);
		doctor_blocks(run);
		doctor_note(run, "the function is not for this host: it has another driver");
	} else {
		find_no_driver(run, &state);
	}
}

static void find_unbound(struct doctor_context *run, const struct function_state *state)
{
	const char *module = state->module, *loaded = loaded_words(state->loaded);

	if (state->loaded == TRISTATE_YES) {
		doctor_evidence(run, NULL, "%s is loaded", module);
		doctor_next_step(
			run,
			"the kernel log says why %s did not bind to it: dmesg | grep -e %s -e %s",
			module, module, run->function->address);
		doctor_error(run, "%s is loaded, but not bound to the RDMA half", module);
	} else {
		doctor_evidence(run, NULL, "%s is %s", module, loaded);
		doctor_next_step(run,
				 "%smodprobe %s; to load it at every start: echo %s >> "
				 "/etc/modules-load.d/rdma.conf",
				 doctor_on_host(run), module, module);
		doctor_error(run, "%s is %s, so there is no RDMA device", module, loaded);
	}
}

/* The driver made no auxiliary device for RDMA, or the kernel's driver makes none at all. */
static void find_no_half(struct doctor_context *run, const struct function_state *state)
{
	const char *module = state->module, *loaded = loaded_words(state->loaded);
	int rc;

	if (doctor_earlier(run, CHECK_ID_rdma_disabled) == SEVERITY_NOTICE) {
		doctor_because(run, CHECK_ID_rdma_disabled);
		return;
	}
	if (state->half == HALF_UNSEEN && state->loaded == TRISTATE_YES &&
	    doctor_namespaces_are_shared(run->facts, &rc) == TRISTATE_NO) {
		doctor_because(run, CHECK_ID_netns_mode);
		return;
	}
	if (state->half == HALF_NOT_MADE) {
		doctor_evidence(run, "/sys/bus/auxiliary/devices",
				"%s created devices, but none for RDMA", state->row->driver);
		doctor_next_step(run,
				 "devlink dev param show pci/%s (enable_rdma, enable_roce, "
				 "enable_iwarp); also look at the adapter's own settings",
				 run->function->address);
		doctor_note(run,
			    "the driver offers no RDMA: it is switched off, or the adapter has "
			    "none");
		return;
	}
	doctor_evidence(run, "/sys/module", "%s is %s", module, loaded);
	if (state->loaded == TRISTATE_YES) {
		doctor_next_step(run, "dmesg | grep %s", module);
		doctor_verdict(run, state->row->optional ? SEVERITY_NOTICE : SEVERITY_WARNING,
			       "%s is loaded, but has created no RDMA device for the function",
			       module);
		return;
	}
	doctor_next_step(run, "%smodprobe %s%s", doctor_on_host(run), module,
			 state->row->optional ? ", if the adapter is to do RDMA" : "");
	if (state->row->optional)
		doctor_note(run, "%s is %s; not every adapter of this driver has RDMA", module,
			    loaded);
	else
		doctor_error(run, "%s is %s, so there is no RDMA device", module, loaded);
}

static void find_device_with_half(struct doctor_context *run, const struct function_state *state)
{
	doctor_evidence(run, "/sys/class/infiniband", "%s", state->device->name);
	if (!state->auxiliary || state->auxiliary->bound) {
		doctor_ok(run, "the function has its RDMA device");
		return;
	}
	/* For example a subfunction next to its parent. */
	doctor_evidence(run, "/sys/bus/auxiliary/devices", "%s has no driver",
			state->auxiliary->name);
	doctor_next_step(run, "dmesg | grep %s", run->function->address);
	doctor_warning(run, "not every RDMA half of the function has its driver");
}

/* The RDMA half has a driver, which either made an RDMA device or failed. */
static void find_hidden(struct doctor_context *run, const struct function_state *state)
{
	_cleanup_(freep) char *source = doctor_pci_source(run->function, "driver");
	int rc;

	if (doctor_namespaces_are_shared(run->facts, &rc) == TRISTATE_NO) {
		doctor_because(run, CHECK_ID_netns_mode);
		return;
	}
	doctor_blocks(run);
	doctor_next_step(run, "the kernel log may have the reason: dmesg | grep %s",
			 run->function->address);
	if (!state->auxiliary) {
		/* This driver makes the RDMA device itself. */
		doctor_evidence(run, source, "driver %s", run->function->driver);
		doctor_warning(run, "the function has its driver, but shows no RDMA device");
		return;
	}
	doctor_evidence(run, "/sys/bus/auxiliary/devices", "%s has its driver",
			state->auxiliary->name);
	doctor_warning(run, "the RDMA half has its driver, but shows no RDMA device");
}

void check_rdma_module(struct doctor_context *run)
{
	struct function_state state;

	function_state_read(run, &state);
	if (!state.has_driver && !state.device) {
		doctor_because(run, CHECK_ID_pci_driver);
		return;
	}
	switch (state.half) {
	case HALF_HAS_DEVICE:
		find_device_with_half(run, &state);
		return;
	case HALF_IS_SHARED:
		doctor_evidence(run, "/sys/class/infiniband", "%s on %s", state.device->name,
				state.device->pci_address);
		doctor_ok(run, "another function of the adapter has the RDMA device for both");
		return;
	case HALF_MAY_BE_SHARED:
		doctor_evidence(run, "/sys/class/infiniband", "%s on %s", state.device->name,
				state.device->pci_address);
		doctor_not_checked(run, 0,
				   "another function of the adapter has an RDMA device; whether it "
				   "is for this one, too, is not known");
		return;
	case HALF_IS_HIDDEN:
		find_hidden(run, &state);
		return;
	case HALF_UNBOUND:
		doctor_evidence(run, "/sys/bus/auxiliary/devices", "%s has no driver",
				state.auxiliary->name);
		find_unbound(run, &state);
		return;
	case HALF_UNREADABLE:
		doctor_unread(run, "the auxiliary devices", "/sys/bus/auxiliary/devices", state.rc,
			      false);
		return;
	default:
		find_no_half(run, &state);
	}
}
