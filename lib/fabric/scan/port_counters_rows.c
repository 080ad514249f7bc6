/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fabric/scan/port_counters.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/graph/view_columns.h"
#include "mad/format/header.h"

/* A counter, and its part of the sentence. */
struct said {
	const struct field *field;
	uint64_t weight;
	char *text;
};

static const struct perf_counter *counter_of(const struct field *field,
					     const struct perf_record *record)
{
	return (const struct perf_counter *)(const void *)((const char *)record + field->offset);
}

/* The highest first; equal ones in the order of the table. */
static int compare_said(const void *a, const void *b)
{
	const struct said *one = a, *other = b;

	if (one->weight != other->weight)
		return one->weight < other->weight ? 1 : -1;
	return (one->field > other->field) - (one->field < other->field);
}

/* `symbol_errors 100, link_downed 3`; frees the texts. */
static char *join(struct said *items, size_t count)
{
	char *all = NULL;

	if (count)
		qsort(items, count, sizeof(*items), compare_said);
	for (size_t i = 0; i < count; i++) {
		char *longer = all ? mem_format("%s, %s", all, items[i].text)
				   : mem_string(items[i].text);

		free(all);
		free(items[i].text);
		all = longer;
	}
	return all;
}

bool port_errors_row_make(const struct fabric_view *view, const struct port_counters *counters,
			  uint64_t least, struct port_errors_row *row)
{
	_cleanup_(freep) struct said *said = NULL;
	size_t count = 0;
	bool worth = false;

	*row = (struct port_errors_row){.at = {.view = view, .place = counters->port}};
	port_counters_decode(counters, &row->counters);
	number_set(&row->error_count, 0);
	for (size_t i = 0; i < perf_schema.field_count; i++) {
		const struct field *field = &perf_schema.fields[i];
		const struct perf_counter *counter = counter_of(field, &row->counters);

		if (field->tag != PERF_GROUP_ERRORS || !counter->known)
			continue;
		worth |= counter->value >= least || counter->saturated;
		if (!counter->value)
			continue;
		row->error_count.value += counter->value;
		*(struct said *)mem_append(&said, &count, sizeof(*said)) = (struct said){
			.field = field,
			.weight = counter->value,
			.text = mem_format("%s %s%" PRIu64, field->key,
					   counter->saturated ? ">=" : "", counter->value),
		};
	}
	row->errors = join(said, count);
	if (!worth)
		port_errors_row_clear(row);
	return worth;
}

void port_errors_row_clear(struct port_errors_row *row)
{
	perf_record_clear(&row->counters);
	free(row->errors);
	*row = (struct port_errors_row){.errors = NULL};
}

static enum counter_change_state change_of(const struct perf_counter *before,
					   const struct perf_counter *after)
{
	if (!after->known)
		return CHANGE_UNREADABLE;
	if (!before->known)
		return CHANGE_NEW;
	if (after->value < before->value)
		return CHANGE_CLEARED;
	return after->saturated ? CHANGE_SATURATED : CHANGE_COUNTED;
}

static struct port_counter_growth growth_of(const struct field *field,
					    const struct perf_counter *before,
					    const struct perf_counter *after, double seconds)
{
	const enum counter_change_state state = change_of(before, after);
	struct port_counter_growth growth = {
		.field = field,
		.before = {.value = before->value, .known = before->known},
		.value = {.value = after->value, .known = after->known},
		.state = number_of(state),
	};

	if (state != CHANGE_COUNTED)
		return growth;
	growth.growth = number_of(after->value - before->value);
	if (seconds > 0)
		growth.per_sec = (struct real){
			.value = (double)growth.growth.value / seconds,
			.known = true,
		};
	return growth;
}

/* The growth in words, NULL if there is none, and the least that was counted. */
static char *say_growth(const struct port_counter_growth *growth, uint64_t *ret_least)
{
	const char *key = growth->field->key;

	*ret_least = growth->growth.known ? growth->growth.value : growth->value.value;
	if (growth->state.value == CHANGE_SATURATED)
		*ret_least -= growth->before.value;
	switch ((enum counter_change_state)growth->state.value) {
	case CHANGE_SATURATED:
		return mem_format("%s stopped at %" PRIu64, key, growth->value.value);
	case CHANGE_CLEARED:
		return *ret_least ? mem_format("%s %" PRIu64 " since it was reset", key, *ret_least)
				  : NULL;
	case CHANGE_NEW:
		return *ret_least ? mem_format("%s %" PRIu64 ", not read before", key, *ret_least)
				  : NULL;
	default:
		break;
	}
	if (!growth->growth.value)
		return NULL;
	return growth->per_sec.known ? mem_format("%s +%" PRIu64 " (%.4g/s)", key,
						  growth->growth.value, growth->per_sec.value)
				     : mem_format("%s +%" PRIu64, key, growth->growth.value);
}

/* Adds all known counters to the row, and describes the error counters. */
static bool compare_counters(const struct perf_record *before, const struct perf_record *after,
			     double seconds, uint64_t least, struct port_growth_row *row)
{
	_cleanup_(freep) struct said *said = NULL;
	size_t count = 0;
	bool worth = false;

	for (size_t i = 0; i < perf_schema.field_count; i++) {
		const struct field *field = &perf_schema.fields[i];
		struct said one = {.field = field};
		struct port_counter_growth *growth;

		if (!field->tag || !counter_of(field, after)->known)
			continue;
		growth = mem_append(&row->counters, &row->count, sizeof(*growth));
		*growth = growth_of(field, counter_of(field, before), counter_of(field, after),
				    seconds);
		if (field->tag != PERF_GROUP_ERRORS)
			continue;
		one.text = say_growth(growth, &one.weight);
		worth |= one.weight >= least || growth->state.value == CHANGE_SATURATED;
		row->error_count.value += one.weight;
		if (one.text)
			*(struct said *)mem_append(&said, &count, sizeof(*said)) = one;
	}
	row->errors = join(said, count);
	return worth;
}

bool port_growth_row_make(const struct fabric_view *view, const struct port_counters *before,
			  const struct port_counters *after, double seconds, uint64_t least,
			  struct port_growth_row *row)
{
	struct perf_record then = {.object = NULL}, now;
	bool worth;

	*row = (struct port_growth_row){
		.at = {.view = view, .place = after->port},
		.error_count = {.known = true},
	};
	port_counters_decode(after, &now);
	/* If only one reading has the wide counters, they cannot be compared. */
	if (before && before->extended == after->extended)
		port_counters_decode(before, &then);
	perf_rates_of(&then, &now, seconds, &row->rates);
	worth = compare_counters(&then, &now, seconds, least, row);
	perf_record_clear(&then);
	perf_record_clear(&now);
	return worth;
}

void port_growth_row_clear(struct port_growth_row *row)
{
	perf_rates_clear(&row->rates);
	free(row->errors);
	free(row->counters);
	*row = (struct port_growth_row){.errors = NULL};
}

void port_errors_failure_text(const struct fabric_view *view, const struct fabric_failure *failure,
			      char **ret_object, char **ret_message)
{
	const struct mad_attribute *attribute = mad_attribute_find(UMAD_CLASS_PERF_MGMT,
								   failure->attribute);
	uint32_t node = view->fabric->ports[failure->port].node;
	_cleanup_(freep) char *reason = mad_failure_text(UMAD_CLASS_PERF_MGMT, failure->error,
							 failure->status, failure->tries);

	*ret_object = failure->port == view->fabric->nodes[node].first_port
			      ? fabric_node_name(view, node)
			      : fabric_port_name(view, failure->port);
	*ret_message = mem_format("%s: %s", attribute ? attribute->name : "counters", reason);
}

char *port_errors_unreachable_text(const struct fabric_view *view, const struct port_errors *errors)
{
	_cleanup_(freep) char *first = fabric_port_name(view, errors->first_unreachable);

	if (errors->unreachable == 1)
		return mem_format("%s has no LID or is not active: its counters cannot be read",
				  first);
	return mem_format("%zu ports have no LID or are not active, so that their counters cannot "
			  "be read; the first is %s",
			  errors->unreachable, first);
}
