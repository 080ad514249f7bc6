/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The hosts that a job should avoid, for those who start it. */
#pragma once

#include "mesh/judge/judge.h"

enum exclude_form {
	/* `n[1-3,7]`, for srun --exclude, clush -x, pdsh -x; empty if there are none */
	EXCLUDE_LIST,
	/* `scontrol update nodename=n[1-2] state=drain reason=...`, a line per kind of finding */
	EXCLUDE_SLURM,
};

/* Ends with a newline unless it is empty; to be freed. */
char *exclude_text(const struct judge_findings *findings, enum exclude_form form);
