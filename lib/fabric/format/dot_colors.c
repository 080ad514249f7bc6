/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The colours of a drawing for Graphviz, and its legend. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "fabric/format/dot.h"

/* So many labels are readable; with more, or if most cables are bad, only the legend shows them. */
#define MOST_LABELS 60u
#define MOST_LEGEND 8u
/* Heights of the colours in the legend, in points. */
#define SWATCH_LINE 4u
#define SWATCH_BOX  10u

static const char *state_color(const struct cable_kind *kind)
{
	static const char *const by_speed[SPEED_COUNT] = {
		[SPEED_UNKNOWN] = "#9aa5b1", [SPEED_SDR] = "#a9b8c6",	[SPEED_DDR] = "#98afc7",
		[SPEED_QDR] = "#86a8cb",     [SPEED_FDR10] = "#7aa3cd", [SPEED_FDR] = "#6d9dcf",
		[SPEED_EDR] = "#5292c9",     [SPEED_HDR] = "#3a82bd",	[SPEED_NDR] = "#236fab",
		[SPEED_XDR] = "#0f5a94",
	};
	static const char *const by_condition[] = {
		[CABLE_SLOW] = "#e8710a",
		[CABLE_UNKNOWN] = "#9334e6",
		[CABLE_NOT_ACTIVE] = "#d93025",
		[CABLE_UNANSWERED] = "#d93025",
	};

	if (kind->condition != CABLE_GOOD)
		return by_condition[kind->condition];
	return by_speed[kind->speed < SPEED_COUNT ? kind->speed : SPEED_UNKNOWN];
}

/* A scheme of cables leaves no colour for faults, so words and dashes show them. */
const char *dot_color(const struct dot *dot, const struct cable_kind *kind)
{
	if (dot->scheme.kind == DRAWING_STATE)
		return state_color(kind);
	if (!scheme_is_of_nodes(dot->scheme.kind))
		return DOT_INK;
	return kind->condition == CABLE_GOOD ? SCHEME_UNKNOWN_COLOR : state_color(kind);
}

/* The class of several cables is that of the worst. */
static unsigned int line_class(const struct dot *dot, const struct cables *cables)
{
	unsigned int worst = 0;

	for (size_t i = 0; i < cables->count; i++)
		if (dot->scheme.of[cables->ports[i]] > worst)
			worst = dot->scheme.of[cables->ports[i]];
	return worst;
}

const char *dot_line_color(const struct dot *dot, const struct cables *cables)
{
	if (dot->scheme.kind == DRAWING_STATE || scheme_is_of_nodes(dot->scheme.kind))
		return dot_color(dot, &cables->kind);
	return dot->scheme.classes[line_class(dot, cables)].color;
}

double dot_error_width(const struct dot *dot, const struct cables *cables)
{
	return dot->scheme.kind == DRAWING_ERRORS ? 0.6 * line_class(dot, cables) : 0;
}

const char *dot_fill(const struct dot *dot, uint32_t node)
{
	if (!scheme_is_of_nodes(dot->scheme.kind))
		return NULL;
	return dot->scheme.classes[dot->scheme.of[node]].color;
}

/* Returns `chassis 2, line 3 chip 1`, to be freed; NULL if unknown. */
static char *chassis_remark(const struct dot *dot, uint32_t node)
{
	const struct fabric_view *view = dot->drawing.view;
	uint32_t number = view->chassis ? view->chassis->number[node] : 0;
	struct text_buffer text = {.text = NULL};
	struct chassis_place place;

	if (number)
		text_buffer_add(&text, "chassis %u", number);
	if (chassis_place_of(view->fabric, node, &place) && place.slot)
		text_buffer_add(&text, "%s%s %u chip %u", number ? ", " : "",
				enum_word(fabric_board_names, place.board, "?"), place.slot,
				place.chip);
	return text.text;
}

static char *scheme_remark(const struct dot *dot, uint32_t node)
{
	const struct drawing *drawing = &dot->drawing;

	if (dot->scheme.kind == DRAWING_LEVEL && drawing->levels.level[node])
		return mem_format("level %u", drawing->levels.level[node]);
	if (dot->scheme.kind == DRAWING_DEVICE ||
	    (dot->scheme.kind == DRAWING_TYPE && dot->scheme.of[node] > 1))
		return mem_string(dot->scheme.classes[dot->scheme.of[node]].words);
	return NULL;
}

char *dot_remark(const struct dot *dot, uint32_t node)
{
	char *words = scheme_remark(dot, node), *more = NULL, *both;

	if (dot->scheme.kind == DRAWING_CHASSIS || dot->options.groups)
		more = chassis_remark(dot, node);
	if (!words || !more)
		return words ? words : more;
	both = mem_format("%s, %s", words, more);
	free(words);
	free(more);
	return both;
}

void dot_add_label(struct dot *dot, uint32_t node, const char *remark)
{
	text_buffer_add(&dot->text, ", label=<");
	dot_add_html(&dot->text, dot->drawing.names[node]);
	text_buffer_add(&dot->text, "<br/><font point-size=\"8\">");
	dot_add_html(&dot->text, remark);
	text_buffer_add(&dot->text, "</font>>");
}

/* Adds a row with a colour, as the line of a cable or the box of a node. */
static void add_legend_row(struct dot *dot, const char *color, unsigned int height,
			   const char *words, uint64_t count)
{
	text_buffer_add(&dot->text,
			"<tr><td><table border=\"0\" cellborder=\"0\" cellspacing=\"0\" "
			"cellpadding=\"0\"><tr><td fixedsize=\"true\" width=\"26\" height=\"%u\" "
			"%sbgcolor=\"%s\"></td></tr></table></td><td align=\"left\">",
			height, height == SWATCH_BOX ? "border=\"1\" color=\"" DOT_GREY "\" " : "",
			color);
	dot_add_html(&dot->text, words);
	text_buffer_add(&dot->text, ": %" PRIu64 "</td></tr>", count);
}

/* Adds cables by state: all of them, or only those with a fault. Returns the number of rows. */
static size_t add_states(struct dot *dot, const struct cable_count *rows, size_t count)
{
	size_t shown = 0, more = 0;

	for (size_t i = 0; i < count; i++) {
		char words[CABLE_TEXT_SIZE];

		if (dot->scheme.kind != DRAWING_STATE && rows[i].kind.condition == CABLE_GOOD)
			continue;
		if (shown == MOST_LEGEND) {
			more++;
			continue;
		}
		cable_text(&rows[i].kind, words);
		add_legend_row(dot, state_color(&rows[i].kind), SWATCH_LINE, words, rows[i].count);
		shown++;
	}
	if (more)
		text_buffer_add(&dot->text,
				"<tr><td></td><td align=\"left\">other kinds: %zu</td></tr>", more);
	return shown;
}

/* Adds the classes in use; in a scheme of nodes also cables with a fault. */
static size_t add_classes(struct dot *dot, const struct cable_count *rows, size_t count)
{
	const bool nodes = scheme_is_of_nodes(dot->scheme.kind);
	size_t shown = 0;

	for_each_in (class, dot->scheme.classes, dot->scheme.count) {
		if (!class->count)
			continue;
		add_legend_row(dot, class->color, nodes ? SWATCH_BOX : SWATCH_LINE, class->words,
			       class->count);
		shown++;
	}
	return shown + (nodes ? add_states(dot, rows, count) : 0);
}

void dot_add_legend(struct dot *dot)
{
	_cleanup_(freep) char *title = drawing_title(&dot->drawing);
	_cleanup_(freep) struct cable_count *rows = NULL;
	uint64_t bad = 0, all = 0;
	size_t count, shown;

	rows = drawing_count_cables(&dot->drawing, &count);
	text_buffer_add(&dot->text,
			"label=<<table border=\"0\" cellborder=\"0\" cellspacing=\"0\" "
			"cellpadding=\"2\"><tr><td align=\"left\"><font point-size=\"15\">"
			"<b>%s</b></font></td></tr><tr><td align=\"left\"><table border=\"0\" "
			"cellborder=\"0\" cellspacing=\"4\" cellpadding=\"0\">",
			title);
	for (size_t i = 0; i < count; i++) {
		if (rows[i].kind.condition != CABLE_GOOD)
			bad += rows[i].count;
		all += rows[i].count;
	}
	shown = dot->scheme.kind == DRAWING_STATE ? add_states(dot, rows, count)
						  : add_classes(dot, rows, count);
	/* A table needs a row. */
	text_buffer_add(&dot->text, "%s</table></td></tr></table>>",
			shown ? "" : "<tr><td></td></tr>");
	dot->labels = bad <= MOST_LABELS && bad <= all / 2;
}
