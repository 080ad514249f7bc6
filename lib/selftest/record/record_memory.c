/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names of the kinds of memory: the values of --memory, also shown in rows. */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "selftest/record/record.h"

#define MOST_NUMBER 255

#define MADE_OF(kind, exporter) ((kind) << 8 | (exporter))

const struct enum_name selftest_memory_names[] = {
	{MADE_OF(MEMORY_PAGES, 0), "pages"},
	{MADE_OF(MEMORY_HUGE, 0), "huge"},
	{MADE_OF(MEMORY_ODP, 0), "odp"},
	{MADE_OF(MEMORY_DMABUF, EXPORTER_SYSTEM), "dmabuf:system"},
	{MADE_OF(MEMORY_DMABUF, EXPORTER_UDMABUF), "dmabuf:udmabuf"},
	{MADE_OF(MEMORY_DMABUF, EXPORTER_CUDA), "dmabuf:cuda"},
	{MADE_OF(MEMORY_DMABUF, EXPORTER_HIP), "dmabuf:hip"},
	{0, NULL},
};

/* The kinds with an accelerator, which a number may select. */
static bool has_number(uint64_t value)
{
	return value >= MADE_OF(MEMORY_DMABUF, EXPORTER_CUDA);
}

int selftest_memory_parse(const char *text, struct message_memory *ret)
{
	for (const struct enum_name *row = selftest_memory_names; row->word; row++) {
		const size_t length = strlen(row->word);
		uint64_t number = 0;

		if (strncmp(text, row->word, length) != 0)
			continue;
		if (text[length] && (!has_number(row->value) || text[length] != ':' ||
				     text_parse_u64(text + length + 1, 10, MOST_NUMBER, &number)))
			continue;
		*ret = (struct message_memory){
			.kind = (uint32_t)row->value >> 8,
			.exporter = (uint32_t)row->value & 0xff,
			.number = (uint32_t)number,
		};
		return 0;
	}
	return -EINVAL;
}

char *selftest_memory_text(const struct message_memory *memory)
{
	const uint64_t value = MADE_OF(memory->kind, memory->exporter);
	const char *word = enum_word(selftest_memory_names, value, "?");

	return has_number(value) ? mem_format("%s:%u", word, memory->number) : mem_string(word);
}
