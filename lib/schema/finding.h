/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Something that a check found wrong: which check, how bad it is, what it is about, the evidence,
 * and what to do next. All subjects that check something share this record, its columns and its
 * severities. A finding owns its strings.
 */
#pragma once

#include "schema/schema.h"

enum severity { SEVERITY_INFO, SEVERITY_NOTICE, SEVERITY_WARNING, SEVERITY_ERROR };

extern const struct enum_name severity_names[]; /* by enum severity */

struct finding {
	struct number id;	/* of the check, in the names of its subject */
	struct number severity; /* enum severity */
	char *object;		/* NULL: the subject as a whole, or it has columns for the object */
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
