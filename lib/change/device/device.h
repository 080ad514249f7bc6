/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Settings of one RDMA device: its name, network namespace and adaptive moderation (RDMA netlink),
 * and its node description (sysfs). All settings find the device by its index, because the name may
 * be one of the things that change.
 */
#pragma once

#include "change/change.h"

struct device;
struct inventory;
struct netlink;
struct problems;

/* The record of `dev`; it owns its strings. */
struct device_settings {
	char *device;
	struct number index;
	char *netns; /* "shared", or the name of its namespace */
	enum tristate adaptive_moderation;
	char *node_description;
	char *parent; /* of a sub-device */
	struct number sub_type;
};

extern const struct schema device_settings_schema;
extern const struct setting *const device_setting_table[]; /* ends with NULL */

/*
 * Reads name, moderation and parent of the device with that index. -ENODEV: there is none, it is in
 * another network namespace, or the index is unknown.
 */
int device_settings_read(struct netlink *nldev, const struct number *index,
			 struct device_settings *ret);
/* The same for the device of a change. */
int device_read_change(struct change *change, struct device_settings *ret);
/*
 * Returns the settings of all devices of the inventory, in its order: an array that the caller
 * frees after clearing each element. A saved tree has the node descriptions only.
 */
struct device_settings *device_settings_list(const struct inventory *inventory,
					     struct problems *problems);
void device_settings_clear(struct device_settings *settings);

/*
 * What the settings of a device keep in change->data. Names contain neither / nor control
 * characters.
 */
enum {
	DEVICE_NAME_SIZE = 64,	     /* IB_DEVICE_NAME_MAX, including the NUL */
	DEVICE_DESCRIPTION_SIZE = 65 /* IB_DEVICE_NODE_DESC_MAX and a NUL */
};

struct device_data {
	char name[DEVICE_NAME_SIZE];		   /* its name when this change is made */
	bool seen;				   /* the description was read */
	char description[DEVICE_DESCRIPTION_SIZE]; /* exact bytes before the change */
	char target[4096];			   /* path of the wanted network namespace */
};

/* Allocates the data of these settings for a change, before its value is parsed. */
void device_begin_change(struct change *change);
/* Makes the change apply to this device. */
void device_fill_change(struct change *change, const struct device *device);
/*
 * Called once all changes are added: later changes find the device under the name that an earlier
 * one gives it.
 */
void device_follow_names(struct changes *changes);

extern const struct setting device_name_setting;
extern const struct setting device_netns_setting;

/*
 * Whether a device can have that name: letters, digits, `_`, `.` and `-`, not beginning with one of
 * the last three, at most `most` characters. The kernel accepts more, and then cannot list its
 * devices (a `/`) or shows `..` twice. False: the change has the reason.
 */
bool device_check_name(struct change *change, const char *name, size_t most);
/* Whether this network namespace's class directory has a device of that name. */
bool device_is_in_class(const char *name);

/*
 * Sends a request about the device to RDMA netlink, with one more attribute; 0 or -errno, -ENODEV:
 * it is gone.
 */
int device_request(struct change *change, unsigned int command, unsigned int attribute,
		   const void *data, size_t length);

/*
 * Sub-devices of an RDMA device, such as the planes of an mlx5 adapter for subnet management: their
 * value is "smi mlx5_0", or "absent". Linux 6.11 and later.
 */

/* The types of sub-devices. */
extern const struct enum_name sub_device_types[];
/* The object is the name. */
extern const struct setting sub_device_setting;

/* Returns the value of a sub-device of that type and parent, for the caller to free. */
char *sub_device_value(const char *type, const char *parent);
/*
 * Checks type and name of a new one, as the kernel truncates names; false: the change has the
 * reason.
 */
bool sub_device_check(struct change *change, const char *name, const char *type,
		      const char *parent);
