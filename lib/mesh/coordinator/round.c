/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A round: sends an order for each pair to the agent of its first host, and takes the answers. Only
 * the agent that has an order may answer it. A failed pair counts as failed, and one whose agents
 * could not talk as such, only after the agents of both hosts have answered a later ping: if one of
 * them is gone, the answer says nothing about the pair, which is then untried.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "mesh/coordinator/connection.h"

/* Grace after the timeout of an order, for its agent to end it and to report that. */
#define ORDER_GRACE_MSEC 3000u

static const struct mesh_pair *pair_of(const struct coordinator *coordinator, size_t number)
{
	return &coordinator->round->pairs[number];
}

static uint32_t host_of_end(const struct mesh_pair *pair, size_t end)
{
	return end == MESH_END_A ? pair->a : pair->b;
}

static uint64_t id_of(const struct coordinator *coordinator, size_t number)
{
	return (uint64_t)coordinator->generation << 32 | (uint64_t)number;
}

static struct mesh_result result_of(const struct coordinator *coordinator, size_t number)
{
	const struct coordinator_round *round = coordinator->round;

	return (struct mesh_result){
		.pair = round->pairs[number],
		.stage = round->stage,
		.round = round->number,
		.again = round->again,
	};
}

static void settle(struct coordinator *coordinator, size_t number, const struct mesh_result *result)
{
	struct slot *slot = &coordinator->slots[number];

	if (slot->done)
		return;
	slot->done = true;
	coordinator->open_slots--;
	coordinator->round->take(coordinator->round->context, result);
}

__attribute__((format(printf, 3, 4))) static void give_up(struct coordinator *coordinator,
							  size_t number, const char *format, ...)
{
	struct mesh_result result = result_of(coordinator, number);
	va_list values;

	result.outcome = MESH_UNTRIED;
	va_start(values, format);
	vsnprintf(result.reason, sizeof(result.reason), format, values);
	va_end(values);
	settle(coordinator, number, &result);
}

static void cancel(struct coordinator *coordinator, size_t number)
{
	struct connection *connection = connection_of(coordinator, pair_of(coordinator, number)->a);
	const struct mesh_message message = {.type = MESH_MESSAGE_CANCEL,
					     .cancel.id = id_of(coordinator, number)};

	if (connection && connection->state == CONNECTION_MEMBER)
		connection_send(coordinator, connection, &message);
}

void round_lose(struct coordinator *coordinator, uint32_t host)
{
	const struct mesh_host *lost = &coordinator->hosts[host];

	for (size_t i = 0; i < coordinator->slot_count; i++) {
		const struct mesh_pair *pair = pair_of(coordinator, i);

		if (coordinator->slots[i].done || (pair->a != host && pair->b != host))
			continue;
		give_up(coordinator, i, "%.100s was lost", lost->name);
		if (pair->a != host)
			cancel(coordinator, i);
	}
}

/* Whether both agents have answered since, or the pair was given up meanwhile. */
static bool is_settled(struct coordinator *coordinator, const struct doubt *doubt)
{
	bool alive = true;

	for (size_t end = 0; alive && end < MESH_ENDS; end++) {
		const struct connection *connection = connection_of(
			coordinator, host_of_end(&doubt->result.pair, end));

		alive = connection && connection->ponged >= doubt->pings[end];
	}
	return alive || coordinator->slots[doubt->slot].done;
}

void round_heard(struct coordinator *coordinator)
{
	struct doubt **place = &coordinator->doubts;

	while (*place) {
		struct doubt *doubt = *place;

		if (!is_settled(coordinator, doubt)) {
			place = &doubt->next;
			continue;
		}
		*place = doubt->next;
		settle(coordinator, doubt->slot, &doubt->result);
		free(doubt);
	}
}

static void begin_doubt(struct coordinator *coordinator, size_t number,
			const struct mesh_result *result)
{
	const struct slot *slot = &coordinator->slots[number];
	struct doubt *doubt = mem_alloc_zero(1, sizeof(*doubt));

	doubt->slot = number;
	doubt->result = *result;
	doubt->next = coordinator->doubts;
	coordinator->doubts = doubt;
	coordinator->slots[number].doubted = true;
	for (size_t end = 0; end < MESH_ENDS && !slot->done; end++) {
		struct connection *connection = connection_of(coordinator,
							      host_of_end(&result->pair, end));

		/* Losing the host settles the slot. */
		if (!connection)
			continue;
		connection_ping(coordinator, connection);
		doubt->pings[end] = coordinator->ping_number;
	}
}

/* The first of the two hosts whose agent does not know MESH_BOTH_WAYS, or NULL. */
static const struct mesh_host *find_older(const struct coordinator *coordinator,
					  const struct mesh_pair *pair)
{
	for (size_t end = 0; end < MESH_ENDS; end++) {
		const struct mesh_host *host = &coordinator->hosts[host_of_end(pair, end)];

		if (host->protocol < MESH_PROTOCOL_BOTH_WAYS)
			return host;
	}
	return NULL;
}

/* Within one host nothing is on the cable, and its port sends and receives at once anyway. */
static uint32_t tests_of(const struct coordinator *coordinator, const struct mesh_pair *pair)
{
	const uint32_t tests = coordinator->round->tests;

	if (tests & MESH_BOTH_WAYS && (pair->a == pair->b || find_older(coordinator, pair)))
		return tests & ~(uint32_t)MESH_BOTH_WAYS;
	return tests;
}

/* Explains why a good pair has no both-ways figures, if an older agent is the cause. */
static void note_older(const struct coordinator *coordinator, struct mesh_result *result)
{
	const struct mesh_host *older;

	if (!(coordinator->round->tests & MESH_BOTH_WAYS) || result->outcome != MESH_PASS ||
	    result->pair.a == result->pair.b)
		return;
	older = find_older(coordinator, &result->pair);
	if (!older)
		return;
	result->older_agent = true;
	snprintf(result->reason, sizeof(result->reason),
		 "both ways at once: the rdmactl of %.100s is older, and does not have it",
		 older->name);
}

void round_take(struct coordinator *coordinator, struct connection *connection,
		const struct mesh_answer *answer, const struct mesh_both_answer *both)
{
	const uint64_t number = answer->id & UINT32_MAX;
	struct mesh_result result;

	/* A late answer to an order of an earlier round is no fault. */
	if (!coordinator->round || answer->id >> 32 != coordinator->generation)
		return;
	if (number >= coordinator->slot_count ||
	    pair_of(coordinator, number)->a != connection->host) {
		connection_end(coordinator, connection,
			       "its agent answered an order that it was not given");
		return;
	}
	if (coordinator->slots[number].done || coordinator->slots[number].doubted)
		return;
	if (both && !(tests_of(coordinator, pair_of(coordinator, number)) & MESH_BOTH_WAYS)) {
		connection_end(coordinator, connection,
			       "its agent answered something that it was not asked");
		return;
	}
	result = result_of(coordinator, number);
	if (both)
		mesh_both_answer_take(both, &result);
	else
		mesh_answer_take(answer, &result);
	note_older(coordinator, &result);
	if (result.outcome == MESH_FAIL || result.outcome == MESH_APART)
		begin_doubt(coordinator, number, &result);
	else
		settle(coordinator, number, &result);
}

/* Agents count only those of their rails that they can use. */
static void make_order(const struct coordinator *coordinator, uint32_t number,
		       struct mesh_message *message)
{
	const struct coordinator_round *round = coordinator->round;
	const struct mesh_pair *pair = pair_of(coordinator, number);
	const struct mesh_host *near = &coordinator->hosts[pair->a],
			       *far = &coordinator->hosts[pair->b];

	message->type = MESH_MESSAGE_ORDER;
	message->order = (struct mesh_order){
		.id = id_of(coordinator, number),
		.loopback = pair->a == pair->b,
		.rail = mesh_host_count_rails(near, pair->rail_a),
		.peer_rail = mesh_host_count_rails(far, pair->rail_b),
		.far = far->rails[pair->rail_b],
		.peer_ip = far->address,
		.peer_port = far->server_port,
		.tests = tests_of(coordinator, pair),
		.latency_msec = round->latency_msec,
		.bandwidth_msec = round->bandwidth_msec,
		.timeout_msec = round->timeout_msec,
	};
	snprintf(message->order.peer, sizeof(message->order.peer), "%s", far->name);
}

/* Whether both hosts take part and have these rails; otherwise gives the pair up. */
static bool can_order(struct coordinator *coordinator, size_t number)
{
	const struct mesh_pair *pair = pair_of(coordinator, number);

	for (size_t end = 0; end < MESH_ENDS; end++) {
		const uint32_t host = host_of_end(pair, end);
		const bool known = host < coordinator->host_count;
		const struct connection *connection = known ? connection_of(coordinator, host)
							    : NULL;

		if (connection && connection->state == CONNECTION_MEMBER)
			continue;
		give_up(coordinator, number, "%.100s does not take part",
			known ? coordinator->hosts[host].name : "?");
		return false;
	}
	if (mesh_host_has_rail(&coordinator->hosts[pair->a], pair->rail_a) &&
	    mesh_host_has_rail(&coordinator->hosts[pair->b], pair->rail_b))
		return true;
	give_up(coordinator, number, "a host has no such rail");
	return false;
}

/* Sends all orders of an agent, one per rail, together. */
static void send_orders(struct coordinator *coordinator, uint32_t host, uint32_t first)
{
	struct connection *connection;
	struct mesh_message message;

	for (uint32_t i = first; i != NO_SLOT; i = coordinator->slots[i].next) {
		if (coordinator->slots[i].done || !can_order(coordinator, i))
			continue;
		make_order(coordinator, i, &message);
		connection_put(coordinator, connection_of(coordinator, host), &message);
	}
	connection = connection_of(coordinator, host);
	if (connection && connection->channel.out_length && !connection->wants_write)
		connection_flush(coordinator, connection);
}

static void start(struct coordinator *coordinator, const struct coordinator_round *round)
{
	const size_t hosts = coordinator->host_count;
	_cleanup_(freep) uint32_t *firsts = mem_resize(NULL, hosts, sizeof(*firsts));

	coordinator->round = round;
	coordinator->generation++;
	coordinator->slot_count = coordinator->open_slots = round->count;
	coordinator->slots = mem_resize(coordinator->slots, round->count,
					sizeof(*coordinator->slots));
	memset(firsts, 0xff, hosts * sizeof(*firsts));
	for (size_t i = round->count; i--;) {
		const uint32_t host = round->pairs[i].a;

		coordinator->slots[i] = (struct slot){.next = NO_SLOT};
		if (host >= hosts) {
			give_up(coordinator, i, "there is no such host");
			continue;
		}
		coordinator->slots[i].next = firsts[host];
		firsts[host] = (uint32_t)i;
	}
	for (uint32_t i = 0; i < hosts; i++)
		if (firsts[i] != NO_SLOT)
			send_orders(coordinator, i, firsts[i]);
}

/*
 * Gives up open orders, except failures in doubt: those settle when the agents answer or are lost,
 * within the silence timeout.
 */
static void end_orders(struct coordinator *coordinator, const char *why)
{
	for (size_t i = 0; i < coordinator->slot_count; i++) {
		const struct slot *slot = &coordinator->slots[i];

		if (slot->done || slot->doubted)
			continue;
		give_up(coordinator, i, "%s", why);
		cancel(coordinator, i);
	}
}

static void finish(struct coordinator *coordinator)
{
	end_orders(coordinator, "interrupted");
	for (size_t i = 0; i < coordinator->slot_count; i++)
		if (!coordinator->slots[i].done)
			give_up(coordinator, i, "interrupted");
	while (coordinator->doubts) {
		struct doubt *doubt = coordinator->doubts;

		coordinator->doubts = doubt->next;
		free(doubt);
	}
	coordinator->round = NULL;
	coordinator->slot_count = 0;
}

int coordinator_round(struct coordinator *coordinator, const struct coordinator_round *round)
{
	const uint64_t most_doubt = 2 * (uint64_t)coordinator->setup.silence_msec;
	uint64_t end = clock_msec() + round->timeout_msec + ORDER_GRACE_MSEC;

	start(coordinator, round);
	while (coordinator->open_slots && !coordinator->interrupted) {
		const uint64_t now = clock_msec();

		if (now >= end)
			end_orders(coordinator, "its agent did not answer in time");
		if (now >= end + most_doubt)
			break;
		if (!coordinator->open_slots)
			continue;
		/* Answers that came while this process was stopped may still be waiting. */
		end += coordinator_turn(coordinator, now < end ? end : end + most_doubt);
	}
	finish(coordinator);
	return coordinator->interrupted ? -EINTR : 0;
}
