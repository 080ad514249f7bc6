/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The modules of a made-up subnet without CableInfo, read by constructed answers of class 0x0a: a
 * host and a switch with two more hosts. Offsets are those of mstflint's mtcr_ib_ofed.c: after the
 * header, eight bytes of the VS_Key, a word with the block, and the register from byte 36 on.
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
#include "mad/format/mad.h"
#include "sample_pddr.h"
#include "sample_plug.h"

enum { HOST, SWITCH, LEFT, RIGHT, NODES };
enum { PORTS = 3, REGISTER_AT = 36, GENERAL_AT = 32 };

/* How a node treats the requests. */
struct agent {
	bool silent, incapable, in_dbm;
	uint16_t refuses; /* GeneralInfo */
	uint16_t pcam_status;
	uint16_t pddr_status[PORTS + 1];
	bool lost[PORTS + 1], unplugged[PORTS + 1];
	uint8_t other_port, other_page;	  /* added to those of the answer */
	size_t bytes;			  /* of an answer; 0: all */
	unsigned int general, pcam, pddr; /* number of requests */
};

struct bed {
	struct fake fake;
	struct fabric fabric;
	struct fabric_view view;
	struct mad_engine *engine;
	struct fabric_plugs plugs;
	unsigned int cable_code; /* of the right host; 5: for all pages but 00h; 0: no CableInfo */
	bool lit;		 /* its module is SFF-8636 and optical; else CMIS */
	struct agent agents[NODES];
};

static uint16_t tell(const struct agent *agent, const unsigned char *mad, unsigned int node,
		     unsigned char *reply)
{
	unsigned char *bytes = reply + REGISTER_AT;
	const unsigned int port = mad[REGISTER_AT + 1];
	char serial[16];

	/* pnat: the port number is that of InfiniBand. page_select: Module_info. */
	assert_int_equal(mad[REGISTER_AT + 2], 0x40);
	assert_int_equal(mad[REGISTER_AT + 3], 0);
	assert_int_equal(mad[REGISTER_AT + 4], agent->in_dbm || agent->pcam_status ? 0 : 0x20);
	assert_int_equal(mad[REGISTER_AT + 7], 3);
	assert_in_range(port, 1, PORTS);
	sample_pddr(bytes);
	snprintf(serial, sizeof(serial), "SN%u-%u", node, port);
	pddr_put_text(bytes, 0x3c, serial);
	for (unsigned int i = 0; i < 8; i++)
		pddr_put_lane(bytes, PDDR_RX, i, mad[REGISTER_AT + 4] ? 200 * port : port);
	if (!mad[REGISTER_AT + 4])
		pddr_put_limits(bytes, PDDR_RX_LIMITS, 5, (uint32_t)-9);
	if (agent->unplugged[port])
		pddr_put_page(bytes, 0x04, 28, 4, 4);
	bytes[1] = (uint8_t)(port + agent->other_port);
	bytes[7] = (uint8_t)(3 + agent->other_page);
	return agent->pddr_status[port];
}

static uint16_t answer_vendor(struct agent *agent, const unsigned char *mad, unsigned int node,
			      unsigned char *reply)
{
	const unsigned int modifier = mad_modifier(mad);

	for (unsigned int i = 24; i < REGISTER_AT; i++)
		assert_int_equal(mad[i], 0);
	if (mad_attribute(mad) == 0x17) {
		agent->general++;
		assert_int_equal(modifier, 0);
		memset(reply + GENERAL_AT, 0xff, MAD_BYTES - GENERAL_AT);
		/* The first of four words of the mask; bit 20 */
		if (agent->incapable)
			reply[GENERAL_AT + 0x80 + 1] = 0xef;
		return agent->refuses;
	}
	assert_int_equal(mad_attribute(mad), 0x51);
	if (modifier == 0x507f) {
		agent->pcam++;
		for (unsigned int i = REGISTER_AT; i < MAD_BYTES; i++)
			assert_int_equal(mad[i], 0);
		memset(reply + REGISTER_AT, 0xff, 0x50);
		/* Bit 66 of 128, in bytes 0x28 to 0x37 */
		if (agent->in_dbm)
			reply[REGISTER_AT + 0x28 + 7] = 0xfb;
		return agent->pcam_status;
	}
	assert_int_equal(modifier, 0x5031);
	agent->pddr++;
	return tell(agent, mad, node, reply);
}

/* Page 00h of an OSFP module, or the status of the device. */
static uint16_t answer_cable(const struct bed *bed, const unsigned char *mad, unsigned char *reply)
{
	const unsigned char *data = mad + MAD_SMP_DATA_AT;
	unsigned char *bytes = reply + MAD_SMP_DATA_AT + CABLE_INFO_HEADER_BYTES;
	const unsigned int at = cable_info_offset(data);
	struct plug_memory module;

	if (!bed->cable_code || mad_hop_count(mad) != 2 || mad[128 + 2] != 3)
		return UMAD_STATUS_ATTR_NOT_SUPPORTED;
	if (bed->cable_code != 5 || cable_info_page(data))
		return (uint16_t)(bed->cable_code << 8);
	memset(bytes, 0, CABLE_INFO_DATA_MOST);
	sample_qsfp28(&module);
	if (bed->lit)
		memcpy(bytes, plug_at(&module, at < 128 ? PLUG_LOWER : PLUG_IDENTITY, at),
		       at % 128 < 80 ? CABLE_INFO_DATA_MOST : 128 - at % 128);
	else if (!at)
		bytes[0] = 0x19;
	return 0;
}

static int answer(struct fake *fake, int number, const struct mad_address *to,
		  const unsigned char *mad)
{
	struct bed *bed = fake->context;
	const unsigned int node = to->lid - 1u;
	unsigned char reply[MAD_BYTES];
	struct agent *agent;
	uint16_t status;

	(void)number;
	memcpy(reply, mad, sizeof(reply));
	reply[3] |= UMAD_METHOD_RESP_MASK;
	assert_int_equal(mad_method(mad), UMAD_METHOD_GET);
	if (mad_class(mad) == UMAD_CLASS_SUBN_DIRECTED_ROUTE) {
		status = answer_cable(bed, mad, reply);
		bits_set(reply, 4 * 8, 16, status | UMAD_SMP_DIRECTION);
		fake_put(fake, 0, reply, MAD_BYTES, 10);
		return 0;
	}
	assert_int_equal(mad_class(mad), 0x0a);
	assert_int_equal(to->qpn, 1);
	assert_in_range(node, 0, NODES - 1);
	agent = &bed->agents[node];
	status = answer_vendor(agent, mad, node, reply);
	bits_set(reply, 4 * 8, 16, status);
	if (agent->silent || (mad_modifier(mad) == 0x5031 && agent->lost[mad[REGISTER_AT + 1]]))
		return 0;
	fake_put(fake, 0, reply, agent->bytes ? agent->bytes : MAD_BYTES, 10);
	return 0;
}

static int begin(void **state)
{
	static const struct mad_engine_options quick = {
		.timeout_msec = 20, .retries_given = true, .retries = 1};
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));

	sample_node(&bed->fabric, NODE_TYPE_CA, 0x100, 1, "host");
	sample_node(&bed->fabric, NODE_TYPE_SWITCH, 0x200, PORTS, "leaf");
	sample_node(&bed->fabric, NODE_TYPE_CA, 0x300, 1, "left");
	sample_node(&bed->fabric, NODE_TYPE_CA, 0x400, 1, "right");
	sample_cable(&bed->fabric, HOST, 1, SWITCH, 1);
	sample_cable(&bed->fabric, SWITCH, 2, LEFT, 1);
	sample_cable(&bed->fabric, SWITCH, 3, RIGHT, 1);
	for (uint32_t i = 0; i < NODES; i++) {
		struct sample_link up = sample_up;

		up.lid = (uint16_t)(i + 1);
		sample_set_port(&bed->fabric, fabric_port_at(&bed->fabric, i, i == SWITCH ? 0 : 1),
				&up);
		node_info_set_vendor_id(bed->fabric.nodes[i].info, FABRIC_VENDOR_MELLANOX);
	}
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
	const struct mad_address address = {.qpn = 1};

	fabric_plugs_clear(&bed->plugs);
	assert_int_equal(fabric_plugs_read(bed->engine, &scan, &bed->fabric, NULL, &bed->plugs), 0);
	assert_int_equal(bed->plugs.failure_count, 0);
	assert_int_equal(
		fabric_plugs_read_registers(bed->engine, &address, &bed->fabric, &bed->plugs), 0);
}

static const struct fabric_plug *plug_of(const struct bed *bed, uint32_t node, unsigned int port)
{
	return fabric_plugs_find(&bed->plugs, fabric_port_at(&bed->fabric, node, port));
}

static void assert_states(const struct bed *bed, uint32_t node, enum fabric_plug_state first,
			  enum fabric_plug_state second, enum fabric_plug_state third)
{
	assert_int_equal(plug_of(bed, node, 1)->state, first);
	assert_int_equal(plug_of(bed, node, 2)->state, second);
	assert_int_equal(plug_of(bed, node, 3)->state, third);
}

static void make_row(const struct bed *bed, uint32_t node, unsigned int port,
		     struct fabric_cable_row *row)
{
	const struct fabric_plug *plug = plug_of(bed, node, port);

	fabric_cable_row_make(&bed->view, plug,
			      fabric_plugs_find(&bed->plugs, bed->fabric.ports[plug->port].peer),
			      row);
}

/* Two requests for a node, and one for each port. */
static void both_ends(void **state)
{
	struct bed *bed = *state;
	struct fabric_cable_row row;

	read_all(bed);
	assert_int_equal(bed->plugs.failure_count, 0);
	for (unsigned int i = 0; i < NODES; i++) {
		assert_int_equal(bed->agents[i].general, 1);
		assert_int_equal(bed->agents[i].pcam, 1);
		assert_int_equal(bed->agents[i].pddr, i == SWITCH ? 3 : 1);
	}
	make_row(bed, SWITCH, 2, &row);
	assert_int_equal(row.state.value, FABRIC_PLUG_READ);
	assert_int_equal(row.source.value, FABRIC_PLUG_PDDR);
	assert_int_equal(row.peer_source.value, FABRIC_PLUG_PDDR);
	assert_string_equal(row.plug.serial, "SN1-2");
	assert_string_equal(row.peer_plug.serial, "SN2-1");
	assert_int_equal(row.plug.lane_count, 8);
	assert_true(row.plug.lanes[3].rx_power_mw.value > 0.3999 &&
		    row.plug.lanes[3].rx_power_mw.value < 0.4001);
	assert_int_equal(row.plug.alarms.value, 0);
	fabric_cable_row_clear(&row);
}

static void check_dbm(struct bed *bed)
{
	struct fabric_cable_row row;

	read_all(bed);
	assert_int_equal(bed->plugs.failure_count, 0);
	make_row(bed, SWITCH, 3, &row);
	assert_true(row.plug.lanes[0].rx_power_mw.value > 1.9952 &&
		    row.plug.lanes[0].rx_power_mw.value < 1.9953);
	/* The other end reports microwatts. */
	assert_true(row.peer_plug.lanes[0].rx_power_mw.value > 0.1999 &&
		    row.peer_plug.lanes[0].rx_power_mw.value < 0.2001);
	fabric_cable_row_clear(&row);
}

/* The device does not know the units, or even the register that tells them. */
static void in_dbm(void **state)
{
	struct bed *bed = *state;

	bed->agents[SWITCH].in_dbm = true;
	check_dbm(bed);
	bed->agents[SWITCH].in_dbm = false;
	bed->agents[SWITCH].pcam_status = 0x14;
	check_dbm(bed);
}

/* No register is requested if GeneralInfo does not say that the node has them. */
static void incapable(void **state)
{
	static const uint16_t statuses[] = {UMAD_STATUS_BAD_VERSION,
					    UMAD_STATUS_METHOD_NOT_SUPPORTED,
					    UMAD_STATUS_ATTR_NOT_SUPPORTED};
	struct bed *bed = *state;
	struct agent *agent = &bed->agents[SWITCH];

	agent->incapable = true;
	read_all(bed);
	agent->incapable = false;
	assert_states(bed, SWITCH, FABRIC_PLUG_UNSUPPORTED, FABRIC_PLUG_UNSUPPORTED,
		      FABRIC_PLUG_UNSUPPORTED);
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		agent->refuses = statuses[i];
		read_all(bed);
		assert_states(bed, SWITCH, FABRIC_PLUG_UNSUPPORTED, FABRIC_PLUG_UNSUPPORTED,
			      FABRIC_PLUG_UNSUPPORTED);
		assert_int_equal(bed->plugs.failure_count, 0);
	}
	assert_int_equal(plug_of(bed, LEFT, 1)->state, FABRIC_PLUG_READ);
	/* Another status does not say that the node lacks them. */
	agent->refuses = UMAD_STATUS_INVALID_ATTR_VALUE;
	read_all(bed);
	assert_states(bed, SWITCH, FABRIC_PLUG_NO_ANSWER, FABRIC_PLUG_NO_ANSWER,
		      FABRIC_PLUG_NO_ANSWER);
	assert_int_equal(bed->plugs.failure_count, 1);
	assert_int_equal(bed->plugs.failures[0].status, UMAD_STATUS_INVALID_ATTR_VALUE);
	assert_int_equal(agent->general, ARRAY_SIZE(statuses) + 2);
	assert_int_equal(agent->pcam + agent->pddr, 0);
}

static void silent(void **state)
{
	struct bed *bed = *state;
	_cleanup_(freep) char *object = NULL, *message = NULL;

	bed->agents[SWITCH].silent = true;
	read_all(bed);
	assert_states(bed, SWITCH, FABRIC_PLUG_NO_ANSWER, FABRIC_PLUG_NO_ANSWER,
		      FABRIC_PLUG_NO_ANSWER);
	assert_int_equal(bed->agents[SWITCH].general, 2);
	assert_int_equal(bed->agents[SWITCH].pcam, 0);
	assert_int_equal(bed->plugs.failure_count, 1);
	fabric_failure_text(&bed->view, &bed->plugs.failures[0], &object, &message);
	assert_string_equal(object, "leaf/1");
	assert_string_equal(message, "GeneralInfo: no answer, asked 2 times");
	assert_int_equal(plug_of(bed, HOST, 1)->state, FABRIC_PLUG_READ);
}

/* Silence in the middle: what was read before stays. */
static void silent_later(void **state)
{
	struct bed *bed = *state;
	_cleanup_(freep) char *object = NULL, *message = NULL;

	bed->agents[SWITCH].lost[2] = true;
	read_all(bed);
	assert_states(bed, SWITCH, FABRIC_PLUG_READ, FABRIC_PLUG_NO_ANSWER, FABRIC_PLUG_NO_ANSWER);
	assert_int_equal(bed->agents[SWITCH].pddr, 3);
	assert_int_equal(bed->plugs.failure_count, 1);
	fabric_failure_text(&bed->view, &bed->plugs.failures[0], &object, &message);
	assert_string_equal(object, "leaf/2");
	assert_string_equal(message, "AccessRegisterGMP: no answer, asked 2 times");
}

static void refused(void **state)
{
	struct bed *bed = *state;
	struct agent *agent = &bed->agents[SWITCH];
	_cleanup_(freep) char *object = NULL, *message = NULL;

	agent->pddr_status[1] = agent->pddr_status[3] = 0x1c;
	read_all(bed);
	assert_states(bed, SWITCH, FABRIC_PLUG_FAILED, FABRIC_PLUG_READ, FABRIC_PLUG_FAILED);
	assert_int_equal(plug_of(bed, SWITCH, 1)->code, 0);
	/* The first failure of a node is reported. */
	assert_int_equal(bed->plugs.failure_count, 1);
	fabric_failure_text(&bed->view, &bed->plugs.failures[0], &object, &message);
	assert_string_equal(object, "leaf/1");
	assert_string_equal(message,
			    "AccessRegisterGMP: refused with status 0x001c: invalid-value");
	/* A device that lacks the register is not asked again. */
	agent->pddr = 0;
	agent->pddr_status[1] = 0x14;
	read_all(bed);
	assert_int_equal(agent->pddr, 1);
	assert_states(bed, SWITCH, FABRIC_PLUG_UNSUPPORTED, FABRIC_PLUG_UNSUPPORTED,
		      FABRIC_PLUG_UNSUPPORTED);
	assert_int_equal(bed->plugs.failure_count, 0);
}

static void assert_malformed(struct bed *bed)
{
	_cleanup_(freep) char *object = NULL, *message = NULL;

	read_all(bed);
	assert_states(bed, SWITCH, FABRIC_PLUG_FAILED, FABRIC_PLUG_FAILED, FABRIC_PLUG_FAILED);
	assert_int_equal(plug_of(bed, SWITCH, 1)->memory.length[PLUG_PDDR], 0);
	assert_int_equal(bed->plugs.failure_count, 1);
	fabric_failure_text(&bed->view, &bed->plugs.failures[0], &object, &message);
	assert_string_equal(message, "AccessRegisterGMP: the answer is malformed");
}

/* An answer about another port, or another page, is not taken for the requested one. */
static void damaged(void **state)
{
	struct bed *bed = *state;
	struct agent *agent = &bed->agents[SWITCH];

	agent->other_port = 1;
	assert_malformed(bed);
	agent->other_port = 0;
	agent->other_page = 6;
	assert_malformed(bed);
	agent->other_page = 0;
	/* A datagram that is too short. */
	agent->bytes = MAD_BYTES - 1;
	read_all(bed);
	assert_states(bed, SWITCH, FABRIC_PLUG_NO_ANSWER, FABRIC_PLUG_NO_ANSWER,
		      FABRIC_PLUG_NO_ANSWER);
	assert_int_equal(bed->plugs.failure_count, 1);
}

static void unplugged(void **state)
{
	struct bed *bed = *state;
	struct fabric_cable_row row;

	bed->agents[SWITCH].unplugged[2] = true;
	read_all(bed);
	assert_states(bed, SWITCH, FABRIC_PLUG_READ, FABRIC_PLUG_ABSENT, FABRIC_PLUG_READ);
	assert_int_equal(bed->plugs.failure_count, 0);
	make_row(bed, SWITCH, 2, &row);
	assert_false(row.source.known);
	assert_false(row.plug.identifier.known);
	assert_int_equal(row.peer_source.value, FABRIC_PLUG_PDDR);
	fabric_cable_row_clear(&row);
}

/* Ports that CableInfo settled, and those that no general datagram reaches. */
static void not_asked(void **state)
{
	struct bed *bed = *state;
	struct sample_link dead = sample_up;

	bed->cable_code = 3;
	sample_set_port(&bed->fabric, fabric_port_at(&bed->fabric, LEFT, 1), &dead);
	dead.state = 2;
	dead.lid = 1;
	sample_set_port(&bed->fabric, fabric_port_at(&bed->fabric, HOST, 1), &dead);
	read_all(bed);
	assert_int_equal(plug_of(bed, RIGHT, 1)->state, FABRIC_PLUG_ABSENT);
	assert_int_equal(plug_of(bed, LEFT, 1)->state, FABRIC_PLUG_UNSUPPORTED);
	assert_int_equal(plug_of(bed, HOST, 1)->state, FABRIC_PLUG_UNSUPPORTED);
	assert_states(bed, SWITCH, FABRIC_PLUG_READ, FABRIC_PLUG_READ, FABRIC_PLUG_READ);
	assert_int_equal(bed->agents[RIGHT].general + bed->agents[LEFT].general +
				 bed->agents[HOST].general,
			 0);
}

/* The optical power is in a page that CableInfo read (SFF-8636): no request is needed. */
static void lit(void **state)
{
	struct bed *bed = *state;

	bed->cable_code = 5;
	bed->lit = true;
	read_all(bed);
	assert_int_equal(plug_of(bed, RIGHT, 1)->state, FABRIC_PLUG_READ);
	assert_int_equal(bed->agents[RIGHT].general, 0);
}

/* CableInfo failed, or did not give the optical power: what it read stays, or is completed. */
static void in_addition(void **state)
{
	struct bed *bed = *state;
	struct fabric_cable_row row;

	for (unsigned int i = 0; i < 2; i++) {
		const enum fabric_plug_state state_before = i ? FABRIC_PLUG_READ
							      : FABRIC_PLUG_FAILED;

		bed->cable_code = i ? 5 : 9;
		bed->agents[RIGHT].lost[1] = false;
		read_all(bed);
		assert_int_equal(plug_of(bed, RIGHT, 1)->state, FABRIC_PLUG_READ);
		assert_false(plug_of(bed, RIGHT, 1)->partial);
		make_row(bed, SWITCH, 3, &row);
		assert_int_equal(row.peer_source.value, FABRIC_PLUG_PDDR);
		assert_string_equal(row.peer_plug.serial, "SN3-1");
		fabric_cable_row_clear(&row);
		bed->agents[RIGHT].lost[1] = true;
		read_all(bed);
		assert_int_equal(plug_of(bed, RIGHT, 1)->state, state_before);
		assert_int_equal(plug_of(bed, RIGHT, 1)->code, bed->cable_code);
		assert_int_equal(plug_of(bed, RIGHT, 1)->partial, i);
		assert_int_equal(bed->plugs.failure_count, 1);
		make_row(bed, SWITCH, 3, &row);
		assert_int_equal(row.peer_source.known ? row.peer_source.value : 0,
				 i ? FABRIC_PLUG_CABLE_INFO : 0);
		assert_int_equal(row.peer_plug.identifier.known, i);
		fabric_cable_row_clear(&row);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(both_ends),    TEST(in_dbm),      TEST(incapable), TEST(silent),
		TEST(silent_later), TEST(refused),     TEST(damaged),	TEST(unplugged),
		TEST(not_asked),    TEST(in_addition), TEST(lit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
