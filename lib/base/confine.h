/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a process gives up for good before it works on what strangers send: privileges that it does
 * not need, and resources beyond a bound. What the kernel does not know is left out, and a limit is
 * only ever lowered.
 */
#pragma once

#include <stdint.h>
#include <sys/resource.h>

#define CONFINE_CAPABILITY(number) (UINT64_C(1) << (number))
#define CONFINE_IPC_LOCK	   CONFINE_CAPABILITY(14) /* CAP_IPC_LOCK: locks memory */

/* A limit that is 0 is not set. */
struct confinement {
	uint64_t capabilities; /* those that may stay, of CONFINE_CAPABILITY(CAP_...) */
	rlim_t most_files;     /* open descriptors */
	rlim_t most_processes; /* of this user; root's are not counted, setrlimit(2) */
	rlim_t most_cpu_seconds;
	rlim_t most_address_bytes;
	const char *writable_directory; /* if set, no file elsewhere can be changed or made */
};

/*
 * Gives up all capabilities but those, the gaining of any by execve(), core dumps, and what
 * `confinement` limits. 0, or -errno if a capability stays that should not: then the process must
 * not go on. Irreversible; for a child, after fork().
 */
int confine(const struct confinement *confinement);
