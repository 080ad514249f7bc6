/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A library to preload: with each connection that the program accepts, its clock jumps a second
 * ahead. So `metrics --listen` builds a new page for each connection, and reuses none.
 */
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static time_t ahead;

int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
	ahead++;
	return (int)syscall(SYS_accept4, fd, address, length, flags);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	const int rc = (int)syscall(SYS_clock_gettime, clock, now);

	if (!rc && (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE))
		now->tv_sec += ahead;
	return rc;
}
