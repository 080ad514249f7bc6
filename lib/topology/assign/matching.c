/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The Hungarian method: see topology/assign/assign.h. */
#include "topology/assign/assign.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

#define NONE SIZE_MAX

struct matching {
	const int64_t *cost;
	size_t columns;
	int64_t *row_potential, *column_potential;
	size_t *row_of;	  /* of each column; NONE: free */
	int64_t *slack;	  /* least reduced cost of an edge from the alternating tree to a column */
	size_t *previous; /* the column in the tree from which this edge leads; NONE: the new row */
	bool *in_tree;
};

/*
 * Lowers the slacks by the edges of a row that has joined the tree through `from`. Returns the
 * nearest column.
 */
static size_t relax(struct matching *matching, size_t row, size_t from)
{
	const int64_t *cost = &matching->cost[row * matching->columns];
	size_t nearest = NONE;

	for (size_t column = 0; column < matching->columns; column++) {
		const int64_t slack = cost[column] - matching->row_potential[row] -
				      matching->column_potential[column];

		if (matching->in_tree[column])
			continue;
		if (slack < matching->slack[column]) {
			matching->slack[column] = slack;
			matching->previous[column] = from;
		}
		if (nearest == NONE || matching->slack[column] < matching->slack[nearest])
			nearest = column;
	}
	return nearest;
}

/* Makes the edge of the nearest column free, and keeps all edges of the matching free. */
static void shift(struct matching *matching, size_t new_row, int64_t delta)
{
	matching->row_potential[new_row] += delta;
	for (size_t column = 0; column < matching->columns; column++) {
		if (matching->in_tree[column]) {
			matching->row_potential[matching->row_of[column]] += delta;
			matching->column_potential[column] -= delta;
		} else {
			matching->slack[column] -= delta;
		}
	}
}

/* Matches one more row along the cheapest alternating path to a free column. */
static void augment(struct matching *matching, size_t new_row)
{
	size_t column, from = NONE, row = new_row;

	for (size_t i = 0; i < matching->columns; i++) {
		matching->slack[i] = INT64_MAX;
		matching->previous[i] = NONE;
		matching->in_tree[i] = false;
	}
	for (;;) {
		column = relax(matching, row, from);
		shift(matching, new_row, matching->slack[column]);
		if (matching->row_of[column] == NONE)
			break;
		matching->in_tree[column] = true;
		row = matching->row_of[column];
		from = column;
	}
	while (matching->previous[column] != NONE) {
		matching->row_of[column] = matching->row_of[matching->previous[column]];
		column = matching->previous[column];
	}
	matching->row_of[column] = new_row;
}

void matching_solve(const int64_t *cost, size_t rows, size_t columns, size_t *column_of)
{
	struct matching matching = {
		.cost = cost,
		.columns = columns,
		.row_potential = mem_alloc_zero(rows, sizeof(int64_t)),
		.column_potential = mem_alloc_zero(columns, sizeof(int64_t)),
		.row_of = mem_alloc_zero(columns, sizeof(size_t)),
		.slack = mem_alloc_zero(columns, sizeof(int64_t)),
		.previous = mem_alloc_zero(columns, sizeof(size_t)),
		.in_tree = mem_alloc_zero(columns, sizeof(bool)),
	};

	for (size_t column = 0; column < columns; column++)
		matching.row_of[column] = NONE;
	for (size_t row = 0; row < rows; row++)
		augment(&matching, row);
	for (size_t column = 0; column < columns; column++)
		if (matching.row_of[column] != NONE)
			column_of[matching.row_of[column]] = column;
	free(matching.row_potential);
	free(matching.column_potential);
	free(matching.row_of);
	free(matching.slack);
	free(matching.previous);
	free(matching.in_tree);
}
