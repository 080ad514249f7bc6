/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The files that set the limits of processes: systemd units, and those of pam_limits for logins.
 * procfs.h reads the limits of a running process; these are the limits it would have after a
 * restart. A file that cannot be read counts as setting nothing. Text is cleaned; the caller frees
 * it.
 */
#pragma once

#include <stdbool.h>

#include "kernel/root.h"

/* A setting and the file that sets it. */
struct limit_setting {
	char *value; /* infinity, 8M; NULL: no file sets it */
	char *file;  /* /etc/systemd/system/slurmd.service.d/rdma.conf */
};

/* Reads LimitMEMLOCK and the like of a unit (slurmd.service), from its file and drop-ins. */
void limit_of_unit(const struct root *root, const char *unit, const char *key,
		   struct limit_setting *ret_setting);
/* Reads DefaultLimitMEMLOCK and the like of the service manager. */
void limit_of_manager(const struct root *root, const char *key, struct limit_setting *ret_setting);
/*
 * Whether the memlock lines for all users lift both limits of logins; `hard_is_none`: the process
 * that starts them has no hard limit. The setting is the line that decides, if any.
 */
bool limit_of_logins(const struct root *root, bool hard_is_none, struct limit_setting *ret_setting);
/*
 * Finds the memlock limit that CRI-O sets in containers, SOFT:HARD or one number for both; empty if
 * it sets others only.
 */
void limit_of_crio(const struct root *root, struct limit_setting *ret_setting);
void limit_setting_clear(struct limit_setting *setting);
/* Whether the value is unlimited: infinity in systemd; unlimited, infinity or -1 in pam_limits. */
bool limit_is_none(const struct limit_setting *setting);

/*
 * The parsers return the last value in the text, freed by the caller; NULL if there is none.
 * `wanted` is "soft" or "hard".
 */
char *limit_parse_unit(const char *text, const char *key);
char *limit_parse_logins(const char *text, const char *wanted);
/* Empty if the text sets limits, but not this one. */
char *limit_parse_crio(const char *text, const char *name);
