/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Expectation files, schema rdmactl/expect/1: what a good host has, as written by `doctor --learn`
 * and edited by an operator.
 */
#pragma once

#include "doctor/frame/doctor.h"

struct doctor_context;
struct doctor_facts;
struct doctor_expect;

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
