/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --set of congestion control on a made-up node: what is read, written and read back, by the bytes
 * of A10.4.3; and the full text for what --set rejects.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/mad/gmp.h"
#include "fake_transport.h"
#include "mad/format/header.h"
#include "schema/bits.h"

enum { NODE_LID = 9 };

struct bed {
	struct fake fake;
	struct gmp_args args;
	struct gmp_run run;
	struct mad_destination destination;
	char name[2];
	char *words[2];
	unsigned char data[192]; /* content of every block on the node */
	unsigned char written[192];
	uint32_t modifiers[4];
	uint64_t keys[4];
	uint8_t methods[4];
	size_t asked;
	uint16_t refused; /* status of a Set */
	bool keeps, dead;
};

static int answer(struct fake *fake, int agent, const struct mad_address *to,
		  const unsigned char *mad)
{
	struct bed *bed = fake->context;
	unsigned char reply[MAD_BYTES];

	(void)agent;
	assert_int_equal(to->lid, NODE_LID);
	assert_true(bed->asked < ARRAY_SIZE(bed->methods));
	bed->keys[bed->asked] = bits_get(mad, 24 * 8, 64);
	bed->modifiers[bed->asked] = mad_modifier(mad);
	bed->methods[bed->asked++] = (uint8_t)mad_method(mad);
	if (bed->dead)
		return 0;
	memcpy(reply, mad, MAD_BYTES);
	mad_set_method(reply, UMAD_METHOD_GET_RESP);
	if (mad_method(mad) == UMAD_METHOD_SET) {
		memcpy(bed->written, mad + 64, sizeof(bed->written));
		if (!bed->keeps && !bed->refused)
			memcpy(bed->data, mad + 64, sizeof(bed->data));
		bits_set(reply, 4 * 8, 16, bed->refused);
	}
	memcpy(reply + 64, bed->data, sizeof(bed->data));
	fake_put(fake, 0, reply, MAD_BYTES, 0);
	return 0;
}

static const struct command command = {.name = "x"};
static const struct ctx context = {.command = &command};

static struct bed *begin(const char *attribute, const char *set, const char *word)
{
	const struct mad_engine_options options = {.timeout_msec = 50, .retries_given = true};
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));
	struct gmp_run *run = &bed->run;

	bed->fake.on_send = answer;
	bed->fake.context = bed;
	bed->args = (struct gmp_args){.set = set, .yes = true};
	bed->name[0] = '9';
	bed->words[0] = word ? mem_string(word) : NULL;
	bed->destination = (struct mad_destination){
		.name = bed->name,
		.words = bed->words,
		.word_count = word != NULL,
		.place = {.target = {.kind = TARGET_LID, .lid = NODE_LID},
			  .address = {.lid = NODE_LID, .qpn = 1}},
	};
	run->args = &bed->args;
	run->attribute = mad_attribute_find_word(cc_attributes, attribute);
	run->key = 0x55;
	run->mad.listing.ctx = &context;
	run->mad.session = (struct mad_session){
		.problems = &run->mad.listing.problems,
		.destinations = &bed->destination,
		.destination_count = 1,
		.engine = fake_engine(&bed->fake, &options),
	};
	return bed;
}

static void end(struct bed *bed)
{
	for (size_t i = 0; i < bed->run.record_count; i++)
		mad_record_clear(&bed->run.records[i]);
	free(bed->run.records);
	free(bed->words[0]);
	problems_free(&bed->run.mad.listing.problems);
	mad_engine_free(bed->run.mad.session.engine);
	free(bed);
}

/* One byte of the data written; apart from the map, all other bytes are those the node had. */
static void writes(void **state)
{
	static const struct {
		const char *attribute, *set, *word;
		uint32_t modifier;
		size_t at;
		unsigned int byte;
		size_t map_at, map_bytes;
		uint64_t map;
	} rows[] = {
		/*
		 * CACongestionSetting: service level 3 has one bit in the map and an entry of 8
		 * bytes.
		 */
		{"ca", "ccti_increase=7", "3", 0, 4 + 3 * 8 + 2, 7, 2, 2, 1 << 3},
		{"ca", "ccti_min=9", "0", 0, 4 + 4, 9, 2, 2, 1},
		{"ca", "ccti_min=9", "15", 0, 4 + 15 * 8 + 4, 9, 2, 2, 1 << 15},
		{"ca", "control_map=0x5,ccti_min=9", "1", 0, 4 + 8 + 4, 9, 2, 2, 5},
		/* SwitchCongestionSetting: all five fields are valid. */
		{"switch", "packet_size_credits=5", NULL, 0, 69, 5, 0, 4, 0x1f},
		{"switch", "control_map=0x4,threshold=9", NULL, 0, 68, 0x91, 0, 4, 4},
		/* Blocks of 32 ports, and of 64 table entries after the limit. */
		{"ports", "packet_size_credits=5", "33", 1, 4 + 1, 5, 0, 0, 0},
		{"table", "cct_multiplier=6", "130", 2, 4 + 2 * 2 + 1, 6, 0, 0, 0},
		/* Writing a number other than 0 leaves the violation counter unchanged. */
		{"key", "cc_key_lease_period_sec=258", NULL, 0, 11, 2, 12, 2, 1},
		{"key", "cc_key_violations=0,cc_key_protect=yes", NULL, 0, 8, 0x81, 12, 2, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bed *bed = begin(rows[i].attribute, rows[i].set, rows[i].word);
		size_t differs = 0;

		for (size_t at = 0; at < bed->run.attribute->bytes; at++)
			bed->data[at] = 1;
		gmp_set(&bed->run);
		if (bed->run.mad.listing.problems.count)
			fail_msg("row %zu: %s", i, bed->run.mad.listing.problems.items[0].error);
		assert_int_equal(bed->asked, 3);
		assert_int_equal(bed->methods[0], UMAD_METHOD_GET);
		assert_int_equal(bed->methods[1], UMAD_METHOD_SET);
		assert_int_equal(bed->methods[2], UMAD_METHOD_GET);
		for (size_t j = 0; j < 3; j++) {
			assert_int_equal(bed->modifiers[j], rows[i].modifier);
			assert_int_equal(bed->keys[j], 0x55);
		}
		if (bed->written[rows[i].at] != rows[i].byte)
			fail_msg("row %zu: 0x%x", i, bed->written[rows[i].at]);
		if (rows[i].map_bytes)
			assert_int_equal(bits_get(bed->written, rows[i].map_at * 8,
						  rows[i].map_bytes * 8),
					 rows[i].map);
		for (size_t at = 0; at < bed->run.attribute->bytes; at++)
			differs += bed->written[at] != 1 &&
				   (at < rows[i].map_at ||
				    at >= rows[i].map_at + rows[i].map_bytes);
		assert_true(differs <= 2);
		assert_int_equal(bed->run.record_count, 1);
		assert_int_equal(bed->run.records[0].index.known, rows[i].word != NULL);
		assert_int_equal(bed->run.records[0].lid.value, NODE_LID);
		assert_int_equal(bed->run.mad.listing.status, STATUS_DONE);
		end(bed);
	}
}

/* The next request uses the new key. */
static void a_new_key(void **state)
{
	struct bed *bed = begin("key", "cc_key=0x77", NULL);

	(void)state;
	gmp_set(&bed->run);
	assert_int_equal(bed->asked, 3);
	assert_int_equal(bed->keys[1], 0x55);
	assert_int_equal(bed->keys[2], 0x77);
	end(bed);
}

/* A node that keeps its old value is reported, except for the map and for a hidden key. */
static void kept(void **state)
{
	static const struct {
		const char *attribute, *set, *word, *error;
	} rows[] = {
		{"ca", "ccti_min=9", "3", "9 entry 3: the node reports ccti_min as 0, not 9"},
		{"switch", "marking_rate=9", NULL, "9: the node reports marking_rate as 0, not 9"},
		{"switch", "control_map=0x3", NULL, NULL},
		{"switch", "control_map=0x3,marking_rate=9", NULL,
		 "9: the node reports marking_rate as 0, not 9"},
		{"key", "cc_key=0x77", NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bed *bed = begin(rows[i].attribute, rows[i].set, rows[i].word);
		const struct problems *problems = &bed->run.mad.listing.problems;

		bed->keeps = true;
		gmp_set(&bed->run);
		assert_int_equal(problems->count, rows[i].error != NULL);
		if (rows[i].error)
			assert_string_equal(problems->items[0].error, rows[i].error);
		assert_int_equal(bed->run.record_count, 1);
		end(bed);
	}
}

/* If the node does not answer, or refuses, nothing is listed and the command fails. */
static void failures(void **state)
{
	struct bed *bed = begin("switch", "marking_rate=9", NULL);

	(void)state;
	bed->dead = true;
	gmp_set(&bed->run);
	assert_int_equal(bed->asked, 1);
	assert_int_equal(bed->run.record_count, 0);
	assert_int_equal(bed->run.mad.listing.status, STATUS_FAILED);
	assert_int_equal(bed->run.mad.listing.problems.count, 1);
	assert_string_equal(bed->run.mad.listing.problems.items[0].hint,
			    "no port has this LID, the node is down, or it has no agent of that "
			    "class: rdmactl mad classes DEST");
	end(bed);
	bed = begin("switch", "marking_rate=9", NULL);
	bed->refused = 0x1c;
	gmp_set(&bed->run);
	assert_int_equal(bed->asked, 2);
	assert_int_equal(bed->run.record_count, 0);
	assert_int_equal(bed->run.mad.listing.status, STATUS_FAILED);
	assert_string_equal(bed->run.mad.listing.problems.items[0].error,
			    "not changed: the node refused it with status 0x001c: invalid-value");
	assert_string_equal(bed->run.mad.listing.problems.items[0].hint,
			    "the write may need the node's CC_Key: --mkey");
	end(bed);
}

static void refusals(void **state)
{
	static const struct {
		const char *attribute, *set, *word, *error, *hint;
		size_t asked;
	} rows[] = {
		{"ca", "ccti_min=9", NULL, "--set changes one entry of the table",
		 "give the number of the entry after the destination", 0},
		{"ca", "ccti_min=9", "1-2", "--set changes one entry of the table",
		 "give the number of the entry after the destination", 0},
		{"ca", "ccti_min=9", "x", "--set changes one entry of the table",
		 "give the number of the entry after the destination", 0},
		{"ca", "ccti_min=9", "16", "the last entry is 15", NULL, 0},
		{"switch", "marking_rate=9", "1", "switch has no entries",
		 "do not give an entry after the destination", 0},
		{"switch", "marking_rate", NULL, "--set takes FIELD=VALUE",
		 "rdmactl x --help lists the fields", 0},
		{"switch", "marking_rate=65536", NULL,
		 "--set: '65536' is out of range for marking_rate", NULL, 1},
		{"switch", "marking_rate=x", NULL, "--set: 'x' is not a value of marking_rate",
		 NULL, 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bed *bed = begin(rows[i].attribute, rows[i].set, rows[i].word);
		const struct problems *problems = &bed->run.mad.listing.problems;

		gmp_set(&bed->run);
		assert_int_equal(problems->count, 1);
		assert_string_equal(problems->items[0].error, rows[i].error);
		if (rows[i].hint)
			assert_string_equal(problems->items[0].hint, rows[i].hint);
		assert_int_equal(bed->run.mad.listing.status, STATUS_USAGE);
		assert_int_equal(bed->asked, rows[i].asked);
		end(bed);
	}
}

/* One node at a time. */
static void two_nodes(void **state)
{
	struct bed *bed = begin("switch", "marking_rate=9", NULL);

	(void)state;
	bed->run.mad.session.destination_count = 2;
	gmp_set(&bed->run);
	assert_string_equal(bed->run.mad.listing.problems.items[0].error, "--set changes one node");
	assert_int_equal(bed->asked, 0);
	end(bed);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes),   cmocka_unit_test(a_new_key),
		cmocka_unit_test(kept),	    cmocka_unit_test(failures),
		cmocka_unit_test(refusals), cmocka_unit_test(two_nodes),
	};

	return cmocka_run_group_tests_name("gmp_set", tests, NULL, NULL);
}
