/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the clients of a server share, and how much of it one client may take: processes, places,
 * memory, lines in the log. A connection is a guest until its handshake has succeeded, so that
 * silent connections take no client's place.
 */
#pragma once

#include <stdatomic.h>
#include <sys/types.h>

#include "selftest/server/server_client.h"

/*
 * Limit on simultaneous guests, unless more clients are allowed: then it is the number of clients.
 * So many may connect at once, like the senders of a mesh, and none may displace another.
 */
#define CROWD_MOST_GUESTS 64u
/* Limit on guests of one IPv4 address or IPv6 /64 network; half the number of clients, if more. */
#define CROWD_MOST_GUESTS_OF_NETWORK (CROWD_MOST_GUESTS / 4)
/* Room for processes that were told to end but still exist. */
#define CROWD_MOST_ENDING 32u

enum served_state { SERVED_NOBODY, SERVED_GUEST, SERVED_CLIENT };

/* A process that serves a connection, at its place. */
struct served {
	enum served_state state;
	pid_t pid;
	int line; /* socket to the process; -1: the process closed its end */
	struct ip_address address;
	uint64_t since_msec, end_msec; /* start, and when it is killed */
	const char *ended;	       /* why the server killed it, or NULL */
	bool asks;		       /* the guest asks to become a client */
	bool reported;
	struct serve_report report;
};

/* Memory of all clients, kept in memory that all processes share: bytes by place. */
struct budget {
	uint64_t most;
	size_t places;
	atomic_uint_fast64_t *used;
};

struct crowd {
	struct served *places;
	size_t place_count, most_clients;
	/* One guest more makes the oldest go, of the same network or of the largest one. */
	size_t most_guests, most_guests_of_network;
	bool once;
	struct budget budget;
};

#define for_each_place(served_, crowd)                 \
	for (struct served *served_ = (crowd)->places; \
	     served_ && served_ < (crowd)->places + (crowd)->place_count; served_++)

/* Rate limit of the log: first a burst of lines, then one per second. */
struct log_limit {
	uint64_t credit_msec; /* a line costs 1000 */
	uint64_t last_msec;   /* 0: no line yet */
	uint64_t left_out;
};

int crowd_open(size_t most_clients, bool once, uint64_t most_bytes, struct crowd *ret_crowd);
void crowd_close(struct crowd *crowd);
bool crowd_has_processes(const struct crowd *crowd);
/* Returns whether there is no place for another client. */
bool crowd_is_full(const struct crowd *crowd);
/* Returns a free place, or NULL. */
struct served *crowd_place(struct crowd *crowd);
/*
 * Returns the guest that must go before another one of this address comes: the oldest of the
 * networks with the most guests, or of the address's own network if that has used up its share.
 * NULL: none.
 */
struct served *crowd_find_surplus(struct crowd *crowd, const struct ip_address *address);
/* Returns why the guest cannot become a client, or NULL if it can. The caller frees the text. */
char *crowd_refusal(const struct crowd *crowd, const struct served *guest);
/* Turns the guest into a client. */
void crowd_admit(struct crowd *crowd, struct served *guest);
/* Frees the place of a process that has ended, and what it held. */
void crowd_leave(struct crowd *crowd, struct served *served);

/*
 * Counts memory of the client at that place; negative bytes give it back. Returns 0, or -ENOMEM if
 * all clients together, or this one, would have too much. Only the places store amounts, so a
 * process that dies in between leaves no error in a sum.
 */
int budget_take(struct budget *budget, size_t place, int64_t bytes);

/* Returns whether a line may be written; if not, the line counts as omitted. */
bool log_limit_take(struct log_limit *limit, uint64_t now_msec);
