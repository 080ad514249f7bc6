/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An HTTP server with one page, /metrics, on libmicrohttpd, which is loaded only when serving
 * begins. It runs in the caller's thread, answers one request after the other, and gives each
 * connection a bounded time. TLS and passwords are left to a proxy.
 */
#pragma once

#include <stddef.h>

#include "render/metrics.h"

struct metrics_service {
	int listen_fd; /* a listening socket, which remains the caller's */
	/*
	 * Makes the page in memory, for this module to free. A negative result is an -errno, and
	 * the client gets a status of 503.
	 */
	int (*make)(void *context, enum metrics_format format, char **ret_text, size_t *ret_length);
	/* Called as soon as clients are answered. */
	void (*begun)(void *context);
	void *context;
	bool fixed; /* always `format`; else OpenMetrics for clients that accept it */
	enum metrics_format format;
};

/*
 * Opens a listening TCP socket on a numeric ADDRESS:PORT, [ADDRESS]:PORT, or PORT, which means
 * 127.0.0.1. The caller closes it. Returns 0, -EINVAL if the text is none of these, or another
 * -errno.
 */
int metrics_listen(const char *text, int *ret_fd);
/* Gets the socket that systemd handed over (sd_listen_fds(3)), or returns -ENOENT. */
int metrics_inherit(int *ret_fd);
/* Returns where such a socket listens, for people: 127.0.0.1:9879; the caller frees it. */
char *metrics_address(int fd);
/*
 * Serves until SIGINT, SIGTERM or SIGHUP. Returns 0 or -errno: -ELIBACC or -ELIBBAD if there is no
 * usable libmicrohttpd, -EIO if it cannot start.
 */
int metrics_serve(const struct metrics_service *service);
