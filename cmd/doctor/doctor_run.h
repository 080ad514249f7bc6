/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the parts of rdmactl doctor. */
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

/* Returns the lowest severity that counts as a fault. */
enum severity doctor_threshold(const struct doctor_args *args);
/* Prints the blocks of findings and the coverage line; 0 or -errno. */
int doctor_print(FILE *out, const struct render_options *options,
		 const struct doctor_results *results, bool all);
/*
 * Prints one of the formats for monitoring systems. Returns the exit status defined by that format;
 * *ret_rc is 0 or -errno of the write.
 */
int doctor_print_as(FILE *out, enum doctor_format format, const struct doctor_results *results,
		    const struct doctor_args *args, int status, int *ret_rc);

/*
 * For --format with --timeout: returns true in the process that waited for the checks, with their
 * exit status; false in the one that has to run them, which no longer has a --timeout.
 */
bool doctor_supervise(struct ctx *ctx, const void *doctor_args, int *ret_status);
/*
 * Prints what --format promises its reader for a run that could not begin, and returns the status.
 */
int doctor_unable(const struct ctx *ctx, const void *doctor_args, int status);

extern const struct enum_name doctor_format_names[];
