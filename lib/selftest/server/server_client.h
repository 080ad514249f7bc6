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

/* A connection, and what the process that serves it knows about the server and the client. */
struct serve_client {
	const struct selftest_service *service;
	int channel;
	struct ip_address address, local; /* of the client's end, and of ours */
	int line;			  /* to the server: a SOCK_SEQPACKET socket */
	struct budget *budget;
	size_t place; /* in the budget */
	struct serve_report report;
};

/* Returns the time limit for serving one client. */
uint64_t serve_life_msec(const struct selftest_service *service);
/* Serves the client on the socket, and reports when it has ended. The socket stays open. */
void serve_client(struct serve_client *client);
/* Tells a client that it is not served, without waiting. */
void serve_refuse(int channel, enum refusal refusal, const char *text);
/*
 * Reads the system again, and chooses the port that the client names or, among those of the
 * service, one that fits. `local` is our end of the TCP connection; `order` is the client's, and
 * not to be trusted. It is called in the client's own process. Returns 0, or -errno with the reason
 * in words and the next step, which the caller frees.
 */
int serve_find_port(const struct selftest_service *service, const struct ip_address *local,
		    const struct message_open *order, struct endpoint *ret_endpoint,
		    char **ret_reason, char **ret_hint);
/* Reads the system again, and lists the active ports from `first` on. Returns as above. */
int serve_list_ports(const struct selftest_service *service, uint32_t first,
		     struct message_listed *ret_ports, char **ret_reason);

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
