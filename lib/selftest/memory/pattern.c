/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/memory/pattern.h"

#include <endian.h>
#include <string.h>

enum { WORD = sizeof(uint64_t) };

#define EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

/*
 * The finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators,
 * OOPSLA 2014): each input bit changes each output bit with a probability of one half.
 */
static inline uint64_t mix(uint64_t value)
{
	value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
	return value ^ value >> 31;
}

/* Computed once from the seed; mixed, so that streams of nearby seeds are not shifted copies. */
static inline uint64_t key_of(uint64_t seed)
{
	return mix(seed + UINT64_C(0x9e3779b97f4a7c15));
}

/*
 * Returns the 8 bytes from position 8 * index on, as they lie in memory. The lowest bit of each is
 * that of the seed; a byte that would be 0 becomes 2.
 */
static inline uint64_t word_at(uint64_t index, uint64_t key, uint64_t seed)
{
	uint64_t word = mix(key + index * UINT64_C(0x9e3779b97f4a7c15)), not_zero;

	word = (word & EACH_BYTE(0xfe)) | EACH_BYTE(seed & 1);
	/* Sets the highest bit of each nonzero byte; no byte carries into the next. */
	not_zero = ((word & EACH_BYTE(0x7f)) + EACH_BYTE(0x7f)) | word;
	word |= (~not_zero & EACH_BYTE(0x80)) >> 6;
	return htole64(word);
}

/* Bytes before the first complete word. */
static inline size_t head_length(uint64_t offset, size_t length)
{
	size_t head = -offset % WORD;

	return head < length ? head : length;
}

/* Fills some bytes within one word; `bytes` may be NULL if there are none. */
static void fill_part(uint8_t *bytes, uint64_t offset, size_t length, uint64_t key, uint64_t seed)
{
	uint64_t word = word_at(offset / WORD, key, seed);

	if (length)
		memcpy(bytes, (const uint8_t *)&word + offset % WORD, length);
}

void pattern_fill(void *buffer, uint64_t offset, size_t length, uint64_t seed)
{
	uint64_t key = key_of(seed), word;
	size_t at = head_length(offset, length);
	uint8_t *bytes = buffer;

	fill_part(bytes, offset, at, key, seed);
	for (; length - at >= WORD; at += WORD) {
		word = word_at((offset + at) / WORD, key, seed);
		memcpy(bytes + at, &word, WORD);
	}
	fill_part(bytes + at, offset + at, length - at, key, seed);
}

static void note_mismatch(struct pattern_mismatch *mismatch, uint64_t offset, uint8_t expected,
			  uint8_t got)
{
	if (!mismatch->count++) {
		mismatch->offset = offset;
		mismatch->expected = expected;
		mismatch->got = got;
	}
}

/* Adds the mismatches among some bytes within one word. */
static void check_part(const uint8_t *bytes, uint64_t offset, size_t length, uint64_t key,
		       uint64_t seed, struct pattern_mismatch *mismatch)
{
	uint8_t expected[WORD];

	fill_part(expected, offset, length, key, seed);
	for (size_t i = 0; i < length; i++) {
		if (bytes[i] != expected[i])
			note_mismatch(mismatch, offset + i, expected[i], bytes[i]);
	}
}

bool pattern_check(const void *buffer, uint64_t offset, size_t length, uint64_t seed,
		   struct pattern_mismatch *ret)
{
	struct pattern_mismatch mismatch = {0};
	uint64_t key = key_of(seed), word;
	size_t at = head_length(offset, length);
	const uint8_t *bytes = buffer;

	check_part(bytes, offset, at, key, seed, &mismatch);
	for (; length - at >= WORD; at += WORD) {
		memcpy(&word, bytes + at, WORD);
		if (word != word_at((offset + at) / WORD, key, seed))
			check_part(bytes + at, offset + at, WORD, key, seed, &mismatch);
	}
	check_part(bytes + at, offset + at, length - at, key, seed, &mismatch);
	if (mismatch.count)
		*ret = mismatch;
	return !mismatch.count;
}

bool pattern_check_constant(const void *buffer, uint64_t offset, size_t length, uint8_t byte,
			    struct pattern_mismatch *ret)
{
	struct pattern_mismatch mismatch = {0};
	const uint8_t *bytes = buffer;

	for (size_t i = 0; i < length; i++)
		if (bytes[i] != byte)
			note_mismatch(&mismatch, offset + i, byte, bytes[i]);
	if (mismatch.count)
		*ret = mismatch;
	return !mismatch.count;
}

bool pattern_compare(const uint8_t *expected, const uint8_t *got, size_t length,
		     struct pattern_mismatch *ret)
{
	struct pattern_mismatch mismatch = {0};

	if (!length || !memcmp(expected, got, length))
		return true;
	for (size_t i = 0; i < length; i++)
		if (expected[i] != got[i])
			note_mismatch(&mismatch, i, expected[i], got[i]);
	*ret = mismatch;
	return false;
}
