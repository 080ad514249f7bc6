/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Many routes: the pairs of a file, and the records of their routes and of the cables that they
 * share.
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
 * Each line has two destinations; one with blanks is between quotation marks. Empty lines and what
 * follows a # between words are ignored. Returns 0, or -EINVAL with the number of the first line
 * that is wrong; what was read before it is to be freed, too.
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
	struct strings cables; /* the ports that packets leave nodes by */
	struct number most;    /* pairs over the cable that most pairs share */
	uint32_t most_shared;  /* the port of that cable, or FABRIC_NONE */
};

extern const struct schema fabric_pairs_schema;

/* A cable that packets of pairs leave a node by. */
struct shared_row {
	struct fabric_row at;
	struct number pairs;
};

extern const struct schema fabric_shared_schema;
