/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Filters by the fields of a record. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include "base/cleanup.h"
#include "sample.h"
#include "schema/where.h"

static const struct where_alias aliases[] = {
	{"how-many", "count"}, {"elsewhere", "no_such_field"}, {0}};

static struct sample make_sample(void)
{
	static char name[] = "[ib_core]";
	struct sample sample = {
		.name = name,
		.count = number_of(20),
		.mask = number_of(0x1f),
		.state = number_of(4),
		.caps = number_of(1),
		.up = TRISTATE_YES,
		.ip.known = true,
		.gid.known = true,
	};

	assert_int_equal(ip_parse("10.0.0.2", &sample.ip.address), 0);
	sample.gid.gid = ip_to_gid(&sample.ip.address);
	strings_add(&sample.words, "17");
	strings_add(&sample.words, "20-25");
	sample.words.known = true;
	return sample;
}

static bool passes(const struct sample *sample, const char *text)
{
	_cleanup_(where_clear) struct where where;
	_cleanup_(freep) char *message = NULL, *hint = NULL;

	assert_int_equal(where_parse(&where, &sample_schema, aliases, text, &message, &hint), 0);
	return where_passes(&where, sample);
}

static void values(void **state)
{
	struct sample sample = make_sample();
	static const struct {
		const char *text;
		bool passes;
	} rows[] = {
		{NULL, true},
		{"count=20", true},
		{"count=0x14", true},
		{"count=0X14", true},
		/* Decimal 20, not octal 16. */
		{"count=020", true},
		{"count=00019-0020", true},
		{"count=024", false},
		{"count=21", false},
		{"count=1,20", true},
		{"count=1,2", false},
		{"count=18-20", true},
		{"count=21-30", false},
		{"how-many=20", true},
		{"count=20,state=active", true},
		{"count=20,state=down", false},
		{"state=down,active,count=20", true},
		{"state=4", true},
		{"state=unknown-7", false},
		{"mask=31", true},
		{"mask=0x1f", true},
		{"up=yes", true},
		{"up=no", false},
		{"name=ib_core", true},
		{"name=[ib_core]", true},
		{"name=ib_cor", false},
		{"ip=10.0.0.2", true},
		{"ip=10.0.0.3", false},
		{"ip=::1,10.0.0.2", true},
		{"gid=10.0.0.2", true},
		{"gid=::ffff:10.0.0.2", true},
		{"gid=fe80::1", false},
		{"words=17", true},
		{"words=22", true},
		{"words=20-25", true},
		{"words=24-30", true},
		{"words=18", false},
		{"words=017", true},
		{"double=40", true},
		{"double=20", false},
		{"guid=-", true},
		{"count=-", false},
		{"guid=-,rate_gbps=-", true},
		{"guid=1", false},
		{"words=-", false},
		{"words=-,17", true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (passes(&sample, rows[i].text) != rows[i].passes)
			fail_msg("%s", rows[i].text);
	strings_free(&sample.words);
}

/* An empty value matches like an unknown one, because it is shown like one. */
static void empty(void **state)
{
	struct sample sample = {.words.known = true};

	(void)state;
	assert_true(passes(&sample, "words=-"));
	assert_true(passes(&sample, "name=-"));
	assert_true(passes(&sample, "words=17,-"));
	assert_false(passes(&sample, "words=17"));
	sample.name = (char[]){""};
	assert_true(passes(&sample, "name=-"));
	sample.words.known = false;
	assert_true(passes(&sample, "words=-"));
}

static void unknown_values(void **state)
{
	const struct sample sample = {0};

	(void)state;
	assert_false(passes(&sample, "count=0"));
	assert_false(passes(&sample, "up=no"));
	assert_false(passes(&sample, "ip=0.0.0.0"));
	assert_false(passes(&sample, "words=0"));
	assert_true(passes(&sample, "count=-,up=-,ip=-,words=-,name=-"));
}

static void needs(void **state)
{
	_cleanup_(where_clear) struct where where;
	_cleanup_(freep) char *message = NULL, *hint = NULL;

	(void)state;
	assert_int_equal(where_parse(&where, &sample_schema, NULL, "name=x,count=1,rate_gbps=-",
				     &message, &hint),
			 0);
	assert_int_equal(where_needs(&where), SAMPLE_NEED_COUNT | SAMPLE_NEED_RATE);
}

static void refusals(void **state)
{
	static const char comma[] = "a comma has nothing before it or after it",
			  separated[] = "FIELD=VALUE, or several with commas between",
			  comparison[] = "only = compares, with a value, or with a range: 20-25",
			  range[] =
				  "how many; a range is two numbers, the smaller one first: 20-25",
			  fields[] = "the fields are name, count, change, mask, rate_gbps, up, "
				     "state, caps, guid, gid, ip, words, double, note";
	static const struct {
		const char *text, *message, *hint;
	} rows[] = {
		{"", "the filter is empty", separated},
		{",", comma, separated},
		{",count=1", comma, separated},
		{"count=1,", comma, separated},
		{"count=1,,2", comma, separated},
		{"=5", "'=5' has no field before the =", fields},
		{"=", "'=' has no field before the =", fields},
		{"count=1,=2", "'=2' has no field before the =", fields},
		{"count=", "'count=' has no value after the =", "how many"},
		{"how-many=", "'how-many=' has no value after the =", "how many"},
		{"state", "'state' is not FIELD=VALUE", "state in a word: down, active"},
		{"20", "'20' is not FIELD=VALUE", fields},
		{"state:up", "'state:up' is not FIELD=VALUE", fields},
		{"count==1", "'count==1' is not FIELD=VALUE", comparison},
		{"count!=1", "'count!=1' is not FIELD=VALUE", comparison},
		{"count>1", "'count>1' is not FIELD=VALUE", comparison},
		{"name=x,count<=1", "'count<=1' is not FIELD=VALUE", comparison},
		{"name~x", "'name~x' is not FIELD=VALUE", comparison},
		{"\x1b=1", "unknown field '\\x1b'", fields},
		{"cuont=1", "unknown field 'cuont'", "did you mean 'count'?"},
		{"leaves=1", "unknown field 'leaves'", fields},
		{"elsewhere=1", "unknown field 'elsewhere'", fields},
		{"count=x", "'x' is not a value of count", "how many"},
		{"count=5-3", "'5-3' is not a value of count", range},
		{"count=5-", "'5-' is not a value of count", range},
		{"count=5-x", "'5-x' is not a value of count", range},
		{"count=-5", "'-5' is not a value of count", range},
		{"words=25-20", "'25-20' is not a value of words",
		 "some words; a range is two numbers, the smaller one first: 20-25"},
		{"count=1,x", "'x' is not a value of count", "how many"},
		{"state=up", "'up' is not a value of state", "state in a word: down, active"},
		{"up=maybe", "'maybe' is not a value of up", "whether it is up"},
		{"ip=host", "'host' is not a value of ip", "an address"},
		{"count=\x1b[31m", "'\\x1b[31m' is not a value of count", "how many"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(freep) char *message = NULL, *hint = NULL;
		struct where where;

		assert_int_equal(where_parse(&where, &sample_schema, aliases, rows[i].text,
					     &message, &hint),
				 -EINVAL);
		assert_string_equal(message, rows[i].message);
		assert_string_equal(hint, rows[i].hint);
		assert_int_equal(where.count, 0);
		assert_null(where.values);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),	  cmocka_unit_test(empty),
		cmocka_unit_test(unknown_values), cmocka_unit_test(needs),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
