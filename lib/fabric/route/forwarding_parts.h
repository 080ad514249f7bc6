/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What fills forwarding tables, from switches (forwarding.c) or a saved scan (forwarding_saved.c).
 */
#pragma once

#include "fabric/route/forwarding.h"

/* Tables without a block that is known, of these nodes (NULL: all) and the kinds of the bit mask.
 */
void forwarding_make_tables(const struct fabric *fabric, const uint32_t *nodes, size_t count,
			    unsigned int kinds, struct forwarding *forwarding);
/* A block of 64 LIDs; the table must have at least the first of them. */
void forwarding_take_linear(struct forwarding *forwarding, const struct forwarding_table *table,
			    uint32_t block, const uint8_t *data);
