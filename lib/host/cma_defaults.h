/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The defaults of rdma_cm for connections of a port: configfs below rdma_cm, which only root may
 * look into.
 */
#pragma once

#include "host/class_files.h"

#define CMA_DIRECTORY "/sys/kernel/config/rdma_cm"

/*
 * Reads an attribute, default_roce_mode or default_roce_tos. The kernel shows those of a device in
 * a directory that is made for this: if there is none it is made and removed again, but not in a
 * saved tree (`root`, or NULL). The length or -errno: -ENOSYS: no such configfs, it is not mounted
 * or rdma_cm is not loaded; -ENODEV: no such device, or it has no such port.
 */
ssize_t cma_defaults_read(const char *root, const char *device, unsigned int port,
			  const char *attribute, char text[static CLASS_TEXT_SIZE]);
