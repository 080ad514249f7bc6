/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl fabric route --pairs-file: the routes of many pairs, and the cables that they share. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/fabric/fabric_run.h"
#include "fabric/route/route.h"

#define MOST_FILE_OF_PAIRS ((size_t)16 * 1024 * 1024)

struct many {
	struct fabric_run run;
	const char *path;
	bool cables; /* list cables, not pairs */
	struct route_pairs pairs;
	struct forwarding forwarding;
	struct pair_row *rows;
	uint32_t **ports; /* by row: the ports of its route */
	size_t row_count;
	uint32_t *counts; /* by port of the graph: pairs that leave by it */
	struct shared_row *shared;
	size_t shared_count;
	size_t open;	  /* pairs whose packets leave the scan, or meet an unknown table */
	size_t lost;	  /* pairs whose packets do not arrive */
	char *first_lost; /* why those of the first such pair do not */
};

static const char form_hint[] = "each line has two destinations, separated by blanks; put a name "
				"with blanks in quotation marks";

static bool read_pairs(struct fabric_run *run)
{
	struct many *many = run->context;
	_cleanup_(freep) char *text = NULL, *clean = NULL;
	struct listing *listing = &run->mad.listing;
	unsigned int line;

	if (!listing_read_text(listing, many->path, MOST_FILE_OF_PAIRS, form_hint, &text))
		return false;
	if (route_pairs_parse(&many->pairs, text, &line))
		return listing_fail_format(listing, STATUS_FAILED, form_hint,
					   "%s: line %u does not have two destinations", many->path,
					   line);
	if (!many->pairs.count) {
		clean = text_clean(many->path, strlen(many->path));
		fabric_run_problem(run, NULL, "no pairs in %s", clean);
	}
	return true;
}

/* Returns false with the reason in a problem; the other pairs are still followed. */
static bool find(struct many *many, const struct route_pair *pair, const char *word,
		 struct fabric_place *ret_place)
{
	const size_t found = fabric_run_look_for_port(&many->run, word, ret_place);
	_cleanup_(freep) char *clean = text_clean(word, strlen(word));
	_cleanup_(freep) char *object = NULL, *message = NULL;

	if (found == 1 && ret_place->lid)
		return true;
	object = mem_format("line %u", pair->line);
	message = found == 1 ? mem_format("'%s' has no LID", clean)
			     : fabric_run_missing_text(&many->run, word, found);
	problem_add_text(&many->run.mad.listing.problems, object, NULL, NULL, message,
			 "rdmactl fabric nodes -o node,node_guid,lid,path");
	return false;
}

static unsigned int look_up(void *context, uint32_t node, uint16_t lid)
{
	const struct many *many = context;
	const struct forwarding_table *table = forwarding_of(&many->forwarding, node);

	return table ? forwarding_port(&many->forwarding, table, lid) : FORWARDING_UNKNOWN;
}

/* Returns false with the reason in a problem if no route can lead there. */
static bool are_apart(struct many *many, const struct route_pair *pair, uint32_t from,
		      const struct fabric_place *to)
{
	_cleanup_(freep) char *object = NULL, *message = NULL;

	if (from == to->port || !fabric_are_planes(&many->run.fabric, from, to->port))
		return true;
	object = mem_format("line %u", pair->line);
	message = fabric_route_planes_text(&many->run.view, from, to);
	problem_add_text(&many->run.mad.listing.problems, object, NULL, NULL, message,
			 fabric_route_planes_hint);
	return false;
}

static void note_end(struct many *many, const struct route_pair *pair,
		     const struct fabric_route *route, uint16_t lid)
{
	_cleanup_(freep) char *why = fabric_route_explain(&many->run.view, route, lid);

	if (!why)
		return;
	if (!fabric_route_is_fault(&many->run.fabric, route))
		many->open++;
	else if (!many->lost++)
		many->first_lost = mem_format("line %u: the route %s", pair->line, why);
}

static void follow(struct many *many, const struct route_pair *pair)
{
	struct fabric_route route = {.ports = NULL};
	struct fabric_place from, to;
	struct pair_row *row;
	size_t count = many->row_count;

	if (!find(many, pair, pair->from, &from) || !find(many, pair, pair->to, &to) ||
	    !are_apart(many, pair, from.port, &to))
		return;
	if (from.port != to.port)
		route_follow(&many->run.fabric, from.port, to.port, to.lid, look_up, many, &route);
	note_end(many, pair, &route, to.lid);
	row = mem_append(&many->rows, &many->row_count, sizeof(*row));
	*row = (struct pair_row){
		.at = {.view = &many->run.view, .place = from.port},
		.to = to.port,
		.lid = number_of(to.lid),
		.line = number_of(pair->line),
		.hops = number_of(route.count),
		.end = number_of(route.end),
		.cables.known = true,
		.most_shared = FABRIC_NONE,
	};
	MEM_ADD(many->ports, count) = route.ports;
	for (size_t i = 0; i < route.count; i++) {
		_cleanup_(freep) char *name = NULL;

		many->counts[route.ports[i]]++;
		if (many->cables)
			continue;
		name = fabric_port_name(&many->run.view, route.ports[i]);
		strings_add(&row->cables, name);
	}
}

/* Called when all pairs have been counted. */
static void find_most_shared(struct many *many)
{
	for (size_t i = 0; i < many->row_count; i++) {
		struct pair_row *row = &many->rows[i];

		for (size_t j = 0; j < row->hops.value; j++) {
			const uint32_t port = many->ports[i][j];

			if (row->most.known && many->counts[port] <= row->most.value)
				continue;
			row->most = number_of(many->counts[port]);
			row->most_shared = port;
		}
	}
}

DEFINE_ORDER(by_pairs, struct shared_row, COMPARE(b->pairs.value, a->pairs.value),
	     COMPARE(a->at.place, b->at.place))

static void list_cables(struct many *many)
{
	for (uint32_t i = 0; i < many->run.fabric.port_count; i++)
		if (many->counts[i])
			MEM_ADD(many->shared, many->shared_count) = (struct shared_row){
				.at = {.view = &many->run.view, .place = i},
				.pairs = number_of(many->counts[i]),
			};
	MEM_SORT(many->shared, many->shared_count, by_pairs);
	for (size_t i = 0; i < many->shared_count; i++)
		listing_add(&many->run.mad.listing, &many->shared[i]);
}

/* Many pairs take seconds, so the loop stops when the session does. */
static void follow_all(struct many *many)
{
	for (size_t i = 0; i < many->pairs.count; i++) {
		if (mad_session_stopped(&many->run.mad.session)) {
			fabric_run_note_interrupted(&many->run);
			return;
		}
		follow(many, &many->pairs.items[i]);
	}
}

static void show(struct many *many)
{
	struct listing *listing = &many->run.mad.listing;
	_cleanup_(freep) char *message = NULL;

	many->counts = mem_alloc_zero(many->run.fabric.port_count, sizeof(*many->counts));
	follow_all(many);
	if (many->cables)
		list_cables(many);
	else
		find_most_shared(many);
	for (size_t i = 0; i < many->row_count && !many->cables; i++)
		listing_add(listing, &many->rows[i]);
	if (many->open)
		fabric_run_problem(&many->run, NULL,
				   "it is unknown where the route%s of %zu pair%s",
				   text_plural_s(many->open), many->open,
				   many->open == 1 ? " ends" : "s end");
	if (!many->lost)
		return;
	message = many->lost == 1
			  ? mem_string(many->first_lost)
			  : mem_format("packets of %zu pairs do not arrive; the first is %s",
				       many->lost, many->first_lost);
	listing_fail(listing, STATUS_FAULT, message, FORWARDING_CURE);
}

int fabric_route_pairs(const struct ctx *ctx, const struct route_args *args)
{
	struct many many = {
		.run = {.before_scan = read_pairs, .context = &many},
		.path = args->pairs,
		.cables = args->cables,
	};
	int status;

	if (fabric_run_begin(&many.run, ctx, &args->fabric,
			     args->cables ? &fabric_shared_schema : &fabric_pairs_schema) &&
	    fabric_forwarding_read(&many.run, NULL, 0, FORWARDING_LINEAR, &many.forwarding))
		show(&many);
	status = fabric_run_end(&many.run);
	for (size_t i = 0; i < many.row_count; i++) {
		strings_free(&many.rows[i].cables);
		free(many.ports[i]);
	}
	free(many.rows);
	free(many.ports);
	free(many.counts);
	free(many.shared);
	free(many.first_lost);
	forwarding_clear(&many.forwarding);
	route_pairs_clear(&many.pairs);
	return status;
}
