/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "change/device/device.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "change/holders.h"
#include "host/nldev_devices.h"

/* enum rdma_nldev_command, include/uapi/rdma/rdma_netlink.h of Linux 6.11 */
enum { COMMAND_NEWDEV = 26, COMMAND_DELDEV = 27 };

/* RDMA_DEVICE_TYPE_SMI, the only type of Linux 6.12 */
#define TYPE_SMI "smi"
enum { CODE_SMI = 1 };

const struct enum_name sub_device_types[] = {
	{CODE_SMI, TYPE_SMI, TONE_PLAIN, "for subnet management"},
	{0},
};

/* nldev_newdev(), drivers/infiniband/core/nldev.c, truncates to IFNAMSIZ bytes with the NUL. */
enum { MOST_OF_NAME = 15 };

char *sub_device_value(const char *type, const char *parent)
{
	return mem_format("%s %s", type, parent);
}

bool sub_device_check(struct change *change, const char *name, const char *type, const char *parent)
{
	if (strcmp(type, TYPE_SMI)) {
		change_explain(change, NULL,
			       "'%s' is not a type of sub-device: the only type is smi", type);
		return false;
	}
	return device_check_name(change, name, MOST_OF_NAME) &&
	       device_check_name(change, parent, DEVICE_NAME_SIZE - 1);
}

/* Lists all current devices; the caller clears the list. */
static int list_devices(struct change *change, struct device_list *list)
{
	struct netlink *nldev;

	return change_host_nldev(change->host, &nldev) ?: nldev_get_devices(nldev, list);
}

static void note_missing(struct change *change, const struct device_list *list)
{
	_cleanup_(strings_free) struct strings names = {.known = true};

	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].parent)
			strings_add(&names, list->items[i].name);
	change_note_missing(change, "sub-device", &names);
}

static int read_sub_device(struct change *change, char **ret_value)
{
	_cleanup_(device_list_clear) struct device_list list = {0};
	const struct device *device;
	int rc = list_devices(change, &list);

	if (rc)
		return rc;
	device = device_list_find(&list, change->object);
	if (device && !device->parent)
		return change_fail(change, -EOPNOTSUPP,
				   "rdmactl dev -o device,parent,sub_device_type",
				   "%s is a device of its own, not a sub-device", change->object);
	if (device)
		change->device_index = device->index;
	else
		note_missing(change, &list);
	*ret_value = device ? sub_device_value(TYPE_SMI, device->parent)
			    : mem_string(CHANGE_ABSENT);
	return 0;
}

static int explain(struct change *change, const char *parent, int error)
{
	/* ib_add_sub_device(), drivers/infiniband/core/device.c */
	if (error == -EOPNOTSUPP)
		change_explain(change, NULL,
			       "the driver of %s has no sub-devices: in Linux 6.12 only mlx5 has "
			       "them, for adapters with several planes",
			       parent);
	/* rdma_nl_rcv_msg(), core/netlink.c, returns -EINVAL for an unknown command. */
	else if (error == -EINVAL)
		change_explain(change, NULL,
			       "this kernel has no sub-devices: they need Linux 6.11 or later");
	/* assign_name(), core/device.c */
	else if (error == -ENFILE)
		change_explain(change, "rdmactl devices lists the names",
			       "another device has the name %s", change->object);
	/* mlx5_ib_add_sub_dev(), drivers/infiniband/hw/mlx5/main.c */
	else if (error == -EEXIST)
		change_explain(change, "rdmactl dev -o device,parent",
			       "%s already has a sub-device", parent);
	return error;
}

static int add(struct change *change, const char *parent)
{
	_cleanup_(device_list_clear) struct device_list list = {0};
	struct netlink_request request = {.count = 0};
	const uint8_t type = CODE_SMI;
	const struct device *device;
	struct netlink *nldev;
	int rc = list_devices(change, &list) ?: change_host_nldev(change->host, &nldev);

	if (rc)
		return rc;
	device = device_list_find(&list, parent);
	if (!device)
		return change_fail(change, -ENODEV, "rdmactl devices lists the names",
				   "there is no device %s", parent);
	netlink_add(&request, nldev_message_type(COMMAND_NEWDEV), NLM_F_ACK, NULL, 0);
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_DEV_INDEX, (uint32_t)device->index.value);
	netlink_put_string(&request, RDMA_NLDEV_ATTR_DEV_NAME, change->object);
	netlink_put(&request, NLDEV_ATTR_DEV_TYPE, &type, sizeof(type));
	return explain(change, parent, netlink_ask_plain(nldev, &request, NULL));
}

static int write_sub_device(struct change *change, const char *value)
{
	const char *parent = strchr(value, ' ');
	int rc = -EINVAL;

	if (!strcmp(value, CHANGE_ABSENT))
		rc = explain(change, change->object,
			     device_request(change, COMMAND_DELDEV, 0, NULL, 0));
	else if (parent)
		rc = add(change, parent + 1);
	/* If it exists now, or is gone, somebody else did that at the same time. */
	if (rc)
		change->written = false;
	return rc;
}

/* A sub-device of another parent has the name. */
static int check_sub_device(struct change *change)
{
	if (!strcmp(change->before, CHANGE_ABSENT) || !strcmp(change->wanted, CHANGE_ABSENT))
		return 0;
	return change_fail(change, -EEXIST, "choose another name", "%s already exists: %s",
			   change->object, change->before);
}

static void guard_sub_device(struct change *change)
{
	if (!strcmp(change->wanted, CHANGE_ABSENT))
		change_guard_device(change, change->object);
}

static char *undo_sub_device(const struct change *change)
{
	const char *parent = strchr(change->before, ' ');
	_cleanup_(freep) char *object = change_quote_object(change, change->object), *quoted = NULL;

	if (!strcmp(change->before, CHANGE_ABSENT) || !parent)
		return mem_format("rdmactl dev del %s", object);
	quoted = text_quote(parent + 1);
	return mem_format("rdmactl dev add %s type " TYPE_SMI " parent %s", object, quoted);
}

const struct setting sub_device_setting = {
	.keyword = {"sub-device", "smi PARENT|absent", "type and parent of a sub-device", NULL},
	.interface = "RDMA netlink NEWDEV, DELDEV",
	.right = RIGHT_RDMA_ADMIN,
	.read = read_sub_device,
	.write = write_sub_device,
	.check = check_sub_device,
	.guard = guard_sub_device,
	.undo = undo_sub_device,
	.command = "dev add",
};
