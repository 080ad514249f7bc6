/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * In place of agent_device.c: an agent has the port in memory of the side whose thread it is, and
 * there is no librdmacm. Included by one test each.
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
