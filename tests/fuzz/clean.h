/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All text that is output goes to terminals. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "schema/schema.h"

/* NULL counts as clean. */
static inline void check_clean(const char *text)
{
	char *clean = text ? text_clean(text, strlen(text)) : NULL;

	if (clean && strcmp(clean, text))
		abort();
	free(clean);
}

/* All text that the record shows. */
static inline void check_record(const struct schema *schema, const void *record)
{
	for (size_t i = 0; i < schema->field_count; i++) {
		struct value value;

		field_get(&schema->fields[i], record, &value);
		if (value.kind == VALUE_STRING)
			check_clean(value.string);
		for (size_t j = 0; value.kind == VALUE_LIST && j < value.list.count; j++)
			check_clean(value.list.items[j]);
	}
}
