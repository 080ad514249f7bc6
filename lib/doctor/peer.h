/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The verdict on the data path to a peer. */
#pragma once

#include "doctor/frame/check.h"
#include "selftest/record/record.h"

/* Reports one finding for each failed test, or one that lists what passed; `peer` is clean text. */
void doctor_judge_peer(struct doctor_context *run, const char *peer,
		       const struct selftest_results *results);
