/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A subnet as iblinkinfo(8) of infiniband-diags 44 prints it, byte for byte: all nodes, the other
 * way round than they were come by, with all their ports that are known.
 */
#pragma once

#include "fabric/graph/view.h"

/* The whole text, to be freed. */
char *iblinkinfo_text(const struct fabric_view *view);
