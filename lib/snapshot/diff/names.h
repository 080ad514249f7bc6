/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of objects, as a tree of tsearch(3): a host may have thousands of objects, so no list of
 * them is walked for each value. NULL is an empty tree.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct names;

struct name {
	char *text;
	char *later; /* name on the later side, if it was renamed */
};

/* Adds the first `length` bytes of the text, unless the name is there already. */
void diff_names_add(struct names **names, const char *text, size_t length, const char *later);
const struct name *diff_names_find(struct names *names, const char *text); /* NULL: not there */
/* Whether the object is one of the names, or part of one. */
bool diff_names_cover(struct names *names, const char *object);
void diff_names_free(struct names *names);
