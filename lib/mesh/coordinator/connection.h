/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Internals of the coordinator: its connections, from a stranger to the agent of a host. */
#pragma once

#include "mesh/coordinator/coordinator.h"
#include "mesh/wire/mesh_message.h"
#include "selftest/server/crowd.h"

/* Simultaneous connections that have not proven the token. */
#define MOST_GUESTS 512u
/* Other descriptors of this program that epoll waits for: the launcher's pipes and the like. */
#define MOST_WATCHES 8u

enum connection_state {
	CONNECTION_FREE,
	CONNECTION_STRANGER, /* has not said hello */
	CONNECTION_GUEST,    /* has not proven the token */
	CONNECTION_ADMITTED, /* has not identified itself */
	CONNECTION_ENTERING, /* has identified itself; rails and findings follow */
	CONNECTION_MEMBER,   /* the agent of a host that takes part */
	/* refused or dismissed: ends when the agent closes it, or at end_msec */
	CONNECTION_LEAVING,
};

struct connection {
	enum connection_state state;
	bool wants_write;
	struct mesh_channel channel;
	struct ip_address address, local; /* of the peer, and of this side */
	struct mesh_shake *shake;	  /* until the token is proven */
	char *name;			  /* that the agent gave in hello or identity, cleaned */
	uint64_t since_msec, end_msec;	  /* when the state began, and its deadline */
	uint64_t ping_msec;		  /* when the last ping was sent */
	/* numbers of the last ping sent and the last pong received */
	uint64_t pinged, ponged;
	uint32_t host;		  /* in CONNECTION_ENTERING and CONNECTION_MEMBER */
	uint32_t rails, findings; /* rails announced, findings received */
	uint32_t protocol;	  /* version agreed on, from CONNECTION_ADMITTED on */
};

struct watch_of_caller {
	int fd; /* -1 if unused */
	void (*ready)(void *context, int fd);
	void *context;
};

#define NO_SLOT UINT32_MAX

/* State of one pair of the round. */
struct slot {
	uint32_t next; /* next slot of the same client, or NO_SLOT */
	bool done;     /* answered or given up */
	bool doubted;  /* failed: a struct doubt decides */
};

/* A failure, which counts only once both agents have shown that they are alive. */
struct doubt {
	struct doubt *next;
	size_t slot;
	uint64_t pings[MESH_ENDS]; /* the pings that they must answer first */
	struct mesh_result result;
};

struct coordinator {
	struct coordinator_setup setup;
	int epoll, listener;
	uint16_t port;
	bool interrupted;
	bool begun;	/* the hosts are fixed; late agents are refused */
	bool exhausted; /* the lack of descriptors or memory was reported */
	uint64_t pause_end_msec, tick_msec;
	struct connection *connections;
	size_t connection_count;
	uint32_t *free_list; /* unused entries of `connections` */
	size_t free_count;
	size_t guests; /* connections in CONNECTION_STRANGER or CONNECTION_GUEST */
	struct mesh_host *hosts;
	uint32_t *host_connections; /* NO_CONNECTION if there is none */
	size_t host_count;
	uint32_t *name_heads, *name_next; /* hosts by the hash of their names */
	uint32_t seats;
	uint64_t arrival_msec; /* when the last host came */
	/* when to stop waiting for hosts after the launcher's end; 0: it runs */
	uint64_t launcher_end_msec;
	struct watch_of_caller watches[MOST_WATCHES];
	struct log_limit strangers;
	struct coordinator_cost cost;
	/* The current round. */
	const struct coordinator_round *round;
	struct slot *slots;
	size_t slot_count, open_slots;
	struct doubt *doubts;
	bool heard; /* a pong arrived in this turn */
	uint32_t generation;
	uint64_t ping_number;
};

#define NO_CONNECTION UINT32_MAX
#define NAME_HEADS    (1u << 14)

/* connection.c */
/* Takes over the socket, even on failure, as a new connection. Returns 0 or -errno. */
int connection_add(struct coordinator *coordinator, int channel, const struct ip_address *address);
/*
 * Closes and frees a connection. With a reason `why` (a sentence), its host is lost; NULL just
 * closes it.
 */
void connection_end(struct coordinator *coordinator, struct connection *connection,
		    const char *why);
/* Adds the traffic of the connection. */
void connection_add_cost(const struct connection *connection, struct coordinator_cost *cost);
/* Sends what is queued; ends the connection if that fails. */
void connection_flush(struct coordinator *coordinator, struct connection *connection);
/* Queues a message. Returns false if it ended the connection because the agent reads too slowly. */
bool connection_put(struct coordinator *coordinator, struct connection *connection,
		    const struct mesh_message *message);
/* Queues a message, and sends what is queued. */
void connection_send(struct coordinator *coordinator, struct connection *connection,
		     const struct mesh_message *message);
/* Tells the agent why, and ends the connection when the agent closes it, or shortly afterwards. */
void connection_refuse(struct coordinator *coordinator, struct connection *connection,
		       enum mesh_refusal refusal, const char *text, const char *hint);
/* Reads from the connection, and dispatches its messages. */
void connection_ready(struct coordinator *coordinator, struct connection *connection);
/* Ends late and silent connections, and pings the others. */
void connections_tick(struct coordinator *coordinator, uint64_t now_msec);
void connection_ping(struct coordinator *coordinator, struct connection *connection);
/* The connection of a host, or NULL. */
struct connection *connection_of(struct coordinator *coordinator, uint32_t host);

/* entry.c */
/* Handles a message of a connection that is not yet a member. */
void entry_take(struct coordinator *coordinator, struct connection *connection,
		const struct mesh_message *message);
/* The host came and cannot take part. */
void host_refuse(struct coordinator *coordinator, struct mesh_host *host, const char *why,
		 const char *hint);
/* Counts a stranger and reports a line about it, rate-limited. Takes over the text. */
void coordinator_say(struct coordinator *coordinator, const struct connection *connection,
		     char *text);
/* The host of that name, with or without a domain, or NO_CONNECTION. */
uint32_t names_find(const struct coordinator *coordinator, const char *name);
/* Adds a host. Returns its number, or NO_CONNECTION if there are too many. */
uint32_t names_add(struct coordinator *coordinator, const char *name);
/* Rebuilds the hash chains after the hosts were reordered. */
void names_rebuild(struct coordinator *coordinator);

/* rails.c */
/*
 * Adds gaps to hosts that lack ports which others have beside those in the same slots: to a single
 * such host, or to few beside many others.
 */
void slots_compare(struct mesh_host *hosts, size_t count);
/*
 * Gives the rails of all hosts their final numbers. Of hosts with equally many ports, a port that
 * works on one of them is a rail of all, and is missing where it is a gap; ports that work on none
 * are not counted. Hosts that still differ in their ports count only those that work: nothing tells
 * which of them correspond.
 */
void rails_number(struct mesh_host *hosts, size_t count);

/* round.c */
/* Handles an answer. `both`: the full answer to an order with MESH_BOTH_WAYS, else NULL. */
void round_take(struct coordinator *coordinator, struct connection *connection,
		const struct mesh_answer *answer, const struct mesh_both_answer *both);
/* Gives up the orders that need the host. */
void round_lose(struct coordinator *coordinator, uint32_t host);
/* Settles failures after a turn in which pings were answered. */
void round_heard(struct coordinator *coordinator);

/* coordinator.c */
/*
 * Waits for events, until `end_msec` at the latest, and serves them. Returns for how long this
 * process was stopped (^Z and fg, or a pause of the machine), or 0: what came meanwhile may not
 * have been served yet.
 */
uint64_t coordinator_turn(struct coordinator *coordinator, uint64_t end_msec);
