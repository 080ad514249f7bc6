/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"

/* Rights that the headers may be too old to define: include/uapi/linux/landlock.h. */
#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

_Static_assert(CONFINE_IPC_LOCK == CONFINE_CAPABILITY(CAP_IPC_LOCK), "its number is fixed");

static void lower(int resource, rlim_t most)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) || limit.rlim_max <= most)
		return;
	limit = (struct rlimit){.rlim_cur = limit.rlim_cur < most ? limit.rlim_cur : most,
				.rlim_max = most};
	setrlimit(resource, &limit);
}

/*
 * The bounding set limits what an executed program can gain. Clearing it requires CAP_SETPCAP;
 * no_new_privs has the same effect for a process without that.
 */
static void clear_bounding_set(uint64_t capabilities)
{
	for (unsigned long number = 0; prctl(PR_CAPBSET_READ, number, 0, 0, 0) >= 0; number++)
		if (number >= 64 || !(capabilities & CONFINE_CAPABILITY(number)))
			prctl(PR_CAPBSET_DROP, number, 0, 0, 0);
}

/*
 * Keeps only these of the capabilities that the process has; see capset(2). It is not called if
 * there is nothing to give up, because a service's filter of system calls may refuse it.
 */
static int keep_capabilities(uint64_t capabilities)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {0};
	uint32_t dropped = 0;

	if (syscall(SYS_capget, &header, sets))
		return -errno;
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++) {
		const uint32_t kept = sets[i].permitted & (uint32_t)(capabilities >> (32 * i));

		dropped |= (sets[i].permitted & ~kept) | sets[i].inheritable;
		sets[i] = (struct __user_cap_data_struct){.permitted = kept,
							  .effective = sets[i].effective & kept};
	}
	return dropped && syscall(SYS_capset, &header, sets) ? -errno : 0;
}

/* The rights to change files that this version of Landlock controls. */
static uint64_t rights_to_change(long version)
{
	uint64_t rights = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
			  LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
			  LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
			  LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
			  LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

	if (version >= 2)
		rights |= LANDLOCK_ACCESS_FS_REFER;
	if (version >= 3)
		rights |= LANDLOCK_ACCESS_FS_TRUNCATE;
	return rights;
}

/*
 * Landlock exists since Linux 5.13, if it is built in and enabled; without it, changes stay
 * possible.
 */
static void forbid_changes(const char *writable_directory)
{
	const long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
				     LANDLOCK_CREATE_RULESET_VERSION);
	const struct landlock_ruleset_attr attributes = {
		.handled_access_fs = rights_to_change(version)};
	struct landlock_path_beneath_attr rule = {.allowed_access = LANDLOCK_ACCESS_FS_WRITE_FILE};
	_cleanup_(closep) int rules = -1;
	_cleanup_(closep) int directory = open(writable_directory, O_PATH | O_CLOEXEC);

	if (version < 1)
		return;
	rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof(attributes), 0);
	if (rules < 0)
		return;
	rule.parent_fd = directory;
	if (directory >= 0)
		syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	syscall(SYS_landlock_restrict_self, rules, 0);
}

int confine(const struct confinement *confinement)
{
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (confinement->writable_directory)
		forbid_changes(confinement->writable_directory);
	lower(RLIMIT_CORE, 0);
	if (confinement->most_files)
		lower(RLIMIT_NOFILE, confinement->most_files);
	if (confinement->most_processes)
		lower(RLIMIT_NPROC, confinement->most_processes);
	if (confinement->most_cpu_seconds)
		lower(RLIMIT_CPU, confinement->most_cpu_seconds);
	if (confinement->most_address_bytes)
		lower(RLIMIT_AS, confinement->most_address_bytes);
	clear_bounding_set(confinement->capabilities);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return keep_capabilities(confinement->capabilities);
}
