/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the tests of transports share that acknowledge nothing: a message that is lost on its way is
 * no error there, so it is sent again, a few times, and the row tells how many were lost.
 */
#pragma once

#include "selftest/trial/trial.h"

/* The receive buffer of a UD queue pair begins with room for a GRH (IBTA 1, 11.4.1.2). */
#define DATAGRAM_HEADER_BYTES 40u

/* Parts of the buffer TRIAL_DATA on each side: what is sent, and where messages arrive. */
#define DATAGRAM_ROOM	 16384u
#define DATAGRAM_RECEIVE DATAGRAM_ROOM
#define DATAGRAM_BYTES	 (2 * DATAGRAM_ROOM)

/* One direction of a connection. */
struct datagram_way {
	struct side *from, *to;
	uint32_t source; /* QPN of the sender */
	uint32_t header; /* bytes before the data that arrives */
	uint32_t number; /* UD: QPN and Q_Key to send to */
	uint32_t qkey;
	uint32_t sent, lost; /* messages so far */
	uint64_t next_id;
};

/* Queue pairs of that kind and their buffers; both directions in *ways. */
int datagram_connect(struct trial *trial, uint32_t kind, struct datagram_way ways[static 2]);
/* Fills the message to send. */
int datagram_fill(struct trial *trial, struct datagram_way *way, uint64_t bytes,
		  uint32_t iteration);
/* Empties the receive area and posts one receive for a message of so many bytes. */
int datagram_receive(struct trial *trial, struct datagram_way *way, uint64_t bytes);
/* Posts a send of it, and expects that this completes. */
int datagram_send(struct trial *trial, struct datagram_way *way, uint64_t bytes);
/*
 * What comes within `msec`, without a verdict on it if nothing does: *ret_count is 0 or 1. An error
 * only if the wait itself failed.
 */
int datagram_look(struct trial *trial, struct datagram_way *way, uint32_t msec, uint32_t *ret_count,
		  struct work_completion *ret);
/* Nothing may come within `msec`: what comes fails the row with these words. */
int datagram_expect_none(struct trial *trial, struct datagram_way *way, uint32_t msec,
			 const char *complaint);
/*
 * Sends a message to the receive that is there, again while it is lost, and checks each byte that
 * arrived. *ret may be NULL.
 */
int datagram_pass(struct trial *trial, struct datagram_way *way, uint64_t bytes, uint32_t iteration,
		  struct work_completion *ret);
/* The same with a receive of its own. */
int datagram_transfer(struct trial *trial, struct datagram_way *way, uint64_t bytes,
		      uint32_t iteration, struct work_completion *ret);
/* The addresses in the header of the message that arrived last. */
int datagram_check_header(struct trial *trial, struct datagram_way *way, const struct gid *source,
			  const struct gid *destination);
/* Says how many messages of both directions were lost, if any were. */
void datagram_remark_losses(struct trial *trial, const struct datagram_way ways[static 2]);

/* tests_multicast.c: joins a group on both sides, with messages before and after the far one
 * leaves. */
void multicast(struct trial *trial);
