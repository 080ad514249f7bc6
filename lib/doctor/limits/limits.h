/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Facts that several limits checks share; each is read when first needed. */
#pragma once

#include "doctor/frame/facts.h"
#include "kernel/procfs.h"

/* A file with settings of a library. */
struct setting_file {
	const char *prefix; /* of the names of the settings: NCCL_, UCX_, FI_ */
	char *path, *text;
};

struct doctor_limits {
	bool cgroups_were_read;
	int cgroups_rc;
	struct cgroup_levels cgroups; /* of this process, from its own group upwards */
	bool names_were_read;
	struct strings devices; /* all of the host, whichever objects were selected: mlx5_0 */
	struct strings drivers; /* of them: mlx5_core; "" if not known */
	struct strings ports;	/* mlx5_0/1 */
	struct strings netdevs;
	bool settings_were_read; /* use doctor_setting() */
	struct setting_file settings[6];
	size_t setting_count;
};

void doctor_limits_free(struct doctor_limits *limits);
/*
 * Returns the effective value of a setting of NCCL, UCX or libfabric, and its source: the
 * environment, then a file of the user, then the host's. A saved tree has only the last. NULL: not
 * set. The caller frees both; the value is not cleaned.
 */
char *doctor_setting(struct doctor_facts *facts, const char *name, char **ret_source);
/*
 * In a container, the next step is to start it with a higher limit: an option of --ulimit, or a
 * setting of the runtime's unit.
 */
void limits_advise_container(struct doctor_context *run, const char *option, const char *setting,
			     const char *or_else);
/*
 * Not checked, because a file of proc or sysfs cannot be read. A saved tree need not have the file,
 * so its absence there is not a problem of the command.
 */
struct judged limits_unread(struct doctor_context *run, const char *what, const char *source,
			    int rc);
