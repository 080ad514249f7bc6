/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Recordings of netlink and verbs (kernel/recording.h), anonymised; private to this folder. */
#pragma once

#include <stddef.h>

struct anonymiser;
struct content;

/* Learns the addresses of a recording, before the learning ends. */
void anonymise_recording_learn(struct anonymiser *anonymiser, const struct content *content);
/*
 * Changes a recording. Answers that may contain addresses which cannot be found are dropped and
 * counted in *ret_dropped. Returns 0, or -errno if the recording cannot be read, which leaves it
 * unchanged.
 */
int anonymise_recording(struct anonymiser *anonymiser, struct content *content,
			size_t *ret_dropped);
