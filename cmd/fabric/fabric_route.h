/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kinds of routes that `fabric route` shows: of one pair, a multicast group, or many pairs. */
#pragma once

#include "cmd/fabric/fabric_run.h"

struct route_args {
	struct fabric_args fabric;
	const char *mlid;  /* of a multicast group */
	const char *pairs; /* file of pairs */
	bool cables;	   /* list the cables of all pairs */
};

/* Explains why the route to the LID does not arrive, to be freed; NULL if it does. */
char *fabric_route_explain(const struct fabric_view *view, const struct fabric_route *route,
			   uint16_t lid);
/*
 * Whether a route that does not arrive is a fault: only a wrong table or a link that is down is
 * one, because a node outside the scan may exist.
 */
bool fabric_route_is_fault(const struct fabric *fabric, const struct fabric_route *route);

/*
 * Says why no route leads from a port to another one with its LID: fabric_are_planes(). To be
 * freed.
 */
char *fabric_route_planes_text(const struct fabric_view *view, uint32_t from,
			       const struct fabric_place *to);
extern const char fabric_route_planes_hint[];

int fabric_route_pairs(const struct ctx *ctx, const struct route_args *args);
int fabric_route_group(const struct ctx *ctx, const struct route_args *args);
