/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters and their growth as records. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/scan/port_counters.h"
#include "mad/format/header.h"
#include "schema/rows.h"

/* A counter, and its part of the sentence. */
struct said {
	const struct field *field;
	uint64_t weight;
	char *text;
};

/* Highest first; equal ones in the order of the table. */
DEFINE_ORDER(compare_said, struct said, COMPARE(b->weight, a->weight), COMPARE(a->field, b->field))

/* `symbol_errors 100, link_downed 3`; frees the texts. */
static char *join(struct said *items, size_t count)
{
	char *all = NULL;

	MEM_SORT(items, count, compare_said);
	for (size_t i = 0; i < count; i++) {
		mem_extend(&all, "%s%s", all ? ", " : "", items[i].text);
		free(items[i].text);
	}
	return all;
}

/* Without saturation, wide counters at their maximum would wrap the sum around to a small one. */
static void add(struct number *sum, uint64_t value)
{
	if (__builtin_add_overflow(sum->value, value, &sum->value))
		sum->value = UINT64_MAX;
}

bool port_errors_row_make(const struct fabric_view *view, const struct port_counters *counters,
			  const struct error_limits *limits, struct port_errors_row *row)
{
	_cleanup_(freep) struct said *said = NULL;
	size_t count = 0;
	bool worth = false;

	*row = (struct port_errors_row){.at = {.view = view, .place = counters->port}};
	port_counters_decode(counters, &row->counters);
	number_set(&row->error_count, 0);
	for (size_t i = 0; i < perf_schema.field_count; i++) {
		const struct field *field = &perf_schema.fields[i];
		const struct perf_counter *counter = perf_counter_of(field, &row->counters);

		if (!field->tag || limits->by_counter[i] == ERROR_LIMIT_NEVER || !counter->known)
			continue;
		worth |= error_limit_is_passed(limits->by_counter[i], counter->value,
					       counter->saturated);
		if (!counter->value)
			continue;
		/* Ticks of waiting may have a limit, but they are not errors. */
		if (field->tag == PERF_GROUP_ERRORS)
			add(&row->error_count, counter->value);
		MEM_ADD(said, count) = (struct said){
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
		growth.per_sec = real_of((double)growth.growth.value / seconds);
	return growth;
}

/* Describes the growth (NULL if there is none); *ret_least is the least that was counted. */
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
			     double seconds, const struct error_limits *limits,
			     struct port_growth_row *row)
{
	_cleanup_(freep) struct said *said = NULL;
	size_t count = 0;
	bool worth = false;

	for (size_t i = 0; i < perf_schema.field_count; i++) {
		const struct field *field = &perf_schema.fields[i];
		struct said one = {.field = field};
		struct port_counter_growth *growth;

		if (!field->tag || !perf_counter_of(field, after)->known)
			continue;
		growth = mem_append(&row->counters, &row->count, sizeof(*growth));
		*growth = growth_of(field, perf_counter_of(field, before),
				    perf_counter_of(field, after), seconds);
		if (limits->by_counter[i] == ERROR_LIMIT_NEVER)
			continue;
		one.text = say_growth(growth, &one.weight);
		worth |= error_limit_is_passed(limits->by_counter[i], one.weight,
					       growth->state.value == CHANGE_SATURATED);
		/* It is unknown when the errors of a counter that was not read before occurred. */
		if (field->tag == PERF_GROUP_ERRORS && growth->state.value != CHANGE_NEW)
			add(&row->error_count, one.weight);
		if (one.text)
			MEM_ADD(said, count) = one;
	}
	row->errors = join(said, count);
	return worth;
}

bool port_growth_row_make(const struct fabric_view *view, const struct port_counters *before,
			  const struct port_counters *after, double seconds,
			  const struct error_limits *limits, struct port_growth_row *row)
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
	perf_rates_of(PERF_OF_PORT, &then, &now, seconds, &row->rates);
	worth = compare_counters(&then, &now, seconds, limits, row);
	perf_record_clear(&then);
	perf_record_clear(&now);
	return worth;
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
	return mem_format("%zu ports have no LID or are not active, so their counters cannot be "
			  "read; the first is %s",
			  errors->unreachable, first);
}

/* Shows the counter with the key and value that it has in `rdmactl perf`. */
static void show_counter(const void *record, const char *key, struct value *value)
{
	const struct port_errors_row *row = record;
	const struct field *field = schema_find(&perf_schema, key);

	if (row->at.view)
		field_get(field, &row->counters, value);
}

/* One getter per row of pm_counters.h. */
#define COUNTER_GETTER(group_, factor_, member_, ...)                      \
	static void get_##member_(const void *record, struct value *value) \
	{                                                                  \
		show_counter(record, #member_, value);                     \
	}
PERF_PORT_COUNTERS(COUNTER_GETTER)

/* Hidden by default, because the column `errors` has the nonzero ones. */
#define COUNTER_COLUMN(group_, factor_, member_, heading_, flags_, byte_, bit_, width_, wide_, \
		       help_)                                                                  \
	VIEW_NUMBER(get_##member_, #member_, heading_, 0, help_),
#define WAIT_COLUMN(group_, factor_, member_, heading_, flags_, byte_, bit_, width_, wide_, help_) \
	VIEW_COLUMN(FIELD_UNSIGNED, get_##member_, #member_, heading_, SHOWN | FIELD_RIGHT, help_),

static void get_details(const void *record, struct value *value)
{
	const struct port_errors_row *row = record;

	if (row->knows_details || row->detail_count)
		value_set_records(value, row->details, row->detail_count);
}

#define RECORD struct port_errors_row
static const struct field errors_fields[] = {
	PLACE_COLUMNS(place_get_port),
	NUMBER(error_count, "COUNT", SHOWN, 0, "sum of all error counters"),
	PERF_ERRORS(COUNTER_COLUMN) PERF_XMIT_WAIT(WAIT_COLUMN) PERF_TRAFFIC(COUNTER_COLUMN)
		NUMBER_AS("width_bits", counters.width_bits, "WIDTH", 0, 0,
			  "width of the counters of bytes and packets"),
	LIST_FIELD(RECORD, counters.saturated, "saturated", "SATURATED", 0, 0,
		   "counters that have stopped at their maximum"),
	TEXT(errors, "ERRORS", SHOWN, 0, "the error counters that are not 0, highest first"),
	TEXT_AS("reasons", said_details, "REASONS", 0, 0,
		"with --details: further counters of the errors that are not 0"),
	RECORDS_FIELD(get_details, &port_details_schema, "", "details", 0,
		      "these counters, each with its value"),
};
#undef RECORD

static const struct column_view errors_views[] = {
	{"--details", "node,port,error_count,xmit_wait_ticks,errors,reasons"},
	{NULL, NULL},
};

const struct schema fabric_errors_schema = SCHEMA("fabric_errors", struct port_errors_row,
						  errors_fields, "a port with errors",
						  .views = errors_views);

void port_counter_get_name(const void *record, struct value *value)
{
	const struct field *const *field = record;

	if (*field)
		value_set_string(value, (*field)->key);
}

#define RECORD struct port_counter_growth
static const struct field growth_fields[] = {
	COMPUTED_FIELD(FIELD_STRING, port_counter_get_name, "counter", "COUNTER", 0, 0,
		       "name of the counter, with its unit"),
	NUMBER(before, "BEFORE", 0, 0, "value at the first reading"),
	NUMBER(value, "VALUE", 0, 0, "value at the second reading"),
	NUMBER(growth, "GROWTH", 0, 0, "growth; empty if unknown"),
	REAL_FIELD(RECORD, per_sec, "rate_per_sec", "RATE/s", FIELD_RIGHT, 0, "growth per second"),
	WORD(state, counter_change_names, "STATE", 0, 0, "whether the growth is known, or why not"),
};
#undef RECORD

static const struct schema growth_schema = SCHEMA("counters", struct port_counter_growth,
						  growth_fields, "a counter of two readings");

static void get_counters(const void *record, struct value *value)
{
	const struct port_growth_row *row = record;

	value_set_records(value, row->counters, row->count);
}

#define RATE(member_, heading_, flags_, help_)                                \
	REAL_FIELD(struct port_growth_row, rates.member_, #member_, heading_, \
		   (flags_) | FIELD_RIGHT, 0, help_)

#define RECORD struct port_growth_row
static const struct field row_fields[] = {
	PLACE_COLUMNS(place_get_port),
	NUMBER(error_count, "COUNT", SHOWN, 0, "least number of errors since the first reading"),
	RATE(interval_sec, "SECONDS", 0, "time between the two readings"),
	RATE(errors_per_sec, "ERRORS/s", 0, "growth of all error counters per second"),
	RATE(xmit_wait_ticks_per_sec, "WAIT TICKS/s", SHOWN,
	     "ticks per second with data to send, but without credits or arbitration"),
	RATE(xmit_gbps, "XMIT Gb/s", 0, "gigabits sent per second"),
	RATE(rcv_gbps, "RCV Gb/s", 0, "gigabits received per second"),
	RATE(xmit_packets_per_sec, "XMIT PACKETS/s", 0, "packets sent per second"),
	RATE(rcv_packets_per_sec, "RCV PACKETS/s", 0, "packets received per second"),
	LIST_FIELD(RECORD, rates.saturated, "saturated", "SATURATED", 0, 0,
		   "counters that have stopped at their maximum, and have no rate"),
	TEXT(errors, "ERRORS", SHOWN, 0, "the error counters that grew, largest growth first"),
	RECORDS_FIELD(get_counters, &growth_schema, "", "counters", 0, "all counters"),
};
#undef RECORD

const struct schema fabric_error_growth_schema = SCHEMA(
	"fabric_error_growth", struct port_growth_row, row_fields,
	"a port whose error counters grew, with --interval or --since");
