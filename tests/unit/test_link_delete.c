/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The process that deletes a software device, with a deletion made by the test: the descriptors it
 * has open, what it reports, and how long its parent waits for it.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/signals.h"
#include "change/link/link.h"

/* Memory shared by both processes. */
struct shared {
	int rc;			 /* result of the deletion */
	bool dies;		 /* ends without a report */
	pid_t parent;		 /* must not delete anything itself */
	int sends;		 /* signal sent to the parent; 0: none */
	volatile bool waits;	 /* the deletion ends when this becomes false */
	int fds[2];		 /* descriptors of the parent that the child must not have */
	unsigned int still_open; /* number of these, and of standard streams, left open */
	bool own_session;
};

struct bed {
	struct shared *shared;
	struct change_host host;
	struct changes changes;
	struct change *change;
	struct link_removal removal;
	unsigned int told;
	char *text;
};

static int remove_it(const void *context)
{
	struct shared *shared = *(struct shared *const *)context;
	const int fds[] = {0, 1, 2, shared->fds[0], shared->fds[1]};

	if (getpid() == shared->parent)
		abort();
	shared->own_session = getsid(0) == getpid();
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		shared->still_open += fcntl(fds[i], F_GETFD) >= 0;
	if (shared->dies)
		_exit(0);
	if (shared->sends)
		kill(getppid(), shared->sends);
	/* The parent may fail and exit, which gives this process another parent. */
	for (pid_t parent = getppid(); shared->waits && getppid() == parent;)
		poll(NULL, 0, 1);
	return shared->rc;
}

/* Once the wait has been announced, the deletion may end. */
static void tell(const void *context, const char *text)
{
	/* The context is the bed, which the host only passes through. */
	struct bed *bed = (struct bed *)(uintptr_t)context;

	bed->told++;
	free(bed->text);
	bed->text = mem_string(text);
	bed->shared->waits = false;
}

static int set_up(void **state)
{
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));

	bed->shared = mmap(NULL, sizeof(*bed->shared), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (bed->shared == MAP_FAILED || pipe(bed->shared->fds))
		return -1;
	bed->shared->parent = getpid();
	bed->host.tell = tell;
	bed->host.tell_context = bed;
	bed->removal = (struct link_removal){remove_it, &bed->shared, 60000};
	bed->change = changes_add(&bed->changes, &bed->host, &link_setting, "rxe0", CHANGE_ABSENT);
	bed->change->written = true;
	*state = bed;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	close(bed->shared->fds[0]);
	close(bed->shared->fds[1]);
	munmap(bed->shared, sizeof(*bed->shared));
	changes_clear(&bed->changes);
	free(bed->text);
	free(bed);
	return 0;
}

static int delete_it(struct bed *bed)
{
	return link_delete_by(bed->change, "no-such-device", &bed->removal);
}

/* An open descriptor of the device would make the kernel wait for the child itself. */
static void deleted(void **state)
{
	struct bed *bed = *state;

	assert_int_equal(delete_it(bed), 0);
	assert_true(bed->change->written);
	assert_null(bed->change->reason);
	assert_int_equal(bed->told, 0);
	assert_true(bed->shared->own_session);
	/* If standard input is closed, the report's descriptor takes its number. */
	assert_in_range(bed->shared->still_open, 0, fcntl(0, F_GETFD) < 0);
	/* The child has been reaped. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* A failed deletion does not count as written, so nothing is undone. */
static void refused(void **state)
{
	static const struct {
		int rc;
		const char *reason, *next_step;
	} rows[] = {
		{-EINVAL, "it is gone, or cannot be deleted",
		 "rdmactl link lists those that can be deleted"},
		{-EPERM, "it takes CAP_NET_ADMIN in the initial user namespace",
		 "run it as root, on the host"},
		{-EBUSY, NULL, NULL},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bed->shared->rc = rows[i].rc;
		changes_clear(&bed->changes);
		bed->change = changes_add(&bed->changes, &bed->host, &link_setting, "rxe0",
					  CHANGE_ABSENT);
		bed->change->written = true;
		assert_int_equal(delete_it(bed), rows[i].rc);
		assert_false(bed->change->written);
		if (rows[i].reason) {
			assert_string_equal(bed->change->reason, rows[i].reason);
			assert_string_equal(bed->change->next_step, rows[i].next_step);
		} else {
			assert_null(bed->change->reason);
		}
		assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	}
}

static void no_report(void **state)
{
	struct bed *bed = *state;

	bed->shared->dies = true;
	assert_int_equal(delete_it(bed), -EIO);
	assert_false(bed->change->written);
}

/* The processes that the kernel waits for are named once the patience has ended, not before. */
static void waited(void **state)
{
	struct bed *bed = *state;

	bed->shared->waits = true;
	bed->removal.patience_msec = 1;
	assert_int_equal(delete_it(bed), 0);
	assert_int_equal(bed->told, 1);
	assert_string_equal(bed->text, "rxe0: the kernel waits for users that cannot be seen from "
				       "here and cannot be interrupted");
}

/* The number of the still running process, as given in the reason. */
static pid_t process_of(const struct bed *bed)
{
	const char *reason = bed->change->reason;
	pid_t pid = 0;
	int end = 0;

	sscanf(reason,
	       "interrupted: process %d is still deleting it, and waits for users that cannot be "
	       "seen from here%n",
	       &pid, &end);
	assert_true(end > 0 && !reason[end]);
	assert_string_equal(bed->change->next_step, "end them, and it is deleted");
	return pid;
}

static void assert_goes_on(struct bed *bed)
{
	const pid_t pid = process_of(bed);
	int status = 0;

	assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
	bed->shared->waits = false;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_false(bed->change->written);
	assert_int_equal(bed->told, 0);
}

/* Signals that the caller has caught stay pending for it. */
static void interrupted(void **state)
{
	const int numbers[] = {SIGUSR2, 0};
	struct bed *bed = *state;
	struct signals signals;

	signals_catch(&signals, numbers);
	bed->host.signals = &signals;
	bed->shared->waits = true;
	raise(SIGUSR2);
	assert_int_equal(delete_it(bed), -EINTR);
	assert_goes_on(bed);
	assert_int_equal(signals_take(&signals), SIGUSR2);
	signals_release(&signals);
}

static bool take_signal(void *context)
{
	return signals_take(context) == SIGUSR2;
}

/* A caller with a list of signals knows which ones end it: ^Z does not. */
static void not_interrupted(void **state)
{
	const int numbers[] = {SIGUSR2, SIGTSTP, 0};
	struct bed *bed = *state;
	struct signals signals;

	signals_catch(&signals, numbers);
	bed->host.signals = &signals;
	bed->changes.ended = take_signal;
	bed->changes.context = &signals;
	bed->change->all = &bed->changes;
	bed->shared->waits = true;
	bed->removal.patience_msec = 1;
	raise(SIGTSTP);
	assert_int_equal(delete_it(bed), 0);
	assert_int_equal(bed->told, 1);
	bed->shared->waits = true;
	bed->removal.patience_msec = 60000;
	bed->told = 0;
	raise(SIGUSR2);
	assert_int_equal(delete_it(bed), -EINTR);
	assert_goes_on(bed);
	signals_release(&signals);
}

/* Otherwise the usual terminating signals are caught meanwhile, and end only the wait. */
static void interrupted_alone(void **state)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct bed *bed = *state;
	sigset_t blocked;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		struct sigaction action;

		/* If the tests were started by nohup(1), SIGHUP stays ignored. */
		sigaction(numbers[i], NULL, &action);
		if (action.sa_handler == SIG_IGN && numbers[i] == SIGHUP)
			continue;
		bed->shared->sends = numbers[i];
		bed->shared->waits = true;
		assert_int_equal(delete_it(bed), -EINTR);
		assert_goes_on(bed);
		sigprocmask(SIG_BLOCK, NULL, &blocked);
		assert_int_equal(sigismember(&blocked, numbers[i]), 0);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(deleted),	   TEST(refused),	    TEST(no_report),	   TEST(waited),
		TEST(interrupted), TEST(interrupted_alone), TEST(not_interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
