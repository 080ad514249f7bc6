/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Expectation files, schema rdmactl/expect/1: what a good host has, as `doctor --learn` writes it
 * and an operator edits it.
 */
#pragma once

#include "doctor/doctor.h"

struct doctor_facts;
struct doctor_expect;

/* Reads request->expect, if given, into the facts. 0 or -errno, with the problem reported. */
int doctor_expect_load(struct doctor_facts *facts, const struct doctor_request *request,
		       struct problems *problems);
void doctor_expect_free(struct doctor_expect *expect);
