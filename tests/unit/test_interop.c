/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The messages of the pingpongs, rping and perftest, byte for byte as recorded on the wire. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "base/mem.h"
#include "host/device.h"
#include "host/port.h"
#include "selftest/selftest.h"
#include "selftest/interop/perftest.h"

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

/* ibv_srq_pingpong -q 2 of rdma-core 44: its two lines, and 254 of zeros. */
static void address_lists(void **state)
{
	static const char zeros[] = "0000:000000:000000:00000000000000000000000000000000";
	char lines[PINGPONG_LINES * PINGPONG_LINE_BYTES], back[sizeof(lines)];
	struct pingpong_address found[3];
	size_t count = 0;

	(void)state;
	for (size_t i = 0; i < PINGPONG_LINES; i++)
		memcpy(lines + i * PINGPONG_LINE_BYTES, i < 2 ? seen_line : zeros,
		       PINGPONG_LINE_BYTES);
	assert_int_equal(pingpong_parse_list(lines, 3, found, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(found[1].qpn, 0x11);
	pingpong_format_list(found, count, back);
	assert_memory_equal(back, lines, sizeof(lines));
	assert_int_equal(pingpong_parse_list(lines, 1, found, &count), -E2BIG);
	/* All lines up to the limit are in use. */
	for (size_t i = 0; i < PINGPONG_LINES; i++)
		memcpy(back + i * PINGPONG_LINE_BYTES, seen_line, PINGPONG_LINE_BYTES);
	assert_int_equal(pingpong_parse_list(back, 3, found, &count), -E2BIG);
	assert_int_equal(count, 2);
}

static void broken_address_lists(void **state)
{
	static const char zeros[] = "0000:000000:000000:00000000000000000000000000000000";
	char lines[PINGPONG_LINES * PINGPONG_LINE_BYTES];
	struct pingpong_address found[4];
	size_t count = 7;

	(void)state;
	for (size_t i = 0; i < PINGPONG_LINES; i++)
		memcpy(lines + i * PINGPONG_LINE_BYTES, zeros, PINGPONG_LINE_BYTES);
	assert_int_equal(pingpong_parse_list(lines, 4, found, &count), -EPROTO);
	/* An address line after a line of zeros. */
	memcpy(lines + 5 * PINGPONG_LINE_BYTES, seen_line, PINGPONG_LINE_BYTES);
	assert_int_equal(pingpong_parse_list(lines, 4, found, &count), -EPROTO);
	/* An address line of another port. */
	memcpy(lines, seen_line, PINGPONG_LINE_BYTES);
	memcpy(lines + PINGPONG_LINE_BYTES, seen_line, PINGPONG_LINE_BYTES);
	memcpy(lines + 5 * PINGPONG_LINE_BYTES, zeros, PINGPONG_LINE_BYTES);
	lines[PINGPONG_LINE_BYTES + 50] = '9';
	assert_int_equal(pingpong_parse_list(lines, 4, found, &count), -EPROTO);
	lines[PINGPONG_LINE_BYTES + 50] = '1';
	assert_int_equal(pingpong_parse_list(lines, 4, found, &count), 0);
	assert_int_equal(count, 2);
	/* An invalid byte at the very end. */
	lines[sizeof(lines) - 1] = 'x';
	assert_int_equal(pingpong_parse_list(lines, 4, found, &count), -EPROTO);
}

/* ib_write_bw -d rxa -x 1 of perftest 4.5-0.17. */
static const char seen_keys[] = "0000:0001:000011:e9b3a5:00001c51:00007f2b4f5a8000:00:00:00:00:00:"
				"00:00:00:00:00:ff:ff:0a:09:00:01:00000000:";

static void keys_as_seen(void **state)
{
	static const char without[] = "0003:0010:000011:e9b3a5:00001c51:00007f2b4f5a8000:00000000";
	struct perftest_keys keys;
	char line[PERFTEST_GID_BYTES];
	struct ip_address ip;

	(void)state;
	assert_int_equal(sizeof(seen_keys), PERFTEST_GID_BYTES);
	assert_int_equal(sizeof(without), PERFTEST_LINE_BYTES);
	assert_int_equal(perftest_parse_keys(seen_keys, true, &keys), 0);
	assert_int_equal(keys.lid, 0);
	assert_int_equal(keys.reads, 1);
	assert_int_equal(keys.qpn, 0x11);
	assert_int_equal(keys.psn, 0xe9b3a5);
	assert_int_equal(keys.rkey, 0x1c51);
	assert_true(keys.address == 0x7f2b4f5a8000);
	assert_int_equal(ip_parse("10.9.0.1", &ip), 0);
	assert_memory_equal(keys.gid.raw, ip_to_gid(&ip).raw, sizeof(keys.gid.raw));
	perftest_format_keys(&keys, true, line);
	assert_memory_equal(line, seen_keys, sizeof(line));
	assert_int_equal(perftest_parse_keys(without, false, &keys), 0);
	assert_int_equal(keys.lid, 3);
	assert_int_equal(keys.reads, 16);
	perftest_format_keys(&keys, false, line);
	assert_memory_equal(line, without, sizeof(without));
}

/* An invalid byte at any position makes the line invalid, without reads past its end. */
static void broken_keys(void **state)
{
	static const char wrong[] = {'\0', ' ', '-', '+', 'x', 'g', 'G', '/', '@', '\n', '\xff'};
	struct perftest_keys keys = {.qpn = 7};

	(void)state;
	for (size_t at = 0; at < sizeof(seen_keys); at++) {
		for (size_t i = 0; i < sizeof(wrong); i++) {
			/* On the heap, so that an out-of-bounds read is noticed. */
			char *line = mem_alloc_zero(1, sizeof(seen_keys));

			memcpy(line, seen_keys, sizeof(seen_keys));
			line[at] = wrong[i];
			if (at != sizeof(seen_keys) - 1 || wrong[i])
				assert_int_equal(perftest_parse_keys(line, true, &keys), -EPROTO);
			line[at] = seen_keys[at] == ':' ? '0' : ':';
			assert_int_equal(perftest_parse_keys(line, true, &keys), -EPROTO);
			free(line);
		}
	}
	assert_int_equal(perftest_parse_keys("0000:0001:000001:e9b3a5:00001c51:00007f2b4f5a8000:"
					     "00000000",
					     false, &keys),
			 -EPROTO);
	assert_int_equal(keys.qpn, 7);
}

static void versions(void **state)
{
	static const struct {
		const char bytes[PERFTEST_VERSION_BYTES];
		int rc;
		double version;
	} seen[] = {
		{"6.06", 0, 6.06},
		{"6.24", 0, 6.24},
		{"5.7", 0, 5.7},
		{"5.33", 0, 5.33},
		{"", -EPROTO, 0},
		{"6", -EPROTO, 0},
		{"6.", -EPROTO, 0},
		{".6", -EPROTO, 0},
		{"6.06.1", -EPROTO, 0},
		{"-6.06", -EPROTO, 0},
		{"6.06\n", -EPROTO, 0},
		{"nan", -EPROTO, 0},
		{"12345.6", -EPROTO, 0},
		{"6.12345", -EPROTO, 0},
		{{'9', '9', '9', '9', '.', '9', '9', '9', '9', '9', '9', '9', '9', '9', '9', '9'},
		 -EPROTO,
		 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(seen); i++) {
		double version = 0;

		assert_int_equal(perftest_parse_version(seen[i].bytes, &version), seen[i].rc);
		assert_true(version > seen[i].version - 1e-9 && version < seen[i].version + 1e-9);
	}
}

static void mtus(void **state)
{
	uint32_t bytes = 7;

	(void)state;
	assert_int_equal(perftest_parse_mtu("3", &bytes), 0);
	assert_int_equal(bytes, 1024);
	assert_int_equal(perftest_parse_mtu("5", &bytes), 0);
	assert_int_equal(bytes, 4096);
	assert_int_equal(perftest_parse_mtu("0", &bytes), -EPROTO);
	assert_int_equal(perftest_parse_mtu("6", &bytes), -EPROTO);
	assert_int_equal(perftest_parse_mtu("33", &bytes), -EPROTO);
	assert_int_equal(bytes, 4096);
}

static void reports(void **state)
{
	const double bad[] = {-1, 1e30, (double)INFINITY, -(double)INFINITY, (double)NAN};
	uint64_t items[PERFTEST_REPORT_ITEMS], bytes = 0, iterations = 0, bits;
	double rate = 0;

	(void)state;
	perftest_format_report(65536, 5000, 0.016, items);
	assert_true(be64toh(items[0]) == 65536);
	assert_true(be64toh(items[1]) == 5000);
	/* 0.016 million messages of 64 KiB a second are 1000 MiB a second. */
	bits = be64toh(items[3]);
	memcpy(&rate, &bits, sizeof(rate));
	assert_true(rate > 999.9999 && rate < 1000.0001);
	assert_int_equal(perftest_parse_report(items, &bytes, &iterations, &rate), 0);
	assert_true(bytes == 65536 && iterations == 5000);
	assert_true(rate > 0.0159 && rate < 0.0161);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		memcpy(&bits, &bad[i], sizeof(bits));
		items[4] = htobe64(bits);
		assert_int_equal(perftest_parse_report(items, &bytes, &iterations, &rate), -EPROTO);
	}
	perftest_format_report(0, 5000, 0.016, items);
	assert_int_equal(perftest_parse_report(items, &bytes, &iterations, &rate), -EPROTO);
	perftest_format_report(2, UINT64_MAX, 0.016, items);
	assert_int_equal(perftest_parse_report(items, &bytes, &iterations, &rate), -EPROTO);
	assert_true(bytes == 65536 && iterations == 5000);
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

static void expect_begin(char *command, const char *begin)
{
	if (strncmp(command, begin, strlen(begin)) != 0)
		fail_msg("%s does not begin with %s", command, begin);
	free(command);
}

static void expect_pingpong(const struct interop *session, const char *begin)
{
	expect_begin(pingpong_command(session), begin);
}

static void expect_perftest(const struct interop *session, const char *begin)
{
	expect_begin(perftest_command(session), begin);
}

static void assert_advice(const struct interop *session, const char *end)
{
	char *command = pingpong_command(session);

	if (!strstr(command, end))
		fail_msg("%s has no %s", command, end);
	free(command);
}

static void pingpong_commands(void **state)
{
	struct endpoint local = roce_endpoint();
	struct ip_address ip;
	const struct interop_role role = {.program = "ibv_rc_pingpong"};
	const struct selftest_request request = {.peer = NULL};
	struct interop session = {
		.role = &role,
		.request = &request,
		.local = &local,
		.port = PINGPONG_PORT,
		.bytes = 4096,
		.iterations = 1000,
		.mtu_bytes = 1024,
	};

	(void)state;
	expect_pingpong(&session, "ibv_rc_pingpong -d DEV -g INDEX -s 4096 -n 1000 -m 1024 "
				  "(rdmactl gids --to 10.9.0.1 there shows DEV and INDEX; "
				  "add -i PORT unless that is 1; without rdmactl: ");
	assert_advice(&session, "the index of an IPv4 GID of RoCE v2)");
	local.gid_type = GID_TYPE_ROCE_V1;
	assert_advice(&session, "the index of an IPv4 GID)");
	assert_int_equal(ip_parse("fd00::1", &ip), 0);
	local.gid = ip_to_gid(&ip);
	local.ip.family = 0;
	assert_advice(&session, "the index of an IPv6 GID)");
	local = roce_endpoint();
	session.server = true;
	session.port = 5;
	expect_pingpong(&session, "ibv_rc_pingpong -d DEV -g INDEX -p 5 -s 4096 -n 1000 -m 1024 "
				  "10.9.0.1 (");
	local.link_layer = LINK_LAYER_INFINIBAND;
	local.transport = TRANSPORT_INFINIBAND;
	local.ip.family = 0;
	expect_pingpong(&session, "ibv_rc_pingpong -d DEV -p 5 -s 4096 -n 1000 -m 1024 ADDRESS (");
}

/* A program needs the netdev of a link-local address, and perftest an option for IPv6. */
static void ipv6_commands(void **state)
{
	struct endpoint local = roce_endpoint();
	struct interop_role role = {.program = "ib_read_lat"};
	struct selftest_request request = {.peer = NULL};
	struct interop session = {
		.role = &role,
		.request = &request,
		.local = &local,
		.server = true,
		.port = PINGPONG_PORT,
		.bytes = 2,
		.iterations = 10,
		.mtu_bytes = 1024,
	};
	static const struct {
		const char *bound, *address, *options;
	} rows[] = {
		{"10.9.0.2", "10.9.0.2", ""},
		{"fd00::2", "fd00::2", " --ipv6-addr"},
		{"fe80::2", "fe80::2%NETDEV", " --ipv6-addr"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *wanted;

		assert_int_equal(ip_parse(rows[i].bound, &request.bind), 0);
		wanted = mem_format("ibv_rc_pingpong -d DEV -g INDEX -s 2 -n 10 -m 1024 %s (",
				    rows[i].address);
		role.program = "ibv_rc_pingpong";
		expect_pingpong(&session, wanted);
		free(wanted);
		wanted = mem_format("ib_read_lat -d DEV -x INDEX -s 2 -n 10 -m 1024%s %s (",
				    rows[i].options, rows[i].address);
		role.program = "ib_read_lat";
		expect_perftest(&session, wanted);
		free(wanted);
	}
	local.ip = request.bind;
	assert_advice(&session, "rdmactl gids --to fe80::2%NETDEV there");
	/* The server there must listen on such an address, too. */
	session.server = false;
	request.peer_ip = local.ip;
	expect_perftest(&session, "ib_read_lat -d DEV -x INDEX -s 2 -n 10 -m 1024 --ipv6-addr (");
}

static void other_commands(void **state)
{
	struct endpoint local = roce_endpoint();
	struct interop_role role = {.program = "ibv_srq_pingpong", .srq = true};
	struct selftest_request request = {.peer = NULL};
	struct interop_group *group = &request.group;
	struct interop session = {
		.role = &role,
		.request = &request,
		.local = &local,
		.port = PINGPONG_PORT,
		.bytes = 100,
		.iterations = 10,
		.qps = 16,
	};
	char *command;

	(void)state;
	expect_pingpong(&session, "ibv_srq_pingpong -d DEV -g INDEX -q 16 -s 100 -n 10 (");
	role = (struct interop_role){.program = "ib_read_lat"};
	session.mtu_bytes = 1024;
	expect_perftest(&session, "ib_read_lat -d DEV -x INDEX -s 100 -n 10 -m 1024 (");
	session.server = true;
	session.port = 4711;
	local.link_layer = LINK_LAYER_INFINIBAND;
	command = perftest_command(&session);
	assert_string_equal(command, "ib_read_lat -d DEV -p 4711 -s 100 -n 10 -m 1024 10.9.0.1 "
				     "(ibv_devices there shows DEV; add -i PORT unless that is 1)");
	free(command);
	command = ucmatose_command(&session);
	assert_string_equal(command, "ucmatose -s 10.9.0.1 -p 4711 -C 10 -S 100");
	free(command);
	assert_int_equal(ip_parse("239.1.2.3", &group->ip), 0);
	command = mckey_command(&session);
	assert_string_equal(command, "mckey -m 239.1.2.3 -b ADDRESS -s -C 10 -S 100");
	free(command);
	session.server = false;
	request.peer_ip = local.ip;
	command = ucmatose_command(&session);
	assert_string_equal(command, "ucmatose -b 10.9.0.1 -p 4711 -C 10 -S 100");
	free(command);
	group->ip.family = 0;
	group->gid.raw[0] = 0xff;
	group->gid.raw[15] = 0x12;
	command = mckey_command(&session);
	assert_string_equal(command, "mckey -M ff00::12 -b ADDRESS -C 10 -S 100");
	free(command);
}

static void rping_commands(void **state)
{
	struct endpoint local = roce_endpoint();
	const struct selftest_request request = {.peer_ip = local.ip};
	struct interop session = {
		.request = &request,
		.local = &local,
		.port = RPING_PORT,
		.bytes = 64,
		.iterations = 100,
	};
	char *command = rping_command(&session);

	(void)state;
	assert_string_equal(command, "rping -s -a 10.9.0.1 -p 7174 -S 64 -C 100 -v");
	free(command);
	session.server = true;
	command = rping_command(&session);
	assert_string_equal(command, "rping -c -a 10.9.0.1 -p 7174 -S 64 -C 100 -v -V");
	free(command);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(address_as_seen),
		cmocka_unit_test(address_at_its_limits),
		cmocka_unit_test(broken_addresses),
		cmocka_unit_test(info),
		cmocka_unit_test(text_as_seen),
		cmocka_unit_test(short_texts),
		cmocka_unit_test(differences),
		cmocka_unit_test(pingpong_commands),
		cmocka_unit_test(rping_commands),
		cmocka_unit_test(address_lists),
		cmocka_unit_test(broken_address_lists),
		cmocka_unit_test(keys_as_seen),
		cmocka_unit_test(broken_keys),
		cmocka_unit_test(versions),
		cmocka_unit_test(mtus),
		cmocka_unit_test(reports),
		cmocka_unit_test(ipv6_commands),
		cmocka_unit_test(other_commands),
	};

	return cmocka_run_group_tests_name("interop", tests, NULL, NULL);
}
