/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The data of transfers, made so that each byte can be checked: every seed has a stream of bytes,
 * and a transfer carries the part at its offset. Three properties are guaranteed: no byte is 0, so
 * every byte of memory that was never written is found; each byte differs from those of the seeds
 * one above and one below, so data of the previous iteration is found if the seed's lowest bits are
 * the iteration; and 8 consecutive bytes have 2^56 forms, so a shifted stream or that of another
 * seed is found unless the transfer has only a few bytes. Stateless; the buffers are the caller's;
 * offsets wrap at 2^64.
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

/* Returns a seed for one iteration of one test. */
static inline uint64_t pattern_seed(uint32_t test, uint32_t iteration)
{
	return (uint64_t)test << 32 | iteration;
}

/* Writes the bytes at positions offset .. offset + length - 1 of the stream. */
void pattern_fill(void *buffer, uint64_t offset, size_t length, uint64_t seed);
/* Whether the buffer holds them; if not, *ret says where and what, otherwise it is untouched. */
bool pattern_check(const void *buffer, uint64_t offset, size_t length, uint64_t seed,
		   struct pattern_mismatch *ret);
/* Like pattern_check(), for memory that must hold one constant byte. */
bool pattern_check_constant(const void *buffer, uint64_t offset, size_t length, uint8_t byte,
			    struct pattern_mismatch *ret);
/* Whether both are equal; if not, *ret describes the difference. */
bool pattern_compare(const uint8_t *expected, const uint8_t *got, size_t length,
		     struct pattern_mismatch *ret);
