/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Destinations of management datagrams as people write them. */
#pragma once

#include "mad/request.h"

enum target_kind {
	TARGET_ANY, /* whatever it looks like */
	TARGET_LID,
	TARGET_GUID, /* of a port: a path record of the SA has its LID */
	TARGET_GID,
	TARGET_DIRECT, /* 0,1,3: the ports that each node on the way leaves by, 0 first */
};

struct mad_target {
	enum target_kind kind; /* never TARGET_ANY */
	uint16_t lid;
	uint64_t guid;
	struct gid gid;
	uint8_t hops; /* of the directed route in `path` */
	uint8_t path[MAD_HOPS_MOST + 1];
};

/*
 * Parses one destination. With TARGET_ANY a list that begins with 0 is a directed route, what has
 * colons a GID, a number up to 0xbfff a LID, and any other 64-bit one a GUID. -EINVAL: it is none;
 * -ERANGE: a LID that no port can have, a port above 255, more than 63 hops.
 */
int mad_target_parse(const char *text, enum target_kind kind, struct mad_target *ret_target);
/* How it is shown: the caller frees it. */
char *mad_target_text(const struct mad_target *target);
