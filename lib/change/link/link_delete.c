/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Deletes a software device, for which the kernel waits as long as anybody has it open. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/text.h"
#include "change/link/link.h"
#include "host/nldev_devices.h"
#include "kernel/holders.h"

enum { PATIENCE_MSEC = 2000 };

/*
 * Closes everything but `keep`: with a descriptor of the device open, the kernel would wait for
 * this process itself, and an open pipe end would keep its reader waiting.
 */
static void close_others(int keep)
{
	_cleanup_(closedirp) DIR *directory = opendir("/proc/self/fd");
	const struct dirent *entry;
	uint64_t fd;

	while (directory && (entry = readdir(directory)))
		if (!text_parse_u64(entry->d_name, 10, INT32_MAX, &fd) && (int)fd != keep &&
		    (int)fd != dirfd(directory))
			close((int)fd);
}

/*
 * Runs the child, in a session of its own, so that ^C does not reach it. Sends the result, 0 or
 * -errno, to its parent if that is still there.
 */
static void run_child(int report, const struct link_removal *removal)
{
	int rc;

	setsid();
	close_others(report);
	rc = removal->remove(removal->context);
	signal(SIGPIPE, SIG_IGN);
	_exit(write(report, &rc, sizeof(rc)) != (ssize_t)sizeof(rc));
}

static int start_child(const struct link_removal *removal, pid_t *ret_pid, int *ret_report)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (!pid) {
		close(ends[0]);
		run_child(ends[1], removal);
	}
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return -errno;
	}
	*ret_pid = pid;
	*ret_report = ends[0];
	return 0;
}

/* Returns "process 712 (sleep), which has uverbs0 open; ..."; the caller frees it. */
static char *describe_holders(const struct device_nodes *nodes)
{
	_cleanup_(holders_clear) struct holders holders = {.count = 0};
	_cleanup_(root_close) struct root root = {.fd = -1};
	char *text = NULL;

	if (root_open(NULL, &root))
		return mem_string("its users");
	holders_find(&root, nodes, &holders);
	for (size_t i = 0; i < holders.count; i++)
		mem_extend(&text, "%sprocess %" PRIu64 " (%s)", i ? ", " : "",
			   holders.items[i].process,
			   holders.items[i].command ? holders.items[i].command : "name unknown");
	return text ? text : mem_string("users that cannot be seen from here");
}

/* Says whom the kernel waits for, whenever that has changed. */
static void tell_wait(struct change *change, const struct device_nodes *nodes, char **told)
{
	_cleanup_(freep) char *holders = describe_holders(nodes), *text = NULL;

	if (*told && !strcmp(*told, holders))
		return;
	text = mem_format("%s: the kernel waits for %s and cannot be interrupted", change->object,
			  holders);
	free(*told);
	*told = mem_string(holders);
	if (change->host->tell)
		change->host->tell(change->host->tell_context, text);
}

/* Signals such as ^Z are caught, too, but end nothing; changes->ended() knows which ones do. */
static bool is_ended(const struct change *change)
{
	const struct changes *all = change->all;

	return !change->host->signals || !all || !all->ended || all->ended(all->context);
}

/* Waits until the child reports, or a signal ends the wait. 0, -errno of the child, or -EINTR. */
static int wait_for_child(struct change *change, const struct device_nodes *nodes, int report,
			  const struct signals *signals, int patience_msec)
{
	struct pollfd pollers[] = {{.fd = report, .events = POLLIN},
				   {.fd = signals->fd, .events = POLLIN}};
	_cleanup_(freep) char *told = NULL;
	int rc;

	for (;;) {
		const int ready = poll(pollers, ARRAY_SIZE(pollers), patience_msec);

		if (ready > 0 && pollers[0].revents)
			break;
		if (ready > 0 && is_ended(change))
			return -EINTR;
		if (!ready)
			tell_wait(change, nodes, &told);
	}
	return read(report, &rc, sizeof(rc)) == (ssize_t)sizeof(rc) ? rc : -EIO;
}

static void explain(struct change *change, const struct device_nodes *nodes, pid_t pid, int error)
{
	_cleanup_(freep) char *holders = error == -EINTR ? describe_holders(nodes) : NULL;

	change->written = false;
	if (error == -EINTR)
		change_explain(change, "end them, and it is deleted",
			       "interrupted: process %d is still deleting it, and waits for %s",
			       (int)pid, holders);
	/* nldev_dellink(): unknown index, or no IBK_ALLOW_USER_UNREG */
	else if (error == -EINVAL)
		change_explain(change, "rdmactl link lists those that can be deleted",
			       "it is gone, or cannot be deleted");
	else if (error == -EPERM)
		change_explain(change, "run it as root, on the host",
			       "it takes CAP_NET_ADMIN in the initial user namespace");
}

int link_delete_by(struct change *change, const char *kernel_name,
		   const struct link_removal *removal)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, 0};
	_cleanup_(device_nodes_clear) struct device_nodes nodes = {.count = 0};
	const struct signals *signals = change->host->signals;
	struct signals own = SIGNALS_NONE;
	_cleanup_(root_close) struct root root = {.fd = -1};
	int report = -1, rc = root_open(NULL, &root);
	pid_t pid = -1;

	if (rc)
		return rc;
	/* Once the deletion has begun, sysfs no longer shows the device's nodes. */
	device_nodes_read(&root, kernel_name, &nodes);
	holders_close_own(&nodes);
	if (!signals) {
		signals_catch(&own, numbers);
		signals = &own;
	}
	rc = start_child(removal, &pid, &report);
	if (!rc) {
		rc = wait_for_child(change, &nodes, report, signals, removal->patience_msec);
		close(report);
		if (rc != -EINTR)
			waitpid(pid, NULL, 0);
		if (rc)
			explain(change, &nodes, pid, rc);
	}
	while (signals == &own && signals_take(&own))
		;
	signals_release(&own);
	return rc;
}

static int ask_kernel(const void *context)
{
	struct netlink *nldev = NULL;

	return nldev_open(NULL, &nldev) ?: nldev_delete_link(nldev, *(const uint32_t *)context);
}

int link_delete(struct change *change, const char *kernel_name, uint32_t device_index)
{
	const struct link_removal removal = {ask_kernel, &device_index, PATIENCE_MSEC};

	return link_delete_by(change, kernel_name, &removal);
}
