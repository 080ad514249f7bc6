/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What netlink and verbs of this host say, for a snapshot: kernel/recording.h. */
#pragma once

struct contents;
struct problems;
struct strings;

/*
 * Runs the commands that list something, each in a process of its own whose output is thrown away,
 * and adds all that they asked, with the answers, as netlink/answers and verbs/answers. So the
 * snapshot answers what these commands ask, whatever that is. A command that crashes or hangs
 * leaves a problem and what it had been told until then. Keys of memory are left out. 0 or -errno.
 */
int recording_collect(struct contents *contents, struct problems *problems);
/*
 * The addresses of the text of /proc/net/arp that a snapshot asks about, which is cut in pieces; a
 * part of the above for tests.
 */
void recording_neighbours(char *arp, struct strings *neighbours);
/*
 * Whether the recordings of a snapshot can be read; a saved tree has none, which is right. 0 or
 * -errno with what is wrong, for the caller to free.
 */
int recording_check(const char *root, char **ret_message);
