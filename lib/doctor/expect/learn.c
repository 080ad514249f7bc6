/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Writes an expectation file from what the host has: see doctor/expect/expectation.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "doctor/frame/check.h"
#include "doctor/expect/expect.h"
#include "host/need.h"

/* The devices of one board, or a single device without a board name. */
struct group {
	const char *name; /* borrowed */
	bool board;
	const struct device **devices;
	size_t count;
};

struct groups {
	struct group *items;
	size_t count;
};

/* Writes an object, whose members are on lines of their own. It is opened by its first member. */
struct writer {
	struct writer *above; /* NULL: the document */
	const char *key;
	struct doctor_facts *facts;
	struct text_buffer *out;
	int depth;
	bool any;
};

static void put_string(struct text_buffer *out, const char *text)
{
	text_buffer_add(out, "\"");
	for (; *text; text++)
		text_buffer_add(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
	text_buffer_add(out, "\"");
}

static void put_key(struct writer *writer, const char *key)
{
	if (writer->above && !writer->any) {
		put_key(writer->above, writer->key);
		text_buffer_add(writer->out, "{");
	}
	text_buffer_add(writer->out, "%s\n%*s", writer->any ? "," : "", writer->depth * 2, "");
	put_string(writer->out, key);
	text_buffer_add(writer->out, ": ");
	writer->any = true;
}

static struct writer member_of(struct writer *above, const char *key)
{
	return (struct writer){above, key, above->facts, above->out, above->depth + 1, false};
}

static void close_object(const struct writer *writer)
{
	if (writer->any)
		text_buffer_add(writer->out, "\n%*s}", (writer->depth - 1) * 2, "");
}

/* ---- What the devices have ---- */

/* The distinct values of a key, sorted. */
struct values {
	struct strings words;
	double *numbers;
	size_t number_count;
};

static void add_value(struct doctor_facts *facts, const struct device *device,
		      const struct port *port, enum wanted_key key, struct values *values)
{
	struct value value;

	if (!expect_value_get(facts, device, port, key, &value) || value.kind == VALUE_NONE)
		return;
	if (value.kind == VALUE_STRING) {
		if (!strings_contain(&values->words, value.string))
			strings_add(&values->words, value.string);
		return;
	}
	for (size_t i = 0; i < values->number_count; i++)
		if (values->numbers[i] == value.real)
			return;
	MEM_ADD(values->numbers, values->number_count) = value.real;
}

static int compare_words(const void *a, const void *b)
{
	return text_compare_natural(*(char *const *)a, *(char *const *)b);
}

static int compare_numbers(const void *a, const void *b)
{
	return COMPARE(*(const double *)a, *(const double *)b);
}

static void gather(struct doctor_facts *facts, const struct group *group, enum wanted_key key,
		   struct values *values)
{
	const enum wanted_scope scope = wanted_rows[key].scope;

	*values = (struct values){.number_count = 0};
	for (size_t i = 0; i < group->count; i++) {
		const struct device *device = group->devices[i];

		if (scope == OF_DEVICE)
			add_value(facts, device, NULL, key, values);
		for (size_t j = 0; scope == OF_PORT && j < device->port_count; j++)
			add_value(facts, device, &device->ports[j], key, values);
	}
	MEM_SORT(values->words.items, values->words.count, compare_words);
	MEM_SORT(values->numbers, values->number_count, compare_numbers);
}

/* Writes the lowest rate as a minimum; for other keys one value, or a list of all. */
static void put_values(struct writer *writer, const struct group *group, enum wanted_key key)
{
	struct values values;
	size_t count;

	gather(writer->facts, group, key, &values);
	count = values.words.count + values.number_count;
	if (count) {
		put_key(writer, wanted_rows[key].key);
		if (key == WANTED_RATE) {
			text_buffer_add(writer->out, "{\"min\": %.12g}", values.numbers[0]);
			count = 0;
		}
		text_buffer_add(writer->out, "%s", count > 1 ? "[" : "");
		for (size_t i = 0; i < count; i++) {
			text_buffer_add(writer->out, "%s", i ? ", " : "");
			if (i < values.words.count)
				put_string(writer->out, values.words.items[i]);
			else
				text_buffer_add(writer->out, "%.12g", values.numbers[i]);
		}
		text_buffer_add(writer->out, "%s", count > 1 ? "]" : "");
	}
	strings_free(&values.words);
	free(values.numbers);
}

static void put_active_ports(struct writer *writer, const struct group *group)
{
	size_t active = 0;

	for (size_t i = 0; i < group->count; i++) {
		const struct device *device = group->devices[i];

		if (device->ports_unknown)
			return;
		for_each_in (port, device->ports, device->port_count) {
			if (!port->state.known)
				return;
			active += port->state.value == PORT_STATE_ACTIVE;
		}
	}
	put_key(writer, wanted_rows[WANTED_ACTIVE_PORTS].key);
	text_buffer_add(writer->out, "{\"min\": %zu}", active);
}

static void put_pcie(struct writer *writer, const struct group *group)
{
	struct writer pcie = member_of(writer, "pcie");

	put_values(&pcie, group, WANTED_PCIE_SPEED);
	put_values(&pcie, group, WANTED_PCIE_WIDTH);
	close_object(&pcie);
}

static void put_group(struct writer *writer, const struct group *group)
{
	struct writer members = member_of(writer, group->name);

	if (group->board) {
		put_key(&members, wanted_rows[WANTED_COUNT].key);
		text_buffer_add(members.out, "%zu", group->count);
	}
	put_active_ports(&members, group);
	for (enum wanted_key key = 0; key < WANTED_KEYS; key++)
		if (wanted_rows[key].scope != OF_ALL && !wanted_rows[key].pcie)
			put_values(&members, group, key);
	put_pcie(&members, group);
	close_object(&members);
	if (!members.any) {
		put_key(writer, group->name);
		text_buffer_add(writer->out, "{}");
	}
}

/* ---- The document ---- */

static void add_to_group(struct groups *groups, const struct device *device)
{
	const char *name = device->board_id ? device->board_id : device->name;
	struct group *group = NULL;

	for (size_t i = 0; i < groups->count && device->board_id; i++)
		if (groups->items[i].board && !strcmp(groups->items[i].name, name))
			group = &groups->items[i];
	if (!group) {
		group = mem_append(&groups->items, &groups->count, sizeof(*group));
		group->name = name;
		group->board = device->board_id;
	}
	MEM_ADD(group->devices, group->count) = device;
}

static int compare_groups(const void *a, const void *b)
{
	const struct group *first = a, *second = b;

	return text_compare_natural(first->name, second->name);
}

static void put_groups(struct writer *writer, const struct groups *groups, bool boards,
		       const char *key)
{
	struct writer object = member_of(writer, key);

	for_each (group, groups)
		if (group->board == boards)
			put_group(&object, group);
	close_object(&object);
}

static void put_memlock(struct writer *writer)
{
	double bytes;

	if (expect_read_memlock(writer->facts, &bytes))
		return;
	put_key(writer, "memlock_bytes");
	text_buffer_add(writer->out, isinf(bytes) ? "\"unlimited\"" : "{\"min\": %.0f}", bytes);
}

static char *write_document(struct doctor_facts *facts, enum doctor_profile profile)
{
	const struct device_list *devices = &facts->inventory.devices;
	struct groups groups = {.count = 0};
	struct text_buffer out = {.text = NULL};
	struct writer document = {.facts = facts, .out = &out, .depth = 1};

	for_each (device, devices)
		add_to_group(&groups, device);
	MEM_SORT(groups.items, groups.count, compare_groups);
	text_buffer_add(&out, "{");
	put_key(&document, "schema");
	put_string(&out, EXPECTATION_SCHEMA);
	put_key(&document, "profile");
	put_string(&out, enum_word(doctor_profile_names, profile, "auto"));
	put_memlock(&document);
	put_groups(&document, &groups, true, "boards");
	put_groups(&document, &groups, false, "devices");
	put_key(&document, "ignore");
	text_buffer_add(&out, "[]\n}\n");
	for_each (group, &groups)
		free(group->devices);
	free(groups.items);
	return text_buffer_take(&out);
}

int doctor_learn(const struct doctor_request *request, char **ret_text, struct problems *problems)
{
	const struct inventory_request inventory = {
		.root = request->root,
		.needs = doctor_check(CHECK_ID_expect)->inventory | NEED_TRANSPORT,
		.objects = request->objects,
		.closed = true,
	};
	struct doctor_facts facts = {.request = request, .problems = problems};
	int rc = doctor_root_open(&facts);

	if (rc)
		return rc;
	facts.inventory_rc = inventory_load(&facts.inventory, &inventory, problems, NULL);
	if (facts.inventory_rc)
		rc = facts.inventory_rc;
	else
		*ret_text = write_document(&facts, request->profile == PROFILE_AUTO
							   ? doctor_choose_profile(&facts)
							   : request->profile);
	doctor_facts_free(&facts);
	return rc;
}
