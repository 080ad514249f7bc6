/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a process of the server does for its one client: the handshake, then an agent that takes
 * orders until the client ends.
 */
#pragma once

#include "selftest/wire/message.h"
#include "selftest/agent/serve_report.h"
#include "selftest/agent/server.h"

/* Serves the client behind the socket, which stays open, and returns when it has ended. */
void serve_client(const struct selftest_service *service, int channel,
		  const struct ip_address *address, struct serve_report *ret_report);
/* Tells a client that it is not served, without waiting. */
void serve_refuse(int channel, enum refusal refusal, const char *text);
