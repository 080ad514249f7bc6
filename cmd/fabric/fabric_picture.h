/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The subnet as a picture: drawn by Graphviz's program dot, which may not be installed. */
#pragma once

#include "cmd/fabric/fabric_run.h"

/* SVG of a graph in Graphviz's language; to be freed. NULL: the listing says why not. */
char *fabric_picture(struct fabric_run *run, const char *graph);
