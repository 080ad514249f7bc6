/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of the Ethernet link under a port: error correction, pause frames. */
#include "doctor/adapter/adapters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "doctor/frame/growth.h"
#include "doctor/port/port_facts.h"
#include "doctor/roce/roce.h"

#define UNCORRECTABLE  "fec %s uncorrectable"
#define CORRECTED_BITS "fec %s corrected_bits"

static bool is_ethernet(const struct port *port)
{
	return number_is(&port->link_layer, LINK_LAYER_ETHERNET);
}

bool doctor_is_ethernet_port(struct doctor_context *run)
{
	return is_ethernet(run->port);
}

void fec_read_growth(struct doctor_facts *facts, struct growth_reading *reading)
{
	const struct inventory *inventory = &facts->inventory;

	for_each_port (device, port, &inventory->devices) {
		const struct link *link = is_ethernet(port) ? roce_port_link(inventory, port)
							    : NULL;
		const struct link *leg = NULL;

		if (doctor_counters_are_restricted(facts, device))
			continue;
		while (link && (leg = roce_next_member(inventory, link, leg))) {
			struct ethtool_fec fec;

			if (doctor_fec(facts, leg->name, true, &fec))
				continue;
			if (fec.uncorrectable_blocks.known)
				growth_add(reading, fec.uncorrectable_blocks.value, UNCORRECTABLE,
					   leg->name);
			if (fec.corrected_bits.known)
				growth_add(reading, fec.corrected_bits.value, CORRECTED_BITS,
					   leg->name);
		}
	}
}

/*
 * Returns whether there is an answer to judge; if not, gives the verdict, except on software
 * devices. Names the netdev only if the port has several.
 */
static bool is_answered(struct doctor_context *run, const struct link *leg, int rc,
			const char *what)
{
	if (rc == -EOPNOTSUPP && run->device->software)
		return false;
	if (!run->port->netdev || strcmp(run->port->netdev, leg->name) != 0)
		doctor_object(run, "%s", leg->name);
	if (rc == -EOPNOTSUPP)
		doctor_not_checked(run, 0, "driver or kernel does not report %s", what);
	else if (rc)
		doctor_unread(run, what, "ethtool netlink", rc, false);
	return !rc;
}

/*
 * Links of 25 Gb/s per lane and more need error correction; those of 10 per lane (10G, 40G) do not
 * (IEEE 802.3 clauses 91, 108 and 134).
 */
static bool needs_correction(const struct link *netdev)
{
	return netdev->speed_mbps.known && netdev->speed_mbps.value >= 25000 &&
	       netdev->speed_mbps.value != 40000;
}

/* Adds the bit error rate before correction, if the driver counts corrected bits. */
static void add_error_rate(struct doctor_context *run, const struct link *netdev)
{
	const double seconds = doctor_growth_seconds(run->facts);
	_cleanup_(freep) char *window = growth_window(seconds);
	uint64_t bits;

	if (doctor_growth(run->facts, &bits, CORRECTED_BITS, netdev->name) || seconds <= 0 ||
	    !netdev->speed_mbps.known || !netdev->speed_mbps.value)
		return;
	doctor_evidence(run, NULL, "%llu bits corrected in %s, a bit error rate of %.1e",
			(unsigned long long)bits, window,
			(double)bits / ((double)netdev->speed_mbps.value * 1e6 * seconds));
}

static struct judged judge_correction(struct doctor_context *run, const struct link *netdev,
				      const struct ethtool_fec *fec)
{
	uint64_t lost = 0;
	const int rc = doctor_growth(run->facts, &lost, UNCORRECTABLE, netdev->name);
	_cleanup_(freep) char *name = text_quote(netdev->name);

	doctor_evidence(run, "ethtool netlink FEC_GET", "FEC %s",
			enum_word(ethtool_fec_names, fec->active.value, "of an unknown kind"));
	add_error_rate(run, netdev);
	if (!rc && lost) {
		doctor_evidence(run, NULL, "%llu uncorrectable blocks (0 expected)",
				(unsigned long long)lost);
		return doctor_warning(run, "the link has errors that FEC cannot correct");
	}
	if (fec->active.value == ETHTOOL_FEC_IS_OFF && needs_correction(netdev)) {
		doctor_evidence(run, NULL, "%llu Gb/s",
				(unsigned long long)(netdev->speed_mbps.value / 1000));
		/* mlx5_toggle_port_link() in mlx5e_set_fecparam(), en_ethtool.c. */
		doctor_next_step(run,
				 "unless it is a short cable made for use without it: ethtool "
				 "--set-fec %s encoding auto, at both ends; the link goes down, "
				 "and stays down while only one end has it",
				 name);
		return doctor_note(run, "the link runs without forward error correction");
	}
	if (fec->active.value == ETHTOOL_FEC_IS_OFF && !netdev->speed_mbps.known)
		return doctor_not_checked(
			run, 0, "the speed is not known, nor whether it needs correction");
	if (fec->active.value == ETHTOOL_FEC_IS_OFF)
		return doctor_ok(run, "no forward error correction, and the speed needs none");
	return doctor_ok(run, "forward error correction is on");
}

void fec_judge(struct doctor_context *run, const struct link *netdev, int rc,
	       const struct ethtool_fec *fec)
{
	if (!is_answered(run, netdev, rc, "the error correction"))
		return;
	if (fec->active.known)
		judge_correction(run, netdev, fec);
	else
		doctor_not_checked(run, 0, "no error correction is reported as active");
}

struct judged check_fec_ber(struct doctor_context *run)
{
	const struct link *netdev = roce_own_netdev(run), *leg = NULL;

	if (!netdev)
		return doctor_judged(run);
	while ((leg = roce_next_member(&run->facts->inventory, netdev, leg))) {
		struct ethtool_fec fec = {.active.known = false};
		const int rc = doctor_fec(run->facts, leg->name, false, &fec);

		fec_judge(run, leg, rc, &fec);
	}
	return run->verdicts ? doctor_judged(run) : doctor_does_not_apply(run);
}

static const char *on_off(enum tristate value)
{
	return value == TRISTATE_YES ? "on" : value == TRISTATE_NO ? "off" : "unknown";
}

static struct judged judge_pause(struct doctor_context *run, const struct link *netdev,
				 const struct ethtool_pause *pause, const struct roce_dcb *dcb)
{
	const bool on = pause->receive == TRISTATE_YES || pause->transmit == TRISTATE_YES;
	_cleanup_(freep) char *name = text_quote(netdev->name);

	doctor_evidence(run, "ethtool netlink PAUSE_GET", "pause frames: receive %s, transmit %s",
			on_off(pause->receive), on_off(pause->transmit));
	if (!on) {
		if (pause->receive == TRISTATE_NO && pause->transmit == TRISTATE_NO)
			return doctor_ok(run, "no pause frames for the whole link");
		return doctor_not_checked(run, 0, "the driver does not report its pause frames");
	}
	if (dcb->rc && dcb->rc != -EOPNOTSUPP)
		return doctor_unread(run, "priority flow control", "rtnetlink", dcb->rc, false);
	if (dcb->rc || !dcb->dcb.pfc_known)
		return doctor_not_checked(run, 0,
					  "the driver does not report its priority flow control");
	if (dcb->dcb.pfc.pfc_en) {
		char *priorities = roce_priorities(dcb->dcb.pfc.pfc_en);

		doctor_evidence(run, "rtnetlink DCB", "PFC on priority %s", priorities);
		free(priorities);
		doctor_next_step(run, "rdmactl roce set %s global-pause none", name);
		return doctor_warning(
			run, "pause frames stop the priorities that PFC should keep apart");
	}
	doctor_evidence(run, "rtnetlink DCB", "PFC on no priority");
	return doctor_ok(run, "pause frames without priority flow control");
}

void pause_judge(struct doctor_context *run, const struct link *netdev, int rc,
		 const struct ethtool_pause *pause, const struct roce_dcb *dcb)
{
	if (is_answered(run, netdev, rc, "the pause frames"))
		judge_pause(run, netdev, pause, dcb);
}

struct judged check_pause_conflict(struct doctor_context *run)
{
	const struct link *netdev = roce_own_netdev(run), *leg = NULL;

	if (!netdev)
		return doctor_judged(run);
	while ((leg = roce_next_member(&run->facts->inventory, netdev, leg))) {
		struct ethtool_pause pause = {TRISTATE_UNKNOWN};
		const int rc = doctor_pause(run->facts, leg->name, &pause);

		pause_judge(run, leg, rc, &pause, rc ? NULL : roce_dcb(run->facts, leg));
	}
	return run->verdicts ? doctor_judged(run) : doctor_does_not_apply(run);
}
