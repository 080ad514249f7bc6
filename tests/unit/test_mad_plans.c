/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Operations over many attributes of a node, on a simulated kernel: counters of its ports, and a
 * changed PortInfo.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "fake_transport.h"
#include "schema/bits.h"
#include "mad/format/codes.h"
#include "mad/format/header.h"
#include "mad/perf/perf.h"
#include "mad/smp_change.h"

enum { NODE_LID = 9, OWN_LID = 7, PORTS = 4, OUR_PORT = 2, BACK_PORT = 3, BLOCK_LIDS = 64 };
enum { OP_CODE = 0x64 };

/* A switch with four ports, connected to us by OUR_PORT. */
struct fixture {
	struct fake fake;
	struct mad_session session;
	struct problems problems;
	struct mad_destination destination;
	unsigned char port_info[PORT_INFO_BYTES];
	bool keeps; /* the node ignores what is set */
	size_t cleared;
	uint32_t class_caps;
	uint32_t select, select2, extended_select, extended_select2, op_select;
	uint8_t op_code;
	char name[2];
};

static void fill(struct fixture *fixture, const unsigned char *mad, unsigned char *data)
{
	switch (mad_class(mad) << 16 | mad_attribute(mad)) {
	case UMAD_CLASS_SUBN_LID_ROUTED << 16 | UMAD_SM_ATTR_NODE_INFO:
		data[2] = NODE_TYPE_SWITCH;
		data[3] = PORTS;
		data[36] = OUR_PORT;
		break;
	case UMAD_CLASS_SUBN_LID_ROUTED << 16 | UMAD_SM_ATTR_LINEAR_FT:
		/* Blocks of 64 LIDs, 14.2.5.10; answers leave by a separate port. */
		if (bits_get(mad, 20 * 8, 32) == fixture->session.port.route.lid / BLOCK_LIDS)
			data[fixture->session.port.route.lid % BLOCK_LIDS] = BACK_PORT;
		break;
	case UMAD_CLASS_SUBN_LID_ROUTED << 16 | UMAD_SM_ATTR_PORT_INFO:
		if (mad_method(mad) == UMAD_METHOD_SET && !fixture->keeps)
			memcpy(fixture->port_info, data, sizeof(fixture->port_info));
		memcpy(data, fixture->port_info, sizeof(fixture->port_info));
		break;
	case UMAD_CLASS_PERF_MGMT << 16 | MAD_PM_COUNTERS:
		fixture->cleared += mad_method(mad) == UMAD_METHOD_SET;
		if (mad_method(mad) == UMAD_METHOD_SET) {
			fixture->select = (uint32_t)bits_get(data, 2 * 8, 16);
			fixture->select2 = data[18];
		}
		data[7] = data[1]; /* LinkDowned is the number of the port */
		break;
	case UMAD_CLASS_PERF_MGMT << 16 | MAD_PM_COUNTERS_EXTENDED:
		if (mad_method(mad) == UMAD_METHOD_SET) {
			fixture->extended_select = (uint32_t)bits_get(data, 2 * 8, 16);
			fixture->extended_select2 = (uint32_t)bits_get(data, 4 * 8, 32);
		}
		break;
	case UMAD_CLASS_PERF_MGMT << 16 | MAD_PM_OP_RCV_COUNTERS:
		if (mad_method(mad) == UMAD_METHOD_SET) {
			fixture->op_code = data[0];
			fixture->op_select = (uint32_t)bits_get(data, 2 * 8, 16);
		}
		data[0] = OP_CODE;
		break;
	case UMAD_CLASS_PERF_MGMT << 16 | UMAD_ATTR_CLASS_PORT_INFO:
		bits_set(data, 2 * 8, 16, fixture->class_caps);
		break;
	}
}

static int answer(struct fake *fake, int agent, const struct mad_address *to,
		  const unsigned char *mad)
{
	unsigned char reply[MAD_BYTES];

	(void)agent;
	assert_int_equal(to->lid, NODE_LID);
	memcpy(reply, mad, MAD_BYTES);
	fill(fake->context, mad, reply + mad_data_offset(mad_class(mad)));
	mad_set_method(reply, UMAD_METHOD_GET_RESP);
	fake_put(fake, 0, reply, MAD_BYTES, 0);
	return 0;
}

static struct fixture *begin(char **words, size_t word_count)
{
	const struct mad_engine_options options = {.timeout_msec = 300, .retries_given = true};
	struct fixture *fixture = mem_alloc_zero(1, sizeof(*fixture));

	fixture->fake.on_send = answer;
	fixture->fake.context = fixture;
	fixture->name[0] = '9';
	fixture->destination = (struct mad_destination){
		.name = fixture->name,
		.words = words,
		.word_count = word_count,
		.place = {.target = {.kind = TARGET_LID, .lid = NODE_LID},
			  .address = {.lid = NODE_LID, .qpn = 1}},
	};
	fixture->session = (struct mad_session){
		.problems = &fixture->problems,
		.port.route.lid = OWN_LID,
		.destinations = &fixture->destination,
		.destination_count = 1,
		.engine = fake_engine(&fixture->fake, &options),
	};
	return fixture;
}

static void end(struct fixture *fixture)
{
	mad_engine_free(fixture->session.engine);
	problems_free(&fixture->problems);
	free(fixture);
}

/* Without port numbers: all ports of the switch. */
static void counters_of_all_ports(void **state)
{
	const struct perf_options options = {.listing = PERF_OF_PORT};
	struct fixture *fixture = begin(NULL, 0);
	struct perf perf;

	(void)state;
	assert_int_equal(perf_plan(&perf, &fixture->session, &options), 0);
	perf_read(&perf);
	assert_int_equal(perf.row_count, PORTS);
	for (size_t i = 0; i < PORTS; i++) {
		assert_int_equal(perf.rows[i].port.value, i + 1);
		assert_int_equal(perf.rows[i].link_downed.value, i + 1);
	}
	assert_int_equal(perf_reset(&perf, PERF_CLEAR_ALL), PORTS);
	assert_int_equal(fixture->cleared, PORTS);
	assert_int_equal(fixture->problems.count, 0);
	perf_end(&perf);
	end(fixture);
}

/* The agent sums up, or each port is read; either way there is one row. */
static void counters_added_up(void **state)
{
	const struct perf_options options = {.listing = PERF_OF_PORT, .sum = true};
	struct fixture *fixture = begin(NULL, 0);
	struct perf perf;

	(void)state;
	assert_int_equal(perf_plan(&perf, &fixture->session, &options), 0);
	assert_int_equal(perf.port_count, PORTS);
	perf_read(&perf);
	assert_int_equal(perf.row_count, 1);
	assert_int_equal(perf.rows[0].link_downed.value, 1 + 2 + 3 + 4);
	assert_int_equal(perf.rows[0].summed_ports.value, PORTS);
	assert_int_equal(perf.rows[0].summed_by.value, PERF_SUMMED_HERE);
	assert_false(perf.rows[0].port.known);
	perf_end(&perf);
	fixture->class_caps = PERF_CAP_ALL_PORT_SELECT;
	assert_int_equal(perf_plan(&perf, &fixture->session, &options), 0);
	assert_int_equal(perf.port_count, 1);
	assert_int_equal(perf.ports[0].port, PERF_ALL_PORTS);
	perf_read(&perf);
	assert_int_equal(perf.row_count, 1);
	/* The agent's answer for PortSelect 255 */
	assert_int_equal(perf.rows[0].link_downed.value, PERF_ALL_PORTS);
	assert_int_equal(perf.rows[0].summed_by.value, PERF_SUMMED_AGENT);
	assert_int_equal(perf.rows[0].summed_ports.value, PORTS);
	assert_int_equal(perf_reset(&perf, PERF_CLEAR_ALL), PORTS);
	assert_int_equal(fixture->cleared, 1);
	perf_end(&perf);
	assert_int_equal(fixture->problems.count, 0);
	end(fixture);
}

static void names_of_counters(void **state)
{
	uint32_t mask = 0;
	char *wrong = NULL;

	(void)state;
	assert_int_equal(perf_parse_counters("symbol_errors,xmit_wait_ticks", &mask, &wrong), 0);
	assert_int_equal(mask, 0x10001);
	assert_int_equal(perf_parse_counters("0xfff,multicast_rcv_packets", &mask, &wrong), 0);
	assert_int_equal(mask, 0x200fff);
	assert_int_equal(PERF_CLEAR_ERRORS & PERF_CLEAR_TRAFFIC, 0);
	assert_int_equal(PERF_CLEAR_ERRORS | PERF_CLEAR_TRAFFIC | 1 << 16, PERF_CLEAR_ALL);
	assert_int_equal(perf_parse_counters("symbol_errrs", &mask, &wrong), -EINVAL);
	assert_string_equal(wrong, "symbol_errrs");
	free(wrong);
	assert_int_equal(perf_parse_counters("0x400000", &mask, &wrong), -EINVAL);
	free(wrong);
	assert_int_equal(perf_parse_counters("0", &mask, &wrong), -EINVAL);
	free(wrong);
	assert_int_equal(perf_parse_counters("", &mask, &wrong), -EINVAL);
	free(wrong);
	assert_int_equal(mask, 0x200fff);
}

/* A Set selects counters by bit, in each attribute that has them. */
static void clears_by_mask(void **state)
{
	const struct perf_options options = {.listing = PERF_OF_PORT};
	char one[] = "1";
	char *words[] = {one};
	struct fixture *fixture = begin(words, 1);
	struct perf perf;

	(void)state;
	fixture->class_caps = PERF_CAP_EXTENDED_WIDTH | PERF_CAP_XMIT_WAIT;
	assert_int_equal(perf_plan(&perf, &fixture->session, &options), 0);
	perf_read(&perf);
	/* Symbol errors, bytes sent, the wait, and unicast packets received */
	assert_int_equal(perf_reset(&perf, 1 | 1 << 12 | 1 << 16 | 1 << 19), 1);
	assert_int_equal(fixture->select, 0x1001);
	assert_int_equal(fixture->select2, PERF_SELECT2_XMIT_WAIT);
	assert_int_equal(fixture->extended_select, 0x21);
	assert_int_equal(fixture->extended_select2, 0);
	/* The node has no counter of datagrams dropped at queue pair 1. */
	assert_int_equal(perf_reset(&perf, 1 << 17), 0);
	assert_int_equal(fixture->problems.count, 1);
	perf_end(&perf);
	end(fixture);
}

/* All counters of another listing are cleared, and the operation code is kept. */
static void clears_a_listing(void **state)
{
	const struct perf_options options = {.listing = PERF_OF_FLOW};
	char one[] = "1";
	char *words[] = {one};
	struct fixture *fixture = begin(words, 1);
	struct perf perf;

	(void)state;
	assert_int_equal(perf_plan(&perf, &fixture->session, &options), 0);
	perf_read(&perf);
	assert_int_equal(perf.row_count, 1);
	assert_int_equal(perf_reset(&perf, PERF_CLEAR_ALL), 1);
	assert_int_equal(fixture->op_code, OP_CODE);
	assert_int_equal(fixture->op_select, 0xffff);
	assert_int_equal(fixture->cleared, 0);
	perf_end(&perf);
	end(fixture);
}

static void counters_of_named_ports(void **state)
{
	const struct perf_options options = {.listing = PERF_OF_PORT};
	char range[] = "3-6", wrong[] = "x", backwards[] = "8-5";
	char *words[] = {range, wrong};
	struct fixture *fixture = begin(words, 1);
	struct perf perf;

	(void)state;
	assert_int_equal(perf_plan(&perf, &fixture->session, &options), 0);
	assert_int_equal(perf.port_count, 2);
	assert_int_equal(fixture->problems.count, 1);
	assert_string_equal(fixture->problems.items[0].error, "its last port is 4");
	perf_end(&perf);
	fixture->destination.word_count = 2;
	assert_int_equal(perf_plan(&perf, &fixture->session, &options), -EINVAL);
	assert_string_equal(fixture->problems.items[1].error,
			    "'x' is not a port or a range of ports");
	perf_end(&perf);
	words[1] = backwards;
	assert_int_equal(perf_plan(&perf, &fixture->session, &options), -EINVAL);
	assert_string_equal(fixture->problems.items[2].error,
			    "'8-5' is not a port or a range of ports");
	perf_end(&perf);
	end(fixture);
}

static void change(struct fixture *fixture, uint32_t port, const char *text,
		   struct smp_change *change)
{
	const struct smp_value *wrong;

	*change = (struct smp_change){
		.session = &fixture->session,
		.attribute = mad_attribute_find_word(sm_attributes, "portinfo"),
		.port = port,
	};
	assert_int_equal(smp_change_parse(change, text), 0);
	assert_int_equal(smp_change_find(change, &wrong), 0);
	assert_true(smp_change_read(change));
	assert_int_equal(smp_change_put(change, &wrong), 0);
}

/* Returns what smp_change_find() says about a text. */
static int find(const char *attribute, const char *text)
{
	struct smp_change one = {.attribute = mad_attribute_find_word(sm_attributes, attribute)};
	const struct smp_value *wrong;
	int rc;

	assert_int_equal(smp_change_parse(&one, text), 0);
	rc = smp_change_find(&one, &wrong);
	if (rc)
		assert_ptr_equal(wrong, &one.values[one.value_count - 1]);
	smp_change_clear(&one);
	return rc;
}

/* Read-only fields, computed fields, and fields that do not exist. */
static void fields_that_cannot_be_set(void **state)
{
	(void)state;
	assert_int_equal(find("portinfo", "lmc=1,state=down,speed_ext_enabled=edr"), 0);
	assert_int_equal(find("portinfo", "lmc=1,mtu_cap_bytes=4096"), -EPERM);
	assert_int_equal(find("portinfo", "rate_gbps=100"), -EPERM);
	assert_int_equal(find("portinfo", "speed_active=qdr"), -EPERM);
	assert_int_equal(find("portinfo", "speed_ext_active=edr"), -EPERM);
	assert_int_equal(find("portinfo", "capabilities=sm"), -EPERM);
	assert_int_equal(find("portinfo", "stat=down"), -ENOENT);
	assert_int_equal(find("nodeinfo", "node_guid=0x1"), -EPERM);
	assert_int_equal(find("switchinfo", "linear_fdb_top=7"), 0);
	assert_int_equal(find("switchinfo", "linear_fdb_cap=7"), -EPERM);
}

/* 14.2.5.6: one bit per speed, 30 for none of them; 0 would mean "no change". */
static void extended_speeds(void **state)
{
	static const struct {
		const char *text;
		uint8_t bits;
		int rc;
	} rows[] = {
		{"speed_ext_enabled=edr", 2, 0},      {"speed_ext_enabled=fdr,edr", 3, 0},
		{"speed_ext_enabled=none", 30, 0},    {"speed_ext_enabled=", 30, 0},
		{"speed_ext_enabled=ndr,hdr", 12, 0}, {"speed_ext_enabled=qdr", 0, -EINVAL},
		{"speed_ext_enabled=32", 0, -ERANGE},
	};
	struct fixture *fixture = begin(NULL, 0);
	const struct smp_value *wrong;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct smp_change one = {
			.session = &fixture->session,
			.attribute = mad_attribute_find_word(sm_attributes, "portinfo"),
			.port = 1,
		};

		memset(fixture->port_info, 0, sizeof(fixture->port_info));
		fixture->port_info[22] = 1 << 6; /* the capability */
		fixture->port_info[62] = 15;	 /* all speeds are supported */
		fixture->port_info[63] = 31;	 /* all supported ones */
		assert_int_equal(smp_change_parse(&one, rows[i].text), 0);
		assert_int_equal(smp_change_find(&one, &wrong), 0);
		assert_true(smp_change_read(&one));
		assert_int_equal(smp_change_put(&one, &wrong), rows[i].rc);
		if (!rows[i].rc) {
			assert_true(smp_change_write(&one));
			assert_int_equal(fixture->port_info[63], rows[i].bits);
		}
		smp_change_clear(&one);
	}
	assert_int_equal(fixture->problems.count, 0);
	end(fixture);
}

/* This field does not exist on a port without the capability. */
static void a_field_that_the_port_lacks(void **state)
{
	struct fixture *fixture = begin(NULL, 0);
	struct smp_change one = {
		.session = &fixture->session,
		.attribute = mad_attribute_find_word(sm_attributes, "portinfo"),
		.port = 1,
	};
	const struct smp_value *wrong;

	(void)state;
	memset(fixture->port_info, 0, sizeof(fixture->port_info));
	assert_int_equal(smp_change_parse(&one, "lmc=1,speed_ext_enabled=edr"), 0);
	assert_int_equal(smp_change_find(&one, &wrong), 0);
	assert_true(smp_change_read(&one));
	assert_int_equal(smp_change_put(&one, &wrong), -ENXIO);
	assert_string_equal(wrong->key, "speed_ext_enabled");
	smp_change_clear(&one);
	end(fixture);
}

/* The states are written as 0, "no change"; a field that the node leaves unchanged is a problem. */
static void changed_fields(void **state)
{
	struct fixture *fixture = begin(NULL, 0);
	struct smp_change one;

	(void)state;
	fixture->port_info[32] = PORT_STATE_ACTIVE;
	change(fixture, 1, "lmc=3,width_enabled=1x,4x", &one);
	assert_int_equal(one.value_count, 2);
	assert_string_equal(one.values[1].text, "1x,4x");
	assert_true(smp_change_write(&one));
	assert_int_equal(port_info_lmc(fixture->port_info), 3);
	assert_int_equal(port_info_state(fixture->port_info), PORT_STATE_NOP);
	assert_int_equal(fixture->problems.count, 0);
	smp_change_clear(&one);
	fixture->keeps = true;
	change(fixture, 1, "lmc=1", &one);
	assert_true(smp_change_write(&one));
	assert_string_equal(fixture->problems.items[0].error, "the node left lmc unchanged: 3");
	smp_change_clear(&one);
	end(fixture);
}

static void path_is_cut(void **state)
{
	static const struct {
		uint32_t port;
		const char *text;
		bool cuts;
	} rows[] = {
		{OUR_PORT, "lmc=3", true}, {OUR_PORT, "client_reregister=yes", false},
		{0, "lmc=3", true},	   {BACK_PORT, "lmc=3", true},
		{1, "lmc=3", false},
	};
	static const uint16_t lids[] = {1, 31, 32, 33, 63, 64, 65, 200, 0xbfff};
	struct fixture *fixture = begin(NULL, 0);
	struct smp_change one = {.session = &fixture->session};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lids); i++)
		for (uint32_t port = 1; port <= PORTS; port++) {
			fixture->session.port.route.lid = lids[i];
			change(fixture, port, "lmc=3", &one);
			assert_int_equal(smp_change_cuts_path(&one),
					 port == OUR_PORT || port == BACK_PORT);
			smp_change_clear(&one);
		}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		change(fixture, rows[i].port, rows[i].text, &one);
		assert_int_equal(smp_change_cuts_path(&one), rows[i].cuts);
		smp_change_clear(&one);
	}
	one = (struct smp_change){.session = &fixture->session};
	assert_int_equal(smp_change_parse(&one, "lmc"), -EINVAL);
	smp_change_clear(&one);
	end(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_of_all_ports),
		cmocka_unit_test(counters_of_named_ports),
		cmocka_unit_test(counters_added_up),
		cmocka_unit_test(names_of_counters),
		cmocka_unit_test(clears_by_mask),
		cmocka_unit_test(clears_a_listing),
		cmocka_unit_test(changed_fields),
		cmocka_unit_test(path_is_cut),
		cmocka_unit_test(fields_that_cannot_be_set),
		cmocka_unit_test(extended_speeds),
		cmocka_unit_test(a_field_that_the_port_lacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
