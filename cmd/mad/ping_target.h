/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A destination of ping, and its answers so far. */
#pragma once

#include "cmd/mad/ping_run.h"

struct ping_target {
	enum ping_kind kind;
	struct mad_request request;
	unsigned char data[PING_DATA_BYTES]; /* of the requests: host name, then random bytes */
	uint64_t started, sent, received, refused;
	uint64_t *samples; /* nanoseconds; the time of some answers is unknown */
	size_t sample_count, room;
	int error;	 /* of the last request that could not be sent */
	uint16_t status; /* of the last refusal */
	bool waits;	 /* for an answer */
	bool unreached;	 /* the last request could not be sent, or was not answered */
	struct ping_record record;
};

/* Counts the end of a request. Returns whether it was answered. */
bool ping_target_take(struct ping_target *target, const struct mad_reply *reply);
/* A row of the last request alone; the caller clears and frees it. nsec 0: not known. */
struct ping_record *ping_target_last(const struct ping_target *target, bool answered,
				     uint64_t nsec);
/* Fills the record with the figures of all requests. */
void ping_target_compute(struct ping_target *target);
/* The message about the loss, for the caller to free, and the next step or NULL. */
char *ping_target_complaint(const struct ping_target *target);
const char *ping_target_hint(const struct ping_target *target);
void ping_target_clear(struct ping_target *target);
