/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An agent of a mesh: connects to the coordinator, describes its host, and runs orders, each in a
 * child. It ends with the connection, when the coordinator is silent for too long, or on a signal,
 * and leaves no process behind. It writes no file.
 */
#pragma once

#include "mesh/agent/runner.h"
#include "schema/problem.h"
#include "schema/value.h"

/* Receives a finding of the doctor. */
typedef void (*mesh_found)(void *context, const char *check, const struct finding *finding);

/* Borrowed: must outlive the call. 0 and NULL select the defaults. */
struct mesh_agent_setup {
	/* of the coordinator, names or numbers; the first that proves the token wins */
	const struct strings *addresses;
	uint16_t port;
	const char *token; /* NULL: tells the coordinator that it has none, and fails */
	const struct mesh_runner *runner;
	const char *file; /* of a rehearsal */
	const char *name; /* of the host; NULL: the system's */
	struct number rank;
	uint32_t connect_msec; /* limit for reaching the coordinator; 0: 60 s */
	int signals;	       /* a signalfd that ends it; -1: none */
	/* Receives a line for the user of this host; or NULL. */
	void (*say)(const char *line);
	/* Checks the host if the coordinator asks for it. */
	void (*doctor)(mesh_found found, void *found_context);
};

/*
 * Returns 0 if the coordinator said goodbye, -EINTR on a signal, else -errno; *ret_reason says why
 * and *ret_hint names the next step (may stay NULL); the caller frees both.
 */
int mesh_agent_run(const struct mesh_agent_setup *setup, char **ret_reason, char **ret_hint);
/* Waits for a child to end, for at most `msec`. Returns false if it has not ended. */
bool mesh_agent_wait_for(pid_t pid, uint32_t msec, int *ret_status);
