/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Settings of the RDMA subsystem as a whole: RDMA netlink, SYS_GET and SYS_SET. */
#pragma once

#include "change/change.h"

/* The record of `system`. */
struct system_settings {
	struct number netns_mode; /* 1 shared, 0 exclusive */
	enum tristate privileged_qkey, copy_on_fork, monitor;
};

/*
 * Asks through the open RDMA netlink socket. 0 or -errno; what this kernel does not report is
 * unknown.
 */
int system_settings_get(struct netlink *nldev, struct system_settings *ret_settings);
/* The same through its own socket; `root` is a snapshot, or NULL for the live system. */
int system_settings_read(const char *root, struct system_settings *ret_settings);

extern const struct schema system_schema;
extern const struct setting *const system_setting_table[]; /* ends with NULL */
