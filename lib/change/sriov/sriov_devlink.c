/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Driver parameters that switch RDMA on and off:
 * Documentation/networking/devlink/devlink-params.rst. mlx5 has them in the mode driverinit, where
 * a reload applies them; ice in the mode runtime; bnxt in the mode permanent, where the adapter
 * stores them and applies them at its next start.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "change/holders.h"
#include "change/netdev.h"
#include "change/sriov/sriov.h"
#include "host/inventory/inventory.h"
#include "host/sriov/card.h"
#include "kernel/netlink/devlink.h"
#include "kernel/netlink/genl.h"

/* The devlink device that the change is about, and the socket to it. */
struct place {
	struct netlink *generic;
	uint16_t family;
	struct devlink_list list;
	struct devlink *device; /* an element of the list */
	char *directory;	/* its directory in sysfs */
};

static void place_clear(struct place *place)
{
	devlink_list_clear(&place->list);
	free(place->directory);
}

static enum devlink_switch switch_of(const struct change *change)
{
	return change->setting == &sriov_roce_setting	? DEVLINK_ROCE
	       : change->setting == &sriov_rdma_setting ? DEVLINK_RDMA
							: DEVLINK_IWARP;
}

/*
 * Finds the last component of the path that is a devlink device: a subfunction, else its function.
 */
static void find_device(struct place *place, const char *path)
{
	char *slash;

	place->directory = mem_string(path);
	while (!place->device && (slash = strrchr(place->directory, '/'))) {
		place->device = devlink_list_find(&place->list, slash + 1);
		if (!place->device)
			*slash = '\0';
	}
}

/* Finds the device and asks its driver for the switches. */
static int find_place(struct change *change, struct place *place)
{
	const char *const names[] = {DEVLINK_FAMILY};
	struct devlink_list one = {.count = 1};
	int rc = change_host_generic(change->host, &place->generic)
			 ?: genl_find(place->generic, names, &place->family, ARRAY_SIZE(names));

	if (!rc && place->family)
		rc = devlink_read_list(place->generic, place->family, &place->list);
	if (rc)
		return rc;
	find_device(place, change->data);
	if (!place->device)
		return change_fail(change, -EOPNOTSUPP,
				   "it takes a driver such as mlx5_core or ice: devlink dev show",
				   "the driver of %s has no devlink", change->object);
	one.items = place->device;
	devlink_read_switches(place->generic, place->family, &one);
	return place->device->switches_rc;
}

static int read_switch(struct change *change, char **ret_value)
{
	_cleanup_(place_clear) struct place place = {.family = 0};
	const enum devlink_switch which = switch_of(change);
	int rc = find_place(change, &place);

	if (rc)
		return rc;
	if (place.device->switches[which] == TRISTATE_UNKNOWN)
		return change_fail(change, -EOPNOTSUPP,
				   "devlink dev param show lists those that it has",
				   "the driver of %s/%s has no parameter %s", place.device->bus,
				   place.device->name, devlink_switch_names[which]);
	*ret_value = mem_string(place.device->switches[which] == TRISTATE_YES ? "on" : "off");
	return 0;
}

/* `text` is the kernel's own explanation, or NULL. */
static void explain(struct change *change, const struct place *place, const char *doing, int error,
		    const char *text)
{
	const char *device = place->device->name;

	/*
	 * Drivers may refuse: ice if it has VFs (ice_devlink_reload_down(), devlink.c), mlx5 if it
	 * is in a bond. Loading the driver again would start it with its default values.
	 */
	if (error == -EOPNOTSUPP && !strcmp(doing, "reload"))
		change_explain(change,
			       text ? "do what it asks for, then run the command again" : NULL,
			       "the driver of %s cannot be reloaded, so it stays as it was%s%s",
			       device, text ? ": " : "", text ? text : "");
	else
		change_explain(change, "devlink dev show, and dmesg | tail, may say more",
			       "the kernel did not %s %s: %s%s%s", doing, device, strerror(-error),
			       text ? ": " : "", text ? text : "");
}

static int write_switch(struct change *change, const char *value)
{
	_cleanup_(place_clear) struct place place = {.family = 0};
	const enum devlink_switch which = switch_of(change);
	_cleanup_(freep) char *text = NULL;
	int rc = find_place(change, &place);

	if (rc)
		return rc;
	rc = devlink_set_switch(place.generic, place.family, place.device, which,
				!strcmp(value, "on"), &text);
	if (rc) {
		explain(change, &place, "set it for", rc, text);
		return rc;
	}
	if (place.device->switch_modes[which] != DEVLINK_PARAM_CMODE_DRIVERINIT)
		return 0;
	rc = devlink_reload(place.generic, place.family, place.device, &text);
	if (rc)
		explain(change, &place, "reload", rc, text);
	/*
	 * The driver keeps its current value, so the parameter must not wait for the driver's next
	 * start. Undoing it later would require another reload.
	 */
	if (rc == -EOPNOTSUPP)
		devlink_set_switch(place.generic, place.family, place.device, which,
				   place.device->switches[which] == TRISTATE_YES, NULL);
	return rc;
}

/* Reports the users of the function's RDMA devices. */
static void guard_devices(struct change *change, const struct root *root, const char *directory)
{
	_cleanup_(strings_free) struct strings devices = {.known = false};

	if (!change->host->inventory)
		return;
	card_list_devices(root, directory, &change->host->inventory->devices, &devices);
	for (size_t i = 0; i < devices.count; i++)
		change_guard_device(change, devices.items[i]);
}

/* Notes the netdevs of the device itself: a subfunction's are not those of its function. */
static void guard_netdevs(struct change *change, const struct root *root, const char *directory)
{
	_cleanup_(strings_free) struct strings netdevs = {.known = false};

	card_list_netdevs(root, directory, &netdevs);
	for (size_t i = 0; i < netdevs.count; i++) {
		struct number index = {.known = false};

		if (!sysfs_read_number(root, &index, "%s/net/%s/ifindex", directory,
				       netdevs.items[i]))
			netdev_note_users(change, (unsigned int)index.value, true);
	}
}

/* mlx5_devlink_reload_down(), devlink.c, only warns about VFs; their users are down meanwhile. */
static void guard_reload(struct change *change, const struct root *root, const struct place *place)
{
	struct number count = {.known = false};

	change_note(change,
		    "the driver of %s is reloaded: its netdevs and RDMA devices go away and come "
		    "back, without addresses",
		    place->device->name);
	guard_netdevs(change, root, place->directory);
	/* A subfunction has no such file, and does not affect the VFs of its function. */
	if (!sysfs_read_number(root, &count, "%s/" SRIOV_COUNT_FILE, place->directory) &&
	    count.value)
		change_disturbs(change, "the %" PRIu64 " VFs of %s, which stop meanwhile",
				count.value, place->device->name);
}

static void guard_switch(struct change *change)
{
	_cleanup_(place_clear) struct place place = {.family = 0};
	_cleanup_(root_close) struct root root = {.fd = -1};
	uint8_t mode;

	if (find_place(change, &place))
		return;
	mode = place.device->switch_modes[switch_of(change)];
	if (mode == DEVLINK_PARAM_CMODE_PERMANENT)
		change_note(change,
			    "%s keeps it in its memory, and uses it from its next start: restart "
			    "the host",
			    place.device->name);
	if (mode == DEVLINK_PARAM_CMODE_PERMANENT || root_open(NULL, &root))
		return;
	guard_devices(change, &root, place.directory);
	if (mode == DEVLINK_PARAM_CMODE_DRIVERINIT)
		guard_reload(change, &root, &place);
}

/*
 * Names the function itself if card_find() can find it, as it does PCI functions and subfunctions,
 * whose names have dots: without RDMA the RDMA device is gone, and a netdev may have another name
 * after a reload.
 */
static char *undo_switch(const struct change *change)
{
	static const char *const ends[] = {"/infiniband/", "/net/"};
	_cleanup_(freep) char *path = mem_string(change->data);
	const char *name;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		char *end = strstr(path, ends[i]);

		if (end)
			*end = '\0';
	}
	name = strrchr(path, '/') + 1;
	return change_as_command_on(change, strchr(name, '.') ? name : change->object,
				    change->before);
}

#define SWITCH(word_, help_)                                                                \
	{                                                                                   \
		.keyword = {word_, "on|off", help_, sriov_on_off},                          \
		.interface = "devlink PARAM_SET", .right = RIGHT_RDMA_ADMIN,                \
		.flags = SETTING_STOPS_TRAFFIC, .read = read_switch, .write = write_switch, \
		.guard = guard_switch, .undo = undo_switch, .command = "sriov set",         \
	}

const struct setting sriov_roce_setting = SWITCH(
	"enable-roce", "RoCE of the function: the parameter enable_roce of its driver");
const struct setting sriov_rdma_setting = SWITCH(
	"enable-rdma", "RDMA of the function: the parameter enable_rdma of its driver");
const struct setting sriov_iwarp_setting = SWITCH(
	"enable-iwarp", "iWARP of the function: the parameter enable_iwarp of its driver");
