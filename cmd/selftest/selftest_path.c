/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the packets of a self-test carry: what the user chose, or the defaults of rdma_cm. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/selftest/selftest_run.h"
#include "host/device.h"
#include "mad/format/mad.h"
#include "roce/cma.h"
#include "roce/tos.h"

static char *parse_class(const struct selftest_args *args, struct number *traffic_class,
			 char **ret_hint)
{
	const char *word = args->tclass ? args->tclass : args->tos;
	unsigned int tos;

	if (word && tos_parse(word, &tos))
		return selftest_complain(args->tclass ? "tclass" : "tos", word,
					 "is not a traffic class, 0 to 255");
	if (args->dscp && tos_parse_dscp(args->dscp, &tos)) {
		*ret_hint = mem_string(TOS_DSCP_HINT);
		return selftest_complain("dscp", args->dscp, "is not a DSCP");
	}
	if (word || args->dscp)
		number_set(traffic_class, tos);
	return NULL;
}

/*
 * Returns a flow label that yields this port. rdma_flow_label_to_udp_sport() in
 * include/rdma/ib_verbs.h of Linux: the lower 14 bits of the label, XORed with its upper 6 bits.
 * With the label 0 the driver chooses the port, so the first port needs a label with bits in both
 * parts.
 */
static uint32_t flow_label_of(uint64_t source_port)
{
	const uint32_t low = (uint32_t)source_port - FIRST_SOURCE_PORT;

	return low ? low : 1u << 14 | 1;
}

char *selftest_parse_path(struct selftest_plan *plan, char **ret_hint)
{
	const struct selftest_args *args = plan->args;
	struct selftest_path *path = &plan->request.path;
	uint64_t number;

	if (args->flow_label) {
		if (text_parse_u64(args->flow_label, 0, LIMIT_FLOW_LABEL, &number))
			return selftest_complain("flow-label", args->flow_label,
						 "is not a flow label, 0 to 0xfffff");
		number_set(&path->flow_label, number);
	}
	if (args->source_port.known) {
		number_set(&path->flow_label, flow_label_of(args->source_port.value));
		path->by_port = true;
	}
	if (args->pkey) {
		/*
		 * A key with nothing but the membership bit is not a partition: IBTA 1, 10.9.1.2.
		 */
		if (text_parse_u64(args->pkey, 0, UINT16_MAX, &number) ||
		    !(number & ~(uint64_t)PKEY_FULL_MEMBER)) {
			*ret_hint = mem_string("rdmactl pkeys lists them: 0xffff, 0x8001");
			return selftest_complain("pkey", args->pkey, "is not a P_Key");
		}
		number_set(&path->pkey, number);
	}
	return parse_class(args, &path->traffic_class, ret_hint);
}

void selftest_default_path(const struct endpoint *endpoint, struct selftest_path *path)
{
	if (path->is_default)
		path->traffic_class = (struct number){.known = false};
	path->is_default = false;
	if (path->traffic_class.known || endpoint->transport != TRANSPORT_ROCE)
		return;
	path->traffic_class = cma_default_tos(endpoint->device, endpoint->port);
	path->is_default = path->traffic_class.known;
}
