/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The far side of a test: an agent that takes its orders from a socket. */
#pragma once

#include "selftest/agent/agent.h"

struct agent_served {
	uint64_t orders;
	enum stop stop;	       /* STOP_NONE: the client said good-bye */
	const char *complaint; /* what was wrong with what the client sent, or NULL */
	char refused[200];     /* the last refusal that was no test's, or empty */
};

/*
 * Carries out orders until the other side says MESSAGE_BYE, closes, sends what is no order, is
 * silent for `idle_msec`, or a signal of the agent's watch comes.
 */
void agent_serve(struct agent *agent, int channel, unsigned int idle_msec,
		 struct agent_served *ret_served);
