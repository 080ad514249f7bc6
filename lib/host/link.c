/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/link.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* RFC 2863 ifOperStatus, as IF_OPER_* in include/uapi/linux/if.h */
const struct enum_name operstate_names[] = {
	{0, "unknown", TONE_WARNING}, {1, "not-present", TONE_BAD},
	{2, "down", TONE_BAD},	      {3, "lower-layer-down", TONE_BAD},
	{4, "testing", TONE_WARNING}, {5, "dormant", TONE_WARNING},
	{6, "up", TONE_GOOD},	      {0, NULL},
};

struct link *link_list_add(struct link_list *list)
{
	return mem_append(&list->items, &list->count, sizeof(*list->items));
}

const struct link *link_by_index(const struct link_list *list, const struct number *index)
{
	for (size_t i = 0; index->known && i < list->count; i++)
		if (list->items[i].index.known && list->items[i].index.value == index->value)
			return &list->items[i];
	return NULL;
}

const struct link *link_by_name(const struct link_list *list, const char *name)
{
	for (size_t i = 0; name && i < list->count; i++)
		if (list->items[i].name && !strcmp(list->items[i].name, name))
			return &list->items[i];
	return NULL;
}

void link_list_clear(struct link_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].name);
		free(list->items[i].kind);
		free(list->items[i].address);
	}
	free(list->items);
	*list = (struct link_list){0};
}

void link_address_list_clear(struct link_address_list *list)
{
	free(list->items);
	*list = (struct link_address_list){0};
}
