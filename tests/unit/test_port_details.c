/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters of ports with errors: which further attributes are requested, and which Sets clear which
 * counters, byte by byte (16.1.3.5, 16.1.4).
 */
#include "fabric/scan/port_counters.h"
#include "fake_transport.h"
#include "made_up_fabric.h"
#include "mad/format/header.h"
#include "mad/perf/perf.h"

enum { LEAF, HOST, LEAF_LID = 5, HOST_LID = 300 };
enum { RCV_ERROR_DETAILS = 0x15, XMIT_DISCARD_DETAILS = 0x16, COUNTERS = 0x12, EXTENDED = 0x1d };

struct bed {
	struct fake fake;
	struct fabric fabric;
	struct fabric_view view;
	char *asked; /* `LID service level method attribute port: select select2` of each request */
	uint16_t refused_lid, refused, silent; /* attributes */
};

static int answer(struct fake *fake, int agent, const struct mad_address *to,
		  const unsigned char *mad)
{
	struct bed *bed = fake->context;
	const unsigned int attribute = mad_attribute(mad);
	const bool set = mad_method(mad) == UMAD_METHOD_SET;
	unsigned char reply[MAD_BYTES];
	char *before = bed->asked;

	(void)agent;
	bed->asked = mem_format("%s%u %u %s %x %u", before, to->lid, to->sl, set ? "set" : "get",
				attribute, mad[65]);
	free(before);
	if (set) {
		before = bed->asked;
		bed->asked = mem_format("%s: %x %x %x", before,
					(unsigned int)bits_get(mad, 66 * 8, 16), mad[82],
					(unsigned int)bits_get(mad, 68 * 8, 32));
		free(before);
	}
	before = bed->asked;
	bed->asked = mem_format("%s\n", before);
	free(before);
	if (attribute == bed->silent)
		return 0;
	memcpy(reply, mad, MAD_BYTES);
	mad_set_method(reply, UMAD_METHOD_GET_RESP);
	if (attribute == bed->refused && (!bed->refused_lid || bed->refused_lid == to->lid))
		reply[5] = UMAD_STATUS_ATTR_NOT_SUPPORTED;
	/* The first counters of PortRcvErrorDetails: 16.1.4.1. */
	if (attribute == RCV_ERROR_DETAILS) {
		bits_set(reply, (64 + 4) * 8, 16, 3);
		bits_set(reply, (64 + 10) * 8, 16, 65535);
	}
	fake_put(fake, 0, reply, MAD_BYTES, 0);
	return 0;
}

static void begin(struct bed *bed)
{
	struct fabric *fabric = &bed->fabric;

	*bed = (struct bed){.asked = mem_string("")};
	bed->fake.on_send = answer;
	bed->fake.context = bed;
	bed->view.fabric = fabric;
	sample_node(fabric, NODE_TYPE_SWITCH, 0x100, 4, "leaf");
	sample_node(fabric, NODE_TYPE_CA, 0x200, 1, "host");
	sample_cable(fabric, LEAF, 3, HOST, 1);
	bits_set(fabric->ports[fabric_port_at(fabric, LEAF, 0)].info, 16 * 8, 16, LEAF_LID);
	bits_set(fabric->ports[fabric_port_at(fabric, HOST, 1)].info, 16 * 8, 16, HOST_LID);
}

static void end(struct bed *bed)
{
	fabric_clear(&bed->fabric);
	free(bed->asked);
}

static struct mad_engine *engine_of(struct bed *bed)
{
	const struct mad_engine_options options = {
		.timeout_msec = 50, .retries_given = true, .window = 1};

	return fake_engine(&bed->fake, &options);
}

/* Makes rows for port 3 of the switch and of the adapter, with these counters. */
static void make_rows(const struct bed *bed, bool errors, bool discards, bool waits,
		      struct port_errors_row rows[static 2])
{
	for (size_t i = 0; i < 2; i++) {
		struct perf_record *counters = &rows[i].counters;

		rows[i] = (struct port_errors_row){
			.at = {&bed->view,
			       fabric_port_at(&bed->fabric, i ? HOST : LEAF, i ? 1 : 3)}};
		counters->rcv_errors = (struct perf_counter){.known = true, .value = errors};
		counters->xmit_discards = (struct perf_counter){.known = true, .value = discards};
		counters->xmit_wait_ticks = (struct perf_counter){.known = waits, .value = 1};
	}
}

/* An attribute is requested if its counter is nonzero; VL congestion, from switches only. */
static void what_is_asked(void **state)
{
	static const struct {
		bool errors, discards, waits;
		const char *leaf, *host;
	} rows[] = {
		{true, true, true,
		 "5 2 get 15 3\n5 2 get 16 3\n5 2 get 1b 3\n5 2 get 1c 3\n5 2 get 30 3\n",
		 "300 7 get 15 1\n300 7 get 16 1\n300 7 get 1b 1\n300 7 get 1c 1\n"},
		{true, false, false, "5 2 get 15 3\n5 2 get 1b 3\n",
		 "300 7 get 15 1\n300 7 get 1b 1\n"},
		{false, true, false, "5 2 get 16 3\n5 2 get 1b 3\n",
		 "300 7 get 16 1\n300 7 get 1b 1\n"},
		{false, false, false, "5 2 get 1b 3\n", "300 7 get 1b 1\n"},
	};
	static const uint8_t levels[65536] = {[LEAF_LID] = 2, [HOST_LID] = 7};
	static const struct port_errors_options options = {.address = {.qpn = 1, .sl = 9},
							   .service_levels = levels};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct port_errors failures = {.items = NULL};
		struct port_errors_row ports[2];
		struct mad_engine *engine;
		struct bed bed;
		char *expected = mem_format("%s%s", rows[i].leaf, rows[i].host);

		begin(&bed);
		make_rows(&bed, rows[i].errors, rows[i].discards, rows[i].waits, ports);
		engine = engine_of(&bed);
		assert_int_equal(
			port_details_read(engine, &bed.fabric, &options, ports, 2, &failures), 0);
		assert_string_equal(bed.asked, expected);
		assert_int_equal(failures.failure_count, 0);
		for (size_t j = 0; j < 2; j++) {
			assert_true(ports[j].knows_details);
			assert_int_equal(ports[j].detail_count, rows[i].errors ? 2 : 0);
			if (rows[i].errors)
				assert_int_equal(ports[j].details[1].value.value, 65535);
			port_errors_row_clear(&ports[j]);
		}
		mad_engine_free(engine);
		free(expected);
		end(&bed);
	}
}

/* The details in words; a mandatory attribute, and an optional one. */
static void what_is_missing(void **state)
{
	static const struct {
		uint16_t refused, silent;
		size_t failures, details;
	} rows[] = {
		{0, 0, 0, 2},	 {0x15, 0, 1, 0}, {0x16, 0, 1, 2},
		{0x1b, 0, 0, 2}, {0, 0x16, 1, 2}, {0, 0x1c, 0, 2},
	};
	static const struct port_errors_options options = {.address = {.qpn = 1}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct port_errors failures = {.items = NULL};
		struct port_errors_row ports[2];
		struct mad_engine *engine;
		struct bed bed;

		begin(&bed);
		bed.refused = rows[i].refused;
		bed.silent = rows[i].silent;
		make_rows(&bed, true, true, true, ports);
		engine = engine_of(&bed);
		assert_int_equal(
			port_details_read(engine, &bed.fabric, &options, ports, 1, &failures), 0);
		assert_int_equal(failures.failure_count, rows[i].failures);
		assert_int_equal(ports[0].knows_details, !rows[i].failures);
		assert_int_equal(ports[0].detail_count, rows[i].details);
		if (rows[i].failures) {
			const struct fabric_failure *failure = &failures.failures[0];

			assert_int_equal(failure->port, fabric_port_at(&bed.fabric, LEAF, 3));
			assert_int_equal(failure->attribute, rows[i].refused | rows[i].silent);
			assert_int_equal(failure->status, rows[i].refused ? 0x0c : 0);
			assert_int_equal(failure->error, rows[i].silent ? -ETIMEDOUT : 0);
			assert_int_equal(failure->tries, 1);
		}
		if (rows[i].details) {
			char *expected = mem_format("%s 3, %s 65535",
						    ports[0].details[0].field->key,
						    ports[0].details[1].field->key);

			assert_string_equal(ports[0].said_details, expected);
			free(expected);
		}
		port_errors_row_clear(&ports[0]);
		free(failures.failures);
		mad_engine_free(engine);
		end(&bed);
	}
}

static void read_of(const struct bed *bed, struct port_counters counters[static 3],
		    struct port_errors *readings)
{
	const struct perf_caps all = {.mask = PERF_CAP_EXTENDED_WIDTH | PERF_CAP_XMIT_WAIT |
					      PERF_CAP_QP1_DROPPED,
				      .mask2 = PERF_CAP2_EXTENDED_ERRORS};

	counters[0] = (struct port_counters){
		.port = fabric_port_at(&bed->fabric, LEAF, 3), .read = true, .select = {0, 3}};
	/* It was not read, so it is not cleared. */
	counters[1] = (struct port_counters){.port = fabric_port_at(&bed->fabric, LEAF, 4),
					     .select = {0, 4}};
	counters[2] = (struct port_counters){.port = fabric_port_at(&bed->fabric, HOST, 1),
					     .read = true,
					     .caps = all,
					     .select = {0, 1}};
	*readings = (struct port_errors){.items = counters, .count = 3};
}

/* The first node has only the first counters, the other one has all. */
static void what_clears(void **state)
{
	static const struct {
		unsigned int kinds;
		bool details;
		const char *asked;
	} rows[] = {
		{CLEAR_ERRORS, false,
		 "5 0 set 12 3: fff 0 0\n"
		 "300 0 set 12 1: fff 2 0\n300 0 set 1d 1: 0 0 2fff\n"},
		{CLEAR_TRAFFIC, false,
		 "5 0 set 12 3: f000 0 0\n"
		 "300 0 set 12 1: f000 0 0\n300 0 set 1d 1: ff 0 0\n"},
		{CLEAR_ALL, false,
		 "5 0 set 12 3: ffff 0 0\n"
		 "300 0 set 12 1: ffff 3 0\n300 0 set 1d 1: ff 0 3fff\n"},
		{CLEAR_ERRORS, true,
		 "5 0 set 12 3: fff 0 0\n5 0 set 15 3: 3f 0 0\n5 0 set 16 3: f 0 0\n"
		 "300 0 set 12 1: fff 2 0\n300 0 set 1d 1: 0 0 2fff\n"
		 "300 0 set 15 1: 3f 0 0\n300 0 set 16 1: f 0 0\n"},
		{CLEAR_TRAFFIC, true,
		 "5 0 set 12 3: f000 0 0\n"
		 "300 0 set 12 1: f000 0 0\n300 0 set 1d 1: ff 0 0\n"},
	};
	static const struct port_errors_options options = {.address = {.qpn = 1}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct port_counters counters[3];
		struct port_errors readings;
		struct mad_engine *engine;
		size_t cleared = 99;
		struct bed bed;

		begin(&bed);
		read_of(&bed, counters, &readings);
		engine = engine_of(&bed);
		assert_int_equal(port_counters_reset(engine, &bed.fabric, &options, rows[i].kinds,
						     rows[i].details, &readings, &cleared),
				 0);
		assert_string_equal(bed.asked, rows[i].asked);
		assert_int_equal(cleared, 2);
		assert_int_equal(readings.failure_count, 0);
		mad_engine_free(engine);
		end(&bed);
	}
}

/* A port whose Set failed does not count as cleared, whatever else was. */
static void not_cleared(void **state)
{
	static const struct {
		uint16_t lid, refused, silent;
		size_t cleared, failures;
		uint32_t node;
		unsigned int port;
	} rows[] = {
		{LEAF_LID, COUNTERS, 0, 1, 1, LEAF, 3},
		{HOST_LID, EXTENDED, 0, 1, 1, HOST, 1},
		{0, 0, EXTENDED, 1, 1, HOST, 1},
		{0, COUNTERS, 0, 0, 2, LEAF, 3},
	};
	static const struct port_errors_options options = {.address = {.qpn = 1}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct port_counters counters[3];
		struct port_errors readings;
		struct mad_engine *engine;
		struct bed bed;
		size_t cleared;

		begin(&bed);
		bed.refused_lid = rows[i].lid;
		bed.refused = rows[i].refused;
		bed.silent = rows[i].silent;
		read_of(&bed, counters, &readings);
		engine = engine_of(&bed);
		assert_int_equal(port_counters_reset(engine, &bed.fabric, &options, CLEAR_ALL,
						     false, &readings, &cleared),
				 0);
		assert_int_equal(cleared, rows[i].cleared);
		assert_int_equal(readings.failure_count, rows[i].failures);
		assert_int_equal(readings.failures[0].port,
				 fabric_port_at(&bed.fabric, rows[i].node, rows[i].port));
		assert_int_equal(readings.failures[0].attribute, rows[i].refused | rows[i].silent);
		free(readings.failures);
		mad_engine_free(engine);
		end(&bed);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_asked),
		cmocka_unit_test(what_is_missing),
		cmocka_unit_test(what_clears),
		cmocka_unit_test(not_cleared),
	};

	return cmocka_run_group_tests_name("port_details", tests, NULL, NULL);
}
