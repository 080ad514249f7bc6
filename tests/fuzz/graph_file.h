/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A graph as a file of rdmactl fabric --save, written and read. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "clean.h"
#include "fabric/format/saved.h"
#include "render/render.h"

static inline bool read_graph(const char *text, size_t length, struct fabric *fabric)
{
	char *message = NULL;
	int rc = fabric_read_saved(text, length, true, fabric, &message);

	if ((message != NULL) != (rc != 0) || (rc && fabric->nodes))
		abort();
	check_clean(message);
	free(message);
	return !rc;
}

static inline char *write_graph(const struct fabric *fabric, size_t *ret_length)
{
	const struct fabric_view view = {.fabric = fabric};
	const struct render_options options = {.format = FORMAT_JSON};
	const struct problems problems = {.count = 0};
	struct fabric_graph graph;
	const void *row = &graph;
	struct columns columns;
	const struct document document = {
		.columns = &columns, .rows = &row, .row_count = 1, .problems = &problems};
	char *text = NULL, *bad = NULL;
	FILE *file = open_memstream(&text, ret_length);

	fabric_graph_fill(&view, &graph);
	if (!file || columns_select(&columns, &fabric_graph_schema, COLUMNS_ALL, NULL, &bad) ||
	    render(file, &options, &document))
		abort();
	fclose(file);
	columns_free(&columns);
	fabric_graph_clear(&graph);
	return text;
}

/* Writes the graph that was read, then reads and writes it again: both texts are the same. */
static inline void check_round_trip(const struct fabric *fabric)
{
	struct fabric again = {.nodes = NULL};
	size_t length, second_length;
	char *first = write_graph(fabric, &length), *second;

	if (!read_graph(first, length, &again))
		abort();
	second = write_graph(&again, &second_length);
	if (strcmp(first, second))
		abort();
	fabric_clear(&again);
	free(first);
	free(second);
}
