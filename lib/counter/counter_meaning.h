/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The meaning of a counter, from the catalogue: one record for each meaning, with all the names
 * that the kernel has for it. Records borrow from the catalogue but own their aliases.
 */
#pragma once

#include "counter/names/counter_names.h"
#include "schema/schema.h"

struct counter_meaning {
	const struct counter_name *name; /* the first row with this meaning */
	struct strings aliases;		 /* pma:port_xmit_data, efa:tx_bytes */
};

struct counter_meanings {
	struct counter_meaning *items;
	size_t count;
};

extern const struct schema counter_meaning_schema; /* `counter_meanings` */

/*
 * Appends the meanings of a canonical name or of a kernel name, which may differ between sources.
 * Returns false for an unknown name; *ret_closest is then the most similar name, or NULL.
 */
bool counter_meanings_find(struct counter_meanings *meanings, const char *name,
			   const char **ret_closest);
void counter_meanings_clear(struct counter_meanings *meanings);
