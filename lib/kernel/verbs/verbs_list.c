/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The list of devices, from libibverbs or from a recording. */
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "kernel/verbs/verbs.h"
#include "kernel/verbs/verbs_library.h"

static struct verbs_listed describe(const struct verbs *verbs, struct ibv_device *device)
{
	return (struct verbs_listed){
		.name = device->name,
		.node_guid = be64toh(verbs->call.ibv_get_device_guid(device)),
		.transport = device->transport_type,
	};
}

void verbs_list_note(const struct verbs *verbs)
{
	_cleanup_(freep) struct verbs_item *items = NULL;
	size_t count = 0;

	for (struct ibv_device **device = verbs->list; verbs->record && *device; device++) {
		const struct verbs_listed listed = describe(verbs, *device);
		struct verbs_item *item = mem_append(&items, &count, sizeof(*items));

		item->node_guid = listed.node_guid;
		item->transport = listed.transport;
		snprintf(item->name, sizeof(item->name), "%s", listed.name);
	}
	verbs_record_note(verbs->record, VERBS_ASK_LIST, "", 0, 0, items, count * sizeof(*items));
}

void verbs_list_read(struct verbs *verbs)
{
	struct verbs_item item;
	const uint8_t *bytes;
	size_t length;

	verbs->list_error = verbs_record_find(verbs->record, VERBS_ASK_LIST, "", 0, &bytes,
					      &length);
	if (verbs->list_error)
		return;
	for (size_t at = 0; at + sizeof(item) <= length; at += sizeof(item)) {
		_cleanup_(freep) char *name = NULL;

		memcpy(&item, bytes + at, sizeof(item));
		name = text_clean(item.name, strnlen(item.name, sizeof(item.name)));
		strings_add(&verbs->names, name);
		MEM_ADD(verbs->items, verbs->item_count) = (struct verbs_listed){
			.node_guid = item.node_guid,
			.transport = item.transport,
		};
	}
}

int verbs_check_list(const struct verbs *verbs)
{
	return verbs->list_error;
}

bool verbs_listed(const struct verbs *verbs, size_t number, struct verbs_listed *ret_listed)
{
	/* Callers stop at the NULL that ends the list. */
	struct ibv_device *device = verbs->list ? verbs->list[number] : NULL;

	if (number < verbs->item_count) {
		*ret_listed = verbs->items[number];
		ret_listed->name = verbs->names.items[number];
		return true;
	}
	if (!device)
		return false;
	*ret_listed = describe(verbs, device);
	return true;
}
