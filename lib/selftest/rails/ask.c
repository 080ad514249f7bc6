/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Asks a server for its ports. */
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "selftest/rails/rails.h"
#include "selftest/trial/trial.h"

/* A server that announces more ports but sends none has sent all. */
static int take_pages(struct trial *trial, struct listed_port **ports, size_t *count)
{
	struct message_listed listed;

	do {
		const struct message_list_ports order = {.first = (uint32_t)*count};
		int rc = trial_order(&trial->far, list_ports, &order, &listed);

		if (rc)
			return rc;
		for (uint32_t i = 0; i < listed.count && *count < MOST_RAILS; i++)
			MEM_ADD(*ports, *count) = listed.items[i];
	} while (listed.count && *count < listed.total && *count < MOST_RAILS);
	return 0;
}

int rails_ask(const struct selftest_request *request, struct selftest_results *results,
	      struct listed_port **ret_ports, size_t *ret_count)
{
	struct trial trial = {.near.trial = &trial, .request = request, .results = results};
	struct session session = {.channel = -1};
	struct listed_port *ports = NULL;
	size_t count = 0;
	int rc;

	trial_add_row(&trial, SELFTEST_SETUP, "connect", "the peer answers and lists its ports");
	trial.near.agent = agent_new(-1, request->signals);
	rc = session_open_peer(&session, &trial);
	rc = rc ?: take_pages(&trial, &ports, &count);
	if (!rc && !count) {
		trial_fail(&trial, "rdmactl ports shows their states there",
			   "%s has no active port", request->peer);
		rc = -ENODEV;
	}
	session_close(&session, &trial);
	agent_free(trial.near.agent);
	if (rc) {
		free(ports);
		return trial.stop == STOP_INTERRUPTED ? -EINTR : rc;
	}
	*ret_ports = ports;
	*ret_count = count;
	return 0;
}
