/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * devlink: facts that concern an adapter rather than one netdev or RDMA device: firmware versions,
 * health reporters, and whether RDMA is enabled. Every request that reads is open to ordinary users
 * and changes nothing (net/devlink/netlink_gen.c: no GENL_ADMIN_PERM). The kernel lists the devices
 * of the network namespace in which the socket was opened.
 */
#pragma once

#include <linux/devlink.h>

#include "schema/value.h"

struct netlink;

#define DEVLINK_FAMILY "devlink"

/* A firmware component: the running version, the one in flash for the next reset, or both. */
struct devlink_version {
	char *name; /* fw, fw.psid, fw.mgmt ...: Documentation/networking/devlink/devlink-info.rst
		     */
	char *running, *stored;
};

struct devlink_reporter {
	char *name;	    /* fw, fw_fatal, tx ... */
	struct number port; /* the port that the reporter belongs to; unknown: the device */
	struct number state;
	struct number errors, recoveries; /* since the driver was loaded */
};

/* enum devlink_health_reporter_state, include/net/devlink.h: not in the uapi headers. */
enum { DEVLINK_REPORTER_HEALTHY, DEVLINK_REPORTER_ERROR };

/* Parameters that are on or off. */
enum devlink_switch { DEVLINK_RDMA, DEVLINK_ROCE, DEVLINK_IWARP, DEVLINK_SWITCHES };
extern const char *const devlink_switch_names[DEVLINK_SWITCHES]; /* enable_rdma ... */

/* A member that was not requested, or that the driver lacks, is unknown or empty. */
struct devlink {
	char *bus, *name;	     /* pci and 0000:3b:00.0, auxiliary and mlx5_core.sf.4 */
	enum tristate reload_failed; /* the driver gave up during a reload */
	struct devlink_version *versions;
	size_t version_count;
	int info_rc; /* result of devlink_read_info(); -EOPNOTSUPP: not implemented */
	struct devlink_reporter *reporters;
	size_t reporter_count;
	/*
	 * Configured values: mode driverinit takes effect when the driver loads or reloads, mode
	 * permanent when the adapter starts.
	 */
	enum tristate switches[DEVLINK_SWITCHES];
	uint8_t switch_modes[DEVLINK_SWITCHES]; /* enum devlink_param_cmode */
	int switches_rc;
};

struct devlink_list {
	struct devlink *items;
	size_t count;
};

/* Lists the devices, appending to the list. Returns 0 or -errno. */
int devlink_read_list(struct netlink *generic, uint16_t family, struct devlink_list *list);
/* Reads the health reporters of all devices, from kernel memory rather than from the adapters. */
int devlink_read_reporters(struct netlink *generic, uint16_t family, struct devlink_list *list);
/*
 * Query the drivers of all devices for their switches, and those for which `wanted` returns true
 * for their versions. Drivers ask the firmware for these, which takes time. Errors end up in each
 * device's switches_rc and info_rc.
 */
void devlink_read_switches(struct netlink *generic, uint16_t family, struct devlink_list *list);
void devlink_read_info(struct netlink *generic, uint16_t family, struct devlink_list *list,
		       bool (*wanted)(const struct devlink *device, void *context), void *context);

/*
 * Sets a switch in the mode that it has. -EINVAL: the driver has no such switch, or rejects the
 * value; -EPERM without CAP_NET_ADMIN in the first user namespace.
 */
int devlink_set_switch(struct netlink *generic, uint16_t family, const struct devlink *device,
		       enum devlink_switch which, bool on, char **ret_text);
/*
 * Initializes the driver again: its netdevs and RDMA devices go away, and new ones appear. Returns
 * when they are back. -EOPNOTSUPP: the driver cannot. *ret_text is the kernel's explanation of an
 * error or NULL; the caller frees it.
 */
int devlink_reload(struct netlink *generic, uint16_t family, const struct devlink *device,
		   char **ret_text);

/*
 * Adds the contents of one message of the family to the device it concerns; with `add`, the device
 * is appended if the list does not have it. -EBADMSG: the message is damaged.
 */
int devlink_take(const void *payload, size_t length, struct devlink_list *list, bool add);

struct devlink *devlink_list_find(const struct devlink_list *list, const char *name);
void devlink_list_clear(struct devlink_list *list);
