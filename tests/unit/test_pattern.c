/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The pattern of transfers: each piece of it is consistent with the others, and how mismatches are
 * found.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "selftest/memory/pattern.h"

enum { LONGEST = 33, GUARD = 0xee };

static const uint64_t offsets[] = {0, 1, 7, 8, 4096, 4099, UINT64_C(0xffffffff), UINT64_MAX - 9};
static const uint64_t seeds[] = {0, 1, 2, 0x100000001, UINT64_MAX};

/* Byte by byte, as the stream is defined. */
static uint8_t byte_at(uint64_t offset, uint64_t seed)
{
	uint8_t byte = 0;

	pattern_fill(&byte, offset, 1, seed);
	return byte;
}

/*
 * Each length at each offset in a word of the stream and of memory, with nothing written outside.
 */
static void by_bytes(void **state)
{
	uint8_t room[LONGEST + 16];
	struct pattern_mismatch mismatch;

	(void)state;
	for (size_t o = 0; o < ARRAY_SIZE(offsets) * 8; o++) {
		uint64_t offset = offsets[o / 8] + o % 8, seed = seeds[o % ARRAY_SIZE(seeds)];

		for (size_t length = 0; length <= LONGEST; length++) {
			size_t shift = (o + length) % 8;
			uint8_t *buffer = room + shift;

			memset(room, GUARD, sizeof(room));
			pattern_fill(buffer, offset, length, seed);
			for (size_t i = 0; i < sizeof(room); i++)
				assert_int_equal(room[i],
						 i >= shift && i < shift + length
							 ? byte_at(offset + i - shift, seed)
							 : GUARD);
			assert_true(pattern_check(buffer, offset, length, seed, &mismatch));
		}
	}
}

/* The stream is exchanged between hosts of any byte order and release, so it must never change. */
static void known_bytes(void **state)
{
	static const uint8_t expected[] = {0xeb, 0xdb, 0xe3, 0xbb, 0xad, 0xf9, 0x2b, 0xc5,
					   0xc9, 0x5d, 0x85, 0xa7, 0xdf, 0x9b, 0x1f, 0xbd,
					   0x11, 0xa1, 0x9f, 0xab, 0x05, 0x67, 0x7f, 0xd7};
	uint8_t got[sizeof(expected)];

	(void)state;
	pattern_fill(got, 3, sizeof(got), pattern_seed(5, 7));
	assert_memory_equal(got, expected, sizeof(expected));
}

static void one_wrong_byte(void **state)
{
	uint8_t buffer[LONGEST];

	(void)state;
	for (uint64_t offset = 100; offset < 108; offset++) {
		for (size_t wrong = 0; wrong < LONGEST; wrong++) {
			struct pattern_mismatch mismatch = {.offset = 1};
			uint8_t expected;

			pattern_fill(buffer, offset, LONGEST, 9);
			expected = buffer[wrong];
			buffer[wrong] ^= (uint8_t)(1 << wrong % 8);
			assert_false(pattern_check(buffer, offset, LONGEST, 9, &mismatch));
			assert_int_equal(mismatch.offset, offset + wrong);
			assert_int_equal(mismatch.expected, expected);
			assert_int_equal(mismatch.got, buffer[wrong]);
			assert_int_equal(mismatch.count, 1);
			/* The byte after the checked range is ignored. */
			assert_true(pattern_check(buffer, offset, wrong, 9, &mismatch));
			assert_int_equal(mismatch.count, 1);
		}
	}
}

static void nothing(void **state)
{
	struct pattern_mismatch mismatch;

	(void)state;
	pattern_fill(NULL, 5, 0, 1);
	assert_true(pattern_check(NULL, 5, 0, 1, &mismatch));
}

static void some_wrong_bytes(void **state)
{
	struct pattern_mismatch mismatch;
	uint8_t buffer[64];

	(void)state;
	pattern_fill(buffer, 5, sizeof(buffer), 9);
	buffer[10] ^= 1;
	buffer[11] ^= 0x80;
	buffer[63] ^= 0xff;
	assert_false(pattern_check(buffer, 5, sizeof(buffer), 9, &mismatch));
	assert_int_equal(mismatch.offset, 15);
	assert_int_equal(mismatch.count, 3);
}

/* Returns how many of the bytes differ from the stream. */
static uint64_t wrong_bytes(const void *buffer, uint64_t offset, size_t length, uint64_t seed)
{
	struct pattern_mismatch mismatch = {.count = 0};

	pattern_check(buffer, offset, length, seed, &mismatch);
	return mismatch.count;
}

static void memory_never_written(void **state)
{
	static const uint8_t zero[65536];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(seeds); i++)
		assert_int_equal(wrong_bytes(zero, 0, sizeof(zero), seeds[i]), sizeof(zero));
}

/* Data of the previous iteration differs in every byte, so one byte is enough to detect it. */
static void stale_memory(void **state)
{
	static uint8_t buffer[4096];

	(void)state;
	for (uint32_t iteration = 0; iteration < 16; iteration++) {
		pattern_fill(buffer, 0, sizeof(buffer), pattern_seed(3, iteration));
		assert_int_equal(wrong_bytes(buffer, 0, sizeof(buffer),
					     pattern_seed(3, iteration + 1)),
				 sizeof(buffer));
		/* Other iterations and other tests share a byte now and then. */
		assert_in_range(wrong_bytes(buffer, 0, sizeof(buffer),
					    pattern_seed(3, iteration + 2)),
				sizeof(buffer) * 95 / 100, sizeof(buffer));
		assert_in_range(wrong_bytes(buffer, 0, sizeof(buffer), pattern_seed(4, iteration)),
				sizeof(buffer) * 95 / 100, sizeof(buffer));
	}
}

static void shifted(void **state)
{
	static uint8_t buffer[4096];
	static const int64_t shifts[] = {1, -1, 4, 8, -8, 64, 512, 1024, 4096, 1 << 20};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shifts); i++) {
		pattern_fill(buffer, (uint64_t)(8192 + shifts[i]), sizeof(buffer), 1);
		assert_in_range(wrong_bytes(buffer, 8192, sizeof(buffer), 1),
				sizeof(buffer) * 95 / 100, sizeof(buffer));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_bytes),	  cmocka_unit_test(known_bytes),
		cmocka_unit_test(one_wrong_byte), cmocka_unit_test(some_wrong_bytes),
		cmocka_unit_test(nothing),	  cmocka_unit_test(memory_never_written),
		cmocka_unit_test(stale_memory),	  cmocka_unit_test(shifted),
	};

	return cmocka_run_group_tests_name("pattern", tests, NULL, NULL);
}
