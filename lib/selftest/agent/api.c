/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/agent/api.h"

#include "base/mem.h"
#include "kernel/verbs_library.h"

#define LIBRDMACM "librdmacm.so.1"
LIBRARY_NOTE(LIBRDMACM, "rdma_cm", "connections and multicast of selftest");

#define LIBRARY_RECORD struct api

static const struct library_symbol verbs_symbols[] = {API_VERBS(LIBRARY_MUST)};
static const struct library_symbol cm_symbols[] = {API_CM(LIBRARY_MUST)};

int api_open_verbs(struct api *api)
{
	return library_open(LIBIBVERBS, verbs_symbols, ARRAY_SIZE(verbs_symbols), api);
}

int api_open_cm(struct api *api)
{
	if (api->rdma_create_event_channel)
		return 0;
	return library_open(LIBRDMACM, cm_symbols, ARRAY_SIZE(cm_symbols), api);
}
