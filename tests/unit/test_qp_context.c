/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The driver's record of a queue pair: dumps made according to include/linux/mlx5/mlx5_ifc.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <rdma/rdma_netlink.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "netlink_message.h"
#include "resource/qp_context.h"

enum { QPN = 0x1234, PEER = 0xab4321, CONTEXT = 232 };

static void put_bits(uint8_t *bytes, size_t bit, size_t width, uint64_t value)
{
	for (size_t i = 0; i < width; i++) {
		const size_t at = bit + width - 1 - i;

		if (value >> i & 1)
			bytes[at / 8] |= (uint8_t)(0x80 >> at % 8);
	}
}

/* Adds a segment of this type, about an object; `extra` bytes follow its header. */
static uint8_t *add_segment(struct bytes *dump, uint16_t type, uint32_t number, size_t extra)
{
	uint8_t *segment = dump->data + dump->length;
	const size_t length = 16 + extra;

	memset(segment, 0, length);
	put_bits(segment, 0, 16, length / 4);
	put_bits(segment, 16, 16, type);
	put_bits(segment, 64, 32, number);
	dump->length += length;
	return segment + 16;
}

/* A queue pair in state rts (3) in both numberings, with a value in each field. */
static void make_dump(struct bytes *dump)
{
	uint8_t *context;

	/* The shortest possible segment: one word. */
	put_bits(dump->data, 0, 16, 1);
	dump->length = 4;
	add_segment(dump, 0xfffe, 0, 0);
	add_segment(dump, 0xfffa, QPN, 8);
	context = add_segment(dump, 0x1000, QPN, 24 + CONTEXT + 16) + 24;
	put_bits(context, 0, 4, 3);
	put_bits(context, 0x40, 3, 5);	   /* mtu */
	put_bits(context, 0xa8, 24, PEER); /* remote_qpn */
	put_bits(context, 0xc0 + 0x10, 16, 2);
	put_bits(context, 0xc0 + 0x28, 1, 1);
	put_bits(context, 0xc0 + 0x30, 16, 77);
	put_bits(context, 0xc0 + 0x40, 5, 14);
	put_bits(context, 0xc0 + 0x48, 8, 3);
	put_bits(context, 0xc0 + 0x58, 8, 64);
	put_bits(context, 0xc0 + 0x64, 8, 106);
	put_bits(context, 0xc0 + 0x6c, 20, 0xabcde);
	put_bits(context, 0xc0 + 0x80 + 80, 48, 0xffff0a000002);
	put_bits(context, 0xc0 + 0x10a, 6, 26);
	put_bits(context, 0xc0 + 0x110, 16, 49152);
	put_bits(context, 0xc0 + 0x124, 4, 5);
	put_bits(context, 0x38d, 3, 7);
	put_bits(context, 0x390, 3, 6);
	put_bits(context, 0x395, 3, 2);
	put_bits(context, 0x398, 3, 1);
	put_bits(context, 0x3c8, 24, 1000);
	put_bits(context, 0x448, 24, 900);
	put_bits(context, 0x4a3, 5, 12);
	put_bits(context, 0x4a8, 24, 2000);
	add_segment(dump, 0xfffb, 0, 0);
}

static struct qp_context make_context(void)
{
	return (struct qp_context){
		.resource = {.id = number_of(QPN),
			     .port = number_of(1),
			     .state = number_of(3),
			     .remote_qpn = number_of(PEER)},
		.device_index = 3,
	};
}

/* In memory of the exact size, so that the sanitizer sees every overrun. */
static void set(struct qp_context *context, const struct bytes *dump, size_t length)
{
	_cleanup_(freep) uint8_t *copy = mem_alloc_zero(length + 1, 1);

	memcpy(copy, dump->data, length);
	qp_context_set(context, copy, length);
}

static void expect(const struct qp_context *context, const char *key, const char *text)
{
	const struct field *field = schema_find(&qp_context_schema, key);
	_cleanup_(freep) char *shown = NULL;
	struct value value;

	assert_non_null(field);
	field_get(field, context, &value);
	switch (value.kind) {
	case VALUE_UNSIGNED:
		shown = mem_format("%u", (unsigned int)value.number);
		break;
	case VALUE_REAL:
		shown = mem_format("%.3f", value.real);
		break;
	case VALUE_BOOL:
		shown = mem_string(value.boolean ? "yes" : "no");
		break;
	case VALUE_STRING:
		shown = mem_string(value.string);
		break;
	default:
		shown = mem_string("-");
	}
	if (strcmp(shown, text))
		fail_msg("%s is %s instead of %s", key, shown, text);
}

static const char *const fields[][2] = {
	{"path_mtu_bytes", "4096"},
	{"service_level", "5"},
	{"ack_timeout", "14"},
	{"ack_timeout_msec", "67.109"},
	{"retries", "7"},
	{"retries_left", "1"},
	{"rnr_retries", "6"},
	{"rnr_retries_left", "2"},
	{"min_rnr_timer", "12"},
	{"next_send_psn", "1000"},
	{"last_acked_psn", "900"},
	{"next_receive_psn", "2000"},
	{"pkey_index", "2"},
	{"gid_index", "3"},
	{"dlid", "77"},
	{"grh", "yes"},
	{"dgid", "0000:0000:0000:0000:0000:ffff:0a00:0002"},
	{"hop_limit", "64"},
	{"traffic_class", "106"},
	{"flow_label", "703710"},
	{"dscp", "26"},
	{"udp_source_port", "49152"},
};

static void decoded(void **state)
{
	struct qp_context context = make_context();
	struct bytes dump = {0};

	(void)state;
	make_dump(&dump);
	set(&context, &dump, dump.length);
	assert_true(context.decoded);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		expect(&context, fields[i][0], fields[i][1]);
	assert_int_equal(strlen(context.hex), 2 * dump.length);
	qp_context_clear(&context);
}

/* Arbitrary bytes are shown as they are, and not decoded. */
static void expect_bytes_only(struct qp_context *context, const struct bytes *dump, size_t length)
{
	set(context, dump, length);
	assert_false(context->decoded);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		expect(context, fields[i][0], "-");
	assert_int_equal(context->raw_length, length);
	qp_context_clear(context);
}

static void not_decoded(void **state)
{
	struct qp_context context = make_context();
	struct bytes dump = {0}, other = {0};

	(void)state;
	make_dump(&dump);
	context.resource.state = number_of(2);
	expect_bytes_only(&context, &dump, dump.length);
	context.resource.state = number_of(3);
	context.resource.remote_qpn = number_of(1);
	expect_bytes_only(&context, &dump, dump.length);
	context.resource.remote_qpn.known = false;
	expect_bytes_only(&context, &dump, dump.length);
	context = make_context();
	context.resource.id = number_of(1);
	expect_bytes_only(&context, &dump, dump.length);
	context = make_context();
	/*
	 * The context is found without the last segment, but not if its own segment is truncated.
	 */
	for (size_t length = 0; length < dump.length - 16; length++)
		expect_bytes_only(&context, &dump, length);
	/* A segment with length 0. */
	other.length = 64;
	expect_bytes_only(&context, &other, other.length);
	memset(other.data, 0xff, sizeof(other.data));
	expect_bytes_only(&context, &other, other.length);
}

/* mlx5 and verbs number two states differently. */
static void states(void **state)
{
	struct qp_context context = make_context();
	struct bytes dump = {0};
	uint8_t *first;

	(void)state;
	make_dump(&dump);
	first = dump.data + 4 + 16 + 24 + 16 + 24;
	*first = 0x40; /* SQER */
	context.resource.state = number_of(5);
	set(&context, &dump, dump.length);
	assert_true(context.decoded);
	*first = 0x50; /* SQD */
	context.resource.state = number_of(4);
	set(&context, &dump, dump.length);
	assert_true(context.decoded);
	*first = 0x90; /* suspended */
	set(&context, &dump, dump.length);
	assert_false(context.decoded);
	qp_context_clear(&context);
}

/* A segment that ends with the context is long enough; one word less is not. */
static void shortest(void **state)
{
	for (size_t words = 0; words < 2; words++) {
		struct qp_context context = make_context();
		struct bytes dump = {0};
		uint8_t *contents = add_segment(&dump, 0x1000, QPN, 24 + CONTEXT - 4 * words) + 24;

		(void)state;
		put_bits(contents, 0, 4, 3);
		put_bits(contents, 0xa8, 24, PEER);
		set(&context, &dump, dump.length);
		assert_int_equal(context.decoded, !words);
		qp_context_clear(&context);
		assert_null(context.raw);
		assert_null(context.hex);
		assert_int_equal(context.raw_length, 0);
		assert_false(context.decoded);
	}
}

/* Local Ack Timeout: 4.096 us * 2^N, or unlimited for 0. */
static void timeouts(void **state)
{
	static const char *const msec[][2] = {{"0", "-"}, {"1", "0.008"}, {"31", "8796093.022"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(msec); i++) {
		struct qp_context context = make_context();

		context.decoded = true;
		context.mlx5[32] = (uint8_t)(atoi(msec[i][0]) << 3 | 7);
		expect(&context, "ack_timeout", msec[i][0]);
		expect(&context, "ack_timeout_msec", msec[i][1]);
	}
}

/* The first request is answered, the others are refused. */
static void serve(struct fake_kernel *kernel, const struct bytes *requests)
{
	static const int errors[] = {0, -EPERM, -EINVAL, 0};
	unsigned int number = 0;

	for_each_message (request, requests) {
		struct bytes payload = {0}, datagram = {0}, dump = {0}, wanted = {0};

		assert_int_equal(request->nlmsg_type,
				 RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_RES_QP_GET_RAW));
		/* A queue pair without a port is requested on port 1. */
		put_u32(&wanted, RDMA_NLDEV_ATTR_DEV_INDEX, 3);
		put_u32(&wanted, RDMA_NLDEV_ATTR_PORT_INDEX, number == 1 ? 2 : 1);
		put_u32(&wanted, RDMA_NLDEV_ATTR_RES_LQPN, QPN);
		assert_int_equal(request->nlmsg_len, NLMSG_HDRLEN + wanted.length);
		assert_memory_equal(request + 1, wanted.data, wanted.length);
		make_dump(&dump);
		put_u32(&payload, RDMA_NLDEV_ATTR_DEV_INDEX, 3);
		if (!number)
			put_attribute(&payload, RDMA_NLDEV_ATTR_RES_RAW, dump.data, dump.length);
		if (errors[number])
			put_error(&datagram, request->nlmsg_seq, errors[number], NULL);
		else
			put_message(&datagram, request->nlmsg_type, 0, request->nlmsg_seq,
				    payload.data, payload.length);
		fake_send(kernel, &datagram);
		number++;
	}
}

static void asked(void **state)
{
	struct fake_kernel kernel = {.serve = serve};
	struct qp_context contexts[4] = {make_context(), make_context(), make_context(),
					 make_context()};
	struct netlink *nldev = netlink_from_fd(fake_start(&kernel), 4096);

	(void)state;
	contexts[1].resource.port = number_of(2);
	contexts[2].resource.port.known = false;
	qp_contexts_read(nldev, contexts, 4);
	netlink_free(nldev);
	fake_stop(&kernel);
	assert_int_equal(contexts[0].error, 0);
	assert_true(contexts[0].decoded);
	assert_int_equal(contexts[1].error, -EPERM);
	assert_int_equal(contexts[2].error, -EINVAL);
	assert_int_equal(contexts[3].error, -ENODATA);
	assert_null(contexts[3].raw);
	qp_context_clear(&contexts[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decoded),  cmocka_unit_test(not_decoded), cmocka_unit_test(states),
		cmocka_unit_test(shortest), cmocka_unit_test(timeouts),	   cmocka_unit_test(asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
