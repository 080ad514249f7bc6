/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From the loops that are possible to those that the SLs and VLs leave. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/credit/credit.h"

/* Finds the loops of cables that have only one data VL, which all packets share. */
static void find_sure(const struct fabric *fabric, const struct forwarding *forwarding,
		      struct credit_study *study)
{
	_cleanup_(freep) bool *single = mem_alloc_zero(fabric->port_count, sizeof(*single));
	const struct credit_traffic traffic = {.ports = single, .stop = study->stop};
	bool any = false;

	for (uint32_t i = 0; i < fabric->port_count; i++) {
		single[i] = study->any.ports[i] && fabric_vls(&fabric->ports[i]) == 1;
		any |= single[i];
	}
	if (any)
		credit_loops_find(fabric, forwarding, &traffic, &study->sure);
}

void credit_study_begin(const struct fabric *fabric, const struct forwarding *forwarding,
			struct credit_study *study)
{
	static const struct credit_loops none = {
		.unknown_node = FABRIC_NONE,
		.laneless_node = FABRIC_NONE,
		.missing_lane_node = FABRIC_NONE,
	};
	struct credit_traffic traffic = {.stop = study->stop};

	study->sure = study->loops = none;
	credit_loops_find(fabric, forwarding, &traffic, &study->any);
	if (study->any.count)
		find_sure(fabric, forwarding, study);
	if (!study->sure.count)
		return;
	/* A search tells one loop of those that are linked: not a sure one, if there are others. */
	traffic.known = study->sure.ports;
	credit_loops_clear(&study->any);
	credit_loops_find(fabric, forwarding, &traffic, &study->any);
}

void credit_study_end(const struct fabric *fabric, const struct forwarding *forwarding,
		      struct credit_study *study)
{
	struct credit_lanes lanes;
	const struct credit_traffic traffic = {
		.lanes = &lanes,
		.ports = study->any.ports,
		.known = study->sure.ports,
		.sls = study->sls,
		.pairs = study->question == CREDIT_OF_PATHS ? &study->pairs : NULL,
		.stop = study->stop,
	};

	credit_lanes_make(fabric, study->any.ports, study->lanes_read, &lanes);
	credit_loops_find(fabric, forwarding, &traffic, &study->loops);
	credit_lanes_clear(&lanes);
}
