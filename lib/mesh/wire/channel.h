/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages over a stream socket that never blocks: what has come, and what waits to be sent, in
 * bounded buffers that exist only while there is something in them.
 */
#pragma once

#include "mesh/wire/mesh_message.h"

/* Unsent bytes that a channel keeps: orders on all rails, twice. Whoever reads so late is lost. */
#define MESH_CHANNEL_MOST_UNSENT (64u << 10)

struct mesh_channel {
	int fd; /* -1: closed */
	uint8_t *in, *out;
	size_t in_at, in_length;   /* received and not yet decoded: in[in_at] ... */
	size_t out_at, out_length; /* not yet sent */
	size_t out_room;	   /* bytes that fit into out */
	bool drained;	     /* all that had come was received: nothing is left in the socket */
	uint64_t heard_msec; /* when something came last; at first, when it was opened */
	uint64_t messages_in, messages_out, bytes_in, bytes_out;
};

/* The channel owns the socket from now on. */
void mesh_channel_open(struct mesh_channel *channel, int fd);
void mesh_channel_close(struct mesh_channel *channel);
/* Reads once. 0: something came; -EAGAIN; -ECONNRESET: the other side has ended; -errno. */
int mesh_channel_receive(struct mesh_channel *channel);
/* The next message that has come: 1; 0: none; -errno of mesh_message_decode(): the end. */
int mesh_channel_next(struct mesh_channel *channel, struct mesh_message *message);
/* Queues it. -ENOBUFS: too much waits already. */
int mesh_channel_put(struct mesh_channel *channel, const struct mesh_message *message);
/* Sends what waits. 0: all is sent; -EAGAIN: when it is writable again; -errno. */
int mesh_channel_flush(struct mesh_channel *channel);

/*
 * Whether a side that looked last at `looked_msec` was stopped itself, perhaps with the whole host:
 * the other is not silent then, nobody has listened. A ping comes each quarter of the silence, so
 * who has not looked for half of it misses nobody: that makes three quarters. Both sides look more
 * often than that.
 */
bool mesh_was_stopped(uint64_t looked_msec, uint64_t now_msec, uint32_t silence_msec);
