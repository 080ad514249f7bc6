/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A session of management datagrams: the local port, the engine, the destinations and their LIDs,
 * the signals that end the session, and an explanation of whatever goes wrong.
 *
 * Functions that return int return 0 or -errno, and add the reason for a failure to the problems of
 * the session. -EINVAL always means that the user has to change the command line.
 */
#pragma once

#include <stdio.h>

#include "base/signals.h"
#include "host/inventory/inventory.h"
#include "host/need.h"
#include "kernel/root.h"
#include "mad/engine/gather.h"
#include "mad/names/node_names.h"
#include "schema/problem.h"

#define MAD_PORT_NEEDS                                                                    \
	(NEED_NODE_TYPE | NEED_LINK_LAYER | NEED_STATE | NEED_PHYSICAL_STATE | NEED_LID | \
	 NEED_SM_SL | NEED_CAP_MASK | NEED_PORT_GUID)

/* Strings are owned. */
struct mad_port {
	char *device;
	unsigned int port;
	char *smi_device; /* device for subnet management; NULL on Ethernet, which has none */
	unsigned int smi_port;
	struct number state;	/* as in struct port, when the port was chosen */
	struct number lid;	/* the same; route.lid is 0 if it is no unicast LID */
	struct mad_route route; /* without a P_Key index and an SM_Key unless a session is on it */
};

/*
 * Chooses a port of the inventory, which is loaded with MAD_PORT_NEEDS and has only the ports that
 * the user named: the first ACTIVE InfiniBand port, else the first whose link is up, else any. With
 * `ethernet` a RoCE port is acceptable, for commands that need no subnet management. -EOPNOTSUPP:
 * there is no such port; *ret_reason and *ret_hint are set, and the caller frees them.
 */
int mad_port_choose(const struct inventory *inventory, bool ethernet, struct mad_port *ret_port,
		    char **ret_reason, char **ret_hint);
void mad_port_clear(struct mad_port *port);

/*
 * Explains why the umad node of the port did not open, from -errno in `error`: which node, its
 * mode, the next step (NULL if none is known). The caller frees both strings.
 */
void mad_port_explain(const struct mad_port *port, int error, char **ret_reason, char **ret_hint);

struct mad_session_options {
	const char *mkey;	   /* M_Key or SM_Key in words; NULL: `default_mkey` */
	const char *qkey;	   /* Q_Key in words; NULL: UMAD_QKEY */
	uint64_t default_mkey;	   /* M_Key if `mkey` is NULL */
	uint64_t sm_key;	   /* SM_Key of queries to the SA that the session makes itself */
	enum target_kind kind;	   /* kind of all destinations */
	unsigned int timeout_msec; /* 0: from the round trips */
	unsigned int window;	   /* 0: ENGINE_WINDOW */
	struct number retries;	   /* unknown: ENGINE_RETRIES */
	struct number sl;	   /* unknown: from the path record, else 0 */
	uint16_t pkey_index;
	bool ethernet; /* a RoCE port will do */
	FILE *input;   /* has the destinations if the first word is `-` */
};

/* A destination from the command line or from the input. */
struct mad_destination {
	char *name;
	char **words; /* the words after it; owned */
	size_t word_count;
	struct mad_place place;
	char *wanted;	 /* the name of a node that `place` was looked up by, as given; or NULL */
	bool named_port; /* the first word is the PORT of NAME/PORT */
};

struct mad_session {
	struct mad_session_options options;
	struct problems *problems; /* the caller's */
	struct mad_port port;
	struct node_names names; /* the node name map; owned */
	uint64_t key;
	uint32_t qkey;
	struct mad_engine *engine;
	struct mad_destination *destinations;
	size_t destination_count;
	struct signals signals; /* the signals that end the session */
	bool by_lid;		/* see mad_session_find_by_lid() */
	bool stopped;
};

/* Catches the signals that end a session; the caller still prints what has been gathered. */
void mad_session_catch(struct signals *signals);
/*
 * Parses the keys and catches the signals that end the session. The strings of the options and
 * `problems` must outlive the session, which must not move. -EINVAL: a key is wrong. Whatever the
 * result, mad_session_end() releases the session.
 */
int mad_session_begin(struct mad_session *session, const struct mad_session_options *options,
		      struct problems *problems);
/*
 * Enclose a read that may wait for the user's input: meanwhile the signals end the program, because
 * it has nothing to print yet.
 */
void mad_session_begin_read(struct mad_session *session);
void mad_session_end_read(struct mad_session *session);
/* Chooses the local port as mad_port_choose() does, and derives the route from it. */
int mad_session_choose_port(struct mad_session *session, const struct inventory *inventory);
/* Opens the engine on that port. */
int mad_session_open(struct mad_session *session);
void mad_session_end(struct mad_session *session);

/*
 * Sets the destinations. The first word is a LID, GUID, GID, directed route or name, or several
 * separated by commas; all other words belong to each of them. A word that is nothing else is a
 * name; with TARGET_NAME every word is, including its commas. With `-`, each line of the input has
 * a destination, in double quotes if it has blanks, and its words. No word at all means the local
 * port, by the directed route 0.
 *
 * Then looks up the names and the LIDs. The port of NAME/PORT is reached by its own LID if it has
 * one; otherwise, as for a port of a switch, it becomes the first of the words. A destination that
 * cannot be reached becomes a problem and leaves the list. -EINVAL: a word is wrong, or several
 * nodes have the name; -EHOSTUNREACH: no destination is left.
 */
int mad_session_find(struct mad_session *session, char *const *words);
/* The same, but every word is one destination or several. */
int mad_session_find_all(struct mad_session *session, char *const *words);
/*
 * The same as mad_session_find(), but no word, or 0 as a destination of its own, means the local
 * port by its LID, because only subnet management can use a directed route. -EADDRNOTAVAIL: the
 * port has no LID.
 */
int mad_session_find_by_lid(struct mad_session *session, char *const *words);
/* The same for the LID of the subnet manager. */
int mad_session_find_lid(struct mad_session *session, uint16_t lid);
/*
 * Parses one destination without making it one of the session, and looks up the port GUID of a
 * name. The same results as mad_session_find().
 */
int mad_session_resolve(struct mad_session *session, const char *word,
			struct mad_target *ret_target);
/* -EINVAL: there are words after a destination, and the command takes none. */
int mad_session_refuse_words(struct mad_session *session);
/*
 * The message for an option that gives the kind of a destination when the destination is missing;
 * the caller frees it. NULL with TARGET_ANY, because there is no such option.
 */
char *mad_kind_complaint(enum target_kind kind);

/*
 * Whether the user gave a LID, which no port may have; all other kinds were looked up, or are
 * paths.
 */
bool mad_destination_is_named_lid(const struct mad_destination *destination);
/* The next step if subnet management does not answer. */
const char *mad_smp_silence_hint(bool named_lid);

/* Whether a signal has asked the session to end. */
bool mad_session_stopped(struct mad_session *session);
/* Whether the user ended the wait for an answer, which is not a failure of the node. */
bool mad_session_interrupted(const struct mad_session *session, const struct mad_item *item);
/* Waits until that time of clock_msec(). Returns false if a signal asks for the end. */
bool mad_session_wait(struct mad_session *session, uint64_t end_msec);

/*
 * Returns whether the item has data; if not, adds a problem. `what` names the attribute, or is
 * NULL; `hint` is NULL where the usual hint will do.
 */
bool mad_session_check(struct mad_session *session, const struct mad_destination *destination,
		       const char *what, const struct mad_item *item, const char *hint);
/* The same for a Set: the problem says that nothing was changed, or that the outcome is unknown. */
bool mad_session_check_set(struct mad_session *session, const struct mad_destination *destination,
			   const struct mad_item *item, const char *hint);
/* Makes the query of subnet management for an attribute, with the M_Key of the session. */
void mad_session_ask(const struct mad_session *session, const struct mad_destination *destination,
		     uint16_t attribute, uint32_t modifier, struct mad_item *item);
/* Queries subnet management for an attribute. Returns false, and adds a problem, on failure. */
bool mad_session_get(struct mad_session *session, const struct mad_destination *destination,
		     uint16_t attribute, uint32_t modifier, uint64_t key,
		     unsigned char ret_data[static MAD_DATA_MOST]);
/* The description of the node, cleaned; the caller frees it. NULL, with a problem, on failure. */
char *mad_session_describe(struct mad_session *session, const struct mad_destination *destination,
			   uint64_t key);

/* ---- For the files of a session ---- */

/* Adds a problem; the message may quote words from outside. Always returns -EINVAL. */
int session_report(struct mad_session *session, const char *hint, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void session_free_destination(struct mad_destination *destination);
void session_drop_destinations(struct mad_session *session);
/* Parses a word. TARGET_NAME: it is a name. -EINVAL: it is not a destination, which is reported. */
int session_parse_target(struct mad_session *session, const char *name,
			 struct mad_target *ret_target);
/*
 * Looks up the names. A destination that is not found leaves the list; -EINVAL: several nodes have
 * the same name.
 */
int session_look_up_names(struct mad_session *session);
/* Reports that NAME/PORT names a port where only a node will do. -EINVAL. */
int session_refuse_port(struct mad_session *session, const char *name);
/* The path of the port's umad device file, or NULL. */
char *mad_port_find_node(const struct mad_port *port, const struct root *root);
/* Explains why the file `node` cannot be opened, in the words of mad_port_explain(). */
void mad_port_explain_node(const struct mad_port *port, const char *node, int error,
			   char **ret_reason, char **ret_hint);
