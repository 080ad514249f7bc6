/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests as bytes: every field is compared with the offsets of the specification. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include "base/mem.h"
#include "mad/engine/request.h"

static const unsigned char data[MAD_BYTES] = {0xd0, 0xd1, 0xd2, 0xd3, [63] = 0xdf, [255] = 0xff};

/* The nonzero bytes of a MAD. */
struct part {
	size_t at, count;
	unsigned char bytes[8];
};

static void compare(const struct mad_request *request, const struct part *parts, size_t count)
{
	unsigned char mad[MAD_BYTES], wanted[MAD_BYTES] = {0};

	memset(mad, 0xaa, sizeof(mad));
	mad_request_write(request, 0x11223344, mad);
	for (size_t i = 0; i < count; i++)
		memcpy(wanted + parts[i].at, parts[i].bytes, parts[i].count);
	assert_memory_equal(mad, wanted, sizeof(mad));
	assert_int_equal(mad_transaction(mad), 0x11223344);
}

#define TRANSACTION                            \
	{                                      \
		12, 4,                         \
		{                              \
			0x11, 0x22, 0x33, 0x44 \
		}                              \
	}

static void subnet_management(void **state)
{
	static const struct part parts[] = {
		{0, 4, {1, 0x01, 1, 0x02}},
		TRANSACTION,
		{17, 1, {0x15}},
		{20, 4, {0x80, 0, 0, 7}},
		{24, 8, {1, 2, 3, 4, 5, 6, 7, 8}},
		{64, 4, {0xd0, 0xd1, 0xd2, 0xd3}},
		{127, 1, {0xdf}},
	};
	const struct mad_request request = {
		.mgmt_class = UMAD_CLASS_SUBN_LID_ROUTED,
		.method = UMAD_METHOD_SET,
		.attribute = 0x15,
		.modifier = 0x80000007,
		.key = 0x0102030405060708,
		.data = data,
		.data_bytes = 64,
	};

	(void)state;
	compare(&request, parts, ARRAY_SIZE(parts));
}

static void directed_route(void **state)
{
	static const struct part parts[] = {
		{0, 4, {1, 0x81, 1, 0x01}},
		{7, 1, {2}},
		TRANSACTION,
		{16, 2, {0xff, 0x90}},
		{32, 4, {0xff, 0xff, 0xff, 0xff}},
		{128, 3, {0, 1, 3}},
	};
	const struct mad_request request = {
		.mgmt_class = UMAD_CLASS_SUBN_DIRECTED_ROUTE,
		.method = UMAD_METHOD_GET,
		.attribute = 0xff90,
		.direct = true,
		.hops = 2,
		/* Nothing is sent after the last hop. */
		.path = {0, 1, 3, 9},
	};

	(void)state;
	compare(&request, parts, ARRAY_SIZE(parts));
}

/* 63 hops fill the path, and nothing past its end is touched. */
static void longest_route(void **state)
{
	struct mad_request request = {.mgmt_class = UMAD_CLASS_SUBN_DIRECTED_ROUTE,
				      .direct = true,
				      .hops = MAD_HOPS_MOST};
	unsigned char mad[MAD_BYTES];

	(void)state;
	memset(request.path, 0x77, sizeof(request.path));
	mad_request_write(&request, 0, mad);
	assert_int_equal(mad[7], 63);
	for (size_t i = 128; i < 192; i++)
		assert_int_equal(mad[i], 0x77);
	for (size_t i = 192; i < MAD_BYTES; i++)
		assert_int_equal(mad[i], 0);
}

static void subnet_administration(void **state)
{
	static const struct part parts[] = {
		{0, 4, {1, 0x03, 2, 0x12}},
		TRANSACTION,
		{17, 1, {0x35}},
		{36, 8, {0, 0, 0, 0, 0, 0, 0, 9}},
		{48, 8, {0x80, 0, 0, 0, 0, 0, 0x10, 0x0c}},
		{56, 4, {0xd0, 0xd1, 0xd2, 0xd3}},
		{119, 1, {0xdf}},
	};
	const struct mad_request request = {
		.mgmt_class = UMAD_CLASS_SUBN_ADM,
		.method = UMAD_SA_METHOD_GET_TABLE,
		.attribute = 0x35,
		.key = 9,
		.component_mask = 0x800000000000100c,
		.data = data,
		.data_bytes = 64,
	};

	(void)state;
	compare(&request, parts, ARRAY_SIZE(parts));
}

/* A single segment holds all data, 13.6.2.1: its payload starts at the SM_Key, 15.2.1.1. */
static void one_segment(void **state)
{
	static const struct part parts[] = {
		{0, 4, {1, 0x03, 2, 0x14}},
		TRANSACTION,
		{17, 1, {0x3a}},
		{24, 3, {1, 1, 7}},
		{31, 1, {1}},
		{35, 1, {20 + 64}},
		{36, 8, {0, 0, 0, 0, 0, 0, 0, 9}},
		{56, 4, {0xd0, 0xd1, 0xd2, 0xd3}},
		{119, 1, {0xdf}},
	};
	const struct mad_request request = {
		.mgmt_class = UMAD_CLASS_SUBN_ADM,
		.method = UMAD_SA_METHOD_GET_MULTI,
		.attribute = 0x3a,
		.key = 9,
		.data = data,
		.data_bytes = 64,
	};

	(void)state;
	compare(&request, parts, ARRAY_SIZE(parts));
}

/* 16.2.1: the B_Key, then 32 reserved bytes, then the data. */
static void baseboard(void **state)
{
	static const struct part parts[] = {
		{0, 4, {1, 5, 1, 0x02}},
		TRANSACTION,
		{17, 1, {0x20}},
		{24, 8, {1, 2, 3, 4, 5, 6, 7, 8}},
		{64, 4, {0xd0, 0xd1, 0xd2, 0xd3}},
		{127, 1, {0xdf}},
	};
	const struct mad_request request = {
		.mgmt_class = UMAD_CLASS_BM,
		.method = UMAD_METHOD_SET,
		.attribute = 0x20,
		.key = 0x0102030405060708,
		.data = data,
		.data_bytes = 64,
	};

	(void)state;
	compare(&request, parts, ARRAY_SIZE(parts));
}

/*
 * A10.4.1: the CC_Key, then 32 reserved bytes, then the data; the data of a log comes before them.
 */
static void congestion_control(void **state)
{
	static const struct part parts[] = {
		{0, 4, {1, 0x21, 2, 0x02}},
		TRANSACTION,
		{17, 1, {0x14}},
		{24, 8, {1, 2, 3, 4, 5, 6, 7, 8}},
		{64, 4, {0xd0, 0xd1, 0xd2, 0xd3}},
		{127, 1, {0xdf}},
	};
	const struct mad_request request = {
		.mgmt_class = UMAD_CLASS_CONG_MGMT,
		.method = UMAD_METHOD_SET,
		.attribute = 0x14,
		.key = 0x0102030405060708,
		.data = data,
		.data_bytes = 64,
	};

	(void)state;
	compare(&request, parts, ARRAY_SIZE(parts));
}

/*
 * A number is a LID if it is small enough; a long hexadecimal one, or one with colons, is a GUID.
 */
static void targets(void **state)
{
	static const struct {
		const char *text;
		enum target_kind kind;
		int rc;
		uint64_t number; /* LID, GUID, or the last half of a GID */
	} rows[] = {
		{"1", TARGET_LID, 0, 1},
		{"49151", TARGET_LID, 0, 0xbfff},
		{"0xbfff", TARGET_LID, 0, 0xbfff},
		{"49152", TARGET_LID, -ERANGE, 0},
		{"0xc000", TARGET_LID, -ERANGE, 0},
		{"0x10000", TARGET_GUID, 0, 0x10000},
		{"0x0002c90300000001", TARGET_GUID, 0, 0x0002c90300000001},
		{"0002c90300000001", TARGET_GUID, 0, 0x0002c90300000001},
		{"002c90300000001", TARGET_LID, -EINVAL, 0},
		{"0002:c903:0000:0001", TARGET_GUID, 0, 0x0002c90300000001},
		{"fe80::1", TARGET_GID, 0, 1},
		{"fe80:0:0:0:2:c903:0:1", TARGET_GID, 0, 0x0002c90300000001},
		{"x", TARGET_LID, -EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct mad_target target;
		int rc = mad_target_parse(rows[i].text, TARGET_ANY, &target);
		uint64_t number;

		if (rc != rows[i].rc || (!rc && target.kind != rows[i].kind))
			fail_msg("%s: %d", rows[i].text, rc);
		if (rc)
			continue;
		number = target.kind == TARGET_LID    ? target.lid
			 : target.kind == TARGET_GUID ? target.guid
						      : gid_interface_id(&target.gid);
		assert_true(number == rows[i].number);
	}
}

/* Data that is too long is cut at the end of the datagram. */
static void vendor(void **state)
{
	static const struct part parts[] = {
		{0, 4, {1, 0x32, 1, 0x01}},	   TRANSACTION,	     {37, 3, {0x00, 0x14, 0x05}},
		{40, 4, {0xd0, 0xd1, 0xd2, 0xd3}}, {103, 1, {0xdf}},
	};
	const struct mad_request request = {
		.mgmt_class = MAD_CLASS_OPENIB_PING,
		.method = UMAD_METHOD_GET,
		.oui = 0x001405,
		.data = data,
		.data_bytes = sizeof(data),
	};

	(void)state;
	compare(&request, parts, ARRAY_SIZE(parts));
}

static void versions(void **state)
{
	(void)state;
	for (unsigned int mgmt_class = 0; mgmt_class < 256; mgmt_class++)
		assert_int_equal(mad_version_of_class(mgmt_class),
				 mgmt_class == UMAD_CLASS_SUBN_ADM || mgmt_class == UMAD_CLASS_CM ||
						 mgmt_class == UMAD_CLASS_CONG_MGMT
					 ? 2
					 : 1);
}

/* The D bit is part of the status of directed routes only, and is no error. */
static void status(void **state)
{
	unsigned char mad[MAD_BYTES] = {1, UMAD_CLASS_SUBN_DIRECTED_ROUTE};

	(void)state;
	mad[4] = 0x80;
	mad[5] = 0x0c;
	assert_int_equal(mad_status(mad), 0x000c);
	mad[1] = UMAD_CLASS_SUBN_ADM;
	assert_int_equal(mad_status(mad), 0x800c);
}

static void answers(void **state)
{
	static const struct {
		uint8_t method, reply_method, answer;
	} good[] = {
		{UMAD_METHOD_GET, 0, 0x81},
		{UMAD_METHOD_SET, 0, 0x81},
		{UMAD_SA_METHOD_GET_TABLE, 0, 0x92},
		{0x15, 0, 0x95},
		{0x06, 0, 0x86},
		{0x05, 0x07, 0x07},
		{UMAD_METHOD_SET, 0x82, 0x82},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		const struct mad_request request = {
			.mgmt_class = 0x32,
			.method = good[i].method,
			.reply_method = good[i].reply_method,
			.attribute = 0x1234,
		};
		unsigned char mad[MAD_BYTES] = {1, 0x32, 1, 0, [16] = 0x12, [17] = 0x34};

		for (unsigned int method = 0; method < 256; method++) {
			mad[3] = (unsigned char)method;
			assert_int_equal(mad_answers(mad, &request), method == good[i].answer);
		}
		mad[3] = good[i].answer;
		mad[1] = 0x33;
		assert_false(mad_answers(mad, &request));
		mad[1] = 0x32;
		mad[16] = 0;
		assert_false(mad_answers(mad, &request));
	}
}

/*
 * The answer to GetMulti has the attribute of PathRecord, or its own from agents that do not know
 * o15-0.2.7.
 */
static void answers_of_another_attribute(void **state)
{
	const struct mad_request request = {
		.mgmt_class = UMAD_CLASS_SUBN_ADM,
		.method = UMAD_SA_METHOD_GET_MULTI,
		.attribute = 0x3a,
	};
	unsigned char mad[MAD_BYTES] = {1, UMAD_CLASS_SUBN_ADM, 2, 0x94};

	(void)state;
	for (unsigned int attribute = 0; attribute < 256; attribute++) {
		mad[17] = (unsigned char)attribute;
		assert_int_equal(mad_answers(mad, &request),
				 attribute == 0x3a || attribute == 0x35);
	}
	mad[1] = 0x32;
	mad[17] = 0x35;
	assert_false(mad_answers(mad, &request));
}

/*
 * GetTraceTable is answered by GetTableResp, 15.2.2. A refusal may have the method of the request.
 */
static void answers_to_a_trace(void **state)
{
	const struct mad_request request = {
		.mgmt_class = UMAD_CLASS_SUBN_ADM,
		.method = UMAD_SA_METHOD_GET_TRACE_TABLE,
		.attribute = 0x39,
	};
	unsigned char mad[MAD_BYTES] = {1, UMAD_CLASS_SUBN_ADM, 2, [17] = 0x39};

	(void)state;
	for (unsigned int method = 0; method < 256; method++) {
		mad[3] = (unsigned char)method;
		assert_int_equal(mad_answers(mad, &request), method == 0x92 || method == 0x93);
	}
}

/* Same results as the kernel's ib_response_mad(), for the requests of this program. */
static void responses(void **state)
{
	static const struct {
		uint8_t reply_method;
		bool response;
	} rows[] = {
		{0, true},
		{0x92, true},
		{0x81, true},
		{UMAD_METHOD_TRAP_REPRESS, true},
		{UMAD_METHOD_SEND, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(mad_reply_is_response(&(struct mad_request){
					 .reply_method = rows[i].reply_method}),
				 rows[i].response);
}

/* Only the low half of the transaction ID is ours. */
static void transaction(void **state)
{
	unsigned char mad[MAD_BYTES];

	(void)state;
	memset(mad, 0xff, sizeof(mad));
	mad_set_transaction(mad, 0x01020304);
	assert_int_equal(mad_transaction(mad), 0x01020304);
	assert_int_equal(mad[11], 0xff);
	assert_int_equal(mad[12], 1);
	assert_int_equal(mad[16], 0xff);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(subnet_management),
		cmocka_unit_test(directed_route),
		cmocka_unit_test(longest_route),
		cmocka_unit_test(subnet_administration),
		cmocka_unit_test(vendor),
		cmocka_unit_test(versions),
		cmocka_unit_test(status),
		cmocka_unit_test(answers_of_another_attribute),
		cmocka_unit_test(answers_to_a_trace),
		cmocka_unit_test(responses),
		cmocka_unit_test(answers),
		cmocka_unit_test(transaction),
		cmocka_unit_test(one_segment),
		cmocka_unit_test(congestion_control),
		cmocka_unit_test(baseboard),
		cmocka_unit_test(targets),
	};

	return cmocka_run_group_tests_name("request", tests, NULL, NULL);
}
