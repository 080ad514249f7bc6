/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Generic netlink, devlink and ethtool: hand-made messages, a simulated kernel, and the kernel of
 * this machine.
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
#include <linux/devlink.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <netlink/attr.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/netlink/devlink.h"
#include "kernel/netlink/ethtool.h"
#include "kernel/netlink/genl.h"
#include "kernel/netlink/netlink.h"
#include "netlink_message.h"

#define FAMILY 0x1c

static void put_header(struct bytes *bytes, uint8_t command)
{
	const struct genlmsghdr header = {.cmd = command, .version = 1};

	bytes_put(bytes, &header, sizeof(header));
}

static void put_device(struct bytes *bytes, const char *name)
{
	put_header(bytes, DEVLINK_CMD_NEW);
	put_string(bytes, DEVLINK_ATTR_BUS_NAME, "pci");
	put_string(bytes, DEVLINK_ATTR_DEV_NAME, name);
}

static void put_version(struct bytes *bytes, unsigned int type, const char *name, const char *value)
{
	struct bytes nest = {0};

	put_string(&nest, DEVLINK_ATTR_INFO_VERSION_NAME, name);
	put_string(&nest, DEVLINK_ATTR_INFO_VERSION_VALUE, value);
	put_nest(bytes, type, &nest);
}

static void put_reporter(struct bytes *bytes, const char *name, uint8_t state, uint64_t errors)
{
	struct bytes nest = {0};

	put_string(&nest, DEVLINK_ATTR_HEALTH_REPORTER_NAME, name);
	put_u8(&nest, DEVLINK_ATTR_HEALTH_REPORTER_STATE, state);
	put_u64(&nest, DEVLINK_ATTR_HEALTH_REPORTER_ERR_COUNT, errors);
	put_u64(&nest, DEVLINK_ATTR_HEALTH_REPORTER_RECOVER_COUNT, errors / 2);
	put_nest(bytes, DEVLINK_ATTR_HEALTH_REPORTER, &nest);
}

/* type 6: a flag, whose value is an attribute without data. */
static void put_parameter(struct bytes *bytes, const char *name, uint8_t type, bool on)
{
	struct bytes value = {0}, list = {0}, parameter = {0};

	put_u8(&value, DEVLINK_ATTR_PARAM_VALUE_CMODE, DEVLINK_PARAM_CMODE_DRIVERINIT);
	if (on)
		put_attribute(&value, DEVLINK_ATTR_PARAM_VALUE_DATA, "", 0);
	put_nest(&list, DEVLINK_ATTR_PARAM_VALUE, &value);
	put_string(&parameter, DEVLINK_ATTR_PARAM_NAME, name);
	put_attribute(&parameter, DEVLINK_ATTR_PARAM_GENERIC, "", 0);
	put_u8(&parameter, DEVLINK_ATTR_PARAM_TYPE, type);
	put_nest(&parameter, DEVLINK_ATTR_PARAM_VALUES_LIST, &list);
	put_nest(bytes, DEVLINK_ATTR_PARAM, &parameter);
}

/* In memory of the exact size, so that the sanitizer sees every overrun. */
static int take(const struct bytes *bytes, size_t length, struct devlink_list *list)
{
	_cleanup_(freep) void *copy = mem_alloc_zero(length, 1);

	memcpy(copy, bytes->data, length);
	return devlink_take(copy, length, list, true);
}

static void device_versions(void **state)
{
	_cleanup_(devlink_list_clear) struct devlink_list list = {0};
	struct bytes bytes = {0};
	const struct devlink *device;

	(void)state;
	put_device(&bytes, "0000:3b:00.0");
	put_version(&bytes, DEVLINK_ATTR_INFO_VERSION_FIXED, "fw.psid", "MT_0000000838");
	put_version(&bytes, DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw.version", "28.43.2026");
	put_version(&bytes, DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw", "28.43.2026");
	put_version(&bytes, DEVLINK_ATTR_INFO_VERSION_STORED, "fw", "28.45.1200");
	put_u8(&bytes, DEVLINK_ATTR_RELOAD_FAILED, 0);
	assert_int_equal(take(&bytes, bytes.length, &list), 0);
	assert_int_equal(list.count, 1);
	device = &list.items[0];
	assert_string_equal(device->bus, "pci");
	assert_string_equal(device->name, "0000:3b:00.0");
	assert_int_equal(device->reload_failed, TRISTATE_NO);
	assert_int_equal(device->version_count, 2);
	assert_string_equal(device->versions[0].name, "fw.version");
	assert_null(device->versions[0].stored);
	assert_string_equal(device->versions[1].running, "28.43.2026");
	assert_string_equal(device->versions[1].stored, "28.45.1200");
	/* Nothing is known about the rest. */
	assert_int_equal(device->reporter_count, 0);
	assert_int_equal(device->switches[DEVLINK_RDMA], TRISTATE_UNKNOWN);
}

static void device_reporters(void **state)
{
	_cleanup_(devlink_list_clear) struct devlink_list list = {0};
	struct bytes healthy = {0}, bad = {0};
	const struct devlink_reporter *reporter;

	(void)state;
	put_device(&healthy, "0000:3b:00.0");
	put_reporter(&healthy, "fw", DEVLINK_REPORTER_HEALTHY, 0);
	put_device(&bad, "0000:3b:00.0");
	put_u32(&bad, DEVLINK_ATTR_PORT_INDEX, 65535);
	put_reporter(&bad, "tx", DEVLINK_REPORTER_ERROR, 7);
	assert_int_equal(take(&healthy, healthy.length, &list), 0);
	assert_int_equal(take(&bad, bad.length, &list), 0);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.items[0].reporter_count, 2);
	reporter = &list.items[0].reporters[0];
	assert_string_equal(reporter->name, "fw");
	assert_false(reporter->port.known);
	assert_true(reporter->state.known && reporter->state.value == DEVLINK_REPORTER_HEALTHY);
	reporter = &list.items[0].reporters[1];
	assert_int_equal(reporter->port.value, 65535);
	assert_int_equal(reporter->state.value, DEVLINK_REPORTER_ERROR);
	assert_int_equal(reporter->errors.value, 7);
	assert_int_equal(reporter->recoveries.value, 3);
}

static void device_switches(void **state)
{
	static const struct {
		const char *name;
		uint8_t type;
		bool on;
		enum tristate rdma;
	} cases[] = {
		{"enable_rdma", 6, true, TRISTATE_YES},
		{"enable_rdma", 6, false, TRISTATE_NO},
		/* A number with that name is not understood, and other parameters do not count. */
		{"enable_rdma", 3, true, TRISTATE_UNKNOWN},
		{"enable_rdma2", 6, true, TRISTATE_UNKNOWN},
		{"enable_rdm", 6, true, TRISTATE_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(devlink_list_clear) struct devlink_list list = {0};
		struct bytes bytes = {0};

		put_device(&bytes, "mlx5_core.sf.4");
		put_parameter(&bytes, cases[i].name, cases[i].type, cases[i].on);
		assert_int_equal(take(&bytes, bytes.length, &list), 0);
		assert_int_equal(list.items[0].switches[DEVLINK_RDMA], cases[i].rdma);
		assert_int_equal(list.items[0].switches[DEVLINK_ROCE], TRISTATE_UNKNOWN);
		assert_int_equal(
			list.items[0].switch_modes[DEVLINK_RDMA],
			cases[i].rdma == TRISTATE_UNKNOWN ? 0 : DEVLINK_PARAM_CMODE_DRIVERINIT);
	}
}

/* Without `add`, a device that is not in the list is skipped. */
static void device_unknown(void **state)
{
	_cleanup_(devlink_list_clear) struct devlink_list list = {0};
	struct bytes bytes = {0};

	(void)state;
	put_device(&bytes, "0000:3b:00.0");
	assert_int_equal(devlink_take(bytes.data, bytes.length, &list, false), 0);
	assert_int_equal(list.count, 0);
	assert_null(devlink_list_find(&list, "0000:3b:00.0"));
}

static void device_damaged(void **state)
{
	struct bytes whole = {0}, nameless = {0}, wide = {0}, nest = {0};
	_cleanup_(devlink_list_clear) struct devlink_list list = {0};

	(void)state;
	put_device(&whole, "0000:3b:00.0");
	put_version(&whole, DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw", "1");
	put_reporter(&whole, "fw", 0, 1);
	put_parameter(&whole, "enable_rdma", 6, true);
	for (size_t length = 0; length < whole.length; length++) {
		_cleanup_(devlink_list_clear) struct devlink_list part = {0};
		const int rc = take(&whole, length, &part);

		assert_true(!rc || rc == -EBADMSG);
		/* It is only well formed if cut between two attributes of the message. */
		assert_true(rc || part.items[0].version_count <= 1);
	}
	put_header(&nameless, DEVLINK_CMD_NEW);
	put_string(&nameless, DEVLINK_ATTR_BUS_NAME, "pci");
	assert_int_equal(take(&nameless, nameless.length, &list), -EBADMSG);

	/* A state of four bytes, and a version without a value. */
	put_device(&wide, "a");
	put_u32(&nest, DEVLINK_ATTR_HEALTH_REPORTER_STATE, 1);
	put_nest(&wide, DEVLINK_ATTR_HEALTH_REPORTER, &nest);
	assert_int_equal(take(&wide, wide.length, &list), -EBADMSG);
	wide.length = nest.length = 0;
	put_device(&wide, "b");
	put_string(&nest, DEVLINK_ATTR_INFO_VERSION_NAME, "fw");
	put_nest(&wide, DEVLINK_ATTR_INFO_VERSION_STORED, &nest);
	assert_int_equal(take(&wide, wide.length, &list), -EBADMSG);
}

static void device_hostile(void **state)
{
	_cleanup_(devlink_list_clear) struct devlink_list list = {0};
	struct bytes bytes = {0};

	(void)state;
	put_header(&bytes, DEVLINK_CMD_NEW);
	put_string(&bytes, DEVLINK_ATTR_BUS_NAME, "pci\033[2J");
	/* Without the terminating NUL. */
	put_attribute(&bytes, DEVLINK_ATTR_DEV_NAME,
		      "\x9b"
		      "31mx",
		      5);
	put_version(&bytes, DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw\n",
		    "\xe2\x80\xae"
		    "1.0");
	put_reporter(&bytes, "\033c", 200, UINT64_MAX);
	assert_int_equal(take(&bytes, bytes.length, &list), 0);
	assert_string_equal(list.items[0].bus, "pci\\x1b[2J");
	assert_string_equal(list.items[0].name, "\\x9b31mx");
	assert_string_equal(list.items[0].versions[0].name, "fw\\x0a");
	assert_string_equal(list.items[0].versions[0].running, "\\xe2\\x80\\xae1.0");
	assert_string_equal(list.items[0].reporters[0].name, "\\x1bc");
	assert_int_equal(list.items[0].reporters[0].state.value, 200);
}

static void put_family(struct bytes *bytes, const char *name, uint16_t id)
{
	put_header(bytes, CTRL_CMD_NEWFAMILY);
	put_string(bytes, CTRL_ATTR_FAMILY_NAME, name);
	put_u16(bytes, CTRL_ATTR_FAMILY_ID, id);
	put_u32(bytes, CTRL_ATTR_VERSION, 1);
}

static void families(void **state)
{
	static const char *const names[] = {"devlink", "ethtool"};
	struct bytes first = {0}, second = {0}, without = {0};
	uint16_t ids[2] = {0};
	struct genl_search search = {names, ids, 2};

	(void)state;
	put_family(&first, "devlink", FAMILY);
	put_family(&second, "devlinks", FAMILY + 1);
	assert_int_equal(genl_take_family(&search, first.data, first.length), 0);
	assert_int_equal(genl_take_family(&search, second.data, second.length), 0);
	assert_int_equal(ids[0], FAMILY);
	assert_int_equal(ids[1], 0);
	put_header(&without, CTRL_CMD_NEWFAMILY);
	put_string(&without, CTRL_ATTR_FAMILY_NAME, "ethtool");
	assert_int_equal(genl_take_family(&search, without.data, without.length), -EBADMSG);
	assert_int_equal(genl_take_family(&search, first.data, 3), -EBADMSG);
}

/* A device whose driver fails, one without information, and one that answers. */
static void serve_devlink(struct fake_kernel *kernel, const struct bytes *requests)
{
	for_each_message (message, requests) {
		const struct genlmsghdr *header = NLMSG_DATA(message);
		const bool second = memmem(message, message->nlmsg_len, "0000:5e", 7);
		const bool rdma = memmem(message, message->nlmsg_len, "enable_rdma", 12);
		struct bytes answer = {0}, payload = {0};

		if (header->cmd == DEVLINK_CMD_INFO_GET && second) {
			put_error(&answer, message->nlmsg_seq, -EIO, "the firmware is dead");
		} else if (header->cmd == DEVLINK_CMD_PARAM_GET && !rdma) {
			put_error(&answer, message->nlmsg_seq, -EINVAL, NULL);
		} else {
			put_device(&payload, second ? "0000:5e:00.0" : "0000:3b:00.0");
			if (header->cmd == DEVLINK_CMD_PARAM_GET)
				put_parameter(&payload, "enable_rdma", 6, !second);
			else
				put_version(&payload, DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw", "2");
			put_message(&answer, FAMILY, 0, message->nlmsg_seq, payload.data,
				    payload.length);
		}
		fake_send(kernel, &answer);
	}
}

static bool all(const struct devlink *device, void *context)
{
	(void)device;
	(void)context;
	return true;
}

static void one_bad_device(void **state)
{
	struct fake_kernel kernel = {.serve = serve_devlink};
	_cleanup_(devlink_list_clear) struct devlink_list list = {0};
	struct netlink *generic = netlink_from_fd(fake_start(&kernel), NETLINK_LARGEST_MESSAGE);

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct bytes bytes = {0};

		put_device(&bytes, i ? "0000:5e:00.0" : "0000:3b:00.0");
		assert_int_equal(take(&bytes, bytes.length, &list), 0);
	}
	devlink_read_switches(generic, FAMILY, &list);
	devlink_read_info(generic, FAMILY, &list, all, NULL);
	netlink_free(generic);
	fake_stop(&kernel);
	assert_int_equal(list.items[0].info_rc, 0);
	assert_string_equal(list.items[0].versions[0].running, "2");
	assert_int_equal(list.items[0].switches_rc, 0);
	assert_int_equal(list.items[0].switches[DEVLINK_RDMA], TRISTATE_YES);
	assert_int_equal(list.items[0].switches[DEVLINK_ROCE], TRISTATE_UNKNOWN);
	assert_int_equal(list.items[1].info_rc, -EIO);
	assert_int_equal(list.items[1].version_count, 0);
	assert_int_equal(list.items[1].switches[DEVLINK_RDMA], TRISTATE_NO);
}

/* Accepts enable_roce as a flag in the mode driverinit, on or (3b) off; reloads only 3b. */
static void serve_change(struct fake_kernel *kernel, const struct bytes *requests)
{
	for_each_message (message, requests) {
		static const struct nla_policy policy[DEVLINK_ATTR_PARAM_VALUE_CMODE + 1];
		const struct genlmsghdr *header = NLMSG_DATA(message);
		const bool first = memmem(message, message->nlmsg_len, "0000:3b", 7);
		struct nlattr *table[DEVLINK_ATTR_PARAM_VALUE_CMODE + 1];
		struct bytes answer = {0};
		int error = -EBADMSG;

		if (header->cmd == DEVLINK_CMD_RELOAD)
			error = first ? 0 : -EOPNOTSUPP;
		else if (header->cmd == DEVLINK_CMD_PARAM_SET &&
			 !genl_parse(header, message->nlmsg_len - NLMSG_HDRLEN, table,
				     ARRAY_SIZE(table), policy) &&
			 !strcmp(nla_data(table[DEVLINK_ATTR_PARAM_NAME]), "enable_roce") &&
			 nla_get_u8(table[DEVLINK_ATTR_PARAM_TYPE]) == 6 &&
			 nla_get_u8(table[DEVLINK_ATTR_PARAM_VALUE_CMODE]) ==
				 DEVLINK_PARAM_CMODE_DRIVERINIT)
			error = !table[DEVLINK_ATTR_PARAM_VALUE_DATA] == first ? 0 : -EINVAL;
		put_error(&answer, message->nlmsg_seq, error, error ? "no" : NULL);
		fake_send(kernel, &answer);
	}
}

static void switched(void **state)
{
	char bus[] = "pci", one[] = "0000:3b:00.0", two[] = "0000:5e:00.0";
	const struct devlink first = {
		.bus = bus,
		.name = one,
		.switch_modes[DEVLINK_ROCE] = DEVLINK_PARAM_CMODE_DRIVERINIT,
	};
	const struct devlink second = {
		.bus = bus,
		.name = two,
		.switch_modes[DEVLINK_ROCE] = DEVLINK_PARAM_CMODE_DRIVERINIT,
	};
	struct fake_kernel kernel = {.serve = serve_change};
	struct netlink *generic = netlink_from_fd(fake_start(&kernel), NETLINK_LARGEST_MESSAGE);
	_cleanup_(freep) char *text = NULL;

	(void)state;
	assert_int_equal(devlink_set_switch(generic, FAMILY, &first, DEVLINK_ROCE, false, &text),
			 0);
	assert_int_equal(devlink_set_switch(generic, FAMILY, &second, DEVLINK_ROCE, true, &text),
			 0);
	assert_int_equal(devlink_reload(generic, FAMILY, &first, &text), 0);
	assert_null(text);
	assert_int_equal(devlink_reload(generic, FAMILY, &second, &text), -EOPNOTSUPP);
	assert_string_equal(text, "no");
	netlink_free(generic);
	fake_stop(&kernel);
}

static void pause_frames(void **state)
{
	struct ethtool_pause pause = {TRISTATE_UNKNOWN};
	struct bytes bytes = {0}, wide = {0};

	(void)state;
	put_header(&bytes, ETHTOOL_MSG_PAUSE_GET_REPLY);
	put_u8(&bytes, ETHTOOL_A_PAUSE_AUTONEG, 0);
	put_u8(&bytes, ETHTOOL_A_PAUSE_RX, 1);
	assert_int_equal(ethtool_parse_pause(&pause, bytes.data, bytes.length), 0);
	assert_int_equal(pause.autoneg, TRISTATE_NO);
	assert_int_equal(pause.receive, TRISTATE_YES);
	assert_int_equal(pause.transmit, TRISTATE_UNKNOWN);
	put_header(&wide, ETHTOOL_MSG_PAUSE_GET_REPLY);
	put_u16(&wide, ETHTOOL_A_PAUSE_RX, 1);
	assert_int_equal(ethtool_parse_pause(&pause, wide.data, 2), -EBADMSG);
	put_attribute(&wide, ETHTOOL_A_PAUSE_TX, "", 0);
	assert_int_equal(ethtool_parse_pause(&pause, wide.data, wide.length), -EBADMSG);
}

/* A bit of a verbose bitset, with an index of `bytes` bytes: 4 is right. */
static void put_mode(struct bytes *bits, uint32_t index, size_t bytes)
{
	struct bytes bit = {0};

	put_attribute(&bit, ETHTOOL_A_BITSET_BIT_INDEX, &index, bytes);
	put_attribute(&bit, ETHTOOL_A_BITSET_BIT_NAME, "RS", 3);
	put_nest(bits, ETHTOOL_A_BITSET_BITS_BIT, &bit);
}

/* `automatic` of -1, or a `mode` of 0: the reply lacks this attribute. */
static int parse_modes(int automatic, const uint32_t *modes, size_t bytes, struct ethtool_fec *fec)
{
	struct bytes reply = {0}, set = {0}, bits = {0};

	put_header(&reply, ETHTOOL_MSG_FEC_GET_REPLY);
	for (; modes && *modes; modes++)
		put_mode(&bits, *modes, bytes);
	put_attribute(&set, ETHTOOL_A_BITSET_NOMASK, "", 0);
	put_u32(&set, ETHTOOL_A_BITSET_SIZE, 125);
	put_nest(&set, ETHTOOL_A_BITSET_BITS, &bits);
	if (modes)
		put_nest(&reply, ETHTOOL_A_FEC_MODES, &set);
	if (automatic >= 0)
		put_u8(&reply, ETHTOOL_A_FEC_AUTO, (uint8_t)automatic);
	*fec = (struct ethtool_fec){.active.known = false};
	return ethtool_parse_fec(fec, reply.data, reply.length);
}

/* The permitted modes; 23 is a link mode that is not an error correction. */
static void configured_fec(void)
{
	static const uint32_t none[] = {0}, all[] = {49, 50, 51, 74, 0}, one[] = {23, 51, 0};
	static const struct {
		int automatic;
		const uint32_t *modes;
		uint64_t bits;
	} rows[] = {{0, none, 0}, {1, none, 16}, {0, all, 15}, {1, one, 20}};
	struct ethtool_fec fec;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(parse_modes(rows[i].automatic, rows[i].modes, 4, &fec), 0);
		assert_true(fec.configured.known);
		assert_int_equal(fec.configured.value, rows[i].bits);
	}
	assert_int_equal(parse_modes(1, NULL, 4, &fec), 0);
	assert_false(fec.configured.known);
	assert_int_equal(parse_modes(-1, all, 4, &fec), 0);
	assert_false(fec.configured.known);
	assert_int_equal(parse_modes(0, all, 3, &fec), -EBADMSG);
	assert_string_equal(enum_word(ethtool_fec_mode_names, 1 << 3, "?"), "LLRS");
}

static void error_correction(void **state)
{
	const uint64_t blocks[] = {12, 5, 7};
	struct bytes bytes = {0}, stats = {0}, bad = {0}, odd = {0};
	struct ethtool_fec fec = {.active.known = false};

	(void)state;
	configured_fec();
	put_header(&bytes, ETHTOOL_MSG_FEC_GET_REPLY);
	put_u32(&bytes, ETHTOOL_A_FEC_ACTIVE, ETHTOOL_FEC_IS_OFF + 1);
	put_attribute(&stats, ETHTOOL_A_FEC_STAT_CORRECTED, blocks, sizeof(blocks));
	put_attribute(&stats, ETHTOOL_A_FEC_STAT_UNCORR, "", 0);
	put_nest(&bytes, ETHTOOL_A_FEC_STATS, &stats);
	assert_int_equal(ethtool_parse_fec(&fec, bytes.data, bytes.length), 0);
	assert_string_equal(enum_word(ethtool_fec_names, fec.active.value, "?"), "RS");
	assert_int_equal(fec.corrected_blocks.value, 12);
	assert_false(fec.uncorrectable_blocks.known);
	assert_false(fec.corrected_bits.known);
	put_header(&bad, ETHTOOL_MSG_FEC_GET_REPLY);
	put_attribute(&odd, ETHTOOL_A_FEC_STAT_UNCORR, blocks, 12);
	put_nest(&bad, ETHTOOL_A_FEC_STATS, &odd);
	assert_int_equal(ethtool_parse_fec(&fec, bad.data, bad.length), -EBADMSG);
}

static void fec_bins(void **state)
{
	enum { HISTOGRAM = 5, LOW = 2, HIGH, VALUE }; /* Linux 6.18 */
	struct ethtool_fec fec = {.bin_count = 0}, many = {.bin_count = 0};
	struct bytes bytes = {0}, stats = {0}, wide = {0}, bad = {0}, nest = {0};

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		struct bytes bin = {0};

		put_u32(&bin, LOW, i);
		put_u32(&bin, HIGH, i + 1);
		put_u64(&bin, VALUE, 100 / (i + 1));
		put_nest(&stats, HISTOGRAM, &bin);
	}
	put_header(&bytes, ETHTOOL_MSG_FEC_GET_REPLY);
	put_nest(&bytes, ETHTOOL_A_FEC_STATS, &stats);
	assert_int_equal(ethtool_parse_fec(&fec, bytes.data, bytes.length), 0);
	assert_int_equal(fec.bin_count, 3);
	assert_int_equal(fec.bins[2].low.value, 2);
	assert_int_equal(fec.bins[2].high.value, 3);
	assert_int_equal(fec.bins[2].blocks.value, 33);
	for (uint32_t i = 0; i < ETHTOOL_FEC_BINS_MOST + 5; i++) {
		struct bytes bin = {0};

		put_u32(&bin, LOW, i);
		put_nest(&wide, HISTOGRAM, &bin);
	}
	bytes.length = 0;
	put_header(&bytes, ETHTOOL_MSG_FEC_GET_REPLY);
	put_nest(&bytes, ETHTOOL_A_FEC_STATS, &wide);
	assert_int_equal(ethtool_parse_fec(&many, bytes.data, bytes.length), 0);
	assert_int_equal(many.bin_count, ETHTOOL_FEC_BINS_MOST);
	put_attribute(&nest, LOW, "abc", 3);
	put_nest(&bad, HISTOGRAM, &nest);
	bytes.length = 0;
	put_header(&bytes, ETHTOOL_MSG_FEC_GET_REPLY);
	put_nest(&bytes, ETHTOOL_A_FEC_STATS, &bad);
	assert_int_equal(ethtool_parse_fec(&fec, bytes.data, bytes.length), -EBADMSG);
}

static void link_states(void **state)
{
	struct ethtool_link_state link = {TRISTATE_UNKNOWN};
	struct bytes bytes = {0}, bad = {0};

	(void)state;
	put_header(&bytes, ETHTOOL_MSG_LINKSTATE_GET_REPLY);
	put_u8(&bytes, ETHTOOL_A_LINKSTATE_LINK, 0);
	put_u8(&bytes, ETHTOOL_A_LINKSTATE_EXT_STATE, ETHTOOL_LINK_EXT_STATE_CABLE_ISSUE);
	put_u8(&bytes, ETHTOOL_A_LINKSTATE_EXT_SUBSTATE, 1);
	put_u32(&bytes, ETHTOOL_A_LINKSTATE_EXT_SUBSTATE + 1, 7);
	assert_int_equal(ethtool_parse_link_state(&link, bytes.data, bytes.length), 0);
	assert_int_equal(link.up, TRISTATE_NO);
	assert_false(link.quality.known);
	assert_string_equal(enum_word(ethtool_reason_names, link.reason.value, "?"), "cable-issue");
	assert_string_equal(ethtool_reason_detail(link.reason.value, link.detail.value),
			    "unsupported cable");
	assert_int_equal(link.down_count.value, 7);
	/* Details that a later kernel has, and reasons without details. */
	assert_null(ethtool_reason_detail(ETHTOOL_LINK_EXT_STATE_CABLE_ISSUE, 6));
	assert_null(ethtool_reason_detail(ETHTOOL_LINK_EXT_STATE_CABLE_ISSUE, 1000));
	assert_null(ethtool_reason_detail(ETHTOOL_LINK_EXT_STATE_NO_CABLE, 1));
	assert_null(ethtool_reason_detail(99, 1));
	put_header(&bad, ETHTOOL_MSG_LINKSTATE_GET_REPLY);
	put_attribute(&bad, ETHTOOL_A_LINKSTATE_LINK, "abc", 3);
	assert_int_equal(ethtool_parse_link_state(&link, bad.data, bad.length), -EBADMSG);
}

/* A module with one page, on a kernel that only allows that; the numbers in the request. */
static void serve_module(struct fake_kernel *kernel, const struct bytes *requests)
{
	for_each_message (message, requests) {
		const struct genlmsghdr *header = NLMSG_DATA(message);
		struct bytes answer = {0}, payload = {0};
		const bool second = kernel->datagrams > 2;

		put_header(&payload, header->cmd);
		if (header->cmd == ETHTOOL_MSG_MODULE_GET) {
			put_u8(&payload, ETHTOOL_A_MODULE_POWER_MODE_POLICY,
			       ETHTOOL_MODULE_POWER_MODE_POLICY_AUTO);
			put_u8(&payload, ETHTOOL_A_MODULE_POWER_MODE,
			       ETHTOOL_MODULE_POWER_MODE_LOW);
		} else {
			put_attribute(&payload, ETHTOOL_A_MODULE_EEPROM_DATA, "abcd",
				      second ? 4 : 3);
		}
		if (kernel->datagrams > 3)
			put_error(&answer, message->nlmsg_seq, -EPERM, NULL);
		else
			put_message(&answer, FAMILY, 0, message->nlmsg_seq, payload.data,
				    payload.length);
		fake_send(kernel, &answer);
	}
}

static void module_memory(void **state)
{
	static const struct ethtool_module_bytes which = {.address = 0x50, .length = 3};
	struct fake_kernel kernel = {.serve = serve_module};
	struct netlink *generic = netlink_from_fd(fake_start(&kernel), NETLINK_LARGEST_MESSAGE);
	struct ethtool_module module = {.power_mode.known = false};
	uint8_t bytes[3] = {0}, length = 0;

	(void)state;
	assert_int_equal(ethtool_get_module(generic, FAMILY, 7, &module), 0);
	assert_string_equal(enum_word(ethtool_power_mode_names, module.power_mode.value, "?"),
			    "low");
	assert_string_equal(enum_word(ethtool_power_policy_names, module.power_policy.value, "?"),
			    "auto");
	assert_int_equal(ethtool_get_module_bytes(generic, FAMILY, 7, &which, bytes, &length), 0);
	assert_int_equal(length, 3);
	assert_memory_equal(bytes, "abc", 3);
	/* A longer answer than requested is invalid. */
	length = 1;
	assert_int_equal(ethtool_get_module_bytes(generic, FAMILY, 7, &which, bytes, &length),
			 -EBADMSG);
	assert_int_equal(ethtool_get_module_bytes(generic, FAMILY, 7, &which, bytes, &length),
			 -EPERM);
	assert_int_equal(length, 1);
	netlink_free(generic);
	fake_stop(&kernel);
}

/* Answers without the requested attributes, and an error. */
static void serve_ethtool(struct fake_kernel *kernel, const struct bytes *requests)
{
	for_each_message (message, requests) {
		const struct genlmsghdr *header = NLMSG_DATA(message);
		struct bytes answer = {0}, payload = {0};

		if (header->cmd == ETHTOOL_MSG_PAUSE_GET && kernel->datagrams > 2) {
			put_error(&answer, message->nlmsg_seq, -ENODEV, "no device matches name");
		} else {
			put_header(&payload, header->cmd);
			if (header->cmd == ETHTOOL_MSG_PAUSE_GET)
				put_u8(&payload, ETHTOOL_A_PAUSE_TX, 1);
			put_message(&answer, FAMILY, 0, message->nlmsg_seq, payload.data,
				    payload.length);
		}
		fake_send(kernel, &answer);
	}
}

static void asked(void **state)
{
	struct fake_kernel kernel = {.serve = serve_ethtool};
	struct netlink *generic = netlink_from_fd(fake_start(&kernel), NETLINK_LARGEST_MESSAGE);
	struct ethtool_fec fec = {.active = number_of(1)};
	struct ethtool_pause pause = {.autoneg = TRISTATE_YES};

	(void)state;
	assert_int_equal(ethtool_get_fec(generic, FAMILY, 7, true, &fec), 0);
	assert_false(fec.active.known);
	assert_false(fec.corrected_blocks.known);
	assert_int_equal(ethtool_get_pause(generic, FAMILY, 7, &pause), 0);
	assert_int_equal(pause.autoneg, TRISTATE_UNKNOWN);
	assert_int_equal(pause.transmit, TRISTATE_YES);
	pause.receive = TRISTATE_YES;
	assert_int_equal(ethtool_get_pause(generic, FAMILY, 7, &pause), -ENODEV);
	assert_int_equal(pause.receive, TRISTATE_YES);
	netlink_free(generic);
	fake_stop(&kernel);
}

/* Reads what to switch on and off, in the order of the attributes; refuses negotiation. */
static void serve_pause(struct fake_kernel *kernel, const struct bytes *requests)
{
	const struct nlmsghdr *message = message_at(requests, 0);
	const struct genlmsghdr *header = NLMSG_DATA(message);
	const uint8_t *at = (const uint8_t *)(header + 1);
	const uint8_t *end = (const uint8_t *)message + message->nlmsg_len;
	char *seen = kernel->context;
	struct bytes answer = {0};
	int error = header->cmd == ETHTOOL_MSG_PAUSE_SET ? 0 : -EPROTO;

	for (; at < end; at += NLA_ALIGN(((const struct nlattr *)at)->nla_len)) {
		const struct nlattr *attribute = (const struct nlattr *)at;

		if ((attribute->nla_type & NLA_TYPE_MASK) == ETHTOOL_A_PAUSE_HEADER)
			continue;
		if (attribute->nla_type == ETHTOOL_A_PAUSE_AUTONEG)
			error = -EINVAL;
		*seen++ = (char)('0' + attribute->nla_type);
		*seen++ = at[NLA_HDRLEN] ? '+' : '-';
	}
	*seen = '\0';
	put_error(&answer, message->nlmsg_seq, error, error ? "no negotiation" : NULL);
	fake_send(kernel, &answer);
}

static void pause_set(void **state)
{
	char seen[16] = "";
	struct fake_kernel kernel = {.serve = serve_pause, .context = seen};
	struct netlink *generic = netlink_from_fd(fake_start(&kernel), NETLINK_LARGEST_MESSAGE);
	struct ethtool_pause pause = {.receive = TRISTATE_YES, .transmit = TRISTATE_NO};
	char *text = NULL;

	(void)state;
	assert_int_equal(ethtool_set_pause(generic, FAMILY, 7, &pause, &text), 0);
	assert_string_equal(seen, "3+4-");
	assert_null(text);
	pause = (struct ethtool_pause){.autoneg = TRISTATE_NO};
	assert_int_equal(ethtool_set_pause(generic, FAMILY, 7, &pause, &text), -EINVAL);
	assert_string_equal(seen, "2-");
	assert_string_equal(text, "no negotiation");
	free(text);
	netlink_free(generic);
	fake_stop(&kernel);
}

/* The kernel of this machine: the requests are well formed, whatever it answers. */
static void own_kernel(void **state)
{
	static const char *const names[] = {DEVLINK_FAMILY, ETHTOOL_FAMILY, "nlctrl", "no such"};
	_cleanup_(devlink_list_clear) struct devlink_list list = {0};
	struct ethtool_pause pause = {TRISTATE_UNKNOWN};
	struct ethtool_fec fec = {.active.known = false};
	static const struct ethtool_module_bytes which = {.address = 0x50, .length = 128};
	struct ethtool_link_state link = {TRISTATE_UNKNOWN};
	struct ethtool_module module = {.power_mode.known = false};
	uint8_t bytes[128], length = 0;
	struct netlink *generic = NULL;
	uint16_t ids[4];
	int rc;

	(void)state;
	if (genl_open(NULL, &generic))
		skip();
	assert_int_equal(genl_find(generic, names, ids, ARRAY_SIZE(names)), 0);
	assert_int_equal(ids[2], GENL_ID_CTRL);
	assert_int_equal(ids[3], 0);
	if (ids[0]) {
		assert_int_equal(devlink_read_list(generic, ids[0], &list), 0);
		assert_int_equal(devlink_read_reporters(generic, ids[0], &list), 0);
		devlink_read_switches(generic, ids[0], &list);
		devlink_read_info(generic, ids[0], &list, all, NULL);
	}
	if (ids[1]) {
		/* The loopback netdev has neither; no netdev has the highest index. */
		assert_int_equal(ethtool_get_pause(generic, ids[1], 1, &pause), -EOPNOTSUPP);
		assert_int_equal(ethtool_get_fec(generic, ids[1], 1, true, &fec), -EOPNOTSUPP);
		assert_int_equal(ethtool_get_fec(generic, ids[1], INT32_MAX, false, &fec), -ENODEV);
		assert_int_equal(ethtool_get_link_state(generic, ids[1], INT32_MAX, &link),
				 -ENODEV);
		/*
		 * If the driver has no answer, it is empty; Linux before 5.16 has no such request.
		 */
		rc = ethtool_get_module(generic, ids[1], 1, &module);
		assert_true(!rc || rc == -EOPNOTSUPP);
		assert_false(module.power_mode.known);
		rc = ethtool_get_module_bytes(generic, ids[1], 1, &which, bytes, &length);
		assert_true(rc == -EOPNOTSUPP || rc == -EPERM);
	}
	netlink_free(generic);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(device_versions),  cmocka_unit_test(device_reporters),
		cmocka_unit_test(device_switches),  cmocka_unit_test(device_unknown),
		cmocka_unit_test(device_damaged),   cmocka_unit_test(device_hostile),
		cmocka_unit_test(families),	    cmocka_unit_test(one_bad_device),
		cmocka_unit_test(switched),	    cmocka_unit_test(pause_frames),
		cmocka_unit_test(error_correction), cmocka_unit_test(asked),
		cmocka_unit_test(fec_bins),	    cmocka_unit_test(link_states),
		cmocka_unit_test(module_memory),    cmocka_unit_test(pause_set),
		cmocka_unit_test(own_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
