/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The GID table of a port: which slots are in use, their types, and what sysfs files say about
 * them.
 */
#include "saved_tree.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "host/device.h"
#include "host/port.h"
#include "schema/problem.h"

struct bed {
	struct saved_tree tree;
	struct port port;
	struct problems problems;
};

static int setup(void **state)
{
	const int rc = tree_set_up(state, sizeof(struct bed));
	struct bed *bed = *state;

	bed->port = (struct port){
		.device = mem_string("a"), .kernel_name = "k", .port = number_of(3)};
	return rc;
}

static void drop_entries(struct bed *bed)
{
	for (size_t i = 0; i < bed->port.gid_count; i++)
		gid_entry_clear(&bed->port.gids[i]);
	free(bed->port.gids);
	bed->port.gids = NULL;
	bed->port.gid_count = 0;
}

static int teardown(void **state)
{
	struct bed *bed = *state;

	drop_entries(bed);
	free(bed->port.device);
	problems_free(&bed->problems);
	tree_close(&bed->tree);
	free(bed);
	return 0;
}

static void add(struct bed *bed, uint64_t index, const char *gid, enum gid_type type)
{
	struct gid_entry *entry = mem_append(&bed->port.gids, &bed->port.gid_count,
					     sizeof(*bed->port.gids));

	entry->index = number_of(index);
	entry->type = number_of(type);
	entry->gid.known = true;
	assert_int_equal(gid_parse(gid, &entry->gid.gid), 0);
}

/* Empty slots before, between and after the entries. */
static void empty_slots(void **state)
{
	static const struct {
		uint64_t length, used[2];
		size_t used_count;
		const char *slots; /* x: an entry */
	} samples[] = {
		{0, {0}, 0, ""},       {3, {0}, 0, "..."}, {3, {0}, 1, "x.."},
		{3, {1}, 1, ".x."},    {3, {2}, 1, "..x"}, {3, {0, 2}, 2, "x.x"},
		{3, {1, 2}, 2, ".xx"}, {0, {1}, 1, ".x"},  {2, {0, 3}, 2, "x..x"},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		drop_entries(bed);
		bed->port.gid_table_length = number_of(samples[i].length);
		for (size_t j = 0; j < samples[i].used_count; j++)
			add(bed, samples[i].used[j], "fe80::7", GID_TYPE_IB);
		gid_table_add_empty(&bed->port);
		assert_int_equal(bed->port.gid_count, strlen(samples[i].slots));
		for (size_t j = 0; j < bed->port.gid_count; j++) {
			const struct gid_entry *entry = &bed->port.gids[j];

			assert_int_equal(entry->index.value, j);
			assert_true(entry->gid.known);
			assert_int_equal(gid_is_zero(&entry->gid.gid), samples[i].slots[j] == '.');
			if (samples[i].slots[j] == 'x')
				continue;
			assert_string_equal(entry->device, "a");
			assert_int_equal(entry->port.value, 3);
			assert_int_equal(entry->source.value, GID_SOURCE_VERBS);
			assert_false(entry->type.known);
		}
	}
}

#define UNKNOWN -1

static struct number number_or_none(int value)
{
	return value < 0 ? (struct number){.known = false} : number_of((uint64_t)value);
}

/* The resulting type's letter, or - if it is unknown; + follows for a GID with an address. */
static void check_type(struct bed *bed, int transport, int layer, enum gid_type type,
		       const char *wanted)
{
	const struct number known = number_or_none(transport);
	const struct gid_entry *entry;
	char got[3];

	drop_entries(bed);
	bed->port.link_layer = number_or_none(layer);
	add(bed, 0, "::ffff:10.0.0.1", type);
	gid_table_finish(&bed->port, &known, false);
	assert_int_equal(bed->port.gid_count, 1);
	entry = &bed->port.gids[0];
	snprintf(got, sizeof(got), "%c%s",
		 !entry->type.known			 ? '-'
		 : entry->type.value == GID_TYPE_IB	 ? 'i'
		 : entry->type.value == GID_TYPE_ROCE_V1 ? '1'
							 : '2',
		 entry->ip.known ? "+" : "");
	assert_string_equal(got, wanted);
	if (entry->ip.known)
		assert_int_equal(entry->ip.address.family, AF_INET);
}

static void types(void **state)
{
	struct bed *bed = *state;

	check_type(bed, TRANSPORT_ROCE, LINK_LAYER_ETHERNET, GID_TYPE_ROCE_V1, "1+");
	check_type(bed, TRANSPORT_ROCE, LINK_LAYER_ETHERNET, GID_TYPE_ROCE_V2, "2+");
	/* The kernel also reports RoCE v1 for the GIDs of every other transport. */
	check_type(bed, TRANSPORT_INFINIBAND, LINK_LAYER_INFINIBAND, GID_TYPE_ROCE_V1, "i");
	check_type(bed, TRANSPORT_IWARP, LINK_LAYER_ETHERNET, GID_TYPE_ROCE_V1, "i");
	check_type(bed, TRANSPORT_OPA, LINK_LAYER_INFINIBAND, GID_TYPE_IB, "i");
	check_type(bed, UNKNOWN, LINK_LAYER_INFINIBAND, GID_TYPE_IB, "i");
	check_type(bed, UNKNOWN, LINK_LAYER_ETHERNET, GID_TYPE_ROCE_V2, "-");
	check_type(bed, UNKNOWN, UNKNOWN, GID_TYPE_ROCE_V2, "-");
}

static void check_kept(struct bed *bed, int layer, bool empty, const char *gid, bool kept)
{
	const struct number transport = number_of(TRANSPORT_INFINIBAND);

	drop_entries(bed);
	bed->port.link_layer = number_or_none(layer);
	add(bed, 0, gid, GID_TYPE_IB);
	add(bed, 1, "fe80::1", GID_TYPE_IB);
	gid_table_finish(&bed->port, &transport, empty);
	assert_int_equal(bed->port.gid_count, 1 + kept);
	assert_int_equal(bed->port.gids[kept].index.value, 1);
}

/* A bare subnet prefix is an empty slot on InfiniBand, but an address on iWARP. */
static void unassigned(void **state)
{
	struct bed *bed = *state;

	check_kept(bed, LINK_LAYER_INFINIBAND, false, "fe80::", false);
	check_kept(bed, LINK_LAYER_INFINIBAND, false, "fec0:0:0:1::", false);
	check_kept(bed, LINK_LAYER_INFINIBAND, true, "fe80::", true);
	check_kept(bed, LINK_LAYER_INFINIBAND, false, "fe80::1", true);
	check_kept(bed, LINK_LAYER_ETHERNET, false, "fe80::", true);
	check_kept(bed, UNKNOWN, false, "fe80::", false);
	/* fe80::/10 is link-local, RFC 4291. */
	check_kept(bed, UNKNOWN, false, "febf::", false);
	check_kept(bed, UNKNOWN, false, "fec0::", true);
	check_kept(bed, UNKNOWN, false, "fe7f::", true);
}

#define PORT "sys/class/infiniband/k/ports/3/"

static void check_netdev(struct bed *bed, int layer, unsigned int index, int rc, const char *wanted)
{
	char before[] = "before", *name = before;

	bed->port.link_layer = number_or_none(layer);
	assert_int_equal(gid_read_netdev(&bed->tree.root, &bed->port, index, &name), rc);
	if (wanted)
		assert_string_equal(name, wanted);
	else
		assert_true(rc ? !strcmp(name, "before") : !name);
	if (!rc)
		free(name);
}

static void netdevs(void **state)
{
	struct bed *bed = *state;

	tree_write(&bed->tree, PORT "gid_attrs/ndevs/1", "eth0");
	tree_link(&bed->tree, PORT "gid_attrs/ndevs/2", "!EINVAL");
	tree_link(&bed->tree, PORT "gid_attrs/ndevs/3", "!ENODEV");
	tree_link(&bed->tree, PORT "gid_attrs/ndevs/4", "!ENODATA");
	tree_link(&bed->tree, PORT "gid_attrs/ndevs/5", "!EACCES");
	tree_write(&bed->tree, PORT "gid_attrs/ndevs/6", "");
	check_netdev(bed, LINK_LAYER_ETHERNET, 1, 0, "eth0");
	/* Errors that the kernel returns for a GID without a netdev. */
	check_netdev(bed, LINK_LAYER_ETHERNET, 2, 0, NULL);
	check_netdev(bed, LINK_LAYER_ETHERNET, 3, 0, NULL);
	check_netdev(bed, LINK_LAYER_ETHERNET, 4, 0, NULL);
	check_netdev(bed, LINK_LAYER_ETHERNET, 5, -EACCES, NULL);
	check_netdev(bed, LINK_LAYER_ETHERNET, 6, -ENODATA, NULL);
	check_netdev(bed, LINK_LAYER_ETHERNET, 7, -ENOENT, NULL);
	check_netdev(bed, LINK_LAYER_INFINIBAND, 7, 0, NULL);
	check_netdev(bed, UNKNOWN, 7, 0, NULL);
	/* A netdev that is already known is kept. */
	add(bed, 5, "fe80::1", GID_TYPE_ROCE_V2);
	bed->port.gids[0].netdev = mem_string("eth5");
	check_netdev(bed, LINK_LAYER_ETHERNET, 5, 0, "eth5");
	check_netdev(bed, LINK_LAYER_ETHERNET, 1, 0, "eth0");
}

static void first_slot(void **state)
{
	struct bed *bed = *state;
	struct known_gid first = gid_read_first(&bed->tree.root, &bed->port);

	assert_false(first.known);
	tree_write(&bed->tree, PORT "gids/0", "nonsense");
	assert_false(gid_read_first(&bed->tree.root, &bed->port).known);
	tree_write(&bed->tree, PORT "gids/0", "fe80::5");
	first = gid_read_first(&bed->tree.root, &bed->port);
	assert_true(first.known);
	assert_int_equal(gid_interface_id(&first.gid), 5);
	add(bed, 1, "fe80::6", GID_TYPE_IB);
	first = gid_read_first(&bed->tree.root, &bed->port);
	assert_int_equal(gid_interface_id(&first.gid), 5);
	add(bed, 0, "fe80::7", GID_TYPE_IB);
	first = gid_read_first(&bed->tree.root, &bed->port);
	assert_int_equal(gid_interface_id(&first.gid), 7);
	assert_null(gid_entry_at(&bed->port, 2));
	assert_ptr_equal(gid_entry_at(&bed->port, 0), &bed->port.gids[1]);
}

/* Texts of a GID's type; a slot past the end of the types has none, and vice versa. */
static void words(void **state)
{
	static const struct {
		int layer;
		const char *text;
		int type; /* UNKNOWN: no problem either; -2: with a problem */
	} samples[] = {
		{LINK_LAYER_ETHERNET, "RoCE v2", GID_TYPE_ROCE_V2},
		{LINK_LAYER_ETHERNET, "IB/RoCE v1", GID_TYPE_ROCE_V1},
		{LINK_LAYER_INFINIBAND, "IB/RoCE v1", GID_TYPE_IB},
		{UNKNOWN, "IB/RoCE v1", UNKNOWN},
		{UNKNOWN, "RoCE v2", GID_TYPE_ROCE_V2},
		{LINK_LAYER_ETHERNET, "RoCE v3", -2},
		{LINK_LAYER_INFINIBAND, NULL, GID_TYPE_IB},
		{LINK_LAYER_ETHERNET, NULL, -2},
	};
	struct bed *bed = *state;

	tree_write(&bed->tree, PORT "gids/0", "fe80::5");
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		const struct number *type;

		drop_entries(bed);
		bed->port.link_layer = number_or_none(samples[i].layer);
		if (samples[i].text)
			tree_write(&bed->tree, PORT "gid_attrs/types/0", samples[i].text);
		else
			tree_delete(&bed->tree, PORT "gid_attrs/types/0");
		gid_table_read_sysfs(&bed->tree.root, &bed->port, false, false, &bed->problems);
		assert_int_equal(bed->port.gid_count, 1);
		type = &bed->port.gids[0].type;
		assert_int_equal(type->known ? (int)type->value : UNKNOWN,
				 samples[i].type < 0 ? UNKNOWN : samples[i].type);
		assert_int_equal(bed->problems.count, samples[i].type == -2);
		problems_free(&bed->problems);
		bed->problems = (struct problems){.count = 0};
	}
	assert_int_equal(gid_table_check(&bed->tree.root, &bed->port, 1), 0);
	tree_write(&bed->tree, PORT "gid_attrs/types/0", "RoCE v2");
	tree_write(&bed->tree, PORT "gid_attrs/types/1", "RoCE v2");
	assert_int_equal(gid_table_check(&bed->tree.root, &bed->port, 2), 0);
	assert_int_equal(gid_table_check(&bed->tree.root, &bed->port, 1), -ENOENT);
	tree_delete(&bed->tree, PORT "gid_attrs");
	assert_int_equal(gid_table_check(&bed->tree.root, &bed->port, 0), 0);
	bed->port.link_layer = number_of(LINK_LAYER_INFINIBAND);
	assert_int_equal(gid_table_check(&bed->tree.root, &bed->port, 0), -ENOENT);
	assert_int_equal(gid_table_check(&bed->tree.root, &bed->port, 1), 0);
}

/* Ranges of slots in a table: only a missing first slot is a problem. */
static void some_slots(void **state)
{
	struct bed *bed = *state;

	bed->port.link_layer = number_of(LINK_LAYER_INFINIBAND);
	assert_false(gid_table_read_slots(&bed->tree.root, &bed->port, 0, 1, &bed->problems));
	assert_int_equal(bed->problems.count, 1);
	assert_string_equal(bed->problems.items[0].object, "a/3");
	assert_string_equal(bed->problems.items[0].attribute, "gids");
	for (int i = 0; i < 4; i++) {
		char path[64];

		snprintf(path, sizeof(path), PORT "gids/%d", i);
		tree_write(&bed->tree, path, i == 2 ? "::" : "fe80::5");
	}
	assert_true(gid_table_read_slots(&bed->tree.root, &bed->port, 1, 3, &bed->problems));
	assert_int_equal(bed->port.gid_count, 2);
	assert_int_equal(bed->port.gids[0].index.value, 1);
	assert_int_equal(bed->port.gids[1].index.value, 3);
	assert_false(gid_table_read_slots(&bed->tree.root, &bed->port, 3, 2, &bed->problems));
	assert_int_equal(bed->port.gid_count, 3);
	assert_int_equal(bed->problems.count, 1);
}

enum { SLOTS = 30, READS = 10 };

/* The port goes away at the last of these calls of read(); 0: it stays. */
static unsigned int reads_left;
static const char *port_here, *port_away;

/* Replaces the C library's function. */
ssize_t read(int fd, void *buffer, size_t size)
{
	if (reads_left && !--reads_left)
		assert_int_equal(rename(port_here, port_away), 0);
	return syscall(SYS_read, fd, buffer, size);
}

/* Reads a table while the port is taken away; returns the slots that were read. */
static size_t read_while_removed(struct bed *bed, bool gids)
{
	_cleanup_(freep) char *here = mem_format("%s/" PORT, bed->tree.path);
	_cleanup_(freep) char *away = mem_format("%s/away", bed->tree.path);
	size_t count;

	port_here = here;
	port_away = away;
	reads_left = READS;
	if (gids)
		gid_table_read_sysfs(&bed->tree.root, &bed->port, false, true, &bed->problems);
	else
		pkey_table_read_sysfs(&bed->tree.root, &bed->port, &bed->problems);
	assert_int_equal(reads_left, 0);
	count = bed->port.gid_count + bed->port.pkey_count;
	assert_int_equal(rename(away, here), 0);
	gid_table_clear(&bed->port);
	free(bed->port.pkeys);
	bed->port.pkeys = NULL;
	bed->port.pkey_count = 0;
	return count;
}

static void fill(struct bed *bed, const char *folder, const char *text)
{
	for (unsigned int i = 0; i < SLOTS; i++) {
		_cleanup_(freep) char *path = mem_format(PORT "%s/%u", folder, i);

		tree_write(&bed->tree, path, text);
	}
}

/* One line says that the table is gone, rather than one for each file that is left. */
static void removed_while_read(void **state)
{
	static const struct {
		const char *table;
		int layer;
	} rows[] = {
		{"pkeys", LINK_LAYER_INFINIBAND},
		{"gids", LINK_LAYER_INFINIBAND},
		{"gids", LINK_LAYER_ETHERNET},
	};
	struct bed *bed = *state;

	fill(bed, "pkeys", "0xffff");
	fill(bed, "gids", "fe80::5");
	fill(bed, "gid_attrs/types", "RoCE v2");
	fill(bed, "gid_attrs/ndevs", "eth0");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t count;

		bed->port.link_layer = number_of((uint64_t)rows[i].layer);
		problems_free(&bed->problems);
		bed->problems = (struct problems){.items = NULL};
		count = read_while_removed(bed, !strcmp(rows[i].table, "gids"));
		assert_int_equal(bed->problems.count, 1);
		assert_in_range(count, 1, SLOTS - 1);
		assert_string_equal(bed->problems.items[0].attribute, rows[i].table);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	static const struct CMUnitTest tests[] = {
		TEST(empty_slots), TEST(types), TEST(unassigned), TEST(netdevs),
		TEST(first_slot),  TEST(words), TEST(some_slots), TEST(removed_while_read),
	};

	return cmocka_run_group_tests_name("gid-table", tests, NULL, NULL);
}
