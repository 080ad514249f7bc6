/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rtnetlink: the input is the payload of a link, an address, a route, a statistics and a data
 * center bridging message.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "host/rtnl.h"
#include "counter/netlink_counters.h"
#include "kernel/netlink/dcb.h"
#include "clean.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Aligned, and of exactly this size, so that the sanitizer sees every overrun. */
	void *copy = mem_alloc_zero(size, 1);
	struct link_address address = {0};
	struct link_list links = {0};
	struct counter_list counters = {0};
	struct number link_index = {0};
	struct route route = {0};
	struct dcb dcb = {.ets_known = false};

	if (size)
		memcpy(copy, data, size);
	rtnl_parse_link(copy, size, link_list_add(&links));
	check_clean(links.items[0].name);
	check_clean(links.items[0].kind);
	check_clean(links.items[0].address);
	if (!rtnl_parse_address(copy, size, &address) && !address.ip.family)
		abort();
	rtnl_parse_route(&route, copy, size);
	if (rtnl_parse_stats(copy, size, &link_index, &counters) && counters.count)
		abort();
	if (!dcb_parse(&dcb, copy, size) &&
	    ((dcb.ets_known && size < sizeof(dcb.ets)) || dcb.trust_count > DCB_SELECTORS))
		abort();
	if (dcb_parse_result(copy, size, DCB_ATTR_IEEE) > 0 ||
	    dcb_parse_result(copy, size, DCB_ATTR_DCBX) > 0)
		abort();
	counter_list_clear(&counters);
	link_list_clear(&links);
	free(copy);
	return 0;
}
