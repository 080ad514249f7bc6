/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How ports count their queue pairs: RDMA netlink STAT_SET and STAT_DEL. Changes need the device's
 * index and port, and the host's inventory for what depends on the driver.
 */
#pragma once

#include "change/change.h"

/* `counters auto` of a port: off, type, pid or type,pid, perhaps with ,optional. */
extern const struct setting qp_auto_setting;

/*
 * `counters bind` and `unbind`: the number of the counter that a queue pair is bound to, "absent",
 * or NEW_COUNTER for any. The change's `data` is a struct qp_binding.
 */
extern const struct setting qp_counter_setting;

#define NEW_COUNTER "new"

struct qp_binding {
	uint64_t qpn;
};
