/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What all commands that send management datagrams do: their common options, the local port, the
 * engine, the destinations, the words for what went wrong.
 */
#pragma once

#include "base/signals.h"
#include "cmd/listing.h"
#include "mad/mad_port.h"
#include "mad/engine/engine_gather.h"

/* The common options; a command's args begin with it, as member `mad`. */
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

/* A destination as it was named, or read from standard input. */
struct mad_destination {
	char *name;
	char **words; /* those behind it; owned, ended by NULL */
	size_t word_count;
	struct mad_place place;
};

struct mad_session {
	struct listing listing;
	const struct mad_args *args;
	struct mad_port port;
	struct mad_route route;
	uint64_t key;
	uint32_t qkey;
	struct mad_engine *engine;
	struct mad_destination *destinations;
	size_t destination_count;
	struct signals signals; /* that end it */
	bool stopped;
};

/*
 * Begins the listing of `schema` and opens the local port; `ethernet` tells whether RoCE will do.
 * False: it cannot be, and the listing says why; mad_session_end() does the rest.
 */
bool mad_session_begin(struct mad_session *session, const struct ctx *ctx,
		       const struct mad_args *args, const struct schema *schema, bool all_columns,
		       bool ethernet);
/*
 * The destinations: the first of `words` (a LID, GUID, GID or directed route, several LIDs, GUIDs
 * or GIDs with commas between; `-` reads a destination and its words from each line of standard
 * input), the others go to each. None: this port itself. Their LIDs are looked up. Those that
 * cannot be reached are problems, and gone from the list. False: there is none.
 */
bool mad_session_find(struct mad_session *session, char *const *words);
/* The same for a command without other words: each word is a destination, or several. */
bool mad_session_find_all(struct mad_session *session, char *const *words);
/*
 * The same, but without a word this port by its own LID, since only subnet management goes by a
 * directed route.
 */
bool mad_session_find_by_lid(struct mad_session *session, char *const *words);
/* The same for a LID that the host knows itself: of its port, of its subnet manager. */
bool mad_session_find_lid(struct mad_session *session, uint16_t lid);
/* True: there are words behind a destination, and the listing says that none may be there. */
bool mad_session_refuses_words(struct mad_session *session);
/* What the options say that destinations are; TARGET_ANY: nothing. */
enum target_kind mad_forced_kind(const struct mad_args *args);
/* What to say where an option tells the kind of a destination and there is none; NULL: none does.
 * To be freed. */
char *mad_kind_complaint(const struct mad_args *args);
/* Whether a signal asks for the end. */
bool mad_session_stopped(struct mad_session *session);
/* Waits until then, of clock_msec(). False: a signal asks for the end. */
bool mad_session_wait(struct mad_session *session, uint64_t end_msec);
/* Notes what came of a request instead of data; returns whether there are data. */
bool mad_session_check(struct mad_session *session, const struct mad_destination *destination,
		       const char *what, const struct mad_item *item);
/* The same with a next step of the caller's own for what came; NULL: the usual one. */
bool mad_session_check_hint(struct mad_session *session, const struct mad_destination *destination,
			    const char *what, const struct mad_item *item, const char *hint);
/* Prints, frees, returns the exit status. */
int mad_session_end(struct mad_session *session);
/* The same for a command that has printed something else than its rows: `rc` of that. */
int mad_session_end_quietly(struct mad_session *session, int rc);
