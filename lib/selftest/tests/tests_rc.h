/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the tests of reliable connections: one transfer with everything that is checked about
 * it, and the parts of the table in other files. The data of a transfer are in the buffer
 * TRIAL_DATA of both sides at the same offset, between guards that the transfer must not change.
 */
#pragma once

#include "selftest/trial/trial.h"

/* Data begin 3 bytes before the end of a page, so longer transfers cross it. */
#define RC_GUARD_BYTES (4096u - 3u)
#define RC_GUARD_BYTE  0xa5u

/* vendor_id of drivers with peculiarities: rxe_param.h and siw.h, drivers/infiniband/sw. */
#define RC_VENDOR_RXE 0xffffffu
#define RC_VENDOR_SIW 0x626d74u

/* The next step when a device violates the specification. */
extern const char rc_firmware_hint[];

/* A connection as one of its ends sees it. */
struct rc_path {
	struct side *from, *to;
	struct message_buffered there; /* the buffer of `to` */
	uint32_t slot;
};

struct rc_transfer {
	uint32_t operation; /* enum post_operation, no atomic one */
	uint32_t flags;	    /* enum post_flag, besides POST_SIGNALED */
	uint64_t bytes;
	uint32_t iteration;
	bool bad_lkey; /* with an invalid lkey, which is right for inline data: theirs is ignored */
};

/* "RDMA write" */
const char *rc_operation_name(uint32_t operation);
/* A buffer for data of up to that size between its guards on both sides, and both directions. */
int rc_buffers(struct trial *trial, uint64_t bytes, struct rc_path paths[static 2]);
/* The same, with a connection in slot 0. */
int rc_connect(struct trial *trial, const struct qp_shape *shape, uint64_t bytes,
	       struct rc_path paths[static 2]);
/*
 * Carries out a transfer by `from` and checks the completions of both sides, each byte that
 * arrived, the guards, and that the source is unchanged. A failure marks the row and is returned.
 */
int rc_transfer(struct trial *trial, const struct rc_path *path,
		const struct rc_transfer *transfer);
/* Prepends to the reason of a failed row what was being done; returns rc. */
int rc_name_failure(struct trial *trial, int rc, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * ibv_query_qp() must return this state. siw may return RESET as well: its siw_query_qp() does not
 * set the state in some kernels, 6.1 among them.
 */
int rc_expect_state(struct trial *trial, struct side *side, uint32_t slot, uint32_t state);
/* Room for a receive that gets no data, in the guard: not every provider takes an empty one. */
struct span rc_no_data(void);
/* Contiguous bytes of the data, `offset` from its beginning. */
struct span rc_data(uint64_t offset, uint64_t bytes);

/* tests_rc_atomic.c */
void rc_run_fetch_add(struct trial *trial);
void rc_run_compare_swap(struct trial *trial);
void rc_run_contended(struct trial *trial);
/* tests_rc_cq.c: unsignaled batches, shared receive queues */
void rc_run_unsignaled(struct trial *trial);
void rc_run_shared(struct trial *trial);
/* tests_rc_events.c */
void rc_run_event(struct trial *trial);
void rc_run_solicited(struct trial *trial);
/* tests_rc_states.c */
void rc_run_states(struct trial *trial);
