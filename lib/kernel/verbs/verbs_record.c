/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/verbs/verbs_record.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "kernel/recording.h"
#include "kernel/verbs/verbs.h"
#include "kernel/verbs/verbs_library.h"

/* The flags hold the port number, the payload holds the name. */
static struct recorded_message question_of(enum verbs_question question, const char *device,
					   uint64_t port)
{
	return (struct recorded_message){
		.type = (uint16_t)question,
		.flags = (uint16_t)port,
		.length = (uint32_t)strlen(device),
		.payload = (const uint8_t *)device,
	};
}

void verbs_record_note(const struct verbs_record *record, enum verbs_question question,
		       const char *device, uint64_t port, int rc, const void *bytes, size_t length)
{
	_cleanup_(freep) uint8_t *payload = NULL;
	struct text_buffer text = {.text = NULL};
	struct recorded_message asked;
	const int32_t result = rc;

	if (!record || record->fd < 0)
		return;
	asked = question_of(question, device, port);
	payload = mem_alloc_zero(sizeof(result) + length, 1);
	memcpy(payload, &result, sizeof(result));
	if (length)
		memcpy(payload + sizeof(result), bytes, length);
	recording_ask(&text, RECORDING_VERBS, &asked);
	recording_got(&text, &(struct recorded_message){
				     .type = asked.type,
				     .length = (uint32_t)(sizeof(result) + length),
				     .payload = payload,
			     });
	recording_end(record->fd, &text);
}

int verbs_record_find(const struct verbs_record *record, enum verbs_question question,
		      const char *device, uint64_t port, const uint8_t **ret_bytes,
		      size_t *ret_length)
{
	const struct recorded_message asked = question_of(question, device, port);
	const struct recorded_message *answer;
	size_t count = 0;
	int32_t result;

	answer = recording_find(record->recording, RECORDING_VERBS, &asked, &count);
	if (!answer)
		return -ENODATA;
	if (count != 1 || answer->length < sizeof(result))
		return -EBADMSG;
	memcpy(&result, answer->payload, sizeof(result));
	/* MAX_ERRNO, include/linux/err.h */
	if (result > 0 || result < -4095)
		return -EBADMSG;
	*ret_bytes = answer->payload + sizeof(result);
	*ret_length = answer->length - sizeof(result);
	return result;
}

int verbs_record_read(const struct verbs_record *record, enum verbs_question question,
		      const char *device, uint64_t port, void *structure, size_t size)
{
	const uint8_t *bytes;
	size_t length;
	int rc = verbs_record_find(record, question, device, port, &bytes, &length);

	if (rc)
		return rc;
	memset(structure, 0, size);
	memcpy(structure, bytes, length < size ? length : size);
	return 0;
}

/* The list of devices comes from libibverbs or from a recording. */
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

	if (verbs->record.fd < 0)
		return;
	for (struct ibv_device **device = verbs->list; *device; device++) {
		const struct verbs_listed listed = describe(verbs, *device);
		struct verbs_item *item = mem_append(&items, &count, sizeof(*items));

		item->node_guid = listed.node_guid;
		item->transport = listed.transport;
		snprintf(item->name, sizeof(item->name), "%s", listed.name);
	}
	verbs_record_note(&verbs->record, VERBS_ASK_LIST, "", 0, 0, items, count * sizeof(*items));
}

void verbs_list_read(struct verbs *verbs)
{
	struct verbs_item item;
	const uint8_t *bytes;
	size_t length;

	verbs->list_error = verbs_record_find(&verbs->record, VERBS_ASK_LIST, "", 0, &bytes,
					      &length);
	if (verbs->list_error)
		return;
	for (size_t at = 0; at + sizeof(item) <= length; at += sizeof(item)) {
		_cleanup_(freep) char *name = NULL;

		memcpy(&item, bytes + at, sizeof(item));
		name = text_clean(item.name, strnlen(item.name, sizeof(item.name)));
		strings_add(&verbs->names, name);
		MEM_ADD(verbs->items, verbs->item_count) = (struct verbs_listed){
			.name = verbs->names.items[verbs->names.count - 1],
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
		return true;
	}
	if (!device)
		return false;
	*ret_listed = describe(verbs, device);
	return true;
}
