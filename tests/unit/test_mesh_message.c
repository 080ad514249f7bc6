/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages of a mesh: round trips, in pieces, and with figures that nobody can have measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "borrowed.h"
#include "mesh/agent/runner.h"
#include "mesh/wire/mesh_message.h"

static void every_message_fits(void **state)
{
	uint8_t bytes[MESH_MOST_BYTES];

	(void)state;
	for (uint32_t type = 1; type < MESH_MESSAGE_TYPES; type++) {
		struct mesh_message message = {.type = type};
		const struct wire_layout *layout = wire_layout_of(&mesh_protocol, type);

		assert_non_null(layout);
		assert_true(layout->record_size <=
			    sizeof(message) - offsetof(struct mesh_message, body));
		assert_true(mesh_message_encode(&message, bytes) <= sizeof(bytes));
	}
}

static void answers(void **state)
{
	const struct mesh_result result = {
		.outcome = MESH_FAIL,
		.latency_usec = {1.25, true},
		.gbps = {{387.5, true}, {0, false}},
		.errors = {{7, true}, {0, false}},
		.reason = "no answer\033[2J",
	};
	struct mesh_message message, back;
	struct mesh_result got = {.stage = 9};
	uint8_t bytes[MESH_MOST_BYTES];
	size_t length;

	(void)state;
	mesh_answer_make(77, &result, &message);
	length = mesh_message_encode(&message, bytes);
	for (size_t i = 0; i < length; i++)
		assert_int_equal(mesh_message_decode(bytes, i, &back), 0);
	assert_int_equal(mesh_message_decode(bytes, length, &back), length);
	assert_int_equal(back.answer.id, 77);
	mesh_answer_take(&back.answer, &got);
	assert_int_equal(got.stage, 9);
	assert_int_equal(got.outcome, MESH_FAIL);
	assert_float_equal(got.latency_usec.value, 1.25, 1e-9);
	assert_float_equal(got.gbps[MESH_END_A].value, 387.5, 1e-9);
	assert_false(got.gbps[MESH_END_B].known);
	assert_int_equal(got.errors[MESH_END_A].value, 7);
	assert_false(got.errors[MESH_END_B].known);
	assert_string_equal(got.reason, "no answer\\x1b[2J");
}

static void both_ways(void **state)
{
	const struct mesh_result result = {
		.gbps = {{387.5, true}, {386, true}},
		.both_gbps = {{201.5, true}, {0, false}},
		.reason = "a reason",
	};
	struct mesh_message message, back;
	struct mesh_result got = {.stage = 9, .both_gbps = {{1, true}, {1, true}}};
	uint8_t bytes[MESH_MOST_BYTES];
	size_t length;

	(void)state;
	mesh_both_answer_make(78, &result, &message);
	length = mesh_message_encode(&message, bytes);
	assert_int_equal(mesh_message_decode(bytes, length, &back), length);
	assert_int_equal(back.type, MESH_MESSAGE_BOTH_ANSWER);
	assert_int_equal(back.both_answer.answer.id, 78);
	mesh_both_answer_take(&back.both_answer, &got);
	assert_int_equal(got.stage, 9);
	assert_float_equal(got.gbps[MESH_END_A].value, 387.5, 1e-9);
	assert_float_equal(got.both_gbps[MESH_END_A].value, 201.5, 1e-9);
	assert_false(got.both_gbps[MESH_END_B].known);
	assert_string_equal(got.reason, "a reason");
	message.both_answer.known = 4;
	length = mesh_message_encode(&message, bytes);
	assert_int_equal(mesh_message_decode(bytes, length, &back), -ERANGE);
}

/* The version that both sides agree on, whichever is older. */
static void versions(void **state)
{
	static const struct {
		uint32_t lowest, highest, chosen;
	} cases[] = {{1, 1, 1}, {1, 2, 2}, {1, 7, MESH_PROTOCOL},
		     {2, 2, 2}, {3, 3, 3}, {4, 4, 4},
		     {5, 5, 5}, {6, 7, 0}, {0, 0, 0}};
	struct mesh_message message;
	struct mesh_shake shake;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct mesh_hello hello = {.lowest = cases[i].lowest,
						 .highest = cases[i].highest};
		const int rc = mesh_shake_challenge(&shake, &hello, &message);

		assert_int_equal(rc, cases[i].chosen ? 0 : -EPROTONOSUPPORT);
		if (!rc)
			assert_int_equal(message.challenge.version, cases[i].chosen);
	}
	assert_int_equal(mesh_shake_respond(&shake, "token",
					    &(const struct mesh_challenge){MESH_PROTOCOL + 1, {0}},
					    &message),
			 -EPROTONOSUPPORT);
}

/* Each single figure arrives in its place, and the others stay unknown. */
static void figures_one_by_one(void **state)
{
	enum { FIGURES = 7 };

	(void)state;
	for (unsigned int which = 0; which < FIGURES; which++) {
		struct mesh_result sent = {.outcome = MESH_PASS}, got = {.outcome = MESH_FAIL};
		struct real *const reals[] = {&sent.latency_usec, &sent.gbps[0], &sent.gbps[1],
					      &sent.both_gbps[0], &sent.both_gbps[1]};
		struct mesh_message message;

		if (which < ARRAY_SIZE(reals))
			*reals[which] = real_of(2.5);
		else
			sent.errors[which - ARRAY_SIZE(reals)] = number_of(3);
		mesh_both_answer_make(9, &sent, &message);
		assert_int_equal(message.both_answer.answer.id, 9);
		mesh_both_answer_take(&message.both_answer, &got);
		assert_int_equal(got.outcome, MESH_PASS);
		assert_int_equal(got.latency_usec.known, which == 0);
		for (unsigned int end = 0; end < MESH_ENDS; end++) {
			assert_int_equal(got.gbps[end].known, which == 1 + end);
			assert_int_equal(got.both_gbps[end].known, which == 3 + end);
			assert_int_equal(got.errors[end].known, which == 5 + end);
			if (which == 5 + end)
				assert_int_equal(got.errors[end].value, 3);
			if (which == 3 + end)
				assert_float_equal(got.both_gbps[end].value, 2.5, 1e-9);
		}
	}
}

/* What a host says about itself, and the same with everything unknown. */
static void identities(void **state)
{
	const struct mesh_host known = {
		.name = borrowed("n1"),
		.release = borrowed("0.1.0"),
		.kernel = borrowed("6.1"),
		.firmware = borrowed("22.31"),
		.rank = number_of(UINT32_MAX),
		.memlock_bytes = number_of(UINT64_MAX),
		.others_qps = number_of(4),
		.rehearsed = true,
		.server_port = 4791,
	};
	struct mesh_host unknown = {.name = borrowed("n2")}, got = {.name = NULL};
	struct mesh_message message;

	(void)state;
	mesh_identity_make(&known, &message);
	mesh_identity_take(&message.identity, &got);
	assert_string_equal(got.name, "n1");
	assert_string_equal(got.release, "0.1.0");
	assert_string_equal(got.kernel, "6.1");
	assert_string_equal(got.firmware, "22.31");
	assert_true(got.rank.known && got.rank.value == UINT32_MAX);
	assert_true(got.memlock_bytes.known && got.memlock_bytes.value == UINT64_MAX);
	assert_true(got.others_qps.known && got.others_qps.value == 4);
	assert_true(got.rehearsed);
	assert_int_equal(got.server_port, 4791);
	mesh_host_clear(&got);
	/* More queue pairs than 32 bits can hold are sent as the maximum, not as none. */
	unknown.others_qps = number_of(UINT32_MAX + UINT64_C(1));
	mesh_identity_make(&unknown, &message);
	assert_true(message.identity.with_others);
	assert_int_equal(message.identity.others_qps, UINT32_MAX);
	unknown.others_qps.known = false;
	/* A rank that is too large is dropped. */
	unknown.rank = number_of(UINT32_MAX + UINT64_C(1));
	mesh_identity_make(&unknown, &message);
	mesh_identity_take(&message.identity, &got);
	assert_string_equal(got.name, "n2");
	assert_null(got.release);
	assert_null(got.firmware);
	assert_false(got.rank.known);
	assert_false(got.memlock_bytes.known);
	assert_false(got.others_qps.known);
	assert_false(got.rehearsed);
	mesh_host_clear(&got);
}

/* A port that cannot be used, and why; what is unknown stays unknown. */
static void gaps(void **state)
{
	const struct mesh_gap known = {.place = 5,
				       .device = "mlx5_\033",
				       .port = 2,
				       .reason = borrowed("it is\ndown"),
				       .hint = borrowed("look")};
	const struct mesh_gap last = {.place = MESH_MOST_RAILS + MESH_MOST_GAPS - 1, .port = 255};
	struct mesh_gap got;
	struct mesh_message message, back;
	uint8_t bytes[MESH_MOST_BYTES];
	size_t length;

	(void)state;
	mesh_gap_make(&known, &message);
	length = mesh_message_encode(&message, bytes);
	assert_int_equal(mesh_message_decode(bytes, length, &back), length);
	assert_int_equal(back.type, MESH_MESSAGE_GAP);
	mesh_gap_take(&back.gap, &got);
	assert_int_equal(got.place, 5);
	assert_string_equal(got.device, "mlx5_\\x1b");
	assert_int_equal(got.port, 2);
	assert_string_equal(got.reason, "it is\\x0adown");
	assert_string_equal(got.hint, "look");
	assert_false(got.rail.known);
	free(got.reason);
	free(got.hint);
	mesh_gap_make(&last, &message);
	length = mesh_message_encode(&message, bytes);
	assert_int_equal(mesh_message_decode(bytes, length, &back), length);
	mesh_gap_take(&back.gap, &got);
	assert_int_equal(got.place, last.place);
	assert_null(got.reason);
	assert_null(got.hint);
	message.gap.place++;
	length = mesh_message_encode(&message, bytes);
	assert_int_equal(mesh_message_decode(bytes, length, &back), -ERANGE);
}

static void orders(void **state)
{
	const struct mesh_order order = {
		.id = 77,
		.loopback = true,
		.rail = 3,
		.peer_rail = 5,
		.far.device = "mlx5_3",
		.far.port = 2,
		.peer_port = 18515,
		.tests = 6,
		.latency_msec = 100,
		.bandwidth_msec = 200,
		.timeout_msec = 300,
		.peer = "n9",
	};
	const struct mesh_message message = {.type = MESH_MESSAGE_ORDER, .order = order};
	uint8_t bytes[MESH_MOST_BYTES];
	struct mesh_message back;
	struct mesh_order got;

	(void)state;
	assert_true(mesh_message_decode(bytes, mesh_message_encode(&message, bytes), &back) > 0);
	assert_int_equal(back.type, MESH_MESSAGE_ORDER);
	got = back.order;
	assert_int_equal(got.id, 77);
	assert_true(got.loopback);
	assert_int_equal(got.rail, 3);
	assert_int_equal(got.peer_rail, 5);
	assert_string_equal(got.far.device, "mlx5_3");
	assert_int_equal(got.far.port, 2);
	assert_int_equal(got.peer_port, 18515);
	assert_int_equal(got.tests, 6);
	assert_int_equal(got.latency_msec, 100);
	assert_int_equal(got.bandwidth_msec, 200);
	assert_int_equal(got.timeout_msec, 300);
	assert_string_equal(got.peer, "n9");
}

static void figures_that_are_none(void **state)
{
	static const double values[] = {NAN, INFINITY, -1, 1e300};
	uint8_t bytes[MESH_MOST_BYTES];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		const struct mesh_result result = {
			.latency_usec = {values[i], true},
			.gbps = {{values[i], true}, {values[i], true}},
			.both_gbps = {{values[i], true}, {values[i], true}},
		};
		struct mesh_message message;
		size_t length;

		mesh_answer_make(1, &result, &message);
		length = mesh_message_encode(&message, bytes);
		/* The receiver accepts it: it is in range. */
		assert_int_equal(mesh_message_decode(bytes, length, &message), length);
		mesh_both_answer_make(1, &result, &message);
		length = mesh_message_encode(&message, bytes);
		assert_int_equal(mesh_message_decode(bytes, length, &message), length);
	}
}

static void what_is_no_message(void **state)
{
	struct mesh_message message = {.type = MESH_MESSAGE_PING};
	uint8_t bytes[MESH_MOST_BYTES];
	size_t length = mesh_message_encode(&message, bytes);

	(void)state;
	bytes[0] ^= 1;
	assert_int_equal(mesh_message_decode(bytes, length, &message), -EPROTO);
	bytes[0] ^= 1;
	bytes[7] ^= 2;
	assert_int_equal(mesh_message_decode(bytes, length, &message), -EPROTONOSUPPORT);
	bytes[7] ^= 2;
	bytes[13] = 1;
	assert_int_equal(mesh_message_decode(bytes, length, &message), -EMSGSIZE);
	message = (struct mesh_message){.type = MESH_MESSAGE_ANSWER};
	message.answer.outcome = 200;
	length = mesh_message_encode(&message, bytes);
	assert_int_equal(mesh_message_decode(bytes, length, &message), -ERANGE);
}

static void rehearsals(void **state)
{
	static const char *const names[MESH_ENDS] = {"n3", "n1"};
	static const char *const wrong[] = {
		"frobnicate",	   "all",
		"all gbps",	   "all gbps fast",
		"rail n1 gbps 5",  "pair n1 gbps 5",
		"host n1 gbps -1", "rail n1/99 gbps 5",
		"hosts n[3-1]",
	};
	const uint16_t rails[MESH_ENDS] = {1, 1};
	struct rehearsal rehearsal;
	struct rehearsal_act act;
	char *reason = NULL;

	(void)state;
	assert_int_equal(rehearsal_parse("# of a test\n"
					 "hosts n[1-3]\n"
					 "all gbps 90 latency 2\n"
					 "rail n3/1 send_gbps 40\n"
					 "rail n3/0 gbps 1\n"
					 "pair n1/1 n3/1 errors 5\n"
					 "pair n1 n2 fail no way\n",
					 &rehearsal, &reason),
			 0);
	assert_int_equal(rehearsal.hosts.count, 3);
	rehearsal_act(&rehearsal, names, rails, &act);
	assert_float_equal(act.gbps[MESH_END_A], 40, 0);
	assert_float_equal(act.gbps[MESH_END_B], 90, 0);
	/* Errors of a pair belong to the host that is named first. */
	assert_int_equal(act.errors[MESH_END_A], 0);
	assert_int_equal(act.errors[MESH_END_B], 5);
	assert_null(act.fail);
	rehearsal_clear(&rehearsal);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		if (!rehearsal_parse(wrong[i], &rehearsal, &reason))
			fail_msg("taken: %s", wrong[i]);
		assert_non_null(strstr(reason, "line 1"));
		free(reason);
		reason = NULL;
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_message_fits),
		cmocka_unit_test(answers),
		cmocka_unit_test(both_ways),
		cmocka_unit_test(versions),
		cmocka_unit_test(figures_one_by_one),
		cmocka_unit_test(identities),
		cmocka_unit_test(gaps),
		cmocka_unit_test(orders),
		cmocka_unit_test(figures_that_are_none),
		cmocka_unit_test(what_is_no_message),
		cmocka_unit_test(rehearsals),
	};

	return cmocka_run_group_tests_name("mesh_message", tests, NULL, NULL);
}
