/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What /proc and the control groups tell of processes that use RDMA. A process may end at any time:
 * -ENOENT or -ESRCH then. Functions return 0 or -errno, and leave what they are to fill alone when
 * they fail. Text is cleaned.
 */
#pragma once

#include "resource/process_usage.h"
#include "kernel/sysfs.h"

/* /proc/TASK/status, of a process or of one of its threads. */
struct procfs_task {
	struct number process; /* that the thread is of: Tgid */
	char *name;	       /* the task's; the caller frees it */
	struct number locked_bytes;
	struct number pinned_bytes;
};

int procfs_read_task(const struct root *root, uint64_t task, struct procfs_task *ret_task);
void procfs_task_clear(struct procfs_task *task);

/* RLIMIT_MEMLOCK of /proc/PROCESS/limits, in bytes. */
int procfs_read_memlock(const struct root *root, uint64_t process, struct limit *ret_soft,
			struct limit *ret_hard);

/* Where the control groups that count RDMA objects are: once for all processes. */
struct procfs_cgroups {
	char *mount; /* of the hierarchy: sys/fs/cgroup; NULL if there is none */
	char *root;  /* what of the hierarchy is mounted there: / */
	bool v1;     /* the rdma controller has a hierarchy of its own */
};

int procfs_find_cgroups(const struct root *root, struct procfs_cgroups *ret_cgroups);
void procfs_cgroups_clear(struct procfs_cgroups *cgroups);

/*
 * The group that counts for the process: its own, or the closest above it that has the rdma
 * controller. -ENOENT also if there is none: the root has no limits.
 */
int procfs_read_rdma_cgroup(const struct root *root, const struct procfs_cgroups *cgroups,
			    uint64_t process, char **ret_group,
			    struct cgroup_device_list *ret_list);

/* The pure parts, for tests and fuzzing. */
void procfs_parse_status(const char *text, struct procfs_task *task);
void procfs_parse_memlock(const char *text, struct limit *soft, struct limit *hard);
void procfs_parse_mountinfo(const char *text, struct procfs_cgroups *cgroups);
/* The path of the group in /proc/PROCESS/cgroup; NULL: it is in none. The caller frees it. */
char *procfs_parse_cgroup(const char *text, bool v1);
/* `limits`: rdma.max, else rdma.current. Devices are added as they come. */
void procfs_parse_rdma(const char *text, bool limits, struct cgroup_device_list *list);
