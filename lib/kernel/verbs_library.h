/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The functions of libibverbs and the open handles, for the files that call the library. */
#pragma once

#include <infiniband/verbs.h>

#include "schema/value.h"
#include "base/library.h"

#define VERBS_FUNCTIONS(MUST, MAY) \
	MUST(ibv_get_device_list)  \
	MUST(ibv_free_device_list) \
	MUST(ibv_get_device_guid)  \
	MUST(ibv_open_device)      \
	MUST(ibv_close_device)     \
	MUST(ibv_query_device)     \
	MUST(ibv_query_port)       \
	MAY(_ibv_query_gid_table)

struct verbs_functions {
	VERBS_FUNCTIONS(LIBRARY_MEMBER, LIBRARY_MEMBER)
};

struct verbs {
	struct verbs_functions call;
	struct ibv_device **list; /* ended by NULL */
	struct strings warnings;
};

struct verbs_device {
	const struct verbs_functions *call;
	struct ibv_context *context;
};
