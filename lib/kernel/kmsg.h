/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's log of this boot, by /dev/kmsg: all that is left of it, also what `dmesg -C` has
 * hidden from syslog(2) (devkmsg_open() and syslog_print_all(), kernel/printk/printk.c). Reading it
 * takes nothing away from anyone and never waits. With kernel.dmesg_restrict it needs CAP_SYSLOG.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct root;

/* One line. The kernel has escaped all bytes but printable ASCII, as \xNN. */
struct kmsg_record {
	unsigned int level;    /* 0 (emergency) to 7 (debug) */
	unsigned int facility; /* 0: the kernel; else a program wrote it */
	uint64_t usec;	       /* since boot */
	const char *text;
	size_t text_length;
	const char *device; /* +pci:0000:3b:00.0, as the driver core has added it; NULL: none */
	size_t device_length;
};

/* 0, or -EBADMSG if it is no record. The strings lead into `bytes`. */
int kmsg_parse(const char *bytes, size_t length, struct kmsg_record *ret_record);

/*
 * Calls `take` for each record of the kernel's own, the oldest first: of the live system (NULL,
 * too), or those that a snapshot holds. 0 or -errno: -EPERM without the privilege, -ENOENT in a
 * container without the device, -ENXIO if something else is in its place; -ENODATA: a saved tree
 * has none.
 */
int kmsg_read(const struct root *root,
	      void (*take)(void *context, const struct kmsg_record *record), void *context);
