/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What rdmactl mesh learns from a saved scan: which switch a rail is attached to, by its GUID or
 * its node's description, how far apart switches are, and the cables on a packet's way. The scans
 * are those of tests/fixtures/subnets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/mesh/mesh_run.h"
#include "host/device.h"

#define ROUTES	  "tests/fixtures/subnets/two-spines.json"
#define NO_ROUTES "tests/fixtures/subnets/two-leaves.txt"

enum { HOSTS = 11, RAILS = 2 };

struct bed {
	struct mesh_host hosts[HOSTS];
	struct endpoint rails[HOSTS][RAILS];
	char names[HOSTS][16];
	struct mesh_fabric *mesh;
};

static int set_up(void **state)
{
	*state = mem_alloc_zero(1, sizeof(struct bed));
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	mesh_fabric_free(bed->mesh);
	free(bed);
	return 0;
}

/* A host with a rail, mlx5_0, whose GID has no GUID that is in the scan. */
static struct endpoint *set_host(struct bed *bed, uint32_t number, const char *name)
{
	snprintf(bed->names[number], sizeof(bed->names[number]), "%s", name);
	bed->hosts[number] = (struct mesh_host){.name = bed->names[number],
						.presence = MESH_PRESENT,
						.rails = bed->rails[number],
						.rail_count = 1};
	for (uint32_t i = 0; i < RAILS; i++)
		bed->rails[number][i] = (struct endpoint){
			.device = "mlx5_0", .port = 1, .link_layer = LINK_LAYER_INFINIBAND};
	return bed->rails[number];
}

/*
 * The nine hosts of the scan: the first has another name, and is found by its GUID; the last has
 * the same GUID, but on Ethernet, where it does not count; the third's second rail is in the scan;
 * the others are found by description.
 */
static void set_hosts(struct bed *bed)
{
	struct endpoint *rail = set_host(bed, 0, "x");

	snprintf(rail->device, sizeof(rail->device), "mlx5_9");
	rail->gid.raw[14] = 0x02;
	rail->gid.raw[15] = 0x01;
	for (uint32_t i = 1; i < 9; i++) {
		char name[8];

		snprintf(name, sizeof(name), "n%u", i + 1);
		set_host(bed, i, name);
	}
	bed->hosts[2].rail_count = 2;
	snprintf(bed->rails[2][0].device, sizeof(bed->rails[2][0].device), "mlx5_");
	rail = set_host(bed, 9, "lost");
	rail->gid.raw[14] = 0x02;
	rail->gid.raw[15] = 0x01;
	rail->link_layer = LINK_LAYER_ETHERNET;
	set_host(bed, 10, "n");
}

static const struct judge_fabric *place(struct bed *bed, const char *path, size_t found)
{
	_cleanup_(freep) char *message = NULL;

	bed->mesh = mesh_fabric_open(path, &message);
	assert_non_null(bed->mesh);
	assert_null(mesh_fabric_facts(bed->mesh));
	assert_null(mesh_fabric_order(bed->mesh, HOSTS));
	assert_int_equal(mesh_fabric_place(bed->mesh, bed->hosts, HOSTS), found);
	return mesh_fabric_facts(bed->mesh);
}

/* `leaf A: leaf A/1 leaf A/2`, for each host's rails. */
static char *places_of(const struct bed *bed, const struct judge_fabric *facts)
{
	char *text = mem_string("");

	for (uint32_t i = 0; i < HOSTS; i++)
		for (uint32_t j = 0; j < bed->hosts[i].rail_count; j++) {
			const uint32_t port = i * MESH_MOST_RAILS + j, at = facts->switches[port];
			_cleanup_(freep) char *name = at == MESH_NO_SWITCH
							      ? mem_string("-")
							      : facts->name_switch(facts->context,
										   at);
			_cleanup_(freep) char *partner = facts->name_partner(facts->context, port);

			mem_extend(&text, "%s %s: %s\n", bed->names[i], name,
				   partner ? partner : "-");
		}
	return text;
}

static char *distances_of(const struct judge_fabric *facts)
{
	char *text = mem_string("");

	for (uint32_t i = 0; i < facts->switch_count; i++)
		for (uint32_t j = 0; j < facts->switch_count; j++)
			mem_extend(&text, "%u%s", facts->distances[i * facts->switch_count + j],
				   j + 1 < facts->switch_count ? " " : "\n");
	return text;
}

static void places_and_distances(void **state)
{
	struct bed *bed = *state;
	_cleanup_(freep) char *places = NULL, *distances = NULL;
	_cleanup_(freep) uint32_t *order = NULL;
	static const uint32_t wanted[HOSTS] = {0, 1, 3, 4, 5, 6, 7, 8, 2, 9, 10};
	const struct judge_fabric *facts;

	set_hosts(bed);
	facts = place(bed, ROUTES, 9);
	places = places_of(bed, facts);
	assert_string_equal(places, "x leaf A: leaf A/1\n"
				    "n2 leaf A: leaf A/2\n"
				    "n3 -: -\n"
				    "n3 leaf A: leaf A/3\n"
				    "n4 leaf B: leaf B/1\n"
				    "n5 leaf B: leaf B/2\n"
				    "n6 leaf B: leaf B/3\n"
				    "n7 leaf C: leaf C/1\n"
				    "n8 leaf C: leaf C/2\n"
				    "n9 leaf C: leaf C/3\n"
				    "lost -: -\n"
				    "n -: -\n");
	/* Leaf A, the spines, leaf B and leaf C. */
	assert_int_equal(facts->switch_count, 5);
	distances = distances_of(facts);
	assert_string_equal(distances, "1 2 2 3 3\n"
				       "2 1 3 2 2\n"
				       "2 3 1 2 2\n"
				       "3 2 2 1 3\n"
				       "3 2 2 3 1\n");
	order = mesh_fabric_order(bed->mesh, HOSTS);
	assert_memory_equal(order, wanted, sizeof(wanted));
}

/* A port that the node does not have; and the GUID takes precedence over the description. */
static void ports_of_nodes(void **state)
{
	struct bed *bed = *state;
	_cleanup_(freep) char *places = NULL;

	set_hosts(bed);
	bed->rails[1][0].port = 2;
	/* The node described as n4 has the GUID of n5, and n5 has another device. */
	bed->rails[3][0].gid.raw[14] = 0x02;
	bed->rails[3][0].gid.raw[15] = 0x41;
	snprintf(bed->rails[4][0].device, sizeof(bed->rails[4][0].device), "mlx5_00");
	places = places_of(bed, place(bed, ROUTES, 7));
	assert_string_equal(places, "x leaf A: leaf A/1\n"
				    "n2 -: -\n"
				    "n3 -: -\n"
				    "n3 leaf A: leaf A/3\n"
				    "n4 leaf B: leaf B/2\n"
				    "n5 -: -\n"
				    "n6 leaf B: leaf B/3\n"
				    "n7 leaf C: leaf C/1\n"
				    "n8 leaf C: leaf C/2\n"
				    "n9 leaf C: leaf C/3\n"
				    "lost -: -\n"
				    "n -: -\n");
}

static char *way_of(const struct judge_fabric *facts, uint32_t from, uint32_t to, size_t most)
{
	uint32_t cables[JUDGE_MOST_WAY];
	const int count = facts->find_way(facts->context, from * MESH_MOST_RAILS,
					  to * MESH_MOST_RAILS, cables, most);
	char *text = mem_format("%d:", count);

	for (int i = 0; i < count; i++)
		mem_extend(&text, " %u", cables[i]);
	return text;
}

/* From the scan's forwarding tables: each direction has its own way. */
static void ways(void **state)
{
	static const struct {
		uint32_t from, to;
		size_t most;
		const char *way;
	} samples[] = {
		{0, 1, 16, "0:"},     {0, 1, 0, "0:"},	    {0, 3, 16, "2: 0 2"},
		{3, 0, 16, "2: 2 0"}, {0, 4, 2, "2: 1 4"},  {0, 4, 1, "-1:"},
		{0, 4, 0, "-1:"},     {4, 1, 16, "2: 4 1"}, {1, 6, 16, "2: 1 5"},
		{1, 7, 16, "2: 0 3"}, {7, 1, 16, "2: 5 1"}, {3, 6, 16, "2: 4 5"},
		{6, 3, 16, "2: 5 4"}, {4, 7, 16, "2: 2 3"}, {9, 0, 16, "-1:"},
		{0, 9, 16, "-1:"},
	};
	struct bed *bed = *state;
	_cleanup_(freep) char *cables = mem_string("");
	const struct judge_fabric *facts;

	set_hosts(bed);
	facts = place(bed, ROUTES, 9);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(freep) char *way = way_of(facts, samples[i].from, samples[i].to,
						    samples[i].most);

		assert_string_equal(way, samples[i].way);
	}
	for (uint32_t i = 0; i < facts->cable_count; i++) {
		_cleanup_(freep) char *name = facts->name_cable(facts->context, i);
		uint32_t ends[2];

		facts->cable_ends(facts->context, i, ends);
		mem_extend(&cables, "%s, %u %u\n", name, ends[0], ends[1]);
	}
	assert_string_equal(cables, "leaf A/5 to spine 1/1, 0 1\n"
				    "leaf A/6 to spine 2/1, 0 2\n"
				    "spine 1/2 to leaf B/5, 1 3\n"
				    "spine 1/3 to leaf C/5, 1 4\n"
				    "spine 2/2 to leaf B/6, 2 3\n"
				    "spine 2/3 to leaf C/6, 2 4\n");
}

/* A text of ibnetdiscover has no forwarding tables, so no way is known. */
static void without_routes(void **state)
{
	struct bed *bed = *state;
	_cleanup_(freep) char *distances = NULL;
	const struct judge_fabric *facts;

	set_hosts(bed);
	facts = place(bed, NO_ROUTES, 8);
	assert_null(facts->find_way);
	assert_null(facts->name_cable);
	assert_null(facts->cable_ends);
	assert_int_equal(facts->cable_count, 0);
	distances = distances_of(facts);
	assert_string_equal(distances, "1 2 3\n2 1 2\n3 2 1\n");
}

/* A scan without any of the hosts has no facts. */
static void without_hosts(void **state)
{
	struct bed *bed = *state;

	for (uint32_t i = 0; i < HOSTS; i++)
		set_host(bed, i, "m");
	assert_null(place(bed, ROUTES, 0));
	assert_null(mesh_fabric_order(bed->mesh, HOSTS));
	assert_null(mesh_fabric_facts(NULL));
	assert_null(mesh_fabric_order(NULL, HOSTS));
}

static void no_scan(void **state)
{
	_cleanup_(freep) char *message = NULL;

	(void)state;
	assert_null(mesh_fabric_open("/no/such/file", &message));
	assert_non_null(message);
	mesh_fabric_free(NULL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	static const struct CMUnitTest tests[] = {
		TEST(places_and_distances), TEST(ports_of_nodes), TEST(ways),
		TEST(without_routes),	    TEST(without_hosts),  TEST(no_scan),
	};

	return cmocka_run_group_tests_name("mesh-fabric", tests, NULL, NULL);
}
