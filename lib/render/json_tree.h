/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A JSON document of any form as a tree, for files that people write: each value knows its place,
 * so that a complaint can name line and column. Duplicate keys, objects of more than 256 members
 * and values nested more than 32 deep are refused; the caller bounds the size. A node takes some 50
 * times the memory of its text. The text is not copied, and has to live as long as the tree.
 */
#pragma once

#include <stddef.h>

enum json_node_kind {
	JSON_NODE_NULL,
	JSON_NODE_BOOL,
	JSON_NODE_NUMBER,
	JSON_NODE_STRING,
	JSON_NODE_LIST,
	JSON_NODE_OBJECT,
};

struct json_node {
	enum json_node_kind kind;
	char *key;     /* of an object's member; cleaned */
	size_t key_at; /* places in the text, in bytes */
	size_t at;
	char *string;		 /* cleaned */
	double real;		 /* of a number */
	struct json_node *items; /* of a list or an object, in the order of the text */
	size_t count;
};

struct json_tree {
	const char *text;
	struct json_node root;
};

/*
 * Returns 0, or -EINVAL with a line in *ret_message that says what is wrong and where, for the
 * caller to free.
 */
int json_tree_read(const char *text, size_t length, struct json_tree *ret_tree, char **ret_message);
void json_tree_clear(struct json_tree *tree);
/* The member with that key, or NULL. */
const struct json_node *json_node_find(const struct json_node *object, const char *key);
/* "line 3, column 7"; the caller frees it. */
char *json_tree_place(const struct json_tree *tree, size_t at);
/* "an object", "a string"... */
const char *json_node_kind_name(enum json_node_kind kind);
