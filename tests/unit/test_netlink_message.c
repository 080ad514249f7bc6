/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Netlink messages: built within their limits, and parsed when truncated anywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/netlink/netlink.h"
#include "netlink_message.h"
#include "schema/value.h"

/* A request is the header of 16 bytes, what the family wants, and attributes (linux/netlink.h). */
static void requests(void **state)
{
	struct netlink_request request = {.count = 0};
	const uint32_t family = 0x01020304, values[] = {7, 8};
	const struct nlmsghdr *header;
	struct nlattr *table[8], *nest;
	uint8_t *bytes;

	(void)state;
	netlink_add(&request, 0x1234, NLM_F_ACK, &family, sizeof(family));
	netlink_put_u32(&request, 1, 77);
	netlink_put_string(&request, 2, "eth0");
	netlink_put_list(&request, 3, 5, values, 2);
	nest = netlink_nest_begin(&request, 4);
	netlink_nest_end(&request, nest);
	assert_false(request.overflow);
	assert_int_equal(request.count, 1);
	header = nlmsg_hdr(request.messages[0]);
	assert_int_equal(header->nlmsg_type, 0x1234);
	assert_int_equal(header->nlmsg_flags, NLM_F_REQUEST | NLM_F_ACK);
	/* 16 + 4, 4 + 4, 4 + 5 + 3, 4 + 2 * (4 + 4), 4 */
	assert_int_equal(header->nlmsg_len, 20 + 8 + 12 + 20 + 4);
	bytes = nlmsg_data(header);
	assert_memory_equal(bytes, &family, 4);
	assert_int_equal(netlink_parse(bytes, header->nlmsg_len - 16, 4, table, 5, NULL), 0);
	assert_int_equal(nla_get_u32(table[1]), 77);
	assert_string_equal(nla_data(table[2]), "eth0");
	assert_int_equal(nla_len(table[2]), 5);
	assert_int_equal(nla_len(table[3]), 16);
	assert_int_equal(nla_len(table[4]), 0);
	netlink_request_clear(&request);
	assert_int_equal(request.count, 0);
}

static void full(void **state)
{
	struct netlink_request request = {.count = 0};
	_cleanup_(freep) char *room = mem_alloc_zero(2000, 1);

	(void)state;
	for (size_t i = 0; i < NETLINK_BATCH; i++)
		netlink_add(&request, 1, 0, NULL, 0);
	assert_false(request.overflow);
	assert_int_equal(request.count, NETLINK_BATCH);
	netlink_add(&request, 1, 0, NULL, 0);
	assert_true(request.overflow);
	assert_int_equal(request.count, NETLINK_BATCH);
	netlink_request_clear(&request);
	/* 1024 bytes hold a header, and an attribute of 1004 bytes with its header. */
	netlink_add(&request, 1, 0, NULL, 0);
	netlink_put(&request, 1, room, 1004);
	assert_false(request.overflow);
	netlink_put(&request, 1, room, 0);
	assert_true(request.overflow);
	/* Further attributes are refused, without any other effect. */
	assert_null(netlink_nest_begin(&request, 2));
	netlink_put_list(&request, 3, 1, NULL, 0);
	netlink_put_string(&request, 1, "x");
	assert_true(request.overflow);
	assert_int_equal(nlmsg_hdr(request.messages[0])->nlmsg_len, 1024);
	netlink_request_clear(&request);
	netlink_add(&request, 1, 0, NULL, 0);
	netlink_put(&request, 1, room, 1025);
	assert_true(request.overflow);
	netlink_request_clear(&request);
	/* No room for the nest, and the end of a nest that did not begin. */
	netlink_add(&request, 1, 0, NULL, 0);
	netlink_put(&request, 1, room, 1004);
	assert_null(netlink_nest_begin(&request, 2));
	assert_true(request.overflow);
	netlink_request_clear(&request);
	netlink_add(&request, 1, 0, NULL, 0);
	netlink_nest_end(&request, NULL);
	assert_true(request.overflow);
	netlink_request_clear(&request);
	/* A header that is too long. */
	netlink_add(&request, 1, 0, room, 1009);
	assert_true(request.overflow);
	netlink_request_clear(&request);
}

static void lengths(void **state)
{
	const struct nla_policy policy[3] = {[1] = {.type = NLA_U32}};
	struct bytes bytes = {0};
	struct nlattr *table[3];

	(void)state;
	bytes_put(&bytes, "head", 4);
	put_u32(&bytes, 1, 5);
	put_u8(&bytes, 2, 6);
	for (size_t length = 0; length <= bytes.length; length++) {
		_cleanup_(freep) void *copy = mem_alloc_zero(length, 1);
		const int rc = netlink_parse(memcpy(copy, bytes.data, length), length, 4, table, 3,
					     policy);
		/*
		 * Up to three bytes after an attribute are padding, and an attribute of 5 bytes is
		 * complete.
		 */
		const bool whole = (length >= 4 && length < 8) || (length >= 12 && length < 16) ||
				   length >= 17;

		assert_int_equal(rc, whole ? 0 : -EBADMSG);
		if (!rc) {
			assert_int_equal(table[1] != NULL, length >= 12);
			assert_int_equal(table[2] != NULL, length >= 17);
		}
	}
	/* A header that is not a multiple of 4 is padded, unless the payload ends with it. */
	assert_int_equal(netlink_parse(bytes.data, 3, 3, table, 3, policy), 0);
	assert_null(table[1]);
	assert_int_equal(netlink_parse(bytes.data, 12, 3, table, 3, policy), 0);
	assert_int_equal(nla_get_u32(table[1]), 5);
	/* An attribute whose size violates the policy. */
	bytes.length = 0;
	put_u8(&bytes, 1, 6);
	assert_int_equal(netlink_parse(bytes.data, bytes.length, 0, table, 3, policy), -EBADMSG);
}

static void numbers(void **state)
{
	static const uint8_t data[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	(void)state;
	memcpy(&two, data, 2);
	memcpy(&four, data, 4);
	memcpy(&eight, data, 8);
	for (size_t length = 0; length <= 9; length++) {
		const bool good = length == 1 || length == 2 || length == 4 || length == 8;
		const uint64_t wanted = length == 1   ? 1
					: length == 2 ? two
					: length == 4 ? four
						      : eight;
		struct number number = {.known = false}, known = number_of(3);
		struct bytes bytes = {0};

		put_attribute(&bytes, 1, data, length);
		assert_int_equal(netlink_get_number((void *)bytes.data, &number),
				 good ? 0 : -EBADMSG);
		assert_int_equal(number.known, good);
		if (good)
			assert_true(number.value == wanted);
		/* A value that is already known is kept. */
		assert_int_equal(netlink_get_number((void *)bytes.data, &known), 0);
		assert_int_equal(known.value, 3);
	}
	assert_int_equal(netlink_get_number(NULL, &(struct number){.known = false}), 0);
}

static int count_entry(void *context, const struct nlattr *entry)
{
	int *sum = context;

	*sum += nla_get_u8(entry);
	return *sum > 5 ? -EDOM : 0;
}

static void entries(void **state)
{
	struct bytes inside = {0}, bytes = {0};
	int sum = 0;

	(void)state;
	put_u8(&inside, 7, 1);
	put_u8(&inside, 8, 100);
	put_u8(&inside, 7, 2);
	put_nest(&bytes, 1, &inside);
	assert_int_equal(netlink_each((void *)bytes.data, 7, count_entry, &sum), 0);
	assert_int_equal(sum, 3);
	assert_int_equal(netlink_each((void *)bytes.data, 8, count_entry, &sum), -EDOM);
	/* Half of an entry. */
	sum = 0;
	((struct nlattr *)(void *)bytes.data)->nla_len -= 4;
	assert_int_equal(netlink_each((void *)bytes.data, 7, count_entry, &sum), -EBADMSG);
	((struct nlattr *)(void *)bytes.data)->nla_len -= 4;
	sum = 0;
	assert_int_equal(netlink_each((void *)bytes.data, 7, count_entry, &sum), 0);
	assert_int_equal(sum, 1);
}

static int stop_at(void *context, const struct nlmsghdr *message)
{
	int *seen = context;

	++*seen;
	return message->nlmsg_type == 20 ? 1 : message->nlmsg_type == 21 ? -EDOM : 0;
}

/* A handler may end the walk; trailing bytes make the datagram damaged. */
static void datagrams(void **state)
{
	struct bytes bytes = {0};
	int seen = 0;

	(void)state;
	put_message(&bytes, 17, 0, 1, "abcd", 4);
	put_message(&bytes, 18, 0, 1, "", 0);
	assert_int_equal(netlink_walk(bytes.data, bytes.length, stop_at, &seen), 0);
	assert_int_equal(seen, 2);
	assert_int_equal(netlink_walk(bytes.data, bytes.length - 1, stop_at, &seen), -EBADMSG);
	assert_int_equal(seen, 3);
	assert_int_equal(netlink_walk(bytes.data, 0, stop_at, &seen), 0);
	put_message(&bytes, 20, 0, 1, "", 0);
	put_message(&bytes, 21, 0, 1, "", 0);
	seen = 0;
	assert_int_equal(netlink_walk(bytes.data, bytes.length, stop_at, &seen), 0);
	assert_int_equal(seen, 3);
	assert_int_equal(netlink_walk(bytes.data + 52, 16, stop_at, &seen), -EDOM);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests), cmocka_unit_test(full),    cmocka_unit_test(lengths),
		cmocka_unit_test(numbers),  cmocka_unit_test(entries), cmocka_unit_test(datagrams),
	};

	return cmocka_run_group_tests_name("netlink-message", tests, NULL, NULL);
}
