/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* GUIDs, GIDs and IP addresses: their text forms, and the properties of a GID. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <errno.h>

#include "base/gid.h"
#include "base/mem.h"

static void guid_text(void **state)
{
	char text[GUID_TEXT_SIZE];

	(void)state;
	guid_format(0x0011223344556677, text);
	assert_string_equal(text, "0011:2233:4455:6677");
	guid_format(0, text);
	assert_string_equal(text, "0000:0000:0000:0000");
	guid_format(UINT64_MAX, text);
	assert_string_equal(text, "ffff:ffff:ffff:ffff");
	guid_format(0x89abcdef00000001, text);
	assert_string_equal(text, "89ab:cdef:0000:0001");
}

static void guid_good_input(void **state)
{
	static const struct {
		const char *text;
		uint64_t guid;
	} samples[] = {
		{"0011:2233:4455:6677", 0x0011223344556677},
		{"0x0011223344556677", 0x0011223344556677},
		{"0X0011223344556677", 0x0011223344556677},
		{"0011223344556677", 0x0011223344556677},
		{"FFFF:eeee:DDDD:0000", 0xffffeeeedddd0000},
		{"0xFFFFeeeeDDDD0000", 0xffffeeeedddd0000},
		{"0000000000000000", 0},
		{"ffff:ffff:ffff:ffff", UINT64_MAX},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		uint64_t guid = 7;

		assert_int_equal(guid_parse(samples[i].text, &guid), 0);
		assert_true(guid == samples[i].guid);
	}
}

static void guid_bad_input(void **state)
{
	static const char *const samples[] = {
		"",
		"0",
		"0x",
		":",
		":::",
		"0011:2233:4455",
		"0011:2233:4455:",
		"0011:2233:4455:667",
		"0011:2233:4455:66778",
		"0011:2233:4455:6677:8899",
		"0011:2233:4455:66 7",
		"0011:2233::4455:6677",
		":0011:2233:4455:6677",
		"001:12233:4455:6677",
		"00:11:22:33:44:55:66:77",
		"0x0011:2233:4455:6677",
		"0x001122334455667",
		"0x00112233445566778",
		"001122334455667g",
		"-011223344556677",
		" 0011223344556677",
		"0011223344556677\n",
		"0x0x11223344556677",
		"0011.2233.4455.6677",
		"\xff\xff",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		uint64_t guid = 7;

		assert_int_equal(guid_parse(samples[i], &guid), -EINVAL);
		assert_true(guid == 7);
	}
}

/* Colons stand between groups of four digits, or there are none. */
static void guid_misplaced_colons(void **state)
{
	static const char *const samples[] = {
		"0011:2233:4455:6677:", "00112233:44556677", "0011:22334455:6677",
		"001122334455:6677",	"0011223344556677:",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		uint64_t guid = 7;

		assert_int_equal(guid_parse(samples[i], &guid), -EINVAL);
		assert_true(guid == 7);
	}
}

static void guid_round_trip(void **state)
{
	uint64_t guid = 0x9e3779b97f4a7c15;

	(void)state;
	for (int i = 0; i < 1000; i++, guid = guid * 6364136223846793005 + 1442695040888963407) {
		char text[GUID_TEXT_SIZE], expected[GUID_TEXT_SIZE];
		uint64_t parsed;

		guid_format(guid, text);
		snprintf(expected, sizeof(expected), "%04x:%04x:%04x:%04x",
			 (unsigned int)(guid >> 48), (unsigned int)(guid >> 32 & 0xffff),
			 (unsigned int)(guid >> 16 & 0xffff), (unsigned int)(guid & 0xffff));
		assert_string_equal(text, expected);
		assert_int_equal(guid_parse(text, &parsed), 0);
		assert_true(parsed == guid);
	}
}

static struct gid gid_of(const char *text)
{
	struct gid gid;

	assert_int_equal(gid_parse(text, &gid), 0);
	return gid;
}

static void check_gid(const char *text, const char *full)
{
	struct gid gid = gid_of(text);
	char formatted[GID_TEXT_SIZE];

	gid_format(&gid, formatted);
	assert_string_equal(formatted, full);
}

static void gid_text(void **state)
{
	(void)state;
	check_gid("::", "0000:0000:0000:0000:0000:0000:0000:0000");
	check_gid("fe80::1", "fe80:0000:0000:0000:0000:0000:0000:0001");
	check_gid("::ffff:10.9.0.1", "0000:0000:0000:0000:0000:ffff:0a09:0001");
	check_gid("fe80:0000:0000:0000:ec0d:9a03:0078:1a2c",
		  "fe80:0000:0000:0000:ec0d:9a03:0078:1a2c");
	check_gid("FE80::AbCd", "fe80:0000:0000:0000:0000:0000:0000:abcd");
}

static void gid_bad_input(void **state)
{
	static const char *const samples[] = {
		"",
		":",
		"fe80",
		"fe80::1::2",
		"10.9.0.1",
		"fe80::1%eth0",
		"fe80::12345",
		"1:2:3:4:5:6:7",
		"1:2:3:4:5:6:7:8:9",
		" ::1",
		"::1\n",
		"gggg::",
	};
	struct gid gid = {{7}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		assert_int_equal(gid_parse(samples[i], &gid), -EINVAL);
		assert_int_equal(gid.raw[0], 7);
	}
}

static void gid_kinds(void **state)
{
	static const struct {
		const char *text;
		bool zero, mapped, link_local;
	} samples[] = {
		{"::", true, false, false},
		{"::1", false, false, false},
		{"::ffff:0.0.0.0", false, true, false},
		{"::ffff:10.0.0.1", false, true, false},
		{"::fffe:10.0.0.1", false, false, false},
		{"::1:ffff:10.0.0.1", false, false, false},
		{"::10.0.0.1", false, false, false},
		{"fe80::1", false, false, true},
		{"febf:ffff::1", false, false, true},
		{"fec0::1", false, false, false},
		{"fe7f::1", false, false, false},
		{"ff80::1", false, false, false},
		{"8000::", false, false, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct gid gid = gid_of(samples[i].text);

		assert_int_equal(gid_is_zero(&gid), samples[i].zero);
		assert_int_equal(gid_is_ipv4_mapped(&gid), samples[i].mapped);
		assert_int_equal(gid_is_link_local(&gid), samples[i].link_local);
	}
}

static void gid_halves(void **state)
{
	struct gid gid = gid_of("fe80:0102:0304:0506:ec0d:9a03:0078:1a2c");

	(void)state;
	assert_true(gid_subnet_prefix(&gid) == 0xfe80010203040506);
	assert_true(gid_interface_id(&gid) == 0xec0d9a0300781a2c);
}

static void gid_and_ip(void **state)
{
	static const struct {
		const char *gid;
		uint8_t family;
		const char *ip;
	} samples[] = {
		{"::ffff:10.9.0.1", AF_INET, "10.9.0.1"},
		{"::ffff:255.255.255.255", AF_INET, "255.255.255.255"},
		{"fe80::1", AF_INET6, "fe80::1"},
		{"2001:db8::5054:ff:fe12:3456", AF_INET6, "2001:db8::5054:ff:fe12:3456"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct gid gid = gid_of(samples[i].gid), back;
		struct ip_address address = gid_to_ip(&gid), parsed;
		char text[IP_TEXT_SIZE];

		assert_int_equal(address.family, samples[i].family);
		ip_format(&address, text);
		assert_string_equal(text, samples[i].ip);
		back = ip_to_gid(&address);
		assert_memory_equal(&back, &gid, sizeof(gid));
		assert_int_equal(ip_parse(samples[i].ip, &parsed), 0);
		assert_true(ip_equal(&parsed, &address));
	}
}

static void ip_input(void **state)
{
	static const char *const bad[] = {
		"",
		"10.0.0",
		"10.0.0.256",
		"10.0.0.1.2",
		"10.0.0.1%eth0",
		"host",
		"fe80::1::",
		"%eth0",
		" 10.0.0.1",
		"10.0.0.1 ",
		"010.0.0.1x",
		"1",
		"0000:0000:0000:0000:0000:0000:0000:0000:0000:0",
		"0000:0000:0000:0000:0000:0000:0000:0000:0000:0000",
	};
	struct ip_address address = {.family = 99}, zoned, plain;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(ip_parse(bad[i], &address), -EINVAL);
		assert_int_equal(address.family, 99);
	}
	/* The same address, written in another way. */
	assert_int_equal(ip_parse("::ffff:10.9.0.1", &zoned), 0);
	assert_int_equal(ip_parse("10.9.0.1", &plain), 0);
	assert_true(ip_equal(&zoned, &plain));
	assert_int_equal(ip_parse("fe80::1%eth0", &zoned), 0);
	assert_int_equal(ip_parse("fe80::1", &plain), 0);
	assert_true(ip_equal(&zoned, &plain));
}

static void ip_no_address(void **state)
{
	static const struct ip_address none;
	char text[IP_TEXT_SIZE] = "x";

	(void)state;
	ip_format(&none, text);
	assert_string_equal(text, "");
}

/* Only the bytes that the family uses are compared. */
static void ip_equality(void **state)
{
	struct ip_address a = {AF_INET, {10, 0, 0, 1, 9, 9}}, b = {AF_INET, {10, 0, 0, 1, 1, 1}};
	struct ip_address c = {AF_INET, {10, 0, 0, 2}}, d = {AF_INET6, {10, 0, 0, 1, 9, 9}};
	struct ip_address e = {AF_INET6, {10, 0, 0, 1, 9, 9, [15] = 1}};

	(void)state;
	assert_true(ip_equal(&a, &b));
	assert_false(ip_equal(&a, &c));
	assert_false(ip_equal(&a, &d));
	assert_false(ip_equal(&d, &e));
	assert_true(ip_equal(&e, &e));
}

static void ip_loopback(void **state)
{
	static const struct {
		const char *text;
		bool loopback;
	} samples[] = {
		{"127.0.0.1", true},  {"127.255.0.9", true}, {"::1", true},
		{"126.0.0.1", false}, {"0.0.0.1", false},    {"::", false},
		{"::2", false},	      {"fe80::1", false},    {"7f00::", false},
	};
	static const struct ip_address none;

	(void)state;
	assert_false(ip_is_loopback(&none));
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct ip_address address;

		assert_int_equal(ip_parse(samples[i].text, &address), 0);
		assert_int_equal(ip_is_loopback(&address), samples[i].loopback);
	}
}

static bool contains(const char *text, const char *ip)
{
	struct ip_network network;
	struct ip_address address;

	assert_int_equal(ip_network_parse(text, &network), 0);
	assert_int_equal(ip_parse(ip, &address), 0);
	return ip_network_contains(&network, &address);
}

static void ip_networks(void **state)
{
	static const char *const bad[] = {"",
					  "/8",
					  "10.0.0.0/",
					  "10.0.0.0/33",
					  "10.0.0.0/-1",
					  "fd00::/129",
					  "10.0.0.0/8/8",
					  "here",
					  "fe80::1%lo",
					  "10/8",
					  "::ffff:10.0.0.0/104"};
	struct ip_network network;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(ip_network_parse(bad[i], &network), -EINVAL);
	assert_true(contains("10.1.2.3/8", "10.255.0.1"));
	assert_false(contains("10.0.0.0/8", "11.0.0.1"));
	assert_true(contains("192.0.2.128/25", "192.0.2.255"));
	assert_false(contains("192.0.2.128/25", "192.0.2.127"));
	assert_true(contains("192.0.2.1", "::ffff:192.0.2.1"));
	assert_false(contains("192.0.2.1", "192.0.2.2"));
	assert_true(contains("0.0.0.0/0", "203.0.113.1"));
	assert_false(contains("0.0.0.0/0", "::1"));
	assert_true(contains("2001:db8::/33", "2001:db8:7fff::1"));
	assert_false(contains("2001:db8::/33", "2001:db8:8000::1"));
	assert_true(contains("::1", "::1"));
	assert_true(contains("::/0", "fe80::1"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(guid_text),	   cmocka_unit_test(guid_good_input),
		cmocka_unit_test(guid_bad_input),  cmocka_unit_test(guid_misplaced_colons),
		cmocka_unit_test(guid_round_trip), cmocka_unit_test(gid_text),
		cmocka_unit_test(gid_bad_input),   cmocka_unit_test(gid_kinds),
		cmocka_unit_test(gid_halves),	   cmocka_unit_test(gid_and_ip),
		cmocka_unit_test(ip_input),	   cmocka_unit_test(ip_no_address),
		cmocka_unit_test(ip_equality),	   cmocka_unit_test(ip_loopback),
		cmocka_unit_test(ip_networks),
	};

	return cmocka_run_group_tests_name("gid", tests, NULL, NULL);
}
