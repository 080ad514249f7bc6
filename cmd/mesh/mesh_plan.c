/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl mesh plan: stages, rounds, time and traffic, without running anything. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/mesh/mesh_run.h"
#include "schema/rows.h"

#define DEFAULT_PLAN_RATE_GBPS 100.0

struct planned_stage {
	char *stage;
	struct number rounds, pairs, most_pairs, pairs_left_out;
	struct real seconds, traffic_gbytes;
};

#define RECORD struct planned_stage
static const struct field fields[] = {
	TEXT(stage, "STAGE", SHOWN, 0, "mode, with its number"),
	NUMBER(rounds, "ROUNDS", SHOWN, 0, "rounds, one after the other"),
	NUMBER(pairs, "PAIRS", SHOWN, 0, "pairs of all rounds"),
	NUMBER(most_pairs, "AT ONCE", SHOWN, 0, "pairs of the largest round"),
	REAL(seconds, "SECONDS", SHOWN, 0, "approximate duration"),
	REAL(traffic_gbytes, "GB", SHOWN, 0, "approximate amount of data sent, in 10^9 bytes"),
	NUMBER(pairs_left_out, "LEFT OUT", SHOWN, 0, "pairs for which --budget has no time"),
};
#undef RECORD

static const struct schema plan_schema = SCHEMA("mesh_plan", struct planned_stage, fields,
						"a stage of a plan");

struct estimate {
	const struct mesh_args *args;
	struct session_setup session;
	uint64_t spent_msec;
};

/* How long data flows, counting each direction: one after the other and then both at once. */
static double seconds_of_data(const struct estimate *estimate, uint32_t tests)
{
	const uint32_t directions = (tests & MESH_BANDWIDTH ? 2 : 0) +
				    (tests & MESH_BOTH_WAYS ? 2 : 0);

	return (double)directions * estimate->session.bandwidth_msec / 1000;
}

/* How many pairs share a rail: the senders of an incast share that of their receiver. */
static double pairs_of_rail(const struct estimate *estimate, const struct plan_stage *stage)
{
	const uint64_t others = estimate->args->host_count.value - 1;

	if (stage->mode != MESH_INCAST || !others)
		return 1;
	return (double)(stage->count < others ? stage->count : others);
}

static void fill_stage(struct estimate *estimate, const struct plan_stage *stage,
		       const struct schedule *schedule, struct planned_stage *planned)
{
	const struct mesh_args *args = estimate->args;
	const uint32_t tests = session_tests(&estimate->session, stage->mode);
	const uint64_t each = session_pair_msec(&estimate->session, tests);
	const uint64_t rounds = schedule_rounds(schedule), pairs = schedule_all_pairs(schedule);
	const size_t most = schedule_most_pairs(schedule);
	const uint64_t parts = args->most_pairs.known ? (most + args->most_pairs.value - 1) /
								args->most_pairs.value
						      : 1;
	const uint64_t left = !args->budget.known ? UINT64_MAX
			      : args->budget.value > estimate->spent_msec
				      ? args->budget.value - estimate->spent_msec
				      : 0;
	const uint64_t fit = left / (each * (parts ?: 1)) < rounds ? left / (each * (parts ?: 1))
								   : rounds;
	const double gbps = args->rate.known ? args->rate.value : DEFAULT_PLAN_RATE_GBPS;
	const double seconds = seconds_of_data(estimate, tests);

	planned->rounds = number_of(rounds);
	planned->pairs = number_of(pairs);
	planned->most_pairs = number_of(most);
	planned->seconds = real_of((double)(fit * parts * each) / 1000);
	planned->pairs_left_out = number_of(rounds ? pairs * (rounds - fit) / rounds : 0);
	planned->traffic_gbytes = real_of((double)(pairs - planned->pairs_left_out.value) *
					  seconds * gbps / 8 / pairs_of_rail(estimate, stage));
	estimate->spent_msec += fit * parts * each;
}

static bool plan_stage(struct listing *listing, struct estimate *estimate,
		       const struct plan_stage *stage, const struct plan_scope *scope,
		       struct planned_stage *planned)
{
	_cleanup_(freep) char *message = NULL, *line = NULL;
	struct schedule *schedule = NULL;

	planned->stage = plan_stage_text(stage);
	if (stage->mode == MESH_PAIRS)
		message = mem_string(
			"its pairs name hosts, which are known only once they have joined");
	if (message || schedule_new(stage, scope, &schedule, &message)) {
		line = mem_format("%s: %s", planned->stage, message);
		problem_add_text(&listing->problems, NULL, NULL, NULL, line, NULL);
		return false;
	}
	fill_stage(estimate, stage, schedule, planned);
	schedule_free(schedule);
	return true;
}

static void plan_all(struct listing *listing, const struct mesh_args *args, const struct plan *plan,
		     struct planned_stage *planned)
{
	const uint32_t count = args->host_count.known ? (uint32_t)args->host_count.value : 0;
	const uint32_t rails = args->rails.known ? (uint32_t)args->rails.value : 1;
	_cleanup_(freep) struct mesh_host *hosts = mem_alloc_zero(count, sizeof(*hosts));
	struct estimate estimate = {.args = args};
	const struct plan_scope scope = {
		.hosts = hosts,
		.host_count = count,
		.seed = args->seed.known ? args->seed.value : 1,
		.one_rail = args->one_rail,
	};

	for (uint32_t i = 0; i < count; i++)
		hosts[i] = (struct mesh_host){.presence = MESH_PRESENT, .rail_count = rails};
	mesh_work_tests(args, &estimate.session);
	for (size_t i = 0; i < plan->count; i++)
		if (plan_stage(listing, &estimate, &plan->stages[i], &scope, &planned[i]))
			listing_add(listing, &planned[i]);
}

static int run(const struct ctx *ctx, const void *mesh_args, char **objects)
{
	const struct mesh_args *args = mesh_args;
	_cleanup_(freep) char *message = NULL, *hint = NULL;
	struct planned_stage planned[PLAN_MOST_STAGES] = {{.stage = NULL}};
	_cleanup_(plan_clear) struct plan plan = {.count = 0};
	struct listing listing;
	int status;

	(void)objects;
	if (listing_begin_as(&listing, ctx, &plan_schema, false)) {
		if (!args->host_count.known)
			listing_fail(&listing, STATUS_USAGE, "for how many hosts?",
				     "rdmactl mesh plan --hosts 1000 --rails 8");
		else if (plan_parse(args->stages ?: PLAN_DEFAULT, &plan, &message, &hint))
			listing_fail(&listing, STATUS_USAGE, message, hint);
		else if (mesh_check_pair_time(&listing, args))
			plan_all(&listing, args, &plan, planned);
	}
	status = listing_end(&listing);
	for (size_t i = 0; i < PLAN_MOST_STAGES; i++)
		free(planned[i].stage);
	return status;
}

static const struct option_row options[] = {
	NUMBER_OPTION(COUNT, struct mesh_args, host_count, 0, "hosts", "N", 1, MESH_MOST_HOSTS,
		      "number of hosts"),
	NUMBER_OPTION(COUNT, struct mesh_args, rails, 0, "rails", "N", 1, MESH_MOST_RAILS,
		      "rails of each host (1)"),
	REAL_OPTION(struct mesh_args, rate, 0, "rate", "GBPS",
		    "rate of a rail in Gb/s, for the traffic (100)"),
	{.name = NULL},
};

const struct command mesh_plan_command = {
	.name = "plan",
	.summary = "show what a plan would do, without running it",
	.options = {options, mesh_test_options},
	.args_size = sizeof(struct mesh_args),
	.schema = &plan_schema,
	.run = run,
};
