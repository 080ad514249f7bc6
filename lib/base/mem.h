/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Allocation that cannot fail: out of memory ends the program with one line and status 1, the
 * usual trade for a short-lived tool. Everything returned is released with free(). Arrays: their
 * size, loops over them, their growth, order and search.
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
/* Walks an array, which may be NULL if its count is 0. */
#define for_each_in(item, array, count) \
	for (__typeof__(*(array)) *item = (array); item && item < (array) + (count); item++)
/* The same for a list: a struct with `items` and their `count`. */
#define for_each(item, list) for_each_in (item, (list)->items, (list)->count)
/* The result of a qsort() comparator; further members follow after `?:`. */
#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

void *mem_alloc_zero(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *mem_resize(void *pointer, size_t count, size_t size) __attribute__((returns_nonnull));
/* Returns a pointer that a library has allocated; ends the program if it is NULL. */
void *mem_check(void *pointer) __attribute__((returns_nonnull));
char *mem_string(const char *string) __attribute__((malloc, returns_nonnull, nonnull));
char *mem_string_or_null(const char *string) __attribute__((malloc)); /* NULL for NULL */
/* Returns "directory/name". */
char *mem_path(const char *directory, const char *name) __attribute__((malloc, returns_nonnull));
char *mem_format(const char *format, ...)
	__attribute__((malloc, returns_nonnull, format(printf, 1, 2)));
/* The same for a function that has variable arguments of its own. */
char *mem_format_list(const char *format, va_list arguments)
	__attribute__((malloc, returns_nonnull, format(printf, 1, 0)));

/* Appends to a string that the caller owns; a *string of NULL is an empty one. */
void mem_extend(char **string, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Makes room for one more element in a growing array of `count` elements and returns its address,
 * zeroed. The array is moved as needed: addresses of its elements do not survive the call.
 */
void *mem_append(void *array_pointer, size_t *count, size_t size) __attribute__((returns_nonnull));
/* The new element, to be assigned: MEM_ADD(items, count) = item; */
#define MEM_ADD(array, count) (*(__typeof__(array))mem_append(&(array), &(count), sizeof(*(array))))

typedef int mem_compare(const void *a, const void *b);
/*
 * Defines such a function, which orders the elements `a` and `b` of a type by `first`, and by
 * `then` where that is equal (0: no further order).
 */
#define DEFINE_ORDER(name, type, first, then)                \
	static int name(const void *left, const void *right) \
	{                                                    \
		const type *a = left, *b = right;            \
		return (first) ?: (then);                    \
	}
/* These do what qsort(3) and bsearch(3) do, also with an empty array that is NULL. */
static inline void mem_sort(void *array, size_t count, size_t size, mem_compare *compare)
{
	if (count)
		qsort(array, count, size, compare);
}
static inline void *mem_find(const void *key, const void *array, size_t count, size_t size,
			     mem_compare *compare)
{
	return count ? bsearch(key, array, count, size, compare) : NULL;
}
/* Finds the first of equal elements, which must be few: it walks back one by one. */
static inline void *mem_find_first(const void *key, const void *array, size_t count, size_t size,
				   mem_compare *compare)
{
	char *found = mem_find(key, array, count, size, compare);

	while (found && found != array && !compare(key, found - size))
		found -= size;
	return found;
}
#define MEM_SORT(array, count, compare)	     mem_sort(array, count, sizeof(*(array)), compare)
#define MEM_FIND(key, array, count, compare) mem_find(key, array, count, sizeof(*(array)), compare)
#define MEM_FIND_FIRST(key, array, count, compare) \
	mem_find_first(key, array, count, sizeof(*(array)), compare)

/*
 * Calls `write` to write a file that is in memory. A NUL follows the text, which the caller frees.
 * Returns 0 or -errno, including that of `write`.
 */
int mem_write(int (*write)(void *context, FILE *file), void *context, char **ret_text,
	      size_t *ret_length);
