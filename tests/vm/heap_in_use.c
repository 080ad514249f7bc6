/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A library to preload: each time the program waits in poll(), it writes a line with the number of
 * bytes allocated and not freed to the file named by HEAP_IN_USE. The size of a process says less:
 * it also grows by what the allocator keeps for later.
 */
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void note(void)
{
	static FILE *file;
	const char *path = getenv("HEAP_IN_USE");

	if (!file && path)
		file = fopen(path, "we");
	if (!file)
		return;
	fprintf(file, "%zu\n", mallinfo2().uordblks);
	fflush(file);
}

int poll(struct pollfd *fds, nfds_t count, int msec)
{
	note();
	return (int)syscall(SYS_poll, fds, count, msec);
}

/* The compiler calls this instead of poll() where it checks sizes. */
int __poll_chk(struct pollfd *fds, nfds_t count, int msec, size_t size);
int __poll_chk(struct pollfd *fds, nfds_t count, int msec, size_t size)
{
	(void)size;
	return poll(fds, count, msec);
}
