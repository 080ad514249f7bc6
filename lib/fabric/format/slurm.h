/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * topology.conf for the topology/tree plugin of Slurm: each switch with its hosts, or with the
 * switches a level below it. Several top switches are written as they are: each has all of its
 * children. Slurm takes a host at one leaf only, and hosts or switches at a switch, not both; the
 * text begins with remarks where the subnet is otherwise. Source: topology.conf(5).
 */
#pragma once

#include "fabric/graph/view.h"

/* To be freed. */
char *fabric_slurm_text(const struct fabric_view *view);
