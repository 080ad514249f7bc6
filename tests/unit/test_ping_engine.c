/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What ping needs of the MAD engine: answers with another method, and long sends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fake_transport.h"
#include "mad/ping.h"
#include "schema/bits.h"

enum { LATE_MSEC = 120, PATIENCE_MSEC = 60 };

struct caller {
	struct fake fake;
	unsigned char data[PING_DATA_BYTES];
	uint8_t method;
	unsigned int wanted, given;
	int errors[3];
	uint64_t round_trips[3];
	bool accepted[3];
};

static bool next(void *context, struct mad_request *request)
{
	struct caller *caller = context;

	if (caller->given == caller->wanted)
		return false;
	request->number = caller->given++;
	request->to = (struct mad_address){
		.qpn = 1,
		.has_grh = true,
		.gid.raw[15] = (uint8_t)request->number,
	};
	ping_request(PING_ROCE, false, caller->method, caller->data, request);
	return true;
}

static void done(void *context, const struct mad_reply *reply)
{
	struct caller *caller = context;
	size_t number = reply->request->number;

	caller->errors[number] = reply->error;
	caller->round_trips[number] = reply->round_trip_nsec;
	caller->accepted[number] = !reply->error &&
				   ping_accept(PING_ROCE, reply->request, reply->mad, reply->bytes);
}

static void answer(struct fake *fake, const unsigned char *mad, unsigned int delay_usec)
{
	unsigned char reply[MAD_BYTES];

	assert_true(ping_answer(PING_ROCE, mad, MAD_BYTES, "host", reply));
	/* The high half is the kernel's: that of the server's agent. */
	bits_set(reply, 8 * 8, 32, 0xdeadbeef);
	fake_put(fake, 0, reply, MAD_BYTES, delay_usec);
}

static int answer_at_once(struct fake *fake, int agent, const struct mad_address *to,
			  const unsigned char *mad)
{
	(void)agent;
	(void)to;
	/* The kernel must not wait for an answer that it does not know. */
	assert_int_equal(fake->last_timeout_msec, 0);
	answer(fake, mad, 0);
	return 0;
}

/*
 * Number 1 has no neighbour entry; while the kernel finds that out, the answer from number 0
 * arrives. Number 2 never answers.
 */
static int no_neighbour(struct fake *fake, int agent, const struct mad_address *to,
			const unsigned char *mad)
{
	(void)agent;
	if (to->gid.raw[15] == 1) {
		fake_sleep(LATE_MSEC);
		return -EHOSTUNREACH;
	}
	if (to->gid.raw[15] == 0)
		answer(fake, mad, (LATE_MSEC + 5) * 1000);
	return 0;
}

static int only_first_and_late(struct fake *fake, int agent, const struct mad_address *to,
			       const unsigned char *mad)
{
	(void)agent;
	(void)to;
	fake_sleep(20);
	answer(fake, mad, 0);
	return 0;
}

static void run(struct caller *caller, unsigned int wanted, fake_send on_send)
{
	const struct mad_engine_options options = {
		.timeout_msec = PATIENCE_MSEC,
		.retries_given = true,
	};
	const struct mad_work work = {.context = caller, .next = next, .done = done};
	struct mad_engine *engine;

	caller->wanted = wanted;
	caller->fake.on_send = on_send;
	caller->fake.context = caller;
	memset(caller->data + PING_HOST_BYTES, 0x5a, PING_DATA_BYTES - PING_HOST_BYTES);
	engine = fake_engine(&caller->fake, &options);
	assert_int_equal(mad_engine_run(engine, &work), 0);
	mad_engine_free(engine);
}

static void every_method_answers(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < PING_METHOD_COUNT; i++) {
		struct caller caller = {.method = ping_answer_method(i)};

		run(&caller, 3, answer_at_once);
		for (unsigned int j = 0; j < 3; j++)
			assert_true(caller.accepted[j]);
	}
}

/* A MAD that arrived during a long send() is an answer, although its time is unknown. */
static void others_are_held_up(void **state)
{
	struct caller caller = {.method = UMAD_METHOD_SEND};

	(void)state;
	run(&caller, 3, no_neighbour);
	assert_true(caller.accepted[0]);
	assert_int_equal(caller.round_trips[0], 0);
	assert_int_equal(caller.errors[1], -EHOSTUNREACH);
	/* It was sent after the long send(), which therefore does not excuse it. */
	assert_int_equal(caller.errors[2], -ETIMEDOUT);
}

static void time_of_the_send_counts(void **state)
{
	struct caller caller = {.method = UMAD_METHOD_SEND};

	(void)state;
	run(&caller, 1, only_first_and_late);
	assert_true(caller.accepted[0]);
	assert_true(caller.round_trips[0] >= 20000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_method_answers),
		cmocka_unit_test(others_are_held_up),
		cmocka_unit_test(time_of_the_send_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
