/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Credit loops: packets that wait for one another in a circle, so that none of them can go on.
 * A packet keeps its place in the buffer behind a cable until the buffer behind the next cable on
 * its route has room; each virtual lane has buffers of its own. So the routes make channels (an
 * output port and a VL) depend on each other, and a deadlock needs a cycle of such dependencies:
 * the channel dependency graph that OpenSM's LASH and DFSSSP keep free of cycles (opensm(8)).
 *
 * A switch drops a packet that has waited for 4.096 us * 2^HOQLife at the head of a queue, and
 * counts it in PortXmitDiscards (14.2.5.6, 16.1.3.5); from 20 on, it waits without limit. That ends
 * the deadlock, if only for a while: OpenSM sets 18 between switches, about a second, unless
 * head_of_queue_lifetime says otherwise (opensm.conf).
 *
 * Only cables between switches can be part of a loop, because adapters and routers do not forward
 * within the subnet. Senders and receivers are the ports of adapters and routers, as in struct
 * balance; each may send to each other one. Subnet management packets wait for nobody: they use
 * VL 15, where a packet without a buffer is dropped (VL15Dropped of PortCounters, 16.1.3.5). The
 * few other datagrams to and from port 0 of switches are not counted.
 */
#pragma once

#include "base/cleanup.h"
#include "fabric/route/forwarding.h"
#include "mad/engine/gather.h"

#define CREDIT_SLS 16u

/* The SL to VL tables of switches: which VL a packet gets at an output port. */
struct credit_lanes {
	uint32_t *first;    /* by port: index of its table for input port 0 */
	uint64_t *mappings; /* VLs of SL 0, in the lowest four bits, to SL 15 */
	bool *known;	    /* of each mapping */
};

enum {
	CREDIT_LANE_DROPPED = 15, /* packets of the SL are discarded: 7.6.6, and opensm(8) */
	CREDIT_LANE_UNKNOWN = 16,
};

/*
 * Finds the tables of these output ports among the details of the graph: fabric_details_read().
 * `complete`: these were read; otherwise a graph without any details of ports lacks them.
 */
void credit_lanes_make(const struct fabric *fabric, const bool *ports, bool complete,
		       struct credit_lanes *lanes);
DEFINE_CLEAR(struct credit_lanes, credit_lanes_clear, free(object->first), free(object->mappings),
	     free(object->known))
/* Returns a VL, or one of the constants above. */
static inline unsigned int credit_lane(const struct credit_lanes *lanes, unsigned int in,
				       uint32_t out, unsigned int sl)
{
	const uint32_t at = lanes->first[out] + in;

	return lanes->known[at] ? lanes->mappings[at] >> sl * 4 & 0xf : CREDIT_LANE_UNKNOWN;
}
/* Whether packets that arrive at two ports get the same VLs. */
static inline bool credit_lanes_same(const struct credit_lanes *lanes, unsigned int in,
				     unsigned int other, uint32_t out)
{
	const uint32_t at = lanes->first[out] + in, there = lanes->first[out] + other;

	return lanes->known[at] == lanes->known[there] &&
	       lanes->mappings[at] == lanes->mappings[there];
}

/*
 * A port sends to a LID with the SL of its path record. The answering end of a connection takes the
 * SL of the asking one instead (CM_REQ_PRIMARY_SL in Linux' drivers/infiniband/core/cm.c), which
 * is not considered.
 */
struct credit_pair {
	uint32_t source; /* a port */
	uint16_t lid;	 /* of the destination */
	uint8_t sl;
};

struct credit_pairs {
	struct credit_pair *items; /* by LID, then by SL and source */
	size_t count;
	uint64_t wanted; /* pairs whose SL matters; more than `asked` if they are too many */
	size_t asked;
	size_t without; /* pairs without a path record: the SA says that there is none */
	size_t failed;	/* pairs whose request failed */
};

/* Which packets are sent. */
struct credit_traffic {
	const struct credit_lanes *lanes; /* NULL: a channel is a port, whatever the VL */
	const bool *ports;		  /* only loops of these ports; NULL: all */
	const bool *known;		  /* loops of only these ports are left out; NULL: none */
	uint16_t sls;			  /* with `lanes`: bit mask; all pairs send with all */
	const struct credit_pairs *pairs; /* with `lanes`: only these packets are sent */
	const struct credit_stop *stop;	  /* or NULL */
};

/* Whether a search is to end early, which is asked for each LID. */
struct credit_stop {
	bool (*is_wanted)(void *context);
	void *context;
};

/* A packet from a port to a LID is behind the channel `held`, and waits for `wanted`. */
struct credit_wait {
	uint32_t held, wanted; /* ports */
	uint8_t held_lane, wanted_lane;
	uint8_t sl;
	uint16_t lid;
	uint32_t source;
};

struct credit_loop {
	struct credit_wait *waits; /* each waits for what the next one holds */
	size_t count;
	uint32_t ports;	    /* in the circles that this one is linked with, itself included; of
			       several VLs, on the one with the most */
	unsigned int again; /* on how many other VLs the same cables are a loop, too */
};

/*
 * The loops: one for each set of channels that all depend on each other. It is one of the shortest,
 * except in a very large set, whose search ends early.
 */
struct credit_loops {
	struct credit_loop *items;
	size_t count;
	bool *ports;		/* by port: part of a loop */
	uint32_t unknown_node;	/* a switch whose forwarding table lacks an entry for packets that
				   come there, or sends them out of the scan; or FABRIC_NONE */
	uint32_t laneless_node; /* likewise, for an SL to VL table */
	uint32_t missing_lane_node; /* a switch whose SL to VL table gives packets that come there
				       a VL that the port does not have; or FABRIC_NONE */
	bool stopped;		    /* other loops may exist */
};

/*
 * Fills an empty list. The time is proportional to the number of LIDs times that of switches, and
 * with `lanes` also times that of SLs and of sources at a switch that get different VLs; with
 * `pairs`, the hops of each come on top. LIDs that go in a circle at a switch are left out: fabric
 * check reports them as lft-loop.
 */
void credit_loops_find(const struct fabric *fabric, const struct forwarding *forwarding,
		       const struct credit_traffic *traffic, struct credit_loops *loops);
void credit_loops_clear(struct credit_loops *loops);

/*
 * Lists the pairs whose packets go from one port of the loops to another: all or, if they are more
 * than `most`, as many as that, spread over all LIDs, and those of the loops themselves.
 */
void credit_pairs_list(const struct fabric *fabric, const struct forwarding *forwarding,
		       const struct credit_loops *loops, size_t most, struct credit_pairs *pairs);
/*
 * Asks the SA for a path record of each pair, and keeps those that have one. Returns as
 * mad_engine_run() does. It gives up after several requests without an answer.
 */
int credit_pairs_ask(struct mad_engine *engine, const struct mad_route *route,
		     const struct fabric *fabric, struct credit_pairs *pairs);
DEFINE_CLEAR(struct credit_pairs, credit_pairs_clear, free(object->items))

/* What is known of the loops of a subnet. */
enum credit_question {
	CREDIT_BY_PORT,	 /* no SLs were considered */
	CREDIT_OF_SLS,	 /* all pairs send with all SLs of `sls` */
	CREDIT_OF_PATHS, /* pairs send with the SLs of their path records */
};

struct credit_study {
	enum credit_question question;
	uint16_t sls;
	bool incomplete;		/* the scan lacks a part of the subnet */
	bool lanes_read;		/* the SL to VL tables, after the scan */
	const struct credit_stop *stop; /* or NULL */
	struct credit_loops sure;	/* of cables with one VL: loops whatever the SLs */
	/* Each of these has a port that is in no sure loop: */
	struct credit_loops any;   /* of packets of all SLs, whatever their VLs */
	struct credit_loops loops; /* of the packets in question; not for CREDIT_BY_PORT */
	struct credit_pairs pairs;
};

/* Whether a search of the study was stopped. */
static inline bool credit_study_stopped(const struct credit_study *study)
{
	return study->any.stopped || study->sure.stopped || study->loops.stopped;
}
/* Fills `sure` and `any` of an empty study. */
void credit_study_begin(const struct fabric *fabric, const struct forwarding *forwarding,
			struct credit_study *study);
/* Fills `loops`, from the SL to VL tables in the details of the graph, and from the pairs. */
void credit_study_end(const struct fabric *fabric, const struct forwarding *forwarding,
		      struct credit_study *study);
DEFINE_CLEAR(struct credit_study, credit_study_clear, credit_loops_clear(&object->any),
	     credit_loops_clear(&object->sure), credit_loops_clear(&object->loops),
	     credit_pairs_clear(&object->pairs))

/* Shared by the files of this folder: the channels, and which waits for which. */
struct credit_graph {
	uint32_t *channels; /* by port: its channel of VL 0, or FABRIC_NONE */
	uint32_t *ports;    /* by channel of VL 0; the channels of VL 1 follow, and so on */
	size_t port_count;
	unsigned int lanes; /* channels of a port: 1 or 16 */
	const bool *known;  /* as in struct credit_traffic */
	struct credit_edge {
		uint32_t held, wanted; /* channels */
		uint32_t source;
		uint16_t lid;
		uint8_t sl;
	} * edges;
	size_t edge_count;
};

/* Fills the list from the graph. */
void credit_find_cycles(const struct credit_graph *graph, struct credit_loops *loops);

/* Where each switch sends the packets to a LID: for channels.c and pairs.c. */
#define CREDIT_OUT_UNKNOWN (FABRIC_NONE - 1)

enum credit_way { CREDIT_WAY_UNKNOWN, CREDIT_WAY_OPEN, CREDIT_WAY_ENDS, CREDIT_WAY_CIRCLE };

/* A port that sends, and the switch at its cable. */
struct credit_source {
	uint32_t port, table;
	uint8_t in; /* the port of the switch */
};

struct credit_walker {
	const struct fabric *fabric;
	const struct forwarding *forwarding;
	uint32_t *owners;
	struct credit_source *sources; /* by table */
	size_t source_count;
	uint32_t *first_source; /* by table, and the end */
	/* For one LID: */
	uint32_t lid, owner;
	/* By table: */
	uint32_t *out;	/* output port, or FABRIC_NONE, or CREDIT_OUT_UNKNOWN */
	uint32_t *next; /* table of the switch there, or FABRIC_NONE */
	uint8_t *ways;	/* enum credit_way */
	uint32_t *stack;
};

void credit_walker_make(const struct fabric *fabric, const struct forwarding *forwarding,
			struct credit_walker *walker);
DEFINE_CLEAR(struct credit_walker, credit_walker_clear, free(object->owners), free(object->out),
	     free(object->next), free(object->ways), free(object->stack), free(object->sources),
	     free(object->first_source))
/* Goes on to the next LID of an adapter or a router; false after the last one. */
bool credit_walker_next(struct credit_walker *walker);
