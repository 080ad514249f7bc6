/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A mesh: hosts with rails, the pairs of them that are tested, and the result of each pair. A rail
 * is a port of a host; rail 3 of each host is connected to the same switches as rail 3 of the
 * others, as is usual where hosts have several adapters. Rails are numbered from 0 in the order of
 * the adapters' PCI addresses, and a port that is down keeps its number. Text from other hosts is
 * cleaned before it is stored here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/endpoint/endpoint.h"
#include "schema/schema.h"

/* More than the ports of any host. */
#define MESH_MOST_RAILS 16u
#define MESH_MOST_GAPS	64u /* of a host */
#define MESH_MOST_PORTS (MESH_MOST_RAILS + MESH_MOST_GAPS)
#define MESH_MOST_HOSTS 65536u
/* Simultaneous clients of one host's server: senders of an incast, on all rails. */
#define MESH_MOST_SENDERS 128u
#define MESH_NAME_BYTES	  128u /* of a host's name, with the NUL */

enum mesh_presence {
	MESH_ABSENT,  /* named by the user or the launcher, but it never came */
	MESH_PRESENT, /* its agent is connected */
	MESH_REFUSED, /* it came and cannot take part; `reason` says why */
	MESH_LOST,    /* its connection ended before the run */
};

/* A port that cannot be used. */
struct mesh_gap {
	uint32_t place;	 /* among the host's ports, in the order of the rails, counted from 0 */
	char device[64]; /* empty: the host has no such port */
	uint32_t port;
	char *reason;	    /* a sentence */
	char *hint;	    /* the next step, or NULL */
	struct number rail; /* that is missing; unknown if most hosts like this one lack it, too */
};

struct mesh_host {
	char *name;
	struct number rank; /* given by the launcher */
	enum mesh_presence presence;
	char *reason;	/* a sentence, if it is not present; or NULL */
	char *hint;	/* the next step, or NULL */
	char *release;	/* its release of rdmactl */
	char *kernel;	/* its kernel release */
	char *firmware; /* of its first rail's adapter */
	/* RLIMIT_MEMLOCK as the launcher left it; UINT64_MAX: no limit */
	struct number memlock_bytes;
	int64_t clock_msec; /* its clock minus clock_msec() here, from the shortest round trip */
	struct number clock_error_msec; /* half of that round trip; unknown before its first pong */
	/*
	 * An agent knows the rails that it can use, and the gaps among them. Once all hosts have
	 * come, the coordinator gives each rail the number that it has on similar hosts: see
	 * rails_number().
	 */
	struct endpoint *rails;
	uint32_t rail_count;
	uint16_t missing_rails; /* of these, as bits: those that it cannot use */
	struct mesh_gap *gaps;	/* by place */
	size_t gap_count;
	/* Where each port is plugged in, by place: text to be compared; empty if unknown. */
	struct strings slots;
	struct ip_address address; /* where the others reach its server */
	uint16_t server_port;	   /* TCP; 0 if it has no server */
	struct number others_qps;  /* user queue pairs of other programs on its rails */
	bool rehearsed;		   /* its answers are made up */
	bool twin;		   /* refused because another host seems to be the same one */
	uint32_t protocol;	   /* protocol version agreed on with its agent */
};

void mesh_host_clear(struct mesh_host *host);
/* Whether the host can use that rail. */
bool mesh_host_has_rail(const struct mesh_host *host, uint32_t rail);
/* How many rails below that number it can use: that is the rail's number for its agent. */
uint32_t mesh_host_count_rails(const struct mesh_host *host, uint32_t below);
/* DEV/PORT of a rail, clean, to be freed; NULL if it is unknown. */
char *mesh_host_device(const struct mesh_host *host, uint32_t rail);

/*
 * Two hosts, by index, with a rail of each; both ends are the same in loopback. `a` is the client.
 */
struct mesh_pair {
	uint32_t a, b;
	uint16_t rail_a, rail_b;
};

/* `n1 and n2, rail 3`, to be freed. */
char *mesh_pair_text(const struct mesh_host *hosts, const struct mesh_pair *pair);

/* The tests of a pair; each requires those before it. */
enum mesh_test {
	MESH_CONNECT = 1 << 0, /* connects queue pairs, and checks that data arrives unchanged */
	MESH_LATENCY = 1 << 1,
	MESH_BANDWIDTH = 1 << 2,   /* from a to b, then from b to a */
	MESH_BOTH_WAYS = 1 << 3,   /* both at once; needs MESH_PROTOCOL_BOTH_WAYS */
	MESH_TESTS = (1 << 3) - 1, /* the default */
	MESH_ALL_TESTS = (1 << 4) - 1,
};

enum mesh_outcome {
	MESH_PASS,
	MESH_FAIL,    /* the data path failed; `reason` says how */
	MESH_UNTRIED, /* an agent was lost or time ran out: says nothing about the pair */
	MESH_APART,   /* the agents could not talk to each other: nothing of RDMA was tried */
};

/* Whether the pair was tested, so that it is good or bad. */
static inline bool mesh_was_tested(enum mesh_outcome outcome)
{
	return outcome == MESH_PASS || outcome == MESH_FAIL;
}

enum mesh_end { MESH_END_A, MESH_END_B, MESH_ENDS };

/* The result of a pair. Figures that were not measured are unknown. */
struct mesh_result {
	struct mesh_pair pair;
	uint32_t stage; /* of the plan, from 0 */
	uint32_t round; /* within the stage */
	bool again;	/* second pass: tested alone, while no other test runs */
	enum mesh_outcome outcome;
	struct real latency_usec;	  /* median, one way */
	struct real gbps[MESH_ENDS];	  /* sent by that end */
	struct real both_gbps[MESH_ENDS]; /* sent by that end while the other sent too */
	struct number errors[MESH_ENDS];  /* growth of the error counters of that end's port */
	/*
	 * A sentence; for MESH_PASS, why both directions at once were not measured, or empty.
	 */
	char reason[200];
	bool older_agent; /* is that cause; the next run may find it updated */
};

/* Whether names are the same: node1 and node1.cluster are if one of them has no domain. */
bool mesh_name_is(const char *name, const char *other);

/* Hosts by name. */
struct mesh_name {
	const char *name;
	uint32_t host;
};

struct mesh_names {
	struct mesh_name *items; /* sorted */
	size_t count;
};

/* Indexes the hosts by name; borrows their names. */
void mesh_names_fill(const struct mesh_host *hosts, uint32_t count, struct mesh_names *names);
/* A name without its domain finds nothing if hosts of two domains have it. */
bool mesh_names_find(const struct mesh_names *names, const char *name, uint32_t *ret_host);
void mesh_names_clear(struct mesh_names *names);

/* Present hosts, grouped by a text that they share, such as the release of their firmware. */
struct host_text {
	char *text;
	const struct mesh_host *host;
};

struct host_group {
	const struct host_text *first; /* of `count` in a row */
	size_t count;
};

struct host_groups {
	struct host_group *items; /* the largest first, each with its hosts in the order of names */
	struct host_text *texts;
	size_t count, text_count;
};

/* `get` returns the text of a host, to be freed, or NULL to leave the host out. */
void host_groups_find(const struct mesh_host *hosts, size_t count,
		      char *(*get)(const struct mesh_host *host), struct host_groups *ret_groups);
void host_groups_clear(struct host_groups *groups);

/* Summary of a mesh as a record, with which its JSON documents begin. */
struct mesh_summary {
	char *plan;	    /* owned */
	struct number seed; /* of random matchings */
	struct number hosts_wanted, hosts_present, hosts_missing;
	struct number rails;	      /* of all hosts that are present */
	struct number ports_left_out; /* that most such hosts cannot use either */
	struct number pairs, rounds;
	struct number pairs_failed, pairs_untried, pairs_left_out, pairs_resumed;
	struct number pairs_one_way;
	struct real median_gbps, median_both_gbps, median_latency_usec; /* of all rails */
	struct real seconds;
	enum tristate rehearsed;   /* the results are made up */
	enum tristate interrupted; /* not all of the plan was run */
};

extern const struct schema mesh_summary_schema;
