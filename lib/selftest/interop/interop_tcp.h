/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * TCP with deadlines, for short texts: nothing blocks for longer than asked, and the watch's
 * signals and device end every wait. The caller closes what it gets.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/gid.h"
#include "selftest/trial/watch.h"

/*
 * 0 or -errno: -EINTR and -ENODEV if the watch ended it, -ETIMEDOUT, and what the socket says.
 */
int interop_tcp_connect(struct watch *watch, const struct sockaddr_storage *address,
			unsigned int msec, int *ret_fd);
/* Listens; ip of family 0: at every address. 0 or -errno. */
int interop_tcp_listen(const struct ip_address *ip, uint32_t scope, uint32_t port, int *ret_fd);
/* Waits for a client as long as it takes. */
int interop_tcp_accept(struct watch *watch, int listener, int *ret_fd,
		       struct sockaddr_storage *ret_address);
/* Exactly `length` bytes. Also -ECONNRESET: the peer closed. */
int interop_tcp_read(struct watch *watch, int fd, void *bytes, size_t length, unsigned int msec);
int interop_tcp_write(struct watch *watch, int fd, const void *bytes, size_t length,
		      unsigned int msec);
