/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The defaults of rdma_cm for connections of a port: the rdma_cm directory in configfs, which only
 * root may read.
 */
#pragma once

#include "host/class_files.h"

#define CMA_DIRECTORY "/sys/kernel/config/rdma_cm"

/*
 * Reads an attribute, default_roce_mode or default_roce_tos. The kernel shows the attributes of a
 * device in a directory that the reader has to create: if it does not exist it is created and
 * removed again, but not in a saved tree (`root`, or NULL). Returns the length or -errno: -ENOSYS
 * if configfs has no rdma_cm directory, is not mounted or rdma_cm is not loaded; -ENODEV if the
 * device or the port does not exist.
 */
ssize_t cma_defaults_read(const char *root, const char *device, unsigned int port,
			  const char *attribute, char text[static CLASS_TEXT_SIZE]);
