/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl counters --explain: what the catalogue says of a name. Needs no device. */
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/counters/counters_run.h"
#include "counter/names/counter_names.h"

static void complain(struct listing *listing, const char *name, const char *closest)
{
	_cleanup_(freep) char *message = mem_format("unknown counter '%s'", name);
	_cleanup_(freep) char *hint = closest ? mem_format("did you mean '%s'?", closest)
					      : mem_string("rdmactl counters --all -o "
							   "+kernel_name lists the names");

	listing_fail(listing, STATUS_USAGE, message, hint);
}

int counters_explain(const struct ctx *ctx, const struct counters_args *args, char **words)
{
	struct counter_meanings meanings = {0};
	const char *closest = NULL;
	struct listing listing;
	int status;

	if (words[0]) {
		command_complain(ctx, "--explain takes a name of a counter, and no device", NULL);
		return STATUS_USAGE;
	}
	if (!listing_begin_as(&listing, ctx, &counter_meaning_schema, true))
		return listing_end(&listing);
	if (!counter_meanings_find(&meanings, args->explain, &closest))
		complain(&listing, args->explain, closest);
	for (size_t i = 0; i < meanings.count; i++)
		listing_add(&listing, &meanings.items[i]);
	status = listing_end(&listing);
	counter_meanings_clear(&meanings);
	return status;
}
