/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers in packed bytes: every position, every width, and the adjacent bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "schema/bits.h"

/* The same, computed bit by bit. */
static uint64_t slow_get(const unsigned char *bytes, size_t bit, unsigned int width)
{
	uint64_t number = 0;

	for (; width; width--, bit++)
		number = number << 1 | (bytes[bit / 8] >> (7 - bit % 8) & 1u);
	return number;
}

static void known_numbers(void **state)
{
	static const unsigned char bytes[] = {0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 0x0f};

	(void)state;
	assert_int_equal(bits_get(bytes, 0, 8), 0x12);
	assert_int_equal(bits_get(bytes, 0, 4), 1);
	assert_int_equal(bits_get(bytes, 4, 4), 2);
	assert_int_equal(bits_get(bytes, 0, 1), 0);
	assert_int_equal(bits_get(bytes, 3, 1), 1);
	assert_int_equal(bits_get(bytes, 8, 24), 0x345678);
	assert_int_equal(bits_get(bytes, 4, 20), 0x23456);
	assert_int_equal(bits_get(bytes, 7, 3), 0);
	assert_int_equal(bits_get(bytes, 14, 3), 0);
	assert_int_equal(bits_get(bytes, 13, 5), 0x11);
	assert_int_equal(bits_get(bytes, 8, 0), 0);
	assert_true(bits_get(bytes, 0, 64) == 0x123456789abcdef0);
	assert_true(bits_get(bytes, 4, 64) == 0x23456789abcdef00);
	assert_true(bits_get(bytes, 8, 64) == 0x3456789abcdef00f);
}

static void every_place(void **state)
{
	unsigned char bytes[24], before[24];
	uint64_t random = 1;

	(void)state;
	for (unsigned int width = 1; width <= 64; width++)
		for (size_t bit = 0; bit + width <= sizeof(bytes) * 8; bit++) {
			uint64_t number, mask = width == 64 ? UINT64_MAX : (1ull << width) - 1;

			for (size_t i = 0; i < sizeof(bytes); i++) {
				random = random * 6364136223846793005u + 1442695040888963407u;
				bytes[i] = (unsigned char)(random >> 56);
			}
			number = random ^ random >> 20;
			memcpy(before, bytes, sizeof(bytes));
			assert_true(bits_get(bytes, bit, width) == slow_get(bytes, bit, width));
			/* Only the low bits of the number count. */
			bits_set(bytes, bit, width, number);
			assert_true(slow_get(bytes, bit, width) == (number & mask));
			bits_set(bytes, bit, width, slow_get(before, bit, width));
			assert_memory_equal(bytes, before, sizeof(bytes));
		}
}

static void neighbours_stay(void **state)
{
	unsigned char bytes[4] = {0xff, 0xff, 0xff, 0xff};

	(void)state;
	bits_set(bytes, 5, 14, 0);
	assert_int_equal(bytes[0], 0xf8);
	assert_int_equal(bytes[1], 0x00);
	assert_int_equal(bytes[2], 0x1f);
	assert_int_equal(bytes[3], 0xff);
	bits_set(bytes, 31, 1, 2);
	assert_int_equal(bytes[3], 0xfe);
	bits_set(bytes, 8, 0, 1);
	assert_int_equal(bytes[1], 0x00);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_numbers),
		cmocka_unit_test(every_place),
		cmocka_unit_test(neighbours_stay),
	};

	return cmocka_run_group_tests_name("bits", tests, NULL, NULL);
}
