/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For tests that make up the inventory of a command: the other functions of inventory.c. As the
 * test defines inventory_load() and inventory_free() itself, the linker takes nothing from
 * inventory.c. Each test program includes it once.
 */
#pragma once

#include <errno.h>

#include "host/inventory/inventory.h"

/* The kernel that answers queries for devices, if any. */
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
