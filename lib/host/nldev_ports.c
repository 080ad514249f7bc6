/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests to RDMA netlink for individual ports. */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/nldev_devices.h"
#include "kernel/netlink.h"
#include "kernel/nldev.h"

/* One request for a port, and its outcome. */
struct port_request {
	uint32_t device_index;
	struct port *port;
	int error;
	char *text; /* the kernel's explanation, or NULL */
};

struct port_requests {
	struct port_request *items;
	size_t count;
	unsigned int command;
	nldev_take *take;
	void *context;
};

static void put_port(void *context, size_t which, struct netlink_request *request)
{
	const struct port_requests *requests = context;
	const struct port_request *port = &requests->items[which];

	netlink_add(request, nldev_message_type(requests->command), 0, NULL, 0);
	netlink_put_u32(request, RDMA_NLDEV_ATTR_DEV_INDEX, port->device_index);
	netlink_put_u32(request, RDMA_NLDEV_ATTR_PORT_INDEX, (uint32_t)port->port->port.value);
}

/* True if the attribute is present and has this value. */
static bool has_number(const struct nlattr *attribute, uint64_t expected)
{
	struct number number = {0};

	return !netlink_get_number(attribute, &number) && number.known && number.value == expected;
}

static int take_answer(const struct port_requests *requests, const struct port_request *request,
		       const struct netlink_answer *answer)
{
	struct nlattr *table[NLDEV_ATTR_KNOWN];

	if (answer->error)
		return answer->error;
	/* The message type does not identify the reply; its attributes name the port. */
	if (!answer->payload || nldev_parse(answer->payload, answer->length, table) ||
	    !has_number(table[RDMA_NLDEV_ATTR_DEV_INDEX], request->device_index) ||
	    !has_number(table[RDMA_NLDEV_ATTR_PORT_INDEX], request->port->port.value))
		return -EBADMSG;
	return requests->take(requests->context, request->port, table);
}

static void take_port(void *context, size_t which, const struct netlink_answer *answer)
{
	const struct port_requests *requests = context;
	struct port_request *request = &requests->items[which];

	request->error = take_answer(requests, request, answer);
	if (answer->text)
		request->text = mem_string(answer->text);
}

static void add_ports(struct port_requests *requests, const struct device_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct device *device = &list->items[i];

		for (size_t j = 0; device->index.known && j < device->port_count; j++) {
			struct port_request *request = mem_append(
				&requests->items, &requests->count, sizeof(*requests->items));

			request->device_index = (uint32_t)device->index.value;
			request->port = &device->ports[j];
		}
	}
}

void nldev_ask_ports(struct netlink *nldev, const struct device_list *list, unsigned int command,
		     nldev_take *take, nldev_port_failed *failed, void *context)
{
	struct port_requests requests = {.command = command, .take = take, .context = context};

	add_ports(&requests, list);
	netlink_ask_all(nldev,
			&(struct netlink_series){requests.count, put_port, take_port, &requests});
	for (size_t i = 0; i < requests.count; i++) {
		struct port_request *request = &requests.items[i];
		_cleanup_(freep) char *text = request->text;

		if (!request->error)
			continue;
		if (!text)
			request->error = nldev_explain(nldev, request->device_index,
						       request->error);
		failed(context, request->port, request->error, text);
	}
	free(requests.items);
}
