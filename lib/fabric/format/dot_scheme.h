/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The colours of a drawing (--scheme): each cable, or each node, belongs to a class, which has a
 * colour and a line in the legend. Colours are constant, so that pictures of a subnet can be
 * compared, and colour-blind people can tell them apart: ordered classes run from light to dark
 * along the map "plasma" of Matplotlib, others use the "light" palette of Paul Tol, which is made
 * for black text on it. Source: matplotlib.org, "Choosing Colormaps"; personal.sron.nl/~pault,
 * "Colour schemes".
 */
#pragma once

#include "fabric/format/drawing.h"

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
bool scheme_is_of_nodes(enum drawing_scheme kind);
void scheme_fill(const struct drawing *drawing, const struct drawing_options *options,
		 struct scheme *scheme);
void scheme_clear(struct scheme *scheme);
