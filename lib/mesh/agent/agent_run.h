/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Internals of the agent: its connection, and the children that run orders. */
#pragma once

#include "mesh/agent/agent.h"
#include "mesh/wire/mesh_message.h"

/* One order per rail, and the previous one that has not ended yet. */
#define MESH_MOST_CHILDREN (2 * MESH_MOST_RAILS)

/* What a child does, and whether its order has been answered. */
enum mesh_child_state {
	CHILD_TESTS,
	CHILD_ENDS,  /* killed; its answer goes out once it has ended */
	CHILD_HANGS, /* the kernel does not end it; its order has been answered */
};

struct mesh_child {
	pid_t pid; /* 0: none */
	enum mesh_child_state state;
	int pipe; /* carries its result; -1: read already, or not wanted */
	uint64_t id;
	uint64_t end_msec; /* when it is killed; after that, when waiting for its end stops */
	uint32_t timeout_msec;
	bool cancelled; /* nobody wants its result */
	bool answered;	/* `result` holds what it reported, or its timeout */
	struct mesh_result result;
};

struct mesh_agent {
	const struct mesh_agent_setup *setup;
	struct mesh_channel channel;
	struct mesh_admitted admitted;
	uint32_t protocol; /* version agreed on */
	struct mesh_local local;
	void *state; /* of the runner */
	bool open;   /* the runner is open */
	struct mesh_child children[MESH_MOST_CHILDREN];
	uint64_t answers_end_msec; /* when queued answers are sent; 0 if there are none */
	uint64_t turn_msec;	   /* when the last turn ended */
	char **ret_reason, **ret_hint;
};

/* agent_connect.c: connects and shakes hands, with retries. Returns 0, or -errno with a reason. */
int mesh_agent_connect(struct mesh_agent *agent);
/* Stores why the agent ends (taking over the reason) and the next step (or NULL). Returns rc. */
int mesh_agent_fail(struct mesh_agent *agent, int rc, char *reason, const char *hint);
/* The same in the coordinator's words. Returns -EPERM: a retry would not help. */
int mesh_agent_fail_refused(struct mesh_agent *agent, const struct mesh_refused *refused);
/* Sends a message, and waits until it is sent. */
int mesh_agent_send(struct mesh_agent *agent, const struct mesh_message *message, uint32_t msec);
/* Waits until everything queued is sent. */
int mesh_agent_flush(struct mesh_agent *agent, uint32_t msec);
/* Tells the coordinator why the agent ends. */
void mesh_agent_refuse(struct mesh_agent *agent, enum mesh_refusal refusal, const char *text,
		       const char *hint);

/* agent_children.c */
void mesh_agent_start(struct mesh_agent *agent, const struct mesh_order *order);
void mesh_agent_cancel(struct mesh_agent *agent, uint64_t id);
/* Reads the child's result, and kills the child. */
void mesh_agent_take(struct mesh_child *child);
/* Kills children whose time is up, and answers for those that have ended. */
void mesh_agent_look_at_time(struct mesh_agent *agent, uint64_t now_msec);
/* When the agent must look at the time next; `most_msec` at the latest. */
uint64_t mesh_agent_next_look(const struct mesh_agent *agent, uint64_t most_msec);
/* Sends queued answers if no test is running, or if they have waited long enough. */
void mesh_agent_send_answers(struct mesh_agent *agent, uint64_t now_msec);
/* Kills all children in a bounded time, and answers for those that have their results. */
void mesh_agent_kill_all(struct mesh_agent *agent);
