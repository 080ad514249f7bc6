/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An agent of a mesh: connects to the coordinator, says what its host is, and carries out orders,
 * each in a child. It ends with the connection, when the coordinator is silent for too long, or by
 * a signal, and leaves no process behind. It writes no file.
 */
#pragma once

#include "mesh/agent/runner.h"
#include "schema/problem.h"
#include "schema/value.h"

/* Takes a finding of the doctor. */
typedef void (*mesh_found)(void *context, const char *check, const struct finding *finding);

/* Borrowed: it must live as long as the call. 0 and NULL are defaults. */
struct mesh_agent_setup {
	const struct strings *addresses; /* of the coordinator: names or numbers; the first that
					    proves the token is taken */
	uint16_t port;
	const char *token; /* NULL: it tells the coordinator that it has none, and fails */
	const struct mesh_runner *runner;
	const char *file; /* of a rehearsal */
	const char *name; /* of the host; NULL: of the system */
	struct number rank;
	uint32_t connect_msec; /* how long it tries to reach the coordinator; 0: 60 s */
	int signals;	       /* a signalfd that ends it; -1: none */
	/* A line for the user of this host; or NULL. */
	void (*say)(const char *line);
	/* Checks the host, when the coordinator asks for that. */
	void (*doctor)(mesh_found found, void *found_context);
};

/*
 * 0: the coordinator said goodbye. -EINTR: a signal; else -errno, *ret_reason says why and
 * *ret_hint the next step (may stay NULL); the caller frees both.
 */
int mesh_agent_run(const struct mesh_agent_setup *setup, char **ret_reason, char **ret_hint);
/* Waits until a child has ended, at most so long; false: it has not. */
bool mesh_agent_wait_for(pid_t pid, uint32_t msec, int *ret_status);
