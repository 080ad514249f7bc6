/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All pairs as a map: a row sends, a column receives. The caller gives the order of the hosts, by
 * switch or by rank. With many hosts, a cell covers several of them and shows the worst of their
 * pairs, so 10,000 hosts take no more memory than a hundred.
 */
#pragma once

#include "mesh/mesh.h"

#define HEAT_MOST_BINS 96u
/* One map per rail; from here on, maps of both directions at once, by their sum. */
#define HEAT_BOTH_WAYS MESH_MOST_RAILS
#define HEAT_MAPS      (2 * MESH_MOST_RAILS)

struct heat;

/* `order` lists the hosts in their order (NULL: as they are), and is copied; hosts are borrowed. */
struct heat *heat_new(const struct mesh_host *hosts, uint32_t host_count, const uint32_t *order);
void heat_free(struct heat *heat);
void heat_take(struct heat *heat, const struct mesh_result *result);

/* Medians are per map, in Gb/s; 0 if unknown. Both texts are to be freed. */
/* An SVG image with a picture of each map. */
char *heat_svg(const struct heat *heat, const double medians[static HEAT_MAPS]);
/* The worst of all maps in one, at most `columns` wide. */
char *heat_text(const struct heat *heat, const double medians[static HEAT_MAPS],
		unsigned int columns);
