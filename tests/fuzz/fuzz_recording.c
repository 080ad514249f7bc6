/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Recordings in a snapshot from someone else: the input is everything after the first line. An
 * accepted recording can be searched, written and read again, and anonymised, after which it can
 * still be read.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/recording.h"
#include "snapshot/anonymise/anonymise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct recording *parse(const char *more, size_t size)
{
	struct text_buffer text = {.text = NULL};
	struct recording *recording = NULL;
	char *message = NULL, *copy;
	size_t head;

	recording_begin(&text);
	head = text.length;
	copy = mem_alloc_zero(head + size + 1, 1);
	memcpy(copy, text.text, head);
	memcpy(copy + head, more, size);
	free(text_buffer_take(&text));
	if (recording_parse(copy, head + size, &recording, &message) && (!message || recording))
		abort();
	free(message);
	return recording;
}

static void find(const struct recording *recording, const uint8_t *data, size_t size)
{
	const struct recorded_message question = {
		.type = 1, .length = (uint32_t)size, .payload = data};
	const struct recorded_message *answer;
	size_t count = 0;

	answer = recording_find(recording, 20, &question, &count);
	for (size_t i = 0; answer && i < count; i++)
		if (answer[i].length && !answer[i].payload)
			abort();
}

static void anonymise(const char *text, size_t length)
{
	struct contents contents = {.items = NULL};
	struct anonymiser *anonymiser = NULL;
	struct strings dropped = {0};
	size_t answers = 0;

	if (anonymiser_new("key", 3, &anonymiser))
		return;
	contents_add(&contents, CONTENT_FILE, RECORDING_NETLINK_FILE, text, length);
	anonymise_contents(anonymiser, &contents, &dropped, &answers);
	if (contents.count) {
		const char *head = strchr(contents.items[0].bytes, '\n') + 1;
		struct recording *again = parse(head, strlen(head));

		if (!again)
			abort();
		recording_free(again);
	}
	strings_free(&dropped);
	contents_clear(&contents);
	anonymiser_free(anonymiser);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recording *recording = parse((const char *)data, size), *again;
	struct text_buffer text = {.text = NULL}, same = {.text = NULL};
	char *line;

	if (!recording)
		return 0;
	find(recording, data, size < 16 ? size : 16);
	recording_format(recording, 0, UINT16_MAX, &text);
	line = strchr(text.text, '\n') + 1;
	again = parse(line, strlen(line));
	if (!again)
		abort();
	recording_format(again, 0, UINT16_MAX, &same);
	if (strcmp(text.text, same.text))
		abort();
	anonymise(text.text, text.length);
	free(text_buffer_take(&text));
	free(text_buffer_take(&same));
	recording_free(again);
	recording_free(recording);
	return 0;
}
