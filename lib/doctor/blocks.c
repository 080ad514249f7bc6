/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The readable form of the results: findings merged and sorted, and the coverage of the checks. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "doctor/frame/check.h"

static const char *step_of(const struct doctor_result *result)
{
	return result->step_form ?: result->finding.next_step ?: "";
}

/* 0: both belong to one block. */
static int compare_findings(const struct doctor_result *one, const struct doctor_result *other)
{
	const struct finding *a = &one->finding, *b = &other->finding;

	return COMPARE(a->id.value, b->id.value)
		       ?: COMPARE(a->severity.value, b->severity.value)
		       ?: strcmp(a->summary, b->summary)
		       ?: strcmp(step_of(one), step_of(other));
}

/* Groups findings of one block, in their original order. */
static int compare_results(const void *a, const void *b)
{
	const struct doctor_result *const *one = a, *const *other = b;

	return compare_findings(*one, *other) ?: COMPARE(*one, *other);
}

static int compare(const void *a, const void *b)
{
	const struct doctor_block *first = a, *second = b;
	const struct finding *x = &first->results[0]->finding, *y = &second->results[0]->finding;

	return COMPARE(y->severity.value, x->severity.value)
		       ?: COMPARE(x->id.value, y->id.value)
		       ?: COMPARE(first->results[0], second->results[0]);
}

/*
 * Counts the dependents of each cause: checks, not results, so that one check that was skipped on
 * eight ports counts once.
 */
static void count_dependents(const struct doctor_results *results, size_t counts[DOCTOR_CHECKS])
{
	bool seen[DOCTOR_CHECKS][DOCTOR_CHECKS] = {{false}};

	for_each (result, results) {
		bool *one = &seen[result->because.value][result->finding.id.value];

		if (!result->because.known || *one)
			continue;
		*one = true;
		counts[result->because.value]++;
	}
}

void doctor_blocks_make(const struct doctor_results *results, struct doctor_blocks *ret_blocks)
{
	const struct doctor_result **sorted = mem_alloc_zero(results->count + 1, sizeof(*sorted));
	size_t totals[DOCTOR_CHECKS] = {0}, dependents[DOCTOR_CHECKS] = {0};

	*ret_blocks = (struct doctor_blocks){.results = sorted};
	for (size_t i = 0; i < results->count; i++)
		sorted[i] = &results->items[i];
	MEM_SORT(sorted, results->count, compare_results);
	for (size_t i = 0; i < results->count; i++) {
		if (!i || compare_findings(sorted[i - 1], sorted[i]))
			MEM_ADD(ret_blocks->items,
				ret_blocks->count) = (struct doctor_block){.results = &sorted[i]};
		ret_blocks->items[ret_blocks->count - 1].count++;
		totals[sorted[i]->finding.id.value]++;
	}
	count_dependents(results, dependents);
	for_each (block, ret_blocks) {
		const struct finding *finding = &block->results[0]->finding;

		block->total = totals[finding->id.value];
		if (finding->severity.value == SEVERITY_ERROR || block->results[0]->blocks)
			block->dependents = dependents[finding->id.value];
	}
	MEM_SORT(ret_blocks->items, ret_blocks->count, compare);
}

void doctor_blocks_free(struct doctor_blocks *blocks)
{
	free(blocks->results);
	free(blocks->items);
	*blocks = (struct doctor_blocks){.count = 0};
}

/* Returns the plural of a check's kind of object. */
static const char *plural(const struct doctor_block *block)
{
	static const char *const words[] = {
		[ON_HOST] = "objects",
		[ON_FUNCTION] = "PCI functions",
		[ON_DEVICE] = "devices",
		[ON_PORT] = "ports",
	};

	return words[doctor_check(block->results[0]->finding.id.value)->scope];
}

char *doctor_block_object(const struct doctor_block *block)
{
	struct strings names = {.items = NULL};
	char *text;

	if (block->count == 1 || !block->results[0]->finding.object)
		return mem_string_or_null(block->results[0]->finding.object);
	if (block->count == block->total)
		return mem_format("%zu of %zu %s", block->count, block->total, plural(block));
	for (size_t i = 0; i < block->count; i++)
		strings_add(&names, block->results[i]->finding.object ?: "-");
	text = doctor_names(&names);
	strings_free(&names);
	mem_extend(&text, " (%zu of %zu %s)", block->count, block->total, plural(block));
	return text;
}

char *doctor_block_step(const struct doctor_block *block)
{
	const struct doctor_result *first = block->results[0];
	_cleanup_(freep) char *list = NULL;
	struct strings names = {.items = NULL};
	char *step = mem_string_or_null(first->finding.next_step);

	for (size_t i = 1; first->step_form && i < block->count; i++) {
		const char *name = block->results[i]->step_name;

		if (strcmp(name, first->step_name) && !strings_contain(&names, name))
			strings_add(&names, name);
	}
	list = doctor_names(&names);
	if (list)
		mem_extend(&step, "; the same for %s", list);
	strings_free(&names);
	return step;
}

static void count_one(struct doctor_coverage *coverage, const struct doctor_result *result)
{
	const uint64_t needs = result->needs.known ? result->needs.value : 0;

	if (result->finding.severity.value != SEVERITY_INFO) {
		coverage->made[result->finding.severity.value]++;
		coverage->checked++;
		return;
	}
	coverage->not_checked++;
	if (result->because.known)
		coverage->because++;
	else if (needs)
		coverage->needs[__builtin_ctzll(needs)]++;
	else
		coverage->unknown++;
}

/* A check counts by its worst verdict, and as made if it was made on at least one object. */
static bool is_worse(const struct doctor_result *result, const struct doctor_result *worst)
{
	const uint64_t severity = result->finding.severity.value;

	return !worst ||
	       (severity != SEVERITY_INFO && (worst->finding.severity.value == SEVERITY_INFO ||
					      severity > worst->finding.severity.value));
}

void doctor_count(const struct doctor_results *results, struct doctor_coverage *ret_coverage)
{
	const struct doctor_result *worst[DOCTOR_CHECKS] = {NULL};

	*ret_coverage = (struct doctor_coverage){.not_applicable = results->not_applicable.count};
	for_each (result, results)
		if (is_worse(result, worst[result->finding.id.value]))
			worst[result->finding.id.value] = result;
	for (size_t i = 0; i < DOCTOR_CHECKS; i++)
		if (worst[i])
			count_one(ret_coverage, worst[i]);
	for_each (result, results)
		if (result->finding.severity.value == SEVERITY_INFO && !result->because.known &&
		    worst[result->finding.id.value]->finding.severity.value != SEVERITY_INFO)
			ret_coverage->partial++;
}
