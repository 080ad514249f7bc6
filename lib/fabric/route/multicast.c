/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Follows a multicast group through the tables of all switches, and finds what is wrong. */
#include "fabric/route/multicast.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"

/* Where a hop leads: the switch, and that switch's hop back over the same cable, or FABRIC_NONE. */
struct step {
	uint32_t to, back;
};

/* Switches are numbered like the tables. */
struct builder {
	const struct fabric *fabric;
	const struct forwarding *forwarding;
	const struct multicast_members *members;
	struct multicast_tree *tree;
	bool has_two;	    /* members at two ports: opensm routes no smaller group */
	uint32_t *first;    /* by switch: its first hop; with an extra entry at the end */
	struct step *steps; /* by hop */
	uint32_t *gets;	    /* by switch: ports to which it delivers the packets */
	uint32_t *anchored; /* by switch: these ports, and members that only send */
	uint32_t *group;    /* by switch: a switch that it exchanges packets with, or itself */
	uint32_t *stack;
};

static bool is_switch_port(const struct fabric *fabric, uint32_t port)
{
	return port != FABRIC_NONE && fabric_is_of_switch(fabric, port);
}

static const struct fabric_node *node_of(const struct builder *builder, uint32_t number)
{
	return &builder->fabric->nodes[builder->forwarding->tables[number].node];
}

/* Whether the hop leads to a port that consumes packets: of an adapter, router or switch. */
static bool is_end(const struct fabric *fabric, const struct multicast_hop *hop)
{
	const uint32_t peer = fabric->ports[hop->port].peer;

	if (!hop->out_port)
		return true;
	return fabric->ports[hop->port].number && peer != FABRIC_NONE &&
	       !is_switch_port(fabric, peer);
}

/* Whether the hop is for a member that its switch does not send to. */
static bool is_missed(const struct multicast_hop *hop)
{
	return !hop->in_table && hop->join_state & MULTICAST_GETS;
}

/*
 * Finds the member at the port. Members are sorted by port; those of one port share a join state.
 */
static const struct multicast_member *find_member(const struct multicast_members *members,
						  uint32_t port)
{
	return MEM_FIND(&port, members->items, members->count, fabric_compare_ports);
}

static void add_hop(struct builder *builder, const struct forwarding_table *table,
		    unsigned int number, bool in_table)
{
	struct multicast_tree *tree = builder->tree;
	const struct fabric *fabric = builder->fabric;
	const bool exists = number <= fabric->nodes[table->node].port_count;
	const uint32_t port = fabric_port_at(fabric, table->node, exists ? number : 0);
	const struct fabric_port *at = &fabric->ports[port];
	struct multicast_hop *hop = mem_append(&tree->hops, &tree->count, sizeof(*hop));
	const struct multicast_member *member;

	*hop = (struct multicast_hop){
		.port = port,
		.out_port = (uint8_t)number,
		.in_table = in_table,
	};
	if (!exists || (number && at->has_info && !fabric_is_up(at)))
		hop->faults |= MULTICAST_NO_LINK;
	if (!exists || !is_end(fabric, hop))
		return;
	member = find_member(builder->members, number ? at->peer : port);
	if (member)
		hop->join_state = member->join_state;
	else if (tree->members_known)
		hop->faults |= MULTICAST_NOT_A_MEMBER;
	if (is_missed(hop) && builder->has_two)
		hop->faults |= MULTICAST_NOT_SENT;
}

/* Whether a member is at that port of the switch, or at the adapter port cabled to it. */
static bool has_member(const struct builder *builder, const struct forwarding_table *table,
		       unsigned int number)
{
	const struct fabric *fabric = builder->fabric;
	uint32_t port;

	if (!builder->members->count || number > fabric->nodes[table->node].port_count)
		return false;
	port = fabric_port_at(fabric, table->node, number);
	if (number)
		port = fabric->ports[port].peer;
	return port != FABRIC_NONE && (!number || !is_switch_port(fabric, port)) &&
	       find_member(builder->members, port);
}

/* Adds the ports of a switch that the packets leave by, and those of members not sent to. */
static void add_hops(struct builder *builder, uint32_t number)
{
	const struct forwarding_table *table = &builder->forwarding->tables[number];
	struct multicast_tree *tree = builder->tree;
	const unsigned int ports = node_of(builder, number)->port_count;

	builder->first[number] = (uint32_t)tree->count;
	for (unsigned int port = 0; port <= ports || port < table->words * MAD_MULTICAST_PORTS;
	     port++) {
		const enum tristate sent = port > FABRIC_PORT_MOST
						   ? TRISTATE_NO
						   : forwarding_has_port(builder->forwarding, table,
									 tree->mlid, port);

		tree->unknown |= sent == TRISTATE_UNKNOWN;
		if (sent == TRISTATE_YES ||
		    (sent == TRISTATE_NO && has_member(builder, table, port)))
			add_hop(builder, table, port, sent == TRISTATE_YES);
	}
	builder->first[number + 1] = (uint32_t)tree->count;
}

/* The hop of a switch through that port, or FABRIC_NONE. */
static uint32_t find_hop(const struct builder *builder, uint32_t number, uint32_t port)
{
	for (uint32_t i = builder->first[number]; i < builder->first[number + 1]; i++)
		if (builder->tree->hops[i].port == port && builder->tree->hops[i].out_port)
			return i;
	return FABRIC_NONE;
}

static void count_ends(struct builder *builder, uint32_t number)
{
	for (uint32_t i = builder->first[number]; i < builder->first[number + 1]; i++) {
		const struct multicast_hop *hop = &builder->tree->hops[i];

		if (!is_end(builder->fabric, hop))
			continue;
		builder->gets[number] += hop->in_table;
		builder->anchored[number]++;
	}
}

static void make_step(struct builder *builder, uint32_t number)
{
	struct multicast_hop *hop = &builder->tree->hops[number];
	const uint32_t peer = builder->fabric->ports[hop->port].peer;
	struct step *step = &builder->steps[number];

	*step = (struct step){FABRIC_NONE, FABRIC_NONE};
	if (!hop->in_table || !builder->fabric->ports[hop->port].number ||
	    hop->faults & MULTICAST_NO_LINK || !is_switch_port(builder->fabric, peer))
		return;
	step->to = builder->forwarding->of_node[builder->fabric->ports[peer].node];
	step->back = find_hop(builder, step->to, peer);
	if (step->back == FABRIC_NONE &&
	    forwarding_has_port(builder->forwarding, &builder->forwarding->tables[step->to],
				builder->tree->mlid,
				builder->fabric->ports[peer].number) == TRISTATE_NO)
		hop->faults |= MULTICAST_ONE_WAY;
}

/* The next hop (after `after`) that packets of the hop take; FABRIC_NONE if there are no more. */
static uint32_t next_hop(const struct builder *builder, uint32_t hop, uint32_t after)
{
	const struct step *step = &builder->steps[hop];
	uint32_t i = after == FABRIC_NONE ? builder->first[step->to] : after + 1;

	for (; i < builder->first[step->to + 1]; i++)
		if (i != step->back && builder->steps[i].to != FABRIC_NONE)
			return i;
	return FABRIC_NONE;
}

enum { HOP_NEW, HOP_OPEN, HOP_DONE };

/* Follows all packets from a hop on. Marks the first loop; returns whether there is one. */
static bool find_loop_from(struct builder *builder, uint32_t start, uint8_t *states,
			   uint32_t *stack, uint32_t *reached)
{
	uint32_t depth = 0;

	stack[depth] = start;
	reached[depth] = FABRIC_NONE;
	states[start] = HOP_OPEN;
	for (;;) {
		const uint32_t next = next_hop(builder, stack[depth], reached[depth]);

		if (next == FABRIC_NONE) {
			states[stack[depth]] = HOP_DONE;
			if (!depth--)
				return false;
			continue;
		}
		reached[depth] = next;
		if (states[next] == HOP_OPEN) {
			for (; stack[depth] != next; depth--)
				builder->tree->hops[stack[depth]].faults |= MULTICAST_LOOP;
			builder->tree->hops[next].faults |= MULTICAST_LOOP;
			return true;
		}
		if (states[next] == HOP_DONE)
			continue;
		states[next] = HOP_OPEN;
		stack[++depth] = next;
		reached[depth] = FABRIC_NONE;
	}
}

static void find_loop(struct builder *builder)
{
	const size_t count = builder->tree->count;
	_cleanup_(freep) uint8_t *states = mem_alloc_zero(count, sizeof(*states));
	_cleanup_(freep) uint32_t *stack = mem_alloc_zero(count, sizeof(*stack));
	_cleanup_(freep) uint32_t *reached = mem_alloc_zero(count, sizeof(*reached));

	for (uint32_t i = 0; i < count; i++)
		if (states[i] == HOP_NEW && builder->steps[i].to != FABRIC_NONE &&
		    find_loop_from(builder, i, states, stack, reached))
			return;
}

/* The switch of a hop. */
static uint32_t switch_of(const struct builder *builder, uint32_t hop)
{
	return builder->forwarding
		->of_node[builder->fabric->ports[builder->tree->hops[hop].port].node];
}

/* Groups the switches that send to each other. Returns a switch of the group with most members. */
static uint32_t find_largest_group(struct builder *builder, uint32_t *ret_members)
{
	const uint32_t count = (uint32_t)builder->forwarding->count;
	_cleanup_(freep) uint32_t *members = mem_alloc_zero(count, sizeof(*members));
	uint32_t largest = 0;

	for (uint32_t i = 0; i < count; i++)
		builder->group[i] = i;
	for (uint32_t i = 0; i < builder->tree->count; i++)
		if (builder->steps[i].back != FABRIC_NONE)
			builder->group[fabric_set_of(builder->group, switch_of(builder, i))] =
				fabric_set_of(builder->group, builder->steps[i].to);
	for (uint32_t i = 0; i < count; i++)
		members[fabric_set_of(builder->group, i)] += builder->gets[i];
	for (uint32_t i = 0; i < count; i++)
		if (members[i] > members[largest])
			largest = i;
	*ret_members = members[largest];
	return largest;
}

/* The switch that sends to another one over the cable in `port` of the latter, or FABRIC_NONE. */
static uint32_t sender(const struct builder *builder, uint32_t port)
{
	const uint32_t peer = builder->fabric->ports[port].peer;
	uint32_t number, hop;

	if (!is_switch_port(builder->fabric, peer))
		return FABRIC_NONE;
	number = builder->forwarding->of_node[builder->fabric->ports[peer].node];
	hop = find_hop(builder, number, peer);
	return hop == FABRIC_NONE || builder->steps[hop].to == FABRIC_NONE ? FABRIC_NONE : number;
}

static void visit(struct builder *builder, uint32_t number, bool *seen, uint32_t *depth)
{
	if (number == FABRIC_NONE || seen[number])
		return;
	seen[number] = true;
	builder->stack[(*depth)++] = number;
}

/* Marks the switches that packets from there reach or, backwards, whose packets get there. */
static void reach(struct builder *builder, uint32_t from, bool backwards, bool *seen)
{
	uint32_t depth = 0;

	visit(builder, from, seen, &depth);
	while (depth) {
		const uint32_t number = builder->stack[--depth];
		const struct fabric_node *node = node_of(builder, number);

		for (uint32_t i = builder->first[number];
		     !backwards && i < builder->first[number + 1]; i++)
			visit(builder, builder->steps[i].to, seen, &depth);
		for_each_port_of (port, node)
			if (backwards)
				visit(builder, sender(builder, port), seen, &depth);
	}
}

/* Marks members that do not reach those of the largest group, or are not reached by them. */
static void find_cut_off(struct builder *builder)
{
	const uint32_t count = (uint32_t)builder->forwarding->count;
	_cleanup_(freep) bool *sent = mem_alloc_zero(count, sizeof(*sent));
	_cleanup_(freep) bool *got = mem_alloc_zero(count, sizeof(*got));
	uint32_t most = 0;
	const uint32_t largest = find_largest_group(builder, &most);

	/* If no port gets packets, every member has the fault MULTICAST_NOT_SENT instead. */
	if (!most)
		return;
	reach(builder, largest, false, sent);
	reach(builder, largest, true, got);
	for (uint32_t i = 0; i < builder->tree->count; i++) {
		struct multicast_hop *hop = &builder->tree->hops[i];
		const uint32_t number = switch_of(builder, i);

		if (!is_end(builder->fabric, hop) || is_missed(hop))
			continue;
		if (!got[number] || (hop->in_table && !sent[number]))
			hop->faults |= MULTICAST_CUT_OFF;
	}
}

/* The switch at the other end of the cable if either end sends over it, else FABRIC_NONE. */
static uint32_t neighbour(const struct builder *builder, uint32_t number, uint32_t port)
{
	const uint32_t hop = find_hop(builder, number, port);

	return hop != FABRIC_NONE && builder->steps[hop].to != FABRIC_NONE ? builder->steps[hop].to
									   : sender(builder, port);
}

/* A switch without a member and with one cable of the tree is useless, then perhaps its peer. */
static void find_useless(struct builder *builder)
{
	const uint32_t count = (uint32_t)builder->forwarding->count;
	_cleanup_(freep) uint32_t *cables = mem_alloc_zero(count, sizeof(*cables));
	_cleanup_(freep) bool *useless = mem_alloc_zero(count, sizeof(*useless));
	uint32_t depth = 0;

	for (uint32_t i = 0; i < count; i++) {
		for_each_port_of (port, node_of(builder, i))
			cables[i] += neighbour(builder, i, port) != FABRIC_NONE;
		if (cables[i] == 1 && !builder->anchored[i])
			visit(builder, i, useless, &depth);
	}
	while (depth) {
		const uint32_t number = builder->stack[--depth];

		for_each_port_of (port, node_of(builder, number)) {
			const uint32_t next = neighbour(builder, number, port);

			if (next != FABRIC_NONE && cables[next] && --cables[next] <= 1 &&
			    !builder->anchored[next])
				visit(builder, next, useless, &depth);
		}
	}
	for (uint32_t i = 0; i < builder->tree->count; i++)
		if (builder->steps[i].to != FABRIC_NONE && useless[builder->steps[i].to])
			builder->tree->hops[i].faults |= MULTICAST_NO_MEMBER;
}

/* Gives all records of the same port their combined join state: they are one member. */
static void join_states(const struct multicast_members *members)
{
	for (size_t i = 1; i < members->count; i++)
		if (members->items[i].port == members->items[i - 1].port)
			members->items[i].join_state |= members->items[i - 1].join_state;
	for (size_t i = members->count; i > 1; i--)
		if (members->items[i - 1].port == members->items[i - 2].port)
			members->items[i - 2].join_state |= members->items[i - 1].join_state;
}

/*
 * Members are sorted by port, those without one last. The latter may be at any port, as functions
 * of an adapter with their own GUIDs are.
 */
static void note_members(struct builder *builder)
{
	const struct multicast_members *members = builder->members;
	struct multicast_tree *tree = builder->tree;
	size_t count = members->count;

	for (; count && members->items[count - 1].port == FABRIC_NONE; count--)
		tree->lost_member = true;
	builder->has_two = count && members->items[0].port != members->items[count - 1].port;
	tree->members_known = members->known && !tree->lost_member;
	tree->one_member = tree->members_known && count && !builder->has_two;
}

void multicast_tree_fill(const struct fabric *fabric, const struct forwarding *forwarding,
			 uint16_t mlid, const struct multicast_members *members,
			 struct multicast_tree *tree)
{
	const uint32_t count = (uint32_t)forwarding->count;
	/* Five arrays, so that a sanitizer sees an overrun of any of them. */
	_cleanup_(freep) uint32_t *first = mem_alloc_zero((size_t)count + 1, sizeof(*first));
	_cleanup_(freep) uint32_t *gets = mem_alloc_zero((size_t)count + 1, sizeof(*gets));
	_cleanup_(freep) uint32_t *anchored = mem_alloc_zero(count, sizeof(*anchored));
	_cleanup_(freep) uint32_t *group = mem_alloc_zero(count, sizeof(*group));
	_cleanup_(freep) uint32_t *stack = mem_alloc_zero(count, sizeof(*stack));
	struct builder builder = {
		.fabric = fabric,
		.forwarding = forwarding,
		.members = members,
		.tree = tree,
		.first = first,
		.gets = gets,
		.anchored = anchored,
		.group = group,
		.stack = stack,
	};

	tree->mlid = mlid;
	tree->unknown = !fabric_is_complete(fabric) || fabric->origin.most_hops.known;
	note_members(&builder);
	join_states(members);
	for (uint32_t i = 0; i < count; i++)
		add_hops(&builder, i);
	builder.steps = mem_alloc_zero(tree->count, sizeof(*builder.steps));
	for (uint32_t i = 0; i < count; i++)
		count_ends(&builder, i);
	for (uint32_t i = 0; i < tree->count; i++)
		make_step(&builder, i);
	find_loop(&builder);
	if (!tree->unknown && count) {
		find_cut_off(&builder);
		find_useless(&builder);
	}
	free(builder.steps);
}
