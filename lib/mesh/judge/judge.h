/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which host, rail, pair, switch or cable is bad, by the results of all pairs. A result is compared
 * with those of the same rail and distance: the figures of a cluster that is right are alike. Rows
 * are not kept: distributions are, what each rail has been through, and the pairs that are bad.
 *
 * Use: judge_new(); for each stage judge_rails(), its results to judge_take(), judge_end_stage();
 * then judge_retests(), their results with `again` set; then judge_conclude().
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
	uint32_t least_results;	   /* of fewer, none is called bad for its figures */
	uint32_t most_retests;	   /* pairs of the second pass */
	uint32_t most_single_rows; /* findings of a kind; the others are counted in one more */
};

extern const struct judge_limits judge_default_limits;

/*
 * What a scan of the fabric knows. Ports are numbered host * MESH_MOST_RAILS + rail. Everything is
 * borrowed; members that are not known are NULL.
 */
struct judge_fabric {
	const uint32_t *switches; /* of each port: the switch that it is cabled to, or
				     MESH_NO_SWITCH */
	uint32_t switch_count;
	/* Switches on the shortest way from one switch to another, from * switch_count + to: 1 on
	 * itself, 0 where there is none. */
	const uint8_t *distances;
	uint32_t cable_count; /* between switches */
	/* The cables between switches on the way of packets, in their order; returns how many there
	 * are, or -1 if the way is not known. */
	int (*find_way)(const void *context, uint32_t from_port, uint32_t to_port, uint32_t *cables,
			size_t most);
	/* `leaf 3`; `leaf 3/12 to spine 1/3`; to be freed. */
	char *(*name_switch)(const void *context, uint32_t number);
	char *(*name_cable)(const void *context, uint32_t number);
	/* The two switches of a cable. */
	void (*cable_ends)(const void *context, uint32_t number, uint32_t ret_switches[2]);
	/* The port of the switch that a port of a host is cabled to: `leaf 3/12`. */
	char *(*name_partner)(const void *context, uint32_t port);
	const void *context;
};

/* The cables of a way that is longer are not all taken into account. */
#define JUDGE_MOST_WAY 16u

enum judge_finding_id {
#define FINDING(name_, ...) JUDGE_##name_,
#include "mesh/judge/findings.def"
#undef FINDING
};

/* Which way data is slow. */
enum judge_direction { JUDGE_BOTH_WAYS, JUDGE_SENDS, JUDGE_RECEIVES };

struct judge_finding {
	struct finding finding; /* id: enum judge_finding_id; the object names what is bad */
	/* Indexes; not known where the finding is about something else. */
	struct number host, rail;
	struct number peer;	 /* the other host of a pair */
	struct number direction; /* enum judge_direction; not known: it is no matter of direction */
	char *host_name, *peer_name;
	char *device;	      /* and port of that rail: mlx5_3/1 */
	struct number bad;    /* partners, pairs or hosts that it is about */
	struct number judged; /* of how many */
	struct real share;    /* of the median bandwidth, of those that are bad: 0.48 */
	struct strings hosts; /* those that a job should do without because of it */
};

struct judge_findings {
	struct judge_finding *items; /* the worst first */
	size_t count;
};

extern const struct schema judge_schema; /* of struct judge_finding */
extern const struct enum_name judge_finding_names[];
/* What is wrong, in a few words, for the line of a finding. */
const char *judge_finding_summary(unsigned int id);

struct judge;

/* The hosts, with their rails, and the fabric (or NULL) outlive the judge. */
struct judge *judge_new(const struct mesh_host *hosts, uint32_t host_count,
			const struct judge_limits *limits, const struct judge_fabric *fabric);
void judge_free(struct judge *judge);

/* Whether pairs of the mode share what they measure: none is compared with those of other modes. */
bool judge_is_shared(enum mesh_mode mode);
/* A stage begins; the results that are taken until the next one are of its mode. */
void judge_begin_stage(struct judge *judge, const struct plan_stage *stage);
/* Takes a result over; a pair that does not exist is left out. */
void judge_take(struct judge *judge, const struct mesh_result *result);
void judge_end_stage(struct judge *judge);

/*
 * Fills, for each host, the rails that may take part in the next stage as bits: not those of hosts
 * that are not present, nor those that failed alone or with each of two or more partners.
 */
void judge_rails(struct judge *judge, uint16_t *rails);

/*
 * The second pass: each suspect with two that were good, one pair after the other while nothing
 * else is tested. To be freed; NULL if there are none.
 */
struct mesh_pair *judge_retests(struct judge *judge, size_t *ret_count);

/* Appends the findings on all results so far, the worst first. */
void judge_conclude(struct judge *judge, struct judge_findings *findings);
void judge_findings_clear(struct judge_findings *findings);

/*
 * The distribution of all results of a rail (the first pass, without loopback and incast), for
 * people: parts of equal width from the least to the most. Returns how many parts were filled.
 */
struct judge_bar {
	double least, below;
	uint64_t count;
};
enum judge_figure {
	JUDGE_BANDWIDTH, /* of a direction by itself */
	JUDGE_LATENCY,
	JUDGE_BOTH_SUM, /* of both directions at once */
	JUDGE_FIGURES,
};
size_t judge_histogram(const struct judge *judge, uint16_t rail, enum judge_figure figure,
		       struct judge_bar *bars, size_t most);
/* Median of the rail, of what both ends sent; unknown without results. */
struct real judge_median(const struct judge *judge, uint16_t rail, enum judge_figure figure);

/* For progress: results so far, bad ones among them, and the lowest bandwidth by its median. */
struct judge_progress {
	uint64_t results, bad;
	struct real worst_share;
};
void judge_progress(const struct judge *judge, struct judge_progress *ret_progress);
