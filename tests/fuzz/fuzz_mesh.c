/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The protocol between the coordinator and the agents of a mesh: the input is messages as they come
 * from a socket. An accepted message has its numbers in range and its texts terminated, and is
 * encoded to the same bytes; records made from it have clean text. The first byte can choose the
 * file of a rehearsal instead.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "clean.h"
#include "mesh/agent/runner.h"
#include "mesh/wire/mesh_message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_records(const struct mesh_message *message)
{
	struct mesh_host host = {.name = NULL};
	struct mesh_result result = {.outcome = MESH_PASS};

	if (message->type == MESH_MESSAGE_ANSWER) {
		mesh_answer_take(&message->answer, &result);
		check_clean(result.reason);
	} else if (message->type == MESH_MESSAGE_BOTH_ANSWER) {
		mesh_both_answer_take(&message->both_answer, &result);
		check_clean(result.reason);
	} else if (message->type == MESH_MESSAGE_IDENTITY) {
		mesh_identity_take(&message->identity, &host);
		check_clean(host.name);
		check_clean(host.firmware);
		mesh_host_clear(&host);
	} else if (message->type == MESH_MESSAGE_GAP) {
		host.gaps = mem_alloc_zero(1, sizeof(*host.gaps));
		host.gap_count = 1;
		mesh_gap_take(&message->gap, host.gaps);
		check_clean(host.gaps->device);
		check_clean(host.gaps->reason);
		check_clean(host.gaps->hint);
		mesh_host_clear(&host);
	}
}

static void try_messages(const uint8_t *data, size_t size)
{
	uint8_t bytes[MESH_MOST_BYTES];
	struct mesh_message message;
	ssize_t taken;

	while ((taken = mesh_message_decode(data, size, &message)) > 0) {
		if ((size_t)taken > size || taken > (ssize_t)sizeof(bytes))
			abort();
		if (mesh_message_encode(&message, bytes) != (size_t)taken ||
		    memcmp(bytes + WIRE_HEADER_BYTES, data + WIRE_HEADER_BYTES,
			   (size_t)taken - WIRE_HEADER_BYTES))
			abort();
		check_records(&message);
		data += taken;
		size -= (size_t)taken;
	}
}

static void try_rehearsal(const uint8_t *data, size_t size)
{
	static const char *const names[MESH_ENDS] = {"n1", "n2"};
	static const uint16_t rails[MESH_ENDS] = {0, 1};
	char *text = mem_alloc_zero(size + 1, 1), *reason = NULL;
	struct rehearsal rehearsal;
	struct rehearsal_act act;

	memcpy(text, data, size);
	if (rehearsal_parse(text, &rehearsal, &reason)) {
		check_clean(reason);
	} else {
		rehearsal_act(&rehearsal, names, rails, &act);
		rehearsal_host_value(&rehearsal, "n1", "rails");
		rehearsal_clear(&rehearsal);
	}
	free(reason);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size && data[0] == '#')
		try_rehearsal(data + 1, size - 1);
	else
		try_messages(data, size);
	return 0;
}
