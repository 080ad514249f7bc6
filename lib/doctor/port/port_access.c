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
void check_nvswitch_pf(struct doctor_context *run)
{
	const int rc = doctor_manages_nvswitches(run->facts, run->device);
	_cleanup_(freep) char *path = NULL, *name = NULL;

	if (rc == -ENODEV) {
		doctor_does_not_apply(run);
		return;
	}
	path = mem_format(PCI_FUNCTION "/vpd", run->device->pci_address);
	if (rc > 0) {
		doctor_evidence(run, path, "SMDL=SW_MNG in the vital product data");
		name = text_quote(run->device->name);
		doctor_next_step(run, "exclude %s from jobs and monitoring: NCCL_IB_HCA=^=%s",
				 run->device->name, name);
		doctor_blocks(run);
		doctor_note(run, "the adapter manages the NVSwitches, and is not for traffic");
	} else if (!rc) {
		doctor_ok(run, "the adapter does not manage NVSwitches");
	} else if (rc == -ENOENT) {
		doctor_not_checked(run, 0, "the adapter has no vital product data");
	} else if (rc == -EBADMSG) {
		doctor_evidence(run, path, "not in the format of the PCI specification");
		doctor_not_checked(run, 0, "the vital product data are damaged");
	} else {
		doctor_unread(run, "the vital product data", path, rc, true);
	}
}

static size_t count_ports(struct doctor_context *run, enum pma_state state, int *ret_error)
{
	size_t count = 0;
	int error = 0;

	for (size_t i = 0; i < run->device->port_count; i++) {
		if (doctor_pma(run->facts, run->device, &run->device->ports[i], &error) != state)
			continue;
		count++;
		*ret_error = error;
	}
	return count;
}

void check_restricted_pf(struct doctor_context *run)
{
	static const char file[] = "ports/N/counters/symbol_error";
	int error = 0;

	if (run->device->software) {
		doctor_does_not_apply(run);
	} else if (run->facts->root.live && !run->facts->request->interval_msec &&
		   !run->facts->request->since) {
		/* A restricted function writes to the kernel log on each read. */
		doctor_not_checked(run, NEEDS_INTERVAL,
				   "counters are read only to see whether they grow");
	} else if (count_ports(run, PMA_REFUSED, &error)) {
		doctor_evidence(run, file, "%s: %s", file, strerror(-error));
		doctor_blocks(run);
		if (!pma_is_restricted(run->device, error)) {
			doctor_unread(run, "a counter of the port", file, error, false);
			return;
		}
		doctor_next_step(run,
				 "exclude %s from anything that reads counters (exporters, "
				 "monitoring): the kernel may log every attempt",
				 run->device->name);
		doctor_note(run, "the device refuses to be read: probably a restricted function");
	} else if (count_ports(run, PMA_NONE, &error)) {
		doctor_evidence(run, file, "%s: N/A (no PMA)", file);
		doctor_next_step(run, "read the counters of the switch port, or of the physical "
				      "function if this is a virtual one");
		doctor_note(run, "the driver has no performance counters for the port");
	} else if (count_ports(run, PMA_READABLE, &error)) {
		doctor_ok(run, "the performance counters may be read");
	} else {
		doctor_does_not_apply(run);
	}
}

/* A port's P_Key table, read up to the first full-membership key. */
struct keys {
	size_t valid, full;
	char *text;
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
			mem_extend(&keys->text, "%s0x%04x", keys->text ? ", " : "",
				   (unsigned int)key);
	}
	return 0;
}

void check_pkey(struct doctor_context *run)
{
	const struct port *port = run->port;
	struct keys keys = {.valid = 0};
	int rc;

	/* The subnet manager fills the table when it activates the port. */
	if (port->state.known && port->state.value != PORT_STATE_ACTIVE) {
		doctor_not_checked(run, 0, "a port that is not active has no partitions yet");
		return;
	}
	rc = read_keys(run, &keys);
	if (rc == -ENOENT) {
		doctor_does_not_apply(run);
	} else if (rc) {
		doctor_unread(run, "the P_Key table", "ports/N/pkeys", rc, false);
	} else if (!keys.valid) {
		doctor_evidence(run, "ports/N/pkeys", "all keys are 0");
		doctor_error(run, "the port is in no partition");
	} else {
		doctor_evidence(run, "ports/N/pkeys", "%s", keys.text);
		if (keys.full)
			doctor_ok(run, "the port is a full member of a partition");
		else
			doctor_warning(run, "the port is a limited member of all its partitions");
	}
	free(keys.text);
}
