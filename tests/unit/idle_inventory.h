/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For the tests that make up the inventory of a command: what it does beside that. With
 * inventory_load() and inventory_free() of the test itself, the linker takes none of inventory.c.
 * Included by one test each.
 */
#pragma once

#include <errno.h>

#include "host/inventory/inventory.h"

/* The kernel that answers for devices, if there is one. */
static int (*idle_open_nldev)(struct netlink **ret_nldev);

int inventory_find_core(const char *root, struct problems *problems)
{
	(void)root, (void)problems;
	return 0;
}

bool inventory_answers(const char *root)
{
	return !root;
}

int inventory_open_nldev(const struct inventory *inventory, struct netlink **ret_nldev)
{
	(void)inventory;
	return idle_open_nldev ? idle_open_nldev(ret_nldev) : -EOPNOTSUPP;
}

int inventory_open_rtnl(const struct inventory *inventory, struct netlink **ret_rtnl)
{
	(void)inventory, (void)ret_rtnl;
	return -EOPNOTSUPP;
}

void inventory_names(const char *root, bool ports, struct strings *ret_names)
{
	(void)root, (void)ports, (void)ret_names;
}

void inventory_netdev_names(const char *root, struct strings *ret_names)
{
	(void)root, (void)ret_names;
}
