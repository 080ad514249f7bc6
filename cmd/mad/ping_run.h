/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmactl ping: ping.c parses the command line, ping_roce.c finds paths over Ethernet,
 * ping_client.c sends the requests, mad_serve.c answers them.
 */
#pragma once

#include "mad/ping.h"
#include "cmd/mad/mad_listing.h"

struct ping_args {
	struct mad_args mad;
	struct number count, interval;
	bool flood, each;
	bool smp, openib, serve;
	struct number gid_index;
};

/* A row is about a destination, a request (--each) or a client (--serve). Strings are owned. */
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
struct ping_path {
	char *name;
	struct gid gid;
	uint8_t gid_index; /* the local one */
};

struct ping_paths {
	struct ping_path *items;
	size_t count;
	char *via;		  /* the port that all of them leave by: DEV/PORT */
	struct problems problems; /* of destinations that cannot be reached */
};

/*
 * Whether the words are destinations over Ethernet. If so, *ret gets the paths to those that can be
 * reached, and the problems of the others.
 */
bool ping_find_paths(const struct ping_args *args, char *const *words, struct ping_paths *ret);
void ping_paths_free(struct ping_paths *paths);

/* Returns the exit status. */
int ping_client(const struct ctx *ctx, const struct ping_args *args, char **words);
