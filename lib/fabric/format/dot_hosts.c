/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "fabric/format/dot.h"

/* Fewer hosts than this are drawn one by one, as a person would. */
#define LEAST_IN_BOX 3u
#define ROWS_OF_BOX  9u
/* Keeps a box right below its switch. */
#define GROUP_WEIGHT 50u
#define MOST_NAME    22u /* characters of a name in a box; longer names are truncated */

/* Nodes attached only to this switch, by cables of the same number and kind. */
struct group {
	struct cable_kind kind;
	size_t cables;	 /* to each node */
	uint32_t *nodes; /* or ports, if nothing answered */
	size_t count;
	uint32_t *ports; /* all ports of the switch that lead there */
	size_t port_count;
};

struct groups {
	struct group *items;
	size_t count;
};

/* Counts characters, so that none is cut in two. */
static char *short_name(const char *name)
{
	size_t length = 0;

	for (unsigned int i = 0; i < MOST_NAME && name[length]; i++) {
		size_t sequence = text_utf8_length(name + length, strlen(name + length));

		length += sequence ? sequence : 1;
	}
	return name[length] ? mem_format("%.*s...", (int)length, name) : mem_string(name);
}

void dot_add_host(struct dot *dot, uint32_t node, const struct cable_kind *kind)
{
	bool is_bad = kind && kind->condition != CABLE_GOOD;
	const char *color = is_bad ? dot_color(dot, kind) : DOT_GREY, *fill = dot_fill(dot, node);
	char id[DOT_ID_SIZE], words[CABLE_TEXT_SIZE];
	_cleanup_(freep) char *remark = dot_remark(dot, node);

	if (dot->drawn[node])
		return;
	dot->drawn[node] = true;
	dot_id(dot, node, id);
	text_buffer_add(&dot->text, "\t\"%s\" [shape=\"ellipse\", style=\"filled\", color=\"%s\"",
			id, color);
	if (fill)
		text_buffer_add(&dot->text, ", fillcolor=\"%s\"", fill);
	if (is_bad && dot->labels) {
		_cleanup_(freep) char *name = short_name(dot->drawing.names[node]);

		cable_text(kind, words);
		text_buffer_add(&dot->text, ", label=<");
		dot_add_html(&dot->text, name);
		text_buffer_add(&dot->text, "<br/><font point-size=\"9\" color=\"%s\">", color);
		dot_add_lines(&dot->text, words);
		text_buffer_add(&dot->text, "</font>>");
	} else if (remark) {
		dot_add_label(dot, node, remark);
	} else {
		dot_add_attribute(dot, "label", dot->drawing.names[node]);
	}
	dot_add_attribute(dot, "tooltip", dot->drawing.names[node]);
	text_buffer_add(&dot->text, "];\n");
}

/* Fills columns from top to bottom. */
static void add_cells(struct dot *dot, const struct group *group)
{
	size_t columns = (group->count + ROWS_OF_BOX - 1) / ROWS_OF_BOX;
	size_t rows = (group->count + columns - 1) / columns;
	char *const *names = drawing_short_names(&dot->drawing, group->nodes, group->count);

	for (size_t row = 0; row < rows; row++) {
		text_buffer_add(&dot->text, "<tr>");
		for (size_t i = row; i < group->count; i += rows) {
			_cleanup_(freep) char *name = short_name(names[group->nodes[i]]);
			const char *fill = dot_fill(dot, group->nodes[i]);

			text_buffer_add(&dot->text, "<td align=\"left\"");
			if (fill)
				text_buffer_add(&dot->text, " bgcolor=\"%s\"", fill);
			text_buffer_add(&dot->text, ">");
			dot_add_html(&dot->text, name);
			text_buffer_add(&dot->text, "</td>");
		}
		text_buffer_add(&dot->text, "</tr>");
	}
}

static void add_box(struct dot *dot, const char *id, const struct group *group)
{
	bool is_bad = group->kind.condition != CABLE_GOOD, hosts = true;
	const char *color = is_bad ? dot_color(dot, &group->kind) : DOT_GREY;
	size_t columns = (group->count + ROWS_OF_BOX - 1) / ROWS_OF_BOX;
	char words[CABLE_TEXT_SIZE];

	cable_text(&group->kind, words);
	for (size_t i = 0; i < group->count; i++) {
		dot->drawn[group->nodes[i]] = true;
		hosts &= fabric_is_host(dot->drawing.view->fabric, group->nodes[i]);
	}
	text_buffer_add(&dot->text,
			"\t\"%s\" [fillcolor=\"#f5f7fa\", color=\"%s\", margin=0.02, label=<<table "
			"border=\"0\" cellborder=\"0\" cellspacing=\"0\" cellpadding=\"3\"><tr><td "
			"colspan=\"%zu\"><font color=\"%s\">%zu %s",
			id, is_bad ? color : "#cbd2d9", columns, color, group->count,
			hosts ? "hosts" : "nodes");
	if (is_bad) {
		text_buffer_add(&dot->text, ", ");
		dot_add_html(&dot->text, words);
	}
	text_buffer_add(&dot->text, "</font></td></tr>");
	add_cells(dot, group);
	text_buffer_add(&dot->text, "</table>>");
	dot_add_attribute(dot, "tooltip", words);
	text_buffer_add(&dot->text, "];\n");
}

static void add_group_edge(struct dot *dot, uint32_t node, const char *to,
			   const struct group *group)
{
	const struct cables cables = {
		.kind = group->kind,
		.ports = group->ports,
		.count = group->port_count,
	};

	dot_add_edge(dot, &(const struct dot_edge){
				  .node = node,
				  .peer = FABRIC_NONE,
				  .to = to,
				  .cables = &cables,
				  .weight = GROUP_WEIGHT,
			  });
}

/* The node at such a port is unknown, so it is drawn as an empty place. */
static void add_unanswered(struct dot *dot, uint32_t node, const struct group *group)
{
	const struct fabric_port *ports = dot->drawing.view->fabric->ports;
	const char *color = dot_color(dot, &group->kind);
	struct text_buffer label = {.text = NULL};
	_cleanup_(freep) char *id = NULL;
	char from[DOT_ID_SIZE], words[CABLE_TEXT_SIZE];

	dot_id(dot, node, from);
	id = mem_format("%s/port%u", from, ports[group->ports[0]].number);
	text_buffer_add(&label, group->count > 1 ? "ports" : "port");
	for (size_t i = 0; i < group->count; i++)
		text_buffer_add(&label, "%s%u", i ? ", " : " ", ports[group->ports[i]].number);
	cable_text(&group->kind, words);
	text_buffer_add(&dot->text,
			"\t\"%s\" [shape=\"ellipse\", style=\"dashed\", color=\"%s\", "
			"fontcolor=\"%s\", label=\"%s\\n%s\"];\n",
			id, color, color, label.text, words);
	free(label.text);
	add_group_edge(dot, node, id, group);
}

/* Whether all cables of a node lead to the same other node. */
static bool is_single(const struct fabric *fabric, uint32_t node)
{
	uint32_t only = FABRIC_NONE;

	for_each_port_of (port, &fabric->nodes[node]) {
		const uint32_t other = fabric_peer_node(fabric, port);

		if (other == FABRIC_NONE)
			continue;
		if (only != FABRIC_NONE && other != only)
			return false;
		only = other;
	}
	return true;
}

static void add_one_by_one(struct dot *dot, uint32_t node, const struct cables *cables,
			   const struct cable_kind *kind)
{
	dot_add_host(dot, cables->peer, kind);
	dot_add_edge(dot, &(const struct dot_edge){
				  .node = node,
				  .peer = cables->peer,
				  .cables = cables,
				  .is_labelled = !kind, /* otherwise the node has the label */
			  });
}

static void collect(struct groups *groups, const struct cables *cables)
{
	struct group *group = NULL;

	for (size_t i = 0; i < groups->count && !group; i++)
		if (groups->items[i].cables == cables->count &&
		    !memcmp(&groups->items[i].kind, &cables->kind, sizeof(cables->kind)))
			group = &groups->items[i];
	if (!group) {
		group = mem_append(&groups->items, &groups->count, sizeof(*group));
		group->kind = cables->kind;
		group->cables = cables->count;
	}
	MEM_ADD(group->nodes, group->count) = cables->peer;
	for (size_t i = 0; i < cables->count; i++)
		MEM_ADD(group->ports, group->port_count) = cables->ports[i];
}

static void add_group(struct dot *dot, uint32_t node, const struct group *group, size_t number)
{
	char from[DOT_ID_SIZE];
	_cleanup_(freep) char *box = NULL;

	if (group->kind.condition == CABLE_UNANSWERED) {
		add_unanswered(dot, node, group);
		return;
	}
	if (!dot->options.all && group->count >= LEAST_IN_BOX) {
		dot_id(dot, node, from);
		box = mem_format("%s/hosts%zu", from, number);
		add_box(dot, box, group);
		add_group_edge(dot, node, box, group);
		return;
	}
	for (size_t i = 0; i < group->count; i++) {
		const struct cables cables = {
			.peer = group->nodes[i],
			.kind = group->kind,
			.ports = group->ports + i * group->cables,
			.count = group->cables,
		};

		add_one_by_one(dot, node, &cables, &group->kind);
	}
}

void dot_add_hosts(struct dot *dot, uint32_t node, const struct cable_list *cables)
{
	const struct fabric *fabric = dot->drawing.view->fabric;
	struct groups groups = {.items = NULL};

	for (size_t i = 0; i < cables->count; i++) {
		const struct cables *item = &cables->items[i];
		bool is_alone = (!i || cables->items[i - 1].peer != item->peer) &&
				(i + 1 == cables->count || cables->items[i + 1].peer != item->peer);

		if (item->peer == FABRIC_NONE)
			collect(&groups, item);
		else if (dot->drawing.levels.level[item->peer])
			continue;
		else if (is_alone && is_single(fabric, item->peer))
			collect(&groups, item);
		else
			add_one_by_one(dot, node, item, NULL);
	}
	for (size_t i = 0; i < groups.count; i++) {
		add_group(dot, node, &groups.items[i], i + 1);
		free(groups.items[i].nodes);
		free(groups.items[i].ports);
	}
	free(groups.items);
}

/* U+FFFE and U+FFFF are valid UTF-8, but not characters of XML 1.0 (its section 2.2). */
static bool is_no_xml(const char *character)
{
	return !strncmp(character, "\xef\xbf\xbe", 3) || !strncmp(character, "\xef\xbf\xbf", 3);
}

/* Entities are special in all labels, backslashes in quoted ones only. */
static void add_character(struct text_buffer *text, char character, bool quoted)
{
	if (character == '&' || character == '<' || character == '>' || character == '"')
		text_buffer_add(text, "&#%d;", character);
	else if (character == '\\' && quoted)
		text_buffer_add(text, "\\\\");
	else
		text_buffer_add(text, "%c", character);
}

static void add(struct text_buffer *text, const char *string, bool quoted)
{
	while (*string) {
		size_t plain = strcspn(string, "&<>\"\\\xef");

		text_buffer_add(text, "%.*s", (int)plain, string);
		string += plain;
		if (!*string)
			return;
		if (is_no_xml(string)) {
			text_buffer_add(text, "?");
			string += 3;
		} else {
			add_character(text, *string++, quoted);
		}
	}
}

void dot_add_string(struct text_buffer *text, const char *string)
{
	text_buffer_add(text, "\"");
	add(text, string, true);
	text_buffer_add(text, "\"");
}

void dot_add_html(struct text_buffer *text, const char *string)
{
	add(text, string, false);
}

void dot_add_lines(struct text_buffer *text, const char *string)
{
	for (const char *comma; (comma = strstr(string, ", ")); string = comma + 2) {
		char *part = mem_format("%.*s", (int)(comma - string), string);

		dot_add_html(text, part);
		text_buffer_add(text, "<br/>");
		free(part);
	}
	dot_add_html(text, string);
}
