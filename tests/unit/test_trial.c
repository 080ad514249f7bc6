/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a trial makes of what its peer says, be it nonsense. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <rdma/rdma_cma.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "selftest/exchange.h"
#include "selftest/trial.h"

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
	bed->trial.near.agent = agent_new(-1, -1);
	bed->trial.far = (struct side){.channel = pair[0], .watch = &bed->trial.near.agent->watch};
	trial_add_row(&bed->trial, SELFTEST_SETUP, "connect", "");
}

static void free_bed(struct bed *bed)
{
	close(bed->trial.far.channel);
	close(bed->peer);
	agent_free(bed->trial.near.agent);
	selftest_results_free(&bed->results);
}

/* Any 32 bits may come as the status of any event of librdmacm's. */
static void absurd_status(void **state)
{
	static const uint32_t statuses[] = {0x80000000u, 0x80000001u, (uint32_t)-4096};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++)
		for (uint32_t event = 0; event <= RDMA_CM_EVENT_TIMEWAIT_EXIT; event++) {
			const struct message reply = {
				.type = MESSAGE_REFUSED,
				.refused = {.stage = STAGE_CM,
					    .error = EIO,
					    .cm_event = event,
					    .cm_status = statuses[i]},
			};
			struct bed bed;

			make_bed(&bed);
			assert_int_equal(trial_explain(&bed.trial, &bed.trial.far, -EREMOTEIO,
						       &reply),
					 -EREMOTEIO);
			assert_int_equal(bed.trial.result->verdict.value, SELFTEST_FAIL);
			assert_null(strstr(bed.trial.result->reason, "Unknown error"));
			free_bed(&bed);
		}
}

/* What is a status stays one. */
static void usual_status(void **state)
{
	const struct message reply = {
		.type = MESSAGE_REFUSED,
		.refused = {.stage = STAGE_CM,
			    .error = ECONNREFUSED,
			    .cm_event = RDMA_CM_EVENT_ROUTE_ERROR,
			    .cm_status = (uint32_t)-EHOSTDOWN},
	};
	struct bed bed;

	(void)state;
	make_bed(&bed);
	trial_explain(&bed.trial, &bed.trial.far, -EREMOTEIO, &reply);
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

/* A run of that test: what keeps it from being done is known before the first order. */
static void assert_too_much(const struct trial_test *table, const char *test, const char *reason)
{
	const struct message done = {.type = MESSAGE_DONE};
	const struct message_welcome granted = {.pairs = 2, .bytes = 64 << 20};
	struct message order;
	struct bed bed;
	enum stop stop;
	const char *complaint;

	make_bed(&bed);
	bed.trial.granted = granted;
	bed.trial.near_can.max_depth = bed.trial.far_can.max_depth = 1024;
	bed.trial.near_can.max_sges = bed.trial.far_can.max_sges = 1;
	bed.request.tests = &test;
	bed.request.test_count = 1;
	bed.request.block_count = 16;
	bed.request.block_bytes = 1 << 20;
	bed.request.stride = 2 << 20;
	bed.request.sizes[0] = 32 << 20;
	bed.request.size_count = 1;
	bed.request.queue_pairs = strstr(reason, "pairs") ? 3 : 2;
	assert_int_equal(exchange_send(bed.peer, &done, 1000), 0);
	trial_run_table(&bed.trial, table);
	assert_int_equal(bed.trial.result->verdict.value, SELFTEST_SKIP);
	assert_string_equal(bed.trial.result->reason, reason);
	assert_int_equal(exchange_receive(bed.peer, NULL, 1000, &order, &stop, &complaint), 0);
	assert_int_equal(order.type, MESSAGE_RELEASE);
	free_bed(&bed);
}

static void more_than_granted(void **state)
{
	(void)state;
	assert_too_much(gather_tests, "gather-write",
			"it needs 96 MiB of memory on each side, the peer grants 64 MiB");
	assert_too_much(measure_tests, "bandwidth-write",
			"it needs 134217856 bytes of memory on each side, the peer grants 64 MiB");
	assert_too_much(measure_tests, "bandwidth-write",
			"it needs 3 queue pairs, the peer grants 2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(absurd_status),
		cmocka_unit_test(usual_status),
		cmocka_unit_test(names_of_counters),
		cmocka_unit_test(more_than_granted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
