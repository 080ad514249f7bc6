/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Expectation files, schema rdmactl/expect/1: what a good host has, as written by `doctor --learn`
 * and edited by an operator.
 */
#pragma once

#include "doctor/expect/expectation.h"
#include "doctor/frame/facts.h"
#include "host/device.h"

struct doctor_expect {
	char *path; /* cleaned */
	struct expectation file;
};

/* Reads request->expect, if given, into the facts. 0 or -errno, with the problem reported. */
int doctor_expect_load(struct doctor_facts *facts);
void doctor_expect_free(struct doctor_expect *expect);
/* Returns the profile that the file names; unknown if it names none. */
struct number doctor_expect_profile(const struct doctor_expect *expect);
/* Whether the file expects any device. */
bool doctor_expect_hardware(const struct doctor_expect *expect);
/*
 * Called after all checks: turns findings that the file ignores into notes, and reports entries
 * that match nothing. The context has no object; it is left at the check `expect`.
 */
void doctor_expect_ignore(struct doctor_context *run);

/* Whether the pattern equals the name or matches it by fnmatch(3). A name may be NULL. */
bool expect_names(const char *pattern, const char *name);

/*
 * A value of a device or port: --learn writes it, --expect compares it. Do not copy the struct,
 * because the word of a code that has none (unknown-9) is in `value` itself.
 */
struct expect_value {
	struct value value;
	bool known;
	bool none;	  /* the object cannot have the value: a port that is down has no rate */
	const char *word; /* borrowed from the record or from `value`; NULL: a number */
	double number;
};

/* `port` NULL: a value of the device. */
void expect_value_get(struct doctor_facts *facts, const struct device *device,
		      const struct port *port, enum wanted_key key, struct expect_value *ret_value);
/* Reads this process's limit of pinned memory in bytes; INFINITY: unlimited. 0 or -errno. */
int expect_read_memlock(struct doctor_facts *facts, double *ret_bytes);
