/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The coordinator: one thread that listens for agents, authenticates with each of them by the token
 * in both directions, waits until the hosts have come, and then has rounds of pairs tested. Its
 * calls block, and serve all connections meanwhile with epoll(7). It prints nothing: events go to
 * callbacks, as clean text. Everything that a stranger or an agent can make it store is bounded.
 */
#pragma once

#include "base/cleanup.h"
#include "mesh/form/rows.h"
#include "mesh/judge/judge.h"
#include "mesh/mesh.h"
#include "mesh/plan/plan.h"
#include "schema/problem.h"
#include "schema/value.h"

struct coordinator;

/* Borrowed: must outlive the coordinator. 0 and NULL select the defaults. */
struct coordinator_setup {
	const char *token;
	struct ip_address bind; /* family 0: every address */
	uint16_t port;		/* 0: any free port */
	/* Hosts to wait for: their names, or only their number; with neither, all that come. */
	const struct strings *names;
	uint32_t host_count;
	uint32_t wait_msec; /* how long to wait for them; 0: 60 s */
	/* without names and number: the wait ends when nobody came for this long; 0: 5 s */
	uint32_t settle_msec;
	uint32_t silence_msec; /* a side that hears nothing for this long gives up; 0: 20 s */
	uint32_t timeout_msec; /* limit of each order; 0: the longest that the protocol knows */
	bool doctor;	       /* agents check their hosts first */
	bool busy;	       /* hosts whose rails are in use by others may take part */
	int signals;	       /* signalfd that ends everything; -1: none */
	/* Receives a line about strangers, refused agents and the like. */
	void (*say)(void *context, const char *line);
	/* A host came, was refused or was lost. */
	void (*changed)(void *context, const struct mesh_host *host);
	/* A finding of the doctor on a host. */
	void (*found)(void *context, const struct mesh_host *host, const char *check,
		      const struct finding *finding);
	/* Called at least once a second, to show progress. */
	void (*tick)(void *context);
	void *context;
};

/*
 * Returns 0, or -errno if it cannot listen; the caller frees *ret_reason and *ret_hint (which may
 * stay NULL).
 */
int coordinator_open(const struct coordinator_setup *setup, struct coordinator **ret_coordinator,
		     char **ret_reason, char **ret_hint);
void coordinator_free(struct coordinator *coordinator);
DEFINE_CLEANUP(struct coordinator, coordinator_free)
uint16_t coordinator_port(const struct coordinator *coordinator);
/* Calls `ready` whenever the descriptor is readable; NULL stops that. */
int coordinator_watch(struct coordinator *coordinator, int fd, void (*ready)(void *context, int fd),
		      void *context);
/* The launcher has ended: hosts that are still missing get `grace_msec` more. */
void coordinator_launcher_ended(struct coordinator *coordinator, uint32_t grace_msec);

/*
 * Waits for the hosts. Afterwards their order is fixed: that of the names, else by rank, else by
 * name; late agents are refused. Returns 0 if as many came as were asked for, -ETIMEDOUT if some
 * are absent, -EINTR on a signal.
 */
int coordinator_gather(struct coordinator *coordinator);
/* All hosts that were named or came, including absent, refused and lost ones. */
const struct mesh_host *coordinator_hosts(const struct coordinator *coordinator,
					  uint32_t *ret_count);

/* Pairs that are tested at the same time. */
struct coordinator_round {
	const struct mesh_pair *pairs;
	size_t count;
	uint32_t tests; /* enum mesh_test */
	uint32_t stage, number;
	bool again;
	uint32_t latency_msec, bandwidth_msec; /* limit of each measurement */
	uint32_t timeout_msec;		       /* of each order */
	/* Called once for each pair, in any order; immediately for pairs of hosts that are gone. */
	void (*take)(void *context, const struct mesh_result *result);
	void *context;
};

/* Returns when each pair has its result: 0, or -EINTR on a signal, with the rest untried. */
int coordinator_round(struct coordinator *coordinator, const struct coordinator_round *round);
/* Says goodbye to all agents and waits for them to leave, for at most `msec`. */
void coordinator_dismiss(struct coordinator *coordinator, uint32_t msec);

/* Totals so far. */
struct coordinator_cost {
	uint64_t messages_in, messages_out;
	uint64_t bytes_in, bytes_out;
	uint64_t lost, refused; /* hosts */
	uint64_t strangers;	/* connections that ended before they became a host */
	uint64_t tokenless;	/* agents without a token */
};

struct coordinator_cost coordinator_cost(const struct coordinator *coordinator);

/*
 * A session: runs the stages of a plan, round by round, on the rails that have passed so far; pairs
 * up hosts whose partner was lost; finally runs the second pass. Results go to the judge and to the
 * caller. The setup is borrowed: it must outlive the call. 0 and NULL select the defaults.
 */
struct session_setup {
	struct coordinator *coordinator;
	const struct plan *plan;
	struct judge *judge;
	const struct judge_fabric *fabric;
	uint64_t seed;
	bool one_rail;
	uint32_t tests; /* enum mesh_test; 0: MESH_TESTS */
	uint32_t latency_msec, bandwidth_msec, timeout_msec;
	uint64_t budget_msec; /* pairs that do not fit are omitted; 0: no limit */
	uint32_t most_pairs;  /* at the same time; 0: no limit */
	/* The pairs that have results of an earlier run; those that are tested again leave it. */
	struct mesh_done *done; /* or NULL */
	/* The judge has begun a stage, and may be given results of an earlier run now; or NULL. */
	void (*begin)(void *context, uint32_t stage);
	void (*result)(void *context, const struct mesh_result *result);
	void (*end_round)(void *context); /* or NULL */
	void *context;
};

struct session_outcome {
	bool interrupted;
	uint64_t pairs, rounds;	      /* that were run */
	uint64_t left_out;	      /* pairs that the budget had no time for */
	uint64_t resumed;	      /* pairs that had their results */
	struct strings stages_failed; /* why they could not run, or only in part */
	uint64_t end_msec;	      /* estimated end of the current stage, for progress */
	uint64_t pairs_planned;	      /* in the stages so far */
};

/* Returns 0, or -EINTR on a signal; the outcome is filled in both cases. */
int session_run(const struct session_setup *setup, struct session_outcome *outcome);
/* The tests of a stage, and about how long a pair takes; also used for plans. */
uint32_t session_tests(const struct session_setup *setup, enum mesh_mode mode);
uint32_t session_pair_msec(const struct session_setup *setup, uint32_t tests);
