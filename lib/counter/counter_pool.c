/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/counter_pool.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* 32-bit FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv, which spreads short names well. */
static size_t hash(enum counter_source source, const char *text)
{
	uint32_t sum = 2166136261u ^ source;

	for (; *text; text++)
		sum = (sum ^ (unsigned char)*text) * 16777619u;
	return sum;
}

/* Returns the slot that holds the name, or the free slot where it belongs. */
static struct counter_entry **slot_of(const struct counter_pool *pool, enum counter_source source,
				      const char *file)
{
	size_t i = hash(source, file) & (pool->entry_slots - 1);

	while (pool->entries[i] &&
	       (pool->entries[i]->source != source || strcmp(pool->entries[i]->file, file)))
		i = (i + 1) & (pool->entry_slots - 1);
	return &pool->entries[i];
}

static void grow(struct counter_pool *pool)
{
	struct counter_pool larger = {
		.entry_slots = pool->entry_slots ? 2 * pool->entry_slots : 256,
	};

	larger.entries = mem_alloc_zero(larger.entry_slots, sizeof(struct counter_entry *));
	for (size_t i = 0; i < pool->entry_slots; i++)
		if (pool->entries[i])
			*slot_of(&larger, pool->entries[i]->source,
				 pool->entries[i]->file) = pool->entries[i];
	free(pool->entries);
	pool->entries = larger.entries;
	pool->entry_slots = larger.entry_slots;
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
	struct counter_entry **slot;

	if (2 * pool->entry_count >= pool->entry_slots)
		grow(pool);
	slot = slot_of(pool, source, file);
	if (!*slot) {
		*slot = make(pool->request, source, file);
		pool->entry_count++;
	}
	return *slot;
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

	if (left->rank != right->rank)
		return left->rank < right->rank ? -1 : 1;
	return text_compare_natural(left->kernel_name, right->kernel_name);
}

void counter_pool_free(struct counter_pool *pool)
{
	for (size_t i = 0; i < pool->entry_slots; i++)
		if (pool->entries[i]) {
			free(pool->entries[i]->file);
			free(pool->entries[i]->kernel_name);
			free(pool->entries[i]->counter);
			free(pool->entries[i]);
		}
	free(pool->entries);
	strings_free(&pool->causes);
}
