/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the tests of reliable connections share: one transfer with all that is checked of it, and
 * the parts of the table that are in files of their own. The data of a transfer lies in slot
 * TRIAL_DATA of both sides at the same offset, between guards that the transfer must leave alone.
 */
#pragma once

#include "selftest/trial/trial.h"

/* Data begins 3 bytes before the end of a page: whatever is longer than that crosses it. */
#define RC_GUARD_BYTES (4096u - 3u)
#define RC_GUARD_BYTE  0xa5u

/* vendor_id of drivers with ways of their own: rxe_param.h and siw.h, drivers/infiniband/sw. */
#define RC_VENDOR_RXE 0xffffffu
#define RC_VENDOR_SIW 0x626d74u

/* The next step when a device does other than the specification says. */
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
	bool bad_key; /* the local key is none: right for inline data, whose key nobody looks at */
};

/* "RDMA write" */
const char *rc_operation_name(uint32_t operation);
/* vendor_id of the side's device. */
uint32_t rc_vendor(const struct trial *trial, const struct side *side);
/* A buffer for data of up to that size between its guards on both sides; their ways there. */
int rc_buffers(struct trial *trial, uint64_t bytes, struct rc_path paths[static 2]);
/* The same, with a connection in slot 0. */
int rc_connect(struct trial *trial, const struct pair_shape *shape, uint64_t bytes,
	       struct rc_path paths[static 2]);
/*
 * Carries out a transfer of `from` to its end and checks the completions of both sides, each byte
 * that arrived, the guards, and that the source is as it was. A failure marks the row and is
 * returned.
 */
int rc_transfer(struct trial *trial, const struct rc_path *path,
		const struct rc_transfer *transfer);
/* A row that failed tells what it was doing; returns rc. */
int rc_name_failure(struct trial *trial, int rc, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * The state that ibv_query_qp tells must be this one. From siw, RESET is taken as well: its
 * siw_query_qp() leaves the state out in some kernels, 6.1 among them.
 */
int rc_expect_state(struct trial *trial, struct side *side, uint32_t slot, uint32_t state);
/* Room for a receive that gets no data, in the guard: not every provider takes one without. */
struct span rc_no_data(void);
/* Contiguous bytes of the data, `offset` from its beginning. */
struct span rc_data(uint64_t offset, uint64_t bytes);

/* tests_rc_atomic.c */
void rc_run_fetch_add(struct trial *trial);
void rc_run_compare_swap(struct trial *trial);
void rc_run_contended(struct trial *trial);
/* tests_rc_queues.c: unsignalled batches, shared receive queues */
void rc_run_unsignaled(struct trial *trial);
void rc_run_shared(struct trial *trial);
/* tests_rc_events.c */
void rc_run_event(struct trial *trial);
void rc_run_solicited(struct trial *trial);
/* tests_rc_states.c */
void rc_run_states(struct trial *trial);
