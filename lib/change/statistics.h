/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How ports count their queue pairs: RDMA netlink STAT_SET and STAT_DEL. The device is known by its
 * index and port, and by the inventory of the host for what depends on its driver.
 */
#pragma once

#include "change/change.h"

/* `counters auto`: off, type, pid or type,pid, perhaps with ,optional; of a port. */
extern const struct setting qp_auto_setting;

/*
 * `counters bind` and `unbind`: the number of the counter that a queue pair is bound to, absent, or
 * for any one, NEW_COUNTER. The change's `data` is a struct qp_binding.
 */
extern const struct setting qp_counter_setting;

#define NEW_COUNTER "new"

struct qp_binding {
	uint64_t qpn;
};
