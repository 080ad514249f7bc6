/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/json_tree.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "render/json_reader.h"

static int read_node(struct json_reader *reader, struct json_node *node, int depth);

static int read_list(struct json_reader *reader, struct json_node *node, int depth)
{
	if (json_take(reader, ']'))
		return 0;
	do {
		if (read_node(reader, mem_append(&node->items, &node->count, sizeof(*node)), depth))
			return -EINVAL;
	} while (json_take(reader, ','));
	return json_expect(reader, ']');
}

static int read_members(struct json_reader *reader, struct json_node *node, int depth)
{
	_cleanup_(json_keys_clear) struct json_keys keys;

	keys.count = 0;
	if (json_take(reader, '}'))
		return 0;
	do {
		struct json_node *member;

		if (json_take_key(reader, &keys))
			return -EINVAL;
		member = mem_append(&node->items, &node->count, sizeof(*member));
		member->key = text_clean(keys.items[keys.count - 1].text,
					 keys.items[keys.count - 1].length);
		member->key_at = (size_t)(reader->value - reader->text);
		if (read_node(reader, member, depth))
			return -EINVAL;
	} while (json_take(reader, ','));
	return json_expect(reader, '}');
}

static int read_number(struct json_reader *reader, struct json_node *node, const json_t *value)
{
	const char *digits = json_string_value(value);
	uint64_t number;

	node->kind = JSON_NODE_NUMBER;
	/* A number with 64 bits arrives as text: see json_read_value(). */
	if (digits) {
		if (text_parse_u64(digits, 10, UINT64_MAX, &number))
			return json_complain(reader, reader->value, "the number is too large");
		node->real = (double)number;
		return 0;
	}
	node->real = json_number_value(value);
	return 0;
}

static int read_scalar(struct json_reader *reader, struct json_node *node)
{
	const char first = json_peek(reader);
	_cleanup_(json_releasep) json_t *value = json_read_value(reader);

	if (!value)
		return -EINVAL;
	if (first == '-' || isdigit((unsigned char)first))
		return read_number(reader, node, value);
	if (json_is_string(value)) {
		node->kind = JSON_NODE_STRING;
		node->string = text_clean(json_string_value(value), json_string_length(value));
	} else if (json_is_boolean(value)) {
		node->kind = JSON_NODE_BOOL;
	} else {
		node->kind = JSON_NODE_NULL;
	}
	return 0;
}

static int read_node(struct json_reader *reader, struct json_node *node, int depth)
{
	const char first = json_peek(reader);

	node->at = (size_t)(reader->at - reader->text);
	if (first != '{' && first != '[')
		return read_scalar(reader, node);
	if (depth == JSON_DEEPEST_VALUE)
		return json_complain(reader, reader->at, "values nested more than %d deep",
				     JSON_DEEPEST_VALUE);
	reader->at++;
	node->kind = first == '{' ? JSON_NODE_OBJECT : JSON_NODE_LIST;
	return first == '{' ? read_members(reader, node, depth + 1)
			    : read_list(reader, node, depth + 1);
}

static void node_clear(struct json_node *node)
{
	for (size_t i = 0; i < node->count; i++)
		node_clear(&node->items[i]);
	free(node->items);
	free(node->key);
	free(node->string);
}

void json_tree_clear(struct json_tree *tree)
{
	node_clear(&tree->root);
	*tree = (struct json_tree){.text = NULL};
}

int json_tree_read(const char *text, size_t length, struct json_tree *ret_tree, char **ret_message)
{
	struct json_reader reader = {.text = text, .at = text, .end = text + length, .value = text};
	struct json_tree tree = {.text = text};
	int rc = read_node(&reader, &tree.root, 0) ?: json_expect_end(&reader, "JSON document");

	if (rc) {
		json_tree_clear(&tree);
		*ret_message = reader.message;
		return rc;
	}
	*ret_tree = tree;
	return 0;
}

const struct json_node *json_node_find(const struct json_node *object, const char *key)
{
	for (size_t i = 0; i < object->count; i++)
		if (object->items[i].key && !strcmp(object->items[i].key, key))
			return &object->items[i];
	return NULL;
}

char *json_tree_place(const struct json_tree *tree, size_t at)
{
	return json_place(tree->text, tree->text + at);
}

const char *json_node_kind_name(enum json_node_kind kind)
{
	static const char *const names[] = {"null",	"true or false", "a number",
					    "a string", "a list",	 "an object"};

	return names[kind];
}
