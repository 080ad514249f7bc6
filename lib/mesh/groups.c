/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mesh/groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static int compare_texts(const void *left, const void *right)
{
	const struct host_text *a = left, *b = right;

	return strcmp(a->text, b->text) ?: text_compare_natural(a->host->name, b->host->name);
}

static int compare_groups(const void *left, const void *right)
{
	const struct host_group *a = left, *b = right;

	return COMPARE(b->count, a->count) ?: strcmp(a->first->text, b->first->text);
}

size_t host_groups_find(struct host_text *texts, size_t count, struct host_group *groups)
{
	size_t found = 0;

	qsort(texts, count, sizeof(*texts), compare_texts);
	for (size_t i = 0; i < count; i++) {
		if (!i || strcmp(texts[i].text, texts[i - 1].text))
			groups[found++] = (struct host_group){.first = &texts[i]};
		groups[found - 1].count++;
	}
	qsort(groups, found, sizeof(*groups), compare_groups);
	return found;
}

void host_texts_clear(struct host_text *texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(texts[i].text);
}
