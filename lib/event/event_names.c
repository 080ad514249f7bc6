/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "event/event.h"

/* The severity of a word determines its colour. */
#define TONE_OF_INFO	TONE_PLAIN
#define TONE_OF_NOTICE	TONE_PLAIN
#define TONE_OF_WARNING TONE_WARNING
#define TONE_OF_ERROR	TONE_BAD

#define NAME_ROW(code, word, severity, help) {EVENT_##code, word, TONE_OF_##severity, help},
const struct enum_name event_names[] = {EVENT_WORDS(NAME_ROW){0, NULL}};

#define BIT_ROW(code, word, severity, help) \
	{UINT64_C(1) << EVENT_##code, word, TONE_OF_##severity, help},
const struct enum_name event_bits[] = {EVENT_WORDS(BIT_ROW){0, NULL}};

const struct enum_name event_source_names[] = {
	{EVENT_SOURCE_VERBS, "verbs", TONE_PLAIN, "an asynchronous event of the device"},
	{EVENT_SOURCE_UEVENT, "uevent", TONE_PLAIN, "a uevent of the kernel"},
	{EVENT_SOURCE_NLDEV, "nldev", TONE_PLAIN, "a notification of RDMA netlink"},
	{EVENT_SOURCE_RTNL, "rtnl", TONE_PLAIN, "a notification of rtnetlink"},
	{EVENT_SOURCE_COUNTERS, "counters", TONE_PLAIN, "two readings of a counter"},
	{EVENT_SOURCE_POLL, "poll", TONE_PLAIN, "polled once a second"},
	{EVENT_SOURCE_RESYNC, "resync", TONE_PLAIN, "compared after a gap"},
	{EVENT_SOURCE_START, "start", TONE_PLAIN, "the state when watching began"},
	{0, NULL},
};
