/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Least-cost matching, compared with every possible matching. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "topology/assign/assign.h"

enum { MOST = 7 };

/* Returns the least sum for the rows from `row` on, with unused columns. */
static int64_t try_all(const int64_t *cost, size_t rows, size_t columns, size_t row, bool *used)
{
	int64_t least = INT64_MAX;

	if (row == rows)
		return 0;
	for (size_t column = 0; column < columns; column++) {
		int64_t sum;

		if (used[column])
			continue;
		used[column] = true;
		sum = cost[row * columns + column] + try_all(cost, rows, columns, row + 1, used);
		used[column] = false;
		least = sum < least ? sum : least;
	}
	return least;
}

static int64_t sum_of(const int64_t *cost, size_t rows, size_t columns, const size_t *column_of)
{
	bool used[MOST] = {false};
	int64_t sum = 0;

	for (size_t row = 0; row < rows; row++) {
		assert_true(column_of[row] < columns);
		assert_false(used[column_of[row]]);
		used[column_of[row]] = true;
		sum += cost[row * columns + column_of[row]];
	}
	return sum;
}

/* Returns the same numbers in each run. */
static uint32_t next_number(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static void least_of_all(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (int turn = 0; turn < 400; turn++) {
		const size_t rows = 1 + next_number(&seed) % 6;
		const size_t columns = rows + next_number(&seed) % (MOST - rows + 1);
		/* A few different costs cause many ties. */
		const uint32_t range = turn % 2 ? 4 : 1000000;
		int64_t cost[MOST * MOST];
		size_t column_of[MOST] = {0}, again[MOST] = {0};
		bool used[MOST] = {false};

		for (size_t i = 0; i < rows * columns; i++)
			cost[i] = (int64_t)(next_number(&seed) % range) << (turn % 3 * 15);
		matching_solve(cost, rows, columns, column_of);
		assert_int_equal(sum_of(cost, rows, columns, column_of),
				 try_all(cost, rows, columns, 0, used));
		matching_solve(cost, rows, columns, again);
		assert_memory_equal(column_of, again, sizeof(again));
	}
}

/* Taking the nearest first leaves a far one for the last row. */
static void not_greedy(void **state)
{
	static const int64_t cost[] = {
		1, 2, 9, /* the first row could take either of two */
		1, 9, 9, /* the second row only this one */
		9, 2, 3, /* */
	};
	size_t column_of[3];

	(void)state;
	matching_solve(cost, 3, 3, column_of);
	assert_int_equal(column_of[0], 1);
	assert_int_equal(column_of[1], 0);
	assert_int_equal(column_of[2], 2);
}

/* As many rows as the program allows, with its largest costs. */
static void largest(void **state)
{
	const size_t count = 256;
	int64_t *cost = calloc(count * count, sizeof(*cost));
	size_t *column_of = calloc(count, sizeof(*column_of));

	(void)state;
	assert_non_null(cost);
	assert_non_null(column_of);
	for (size_t row = 0; row < count; row++)
		for (size_t column = 0; column < count; column++) {
			const int64_t away = (int64_t)row - (int64_t)column;

			cost[row * count + column] = (INT64_C(8) << 45) + away * away;
		}
	matching_solve(cost, count, count, column_of);
	for (size_t row = 0; row < count; row++)
		assert_int_equal(column_of[row], row);
	free(cost);
	free(column_of);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(least_of_all),
		cmocka_unit_test(not_greedy),
		cmocka_unit_test(largest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
