/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The settings of the RDMA subsystem, on a hand-made kernel: old and new ones, and refusals. */
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

#include "base/cleanup.h"
#include "base/mem.h"
#include "change/system.h"
#include "kernel/netlink/nldev.h"
#include "change_bed.h"

/* Attributes that older headers lack: include/uapi/rdma/rdma_netlink.h of Linux 6.12. */
enum { QKEY = 96, MONITOR = 103, NONE = 0xff };

struct bed {
	struct fake_kernel kernel;
	struct change_host host;
	struct changes changes;
	uint8_t mode, fork, qkey, monitor; /* NONE: this kernel lacks it */
	int get_error, set_error;
	unsigned int sets;
	uint16_t attribute; /* the only attribute of the last SYS_SET */
	uint8_t value;
};

static void put_settings(const struct bed *bed, struct bytes *payload)
{
	const struct {
		unsigned int type;
		uint8_t value;
	} rows[] = {{RDMA_NLDEV_SYS_ATTR_NETNS_MODE, bed->mode},
		    {RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK, bed->fork},
		    {QKEY, bed->qkey},
		    {MONITOR, bed->monitor}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].value != NONE)
			put_u8(payload, rows[i].type, rows[i].value);
}

static void serve(struct fake_kernel *kernel, const struct bytes *requests)
{
	struct bed *bed = kernel->context;

	for_each_message (message, requests) {
		const unsigned int command = message->nlmsg_type & 0x3ff;
		const struct nlattr *attribute = (const struct nlattr *)(message + 1);
		struct bytes datagram = {0}, payload = {0};

		if (command == RDMA_NLDEV_CMD_SYS_GET && !bed->get_error) {
			put_settings(bed, &payload);
			put_message(&datagram, message->nlmsg_type, 0, message->nlmsg_seq,
				    payload.data, payload.length);
		} else if (command == RDMA_NLDEV_CMD_SYS_GET) {
			put_error(&datagram, message->nlmsg_seq, bed->get_error, NULL);
		} else {
			assert_int_equal(command, RDMA_NLDEV_CMD_SYS_SET);
			/*
			 * nldev_set_sys_set_doit() obeys only one attribute of a message, which has
			 * one byte.
			 */
			assert_int_equal(message->nlmsg_len, NLMSG_HDRLEN + NLA_HDRLEN + 4);
			assert_int_equal(attribute->nla_len, NLA_HDRLEN + 1);
			bed->sets++;
			bed->attribute = attribute->nla_type;
			bed->value = *(const uint8_t *)(attribute + 1);
			put_error(&datagram, message->nlmsg_seq, bed->set_error, NULL);
		}
		fake_send(kernel, &datagram);
	}
}

static int set_up(void **state)
{
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));

	bed->mode = bed->fork = bed->qkey = bed->monitor = NONE;
	bed->kernel.serve = serve;
	bed->kernel.context = bed;
	*state = bed;
	return change_bed_begin(&bed->kernel, &bed->host);
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	change_bed_end(&bed->kernel, &bed->host, &bed->changes);
	free(bed);
	return 0;
}

static struct change *want(struct bed *bed, size_t setting, const char *value)
{
	changes_clear(&bed->changes);
	return changes_add(&bed->changes, &bed->host, system_setting_table[setting], NULL, value);
}

enum { MODE_SETTING, QKEY_SETTING };

static void assert_fails(struct change *change, int rc, const char *reason)
{
	char *value = NULL;

	assert_int_equal(change->setting->read(change, &value), rc);
	assert_null(value);
	if (reason)
		assert_string_equal(change->reason, reason);
	else
		assert_null(change->reason);
}

/* 1 is shared, 0 exclusive: ib_devices_shared_netns. */
static void reading(void **state)
{
	struct bed *bed = *state;

	bed->mode = 0;
	assert_reads(want(bed, MODE_SETTING, "shared"), "exclusive");
	bed->mode = 1;
	assert_reads(want(bed, MODE_SETTING, "shared"), "shared");
	bed->mode = 2;
	assert_reads(want(bed, MODE_SETTING, "shared"), "unknown");
	bed->qkey = 0;
	assert_reads(want(bed, QKEY_SETTING, "on"), "off");
	bed->qkey = 1;
	assert_reads(want(bed, QKEY_SETTING, "on"), "on");
	assert_int_equal(bed->sets, 0);
}

/* A kernel without the request answers -EINVAL, and newer ones lack single settings. */
static void older_kernels(void **state)
{
	static const char reason[] = "this kernel does not support it: it came with Linux 6.7, and "
				     "was backported to some older ones";
	struct bed *bed = *state;

	bed->qkey = 1;
	assert_fails(want(bed, MODE_SETTING, "shared"), -EOPNOTSUPP, NULL);
	bed->qkey = NONE;
	bed->mode = 1;
	assert_fails(want(bed, QKEY_SETTING, "on"), -EOPNOTSUPP, reason);
	bed->get_error = -EINVAL;
	assert_fails(want(bed, MODE_SETTING, "shared"), -EOPNOTSUPP, NULL);
	assert_fails(want(bed, QKEY_SETTING, "on"), -EOPNOTSUPP, NULL);
	bed->get_error = -EPERM;
	assert_fails(want(bed, MODE_SETTING, "shared"), -EPERM, NULL);
	assert_fails(want(bed, QKEY_SETTING, "on"), -EPERM, NULL);
}

static void writing(void **state)
{
	static const struct {
		size_t setting;
		const char *value;
		uint16_t attribute;
		uint8_t byte;
	} rows[] = {
		{MODE_SETTING, "exclusive", RDMA_NLDEV_SYS_ATTR_NETNS_MODE, 0},
		{MODE_SETTING, "shared", RDMA_NLDEV_SYS_ATTR_NETNS_MODE, 1},
		{QKEY_SETTING, "on", QKEY, 1},
		{QKEY_SETTING, "off", QKEY, 0},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct change *change = want(bed, rows[i].setting, rows[i].value);

		assert_int_equal(change->setting->write(change, rows[i].value), 0);
		assert_int_equal(bed->sets, i + 1);
		assert_int_equal(bed->attribute, rows[i].attribute);
		assert_int_equal(bed->value, rows[i].byte);
		assert_null(change->reason);
	}
}

#define REBUILD "rebuild the initial RAM disk if it has ib_core (update-initramfs -u, dracut -f)"
#define BUILT_IN(mode)                                                      \
	"if ib_core is built into the kernel, put ib_core.netns_mode=" mode \
	" on its command line instead"

static void refusals(void **state)
{
	struct bed *bed = *state;
	struct change *change = want(bed, MODE_SETTING, "exclusive");

	bed->set_error = -EBUSY;
	assert_int_equal(change->setting->write(change, "exclusive"), -EBUSY);
	assert_string_equal(change->reason,
			    "the kernel refuses it while another network namespace exists");
	assert_string_equal(
		change->next_step,
		"end the containers and services that have one (lsns -t net lists them), or put "
		"'options ib_core netns_mode=0' into /etc/modprobe.d/rdma.conf, " REBUILD
		", and restart the host; " BUILT_IN("0"));
	change = want(bed, MODE_SETTING, "shared");
	assert_int_equal(change->setting->write(change, "shared"), -EBUSY);
	assert_string_equal(
		change->next_step,
		"end the containers and services that have one (lsns -t net lists them), or put "
		"'options ib_core netns_mode=1' into /etc/modprobe.d/rdma.conf, " REBUILD
		", and restart the host; " BUILT_IN("1"));
	change = want(bed, QKEY_SETTING, "on");
	assert_int_equal(change->setting->write(change, "on"), -EBUSY);
	assert_null(change->reason);
	bed->set_error = -EPERM;
	change = want(bed, MODE_SETTING, "exclusive");
	assert_int_equal(change->setting->write(change, "exclusive"), -EPERM);
	assert_null(change->reason);
}

/* netns_mode of ib_core is Y, shared, unless it is given. */
static void lasting(void **state)
{
	static const char *const rows[][2] = {
		{"exclusive", "options ib_core netns_mode=0\n# then " REBUILD "\n# " BUILT_IN("0")},
		{"shared", "options ib_core netns_mode=1\n# then " REBUILD "\n# " BUILT_IN("1")},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct change *change = want(*state, MODE_SETTING, rows[i][0]);

		change->setting->persist(change);
		assert_string_equal(change->persist_file, "/etc/modprobe.d/rdma.conf");
		assert_string_equal(change->persist_text, rows[i][1]);
	}
}

static void warnings(void **state)
{
	struct change *change = want(*state, QKEY_SETTING, "off");

	change->setting->guard(change);
	assert_int_equal(change->notes.count, 0);
	change = want(*state, QKEY_SETTING, "on");
	change->setting->guard(change);
	assert_int_equal(change->notes.count, 1);
	assert_string_equal(change->notes.items[0],
			    "it weakens security: every program that can open a device may then "
			    "use the Q_Keys that are reserved for management");
	assert_int_equal(change->disturbs.count, 0);
}

/* Each member comes from its attribute; values that a kernel does not report are unknown. */
static void records(void **state)
{
	static const struct {
		uint8_t mode, fork, qkey, monitor;
	} rows[] = {
		{1, 0, 0, 0},	 {0, 1, 0, 0},	  {0, 0, 1, 0},	   {0, 0, 0, 1},
		{NONE, 1, 1, 1}, {1, NONE, 1, 1}, {1, 1, NONE, 1}, {1, 1, 1, NONE},
	};
	static const enum tristate words[] = {TRISTATE_NO, TRISTATE_YES};
	struct bed *bed = *state;
	struct system_settings settings;

#define WORD_OF(byte) ((byte) == NONE ? TRISTATE_UNKNOWN : words[byte])
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bed->mode = rows[i].mode;
		bed->fork = rows[i].fork;
		bed->qkey = rows[i].qkey;
		bed->monitor = rows[i].monitor;
		assert_int_equal(system_settings_get(bed->host.nldev, &settings), 0);
		assert_int_equal(settings.netns_mode.known, rows[i].mode != NONE);
		if (rows[i].mode != NONE)
			assert_int_equal(settings.netns_mode.value, rows[i].mode);
		assert_int_equal(settings.copy_on_fork, WORD_OF(rows[i].fork));
		assert_int_equal(settings.privileged_qkey, WORD_OF(rows[i].qkey));
		assert_int_equal(settings.monitor, WORD_OF(rows[i].monitor));
	}
	bed->get_error = -EINVAL;
	assert_int_equal(system_settings_get(bed->host.nldev, &settings), -EOPNOTSUPP);
	assert_int_equal(settings.monitor, TRISTATE_UNKNOWN);
}

static void settings(void **state)
{
	const struct setting *mode = system_setting_table[MODE_SETTING];
	const struct setting *qkey = system_setting_table[QKEY_SETTING];

	(void)state;
	assert_string_equal(mode->keyword.word, "netns-mode");
	assert_int_equal(mode->flags, SETTING_STOPS_TRAFFIC);
	assert_string_equal(qkey->keyword.word, "privileged-qkey");
	assert_int_equal(qkey->flags, 0);
	assert_int_equal(mode->right, RIGHT_RDMA_ADMIN);
	assert_int_equal(qkey->right, RIGHT_RDMA_ADMIN);
	assert_null(system_setting_table[2]);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(reading), TEST(older_kernels), TEST(writing), TEST(refusals),
		TEST(lasting), TEST(warnings),	    TEST(records), cmocka_unit_test(settings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
