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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(absurd_status),
		cmocka_unit_test(usual_status),
		cmocka_unit_test(names_of_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
