/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/netlink/genl.h"

#include <errno.h>
#include <string.h>

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <netlink/attr.h>

#include "base/mem.h"

/* No family checks the version of a request; the kernel's tools send 1. */
#define REQUEST_VERSION 1

static const struct nla_policy family_policy[CTRL_ATTR_FAMILY_NAME + 1] = {
	[CTRL_ATTR_FAMILY_ID] = {.type = NLA_U16},
	[CTRL_ATTR_FAMILY_NAME] = {.minlen = 1},
};

int genl_open(const struct root *root, struct netlink **ret_generic)
{
	return netlink_open(root, NETLINK_GENERIC, NETLINK_LARGEST_MESSAGE, ret_generic);
}

void genl_add(struct netlink_request *request, uint16_t family, uint8_t command, uint16_t flags)
{
	const struct genlmsghdr header = {.cmd = command, .version = REQUEST_VERSION};

	netlink_add(request, family, flags, &header, sizeof(header));
}

int genl_parse(const void *payload, size_t length, struct nlattr **table, size_t count,
	       const struct nla_policy *policy)
{
	return netlink_parse(payload, length, sizeof(struct genlmsghdr), table, count, policy);
}

int genl_take_family(void *context, const void *payload, size_t length)
{
	struct nlattr *table[ARRAY_SIZE(family_policy)];
	const struct genl_search *search = context;

	if (genl_parse(payload, length, table, ARRAY_SIZE(table), family_policy) ||
	    !table[CTRL_ATTR_FAMILY_ID] || !table[CTRL_ATTR_FAMILY_NAME])
		return -EBADMSG;
	for (size_t i = 0; i < search->count; i++)
		if (netlink_is_text(table[CTRL_ATTR_FAMILY_NAME], search->names[i]))
			search->ret_ids[i] = nla_get_u16(table[CTRL_ATTR_FAMILY_ID]);
	return 0;
}

int genl_dump(struct netlink *generic, uint16_t family, uint8_t command, netlink_taker *take,
	      void (*restart)(void *context), void *context)
{
	const struct genlmsghdr header = {.cmd = command, .version = REQUEST_VERSION};
	const struct netlink_table table = {family, &header, sizeof(header),
					    take,   restart, context};
	int rc = netlink_dump_table(generic, &table);

	/* Neither the list of families nor devlink reports changes: they do not set cb->seq. */
	return rc == -EINTR ? 0 : rc;
}

int genl_find(struct netlink *generic, const char *const *names, uint16_t *ret_ids, size_t count)
{
	struct genl_search search = {names, ret_ids, count};

	memset(ret_ids, 0, count * sizeof(*ret_ids));
	return genl_dump(generic, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, genl_take_family, NULL,
			 &search);
}
