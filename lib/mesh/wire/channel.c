/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mesh/wire/mesh_message.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

/* Room for the longest message, or for several typical ones. */
#define IN_BYTES  (2 * MESH_MOST_BYTES)
#define OUT_BYTES (2 * MESH_MOST_BYTES)

void mesh_channel_open(struct mesh_channel *channel, int fd)
{
	const int yes = 1;

	*channel = (struct mesh_channel){.fd = fd, .heard_msec = clock_msec()};
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	/* TCP only: it fails, harmlessly, on the socketpair of a test. */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
}

static void drop_input(struct mesh_channel *channel)
{
	free(channel->in);
	channel->in = NULL;
	channel->in_at = channel->in_length = 0;
}

static void drop_output(struct mesh_channel *channel)
{
	free(channel->out);
	channel->out = NULL;
	channel->out_at = channel->out_length = channel->out_room = 0;
}

void mesh_channel_close(struct mesh_channel *channel)
{
	if (channel->fd >= 0)
		close(channel->fd);
	channel->fd = -1;
	drop_input(channel);
	drop_output(channel);
}

int mesh_channel_receive(struct mesh_channel *channel)
{
	size_t room;
	ssize_t got;

	if (!channel->in)
		channel->in = mem_resize(NULL, IN_BYTES, 1);
	memmove(channel->in, channel->in + channel->in_at, channel->in_length);
	channel->in_at = 0;
	room = IN_BYTES - channel->in_length;
	got = recv(channel->fd, channel->in + channel->in_length, room, MSG_DONTWAIT);
	if (got > 0) {
		channel->drained = (size_t)got < room;
		channel->in_length += (size_t)got;
		channel->bytes_in += (uint64_t)got;
		channel->heard_msec = clock_msec();
		return 0;
	}
	if (!got)
		return -ECONNRESET;
	return errno == EINTR ? -EAGAIN : -errno;
}

int mesh_channel_next(struct mesh_channel *channel, struct mesh_message *message)
{
	ssize_t taken = 0;

	if (channel->in)
		taken = mesh_message_decode(channel->in + channel->in_at, channel->in_length,
					    message);
	if (taken < 0)
		return (int)taken;
	channel->in_at += (size_t)taken;
	channel->in_length -= (size_t)taken;
	channel->messages_in += taken > 0;
	if (!channel->in_length)
		drop_input(channel);
	return taken > 0;
}

int mesh_channel_put(struct mesh_channel *channel, const struct mesh_message *message)
{
	const size_t end = channel->out_at + channel->out_length;
	size_t length;

	/* Room for this message and some after it. */
	if (!channel->out || channel->out_room - end < MESH_MOST_BYTES) {
		channel->out_room = end + OUT_BYTES;
		channel->out = mem_resize(channel->out, channel->out_room, 1);
	}
	length = mesh_message_encode(message, channel->out + end);
	if (channel->out_length + length > MESH_CHANNEL_MOST_UNSENT)
		return -ENOBUFS;
	channel->out_length += length;
	channel->messages_out++;
	return 0;
}

int mesh_channel_flush(struct mesh_channel *channel)
{
	while (channel->out_length) {
		ssize_t sent = send(channel->fd, channel->out + channel->out_at,
				    channel->out_length, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0 && errno == EAGAIN) {
			memmove(channel->out, channel->out + channel->out_at, channel->out_length);
			channel->out_at = 0;
			return -EAGAIN;
		}
		if (sent < 0)
			return -errno;
		channel->out_at += (size_t)sent;
		channel->out_length -= (size_t)sent;
		channel->bytes_out += (uint64_t)sent;
	}
	drop_output(channel);
	return 0;
}

bool mesh_was_stopped(uint64_t looked_msec, uint64_t now_msec, uint32_t silence_msec)
{
	return now_msec - looked_msec > silence_msec / 2;
}
