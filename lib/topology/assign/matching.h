/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Least-cost matching of rows to columns: the Hungarian method (Kuhn 1955, Munkres 1957) with
 * potentials and shortest augmenting paths, in rows * rows * columns steps.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Solves cost[row * columns + column], at most 2^54 each; rows <= columns. Fills column_of[row] so
 * that the sum of the costs is least and no column is used twice. The same costs always give the
 * same matching.
 */
void matching_solve(const int64_t *cost, size_t rows, size_t columns, size_t *column_of);
