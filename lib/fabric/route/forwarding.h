/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The forwarding tables of switches (14.2.5.10, 14.2.5.12), read by directed routes from where the
 * scan began, all switches at once: it works before a subnet manager has routed a single LID. A
 * table is read up to the top that SwitchInfo tells; a block that did not come is unknown, not
 * empty. Places of nodes and ports are those of the graph, which has to stay as it is meanwhile.
 */
#pragma once

#include "fabric/scan/scan.h"

#define FORWARDING_LIDS	     0xc000u /* unicast, with the 0 that is none; the first of multicast */
#define FORWARDING_MOST_MLID 0xfffeu
#define FORWARDING_NOWHERE   255u /* of an entry: packets are dropped, or the table ends before */
#define FORWARDING_UNKNOWN   256u

enum forwarding_kind {
	FORWARDING_LINEAR = 1,
	FORWARDING_MULTICAST = 2,
};

/* Of one switch. */
struct forwarding_table {
	uint32_t node;
	bool known;	/* its SwitchInfo, which tells how long the tables are */
	uint32_t lids;	/* LIDs 0 to lids - 1 have entries */
	uint32_t mlids; /* multicast LIDs: so many from FORWARDING_LIDS on */
	uint32_t words; /* of 16 ports each, that an entry of a multicast LID has */
	size_t ports_at, has_ports_at, masks_at, has_masks_at; /* in the arrays below */
	unsigned int in_vain; /* requests in a row without an answer: not asked any more, at some */
	size_t silences[2];   /* of its linear, its multicast table: place + 1 in the list, or 0 */
};

struct forwarding {
	struct forwarding_table *tables;
	size_t count;
	uint32_t *of_node; /* place in tables, or FABRIC_NONE */
	uint8_t *ports;	   /* the linear tables, one behind the other */
	uint16_t *masks; /* the multicast tables: by LID, then by 16 ports, port 0 the lowest bit */
	bool *has_ports; /* by block of 64 LIDs */
	bool *has_masks; /* by block of 32 LIDs, then by 16 ports */
	/* One for each switch and table with a block that did not come: of port 0 of the node. */
	struct fabric_silence *silences;
	size_t silence_count;
};

/*
 * Fills empty tables of `count` nodes (NULL: of all; what is no switch has none), of the kinds that
 * are bits of `kinds`. `scan` is what the graph was scanned by. Returns 0 also if some did not
 * answer; -ECANCELED: it was stopped; else -errno: the local port broke down.
 */
int forwarding_read(struct mad_engine *engine, const struct fabric_scan_options *scan,
		    const struct fabric *fabric, const uint32_t *nodes, size_t count,
		    unsigned int kinds, struct forwarding *forwarding);
void forwarding_clear(struct forwarding *forwarding);
/* NULL: it was not read, or is no switch. */
const struct forwarding_table *forwarding_of(const struct forwarding *forwarding, uint32_t node);
/*
 * By which port it sends what goes to the LID: 0 to 254 (0: to itself), or one of the above. The
 * number need not be of a port that it has.
 */
unsigned int forwarding_port(const struct forwarding *forwarding,
			     const struct forwarding_table *table, uint32_t lid);
/* Whether a port is in the mask of a multicast LID; TRISTATE_UNKNOWN: the block did not come. */
enum tristate forwarding_has_port(const struct forwarding *forwarding,
				  const struct forwarding_table *table, uint32_t mlid,
				  unsigned int port);

/*
 * One entry of one switch, by a request of its own: *ret_port is as above. Returns 0, or the error
 * with the silence filled.
 */
int forwarding_read_entry(struct mad_engine *engine, const struct fabric_scan_options *scan,
			  const struct fabric *fabric, uint32_t node, uint16_t lid,
			  unsigned int *ret_port, struct fabric_silence *ret_silence);

/*
 * The port that each unicast LID belongs to by the PortInfo of the scan (all 2^LMC of them; of a
 * switch port 0; of LIDs that several have, the first), FABRIC_NONE for those of nobody:
 * FORWARDING_LIDS places, to be freed by free().
 */
uint32_t *forwarding_owners(const struct fabric *fabric);

/*
 * How the routes of a subnet are spread over its cables: for each port of a switch the LIDs that
 * its linear table sends out there, and the pairs of ports whose packets go that way when everybody
 * talks to everybody. LIDs of switches do not count: next to nothing goes there.
 */
struct balance {
	uint32_t *routes; /* of each port of the graph */
	uint64_t *pairs;  /* of a source port and a destination LID: the same */
	/* Pairs whose packets do not arrive, with an example: a switch and a LID. */
	uint64_t lost_pairs;
	uint32_t lost_node;
	uint16_t lost_lid;
};

/* Fills an empty one from all linear tables. */
void balance_count(const struct fabric *fabric, const struct forwarding *forwarding,
		   struct balance *balance);
void balance_clear(struct balance *balance);
