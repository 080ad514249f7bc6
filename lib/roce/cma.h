/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rdma_cm defaults for the connections of a port, used by programs that set none: the rdma_cm
 * directory in configfs (drivers/infiniband/core/cma_configfs.c). The kernel shows them in a
 * directory that somebody has to create first. The values belong to the device, not to the
 * directory: they outlive its removal, and are lost with the device. So without the directory the
 * values are unknown; an untouched device has ROCE_TOS_UNTOUCHED, and RoCE v2 if the port speaks it
 * (cma_add_one(), core/cma.c). NVIDIA's own driver has another default, in a file of the port.
 */
#pragma once

#include <sys/types.h>

#include "host/device.h"
#include "kernel/netlink/dcb.h"
#include "kernel/sysfs.h"

#define CMA_DIRECTORY "/sys/kernel/config/rdma_cm"
#define CMA_MODE      "default_roce_mode"
#define CMA_TOS	      "default_roce_tos"

enum { ROCE_TOS_UNTOUCHED = 0 };

enum roce_mode { ROCE_MODE_V1 = 1, ROCE_MODE_V2 };

extern const struct enum_name roce_mode_names[];
/* Returns the kernel's word for a mode: gid_type_str[], drivers/infiniband/core/cache.c. */
const char *roce_mode_text(uint64_t mode);
/* Parses the kernel's word for a mode; unknown if it is another word. */
struct number roce_mode_of(const char *text);

/* Reads an attribute without creating anything: -ENOENT if nobody has created the directory. */
ssize_t cma_read(const struct root *root, const char *device, unsigned int port,
		 const char *attribute, char text[static SYSFS_TEXT_SIZE]);
/*
 * Reads the traffic class that NVIDIA's own driver gives to every queue pair of the port, "Global
 * tclass=106"; UCX reads it, too (src/uct/ib/base/ib_device.c). NULL: there is none, or it cannot
 * be read: *ret_rc, which may be NULL, is 0 or -errno.
 */
const char *roce_global_class(const struct root *root, const struct port *port,
			      char text[static SYSFS_TEXT_SIZE], int *ret_rc);
/*
 * Reads what the port trusts, which NVIDIA's own driver shows in sysfs, not by netlink. 0 or
 * -errno; -ENOENT: the driver does not.
 */
int roce_read_trust(const struct root *root, const char *netdev, struct dcb *dcb);
/*
 * Returns the default TOS of connections of a live system's port, if somebody has created its
 * directory and set a value other than ROCE_TOS_UNTOUCHED; else unknown.
 */
struct number cma_default_tos(const char *device, unsigned int port);
/*
 * Reads an attribute. If the directory does not exist, it is created and removed again, but not in
 * a saved tree (`root`, or NULL). Returns the length or -errno: -ENOSYS if configfs has no rdma_cm
 * directory, is not mounted or rdma_cm is not loaded; -ENODEV if the device or the port does not
 * exist; -EACCES if the directory would have to be created, for users other than root.
 */
ssize_t cma_defaults_read(const char *root, const char *device, unsigned int port,
			  const char *attribute, char text[static SYSFS_TEXT_SIZE]);
/*
 * Writes an attribute of the live system. The directory is kept so that the value can be read.
 * Returns the same errors, and -EINVAL for a mode that the port does not have.
 */
int cma_defaults_write(const char *device, unsigned int port, const char *attribute,
		       const char *text);
