/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The defaults of rdma_cm for the connections of a port, for those programs that set none: the
 * rdma_cm directory in configfs (drivers/infiniband/core/cma_configfs.c). The kernel shows them in
 * a directory that somebody has to make first. The values belong to the device, not to that
 * directory: they outlive its removal, and are lost with the device. So where there is no directory
 * the values are not known; an untouched device has ROCE_TOS_UNTOUCHED, and RoCE v2 if the port
 * speaks it (cma_add_one(), core/cma.c).
 */
#pragma once

#include <sys/types.h>

#include "kernel/sysfs.h"

#define CMA_DIRECTORY "/sys/kernel/config/rdma_cm"
#define CMA_MODE      "default_roce_mode"
#define CMA_TOS	      "default_roce_tos"

enum { ROCE_TOS_UNTOUCHED = 0 };

enum roce_mode { ROCE_MODE_V1 = 1, ROCE_MODE_V2 };

extern const struct enum_name roce_mode_names[];
/* The kernel's words for them: gid_type_str[], drivers/infiniband/core/cache.c. */
const char *roce_mode_text(uint64_t mode);
/* The mode of a text of the kernel; unknown if it is none of them. */
struct number roce_mode_of(const char *text);

/* Reads an attribute, and makes nothing: -ENOENT if nobody has made the directory. */
ssize_t cma_read(const struct root *root, const char *device, unsigned int port,
		 const char *attribute, char text[static SYSFS_TEXT_SIZE]);
/*
 * The TOS that connections of a port of the live system have by default, if somebody has made its
 * directory and set another one than ROCE_TOS_UNTOUCHED; else unknown.
 */
struct number cma_default_tos(const char *device, unsigned int port);
/*
 * Reads an attribute. If the directory does not exist it is made and removed again, but not in a
 * saved tree (`root`, or NULL). Returns the length or -errno: -ENOSYS if configfs has no rdma_cm
 * directory, is not mounted or rdma_cm is not loaded; -ENODEV if the device or the port does not
 * exist; -EACCES for others than root where it would have to be made.
 */
ssize_t cma_defaults_read(const char *root, const char *device, unsigned int port,
			  const char *attribute, char text[static SYSFS_TEXT_SIZE]);
/*
 * Writes an attribute of the live system. The directory stays, so that the value can be read. The
 * same errors; -EINVAL: a mode that the port does not have.
 */
int cma_defaults_write(const char *device, unsigned int port, const char *attribute,
		       const char *text);
