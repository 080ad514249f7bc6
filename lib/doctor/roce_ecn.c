/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* roce-ecn: congestion control of RoCE ports, as far as a driver tells. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/roce.h"

/* What a port has; two ports are compared as texts. */
struct ecn {
	bool vendor;	      /* NVIDIA's own driver: sys/class/net/X/ecn */
	unsigned int send;    /* mask of the priorities with ECN: reaction point, and */
	unsigned int receive; /* notification point */
	bool params;	      /* mlx5's cc_params in debugfs */
	char text[128];
	int rc; /* of what could not be read */
};

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
			struct ecn *ecn)
{
	static const char *const names[] = {"np_cnp_dscp", "np_cnp_prio"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const size_t used = strlen(ecn->text);
		char text[SYSFS_TEXT_SIZE];
		ssize_t length = sysfs_read(&run->facts->root, text,
					    "sys/kernel/debug/mlx5/%s/cc_params/%s",
					    device->pci_address, names[i]);

		if (length < 0) {
			ecn->rc = (int)length;
			return;
		}
		snprintf(ecn->text + used, sizeof(ecn->text) - used, "%s%s %.20s", used ? ", " : "",
			 names[i], text);
	}
	ecn->params = true;
}

static void read_ecn(const struct doctor_context *run, const struct device *device,
		     const struct link *own, struct ecn *ecn)
{
	const struct link *leg = roce_next_leg(run, own, NULL);
	int rc;

	*ecn = (struct ecn){.rc = -ENOENT};
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

static bool differs_from_others(struct doctor_context *run, const struct ecn *mine)
{
	const struct device_list *devices = &run->facts->inventory.devices;

	for (size_t i = 0; i < devices->count; i++)
		for (size_t j = 0; j < devices->items[i].port_count; j++) {
			struct doctor_context other = *run;
			const struct link *own;
			struct ecn ecn;

			other.device = &devices->items[i];
			other.port = &other.device->ports[j];
			own = roce_link(run, other.port);
			if (other.port == run->port || !own || !roce_is_hardware_port(&other))
				continue;
			read_ecn(run, other.device, own, &ecn);
			if (ecn.vendor != mine->vendor || ecn.params != mine->params ||
			    !strcmp(ecn.text, mine->text))
				continue;
			doctor_evidence(run, NULL, "%s: %s", own->name, ecn.text);
			return true;
		}
	return false;
}

void check_roce_ecn(struct doctor_context *run)
{
	const struct link *own = roce_link(run, run->port);
	_cleanup_(freep) char *clean = NULL;
	struct ecn ecn;

	if (!own) {
		roce_no_netdev(run);
		return;
	}
	read_ecn(run, run->device, own, &ecn);
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
	clean = text_clean(ecn.text, strlen(ecn.text));
	doctor_evidence(run, ecn.vendor ? "net/X/ecn" : "debugfs cc_params", "%s: %s", own->name,
			clean);
	if (differs_from_others(run, &ecn))
		doctor_warning(run, "RoCE ports of this host have different congestion control");
	else if (ecn.vendor && (!ecn.send || !ecn.receive))
		doctor_note(run, "congestion control is off, which may be meant so");
	else if (ecn.vendor)
		doctor_ok(run, "congestion control is on");
	else
		doctor_not_checked(run, 0,
				   "the driver tells how congestion control is tuned, but "
				   "not whether it is on");
}
