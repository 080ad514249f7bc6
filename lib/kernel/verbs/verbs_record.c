/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/verbs/verbs_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/recording.h"
#include "kernel/root.h"

struct verbs_record {
	int fd;			     /* for writing the record, or -1 */
	struct recording *recording; /* supplies answers; or NULL */
};

int verbs_record_open(const struct root *root, struct verbs_record **ret_record)
{
	struct verbs_record record;
	int rc = recording_choose(root, RECORDING_VERBS_FILE, &record.fd, &record.recording);

	if (rc)
		return rc;
	*ret_record = NULL;
	if (record.fd < 0 && !record.recording)
		return 0;
	*ret_record = mem_alloc_zero(1, sizeof(**ret_record));
	**ret_record = record;
	return 0;
}

void verbs_record_free(struct verbs_record *record)
{
	if (record)
		recording_free(record->recording);
	free(record);
}

bool verbs_record_answers(const struct verbs_record *record)
{
	return record && record->recording;
}

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

	if (!record || record->recording)
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
