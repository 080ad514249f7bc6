/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The output of `rdmactl version`, which a snapshot also contains. */
#pragma once

#include "host/host.h"

/*
 * The caller clears the list. `root` is that of --root, or NULL. Returns 0, or -errno of opening
 * it.
 */
int version_components(struct component_list *list, const char *root);
