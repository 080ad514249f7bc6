/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A round: an order for each pair, to the agent of its first host, and their answers. An answer is
 * only taken from the agent that has the order. A pair that failed counts as failed only when the
 * agents of both hosts have answered a ping after that: if one of them has gone, the failure says
 * nothing about the pair, which is untried then.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "mesh/coordinator/connection.h"

/* After the time of an order, for its agent to end it and to say so. */
#define ORDER_GRACE_MSEC 3000u

static void settle(struct coordinator *coordinator, struct slot *slot)
{
	if (slot->done)
		return;
	slot->done = true;
	coordinator->doubted_slots -= slot->doubted;
	coordinator->open_slots--;
	coordinator->round->take(coordinator->round->context, &slot->result);
}

static void give_up(struct coordinator *coordinator, struct slot *slot, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void give_up(struct coordinator *coordinator, struct slot *slot, const char *format, ...)
{
	const struct mesh_result *result = &slot->result;
	struct mesh_result untried = {
		.pair = result->pair,
		.stage = result->stage,
		.round = result->round,
		.again = result->again,
		.outcome = MESH_UNTRIED,
	};
	va_list values;

	va_start(values, format);
	vsnprintf(untried.reason, sizeof(untried.reason), format, values);
	va_end(values);
	slot->result = untried;
	settle(coordinator, slot);
}

static void cancel(struct coordinator *coordinator, const struct slot *slot)
{
	struct connection *connection = connection_of(coordinator, slot->result.pair.a);
	struct mesh_message message = {.type = MESH_MESSAGE_CANCEL};

	message.cancel.id = (uint64_t)coordinator->generation << 32 |
			    (uint64_t)(slot - coordinator->slots);
	if (connection && connection->state == CONNECTION_MEMBER &&
	    connection_put(coordinator, connection, &message))
		connection_flush(coordinator, connection);
}

void round_lose(struct coordinator *coordinator, uint32_t host)
{
	const struct mesh_host *lost = &coordinator->hosts[host];

	for (size_t i = 0; i < coordinator->slot_count; i++) {
		struct slot *slot = &coordinator->slots[i];

		if (slot->done || (slot->result.pair.a != host && slot->result.pair.b != host))
			continue;
		give_up(coordinator, slot, "%.100s was lost", lost->name);
		if (slot->result.pair.a != host)
			cancel(coordinator, slot);
	}
}

static uint32_t host_of_end(const struct slot *slot, size_t end)
{
	return end == MESH_END_A ? slot->result.pair.a : slot->result.pair.b;
}

/* Settles the failures whose two agents have answered since. */
void round_heard(struct coordinator *coordinator)
{
	for (size_t i = 0; coordinator->doubted_slots && i < coordinator->slot_count; i++) {
		struct slot *slot = &coordinator->slots[i];
		bool alive = slot->doubted && !slot->done;

		for (size_t end = 0; alive && end < MESH_ENDS; end++) {
			const struct connection *connection = connection_of(coordinator,
									    host_of_end(slot, end));

			alive = connection && connection->ponged >= slot->pings[end];
		}
		if (alive)
			settle(coordinator, slot);
	}
}

static void doubt(struct coordinator *coordinator, struct slot *slot)
{
	slot->doubted = true;
	coordinator->doubted_slots++;
	for (size_t end = 0; end < MESH_ENDS && !slot->done; end++) {
		struct connection *connection = connection_of(coordinator, host_of_end(slot, end));

		/* Losing the host settles the slot. */
		if (!connection)
			continue;
		connection_ping(coordinator, connection);
		slot->pings[end] = coordinator->ping_number;
	}
}

void round_take(struct coordinator *coordinator, struct connection *connection,
		const struct mesh_answer *answer)
{
	const uint64_t number = answer->id & UINT32_MAX;
	struct slot *slot;

	/* An answer to an order of an earlier round comes too late, which is no fault. */
	if (!coordinator->round || answer->id >> 32 != coordinator->generation)
		return;
	if (number >= coordinator->slot_count ||
	    coordinator->slots[number].result.pair.a != connection->host) {
		connection_end(coordinator, connection,
			       "its agent answered an order that it does not have");
		return;
	}
	slot = &coordinator->slots[number];
	if (slot->done || slot->doubted)
		return;
	mesh_answer_take(answer, &slot->result);
	if (slot->result.outcome == MESH_FAIL)
		doubt(coordinator, slot);
	else
		settle(coordinator, slot);
}

static bool takes_part(struct coordinator *coordinator, uint32_t host)
{
	const struct connection *connection = host < coordinator->host_count
						      ? connection_of(coordinator, host)
						      : NULL;

	return connection && connection->state == CONNECTION_MEMBER;
}

static void make_order(const struct coordinator *coordinator, const struct slot *slot, uint64_t id,
		       struct mesh_order *order)
{
	const struct coordinator_round *round = coordinator->round;
	const struct mesh_pair *pair = &slot->result.pair;
	const struct mesh_host *far = &coordinator->hosts[pair->b];

	*order = (struct mesh_order){
		.id = id,
		.loopback = pair->a == pair->b,
		.rail = pair->rail_a,
		.peer_rail = pair->rail_b,
		.far = far->rails[pair->rail_b],
		.peer_ip = far->address,
		.peer_port = far->server_port,
		.tests = round->tests,
		.latency_msec = round->latency_msec,
		.bandwidth_msec = round->bandwidth_msec,
		.timeout_msec = round->timeout_msec,
	};
	snprintf(order->peer, sizeof(order->peer), "%s", far->name);
}

static void send_order(struct coordinator *coordinator, struct slot *slot)
{
	const struct mesh_pair *pair = &slot->result.pair;
	const uint64_t id = (uint64_t)coordinator->generation << 32 |
			    (uint64_t)(slot - coordinator->slots);
	struct mesh_message message;
	struct mesh_order order;

	for (size_t end = 0; end < MESH_ENDS; end++)
		if (!takes_part(coordinator, host_of_end(slot, end))) {
			give_up(coordinator, slot, "%.100s takes no part",
				host_of_end(slot, end) < coordinator->host_count
					? coordinator->hosts[host_of_end(slot, end)].name
					: "?");
			return;
		}
	if (pair->rail_a >= coordinator->hosts[pair->a].rail_count ||
	    pair->rail_b >= coordinator->hosts[pair->b].rail_count) {
		give_up(coordinator, slot, "a host has no such rail");
		return;
	}
	make_order(coordinator, slot, id, &order);
	mesh_order_make(&order, &message);
	connection_put(coordinator, connection_of(coordinator, pair->a), &message);
}

static void start(struct coordinator *coordinator, const struct coordinator_round *round)
{
	coordinator->round = round;
	coordinator->generation++;
	coordinator->slot_count = round->count;
	coordinator->slots = mem_resize(coordinator->slots, round->count + 1,
					sizeof(*coordinator->slots));
	memset(coordinator->slots, 0, (round->count + 1) * sizeof(*coordinator->slots));
	coordinator->open_slots = round->count;
	coordinator->doubted_slots = 0;
	for (size_t i = 0; i < round->count; i++)
		coordinator->slots[i].result = (struct mesh_result){
			.pair = round->pairs[i],
			.stage = round->stage,
			.round = round->number,
			.again = round->again,
		};
	for (size_t i = 0; i < round->count; i++)
		if (!coordinator->slots[i].done)
			send_order(coordinator, &coordinator->slots[i]);
	/* An agent's orders, one for each rail, go out together. */
	for (size_t i = 0; i < round->count; i++) {
		struct connection *connection = round->pairs[i].a < coordinator->host_count
							? connection_of(coordinator,
									round->pairs[i].a)
							: NULL;

		if (connection && connection->channel.out_length && !connection->wants_write)
			connection_flush(coordinator, connection);
	}
}

/* Failures in doubt are settled when the agents have answered, or are lost: in a silence's time. */
static void end_orders(struct coordinator *coordinator, const char *why)
{
	for (size_t i = 0; i < coordinator->slot_count; i++) {
		struct slot *slot = &coordinator->slots[i];

		if (slot->done || slot->doubted)
			continue;
		give_up(coordinator, slot, "%s", why);
		cancel(coordinator, slot);
	}
}

int coordinator_round(struct coordinator *coordinator, const struct coordinator_round *round)
{
	const uint64_t end = clock_msec() + round->timeout_msec + ORDER_GRACE_MSEC;
	const uint64_t last = end + 2 * (uint64_t)coordinator->setup.silence_msec;

	start(coordinator, round);
	while (coordinator->open_slots && !coordinator->interrupted) {
		const uint64_t now = clock_msec();

		if (now >= end)
			end_orders(coordinator, "its agent did not answer in time");
		if (now >= last)
			break;
		if (coordinator->open_slots)
			coordinator_turn(coordinator, now < end ? end : last);
	}
	end_orders(coordinator, "interrupted");
	for (size_t i = 0; i < coordinator->slot_count; i++)
		if (!coordinator->slots[i].done)
			give_up(coordinator, &coordinator->slots[i], "interrupted");
	coordinator->round = NULL;
	coordinator->slot_count = 0;
	return coordinator->interrupted ? -EINTR : 0;
}
