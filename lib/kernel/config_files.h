/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The .conf files of several directories, by the rules that modprobe.d(5), systemd.unit(5) and
 * limits.conf(5) share: a file hides files of the same name in later directories, and all files are
 * read in the byte order of their names, whatever their directory. The file of UCX has rules of its
 * own.
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

/* Adds the files of a directory. Returns 0, or the -errno of listing it. */
int config_files_add(const struct root *root, const char *directory, struct config_files *files);
void config_files_clear(struct config_files *files);

/*
 * Returns the value of NAME=VALUE in the text of a ucx.conf, freed by the caller; NULL if not set.
 * Sections apply to some hosts only, and are left out.
 */
char *ucx_conf_find(const char *text, const char *name);
