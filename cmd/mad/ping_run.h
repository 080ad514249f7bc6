/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A run of ping: whom it asks, and what comes of it. ping.c has the command line, ping_roce.c finds
 * the way over Ethernet, ping_client.c asks, mad_serve.c answers.
 */
#pragma once

#include "mad/ping.h"
#include "cmd/mad/mad_session.h"

struct ping_args {
	struct mad_args mad;
	struct number count, interval;
	bool flood, each;
	bool smp, openib, serve;
	struct number gid_index;
};

/* A row: of a destination, of a request (--each) or of a client (--serve). Strings are owned. */
struct ping_record {
	char *object;
	char *host;
	struct number lid;
	struct known_gid gid;
	char *device; /* the local port */
	struct number port;
	struct number kind; /* enum ping_kind */
	struct number sequence;
	struct number sent, received;
	struct real loss_percent;
	struct real min, p50, p90, p99, max, mean; /* microseconds */
};

extern const struct schema ping_schema;
void ping_record_clear(struct ping_record *record);

/* A destination over Ethernet. */
struct ping_way {
	char *name;
	struct gid gid;
	uint8_t gid_index; /* the local one */
};

struct ping_ways {
	struct ping_way *items;
	size_t count;
	char *via;		  /* the port that all of them leave by: DEV/PORT */
	struct problems problems; /* with those that cannot be reached */
};

/*
 * Whether the words are destinations over Ethernet; then, in *ret, the ways to those that have one.
 * Without any *ret is to be told of all the same.
 */
bool ping_find_ways(const struct ping_args *args, char *const *words, struct ping_ways *ret);
void ping_ways_free(struct ping_ways *ways);

/* Returns the exit status. */
int ping_client(const struct ctx *ctx, const struct ping_args *args, char **words);
