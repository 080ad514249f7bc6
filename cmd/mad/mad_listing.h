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
	bool lid, guid, gid, direct;
};

#define MAD_OPTIONS(record)                                                                       \
	STRING_OPTION(record, mad.via, 0, "via", "DEV/PORT", COMPLETE_PORT,                       \
		      "send by this port (default: the first active InfiniBand port)"),           \
		FLAG_OPTION(record, mad.lid, 'L', "lid", "the destination is a LID"),             \
		FLAG_OPTION(record, mad.guid, 'G', "guid", "the destination is a port GUID"),     \
		FLAG_OPTION(record, mad.gid, 0, "gid", "the destination is a GID"),               \
		FLAG_OPTION(record, mad.direct, 'D', "direct",                                    \
			    "the destination is a directed route: 0,1,3"),                        \
		NUMBER_OPTION(COUNT, record, mad.retries, 0, "retries", "N", 0,                   \
			      ENGINE_MOST_RETRIES, "ask so many times more if nothing answers"),  \
		NUMBER_OPTION(COUNT, record, mad.window, 0, "window", "N", 1, ENGINE_MOST_WINDOW, \
			      "have so many requests under way (default 32)"),                    \
		NUMBER_OPTION(COUNT, record, mad.service_level, 0, "sl", "N", 0, 15,              \
			      "service level of the requests"),                                   \
		NUMBER_OPTION(COUNT, record, mad.pkey_index, 0, "pkey-index", "N", 0, 65535,      \
			      "index of the P_Key of the requests"),                              \
		STRING_OPTION(record, mad.mkey, 0, "mkey", "KEY", COMPLETE_NOTHING,               \
			      "M_Key of the nodes, or SM_Key of the SA"),                         \
		STRING_OPTION(record, mad.qkey, 0, "qkey", "KEY", COMPLETE_NOTHING,               \
			      "Q_Key of the other side (default 0x80010000)")

/* For every command whose args begin with struct mad_args. */
extern const struct option_row mad_options[];
extern const struct option_rule mad_rules[];
#define MAD_RULES OPTIONS_ONE_OF("lid guid gid direct", NULL)

struct mad_listing {
	struct listing listing;
	struct mad_session session; /* its problems are those of the listing */
};

/*
 * Begins the listing of `schema`, and opens the local port; `ethernet` says whether a RoCE port
 * will do. False: the listing has the reason and the exit status. mad_listing_end() must be called
 * in either case.
 */
bool mad_listing_begin(struct mad_listing *mad, const struct ctx *ctx, const struct mad_args *args,
		       const struct schema *schema, bool all_columns, bool ethernet);
/* Sets the exit status of a failure that the session has explained. False if `rc` is one. */
bool mad_listing_take(struct mad_listing *mad, int rc);
/*
 * The destinations, by the functions of mad/session.h with these names. False: the listing has the
 * reason and the exit status.
 */
bool mad_listing_find(struct mad_listing *mad, char *const *words);
bool mad_listing_find_all(struct mad_listing *mad, char *const *words);
bool mad_listing_find_by_lid(struct mad_listing *mad, char *const *words);
bool mad_listing_find_lid(struct mad_listing *mad, uint16_t lid);
/* True: there are words after a destination, and the listing says that none may be there. */
bool mad_listing_refuses_words(struct mad_listing *mad);
/* The kind of destination that the options set, or TARGET_ANY. */
enum target_kind mad_forced_kind(const struct mad_args *args);
/* Prints, frees, returns the exit status. */
int mad_listing_end(struct mad_listing *mad);
/* The same for a command that has printed something other than its rows, with that result. */
int mad_listing_end_quietly(struct mad_listing *mad, int rc);
