/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/cleanup.h"
#include "counter/counter.h"
#include "selftest/interop/interop.h"

struct number interop_packets(const struct interop *session)
{
	_cleanup_(counter_list_clear) struct counter_list list = {0};

	agent_read_counters(session->local, &list);
	return counter_list_sum(&list).by_class[COUNTER_TRAFFIC_RECEIVED];
}
