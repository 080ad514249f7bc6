/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For the tests of commands that send management datagrams: a host with one port, whose LID is 2,
 * and nodes at the other end that answer as a test says. The functions of
 * lib/host/inventory/inventory.h, lib/kernel/umad.h and lib/base/signals.h are defined here, so
 * that the linker takes none of their files. A command runs with its own options, and the test
 * compares what it prints, reports and requests.
 */
#pragma once

#include "command_lines.h"

#include <sys/random.h>

#include "base/signals.h"
#include "fake_transport.h"
#include "host/device.h"
#include "idle_inventory.h"
#include "mad/format/header.h"
#include "schema/bits.h"

enum { NODES_DATA = 4096, NODES_SILENT = -1, OUR_LID = 2, MANAGER_LID = 1 };

/* A request as the node receives it. */
struct asked {
	const char *to; /* "5" for a LID, "0,1" for a directed route */
	unsigned int lid, mgmt_class, method, attribute;
	uint32_t modifier;
	uint64_t key; /* M_Key, SM_Key or CC_Key; 0: none */
	const struct mad_address *address;
	const unsigned char *mad;  /* the entire datagram */
	const unsigned char *data; /* of the attribute only */
};

/* Fills the data of the answer, initially a copy of the request's. Returns the status. */
typedef int nodes_answer(const struct asked *asked, unsigned char *data);

static struct nodes {
	/* What a test sets */
	nodes_answer *answer;
	bool no_manager, no_lid, ethernet;
	uint64_t reported_lid; /* with no_lid */
	int load_error, open_error, send_error;
	char *netdev;	    /* of the port */
	unsigned int state; /* of the port; 0: active */
	unsigned int waits; /* number of the wait, from 1 on, that a signal ends; 0: none */

	/* What an answer sets: the bytes of all its records, and of one record */
	size_t bytes, record_bytes;

	struct fake fake;
	struct port port;
	struct device device;
	char via[64];
	bool stopped, freed;
	unsigned int waited;
} nodes;

/* Replaces that of libc, so that transactions and tags are the same in each run. */
ssize_t getrandom(void *buffer, size_t length, unsigned int flags)
{
	(void)flags;
	memset(buffer, 0x11, length);
	return (ssize_t)length;
}

/* ---- The host ---- */

int inventory_load(struct inventory *inventory, const struct inventory_request *request,
		   struct problems *problems, struct problems *notes)
{
	static char name[] = "m0";

	(void)notes;
	if (nodes.load_error)
		return nodes.load_error;
	/* Not needed once there is a port. */
	if (problems)
		problem_add_text(problems, "m1", NULL, NULL, "it has no node", NULL);
	for (size_t i = 0; request->objects && i < request->objects->count; i++)
		snprintf(nodes.via, sizeof(nodes.via), "%s/%d", request->objects->items[i].device,
			 request->objects->items[i].port);
	nodes.port = (struct port){
		.device = name,
		.port = number_of(3),
		.link_layer = number_of(nodes.ethernet ? LINK_LAYER_ETHERNET
						       : LINK_LAYER_INFINIBAND),
		.state = number_of(nodes.state ? nodes.state : PORT_STATE_ACTIVE),
		.physical_state = number_of(PHYSICAL_LINK_UP),
		.lid = number_of(nodes.no_lid ? nodes.reported_lid : OUR_LID),
		.sm_lid = number_of(nodes.no_manager ? 0 : MANAGER_LID),
		.sm_sl = number_of(6),
		.port_guid = number_of(0x22),
		.netdev = nodes.netdev,
		.subnet_prefix = number_of(0xfe80000000000000),
	};
	nodes.device = (struct device){
		.name = name,
		.kernel_name = name,
		.node_type = number_of(NODE_TYPE_CA),
		.ports = &nodes.port,
		.port_count = 1,
	};
	inventory->devices = (struct device_list){.items = &nodes.device, .count = 1};
	return 0;
}

void inventory_free(struct inventory *inventory)
{
	(void)inventory;
}

/* ---- Signals: none arrives, and waiting takes no time ---- */

void signals_catch(struct signals *signals, const int *numbers)
{
	(void)numbers;
	signals->fd = -1;
}

int signals_take(const struct signals *signals)
{
	(void)signals;
	return nodes.stopped ? SIGINT : 0;
}

bool signals_wait(const struct signals *signals, uint64_t end_msec)
{
	(void)signals;
	nodes.stopped |= ++nodes.waited == nodes.waits;
	if (fake_clock_nsec < end_msec * 1000000)
		fake_clock_nsec = end_msec * 1000000;
	return nodes.stopped;
}

void signals_release(struct signals *signals)
{
	(void)signals;
}

/* ---- The nodes ---- */

/* Logs the first bytes of a request's data. */
static inline void nodes_add_data(const struct asked *asked, size_t bytes)
{
	char hex[2 * 192 + 1] = "";

	for (size_t i = 0; i < bytes; i++)
		snprintf(hex + 2 * i, 3, "%02x", asked->data[i]);
	command_note(hex);
}

static inline void nodes_note(const struct asked *asked)
{
	const char *method = mad_method_word(asked->mgmt_class, asked->method);
	const char *name = mad_attribute_name(asked->mgmt_class, asked->attribute);
	_cleanup_(freep) char *key = asked->key ? mem_format(" key 0x%llx",
							     (unsigned long long)asked->key)
						: mem_string("");
	_cleanup_(freep) char *line = mem_format("%s %s %s 0x%x%s", asked->to,
						 method ? method : "?", name ? name : "?",
						 asked->modifier, key);

	command_note(line);
}

/* Each class has its key at a different place, or has none. */
static inline uint64_t nodes_key(const unsigned char *mad)
{
	switch (mad_class(mad)) {
	case UMAD_CLASS_SUBN_LID_ROUTED:
	case UMAD_CLASS_SUBN_DIRECTED_ROUTE:
		return mad_mkey(mad);
	case UMAD_CLASS_SUBN_ADM:
		return mad_sm_key(mad);
	case UMAD_CLASS_CONG_MGMT:
		return mad_cc_key(mad);
	default:
		return 0;
	}
}

static inline void nodes_reply(const struct asked *asked, int agent, size_t at,
			       const unsigned char *data, int status)
{
	unsigned char reply[MAD_BYTES + NODES_DATA];
	size_t bytes = MAD_BYTES;

	memcpy(reply, asked->mad, MAD_BYTES);
	mad_set_method(reply, (uint8_t)(asked->method == UMAD_METHOD_SET
						? UMAD_METHOD_GET_RESP
						: asked->method | UMAD_METHOD_RESP_MASK));
	mad_set_raw_status(reply, (uint16_t)status);
	if (asked->mgmt_class == UMAD_CLASS_SUBN_DIRECTED_ROUTE)
		reply[4] |= 0x80;
	memcpy(reply + at, data, nodes.bytes ? NODES_DATA : MAD_BYTES - at);
	if (nodes.bytes) {
		bytes = at + nodes.bytes;
		mad_set_record_offset(reply, (uint16_t)(nodes.record_bytes / 8));
		mad_set_rmpp_type(reply, MAD_RMPP_DATA);
	}
	fake_put(&nodes.fake, 0, reply, bytes, 10);
	nodes.fake.queue[nodes.fake.queued - 1].arrival.agent = agent;
	nodes.fake.queue[nodes.fake.queued - 1].arrival.from.lid = (uint16_t)asked->lid;
}

static inline int nodes_send(struct fake *fake, int agent, const struct mad_address *to,
			     const unsigned char *mad)
{
	const size_t at = mad_attribute_offset(mad_class(mad), mad_attribute(mad));
	unsigned char data[NODES_DATA] = {0};
	char route[4 * MAD_HOPS_MOST] = "";
	struct asked asked = {
		.to = route,
		.lid = to->lid,
		.mgmt_class = mad_class(mad),
		.method = mad_method(mad),
		.attribute = mad_attribute(mad),
		.modifier = mad_modifier(mad),
		.key = nodes_key(mad),
		.address = to,
		.mad = mad,
		.data = mad + at,
	};
	int status;

	(void)fake;
	if (nodes.send_error)
		return nodes.send_error;
	if (asked.mgmt_class == UMAD_CLASS_SUBN_DIRECTED_ROUTE)
		for (unsigned int i = 0; i <= mad_hop_count(mad); i++)
			snprintf(route + strlen(route), sizeof(route) - strlen(route), "%s%u",
				 i ? "," : "", mad[128 + i]);
	else
		snprintf(route, sizeof(route), "%u", to->lid);
	nodes_note(&asked);
	memcpy(data, mad + at, MAD_BYTES - at);
	nodes.bytes = 0;
	status = nodes.answer(&asked, data);
	if (status != NODES_SILENT)
		nodes_reply(&asked, agent, at, data, status);
	return 0;
}

int umad_open(const char *device, unsigned int port, const char *smi_device, unsigned int smi_port,
	      struct mad_transport *ret_transport)
{
	assert_string_equal(device, "m0");
	assert_int_equal(port, 3);
	assert_int_equal(smi_device == NULL, nodes.ethernet);
	if (smi_device)
		assert_int_equal(smi_port, 3);
	if (nodes.open_error)
		return nodes.open_error;
	nodes.fake.on_send = nodes_send;
	*ret_transport = fake_transport_of(&nodes.fake);
	return 0;
}

/* ---- The command ---- */

/* Runs the line, which begins with the name of the command. */
static inline void nodes_expect(const struct command *command, const struct command_row *row)
{
	nodes.stopped = false;
	nodes.waited = 0;
	nodes.fake.agents = 0;
	nodes.fake.queued = 0;
	command_expect(command, row);
}

static inline void nodes_begin(nodes_answer *answer)
{
	nodes = (struct nodes){.answer = answer};
}

/* Numbers in attributes are in network order. */
static inline void put_16(unsigned char *data, size_t at, unsigned int number)
{
	bits_set(data, at * 8, 16, number);
}

static inline void put_64(unsigned char *data, size_t at, uint64_t number)
{
	bits_set(data, at * 8, 64, number);
}

/* NodeInfo, 14.2.5.3: the GUIDs of system, node and port follow one another. */
static inline void put_node_info(unsigned char *data, unsigned int type, unsigned int ports,
				 uint64_t guid, unsigned int local_port)
{
	memset(data, 0, 64);
	data[0] = data[1] = 1;
	data[2] = (unsigned char)type;
	data[3] = (unsigned char)ports;
	put_64(data, 4, guid);
	put_64(data, 12, guid + 1);
	put_64(data, 20, guid + 2);
	data[36] = (unsigned char)local_port;
}
