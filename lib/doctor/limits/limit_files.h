/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The files that set the limits of processes: units of systemd, and pam_limits' for logins. What a
 * running process has is in procfs.h; these say what it would have after a restart. A file that
 * cannot be read counts as one that sets nothing. Text is cleaned; the caller frees it.
 */
#pragma once

#include <stdbool.h>

#include "kernel/root.h"

/* A setting and the file that it is in. */
struct limit_setting {
	char *value; /* infinity, 8M; NULL: no file sets it */
	char *file;  /* /etc/systemd/system/slurmd.service.d/rdma.conf */
};

/* LimitMEMLOCK and the like of a unit (slurmd.service), from its file and the drop-ins. */
void limit_of_unit(const struct root *root, const char *unit, const char *key,
		   struct limit_setting *ret_setting);
/* DefaultLimitMEMLOCK and the like of the service manager. */
void limit_of_manager(const struct root *root, const char *key, struct limit_setting *ret_setting);
/* The memlock line for all users that takes effect at logins: the last one, of the soft limit. */
void limit_of_logins(const struct root *root, struct limit_setting *ret_setting);
void limit_setting_clear(struct limit_setting *setting);
/* infinity of systemd, unlimited, infinity and -1 of pam_limits. */
bool limit_is_none(const struct limit_setting *setting);

/* The pure parts: the last value in the text, freed by the caller; NULL if it has none. */
char *limit_parse_unit(const char *text, const char *key);
char *limit_parse_logins(const char *text);
