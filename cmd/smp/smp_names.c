/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names the nodes that the LIDs of a forwarding table belong to. */
#include <errno.h>
#include <string.h>

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
				 "rdmactl sa nodes shows the status");
	else if (error && error != -ECANCELED)
		problem_add_text(&mad->listing.problems, NULL, "destination", "sa",
				 mad_sa_error(error), MAD_SA_HINT);
}

void smp_name_destinations(struct mad_listing *mad, struct mad_record *records, size_t count)
{
	struct lid_owners *owners;

	if (!(columns_needs(&mad->listing.columns) & MAD_NEED_DESTINATION) || !count)
		return;
	owners = mem_alloc_zero(1, sizeof(*owners));
	for (size_t i = 0; i < count; i++)
		owners->wanted[(uint16_t)records[i].index.value] = records[i].index.value;
	report(mad, lid_owners_name(mad->session.engine, &mad->session.port.route,
				    &mad->session.names, owners));
	for (size_t i = 0; i < count; i++)
		records[i].destination = mem_string_or_null(
			owners->names[(uint16_t)records[i].index.value]);
	lid_owners_free(owners);
}
