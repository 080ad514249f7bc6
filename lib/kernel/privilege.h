/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What this process may do: its effective capabilities, and the user namespace they apply to. */
#pragma once

#include <stdbool.h>

/* Numbers from include/uapi/linux/capability.h. */
enum privilege {
	PRIVILEGE_DAC_OVERRIDE = 1,
	PRIVILEGE_NET_ADMIN = 12,
	PRIVILEGE_NET_RAW = 13,
	PRIVILEGE_IPC_LOCK = 14,
	PRIVILEGE_SYS_MODULE = 16,
	PRIVILEGE_SYS_ADMIN = 21,
};

/* Whether the capability is in the effective set. It applies to the process's user namespace. */
bool privilege_held(enum privilege privilege);
/*
 * Whether this is the first user namespace, which the kernel demands for changes of RDMA devices:
 * netlink_capable(), net/netlink/af_netlink.c. True if /proc does not say.
 */
bool privilege_is_first_namespace(void);
