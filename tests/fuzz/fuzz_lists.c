/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lists that select: devices, as in the settings of NCCL and UCX; processors, as in sysfs; records,
 * as in --where; and NUMA nodes, as in a locality file. The first byte of the input says which one
 * the rest is.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "doctor/limits/name_filter.h"
#include "resource/resource.h"
#include "schema/where.h"
#include "selftest/agent/cpu_list.h"
#include "topology/place.h"
#include "clean.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool condition)
{
	if (!condition)
		abort();
}

/* An entry with a name that the host has matches; each has a name. */
static void check_filter(struct name_filter *filter)
{
	struct strings names = {.items = NULL}, ports = {.items = NULL};

	for (size_t i = 0; i < filter->count; i++) {
		const struct name_entry *entry = &filter->items[i];
		_cleanup_(freep) char *port = mem_format("%s/%d", entry->name, entry->port);

		expect(*entry->name && !strchr(entry->name, ':') && !strchr(entry->name, ','));
		strings_add(&names, entry->name);
		strings_add(&ports, port);
		expect(name_entry_matches(filter, entry, &names, NULL));
		expect(name_entry_matches(filter, entry, &names, &ports));
	}
	strings_free(&names);
	strings_free(&ports);
	name_filter_clear(filter);
}

static void try_nccl(const char *text)
{
	_cleanup_(freep) char *value = nccl_conf_find(text, "NCCL_IB_HCA");
	struct name_filter filter;

	expect(!value || (strstr(text, value) && !strchr(value, '\n')));
	name_filter_parse_nccl(&filter, value ? value : text);
	check_filter(&filter);
}

static void try_ucx(const char *text)
{
	struct name_filter filter;

	name_filter_parse_ucx(&filter, text);
	check_filter(&filter);
}

/* A list has one form, which is the same set of processors. */
static void try_processors(const char *text)
{
	enum { LONGEST = 6 * CPU_LIST_ROOM };
	struct cpu_list list, again;
	char *form;

	if (!cpu_list_parse(text, &list))
		return;
	form = mem_alloc_zero(LONGEST, 1);
	cpu_list_format(&list, form, LONGEST);
	expect(cpu_list_parse(form, &again) && !memcmp(&list, &again, sizeof(list)));
	expect(!*form == !cpu_list_count(&list));
	free(form);
}

static void try_where_of(const struct schema *schema, const char *text)
{
	static const struct where_alias aliases[] = {{"lqpn", "qpn"}, {0}};
	_cleanup_(freep) char *message = NULL, *hint = NULL;
	_cleanup_(where_clear) struct where where;
	char word[] = "[ib_core]", *items[] = {(char[]){"17"}, (char[]){"20-25"}};
	const struct resource record = {
		.device = word,
		.command = word,
		.id = number_of(17),
		.local_ip = {.known = true},
		.qpns = {.items = items, .count = ARRAY_SIZE(items), .known = true},
	};
	int rc = where_parse(&where, schema, aliases, text, &message, &hint);

	expect(rc ? rc == -EINVAL && message && !where.count : !message && !hint && where.count);
	check_clean(message);
	check_clean(hint);
	where_needs(&where);
	where_passes(&where, &record);
}

static void try_where(const char *text)
{
	for (int kind = 0; kind < RESOURCE_KINDS; kind++)
		try_where_of(resource_schema((enum resource_kind)kind), text);
}

static void try_locality(const char *text)
{
	struct topology topology = {.count = 0};
	_cleanup_(freep) char *message = NULL;
	int rc;

	MEM_ADD(topology.nodes, topology.count) = (struct topology_node){
		.name = mem_string("mlx5_0"),
	};
	rc = topology_take_locality(&topology, text, &message);
	expect(rc ? rc == -EINVAL && message : !message);
	check_clean(message);
	topology_clear(&topology);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const tries[])(const char *text) = {
		try_nccl, try_ucx, try_processors, try_where, try_locality,
	};
	char *text;

	if (!size || data[0] - '0' < 0 || data[0] - '0' >= (int)ARRAY_SIZE(tries))
		return 0;
	/* The copy has exactly this size and a NUL, so that the sanitizer sees every overrun. */
	text = mem_alloc_zero(size, 1);
	memcpy(text, data + 1, size - 1);
	tries[data[0] - '0'](text);
	free(text);
	return 0;
}
