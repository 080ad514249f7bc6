/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The words of a kind of memory: what --memory takes, and what a row shows. */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "selftest/record/record.h"
#include "selftest/wire/message.h"

#define MOST_NUMBER 255

static const struct {
	const char *word;
	uint32_t kind, exporter;
	bool has_number; /* of the accelerator */
} words[] = {
	{"pages", MEMORY_PAGES, 0, false},
	{"huge", MEMORY_HUGE, 0, false},
	{"odp", MEMORY_ODP, 0, false},
	{"dmabuf:system", MEMORY_DMABUF, EXPORTER_SYSTEM, false},
	{"dmabuf:udmabuf", MEMORY_DMABUF, EXPORTER_UDMABUF, false},
	{"dmabuf:cuda", MEMORY_DMABUF, EXPORTER_CUDA, true},
	{"dmabuf:hip", MEMORY_DMABUF, EXPORTER_HIP, true},
};

int selftest_memory_parse(const char *text, struct selftest_memory *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const size_t length = strlen(words[i].word);
		uint64_t number = 0;

		if (strncmp(text, words[i].word, length) != 0)
			continue;
		if (text[length] && (!words[i].has_number || text[length] != ':' ||
				     text_parse_u64(text + length + 1, 10, MOST_NUMBER, &number)))
			continue;
		*ret = (struct selftest_memory){words[i].kind, words[i].exporter, (uint32_t)number};
		return 0;
	}
	return -EINVAL;
}

char *selftest_memory_text(const struct selftest_memory *memory)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (words[i].kind != memory->kind || words[i].exporter != memory->exporter)
			continue;
		return words[i].has_number ? mem_format("%s:%u", words[i].word, memory->number)
					   : mem_string(words[i].word);
	}
	return mem_string("?");
}
