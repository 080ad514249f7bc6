/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names of a counter_loader, each stored once for all ports; readings borrow them. */
#pragma once

#include "counter/counter.h"
#include "counter/counters.h"

/* A counter identified by its name in one source, stored once for all the ports that have it. */
struct counter_entry {
	enum counter_source source;
	char *file;			 /* the name as the kernel has it, for paths */
	char *kernel_name;		 /* clean */
	char *counter;			 /* canonical */
	const struct counter_name *name; /* NULL if not in the catalogue */
	unsigned int rank;		 /* position in the catalogue; UINT_MAX if not in it */
	bool wanted;
};

/* Names and causes that readings borrow, each stored once for the lifetime of the loader. */
struct counter_pool {
	const struct counters_request *request;
	void *entries; /* a tree of tsearch(3) */
	struct strings causes;
};

/* Returns the entry with that name, creating it if necessary; `file` is the kernel's spelling. */
const struct counter_entry *counter_pool_entry(struct counter_pool *pool,
					       enum counter_source source, const char *file);
/* Returns the pool's copy of the text; equal texts share one. */
const char *counter_pool_cause(struct counter_pool *pool, const char *cause);
/* Puts pointers to entries, or records that begin with one, into output order, by qsort(). */
int counter_entries_compare(const void *a, const void *b);

void counter_pool_free(struct counter_pool *pool);
