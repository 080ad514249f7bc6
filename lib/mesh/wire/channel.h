/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages over a nonblocking stream socket; received and unsent bytes are in bounded buffers that
 * exist only while they hold something.
 */
#pragma once

#include "mesh/wire/mesh_message.h"

/* Limit of unsent bytes: orders on all rails, twice. A side that reads so slowly is given up. */
#define MESH_CHANNEL_MOST_UNSENT (64u << 10)

struct mesh_channel {
	int fd; /* -1: closed */
	uint8_t *in, *out;
	size_t in_at, in_length;   /* received, not yet decoded: in[in_at] ... */
	size_t out_at, out_length; /* not yet sent */
	size_t out_room;	   /* allocated bytes of `out` */
	/* everything that had arrived was read: nothing is left in the socket */
	bool drained;
	uint64_t heard_msec; /* when data last arrived; at first, when it was opened */
	uint64_t messages_in, messages_out, bytes_in, bytes_out;
};

/* Takes over the socket. */
void mesh_channel_open(struct mesh_channel *channel, int fd);
void mesh_channel_close(struct mesh_channel *channel);
/* Reads once. Returns 0 if data came, -EAGAIN, -ECONNRESET if the peer has ended, or -errno. */
int mesh_channel_receive(struct mesh_channel *channel);
/*
 * Takes the next received message. Returns 1, 0 if there is none, or the -errno of
 * mesh_message_decode(), after which the channel is unusable.
 */
int mesh_channel_next(struct mesh_channel *channel, struct mesh_message *message);
/* Queues a message. Returns -ENOBUFS if too much is waiting already. */
int mesh_channel_put(struct mesh_channel *channel, const struct mesh_message *message);
/*
 * Sends what is queued. Returns 0 if all is sent, -EAGAIN if it must first become writable, or
 * -errno.
 */
int mesh_channel_flush(struct mesh_channel *channel);

/*
 * Whether a side that last looked at `looked_msec` was itself stopped, perhaps with the whole host:
 * then the peer is not silent, but nobody listened. Pings come every quarter of the silence
 * timeout, so after a gap of up to half of it the last message is at most three quarters old, and
 * nobody is given up wrongly. Both sides look more often than that.
 */
bool mesh_was_stopped(uint64_t looked_msec, uint64_t now_msec, uint32_t silence_msec);
