/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl ping: ping_roce.c finds paths over Ethernet for ping.c. */
#pragma once

#include "mad/ping_client.h"
#include "cmd/mad/mad_listing.h"

struct ping_args {
	struct mad_args mad;
	struct number count, interval;
	bool flood, each;
	bool smp, openib, serve;
	struct number gid_index;
};

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
