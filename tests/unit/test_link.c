/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Software devices: how wishes are parsed, and which ones the kernel would refuse. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "change/link/link.h"

static void wishes(void **state)
{
	struct link_wish wish;

	(void)state;
	assert_true(link_wish_parse("rxe on eth0", &wish));
	assert_string_equal(wish.type, "rxe");
	assert_string_equal(wish.netdev, "eth0");
	assert_true(link_wish_parse("siw on a-b.5", &wish));
	assert_string_equal(wish.netdev, "a-b.5");
	assert_false(link_wish_parse(CHANGE_ABSENT, &wish));
	assert_false(link_wish_parse("rxe", &wish));
	assert_false(link_wish_parse("rxeon eth0", &wish));
	assert_false(link_wish_parse("mlx5 on eth0", &wish));
	assert_false(link_wish_parse("", &wish));
}

static void names(void **state)
{
	static const struct {
		const char *name;
		int rc;
	} rows[] = {{"rxe0", 0},	  {"0", 0},	   {"a_b.c-d", 0},
		    {"a/b", -EINVAL},	  {"..", -EINVAL}, {".a", -EINVAL},
		    {"a%d", -EINVAL},	  {"", -EINVAL},   {"a b", -EINVAL},
		    {"\xc3\xa9", -EINVAL}};
	struct change_host host = {.nldev = NULL};
	struct changes changes = {.count = 0};
	char longest[65];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct change *change = changes_add(&changes, &host, &link_setting, rows[i].name,
						    NULL);

		assert_int_equal(change_parse(change, "rxe on eth0", &change->wanted), rows[i].rc);
		assert_int_equal(change->reason != NULL, rows[i].rc != 0);
	}
	/* An existing device with such a name may be deleted. */
	for (size_t i = 0; i < 2; i++) {
		struct change *change;

		memset(longest, 'x', sizeof(longest));
		longest[63 + i] = '\0';
		change = changes_add(&changes, &host, &link_setting, longest, NULL);
		assert_int_equal(change_parse(change, "rxe on eth0", &change->wanted),
				 i ? -EINVAL : 0);
		free(change->wanted);
		change->wanted = NULL;
		assert_int_equal(change_parse(change, CHANGE_ABSENT, &change->wanted), 0);
	}
	changes_clear(&changes);
}

struct bed {
	struct change_host host;
	struct changes changes;
	struct change *change;
	struct software_links links;
	struct link_list netdevs;
	struct link netdev[3];
};

static char rxe7[] = "rxe7", rxe[] = "rxe", eth0[] = "eth0", vlan_name[] = "eth1.5",
	    vlan[] = "vlan", eth1[] = "eth1";

static void lay(struct bed *bed, const char *name, const char *before)
{
	static struct software_link one;

	*bed = (struct bed){
		.netdev = {{.name = eth0}, {.name = eth1}, {.name = vlan_name, .kind = vlan}}};
	one = (struct software_link){.name = rxe7, .type = rxe, .netdev = eth0};
	bed->links = (struct software_links){&one, 1};
	bed->netdevs = (struct link_list){.items = bed->netdev, .count = 3};
	bed->change = changes_add(&bed->changes, &bed->host, &link_setting, name, NULL);
	bed->change->before = mem_string(before);
}

/* Judges a wish, and compares errno and reason. */
static void expect(const char *name, const char *before, const char *value, int rc,
		   const char *reason)
{
	struct link_wish wish;
	struct bed bed;

	lay(&bed, name, before);
	assert_true(link_wish_parse(value, &wish));
	assert_int_equal(link_check_add(bed.change, &bed.netdevs, &wish), rc);
	if (reason)
		assert_string_equal(bed.change->reason, reason);
	else
		assert_null(bed.change->reason);
	assert_int_equal(bed.change->next_step != NULL, rc != 0);
	/* An incomplete list does not prove that a netdev is missing. */
	if (rc == -ENODEV) {
		bed.netdevs.missing = true;
		assert_int_equal(link_check_add(bed.change, &bed.netdevs, &wish), 0);
	}
	changes_clear(&bed.changes);
}

static void refusals(void **state)
{
	(void)state;
	expect("a", CHANGE_ABSENT, "rxe on eth1", 0, NULL);
	expect("a", CHANGE_ABSENT, "siw on eth0", 0, NULL);
	expect("a", CHANGE_ABSENT, "siw on eth1.5", 0, NULL);
	expect("a", CHANGE_ABSENT, "rxe on eth0", 0, NULL);
	expect("a", CHANGE_ABSENT, "rxe on eth1.5", -EPERM,
	       "eth1.5 is a VLAN, on which the kernel allows no device of type rxe");
	expect("a", CHANGE_ABSENT, "rxe on eth2", -ENODEV, "no netdev 'eth2'");
	expect("rxe7", "rxe on eth0", "rxe on eth1", -ENFILE, "rxe7 already exists: rxe on eth0");
	expect("mlx5_0", "a device of mlx5_core", "rxe on eth1", -ENFILE,
	       "mlx5_0 already exists: a device of mlx5_core");
}

/* Errors that the kernel still returns because something changed in the meantime. */
static void kernel_errors(void **state)
{
	const struct link_wish wish = {"rxe", "eth1"};
	static const struct {
		int error;
		const char *reason;
	} rows[] = {{-ENFILE, "another device has the name a"},
		    {-EEXIST, "eth1 already has a device of type rxe"},
		    {-ENODEV, "no netdev 'eth1'"},
		    {-ENOENT, "the kernel has no crc32, which rxe needs"},
		    {-EIO, NULL}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bed bed;

		lay(&bed, "a", CHANGE_ABSENT);
		link_explain_add(bed.change, &wish, rows[i].error);
		if (rows[i].reason)
			assert_string_equal(bed.change->reason, rows[i].reason);
		else
			assert_null(bed.change->reason);
		changes_clear(&bed.changes);
	}
}

static void add_device(struct inventory *inventory, const char *name, const char *driver,
		       const char *netdev)
{
	struct device *device = device_list_add(&inventory->devices, name);

	device->index = number_of(inventory->devices.count);
	device->driver = mem_string(driver);
	device_add_port(device, 1)->netdev = mem_string(netdev);
}

/* A device made by this call is found under the name that udev gave it; no other device is. */
static void renamed(void **state)
{
	struct inventory inventory = {.answers = true};
	struct change_host host = {.nldev = NULL};
	struct changes changes = {.items = NULL};
	struct change *change = changes_add(&changes, &host, &link_setting, "rxe0", "rxe on eth0");

	(void)state;
	change->before = mem_string(CHANGE_ABSENT);
	change->undo = link_setting.undo(change);
	add_device(&inventory, "siw7", "siw", "eth0");
	add_device(&inventory, "rxe1", "rdma_rxe", "eth1");
	add_device(&inventory, "rocep1s0", "rdma_rxe", "eth0");
	assert_null(link_follow(change, &inventory));
	assert_string_equal(change->object, "rxe0");
	change->written = true;
	assert_ptr_equal(link_follow(change, &inventory), &inventory.devices.items[2]);
	assert_string_equal(change->object, "rocep1s0");
	assert_string_equal(change->undo, "rdmactl link del rocep1s0");
	assert_ptr_equal(link_follow(change, &inventory), &inventory.devices.items[2]);
	assert_int_equal(change->notes.count, 1);
	assert_string_equal(
		change->notes.items[0],
		"it was created as rxe0, and since renamed to rocep1s0, as udev's rules do");
	/* Once the device is deleted again, no other device takes its place. */
	inventory.devices.items[2].index.known = false;
	free(change->object);
	change->object = mem_string("rxe0");
	assert_null(link_follow(change, &inventory));
	inventory_free(&inventory);
	changes_clear(&changes);
}

/*
 * A device that already exists under another name is as wanted, and lasts under the requested name.
 */
static void there_already(void **state)
{
	struct inventory inventory = {.answers = true};
	struct change_host host = {.nldev = NULL};
	struct changes changes = {.items = NULL};
	struct change *change = changes_add(&changes, &host, &link_setting, "rxe0", "rxe on eth0");

	(void)state;
	add_device(&inventory, "rocep1s0", "rdma_rxe", "eth0");
	assert_ptr_equal(link_follow(change, &inventory), &inventory.devices.items[0]);
	assert_string_equal(change->object, "rocep1s0");
	assert_null(change->undo);
	assert_int_equal(change->notes.count, 1);
	assert_string_equal(change->notes.items[0],
			    "eth0 already has one, and the kernel allows no second one: its "
			    "name is rocep1s0, perhaps from udev's rules; rdmactl dev set rocep1s0 "
			    "name rxe0 renames it");
	link_setting.persist(change);
	assert_string_equal(change->persist_file, "/etc/systemd/system/rdma-link-rxe0.service");
	assert_non_null(strstr(change->persist_text, "link add rxe0 type rxe netdev eth0\n"));
	inventory_free(&inventory);
	changes_clear(&changes);
}

/*
 * No other device takes the place of a deleted one; one that undoing has made again may have
 * another name.
 */
static void made_again(void **state)
{
	struct inventory inventory = {.answers = true};
	struct change_host host = {.nldev = NULL};
	struct changes changes = {.items = NULL};
	struct change *change = changes_add(&changes, &host, &link_setting, "rxe0", CHANGE_ABSENT);

	(void)state;
	change->before = mem_string("rxe on a/b");
	change->written = true;
	add_device(&inventory, "rocep1s0", "rdma_rxe", "a/b");
	assert_null(link_follow(change, &inventory));
	/* No kernel has a netdev of this name. */
	assert_true(link_setting.write(change, change->before) < 0);
	change->written = true;
	assert_ptr_equal(link_follow(change, &inventory), &inventory.devices.items[0]);
	assert_string_equal(change->object, "rocep1s0");
	inventory_free(&inventory);
	change_host_close(&host);
	changes_clear(&changes);
}

/* A netdev of another network namespace is unknown here, so the device could not be made again. */
static void netdev_elsewhere(void **state)
{
	static const struct {
		const char *before;
		bool reverts;
		int rc;
		size_t notes;
	} rows[] = {
		{"rxe on an unknown netdev", false, 0, 1},
		{"rxe on an unknown netdev", true, -EOPNOTSUPP, 1},
		{"rxe on eth0", true, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct change_host host = {.reverts = rows[i].reverts};
		struct changes changes = {.items = NULL};
		/* No kernel has a device of this name, so nobody can have it open. */
		struct change *change = changes_add(&changes, &host, &link_setting, "a b",
						    CHANGE_ABSENT);

		change->before = mem_string(rows[i].before);
		assert_int_equal(link_setting.check(change), rows[i].rc);
		if (rows[i].rc)
			assert_string_equal(change->reason,
					    "it could not be undone: its netdev is not in "
					    "this network namespace");
		link_setting.guard(change);
		assert_int_equal(change->notes.count, rows[i].notes);
		if (rows[i].notes)
			assert_string_equal(change->notes.items[0],
					    "it cannot be undone: its netdev is "
					    "not in this network namespace");
		change_host_close(&host);
		changes_clear(&changes);
	}
}

static void lists(void **state)
{
	struct bed bed;

	(void)state;
	lay(&bed, "a", CHANGE_ABSENT);
	assert_non_null(software_links_find(&bed.links, "rxe7"));
	assert_null(software_links_find(&bed.links, "rxe"));
	assert_non_null(software_links_find_on(&bed.links, "rxe", "eth0"));
	assert_null(software_links_find_on(&bed.links, "siw", "eth0"));
	assert_null(software_links_find_on(&bed.links, "rxe", "eth1"));
	bed.links.items[0].netdev = NULL;
	assert_null(software_links_find_on(&bed.links, "rxe", "eth0"));
	changes_clear(&bed.changes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wishes),	    cmocka_unit_test(names),
		cmocka_unit_test(refusals),	    cmocka_unit_test(kernel_errors),
		cmocka_unit_test(there_already),    cmocka_unit_test(made_again),
		cmocka_unit_test(netdev_elsewhere), cmocka_unit_test(lists),
		cmocka_unit_test(renamed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
