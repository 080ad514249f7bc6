/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fabric/scan/scan.h"

#include <stdlib.h>

#include "base/mem.h"
#include "mad/engine/engine_gather.h"
#include "schema/bits.h"

#define LIDS 65536u

uint16_t fabric_port_manager_lid(const struct fabric_port *port)
{
	return port->has_info ? port_info_sm_lid(port->info) : 0;
}

bool fabric_is_end_port(const struct fabric *fabric, uint32_t port)
{
	const struct fabric_port *at = &fabric->ports[port];

	return at->has_info &&
	       (fabric_node_of(fabric, port)->type == NODE_TYPE_SWITCH) == !at->number;
}

uint16_t fabric_manager_lid(const struct fabric *fabric)
{
	uint32_t *votes = mem_alloc_zero(LIDS, sizeof(*votes)), best = 0;

	for (uint32_t i = 0; i < fabric->port_count; i++)
		if (fabric_is_end_port(fabric, i))
			votes[fabric_port_manager_lid(&fabric->ports[i])]++;
	votes[0] = 0;
	for (uint32_t lid = 1; lid < LIDS; lid++)
		if (votes[lid] > votes[best])
			best = lid;
	free(votes);
	return (uint16_t)best;
}

static void add(struct fabric_managers *managers, uint32_t port, uint16_t lid)
{
	struct fabric_manager *manager = mem_append(&managers->items, &managers->count,
						    sizeof(*manager));

	manager->port = port;
	manager->lid = lid;
}

/*
 * Lists the ports that claim to have a subnet manager, and the one that the others name as theirs.
 */
static void list_managers(const struct fabric *fabric, struct fabric_managers *managers)
{
	const uint16_t lid = fabric_manager_lid(fabric);
	uint32_t believed = FABRIC_NONE;
	bool listed = false;

	for (uint32_t i = 0; i < fabric->port_count; i++) {
		const struct fabric_port *port = &fabric->ports[i];
		bool says_so;

		if (!fabric_is_end_port(fabric, i))
			continue;
		says_so = port_info_cap_mask(port->info) & PORT_CAP_SM;
		if (says_so)
			add(managers, i, fabric_port_lid(port));
		if (lid && fabric_has_lid(port, lid)) {
			believed = i;
			listed |= says_so;
		}
	}
	if (lid && !listed)
		add(managers, believed, lid);
}

static void take(const struct mad_item *item, struct fabric_manager *manager)
{
	manager->error = item->error;
	manager->status = item->status;
	manager->tries = item->tries;
	if (item->error || item->status)
		return;
	manager->guid = bits_get(item->data, MAD_AT(0, 0), 64);
	manager->activity = (uint32_t)bits_get(item->data, MAD_AT(16, 0), 32);
	manager->priority = (uint8_t)bits_get(item->data, MAD_AT(20, 0), 4);
	manager->state = (uint8_t)bits_get(item->data, MAD_AT(20, 4), 4);
}

/* The route to this port, not to another port of its node; -1 if there is none. */
static int path_to(const struct fabric *fabric, uint32_t port,
		   uint8_t path[static MAD_HOPS_MOST + 1])
{
	const struct fabric_port *at = &fabric->ports[port];
	int hops;

	if (!at->number || at->number == fabric_node_of(fabric, port)->local_port)
		return fabric_path(fabric, at->node, path);
	if (at->peer == FABRIC_NONE)
		return -1;
	hops = fabric_path(fabric, fabric->ports[at->peer].node, path);
	if (hops < 0 || hops == (int)MAD_HOPS_MOST)
		return -1;
	path[++hops] = fabric->ports[at->peer].number;
	return hops;
}

/* The request goes by directed route, or by LID if there is none. */
static bool write_request(const struct fabric_scan_options *scan, const struct fabric *fabric,
			  const struct fabric_manager *manager, uint16_t local_lid,
			  struct mad_request *request)
{
	uint8_t path[MAD_HOPS_MOST + 1];

	*request = (struct mad_request){.attribute = UMAD_SM_ATTR_SM_INFO};
	if (manager->port != FABRIC_NONE &&
	    fabric_scan_request(scan, fabric, path, path_to(fabric, manager->port, path), request))
		return true;
	request->to.lid = manager->lid;
	request->mgmt_class = UMAD_CLASS_SUBN_LID_ROUTED;
	request->method = UMAD_METHOD_GET;
	request->key = scan->mkey;
	return local_lid && manager->lid;
}

int fabric_managers_read(struct mad_engine *engine, const struct fabric_scan_options *scan,
			 const struct fabric *fabric, uint16_t local_lid,
			 struct fabric_managers *managers)
{
	struct mad_item *items;
	size_t asked = 0;
	int rc;

	list_managers(fabric, managers);
	items = mad_items_new(managers->count);
	for (size_t i = 0; i < managers->count; i++)
		if (write_request(scan, fabric, &managers->items[i], local_lid,
				  &items[asked].request))
			managers->items[asked++] = managers->items[i];
	managers->count = asked;
	rc = mad_gather(engine, items, managers->count);
	for (size_t i = 0; i < managers->count; i++)
		take(&items[i], &managers->items[i]);
	free(items);
	return rc;
}

void fabric_managers_clear(struct fabric_managers *managers)
{
	free(managers->items);
	*managers = (struct fabric_managers){.items = NULL};
}
