/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/moment.h"

#include <time.h>

#include "base/text.h"
#include "base/utc.h"
#include "host/host.h"
#include "kernel/sysfs.h"

static char *read_line(const struct root *root, const char *path)
{
	char text[SYSFS_TEXT_SIZE];
	ssize_t length = sysfs_read(root, text, "%s", path);

	return length > 0 ? text_clean(text, (size_t)length) : NULL;
}

void moment_read(const char *root_directory, struct saved_head *head)
{
	struct timespec up;
	struct root root;

	head->time = utc_now();
	if (!root_directory) {
		head->host = host_name();
		if (!clock_gettime(CLOCK_BOOTTIME, &up))
			number_set(&head->uptime_msec,
				   (uint64_t)up.tv_sec * 1000 + (uint64_t)up.tv_nsec / 1000000);
	}
	if (root_open(root_directory, &root))
		return;
	if (!head->host)
		head->host = read_line(&root, "proc/sys/kernel/hostname");
	head->boot_id = read_line(&root, "proc/sys/kernel/random/boot_id");
	root_close(&root);
}
