/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A run of events: events.c has the command line and the loop, events_exec.c passes events to a
 * command.
 */
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include "cmd/listing.h"
#include "event/watcher.h"

/* Commands that run one after the other, each with an event, while watching continues. */
struct events_exec {
	const char *command; /* NULL: none */
	struct event *queue; /* a ring of EVENTS_EXEC_MOST */
	size_t first, count;
	pid_t running;	   /* 0: none */
	uint64_t dropped;  /* events lost because the queue was full */
	uint64_t failed;   /* commands that did not end with status 0 */
	int last_status;   /* of the last of those, as from waitpid() */
	rlim_t most_files; /* what a command may open; 0: as much as this process */
};

enum { EVENTS_EXEC_MOST = 1024 };

/* Takes ownership of the event. */
void events_exec_add(struct events_exec *exec, struct event *event);
/* Starts the next command after a SIGCHLD. */
void events_exec_reap(struct events_exec *exec);
bool events_exec_is_busy(const struct events_exec *exec);
/* Reports lost events and failed commands, and drops the events that still wait. */
void events_exec_end(struct events_exec *exec, struct problems *problems);
