/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "load/moment.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/text.h"
#include "load/host.h"
#include "source/sysfs.h"

char *moment_time(void)
{
	struct timespec now;
	struct tm parts;
	char text[32];

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &parts);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &parts);
	return mem_format("%s.%03ldZ", text, now.tv_nsec / 1000000);
}

bool moment_parse(const char *time, uint64_t *ret_msec)
{
	struct tm parts = {0};
	int msec, length = 0;
	time_t seconds;

	if (sscanf(time, "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ%n", &parts.tm_year, &parts.tm_mon,
		   &parts.tm_mday, &parts.tm_hour, &parts.tm_min, &parts.tm_sec, &msec,
		   &length) != 7 ||
	    !length || time[length])
		return false;
	parts.tm_year -= 1900;
	parts.tm_mon--;
	seconds = timegm(&parts);
	if (seconds < 0 || msec < 0)
		return false;
	*ret_msec = (uint64_t)seconds * 1000 + (uint64_t)msec;
	return true;
}

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

	head->time = moment_time();
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
