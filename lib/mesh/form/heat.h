/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All pairs as a map: a row sends, a column receives. Hosts are in the order that the caller gives,
 * by switch or by rank. With many hosts, a cell stands for several of them, and has the worst of
 * their pairs. So it takes the same memory for a hundred hosts and for 10,000.
 */
#pragma once

#include "mesh/mesh.h"

#define HEAT_MOST_BINS 96u
/* A map for each rail, and from there on those of both directions at once, by their sum. */
#define HEAT_BOTH_WAYS MESH_MOST_RAILS
#define HEAT_MAPS      (2 * MESH_MOST_RAILS)

struct heat;

/*
 * `order` has the hosts in their order (NULL: as they are), and is copied; the hosts are borrowed.
 */
struct heat *heat_new(const struct mesh_host *hosts, uint32_t host_count, const uint32_t *order);
void heat_free(struct heat *heat);
void heat_take(struct heat *heat, const struct mesh_result *result);

/* The medians by map, Gb/s; 0: not known. Both texts are to be freed. */
/* A picture with each map. */
char *heat_svg(const struct heat *heat, const double medians[static HEAT_MAPS]);
/* The worst of all maps as one, of at most so many columns. */
char *heat_text(const struct heat *heat, const double medians[static HEAT_MAPS],
		unsigned int columns);
