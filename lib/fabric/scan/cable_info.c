/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fabric/scan/cable_info.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fabric/scan/scanner.h"

/* The work on one node: its ports one after the other, each part of a module in pieces. */
struct agent {
	size_t first, count; /* its ports in the list */
	size_t current;	     /* the current port, relative to `first` */
	unsigned int tried;  /* bit mask: parts of its module that were tried */
	enum plug_part part;
	uint8_t question[CABLE_INFO_HEADER_BYTES];
};

struct reader {
	const struct fabric_scan_options *scan;
	const struct fabric *fabric;
	struct fabric_plugs *plugs;
	struct agent *agents; /* by node */
	uint32_t *ready;      /* nodes with a request to send, once per request */
	size_t head, ready_count;
};

/* enum cable_info_err, drivers/net/ethernet/mellanox/mlx4/port.c */
enum { NO_SUCH_PORT = 1, NOT_SUPPORTED, NOT_CONNECTED, NO_EEPROM };

const char *cable_info_error(unsigned int code)
{
	static const char *const words[] = {
		[NO_SUCH_PORT] = "the device has no such port",
		[NOT_SUPPORTED] = "the port has no module, or its link is internal",
		[NOT_CONNECTED] = "no cable is connected",
		[NO_EEPROM] = "the cable has no memory",
		[5] = "the device cannot read that page",
		[6] = "the device does not accept that address or size",
		[7] = "the module does not have that address",
		[8] = "a cable violates the QSFP specification and disturbs the bus",
		[9] = "the bus to the modules is busy",
	};

	return code < ARRAY_SIZE(words) && words[code] ? words[code]
						       : "the device could not read the module";
}

static struct fabric_plug *plug_of(const struct reader *reader, const struct agent *agent)
{
	return &reader->plugs->items[agent->first + agent->current];
}

/* Queues the node's next request: for the rest of the part, or another part or port. */
static void go_on(struct reader *reader, uint32_t node)
{
	struct agent *agent = &reader->agents[node];

	for (; agent->current < agent->count; agent->current++, agent->tried = 0) {
		const struct fabric_plug *plug = plug_of(reader, agent);

		if (plug->state && plug->state != FABRIC_PLUG_READ)
			continue;
		if (!plug_next_part(&plug->memory, agent->tried, &agent->part))
			continue;
		MEM_ADD(reader->ready, reader->ready_count) = node;
		return;
	}
}

static void write_question(struct agent *agent, const struct fabric_plug *plug)
{
	const struct plug_place *place = &plug_places[agent->part];
	const unsigned int done = plug->memory.length[agent->part];
	const unsigned int left = PLUG_PART_BYTES - done;

	memset(agent->question, 0, sizeof(agent->question));
	cable_info_set_address(agent->question, place->address);
	cable_info_set_page(agent->question, place->page);
	cable_info_set_offset(agent->question, (uint16_t)(place->offset + done));
	cable_info_set_size(agent->question,
			    (uint16_t)(left < CABLE_INFO_DATA_MOST ? left : CABLE_INFO_DATA_MOST));
}

static bool next(void *context, struct mad_request *request)
{
	struct reader *reader = context;
	uint8_t path[MAD_HOPS_MOST + 1];

	while (reader->head < reader->ready_count) {
		const uint32_t node = reader->ready[reader->head++];
		struct agent *agent = &reader->agents[node];
		struct fabric_plug *plug = plug_of(reader, agent);
		const int hops = scan_route_to(reader->fabric, plug->port, false, path);

		write_question(agent, plug);
		request->attribute = MAD_SM_CABLE_INFO;
		request->modifier = reader->fabric->ports[plug->port].number;
		request->number = node;
		if (fabric_scan_request(reader->scan, reader->fabric, path, hops, request)) {
			request->data = agent->question;
			request->data_bytes = sizeof(agent->question);
			return true;
		}
		plug->state = FABRIC_PLUG_NOT_READ;
		go_on(reader, node);
	}
	return false;
}

/* Gives up on the node's remaining ports. */
static void give_up(struct reader *reader, struct agent *agent, enum fabric_plug_state state)
{
	for (; agent->current < agent->count; agent->current++)
		if (!plug_of(reader, agent)->state)
			plug_of(reader, agent)->state = state;
}

/* The device's own code is in the upper byte of the status. */
static void take_code(struct fabric_plug *plug, const struct agent *agent, unsigned int code)
{
	plug->code = (uint8_t)code;
	/* The first page was read: the module is known, but not completely. */
	if (plug->state == FABRIC_PLUG_READ || agent->part != PLUG_LOWER) {
		plug->partial = true;
		return;
	}
	plug->state = code == NOT_CONNECTED			      ? FABRIC_PLUG_ABSENT
		      : code == NO_EEPROM			      ? FABRIC_PLUG_NO_MEMORY
		      : code == NO_SUCH_PORT || code == NOT_SUPPORTED ? FABRIC_PLUG_UNSUPPORTED
								      : FABRIC_PLUG_FAILED;
}

static void take_bytes(struct fabric_plug *plug, struct agent *agent, const unsigned char *data)
{
	uint8_t *length = &plug->memory.length[agent->part];
	const unsigned int size = cable_info_size(agent->question);

	memcpy(&plug->memory.bytes[agent->part][*length], data + CABLE_INFO_HEADER_BYTES, size);
	*length = (uint8_t)(*length + size);
	plug->state = FABRIC_PLUG_READ;
	if (*length == PLUG_PART_BYTES)
		agent->tried |= 1u << agent->part;
}

/* Statuses of 13.4.7: the agent does not know the method, or the attribute with it. */
static bool is_unknown(uint16_t status)
{
	const unsigned int code = status & UMAD_STATUS_INVALID_FIELD_MASK;

	return code == UMAD_STATUS_METHOD_NOT_SUPPORTED || code == UMAD_STATUS_ATTR_NOT_SUPPORTED;
}

/* The node did not answer, or refused without a code from the device. */
static void take_failure(struct reader *reader, struct agent *agent, const struct mad_reply *reply)
{
	struct fabric_plugs *plugs = reader->plugs;
	struct fabric_plug *plug = plug_of(reader, agent);
	const bool was_read = plug->state == FABRIC_PLUG_READ;

	if (!reply->error && reply->mad && !was_read && is_unknown(reply->status)) {
		give_up(reader, agent, FABRIC_PLUG_UNSUPPORTED);
		return;
	}
	plug->partial = was_read;
	MEM_ADD(plugs->failures, plugs->failure_count) = fabric_failure_of(plug->port, reply);
	give_up(reader, agent, FABRIC_PLUG_NO_ANSWER);
}

static void done(void *context, const struct mad_reply *reply)
{
	struct reader *reader = context;
	const uint32_t node = (uint32_t)reply->request->number;
	struct agent *agent = &reader->agents[node];
	struct fabric_plug *plug = plug_of(reader, agent);
	const unsigned int code = reply->status >> 8;

	if (reply->error == -ECANCELED)
		return;
	if (reply->error || !reply->mad || (reply->status && !code)) {
		take_failure(reader, agent, reply);
		return;
	}
	if (code) {
		take_code(plug, agent, code);
		agent->tried |= 1u << agent->part;
	} else {
		take_bytes(plug, agent, reply->mad + MAD_SMP_DATA_AT);
	}
	go_on(reader, node);
}

static void list_ports(struct reader *reader, const bool *wanted)
{
	const struct fabric *fabric = reader->fabric;
	struct fabric_plugs *plugs = reader->plugs;

	for (uint32_t i = 0; i < fabric->node_count; i++) {
		const struct fabric_node *node = &fabric->nodes[i];
		struct agent *agent = &reader->agents[i];

		agent->first = plugs->count;
		for_each_port_of (port, node) {
			if (fabric->ports[port].peer == FABRIC_NONE || (wanted && !wanted[port]))
				continue;
			MEM_ADD(plugs->items, plugs->count) = (struct fabric_plug){
				.port = port,
				/* Others may use the attribute's number for something else. */
				.state = fabric_is_mellanox(node) ? 0 : FABRIC_PLUG_OTHER_VENDOR,
			};
			agent->count++;
		}
	}
	for (uint32_t i = 0; i < fabric->node_count; i++)
		go_on(reader, i);
}

int fabric_plugs_read(struct mad_engine *engine, const struct fabric_scan_options *scan,
		      const struct fabric *fabric, const bool *wanted, struct fabric_plugs *plugs)
{
	struct reader reader = {
		.scan = scan,
		.fabric = fabric,
		.plugs = plugs,
		.agents = mem_alloc_zero(fabric->node_count, sizeof(*reader.agents)),
	};
	const struct mad_work work = {.context = &reader, .next = next, .done = done};
	int rc;

	list_ports(&reader, wanted);
	rc = mad_engine_run(engine, &work);
	for (size_t i = 0; i < plugs->count; i++)
		if (!plugs->items[i].state)
			plugs->items[i].state = FABRIC_PLUG_NOT_READ;
	free(reader.agents);
	free(reader.ready);
	return rc;
}

const struct fabric_plug *fabric_plugs_find(const struct fabric_plugs *plugs, uint32_t port)
{
	return MEM_FIND(&port, plugs->items, plugs->count, fabric_compare_ports);
}
