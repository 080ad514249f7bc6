/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names the nodes that the LIDs of a forwarding table belong to. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/smp/smp_run.h"
#include "mad/names/find_node.h"

static void report(struct mad_listing *mad, int error)
{
	static const char text[] = "the destinations have no names: no subnet administrator to ask";

	if (error == -ENODATA)
		problem_add_text(&mad->listing.notes, NULL, NULL, NULL, text, NULL);
	else if (error == -EPROTO)
		problem_add_text(&mad->listing.problems, NULL, "destination", "sa",
				 "the subnet administrator refused the query",
				 "rdmactl sa nodes shows with what status");
	else if (error && error != -ECANCELED)
		problem_add_text(&mad->listing.problems, NULL, "destination", "sa",
				 error == -ETIMEDOUT ? "the subnet administrator did not answer"
						     : strerror(-error),
				 "rdmactl smp sminfo shows whether the subnet manager is alive");
}

void smp_name_destinations(struct mad_listing *mad, struct mad_record *records, size_t count)
{
	_cleanup_(freep) size_t *places = NULL; /* by LID: the index of its owner, plus 1 */
	_cleanup_(freep) struct lid_owner *owners = NULL;
	size_t owner_count = 0;

	if (!(columns_needs(&mad->listing.columns) & MAD_NEED_DESTINATION) || !count)
		return;
	places = mem_alloc_zero((size_t)UINT16_MAX + 1, sizeof(*places));
	for (size_t i = 0; i < count; i++) {
		const uint16_t lid = (uint16_t)records[i].index.value;

		if (!records[i].index.known || !lid || places[lid])
			continue;
		*(struct lid_owner *)mem_append(&owners, &owner_count,
						sizeof(*owners)) = (struct lid_owner){.lid = lid};
		places[lid] = owner_count;
	}
	report(mad, lid_owners_name(mad->session.engine, &mad->session.port.route,
				    &mad->session.names, owners, owner_count));
	for (size_t i = 0; i < count; i++) {
		const size_t place = places[(uint16_t)records[i].index.value];

		if (place && owners[place - 1].name)
			records[i].destination = mem_string(owners[place - 1].name);
	}
	for (size_t i = 0; i < owner_count; i++)
		free(owners[i].name);
}
