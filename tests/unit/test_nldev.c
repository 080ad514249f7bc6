/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RDMA netlink: handmade messages, and a simulated kernel at the end of a socket pair. */
#include <errno.h>
#include <fcntl.h>
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
#include "saved_tree.h"
#include "kernel/netlink/netlink.h"
#include "host/nldev_devices.h"

#define UNKNOWN_ATTRIBUTE 3000

/* Attributes are parsed in memory of their exact size, so that the sanitizer sees every overrun. */
static int parse_device(const struct bytes *bytes, size_t length, struct device_list *list,
			unsigned int *ret_ports)
{
	_cleanup_(freep) void *copy = mem_alloc_zero(length, 1);
	struct device *device = mem_append(&list->items, &list->count, sizeof(*list->items));

	memcpy(copy, bytes->data, length);
	return nldev_parse_device(copy, length, device, ret_ports);
}

static int parse_port(const struct bytes *bytes, size_t length, struct device_list *list)
{
	_cleanup_(freep) void *copy = mem_alloc_zero(length, 1);
	struct port *port = device_add_port(device_list_add(list, "x"), 1);

	memcpy(copy, bytes->data, length);
	return nldev_parse_port(copy, length, port);
}

static void put_device(struct bytes *bytes, uint32_t index, const char *name, uint32_t ports)
{
	put_u32(bytes, RDMA_NLDEV_ATTR_DEV_INDEX, index);
	put_string(bytes, RDMA_NLDEV_ATTR_DEV_NAME, name);
	put_u32(bytes, RDMA_NLDEV_ATTR_PORT_INDEX, ports);
}

static void put_whole_device(struct bytes *bytes)
{
	put_device(bytes, 7, "mlx5_0", 2);
	put_attribute(bytes, 0, "", 0); /* padding before 64 bits */
	put_u64(bytes, RDMA_NLDEV_ATTR_CAP_FLAGS, 0x1234);
	put_string(bytes, RDMA_NLDEV_ATTR_FW_VERSION, "16.35.2000");
	put_attribute(bytes, 0, "", 0);
	put_u64(bytes, RDMA_NLDEV_ATTR_NODE_GUID, 0x0011223344556677);
	put_u64(bytes, RDMA_NLDEV_ATTR_SYS_IMAGE_GUID, 0x8899aabbccddeeff);
	put_u8(bytes, RDMA_NLDEV_ATTR_DEV_NODE_TYPE, 1);
	put_u64(bytes, UNKNOWN_ATTRIBUTE, 5);
	put_string(bytes, 67, "roce");
	put_u8(bytes, 99, 1);
	put_string(bytes, 100, "mlx5_parent");
}

static void device_whole(void **state)
{
	_cleanup_(device_list_clear) struct device_list list = {0};
	struct bytes bytes = {0};
	const struct device *device;
	unsigned int ports = 0;

	(void)state;
	put_whole_device(&bytes);
	assert_int_equal(parse_device(&bytes, bytes.length, &list, &ports), 0);
	device = &list.items[0];
	assert_int_equal(ports, 2);
	assert_string_equal(device->name, "mlx5_0");
	assert_int_equal(device->index.value, 7);
	assert_string_equal(device->firmware, "16.35.2000");
	assert_true(device->node_guid.value == 0x0011223344556677);
	assert_true(device->system_image_guid.value == 0x8899aabbccddeeff);
	assert_int_equal(device->node_type.value, NODE_TYPE_CA);
	assert_string_equal(device->protocol, "roce");
	assert_true(device->sub_type.known);
	assert_int_equal(device->sub_type.value, 1);
	assert_string_equal(device->parent, "mlx5_parent");
}

/* A 4.13 kernel or a switch reports little: everything else stays unknown, not 0. */
static void device_bare(void **state)
{
	_cleanup_(device_list_clear) struct device_list list = {0};
	struct bytes bytes = {0};
	unsigned int ports = 9;

	(void)state;
	put_u32(&bytes, RDMA_NLDEV_ATTR_DEV_INDEX, 0);
	assert_int_equal(parse_device(&bytes, bytes.length, &list, &ports), 0);
	assert_int_equal(ports, 0);
	assert_true(list.items[0].index.known);
	assert_false(list.items[0].node_type.known);
	assert_false(list.items[0].node_guid.known);
	assert_null(list.items[0].firmware);
	assert_null(list.items[0].name);
}

static void device_keeps_what_is_known(void **state)
{
	_cleanup_(device_list_clear) struct device_list list = {0};
	struct device *device = device_list_add(&list, "here");
	struct bytes bytes = {0};
	unsigned int ports;

	(void)state;
	number_set(&device->node_guid, 5);
	device->firmware = mem_string("old");
	put_whole_device(&bytes);
	assert_int_equal(nldev_parse_device(bytes.data, bytes.length, device, &ports), 0);
	assert_string_equal(device->name, "here");
	assert_string_equal(device->firmware, "old");
	assert_int_equal(device->node_guid.value, 5);
	assert_int_equal(device->index.value, 7);
}

static void device_cut_anywhere(void **state)
{
	struct bytes bytes = {0};

	(void)state;
	put_whole_device(&bytes);
	for (size_t length = 0; length < bytes.length; length++) {
		_cleanup_(device_list_clear) struct device_list list = {0};
		unsigned int ports;
		int error = parse_device(&bytes, length, &list, &ports);

		assert_true(error == 0 || error == -EBADMSG);
	}
}

static void device_cut_in_name(void **state)
{
	_cleanup_(device_list_clear) struct device_list list = {0};
	struct bytes bytes = {0};
	unsigned int ports = 77;

	(void)state;
	put_string(&bytes, RDMA_NLDEV_ATTR_DEV_NAME, "mlx5_0");
	assert_int_equal(parse_device(&bytes, bytes.length - 4, &list, &ports), -EBADMSG);
	assert_int_equal(ports, 77);
}

static void device_wrong_sizes(void **state)
{
	static const uint16_t numbers[] = {RDMA_NLDEV_ATTR_DEV_INDEX, RDMA_NLDEV_ATTR_PORT_INDEX,
					   RDMA_NLDEV_ATTR_NODE_GUID,
					   RDMA_NLDEV_ATTR_SYS_IMAGE_GUID,
					   RDMA_NLDEV_ATTR_DEV_NODE_TYPE};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		_cleanup_(device_list_clear) struct device_list list = {0};
		struct bytes bytes = {0};
		unsigned int ports;

		put_attribute(&bytes, numbers[i], "abc", 3);
		assert_int_equal(parse_device(&bytes, bytes.length, &list, &ports), -EBADMSG);
	}
}

static void device_too_many_ports(void **state)
{
	_cleanup_(device_list_clear) struct device_list list = {0};
	struct bytes bytes = {0};
	unsigned int ports;

	(void)state;
	put_device(&bytes, 1, "x", UINT32_MAX);
	assert_int_equal(parse_device(&bytes, bytes.length, &list, &ports), -EBADMSG);
}

/* `expected` is the name shown; the name for paths is the raw one. NULL: not accepted as a name. */
static void check_name(const char *raw, size_t length, const char *expected)
{
	_cleanup_(device_list_clear) struct device_list list = {0};
	const struct device *device;
	struct bytes bytes = {0};
	unsigned int ports;

	put_attribute(&bytes, RDMA_NLDEV_ATTR_DEV_NAME, raw, length);
	assert_int_equal(parse_device(&bytes, bytes.length, &list, &ports), 0);
	device = &list.items[0];
	if (!expected) {
		assert_null(device->name);
		assert_null(device->kernel_name);
		return;
	}
	assert_string_equal(device->name, expected);
	assert_int_equal(strlen(device->kernel_name), strnlen(raw, length));
	assert_memory_equal(device->kernel_name, raw, strnlen(raw, length));
}

/* A parent's name is only shown, and never used in a path. */
static void parent_names(void **state)
{
	static const struct {
		const char *raw, *clean;
	} samples[] = {
		{"mlx5_0", "mlx5_0"}, {"a.b", "a.b"},	    {"", ""},
		{".", "\\x2e"},	      {"..", "\\x2e\\x2e"}, {"../a", "\\x2e\\x2e\\x2fa"},
		{"a/b", "a\\x2fb"},   {"...", "..."},	    {"a\033", "a\\x1b"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(device_list_clear) struct device_list list = {0};
		struct bytes bytes = {0};
		unsigned int ports;

		put_string(&bytes, NLDEV_ATTR_PARENT_NAME, samples[i].raw);
		assert_int_equal(parse_device(&bytes, bytes.length, &list, &ports), 0);
		assert_string_equal(list.items[0].parent, samples[i].clean);
	}
}

static void device_names(void **state)
{
	char longest[64], expected[65] = "";

	(void)state;
	check_name("mlx5_0", 7, "mlx5_0");
	check_name("mlx5_0", 6, "mlx5_0"); /* no NUL */
	check_name("rocep1s0f0.10", 14, "rocep1s0f0.10");
	check_name("abcd", 4, "abcd"); /* no NUL, and the message ends here */
	check_name("a\033[31m", 7, "a\\x1b[31m");
	check_name("a\xff", 3, "a\\xff");
	check_name("../etc", 7, NULL);
	check_name("a/b", 4, NULL);
	check_name("..", 3, NULL);
	check_name(".", 2, NULL);
	check_name("", 1, NULL);
	check_name("", 0, NULL);
	memset(longest, 'm', sizeof(longest));
	memset(expected, 'm', sizeof(longest));
	check_name(longest, sizeof(longest), expected);
}

static void port_infiniband(void **state)
{
	_cleanup_(device_list_clear) struct device_list list = {0};
	struct bytes bytes = {0};
	const struct port *port;

	(void)state;
	put_device(&bytes, 7, "mlx5_0", 1);
	put_u64(&bytes, RDMA_NLDEV_ATTR_CAP_FLAGS, 0x00000004beef0001);
	put_u64(&bytes, RDMA_NLDEV_ATTR_SUBNET_PREFIX, 0xfe80000000000000);
	put_u32(&bytes, RDMA_NLDEV_ATTR_LID, 17);
	put_u32(&bytes, RDMA_NLDEV_ATTR_SM_LID, 1);
	put_u8(&bytes, RDMA_NLDEV_ATTR_LMC, 0);
	put_u8(&bytes, RDMA_NLDEV_ATTR_PORT_STATE, 4);
	put_u8(&bytes, RDMA_NLDEV_ATTR_PORT_PHYS_STATE, 5);
	assert_int_equal(parse_port(&bytes, bytes.length, &list), 0);
	port = &list.items[0].ports[0];
	assert_true(port->cap_mask.value == 0xbeef0001);
	assert_true(port->subnet_prefix.value == 0xfe80000000000000);
	assert_int_equal(port->lid.value, 17);
	assert_int_equal(port->sm_lid.value, 1);
	assert_true(port->lmc.known);
	assert_int_equal(port->lmc.value, 0);
	assert_int_equal(port->state.value, 4);
	assert_int_equal(port->physical_state.value, 5);
	assert_false(port->netdev_index.known);
}

static void port_roce(void **state)
{
	_cleanup_(device_list_clear) struct device_list list = {0};
	struct bytes bytes = {0};
	const struct port *port;

	(void)state;
	put_u8(&bytes, RDMA_NLDEV_ATTR_PORT_STATE, 1);
	put_u8(&bytes, RDMA_NLDEV_ATTR_PORT_PHYS_STATE, 3);
	put_u32(&bytes, RDMA_NLDEV_ATTR_NDEV_INDEX, 12);
	put_string(&bytes, RDMA_NLDEV_ATTR_NDEV_NAME, "eth\n0");
	assert_int_equal(parse_port(&bytes, bytes.length, &list), 0);
	port = &list.items[0].ports[0];
	assert_false(port->lid.known);
	assert_false(port->cap_mask.known);
	assert_int_equal(port->netdev_index.value, 12);
	assert_string_equal(port->netdev, "eth\\x0a0");
	for (size_t length = 0; length < bytes.length; length++)
		parse_port(&bytes, length, &list);
}

/* Records the answers to an exchange with several requests. */
struct heard {
	unsigned int count;
	unsigned int index[16];
	int error[16];
	char text[16][64];
	size_t length[16];
	int result; /* what the handler returns */
};

static int hear(void *context, unsigned int index, const struct netlink_answer *answer)
{
	struct heard *heard = context;
	unsigned int at = heard->count++;

	heard->index[at % 16] = index;
	heard->error[at % 16] = answer->error;
	snprintf(heard->text[at % 16], sizeof(heard->text[0]), "%s",
		 answer->text ? answer->text : "(none)");
	heard->length[at % 16] = answer->length;
	return heard->result;
}

static struct netlink_exchange exchange_of(struct heard *heard, unsigned int count, bool dump)
{
	return (struct netlink_exchange){.sequence = 100,
					 .count = count,
					 .left = count,
					 .dump = dump,
					 .handle = hear,
					 .context = heard};
}

static void reply_errors(void **state)
{
	struct heard heard = {0};
	struct netlink_exchange exchange = exchange_of(&heard, 4, false);
	struct bytes bytes = {0};

	(void)state;
	put_error(&bytes, 102, -EINVAL, "No such\tport");
	put_error(&bytes, 100, -ENODEV, NULL);
	put_message(&bytes, 0x1401, 0, 101, "12345678", 8);
	assert_int_equal(netlink_take(&exchange, bytes.data, bytes.length), 0);
	assert_int_equal(heard.count, 3);
	assert_int_equal(heard.index[0], 2);
	assert_int_equal(heard.error[0], -EINVAL);
	assert_string_equal(heard.text[0], "No such\\x09port");
	assert_int_equal(heard.index[1], 0);
	assert_int_equal(heard.error[1], -ENODEV);
	assert_string_equal(heard.text[1], "(none)");
	assert_int_equal(heard.index[2], 1);
	assert_int_equal(heard.length[2], 8);
	assert_int_equal(exchange.left, 1);
	assert_int_equal(exchange.error, 0);
}

/* Without NETLINK_CAP_ACK the request precedes the text. */
static void reply_error_uncapped(void **state)
{
	const struct nlmsgerr refusal = {.error = -EPERM, .msg.nlmsg_len = NLMSG_HDRLEN + 12};
	struct heard heard = {0};
	struct netlink_exchange exchange = exchange_of(&heard, 1, false);
	struct bytes payload = {0}, bytes = {0};

	(void)state;
	bytes_put(&payload, &refusal, sizeof(refusal));
	bytes_put(&payload, "request here", 12);
	put_u32(&payload, NLMSGERR_ATTR_OFFS, 3);
	put_string(&payload, NLMSGERR_ATTR_MSG, "not you");
	put_message(&bytes, NLMSG_ERROR, NLM_F_ACK_TLVS, 100, payload.data, payload.length);
	assert_int_equal(netlink_take(&exchange, bytes.data, bytes.length), 0);
	assert_int_equal(heard.error[0], -EPERM);
	assert_string_equal(heard.text[0], "not you");
}

/* A length of the returned request that exceeds the message. */
static void reply_error_hostile(void **state)
{
	static const uint32_t lengths[] = {0, 15, 17, 300, 0x7fffffff, 0xfffffffc, UINT32_MAX};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct nlmsgerr refusal = {.error = -EPERM, .msg.nlmsg_len = lengths[i]};
		struct heard heard = {0};
		struct netlink_exchange exchange = exchange_of(&heard, 1, false);
		struct bytes bytes = {0};

		put_message(&bytes, NLMSG_ERROR, NLM_F_ACK_TLVS, 100, &refusal, sizeof(refusal));
		assert_int_equal(netlink_take(&exchange, bytes.data, bytes.length), 0);
		assert_int_equal(heard.error[0], -EPERM);
		assert_string_equal(heard.text[0], "(none)");
	}
}

static void reply_error_numbers(void **state)
{
	static const int errors[] = {5, INT32_MIN, -4096};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		struct heard heard = {0};
		struct netlink_exchange exchange = exchange_of(&heard, 1, false);
		struct bytes bytes = {0};

		put_error(&bytes, 100, errors[i], NULL);
		assert_int_equal(netlink_take(&exchange, bytes.data, bytes.length), 0);
		assert_int_equal(heard.error[0], -EBADMSG);
	}
}

static void reply_strangers(void **state)
{
	struct heard heard = {0};
	struct netlink_exchange exchange = exchange_of(&heard, 2, false);
	struct bytes bytes = {0};

	(void)state;
	put_message(&bytes, 0x1401, 0, 99, "1234", 4);
	put_message(&bytes, 0x1401, 0, 102, "1234", 4);
	put_message(&bytes, NLMSG_NOOP, 0, 100, "1234", 4);
	put_message(&bytes, 0x1405, 0, 100, "12345678", 8);
	put_message(&bytes, 0x1405, 0, 100, "1234", 4);
	assert_int_equal(netlink_take(&exchange, bytes.data, bytes.length), 0);
	assert_int_equal(heard.count, 1);
	assert_int_equal(heard.length[0], 8);
	assert_int_equal(exchange.left, 1);
}

static void reply_damaged(void **state)
{
	struct bytes bytes = {0};

	(void)state;
	put_message(&bytes, 0x1401, NLM_F_MULTI, 100, "12345678", 8);
	for (size_t length = 1; length < bytes.length; length++) {
		struct heard heard = {0};
		struct netlink_exchange exchange = exchange_of(&heard, 1, true);

		assert_int_equal(netlink_take(&exchange, bytes.data, length), -EBADMSG);
		assert_int_equal(heard.count, 0);
	}
	((struct nlmsghdr *)bytes.data)->nlmsg_len = 3;
	{
		struct heard heard = {0};
		struct netlink_exchange exchange = exchange_of(&heard, 1, true);

		assert_int_equal(netlink_take(&exchange, bytes.data, bytes.length), -EBADMSG);
	}
}

static void dump_ends(void **state)
{
	struct heard heard = {0};
	struct netlink_exchange exchange = exchange_of(&heard, 1, true);
	struct bytes bytes = {0};

	(void)state;
	put_message(&bytes, 0x1401, NLM_F_MULTI, 100, "1234", 4);
	put_message(&bytes, 0x1401, NLM_F_MULTI | NLM_F_DUMP_INTR, 100, "1234", 4);
	put_done(&bytes, 100, -EMSGSIZE);
	assert_int_equal(netlink_take(&exchange, bytes.data, bytes.length), 0);
	assert_int_equal(heard.count, 2);
	assert_int_equal(exchange.left, 0);
	assert_true(exchange.interrupted);
	assert_int_equal(exchange.error, -EMSGSIZE);
}

/* The same empty table again and again: an entry that does not fit the kernel's buffer. */
static void dump_of_empty_tables(void **state)
{
	struct heard heard = {.result = NETLINK_NOTHING};
	struct netlink_exchange exchange = exchange_of(&heard, 1, true);
	struct bytes bytes = {0};

	(void)state;
	put_message(&bytes, 0x1409, NLM_F_MULTI, 100, "1234", 4);
	for (unsigned int i = 0; i < 1000 && exchange.left; i++)
		assert_int_equal(netlink_take(&exchange, bytes.data, bytes.length), 0);
	assert_int_equal(exchange.left, 0);
	assert_int_equal(exchange.error, -EMSGSIZE);
	assert_true(heard.count < 20);
}

/* A request that does not fit is not sent at all. */
static void request_overflow(void **state)
{
	struct netlink *netlink = netlink_from_fd(open("/dev/null", O_RDWR | O_CLOEXEC), 4096);
	struct netlink_request request = {.count = 0};
	char big[2000] = "";

	(void)state;
	netlink_add(&request, 1, 0, NULL, 0);
	netlink_put(&request, 1, big, sizeof(big));
	netlink_put_u32(&request, 2, 5);
	assert_true(request.overflow);
	assert_int_equal(netlink_ask_plain(netlink, &request, NULL), -EMSGSIZE);
	assert_int_equal(request.count, 0);
	for (unsigned int i = 0; i <= NETLINK_BATCH; i++)
		netlink_add(&request, 1, 0, NULL, 0);
	assert_int_equal(netlink_ask_plain(netlink, &request, NULL), -EMSGSIZE);
	netlink_free(netlink);
}

/* 40 devices, each in a datagram as the kernel sends them, one of them twice. */
static void serve_devices(struct fake_kernel *kernel, const struct bytes *requests)
{
	const struct nlmsghdr *request = message_at(requests, 0);
	struct bytes done = {0};

	assert_int_equal(request->nlmsg_type, 0x1401);
	assert_int_equal(request->nlmsg_flags, NLM_F_REQUEST | NLM_F_DUMP);
	for (uint32_t i = 0; i < 41; i++) {
		struct bytes payload = {0}, datagram = {0};
		char name[32];

		snprintf(name, sizeof(name), "mlx5_%u", i % 40);
		put_device(&payload, i % 40, name, i % 3);
		put_message(&datagram, 0x1401, NLM_F_MULTI, request->nlmsg_seq, payload.data,
			    payload.length);
		fake_send(kernel, &datagram);
	}
	put_done(&done, request->nlmsg_seq, 0);
	fake_send(kernel, &done);
}

/* mlx5_0 is removed during the first dump, which therefore misses mlx5_1. */
static void serve_removal(struct fake_kernel *kernel, const struct bytes *requests)
{
	const struct nlmsghdr *request = message_at(requests, 0);
	unsigned int *dumps = kernel->context;
	struct bytes done = {0};

	for (uint32_t i = *dumps ? 1 : 0; i < 3; i++) {
		struct bytes payload = {0}, datagram = {0};
		char name[32];

		if (!*dumps && i == 1)
			continue;
		snprintf(name, sizeof(name), "mlx5_%u", i);
		put_device(&payload, i, name, 1);
		put_message(&datagram, 0x1401, NLM_F_MULTI, request->nlmsg_seq, payload.data,
			    payload.length);
		fake_send(kernel, &datagram);
	}
	++*dumps;
	put_done(&done, request->nlmsg_seq, 0);
	fake_send(kernel, &done);
}

static void device_left_out(void **state)
{
	_cleanup_(device_list_clear) struct device_list list = {0};
	unsigned int dumps = 0;
	struct fake_kernel kernel = {.serve = serve_removal, .context = &dumps};
	struct netlink *nldev = netlink_from_fd(fake_start(&kernel), 4096);
	struct saved_tree tree;

	(void)state;
	tree_open(&tree);
	tree_directory(&tree, "sys/class/infiniband/mlx5_1");
	tree_directory(&tree, "sys/class/infiniband/mlx5_2");
	assert_int_equal(nldev_list_devices(nldev, &tree.root, &list), 0);
	assert_int_equal(dumps, 2);
	assert_int_equal(list.count, 2);
	assert_string_equal(list.items[0].name, "mlx5_1");
	assert_string_equal(list.items[1].name, "mlx5_2");
	device_list_clear(&list);
	assert_int_equal(nldev_list_devices(nldev, &tree.root, &list), 0);
	assert_int_equal(dumps, 3);
	/* The directory belongs to another network namespace, and has other devices. */
	tree_directory(&tree, "sys/class/infiniband/rxe0");
	device_list_clear(&list);
	assert_int_equal(nldev_list_devices(nldev, &tree.root, &list), 0);
	assert_int_equal(dumps, 5);
	assert_int_equal(list.count, 2);
	netlink_free(nldev);
	fake_stop(&kernel);
	tree_close(&tree);
}

/* The kernel lists by index, whatever the names are. */
static void serve_reversed(struct fake_kernel *kernel, const struct bytes *requests)
{
	const struct nlmsghdr *request = message_at(requests, 0);
	unsigned int *dumps = kernel->context;
	struct bytes datagram = {0};

	for (unsigned int i = 0; i < 3; i++) {
		struct bytes payload = {0};
		char name[16];

		snprintf(name, sizeof(name), "mlx5_%u", 2 - i);
		put_device(&payload, i, name, 1);
		put_message(&datagram, 0x1401, NLM_F_MULTI, request->nlmsg_seq, payload.data,
			    payload.length);
	}
	++*dumps;
	put_done(&datagram, request->nlmsg_seq, 0);
	fake_send(kernel, &datagram);
}

static void devices_in_any_order(void **state)
{
	_cleanup_(device_list_clear) struct device_list list = {0};
	unsigned int dumps = 0;
	struct fake_kernel kernel = {.serve = serve_reversed, .context = &dumps};
	struct netlink *nldev = netlink_from_fd(fake_start(&kernel), 4096);
	struct saved_tree tree;

	(void)state;
	tree_open(&tree);
	for (unsigned int i = 0; i < 3; i++) {
		char path[64];

		snprintf(path, sizeof(path), "sys/class/infiniband/mlx5_%u", i);
		tree_directory(&tree, path);
	}
	assert_int_equal(nldev_list_devices(nldev, &tree.root, &list), 0);
	assert_int_equal(dumps, 1);
	assert_int_equal(list.count, 3);
	netlink_free(nldev);
	fake_stop(&kernel);
	tree_close(&tree);
}

/* A device with an impossible name is still listed. */
static void serve_hostile_name(struct fake_kernel *kernel, const struct bytes *requests)
{
	const struct nlmsghdr *request = message_at(requests, 0);
	struct bytes payload = {0}, datagram = {0};

	put_device(&payload, 17, "../../etc", 1);
	put_message(&datagram, 0x1401, NLM_F_MULTI, request->nlmsg_seq, payload.data,
		    payload.length);
	put_done(&datagram, request->nlmsg_seq, 0);
	fake_send(kernel, &datagram);
}

static void device_of_hostile_name(void **state)
{
	_cleanup_(device_list_clear) struct device_list list = {0};
	struct fake_kernel kernel = {.serve = serve_hostile_name};
	struct netlink *nldev = netlink_from_fd(fake_start(&kernel), 4096);

	(void)state;
	assert_int_equal(nldev_get_devices(nldev, &list), 0);
	assert_int_equal(list.count, 1);
	assert_string_equal(list.items[0].name, "#17");
	assert_int_equal(list.items[0].port_count, 1);
	netlink_free(nldev);
	fake_stop(&kernel);
}

/* RDMA_NLDEV_CMD_NEWLINK and DELLINK, rdma_netlink.h: message types include the family. */
static void serve_links(struct fake_kernel *kernel, const struct bytes *requests)
{
	const struct nlmsghdr *request = message_at(requests, 0);
	const unsigned int command = request->nlmsg_type & 0xff;
	const struct nlattr *first = NLMSG_DATA(request);
	const struct nlattr *second = (const void *)((const char *)first +
						     NLMSG_ALIGN(first->nla_len));
	const struct nlattr *third = (const void *)((const char *)second +
						    NLMSG_ALIGN(second->nla_len));
	struct bytes datagram = {0};
	bool good = request->nlmsg_flags & NLM_F_ACK;

	if (command == RDMA_NLDEV_CMD_NEWLINK)
		good = good && first->nla_type == RDMA_NLDEV_ATTR_DEV_NAME &&
		       !strcmp((const char *)(first + 1), "rxe7") &&
		       second->nla_type == RDMA_NLDEV_ATTR_LINK_TYPE &&
		       !strcmp((const char *)(second + 1), "rxe") &&
		       third->nla_type == RDMA_NLDEV_ATTR_NDEV_NAME &&
		       !strcmp((const char *)(third + 1), "eth3");
	else
		good = good && command == RDMA_NLDEV_CMD_DELLINK &&
		       first->nla_type == RDMA_NLDEV_ATTR_DEV_INDEX &&
		       *(const uint32_t *)(const void *)(first + 1) == 77;
	put_error(&datagram, request->nlmsg_seq, good ? 0 : -EDOM, NULL);
	fake_send(kernel, &datagram);
}

static void links(void **state)
{
	struct fake_kernel kernel = {.serve = serve_links};
	struct netlink *nldev = netlink_from_fd(fake_start(&kernel), 4096);

	(void)state;
	assert_int_equal(nldev_add_link(nldev, "rxe7", "rxe", "eth3"), 0);
	assert_int_equal(nldev_add_link(nldev, "rxe7", "siw", "eth3"), -EDOM);
	assert_int_equal(nldev_delete_link(nldev, 77), 0);
	assert_int_equal(nldev_delete_link(nldev, 78), -EDOM);
	netlink_free(nldev);
	fake_stop(&kernel);
}

static void devices(void **state)
{
	_cleanup_(device_list_clear) struct device_list list = {0};
	struct fake_kernel kernel = {.serve = serve_devices};
	struct netlink *nldev = netlink_from_fd(fake_start(&kernel), 4096);

	(void)state;
	assert_int_equal(nldev_get_devices(nldev, &list), 0);
	assert_int_equal(list.count, 40);
	assert_string_equal(list.items[2].name, "mlx5_2");
	assert_int_equal(list.items[2].port_count, 2);
	assert_int_equal(list.items[2].ports[1].port.value, 2);
	assert_string_equal(list.items[2].ports[1].device, "mlx5_2");
	assert_int_equal(list.items[0].port_count, 0);
	netlink_free(nldev);
	fake_stop(&kernel);
}

static void serve_no_dump(struct fake_kernel *kernel, const struct bytes *requests)
{
	const struct nlmsghdr *request = message_at(requests, 0);
	struct bytes payload = {0}, datagram = {0};

	if (kernel->context) {
		put_device(&payload, 1, "rxe0", 1);
		put_message(&datagram, 0x1401, NLM_F_MULTI, request->nlmsg_seq, payload.data,
			    payload.length);
	}
	put_error(&datagram, request->nlmsg_seq, -EPERM, "no");
	fake_send(kernel, &datagram);
}

static void devices_refused(void **state)
{
	_cleanup_(device_list_clear) struct device_list list = {0};
	struct fake_kernel kernel = {.serve = serve_no_dump};
	struct netlink *nldev = netlink_from_fd(fake_start(&kernel), 4096);

	(void)state;
	assert_int_equal(nldev_get_devices(nldev, &list), -EPERM);
	kernel.context = &kernel;
	assert_int_equal(nldev_get_devices(nldev, &list), -EPERM);
	assert_int_equal(list.count, 0);
	netlink_free(nldev);
	fake_stop(&kernel);
}

static void serve_nothing(struct fake_kernel *kernel, const struct bytes *requests)
{
	(void)kernel;
	(void)requests;
}

static void devices_silence(void **state)
{
	_cleanup_(device_list_clear) struct device_list list = {0};
	struct fake_kernel kernel = {.serve = serve_nothing};
	int fd = fake_start(&kernel);
	struct netlink *nldev = netlink_from_fd(fd, 4096);

	(void)state;
	hurry(fd);
	assert_int_equal(nldev_get_devices(nldev, &list), -ETIMEDOUT);
	netlink_free(nldev);
	fake_stop(&kernel);
}

/* A datagram too large for the buffer is detected, and the dump is still read to its end. */
static void serve_giant(struct fake_kernel *kernel, const struct bytes *requests)
{
	const struct nlmsghdr *request = message_at(requests, 0);
	struct bytes payload = {.length = 9000}, giant = {0}, done = {0};

	put_message(&giant, 0x1401, NLM_F_MULTI, request->nlmsg_seq, payload.data, payload.length);
	fake_send(kernel, &giant);
	put_done(&done, request->nlmsg_seq, 0);
	fake_send(kernel, &done);
}

static void devices_truncated(void **state)
{
	_cleanup_(device_list_clear) struct device_list list = {0};
	struct fake_kernel kernel = {.serve = serve_giant};
	struct netlink *nldev = netlink_from_fd(fake_start(&kernel), 4096);

	(void)state;
	assert_int_equal(nldev_get_devices(nldev, &list), -EMSGSIZE);
	netlink_free(nldev);
	fake_stop(&kernel);
}

/* Device index and port index of a request, which has nothing else. */
static void read_request(const struct nlmsghdr *request, uint32_t *ret_device, uint32_t *ret_port)
{
	const uint8_t *data = (const uint8_t *)request + NLMSG_HDRLEN;

	assert_int_equal(request->nlmsg_type, 0x1405);
	assert_int_equal(request->nlmsg_flags, NLM_F_REQUEST);
	assert_int_equal(request->nlmsg_len, NLMSG_HDRLEN + 16);
	memcpy(ret_device, data + NLA_HDRLEN, sizeof(*ret_device));
	memcpy(ret_port, data + 2 * NLA_HDRLEN + 4, sizeof(*ret_port));
}

static void answer_port(struct fake_kernel *kernel, uint32_t sequence, uint32_t device,
			uint32_t port)
{
	struct bytes payload = {0}, datagram = {0};

	put_device(&payload, device, "name", port);
	put_u8(&payload, RDMA_NLDEV_ATTR_PORT_STATE, (uint8_t)(device % 5));
	put_u32(&payload, RDMA_NLDEV_ATTR_NDEV_INDEX, 1000 * device + port);
	/* nldev_port_get_doit() answers with RDMA_NLDEV_CMD_GET. */
	put_message(&datagram, 0x1401, 0, sequence, payload.data, payload.length);
	fake_send(kernel, &datagram);
}

static void refuse_port(struct fake_kernel *kernel, uint32_t sequence, const char *text)
{
	struct bytes datagram = {0};

	put_error(&datagram, sequence, -EINVAL, text);
	fake_send(kernel, &datagram);
}

/* Answers a query whether a device exists; false if the request is about a port. */
static bool serve_question(struct fake_kernel *kernel, const struct nlmsghdr *request)
{
	struct bytes payload = {0}, datagram = {0};
	uint32_t device;

	if (request->nlmsg_type != 0x1401)
		return false;
	memcpy(&device, (const uint8_t *)request + NLMSG_HDRLEN + NLA_HDRLEN, sizeof(device));
	if (device == 18) {
		refuse_port(kernel, request->nlmsg_seq, NULL);
	} else {
		put_device(&payload, device, "name", 2);
		put_message(&datagram, 0x1401, 0, request->nlmsg_seq, payload.data, payload.length);
		fake_send(kernel, &datagram);
	}
	return true;
}

/*
 * Ports of the devices 5 (refused), 6 (answer lost once), 7 (answers about another port), 8 (never
 * answered, if there is a context), 18 (gone), 19 (refused without a word) and others (answered
 * last first).
 */
static void serve_ports(struct fake_kernel *kernel, const struct bytes *requests)
{
	const struct nlmsghdr *list[64];
	unsigned int count = 0;

	for_each_message (message, requests)
		list[count++] = message;
	while (count--) {
		uint32_t device, port, sequence = list[count]->nlmsg_seq;

		if (serve_question(kernel, list[count]))
			continue;
		read_request(list[count], &device, &port);
		if (device == 5 || device == 18 || device == 19) {
			refuse_port(kernel, sequence, device == 5 ? "dead port" : NULL);
		} else if ((device == 6 && requests->length > 32) ||
			   (device == 8 && kernel->context)) {
			continue;
		} else {
			answer_port(kernel, sequence, device, device == 7 ? port + 1 : port);
		}
	}
}

struct failures {
	unsigned int count;
	char text[512];
};

static void port_failed(void *context, const struct port *port, int error, const char *text)
{
	struct failures *failures = context;
	size_t used = strlen(failures->text);

	failures->count++;
	snprintf(failures->text + used, sizeof(failures->text) - used, "%s/%u %d %s\n",
		 port->device, (unsigned int)port->port.value, error, text ? text : "-");
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
		device_add_port(device, 2);
	}
}

static void ports(void **state)
{
	_cleanup_(device_list_clear) struct device_list list = {0};
	struct fake_kernel kernel = {.serve = serve_ports};
	struct failures failures = {0};
	int fd = fake_start(&kernel);
	struct netlink *nldev = netlink_from_fd(fd, 4096);

	(void)state;
	hurry(fd);
	add_devices(&list, 20);
	device_add_port(device_list_add(&list, "from sysfs, without an index"), 1);
	nldev_get_ports(nldev, &list, port_failed, &failures);
	assert_string_equal(failures.text, "d5/1 -22 dead port\nd5/2 -22 dead port\n"
					   "d7/1 -74 -\nd7/2 -74 -\n"
					   "d18/1 -19 -\nd18/2 -19 -\nd19/1 -22 -\nd19/2 -22 -\n");
	for (unsigned int i = 0; i < 20; i++)
		for (unsigned int j = 0; j < 2; j++) {
			const struct port *port = &list.items[i].ports[j];

			assert_int_equal(port->state.known, i != 5 && i != 7 && i != 18 && i != 19);
			if (port->state.known) {
				assert_int_equal(port->state.value, i % 5);
				assert_int_equal(port->netdev_index.value, 1000 * i + j + 1);
			}
		}
	assert_false(list.items[20].ports[0].state.known);
	netlink_free(nldev);
	fake_stop(&kernel);
	/*
	 * 40 ports in batches of 16, two of them again singly, and four queries for their devices.
	 */
	assert_int_equal(kernel.datagrams, 3 + 2 + 4);
}

/* One timeout is enough: the following requests fail at once. */
static void ports_silence(void **state)
{
	_cleanup_(device_list_clear) struct device_list list = {0};
	struct fake_kernel kernel = {.serve = serve_ports, .context = &list};
	struct failures failures = {0};
	int fd = fake_start(&kernel);
	struct netlink *nldev = netlink_from_fd(fd, 4096);

	(void)state;
	hurry(fd);
	add_devices(&list, 30);
	nldev_get_ports(nldev, &list, port_failed, &failures);
	assert_false(list.items[8].ports[0].state.known);
	assert_true(list.items[9].ports[0].state.known);
	assert_false(list.items[29].ports[0].state.known);
	netlink_free(nldev);
	fake_stop(&kernel);
	/* Devices 0 to 7, then 8 to 15 with the timeout, then one port singly. */
	assert_int_equal(kernel.datagrams, 1 + 2 + 1 + 1);
	assert_int_equal(failures.count, 4 + 2 + 28);
}

static void ports_closed(void **state)
{
	_cleanup_(device_list_clear) struct device_list list = {0};
	struct failures failures = {0};
	struct netlink *nldev;
	int fds[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	close(fds[1]);
	nldev = netlink_from_fd(fds[0], 4096);
	add_devices(&list, 1);
	nldev_get_ports(nldev, &list, port_failed, &failures);
	assert_int_equal(failures.count, 2);
	assert_true(nldev_get_devices(nldev, &list) < 0);
	netlink_free(nldev);
}

/* Every second device has no uverbs node. */
static void serve_uverbs(struct fake_kernel *kernel, const struct bytes *requests)
{
	size_t i = 0;

	for_each_message (request, requests) {
		struct bytes payload = {0}, datagram = {0};

		assert_int_equal(request->nlmsg_type, 0x140f);
		if (i++ % 2) {
			put_error(&datagram, request->nlmsg_seq, -ENODEV, NULL);
		} else {
			put_string(&payload, RDMA_NLDEV_ATTR_CHARDEV_NAME, "uverbs3");
			put_u64(&payload, RDMA_NLDEV_ATTR_CHARDEV, 0x1234);
			put_u32(&payload, RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID, 14);
			put_message(&datagram, 0x140f, 0, request->nlmsg_seq, payload.data,
				    payload.length);
		}
		fake_send(kernel, &datagram);
	}
}

static void uverbs(void **state)
{
	_cleanup_(device_list_clear) struct device_list list = {0};
	struct fake_kernel kernel = {.serve = serve_uverbs};
	struct netlink *nldev = netlink_from_fd(fake_start(&kernel), 4096);

	(void)state;
	add_devices(&list, 20);
	device_list_add(&list, "no index");
	list.items[4].driver = mem_string("mlx5_core");
	nldev_get_uverbs(nldev, &list);
	assert_string_equal(list.items[0].uverbs, "uverbs3");
	assert_int_equal(list.items[0].driver_id.value, 14);
	assert_null(list.items[1].uverbs);
	assert_false(list.items[1].driver_id.known);
	/* Its driver is known, so it was not queried and the next one took its place. */
	assert_null(list.items[4].uverbs);
	assert_string_equal(list.items[5].uverbs, "uverbs3");
	assert_null(list.items[20].uverbs);
	netlink_free(nldev);
	fake_stop(&kernel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(device_whole),
		cmocka_unit_test(device_bare),
		cmocka_unit_test(device_keeps_what_is_known),
		cmocka_unit_test(device_cut_anywhere),
		cmocka_unit_test(device_cut_in_name),
		cmocka_unit_test(device_wrong_sizes),
		cmocka_unit_test(device_too_many_ports),
		cmocka_unit_test(device_names),
		cmocka_unit_test(parent_names),
		cmocka_unit_test(port_infiniband),
		cmocka_unit_test(port_roce),
		cmocka_unit_test(reply_errors),
		cmocka_unit_test(reply_error_uncapped),
		cmocka_unit_test(reply_error_hostile),
		cmocka_unit_test(reply_error_numbers),
		cmocka_unit_test(reply_strangers),
		cmocka_unit_test(reply_damaged),
		cmocka_unit_test(dump_ends),
		cmocka_unit_test(dump_of_empty_tables),
		cmocka_unit_test(request_overflow),
		cmocka_unit_test(devices),
		cmocka_unit_test(device_left_out),
		cmocka_unit_test(devices_in_any_order),
		cmocka_unit_test(links),
		cmocka_unit_test(device_of_hostile_name),
		cmocka_unit_test(devices_refused),
		cmocka_unit_test(devices_silence),
		cmocka_unit_test(devices_truncated),
		cmocka_unit_test(ports),
		cmocka_unit_test(ports_silence),
		cmocka_unit_test(ports_closed),
		cmocka_unit_test(uverbs),
	};

	return cmocka_run_group_tests_name("nldev", tests, NULL, NULL);
}
