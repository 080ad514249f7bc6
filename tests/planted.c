/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes the error that its argument names. It is linked like the program with sanitizers, so that a
 * test can check that neither sanitized.c nor many.c changes their reports
 * (tests/cli/sanitizers.bats). Two arguments are no errors: one leaves the process as many.c must
 * not hand it to the next run, and the other tells what is left.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static const char table[11] = "0123456789";

/* The sizes of blocks and copies, which the compiler must not know. */
static volatile size_t eleven = 11, twelve = 12, max = 1000;

static void leak(void)
{
	char *volatile block = malloc(eleven);

	block[0] = 1;
	block = NULL;
}

static void read_behind_heap(void)
{
	char *block = malloc(eleven);
	char copy[20];

	memcpy(copy, block, twelve);
	free(block);
}

static void read_behind_global(void)
{
	char copy[20];

	memcpy(copy, table, twelve);
	printf("%c\n", copy[twelve - 1]);
}

static void read_behind_stack(void)
{
	char few[11] = "";
	char copy[20];

	memcpy(copy, few, twelve);
	printf("%c\n", copy[twelve - 1]);
}

static void use_after_free(void)
{
	char *volatile block = malloc(eleven);

	free(block);
	printf("%c\n", block[0]);
}

static void free_twice(void)
{
	char *volatile block = malloc(eleven);

	free(block);
	free(block);
}

static void index_out_of_bounds(void)
{
	printf("%c\n", table[twelve]);
}

/* The compiler would leave out a block that is in no variable. */
static void allocate(size_t size)
{
	char *volatile block = malloc(size);

	free(block);
}

/* All threads allocate at once. */
static void *allocate_all(void *unused)
{
	for (size_t size = 0; size < max; size++)
		allocate(size);
	return unused;
}

static void leak_beside_threads(void)
{
	pthread_t threads[8];

	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++)
		if (pthread_create(&threads[i], NULL, allocate_all, NULL))
			abort();
	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++)
		pthread_join(threads[i], NULL);
	leak();
}

/* Allocates with another stack trace for each path; the compiler must not make one of the calls. */
static void allocate_on(size_t path)
{
	if (path <= 1) {
		allocate(eleven);
	} else if (path & 1) {
		allocate_on(path >> 1);
		eleven = 11;
	} else {
		allocate_on(path >> 1);
		twelve = 12;
	}
}

static void allocate_with_many_traces(void)
{
	for (size_t path = 0; path < 1 << 16; path++)
		allocate_on(path);
	leak();
}

static void nothing(void)
{
}

/* As --timeout and a command that catches signals do. */
static void start_timer_and_block_signals(void)
{
	const struct itimerval timer = {.it_value = {.tv_sec = 1000}};
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

static void tell_timer_and_signals(void)
{
	struct itimerval timer;
	sigset_t blocked;

	getitimer(ITIMER_REAL, &timer);
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	printf("timer: %s, SIGTERM: %s\n", timer.it_value.tv_sec ? "running" : "none",
	       sigismember(&blocked, SIGTERM) ? "blocked" : "free");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*make)(void);
	} errors[] = {
		{"leak", leak},
		{"read-behind-heap", read_behind_heap},
		{"read-behind-global", read_behind_global},
		{"read-behind-stack", read_behind_stack},
		{"use-after-free", use_after_free},
		{"free-twice", free_twice},
		{"index-out-of-bounds", index_out_of_bounds},
		{"leak-beside-threads", leak_beside_threads},
		{"leak-after-many-traces", allocate_with_many_traces},
		{"nothing", nothing},
		{"start-timer-and-block-signals", start_timer_and_block_signals},
		{"tell-timer-and-signals", tell_timer_and_signals},
	};

	for (size_t i = 0; argc == 2 && i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (!strcmp(argv[1], errors[i].name)) {
			errors[i].make();
			return 0;
		}
	}
	return 2;
}
