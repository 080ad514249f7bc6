/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events that end a wait or a measurement early: the user's signal, a peer that is gone or sends a
 * message, a device that was removed, no progress. A wait polls for all of them; a measurement
 * reads one flag, which a separate thread sets, so that its loop makes no system call.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "selftest/agent/api.h"
#include "selftest/wire/message.h"

struct watch {
	const struct api *api;
	struct ibv_context *context; /* its async events; NULL: none */
	uint32_t port;
	int channel;	  /* to the other side; -1: none */
	int signals;	  /* a signalfd; -1: none */
	bool patient;	  /* near side: a message of the other one is its answer, not a stop */
	bool port_down;	  /* an async event said so */
	bool interrupted; /* stays */
	bool device_gone; /* stays */
	atomic_int stop;  /* enum stop, for the loop that is watched */
	atomic_uint_fast64_t progress; /* the loop adds to it */
	unsigned int still_msec;
	int wake; /* an eventfd that ends the thread */
	pthread_t thread;
};

/* `context` may be NULL and set later; descriptors are borrowed. */
void watch_init(struct watch *watch, const struct api *api, int channel, int signals);
/* Adds the events of this device. */
void watch_device(struct watch *watch, struct ibv_context *context, uint32_t port);
/*
 * Waits at most `msec` until `fd` (-1: none) is readable or something else happens. STOP_NONE: `fd`
 * may be readable; STOP_TIMED_OUT: nothing happened.
 */
enum stop watch_wait(struct watch *watch, int fd, int msec);
/* Checks without waiting. */
enum stop watch_look(struct watch *watch);
/*
 * Watches in a thread until watch_end(): `stop` is set as soon as something happens, or when
 * `progress` has not changed for `still_msec`. 0 or -errno.
 */
int watch_begin(struct watch *watch, unsigned int still_msec);
enum stop watch_end(struct watch *watch);
