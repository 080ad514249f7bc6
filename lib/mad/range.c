/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/range.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

bool mad_parse_range(const char *word, int base, uint32_t most, uint32_t *ret_first,
		     uint32_t *ret_last)
{
	_cleanup_(freep) char *text = mem_string(word);
	char *dash = strchr(text, '-');
	uint64_t first, last;

	if (dash)
		*dash = '\0';
	if (text_parse_u64(text, base, most, &first))
		return false;
	last = first;
	if (dash && text_parse_u64(dash + 1, base, most, &last))
		return false;
	if (first > last)
		return false;
	*ret_first = (uint32_t)first;
	*ret_last = (uint32_t)last;
	return true;
}
