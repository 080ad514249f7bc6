/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fabric/format/saved.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

/* Nodes with the same GUID are searched one by one; no real subnet has more of them than this. */
enum { MOST_DUPLICATES = 4096 };

struct maker {
	const struct saved_graph *saved;
	struct fabric *fabric;
	char *message;
};

__attribute__((format(printf, 2, 3))) static int complain(struct maker *maker, const char *format,
							  ...)
{
	va_list arguments;

	va_start(arguments, format);
	maker->message = mem_format_list(format, arguments);
	va_end(arguments);
	return -EINVAL;
}

static bool read_known(const char *text, uint8_t *bytes, size_t count)
{
	return !text || text_read_hex(text, bytes, count);
}

/* Texts and scans have separate keys, because no node sent the bytes of a text. */
static const char *by_source(const struct maker *maker, const char *received, const char *made)
{
	return fabric_is_made(maker->fabric) ? made : received;
}

/* Indexes have 32 bits, so that sums of them cannot overflow 64. */
static bool is_below(const struct number *number, uint64_t end)
{
	return number->known && number->value < end;
}

/* A member that repeats a part of the raw bytes is optional, but must not contradict them. */
static bool agrees(const struct number *number, uint64_t value)
{
	return !number->known || number->value == value;
}

static int add_node(struct maker *maker, size_t index, uint32_t *twins)
{
	const struct saved_node *saved = (const struct saved_node *)maker->saved->nodes.rows +
					 index;
	struct fabric *fabric = maker->fabric;
	const char *switch_info = by_source(maker, saved->switch_info, saved->made_switch_info);
	const char *port_0_info = by_source(maker, saved->port_0_info, saved->made_port_0_info);
	uint8_t info[NODE_INFO_BYTES];
	struct fabric_node *node;
	struct fabric_port *port;
	uint32_t first;

	if (!saved->index.known || saved->index.value != index)
		return complain(maker, "node %zu: node_index is not its position", index);
	if (!text_read_hex(by_source(maker, saved->info, saved->made_info), info, sizeof(info)) ||
	    fabric_add_node(fabric, info) == FABRIC_NONE)
		return complain(maker, "node %zu: node_info does not describe a node", index);
	node = &fabric->nodes[index];
	port = &fabric->ports[node->first_port];
	if (!agrees(&saved->guid, node->guid))
		return complain(maker, "node %zu: node_guid is not that of its node_info", index);
	first = fabric_find(fabric, node->guid);
	if (++twins[first] > MOST_DUPLICATES)
		return complain(maker, "node %zu: more than %d nodes have its GUID", index,
				MOST_DUPLICATES);
	node->ambiguous = saved->duplicate_guid == TRISTATE_YES;
	node->has_description = saved->description != NULL;
	if (!read_known(saved->description, node->description, NODE_DESCRIPTION_BYTES))
		return complain(maker, "node %zu: node_description is not %d bytes", index,
				NODE_DESCRIPTION_BYTES);
	/* A text has only one bit of it. */
	node->has_switch_info = saved->switch_info != NULL && switch_info == saved->switch_info;
	if (!read_known(switch_info, node->switch_info, SWITCH_INFO_BYTES))
		return complain(maker, "node %zu: switch_info is not %d bytes", index,
				SWITCH_INFO_BYTES);
	port->has_info = port_0_info != NULL;
	if (!read_known(port_0_info, port->info, PORT_INFO_BYTES))
		return complain(maker, "node %zu: port_0_info is not %d bytes", index,
				PORT_INFO_BYTES);
	return 0;
}

/* Counts the ports according to NodeInfo before memory is allocated for them. */
static int count_ports(struct maker *maker, uint64_t *ret_count)
{
	const struct records *nodes = &maker->saved->nodes;
	uint8_t info[NODE_INFO_BYTES];

	*ret_count = 0;
	for (size_t i = 0; i < nodes->count; i++) {
		const struct saved_node *node = &((const struct saved_node *)nodes->rows)[i];
		const char *text = by_source(maker, node->info, node->made_info);

		if (!text || !text_read_hex(text, info, sizeof(info)))
			return complain(maker, "node %zu: node_info is not %d bytes", i,
					NODE_INFO_BYTES);
		*ret_count += node_info_ports(info);
	}
	return 0;
}

static int add_nodes(struct maker *maker)
{
	const struct records *nodes = &maker->saved->nodes;
	_cleanup_(freep) uint32_t *twins = mem_alloc_zero(nodes->count, sizeof(*twins));
	uint64_t ports;
	int rc = count_ports(maker, &ports);

	if (rc)
		return rc;
	if (!nodes->count)
		return complain(maker, "it has no nodes");
	if (nodes->count >= FABRIC_NONE || ports + nodes->count >= FABRIC_NONE)
		return complain(maker, "it has too many nodes");
	if (ports != maker->saved->ports.count)
		return complain(maker, "its nodes have %" PRIu64 " ports, but it lists %zu", ports,
				maker->saved->ports.count);
	for (size_t i = 0; !rc && i < nodes->count; i++)
		rc = add_node(maker, i, twins);
	return rc;
}

/* Finds the port with that number of the node with that index; else FABRIC_NONE. */
static uint32_t find_port(const struct fabric *fabric, const struct number *index,
			  const struct number *number)
{
	if (!is_below(index, fabric->node_count) ||
	    !is_below(number, fabric->nodes[index->value].port_count + 1u))
		return FABRIC_NONE;
	return fabric_port_at(fabric, (uint32_t)index->value, (unsigned int)number->value);
}

static int set_parent(struct maker *maker, uint32_t index)
{
	const struct saved_node *saved = (const struct saved_node *)maker->saved->nodes.rows +
					 index;
	struct fabric *fabric = maker->fabric;
	uint32_t parent;

	if (!saved->parent_index.known && !saved->parent_port.known)
		return 0;
	parent = find_port(fabric, &saved->parent_index, &saved->parent_port);
	if (parent == FABRIC_NONE)
		return complain(maker,
				"node %" PRIu32 ": parent_index and parent_port name no existing "
				"port",
				index);
	fabric->nodes[index].parent = parent;
	return 0;
}

/*
 * Counts the hops of the node and of its ancestors: follows the parents up to a node that is
 * counted already or has no parent, and notes them in `path` for the way back.
 */
static int count_hops(struct maker *maker, uint32_t index, bool *counted, uint32_t *path)
{
	struct fabric *fabric = maker->fabric;
	uint32_t length = 0, node = index;
	uint8_t hops;

	while (!counted[node] && fabric->nodes[node].parent != FABRIC_NONE) {
		if (length == fabric->node_count)
			return complain(maker, "node %" PRIu32 ": its parents form a loop", index);
		path[length++] = node;
		node = fabric->ports[fabric->nodes[node].parent].node;
	}
	/* Only the first node, where the scan began, is reached without a parent. */
	if (!counted[node])
		fabric->nodes[node].hops = node ? FABRIC_HOPS_UNKNOWN : 0;
	counted[node] = true;
	hops = fabric->nodes[node].hops;
	while (length) {
		if (hops < FABRIC_HOPS_UNKNOWN)
			hops++;
		node = path[--length];
		fabric->nodes[node].hops = hops;
		counted[node] = true;
	}
	return 0;
}

static int set_parents(struct maker *maker)
{
	struct fabric *fabric = maker->fabric;
	_cleanup_(freep) uint32_t *path = mem_alloc_zero(fabric->node_count, sizeof(*path));
	_cleanup_(freep) bool *counted = mem_alloc_zero(fabric->node_count, sizeof(*counted));
	int rc = 0;

	for (uint32_t i = 0; !rc && i < fabric->node_count; i++)
		rc = set_parent(maker, i);
	for (uint32_t i = 0; !rc && i < fabric->node_count; i++)
		rc = count_hops(maker, i, counted, path);
	return rc;
}

/* How messages name a port of the file. */
#define PORT_TEXT	  "port %u of node %" PRIu32
#define PORT_WORDS(port_) (port_)->number, (port_)->node

static int set_peer(struct maker *maker, const struct saved_port *saved, struct fabric_port *port)
{
	struct fabric *fabric = maker->fabric;

	if (!saved->peer_index.known && !saved->peer_port.known)
		return 0;
	port->peer = find_port(fabric, &saved->peer_index, &saved->peer_port);
	if (port->peer == FABRIC_NONE)
		return complain(maker, PORT_TEXT ": peer_index and peer_port name no existing port",
				PORT_WORDS(port));
	if (!agrees(&saved->peer_guid, fabric_node_of(fabric, port->peer)->guid))
		return complain(maker,
				PORT_TEXT ": peer_guid is not that of the node at the other "
					  "end",
				PORT_WORDS(port));
	/* The list omits ports 0, so a cable to one is listed only at its other end. */
	if (!fabric->ports[port->peer].number && fabric->ports[port->peer].peer == FABRIC_NONE)
		fabric->ports[port->peer].peer = (uint32_t)(port - fabric->ports);
	return 0;
}

static int set_port(struct maker *maker, size_t row, bool *seen)
{
	const struct saved_port *saved = (const struct saved_port *)maker->saved->ports.rows + row;
	struct fabric *fabric = maker->fabric;
	uint32_t place = find_port(fabric, &saved->node_index, &saved->number);
	struct fabric_port *port;
	const char *info;

	if (place == FABRIC_NONE || !fabric->ports[place].number)
		return complain(maker, "row %zu of the ports: no node has that port", row);
	port = &fabric->ports[place];
	if (seen[place])
		return complain(maker, PORT_TEXT " is listed twice", PORT_WORDS(port));
	seen[place] = true;
	if (!agrees(&saved->node_guid, fabric->nodes[port->node].guid))
		return complain(maker, PORT_TEXT ": node_guid is not that of the node",
				PORT_WORDS(port));
	info = by_source(maker, saved->info, saved->made_info);
	port->has_info = info != NULL;
	if (!read_known(info, port->info, PORT_INFO_BYTES))
		return complain(maker, PORT_TEXT ": port_info is not %d bytes", PORT_WORDS(port),
				PORT_INFO_BYTES);
	if (saved->vendor_speed.value > UINT8_MAX || saved->vendor_speeds.value > UINT8_MAX)
		return complain(maker, PORT_TEXT ": %s is too large", PORT_WORDS(port),
				saved->vendor_speed.value > UINT8_MAX
					? "vendor_speed_code"
					: "vendor_speed_supported_code");
	port->vendor_speed = (uint8_t)saved->vendor_speed.value;
	port->vendor_speeds = (uint8_t)saved->vendor_speeds.value;
	if (saved->port_guid.known)
		port->guid = saved->port_guid.value;
	port->unanswered = saved->unanswered == TRISTATE_YES;
	return set_peer(maker, saved, port);
}

static int set_ports(struct maker *maker)
{
	struct fabric *fabric = maker->fabric;
	_cleanup_(freep) bool *seen = mem_alloc_zero(fabric->port_count, sizeof(*seen));
	int rc = 0;

	for (size_t i = 0; !rc && i < maker->saved->ports.count; i++)
		rc = set_port(maker, i, seen);
	for (uint32_t i = 0; !rc && i < fabric->port_count; i++) {
		const struct fabric_port *port = &fabric->ports[i];

		if (port->peer != FABRIC_NONE && fabric->ports[port->peer].peer != i)
			rc = complain(maker,
				      PORT_TEXT " is cabled to " PORT_TEXT
						", which is not cabled to it",
				      PORT_WORDS(port), PORT_WORDS(&fabric->ports[port->peer]));
	}
	return rc;
}

/* Counts each cable once. A cable to a port 0 is counted at its other end. */
static size_t count_cables(const struct fabric *fabric)
{
	size_t count = 0;

	for (uint32_t i = 0; i < fabric->port_count; i++)
		count += fabric->ports[i].number && fabric->ports[i].peer != FABRIC_NONE &&
			 (fabric->ports[i].peer >= i ||
			  !fabric->ports[fabric->ports[i].peer].number);
	return count;
}

/* The links must be the cables that the ports name, each once. */
static int check_links(struct maker *maker)
{
	const struct fabric *fabric = maker->fabric;
	const struct records *links = &maker->saved->links;
	_cleanup_(freep) bool *seen = mem_alloc_zero(fabric->port_count, sizeof(*seen));

	for (size_t i = 0; i < links->count; i++) {
		const struct saved_link *link = &((const struct saved_link *)links->rows)[i];
		uint32_t port = find_port(fabric, &link->node_index, &link->port);
		uint32_t peer = find_port(fabric, &link->peer_index, &link->peer_port);

		if (port == FABRIC_NONE || peer == FABRIC_NONE)
			return complain(maker, "row %zu of the links: no node has such a port", i);
		if (fabric->ports[port].peer != peer)
			return complain(maker,
					"row %zu of the links: the ports are not cabled to each "
					"other",
					i);
		if (seen[port] || seen[peer])
			return complain(maker, "row %zu of the links: the cable is listed twice",
					i);
		seen[port] = seen[peer] = true;
	}
	if (links->known && links->count != count_cables(fabric))
		return complain(maker, "the ports have %zu cables, but it lists %zu links",
				count_cables(fabric), links->count);
	return 0;
}

static int add_failure(struct maker *maker, size_t row)
{
	const struct saved_failure *saved =
		(const struct saved_failure *)maker->saved->unanswered.rows + row;
	struct fabric *fabric = maker->fabric;
	uint32_t port = FABRIC_NONE;

	if (saved->node_index.known || saved->port.known) {
		port = find_port(fabric, &saved->node_index, &saved->port);
		if (port == FABRIC_NONE)
			return complain(maker,
					"row %zu of the unanswered queries: no node has that port",
					row);
	}
	if (!is_below(&saved->attribute, UINT16_MAX + 1u) || saved->error.value > ERRNO_MOST ||
	    saved->status.value > UINT16_MAX || saved->tries.value > UINT32_MAX)
		return complain(maker,
				"row %zu of the unanswered queries: a number is missing or too "
				"large",
				row);
	MEM_ADD(fabric->failures, fabric->failure_count) = (struct fabric_failure){
		.port = port,
		.attribute = (uint16_t)saved->attribute.value,
		.at_peer = saved->at_peer == TRISTATE_YES,
		.error = -(int)saved->error.value,
		.status = (uint16_t)saved->status.value,
		.tries = (unsigned int)saved->tries.value,
	};
	return 0;
}

static int add_faults(struct maker *maker)
{
	const struct records *faults = &maker->saved->faults;
	struct fabric *fabric = maker->fabric;

	for (size_t i = 0; i < faults->count; i++) {
		const struct saved_fault *saved = &((const struct saved_fault *)faults->rows)[i];

		if (!saved->reason || saved->line.value > UINT32_MAX)
			return complain(maker, "row %zu of the faults is malformed", i);
		MEM_ADD(fabric->faults, fabric->fault_count) = (struct fabric_fault){
			.line = (uint32_t)saved->line.value,
			.reason = text_clean(saved->reason, strlen(saved->reason)),
		};
	}
	return 0;
}

static int add_failures(struct maker *maker)
{
	const struct saved_graph *saved = maker->saved;
	struct fabric *fabric = maker->fabric;
	int rc = 0;

	for (size_t i = 0; !rc && i < saved->unanswered.count; i++)
		rc = add_failure(maker, i);
	if (rc)
		return rc;
	fabric->interrupted = saved->interrupted == TRISTATE_YES;
	if (saved->complete != (fabric_is_complete(fabric) ? TRISTATE_YES : TRISTATE_NO))
		return complain(maker, "`complete` contradicts the list of unanswered queries");
	return 0;
}

static int add_details(struct maker *maker)
{
	const struct records *details = &maker->saved->details;
	struct fabric *fabric = maker->fabric;

	for (size_t i = 0; i < details->count; i++) {
		const struct saved_detail *saved = &((const struct saved_detail *)details->rows)[i];
		struct fabric_detail detail = {
			.port = find_port(fabric, &saved->node_index, &saved->port),
			.attribute = (uint16_t)saved->attribute.value,
			.modifier = (uint32_t)saved->modifier.value,
		};

		if (detail.port == FABRIC_NONE || !is_below(&saved->attribute, UINT16_MAX + 1u) ||
		    !is_below(&saved->modifier, UINT64_C(1) << 32) || !saved->data ||
		    !text_read_hex(saved->data, detail.data, sizeof(detail.data)))
			return complain(maker, "row %zu of the details is malformed", i);
		MEM_ADD(fabric->details, fabric->detail_count) = detail;
	}
	return 0;
}

/* In this order, because each step needs what the earlier ones have built. */
static int (*const steps[])(struct maker *maker) = {
	add_nodes, set_parents, set_ports, check_links, add_faults, add_failures, add_details,
};

int saved_graph_make(struct saved_graph *saved, struct fabric *fabric, char **ret_message)
{
	struct maker maker = {.saved = saved, .fabric = fabric};
	int rc = 0;

	fabric->source = (uint8_t)saved->source.value;
	fabric->by_port = fabric->source == FABRIC_PORT_LIST;
	if (!saved->nodes.known || !saved->ports.known || !saved->unanswered.known)
		rc = complain(&maker, "a list is missing: nodes, ports or unanswered");
	for (size_t i = 0; i < ARRAY_SIZE(steps) && !rc; i++)
		rc = steps[i](&maker);
	if (rc) {
		fabric_clear(fabric);
		*ret_message = maker.message;
		return rc;
	}
	fabric->origin = saved->origin;
	saved->origin = (struct fabric_origin){.time = NULL};
	return 0;
}
