/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of what processes may pin and hold open: see doctor/frame/limits.def. */
#include "doctor/limits/limits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/frame/check.h"
#include "doctor/limits/limit_files.h"
#include "doctor/stack/stack.h"
#include "kernel/privilege.h"

void doctor_limits_free(struct doctor_limits *limits)
{
	if (!limits)
		return;
	cgroup_levels_clear(&limits->cgroups);
	strings_free(&limits->devices);
	strings_free(&limits->ports);
	strings_free(&limits->drivers);
	strings_free(&limits->netdevs);
	for_each_in (file, limits->settings, limits->setting_count) {
		free(file->path);
		free(file->text);
	}
	free(limits);
}

struct judged limits_unread(struct doctor_context *run, const char *what, const char *source,
			    int rc)
{
	if (rc == -ENOENT && !run->facts->root.live) {
		doctor_evidence(run, source, "the saved tree has no %s", source);
		return doctor_not_checked(run, NEEDS_LIVE, "the saved tree lacks %s", what);
	}
	return doctor_unread(run, what, source, rc, true);
}

/* Kubernetes has no limits of its own: containers have those of their runtime. */
void limits_advise_container(struct doctor_context *run, const char *option, const char *setting,
			     const char *or_else)
{
	if (!doctor_is_contained(run))
		return;
	if (doctor_in_apptainer(run->facts))
		doctor_next_step(run, "raise the limit of the job or login that starts the "
				      "container, which inherits it: rdmactl doctor on the host "
				      "shows what limits these");
	else if (doctor_environment(run->facts, "KUBERNETES_SERVICE_HOST"))
		doctor_next_step(run,
				 "on the node: systemctl edit containerd (or crio): %s below "
				 "[Service], restart it, and start the pod again%s",
				 setting, or_else);
	else
		doctor_next_step(run, "start the container with --ulimit %s%s", option, or_else);
}

/*
 * The default since Linux 5.16 (include/uapi/linux/resource.h, MLOCK_LIMIT), and that of systemd.
 */
#define DEFAULT_MEMLOCK (UINT64_C(8) << 20)

/* Which processes inherit the daemon's limit. */
enum daemon_role { STARTS_JOBS, STARTS_LOGINS, STARTS_CONTAINERS, STARTS_NOTHING };

static const struct daemon_kind {
	const char *name;
	enum daemon_role role;
} daemon_kinds[] = {
	{"slurmd", STARTS_JOBS},	   {"pbs_mom", STARTS_JOBS},
	{"sshd", STARTS_LOGINS},	   {"crio", STARTS_CONTAINERS},
	{"containerd", STARTS_CONTAINERS}, {"dockerd", STARTS_CONTAINERS},
	{"kubelet", STARTS_NOTHING},
};

struct daemon_process {
	const struct daemon_kind *kind;
	uint64_t pid;
	uint64_t parent;
};

struct daemons {
	struct daemon_process *items;
	size_t count;
	bool kubernetes; /* kubelet runs */
	int rc;		 /* why other users' processes are hidden; 0: they are visible */
};

/* The memlock limit of one process. */
struct memlock {
	struct limit soft, hard;
	uint64_t memory_bytes; /* of the host; 0: unknown */
	bool of_crio;	       /* the soft one is that of the daemon's containers */
};

static uint64_t read_memory(const struct root *root)
{
	_cleanup_(freep) char *text = NULL;

	return sysfs_read_long(root, &text, "proc/meminfo")
		       ? 0
		       : procfs_kilobytes(text, "MemTotal:").value;
}

static char *limit_text(const struct limit *limit)
{
	return limit->unlimited == TRISTATE_YES ? mem_string("unlimited")
						: text_bytes(limit->value.value);
}

static bool is_enough(const struct memlock *memlock)
{
	return memlock->soft.unlimited == TRISTATE_YES ||
	       (memlock->memory_bytes && memlock->soft.value.value >= memlock->memory_bytes);
}

/* Returns the severity of a finite limit: an error only in profiles where pinning is the rule. */
static enum severity severity_of(const struct doctor_context *run, const struct memlock *memlock)
{
	const bool pins = run->profile == PROFILE_HPC || run->profile == PROFILE_GPU;

	return pins && memlock->soft.value.value <= DEFAULT_MEMLOCK ? SEVERITY_ERROR
								    : SEVERITY_WARNING;
}

/* Reads a process's memlock limit from the file of its limits, and adds it to the evidence. */
static int read_memlock(struct doctor_context *run, const char *source, struct memlock *memlock)
{
	_cleanup_(freep) char *text = NULL, *soft = NULL, *hard = NULL;
	const int rc = sysfs_read_long(&run->facts->root, &text, "%s", source + 1);

	if (rc)
		return rc;
	procfs_parse_memlock(text, &memlock->soft, &memlock->hard);
	if (memlock->soft.unlimited == TRISTATE_UNKNOWN)
		return -EINVAL;
	memlock->memory_bytes = read_memory(&run->facts->root);
	soft = limit_text(&memlock->soft);
	hard = limit_text(&memlock->hard);
	doctor_evidence(run, source, "Max locked memory %s (hard limit %s), wanted unlimited", soft,
			hard);
	doctor_expected(run, "unlimited", soft);
	return 0;
}

/*
 * Whether this process is in a user namespace other than the first one, which maps all numbers to
 * themselves (user_namespaces(7)). Another namespace may do so, too; a saved tree cannot tell it
 * from the first. False if /proc does not show the map.
 */
static bool is_in_user_namespace(struct doctor_facts *facts)
{
	_cleanup_(freep) char *text = NULL;
	uint64_t inside, outside, count;

	if (facts->root.live)
		return !privilege_is_first_namespace();
	return !sysfs_read_long(&facts->root, &text, "proc/self/uid_map") &&
	       sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &inside, &outside, &count) == 3 &&
	       (inside || outside || count != UINT32_MAX);
}

static bool may_lock(struct doctor_facts *facts)
{
	_cleanup_(freep) char *text = NULL;
	_cleanup_(procfs_task_clear) struct procfs_task task = {.name = NULL};

	if (!sysfs_read_long(&facts->root, &text, "proc/self/status"))
		procfs_parse_status(text, &task);
	return task.capabilities.known && task.capabilities.value >> PRIVILEGE_IPC_LOCK & 1;
}

static struct judged check_this_shell(struct doctor_context *run)
{
	const char *source = "/proc/self/limits";
	struct memlock memlock = {.memory_bytes = 0};
	const int rc = read_memlock(run, source, &memlock);

	doctor_object(run, "this shell");
	if (rc)
		return limits_unread(run, "the limit on pinned memory", source, rc);
	if (is_enough(&memlock))
		return doctor_ok(run, "memory can be pinned without a limit");
	const bool may = may_lock(run->facts);
	/* capable() in ib_umem_get() checks against the first user namespace. */
	const bool in_vain = may && is_in_user_namespace(run->facts);
	if (may && !in_vain) {
		doctor_evidence(run, "/proc/self/status", "CAP_IPC_LOCK is held");
		return doctor_ok(run, "the limit on pinned memory does not apply to this process");
	}
	if (in_vain)
		doctor_evidence(run,
				run->facts->root.live ? "/proc/self/ns/user" : "/proc/self/uid_map",
				"CAP_IPC_LOCK is held in a user namespace, where it does not lift "
				"the limit");
	limits_advise_container(run, "memlock=-1", "LimitMEMLOCK=infinity",
				in_vain ? "" : ", or, if it runs as root, give it CAP_IPC_LOCK");
	return doctor_verdict(run, severity_of(run, &memlock),
			      "pinned memory is limited, so registering more fails");
}

static const struct daemon_kind *find_kind(const char *name)
{
	for_each_in (kind, daemon_kinds, ARRAY_SIZE(daemon_kinds))
		if (!strcmp(kind->name, name))
			return kind;
	return NULL;
}

/* Takes root's processes with a daemon's name; is_child() finds forks (sshd's, one per login). */
static void take_process(struct doctor_facts *facts, const char *pid, struct daemons *daemons)
{
	char name[SYSFS_TEXT_SIZE];
	ssize_t length = sysfs_read(&facts->root, name, "proc/%s/comm", pid);
	const struct daemon_kind *kind = length < 0 ? NULL : find_kind(name);
	struct procfs_task task;
	uint64_t number;

	if (length < 0 && !strcmp(pid, "1"))
		daemons->rc = (int)length;
	if (!kind || text_parse_u64(pid, 10, UINT64_MAX, &number) ||
	    procfs_read_task(&facts->root, number, &task))
		return;
	if (!task.user.known || !task.user.value) {
		MEM_ADD(daemons->items,
			daemons->count) = (struct daemon_process){kind, number, task.parent.value};
		daemons->kubernetes |= kind->role == STARTS_NOTHING;
	}
	procfs_task_clear(&task);
}

static void find_daemons(struct doctor_facts *facts, struct daemons *ret_daemons)
{
	struct strings names = {.known = false};

	*ret_daemons = (struct daemons){.count = 0};
	if (sysfs_list(&facts->root, &names, "proc"))
		return;
	/* With hidepid=2, /proc does not list the processes of other users at all, proc(5). */
	if (facts->root.live && !strings_contain(&names, "1"))
		ret_daemons->rc = -EPERM;
	for (size_t i = 0; i < names.count; i++)
		if (names.items[i][0] >= '0' && names.items[i][0] <= '9')
			take_process(facts, names.items[i], ret_daemons);
	strings_free(&names);
}

static bool is_child(const struct daemons *daemons, const struct daemon_process *process)
{
	for (size_t i = 0; i < daemons->count; i++)
		if (daemons->items[i].pid == process->parent &&
		    daemons->items[i].kind == process->kind)
			return true;
	return false;
}

/* Finds the unit of a process: the last .service in the path of its control group. */
static char *find_unit(const struct root *root, const struct daemon_process *process)
{
	_cleanup_(freep) char *text = NULL, *group = NULL;
	char *rest, *part, *unit = NULL;

	if (!sysfs_read_long(root, &text, "proc/%" PRIu64 "/cgroup", process->pid))
		group = procfs_parse_cgroup(text, false);
	for (rest = group; rest && (part = strsep(&rest, "/"));)
		if (text_ends_with(part, ".service"))
			unit = part;
	return unit ? text_clean(unit, strlen(unit))
		    : mem_format("%s.service", process->kind->name);
}

static void advise_daemon(struct doctor_context *run, const struct daemon_process *process)
{
	_cleanup_(freep) char *unit = find_unit(&run->facts->root, process);
	_cleanup_(freep) char *name = text_quote(unit);
	_cleanup_(limit_setting_clear) struct limit_setting setting, manager;
	const char *also = "";

	limit_of_unit(&run->facts->root, unit, "LimitMEMLOCK", &setting);
	limit_of_manager(&run->facts->root, "DefaultLimitMEMLOCK", &manager);
	if (!setting.value && manager.value)
		doctor_evidence(run, manager.file, "DefaultLimitMEMLOCK=%s in %s", manager.value,
				manager.file);
	if (setting.value)
		doctor_evidence(run, setting.file, "LimitMEMLOCK=%s in %s", setting.value,
				setting.file);
	if (limit_is_none(&setting)) {
		doctor_next_step(run,
				 "the process does not have the limit that the file sets: "
				 "systemctl daemon-reload, then systemctl restart %s",
				 name);
		return;
	}
	if (!strcmp(process->kind->name, "slurmd"))
		also = ", and keep Slurm from passing on the submitting shell's limit "
		       "(PropagateResourceLimitsExcept=MEMLOCK)";
	else if (process->kind->role == STARTS_LOGINS)
		also = ", or put '* - memlock unlimited' into /etc/security/limits.d/rdma.conf, "
		       "which applies to logins through PAM";
	doctor_next_step(run,
			 "systemctl edit %s: LimitMEMLOCK=infinity below [Service], then "
			 "systemctl restart %s%s",
			 name, name, also);
}

static struct judged judge_daemon(struct doctor_context *run, const struct daemons *daemons,
				  const struct daemon_process *process,
				  const struct memlock *memlock)
{
	const enum daemon_role role = process->kind->role;
	enum severity severity = severity_of(run, memlock);
	_cleanup_(limit_setting_clear) struct limit_setting logins = {.value = NULL};

	if (role == STARTS_LOGINS && doctor_is_contained(run))
		return doctor_not_checked(
			run, 0,
			"the limit of logins is in files of the host, which a container "
			"does not have");
	if (role == STARTS_LOGINS) {
		const bool hard_is_none = memlock->hard.unlimited == TRISTATE_YES;
		const bool lifted = limit_of_logins(&run->facts->root, hard_is_none, &logins);

		if (logins.value)
			doctor_evidence(run, logins.file, "memlock %s for logins in %s",
					logins.value, logins.file);
		if (lifted)
			return doctor_ok(run, "logins get more than the daemon has");
		severity = SEVERITY_WARNING;
	}
	if (role == STARTS_NOTHING || (role == STARTS_CONTAINERS && !daemons->kubernetes))
		severity = SEVERITY_NOTICE;
	if (memlock->of_crio)
		doctor_next_step(run, "put \"memlock=-1:-1\" into default_ulimits of that file, "
				      "then systemctl restart crio");
	else
		advise_daemon(run, process);
	if (role == STARTS_NOTHING)
		return doctor_verdict(run, severity,
				      "pinned memory of the daemon is limited; containers "
				      "have the limit of their runtime");
	return doctor_verdict(run, severity, "%s a limit on pinned memory",
			      role == STARTS_JOBS     ? "jobs inherit"
			      : role == STARTS_LOGINS ? "logins probably inherit"
			      : memlock->of_crio      ? "containers get"
						      : "containers inherit");
}

/* Takes the limit that CRI-O's containers get instead of the daemon's; ParseUlimit() of go-units.
 */
static void take_crio(struct doctor_context *run, struct memlock *memlock)
{
	_cleanup_(limit_setting_clear) struct limit_setting setting;
	_cleanup_(freep) char *soft = NULL;
	int64_t bytes;

	limit_of_crio(&run->facts->root, &setting);
	if (!setting.value || sscanf(setting.value, "%" SCNd64, &bytes) != 1)
		return;
	memlock->of_crio = true;
	memlock->soft.unlimited = bytes < 0 ? TRISTATE_YES : TRISTATE_NO;
	memlock->soft.value = number_of((uint64_t)bytes);
	soft = limit_text(&memlock->soft);
	doctor_evidence(run, setting.file, "memlock=%s for containers in %s", setting.value,
			setting.file);
	doctor_expected(run, "unlimited", soft);
}

static struct judged check_daemon(struct doctor_context *run, const struct daemons *daemons,
				  const struct daemon_process *process)
{
	_cleanup_(freep) char *source = mem_format("/proc/%" PRIu64 "/limits", process->pid);
	struct memlock memlock = {.memory_bytes = 0};
	const int rc = read_memlock(run, source, &memlock);

	/* The daemon has ended in the meantime, so it no longer matters. */
	if (rc == -ESRCH || (rc == -ENOENT && run->facts->root.live))
		return doctor_does_not_apply(run);
	doctor_object(run, "%s[%" PRIu64 "]", process->kind->name, process->pid);
	if (rc)
		return limits_unread(run, "the daemon's limit on pinned memory", source, rc);
	if (!strcmp(process->kind->name, "crio"))
		take_crio(run, &memlock);
	if (is_enough(&memlock))
		return doctor_ok(run, "processes that it starts can pin memory without a limit");
	return judge_daemon(run, daemons, process, &memlock);
}

struct judged check_memlock(struct doctor_context *run)
{
	struct daemons daemons;

	check_this_shell(run);
	find_daemons(run->facts, &daemons);
	for_each (process, &daemons)
		if (!is_child(&daemons, process))
			check_daemon(run, &daemons, process);
	if (daemons.rc) {
		doctor_object(run, "daemons");
		doctor_unread(run, "the processes of other users", "/proc", daemons.rc, true);
	}
	free(daemons.items);
	return doctor_judged(run);
}

/* ---- Control groups ---- */

static int read_cgroups(struct doctor_facts *facts)
{
	struct doctor_limits *limits = DOCTOR_PART(facts, limits);
	struct procfs_cgroups cgroups;

	if (!doctor_is_first(&limits->cgroups_were_read))
		return limits->cgroups_rc;
	limits->cgroups_rc = procfs_find_cgroups(&facts->root, &cgroups);
	if (limits->cgroups_rc)
		return limits->cgroups_rc;
	/* Without control groups, or outside the mounted hierarchy, a process has no limit. */
	if (cgroups.mount)
		limits->cgroups_rc = procfs_read_rdma_cgroups(&facts->root, &cgroups, "self",
							      &limits->cgroups);
	procfs_cgroups_clear(&cgroups);
	return limits->cgroups_rc;
}

/* Adds a quota, if there is one, to the evidence; returns whether it is used up. */
static bool show_quota(struct doctor_context *run, const char *group, const char *what,
		       const struct number *used, const struct limit *most, bool *limited)
{
	if (most->unlimited != TRISTATE_NO)
		return false;
	*limited = true;
	doctor_evidence(run, "rdma.max", "%s: %s %" PRIu64 " of at most %" PRIu64, group, what,
			used->known ? used->value : 0, most->value.value);
	return used->known && used->value >= most->value.value;
}

static const struct cgroup_device *find_quota(const struct cgroup_level *level, const char *device)
{
	for (size_t i = 0; i < level->devices.count; i++)
		if (!strcmp(level->devices.items[i].device, device))
			return &level->devices.items[i];
	return NULL;
}

struct judged check_rdma_cgroup(struct doctor_context *run)
{
	bool limited = false, full = false;
	int rc = read_cgroups(run->facts);

	/* The group is above this control group namespace: find_group(), procfs.c. */
	if (rc == -ENOENT && run->facts->root.live)
		return doctor_not_checked(run, 0, "the control group cannot be seen from here");
	if (rc)
		return limits_unread(run, "the control group", "/proc/self/cgroup", rc);
	for_each (level, &run->facts->limits->cgroups) {
		const struct cgroup_device *quota = find_quota(level, run->device->name);

		if (!quota)
			continue;
		full |= show_quota(run, level->group, "hca_handle", &quota->handles,
				   &quota->most_handles, &limited);
		full |= show_quota(run, level->group, "hca_object", &quota->objects,
				   &quota->most_objects, &limited);
	}
	if (full)
		return doctor_error(run, "a control group's quota of RDMA objects is used up");
	if (limited)
		return doctor_note(run, "a control group limits the RDMA objects of this process");
	doctor_evidence(run, "rdma.max", "%zu group%s with the controller, none with a limit",
			run->facts->limits->cgroups.count,
			text_plural_s(run->facts->limits->cgroups.count));
	return doctor_ok(run, "no control group%s limits RDMA objects",
			 run->facts->limits->cgroups.more_above ? " that can be seen from here"
								: "");
}
