/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Notifications: the input is a datagram of rtnetlink, the attributes of one from RDMA netlink, and
 * asynchronous events of verbs.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/netlink/nldev.h"
#include "host/rtnl.h"
#include "kernel/verbs/verbs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(void *context, const struct rtnl_notice *notice)
{
	++*(unsigned int *)context;
	if (!notice->link == !notice->address || (notice->link && !notice->link->name) ||
	    (notice->address && !notice->address->ip.family))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Aligned, and of exactly this size, so that the sanitizer sees every overrun. */
	void *copy = mem_alloc_zero(size, 1);
	struct nldev_event event = {{0}};
	struct verbs_event verbs;
	unsigned int notices = 0;

	if (size)
		memcpy(copy, data, size);
	rtnl_take_notices(copy, size, look, &notices);
	if (notices > size / 16)
		abort();
	nldev_event_parse(copy, size, &event);
	verbs_event_parse(copy, size, &verbs);
	free(copy);
	return 0;
}
