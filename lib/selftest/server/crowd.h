/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the clients of a server share, and how much of it one of them may take: processes, places,
 * memory, lines in the log. A connection is a guest until its handshake has succeeded, so that
 * those who say nothing take no client's place.
 */
#pragma once

#include <stdatomic.h>
#include <sys/types.h>

#include "selftest/server/server_client.h"

/*
 * Guests at the same time, or as many as there may be clients, if these are more: so many may come
 * at once, as the senders of a mesh do, and none of them is to go for another.
 */
#define CROWD_MOST_GUESTS 64u
/* So many of one address or of one IPv6 network of 64 bits, or half as many as clients. */
#define CROWD_MOST_GUESTS_OF_NETWORK (CROWD_MOST_GUESTS / 4)
/* Room for processes that were told to end and still exist. */
#define CROWD_MOST_ENDING 32u

enum served_state { SERVED_NOBODY, SERVED_GUEST, SERVED_CLIENT };

/* A process that serves a connection, at its place. */
struct served {
	enum served_state state;
	pid_t pid;
	int line; /* a socket to the process; -1: it has closed its end */
	struct ip_address address;
	uint64_t since_msec, end_msec; /* it is killed then */
	const char *ended;	       /* why the server killed it, or NULL */
	bool asks;		       /* the guest, to become a client */
	bool reported;
	struct serve_report report;
};

/* Memory of all clients, in the memory that all processes share: bytes by place. */
struct budget {
	uint64_t most;
	size_t places;
	atomic_uint_fast64_t *used;
};

struct crowd {
	struct served *places;
	size_t place_count, most_clients;
	/* Another guest, and the oldest has to go: the oldest of its network, or of the largest. */
	size_t most_guests, most_guests_of_network;
	bool once;
	struct budget budget;
};

/* A line for the log may be written: first `burst` of them, then one each second. */
struct log_limit {
	uint64_t credit_msec; /* a line costs 1000 */
	uint64_t last_msec;   /* 0: no line yet */
	uint64_t left_out;
};

int crowd_open(size_t most_clients, bool once, uint64_t most_bytes, struct crowd *ret_crowd);
void crowd_close(struct crowd *crowd);
bool crowd_has_processes(const struct crowd *crowd);
/* Whether there is no place for another client. */
bool crowd_is_full(const struct crowd *crowd);
/* A free place, or NULL. */
struct served *crowd_place(struct crowd *crowd);
/*
 * The guest that has to go before another one of this address comes: the oldest of the network
 * with most guests, or of the address's own network if that has its share already. NULL: none.
 */
struct served *crowd_find_surplus(struct crowd *crowd, const struct ip_address *address);
/* Why the guest cannot become a client, or NULL if he can. The caller frees it. */
char *crowd_refusal(const struct crowd *crowd, const struct served *guest);
/* The guest is a client from now on. */
void crowd_admit(struct crowd *crowd, struct served *guest);
/* The process has ended, and what it held is free. */
void crowd_leave(struct crowd *crowd, struct served *served);

/*
 * Counts memory of the client at that place, negative bytes when it is free again. -ENOMEM: all
 * clients together, or this one, would have too much. What a place holds is all that there is, so
 * a process that dies in between leaves no error in a sum.
 */
int budget_take(struct budget *budget, size_t place, int64_t bytes);

/* Whether a line may be written; if not, it counts among those that were left out. */
bool log_limit_take(struct log_limit *limit, uint64_t now_msec);
