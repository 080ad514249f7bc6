/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What only netlink has of the functions. */
#pragma once

#include "host/sriov/function.h"

/*
 * Adds what the PFs have set for their VFs (and those VFs that are no PCI functions), and the
 * switches of the drivers. May move the items of the list.
 */
void function_list_read_live(const struct root *root, struct function_list *list,
			     const struct inventory *inventory, struct problems *problems);
