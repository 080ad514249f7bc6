/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For the tests of netlink sources: messages put together by hand, and a kernel at the other end of
 * a socket pair, which answers in a separate thread.
 */
#pragma once

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <linux/netlink.h>

struct bytes {
	size_t length;
	_Alignas(8) uint8_t data[16384];
};

static inline void bytes_put(struct bytes *bytes, const void *data, size_t length)
{
	memcpy(bytes->data + bytes->length, data, length);
	memset(bytes->data + bytes->length + length, 0, NLMSG_ALIGN(length) - length);
	bytes->length += NLMSG_ALIGN(length);
}

static inline void put_attribute(struct bytes *bytes, unsigned int type, const void *data,
				 size_t length)
{
	const struct nlattr header = {.nla_len = (uint16_t)(NLA_HDRLEN + length),
				      .nla_type = (uint16_t)type};

	bytes_put(bytes, &header, sizeof(header));
	bytes_put(bytes, data, length);
}

static inline void put_u8(struct bytes *bytes, unsigned int type, uint8_t value)
{
	put_attribute(bytes, type, &value, sizeof(value));
}

static inline void put_u16(struct bytes *bytes, unsigned int type, uint16_t value)
{
	put_attribute(bytes, type, &value, sizeof(value));
}

static inline void put_u32(struct bytes *bytes, unsigned int type, uint32_t value)
{
	put_attribute(bytes, type, &value, sizeof(value));
}

static inline void put_u64(struct bytes *bytes, unsigned int type, uint64_t value)
{
	put_attribute(bytes, type, &value, sizeof(value));
}

/* Includes the NUL, as in the kernel. */
static inline void put_string(struct bytes *bytes, unsigned int type, const char *string)
{
	put_attribute(bytes, type, string, strlen(string) + 1);
}

static inline void put_nest(struct bytes *bytes, unsigned int type, const struct bytes *nest)
{
	put_attribute(bytes, type, nest->data, nest->length);
}

static inline void put_message(struct bytes *bytes, unsigned int type, unsigned int flags,
			       uint32_t sequence, const void *payload, size_t length)
{
	const struct nlmsghdr header = {.nlmsg_len = (uint32_t)(NLMSG_HDRLEN + length),
					.nlmsg_type = (uint16_t)type,
					.nlmsg_flags = (uint16_t)flags,
					.nlmsg_seq = sequence};

	bytes_put(bytes, &header, sizeof(header));
	bytes_put(bytes, payload, length);
}

/* NLMSG_ERROR with the kernel's text and the request without its payload (capped). */
static inline void put_error(struct bytes *bytes, uint32_t sequence, int error, const char *text)
{
	const struct nlmsgerr refusal = {.error = error, .msg.nlmsg_len = 200};
	struct bytes payload = {0};

	bytes_put(&payload, &refusal, sizeof(refusal));
	if (text)
		put_string(&payload, NLMSGERR_ATTR_MSG, text);
	put_message(bytes, NLMSG_ERROR, NLM_F_CAPPED | (text ? NLM_F_ACK_TLVS : 0), sequence,
		    payload.data, payload.length);
}

static inline void put_done(struct bytes *bytes, uint32_t sequence, int error)
{
	put_message(bytes, NLMSG_DONE, NLM_F_MULTI, sequence, &error, sizeof(error));
}

/* The other end. `serve` gets each datagram of requests and answers with fake_send(). */
struct fake_kernel {
	int fd;
	pthread_t thread;
	unsigned int datagrams;
	void (*serve)(struct fake_kernel *kernel, const struct bytes *requests);
	void *context;
};

static inline void fake_send(struct fake_kernel *kernel, const struct bytes *datagram)
{
	(void)!send(kernel->fd, datagram->data, datagram->length, MSG_NOSIGNAL);
}

static inline void *fake_run(void *argument)
{
	struct fake_kernel *kernel = argument;
	struct bytes requests;
	ssize_t length;

	while ((length = recv(kernel->fd, requests.data, sizeof(requests.data), 0)) > 0) {
		requests.length = (size_t)length;
		kernel->datagrams++;
		kernel->serve(kernel, &requests);
	}
	return NULL;
}

/* Returns the descriptor for the code under test. */
static inline int fake_start(struct fake_kernel *kernel)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds))
		return -1;
	kernel->fd = fds[1];
	if (pthread_create(&kernel->thread, NULL, fake_run, kernel))
		return -1;
	return fds[0];
}

/* Call this after the code under test has closed its end. */
static inline void fake_stop(struct fake_kernel *kernel)
{
	pthread_join(kernel->thread, NULL);
	close(kernel->fd);
}

/* Shortens the timeout for tests that lose answers. */
static inline void hurry(int fd)
{
	const struct timeval patience = {.tv_sec = 1};

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
}

/* Iterates over the messages of a datagram: `for (... = first; message; message = next(...))`. */
static inline const struct nlmsghdr *message_at(const struct bytes *bytes, size_t offset)
{
	if (offset + NLMSG_HDRLEN > bytes->length)
		return NULL;
	return (const struct nlmsghdr *)(bytes->data + offset);
}

#define for_each_message(message, bytes)                                                      \
	for (const struct nlmsghdr *message = message_at(bytes, 0); message;                  \
	     message = message_at(bytes, (size_t)((const uint8_t *)message - (bytes)->data) + \
						 NLMSG_ALIGN(message->nlmsg_len)))
