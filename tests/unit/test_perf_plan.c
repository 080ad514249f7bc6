/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which ports of which nodes have their counters read, which attributes are requested, and the bits
 * by which counters are cleared, on made-up nodes with one LID each.
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
#include "mad/format/codes.h"
#include "mad/format/header.h"
#include "mad/perf/perf.h"
#include "schema/bits.h"

enum { OWN_LID = 7, OWN_PORT = 2, FIRST_LID = 20, NODES_MOST = 3 };
/* Classes and attributes, for the tables of silent nodes. */
enum { SM = UMAD_CLASS_SUBN_LID_ROUTED, PM = UMAD_CLASS_PERF_MGMT };

struct node {
	unsigned int type, ports, local_port;
	bool enhanced_port0;
	unsigned int silent; /* attribute of subnet management that is not answered */
	uint16_t caps;
	uint32_t caps2;	    /* 24 bits: CapabilityMask2 */
	bool extended_info; /* its ports are said to have PortInfoExtended */
	uint16_t fec;
	bool has_fec;
	bool refuses_set;
	unsigned int refuses, mute; /* attribute of performance management */
};

struct bed {
	struct fake fake;
	struct mad_session session;
	struct problems problems;
	struct mad_destination destinations[NODES_MOST];
	struct node nodes[NODES_MOST];
	char names[NODES_MOST][4];
	char *words[2]; /* of the first destination */
	size_t asked_fec, sets;
	struct perf perf;
};

/* A switch reports its capabilities at port 0 only. */
static void fill_port_info(const struct node *node, uint32_t port, unsigned char *data)
{
	/* 14.2.5.6: 4x; CapabilityMask2 in bit 15 of the mask, PortInfoExtended in its bit 1 */
	data[31] = 2;
	if (node->extended_info && (node->type != NODE_TYPE_SWITCH || !port))
		bits_set(data, 20 * 8, 32, 1 << 15), bits_set(data, 60 * 8, 16, 1 << 1);
}

static void fill(struct bed *bed, const struct node *node, const unsigned char *mad,
		 unsigned char *data)
{
	switch (mad_class(mad) << 16 | mad_attribute(mad)) {
	case SM << 16 | UMAD_SM_ATTR_NODE_INFO:
		data[2] = (unsigned char)node->type;
		data[3] = (unsigned char)node->ports;
		data[36] = (unsigned char)node->local_port;
		break;
	case SM << 16 | UMAD_SM_ATTR_SWITCH_INFO:
		assert_int_equal(mad_modifier(mad), 0);
		data[16] = node->enhanced_port0 << 3;
		break;
	case SM << 16 | UMAD_SM_ATTR_PORT_INFO:
		fill_port_info(node, mad_modifier(mad), data);
		break;
	case SM << 16 | UMAD_SM_ATTR_PORT_INFO_EXT:
		bed->asked_fec++;
		bits_set(data, 0, 32, node->has_fec);
		bits_set(data, 4 * 8, 16, node->fec);
		break;
	case PM << 16 | UMAD_ATTR_CLASS_PORT_INFO:
		bits_set(data, 2 * 8, 16, node->caps);
		bits_set(data, 4 * 8, 27, node->caps2);
		break;
	}
}

static int answer(struct fake *fake, int agent, const struct mad_address *to,
		  const unsigned char *mad)
{
	struct bed *bed = fake->context;
	const struct node *node = &bed->nodes[to->lid == OWN_LID ? 0 : to->lid - FIRST_LID];
	unsigned char reply[MAD_BYTES];

	(void)agent;
	if (mad_attribute(mad) == (mad_class(mad) == SM ? node->silent : node->mute))
		return 0;
	memcpy(reply, mad, MAD_BYTES);
	bed->sets += mad_method(mad) == UMAD_METHOD_SET;
	if ((mad_method(mad) == UMAD_METHOD_SET && node->refuses_set) ||
	    (mad_class(mad) == PM && mad_attribute(mad) == node->refuses))
		reply[5] = UMAD_STATUS_ATTR_NOT_SUPPORTED;
	fill(bed, node, mad, reply + mad_data_offset(mad_class(mad)));
	mad_set_method(reply, UMAD_METHOD_GET_RESP);
	fake_put(fake, 0, reply, MAD_BYTES, 0);
	return 0;
}

static struct bed *begin(const struct node *nodes, size_t count)
{
	const struct mad_engine_options options = {.timeout_msec = 100, .retries_given = true};
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));

	bed->fake.on_send = answer;
	bed->fake.context = bed;
	for (size_t i = 0; i < count; i++) {
		bed->nodes[i] = nodes[i];
		bed->names[i][0] = (char)('a' + i);
		bed->destinations[i] = (struct mad_destination){
			.name = bed->names[i],
			.place.target.kind = TARGET_LID,
			.place.address = {.lid = (uint16_t)(FIRST_LID + i), .qpn = 1},
		};
	}
	bed->session = (struct mad_session){
		.problems = &bed->problems,
		.port = {.route.lid = OWN_LID, .port = OWN_PORT},
		.destinations = bed->destinations,
		.destination_count = count,
		.engine = fake_engine(&bed->fake, &options),
	};
	return bed;
}

/* Adds a word to the first destination, if there is one. */
static void name_ports(struct bed *bed, const char *word)
{
	struct mad_destination *at = &bed->destinations[0];

	at->words = bed->words;
	if (word)
		bed->words[at->word_count++] = mem_string(word);
}

static void end(struct bed *bed)
{
	for (size_t i = 0; i < ARRAY_SIZE(bed->words); i++)
		free(bed->words[i]);
	perf_end(&bed->perf);
	mad_engine_free(bed->session.engine);
	problems_free(&bed->problems);
	free(bed);
}

#define SWITCH_OF(ports_, ...)                                         \
	{                                                              \
		.type = NODE_TYPE_SWITCH, .ports = ports_, __VA_ARGS__ \
	}
#define ADAPTER(ports_, ...)                                                        \
	{                                                                           \
		.type = NODE_TYPE_CA, .ports = ports_, .local_port = 2, __VA_ARGS__ \
	}

/* Kinds of nodes and options: which ports are read, as bits. */
static void ports_that_are_read(void **state)
{
	static const struct {
		struct node node;
		struct perf_options options;
		const char *words[2];
		uint32_t ports; /* bit 31: all ports at once */
		size_t problems;
	} rows[] = {
		{.node = SWITCH_OF(3), .ports = 0xe},
		{.node = SWITCH_OF(3, .enhanced_port0 = true), .ports = 0xf},
		{.node = SWITCH_OF(3, .enhanced_port0 = true, .silent = UMAD_SM_ATTR_SWITCH_INFO),
		 .ports = 0xe,
		 .problems = 1},
		{.node = SWITCH_OF(3), .words = {"2"}, .ports = 0x4},
		{.node = SWITCH_OF(3), .words = {"0", "3"}, .ports = 0x9},
		{.node = SWITCH_OF(3), .words = {"3"}, .options.all_ports = true, .ports = 0xe},
		{.node = ADAPTER(4), .ports = 0x4},
		{.node = ADAPTER(4), .options.all_ports = true, .ports = 0x1e},
		{.node = ADAPTER(4), .options.sum = true, .ports = 0x1e},
		{.node = ADAPTER(4), .words = {"1", "4-4"}, .ports = 0x12},
		{.node = ADAPTER(4), .words = {"1"}, .options.sum = true, .ports = 0x2},
		{.node = ADAPTER(4, .caps = PERF_CAP_ALL_PORT_SELECT),
		 .options.sum = true,
		 .ports = 1u << 31},
		{.node = ADAPTER(4, .caps = PERF_CAP_ALL_PORT_SELECT), .ports = 0x4},
		{.node = ADAPTER(4, .caps = PERF_CAP_ALL_PORT_SELECT),
		 .words = {"3"},
		 .options.sum = true,
		 .ports = 0x8},
		/* Without NodeInfo: the named ports, or all at once. */
		{.node = ADAPTER(4, .silent = UMAD_SM_ATTR_NODE_INFO),
		 .words = {"3"},
		 .ports = 0x8},
		{.node = ADAPTER(4, .caps = PERF_CAP_ALL_PORT_SELECT,
				 .silent = UMAD_SM_ATTR_NODE_INFO),
		 .options.sum = true,
		 .ports = 1u << 31},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bed *bed = begin(&rows[i].node, 1);
		uint32_t ports = 0;

		name_ports(bed, rows[i].words[0]);
		name_ports(bed, rows[i].words[1]);
		assert_int_equal(perf_plan(&bed->perf, &bed->session, &rows[i].options), 0);
		for (size_t j = 0; j < bed->perf.port_count; j++)
			ports |= 1u << (bed->perf.ports[j].port == PERF_ALL_PORTS
						? 31
						: bed->perf.ports[j].port);
		if (ports != rows[i].ports || bed->problems.count != rows[i].problems)
			fail_msg("row %zu: ports 0x%x, %zu problems", i, ports,
				 bed->problems.count);
		end(bed);
	}
}

/* Without NodeInfo and names: our own port is known, another node's ports are not. */
static void unknown_ports(void **state)
{
	static const struct node node = ADAPTER(4, .silent = UMAD_SM_ATTR_NODE_INFO);
	static const struct perf_options all[] = {
		{.all_ports = false}, {.all_ports = true}, {.sum = true}};
	struct bed *bed;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		bed = begin(&node, 1);
		bed->destinations[0].place.address.lid = OWN_LID;
		assert_int_equal(perf_plan(&bed->perf, &bed->session, &all[i]),
				 i ? -EHOSTUNREACH : 0);
		assert_int_equal(bed->perf.port_count, !i);
		if (!i)
			assert_int_equal(bed->perf.ports[0].port, OWN_PORT);
		end(bed);
	}
	bed = begin(&node, 1);
	assert_int_equal(perf_plan(&bed->perf, &bed->session, &all[0]), -EHOSTUNREACH);
	assert_int_equal(bed->problems.count, 1);
	assert_string_equal(bed->problems.items[0].error,
			    "no answer, asked once, so the ports of the node are unknown");
	end(bed);
}

/* The highest port is 254: 255 means all, 16.1.3.5. Errors name the node's words. */
static void ports_by_number(void **state)
{
	static const struct {
		const char *word;
		int rc;
		size_t count;
	} rows[] = {
		{"254", 0, 1},	       {"255", -EINVAL, 0}, {"0-254", 0, 255},
		{"0-255", -EINVAL, 0}, {"1-1", 0, 1},	    {"2-1", -EINVAL, 0},
		{"", -EINVAL, 0},      {"1-", -EINVAL, 0},  {"0x1", -EINVAL, 0},
	};
	static const struct node node = SWITCH_OF(254);
	static const struct perf_options options = {.listing = PERF_OF_PORT};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bed *bed = begin(&node, 1);

		name_ports(bed, rows[i].word);
		if (perf_plan(&bed->perf, &bed->session, &options) != rows[i].rc ||
		    bed->perf.port_count != rows[i].count)
			fail_msg("'%s'", rows[i].word);
		assert_int_equal(bed->problems.count, rows[i].rc != 0);
		end(bed);
	}
}

/* The FEC mode of a link: requested if the port has it, 14.2.5.19. */
static void modes_of_links(void **state)
{
	static const struct {
		uint16_t caps;
		bool extended_info, has_fec;
		uint64_t fec;
		bool known;
	} rows[] = {
		{PERF_CAP_RSFEC, true, true, 2, true},
		{PERF_CAP_RSFEC, true, false, 0, true},
		{PERF_CAP_RSFEC, false, true, 0, false},
		{0, true, true, 0, false},
	};
	static const struct perf_options options = {.listing = PERF_OF_FEC};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct node nodes[] = {SWITCH_OF(2),
					     SWITCH_OF(2, .caps = rows[i].caps, .fec = 2,
						       .extended_info = rows[i].extended_info,
						       .has_fec = rows[i].has_fec)};
		struct bed *bed = begin(nodes, 2);

		assert_int_equal(perf_plan(&bed->perf, &bed->session, &options), 0);
		assert_int_equal(bed->perf.port_count, 4);
		assert_int_equal(bed->asked_fec, rows[i].known ? 2 : 0);
		for (size_t j = 0; j < 4; j++) {
			const struct number *fec = &bed->perf.ports[j].fec;

			assert_int_equal(bed->perf.ports[j].lanes, 4);
			assert_int_equal(bed->perf.ports[j].destination, j / 2);
			assert_int_equal(fec->known, j > 1 && rows[i].known);
			assert_int_equal(fec->value, j > 1 ? rows[i].fec : 0);
		}
		end(bed);
	}
}

/* In the bit order of perfquery's mask and of PortCountersExtended: 16.1.3.5, 16.1.4.11. */
static const char *const names[] = {
	"symbol_errors",
	"link_error_recoveries",
	"link_downed",
	"rcv_errors",
	"rcv_remote_physical_errors",
	"rcv_switch_relay_errors",
	"xmit_discards",
	"xmit_constraint_errors",
	"rcv_constraint_errors",
	"local_link_integrity_errors",
	"excessive_buffer_overruns",
	"vl15_dropped",
	"xmit_data_bytes",
	"rcv_data_bytes",
	"xmit_packets",
	"rcv_packets",
	"xmit_wait_ticks",
	"qp1_dropped",
	"unicast_xmit_packets",
	"unicast_rcv_packets",
	"multicast_xmit_packets",
	"multicast_rcv_packets",
};

/* The bits a Set has for one counter: CounterSelect and CounterSelect2 of both attributes. */
static void bits_of_counters(void **state)
{
	const struct perf_caps all = {.mask = PERF_CAP_EXTENDED_WIDTH | PERF_CAP_XMIT_WAIT |
					      PERF_CAP_QP1_DROPPED,
				      .mask2 = PERF_CAP2_EXTENDED_ERRORS};
	const struct perf_caps none = {.mask = 0},
			       narrow = {.mask = PERF_CAP_EXTENDED_WIDTH_NOIETF};

	(void)state;
	for (unsigned int bit = 0; bit < ARRAY_SIZE(names); bit++) {
		unsigned char data[192] = {0};
		uint32_t mask;
		char *wrong;
		bool is_wait = bit == 16, is_qp1 = bit == 17, is_old = bit < 16;

		assert_int_equal(perf_parse_counters(names[bit], &mask, &wrong), 0);
		assert_int_equal(mask, 1u << bit);
		assert_int_equal(perf_select_counters(all, mask, data), bit < 18);
		assert_int_equal(bits_get(data, 2 * 8, 16), is_old ? mask : 0);
		assert_int_equal(data[18], is_wait ? 1 : is_qp1 ? 2 : 0);
		assert_int_equal(perf_select_counters(none, mask, data), is_old);
		assert_int_equal(data[18], 0);
		memset(data, 0, sizeof(data));
		assert_true(perf_select_extended(all, mask, data) ||
			    !(mask & (PERF_EXTENDED_SELECT2_ERRORS | 0x3ff000)));
		assert_int_equal(bits_get(data, 2 * 8, 16), bit >= 12 && bit < 16 ? 1 << (bit - 12)
							    : bit >= 18		  ? 1 << (bit - 14)
										  : 0);
		assert_int_equal(bits_get(data, 4 * 8, 32),
				 is_wait  ? PERF_EXTENDED_SELECT2_XMIT_WAIT
				 : is_qp1 ? PERF_EXTENDED_SELECT2_QP1_DROPPED
					  : mask & PERF_EXTENDED_SELECT2_ERRORS);
		assert_int_equal(perf_lacking_counters(all, mask), 0);
		assert_int_equal(perf_lacking_counters(none, mask), is_old ? 0 : mask);
		assert_int_equal(perf_select_extended(narrow, mask, data), bit >= 12 && bit < 16);
		assert_false(perf_select_extended(none, mask, data));
	}
	assert_int_equal(perf_lacking_counters(none, PERF_CLEAR_ALL), 0x3f0000);
	assert_int_equal(perf_lacking_counters(all, PERF_CLEAR_ALL), 0);
}

/* 16.1.4: attributes whose first byte is the operation code they count. */
static void operation_codes(void **state)
{
	static const uint16_t with_code[] = {MAD_PM_OP_RCV_COUNTERS, MAD_PM_VL_OP_PACKETS,
					     MAD_PM_VL_OP_DATA};
	size_t count = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(with_code); i++)
		assert_true(perf_counts_op_code(with_code[i]));
	for (unsigned int id = 0; id < 0x100; id++)
		count += perf_counts_op_code(id);
	assert_int_equal(count, ARRAY_SIZE(with_code));
}

/* A node lacks some of the counters, or all, or none. */
static void lacking_counters(void **state)
{
	static const struct node nodes[] = {SWITCH_OF(1), SWITCH_OF(1, .caps = PERF_CAP_XMIT_WAIT),
					    SWITCH_OF(1)};
	static const struct perf_options options = {.listing = PERF_OF_PORT};
	struct bed *bed = begin(nodes, 3);

	(void)state;
	assert_int_equal(perf_plan(&bed->perf, &bed->session, &options), 0);
	perf_read(&bed->perf);
	bed->perf.ports[2].read = false;
	perf_report_lacking(&bed->perf, 1 | 1 << 16);
	assert_int_equal(bed->problems.count, 1);
	assert_string_equal(bed->problems.items[0].object, "a");
	assert_string_equal(bed->problems.items[0].error,
			    "the node does not have xmit_wait_ticks: not cleared");
	perf_report_lacking(&bed->perf, 1 | 3 << 16);
	assert_int_equal(bed->problems.count, 3);
	assert_string_equal(bed->problems.items[1].error,
			    "the node does not have xmit_wait_ticks, qp1_dropped: not cleared");
	assert_string_equal(bed->problems.items[2].error,
			    "the node does not have qp1_dropped: not cleared");
	/* A node without any of them is left to perf_reset() to report. */
	perf_report_lacking(&bed->perf, 1 << 17);
	assert_int_equal(bed->problems.count, 3);
	assert_int_equal(perf_reset(&bed->perf, 1 << 16), 1);
	assert_int_equal(bed->sets, 1);
	assert_int_equal(bed->problems.count, 4);
	assert_string_equal(bed->problems.items[3].object, "a");
	assert_string_equal(bed->problems.items[3].error,
			    "nothing to clear: port 1 has none of these counters");
	end(bed);
}

/* A node that refuses: each of its ports is reported, and does not count. */
static void refused(void **state)
{
	static const struct node nodes[] = {SWITCH_OF(2), ADAPTER(2, .refuses_set = true)};
	static const struct perf_options options = {.listing = PERF_OF_PORT};
	struct bed *bed = begin(nodes, 2);

	(void)state;
	assert_int_equal(perf_plan(&bed->perf, &bed->session, &options), 0);
	perf_read(&bed->perf);
	assert_int_equal(perf_reset(&bed->perf, PERF_CLEAR_ERRORS), 2);
	assert_int_equal(bed->problems.count, 1);
	assert_string_equal(bed->problems.items[0].object, "b");
	assert_non_null(strstr(bed->problems.items[0].error,
			       "clearing the counters of port 2: refused with status 0x000c"));
	end(bed);
}

/*
 * A mandatory attribute is reported for each port, in each round or once; an optional one is
 * reported for the node.
 */
static void failures(void **state)
{
	static const struct {
		struct node node;
		struct perf_options options;
		size_t first, second; /* problems after the rounds */
	} rows[] = {
		{SWITCH_OF(2, .refuses = MAD_PM_COUNTERS), {PERF_OF_PORT}, 2, 4},
		{SWITCH_OF(2, .refuses = MAD_PM_COUNTERS), {PERF_OF_PORT, .repeats = true}, 2, 2},
		{SWITCH_OF(2, .refuses = MAD_PM_XMIT_DATA_SL), {PERF_OF_SL, .all = true}, 1, 1},
		{SWITCH_OF(2, .mute = MAD_PM_XMIT_DATA_SL), {PERF_OF_SL, .all = true}, 1, 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const bool each = rows[i].options.listing == PERF_OF_PORT;
		struct bed *bed = begin(&rows[i].node, 1);
		const struct problem *problem;

		assert_int_equal(perf_plan(&bed->perf, &bed->session, &rows[i].options), 0);
		perf_read(&bed->perf);
		assert_int_equal(bed->problems.count, rows[i].first);
		assert_int_equal(bed->perf.row_count > 0, !each);
		perf_rows_free(bed->perf.rows, bed->perf.row_count);
		bed->perf.rows = NULL;
		bed->perf.row_count = 0;
		perf_read(&bed->perf);
		assert_int_equal(bed->problems.count, rows[i].second);
		problem = &bed->problems.items[bed->problems.count - 1];
		assert_string_equal(problem->attribute,
				    each ? "PortCounters of port 2" : "PortXmitDataSL");
		assert_string_equal(problem->error, rows[i].node.mute
							    ? "no answer, asked once"
							    : "refused with status 0x000c: "
							      "attribute-not-supported");
		assert_int_equal(!problem->hint, each);
		end(bed);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test(name)
	static const struct CMUnitTest tests[] = {
		TEST(ports_that_are_read),
		TEST(unknown_ports),
		TEST(ports_by_number),
		TEST(modes_of_links),
		TEST(bits_of_counters),
		TEST(lacking_counters),
		TEST(refused),
		TEST(failures),
		TEST(operation_codes),
	};

	return cmocka_run_group_tests_name("perf_plan", tests, NULL, NULL);
}
