/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages over a stream socket, whole or not at all, within a time. What the peer sends is checked
 * by message.h; a peer that is slow, stops in the middle or sends something else ends the exchange.
 */
#pragma once

#include "selftest/wire/message.h"
#include "selftest/trial/watch.h"

/* 0 or -errno: -EPIPE, -ECONNRESET, -ETIMEDOUT. */
int exchange_send(int channel, const struct message *message, unsigned int msec);
/*
 * Waits for the next message at most `msec` until its first byte, then a few seconds for the rest.
 * `watch` may be NULL; what it tells of signals and of the device ends the wait with *ret_stop. 0;
 * -ECONNRESET: the peer closed; -ETIMEDOUT; -EINTR: *ret_stop tells; -EPROTO, -EPROTONOSUPPORT,
 * -EMSGSIZE, -ERANGE: not a message, *ret_complaint says what is wrong with it, a constant string.
 */
int exchange_receive(int channel, struct watch *watch, unsigned int msec, struct message *message,
		     enum stop *ret_stop, const char **ret_complaint);
