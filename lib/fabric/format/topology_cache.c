/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The format, version 1, is packed and little endian:
 *
 * head: magic 4, version 4, nodes 4, ports 4, GUID of the start node 8, most hops 4
 *
 * node: LID 2, LMC 1, enhanced port 0 1, SwitchInfo 64, GUID 8, type 1, ports 1, NodeInfo 64,
 * description 64, number of its port records 1, and for each the port's GUID 8, number 1
 *
 * port: GUID 8, number 1, number on a chassis 1, LID 2, LMC 1, PortInfo 64, GUID of the node 8,
 * whether there is a cable 1, GUID 8 and number 1 of the port at its other end
 *
 * Ports follow all nodes. Attributes are as in MADs.
 */
#include "fabric/format/topology.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define MAGIC	0x8fe7832bu
#define VERSION 1u

enum { HEAD_BYTES = 28, NODE_BYTES = 207, KEY_BYTES = 9, PORT_BYTES = 95 };

/* Offsets in the head, in a node, in a port. */
enum {
	AT_VERSION = 4,
	AT_NODES = 8,
	AT_PORTS = 12,
	AT_ROOT = 16,

	AT_SWITCH_INFO = 4,
	AT_NODE_GUID = 68,
	AT_NODE_INFO = 78,
	AT_DESCRIPTION = 142,
	AT_KEYS = 206,

	AT_NUMBER = 8,
	AT_PORT_INFO = 13,
	AT_NODE_OF_PORT = 77,
	AT_CABLED = 85,
	AT_PEER_GUID = 86,
	AT_PEER_NUMBER = 94,
};

struct key {
	uint64_t guid; /* of the port */
	uint32_t place;
	uint8_t number;
};

struct reader {
	const unsigned char *bytes;
	size_t length, at;
	uint32_t node_count, port_count;
	const unsigned char **nodes; /* records */
	const unsigned char *ports;  /* the first record */
	struct key *keys;	     /* of all port records, sorted */
	uint32_t lost;		     /* cables to ports without a record */
	struct fabric *fabric;
	char **message;
};

static uint64_t number_at(const unsigned char *bytes, size_t at, size_t width)
{
	uint64_t number = 0;

	while (width)
		number = number << 8 | bytes[at + --width];
	return number;
}

static bool has_any(const unsigned char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bytes[i])
			return true;
	return false;
}

static int fail(const struct reader *reader, char *message)
{
	*reader->message = message;
	return -EINVAL;
}

static int fail_short(const struct reader *reader)
{
	return fail(reader, mem_format("the file is truncated after %zu bytes", reader->length));
}

static int find_records(struct reader *reader)
{
	size_t left = reader->length - HEAD_BYTES;

	if (!reader->node_count)
		return fail(reader, mem_string("the file has no nodes"));
	if (reader->node_count > left / NODE_BYTES || reader->port_count > left / PORT_BYTES)
		return fail_short(reader);
	reader->nodes = mem_alloc_zero(reader->node_count, sizeof(*reader->nodes));
	reader->at = HEAD_BYTES;
	for (uint32_t i = 0; i < reader->node_count; i++) {
		size_t size;

		left = reader->length - reader->at;
		if (left < NODE_BYTES)
			return fail_short(reader);
		reader->nodes[i] = reader->bytes + reader->at;
		size = NODE_BYTES + (size_t)KEY_BYTES * reader->nodes[i][AT_KEYS];
		if (left < size)
			return fail_short(reader);
		reader->at += size;
	}
	left = reader->length - reader->at;
	if (left / PORT_BYTES < reader->port_count)
		return fail_short(reader);
	if (left != (size_t)PORT_BYTES * reader->port_count)
		return fail(reader,
			    mem_format("unexpected data at byte %zu",
				       reader->at + (size_t)PORT_BYTES * reader->port_count));
	reader->ports = reader->bytes + reader->at;
	return 0;
}

static int add_node(const struct reader *reader, const unsigned char *record)
{
	struct fabric *fabric = reader->fabric;
	uint64_t guid = number_at(record, AT_NODE_GUID, 8);
	struct fabric_node *node;
	uint32_t number;

	if (fabric_find(fabric, guid) != FABRIC_NONE)
		return fail(reader, mem_format("node 0x%016" PRIx64 " occurs twice", guid));
	number = fabric_add_node(fabric, record + AT_NODE_INFO);
	if (number == FABRIC_NONE || fabric->nodes[number].guid != guid)
		return fail(reader,
			    mem_format("node 0x%016" PRIx64 " has the NodeInfo of another node",
				       guid));
	node = &fabric->nodes[number];
	memcpy(node->description, record + AT_DESCRIPTION, NODE_DESCRIPTION_BYTES);
	node->has_description = has_any(node->description, NODE_DESCRIPTION_BYTES);
	memcpy(node->switch_info, record + AT_SWITCH_INFO, SWITCH_INFO_BYTES);
	node->has_switch_info = has_any(node->switch_info, SWITCH_INFO_BYTES);
	return 0;
}

/* Adds the node where the scan began, then the others, which the file has in reverse order. */
static int add_nodes(const struct reader *reader)
{
	uint64_t root = number_at(reader->bytes, AT_ROOT, 8);
	int rc = 0;

	for (uint32_t i = 0; i < reader->node_count && !rc; i++)
		if (number_at(reader->nodes[i], AT_NODE_GUID, 8) == root)
			rc = add_node(reader, reader->nodes[i]);
	if (!rc && !reader->fabric->node_count)
		return fail(reader,
			    mem_format("the node where it began, 0x%016" PRIx64 ", is missing",
				       root));
	for (uint32_t i = reader->node_count; i > 0 && !rc; i--)
		if (number_at(reader->nodes[i - 1], AT_NODE_GUID, 8) != root)
			rc = add_node(reader, reader->nodes[i - 1]);
	return rc;
}

DEFINE_ORDER(compare_keys, struct key, COMPARE(a->guid, b->guid), (int)a->number - (int)b->number)

static int take_port(struct reader *reader, uint32_t index)
{
	const unsigned char *record = reader->ports + (size_t)PORT_BYTES * index;
	struct fabric *fabric = reader->fabric;
	uint64_t guid = number_at(record, AT_NODE_OF_PORT, 8);
	uint32_t node = fabric_find(fabric, guid);
	struct fabric_port *port;

	if (node == FABRIC_NONE || record[AT_NUMBER] > fabric->nodes[node].port_count)
		return fail(reader, mem_format("no port %u of node 0x%016" PRIx64,
					       record[AT_NUMBER], guid));
	port = &fabric->ports[fabric_port_at(fabric, node, record[AT_NUMBER])];
	memcpy(port->info, record + AT_PORT_INFO, PORT_INFO_BYTES);
	port->has_info = has_any(port->info, PORT_INFO_BYTES);
	if (fabric->nodes[node].type != NODE_TYPE_SWITCH)
		port->guid = number_at(record, 0, 8);
	reader->keys[index] = (struct key){
		.guid = number_at(record, 0, 8),
		.place = (uint32_t)(port - fabric->ports),
		.number = record[AT_NUMBER],
	};
	return 0;
}

static int take_ports(struct reader *reader)
{
	int rc = 0;

	reader->keys = mem_alloc_zero(reader->port_count, sizeof(*reader->keys));
	for (uint32_t i = 0; i < reader->port_count && !rc; i++)
		rc = take_port(reader, i);
	if (rc)
		return rc;
	MEM_SORT(reader->keys, reader->port_count, compare_keys);
	for (uint32_t i = 1; i < reader->port_count; i++)
		if (!compare_keys(&reader->keys[i - 1], &reader->keys[i]))
			return fail(reader,
				    mem_format("port %u of GUID 0x%016" PRIx64 " occurs twice",
					       reader->keys[i].number, reader->keys[i].guid));
	return 0;
}

static uint32_t find_port(const struct reader *reader, const unsigned char *record, size_t at_guid,
			  size_t at_number)
{
	const struct key key = {.guid = number_at(record, at_guid, 8), .number = record[at_number]};
	const struct key *found = MEM_FIND(&key, reader->keys, reader->port_count, compare_keys);

	return found ? found->place : FABRIC_NONE;
}

/*
 * Both ends of a cable have a record, and each refers to the other. ibnetdiscover before rdma-core
 * 64 also refers to ports whose PortInfo timed out, which have no record.
 */
static int take_cables(struct reader *reader)
{
	struct fabric *fabric = reader->fabric;

	for (uint32_t i = 0; i < reader->port_count; i++) {
		const unsigned char *record = reader->ports + (size_t)PORT_BYTES * i;
		uint32_t port, peer;

		if (!record[AT_CABLED])
			continue;
		port = find_port(reader, record, 0, AT_NUMBER);
		peer = find_port(reader, record, AT_PEER_GUID, AT_PEER_NUMBER);
		if (peer == FABRIC_NONE && record[AT_NUMBER] && record[AT_PEER_NUMBER]) {
			reader->lost++;
			continue;
		}
		if (!record[AT_NUMBER] || !record[AT_PEER_NUMBER] ||
		    (fabric->ports[port].peer != FABRIC_NONE && fabric->ports[port].peer != peer) ||
		    (fabric->ports[peer].peer != FABRIC_NONE && fabric->ports[peer].peer != port))
			return fail(reader, mem_format("the cable of port %u of node 0x%016" PRIx64
						       " has no other end",
						       record[AT_NUMBER],
						       number_at(record, AT_NODE_OF_PORT, 8)));
		fabric_link(fabric, port, peer);
	}
	return 0;
}

bool fabric_is_cache(const unsigned char *bytes, size_t length)
{
	return length >= HEAD_BYTES && number_at(bytes, 0, 4) == MAGIC;
}

static int read_all(struct reader *reader)
{
	uint64_t version = number_at(reader->bytes, AT_VERSION, 4);

	if (version != VERSION)
		return fail(reader,
			    mem_format("version %" PRIu64 " is not supported, only version %u",
				       version, VERSION));
	reader->node_count = (uint32_t)number_at(reader->bytes, AT_NODES, 4);
	reader->port_count = (uint32_t)number_at(reader->bytes, AT_PORTS, 4);
	return find_records(reader)
		       ?: add_nodes(reader)
		       ?: take_ports(reader)
		       ?: take_cables(reader);
}

int fabric_read_cache(const unsigned char *bytes, size_t length, struct fabric *fabric,
		      char **ret_message)
{
	struct fabric found = {.nodes = NULL};
	struct reader reader = {
		.bytes = bytes,
		.length = length,
		.fabric = &found,
		.message = ret_message,
	};
	int rc;

	if (!fabric_is_cache(bytes, length))
		return -ENOMSG;
	rc = read_all(&reader);
	free(reader.nodes);
	free(reader.keys);
	if (rc) {
		fabric_clear(&found);
		return rc;
	}
	topology_arrange(&found);
	if (reader.lost)
		MEM_ADD(found.faults, found.fault_count) = (struct fabric_fault){
			.reason = mem_format(
				"the file lacks the other end of %u cable%s, which did "
				"not answer",
				reader.lost, text_plural_s(reader.lost)),
		};
	found.source = FABRIC_CACHE;
	*fabric = found;
	return 0;
}
