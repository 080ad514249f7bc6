/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The time that only goes forward: CLOCK_MONOTONIC since some moment in the past, for deadlines,
 * and the same by the raw oscillator, for measuring.
 */
#pragma once

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_nsec(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/*
 * CLOCK_MONOTONIC_RAW: NTP slews the other one, by up to 500 ppm, and a measurement with it. It is
 * no moment of clock_nsec()'s: only differences have a meaning.
 */
static inline uint64_t clock_raw_nsec(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline uint64_t clock_msec(void)
{
	return clock_nsec() / 1000000;
}

/* Milliseconds until then, 0 if it has passed; for poll(2). */
static inline int clock_msec_until(uint64_t end_msec)
{
	uint64_t now = clock_msec();

	return now < end_msec ? (int)(end_msec - now) : 0;
}
