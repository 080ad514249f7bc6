/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What two nodes have in common, and the class that follows from that. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "host/pci/pci.h"
#include "topology/place.h"

static enum tristate is_same(const char *a, const char *b)
{
	if (!a || !b)
		return TRISTATE_UNKNOWN;
	return strcmp(a, b) ? TRISTATE_NO : TRISTATE_YES;
}

static enum tristate is_same_number(const struct number *a, const struct number *b)
{
	if (!a->known || !b->known)
		return TRISTATE_UNKNOWN;
	return a->value == b->value ? TRISTATE_YES : TRISTATE_NO;
}

/* Finds a switch that is in both lists; returns the number of switches on the way through it. */
static struct number count_switches(const struct strings *a, const struct strings *b)
{
	for (size_t i = 0; i < a->count; i++)
		for (size_t j = 0; j < b->count; j++)
			if (!strcmp(a->items[i], b->items[j]))
				return number_of(i + j + 1);
	return (struct number){.known = false};
}

static struct number find_slit(const struct topology *topology, const struct topology_node *a,
			       const struct topology_node *b)
{
	const struct numa_node *from, *to;
	uint64_t distance;
	size_t index;

	if (!a->numa_node.known || !b->numa_node.known)
		return (struct number){.known = false};
	from = topology_numa(topology, a->numa_node.value);
	to = topology_numa(topology, b->numa_node.value);
	index = to ? (size_t)(to - topology->numa) : 0;
	if (!from || !to || index >= from->distances.count ||
	    text_parse_u64(from->distances.items[index], 10, UINT8_MAX, &distance))
		return (struct number){.known = false};
	return number_of(distance);
}

/*
 * The narrowest link from a function up to, but excluding, the one at `end`: the link above `end`
 * is not used.
 */
static void narrow(struct topology_pair *pair, const struct pci_function *at,
		   const struct pci_function *end)
{
	for (; at && at != end; at = at->parent) {
		struct real now = pci_link_gbps(&at->speed_gtps, &at->width_lanes);
		struct real possible = pci_link_gbps(&at->max_speed_gtps, &at->max_width_lanes);

		real_take_less(&pair->gbps, &now);
		real_take_less(&pair->max_gbps, &possible);
	}
}

static void find_bandwidth(struct topology_pair *pair, const struct topology_node *a,
			   const struct topology_node *b)
{
	if (!a->function || !b->function || a->function == b->function)
		return;
	pair->common = pci_common_ancestor(a->function, b->function);
	narrow(pair, a->function, pair->common);
	narrow(pair, b->function, pair->common);
}

static void set_class(struct topology_pair *pair, enum topology_class class,
		      enum topology_source source)
{
	number_set(&pair->class, class);
	number_set(&pair->source, source);
}

/* The less certain of the sources of two nodes. */
static enum topology_source weaker(uint64_t a, uint64_t b)
{
	if (!a || !b)
		return TOPOLOGY_UNKNOWN;
	return (enum topology_source)(a > b ? a : b);
}

/* Classifies by NUMA nodes, where the PCI tree says no more. */
static void classify_by_numa(struct topology_pair *pair, bool hidden)
{
	const struct topology_node *a = pair->from, *b = pair->node;
	enum topology_source source = weaker(a->numa_source.value, b->numa_source.value);

	if (pair->same_numa == TRISTATE_UNKNOWN) {
		set_class(pair, TOPOLOGY_CLASS_UNKNOWN, TOPOLOGY_UNKNOWN);
	} else if (pair->same_numa == TRISTATE_NO) {
		set_class(pair, TOPOLOGY_SYSTEM, source);
	} else {
		/* They may be closer: the hypervisor hides switches. */
		if (hidden && source == TOPOLOGY_MEASURED)
			source = TOPOLOGY_INFERRED;
		set_class(pair, TOPOLOGY_NUMA, source);
	}
}

static void classify(const struct topology *topology, struct topology_pair *pair)
{
	const struct topology_node *a = pair->from, *b = pair->node;
	const enum topology_source place = weaker(a->place_source.value, b->place_source.value);
	const bool hidden = topology->hypervisor && place != TOPOLOGY_FILE;

	if (a == b)
		set_class(pair, TOPOLOGY_SELF, TOPOLOGY_MEASURED);
	else if (!place)
		set_class(pair, TOPOLOGY_CLASS_UNKNOWN, TOPOLOGY_UNKNOWN);
	else if (pair->same_device == TRISTATE_YES)
		set_class(pair, TOPOLOGY_CARD, TOPOLOGY_MEASURED);
	else if (pair->switches.known)
		set_class(pair, pair->switches.value == 1 ? TOPOLOGY_SWITCH : TOPOLOGY_SWITCHES,
			  place);
	else if (pair->same_host_bridge == TRISTATE_YES && !hidden)
		set_class(pair, TOPOLOGY_HOST_BRIDGE, place);
	else if (hidden && topology->numa_count < 2)
		set_class(pair, TOPOLOGY_CLASS_UNKNOWN, TOPOLOGY_UNKNOWN);
	else
		classify_by_numa(pair, hidden);
}

static bool is_accelerator(const struct topology_node *node)
{
	return node->kind.value == TOPOLOGY_ACCELERATOR;
}

/* NCCL's default reach of GPUDirect: PXB, or P2C with C2C (src/graph/paths.cc). */
static enum tristate has_gpudirect(const struct topology_pair *pair)
{
	if (is_accelerator(pair->from) == is_accelerator(pair->node) ||
	    pair->class.value == TOPOLOGY_CLASS_UNKNOWN)
		return TRISTATE_UNKNOWN;
	if (pair->c2c)
		return TRISTATE_YES;
	return pair->class.value <= TOPOLOGY_SWITCHES ? TRISTATE_YES : TRISTATE_NO;
}

static enum tristate is_redirected(const struct topology_pair *pair)
{
	if (!pair->switches.known || pair->source.value != TOPOLOGY_MEASURED)
		return TRISTATE_UNKNOWN;
	return pci_find_redirected(pair->from->function, pair->node->function) ? TRISTATE_YES
									       : TRISTATE_UNKNOWN;
}

const struct hidden_fabric *topology_hidden_fabric(const struct topology_node *node)
{
	static const struct hidden_fabric nvlink = {"NVLink", "NVML"};
	static const struct hidden_fabric xe_link = {"Xe Link", "Level Zero"};
	/* Data Center GPU Max: pciidlist of drivers/gpu/drm/xe/xe_pci.c has them as pvc_desc. */
	static const uint16_t max_series[] = {0x0b69, 0x0b6e, 0x0bd4, 0x0bd5, 0x0bd6,
					      0x0bd7, 0x0bd8, 0x0bd9, 0x0bda, 0x0bdb,
					      0x0be0, 0x0be1, 0x0be5};

	if (!is_accelerator(node))
		return NULL;
	if (node->vendor_id.value == PCI_VENDOR_NVIDIA)
		return &nvlink;
	for (size_t i = 0; i < ARRAY_SIZE(max_series); i++)
		if (node->vendor_id.value == PCI_VENDOR_INTEL &&
		    node->device_id.value == max_series[i])
			return &xe_link;
	return NULL;
}

static void compare_functions(const struct topology *topology, const struct topology_node *a,
			      const struct topology_node *b, struct topology_pair *pair)
{
	*pair = (struct topology_pair){
		.from = a, .node = b, .near_from = a, .near_node = b, .to = b->name};
	pair->same_device = a == b ? TRISTATE_YES : is_same(a->card, b->card);
	pair->same_host_bridge = is_same(a->host_bridge, b->host_bridge);
	pair->same_numa = is_same_number(&a->numa_node, &b->numa_node);
	pair->same_package = is_same_number(&a->package, &b->package);
	pair->slit = find_slit(topology, a, b);
	if (a != b)
		pair->switches = count_switches(&a->switches, &b->switches);
	find_bandwidth(pair, a, b);
	classify(topology, pair);
	pair->c2c = (a->c2c || b->c2c) && a->kind.value != b->kind.value &&
		    pair->same_numa == TRISTATE_YES && pair->class.value > TOPOLOGY_SWITCHES;
	if (pair->c2c)
		number_set(&pair->source, TOPOLOGY_INFERRED);
	pair->gpudirect = has_gpudirect(pair);
	pair->redirected = is_redirected(pair);
	if (a != b && topology_hidden_fabric(a) &&
	    topology_hidden_fabric(a) == topology_hidden_fabric(b))
		pair->fabric_hidden = TRISTATE_YES;
	topology_compare_fabric(topology, pair);
}

static bool are(const struct topology_pair *a, enum topology_class class,
		const struct topology_pair *b, enum topology_class other)
{
	return a->class.value == class && b->class.value == other;
}

/* Takes over what a part has in common with the other node, if that is nearer. */
static void take_nearer(struct topology_pair *pair, const struct topology_pair *other,
			const struct topology_node *part)
{
	const struct topology_pair before = *pair;

	/* An unknown distance may be less than the greatest one. */
	if (are(pair, TOPOLOGY_CLASS_UNKNOWN, other, TOPOLOGY_SYSTEM) ||
	    are(pair, TOPOLOGY_SYSTEM, other, TOPOLOGY_CLASS_UNKNOWN)) {
		set_class(pair, TOPOLOGY_CLASS_UNKNOWN, TOPOLOGY_UNKNOWN);
		pair->gpudirect = TRISTATE_UNKNOWN;
		return;
	}
	if (other->class.value >= pair->class.value)
		return;
	*pair = *other;
	pair->from = before.from;
	pair->node = before.node;
	pair->to = before.to;
	if (part->guessed)
		number_set(&pair->source, TOPOLOGY_INFERRED);
}

static bool counts_for(const struct topology_node *part, const struct topology_node *other)
{
	return !part->data_direct || other->kind.value == TOPOLOGY_ACCELERATOR;
}

void topology_compare(const struct topology *topology, const struct topology_node *a,
		      const struct topology_node *b, struct topology_pair *ret_pair)
{
	compare_functions(topology, a, b, ret_pair);
	for (size_t i = topology->count - topology->part_count; i < topology->count && a != b;
	     i++) {
		const struct topology_node *part = &topology->nodes[i];
		struct topology_pair pair;

		if (&topology->nodes[part->whole] == a && part != b && counts_for(part, b)) {
			compare_functions(topology, part, b, &pair);
			take_nearer(ret_pair, &pair, part);
		}
		if (&topology->nodes[part->whole] == b && part != a && counts_for(part, a)) {
			compare_functions(topology, a, part, &pair);
			take_nearer(ret_pair, &pair, part);
		}
	}
}

void topology_fill_distances(const struct topology *topology, struct topology_node *const *rows,
			     size_t row_count, struct topology_node *const *columns,
			     size_t column_count)
{
	for (size_t i = 0; i < row_count; i++) {
		struct topology_pair *pairs = mem_alloc_zero(column_count, sizeof(*pairs));

		for (size_t j = 0; j < column_count; j++)
			topology_compare(topology, rows[i], columns[j], &pairs[j]);
		free(rows[i]->distances.rows);
		rows[i]->distances = (struct records){pairs, column_count, true};
	}
}
