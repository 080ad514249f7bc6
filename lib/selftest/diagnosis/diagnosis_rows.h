/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The sentences of a diagnosis: a table of rows {list, code, sentence, next step}. A list is a
 * stage of a test, where the code is an errno, or one of those below. {words} in a row are
 * replaced.
 */
#pragma once

#include "selftest/diagnosis/diagnosis.h"

enum diagnosis_list {
	/* enum stage comes first. */
	LIST_STOP = STAGES, /* enum stop */
	LIST_LEFT,	    /* enum stop, as the peer told it */
	LIST_TIMEOUT,	    /* enum stage */
	LIST_REFUSAL,	    /* enum refusal */
	LIST_MEMORY,	    /* enum memory_case */
	LIST_STATUS,	    /* enum ibv_wc_status */
	LIST_CM_ADDRESS,    /* errno of RDMA_CM_EVENT_ADDR_ERROR */
	LIST_CM_GROUP,	    /* the same for a multicast group, or ETIMEDOUT without an event */
	LIST_CM_ROUTE,	    /* enum carrier */
	LIST_CM_REJECTED,   /* the peer's reason, or -errno */
	LIST_CM_MULTICAST,  /* enum carrier */
	LIST_CM_EVENT,	    /* 1: its status is an errno */
	LIST_MTU,	    /* enum carrier */
	LIST_GID,	    /* enum carrier */
	LIST_BLOCKED,	    /* enum carrier; a clause for LIST_DELIVERY */
	LIST_UNPROVEN,	    /* enum carrier */
	LIST_DELIVERY,	    /* enum delivery */
	LIST_UNSENT,	    /* enum carrier; of LIST_DELIVERY, too, and so is the next */
	LIST_LOST,	    /* enum carrier */
	/* Tests with programs of rdma-core, lib/selftest/interop. The code is 0, or as noted. */
	LIST_INTEROP_REFUSED, /* by the agent, in its words */
	LIST_INTEROP_BYTES,   /* -1: too few */
	LIST_INTEROP_ITERATIONS,
	LIST_INTEROP_THREAD,
	LIST_INTEROP_IWARP,
	LIST_INTEROP_LISTEN, /* errno */
	LIST_INTEROP_IPV6,
	LIST_INTEROP_ADDRESS, /* of the peer; -1: without a GID */
	LIST_INTEROP_CLOSED,  /* 1: a pingpong, which cannot connect */
	LIST_INTEROP_LINE,    /* errno */
	LIST_INTEROP_DEVICE,
	LIST_INTEROP_NO_IP,
	LIST_INTEROP_STOPPED,  /* 1: the number of iterations was fixed */
	LIST_INTEROP_SILENT,   /* GID type */
	LIST_INTEROP_TOO_LONG, /* -1: for this side */
	LIST_INTEROP_DATA,
	LIST_INTEROP_LENGTH,
	LIST_INTEROP_RPING_LENGTH,
	LIST_INTEROP_RPING_MOVE,
	LIST_INTEROP_NO_ROUND,	 /* 1: for a client */
	LIST_INTEROP_LOST,	 /* a message that nobody repeats */
	LIST_INTEROP_QPS,	 /* another number of queue pairs */
	LIST_INTEROP_VERSION,	 /* of perftest */
	LIST_INTEROP_KEYS,	 /* of perftest, are none */
	LIST_INTEROP_REPORT,	 /* of perftest, is none */
	LIST_INTEROP_OTHER,	 /* queue pair; perftest has several, or ended */
	LIST_INTEROP_CYCLE,	 /* buffer of perftest is too large */
	LIST_INTEROP_LOOPBACK,	 /* errno */
	LIST_INTEROP_UNMAPPED,	 /* a group on RoCE without an IP address */
	LIST_INTEROP_MEMBERSHIP, /* in a group was lost */
	LIST_INTEROP_UNSENT,	 /* datagrams of a group that did not come */
};

/* The network that carries the packets of a port. */
enum carrier {
	CARRIER_UNKNOWN,
	CARRIER_ROCE_V1,
	CARRIER_ROCE_V2,
	CARRIER_IWARP,
	CARRIER_INFINIBAND, /* and Omni-Path, which has LIDs and a fabric manager as well */
	CARRIER_EFA,
};
enum memory_case {
	MEMORY_UNLIMITED,
	MEMORY_OVER_LIMIT,
	MEMORY_WITHIN_LIMIT,
	MEMORY_LIMIT_UNKNOWN,
	MEMORY_OTHER, /* errno: it is not that limit */
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
 * 12.6.7, REJ; the same in enum ib_cm_rej_reason, include/rdma/ib_cm.h. iWARP has -errno.
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

/* Those that follow from the facts alone; the caller clears them. */
void diagnosis_words_make(struct diagnosis_words *words, const struct diagnosis_facts *facts);
void diagnosis_words_clear(struct diagnosis_words *words);
/* One more, by a format. */
void diagnosis_words_add(struct diagnosis_words *words, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The text of a word, "" if there is none. */
const char *diagnosis_word(const struct diagnosis_words *words, const char *name);
/* The row for the code, or that for any code of the list. Always true, for `return`. */
bool diagnosis_say(struct diagnosis *diagnosis, const struct diagnosis_words *words,
		   unsigned int list, int code);

/* A clause on why, of enum reject. */
const char *rejection_meaning(unsigned int reason);

/* An endpoint that names a device, or NULL. */
const struct endpoint *diagnosis_known(const struct endpoint *endpoint);
