/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records that were written and read again. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "render/format.h"
#include "schema/schema.h"

/* All fields of the two records show the same. */
static inline void check_same(const struct schema *schema, const void *one, const void *other)
{
	for (size_t i = 0; i < schema->field_count; i++) {
		struct value values[2];
		struct text texts[2];

		field_get(&schema->fields[i], one, &values[0]);
		field_get(&schema->fields[i], other, &values[1]);
		if (values[0].kind != values[1].kind)
			abort();
		if (values[0].kind == VALUE_NONE)
			continue;
		format_value(&values[0], ",", &texts[0]);
		format_value(&values[1], ",", &texts[1]);
		if (strcmp(texts[0].string, texts[1].string))
			abort();
		text_release(&texts[0]);
		text_release(&texts[1]);
	}
}
