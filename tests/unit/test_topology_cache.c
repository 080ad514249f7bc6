/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The cache of libibnetdisc: two nodes, complete, truncated, and wrong in single bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "fabric/graph/graph.h"
#include "fabric/format/topology.h"

#define SWITCH_GUID  0x0002c90300000010u
#define ADAPTER_GUID 0x0002c90300000020u
#define PORT_GUID    0x0002c90300000021u

enum {
	HEAD_BYTES = 28,
	NODE_BYTES = 207,
	KEY_BYTES = 9,
	PORT_BYTES = 95,
	SWITCH_AT = HEAD_BYTES,
	ADAPTER_AT = SWITCH_AT + NODE_BYTES + 2 * KEY_BYTES,
	PORTS_AT = ADAPTER_AT + NODE_BYTES + KEY_BYTES,
	CACHE_BYTES = PORTS_AT + 3 * PORT_BYTES,
};

struct cache {
	unsigned char bytes[CACHE_BYTES + 1];
	size_t length;
};

static void put(struct cache *cache, uint64_t number, unsigned int width)
{
	for (unsigned int i = 0; i < width; i++)
		cache->bytes[cache->length++] = i < 8 ? (unsigned char)(number >> 8 * i) : 0;
}

static void put_bytes(struct cache *cache, const void *bytes, size_t size, size_t width)
{
	memcpy(cache->bytes + cache->length, bytes, size);
	cache->length += width;
}

/* NodeInfo of a node that was queried through port 1: big endian, as in a MAD. */
static void put_node(struct cache *cache, unsigned int type, uint64_t guid, uint64_t port_guid,
		     const char *description)
{
	unsigned char info[40] = {1, 1, (unsigned char)type, 2};

	for (size_t i = 0; i < 8; i++) {
		info[12 + i] = (unsigned char)(guid >> (56 - 8 * i));
		info[20 + i] = (unsigned char)(port_guid >> (56 - 8 * i));
	}
	info[36] = 1;
	put(cache, guid, 8);
	put(cache, type, 1);
	put(cache, 2, 1);
	put_bytes(cache, info, sizeof(info), 64);
	put_bytes(cache, description, strlen(description), 64);
}

static void put_port(struct cache *cache, uint64_t guid, unsigned int number, unsigned int lid,
		     const unsigned char *info, uint64_t node)
{
	put(cache, guid, 8);
	put(cache, number, 1);
	put(cache, 0, 1);
	put(cache, lid, 2);
	put(cache, 0, 1);
	put_bytes(cache, info, 64, 64);
	put(cache, node, 8);
}

static void put_peer(struct cache *cache, uint64_t guid, unsigned int number)
{
	put(cache, guid != 0, 1);
	put(cache, guid, 8);
	put(cache, number, 1);
}

/*
 * An adapter whose port 1 is cabled to port 2 of a switch; the scan began at the adapter, which
 * comes last.
 */
static void make_cache(struct cache *cache)
{
	static const unsigned char switch_info[64] = {0xc0, 0, 0, 0, 0, 0, 0, 9};
	static const unsigned char up[64] = {
		[16] = 0, 7, [31] = 2, [33] = 0x52, [35] = 4, [62] = 0x20};
	static const unsigned char management[64] = {[16] = 0, 3, [33] = 0x50};

	*cache = (struct cache){.length = 0};
	put(cache, 0x8fe7832b, 4);
	put(cache, 1, 4);
	put(cache, 2, 4);
	put(cache, 3, 4);
	put(cache, ADAPTER_GUID, 8);
	put(cache, 1, 4);
	put(cache, 3, 4);
	put_bytes(cache, switch_info, 64, 64);
	put_node(cache, NODE_TYPE_SWITCH, SWITCH_GUID, SWITCH_GUID, "leaf");
	put(cache, 2, 1);
	put(cache, SWITCH_GUID, 8);
	put(cache, 0, 1);
	put(cache, SWITCH_GUID, 8);
	put(cache, 2, 1);
	assert_int_equal(cache->length, ADAPTER_AT);
	put(cache, 0, 4 + 64);
	put_node(cache, NODE_TYPE_CA, ADAPTER_GUID, PORT_GUID, "host");
	put(cache, 1, 1);
	put(cache, PORT_GUID, 8);
	put(cache, 1, 1);
	assert_int_equal(cache->length, PORTS_AT);
	put_port(cache, PORT_GUID, 1, 7, up, ADAPTER_GUID);
	put_peer(cache, SWITCH_GUID, 2);
	put_port(cache, SWITCH_GUID, 0, 3, management, SWITCH_GUID);
	put_peer(cache, 0, 0);
	put_port(cache, SWITCH_GUID, 2, 3, up, SWITCH_GUID);
	put_peer(cache, PORT_GUID, 1);
	assert_int_equal(cache->length, CACHE_BYTES);
}

static int read_cache(const struct cache *cache, struct fabric *fabric, char **message)
{
	/* The exact size, so that the sanitizer sees every overrun. */
	_cleanup_(freep) unsigned char *bytes = malloc(cache->length + !cache->length);

	assert_non_null(bytes);
	memcpy(bytes, cache->bytes, cache->length);
	return fabric_read_cache(bytes, cache->length, fabric, message);
}

static void test_read(void **state)
{
	struct fabric fabric = {.nodes = NULL};
	char *message = NULL;
	struct cache cache;

	(void)state;
	make_cache(&cache);
	assert_true(fabric_is_cache(cache.bytes, cache.length));
	assert_int_equal(read_cache(&cache, &fabric, &message), 0);
	assert_int_equal(fabric.node_count, 2);
	assert_int_equal(fabric.source, FABRIC_CACHE);
	assert_int_equal(fabric.nodes[0].guid, ADAPTER_GUID);
	assert_string_equal((const char *)fabric.nodes[0].description, "host");
	assert_false(fabric.nodes[0].has_switch_info);
	assert_int_equal(fabric.ports[1].guid, PORT_GUID);
	assert_int_equal(fabric_port_lid(&fabric.ports[1]), 7);
	assert_int_equal(fabric_speed(&fabric.ports[1]), SPEED_EDR);
	assert_false(fabric.ports[2].has_info);
	assert_int_equal(fabric.nodes[1].guid, SWITCH_GUID);
	assert_int_equal(fabric.nodes[1].switch_info[7], 9);
	assert_true(fabric.nodes[1].has_switch_info);
	assert_int_equal(fabric.nodes[1].hops, 1);
	assert_int_equal(fabric.nodes[1].parent, 1);
	assert_int_equal(fabric.ports[1].peer, fabric_port_at(&fabric, 1, 2));
	assert_int_equal(fabric_lid(&fabric, fabric.ports[1].peer), 3);
	fabric_clear(&fabric);
}

static void test_short(void **state)
{
	struct cache cache;

	(void)state;
	make_cache(&cache);
	for (cache.length = 0; cache.length < CACHE_BYTES; cache.length++) {
		struct fabric fabric = {.nodes = NULL};
		_cleanup_(freep) char *message = NULL;
		int rc = read_cache(&cache, &fabric, &message);

		assert_int_equal(rc, cache.length < HEAD_BYTES ? -ENOMSG : -EINVAL);
		assert_true(cache.length < HEAD_BYTES || strstr(message, "the file is truncated"));
		assert_null(fabric.nodes);
	}
}

static const struct {
	size_t at;
	unsigned char byte;
	const char *message;
} wrong[] = {
	{4, 2, "version 2 is not supported, only version 1"},
	{8, 0, "the file has no nodes"},
	{11, 0xff, "the file is truncated"},
	{15, 0xff, "the file is truncated"},
	{12, 2, "unexpected data at byte"},
	{16, 0x99, "the node where it began, 0x0002c90300000099, is missing"},
	{SWITCH_AT + 68, 0x20, "node 0x0002c90300000020 has the NodeInfo of another node"},
	{SWITCH_AT + 78 + 2, 9, "node 0x0002c90300000010 has the NodeInfo of another node"},
	{SWITCH_AT + 78 + 3, 0, "node 0x0002c90300000010 has the NodeInfo of another node"},
	{SWITCH_AT + 78 + 36, 3, "node 0x0002c90300000010 has the NodeInfo of another node"},
	{PORTS_AT + 8, 3, "no port 3 of node 0x0002c90300000020"},
	{PORTS_AT + 77, 0x21, "no port 1 of node 0x0002c90300000021"},
	{PORTS_AT + 94, 0, "the cable of port 1 of node 0x0002c90300000020 has no other end"},
	{PORTS_AT + PORT_BYTES + 8, 2, "port 2 of GUID 0x0002c90300000010 occurs twice"},
};

static void test_wrong(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct fabric fabric = {.nodes = NULL};
		_cleanup_(freep) char *message = NULL;
		struct cache cache;

		make_cache(&cache);
		assert_int_not_equal(cache.bytes[wrong[i].at], wrong[i].byte);
		cache.bytes[wrong[i].at] = wrong[i].byte;
		assert_int_equal(read_cache(&cache, &fabric, &message), -EINVAL);
		assert_non_null(strstr(message, wrong[i].message));
		assert_null(fabric.nodes);
	}
}

/* A port that had not answered has no record, but its neighbour refers to it. */
static void test_lost_port(void **state)
{
	struct fabric fabric = {.nodes = NULL};
	_cleanup_(freep) char *message = NULL;
	struct cache cache;

	(void)state;
	make_cache(&cache);
	cache.bytes[PORTS_AT + 94] = 1;
	assert_int_equal(read_cache(&cache, &fabric, &message), 0);
	assert_int_equal(fabric.fault_count, 1);
	assert_string_equal(fabric.faults[0].reason,
			    "the file lacks the other end of 1 cable, which did not answer");
	assert_false(fabric_is_complete(&fabric));
	fabric_clear(&fabric);
}

/* The two ends name different cables. */
static void test_crossed(void **state)
{
	struct fabric fabric = {.nodes = NULL};
	_cleanup_(freep) char *message = NULL;
	struct cache cache;

	(void)state;
	make_cache(&cache);
	memcpy(cache.bytes + PORTS_AT + 2 * PORT_BYTES + 86,
	       cache.bytes + PORTS_AT + 2 * PORT_BYTES, 9);
	assert_int_equal(read_cache(&cache, &fabric, &message), -EINVAL);
	assert_non_null(strstr(message, "has no other end"));
}

static void test_foreign(void **state)
{
	struct fabric fabric = {.nodes = NULL};
	char *message = NULL;
	struct cache cache;

	(void)state;
	make_cache(&cache);
	cache.bytes[0] ^= 1;
	assert_false(fabric_is_cache(cache.bytes, cache.length));
	assert_int_equal(read_cache(&cache, &fabric, &message), -ENOMSG);
	assert_null(message);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),	cmocka_unit_test(test_short),
		cmocka_unit_test(test_wrong),	cmocka_unit_test(test_crossed),
		cmocka_unit_test(test_foreign), cmocka_unit_test(test_lost_port),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
