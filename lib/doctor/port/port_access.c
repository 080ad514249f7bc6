/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whether a device is meant for this host's traffic, may be queried, and is in a partition. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/frame/check.h"
#include "doctor/port/port_facts.h"
#include "kernel/sysfs.h"
#include "mad/format/mad.h"

/*
 * The adapters through which the software of NVIDIA's HGX B200 and B300 boards manages the
 * NVSwitches are marked in their vital product data; NVIDIA's Fabric Manager, NVSentinel and
 * bottlerocket look for this mark.
 */
struct judged check_nvswitch_pf(struct doctor_context *run)
{
	const int rc = doctor_manages_nvswitches(run->facts, run->device);
	_cleanup_(freep) char *path = NULL, *name = NULL;

	if (rc == -ENODEV)
		return doctor_does_not_apply(run);
	path = mem_format(PCI_FUNCTION "/vpd", run->device->pci_address);
	if (rc > 0) {
		doctor_evidence(run, path, "SMDL=SW_MNG in the vital product data");
		name = text_quote(run->device->name);
		doctor_next_step(run, "exclude %s from jobs and monitoring: NCCL_IB_HCA=^=%s",
				 run->device->name, name);
		doctor_blocks(run);
		return doctor_note(run,
				   "the adapter manages the NVSwitches, and is not for traffic");
	}
	if (!rc)
		return doctor_ok(run, "the adapter does not manage NVSwitches");
	if (rc == -ENOENT)
		return doctor_not_checked(run, 0, "the adapter has no vital product data");
	if (rc == -EBADMSG) {
		doctor_evidence(run, path, "not in the format of the PCI specification");
		return doctor_not_checked(run, 0, "the vital product data are damaged");
	}
	return doctor_unread(run, "the vital product data", path, rc, true);
}

static size_t count_ports(struct doctor_context *run, enum pma_state state, int *ret_error)
{
	size_t count = 0;
	int error = 0;

	for_each_in (port, run->device->ports, run->device->port_count) {
		if (doctor_pma(run->facts, run->device, port, &error) != state)
			continue;
		count++;
		*ret_error = error;
	}
	return count;
}

struct judged check_restricted_pf(struct doctor_context *run)
{
	static const char file[] = "ports/N/counters/symbol_error";
	int error = 0;

	if (run->device->software)
		return doctor_does_not_apply(run);
	if (run->facts->root.live && !run->facts->request->interval_msec &&
	    !run->facts->request->since) {
		/* A restricted function writes to the kernel log on each read. */
		return doctor_not_checked(run, NEEDS_INTERVAL,
					  "counters are read only to see whether they grow");
	}
	if (count_ports(run, PMA_REFUSED, &error)) {
		doctor_evidence(run, file, "%s: %s", file, strerror(-error));
		doctor_blocks(run);
		if (!pma_is_restricted(run->device, error))
			return doctor_unread(run, "a counter of the port", file, error, false);
		doctor_next_step(run,
				 "exclude %s from anything that reads counters (exporters, "
				 "monitoring): the kernel may log every attempt",
				 run->device->name);
		return doctor_note(run,
				   "the device refuses to be read: probably a restricted function");
	}
	if (count_ports(run, PMA_NONE, &error)) {
		doctor_evidence(run, file, "%s: N/A (no PMA)", file);
		doctor_next_step(run, "read the counters of the switch port, or of the physical "
				      "function if this is a virtual one");
		return doctor_note(run, "the driver has no performance counters for the port");
	}
	if (count_ports(run, PMA_READABLE, &error))
		return doctor_ok(run, "the performance counters may be read");
	return doctor_does_not_apply(run);
}

/* A port's P_Key table, read up to the first full-membership key. */
struct keys {
	size_t valid, full;
	char **text; /* the first of them */
};

static int read_keys(struct doctor_context *run, struct keys *keys)
{
	enum { SHOWN = 4, MOST = 65535 };
	const struct port *port = run->port;
	char text[SYSFS_TEXT_SIZE];
	uint64_t key;

	for (unsigned int index = 0; index < MOST && !keys->full; index++) {
		ssize_t length = sysfs_read(&run->facts->root, text, PORT_DIRECTORY "/pkeys/%u",
					    port->kernel_name, (unsigned int)port->port.value,
					    index);

		if (length == -ENOENT)
			return index ? 0 : -ENOENT;
		if (length < 0)
			return (int)length;
		if (text_parse_u64(text, 16, UINT16_MAX, &key))
			return -EBADMSG;
		if (!(key & ~(uint64_t)PKEY_FULL_MEMBER))
			continue;
		keys->valid++;
		keys->full += !!(key & PKEY_FULL_MEMBER);
		if (keys->valid <= SHOWN)
			mem_extend(keys->text, "%s0x%04x", *keys->text ? ", " : "",
				   (unsigned int)key);
	}
	return 0;
}

struct judged check_pkey(struct doctor_context *run)
{
	const struct port *port = run->port;
	_cleanup_(freep) char *text = NULL;
	struct keys keys = {.text = &text};
	int rc;

	/* The subnet manager fills the table when it activates the port. */
	if (port->state.known && port->state.value != PORT_STATE_ACTIVE)
		return doctor_not_checked(run, 0,
					  "a port that is not active has no partitions yet");
	rc = read_keys(run, &keys);
	if (rc == -ENOENT)
		return doctor_does_not_apply(run);
	if (rc)
		return doctor_unread(run, "the P_Key table", "ports/N/pkeys", rc, false);
	doctor_evidence(run, "ports/N/pkeys", "%s", keys.valid ? text : "all keys are 0");
	if (!keys.valid)
		return doctor_error(run, "the port is in no partition");
	if (keys.full)
		return doctor_ok(run, "the port is a full member of a partition");
	return doctor_warning(run, "the port is a limited member of all its partitions");
}
