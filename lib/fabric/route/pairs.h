/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Many routes at once: the pairs of a file, and records of their routes and of the cables that
 * these share.
 */
#pragma once

#include "fabric/route/route.h"

/* A line of the file; the words are owned. */
struct route_pair {
	char *from, *to;
	unsigned int line;
};

struct route_pairs {
	struct route_pair *items;
	size_t count;
};

/*
 * Each line has two destinations; one that contains blanks is in quotation marks. Empty lines and
 * comments (from a # between words to the end of the line) are ignored. Returns 0, or -EINVAL with
 * the number of the first malformed line; what was read before it must be freed, too.
 */
int route_pairs_parse(struct route_pairs *pairs, const char *text, unsigned int *ret_line);
void route_pairs_clear(struct route_pairs *pairs);

/* The route of a pair. */
struct pair_row {
	struct fabric_row at; /* the port of the source */
	uint32_t to;	      /* the port of the destination */
	struct number lid;    /* of the destination */
	struct number line;   /* in the file */
	struct number hops;
	struct number end;     /* enum route_end */
	struct strings cables; /* ports by which packets leave nodes */
	struct number most;    /* pairs that share the busiest cable of the route */
	uint32_t most_shared;  /* the port of that cable, or FABRIC_NONE */
};

extern const struct schema fabric_pairs_schema;

/* A cable, as the port by which packets of pairs leave a node. */
struct shared_row {
	struct fabric_row at;
	struct number pairs;
};

extern const struct schema fabric_shared_schema;
