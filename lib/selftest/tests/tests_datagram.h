/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the tests of transports without acknowledgements: losing a message is no error there,
 * so it is sent again, a few times, and the row says how many were lost.
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
struct datagram_path {
	struct side *from, *to;
	uint32_t src_qpn;
	uint32_t header; /* bytes before the data that arrives */
	uint32_t qpn;	 /* UD: destination, and its Q_Key */
	uint32_t qkey;
	uint32_t sent, lost; /* messages so far */
	uint64_t next_id;
};

/* Queue pairs of that kind and their buffers; both directions in *paths. */
int datagram_connect(struct trial *trial, uint32_t kind, struct datagram_path paths[static 2]);
/* Fills the message to send. */
int datagram_fill(struct trial *trial, struct datagram_path *path, uint64_t bytes,
		  uint32_t iteration);
/* Empties the receive area and posts one receive for a message of so many bytes. */
int datagram_receive(struct trial *trial, struct datagram_path *path, uint64_t bytes);
/* Posts a send of it, and expects that this completes. */
int datagram_send(struct trial *trial, struct datagram_path *path, uint64_t bytes);
/* A message that arrives within `msec` fails the row with these words. */
int datagram_expect_none(struct trial *trial, struct datagram_path *path, uint32_t msec,
			 const char *complaint);
/*
 * Sends a message to the receive that is there, again while it is lost, and checks each byte that
 * arrived. *ret may be NULL.
 */
int datagram_pass(struct trial *trial, struct datagram_path *path, uint64_t bytes,
		  uint32_t iteration, struct work_completion *ret);
/* The same, and posts the receive first. */
int datagram_transfer(struct trial *trial, struct datagram_path *path, uint64_t bytes,
		      uint32_t iteration, struct work_completion *ret);
/* The addresses in the header of the message that arrived last. */
int datagram_check_header(struct trial *trial, struct datagram_path *path, const struct gid *source,
			  const struct gid *destination);
/* Remarks how many messages of both directions were lost, if any. */
void datagram_remark_losses(struct trial *trial, const struct datagram_path paths[static 2]);
