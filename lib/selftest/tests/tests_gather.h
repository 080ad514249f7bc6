/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Transfers between blocks and one piece, byte-checked: the steps that the gather tests are made
 * of. They mark the row and return non-zero when they do not go well (trial.h).
 */
#pragma once

#include "selftest/trial/trial.h"

struct layout {
	uint64_t block_bytes, blocks, stride;
};

/* A buffer of each side: blocks to send, blocks that arrive, a piece, and another one. */
struct gather {
	struct trial *trial;
	uint32_t operation; /* POST_SEND, POST_WRITE or POST_READ */
	struct layout layout;
	uint64_t bytes; /* of all blocks */
	uint64_t all;	/* of a buffer */
	struct span from, to, piece, other_piece;
	struct message_buffered far;
	uint32_t sges;	    /* blocks that one work request takes */
	uint32_t iteration; /* for the pattern */
};

/* Where everything is; `trial`, `operation` and `sges` are the caller's. */
void gather_set_layout(struct gather *gather, const struct layout *layout);
/* Both buffers: nothing but the source holds the pattern, another one each time. */
int gather_prepare(struct gather *gather);
/* So many transfers, the first part of which is not timed; *ret_usec is what one of them takes. */
int gather_transfer(struct gather *gather, bool packed, uint64_t iterations, double *ret_usec);
/* Each byte that arrived, and that no other was changed. */
int gather_check(struct gather *gather);
/* How many of so many transfers are timed. */
static inline uint64_t gather_timed(uint64_t iterations)
{
	return iterations - iterations / 8;
}
