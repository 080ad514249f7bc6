/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Forwarding tables of a made-up subnet: read completely, in part, and from switches that do not
 * answer or lie.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fabric/route/forwarding.h"
#include "fake_transport.h"
#include "mad/format/attribute.h"
#include "made_up_fabric.h"
#include "schema/bits.h"

enum { LINEAR_TABLE = 0x19, MULTICAST_TABLE = 0x1b };
enum { SWITCHES = 3 };

#define NEVER 0xffffffffu

/* A row of three switches: 0 is the local node; its port 1 leads to 1, whose port 2 leads to 2. */
struct subnet {
	struct fake fake;
	struct fabric fabric;
	struct fabric_scan_options scan;
	struct forwarding forwarding;
	uint32_t switches[SWITCHES];
	unsigned int silent;  /* number, from 1 on, of a switch that does not answer */
	uint32_t lost;	      /* modifier of the requests that are lost */
	uint16_t lost_table;  /* attribute of these requests; of those to `silent`, 0: all */
	uint16_t status;      /* status of all answers */
	uint8_t before;	      /* hops from the local node to where the scan began */
	unsigned int sent[2]; /* requests for linear and for multicast blocks */
	unsigned int timeout_msec;
	bool stop;
	unsigned int in_vain; /* number of unanswered blocks between two answered ones */
};

static unsigned int entry_of(unsigned int at, unsigned int lid)
{
	return (lid * 7 + at * 3) % 251;
}

static unsigned int mask_of(unsigned int at, unsigned int mlid, unsigned int position)
{
	return (mlid * 2654435761u + at * 977 + position * 131) >> 7 & 0xffff;
}

static void say(unsigned int at, unsigned int attribute, unsigned int modifier, unsigned char *data)
{
	unsigned int block = modifier & 0x0fffffff;

	for (unsigned int i = 0; i < 64 && attribute == LINEAR_TABLE; i++)
		data[i] = (unsigned char)entry_of(at, block * 64 + i);
	for (unsigned int i = 0; i < 32 && attribute == MULTICAST_TABLE; i++)
		bits_set(data, (size_t)i * 16, 16, mask_of(at, block * 32 + i, modifier >> 28));
}

/* The paths are 0, 0,1 and 0,1,2, after the path to where the scan began. */
static unsigned int switch_of(const struct subnet *subnet, const unsigned char *mad)
{
	unsigned int hops = mad[7];

	assert_true(hops >= subnet->before && hops < (unsigned int)subnet->before + SWITCHES);
	for (unsigned int i = 1; i <= hops; i++)
		assert_true(mad[128 + i] == (i <= subnet->before ? 10 + i : i - subnet->before));
	return hops - subnet->before;
}

static int answer(struct fake *fake, int agent, const struct mad_address *to,
		  const unsigned char *request)
{
	struct subnet *subnet = fake->context;
	unsigned int attribute = (unsigned int)bits_get(request, 16 * 8, 16);
	unsigned int modifier = (unsigned int)bits_get(request, 20 * 8, 32);
	unsigned int at = switch_of(subnet, request);
	unsigned char mad[MAD_BYTES];

	(void)agent;
	assert_int_equal(to->lid, MAD_LID_PERMISSIVE);
	assert_true(attribute == LINEAR_TABLE || attribute == MULTICAST_TABLE);
	assert_int_equal(request[3], UMAD_METHOD_GET);
	subnet->sent[attribute == MULTICAST_TABLE]++;
	if ((subnet->silent == at + 1 &&
	     (!subnet->lost_table || attribute == subnet->lost_table)) ||
	    (subnet->in_vain && modifier % (subnet->in_vain + 1)) ||
	    (modifier == subnet->lost && attribute == subnet->lost_table))
		return 0;
	memcpy(mad, request, MAD_BYTES);
	mad[3] |= UMAD_METHOD_RESP_MASK;
	mad[4] = (unsigned char)(0x80 | subnet->status >> 8);
	mad[5] = (unsigned char)subnet->status;
	say(at, attribute, modifier, mad + 64);
	fake_put(fake, 0, mad, MAD_BYTES, 0);
	return 0;
}

static bool is_stopped(void *context)
{
	const struct subnet *subnet = context;

	return subnet->stop;
}

static uint32_t add(struct fabric *fabric, unsigned int type, unsigned int ports)
{
	return sample_bare_node(fabric, type, 0x1000 + fabric->node_count, ports);
}

static void say_tables(struct subnet *subnet, unsigned int number, unsigned int cap,
		       unsigned int top, unsigned int multicast_cap, unsigned int multicast_top)
{
	struct fabric_node *node = &subnet->fabric.nodes[subnet->switches[number]];

	node->has_switch_info = true;
	bits_set(node->switch_info, 0, 16, cap);
	bits_set(node->switch_info, 4 * 8, 16, multicast_cap);
	bits_set(node->switch_info, 6 * 8, 16, top);
	bits_set(node->switch_info, 18 * 8, 16, multicast_top);
}

static void make(struct subnet *subnet)
{
	struct fabric *fabric = &subnet->fabric;

	*subnet = (struct subnet){.lost = NEVER, .timeout_msec = 50};
	subnet->fake.on_send = answer;
	subnet->fake.context = subnet;
	for (unsigned int i = 0; i < SWITCHES; i++) {
		subnet->switches[i] = add(fabric, NODE_TYPE_SWITCH, i == 2 ? 40 : 8);
		fabric->nodes[i].hops = (uint8_t)i;
		if (i)
			fabric->nodes[i].parent = fabric_port_at(fabric, i - 1, i);
	}
	add(fabric, NODE_TYPE_CA, 1);
	say_tables(subnet, 0, 49152, 200, 1024, 0xc040);
	say_tables(subnet, 1, 49152, 63, 1024, 0xc01f);
	say_tables(subnet, 2, 49152, 64, 64, 0);
}

/* One request at a time by default, so that their order is predictable. */
static int read_all(struct subnet *subnet, unsigned int window, unsigned int kinds)
{
	const struct mad_engine_options options = {
		.window = window,
		.timeout_msec = subnet->timeout_msec,
		.retries_given = true,
		.retries = 1,
		.stopped = is_stopped,
		.context = subnet,
	};
	struct mad_engine *engine = fake_engine(&subnet->fake, &options);
	int rc = forwarding_read(engine, &subnet->scan, &subnet->fabric, NULL, 0, kinds,
				 &subnet->forwarding);

	mad_engine_free(engine);
	return rc;
}

static void clear(struct subnet *subnet)
{
	forwarding_clear(&subnet->forwarding);
	fabric_clear(&subnet->fabric);
}

static void check_linear(const struct subnet *subnet, unsigned int number, unsigned int lids)
{
	const struct forwarding_table *table = forwarding_of(&subnet->forwarding,
							     subnet->switches[number]);

	assert_non_null(table);
	assert_int_equal(table->lids, lids);
	for (unsigned int lid = 0; lid < lids; lid++)
		assert_int_equal(forwarding_port(&subnet->forwarding, table, lid),
				 entry_of(number, lid));
	assert_int_equal(forwarding_port(&subnet->forwarding, table, lids), FORWARDING_NOWHERE);
	assert_int_equal(forwarding_port(&subnet->forwarding, table, 0xbfff), FORWARDING_NOWHERE);
}

static void check_multicast(const struct subnet *subnet, unsigned int number, unsigned int mlids)
{
	const struct forwarding *forwarding = &subnet->forwarding;
	const struct forwarding_table *table = forwarding_of(forwarding, subnet->switches[number]);
	unsigned int ports = subnet->fabric.nodes[subnet->switches[number]].port_count;

	assert_int_equal(table->mlids, mlids);
	for (unsigned int i = 0; i < mlids; i++)
		for (unsigned int port = 0; port <= ports; port++)
			assert_int_equal(forwarding_has_port(forwarding, table, 0xc000 + i, port),
					 mask_of(number, i, port / 16) >> port % 16 & 1
						 ? TRISTATE_YES
						 : TRISTATE_NO);
	assert_int_equal(forwarding_has_port(forwarding, table, 0xc000 + mlids, 1), TRISTATE_NO);
}

static void whole(void **state)
{
	struct subnet subnet;

	(void)state;
	make(&subnet);
	assert_int_equal(read_all(&subnet, 0, FORWARDING_LINEAR | FORWARDING_MULTICAST), 0);
	assert_int_equal(subnet.forwarding.count, SWITCHES);
	check_linear(&subnet, 0, 201);
	check_linear(&subnet, 1, 64);
	check_linear(&subnet, 2, 65);
	check_multicast(&subnet, 0, 65);
	check_multicast(&subnet, 1, 32);
	check_multicast(&subnet, 2, 64);
	assert_int_equal(subnet.forwarding.failure_count, 0);
	/* Blocks of 64 LIDs: 4, 1, 2. Of 32 and 16 ports: 3 x 1, 1 x 1, 2 x 3. */
	assert_int_equal(subnet.sent[0], 7);
	assert_int_equal(subnet.sent[1], 10);
	assert_null(forwarding_of(&subnet.forwarding, 3));
	clear(&subnet);
}

static void one_kind(void **state)
{
	struct subnet subnet;

	(void)state;
	make(&subnet);
	assert_int_equal(read_all(&subnet, 1, FORWARDING_MULTICAST), 0);
	assert_int_equal(subnet.sent[0], 0);
	assert_int_equal(subnet.sent[1], 10);
	check_multicast(&subnet, 2, 64);
	clear(&subnet);
	make(&subnet);
	assert_int_equal(read_all(&subnet, 1, FORWARDING_LINEAR), 0);
	assert_int_equal(subnet.sent[0], 7);
	assert_int_equal(subnet.sent[1], 0);
	clear(&subnet);
}

static void of_some(void **state)
{
	const struct mad_engine_options options = {.window = 1};
	struct subnet subnet;
	struct mad_engine *engine;
	uint32_t nodes[] = {2, 3, 2};

	(void)state;
	make(&subnet);
	engine = fake_engine(&subnet.fake, &options);
	assert_int_equal(forwarding_read(engine, &subnet.scan, &subnet.fabric, nodes, 3,
					 FORWARDING_LINEAR, &subnet.forwarding),
			 0);
	assert_int_equal(subnet.forwarding.count, 1);
	assert_int_equal(subnet.sent[0], 2);
	check_linear(&subnet, 2, 65);
	assert_null(forwarding_of(&subnet.forwarding, 0));
	mad_engine_free(engine);
	clear(&subnet);
}

/* After a path of three hops, through ports 11, 12 and 13. */
static void from_elsewhere(void **state)
{
	struct subnet subnet;

	(void)state;
	make(&subnet);
	subnet.before = 3;
	subnet.scan.path_hops = 3;
	memcpy(subnet.scan.path, (const uint8_t[]){0, 11, 12, 13}, 4);
	assert_int_equal(read_all(&subnet, 4, FORWARDING_LINEAR), 0);
	check_linear(&subnet, 0, 201);
	check_linear(&subnet, 2, 65);
	clear(&subnet);
}

/* Too far for a directed route: one failure, and no request. */
static void too_far(void **state)
{
	struct subnet subnet;

	(void)state;
	make(&subnet);
	subnet.before = 62;
	subnet.scan.path_hops = 62;
	for (unsigned int i = 1; i <= 62; i++)
		subnet.scan.path[i] = (uint8_t)(10 + i);
	assert_int_equal(read_all(&subnet, 4, FORWARDING_LINEAR), 0);
	check_linear(&subnet, 1, 64);
	assert_int_equal(subnet.forwarding.failure_count, 1);
	assert_int_equal(subnet.forwarding.failures[0].error, -E2BIG);
	assert_int_equal(subnet.forwarding.failures[0].port,
			 fabric_port_at(&subnet.fabric, subnet.switches[2], 0));
	assert_int_equal(subnet.sent[0], 5);
	clear(&subnet);
}

/* For each kind, the switch costs the timeouts of four requests, not those of all its blocks. */
static void silent_switch(void **state)
{
	struct subnet subnet;
	const struct forwarding *forwarding = &subnet.forwarding;

	(void)state;
	make(&subnet);
	say_tables(&subnet, 1, 49152, 40000, 1024, 0xc3ff);
	subnet.silent = 2;
	assert_int_equal(read_all(&subnet, 1, FORWARDING_LINEAR | FORWARDING_MULTICAST), 0);
	check_linear(&subnet, 0, 201);
	check_linear(&subnet, 2, 65);
	check_multicast(&subnet, 0, 65);
	assert_int_equal(forwarding_port(forwarding, forwarding_of(forwarding, 1), 1),
			 FORWARDING_UNKNOWN);
	assert_int_equal(forwarding_port(forwarding, forwarding_of(forwarding, 1), 40000),
			 FORWARDING_UNKNOWN);
	assert_int_equal(forwarding_port(forwarding, forwarding_of(forwarding, 1), 40001),
			 FORWARDING_NOWHERE);
	assert_int_equal(forwarding_has_port(forwarding, forwarding_of(forwarding, 1), 0xc000, 1),
			 TRISTATE_UNKNOWN);
	assert_int_equal(forwarding->failure_count, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(forwarding->failures[i].port,
				 fabric_port_at(&subnet.fabric, subnet.switches[1], 0));
		assert_int_equal(forwarding->failures[i].attribute,
				 i ? MULTICAST_TABLE : LINEAR_TABLE);
		assert_int_equal(forwarding->failures[i].error, -ETIMEDOUT);
		assert_int_equal(forwarding->failures[i].tries, 2);
	}
	/* 6 and 9 for the other switches; 4 unanswered in a row, each sent twice */
	assert_int_equal(subnet.sent[0], 6 + 4 * 2);
	assert_int_equal(subnet.sent[1], 9 + 4 * 2);
	clear(&subnet);
	/* A switch that is silent about its linear table may tell the other. */
	make(&subnet);
	say_tables(&subnet, 1, 49152, 40000, 1024, 0xc01f);
	subnet.silent = 2;
	subnet.lost_table = LINEAR_TABLE;
	assert_int_equal(read_all(&subnet, 1, FORWARDING_LINEAR | FORWARDING_MULTICAST), 0);
	check_multicast(&subnet, 1, 32);
	assert_int_equal(forwarding->failure_count, 1);
	assert_int_equal(forwarding->failures[0].attribute, LINEAR_TABLE);
	clear(&subnet);
}

/* A switch is given up after exactly four requests in a row without an answer. */
static void lost_in_a_row(void **state)
{
	(void)state;
	for (unsigned int in_vain = 3; in_vain <= 4; in_vain++) {
		struct subnet subnet;
		const struct forwarding_table *table;

		make(&subnet);
		say_tables(&subnet, 0, 49152, 64 * 16 - 1, 1024, 0xc000);
		/* Block 0 is answered, then one block after each `in_vain` unanswered ones. */
		subnet.in_vain = in_vain;
		assert_int_equal(read_all(&subnet, 1, FORWARDING_LINEAR), 0);
		table = forwarding_of(&subnet.forwarding, 0);
		for (unsigned int lid = 0; lid < 64 * 16; lid += 64)
			assert_int_equal(forwarding_port(&subnet.forwarding, table, lid),
					 (in_vain == 3 && lid / 64 % 4 == 0) || lid == 0
						 ? entry_of(0, lid)
						 : FORWARDING_UNKNOWN);
		clear(&subnet);
	}
}

static void lost_block(void **state)
{
	struct subnet subnet;
	const struct forwarding *forwarding = &subnet.forwarding;
	const struct forwarding_table *table;

	(void)state;
	make(&subnet);
	subnet.lost_table = LINEAR_TABLE;
	subnet.lost = 2; /* only switch 0 has so many */
	assert_int_equal(read_all(&subnet, 1, FORWARDING_LINEAR), 0);
	table = forwarding_of(forwarding, 0);
	for (unsigned int lid = 0; lid <= 200; lid++)
		assert_int_equal(forwarding_port(forwarding, table, lid),
				 lid / 64 == 2 ? FORWARDING_UNKNOWN : entry_of(0, lid));
	assert_int_equal(forwarding->failure_count, 1);
	assert_true(table->gaps[0]);
	assert_false(table->gaps[1]);
	clear(&subnet);
	make(&subnet);
	subnet.lost_table = MULTICAST_TABLE;
	subnet.lost = 1u << 28; /* ports 16 to 31, MLIDs 0xc000 to 0xc01f */
	assert_int_equal(read_all(&subnet, 1, FORWARDING_MULTICAST), 0);
	table = forwarding_of(forwarding, 2);
	assert_int_equal(forwarding_has_port(forwarding, table, 0xc01f, 16), TRISTATE_UNKNOWN);
	assert_int_equal(forwarding_has_port(forwarding, table, 0xc01f, 31), TRISTATE_UNKNOWN);
	assert_int_not_equal(forwarding_has_port(forwarding, table, 0xc01f, 15), TRISTATE_UNKNOWN);
	assert_int_not_equal(forwarding_has_port(forwarding, table, 0xc01f, 32), TRISTATE_UNKNOWN);
	assert_int_not_equal(forwarding_has_port(forwarding, table, 0xc020, 16), TRISTATE_UNKNOWN);
	assert_int_equal(forwarding->failure_count, 1);
	assert_int_equal(forwarding->failures[0].attribute, MULTICAST_TABLE);
	clear(&subnet);
}

static void refused(void **state)
{
	struct subnet subnet;

	(void)state;
	make(&subnet);
	subnet.status = 0x0c;
	assert_int_equal(read_all(&subnet, 1, FORWARDING_LINEAR), 0);
	assert_int_equal(subnet.forwarding.failure_count, SWITCHES);
	assert_int_equal(subnet.forwarding.failures[0].error, 0);
	assert_int_equal(subnet.forwarding.failures[0].status, 0x0c);
	clear(&subnet);
}

static void stopped(void **state)
{
	struct subnet subnet;

	(void)state;
	make(&subnet);
	/* During a long wait for a switch that does not answer. */
	subnet.stop = true;
	subnet.silent = 1;
	subnet.timeout_msec = 60000;
	assert_int_equal(read_all(&subnet, 1, FORWARDING_LINEAR), -ECANCELED);
	assert_int_equal(forwarding_port(&subnet.forwarding, forwarding_of(&subnet.forwarding, 0),
					 200),
			 FORWARDING_UNKNOWN);
	assert_int_equal(subnet.forwarding.failure_count, 0);
	for (size_t i = 0; i < SWITCHES; i++)
		assert_true(subnet.forwarding.tables[i].gaps[0]);
	clear(&subnet);
}

/* The table sizes in SwitchInfo, and the part of them that is credible. */
static void sizes(void **state)
{
	static const struct {
		unsigned int cap, top, lids, multicast_cap, multicast_top, mlids;
	} cases[] = {
		{49152, 0, 1, 1024, 0xbfff, 0},
		{0, 100, 0, 0, 0xc010, 0},
		{50, 100, 50, 16, 0xc040, 16},
		{0xffff, 0xffff, 0xc000, 0xffff, 0xffff, 0x3fff},
		{0xffff, 0xbfff, 0xc000, 0xffff, 0, 0x3fff},
		{0xffff, 0xc000, 0xc000, 40, 0x1234, 40},
		{0xffff, 0xbffe, 0xbfff, 0xffff, 0xfffe, 0x3fff},
		{0xffff, 1, 2, 0xffff, 0xc000, 1},
	};
	struct subnet subnet;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		make(&subnet);
		say_tables(&subnet, 0, cases[i].cap, cases[i].top, cases[i].multicast_cap,
			   cases[i].multicast_top);
		read_all(&subnet, 1, FORWARDING_LINEAR | FORWARDING_MULTICAST);
		assert_int_equal(subnet.forwarding.tables[0].lids, cases[i].lids);
		assert_int_equal(subnet.forwarding.tables[0].mlids, cases[i].mlids);
		clear(&subnet);
	}
	make(&subnet);
	subnet.fabric.nodes[0].has_switch_info = false;
	assert_int_equal(read_all(&subnet, 1, FORWARDING_LINEAR | FORWARDING_MULTICAST), 0);
	assert_int_equal(forwarding_port(&subnet.forwarding, &subnet.forwarding.tables[0], 1),
			 FORWARDING_UNKNOWN);
	assert_int_equal(forwarding_has_port(&subnet.forwarding, &subnet.forwarding.tables[0],
					     0xc000, 1),
			 TRISTATE_UNKNOWN);
	check_linear(&subnet, 1, 64);
	clear(&subnet);
}

/* What is saved of a block ends with its table, whatever the switch says of more LIDs. */
static void check_saved(const struct subnet *subnet, const struct fabric_detail *detail)
{
	const bool linear = detail->attribute == LINEAR_TABLE;
	const uint32_t node = subnet->fabric.ports[detail->port].node;
	const struct forwarding_table *table = forwarding_of(&subnet->forwarding, node);
	const unsigned int first = (detail->modifier & 0x0fffffff) * (linear ? 64 : 32);

	for (unsigned int i = 0; linear && i < 64; i++)
		assert_int_equal(detail->data[i],
				 first + i < table->lids ? entry_of(node, first + i) : 0xff);
	for (unsigned int i = 0; !linear && i < 32; i++)
		assert_int_equal(bits_get(detail->data, (size_t)i * 16, 16),
				 first + i < table->mlids
					 ? mask_of(node, first + i, detail->modifier >> 28)
					 : 0);
}

static void recall(struct subnet *subnet, size_t wanted)
{
	forwarding_clear(&subnet->forwarding);
	assert_int_equal(forwarding_recall(&subnet->fabric, NULL, 0,
					   FORWARDING_LINEAR | FORWARDING_MULTICAST,
					   &subnet->forwarding),
			 wanted);
}

static void saved(void **state)
{
	struct subnet subnet;
	struct fabric *fabric = &subnet.fabric;

	(void)state;
	make(&subnet);
	/* 41 ports: two blocks of 32 MLIDs for each of three words. */
	say_tables(&subnet, 2, 49152, 64, 40, 0);
	assert_int_equal(read_all(&subnet, 0, FORWARDING_LINEAR | FORWARDING_MULTICAST), 0);
	forwarding_store(&subnet.forwarding, fabric);
	assert_int_equal(fabric->detail_count, 7 + 10);
	for (size_t i = 0; i < fabric->detail_count; i++)
		check_saved(&subnet, &fabric->details[i]);
	recall(&subnet, 7 + 10);
	check_linear(&subnet, 0, 201);
	check_linear(&subnet, 2, 65);
	check_multicast(&subnet, 0, 65);
	check_multicast(&subnet, 2, 40);
	/* A word that the switch lacks is none of the next block, of either kind. */
	for (size_t i = 0; i < fabric->detail_count; i++)
		if (!fabric->details[i].modifier && !fabric->ports[fabric->details[i].port].node)
			fabric->details[i].modifier = 1u << 28;
	recall(&subnet, 7 + 10 - 2);
	assert_int_equal(subnet.forwarding.failure_count, 2);
	clear(&subnet);
}

static void one_entry(void **state)
{
	const struct mad_engine_options options = {
		.timeout_msec = 5,
		.retries_given = true,
		.retries = 2,
	};
	struct subnet subnet;
	struct mad_engine *engine;
	struct fabric_failure failure;
	unsigned int port = 1000;

	(void)state;
	make(&subnet);
	engine = fake_engine(&subnet.fake, &options);
	assert_int_equal(forwarding_read_entry(engine, &subnet.scan, &subnet.fabric, 0, 200, &port,
					       &failure),
			 0);
	assert_int_equal(port, entry_of(0, 200));
	assert_int_equal(subnet.sent[0], 1);
	assert_int_equal(forwarding_read_entry(engine, &subnet.scan, &subnet.fabric, 0, 201, &port,
					       &failure),
			 0);
	assert_int_equal(port, FORWARDING_NOWHERE);
	assert_int_equal(subnet.sent[0], 1);
	subnet.fabric.nodes[1].has_switch_info = false;
	assert_int_equal(forwarding_read_entry(engine, &subnet.scan, &subnet.fabric, 1, 201, &port,
					       &failure),
			 0);
	assert_int_equal(port, entry_of(1, 201));
	subnet.silent = 3;
	port = 1000;
	assert_int_equal(forwarding_read_entry(engine, &subnet.scan, &subnet.fabric, 2, 64, &port,
					       &failure),
			 -ETIMEDOUT);
	assert_int_equal(port, 1000);
	assert_int_equal(failure.port, fabric_port_at(&subnet.fabric, 2, 0));
	assert_int_equal(failure.error, -ETIMEDOUT);
	assert_int_equal(failure.tries, 3);
	mad_engine_free(engine);
	clear(&subnet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),	 cmocka_unit_test(one_kind),
		cmocka_unit_test(of_some),	 cmocka_unit_test(from_elsewhere),
		cmocka_unit_test(too_far),	 cmocka_unit_test(silent_switch),
		cmocka_unit_test(lost_in_a_row), cmocka_unit_test(lost_block),
		cmocka_unit_test(refused),	 cmocka_unit_test(stopped),
		cmocka_unit_test(sizes),	 cmocka_unit_test(saved),
		cmocka_unit_test(one_entry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
