/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "roce/tos.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "kernel/netlink/dcb.h"

enum { ECN_BITS = 2, ECN_CAPABLE = 2 }; /* ECT(0), RFC 3168 5 */

enum tristate tos_trusts_dscp(const struct dcb *dcb, const char *driver)
{
	if (dcb->trusted.known)
		return dcb->trusted.value & DCB_TRUST_DSCP ? TRISTATE_YES : TRISTATE_NO;
	if (dcb->dscp_count)
		return TRISTATE_YES;
	return driver && !strcmp(driver, "mlx5_core") ? TRISTATE_NO : TRISTATE_UNKNOWN;
}

static enum tos_end end_of(unsigned int priorities, unsigned int lossless)
{
	if (!priorities)
		return TOS_NOT_MAPPED;
	if (!(priorities & ~lossless))
		return TOS_LOSSLESS;
	return priorities & lossless ? TOS_AMBIGUOUS : TOS_LOSSY;
}

static bool is_single(unsigned int mask)
{
	return mask && !(mask & (mask - 1));
}

struct tos_chain tos_follow(unsigned int tos, const struct dcb *dcb, enum tristate trusts_dscp)
{
	struct tos_chain chain = {.tos = tos, .dscp = tos >> ECN_BITS, .end = TOS_UNKNOWN};
	const unsigned int priorities = dcb->dscp_priorities[chain.dscp % DCB_DSCPS];

	if (!dcb->pfc_known || trusts_dscp == TRISTATE_UNKNOWN)
		return chain;
	if (trusts_dscp == TRISTATE_YES && is_single(priorities)) {
		chain.priority = number_of((unsigned int)__builtin_ctz(priorities));
		if (dcb->ets_known)
			chain.traffic_class = number_of(dcb->ets.prio_tc[chain.priority.value]);
	}
	if (!dcb->pfc.pfc_en)
		chain.end = TOS_NO_PFC;
	else if (trusts_dscp == TRISTATE_NO)
		chain.end = TOS_NOT_TRUSTED;
	else
		chain.end = end_of(priorities, dcb->pfc.pfc_en);
	return chain;
}

char *tos_describe(const struct tos_chain *chain)
{
	static const char ends[][48] = {
		[TOS_LOSSLESS] = "which is lossless",
		[TOS_NO_PFC] = "no priority is lossless",
		[TOS_NOT_TRUSTED] = "which the port ignores: it trusts the VLAN tag",
		[TOS_LOSSY] = "which is not lossless",
		[TOS_NOT_MAPPED] = "for which the driver reports no priority",
		[TOS_AMBIGUOUS] = "which has several priorities, not all lossless",
		[TOS_UNKNOWN] = "whose priority is not known",
	};
	struct text_buffer buffer = {.text = NULL};

	text_buffer_add(&buffer, "traffic class %u: DSCP %u", chain->tos, chain->dscp);
	if (chain->priority.known)
		text_buffer_add(&buffer, ", priority %u", (unsigned int)chain->priority.value);
	if (chain->traffic_class.known)
		text_buffer_add(&buffer, " in hardware queue %u",
				(unsigned int)chain->traffic_class.value);
	text_buffer_add(&buffer, ", %s", ends[chain->end]);
	return text_buffer_take(&buffer);
}

unsigned int tos_of_dscp(unsigned int dscp)
{
	return dscp << ECN_BITS | ECN_CAPABLE;
}

unsigned int tos_find_lossless(const struct dcb *dcb)
{
	const unsigned int lossless = dcb->pfc_known ? dcb->pfc.pfc_en : 0;

	for (unsigned int dscp = 0; lossless && dscp < DCB_DSCPS; dscp++)
		if (end_of(dcb->dscp_priorities[dscp], lossless) == TOS_LOSSLESS)
			return tos_of_dscp(dscp);
	return 0;
}

int tos_parse(const char *text, unsigned int *ret_tos)
{
	uint64_t value;

	if (text_parse_u64(text, 0, UINT8_MAX, &value))
		return -EINVAL;
	*ret_tos = (unsigned int)value;
	return 0;
}

int tos_parse_dscp(const char *text, unsigned int *ret_tos)
{
	unsigned int dscp;
	int rc = dscp_parse(text, &dscp);

	if (!rc)
		*ret_tos = tos_of_dscp(dscp);
	return rc;
}
