/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cmd/mesh/mesh_run.h"
#include "mesh/wire/mesh_message.h"

#define DEFAULT_BANDWIDTH_MSEC 500u
#define DEFAULT_LATENCY_MSEC   200u
#define DEFAULT_PAIR_MSEC      30000u
#define PAIR_SPARE_MSEC	       10000u /* beyond what is measured, if that takes longer */
#define MOST_SILENCE_MSEC      600000u
#define MOST_RETRY_PAIRS       1000000u

const struct option_row mesh_agent_options[] = {
	STRING_OPTION(struct mesh_args, agent, 0, "agent", "ADDRESS:PORT", COMPLETE_NOTHING,
		      "be the agent of this host, for the coordinator there"),
	STRING_OPTION(struct mesh_args, name, 0, "name", "TEXT", COMPLETE_NOTHING,
		      "name of the host, instead of the system's"),
	STRING_OPTION(struct mesh_args, rehearse, 0, "rehearse", "FILE", COMPLETE_FILE,
		      "invent results as the file says, without RDMA"),
	STRING_OPTION(struct mesh_args, token_file, 0, "token-file", "FILE", COMPLETE_FILE,
		      "file of the token, if neither the environment nor standard input has it"),
	NUMBER_OPTION(DURATION, struct mesh_args, wait, 0, "wait", "TIME", 1, UINT32_MAX,
		      "how long to try to reach the coordinator (60s)"),
	{.name = NULL},
};

#define HOST_OPTIONS                                                                               \
	STRING_OPTION(struct mesh_args, hosts, 0, "hosts", "N|LIST", COMPLETE_NOTHING,             \
		      "hosts to wait for: how many, or their names"),                              \
		STRING_OPTION(struct mesh_args, address, 0, "address", "ADDRESS",                  \
			      COMPLETE_NOTHING,                                                    \
			      "address that agents connect to; if not a name, listen on it only"), \
		NUMBER_OPTION(COUNT, struct mesh_args, port, 0, "port", "N", 1, UINT16_MAX,        \
			      "TCP port of the coordinator"),                                      \
		NUMBER_OPTION(DURATION, struct mesh_args, wait, 0, "wait", "TIME", 1, UINT32_MAX,  \
			      "how long to wait for the hosts (60s)"),                             \
		NUMBER_OPTION(DURATION, struct mesh_args, silence, 0, "silence", "TIME",           \
			      MESH_LEAST_SILENCE_MSEC, MOST_SILENCE_MSEC,                          \
			      "give up on a host that is silent for this long (20s)"),             \
		FLAG_OPTION(struct mesh_args, busy, 0, "busy",                                     \
			    "also take hosts on which other programs use RDMA"),                   \
		FLAG_OPTION(struct mesh_args, doctor, 0, "doctor",                                 \
			    "run the checks of rdmactl doctor on each host first"),                \
		STRING_OPTION(struct mesh_args, rehearse, 0, "rehearse", "FILE", COMPLETE_FILE,    \
			      "agents invent results as the file says, without RDMA"),             \
		STRING_OPTION(struct mesh_args, name, 0, "name", "TEXT", COMPLETE_NOTHING,         \
			      "name of each host, with the launcher's placeholders: %h"),          \
		STRING_OPTION(struct mesh_args, token_file, 0, "token-file", "FILE",               \
			      COMPLETE_FILE,                                                       \
			      "file of the token, on a file system that all hosts share")

const struct option_row mesh_run_options[] = {
	HOST_OPTIONS,
	STRING_OPTION(struct mesh_args, program, 0, "program", "PATH", COMPLETE_FILE,
		      "path of rdmactl on the hosts, if it is not the same as here"),
	{.name = NULL},
};

const struct option_row mesh_step_options[] = {
	HOST_OPTIONS,
	STRING_OPTION(struct mesh_args, coordinator, 0, "coordinator", "HOST:PORT",
		      COMPLETE_NOTHING, "host of task 0, if the launcher does not provide it"),
	{.name = NULL},
};

const struct option_row mesh_test_options[] = {
	STRING_OPTION(struct mesh_args, stages, 0, "stages", "LIST", COMPLETE_NOTHING,
		      "stages of the plan (" PLAN_DEFAULT ")"),
	NUMBER_OPTION(COUNT, struct mesh_args, seed, 0, "seed", "N", 0, 0,
		      "seed of random matchings, to repeat a run"),
	FLAG_OPTION(struct mesh_args, one_rail, 0, "one-rail",
		    "test one rail after the other instead of all in parallel"),
	FLAG_OPTION(struct mesh_args, both_ways, 0, "both-ways",
		    "then also measure both directions at once"),
	FLAG_OPTION(struct mesh_args, no_bandwidth, 0, "no-bandwidth",
		    "only test data and latency, without load"),
	FLAG_OPTION(struct mesh_args, connect_only, 0, "connect-only",
		    "only test whether data arrives, without measuring"),
	NUMBER_OPTION(DURATION, struct mesh_args, duration, 0, "duration", "TIME", 1, LIMIT_MSEC,
		      "how long to measure bandwidth in each direction (500ms)"),
	NUMBER_OPTION(DURATION, struct mesh_args, latency_duration, 0, "latency-duration", "TIME",
		      1, LIMIT_MSEC, "how long to measure latency (200ms)"),
	NUMBER_OPTION(DURATION, struct mesh_args, order_timeout, 0, "pair-timeout", "TIME", 1,
		      LIMIT_MSEC, "time limit of a pair (30s, or 10s more than it measures)"),
	NUMBER_OPTION(DURATION, struct mesh_args, budget, 0, "budget", "TIME", 1, 0,
		      "run what fits into this time, and report what does not"),
	NUMBER_OPTION(COUNT, struct mesh_args, most_pairs, 0, "max-pairs", "N", 1, MOST_RETRY_PAIRS,
		      "maximum number of pairs at a time"),
	{.name = NULL},
};

static const struct enum_name exclude_forms[] = {
	{EXCLUDE_LIST, "nodes", TONE_PLAIN, "a folded list, for srun --exclude and clush -x"},
	{EXCLUDE_SLURM, "slurm", TONE_PLAIN, "scontrol commands that drain them"},
	{0, NULL},
};

const struct option_row mesh_output_options[] = {
	STRING_OPTION(struct mesh_args, fabric, 0, "fabric", "FILE", COMPLETE_FILE,
		      "a scan of the subnet (fabric scan --routes --save): switches, cables"),
	REAL_OPTION(struct mesh_args, least_share, 0, "bandwidth-share", "N",
		    "bandwidth below this part of the median is bad (0.93)"),
	REAL_OPTION(struct mesh_args, latency_factor, 0, "latency-factor", "N",
		    "latency above this multiple of the median is bad (2.1)"),
	STRING_OPTION(struct mesh_args, save, 0, "save", "FILE", COMPLETE_FILE,
		      "write each result to this file as it arrives, as a line of JSON"),
	STRING_OPTION(struct mesh_args, resume, 0, "resume", "FILE", COMPLETE_FILE,
		      "continue a run that was saved there, and add to it"),
	CHOICE_OPTION(struct mesh_args, exclude_list, 0, "exclude-list", "FORM", exclude_forms,
		      "print only the hosts that a job should avoid"),
	STRING_OPTION(struct mesh_args, heat_map, 0, "heat-map", "FILE", COMPLETE_FILE,
		      "write a picture of all pairs, as SVG"),
	FLAG_OPTION(struct mesh_args, map, 0, "map", "also print a map of all pairs"),
	FLAG_OPTION(struct mesh_args, histogram, 0, "histogram",
		    "also print the distributions of each rail"),
	{.name = NULL},
};

#define MEASURING "duration latency-duration bandwidth-share latency-factor"

const struct option_rule mesh_rules[] = {
	OPTIONS_EXCLUDE("no-bandwidth", "duration bandwidth-share connect-only both-ways", NULL),
	OPTIONS_EXCLUDE("connect-only", MEASURING " both-ways", NULL),
	OPTIONS_ONE_OF("save resume", NULL),
	OPTIONS_EXCLUDE("exclude-list", "json jsonl tsv columns map histogram", NULL),
	OPTIONS_EXCLUDE("map histogram", "json jsonl tsv columns", NULL),
	{.options = NULL},
};

static uint32_t or_default(const struct number *number, uint32_t otherwise)
{
	return number->known ? (uint32_t)number->value : otherwise;
}

bool mesh_work_tests(const struct mesh_args *args, struct session_setup *setup)
{
	uint32_t least_msec;

	setup->tests = args->connect_only   ? MESH_CONNECT
		       : args->no_bandwidth ? MESH_CONNECT | MESH_LATENCY
		       : args->both_ways    ? MESH_ALL_TESTS
					    : MESH_TESTS;
	setup->latency_msec = or_default(&args->latency_duration, DEFAULT_LATENCY_MSEC);
	setup->bandwidth_msec = or_default(&args->duration, DEFAULT_BANDWIDTH_MSEC);
	least_msec = session_pair_msec(setup, setup->tests);
	setup->timeout_msec = least_msec + PAIR_SPARE_MSEC;
	if (setup->timeout_msec < DEFAULT_PAIR_MSEC)
		setup->timeout_msec = DEFAULT_PAIR_MSEC;
	if (setup->timeout_msec > LIMIT_MSEC)
		setup->timeout_msec = LIMIT_MSEC;
	setup->timeout_msec = or_default(&args->order_timeout, setup->timeout_msec);
	return setup->timeout_msec >= least_msec;
}

bool mesh_check_pair_time(struct listing *listing, const struct mesh_args *args)
{
	struct session_setup setup = {.tests = 0};
	uint32_t msec;

	if (mesh_work_tests(args, &setup))
		return true;
	msec = session_pair_msec(&setup, setup.tests);
	return listing_fail_format(listing, STATUS_USAGE,
				   msec > LIMIT_MSEC ? "measure for a shorter time"
						     : "measure for a shorter time, or wait longer",
				   "a pair takes %.1f s: %s", msec / 1000.0,
				   msec > LIMIT_MSEC ? "it may take at most an hour"
						     : "--pair-timeout is too short for that");
}

/* Checks that agents on other hosts can use the address. */
static bool check_address(struct mesh_work *work)
{
	const char *text = work->args->address;
	struct ip_address address;

	if (!text || ip_parse(text, &address) || !ip_is_link_local(&address))
		return true;
	return listing_fail(&work->listing, STATUS_USAGE,
			    "--address: a link-local address does not lead here from every host",
			    "name one that they have a route to, or omit --address");
}

/*
 * A percentage instead of a share, or a share instead of a multiple, would judge all hosts wrongly.
 */
static bool check_limits(struct mesh_work *work)
{
	const struct mesh_args *args = work->args;

	if (args->least_share.known && args->least_share.value > 1)
		listing_fail(&work->listing, STATUS_USAGE,
			     "--bandwidth-share: a part of the median is at most 1",
			     "--bandwidth-share 0.9: below 90 % of the median is bad");
	else if (args->latency_factor.known && args->latency_factor.value < 1)
		listing_fail(&work->listing, STATUS_USAGE,
			     "--latency-factor: a multiple of the median is at least 1",
			     "--latency-factor 2: above twice the median is bad");
	else
		return true;
	return false;
}

/* The pairs are read once the hosts have come: a typing error should not cost that time. */
static bool check_pairs(struct mesh_work *work)
{
	for (size_t i = 0; i < work->plan.count; i++) {
		const char *path = work->plan.stages[i].path;

		if (path && strcmp(path, "-") && access(path, R_OK))
			return listing_fail_format(&work->listing, STATUS_FAILED, NULL,
						   "--stages pairs:%s: %s", path, strerror(errno));
	}
	return true;
}

bool mesh_work_check_args(struct mesh_work *work)
{
	return mesh_check_pair_time(&work->listing, work->args) && check_address(work) &&
	       check_limits(work) && check_pairs(work);
}
