/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How rdmactl sa turns its words into a query: which components of the record count (15.2.5), their
 * values, and the full message for words that it refuses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/mad/sa_run.h"
#include "schema/bits.h"

/* Component numbers of PathRecord, 15.2.5.16 (IB_PR_COMPMASK_* of rdma-core's headers). */
enum {
	DGID = 1 << 2,
	SGID = 1 << 3,
	DLID = 1 << 4,
	SLID = 1 << 5,
	NUMB_PATH = 1 << 12,
	PKEY = 1 << 13,
	MTU_SELECTOR = 1 << 16,
	MTU = 1 << 17,
	RATE_SELECTOR = 1 << 18,
	RATE = 1 << 19,
	LIFETIME_SELECTOR = 1 << 20,
	LIFETIME = 1 << 21,
};

struct bed {
	struct sa_args args;
	struct sa_run run;
	char *words[4];
};

/* The list of words ends with NULL. */
static bool make(struct bed *bed, const char *record, const char *from, const char *to,
		 const char *const *words)
{
	struct gid own = {.raw = {0xfe, 0x80, [8] = 0, 0x02, 0xc9, 0x03, 0, 0, 0, 0x11}};

	*bed = (struct bed){.args = {.from = from, .to = to}};
	bed->run.args = &bed->args;
	bed->run.asked_for = bed->run.attribute = mad_attribute_find_word(sa_attributes, record);
	bed->run.mad.session.port.route.gid = own;
	bed->run.mad.session.problems = &bed->run.mad.listing.problems;
	for (size_t i = 0; i < 3 && words[i]; i++)
		bed->words[i] = mem_string(words[i]);
	assert_non_null(bed->run.attribute);
	return sa_make_query(&bed->run, bed->words);
}

static void end(struct bed *bed)
{
	for (size_t i = 0; i < ARRAY_SIZE(bed->words); i++)
		free(bed->words[i]);
	problems_free(&bed->run.mad.listing.problems);
}

#define OWN_GID            \
	"fe80000000000000" \
	"0002c90300000011"
#define OTHER_GID          \
	"fe80000000000000" \
	"0002c90300000022"

/* PathRecord: DGID at byte 8, SGID at 24, DLID 40, SLID 42, NumbPath in 49, P_Key 50, MTU 54. */
static void ends_of_paths(void **state)
{
	static const struct {
		const char *from, *to, *words[3];
		uint64_t mask;
		const char *dgid, *sgid;
		unsigned int dlid, slid;
	} rows[] = {
		{NULL, NULL, {NULL}, NUMB_PATH | SGID, NULL, OWN_GID, 0, 0},
		{"5", NULL, {NULL}, NUMB_PATH | SLID, NULL, NULL, 0, 5},
		{NULL, "7", {NULL}, NUMB_PATH | DLID | SGID, NULL, OWN_GID, 7, 0},
		{"5", "7", {NULL}, NUMB_PATH | SLID | DLID, NULL, NULL, 7, 5},
		{"0002:c903:0000:0022", NULL, {NULL}, NUMB_PATH | SGID, NULL, OTHER_GID, 0, 0},
		{NULL,
		 "0002:c903:0000:0022",
		 {NULL},
		 NUMB_PATH | DGID | SGID,
		 OTHER_GID,
		 OWN_GID,
		 0,
		 0},
		{NULL,
		 "fe80::2:c903:0:22",
		 {"slid=3"},
		 NUMB_PATH | DGID | SLID,
		 OTHER_GID,
		 NULL,
		 0,
		 3},
		{NULL, NULL, {"sgid=fe80::2:c903:0:22"}, NUMB_PATH | SGID, NULL, OTHER_GID, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		static const char none[] = "00000000000000000000000000000000";
		char dgid[33], sgid[33];
		const unsigned char *data;
		struct bed bed;

		assert_true(make(&bed, "path", rows[i].from, rows[i].to, rows[i].words));
		data = bed.run.query.data;
		text_write_hex(dgid, data + 8, 16);
		text_write_hex(sgid, data + 24, 16);
		if (bed.run.request.component_mask != rows[i].mask)
			fail_msg("row %zu: 0x%x", i, (unsigned int)bed.run.request.component_mask);
		assert_string_equal(dgid, rows[i].dgid ? rows[i].dgid : none);
		assert_string_equal(sgid, rows[i].sgid ? rows[i].sgid : none);
		assert_int_equal(bits_get(data, 40 * 8, 16), rows[i].dlid);
		assert_int_equal(bits_get(data, 42 * 8, 16), rows[i].slid);
		assert_int_equal(bits_get(data, 49 * 8 + 1, 7), 127);
		end(&bed);
	}
}

/* MTU, rate and lifetime count only with a selector, which is "exactly" (2) unless given. */
static void selectors(void **state)
{
	static const struct {
		const char *words[3];
		uint64_t mask;
		unsigned int at, byte;
	} rows[] = {
		{{"mtu_bytes=4096"}, MTU | MTU_SELECTOR, 54, 2 << 6 | 5},
		{{"mtu_selector=greater-than", "mtu_bytes=2048"}, MTU | MTU_SELECTOR, 54, 4},
		{{"mtu_bytes=2048", "mtu_selector=less-than"}, MTU | MTU_SELECTOR, 54, 1 << 6 | 4},
		{{"rate_gbps=100"}, RATE | RATE_SELECTOR, 55, 2 << 6 | 16},
		{{"pkey=0x8001"}, PKEY, 50, 0x80},
		{{"mtu_selector=largest"}, MTU_SELECTOR, 54, 3 << 6},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bed bed;

		if (!make(&bed, "path", NULL, NULL, rows[i].words))
			fail_msg("row %zu: %s", i, bed.run.mad.listing.problems.items[0].error);
		assert_int_equal(bed.run.request.component_mask, rows[i].mask | NUMB_PATH | SGID);
		if (bed.run.query.data[rows[i].at] != rows[i].byte)
			fail_msg("row %zu: 0x%x", i, bed.run.query.data[rows[i].at]);
		end(&bed);
	}
}

/* NodeRecord: NodeType is component 4; PortInfoRecord: EndportLID 0, and CapabilityMask by bits. */
static void other_records(void **state)
{
	static const struct {
		const char *record, *words[3];
		uint64_t mask;
		uint32_t modifier;
		unsigned int at, byte;
	} rows[] = {
		{"nodes", {NULL}, 0, 0, 0, 0},
		{"nodes", {"node_type=switch"}, 1 << 4, 0, 6, 2},
		{"nodes", {"lid=9", "node_type=ca"}, 1 << 4 | 1, 0, 1, 9},
		{"ports", {"lid=9"}, 1, 0, 1, 9},
		{"ports", {"endport_lid=9"}, 1, 0, 1, 9},
		{"ports", {"capabilities=sm"}, 1 << 7, 1u << 31, 4 + 23, 2},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bed bed;

		assert_true(make(&bed, rows[i].record, NULL, NULL, rows[i].words));
		if (bed.run.request.component_mask != rows[i].mask ||
		    bed.run.request.modifier != rows[i].modifier ||
		    bed.run.query.data[rows[i].at] != rows[i].byte)
			fail_msg("row %zu: 0x%llx 0x%x 0x%x", i,
				 (unsigned long long)bed.run.request.component_mask,
				 bed.run.request.modifier, bed.run.query.data[rows[i].at]);
		end(&bed);
	}
}

/* MultiPathRecord, 15.2.5.20: the GIDs of the sources, then those of the destinations. */
static void paths_of_many_ports(void **state)
{
	static const struct {
		const char *from, *to;
		unsigned int sources, destinations;
		const char *gids; /* the first bytes */
	} rows[] = {
		{NULL, "0002:c903:0000:0022", 1, 1, OWN_GID OTHER_GID},
		{"0002:c903:0000:0022,fe80::2:c903:0:11", "fe80::2:c903:0:22", 2, 1,
		 OTHER_GID OWN_GID OTHER_GID},
		{"0002:c903:0000:0011", "0002:c903:0000:0022,0002:c903:0000:0011", 1, 2,
		 OWN_GID OTHER_GID OWN_GID},
	};
	static const char *const none[] = {NULL};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct schema *schema;
		char gids[2 * 48 + 1];
		struct bed bed;
		struct value value;

		assert_true(make(&bed, "multipath", rows[i].from, rows[i].to, none));
		schema = bed.run.attribute->schema;
		text_write_hex(gids, bed.run.query.data + SA_MULTIPATH_GIDS_AT, 48);
		assert_memory_equal(gids, rows[i].gids, strlen(rows[i].gids));
		field_get(schema_find(schema, "sgid_count"), &bed.run.query, &value);
		assert_int_equal(value.number, rows[i].sources);
		field_get(schema_find(schema, "dgid_count"), &bed.run.query, &value);
		assert_int_equal(value.number, rows[i].destinations);
		field_get(schema_find(schema, "numb_path"), &bed.run.query, &value);
		assert_int_equal(value.number, 127);
		assert_int_equal(bed.run.request.component_mask,
				 sa_component_mask(schema_find(schema, "sgid_count")) |
					 sa_component_mask(schema_find(schema, "dgid_count")) |
					 sa_component_mask(schema_find(schema, "numb_path")));
		end(&bed);
	}
}

/* As many GIDs as fit, and one more, on either side. */
static void most_ports(void **state)
{
	static const char *const none[] = {NULL};

	(void)state;
	for (unsigned int more = 0; more < 2; more++) {
		_cleanup_(freep) char *list = mem_string("0002:c903:0000:0022");
		struct bed bed;

		for (unsigned int i = 2; i < SA_MULTIPATH_GIDS_MOST + more; i++) {
			_cleanup_(freep) char *shorter = list;

			list = mem_format("%s,0002:c903:0000:0022", shorter);
		}
		/* The source is this port. */
		assert_int_equal(make(&bed, "multipath", NULL, list, none), !more);
		if (more) {
			_cleanup_(freep) char *text = mem_format("a request has room for %u ports",
								 SA_MULTIPATH_GIDS_MOST);

			assert_string_equal(bed.run.mad.listing.problems.items[0].error, text);
		}
		end(&bed);
	}
}

static void refusals(void **state)
{
	static const struct {
		const char *record, *from, *to, *words[3];
		const char *error, *hint;
	} rows[] = {
		{"nodes",
		 NULL,
		 NULL,
		 {"x"},
		 "'x' is not FIELD=VALUE",
		 "give the values that the records must have: rdmactl sa nodes lid=VALUE"},
		{"nodes", NULL, NULL, {"node_type=x"}, "'x' is not a value of node_type", NULL},
		{"nodes", NULL, NULL, {"lid=65536"}, "'65536' is out of range for lid", NULL},
		{"nodes",
		 NULL,
		 NULL,
		 {"lid=1", "lid=2"},
		 "'lid' is given twice",
		 "give each field once; query several times for several values"},
		{"path",
		 "1",
		 NULL,
		 {"slid=2"},
		 "'slid' is given twice",
		 "give each field once; query several times for several values"},
		{"ports",
		 NULL,
		 NULL,
		 {"rate_gbps=100"},
		 "the subnet administrator cannot search by rate_gbps",
		 "print all records, and pick from the output: -o, --json"},
		{"path",
		 "0,1",
		 NULL,
		 {NULL},
		 "'0,1' is a directed route, which the subnet administrator cannot search by",
		 "give a LID, a port GUID, a GID, or the name of a node"},
		{"multipath",
		 NULL,
		 NULL,
		 {NULL},
		 "--to is missing: give the ports that the paths lead to",
		 "rdmactl sa multipath --to GUID,GUID"},
		{"multipath",
		 NULL,
		 "5",
		 {NULL},
		 "'5' is not a port GUID, a GID or the name of a node",
		 "rdmactl sa nodes -o +port_guid shows the port GUIDs"},
		{"multipath",
		 "0,1",
		 "5",
		 {NULL},
		 "'0' is not a port GUID, a GID or the name of a node",
		 "rdmactl sa nodes -o +port_guid shows the port GUIDs"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct problem *problem;
		struct bed bed;

		assert_false(make(&bed, rows[i].record, rows[i].from, rows[i].to, rows[i].words));
		assert_int_equal(bed.run.mad.listing.problems.count, 1);
		assert_int_equal(bed.run.mad.listing.status, STATUS_USAGE);
		problem = &bed.run.mad.listing.problems.items[0];
		assert_string_equal(problem->error, rows[i].error);
		if (rows[i].hint)
			assert_string_equal(problem->hint, rows[i].hint);
		end(&bed);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_of_paths), cmocka_unit_test(selectors),
		cmocka_unit_test(other_records), cmocka_unit_test(paths_of_many_ports),
		cmocka_unit_test(most_ports),	 cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests_name("sa_query", tests, NULL, NULL);
}
