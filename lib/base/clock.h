/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Time. Monotonic: CLOCK_MONOTONIC for deadlines, CLOCK_BOOTTIME, which also runs while the host
 * sleeps, and the raw oscillator for measurements; all count from an arbitrary moment in the past.
 * As text: RFC 3339, in UTC, with milliseconds.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

static inline uint64_t clock_read(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline uint64_t clock_nsec(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

/* CLOCK_BOOTTIME, for how long something lasted: a port is down while the host sleeps, too. */
static inline uint64_t clock_boot_nsec(void)
{
	return clock_read(CLOCK_BOOTTIME);
}

/* Nanoseconds since the epoch. */
static inline uint64_t clock_wall_nsec(void)
{
	return clock_read(CLOCK_REALTIME);
}

/*
 * CLOCK_MONOTONIC_RAW, because NTP slews the other clock, and a measurement with it, by up to
 * 500 ppm. Not comparable with clock_nsec(): use differences only.
 */
static inline uint64_t clock_raw_nsec(void)
{
	return clock_read(CLOCK_MONOTONIC_RAW);
}

static inline uint64_t clock_msec(void)
{
	return clock_nsec() / 1000000;
}

/* Milliseconds until that time: 0 if it has passed, and at most what poll(2) takes, 24 days. */
static inline int clock_msec_until(uint64_t end_msec)
{
	const uint64_t now = clock_msec(), left = now < end_msec ? end_msec - now : 0;

	return left < INT_MAX ? (int)left : INT_MAX;
}

/*
 * Returns when the next round is due after the one that was due at `last_msec`: a multiple of the
 * interval later, so that rounds do not drift by the time that they take. Rounds that were missed,
 * because of a stop or slow work, are skipped.
 */
static inline uint64_t clock_next_round(uint64_t last_msec, uint64_t interval, uint64_t now_msec)
{
	const uint64_t missed = now_msec > last_msec ? (now_msec - last_msec) / interval : 0;

	return last_msec + (missed + 1) * interval;
}

/* The shorter of two timeouts of poll(2); -1 is no timeout. */
static inline int clock_shorter(int a, int b)
{
	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return a < b ? a : b;
}

#define UTC_TEXT_SIZE 32

/* Formats nanoseconds since the epoch. */
void utc_format(uint64_t nsec, char text[static UTC_TEXT_SIZE]);
/* Returns the current time as text; the caller frees it. */
char *utc_now(void);
/*
 * Parses such a text, which may lack the fraction, into milliseconds since the epoch; returns false
 * if it is not one.
 */
bool utc_parse(const char *text, uint64_t *ret_msec);
