/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is wrong with a data path test, and what to do next: pure reasoning, facts in, one sentence
 * and a next step out. What is not known is left 0, NULL or unknown; the more is known, the more
 * the sentence says. Names within endpoints are cleaned here, other text is taken as it is.
 */
#pragma once

#include <stdbool.h>

#include "selftest/diagnosis/completion_status.h"
#include "counter/counter.h"
#include "host/endpoint/endpoint.h"

/* What was being done when it failed. */
enum diagnosis_stage {
	STAGE_NONE,
	STAGE_RESOLVE,	  /* name, route, device, port and GID */
	STAGE_TCP,	  /* connecting to the peer's TCP port */
	STAGE_HANDSHAKE,  /* the exchange of what both sides need */
	STAGE_LIBRARY,	  /* loading libibverbs or librdmacm */
	STAGE_OPEN,	  /* the device */
	STAGE_MEMORY,	  /* registering it */
	STAGE_QUEUES,	  /* creating completion queues and queue pairs */
	STAGE_CONNECT_QP, /* INIT, RTR, RTS; address handles */
	STAGE_CM,	  /* librdmacm: cm_event and cm_status tell, or the errno of a call */
	STAGE_TRANSFER,
	STAGES,
};

/* What ended it from outside; stronger than any error that came of it. */
enum diagnosis_end {
	END_NONE,
	END_INTERRUPTED,
	END_DEVICE_REMOVED,
	END_PORT_DOWN,
	END_PEER_GONE, /* the exchange with it ended */
	END_TIMED_OUT,
	ENDS,
};

/* What the peer gave as its reason not to serve. */
enum diagnosis_refusal {
	DIAGNOSIS_NOT_REFUSED,
	DIAGNOSIS_REFUSED_VERSION,
	DIAGNOSIS_REFUSED_TOKEN,
	DIAGNOSIS_REFUSED_BUSY,
	DIAGNOSIS_REFUSED_LIMIT,
	DIAGNOSIS_REFUSED_ORDER, /* the order has values that it does not take */
	DIAGNOSIS_REFUSED_NO_PORT,
	DIAGNOSIS_REFUSED_GID_TYPE,
	DIAGNOSIS_REFUSALS,
};

struct diagnosis_facts {
	enum diagnosis_stage stage;
	enum diagnosis_end end;
	bool at_peer;		 /* the peer reports it: stage, error and memory are its own */
	int error;		 /* an errno, positive */
	struct number status;	 /* enum completion_status */
	struct number cm_event;	 /* enum rdma_cm_event_type, rdma/rdma_cma.h */
	int cm_status;		 /* -errno, or the reason of a rejection */
	const char *call;	 /* the library's function that failed, or NULL */
	const char *peer;	 /* its name or address; NULL: loopback */
	unsigned int tcp_port;	 /* of the exchange, or of librdmacm */
	const char *server_hint; /* the command to start there; NULL: rdmactl selftest --serve */
	const struct endpoint *local, *remote;
	uint32_t path_mtu_bytes;	   /* that the queue pairs go by */
	struct number memlock_limit_bytes; /* RLIMIT_MEMLOCK; UINT64_MAX: none */
	struct number wanted_bytes;	   /* of memory that could not be registered */
	struct counter_sums local_counts, remote_counts; /* what was counted during the test */
	uint32_t timeout_msec;				 /* END_TIMED_OUT: how long it waited */
	enum diagnosis_refusal refusal;
	const char *refusal_text; /* what the peer has to say about it, clean */
	uint32_t version;	  /* of the exchange protocol, ours */
	uint32_t peer_lowest, peer_highest;
};

struct diagnosis {
	char *sentence;
	char *hint; /* NULL: there is nothing to do */
};

/* Always gives a sentence. */
void diagnose(const struct diagnosis_facts *facts, struct diagnosis *ret_diagnosis);
void diagnosis_clear(struct diagnosis *diagnosis);
/*
 * The active MTUs of both sides are known and differ: true, and what to make of it. No error as
 * long as the queue pairs go by the smaller one, but worth a note.
 */
bool diagnose_mtu(const struct diagnosis_facts *facts, struct diagnosis *ret_diagnosis);
/*
 * Both endpoints are known and cannot talk to each other: another transport, GID type or family.
 */
bool diagnose_mismatch(const struct diagnosis_facts *facts, struct diagnosis *ret_diagnosis);
