/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the parts of rdmactl doctor share. */
#pragma once

#include "cmd/listing.h"
#include "doctor/frame/doctor.h"

enum doctor_format { DOCTOR_NAGIOS, DOCTOR_NHC, DOCTOR_NPD, DOCTOR_CONDITION };

struct doctor_args {
	const char *only, *skip, *explain, *expect, *since, *peer;
	struct number profile; /* enum doctor_profile */
	struct number interval;
	struct number fail_on; /* enum severity */
	struct number format;  /* enum doctor_format */
	bool list, learn, probe, all;
};

/* The least severity that is a fault. */
enum severity doctor_threshold(const struct doctor_args *args);
/* Blocks of the findings, and the line of coverage; 0 or -errno. */
int doctor_print(FILE *out, const struct render_options *options,
		 const struct doctor_results *results, bool all);
/*
 * One of the forms that fleets read. Returns the exit status that goes with it, which is the form's
 * own; *ret_rc is 0 or -errno of the write.
 */
int doctor_print_as(FILE *out, enum doctor_format format, const struct doctor_results *results,
		    const struct doctor_args *args, int status, int *ret_rc);

/*
 * For --format with --timeout: true in the process that has waited for the check, with its exit
 * status; false in the one that has to make it, which has no --timeout any more.
 */
bool doctor_supervise(struct ctx *ctx, const void *doctor_args, int *ret_status);
/* What --format promises its reader, of a run that could not begin: its usage, its host. */
int doctor_unable(const struct ctx *ctx, const void *doctor_args, int status);

extern const struct enum_name doctor_format_names[];
