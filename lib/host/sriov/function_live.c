/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Facts about the functions that only netlink has. */
#include "host/sriov/function.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/sriov/vf.h"
#include "kernel/netlink/devlink.h"
#include "kernel/netlink/genl.h"

static bool is_vf(const struct function *function, const char *parent, uint64_t index)
{
	return function->kind.value == FUNCTION_VF && function->index.known &&
	       function->index.value == index && function->parent &&
	       !strcmp(function->parent, parent);
}

/* Returns the VF with that number; adds it if it is not a PCI function. */
static struct function *find_vf(struct function_list *list, const char *parent, uint64_t index)
{
	struct function *function;

	for (size_t i = 0; i < list->count; i++)
		if (is_vf(&list->items[i], parent, index))
			return &list->items[i];
	function = mem_append(&list->items, &list->count, sizeof(*function));
	*function = (struct function){
		.name = mem_format("%s vf %llu", parent, (unsigned long long)index),
		.parent = mem_string(parent),
	};
	number_set(&function->kind, FUNCTION_VF);
	number_set(&function->index, index);
	return function;
}

static void take_vf(struct function *function, const struct vf *vf)
{
	function->policy = vf->policy;
	if (vf->trust.known)
		function->trust = vf->trust.value ? TRISTATE_YES : TRISTATE_NO;
	if (vf->node_guid.known)
		function->node_guid = vf->node_guid;
	if (vf->port_guid.known)
		function->port_guid = vf->port_guid;
	if (vf->mac && !function->mac)
		function->mac = mem_string(vf->mac);
}

static void read_vfs(struct function_list *list, const struct inventory *inventory,
		     struct problems *problems)
{
	_cleanup_(netlink_freep) struct netlink *rtnl = NULL;
	const size_t count = list->count;
	const int opened = inventory_open_rtnl(inventory, &rtnl);

	for (size_t i = 0; i < count; i++) {
		_cleanup_(vf_list_clear) struct vf_list vfs = {.count = 0};
		const struct link *link = link_by_name(&inventory->links, list->items[i].netdev);
		_cleanup_(freep) char *parent = mem_string(list->items[i].name);
		int rc;

		if (list->items[i].kind.value != FUNCTION_PF || !list->items[i].vf_count.value ||
		    !link)
			continue;
		rc = opened ? opened : vf_list_read(rtnl, (unsigned int)link->index.value, &vfs);
		if (rc)
			problem_add(problems, parent, "vf", "rtnetlink", rc, NULL);
		/* Without a socket, the other PFs cannot be queried either. */
		if (opened)
			return;
		for (size_t j = 0; j < vfs.count; j++)
			take_vf(find_vf(list, parent, vfs.items[j].index.value), &vfs.items[j]);
	}
}

static void read_switches(const struct root *root, struct function_list *list,
			  struct problems *problems)
{
	_cleanup_(devlink_list_clear) struct devlink_list devices = {.count = 0};
	_cleanup_(netlink_freep) struct netlink *generic = NULL;
	const char *const names[] = {DEVLINK_FAMILY};
	uint16_t family = 0;
	int rc = genl_open(root, &generic);

	if (!rc)
		rc = genl_find(generic, names, &family, ARRAY_SIZE(names));
	if (!rc && family)
		rc = devlink_read_list(generic, family, &devices);
	if (rc)
		problem_add(problems, NULL, "parameters", "devlink", rc, NULL);
	if (rc || !devices.count)
		return;
	devlink_read_switches(generic, family, &devices);
	for (size_t i = 0; i < list->count; i++) {
		struct function *function = &list->items[i];
		const struct devlink *device = devlink_list_find(&devices, function->name);

		if (!device)
			continue;
		if (device->switches_rc)
			problem_add(problems, function->name, "parameters", "devlink",
				    device->switches_rc, NULL);
		function->roce = device->switches[DEVLINK_ROCE];
		function->rdma = device->switches[DEVLINK_RDMA];
		function->iwarp = device->switches[DEVLINK_IWARP];
	}
}

void function_list_read_live(const struct root *root, struct function_list *list,
			     const struct inventory *inventory, struct problems *problems)
{
	if (!list->count)
		return;
	read_vfs(list, inventory, problems);
	read_switches(root, list, problems);
}
