/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --fabric: finds out from a saved scan which switches the hosts' ports are cabled to, how far
 * switches are apart, and, if the scan has forwarding tables, which cables packets take. A rail is
 * found by the GUID of its port, which on InfiniBand is in its GID; else by the description that
 * rdma-ndd(8) gives adapters: the host's name and the device's.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/mesh/mesh_run.h"
#include "fabric/format/saved.h"
#include "fabric/graph/graph.h"
#include "fabric/graph/view.h"
#include "fabric/route/forwarding.h"
#include "host/device.h"

struct mesh_fabric {
	struct fabric fabric;
	struct fabric_view view;
	uint32_t *numbers;  /* switch number of each node, or MESH_NO_SWITCH */
	uint32_t *nodes;    /* node of each switch */
	uint32_t *switches; /* switch of each port of a host */
	uint32_t *partners; /* switch port that each port of a host is cabled to, or FABRIC_NONE */
	uint8_t *distances;
	struct forwarding forwarding;
	uint32_t *cables;     /* of each port of the scan: number of its cable between switches */
	uint32_t *cable_ends; /* one port of each cable */
	size_t found;	      /* ports of hosts that are in the scan */
	struct judge_fabric facts;
};

static uint32_t switch_at(const struct mesh_fabric *mesh, uint32_t port)
{
	const uint32_t peer = mesh->fabric.ports[port].peer;

	return peer == FABRIC_NONE ? MESH_NO_SWITCH : mesh->numbers[mesh->fabric.ports[peer].node];
}

static void number_switches(struct mesh_fabric *mesh)
{
	const struct fabric *fabric = &mesh->fabric;

	mesh->numbers = mem_alloc_zero(fabric->node_count + 1, sizeof(*mesh->numbers));
	mesh->nodes = mem_alloc_zero(fabric->node_count + 1, sizeof(*mesh->nodes));
	for (uint32_t i = 0; i < fabric->node_count; i++) {
		mesh->numbers[i] = MESH_NO_SWITCH;
		if (fabric->nodes[i].type != NODE_TYPE_SWITCH)
			continue;
		mesh->numbers[i] = mesh->facts.switch_count;
		mesh->nodes[mesh->facts.switch_count++] = i;
	}
}

/* Breadth-first search from one switch: 1 for itself, 0 if no way is known, at most 255. */
static void measure_from(struct mesh_fabric *mesh, uint32_t from, uint32_t *queue)
{
	const struct fabric *fabric = &mesh->fabric;
	uint8_t *distances = mesh->distances + (size_t)from * mesh->facts.switch_count;
	size_t head = 0, tail = 0;

	distances[from] = 1;
	queue[tail++] = from;
	while (head < tail) {
		const uint32_t at = queue[head++];

		for_each_port_of (port, &fabric->nodes[mesh->nodes[at]]) {
			const uint32_t next = switch_at(mesh, port);

			if (next == MESH_NO_SWITCH || distances[next])
				continue;
			distances[next] = distances[at] < UINT8_MAX ? distances[at] + 1 : UINT8_MAX;
			queue[tail++] = next;
		}
	}
}

static void measure(struct mesh_fabric *mesh)
{
	const size_t count = mesh->facts.switch_count;
	_cleanup_(freep) uint32_t *queue = mem_alloc_zero(count + 1, sizeof(*queue));

	mesh->distances = mem_alloc_zero(count * count + 1, sizeof(*mesh->distances));
	for (uint32_t i = 0; i < count; i++)
		measure_from(mesh, i, queue);
}

static void place(struct mesh_fabric *mesh, size_t number, uint32_t port)
{
	if (mesh->partners[number] != FABRIC_NONE || mesh->fabric.ports[port].peer == FABRIC_NONE)
		return;
	mesh->partners[number] = mesh->fabric.ports[port].peer;
	mesh->switches[number] = switch_at(mesh, port);
	mesh->found += mesh->switches[number] != MESH_NO_SWITCH;
}

/*
 * Uses a description like `n17 mlx5_0`: the first word is the host's name, the second the device's.
 */
static void place_described(struct mesh_fabric *mesh, const struct mesh_host *hosts,
			    const struct mesh_names *names, uint32_t node_number)
{
	const struct fabric_node *node = &mesh->fabric.nodes[node_number];
	char text[NODE_DESCRIPTION_BYTES + 1] = "";
	char *rest = text;
	const char *name, *device;
	uint32_t host;

	memcpy(text, node->description, sizeof(node->description));
	name = strsep(&rest, " ");
	device = strsep(&rest, " ");
	/* A port that is not there has no name. */
	if (!device || !*device || !mesh_names_find(names, name, &host))
		return;
	for (uint32_t i = 0; i < hosts[host].rail_count; i++) {
		const struct endpoint *rail = &hosts[host].rails[i];

		if (!strcmp(device, rail->device) && rail->port <= node->port_count)
			place(mesh, (size_t)host * MESH_MOST_RAILS + i,
			      fabric_port_at(&mesh->fabric, node_number, rail->port));
	}
}

struct port_guid {
	uint64_t guid;
	uint32_t port;
};

static int compare_guids(const void *left, const void *right)
{
	const struct port_guid *one = left, *other = right;

	return COMPARE(one->guid, other->guid);
}

static void place_by_guid(struct mesh_fabric *mesh, const struct mesh_host *hosts, uint32_t count)
{
	const struct fabric *fabric = &mesh->fabric;
	_cleanup_(freep) struct port_guid *guids = mem_alloc_zero(fabric->port_count + 1,
								  sizeof(*guids));
	size_t guid_count = 0;

	for (uint32_t i = 0; i < fabric->port_count; i++)
		if (fabric->ports[i].guid)
			guids[guid_count++] = (struct port_guid){fabric->ports[i].guid, i};
	qsort(guids, guid_count, sizeof(*guids), compare_guids);
	for (uint32_t h = 0; h < count; h++)
		for (uint32_t r = 0; r < hosts[h].rail_count; r++) {
			const struct endpoint *rail = &hosts[h].rails[r];
			const struct port_guid key = {.guid = gid_interface_id(&rail->gid)};
			const struct port_guid *found =
				key.guid && rail->link_layer == LINK_LAYER_INFINIBAND
					? bsearch(&key, guids, guid_count, sizeof(*guids),
						  compare_guids)
					: NULL;

			if (found)
				place(mesh, (size_t)h * MESH_MOST_RAILS + r, found->port);
		}
}

static void place_all(struct mesh_fabric *mesh, const struct mesh_host *hosts, uint32_t count)
{
	const size_t ports = (size_t)count * MESH_MOST_RAILS;
	_cleanup_(mesh_names_clear) struct mesh_names names;

	mesh->switches = mem_alloc_zero(ports + 1, sizeof(*mesh->switches));
	mesh->partners = mem_alloc_zero(ports + 1, sizeof(*mesh->partners));
	for (size_t i = 0; i < ports; i++) {
		mesh->switches[i] = MESH_NO_SWITCH;
		mesh->partners[i] = FABRIC_NONE;
	}
	place_by_guid(mesh, hosts, count);
	mesh_names_fill(hosts, count, &names);
	for (uint32_t i = 0; i < mesh->fabric.node_count; i++)
		if (fabric_is_host(&mesh->fabric, i) && mesh->fabric.nodes[i].has_description)
			place_described(mesh, hosts, &names, i);
}

static char *name_switch(const void *context, uint32_t number)
{
	const struct mesh_fabric *mesh = context;

	return fabric_node_name(&mesh->view, mesh->nodes[number]);
}

static char *name_partner(const void *context, uint32_t port)
{
	const struct mesh_fabric *mesh = context;

	return mesh->partners[port] == FABRIC_NONE
		       ? NULL
		       : fabric_port_name(&mesh->view, mesh->partners[port]);
}

/*
 * Finds the cables that packets take from one host's port to another's, by the forwarding tables.
 * This is called for each result, so it keeps no list of visited switches: a way that has more
 * cables than `most`, or a loop, is unknown.
 */
static int find_way(const void *context, uint32_t from_port, uint32_t to_port, uint32_t *cables,
		    size_t most)
{
	const struct mesh_fabric *mesh = context;
	const struct fabric *fabric = &mesh->fabric;
	uint32_t at = mesh->partners[from_port], to;
	size_t count = 0;

	if (at == FABRIC_NONE || mesh->partners[to_port] == FABRIC_NONE)
		return -1;
	to = fabric->ports[mesh->partners[to_port]].peer;
	while (count <= most) {
		const struct fabric_node *node = fabric_node_of(fabric, at);
		const struct forwarding_table *table = forwarding_of(&mesh->forwarding,
								     fabric->ports[at].node);
		const unsigned int out = table ? forwarding_port(
							 &mesh->forwarding, table,
							 fabric_port_lid(&fabric->ports[to]))
					       : FORWARDING_UNKNOWN;

		if (!out || out > node->port_count)
			return -1;
		at = fabric->ports[node->first_port + out].peer;
		if (at == to)
			return (int)count;
		if (at == FABRIC_NONE || mesh->cables[at] == FABRIC_NONE || count == most)
			return -1;
		cables[count++] = mesh->cables[at];
	}
	return -1;
}

static char *name_cable(const void *context, uint32_t number)
{
	const struct mesh_fabric *mesh = context;
	const uint32_t port = mesh->cable_ends[number];
	_cleanup_(freep) char *one = fabric_port_name(&mesh->view, port);
	_cleanup_(freep) char *other = fabric_port_name(&mesh->view, mesh->fabric.ports[port].peer);

	return mem_format("%s to %s", one, other);
}

static void cable_ends(const void *context, uint32_t number, uint32_t ret_switches[2])
{
	const struct mesh_fabric *mesh = context;
	const struct fabric *fabric = &mesh->fabric;
	const uint32_t port = mesh->cable_ends[number];

	ret_switches[0] = mesh->numbers[fabric->ports[port].node];
	ret_switches[1] = mesh->numbers[fabric->ports[fabric->ports[port].peer].node];
}

static void number_cables(struct mesh_fabric *mesh)
{
	const struct fabric *fabric = &mesh->fabric;

	mesh->cables = mem_alloc_zero((size_t)fabric->port_count + 1, sizeof(*mesh->cables));
	mesh->cable_ends = mem_alloc_zero((size_t)fabric->port_count + 1,
					  sizeof(*mesh->cable_ends));
	for (uint32_t i = 0; i < fabric->port_count; i++)
		mesh->cables[i] = FABRIC_NONE;
	for (uint32_t i = 0; i < fabric->port_count; i++) {
		const uint32_t peer = fabric->ports[i].peer;

		if (peer == FABRIC_NONE || mesh->cables[i] != FABRIC_NONE ||
		    mesh->numbers[fabric->ports[i].node] == MESH_NO_SWITCH ||
		    switch_at(mesh, i) == MESH_NO_SWITCH)
			continue;
		mesh->cables[i] = mesh->cables[peer] = mesh->facts.cable_count;
		mesh->cable_ends[mesh->facts.cable_count++] = i;
	}
}

/* Needs forwarding tables in the scan: without them, no way is known between switches. */
static void learn_ways(struct mesh_fabric *mesh)
{
	if (!forwarding_recall(&mesh->fabric, NULL, 0, FORWARDING_LINEAR, &mesh->forwarding))
		return;
	number_cables(mesh);
	mesh->facts.find_way = find_way;
	mesh->facts.name_cable = name_cable;
	mesh->facts.cable_ends = cable_ends;
}

struct mesh_fabric *mesh_fabric_open(const char *path, char **ret_message)
{
	struct mesh_fabric *mesh = mem_alloc_zero(1, sizeof(*mesh));

	if (fabric_file_read(path, true, &mesh->fabric, ret_message)) {
		mesh_fabric_free(mesh);
		return NULL;
	}
	mesh->view.fabric = &mesh->fabric;
	number_switches(mesh);
	return mesh;
}

size_t mesh_fabric_place(struct mesh_fabric *mesh, const struct mesh_host *hosts, uint32_t count)
{
	place_all(mesh, hosts, count);
	measure(mesh);
	learn_ways(mesh);
	mesh->facts.switches = mesh->switches;
	mesh->facts.distances = mesh->distances;
	mesh->facts.name_switch = name_switch;
	mesh->facts.name_partner = name_partner;
	mesh->facts.context = mesh;
	return mesh->found;
}

const struct judge_fabric *mesh_fabric_facts(const struct mesh_fabric *mesh)
{
	return mesh && mesh->found ? &mesh->facts : NULL;
}

void mesh_fabric_free(struct mesh_fabric *mesh)
{
	if (!mesh)
		return;
	fabric_clear(&mesh->fabric);
	free(mesh->numbers);
	free(mesh->nodes);
	free(mesh->switches);
	free(mesh->partners);
	free(mesh->distances);
	forwarding_clear(&mesh->forwarding);
	free(mesh->cables);
	free(mesh->cable_ends);
	free(mesh);
}

/* For qsort_r(). */
static int compare_places(const void *left, const void *right, void *context)
{
	const uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;
	const uint32_t *switches = context;

	return COMPARE(switches[(size_t)one * MESH_MOST_RAILS],
		       switches[(size_t)other * MESH_MOST_RAILS])
		       ?: COMPARE(one, other);
}

uint32_t *mesh_fabric_order(const struct mesh_fabric *mesh, uint32_t count)
{
	uint32_t *order;

	if (!mesh || !mesh->found)
		return NULL;
	order = mem_alloc_zero(count + 1, sizeof(*order));
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), compare_places, mesh->switches);
	return order;
}
