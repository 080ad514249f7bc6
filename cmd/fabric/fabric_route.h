/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kinds of routes that `fabric route` shows: of one pair, of a multicast group, of many pairs.
 */
#pragma once

#include "cmd/fabric/fabric_run.h"

struct route_args {
	struct fabric_args fabric;
	const char *mlid;  /* of a multicast group */
	const char *pairs; /* a file of them */
};

int fabric_route_group(const struct ctx *ctx, const struct route_args *args);
