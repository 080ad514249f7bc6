/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rounds of ping on a simulated kernel: who is pinged, what is counted, how losses are explained.
 */
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

enum { ALIVE = 4, DEAD, REFUSES, UNREACHABLE, NAMELESS, NAMED, SILENT, STRANGE };

struct fixture {
	struct fake fake;
	struct mad_session session;
	struct problems problems;
	struct ping_client ping;
	uint16_t asked[32]; /* LIDs of the requests */
	size_t asked_count;
	uint64_t key; /* of the last request */
};

/* Node descriptions, for nodes that answer. */
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
	/* Another vendor's answer: IBA 1, 16.5.1 has the OUI in bytes 37 to 39. */
	if (to->lid == STRANGE) {
		unsigned char strange[MAD_BYTES];

		memcpy(strange, mad, sizeof(strange));
		strange[39] ^= 1;
		fake_answer(fake, strange, 0, 0);
		return 0;
	}
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

static void beyond_a_router(void **state)
{
	static const uint16_t lids[] = {ALIVE};
	struct fixture *fixture = begin(lids, ARRAY_SIZE(lids));
	struct ping_target *target = &fixture->ping.targets[0];
	_cleanup_(freep) char *text = NULL;

	(void)state;
	target->kind = PING_SMP;
	ping_request(PING_SMP, false, 0, NULL, &target->request);
	target->request.to.has_grh = true;
	assert_int_equal(ping_round(&fixture->ping), 0);
	text = ping_target_complaint(target);
	assert_string_equal(text, "no answer to 1 of 1 requests (not sent: it is in another "
				  "subnet, and SMPs do not cross routers)");
	assert_non_null(strstr(ping_target_hint(target), "omit --smp"));
	end(fixture);
}

/* What was wrong with an answer that does not count, and with a refusal. */
static void faults(void **state)
{
	static const uint16_t lids[] = {ALIVE, STRANGE, REFUSES};
	static const char *const texts[] = {
		"no answer to 0 of 1 requests",
		"no valid answer to 1 of 1 requests (the answer does not match the request)",
		"no valid answer to 1 of 1 requests (refused with status 0x001c: invalid-value)",
	};
	struct fixture *fixture = begin(lids, ARRAY_SIZE(lids));
	struct ping_target *targets = fixture->ping.targets;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lids); i++) {
		targets[i].kind = PING_OPENIB;
		ping_request(PING_OPENIB, false, 0, NULL, &targets[i].request);
	}
	assert_int_equal(ping_round(&fixture->ping), 0);
	for (size_t i = 0; i < ARRAY_SIZE(lids); i++) {
		_cleanup_(freep) char *text = ping_target_complaint(&targets[i]);

		assert_string_equal(text, texts[i]);
	}
	end(fixture);
}

/* A target that could not be reached is pinged first in the next round. */
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

/*
 * Nodes that answered a ping without a host name are asked for one; without an answer they have
 * none.
 */
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

/* Another program has the port's response methods: the kernel refuses every agent. */
static void no_method_is_left(void **state)
{
	static const uint16_t lids[] = {ALIVE};
	struct fixture *fixture = begin(lids, ARRAY_SIZE(lids));

	(void)state;
	assert_int_equal(ping_add_agent(&fixture->ping), ping_answer_method(0));
	fixture->fake.agent_error = -EEXIST;
	assert_int_equal(ping_add_agent(&fixture->ping), 0);
	assert_int_equal(fixture->problems.count, 1);
	assert_string_equal(
		fixture->problems.items[0].error,
		"mlx5_0/1: the kernel refused to register an agent for answers: File exists");
	end(fixture);
}

/* Each kind of loss, with its full text, and the next step that fits the kind of request. */
static void losses(void **state)
{
	static const struct {
		enum ping_kind kind;
		uint64_t received;
		int error;
		uint16_t status;
		const char *fault;
		const char *text, *hint;
		bool named_lid;
	} rows[] = {
		{PING_PMA, 0, -ETIMEDOUT, 0, NULL, "no answer to 5 of 5 requests",
		 "the node or the path to it is down; a directed route shows where: rdmactl ping "
		 "-D 0,1"},
		{PING_SMP, 0, 0, 0, NULL, "no answer to 5 of 5 requests",
		 "the node or the path to it is down, or it answers only with its M_Key (--mkey)"},
		{PING_SMP, 0, -ETIMEDOUT, 0, NULL, "no answer to 5 of 5 requests",
		 "no port has this LID, the node or the path to it is down, or it answers only "
		 "with its M_Key (--mkey); in a multi-plane (XDR) subnet, give a directed route "
		 "(-D 0,1,3)",
		 .named_lid = true},
		{PING_OPENIB, 0, -EHOSTUNREACH, 0x0c, "not told",
		 "no valid answer to 5 of 5 requests (refused with status 0x000c: "
		 "attribute-not-supported)",
		 "run rdmactl ping --serve or ibping -S on the destination"},
		{PING_OPENIB, 0, 0, 0, "another address answered",
		 "no valid answer to 5 of 5 requests (another address answered)",
		 "run rdmactl ping --serve or ibping -S on the destination"},
		{PING_ROCE, 0, -ETIMEDOUT, 0, NULL, "no answer to 5 of 5 requests",
		 "run rdmactl ping --serve on the destination"},
		{PING_ROCE, 0, -EINVAL, 0, NULL,
		 "no answer to 5 of 5 requests (not sent: Invalid argument)", NULL},
		{PING_PMA, 4, -ETIMEDOUT, 0, NULL, "no answer to 1 of 5 requests",
		 "rdmactl perf shows the errors of the ports on the path"},
		{PING_ROCE, 1, -ETIMEDOUT, 0, NULL, "no answer to 4 of 5 requests", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct ping_target target = {.kind = rows[i].kind,
						   .sent = 5,
						   .received = rows[i].received,
						   .error = rows[i].error,
						   .status = rows[i].status,
						   .fault = rows[i].fault,
						   .named_lid = rows[i].named_lid,
						   .request.mgmt_class = UMAD_CLASS_PERF_MGMT};
		_cleanup_(freep) char *text = ping_target_complaint(&target);
		const char *hint = ping_target_hint(&target);

		assert_string_equal(text, rows[i].text);
		if (rows[i].hint)
			assert_string_equal(hint, rows[i].hint);
		else
			assert_null(hint);
	}
}

static void assert_real(const struct real *real, bool known, double value)
{
	assert_int_equal(real->known, known);
	if (known)
		assert_float_equal(real->value, value, 1e-9);
}

/* For 1 to 10 us: the mean of the middle two, and by nearest rank the ninth and the last. */
static void figures(void **state)
{
	uint64_t samples[10];
	struct ping_target target = {.sent = 16, .received = 12, .samples = samples};

	(void)state;
	ping_target_compute(&target);
	assert_real(&target.record.loss_percent, true, 25);
	assert_real(&target.record.min, false, 0);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		samples[i] = 1000 * (10 - i);
	target.sample_count = ARRAY_SIZE(samples);
	ping_target_compute(&target);
	assert_real(&target.record.min, true, 1);
	assert_real(&target.record.p50, true, 5.5);
	assert_real(&target.record.p90, true, 9);
	assert_real(&target.record.p99, true, 10);
	assert_real(&target.record.max, true, 10);
	assert_real(&target.record.mean, true, 5.5);
	/* Nothing was sent, so there is no loss. */
	target = (struct ping_target){.sent = 0};
	ping_target_compute(&target);
	assert_real(&target.record.loss_percent, false, 0);
	assert_int_equal(target.record.sent.value, 0);
	assert_true(target.record.sent.known && target.record.received.known);
}

/* The rows of --each: one per request, with its round trip in every column. */
static void each_request(void **state)
{
	static const uint16_t lids[] = {ALIVE, DEAD};
	struct fixture *fixture = begin(lids, ARRAY_SIZE(lids));
	const struct ping_record *const *rows;

	(void)state;
	fixture->ping.keeps_each = true;
	fixture->ping.targets[0].record.host = mem_string("host");
	assert_int_equal(ping_round(&fixture->ping), 0);
	assert_int_equal(ping_round(&fixture->ping), 0);
	rows = (const struct ping_record *const *)fixture->ping.each;
	assert_int_equal(fixture->ping.each_count, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct ping_record *row = rows[i];
		bool alive = i % 2 == 0;

		assert_string_equal(row->object, alive ? "4" : "5");
		assert_string_equal(row->device, "mlx5_0");
		assert_int_equal(row->port.value, 1);
		assert_int_equal(row->kind.value, PING_PMA);
		assert_int_equal(row->sequence.value, i / 2 + 1);
		assert_int_equal(row->sent.value, 1);
		assert_int_equal(row->received.value, alive);
		assert_real(&row->loss_percent, true, alive ? 0 : 100);
		assert_real(&row->min, alive, row->p50.value);
		assert_real(&row->max, alive, row->mean.value);
		assert_real(&row->p90, alive, row->p99.value);
		if (alive)
			assert_string_equal(row->host, "host");
		else
			assert_null(row->host);
	}
	end(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_answers),    cmocka_unit_test(unreached_goes_first),
		cmocka_unit_test(flood_sends_all),   cmocka_unit_test(descriptions),
		cmocka_unit_test(no_method_is_left), cmocka_unit_test(losses),
		cmocka_unit_test(figures),	     cmocka_unit_test(faults),
		cmocka_unit_test(beyond_a_router),   cmocka_unit_test(each_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
