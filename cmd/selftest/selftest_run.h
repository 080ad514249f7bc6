/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A run of selftest: what was asked for, and what comes of it. */
#pragma once

#include "selftest/interop/interop.h"
#include "cmd/selftest/selftest_args.h"
#include "cmd/selftest/selftest_output.h"

struct selftest_run {
	struct listing listing;
	struct selftest_plan plan;
	struct selftest_output output;
	struct interop_request interop;
	bool named; /* the user named devices or ports */
};

/* Serves until it is told to end; returns the exit status. */
int selftest_run_server(struct selftest_run *run);
