/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Problems and findings. A problem is a failure that did not end the work: the object, its
 * attribute, the cause, and what to do next. A list of problems is itself printed from a schema.
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
 * Notes that `attribute` of `object` could not be read from `source`; `error` is -errno. Does
 * nothing if `problems` is NULL.
 */
void problem_add(struct problems *problems, const char *object, const char *attribute,
		 const char *source, int error, const char *hint);
/* The same with the cause in words. All strings are copied. */
void problem_add_text(struct problems *problems, const char *object, const char *attribute,
		      const char *source, const char *error, const char *hint);
/* The same, formatted; the hint precedes the format. */
void problem_add_format(struct problems *problems, const char *object, const char *attribute,
			const char *source, const char *hint, const char *format, ...)
	__attribute__((format(printf, 6, 7)));
/* Adds those of `found` that are not in `noted` yet, and notes them there. */
void problems_add_new(struct problems *problems, struct strings *noted,
		      const struct problems *found);
/*
 * Whether one of the values in the list, "ports,link_layer", or any if it is NULL, could not be
 * read. That no device has a name is no failure to read, and has no source.
 */
bool problems_hide(const struct problems *problems, const char *list);
void problems_free(struct problems *problems);
/* The one line that standard error gets, without the hint; the caller frees it. */
char *problem_line(const struct problem *problem);
/*
 * Calls `tell` for each line that standard error gets, in the order of the problems. With `each`,
 * every problem has a line; otherwise values that one cause hides share a line, as do many objects
 * with the same text. The same hint comes only once, with the first line that has it.
 */
void problems_tell(const struct problems *problems, bool each,
		   void (*tell)(const void *context, const char *line, const char *hint),
		   const void *context);

/*
 * Something that a check found wrong: which check, how bad it is, what it is about, the evidence,
 * and what to do next. All subjects that check something share this record, its columns and its
 * severities. A finding owns its strings.
 */
/* OK: examined and found right; used only by verdicts. */
enum severity { SEVERITY_OK, SEVERITY_INFO, SEVERITY_NOTICE, SEVERITY_WARNING, SEVERITY_ERROR };

extern const struct enum_name severity_names[]; /* by enum severity */

struct finding {
	struct number id;	/* of the check, in the names of its subject */
	struct number severity; /* enum severity */
	char *object;		/* NULL: the subject as a whole, or other columns name it */
	char *summary;		/* NULL: the name of the check says it */
	char *evidence;
	char *next_step;
};

void finding_clear(struct finding *finding);

/* The columns before and after those that say what the finding is about. */
#define FINDING_COLUMNS(record, member, names_)                                                    \
	ENUM_FIELD(record, member.severity, severity_names, "severity", "SEVERITY", FIELD_DEFAULT, \
		   0, "severity of the finding"),                                                  \
		ENUM_FIELD(record, member.id, names_, "finding", "FINDING", FIELD_DEFAULT, 0,      \
			   "what is wrong")
#define EVIDENCE_COLUMNS(record, member)                                                \
	STRING_FIELD(record, member.evidence, "evidence", "EVIDENCE", FIELD_DEFAULT, 0, \
		     "what the finding is based on"),                                   \
		STRING_FIELD(record, member.next_step, "next_step", "NEXT STEP", 0, 0,  \
			     "what to do about it")
