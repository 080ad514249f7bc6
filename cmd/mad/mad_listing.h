/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The common part of all commands that send management datagrams: their options, and a listing
 * whose records come from a session.
 */
#pragma once

#include "cmd/listing.h"
#include "mad/session.h"
#include "mad/smp_change.h"

/* The common options. The args of such a command begin with this struct, as the member `mad`. */
struct mad_args {
	const char *via;
	struct number retries, window;
	struct number service_level;
	struct number pkey_index;
	const char *mkey;
	const char *qkey;
	const char *names; /* the node name map; NULL: the default one, if it exists */
	bool lid, guid, gid, direct, node;
};

/* These fill struct mad_args, with which the args of every such command begin. */
extern const struct option_row mad_options[];
extern const struct option_rule mad_rules[];
#define MAD_RULES OPTIONS_ONE_OF("lid guid gid direct node", NULL)

struct mad_listing {
	struct listing listing;
	struct mad_session session; /* its problems are those of the listing */
	bool goes_beyond; /* its subject is elsewhere, and cannot be reached without a link */
};

/*
 * Begins the listing of `schema`, and opens the local port; `ethernet` says whether a RoCE port is
 * acceptable. Returns false with the reason and the exit status in the listing. mad_listing_end()
 * must be called in either case.
 */
bool mad_listing_begin(struct mad_listing *mad, const struct ctx *ctx, const struct mad_args *args,
		       const struct schema *schema, bool all_columns, bool ethernet);
/*
 * The options of a session, from the command line and from the defaults in the configuration file
 * of infiniband-diags, which is not read with --root. *ret_via is the port to send by, for the
 * caller to free; NULL if none is named.
 */
struct mad_session_options mad_listing_options(struct listing *listing, const struct mad_args *args,
					       char **ret_via);
/*
 * Reads the node name map: that of --names, which must exist and be valid, else the default one, if
 * it exists. Returns false with the reason and the exit status in the listing.
 */
bool mad_listing_read_names(struct listing *listing, const char *path, struct node_names *names);
/* Sets the exit status of a failure that the session has explained. Returns false on a failure. */
bool mad_listing_take(struct mad_listing *mad, int rc);
/*
 * Find the destinations by the functions of mad/session.h with these names. Return false with the
 * reason and the exit status in the listing.
 */
bool mad_listing_find(struct mad_listing *mad, char *const *words);
bool mad_listing_find_by_lid(struct mad_listing *mad, char *const *words);
bool mad_listing_resolve(struct mad_listing *mad, const char *word, struct mad_target *ret_target);
/* The same for the port of the subnet manager; the hint is for a port that knows none. */
bool mad_listing_find_sm(struct mad_listing *mad, const char *hint);
/* Returns true if there are words after a destination, which the listing reports as an error. */
bool mad_listing_refuses_words(struct mad_listing *mad);
/* Returns false if a destination is a directed route: the listing fails with that message. */
bool mad_listing_has_lids(struct mad_listing *mad, const char *message, const char *hint);
/* The kind of destination that the options set, or TARGET_ANY. */
enum target_kind mad_forced_kind(const struct mad_args *args);
/*
 * For use before a Set, which a signal that came earlier must prevent: whether one has asked for
 * the end. If so, the listing fails with that message.
 */
bool mad_listing_interrupted(struct mad_listing *mad, const char *message);
/* Prints, frees, and returns the exit status. */
int mad_listing_end(struct mad_listing *mad);
/*
 * Do the same in two steps, for a command that prints something else between them, with the result
 * `rc`. The first adds the problem that the local port is not active, if requests failed for that.
 */
void mad_listing_tell_port(struct mad_listing *mad);
int mad_listing_end_quietly(struct mad_listing *mad, int rc);

/*
 * For --set of subnet management and of other classes: find the fields that it names, and put its
 * values. Return false with the reason in the listing.
 */
bool mad_change_find(struct listing *listing, struct smp_change *change, const char *set);
bool mad_change_put(struct listing *listing, struct smp_change *change);
/* Shows what would change at the place, and asks for confirmation unless `yes`. */
bool mad_change_confirm(struct listing *listing, const struct smp_change *change, const char *place,
			bool yes);
