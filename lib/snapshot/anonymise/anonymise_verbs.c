/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Questions to verbs and their answers (kernel/verbs/verbs_record.h). */
#include <endian.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "kernel/recording.h"
#include "kernel/verbs/verbs_record.h"
#include "snapshot/anonymise/anonymise_private.h"

/* lib/host/verbs.c puts a number before struct ibv_device_attr_ex: whether all of it was filled. */
enum { LIMITS_BEFORE = sizeof(uint64_t) };

/* Zeroes what follows the firmware version's text, and changes two GUIDs; the rest is numbers. */
static void change_limits(const struct attribute_change *change, uint8_t *bytes, size_t length)
{
	const size_t text = LIMITS_BEFORE + offsetof(struct ibv_device_attr, fw_ver);
	const size_t node = LIMITS_BEFORE + offsetof(struct ibv_device_attr, node_guid);
	const size_t image = LIMITS_BEFORE + offsetof(struct ibv_device_attr, sys_image_guid);
	size_t used;

	if (length < image + sizeof(uint64_t)) {
		memset(bytes, 0, length);
		return;
	}
	used = strnlen((const char *)bytes + text, node - text);
	memset(bytes + text + used, 0, node - text - used);
	attributes_change_guid(change, bytes + node);
	attributes_change_guid(change, bytes + image);
}

/* An incomplete entry is not kept. */
static size_t change_gids(const struct attribute_change *change, uint8_t *bytes, size_t length)
{
	const size_t size = sizeof(struct ibv_gid_entry), count = length / size;

	for (size_t i = 0; i < count && !change->learning; i++)
		anonymise_gid(change->anonymiser,
			      bytes + i * size + offsetof(struct ibv_gid_entry, gid));
	return count * size;
}

/* Changes the GUIDs, which are in host order, and the names. */
static size_t change_list(const struct attribute_change *change, uint8_t *bytes, size_t length)
{
	const size_t count = length / sizeof(struct verbs_item);

	for (size_t i = 0; i < count; i++) {
		_cleanup_(freep) char *name = NULL, *changed = NULL;
		struct verbs_item item;

		memcpy(&item, bytes + i * sizeof(item), sizeof(item));
		name = text_clean(item.name, strnlen(item.name, sizeof(item.name)));
		memset(item.name, 0, sizeof(item.name));
		if (!change->learning) {
			changed = anonymise_text(change->anonymiser, name, false);
			snprintf(item.name, sizeof(item.name), "%s", changed);
		}
		item.node_guid = htobe64(item.node_guid);
		attributes_change_guid(change, (uint8_t *)&item.node_guid);
		item.node_guid = be64toh(item.node_guid);
		memcpy(bytes + i * sizeof(item), &item, sizeof(item));
	}
	return count * sizeof(struct verbs_item);
}

/* Returns the number of bytes to keep: a later library may append members to a structure. */
static size_t change_answer(const struct attribute_change *change, unsigned int question,
			    uint8_t *bytes, size_t length)
{
	const size_t most[] = {
		[VERBS_ASK_LIBRARY] = 0,
		[VERBS_ASK_OPEN] = sizeof(struct verbs_identity),
		[VERBS_ASK_LIMITS] = LIMITS_BEFORE + sizeof(struct ibv_device_attr_ex),
		[VERBS_ASK_PORT] = sizeof(struct ibv_port_attr),
	};

	if (question == VERBS_ASK_GIDS)
		return change_gids(change, bytes, length);
	if (question == VERBS_ASK_LIST)
		return change_list(change, bytes, length);
	if (length > most[question])
		length = most[question];
	if (question == VERBS_ASK_LIMITS)
		change_limits(change, bytes, length);
	return length;
}

static void change_name(const struct attribute_change *change,
			const struct recorded_message *message, struct bytes *out)
{
	_cleanup_(freep) char *name = mem_alloc_zero((size_t)message->length + 1, 1);
	_cleanup_(freep) char *changed = NULL;

	memcpy(name, message->payload, message->length);
	changed = anonymise_text(change->anonymiser, name, false);
	bytes_add(out, changed, strlen(changed));
}

bool anonymise_verbs(const struct attribute_change *change, struct recorded_message *message,
		     bool is_answer, struct bytes *out)
{
	const size_t result = sizeof(int32_t);

	if (message->type < VERBS_ASK_LIBRARY || message->type > VERBS_ASK_LIST ||
	    (is_answer && message->length < result))
		return false;
	if (!is_answer) {
		if (!change->learning)
			change_name(change, message, out);
	} else {
		bytes_add(out, message->payload, message->length);
		out->length = result + change_answer(change, message->type, out->data + result,
						     message->length - result);
	}
	message->payload = out->data;
	message->length = (uint32_t)out->length;
	return true;
}
