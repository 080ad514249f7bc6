/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "schema/bits.h"

#include <stdbool.h>

/* How many of `width` bits from `bit` on are in the same byte. */
static unsigned int part_of(size_t bit, unsigned int width)
{
	unsigned int room = 8 - bit % 8;

	return width < room ? width : room;
}

/* Most fields are whole bytes, and most of an engine's work is done on such. */
static bool whole_bytes(size_t bit, unsigned int width)
{
	return !((bit | width) % 8);
}

uint64_t bits_get(const unsigned char *bytes, size_t bit, unsigned int width)
{
	uint64_t number = 0;

	if (whole_bytes(bit, width)) {
		for (size_t i = bit / 8; i < (bit + width) / 8; i++)
			number = number << 8 | bytes[i];
		return number;
	}
	while (width) {
		unsigned int part = part_of(bit, width);
		unsigned int shift = 8 - bit % 8 - part;

		number = number << part | (bytes[bit / 8] >> shift & ((1u << part) - 1));
		bit += part;
		width -= part;
	}
	return number;
}

void bits_set(unsigned char *bytes, size_t bit, unsigned int width, uint64_t number)
{
	if (whole_bytes(bit, width)) {
		for (size_t i = (bit + width) / 8; i-- > bit / 8; number >>= 8)
			bytes[i] = (unsigned char)number;
		return;
	}
	while (width) {
		unsigned int part = part_of(bit, width);
		unsigned int shift = 8 - bit % 8 - part;
		unsigned int mask = ((1u << part) - 1) << shift;
		unsigned int value = (unsigned int)(number >> (width - part)) << shift;

		bytes[bit / 8] = (unsigned char)((bytes[bit / 8] & ~mask) | (value & mask));
		bit += part;
		width -= part;
	}
}
