/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Generic netlink: devlink, ethtool and other families of the kernel, over netlink/netlink.h. A
 * family is looked up in the list of all registered ones, never requested by name: a request for a
 * missing name makes the kernel load a module of that name (ctrl_getfamily(),
 * net/netlink/genetlink.c), and diagnosing a host must not change it. devlink and ethtool cannot be
 * modules (their options are bool), so the list has them if the kernel does.
 *
 * Only libnl-3 is linked: libnl-genl-3 would add a library to every start of the program, for a
 * header of four bytes and the request by name that is to be avoided. <linux/genetlink.h> has the
 * rest.
 */
#pragma once

#include "kernel/netlink/netlink.h"

/*
 * Opens a socket as netlink_open() does. This loads no module, because the protocol is built into
 * every kernel with networking.
 */
int genl_open(const struct root *root, struct netlink **ret_generic);
/*
 * Looks up families by name: the number of each goes to the same index of `ret_ids`, 0 if the
 * kernel does not have it (in this network namespace). Returns 0 or the -errno of the list.
 */
int genl_find(struct netlink *generic, const char *const *names, uint16_t *ret_ids, size_t count);
/* Adds a message of the family; attributes added next belong to it. */
void genl_add(struct netlink_request *request, uint16_t family, uint8_t command, uint16_t flags);
/*
 * Dumps without parameters, and restarts if the tables changed meanwhile; `restart` is called
 * before each dump, and may be NULL. Returns 0 or -errno.
 */
int genl_dump(struct netlink *generic, uint16_t family, uint8_t command, netlink_taker *take,
	      void (*restart)(void *context), void *context);
/* Like netlink_parse(), for attributes after the header of generic netlink. */
int genl_parse(const void *payload, size_t length, struct nlattr **table, size_t count,
	       const struct nla_policy *policy);

/* The arguments of genl_find(). */
struct genl_search {
	const char *const *names;
	uint16_t *ret_ids;
	size_t count;
};

/* Takes one message of the list for a struct genl_search: sets the id for its name, if wanted. */
int genl_take_family(void *search, const void *payload, size_t length);
