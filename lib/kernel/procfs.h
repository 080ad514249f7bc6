/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Facts about processes that use RDMA, from /proc and control groups. A process may end at any
 * time: then the result is -ENOENT or -ESRCH. Functions return 0 or -errno, and fill nothing when
 * they fail. Text is cleaned.
 */
#pragma once

#include "kernel/sysfs.h"

/* A limit is a number, known to be absent, or unknown. */
struct limit {
	struct number value;
	enum tristate unlimited;
};

/* A device's usage and limits in a control group: a line of rdma.current and of rdma.max. */
struct cgroup_device {
	char *device;
	struct number handles, objects; /* contexts; queue pairs, memory regions and so on */
	struct limit most_handles, most_objects;
};

struct cgroup_device_list {
	struct cgroup_device *items;
	size_t count;
};

void cgroup_device_list_clear(struct cgroup_device_list *list);

/* /proc/TASK/status; a task is a process or one of its threads. */
struct procfs_task {
	struct number process;	    /* the task's process: Tgid */
	char *name;		    /* the task's, owned */
	struct number parent;	    /* parent process; 0: none */
	struct number user;	    /* effective user */
	struct number capabilities; /* effective, as a mask of bits 1 << CAP_x */
	struct number locked_bytes;
	struct number pinned_bytes;
};

/* Size limit of /proc/TASK/status and of smaps_rollup; both are shorter. */
#define PROCFS_STATUS_MOST 65536u
/* Returns in bytes the value of a line such as "VmHWM:	12 kB" in the text of either file. */
struct number procfs_kilobytes(const char *text, const char *label);

int procfs_read_task(const struct root *root, uint64_t task, struct procfs_task *ret_task);
void procfs_task_clear(struct procfs_task *task);

/* Reads RLIMIT_MEMLOCK from /proc/PROCESS/limits, in bytes. */
int procfs_read_memlock(const struct root *root, uint64_t process, struct limit *ret_soft,
			struct limit *ret_hard);

/* Where the control groups that count RDMA objects are, the same for all processes. */
struct procfs_cgroups {
	char *mount; /* mount point of the hierarchy: sys/fs/cgroup; NULL if there is none */
	char *root;  /* part of the hierarchy that is mounted there: / */
	bool v1;     /* the rdma controller has a separate hierarchy */
};

int procfs_find_cgroups(const struct root *root, struct procfs_cgroups *ret_cgroups);
void procfs_cgroups_clear(struct procfs_cgroups *cgroups);

/*
 * Finds the group that counts for the process: the one it is in, or the nearest ancestor that has
 * the rdma controller. -ENOENT also if there is none: the root has no limits.
 */
int procfs_read_rdma_cgroup(const struct root *root, const struct procfs_cgroups *cgroups,
			    uint64_t process, char **ret_group,
			    struct cgroup_device_list *ret_list);

/* A control group that has the rdma controller. */
struct cgroup_level {
	char *group;
	struct cgroup_device_list devices;
};

struct cgroup_levels {
	struct cgroup_level *items;
	size_t count;
	/*
	 * The topmost visible group has the controller, which the root group never has: so there
	 * are more above it, outside this control group namespace or the mounted part.
	 */
	bool more_above;
};

/*
 * Lists all groups that count for the process ("self", or a number), from the one it is in up to
 * the root: none if no group on the way has the controller. -ENOENT: its group is not visible.
 */
int procfs_read_rdma_cgroups(const struct root *root, const struct procfs_cgroups *cgroups,
			     const char *process, struct cgroup_levels *ret_levels);
void cgroup_levels_clear(struct cgroup_levels *levels);

/* Pure functions. */
void procfs_parse_status(const char *text, struct procfs_task *task);
void procfs_parse_memlock(const char *text, struct limit *soft, struct limit *hard);
/* Parses any other line of /proc/PROCESS/limits: "Max open files". */
void procfs_parse_limit(const char *text, const char *line, struct limit *soft, struct limit *hard);
/* Cuts the next field off a line of mountinfo, in place; NULL at its end. */
char *procfs_take_mount_field(char **rest);
/*
 * Whether a line of mountinfo is of a mount at /. Then its device begins at the offset `device`,
 * and the directory in it, which is seen there, at `directory`; it ends at `end`.
 */
struct procfs_root_mount {
	int device, directory, end;
};
bool procfs_parse_root_mount(const char *line, struct procfs_root_mount *ret_mount);
void procfs_parse_mountinfo(const char *text, struct procfs_cgroups *cgroups);
/* Returns the group in /proc/PROCESS/cgroup, freed by the caller; NULL if there is none. */
char *procfs_parse_cgroup(const char *text, bool v1);
/* `limits`: rdma.max, else rdma.current. Devices that are new to the list are appended. */
void procfs_parse_rdma(const char *text, bool limits, struct cgroup_device_list *list);
