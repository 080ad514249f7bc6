/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The messages of ibv_rc_pingpong and rping, byte for byte as recorded on the wire. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "base/mem.h"
#include "host/device.h"
#include "host/port.h"
#include "selftest/selftest.h"
#include "selftest/interop/interop.h"

/* ibv_rc_pingpong -d rxa -g 1 of rdma-core 44. */
static const char seen_line[] = "0000:000011:24c30d:00000000000000000000ffff0a090001";

static void address_as_seen(void **state)
{
	struct pingpong_address address = {.lid = 1};
	char line[PINGPONG_LINE_BYTES];
	struct ip_address ip;

	(void)state;
	assert_int_equal(sizeof(seen_line), PINGPONG_LINE_BYTES);
	assert_int_equal(pingpong_parse(seen_line, &address), 0);
	assert_int_equal(address.lid, 0);
	assert_int_equal(address.qpn, 0x11);
	assert_int_equal(address.psn, 0x24c30d);
	assert_int_equal(ip_parse("10.9.0.1", &ip), 0);
	assert_memory_equal(address.gid.raw, ip_to_gid(&ip).raw, sizeof(address.gid.raw));
	pingpong_format(&address, line);
	assert_memory_equal(line, seen_line, sizeof(line));
}

static void address_at_its_limits(void **state)
{
	static const char most[] = "ffff:ffffff:ffffff:ffffffffffffffffffffffffffffffff";
	struct pingpong_address address;
	char line[PINGPONG_LINE_BYTES];

	(void)state;
	memset(&address, 0xff, sizeof(address));
	pingpong_format(&address, line);
	assert_memory_equal(line, most, sizeof(line));
	assert_int_equal(
		pingpong_parse("FFFF:fffFFF:FFFfff:FFFFFFFFFFFFFFFFffffffffffffffff", &address), 0);
	assert_int_equal(address.lid, 0xffff);
	assert_int_equal(address.qpn, 0xffffff);
	assert_int_equal(address.psn, 0xffffff);
}

/* An invalid byte at any position makes the address line invalid. */
static void broken_addresses(void **state)
{
	static const char wrong[] = {'\0', ' ', '-', '+', 'x',	'g',
				     'G',  '/', '@', '`', '\n', '\xff'};
	struct pingpong_address address = {.lid = 7};
	char line[PINGPONG_LINE_BYTES];

	(void)state;
	for (size_t at = 0; at < sizeof(line); at++) {
		for (size_t i = 0; i < sizeof(wrong); i++) {
			memcpy(line, seen_line, sizeof(line));
			line[at] = wrong[i];
			if (at == sizeof(line) - 1 && !wrong[i])
				continue;
			assert_int_equal(pingpong_parse(line, &address), -EPROTO);
		}
		memcpy(line, seen_line, sizeof(line));
		line[at] = seen_line[at] == ':' ? '0' : ':';
		assert_int_equal(pingpong_parse(line, &address), -EPROTO);
	}
	/* Queue pairs 0 and 1 belong to management. */
	memcpy(line, seen_line, sizeof(line));
	memcpy(line + 5, "000001", 6);
	assert_int_equal(pingpong_parse(line, &address), -EPROTO);
	memcpy(line + 5, "000002", 6);
	assert_int_equal(address.lid, 7);
	assert_int_equal(pingpong_parse(line, &address), 0);
}

static void info(void **state)
{
	static const struct rping_info mine = {
		.address = 0x0123456789abcdef, .key = 0xfedcba98, .bytes = 64};
	static const uint8_t expected[RPING_INFO_BYTES] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab,
							   0xcd, 0xef, 0xfe, 0xdc, 0xba, 0x98,
							   0,	 0,    0,    64};
	uint8_t bytes[RPING_INFO_BYTES];
	struct rping_info back;

	(void)state;
	rping_info_encode(&mine, bytes);
	assert_memory_equal(bytes, expected, sizeof(bytes));
	rping_info_decode(bytes, &back);
	assert_true(back.address == mine.address);
	assert_int_equal(back.key, mine.key);
	assert_int_equal(back.bytes, mine.bytes);
}

/* The texts of rping's own client, as rping -s -v printed them. */
static void text_as_seen(void **state)
{
	static const struct {
		uint64_t number;
		const char *text;
	} seen[] = {
		{0, "rdma-ping-0: ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqr"},
		{1, "rdma-ping-1: BCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrs"},
		{56,
		 "rdma-ping-56: yzABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyzAB"},
		{58, "rdma-ping-58: ABCDEFGHIJ"},
		{116, "rdma-ping-116: ABCDEFGHIJ"},
		{0, "rdma-ping-0: ABCDEFGHI"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(seen); i++) {
		size_t bytes = strlen(seen[i].text) + 1;
		uint8_t text[128];

		memset(text, 0xee, sizeof(text));
		rping_text_fill(text, bytes, seen[i].number);
		assert_memory_equal(text, seen[i].text, bytes);
		assert_int_equal(text[bytes], 0xee);
		assert_true(rping_text_is_usual(text, bytes));
		text[0] ^= 1;
		assert_false(rping_text_is_usual(text, bytes));
	}
}

static void short_texts(void **state)
{
	uint8_t text[RPING_LEAST_BYTES + 1];

	(void)state;
	for (size_t bytes = 0; bytes <= RPING_LEAST_BYTES; bytes++) {
		memset(text, 0xee, sizeof(text));
		rping_text_fill(text, bytes, UINT64_MAX);
		assert_int_equal(text[bytes], 0xee);
		assert_int_equal(bytes ? text[bytes - 1] : 0, 0);
		assert_true(rping_text_is_usual(text, bytes) == (bytes == RPING_LEAST_BYTES));
	}
}

static void differences(void **state)
{
	uint8_t expected[40], got[40];
	struct pattern_mismatch mismatch = {.offset = 1};

	(void)state;
	rping_text_fill(expected, sizeof(expected), 3);
	memcpy(got, expected, sizeof(got));
	assert_true(pattern_compare(expected, got, sizeof(got), &mismatch));
	assert_true(pattern_compare(expected, NULL, 0, &mismatch));
	assert_int_equal(mismatch.offset, 1);
	got[39] = 5;
	got[7] = 6;
	assert_false(pattern_compare(expected, got, sizeof(got), &mismatch));
	assert_int_equal(mismatch.offset, 7);
	assert_int_equal(mismatch.expected, 'n');
	assert_int_equal(mismatch.got, 6);
	assert_int_equal(mismatch.count, 2);
	assert_true(pattern_compare(expected, got, 7, &mismatch));
}

static struct endpoint roce_endpoint(void)
{
	struct endpoint endpoint = {
		.device = "rxa",
		.transport = TRANSPORT_ROCE,
		.link_layer = LINK_LAYER_ETHERNET,
		.gid_type = GID_TYPE_ROCE_V2,
	};

	ip_parse("10.9.0.1", &endpoint.ip);
	endpoint.gid = ip_to_gid(&endpoint.ip);
	return endpoint;
}

static void expect_pingpong(const struct interop_options *options, const char *begin)
{
	char *command = pingpong_command(options);

	if (strncmp(command, begin, strlen(begin)) != 0)
		fail_msg("%s does not begin with %s", command, begin);
	free(command);
}

static void assert_advice(const struct interop_options *options, const char *end)
{
	char *command = pingpong_command(options);

	if (!strstr(command, end))
		fail_msg("%s has no %s", command, end);
	free(command);
}

static void pingpong_commands(void **state)
{
	struct endpoint local = roce_endpoint();
	struct ip_address ip;
	struct interop_options options = {
		.peer_serves = true,
		.local = &local,
		.port = PINGPONG_PORT,
		.bytes = 4096,
		.iterations = 1000,
		.mtu_bytes = 1024,
	};

	(void)state;
	expect_pingpong(&options, "ibv_rc_pingpong -d DEV -g INDEX -s 4096 -n 1000 -m 1024 "
				  "(rdmactl gids --to 10.9.0.1 there shows DEV and INDEX;");
	assert_advice(&options, "the index of an IPv4 GID of RoCE v2)");
	local.gid_type = GID_TYPE_ROCE_V1;
	assert_advice(&options, "the index of an IPv4 GID)");
	assert_int_equal(ip_parse("fd00::1", &ip), 0);
	local.gid = ip_to_gid(&ip);
	local.ip.family = 0;
	assert_advice(&options, "the index of an IPv6 GID)");
	local = roce_endpoint();
	options.peer_serves = false;
	options.address = &local.ip;
	options.port = 5;
	expect_pingpong(&options, "ibv_rc_pingpong -d DEV -g INDEX -p 5 -s 4096 -n 1000 -m 1024 "
				  "10.9.0.1 (");
	local.link_layer = LINK_LAYER_INFINIBAND;
	local.transport = TRANSPORT_INFINIBAND;
	options.address = NULL;
	expect_pingpong(&options, "ibv_rc_pingpong -d DEV -p 5 -s 4096 -n 1000 -m 1024 ADDRESS (");
}

static void rping_commands(void **state)
{
	struct endpoint local = roce_endpoint();
	struct interop_options options = {
		.peer_serves = true,
		.local = &local,
		.address = &local.ip,
		.port = RPING_PORT,
		.bytes = 64,
		.iterations = 100,
	};
	char *command = rping_command(&options);

	(void)state;
	assert_string_equal(command, "rping -s -a 10.9.0.1 -p 7174 -S 64 -C 100 -v");
	free(command);
	options.peer_serves = false;
	command = rping_command(&options);
	assert_string_equal(command, "rping -c -a 10.9.0.1 -p 7174 -S 64 -C 100 -v -V");
	free(command);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(address_as_seen),  cmocka_unit_test(address_at_its_limits),
		cmocka_unit_test(broken_addresses), cmocka_unit_test(info),
		cmocka_unit_test(text_as_seen),	    cmocka_unit_test(short_texts),
		cmocka_unit_test(differences),	    cmocka_unit_test(pingpong_commands),
		cmocka_unit_test(rping_commands),
	};

	return cmocka_run_group_tests_name("interop", tests, NULL, NULL);
}
