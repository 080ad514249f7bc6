/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The versions that a snapshot or a saved tree holds. */
#pragma once

#include "host/host.h"

/*
 * versions.json of a snapshot; a saved tree has at most the kernel's release. The caller clears the
 * list. Returns 0 or -errno, -ENOENT if there is none.
 */
int snapshot_versions(const char *root, struct component_list *list);
