/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Loops over the elements of an array or of a list, by address. */
#pragma once

#include <stddef.h>

/* Walks an array, which may be NULL if its count is 0. */
#define for_each_in(item, array, count) \
	for (__typeof__(*(array)) *item = (array); item && item < (array) + (count); item++)
/* The same for a list: a struct with `items` and their `count`. */
#define for_each(item, list) for_each_in (item, (list)->items, (list)->count)
