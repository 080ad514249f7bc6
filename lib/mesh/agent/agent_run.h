/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The inside of an agent: its connection, and the children that carry out orders. */
#pragma once

#include "mesh/agent/agent.h"
#include "mesh/wire/channel.h"
#include "mesh/wire/shake.h"

/* An order on each rail, and the one before it that has not ended yet. */
#define MESH_MOST_CHILDREN (2 * MESH_MOST_RAILS)

/* What it does, and whether its order has an answer. */
enum mesh_child_state {
	CHILD_TESTS,
	CHILD_ENDS,  /* it was killed, and is waited for before its answer goes out */
	CHILD_HANGS, /* in the kernel, which does not end it; its order is answered */
};

struct mesh_child {
	pid_t pid; /* 0: none */
	enum mesh_child_state state;
	int pipe; /* its result comes from there; -1: it has come, or nobody waits for it */
	uint64_t id;
	uint64_t end_msec; /* it is killed then; once it was, it is not waited for any longer */
	uint32_t timeout_msec;
	bool cancelled; /* nobody wants its result */
	bool answered;	/* `result` is what it has said, or that its time was over */
	struct mesh_result result;
};

struct mesh_agent {
	const struct mesh_agent_setup *setup;
	struct mesh_channel channel;
	struct mesh_admitted admitted;
	struct mesh_local local;
	void *state; /* of the runner */
	bool open;   /* the runner */
	struct mesh_child children[MESH_MOST_CHILDREN];
	uint64_t answers_end_msec; /* they are sent then; 0: there are none */
	uint64_t turn_msec;	   /* when the last turn was over */
	char **ret_reason, **ret_hint;
};

/* agent_connect.c: connects and shakes hands, trying again. 0 or -errno with a reason. */
int mesh_agent_connect(struct mesh_agent *agent);
/* Keeps why the agent ends (it takes the reason) and the next step (or NULL). Returns rc. */
int mesh_agent_fail(struct mesh_agent *agent, int rc, char *reason, const char *hint);
/* The same in the coordinator's words. Returns -EPERM: trying again would not help. */
int mesh_agent_fail_refused(struct mesh_agent *agent, const struct mesh_refused *refused);
/* Sends a message, and waits until it is sent. */
int mesh_agent_send(struct mesh_agent *agent, const struct mesh_message *message, uint32_t msec);
/* Waits until all is sent. */
int mesh_agent_flush(struct mesh_agent *agent, uint32_t msec);
/* Says why it ends. */
void mesh_agent_refuse(struct mesh_agent *agent, enum mesh_refusal refusal, const char *text,
		       const char *hint);

/* agent_children.c */
void mesh_agent_start(struct mesh_agent *agent, const struct mesh_order_message *order);
void mesh_agent_cancel(struct mesh_agent *agent, uint64_t id);
/* Takes what has come from the child, which ends it. */
void mesh_agent_take(struct mesh_child *child);
/* Kills those whose time is over, and answers for those that have ended. */
void mesh_agent_look_at_time(struct mesh_agent *agent, uint64_t now_msec);
/* When the next look at the time is due. */
uint64_t mesh_agent_next_look(const struct mesh_agent *agent, uint64_t most_msec);
/* Sends the answers if no test runs any more, or if they have waited for long. */
void mesh_agent_send_answers(struct mesh_agent *agent, uint64_t now_msec);
/* In a bounded time, and answers for those that have their results. */
void mesh_agent_kill_all(struct mesh_agent *agent);
