/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the files that fill forwarding tables, from switches (forwarding.c) or a saved scan
 * (forwarding_saved.c), and those that count the packets sent over cables (balance.c, users.c).
 */
#pragma once

#include "fabric/route/forwarding.h"

/* Makes tables without any known block, for these nodes (NULL: all) and kinds (a bit mask). */
void forwarding_make_tables(const struct fabric *fabric, const uint32_t *nodes, size_t count,
			    unsigned int kinds, struct forwarding *forwarding);
/* Takes a block of 64 LIDs; the table must have at least the first of them. */
void forwarding_take_linear(struct forwarding *forwarding, const struct forwarding_table *table,
			    uint32_t block, const uint8_t *data);
/*
 * Takes a block of 32 LIDs for the 16 ports given by the highest bits of the modifier; the table
 * must have the first of the LIDs, and the ports.
 */
void forwarding_take_multicast(struct forwarding *forwarding, const struct forwarding_table *table,
			       uint32_t modifier, const uint8_t *data);

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
