/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A rehearsal: a file of made-up hosts and results, described in rdmactl-mesh(1). Each line has a
 * subject, and keys with values:
 *
 *	hosts n[1-4]                  names; an agent takes that of its rank, or the next one
 *	all rails 2 gbps 95 latency 1.8 noise 2 msec 3
 *	host n2 gbps 50
 *	rail n3/1 fail no answer
 *	rail n3/2 down no cable
 *	rail n4/2 gone                its adapter is not there
 *	pair n1 n4/0 latency 9
 *
 * Later lines override earlier ones for the hosts, rails or pair that their subject names.
 */
#pragma once

#include "mesh/agent/runner.h"
#include "schema/value.h"

struct rehearsal_line {
	char *subject;		/* all, host, rail or pair */
	char *names[2];		/* of the hosts */
	struct number rails[2]; /* unknown: every rail */
	/* key, value, key, value ...; only the last value may be free text */
	struct strings keys;
};

struct rehearsal {
	struct strings hosts;
	struct rehearsal_line *lines;
	size_t count;
};

/* Returns 0, or -EINVAL; *ret_reason names the line and what is wrong, for the caller to free. */
int rehearsal_parse(const char *text, struct rehearsal *ret_rehearsal, char **ret_reason);
void rehearsal_clear(struct rehearsal *rehearsal);
/* The value of a key for a host, or NULL. */
const char *rehearsal_host_value(const struct rehearsal *rehearsal, const char *host,
				 const char *key);

/* The value of a key for a single rail (`down` or `gone`), or NULL. */
const char *rehearsal_rail_value(const struct rehearsal *rehearsal, const char *host, uint16_t rail,
				 const char *key);

/* What a test of a pair yields. */
struct rehearsal_act {
	double gbps[MESH_ENDS], latency_usec, noise_percent;
	/* Both ways at once; unknown: the same as one way at a time. */
	struct real both_gbps[MESH_ENDS];
	uint64_t errors[MESH_ENDS], msec;
	const char *fail;  /* the reason, or NULL */
	const char *apart; /* why the agents cannot talk to each other, or NULL */
	bool crash, hang;
};

void rehearsal_act(const struct rehearsal *rehearsal, const char *const names[MESH_ENDS],
		   const uint16_t rails[MESH_ENDS], struct rehearsal_act *ret_act);
