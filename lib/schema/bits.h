/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Numbers in packed bytes, as network formats have them: big endian, bit 0 is the highest bit of
 * the first byte, of any width up to 64 bits, across byte borders too.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

uint64_t bits_get(const unsigned char *bytes, size_t bit, unsigned int width);
/* Writes the low `width` bits of `number`; the bits around them stay. */
void bits_set(unsigned char *bytes, size_t bit, unsigned int width, uint64_t number);
