/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fields that are bits of bytes: shown, parsed, and rejected without changing the record. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>

#include "base/mem.h"
#include "schema/packed.h"

struct packet {
	int before; /* so that the bytes are not at the beginning */
	unsigned char bytes[64];
};

static const struct enum_name states[] = {{1, "down", TONE_BAD}, {4, "active"}, {0, NULL}};
static const struct enum_name caps[] = {{1, "sm"}, {2, "trap"}, {8, "notice"}, {0, NULL}};
static const struct enum_name mtus[] = {{1, "256"}, {5, "4096", TONE_GOOD}, {0, NULL}};
static const struct enum_name rates[] = {{2, "2.5"}, {3, "10"}, {0, NULL}};

static bool is_marked(const void *record)
{
	return ((const struct packet *)record)->before;
}

#define ROW(kind_, bit_, width_, key_) \
	PACKED_ROW(struct packet, bytes, kind_, bit_, width_, key_, "", 0, "")

static const struct field number = {ROW(FIELD_UNSIGNED, 4, 12, "number")};
static const struct field wide = {ROW(FIELD_UNSIGNED, 8, 64, "wide")};
static const struct field scaled = {ROW(FIELD_UNSIGNED, 0, 8, "scaled"), .factor = 4};
static const struct field hex = {ROW(FIELD_HEX, 8, 16, "hex"), .digits = 4};
static const struct field state_field = {ROW(FIELD_ENUM, 4, 4, "state"), .names = states};
static const struct field flags = {ROW(FIELD_FLAGS, 8, 8, "flags"), .names = caps};
static const struct field mtu = {ROW(FIELD_UNSIGNED, 2, 6, "mtu"), .names = mtus};
static const struct field rate = {ROW(FIELD_REAL, 2, 6, "rate"), .names = rates};
static const struct field boolean = {ROW(FIELD_BOOL, 7, 1, "boolean")};
static const struct field guid = {ROW(FIELD_GUID, 32, 64, "guid")};
static const struct field gid = {ROW(FIELD_GID, 64, 128, "gid")};
static const struct field ip = {ROW(FIELD_IP, 64, 128, "ip")};
static const struct field text = {ROW(FIELD_STRING, 16, 64, "text")};
static const struct field whole_text = {ROW(FIELD_STRING, 0, 512, "whole_text")};
static const struct field optional = {ROW(FIELD_UNSIGNED, 0, 8, "optional"), .present = is_marked};

static void get(const struct field *field, const struct packet *packet, struct value *value)
{
	memset(value, 0xa5, sizeof(*value));
	field_get(field, packet, value);
}

static void check_string(const struct field *field, const struct packet *packet, const char *shown)
{
	struct value value;

	get(field, packet, &value);
	assert_int_equal(value.kind, VALUE_STRING);
	assert_string_equal(value.string, shown);
}

static void check_number(const struct field *field, const struct packet *packet, uint64_t shown)
{
	struct value value;

	get(field, packet, &value);
	assert_int_equal(value.kind, VALUE_UNSIGNED);
	assert_true(value.number == shown);
}

static void check_nothing(const struct field *field, const struct packet *packet)
{
	struct value value;

	get(field, packet, &value);
	assert_int_equal(value.kind, VALUE_NONE);
}

/* Parses into a packet full of ones and returns the field's bits. */
static uint64_t parse(const struct field *field, const char *words)
{
	struct packet packet;

	memset(&packet, 0xff, sizeof(packet));
	assert_int_equal(packed_parse(field, &packet, words), 0);
	return packed_number(field, &packet);
}

static void check_refused(const struct field *field, const char *words, int error)
{
	struct packet packet, before;

	memset(&packet, 0x5a, sizeof(packet));
	before = packet;
	assert_int_equal(packed_parse(field, &packet, words), error);
	assert_memory_equal(&packet, &before, sizeof(packet));
}

static void numbers_shown(void **state)
{
	struct packet packet = {.bytes = {0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 0xff}};

	(void)state;
	check_number(&number, &packet, 0x234);
	check_number(&wide, &packet, 0x3456789abcdef0ff);
	check_number(&scaled, &packet, 0x12 * 4);
	check_string(&hex, &packet, "0x3456");
	check_string(&guid, &packet, "9abc:def0:ff00:0000");
	assert_int_equal(packed_number(&number, &packet), 0x234);
	packet.bytes[1] = 0;
	packet.bytes[2] = 7;
	check_string(&hex, &packet, "0x0007");
}

static void names_shown(void **state)
{
	struct packet packet = {.bytes = {0x34, 0x0a}};
	struct value value;

	(void)state;
	check_string(&state_field, &packet, "active");
	packet.bytes[0] = 0x31;
	get(&state_field, &packet, &value);
	assert_int_equal(value.tone, TONE_BAD);
	packet.bytes[0] = 0x36;
	check_string(&state_field, &packet, "unknown-6");

	get(&flags, &packet, &value);
	assert_int_equal(value.kind, VALUE_LIST);
	assert_int_equal(value.list.count, 2);
	assert_string_equal(value.list.items[0], "trap");
	assert_string_equal(value.list.items[1], "notice");
	packet.bytes[1] = 0xf1;
	get(&flags, &packet, &value);
	assert_int_equal(value.list.count, 2);
	assert_string_equal(value.list.items[1], "0xf0");
	packet.bytes[1] = 0;
	get(&flags, &packet, &value);
	assert_int_equal(value.kind, VALUE_LIST);
	assert_int_equal(value.list.count, 0);
}

static void codes_shown(void **state)
{
	struct packet packet = {.bytes = {0xc5}};
	struct value value;

	(void)state;
	check_number(&mtu, &packet, 4096);
	get(&mtu, &packet, &value);
	assert_int_equal(value.tone, TONE_GOOD);
	check_nothing(&rate, &packet);
	packet.bytes[0] = 0xc2;
	check_nothing(&mtu, &packet);
	get(&rate, &packet, &value);
	assert_int_equal(value.kind, VALUE_REAL);
	assert_true(value.real == 2.5);
}

static void others_shown(void **state)
{
	struct packet packet = {.bytes = {1, 0, 0, 0, 0, 0, 0, 0, 0xfe, 0x80}};
	struct value value;

	(void)state;
	get(&boolean, &packet, &value);
	assert_int_equal(value.kind, VALUE_BOOL);
	assert_true(value.boolean);
	packet.bytes[0] = 0xfe;
	get(&boolean, &packet, &value);
	assert_int_equal(value.kind, VALUE_BOOL);
	assert_false(value.boolean);

	packet.bytes[23] = 0x17;
	check_string(&gid, &packet, "fe80:0000:0000:0000:0000:0000:0000:0017");
	check_string(&ip, &packet, "fe80::17");

	check_nothing(&optional, &packet);
	packet.before = 1;
	check_number(&optional, &packet, 0xfe);
}

static void text_shown(void **state)
{
	struct packet packet = {.bytes = "..mlx5\0x"};
	struct value value;
	size_t length;

	(void)state;
	check_string(&text, &packet, "mlx5");
	/* There is no NUL, and neighbouring bytes must not be included. */
	memcpy(packet.bytes, "..12345678..", 12);
	check_string(&text, &packet, "12345678");
	memcpy(packet.bytes, "..ab\x1b[31m\xff..", 12);
	check_string(&text, &packet, "ab\\x1b[31m\\xff");
	packet.bytes[2] = '\0';
	check_string(&text, &packet, "");
	/* The longest text: each of 64 bytes takes four characters. */
	memset(packet.bytes, 0x80, sizeof(packet.bytes));
	get(&whole_text, &packet, &value);
	length = strlen(value.string);
	assert_int_equal(length, 256);
	for (size_t i = 0; i < length; i += 4)
		assert_memory_equal(value.string + i, "\\x80", 4);
}

static void numbers_parsed(void **state)
{
	struct packet packet = {.before = 7};

	(void)state;
	assert_int_equal(parse(&number, "0"), 0);
	assert_int_equal(parse(&number, "4095"), 4095);
	assert_int_equal(parse(&number, "0xabc"), 0xabc);
	assert_true(parse(&wide, "18446744073709551615") == UINT64_MAX);
	assert_true(parse(&wide, "0xffffffffffffffff") == UINT64_MAX);
	assert_int_equal(parse(&scaled, "1020"), 255);
	assert_int_equal(parse(&scaled, "0"), 0);
	assert_int_equal(parse(&hex, "0xffff"), 0xffff);
	assert_int_equal(parse(&hex, "17"), 17);
	assert_true(parse(&guid, "0002:c903:0000:0010") == 0x0002c90300000010);
	assert_true(parse(&guid, "0x0002c90300000010") == 0x0002c90300000010);

	/* Only the bits of the field change. */
	packet.bytes[0] = 0xf0;
	packet.bytes[2] = 0xaa;
	assert_int_equal(packed_parse(&number, &packet, "0xfff"), 0);
	assert_int_equal(packet.bytes[0], 0xff);
	assert_int_equal(packet.bytes[1], 0xff);
	assert_int_equal(packet.bytes[2], 0xaa);
	assert_int_equal(packet.before, 7);
}

static void numbers_refused(void **state)
{
	static const char *const bad[] = {"", " 1", "1 ", "-1", "+1", "1.5", "0x", "x", "1,2"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		check_refused(&number, bad[i], -EINVAL);
		check_refused(&hex, bad[i], -EINVAL);
	}
	check_refused(&number, "4096", -ERANGE);
	check_refused(&hex, "0x10000", -ERANGE);
	check_refused(&wide, "18446744073709551616", -ERANGE);
	check_refused(&scaled, "1021", -EINVAL); /* not a multiple */
	check_refused(&scaled, "1024", -ERANGE);
	check_refused(&guid, "0002:c903", -EINVAL);
	check_refused(&guid, "", -EINVAL);
}

static void names_parsed(void **state)
{
	(void)state;
	assert_int_equal(parse(&state_field, "active"), 4);
	assert_int_equal(parse(&state_field, "1"), 1);
	assert_int_equal(parse(&state_field, "0xf"), 15);
	check_refused(&state_field, "activ", -EINVAL);
	check_refused(&state_field, "16", -ERANGE);

	assert_int_equal(parse(&flags, "sm"), 1);
	assert_int_equal(parse(&flags, "notice,sm"), 9);
	assert_int_equal(parse(&flags, "sm,sm"), 1);
	assert_int_equal(parse(&flags, "sm,0xf0"), 0xf1);
	assert_int_equal(parse(&flags, "0"), 0);
	check_refused(&flags, "sm,", -EINVAL);
	check_refused(&flags, "sm trap", -EINVAL);
	check_refused(&flags, "SM", -EINVAL);
	check_refused(&flags, "sm,0x100", -ERANGE);

	assert_int_equal(parse(&boolean, "yes"), 1);
	assert_int_equal(parse(&boolean, "true"), 1);
	assert_int_equal(parse(&boolean, "1"), 1);
	assert_int_equal(parse(&boolean, "no"), 0);
	assert_int_equal(parse(&boolean, "false"), 0);
	assert_int_equal(parse(&boolean, "0"), 0);
	check_refused(&boolean, "2", -EINVAL);
	check_refused(&boolean, "", -EINVAL);
}

static void codes_parsed(void **state)
{
	(void)state;
	assert_int_equal(parse(&mtu, "256"), 1);
	assert_int_equal(parse(&mtu, "4096"), 5);
	assert_int_equal(parse(&rate, "2.5"), 2);
	assert_int_equal(parse(&rate, "10"), 3);
	/* The code itself is not a valid number of bytes. */
	check_refused(&mtu, "5", -EINVAL);
	check_refused(&mtu, "1500", -EINVAL);
	check_refused(&mtu, "", -EINVAL);
	check_refused(&mtu, "nan", -EINVAL);
	check_refused(&mtu, "inf", -EINVAL);
	check_refused(&rate, "11", -EINVAL);
}

static void bytes_parsed(void **state)
{
	struct packet packet;

	(void)state;
	memset(&packet, 0xff, sizeof(packet));
	assert_int_equal(packed_parse(&text, &packet, "ab"), 0);
	assert_memory_equal(packet.bytes,
			    "\xff\xff"
			    "ab\0\0\0\0\0\0\xff",
			    11);
	assert_int_equal(packed_parse(&text, &packet, "12345678"), 0);
	assert_memory_equal(packet.bytes,
			    "\xff\xff"
			    "12345678\xff",
			    11);
	assert_int_equal(packed_parse(&text, &packet, ""), 0);
	assert_memory_equal(packet.bytes, "\xff\xff\0\0\0\0\0\0\0\0\xff", 11);
	check_refused(&text, "123456789", -ERANGE);

	assert_int_equal(packed_parse(&gid, &packet, "fe80::1"), 0);
	assert_memory_equal(packet.bytes + 8, "\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\xff", 17);
	check_refused(&gid, "10.0.0.1", -EINVAL);
	check_refused(&gid, "", -EINVAL);

	assert_int_equal(packed_parse(&ip, &packet, "10.0.0.1"), 0);
	assert_memory_equal(packet.bytes + 8, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0\x01\xff", 17);
	check_string(&ip, &packet, "10.0.0.1");
	assert_int_equal(packed_parse(&ip, &packet, "2001:db8::2"), 0);
	check_string(&ip, &packet, "2001:db8::2");
	check_refused(&ip, "10.0.0", -EINVAL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_shown),   cmocka_unit_test(names_shown),
		cmocka_unit_test(codes_shown),	   cmocka_unit_test(others_shown),
		cmocka_unit_test(text_shown),	   cmocka_unit_test(numbers_parsed),
		cmocka_unit_test(numbers_refused), cmocka_unit_test(names_parsed),
		cmocka_unit_test(codes_parsed),	   cmocka_unit_test(bytes_parsed),
	};

	return cmocka_run_group_tests_name("packed", tests, NULL, NULL);
}
