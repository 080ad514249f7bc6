/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* In which directories the dynamic loader looks for libraries beyond its own: ldconfig(8). */
#pragma once

#include "kernel/root.h"

#define LOADER_CONFIG "etc/ld.so.conf"

/*
 * Returns 1 if the configuration names the directory, 0 if not, or -errno if that is not known: a
 * file cannot be read, or one is included that is not looked at (-ENOTSUP).
 */
int loader_config_names(const struct root *root, const char *directory);

/*
 * Takes a line without its comment, blanks around it and slashes at its end. Returns NULL at the
 * end of the text; the caller frees the line.
 */
char *loader_config_take_line(const char **text);
/* Returns the patterns of a line that includes files; NULL for others. */
const char *loader_config_includes(const char *line);
/* Returns what names files of ld.so.conf.d in such a pattern; NULL if it is for another folder. */
const char *loader_config_pattern(const char *word);
