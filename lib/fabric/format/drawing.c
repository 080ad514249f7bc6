/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

#include "fabric/format/drawing.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/gid.h"
#include "base/mem.h"
#include "base/text.h"

struct name {
	const char *text;
	uint64_t guid;
	uint32_t node;
};

DEFINE_ORDER(compare_names, struct name,
	     text_compare_natural(a->text, b->text) ?: COMPARE(a->guid, b->guid),
	     COMPARE(a->node, b->node))

/* Two nodes with the same name and GUID differ only in their index. */
static char *distinct_name(const struct name *name, const struct name *other)
{
	char guid[GUID_TEXT_SIZE];

	guid_format(name->guid, guid);
	if (name->guid == other->guid)
		return mem_format("%s (%s, node %" PRIu32 ")", name->text, guid, name->node);
	return mem_format("%s (%s)", name->text, guid);
}

static char *first_word(const char *text)
{
	text += strspn(text, " \t");
	return mem_format("%.*s", (int)strcspn(text, " \t"), text);
}

static void name_nodes(struct drawing *drawing, const struct name *names, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t node = names[i].node;
		const struct name *other = NULL;

		if (i && !strcmp(names[i].text, names[i - 1].text))
			other = &names[i - 1];
		if (i + 1 < count && !strcmp(names[i].text, names[i + 1].text) &&
		    (!other || other->guid != names[i].guid))
			other = &names[i + 1];
		drawing->names[node] = other ? distinct_name(&names[i], other)
					     : mem_string(names[i].text);
		drawing->words[node] = first_word(names[i].text);
		if (!*drawing->words[node]) {
			free(drawing->words[node]);
			drawing->words[node] = mem_string(drawing->names[node]);
		}
		drawing->sorted[i] = node;
		drawing->order[node] = i;
	}
}

void drawing_begin(const struct fabric_view *view, struct drawing *drawing)
{
	uint32_t count = view->fabric->node_count;
	_cleanup_(freep) struct name *names = mem_alloc_zero(count, sizeof(*names));
	_cleanup_(freep) char **texts = mem_alloc_zero(count, sizeof(*texts));

	*drawing = (struct drawing){.view = view};
	fabric_levels_fill(view->fabric, &drawing->levels);
	drawing->names = mem_alloc_zero(count, sizeof(*drawing->names));
	drawing->words = mem_alloc_zero(count, sizeof(*drawing->words));
	drawing->sorted = mem_alloc_zero(count, sizeof(*drawing->sorted));
	drawing->order = mem_alloc_zero(count, sizeof(*drawing->order));
	for (uint32_t i = 0; i < count; i++) {
		texts[i] = fabric_node_name(view, i);
		names[i] = (struct name){texts[i], view->fabric->nodes[i].guid, i};
	}
	MEM_SORT(names, count, compare_names);
	name_nodes(drawing, names, count);
	for (uint32_t i = 0; i < count; i++)
		free(texts[i]);
}

void drawing_end(struct drawing *drawing)
{
	uint32_t count = drawing->view ? drawing->view->fabric->node_count : 0;

	for (uint32_t i = 0; i < count; i++) {
		free(drawing->names[i]);
		free(drawing->words[i]);
	}
	free(drawing->names);
	free(drawing->words);
	free(drawing->sorted);
	free(drawing->order);
	fabric_levels_clear(&drawing->levels);
	*drawing = (struct drawing){.view = NULL};
}

char *const *drawing_short_names(const struct drawing *drawing, const uint32_t *nodes, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (!strcmp(drawing->words[nodes[i]], drawing->words[nodes[i - 1]]))
			return drawing->names;
	return drawing->words;
}

uint32_t *drawing_by_level(const struct drawing *drawing, uint32_t **ret_ends)
{
	uint32_t *ends = mem_alloc_zero((size_t)drawing->levels.count + 2, sizeof(*ends));
	uint32_t count = drawing->view->fabric->node_count;
	uint32_t *nodes = mem_alloc_zero(count, sizeof(*nodes));

	for (uint32_t i = 0; i < count; i++)
		ends[drawing->levels.level[i] + 1]++;
	for (unsigned int i = 1; i <= drawing->levels.count; i++)
		ends[i] += ends[i - 1];
	/* So far these are the starts of the levels; this moves them to the ends. */
	for (uint32_t i = 0; i < count; i++)
		nodes[ends[drawing->levels.level[drawing->sorted[i]]]++] = drawing->sorted[i];
	*ret_ends = ends;
	return nodes;
}

DEFINE_ORDER(compare_counts, struct cable_count,
	     COMPARE(a->kind.condition, b->kind.condition) ?: COMPARE(b->count, a->count),
	     memcmp(&a->kind, &b->kind, sizeof(a->kind)))

bool drawing_counts_at(const struct drawing *drawing, uint32_t port)
{
	const struct fabric *fabric = drawing->view->fabric;
	uint32_t peer = fabric->ports[port].peer;

	return peer == FABRIC_NONE ? fabric->ports[port].unanswered : port <= peer;
}

/* There are at most a few dozen kinds: width, speed and state are small enumerations. */
struct cable_count *drawing_count_cables(const struct drawing *drawing, size_t *ret_count)
{
	const struct fabric *fabric = drawing->view->fabric;
	struct cable_count *list = NULL;
	size_t count = 0, last = 0;

	for (uint32_t i = 0; i < fabric->port_count; i++) {
		struct cable_kind kind;

		if (!drawing_counts_at(drawing, i))
			continue;
		kind = cable_kind_of(fabric, i);
		if (!count || memcmp(&list[last].kind, &kind, sizeof(kind)) != 0) {
			for (last = 0; last < count; last++)
				if (!memcmp(&list[last].kind, &kind, sizeof(kind)))
					break;
			if (last == count)
				MEM_ADD(list, count) = (struct cable_count){.kind = kind};
		}
		list[last].count++;
	}
	MEM_SORT(list, count, compare_counts);
	*ret_count = count;
	return list;
}

char *drawing_title(const struct drawing *drawing)
{
	const struct fabric *fabric = drawing->view->fabric;
	struct text_buffer title = {.text = NULL};
	uint32_t switches = 0, hosts = 0, others = 0;
	uint64_t cables = 0;

	for (uint32_t i = 0; i < fabric->node_count; i++)
		if (fabric->nodes[i].type == NODE_TYPE_SWITCH)
			switches++;
		else if (fabric_is_host(fabric, i))
			hosts++;
		else
			others++;
	for (uint32_t i = 0; i < fabric->port_count; i++)
		cables += fabric->ports[i].peer != FABRIC_NONE && drawing_counts_at(drawing, i);
	text_buffer_add(&title, "%" PRIu32 " %s, %" PRIu32 " host%s, ", switches,
			switches == 1 ? "switch" : "switches", hosts, text_plural_s(hosts));
	if (others)
		text_buffer_add(&title, "%" PRIu32 " other node%s, ", others,
				text_plural_s(others));
	text_buffer_add(&title, "%" PRIu64 " cable%s", cables, text_plural_s(cables));
	return text_buffer_take(&title);
}
