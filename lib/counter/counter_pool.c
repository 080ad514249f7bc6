/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/counter_pool.h"

#include <limits.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* Orders by source and name, for the tree. */
static int compare_names(const void *a, const void *b)
{
	const struct counter_entry *left = a, *right = b;

	return COMPARE(left->source, right->source) ?: strcmp(left->file, right->file);
}

/* Combines the table's index in the catalogue with the row's index in the table. */
static unsigned int rank_of(const struct counter_name *name)
{
	for (unsigned int i = 0; name && counter_catalogue[i]; i++) {
		const struct counter_names *table = counter_catalogue[i];

		if (name >= table->rows && name < table->rows + table->count)
			return i << 16 | (unsigned int)(name - table->rows);
	}
	return UINT_MAX;
}

static struct counter_entry *make(const struct counters_request *request,
				  enum counter_source source, const char *file)
{
	struct counter_entry *entry = mem_alloc_zero(1, sizeof(*entry));

	entry->source = source;
	entry->file = mem_string(file);
	entry->kernel_name = text_clean(file, strlen(file));
	entry->name = counter_name_find_in(source, file);
	entry->counter = entry->name ? counter_name_canonical(entry->name, file)
				     : mem_string(entry->kernel_name);
	entry->rank = rank_of(entry->name);
	entry->wanted = !request->wants ||
			request->wants(request->context, source, entry->kernel_name, entry->name);
	return entry;
}

const struct counter_entry *counter_pool_entry(struct counter_pool *pool,
					       enum counter_source source, const char *file)
{
	const struct counter_entry wanted = {.source = source, .file = (char *)(uintptr_t)file};
	struct counter_entry *const *found = tfind(&wanted, &pool->entries, compare_names);
	struct counter_entry *entry;

	if (found)
		return *found;
	entry = make(pool->request, source, file);
	mem_check(tsearch(entry, &pool->entries, compare_names));
	return entry;
}

const char *counter_pool_cause(struct counter_pool *pool, const char *cause)
{
	for (size_t i = 0; i < pool->causes.count; i++)
		if (!strcmp(pool->causes.items[i], cause))
			return pool->causes.items[i];
	strings_add(&pool->causes, cause);
	return pool->causes.items[pool->causes.count - 1];
}

int counter_entries_compare(const void *a, const void *b)
{
	const struct counter_entry *left = *(const struct counter_entry *const *)a;
	const struct counter_entry *right = *(const struct counter_entry *const *)b;

	return COMPARE(left->rank, right->rank)
		       ?: text_compare_natural(left->kernel_name, right->kernel_name);
}

static void free_entry(void *item)
{
	struct counter_entry *entry = item;

	free(entry->file);
	free(entry->kernel_name);
	free(entry->counter);
	free(entry);
}

void counter_pool_free(struct counter_pool *pool)
{
	tdestroy(pool->entries, free_entry);
	strings_free(&pool->causes);
}
