/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lets a client of the simulator exit. A library to preload before umad2sim.
 *
 * On exit, libumad2sim takes its mutex, cancels its receiving thread, and waits for it. If an
 * answer has just arrived, such as one to a request that was sent again on a busy machine, that
 * thread is waiting for the mutex, where it cannot be cancelled: umad2sim_cleanup() in
 * umad2sim/umad2sim.c. Here a thread that waits for a mutex can be cancelled.
 *
 * An answer to a client that has closed its descriptor makes that thread lock a mutex near address
 * 0, as there is none: __receiver() in the same file. Here it waits there until it is cancelled.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_PAGE = 4096 }; /* in bytes */

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	const struct timespec moment = {.tv_nsec = 100000};
	const bool is_there = (uintptr_t)mutex >= FIRST_PAGE;
	int rc;

	while (!is_there || (rc = pthread_mutex_trylock(mutex)) == EBUSY)
		nanosleep(&moment, NULL); /* a cancellation point */
	return rc;
}
