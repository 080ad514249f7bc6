/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The sentences of a diagnosis: the rows of diagnosis_rows.def. A list is a stage of a test, with
 * an errno as the code, or one of those below. {words} in a row are replaced.
 */
#pragma once

#include "selftest/diagnosis/diagnosis.h"

enum diagnosis_list {
	/* enum stage comes first. */
	LIST_STOP = STAGES, /* enum stop */
	LIST_LEFT,	    /* enum stop, as reported by the peer */
	LIST_TIMEOUT,	    /* 1: the peer's port is known */
	LIST_REFUSAL,	    /* enum refusal */
	LIST_MEMORY,	    /* enum memory_case */
	LIST_STATUS,	    /* enum ibv_wc_status */
	LIST_CM_ADDRESS,    /* errno of RDMA_CM_EVENT_ADDR_ERROR */
	LIST_CM_GROUP,	    /* as LIST_CM_ADDRESS for a multicast group, or ETIMEDOUT */
	LIST_CM_ROUTE,	    /* enum carrier */
	LIST_CM_REJECTED,   /* the peer's reason, or -errno */
	LIST_CM_MULTICAST,  /* enum carrier */
	LIST_CM_EVENT,	    /* 1: its status is an errno */
	LIST_MTU,	    /* enum carrier */
	LIST_GID,	    /* enum carrier */
	LIST_BLOCKED,	    /* enum carrier; a clause for LIST_DELIVERY */
	LIST_UNPROVEN,	    /* enum carrier */
	LIST_DELIVERY,	    /* enum delivery */
	LIST_UNSENT,	    /* enum carrier; a case of LIST_DELIVERY, like the next */
	LIST_LOST,	    /* enum carrier */
	/* Tests with programs of rdma-core, lib/selftest/interop. The code is 0 unless noted. */
	LIST_INTEROP_REFUSED, /* by the agent, in its own words */
	LIST_INTEROP_BYTES,   /* -1: too few */
	LIST_INTEROP_ITERATIONS,
	LIST_INTEROP_THREAD,
	LIST_INTEROP_IWARP,
	LIST_INTEROP_LISTEN, /* errno */
	LIST_INTEROP_IPV6,
	LIST_INTEROP_ADDRESS, /* of the peer; -1: it has no GID */
	LIST_INTEROP_CLOSED,  /* 1: a pingpong, which cannot connect */
	LIST_INTEROP_LINE,    /* errno */
	LIST_INTEROP_DEVICE,
	LIST_INTEROP_NO_IP,
	LIST_INTEROP_STOPPED,  /* 1: the number of iterations was given */
	LIST_INTEROP_SILENT,   /* GID type */
	LIST_INTEROP_TOO_LONG, /* -1: too long for this side */
	LIST_INTEROP_DATA,
	LIST_INTEROP_LENGTH,
	LIST_INTEROP_RPING_LENGTH,
	LIST_INTEROP_RPING_MOVE,
	LIST_INTEROP_NO_ROUND,	 /* 1: for a client */
	LIST_INTEROP_LOST,	 /* a message that nobody sends again */
	LIST_INTEROP_QPS,	 /* the numbers of queue pairs differ */
	LIST_INTEROP_VERSION,	 /* too old a version of perftest */
	LIST_INTEROP_KEYS,	 /* not an address of perftest; 1: with a GID */
	LIST_INTEROP_REPORT,	 /* not a report of perftest */
	LIST_INTEROP_OTHER,	 /* perftest has several queue pairs */
	LIST_INTEROP_CYCLE,	 /* the buffer of perftest is too large */
	LIST_INTEROP_LOOPBACK,	 /* errno */
	LIST_INTEROP_UNMAPPED,	 /* a RoCE group without an IP address */
	LIST_INTEROP_MEMBERSHIP, /* the membership in a group was lost */
	LIST_INTEROP_UNSENT,	 /* datagrams to a group that did not arrive */
};

/* The network that carries the packets of a port. */
enum carrier {
	CARRIER_UNKNOWN,
	CARRIER_ROCE_V1,
	CARRIER_ROCE_V2,
	CARRIER_IWARP,
	CARRIER_INFINIBAND, /* and Omni-Path, which also has LIDs and a fabric manager */
	CARRIER_EFA,
};
enum memory_case {
	MEMORY_UNLIMITED,
	MEMORY_OVER_LIMIT,
	MEMORY_WITHIN_LIMIT,
	MEMORY_LIMIT_UNKNOWN,
	MEMORY_OTHER, /* errno is not about that limit */
};
enum delivery {
	DELIVERY_NO_LID,
	DELIVERY_BLOCKED,
	DELIVERY_BLOCKED_BACK,
	DELIVERY_UNKNOWN,
	DELIVERY_ARRIVED,
};

/*
 * Why the peer's connection manager rejects: InfiniBand Architecture Specification volume 1,
 * 12.6.7, REJ; same values in enum ib_cm_rej_reason, include/rdma/ib_cm.h. iWARP uses -errno.
 */
enum reject {
	REJECT_NO_QP = 1,
	REJECT_NO_RESOURCES = 3,
	REJECT_TIMEOUT = 4,
	REJECT_SERVICE_ID = 8,
	REJECT_STALE = 10,
	REJECT_GID = 12,
	REJECT_MTU = 26,
	REJECT_RESPONDER_RESOURCES = 27,
	REJECT_CONSUMER = 28,
};

#define MOST_WORDS 40

/* The replacements of the {words} in a row. */
struct diagnosis_words {
	enum carrier carrier;
	struct {
		const char *name;
		char *text;
	} items[MOST_WORDS];
	size_t count;
};

#define _words_ _cleanup_(diagnosis_words_clear)

/* Adds the words that follow from the facts alone; the caller clears them. */
void diagnosis_words_make(struct diagnosis_words *words, const struct diagnosis_facts *facts);
void diagnosis_words_clear(struct diagnosis_words *words);
/* Adds one word, formatted. */
void diagnosis_words_add(struct diagnosis_words *words, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Adds "rxa/1 sent 12 packets", or that the number is not known. */
void diagnosis_words_add_count(struct diagnosis_words *words, const char *name, const char *port,
			       const char *verb, const struct number *count);
/* Returns the text of a word, or "". */
const char *diagnosis_word(const struct diagnosis_words *words, const char *name);
/* Fills the texts from the row for the code, or the row for any code of the list. Returns true. */
bool diagnosis_say(struct diagnosis *diagnosis, const struct diagnosis_words *words,
		   unsigned int list, int code);

/* Returns a clause for the reason, enum reject. */
const char *rejection_meaning(unsigned int reason);

/* Returns the endpoint if it names a device, or NULL. */
const struct endpoint *diagnosis_known(const struct endpoint *endpoint);
