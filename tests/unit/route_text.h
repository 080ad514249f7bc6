/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * proc/net/route as the kernel of this machine prints it: proc(5). Its addresses and masks are
 * eight digits each, in the memory's byte order.
 */
#ifndef RDMACTL_TEST_ROUTE_TEXT_H
#define RDMACTL_TEST_ROUTE_TEXT_H

#include <endian.h>
#include <string.h>

#include "base/mem.h"

/* Returns a copy, to be freed, of what a little-endian machine prints. */
static inline char *route_text(const char *little)
{
	char *text = mem_string(little);

	for (char *word = text; BYTE_ORDER == BIG_ENDIAN && *word;) {
		const size_t length = strcspn(word, "\t\n");

		for (size_t i = 0; length == 8 && i < 4; i += 2) {
			const char pair[] = {word[i], word[i + 1]};

			memcpy(word + i, word + 6 - i, 2);
			memcpy(word + 6 - i, pair, 2);
		}
		word += length + (word[length] != '\0');
	}
	return text;
}

#endif
