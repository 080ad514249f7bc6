/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the parts of the judge: see judge.h. */
#pragma once

#include "base/mem.h"
#include "mesh/form/rows.h"
#include "mesh/judge/judge.h"

/*
 * The distribution of many positive figures in little memory. Up to SPREAD_EXACT figures are
 * stored; beyond that, only how many are in each of 512 parts of an octave, so that a quantile is
 * wrong by at most 1/1024, 0.1 %.
 */
#define SPREAD_EXACT 256u

struct spread {
	uint64_t count;
	double *exact;	/* NULL once there are too many */
	bool sorted;	/* `exact` is sorted */
	uint32_t *bins; /* NULL while `exact` is used */
};

/* Smaller figures, also negative ones, count as the smallest that there is, 2^-10. */
void spread_add(struct spread *spread, double figure);
/* The figure that this part of all (0 to 1) does not exceed; 0 if there are none. */
double spread_quantile(struct spread *spread, double part);
/* Number of figures below this one. */
uint64_t spread_count_below(const struct spread *spread, double figure);
void spread_clear(struct spread *spread);

/* Results are compared only with those of the same kind. */
enum class_kind { CLASS_LOOPBACK, CLASS_PAIR, CLASS_BISECTION, CLASS_INCAST, CLASS_KINDS };

enum {
	ALL_RAILS = JUDGE_ALL_RAILS, /* instead of a rail: all rails of a class together */
	MOST_DISTANCE = 15,
	MOST_RATES = 7,
	CLASS_KEYS = (MESH_MOST_RAILS + 1) * CLASS_KINDS * (MOST_DISTANCE + 1) * (MOST_RATES + 1),
	MOST_ROWS = 1 << 18,  /* results that wait for others of their class */
	MOST_EDGES = 1 << 20, /* bad pairs that are stored */
	MOST_REASONS = 1024,
	MOST_SEEN = 1 << 16, /* tested pairs that are remembered */
};

/* A bandwidth of all pairs of a class. class_judge() computes the rest from the results so far. */
struct band {
	struct spread spread;
	bool judged;
	double median, least; /* Gb/s */
	bool split;	      /* half of the results are low: `median` is the upper quartile */
	double deviation;     /* as a share of the median */
};

struct class
{
	struct band bandwidth; /* of one direction at a time */
	struct band both;      /* of both at once, their sum */
	struct spread latency;
	double usual_latency, most_latency; /* 0: not judged */
};

/* A result that has not been judged yet. Figures below 0 are unknown. */
struct row {
	struct mesh_pair pair;
	float gbps[MESH_ENDS], both[MESH_ENDS], latency;
	uint32_t errors[MESH_ENDS];
	uint16_t class, whole_class; /* for its rail, and for all rails; index + 1 */
	uint16_t reason;
	uint8_t kind; /* enum class_kind */
	uint8_t outcome;
	bool again, repeated;
	uint8_t lacks; /* enum edge_fault: settled, except that these could not be judged yet */
};

enum edge_fault {
	EDGE_FAILED = 1 << 0,
	EDGE_SLOW_A = 1 << 1, /* in what A sends */
	EDGE_SLOW_B = 1 << 2,
	EDGE_LATE = 1 << 3,
	EDGE_BOTH = 1 << 4, /* slow both ways at once, and nothing else is wrong */
};

/* A bad pair, or any pair of the second pass. */
struct edge {
	struct mesh_pair pair;
	float share[MESH_ENDS]; /* of the median, as sent by each end; below 0: unknown */
	float lateness;		/* latency by the usual one */
	float median;		/* Gb/s that the shares refer to */
	bool split;		/* `median` is the upper quartile */
	/* Both ways at once; below 0: unknown. */
	float both_share;	    /* of the median of the sum */
	float both_part[MESH_ENDS]; /* of half of that, as sent by each end */
	float both_ratio;	    /* the sum by that of one way at a time */
	float both_median;	    /* Gb/s; 0: not judged */
	uint16_t reason;
	uint8_t faults; /* enum edge_fault; 0: good */
	bool again;
	bool repeated;	  /* the same pair was bad in the first pass */
	bool duplicate;	  /* the same pair was bad in an earlier stage */
	uint32_t culprit; /* index + 1 */
};

/* A rail of a host. */
struct port {
	uint32_t judged, bad;		  /* partners, except repeated ones */
	uint32_t judged_again, bad_again; /* how many of these in the second pass */
	uint32_t failed;
	uint32_t good_figures; /* in both directions, of pairs that are not bad */
	double good_share_sum, good_variance_sum;
	uint64_t errors;
	uint32_t error_results, results;
	uint32_t chain; /* next port towards chain_end(), over good pairs */
	uint8_t rate;	/* index of a rate; 0: unknown */
	bool slow_rate; /* few ports of its rail have so low a rate */
	bool alone_bad; /* in loopback */
	bool doubtful;	/* failed with all partners, which may be chance, when the stage began */
};

enum culprit_kind {
	CULPRIT_PORT,
	CULPRIT_HOST,
	CULPRIT_PAIR,
	CULPRIT_GROUP,
	CULPRIT_SWITCH,
	CULPRIT_CABLE,
	CULPRIT_GROWTH,
	/* pairs of a rail that have no host in common; if `judged`, all of the rail failed */
	CULPRIT_SCATTER,
};

/* What the pairs of a switch or cable have in common. */
enum culprit_share {
	SHARES_NOTHING,
	SHARES_CABLE,
	SHARES_SWITCH, /* their way goes through it */
	SHARES_LEAF,   /* they start or end at it */
};

/* Explains some bad pairs. */
struct culprit {
	enum culprit_kind kind;
	/* port, host, edge, switch, cable; a group's chain_end(); a scatter's rail */
	uint32_t number;
	bool of_group;	/* good pairs do not connect it with others */
	uint32_t group; /* chain_end() of its ports */
	uint16_t rail;	/* of the group */
	uint32_t bad, judged;
	uint32_t merged; /* index + 1 of the culprit that includes it */
	uint32_t edges;	 /* bad pairs that it explains */
	enum culprit_share shares;
	bool by_mean; /* no single pair was bad */
	bool is_weak; /* at most two thirds of its partners are bad */
};

struct retest {
	struct mesh_pair pair;
	bool repeated;
};

struct cable_count {
	uint32_t all, bad;
};

struct judge {
	const struct mesh_host *hosts;
	uint32_t host_count, port_count;
	struct judge_limits limits;
	const struct judge_fabric *fabric;
	uint64_t rates[MOST_RATES + 1]; /* Mb/s, ascending */
	struct port *ports;
	uint16_t *class_of; /* CLASS_KEYS; index + 1 */
	struct class *classes;
	size_t class_count;
	struct row *rows;
	size_t row_count, row_room;
	/* Rows that are settled, but lack the verdict on latency, on the sum of both directions. */
	size_t partly_left, latencies_left, sums_left;
	struct edge *edges;
	size_t edge_count;
	uint64_t lost_edges; /* not stored: beyond MOST_EDGES */
	char **reasons;
	uint32_t *reason_hashes;
	size_t reason_count;
	enum class_kind kind; /* of the stage */
	struct retest *retests;
	size_t retest_count, retests_left_out;
	struct culprit *culprits;
	size_t culprit_count;
	struct mesh_done seen, seen_bad; /* tested pairs, and those of them that were bad */
	struct cable_count *cables;
	struct cable_count *leaves; /* pairs between different switches, by switch */
	struct judge_progress progress;
};

static inline uint32_t port_number(uint32_t host, uint16_t rail)
{
	return host * MESH_MOST_RAILS + rail;
}
/* A number for each port, 0 at first; to be freed. */
static inline uint32_t *port_numbers(const struct judge *judge)
{
	return mem_alloc_zero(judge->port_count, sizeof(uint32_t));
}
/* Sum of what both ends sent at the same time; below 0: unknown. */
static inline double row_both(const struct row *row)
{
	return row->both[0] < 0 || row->both[1] < 0 ? -1
						    : (double)row->both[0] + (double)row->both[1];
}
static inline uint32_t edge_port(const struct edge *edge, int end)
{
	return end == MESH_END_A ? port_number(edge->pair.a, edge->pair.rail_a)
				 : port_number(edge->pair.b, edge->pair.rail_b);
}
static inline bool pair_is_same(const struct mesh_pair *one, const struct mesh_pair *other)
{
	return one->a == other->a && one->b == other->b && one->rail_a == other->rail_a &&
	       one->rail_b == other->rail_b;
}

/* In the second pass, the pair counts only for the suspect, which is end A. */
static inline bool edge_counts_for(const struct edge *edge, int end)
{
	return !edge->again || end == MESH_END_A;
}
static inline bool edge_is_loopback(const struct edge *edge)
{
	return edge->pair.a == edge->pair.b && edge->pair.rail_a == edge->pair.rail_b;
}
static inline uint32_t port_host(uint32_t port)
{
	return port / MESH_MOST_RAILS;
}
static inline uint16_t port_rail(uint32_t port)
{
	return (uint16_t)(port % MESH_MOST_RAILS);
}

/* Finds the class of a pair, or makes it. Returns index + 1. */
uint16_t class_find(struct judge *judge, uint32_t rail, enum class_kind kind,
		    const struct mesh_pair *pair);
/* The class of pairs, of the first pass; NULL if there is none. */
struct class *class_of_pairs(const struct judge *judge, uint32_t rail, unsigned int distance,
			     unsigned int rate);
/* Computes median, deviation and limits of all classes from their results so far. */
void classes_judge(struct judge *judge);
/* Finds the rates that many ports of a rail have. */
void rates_find(struct judge *judge);

/* Judges the rows that wait; those of a class that is too small stay. */
void rows_settle(struct judge *judge);
/* Whether a settled row is of this pair, in either order. */
bool pair_was_seen(const struct judge *judge, const struct mesh_pair *pair);

/* Representative of the ports that good pairs connect. */
uint32_t chain_end(struct judge *judge, uint32_t port);

/* Below this share of the median, no scatter is an excuse. */
#define LEAST_SHARE_EXCUSED 0.75

/* If fewer pairs of a rail are bad, each is bad by itself. */
#define LEAST_SCATTER 5u
/* Whether a pair that was bad in the first pass is bad again. */
bool repeated_is_bad(const struct judge *judge, const struct edge *edge);
/*
 * Counts the bad pairs of a rail (or ALL_RAILS) that the second pass tried again, and those that
 * were bad again.
 */
void count_pairs_again(const struct judge *judge, uint16_t rail, uint32_t *ret_again,
		       uint32_t *ret_bad);
/* Blames no host for the pairs of a rail that all failed: any half of its hosts would do. */
void explain_by_nothing(struct judge *judge);
/* Merges many bad pairs of a rail into one culprit, unless the second pass found them good. */
void merge_pairs(struct judge *judge);

/* Finds all culprits from scratch; each bad edge has one afterwards. */
void explain(struct judge *judge);
/* `first`: before rails are blamed, and with more care. */
void explain_by_ways(struct judge *judge, bool first);
void explain_by_groups(struct judge *judge);
/* Merges rails whose bad pairs all go through a bad switch or cable into it, if others are good. */
void merge_rails_of_ways(struct judge *judge);
/* Merges the bad rails and cables of a switch into it if most of its rails or cables are bad. */
void merge_switches(struct judge *judge);
void merge_hosts(struct judge *judge);
/* Whether the pair goes through the switch or cable of the culprit. */
bool edge_shares(const struct judge *judge, const struct edge *edge, const struct culprit *culprit);
/* The switch of a port, or MESH_NO_SWITCH. */
uint32_t switch_of(const struct judge *judge, uint32_t port);
/* Fills the cables on the way from a port to another one; returns their number. */
size_t way_cables(const struct judge *judge, uint32_t from, uint32_t to,
		  uint32_t cables[static JUDGE_MOST_WAY]);
/* Returns its index + 1. */
uint32_t culprit_add(struct judge *judge, enum culprit_kind kind, uint32_t number, uint32_t bad,
		     uint32_t judged);
/* By its index + 1. */
static inline struct culprit *culprit_at(const struct judge *judge, uint32_t number)
{
	return &judge->culprits[number - 1];
}
/* Whether each port is a culprit itself; to be freed. */
bool *blamed_ports(const struct judge *judge);
static inline bool edge_is_open(const struct edge *edge)
{
	return edge->faults && !edge->culprit && !edge->repeated && !edge->duplicate &&
	       !edge_is_loopback(edge);
}

/* ---- The conclusion ---- */

/* The figures of the bad pairs that a culprit explains, for its evidence. */
struct tally {
	uint32_t pairs, failed, slow, late;
	uint32_t sends, receives; /* slow directions, seen from the rail; for a pair, from A */
	double share_sum;	  /* of the slow directions */
	uint32_t shares;
	double lateness_sum;
	uint32_t both;				 /* pairs that are slow only both ways at once */
	double both_share_sum;			 /* by the median of the sum */
	double both_sent_sum, both_received_sum; /* by half of that median, seen from the rail */
	double both_ratio_sum;			 /* the sum by that of one way at a time */
	uint32_t both_ratios;
	double both_median; /* Gb/s */
	double median;	    /* Gb/s */
	bool split;	    /* `median` is the upper quartile */
	uint32_t again, again_bad;
	/* tried again, but there is nothing to compare the figures with */
	uint32_t again_unjudged;
	double partner_share_sum; /* shares that its partners have with others */
	uint32_t partners;
	uint16_t reason;       /* the most frequent of the failures */
	uint32_t failed_alike; /* how many failed for that reason */
};

/* One per culprit, which also covers what it includes; to be freed. */
struct tally *tallies_of(const struct judge *judge);

struct conclusion {
	struct judge *judge;
	struct judge_findings *findings;
	struct tally *tallies;
	uint32_t listed[JUDGE_NOT_RETRIED + 1]; /* number of findings by id */
	/* the worst of those that are not listed */
	enum severity unlisted[JUDGE_NOT_RETRIED + 1];
	uint32_t bad_ports[MESH_MOST_RAILS];   /* ports that have a finding each, by rail */
	uint32_t pairs_again, pairs_bad_again; /* pairs that the second pass tried */
};

/* Adds to the evidence. */
#define finding_say(finding_, ...) mem_extend(&(finding_)->finding.evidence, __VA_ARGS__)

/* Counts a finding of the id; returns whether it gets a line of its own. */
bool conclusion_lists(struct conclusion *conclusion, enum judge_finding_id id,
		      enum severity severity);
void finding_set_host(struct judge_finding *finding, const struct judge *judge, uint32_t host);
/* Sets the host, the rail and its device. */
void finding_set_port(struct judge_finding *finding, const struct judge *judge, uint32_t port);
/* Adds a finding about a port, named by its host and rail. Takes over the evidence (or NULL). */
struct judge_finding *finding_add_port(struct conclusion *conclusion, enum judge_finding_id id,
				       uint32_t port, char *evidence);
/* Reports distances whose median is far below that of the shortest one. */
void conclude_distances(struct conclusion *conclusion);
/* Reports rails that are slower than other ones of the same rate. */
void conclude_rails(struct conclusion *conclusion);
/* Reports rails on which both directions at once are slow for everybody. */
void conclude_directions(struct conclusion *conclusion);
/* Report ports of an unusual rate, missing rails and hosts, and what is not listed. */
void conclude_rates(struct conclusion *conclusion);
void conclude_gaps(struct conclusion *conclusion);
void conclude_presence(struct conclusion *conclusion);
void conclude_rest(struct conclusion *conclusion);

/* words.c: parts of the sentences that evidence consists of. */
const char *words_host(const struct judge *judge, uint32_t host);
const struct endpoint *words_endpoint(const struct judge *judge, uint32_t port);
/* Also sets the finding's share. `judged` is what they are out of; the text omits 0. */
void words_add_figures(struct judge_finding *finding, const struct judge *judge,
		       const struct tally *tally, uint32_t judged, const char *what);
/* Adds the direction, what `id` needs, the partners' other pairs, and the second pass. */
void words_add_rest(struct judge_finding *finding, const struct judge *judge,
		    const struct tally *tally, enum judge_finding_id id, bool alone_bad);
/* Returns `usual`, or JUDGE_BOTH if nothing else is wrong. */
enum judge_finding_id words_id(const struct tally *tally, enum judge_finding_id usual);
/* Adds what else the figures of both ways at once show, if `id` is JUDGE_BOTH. */
void words_add_both(struct judge_finding *finding, const struct judge *judge,
		    const struct tally *tally, enum judge_finding_id id);
/* Text for a culprit that has no judged result of the second pass. */
const char *words_not_again(const struct tally *tally);
void words_add_port_facts(struct judge_finding *finding, const struct judge *judge,
			  uint32_t number);
/* `before`: the beginning of the sentence, which names the rail; empty if the object does. */
void words_add_loopback(struct judge_finding *finding, const struct judge *judge, uint32_t number,
			const char *before);
void words_add_mean(struct judge_finding *finding, const struct judge *judge, uint32_t number);
void words_add_others(struct judge_finding *finding, const struct judge *judge, uint32_t number);
