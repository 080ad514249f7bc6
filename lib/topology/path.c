/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The path from one node to another, hop by hop, and the reason for its class. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "schema/rows.h"
#include "topology/place.h"

/* The PCI Express generation, by the speed of a lane. */
static unsigned int generation(double speed_gtps)
{
	static const double speeds[] = {2.5, 5, 8, 16, 32, 64, 128};

	for (unsigned int i = 0; i < ARRAY_SIZE(speeds); i++)
		if (speed_gtps <= speeds[i])
			return i + 1;
	return 0;
}

char *topology_link_text(const struct real *speed_gtps, const struct number *lanes)
{
	if (!speed_gtps->known || !lanes->known)
		return mem_string("-");
	return mem_format("gen%u x%u", generation(speed_gtps->value), (unsigned int)lanes->value);
}

static struct topology_hop *add_hop(struct topology_path *path, const char *hop, const char *what)
{
	struct topology_hop *new = mem_append(&path->hops, &path->count, sizeof(*path->hops));

	new->hop = mem_string(hop);
	new->what = mem_string(what);
	return new;
}

static void set_link(struct topology_hop *hop, const struct pci_function *function)
{
	hop->speed_gtps = function->speed_gtps;
	hop->width_lanes = function->width_lanes;
	pci_possible_link(function, &hop->max_speed_gtps, &hop->max_width_lanes);
	hop->gbps = pci_link_gbps(&hop->speed_gtps, &hop->width_lanes);
	hop->max_gbps = pci_link_gbps(&hop->max_speed_gtps, &hop->max_width_lanes);
	if (hop->gbps.known && hop->max_gbps.known)
		hop->slower = hop->gbps.value < hop->max_gbps.value ? TRISTATE_YES : TRISTATE_NO;
}

/*
 * Describes a function `level` levels above a node: a port of a switch has the switch's upstream
 * port above it, and a root port has nothing.
 */
static const char *describe(const struct topology *topology, const struct pci_function *at,
			    size_t level)
{
	const struct topology_switch *found = topology_find_switch(topology, at->address, false);

	if (level % 2 == 0)
		return found && found->merged ? "switch, lower half" : "switch";
	return at->parent ? "downstream port" : "root port";
}

/* Adds the hops from a node up to the function `end`, or to the host bridge if it is NULL. */
static void climb(const struct topology *topology, struct topology_path *path,
		  const struct topology_node *node, const struct pci_function *end)
{
	size_t level = 0;

	for (const struct pci_function *at = node->function; at && at != end;
	     at = at->parent, level++) {
		struct topology_hop *hop = add_hop(
			path, at->address, level ? describe(topology, at, level) : node->name);

		/* A port has the same link as the hop below it. */
		if (level % 2 == 0)
			set_link(hop, at);
	}
}

static void add_numa(struct topology_path *path, const struct topology_node *node)
{
	_cleanup_(freep) char *name = NULL;

	if (!node->numa_node.known)
		return;
	name = mem_format("node%u", (unsigned int)node->numa_node.value);
	add_hop(path, name, "NUMA node");
}

/*
 * Adds the hops from a node of a topology file through its switches, up to the common one or to the
 * CPU.
 */
static void climb_file(struct topology_path *path, const struct topology_node *node,
		       const char *common)
{
	add_hop(path, node->pci_address, node->name);
	for (size_t i = 0; i < node->switches.count; i++) {
		if (common && !strcmp(node->switches.items[i], common))
			return;
		add_hop(path, node->switches.items[i], "switch");
	}
}

static void reverse(struct topology_hop *hops, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		struct topology_hop hop = hops[i];

		hops[i] = hops[count - 1 - i];
		hops[count - 1 - i] = hop;
	}
}

static void add_middle(struct topology_path *path, const struct topology_node *a,
		       const struct topology_node *b, bool file)
{
	const struct topology_pair *pair = &path->pair;

	if (pair->same_host_bridge == TRISTATE_YES && !file) {
		add_hop(path, a->host_bridge, "host bridge of both");
		return;
	}
	if (a->host_bridge && !file)
		add_hop(path, a->host_bridge, "host bridge");
	add_numa(path, a);
	if (pair->same_numa != TRISTATE_YES)
		add_numa(path, b);
	if (b->host_bridge && !file)
		add_hop(path, b->host_bridge, "host bridge");
}

void topology_find_path(const struct topology *topology, const struct topology_node *a,
			const struct topology_node *b, struct topology_path *ret_path)
{
	struct topology_path *path = ret_path;
	const bool file = a->place_source.value == TOPOLOGY_FILE &&
			  b->place_source.value == TOPOLOGY_FILE;
	const char *common;
	size_t middle;

	*path = (struct topology_path){.from = a->name};
	topology_compare(topology, a, b, &path->pair);
	if (a == b || !a->pci_address || !b->pci_address)
		return;
	a = path->pair.near_from;
	b = path->pair.near_node;
	common = topology_common_switch(a, b);
	if (file)
		climb_file(path, a, common);
	else
		climb(topology, path, a, path->pair.common);
	if (file && common)
		add_hop(path, common, "switch of both");
	else if (!file && path->pair.common)
		add_hop(path, path->pair.common->address, "switch of both");
	else
		add_middle(path, a, b, file);
	middle = path->count;
	if (file)
		climb_file(path, b, common);
	else
		climb(topology, path, b, path->pair.common);
	reverse(path->hops + middle, path->count - middle);
}

void topology_path_clear(struct topology_path *path)
{
	for_each_in (hop, path->hops, path->count)
		record_clear(&topology_hop_schema, hop);
	free(path->hops);
	*path = (struct topology_path){.count = 0};
}

static void explain_part(const struct topology_node *node, const struct topology_node *part,
			 struct text_buffer *text)
{
	if (node != part)
		text_buffer_add(text, "through    %s, %s of %s\n", part->pci_address,
				part->guessed	    ? "taken to be the Data Direct function"
				: part->data_direct ? "the Data Direct function"
						    : "a function",
				node->name);
}

static void explain_class(const struct topology_pair *pair, struct text_buffer *text)
{
	const struct enum_name *class = enum_find(topology_class_names, pair->class.value);

	text_buffer_add(text, "distance   %s: %s (%s)\n", topology_word(pair, DIALECT_SMI),
			class->help, enum_word(topology_source_names, pair->source.value, "?"));
	text_buffer_add(text, "words      %s (nvidia-smi), %s (NCCL), %s (UCX)\n",
			topology_word(pair, DIALECT_SMI), topology_word(pair, DIALECT_NCCL),
			topology_word(pair, DIALECT_UCX));
}

static void explain_numa(const struct topology_node *node, struct text_buffer *text)
{
	const char *source = enum_word(topology_source_names, node->numa_source.value, "?");

	if (node->numa_node.known)
		text_buffer_add(text, "NUMA       %s: node %u (%s)\n", node->name,
				(unsigned int)node->numa_node.value, source);
	else
		text_buffer_add(text, "NUMA       %s: unknown\n", node->name);
}

static const struct topology_hop *find_narrowest(const struct topology_path *path)
{
	const struct topology_hop *found = NULL;

	for_each_in (hop, path->hops, path->count)
		if (hop->gbps.known && (!found || hop->gbps.value < found->gbps.value))
			found = hop;
	return found;
}

static void explain_links(const struct topology_path *path, struct text_buffer *text)
{
	const struct topology_hop *hop = find_narrowest(path);
	_cleanup_(freep) char *now = NULL, *best = NULL;

	if (!hop)
		return;
	now = topology_link_text(&hop->speed_gtps, &hop->width_lanes);
	best = topology_link_text(&hop->max_speed_gtps, &hop->max_width_lanes);
	text_buffer_add(text, "narrowest  %.0f Gb/s, the link above %s: %s", hop->gbps.value,
			hop->hop, now);
	if (hop->slower == TRISTATE_YES)
		text_buffer_add(text, ", though both ends can do %s", best);
	text_buffer_add(text, "\n");
}

static void explain_acs(const struct topology_pair *pair, struct text_buffer *text)
{
	if (pair->redirected == TRISTATE_YES)
		text_buffer_add(text, "ACS        a function is not in the IOMMU group of the port "
				      "above it: ACS seems to\n"
				      "           send their traffic through the host bridge\n");
	else if (pair->switches.known && pair->source.value == TOPOLOGY_MEASURED)
		text_buffer_add(text,
				"ACS        unknown: no IOMMU groups, or they do not show it\n");
}

void topology_explain(const struct topology_path *path, struct text_buffer *text)
{
	const struct topology_pair *pair = &path->pair;

	explain_class(pair, text);
	explain_part(pair->from, pair->near_from, text);
	explain_part(pair->node, pair->near_node, text);
	explain_numa(pair->from, text);
	if (pair->from != pair->node)
		explain_numa(pair->node, text);
	if (pair->slit.known)
		text_buffer_add(text, "memory     distance %u (10 is local)\n",
				(unsigned int)pair->slit.value);
	explain_links(path, text);
	explain_acs(pair, text);
	if (pair->gpudirect != TRISTATE_UNKNOWN)
		text_buffer_add(text,
				"GPUDirect  %s by NCCL's default, which reaches as far as %s\n",
				pair->gpudirect == TRISTATE_YES ? "used" : "not used",
				pair->c2c ? "P2C" : "PXB");
	if (pair->fabric_hidden == TRISTATE_YES) {
		const struct hidden_fabric *fabric = topology_hidden_fabric(pair->node);

		text_buffer_add(text, "%-10s not visible here: only %s shows it\n", fabric->link,
				fabric->library);
	}
}

#define RECORD struct topology_hop
static const struct field hop_fields[] = {
	TEXT(hop, "HOP", SHOWN, 0, "PCI function, host bridge or NUMA node"),
	TEXT(what, "WHAT", SHOWN, 0, "name of a node, or what the hop is"),
	REAL(speed_gtps, "GT/s", SHOWN, 0, "speed of the link above it now"),
	NUMBER(width_lanes, "LANES", SHOWN, 0, "width of the link above it now"),
	REAL(max_speed_gtps, "MAX GT/s", SHOWN, 0, "speed that both ends can do"),
	NUMBER(max_width_lanes, "MAX LANES", SHOWN, 0, "width that both ends can do"),
	TENTHS_FIELD(RECORD, gbps, "bandwidth_gbps", "Gb/s", SHOWN | FIELD_RIGHT, 0,
		     "data rate of the link now"),
	TENTHS_FIELD(RECORD, max_gbps, "max_bandwidth_gbps", "MAX Gb/s", SHOWN | FIELD_RIGHT, 0,
		     "data rate that both ends can do"),
	YES_NO(slower, "SLOWER", 0, 0, "the link is slower than both ends can do"),
};
#undef RECORD

const struct schema topology_hop_schema = SCHEMA("hops", struct topology_hop, hop_fields,
						 "a hop on the path between two nodes");

static void get_hops(const void *record, struct value *value)
{
	const struct topology_path *path = record;

	value_set_records(value, path->hops, path->count);
}

static void get_distance(const void *record, struct value *value)
{
	value_set_records(value, &((const struct topology_path *)record)->pair, 1);
}

#define RECORD struct topology_path
static const struct field path_fields[] = {
	TEXT(from, "FROM", SHOWN, 0, "the first node"),
	TEXT_AS("to", pair.to, "TO", SHOWN, 0, "the second node"),
	WORD_AS("class", pair.class, topology_class_names, "CLASS", SHOWN, 0,
		"how far apart the two are"),
	WORD_AS("source", pair.source, topology_source_names, "SOURCE", SHOWN, 0,
		"where the class comes from"),
	RECORDS_FIELD(get_distance, &topology_pair_schema, "", "distance", 0,
		      "what the two have in common: one record"),
	RECORDS_FIELD(get_hops, &topology_hop_schema, "", "hops", 0, "the path between them"),
};

const struct schema topology_path_schema = SCHEMA("topo_paths", struct topology_path, path_fields,
						  "the path between two nodes");
