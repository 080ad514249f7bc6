/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The files of the RDMA class, for personalities of tools that read them, with the functions of
 * kernel/sysfs.h. These tools show the kernel's own names and texts, which sysfs_read() returns as
 * they are; sysfs_text() and sysfs_link_name() clean them.
 */
#pragma once

#include "kernel/sysfs.h"

#define CLASS_DIRECTORY "/" SYSFS_RDMA_CLASS
