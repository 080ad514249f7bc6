/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory windows, fences and completion vectors, which programs with many clients or with chained
 * requests rely on.
 */
#include <errno.h>
#include <inttypes.h>

#include "selftest/tests/tests.h"

/* The window is the middle third of the far buffer; a transfer is less than half of it. */
enum { PART_BYTES = 4096, PANE_BYTES = 3 * PART_BYTES, MOVED_BYTES = 512 };
enum { ID_BIND = 0x9000, ID_CLOSE, ID_USE };
#define UNTOUCHED_BYTE 0xa5

enum attempt { ATTEMPT_WRITE, ATTEMPT_READ, ATTEMPT_ACROSS, ATTEMPT_CLOSED, ATTEMPTS };

static const char *const attempts[ATTEMPTS] = {
	[ATTEMPT_WRITE] = "an RDMA write to the window",
	[ATTEMPT_READ] = "an RDMA read of a window for writes",
	[ATTEMPT_ACROSS] = "an RDMA write across the end of the window",
	[ATTEMPT_CLOSED] = "an RDMA write to a window that was closed",
};

struct pane {
	struct trial *trial;
	uint32_t type;
	uint32_t rkey; /* of the open window */
};

static int call_window(struct pane *pane, uint32_t action, uint64_t bytes, uint64_t id,
		       uint32_t *ret_rkey)
{
	const struct message_window order = {
		.action = action,
		.type = pane->type,
		.buffer = TRIAL_DATA,
		.access = ACCESS_WRITE,
		.offset = bytes ? PART_BYTES : 0,
		.bytes = bytes,
		.id = id,
	};
	struct trial *trial = pane->trial;
	struct message_windowed reply;
	int rc = side_window(&trial->far, &order, &reply);

	/* libmana makes windows, but cannot bind them: mana_ctx_ops, providers/mana/mana.c. */
	if (tests_lacks(&trial->far, rc)) {
		trial_skip(trial, "the %sdevice %s memory windows of type %" PRIu32,
			   trial->request->peer ? "peer's " : "",
			   action == WINDOW_MAKE ? "has no" : "cannot bind", pane->type);
		return rc;
	}
	if (!rc && ret_rkey)
		*ret_rkey = reply.rkey;
	return trial_explain(&trial->far, rc);
}

static int open_window(struct pane *pane)
{
	struct trial *trial = pane->trial;
	const struct span all = trial_span(0, PANE_BYTES);

	trial_release(trial);
	return trial_connect(trial, NULL, NULL) || trial_buffers(trial, PANE_BYTES) ||
	       trial_fill(&trial->near, all, 1) ||
	       trial_fill_constant(&trial->far, all, UNTOUCHED_BYTE) ||
	       call_window(pane, WINDOW_MAKE, 0, 0, NULL) ||
	       call_window(pane, WINDOW_BIND, PART_BYTES, ID_BIND, &pane->rkey) ||
	       trial_expect(&trial->far, ID_BIND, NULL);
}

/* A window of type 1 is closed by binding it to nothing, one of type 2 by invalidating it. */
static int close_window(struct pane *pane)
{
	return call_window(pane, pane->type == 1 ? WINDOW_BIND : WINDOW_INVALIDATE, 0, ID_CLOSE,
			   NULL) ||
	       trial_expect(&pane->trial->far, ID_CLOSE, NULL);
}

static int use_window(struct pane *pane, enum attempt attempt)
{
	const uint64_t start = attempt == ATTEMPT_ACROSS ? 2 * PART_BYTES - MOVED_BYTES / 2
							 : PART_BYTES;
	struct message_post order = trial_move(attempt == ATTEMPT_READ ? POST_READ : POST_WRITE,
					       ID_USE, trial_span(0, MOVED_BYTES),
					       &pane->trial->far, start);

	order.rkey = pane->rkey;
	return trial_post(&pane->trial->near, &order);
}

/* On every transport but iWARP, which is skipped, completion means that the data has arrived. */
static int expect_written(struct pane *pane)
{
	struct trial *trial = pane->trial;

	return trial_expect(&trial->near, ID_USE, NULL) ||
	       trial_check(&trial->far, trial_span(PART_BYTES, MOVED_BYTES), 1) ||
	       trial_check_constant(&trial->far, trial_span(0, PART_BYTES), UNTOUCHED_BYTE);
}

static int expect_refused(struct pane *pane, enum attempt attempt)
{
	struct trial *trial = pane->trial;
	struct message_waited waited;
	uint32_t status;

	if (trial_wait(&trial->near, 1, &waited))
		return -EIO;
	status = waited.items[0].status;
	/*
	 * Soft-RoCE checks the limits of the region, not those of the window: check_rkey(),
	 * drivers/infiniband/sw/rxe/rxe_resp.c.
	 */
	if (attempt == ATTEMPT_ACROSS && status == IBV_WC_SUCCESS &&
	    trial->far.can.vendor == RC_VENDOR_RXE) {
		trial_remark(trial, "Soft-RoCE enforces the limits of the memory region, not those "
				    "of its window");
		return 0;
	}
	if (status == IBV_WC_REM_ACCESS_ERR)
		return trial_check_constant(&trial->far, trial_span(0, PANE_BYTES), UNTOUCHED_BYTE);
	trial_note_status(trial, &waited.items[0]);
	return trial_fail(trial, status ? NULL : rc_firmware_hint,
			  "%s completed with '%s', not with '%s'", attempts[attempt],
			  completion_status_name(status),
			  completion_status_name(IBV_WC_REM_ACCESS_ERR));
}

static int try_window(struct pane *pane, enum attempt attempt)
{
	const int rc = open_window(pane) || (attempt == ATTEMPT_CLOSED && close_window(pane)) ||
		       use_window(pane, attempt) ||
		       (attempt == ATTEMPT_WRITE ? expect_written(pane)
						 : expect_refused(pane, attempt));

	return rc_name_failure(pane->trial, rc, "%s", attempts[attempt]);
}

static void run_window(struct trial *trial)
{
	struct pane pane = {.trial = trial, .type = (uint32_t)trial->test->value};
	int rc = 0;

	number_set(&trial->result->size_bytes, MOVED_BYTES);
	if (trial_is_iwarp(trial)) {
		trial_skip(trial, "a refused iWARP write ends the connection (RFC 5040, 7), and "
				  "says nothing about the window");
		return;
	}
	/*
	 * A dma-buf cannot have the right to bind: drivers/infiniband/core/uverbs_std_types_mr.c.
	 */
	if (trial->request->peer_memory.kind == MEMORY_DMABUF) {
		trial_skip(trial, "the kernel registers no dma-buf for memory windows");
		return;
	}
	for (enum attempt i = ATTEMPT_WRITE; i < ATTEMPTS && !rc; i++)
		rc = try_window(&pane, i);
}

/* ---- The fence ---- */

enum { FENCE_BYTES = 128 << 10, FENCE_ROUNDS = 8 };
enum { ID_FETCH = 0x9100, ID_FENCED, ID_ARRIVED };

/*
 * Posts a read into the first half of the near buffer and, at once, a send of these bytes to the
 * second half of the far one: without the fence the send may begin before the read has fetched them
 * (IBTA 1, 10.8.3.3). The far side's first half holds the pattern.
 */
static int fence_round(struct trial *trial, uint32_t round)
{
	const struct span first = trial_span(0, FENCE_BYTES);
	const struct span second = trial_span(FENCE_BYTES, FENCE_BYTES);
	const struct message_receive receive = {.id = ID_ARRIVED, .span = second};
	const struct message_post fetch = trial_move(POST_READ, ID_FETCH, first, &trial->far, 0);
	struct message_post send = trial_send(ID_FENCED, first);

	send.flags |= POST_FENCE;
	return trial_fill_constant(&trial->near, first, 0) ||
	       trial_fill(&trial->far, first, round) ||
	       trial_fill_constant(&trial->far, second, 0) ||
	       trial_receive(&trial->far, &receive) || trial_post(&trial->near, &fetch) ||
	       trial_post(&trial->near, &send) || trial_expect(&trial->near, ID_FETCH, NULL) ||
	       trial_expect(&trial->near, ID_FENCED, NULL) ||
	       trial_expect(&trial->far, ID_ARRIVED, NULL) ||
	       trial_check(&trial->near, first, round) ||
	       rc_name_failure(trial, trial_check(&trial->far, second, round),
			       "the fenced send did not wait for the RDMA read before it");
}

static void run_fence(struct trial *trial)
{
	int rc;

	number_set(&trial->result->size_bytes, FENCE_BYTES);
	rc = trial_connect(trial, NULL, NULL) || trial_buffers(trial, 2 * FENCE_BYTES);
	for (uint32_t round = 0; round < FENCE_ROUNDS && !rc; round++)
		rc = fence_round(trial, round);
	if (!rc)
		number_set(&trial->result->iterations, FENCE_ROUNDS);
}

/* ---- Completion vectors ---- */

/* Each takes 5 ms, and what its connection takes. */
#define MOST_VECTORS 64u

/*
 * Wakes both sides by completions on each vector, or on the one that takes its place if the device
 * of the other side has fewer. A vector whose interrupts are lost shows only in that.
 */
static void run_vectors(struct trial *trial)
{
	const int own = trial->near.agent->context->num_comp_vectors;
	const uint32_t vectors = at_most(own > 0 ? (uint32_t)own : 1, MOST_VECTORS);
	int rc = 0;

	for (uint32_t number = 0; number < vectors && !rc; number++) {
		const struct message_vector vector = {.vector = number};

		/* The vector is for the completion queues that are created next. */
		trial_release(trial);
		rc = trial_order(&trial->near, vector, &vector) ||
		     trial_order(&trial->far, vector, &vector) || rc_wake_both(trial, 1);
		rc_name_failure(trial, rc, "completion vector %" PRIu32, number);
	}
	number_set(&trial->result->completion_vectors, vectors);
	if (!rc)
		trial_remark(trial, "%" PRIu32 " of the device's %d completion vectors", vectors,
			     own);
}

const struct trial_test memory_tests[] = {
	{"rc-window-1", SELFTEST_RC, "a memory window of type 1 allows what it should, and no more",
	 0, run_window, 1},
	{"rc-window-2", SELFTEST_RC, "the same for type 2, which belongs to a queue pair", 0,
	 run_window, 2},
	{"rc-fence", SELFTEST_RC, "a fenced send waits for the RDMA read before it", 0, run_fence},
	{"rc-vectors", SELFTEST_RC, "completions that wake a sleeper, on each completion vector", 0,
	 run_vectors},
	{0},
};
