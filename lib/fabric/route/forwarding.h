/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The forwarding tables of switches (14.2.5.10, 14.2.5.12), read by directed routes from where the
 * scan began, all switches in parallel; this works even before a subnet manager has routed a single
 * LID. A table is read up to the top that SwitchInfo reports. A block that was not received is
 * unknown, not empty. Node and port indexes refer to the graph, which must not change meanwhile.
 */
#pragma once

#include <string.h>

#include "base/cleanup.h"
#include "fabric/scan/scan.h"

#define FORWARDING_LIDS	     0xc000u /* unicast LIDs, with the reserved 0; multicast LIDs follow */
#define FORWARDING_MOST_MLID 0xfffeu
/* Packets to the LID are dropped, or the table ends before it. */
#define FORWARDING_NOWHERE MAD_LINEAR_NOWHERE
#define FORWARDING_UNKNOWN 256u

/*
 * The next step for wrong entries of linear tables. On SIGHUP, opensm writes only blocks that
 * differ from those that it remembers (set_lft_block() of osm_ucast_mgr.c), so it does not restore
 * what something else has changed; the first sweep after its start writes all blocks.
 */
#define FORWARDING_CURE                                                                          \
	"make the subnet manager recompute its routes: send SIGHUP to opensm; if that does not " \
	"help, restart it, which writes all tables again"

enum forwarding_kind {
	FORWARDING_LINEAR = 1,
	FORWARDING_MULTICAST = 2,
};

/* The tables of one switch. */
struct forwarding_table {
	uint32_t node;
	bool known;		  /* SwitchInfo, with the table lengths, is known */
	uint32_t lids;		  /* LIDs 0 to lids - 1 have entries */
	uint32_t mlids;		  /* number of multicast LIDs, from FORWARDING_LIDS on */
	uint32_t words;		  /* words of 16 ports in an entry of a multicast LID */
	size_t linear, multicast; /* their first blocks in the array below */
	unsigned int in_vain;	  /* consecutive requests of a kind without an answer; limited */
	bool gaps[2]; /* whether blocks of the linear and of the multicast table are missing */
};

/* A block of a table, as the switch reports it. */
struct forwarding_block {
	bool known;
	uint8_t data[FABRIC_DETAIL_BYTES];
};

struct forwarding {
	struct forwarding_table *tables;
	size_t count;
	uint32_t *of_node; /* by node: index in tables, or FABRIC_NONE */
	/* By 64 LIDs of the linear table; by 32 multicast LIDs, then by 16 ports, of the other. */
	struct forwarding_block *blocks;
	/*
	 * One failure, at port 0, for each switch and kind of table with a missing block. After
	 * forwarding_recall() only for switches whose failure is not in the graph already.
	 */
	struct fabric_failure *failures;
	size_t failure_count;
};

/*
 * Fills empty tables for `count` nodes (nodes NULL: all; only switches have tables), of the kinds
 * in the bit mask `kinds`. `scan` holds the options of the graph's scan. Returns 0 even if some
 * switches did not answer, -ECANCELED if stopped, or -errno if the local port failed.
 */
int forwarding_read(struct mad_engine *engine, const struct fabric_scan_options *scan,
		    const struct fabric *fabric, const uint32_t *nodes, size_t count,
		    unsigned int kinds, struct forwarding *forwarding);
DEFINE_CLEAR(struct forwarding, forwarding_clear, free(object->tables), free(object->of_node),
	     free(object->blocks), free(object->failures))

/*
 * Appends the known blocks to the details of the graph, so that they are saved with it. Empty
 * blocks of a multicast table, of which there are many, are omitted except for the first block.
 */
void forwarding_store(const struct forwarding *forwarding, struct fabric *fabric);
/*
 * Fills empty tables for `count` nodes (NULL: all), of the kinds in the bit mask, from these
 * details. Missing blocks are unknown, and reported as failures with -ENODATA. Returns the number
 * of blocks found.
 */
size_t forwarding_recall(const struct fabric *fabric, const uint32_t *nodes, size_t count,
			 unsigned int kinds, struct forwarding *forwarding);
/* Returns NULL if the table was not read, or the node is not a switch. */
const struct forwarding_table *forwarding_of(const struct forwarding *forwarding, uint32_t node);
/*
 * Returns the output port for a LID: 0 to 254 (0: the switch itself), or one of the constants
 * above. The switch may not have a port of that number.
 */
static inline unsigned int forwarding_port(const struct forwarding *forwarding,
					   const struct forwarding_table *table, uint32_t lid)
{
	const struct forwarding_block *block;

	if (!table->known)
		return FORWARDING_UNKNOWN;
	if (lid >= table->lids)
		return FORWARDING_NOWHERE;
	block = &forwarding->blocks[table->linear + lid / MAD_LINEAR_BLOCK];
	return block->known ? block->data[lid % MAD_LINEAR_BLOCK] : FORWARDING_UNKNOWN;
}
/* Whether a port is in the mask of a multicast LID; TRISTATE_UNKNOWN if the block is unknown. */
enum tristate forwarding_has_port(const struct forwarding *forwarding,
				  const struct forwarding_table *table, uint32_t mlid,
				  unsigned int port);

/* Reads one entry; *ret_port is as for forwarding_port(). Returns 0, or -errno with the failure. */
int forwarding_read_entry(struct mad_engine *engine, const struct fabric_scan_options *scan,
			  const struct fabric *fabric, uint32_t node, uint16_t lid,
			  unsigned int *ret_port, struct fabric_failure *ret_failure);

/*
 * Maps each unicast LID to its port according to the PortInfo of the scan (all 2^LMC LIDs; port 0
 * of a switch; the first port if several have the LID), or to FABRIC_NONE. The array has
 * FORWARDING_LIDS entries, and is to be freed. `counts` is NULL, or as many zeros, which become the
 * numbers of nodes that have the LID.
 */
uint32_t *forwarding_owners(const struct fabric *fabric, uint32_t *counts);

/*
 * How the routes of a subnet are spread over its cables: for each port of a switch, the LIDs that
 * its linear table sends there, and the pairs of ports whose packets leave by it when every port
 * sends to every other. LIDs of switches do not count, as hardly any traffic goes there.
 */
struct balance {
	uint32_t *routes; /* by port of the graph */
	uint64_t *pairs;  /* pairs of a source port and a destination LID, by port of the graph */
	/* Pairs whose packets do not arrive, with an example: a switch and a LID. */
	uint64_t lost_pairs;
	uint32_t lost_node;
	uint16_t lost_lid;
};

/*
 * Finds the senders whose packets leave by a port, over the cable to its peer: calls `user` for
 * each source and destination (ports of adapters and routers), and LID of the destination. The
 * users of one LID are reported together.
 */
typedef void (*cable_user)(void *context, uint32_t source, uint32_t destination, uint16_t lid);
void cable_users(const struct fabric *fabric, const struct forwarding *forwarding, uint32_t port,
		 cable_user user, void *context);

/* Fills an empty balance from all linear tables. */
void balance_count(const struct fabric *fabric, const struct forwarding *forwarding,
		   struct balance *balance);
DEFINE_CLEAR(struct balance, balance_clear, free(object->routes), free(object->pairs))

/*
 * Shared by the files that fill forwarding tables, from switches (forwarding.c) or a saved scan
 * (forwarding_saved.c), and those that count the packets sent over cables (balance.c, users.c).
 */
/* Makes tables without any known block, for these nodes (NULL: all) and kinds (a bit mask). */
void forwarding_make_tables(const struct fabric *fabric, const uint32_t *nodes, size_t count,
			    unsigned int kinds, struct forwarding *forwarding);
/* How many blocks the linear or the multicast table has. */
size_t forwarding_count_blocks(const struct forwarding_table *table, bool multicast);
/* The attribute modifier that asks for a block. */
uint32_t forwarding_modifier(const struct forwarding_table *table, bool multicast, size_t number);
/* The block with that modifier, or NULL if the table does not have it. */
struct forwarding_block *forwarding_block(const struct forwarding *forwarding,
					  const struct forwarding_table *table, bool multicast,
					  uint32_t modifier);
/* Fills the block. */
static inline void forwarding_take(struct forwarding_block *block, const uint8_t *data)
{
	block->known = true;
	memcpy(block->data, data, sizeof(block->data));
}
/* Whether any block of the linear table is unknown. */
bool forwarding_has_gap(const struct forwarding *forwarding, const struct forwarding_table *table);
/* Whether the port sends and receives data, as ports of switches do not. */
bool forwarding_is_end(const struct fabric *fabric, uint32_t port);
/* The port by which the switch of a table sends packets to the LID, or FABRIC_NONE. */
uint32_t forwarding_out(const struct fabric *fabric, const struct forwarding *forwarding,
			uint32_t table, uint16_t lid);
/* The table of the switch at the other end of a port (both may be FABRIC_NONE). */
uint32_t forwarding_next(const struct fabric *fabric, const struct forwarding *forwarding,
			 uint32_t port);
