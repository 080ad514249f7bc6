/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The file of --expect among the facts. */
#pragma once

#include "doctor/expect/expectation.h"

struct doctor_expect {
	char *path; /* cleaned */
	struct expectation file;
};

/* Whether the pattern is the name or, by fnmatch(3), matches it. A name may be NULL. */
bool expect_names(const char *pattern, const char *name);
