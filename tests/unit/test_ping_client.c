/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rounds of ping on a simulated kernel: who is asked, what is counted, what is said of a loss. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "fake_transport.h"
#include "mad/ping_client.h"
#include "schema/bits.h"

enum { ALIVE = 4, DEAD = 5, REFUSES = 6, UNREACHABLE = 7, NAMELESS = 8, NAMED = 9, SILENT = 10 };

struct fixture {
	struct fake fake;
	struct mad_session session;
	struct problems problems;
	struct ping_client ping;
	uint16_t asked[32]; /* LIDs */
	size_t asked_count;
	uint64_t key; /* of the last request */
};

/* What nodes say they are called, as far as they answer. */
static void describe(struct fixture *fixture, const unsigned char *mad, uint16_t lid)
{
	unsigned char reply[MAD_BYTES];

	memcpy(reply, mad, sizeof(reply));
	fixture->key = bits_get(mad, 24 * 8, 64);
	assert_int_equal(bits_get(mad, 16 * 8, 16), UMAD_SM_ATTR_NODE_DESC);
	reply[3] |= UMAD_METHOD_RESP_MASK;
	if (lid == REFUSES)
		reply[5] = UMAD_STATUS_INVALID_ATTR_VALUE;
	if (lid != NAMELESS)
		snprintf((char *)reply + 64, 64, "host %u", lid);
	fake_put(&fixture->fake, 0, reply, sizeof(reply), 0);
}

static int answer(struct fake *fake, int agent, const struct mad_address *to,
		  const unsigned char *mad)
{
	struct fixture *fixture = fake->context;

	(void)agent;
	fixture->asked[fixture->asked_count++] = to->lid;
	if (to->lid == UNREACHABLE)
		return -EHOSTUNREACH;
	if (mad[1] == UMAD_CLASS_SUBN_LID_ROUTED && to->lid != DEAD)
		describe(fixture, mad, to->lid);
	else if (to->lid != DEAD)
		fake_answer(fake, mad, to->lid == REFUSES ? UMAD_STATUS_INVALID_ATTR_VALUE : 0, 0);
	return 0;
}

static struct fixture *begin(const uint16_t *lids, size_t count)
{
	const struct mad_engine_options options = {.timeout_msec = 300, .retries_given = true};
	struct fixture *fixture = mem_alloc_zero(1, sizeof(*fixture));

	fixture->fake.on_send = answer;
	fixture->fake.context = fixture;
	fixture->session.problems = &fixture->problems;
	fixture->session.port = (struct mad_port){.device = mem_string("mlx5_0"), .port = 1};
	fixture->session.engine = fake_engine(&fixture->fake, &options);
	fixture->ping = (struct ping_client){.session = &fixture->session, .count = 2};
	for (size_t i = 0; i < count; i++) {
		_cleanup_(freep) char *name = mem_format("%u", lids[i]);
		struct ping_target *target = ping_add_target(&fixture->ping, PING_PMA, name);

		target->request.to = (struct mad_address){.lid = lids[i], .qpn = 1};
		ping_request(PING_PMA, false, 0, NULL, &target->request);
	}
	return fixture;
}

static void end(struct fixture *fixture)
{
	ping_client_clear(&fixture->ping);
	mad_engine_free(fixture->session.engine);
	free(fixture->session.port.device);
	problems_free(&fixture->problems);
	free(fixture);
}

static void counts_answers(void **state)
{
	static const uint16_t lids[] = {ALIVE, DEAD, REFUSES};
	struct fixture *fixture = begin(lids, ARRAY_SIZE(lids));
	struct ping_target *targets = fixture->ping.targets;

	(void)state;
	fixture->ping.keeps_each = true;
	assert_int_equal(ping_round(&fixture->ping), 0);
	assert_int_equal(ping_round(&fixture->ping), 0);
	assert_int_equal(fixture->ping.each_count, 6);
	for (size_t i = 0; i < ARRAY_SIZE(lids); i++) {
		_cleanup_(freep) char *text = ping_target_complaint(&targets[i]);

		ping_target_compute(&targets[i]);
		assert_int_equal(targets[i].record.sent.value, 2);
		assert_int_equal(targets[i].record.received.value, lids[i] == DEAD ? 0 : 2);
		assert_int_equal(targets[i].record.p50.known, lids[i] != DEAD);
		if (lids[i] == DEAD)
			assert_string_equal(text, "no answer to 2 of 2 requests");
	}
	ping_drop_each(&fixture->ping);
	assert_int_equal(fixture->ping.each_count, 0);
	end(fixture);
}

/* A target that could not be reached is asked first in the next round. */
static void unreached_goes_first(void **state)
{
	static const uint16_t lids[] = {ALIVE, UNREACHABLE};
	static const uint16_t order[] = {ALIVE, UNREACHABLE, UNREACHABLE, ALIVE};
	struct fixture *fixture = begin(lids, ARRAY_SIZE(lids));
	_cleanup_(freep) char *text = NULL, *expected = NULL;

	(void)state;
	assert_int_equal(ping_round(&fixture->ping), 0);
	assert_int_equal(ping_round(&fixture->ping), 0);
	assert_int_equal(fixture->asked_count, ARRAY_SIZE(order));
	assert_memory_equal(fixture->asked, order, sizeof(order));
	text = ping_target_complaint(&fixture->ping.targets[1]);
	expected = mem_format("no answer to 2 of 2 requests (not sent: %s)",
			      strerror(EHOSTUNREACH));
	assert_string_equal(text, expected);
	end(fixture);
}

static void flood_sends_all(void **state)
{
	static const uint16_t lids[] = {ALIVE, REFUSES};
	struct fixture *fixture = begin(lids, ARRAY_SIZE(lids));

	(void)state;
	fixture->ping.flood = true;
	fixture->ping.count = 10;
	assert_int_equal(ping_round(&fixture->ping), 0);
	assert_int_equal(fixture->asked_count, 20);
	assert_int_equal(fixture->ping.targets[0].received, 10);
	end(fixture);
}

/* Nodes without a host's name that answered a ping are asked; who does not say it has none. */
static void descriptions(void **state)
{
	static const uint16_t lids[] = {ALIVE, DEAD, REFUSES, NAMELESS, NAMED, SILENT};
	struct fixture *fixture = begin(lids, ARRAY_SIZE(lids));
	struct mad_destination destinations[ARRAY_SIZE(lids)] = {{.name = NULL}};
	struct ping_target *targets = fixture->ping.targets;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lids); i++) {
		destinations[i].place.address.lid = lids[i];
		targets[i].received = lids[i] != SILENT;
	}
	targets[4].record.host = mem_string("known");
	fixture->session.destinations = destinations;
	fixture->session.key = 0x1234567890abcdef;
	ping_describe_nodes(&fixture->ping);
	assert_int_equal(fixture->asked_count, 4);
	assert_true(fixture->key == 0x1234567890abcdef);
	assert_string_equal(targets[0].record.host, "host 4");
	assert_null(targets[1].record.host);
	assert_null(targets[2].record.host);
	assert_null(targets[3].record.host);
	assert_string_equal(targets[4].record.host, "known");
	assert_null(targets[5].record.host);
	end(fixture);
}

/* Another program has the port's answer methods: the kernel refuses every agent. */
static void no_method_is_left(void **state)
{
	static const uint16_t lids[] = {ALIVE};
	struct fixture *fixture = begin(lids, ARRAY_SIZE(lids));

	(void)state;
	assert_int_equal(ping_add_agent(&fixture->ping), ping_answer_method(0));
	fixture->fake.agent_error = -EEXIST;
	assert_int_equal(ping_add_agent(&fixture->ping), 0);
	assert_int_equal(fixture->problems.count, 1);
	assert_string_equal(fixture->problems.items[0].error,
			    "mlx5_0/1: the kernel refused the agent for answers: File exists");
	end(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_answers),    cmocka_unit_test(unreached_goes_first),
		cmocka_unit_test(flood_sends_all),   cmocka_unit_test(descriptions),
		cmocka_unit_test(no_method_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
