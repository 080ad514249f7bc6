/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How a client of the server fared: its process tells the server so when it ends, through a pipe,
 * and the server makes a line and a row of it. A flat record without pointers.
 */
#pragma once

#include <limits.h>

#include "host/endpoint/endpoint.h"
#include "selftest/selftest_result.h"

struct serve_report {
	bool welcomed; /* the handshake went well */
	bool well;     /* and so did the rest: every order was carried out, up to the good-bye */
	uint64_t orders;
	struct endpoint local;	/* that was opened; no device: none was */
	struct endpoint remote; /* what the client said of its own */
	char text[600];		/* how it ended, as it is: clean it before it is shown */
};

_Static_assert(sizeof(struct serve_report) <= PIPE_BUF, "a pipe takes it as a whole");

/* Whatever became of the process that sent it: its text ends. */
void serve_report_check(struct serve_report *report);
/*
 * Of a process that ended without one, with that status of waitpid(). `stopping`: the server ended
 * it.
 */
void serve_report_set_crash(struct serve_report *report, int status, bool stopping);
/* A line for the log, to be cleaned; the caller frees it. */
char *serve_report_line(const struct serve_report *report, uint64_t msec);
void serve_report_fill_row(const struct serve_report *report, const struct ip_address *address,
			   uint64_t msec, struct selftest_result *row);
