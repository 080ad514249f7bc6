/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The process that serves one client: the handshake, then an agent that takes orders until the
 * client ends. Before that it asks the server for a client's place, and when it ends it sends it a
 * report, of which the server makes a line of its log and a row.
 */
#pragma once

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

/* The server's answer to one byte of the process, which asks for a client's place. */
struct serve_answer {
	bool granted;
	char text[200]; /* else why not */
};

struct budget;

/* A connection, and what the process that serves it knows of the server. */
struct serve_client {
	const struct selftest_service *service;
	int channel;
	struct ip_address address;
	int line; /* to the server: a SOCK_SEQPACKET socket */
	struct budget *budget;
	size_t place; /* in the budget */
};

/* How long a client may be served. */
uint64_t serve_life_msec(const struct selftest_service *service);
/* Serves the client on the socket, which stays open, and returns when it has ended. */
void serve_client(const struct serve_client *client, struct serve_report *ret_report);
/* Tells a client that it is not served, without waiting. */
void serve_refuse(int channel, enum refusal refusal, const char *text);

/*
 * The report on a process that ended without one, with this status of waitpid(). `ended`: why the
 * server killed it, or NULL. `stopping`: the server ends.
 */
void serve_report_set_crash(struct serve_report *report, int status, bool stopping,
			    const char *ended);
/* A line for the log, to be cleaned; the caller frees it. */
char *serve_report_line(const struct serve_report *report, uint64_t msec);
void serve_report_fill_row(const struct serve_report *report, const struct ip_address *address,
			   uint64_t msec, struct selftest_result *row);
