/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A fault as a row of a table: what is done wrong on a reliable connection, and how both sides must
 * report it by the InfiniBand Architecture Specification, volume 1 (requester: 9.9.2; responder and
 * its fault classes: 9.9.3; states: 10.3.1; completions: 11.6.2). tests_fault.c has the faults,
 * tests_fault_run.c injects them.
 */
#pragma once

#include "selftest/trial/trial.h"

enum fault_flag {
	FAULT_BAD_KEY = 1 << 0,	    /* the requester's lkey is invalid */
	FAULT_BAD_RKEY = 1 << 1,    /* the rkey is invalid */
	FAULT_OLD_RKEY = 1 << 2,    /* the far memory is not registered any more */
	FAULT_NEAR_DOMAIN = 1 << 3, /* the near queue pair is in another domain than its memory */
	FAULT_FAR_DOMAIN = 1 << 4,
	FAULT_NO_RECEIVE = 1 << 5, /* no receive is posted for the message */
	FAULT_GONE = 1 << 6,	   /* the far queue pair was destroyed */
	FAULT_NEEDS_ATOMICS = 1 << 7,
	FAULT_ALONE = 1 << 8, /* requests posted after it may be carried out, too */
};

struct fault {
	const char *name;   /* RDMA write past the end of the memory region */
	uint32_t operation; /* enum post_operation */
	uint32_t flags;	    /* enum fault_flag */
	uint32_t bytes;	    /* of the message */
	int32_t shift;	    /* of the remote address, from the start of the far data */
	uint32_t access;    /* enum buffer_access of the far memory; 0: trial_access() */
	uint32_t receive;   /* bytes of the far receive; 0: nothing comes for it */
	uint32_t near;	    /* enum ibv_wc_status of the request */
	uint32_t near_also; /* bits of FAULT_STATUS() that drivers are known to report instead */
	uint32_t far; /* of the far receive; FAULT_UNNOTICED: it stays posted, the far QP in RTS */
	uint32_t far_also;
};

#define FAULT_UNNOTICED	   UINT32_MAX
#define FAULT_STATUS(code) (1u << (code))

/* Far memory: the data of a fault begins at FAULT_OFFSET of FAULT_BYTES. */
#define FAULT_BYTES  32768
#define FAULT_OFFSET 8192

/*
 * Injects each of the faults on a new connection, up to the one without a name, and marks the row.
 */
void fault_run(struct trial *trial, const struct fault *faults);
