/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the files that write a graph for Graphviz. */
#pragma once

#include "fabric/format/drawing.h"
#include "base/text.h"

#define DOT_INK	 "#1f2933"
#define DOT_GREY "#616e7c"

enum { DOT_ID_SIZE = 48 };

/*
 * The colours of a drawing (--scheme): each cable, or each node, belongs to a class, which has a
 * colour and a line in the legend. Colours are constant, so that pictures of a subnet can be
 * compared, and colour-blind people can tell them apart: ordered classes run from light to dark
 * along the map "plasma" of Matplotlib, others use the "light" palette of Paul Tol, which is made
 * for black text on it. Source: matplotlib.org, "Choosing Colormaps"; personal.sron.nl/~pault,
 * "Colour schemes".
 */
/* For cables of unknown class, and for nodes beyond the last colour. */
#define SCHEME_UNKNOWN_COLOR "#9aa5b1"
#define SCHEME_REST_COLOR    "#dddddd"

struct scheme_class {
	const char *color;
	char *words;	/* in the legend */
	uint64_t count; /* of cables or nodes */
};

struct scheme {
	enum drawing_scheme kind;
	struct scheme_class *classes; /* of cables: best first */
	size_t count;
	uint8_t *of; /* class of each port or node; NULL for DRAWING_STATE */
};

/* Whether the classes are of nodes rather than of cables. */
static inline bool scheme_is_of_nodes(enum drawing_scheme kind)
{
	return kind >= DRAWING_LEVEL;
}
void scheme_fill(const struct drawing *drawing, const struct drawing_options *options,
		 struct scheme *scheme);
void scheme_clear(struct scheme *scheme);

struct dot {
	struct drawing drawing;
	struct drawing_options options;
	struct scheme scheme;
	bool labels;	/* few enough bad cables to label them */
	bool has_room;	/* few enough cables between switches for labels between levels */
	bool *drawn;	/* of each node */
	double *column; /* of each switch: its place on its level */
	struct text_buffer text;
};

/* Writes a node's identifier, the same in every scan, so that pictures can be compared. */
void dot_id(const struct dot *dot, uint32_t node, char id[static DOT_ID_SIZE]);
/* Colours of the words and frames for a kind of cable, and of the line for some cables. */
const char *dot_color(const struct dot *dot, const struct cable_kind *kind);
const char *dot_line_color(const struct dot *dot, const struct cables *cables);
/* How much thicker a line is drawn because of its errors. */
double dot_error_width(const struct dot *dot, const struct cables *cables);
void dot_add_legend(struct dot *dot);
/* The fill of a node by its class; NULL if the scheme is not one of nodes. */
const char *dot_fill(const struct dot *dot, uint32_t node);
/* The line below a node's name: its class, or its place in a chassis; or NULL. To be freed. */
char *dot_remark(const struct dot *dot, uint32_t node);
/* Adds `, name="value"`. */
void dot_add_attribute(struct dot *dot, const char *name, const char *value);

struct dot_edge {
	uint32_t node, peer; /* `node` is drawn above `peer`, which is FABRIC_NONE with `to` */
	const char *to;	     /* identifier of what is not a node at the other end, or NULL */
	const struct cables *cables;
	bool is_labelled;    /* label it with the condition of the cables, if that is bad */
	bool is_level;	     /* both ends are on the same level */
	unsigned int weight; /* how short and straight it should be; 0: default */
};
void dot_add_edge(struct dot *dot, const struct dot_edge *edge);

/* Adds `, label=<name<br/>remark>`. */
void dot_add_label(struct dot *dot, uint32_t node, const char *remark);
/* Adds the nodes attached to a switch, with their edges. */
void dot_add_hosts(struct dot *dot, uint32_t node, const struct cable_list *cables);
/* Adds a node that is not a switch, unless it was added before. */
void dot_add_host(struct dot *dot, uint32_t node, const struct cable_kind *kind);

/*
 * These add text of any origin as a string for Graphviz. Names are already clean, so only what is
 * special to Graphviz or XML is escaped, and characters that XML does not allow are replaced.
 */
/* In quotation marks: the value of an attribute, or an identifier. */
void dot_add_string(struct text_buffer *text, const char *string);
/* Inside an HTML-like label. */
void dot_add_html(struct text_buffer *text, const char *string);
/* The same with a line break after each comma. */
void dot_add_lines(struct text_buffer *text, const char *string);
