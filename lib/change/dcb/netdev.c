/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "change/dcb/netdev.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "change/holders.h"
#include "kernel/sysfs.h"

/* Looking it up by the index makes the kernel load nothing: dev_ifname(), net/core/dev_ioctl.c. */
int netdev_name(const struct change *change, char name[static IF_NAMESIZE])
{
	if (!change->netdev_index.known ||
	    !if_indextoname((unsigned int)change->netdev_index.value, name))
		return -ENODEV;
	return 0;
}

char *netdev_driver(const struct change *change)
{
	char name[IF_NAMESIZE], *driver = NULL;
	_cleanup_(root_close) struct root root = {.fd = -1};

	if (netdev_name(change, name) || root_open(NULL, &root))
		return NULL;
	sysfs_link_name(&root, &driver, "sys/class/net/%s/device/driver", name);
	return driver;
}

/* Explains the errors of dcb_doit(), net/dcb/dcbnl.c, and those that drivers return themselves. */
int netdev_explain(struct change *change, int error)
{
	if (error == -EOPNOTSUPP)
		change_explain(
			change,
			"name the netdev of the adapter itself: a VLAN or bond has none; the "
			"manual of the driver says whether it supports it",
			"the driver or kernel has no data center bridging, or not this part of it");
	else if (error == -EINVAL)
		change_explain(change, "dmesg may have the reason: the reply has no room for it",
			       "the driver does not accept this value");
	else if (error == -EPERM)
		change_explain(change, NULL,
			       "the driver refuses it: this function does not own the port, or the "
			       "firmware owns it");
	/* update_xoff_threshold() of mlx5; and ENOTSUPP, 524, of bnxt, cut off to 8 bits */
	else if (error == -ENOMEM)
		change_explain(
			change, "dmesg may have the reason: the reply has no room for it",
			"the driver does not support it, has no memory, or finds a buffer of "
			"lossless priorities too small");
	else if (error == -EEXIST || error == -ENOENT)
		change_explain(change, "check the table, then run the command again",
			       "somebody else changed the table meanwhile");
	return error;
}

static int begin(const struct change *change, struct netlink **ret_rtnl,
		 char name[static IF_NAMESIZE])
{
	return netdev_name(change, name) ?: change_host_rtnl(change->host, ret_rtnl);
}

int netdev_peek_dcb(const struct change *change, struct dcb *ret_dcb)
{
	char name[IF_NAMESIZE];
	struct netlink *rtnl;

	return begin(change, &rtnl, name) ?: dcb_get(rtnl, name, ret_dcb);
}

int netdev_get_dcb(struct change *change, struct dcb *ret_dcb)
{
	int rc = netdev_peek_dcb(change, ret_dcb);

	if (rc != -EINVAL)
		return netdev_explain(change, rc);
	/* No value was refused, but change_parse() takes -EINVAL as an error in the user's text. */
	return change_fail(change, -EIO, "dmesg may have the reason: the reply has no room for it",
			   "the driver does not report its data center bridging settings: %s",
			   strerror(EINVAL));
}

int netdev_set_dcb(struct change *change, const struct dcb_wish *wish)
{
	char name[IF_NAMESIZE];
	struct netlink *rtnl;

	return begin(change, &rtnl, name) ?: netdev_explain(change, dcb_set(rtnl, name, wish));
}

int netdev_delete_apps(struct change *change, const struct dcb_app *apps, size_t count)
{
	char name[IF_NAMESIZE];
	struct netlink *rtnl;

	return begin(change, &rtnl, name)
		       ?: netdev_explain(change, dcb_delete_apps(rtnl, name, apps, count));
}

int netdev_read(struct change *change, char **ret_value)
{
	_cleanup_(freep) char *driver = netdev_driver(change);
	struct dcb dcb;
	char *value;
	int rc = netdev_get_dcb(change, &dcb);

	if (rc)
		return rc;
	value = dcb_value(change->setting, &dcb, driver);
	if (!value)
		return change_fail(change, -EOPNOTSUPP, NULL, "the driver%s%s does not report it",
				   driver ? " " : "", driver ? driver : "");
	*ret_value = value;
	return 0;
}

/*
 * The adapter's firmware, or a daemon on the host, negotiates the same settings with the switch by
 * DCBX and overwrites ours with the result. Without DCB_CAP_DCBX_HOST the host is not in control
 * (mlx5e_dcbnl_setdcbx(), en_dcbnl.c; bnxt and ice then refuse to set anything).
 */
void netdev_guard(struct change *change)
{
	const char *daemon = change_find_processes(change, "lldpad");
	const struct change *owner = netdev_earlier(change, &dcb_dcbx_setting);
	struct dcb dcb;

	if (daemon)
		change_disturbs(change,
				"lldpad (process %s), which may set what it negotiates with the "
				"switch instead",
				daemon);
	if ((owner && !strcmp(owner->wanted, "host")) || netdev_peek_dcb(change, &dcb))
		return;
	if (dcb.dcbx.known && !(dcb.dcbx.value & DCB_CAP_DCBX_HOST))
		change_disturbs(
			change,
			"the firmware, which negotiates these settings with the switch (dcbx "
			"firmware) and restores its own: dcbx host takes control from it");
	else if (dcb.ets_known && dcb.ets.willing)
		change_note(change, "the port is willing to accept the switch's settings");
}

/*
 * The units that the unit of a setting must wait for: those of all settings before it in the table.
 */
static char *earlier_units(const struct setting *setting, const char *name)
{
	const struct setting *const *end = dcb_setting_table;
	char *units = mem_string("");

	while (*end && *end != setting)
		end++;
	for (const struct setting *const *row = dcb_setting_table; *end && row < end; row++)
		mem_extend(&units, " rdmactl-%s-%s.service", name, (*row)->keyword.word);
	return units;
}

/*
 * Some settings are valid only together: the algorithms and bandwidths of classes,
 * check_bandwidths(), and which buffers are used and how large they are, update_xoff_threshold() of
 * mlx5, port_buffer.c.
 */
static const struct change *other_half(const struct change *change)
{
	static const struct setting *const pairs[][2] = {
		{&dcb_class_algorithm_setting, &dcb_class_bandwidth_setting},
		{&dcb_priority_buffer_setting, &dcb_buffer_size_setting},
	};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		for (size_t side = 0; side < 2; side++)
			if (pairs[i][side] == change->setting)
				return netdev_sibling(change, pairs[i][!side]);
	return NULL;
}

/* The other half is asked for, because the change to it may not have been read yet. */
char *netdev_undo(const struct change *change)
{
	const struct change *other = other_half(change);
	char *command = change_as_command(change, change->before);
	_cleanup_(freep) char *value = NULL;
	struct dcb dcb;

	if (other && !netdev_peek_dcb(change, &dcb))
		value = dcb_value(other->setting, &dcb, NULL);
	if (value)
		mem_extend(&command, " %s %s", other->setting->keyword.word, value);
	return command;
}

/* A user that was in the way of this change may be there again at the next boot. */
static char *unit_command(const struct change *change, const char *object)
{
	const struct change *other = other_half(change);
	char *command = change_as_command_on(change, object, change->wanted);

	if (other)
		mem_extend(&command, " %s %s", other->setting->keyword.word, other->wanted);
	mem_extend(&command, " --yes%s", change->disturbs.count ? " --force" : "");
	return command;
}

/* The pattern for a unit that needs RDMA hardware: rdma-core's Documentation/udev.md. */
void netdev_persist_as(struct change *change, const char *object, const char *name)
{
	_cleanup_(freep) char *command = unit_command(change, object);
	_cleanup_(freep) char *exec_start = change_exec_start(command);
	_cleanup_(freep) char *unit = change_escape_unit(name, false);
	_cleanup_(freep) char *earlier = earlier_units(change->setting, unit);

	change->persist_file = mem_format("/etc/systemd/system/rdmactl-%s-%s.service", unit,
					  change->setting->keyword.word);
	change->persist_text = mem_format("[Unit]\n"
					  "Description=%s of %s\n"
					  "Requires=rdma-hw.target\n"
					  "After=rdma-hw.target%s\n"
					  "\n"
					  "[Service]\n"
					  "Type=oneshot\n"
					  "%s\n"
					  "\n"
					  "[Install]\n"
					  "WantedBy=rdma-hw.target",
					  change->setting->keyword.word, unit, earlier, exec_start);
}

void netdev_persist(struct change *change)
{
	char name[IF_NAMESIZE];

	if (!netdev_name(change, name))
		netdev_persist_as(change, change->object, name);
}

const struct change *netdev_sibling(const struct change *change, const struct setting *setting)
{
	for (size_t i = 0; change->all && i < change->all->count; i++) {
		const struct change *other = &change->all->items[i];

		if (other->setting == setting && other->wanted &&
		    number_is(&other->netdev_index, change->netdev_index.value))
			return other;
	}
	return NULL;
}

const struct change *netdev_earlier(const struct change *change, const struct setting *setting)
{
	const struct change *sibling = netdev_sibling(change, setting);

	return sibling && sibling < change ? sibling : NULL;
}
