/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Control groups: in texts of /proc, and as folders below /sys/fs/cgroup, they get the same other
 * names, which are those of users, jobs and containers. Services keep theirs, because limits are
 * theirs, but for the part that tells their instances apart.
 */
#pragma once

#include "snapshot/anonymise/anonymise.h"

/* Lines of ID:CONTROLLERS:PATH, cgroups(7); the caller frees the result. */
char *anonymise_cgroups(const struct anonymiser *anonymiser, const char *text);
/* Mounts, of which the fourth word is the group that is mounted: proc(5), mountinfo. */
char *anonymise_cgroup_mounts(const struct anonymiser *anonymiser, const char *text);
/* A path in the hierarchy of the groups; `file`: its last name is that of a file. */
char *anonymise_cgroup_path(const struct anonymiser *anonymiser, const char *path, bool file);
/*
 * The name of an instance of a service, or of the folder of its settings: what is after the @ may
 * be an address (sshd@0-10.0.0.5:22-10.0.0.9:50000.service) or a user. NULL: it is another name.
 */
char *anonymise_instance(const struct anonymiser *anonymiser, const char *name, size_t length);
