/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mckey of rdma-core, as its receiver (the server here) and its sender: both join a multicast group
 * through librdmacm (mckey.c); the sender sends a number of datagrams, each once, and leaves
 * (mckey_run.c). Functions return 0 or -errno; the row then has its verdict.
 */
#pragma once

#include "selftest/interop/interop.h"

struct mckey {
	struct interop *session;
	struct cm_news joined;
};

/* Waits `msec`; fails when the run is over or the port goes down. */
int mckey_pause(struct mckey *run, unsigned int msec);
/* Sends all datagrams. */
int mckey_send(struct mckey *run);
/*
 * Waits for the first datagram, as long as the user likes, then receives all datagrams of one
 * sender. There is no row if the user interrupts before the first one.
 */
int mckey_receive(struct mckey *run);
