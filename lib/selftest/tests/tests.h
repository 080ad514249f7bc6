/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the tests of reliable connections: one transfer and everything that is checked about
 * it, and the parts of the test table in other files. The data of a transfer are in the buffer
 * TRIAL_DATA of both sides at the same offset, between guards that the transfer must not change.
 */
#pragma once

#include <errno.h>

#include "selftest/trial/trial.h"

/* Data begin 3 bytes before the end of a page, so longer transfers cross it. */
#define RC_GUARD_BYTES (4096u - 3u)
#define RC_GUARD_BYTE  0xa5u

/* vendor_id of drivers with peculiarities: rxe_param.h and siw.h, drivers/infiniband/sw. */
#define RC_VENDOR_RXE 0xffffffu
#define RC_VENDOR_SIW 0x626d74u

/* The next step when a device violates the specification. */
extern const char rc_firmware_hint[];

/* Whether `rc` of a side_...() says that the device or its driver does not have what it takes. */
static inline bool tests_lacks(const struct side *side, int rc)
{
	return rc == -EREMOTEIO && side->refused.refusal == REFUSAL_FAILED &&
	       side->refused.error == EOPNOTSUPP;
}

/*
 * Creates a queue pair of this kind (enum qp_kind) that sends `bytes` inline, and destroys it.
 * Returns 0, or the errno of the side that cannot. One that cannot create it even without inline
 * data lacks something else, and a side that is gone cannot tell: connecting reports that.
 */
int tests_try_inline(struct side *side, uint32_t kind, uint32_t bytes);

/* A connection as one of its ends sees it. */
struct rc_path {
	struct side *from, *to;
	uint32_t slot;
};

struct rc_transfer {
	uint32_t operation; /* enum post_operation, no atomic one */
	bool inlined;	    /* with an invalid lkey, which is ignored then */
	uint64_t bytes;
	uint32_t iteration;
};

/* "RDMA write" */
const char *rc_operation_name(uint32_t operation);
/* Registers a buffer on both sides for `bytes` of data between guards; fills both directions. */
int rc_buffers(struct trial *trial, uint64_t bytes, struct rc_path paths[static 2]);
/* Like rc_buffers(), with a connection in slot 0. */
int rc_connect(struct trial *trial, const struct qp_shape *shape, uint64_t bytes,
	       struct rc_path paths[static 2]);
/*
 * Carries out a transfer by `from`, then checks the completions on both sides, each byte that
 * arrived, the guards, and that the source is unchanged. Returns a failure after marking the row.
 */
int rc_transfer(const struct rc_path *path, const struct rc_transfer *transfer);
/* Transfers both ways on one connection; the second transfer uses the next iteration. */
int rc_both_ways(const struct rc_path paths[static 2], struct rc_transfer transfer);
/* Prepends what was being done to the reason of a failed row; returns rc. */
int rc_name_failure(struct trial *trial, int rc, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Fails the row if the wait ended early, before the completion came and its time was over. */
int rc_explain_stop(struct side *side, const struct message_waited *waited, uint32_t msec);
/* Expects the successful completion of `operation` (enum post_operation) at its requester. */
int rc_expect_sent(const struct rc_path *path, uint64_t id, uint32_t operation);
/*
 * Send a message without data, and expect it: on every transport, its arrival proves that the
 * writes before it arrived.
 */
int rc_post_empty(const struct rc_path *path, uint64_t id);
int rc_expect_empty(const struct rc_path *path, uint64_t id);
/* Contiguous part of the data, `offset` bytes from its beginning. */
struct span rc_data(uint64_t offset, uint64_t bytes);

/* tests_rc_queues.c: atomic operations */
void rc_run_fetch_add(struct trial *trial);
void rc_run_compare_swap(struct trial *trial);
void rc_run_contended(struct trial *trial);
/* tests_rc_queues.c: unsignaled batches, shared receive queues */
void rc_run_unsignaled(struct trial *trial);
void rc_run_shared(struct trial *trial);
/* tests_rc_events.c */
/* Wakes each side, in turn, by a message: on a new connection, with completion channels. */
int rc_wake_both(struct trial *trial, uint32_t times);
void rc_run_event(struct trial *trial);
void rc_run_solicited(struct trial *trial);
/* tests_rc_states.c */
/* The state of a queue pair whose driver does not report it. */
#define RC_STATE_UNKNOWN UINT32_MAX
/*
 * Queries a queue pair. Some drivers do not report the state, which the row remarks: mana has no
 * query (mana_ctx_ops in providers/mana/mana.c of rdma-core), and siw_query_qp() does not set the
 * state in some kernels, 6.1 among them, so it stays RESET.
 */
int rc_query(struct side *side, uint32_t slot, struct message_queried *ret);
/*
 * Fails the row unless ibv_query_qp() returns this state, or none. The first state on iWARP is
 * IDLE, which drivers report as RESET or INIT; it passes as RESET.
 */
int rc_expect_state(struct side *side, uint32_t slot, uint32_t state);
/*
 * Posts a message without data in the state ERR. Some drivers check the state and refuse, which is
 * as good as flushing, and the row remarks it: then *ret_posted is false.
 */
int rc_post_in_error(struct side *side, uint64_t id, bool *ret_posted);
void rc_run_states(struct trial *trial);

/*
 * Shared by the tests of transports without acknowledgements: losing a message is no error there,
 * so it is sent again a few times, and the row says how many were lost.
 */

/* The buffer TRIAL_DATA on each side: the data to send, then the area for received messages. */
#define DATAGRAM_ROOM	 16384u
#define DATAGRAM_RECEIVE DATAGRAM_ROOM
#define DATAGRAM_BYTES	 (2 * DATAGRAM_ROOM)

/* One direction of a connection. */
struct datagram_path {
	struct side *from, *to;
	uint32_t src_qpn;
	uint32_t header; /* bytes before the data that arrives */
	uint32_t qpn;	 /* UD: destination, and its Q_Key */
	uint32_t qkey;
	uint32_t sent, lost; /* messages so far */
	uint64_t next_id;
};

/* Connects queue pairs of `kind`, registers their buffers and fills both directions. */
int datagram_connect(struct trial *trial, uint32_t kind, struct datagram_path paths[static 2]);
/* Clears the receive area and posts one receive for a message of `bytes`. */
int datagram_receive(struct datagram_path *path, uint64_t bytes);
/* Posts a send of `bytes` and expects its completion. */
int datagram_send(struct datagram_path *path, uint64_t bytes);
/* Fails the row with `complaint` if a message arrives within `msec`. */
int datagram_expect_none(struct datagram_path *path, uint32_t msec, const char *complaint);
/*
 * Sends a message to the posted receive, again if it is lost, and checks each byte that arrives.
 * *ret may be NULL.
 */
int datagram_pass(struct datagram_path *path, uint64_t bytes, uint32_t iteration,
		  struct work_completion *ret);
/* Like datagram_pass(), but posts the receive first. */
int datagram_transfer(struct datagram_path *path, uint64_t bytes, uint32_t iteration,
		      struct work_completion *ret);
/* Checks the addresses in the header of the message that arrived last. */
int datagram_check_header(struct datagram_path *path, const struct gid *source,
			  const struct gid *destination);
/* Remarks how many messages were lost in both directions, if any. */
void datagram_remark_losses(struct trial *trial, const struct datagram_path paths[static 2]);

/*
 * A fault as a row of a table: what is done wrong on a reliable connection, and how both sides must
 * report it according to the InfiniBand Architecture Specification, volume 1 (requester: 9.9.2;
 * responder and its fault classes: 9.9.3; states: 10.3.1; completions: 11.6.2). The faults are in
 * tests_fault.c; tests_fault_run.c injects them.
 */

enum fault_flag {
	FAULT_BAD_KEY = 1 << 0,	    /* the requester's lkey is invalid */
	FAULT_BAD_RKEY = 1 << 1,    /* the rkey is invalid */
	FAULT_OLD_RKEY = 1 << 2,    /* the far memory is no longer registered */
	FAULT_NEAR_DOMAIN = 1 << 3, /* the near QP and its memory are in different domains */
	FAULT_FAR_DOMAIN = 1 << 4,
	FAULT_NO_RECEIVE = 1 << 5, /* no receive is posted for the message */
	FAULT_GONE = 1 << 6,	   /* the far queue pair was destroyed */
	FAULT_NEEDS_ATOMICS = 1 << 7,
	FAULT_ALONE = 1 << 8, /* post nothing after it: that might be carried out, too */
};

struct fault {
	const char *name;   /* RDMA write past the end of the memory region */
	uint32_t operation; /* enum post_operation */
	uint32_t flags;	    /* enum fault_flag */
	uint32_t bytes;	    /* length of the message */
	int32_t shift;	    /* of the remote address, from the start of the far data */
	uint32_t access;    /* enum buffer_access of the far memory; 0: trial_access() */
	uint32_t receive;   /* bytes of the far receive; 0: no message arrives for it */
	uint32_t near;	    /* enum ibv_wc_status of the request */
	uint32_t near_also; /* bits of FAULT_STATUS() that known drivers report instead */
	uint32_t far; /* of the far receive; FAULT_UNNOTICED: it stays posted, the far QP in RTS */
	uint32_t far_also;
};

#define FAULT_UNNOTICED	   UINT32_MAX
#define FAULT_STATUS(code) (1u << (code))

/* Far memory: FAULT_BYTES long; the data of a fault begins at FAULT_OFFSET. */
#define FAULT_BYTES  32768
#define FAULT_OFFSET 8192

/*
 * Injects each fault of the list on a new connection and marks the row. An entry without a name
 * ends the list.
 */
void fault_run(struct trial *trial, const struct fault *faults);
