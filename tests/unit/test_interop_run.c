/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Runs of ibv_srq_pingpong, perftest and ucmatose on a made-up device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "selftest/interop/perftest.h"
#include "made_up_session.h"

/* The row's rate is this number of messages divided by the run time. */
static void assert_messages(const struct bed *bed, double messages)
{
	const struct selftest_result *row = row_of(bed);
	const double seconds = (double)bed->session.bulk_nsec / 1e9;

	assert_int_equal(row->verdict.value, SELFTEST_PASS);
	assert_true(row->messages_per_second.known);
	assert_true(row->messages_per_second.value * seconds > messages - 1e-6);
	assert_true(row->messages_per_second.value * seconds < messages + 1e-6);
	assert_true(row->bandwidth_gbps.value * seconds * 1e9 > messages * 64 * 8 - 1e-3);
	assert_true(row->bandwidth_gbps.value * seconds * 1e9 < messages * 64 * 8 + 1e-3);
}

/* ---- ibv_srq_pingpong ---- */

static const struct interop_role srq_role = {
	.test = "srq-pingpong",
	.program = "ibv_srq_pingpong",
	.client_summary = "",
	.server_summary = "",
	.connection = CONNECTION_EXCHANGE,
	.kind = QP_RC,
	.srq = true,
};

static void most_queue_pairs(void **state)
{
	struct bed bed;

	(void)state;
	make_bed(&bed, true, &srq_role);
	bed.session.qps = PINGPONG_MOST_QPS;
	for (uint32_t i = 0; i < PINGPONG_MOST_QPS; i++)
		assert_int_equal(interop_make_qp(&bed.session, i), 0);
	assert_int_equal(bed.device.srq_depth, 4 * PINGPONG_MOST_QPS);
	assert_int_equal(bed.results.count, 0);
	/* Once more, as for another client. */
	interop_release(&bed.session);
	assert_int_equal(bed.session.agent->work, 0);
	assert_int_equal(interop_make_qp(&bed.session, 0), 0);
	free_bed(&bed);
}

/* All queue pairs of the test have one number: every completion belongs to the first. */
static void play_many(struct bed *bed, bool server)
{
	struct pingpong run = {.session = &bed->session};

	make_bed(bed, server, &srq_role);
	bed->session.qps = 2;
	bed->session.iterations = 3;
	assert_int_equal(interop_make_qp(&bed->session, 0), 0);
	assert_int_equal(interop_make_qp(&bed->session, 1), 0);
	assert_int_equal(interop_make_buffers(&bed->session, 4 * 64, ACCESS_LOCAL), 0);
	interop_row_begin(&bed->session);
	for (int i = 0; i < 3; i++) {
		add(&bed->device, server ? INTEROP_RECEIVED : INTEROP_SENT, 64);
		add(&bed->device, server ? INTEROP_SENT : INTEROP_RECEIVED, 64);
	}
	/* The other side echoes the data. */
	run.echo = ECHO_NONE;
	pingpong_exchange(&run);
	interop_row_end(&bed->session);
}

static void rate_of_many(void **state)
{
	struct bed bed;

	(void)state;
	play_many(&bed, false);
	assert_messages(&bed, 6);
	free_bed(&bed);
	play_many(&bed, true);
	assert_messages(&bed, 5);
	free_bed(&bed);
}

/* ---- perftest ---- */

static const struct perftest_kind send_bw = {
	.operation = SELFTEST_SEND,
	.before = 1,
	.after = 3,
	.close = true,
	.server_moves = true,
};

static const struct perftest_kind write_bw = {
	.operation = SELFTEST_WRITE,
	.before = 1,
	.after = 2,
	.report = true,
	.close = true,
};

static const struct interop_role bandwidth_role = {
	.test = "ib_send_bw",
	.program = "ib_send_bw",
	.client_summary = "",
	.server_summary = "",
	.connection = CONNECTION_EXCHANGE,
	.kind = QP_RC,
	.command = perftest_command,
};

static void play_messages(struct bed *bed, uint64_t iterations)
{
	struct perftest run = {.session = &bed->session, .kind = &send_bw, .fd = -1};

	make_bed(bed, true, &bandwidth_role);
	bed->session.iterations = iterations;
	assert_int_equal(interop_make_qp(&bed->session, INTEROP_QP), 0);
	interop_row_begin(&bed->session);
	for (uint64_t i = 0; i < iterations; i++)
		add(&bed->device, INTEROP_RECEIVED, 64);
	assert_int_equal(perftest_run(&run), 0);
	interop_row_end(&bed->session);
}

/* Timing starts when the first message has arrived, so this message is not included. */
static void rate_of_a_receiver(void **state)
{
	struct bed bed;

	(void)state;
	play_messages(&bed, 5);
	assert_messages(&bed, 4);
	assert_int_equal(row_of(&bed)->iterations.value, 5);
	free_bed(&bed);
	play_messages(&bed, 1);
	assert_int_equal(row_of(&bed)->verdict.value, SELFTEST_PASS);
	assert_false(row_of(&bed)->messages_per_second.known);
	assert_false(row_of(&bed)->bandwidth_gbps.known);
	free_bed(&bed);
}

/*
 * What an ib_write_bw client sends before the test, in three parts; the last one is its final word.
 */
static size_t say_hello(char *text)
{
	static const char version[PERFTEST_VERSION_BYTES] = PERFTEST_VERSION;
	static const uint32_t sizes[] = {4096, 64};
	char *at = text;

	memcpy(at, version, sizeof(version));
	at += sizeof(version);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++, at += sizeof(uint32_t))
		memcpy(at, &(uint32_t){htonl(sizes[i])}, sizeof(uint32_t));
	memcpy(at, "3", PERFTEST_MTU_BYTES);
	return (size_t)(at - text) + PERFTEST_MTU_BYTES;
}

/*
 * `keys`: how often a client sends its address before it closes the connection; or, with a limit of
 * its measurement, measures for longer than that.
 */
static void play_client(struct bed *bed, unsigned int keys, const uint64_t *report,
			unsigned int measure_msec)
{
	struct perftest run = {
		.session = &bed->session, .kind = &write_bw, .measure_msec = measure_msec};
	struct perftest_keys client = {.reads = 1, .qpn = 0x12, .rkey = 1};
	char text[2048];
	size_t length = say_hello(text);
	int pair[2];

	make_bed(bed, true, &bandwidth_role);
	client.gid = bed->local.gid;
	for (unsigned int i = 0; i < keys; i++, length += PERFTEST_GID_BYTES)
		perftest_format_keys(&client, true, text + length);
	if (report) {
		memcpy(text + length, report, PERFTEST_REPORT_ITEMS * sizeof(*report));
		length += PERFTEST_REPORT_ITEMS * sizeof(*report);
	}
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(write(pair[1], text, length), (ssize_t)length);
	if (!measure_msec)
		assert_int_equal(shutdown(pair[1], SHUT_WR), 0);
	run.fd = pair[0];
	interop_row_begin(&bed->session);
	perftest_exchange(&run);
	interop_row_end(&bed->session);
	close(pair[0]);
	close(pair[1]);
}

static void clients_that_end(void **state)
{
	static const char ended[] = "closed the connection: its ib_send_bw ended";
	struct bed bed;

	(void)state;
	play_client(&bed, 0, NULL, 0);
	assert_reason(&bed, "closed the connection before the addresses were exchanged");
	free_bed(&bed);
	/* In the steps before the test, during it, and after the client has reported its end. */
	for (unsigned int keys = 1; keys <= 4; keys++) {
		play_client(&bed, keys, NULL, 0);
		assert_reason(&bed, ended);
		free_bed(&bed);
	}
}

/* A client that measures sends nothing over TCP until it is done. */
static void long_measurement(void **state)
{
	struct bed bed;

	(void)state;
	play_client(&bed, 3, NULL, 1000);
	assert_reason(&bed, "hostb did not end its test within 1 s, for which this side waits: it "
			    "measures for longer, or it hangs");
	free_bed(&bed);
}

/* A read request carries no data, so only a write can have a wrong size. */
static void refused_requests(void **state)
{
	static const struct {
		unsigned int operation;
		const char *reason;
	} cases[] = {
		{SELFTEST_WRITE, "does not accept messages of 64 bytes"},
		{SELFTEST_READ, "the peer refused the request"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bed bed;

		make_bed(&bed, false, &bandwidth_role);
		bed.request.operations = cases[i].operation;
		interop_row_begin(&bed.session);
		interop_fail_status(&bed.session, &(struct ibv_wc){.status = IBV_WC_REM_INV_REQ_ERR,
								   .vendor_err = 0x8a});
		assert_reason(&bed, cases[i].reason);
		assert_int_equal(row_of(&bed)->vendor_error.value, 0x8a);
		interop_row_end(&bed.session);
		free_bed(&bed);
	}
}

static void bad_reports(void **state)
{
	uint64_t report[PERFTEST_REPORT_ITEMS];
	struct bed bed;

	(void)state;
	memset(report, 0xff, sizeof(report));
	play_client(&bed, 4, report, 0);
	assert_reason(&bed, "the results from hostb are not a report of ib_send_bw");
	free_bed(&bed);
	/* A valid report, after which the client closes without its last word. */
	perftest_format_report(64, 7, 0.5, report);
	play_client(&bed, 4, report, 0);
	assert_reason(&bed, "closed the connection: its ib_send_bw ended");
	assert_int_equal(row_of(&bed)->iterations.value, 7);
	free_bed(&bed);
}

static void keep_line(void *context, const char *text)
{
	snprintf(context, 128, "%s", text);
}

/* The log of a server that is ended while it serves a client. */
static void interrupted_server(void **state)
{
	char said[128] = "";
	struct bed bed;

	(void)state;
	make_bed(&bed, true, &bandwidth_role);
	bed.request.say = keep_line;
	bed.request.say_context = said;
	interop_row_begin(&bed.session);
	bed.session.agent->watch.interrupted = true;
	assert_int_equal(interop_fail_stop(&bed.session, STOP_INTERRUPTED), -EIO);
	interop_row_end(&bed.session);
	assert_string_equal(said, "hostb: ib_send_bw: skip: interrupted before the test was done");
	free_bed(&bed);
}

/* Nothing more arrives because completions are lost, and the peer is not to blame. */
static void lost_completions(void **state)
{
	struct bed bed;

	(void)state;
	make_bed(&bed, true, &bandwidth_role);
	interop_row_begin(&bed.session);
	bed.session.agent->watch.queue_error = EOVERFLOW;
	assert_int_equal(interop_fail_stop(&bed.session, STOP_TIMED_OUT), -EIO);
	assert_reason(&bed, "a completion queue of none0 is in error (IBV_EVENT_CQ_ERR)");
	free_bed(&bed);
}

/* How long the other side has been silent says nothing. */
static void host_is_gone(void **state)
{
	(void)state;
	for (int server = 0; server < 2; server++) {
		struct bed bed;

		make_bed(&bed, server, &bandwidth_role);
		if (server)
			interop_row_begin(&bed.session);
		assert_int_equal(interop_fail_exchange(&bed.session, -EHOSTDOWN, 600000), -EIO);
		assert_reason(&bed, "hostb is connected, but its host no longer answers: TCP gave "
				    "up the connection");
		free_bed(&bed);
	}
}

/* There is no test for perftest's atomics. */
static void no_such_test(void **state)
{
	const struct selftest_request request = {.operations = SELFTEST_ATOMIC, .signals = -1};
	const struct endpoint local = {.device = "soft0", .port = 1};
	struct selftest_results results = {0};

	(void)state;
	assert_int_equal(interop_run(PROTOCOL_PERFTEST, &request, &local, &results), -EINVAL);
	assert_int_equal(results.count, 0);
}

/* ---- ucmatose ---- */

static void count_of_a_server(void **state)
{
	static const struct {
		char *(*command)(const struct interop *session);
		const char *reason;
	} programs[] = {
		{ucmatose_command, "after 3 of 5 iterations (it disconnected): its ucmatose ended, "
				   "or its options ask for fewer"},
		{rping_command, "after 3 iterations (it disconnected): its ucmatose ended"},
	};
	struct interop_role role = srq_role;
	struct bed bed;

	(void)state;
	role.program = "ucmatose";
	role.connection = CONNECTION_CM;
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		role.command = programs[i].command;
		make_bed(&bed, true, &role);
		interop_row_begin(&bed.session);
		bed.session.done = 3;
		interop_fail_stop(&bed.session, STOP_PEER_GONE);
		assert_reason(&bed, programs[i].reason);
		free_bed(&bed);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(most_queue_pairs),   cmocka_unit_test(rate_of_many),
		cmocka_unit_test(rate_of_a_receiver), cmocka_unit_test(clients_that_end),
		cmocka_unit_test(refused_requests),   cmocka_unit_test(bad_reports),
		cmocka_unit_test(interrupted_server), cmocka_unit_test(no_such_test),
		cmocka_unit_test(count_of_a_server),  cmocka_unit_test(lost_completions),
		cmocka_unit_test(host_is_gone),	      cmocka_unit_test(long_measurement),
	};

	return cmocka_run_group_tests_name("interop_run", tests, NULL, NULL);
}
