/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The process that serves one client: the handshake, then an agent that takes orders until the
 * client ends. When it ends it sends a report to the server through a pipe, and the server makes a
 * line of its log and a row of it.
 */
#pragma once

#include <limits.h>

#include "selftest/selftest.h"
#include "selftest/wire/message.h"

/* A flat record without pointers. */
struct serve_report {
	bool welcomed; /* the handshake succeeded */
	bool well;     /* and every order was carried out, up to the goodbye */
	uint64_t orders;
	struct endpoint local;	/* the port that was opened, if it has a device */
	struct endpoint remote; /* the client's own description of its port */
	char text[600];		/* how it ended; clean it before it is shown */
};

_Static_assert(sizeof(struct serve_report) <= PIPE_BUF, "a pipe takes it in one piece");

/* Serves the client on the socket, which stays open, and returns when it has ended. */
void serve_client(const struct selftest_service *service, int channel,
		  const struct ip_address *address, struct serve_report *ret_report);
/* Tells a client that it is not served, without waiting. */
void serve_refuse(int channel, enum refusal refusal, const char *text);

/* Terminates the texts of a report, whatever happened to the process that sent it. */
void serve_report_check(struct serve_report *report);
/*
 * The report on a process that ended without one, with this status of waitpid(). `stopping`: the
 * server ended it.
 */
void serve_report_set_crash(struct serve_report *report, int status, bool stopping);
/* A line for the log, to be cleaned; the caller frees it. */
char *serve_report_line(const struct serve_report *report, uint64_t msec);
void serve_report_fill_row(const struct serve_report *report, const struct ip_address *address,
			   uint64_t msec, struct selftest_result *row);
