/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Control groups have names of users, jobs and containers, which are replaced alike in texts of
 * /proc and in folders below /sys/fs/cgroup. Services keep their names, because limits belong to
 * services, except for the part that distinguishes their instances.
 */
#pragma once

#include "snapshot/anonymise/anonymise.h"

/* Lines of the form ID:CONTROLLERS:PATH, cgroups(7); the caller frees the result. */
char *anonymise_cgroups(const struct anonymiser *anonymiser, const char *text);
/* Mounts; the fourth word of a line is the group that is mounted: proc(5), mountinfo. */
char *anonymise_cgroup_mounts(const struct anonymiser *anonymiser, const char *text);
/* A path in the hierarchy of the groups; with `file` its last name is that of a file. */
char *anonymise_cgroup_path(const struct anonymiser *anonymiser, const char *path, bool file);
/*
 * The name of an instance of a service, or of the folder of its settings: the part after the @ may
 * be an address (sshd@0-10.0.0.5:22-10.0.0.9:50000.service) or a user. NULL for any other name.
 */
char *anonymise_instance(const struct anonymiser *anonymiser, const char *name, size_t length);
