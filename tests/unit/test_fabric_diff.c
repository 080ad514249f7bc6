/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The differences between two scans: every kind of change, and false ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <errno.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/diff/diff.h"
#include "made_up_fabric.h"

enum { LEAF, LEAF_2, HOST, HOST_2, HOST_3, NODES };

/* Two switches with a cable between them, two hosts at the first, one at the second. */
struct pair {
	struct fabric before, after;
	struct fabric_changes changes;
};

static void add_nodes(struct fabric *fabric)
{
	sample_node(fabric, NODE_TYPE_SWITCH, 0x1000, 8, "leaf 1");
	sample_node(fabric, NODE_TYPE_SWITCH, 0x1100, 8, "leaf 2");
	sample_node(fabric, NODE_TYPE_CA, 0x2000, 2, "host 1");
	sample_node(fabric, NODE_TYPE_CA, 0x2100, 2, "host 2");
	sample_node(fabric, NODE_TYPE_CA, 0x2200, 2, "host 10");
}

static void fill(struct fabric *fabric)
{
	add_nodes(fabric);
	sample_cable(fabric, LEAF, 8, LEAF_2, 8);
	sample_cable(fabric, LEAF, 1, HOST, 1);
	sample_cable(fabric, LEAF, 2, HOST_2, 1);
	sample_cable(fabric, LEAF_2, 1, HOST_3, 1);
}

static void begin(struct pair *pair)
{
	*pair = (struct pair){.changes.items = NULL};
	fill(&pair->before);
}

/* A line for each change: `word node/port before > after`. */
static char *compare_chosen(struct pair *pair, const struct fabric *before,
			    const struct fabric *after, unsigned int compared)
{
	const struct fabric_view views[] = {{.fabric = before}, {.fabric = after}};
	const struct field *word = schema_find(&fabric_changes_schema, "change");
	char *text = mem_string("");

	fabric_compare(&views[0], &views[1], compared, &pair->changes);
	fabric_changes_choose(&pair->changes, compared, NULL);
	for (size_t i = 0; i < pair->changes.count; i++) {
		const struct fabric_change *change = &pair->changes.items[i];
		struct value value;
		char port[8] = "", *longer;

		field_get(word, change, &value);
		if (change->port.known)
			snprintf(port, sizeof(port), "/%u", (unsigned int)change->port.value);
		longer = mem_format("%s%s %s%s %s > %s\n", text, value.string, change->node, port,
				    change->texts[BEFORE] ? change->texts[BEFORE] : "-",
				    change->texts[AFTER] ? change->texts[AFTER] : "-");
		free(text);
		text = longer;
	}
	return text;
}

static char *compare_sides(struct pair *pair, const struct fabric *before,
			   const struct fabric *after)
{
	return compare_chosen(pair, before, after, COMPARE_ALL);
}

static void check(struct pair *pair, const char *expected, bool incomplete)
{
	_cleanup_(freep) char *text = compare_sides(pair, &pair->before, &pair->after);

	assert_string_equal(text, expected);
	assert_int_equal(pair->changes.incomplete, incomplete);
	fabric_changes_clear(&pair->changes);
}

static void end(struct pair *pair)
{
	fabric_changes_clear(&pair->changes);
	fabric_clear(&pair->before);
	fabric_clear(&pair->after);
}

/* Removes a cable. */
static void unplug(struct fabric *fabric, uint32_t node, unsigned int port)
{
	uint32_t place = fabric_port_at(fabric, node, port), peer = fabric->ports[place].peer;

	fabric_unlink(fabric, place);
	sample_set_port(fabric, place, &sample_down);
	sample_set_port(fabric, peer, &sample_down);
}

static void add_failure(struct fabric *fabric, uint32_t port, uint16_t attribute, bool at_peer)
{
	struct fabric_failure *failure = mem_append(&fabric->failures, &fabric->failure_count,
						    sizeof(*failure));

	*failure = (struct fabric_failure){.port = port,
					   .attribute = attribute,
					   .at_peer = at_peer,
					   .error = -ETIMEDOUT,
					   .tries = 4};
}

/* Makes the port one that is up, and whose link partner does not answer. */
static void silence_beyond(struct fabric *fabric, uint32_t node, unsigned int port)
{
	uint32_t place = fabric_port_at(fabric, node, port);

	if (fabric->ports[place].peer != FABRIC_NONE)
		fabric_unlink(fabric, place);
	sample_set_port(fabric, place, &sample_up);
	fabric->ports[place].unanswered = true;
	add_failure(fabric, place, 0x11, true);
}

static void the_same(void **state)
{
	struct pair pair;

	(void)state;
	begin(&pair);
	fill(&pair.after);
	check(&pair, "", false);
	assert_false(pair.changes.changed);
	end(&pair);
}

/* Nodes in a different order and with different paths are the same subnet. */
static void the_same_from_elsewhere(void **state)
{
	struct fabric *after;
	struct pair pair;

	(void)state;
	begin(&pair);
	after = &pair.after;
	sample_node(after, NODE_TYPE_CA, 0x2200, 2, "host 10");
	sample_node(after, NODE_TYPE_SWITCH, 0x1100, 8, "leaf 2");
	sample_node(after, NODE_TYPE_SWITCH, 0x1000, 8, "leaf 1");
	sample_node(after, NODE_TYPE_CA, 0x2100, 2, "host 2");
	sample_node(after, NODE_TYPE_CA, 0x2000, 2, "host 1");
	sample_cable(after, 0, 1, 1, 1);
	sample_cable(after, 1, 8, 2, 8);
	sample_cable(after, 2, 2, 3, 1);
	sample_cable(after, 2, 1, 4, 1);
	check(&pair, "", false);
	end(&pair);
}

static void nodes_gone_and_new(void **state)
{
	_cleanup_(freep) char *text = NULL;
	struct pair pair;

	(void)state;
	begin(&pair);
	sample_node(&pair.after, NODE_TYPE_SWITCH, 0x1000, 8, "leaf 1");
	sample_node(&pair.after, NODE_TYPE_CA, 0x2000, 2, "host 1");
	sample_cable(&pair.after, 0, 1, 1, 1);
	check(&pair,
	      "node-gone host 2 leaf 1/2 > -\n"
	      "node-gone host 10 leaf 2/1 > -\n"
	      "node-gone leaf 2 leaf 1/8 > -\n",
	      false);
	text = compare_sides(&pair, &pair.after, &pair.before);
	assert_string_equal(text, "node-new host 2 - > leaf 1/2\n"
				  "node-new host 10 - > leaf 2/1\n"
				  "node-new leaf 2 - > leaf 1/8\n");
	assert_true(pair.changes.changed);
	end(&pair);
}

/* Cables of such nodes are listed if no row says that the node is gone or new. */
static void cables_of_nodes_gone_and_new(void **state)
{
	_cleanup_(freep) char *cables = NULL, *both = NULL, *back = NULL;
	struct pair pair;

	(void)state;
	begin(&pair);
	sample_node(&pair.after, NODE_TYPE_SWITCH, 0x1000, 8, "leaf 1");
	sample_node(&pair.after, NODE_TYPE_CA, 0x2000, 2, "host 1");
	sample_cable(&pair.after, 0, 1, 1, 1);
	cables = compare_chosen(&pair, &pair.before, &pair.after, COMPARE_CABLES);
	assert_string_equal(cables, "cable-gone leaf 1/2 host 2/1 > -\n"
				    "cable-gone leaf 1/8 leaf 2/8 > -\n"
				    "cable-gone leaf 2/1 host 10/1 > -\n");
	fabric_changes_clear(&pair.changes);
	both = compare_chosen(&pair, &pair.before, &pair.after, COMPARE_CABLES | COMPARE_SWITCHES);
	assert_string_equal(both, "cable-gone leaf 1/2 host 2/1 > -\n"
				  "node-gone leaf 2 leaf 1/8 > -\n");
	fabric_changes_clear(&pair.changes);
	back = compare_chosen(&pair, &pair.after, &pair.before, COMPARE_CABLES | COMPARE_SWITCHES);
	assert_string_equal(back, "cable-new leaf 1/2 - > host 2/1\n"
				  "node-new leaf 2 - > leaf 1/8\n");
	end(&pair);
}

/* Two switches with one GUID, each with a missing cable: one of them is expected. */
static void expected_at_a_shared_guid(void **state)
{
	struct fabric *fabric;
	struct pair pair;

	(void)state;
	for (uint32_t expected = 1; expected < 3; expected++) {
		bool before[64] = {false}, after[64] = {false};
		const bool *const down[SIDES] = {before, after};
		char *text;

		pair = (struct pair){.changes.items = NULL};
		for (enum side side = BEFORE; side < SIDES; side++) {
			fabric = side == BEFORE ? &pair.before : &pair.after;
			sample_node(fabric, NODE_TYPE_SWITCH, 0x1000, 4, "root");
			sample_node(fabric, NODE_TYPE_SWITCH, 0x1100, 4, "twin 1");
			sample_node(fabric, NODE_TYPE_SWITCH, 0x1100, 4, "twin 2");
			sample_cable(fabric, 0, 1, 1, 1);
			sample_cable(fabric, 0, 2, 2, 1);
			for (uint32_t twin = 1; twin < 3; twin++)
				sample_cable(fabric, twin, 3, twin, 4);
		}
		for (uint32_t twin = 1; twin < 3; twin++)
			unplug(&pair.after, twin, 3);
		after[fabric_port_at(&pair.after, expected, 3)] = true;
		text = compare_sides(&pair, &pair.before, &pair.after);
		assert_int_equal(pair.changes.count, 2);
		fabric_changes_choose(&pair.changes, COMPARE_ALL, down);
		assert_int_equal(pair.changes.count, 1);
		assert_string_equal(pair.changes.items[0].node,
				    expected == 1 ? "twin 2" : "twin 1");
		/* Expecting the port of the earlier scan is sufficient. */
		before[fabric_port_at(&pair.before, 3 - expected, 4)] = true;
		fabric_changes_choose(&pair.changes, COMPARE_ALL, down);
		assert_int_equal(pair.changes.count, 0);
		free(text);
		end(&pair);
	}
}

/* Another adapter in the same place: the cable change is not reported. */
static void node_replaced(void **state)
{
	struct pair pair;

	(void)state;
	begin(&pair);
	sample_node(&pair.after, NODE_TYPE_SWITCH, 0x1000, 8, "leaf 1");
	sample_node(&pair.after, NODE_TYPE_SWITCH, 0x1100, 8, "leaf 2");
	sample_node(&pair.after, NODE_TYPE_CA, 0x2000, 2, "host 1");
	sample_node(&pair.after, NODE_TYPE_CA, 0x2500, 2, "host 5");
	sample_node(&pair.after, NODE_TYPE_CA, 0x2200, 2, "host 10");
	sample_cable(&pair.after, LEAF, 8, LEAF_2, 8);
	sample_cable(&pair.after, LEAF, 1, HOST, 1);
	sample_cable(&pair.after, LEAF, 2, HOST_2, 1);
	sample_cable(&pair.after, LEAF_2, 1, HOST_3, 1);
	check(&pair,
	      "node-gone host 2 leaf 1/2 > -\n"
	      "node-new host 5 - > leaf 1/2\n",
	      false);
	end(&pair);
}

static void description(void **state)
{
	struct pair pair;

	(void)state;
	begin(&pair);
	fill(&pair.after);
	memcpy(pair.after.nodes[HOST].description, "login\x1b", 7);
	/* The text ends at the NUL. */
	pair.after.nodes[HOST_2].description[63] = 'x';
	/* The node did not send it. */
	pair.after.nodes[HOST_3].has_description = false;
	check(&pair, "description-changed login\\x1b host 1 > login\\x1b\n", false);
	end(&pair);
}

/* ibnetdiscover writes blanks instead of unprintable bytes, and only 63 bytes. */
static void blanked_description(void **state)
{
	struct pair pair;

	(void)state;
	begin(&pair);
	fill(&pair.after);
	memset(pair.before.nodes[HOST].description, 'x', NODE_DESCRIPTION_BYTES);
	memset(pair.after.nodes[HOST].description, 'x', NODE_DESCRIPTION_BYTES);
	memcpy(pair.before.nodes[HOST].description, "login  z\0", 9);
	memcpy(pair.after.nodes[HOST].description, "login\xc3\xa9z\0", 9);
	memset(pair.before.nodes[HOST_2].description, 'x', NODE_DESCRIPTION_BYTES);
	pair.before.nodes[HOST_2].description[NODE_DESCRIPTION_BYTES - 1] = '\0';
	memset(pair.after.nodes[HOST_2].description, 'x', NODE_DESCRIPTION_BYTES);
	pair.before.source = FABRIC_TEXT;
	check(&pair, "", false);
	pair.before.source = FABRIC_SCAN;
	pair.after.source = FABRIC_TEXT;
	check(&pair, "", false);
	/* Printable bytes still differ. */
	pair.after.nodes[HOST].description[0] = 'L';
	check(&pair, "description-changed Login\xc3\xa9z login  z > Login  z\n", false);
	end(&pair);
}

static void cables_gone_and_new(void **state)
{
	struct pair pair;

	(void)state;
	begin(&pair);
	fill(&pair.after);
	sample_cable(&pair.before, LEAF, 7, LEAF_2, 7);
	sample_cable(&pair.after, LEAF, 6, LEAF_2, 6);
	check(&pair,
	      "cable-new leaf 1/6 - > leaf 2/6\n"
	      "cable-gone leaf 1/7 leaf 2/7 > -\n",
	      false);
	end(&pair);
}

/* By its switch, by its adapter, and by both. */
static void cable_moved(void **state)
{
	struct pair pair;

	(void)state;
	begin(&pair);
	fill(&pair.after);
	unplug(&pair.after, LEAF, 2);
	sample_cable(&pair.after, LEAF_2, 3, HOST_2, 1);
	check(&pair, "cable-moved host 2/1 leaf 1/2 > leaf 2/3\n", false);
	unplug(&pair.after, LEAF_2, 3);
	sample_cable(&pair.after, LEAF, 2, HOST_2, 2);
	check(&pair, "cable-moved leaf 1/2 host 2/1 > host 2/2\n", false);
	end(&pair);
}

static void cables_swapped(void **state)
{
	struct pair pair;

	(void)state;
	begin(&pair);
	fill(&pair.after);
	unplug(&pair.after, LEAF, 1);
	unplug(&pair.after, LEAF, 2);
	sample_cable(&pair.after, LEAF, 1, HOST_2, 1);
	sample_cable(&pair.after, LEAF, 2, HOST, 1);
	check(&pair,
	      "cable-moved leaf 1/1 host 1/1 > host 2/1\n"
	      "cable-moved leaf 1/2 host 2/1 > host 1/1\n",
	      false);
	end(&pair);
}

/* All cables moved up by one port: each counts as moved, and none as gone or new. */
static void cables_shifted(void **state)
{
	struct pair pair;

	(void)state;
	begin(&pair);
	fill(&pair.after);
	sample_cable(&pair.before, LEAF, 4, LEAF_2, 4);
	sample_cable(&pair.before, LEAF, 5, LEAF_2, 5);
	sample_cable(&pair.after, LEAF, 4, LEAF_2, 5);
	sample_cable(&pair.after, LEAF, 5, LEAF_2, 6);
	check(&pair,
	      "cable-moved leaf 1/4 leaf 2/4 > leaf 2/5\n"
	      "cable-moved leaf 1/5 leaf 2/5 > leaf 2/6\n",
	      false);
	end(&pair);
}

static void switch_put_between(void **state)
{
	struct fabric *after;
	struct pair pair;

	(void)state;
	begin(&pair);
	after = &pair.after;
	fill(after);
	unplug(after, LEAF, 8);
	sample_node(after, NODE_TYPE_SWITCH, 0x1200, 8, "leaf 3");
	sample_cable(after, LEAF, 8, NODES, 1);
	sample_cable(after, LEAF_2, 8, NODES, 2);
	check(&pair,
	      "cable-moved leaf 1/8 leaf 2/8 > leaf 3/1\n"
	      "node-new leaf 3 - > leaf 1/8\n",
	      false);
	end(&pair);
}

/* The adapter in the old place is new; the one in the new place was elsewhere. */
static void one_gone_and_another_in_its_place(void **state)
{
	struct pair pair;

	(void)state;
	begin(&pair);
	sample_node(&pair.after, NODE_TYPE_SWITCH, 0x1000, 8, "leaf 1");
	sample_node(&pair.after, NODE_TYPE_SWITCH, 0x1100, 8, "leaf 2");
	sample_node(&pair.after, NODE_TYPE_CA, 0x2000, 2, "host 1");
	sample_node(&pair.after, NODE_TYPE_CA, 0x2200, 2, "host 10");
	sample_cable(&pair.after, LEAF, 8, LEAF_2, 8);
	sample_cable(&pair.after, LEAF, 2, HOST, 1);
	sample_cable(&pair.after, LEAF_2, 1, HOST_2, 1);
	check(&pair,
	      "cable-moved host 1/1 leaf 1/1 > leaf 1/2\n"
	      "node-gone host 2 leaf 1/2 > -\n",
	      false);
	end(&pair);
}

/* One row for a link whose ends agree, two if they disagree. */
static void links(void **state)
{
	static const struct sample_link slow = {4, 5, 1, 1, 4, 0}, init = {2, 5, 2, 4, 4, 0};
	static const struct sample_link small = {4, 5, 2, 4, 1, 0}, off = {1, 3, 2, 4, 4, 0};
	struct fabric *after;
	struct pair pair;

	(void)state;
	begin(&pair);
	after = &pair.after;
	fill(after);
	sample_set_port(after, fabric_port_at(after, LEAF, 1), &slow);
	sample_set_port(after, fabric_port_at(after, HOST, 1), &slow);
	sample_set_port(after, fabric_port_at(after, LEAF, 2), &init);
	sample_set_port(after, fabric_port_at(after, LEAF_2, 8), &small);
	sample_set_port(after, fabric_port_at(after, LEAF, 3), &off);
	check(&pair,
	      "width-changed leaf 1/1 4x > 1x\n"
	      "speed-changed leaf 1/1 QDR > SDR\n"
	      "state-changed leaf 1/2 active > init\n"
	      "state-changed leaf 1/3 down, polling > down, disabled\n"
	      "mtu-changed leaf 2/8 2048 > 256\n",
	      false);
	end(&pair);
}

/* A fact that one scan lacks, as one from a text does, is not a change. */
static void what_is_not_known(void **state)
{
	struct fabric *after;
	struct pair pair;

	(void)state;
	begin(&pair);
	after = &pair.after;
	fill(after);
	for (uint32_t i = 0; i < after->port_count; i++) {
		if (after->ports[i].peer == FABRIC_NONE)
			after->ports[i].has_info = false;
		after->ports[i].info[32] = after->ports[i].info[36] = 0;
	}
	check(&pair, "", false);
	end(&pair);
}

static void lids(void **state)
{
	static const struct sample_link lid = {4, 5, 2, 4, 4, 17}, other = {4, 5, 2, 4, 4, 18};
	struct fabric *before, *after;
	struct pair pair;

	(void)state;
	begin(&pair);
	before = &pair.before;
	after = &pair.after;
	fill(after);
	sample_set_port(before, fabric_port_at(before, HOST, 1), &lid);
	sample_set_port(after, fabric_port_at(after, HOST, 1), &other);
	sample_set_port(after, fabric_port_at(after, LEAF, 0), &lid);
	/* LIDs on other ports of a switch do not count. */
	sample_set_port(after, fabric_port_at(after, LEAF, 1), &other);
	check(&pair,
	      "lid-changed host 1/1 17 > 18\n"
	      "lid-changed leaf 1/0 - > 17\n",
	      false);
	end(&pair);
}

/* A switch with more ports in one of the scans: its ports stay in order. */
static void other_port_count(void **state)
{
	_cleanup_(freep) char *text = NULL;
	struct pair pair;

	(void)state;
	begin(&pair);
	sample_node(&pair.after, NODE_TYPE_SWITCH, 0x1000, 10, "leaf 1");
	sample_node(&pair.after, NODE_TYPE_SWITCH, 0x1100, 8, "leaf 2");
	sample_node(&pair.after, NODE_TYPE_CA, 0x2000, 2, "host 1");
	sample_node(&pair.after, NODE_TYPE_CA, 0x2100, 2, "host 2");
	sample_node(&pair.after, NODE_TYPE_CA, 0x2200, 2, "host 10");
	sample_cable(&pair.after, LEAF, 8, LEAF_2, 8);
	sample_cable(&pair.after, LEAF, 1, HOST, 1);
	sample_cable(&pair.after, LEAF, 2, HOST_2, 1);
	sample_cable(&pair.after, LEAF_2, 1, HOST_3, 1);
	sample_cable(&pair.after, LEAF, 3, LEAF, 7);
	sample_cable(&pair.after, LEAF, 9, LEAF, 10);
	check(&pair,
	      "port-count-changed leaf 1 8 > 10\n"
	      "cable-new leaf 1/3 - > leaf 1/7\n"
	      "cable-new leaf 1/9 - > leaf 1/10\n",
	      false);
	text = compare_sides(&pair, &pair.after, &pair.before);
	assert_string_equal(text, "port-count-changed leaf 1 10 > 8\n"
				  "cable-gone leaf 1/3 leaf 1/7 > -\n"
				  "cable-gone leaf 1/9 leaf 1/10 > -\n");
	end(&pair);
}

static void add_without_host_2(struct fabric *fabric)
{
	sample_node(fabric, NODE_TYPE_SWITCH, 0x1000, 8, "leaf 1");
	sample_node(fabric, NODE_TYPE_SWITCH, 0x1100, 8, "leaf 2");
	sample_node(fabric, NODE_TYPE_CA, 0x2000, 2, "host 1");
	sample_node(fabric, NODE_TYPE_CA, 0x2200, 2, "host 10");
	sample_cable(fabric, LEAF, 8, LEAF_2, 8);
	sample_cable(fabric, LEAF, 1, HOST, 1);
	sample_cable(fabric, LEAF_2, 1, HOST_2, 1);
}

static void node_unanswered(void **state)
{
	_cleanup_(freep) char *text = NULL;
	struct pair pair;

	(void)state;
	begin(&pair);
	add_without_host_2(&pair.after);
	silence_beyond(&pair.after, LEAF, 2);
	check(&pair, "unanswered host 2 leaf 1/2 > no answer\n", true);
	text = compare_sides(&pair, &pair.after, &pair.before);
	assert_string_equal(text, "unanswered host 2 no answer > leaf 1/2\n");
	assert_true(pair.changes.incomplete && !pair.changes.changed);
	end(&pair);
}

/* Nodes beyond a dead switch are not seen, but do not count as gone. */
static void all_beyond_a_dead_switch(void **state)
{
	struct pair pair;

	(void)state;
	begin(&pair);
	sample_cable(&pair.before, LEAF_2, 2, HOST_2, 2);
	sample_node(&pair.after, NODE_TYPE_SWITCH, 0x1000, 8, "leaf 1");
	sample_node(&pair.after, NODE_TYPE_CA, 0x2000, 2, "host 1");
	sample_cable(&pair.after, 0, 1, 1, 1);
	silence_beyond(&pair.after, 0, 8);
	/* The cable is certainly gone here; the adapter may be attached to the other switch. */
	check(&pair,
	      "unanswered host 2 leaf 1/2 > not reached\n"
	      "unanswered host 10 leaf 2/1 > not reached\n"
	      "cable-gone leaf 1/2 host 2/1 > -\n"
	      "unanswered leaf 2 leaf 1/8 > no answer\n",
	      true);
	end(&pair);
}

/* Both nodes are seen by other paths; the cable between them is not. */
static void cable_unanswered(void **state)
{
	struct pair pair;

	(void)state;
	begin(&pair);
	fill(&pair.after);
	sample_cable(&pair.before, LEAF, 7, LEAF_2, 7);
	silence_beyond(&pair.after, LEAF, 7);
	silence_beyond(&pair.after, LEAF_2, 7);
	check(&pair, "unanswered leaf 1/7 leaf 2/7 > no answer\n", true);
	/* One end is certain: it has no cable. */
	sample_set_port(&pair.after, fabric_port_at(&pair.after, LEAF_2, 7), &sample_down);
	pair.after.ports[fabric_port_at(&pair.after, LEAF_2, 7)].unanswered = false;
	check(&pair, "cable-gone leaf 1/7 leaf 2/7 > -\n", true);
	end(&pair);
}

/* A silent node where there was none before. */
static void unanswered_and_new(void **state)
{
	struct pair pair;

	(void)state;
	begin(&pair);
	fill(&pair.after);
	silence_beyond(&pair.after, LEAF, 5);
	check(&pair,
	      "state-changed leaf 1/5 down, polling > active\n"
	      "unanswered leaf 1/5 - > no answer\n",
	      true);
	end(&pair);
}

static void attribute_unanswered(void **state)
{
	struct pair pair;
	uint32_t port;

	(void)state;
	begin(&pair);
	fill(&pair.after);
	port = fabric_port_at(&pair.after, LEAF, 1);
	pair.after.ports[port].has_info = false;
	add_failure(&pair.after, port, 0x15, false);
	check(&pair, "unanswered leaf 1/1 - > PortInfo: no answer, asked 4 times\n", true);
	/* The port is as unknown as before, which is not a change. */
	pair.before.ports[port].has_info = false;
	add_failure(&pair.before, port, 0x15, false);
	check(&pair, "", true);
	end(&pair);
}

/* Ports that are up, but beyond the limit of hops. */
static void part_of_the_subnet(void **state)
{
	struct pair pair;

	(void)state;
	begin(&pair);
	sample_node(&pair.after, NODE_TYPE_SWITCH, 0x1000, 8, "leaf 1");
	sample_set_port(&pair.after, 1, &sample_up);
	sample_set_port(&pair.after, 2, &sample_up);
	sample_set_port(&pair.after, 8, &sample_up);
	check(&pair,
	      "unanswered host 1 leaf 1/1 > not reached\n"
	      "unanswered host 2 leaf 1/2 > not reached\n"
	      "unanswered host 10 leaf 2/1 > not reached\n"
	      "unanswered leaf 2 leaf 1/8 > not reached\n",
	      true);
	end(&pair);
}

static void add_twins(struct fabric *fabric, const char *first, const char *second)
{
	sample_node(fabric, NODE_TYPE_SWITCH, 0x1000, 8, "leaf");
	sample_node(fabric, NODE_TYPE_CA, 0x3000, 1, first);
	sample_node(fabric, NODE_TYPE_CA, 0x3000, 1, second);
}

/* By description, otherwise by path. */
static void twins(void **state)
{
	struct pair pair;

	(void)state;
	pair = (struct pair){.changes.items = NULL};
	add_twins(&pair.before, "one", "two");
	sample_cable(&pair.before, 0, 1, 1, 1);
	sample_cable(&pair.before, 0, 2, 2, 1);
	add_twins(&pair.after, "two", "one");
	sample_cable(&pair.after, 0, 1, 2, 1);
	sample_cable(&pair.after, 0, 2, 1, 1);
	check(&pair, "", false);
	fabric_clear(&pair.after);
	add_twins(&pair.after, "two", "one");
	sample_cable(&pair.after, 0, 1, 1, 1);
	sample_cable(&pair.after, 0, 2, 2, 1);
	check(&pair,
	      "cable-moved leaf/1 one/1 > two/1\n"
	      "cable-moved leaf/2 two/1 > one/1\n",
	      false);
	fabric_clear(&pair.after);
	add_twins(&pair.after, "three", "two");
	sample_cable(&pair.after, 0, 1, 1, 1);
	sample_cable(&pair.after, 0, 2, 2, 1);
	check(&pair, "description-changed three one > three\n", false);
	fabric_clear(&pair.after);
	sample_node(&pair.after, NODE_TYPE_SWITCH, 0x1000, 8, "leaf");
	sample_node(&pair.after, NODE_TYPE_CA, 0x3000, 1, "two");
	sample_cable(&pair.after, 0, 2, 1, 1);
	check(&pair, "node-gone one leaf/1 > -\n", false);
	end(&pair);
}

/* A switch whose ports were split is the same switch; its link partners may have moved. */
static void more_or_fewer_ports(void **state)
{
	struct pair pair;
	struct fabric *after;
	_cleanup_(freep) char *text = NULL;

	(void)state;
	begin(&pair);
	after = &pair.after;
	sample_node(after, NODE_TYPE_SWITCH, 0x1000, 16, "leaf 1");
	sample_node(after, NODE_TYPE_SWITCH, 0x1100, 8, "leaf 2");
	sample_node(after, NODE_TYPE_CA, 0x2000, 2, "host 1");
	sample_node(after, NODE_TYPE_CA, 0x2100, 2, "host 2");
	sample_node(after, NODE_TYPE_CA, 0x2200, 2, "host 10");
	sample_node(after, NODE_TYPE_CA, 0x2300, 1, "host 11");
	sample_cable(after, LEAF, 15, LEAF_2, 8);
	sample_cable(after, LEAF, 1, HOST, 1);
	sample_cable(after, LEAF, 3, HOST_2, 1);
	sample_cable(after, LEAF_2, 1, HOST_3, 1);
	sample_cable(after, LEAF, 16, NODES, 1);
	check(&pair,
	      "cable-moved host 2/1 leaf 1/2 > leaf 1/3\n"
	      "node-new host 11 - > leaf 1/16\n"
	      "port-count-changed leaf 1 8 > 16\n"
	      "cable-moved leaf 2/8 leaf 1/8 > leaf 1/15\n",
	      false);
	text = compare_sides(&pair, &pair.after, &pair.before);
	assert_string_equal(text, "cable-moved host 2/1 leaf 1/3 > leaf 1/2\n"
				  "node-gone host 11 leaf 1/16 > -\n"
				  "port-count-changed leaf 1 16 > 8\n"
				  "cable-moved leaf 2/8 leaf 1/15 > leaf 1/8\n");
	fabric_changes_choose(&pair.changes, ~COMPARE_SWITCHES, NULL);
	assert_int_equal(pair.changes.count, 3);
	fabric_changes_clear(&pair.changes);
	/* A cabled port that only one of the scans has. */
	unplug(after, LEAF, 3);
	sample_cable(after, LEAF, 10, LEAF, 11);
	check(&pair,
	      "node-new host 11 - > leaf 1/16\n"
	      "port-count-changed leaf 1 8 > 16\n"
	      "cable-gone leaf 1/2 host 2/1 > -\n"
	      "cable-new leaf 1/10 - > leaf 1/11\n"
	      "cable-moved leaf 2/8 leaf 1/8 > leaf 1/15\n",
	      false);
	end(&pair);
}

/* A list of ports omits those that did not answer, and does not say how many a switch has. */
static void fewer_ports_of_a_list(void **state)
{
	struct pair pair;

	(void)state;
	begin(&pair);
	sample_node(&pair.after, NODE_TYPE_SWITCH, 0x1000, 7, "leaf 1");
	sample_node(&pair.after, NODE_TYPE_SWITCH, 0x1100, 7, "leaf 2");
	sample_node(&pair.after, NODE_TYPE_CA, 0x2000, 2, "host 1");
	sample_node(&pair.after, NODE_TYPE_CA, 0x2100, 2, "host 2");
	sample_node(&pair.after, NODE_TYPE_CA, 0x2200, 2, "host 10");
	sample_cable(&pair.after, LEAF, 1, HOST, 1);
	sample_cable(&pair.after, LEAF, 2, HOST_2, 1);
	sample_cable(&pair.after, LEAF_2, 1, HOST_3, 1);
	check(&pair,
	      "port-count-changed leaf 1 8 > 7\n"
	      "cable-gone leaf 1/8 leaf 2/8 > -\n"
	      "port-count-changed leaf 2 8 > 7\n",
	      false);
	pair.after.by_port = true;
	check(&pair, "", false);
	end(&pair);
}

static void nothing_to_compare(void **state)
{
	struct pair pair = {.changes.items = NULL};

	(void)state;
	check(&pair, "", false);
	fill(&pair.after);
	check(&pair,
	      "node-new host 1 - > leaf 1/1\n"
	      "node-new host 2 - > leaf 1/2\n"
	      "node-new host 10 - > leaf 2/1\n"
	      "node-new leaf 1 - > -\n"
	      "node-new leaf 2 - > leaf 1/8\n",
	      false);
	end(&pair);
}

static bool is_kept(const struct pair *pair, uint32_t port)
{
	const struct fabric *before = &pair->before, *after = &pair->after;
	const struct fabric_port *here = &before->ports[port], *there = &before->ports[here->peer];

	return here->number <= after->nodes[here->node].port_count &&
	       there->number <= after->nodes[there->node].port_count &&
	       after->ports[fabric_port_at(after, here->node, here->number)].peer ==
		       fabric_port_at(after, there->node, there->number);
}

/* Any two subnets: each row about a cable is true for both, and no two rows overlap. */
static void made_up_at_random(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct pair pair = {.changes.items = NULL};
		struct fabric *sides[] = {&pair.before, &pair.after};
		_cleanup_(freep) char *text = NULL;
		uint32_t cables[2] = {0, 0}, kept = 0, told[2] = {0, 0};

		for (int side = 0; side < 2; side++) {
			const uint8_t ports = (uint8_t)(side ? 9 + round % 7 : 12);

			sample_node(sides[side], NODE_TYPE_SWITCH, 0x1000, ports, "leaf 1");
			sample_node(sides[side], NODE_TYPE_SWITCH, 0x1100, 12, "leaf 2");
			for (uint32_t i = 0; i < 10; i++) {
				uint32_t a, b, node = (seed >> 8) % 2;

				seed = seed * 1664525 + 1013904223;
				a = fabric_port_at(sides[side], 0, 1 + (seed >> 16) % ports);
				b = fabric_port_at(sides[side], node,
						   1 + (seed >> 20) % (node ? 12 : ports));
				if (a == b || sides[side]->ports[a].peer != FABRIC_NONE ||
				    sides[side]->ports[b].peer != FABRIC_NONE)
					continue;
				fabric_link(sides[side], a, b);
				sample_set_port(sides[side], a, &sample_up);
				sample_set_port(sides[side], b, &sample_up);
				cables[side]++;
			}
		}
		for (uint32_t i = 0; i < pair.before.port_count; i++)
			kept += pair.before.ports[i].peer != FABRIC_NONE &&
				pair.before.ports[i].peer > i && is_kept(&pair, i);
		text = compare_sides(&pair, sides[0], sides[1]);
		for (size_t i = 0; i < pair.changes.count; i++) {
			const struct fabric_change *change = &pair.changes.items[i];

			told[0] += change->peer_port[BEFORE].known;
			told[1] += change->peer_port[AFTER].known;
			/* A port with one cable gone and a new one would be reported as moved. */
			if (i && change->change.value == pair.changes.items[i - 1].change.value)
				assert_false(change->port.value ==
						     pair.changes.items[i - 1].port.value &&
					     change->node_guid.value ==
						     pair.changes.items[i - 1].node_guid.value);
		}
		assert_int_equal(told[0], cables[0] - kept);
		assert_int_equal(told[1], cables[1] - kept);
		end(&pair);
	}
}

/* Names in natural order, and equal names by GUID; new and gone ones together. */
static void the_order(void **state)
{
	struct fabric before = {.nodes = NULL}, after = {.nodes = NULL};
	struct pair pair = {.changes.items = NULL};
	_cleanup_(freep) char *text = NULL;

	(void)state;
	sample_node(&before, NODE_TYPE_CA, 0x10, 2, "root");
	sample_node(&before, NODE_TYPE_CA, 0x30, 2, "a 10");
	sample_node(&before, NODE_TYPE_CA, 0x22, 2, "a 2");
	sample_node(&before, NODE_TYPE_SWITCH, 0x40, 4, "z");
	sample_cable(&before, 0, 1, 3, 1);
	sample_cable(&before, 3, 2, 1, 1);
	sample_cable(&before, 3, 3, 2, 2);
	sample_node(&after, NODE_TYPE_CA, 0x10, 2, "root");
	sample_node(&after, NODE_TYPE_CA, 0x21, 2, "a 2");
	sample_node(&after, NODE_TYPE_SWITCH, 0x41, 4, "y");
	sample_cable(&after, 0, 1, 2, 1);
	sample_cable(&after, 2, 2, 1, 1);
	text = compare_chosen(&pair, &before, &after, COMPARE_ALL);
	assert_string_equal(text, "node-new a 2 - > y/2\n"
				  "node-gone a 2 z/3 > -\n"
				  "node-gone a 10 z/2 > -\n"
				  "node-new y - > root/1\n"
				  "node-gone z root/1 > -\n");
	fabric_changes_clear(&pair.changes);
	fabric_clear(&before);
	fabric_clear(&after);
}

/*
 * Three cables of one switch, each moved on by one port: a cable that was unplugged at both ends is
 * reported as moved, at the end that stayed.
 */
static void a_chain_of_moves(void **state)
{
	struct pair pair;

	(void)state;
	begin(&pair);
	sample_cable(&pair.before, LEAF, 3, HOST_3, 2);
	add_nodes(&pair.after);
	sample_cable(&pair.after, LEAF, 8, LEAF_2, 8);
	sample_cable(&pair.after, LEAF, 2, HOST, 1);
	sample_cable(&pair.after, LEAF, 3, HOST_2, 1);
	sample_cable(&pair.after, LEAF, 4, HOST_3, 2);
	sample_cable(&pair.after, LEAF_2, 1, HOST_3, 1);
	check(&pair,
	      "cable-moved host 1/1 leaf 1/1 > leaf 1/2\n"
	      "cable-moved host 2/1 leaf 1/2 > leaf 1/3\n"
	      "cable-moved host 10/2 leaf 1/3 > leaf 1/4\n",
	      false);
	end(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same),
		cmocka_unit_test(the_same_from_elsewhere),
		cmocka_unit_test(nodes_gone_and_new),
		cmocka_unit_test(cables_of_nodes_gone_and_new),
		cmocka_unit_test(expected_at_a_shared_guid),
		cmocka_unit_test(node_replaced),
		cmocka_unit_test(description),
		cmocka_unit_test(blanked_description),
		cmocka_unit_test(cables_gone_and_new),
		cmocka_unit_test(cable_moved),
		cmocka_unit_test(cables_swapped),
		cmocka_unit_test(cables_shifted),
		cmocka_unit_test(switch_put_between),
		cmocka_unit_test(one_gone_and_another_in_its_place),
		cmocka_unit_test(links),
		cmocka_unit_test(what_is_not_known),
		cmocka_unit_test(lids),
		cmocka_unit_test(other_port_count),
		cmocka_unit_test(node_unanswered),
		cmocka_unit_test(all_beyond_a_dead_switch),
		cmocka_unit_test(cable_unanswered),
		cmocka_unit_test(unanswered_and_new),
		cmocka_unit_test(attribute_unanswered),
		cmocka_unit_test(part_of_the_subnet),
		cmocka_unit_test(twins),
		cmocka_unit_test(more_or_fewer_ports),
		cmocka_unit_test(fewer_ports_of_a_list),
		cmocka_unit_test(nothing_to_compare),
		cmocka_unit_test(made_up_at_random),
		cmocka_unit_test(the_order),
		cmocka_unit_test(a_chain_of_moves),
	};

	return cmocka_run_group_tests_name("fabric_diff", tests, NULL, NULL);
}
