/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/format/dot.h"

/* With more cables between switches than this, labels would push the levels too far apart. */
#define MOST_CABLES 400u
#define MOST_PEN    4.0	 /* points */
#define ALPHA_GOOD  "a0" /* good cables stay in the background */

/* Distance between levels: the more switches are side by side, the flatter the lines would be. */
#define LEAST_INCHES	 0.9
#define INCHES_OF_SWITCH 0.04
#define MOST_WIDE	 300u /* switches */

#define FONT "fontname=\"Helvetica,Arial,sans-serif\""

void dot_id(const struct dot *dot, uint32_t node, char id[static DOT_ID_SIZE])
{
	static const char letters[] = {
		[NODE_TYPE_CA] = 'H',
		[NODE_TYPE_SWITCH] = 'S',
		[NODE_TYPE_ROUTER] = 'R',
	};
	const struct fabric_node *at = &dot->drawing.view->fabric->nodes[node];

	if (at->ambiguous)
		snprintf(id, DOT_ID_SIZE, "%c-%016" PRIx64 "/%" PRIu32, letters[at->type], at->guid,
			 dot->drawing.order[node]);
	else
		snprintf(id, DOT_ID_SIZE, "%c-%016" PRIx64, letters[at->type], at->guid);
}

void dot_add_attribute(struct dot *dot, const char *name, const char *value)
{
	text_buffer_add(&dot->text, ", %s=", name);
	dot_add_string(&dot->text, value);
}

static uint32_t widest_level(const struct dot *dot)
{
	const struct fabric_levels *levels = &dot->drawing.levels;
	uint32_t *counts = mem_alloc_zero((size_t)levels->count + 1, sizeof(*counts)), most = 0;

	for (uint32_t i = 0; i < dot->drawing.view->fabric->node_count; i++)
		if (levels->level[i] && ++counts[levels->level[i]] > most)
			most = counts[levels->level[i]];
	free(counts);
	return most < MOST_WIDE ? most : MOST_WIDE;
}

static bool has_room(const struct dot *dot)
{
	const struct fabric *fabric = dot->drawing.view->fabric;
	const unsigned int *level = dot->drawing.levels.level;
	uint64_t ends = 0;

	for (uint32_t i = 0; i < fabric->port_count; i++)
		ends += fabric->ports[i].peer != FABRIC_NONE && level[fabric->ports[i].node] &&
			level[fabric_peer_node(fabric, i)];
	return dot->drawing.levels.is_tree && ends / 2 <= MOST_CABLES;
}

static void add_head(struct dot *dot)
{
	double inches = LEAST_INCHES + INCHES_OF_SWITCH * widest_level(dot);

	text_buffer_add(&dot->text,
			"graph fabric {\n\tgraph [bgcolor=\"white\", " FONT ", fontsize=12, "
			"fontcolor=\"" DOT_INK "\", labelloc=\"t\", labeljust=\"l\", "
			"outputorder=\"edgesfirst\", splines=\"line\", pad=0.2, ");
	if (dot->drawing.levels.is_tree)
		text_buffer_add(&dot->text, "nodesep=0.16, ranksep=%.2f, %s",
				inches / (dot->has_room ? 2 : 1),
				dot->options.groups ? "newrank=true, " : "");
	else
		text_buffer_add(&dot->text, "layout=\"%s\", overlap=\"prism\", sep=\"+6\", ",
				dot->options.groups ? "fdp" : "neato"); /* neato has no frames */
	dot_add_legend(dot);
	text_buffer_add(&dot->text,
			"];\n\tnode [" FONT ", fontsize=10, fontcolor=\"" DOT_INK "\", "
			"color=\"" DOT_GREY "\", shape=\"box\", style=\"rounded,filled\", "
			"fillcolor=\"white\", height=0.1, width=0.1, margin=\"0.09,0.05\"];\n"
			"\tedge [" FONT ", fontsize=9%s];\n",
			dot->has_room ? ", minlen=2" : "");
}

static void add_switch(struct dot *dot, uint32_t node)
{
	static const char *const fills[] = {"#e3eefa", "#c6def5", "#a9cdf0"};
	unsigned int level = dot->drawing.levels.level[node] - 1;
	const char *fill = dot_fill(dot, node);
	_cleanup_(freep) char *remark = dot_remark(dot, node);
	char id[DOT_ID_SIZE];

	if (!dot->drawing.levels.is_tree)
		level = 1;
	else if (level >= ARRAY_SIZE(fills))
		level = ARRAY_SIZE(fills) - 1;
	dot_id(dot, node, id);
	text_buffer_add(&dot->text, "\t\t\"%s\" [fillcolor=\"%s\"", id, fill ? fill : fills[level]);
	if (remark)
		dot_add_label(dot, node, remark);
	else
		dot_add_attribute(dot, "label", dot->drawing.names[node]);
	text_buffer_add(&dot->text, "];\n");
}

/* The tooltip of an edge: nodes, kind, and the ports of the first node. */
static void add_tooltip(struct dot *dot, const struct dot_edge *edge, const char *kind)
{
	const struct cables *cables = edge->cables;
	struct text_buffer tooltip = {.text = NULL};

	text_buffer_add(&tooltip, "%s", dot->drawing.names[edge->node]);
	if (!edge->to)
		text_buffer_add(&tooltip, " - %s", dot->drawing.names[edge->peer]);
	text_buffer_add(&tooltip, ": %s, port", kind);
	for (size_t i = 0; i < cables->count; i++)
		text_buffer_add(&tooltip, "%s%u", i ? "," : " ",
				dot->drawing.view->fabric->ports[cables->ports[i]].number);
	dot_add_attribute(dot, "tooltip", tooltip.text);
	free(tooltip.text);
}

/* The more cables or errors, the thicker the line. */
static double pen_width(const struct dot *dot, const struct cables *cables)
{
	double width = 0.9 + 0.15 * (double)(cables->count - 1);

	width += dot_error_width(dot, cables);
	if (cables->kind.condition != CABLE_GOOD)
		width += 1;
	return width < MOST_PEN ? width : MOST_PEN;
}

static void add_line(struct dot *dot, const struct dot_edge *edge, const char *from, const char *to,
		     const char *words)
{
	const struct cable_kind *kind = &edge->cables->kind;

	text_buffer_add(&dot->text, "\t\"%s\" -- \"%s\" [color=\"%s%s\", penwidth=%.1f", from, to,
			dot_line_color(dot, edge->cables),
			kind->condition == CABLE_GOOD && dot->scheme.kind == DRAWING_STATE
				? ALPHA_GOOD
				: "",
			pen_width(dot, edge->cables));
	if (kind->condition >= CABLE_NOT_ACTIVE)
		text_buffer_add(&dot->text, ", style=\"dashed\"");
	if (edge->is_level)
		text_buffer_add(&dot->text, ", constraint=false");
	if (edge->weight)
		text_buffer_add(&dot->text, ", weight=%u", edge->weight);
	add_tooltip(dot, edge, words);
}

static void add_words(struct dot *dot, const struct dot_edge *edge, const char *name,
		      const char *words)
{
	text_buffer_add(&dot->text, ", fontcolor=\"%s\", %s=<", dot_color(dot, &edge->cables->kind),
			name);
	if (edge->cables->count > 1)
		text_buffer_add(&dot->text, "%zu x ", edge->cables->count);
	dot_add_lines(&dot->text, words);
	text_buffer_add(&dot->text, ">];\n");
}

/* The label is a node halfway down, because lines are drawn across the label of an edge. */
static void add_labelled_edge(struct dot *dot, const struct dot_edge *edge, const char *from,
			      const char *to, const char *words)
{
	const struct fabric_port *port = &dot->drawing.view->fabric->ports[edge->cables->ports[0]];
	_cleanup_(freep) char *middle = mem_format("%s/cable%u", from, port->number);

	text_buffer_add(
		&dot->text,
		"\t\"%s\" [style=\"filled\", color=\"white\", fontsize=9, margin=\"0.02,0.02\"",
		middle);
	add_words(dot, edge, "label", words);
	add_line(dot, edge, from, middle, words);
	text_buffer_add(&dot->text, ", minlen=1];\n");
	add_line(dot, edge, middle, to, words);
	text_buffer_add(&dot->text, ", minlen=1];\n");
}

void dot_add_edge(struct dot *dot, const struct dot_edge *edge)
{
	const struct cable_kind *kind = &edge->cables->kind;
	char from[DOT_ID_SIZE], id[DOT_ID_SIZE], words[CABLE_TEXT_SIZE];
	const char *to = edge->to ? edge->to : id;

	dot_id(dot, edge->node, from);
	if (!edge->to)
		dot_id(dot, edge->peer, id);
	cable_text(kind, words);
	if (!edge->is_labelled || !dot->labels || kind->condition == CABLE_GOOD) {
		add_line(dot, edge, from, to, words);
		text_buffer_add(&dot->text, "];\n");
	} else if (edge->is_level || !dot->has_room) {
		add_line(dot, edge, from, to, words);
		add_words(dot, edge, "xlabel", words);
	} else {
		add_labelled_edge(dot, edge, from, to, words);
	}
}

struct stand {
	uint32_t chassis; /* switches of one chassis are side by side */
	double column;
	uint32_t order, node;
};

DEFINE_ORDER(compare_stands, struct stand,
	     COMPARE(a->chassis, b->chassis) ?: COMPARE(a->column, b->column),
	     COMPARE(a->order, b->order))

/*
 * The wanted place of a switch on its level: leaves with the same parents side by side, other
 * switches centred above what they connect, so that few cables cross. The outermost switches below
 * count, not the mean, so that a missing cable does not move a switch.
 */
static double wanted_column(const struct dot *dot, uint32_t node)
{
	const struct fabric *fabric = dot->drawing.view->fabric;
	const unsigned int *level = dot->drawing.levels.level;
	double parent = (double)fabric->node_count, left = 1, right = 0;

	for_each_port_of (port, &fabric->nodes[node]) {
		const uint32_t other = fabric_peer_node(fabric, port);

		if (other == FABRIC_NONE)
			continue;
		if (level[other] > level[node] && dot->drawing.order[other] < parent)
			parent = dot->drawing.order[other];
		if (!level[other] || level[other] >= level[node])
			continue;
		left = dot->column[other] < left ? dot->column[other] : left;
		right = dot->column[other] > right ? dot->column[other] : right;
	}
	return right > 0 ? (left + right) / 2 : parent;
}

/* Adds the switches of a level from left to right, fixed in this order. */
static void add_level(struct dot *dot, const uint32_t *nodes, uint32_t count)
{
	_cleanup_(freep) struct stand *stands = mem_alloc_zero(count, sizeof(*stands));
	char id[DOT_ID_SIZE];

	for (uint32_t i = 0; i < count; i++)
		stands[i] = (struct stand){
			.chassis = dot->options.groups
					   ? dot->drawing.view->chassis->number[nodes[i]]
					   : 0,
			.column = wanted_column(dot, nodes[i]),
			.order = dot->drawing.order[nodes[i]],
			.node = nodes[i],
		};
	MEM_SORT(stands, count, compare_stands);
	text_buffer_add(&dot->text, "\t{\n%s",
			dot->drawing.levels.is_tree ? "\t\trank=\"same\";\n" : "");
	for (uint32_t i = 0; i < count; i++) {
		dot->column[stands[i].node] = (i + 0.5) / count;
		add_switch(dot, stands[i].node);
	}
	for (uint32_t i = 0; dot->drawing.levels.is_tree && count > 1 && i < count; i++) {
		dot_id(dot, stands[i].node, id);
		text_buffer_add(&dot->text, "%s\"%s\"%s", i ? " -- " : "\t\t", id,
				i + 1 < count ? "" : " [style=\"invis\"];\n");
	}
	text_buffer_add(&dot->text, "\t}\n");
}

/* Goes up from the leaves, because the place of a switch depends on those below it. */
static void add_levels(struct dot *dot)
{
	const struct drawing *drawing = &dot->drawing;
	_cleanup_(freep) uint32_t *ends = NULL, *nodes = drawing_by_level(drawing, &ends);

	for (unsigned int i = 1; i <= drawing->levels.count; i++)
		if (ends[i] > ends[i - 1])
			add_level(dot, nodes + ends[i - 1], ends[i] - ends[i - 1]);
}

static void add_frames(struct dot *dot)
{
	const struct fabric *fabric = dot->drawing.view->fabric;
	const struct chassis_list *list = dot->drawing.view->chassis;

	for (size_t i = 0; dot->options.groups && i < list->count; i++) {
		const struct chassis *chassis = &list->items[i];
		_cleanup_(freep) char *name = chassis_name(fabric, list, i + 1);
		char id[DOT_ID_SIZE];
		size_t switches = 0;

		for (size_t j = 0; j < chassis->count; j++) {
			if (fabric->nodes[chassis->members[j].node].type != NODE_TYPE_SWITCH)
				continue;
			if (!switches++) {
				text_buffer_add(&dot->text,
						"\tsubgraph \"cluster_%zu\" {\n"
						"\t\tgraph [style=\"rounded\", "
						"color=\"" DOT_GREY "\", fontsize=10",
						i + 1);
				dot_add_attribute(dot, "label", name);
				text_buffer_add(&dot->text, "];\n");
			}
			dot_id(dot, chassis->members[j].node, id);
			text_buffer_add(&dot->text, "\t\t\"%s\";\n", id);
		}
		if (switches)
			text_buffer_add(&dot->text, "\t}\n");
	}
}

/* Adds cables to switches below, and to later switches of the same level. */
static void add_switch_edges(struct dot *dot, uint32_t node, const struct cable_list *cables)
{
	const struct drawing *drawing = &dot->drawing;
	const unsigned int *level = drawing->levels.level;

	for (size_t i = 0; i < cables->count; i++) {
		uint32_t peer = cables->items[i].peer;

		if (peer == FABRIC_NONE || !level[peer] || level[peer] > level[node] ||
		    (level[peer] == level[node] && drawing->order[peer] < drawing->order[node]))
			continue;
		dot_add_edge(dot, &(const struct dot_edge){
					  .node = node,
					  .peer = peer,
					  .cables = &cables->items[i],
					  .is_labelled = true,
					  .is_level = level[peer] == level[node],
				  });
	}
}

static void add_lone_hosts(struct dot *dot, uint32_t node, const struct cable_list *cables)
{
	const struct drawing *drawing = &dot->drawing;

	dot_add_host(dot, node, NULL);
	for (size_t i = 0; i < cables->count; i++) {
		uint32_t peer = cables->items[i].peer;
		const struct dot_edge edge = {.node = node,
					      .peer = peer,
					      .cables = &cables->items[i],
					      .is_labelled = true};

		if (peer == FABRIC_NONE || drawing->levels.level[peer] ||
		    drawing->order[peer] < drawing->order[node])
			continue;
		dot_add_host(dot, peer, NULL);
		dot_add_edge(dot, &edge);
	}
}

/* Switches come first, because they draw the nodes attached to them. */
static void add_edges(struct dot *dot, bool switches)
{
	const struct drawing *drawing = &dot->drawing;

	for (uint32_t i = 0; i < drawing->view->fabric->node_count; i++) {
		uint32_t node = drawing->sorted[i];
		struct cable_list cables;

		if ((drawing->levels.level[node] != 0) != switches)
			continue;
		cable_list_fill(drawing->view->fabric, node, drawing->order, &cables);
		if (switches) {
			add_switch_edges(dot, node, &cables);
			dot_add_hosts(dot, node, &cables);
		} else if (!dot->drawn[node]) {
			add_lone_hosts(dot, node, &cables);
		}
		cable_list_clear(&cables);
	}
}

char *fabric_dot_text(const struct fabric_view *view, const struct drawing_options *options)
{
	uint32_t count = view->fabric->node_count;
	struct dot dot = {.options = *options};

	drawing_begin(view, &dot.drawing);
	dot.options.groups &= view->chassis != NULL;
	scheme_fill(&dot.drawing, options, &dot.scheme);
	dot.drawn = mem_alloc_zero(count, sizeof(*dot.drawn));
	dot.column = mem_alloc_zero(count, sizeof(*dot.column));
	dot.has_room = has_room(&dot);
	add_head(&dot);
	add_levels(&dot);
	add_frames(&dot);
	add_edges(&dot, true);
	add_edges(&dot, false);
	text_buffer_add(&dot.text, "}\n");
	free(dot.drawn);
	free(dot.column);
	scheme_clear(&dot.scheme);
	drawing_end(&dot.drawing);
	return text_buffer_take(&dot.text);
}
