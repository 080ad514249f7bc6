/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rails of a host, and their order. */
#pragma once

#include "mesh/mesh.h"

struct inventory;

/* What the inventory must have loaded. */
#define MESH_RAIL_NEEDS (ENDPOINT_NEEDS | NEED_PCI_ADDRESS | NEED_FIRMWARE)

/*
 * Fills rails and firmware of the host: its active ports, each with its best GID, in the order of
 * the PCI addresses, which is the same on hosts of one kind whatever their devices are called; the
 * gaps, which are its other ports; and the slots of both. Returns -ENODEV if there is no rail;
 * *ret_reason says why and *ret_hint (may stay NULL) what to do.
 */
int mesh_rails_find(const struct inventory *inventory, struct mesh_host *host, char **ret_reason,
		    char **ret_hint);
