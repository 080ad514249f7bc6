/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Explains a failed data path test: pure functions that turn facts into one sentence and the next
 * step. Unknown facts stay 0, NULL or unknown; the more is known, the more the sentence says. Names
 * within endpoints are cleaned here; all other text must already be clean.
 */
#pragma once

#include <stdbool.h>

#include "counter/counter.h"
#include "host/endpoint/endpoint.h"
#include "selftest/wire/message.h"

struct diagnosis_facts {
	enum stage stage;	/* what was being done */
	enum stop stop;		/* what stopped it; outweighs errors caused by that */
	enum stop farewell;	/* STOP_PEER_GONE: why the peer says it left; else 0 */
	bool at_peer;		/* the peer reports it: stage, error and memory are the peer's */
	bool silent;		/* for timeout_msec the peer has not answered over TCP either */
	int error;		/* an errno, positive */
	struct number status;	/* enum ibv_wc_status */
	struct number cm_event; /* enum rdma_cm_event_type, rdma/rdma_cma.h */
	int cm_status;		/* -errno, or the reason of a rejection */
	const char *call;	/* the library function that failed, or NULL */
	const char *peer;	/* its name or address; NULL: loopback */
	const struct ip_address *group; /* the multicast group to join, or NULL */
	unsigned int tcp_port;		/* of the exchange, or of librdmacm */
	const char *server_hint; /* the command to start there; NULL: rdmactl selftest --serve */
	const struct endpoint *local, *remote;
	bool local_gid_gone, remote_gid_gone; /* from its index in the port's GID table */
	uint32_t path_mtu_bytes;	      /* of the queue pairs */
	struct number memlock_limit_bytes;    /* RLIMIT_MEMLOCK; UINT64_MAX: no limit */
	struct number wanted_bytes;	      /* of memory that could not be registered */
	struct counter_sums local_counts, remote_counts; /* what was counted during the test */
	uint32_t timeout_msec;				 /* STOP_TIMED_OUT: how long it waited */
	enum refusal refusal;		    /* REFUSAL_FAILED: the peer did not refuse */
	const char *refusal_text;	    /* the peer's own words about it, clean */
	bool chose_peer_gid;		    /* the user named the peer's GID index */
	bool chose_peer_device;		    /* the user named the peer's device */
	uint32_t peer_lowest, peer_highest; /* versions of the exchange protocol */
};

struct diagnosis {
	char *sentence;
	char *hint; /* NULL if there is nothing to do */
};

/* Takes the facts from an agent's failure, whose text `call` must be clean and outlive them. */
void diagnosis_take_failure(struct diagnosis_facts *facts, const struct message_refused *failed,
			    const char *call);
/* Always fills in a sentence. */
void diagnose(const struct diagnosis_facts *facts, struct diagnosis *ret_diagnosis);
void diagnosis_clear(struct diagnosis *diagnosis);
/*
 * Returns true if the active MTUs of both sides are known and differ. That is no error as long as
 * the queue pairs use the smaller one, but worth a remark.
 */
bool diagnose_mtu(const struct diagnosis_facts *facts, struct diagnosis *ret_diagnosis);
/*
 * Returns true if both endpoints are known and cannot talk to each other, because the transport,
 * GID type or address family differs.
 */
bool diagnose_mismatch(const struct diagnosis_facts *facts, struct diagnosis *ret_diagnosis);
/* Returns true if one of the ports is known not to be active. */
bool diagnose_port_state(const struct diagnosis_facts *facts, struct diagnosis *ret_diagnosis);

/* Explains that the peer's packet to the local port, which proves whose that is, did not arrive. */
void diagnose_unproven(const struct diagnosis_facts *facts, struct diagnosis *ret_diagnosis);

/* Returns the name as in ibv_wc_status_str(), or "unknown" for a number that is no status. */
const char *completion_status_name(unsigned int status);
/* Returns one clause on what it means and what usually causes it. */
const char *completion_status_meaning(unsigned int status);
