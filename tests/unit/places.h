/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For tests that write files: where to put them, and whether there is a device that is always full.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* For mkdtemp(3) or mkstemp(3). */
static inline void place_for(char path[static PATH_MAX], const char *name)
{
	const char *folder = getenv("TMPDIR");

	snprintf(path, PATH_MAX, "%s/%s.XXXXXX", folder ? folder : "/tmp", name);
}

/* full(4) is a character device; a container may have none, or a regular file instead. */
static inline bool has_full_device(void)
{
	struct stat status;

	return !stat("/dev/full", &status) && S_ISCHR(status.st_mode);
}
