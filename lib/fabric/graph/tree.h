/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The subnet as a tree for people, in ASCII: from the top switches down; where it is no tree, from
 * where the scan began. A switch with several above it is printed in full at the first of them.
 * What is the same is collected in one line; lines that are worth a look have a `!`.
 */
#pragma once

#include <stdbool.h>

#include "fabric/graph/view.h"

/* `all`: each node in a line of its own. To be freed. */
char *fabric_tree_text(const struct fabric_view *view, bool all);
