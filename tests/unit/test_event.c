/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The record of an event, its line of text, and the rules that the user writes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "event/event.h"
#include "event/thresholds.h"

static const struct event_time start = {.wall_nsec = UINT64_C(1767225599007999999)};

/* Every word has a name, a bit and a help text, and no word is listed twice. */
static void words(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < EVENT_WORD_COUNT; i++) {
		assert_int_equal(event_names[i].value, i);
		assert_int_equal(event_bits[i].value, UINT64_C(1) << i);
		assert_string_equal(event_bits[i].word, event_names[i].word);
		assert_true(strlen(event_names[i].help) > 10);
		assert_ptr_equal(enum_find_word(event_names, event_names[i].word), &event_names[i]);
	}
	assert_null(event_names[EVENT_WORD_COUNT].word);
	assert_null(event_bits[EVENT_WORD_COUNT].word);
}

static void check_field(const struct event *event, const char *key, const char *wanted)
{
	struct value value;

	field_get(schema_find(&event_schema, key), event, &value);
	assert_int_equal(value.kind, VALUE_STRING);
	assert_string_equal(value.string, wanted);
}

static void record(void **state)
{
	struct event_list list = {.items = NULL};
	struct event *event = event_list_add(&list, EVENT_PORT_DOWN, &start, EVENT_SOURCE_RESYNC);
	struct value value;

	(void)state;
	check_field(event, "time", "2025-12-31T23:59:59.007Z");
	check_field(event, "event", "port-down");
	check_field(event, "severity", "error");
	check_field(event, "source", "resync");
	/* Everything else is unknown. */
	for (size_t i = 0; i < event_schema.field_count; i++) {
		const char *key = event_schema.fields[i].key;

		if (!strcmp(key, "time") || !strcmp(key, "event") || !strcmp(key, "severity") ||
		    !strcmp(key, "source"))
			continue;
		field_get(&event_schema.fields[i], event, &value);
		assert_int_equal(value.kind, VALUE_NONE);
	}
	event_describe(event);
	assert_null(event->change);
	event_list_clear(&list);
	assert_int_equal(list.count, 0);
}

static struct event *describe(struct event_list *list, struct event *event)
{
	event_describe(event);
	/* A second call gives the same. */
	event_describe(event);
	return &list->items[list->count - 1];
}

static void lines(void **state)
{
	struct event_list list = {.items = NULL};
	struct event *event = event_list_add(&list, EVENT_COUNTER, &start, EVENT_SOURCE_COUNTERS);

	(void)state;
	event->counter = mem_string("symbol_error");
	event->threshold = (struct real){.value = 10, .known = true};
	event->rate_per_sec = (struct real){.value = 25.5, .known = true};
	event->value = number_of(51);
	assert_string_equal(describe(&list, event)->change,
			    "symbol_error grows by 25.5/s, more than 10/s, to 51");
	/* A port of 100 Gb/s with one error per day. */
	event->rate_per_sec = real_of(12345678901.4);
	event->threshold = real_of(1.0 / 86400);
	assert_string_equal(describe(&list, event)->change,
			    "symbol_error grows by 12345678901/s, more than 0.0000115741/s, to 51");

	event = event_list_add(&list, EVENT_GAP, &start, EVENT_SOURCE_RTNL);
	assert_string_equal(describe(&list, event)->change,
			    "reports were lost: the state is read and compared");

	event = event_list_add(&list, EVENT_PORT_ACTIVE, &start, EVENT_SOURCE_START);
	event->port_before.state = event->port_after.state = number_of(4);
	assert_string_equal(describe(&list, event)->change, "the state when watching began");

	event = event_list_add(&list, EVENT_PORT_DOWN, &start, EVENT_SOURCE_VERBS);
	event->port_before.state = number_of(4);
	event->port_after.state = number_of(77);
	event->port_before.physical_state = number_of(5);
	event->port_after.physical_state = number_of(2);
	event->port_before.rate_gbps = (struct real){.value = 2.5, .known = true};
	assert_string_equal(describe(&list, event)->change,
			    "state active -> unknown-77, physical link-up -> polling, "
			    "rate 2.5 -> - Gb/s");
	event_list_clear(&list);
}

static void times_as_one_reads_them(void **state)
{
	static const struct {
		uint64_t msec;
		const char *text;
	} times[] = {
		{0, "was down for 0 ms"},	   {999, "was down for 999 ms"},
		{1000, "was down for 1 s"},	   {1999, "was down for 1.9 s"},
		{59999, "was down for 59.9 s"},	   {60000, "was down for 1 min"},
		{61999, "was down for 1 min 1 s"}, {3599999, "was down for 59 min 59 s"},
		{3600000, "was down for 1 h"},	   {90061000, "was down for 25 h 1 min"},
	};
	struct event_list list = {.items = NULL};
	struct event *event = event_list_add(&list, EVENT_PORT_ACTIVE, &start, EVENT_SOURCE_VERBS);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		event->down_msec = number_of(times[i].msec);
		assert_string_equal(describe(&list, event)->change, times[i].text);
	}
	event_list_clear(&list);
}

static void flap_rules(void **state)
{
	static const char *const bad[] = {"",	  "3",	   "/1m",     "3/",	"0/1m", "3/0",
					  "3/1d", "3/-1m", "1001/1s", "3/1m/1", " 3/1m"};
	unsigned int count = 99;
	uint64_t window = 99;

	(void)state;
	assert_int_equal(event_parse_flap("3/10m", &count, &window), 0);
	assert_int_equal(count, 3);
	assert_int_equal(window, 600000);
	assert_int_equal(event_parse_flap("1000/500ms", &count, &window), 0);
	assert_int_equal(count, 1000);
	assert_int_equal(window, 500);
	assert_int_equal(event_parse_flap("2/90", &count, &window), 0);
	assert_int_equal(window, 90000);
	assert_int_equal(event_parse_flap("1/1h", &count, &window), 0);
	assert_int_equal(window, 3600000);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(event_parse_flap(bad[i], &count, &window), -EINVAL);
	/* A failed call leaves the rules unchanged. */
	assert_int_equal(count, 1);
	assert_int_equal(window, 3600000);
	assert_int_equal(event_parse_flap("0", &count, &window), 0);
	assert_int_equal(count, 0);
}

static void threshold_rules(void **state)
{
	static const char *const bad[] = {"",	    "a",	"a>1",	    ">1/s",    "a>/s",
					  "a>1/",   "a>1/ms",	"a>1/days", "a>0x1/s", "a>1e3/s",
					  "a>-1/s", "a>1..2/s", "a>1/s,",   ",a>1/s",  "a<1/s"};
	struct event_threshold_list list = {.items = NULL};
	_cleanup_(freep) char *endless = mem_format("a>1%0400d/s", 0);
	char *word = NULL;

	(void)state;
	assert_int_equal(event_parse_thresholds("symbol_error>10/s,x>0.5/min,y>0/h", &list, &word),
			 0);
	assert_int_equal(list.count, 3);
	assert_string_equal(list.items[0].name, "symbol_error");
	assert_true(list.items[0].count == 10);
	assert_int_equal(list.items[0].period_msec, 1000);
	assert_string_equal(list.items[1].name, "x");
	assert_true(list.items[1].count == 0.5);
	assert_int_equal(list.items[1].period_msec, 60000);
	assert_true(list.items[2].count == 0);
	assert_int_equal(list.items[2].period_msec, 3600000);
	event_threshold_list_clear(&list);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(event_parse_thresholds(bad[i], &list, &word), -EINVAL);
		assert_non_null(word);
		free(word);
		word = NULL;
	}
	assert_int_equal(list.count, 0);
	assert_int_equal(event_parse_thresholds("a>1/s,bad,c>1/s", &list, &word), -EINVAL);
	assert_string_equal(word, "bad");
	free(word);
	/* More than a double holds: no counter could ever exceed it. */
	assert_int_equal(event_parse_thresholds(endless, &list, &word), -EINVAL);
	assert_string_equal(word, endless);
	free(word);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),      cmocka_unit_test(record),
		cmocka_unit_test(lines),      cmocka_unit_test(times_as_one_reads_them),
		cmocka_unit_test(flap_rules), cmocka_unit_test(threshold_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
