/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A server: server.c listens and accepts, server_process.c runs its child processes. */
#pragma once

#include <signal.h>

#include "selftest/server/crowd.h"

struct server {
	const struct selftest_service *service;
	struct selftest_results *results;
	int listener; /* -1: no longer listening */
	int children; /* signalfd for SIGCHLD */
	struct crowd crowd;
	struct pollfd *polls;
	struct log_limit strangers, clients;
	uint64_t pause_end_msec; /* end of a pause in accepting; 0: none */
	bool ended;		 /* the only client was served */
	bool well;		 /* and up to its goodbye */
	bool stopping;		 /* by a signal */
	sigset_t old_mask;
};

/* Logs a line about an address, unless there are too many lines; frees the text. */
void server_say(const struct server *server, struct log_limit *limit,
		const struct ip_address *address, char *text);
/* Logs how many lines were omitted. */
void server_say_left_out(struct server *server);
void server_stop_listening(struct server *server);
void server_close_lines(struct server *server);
/* Starts a process for a guest at a free place. Returns 0 or -errno. */
int server_start_child(struct server *server, int channel, const struct ip_address *address,
		       struct served *place);
/* Kills the process; `why` is for the log. */
void server_end_child(struct served *served, const char *why);
/* Reads what a process has sent, if anything. */
void server_listen_to(struct served *served);
/* Tells the guests that asked to become clients whether they may. */
void server_answer_guests(struct server *server);
/* Collects the reports of the processes that have ended. */
void server_reap(struct server *server);
