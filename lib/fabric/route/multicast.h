/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The way of a multicast group's packets through a subnet, by the multicast forwarding tables: a
 * switch sends a packet to all ports of the group's entry except the one at which it arrived
 * (18.2.4). The result should be a tree that reaches each member. An unknown part of a table is
 * never a fault.
 */
#pragma once

#include "base/cleanup.h"
#include "fabric/graph/view.h"
#include "fabric/route/forwarding.h"
#include "mad/engine/gather.h"

/* Bits, for a list of words. */
enum multicast_fault {
	MULTICAST_LOOP = 1 << 0,	 /* packets come back to a switch */
	MULTICAST_CUT_OFF = 1 << 1,	 /* no path to, or none from, most other members */
	MULTICAST_NOT_SENT = 1 << 2,	 /* a member whose switch does not send to it */
	MULTICAST_ONE_WAY = 1 << 3,	 /* to a switch that does not send back */
	MULTICAST_NO_LINK = 1 << 4,	 /* a port that is down, or that the switch lacks */
	MULTICAST_NO_MEMBER = 1 << 5,	 /* to a switch from which no member is reached */
	MULTICAST_NOT_A_MEMBER = 1 << 6, /* to a port that the subnet administrator does not list */
};
#define MULTICAST_FAULTS 7u

/* JoinState (15.2.5.17): a port with one of these bits receives the group's packets. */
#define MULTICAST_GETS 0x3u

/* A member according to the subnet administrator. */
struct multicast_member {
	uint32_t port; /* index in the graph, or FABRIC_NONE: see multicast_find_members() */
	uint8_t join_state;
	uint64_t guid; /* of its port */
};

struct multicast_members {
	struct multicast_member *items;
	size_t count;
	bool known;
};

/* A port of a switch by which the group's packets leave, or should. */
struct multicast_hop {
	uint32_t port;	    /* in the graph; port 0 if the switch has no such port */
	uint8_t out_port;   /* 0: the switch itself is a member */
	bool in_table;	    /* false: a member that the switch does not send to */
	uint8_t join_state; /* of the member there; 0 if unknown */
	uint8_t faults;
};

struct multicast_tree {
	uint16_t mlid;
	struct multicast_hop *hops; /* by switch, then by port */
	size_t count;
	bool unknown;	    /* parts of the tables are unknown: some faults are not looked for */
	bool members_known; /* all members and their ports are known */
	bool one_member;    /* members at one port only: nothing needs to be sent */
	bool lost_member;   /* a member is at no port of the scan */
};

/* Finds the ports of the members in the graph. */
void multicast_find_members(const struct fabric *fabric, struct multicast_members *members);
/* Fills an empty tree from the tables of all switches. If the scan is incomplete, it is unknown. */
void multicast_tree_fill(const struct fabric *fabric, const struct forwarding *forwarding,
			 uint16_t mlid, const struct multicast_members *members,
			 struct multicast_tree *tree);
DEFINE_CLEAR(struct multicast_tree, multicast_tree_clear, free(object->hops))
/*
 * Returns the number of hops with the fault, and the first of them. A switch that seems to lead
 * nowhere may lead to a member that only sends, so that is a fault only if the members are known.
 */
size_t multicast_count_faults(const struct multicast_tree *tree, enum multicast_fault fault,
			      const struct multicast_hop **ret_first);
/* Describes a fault found at that many hops, as a sentence; to be freed. */
char *multicast_fault_text(const struct fabric_view *view, const struct multicast_tree *tree,
			   enum multicast_fault fault, size_t count,
			   const struct multicast_hop *first);

/* A hop as a record. */
struct multicast_hop_row {
	struct fabric_row at;
	struct number mlid, out_port;
	struct number join_state, faults; /* bits */
	enum tristate in_table;
};

extern const struct schema fabric_tree_schema;
void multicast_hop_row_make(const struct fabric_view *view, const struct multicast_tree *tree,
			    size_t hop, struct multicast_hop_row *row);

/*
 * Asks the subnet administrator for the members of a group. It discloses them only to those who
 * know its SM_Key; others learn only that the group exists, and the members stay unknown.
 */
struct multicast_answer {
	int error;	 /* -ENODATA: the port knows no subnet manager; else the request's error */
	uint16_t status; /* of an answer with an error */
	bool is_group;	 /* the group exists */
	bool cut;	 /* the answer was truncated: some members are unknown */
};
void multicast_ask_members(struct mad_engine *engine, const struct mad_route *route, uint16_t mlid,
			   struct multicast_members *members, struct multicast_answer *answer);
