/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lets a client of the simulator come to its end. A library to be preloaded in front of umad2sim.
 *
 * At the end, libumad2sim takes its mutex, cancels its thread that receives, and waits for it. If
 * an answer has just come, as one to a request that was sent again on a busy machine, that thread
 * waits for the mutex, where it cannot be cancelled: umad2sim_cleanup() in umad2sim/umad2sim.c.
 * Here a thread that waits for a mutex can be.
 */
#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	const struct timespec moment = {.tv_nsec = 100000};
	int rc;

	while ((rc = pthread_mutex_trylock(mutex)) == EBUSY)
		/* Which is a cancellation point */
		nanosleep(&moment, NULL);
	return rc;
}
