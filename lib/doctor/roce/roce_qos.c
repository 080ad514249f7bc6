/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * roce-pfc, roce-tos and roce-ecn: lossless priorities, the traffic classes that map to them, and
 * congestion control as far as drivers report it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/limits/limits.h"
#include "doctor/roce/roce.h"
#include "roce/cma.h"
#include "roce/table/profile.h"
#include "roce/tos.h"

/*
 * Returns the settings of the port's first netdev that has any; NULL after a verdict on why none
 * has.
 */
static const struct roce_dcb *find_dcb(struct doctor_context *run)
{
	const struct link *own = roce_own_netdev(run), *leg = NULL;
	const struct roce_dcb *dcb = NULL;

	if (!own)
		return NULL;
	while ((leg = roce_next_member(&run->facts->inventory, own, leg)) != NULL) {
		dcb = roce_dcb(run->facts, leg);
		if (dcb->rc || !dcb->dcb.pfc_known)
			continue;
		if (!dcb->trust_rc)
			return dcb;
		doctor_unread(run, "what the port trusts", "net/X/qos/trust", dcb->trust_rc, false);
		return NULL;
	}
	if (dcb && dcb->rc && dcb->rc != -EOPNOTSUPP)
		doctor_unread(run, "data center bridging", "rtnetlink", dcb->rc, false);
	else
		doctor_not_checked(run, 0,
				   "the driver does not report which priorities are lossless");
	return NULL;
}

static const char *trust_words(const struct dcb *dcb, const char *driver)
{
	switch (tos_trusts_dscp(dcb, driver)) {
	case TRISTATE_YES:
		return dcb->trusted.known ? "trusts the DSCP"
					  : "has DSCP entries, so trusts the DSCP";
	case TRISTATE_NO:
		return "trusts the VLAN tag, not the DSCP";
	default:
		return "what it trusts is not known";
	}
}

static void tell_pfc(struct doctor_context *run, const struct roce_dcb *dcb, const char *driver)
{
	_cleanup_(freep) char *lossless = roce_priorities(dcb->dcb.pfc.pfc_en);

	doctor_evidence(run, "rtnetlink RTM_GETDCB", "%s: lossless priorities %s; %s", dcb->netdev,
			lossless, trust_words(&dcb->dcb, driver));
}

static bool is_like(const struct dcb *a, const char *a_driver, const struct dcb *b,
		    const char *b_driver)
{
	return a->pfc.pfc_en == b->pfc.pfc_en &&
	       (!a->pfc.pfc_en || tos_trusts_dscp(a, a_driver) == tos_trusts_dscp(b, b_driver));
}

/*
 * Whether another netdev of this port, or of a similar port, has other settings; adds it to the
 * evidence.
 */
static bool differs_from_others(struct doctor_context *run, const struct dcb *mine)
{
	for_each_port (device, port, &run->facts->inventory.devices) {
		const struct link *own = roce_port_link(&run->facts->inventory, port), *leg = NULL;

		if (!own || !roce_is_alike(run, device, port))
			continue;
		while ((leg = roce_next_member(&run->facts->inventory, own, leg)) != NULL) {
			const struct roce_dcb *dcb = roce_dcb(run->facts, leg);

			if (dcb->rc || !dcb->dcb.pfc_known || dcb->trust_rc ||
			    is_like(mine, run->device->driver, &dcb->dcb, device->driver))
				continue;
			tell_pfc(run, dcb, device->driver);
			return true;
		}
	}
	return false;
}

struct judged check_roce_pfc(struct doctor_context *run)
{
	const struct roce_dcb *found = find_dcb(run);

	if (!found)
		return doctor_judged(run);
	tell_pfc(run, found, run->device->driver);
	if (differs_from_others(run, &found->dcb))
		return doctor_warning(
			run, "ports of the same board have different lossless priorities or "
			     "trust");
	if (!found->dcb.pfc.pfc_en)
		return doctor_note(run,
				   "no priority is lossless, which may be intended: without pause "
				   "frames for the whole link, RoCE is lossy traffic here");
	return doctor_ok(run, "the port has lossless priorities");
}

enum { EVERY_PRIORITY = 0xff };

/* Results of following the configured traffic classes. */
struct tos_survey {
	const struct dcb *dcb;
	enum tristate trusts_dscp;
	size_t lossless, lossy, unknown;
	unsigned int dscp; /* needs a mapping: the first that is not lossless */
};

static bool is_lossy(enum tos_end end)
{
	return end == TOS_LOSSY || end == TOS_NOT_TRUSTED;
}

static void take_tos(struct doctor_context *run, struct tos_survey *survey, const char *source,
		     unsigned int tos)
{
	const struct tos_chain chain = tos_follow(tos, survey->dcb, survey->trusts_dscp);
	_cleanup_(freep) char *way = tos_describe(&chain);

	doctor_evidence(run, source, "%s: %s", source, way);
	if (chain.end != TOS_LOSSLESS && !survey->lossy && !survey->unknown)
		survey->dscp = chain.dscp;
	if (chain.end == TOS_LOSSLESS)
		survey->lossless++;
	else if (is_lossy(chain.end))
		survey->lossy++;
	else
		survey->unknown++;
}

/* Takes a configured value; reports one that is not a traffic class. `auto` means the default. */
static void take_text(struct doctor_context *run, struct tos_survey *survey, const char *source,
		      const char *text)
{
	unsigned int tos;

	if (!text || !strcmp(text, "auto") || !strcmp(text, "-1"))
		return;
	if (!tos_parse(text, &tos)) {
		take_tos(run, survey, source, tos);
		return;
	}
	doctor_evidence(run, source, "%s: '%s' is not a traffic class", source, text);
	survey->unknown++;
}

/*
 * Takes the default of librdmacm's connections, if somebody made its directory and set a value
 * other than the kernel's: roce/cma.h.
 */
static void take_configfs(struct doctor_context *run, struct tos_survey *survey)
{
	static const char source[] = "default_roce_tos of rdma_cm";
	char text[SYSFS_TEXT_SIZE];
	unsigned int tos;
	ssize_t length = cma_read(&run->facts->root, run->device->kernel_name,
				  (unsigned int)run->port->port.value, CMA_TOS, text);

	if (length > 0 && !tos_parse(text, &tos) && tos == ROCE_TOS_UNTOUCHED)
		return;
	if (length > 0)
		take_text(run, survey, source, text);
	else if (length < 0 && length != -ENOENT)
		doctor_evidence(run, source, "%s: %s", source, strerror((int)-length));
}

static void take_libraries(struct doctor_context *run, struct tos_survey *survey)
{
	static const char *const names[] = {"NCCL_IB_TC", "UCX_IB_TRAFFIC_CLASS"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_(freep) char *source = NULL, *full = NULL, *clean = NULL;
		_cleanup_(freep) char *value = doctor_setting(run->facts, names[i], &source);

		if (!value)
			continue;
		clean = text_clean(value, strlen(value));
		full = mem_format("%s (%s)", names[i], source);
		take_text(run, survey, full, clean);
	}
}

static void advise_tos(struct doctor_context *run, const struct tos_survey *survey,
		       const char *netdev)
{
	const unsigned int tos = tos_find_lossless(survey->dcb);
	const bool untrusted = survey->trusts_dscp == TRISTATE_NO && survey->dcb->trusted.known;
	_cleanup_(freep) char *name = text_quote(netdev);
	_cleanup_(freep) char *object = port_object(run->port), *port = text_quote(object);

	if (tos && untrusted)
		doctor_next_step(run,
				 "let the port trust the DSCP, as the switches do: rdmactl roce "
				 "set %s trust dscp, or with NVIDIA's own driver: echo dscp > "
				 "/sys/class/net/%s/qos/trust",
				 name, name);
	else if (tos && survey->trusts_dscp == TRISTATE_YES)
		doctor_next_step(run,
				 "let connections use traffic class %u: NCCL_IB_TC=%u, "
				 "UCX_IB_TRAFFIC_CLASS=%u; for librdmacm: rdmactl roce set %s "
				 "default-tos %u",
				 tos, tos, tos, port, tos);
	else
		doctor_next_step(run,
				 "map the DSCP of the traffic class to a lossless priority, as the "
				 "switches do: rdmactl roce set %s dscp-priority +%u:%d%s",
				 name, survey->dscp,
				 __builtin_ctz((unsigned int)survey->dcb->pfc.pfc_en),
				 untrusted ? " trust dscp" : "");
}

/* Judges the default, if no traffic class is set. */
static struct judged judge_default(struct doctor_context *run, const struct tos_survey *survey)
{
	const enum tos_end end = tos_follow(0, survey->dcb, survey->trusts_dscp).end;

	if (end == TOS_LOSSLESS || survey->dcb->pfc.pfc_en == EVERY_PRIORITY)
		return doctor_ok(run, "traffic class 0, the default, leads to a lossless priority");
	if (is_lossy(end))
		return doctor_note(run, "no traffic class is set, and traffic class 0 does not "
					"lead to a lossless priority");
	return doctor_not_checked(run, 0,
				  "no traffic class is set, and whether traffic class 0 leads to a "
				  "lossless priority is not known");
}

static struct judged judge_tos(struct doctor_context *run, const struct tos_survey *survey)
{
	if (survey->lossy)
		return doctor_warning(
			run, "a configured traffic class does not lead to a lossless priority");
	if (survey->unknown)
		return doctor_not_checked(run, 0,
					  "whether a configured traffic class leads to a lossless "
					  "priority is not known");
	if (survey->lossless)
		return doctor_ok(run,
				 "every configured traffic class leads to a lossless priority");
	return judge_default(run, survey);
}

struct judged check_roce_tos(struct doctor_context *run)
{
	const struct roce_dcb *found = find_dcb(run);
	struct tos_survey survey = {.dcb = found ? &found->dcb : NULL, .dscp = ROCE_PROFILE_DSCP};
	char text[SYSFS_TEXT_SIZE];
	const char *global;
	int rc;

	if (!found)
		return doctor_judged(run);
	if (!found->dcb.pfc.pfc_en)
		return doctor_ok(run,
				 "no priority is lossless, so no traffic class has to lead to one");
	/* It would override all others. */
	global = roce_global_class(&run->facts->root, run->port, text, &rc);
	if (rc && rc != -ENOENT)
		return doctor_unread(run, "the global traffic class", "tc/N/traffic_class", rc,
				     false);
	survey.trusts_dscp = tos_trusts_dscp(survey.dcb, run->device->driver);
	tell_pfc(run, found, run->device->driver);
	take_configfs(run, &survey);
	take_text(run, &survey, "global traffic class", global);
	take_libraries(run, &survey);
	advise_tos(run, &survey, found->netdev);
	return judge_tos(run, &survey);
}

/* ---- Congestion control ---- */

/* Returns "priorities 0, 3", "priority 3" or "no priority"; the caller frees it. */
static char *priorities_of(unsigned int mask)
{
	_cleanup_(freep) char *list = roce_priorities(mask);

	if (!mask)
		return mem_string("no priority");
	return mem_format("%s %s", mask & (mask - 1) ? "priorities" : "priority", list);
}

static void describe_ecn(const struct roce_ecn *ecn, char *text, size_t size)
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

/* Reads each port once. */
static struct doctor_ecn ecn_of(const struct doctor_context *run, const struct device *device,
				const struct port *port, const struct link *own)
{
	struct doctor_roce *roce = DOCTOR_PART(run->facts, roce);
	const struct link *leg = roce_next_member(&run->facts->inventory, own, NULL);
	struct doctor_ecn new = {.port = port, .ecn.rc = -ENOENT};

	for_each_in (ecn, roce->ecns, roce->ecn_count)
		if (ecn->port == port)
			return *ecn;
	if (leg)
		roce_ecn_read(&run->facts->root, leg->name, device->driver, device->pci_address,
			      &new.ecn);
	describe_ecn(&new.ecn, new.text, sizeof(new.text));
	MEM_ADD(roce->ecns, roce->ecn_count) = new;
	return new;
}

static bool has_other_ecn(struct doctor_context *run, const struct doctor_ecn *mine)
{
	for_each_port (device, port, &run->facts->inventory.devices) {
		const struct link *own = roce_port_link(&run->facts->inventory, port);
		struct doctor_ecn other;

		if (port == run->port || !own || !roce_is_alike(run, device, port))
			continue;
		other = ecn_of(run, device, port, own);
		if (other.ecn.vendor != mine->ecn.vendor || other.ecn.params != mine->ecn.params ||
		    !strcmp(other.text, mine->text))
			continue;
		doctor_evidence(run, NULL, "%s: %s", own->name, other.text);
		return true;
	}
	return false;
}

struct judged check_roce_ecn(struct doctor_context *run)
{
	const struct link *own = roce_own_netdev(run);
	struct doctor_ecn found;
	const struct roce_ecn *ecn = &found.ecn;

	if (!own)
		return doctor_judged(run);
	found = ecn_of(run, run->device, run->port, own);
	if (!ecn->vendor && !ecn->params) {
		if (ecn->rc == -ENOENT)
			return doctor_not_checked(run, 0,
						  "the driver does not report congestion control");
		if (ecn->rc == -EPERM) /* debugfs_locked_down(), fs/debugfs/file.c */
			return doctor_not_checked(
				run, 0, "the lockdown of the kernel keeps debugfs closed");
		return doctor_unread(run, "congestion control", "ecn, debugfs cc_params", ecn->rc,
				     true);
	}
	doctor_evidence(run, ecn->vendor ? "net/X/ecn" : "debugfs cc_params", "%s: %s", own->name,
			found.text);
	if (has_other_ecn(run, &found))
		return doctor_warning(
			run, "ports of the same board have different congestion control settings");
	if (ecn->vendor && (!ecn->send || !ecn->receive))
		return doctor_note(run, "congestion control is off, which may be intended");
	if (ecn->vendor && !(ecn->send & ecn->receive))
		return doctor_note(run, "no priority has congestion control at both ends: those of "
					"senders and of receivers differ");
	if (ecn->vendor)
		return doctor_ok(run, "congestion control is on");
	return doctor_not_checked(run, 0,
				  "the driver reports how congestion control is tuned, but not "
				  "whether it is on");
}
