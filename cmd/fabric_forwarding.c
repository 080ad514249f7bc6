/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fabric_forwarding.h"

#include <errno.h>
#include <string.h>

void fabric_forwarding_read(struct fabric_run *run, const uint32_t *nodes, size_t count,
			    unsigned int kinds, struct forwarding *forwarding)
{
	struct mad_session *session = &run->session;
	int rc = forwarding_read(session->engine, &run->scan, &run->fabric, nodes, count, kinds,
				 forwarding);

	fabric_run_note(run, forwarding->silences, forwarding->silence_count);
	/* A scan that was interrupted has been told of. */
	if (rc && !run->fabric.interrupted)
		problem_add_text(&session->listing.inventory.problems, NULL, NULL,
				 rc == -ECANCELED ? NULL : "umad",
				 rc == -ECANCELED ? "interrupted: what is shown is not all"
						  : strerror(-rc),
				 NULL);
}
