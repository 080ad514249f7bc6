/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ports of a node, or entries of a table, as a word names them: 3 or 1-36. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Parses such a word with numbers of `base` up to `most`. False if it is neither. */
bool mad_parse_range(const char *word, int base, uint32_t most, uint32_t *ret_first,
		     uint32_t *ret_last);
