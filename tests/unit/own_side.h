/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Replaces agent_device.c: an agent uses the in-memory port of its thread's side, and there is no
 * librdmacm. Each test program includes it once.
 */
#pragma once

#include "perfect_trial.h"

static __thread unsigned int own_side;

int agent_open_device(struct agent *agent, const struct endpoint *endpoint)
{
	(void)endpoint;
	soft_open(agent, own_side);
	return 0;
}

void agent_close_device(struct agent *agent)
{
	agent->context = NULL;
}

int api_open_cm(struct api *api)
{
	(void)api;
	return -ENOSYS;
}
