/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The coordinator: one thread that listens for agents, proves the token to each and has it proven,
 * waits until the hosts have come, and then has rounds of pairs tested. Its calls block, and serve
 * all connections meanwhile by epoll(7). It prints nothing: what happens goes to callbacks, as
 * clean text. Everything that a stranger or an agent can make it keep is bounded.
 */
#pragma once

#include "base/cleanup.h"
#include "mesh/mesh.h"
#include "schema/problem.h"
#include "schema/value.h"

struct coordinator;

/* Borrowed: it must live as long as the coordinator. 0 and NULL are defaults. */
struct coordinator_setup {
	const char *token;
	struct ip_address bind; /* family 0: every address */
	uint16_t port;		/* 0: a free one */
	/* Hosts to wait for: their names, or only how many; neither: those that come. */
	const struct strings *names;
	uint32_t host_count;
	uint32_t wait_msec;    /* for them; 0: 60 s */
	uint32_t settle_msec;  /* without names and a number: nobody has come for so long; 0: 5 s */
	uint32_t silence_msec; /* a side that hears nothing for so long gives up; 0: 20 s */
	uint32_t timeout_msec; /* no order takes longer; 0: any that the protocol knows */
	bool doctor;	       /* agents check their hosts first */
	bool busy;	       /* hosts whose rails others use may take part */
	int signals;	       /* a signalfd that ends everything; -1: none */
	/* A line about strangers, refused agents and the like. */
	void (*say)(void *context, const char *line);
	/* A host came, was refused or lost. */
	void (*changed)(void *context, const struct mesh_host *host);
	/* What the doctor found on a host. */
	void (*found)(void *context, const struct mesh_host *host, const char *check,
		      const struct finding *finding);
	/* Now and then, at least each second: for progress. */
	void (*tick)(void *context);
	void *context;
};

/* 0; -errno: it cannot listen; *ret_reason and *ret_hint (may stay NULL) are the caller's. */
int coordinator_open(const struct coordinator_setup *setup, struct coordinator **ret_coordinator,
		     char **ret_reason, char **ret_hint);
void coordinator_free(struct coordinator *coordinator);
DEFINE_CLEANUP(struct coordinator, coordinator_free)
uint16_t coordinator_port(const struct coordinator *coordinator);
/* Has `ready` called whenever the descriptor is readable; NULL: no more. */
int coordinator_watch(struct coordinator *coordinator, int fd, void (*ready)(void *context, int fd),
		      void *context);
/* The launcher has ended: hosts that have not come will hardly come after `grace_msec`. */
void coordinator_launcher_ended(struct coordinator *coordinator, uint32_t grace_msec);

/*
 * Waits for the hosts. Afterwards their order is fixed: the order of the names, else by rank, else
 * by name; who comes later is refused. 0: as many came as were asked for; -ETIMEDOUT: some are
 * absent; -EINTR: a signal.
 */
int coordinator_gather(struct coordinator *coordinator);
/* Those that were named or came, also the absent, refused and lost ones. */
const struct mesh_host *coordinator_hosts(const struct coordinator *coordinator,
					  uint32_t *ret_count);

/* Pairs that are tested at the same time. */
struct coordinator_round {
	const struct mesh_pair *pairs;
	size_t count;
	uint32_t tests; /* enum mesh_test */
	uint32_t stage, number;
	bool again;
	uint32_t latency_msec, bandwidth_msec; /* how long each measurement may take */
	uint32_t timeout_msec;		       /* of each order */
	/* Once for each pair, in no order. Pairs of hosts that are gone come at once. */
	void (*take)(void *context, const struct mesh_result *result);
	void *context;
};

/* Returns when each pair has its result. 0, or -EINTR: a signal; the rest is untried. */
int coordinator_round(struct coordinator *coordinator, const struct coordinator_round *round);
/* Says goodbye to all agents and waits until they have left, at most `msec`. */
void coordinator_dismiss(struct coordinator *coordinator, uint32_t msec);

/* What it has cost so far. */
struct coordinator_cost {
	uint64_t messages_in, messages_out;
	uint64_t bytes_in, bytes_out;
	uint64_t lost, refused; /* hosts */
	uint64_t strangers;	/* connections that came to nothing */
	uint64_t tokenless;	/* agents that have no token */
};

struct coordinator_cost coordinator_cost(const struct coordinator *coordinator);
