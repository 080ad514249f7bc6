/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The far side of a test, as the near side sees it: a thread of this process for loopback, a server
 * at the other end of a TCP connection for a peer.
 */
#pragma once

#include <sched.h>

#include "selftest/trial/trial.h"

/*
 * Both sides of a loopback measurement poll without a pause, and one woke the other: the scheduler
 * tends to put such threads on one processor, and leaves them there for longer than a measurement
 * lasts. So each gets half of the processors.
 */
struct processors {
	cpu_set_t all; /* that the process may use */
	bool split;    /* false: there is one, or more than a cpu_set_t holds */
};

/*
 * Every other processor, from the first (half 0) or the second (1): with the usual numbering the
 * two threads of a core are in the same half. False if a half would be empty.
 */
bool processors_half(const cpu_set_t *all, unsigned int half, cpu_set_t *ret);

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
