/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The files of the RDMA class, for personalities of tools that read them. These show the kernel's
 * own names and texts: kernel/sysfs.h, whose functions do not clean them.
 */
#pragma once

#include "kernel/sysfs.h"

#define CLASS_DIRECTORY "/" SYSFS_RDMA_CLASS
