/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "schema/bits.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>

/* How many of the `width` bits from `bit` on are in the same byte. */
static unsigned int part_of(size_t bit, unsigned int width)
{
	unsigned int room = 8 - bit % 8;

	return width < room ? width : room;
}

/* Most fields are whole bytes, which are worth a fast path. */
static bool whole_bytes(size_t bit, unsigned int width)
{
	return !((bit | width) % 8);
}

static uint64_t get_bytes(const unsigned char *bytes, unsigned int count)
{
	uint64_t number = 0;
	uint32_t word;
	uint16_t half;

	switch (count) {
	case 2:
		memcpy(&half, bytes, sizeof(half));
		return be16toh(half);
	case 4:
		memcpy(&word, bytes, sizeof(word));
		return be32toh(word);
	case 8:
		memcpy(&number, bytes, sizeof(number));
		return be64toh(number);
	default:
		for (unsigned int i = 0; i < count; i++)
			number = number << 8 | bytes[i];
		return number;
	}
}

uint64_t bits_get(const unsigned char *bytes, size_t bit, unsigned int width)
{
	uint64_t number = 0;

	if (whole_bytes(bit, width))
		return get_bytes(bytes + bit / 8, width / 8);
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
		for (bytes += bit / 8, width /= 8; width--; number >>= 8)
			bytes[width] = (unsigned char)number;
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
