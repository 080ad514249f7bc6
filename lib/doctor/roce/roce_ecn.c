/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* roce-ecn: congestion control of RoCE ports, as far as drivers report it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/roce/roce.h"

/* Returns "priorities 0, 3", "priority 3" or "no priority"; the caller frees it. */
static char *priorities_of(unsigned int mask)
{
	_cleanup_(freep) char *list = roce_priorities(mask);

	if (!mask)
		return mem_string("no priority");
	return mem_format("%s %s", mask & (mask - 1) ? "priorities" : "priority", list);
}

static void describe(const struct roce_ecn *ecn, char *text, size_t size)
{
	_cleanup_(freep) char *send = priorities_of(ecn->send);
	_cleanup_(freep) char *receive = priorities_of(ecn->receive);

	if (ecn->vendor)
		snprintf(text, size, "senders slow down on %s, receivers notify on %s", send,
			 receive);
	else if (ecn->params)
		snprintf(text, size, "np_cnp_dscp %u, np_cnp_prio %u",
			 (unsigned int)ecn->cnp_dscp.value, (unsigned int)ecn->cnp_priority.value);
}

static const struct doctor_ecn *ecn_of(const struct doctor_context *run,
				       const struct device *device, const struct port *port,
				       const struct link *own)
{
	const struct device_list *devices = &run->facts->inventory.devices;
	struct doctor_roce *roce = doctor_roce(run->facts);
	const struct link *leg = roce_next_member(&run->facts->inventory, own, NULL);
	struct doctor_ecn **ports, *ecn;

	if (!roce->ecns) {
		roce->ecns = mem_alloc_zero(devices->count, sizeof(*roce->ecns));
		roce->device_count = devices->count;
	}
	ports = &roce->ecns[device - devices->items];
	if (!*ports)
		*ports = mem_alloc_zero(device->port_count, sizeof(**ports));
	ecn = &(*ports)[port - device->ports];
	if (ecn->known)
		return ecn;
	ecn->known = true;
	ecn->ecn.rc = -ENOENT;
	if (!leg)
		return ecn;
	roce_ecn_read(&run->facts->root, leg->name, device->driver, device->pci_address, &ecn->ecn);
	describe(&ecn->ecn, ecn->text, sizeof(ecn->text));
	return ecn;
}

static bool differs_from_others(struct doctor_context *run, const struct doctor_ecn *mine)
{
	for_each_port (device, port, &run->facts->inventory.devices) {
		const struct link *own = roce_port_link(&run->facts->inventory, port);
		const struct doctor_ecn *ecn;

		if (port == run->port || !own || !roce_is_alike(run, device, port))
			continue;
		ecn = ecn_of(run, device, port, own);
		if (ecn->ecn.vendor != mine->ecn.vendor || ecn->ecn.params != mine->ecn.params ||
		    !strcmp(ecn->text, mine->text))
			continue;
		doctor_evidence(run, NULL, "%s: %s", own->name, ecn->text);
		return true;
	}
	return false;
}

void check_roce_ecn(struct doctor_context *run)
{
	const struct link *own = roce_own_netdev(run);
	const struct doctor_ecn *ecn;

	if (!own)
		return;
	ecn = ecn_of(run, run->device, run->port, own);
	if (!ecn->ecn.vendor && !ecn->ecn.params) {
		if (ecn->ecn.rc == -ENOENT)
			doctor_not_checked(run, 0, "the driver does not report congestion control");
		else if (ecn->ecn.rc == -EPERM) /* debugfs_locked_down(), fs/debugfs/file.c */
			doctor_not_checked(run, 0,
					   "the lockdown of the kernel keeps debugfs closed");
		else
			doctor_unread(run, "congestion control", "ecn, debugfs cc_params",
				      ecn->ecn.rc, true);
		return;
	}
	doctor_evidence(run, ecn->ecn.vendor ? "net/X/ecn" : "debugfs cc_params", "%s: %s",
			own->name, ecn->text);
	if (differs_from_others(run, ecn))
		doctor_warning(
			run, "ports of the same board have different congestion control settings");
	else if (ecn->ecn.vendor && (!ecn->ecn.send || !ecn->ecn.receive))
		doctor_note(run, "congestion control is off, which may be intended");
	else if (ecn->ecn.vendor && !(ecn->ecn.send & ecn->ecn.receive))
		doctor_note(run, "no priority has congestion control at both ends: those of "
				 "senders and of receivers differ");
	else if (ecn->ecn.vendor)
		doctor_ok(run, "congestion control is on");
	else
		doctor_not_checked(run, 0,
				   "the driver reports how congestion control is tuned, but not "
				   "whether it is on");
}
