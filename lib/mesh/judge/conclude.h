/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Builds findings: see judge.h. */
#pragma once

#include "mesh/judge/judge.h"

/* Appends a finding with its severity and next step. Takes over the strings; object may be NULL. */
struct judge_finding *finding_add(struct judge_findings *findings, enum judge_finding_id id,
				  char *object, char *evidence);
/* The severity of its kind. */
enum severity finding_severity(enum judge_finding_id id);
const char *finding_next_step(enum judge_finding_id id);
/* Replaces the next step of its kind. */
void finding_set_next_step(struct judge_finding *finding, const char *text);
void findings_sort(struct judge_findings *findings);
