/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where a node is in the PCI tree: switches and host bridge above it, and the links between them.
 */
#include <string.h>

#include "base/mem.h"
#include "topology/place.h"

struct topology_switch *topology_find_switch(const struct topology *topology, const char *id,
					     bool of_file)
{
	for (size_t i = 0; i < topology->switch_count; i++)
		if ((topology->switches[i]->function == NULL) == of_file &&
		    !strcmp(topology->switches[i]->id, id))
			return topology->switches[i];
	return NULL;
}

struct topology_switch *topology_add_switch(struct topology *topology, const char *id)
{
	struct topology_switch *new = mem_alloc_zero(1, sizeof(*new));

	new->id = mem_string(id);
	MEM_ADD(topology->switches, topology->switch_count) = new;
	return new;
}

static void possible_link(const struct topology_request *request, struct pci_function *function,
			  struct real *speed, struct number *lanes)
{
	pci_read(request->root, function, PCI_LINK, request->problems);
	if (function->parent)
		pci_read(request->root, function->parent, PCI_LINK, request->problems);
	pci_possible_link(function, speed, lanes);
}

/*
 * The switch above a function. The port above the function is a downstream port or a root port;
 * above a downstream port is the switch's upstream port. So the switch is the second function
 * above, as in NCCL's walk (src/graph/xml.cc).
 */
static struct topology_switch *switch_above(struct topology *topology,
					    const struct topology_request *request,
					    const struct pci_function *function)
{
	struct pci_function *port = function->parent ? function->parent->parent : NULL;
	struct topology_switch *found;

	if (!port)
		return NULL;
	found = topology_find_switch(topology, port->address, false);
	if (found)
		return found;
	pci_read(request->root, port, PCI_ID, request->problems);
	found = topology_add_switch(topology, port->address);
	found->function = port;
	found->vendor_id = port->vendor_id;
	found->device_id = port->device_id;
	found->subsystem_vendor_id = port->subsystem_vendor_id;
	found->subsystem_device_id = port->subsystem_device_id;
	possible_link(request, port, &found->speed_gtps, &found->width_lanes);
	found->up = switch_above(topology, request, port);
	return found;
}

/* Finds the narrowest of all links from the function to the host bridge. */
static void find_narrowest(const struct topology_request *request, struct topology_node *node)
{
	for (struct pci_function *at = node->function; at; at = at->parent) {
		struct real speed, now, possible;
		struct number lanes;

		/* For pci_find_redirected(). */
		pci_read(request->root, at, PCI_IOMMU, request->problems);
		possible_link(request, at, &speed, &lanes);
		now = pci_link_gbps(&at->speed_gtps, &at->width_lanes);
		possible = pci_link_gbps(&speed, &lanes);
		real_take_less(&node->gbps, &now);
		real_take_less(&node->max_gbps, &possible);
	}
}

static void place(struct topology *topology, const struct topology_request *request,
		  struct topology_node *node)
{
	struct pci_function *function = node->function;

	number_set(&node->place_source, TOPOLOGY_UNKNOWN);
	if (!function)
		return;
	possible_link(request, function, &node->max_speed_gtps, &node->max_width_lanes);
	node->speed_gtps = function->speed_gtps;
	node->width_lanes = function->width_lanes;
	find_narrowest(request, node);
	node->host_bridge = mem_string_or_null(function->host_bridge);
	node->above = switch_above(topology, request, function);
	if (function->host_bridge)
		number_set(&node->place_source, TOPOLOGY_MEASURED);
}

void topology_place(struct topology *topology, const struct topology_request *request)
{
	for_each_in (node, topology->nodes, topology->count)
		place(topology, request, node);
}

/*
 * Broadcom's switches of the fourth and fifth generation show one chip as two levels. NCCL
 * recognizes them by these numbers and merges them, src/graph/topo.cc; in the fifth generation, the
 * subsystem contains the level.
 */
static unsigned int broadcom_generation(const struct topology_switch *at, unsigned int level)
{
	const uint64_t revision = at->subsystem_device_id.value & 0xf000;

	if (at->vendor_id.value != 0x1000 || at->subsystem_vendor_id.value != 0x1000)
		return 0;
	if (at->device_id.value == 0xc010 && revision == 0xa000)
		return 4;
	if (at->device_id.value == 0xc030 && revision == (uint64_t)level << 12)
		return 5;
	return 0;
}

static bool is_lower_half(const struct topology_switch *at)
{
	const unsigned int generation = at->up ? broadcom_generation(at->up, 0) : 0;

	return generation && !at->up->merged && broadcom_generation(at, 1) == generation;
}

const char *topology_common_switch(const struct topology_node *a, const struct topology_node *b)
{
	for (size_t i = 0; i < a->switches.count; i++)
		if (strings_contain(&b->switches, a->switches.items[i]))
			return a->switches.items[i];
	return NULL;
}

struct topology_switch *topology_whole_switch(struct topology_switch *found)
{
	while (found && found->merged)
		found = found->up;
	return found;
}

/* Merges from the top down, because a lower half has no further half below it. */
static void merge(struct topology_switch *at, size_t levels)
{
	if (at->up && levels)
		merge(at->up, levels - 1);
	at->merged = is_lower_half(at);
}

void topology_merge_switches(struct topology *topology)
{
	for (size_t i = 0; i < topology->switch_count; i++)
		merge(topology->switches[i], topology->switch_count);
	for_each_in (node, topology->nodes, topology->count) {
		strings_free(&node->switches);
		node->switches.known = node->place_source.value != TOPOLOGY_UNKNOWN;
		for (struct topology_switch *at = topology_whole_switch(node->above); at;
		     at = topology_whole_switch(at->up))
			strings_add(&node->switches, at->id);
	}
}
