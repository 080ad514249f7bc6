/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A range of ports of a node, or of entries of a table, written as one word: 3 or 1-36. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Parses a number or a range in `base`, up to `most`. Returns false if the word is neither. */
bool mad_parse_range(const char *word, int base, uint32_t most, uint32_t *ret_first,
		     uint32_t *ret_last);
