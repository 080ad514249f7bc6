/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Decides whether a port is up, and whether two ports can talk to each other. The reason and the
 * next step are text that the caller frees. Names in endpoints are cleaned here.
 */
#pragma once

#include <stdbool.h>

#include "host/endpoint/endpoint.h"

/*
 * True if the port is known not to be active. `peer` is the host that it belongs to; NULL is this
 * host.
 */
bool endpoint_is_down(const struct endpoint *endpoint, const char *peer, char **ret_reason,
		      char **ret_hint);
/*
 * True if both are known and cannot talk to each other because transport, GID type or family
 * differ. `near_name` and `far_name` name them for the user.
 */
bool endpoint_mismatch(const struct endpoint *near, const char *near_name,
		       const struct endpoint *far, const char *far_name, char **ret_reason,
		       char **ret_hint);
/* DEV/PORT, clean; the caller frees it. */
char *endpoint_port_name(const struct endpoint *endpoint);
