/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mesh/mesh.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "schema/rows.h"

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
	for (size_t i = 0; i < host->gap_count; i++) {
		free(host->gaps[i].reason);
		free(host->gaps[i].hint);
	}
	free(host->gaps);
	*host = (struct mesh_host){0};
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

void host_groups_find(const struct mesh_host *hosts, size_t count,
		      char *(*get)(const struct mesh_host *host), struct host_groups *ret_groups)
{
	struct host_text *texts = mem_alloc_zero(count + 1, sizeof(*texts));
	struct host_group *groups = mem_alloc_zero(count + 1, sizeof(*groups));
	size_t known = 0, found = 0;

	for (size_t i = 0; i < count; i++) {
		char *text = hosts[i].presence == MESH_PRESENT ? get(&hosts[i]) : NULL;

		if (text)
			texts[known++] = (struct host_text){text, &hosts[i]};
	}
	qsort(texts, known, sizeof(*texts), compare_texts);
	for (size_t i = 0; i < known; i++) {
		if (!i || strcmp(texts[i].text, texts[i - 1].text))
			groups[found++] = (struct host_group){.first = &texts[i]};
		groups[found - 1].count++;
	}
	qsort(groups, found, sizeof(*groups), compare_groups);
	*ret_groups = (struct host_groups){groups, texts, found, known};
}

void host_groups_clear(struct host_groups *groups)
{
	for (size_t i = 0; i < groups->text_count; i++)
		free(groups->texts[i].text);
	free(groups->texts);
	free(groups->items);
	*groups = (struct host_groups){0};
}

#define RECORD struct mesh_summary
static const struct field fields[] = {
	TEXT(plan, "PLAN", SHOWN, 0, "requested stages"),
	NUMBER(seed, "SEED", 0, 0, "seed of random matchings: --seed repeats them"),
	NUMBER(hosts_wanted, "WANTED", SHOWN, 0, "hosts that the run waited for"),
	NUMBER(hosts_present, "PRESENT", SHOWN, 0, "hosts that took part to the end"),
	NUMBER(hosts_missing, "MISSING", SHOWN, 0, "hosts that are absent, refused or lost"),
	NUMBER(rails, "RAILS", SHOWN, 0, "rails of all hosts together"),
	NUMBER(ports_left_out, "PORTS LEFT OUT", 0, 0,
	       "ports that cannot be used, are not counted as rails, and are no finding"),
	NUMBER(pairs, "PAIRS", SHOWN, 0, "pairs that were tested, counting each test"),
	NUMBER(rounds, "ROUNDS", SHOWN, 0, "rounds in which pairs were tested side by side"),
	NUMBER(pairs_failed, "FAILED", SHOWN, 0, "tests that failed"),
	NUMBER(pairs_untried, "UNTRIED", SHOWN, 0, "tests that gave no result"),
	NUMBER(pairs_left_out, "LEFT OUT", SHOWN, 0, "pairs that --budget left no time for"),
	NUMBER(pairs_resumed, "RESUMED", SHOWN, 0, "pairs whose results an earlier run had"),
	NUMBER(pairs_one_way, "ONE WAY", 0, 0,
	       "good pairs for which --both-ways could not measure both directions at once"),
	REAL(median_gbps, "Gb/s", SHOWN, 0, "median bandwidth of all rails, one direction"),
	REAL(median_both_gbps, "BOTH Gb/s", 0, 0,
	     "median bandwidth of all rails, both directions at once, their sum"),
	REAL(median_latency_usec, "USEC", SHOWN, 0, "median latency of all rails, one way"),
	REAL(seconds, "SECONDS", SHOWN, 0, "duration"),
	YES_NO(rehearsed, "REHEARSED", SHOWN, 0, "results are made up: --rehearse"),
	YES_NO(interrupted, "INTERRUPTED", SHOWN, 0, "a signal ended it early"),
};
#undef RECORD

const struct schema mesh_summary_schema = SCHEMA("mesh_summary", struct mesh_summary, fields,
						 "summary of a mesh run");
