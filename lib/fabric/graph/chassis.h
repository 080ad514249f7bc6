/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Chassis: which nodes are in one housing, in which slot a switch chip is, and what is printed on
 * the housing beside a port. Subnet management has only the SystemImageGUID (InfiniBand
 * Architecture Specification, volume 1, 14.2.5.3), which all nodes of a system share; the rest is
 * by the layouts of vendors: device numbers and cabling within ISR switches (Voltaire), masks of
 * GUIDs (Cisco Topspin, SilverStorm, Xsigo), and the descriptions of modular switches (Mellanox).
 * Source of the facts: libibnetdisc/chassis.c and chassis.h of rdma-core 64.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "fabric/graph/graph.h"

enum board { BOARD_UNKNOWN, BOARD_LINE, BOARD_SPINE, BOARD_ROUTER };

extern const struct enum_name fabric_board_names[];

#define CHASSIS_WORD_SIZE (NODE_DESCRIPTION_BYTES + 1)

/* Where a node is in its chassis. */
struct chassis_place {
	uint8_t board;			/* enum board */
	uint8_t slot, chip;		/* 0: unknown */
	uint8_t order;			/* among the boards of its kind; 0: unknown */
	bool of_diags;			/* infiniband-diags knows this kind of device, too */
	char model[CHASSIS_WORD_SIZE];	/* as in ISR9288; empty: unknown. As received. */
	char system[CHASSIS_WORD_SIZE]; /* name of the system; the same */
};

/* Follows from the node and its neighbours alone. False: nothing is known. */
bool chassis_place_of(const struct fabric *fabric, uint32_t node, struct chassis_place *ret_place);
/* The number of a port on the outside of its chassis; 0: none, or unknown. */
unsigned int chassis_outside_port(const struct fabric *fabric, uint32_t port);

/*
 * Whether the place of the node at the other end of a cable follows from all of its links: it is a
 * board of an ISR switch, or is cabled to one as boards are.
 */
bool chassis_peer_is_placed_by_links(const struct fabric *fabric, uint32_t port);

/* Whether a GUID is that of a Xsigo adapter in a server, or of a target in a chassis. */
bool chassis_is_xsigo(uint64_t guid);
bool chassis_is_xsigo_adapter(uint64_t guid);
bool chassis_is_xsigo_target(uint64_t guid);

/* Members of a chassis are sorted by these. */
enum chassis_part { PART_SPINE, PART_LINE, PART_SWITCH, PART_OTHER };

struct chassis_member {
	uint32_t node;
	uint32_t order; /* by slot and chip; without a known slot by discovery */
	uint8_t part;	/* enum chassis_part */
};

struct chassis {
	uint64_t guid;
	struct chassis_member *members; /* two or more, or boards of an ISR switch */
	size_t count;
};

struct chassis_list {
	struct chassis *items; /* the number of a chassis is its index + 1 */
	size_t count;
	uint32_t *number; /* of the chassis of each node; 0: in none */
	/* By node: another member has its slot, so it is among those without one. */
	bool *is_second;
};

/*
 * `order` has all nodes in the order of discovery; chassis are numbered against it, as
 * `ibnetdiscover --grouping` does.
 */
void chassis_list_fill(const struct fabric *fabric, const uint32_t *order,
		       struct chassis_list *list);
bool chassis_has_switch(const struct fabric *fabric, const struct chassis *chassis);
/* `chassis 1: ib-core SX6536`, or its GUID where it has no name; to be freed. */
char *chassis_name(const struct fabric *fabric, const struct chassis_list *list, size_t number);
void chassis_list_clear(struct chassis_list *list);

/* Shared by the files of this. */
#define VENDOR_VOLTAIRE 0x0008f1u
/* Whether a cable in this port of a board of an ISR switch stays within the chassis. */
bool chassis_is_inside(const struct fabric *fabric, uint32_t port);
