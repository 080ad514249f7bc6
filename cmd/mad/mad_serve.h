/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The commands that answer datagrams: ping --serve, sysstat --serve. */
#pragma once

#include "cmd/mad/mad_listing.h"

/* As in ibping and ibsysstat: the server is a program, and may be busy. */
#define SERVER_TIMEOUT_MSEC 1000u

enum mad_service { SERVE_PING, SERVE_SYSSTAT };

/*
 * Answers on one port, named by `words` or --via, until a signal comes. Reports each client at its
 * first request with -v, and lists all of them at the end. Returns the exit status.
 */
int mad_serve(const struct ctx *ctx, const struct mad_args *args, enum mad_service service,
	      char **words);
