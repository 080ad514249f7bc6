/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which pairs are tested, and in which order. A plan is a list of stages, each with a mode. A stage
 * becomes a schedule when it begins, because only rails that have passed so far take part. A
 * schedule consists of rounds: within a round, a rail of a host is in at most one pair, except as
 * the receiver of an incast. The pairs of a round are computed on demand, so that a full mesh of
 * 10,000 hosts takes no more memory than a ring of them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mesh/mesh.h"

/* The switch of a port is unknown. */
#define MESH_NO_SWITCH UINT32_MAX

enum mesh_mode {
	MESH_LOOPBACK,	   /* each rail with itself */
	MESH_RING,	   /* each host with the next one, the last with the first */
	MESH_SAMPLE,	   /* `count` random matchings that share no pair */
	MESH_BISECTION,	   /* the first half of the hosts with the second; `count` times, shifted */
	MESH_BY_SWITCH,	   /* `count` matchings within each switch */
	MESH_CROSS_SWITCH, /* `count` matchings of hosts at different switches */
	MESH_FULL,	   /* each pair */
	MESH_INCAST, /* `count` senders to a receiver at once; each host is the receiver once */
	MESH_PAIRS,  /* the pairs of a file */
	MESH_MODES,
};

/* The word for each mode in a plan, and a line of help. Ends with a NULL word. */
extern const struct enum_name mesh_mode_names[];

struct plan_stage {
	enum mesh_mode mode;
	uint32_t count;
	char *path; /* for MESH_PAIRS; else NULL */
	/* The pairs of that file, once plan_read_pairs() has read it. Owned. */
	struct mesh_pair *pairs;
	size_t pair_count;
};

struct plan {
	struct plan_stage *stages;
	size_t count;
};

#define PLAN_DEFAULT	 "loopback,ring,sample:6"
#define PLAN_MOST_STAGES 32u
#define PLAN_MOST_COUNT	 65536u
/* Instead of both rails of a pair: each rail with the same one of the other host. */
#define PLAN_ALL_RAILS UINT16_MAX

/*
 * Parses `loopback,ring,sample:6,pairs:FILE`; the path of a file cannot contain a comma. Returns 0,
 * or -EINVAL with a message and perhaps a next step, to be freed.
 */
int plan_parse(const char *text, struct plan *ret_plan, char **ret_message, char **ret_hint);
void plan_clear(struct plan *plan);

/* Limit on the pairs in a file; a full mesh of 2,000 hosts has 2 million. */
#define PLAN_MOST_PAIRS 4000000u
/*
 * Fills the pairs of a stage from the text of its file: `n1 n2` or `n1/0 n2/3` on each line. Rails
 * are numbered from 0; without a number, all of them are meant. Text after # is ignored. Returns 0,
 * or -EINVAL with a message that names the line, to be freed.
 */
int plan_read_pairs(const char *text, size_t length, const struct mesh_host *hosts,
		    uint32_t host_count, struct plan_stage *stage, char **ret_message);
/* A message about pairs whose rails the hosts turned out not to have, to be freed; or NULL. */
char *plan_missing_rails(const struct plan_stage *stage, const struct mesh_host *hosts);
/* The stage as text, `sample:6`, to be freed. */
char *plan_stage_text(const struct plan_stage *stage);

/* The hosts and rails of a stage, all borrowed until the schedule is freed. */
struct plan_scope {
	const struct mesh_host *hosts;
	uint32_t host_count;
	/* The rails of each host that take part, as bits; NULL: all rails of present hosts. */
	const uint16_t *rails;
	/*
	 * At host * MESH_MOST_RAILS + rail: number of the switch that the port is cabled to, or
	 * MESH_NO_SWITCH; NULL: unknown. With it, hosts at the same switch are neighbours in a ring
	 * and in the halves of a bisection.
	 */
	const uint32_t *switches;
	uint64_t seed;
	bool one_rail; /* one rail after the other instead of all side by side */
};

struct schedule;

/*
 * Returns 0, or -EINVAL with a message, to be freed: the mode needs something that is unknown, or
 * an incast has more senders than a host can serve.
 */
int schedule_new(const struct plan_stage *stage, const struct plan_scope *scope,
		 struct schedule **ret_schedule, char **ret_message);
void schedule_free(struct schedule *schedule);
uint32_t schedule_rounds(const struct schedule *schedule);
/* The most pairs of any round, and the pairs of all rounds together. */
size_t schedule_most_pairs(const struct schedule *schedule);
uint64_t schedule_all_pairs(const struct schedule *schedule);
/* Fills the array with the pairs of a round, counted from 0; returns their number. */
size_t schedule_round(const struct schedule *schedule, uint32_t round, struct mesh_pair *pairs);

/* Pseudorandom numbers that depend on the seed alone: the same on every machine. */
uint64_t random_next(uint64_t *state);
