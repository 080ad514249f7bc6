/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Asks the firmware of NVIDIA devices about the modules where CableInfo revealed too little: the
 * register PDDR by AccessRegisterGMP (mad.h), one datagram per port. A node is asked first whether
 * it supports this, and in which units it can report powers.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "fabric/scan/cable_info.h"
#include "mad/format/header.h"

_Static_assert((int)PLUG_PDDR_BYTES <= ACCESS_REGISTER_MOST,
	       "PDDR needs more than its first block");

/* The steps of an agent, in order. */
enum step { ASK_WHETHER, ASK_UNITS, ASK_PORTS };

enum { QUESTION_BYTES = ACCESS_REGISTER_AT + 8 }; /* up to the head of PDDR */

/* The work on one node: its ports to be asked, one after the other. */
struct agent {
	size_t current, end; /* in the list of plugs */
	enum step step;
	bool microwatts, noted;
	uint8_t question[QUESTION_BYTES];
};

struct reader {
	const struct mad_address *address;
	const struct fabric *fabric;
	struct fabric_plugs *plugs;
	struct agent *agents;
	size_t agent_count;
	size_t *ready; /* agents with a request to send, once per request */
	size_t head, ready_count;
};

static bool has_light(const struct fabric_plug *plug)
{
	struct plug decoded;
	bool found;

	plug_decode(&plug->memory, &decoded);
	found = plug_weakest(&decoded);
	plug_clear(&decoded);
	return found;
}

/*
 * Wanted where CableInfo yielded nothing, or no receive power because the device refuses pages.
 * With the power, the data of CableInfo is better: flags, and powers in tenths of a microwatt.
 */
static bool is_wanted(const struct reader *reader, const struct fabric_plug *plug)
{
	return (plug->state == FABRIC_PLUG_UNSUPPORTED || plug->state == FABRIC_PLUG_FAILED ||
		(plug->partial && plug->code && !has_light(plug))) &&
	       fabric_is_reachable(reader->fabric, plug->port);
}

/* Sets the state, unless CableInfo has found one for the port. */
static void set_state(struct fabric_plug *plug, enum fabric_plug_state state)
{
	if (plug->state != FABRIC_PLUG_UNSUPPORTED)
		return;
	plug->state = state;
	plug->code = 0; /* CableInfo's code is not the reason for this state */
}

/* Queues the node's next request, skipping ports that need none. */
static void go_on(struct reader *reader, struct agent *agent)
{
	while (agent->current < agent->end &&
	       !is_wanted(reader, &reader->plugs->items[agent->current]))
		agent->current++;
	if (agent->current < agent->end)
		MEM_ADD(reader->ready, reader->ready_count) = (size_t)(agent - reader->agents);
}

static void ask_for_port(struct agent *agent, unsigned int port, struct mad_request *request)
{
	uint8_t *head = agent->question + ACCESS_REGISTER_AT;

	pddr_set_port_kind(head, PDDR_IB_PORT);
	pddr_set_port(head, (uint8_t)port);
	pddr_set_units(head, agent->microwatts ? PDDR_MICROWATTS : 0);
	pddr_set_page(head, PDDR_MODULE_INFO);
	request->modifier = REGISTER_PDDR;
	request->data = agent->question;
	request->data_bytes = sizeof(agent->question);
}

static bool next(void *context, struct mad_request *request)
{
	struct reader *reader = context;
	struct agent *agent;
	uint32_t port;

	if (reader->head == reader->ready_count)
		return false;
	request->number = reader->ready[reader->head++];
	agent = &reader->agents[request->number];
	port = reader->plugs->items[agent->current].port;
	request->to = *reader->address;
	request->to.lid = fabric_lid(reader->fabric, port);
	request->mgmt_class = MAD_CLASS_MELLANOX;
	request->method = UMAD_METHOD_GET;
	request->attribute = agent->step == ASK_WHETHER ? MAD_MELLANOX_GENERAL_INFO
							: MAD_MELLANOX_ACCESS_REGISTER;
	if (agent->step == ASK_UNITS)
		request->modifier = REGISTER_PCAM;
	else if (agent->step == ASK_PORTS)
		ask_for_port(agent, reader->fabric->ports[port].number, request);
	return true;
}

/* One failure per node is enough; each port says whether it was read. */
static void note_failure(struct reader *reader, struct agent *agent, const struct mad_reply *reply)
{
	struct fabric_plugs *plugs = reader->plugs;
	struct fabric_failure failure = fabric_failure_of(plugs->items[agent->current].port, reply);

	failure.mgmt_class = MAD_CLASS_MELLANOX;
	if (!agent->noted)
		MEM_ADD(plugs->failures, plugs->failure_count) = failure;
	agent->noted = true;
}

static void give_up(const struct reader *reader, struct agent *agent)
{
	for (; agent->current < agent->end; agent->current++)
		if (is_wanted(reader, &reader->plugs->items[agent->current]))
			set_state(&reader->plugs->items[agent->current], FABRIC_PLUG_NO_ANSWER);
}

/* Statuses of 13.4.7: the agent does not know the class, the method, or the attribute with it. */
static bool is_unknown(uint16_t status)
{
	const unsigned int code = status & UMAD_STATUS_INVALID_FIELD_MASK;

	return code == UMAD_STATUS_BAD_VERSION || code == UMAD_STATUS_METHOD_NOT_SUPPORTED ||
	       code == UMAD_STATUS_ATTR_NOT_SUPPORTED;
}

static void take_whether(struct reader *reader, struct agent *agent, const struct mad_reply *reply,
			 const unsigned char *data)
{
	if (reply->status && !is_unknown(reply->status)) {
		note_failure(reader, agent, reply);
		give_up(reader, agent);
	} else if (!reply->status && general_info_has_registers(data)) {
		agent->step = ASK_UNITS;
		go_on(reader, agent);
	} else {
		agent->current = agent->end; /* the node has no registers */
	}
}

/* The answer must be for the port and page that were requested. */
static void take_port(struct reader *reader, struct agent *agent, const struct mad_reply *reply,
		      const uint8_t *bytes)
{
	struct fabric_plug *plug = &reader->plugs->items[agent->current];
	const uint8_t *head = agent->question + ACCESS_REGISTER_AT;

	if (reply->status == ACCESS_REGISTER_UNKNOWN) {
		agent->current = agent->end;
		return;
	}
	if (reply->status || pddr_port(bytes) != pddr_port(head) ||
	    pddr_page(bytes) != pddr_page(head)) {
		set_state(plug, FABRIC_PLUG_FAILED);
		note_failure(reader, agent, reply);
	} else if (plug_take_pddr(&plug->memory, bytes, agent->microwatts)) {
		plug->state = FABRIC_PLUG_READ;
		plug->partial = false;
	} else {
		set_state(plug, FABRIC_PLUG_ABSENT);
	}
	agent->current++;
	go_on(reader, agent);
}

static void done(void *context, const struct mad_reply *reply)
{
	struct reader *reader = context;
	struct agent *agent = &reader->agents[reply->request->number];
	const unsigned char *data;

	if (reply->error == -ECANCELED)
		return;
	if (reply->error || !reply->mad || reply->bytes < MAD_BYTES) {
		note_failure(reader, agent, reply);
		give_up(reader, agent);
		return;
	}
	data = reply->mad + mad_data_offset(MAD_CLASS_MELLANOX);
	if (agent->step == ASK_WHETHER) {
		take_whether(reader, agent, reply, data);
	} else if (agent->step == ASK_UNITS) {
		agent->microwatts = !reply->status &&
				    pcam_has_microwatts(data + ACCESS_REGISTER_AT);
		agent->step = ASK_PORTS;
		go_on(reader, agent);
	} else {
		take_port(reader, agent, reply, data + ACCESS_REGISTER_AT);
	}
}

/* In the list, the ports of a node are adjacent. */
static void list_agents(struct reader *reader)
{
	const struct fabric_plugs *plugs = reader->plugs;

	for (size_t i = 0, end; i < plugs->count; i = end) {
		const uint32_t node = reader->fabric->ports[plugs->items[i].port].node;

		for (end = i; end < plugs->count; end++)
			if (reader->fabric->ports[plugs->items[end].port].node != node)
				break;
		MEM_ADD(reader->agents, reader->agent_count) = (struct agent){.current = i,
									      .end = end};
	}
	for (size_t i = 0; i < reader->agent_count; i++)
		go_on(reader, &reader->agents[i]);
}

int fabric_plugs_read_registers(struct mad_engine *engine, const struct mad_address *address,
				const struct fabric *fabric, struct fabric_plugs *plugs)
{
	struct reader reader = {.address = address, .fabric = fabric, .plugs = plugs};
	const struct mad_work work = {.context = &reader, .next = next, .done = done};
	int rc;

	list_agents(&reader);
	rc = mad_engine_run(engine, &work);
	/* A port that was not asked is not known to be unsupported. */
	for (size_t i = 0; rc && i < reader.agent_count; i++)
		give_up(&reader, &reader.agents[i]);
	free(reader.agents);
	free(reader.ready);
	return rc;
}
