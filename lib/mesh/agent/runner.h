/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What an agent tests with: the data path (selftest) or a rehearsal, which touches no RDMA. A
 * runner opens what it needs once, reports the rails of this host, and runs orders, each in a child
 * of the agent, several at the same time on different rails.
 */
#pragma once

#include <sys/types.h>

#include "mesh/mesh.h"
#include "mesh/wire/mesh_message.h"
#include "schema/value.h"

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

/*
 * A rehearsal: a file of made-up hosts and results, described in rdmactl-mesh(1). Each line has a
 * subject, and keys with values:
 *
 *	hosts n[1-4]                  names; an agent takes that of its rank, or the next one
 *	all rails 2 gbps 95 latency 1.8 noise 2 msec 3
 *	host n2 gbps 50
 *	rail n3/1 fail no answer
 *	rail n3/2 down no cable
 *	rail n4/2 gone                its adapter is not there
 *	pair n1 n4/0 latency 9
 *
 * Later lines override earlier ones for the hosts, rails or pair that their subject names.
 */
struct rehearsal_line {
	char *subject;		/* all, host, rail or pair */
	char *names[2];		/* of the hosts */
	struct number rails[2]; /* unknown: every rail */
	/* key, value, key, value ...; only the last value may be free text */
	struct strings keys;
};

struct rehearsal {
	struct strings hosts;
	struct rehearsal_line *lines;
	size_t count;
};

/* Returns 0, or -EINVAL; *ret_reason names the line and what is wrong, for the caller to free. */
int rehearsal_parse(const char *text, struct rehearsal *ret_rehearsal, char **ret_reason);
void rehearsal_clear(struct rehearsal *rehearsal);
/* The value of a key for a host, or NULL. */
const char *rehearsal_host_value(const struct rehearsal *rehearsal, const char *host,
				 const char *key);

/* The value of a key for a single rail (`down` or `gone`), or NULL. */
const char *rehearsal_rail_value(const struct rehearsal *rehearsal, const char *host, uint16_t rail,
				 const char *key);

/* What a test of a pair yields. */
struct rehearsal_act {
	double gbps[MESH_ENDS], latency_usec, noise_percent;
	/* Both ways at once; unknown: the same as one way at a time. */
	struct real both_gbps[MESH_ENDS];
	uint64_t errors[MESH_ENDS], msec;
	const char *fail;  /* the reason, or NULL */
	const char *apart; /* why the agents cannot talk to each other, or NULL */
	bool crash, hang;
};

void rehearsal_act(const struct rehearsal *rehearsal, const char *const names[MESH_ENDS],
		   const uint16_t rails[MESH_ENDS], struct rehearsal_act *ret_act);

struct inventory;

/* What the inventory must have loaded. */
#define MESH_RAIL_NEEDS (ENDPOINT_NEEDS | NEED_PCI_ADDRESS | NEED_FIRMWARE)

/*
 * Fills rails and firmware of the host: its active ports, each with its best GID, in the order of
 * the PCI addresses, which is the same on hosts of one kind whatever their devices are called; the
 * gaps, which are its other ports; and the slots of both. Returns -ENODEV if there is no rail;
 * *ret_reason says why and *ret_hint (may stay NULL) what to do.
 */
int mesh_rails_find(const struct inventory *inventory, struct mesh_host *host, char **ret_reason,
		    char **ret_hint);
