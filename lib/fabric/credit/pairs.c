/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Pairs of ports whose packets may be part of a loop, and the SLs of their path records. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fabric/credit/credit.h"

/* The SA is asked no further after so many requests in a row without an answer. */
#define MOST_PATHS_IN_VAIN 8u

/*
 * Whether the packets that come to the switch of a table go from one of the ports to another one;
 * notes the answer for the switches on the way.
 */
enum crossing { CROSSING_UNKNOWN, CROSSING_YES, CROSSING_NO };

struct lister {
	struct credit_walker walker;
	const bool *ports;
	uint8_t *crossings; /* by table, for one LID: enum crossing */
	size_t most;
	uint64_t total; /* number of pairs; 0: not known yet */
	struct credit_pairs *pairs;
};

static bool crosses(struct lister *lister, uint32_t table)
{
	const struct credit_walker *walker = &lister->walker;
	enum crossing crossing = CROSSING_NO;
	uint32_t depth = 0;

	if (walker->ways[table] == CREDIT_WAY_CIRCLE)
		return false;
	for (uint32_t next; walker->next[table] != FABRIC_NONE; table = next) {
		next = walker->next[table];
		if (lister->crossings[table] != CROSSING_UNKNOWN) {
			crossing = lister->crossings[table];
			break;
		}
		walker->stack[depth++] = table;
		if (walker->next[next] != FABRIC_NONE && lister->ports[walker->out[table]] &&
		    lister->ports[walker->out[next]]) {
			crossing = CROSSING_YES;
			break;
		}
	}
	while (depth)
		lister->crossings[walker->stack[--depth]] = (uint8_t)crossing;
	return crossing == CROSSING_YES;
}

/* Whether the pair is one of the `most` that are spread over all, or one of the first of them. */
static bool is_chosen(const struct lister *lister, uint64_t number)
{
	if (!lister->total)
		return number < lister->most;
	return (number + 1) * lister->most / lister->total > number * lister->most / lister->total;
}

static void add_pair(struct lister *lister, uint32_t source)
{
	struct credit_pairs *pairs = lister->pairs;

	if (fabric_are_planes(lister->walker.fabric, source, lister->walker.owner))
		return;
	if (is_chosen(lister, pairs->wanted++))
		MEM_ADD(pairs->items, pairs->count) = (struct credit_pair){
			.source = source,
			.lid = (uint16_t)lister->walker.lid,
		};
}

static void list(struct lister *lister, const struct fabric *fabric,
		 const struct forwarding *forwarding)
{
	struct credit_walker *walker = &lister->walker;

	credit_pairs_clear(lister->pairs);
	credit_walker_make(fabric, forwarding, walker);
	while (credit_walker_next(walker)) {
		memset(lister->crossings, CROSSING_UNKNOWN, forwarding->count);
		for (uint32_t i = 0; i < walker->source_count; i++)
			if (crosses(lister, walker->sources[i].table))
				add_pair(lister, walker->sources[i].port);
	}
	credit_walker_clear(walker);
}

DEFINE_ORDER(compare, struct credit_pair, COMPARE(a->lid, b->lid) ?: COMPARE(a->sl, b->sl),
	     COMPARE(a->source, b->source))

/* Adds the packets of these loops, if they are not there yet: most subnets have one SL. */
static void add_loops(const struct credit_loops *loops, struct credit_pairs *pairs)
{
	size_t kept = 0;

	for (size_t i = 0; i < loops->count; i++)
		for (size_t j = 0; j < loops->items[i].count; j++)
			MEM_ADD(pairs->items, pairs->count) = (struct credit_pair){
				.source = loops->items[i].waits[j].source,
				.lid = loops->items[i].waits[j].lid,
			};
	MEM_SORT(pairs->items, pairs->count, compare);
	for (size_t i = 0; i < pairs->count; i++)
		if (!i || compare(&pairs->items[i], &pairs->items[kept - 1]))
			pairs->items[kept++] = pairs->items[i];
	pairs->count = kept;
}

void credit_pairs_list(const struct fabric *fabric, const struct forwarding *forwarding,
		       const struct credit_loops *loops, size_t most, struct credit_pairs *pairs)
{
	struct lister lister = {.ports = loops->ports, .most = most, .pairs = pairs};

	lister.crossings = mem_alloc_zero(forwarding->count, sizeof(*lister.crossings));
	list(&lister, fabric, forwarding);
	if (pairs->wanted > most) {
		lister.total = pairs->wanted;
		list(&lister, fabric, forwarding);
		add_loops(loops, pairs);
	}
	free(lister.crossings);
}

struct asker {
	const struct mad_route *route;
	const struct fabric *fabric;
	struct credit_pairs *pairs;
	unsigned char (*records)[PATH_RECORD_BYTES];
	bool *known;
	unsigned int in_vain;
};

static bool next(void *context, struct mad_request *request)
{
	struct asker *asker = context;
	struct credit_pairs *pairs = asker->pairs;
	const struct credit_pair *pair = &pairs->items[pairs->asked];
	unsigned char *record;

	if (pairs->asked == pairs->count || asker->in_vain >= MOST_PATHS_IN_VAIN)
		return false;
	record = asker->records[pairs->asked];
	path_record_set_slid(record, fabric_port_lid(&asker->fabric->ports[pair->source]));
	path_record_set_dlid(record, pair->lid);
	*request = mad_path_request(asker->route, PATH_HAS_DLID | PATH_HAS_SLID, record);
	request->number = pairs->asked++;
	return true;
}

static void done(void *context, const struct mad_reply *reply)
{
	struct asker *asker = context;
	const size_t number = reply->request->number;

	asker->in_vain = reply->error ? asker->in_vain + 1 : 0;
	if (!reply->error && reply->status == MAD_SA_STATUS(UMAD_SA_STATUS_NO_RECORDS)) {
		asker->pairs->without++;
		return;
	}
	if (reply->error || reply->status || reply->bytes < MAD_SA_DATA_AT + PATH_RECORD_BYTES) {
		asker->pairs->failed++;
		return;
	}
	asker->known[number] = true;
	asker->pairs->items[number].sl = path_record_sl(reply->mad + MAD_SA_DATA_AT);
}

int credit_pairs_ask(struct mad_engine *engine, const struct mad_route *route,
		     const struct fabric *fabric, struct credit_pairs *pairs)
{
	struct asker asker = {
		.route = route,
		.fabric = fabric,
		.pairs = pairs,
		.records = mem_alloc_zero(pairs->count, sizeof(*asker.records)),
		.known = mem_alloc_zero(pairs->count, sizeof(*asker.known)),
	};
	const struct mad_work work = {.context = &asker, .next = next, .done = done};
	const int rc = mad_engine_run(engine, &work);
	size_t kept = 0;

	for (size_t i = 0; i < pairs->count; i++)
		if (asker.known[i])
			pairs->items[kept++] = pairs->items[i];
	pairs->count = kept;
	MEM_SORT(pairs->items, kept, compare);
	free(asker.records);
	free(asker.known);
	return rc;
}
