/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A fault as a row of a table: what is done wrong on a reliable connection, and how both sides must
 * notice it by the InfiniBand Architecture Specification, volume 1 (requester: 9.9.2; responder and
 * its fault classes: 9.9.3; states: 10.3.1; completions: 11.6.2). tests_fault.c has the
 * faults, tests_fault_run.c commits them, tests_fault_iwarp.c looks at what iWARP makes of them.
 */
#pragma once

#include "selftest/trial/trial.h"

enum fault_flag {
	FAULT_BAD_KEY = 1 << 0,	    /* the requester's own key is none */
	FAULT_BAD_RKEY = 1 << 1,    /* the key of the far memory is none */
	FAULT_OLD_RKEY = 1 << 2,    /* the far memory is not registered any more */
	FAULT_NEAR_DOMAIN = 1 << 3, /* the near queue pair is in another domain than its memory */
	FAULT_FAR_DOMAIN = 1 << 4,
	FAULT_NO_RECEIVE = 1 << 5, /* nothing waits for the message */
	FAULT_GONE = 1 << 6,	   /* the far queue pair was destroyed */
	FAULT_NEEDS_ATOMICS = 1 << 7,
	FAULT_ALONE = 1 << 8, /* what is posted behind it may be carried out, too */
};

struct fault {
	const char *name;   /* for a person: RDMA write beyond the end of the memory */
	uint32_t operation; /* enum post_operation */
	uint32_t flags;	    /* enum fault_flag */
	uint32_t bytes;	    /* of the message */
	int32_t shift;	    /* of the remote address, from the begin of the far data */
	uint32_t access;    /* enum buffer_access of the far memory; 0: all that are safe */
	uint32_t receive;   /* bytes of the far receive; 0: nothing comes for it */
	uint32_t near;	    /* enum ibv_wc_status of the request */
	uint32_t near_also; /* bits of FAULT_STATUS(): what drivers are known to report instead */
	uint32_t far; /* of the far receive; FAULT_UNNOTICED: it waits on, the far QP in RTS */
	uint32_t far_also;
};

#define FAULT_UNNOTICED	   UINT32_MAX
#define FAULT_STATUS(code) (1u << (code))

/* Far memory: the data of a fault begins at FAULT_OFFSET of FAULT_BYTES. */
#define FAULT_BYTES  32768
#define FAULT_OFFSET 8192

/*
 * Commits each of the faults on a connection of its own, up to the one without a name, and tells
 * the row.
 */
void fault_run(struct trial *trial, const struct fault *faults);

/* Work request ids. */
enum { FAULT_ID = 0xf000, FAULT_ID_NEXT, FAULT_ID_LATER, FAULT_ID_RECEIVE };

/* How long a queue pair or a connection may take to notice that it has ended. */
#define FAULT_STATE_MSEC 2000
#define FAULT_HINT \
	"do not trust the device with peers that are not trusted; update its firmware and driver"

/* A fault under way. */
struct committed {
	struct trial *trial;
	const struct fault *fault;
	struct message_buffered there;
	struct work_completion seen[2][8]; /* of the near and of the far side */
	size_t seen_count[2];
	bool states_unknown; /* the device does not tell them */
	char **remark;	     /* deviations that are harmless */
};

int fault_commit(struct committed *it);
/* For a deviation that is harmless: once for all faults of the row. */
void fault_remark(struct committed *it, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Fails the row and returns an error. `where`: what has that status, "the request". */
int fault_fail_status(struct committed *it, const char *where, uint32_t got, uint32_t expected);
/* The completion with this id, if it was there; waits for it; and demands its status, or one of the
 * bits in `also`, which is worth a remark. */
const struct work_completion *fault_seen(const struct committed *it, const struct side *side,
					 uint64_t id);
int fault_await(struct committed *it, struct side *side, uint64_t id,
		const struct work_completion **ret);
int fault_expect(struct committed *it, struct side *side, uint64_t id, const char *where,
		 uint32_t status, uint32_t also);
int fault_query_state(struct trial *trial, struct side *side, uint32_t *ret_state);
/* Commits it on an iWARP connection and looks at what both sides notice. */
int fault_run_iwarp(struct committed *it);
