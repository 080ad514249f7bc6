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
 * Gets a value of a device or port, which --learn writes and --expect compares: a string, a real
 * number, or none if it is unknown; `port` NULL: of the device. Returns false if the object cannot
 * have the value: a port that is down has no rate. Do not copy the value, because it may have the
 * word of a code that has none (unknown-9) in itself.
 */
bool expect_value_get(struct doctor_facts *facts, const struct device *device,
		      const struct port *port, enum wanted_key key, struct value *ret_value);
/* Reads this process's limit of pinned memory in bytes; INFINITY: unlimited. 0 or -errno. */
int expect_read_memlock(struct doctor_facts *facts, double *ret_bytes);
