/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Software devices on netdevs: the words for one, and the commands and units that recreate it. Also
 * names and descriptions of devices: which are valid, and who is notified.
 */
#include <errno.h>
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
#include "change/device/device.h"
#include "change/link/link.h"

struct bed {
	struct change_host host;
	struct changes changes;
	struct inventory inventory;
};

static int set_up(void **state)
{
	*state = mem_alloc_zero(1, sizeof(struct bed));
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	changes_clear(&bed->changes);
	inventory_free(&bed->inventory);
	free(bed);
	return 0;
}

static struct change *want(struct bed *bed, const struct setting *setting, const char *object,
			   const char *before, const char *wanted)
{
	struct change *change = changes_add(&bed->changes, &bed->host, setting, object, wanted);

	change->before = mem_string_or_null(before);
	return change;
}

static void assert_next(const struct change *change, const char *reason, const char *next_step)
{
	if (reason)
		assert_string_equal(change->reason, reason);
	else
		assert_null(change->reason);
	if (next_step)
		assert_string_equal(change->next_step, next_step);
	else
		assert_null(change->next_step);
}

static void words(void **state)
{
	static const struct {
		const char *object, *text, *reason, *next_step;
	} cases[] = {
		{"rxe0", "rxe on eth0", NULL, NULL},
		{"rxe0", "absent", NULL, NULL},
		/* A device to be deleted may have any name. */
		{"r e", "absent", NULL, NULL},
		{"rxe0", "rxe on ", "'rxe on ' is not a link: it takes TYPE on NETDEV",
		 "the types are rxe (RoCE) and siw (iWARP)"},
		{"rxe0", "eth0", "'eth0' is not a link: it takes TYPE on NETDEV",
		 "the types are rxe (RoCE) and siw (iWARP)"},
		{"r e", "rxe on eth0",
		 "'r e' cannot be a name: it takes letters and digits, and after the first "
		 "character also _ . -",
		 NULL},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct change *change = want(bed, &link_setting, cases[i].object, NULL, NULL);
		int rc = change_parse(change, cases[i].text, &change->wanted);

		assert_int_equal(rc, cases[i].reason ? -EINVAL : 0);
		assert_next(change, cases[i].reason, cases[i].next_step);
		if (!rc)
			assert_string_equal(change->wanted, cases[i].text);
	}
}

/*
 * 63 letters, the first of which is not a sign: ib_device's name has IB_DEVICE_NAME_MAX 64 bytes.
 */
static void names(void **state)
{
	static const struct {
		const char *name;
		size_t most;
		const char *reason;
	} cases[] = {
		{"mlx5_0", 63, NULL},
		{"A-z.9_", 63, NULL},
		{"0", 1, NULL},
		{"abcde", 5, NULL},
		{"abcdef", 5, "'abcdef' is too long: a name has at most 5 characters"},
		{"_a", 63,
		 "'_a' cannot be a name: it takes letters and digits, and after the first "
		 "character also _ . -"},
		{".a", 63,
		 "'.a' cannot be a name: it takes letters and digits, and after the first "
		 "character also _ . -"},
		{"", 63,
		 "'' cannot be a name: it takes letters and digits, and after the first character "
		 "also _ . -"},
		{"a/b", 63,
		 "'a/b' cannot be a name: it takes letters and digits, and after the first "
		 "character also _ . -"},
		{"a%d", 63,
		 "'a%d' cannot be a name: it takes letters and digits, and after the first "
		 "character also _ . -"},
		{"a@", 63,
		 "'a@' cannot be a name: it takes letters and digits, and after the first "
		 "character also _ . -"},
		{"a[", 63,
		 "'a[' cannot be a name: it takes letters and digits, and after the first "
		 "character also _ . -"},
	};
	static const char edges[] = "azAZ09", beyond[] = "`{@[/:";
	struct bed *bed = *state;
	struct change *change;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		change = want(bed, &device_name_setting, "x", NULL, NULL);
		assert_int_equal(device_check_name(change, cases[i].name, cases[i].most),
				 !cases[i].reason);
		assert_next(change, cases[i].reason, NULL);
	}
	change = want(bed, &device_name_setting, "x", NULL, NULL);
	for (size_t i = 0; edges[i]; i++) {
		const char good[] = {edges[i], '\0'}, bad[] = {beyond[i], '\0'};

		assert_true(device_check_name(change, good, 1));
		assert_false(device_check_name(change, bad, 1));
	}
	/* Names of sub-devices have fifteen, and there is one type. */
	assert_true(sub_device_check(change, "abcdefghijklmno", "smi", "mlx5_0"));
	assert_false(sub_device_check(change, "abcdefghijklmnop", "smi", "mlx5_0"));
	assert_false(sub_device_check(change, "a", "smi", "mlx5/0"));
	assert_false(sub_device_check(change, "a", "sm", "mlx5_0"));
	assert_string_equal(change->reason,
			    "'sm' is not a type of sub-device: the only type is smi");
}

/* Only devices that netlink can make can be deleted, and only once. */
static void deletions(void **state)
{
	struct bed *bed = *state;
	struct change *change;

	change = want(bed, &link_setting, "mlx5_0", "a device of mlx5_core", "absent");
	assert_int_equal(link_setting.check(change), -EOPNOTSUPP);
	assert_next(change,
		    "mlx5_0 is a device of mlx5_core: only rxe and siw devices can be deleted",
		    "rdmactl link lists those that can be deleted");
	change = want(bed, &link_setting, "rxe0", "rxe on eth0", "absent");
	assert_int_equal(link_setting.check(change), 0);
	assert_int_equal(link_setting.write(change, "absent"), -ENODEV);
}

/* The command that recreates it, with quotes where the shell needs them. */
static void commands(void **state)
{
	static const struct {
		const char *object, *before, *undo;
	} cases[] = {
		{"rxe0", "absent", "rdmactl link del rxe0"},
		{"rxe0", "rxe on eth0", "rdmactl link add rxe0 type rxe netdev eth0"},
		{"siw0", "siw on e$0", "rdmactl link add siw0 type siw netdev 'e$0'"},
		{"r$", "absent", "rdmactl link del 'r$'"},
		{"rxe0", "rxe on an unknown netdev", NULL},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct change *change = want(bed, &link_setting, cases[i].object, cases[i].before,
					     "absent");
		char *undo = link_setting.undo(change);

		if (cases[i].undo)
			assert_string_equal(undo, cases[i].undo);
		else
			assert_null(undo);
		free(undo);
	}
}

/* systemd-escape(1): everything except letters, digits, _ . and : is \xNN. */
static void units(void **state)
{
	struct bed *bed = *state;
	struct change *change = want(bed, &link_setting, "rxe0", "absent", "rxe on eth-0.5_a:9@");

	link_setting.persist(change);
	assert_string_equal(change->persist_file, "/etc/systemd/system/rdma-link-rxe0.service");
	assert_string_equal(
		change->persist_text,
		"[Unit]\nDescription=RDMA device rxe0: rxe on eth-0.5_a:9\\x40\n"
		"BindsTo=sys-subsystem-net-devices-eth\\x2d0.5_a:9\\x40.device\n"
		"After=sys-subsystem-net-devices-eth\\x2d0.5_a:9\\x40.device\n\n"
		"[Service]\nType=oneshot\nRemainAfterExit=yes\n"
		"ExecStart=/usr/bin/env rdmactl link add rxe0 type rxe netdev eth-0.5_a:9@\n\n"
		"[Install]\nWantedBy=rdma-hw.target "
		"sys-subsystem-net-devices-eth\\x2d0.5_a:9\\x40.device");
	change = want(bed, &link_setting, "rxe0", "rxe on eth0", "absent");
	link_setting.persist(change);
	assert_null(change->persist_file);
}

static const struct setting *device_setting(const char *word)
{
	size_t i = 0;

	while (strcmp(device_setting_table[i]->keyword.word, word))
		i++;
	return device_setting_table[i];
}

/* 64 printable bytes without a trailing blank: node_desc_store(). */
static void descriptions(void **state)
{
	char longest[] = "0123456789012345678901234567890123456789012345678901234567890123";
	char longer[] = "01234567890123456789012345678901234567890123456789012345678901234";
	const struct {
		const char *text, *reason;
	} cases[] = {
		{"node1 mlx5_0", NULL},
		{"", NULL},
		{" x", NULL},
		{longest, NULL},
		{longer, "the text has 65 bytes, but a node description at most 64"},
		{"a\nb",
		 "'a\\x0ab' contains a newline or another character that cannot be printed"},
		{"a ", "the text ends with a space"},
		{" ", "the text ends with a space"},
	};
	const struct setting *setting = device_setting("node-description");
	struct bed *bed = *state;
	struct change *change;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int rc;

		change = want(bed, setting, "mlx5_0", NULL, NULL);
		rc = change_parse(change, cases[i].text, &change->wanted);
		assert_int_equal(rc, cases[i].reason ? -EINVAL : 0);
		assert_next(change, cases[i].reason, NULL);
		if (!rc)
			assert_string_equal(change->wanted, cases[i].text);
	}
	change = want(bed, setting, "mlx5_0", NULL, "a%b\"c\\d");
	setting->persist(change);
	assert_string_equal(change->persist_file,
			    "/etc/systemd/system/rdma-ndd.service.d/nd-format.conf");
	assert_string_equal(change->persist_text,
			    "[Service]\nEnvironment=\"RDMA_NDD_ND_FORMAT=a%%b\\\"c\\\\d\"\n# for "
			    "all devices: %%d in the text is replaced by the name of each");
}

/* A software device needs no udev rule, and a missing one cannot have any. */
static void rules(void **state)
{
	struct bed *bed = *state;
	struct device *device = device_list_add(&bed->inventory.devices, "mlx5_0");
	struct change *change = want(bed, &device_name_setting, "mlx5_0", "mlx5_0", "rdma0");

	device->index = number_of(3);
	device->software = true;
	bed->host.inventory = &bed->inventory;
	change->device_index = number_of(3);
	device_name_setting.persist(change);
	assert_null(change->persist_file);
	assert_string_equal(
		change->persist_text,
		"a software device gets its name when it is created: rdmactl link add rdma0 ...");
	change = want(bed, &device_name_setting, "mlx5_0", "mlx5_0", "rdma0");
	change->device_index = number_of(9);
	device_name_setting.persist(change);
	assert_null(change->persist_file);
	assert_int_equal(change->notes.count, 0);
}

/* Where to run the command that fetches a device back. */
static void way_back(void **state)
{
	static const struct {
		const char *target, *before, *undo;
	} cases[] = {
		{"blue", "red", "nsenter --net=/run/netns/blue rdmactl dev set mlx5_0 netns red"},
		{"712", "red", "nsenter --net=/proc/712/ns/net rdmactl dev set mlx5_0 netns red"},
		{"712", "net:[1]", NULL},
		{"712", NULL, NULL},
		{"7a", "red", "nsenter --net=/run/netns/7a rdmactl dev set mlx5_0 netns red"},
		{"/run/my net", "red",
		 "nsenter --net='/run/my net' rdmactl dev set mlx5_0 netns red"},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct change *change = want(bed, &device_netns_setting, "mlx5_0", cases[i].before,
					     "x");
		struct device_data *data;
		char *undo;

		device_begin_change(change);
		data = change->data;
		strcpy(data->name, "mlx5_0");
		strcpy(data->target, cases[i].target);
		undo = device_netns_setting.undo(change);
		if (cases[i].undo)
			assert_string_equal(undo, cases[i].undo);
		else
			assert_null(undo);
		free(undo);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(words),	TEST(names), TEST(deletions), TEST(units),
		TEST(commands), TEST(rules), TEST(way_back),  TEST(descriptions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
