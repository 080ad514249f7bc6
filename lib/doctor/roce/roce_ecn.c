/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* roce-ecn: congestion control of RoCE ports, as far as a driver tells. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/roce/roce.h"

/* ecn/roce_rp/enable/0 .. 7 hold 0 or 1. */
static int read_mask(const struct doctor_context *run, const char *netdev, const char *point,
		     unsigned int *ret_mask)
{
	unsigned int mask = 0;

	for (unsigned int i = 0; i < DCB_PRIORITIES; i++) {
		char text[SYSFS_TEXT_SIZE];
		ssize_t length = sysfs_read(&run->facts->root, text,
					    "sys/class/net/%s/ecn/%s/enable/%u", netdev, point, i);

		if (length < 0)
			return (int)length;
		mask |= !strcmp(text, "1") ? 1u << i : 0;
	}
	*ret_mask = mask;
	return 0;
}

/*
 * What marks the notification packets; other parameters tune a congestion control that is on, which
 * the inbox driver does not tell (mlx5_ib_dbg_cc_name[], hw/mlx5/cong.c).
 */
static void read_params(const struct doctor_context *run, const struct device *device,
			struct roce_ecn *ecn)
{
	static const char *const names[] = {"np_cnp_dscp", "np_cnp_prio"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const size_t used = strlen(ecn->text);
		char text[SYSFS_TEXT_SIZE], value[24];
		ssize_t length = sysfs_read(&run->facts->root, text,
					    "sys/kernel/debug/mlx5/%s/cc_params/%s",
					    device->pci_address, names[i]);

		if (length < 0) {
			ecn->rc = (int)length;
			return;
		}
		text_clean_into(value, sizeof(value), text, (size_t)length);
		snprintf(ecn->text + used, sizeof(ecn->text) - used, "%s%s %s", used ? ", " : "",
			 names[i], value);
	}
	ecn->params = true;
}

static void read_ecn(const struct doctor_context *run, const struct device *device,
		     const struct link *own, struct roce_ecn *ecn)
{
	const struct link *leg = roce_next_leg(run, own, NULL);
	int rc;

	ecn->rc = -ENOENT;
	if (!leg)
		return;
	rc = read_mask(run, leg->name, "roce_rp", &ecn->send);
	if (!rc)
		rc = read_mask(run, leg->name, "roce_np", &ecn->receive);
	if (!rc) {
		_cleanup_(freep) char *send = roce_priorities(ecn->send);
		_cleanup_(freep) char *receive = roce_priorities(ecn->receive);

		ecn->vendor = true;
		ecn->rc = 0;
		snprintf(ecn->text, sizeof(ecn->text),
			 "senders slow down on priorities %s, "
			 "receivers notify on %s",
			 send, receive);
		return;
	}
	ecn->rc = rc;
	if (rc == -ENOENT && device->driver && !strcmp(device->driver, "mlx5_core") &&
	    device->pci_address)
		read_params(run, device, ecn);
}

/* The next call for another port may move it. */
static const struct roce_ecn *ecn_of(const struct doctor_context *run, const struct device *device,
				     const struct port *port, const struct link *own)
{
	struct doctor_roce *roce = doctor_roce(run->facts);
	struct roce_ecn *ecn;

	for (size_t i = 0; i < roce->ecn_count; i++)
		if (roce->ecns[i].port == port)
			return &roce->ecns[i];
	ecn = mem_append(&roce->ecns, &roce->ecn_count, sizeof(*ecn));
	ecn->port = port;
	read_ecn(run, device, own, ecn);
	return ecn;
}

static bool differs_from_others(struct doctor_context *run, const struct roce_ecn *mine)
{
	const struct device_list *devices = &run->facts->inventory.devices;

	for (size_t i = 0; i < devices->count; i++)
		for (size_t j = 0; j < devices->items[i].port_count; j++) {
			const struct device *device = &devices->items[i];
			const struct port *port = &device->ports[j];
			const struct link *own = roce_link(run, port);
			const struct roce_ecn *ecn;

			if (port == run->port || !own || !roce_is_alike(run, device, port))
				continue;
			ecn = ecn_of(run, device, port, own);
			if (ecn->vendor != mine->vendor || ecn->params != mine->params ||
			    !strcmp(ecn->text, mine->text))
				continue;
			doctor_evidence(run, NULL, "%s: %s", own->name, ecn->text);
			return true;
		}
	return false;
}

void check_roce_ecn(struct doctor_context *run)
{
	const struct link *own = roce_link(run, run->port);
	struct roce_ecn ecn;

	if (!own) {
		roce_no_netdev(run);
		return;
	}
	ecn = *ecn_of(run, run->device, run->port, own);
	if (!ecn.vendor && !ecn.params) {
		if (ecn.rc == -ENOENT)
			doctor_not_checked(run, 0,
					   "the driver does not tell about congestion "
					   "control");
		else
			doctor_unread(run, "congestion control", "ecn, debugfs cc_params", ecn.rc,
				      true);
		return;
	}
	doctor_evidence(run, ecn.vendor ? "net/X/ecn" : "debugfs cc_params", "%s: %s", own->name,
			ecn.text);
	if (differs_from_others(run, &ecn))
		doctor_warning(run, "ports of the same board have different congestion control");
	else if (ecn.vendor && (!ecn.send || !ecn.receive))
		doctor_note(run, "congestion control is off, which may be meant so");
	else if (ecn.vendor)
		doctor_ok(run, "congestion control is on");
	else
		doctor_not_checked(run, 0,
				   "the driver tells how congestion control is tuned, but "
				   "not whether it is on");
}
