/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Between the files that write a graph for Graphviz. */
#pragma once

#include "fabric/format/drawing.h"
#include "base/text_buffer.h"

#define DOT_INK	 "#1f2933"
#define DOT_GREY "#616e7c"

enum { DOT_ID_SIZE = 48 };

struct dot {
	struct drawing drawing;
	bool all;	/* no boxes of hosts */
	bool labels;	/* bad cables are few enough for words */
	bool has_room;	/* cables between switches are few enough for words between levels */
	bool *drawn;	/* of each node */
	double *column; /* of each switch: where it stands on its level */
	struct text_buffer text;
};

/* The same in every scan of the same subnet, so that pictures can be compared. */
void dot_id(const struct dot *dot, uint32_t node, char id[static DOT_ID_SIZE]);
const char *dot_color(const struct cable_kind *kind);
/* `, name="value"` */
void dot_add_attribute(struct dot *dot, const char *name, const char *value);

struct dot_edge {
	const char *from, *to; /* identifiers; the first is drawn above the other */
	uint32_t node;	       /* at the first */
	const char *peer;      /* name of who is at the other, or NULL */
	const struct cables *cables;
	bool is_labelled;    /* with how the cables are, if that is bad */
	bool is_level;	     /* both are on the same level */
	unsigned int weight; /* how much it should be short and straight; 0: as others */
};
void dot_add_edge(struct dot *dot, const struct dot_edge *edge);

/* What hangs on a switch, and the edges to it. */
void dot_add_hosts(struct dot *dot, uint32_t node, const struct cable_list *cables);
/* A node that is no switch, by itself; once. */
void dot_add_host(struct dot *dot, uint32_t node, const struct cable_kind *kind);

/*
 * Text of any origin as a string of Graphviz. Names are cleaned before, so this is about what means
 * something to Graphviz or to XML, and about characters that XML must not have.
 */
/* In quotation marks: an attribute's value or an identifier, shown as it is. */
void dot_add_string(struct text_buffer *text, const char *string);
/* Inside of an HTML-like label. */
void dot_add_html(struct text_buffer *text, const char *string);
/* The same with each part that ends with a comma in a line of its own. */
void dot_add_lines(struct text_buffer *text, const char *string);
