/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What transfers carry, so that each byte of them can be checked: a stream of bytes for each seed,
 * of which a transfer carries the part at its offset. Three things are sure: no byte is 0, so that
 * memory that was never written is found at each byte; each byte differs from that of the seeds
 * one above and one below, so that what is left of the iteration before is found, if the seed's
 * lowest bits are the iteration; and 8 bytes in a row have 2^56 forms, so that a shifted stream or
 * another seed's is found unless the transfer is of a few bytes. Stateless; the buffers are the
 * caller's; offsets wrap at 2^64.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pattern_mismatch {
	uint64_t offset; /* of the first wrong byte, in the stream */
	uint8_t expected;
	uint8_t got;
	uint64_t count; /* of wrong bytes */
};

/* A seed for one of the tests and one of its iterations. */
static inline uint64_t pattern_seed(uint32_t test, uint32_t iteration)
{
	return (uint64_t)test << 32 | iteration;
}

/* Writes the bytes at positions offset .. offset + length - 1 of the stream. */
void pattern_fill(void *buffer, uint64_t offset, size_t length, uint64_t seed);
/* Whether the buffer holds them; if not, *ret says where and what, else it is untouched. */
bool pattern_check(const void *buffer, uint64_t offset, size_t length, uint64_t seed,
		   struct pattern_mismatch *ret);
