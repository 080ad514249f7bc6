/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A trial's reaction to its peer's answers, nonsense included. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "host/device.h"
#include "loopback.h"
#include "selftest/wire/message.h"
#include "selftest/tests/tests_measure.h"
#include "selftest/trial/trial.h"
#include "selftest/agent/watch.h"
#include "selftest/wire/handshake.h"

/* A trial with a row, and a peer at the other end of a socket pair. */
struct bed {
	struct trial trial;
	struct selftest_request request;
	struct selftest_results results;
	int peer;
};

static void make_bed(struct bed *bed)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	*bed = (struct bed){.request = {.peer = "10.0.0.2", .signals = -1}, .peer = pair[1]};
	bed->trial.request = &bed->request;
	bed->trial.results = &bed->results;
	bed->trial.near.trial = &bed->trial;
	bed->trial.near.agent = agent_new(-1, -1);
	bed->trial.far = (struct side){
		.trial = &bed->trial, .channel = pair[0], .watch = &bed->trial.near.agent->watch};
	trial_add_row(&bed->trial, SELFTEST_SETUP, "connect", "");
}

static void free_bed(struct bed *bed)
{
	close(bed->trial.far.channel);
	close(bed->peer);
	agent_free(bed->trial.near.agent);
	selftest_results_free(&bed->results);
}

/* A row may have several remarks: none replaces another, until the row fails. */
static void several_remarks(void **state)
{
	struct bed bed;

	(void)state;
	make_bed(&bed);
	trial_remark(&bed.trial, "%u messages were lost", 3u);
	trial_remark(&bed.trial, "the driver refuses a state");
	trial_remark(&bed.trial, "%u messages were lost", 3u);
	assert_string_equal(bed.trial.result->reason,
			    "3 messages were lost; the driver refuses a state");
	trial_fail(&bed.trial, NULL, "wrong data");
	trial_remark(&bed.trial, "too late");
	assert_string_equal(bed.trial.result->reason, "wrong data");
	free_bed(&bed);
}

/* The status of an event of librdmacm may be any 32 bits. */
static void absurd_status(void **state)
{
	static const uint32_t statuses[] = {0x80000000u, 0x80000001u, (uint32_t)-4096};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++)
		for (uint32_t event = 0; event <= RDMA_CM_EVENT_TIMEWAIT_EXIT; event++) {
			const struct message_refused refused = {
				.stage = STAGE_CM,
				.error = EIO,
				.cm_event = event,
				.cm_status = statuses[i],
			};
			struct bed bed;

			make_bed(&bed);
			bed.trial.far.refused = refused;
			assert_int_equal(trial_explain(&bed.trial.far, -EREMOTEIO), -EREMOTEIO);
			assert_int_equal(bed.trial.result->verdict.value, SELFTEST_FAIL);
			assert_null(strstr(bed.trial.result->reason, "Unknown error"));
			free_bed(&bed);
		}
}

/* A valid status is kept. */
static void usual_status(void **state)
{
	const struct message_refused refused = {
		.stage = STAGE_CM,
		.error = ECONNREFUSED,
		.cm_event = RDMA_CM_EVENT_ROUTE_ERROR,
		.cm_status = (uint32_t)-EHOSTDOWN,
	};
	struct bed bed;

	(void)state;
	make_bed(&bed);
	bed.trial.far.refused = refused;
	trial_explain(&bed.trial.far, -EREMOTEIO);
	assert_non_null(strstr(bed.trial.result->reason, strerror(EHOSTDOWN)));
	free_bed(&bed);
}

static void names_of_counters(void **state)
{
	const struct message reply = {
		.type = MESSAGE_COUNTED,
		.counted = {.count = 2,
			    .items = {{.name = "\033[31mred", .value = 7},
				      {.name = "rcvd_pkts", .value = 8}}},
	};
	struct counter_list lists[2] = {{0}};
	struct bed bed;

	(void)state;
	make_bed(&bed);
	assert_int_equal(exchange_send(bed.peer, &reply, 1000), 0);
	trial_read_counters(&bed.trial, lists);
	assert_int_equal(lists[1].count, 2);
	assert_string_equal(lists[1].items[0].name, "\\x1b[31mred");
	assert_int_equal(lists[1].items[0].value, 7);
	assert_string_equal(lists[1].items[1].name, "rcvd_pkts");
	counter_list_clear(&lists[0]);
	counter_list_clear(&lists[1]);
	free_bed(&bed);
}

/* Runs the test: the reason not to run it is known before the first order. */
static void assert_too_much(const struct trial_test *table, const char *test, const char *reason,
			    enum selftest_verdict verdict)
{
	const struct message done = {.type = MESSAGE_DONE};
	const struct message_admitted granted = {.qps = 2, .bytes = 64 << 20};
	struct message order;
	struct bed bed;
	const char *complaint;

	make_bed(&bed);
	bed.trial.granted = granted;
	bed.trial.near.can.max_depth = bed.trial.far.can.max_depth = 1024;
	bed.trial.near.can.max_sges = bed.trial.far.can.max_sges = 1;
	bed.request.tests = &test;
	bed.request.test_count = 1;
	bed.request.block_count[0] = 16;
	bed.request.block_bytes[0] = 1 << 20;
	bed.request.block_count_count = bed.request.block_bytes_count = 1;
	bed.request.stride = 2 << 20;
	bed.request.sizes[0] = 32 << 20;
	bed.request.size_count = 1;
	bed.request.queue_pairs = strstr(reason, "pairs") ? 3 : 2;
	bed.trial.granted.run_msec = 60000;
	if (verdict == SELFTEST_FAIL) {
		bed.request.sizes[0] = 4096;
		bed.request.duration_msec = 90000;
	}
	assert_int_equal(exchange_send(bed.peer, &done, 1000), 0);
	trial_run_table(&bed.trial, table);
	assert_int_equal(bed.trial.result->verdict.value, verdict);
	assert_string_equal(bed.trial.result->reason, reason);
	if (verdict == SELFTEST_FAIL)
		assert_string_equal(bed.trial.result->next_step,
				    "run rdmactl selftest --serve --longest 90s there, or use "
				    "--duration 1m here");
	assert_int_equal(exchange_receive(bed.peer, -1, 1000, &order, &complaint), 0);
	assert_int_equal(order.type, MESSAGE_RELEASE);
	free_bed(&bed);
}

static void more_than_granted(void **state)
{
	(void)state;
	assert_too_much(gather_tests, "gather-write",
			"it needs 96 MiB of memory on each side, the peer grants 64 MiB",
			SELFTEST_SKIP);
	assert_too_much(measure_tests, "bandwidth-write",
			"it needs 134217856 bytes of memory on each side, the peer grants 64 MiB",
			SELFTEST_SKIP);
	assert_too_much(measure_tests, "bandwidth-write",
			"it needs 3 queue pairs, the peer grants 2", SELFTEST_SKIP);
	assert_too_much(measure_tests, "bandwidth-write",
			"a measurement of 90s is longer than the 1m that the server grants",
			SELFTEST_FAIL);
}

/* What the processor or the kernel cannot do with the requested memory. */
static void assert_unfit(const struct trial_test *table, const char *test, const char *reason)
{
	const struct message done = {.type = MESSAGE_DONE};
	struct bed bed;

	make_bed(&bed);
	bed.trial.granted = (struct message_admitted){.qps = LIMIT_QPS, .bytes = LIMIT_BYTES};
	bed.trial.near.can.max_depth = bed.trial.far.can.max_depth = 1024;
	bed.trial.hidden = true;
	bed.request.tests = &test;
	bed.request.test_count = 1;
	bed.request.peer_memory.kind = MEMORY_DMABUF;
	number_set(&bed.request.ways.inline_bytes, 64);
	assert_int_equal(exchange_send(bed.peer, &done, 1000), 0);
	trial_run_table(&bed.trial, table);
	assert_int_equal(bed.trial.result->verdict.value, SELFTEST_SKIP);
	assert_string_equal(bed.trial.result->reason, reason);
	free_bed(&bed);
}

static void unfit_memory(void **state)
{
	const struct trial_test latency = {.group = SELFTEST_LATENCY, .value = RUN_SEND};
	struct plan plan = {.latency = true, .order.run.bytes = 2};
	struct bed bed;

	(void)state;
	assert_unfit(rc_tests, "rc-inline",
		     "the processor must access the memory during the test, but cannot");
	assert_unfit(measure_tests, "bandwidth-write",
		     "the processor cannot copy 64 bytes inline from memory that it cannot reach");
	assert_unfit(memory_tests, "rc-window-1",
		     "the kernel registers no dma-buf for memory windows");
	assert_unfit(memory_tests, "rc-window-2",
		     "the kernel registers no dma-buf for memory windows");
	/*
	 * By default, short messages go inline if both sides can: for hidden memory that is not
	 * requested.
	 */
	make_bed(&bed);
	bed.trial.test = &latency;
	bed.trial.hidden = true;
	plan_inline(&bed.trial, &plan);
	assert_int_equal(bed.trial.near.refused.refusal, 0);
	bed.trial.hidden = false;
	plan_inline(&bed.trial, &plan);
	assert_int_equal(bed.trial.near.refused.refusal, REFUSAL_ORDER);
	assert_int_equal(plan.order.run.inline_bytes, 0);
	free_bed(&bed);
}

/* A peer that says why it leaves, after an unexpected answer; silent ones were stopped. */
static void peer_says_why(void **state)
{
	const struct message done = {.type = MESSAGE_DONE};
	const struct message leaving = {.type = MESSAGE_LEAVING,
					.leaving = {.stop = STOP_DEVICE_GONE}};
	struct bed bed;

	(void)state;
	for (int says = 0; says < 2; says++) {
		make_bed(&bed);
		memcpy(bed.trial.far.can.far.device, "rxb", sizeof("rxb"));
		assert_int_equal(exchange_send(bed.peer, &done, 1000), 0);
		if (says)
			assert_int_equal(exchange_send(bed.peer, &leaving, 1000), 0);
		shutdown(bed.peer, SHUT_WR);
		trial_explain_end(&bed.trial.near, STOP_PEER_GONE, 0);
		assert_string_equal(bed.trial.result->reason,
				    says ? "on 10.0.0.2: device rxb was removed during the test"
					 : "10.0.0.2 ended the exchange during the test: its "
					   "rdmactl was stopped or killed");
		if (says)
			assert_int_equal(bed.trial.stop, STOP_PEER_GONE);
		free_bed(&bed);
	}
}

/* What this side notices happened on this side, whichever side the test waited for. */
static void seen_from_here(void **state)
{
	static const struct {
		enum stop stop;
		bool device_gone, port_down;
		const char *reason;
	} rows[] = {
		{STOP_PEER_GONE, false, false,
		 "10.0.0.2 ended the exchange during the test: its rdmactl was stopped or killed"},
		{STOP_TIMED_OUT, true, false, "device rxa was removed during the test"},
		{STOP_TIMED_OUT, false, true, "port rxa/1 went down during the test"},
		{STOP_DEVICE_GONE, false, false,
		 "on 10.0.0.2: device rxb was removed during the test"},
	};
	struct bed bed;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		make_bed(&bed);
		bed.trial.near.can.far = (struct endpoint){.device = "rxa", .port = 1};
		bed.trial.far.can.far = (struct endpoint){.device = "rxb", .port = 1};
		bed.trial.near.agent->watch.device_gone = rows[i].device_gone;
		bed.trial.near.agent->watch.port_down = rows[i].port_down;
		trial_explain_end(&bed.trial.far, rows[i].stop, 5000);
		assert_string_equal(bed.trial.result->reason, rows[i].reason);
		free_bed(&bed);
	}
}

/* What this side was waiting for cannot come if the peer has left. */
static void fails_as_peer_leaves(void **state)
{
	struct bed bed;

	(void)state;
	make_bed(&bed);
	memcpy(bed.trial.far.can.far.device, "rxb", sizeof("rxb"));
	bed.trial.near.refused = (struct message_refused){
		.stage = STAGE_CM, .error = ECONNRESET, .text = "rdma_get_cm_event"};
	bed.trial.far.stop = STOP_PEER_GONE;
	assert_int_equal(trial_explain(&bed.trial.near, -EREMOTEIO), -EREMOTEIO);
	assert_string_equal(bed.trial.result->reason,
			    "10.0.0.2 ended the exchange during the test: its rdmactl was stopped "
			    "or killed");
	assert_int_equal(bed.trial.stop, STOP_PEER_GONE);
	free_bed(&bed);
}

/* A server gets time to release each queue pair, however it was created. */
static void patience(void **state)
{
	static const struct {
		struct message order;
		unsigned int count;
	} rows[] = {
		{{.type = MESSAGE_QP}, 1},
		{{.type = MESSAGE_QP, .qp.destroy = 1}, 0},
		{{.type = MESSAGE_CONNECT_MANY, .connect_many.count = 1000}, 1000},
		{{.type = MESSAGE_EXCHANGE_MANY, .exchange_many = {.make = 1, .count = 100}}, 100},
		{{.type = MESSAGE_EXCHANGE_MANY, .exchange_many = {.connect = 1, .count = 100}}, 0},
	};
	const struct message done = {.type = MESSAGE_DONE};
	struct bed bed;

	(void)state;
	make_bed(&bed);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct message held;

		assert_int_equal(side_start(&bed.trial.far, &rows[i].order, &held), 0);
		assert_int_equal(exchange_send(bed.peer, &done, 1000), 0);
		assert_int_equal(side_release(&bed.trial.far, &(struct message_none){}), 0);
		assert_int_equal(bed.trial.far.patience_msec, 10000 + 10 * rows[i].count);
	}
	free_bed(&bed);
}

/* A port that went down during an earlier test explains a failure only if it stays down. */
static void port_of_an_earlier_test(void **state)
{
	static const char down[] = "port rxa/1 went down during the test";
	const struct message_none none = {};
	struct bed bed;

	(void)state;
	for (int stays = 0; stays < 2; stays++) {
		struct agent *agent;

		make_bed(&bed);
		agent = bed.trial.near.agent;
		bed.trial.near.can.far = (struct endpoint){.device = "rxa", .port = 1};
		agent->watch.port_down = true;
		agent->watch.stays_down = stays;
		assert_int_equal(agent_release(agent, &none), 0);
		trial_explain_end(&bed.trial.near, STOP_TIMED_OUT, 5000);
		assert_int_equal(!strcmp(bed.trial.result->reason, down), stays);
		free_bed(&bed);
	}
}

/* The same instead of an answer. */
static void peer_leaves_at_an_order(void **state)
{
	static const struct {
		enum stop stop;
		const char *reason;
	} rows[] = {
		{STOP_DEVICE_GONE, "on 10.0.0.2: device rxb was removed during the test"},
		{STOP_TIMED_OUT, "10.0.0.2 ended the exchange during the test: it heard nothing "
				 "from this side for longer than its --idle"},
	};
	struct message leaving = {.type = MESSAGE_LEAVING};
	struct message_waited waited;
	struct bed bed;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		make_bed(&bed);
		memcpy(bed.trial.far.can.far.device, "rxb", sizeof("rxb"));
		leaving.leaving.stop = rows[i].stop;
		assert_int_equal(exchange_send(bed.peer, &leaving, 1000), 0);
		assert_int_not_equal(trial_look(&bed.trial.far, 1, &waited), 0);
		assert_string_equal(bed.trial.result->reason, rows[i].reason);
		free_bed(&bed);
	}
}

/* Both ends of a loopback poll: confined to one processor, as by taskset, they share it. */
static void loopback_on_one_processor(void **state)
{
	const struct selftest_request request = {.signals = -1};
	const struct endpoint endpoint = {.device = "soft0", .port = 1};
	struct cpu_list all, some;

	(void)state;
	assert_int_equal(cpu_list_of_thread(&all), 0);
	for (int confined = 0; confined < 2; confined++) {
		struct trial trial = {.request = &request};
		struct session session;

		some = all;
		if (confined)
			cpu_list_share(&some, 0, cpu_list_count(&all));
		assert_int_equal(cpu_list_keep_to(&some), 0);
		trial.near.trial = &trial;
		trial.near.agent = agent_new(-1, -1);
		assert_int_equal(session_open_loopback(&session, &trial, &endpoint), 0);
		assert_int_equal(trial.near.agent->shares_processor, cpu_list_count(&some) == 1);
		session_close(&session, &trial);
		agent_free(trial.near.agent);
	}
	assert_int_equal(cpu_list_keep_to(&all), 0);
}

static struct {
	int peer; /* the other end of a socket whose next wait is long */
	time_t seconds;
	bool hurries; /* each wait in vain takes no time */
} stopped = {.peer = -1};

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	/* Linux's struct timespec has 64 bits also where that of SYS_clock_gettime has 32. */
#ifdef SYS_clock_gettime64
	const int rc = (int)syscall(SYS_clock_gettime64, clock, ret);
#else
	const int rc = (int)syscall(SYS_clock_gettime, clock, ret);
#endif

	ret->tv_sec += stopped.seconds;
	return rc;
}

/* During one wait the process is stopped for an hour; then the reply comes. */
int poll(struct pollfd *polls, nfds_t count, int msec)
{
	const struct timespec left = {.tv_sec = msec / 1000, .tv_nsec = msec % 1000 * 1000000L};

	if (stopped.hurries) {
		const int ready = ppoll(polls, count, &(struct timespec){0}, NULL);

		stopped.seconds += ready == 0 && msec > 0;
		return ready;
	}
	if (stopped.peer < 0 || !msec)
		return ppoll(polls, count, msec < 0 ? NULL : &left, NULL);
	stopped.seconds += 3600;
	exchange_send(stopped.peer, &(struct message){.type = MESSAGE_DONE}, 1000);
	stopped.peer = -1;
	return 0;
}

/* Time in which the user has stopped the process (Ctrl-Z) does not make the far side late. */
static void stopped_while_it_waits(void **state)
{
	const time_t begin = stopped.seconds;
	struct bed bed;

	(void)state;
	make_bed(&bed);
	stopped.peer = bed.peer;
	assert_int_equal(side_release(&bed.trial.far, &(struct message_none){}), 0);
	assert_int_equal(stopped.seconds, begin + 3600);
	free_bed(&bed);
}

/* Each test has room for the completions that it expects, not for all that a peer may invent. */
static void peer_invents_completions(void **state)
{
	struct message answer = {.type = MESSAGE_WAITED, .waited = {.count = 1}};
	struct message_waited waited;
	struct bed bed;

	(void)state;
	make_bed(&bed);
	memcpy(bed.trial.far.can.far.device, "rxb", sizeof("rxb"));
	assert_int_equal(exchange_send(bed.peer, &answer, 1000), 0);
	assert_int_equal(trial_look(&bed.trial.far, 1, &waited), 0);
	assert_int_equal(waited.count, 1);
	answer.waited.count = 2;
	assert_int_equal(exchange_send(bed.peer, &answer, 1000), 0);
	assert_int_equal(trial_look(&bed.trial.far, 1, &waited), -EPROTO);
	assert_string_equal(bed.trial.result->reason,
			    "the peer sent something other than a message: a reply that does not "
			    "match the request");
	assert_int_equal(bed.trial.stop, STOP_PEER_GONE);
	free_bed(&bed);
}

/* The peer, or the network to it, breaks down in the middle of a message. */
static void peer_stops_in_the_middle(void **state)
{
	const struct message answer = {.type = MESSAGE_WAITED};
	uint8_t bytes[MESSAGE_MOST_BYTES];
	struct message_waited waited;
	struct bed bed;

	(void)state;
	make_bed(&bed);
	memcpy(bed.trial.far.can.far.device, "rxb", sizeof("rxb"));
	assert_true(message_encode(&answer, bytes) > 20);
	assert_int_equal(send(bed.peer, bytes, 20, 0), 20);
	assert_int_equal(shutdown(bed.peer, SHUT_WR), 0);
	assert_int_equal(trial_look(&bed.trial.far, 1, &waited), -ECONNRESET);
	assert_string_equal(bed.trial.result->reason,
			    "10.0.0.2 ended the exchange during the test: its rdmactl was stopped "
			    "or killed");
	free_bed(&bed);
	make_bed(&bed);
	memcpy(bed.trial.far.can.far.device, "rxb", sizeof("rxb"));
	stopped.hurries = true;
	assert_int_equal(send(bed.peer, bytes, 20, 0), 20);
	assert_int_equal(trial_look(&bed.trial.far, 1, &waited), -ETIMEDOUT);
	assert_string_equal(bed.trial.result->reason,
			    "10.0.0.2 stopped answering, with no reply for 5000 ms: its rdmactl "
			    "was stopped, the host hangs, or the network to it broke");
	free_bed(&bed);
	/* Before the first byte there is more time. */
	make_bed(&bed);
	memcpy(bed.trial.far.can.far.device, "rxb", sizeof("rxb"));
	assert_int_equal(trial_look(&bed.trial.far, 1, &waited), -ETIMEDOUT);
	assert_string_equal(bed.trial.result->reason,
			    "10.0.0.2 stopped answering, with no reply for 10001 ms: its rdmactl "
			    "was stopped, the host hangs, or the network to it broke");
	stopped.hurries = false;
	free_bed(&bed);
	/* The program has introduced itself, but its port is not known yet. */
	make_bed(&bed);
	bed.trial.granted.qps = LIMIT_QPS;
	assert_int_equal(send(bed.peer, bytes, 20, 0), 20);
	assert_int_equal(shutdown(bed.peer, SHUT_WR), 0);
	assert_int_equal(trial_look(&bed.trial.far, 1, &waited), -ECONNRESET);
	assert_string_equal(bed.trial.result->reason,
			    "10.0.0.2 closed the connection during the exchange: Connection reset "
			    "by peer");
	free_bed(&bed);
}

/* Another program sends less than a message, and closes the connection or waits. */
static void stranger_sends_a_few_bytes(void **state)
{
	struct message_waited waited;
	struct bed bed;

	(void)state;
	for (int closes = 0; closes < 2; closes++) {
		make_bed(&bed);
		bed.request.tcp_port = 22;
		assert_int_equal(send(bed.peer, "hi\n", 3, 0), 3);
		if (closes)
			assert_int_equal(shutdown(bed.peer, SHUT_WR), 0);
		stopped.hurries = !closes;
		assert_int_equal(trial_look(&bed.trial.far, 1, &waited),
				 closes ? -ECONNRESET : -ETIMEDOUT);
		stopped.hurries = false;
		assert_string_equal(
			bed.trial.result->reason,
			"the program on TCP port 22 of 10.0.0.2 does not speak this protocol");
		free_bed(&bed);
	}
}

/* What was wrong with an answer is still so for the next order, which finds the exchange ended. */
static void wrong_answer_to_an_earlier_order(void **state)
{
	const struct message_none none = {};
	uint8_t bytes[MESSAGE_MOST_BYTES];
	struct message_waited waited;
	struct bed bed;

	(void)state;
	make_bed(&bed);
	memcpy(bed.trial.far.can.far.device, "rxb", sizeof("rxb"));
	assert_int_equal(send(bed.peer, "GET / HTTP/1.1\r\n\r\n", 18, 0), 18);
	assert_int_equal(side_release(&bed.trial.far, &none), -EPROTO);
	assert_int_equal(trial_look(&bed.trial.far, 1, &waited), -ECONNRESET);
	assert_string_equal(bed.trial.result->reason,
			    "the peer sent something other than a message: not a message of the "
			    "protocol");
	free_bed(&bed);
	make_bed(&bed);
	memcpy(bed.trial.far.can.far.device, "rxb", sizeof("rxb"));
	assert_true(message_encode(&(struct message){.type = MESSAGE_WAITED}, bytes) > 20);
	assert_int_equal(send(bed.peer, bytes, 20, 0), 20);
	assert_int_equal(shutdown(bed.peer, SHUT_WR), 0);
	assert_int_equal(side_release(&bed.trial.far, &none), -ECONNRESET);
	assert_int_equal(trial_look(&bed.trial.far, 1, &waited), -ECONNRESET);
	assert_string_equal(bed.trial.result->reason,
			    "10.0.0.2 ended the exchange during the test: its rdmactl was stopped "
			    "or killed");
	free_bed(&bed);
}

/* A long order gets as much time for its answer, which the message states. */
static void peer_falls_silent(void **state)
{
	const struct message order = {.type = MESSAGE_RUN};
	const struct message ran = {.type = MESSAGE_RAN};
	struct message held;
	struct bed bed;

	(void)state;
	make_bed(&bed);
	memcpy(bed.trial.far.can.far.device, "rxb", sizeof("rxb"));
	assert_int_equal(exchange_send(bed.peer, &ran, 1000), 0);
	assert_int_equal(side_finish(&bed.trial.far, &order, 32000, &held), 0);
	bed.trial.far.stop = STOP_TIMED_OUT;
	trial_explain(&bed.trial.far, -ETIMEDOUT);
	assert_string_equal(bed.trial.result->reason,
			    "10.0.0.2 stopped answering, with no reply for 42000 ms: its rdmactl "
			    "was stopped, the host hangs, or the network to it broke");
	free_bed(&bed);
}

/* Opens a socket bound to an unused port; it listens if `room` is not negative. */
static int make_listener(struct selftest_request *request, int room)
{
	int fd = loopback_socket(&request->tcp_port);

	if (room >= 0)
		assert_int_equal(listen(fd, room), 0);
	assert_int_equal(ip_parse("127.0.0.1", &request->peer_ip), 0);
	return fd;
}

/* A server for one handshake. */
struct server {
	int listener;
	const char *token; /* NULL: no token is required */
	bool other;	   /* refuses, because it speaks other versions */
	uint32_t version;  /* that it chooses */
	bool mirror;	   /* without the token, it sends the client's proof back */
	struct message_hello hello;
	struct message_response response;
	uint32_t last; /* type of the last message of the client; 0: none but the hello */
	pthread_t thread;
};

static void admit(struct server *server, int channel, const struct message_challenge *challenge)
{
	struct message admitted = {.type = MESSAGE_ADMITTED,
				   .admitted = {.qps = 3, .bytes = 4096, .run_msec = 7000}};

	if (server->mirror)
		memcpy(admitted.admitted.mac, server->response.mac, NONCE_BYTES);
	else if (server->token)
		handshake_mac(server->token, HANDSHAKE_SERVER, challenge, &server->response,
			      admitted.admitted.mac);
	exchange_send(channel, &admitted, 5000);
}

static void *greet(void *context)
{
	struct server *server = context;
	const struct message refused = {
		.type = MESSAGE_REFUSED,
		.refused = {.refusal = REFUSAL_VERSION, .lowest = 2, .highest = 4},
	};
	const struct message challenge = {
		.type = MESSAGE_CHALLENGE,
		.challenge = {.version = server->version,
			      .token_wanted = !!server->token,
			      .nonce = "nonce"},
	};
	int channel = accept(server->listener, NULL, NULL);
	const char *complaint;
	struct message order;

	if (!exchange_receive(channel, -1, 5000, &order, &complaint))
		server->hello = order.hello;
	exchange_send(channel, server->other ? &refused : &challenge, 5000);
	while (!exchange_receive(channel, -1, 5000, &order, &complaint)) {
		server->last = order.type;
		if (order.type != MESSAGE_RESPONSE)
			break;
		server->response = order.response;
		admit(server, channel, &challenge.challenge);
	}
	close(channel);
	return NULL;
}

/* A program built with musl cannot load the GnuTLS of a system with glibc. */
static bool has_hmac(void)
{
	const struct message_challenge challenge = {.version = 1};
	const struct message_response response = {.nonce = ""};
	char mac[NONCE_BYTES];

	return !handshake_mac("token", HANDSHAKE_SERVER, &challenge, &response, mac);
}

/* A handshake with that token (or none) and that server: the result, and the reason. */
static void shake_hands(struct server *server, const char *token, int rc, const char *reason)
{
	static const char none[NONCE_BYTES];
	struct session session;
	struct bed bed;
	char *wanted;

	if (token && server->token && !server->other && !has_hmac())
		return;
	server->version = server->version ?: 1;
	make_bed(&bed);
	bed.request.token = token;
	server->listener = make_listener(&bed.request, 1);
	assert_int_equal(pthread_create(&server->thread, NULL, greet, server), 0);
	close(bed.trial.far.channel);
	assert_int_equal(session_open_peer(&session, &bed.trial), rc);
	/* It is not even a server if it chooses what was not offered. */
	assert_int_equal(bed.trial.results->no_exchange, rc == -ERANGE);
	session_close(&session, &bed.trial);
	pthread_join(server->thread, NULL);
	if (rc) {
		assert_int_equal(bed.trial.result->verdict.value, SELFTEST_FAIL);
		wanted = reason ? mem_string(reason)
				: mem_format("the program on TCP port %u of 10.0.0.2 does not "
					     "speak this protocol",
					     bed.request.tcp_port);
		assert_string_equal(bed.trial.result->reason, wanted);
		assert_non_null(bed.trial.result->next_step);
		free(wanted);
	} else {
		assert_int_equal(bed.trial.granted.qps, 3);
		assert_int_equal(bed.trial.granted.bytes, 4096);
		assert_int_equal(bed.trial.granted.run_msec, 7000);
	}
	assert_true(server->hello.lowest == 1 && server->hello.highest == 1);
	assert_int_equal(server->last, rc == -ERANGE ? 0 : MESSAGE_BYE);
	/* Nothing is proved to a server without a token, or of another version. */
	assert_int_equal(nonce_equal(server->response.mac, none),
			 !token || server->other || !server->token || rc == -ERANGE);
	bed.trial.far.channel = -1;
	close(server->listener);
	free_bed(&bed);
}

static void handshakes(void **state)
{
	(void)state;
	shake_hands(&(struct server){0}, NULL, 0, NULL);
	shake_hands(&(struct server){.token = "word"}, "word", 0, NULL);
	shake_hands(&(struct server){.token = "Word"}, "word", -EACCES,
		    "the program that answers as 10.0.0.2 does not know the token");
	shake_hands(&(struct server){.token = "word", .mirror = true}, "word", -EACCES,
		    "the program that answers as 10.0.0.2 does not know the token");
	shake_hands(&(struct server){0}, "word", -EACCES,
		    "10.0.0.2 does not require a token, so anyone might answer there");
	for (int i = 0; i < 2; i++)
		shake_hands(&(struct server){.other = true}, i ? "word" : NULL, -EREMOTEIO,
			    "this side speaks version 1 of the exchange protocol, 10.0.0.2 speaks "
			    "versions 2 to 4");
	for (int i = 0; i < 2; i++) {
		struct server server = {.version = 2, .token = "word"};

		shake_hands(&server, i ? "word" : NULL, -ERANGE, NULL);
	}
}

/* A port that needs a header in each packet needs it in those of the other side, too. */
static void header_of_either(void **state)
{
	static const struct {
		uint32_t link_layer;
		bool near, far, agreed;
	} rows[] = {
		{LINK_LAYER_INFINIBAND, false, false, false},
		{LINK_LAYER_INFINIBAND, true, false, true},
		{LINK_LAYER_INFINIBAND, false, true, true},
		{LINK_LAYER_INFINIBAND, true, true, true},
		/* RoCE always has it. */
		{LINK_LAYER_ETHERNET, false, true, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const bool asks = rows[i].link_layer == LINK_LAYER_INFINIBAND;
		const struct message answer = {.type = MESSAGE_HEADER_AGREED,
					       .header_agreed.needed = rows[i].near || rows[i].far};
		struct ibv_context context;
		const char *complaint;
		struct message order;
		struct bed bed;

		make_bed(&bed);
		bed.trial.near.agent->context = &context;
		bed.trial.near.agent->needs_header = rows[i].near;
		bed.trial.near.can.far.link_layer = rows[i].link_layer;
		if (asks)
			assert_int_equal(exchange_send(bed.peer, &answer, 1000), 0);
		assert_int_equal(trial_agree_on_header(&bed.trial), 0);
		if (asks) {
			assert_int_equal(exchange_receive(bed.peer, -1, 1000, &order, &complaint),
					 0);
			assert_int_equal(order.type, MESSAGE_HEADER);
			assert_int_equal(order.header.needed, rows[i].near);
		}
		assert_int_equal(bed.trial.near.agent->needs_header, rows[i].agreed);
		assert_null(bed.trial.result->reason);
		bed.trial.near.agent->context = NULL;
		free_bed(&bed);
	}
}

static void nobody_listens(void **state)
{
	struct session session;
	struct bed bed;
	int silent;

	(void)state;
	make_bed(&bed);
	silent = make_listener(&bed.request, -1);
	assert_int_equal(session_open_peer(&session, &bed.trial), -ECONNREFUSED);
	assert_true(bed.trial.results->no_exchange);
	assert_int_equal(bed.trial.result->verdict.value, SELFTEST_FAIL);
	assert_non_null(strstr(bed.trial.result->reason, "nothing listens"));
	close(silent);
	free_bed(&bed);
}

/* A signal ends an unanswered connect: the queue of the listener is full. */
static void signal_meanwhile(void **state)
{
	int signals = eventfd(1, EFD_CLOEXEC);
	struct session session;
	struct bed bed;
	int listener, others[2];

	(void)state;
	make_bed(&bed);
	listener = make_listener(&bed.request, 0);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		struct sockaddr_storage address;
		socklen_t length = socket_address(&bed.request.peer_ip, 0, bed.request.tcp_port,
						  &address);

		others[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		connect(others[i], (struct sockaddr *)&address, length);
	}
	bed.trial.near.agent->watch.signals = signals;
	assert_int_equal(session_open_peer(&session, &bed.trial), -EINTR);
	assert_int_equal(bed.trial.stop, STOP_INTERRUPTED);
	assert_int_equal(bed.trial.result->verdict.value, SELFTEST_SKIP);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		close(others[i]);
	close(listener);
	close(signals);
	free_bed(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(peer_says_why),
		cmocka_unit_test(fails_as_peer_leaves),
		cmocka_unit_test(patience),
		cmocka_unit_test(seen_from_here),
		cmocka_unit_test(port_of_an_earlier_test),
		cmocka_unit_test(peer_leaves_at_an_order),
		cmocka_unit_test(loopback_on_one_processor),
		cmocka_unit_test(peer_stops_in_the_middle),
		cmocka_unit_test(stranger_sends_a_few_bytes),
		cmocka_unit_test(wrong_answer_to_an_earlier_order),
		cmocka_unit_test(peer_falls_silent),
		cmocka_unit_test(stopped_while_it_waits),
		cmocka_unit_test(peer_invents_completions),
		cmocka_unit_test(several_remarks),
		cmocka_unit_test(absurd_status),
		cmocka_unit_test(usual_status),
		cmocka_unit_test(names_of_counters),
		cmocka_unit_test(more_than_granted),
		cmocka_unit_test(nobody_listens),
		cmocka_unit_test(signal_meanwhile),
		cmocka_unit_test(handshakes),
		cmocka_unit_test(header_of_either),
		cmocka_unit_test(unfit_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
