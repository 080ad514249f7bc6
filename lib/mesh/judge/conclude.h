/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The findings as they are made: see judge.h. */
#pragma once

#include "mesh/judge/judge.h"

/* Appends one with its severity and next step, and takes the strings over; the object may be NULL.
 */
struct judge_finding *finding_add(struct judge_findings *findings, enum judge_finding_id id,
				  char *object, char *evidence);
/* In place of that of its kind. */
void finding_set_next_step(struct judge_finding *finding, const char *text);
void findings_sort(struct judge_findings *findings);
