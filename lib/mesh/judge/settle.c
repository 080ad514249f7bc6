/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which of the waiting results are bad, and what that means for the two rails. */
#include "mesh/judge/judge_parts.h"

#include "base/mem.h"

uint32_t chain_end(struct judge *judge, uint32_t port)
{
	struct port *ports = judge->ports;

	while (ports[port].chain != port) {
		ports[port].chain = ports[ports[port].chain].chain;
		port = ports[port].chain;
	}
	return port;
}

/*
 * The class of its rail if that has enough latencies, or bandwidths, else that of all rails; NULL
 * if there are too few results. A pair has half as many latencies as bandwidths.
 */
static const struct class *class_of_row(const struct judge *judge, const struct row *row,
					bool latency)
{
	const uint16_t numbers[] = {row->class, row->whole_class};

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		const struct class *class = &judge->classes[numbers[i] - 1];

		if (latency ? class->most_latency > 0 : class->bandwidth.judged)
			return class;
	}
	return NULL;
}

/*
 * There are half as many sums as figures of one direction: if the class has too few, the class of
 * all rails is taken; NULL if that has too few.
 */
static const struct class *class_of_sum(const struct judge *judge, const struct row *row,
					const struct class *class)
{
	const struct class *whole = &judge->classes[row->whole_class - 1];

	if (!class || class->both.judged)
		return class;
	return whole->both.judged && whole->bandwidth.median > 0 ? whole : NULL;
}

/*
 * The sum must be low both by what is usual for it, and by what the pair itself has one way at a
 * time: otherwise both directions together are only as slow as each alone, which is another fault.
 * A rail may be built slower than the others: its sums are then expected to be as much lower.
 */
static void judge_both_ways(const struct judge *judge, const struct row *row,
			    const struct class *class, struct edge *edge)
{
	const struct class *of_sum = class_of_sum(judge, row, class);
	const double share = judge->limits.bandwidth_share;
	const double sum = row_both(row), alone = (double)row->gbps[0] + (double)row->gbps[1];
	double scale, median;

	if (!of_sum || sum < 0 || edge->share[0] < 0 || edge->share[1] < 0)
		return;
	scale = of_sum == class ? 1 : class->bandwidth.median / of_sum->bandwidth.median;
	median = of_sum->both.median * scale;
	edge->both_median = (float)median;
	edge->both_share = (float)(sum / median);
	edge->both_ratio = alone > 0 ? (float)(sum / alone) : -1;
	for (int end = 0; end < MESH_ENDS; end++)
		edge->both_part[end] = (float)((double)row->both[end] / median * 2);
	if (sum < of_sum->both.least * scale && !edge->faults && edge->both_ratio < (float)share &&
	    2 * edge->both_share < (float)share * (edge->share[0] + edge->share[1]))
		edge->faults |= EDGE_BOTH;
}

static struct edge edge_of_row(const struct judge *judge, const struct row *row,
			       const struct class *class)
{
	static const uint8_t slow[MESH_ENDS] = {EDGE_SLOW_A, EDGE_SLOW_B};
	struct edge edge = {
		.pair = row->pair,
		.share = {-1, -1},
		.lateness = -1,
		.both_share = -1,
		.both_part = {-1, -1},
		.both_ratio = -1,
		.reason = row->reason,
		.again = row->again,
		.repeated = row->repeated,
		.faults = row->outcome == MESH_FAIL ? EDGE_FAILED : 0,
	};
	const struct class *late = class_of_row(judge, row, true);

	for (int end = 0; class && end < MESH_ENDS; end++) {
		edge.median = (float)class->bandwidth.median;
		edge.split = class->bandwidth.split;
		if (row->gbps[end] < 0 || class->bandwidth.median <= 0)
			continue;
		edge.share[end] = (float)((double)row->gbps[end] / class->bandwidth.median);
		if ((double)row->gbps[end] < class->bandwidth.least && !(edge.faults & EDGE_FAILED))
			edge.faults |= slow[end];
	}
	if (late && row->latency >= 0) {
		edge.lateness = (float)((double)row->latency / late->usual_latency);
		if ((double)row->latency > late->most_latency && !(edge.faults & EDGE_FAILED))
			edge.faults |= EDGE_LATE;
	}
	judge_both_ways(judge, row, class, &edge);
	return edge;
}

enum pair_history { PAIR_NEW, PAIR_GOOD_BEFORE, PAIR_BAD_BEFORE };

bool pair_was_seen(const struct judge *judge, const struct mesh_pair *pair)
{
	return mesh_done_has(&judge->seen, 0, pair);
}

/*
 * Stages may have pairs in common, and a partner counts once however often it was met. Once so many
 * are remembered, repeated pairs are too few to matter.
 */
static enum pair_history look_up_pair(struct judge *judge, const struct edge *edge)
{
	const bool is_new = !pair_was_seen(judge, &edge->pair);
	const bool was_bad = mesh_done_has(&judge->seen_bad, 0, &edge->pair);

	if (is_new && judge->seen.count < MOST_SEEN)
		mesh_done_add(&judge->seen, 0, &edge->pair);
	/* A pair that is not in `seen` counts as new anyway: this only bounds `seen_bad`. */
	if (edge->faults && pair_was_seen(judge, &edge->pair))
		mesh_done_add(&judge->seen_bad, 0, &edge->pair);
	return is_new ? PAIR_NEW : was_bad ? PAIR_BAD_BEFORE : PAIR_GOOD_BEFORE;
}

static void count_for_port(struct judge *judge, const struct edge *edge, int end,
			   const struct class *class, bool is_new)
{
	struct port *port = &judge->ports[edge_port(edge, end)];

	if (is_new) {
		port->judged++;
		port->judged_again += edge->again;
		port->bad_again += edge->again && edge->faults;
	}
	if (!edge->duplicate) {
		port->bad += edge->faults != 0;
		port->failed += (edge->faults & EDGE_FAILED) != 0;
	}
	/* What a rail reaches alone says nothing about it while all others are tested. */
	for (int i = 0; i < MESH_ENDS && !edge->again; i++) {
		if (edge->share[i] < 0 || edge->faults)
			continue;
		port->good_figures++;
		port->good_variance_sum += class->bandwidth.deviation * class->bandwidth.deviation;
		port->good_share_sum += (double)edge->share[i];
	}
}

/* Counts the pair for the cables on both of its ways, each from its sender. */
static void count_cables(struct judge *judge, const struct edge *edge)
{
	const uint32_t ports[MESH_ENDS] = {edge_port(edge, MESH_END_A),
					   edge_port(edge, MESH_END_B)};
	const uint32_t from = switch_of(judge, ports[0]), to = switch_of(judge, ports[1]);
	uint32_t cables[JUDGE_MOST_WAY];

	if (from != to && from != MESH_NO_SWITCH && to != MESH_NO_SWITCH) {
		judge->leaves[from].all++;
		judge->leaves[to].all++;
	}
	for (int end = 0; judge->cables && end < MESH_ENDS; end++) {
		const size_t count = way_cables(judge, ports[end], ports[!end], cables);

		for (size_t i = 0; i < count; i++)
			judge->cables[cables[i]].all++;
	}
}

static void note_errors(struct judge *judge, const struct row *row)
{
	for (int end = 0; end < MESH_ENDS; end++) {
		struct port *port = &judge->ports[end ? port_number(row->pair.b, row->pair.rail_b)
						      : port_number(row->pair.a, row->pair.rail_a)];

		port->results++;
		port->errors += row->errors[end];
		port->error_results += row->errors[end] > 0;
	}
}

static void note_worst(struct judge *judge, const struct edge *edge)
{
	struct judge_progress *progress = &judge->progress;

	progress->bad += edge->faults && !(edge->faults & EDGE_FAILED);
	for (int end = 0; end < MESH_ENDS; end++)
		if (edge->share[end] >= 0 &&
		    (!progress->worst_share.known ||
		     (double)edge->share[end] < progress->worst_share.value))
			progress->worst_share = real_of((double)edge->share[end]);
}

static void keep_edge(struct judge *judge, const struct edge *edge)
{
	if (judge->edge_count == MOST_EDGES)
		judge->lost_edges++;
	else
		MEM_ADD(judge->edges, judge->edge_count) = *edge;
}

static void settle(struct judge *judge, const struct row *row, const struct class *class)
{
	struct edge edge = edge_of_row(judge, row, class);

	note_errors(judge, row);
	note_worst(judge, &edge);
	if (row->kind == CLASS_LOOPBACK) {
		judge->ports[edge_port(&edge, MESH_END_A)].alone_bad |= edge.faults != 0;
	} else if (!edge.repeated) {
		const enum pair_history history = look_up_pair(judge, &edge);

		edge.duplicate = edge.faults && history == PAIR_BAD_BEFORE;
		for (int end = 0; end < MESH_ENDS && edge_counts_for(&edge, end); end++)
			count_for_port(judge, &edge, end, class, history == PAIR_NEW);
		if (!edge.faults)
			judge->ports[chain_end(judge, edge_port(&edge, MESH_END_A))].chain =
				chain_end(judge, edge_port(&edge, MESH_END_B));
		count_cables(judge, &edge);
	}
	if (edge.faults || edge.again)
		keep_edge(judge, &edge);
}

/*
 * The faults that a settled row may turn out to have, once there are enough latencies or sums to
 * compare it with. After the second pass no more come.
 */
static uint8_t lacks_of(const struct judge *judge, const struct row *row, const struct class *class)
{
	uint8_t lacks = 0;

	if (row->again || row->kind == CLASS_LOOPBACK || row->outcome != MESH_PASS)
		return 0;
	if (row->latency >= 0 && !class_of_row(judge, row, true))
		lacks |= EDGE_LATE;
	if (class && !class_of_sum(judge, row, class) && row_both(row) >= 0 && row->gbps[0] >= 0 &&
	    row->gbps[1] >= 0)
		lacks |= EDGE_BOTH;
	return lacks;
}

/* Completes a row that was settled without these figures, as if its pair were tested again. */
static void settle_rest(struct judge *judge, const struct row *row, const struct class *class,
			uint8_t lacked)
{
	struct edge edge = edge_of_row(judge, row, class);

	if (!(edge.faults & lacked))
		return;
	edge.duplicate = look_up_pair(judge, &edge) == PAIR_BAD_BEFORE;
	judge->progress.bad += !edge.duplicate;
	for (int end = 0; end < MESH_ENDS; end++)
		count_for_port(judge, &edge, end, class, false);
	keep_edge(judge, &edge);
}

/* Settles a row. Returns whether it has to wait for more of its class. */
static bool settle_row(struct judge *judge, struct row *row)
{
	const struct class *class = class_of_row(judge, row, false);
	const bool has_figures = row->latency >= 0 || row->gbps[0] >= 0 || row->gbps[1] >= 0;
	const uint8_t lacks = lacks_of(judge, row, class);

	/* A failure needs no comparison, and a pair that only had to connect has passed. */
	if (!row->lacks && !class && !class_of_row(judge, row, true) && row->outcome != MESH_FAIL &&
	    has_figures)
		return true;
	if (!row->lacks)
		settle(judge, row, class);
	else if (row->lacks & ~lacks)
		settle_rest(judge, row, class, row->lacks & ~lacks);
	row->lacks = lacks;
	judge->latencies_left += (lacks & EDGE_LATE) != 0;
	judge->sums_left += (lacks & EDGE_BOTH) != 0;
	judge->partly_left += lacks != 0;
	return lacks;
}

void rows_settle(struct judge *judge)
{
	size_t kept = 0;

	if (!judge->row_count)
		return;
	classes_judge(judge);
	judge->latencies_left = judge->sums_left = judge->partly_left = 0;
	for (size_t i = 0; i < judge->row_count; i++)
		if (settle_row(judge, &judge->rows[i]))
			judge->rows[kept++] = judge->rows[i];
	judge->row_count = kept;
}
