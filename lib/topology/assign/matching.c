/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The Hungarian method: see topology/assign/assign.h. */
#include "topology/assign/assign.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

#define NONE SIZE_MAX

struct matching {
	const int64_t *cost;
	size_t count;
	int64_t *row_potential;
	struct column {
		int64_t potential;
		size_t row;	 /* NONE: free */
		int64_t slack;	 /* least reduced cost of an edge from the alternating tree */
		size_t previous; /* the column from which this edge leads; NONE: the new row */
		bool in_tree;
	} * columns;
};

/*
 * Lowers the slacks by the edges of a row that has joined the tree through `from`. Returns the
 * nearest column.
 */
static size_t relax(struct matching *matching, size_t row, size_t from)
{
	const int64_t *cost = &matching->cost[row * matching->count];
	size_t nearest = NONE;

	for (size_t i = 0; i < matching->count; i++) {
		struct column *column = &matching->columns[i];
		const int64_t slack = cost[i] - matching->row_potential[row] - column->potential;

		if (column->in_tree)
			continue;
		if (slack < column->slack) {
			column->slack = slack;
			column->previous = from;
		}
		if (nearest == NONE || column->slack < matching->columns[nearest].slack)
			nearest = i;
	}
	return nearest;
}

/* Makes the edge of the nearest column free, and keeps all edges of the matching free. */
static void shift(struct matching *matching, size_t new_row, int64_t delta)
{
	matching->row_potential[new_row] += delta;
	for_each_in (column, matching->columns, matching->count) {
		if (column->in_tree) {
			matching->row_potential[column->row] += delta;
			column->potential -= delta;
		} else {
			column->slack -= delta;
		}
	}
}

/* Matches one more row along the cheapest alternating path to a free column. */
static void augment(struct matching *matching, size_t new_row)
{
	struct column *columns = matching->columns;
	size_t at, from = NONE, row = new_row;

	for_each_in (column, columns, matching->count) {
		column->slack = INT64_MAX;
		column->previous = NONE;
		column->in_tree = false;
	}
	for (;;) {
		at = relax(matching, row, from);
		shift(matching, new_row, columns[at].slack);
		if (columns[at].row == NONE)
			break;
		columns[at].in_tree = true;
		row = columns[at].row;
		from = at;
	}
	for (; columns[at].previous != NONE; at = columns[at].previous)
		columns[at].row = columns[columns[at].previous].row;
	columns[at].row = new_row;
}

void matching_solve(const int64_t *cost, size_t rows, size_t columns, size_t *column_of)
{
	struct matching matching = {
		.cost = cost,
		.count = columns,
		.row_potential = mem_alloc_zero(rows, sizeof(int64_t)),
		.columns = mem_alloc_zero(columns, sizeof(struct column)),
	};

	for (size_t i = 0; i < columns; i++)
		matching.columns[i].row = NONE;
	for (size_t row = 0; row < rows; row++)
		augment(&matching, row);
	for (size_t i = 0; i < columns; i++)
		if (matching.columns[i].row != NONE)
			column_of[matching.columns[i].row] = i;
	free(matching.row_potential);
	free(matching.columns);
}
