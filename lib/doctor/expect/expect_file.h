/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The --expect file as part of the facts. */
#pragma once

#include "doctor/expect/expectation.h"

struct doctor_expect {
	char *path; /* cleaned */
	struct expectation file;
};

/* Whether the pattern equals the name or matches it by fnmatch(3). A name may be NULL. */
bool expect_names(const char *pattern, const char *name);
