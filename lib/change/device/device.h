/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What one RDMA device is set to: its name, network namespace and adaptive moderation in RDMA
 * netlink, its node description in sysfs. All settings find the device by its index, because the
 * name may be one of the things that change.
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
	char *netns; /* "shared", or the name of the namespace that it is in */
	enum tristate adaptive_moderation;
	char *node_description;
	char *parent; /* of a sub-device */
	struct number sub_type;
};

extern const struct schema device_settings_schema;
extern const struct setting *const device_setting_table[]; /* ends with NULL */

/*
 * Name, moderation and parent of the device with that index. -ENODEV: there is none, it is in
 * another network namespace, or the index is unknown.
 */
int device_settings_read(struct netlink *nldev, const struct number *index,
			 struct device_settings *ret);
/* The same of the device of a change. */
int device_read_change(struct change *change, struct device_settings *ret);
/*
 * What all devices of the inventory are set to, in its order: an array that the caller frees, and
 * clears each of. A saved tree has the node descriptions only.
 */
struct device_settings *device_settings_list(const struct inventory *inventory,
					     struct problems *problems);
void device_settings_clear(struct device_settings *settings);

/*
 * What settings of devices keep in change->data. Names do not contain / or a control character.
 */
enum {
	DEVICE_NAME_SIZE = 64,	     /* IB_DEVICE_NAME_MAX, with its NUL */
	DEVICE_DESCRIPTION_SIZE = 65 /* IB_DEVICE_NODE_DESC_MAX and a NUL */
};

struct device_data {
	char name[DEVICE_NAME_SIZE];		   /* its name when this change is made */
	bool seen;				   /* the description was read */
	char description[DEVICE_DESCRIPTION_SIZE]; /* the exact bytes before the change */
	char target[4096];			   /* path of the wanted network namespace */
};

/* Gives a change the data of these settings, before its value is parsed. */
void device_begin_change(struct change *change);
/* Makes it one of this device. */
void device_fill_change(struct change *change, const struct device *device);
/* After all changes are there: later ones find the device under the name of an earlier one. */
void device_follow_names(struct changes *changes);

extern const struct setting device_name_setting;
extern const struct setting device_netns_setting;

/*
 * Whether a name can be given to a device: letters, digits, `_`, `.` and `-`, not one of the last
 * three first, at most `most` of them. The kernel takes more, and then cannot list its devices (a
 * `/`) or shows `..` twice. False: the change has the reason.
 */
bool device_check_name(struct change *change, const char *name, size_t most);
/* Whether the class directory of this network namespace has a device of that name. */
bool device_is_in_class(const char *name);

/* A request about a device to RDMA netlink, with one attribute more; 0 or -errno, -ENODEV: gone. */
int device_request(struct change *change, unsigned int command, unsigned int attribute,
		   const void *data, size_t length);
