/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fabric/format/drawing.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hostlist.h"
#include "base/mem.h"
#include "base/text.h"

/* Limit of the names in a line that reports nothing wrong, in bytes. */
#define MOST_NAMES 60
/* Deeper switches are printed after the others, starting at the margin. */
#define MOST_DEPTH 24
/* Columns per level. */
#define TREE_INDENT 3

struct tree {
	struct drawing drawing;
	bool all;
	bool *printed;	 /* of each node */
	uint32_t *later; /* switches too deep for their place in the tree */
	size_t later_count;
	struct text_buffer text;
};

/* Lines below a switch, in the order in which they are printed. */
enum section { SECTION_NODES, SECTION_BELOW, SECTION_SEEN, SECTION_BESIDE, SECTION_COUNT };

/* A line: nodes attached by the same number and kind of cables. */
struct line {
	enum section section;
	struct cable_kind kind;
	size_t cables;		   /* to each node */
	struct text_buffer faults; /* of some of the cables */
	uint32_t *nodes;	   /* or ports, if nothing answered */
	size_t count;
	uint32_t below;	   /* switch printed below the line, or FABRIC_NONE */
	unsigned int port; /* of the first cable to the first node */
};

struct lines {
	struct line *items;
	size_t count;
};

static enum section section_of(const struct tree *tree, uint32_t node, uint32_t peer)
{
	const unsigned int *level = tree->drawing.levels.level;

	if (peer == FABRIC_NONE || !level[peer])
		return SECTION_NODES;
	if (level[peer] == level[node])
		return SECTION_BESIDE;
	return tree->printed[peer] ? SECTION_SEEN : SECTION_BELOW;
}

/* Adds `1x EDR, could be 4x EDR at port 3,5`, for cables that differ from most. */
static void add_fault(const struct fabric *fabric, struct text_buffer *faults,
		      const struct cables *cables)
{
	char kind[CABLE_TEXT_SIZE];

	cable_text(&cables->kind, kind);
	text_buffer_add(faults, "; %s at port ", kind);
	for (size_t i = 0; i < cables->count; i++)
		text_buffer_add(faults, "%s%u", i ? "," : "",
				fabric->ports[cables->ports[i]].number);
}

static bool fits(const struct tree *tree, const struct line *line, const struct line *other)
{
	return !tree->all && line->section == other->section && line->below == FABRIC_NONE &&
	       other->below == FABRIC_NONE && line->cables == other->cables &&
	       !line->faults.length && !other->faults.length &&
	       !memcmp(&line->kind, &other->kind, sizeof(line->kind));
}

/* Adds the node to a line that fits, or to a new one. A switch has only a few kinds of lines. */
static void add_line(struct tree *tree, struct lines *lines, const struct line *line, uint32_t node)
{
	struct line *found = NULL;

	for (size_t i = lines->count; i > 0 && !found; i--)
		if (fits(tree, &lines->items[i - 1], line))
			found = &lines->items[i - 1];
	if (!found) {
		found = mem_append(&lines->items, &lines->count, sizeof(*found));
		*found = *line;
	}
	MEM_ADD(found->nodes, found->count) = node;
}

/* Adds all cables to a neighbour, from item `first` on; returns the number of items. */
static size_t add_neighbour(struct tree *tree, uint32_t node, unsigned int depth,
			    const struct cable_list *cables, size_t first, struct lines *lines)
{
	const struct fabric *fabric = tree->drawing.view->fabric;
	const struct cables *main = &cables->items[first];
	uint32_t peer = main->peer;
	struct line line = {.below = FABRIC_NONE, .section = section_of(tree, node, peer)};
	size_t end = first + 1;

	while (peer != FABRIC_NONE && end < cables->count && cables->items[end].peer == peer)
		if (cables->items[end++].count > main->count)
			main = &cables->items[end - 1];
	if (peer != FABRIC_NONE &&
	    tree->drawing.levels.level[peer] > tree->drawing.levels.level[node])
		return end - first;
	line.kind = main->kind;
	line.cables = main->count;
	line.port = fabric->ports[main->ports[0]].number;
	for (size_t i = first; i < end; i++)
		if (&cables->items[i] != main)
			add_fault(fabric, &line.faults, &cables->items[i]);
	if (line.section == SECTION_BELOW) {
		tree->printed[peer] = true;
		if (depth < MOST_DEPTH)
			line.below = peer;
		else
			tree->later[tree->later_count++] = peer;
	}
	if (line.section == SECTION_NODES && !tree->drawing.levels.level[node] &&
	    peer != FABRIC_NONE)
		tree->printed[peer] = true;
	add_line(tree, lines, &line, peer == FABRIC_NONE ? main->ports[0] : peer);
	return end - first;
}

/* Names the hosts by their first word, if the first words distinguish them. */
static char *list_names(const struct tree *tree, const struct line *line, bool is_bad)
{
	const struct drawing *drawing = &tree->drawing;
	_cleanup_(freep) const char **names = mem_alloc_zero(line->count, sizeof(*names));
	char *const *of = line->section == SECTION_NODES
				  ? drawing_short_names(drawing, line->nodes, line->count)
				  : drawing->names;

	for (size_t i = 0; i < line->count; i++)
		names[i] = of[line->nodes[i]];
	return hostlist_format(names, line->count, is_bad ? 0 : MOST_NAMES);
}

static char *list_ports(const struct tree *tree, const struct line *line)
{
	char **words = mem_alloc_zero(line->count, sizeof(*words)), *list;

	for (size_t i = 0; i < line->count; i++)
		words[i] = mem_format("%u",
				      tree->drawing.view->fabric->ports[line->nodes[i]].number);
	list = hostlist_format((const char *const *)words, line->count, 0);
	for (size_t i = 0; i < line->count; i++)
		free(words[i]);
	free(words);
	return list;
}

static const char *kind_of_nodes(const struct tree *tree, const struct line *line)
{
	if (line->section != SECTION_NODES)
		return "switches";
	for (size_t i = 0; i < line->count; i++)
		if (!fabric_is_host(tree->drawing.view->fabric, line->nodes[i]))
			return "nodes";
	return "hosts";
}

static void add_text(struct tree *tree, const struct line *line, bool is_bad)
{
	struct text_buffer *text = &tree->text;
	_cleanup_(freep) char *list = NULL;
	char kind[CABLE_TEXT_SIZE];

	cable_text(&line->kind, kind);
	if (line->kind.condition == CABLE_UNANSWERED) {
		list = list_ports(tree, line);
		text_buffer_add(text, "port%s %s: %s", text_plural_s(line->count), list, kind);
		return;
	}
	if (line->section == SECTION_BESIDE)
		text_buffer_add(text, "beside it: ");
	if (line->count == 1) {
		text_buffer_add(text, "%s", tree->drawing.names[line->nodes[0]]);
		if (line->cables > 1)
			text_buffer_add(text, ", %zu cables", line->cables);
		else if (is_bad || tree->all)
			text_buffer_add(text, " at port %u", line->port);
		text_buffer_add(text, ", %s%s", kind, line->faults.length ? line->faults.text : "");
		return;
	}
	list = list_names(tree, line, is_bad);
	text_buffer_add(text, "%zu %s, ", line->count, kind_of_nodes(tree, line));
	if (line->cables > 1)
		text_buffer_add(text, "%zu cables each, ", line->cables);
	text_buffer_add(text, "%s: %s", kind, list);
}

static bool is_bad(const struct tree *tree, uint32_t node, const struct line *line)
{
	const bool is_told = !fabric_is_made(tree->drawing.view->fabric);

	/* A text does not give the state of its cables, which is no cause for alarm. */
	return (line->kind.condition != CABLE_GOOD &&
		(line->kind.condition != CABLE_UNKNOWN || is_told)) ||
	       line->faults.length ||
	       (line->section == SECTION_BESIDE &&
		(tree->drawing.levels.is_tree || line->nodes[0] == node));
}

static void print_below(struct tree *tree, uint32_t node, unsigned int depth, char *margin);

/* Prints the branch to a line, then the line. */
static void print_line(struct tree *tree, uint32_t node, const struct line *line,
		       unsigned int depth, char *margin, bool is_last)
{
	bool bad = is_bad(tree, node, line);

	text_buffer_add(&tree->text, "%.*s%s%s%s", (int)depth * TREE_INDENT, margin,
			is_last ? "`" : "|", line->section == SECTION_SEEN ? "-> " : "- ",
			bad ? "! " : "");
	add_text(tree, line, bad);
	text_buffer_add(&tree->text, "\n");
	if (line->below == FABRIC_NONE)
		return;
	memcpy(margin + (size_t)depth * TREE_INDENT, is_last ? "   " : "|  ", TREE_INDENT);
	print_below(tree, line->below, depth + 1, margin);
}

static void clear_lines(struct lines *lines)
{
	for (size_t i = 0; i < lines->count; i++) {
		free(lines->items[i].faults.text);
		free(lines->items[i].nodes);
	}
	free(lines->items);
}

static void fill_lines(struct tree *tree, uint32_t node, unsigned int depth, struct lines *lines,
		       unsigned int *ret_beyond)
{
	struct cable_list cables;

	cable_list_fill(tree->drawing.view->fabric, node, tree->drawing.order, &cables);
	for (size_t i = 0; i < cables.count;)
		i += add_neighbour(tree, node, depth, &cables, i, lines);
	*ret_beyond = cables.beyond;
	cable_list_clear(&cables);
}

static void print_below(struct tree *tree, uint32_t node, unsigned int depth, char *margin)
{
	struct lines lines = {.items = NULL};
	unsigned int beyond;
	size_t left;

	fill_lines(tree, node, depth, &lines, &beyond);
	left = lines.count;
	for (unsigned int section = 0; section < SECTION_COUNT; section++)
		for (size_t i = 0; i < lines.count; i++)
			if (lines.items[i].section == section)
				print_line(tree, node, &lines.items[i], depth, margin,
					   !--left && !beyond);
	if (beyond)
		text_buffer_add(&tree->text, "%.*s`- %u port%s that this scan did not follow\n",
				(int)depth * TREE_INDENT, margin, beyond, text_plural_s(beyond));
	clear_lines(&lines);
}

static void print_root(struct tree *tree, uint32_t node)
{
	char margin[(MOST_DEPTH + 1) * TREE_INDENT];

	tree->printed[node] = true;
	text_buffer_add(&tree->text, "%s\n", tree->drawing.names[node]);
	print_below(tree, node, 0, margin);
}

/* Whether the node is not printed yet, and has no switch above it. */
static bool is_root(const struct tree *tree, uint32_t node)
{
	const struct fabric *fabric = tree->drawing.view->fabric;
	const unsigned int *level = tree->drawing.levels.level;

	for_each_port_of (port, &fabric->nodes[node])
		if (fabric->ports[port].peer != FABRIC_NONE &&
		    level[fabric_peer_node(fabric, port)] > level[node])
			return false;
	return !tree->printed[node];
}

static void print_roots(struct tree *tree)
{
	const struct drawing *drawing = &tree->drawing;
	uint32_t count = drawing->view->fabric->node_count;

	/* Roots differ in level only if the graph has several parts. */
	for (unsigned int others = 0; others < 2; others++)
		for (uint32_t i = 0; i < count; i++) {
			uint32_t node = drawing->sorted[i];

			if ((drawing->levels.level[node] == 0) == others && is_root(tree, node))
				print_root(tree, node);
		}
	for (size_t i = 0; i < tree->later_count; i++)
		print_root(tree, tree->later[i]);
}

char *fabric_tree_text(const struct fabric_view *view, bool all)
{
	uint32_t count = view->fabric->node_count;
	struct tree tree = {.all = all};
	char *title;

	drawing_begin(view, &tree.drawing);
	tree.printed = mem_alloc_zero(count, sizeof(*tree.printed));
	tree.later = mem_alloc_zero(count, sizeof(*tree.later));
	title = drawing_title(&tree.drawing);
	text_buffer_add(&tree.text, "%s%s\n", title,
			tree.drawing.levels.is_tree
				? ""
				: "; not a tree: printed from where the scan began");
	print_roots(&tree);
	free(title);
	free(tree.printed);
	free(tree.later);
	drawing_end(&tree.drawing);
	return text_buffer_take(&tree.text);
}
