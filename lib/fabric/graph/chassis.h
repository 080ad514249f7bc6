/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Chassis: which nodes are in one housing, in which slot a switch chip is, and what is printed on
 * the housing next to a port. Subnet management only has the SystemImageGUID (InfiniBand
 * Architecture Specification, volume 1, 14.2.5.3), which all nodes of a system share; the rest
 * follows from vendors' layouts: device numbers and cabling within ISR switches (Voltaire), masks
 * of GUIDs (Cisco Topspin, SilverStorm, Xsigo), and the descriptions of modular switches
 * (Mellanox). Source of the facts: libibnetdisc/chassis.c and chassis.h of rdma-core 64.
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
	uint8_t order;			/* position among the boards of its kind; 0: unknown */
	bool of_diags;			/* infiniband-diags knows this kind of device, too */
	char model[CHASSIS_WORD_SIZE];	/* as received, like ISR9288; empty if unknown */
	char system[CHASSIS_WORD_SIZE]; /* name of the system, likewise */
};

/* Derives the place from the node and its neighbours alone. Returns false if nothing is known. */
bool chassis_place_of(const struct fabric *fabric, uint32_t node, struct chassis_place *ret_place);
/* Returns the number of a port on the outside of its chassis; 0 if it has none, or unknown. */
unsigned int chassis_outside_port(const struct fabric *fabric, uint32_t port);

/*
 * Whether the place of the node at the other end of a cable follows from all of that node's links:
 * it is a board of an ISR switch, or is cabled to one as boards are.
 */
bool chassis_peer_is_placed_by_links(const struct fabric *fabric, uint32_t port);

/* Whether a GUID is Xsigo's: any, that of an adapter in a server, or of a target in a chassis. */
bool chassis_is_xsigo(uint64_t guid);
bool chassis_is_xsigo_adapter(uint64_t guid);
bool chassis_is_xsigo_target(uint64_t guid);

/* Members of a chassis are sorted by part, in this order. */
enum chassis_part { PART_SPINE, PART_LINE, PART_SWITCH, PART_OTHER };

struct chassis_member {
	uint32_t node;
	uint32_t order; /* by slot and chip; by discovery if the slot is unknown */
	uint8_t part;	/* enum chassis_part */
};

struct chassis {
	uint64_t guid;
	struct chassis_member *members; /* at least two, unless boards of an ISR switch */
	size_t count;
};

struct chassis_list {
	struct chassis *items; /* the number of a chassis is its index + 1 */
	size_t count;
	uint32_t *number; /* of the chassis of each node; 0 if in none */
	/* By node: its slot is another member's, so it is listed with those without a slot. */
	bool *is_second;
};

/* `order` is of discovery; chassis are numbered in reverse, as by ibnetdiscover --grouping. */
void chassis_list_fill(const struct fabric *fabric, const uint32_t *order,
		       struct chassis_list *list);
bool chassis_has_switch(const struct fabric *fabric, const struct chassis *chassis);
/* Returns `chassis 1: ib-core SX6536`, or the GUID if it has no name; to be freed. */
char *chassis_name(const struct fabric *fabric, const struct chassis_list *list, size_t number);
void chassis_list_clear(struct chassis_list *list);

/* Shared by chassis.c and chassis_place.c. */
#define VENDOR_VOLTAIRE 0x0008f1u
/* Whether a cable in this port of a board of an ISR switch stays within the chassis. */
bool chassis_is_inside(const struct fabric *fabric, uint32_t port);
