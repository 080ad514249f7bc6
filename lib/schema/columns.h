/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which fields of a schema an output shows, in order. Pointers lead into the schema's static table;
 * the array belongs to the selection.
 */
#pragma once

#include "schema/schema.h"

struct columns {
	const struct schema *schema;
	const struct field **fields;
	size_t count;
};

/* The set that columns_select() starts from. */
enum column_set {
	COLUMNS_DEFAULT, /* the default columns of a table */
	COLUMNS_ALL,	 /* every field except keys (FIELD_SECRET): JSON and vertical records */
};

struct columns columns_of(const struct schema *schema, enum column_set set);

/*
 * Selects by `list` (comma-separated keys; +KEY adds to the set, -KEY removes from it, `all`
 * is every field, lists of records only if they are in the set to begin with), or the plain set if
 * `list` is NULL. Returns 0, or -EINVAL with the offending word in *ret_bad, which the caller
 * frees; the selection is then empty.
 */
int columns_select(struct columns *columns, const struct schema *schema, enum column_set set,
		   const char *list, char **ret_bad);
/*
 * The columns that a field of kind FIELD_RECORDS shows for each record; none if the field names a
 * key that the records lack.
 */
struct columns columns_of_records(const struct field *field);
/* The `needs` of all selected fields, including those in lists of records. */
uint64_t columns_needs(const struct columns *columns);
void columns_free(struct columns *columns);
