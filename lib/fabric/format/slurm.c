/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fabric/format/drawing.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hostlist.h"
#include "base/mem.h"
#include "base/text.h"

/* A host that is cabled to a switch. */
struct place_of_host {
	const char *host;
	const char *adapter;
	uint32_t port; /* port of the switch */
	uint32_t leaf;
};

struct slurm {
	struct drawing drawing;
	char **names; /* of each node, as Slurm accepts them */
	char **inner; /* of each node: name for the hosts of a switch that also has switches below
			 it */
	char *whole;  /* name for all switches of a subnet that is not a tree */
	bool *is_listed; /* whether there are hosts at or below the node */
	struct place_of_host *places;
	size_t place_count;
	struct text_buffer remarks, text;
	struct problems *problems;
	const char **list; /* names of one line, with room for all nodes */
};

/* Replaces other characters by one hyphen: brackets and commas would make a list of names. */
static char *valid_name(const char *name)
{
	char *valid = mem_alloc_zero(strlen(name) + 1, 1);
	size_t length = 0;

	for (; *name; name++)
		if (isalnum((unsigned char)*name) || *name == '_' || *name == '.')
			valid[length++] = *name;
		else if (length && valid[length - 1] != '-')
			valid[length++] = '-';
	while (length && valid[length - 1] == '-')
		valid[--length] = '\0';
	return valid;
}

static char *name_of(const struct slurm *slurm, uint32_t node)
{
	const struct fabric_node *at = &slurm->drawing.view->fabric->nodes[node];
	bool is_switch = at->type == NODE_TYPE_SWITCH;
	char *name = valid_name(is_switch ? slurm->drawing.names[node]
					  : slurm->drawing.words[node]);

	if (*name)
		return name;
	free(name);
	return mem_format("%c-%016" PRIx64, is_switch ? 'S' : 'H', at->guid);
}

struct entry {
	char **name;
	uint32_t node;
};

DEFINE_ORDER(compare_entries, struct entry, strcmp(*a->name, *b->name), COMPARE(a->node, b->node))

/* Adds the GUID to the name of a node, and its index if another node has the same GUID. */
static void part_name(const struct fabric *fabric, const struct entry *entry)
{
	const struct fabric_node *node = &fabric->nodes[entry->node];

	mem_extend(entry->name, "-%016" PRIx64, node->guid);
	if (node->ambiguous)
		mem_extend(entry->name, "-%" PRIu32, entry->node);
}

/* Makes names distinct that have become equal. Returns whether any name was changed. */
static bool part_names(const struct fabric *fabric, struct entry *entries, size_t count)
{
	bool changed = false;

	MEM_SORT(entries, count, compare_entries);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && !strcmp(*entries[i].name, *entries[end].name);)
			end++;
		for (size_t j = i + 1; j < end; j++)
			part_name(fabric, &entries[j]);
		changed |= end - i > 1;
	}
	return changed;
}

/* Also names the switches that do not exist, which must differ from the others. */
static void name_all(struct slurm *slurm)
{
	const struct fabric *fabric = slurm->drawing.view->fabric;
	_cleanup_(freep) struct entry *entries = mem_alloc_zero((size_t)fabric->node_count * 2 + 1,
								sizeof(*entries));
	size_t count = 0;

	for (uint32_t i = 0; i < fabric->node_count; i++) {
		slurm->names[i] = name_of(slurm, i);
		if (fabric->nodes[i].type == NODE_TYPE_SWITCH)
			entries[count++] = (struct entry){&slurm->names[i], i};
		if (slurm->drawing.levels.level[i] > 1) {
			slurm->inner[i] = mem_format("%s-hosts", slurm->names[i]);
			entries[count++] = (struct entry){&slurm->inner[i], i};
		}
	}
	slurm->whole = mem_string("subnet");
	if (count)
		entries[count++] = (struct entry){&slurm->whole, entries[0].node};
	while (count && part_names(fabric, entries, count))
		;
}

/* Whether this is `HCA-1` or `mlx5_0`, as the kernel writes it after the host's name; or empty. */
static bool is_adapter(const char *rest)
{
	size_t length = strlen(rest);

	return !length ||
	       (length == strcspn(rest, " \t") && isdigit((unsigned char)rest[length - 1]));
}

/* Returns what follows the first word of a node's name; to be freed. */
static char *rest_of_name(const struct slurm *slurm, uint32_t node)
{
	_cleanup_(freep) char *name = fabric_node_name(slurm->drawing.view, node);
	const char *at = name + strspn(name, " \t");
	char *rest;

	at += strcspn(at, " \t");
	at += strspn(at, " \t");
	rest = mem_string(at);
	while (*rest && strchr(" \t", rest[strlen(rest) - 1]))
		rest[strlen(rest) - 1] = '\0';
	return rest;
}

static int compare_texts(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Whether nodes with the same first word are adapters of one host: each has another number. */
static bool is_one_host(const struct slurm *slurm, const struct entry *entries, size_t count)
{
	_cleanup_(freep) char **rests = mem_alloc_zero(count, sizeof(*rests));
	bool is_one = true;

	for (size_t i = 0; i < count; i++) {
		rests[i] = rest_of_name(slurm, entries[i].node);
		is_one &= is_adapter(rests[i]);
	}
	MEM_SORT(rests, count, compare_texts);
	for (size_t i = 1; i < count; i++)
		is_one &= strcmp(rests[i - 1], rests[i]) != 0;
	for (size_t i = 0; i < count; i++)
		free(rests[i]);
	return is_one;
}

/* Separates hosts that share a name, such as the one that adapters have from the factory. */
static void part_hosts_of(struct slurm *slurm, const struct entry *entries, size_t count)
{
	char *message = mem_format("%zu adapters share the name %s: which hosts they are in is "
				   "unknown",
				   count, *entries[0].name);

	problem_add_text(slurm->problems, NULL, NULL, NULL, message,
			 "--names FILE gives them the names of their hosts");
	text_buffer_add(&slurm->remarks, "# NOT USABLE YET: %s\n", message);
	free(message);
	for (size_t i = 0; i < count; i++)
		part_name(slurm->drawing.view->fabric, &entries[i]);
}

static void part_hosts(struct slurm *slurm)
{
	const struct fabric *fabric = slurm->drawing.view->fabric;
	_cleanup_(freep) struct entry *entries = mem_alloc_zero(fabric->node_count,
								sizeof(*entries));
	size_t count = 0;

	for (uint32_t i = 0; i < fabric->node_count; i++)
		if (fabric_is_host(fabric, i))
			entries[count++] = (struct entry){&slurm->names[i], i};
	MEM_SORT(entries, count, compare_entries);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && !strcmp(*entries[i].name, *entries[end].name);)
			end++;
		if (end - i > 1 && !is_one_host(slurm, &entries[i], end - i))
			part_hosts_of(slurm, &entries[i], end - i);
	}
}

DEFINE_ORDER(compare_places, struct place_of_host,
	     text_compare_natural(a->host, b->host) ?: text_compare_natural(a->adapter, b->adapter),
	     COMPARE(a->port, b->port))

static void find_places(struct slurm *slurm)
{
	const struct fabric *fabric = slurm->drawing.view->fabric;

	for (uint32_t i = 0; i < fabric->port_count; i++) {
		const struct fabric_port *port = &fabric->ports[i];
		const uint32_t host = fabric_peer_node(fabric, i);

		if (host == FABRIC_NONE || fabric->nodes[port->node].type != NODE_TYPE_SWITCH ||
		    !fabric_is_host(fabric, host))
			continue;
		MEM_ADD(slurm->places, slurm->place_count) = (struct place_of_host){
			.host = slurm->names[host],
			.adapter = slurm->drawing.names[host],
			.port = i,
			.leaf = port->node,
		};
	}
	MEM_SORT(slurm->places, slurm->place_count, compare_places);
}

/* Keeps each host at the switch of its first adapter. */
static void choose_places(struct slurm *slurm)
{
	size_t kept = 0;

	for (size_t i = 0, end; i < slurm->place_count; i = end) {
		bool elsewhere = false;

		for (end = i; end < slurm->place_count &&
			      !strcmp(slurm->places[end].host, slurm->places[i].host);
		     end++)
			elsewhere |= slurm->places[end].leaf != slurm->places[i].leaf;
		if (elsewhere)
			text_buffer_add(&slurm->remarks,
					"# %s is cabled to several switches: listed at %s\n",
					slurm->places[i].host, slurm->names[slurm->places[i].leaf]);
		slurm->places[kept++] = slurm->places[i];
	}
	slurm->place_count = kept;
}

DEFINE_ORDER(compare_leaves, struct place_of_host, COMPARE(a->leaf, b->leaf), 0)

static void add_line(struct slurm *slurm, const char *name, const char *key, size_t count)
{
	_cleanup_(freep) char *list = hostlist_format(slurm->list, count, 0);

	text_buffer_add(&slurm->text, "SwitchName=%s %s=%s\n", name, key, list);
}

/* Lists the hosts of a switch; returns their number. */
static size_t list_hosts(struct slurm *slurm, uint32_t node)
{
	const struct place_of_host wanted = {.leaf = node};
	const struct place_of_host *place = MEM_FIND_FIRST(&wanted, slurm->places,
							   slurm->place_count, compare_leaves);
	size_t count = 0;

	for (; place && place < slurm->places + slurm->place_count && place->leaf == node; place++)
		slurm->list[count++] = place->host;
	return count;
}

/* Lists the switches below a switch; returns their number. */
static size_t list_switches(struct slurm *slurm, uint32_t node)
{
	const struct drawing *drawing = &slurm->drawing;
	struct cable_list cables;
	size_t count = 0;

	cable_list_fill(drawing->view->fabric, node, drawing->order, &cables);
	for (size_t i = 0; i < cables.count; i++) {
		uint32_t peer = cables.items[i].peer;

		if (peer == FABRIC_NONE || (i && cables.items[i - 1].peer == peer))
			continue;
		if (slurm->is_listed[peer] &&
		    drawing->levels.level[peer] < drawing->levels.level[node])
			slurm->list[count++] = slurm->names[peer];
	}
	cable_list_clear(&cables);
	return count;
}

static void add_switch(struct slurm *slurm, uint32_t node)
{
	bool is_tree = slurm->drawing.levels.is_tree;
	size_t switches = is_tree ? list_switches(slurm, node) : 0;
	const char **list = slurm->list;
	size_t hosts;

	slurm->list = list + switches;
	hosts = list_hosts(slurm, node);
	if (hosts)
		add_line(slurm, switches ? slurm->inner[node] : slurm->names[node], "Nodes", hosts);
	slurm->list = list;
	slurm->is_listed[node] = switches || hosts;
	if (!switches)
		return;
	if (hosts)
		list[switches++] = slurm->inner[node];
	add_line(slurm, slurm->names[node], "Switches", switches);
}

/* Lower switches come first, because they determine whether a switch has hosts below it. */
static void add_switches(struct slurm *slurm)
{
	const struct drawing *drawing = &slurm->drawing;
	_cleanup_(freep) uint32_t *ends = NULL, *nodes = drawing_by_level(drawing, &ends);

	for (uint32_t i = 0; i < drawing->view->fabric->node_count; i++) {
		uint32_t node = drawing->levels.is_tree ? nodes[i] : drawing->sorted[i];

		if (drawing->levels.level[node])
			add_switch(slurm, node);
	}
}

static void add_whole(struct slurm *slurm)
{
	size_t count = 0;

	for (uint32_t i = 0; i < slurm->drawing.view->fabric->node_count; i++)
		if (slurm->is_listed[i])
			slurm->list[count++] = slurm->names[i];
	text_buffer_add(
		&slurm->remarks,
		"# The subnet is not a tree: %s represents all connections between its switches\n",
		slurm->whole);
	if (count)
		add_line(slurm, slurm->whole, "Switches", count);
}

static void clear(struct slurm *slurm)
{
	for (uint32_t i = 0; i < slurm->drawing.view->fabric->node_count; i++) {
		free(slurm->names[i]);
		free(slurm->inner[i]);
	}
	free(slurm->names);
	free(slurm->inner);
	free(slurm->whole);
	free(slurm->is_listed);
	free(slurm->places);
	free(slurm->list);
	free(slurm->text.text);
	drawing_end(&slurm->drawing);
}

char *fabric_slurm_text(const struct fabric_view *view, struct problems *problems)
{
	uint32_t count = view->fabric->node_count;
	_cleanup_(clear) struct slurm slurm = {.problems = problems};

	drawing_begin(view, &slurm.drawing);
	slurm.names = mem_alloc_zero(count, sizeof(*slurm.names));
	slurm.inner = mem_alloc_zero(count, sizeof(*slurm.inner));
	slurm.is_listed = mem_alloc_zero(count, sizeof(*slurm.is_listed));
	name_all(&slurm);
	part_hosts(&slurm);
	find_places(&slurm);
	/* Each port of a switch may have a host, and each host a switch. */
	slurm.list = mem_alloc_zero(count + slurm.place_count + 1, sizeof(*slurm.list));
	choose_places(&slurm);
	MEM_SORT(slurm.places, slurm.place_count, compare_leaves);
	add_switches(&slurm);
	if (!slurm.drawing.levels.is_tree)
		add_whole(&slurm);
	if (slurm.text.length)
		text_buffer_add(&slurm.remarks, "%s", slurm.text.text);
	return text_buffer_take(&slurm.remarks);
}
