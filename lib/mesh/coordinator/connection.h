/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The inside of a coordinator: its connections, from a stranger to the agent of a host. */
#pragma once

#include "mesh/coordinator/coordinator.h"
#include "mesh/wire/channel.h"
#include "mesh/wire/shake.h"
#include "selftest/server/crowd.h"

/* Connections that have not proven the token, at the same time. */
#define MOST_GUESTS 512u
/* Others of this program that epoll waits for: the launcher's pipes and the like. */
#define MOST_WATCHES 8u

enum connection_state {
	CONNECTION_FREE,
	CONNECTION_STRANGER, /* has not said hello */
	CONNECTION_GUEST,    /* has not proven the token */
	CONNECTION_ADMITTED, /* has not said who it is */
	CONNECTION_ENTERING, /* has not finished saying so */
	CONNECTION_MEMBER,   /* the agent of a host that takes part */
	CONNECTION_LEAVING,  /* refused, or dismissed: closed when all is sent */
};

struct connection {
	enum connection_state state;
	bool wants_write;
	struct mesh_channel channel;
	struct ip_address address, local; /* of the other end, and of ours */
	struct mesh_shake *shake;	  /* until the token is proven */
	char *name;			  /* of its hello, clean; until it is a host */
	uint64_t since_msec, end_msec;	  /* of the state; what has not passed it by then ends */
	uint64_t ping_msec;		  /* when the last one was sent */
	uint64_t pinged, ponged;	  /* numbers of the last ones */
	uint32_t host;			  /* CONNECTION_ENTERING and CONNECTION_MEMBER */
	uint32_t rails, findings;	  /* that have come */
	uint32_t protocol;		  /* MESH_PROTOCOL of both, since CONNECTION_ADMITTED */
};

struct watch_of_caller {
	int fd; /* -1: none */
	void (*ready)(void *context, int fd);
	void *context;
};

#define NO_SLOT UINT32_MAX

/* What has become of a pair of the round. */
struct slot {
	uint32_t next; /* of the same client; NO_SLOT: it is the last one */
	bool done;     /* answered, or given up */
	bool doubted;  /* it has a doubt */
};

/* A failure: counts when both agents have shown that they are alive. */
struct doubt {
	struct doubt *next;
	size_t slot;
	uint64_t pings[MESH_ENDS]; /* the numbers that they have to answer for that */
	struct mesh_result result;
};

struct coordinator {
	struct coordinator_setup setup;
	int epoll, listener;
	uint16_t port;
	bool interrupted;
	bool begun;	/* the hosts are known, who comes later is refused */
	bool exhausted; /* it was said that descriptors or memory ran out */
	uint64_t pause_end_msec, tick_msec;
	struct connection *connections;
	size_t connection_count;
	uint32_t *free_list; /* of connections */
	size_t free_count;
	size_t guests; /* strangers and guests */
	struct mesh_host *hosts;
	uint32_t *host_connections; /* UINT32_MAX: none */
	size_t host_count;
	uint32_t *name_heads, *name_next; /* hosts by the hash of their names */
	uint32_t seats;
	uint64_t arrival_msec;	    /* of the last host */
	uint64_t launcher_end_msec; /* hosts are not waited for any longer; 0: the launcher runs */
	struct watch_of_caller watches[MOST_WATCHES];
	struct log_limit strangers;
	struct coordinator_cost cost;
	/* The current round. */
	const struct coordinator_round *round;
	struct slot *slots;
	size_t slot_count, open_slots;
	struct doubt *doubts;
	bool heard; /* a ping was answered in this turn */
	uint32_t generation;
	uint64_t ping_number;
};

#define NO_CONNECTION UINT32_MAX
#define NAME_HEADS    (1u << 14)

/* connection.c */
/* A new one on that socket, which it owns; -ENOSPC or -errno. */
int connection_add(struct coordinator *coordinator, int channel, const struct ip_address *address);
/* Frees it, and its host is lost: `why` is a sentence, or NULL: it is only closed. */
void connection_end(struct coordinator *coordinator, struct connection *connection,
		    const char *why);
/* Adds what has gone over it. */
void connection_add_cost(const struct connection *connection, struct coordinator_cost *cost);
/* Sends what waits; ends it if that is impossible. */
void connection_flush(struct coordinator *coordinator, struct connection *connection);
/* Queues a message; ends it if it reads too slowly. False: it has ended. */
bool connection_put(struct coordinator *coordinator, struct connection *connection,
		    const struct mesh_message *message);
/* Tells the other side why, and ends it as soon as that is sent. */
void connection_refuse(struct coordinator *coordinator, struct connection *connection,
		       enum mesh_refusal refusal, const char *text, const char *hint);
/* Reads, and passes messages on. */
void connection_ready(struct coordinator *coordinator, struct connection *connection);
/* Ends what is late or silent, and pings the others. */
void connections_tick(struct coordinator *coordinator, uint64_t now_msec);
void connection_ping(struct coordinator *coordinator, struct connection *connection);
/* The connection of a host, or NULL. */
struct connection *connection_of(struct coordinator *coordinator, uint32_t host);

/* entry.c */
/* Takes a message of a connection that is no member yet. */
void entry_take(struct coordinator *coordinator, struct connection *connection,
		const struct mesh_message *message);
/* A line about a connection, if there are not too many of them. */
void coordinator_say(struct coordinator *coordinator, const struct connection *connection,
		     char *text);

/* names.c */
/* The host of that name, with or without a domain; NO_CONNECTION: there is none. */
uint32_t names_find(const struct coordinator *coordinator, const char *name);
/* A new host; NO_CONNECTION: there are too many. */
uint32_t names_add(struct coordinator *coordinator, const char *name);
/* After the hosts were put in another order. */
void names_rebuild(struct coordinator *coordinator);

/* round.c */
/* `both`: what comes with an answer to an order with MESH_BOTH_WAYS; or NULL. */
void round_take(struct coordinator *coordinator, struct connection *connection,
		const struct mesh_answer *answer, const struct mesh_both_answer *both);
/* Gives up the orders that need the host. */
void round_lose(struct coordinator *coordinator, uint32_t host);
/* After a turn in which pings were answered. */
void round_heard(struct coordinator *coordinator);

/* coordinator.c */
/* Serves events for at most so long. */
void coordinator_turn(struct coordinator *coordinator, uint64_t end_msec);
