/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What happens to each class of netlink attributes, according to another implementation of the
 * hashes: what is changed, cut or omitted. The same for the memory of modules, byte by byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "kernel/netlink/nldev.h"
#include "snapshot/anonymise/anonymise.h"
#include "snapshot/anonymise/anonymise_private.h"

/* Payloads in hexadecimal; `after` NULL: the attribute is omitted. */
static const struct {
	enum class class;
	const char *before, *after;
	uint16_t most;
	unsigned int network_bits;
} cases[] = {
	{CLASS_SMALL, "01", "01", 0, 0},
	{CLASS_SMALL, "0102", "0102", 0, 0},
	{CLASS_SMALL, "", NULL, 0, 0},
	{CLASS_SMALL, "010203", NULL, 0, 0},
	{CLASS_SMALL, "01020304", NULL, 0, 0},
	{CLASS_NUMBER, "01", "01", 0, 0},
	{CLASS_NUMBER, "0102", "0102", 0, 0},
	{CLASS_NUMBER, "01020304", "01020304", 0, 0},
	{CLASS_NUMBER, "0102030405060708", "0102030405060708", 0, 0},
	{CLASS_NUMBER, "", NULL, 0, 0},
	{CLASS_NUMBER, "010203", NULL, 0, 0},
	{CLASS_NUMBER, "0102030405", NULL, 0, 0},
	{CLASS_NUMBER, "010203040506", NULL, 0, 0},
	{CLASS_NUMBER, "01020304050607", NULL, 0, 0},
	{CLASS_NUMBER, "010203040506070809", NULL, 0, 0},
	{CLASS_NUMBER, "01020304050607080102030405060708", NULL, 0, 0},
	{CLASS_NUMBERS, "", "", 0, 0},
	{CLASS_NUMBERS, "0102030405060708", "0102030405060708", 0, 0},
	{CLASS_NUMBERS, "01020304050607080102030405060708", "01020304050607080102030405060708", 0,
	 0},
	{CLASS_NUMBERS, "01020304", NULL, 0, 0},
	{CLASS_NUMBERS, "010203040506070801020304", NULL, 0, 0},
	{CLASS_BLOCK, "0102030405", "01020304", 4},
	{CLASS_BLOCK, "01020304", "01020304", 4},
	{CLASS_BLOCK, "010203", "010203", 4},
	{CLASS_BLOCK, "", "", 4},
	{CLASS_FLAG, "0102", "", 0, 0},
	{CLASS_FLAG, "", "", 0, 0},
	{CLASS_TEXT, "6f6e20677075313700", "6f6e20686f73742d333139643835663900", 0, 0},
	{CLASS_TEXT, "6f6e206770753137", "6f6e20686f73742d3331396438356639", 0, 0},
	{CLASS_TEXT, "6770753137006770753137", "686f73742d333139643835663900", 0, 0},
	{CLASS_TEXT, "00", "00", 0, 0},
	{CLASS_TEXT, "", "", 0, 0},
	{CLASS_HARDWARE, "0c42a1a1b2c0", "0c42a16c6ca0", 0, 0},
	{CLASS_HARDWARE, "0c42a10300a1b2c0", "0c42a103006c6ca0", 0, 0},
	{CLASS_HARDWARE, "0000102920010db8000100020c42a10300a1b2c0",
	 "0000102920010db88f7b00020c42a103006c6ca0", 0, 0},
	{CLASS_HARDWARE, "0a010203", "0af22612", 0, 0},
	{CLASS_HARDWARE, "fe800000000000000e42a1fffea1b2c0", "fe800000000000000e42a1fffe6c6ca0", 0,
	 0},
	{CLASS_HARDWARE, "", NULL, 0, 0},
	{CLASS_HARDWARE, "0c0c0c", NULL, 0, 0},
	{CLASS_HARDWARE, "0c0c0c0c0c", NULL, 0, 0},
	{CLASS_HARDWARE, "0c0c0c0c0c0c0c", NULL, 0, 0},
	{CLASS_HARDWARE, "0c0c0c0c0c0c0c0c0c", NULL, 0, 0},
	{CLASS_HARDWARE, "0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c", NULL, 0, 0},
	{CLASS_HARDWARE, "0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c", NULL, 0, 0},
	{CLASS_HARDWARE, "0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c", NULL, 0, 0},
	{CLASS_HARDWARE, "0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c", NULL, 0, 0},
	{CLASS_IP, "0a010203", "0af22612", 0, 0},
	{CLASS_IP, "fe800000000000000e42a1fffea1b2c0", "fe800000000000000e42a1fffe6c6ca0", 0, 0},
	{CLASS_IP, "", NULL, 0, 0},
	{CLASS_IP, "0c0c0c", NULL, 0, 0},
	{CLASS_IP, "0c0c0c0c0c", NULL, 0, 0},
	{CLASS_IP, "0c0c0c0c0c0c", NULL, 0, 0},
	{CLASS_IP, "0c0c0c0c0c0c0c0c", NULL, 0, 0},
	{CLASS_IP, "0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c", NULL, 0, 0},
	{CLASS_IP, "0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c", NULL, 0, 0},
	{CLASS_IP, "0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c", NULL, 0, 0},
	{CLASS_NETWORK, "0a01ffff", "00000000", 0, 0},
	{CLASS_NETWORK, "0a01ffff", "00000000", 0, 1},
	{CLASS_NETWORK, "0a01ffff", "0a000000", 0, 8},
	{CLASS_NETWORK, "0a01ffff", "0af20000", 0, 15},
	{CLASS_NETWORK, "0a01ffff", "0af20000", 0, 16},
	{CLASS_NETWORK, "0a01ffff", "0af28000", 0, 17},
	{CLASS_NETWORK, "0a01ffff", "0af2d000", 0, 20},
	{CLASS_NETWORK, "0a01ffff", "0af2d100", 0, 24},
	{CLASS_NETWORK, "0a01ffff", "0af2d134", 0, 31},
	{CLASS_NETWORK, "0a01ffff", "0af2d135", 0, 32},
	{CLASS_NETWORK, "0a01ffff", "0af2d135", 0, 33},
	{CLASS_NETWORK, "20010db80001ffffffffffffffffffff", "20010db88f7a00000000000000000000", 0,
	 47},
	{CLASS_NETWORK, "20010db80001ffffffffffffffffffff", "20010db88f7b00000000000000000000", 0,
	 48},
	{CLASS_NETWORK, "20010db80001ffffffffffffffffffff", "20010db88f7bffff0000000000000000", 0,
	 64},
	{CLASS_NETWORK, "20010db80001ffffffffffffffffffff", "20010db88f7bffffffffffffff8cce9e", 0,
	 127},
	{CLASS_NETWORK, "20010db80001ffffffffffffffffffff", "20010db88f7bffffffffffffff8cce9f", 0,
	 128},
	{CLASS_NETWORK, "0a01ff", NULL, 0, 8},
	{CLASS_VIA, "02000a010203", "02000af22612", 0, 0},
	{CLASS_VIA, "0a00fe800000000000000e42a1fffea1b2c0", "0a00fe800000000000000e42a1fffe6c6ca0",
	 0, 0},
	{CLASS_VIA, "", NULL, 0, 0},
	{CLASS_VIA, "02", NULL, 0, 0},
	{CLASS_VIA, "0200", NULL, 0, 0},
	{CLASS_VIA, "0200010203", NULL, 0, 0},
	{CLASS_VIA, "02000102030405", NULL, 0, 0},
	{CLASS_VF_MAC, "010000000c42a1a1b2c0", "010000000c42a16c6ca0", 0, 0},
	{CLASS_VF_MAC, "010000000c42a1a1b2c0eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee",
	 "010000000c42a16c6ca00000000000000000000000000000000000000000000000000000", 0, 0},
	{CLASS_VF_MAC, "010000000c42a1a1b2", NULL, 0, 0},
};

enum { TYPE = 7, NUMBER_TYPE = 9, NEST_TYPE = 11 };

struct bed {
	struct attribute_change change;
	struct bytes in, out, wanted;
};

static int set_up(void **state)
{
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));
	struct anonymiser *anonymiser = NULL;

	assert_int_equal(anonymiser_new("key", 3, &anonymiser), 0);
	anonymiser_learn_text(anonymiser, "0c:42:a1:a1:b2:c0");
	anonymiser_learn_names(anonymiser, "gpu17");
	anonymiser_prepare(anonymiser);
	bed->change.anonymiser = anonymiser;
	*state = bed;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	anonymiser_free(bed->change.anonymiser);
	free(bed->in.data);
	free(bed->out.data);
	free(bed->wanted.data);
	free(bed);
	return 0;
}

static void put(struct bytes *bytes, unsigned int type, const void *payload, size_t length)
{
	const struct nlattr header = {.nla_len = (uint16_t)(sizeof(header) + length),
				      .nla_type = (uint16_t)type};
	static const uint8_t padding[3] = {0};

	bytes_add(bytes, &header, sizeof(header));
	bytes_add(bytes, payload, length);
	bytes_add(bytes, padding, NLA_ALIGN(length) - length);
}

static void put_hex(struct bytes *bytes, unsigned int type, const char *text)
{
	const size_t length = strlen(text) / 2;
	_cleanup_(freep) uint8_t *payload = mem_alloc_zero(length + 1, 1);

	assert_true(text_read_hex(text, payload, length));
	put(bytes, type, payload, length);
}

static void put_number(struct bytes *bytes)
{
	put_hex(bytes, NUMBER_TYPE, "01020304");
}

static void begin(struct bed *bed)
{
	bed->in.length = bed->out.length = bed->wanted.length = 0;
}

static void expect(struct bed *bed, enum class class, uint16_t most)
{
	const struct attribute_class rows[] = {
		{.type = NUMBER_TYPE, .class = CLASS_NUMBER},
		{.type = NEST_TYPE, .class = CLASS_NEST},
		{.type = TYPE, .class = class, .most = most},
	};
	const struct attribute_table table = {.rows = rows, .count = ARRAY_SIZE(rows)};

	attributes_change(&bed->change, &table, bed->in.data, bed->in.length, &bed->out);
	assert_int_equal(bed->out.length, bed->wanted.length);
	if (bed->out.length)
		assert_memory_equal(bed->out.data, bed->wanted.data, bed->out.length);
}

/* Each attribute is between others, which stay whatever happens to it. */
static void classes(void **state)
{
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(bed);
		put_number(&bed->in);
		put_hex(&bed->in, TYPE, cases[i].before);
		put_hex(&bed->in, TYPE + 1, "05060708");
		put_number(&bed->in);
		put_number(&bed->wanted);
		if (cases[i].after)
			put_hex(&bed->wanted, TYPE, cases[i].after);
		put_number(&bed->wanted);
		bed->change.network_bits = cases[i].network_bits;
		expect(bed, cases[i].class, cases[i].most);
	}
}

/* While addresses are being learnt, they stay as they are, and texts are not learnt. */
static void learning(void **state)
{
	static const uint8_t infiniband[20] = {0x00, 0x00, 0x10, 0x29, 0xfe, 0x80, [12] = 0x24,
					       0x8a, 0x07, 0x03, 0x00, 0xb3, 0xe1, 0xf0};
	const uint64_t guid = 0x248a070300b3e1f1;
	struct bed *bed = *state;
	_cleanup_(freep) char *before = NULL, *after = NULL;

	before = anonymise_text(bed->change.anonymiser,
				"0x248a070300b3e1f0 0x248a070300b3e1f1 0x043f72112230", false);
	assert_string_equal(before, "0x248a070300b3e1f0 0x248a070300b3e1f1 0x043f72112230");
	bed->change.learning = true;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (cases[i].class != CLASS_HARDWARE && cases[i].class != CLASS_IP &&
		    cases[i].class != CLASS_TEXT && cases[i].class != CLASS_VIA)
			continue;
		begin(bed);
		put_hex(&bed->in, TYPE, cases[i].before);
		if (cases[i].after)
			put_hex(&bed->wanted, TYPE,
				cases[i].class == CLASS_TEXT ? "" : cases[i].before);
		expect(bed, cases[i].class, 0);
	}
	begin(bed);
	put(&bed->in, TYPE, infiniband, sizeof(infiniband));
	put_hex(&bed->in, TYPE, "043f72112230");
	bytes_add(&bed->wanted, bed->in.data, bed->in.length);
	expect(bed, CLASS_HARDWARE, 0);
	begin(bed);
	put(&bed->in, TYPE, &guid, sizeof(guid));
	bytes_add(&bed->wanted, bed->in.data, bed->in.length);
	expect(bed, CLASS_GUID, 0);
	anonymiser_prepare(bed->change.anonymiser);
	after = anonymise_text(bed->change.anonymiser,
			       "0x248a070300b3e1f0 0x248a070300b3e1f1 0x043f72112230", false);
	for (const char *at = after; *at; at += strcspn(at, " ") + (at[strcspn(at, " ")] == ' '))
		assert_memory_not_equal(at, before + (at - after), 14);
}

/* Numbers in the host's byte order: GUIDs, and prefixes of GIDs. */
static void numbers(void **state)
{
	static const struct {
		enum class class;
		uint64_t before, after;
	} rows[] = {
		{CLASS_GUID, 0x0c42a10300a1b2c0, 0x0c42a103006c6ca0},
		{CLASS_GUID, 0, 0},
		{CLASS_PREFIX, 0xfe80000000000000, 0xfe80000000000000},
		{CLASS_PREFIX, 0x20010db800010002, 0x20010db88f7b0002},
		{CLASS_PREFIX, 0, 0},
	};
	struct bed *bed = *state;
	struct ifla_vf_guid vf = {.vf = 3, .guid = 0x0c42a10300a1b2c0};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		begin(bed);
		put(&bed->in, TYPE, &rows[i].before, 8);
		put(&bed->in, TYPE, &rows[i].before, 7);
		put_hex(&bed->in, TYPE, "000102030405060708");
		put(&bed->wanted, TYPE, &rows[i].after, 8);
		expect(bed, rows[i].class, 0);
	}
	begin(bed);
	put(&bed->in, TYPE, &vf, sizeof(vf));
	put(&bed->in, TYPE, &vf, sizeof(vf) - 1);
	vf.guid = 0x0c42a103006c6ca0;
	put(&bed->wanted, TYPE, &vf, sizeof(vf));
	expect(bed, CLASS_VF_GUID, 0);
}

/* The family, a port, perhaps a flow, the address, perhaps a scope or a service; nothing more. */
static void sockets(void **state)
{
	static const struct {
		sa_family_t family;
		size_t at, size, end; /* length of the address, and of what is kept */
	} rows[] = {
		{AF_INET, 4, 4, 8},
		{AF_INET6, 8, 16, 28},
		{NLDEV_FAMILY_IB, 8, 16, 32},
	};
	static const char before[2][33] = {"0a010203", "fe800000000000000e42a1fffea1b2c0"};
	static const char after[2][33] = {"0af22612", "fe800000000000000e42a1fffe6c6ca0"};
	struct bed *bed = *state;
	uint8_t bytes[48], wanted[48];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (size_t length = 0; length <= sizeof(bytes); length++) {
			memset(bytes, 0xee, sizeof(bytes));
			memcpy(bytes, &rows[i].family, sizeof(rows[i].family));
			memcpy(wanted, bytes, sizeof(wanted));
			memset(wanted + rows[i].end, 0, sizeof(wanted) - rows[i].end);
			if (i)
				memset(wanted + 4, 0, 4);
			text_read_hex(before[i > 0], bytes + rows[i].at, rows[i].size);
			text_read_hex(after[i > 0], wanted + rows[i].at, rows[i].size);
			begin(bed);
			put(&bed->in, TYPE, bytes, length);
			if (length >= rows[i].end)
				put(&bed->wanted, TYPE, wanted, length);
			expect(bed, CLASS_SOCKET, 0);
		}
	begin(bed);
	memset(bytes, 0, sizeof(bytes));
	put(&bed->in, TYPE, bytes, sizeof(bytes));
	bytes[0] = bytes[1] = AF_UNIX;
	put(&bed->in, TYPE, bytes, sizeof(bytes));
	expect(bed, CLASS_SOCKET, 0);
}

/* Eight levels of nesting are kept; deeper ones are omitted. */
static void nests(void **state)
{
	struct bed *bed = *state;
	struct bytes inner = {.data = NULL}, outer = {.data = NULL};

	for (unsigned int depth = 1; depth <= 9; depth++) {
		begin(bed);
		inner.length = 0;
		put_number(&inner);
		put_hex(&inner, 50, "00");
		for (unsigned int i = 0; i < depth; i++) {
			outer.length = 0;
			put(&outer, NEST_TYPE | NLA_F_NESTED, inner.data, inner.length);
			inner.length = 0;
			bytes_add(&inner, outer.data, outer.length);
		}
		bytes_add(&bed->in, inner.data, inner.length);
		put_number(&bed->in);
		inner.length = 0;
		if (depth <= 8)
			put_number(&inner);
		for (unsigned int i = 0; i < (depth < 8 ? depth : 8); i++) {
			outer.length = 0;
			put(&outer, NEST_TYPE | NLA_F_NESTED, inner.data, inner.length);
			inner.length = 0;
			bytes_add(&inner, outer.data, outer.length);
		}
		bytes_add(&bed->wanted, inner.data, inner.length);
		put_number(&bed->wanted);
		expect(bed, CLASS_FLAG, 0);
	}
	free(inner.data);
	free(outer.data);
}

/* An attribute of wrong length ends the list; one that has become too long is omitted. */
static void damaged(void **state)
{
	struct bed *bed = *state;
	const struct nlattr bad[] = {{.nla_len = 3, .nla_type = NUMBER_TYPE},
				     {.nla_len = 9, .nla_type = NUMBER_TYPE},
				     {.nla_len = 0, .nla_type = NUMBER_TYPE}};
	_cleanup_(freep) char *text = mem_alloc_zero(1, 36001);

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		begin(bed);
		put_number(&bed->in);
		bytes_add(&bed->in, &bad[i], sizeof(bad[i]));
		bytes_add(&bed->in, "abcd", 4);
		put_number(&bed->wanted);
		expect(bed, CLASS_FLAG, 0);
	}
	/* The last attribute is complete without its padding. */
	begin(bed);
	put_number(&bed->in);
	put_hex(&bed->in, NUMBER_TYPE, "0102");
	bytes_add(&bed->wanted, bed->in.data, bed->in.length);
	bed->in.length -= 2;
	expect(bed, CLASS_FLAG, 0);
	begin(bed);
	bytes_add(&bed->in, "abc", 3);
	expect(bed, CLASS_FLAG, 0);
	begin(bed);
	for (size_t i = 0; i < 6000; i++)
		memcpy(text + 6 * i, "gpu17 ", 6);
	put(&bed->in, TYPE, text, 6 * 4000);
	put(&bed->in, TYPE, text, 6 * 5000);
	put_number(&bed->in);
	attributes_change(&bed->change,
			  &(const struct attribute_table){
				  .rows = (const struct attribute_class[]){{.type = TYPE,
									    .class = CLASS_TEXT},
									   {.type = NUMBER_TYPE,
									    .class = CLASS_NUMBER}},
				  .count = 2},
			  bed->in.data, bed->in.length, &bed->out);
	assert_int_equal(bed->out.length, 4 + 14 * 4000 + 8);
	assert_memory_equal(bed->out.data + 4, "host-319d85f9 host-319d85f9 ", 28);
}

static void found(void **state)
{
	struct bed *bed = *state;
	const uint16_t half = 0x1234;
	const uint32_t word = 0x80000001;
	size_t length = 77;

	put_hex(&bed->in, 1, "ff");
	put(&bed->in, 2 | NLA_F_NESTED, &half, sizeof(half));
	put(&bed->in, 3, &word, sizeof(word));
	put_hex(&bed->in, 4, "010203");
	put_hex(&bed->in, 5, "0102030405060708");
	put_hex(&bed->in, 6, "");
	put_hex(&bed->in, 1, "07");
	assert_int_equal(attributes_number(bed->in.data, bed->in.length, 1), 0xff);
	assert_int_equal(attributes_number(bed->in.data, bed->in.length, 2), 0x1234);
	assert_int_equal(attributes_number(bed->in.data, bed->in.length, 3), 0x80000001);
	for (uint16_t type = 4; type < 8; type++)
		assert_int_equal(attributes_number(bed->in.data, bed->in.length, type), -1);
	assert_int_equal(attributes_number(bed->in.data, 0, 1), -1);
	assert_null(attributes_find(bed->in.data, bed->in.length, 7, &length));
	assert_int_equal(length, 77);
	assert_ptr_equal(attributes_find(bed->in.data, bed->in.length, 4, &length),
			 bed->in.data + 28);
	assert_int_equal(length, 3);
	assert_non_null(attributes_find(bed->in.data, bed->in.length, 6, &length));
	assert_int_equal(length, 0);
}

/* ---- The memory of modules ---- */

enum { SFF_8472 = 0x03, SFF_8636 = 0x11, CMIS = 0x18 };

/* Which bytes are nonzero afterwards: 0-3 7 */
static char *kept_bytes(const struct bed *bed, const struct module_part *part)
{
	uint8_t bytes[257];
	char *text = mem_string("");

	memset(bytes, 'S', 256);
	bytes[256] = 0;
	anonymise_module(bed->change.anonymiser, part, bytes, 256);
	for (size_t first = 0, end; first < 256; first = end + 1) {
		for (end = first; bytes[end];)
			end++;
		if (end > first)
			mem_extend(&text, end > first + 1 ? "%s%zu-%zu" : "%s%zu", *text ? " " : "",
				   first, end - 1);
	}
	return text;
}

static void kept(void **state)
{
	static const struct {
		uint8_t identifier, address, page;
		const char *bytes;
	} rows[] = {
		{SFF_8472, 0x50, 0, "0-95"},
		{SFF_8472, 0x50, 1, "0-95"},
		{SFF_8472, 0x51, 0, "0-119"},
		{SFF_8472, 0x52, 0, ""},
		{SFF_8636, 0x50, 0, "0-118 128-223"},
		{SFF_8636, 0x50, 1, "0-118"},
		{SFF_8636, 0x50, 2, "0-118"},
		{SFF_8636, 0x50, 3, "0-118 128-223"},
		{SFF_8636, 0x51, 0, ""},
		{CMIS, 0x50, 0, "0-63 85-117 128-222"},
		{CMIS, 0x50, 1, "0-63 85-117 128-190"},
		{CMIS, 0x50, 2, "0-63 85-117 128-229"},
		{CMIS, 0x50, 3, "0-63 85-117"},
		{CMIS, 0x50, 0x10, "0-63 85-117"},
		{CMIS, 0x50, 0x11, "0-63 85-117 128-254"},
		{CMIS, 0x51, 0, ""},
		{0, 0x50, 0, "0"},
		{0, 0x51, 0, ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct module_part part = {.identifier = rows[i].identifier,
						 .address = rows[i].address,
						 .page = rows[i].page};
		_cleanup_(freep) char *text = kept_bytes(*state, &part);

		assert_string_equal(text, rows[i].bytes);
	}
}

/* SFF-8024, table 4-1 */
static void layouts(void **state)
{
	static const char small[] = "\x02\x03\x0b", quad[] = "\x0c\x0d\x11",
			  cmis[] = "\x18\x19\x1b\x1e\x1f\x20";

	for (int identifier = 0; identifier < 256; identifier++) {
		const struct module_part part = {.identifier = (uint8_t)identifier,
						 .address = MODULE_ADDRESS};
		_cleanup_(freep) char *text = kept_bytes(*state, &part);

		assert_string_equal(text, identifier && strchr(small, identifier)  ? "0-95"
					  : identifier && strchr(quad, identifier) ? "0-118 128-223"
					  : identifier && strchr(cmis, identifier)
						  ? "0-63 85-117 128-222"
						  : "0");
	}
}

/* Another serial number with the same padding, and the checksum changes accordingly. */
static void serial_numbers(void **state)
{
	static const struct {
		uint8_t identifier;
		size_t at, first, sum, end; /* which is also kept */
	} rows[] = {
		{SFF_8472, 68, 64, 95, 96},
		{SFF_8636, 196, 192, 223, 224},
		{CMIS, 166, 128, 222, 223},
	};
	const struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const size_t at = rows[i].at;
		/* Parts that begin and end at each place that matters. */
		const size_t begins[] = {rows[i].first, rows[i].first + 1, at,
					 at + 1,	at + 15,	   at + 16};
		const size_t ends[] = {at, at + 1, at + 15, at + 16, rows[i].sum, rows[i].sum + 1};

		for (size_t j = 0; j < ARRAY_SIZE(begins) * ARRAY_SIZE(ends); j++) {
			const size_t begin = begins[j / ARRAY_SIZE(ends)];
			const size_t end = ends[j % ARRAY_SIZE(ends)];
			const struct module_part part = {.identifier = rows[i].identifier,
							 .address = MODULE_ADDRESS,
							 .offset = (uint8_t)begin};
			uint8_t bytes[256], wanted[256], sum = 0;

			if (end <= begin)
				continue;
			for (size_t k = 0; k < sizeof(bytes); k++)
				bytes[k] = (uint8_t)(k | 1);
			memcpy(bytes + at, "MT1843X01234  \0 ", 16);
			memcpy(wanted, bytes, sizeof(wanted));
			if (begin <= at && end >= at + 16)
				memcpy(wanted + at, "VY0339V78843", 12);
			else
				memset(wanted + at, 0, 16);
			for (size_t k = rows[i].first; k < rows[i].sum; k++)
				sum = (uint8_t)(sum + wanted[k]);
			if (begin <= rows[i].first && end > rows[i].sum)
				wanted[rows[i].sum] = sum;
			anonymise_module(bed->change.anonymiser, &part, bytes + begin, end - begin);
			assert_memory_equal(bytes + begin, wanted + begin, end - begin);
		}
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(classes), TEST(learning), TEST(numbers), TEST(sockets), TEST(nests),
		TEST(damaged), TEST(found),    TEST(kept),    TEST(layouts), TEST(serial_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
