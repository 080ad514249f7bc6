/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The network namespace of a device. ib_device_set_netns_put(), drivers/infiniband/core/device.c,
 * moves a device if devices are not shared by all namespaces and the driver can take them away from
 * programs that use them. The device keeps its index.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "change/device/device.h"
#include "change/holders.h"
#include "change/device/netns.h"
#include "change/session.h"
#include "change/system.h"
#include "kernel/netlink/nldev.h"

static int parse_netns(struct change *change, const char *text, char **ret_value)
{
	struct device_data *data = change->data;
	_cleanup_(closep) int fd = -1;
	int rc = strlen(text) < sizeof(data->target) ? netns_open(text, &fd) : -ENAMETOOLONG;

	if (rc)
		return change_fail(change, -EINVAL, "ip netns list shows the named ones",
				   rc == -EINVAL ? "'%s' is not a network namespace"
						 : "cannot open the network namespace '%s': %s",
				   text, strerror(-rc));
	memcpy(data->target, text, strlen(text) + 1);
	*ret_value = netns_word(fd);
	return 0;
}

static bool is_there(struct netlink *nldev, const struct change *change, int *ret_rc)
{
	_cleanup_(device_settings_clear) struct device_settings settings = {.device = NULL};

	*ret_rc = device_settings_read(nldev, &change->device_index, &settings);
	return !*ret_rc;
}

/* In shared mode a device is visible in all namespaces and belongs to none. */
static int refuse_shared(struct change *change, struct netlink *nldev)
{
	struct system_settings settings = {.netns_mode = {0}};
	int rc = system_settings_get(nldev, &settings);

	if (rc || !settings.netns_mode.known || !settings.netns_mode.value)
		return rc;
	return change_fail(change, -EOPNOTSUPP, "rdmactl system set netns-mode exclusive",
			   "all network namespaces share all devices: netns-mode is shared");
}

/* Opens a socket in the wanted namespace; *ret_word gets the word for it. */
static int open_target(const struct change *change, struct netlink **ret_nldev, char **ret_word)
{
	const struct device_data *data = change->data;
	_cleanup_(closep) int fd = -1;
	int rc = netns_open(data->target, &fd) ?: netns_open_nldev(fd, ret_nldev);

	if (!rc)
		*ret_word = netns_word(fd);
	return rc;
}

static int read_target(struct change *change, char **ret_value)
{
	_cleanup_(netlink_freep) struct netlink *nldev = NULL;
	_cleanup_(freep) char *word = NULL;
	int rc = open_target(change, &nldev, &word);

	if (rc)
		return change_fail(change, rc, NULL,
				   "the device has left this network namespace, but the other one "
				   "cannot be inspected: %s",
				   strerror(-rc));
	if (is_there(nldev, change, &rc))
		*ret_value = mem_string(word);
	return rc;
}

static int read_netns(struct change *change, char **ret_value)
{
	_cleanup_(closep) int own = -1;
	struct netlink *nldev;
	int rc = change_host_nldev(change->host, &nldev) ?: refuse_shared(change, nldev);

	if (rc)
		return rc;
	if (!is_there(nldev, change, &rc))
		return rc == -ENODEV ? read_target(change, ret_value) : rc;
	rc = netns_open_own(&own);
	if (!rc)
		*ret_value = netns_word(own);
	return rc;
}

static int move(struct netlink *nldev, const struct change *change, int fd)
{
	struct netlink_request request = {.count = 0};

	netlink_add(&request, nldev_message_type(RDMA_NLDEV_CMD_SET), NLM_F_ACK, NULL, 0);
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_DEV_INDEX, (uint32_t)change->device_index.value);
	netlink_put_u32(&request, RDMA_NLDEV_NET_NS_FD, (uint32_t)fd);
	return nldev_explain(nldev, (uint32_t)change->device_index.value,
			     netlink_ask_plain(nldev, &request, NULL));
}

/* Moves the device back from the wanted namespace to this one. */
static int fetch(struct change *change)
{
	_cleanup_(freep) char *word = NULL;
	_cleanup_(closep) int own = -1;
	_cleanup_(netlink_freep) struct netlink *nldev = NULL;

	return netns_open_own(&own)
			?: open_target(change, &nldev, &word)
			?: move(nldev, change, own);
}

/* The process may have ended since, and another one may have its number. */
static int check_target(struct change *change, const char *value, int fd)
{
	const struct device_data *data = change->data;
	_cleanup_(freep) char *word = netns_word(fd);

	if (!strcmp(word, value))
		return 0;
	return change_fail(change, -ESTALE, "check it, then run the command again",
			   "'%s' is another network namespace now: %s", data->target, word);
}

static int write_netns(struct change *change, const char *value)
{
	const struct device_data *data = change->data;
	_cleanup_(closep) int fd = -1;
	struct netlink *nldev;
	int rc;

	if (change->before && !strcmp(value, change->before))
		return fetch(change);
	rc = change_host_nldev(change->host, &nldev)
			?: netns_open(data->target, &fd)
			?: check_target(change, value, fd);
	if (rc)
		return rc;
	rc = move(nldev, change, fd);
	if (rc == -EOPNOTSUPP)
		change_explain(change, NULL,
			       "the driver of %s cannot take it away from the programs that use "
			       "it, and so cannot move it",
			       data->name);
	else if (rc == -EPERM)
		change_explain(change, "run it as root on the host",
			       "it also takes CAP_NET_ADMIN in the user namespace of the wanted "
			       "network namespace");
	return rc;
}

/* The IPoIB netdevs of the device go away, and the session may go over one of them. */
static void guard_way(struct change *change)
{
	const struct device *device = change_device(change);

	if (!device || device->transport.value != TRANSPORT_INFINIBAND)
		return;
	for (size_t i = 0; i < device->port_count; i++)
		if (device->ports[i].netdev)
			change_guard_way(change, device->ports[i].netdev, WAY_IS_GONE);
}

/*
 * Returns an argument that names the namespace which the device leaves, quoted; NULL if none does.
 */
static char *origin(const struct change *change)
{
	_cleanup_(freep) char *first = NULL, *path = NULL;
	_cleanup_(closep) int fd = -1;

	if (!change->before)
		return NULL;
	if (strncmp(change->before, "net:[", 5)) {
		/* Digits alone would mean a process. */
		path = mem_format("/run/netns/%s", change->before);
		return text_quote(change->before[strspn(change->before, "0123456789")]
					  ? change->before
					  : path);
	}
	/* The namespace has no name, but it may be that of the first process. */
	if (netns_open("1", &fd))
		return NULL;
	first = netns_word(fd);
	return strcmp(change->before, first) ? NULL : mem_string("1");
}

static void guard_netns(struct change *change)
{
	_cleanup_(freep) char *from = origin(change);

	guard_way(change);
	change_guard_device(change, change->object);
	change_note(change, "all programs lose their contexts of the device, and netdevs on top of "
			    "it (IPoIB) are removed");
	change_note(change, "when the last process of that network namespace ends, the kernel "
			    "returns the device to the initial one");
	if (!from && change->before)
		change_note(change,
			    "%s, which the device leaves, has no name: to undo the change, move "
			    "the device to a process in it (lsns -t net lists them)",
			    change->before);
}

/*
 * The command must be run where the device is then. NULL: guard_netns() said that there is no way
 * back.
 */
static char *undo_netns(const struct change *change)
{
	const struct device_data *data = change->data;
	_cleanup_(freep) char *path = NULL, *quoted = NULL, *from = origin(change);
	_cleanup_(freep) char *name = text_quote(data->name);

	if (!from)
		return NULL;
	if (strchr(data->target, '/'))
		path = mem_string(data->target);
	else if (data->target[strspn(data->target, "0123456789")])
		path = mem_format("/run/netns/%s", data->target);
	else
		path = mem_format("/proc/%s/ns/net", data->target);
	quoted = text_quote(path);
	return mem_format("nsenter --net=%s rdmactl dev set %s netns %s", quoted, name, from);
}

const struct setting device_netns_setting = {
	.keyword = {"netns", "NAME|PID|PATH",
		    "network namespace to move it to, if namespaces do not share the devices",
		    NULL},
	.interface = "RDMA netlink SET",
	.right = RIGHT_RDMA_ADMIN,
	.flags = SETTING_STOPS_TRAFFIC,
	.parse = parse_netns,
	.read = read_netns,
	.write = write_netns,
	.guard = guard_netns,
	.undo = undo_netns,
	.command = "dev set",
};
