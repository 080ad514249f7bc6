/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A failure that did not end the work: the object, its attribute, the cause, and what to do next. A
 * list of problems is itself printed from a schema.
 */
#pragma once

#include "schema/schema.h"

#define ERRNO_MOST 4095 /* MAX_ERRNO of the kernel, include/linux/err.h */

struct problem {
	char *object;	 /* mlx5_0, mlx5_0/1; NULL: the host as a whole */
	char *attribute; /* the missing value, such as `rate`; NULL if the error says it all */
	char *source;	 /* where it should have come from: sysfs, nldev, verbs, rtnetlink ... */
	char *error;	 /* the cause in words, strerror() text where there is an errno */
	char *hint;	 /* the next step, or NULL */
};

struct problems {
	struct problem *items;
	size_t count;
};

extern const struct schema problem_schema;

/*
 * Notes that `attribute` of `object` could not be read from `source`: -errno in `error`. Does
 * nothing if `problems` is NULL.
 */
void problem_add(struct problems *problems, const char *object, const char *attribute,
		 const char *source, int error, const char *hint);
/* The same with the cause in words. All strings are copied. */
void problem_add_text(struct problems *problems, const char *object, const char *attribute,
		      const char *source, const char *error, const char *hint);
void problems_free(struct problems *problems);
/* The one line that standard error gets, without the hint; the caller frees it. */
char *problem_line(const struct problem *problem);
