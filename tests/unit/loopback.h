/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For the tests that need a TCP port of this host that nobody uses. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <sys/socket.h>
#include <unistd.h>

/* A socket that holds the port without listening. */
static inline int loopback_socket(uint32_t *ret_port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&address, length), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &length), 0);
	*ret_port = ntohs(address.sin_port);
	return fd;
}

static inline uint32_t loopback_free_port(void)
{
	uint32_t port;

	close(loopback_socket(&port));
	return port;
}
