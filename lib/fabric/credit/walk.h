/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by channels.c and pairs.c: where each switch sends the packets to a LID. */
#pragma once

#include "fabric/credit/credit.h"

#define CREDIT_OUT_UNKNOWN (FABRIC_NONE - 1)

enum credit_way { CREDIT_WAY_UNKNOWN, CREDIT_WAY_OPEN, CREDIT_WAY_ENDS, CREDIT_WAY_CIRCLE };

/* A port that sends, and the switch at its cable. */
struct credit_source {
	uint32_t port, table;
	uint8_t in; /* the port of the switch */
};

struct credit_walker {
	const struct fabric *fabric;
	const struct forwarding *forwarding;
	uint32_t *owners;
	struct credit_source *sources; /* by table */
	size_t source_count;
	uint32_t *first_source; /* by table, and the end */
	/* For one LID: */
	uint32_t lid, owner;
	/* By table: */
	uint32_t *out;	/* output port, or FABRIC_NONE, or CREDIT_OUT_UNKNOWN */
	uint32_t *next; /* table of the switch there, or FABRIC_NONE */
	uint8_t *ways;	/* enum credit_way */
	uint32_t *stack;
};

void credit_walker_make(const struct fabric *fabric, const struct forwarding *forwarding,
			struct credit_walker *walker);
void credit_walker_clear(struct credit_walker *walker);
/* Goes on to the next LID of an adapter or a router; false after the last one. */
bool credit_walker_next(struct credit_walker *walker);
