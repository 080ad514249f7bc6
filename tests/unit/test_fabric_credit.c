/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Credit loops of made-up rings of switches: which there are, and what breaks them. */
#include <errno.h>

#include "fabric/credit/credit.h"
#include "made_up_fabric.h"
#include "mad/format/mad.h"

/*
 * Each switch has its host at port 1, the next switch at port 2 and the one before at port 3; port
 * 4 is for a cable across. The host of switch i has LID i + 1. A host of its own is at each switch
 * unless the test says otherwise.
 */
enum { AT_HOST = 1, ON = 2, BACK = 3, ACROSS = 4, PORTS = 4, LIDS = 64 };

struct ring {
	struct fabric fabric;
	struct forwarding forwarding;
	uint32_t count;
	struct credit_loops loops;
	struct credit_lanes lanes;
	bool *ports; /* all */
};

static uint32_t port_at(const struct ring *ring, uint32_t node, unsigned int number)
{
	return fabric_port_at(&ring->fabric, node % ring->count, number);
}

static uint8_t *entry(struct ring *ring, uint32_t node, uint32_t owner)
{
	return &ring->forwarding.blocks[node].data[owner + 1];
}

static void add_host(struct ring *ring, uint32_t node)
{
	struct sample_link link = sample_up;
	const uint32_t host = sample_bare_node(&ring->fabric, NODE_TYPE_CA, 0x10000 + node * 16, 1);
	const uint32_t port = fabric_port_at(&ring->fabric, host, 1);

	link.lid = (uint16_t)(node + 1);
	sample_set_port(&ring->fabric, port, &link);
	fabric_link(&ring->fabric, port, port_at(ring, node, AT_HOST));
}

static void begin_bare(struct ring *ring, uint32_t count)
{
	struct forwarding *forwarding = &ring->forwarding;

	*ring = (struct ring){.count = count};
	for (uint32_t i = 0; i < count; i++)
		sample_bare_node(&ring->fabric, NODE_TYPE_SWITCH, 0x100000000 + i * 16, PORTS);
	for (uint32_t i = 0; i < count; i++) {
		for (unsigned int port = 1; port <= PORTS; port++)
			sample_set_port(&ring->fabric, port_at(ring, i, port), &sample_up);
		fabric_link(&ring->fabric, port_at(ring, i, ON), port_at(ring, i + 1, BACK));
	}
	forwarding->count = count;
	forwarding->tables = mem_alloc_zero(count, sizeof(*forwarding->tables));
	forwarding->blocks = mem_alloc_zero(count, sizeof(*forwarding->blocks));
	for (uint32_t i = 0; i < count; i++) {
		forwarding->tables[i] = (struct forwarding_table){
			.node = i,
			.known = true,
			.lids = LIDS,
			.linear = i,
		};
		forwarding->blocks[i].known = true;
		memset(forwarding->blocks[i].data, FORWARDING_NOWHERE, LIDS);
	}
}

/* After the last host. */
static void know_tables(struct ring *ring)
{
	struct forwarding *forwarding = &ring->forwarding;

	forwarding->of_node = mem_alloc_zero(ring->fabric.node_count, sizeof(uint32_t));
	for (uint32_t i = 0; i < ring->fabric.node_count; i++)
		forwarding->of_node[i] = i < ring->count ? i : FABRIC_NONE;
	ring->ports = mem_alloc_zero(ring->fabric.port_count, sizeof(bool));
	memset(ring->ports, true, ring->fabric.port_count);
}

/* Packets take the shorter way around; `on_most` is the longest way on. */
static void route(struct ring *ring, uint32_t on_most)
{
	for (uint32_t i = 0; i < ring->count; i++)
		for (uint32_t owner = 0; owner < ring->count && owner + 1 < LIDS; owner++) {
			const uint32_t way = (owner + ring->count - i) % ring->count;

			*entry(ring, i, owner) = !way ? AT_HOST : way <= on_most ? ON : BACK;
		}
}

static void begin(struct ring *ring, uint32_t count, uint32_t on_most)
{
	begin_bare(ring, count);
	for (uint32_t i = 0; i < count; i++)
		add_host(ring, i);
	know_tables(ring);
	route(ring, on_most);
}

static void end(struct ring *ring)
{
	credit_loops_clear(&ring->loops);
	credit_lanes_clear(&ring->lanes);
	forwarding_clear(&ring->forwarding);
	fabric_clear(&ring->fabric);
	free(ring->ports);
}

static void find(struct ring *ring, struct credit_traffic traffic)
{
	credit_loops_clear(&ring->loops);
	credit_loops_find(&ring->fabric, &ring->forwarding, &traffic, &ring->loops);
}

static void find_any(struct ring *ring)
{
	find(ring, (struct credit_traffic){.lanes = NULL});
}

/* The SLs of the mask, with the tables in the details. */
static void find_of(struct ring *ring, uint16_t sls)
{
	credit_lanes_clear(&ring->lanes);
	credit_lanes_make(&ring->fabric, ring->ports, false, &ring->lanes);
	find(ring, (struct credit_traffic){.lanes = &ring->lanes, .sls = sls});
}

/* Sets the VL of packets with any of the SLs from one port of a switch to another. */
static void set_lanes(struct ring *ring, uint32_t node, unsigned int in, unsigned int out,
		      const uint8_t lanes[16])
{
	struct fabric_detail *detail = mem_append(&ring->fabric.details, &ring->fabric.detail_count,
						  sizeof(*detail));

	detail->port = port_at(ring, node, out);
	detail->attribute = UMAD_SM_ATTR_SLVL_TABLE;
	detail->modifier = in << 8 | out;
	for (size_t sl = 0; sl < 16; sl++)
		bits_set(detail->data, sl * 4, 4, lanes[sl]);
}

/* Every packet gets this VL, by whether it comes from the host or from a switch. */
static void set_all_lanes(struct ring *ring, uint8_t of_host, uint8_t of_switch)
{
	uint8_t lanes[16];

	ring->fabric.detail_count = 0;
	for (uint32_t i = 0; i < ring->count; i++)
		for (unsigned int in = 1; in <= PORTS; in++)
			for (unsigned int out = ON; out <= BACK; out++) {
				memset(lanes, in == AT_HOST ? of_host : of_switch, sizeof(lanes));
				set_lanes(ring, i, in, out, lanes);
			}
}

/* Each SL has a VL of its own. */
static void set_layers(struct ring *ring)
{
	static const uint8_t layers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 7};

	ring->fabric.detail_count = 0;
	for (uint32_t i = 0; i < ring->count; i++)
		for (unsigned int in = 1; in <= PORTS; in++)
			for (unsigned int out = ON; out <= BACK; out++)
				set_lanes(ring, i, in, out, layers);
}

/*
 * Follows the route of a packet, and returns whether it goes from one port to the next one.
 */
static bool is_true(const struct ring *ring, const struct credit_wait *wait)
{
	uint32_t at = ring->fabric.ports[wait->source].peer, out = FABRIC_NONE, before;

	for (uint32_t hops = 0; hops < ring->count; hops++) {
		const uint32_t node = ring->fabric.ports[at].node;

		before = out;
		out = forwarding_out(&ring->fabric, &ring->forwarding, node, wait->lid);
		if (before == wait->held && out == wait->wanted)
			return true;
		if (out == FABRIC_NONE || ring->fabric.ports[out].number == AT_HOST)
			return false;
		at = ring->fabric.ports[out].peer;
	}
	return false;
}

static void assert_loop(const struct ring *ring, size_t number, uint32_t first, size_t count)
{
	const struct credit_loop *loop = &ring->loops.items[number];

	assert_true(number < ring->loops.count);
	assert_int_equal(loop->count, count);
	assert_int_equal(loop->waits[0].held, first);
	for (size_t i = 0; i < count; i++) {
		const struct credit_wait *after = &loop->waits[(i + 1) % count];

		assert_int_equal(loop->waits[i].wanted, after->held);
		assert_int_equal(loop->waits[i].wanted_lane, after->held_lane);
		assert_true(is_true(ring, &loop->waits[i]));
		assert_true(ring->loops.ports[loop->waits[i].held]);
	}
}

/* Both ways around a ring of five are loops; each is told once, with a packet for each cable. */
static void both_ways(void **state)
{
	struct ring ring;

	(void)state;
	begin(&ring, 5, 2);
	find_any(&ring);
	assert_int_equal(ring.loops.count, 2);
	assert_loop(&ring, 0, port_at(&ring, 0, ON), 5);
	assert_loop(&ring, 1, port_at(&ring, 0, BACK), 5);
	assert_int_equal(ring.loops.items[0].ports, 5);
	assert_int_equal(ring.loops.items[1].ports, 5);
	assert_int_equal(ring.loops.unknown_node, FABRIC_NONE);
	/* The way on of only one hop depends on nothing. */
	route(&ring, 1);
	find_any(&ring);
	assert_int_equal(ring.loops.count, 1);
	assert_loop(&ring, 0, port_at(&ring, 0, BACK), 5);
	assert_false(ring.loops.ports[port_at(&ring, 0, ON)]);
	end(&ring);
}

/* No packet takes the cable from the last switch to the first: the ring is a line. */
static void a_line(void **state)
{
	struct ring ring;

	(void)state;
	begin(&ring, 5, 2);
	for (uint32_t i = 0; i < ring.count; i++)
		for (uint32_t owner = 0; owner < ring.count; owner++)
			*entry(&ring, i, owner) = i == owner ? AT_HOST : i < owner ? ON : BACK;
	find_any(&ring);
	assert_int_equal(ring.loops.count, 0);
	end(&ring);
}

/* The tables have a loop, but the packets that would close it have no sender. */
static void without_a_sender(void **state)
{
	struct ring ring;

	(void)state;
	begin_bare(&ring, 4);
	add_host(&ring, 0);
	add_host(&ring, 1);
	know_tables(&ring);
	route(&ring, 3);
	find_any(&ring);
	assert_int_equal(ring.loops.count, 0);
	end(&ring);
	begin_bare(&ring, 4);
	for (uint32_t i = 0; i < 3; i++)
		add_host(&ring, i);
	know_tables(&ring);
	route(&ring, 3);
	find_any(&ring);
	assert_int_equal(ring.loops.count, 1);
	assert_loop(&ring, 0, port_at(&ring, 0, ON), 4);
	/* A sender whose cable is down sends nothing: from switch 2, packets crossed 3 and 0. */
	sample_set_port(&ring.fabric, port_at(&ring, 2, AT_HOST), &sample_down);
	find_any(&ring);
	assert_int_equal(ring.loops.count, 0);
	end(&ring);
}

/* A cable that is down carries nothing, whatever the tables say. */
static void a_cable_down(void **state)
{
	struct ring ring;

	(void)state;
	begin(&ring, 5, 2);
	sample_set_port(&ring.fabric, port_at(&ring, 3, ON), &sample_down);
	find_any(&ring);
	assert_int_equal(ring.loops.count, 1);
	assert_loop(&ring, 0, port_at(&ring, 0, BACK), 5);
	end(&ring);
}

/* Packets that go in a circle for ever are another finding. */
static void circles(void **state)
{
	struct ring ring;

	(void)state;
	begin(&ring, 5, 2);
	for (uint32_t i = 0; i < ring.count; i++)
		for (uint32_t owner = 0; owner < ring.count; owner++)
			*entry(&ring, i, owner) = ON;
	find_any(&ring);
	assert_int_equal(ring.loops.count, 0);
	/* Two switches send to each other; the other LIDs still form the loop back. */
	route(&ring, 1);
	*entry(&ring, 0, 2) = ON;
	*entry(&ring, 1, 2) = BACK;
	find_any(&ring);
	assert_int_equal(ring.loops.count, 1);
	end(&ring);
}

/* VL 0 from a host, VL 1 from a switch: no packet of two cables waits for VL 0. */
static void broken_by_lanes(void **state)
{
	struct ring ring;

	(void)state;
	begin(&ring, 5, 2);
	set_all_lanes(&ring, 0, 1);
	find_of(&ring, 1);
	assert_int_equal(ring.loops.count, 0);
	assert_int_equal(ring.loops.laneless_node, FABRIC_NONE);
	set_all_lanes(&ring, 3, 3);
	find_of(&ring, 1);
	assert_int_equal(ring.loops.count, 2);
	assert_loop(&ring, 0, port_at(&ring, 0, ON), 5);
	assert_int_equal(ring.loops.items[0].waits[4].wanted_lane, 3);
	/* Ways of three cables are a loop of VL 1 alone. */
	route(&ring, 3);
	set_all_lanes(&ring, 0, 1);
	find_of(&ring, 1);
	assert_int_equal(ring.loops.count, 1);
	assert_int_equal(ring.loops.items[0].waits[0].held_lane, 1);
	/* Only the given ports matter. */
	credit_lanes_clear(&ring.lanes);
	ring.ports[port_at(&ring, 2, ON)] = false;
	credit_lanes_make(&ring.fabric, ring.ports, false, &ring.lanes);
	find(&ring, (struct credit_traffic){.lanes = &ring.lanes, .ports = ring.ports, .sls = 1});
	assert_int_equal(ring.loops.count, 0);
	end(&ring);
}

/* An SL on VL 15 is not sent; the same cables on several VLs are one loop. */
static void levels(void **state)
{
	struct ring ring;

	(void)state;
	begin(&ring, 5, 2);
	set_all_lanes(&ring, 15, 15);
	find_of(&ring, UINT16_MAX);
	assert_int_equal(ring.loops.count, 0);
	set_layers(&ring);
	find_of(&ring, 1 << 4);
	assert_int_equal(ring.loops.count, 2);
	assert_int_equal(ring.loops.items[1].waits[2].sl, 4);
	assert_int_equal(ring.loops.items[1].waits[2].held_lane, 4);
	assert_int_equal(ring.loops.items[1].again, 0);
	find_of(&ring, UINT16_MAX);
	assert_int_equal(ring.loops.count, 2);
	assert_int_equal(ring.loops.items[0].again, 14);
	end(&ring);
}

/* Without PortInfo of a port, tables of its switch are unknown. */
static void assert_needs_info(struct ring *ring, uint32_t node, unsigned int port)
{
	struct fabric_port *at = &ring->fabric.ports[port_at(ring, node, port)], before = *at;

	find_of(ring, 1);
	assert_int_equal(ring->loops.laneless_node, FABRIC_NONE);
	at->has_info = false;
	memset(at->info, 0, sizeof(at->info));
	find_of(ring, 1);
	assert_int_equal(ring->loops.laneless_node, node);
	*at = before;
}

/* A block of zeros is not saved, but a graph without any tables has none. */
static void missing_lanes(void **state)
{
	const uint8_t ones[16] = {1};
	struct ring ring;

	(void)state;
	begin(&ring, 5, 2);
	find_of(&ring, 1);
	assert_int_equal(ring.loops.count, 0);
	assert_true(ring.loops.laneless_node < 5);
	credit_lanes_clear(&ring.lanes);
	credit_lanes_make(&ring.fabric, ring.ports, true, &ring.lanes);
	find(&ring, (struct credit_traffic){.lanes = &ring.lanes, .sls = 1});
	assert_int_equal(ring.loops.count, 2);
	/* One table with other VLs, of a port that the packets back do not take. */
	set_lanes(&ring, 2, BACK, ON, ones);
	find_of(&ring, 1);
	assert_int_equal(ring.loops.count, 1);
	assert_loop(&ring, 0, port_at(&ring, 0, BACK), 5);
	assert_int_equal(ring.loops.laneless_node, FABRIC_NONE);
	/* A switch that did not answer was not asked for the rest. */
	ring.fabric.failures = mem_alloc_zero(1, sizeof(*ring.fabric.failures));
	ring.fabric.failure_count = 1;
	ring.fabric.failures[0] = (struct fabric_failure){
		.port = port_at(&ring, 3, BACK),
		.attribute = UMAD_SM_ATTR_SLVL_TABLE,
		.error = -ETIMEDOUT,
	};
	find_of(&ring, 1);
	assert_int_equal(ring.loops.count, 0);
	assert_int_equal(ring.loops.laneless_node, 3);
	/* Nor was one asked for packets from a port without PortInfo, or to one. */
	ring.fabric.failure_count = 0;
	route(&ring, 5);
	assert_needs_info(&ring, 2, AT_HOST);
	assert_needs_info(&ring, 3, BACK);
	assert_needs_info(&ring, 4, ON);
	route(&ring, 2);
	/* Malformed blocks of a file are ignored. */
	ring.fabric.details[0].modifier = 0x7f02;
	find_of(&ring, 1);
	assert_int_equal(ring.loops.count, 2);
	end(&ring);
}

static void missing_tables(void **state)
{
	struct ring ring;

	(void)state;
	begin(&ring, 5, 2);
	ring.forwarding.tables[3].known = false;
	find_any(&ring);
	assert_int_equal(ring.loops.count, 0);
	assert_int_equal(ring.loops.unknown_node, 3);
	ring.forwarding.tables[3].known = true;
	/* The far end of a cable is not in the scan. */
	fabric_unlink(&ring.fabric, port_at(&ring, 1, ON));
	find_any(&ring);
	assert_int_not_equal(ring.loops.unknown_node, FABRIC_NONE);
	end(&ring);
}

/* Pairs of neighbours' neighbours on the way on; those across the last cable have SL 1. */
static struct credit_pair two_on(const struct ring *ring, uint32_t from, uint8_t sl)
{
	return (struct credit_pair){
		.source = ring->fabric.ports[port_at(ring, from, AT_HOST)].peer,
		.lid = (uint16_t)((from + 2) % ring->count + 1),
		.sl = sl,
	};
}

static void path_records(void **state)
{
	struct ring ring;
	struct credit_pairs pairs = {.items = NULL};

	(void)state;
	begin(&ring, 5, 2);
	set_layers(&ring);
	credit_lanes_make(&ring.fabric, ring.ports, false, &ring.lanes);
	/* In the order of the LIDs. */
	MEM_ADD(pairs.items, pairs.count) = two_on(&ring, 3, 0);
	MEM_ADD(pairs.items, pairs.count) = two_on(&ring, 4, 0);
	for (uint32_t i = 0; i < 3; i++)
		MEM_ADD(pairs.items, pairs.count) = two_on(&ring, i, 0);
	find(&ring, (struct credit_traffic){.lanes = &ring.lanes, .pairs = &pairs});
	assert_int_equal(ring.loops.count, 1);
	assert_loop(&ring, 0, port_at(&ring, 0, ON), 5);
	pairs.items[1].sl = 1;
	find(&ring, (struct credit_traffic){.lanes = &ring.lanes, .pairs = &pairs});
	assert_int_equal(ring.loops.count, 0);
	/* The SL of the missing packets is on the VL of the others: a loop of both. */
	for (uint32_t i = 0; i < ring.count; i++)
		set_lanes(&ring, i, BACK, ON, (const uint8_t[16]){0});
	set_lanes(&ring, 4, AT_HOST, ON, (const uint8_t[16]){0});
	credit_lanes_clear(&ring.lanes);
	credit_lanes_make(&ring.fabric, ring.ports, false, &ring.lanes);
	find(&ring, (struct credit_traffic){.lanes = &ring.lanes, .pairs = &pairs});
	assert_int_equal(ring.loops.count, 1);
	assert_int_equal(ring.loops.items[0].waits[4].sl, 1);
	credit_pairs_clear(&pairs);
	end(&ring);
}

/* Pairs two cables apart: one dependency each. */
static void listed_pairs(void **state)
{
	struct ring ring;
	struct credit_pairs pairs = {.items = NULL};

	(void)state;
	begin(&ring, 5, 2);
	find_any(&ring);
	credit_pairs_list(&ring.fabric, &ring.forwarding, &ring.loops, 100, &pairs);
	assert_int_equal(pairs.wanted, 10);
	assert_int_equal(pairs.count, 10);
	for (size_t i = 0; i < pairs.count; i++) {
		const uint32_t from = fabric_port_lid(&ring.fabric.ports[pairs.items[i].source]);
		const uint32_t way = (pairs.items[i].lid + ring.count - from) % ring.count;

		assert_true(way == 2 || way == 3);
	}
	credit_pairs_clear(&pairs);
	end(&ring);
}

static size_t count_pairs(const struct credit_pairs *pairs, uint32_t source, uint16_t lid)
{
	size_t count = 0;

	for (size_t i = 0; i < pairs->count; i++)
		count += (!source || pairs->items[i].source == source) &&
			 pairs->items[i].lid == lid;
	return count;
}

/* The limit is used up, and no LID is left out; those of the loops come on top. */
static void too_many_pairs(void **state)
{
	struct credit_pairs pairs = {.items = NULL};
	struct credit_loops none;
	struct ring ring;

	(void)state;
	begin(&ring, 7, 3);
	find_any(&ring);
	none = ring.loops;
	none.count = 0;
	for (size_t most = 7; most < 28; most++) {
		credit_pairs_list(&ring.fabric, &ring.forwarding, &none, most, &pairs);
		assert_int_equal(pairs.wanted, 28);
		assert_int_equal(pairs.count, most);
		for (uint16_t lid = 1; lid <= 7; lid++)
			assert_in_range(count_pairs(&pairs, 0, lid), most / 7, most / 7 + 1);
		credit_pairs_clear(&pairs);
		credit_pairs_list(&ring.fabric, &ring.forwarding, &ring.loops, most, &pairs);
		assert_int_equal(pairs.wanted, 28);
		assert_in_range(pairs.count, most, 28);
		for (size_t i = 0; i < pairs.count; i++)
			assert_int_equal(
				count_pairs(&pairs, pairs.items[i].source, pairs.items[i].lid), 1);
		for (size_t i = 0; i < 14; i++) {
			const struct credit_wait *wait = &ring.loops.items[i / 7].waits[i % 7];

			assert_int_equal(count_pairs(&pairs, wait->source, wait->lid), 1);
		}
		credit_pairs_clear(&pairs);
	}
	end(&ring);
}

/* A path through ten thousand channels; the search for a shorter loop ends soon, too. */
static void a_long_ring(void **state)
{
	enum { LONG = 10000 };
	static const uint32_t places[] = {0, 1, 30, 31};
	struct ring ring;

	(void)state;
	begin_bare(&ring, LONG);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		add_host(&ring, places[i]);
	know_tables(&ring);
	route(&ring, LONG);
	find_any(&ring);
	assert_int_equal(ring.loops.count, 1);
	assert_int_equal(ring.loops.items[0].count, LONG);
	assert_int_equal(ring.loops.items[0].ports, LONG);
	end(&ring);
}

/* OperationalVLs: 1 is one VL, 3 is four. */
static void set_vls(struct ring *ring, uint32_t node, unsigned int port, unsigned int code)
{
	bits_set(ring->fabric.ports[port_at(ring, node, port)].info, 43 * 8, 4, code);
}

/* Loops of cables with one VL do not depend on SLs. */
static void study(void **state)
{
	struct ring ring;
	struct credit_study study = {.sls = 1};

	(void)state;
	begin(&ring, 5, 2);
	credit_study_begin(&ring.fabric, &ring.forwarding, &study);
	assert_int_equal(study.any.count, 2);
	assert_int_equal(study.sure.count, 0);
	study.question = CREDIT_OF_SLS;
	study.lanes_read = true;
	credit_study_end(&ring.fabric, &ring.forwarding, &study);
	assert_int_equal(study.loops.count, 2);
	credit_study_clear(&study);
	/* One data VL on the cables on, four on those back. */
	for (uint32_t i = 0; i < ring.count; i++) {
		set_vls(&ring, i, ON, 1);
		set_vls(&ring, i, BACK, 3);
	}
	credit_study_begin(&ring.fabric, &ring.forwarding, &study);
	assert_int_equal(study.sure.count, 1);
	assert_int_equal(study.sure.items[0].waits[0].held, port_at(&ring, 0, ON));
	/* The other lists have the rest. */
	assert_int_equal(study.any.count, 1);
	assert_int_equal(study.any.items[0].waits[0].held, port_at(&ring, 0, BACK));
	assert_false(study.any.ports[port_at(&ring, 0, ON)]);
	study.sls = 1;
	study.question = CREDIT_OF_SLS;
	study.lanes_read = true;
	credit_study_end(&ring.fabric, &ring.forwarding, &study);
	assert_int_equal(study.loops.count, 1);
	credit_study_clear(&study);
	end(&ring);
}

/* Loops of one VL and of several that share the cables from switch 0 to 2: none hides the other. */
static void linked(void **state)
{
	struct ring ring;
	struct credit_study study = {.question = CREDIT_OF_SLS, .sls = 1, .lanes_read = true};

	(void)state;
	begin(&ring, 5, 5);
	fabric_link(&ring.fabric, port_at(&ring, 0, ACROSS), port_at(&ring, 2, ACROSS));
	*entry(&ring, 2, 0) = *entry(&ring, 2, 1) = ACROSS;
	set_vls(&ring, 0, ON, 1);
	set_vls(&ring, 1, ON, 1);
	set_vls(&ring, 2, ACROSS, 1);
	credit_study_begin(&ring.fabric, &ring.forwarding, &study);
	credit_study_end(&ring.fabric, &ring.forwarding, &study);
	assert_int_equal(study.sure.count, 1);
	assert_int_equal(study.sure.items[0].count, 3);
	assert_int_equal(study.any.count, 1);
	assert_int_equal(study.any.items[0].count, 5);
	assert_int_equal(study.any.items[0].ports, 6);
	assert_true(study.any.ports[port_at(&ring, 0, ON)]);
	assert_int_equal(study.loops.count, 1);
	assert_int_equal(study.loops.items[0].count, 5);
	credit_study_clear(&study);
	/* With one VL on all cables, the shorter one stands for both. */
	for (uint32_t i = 2; i < ring.count; i++)
		set_vls(&ring, i, ON, 1);
	credit_study_begin(&ring.fabric, &ring.forwarding, &study);
	assert_int_equal(study.sure.count, 1);
	assert_int_equal(study.sure.items[0].ports, 6);
	assert_int_equal(study.any.count, 0);
	credit_study_clear(&study);
	end(&ring);
}

/* Cables that are a loop on two VLs, on only one of which a longer loop is linked with it. */
static void linked_on_one_lane(void **state)
{
	static const uint8_t cut[16] = {15, 1}, both[16] = {0, 1};
	struct ring ring;

	(void)state;
	begin(&ring, 5, 5);
	fabric_link(&ring.fabric, port_at(&ring, 0, ACROSS), port_at(&ring, 2, ACROSS));
	*entry(&ring, 2, 0) = *entry(&ring, 2, 1) = ACROSS;
	for (uint32_t i = 0; i < ring.count; i++)
		for (unsigned int in = 1; in <= PORTS; in++)
			for (unsigned int out = ON; out <= PORTS; out++)
				set_lanes(&ring, i, in, out, i == 3 ? cut : both);
	find_of(&ring, 3);
	assert_int_equal(ring.loops.count, 1);
	assert_int_equal(ring.loops.items[0].count, 3);
	assert_int_equal(ring.loops.items[0].again, 1);
	assert_int_equal(ring.loops.items[0].ports, 6);
	end(&ring);
}

/* A VL that the ports do not have is no channel: that of the packets is unknown. */
static void without_the_lane(void **state)
{
	struct ring ring;

	(void)state;
	begin(&ring, 5, 2);
	set_all_lanes(&ring, 3, 3);
	for (uint32_t i = 0; i < ring.count; i++) {
		set_vls(&ring, i, ON, 3);
		set_vls(&ring, i, BACK, 2);
	}
	find_of(&ring, 1);
	assert_int_equal(ring.loops.count, 1);
	assert_loop(&ring, 0, port_at(&ring, 0, ON), 5);
	assert_true(ring.loops.missing_lane_node < ring.count);
	assert_int_equal(ring.loops.laneless_node, FABRIC_NONE);
	/* VL 15 still says that the packets are dropped. */
	set_all_lanes(&ring, 15, 15);
	find_of(&ring, 1);
	assert_int_equal(ring.loops.count, 0);
	assert_int_equal(ring.loops.missing_lane_node, FABRIC_NONE);
	end(&ring);
}

static bool is_third(void *asked)
{
	return ++*(unsigned int *)asked > 2;
}

/* A search that is stopped at the third LID says so, and follows no further packets. */
static void stopped(void **state)
{
	struct ring ring;
	unsigned int asked = 0;
	const struct credit_stop stop = {.is_wanted = is_third, .context = &asked};
	struct credit_study study = {.stop = &stop};

	(void)state;
	begin(&ring, 5, 2);
	credit_study_begin(&ring.fabric, &ring.forwarding, &study);
	assert_true(credit_study_stopped(&study));
	assert_int_equal(asked, 3);
	assert_int_equal(study.any.count, 0);
	credit_study_clear(&study);
	study.stop = NULL;
	credit_study_begin(&ring.fabric, &ring.forwarding, &study);
	assert_false(credit_study_stopped(&study));
	credit_study_clear(&study);
	end(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways),
		cmocka_unit_test(a_line),
		cmocka_unit_test(without_a_sender),
		cmocka_unit_test(a_cable_down),
		cmocka_unit_test(circles),
		cmocka_unit_test(broken_by_lanes),
		cmocka_unit_test(levels),
		cmocka_unit_test(missing_lanes),
		cmocka_unit_test(missing_tables),
		cmocka_unit_test(path_records),
		cmocka_unit_test(listed_pairs),
		cmocka_unit_test(too_many_pairs),
		cmocka_unit_test(a_long_ring),
		cmocka_unit_test(study),
		cmocka_unit_test(linked),
		cmocka_unit_test(without_the_lane),
		cmocka_unit_test(linked_on_one_lane),
		cmocka_unit_test(stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
