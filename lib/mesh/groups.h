/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hosts grouped by a text that they have in common, such as the release of their firmware. */
#pragma once

#include "mesh/mesh.h"

struct host_text {
	char *text;
	const struct mesh_host *host;
};

struct host_group {
	const struct host_text *first; /* of `count` in a row */
	size_t count;
};

/*
 * Sorts the texts, and fills as many groups as there are different ones: the largest first, each
 * with its hosts in the order of their names. Returns their number.
 */
size_t host_groups_find(struct host_text *texts, size_t count, struct host_group *groups);
void host_texts_clear(struct host_text *texts, size_t count);
