/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A filter on records by their fields: FIELD=VALUE[,VALUE...][,FIELD=VALUE...]. A record passes if
 * each field has one of its values. Numbers may be ranges (20-25), words are those that the field
 * shows, and - matches what a table shows as -: an unknown value, or an empty list.
 */
#pragma once

#include "schema/schema.h"

/* Another name for a field, from a tool whose users look for it. A table ends with {0}. */
struct where_alias {
	const char *word, *key;
};

struct where_value {
	const struct field *field;
	bool first_of_field; /* values up to the next with this flag are alternatives */
	char *text;
	struct number first, last; /* of a number or range */
	struct ip_address address; /* for FIELD_IP and FIELD_GID */
};

/* Owns its values; {0} lets everything pass. */
struct where {
	struct where_value *values;
	size_t count;
};

/*
 * Parses the text, which may be NULL. Returns 0, or -EINVAL with a message and a next step for the
 * caller to free; the filter is then empty.
 */
int where_parse(struct where *where, const struct schema *schema, const struct where_alias *aliases,
		const char *text, char **ret_message, char **ret_hint);
bool where_passes(const struct where *where, const void *record);
/* What must be loaded for the filter, as in struct field. */
uint64_t where_needs(const struct where *where);
void where_clear(struct where *where);
