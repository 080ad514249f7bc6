/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files of rtnetlink share; nothing outside lib/source/rtnl*.c uses it. */
#pragma once

struct netlink;

struct rtnl {
	struct netlink *netlink;
};
