/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The .conf files of several directories, as modprobe.d(5), systemd.unit(5) and limits.conf(5) say
 * alike: one hides those of its name in the directories after its own, and all together are in the
 * order of their names, as bytes.
 */
#pragma once

#include "kernel/root.h"

struct config_file {
	char *name, *path;
};

/* Starts as {0}. */
struct config_files {
	struct config_file *items;
	size_t count;
};

/* Adds those of a directory. 0, or the -errno of listing it. */
int config_files_add(const struct root *root, const char *directory, struct config_files *files);
void config_files_clear(struct config_files *files);
