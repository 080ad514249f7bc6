/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The columns of a node's chassis. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "fabric/graph/view.h"

static bool place_of(const void *record, struct chassis_place *place)
{
	const struct fabric_row *row = record;

	return fabric_of(row) && chassis_place_of(fabric_of(row), row->place, place);
}

static uint32_t chassis_of(const void *record)
{
	const struct fabric_row *row = record;

	return row->view && row->view->chassis ? row->view->chassis->number[row->place] : 0;
}

void view_get_chassis(const void *record, struct value *value)
{
	view_set_known(value, chassis_of(record));
}

void view_get_chassis_guid(const void *record, struct value *value)
{
	const struct fabric_row *row = record;

	if (chassis_of(record))
		view_set_guid(value, row->view->chassis->items[chassis_of(record) - 1].guid);
}

/* Sets a word of a description, cleaned because the node may send anything. */
static void set_word(struct value *value, const char *word)
{
	if (!*word)
		return;
	text_clean_into(value->scratch, sizeof(value->scratch), word, strlen(word));
	value_set_string(value, value->scratch);
}

/* A getter that does `set_` with the `place` and the `value`. */
#define PLACE_GETTER(name_, set_)                           \
	void name_(const void *record, struct value *value) \
	{                                                   \
		struct chassis_place place;                 \
		if (place_of(record, &place))               \
			set_;                               \
	}
PLACE_GETTER(view_get_system, set_word(value, place.system))
PLACE_GETTER(view_get_model, set_word(value, place.model))
PLACE_GETTER(view_get_board, value_set_word(value, fabric_board_names, place.board))
PLACE_GETTER(view_get_slot, view_set_known(value, place.slot))
PLACE_GETTER(view_get_chip, view_set_known(value, place.chip))

/* `line 3 chip 1` */
void view_get_location(const void *record, struct value *value)
{
	struct chassis_place place;

	if (!place_of(record, &place) || !place.slot)
		return;
	snprintf(value->scratch, sizeof(value->scratch), "%s %u chip %u",
		 enum_word(fabric_board_names, place.board, "?"), place.slot, place.chip);
	value_set_string(value, value->scratch);
}
