/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tree as text: NUMA nodes, host bridges, switches, nodes. */
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "topology/path.h"
#include "topology/place.h"
#include "topology/tree.h"

struct tree {
	const struct topology *topology;
	struct topology_node *const *nodes;
	size_t count;
	struct text_buffer *text;
};

static void add_link(const struct tree *tree, const struct real *speed, const struct number *lanes,
		     const struct real *max_speed, const struct number *max_lanes)
{
	_cleanup_(freep) char *now = topology_link_text(speed, lanes);
	_cleanup_(freep) char *best = topology_link_text(max_speed, max_lanes);

	if (strcmp(now, "-"))
		text_buffer_add(tree->text, "  %s", now);
	if (strcmp(best, "-") && strcmp(now, "-") && strcmp(now, best))
		text_buffer_add(tree->text, " (slower than %s)", best);
	text_buffer_add(tree->text, "\n");
}

static void add_node(const struct tree *tree, const struct topology_node *node, int depth)
{
	text_buffer_add(tree->text, "%*s%s", depth * 2, "", node->name);
	if (node->pci_address)
		text_buffer_add(tree->text, "  %s", node->pci_address);
	if (node->active == TRISTATE_NO)
		text_buffer_add(tree->text, "  no active port");
	if (node->parent)
		text_buffer_add(tree->text, "  of %s", node->parent);
	add_link(tree, &node->speed_gtps, &node->width_lanes, &node->max_speed_gtps,
		 &node->max_width_lanes);
}

static void add_switch(const struct tree *tree, const struct topology_switch *at, int depth)
{
	const struct real speed = at->function ? at->function->speed_gtps : at->speed_gtps;
	const struct number lanes = at->function ? at->function->width_lanes : at->width_lanes;

	text_buffer_add(tree->text, "%*sswitch %s", depth * 2, "", at->id);
	if (at->vendor_id.known && at->device_id.known)
		text_buffer_add(tree->text, " [%04x:%04x]", (unsigned int)at->vendor_id.value,
				(unsigned int)at->device_id.value);
	add_link(tree, &speed, &lanes, &at->speed_gtps, &at->width_lanes);
}

/* Whether a node that is shown is below the switch. */
static bool is_used(const struct tree *tree, const struct topology_switch *at)
{
	for (size_t i = 0; i < tree->count; i++)
		if (strings_contain(&tree->nodes[i]->switches, at->id))
			return true;
	return false;
}

static void show_switch(const struct tree *tree, const struct topology_switch *at, int depth)
{
	const struct topology *topology = tree->topology;

	add_switch(tree, at, depth);
	for (size_t i = 0; i < tree->count; i++)
		if (topology_whole_switch(tree->nodes[i]->above) == at)
			add_node(tree, tree->nodes[i], depth + 1);
	for (size_t i = 0; i < topology->switch_count; i++) {
		const struct topology_switch *below = topology->switches[i];

		if (!below->merged && topology_whole_switch(below->up) == at &&
		    is_used(tree, below))
			show_switch(tree, below, depth + 1);
	}
}

/* The topmost switch above a node, or NULL. */
static const struct topology_switch *top_switch(const struct topology_node *node)
{
	struct topology_switch *top = topology_whole_switch(node->above);

	while (top && topology_whole_switch(top->up))
		top = topology_whole_switch(top->up);
	return top;
}

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool is_same_place(const struct topology_node *a, const struct topology_node *b)
{
	return a->numa_node.known == b->numa_node.known &&
	       (!a->numa_node.known || a->numa_node.value == b->numa_node.value);
}

/* The nodes below one host bridge, and each top switch once: with its first node. */
static void show_bridge(const struct tree *tree, const struct topology_node *first)
{
	const int depth = first->host_bridge ? 2 : 1;

	if (first->host_bridge)
		text_buffer_add(tree->text, "  %s\n", first->host_bridge);
	for (size_t i = 0; i < tree->count; i++) {
		const struct topology_node *node = tree->nodes[i];
		const struct topology_switch *top = top_switch(node);
		size_t j = 0;

		if (!is_same_place(node, first) ||
		    !is_same_text(node->host_bridge, first->host_bridge))
			continue;
		while (top && top_switch(tree->nodes[j]) != top)
			j++;
		if (!top)
			add_node(tree, node, depth);
		else if (i == j)
			show_switch(tree, top, depth);
	}
}

static void show_numa(const struct tree *tree, const struct topology_node *first)
{
	if (first->numa_node.known)
		text_buffer_add(tree->text, "NUMA node %u", (unsigned int)first->numa_node.value);
	else
		text_buffer_add(tree->text, "NUMA node unknown");
	if (first->cpus)
		text_buffer_add(tree->text, ", CPUs %s", first->cpus);
	if (first->package.known)
		text_buffer_add(tree->text, ", package %u", (unsigned int)first->package.value);
	text_buffer_add(tree->text, "\n");
	for (size_t i = 0; i < tree->count; i++) {
		const struct topology_node *node = tree->nodes[i];
		size_t j = 0;

		if (!is_same_place(node, first))
			continue;
		while (!is_same_place(tree->nodes[j], first) ||
		       !is_same_text(tree->nodes[j]->host_bridge, node->host_bridge))
			j++;
		if (i == j)
			show_bridge(tree, node);
	}
}

/* The first node at the lowest NUMA node from `least` on, or NULL. */
static const struct topology_node *next_numa(const struct tree *tree, uint64_t least)
{
	const struct topology_node *found = NULL;

	for (size_t i = 0; i < tree->count; i++) {
		const struct topology_node *node = tree->nodes[i];

		if (node->numa_node.known && node->numa_node.value >= least &&
		    (!found || node->numa_node.value < found->numa_node.value))
			found = node;
	}
	return found;
}

void topology_show_tree(const struct topology *topology, struct topology_node *const *nodes,
			size_t count, struct text_buffer *text)
{
	const struct tree tree = {topology, nodes, count, text};
	const struct topology_node *node = next_numa(&tree, 0);

	for (; node && node->numa_node.value < UINT64_MAX;
	     node = next_numa(&tree, node->numa_node.value + 1))
		show_numa(&tree, node);
	for (size_t i = 0; i < count; i++)
		if (!nodes[i]->numa_node.known) {
			show_numa(&tree, nodes[i]);
			return;
		}
}
