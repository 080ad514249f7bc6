/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's log of this boot, from /dev/kmsg: everything still in the buffer, including what
 * `dmesg -C` hides from syslog(2) (devkmsg_open() and syslog_print_all(), kernel/printk/printk.c).
 * Reading it consumes nothing and never waits. With kernel.dmesg_restrict it needs CAP_SYSLOG.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct root;

/* One line. The kernel has escaped all bytes except printable ASCII as \xNN. */
struct kmsg_record {
	unsigned int level;    /* 0 (emergency) to 7 (debug) */
	unsigned int facility; /* 0: the kernel; else a program wrote it */
	uint64_t usec;	       /* since boot */
	const char *text;
	size_t text_length;
	const char *device; /* +pci:0000:3b:00.0, as added by the driver core; NULL: none */
	size_t device_length;
};

/* Returns 0, or -EBADMSG if this is no record. The strings point into `bytes`. */
int kmsg_parse(const char *bytes, size_t length, struct kmsg_record *ret_record);

typedef void kmsg_taker(void *context, const struct kmsg_record *record);

/*
 * Calls `take` for each record that the kernel itself wrote, oldest first: from the live system
 * (also if `root` is NULL) or from a snapshot. Returns 0 or -errno: -EPERM without the privilege,
 * -ENOENT in a container without the device, -ENXIO if that path is something else; -ENODATA if a
 * saved tree has no log.
 */
int kmsg_read(const struct root *root, kmsg_taker *take, void *context);
