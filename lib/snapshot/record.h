/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The answers of netlink and verbs on this host, for a snapshot: kernel/recording.h. */
#pragma once

struct contents;
struct problems;
struct strings;

/*
 * Runs the commands that list something, each in a separate process whose output is discarded, and
 * adds all their queries and the answers as netlink/answers and verbs/answers. So the snapshot can
 * answer these commands, whatever they query. A command that crashes or hangs leaves a problem, and
 * nothing of its own recording. Keys of memory are omitted. Returns 0 or -errno.
 */
int recording_collect(struct contents *contents, struct problems *problems);
/*
 * The addresses in the text of /proc/net/arp that a snapshot asks about; cuts the text into pieces.
 * A part of recording_collect(), for tests.
 */
void recording_neighbours(char *arp, struct strings *neighbours);
/*
 * Whether the recordings of a snapshot can be read; a saved tree has none, which is fine. Returns
 * 0, or -errno with the reason, for the caller to free.
 */
int recording_check(const char *root, char **ret_message);
