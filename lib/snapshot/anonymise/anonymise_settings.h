/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Settings files of which only what commands read is kept: the rest names hosts and users. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Returns NULL if the file is not one of those; else the caller frees the result. */
char *anonymise_settings(const char *path, const char *text);
/*
 * Whether nothing in the file was kept, so that only its name is left, which is often that of a
 * user or a group: limits.d/alice.conf.
 */
bool anonymise_is_void(const char *path, size_t length);
