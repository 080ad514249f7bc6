/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sends requests to all targets, in rounds or as fast as they answer, and counts the answers.
 * Refusals by the kernel are added to the problems of the session.
 */
#pragma once

#include "mad/ping.h"
#include "mad/session.h"

/* A row is about a destination, a request (--each) or a client (--serve). Strings are owned. */
struct ping_record {
	char *object;
	char *host;
	struct number lid;
	struct known_gid gid;
	char *device; /* the local port */
	struct number port;
	struct number kind; /* enum ping_kind */
	struct number sequence;
	struct number sent, received;
	bool refused; /* of a request: an answer came that does not count */
	struct real loss_percent;
	struct real min, p50, p90, p99, max, mean; /* microseconds */
};

extern const struct schema ping_schema;

/* A destination, and its answers so far. */
struct ping_target {
	enum ping_kind kind;
	struct mad_request request;
	unsigned char data[PING_DATA_BYTES]; /* of the requests: host name, then random bytes */
	uint64_t started, sent, received;
	uint64_t *samples; /* nanoseconds; the time of some answers is unknown */
	size_t sample_count;
	int error;	   /* of the last request that could not be sent */
	const char *fault; /* of the last answer that did not count; NULL: there was none */
	uint16_t status;   /* of that answer; 0: not refused */
	bool named_lid;	   /* mad_destination_is_named_lid() */
	bool waits;	   /* for an answer now */
	bool unreached;	   /* the last request could not be sent, or was not answered */
	struct ping_record record;
};

struct ping_client {
	struct mad_session *session;
	bool flood;
	bool keeps_each;
	uint64_t count; /* of requests to each target; UINT64_MAX: no end */
	struct ping_target *targets;
	size_t target_count, next;
	unsigned int pass; /* of the round: first the unreached targets, then the others */
	/* With keeps_each the finished requests, in the order they ended. */
	struct ping_record **each;
	size_t each_count;
};

/* The caller fills the rest of the request: address, path, key. */
struct ping_target *ping_add_target(struct ping_client *ping, enum ping_kind kind,
				    const char *name);
/* Sets the data that prove an answer; for PING_ROCE. */
void ping_add_data(struct ping_target *target);
/* The first answer method that no other client on the port has taken, or 0. */
uint8_t ping_add_agent(struct ping_client *ping);
/*
 * Sends one request to each target, or with `flood` all of them. Returns the same as
 * mad_engine_run(). No targets may be added afterwards.
 */
int ping_round(struct ping_client *ping);
/* Queries the descriptions of nodes that answered without a host name. */
void ping_describe_nodes(struct ping_client *ping);
void ping_drop_each(struct ping_client *ping);
void ping_client_clear(struct ping_client *ping);

/* The message about the loss, for the caller to free, and the next step or NULL. */
char *ping_target_complaint(const struct ping_target *target);
const char *ping_target_hint(const struct ping_target *target);
/* Fills the record with the figures of all requests. */
void ping_target_compute(struct ping_target *target);
