/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which host, rail, pair, switch or cable is bad, judged by the results of all pairs. A result is
 * compared with those of the same rail and distance: in a healthy cluster, their figures are alike.
 * Results are not stored one by one, only their distributions, the record of each rail, and the bad
 * pairs.
 *
 * Use: judge_new(); for each stage judge_rails(), judge_begin_stage(), judge_take() for its
 * results, with judge_drop_rails() between its rounds, and judge_end_stage(); then judge_retests(),
 * and judge_take() for their results, with `again` set; finally judge_conclude().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mesh/mesh.h"
#include "mesh/plan/plan.h"
#include "schema/problem.h"

struct judge_limits {
	double bandwidth_share;	   /* of the median: results below it are bad */
	double latency_factor;	   /* of the median: results above it are bad */
	uint32_t least_results;	   /* figures of fewer results are never called bad */
	uint32_t most_retests;	   /* limit on pairs of the second pass */
	uint32_t most_single_rows; /* findings listed of each kind; one more counts the rest */
};

extern const struct judge_limits judge_default_limits;

/*
 * What a scan of the fabric knows. Ports are numbered host * MESH_MOST_RAILS + rail. Everything is
 * borrowed; members that are unknown are NULL.
 */
struct judge_fabric {
	/* of each port: the switch that it is cabled to, or MESH_NO_SWITCH */
	const uint32_t *switches;
	uint32_t switch_count;
	/*
	 * Switches on the shortest way from one switch to another, at from * switch_count + to: 1
	 * from a switch to itself, 0 if there is no way.
	 */
	const uint8_t *distances;
	uint32_t cable_count; /* between switches */
	/*
	 * Fills the cables between switches that packets take, in order. Returns their number, or
	 * -1 if the way is unknown.
	 */
	int (*find_way)(const void *context, uint32_t from_port, uint32_t to_port, uint32_t *cables,
			size_t most);
	/* Names like `leaf 3` and `leaf 3/12 to spine 1/3`; to be freed. */
	char *(*name_switch)(const void *context, uint32_t number);
	char *(*name_cable)(const void *context, uint32_t number);
	/* The two switches of a cable. */
	void (*cable_ends)(const void *context, uint32_t number, uint32_t ret_switches[2]);
	/* The switch port that a host's port is cabled to: `leaf 3/12`; to be freed. */
	char *(*name_partner)(const void *context, uint32_t port);
	const void *context;
};

/* Only so many cables of a way are taken into account. */
#define JUDGE_MOST_WAY 16u

enum judge_finding_id {
#define FINDING(name_, ...) JUDGE_##name_,
#include "mesh/judge/findings.def"
#undef FINDING
};

/* Direction in which data is slow. */
enum judge_direction { JUDGE_BOTH_WAYS, JUDGE_SENDS, JUDGE_RECEIVES };

struct judge_finding {
	struct finding finding; /* id: enum judge_finding_id; the object names what is bad */
	/* Indexes; unknown if the finding is about something else. */
	struct number host, rail;
	struct number peer;	 /* the other host of a pair */
	struct number direction; /* enum judge_direction; unknown if it does not depend on it */
	char *host_name, *peer_name;
	char *device;	      /* and port of that rail: mlx5_3/1 */
	struct number bad;    /* bad partners, pairs or hosts */
	struct number judged; /* of how many */
	struct real share;    /* bandwidth of the bad ones, by the usual one: 0.48 */
	struct strings hosts; /* hosts that a job should avoid because of it */
};

struct judge_findings {
	struct judge_finding *items; /* the worst first */
	size_t count;
};

extern const struct schema judge_schema; /* of struct judge_finding */
/* By enum judge_finding_id; the help of each says what is wrong, for the line of a finding. */
extern const struct enum_name judge_finding_names[];

/* By enum judge_finding_id. */
extern const struct judge_kind {
	enum severity severity;
	const char *next_step;
} judge_kinds[];

struct judge;

/* The hosts, with their rails, and the fabric (or NULL) must outlive the judge. */
struct judge *judge_new(const struct mesh_host *hosts, uint32_t host_count,
			const struct judge_limits *limits, const struct judge_fabric *fabric);
void judge_free(struct judge *judge);

/* Whether pairs of the mode share what they measure, and are not compared with other modes. */
bool judge_is_shared(enum mesh_mode mode);
/* Begins a stage: results until the next one are of its mode. */
void judge_begin_stage(struct judge *judge, const struct plan_stage *stage);
/* Takes a result into account; ignores pairs that do not exist. */
void judge_take(struct judge *judge, const struct mesh_result *result);
void judge_end_stage(struct judge *judge);

/*
 * Fills, for each host, the rails that may take part in the next stage, as bits: none of a host
 * that is not present, and none that is bad in loopback or failed with each of two or more
 * partners, at least one of which is good with others. `with_doubtful`: unless that may be
 * chance; where time is short, it is better to leave out a good rail than to wait for a dead one.
 */
void judge_rails(struct judge *judge, bool with_doubtful, uint16_t *rails);
/*
 * Between the rounds of a stage: removes the rails that take part only because their failures might
 * be chance, once the results of the stage show that they are not.
 */
void judge_drop_rails(const struct judge *judge, uint16_t *rails);

/*
 * The second pass: each suspect with two partners that were good, to be tested one pair at a time
 * while nothing else is tested. To be freed; NULL if there are none.
 */
struct mesh_pair *judge_retests(struct judge *judge, size_t *ret_count);

/* Appends the findings on all results so far, worst first. */
void judge_conclude(struct judge *judge, struct judge_findings *findings);
void judge_findings_clear(struct judge_findings *findings);
/* Appends a finding with its severity and next step. Takes over the strings; object may be NULL. */
struct judge_finding *finding_add(struct judge_findings *findings, enum judge_finding_id id,
				  char *object, char *evidence);
/* Replaces the next step of its kind. */
void finding_set_next_step(struct judge_finding *finding, const char *text);
void findings_sort(struct judge_findings *findings);

/* The hosts that a job should avoid, for those who start it. */
enum exclude_form {
	/* `n[1-3,7]`, for srun --exclude, clush -x, pdsh -x; empty if there are none */
	EXCLUDE_LIST,
	/* `scontrol update nodename=n[1-2] state=drain reason=...`, a line per kind of finding */
	EXCLUDE_SLURM,
};

/* Ends with a newline unless it is empty; to be freed. */
char *exclude_text(const struct judge_findings *findings, enum exclude_form form);

/*
 * The distribution of all results of a rail (the first pass, without loopback, bisection and
 * incast), for people: bars of equal width from the least to the most. Returns the number of bars
 * filled.
 */
struct judge_bar {
	double least, below;
	uint64_t count;
};
enum judge_figure {
	JUDGE_BANDWIDTH, /* of one direction at a time */
	JUDGE_LATENCY,
	JUDGE_BOTH_SUM, /* of both directions at once */
	JUDGE_FIGURES,
};
size_t judge_histogram(const struct judge *judge, uint16_t rail, enum judge_figure figure,
		       struct judge_bar *bars, size_t most);
/*
 * Median of the rail, or of all rails together, over what both ends sent; of the distance and rate
 * that most results have; unknown without results.
 */
enum { JUDGE_ALL_RAILS = MESH_MOST_RAILS };
struct real judge_median(const struct judge *judge, uint16_t rail, enum judge_figure figure);

/* For progress: results so far, how many are bad, and the lowest bandwidth by its median. */
struct judge_progress {
	uint64_t results, bad;
	struct real worst_share;
};
void judge_progress(const struct judge *judge, struct judge_progress *ret_progress);
