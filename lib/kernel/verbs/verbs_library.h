/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The functions of libibverbs and the open handles, for the files that call the library. */
#pragma once

#include <infiniband/verbs.h>

#include "schema/value.h"
#include "base/library.h"
#include "kernel/verbs/verbs_record.h"

#define VERBS_FUNCTIONS(MUST, MAY)                \
	MUST(ibv_get_device_list, "IBVERBS_1.1")  \
	MUST(ibv_free_device_list, "IBVERBS_1.1") \
	MUST(ibv_get_device_guid, "IBVERBS_1.1")  \
	MUST(ibv_open_device, "IBVERBS_1.1")      \
	MUST(ibv_close_device, "IBVERBS_1.1")     \
	MUST(ibv_query_device, "IBVERBS_1.1")     \
	MUST(ibv_query_port, "IBVERBS_1.1")       \
	MUST(ibv_alloc_pd, "IBVERBS_1.1")         \
	MUST(ibv_dealloc_pd, "IBVERBS_1.1")       \
	MAY(ibv_reg_dmabuf_mr, "IBVERBS_1.12")    \
	MAY(_ibv_query_gid_table, "IBVERBS_1.11")

struct verbs_functions {
	VERBS_FUNCTIONS(LIBRARY_MEMBER, LIBRARY_MEMBER)
};

struct verbs {
	struct verbs_functions call;
	struct ibv_device **list; /* NULL terminated; NULL if a recording answers */
	struct strings warnings;
	struct verbs_record record;
	/* For a recording: its list, which borrows the names, and why it is missing. */
	struct verbs_listed *items;
	size_t item_count;
	struct strings names;
	int list_error;
};

struct verbs_device {
	const struct verbs_functions *call;
	struct ibv_context *context;	   /* NULL if a recording answers */
	const struct verbs_record *record; /* of struct verbs, or NULL */
	const char *name;		   /* borrowed; NULL for asynchronous events */
	struct verbs_identity identity;
};

/* Records the list if a snapshot is being made. */
void verbs_list_note(const struct verbs *verbs);
/* Fills items, names and list_error. The names come from another host, so they are cleaned. */
void verbs_list_read(struct verbs *verbs);
