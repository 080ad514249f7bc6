/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What drivers of RDMA adapters wrote to the kernel log. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "doctor/frame/check.h"

struct kmsg_record;

/* The complaints of one kind about one adapter. */
struct complaint {
	char *address;
	size_t kind;
	size_t count;
	uint64_t usec; /* of the last one, since boot */
	char *line;    /* the last one, cleaned */
};

struct complaints {
	struct complaint *items;
	size_t count;
	size_t lines;	     /* lines examined */
	uint64_t first_usec; /* of the oldest line */
};

/* Adds a log line if it is a complaint; for kmsg_read(). */
void complaints_take(void *complaints, const struct kmsg_record *record);
/* Gives the verdicts. `boot_nsec`: the time of the boot, in nanoseconds since the epoch. */
struct judged complaints_judge(struct doctor_context *run, const struct complaints *complaints,
			       uint64_t boot_nsec);
void complaints_clear(struct complaints *complaints);
