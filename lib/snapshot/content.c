/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "snapshot/content.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

void contents_take(struct contents *contents, enum content_kind kind, const char *path, char *bytes,
		   size_t length)
{
	struct content *content = mem_append(&contents->items, &contents->count,
					     sizeof(*contents->items));

	content->kind = kind;
	content->path = mem_string(path);
	content->bytes = bytes;
	content->length = length;
	contents->bytes += strlen(path) + length;
}

void contents_add(struct contents *contents, enum content_kind kind, const char *path,
		  const void *bytes, size_t length)
{
	char *copy = mem_alloc_zero(length + 1, 1);

	if (length)
		memcpy(copy, bytes, length);
	contents_take(contents, kind, path, copy, length);
}

static int compare(const void *one, const void *other)
{
	return strcmp(((const struct content *)one)->path, ((const struct content *)other)->path);
}

void contents_drop(struct contents *contents, const bool *marked)
{
	size_t kept = 0;

	contents->bytes = 0;
	for (size_t i = 0; i < contents->count; i++) {
		struct content *item = &contents->items[i];

		if (marked[i]) {
			free(item->path);
			free(item->bytes);
			continue;
		}
		contents->bytes += strlen(item->path) + item->length;
		contents->items[kept++] = *item;
	}
	contents->count = kept;
}

void contents_sort(struct contents *contents)
{
	_cleanup_(freep) bool *twice = mem_alloc_zero(contents->count + 1, sizeof(*twice));

	MEM_SORT(contents->items, contents->count, compare);
	for (size_t i = 1; i < contents->count; i++)
		twice[i] = !strcmp(contents->items[i].path, contents->items[i - 1].path);
	contents_drop(contents, twice);
}

struct content *contents_find(const struct contents *contents, const char *path)
{
	/* The comparison reads only the path. */
	const struct content key = {.path = (char *)(uintptr_t)path};

	return MEM_FIND(&key, contents->items, contents->count, compare);
}

void contents_clear(struct contents *contents)
{
	for (size_t i = 0; i < contents->count; i++) {
		free(contents->items[i].path);
		free(contents->items[i].bytes);
	}
	free(contents->items);
	*contents = (struct contents){0};
}

const char *content_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool content_is_text(const struct content *content)
{
	return content->kind == CONTENT_FILE && strlen(content->bytes) == content->length;
}

void content_replace(struct content *content, char *text)
{
	free(content->bytes);
	content->bytes = text;
	content->length = strlen(text);
}
