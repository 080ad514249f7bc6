/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names of the nodes that own LIDs, from NodeRecords of a made-up subnet administrator. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fake_transport.h"
#include "mad/format/header.h"
#include "mad/names/find_node.h"
#include "schema/bits.h"

/* NodeRecord, 15.2.5.2: LID, two reserved bytes, NodeInfo, description; padded to 8 bytes. */
enum { STEP = 112, INFO = 4, DESCRIPTION = 44, SA_AT = 56, SA_LID = 3 };

static void write_record(unsigned char *record, uint16_t lid, uint64_t guid,
			 const char *description)
{
	bits_set(record, 0, 16, lid);
	node_info_set_node_guid(record + INFO, guid);
	memcpy(record + DESCRIPTION, description, strlen(description));
}

static void name_of_a_record(void **state)
{
	static const char longest[] =
		"0123456789012345678901234567890123456789012345678901234567890123";
	static const struct {
		uint64_t guid;
		const char *description, *name;
	} rows[] = {
		{0x10, "leaf 1", "leaf 1"},
		{0x10, "leaf 1  ", "leaf 1"},
		{0x10, " x", " x"},
		{0x10, "   ", "0000:0000:0000:0010"},
		{0x10, "", "0000:0000:0000:0010"},
		{0x10, longest, longest},
		{0x10, "a\x1b[1m", "a\\x1b[1m"},
		{0x77, "leaf 1", "given"},
	};
	static const char map[] = "0x77 \"given\"\n";
	struct node_names names = {.items = NULL};
	unsigned int line;

	(void)state;
	assert_int_equal(node_names_parse(map, strlen(map), &names, &line), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned char record[STEP] = {0};
		_cleanup_(freep) char *name = NULL;

		write_record(record, 1, rows[i].guid, rows[i].description);
		/* Bytes after the description are not part of it. */
		record[DESCRIPTION + 64] = 'y';
		name = node_record_name(record, &names);
		assert_string_equal(name, rows[i].name);
	}
	node_names_clear(&names);
}

struct bed {
	struct fake fake;
	size_t step;	 /* bytes of a record in the answer for all nodes */
	uint16_t status; /* of the answer to a query for all, or by LID */
	uint16_t status_by_lid;
	unsigned int all, by_lid;
	uint16_t lids[4]; /* queried one by one */
};

/* The answer for all has two records; that for a LID has one, with the base LID of its port. */
static int answer(struct fake *fake, int agent, const struct mad_address *to,
		  const unsigned char *mad)
{
	struct bed *bed = fake->context;
	unsigned char reply[SA_AT + 2 * STEP] = {0};
	size_t count = 2, step = bed->step;

	(void)agent;
	assert_int_equal(to->lid, SA_LID);
	assert_int_equal(mad_attribute(mad), UMAD_SA_ATTR_NODE_REC);
	memcpy(reply, mad, SA_AT);
	mad_set_method(reply, UMAD_SA_METHOD_GET_TABLE_RESP);
	mad_set_rmpp_type(reply, 1);
	if (mad_component_mask(mad)) {
		assert_true(mad_component_mask(mad) == 1);
		bed->lids[bed->by_lid++] = (uint16_t)bits_get(mad, SA_AT * 8, 16);
		count = 1;
		step = STEP;
		write_record(reply + SA_AT, 0x1230, 0x30, "spine");
		bits_set(reply, 4 * 8, 16, bed->status_by_lid);
	} else {
		bed->all++;
		write_record(reply + SA_AT, 0x0105, 0x10, "leaf");
		write_record(reply + SA_AT + step, 9, 0x20, "not asked for");
		bits_set(reply, 4 * 8, 16, bed->status);
	}
	mad_set_record_offset(reply, (uint16_t)(step / 8));
	fake_put(fake, 0, reply, SA_AT + count * step, 0);
	return 0;
}

static int name_owners(struct bed *bed, bool has_manager, struct lid_owners *owners)
{
	const struct mad_engine_options options = {.timeout_msec = 50, .retries_given = true};
	const struct mad_route route = {.lid = 2, .sm_lid = SA_LID, .subnet_manager = has_manager};
	const struct node_names names = {.items = NULL};
	struct mad_engine *engine;
	int rc;

	bed->fake.on_send = answer;
	bed->fake.context = bed;
	engine = fake_engine(&bed->fake, &options);
	rc = lid_owners_name(engine, &route, &names, owners);
	mad_engine_free(engine);
	return rc;
}

static struct lid_owners *wanted(uint16_t lid)
{
	struct lid_owners *owners = mem_alloc_zero(1, sizeof(*owners));

	owners->wanted[lid] = true;
	return owners;
}

/* All nodes are requested at once; LIDs that are not a base LID are then requested one by one. */
static void owners(void **state)
{
	struct lid_owners *all = wanted(0x0105);
	struct bed bed = {.step = STEP};

	(void)state;
	all->wanted[0x1234] = all->wanted[0xbfff] = true;
	assert_int_equal(name_owners(&bed, true, all), 0);
	assert_int_equal(bed.all, 1);
	assert_int_equal(bed.by_lid, 2);
	assert_int_equal(bed.lids[0], 0x1234);
	assert_int_equal(bed.lids[1], 0xbfff);
	assert_string_equal(all->names[0x0105], "leaf");
	assert_string_equal(all->names[0x1234], "spine");
	assert_string_equal(all->names[0xbfff], "spine");
	assert_null(all->names[9]);
	lid_owners_free(all);
}

/* A record must not be shorter than the part read from it. */
static void short_records(void **state)
{
	struct lid_owners *one = wanted(0x0105);
	struct bed bed = {.step = 104};

	(void)state;
	assert_int_equal(name_owners(&bed, true, one), 0);
	assert_int_equal(bed.by_lid, 1);
	assert_string_equal(one->names[0x0105], "spine");
	lid_owners_free(one);
}

static void refused(void **state)
{
	static const struct {
		uint16_t status, status_by_lid;
		bool has_manager;
		int rc;
		unsigned int by_lid;
	} rows[] = {
		{0, 0, false, -ENODATA, 0},
		{0x0100, 0, true, -EPROTO, 0},
		/* ERR_NO_RECORDS is a valid answer: 15.2.4. */
		{0x0300, 0, true, 0, 1},
		{0x0300, 0x0300, true, 0, 1},
		{0x0300, 0x0200, true, -EPROTO, 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lid_owners *one = wanted(5);
		struct bed bed = {.step = STEP,
				  .status = rows[i].status,
				  .status_by_lid = rows[i].status_by_lid};

		assert_int_equal(name_owners(&bed, rows[i].has_manager, one), rows[i].rc);
		assert_int_equal(bed.all, rows[i].has_manager);
		assert_int_equal(bed.by_lid, rows[i].by_lid);
		if (rows[i].by_lid && !rows[i].status_by_lid)
			assert_string_equal(one->names[5], "spine");
		else
			assert_null(one->names[5]);
		lid_owners_free(one);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(name_of_a_record),
		cmocka_unit_test(owners),
		cmocka_unit_test(short_records),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests_name("lid_owners", tests, NULL, NULL);
}
