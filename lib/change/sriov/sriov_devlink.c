/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parameters of a driver that switch RDMA on and off: Documentation/networking/devlink/
 * devlink-params.rst. mlx5 has them in the mode driverinit, where they take effect with a reload;
 * ice in the mode runtime; bnxt in the mode permanent, where the adapter keeps them and takes them
 * with its next start.
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

/* The device of devlink that the change is about, and how to ask it. */
struct place {
	struct netlink *generic;
	uint16_t family;
	struct devlink_list list;
	struct devlink *device; /* one of the list */
	char *directory;	/* of that device, in sysfs */
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

/* The last component of the path that is a device of devlink: a subfunction, else its function. */
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
	int rc = change_host_generic(change->host, &place->generic);

	if (!rc)
		rc = genl_find(place->generic, names, &place->family, ARRAY_SIZE(names));
	if (!rc && place->family)
		rc = devlink_read_list(place->generic, place->family, &place->list);
	if (rc)
		return rc;
	find_device(place, change->data);
	if (!place->device) {
		change_explain(change,
			       "it takes a driver such as mlx5_core or ice: devlink dev show",
			       "the driver of %s has no devlink", change->object);
		return -EOPNOTSUPP;
	}
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
	if (place.device->switches[which] == TRISTATE_UNKNOWN) {
		change_explain(change, "devlink dev param show lists those that it has",
			       "the driver of %s/%s has no parameter %s", place.device->bus,
			       place.device->name, devlink_switch_names[which]);
		return -EOPNOTSUPP;
	}
	*ret_value = mem_string(place.device->switches[which] == TRISTATE_YES ? "on" : "off");
	return 0;
}

/* `text` is the kernel's own explanation, or NULL. */
static void explain(struct change *change, const struct place *place, const char *doing, int error,
		    const char *text)
{
	const char *device = place->device->name;

	/*
	 * A driver has its reasons: ice wants no VFs (ice_devlink_reload_down(), devlink.c), mlx5
	 * no bond. One that is loaded anew begins with its own values again.
	 */
	if (error == -EOPNOTSUPP && !strcmp(doing, "reload"))
		change_explain(change,
			       text ? "do what it asks for, and run the command again" : NULL,
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
	 * The driver goes on with what it had, and the parameter must not wait for its next start.
	 * Undoing that later would want another reload.
	 */
	if (rc == -EOPNOTSUPP)
		devlink_set_switch(place.generic, place.family, place.device, which,
				   place.device->switches[which] == TRISTATE_YES, NULL);
	return rc;
}

/* Those who use an RDMA device of the function; the guard looks at the object of the change. */
static void guard_devices(struct change *change, const struct root *root, const char *directory)
{
	struct strings devices;
	char *object = change->object;

	if (!change->host->inventory)
		return;
	card_list_devices(root, directory, &change->host->inventory->devices, &devices);
	for (size_t i = 0; i < devices.count; i++) {
		change->object = devices.items[i];
		change_guard_device(change);
	}
	change->object = object;
	strings_free(&devices);
}

/* The netdevs of the device itself: those of a subfunction are not those of its function. */
static void guard_netdevs(struct change *change, const struct root *root, const char *directory)
{
	struct strings netdevs;

	card_list_netdevs(root, directory, &netdevs);
	for (size_t i = 0; i < netdevs.count; i++) {
		struct number index = {.known = false};

		if (!sysfs_read_number(root, &index, "%s/net/%s/ifindex", directory,
				       netdevs.items[i]))
			netdev_note_users(change, (unsigned int)index.value, true);
	}
	strings_free(&netdevs);
}

/* mlx5_devlink_reload_down(), devlink.c, only warns of it; what has a VF stands still meanwhile. */
static void guard_reload(struct change *change, const struct root *root, const struct place *place)
{
	struct number count = {.known = false};

	change_note(change,
		    "the driver of %s is reloaded: its netdevs and RDMA devices go away and come "
		    "back, without addresses",
		    place->device->name);
	guard_netdevs(change, root, place->directory);
	/* A subfunction has no such file, and leaves the VFs of its function alone. */
	if (!sysfs_read_number(root, &count, "%s/" SRIOV_COUNT_FILE, place->directory) &&
	    count.value)
		change_disturbs(change, "the %" PRIu64 " VFs of %s, which stop meanwhile",
				count.value, place->device->name);
}

static void guard_switch(struct change *change)
{
	_cleanup_(place_clear) struct place place = {.family = 0};
	struct root root;
	uint8_t mode;

	if (find_place(change, &place))
		return;
	mode = place.device->switch_modes[switch_of(change)];
	if (mode == DEVLINK_PARAM_CMODE_PERMANENT)
		change_note(change,
			    "%s keeps it in its memory, and takes it when it starts the next time: "
			    "restart the host",
			    place.device->name);
	if (mode == DEVLINK_PARAM_CMODE_PERMANENT || root_open(NULL, &root))
		return;
	guard_devices(change, &root, place.directory);
	if (mode == DEVLINK_PARAM_CMODE_DRIVERINIT)
		guard_reload(change, &root, &place);
	root_close(&root);
}

/*
 * Names the function itself, if it is one that card_find() finds, as PCI functions and subfunctions
 * are, whose names have dots: without RDMA the RDMA device is gone, and a netdev may have another
 * name after a reload.
 */
static char *undo_switch(const struct change *change)
{
	static const char *const ends[] = {"/infiniband/", "/net/"};
	_cleanup_(freep) char *path = mem_string(change->data);
	struct change other = *change;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		char *end = strstr(path, ends[i]);

		if (end)
			*end = '\0';
	}
	if (strchr(strrchr(path, '/') + 1, '.'))
		other.object = strrchr(path, '/') + 1;
	return change_as_command(&other, change->before);
}

#define SWITCH(word_, help_)                                                                \
	{                                                                                   \
		.keyword = {word_, "on|off", help_, sriov_on_off},                          \
		.interface = "devlink PARAM_SET", .right = RIGHT_RDMA_ADMIN,                \
		.flags = SETTING_STOPS_TRAFFIC, .read = read_switch, .write = write_switch, \
		.guard = guard_switch, .undo = undo_switch, .command = "sriov set",         \
	}

const struct setting sriov_roce_setting = SWITCH(
	"enable-roce", "RoCE of the function, by the parameter enable_roce of its driver");
const struct setting sriov_rdma_setting = SWITCH(
	"enable-rdma", "RDMA of the function, by the parameter enable_rdma of its driver");
const struct setting sriov_iwarp_setting = SWITCH(
	"enable-iwarp", "iWARP of the function, by the parameter enable_iwarp of its driver");
