/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A file of fabric route --pairs: the input is the complete file. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fabric/route/route.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_alloc_zero(size + 1, 1);
	struct route_pairs pairs = {.items = NULL};
	unsigned int line = 0, last = 0;
	int rc;

	memcpy(text, data, size);
	rc = route_pairs_parse(&pairs, text, &line);
	if (rc ? rc != -EINVAL || !line : line != 0)
		abort();
	for (size_t i = 0; i < pairs.count; i++) {
		const struct route_pair *pair = &pairs.items[i];

		/* There is at most one pair per line, and each word is part of the text. */
		if (pair->line <= last || !*pair->from || !*pair->to || strchr(pair->from, '\n') ||
		    !strstr(text, pair->from) || !strstr(text, pair->to))
			abort();
		last = pair->line;
	}
	if (rc && line <= last)
		abort();
	route_pairs_clear(&pairs);
	free(text);
	return 0;
}
