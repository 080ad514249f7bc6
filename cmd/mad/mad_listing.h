/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The common part of all commands that send management datagrams: their options, and a listing
 * whose records come from a session.
 */
#pragma once

#include "cmd/listing.h"
#include "mad/session.h"

/* The common options. The args of such a command begin with them, as the member `mad`. */
struct mad_args {
	const char *via;
	struct number retries, window;
	struct number service_level;
	struct number pkey_index;
	const char *mkey;
	const char *qkey;
	const char *names; /* the node name map; NULL: the usual one, if there is one */
	bool lid, guid, gid, direct, node;
};

/* They fill struct mad_args, with which the args of every such command begin. */
extern const struct option_row mad_options[];
extern const struct option_rule mad_rules[];
#define MAD_RULES OPTIONS_ONE_OF("lid guid gid direct node", NULL)

struct mad_listing {
	struct listing listing;
	struct mad_session session; /* its problems are those of the listing */
	bool goes_beyond; /* what it shows is elsewhere, and cannot be seen without a link */
};

/*
 * Begins the listing of `schema`, and opens the local port; `ethernet` says whether a RoCE port
 * will do. False: the listing has the reason and the exit status. mad_listing_end() must be called
 * in either case.
 */
bool mad_listing_begin(struct mad_listing *mad, const struct ctx *ctx, const struct mad_args *args,
		       const struct schema *schema, bool all_columns, bool ethernet);
/*
 * The options of a session, by those of the command line and the defaults in the configuration file
 * of infiniband-diags, which is not read with --root. *ret_via is the port to send by, to be freed;
 * NULL: none is named.
 */
struct mad_session_options mad_listing_options(struct listing *listing, const struct mad_args *args,
					       char **ret_via);
/*
 * Reads the node name map: that of --names, which must be there and right, else the usual one, if
 * there is one. False: the listing has the reason and the exit status.
 */
bool mad_listing_read_names(struct listing *listing, const char *path, struct node_names *names);
/* Sets the exit status of a failure that the session has explained. False if `rc` is one. */
bool mad_listing_take(struct mad_listing *mad, int rc);
/*
 * The destinations, by the functions of mad/session.h with these names. False: the listing has the
 * reason and the exit status.
 */
bool mad_listing_find(struct mad_listing *mad, char *const *words);
bool mad_listing_find_by_lid(struct mad_listing *mad, char *const *words);
bool mad_listing_resolve(struct mad_listing *mad, const char *word, struct mad_target *ret_target);
bool mad_listing_find_lid(struct mad_listing *mad, uint16_t lid);
/* True: there are words after a destination, and the listing says that none may be there. */
bool mad_listing_refuses_words(struct mad_listing *mad);
/* False if a destination is a directed route: the listing fails with that message. */
bool mad_listing_has_lids(struct mad_listing *mad, const char *message, const char *hint);
/* The kind of destination that the options set, or TARGET_ANY. */
enum target_kind mad_forced_kind(const struct mad_args *args);
/* Prints, frees, returns the exit status. */
int mad_listing_end(struct mad_listing *mad);
/* The same for a command that has printed something other than its rows, with that result. */
int mad_listing_end_quietly(struct mad_listing *mad, int rc);
