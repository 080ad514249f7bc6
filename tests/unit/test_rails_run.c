/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rows of rails, and the processes that measure them: the test of a port is simulated here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "selftest/rails/rails.h"
#include "selftest/selftest.h"

static struct selftest_result *add(struct selftest_results *results, enum selftest_group group,
				   enum selftest_verdict verdict, const char *test,
				   const char *reason)
{
	struct selftest_result *row = selftest_results_add(results);

	number_set(&row->group, group);
	number_set(&row->verdict, verdict);
	row->test = mem_string(test);
	row->reason = mem_string_or_null(reason);
	return row;
}

/* A pipe whose end here keeps the tracer of the hanging process alive. */
static int keeper[2];

/* Imitates a process that hangs in a driver: the parent does not see a traced zombie, ptrace(2). */
static void be_traced(void)
{
	const pid_t worker = getpid();
	char byte = 0;
	int ready[2];

	if (pipe(ready))
		_exit(1);
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	if (!fork()) {
		close(keeper[1]);
		if (!ptrace(PTRACE_SEIZE, worker, NULL, NULL) && write(ready[1], &byte, 1) == 1)
			while (read(keeper[0], &byte, 1) < 0 && errno == EINTR)
				;
		_exit(0);
	}
	close(ready[1]);
	/* Under an emulator there is no ptrace(): the process ends then. */
	while (read(ready[0], &byte, 1) < 0 && errno == EINTR)
		;
}

/*
 * Runs in the process of a rail instead of the test of its port, whose name selects the outcome.
 * The request is returned as the bandwidth, the only result that comes back: its size and traffic
 * class.
 */
int selftest_run(const struct selftest_request *request, const struct endpoint *local,
		 struct selftest_results *results)
{
	const char *name = local->device;
	struct selftest_result *row;

	if (!strcmp(name, "hanging"))
		be_traced();
	if (!strcmp(name, "killed"))
		kill(getpid(), SIGKILL);
	if (!strcmp(name, "broken") || fcntl(STDIN_FILENO, F_GETFD) < 0) {
		add(results, SELFTEST_SETUP, SELFTEST_FAIL, "connect", "it is broken");
		add(results, SELFTEST_BANDWIDTH, SELFTEST_SKIP, request->tests[0],
		    "nothing gets through: see connect");
		return 0;
	}
	add(results, SELFTEST_SETUP, SELFTEST_PASS, "connect", NULL);
	request->gate(request->gate_context);
	if (!strcmp(name, "lacking")) {
		add(results, SELFTEST_BANDWIDTH, SELFTEST_SKIP, request->tests[0],
		    "the device has no atomic operations");
		return 0;
	}
	row = add(results, SELFTEST_BANDWIDTH, SELFTEST_PASS, request->tests[0], NULL);
	row->bandwidth_gbps = real_of((double)request->sizes[0] +
				      (double)request->path.traffic_class.value * 1e6);
	row->cpus = strcmp(name, "soft") ? mem_string("0-3") : NULL;
	row->peer_cpus = strcmp(request->peer_device, "softer") ? mem_string("4-7") : NULL;
	return 0;
}

static unsigned int pairs_until_failure; /* 0: none fails */

/* Replaces the C library's function. */
int socketpair(int domain, int type, int protocol, int ends[2])
{
	if (!pairs_until_failure || --pairs_until_failure)
		return (int)syscall(SYS_socketpair, domain, type, protocol, ends);
	errno = ENFILE;
	return -1;
}

static void run(const struct selftest_request *request, const char *first, const char *second,
		struct selftest_results *results)
{
	struct rail rails[2] = {{.bus = NULL}};

	strcpy(rails[0].near.device, first);
	strcpy(rails[1].near.device, second);
	for (int i = 0; i < 2; i++) {
		rails[i].near.mtu_bytes = i ? 1024 : 4096;
		rails[i].far.mtu_bytes = i ? 512 : 4096;
		rails[i].path = request->path;
	}
	*results = (struct selftest_results){0};
	assert_int_equal(rails_run(request, rails, 2, results), 0);
}

static struct selftest_request request_of(unsigned int operations)
{
	return (struct selftest_request){
		.peer = "10.0.0.2",
		.signals = -1,
		.operations = operations,
		.duration_msec = 100,
	};
}

static void check(const struct selftest_result *row, enum selftest_verdict verdict,
		  const char *reason, const char *next_step)
{
	assert_int_equal(row->verdict.value, verdict);
	if (reason)
		assert_non_null(strstr(row->reason, reason));
	else
		assert_null(row->reason);
	if (next_step)
		assert_non_null(strstr(row->next_step, next_step));
	else
		assert_null(row->next_step);
}

/* A rail whose process is not bound to any processors says so. */
static void unpinned(void **state)
{
	static const struct {
		const char *near, *far, *reason;
	} rows[] = {
		{"soft", "b",
		 "not pinned: no processors near soft are known, or a process may not use them"},
		{"a", "softer",
		 "not pinned: no processors near the peer's softer are known, or a process may not "
		 "use them"},
		{"soft", "softer",
		 "not pinned: no processors near soft and the peer's softer are known, or a "
		 "process may not use them"},
		{"a", "b", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct selftest_request request = request_of(SELFTEST_WRITE);
		struct selftest_results results = {0};
		struct rail rail = {.bus = NULL};

		strcpy(rail.near.device, rows[i].near);
		strcpy(rail.far.device, rows[i].far);
		assert_int_equal(rails_run(&request, &rail, 1, &results), 0);
		check(results.items[0], SELFTEST_PASS, rows[i].reason, NULL);
		if (rows[i].reason)
			assert_string_equal(results.items[0]->reason, rows[i].reason);
		selftest_results_free(&results);
	}
}

static void sizes(void **state)
{
	struct selftest_request request = request_of(SELFTEST_WRITE);
	struct selftest_results results;

	(void)state;
	request.size_count = 2;
	request.sizes[0] = 64;
	request.sizes[1] = 4096;
	run(&request, "a", "b", &results);
	assert_int_equal(results.count, 6);
	assert_int_equal(results.items[0]->size_bytes.value, 64);
	assert_true(results.items[0]->together_gbps.value == 64);
	check(results.items[2], SELFTEST_PASS, "2 of 2 rails together", NULL);
	assert_true(results.items[2]->together_gbps.value == 128);
	assert_int_equal(results.items[5]->size_bytes.value, 4096);
	selftest_results_free(&results);
	request.size_count = 0;
	run(&request, "a", "b", &results);
	assert_int_equal(results.count, 3);
	assert_true(results.items[0]->alone_gbps.value == 65536);
	selftest_results_free(&results);
}

/* Less than the expected bandwidth is a fault, except for operations that are always small. */
static void expectations(void **state)
{
	struct selftest_request request = request_of(SELFTEST_WRITE);
	struct selftest_results results;

	(void)state;
	request.expect_gbps = 1e6;
	run(&request, "a", "b", &results);
	check(results.items[0], SELFTEST_FAIL, "expected at least 1000000.00 Gb/s", "rdmactl topo");
	selftest_results_free(&results);
	request.size_count = 1;
	run(&request, "a", "b", &results);
	check(results.items[0], SELFTEST_PASS, NULL, NULL);
	selftest_results_free(&results);
}

/* Atomics have one size, whatever --sizes says. */
static void atomics(void **state)
{
	struct selftest_request request = request_of(SELFTEST_ATOMIC);
	struct selftest_results results;

	(void)state;
	request.size_count = 2;
	request.sizes[0] = 64;
	request.sizes[1] = 4096;
	request.expect_gbps = 1e6;
	run(&request, "a", "b", &results);
	assert_int_equal(results.count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(results.items[i]->size_bytes.value, 8);
		assert_int_equal(results.items[i]->verdict.value, SELFTEST_PASS);
	}
	selftest_results_free(&results);
}

/* Datagrams are no longer than a packet of any of the rails. */
static void datagrams(void **state)
{
	struct selftest_request request = request_of(SELFTEST_SEND);
	struct selftest_results results;

	(void)state;
	request.ways.transport = SELFTEST_BY_UD;
	run(&request, "a", "b", &results);
	assert_int_equal(results.items[0]->size_bytes.value, 512);
	selftest_results_free(&results);
	request.mtu_bytes = 256;
	run(&request, "a", "b", &results);
	assert_int_equal(results.items[0]->size_bytes.value, 256);
	selftest_results_free(&results);
}

/* A feature that a device lacks is no fault, on one rail or on all of them. */
static void skipped(void **state)
{
	const struct selftest_request request = request_of(SELFTEST_ATOMIC);
	const char *reason = "alone: bandwidth-atomic: the device has no atomic operations";
	struct selftest_results results;

	(void)state;
	run(&request, "a", "lacking", &results);
	check(results.items[0], SELFTEST_PASS, NULL, NULL);
	check(results.items[1], SELFTEST_SKIP, reason, NULL);
	check(results.items[2], SELFTEST_PASS, "1 of 2 rails together", NULL);
	selftest_results_free(&results);
	run(&request, "lacking", "lacking", &results);
	check(results.items[0], SELFTEST_SKIP, reason, NULL);
	check(results.items[2], SELFTEST_SKIP, "0 of 2 rails together", NULL);
	selftest_results_free(&results);
}

/* A test that is skipped because of a failure is a failure. */
static void failed(void **state)
{
	const struct selftest_request request = request_of(SELFTEST_WRITE);
	struct selftest_results results;

	(void)state;
	run(&request, "broken", "lacking", &results);
	check(results.items[0], SELFTEST_FAIL, "alone: connect: it is broken", NULL);
	check(results.items[1], SELFTEST_SKIP, "alone: ", NULL);
	check(results.items[2], SELFTEST_FAIL, "0 of 2 rails together",
	      "the rows of the rails that carried nothing say why");
	selftest_results_free(&results);
	run(&request, "killed", "a", &results);
	check(results.items[0], SELFTEST_FAIL,
	      "alone: the process of this rail ended without a result", "dmesg");
	check(results.items[1], SELFTEST_PASS, NULL, NULL);
	selftest_results_free(&results);
}

/* A process that cannot be killed is not waited for. */
static void hanging(void **state)
{
	const struct selftest_request request = request_of(SELFTEST_WRITE);
	struct selftest_results results;

	(void)state;
	assert_int_equal(pipe(keeper), 0);
	run(&request, "hanging", "a", &results);
	check(results.items[0], SELFTEST_PASS, NULL, NULL);
	check(results.items[1], SELFTEST_PASS, NULL, NULL);
	selftest_results_free(&results);
	close(keeper[0]);
	close(keeper[1]);
}

/* No file descriptor can be opened for a process. */
static void no_process(void **state)
{
	const struct selftest_request request = request_of(SELFTEST_WRITE);
	struct selftest_results results;
	struct rlimit before, none;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	run(&request, "a", "b", &results);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	check(results.items[0], SELFTEST_FAIL,
	      "alone: cannot start a process for this rail: ", "ulimit -n");
	selftest_results_free(&results);
}

/* The next process keeps its own descriptors. */
static void no_line(void **state)
{
	const struct selftest_request request = request_of(SELFTEST_WRITE);
	struct selftest_results results;

	(void)state;
	assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0 || !open("/dev/null", O_RDONLY));
	pairs_until_failure = 3; /* of the first process when all are together */
	run(&request, "a", "b", &results);
	check(results.items[0], SELFTEST_FAIL,
	      "together: cannot start a process for this rail: ", "ulimit -n");
	check(results.items[1], SELFTEST_PASS, NULL, NULL);
	selftest_results_free(&results);
}

/* The processes measure the sum of both directions, or one of them. */
static void directions(void **state)
{
	struct selftest_request request = request_of(SELFTEST_WRITE);
	struct selftest_results results = {0};
	struct rail rail = {.near.device = "a"};

	(void)state;
	request.ways.direction = DIRECTION_BOTH;
	assert_int_equal(rails_run(&request, &rail, 1, &results), 0);
	assert_true(rail.both_ways);
	request.ways.direction = DIRECTION_IN;
	assert_int_equal(rails_run(&request, &rail, 1, &results), 0);
	assert_false(rail.both_ways);
	selftest_results_free(&results);
}

/* The packets carry the traffic class of the rail, which the row shows. */
static void traffic_class(void **state)
{
	struct selftest_request request = request_of(SELFTEST_WRITE);
	struct selftest_results results;

	(void)state;
	number_set(&request.path.traffic_class, 106);
	request.path.is_default = true;
	run(&request, "a", "b", &results);
	assert_int_equal(results.items[0]->link.traffic_class.value, 106);
	assert_true(results.items[0]->together_gbps.value == 106e6 + 65536);
	assert_false(results.items[2]->link.traffic_class.known);
	selftest_results_free(&results);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unpinned),	 cmocka_unit_test(sizes),
		cmocka_unit_test(expectations),	 cmocka_unit_test(atomics),
		cmocka_unit_test(datagrams),	 cmocka_unit_test(skipped),
		cmocka_unit_test(failed),	 cmocka_unit_test(hanging),
		cmocka_unit_test(no_process),	 cmocka_unit_test(directions),
		cmocka_unit_test(traffic_class), cmocka_unit_test(no_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
