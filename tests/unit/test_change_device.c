/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Settings of devices and sub-devices, on a hand-made kernel: cases that no test machine has, and
 * refusals.
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
#include <rdma/rdma_netlink.h>

#include "base/mem.h"
#include "change/device/device.h"
#include "kernel/netlink/nldev.h"
#include "change_bed.h"

enum { PARENT = 3, SUB = 4 };
enum { COMMAND_NEWDEV = 26, COMMAND_DELDEV = 27 };

/* The devices of the made-up kernel, and how it answers changes. */
struct machine {
	struct fake_kernel kernel;
	char name[64];
	uint8_t moderation;
	bool has_moderation, has_sub, gone, ignores;
	int error;     /* to each change */
	bool somebody; /* another process has just done the same, hence the error */
	unsigned int changes;
};

struct test {
	struct machine machine;
	struct change_host host;
	struct changes changes;
};

static void put_parent(struct bytes *bytes, const struct machine *machine)
{
	put_u32(bytes, RDMA_NLDEV_ATTR_DEV_INDEX, PARENT);
	put_string(bytes, RDMA_NLDEV_ATTR_DEV_NAME, machine->name);
	put_u32(bytes, RDMA_NLDEV_ATTR_PORT_INDEX, 1);
	if (machine->has_moderation)
		put_u8(bytes, RDMA_NLDEV_ATTR_DEV_DIM, machine->moderation);
}

static void put_sub(struct bytes *bytes)
{
	put_u32(bytes, RDMA_NLDEV_ATTR_DEV_INDEX, SUB);
	put_string(bytes, RDMA_NLDEV_ATTR_DEV_NAME, "smi0");
	put_u32(bytes, RDMA_NLDEV_ATTR_PORT_INDEX, 4);
	put_u8(bytes, NLDEV_ATTR_DEV_TYPE, 1);
	put_string(bytes, NLDEV_ATTR_PARENT_NAME, "mlx5_0");
}

static void dump(struct machine *machine, uint32_t sequence)
{
	struct bytes bytes = {0}, parent = {0}, sub = {0};

	put_parent(&parent, machine);
	put_message(&bytes, nldev_message_type(RDMA_NLDEV_CMD_GET), NLM_F_MULTI, sequence,
		    parent.data, parent.length);
	if (machine->has_sub) {
		put_sub(&sub);
		put_message(&bytes, nldev_message_type(RDMA_NLDEV_CMD_GET), NLM_F_MULTI, sequence,
			    sub.data, sub.length);
	}
	put_done(&bytes, sequence, 0);
	fake_send(&machine->kernel, &bytes);
}

static void get(struct machine *machine, uint32_t sequence)
{
	struct bytes bytes = {0}, parent = {0};

	put_parent(&parent, machine);
	if (machine->gone)
		put_error(&bytes, sequence, -EINVAL, NULL);
	else
		put_message(&bytes, nldev_message_type(RDMA_NLDEV_CMD_GET), 0, sequence,
			    parent.data, parent.length);
	fake_send(&machine->kernel, &bytes);
}

static void obey(struct machine *machine, unsigned int command, const struct nlmsghdr *message)
{
	struct nlattr *table[NLDEV_ATTR_KNOWN];
	struct number moderation = {0};
	char *name;

	if (nldev_parse(message + 1, message->nlmsg_len - sizeof(*message), table) ||
	    machine->ignores)
		return;
	machine->has_sub = command == COMMAND_NEWDEV ||
			   (command != COMMAND_DELDEV && machine->has_sub);
	if (command != RDMA_NLDEV_CMD_SET)
		return;
	name = nldev_get_kernel_name(table[RDMA_NLDEV_ATTR_DEV_NAME]);
	if (name)
		snprintf(machine->name, sizeof(machine->name), "%s", name);
	free(name);
	if (!netlink_get_number(table[RDMA_NLDEV_ATTR_DEV_DIM], &moderation) && moderation.known)
		machine->moderation = (uint8_t)moderation.value;
}

static void serve(struct fake_kernel *kernel, const struct bytes *requests)
{
	struct machine *machine = kernel->context;

	for_each_message (message, requests) {
		const unsigned int command = message->nlmsg_type & 0x3ff;
		struct bytes bytes = {0};

		if (command == RDMA_NLDEV_CMD_GET && message->nlmsg_flags & NLM_F_DUMP) {
			dump(machine, message->nlmsg_seq);
		} else if (command == RDMA_NLDEV_CMD_GET) {
			get(machine, message->nlmsg_seq);
		} else {
			machine->changes++;
			if (!machine->error || machine->somebody)
				obey(machine, command, message);
			put_error(&bytes, message->nlmsg_seq, machine->error, NULL);
			fake_send(kernel, &bytes);
		}
	}
}

static int set_up(void **state)
{
	struct test *test = mem_alloc_zero(1, sizeof(*test));

	strcpy(test->machine.name, "mlx5_0");
	test->machine.has_moderation = true;
	test->machine.kernel.serve = serve;
	test->machine.kernel.context = &test->machine;
	*state = test;
	return change_bed_begin(&test->machine.kernel, &test->host);
}

static int tear_down(void **state)
{
	struct test *test = *state;

	changes_clear(&test->changes);
	change_host_close(&test->host);
	fake_stop(&test->machine.kernel);
	free(test);
	return 0;
}

static struct change *want(struct test *test, const struct setting *setting, const char *value)
{
	struct change *change = changes_add(&test->changes, &test->host, setting, "mlx5_0", value);

	device_begin_change(change);
	number_set(&change->device_index, PARENT);
	strcpy(((struct device_data *)change->data)->name, "mlx5_0");
	return change;
}

static const struct setting *moderation(void)
{
	size_t i = 0;

	while (strcmp(device_setting_table[i]->keyword.word, "adaptive-moderation"))
		i++;
	return device_setting_table[i];
}

static void read_is(struct change *change, const char *expected)
{
	char *value = NULL;

	assert_int_equal(change->setting->read(change, &value), 0);
	assert_string_equal(value, expected);
	free(value);
}

static void moderation_is_written_and_read(void **state)
{
	struct test *test = *state;
	struct change *change = want(test, moderation(), "on");

	read_is(change, "off");
	assert_int_equal(change->setting->write(change, "on"), 0);
	read_is(change, "on");
	assert_int_equal(test->machine.moderation, 1);
}

/* RDMA netlink did not report the index: index 0 is another device, if there is one. */
static void a_device_without_an_index(void **state)
{
	struct test *test = *state;

	for (size_t i = 0; device_setting_table[i]; i++) {
		struct change *change = want(test, device_setting_table[i], "on");
		char *value = NULL;

		if (!strcmp(change->setting->keyword.word, "netns"))
			continue;
		change->device_index = (struct number){.known = false};
		assert_int_equal(change->setting->read(change, &value), -ENODEV);
		assert_null(value);
	}
	assert_int_equal(test->machine.changes, 0);
}

static void a_kernel_without_moderation(void **state)
{
	struct test *test = *state;
	struct change *change = want(test, moderation(), "on");
	char *value = NULL;

	test->machine.has_moderation = false;
	assert_int_equal(change->setting->read(change, &value), -EOPNOTSUPP);
	assert_non_null(strstr(change->reason, "Linux 5.3"));
}

static void a_device_that_is_gone(void **state)
{
	struct test *test = *state;
	struct change *change = want(test, moderation(), "on");
	char *value = NULL;

	test->machine.gone = true;
	test->machine.error = -EINVAL;
	assert_int_equal(change->setting->read(change, &value), -ENODEV);
	assert_int_equal(change->setting->write(change, "on"), -ENODEV);
}

static void a_name_that_is_taken(void **state)
{
	struct test *test = *state;
	struct change *change = want(test, &device_name_setting, "mlx5_1");

	test->machine.error = -EEXIST;
	assert_int_equal(change->setting->write(change, "mlx5_1"), -EEXIST);
	assert_non_null(strstr(change->reason, "another device has the name mlx5_1"));
	read_is(change, "mlx5_0");
}

static void later_settings_follow_a_new_name(void **state)
{
	struct test *test = *state;
	struct change *changes;
	char *undo;

	want(test, moderation(), "on");
	want(test, &device_name_setting, "rdma0");
	want(test, moderation(), "off");
	device_follow_names(&test->changes);
	changes = test->changes.items;
	assert_string_equal(((struct device_data *)changes[0].data)->name, "mlx5_0");
	assert_string_equal(((struct device_data *)changes[2].data)->name, "rdma0");
	changes[2].before = mem_string("on");
	undo = changes[2].setting->undo(&changes[2]);
	assert_string_equal(undo, "rdmactl dev set rdma0 adaptive-moderation on");
	free(undo);
	changes[1].before = mem_string("mlx5_0");
	undo = changes[1].setting->undo(&changes[1]);
	assert_string_equal(undo, "rdmactl dev set rdma0 name mlx5_0");
	free(undo);
}

static struct change *want_sub(struct test *test, const char *value)
{
	return changes_add(&test->changes, &test->host, &sub_device_setting, "smi0", value);
}

static void a_sub_device_comes_and_goes(void **state)
{
	struct test *test = *state;
	struct change *change = want_sub(test, "smi mlx5_0");
	char *undo;

	read_is(change, CHANGE_ABSENT);
	assert_int_equal(change->setting->write(change, "smi mlx5_0"), 0);
	read_is(change, "smi mlx5_0");
	change->before = mem_string("smi mlx5_0");
	undo = change->setting->undo(change);
	assert_string_equal(undo, "rdmactl dev add smi0 type smi parent mlx5_0");
	free(undo);
	assert_int_equal(change->setting->write(change, CHANGE_ABSENT), 0);
	read_is(change, CHANGE_ABSENT);
	assert_int_equal(test->machine.changes, 2);
}

static void sub_devices_that_are_refused(void **state)
{
	static const struct {
		int error;
		const char *reason;
	} cases[] = {
		{-EOPNOTSUPP, "the driver of mlx5_0 has no sub-devices"},
		{-EINVAL, "they need Linux 6.11 or later"},
		{-EEXIST, "mlx5_0 already has a sub-device"},
		{-ENFILE, "another device has the name smi0"},
	};
	struct test *test = *state;
	struct change *change = want_sub(test, "smi mlx5_0");

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		test->machine.error = cases[i].error;
		assert_int_equal(change->setting->write(change, "smi mlx5_0"), cases[i].error);
		assert_non_null(strstr(change->reason, cases[i].reason));
	}
	assert_int_equal(change->setting->write(change, "smi mlx5_7"), -ENODEV);
	assert_non_null(strstr(change->reason, "there is no device mlx5_7"));
	assert_int_equal(test->machine.changes, ARRAY_SIZE(cases));
}

/* Nothing is deleted without an index: 0 is that of the first device. */
static void a_sub_device_that_was_not_read(void **state)
{
	struct test *test = *state;
	struct change *change = want_sub(test, "smi mlx5_0");

	assert_int_equal(change->setting->write(change, CHANGE_ABSENT), -ENODEV);
	assert_int_equal(test->machine.changes, 0);
}

static void a_sub_device_of_another_parent(void **state)
{
	struct test *test = *state;
	struct change *change = want_sub(test, "smi mlx5_1");

	test->machine.has_sub = true;
	assert_false(changes_prepare(&test->changes, CHANGE_DRY));
	assert_int_equal(change->state.value, CHANGE_REFUSED);
	assert_string_equal(change->reason, "smi0 already exists: smi mlx5_0");
}

/* What somebody else adds or deletes at the same time is not undone. */
static void a_sub_device_of_somebody_else(void **state)
{
	static const struct {
		bool there;
		const char *wanted;
		int error;
	} cases[] = {
		{false, "smi mlx5_0", -ENFILE},
		{true, CHANGE_ABSENT, -ENODEV},
	};
	struct test *test = *state;

	test->machine.somebody = true;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct change *change = want_sub(test, cases[i].wanted);

		test->machine.has_sub = cases[i].there;
		test->machine.error = cases[i].error;
		assert_true(changes_prepare(&test->changes, CHANGE_DRY));
		assert_false(changes_write(&test->changes));
		assert_int_equal(change->state.value, CHANGE_FAILED);
		assert_string_equal(change->after, cases[i].wanted);
		assert_int_equal(test->machine.changes, i + 1);
		changes_clear(&test->changes);
	}
}

static void a_device_of_its_own_is_no_sub_device(void **state)
{
	struct test *test = *state;
	struct change *change = changes_add(&test->changes, &test->host, &sub_device_setting,
					    "mlx5_0", CHANGE_ABSENT);
	char *value = NULL;

	assert_int_equal(change->setting->read(change, &value), -EOPNOTSUPP);
	assert_non_null(strstr(change->reason, "not a sub-device"));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		CASE(moderation_is_written_and_read), CASE(a_device_without_an_index),
		CASE(a_kernel_without_moderation),    CASE(a_device_that_is_gone),
		CASE(a_name_that_is_taken),	      CASE(later_settings_follow_a_new_name),
		CASE(a_sub_device_comes_and_goes),    CASE(sub_devices_that_are_refused),
		CASE(a_sub_device_that_was_not_read), CASE(a_sub_device_of_another_parent),
		CASE(a_sub_device_of_somebody_else),  CASE(a_device_of_its_own_is_no_sub_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
