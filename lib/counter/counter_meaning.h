/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a counter means, from the catalogue: one record for each meaning, with all the names
 * that the kernel has for it. Records borrow from the catalogue; aliases are their own.
 */
#pragma once

#include "counter/names/counter_names.h"
#include "schema/schema.h"

struct counter_meaning {
	const struct counter_name *name; /* the first row of that meaning */
	struct strings aliases;		 /* pma:port_xmit_data, efa:tx_bytes */
};

struct counter_meanings {
	struct counter_meaning *items;
	size_t count;
};

extern const struct schema counter_meaning_schema; /* `counter_meanings` */

/*
 * Appends what a canonical name or one of the kernel's means; several sources may mean different
 * things. False: nobody knows it, and *ret_closest is the name most like it, or NULL.
 */
bool counter_meanings_find(struct counter_meanings *meanings, const char *name,
			   const char **ret_closest);
void counter_meanings_clear(struct counter_meanings *meanings);
