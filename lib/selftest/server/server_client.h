/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The process that serves one client: the handshake, then an agent that takes orders until the
 * client ends. Before that the process asks the server for a client's place. At its end it sends
 * the server a report, which becomes a line in the log and a row.
 */
#pragma once

#include "selftest/selftest.h"
#include "selftest/wire/message.h"

/* A flat record without pointers. */
struct serve_report {
	bool welcomed; /* the handshake succeeded */
	bool well;     /* and all orders up to the goodbye were carried out */
	uint64_t orders;
	struct endpoint local;	/* port that was opened; no device: none */
	struct endpoint remote; /* client's own description of its port */
	char text[600];		/* how it ended; clean it before showing it */
};

/* The server's answer when the process sends one byte to ask for a client's place. */
struct serve_answer {
	bool granted;
	char text[200]; /* if not: the reason */
};

struct budget;

/* A connection, and what the process that serves it knows about the server. */
struct serve_client {
	const struct selftest_service *service;
	int channel;
	struct ip_address address;
	int line; /* to the server: a SOCK_SEQPACKET socket */
	struct budget *budget;
	size_t place; /* in the budget */
};

/* Returns the time limit for serving one client. */
uint64_t serve_life_msec(const struct selftest_service *service);
/* Serves the client on the socket and returns when it has ended. The socket stays open. */
void serve_client(const struct serve_client *client, struct serve_report *ret_report);
/* Tells a client that it is not served, without waiting. */
void serve_refuse(int channel, enum refusal refusal, const char *text);

/*
 * Fills in a report for a process that ended without one. `status` is from waitpid(). `ended`: why
 * the server killed the process, or NULL. `stopping`: the server is ending.
 */
void serve_report_set_crash(struct serve_report *report, int status, bool stopping,
			    const char *ended);
/* Returns a line for the log, not cleaned yet; the caller frees it. */
char *serve_report_line(const struct serve_report *report, uint64_t msec);
void serve_report_fill_row(const struct serve_report *report, const struct ip_address *address,
			   uint64_t msec, struct selftest_result *row);
