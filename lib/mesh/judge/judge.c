/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Takes results, and stores what is needed of them. */
#include "mesh/judge/judge.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "mesh/judge/judge_parts.h"

const struct judge_limits judge_default_limits = {
	.bandwidth_share = 0.93,
	.latency_factor = 2.1,
	.least_results = 8,
	.most_retests = 64,
	.most_single_rows = 20,
};

struct judge *judge_new(const struct mesh_host *hosts, uint32_t host_count,
			const struct judge_limits *limits, const struct judge_fabric *fabric)
{
	struct judge *judge = mem_alloc_zero(1, sizeof(*judge));

	judge->hosts = hosts;
	judge->host_count = host_count;
	judge->port_count = host_count * MESH_MOST_RAILS;
	judge->limits = *limits;
	judge->fabric = fabric;
	judge->ports = mem_alloc_zero(judge->port_count, sizeof(*judge->ports));
	for (uint32_t i = 0; i < judge->port_count; i++)
		judge->ports[i].chain = i;
	judge->class_of = mem_alloc_zero(CLASS_KEYS, sizeof(*judge->class_of));
	judge->kind = CLASS_PAIR;
	if (fabric && fabric->find_way)
		judge->cables = mem_alloc_zero(fabric->cable_count, sizeof(*judge->cables));
	if (fabric && fabric->switches)
		judge->leaves = mem_alloc_zero(fabric->switch_count, sizeof(*judge->leaves));
	rates_find(judge);
	return judge;
}

void judge_free(struct judge *judge)
{
	if (!judge)
		return;
	for (size_t i = 0; i < judge->class_count; i++) {
		spread_clear(&judge->classes[i].bandwidth.spread);
		spread_clear(&judge->classes[i].both.spread);
		spread_clear(&judge->classes[i].latency);
	}
	for (size_t i = 0; i < judge->reason_count; i++)
		free(judge->reasons[i]);
	free(judge->reasons);
	free(judge->reason_hashes);
	free(judge->ports);
	free(judge->class_of);
	free(judge->classes);
	free(judge->rows);
	free(judge->edges);
	free(judge->retests);
	free(judge->culprits);
	mesh_done_clear(&judge->seen);
	mesh_done_clear(&judge->seen_bad);
	free(judge->cables);
	free(judge->leaves);
	free(judge);
}

static enum class_kind kind_of_mode(enum mesh_mode mode)
{
	switch (mode) {
	case MESH_LOOPBACK:
		return CLASS_LOOPBACK;
	case MESH_BISECTION:
		return CLASS_BISECTION;
	case MESH_INCAST:
		return CLASS_INCAST;
	default:
		return CLASS_PAIR;
	}
}

bool judge_is_shared(enum mesh_mode mode)
{
	const enum class_kind kind = kind_of_mode(mode);

	return kind == CLASS_BISECTION || kind == CLASS_INCAST;
}

void judge_begin_stage(struct judge *judge, const struct plan_stage *stage)
{
	judge->kind = kind_of_mode(stage->mode);
}

void judge_end_stage(struct judge *judge)
{
	rows_settle(judge);
	judge->kind = CLASS_PAIR;
}

/* The number of a reason; once there are too many, all others share the last one. */
static uint16_t reason_number(struct judge *judge, const char *reason)
{
	uint32_t hash = UINT32_C(2166136261);
	size_t count = judge->reason_count;

	/* FNV-1a. */
	for (const char *at = reason; *at; at++)
		hash = (hash ^ (unsigned char)*at) * UINT32_C(16777619);
	for (size_t i = 0; i < judge->reason_count; i++)
		if (judge->reason_hashes[i] == hash && !strcmp(judge->reasons[i], reason))
			return (uint16_t)i;
	if (judge->reason_count == MOST_REASONS)
		return MOST_REASONS - 1;
	MEM_ADD(judge->reason_hashes, count) = hash;
	MEM_ADD(judge->reasons, judge->reason_count) = mem_string(
		count == MOST_REASONS ? "for other reasons" : reason);
	return (uint16_t)(judge->reason_count - 1);
}

static bool is_repeated(const struct judge *judge, const struct mesh_pair *pair)
{
	const struct mesh_pair turned = {pair->b, pair->a, pair->rail_b, pair->rail_a};

	for (size_t i = 0; i < judge->retest_count; i++)
		if (judge->retests[i].repeated && (pair_is_same(&judge->retests[i].pair, pair) ||
						   pair_is_same(&judge->retests[i].pair, &turned)))
			return true;
	return false;
}

static float figure_of(struct real real)
{
	return real.known && real.value >= 0 ? (float)real.value : -1;
}

static uint32_t errors_of(struct number number)
{
	if (!number.known)
		return 0;
	return number.value > UINT32_MAX ? UINT32_MAX : (uint32_t)number.value;
}

/* The second pass is compared with the first, and does not affect what is usual. */
static void add_figures(struct judge *judge, const struct row *row)
{
	const uint16_t numbers[] = {row->class, row->whole_class};

	for (size_t i = 0; i < ARRAY_SIZE(numbers) && !row->again; i++) {
		struct class *class = &judge->classes[numbers[i] - 1];

		for (int end = 0; end < MESH_ENDS; end++)
			if (row->gbps[end] >= 0)
				spread_add(&class->bandwidth.spread, (double)row->gbps[end]);
		if (row_both(row) >= 0)
			spread_add(&class->both.spread, row_both(row));
		if (row->latency >= 0)
			spread_add(&class->latency, (double)row->latency);
	}
}

static void append_row(struct judge *judge, const struct row *row)
{
	if (judge->row_count == MOST_ROWS) {
		rows_settle(judge);
		/* Rows of a class that is still too small after so many stay unjudged. */
		if (judge->row_count > MOST_ROWS / 2)
			judge->row_count = 0;
	}
	if (judge->row_count == judge->row_room) {
		judge->row_room = judge->row_room ? judge->row_room * 2 : 1024;
		judge->rows = mem_resize(judge->rows, judge->row_room, sizeof(*judge->rows));
	}
	judge->rows[judge->row_count++] = *row;
}

void judge_take(struct judge *judge, const struct mesh_result *result)
{
	const struct mesh_pair *pair = &result->pair;
	struct row row = {.pair = *pair, .again = result->again};

	if (pair->a >= judge->host_count || pair->b >= judge->host_count ||
	    pair->rail_a >= MESH_MOST_RAILS || pair->rail_b >= MESH_MOST_RAILS)
		return;
	judge->progress.results++;
	if (!mesh_was_tested(result->outcome))
		return;
	row.kind = (uint8_t)(pair->a == pair->b && pair->rail_a == pair->rail_b ? CLASS_LOOPBACK
			     : result->again					? CLASS_PAIR
										: judge->kind);
	row.class = class_find(judge, pair->rail_a, (enum class_kind)row.kind, pair);
	row.whole_class = class_find(judge, ALL_RAILS, (enum class_kind)row.kind, pair);
	row.outcome = (uint8_t)result->outcome;
	row.repeated = result->again && is_repeated(judge, pair);
	for (int end = 0; end < MESH_ENDS; end++) {
		row.gbps[end] = figure_of(result->gbps[end]);
		row.both[end] = figure_of(result->both_gbps[end]);
		row.errors[end] = errors_of(result->errors[end]);
	}
	row.latency = figure_of(result->latency_usec);
	if (result->outcome == MESH_FAIL) {
		judge->progress.bad++;
		row.reason = reason_number(judge, result->reason);
	} else {
		add_figures(judge, &row);
	}
	append_row(judge, &row);
}

void judge_progress(const struct judge *judge, struct judge_progress *ret_progress)
{
	*ret_progress = judge->progress;
}

/* Whether the pair of a row that waits has not been counted for its ports. */
static bool is_uncounted(const struct row *row)
{
	return row->kind != CLASS_LOOPBACK && !row->lacks;
}

/* Whether each port was good with others, as far as is known; to be freed. */
static bool *good_ports(const struct judge *judge)
{
	bool *good = mem_alloc_zero(judge->port_count, sizeof(*good));

	for (uint32_t i = 0; i < judge->port_count; i++)
		good[i] = judge->ports[i].judged > judge->ports[i].bad;
	for (size_t i = 0; i < judge->row_count; i++) {
		const struct row *row = &judge->rows[i];

		if (!is_uncounted(row) || row->outcome == MESH_FAIL)
			continue;
		good[port_number(row->pair.a, row->pair.rail_a)] = true;
		good[port_number(row->pair.b, row->pair.rail_b)] = true;
	}
	return good;
}

/* The pairs that failed so far; each counts once, and loopback does not. */
struct failures {
	bool *good;	  /* whether each port is good with others, as far as is known */
	uint32_t *failed; /* how many partners that are good with others each port failed with */
	uint64_t of_good; /* pairs that failed although both of their ends are good with others */
	uint64_t ends;	  /* of all pairs that were tested */
	uint32_t ports;	  /* that were tested with others */
};

static void count_failure(struct failures *failures, const struct mesh_pair *pair)
{
	const uint32_t a = port_number(pair->a, pair->rail_a),
		       b = port_number(pair->b, pair->rail_b);

	failures->failed[a] += failures->good[b];
	failures->failed[b] += failures->good[a];
	failures->of_good += failures->good[a] && failures->good[b];
}

static void count_failures(const struct judge *judge, struct failures *ret)
{
	*ret = (struct failures){.good = good_ports(judge), .failed = port_numbers(judge)};
	for (uint32_t i = 0; i < judge->port_count; i++) {
		ret->ends += judge->ports[i].judged;
		ret->ports += judge->ports[i].judged > 0;
	}
	for (size_t i = 0; i < judge->edge_count; i++) {
		const struct edge *edge = &judge->edges[i];

		if (edge->faults & EDGE_FAILED && !edge->duplicate && !edge_is_loopback(edge))
			count_failure(ret, &edge->pair);
	}
	for (size_t i = 0; i < judge->row_count; i++) {
		const struct row *row = &judge->rows[i];

		if (!is_uncounted(row) || pair_was_seen(judge, &row->pair))
			continue;
		ret->ends += MESH_ENDS;
		if (row->outcome == MESH_FAIL)
			count_failure(ret, &row->pair);
	}
}

static void failures_clear(struct failures *failures)
{
	free(failures->good);
	free(failures->failed);
}

/* Fewer failed pairs do not tell how often one fails. */
#define LEAST_FAILED 3u

/* So many good rails may be left out by chance, on average, of all that there are. */
#define MOST_LEFT_OUT 0.01

/*
 * Whether so many failures of a port may be chance: if each pair fails now and then, some rail has
 * failed with all of its partners. More of its pairs will tell, but if it is dead, each of them may
 * last until the timeout.
 */
static bool is_chance(const struct failures *failures, uint32_t port)
{
	const double chance = failures->of_good >= LEAST_FAILED && failures->ends
				      ? 2 * (double)failures->of_good / (double)failures->ends
				      : 0;
	double expected = failures->ports;

	for (uint32_t i = 0; i < failures->failed[port] && expected > MOST_LEFT_OUT; i++)
		expected *= chance;
	return expected > MOST_LEFT_OUT;
}

/*
 * A rail that is bad alone, or failed with all of two or more partners, would only cost time; but
 * if all of these are bad themselves, or it may be chance, the rail may be good.
 */
void judge_rails(struct judge *judge, bool with_doubtful, uint16_t *rails)
{
	struct failures failures;

	rows_settle(judge);
	count_failures(judge, &failures);
	for (uint32_t i = 0; i < judge->host_count; i++) {
		const struct mesh_host *host = &judge->hosts[i];

		rails[i] = 0;
		if (host->presence != MESH_PRESENT)
			continue;
		for (uint16_t rail = 0; rail < MESH_MOST_RAILS; rail++) {
			const uint32_t number = port_number(i, rail);
			struct port *port = &judge->ports[number];
			const bool looks_dead = port->failed >= 2 && port->failed == port->judged &&
						failures.failed[number];

			port->doubtful = with_doubtful && looks_dead &&
					 is_chance(&failures, number);
			if (mesh_host_has_rail(host, rail) && !port->alone_bad &&
			    (!looks_dead || port->doubtful))
				rails[i] |= (uint16_t)(1u << rail);
		}
	}
	failures_clear(&failures);
}

static bool any_doubtful(const struct judge *judge, const uint16_t *rails)
{
	for (uint32_t i = 0; i < judge->port_count; i++)
		if (judge->ports[i].doubtful && rails[port_host(i)] >> port_rail(i) & 1)
			return true;
	return false;
}

/* Nothing is settled here: figures are judged once the stage has given all of them. */
void judge_drop_rails(const struct judge *judge, uint16_t *rails)
{
	struct failures failures;

	if (!any_doubtful(judge, rails))
		return;
	count_failures(judge, &failures);
	for (uint32_t i = 0; i < judge->port_count; i++) {
		const struct port *port = &judge->ports[i];

		if (port->doubtful && !failures.good[i] && port->failed == port->judged &&
		    !is_chance(&failures, i))
			rails[port_host(i)] &= (uint16_t) ~(1u << port_rail(i));
	}
	failures_clear(&failures);
}

static double width_of(double low, double high, size_t parts)
{
	return high > low ? (high - low) / (double)parts : (high > 0 ? high / 100 : 1);
}

/* The figures of a class, if it is one of the rail in the first pass; else NULL. */
static struct spread *spread_of(const struct judge *judge, uint16_t rail, size_t key,
				enum judge_figure figure)
{
	const size_t of_kind = (size_t)(MOST_DISTANCE + 1) * (MOST_RATES + 1);
	const uint16_t number = judge->class_of[key];

	if (!number || key / of_kind != (size_t)rail * CLASS_KINDS + CLASS_PAIR)
		return NULL;
	return figure == JUDGE_BANDWIDTH  ? &judge->classes[number - 1].bandwidth.spread
	       : figure == JUDGE_BOTH_SUM ? &judge->classes[number - 1].both.spread
					  : &judge->classes[number - 1].latency;
}

size_t judge_histogram(const struct judge *judge, uint16_t rail, enum judge_figure figure,
		       struct judge_bar *bars, size_t most)
{
	double low = 0, high = 0, width;
	bool any = false;

	for (size_t key = 0; key < CLASS_KEYS; key++) {
		struct spread *spread = spread_of(judge, rail, key, figure);

		if (!spread || !spread->count)
			continue;
		if (!any || spread_quantile(spread, 0) < low)
			low = spread_quantile(spread, 0);
		if (!any || spread_quantile(spread, 1) > high)
			high = spread_quantile(spread, 1);
		any = true;
	}
	if (!any || !most)
		return 0;
	width = width_of(low, high, most);
	for (size_t i = 0; i < most; i++) {
		bars[i] = (struct judge_bar){.least = low + width * (double)i,
					     .below = low + width * (double)(i + 1)};
		for (size_t key = 0; key < CLASS_KEYS; key++) {
			struct spread *spread = spread_of(judge, rail, key, figure);

			if (!spread)
				continue;
			bars[i].count += (i + 1 == most
						  ? spread->count
						  : spread_count_below(spread, bars[i].below)) -
					 (i ? spread_count_below(spread, bars[i].least) : 0);
		}
	}
	return most;
}

struct real judge_median(const struct judge *judge, uint16_t rail, enum judge_figure figure)
{
	struct spread *most = NULL;

	for (size_t key = 0; key < CLASS_KEYS; key++) {
		struct spread *spread = spread_of(judge, rail, key, figure);

		if (spread && spread->count && (!most || spread->count > most->count))
			most = spread;
	}
	return most ? real_of(spread_quantile(most, 0.5)) : (struct real){.known = false};
}
