/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "snapshot/remove.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"

/* The child's answer: an errno, or 0 and the folder. */
struct answer {
	int error;
	char folder[PATH_MAX];
};

static void remove_below(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	_cleanup_(closedirp) DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!folder && fd >= 0)
		close(fd);
	/* The depth is bounded by that of an archive's members. */
	while (folder && (entry = readdir(folder)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
		    unlinkat(fd, entry->d_name, 0))
			remove_below(fd, entry->d_name);
	unlinkat(parent, name, AT_REMOVEDIR);
}

/*
 * The signals that end the parent are blocked in this process, and signals from a terminal do not
 * reach its session. The standard streams are closed, so that nobody waits for them.
 */
static void work(const char *directory, int channel)
{
	struct answer answer = {0};
	char byte;

	setsid();
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		close(fd);
	if ((size_t)snprintf(answer.folder, sizeof(answer.folder), "%s/rdmactl-XXXXXX",
			     directory) >= sizeof(answer.folder))
		answer.error = ENAMETOOLONG;
	else if (!mkdtemp(answer.folder))
		answer.error = errno;
	if (send(channel, &answer, sizeof(answer), MSG_NOSIGNAL) == (ssize_t)sizeof(answer))
		while (recv(channel, &byte, 1, 0) < 0 && errno == EINTR)
			;
	if (!answer.error)
		remove_below(AT_FDCWD, answer.folder);
}

static int start(const char *directory, const int *channel, pid_t *ret_remover)
{
	sigset_t all, before;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	pid = fork();
	if (!pid) {
		close(channel[0]);
		work(directory, channel[1]);
		_exit(0);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (pid < 0)
		return -errno;
	*ret_remover = pid;
	return 0;
}

int remove_at_end(const char *directory, char **ret_folder, int *ret_alive, pid_t *ret_remover)
{
	_cleanup_(freep) char *absolute = realpath(directory, NULL);
	struct answer answer;
	int channel[2], rc;
	ssize_t got;
	pid_t pid = 0;

	if (!absolute || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel))
		return -errno;
	rc = start(absolute, channel, &pid);
	close(channel[1]);
	if (rc) {
		close(channel[0]);
		return rc;
	}
	do
		got = recv(channel[0], &answer, sizeof(answer), 0);
	while (got < 0 && errno == EINTR);
	if (got != (ssize_t)sizeof(answer) || answer.error) {
		close(channel[0]);
		waitpid(pid, NULL, 0);
		return got == (ssize_t)sizeof(answer) ? -answer.error : -EIO;
	}
	*ret_folder = mem_string(answer.folder);
	*ret_alive = channel[0];
	*ret_remover = pid;
	return 0;
}
