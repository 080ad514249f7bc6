/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An agent's libraries, its device and the device's protection domains. */
#include <errno.h>

#include "base/library.h"
#include "base/mem.h"
#include "kernel/verbs/verbs.h"
#include "kernel/verbs/verbs_library.h"
#include "selftest/agent/agent.h"

LIBRARY_NOTE(LIBRDMACM, "rdma_cm", "connections and multicast of selftest");

#define LIBRARY_RECORD struct api

static const struct library_symbol verbs_symbols[] = {API_VERBS(LIBRARY_MUST, LIBRARY_MAY)};
static const struct library_symbol cm_symbols[] = {API_CM(LIBRARY_MUST)};

int api_open_cm(struct api *api)
{
	if (api->rdma_create_event_channel)
		return 0;
	return library_open(LIBRDMACM, cm_symbols, ARRAY_SIZE(cm_symbols), api);
}

void agent_close_device(struct agent *agent)
{
	for (size_t i = 0; i < ARRAY_SIZE(agent->domains); i++) {
		if (agent->domains[i])
			agent->api.ibv_dealloc_pd(agent->domains[i]);
		agent->domains[i] = NULL;
	}
	watch_device(&agent->watch, NULL, 0);
	agent->context = NULL;
	verbs_close_device(agent->device);
	agent->device = NULL;
	verbs_free(agent->verbs);
	agent->verbs = NULL;
}

static int open_device(struct agent *agent)
{
	const char *name = agent->endpoint.device;
	/* First verbs_open(), which says if the library cannot be loaded for want of files. */
	int rc = verbs_open(NULL, &agent->verbs)
			 ?: library_open(LIBIBVERBS, verbs_symbols, ARRAY_SIZE(verbs_symbols),
					 &agent->api);

	if (rc == -ELIBACC || rc == -ELIBBAD)
		return agent_fail(agent, STAGE_LIBRARY, -rc, "libibverbs");
	if (rc)
		return agent_fail(agent, STAGE_OPEN, -rc, "the list of devices");
	rc = verbs_open_device(agent->verbs, name, &agent->device);
	if (rc)
		return agent_fail(agent, STAGE_OPEN, -rc, "the device");
	agent->context = verbs_device_context(agent->device);
	rc = agent->api.ibv_query_device(agent->context, &agent->limits);
	if (rc)
		return agent_fail(agent, STAGE_OPEN, rc, "ibv_query_device");
	agent->needs_header = agent_find_header_need(agent);
	return 0;
}

/*
 * Virtual ports of InfiniBand may share a LID, and then only the GID tells them apart. For such a
 * port the kernel takes no address without a global header: IBV_QPF_GRH_REQUIRED in
 * ibv_query_port(3) and ibv_modify_qp(3); rdma_check_ah_attr(), drivers/infiniband/core/verbs.c.
 * Only the extended call has the flag.
 */
bool agent_find_header_need(const struct agent *agent)
{
	const struct verbs_context *extended = verbs_get_ctx_op(agent->context, query_port);
	struct ibv_port_attr port = {.flags = 0};

	return extended &&
	       !extended->query_port(agent->context, (uint8_t)agent->endpoint.port, &port,
				     sizeof(port)) &&
	       port.flags & IBV_QPF_GRH_REQUIRED;
}

static int make_domains(struct agent *agent)
{
	for (size_t i = 0; i < ARRAY_SIZE(agent->domains); i++) {
		agent->domains[i] = agent->api.ibv_alloc_pd(agent->context);
		if (!agent->domains[i])
			return agent_fail(agent, STAGE_OPEN, errno, "ibv_alloc_pd");
	}
	return 0;
}

int agent_open_device(struct agent *agent, const struct endpoint *endpoint)
{
	int rc;

	if (agent->context)
		return agent_refuse(agent, REFUSAL_ORDER, "a device is open already");
	if (endpoint->gid_index > LIMIT_GID_INDEX)
		return agent_refuse(agent, REFUSAL_ORDER,
				    "GID index %u: queue pairs can use only indexes up to 255",
				    endpoint->gid_index);
	agent->endpoint = *endpoint;
	rc = open_device(agent) ?: make_domains(agent);
	/* All or nothing: another attempt starts from the beginning. */
	if (rc)
		agent_close_device(agent);
	else
		watch_device(&agent->watch, agent->context, endpoint->port);
	return rc;
}
