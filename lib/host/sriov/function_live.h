/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Facts about the functions that only netlink has. */
#pragma once

#include "host/sriov/function.h"

/*
 * Adds the PFs' settings for their VFs (and VFs that are not PCI functions), and the switches of
 * the drivers. May move the items of the list.
 */
void function_list_read_live(const struct root *root, struct function_list *list,
			     const struct inventory *inventory, struct problems *problems);
