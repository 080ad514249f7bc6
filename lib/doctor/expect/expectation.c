/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "doctor/expect/expectation.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/frame/doctor.h"
#include "render/json_tree.h"

/* For human readers: parsed, but ignored. */
#define COMMENT "comment"

const struct wanted_row wanted_rows[WANTED_KEYS] = {
	[WANTED_COUNT] = {"count", "number of devices", OF_ALL},
	[WANTED_ACTIVE_PORTS] = {"active_ports", "number of active ports", OF_ALL},
	[WANTED_FIRMWARE] = {"firmware", "firmware", OF_DEVICE, .words = true},
	[WANTED_DRIVER] = {"driver", "driver", OF_DEVICE, .words = true},
	[WANTED_LINK_LAYER] = {"link_layer", "link layer", OF_PORT, .words = true},
	[WANTED_RATE] = {"rate_gbps", "rate in Gb/s", OF_PORT},
	[WANTED_MTU] = {"netdev_mtu_bytes", "MTU of the netdev", OF_PORT},
	[WANTED_PCIE_SPEED] = {"speed_gtps", "PCIe speed in GT/s", OF_DEVICE, .pcie = true},
	[WANTED_PCIE_WIDTH] = {"width_lanes", "PCIe width", OF_DEVICE, .pcie = true},
};

struct parser {
	const struct json_tree *tree;
	struct expectation *expectation;
	char *message;
};

/* Sets the error message, which ends the reading of the file. Returns -EINVAL. */
__attribute__((format(printf, 3, 4))) static int complain(struct parser *parser, size_t at,
							  const char *format, ...)
{
	_cleanup_(freep) char *place = NULL, *what = NULL;
	va_list arguments;

	va_start(arguments, format);
	what = mem_format_list(format, arguments);
	va_end(arguments);
	place = json_tree_place(parser->tree, at);
	parser->message = mem_format("%s: %s", place, what);
	return -EINVAL;
}

static int demand(struct parser *parser, const struct json_node *node, enum json_node_kind kind,
		  const char *what)
{
	if (node->kind == kind)
		return 0;
	return complain(parser, node->at, "%s is %s, not %s", what, json_node_kind_name(node->kind),
			json_node_kind_name(kind));
}

static int refuse_key(struct parser *parser, const struct json_node *node, const char *const *keys,
		      size_t count)
{
	_cleanup_(freep) char *guess = text_suggest(node->key, keys, count, NULL);

	return complain(parser, node->key_at, "unknown member '%s'%s%s", node->key,
			guess ? ": " : "", guess ? guess : "");
}

/* ---- Values ---- */

/* Takes a number or a word, as the row requires; "unlimited" can be a number, too. */
static int take_scalar(struct parser *parser, const struct json_node *node, bool words,
		       bool unlimited, const char *key, struct wanted *wanted)
{
	if (words) {
		if (demand(parser, node, JSON_NODE_STRING, key))
			return -EINVAL;
		strings_add(&wanted->words, node->string);
		return 0;
	}
	if (unlimited && node->kind == JSON_NODE_STRING && !strcmp(node->string, "unlimited")) {
		MEM_ADD(wanted->numbers, wanted->number_count) = INFINITY;
		return 0;
	}
	if (demand(parser, node, JSON_NODE_NUMBER, key))
		return -EINVAL;
	if (node->real < 0)
		return complain(parser, node->at, "%s is negative", key);
	MEM_ADD(wanted->numbers, wanted->number_count) = node->real;
	return 0;
}

static int take_least(struct parser *parser, const struct json_node *node, bool words,
		      const char *key, struct wanted *wanted)
{
	static const char *const keys[] = {"min"};
	const struct json_node *least = json_node_find(node, "min");

	if (words)
		return complain(parser, node->at, "%s is text, which cannot have a minimum", key);
	for_each (item, node)
		if (strcmp(item->key, "min"))
			return refuse_key(parser, item, keys, ARRAY_SIZE(keys));
	if (!least)
		return complain(parser, node->at, "%s has no member 'min'", key);
	if (demand(parser, least, JSON_NODE_NUMBER, "min"))
		return -EINVAL;
	if (least->real < 0)
		return complain(parser, least->at, "min is negative");
	wanted->at_least = true;
	wanted->least = least->real;
	return 0;
}

/* VALUE, [VALUE, ...] or {"min": NUMBER} */
static int take_wanted(struct parser *parser, const struct json_node *node, bool words,
		       bool unlimited, const char *key, struct wanted *wanted)
{
	wanted->known = true;
	wanted->at = node->at;
	wanted->words.known = true;
	if (node->kind == JSON_NODE_OBJECT)
		return take_least(parser, node, words, key, wanted);
	if (node->kind != JSON_NODE_LIST)
		return take_scalar(parser, node, words, unlimited, key, wanted);
	if (!node->count)
		return complain(parser, node->at, "%s is an empty list, which nothing can match",
				key);
	for_each (item, node)
		if (take_scalar(parser, item, words, unlimited, key, wanted))
			return -EINVAL;
	return 0;
}

/* ---- Selectors ---- */

/* Returns the row with that key, among the members of pcie or among the others. */
static int find_row(const char *key, bool pcie)
{
	for (int i = 0; i < WANTED_KEYS; i++)
		if (wanted_rows[i].pcie == pcie && !strcmp(wanted_rows[i].key, key))
			return i;
	return -1;
}

static int refuse_wanted(struct parser *parser, const struct json_node *node, bool pcie)
{
	const char *keys[WANTED_KEYS + 2];
	size_t count = 0;

	for (int i = 0; i < WANTED_KEYS; i++)
		if (wanted_rows[i].pcie == pcie)
			keys[count++] = wanted_rows[i].key;
	if (!pcie)
		keys[count++] = "pcie";
	keys[count++] = COMMENT;
	return refuse_key(parser, node, keys, count);
}

static int take_members(struct parser *parser, const struct json_node *node,
			struct selector *selector, bool pcie)
{
	for_each (member, node) {
		const int key = find_row(member->key, pcie);

		if (!strcmp(member->key, COMMENT))
			continue;
		if (!pcie && !strcmp(member->key, "pcie")) {
			if (demand(parser, member, JSON_NODE_OBJECT, "pcie") ||
			    take_members(parser, member, selector, true))
				return -EINVAL;
			continue;
		}
		if (key < 0)
			return refuse_wanted(parser, member, pcie);
		if (take_wanted(parser, member, wanted_rows[key].words, false, member->key,
				&selector->wanted[key]))
			return -EINVAL;
	}
	return 0;
}

static int take_selectors(struct parser *parser, const struct json_node *node,
			  enum selector_kind kind)
{
	struct expectation *expectation = parser->expectation;

	if (demand(parser, node, JSON_NODE_OBJECT, node->key))
		return -EINVAL;
	for_each (member, node) {
		struct selector *selector;

		if (demand(parser, member, JSON_NODE_OBJECT, "the expectation"))
			return -EINVAL;
		selector = mem_append(&expectation->selectors, &expectation->selector_count,
				      sizeof(*selector));
		selector->kind = kind;
		selector->name = mem_string(member->key);
		selector->at = member->key_at;
		if (take_members(parser, member, selector, false))
			return -EINVAL;
	}
	return 0;
}

/* ---- What is ignored ---- */

static int take_check(struct parser *parser, const struct json_node *node, struct ignored *ignored)
{
	const struct enum_name *name = enum_find_word(doctor_check_names, node->string);
	_cleanup_(freep) char *guess = NULL;
	const char *words[DOCTOR_CHECKS];

	if (name) {
		ignored->check = number_of(name->value);
		return 0;
	}
	for (size_t i = 0; i < DOCTOR_CHECKS; i++)
		words[i] = doctor_check_names[i].word;
	guess = text_suggest(node->string, words, DOCTOR_CHECKS,
			     "rdmactl doctor --list lists the checks");
	return complain(parser, node->at, "unknown check '%s': %s", node->string, guess);
}

/* Whether DEV/PORT can match: the wildcards of fnmatch(3) stand for the slash, too. */
static bool can_name_port(const struct json_node *node)
{
	return node->kind == JSON_NODE_STRING && strpbrk(node->string, "/*?[");
}

static int take_ignored(struct parser *parser, const struct json_node *node,
			struct ignored *ignored)
{
	static const char *const keys[] = {"pci", "device", "port", "check", "why"};
	char **const places[] = {&ignored->pci, &ignored->device, &ignored->port, NULL,
				 &ignored->why};

	ignored->at = node->at;
	if (demand(parser, node, JSON_NODE_OBJECT, "an entry of ignore"))
		return -EINVAL;
	for_each (member, node) {
		size_t key = 0;

		while (key < ARRAY_SIZE(keys) && strcmp(keys[key], member->key))
			key++;
		if (key == ARRAY_SIZE(keys))
			return refuse_key(parser, member, keys, ARRAY_SIZE(keys));
		if (places[key] == &ignored->port && !can_name_port(member))
			return complain(parser, member->at,
					"port is not DEV/PORT, such as \"mlx5_0/1\"");
		if (demand(parser, member, JSON_NODE_STRING, member->key))
			return -EINVAL;
		if (!*member->string)
			return complain(parser, member->at, "%s is empty", member->key);
		if (places[key])
			*places[key] = mem_string(member->string);
		else if (take_check(parser, member, ignored))
			return -EINVAL;
	}
	if (!ignored->why)
		return complain(parser, node->at, "an entry of ignore without 'why'");
	if (!ignored->pci && !ignored->device && !ignored->port && !ignored->check.known)
		return complain(parser, node->at,
				"an entry of ignore names no pci, device, port or check");
	return 0;
}

static int take_ignore(struct parser *parser, const struct json_node *node)
{
	struct expectation *expectation = parser->expectation;

	if (demand(parser, node, JSON_NODE_LIST, "ignore"))
		return -EINVAL;
	for_each (item, node)
		if (take_ignored(parser, item,
				 mem_append(&expectation->ignored, &expectation->ignored_count,
					    sizeof(*expectation->ignored))))
			return -EINVAL;
	return 0;
}

/* ---- The document ---- */

static int take_profile(struct parser *parser, const struct json_node *node)
{
	const struct enum_name *name;

	if (demand(parser, node, JSON_NODE_STRING, "profile"))
		return -EINVAL;
	name = enum_find_word(doctor_profile_names, node->string);
	if (!name)
		return complain(parser, node->at, "unknown profile '%s'", node->string);
	parser->expectation->profile = number_of(name->value);
	return 0;
}

static int take_schema(struct parser *parser, const struct json_node *node)
{
	if (node->kind == JSON_NODE_STRING && !strcmp(node->string, EXPECTATION_SCHEMA))
		return 0;
	return complain(parser, node->at, "the schema is not " EXPECTATION_SCHEMA);
}

static int take_part(struct parser *parser, const struct json_node *node)
{
	static const char *const keys[] = {"schema", "profile", "memlock_bytes", "boards",
					   "pci",    "devices", "ignore",	 COMMENT};
	const char *key = node->key;

	if (!strcmp(key, "schema"))
		return take_schema(parser, node);
	if (!strcmp(key, "profile"))
		return take_profile(parser, node);
	if (!strcmp(key, "memlock_bytes"))
		return take_wanted(parser, node, false, true, key, &parser->expectation->memlock);
	if (!strcmp(key, "boards"))
		return take_selectors(parser, node, SELECT_BOARD);
	if (!strcmp(key, "pci"))
		return take_selectors(parser, node, SELECT_PCI);
	if (!strcmp(key, "devices"))
		return take_selectors(parser, node, SELECT_DEVICE);
	if (!strcmp(key, "ignore"))
		return take_ignore(parser, node);
	if (!strcmp(key, COMMENT))
		return 0;
	return refuse_key(parser, node, keys, ARRAY_SIZE(keys));
}

static int take_document(struct parser *parser, const struct json_node *root)
{
	if (demand(parser, root, JSON_NODE_OBJECT, "the document"))
		return -EINVAL;
	if (!json_node_find(root, "schema"))
		return complain(parser, root->at,
				"no member \"schema\": \"" EXPECTATION_SCHEMA "\"");
	for (size_t i = 0; i < root->count; i++)
		if (take_part(parser, &root->items[i]))
			return -EINVAL;
	return 0;
}

int expectation_parse(const char *text, size_t length, struct expectation *ret_expectation,
		      char **ret_message)
{
	struct expectation expectation = {.text = NULL};
	struct parser parser = {.expectation = &expectation};
	struct json_tree tree;
	int rc = json_tree_read(text, length, &tree, ret_message);

	if (rc)
		return rc;
	parser.tree = &tree;
	expectation.text = mem_format("%.*s", (int)length, text);
	rc = take_document(&parser, &tree.root);
	json_tree_clear(&tree);
	if (rc) {
		expectation_clear(&expectation);
		*ret_message = parser.message;
		return rc;
	}
	*ret_expectation = expectation;
	return 0;
}

static void wanted_clear(struct wanted *wanted)
{
	free(wanted->numbers);
	strings_free(&wanted->words);
}

void expectation_clear(struct expectation *expectation)
{
	for_each_in (selector, expectation->selectors, expectation->selector_count) {
		for (size_t key = 0; key < WANTED_KEYS; key++)
			wanted_clear(&selector->wanted[key]);
		free(selector->name);
	}
	for_each_in (ignored, expectation->ignored, expectation->ignored_count) {
		free(ignored->pci);
		free(ignored->device);
		free(ignored->port);
		free(ignored->why);
	}
	wanted_clear(&expectation->memlock);
	free(expectation->selectors);
	free(expectation->ignored);
	free(expectation->text);
	*expectation = (struct expectation){.text = NULL};
}

char *expectation_place(const struct expectation *expectation, size_t at)
{
	const struct json_tree tree = {.text = expectation->text};

	return json_tree_place(&tree, at);
}

bool wanted_allows_number(const struct wanted *wanted, double number)
{
	if (wanted->at_least)
		return number >= wanted->least;
	for (size_t i = 0; i < wanted->number_count; i++)
		if (wanted->numbers[i] == number)
			return true;
	return false;
}

bool wanted_allows_word(const struct wanted *wanted, const char *word)
{
	return strings_contain(&wanted->words, word);
}

char *wanted_number_text(double number)
{
	return isinf(number) ? mem_string("unlimited") : mem_format("%.15g", number);
}

char *wanted_text(const struct wanted *wanted)
{
	char *text = NULL;

	if (wanted->at_least)
		return mem_format("at least %.15g", wanted->least);
	for (size_t i = 0; i < wanted->number_count; i++) {
		_cleanup_(freep) char *number = wanted_number_text(wanted->numbers[i]);

		mem_extend(&text, "%s%s", i ? " or " : "", number);
	}
	for (size_t i = 0; i < wanted->words.count; i++)
		mem_extend(&text, "%s%s", i ? " or " : "", wanted->words.items[i]);
	return text;
}
