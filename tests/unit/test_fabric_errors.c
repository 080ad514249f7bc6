/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters of all ports of made-up nodes; their rows, growth and file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/fabric/fabric_run.h"
#include "fabric/scan/port_counters.h"
#include "fake_transport.h"
#include "made_up_fabric.h"
#include "schema/bits.h"

enum { CLASS_INFO = 0x01, COUNTERS = 0x12, EXTENDED = 0x1d };
enum {
	SYMBOL_ERRORS = 4 * 8,
	LINK_DOWNED = 7 * 8,
	RCV_ERRORS = 8 * 8,
	XMIT_WAIT = 40 * 8,
	XMIT_DATA_64 = 8 * 8
};
enum { PORTS = 12, ADAPTERS = 12, SWITCH_LID = 1 };

struct bed {
	struct fake fake;
	struct fabric fabric;
	struct fabric_view view;
	struct mad_engine *engine;
	struct port_errors errors;
	uint16_t caps;
	unsigned char counters[1 + ADAPTERS][PORTS + 1][MAD_DATA_MOST]; /* by LID - 1 and port */
	unsigned char extended[1 + ADAPTERS][PORTS + 1][MAD_DATA_MOST];
	uint16_t dead_lid, dead_attribute; /* without an answer; attribute 0: to any */
	uint16_t refused_attribute;	   /* attribute that all nodes refuse; 0: none */
	unsigned int asked[256];	   /* counted by attribute */
	unsigned int strange;		   /* requests to LIDs that no port can have */
};

/* Port 255 has the sum of all others, as far as the tests need it: nonzero bits are combined. */
static void add_up(const struct bed *bed, unsigned int node, unsigned char *data)
{
	for (unsigned int i = 1; i <= PORTS; i++)
		for (unsigned int at = 4; at < 16; at++)
			data[at] |= bed->counters[node][i][at];
}

static int answer(struct fake *fake, int agent, const struct mad_address *to,
		  const unsigned char *mad)
{
	struct bed *bed = fake->context;
	const unsigned int attribute = (unsigned int)bits_get(mad, 16 * 8, 16);
	const unsigned int node = to->lid - 1u, port = mad[65];
	unsigned char reply[MAD_BYTES];

	(void)agent;
	assert_int_equal(mad[1], UMAD_CLASS_PERF_MGMT);
	assert_int_equal(to->qpn, 1);
	if (to->lid > MAD_LID_LAST) {
		assert_int_equal(to->sl, 0);
		bed->strange++;
		return 0;
	}
	assert_in_range(to->lid, 1, 1 + ADAPTERS);
	bed->asked[attribute]++;
	if (to->lid == bed->dead_lid && (!bed->dead_attribute || bed->dead_attribute == attribute))
		return 0;
	memcpy(reply, mad, sizeof(reply));
	reply[3] |= UMAD_METHOD_RESP_MASK;
	if (attribute == CLASS_INFO)
		bits_set(reply, (64 + 2) * 8, 16, bed->caps);
	else if (port == PERF_ALL_PORTS)
		add_up(bed, node, reply + 64);
	else if (attribute == bed->refused_attribute)
		bits_set(reply, 4 * 8, 16, UMAD_STATUS_ATTR_NOT_SUPPORTED);
	else if (attribute != COUNTERS && attribute != EXTENDED)
		memset(reply + 64, 0, MAD_BYTES - 64);
	else
		memcpy(reply + 64,
		       attribute == COUNTERS ? bed->counters[node][port]
					     : bed->extended[node][port],
		       MAD_BYTES - 64);
	fake_put(fake, 0, reply, MAD_BYTES, 0);
	return 0;
}

static void set_port(struct fabric *fabric, uint32_t node, unsigned int number, uint16_t lid)
{
	struct fabric_port *port = &fabric->ports[fabric_port_at(fabric, node, number)];

	port->has_info = true;
	bits_set(port->info, 16 * 8, 16, lid);
	port->info[32] = 4;
	port->info[33] = PHYSICAL_LINK_UP << 4;
}

static int begin(void **state)
{
	static const struct mad_engine_options quick = {
		.timeout_msec = 20, .retries_given = true, .retries = 1};
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));
	uint32_t node = sample_bare_node(&bed->fabric, NODE_TYPE_SWITCH, 0x100, PORTS);

	set_port(&bed->fabric, node, 0, SWITCH_LID);
	for (unsigned int i = 1; i <= ADAPTERS; i++) {
		uint32_t adapter = sample_bare_node(&bed->fabric, NODE_TYPE_CA, 0x200 + i, 1);

		set_port(&bed->fabric, node, i, 0);
		set_port(&bed->fabric, adapter, 1, (uint16_t)(SWITCH_LID + i));
		fabric_link(&bed->fabric, fabric_port_at(&bed->fabric, node, i),
			    fabric_port_at(&bed->fabric, adapter, 1));
	}
	bed->view.fabric = &bed->fabric;
	bed->caps = PERF_CAP_ALL_PORT_SELECT | PERF_CAP_EXTENDED_WIDTH | PERF_CAP_XMIT_WAIT;
	bed->fake.on_send = answer;
	bed->fake.context = bed;
	bed->engine = fake_engine(&bed->fake, &quick);
	*state = bed;
	return 0;
}

static int end(void **state)
{
	struct bed *bed = *state;

	port_errors_clear(&bed->errors);
	mad_engine_free(bed->engine);
	fabric_clear(&bed->fabric);
	free(bed);
	return 0;
}

static void read_ports(struct bed *bed, bool all, uint64_t least)
{
	const struct port_errors_options options = {
		.address = {.qpn = 1}, .all = all, .least = least};

	port_errors_clear(&bed->errors);
	memset(bed->asked, 0, sizeof(bed->asked));
	assert_int_equal(port_errors_read(bed->engine, &bed->fabric, &options, &bed->errors), 0);
}

static const struct port_counters *counters_of(const struct bed *bed, uint32_t node,
					       unsigned int port)
{
	return port_errors_find(&bed->errors, fabric_port_at(&bed->fabric, node, port));
}

/*
 * A switch without errors costs two requests, whatever its number of ports; an adapter costs one.
 */
static void clean(void **state)
{
	struct bed *bed = *state;

	read_ports(bed, false, 1);
	assert_int_equal(bed->asked[CLASS_INFO], 1);
	assert_int_equal(bed->asked[COUNTERS], 1 + ADAPTERS);
	assert_int_equal(bed->asked[EXTENDED], 0);
	assert_int_equal(bed->errors.count, PORTS + ADAPTERS);
	for (size_t i = 0; i < bed->errors.count; i++)
		assert_false(bed->errors.items[i].read);
	assert_int_equal(bed->errors.failure_count, 0);
}

static bool make_row(const struct bed *bed, const struct port_counters *counters, uint64_t least,
		     struct port_errors_row *row)
{
	struct error_limits limits;

	error_limits_init(&limits, least);
	return port_errors_row_make(&bed->view, counters, &limits, row);
}

static void found(void **state)
{
	struct bed *bed = *state;
	struct port_errors_row row;

	bits_set(bed->counters[0][3], SYMBOL_ERRORS, 16, 100);
	bits_set(bed->counters[0][3], LINK_DOWNED, 8, 255);
	bits_set(bed->counters[0][3], XMIT_WAIT, 32, 7);
	bits_set(bed->extended[0][3], XMIT_DATA_64, 64, UINT64_C(1) << 40);
	bits_set(bed->counters[2][1], SYMBOL_ERRORS, 16, 5);
	read_ports(bed, false, 1);
	assert_int_equal(bed->asked[CLASS_INFO], 2);
	assert_int_equal(bed->asked[COUNTERS], 1 + PORTS + ADAPTERS);
	assert_int_equal(bed->asked[EXTENDED], 2);
	assert_null(counters_of(bed, 0, 1));
	assert_true(make_row(bed, counters_of(bed, 0, 3), 1, &row));
	assert_int_equal(row.error_count.value, 355);
	assert_string_equal(row.errors, "link_downed >=255, symbol_errors 100");
	assert_int_equal(row.counters.xmit_wait_ticks.value, 7);
	assert_int_equal(row.counters.xmit_data_bytes.value, UINT64_C(4) << 40);
	assert_true(strings_contain(&row.counters.saturated, "link_downed"));
	port_errors_row_clear(&row);
	assert_true(make_row(bed, counters_of(bed, 2, 1), 5, &row));
	assert_string_equal(row.errors, "symbol_errors 5");
	port_errors_row_clear(&row);
	assert_false(make_row(bed, counters_of(bed, 2, 1), 6, &row));
}

/*
 * A port of a switch that has lost its link still has its counters; an adapter has none to query.
 */
static void without_link(void **state)
{
	struct bed *bed = *state;
	const struct port_errors_options options = {
		.address = {.qpn = 1}, .without_link = true, .least = 1};

	for (unsigned int i = 0; i < 2; i++)
		bed->fabric
			.ports[i ? fabric_port_at(&bed->fabric, 2, 1)
				 : fabric_port_at(&bed->fabric, 0, 2)]
			.info[33] = PHYSICAL_POLLING << 4;
	bits_set(bed->counters[0][2], LINK_DOWNED, 8, 1);
	bits_set(bed->counters[2][1], LINK_DOWNED, 8, 1);
	read_ports(bed, false, 1);
	assert_null(counters_of(bed, 0, 2));
	port_errors_clear(&bed->errors);
	assert_int_equal(port_errors_read(bed->engine, &bed->fabric, &options, &bed->errors), 0);
	assert_non_null(counters_of(bed, 0, 2));
	assert_int_equal(bed->errors.count, PORTS + ADAPTERS - 1);
	assert_int_equal(bed->errors.unreachable, 0);
}

static void threshold(void **state)
{
	struct bed *bed = *state;

	bits_set(bed->counters[0][3], SYMBOL_ERRORS, 16, 100);
	bits_set(bed->counters[2][1], LINK_DOWNED, 8, 255);
	read_ports(bed, false, 256);
	assert_null(counters_of(bed, 0, 3));
	/* The true value of a saturated counter is unknown. */
	assert_non_null(counters_of(bed, 2, 1));
}

static void everything(void **state)
{
	struct bed *bed = *state;

	read_ports(bed, true, 0);
	assert_int_equal(bed->asked[CLASS_INFO], 1 + ADAPTERS);
	assert_int_equal(bed->asked[COUNTERS], PORTS + ADAPTERS);
	assert_int_equal(bed->asked[EXTENDED], PORTS + ADAPTERS);
	for (size_t i = 0; i < bed->errors.count; i++)
		assert_true(bed->errors.items[i].read && bed->errors.items[i].extended);
}

/* Without the sum and the wide counters, only the basic counters are read. */
static void plain(void **state)
{
	struct bed *bed = *state;
	struct port_errors_row row;

	bed->caps = 0;
	bits_set(bed->counters[0][2], SYMBOL_ERRORS, 16, 1);
	bits_set(bed->counters[0][2], XMIT_WAIT, 32, 7);
	read_ports(bed, false, 1);
	assert_int_equal(bed->asked[COUNTERS], PORTS + ADAPTERS);
	assert_int_equal(bed->asked[EXTENDED], 0);
	assert_true(make_row(bed, counters_of(bed, 0, 2), 1, &row));
	assert_false(row.counters.xmit_wait_ticks.known);
	assert_int_equal(row.counters.width_bits.value, 32);
	port_errors_row_clear(&row);
}

/* All bits of the wide counters are set: this port is the worst, not one of the best. */
static void at_their_most(void **state)
{
	static const struct port_counters before = {.read = true, .extended = true};
	struct bed *bed = *state;
	struct port_counters counters = {
		.port = fabric_port_at(&bed->fabric, 0, 2),
		.caps = {.mask = PERF_CAP_EXTENDED_WIDTH, .mask2 = PERF_CAP2_EXTENDED_ERRORS},
		.read = true,
		.extended = true,
	};
	struct port_growth_row growth;
	struct port_errors_row row;
	struct error_limits limits;

	memset(counters.extended_counters + 72, 0xff, 3 * 8);
	assert_true(make_row(bed, &counters, 1, &row));
	assert_true(row.error_count.value == UINT64_MAX);
	port_errors_row_clear(&row);
	error_limits_init(&limits, 1);
	assert_true(port_growth_row_make(&bed->view, &before, &counters, 1, &limits, &growth));
	assert_true(growth.error_count.value == UINT64_MAX);
	port_growth_row_clear(&growth);
}

static void assert_silent(const struct bed *bed, uint32_t node, unsigned int port,
			  unsigned int attribute)
{
	assert_int_equal(bed->errors.failure_count, 1);
	assert_int_equal(bed->errors.failures->port, fabric_port_at(&bed->fabric, node, port));
	assert_int_equal(bed->errors.failures->attribute, attribute);
	assert_int_equal(bed->errors.failures->error, -ETIMEDOUT);
	assert_int_equal(bed->errors.failures->tries, 2);
}

static void dead(void **state)
{
	struct bed *bed = *state;

	/* A silent switch is not queried further; the other nodes are read. */
	bed->dead_lid = SWITCH_LID;
	read_ports(bed, true, 0);
	assert_silent(bed, 0, 0, CLASS_INFO);
	assert_int_equal(bed->asked[COUNTERS], ADAPTERS);
	assert_non_null(counters_of(bed, 3, 1));
	bed->dead_lid = 3;
	read_ports(bed, false, 1);
	assert_silent(bed, 2, 1, COUNTERS);
	/* The basic counters are used without the wide ones. */
	bits_set(bed->counters[0][2], SYMBOL_ERRORS, 16, 1);
	bits_set(bed->counters[0][3], SYMBOL_ERRORS, 16, 1);
	bed->dead_lid = SWITCH_LID;
	bed->dead_attribute = EXTENDED;
	read_ports(bed, false, 1);
	assert_int_equal(bed->errors.failure_count, 1);
	assert_int_equal(bed->errors.failures->attribute, EXTENDED);
	assert_non_null(counters_of(bed, 0, 2));
	assert_false(counters_of(bed, 0, 2)->extended);
}

static void unreachable(void **state)
{
	struct bed *bed = *state;

	set_port(&bed->fabric, 2, 1, 0);
	bed->fabric.ports[fabric_port_at(&bed->fabric, 3, 1)].info[32] = 2;
	read_ports(bed, false, 1);
	assert_int_equal(bed->errors.unreachable, 2);
	assert_int_equal(bed->errors.first_unreachable, fabric_port_at(&bed->fabric, 2, 1));
	assert_int_equal(bed->errors.count, PORTS + ADAPTERS - 2);
	set_port(&bed->fabric, 0, 0, 0);
	read_ports(bed, false, 1);
	assert_int_equal(bed->errors.count, ADAPTERS - 2);
}

static void wanted(void **state)
{
	struct bed *bed = *state;
	bool ports[PORTS + 1 + 2 * ADAPTERS] = {false};
	const struct port_errors_options options = {
		.address = {.qpn = 1}, .least = 1, .wanted = ports};

	ports[fabric_port_at(&bed->fabric, 0, 2)] = true;
	assert_int_equal(port_errors_read(bed->engine, &bed->fabric, &options, &bed->errors), 0);
	assert_int_equal(bed->errors.count, 1);
	/* One port costs less than the sum and the request before it. */
	assert_int_equal(bed->asked[CLASS_INFO], 0);
	assert_int_equal(bed->asked[COUNTERS], 1);
}

/* A node may claim any LID, even one that no port can have: nothing is sent there. */
static void any_lid(void **state)
{
	struct bed *bed = *state;
	struct fabric_run run = {.fabric = bed->fabric, .mad.session.engine = bed->engine};
	struct port_errors_options options = {.address = {.qpn = 1}, .all = true};
	uint8_t *levels;

	set_port(&bed->fabric, 1, 1, MAD_LID_LAST + 1);
	set_port(&bed->fabric, 2, 1, MAD_LID_PERMISSIVE);
	levels = fabric_errors_service_levels(&run);
	options.service_levels = levels;
	assert_int_equal(port_errors_read(bed->engine, &bed->fabric, &options, &bed->errors), 0);
	assert_int_equal(bed->strange, 0);
	assert_int_equal(bed->errors.unreachable, 2);
	problems_free(&run.mad.listing.problems);
	free(levels);
}

static bool is_stopped(void *context)
{
	(void)context;
	return true;
}

static int stay_silent(struct fake *fake, int agent, const struct mad_address *to,
		       const unsigned char *mad)
{
	(void)fake;
	(void)agent;
	(void)to;
	(void)mad;
	return 0;
}

/* Nodes of a file whose identity was not checked are not read; one problem gives the reason. */
static void verify_stopped(void **state)
{
	static const struct mad_engine_options stopped = {.stopped = is_stopped};
	struct bed *bed = *state;
	struct fabric_run run = {.fabric = bed->fabric};
	struct fake fake = {.on_send = stay_silent};
	bool *wanted;

	run.mad.session.engine = fake_engine(&fake, &stopped);
	assert_false(fabric_errors_verify(&run, &wanted));
	assert_int_equal(run.mad.listing.problems.count, 1);
	assert_string_equal(run.mad.listing.problems.items[0].error,
			    "interrupted before all nodes were identified");
	problems_free(&run.mad.listing.problems);
	assert_false(wanted[fabric_port_at(&bed->fabric, 0, 1)]);
	mad_engine_free(run.mad.session.engine);
	free(wanted);
}

/* Reads the details of port 3 of the switch, which has errors of that counter. */
static void read_details(struct bed *bed, struct port_errors_row *row, struct value *ret_details)
{
	const struct port_errors_options options = {.address = {.qpn = 1}};

	read_ports(bed, true, 0);
	assert_true(make_row(bed, counters_of(bed, 0, 3), 1, row));
	assert_int_equal(
		port_details_read(bed->engine, &bed->fabric, &options, row, 1, &bed->errors), 0);
	field_get(schema_find(&fabric_errors_schema, "details"), row, ret_details);
}

/* Details are a list, even an empty one, only if they were read. */
static void details(void **state)
{
	struct bed *bed = *state;
	struct port_errors_row row;
	struct value value;

	bits_set(bed->counters[0][3], RCV_ERRORS, 16, 9);
	read_ports(bed, true, 0);
	assert_true(make_row(bed, counters_of(bed, 0, 3), 1, &row));
	field_get(schema_find(&fabric_errors_schema, "details"), &row, &value);
	assert_int_equal(value.kind, VALUE_NONE);
	port_errors_row_clear(&row);
	read_details(bed, &row, &value);
	assert_int_equal(value.kind, VALUE_RECORDS);
	assert_int_equal(value.records.count, 0);
	port_errors_row_clear(&row);
	/* A node may lack counters for virtual lanes. */
	bed->refused_attribute = MAD_PM_VL_XMIT_FLOW_CTL_ERRORS;
	read_details(bed, &row, &value);
	assert_int_equal(value.kind, VALUE_RECORDS);
	assert_int_equal(bed->errors.failure_count, 0);
	port_errors_row_clear(&row);
	bed->refused_attribute = MAD_PM_RCV_ERROR_DETAILS;
	read_details(bed, &row, &value);
	assert_int_equal(value.kind, VALUE_NONE);
	assert_int_equal(bed->errors.failure_count, 1);
	port_errors_row_clear(&row);
}

/* An agent reports its capabilities once, however many of its ports have errors. */
static void agent_of_two_ports(void **state)
{
	struct bed *bed = *state;
	uint32_t adapter = sample_bare_node(&bed->fabric, NODE_TYPE_CA, 0x300, 2);

	bed->fabric.ports[fabric_port_at(&bed->fabric, 1, 1)].has_info = false;
	set_port(&bed->fabric, adapter, 1, SWITCH_LID + 1);
	set_port(&bed->fabric, adapter, 2, SWITCH_LID + 1);
	bits_set(bed->counters[1][1], SYMBOL_ERRORS, 16, 5);
	bits_set(bed->counters[1][2], SYMBOL_ERRORS, 16, 6);
	read_ports(bed, false, 1);
	assert_int_equal(bed->asked[CLASS_INFO], 2);
	assert_int_equal(bed->asked[EXTENDED], 2);
	assert_true(counters_of(bed, adapter, 1)->extended);
	assert_true(counters_of(bed, adapter, 2)->extended);
}

static struct port_counters counters_with(uint16_t symbol_errors, uint8_t link_downed)
{
	struct port_counters counters = {.read = true};

	bits_set(counters.counters, SYMBOL_ERRORS, 16, symbol_errors);
	bits_set(counters.counters, LINK_DOWNED, 8, link_downed);
	return counters;
}

static void assert_growth(const struct bed *bed, const struct port_counters *before,
			  struct port_counters after, double seconds, uint64_t count,
			  const char *errors)
{
	struct port_growth_row row;
	struct error_limits limits;
	bool worth;

	error_limits_init(&limits, 1);
	worth = port_growth_row_make(&bed->view, before, &after, seconds, &limits, &row);
	assert_int_equal(worth, errors != NULL);
	assert_int_equal(row.error_count.value, count);
	if (errors)
		assert_string_equal(row.errors, errors);
	port_growth_row_clear(&row);
}

static void growth(void **state)
{
	const struct bed *bed = *state;
	const struct port_counters before = counters_with(100, 3), full = counters_with(65535, 0);

	assert_growth(bed, &before, counters_with(100, 3), 2, 0, NULL);
	assert_growth(bed, &before, counters_with(110, 3), 2, 10, "symbol_errors +10 (5/s)");
	assert_growth(bed, &before, counters_with(110, 3), 0, 10, "symbol_errors +10");
	assert_growth(bed, &before, counters_with(110, 24), 2, 31,
		      "link_downed +21 (10.5/s), symbol_errors +10 (5/s)");
	assert_growth(bed, &before, counters_with(7, 3), 2, 7,
		      "symbol_errors 7 since it was reset");
	assert_growth(bed, &before, counters_with(0, 0), 2, 0, NULL);
	assert_growth(bed, &full, counters_with(65535, 0), 2, 0, "symbol_errors stopped at 65535");
	assert_growth(bed, NULL, counters_with(4, 0), 2, 0, "symbol_errors 4, not read before");
}

static void file(void **state)
{
	struct bed *bed = *state;
	struct saved_port_counters saved[3];
	struct port_errors loaded = {.items = NULL};

	bits_set(bed->counters[0][3], SYMBOL_ERRORS, 16, 100);
	bits_set(bed->extended[0][3], XMIT_DATA_64, 64, UINT64_C(1) << 40);
	read_ports(bed, true, 0);
	saved[0] = saved_port_counters_of(&bed->fabric, counters_of(bed, 2, 1));
	saved[1] = saved_port_counters_of(&bed->fabric, counters_of(bed, 0, 3));
	saved[2] = saved_port_counters_of(&bed->fabric, counters_of(bed, 0, 1));
	saved[2].node_guid.value = 0x999;
	assert_int_equal(saved_port_counters_load(&bed->fabric, saved, 3, &loaded), 1);
	assert_int_equal(loaded.count, 2);
	/* Sorted, whatever the order of the file. */
	assert_memory_equal(port_errors_find(&loaded, counters_of(bed, 0, 3)->port)->counters,
			    counters_of(bed, 0, 3)->counters, PORT_COUNTERS_BYTES);
	assert_memory_equal(
		port_errors_find(&loaded, counters_of(bed, 0, 3)->port)->extended_counters,
		counters_of(bed, 0, 3)->extended_counters, EXTENDED_PORT_COUNTERS_BYTES);
	assert_non_null(port_errors_find(&loaded, counters_of(bed, 2, 1)->port));
	port_errors_clear(&loaded);
	saved[0].port.value = 200;
	assert_int_equal(saved_port_counters_load(&bed->fabric, saved, 3, &loaded), 2);
	port_errors_clear(&loaded);
	/* Both masks have 32 bits. */
	saved[0].cap_mask2.value = UINT64_C(1) << 32;
	assert_int_equal(saved_port_counters_load(&bed->fabric, saved, 3, &loaded), -EINVAL);
	port_errors_clear(&loaded);
	saved[0].cap_mask2.value = 0;
	saved[0].cap_mask.value = UINT64_C(1) << 32;
	assert_int_equal(saved_port_counters_load(&bed->fabric, saved, 3, &loaded), -EINVAL);
	port_errors_clear(&loaded);
	saved[0].cap_mask.value = 0;
	saved[1].counters[5] = 'x';
	assert_int_equal(saved_port_counters_load(&bed->fabric, saved, 3, &loaded), -EINVAL);
	port_errors_clear(&loaded);
	saved[1].counters[5] = '\0';
	assert_int_equal(saved_port_counters_load(&bed->fabric, saved, 3, &loaded), -EINVAL);
	port_errors_clear(&loaded);
	for (size_t i = 0; i < 3; i++) {
		free(saved[i].counters);
		free(saved[i].extended_counters);
	}
}

#define TEST(name_) cmocka_unit_test_setup_teardown(name_, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(clean),   TEST(found),	     TEST(threshold), TEST(everything),
		TEST(plain),   TEST(at_their_most),  TEST(dead),      TEST(unreachable),
		TEST(wanted),  TEST(growth),	     TEST(file),      TEST(agent_of_two_ports),
		TEST(any_lid), TEST(verify_stopped), TEST(details),   TEST(without_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
