/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

#include "fabric/format/dot.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

/* The "light" palette of Paul Tol, except its grey. */
static const char *const palette[] = {"#77aadd", "#ee8866", "#eedd88", "#ffaabb",
				      "#99ddff", "#44bb99", "#bbcc33", "#aaaa00"};

static void add_class(struct scheme *scheme, const char *color, char *words)
{
	MEM_ADD(scheme->classes, scheme->count) = (struct scheme_class){.color = color,
									.words = words};
}

/* Classes are in the order of these tables; the last class is the unknown one. */
struct shade {
	uint8_t value;
	const char *color;
};

static const struct shade speeds[] = {
	{SPEED_XDR, "#0d0887"}, {SPEED_NDR, "#6a00a8"}, {SPEED_HDR, "#8f0da4"},
	{SPEED_EDR, "#b12a90"}, {SPEED_FDR, "#c8437b"}, {SPEED_FDR10, "#e16462"},
	{SPEED_QDR, "#f2844b"}, {SPEED_DDR, "#fca636"}, {SPEED_SDR, "#fcce25"},
};
static const struct shade widths[] = {
	{12, "#0d0887"}, {8, "#6a00a8"}, {4, "#b12a90"}, {2, "#e16462"}, {1, "#fca636"},
};

static uint8_t class_of(const struct shade *shades, size_t count, uint8_t value)
{
	uint8_t at = 0;

	while (at < count && shades[at].value != value)
		at++;
	return at;
}

/* Errors by their power of ten; unknown counters rank between none and some. */
enum { ERRORS_NONE, ERRORS_UNKNOWN, ERRORS_1, ERRORS_10, ERRORS_100, ERRORS_1000 };

static uint8_t errors_class(uint64_t errors)
{
	if (errors == UINT64_MAX)
		return ERRORS_UNKNOWN;
	if (!errors)
		return ERRORS_NONE;
	return errors < 10     ? ERRORS_1
	       : errors < 100  ? ERRORS_10
	       : errors < 1000 ? ERRORS_100
			       : ERRORS_1000;
}

/* The worse end counts, but an unknown end does not hide the errors of the other. */
static uint8_t cable_errors(const struct drawing *drawing, const uint64_t *errors, uint32_t port)
{
	uint32_t peer = drawing->view->fabric->ports[port].peer;
	uint8_t here = errors_class(errors[port]);
	uint8_t there = peer == FABRIC_NONE ? ERRORS_UNKNOWN : errors_class(errors[peer]);

	return here > there ? here : there;
}

static void fill_cables(const struct drawing *drawing, const struct drawing_options *options,
			struct scheme *scheme)
{
	const struct fabric *fabric = drawing->view->fabric;

	scheme->of = mem_alloc_zero(fabric->port_count, 1);
	for (uint32_t i = 0; i < fabric->port_count; i++) {
		struct cable_kind kind;

		if (fabric->ports[i].peer == FABRIC_NONE && !fabric->ports[i].unanswered)
			continue;
		kind = cable_kind_of(fabric, i);
		scheme->of[i] = scheme->kind == DRAWING_SPEED
					? class_of(speeds, ARRAY_SIZE(speeds), kind.speed)
				: scheme->kind == DRAWING_WIDTH
					? class_of(widths, ARRAY_SIZE(widths), kind.lanes)
					: cable_errors(drawing, options->errors, i);
		scheme->classes[scheme->of[i]].count += drawing_counts_at(drawing, i);
	}
}

static void add_shades(struct scheme *scheme, const struct shade *shades, size_t count)
{
	const bool speed = shades == speeds;

	for (size_t i = 0; i < count; i++)
		add_class(scheme, shades[i].color,
			  speed ? mem_string(enum_word(lane_speed_names, shades[i].value, "?"))
				: mem_format("%ux", shades[i].value));
	add_class(scheme, SCHEME_UNKNOWN_COLOR,
		  mem_string(speed ? "unknown speed" : "unknown width"));
}

static void add_errors(struct scheme *scheme)
{
	static const struct {
		const char *color, *words;
	} rows[] = {
		[ERRORS_NONE] = {"#cbd2d9", "no errors"},
		[ERRORS_UNKNOWN] = {SCHEME_UNKNOWN_COLOR, "unknown errors"},
		[ERRORS_1] = {"#fca636", "1 to 9 errors"},
		[ERRORS_10] = {"#e16462", "10 to 99 errors"},
		[ERRORS_100] = {"#b12a90", "100 to 999 errors"},
		[ERRORS_1000] = {"#0d0887", "1000 errors or more"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		add_class(scheme, rows[i].color, mem_string(rows[i].words));
}

static void add_levels(const struct drawing *drawing, struct scheme *scheme)
{
	static const char *const fills[] = {"#ffffff", "#fff3b8", "#fed372", "#fcae47", "#ee8a2c"};
	const uint32_t count = drawing->view->fabric->node_count;
	unsigned int most = ARRAY_SIZE(fills) - 1;

	add_class(scheme, fills[0], mem_string("no switch"));
	for (unsigned int i = 1; i <= most; i++)
		add_class(scheme, fills[i],
			  mem_format(i == most && drawing->levels.count > most
					     ? "level %u and above"
					     : "level %u",
				     i));
	for (uint32_t i = 0; i < count; i++)
		scheme->of[i] = (uint8_t)(drawing->levels.level[i] < most ? drawing->levels.level[i]
									  : most);
}

static void add_types(const struct drawing *drawing, struct scheme *scheme)
{
	const struct fabric *fabric = drawing->view->fabric;

	add_class(scheme, palette[0], mem_string("switch"));
	add_class(scheme, palette[2], mem_string("host"));
	add_class(scheme, palette[1], mem_string("router"));
	add_class(scheme, palette[6], mem_string("aggregation node"));
	for (uint32_t i = 0; i < fabric->node_count; i++)
		scheme->of[i] = fabric->nodes[i].type == NODE_TYPE_SWITCH   ? 0
				: fabric_is_host(fabric, i)		    ? 1
				: fabric->nodes[i].type == NODE_TYPE_ROUTER ? 2
									    : 3;
}

struct device_count {
	uint64_t id; /* vendor, then device */
	uint64_t count;
};

static uint64_t device_of(const struct fabric_node *node)
{
	return (uint64_t)node_info_vendor_id(node->info) << 16 | node_info_device_id(node->info);
}

DEFINE_ORDER(compare_ids, struct device_count, COMPARE(a->id, b->id), 0)

DEFINE_ORDER(compare_counts, struct device_count, COMPARE(b->count, a->count), compare_ids(a, b))

static struct device_count *count_devices(const struct fabric *fabric, size_t *ret_count)
{
	struct device_count *list = mem_alloc_zero(fabric->node_count, sizeof(*list));
	size_t kept = 0;

	for (uint32_t i = 0; i < fabric->node_count; i++)
		list[i] = (struct device_count){device_of(&fabric->nodes[i]), 1};
	MEM_SORT(list, fabric->node_count, compare_ids);
	for (uint32_t i = 0; i < fabric->node_count; i++)
		if (kept && list[kept - 1].id == list[i].id)
			list[kept - 1].count++;
		else
			list[kept++] = list[i];
	MEM_SORT(list, kept, compare_counts);
	*ret_count = kept;
	return list;
}

static void add_devices(const struct drawing *drawing, struct scheme *scheme)
{
	const struct fabric *fabric = drawing->view->fabric;
	size_t count, shown;
	_cleanup_(freep) struct device_count *list = count_devices(fabric, &count);

	shown = count < ARRAY_SIZE(palette) ? count : ARRAY_SIZE(palette);
	for (size_t i = 0; i < shown; i++)
		add_class(scheme, palette[i],
			  mem_format("device %06" PRIx64 ":%04" PRIx64, list[i].id >> 16,
				     list[i].id & 0xffff));
	add_class(scheme, SCHEME_REST_COLOR, mem_string("other devices"));
	for (uint32_t i = 0; i < fabric->node_count; i++) {
		uint8_t at = 0;

		while (at < shown && list[at].id != device_of(&fabric->nodes[i]))
			at++;
		scheme->of[i] = at;
	}
}

/* Chassis with switches get a colour each, as long as there are any; others are mostly hosts. */
static void add_chassis(const struct drawing *drawing, struct scheme *scheme)
{
	const struct fabric *fabric = drawing->view->fabric;
	const struct chassis_list *list = drawing->view->chassis;
	size_t count = 0, next = 0;

	for (size_t i = 0; list && i < list->count; i++)
		count += chassis_has_switch(fabric, &list->items[i]);
	add_class(scheme, "#ffffff", mem_string("in no chassis"));
	add_class(scheme, SCHEME_REST_COLOR, mem_string("adapters of one system"));
	for (size_t i = 0; i < count && i < ARRAY_SIZE(palette); i++)
		add_class(scheme, palette[i], NULL);
	for (size_t i = 0; list && i < list->count; i++) {
		const struct chassis *chassis = &list->items[i];
		uint8_t class = 1;

		if (chassis_has_switch(fabric, chassis)) {
			class = (uint8_t)(2 + next++ % ARRAY_SIZE(palette));
			if (!scheme->classes[class].words)
				scheme->classes[class].words = mem_format(
					"chassis %zu%s", i + 1,
					count > ARRAY_SIZE(palette) ? " and others" : "");
		}
		for (size_t j = 0; j < chassis->count; j++)
			scheme->of[chassis->members[j].node] = class;
	}
}

static void fill_nodes(const struct drawing *drawing, struct scheme *scheme)
{
	const uint32_t count = drawing->view->fabric->node_count;

	scheme->of = mem_alloc_zero(count, 1);
	if (scheme->kind == DRAWING_LEVEL)
		add_levels(drawing, scheme);
	else if (scheme->kind == DRAWING_TYPE)
		add_types(drawing, scheme);
	else if (scheme->kind == DRAWING_DEVICE)
		add_devices(drawing, scheme);
	else
		add_chassis(drawing, scheme);
	for (uint32_t i = 0; i < count; i++)
		scheme->classes[scheme->of[i]].count++;
}

void scheme_fill(const struct drawing *drawing, const struct drawing_options *options,
		 struct scheme *scheme)
{
	*scheme = (struct scheme){.kind = options->scheme};
	if (scheme->kind == DRAWING_STATE)
		return;
	if (scheme_is_of_nodes(scheme->kind)) {
		fill_nodes(drawing, scheme);
		return;
	}
	if (scheme->kind == DRAWING_SPEED)
		add_shades(scheme, speeds, ARRAY_SIZE(speeds));
	else if (scheme->kind == DRAWING_WIDTH)
		add_shades(scheme, widths, ARRAY_SIZE(widths));
	else
		add_errors(scheme);
	fill_cables(drawing, options, scheme);
}

void scheme_clear(struct scheme *scheme)
{
	for (size_t i = 0; i < scheme->count; i++)
		free(scheme->classes[i].words);
	free(scheme->classes);
	free(scheme->of);
	*scheme = (struct scheme){.classes = NULL};
}
