/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/fabric/fabric_forwarding.h"

#include <errno.h>
#include <string.h>

void fabric_forwarding_read(struct fabric_run *run, const uint32_t *nodes, size_t count,
			    unsigned int kinds, struct forwarding *forwarding)
{
	struct mad_session *session = &run->session;
	int rc = forwarding_read(session->engine, &run->scan, &run->fabric, nodes, count, kinds,
				 forwarding);

	fabric_run_note(run, forwarding->failures, forwarding->failure_count);
	/* A scan that was interrupted has been told of. */
	if (rc && !run->fabric.interrupted)
		problem_add_text(
			&session->listing.problems, NULL, NULL, rc == -ECANCELED ? NULL : "umad",
			rc == -ECANCELED ? "interrupted: what is shown is not all" : strerror(-rc),
			NULL);
}

static bool is_empty(const struct forwarding *forwarding, const struct forwarding_table *table)
{
	for (uint32_t lid = 1; lid < table->lids; lid++)
		if (forwarding_port(forwarding, table, lid) != FORWARDING_NOWHERE)
			return false;
	return table->known;
}

void fabric_forwarding_note_empty(struct fabric_run *run, const struct forwarding *forwarding)
{
	for (size_t i = 0; i < forwarding->count; i++)
		if (!is_empty(forwarding, &forwarding->tables[i]))
			return;
	if (forwarding->count)
		problem_add_text(&run->session.listing.problems, NULL, NULL, NULL,
				 "the forwarding tables are empty: no subnet manager has filled "
				 "them",
				 "start a subnet manager; rdmactl fabric check tells what else "
				 "is missing");
}
