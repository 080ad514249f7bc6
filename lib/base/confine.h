/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lets a process give up for good, before it handles input from strangers, privileges that it does
 * not need and resources beyond a bound. Whatever the kernel does not support is skipped, and a
 * limit is only ever lowered.
 */
#pragma once

#include <stdint.h>
#include <sys/resource.h>

#define CONFINE_CAPABILITY(number) (UINT64_C(1) << (number))
#define CONFINE_IPC_LOCK	   CONFINE_CAPABILITY(14) /* CAP_IPC_LOCK: locks memory */

/* A limit of 0 is not set. */
struct confinement {
	uint64_t capabilities; /* the ones to keep, of CONFINE_CAPABILITY(CAP_...) */
	rlim_t most_files;     /* open descriptors */
	rlim_t most_processes; /* of this user; root's are not counted, setrlimit(2) */
	rlim_t most_cpu_seconds;
	rlim_t most_address_bytes;
	const char *writable_directory; /* if set, no file elsewhere can be changed or made */
};

/*
 * Gives up all other capabilities, the gaining of any by execve(), core dumps, and what
 * `confinement` limits. Returns 0, or -errno if a capability could not be given up: then the
 * process must not go on. Irreversible; in a child, to be called after fork().
 */
int confine(const struct confinement *confinement);
