/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Destinations of management datagrams as people write them. */
#pragma once

#include "mad/engine/request.h"

enum target_kind {
	TARGET_ANY, /* the kind follows from the text */
	TARGET_LID,
	TARGET_GUID, /* of a port, whose LID is in a path record of the SA */
	TARGET_GID,
	TARGET_DIRECT, /* 0,1,3: 0, then the port by which each node on the path forwards it */
};

struct mad_target {
	enum target_kind kind; /* never TARGET_ANY */
	uint16_t lid;
	uint64_t guid;
	struct gid gid;
	uint8_t hops; /* length of the directed route in `path` */
	uint8_t path[MAD_HOPS_MOST + 1];
};

/*
 * Parses one destination. With TARGET_ANY, a list that begins with 0 is a directed route, four
 * groups with colons between them are a GUID, any other text with a colon is a GID, a number up to
 * 0xbfff is a LID, and any other 64-bit number is a GUID. -EINVAL: the text is not a destination;
 * -ERANGE: it has a LID that no port can have, a port above 255, or more than 63 hops.
 */
int mad_target_parse(const char *text, enum target_kind kind, struct mad_target *ret_target);
/* The text that mad_target_parse() reads; the caller frees it. */
char *mad_target_text(const struct mad_target *target);
