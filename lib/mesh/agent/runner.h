/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What an agent tests with: the data path (selftest) or a rehearsal, which touches no RDMA. A
 * runner opens what it needs once, reports the rails of this host, and runs orders, each in a child
 * of the agent, several at the same time on different rails.
 */
#pragma once

#include <sys/types.h>

#include "mesh/wire/mesh_message.h"

/* Borrowed: must live as long as the runner is open. */
struct mesh_runner_setup {
	const char *token;     /* that peers must prove to know */
	const char *file;      /* of a rehearsal */
	const char *name;      /* of this host, from the command line; or NULL */
	struct number rank;    /* given by the launcher */
	uint32_t seat;	       /* order of arrival of this agent, from 0 */
	uint32_t timeout_msec; /* limit of each order */
};

/* What the runner reports about this host. The agent frees `host` with mesh_host_clear(). */
struct mesh_local {
	struct mesh_host host; /* name (or NULL: the agent's), firmware, rails, server_port ... */
	/* child that serves the peers, and that the agent waits for; 0: none */
	pid_t server;
};

struct mesh_runner {
	/*
	 * Fills *ret_local and *ret_state. Returns -errno if this host cannot take part;
	 * *ret_reason says why, and *ret_hint names the next step or stays NULL; the caller frees
	 * both. Only the name in *ret_local may be filled then.
	 */
	int (*open)(const struct mesh_runner_setup *setup, struct mesh_local *ret_local,
		    void **ret_state, char **ret_reason, char **ret_hint);
	/*
	 * Runs the order in a child of the agent, which exits afterwards, from the rail `near` of
	 * this host, and fills outcome, figures and reason of the zeroed result. Figures of both
	 * ways at once are set only if the order asks for them.
	 */
	void (*run)(void *state, const struct mesh_order *order, const struct endpoint *near,
		    struct mesh_result *result);
	/* Called in the agent when the coordinator has gone or says goodbye. */
	void (*close)(void *state);
};

/* rdmactl selftest: its server in a child, its client in each order's child. */
extern const struct mesh_runner mesh_runner_selftest;
/* Answers from a file: see rdmactl-mesh(1), REHEARSAL. */
extern const struct mesh_runner mesh_runner_rehearsal;
