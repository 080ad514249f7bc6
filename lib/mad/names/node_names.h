/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The node name map: names that an administrator gives to nodes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * The names that an administrator gives to nodes by GUID, in a file as for ibnetdiscover(8)
 * --node-name-map: one line each, `0x0002c90300001234 "leaf 3"`; `#` begins a comment.
 */
struct node_name {
	uint64_t guid;
	unsigned int line;
	char *name; /* cleaned */
};

struct node_names {
	struct node_name *items; /* sorted by GUID, each once */
	size_t count;
};

/*
 * Fills empty names from the text of such a file, which ends with a NUL. Returns 0, or -EINVAL with
 * the number of the first line that is wrong.
 */
int node_names_parse(const char *text, size_t length, struct node_names *names,
		     unsigned int *ret_line);
/* The first match, as in ibnetdiscover; NULL if there is none. */
const char *node_names_find(const struct node_names *names, uint64_t guid);
void node_names_clear(struct node_names *names);
