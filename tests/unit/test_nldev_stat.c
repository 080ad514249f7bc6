/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters by RDMA netlink: handmade messages, and a simulated kernel at the end of a socket pair.
 */
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
#include "netlink_message.h"
#include "kernel/netlink/netlink.h"
#include "counter/netlink_counters.h"

enum {
	HWCOUNTERS = 80,
	ENTRY = 81,
	ENTRY_NAME = 82,
	ENTRY_VALUE = 83,
	INDEX = 94,
	DYNAMIC = 95,
	MESSAGE_STAT_SET = 0x1410,
	MESSAGE_STAT_GET = 0x1411,
	MESSAGE_STAT_GET_STATUS = 0x1418,
};

/* Attributes are parsed in memory of their exact size, so that the sanitizer sees every overrun. */
static int parse(const struct bytes *bytes, size_t length, struct counter_list *list)
{
	_cleanup_(freep) void *copy = mem_alloc_zero(length, 1);
	struct nlattr *table[NLDEV_ATTR_KNOWN];

	memcpy(copy, bytes->data, length);
	return nldev_parse(copy, length, table) ? -EBADMSG : nldev_take_counters(table, list);
}

static int parse_optional(const struct bytes *bytes, size_t length, struct optional_counters *list)
{
	_cleanup_(freep) void *copy = mem_alloc_zero(length, 1);
	struct nlattr *table[NLDEV_ATTR_KNOWN];

	memcpy(copy, bytes->data, length);
	return nldev_parse(copy, length, table) ? -EBADMSG
						: nldev_take_optional_counters(table, list);
}

static void put_port(struct bytes *bytes, uint32_t device, uint32_t port)
{
	put_u32(bytes, RDMA_NLDEV_ATTR_DEV_INDEX, device);
	put_string(bytes, RDMA_NLDEV_ATTR_DEV_NAME, "mlx5_0");
	put_u32(bytes, RDMA_NLDEV_ATTR_PORT_INDEX, port);
}

static void put_counter(struct bytes *table, const char *name, uint64_t value)
{
	struct bytes entry = {0};

	put_string(&entry, ENTRY_NAME, name);
	put_attribute(&entry, 0, "", 0); /* padding before 64 bits */
	put_u64(&entry, ENTRY_VALUE, value);
	put_nest(table, ENTRY | NLA_F_NESTED, &entry);
}

/* `active`: -1 for a counter that is not optional. */
static void put_state(struct bytes *table, const char *name, uint32_t index, int active)
{
	struct bytes entry = {0};

	put_string(&entry, ENTRY_NAME, name);
	put_u32(&entry, INDEX, index);
	if (active >= 0)
		put_u8(&entry, DYNAMIC, (uint8_t)active);
	put_nest(table, ENTRY | NLA_F_NESTED, &entry);
}

static void counters_whole(void **state)
{
	_cleanup_(counter_list_clear) struct counter_list list = {0};
	struct bytes bytes = {0}, table = {0};

	(void)state;
	put_counter(&table, "rx_write_requests", 0);
	put_counter(&table, "out_of_sequence", UINT64_MAX);
	put_u32(&table, 3000, 7); /* a future attribute beside the entries */
	put_counter(&table, "np_ecn\033[31m", 0x100000000);
	put_port(&bytes, 3, 1);
	put_nest(&bytes, HWCOUNTERS | NLA_F_NESTED, &table);
	assert_int_equal(parse(&bytes, bytes.length, &list), 0);
	assert_int_equal(list.count, 3);
	assert_string_equal(list.items[0].name, "rx_write_requests");
	assert_true(list.items[0].value == 0);
	assert_true(list.items[1].value == UINT64_MAX);
	assert_string_equal(list.items[2].name, "np_ecn\\x1b[31m");
	assert_true(list.items[2].value == 0x100000000);
}

/* Kernels before 5.2 do not set the flag of nests; those before 5.3 have no table at all. */
static void counters_of_old_kernels(void **state)
{
	_cleanup_(counter_list_clear) struct counter_list list = {0}, none = {0};
	struct bytes bytes = {0}, bare = {0}, table = {0}, entry = {0};

	(void)state;
	put_string(&entry, ENTRY_NAME, "x");
	put_u64(&entry, ENTRY_VALUE, 5);
	put_nest(&table, ENTRY, &entry);
	put_nest(&bytes, HWCOUNTERS, &table);
	assert_int_equal(parse(&bytes, bytes.length, &list), 0);
	assert_int_equal(list.count, 1);
	put_port(&bare, 1, 1);
	assert_int_equal(parse(&bare, bare.length, &none), 0);
	assert_int_equal(none.count, 0);
}

/* One bad entry invalidates the message: half a list would look like a port with few counters. */
static void counters_damaged(void **state)
{
	static const struct {
		unsigned int name, value;
		size_t size;
	} cases[] = {{ENTRY_NAME, 3000, 8}, {3000, ENTRY_VALUE, 8}, {ENTRY_NAME, ENTRY_VALUE, 5}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(counter_list_clear) struct counter_list list = {0};
		struct bytes bytes = {0}, table = {0}, entry = {0};

		put_counter(&table, "good", 1);
		put_string(&entry, cases[i].name, "bad");
		put_attribute(&entry, cases[i].value, "12345678", cases[i].size);
		put_nest(&table, ENTRY, &entry);
		put_nest(&bytes, HWCOUNTERS, &table);
		assert_int_equal(parse(&bytes, bytes.length, &list), -EBADMSG);
		assert_int_equal(list.count, 0);
		assert_null(list.items);
	}
}

static void counters_cut_anywhere(void **state)
{
	struct bytes bytes = {0}, table = {0};

	(void)state;
	put_counter(&table, "sent_pkts", 12);
	put_counter(&table, "rcvd_pkts", 13);
	put_nest(&bytes, HWCOUNTERS, &table);
	for (size_t length = 0; length < bytes.length; length++) {
		_cleanup_(counter_list_clear) struct counter_list list = {0};
		int rc = parse(&bytes, length, &list);

		assert_true(rc == -EBADMSG || (rc == 0 && length < NLA_HDRLEN));
		assert_int_equal(list.count, 0);
	}
	/* The truncated table, with a matching length. */
	for (size_t length = 0; length < table.length; length++) {
		_cleanup_(counter_list_clear) struct counter_list list = {0};
		struct bytes cut = {0};

		put_attribute(&cut, HWCOUNTERS, table.data, length);
		assert_true(parse(&cut, cut.length, &list) == -EBADMSG || list.count < 2);
	}
}

static void optional_whole(void **state)
{
	struct optional_counters list = {0};
	struct bytes bytes = {0}, table = {0};

	(void)state;
	put_state(&table, "rx_write_requests", 0, -1);
	put_state(&table, "cc_rx_ce_pkts", 23, 1);
	put_state(&table, "cc_rx_cnp_pkts\n", 24, 0);
	put_port(&bytes, 3, 1);
	put_nest(&bytes, HWCOUNTERS | NLA_F_NESTED, &table);
	assert_int_equal(parse_optional(&bytes, bytes.length, &list), 0);
	assert_int_equal(list.count, 2);
	assert_string_equal(list.items[0].kernel_name, "cc_rx_ce_pkts");
	assert_string_equal(list.items[0].reading.counter, "rx_rdma_ecn_marked_packets");
	assert_int_equal(list.items[0].enabled, TRISTATE_YES);
	assert_int_equal(list.items[0].index.value, 23);
	assert_int_equal(list.items[1].enabled, TRISTATE_NO);
	assert_string_equal(list.items[1].kernel_name, "cc_rx_cnp_pkts\\x0a");
	optional_counters_clear(&list);
	for (size_t length = 0; length < bytes.length; length++) {
		parse_optional(&bytes, length, &list);
		optional_counters_clear(&list);
	}
}

static void optional_damaged(void **state)
{
	struct optional_counters list = {0};
	struct bytes bytes = {0}, table = {0}, entry = {0};

	(void)state;
	put_state(&table, "good", 0, 1);
	put_string(&entry, ENTRY_NAME, "without an index");
	put_nest(&table, ENTRY, &entry);
	put_nest(&bytes, HWCOUNTERS, &table);
	assert_int_equal(parse_optional(&bytes, bytes.length, &list), -EBADMSG);
	assert_int_equal(list.count, 0);
	optional_counters_clear(&list);
}

/* Device index and port index of a request. */
static void read_request(const struct nlmsghdr *request, uint32_t *ret_device, uint32_t *ret_port)
{
	const uint8_t *data = (const uint8_t *)request + NLMSG_HDRLEN;

	memcpy(ret_device, data + NLA_HDRLEN, sizeof(*ret_device));
	memcpy(ret_port, data + 2 * NLA_HDRLEN + 4, sizeof(*ret_port));
}

static void answer(struct fake_kernel *kernel, const struct nlmsghdr *request,
		   const struct bytes *payload)
{
	struct bytes datagram = {0};

	put_message(&datagram, request->nlmsg_type, 0, request->nlmsg_seq, payload->data,
		    payload->length);
	fake_send(kernel, &datagram);
}

static void refuse(struct fake_kernel *kernel, const struct nlmsghdr *request, int error)
{
	struct bytes datagram = {0};

	put_error(&datagram, request->nlmsg_seq, error, NULL);
	fake_send(kernel, &datagram);
}

/*
 * Ports of the devices 5 (too many counters), 7 (none), 9 (gone), 11 (an old kernel), 13 (damaged)
 * and others, which have two counters derived from their numbers.
 */
static void serve_counters(struct fake_kernel *kernel, const struct bytes *requests)
{
	static const int errors[14] = {
		[5] = -EMSGSIZE, [7] = -EINVAL, [9] = -EINVAL, [11] = -EOPNOTSUPP};

	for_each_message (request, requests) {
		struct bytes payload = {0}, table = {0};
		uint32_t device, port;

		read_request(request, &device, &port);
		if (request->nlmsg_type == 0x1401 && device == 7) {
			/* The query whether the device exists. */
			put_u32(&payload, RDMA_NLDEV_ATTR_DEV_INDEX, device);
			answer(kernel, request, &payload);
			continue;
		}
		if (device < ARRAY_SIZE(errors) && errors[device]) {
			refuse(kernel, request, errors[device]);
			continue;
		}
		assert_int_equal(request->nlmsg_type, MESSAGE_STAT_GET);
		put_counter(&table, "sent_pkts", device * 10 + port);
		put_counter(&table, "rcvd_pkts", device == 13 ? 0 : 5);
		if (device == 13)
			table.data[0] = 200;
		put_port(&payload, device, port);
		put_nest(&payload, HWCOUNTERS, &table);
		answer(kernel, request, &payload);
	}
}

struct heard {
	unsigned int taken, failed;
	char text[512];
};

static int take(void *context, struct port *port, struct nlattr *const *table)
{
	_cleanup_(counter_list_clear) struct counter_list list = {0};
	struct heard *heard = context;
	int rc = nldev_take_counters(table, &list);

	if (rc) {
		assert_int_equal(list.count, 0);
		return rc;
	}
	heard->taken++;
	assert_int_equal(list.count, 2);
	assert_int_equal(list.items[0].value,
			 strtoul(port->device + 1, NULL, 10) * 10 + port->port.value);
	return 0;
}

static void fail_port(void *context, const struct port *port, int error, const char *text)
{
	struct heard *heard = context;
	size_t used = strlen(heard->text);

	heard->failed++;
	snprintf(heard->text + used, sizeof(heard->text) - used, "%s/%u %d%s%s\n", port->device,
		 (unsigned int)port->port.value, error, text ? " " : "", text ? text : "");
}

static void add_devices(struct device_list *list, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		char name[32];
		struct device *device;

		snprintf(name, sizeof(name), "d%u", i);
		device = device_list_add(list, name);
		number_set(&device->index, i);
		device_add_port(device, 1);
	}
}

static void counters_of_many_ports(void **state)
{
	_cleanup_(device_list_clear) struct device_list list = {0};
	struct fake_kernel kernel = {.serve = serve_counters};
	struct heard heard = {0};
	struct netlink *nldev = netlink_from_fd(fake_start(&kernel), 4096);

	(void)state;
	add_devices(&list, 40);
	device_add_port(&list.items[39], 2);
	device_add_port(device_list_add(&list, "from sysfs, without an index"), 1);
	nldev_ask_ports(nldev, &list, RDMA_NLDEV_CMD_STAT_GET, take, fail_port, &heard);
	netlink_free(nldev);
	fake_stop(&kernel);
	assert_string_equal(heard.text, "d5/1 -90\nd7/1 -22\nd9/1 -19\nd11/1 -95\nd13/1 -74\n");
	assert_int_equal(heard.taken, 41 - 5);
	/* 41 ports in batches of 16, and two queries after -EINVAL. */
	assert_int_equal(kernel.datagrams, 3 + 2);
}

static void serve_states(struct fake_kernel *kernel, const struct bytes *requests)
{
	for_each_message (request, requests) {
		struct bytes payload = {0}, table = {0};
		uint32_t device, port;

		read_request(request, &device, &port);
		assert_int_equal(request->nlmsg_type, MESSAGE_STAT_GET_STATUS);
		put_state(&table, "always", 0, -1);
		put_state(&table, "sometimes", 7, 1);
		put_port(&payload, device, port);
		put_nest(&payload, HWCOUNTERS, &table);
		if (device)
			answer(kernel, request, &payload);
		else
			refuse(kernel, request, -EOPNOTSUPP);
	}
}

static void optional_of_ports(void **state)
{
	struct inventory inventory = {0};
	struct optional_counters list = {0};
	struct problems problems = {0}, notes = {0};
	struct fake_kernel kernel = {.serve = serve_states};
	struct netlink *nldev = netlink_from_fd(fake_start(&kernel), 4096);

	(void)state;
	add_devices(&inventory.devices, 2);
	optional_counters_read(nldev, &inventory, &list, &problems, &notes);
	netlink_free(nldev);
	fake_stop(&kernel);
	assert_int_equal(list.count, 1);
	assert_string_equal(list.items[0].reading.device->name, "d1");
	assert_ptr_equal(list.items[0].reading.port, &inventory.devices.items[1].ports[0]);
	assert_int_equal(list.items[0].index.value, 7);
	assert_int_equal(problems.count, 0);
	/* A driver without counters is not a problem. */
	assert_int_equal(notes.count, 1);
	assert_string_equal(notes.items[0].object, "d0/1");
	problems_free(&notes);
	optional_counters_clear(&list);
	device_list_clear(&inventory.devices);
}

/* The counter indexes in the table of a STAT_SET request. */
struct wanted {
	int error;
	const char *text;
	unsigned int count;
	uint32_t indexes[64];
};

static void serve_set(struct fake_kernel *kernel, const struct bytes *requests)
{
	const struct nlmsghdr *request = message_at(requests, 0);
	const struct nlattr *table = (const struct nlattr *)(requests->data + NLMSG_HDRLEN + 16);
	struct wanted *wanted = kernel->context;
	struct bytes payload = {0}, datagram = {0};
	uint32_t device, port;

	read_request(request, &device, &port);
	assert_int_equal(device, 1);
	assert_int_equal(port, 1);
	assert_int_equal(request->nlmsg_type, MESSAGE_STAT_SET);
	assert_int_equal(request->nlmsg_len, NLMSG_HDRLEN + 16 + table->nla_len);
	assert_int_equal(table->nla_type, HWCOUNTERS | NLA_F_NESTED);
	for (size_t at = NLA_HDRLEN; at < table->nla_len; at += 8) {
		const uint8_t *entry = (const uint8_t *)table + at;
		struct nlattr header;

		memcpy(&header, entry, sizeof(header));
		assert_int_equal(header.nla_len, 8);
		assert_int_equal(header.nla_type, INDEX);
		memcpy(&wanted->indexes[wanted->count++], entry + NLA_HDRLEN, sizeof(uint32_t));
	}
	if (wanted->error) {
		put_error(&datagram, request->nlmsg_seq, wanted->error, wanted->text);
		fake_send(kernel, &datagram);
		return;
	}
	put_port(&payload, device, port);
	answer(kernel, request, &payload);
	/* The request also asked for an acknowledgement. */
	put_error(&datagram, request->nlmsg_seq, 0, NULL);
	fake_send(kernel, &datagram);
}

static int set(struct wanted *wanted, const uint32_t *indexes, size_t count, char **ret_text)
{
	_cleanup_(device_list_clear) struct device_list list = {0};
	struct fake_kernel kernel = {.serve = serve_set, .context = wanted};
	struct netlink *nldev = netlink_from_fd(fake_start(&kernel), 4096);
	_cleanup_(freep) struct optional_counter *counters = NULL;
	int rc;

	add_devices(&list, 2);
	/* Counters that stay off are not sent. */
	counters = mem_alloc_zero(count + 1, sizeof(*counters));
	for (size_t i = 0; i <= count; i++)
		counters[i] = (struct optional_counter){
			.reading = {.device = &list.items[1], .port = &list.items[1].ports[0]},
			.index = number_of(i < count ? indexes[i] : 99),
			.enabled = i < count ? TRISTATE_YES : TRISTATE_NO,
		};
	rc = optional_counters_switch(nldev, counters, count + 1, ret_text);
	netlink_free(nldev);
	fake_stop(&kernel);
	return rc;
}

static void set_counters(void **state)
{
	static const uint32_t indexes[] = {7, 23, 24};
	struct wanted wanted = {0}, nothing = {0};
	char *text = NULL;

	(void)state;
	assert_int_equal(set(&wanted, indexes, ARRAY_SIZE(indexes), &text), 0);
	assert_null(text);
	assert_int_equal(wanted.count, 3);
	assert_memory_equal(wanted.indexes, indexes, sizeof(indexes));
	/* With all counters off, the table is empty. */
	assert_int_equal(set(&nothing, NULL, 0, &text), 0);
	assert_int_equal(nothing.count, 0);
}

static void set_counters_refused(void **state)
{
	static const uint32_t indexes[200] = {1};
	struct wanted plain = {.error = -EPERM}, wordy = {.error = -EBUSY, .text = "in\tuse"};
	_cleanup_(freep) char *text = NULL;

	(void)state;
	assert_int_equal(set(&plain, indexes, 1, &text), -EPERM);
	assert_null(text);
	assert_int_equal(set(&wordy, indexes, 1, &text), -EBUSY);
	assert_string_equal(text, "in\\x09use");
	freep(&text);
	text = NULL;
	/* If a request cannot hold them all, nothing is sent. */
	assert_int_equal(set(&plain, indexes, ARRAY_SIZE(indexes), &text), -EMSGSIZE);
	assert_null(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_whole),	  cmocka_unit_test(counters_of_old_kernels),
		cmocka_unit_test(counters_damaged),	  cmocka_unit_test(counters_cut_anywhere),
		cmocka_unit_test(optional_whole),	  cmocka_unit_test(optional_damaged),
		cmocka_unit_test(counters_of_many_ports), cmocka_unit_test(optional_of_ports),
		cmocka_unit_test(set_counters),		  cmocka_unit_test(set_counters_refused),
	};

	return cmocka_run_group_tests_name("nldev_stat", tests, NULL, NULL);
}
