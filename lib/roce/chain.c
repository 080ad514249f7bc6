/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "roce/chain.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "kernel/netlink/dcb.h"
#include "roce/netdevs.h"
#include "roce/tos.h"
#include "schema/rows.h"

const struct enum_name roce_step_names[] = {
	{ROCE_TOS, "tos", TONE_PLAIN, "the type of service that the packets have"},
	{ROCE_DSCP, "dscp", TONE_PLAIN, "the DSCP in it"},
	{ROCE_TRUST, "trust", TONE_PLAIN, "what the port takes the priority from"},
	{ROCE_PRIORITY, "priority", TONE_PLAIN, "the priority of the DSCP"},
	{ROCE_CLASS, "class", TONE_PLAIN, "the traffic class of the priority"},
	{ROCE_PFC, "pfc", TONE_PLAIN, "whether the priority is paused instead of dropped"},
	{ROCE_ECN, "ecn", TONE_PLAIN, "whether congestion control slows the priority down"},
	{ROCE_BUFFER, "buffer", TONE_PLAIN, "the receive buffer of the priority"},
	{ROCE_MTU, "mtu", TONE_PLAIN, "whether RDMA packets fit the netdev"},
	{0},
};

static const struct enum_name verdict_names[] = {
	{ROCE_OK, "ok", TONE_GOOD, "as required"},
	{ROCE_NOTE, "note", TONE_PLAIN, "loses nothing, but is worth knowing"},
	{ROCE_UNKNOWN, "unknown", TONE_WARNING, "not known"},
	{ROCE_BROKEN, "broken", TONE_BAD, "packets can be lost"},
	{0},
};

#define RECORD struct roce_step
static const struct field step_fields[] = {
	WORD(step, roce_step_names, "STEP", SHOWN, 0, "which step it is"),
	TEXT(value, "VALUE", SHOWN, 0, "what is set there"),
	WORD(verdict, verdict_names, "VERDICT", SHOWN, 0, "whether packets get through it"),
	TEXT(text, "TEXT", SHOWN, 0, "explanation"),
};
#undef RECORD

const struct schema roce_step_schema = SCHEMA("roce_steps", struct roce_step, step_fields,
					      "a step from the TOS to the lossless class");

/* Appends the next step and takes ownership of `value`, which may be NULL. */
__attribute__((format(printf, 4, 5))) static void
add_step(struct roce_chain *chain, enum roce_verdict verdict, char *value, const char *format, ...)
{
	struct roce_step *step = mem_append(&chain->steps.rows, &chain->steps.count, sizeof(*step));
	va_list arguments;

	step->step = number_of(chain->steps.count - 1);
	step->verdict = number_of(verdict);
	step->value = value;
	va_start(arguments, format);
	step->text = mem_format_list(format, arguments);
	va_end(arguments);
}

enum tristate roce_trusts_dscp(const struct roce_facts *facts)
{
	return facts->dcb_rc && !facts->dcb.trusted.known
		       ? TRISTATE_UNKNOWN
		       : tos_trusts_dscp(&facts->dcb, facts->driver);
}

static bool has_pfc(const struct roce_facts *facts)
{
	return !facts->dcb_rc && facts->dcb.pfc_known;
}

/* Pause frames for the whole link in both directions prevent drops at any priority. */
static bool is_paused(const struct roce_facts *facts)
{
	return facts->pause.receive == TRISTATE_YES && facts->pause.transmit == TRISTATE_YES;
}

/* Explains why the data center bridging settings are unknown. */
static char *explain_dcb(const struct roce_facts *facts)
{
	switch (facts->dcb_rc) {
	case 0:
		return mem_format("the driver of %s does not report it", facts->netdev);
	case -EOPNOTSUPP:
		return mem_format("the driver of %s has no data center bridging", facts->netdev);
	case -ENODATA:
		return mem_string("a saved tree does not hold it");
	case -ENODEV:
		return mem_string("no netdev of the port can be seen in this network namespace");
	default:
		return mem_format("data center bridging of %s cannot be read: %s", facts->netdev,
				  strerror(-facts->dcb_rc));
	}
}

/* Adds a step that is unknown because the data center bridging settings are. */
static void add_unknown(const struct roce_facts *facts, struct roce_chain *chain, const char *what)
{
	_cleanup_(freep) char *why = explain_dcb(facts);

	add_step(chain, ROCE_UNKNOWN, NULL, "%s is not known: %s", what, why);
}

static void follow_tos(const struct roce_facts *facts, struct roce_chain *chain)
{
	char *value = mem_format("%u", facts->tos);

	if (facts->global_rc) {
		add_step(chain, ROCE_UNKNOWN, value,
			 "the traffic class that the driver gives every queue pair of the port "
			 "cannot be read: %s; if it gives none, the TOS is %u",
			 strerror(-facts->global_rc), facts->tos);
		return;
	}
	switch (facts->tos_source) {
	case TOS_ASKED:
		add_step(chain, ROCE_OK, value, "packets with TOS %u, as requested", facts->tos);
		break;
	case TOS_GLOBAL:
		add_step(chain, ROCE_OK, value,
			 "the driver gives every queue pair of the port traffic class %u",
			 facts->tos);
		break;
	case TOS_CONFIGURED:
		add_step(chain, ROCE_OK, value,
			 "rdma_cm gives connections TOS %u, unless the application sets another",
			 facts->tos);
		break;
	case TOS_UNTOUCHED:
		add_step(chain, ROCE_UNKNOWN, value,
			 "the default TOS of rdma_cm cannot be seen: configfs has no directory for "
			 "the device, or it cannot be read; if nobody changed it, it is %u",
			 facts->tos);
		break;
	}
}

static void follow_dscp(const struct roce_facts *facts, struct roce_chain *chain)
{
	const unsigned int dscp = facts->tos >> 2; /* the lower two bits are for ECN, RFC 3168 5 */
	const char *name = dscp_name(dscp);

	chain->dscp = number_of(dscp);
	if (facts->is_v1 && facts->tos_source != TOS_ASKED)
		add_step(chain, ROCE_BROKEN, NULL,
			 "rdma_cm makes RoCE v1 connections by default, whose packets have no IP "
			 "header and so no DSCP");
	else
		add_step(chain, ROCE_OK,
			 mem_format("%u%s%s%s", dscp, name ? " (" : "", name ? name : "",
				    name ? ")" : ""),
			 "TOS %u has DSCP %u", facts->tos, dscp);
}

static void follow_trust(const struct roce_facts *facts, struct roce_chain *chain)
{
	switch (roce_trusts_dscp(facts)) {
	case TRISTATE_YES:
		add_step(chain, ROCE_OK, mem_string("dscp"),
			 "the port takes the priority from the DSCP");
		break;
	case TRISTATE_NO:
		/* If the whole link is paused, priorities do not matter. */
		add_step(chain, is_paused(facts) ? ROCE_NOTE : ROCE_BROKEN, mem_string("pcp"),
			 "the port takes the priority from the VLAN tag, not from the DSCP, and "
			 "packets without a tag have the default priority");
		break;
	default:
		add_unknown(facts, chain, "what the port trusts");
	}
}

static void follow_priority(const struct roce_facts *facts, struct roce_chain *chain)
{
	const struct tos_chain way = tos_follow(facts->tos, &facts->dcb, roce_trusts_dscp(facts));
	const unsigned int mask = facts->dcb_rc ? 0 : facts->dcb.dscp_priorities[way.dscp];
	_cleanup_(freep) char *list = roce_priorities(mask);
	_cleanup_(freep) char *what = mem_format("the priority of DSCP %u", way.dscp);

	if (facts->dcb_rc) {
		add_unknown(facts, chain, what);
	} else if (roce_trusts_dscp(facts) != TRISTATE_YES) {
		add_step(chain, ROCE_UNKNOWN, NULL,
			 roce_trusts_dscp(facts) == TRISTATE_NO
				 ? "the priority is not that of the DSCP"
				 : "it is not known whether the priority is that of the DSCP");
	} else if (!mask) {
		add_step(chain, ROCE_UNKNOWN, NULL,
			 "the driver reports no priority for DSCP %u, so its firmware chooses one",
			 way.dscp);
	} else if (mask & (mask - 1)) {
		add_step(chain, mask & ~facts->dcb.pfc.pfc_en ? ROCE_UNKNOWN : ROCE_OK,
			 mem_string(list), "DSCP %u has several priorities: %s", way.dscp, list);
	} else {
		chain->priority = number_of((unsigned int)__builtin_ctz(mask));
		add_step(chain, ROCE_OK, mem_string(list), "DSCP %u has priority %s", way.dscp,
			 list);
	}
}

/* Returns the priorities of the traffic class that PFC does not pause: they share its queue. */
static unsigned int lossy_neighbours(const struct dcb *dcb, unsigned int traffic_class)
{
	unsigned int mask = 0;

	for (unsigned int i = 0; i < DCB_PRIORITIES; i++)
		if (dcb->ets.prio_tc[i] == traffic_class)
			mask |= 1u << i;
	return mask & ~dcb->pfc.pfc_en;
}

/* Describes a traffic class: "ets, 50 % of the bandwidth". */
static char *describe_class(const struct dcb *dcb, unsigned int number)
{
	const char *algorithm = enum_word(
		dcb_algorithm_names, dcb->ets.tc_tsa[number % DCB_CLASSES], "another algorithm");
	const unsigned int share = dcb->ets.tc_tx_bw[number % DCB_CLASSES];

	if (dcb->ets.tc_tsa[number % DCB_CLASSES] == IEEE_8021QAZ_TSA_ETS)
		return mem_format("%s, %u %% of the bandwidth", algorithm, share);
	return mem_string(algorithm);
}

static void follow_class(const struct roce_facts *facts, struct roce_chain *chain)
{
	_cleanup_(freep) char *list = NULL, *algorithm = NULL;
	unsigned int number, own, lossy;

	if (!chain->priority.known || !facts->dcb.ets_known) {
		add_step(chain, ROCE_UNKNOWN, NULL,
			 chain->priority.known ? "the driver does not report the traffic classes"
					       : "the priority is not known");
		return;
	}
	number = facts->dcb.ets.prio_tc[chain->priority.value];
	own = 1u << chain->priority.value;
	chain->traffic_class = number_of(number);
	lossy = has_pfc(facts) && facts->dcb.pfc.pfc_en & own
			? lossy_neighbours(&facts->dcb, number)
			: 0;
	list = roce_priorities(lossy);
	algorithm = describe_class(&facts->dcb, number);
	if (lossy)
		add_step(chain, ROCE_NOTE, mem_format("%u", number),
			 "priority %u is in traffic class %u (%s) with priorities that are not "
			 "lossless (%s), which have to wait while it is paused",
			 (unsigned int)chain->priority.value, number, algorithm, list);
	else
		add_step(chain, ROCE_OK, mem_format("%u", number),
			 "priority %u is in traffic class %u (%s)",
			 (unsigned int)chain->priority.value, number, algorithm);
}

static void follow_pfc(const struct roce_facts *facts, struct roce_chain *chain)
{
	const unsigned int mask = facts->dcb.pfc.pfc_en;
	const struct tos_chain way = tos_follow(facts->tos, &facts->dcb, roce_trusts_dscp(facts));
	_cleanup_(freep) char *list = roce_priorities(mask);

	if (is_paused(facts)) {
		add_step(chain, ROCE_OK, has_pfc(facts) ? mem_string(list) : NULL,
			 "pause frames of the whole link stop all priorities");
	} else if (!has_pfc(facts)) {
		add_unknown(facts, chain, "which priorities PFC pauses");
	} else if (!mask) {
		add_step(chain, ROCE_BROKEN, mem_string(list), "PFC is off for all priorities");
	} else if (way.end == TOS_LOSSLESS) {
		add_step(chain, ROCE_OK, mem_string(list),
			 "PFC pauses the priority instead of dropping its packets");
	} else if (chain->priority.known) {
		add_step(chain, ROCE_BROKEN, mem_string(list),
			 "PFC is on for priority %s, but the packets have priority %u", list,
			 (unsigned int)chain->priority.value);
	} else {
		add_step(chain, ROCE_UNKNOWN, mem_string(list),
			 "PFC is on for priority %s; it is not known whether the packets have it",
			 list);
	}
}

/* Explains congestion control for a priority for which not both ends have it on. */
static const char *explain_ecn(bool sends, bool receives)
{
	if (sends)
		return "senders slow down for the priority, but receivers do not notify of "
		       "congestion";
	if (receives)
		return "receivers notify of congestion for the priority, but senders do not slow "
		       "down";
	return "congestion control is off for the priority: only PFC holds senders back";
}

static void follow_ecn(const struct roce_facts *facts, struct roce_chain *chain)
{
	const struct roce_ecn *ecn = &facts->ecn;
	const unsigned int bit = chain->priority.known ? 1u << chain->priority.value : 0;
	_cleanup_(freep) char *list = roce_priorities(ecn->send & ecn->receive);

	if (ecn->vendor && bit) {
		const bool on = ecn->send & ecn->receive & bit;

		chain->ecn = on ? TRISTATE_YES : TRISTATE_NO;
		add_step(chain, on ? ROCE_OK : ROCE_NOTE, mem_string(list), "%s",
			 on ? "congestion control is on for the priority"
			    : explain_ecn(ecn->send & bit, ecn->receive & bit));
	} else if (ecn->vendor && !(ecn->send | ecn->receive)) {
		chain->ecn = TRISTATE_NO;
		add_step(chain, ROCE_NOTE, mem_string(list),
			 "congestion control is off for all priorities: only PFC holds senders "
			 "back");
	} else if (ecn->vendor && !(ecn->send & ecn->receive)) {
		_cleanup_(freep) char *send = roce_priorities(ecn->send);
		_cleanup_(freep) char *receive = roce_priorities(ecn->receive);

		chain->ecn = TRISTATE_NO;
		add_step(chain, ROCE_NOTE, mem_string(list),
			 "no priority has congestion control at both ends: senders slow down on "
			 "%s, receivers notify on %s",
			 send, receive);
	} else if (ecn->vendor) {
		add_step(chain, ROCE_UNKNOWN, mem_string(list),
			 "congestion control is on for priority %s", list);
	} else if (ecn->params) {
		add_step(chain, ROCE_UNKNOWN, NULL,
			 "the driver reports how congestion control is tuned, but not whether it "
			 "is on");
	} else if (ecn->rc && ecn->rc != -ENOENT) {
		add_step(chain, ROCE_UNKNOWN, NULL, "congestion control cannot be read: %s",
			 strerror(-ecn->rc));
	} else {
		add_step(chain, ROCE_UNKNOWN, NULL,
			 facts->dcb_rc == -ENODEV
				 ? "nothing reports congestion control of a port without a netdev"
				 : "the driver does not report congestion control");
	}
}

static void follow_buffer(const struct roce_facts *facts, struct roce_chain *chain)
{
	const struct dcbnl_buffer *buffers = &facts->dcb.buffers;
	unsigned int number, size;

	if (facts->dcb_rc || !facts->dcb.buffers_known) {
		add_unknown(facts, chain, "the receive buffer of the priority");
		return;
	}
	if (!chain->priority.known) {
		add_step(chain, ROCE_UNKNOWN, NULL, "the priority is not known");
		return;
	}
	number = buffers->prio2buffer[chain->priority.value];
	size = number < DCB_BUFFERS ? buffers->buffer_size[number] : 0;
	add_step(chain, size ? ROCE_OK : ROCE_BROKEN, mem_format("%u", number),
		 size ? "priority %u is received into buffer %u of %u bytes"
		      : "priority %u is received into buffer %u, which has %u bytes",
		 (unsigned int)chain->priority.value, number, size);
}

static void follow_mtu(const struct roce_facts *facts, struct roce_chain *chain)
{
	const struct number *mtu = &facts->netdev_mtu;
	const unsigned int most = roce_mtu(mtu->value);

	if (!mtu->known)
		add_step(chain, ROCE_UNKNOWN, NULL, "the MTU of %s is not known", facts->netdev);
	else if (!most)
		add_step(chain, ROCE_BROKEN, mem_format("%u", (unsigned int)mtu->value),
			 "the MTU of %s leaves no room for RDMA packets", facts->netdev);
	else if (facts->active_mtu.known && facts->active_mtu.value > most)
		add_step(chain, ROCE_BROKEN, mem_format("%u", (unsigned int)mtu->value),
			 "the RDMA MTU of the port is %u, but the MTU of %s leaves room for %u",
			 (unsigned int)facts->active_mtu.value, facts->netdev, most);
	else
		add_step(chain, most < PORT_LARGEST_MTU ? ROCE_NOTE : ROCE_OK,
			 mem_format("%u", (unsigned int)mtu->value),
			 "the MTU of %s leaves room for an RDMA MTU of %u", facts->netdev, most);
}

/* Every step function has added exactly one row, in the order of the steps. */
static const struct roce_step *step_at(const struct roce_chain *chain, enum roce_step_id id)
{
	return (const struct roce_step *)chain->steps.rows + id;
}

/* Returns the first step with that verdict among those required for losslessness. */
static const struct roce_step *first_with(const struct roce_facts *facts,
					  const struct roce_chain *chain, enum roce_verdict verdict)
{
	static const enum roce_step_id needed[] = {ROCE_TOS, ROCE_DSCP,	  ROCE_TRUST, ROCE_PRIORITY,
						   ROCE_PFC, ROCE_BUFFER, ROCE_MTU};

	for (size_t i = 0; i < ARRAY_SIZE(needed); i++) {
		const struct roce_step *step = step_at(chain, needed[i]);

		/* If the whole link is paused, priorities do not matter. */
		if (is_paused(facts) && needed[i] < ROCE_PFC)
			continue;
		/* Few drivers report their buffers, but the others have them, too. */
		if (needed[i] == ROCE_BUFFER && verdict == ROCE_UNKNOWN)
			continue;
		if (step->verdict.value == verdict)
			return step;
	}
	return NULL;
}

static void advise(const struct roce_facts *facts, struct roce_chain *chain)
{
	const unsigned int tos = facts->dcb_rc ? 0 : tos_find_lossless(&facts->dcb);
	_cleanup_(freep) char *object = text_quote(facts->object);

	switch ((enum roce_step_id)chain->breaks_at.value) {
	case ROCE_TOS:
		if (!facts->global_rc)
			chain->next_step = mem_format("rdmactl roce set %s default-tos %u", object,
						      tos ? tos : facts->tos);
		break;
	case ROCE_DSCP:
		chain->next_step = mem_format("rdmactl roce set %s default-mode roce-v2", object);
		break;
	case ROCE_MTU:
		chain->next_step = mem_format(
			"rdmactl roce set %s mtu 9000, if every switch and host supports it",
			object);
		break;
	default:
		chain->next_step = facts->dcb_rc
					   ? NULL
					   : mem_format("rdmactl roce set %s --profile lossless",
							object);
	}
}

/* Whether a TOS other than the assumed one might lead to a lossless priority. */
static bool hangs_on_tos(const struct roce_facts *facts)
{
	return (facts->tos_source == TOS_UNTOUCHED || facts->global_rc) && !is_paused(facts) &&
	       !facts->dcb_rc && roce_trusts_dscp(facts) == TRISTATE_YES &&
	       tos_find_lossless(&facts->dcb);
}

static void conclude(const struct roce_facts *facts, struct roce_chain *chain)
{
	const struct roce_step *broken = first_with(facts, chain, ROCE_BROKEN);
	const struct roce_step *unknown = first_with(facts, chain, ROCE_UNKNOWN);
	const struct roce_step *at = broken ? broken : unknown;

	/* In that case, only a step that breaks with every TOS is certainly broken. */
	if (hangs_on_tos(facts) && broken &&
	    (broken->step.value == ROCE_PRIORITY || broken->step.value == ROCE_PFC ||
	     broken->step.value == ROCE_BUFFER)) {
		broken = step_at(chain, ROCE_MTU);
		at = broken->verdict.value == ROCE_BROKEN ? broken : unknown;
	}
	chain->lossless = !at ? TRISTATE_YES : at == broken ? TRISTATE_NO : TRISTATE_UNKNOWN;
	if (!at)
		return;
	/* If nothing is known about the port, its TOS does not matter yet. */
	if (at->step.value == ROCE_TOS && roce_trusts_dscp(facts) == TRISTATE_UNKNOWN)
		at = step_at(chain, ROCE_TRUST);
	chain->breaks_at = at->step;
	chain->reason = mem_string(at->text);
	advise(facts, chain);
}

static void (*const follow[])(const struct roce_facts *facts, struct roce_chain *chain) = {
	[ROCE_TOS] = follow_tos,     [ROCE_DSCP] = follow_dscp,
	[ROCE_TRUST] = follow_trust, [ROCE_PRIORITY] = follow_priority,
	[ROCE_CLASS] = follow_class, [ROCE_PFC] = follow_pfc,
	[ROCE_ECN] = follow_ecn,     [ROCE_BUFFER] = follow_buffer,
	[ROCE_MTU] = follow_mtu,
};
_Static_assert(ARRAY_SIZE(follow) == ARRAY_SIZE(roce_step_names) - 1, "one for each step");

void roce_chain_follow(const struct roce_facts *facts, struct roce_chain *ret_chain)
{
	*ret_chain = (struct roce_chain){.steps.known = true};
	for (size_t i = 0; i < ARRAY_SIZE(follow); i++)
		follow[i](facts, ret_chain);
	conclude(facts, ret_chain);
}
