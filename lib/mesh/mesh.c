/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mesh/mesh.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

void mesh_host_clear(struct mesh_host *host)
{
	free(host->name);
	free(host->reason);
	free(host->hint);
	free(host->release);
	free(host->kernel);
	free(host->firmware);
	free(host->rails);
	strings_free(&host->slots);
	mesh_gaps_clear(host);
	*host = (struct mesh_host){0};
}

void mesh_gaps_clear(struct mesh_host *host)
{
	for (size_t i = 0; i < host->gap_count; i++) {
		free(host->gaps[i].reason);
		free(host->gaps[i].hint);
	}
	free(host->gaps);
	host->gaps = NULL;
	host->gap_count = 0;
}

bool mesh_host_has_rail(const struct mesh_host *host, uint32_t rail)
{
	return rail < host->rail_count && rail < MESH_MOST_RAILS &&
	       !(host->missing_rails >> rail & 1);
}

uint32_t mesh_host_count_rails(const struct mesh_host *host, uint32_t below)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < below; i++)
		count += mesh_host_has_rail(host, i);
	return count;
}

char *mesh_host_device(const struct mesh_host *host, uint32_t rail)
{
	const struct endpoint *endpoint = rail < host->rail_count ? &host->rails[rail] : NULL;
	_cleanup_(freep) char *clean = NULL;

	if (!endpoint || !endpoint->device[0])
		return NULL;
	clean = text_clean(endpoint->device, sizeof(endpoint->device));
	return mem_format("%s/%u", clean, endpoint->port);
}

char *mesh_pair_text(const struct mesh_host *hosts, const struct mesh_pair *pair)
{
	const char *a = hosts[pair->a].name ?: "?", *b = hosts[pair->b].name ?: "?";

	if (pair->rail_a != pair->rail_b)
		return mem_format("%s rail %u and %s rail %u", a, pair->rail_a, b, pair->rail_b);
	if (pair->a == pair->b)
		return mem_format("%s rail %u with itself", a, pair->rail_a);
	return mem_format("%s and %s, rail %u", a, b, pair->rail_a);
}

bool mesh_name_is(const char *name, const char *other)
{
	const size_t length = strcspn(name, "."), other_length = strcspn(other, ".");

	if (!strcasecmp(name, other))
		return true;
	return length == other_length && (!name[length] || !other[length]) &&
	       !strncasecmp(name, other, length);
}

/* Compares what is before the domain. */
static int compare_labels(const void *left, const void *right)
{
	const char *a = ((const struct mesh_name *)left)->name;
	const char *b = ((const struct mesh_name *)right)->name;
	const size_t length = strcspn(a, "."), other = strcspn(b, ".");

	return strncasecmp(a, b, length < other ? length : other) ?: COMPARE(length, other);
}

static int compare_names(const void *left, const void *right)
{
	return compare_labels(left, right)
		       ?: strcmp(((const struct mesh_name *)left)->name,
				 ((const struct mesh_name *)right)->name);
}

void mesh_names_fill(const struct mesh_host *hosts, uint32_t count, struct mesh_names *names)
{
	*names = (struct mesh_names){
		.items = mem_alloc_zero((size_t)count + 1, sizeof(*names->items)),
	};
	for (uint32_t i = 0; i < count; i++)
		if (hosts[i].name)
			names->items[names->count++] = (struct mesh_name){hosts[i].name, i};
	qsort(names->items, names->count, sizeof(*names->items), compare_names);
}

/* The only host of that name, with or without a domain, or NULL. */
static const struct mesh_name *find_label(const struct mesh_names *names,
					  const struct mesh_name *wanted)
{
	const struct mesh_name *at = bsearch(wanted, names->items, names->count,
					     sizeof(*names->items), compare_labels);
	const struct mesh_name *found = NULL, *end = names->items + names->count;

	while (at && at > names->items && !compare_labels(at - 1, wanted))
		at--;
	for (; at && at < end && !compare_labels(at, wanted); at++) {
		if (!mesh_name_is(at->name, wanted->name))
			continue;
		if (found)
			return NULL;
		found = at;
	}
	return found;
}

bool mesh_names_find(const struct mesh_names *names, const char *name, uint32_t *ret_host)
{
	const struct mesh_name wanted = {.name = name};
	const struct mesh_name *found = bsearch(&wanted, names->items, names->count,
						sizeof(*names->items), compare_names);

	found = found ?: find_label(names, &wanted);
	if (found)
		*ret_host = found->host;
	return found;
}

void mesh_names_clear(struct mesh_names *names)
{
	free(names->items);
	*names = (struct mesh_names){0};
}
