/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The modules of a made-up subnet, read by constructed CableInfo datagrams: a host, a switch, a
 * second host and one of another vendor.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "fabric/scan/cable_info.h"
#include "fake_transport.h"
#include "made_up_fabric.h"
#include "sample_plug.h"

enum { HOST, SWITCH, PEER, STRANGER, NODES };
enum { PORTS = 4 };

struct bed {
	struct fake fake;
	struct fabric fabric;
	struct fabric_view view;
	struct mad_engine *engine;
	struct fabric_plugs plugs;
	struct plug_memory memory[NODES][PORTS + 1];
	unsigned int refused[NODES][PORTS + 1]; /* the device's code for page 00h, or 0 */
	unsigned int most_page;			/* pages above it are refused by code 5 */
	bool dead[NODES];
	uint16_t status[NODES];	   /* of each answer, 13.4.7; 0: success */
	unsigned int page_refused; /* the only page refused with that status; 0: all pages */
	unsigned int asked[NODES];
};

/* The host is the sender, the switch is one hop away, the others are behind one of its ports. */
static unsigned int node_of(const unsigned char *mad)
{
	const unsigned int hops = mad_hop_count(mad);

	return hops == 0 ? HOST : hops == 1 ? SWITCH : mad[128 + 2] == 2 ? PEER : STRANGER;
}

/* The memory behind an address and a page; struct mlx4_cable_info. */
static uint16_t read_memory(const struct bed *bed, const unsigned char *data, unsigned int node,
			    unsigned int port, unsigned char *bytes)
{
	const unsigned int offset = cable_info_offset(data), size = cable_info_size(data);

	if (bed->refused[node][port])
		return (uint16_t)(bed->refused[node][port] << 8);
	if (cable_info_page(data) > bed->most_page)
		return 5 << 8;
	if (!size || size > CABLE_INFO_DATA_MOST || offset + size > 256)
		return 6 << 8;
	for (unsigned int i = 0; i < PLUG_PARTS; i++) {
		const struct plug_place *place = &plug_places[i];

		if (place->address != cable_info_address(data) ||
		    place->page != cable_info_page(data) || offset < place->offset ||
		    offset + size > (unsigned int)place->offset + PLUG_PART_BYTES)
			continue;
		memcpy(bytes, &bed->memory[node][port].bytes[i][offset - place->offset], size);
		return 0;
	}
	return 7 << 8;
}

static int answer(struct fake *fake, int agent, const struct mad_address *to,
		  const unsigned char *mad)
{
	struct bed *bed = fake->context;
	const unsigned int node = node_of(mad), port = mad_modifier(mad);
	unsigned char reply[MAD_BYTES];
	uint16_t status;

	(void)agent;
	(void)to;
	assert_int_equal(mad_class(mad), UMAD_CLASS_SUBN_DIRECTED_ROUTE);
	assert_int_equal(mad_method(mad), UMAD_METHOD_GET);
	assert_int_equal(mad_attribute(mad), MAD_SM_CABLE_INFO);
	assert_in_range(port, 1, PORTS);
	assert_int_not_equal(node, STRANGER);
	bed->asked[node]++;
	if (bed->dead[node])
		return 0;
	memcpy(reply, mad, sizeof(reply));
	reply[3] |= UMAD_METHOD_RESP_MASK;
	memset(reply + MAD_SMP_DATA_AT + CABLE_INFO_HEADER_BYTES, 0xee, CABLE_INFO_DATA_MOST);
	status = bed->status[node] && (!bed->page_refused ||
				       cable_info_page(mad + MAD_SMP_DATA_AT) == bed->page_refused)
			 ? bed->status[node]
			 : read_memory(bed, mad + MAD_SMP_DATA_AT, node, port,
				       reply + MAD_SMP_DATA_AT + CABLE_INFO_HEADER_BYTES);
	bits_set(reply, 4 * 8, 16, status | UMAD_SMP_DIRECTION);
	fake_put(fake, 0, reply, MAD_BYTES, 10);
	return 0;
}

static void set_vendor(struct bed *bed, unsigned int node, uint32_t vendor)
{
	node_info_set_vendor_id(bed->fabric.nodes[node].info, vendor);
}

static int begin(void **state)
{
	static const struct mad_engine_options quick = {
		.timeout_msec = 20, .retries_given = true, .retries = 1};
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));

	sample_node(&bed->fabric, NODE_TYPE_CA, 0x100, 1, "host");
	sample_node(&bed->fabric, NODE_TYPE_SWITCH, 0x200, PORTS, "leaf");
	sample_node(&bed->fabric, NODE_TYPE_CA, 0x300, 1, "peer");
	sample_node(&bed->fabric, NODE_TYPE_CA, 0x400, 1, "stranger");
	sample_cable(&bed->fabric, HOST, 1, SWITCH, 1);
	sample_cable(&bed->fabric, SWITCH, 2, PEER, 1);
	sample_cable(&bed->fabric, SWITCH, 3, STRANGER, 1);
	set_vendor(bed, HOST, FABRIC_VENDOR_MELLANOX);
	set_vendor(bed, SWITCH, FABRIC_VENDOR_MELLANOX);
	set_vendor(bed, PEER, FABRIC_VENDOR_BULL);
	set_vendor(bed, STRANGER, 0x001175);
	sample_copper(&bed->memory[HOST][1]);
	sample_copper(&bed->memory[SWITCH][1]);
	sample_qsfp28(&bed->memory[SWITCH][2]);
	sample_qsfp28(&bed->memory[PEER][1]);
	sample_osfp(&bed->memory[SWITCH][3]);
	bed->most_page = 255;
	bed->view.fabric = &bed->fabric;
	bed->fake.on_send = answer;
	bed->fake.context = bed;
	bed->engine = fake_engine(&bed->fake, &quick);
	*state = bed;
	return 0;
}

static int end(void **state)
{
	struct bed *bed = *state;

	fabric_plugs_clear(&bed->plugs);
	mad_engine_free(bed->engine);
	fabric_clear(&bed->fabric);
	free(bed);
	return 0;
}

static void read_all(struct bed *bed)
{
	static const struct fabric_scan_options scan;

	fabric_plugs_clear(&bed->plugs);
	memset(bed->asked, 0, sizeof(bed->asked));
	assert_int_equal(fabric_plugs_read(bed->engine, &scan, &bed->fabric, NULL, &bed->plugs), 0);
}

static const struct fabric_plug *plug_at_port(const struct bed *bed, uint32_t node,
					      unsigned int port)
{
	return fabric_plugs_find(&bed->plugs, fabric_port_at(&bed->fabric, node, port));
}

static void make_row(const struct bed *bed, uint32_t node, unsigned int port,
		     struct fabric_cable_row *row)
{
	const struct fabric_plug *plug = plug_at_port(bed, node, port);

	fabric_cable_row_make(&bed->view, plug,
			      fabric_plugs_find(&bed->plugs, bed->fabric.ports[plug->port].peer),
			      row);
}

/* Three pieces of 48, 48 and 32 bytes for each part, and nothing for the other vendor's node. */
static void both_ends(void **state)
{
	struct bed *bed = *state;
	struct fabric_cable_row row;

	read_all(bed);
	assert_int_equal(bed->plugs.count, 6);
	assert_int_equal(bed->plugs.failure_count, 0);
	assert_int_equal(bed->asked[HOST], 2 * 3);
	assert_int_equal(bed->asked[PEER], 3 * 3);
	assert_int_equal(bed->asked[SWITCH], (2 + 3 + 5) * 3);
	assert_memory_equal(plug_at_port(bed, SWITCH, 2)->memory.bytes[PLUG_LIMITS_8636],
			    bed->memory[SWITCH][2].bytes[PLUG_LIMITS_8636], PLUG_PART_BYTES);
	make_row(bed, SWITCH, 2, &row);
	assert_int_equal(row.state.value, FABRIC_PLUG_READ);
	assert_int_equal(row.peer_state.value, FABRIC_PLUG_READ);
	assert_string_equal(row.plug.serial, "MT2203FT00042");
	assert_int_equal(row.peer_plug.lane_count, 4);
	fabric_cable_row_clear(&row);
	make_row(bed, SWITCH, 3, &row);
	assert_int_equal(row.plug.lane_count, 8);
	assert_int_equal(row.peer_state.value, FABRIC_PLUG_OTHER_VENDOR);
	assert_false(row.peer_plug.identifier.known);
	fabric_cable_row_clear(&row);
	assert_null(plug_at_port(bed, SWITCH, 4));
}

static void refused(void **state)
{
	static const struct {
		unsigned int code;
		enum fabric_plug_state state;
	} cases[] = {{1, FABRIC_PLUG_UNSUPPORTED}, {2, FABRIC_PLUG_UNSUPPORTED},
		     {3, FABRIC_PLUG_ABSENT},	   {4, FABRIC_PLUG_NO_MEMORY},
		     {8, FABRIC_PLUG_FAILED},	   {9, FABRIC_PLUG_FAILED},
		     {77, FABRIC_PLUG_FAILED}};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bed->refused[SWITCH][2] = cases[i].code;
		read_all(bed);
		assert_int_equal(plug_at_port(bed, SWITCH, 2)->state, cases[i].state);
		assert_int_equal(plug_at_port(bed, SWITCH, 2)->code, cases[i].code);
		/* The ports after it are still read. */
		assert_int_equal(plug_at_port(bed, SWITCH, 3)->state, FABRIC_PLUG_READ);
		assert_int_equal(bed->plugs.failure_count, 0);
	}
	assert_string_equal(cable_info_error(9), "the bus to the modules is busy");
	assert_string_equal(cable_info_error(77), cable_info_error(0));
}

/* A device that refuses pages above 15: the contents of the first page stay. */
static void few_pages(void **state)
{
	struct bed *bed = *state;
	struct fabric_cable_row row;

	bed->most_page = 15;
	read_all(bed);
	assert_false(plug_at_port(bed, SWITCH, 2)->partial);
	assert_true(plug_at_port(bed, SWITCH, 3)->partial);
	assert_int_equal(plug_at_port(bed, SWITCH, 3)->code, 5);
	make_row(bed, SWITCH, 3, &row);
	assert_string_equal(row.plug.part, "MMA4Z00-NS");
	assert_int_equal(row.plug.lane_count, 0);
	fabric_cable_row_clear(&row);
}

/* What no directed route reaches is not asked, so it is not blamed for not answering. */
static void too_far(void **state)
{
	static const struct fabric_scan_options far = {.path_hops = MAD_HOPS_MOST + 2};
	struct bed *bed = *state;

	assert_int_equal(fabric_plugs_read(bed->engine, &far, &bed->fabric, NULL, &bed->plugs), 0);
	for (unsigned int i = 1; i <= 3; i++)
		assert_int_equal(plug_at_port(bed, SWITCH, i)->state, FABRIC_PLUG_NOT_READ);
	assert_int_equal(bed->asked[HOST] + bed->asked[SWITCH] + bed->asked[PEER], 0);
}

static void silent(void **state)
{
	struct bed *bed = *state;

	bed->dead[SWITCH] = true;
	read_all(bed);
	/* Its other ports are not queried any more. */
	assert_int_equal(bed->asked[SWITCH], 2);
	assert_int_equal(bed->plugs.failure_count, 1);
	assert_int_equal(bed->plugs.failures[0].error, -ETIMEDOUT);
	for (unsigned int i = 1; i <= 3; i++)
		assert_int_equal(plug_at_port(bed, SWITCH, i)->state, FABRIC_PLUG_NO_ANSWER);
	assert_int_equal(plug_at_port(bed, HOST, 1)->state, FABRIC_PLUG_READ);
}

static void ignorant(void **state)
{
	static const uint16_t statuses[] = {UMAD_STATUS_METHOD_NOT_SUPPORTED,
					    UMAD_STATUS_ATTR_NOT_SUPPORTED};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		bed->status[SWITCH] = statuses[i];
		read_all(bed);
		assert_int_equal(bed->asked[SWITCH], 1);
		assert_int_equal(bed->plugs.failure_count, 0);
		for (unsigned int j = 1; j <= 3; j++)
			assert_int_equal(plug_at_port(bed, SWITCH, j)->state,
					 FABRIC_PLUG_UNSUPPORTED);
	}
}

static void assert_refused(struct bed *bed, uint16_t status)
{
	bed->status[SWITCH] = status;
	read_all(bed);
	assert_int_equal(bed->plugs.failure_count, 1);
	assert_int_equal(bed->plugs.failures[0].error, 0);
	assert_int_equal(bed->plugs.failures[0].status, status);
	assert_int_equal(plug_at_port(bed, HOST, 1)->state, FABRIC_PLUG_READ);
}

/* No other status means that the node lacks CableInfo. */
static void wrong_status(void **state)
{
	struct bed *bed = *state;

	assert_refused(bed, UMAD_STATUS_INVALID_ATTR_VALUE);
	for (unsigned int i = 1; i <= 3; i++)
		assert_int_equal(plug_at_port(bed, SWITCH, i)->state, FABRIC_PLUG_NO_ANSWER);
	assert_refused(bed, UMAD_STATUS_BUSY);
	assert_int_equal(plug_at_port(bed, SWITCH, 3)->state, FABRIC_PLUG_NO_ANSWER);
	/* If a later page fails, what was read stays, but is not complete. */
	bed->page_refused = 3;
	assert_refused(bed, UMAD_STATUS_ATTR_NOT_SUPPORTED);
	assert_int_equal(plug_at_port(bed, SWITCH, 1)->state, FABRIC_PLUG_READ);
	assert_false(plug_at_port(bed, SWITCH, 1)->partial);
	assert_int_equal(plug_at_port(bed, SWITCH, 2)->state, FABRIC_PLUG_READ);
	assert_true(plug_at_port(bed, SWITCH, 2)->partial);
	assert_int_equal(plug_at_port(bed, SWITCH, 3)->state, FABRIC_PLUG_NO_ANSWER);
}

/* The weakest received power of both ends first; a cable without a measurement last. */
static void order(void **state)
{
	struct bed *bed = *state;
	struct fabric_cable_row rows[3];

	plug_put_word(&bed->memory[PEER][1], PLUG_LOWER, 40, 100);
	read_all(bed);
	for (unsigned int i = 0; i < 3; i++)
		make_row(bed, SWITCH, i + 1, &rows[i]);
	qsort(rows, 3, sizeof(rows[0]), fabric_cable_row_compare);
	assert_int_equal(rows[0].at.place, fabric_port_at(&bed->fabric, SWITCH, 2));
	assert_int_equal(rows[0].peer_plug.alarms.value, PLUG_FLAG(PLUG_RX_POWER, LIMIT_LOW_ALARM));
	assert_int_equal(rows[1].at.place, fabric_port_at(&bed->fabric, SWITCH, 3));
	assert_int_equal(rows[2].at.place, fabric_port_at(&bed->fabric, SWITCH, 1));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		fabric_cable_row_clear(&rows[i]);
}

/* Changes of the module in port 2 of the switch, compared with a file. */
static char *changes_since(struct bed *bed, const struct saved_plug *saved)
{
	struct fabric_plugs before = {.items = NULL};
	struct plug then, now;
	char *text = NULL;

	read_all(bed);
	assert_int_equal(saved_plugs_load(&bed->fabric, saved, 1, &before), 0);
	plug_decode(&before.items[0].memory, &then);
	plug_decode(&plug_at_port(bed, SWITCH, 2)->memory, &now);
	fabric_plug_add_changes(&then, &now, "", &text);
	plug_clear(&then);
	plug_clear(&now);
	fabric_plugs_clear(&before);
	return text;
}

static void changed(void **state)
{
	struct bed *bed = *state;
	struct saved_plug saved;
	char *text;

	read_all(bed);
	saved = saved_plug_of(&bed->fabric, plug_at_port(bed, SWITCH, 2));
	assert_null(changes_since(bed, &saved));
	/* Less than a decibel. */
	plug_put_word(&bed->memory[SWITCH][2], PLUG_LOWER, 34, 4000);
	assert_null(changes_since(bed, &saved));
	plug_put_word(&bed->memory[SWITCH][2], PLUG_LOWER, 34, 500);
	text = changes_since(bed, &saved);
	assert_string_equal(text, "receive power -10.0 dB, rx-power-low-warning");
	free(text);
	plug_put_word(&bed->memory[SWITCH][2], PLUG_LOWER, 34, 5000);
	plug_put_text(&bed->memory[SWITCH][2], PLUG_IDENTITY, 196, 16, "MT9");
	text = changes_since(bed, &saved);
	assert_string_equal(text, "serial MT2203FT00042 -> MT9");
	free(text);
	free(saved.memory);
}

static void saved_elsewhere(void **state)
{
	struct bed *bed = *state;
	char good[] = "0:11", bad[] = "0:1";
	const struct saved_plug saved[] = {
		{number_of(0x200), number_of(2), good},
		{number_of(0x999), number_of(1), good},
		{number_of(0x200), number_of(77), good},
	};
	const struct saved_plug broken[] = {{number_of(0x200), number_of(2), bad},
					    {number_of(0x200), number_of(2), NULL},
					    {{.known = false}, number_of(2), good}};

	assert_int_equal(saved_plugs_load(&bed->fabric, saved, 3, &bed->plugs), 2);
	assert_int_equal(bed->plugs.count, 1);
	for (size_t i = 0; i < ARRAY_SIZE(broken); i++)
		assert_int_equal(saved_plugs_load(&bed->fabric, &broken[i], 1, &bed->plugs),
				 -EINVAL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(both_ends), TEST(refused),		TEST(few_pages),    TEST(too_far),
		TEST(silent),	 TEST(ignorant),	TEST(wrong_status), TEST(order),
		TEST(changed),	 TEST(saved_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
