/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "roce/table/profile.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "change/dcb.h"
#include "change/roce.h"
#include "kernel/netlink/dcb.h"
#include "roce/ecn.h"
#include "roce/tos.h"

const struct enum_name roce_profile_names[] = {
	{ROCE_PROFILE_LOSSLESS, "lossless", TONE_PLAIN,
	 "PFC on exactly this priority, in a traffic class of its own, with congestion control"},
	{ROCE_PROFILE_LOSSY, "lossy", TONE_PLAIN,
	 "no PFC; the priority of its own and congestion control stay"},
	{0},
};

/* Adds a part and takes ownership of the text. */
static void add(struct roce_parts *parts, const struct setting *setting, char *text)
{
	MEM_ADD(parts->items, parts->count) = (struct roce_part){setting, text};
}

/* Whether the traffic class has another priority, too. */
static bool is_shared(const struct dcb *dcb, unsigned int traffic_class, unsigned int priority)
{
	for (unsigned int i = 0; i < DCB_PRIORITIES; i++)
		if (i != priority && dcb->ets.prio_tc[i] == traffic_class)
			return true;
	return false;
}

/*
 * Returns an unused traffic class for the priority, preferably with the same number; DCB_CLASSES:
 * none.
 */
static unsigned int find_class(const struct dcb *dcb, unsigned int priority)
{
	const unsigned int most = dcb->ets.ets_cap ? dcb->ets.ets_cap : DCB_CLASSES;

	if (priority < most && !is_shared(dcb, priority, priority))
		return priority;
	for (unsigned int i = most; i-- > 0;)
		if (i < DCB_CLASSES && !is_shared(dcb, i, priority))
			return i;
	return DCB_CLASSES;
}

/*
 * Gives half of the bandwidth to an ETS class that has none; the others keep half of theirs, and
 * the first of them gets the rounding remainder. The shares must add up to 100: dcbnl does not
 * check it, but drivers do (mlx5e_dbcnl_validate_ets(), en_dcbnl.c).
 */
static char *share(const struct dcb *dcb, unsigned int own)
{
	enum { ALL = 100, HALF = 2 };
	struct text_buffer buffer = {.text = NULL};
	unsigned int shares[DCB_CLASSES], left = ALL - ALL / HALF, first = DCB_CLASSES;

	for (unsigned int i = 0; i < DCB_CLASSES; i++) {
		shares[i] = dcb->ets.tc_tsa[i] == IEEE_8021QAZ_TSA_ETS && i != own
				    ? dcb->ets.tc_tx_bw[i] / HALF
				    : 0;
		if (shares[i] && first == DCB_CLASSES)
			first = i;
		left -= shares[i] < left ? shares[i] : left;
	}
	shares[own] = ALL / HALF;
	shares[first < DCB_CLASSES ? first : own] += left;
	for (unsigned int i = 0; i < DCB_CLASSES; i++)
		text_buffer_add(&buffer, "%s%u:%u", i ? "," : "", i, shares[i]);
	return text_buffer_take(&buffer);
}

static void separate(const struct dcb *dcb, unsigned int priority, struct roce_parts *parts)
{
	unsigned int own = dcb->ets.prio_tc[priority];

	if (own >= DCB_CLASSES)
		return;
	if (is_shared(dcb, own, priority)) {
		own = find_class(dcb, priority);
		if (own == DCB_CLASSES)
			return;
		add(parts, &dcb_priority_class_setting, mem_format("%u:%u", priority, own));
	}
	if (dcb->ets.tc_tsa[own] == IEEE_8021QAZ_TSA_ETS && !dcb->ets.tc_tx_bw[own])
		add(parts, &dcb_class_bandwidth_setting, share(dcb, own));
}

char *roce_profile_ecn(const struct roce_ecn *now, unsigned int priority)
{
	return ecn_text(now->send | 1u << priority, now->receive | 1u << priority);
}

static void add_ecn(const char *netdev, unsigned int priority, struct roce_parts *parts)
{
	struct roce_ecn ecn;
	_cleanup_(root_close) struct root root = {.fd = -1};

	if (root_open(NULL, &root))
		return;
	roce_ecn_read(&root, netdev, NULL, NULL, &ecn);
	if (ecn.vendor)
		add(parts, &ecn_setting, roce_profile_ecn(&ecn, priority));
}

void roce_profile_of_netdev(const struct roce_wish *wish, struct change_host *host,
			    const char *netdev, struct roce_parts *ret_parts)
{
	const bool lossless = wish->profile == ROCE_PROFILE_LOSSLESS;
	struct dcb dcb = {.ets_known = false};
	struct netlink *rtnl;

	*ret_parts = (struct roce_parts){.items = NULL};
	if (!change_host_rtnl(host, &rtnl))
		dcb_get(rtnl, netdev, &dcb);
	add(ret_parts, &dcb_dscp_priority_setting,
	    mem_format("+%u:%u", wish->dscp, wish->priority));
	/* Other drivers, including mlx5, trust the DSCP as soon as one DSCP has a priority. */
	if (dcb.trusted.known)
		add(ret_parts, &dcb_trust_setting, mem_string("dscp"));
	if (dcb.ets_known)
		separate(&dcb, wish->priority, ret_parts);
	add(ret_parts, &dcb_pfc_setting,
	    lossless ? mem_format("%u", wish->priority) : mem_string("none"));
	add_ecn(netdev, wish->priority, ret_parts);
}

void roce_profile_of_port(const struct roce_wish *wish, struct roce_parts *ret_parts)
{
	*ret_parts = (struct roce_parts){.items = NULL};
	add(ret_parts, &cma_mode_setting, mem_string("roce-v2"));
	add(ret_parts, &cma_tos_setting, mem_format("%u", tos_of_dscp(wish->dscp)));
}

void roce_parts_clear(struct roce_parts *parts)
{
	for_each (part, parts)
		free(part->text);
	free(parts->items);
	*parts = (struct roce_parts){.items = NULL};
}
