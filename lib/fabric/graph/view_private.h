/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Between the files that have the columns of a scan's records. */
#pragma once

#include "fabric/graph/view.h"

/* NULL: the row is empty. */
static inline const struct fabric *fabric_of(const struct fabric_row *row)
{
	return row->view ? row->view->fabric : NULL;
}

void view_set_guid(struct value *value, uint64_t guid);
void view_set_bytes(struct value *value, const uint8_t *bytes, size_t count);
/* Counts and codes of which 0 means that they are not known. */
void view_set_known(struct value *value, uint64_t number);
void view_set_path(struct value *value, const uint8_t *path, int hops);

/* Columns of a node's row, which those of ports show of their node, too. */
void view_get_name(const void *record, struct value *value);
void view_get_type(const void *record, struct value *value);
void view_get_guid(const void *record, struct value *value);
void view_get_index(const void *record, struct value *value);

#define VIEW_COLUMN(kind_, get_, key_, heading_, flags_, help_) \
	COMPUTED_FIELD(kind_, get_, key_, heading_, flags_, 0, help_)
