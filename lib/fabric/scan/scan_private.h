/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Between scan.c, which asks, scan_twins.c, which takes what was met, and scan_claims.c, which
 * tells nodes of the same GUID apart.
 */
#pragma once

#include "fabric/scan/scan.h"

enum scan_question {
	ASK_ROOT,
	ASK_BEHIND, /* who is behind the port */
	ASK_DESCRIPTION,
	ASK_SWITCH,
	ASK_PORT,
	ASK_VENDOR_SPEED,
	/* Of a claim: see scan_take_description(). */
	ASK_DESCRIPTION_BEHIND,
	/* Of a look: the state of the port to look through, and then who is behind it. */
	ASK_STATE_BEHIND,
	ASK_THROUGH,
};

struct scan_errand {
	/* A port, or port 0 of the node that is asked; or a claim, or a look. */
	uint32_t subject;
	enum scan_question question;
};

/* Behind `port` is a node of this NodeInfo, and which of several it is, is not known. */
struct scan_claim {
	uint32_t port;
	uint32_t compared; /* it is neither this node nor one before; FABRIC_NONE: none yet */
	uint8_t info[NODE_INFO_BYTES];
};

/* What would be seen through the node of a claim, by a port that has a certain cable of `node`. */
struct scan_look {
	uint32_t claim;
	uint32_t node;
	uint32_t out; /* that port of the node */
	bool same;    /* the same was seen */
};

struct scanner {
	struct mad_engine *engine;
	const struct fabric_scan_options *options;
	struct fabric *fabric;
	struct scan_errand *errands;
	size_t head, errand_count; /* those before the head are done */
	struct scan_claim *claims;
	size_t claim_count;
	struct scan_look *looks;
	size_t look_count;
	bool unlinked; /* a doubted cable was taken away: ports may be bare */
	bool full;     /* there is no room for more nodes */
};

/*
 * The route to a port's node, to an adapter's port by the cable that is in that port; `behind`: to
 * the node at the other end. As fabric_path().
 */
int scan_route_to(const struct fabric *fabric, uint32_t port, bool behind,
		  uint8_t path[static MAD_HOPS_MOST + 1]);
void scan_ask(struct scanner *scanner, enum scan_question question, uint32_t subject);
/* Does all errands: see mad_engine_run(). */
int scan_run(struct scanner *scanner);
/*
 * Appends a node behind that port, cabled to it, and asks for all that is to be known of it.
 * FABRIC_NONE: the bytes describe no node.
 */
uint32_t scan_add_node(struct scanner *scanner, uint32_t parent, const uint8_t *info);
/* What is behind a port is not taken for that reason, a negative errno. */
void scan_refuse(struct scanner *scanner, uint32_t port, int error);
/* Whether it goes on behind the node: its hops allow it. */
bool scan_may_go_on(const struct scanner *scanner, const struct fabric_node *node);

/* All of a NodeInfo but the port that the request came in by, and the port's GUID of adapters. */
bool scan_is_same_node(const struct fabric_node *node, const uint8_t *info);
/* The first node that says this of itself, in the list of same_guid `from` on; or FABRIC_NONE. */
uint32_t scan_find_same(const struct fabric *fabric, uint32_t from, const uint8_t *info);
uint64_t scan_guid_of(const uint8_t *info);
/*
 * A new node behind the port, unless there are too many. False: the bytes describe no node.
 */
bool scan_add_behind(struct scanner *scanner, uint32_t port, const uint8_t *info);
/* A cable of an adapter: to one that is known, or to a new one. The description may be NULL. */
void scan_place_adapter(struct scanner *scanner, const struct scan_claim *claim,
			const uint8_t *description);
/* Takes a cable that is known from its other end only away: it may be in another node. */
void scan_doubt_cable(struct scanner *scanner, uint32_t port);
/* From now on only what a node's own ports were seen to lead to counts. */
void scan_doubt(struct scanner *scanner, uint32_t node);
/* What an adapter said of itself that was met again. */
void scan_take_description(struct scanner *scanner, uint32_t claim, const uint8_t *description);
/* What is behind a port has answered. False: its words make no sense. */
bool scan_meet(struct scanner *scanner, uint32_t port, const uint8_t *info);

/* The end of a question of a look; NULL: no answer. */
void scan_take_look(struct scanner *scanner, uint32_t look, enum scan_question question,
		    const uint8_t *data);
/* Settles the claims, when all else is done. */
int scan_tell_apart(struct scanner *scanner);
