/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/signals.h"

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, 0};
static volatile sig_atomic_t came;

static void on_signal(int number)
{
	came = number;
}

static void taken_one_by_one(void **state)
{
	struct signals signals;
	struct pollfd poller = {.events = POLLIN};

	(void)state;
	signals_catch(&signals, numbers);
	poller.fd = signals.fd;
	assert_int_equal(signals_take(&signals), 0);
	assert_int_equal(poll(&poller, 1, 0), 0);
	kill(getpid(), SIGHUP);
	kill(getpid(), SIGTERM);
	assert_int_equal(poll(&poller, 1, 0), 1);
	/* The kernel delivers pending signals in numerical order. */
	assert_int_equal(signals_take(&signals), SIGHUP);
	assert_int_equal(signals_take(&signals), SIGTERM);
	assert_int_equal(signals_take(&signals), 0);
	signals_release(&signals);
	assert_int_equal(signals.fd, -1);
	assert_int_equal(signals_take(&signals), 0);
}

static void untaken_is_delivered(void **state)
{
	struct signals signals;

	(void)state;
	signal(SIGTERM, on_signal);
	signals_catch(&signals, numbers);
	came = 0;
	kill(getpid(), SIGTERM);
	assert_int_equal(came, 0);
	signals_release(&signals);
	assert_int_equal(came, SIGTERM);
	signals_release(&signals);
	signal(SIGTERM, SIG_DFL);
}

/* nohup(1): a blocked signal is queued even if it is ignored. */
static void ignored_hangup(void **state)
{
	struct signals signals;

	(void)state;
	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signals_catch(&signals, numbers);
	kill(getpid(), SIGHUP);
	assert_int_equal(signals_take(&signals), 0);
	kill(getpid(), SIGINT);
	assert_int_equal(signals_take(&signals), SIGINT);
	signals_release(&signals);
	signal(SIGHUP, SIG_DFL);
	signal(SIGINT, SIG_DFL);
}

static void waiting(void **state)
{
	struct signals signals;
	const uint64_t begin = clock_msec();

	(void)state;
	signals_catch(&signals, numbers);
	assert_false(signals_wait(&signals, begin + 20));
	assert_true(clock_msec() >= begin + 20);
	kill(getpid(), SIGINT);
	assert_true(signals_wait(&signals, begin + 600000));
	assert_true(clock_msec() < begin + 600000);
	assert_int_equal(signals_take(&signals), SIGINT);
	signals_release(&signals);
	signals = SIGNALS_NONE;
	assert_false(signals_wait(&signals, clock_msec() + 5));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(taken_one_by_one),
		cmocka_unit_test(untaken_is_delivered),
		cmocka_unit_test(ignored_hangup),
		cmocka_unit_test(waiting),
	};

	return cmocka_run_group_tests_name("signals", tests, NULL, NULL);
}
