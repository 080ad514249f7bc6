/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Generic netlink: devlink, ethtool and other families of the kernel, over netlink/netlink.h. A
 * family is looked up in the list of all that are registered, never asked for by name: a request
 * for a name that is missing makes the kernel load a module of that name (ctrl_getfamily(),
 * net/netlink/genetlink.c), and what diagnoses a host must not change it. devlink and ethtool are
 * built into the kernel (their options are bool), so the list has them if the kernel has them.
 *
 * Linked is libnl-3 alone: libnl-genl-3 would add a library to every start of the program, and what
 * it offers here is a header of four bytes and a request by name, which is the one to avoid.
 * <linux/genetlink.h> has the rest.
 */
#pragma once

#include "kernel/netlink/netlink.h"

/* Opens a socket, as netlink_open() does; the protocol is built into every kernel with networking:
 * this loads nothing. */
int genl_open(const struct root *root, struct netlink **ret_generic);
/*
 * Looks up families by name: the number of each goes to the same place of `ret_ids`, 0 if the
 * kernel does not have it (in this network namespace). 0 or -errno of the list.
 */
int genl_find(struct netlink *generic, const char *const *names, uint16_t *ret_ids, size_t count);
/* Adds a message of the family; attributes added next belong to it. */
void genl_add(struct netlink_request *request, uint16_t family, uint8_t command, uint16_t flags);
/*
 * Dumps without parameters, again from the start if the tables changed meanwhile; `restart` is
 * called before each, and may be NULL. 0 or -errno.
 */
int genl_dump(struct netlink *generic, uint16_t family, uint8_t command, netlink_taker *take,
	      void (*restart)(void *context), void *context);
/* netlink_parse() after the header of generic netlink. */
int genl_parse(const void *payload, size_t length, struct nlattr **table, size_t count,
	       const struct nla_policy *policy);

/* The lookup of genl_find() in one message of the list: fills the place of its name, if wanted. */
int genl_take_family(const void *payload, size_t length, const char *const *names,
		     uint16_t *ret_ids, size_t count);
