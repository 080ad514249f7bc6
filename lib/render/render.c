/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/render.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "render/format.h"

static char *join(const struct value *value, const char *separator)
{
	size_t length = 1;
	char *text, *end;

	for (size_t i = 0; i < value->list.count; i++)
		length += strlen(value->list.items[i]) + strlen(separator);
	text = mem_alloc_zero(length, 1);
	end = text;
	for (size_t i = 0; i < value->list.count; i++) {
		if (i)
			end = stpcpy(end, separator);
		end = stpcpy(end, value->list.items[i]);
	}
	return text;
}

char *format_value(const struct value *value, const char *separator)
{
	switch (value->kind) {
	case VALUE_STRING:
		return mem_string(value->string);
	case VALUE_UNSIGNED:
		return mem_format("%" PRIu64, value->number);
	case VALUE_SIGNED:
		return mem_format("%" PRId64, value->integer);
	case VALUE_REAL:
		return mem_format("%.10g", value->real);
	case VALUE_BOOL:
		return mem_string(value->boolean ? "yes" : "no");
	case VALUE_LIST:
		return join(value, separator);
	case VALUE_RECORDS:
		return mem_format("%zu", value->records.count);
	default:
		return NULL;
	}
}

int render(const struct render_options *options, const struct document *document)
{
	switch (options->format) {
	case FORMAT_JSON:
		return render_json(document);
	case FORMAT_JSONL:
		return render_jsonl(document);
	case FORMAT_TSV:
		return render_tsv(options, document);
	case FORMAT_RECORD:
		return render_record(options, document);
	default:
		return render_table(options, document);
	}
}

int render_text(const char *text)
{
	return fputs(text, stdout) < 0 ? -errno : 0;
}

int render_finish(void)
{
	/* A failed write may have been noticed long ago: only the error flag tells then. */
	int earlier = ferror(stdout);

	if (fflush(stdout))
		return -errno;
	return earlier ? -EIO : 0;
}
