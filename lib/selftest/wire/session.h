/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The far side of a test, from the near side's view: a thread of this process for loopback, a
 * server behind a TCP connection for a peer.
 */
#pragma once

#include "selftest/trial/processors.h"
#include "selftest/trial/trial.h"

struct session {
	int channel;
	pthread_t thread;
	bool in_thread;
	struct endpoint endpoint; /* loopback: of both sides */
	struct processors processors;
	int far_channel;
};

/* Each leaves trial->far ready for orders, or fails the running row and returns -errno. */
int session_open_loopback(struct session *session, struct trial *trial,
			  const struct endpoint *endpoint);
int session_open_peer(struct session *session, struct trial *trial);
void session_close(struct session *session, struct trial *trial);
