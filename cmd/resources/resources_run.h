/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of rdmactl resources. */
#pragma once

#include "cmd/listing.h"
#include "resource/qp_context.h"
#include "resource/resources.h"
#include "schema/where.h"

struct resources_args {
	struct number by; /* enum resources_by */
	struct number pid;
	const char *comm, *state, *type, *where;
	struct number limit;
	bool raw; /* of queue pairs */
};

enum resources_by { BY_PROCESS };

/* The codes of --state or --type; without any, all objects pass. */
struct resource_codes {
	uint64_t *items;
	size_t count;
};

/* Selects the objects to list. */
struct resources_filter {
	const struct resources_args *args;
	struct resource_codes states, types;
	struct where where; /* --where */
	uint64_t left;	    /* how many more may be listed: --limit */
};

/*
 * Parses --state, --type and --where for that kind. Returns false if they are invalid, after
 * calling listing_fail(). The caller calls resources_filter_clear() in any case.
 */
bool resources_filter_init(struct resources_filter *filter, const struct resources_args *args,
			   enum resource_kind kind, struct listing *listing);
void resources_filter_clear(struct resources_filter *filter);
bool resources_filter_passes(const struct resources_filter *filter,
			     const struct resource *resource);
/* Removes the objects from `first` on that do not pass, or come after the limit. */
void resources_filter_list(struct resources_filter *filter, size_t first,
			   struct resource_list *list);

/* Parses columns and objects. Returns false if they are wrong, which listing_end() reports. */
bool resources_begin(struct listing *listing, const struct ctx *ctx, const struct schema *schema,
		     char **words, bool ports);
/* Reports that RDMA netlink cannot be used: there is no other source. */
void resources_fail(struct listing *listing, int rc);
/*
 * Opens the sources of a list of objects. Both pointers are NULL before, and the caller frees what
 * they point to in any case. Returns false if the sources cannot be used; the listing says why.
 */
bool resources_open(struct listing *listing, bool with_processes, struct processes **ret_processes,
		    struct resource_loader **ret_loader);

int resources_list(const struct ctx *ctx, const struct resources_args *args,
		   enum resource_kind kind, char **words);
/*
 * For --raw: reads the queue pairs into the list, and adds the adapter's records of them to the
 * listing. Returns one for each, for the caller to free after clearing each.
 */
struct qp_context *resources_read_raw(struct listing *listing, struct resource_loader *loader,
				      struct resources_filter *filter, struct resource_list *list);
