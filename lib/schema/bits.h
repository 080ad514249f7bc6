/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Numbers in packed bytes, as in network formats: big endian, bit 0 is the highest bit of the first
 * byte, of any width up to 64 bits, also across byte boundaries.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

uint64_t bits_get(const unsigned char *bytes, size_t bit, unsigned int width);
/* Writes the low `width` bits of `number`; leaves the bits around them alone. */
void bits_set(unsigned char *bytes, size_t bit, unsigned int width, uint64_t number);
