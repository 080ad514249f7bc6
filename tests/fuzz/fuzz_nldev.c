/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RDMA netlink: the input is both one message's attributes, and datagrams that answer a batch of
 * requests (sequences 1 to 16) and a dump (sequence 1).
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/netlink/netlink.h"
#include "host/nldev_devices.h"
#include "counter/netlink_counters.h"
#include "clean.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_records(const void *attributes, size_t length)
{
	struct device_list list = {0};
	struct device *device = mem_append(&list.items, &list.count, sizeof(*list.items));
	unsigned int port_count;

	nldev_parse_device(attributes, length, device, &port_count);
	nldev_parse_port(attributes, length, device_add_port(device, 1));
	/* Names become paths. */
	if (device->kernel_name && (strchr(device->kernel_name, '/') ||
				    device->kernel_name[0] == '.' || !device->kernel_name[0]))
		abort();
	check_record(&device_schema, device);
	for (size_t i = 0; i < device->port_count; i++)
		check_record(&port_schema, &device->ports[i]);
	device_list_clear(&list);
}

static void try_counters(const void *attributes, size_t length)
{
	struct optional_counters optional = {0};
	struct nlattr *table[NLDEV_ATTR_KNOWN];
	struct counter_list list = {0};

	if ((nldev_parse(attributes, length, table) || nldev_take_counters(table, &list)) &&
	    list.count)
		abort();
	if ((nldev_parse(attributes, length, table) ||
	     nldev_take_optional_counters(table, &optional)) &&
	    optional.count)
		abort();
	for (size_t i = 0; i < list.count; i++)
		check_clean(list.items[i].name);
	for (size_t i = 0; i < optional.count; i++)
		if (!optional.items[i].kernel_name || !optional.items[i].index.known)
			abort();
	counter_list_clear(&list);
	optional_counters_clear(&optional);
}

static int handle(void *context, unsigned int index, const struct netlink_answer *answer)
{
	unsigned int *answers = context;

	if (index >= NETLINK_BATCH || (!answer->payload && answer->length))
		abort();
	++*answers;
	if (answer->payload) {
		try_records(answer->payload, answer->length);
		try_counters(answer->payload, answer->length);
	}
	return answer->length ? answer->error : NETLINK_NOTHING;
}

static void try_exchange(const void *datagram, size_t length, bool dump)
{
	unsigned int answers = 0;
	unsigned int requests = dump ? 1 : NETLINK_BATCH;
	struct netlink_exchange exchange = {.sequence = 1,
					    .count = requests,
					    .left = requests,
					    .dump = dump,
					    .handle = handle,
					    .context = &answers};

	netlink_take(&exchange, datagram, length);
	if (exchange.left > exchange.count || (!dump && answers > requests))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Aligned, and of exactly this size, so that the sanitizer sees every overrun. */
	void *copy = mem_alloc_zero(size, 1);

	if (size)
		memcpy(copy, data, size);
	try_records(copy, size);
	try_counters(copy, size);
	try_exchange(copy, size, false);
	try_exchange(copy, size, true);
	free(copy);
	return 0;
}
