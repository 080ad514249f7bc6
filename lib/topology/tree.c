/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tree as text: NUMA nodes, host bridges, switches, nodes. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "topology/place.h"

enum line_kind { LINE_NUMA, LINE_BRIDGE, LINE_SWITCH, LINE_NIC, LINE_ACCELERATOR };

struct line {
	int depth;
	enum line_kind kind;
	char *text;
	bool slower; /* its link is slower than both ends can do */
};

struct tree {
	const struct topology *topology;
	struct topology_node *const *nodes;
	size_t count;
	struct line *lines;
	size_t line_count;
};

/* Takes over the text of the buffer. */
static struct line *add_line(struct tree *tree, int depth, enum line_kind kind,
			     struct text_buffer *text)
{
	struct line *line = mem_append(&tree->lines, &tree->line_count, sizeof(*tree->lines));

	line->depth = depth;
	line->kind = kind;
	line->text = text_buffer_take(text);
	return line;
}

/* Appends the link to the text; returns whether it is slower than possible. */
static bool add_link(struct text_buffer *text, const struct real *speed, const struct number *lanes,
		     const struct real *max_speed, const struct number *max_lanes)
{
	_cleanup_(freep) char *now = topology_link_text(speed, lanes);
	_cleanup_(freep) char *best = topology_link_text(max_speed, max_lanes);
	const bool slower = strcmp(best, "-") && strcmp(now, "-") && strcmp(now, best);

	if (strcmp(now, "-"))
		text_buffer_add(text, "  %s", now);
	if (slower)
		text_buffer_add(text, " (slower than %s)", best);
	return slower;
}

static void add_node(struct tree *tree, const struct topology_node *node, int depth)
{
	struct text_buffer text = {.text = NULL};
	bool slower;

	text_buffer_add(&text, "%s", node->name);
	if (node->pci_address)
		text_buffer_add(&text, "  %s", node->pci_address);
	if (node->active == TRISTATE_NO)
		text_buffer_add(&text, "  no active port");
	if (node->parent)
		text_buffer_add(&text, "  of %s", node->parent);
	slower = add_link(&text, &node->speed_gtps, &node->width_lanes, &node->max_speed_gtps,
			  &node->max_width_lanes);
	add_line(tree, depth, node->kind.value == TOPOLOGY_NIC ? LINE_NIC : LINE_ACCELERATOR, &text)
		->slower = slower;
}

static void add_switch(struct tree *tree, const struct topology_switch *at, int depth)
{
	const struct real speed = at->function ? at->function->speed_gtps : at->speed_gtps;
	const struct number lanes = at->function ? at->function->width_lanes : at->width_lanes;
	struct text_buffer text = {.text = NULL};
	bool slower;

	text_buffer_add(&text, "switch %s", at->id);
	if (at->vendor_id.known && at->device_id.known)
		text_buffer_add(&text, " [%04x:%04x]", (unsigned int)at->vendor_id.value,
				(unsigned int)at->device_id.value);
	slower = add_link(&text, &speed, &lanes, &at->speed_gtps, &at->width_lanes);
	add_line(tree, depth, LINE_SWITCH, &text)->slower = slower;
}

/* Whether a node that is shown is below the switch. */
static bool is_used(const struct tree *tree, const struct topology_switch *at)
{
	for (size_t i = 0; i < tree->count; i++)
		if (strings_contain(&tree->nodes[i]->switches, at->id))
			return true;
	return false;
}

static void show_switch(struct tree *tree, const struct topology_switch *at, int depth)
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

/* Shows the nodes below one host bridge; each top switch once, with its first node. */
static void show_bridge(struct tree *tree, const struct topology_node *first)
{
	const int depth = first->host_bridge ? 2 : 1;
	struct text_buffer text = {.text = NULL};

	if (first->host_bridge) {
		text_buffer_add(&text, "%s", first->host_bridge);
		add_line(tree, 1, LINE_BRIDGE, &text);
	}
	for (size_t i = 0; i < tree->count; i++) {
		const struct topology_node *node = tree->nodes[i];
		const struct topology_switch *top = top_switch(node);
		size_t j = 0;

		if (!topology_is_same_numa(node, first) ||
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

static void show_numa(struct tree *tree, const struct topology_node *first)
{
	struct text_buffer text = {.text = NULL};

	if (first->numa_node.known)
		text_buffer_add(&text, "NUMA node %u", (unsigned int)first->numa_node.value);
	else
		text_buffer_add(&text, "NUMA node unknown");
	if (first->cpus && *first->cpus)
		text_buffer_add(&text, ", CPUs %s", first->cpus);
	else if (first->cpus)
		text_buffer_add(&text, ", no CPUs");
	if (first->package.known)
		text_buffer_add(&text, ", package %u", (unsigned int)first->package.value);
	add_line(tree, 0, LINE_NUMA, &text);
	for (size_t i = 0; i < tree->count; i++) {
		const struct topology_node *node = tree->nodes[i];
		size_t j = 0;

		if (!topology_is_same_numa(node, first))
			continue;
		while (!topology_is_same_numa(tree->nodes[j], first) ||
		       !is_same_text(tree->nodes[j]->host_bridge, node->host_bridge))
			j++;
		if (i == j)
			show_bridge(tree, node);
	}
}

/* The first node at the lowest NUMA node that is at least `least`, or NULL. */
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

static void make_lines(struct tree *tree)
{
	const struct topology_node *node = next_numa(tree, 0);

	for (; node; node = next_numa(tree, node->numa_node.value + 1))
		show_numa(tree, node);
	for (size_t i = 0; i < tree->count; i++)
		if (!tree->nodes[i]->numa_node.known) {
			show_numa(tree, tree->nodes[i]);
			return;
		}
}

static void clear_lines(struct tree *tree)
{
	for (size_t i = 0; i < tree->line_count; i++)
		free(tree->lines[i].text);
	free(tree->lines);
}

void topology_show_tree(const struct topology *topology, struct topology_node *const *nodes,
			size_t count, struct text_buffer *text)
{
	struct tree tree = {.topology = topology, .nodes = nodes, .count = count};

	make_lines(&tree);
	for_each_in (line, tree.lines, tree.line_count)
		text_buffer_add(text, "%*s%s\n", line->depth * 2, "", line->text);
	clear_lines(&tree);
}

/* Sizes in pixels. */
enum { LINE_HEIGHT = 26, BOX_HEIGHT = 20, DEPTH_INDENT = 28, MARGIN = 10, CHARACTER = 8 };

static int box_x(const struct line *line)
{
	return MARGIN + line->depth * DEPTH_INDENT;
}

static int box_y(size_t number)
{
	return MARGIN + (int)number * LINE_HEIGHT;
}

/* Draws a line from the left edge of the box up to the box that contains it. */
static void draw_edge(const struct tree *tree, size_t number, struct text_buffer *text)
{
	const struct line *line = &tree->lines[number];
	size_t parent = number;
	int x = box_x(line) - DEPTH_INDENT / 2;

	while (parent && tree->lines[parent].depth >= line->depth)
		parent--;
	if (tree->lines[parent].depth < line->depth)
		text_buffer_add(text, "<path class=\"%s\" d=\"M%d %d V%d H%d\"/>\n",
				line->slower ? "slower" : "link", x, box_y(parent) + BOX_HEIGHT,
				box_y(number) + BOX_HEIGHT / 2, box_x(line));
}

static void draw_box(const struct tree *tree, size_t number, struct text_buffer *text)
{
	static const char *const classes[] = {"numa", "bridge", "switch", "nic", "accelerator"};
	const struct line *line = &tree->lines[number];
	const int width = CHARACTER * ((int)strlen(line->text) + 2);

	text_buffer_add(
		text,
		"<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/>\n"
		"<text x=\"%d\" y=\"%d\">",
		classes[line->kind], box_x(line), box_y(number), width, BOX_HEIGHT,
		box_x(line) + CHARACTER, box_y(number) + 15);
	text_buffer_add_xml(text, line->text);
	text_buffer_add(text, "</text>\n");
}

void topology_draw_tree(const struct topology *topology, struct topology_node *const *nodes,
			size_t count, struct text_buffer *text)
{
	struct tree tree = {.topology = topology, .nodes = nodes, .count = count};
	int width = 0;

	make_lines(&tree);
	for_each_in (line, tree.lines, tree.line_count) {
		const int right = box_x(line) + CHARACTER * ((int)strlen(line->text) + 2);

		width = right > width ? right : width;
	}
	text_buffer_add(
		text,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\">\n"
		"<style>text{font:13px monospace}rect{stroke:#555;fill:#fff}.numa{fill:#eee}"
		".switch{fill:#fff3c4}.nic{fill:#d5f0d5}.accelerator{fill:#d6e4ff}"
		"path{fill:none;stroke:#555}.slower{stroke:#c00;stroke-width:2}</style>\n",
		width + MARGIN, box_y(tree.line_count) + MARGIN);
	for (size_t i = 0; i < tree.line_count; i++)
		draw_edge(&tree, i, text);
	for (size_t i = 0; i < tree.line_count; i++)
		draw_box(&tree, i, text);
	text_buffer_add(text, "</svg>\n");
	clear_lines(&tree);
}
